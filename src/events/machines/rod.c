// A rod that slides on its tip: Painleve's example. q = (x, y, angle) of its centre, half the length l; the tip is at
// (x - l cos a, y - l sin a), so that gap = y - l sin a. A spring may hold the centre at x = 0.
//
//   mass (x'', y'') = (r_T - stiffness x, r_N - mass gravity),
//   inertia a'' = l (sin a r_T - cos a r_N)           g''_T = x'' + l (a'' sin a + a'^2 cos a)
//                                                     g''_N = y'' - l (a'' cos a - a'^2 sin a)
#include <math.h>

#include "events/machines/machine.h"

enum { MASS, HALF, GRAVITY, FRICTION, STIFFNESS, ANGLE, SPEED, SPIN, DURATION, STEP };

static const ss_model_parameter rows[] = {
    {"mass", "1", SSI_POSITIVE, "of the rod; inertia mass (2 half)^2/12"},
    {"half", "1", SSI_POSITIVE, "half its length"},
    {"gravity", "9.81", SSI_NOT_LESS, "downwards"},
    {"friction", "0.3", SSI_NOT_LESS, "friction coefficient"},
    {"stiffness", "0", SSI_NOT_LESS, "of a spring along the ground at its centre"},
    {"angle", "1", SSI_BETWEEN(0, 3.141592653589793), "against the ground at the start"},
    {"speed", "1", SSI_ANY, "of the tip along the ground at the start"},
    {"spin", "0", SSI_ANY, "at the start"},
    {"duration", "1", SSI_POSITIVE, "simulated time"},
    {"step", "0.0001", SSI_POSITIVE, "of the schemes that step"},
};

static ss_error mass(void *user, double t, const double *q, double *M) {
  const double *p = ((const ssi_machine *)user)->value;
  (void)t, (void)q;
  ssi_planar_mass(p[MASS], p[MASS] * p[HALF] * p[HALF] / 3, M);
  return SS_OK;
}

static ss_error force(void *user, double t, const double *q, const double *v, double *F) {
  const double *p = ((const ssi_machine *)user)->value;
  (void)t, (void)v;
  F[0] = -p[STIFFNESS] * q[0], F[1] = -p[MASS] * p[GRAVITY], F[2] = 0;
  return SS_OK;
}

static ss_error gap(void *user, double t, const double *q, double *g) {
  (void)t;
  g[0] = q[1] - ((const ssi_machine *)user)->value[HALF] * sin(q[2]);
  return SS_OK;
}

static ss_error frames(void *user, double t, const double *q, double *H, double *w) {
  double l = ((const ssi_machine *)user)->value[HALF];
  (void)t, (void)w;
  H[1] = 1, H[2] = -l * cos(q[2]);
  H[3] = 1, H[5] = l * sin(q[2]);
  return SS_OK;
}

static ss_error drift(void *user, double t, const double *q, const double *v, double *b) {
  double l = ((const ssi_machine *)user)->value[HALF];
  (void)t;
  b[0] = l * sin(q[2]) * v[2] * v[2], b[1] = l * cos(q[2]) * v[2] * v[2];
  return SS_OK;
}

static const char *const states[] = {"x", "y", "angle", "x'", "y'", "angle'"};
static const ss_mechanism mechanism = {.dim = 2,
                                       .nq = 3,
                                       .nv = 3,
                                       .nc = 1,
                                       .mass = mass,
                                       .force = force,
                                       .gap = gap,
                                       .frames = frames,
                                       .drift = drift,
                                       .coordinate = states};

static ss_error build(ss_context *ctx, ssi_machine *m) {
  const double *p = m->value;
  (void)ctx;
  m->mu[0] = p[FRICTION];
  m->q[1] = p[HALF] * sin(p[ANGLE]), m->q[2] = p[ANGLE], m->v[2] = p[SPIN];
  m->v[0] =
      p[SPEED] - p[HALF] * sin(p[ANGLE]) * p[SPIN];  // of the tip: speed, and along the ground
  m->v[1] = p[HALF] * cos(p[ANGLE]) * p[SPIN];
  return SS_OK;
}

const ssi_machine_kind ssi_machine_rod = {
    .name = "painleve-rod",
    .summary = "a rod that slides on its tip, into Painleve's region where friction is large",
    .equation = "mass (x'', y'') = (r_T - stiffness x, r_N - mass gravity),  "
                "inertia a'' = half (sin a r_T - cos a r_N)",
    SSI_PARAMETERS(rows),
    .mechanism = &mechanism,
    .build = build};
