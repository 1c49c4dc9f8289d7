// A block on a moving belt, held by a spring: the stick-slip oscillator.
//
//   mass x'' = -stiffness x + r_T,   r_N = load,   slip = x' - speed
//
// It sticks until stiffness x = static_friction load, then slips with `friction`. With w = sqrt(stiffness/mass) and
// D = (static_friction - friction) load/stiffness: stick lasts 2 D/speed, slip (2 pi - 2 atan(D w/speed))/w.
#include <math.h>

#include "base/error.h"
#include "events/machines/machine.h"

enum { MASS, STIFFNESS, LOAD, SPEED, STATIC, FRICTION, X, DURATION, STEP };

static const ss_model_parameter rows[] = {
    {"mass", "1", SSI_POSITIVE, "of the block"},
    {"stiffness", "1", SSI_POSITIVE, "of the spring"},
    {"load", "1", SSI_POSITIVE, "that presses it on the belt"},
    {"speed", "0.5", SSI_POSITIVE, "of the belt"},
    {"static_friction", "1", SSI_NOT_LESS, "limit while it sticks; at least friction"},
    {"friction", "0.5", SSI_NOT_LESS, "while it slips"},
    {"x", "0", SSI_ANY, "extension of the spring at the start; the block moves with the belt"},
    {"duration", "60", SSI_POSITIVE, "simulated time"},
    {"step", "0.001", SSI_POSITIVE, "of the schemes that step"},
};

static ss_error mass(void *user, double t, const double *q, double *M) {
  (void)t, (void)q;
  M[0] = M[3] = ((const ssi_machine *)user)->value[MASS], M[1] = M[2] = 0;
  return SS_OK;
}

static ss_error force(void *user, double t, const double *q, const double *v, double *F) {
  const double *p = ((const ssi_machine *)user)->value;
  (void)t, (void)v;
  F[0] = -p[LOAD];
  F[1] = -p[STIFFNESS] * q[1];
  return SS_OK;
}

static ss_error gap(void *user, double t, const double *q, double *g) {
  (void)user, (void)t;
  g[0] = q[0];
  return SS_OK;
}

static ss_error frames(void *user, double t, const double *q, double *H, double *w) {
  (void)t, (void)q;
  H[0] = 1, H[3] = 1;
  w[1] = -((const ssi_machine *)user)->value[SPEED];
  return SS_OK;
}

static const char *const states[] = {"y", "x", "y'", "x'"};
static const ss_mechanism mechanism = {.dim = 2,
                                       .nq = 2,
                                       .nv = 2,
                                       .nc = 1,
                                       .mass = mass,
                                       .force = force,
                                       .gap = gap,
                                       .frames = frames,
                                       .coordinate = states};

static ss_error build(ss_context *ctx, ssi_machine *m) {
  const double *p = m->value;
  if (p[STATIC] < p[FRICTION])
    return ssi_fail(ctx, SS_ERR_ARGUMENT,
                    "belt: static_friction is %g, expected at least friction, %g", p[STATIC],
                    p[FRICTION]);
  m->mu[0] = p[FRICTION];
  m->mu_static[0] = p[STATIC];
  m->q[1] = p[X], m->v[1] = p[SPEED];
  return SS_OK;
}

const ssi_machine_kind ssi_machine_belt = {
    .name = "belt",
    .summary = "a block on a moving belt, held by a spring: the stick-slip oscillator",
    .equation = "mass x'' = -stiffness x + r_T,  r_N = load,  slip = x' - speed",
    SSI_PARAMETERS(rows),
    .mechanism = &mechanism,
    .build = build};
