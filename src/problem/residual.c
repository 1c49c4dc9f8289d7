// The residual in plain arithmetic, as it is measured inside the loop. The contacts are cut into parts of
// fixed size that the threads share; sums are taken over each part and then over the parts in order, so the
// bits do not depend on the number of threads.
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/clones.h"
#include "base/parallel.h"
#include "cone/friction.h"
#include "problem/system.h"

enum { PART = 2048 };  // contacts

int ssi_system_parts(const ssi_system *s) {
  return s->nc / PART + (s->nc % PART != 0);
}

static int end_of(const ssi_system *s, int part) {
  return s->nc - PART * part < PART ? s->nc : PART * (part + 1);
}

static double sum_of(int count, const double *parts) {
  double sum = 0;
  for (int k = 0; k < count; k++) sum += parts[k];
  return sum;
}

// ---- norms ---------------------------------------------------------------------------------

static double largest_of(const ssi_system *s, int part, const double *x) {
  int64_t from = (int64_t)s->dim * PART * part, to = (int64_t)s->dim * end_of(s, part);
  double largest = 0;
  for (int64_t k = from; k < to; k++) largest = fabs(x[k]) > largest ? fabs(x[k]) : largest;
  return largest;
}

static double squares_of(const ssi_system *s, int part, const double *x, double scale) {
  int64_t from = (int64_t)s->dim * PART * part, to = (int64_t)s->dim * end_of(s, part);
  double sum = 0;
  for (int64_t k = from; k < to; k++) sum += (x[k] * scale) * (x[k] * scale);
  return sum;
}

// 1/largest is not a number to scale with. largest is normal wherever this matters; else the norm is
// 0, inf or NaN.
static double norm_of_extreme(const ssi_system *s, double largest) {
  return largest > 0 ? largest * sqrt((double)s->m) : 0;
}

static double norm_of_parts(const ssi_system *s, int count, const double *x) {
  double *parts = s->parts, largest = 0;
  SSI_EACH(s->threads, k, count, parts[k] = largest_of(s, k, x));
  for (int k = 0; k < count; k++) largest = fmax(largest, parts[k]);
  double scale = 1 / largest;
  if (!(largest > 0) || !(scale <= DBL_MAX)) return norm_of_extreme(s, largest);
  SSI_EACH(s->threads, k, count, parts[k] = squares_of(s, k, x, scale));
  return largest * sqrt(sum_of(count, parts));
}

double ssi_system_norm(const ssi_system *s, const double *x) {
  int count = ssi_system_parts(s);
  if (count > 1) return norm_of_parts(s, count, x);
  double largest = largest_of(s, 0, x), scale = 1 / largest;
  if (!(largest > 0) || !(scale <= DBL_MAX)) return norm_of_extreme(s, largest);
  return largest * sqrt(squares_of(s, 0, x, scale));
}

// ---- velocities ----------------------------------------------------------------------------

void ssi_system_free_to(ssi_system *s, const double *r, double *v) {
  if (s->p.ndof) memcpy(v, s->v_free, sizeof(double) * (size_t)s->p.ndof);
  ssi_bodies_push(&s->bodies, r, v);
}

static void velocities_of_bodies(const ssi_system *s, int from, int to, double *u) {
  for (int i = from; i < to; i++) {
    double *ui = u + s->dim * (int64_t)i;
    memcpy(ui, s->p.w + s->dim * (int64_t)i, sizeof(double) * (size_t)s->dim);
    ssi_bodies_velocity(&s->bodies, i, s->v, ui);
  }
}

static void velocities_of(const ssi_system *s, int part, const double *r, double *u) {
  int from = PART * part, to = end_of(s, part);
  if (!s->W.ptr) {
    velocities_of_bodies(s, from, to, u);
    return;
  }
  memcpy(u + s->dim * (int64_t)from, s->q + s->dim * (int64_t)from,
         sizeof(double) * (size_t)s->dim * (size_t)(to - from));
  ssi_delassus_multiply_add_rows(&s->W, from, to, r, u);
}

void ssi_system_velocity(ssi_system *s, const double *r, double *u) {
  int count = ssi_system_parts(s);
  if (!s->W.ptr) ssi_system_free_to(s, r, s->v);
  SSI_EACH(s->threads, k, count, velocities_of(s, k, r, u));
}

// ---- the measure ---------------------------------------------------------------------------

// What of an error is more than the data's rounding.
static double beyond(double square, double doubt) {
  double rest = sqrt(square) - doubt;
  return rest > 0 || isnan(rest) ? rest * rest : 0;
}

// The sum of squares of what each contact leaves of the law (6') and, in *unscaled, of r_i - P_K(r_i - u~_i).
// Where there are several components, the first and the squares of u of each contact as well.
SSI_INLINE double natural_maps(const ssi_system *s, int dim, int from, int to, const double *r,
                               const double *u, double *unscaled) {
  double sum = 0, *law = s->squares, *speed = s->squares + s->nc;
  bool several = s->components.count > 1;
  *unscaled = 0;
  for (int i = from; i < to; i++) {
    const double *ri = r + dim * (int64_t)i, *ui = u + dim * (int64_t)i;
    double z[3] = {0}, mu = s->p.mu[i], lambda = s->lambda_max[i], F2 = 0;
    ssi_natural_step(dim, mu, 1 / lambda, ri, ui, z);
    for (int k = 0; k < dim; k++) F2 += (lambda * (ri[k] - z[k])) * (lambda * (ri[k] - z[k]));
    double left = ssi_law_square(dim, mu, lambda, F2, ri, ui);
    if (s->load.doubt[i] > 0) left = beyond(left, s->load.doubt[i]);
    sum += left;
    if (several) {
      law[i] = left;
      speed[i] = 0;
      for (int k = 0; k < dim; k++) speed[i] += ui[k] * ui[k];
    }
    ssi_natural_step(dim, mu, 1, ri, ui, z);
    for (int k = 0; k < dim; k++) *unscaled += (ri[k] - z[k]) * (ri[k] - z[k]);
  }
  return sum;
}

static void measure_part(const ssi_system *s, int part, const double *r, const double *u,
                         double *scaled, double *unscaled) {
  int from = PART * part, to = end_of(s, part);
  *scaled = s->dim == 2 ? natural_maps(s, 2, from, to, r, u, unscaled)
                        : natural_maps(s, 3, from, to, r, u, unscaled);
}

// (7) of the worst component, from the squares of its contacts.
static double worst_component(const ssi_system *s) {
  const ssi_components *c = &s->components;
  double worst = 0;
  for (int k = 0; k < c->count; k++) {
    double law = 0, speed = 0;
    for (int at = c->first[k]; at < c->first[k + 1]; at++) {
      law += s->squares[c->contact[at]];
      speed += s->squares[s->nc + c->contact[at]];
    }
    double error = law == 0 ? 0 : sqrt(law) / ssi_error_scale(s->load.scale[k], sqrt(speed));
    if (!(error <= worst)) worst = error;  // a NaN stays one
    if (isnan(worst)) return worst;
  }
  return worst;
}

void ssi_system_measure(const ssi_system *s, const double *r, const double *u, double *error,
                        double *error_fclib) {
  int count = ssi_system_parts(s);
  double *parts = s->parts;
  SSI_EACH(s->threads, k, count, measure_part(s, k, r, u, &parts[k], &parts[count + k]));
  double scaled = sum_of(count, parts), unscaled = sum_of(count, parts + count);
  double speed = ssi_system_norm(s, u), scale = fmax(s->norm_q, speed);
  double scale_fclib = fmax(scale, ssi_system_norm(s, r));
  if (s->components.count > 1)
    *error = worst_component(s);
  else
    *error = scaled == 0
                 ? 0
                 : sqrt(scaled) / ssi_error_scale(s->load.scale[0], speed);  // a NaN stays one
  *error_fclib = scale_fclib > DBL_EPSILON ? sqrt(unscaled) / scale_fclib : sqrt(unscaled);
}
