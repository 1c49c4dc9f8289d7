// A ball (2D: a solid cylinder seen from its end) that falls, bounces and rolls: q = (height of its lowest point,
// way, angle).
//
//   mass y'' = -mass gravity + r_N,   mass x'' = r_T,   inertia angle'' = radius r_T,   slip = x' + radius angle'
//
// Impacts at t_1 = sqrt(2 height/gravity), then after 2 e^k v_1/gravity, k = 1, 2, ...: they accumulate at
// t_1 (1 + e)/(1 - e).
#include <math.h>

#include "events/machines/machine.h"

enum {
  MASS,
  RADIUS,
  GRAVITY,
  HEIGHT,
  SPEED,
  SPIN,
  RESTITUTION,
  FRICTION,
  DURATION,
  STEP,
};

static const ss_model_parameter rows[] = {
    {"mass", "1", SSI_POSITIVE, "of the ball"},
    {"radius", "0.1", SSI_POSITIVE, "of the ball; inertia 2/5 mass radius^2"},
    {"gravity", "9.81", SSI_POSITIVE, "downwards"},
    {"height", "1", SSI_NOT_LESS, "of its lowest point at the start"},
    {"speed", "1", SSI_ANY, "along the ground at the start"},
    {"spin", "0", SSI_ANY, "at the start, counterclockwise"},
    {"restitution", "0.5", SSI_BETWEEN(0, 1), "of the impacts"},
    {"friction", "0.3", SSI_NOT_LESS, "friction coefficient"},
    {"duration", "3", SSI_POSITIVE, "simulated time"},
    {"step", "0.001", SSI_POSITIVE, "of the schemes that step"},
};

static ss_error mass(void *user, double t, const double *q, double *M) {
  const double *p = ((const ssi_machine *)user)->value;
  (void)t, (void)q;
  ssi_planar_mass(p[MASS], 0.4 * p[MASS] * p[RADIUS] * p[RADIUS], M);
  return SS_OK;
}

static ss_error force(void *user, double t, const double *q, const double *v, double *F) {
  const double *p = ((const ssi_machine *)user)->value;
  (void)t, (void)q, (void)v;
  F[0] = -p[MASS] * p[GRAVITY], F[1] = F[2] = 0;
  return SS_OK;
}

static ss_error gap(void *user, double t, const double *q, double *g) {
  (void)user, (void)t;
  g[0] = q[0];
  return SS_OK;
}

static ss_error frames(void *user, double t, const double *q, double *H, double *w) {
  (void)t, (void)q, (void)w;
  H[0] = 1, H[4] = 1, H[5] = ((const ssi_machine *)user)->value[RADIUS];
  return SS_OK;
}

static ss_error potential(void *user, double t, const double *q, double *energy) {
  const double *p = ((const ssi_machine *)user)->value;
  (void)t;
  *energy = p[MASS] * p[GRAVITY] * q[0];
  return SS_OK;
}

static const char *const states[] = {"y", "x", "angle", "y'", "x'", "angle'"};
static const ss_mechanism mechanism = {.dim = 2,
                                       .nq = 3,
                                       .nv = 3,
                                       .nc = 1,
                                       .mass = mass,
                                       .force = force,
                                       .gap = gap,
                                       .frames = frames,
                                       .potential = potential,
                                       .coordinate = states};

static ss_error build(ss_context *ctx, ssi_machine *m) {
  const double *p = m->value;
  (void)ctx;
  m->mu[0] = p[FRICTION], m->restitution[0] = p[RESTITUTION];
  m->q[0] = p[HEIGHT], m->v[1] = p[SPEED], m->v[2] = p[SPIN];
  return SS_OK;
}

const ssi_machine_kind ssi_machine_bouncing_ball = {
    .name = "bouncing-ball",
    .summary = "a ball that falls, bounces ever faster, slides and rolls",
    .equation =
        "mass y'' = r_N - mass gravity,  mass x'' = r_T,  2/5 mass radius^2 angle'' = radius r_T",
    SSI_PARAMETERS(rows),
    .mechanism = &mechanism,
    .build = build};
