// Two equal blocks, one upon the other, at rest [LSCM03, 3]: M a + f = H^T r, g'' = H a, with accelerations a
// where other problems have velocities. The blocks do not turn. Contact 1 is ground and lower block, contact 2 lower
// and upper block; n = z, tangents of contact 1 along x and y, those of contact 2 turned about z by `turn`:
//
//     X2 = (cos, sin, 0),  Y2 = (-sin, cos, 0),   g_2 = (a_2 - a_1) . (n, X2, Y2)
//
// Forces F1 and F2 act on the blocks along z (separation) or X2 (stick_slip).
#include <math.h>

#include "base/error.h"
#include "models/model.h"

static const char *const kinds[] = {"separation", "stick_slip", NULL};
enum { STICK_SLIP = 1 };

static const ss_model_parameter rows[] = {
    {"kind", "separation", SSI_ANY, "forces along z (separation) or X2 (stick_slip)"},
    {"F1", "0", SSI_ANY, "force on the lower block"},
    {"F2", "0", SSI_ANY, "force on the upper block"},
    {"weight", "10", SSI_POSITIVE, "of each block"},
    {"g", "9.81", SSI_POSITIVE, "gravity, downwards: the mass is weight / g"},
    {"turn_deg", "45", SSI_ANY, "from the tangents of contact 1 to those of contact 2, in degrees"},
    SSI_MU("1"),
};

// Row `row` of contact i: the acceleration of what is above, less that of what is below, along `axis`.
static void put_row(ssi_draft *d, int i, int row, const ssi_number axis[3]) {
  for (int k = 0; k < 3; k++) {
    *ssi_H(d, 3 * i + row, 3 * i + k) = axis[k];
    if (i > 0) *ssi_H(d, 3 * i + row, 3 * (i - 1) + k) = ssi_neg(axis[k]);
  }
}

static ss_error build(ssi_draft *d) {
  const ssi_number zero = ssi_whole(0), one = ssi_whole(1);
  ssi_number weight = ssi_get(d, "weight"), turn = ssi_get(d, "turn_deg");
  double angle = turn.x * 0.017453292519943295;  // pi / 180
  ssi_number c = turn.x == 0 ? one : ssi_real(cos(angle)), s = ssi_real(sin(angle));
  const ssi_number n[3] = {zero, zero, one}, X[2][3] = {{one, zero, zero}, {c, s, zero}};
  const ssi_number Y[2][3] = {{zero, one, zero}, {ssi_neg(s), c, zero}};
  const ssi_number *along = ssi_get(d, "kind").x == STICK_SLIP ? X[1] : n;
  SS_TRY(ssi_draft_begin(d, 3, 2, 6));
  for (int i = 0; i < 2; i++) {
    ssi_number force = ssi_get(d, i ? "F2" : "F1");
    for (int k = 0; k < 3; k++) {
      *ssi_M(d, 3 * i + k, 3 * i + k) = ssi_div(weight, ssi_get(d, "g"));
      d->f[3 * i + k] = ssi_sub(ssi_mul(weight, n[k]), ssi_mul(force, along[k]));
    }
    put_row(d, i, 0, n);
    put_row(d, i, 1, X[i]);
    put_row(d, i, 2, Y[i]);
    d->mu[i] = ssi_get(d, "mu");
  }
  return SS_OK;
}

const ssi_model ssi_model_two_blocks = {
    .name = "two-blocks",
    .summary = "two blocks on each other at rest, for `status`: which contact parts or slips first",
    .equation = "M = weight/g I, f = weight z - F, accelerations for velocities,\n"
                "g_1 = a_1 . (z, x, y), g_2 = (a_2 - a_1) . (z, X2, Y2), w = 0",
    SSI_PARAMETERS(rows),
    .word = "kind",
    .words = kinds,
    .build = build,
};
