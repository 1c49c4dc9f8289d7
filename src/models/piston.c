// Two external objects with different motion [AC11, 4.6, Fig. 6]: n equal disks in a row on the ground,
// between a wall that belongs to the ground and a piston that comes with the velocity V (and slides
// upwards with Vy). Contacts, in this order: wall, disk 1 - disk 2, ..., disk n - piston, then each disk
// with the ground.
//
// A force N along the row holds itself in equilibrium and works -V N at the piston: for V > 0 no velocity
// separates all contacts (A' fails). Without friction nothing else is self-equilibrated, so that
//
//     s* = min { w.r : H^T r = 0, r in K, sum r_N = 1 } = -V / (n + 1)         (mu = 0)
#include <math.h>

#include "base/error.h"
#include "models/model.h"

static const ss_model_parameter rows[] = {
    {"n", "3", 1, 60, true, "disks"},
    {"m", "1", SSI_POSITIVE, "mass of a disk"},
    {"R", "1", SSI_POSITIVE, "radius of a disk"},
    {"g", "-1", SSI_ANY, "gravity, upwards: negative pulls down"},
    {"h", "1", SSI_POSITIVE, "time step"},
    {"V", "1", SSI_ANY, "velocity of the piston towards the wall"},
    {"Vy", "0", SSI_ANY, "velocity of the piston upwards"},
    SSI_MU("1/2"),
};

static const ssi_number zero = {0, {0, 1}}, one = {1, {1, 1}}, minus_one = {-1, {-1, 1}};

// Adds the part of disk `body` to contact i: the velocity of its point R (p_x, p_y) along the frame of
// n, times sign.
static void put_disk(ssi_draft *d, int i, int body, const ssi_number n[2], const ssi_number p[2],
                     bool negative) {
  const ssi_number axis[2][2] = {{n[0], n[1]}, {n[1], ssi_neg(n[0])}};  // normal, (n_y, -n_x)
  ssi_number R = ssi_get(d, "R"), point[2] = {ssi_mul(R, p[0]), ssi_mul(R, p[1])};
  for (int k = 0; k < 2; k++) {
    ssi_put_point2(d, 2 * i + k, 3 * body, axis[k], point);
    for (int j = 0; negative && j < 3; j++) {
      ssi_number *x = ssi_H(d, 2 * i + k, 3 * body + j);
      *x = ssi_neg(*x);
    }
  }
}

static ss_error build(ssi_draft *d) {
  int n = (int)ssi_get(d, "n").x;
  ssi_number m = ssi_get(d, "m"), R = ssi_get(d, "R");
  const ssi_number right[2] = {one, zero}, left[2] = {minus_one, zero}, up[2] = {zero, one},
                   down[2] = {zero, minus_one};
  SS_TRY(ssi_draft_begin(d, 2, 2 * n + 1, 3 * n));
  for (int b = 0; b < n; b++) {
    *ssi_M(d, 3 * b, 3 * b) = *ssi_M(d, 3 * b + 1, 3 * b + 1) = m;
    *ssi_M(d, 3 * b + 2, 3 * b + 2) = ssi_div(ssi_mul3(m, R, R), ssi_whole(2));
    d->f[3 * b + 1] = ssi_neg(ssi_mul3(m, ssi_get(d, "g"), ssi_get(d, "h")));
    // row contact b lies left of disk b; its normal pushes the disk on its right, save at the piston
    put_disk(d, b, b, right, left, false);
    if (b > 0) put_disk(d, b, b - 1, right, right, true);
    put_disk(d, n + 1 + b, b, up, down, false);
  }
  put_disk(d, n, n - 1, left, right, false);  // piston: n = -x, t = (0, 1)
  d->w[2 * n] = ssi_neg(ssi_get(d, "V"));     // -(-V, Vy).(-1, 0)
  d->w[2 * n + 1] = ssi_neg(ssi_get(d, "Vy"));
  for (int i = 0; i < d->nc; i++) d->mu[i] = ssi_get(d, "mu");
  return SS_OK;
}

const ssi_model ssi_model_piston = {
    .name = "piston",
    .summary =
        "disks in a row between a wall and a piston: two external objects moving differently",
    .equation =
        "M = diag(m, m, m R^2/2, ...), f = (0, -m g h, 0, ...), contacts: wall, neighbours,\n"
        "piston (w = (-V, -Vy)), then each disk with the ground",
    SSI_PARAMETERS(rows),
    .build = build,
};
