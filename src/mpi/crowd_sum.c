// mpi/crowd_sum.c - see crowd_sum.h.
#include "mpi/crowd_sum.h"

#include <math.h>
#include <string.h>

enum { BITS = 32, LOWEST = -1152 };

void crowd_sum_add(crowd_sum *s, double x) {
  int exponent;
  if (x == 0) return;
  if (!isfinite(x)) {
    s->lost++;
    return;
  }
  double m = frexp(fabs(x), &exponent);  // in [1/2, 1)
  uint64_t digits = (uint64_t)ldexp(m, 53);
  int shift = exponent - 53 - LOWEST, k = shift / BITS;
  uint64_t low = digits << (shift % BITS);                           // bits 0 .. 63
  uint64_t high = shift % BITS ? digits >> (64 - shift % BITS) : 0;  // and above
  int64_t sign = x < 0 ? -1 : 1;
  s->place[k] += sign * (int64_t)(low & 0xffffffffu);
  s->place[k + 1] += sign * (int64_t)(low >> BITS);
  s->place[k + 2] += sign * (int64_t)high;
}

void crowd_sum_collect(const ranks *c, crowd_sum *s, int count) {
  _Static_assert(sizeof(crowd_sum) == (CROWD_PLACES + 1) * sizeof(int64_t), "whole numbers only");
  MPI_Allreduce(MPI_IN_PLACE, s, count * (CROWD_PLACES + 1), MPI_INT64_T, MPI_SUM, c->comm);
}

// Every place but the last from 0 to 2^32 - 1.
static void carry(int64_t *place) {
  for (int k = 0; k + 1 < CROWD_PLACES; k++) {
    int64_t up = place[k] >> BITS;  // rounds down
    place[k] -= up * ((int64_t)1 << BITS);
    place[k + 1] += up;
  }
}

double crowd_sum_value(const crowd_sum *s) {
  int64_t place[CROWD_PLACES];
  if (s->lost) return NAN;
  memcpy(place, s->place, sizeof place);
  carry(place);
  bool negative = place[CROWD_PLACES - 1] < 0;
  for (int k = 0; k < CROWD_PLACES && negative; k++) place[k] = -place[k];
  if (negative) carry(place);
  double sum = 0;
  for (int k = 0; k < CROWD_PLACES; k++)
    if (place[k]) sum += ldexp((double)place[k], BITS * k + LOWEST);
  return negative ? -sum : sum;
}
