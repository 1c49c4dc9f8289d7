#include "solvers/auto/rounds.h"

#include <float.h>
#include <math.h>

#include "solvers/auto/numbers.h"
#include "solvers/instance.h"

// z o y over the error, in half decades around 1; then another start from the middle.
enum { KINDS = 6 };
static const double share[KINDS] = {1, 0.3, 3, 0.1, 10, 0};

ssi_ipm_options ssi_interior_first(bool by_bodies) {
  ssi_ipm_options o;
  ssi_options_default(&ssi_method_ipm, &o);
  o.direction = by_bodies ? SSI_IPM_AHO : SSI_IPM_NT;
  if (!by_bodies) return o;
  o.system = SSI_IPM_GLOBAL;
  o.starts = 1;
  o.limit = SSI_ROUND_START;
  return o;
}

// Longer by half of the first one each time, up to five times as long.
ssi_ipm_options ssi_interior_round(int round, double error) {
  ssi_ipm_options o = ssi_interior_first(true);
  int cycle = (round + 1) / KINDS;
  o.near = share[round % KINDS] * fmax(error, DBL_EPSILON);
  o.limit = SSI_ROUND_START * (1 + 0.5 * fmin(round, SSI_FULL_LENGTH));
  o.first = cycle;
  o.direction = cycle % 2 ? SSI_IPM_NT : SSI_IPM_AHO;
  return o;
}

int ssi_interior_rounds(double flops, double direct_flops) {
  return (int)fmin(SSI_ROUNDS, direct_flops / flops);
}
