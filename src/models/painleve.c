// The Painleve-like rod [AC11, 4.2], [ACLM11, 5.2]: a rod of length l with a mass m at its lower end B,
// hinged at a point A that moves along x with the imposed velocity u0; B may touch the ground. One
// degree of freedom, theta. Over a time step h, from the velocity v0:
//
//     m l^2 (v - v0)/h = m g l sin(theta) + l ( cos(theta) lambda_x + sin(theta) lambda_y )     (29)
//
// With r = h lambda, normal (y) first and tangent x:
//
//     M = m l^2,  f = -m g l h s - m l^2 v0,  H = l (s, c)^T,  w = (0, u0)^T                    (30)
//
// g > 0 points upwards, as in the paper. In 3D the point A also moves across with the velocity a:
// H = l (s, c, 0)^T, w = (0, u0, a)^T.
#include <math.h>

#include "base/error.h"
#include "models/model.h"

#define ROWS                                                                                       \
  {"m", "1", SSI_POSITIVE, "mass at the lower end"},                                               \
      {"l", "1", SSI_POSITIVE, "length of the rod"},                                               \
      {"g", "-1", SSI_ANY, "gravity, upwards: negative pulls down"},                               \
      {"h", "1", SSI_POSITIVE, "time step"}, {"v0", "0", SSI_ANY, "angular velocity before"},      \
      {"u0", "1", SSI_ANY, "velocity of the upper end along the ground"},                          \
      SSI_ANGLE("theta", "3/4", "the rod's angle, as in the paper"), SSI_MU("1/2")

static const ss_model_parameter plane[] = {ROWS};
static const ss_model_parameter space[] = {
    ROWS, {"a", "1/2", SSI_ANY, "velocity of the upper end across"}};

static ss_error build_rod(ssi_draft *d, int dim) {
  ssi_number s, c, m = ssi_get(d, "m"), l = ssi_get(d, "l"), ml = ssi_mul(m, l);
  SS_TRY(ssi_get_angle(d, "theta", &s, &c));
  SS_TRY(ssi_draft_begin(d, dim, 1, 1));
  *ssi_M(d, 0, 0) = ssi_mul(ml, l);
  ssi_number weight = ssi_mul(ssi_mul3(ml, ssi_get(d, "g"), ssi_get(d, "h")), s);
  d->f[0] = ssi_neg(ssi_add(weight, ssi_mul3(ml, l, ssi_get(d, "v0"))));
  *ssi_H(d, 0, 0) = ssi_mul(l, s);
  *ssi_H(d, 1, 0) = ssi_mul(l, c);
  d->w[1] = ssi_get(d, "u0");
  if (dim == 3) d->w[2] = ssi_get(d, "a");
  d->mu[0] = ssi_get(d, "mu");
  return SS_OK;
}

static ss_error build_plane(ssi_draft *d) {
  return build_rod(d, 2);
}

static ss_error build_space(ssi_draft *d) {
  return build_rod(d, 3);
}

const ssi_model ssi_model_painleve = {
    .name = "painleve",
    .summary = "rod pushed along the ground: none, one, two or infinitely many solutions",
    .equation = "M = m l^2, f = -m g l h s - m l^2 v0, H = l (s, c), w = (0, u0)",
    SSI_PARAMETERS(plane),
    .build = build_plane,
};

const ssi_model ssi_model_painleve3d = {
    .name = "painleve3d",
    .summary = "the same rod in space, its upper end also moving across with velocity a",
    .equation = "M = m l^2, f = -m g l h s - m l^2 v0, H = l (s, c, 0), w = (0, u0, a)",
    SSI_PARAMETERS(space),
    .build = build_space,
};
