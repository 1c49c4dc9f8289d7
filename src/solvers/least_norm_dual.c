// (1) of least_norm.h by its dual. b = W aim; with z = W y the Lagrangian's minimum over C is at x = P_C(z), and
//
//     max_y  z.aim - 1/2 |P_C(z)|^2,    z = W y                                                (1)
//
// has the gradient W (aim - P_C(z)): concave, differentiable, no constraint. Where it is stationary x = P_C(z)
// has the image of aim, and is the smallest such point of C: any other one x' has (z - x).(x' - x) <= 0 and
// z.(x' - x) = y.W(x' - x) = 0, so x.(x' - x) >= 0 and |x'| >= |x|.
//
// (1) may be flat, and without an interior point of C among those with the image its supremum need not be attained.
// So the proximal point method, which is the method of multipliers for (1) of least_norm.h: from z_k
//
//     y = argmin phi(y) = 1/2 |P_C(z)|^2 - z.aim + delta/2 y.W y,    z = z_k + W y            (2)
//     grad phi = W F,   F = delta y + P_C(z) - aim,    z_(k+1) = z_k + W y                     (3)
//
// by a semismooth Newton method, J the derivative of P_C (cone/jacobian.h):
//
//     (delta I + J W) dy = -F                                                                 (4)
//
// dy descends: grad phi.dy = -(delta dy.W dy + (W dy).J (W dy)) <= 0. The end of each is x = P_C(z), whose
// image is off by delta W y = W (z_(k+1) - z_k in the metric of W^-1), which vanishes with k at the rate
// delta/(delta + smallest eigenvalue of J W on the image).
#include <float.h>
#include <math.h>
#include <string.h>

#include "cone/jacobian.h"
#include "la/sparse.h"
#include "la/vector.h"
#include "solvers/least_norm.h"

// delta begins at FIRST of W's size and ends at LAST: rounding of W y, |y| ~ |x|/delta, limits z.
static const double FIRST = 1e-3, LAST = 1e-9, SHRINK = 0.1;
enum { ROUNDS = 60, NEWTONS = 60, HALVINGS = 30 };

typedef struct dual {
  ssi_least *p;
  ssi_lu lu;
  double delta;
  double *aim, *z0, *y, *z, *x, *F, *g, *dy, *Wdy, *Wy, *trial;  // (n)
} dual;

static double norm(int n, const double *a) {
  return sqrt(ssi_dot(n, a, a));
}

static void multiply(const ss_sparse *W, const double *x, double *y) {
  memset(y, 0, sizeof(double) * (size_t)W->rows);
  ssi_sparse_multiply_add(W, x, y);
}

static void project(const ssi_least *p, const double *z, double *x) {
  if (p->n) memcpy(x, z, sizeof(double) * (size_t)p->n);
  for (int i = 0; i < p->count; i++) {
    const ssi_least_cone *c = &p->cones[i];
    if (c->rows == 1)
      x[c->first] = fmax(x[c->first], 0);
    else
      ssi_project(c->rows, c->mu, x + c->first);
  }
}

// An element of the derivative of P_C_i at z, row-major.
static void slope(const ssi_least_cone *c, const double *z, double J[9]) {
  int dim = c->rows;
  if (dim == 1) {
    J[0] = z[0] > 0;
    return;
  }
  double t = ssi_tangent_norm(dim, z);
  if (t <= c->mu * z[0])
    ssi_identity(dim, 1, J);
  else if (c->mu * t <= -z[0])
    ssi_identity(dim, 0, J);
  else
    ssi_projection_slope(dim, c->mu, z, t, J);
}

// The rows of cone c of (4), in the pattern of W.
static void fill_rows(dual *d, const ssi_least_cone *c) {
  const ss_sparse *W = &d->p->W;
  double J[9];
  slope(c, d->z + c->first, J);
  for (int k = 0; k < c->rows; k++) {
    int row = c->first + k;
    int64_t from = W->ptr[row], entries = W->ptr[row + 1] - from;
    for (int64_t e = 0; e < entries; e++) {  // the rows of a cone have one pattern
      double sum = W->col[from + e] == row ? d->delta : 0;
      for (int l = 0; l < c->rows; l++) sum += J[c->rows * k + l] * W->x[W->ptr[c->first + l] + e];
      d->lu.x[from + e] = sum;
    }
  }
}

static bool is_stopped(const ssi_least *p) {
  return p->stop && p->stop(p->user);
}

static bool direction(dual *d) {
  if (is_stopped(d->p)) return false;
  for (int i = 0; i < d->p->count; i++) fill_rows(d, &d->p->cones[i]);
  if (ssi_lu_factor(&d->lu, d->p->newtons++ > 0)) return false;
  if (ssi_lu_solve(&d->lu, d->F, d->dy)) return false;
  for (int i = 0; i < d->p->n; i++) d->dy[i] = -d->dy[i];
  multiply(&d->p->W, d->dy, d->Wdy);
  return true;
}

// x, F, W F = g at z = z0 + W y; phi
static double look(dual *d) {
  const ssi_least *p = d->p;
  for (int i = 0; i < p->n; i++) d->z[i] = d->z0[i] + d->Wy[i];
  project(p, d->z, d->x);
  for (int i = 0; i < p->n; i++) d->F[i] = d->delta * d->y[i] + d->x[i] - d->aim[i];
  return 0.5 * ssi_dot(p->n, d->x, d->x) - ssi_dot(p->n, d->z, d->aim) +
         0.5 * d->delta * ssi_dot(p->n, d->y, d->Wy);
}

static void image_of(dual *d) {  // g = W F, and the change of the image
  ssi_least *p = d->p;
  multiply(&p->W, d->F, d->g);
  for (int i = 0; i < p->n; i++) d->trial[i] = d->g[i] - d->delta * d->Wy[i];
  p->change = norm(p->n, d->trial);
}

static void move(dual *d, double a) {
  for (int i = 0; i < d->p->n; i++) {
    d->y[i] += a * d->dy[i];
    d->Wy[i] += a * d->Wdy[i];
  }
}

// Armijo's rule on phi, as far as its digits go; the step that is left is taken whatever it does.
static double search(dual *d, double phi) {
  double fall = ssi_dot(d->p->n, d->F, d->Wdy), a = 1, before = 0, next = INFINITY;
  double digits = 64 * DBL_EPSILON * (fabs(phi) + ssi_dot(d->p->n, d->x, d->x));
  for (int k = 0; k < HALVINGS; k++, a *= 0.5) {
    move(d, a - before);
    before = a;
    next = look(d);
    if (next <= phi + 1e-4 * a * fall + digits) break;
  }
  return next;
}

// (2) until the gradient is a tenth of what the proximal term moves, or of the target.
static bool minimise(dual *d) {
  int n = d->p->n;
  memset(d->y, 0, sizeof(double) * (size_t)n);
  memset(d->Wy, 0, sizeof(double) * (size_t)n);
  double phi = look(d), last = INFINITY;
  for (int k = 0; k < NEWTONS; k++) {
    image_of(d);
    double left = norm(n, d->g), moved = d->delta * norm(n, d->Wy);
    if (left <= 0.1 * fmax(moved, d->p->target)) return true;
    if (k > 2 && left > 0.5 * last && last <= moved) return true;  // its digits are used up
    last = left;
    if (!direction(d)) return false;
    phi = search(d, phi);
  }
  return true;
}

static bool create(dual *d, ssi_arena *arena) {
  const ssi_least *p = d->p;
  double **all[] = {&d->aim, &d->z0, &d->y,   &d->z,  &d->F,
                    &d->g,   &d->dy, &d->Wdy, &d->Wy, &d->trial};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) *all[k] = SSI_TAKE(arena, p->n, double);
  if (!ssi_lu_create(arena, p->n, p->W.ptr[p->n], &d->lu) || arena->failed) return false;
  d->lu.n = p->n;
  memcpy(d->lu.ptr, p->W.ptr, sizeof *d->lu.ptr * ((size_t)p->n + 1));
  memcpy(d->lu.col, p->W.col, sizeof *d->lu.col * (size_t)p->W.ptr[p->n]);
  return ssi_lu_analyse(&d->lu, arena);
}

// x = (W + shift I)^-1 b
static bool solve_shifted(dual *d, double shift, bool factor, const double *b, double *x) {
  const ssi_least *p = d->p;
  for (int i = 0; factor && i < p->n; i++)
    for (int64_t e = p->W.ptr[i]; e < p->W.ptr[i + 1]; e++)
      d->lu.x[e] = p->W.x[e] + (p->W.col[e] == i ? shift : 0);
  if (factor && is_stopped(p)) return false;
  if (factor && ssi_lu_factor(&d->lu, d->p->newtons++ > 0)) return false;
  return !ssi_lu_solve(&d->lu, b, x);
}

// W aim = b: x0 and what W + LAST I, refined, finds for the rest, which is small.
static bool take_aim(dual *d) {
  const ssi_least *p = d->p;
  memcpy(d->aim, p->x0, sizeof(double) * (size_t)p->n);
  for (int k = 0; p->b && k < 3; k++) {
    multiply(&p->W, d->aim, d->g);
    for (int i = 0; i < p->n; i++) d->g[i] = p->b[i] - d->g[i];
    if (!solve_shifted(d, LAST * p->size, k == 0, d->g, d->dy)) return false;
    for (int i = 0; i < p->n; i++) d->aim[i] += d->dy[i];
  }
  return true;
}

// z0 = W (W + delta I)^-1 aim: where all of C is open, the answer but for delta.
static bool begin(dual *d) {
  if (!solve_shifted(d, d->delta, true, d->aim, d->dy)) return false;
  multiply(&d->p->W, d->dy, d->z0);
  return true;
}

bool ssi_least_solve(ssi_least *p, ssi_arena *arena, double *x) {
  dual d = {.p = p, .x = x, .delta = FIRST * p->size};
  p->newtons = 0;
  p->change = 0;
  if (!p->n) return true;
  bool fine = create(&d, arena) && take_aim(&d) && begin(&d);
  double last = INFINITY;
  for (int k = 0; fine && k < ROUNDS; k++, last = p->change) {
    fine = minimise(&d);
    if (p->change <= p->target) break;
    for (int i = 0; i < p->n; i++) d.z0[i] = d.z[i];
    if (p->change > last)
      d.delta = fmin(d.delta / SHRINK, FIRST * p->size);
    else if (p->change > SHRINK * last)
      d.delta = fmax(SHRINK * d.delta, LAST * p->size);
  }
  ssi_lu_release(&d.lu);
  return fine && p->change <= p->target;
}
