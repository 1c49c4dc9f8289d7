// Velocities without reactions: gravity, loads and gyroscopic terms.
//
// Translation:  v_free = v + h (g + F_theta / m),  F_theta = theta F(t + h) + (1 - theta) F(t).
//
// Rotation, in body axes with P = I w + h R^T (moment): the momentum keeps its place in space while
// the body turns by cay(h w_theta), w_theta = theta w' + (1 - theta) w (dynamics/quaternion.h):
//
//   I w' = cay(-h w_theta) P   <=>   I w' - P + (h/2) w_theta x (I w' + P) = 0             (1)
//
// For theta = 1/2 and no moment this is the scheme of [AKW93], which also keeps the energy; for
// theta = 1 it is implicit Euler. Solved by Newton's method. The gyroscopic impulse I w' - P then
// acts like any other force: reactions come on top of it.
//
// [AKW93] M. A. Austin, P. S. Krishnaprasad, L.-S. Wang, Almost Poisson integration of rigid body
//         systems, Journal of Computational Physics 107 (1993) 105-117.
#include <float.h>
#include <string.h>

#include "dynamics/scene/loads.h"
#include "dynamics/step/step.h"
#include "la/vec3.h"

static double det3(const double a[3], const double b[3], const double c[3]) {
  double n[3];
  ssi_cross3(b, c, n);
  return ssi_dot3(a, n);
}

// J x = y for J given by columns (Cramer); false where it is singular.
static bool solve3(const double J[3][3], const double y[3], double x[3]) {
  double d = det3(J[0], J[1], J[2]);
  if (!(fabs(d) > 0)) return false;
  x[0] = det3(y, J[1], J[2]) / d;
  x[1] = det3(J[0], y, J[2]) / d;
  x[2] = det3(J[0], J[1], y) / d;
  return isfinite(x[0]) && isfinite(x[1]) && isfinite(x[2]);
}

// (1) for w', starting from w. I diagonal.
static void turn_freely(const double I[3], const double w[3], const double P[3], double h,
                        double theta, double out[3]) {
  double x[3], best = INFINITY;
  ssi_copy3(w, x);
  ssi_copy3(w, out);
  double enough = 4 * DBL_EPSILON * ssi_norm3(P);
  for (int iteration = 0; iteration < 30; iteration++) {
    double mean[3], sum[3], turn[3], F[3], J[3][3], dx[3];
    for (int k = 0; k < 3; k++) {
      mean[k] = theta * x[k] + (1 - theta) * w[k];
      sum[k] = I[k] * x[k] + P[k];
    }
    ssi_cross3(mean, sum, turn);
    for (int k = 0; k < 3; k++) F[k] = I[k] * x[k] - P[k] + h / 2 * turn[k];
    double size = ssi_norm3(F);
    if (!(size < best)) break;
    best = size;
    ssi_copy3(x, out);
    if (size <= enough) break;
    for (int k = 0; k < 3; k++) {  // column k: derivative by x[k]
      double axis[3] = {k == 0, k == 1, k == 2}, a[3], b[3];
      ssi_cross3(mean, axis, a);
      ssi_cross3(axis, sum, b);
      for (int i = 0; i < 3; i++) J[k][i] = I[k] * axis[i] + h / 2 * (I[k] * a[i] + theta * b[i]);
    }
    if (!solve3(J, F, dx)) break;
    ssi_sub3(x, dx, x);
  }
}

static void moment_in_body(const ssi_step *step, int i, double moment[3]) {
  ssi_unrotate3(step->rotation + 9 * (size_t)i, step->load + 6 * (size_t)i + 3, moment);
}

void ssi_accelerate(const ssi_world *w, const ssi_state *s, ssi_step *step, int i) {
  double h = step->h;
  const ssi_simbody *b = w->body + i;
  const double *v = s->v + (size_t)i * w->per_body, *load = step->load + 6 * (size_t)i;
  double *free_v = step->v_free + (size_t)i * w->per_body, moment[3];
  for (int k = 0; k < w->dim; k++)
    free_v[k] = v[k] + h * (w->scene->gravity[k] + load[k] / b->mass);
  if (w->dim == 2) {
    free_v[2] = v[2] + h * load[5] / b->inertia[2];
    return;
  }
  moment_in_body(step, i, moment);
  for (int k = 0; k < 3; k++) free_v[3 + k] = v[3 + k] + h * moment[k] / b->inertia[k];
}

static void turn_body(const ssi_world *w, const ssi_state *s, ssi_step *step, int i) {
  const ssi_simbody *b = w->body + i;
  const double *spin = s->v + (size_t)i * w->per_body + 3;
  double *free_spin = step->v_free + (size_t)i * w->per_body + 3, moment[3], P[3], h = step->h;
  moment_in_body(step, i, moment);
  for (int k = 0; k < 3; k++) P[k] = b->inertia[k] * spin[k] + h * moment[k];
  turn_freely(b->inertia, spin, P, h, w->scene->stepping.theta, free_spin);
  for (int k = 0; k < 3; k++)
    step->gyro[3 * (size_t)i + (size_t)k] = b->inertia[k] * free_spin[k] - P[k];
}

// -(h/2) w_m x (I w_1 + I w_0 + h moment), (1) with the velocity w_m that moves the body: normal to it.
void ssi_gyroscopic(const ssi_world *w, ssi_step *step, int i, const double spins[3]) {
  const ssi_simbody *b = w->body + i;
  size_t at = (size_t)i * w->per_body + 3;
  double moment[3], sum[3], *gyro = step->gyro + 3 * (size_t)i;
  moment_in_body(step, i, moment);
  for (int k = 0; k < 3; k++) sum[k] = step->h * moment[k] + b->inertia[k] * spins[k];
  ssi_cross3(step->v_move + at, sum, gyro);
  ssi_scale3(-step->h / 2, gyro, gyro);
  for (size_t k = 0; k < 3; k++) step->v_free[at + k] += gyro[k] / b->inertia[k];
}

ss_error ssi_predict(const ssi_world *w, const ssi_state *s, ssi_step *step) {
  double theta = w->scene->stepping.theta;
  if (w->nb) memcpy(step->load, s->steer, sizeof(double) * 6 * (size_t)w->nb);
  ssi_loads_add(w, step->rotation, s->now.time + step->h, theta, step->load);
  ssi_loads_add(w, step->rotation, s->now.time, 1 - theta, step->load);
  for (int i = 0; i < w->nb; i++) {
    ssi_accelerate(w, s, step, i);
    if (!w->body[i].isotropic) turn_body(w, s, step, i);
  }
  for (int k = 0; k < w->ndof; k++) step->f[k] = 0.0 - w->mass[k] * step->v_free[k];
  return w->element_count ? ssi_flex_predict(w, s, step) : SS_OK;
}
