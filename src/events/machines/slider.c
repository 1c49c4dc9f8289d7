// A block on two feet under loads that jump: q = (x, y, angle) of its centre, feet at (-+half, -height) seen from it.
// Loads P (along the ground) and Q (downwards, at `arm` from the centre) take random values, one pair for each
// `pause`, from `seed`.
#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "events/machines/machine.h"

enum {
  MASS,
  HALF,
  HEIGHT,
  GRAVITY,
  FRICTION,
  PULL,
  PUSH,
  ARM,
  PAUSE,
  SEED,
  DURATION,
  STEP,
};

static const ss_model_parameter rows[] = {
    {"mass", "1", SSI_POSITIVE, "of the block; inertia mass (half^2 + height^2)/3"},
    {"half", "1", SSI_POSITIVE, "of the distance between the feet"},
    {"height", "0.5", SSI_POSITIVE, "of the centre above them"},
    {"gravity", "9.81", SSI_POSITIVE, "downwards"},
    {"friction", "0.5", SSI_NOT_LESS, "friction coefficient of both feet"},
    {"pull", "10", SSI_NOT_LESS, "largest load along the ground"},
    {"push", "5", SSI_NOT_LESS, "largest load downwards"},
    {"arm", "0.5", SSI_ANY, "of that load"},
    {"pause", "0.25", SSI_POSITIVE,
     "how long a pair of loads lasts; it grows and fades like sin^2"},
    {"seed", "1", SSI_WHOLE_TO(9007199254740992.0), "of the loads"},
    {"duration", "5", SSI_POSITIVE, "simulated time"},
    {"step", "0.001", SSI_POSITIVE, "of the schemes that step"},
};

static ss_error mass(void *user, double t, const double *q, double *M) {
  const double *p = ((const ssi_machine *)user)->value;
  (void)t, (void)q;
  ssi_planar_mass(p[MASS], p[MASS] * (p[HALF] * p[HALF] + p[HEIGHT] * p[HEIGHT]) / 3, M);
  return SS_OK;
}

// In -1 .. 1, of pause k.
static double draw(const double *p, int64_t k, int which) {
  ssi_rng g = {(uint64_t)p[SEED] * 0x9E3779B97F4A7C15u + (uint64_t)(2 * k + which)};
  ssi_rng_uniform(&g);
  return 2 * ssi_rng_uniform(&g) - 1;
}

static ss_error force(void *user, double t, const double *q, const double *v, double *F) {
  const double *p = ((const ssi_machine *)user)->value;
  double phase = t / p[PAUSE], k = floor(phase), s = sin(acos(-1) * (phase - k)), swell = s * s;
  double pull = p[PULL] * swell * draw(p, (int64_t)k, 0),
         push = p[PUSH] * swell * draw(p, (int64_t)k, 1);
  (void)v;
  F[0] = pull, F[1] = -p[MASS] * p[GRAVITY] - push, F[2] = -push * p[ARM] * cos(q[2]);
  return SS_OK;
}

// Foot i from the centre, turned.
static void foot(const double *p, int i, double angle, double *x, double *y) {
  double a = i ? p[HALF] : -p[HALF], b = -p[HEIGHT];
  *x = a * cos(angle) - b * sin(angle), *y = a * sin(angle) + b * cos(angle);
}

static ss_error gap(void *user, double t, const double *q, double *g) {
  (void)t;
  for (int i = 0; i < 2; i++) {
    double x, y;
    foot(((const ssi_machine *)user)->value, i, q[2], &x, &y);
    g[i] = q[1] + y;
  }
  return SS_OK;
}

static ss_error frames(void *user, double t, const double *q, double *H, double *w) {
  (void)t, (void)w;
  for (int i = 0; i < 2; i++) {
    double x, y;
    foot(((const ssi_machine *)user)->value, i, q[2], &x, &y);
    H[6 * i + 1] = 1, H[6 * i + 2] = x;
    H[6 * i + 3] = 1, H[6 * i + 5] = -y;
  }
  return SS_OK;
}

static ss_error drift(void *user, double t, const double *q, const double *v, double *b) {
  (void)t;
  for (int i = 0; i < 2; i++) {
    double x, y;
    foot(((const ssi_machine *)user)->value, i, q[2], &x, &y);
    b[2 * i] = -y * v[2] * v[2], b[2 * i + 1] = -x * v[2] * v[2];
  }
  return SS_OK;
}

static const char *const states[] = {"x", "y", "angle", "x'", "y'", "angle'"};
static const ss_mechanism mechanism = {.dim = 2,
                                       .nq = 3,
                                       .nv = 3,
                                       .nc = 2,
                                       .mass = mass,
                                       .force = force,
                                       .gap = gap,
                                       .frames = frames,
                                       .drift = drift,
                                       .coordinate = states};

static ss_error build(ss_context *ctx, ssi_machine *m) {
  const double *p = m->value;
  (void)ctx;
  m->mu[0] = m->mu[1] = p[FRICTION];
  m->q[1] = p[HEIGHT];
  return SS_OK;
}

const ssi_machine_kind ssi_machine_slider = {
    .name = "slider",
    .summary = "a block on two feet under random loads: every mode, and rocking",
    .equation = "mass (x'', y'') = (P, -Q - mass gravity) + r,  "
                "inertia angle'' = -Q arm cos(angle) + moments of r",
    SSI_PARAMETERS(rows),
    .mechanism = &mechanism,
    .build = build};
