// The jack plane [Jack, 3 to 5]: one finite element on a rigid foundation, u = (u_nu, u_tau), u_nu <= 0.
//
//   a u'' = [b c; c b] u + (f_nu, amplitude sin(omega t)) + lambda          x1 = u_nu, x2 = u_nu', x3 = u_tau, x4 = u_tau'
//
// gap = -u_nu, so that r_N = -lambda_nu and r_T = lambda_tau.
#include <math.h>

#include "events/machines/machine.h"

enum { A, B, C, OMEGA, FRICTION, LOAD, AMPLITUDE, X1, X2, X3, X4, DURATION, STEP, PARAMETERS };

#define ROWS(friction, load)                                                                       \
  {                                                                                                \
    {"a", "1", SSI_POSITIVE, "mass"}, {"b", "-1.2", SSI_ANY, "stiffness, on the diagonal"},        \
        {"c", "1", SSI_ANY, "stiffness that couples normal and tangent"},                          \
        {"omega", "1/6", SSI_NOT_LESS, "of the tangential load"},                                  \
        {"friction", friction, SSI_NOT_LESS, "friction coefficient"},                              \
        {"load", load, SSI_ANY, "normal load f_nu"},                                               \
        {"amplitude", "1", SSI_ANY, "of the tangential load"},                                     \
        {"x1", "0", SSI_BETWEEN(-INFINITY, 0), "normal displacement at the start"},                \
        {"x2", "0", SSI_ANY, "its velocity"},                                                      \
        {"x3", "0", SSI_ANY, "tangential displacement at the start"},                              \
        {"x4", "0.1", SSI_ANY, "its velocity"},                                                    \
        {"duration", "0", SSI_NOT_LESS, "simulated time; 0: ten periods of the load"},             \
        {"step", "0.001", SSI_POSITIVE, "of the schemes that step"},                               \
  }
static const ss_model_parameter contact_rows[] = ROWS("0.4", "1.3");
static const ss_model_parameter bouncing_rows[] = ROWS("0.3", "0.5");

static ss_error mass(void *user, double t, const double *q, double *M) {
  const ssi_machine *m = user;
  (void)t, (void)q;
  M[0] = M[3] = m->value[A], M[1] = M[2] = 0;
  return SS_OK;
}

static ss_error force(void *user, double t, const double *q, const double *v, double *F) {
  const double *p = ((const ssi_machine *)user)->value;
  (void)v;
  F[0] = p[B] * q[0] + p[C] * q[1] + p[LOAD];
  F[1] = p[C] * q[0] + p[B] * q[1] + p[AMPLITUDE] * sin(p[OMEGA] * t);
  return SS_OK;
}

static ss_error gap(void *user, double t, const double *q, double *g) {
  (void)user, (void)t;
  g[0] = -q[0];
  return SS_OK;
}

static ss_error frames(void *user, double t, const double *q, double *H, double *w) {
  (void)user, (void)t, (void)q, (void)w;
  H[0] = -1, H[3] = 1;
  return SS_OK;
}

static const char *const coordinates[] = {"u_nu", "u_tau"};
static const char *const states[] = {"x1", "x2", "x3", "x4"};
static const int order[] = {0, 2, 1, 3};
static const ss_mechanism mechanism = {.dim = 2,
                                       .nq = 2,
                                       .nv = 2,
                                       .nc = 1,
                                       .mass = mass,
                                       .force = force,
                                       .gap = gap,
                                       .frames = frames,
                                       .coordinate = coordinates};

static ss_error build(ss_context *ctx, ssi_machine *m) {
  const double *p = m->value, pi = acos(-1);
  (void)ctx;
  m->mu[0] = p[FRICTION];
  m->q[0] = p[X1], m->v[0] = p[X2], m->q[1] = p[X3], m->v[1] = p[X4];
  m->head.out.duration = p[DURATION] > 0 ? p[DURATION] : p[OMEGA] > 0 ? 20 * pi / p[OMEGA] : 100;
  m->head.out.options.impact = SS_IMPACT_FRICTIONLESS;  // x2 -> 0 with x4 kept
  return SS_OK;
}

static const char equation[] =
    "a u'' = [b c; c b] u + (load, amplitude sin(omega t)) + lambda;  gap = -u_nu";

#define KIND(symbol, title, rows, about)                                                           \
  const ssi_machine_kind symbol = {title,      about, equation, rows, PARAMETERS,                  \
                                   &mechanism, order, states,   build}
KIND(ssi_machine_jack_plane, "jack-plane", contact_rows,
     "stick and slip of one element under a periodic load, always in contact [Jack, Example 4.1]");
KIND(ssi_machine_jack_plane_42, "jack-plane-4.2", bouncing_rows,
     "the same with less load: it lifts off and lands [Jack, Example 4.2]");
KIND(ssi_machine_jack_plane_53, "jack-plane-5.3", contact_rows,
     "Example 4.1 for the mid-point rules, dt = 0.001 [Jack, Example 5.3]");
