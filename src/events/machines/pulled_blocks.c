// Two blocks on each other [LSCM03, 3], translations only, under forces that grow: q = centres of block 1, then 2.
//
// Contact 1: ground and block 1, frame (Z0, X0, Y0); contact 2: blocks 1 and 2, frame (Z0, X2, Y2), turned by pi/4
// about the vertical. Block i is pulled with F_i + dF_i t along Z0 (separation) or X2.
#include <math.h>

#include "events/machines/machine.h"

#define HALF_ROOT 0.70710678118654752440  // sin and cos of pi/4

enum { WEIGHT, GRAVITY, MU, VERTICAL, F1, F2, DF1, DF2, DURATION, STEP };

static const ss_model_parameter rows[] = {
    {"weight", "10", SSI_POSITIVE, "of each block"},
    {"gravity", "9.81", SSI_POSITIVE, "downwards"},
    {"mu", "1", SSI_NOT_LESS, "friction coefficient of both contacts"},
    {"vertical", "0", SSI_WHOLE_TO(1),
     "1: forces along Z0 (separation); 0: along X2 (stick and slip)"},
    {"F1", "0", SSI_ANY, "force on block 1 at the start"},
    {"F2", "0", SSI_ANY, "force on block 2 at the start"},
    {"dF1", "0.5", SSI_ANY, "its growth per unit of time"},
    {"dF2", "1", SSI_ANY, "its growth per unit of time"},
    {"duration", "30", SSI_POSITIVE, "simulated time"},
    {"step", "0.001", SSI_POSITIVE, "of the schemes that step"},
};

static ss_error mass(void *user, double t, const double *q, double *M) {
  const double *p = ((const ssi_machine *)user)->value;
  (void)t, (void)q;
  for (int i = 0; i < 36; i++) M[i] = i % 7 ? 0 : p[WEIGHT] / p[GRAVITY];
  return SS_OK;
}

static ss_error force(void *user, double t, const double *q, const double *v, double *F) {
  const double *p = ((const ssi_machine *)user)->value, along = HALF_ROOT;
  (void)q, (void)v;
  for (int i = 0; i < 2; i++) {
    double f = p[F1 + i] + p[DF1 + i] * t;
    bool vertical = p[VERTICAL] != 0;
    F[3 * i] = F[3 * i + 1] = vertical ? 0 : along * f;
    F[3 * i + 2] = (vertical ? f : 0) - p[WEIGHT];
  }
  return SS_OK;
}

static ss_error gap(void *user, double t, const double *q, double *g) {
  (void)user, (void)t;
  g[0] = q[2], g[1] = q[5] - q[2];
  return SS_OK;
}

static ss_error frames(void *user, double t, const double *q, double *H, double *w) {
  static const double turned[3][3] = {
      {0, 0, 1}, {HALF_ROOT, HALF_ROOT, 0}, {-HALF_ROOT, HALF_ROOT, 0}};
  static const double plain[3][3] = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}};
  (void)user, (void)t, (void)q, (void)w;
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) {
      H[6 * i + k] = plain[i][k];
      H[6 * (3 + i) + k] = -turned[i][k], H[6 * (3 + i) + 3 + k] = turned[i][k];
    }
  return SS_OK;
}

static const char *const states[] = {"x1",  "y1",  "z1",  "x2",  "y2",  "z2",
                                     "x1'", "y1'", "z1'", "x2'", "y2'", "z2'"};
static const ss_mechanism mechanism = {.dim = 3,
                                       .nq = 6,
                                       .nv = 6,
                                       .nc = 2,
                                       .mass = mass,
                                       .force = force,
                                       .gap = gap,
                                       .frames = frames,
                                       .coordinate = states};

static ss_error build(ss_context *ctx, ssi_machine *m) {
  (void)ctx;
  m->mu[0] = m->mu[1] = m->value[MU];
  return SS_OK;
}

const ssi_machine_kind ssi_machine_two_blocks = {
    .name = "two-blocks",
    .summary = "two blocks on each other under growing forces [LSCM03, 3]",
    .equation = "weight/gravity z_i'' = F_i + dF_i t - weight + contact forces",
    SSI_PARAMETERS(rows),
    .mechanism = &mechanism,
    .build = build};
