#define _POSIX_C_SOURCE 200809L
#include "base/timer.h"

#include <math.h>
#include <time.h>

static const double OPERATIONS_A_SECOND = 3e9;
static const double SHORT_S = 0.1;

double ssi_now_s(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double ssi_time_end(double limit_s) {
  return limit_s > 0 ? ssi_now_s() + limit_s : INFINITY;
}

static bool is_limited(double end_s) {
  return end_s > 0 && isfinite(end_s);
}

bool ssi_time_is_over(double end_s) {
  return is_limited(end_s) && ssi_now_s() > end_s;
}

bool ssi_time_affords(double end_s, double operations) {
  if (!is_limited(end_s)) return true;
  double left = end_s - ssi_now_s(), needed = operations / OPERATIONS_A_SECOND;
  return left > 0 && needed <= left + SHORT_S;
}
