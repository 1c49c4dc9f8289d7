#include "events/instant.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "cone/friction.h"
#include "la/lapack.h"
#include "la/small.h"

// ---- which contacts persist ---------------------------------------------------------------------

static ss_error sort_contact(ss_context *ctx, const ss_instant *at, const ss_status_options *o,
                             int i, ss_status_contact *out) {
  int dim = at->system->dim;
  const double zero[3] = {0}, *rate = at->rate ? at->rate + dim * i : zero;
  double gap = at->gap ? at->gap[i] : 0;
  out->delta = NAN;
  out->now = SS_CONTACT_OPEN;
  if (!isfinite(gap) || !isfinite(rate[0]) || !isfinite(ssi_tangent_norm(dim, rate)))
    return ssi_fail(ctx, SS_ERR_DATA, "contact %d: its gap or its rate is not finite", i);
  if (gap < -o->gap_tol)
    return ssi_fail(ctx, SS_ERR_DATA, "contact %d penetrates: gap %g, expected >= 0 (within %g)", i,
                    gap, o->gap_tol);
  if (gap > o->gap_tol) return SS_OK;
  if (rate[0] < -o->rate_tol)
    return ssi_fail(ctx, SS_ERR_DATA,
                    "contact %d closes with normal velocity %g: an impact, where velocities jump; "
                    "accelerations do not decide it",
                    i, rate[0]);
  bool slides = ssi_tangent_norm(dim, rate) > o->rate_tol;
  out->now = rate[0] > o->rate_tol ? SS_CONTACT_OPENING
             : slides              ? SS_CONTACT_SLIDING
                                   : SS_CONTACT_STILL;
  return SS_OK;
}

static bool persists(const ss_status_contact *c) {
  return c->now == SS_CONTACT_STILL || c->now == SS_CONTACT_SLIDING;
}

// ---- the reduced form ---------------------------------------------------------------------------

static void spread(const ss_sparse *A, double *dense) {
  for (int i = 0; i < A->rows; i++)
    for (int64_t k = A->ptr[i]; k < A->ptr[i + 1]; k++)
      dense[(size_t)i * (size_t)A->cols + (size_t)A->col[k]] = A->x[k];
}

// W -= V X, q -= V y with R (X, y) = (V^T, s), by least squares: joints may be redundant.
static ss_error eliminate_joints(ss_context *ctx, ssi_arena *arena, const ss_problem *p, double *W,
                                 double *q) {
  size_t m = (size_t)p->W.rows, nl = (size_t)p->nl;
  double *V = SSI_TAKE(arena, m * nl, double), *R = SSI_TAKE(arena, nl * nl, double);
  double *X = SSI_TAKE(arena, nl * (m + 1), double), *size = SSI_TAKE(arena, nl, double);
  if (arena->failed) return SS_ERR_MEMORY;
  spread(&p->V, V);
  spread(&p->R, R);
  for (size_t j = 0; j < nl; j++) {
    for (size_t i = 0; i < m; i++) X[j * (m + 1) + i] = V[i * nl + j];
    X[j * (m + 1) + m] = p->s[j];
  }
  lapack_int rank;
  ss_error e =
      ssi_least_squares(LAPACK_ROW_MAJOR, (int)nl, (int)(m + 1), R, X, size, 1e-12, &rank);
  if (e)
    return ssi_fail(ctx, e == SS_ERR_MEMORY ? e : SS_ERR_LINEAR,
                    e == SS_ERR_MEMORY ? "no memory to eliminate the joints"
                                       : "the joints cannot be eliminated");
  for (size_t i = 0; i < m; i++)
    for (size_t k = 0; k < nl; k++) {
      const double *row = X + k * (m + 1);
      for (size_t j = 0; j < m; j++) W[i * m + j] -= V[i * nl + k] * row[j];
      q[i] -= V[i * nl + k] * row[m];
    }
  return SS_OK;
}

static void pick(const ss_problem *reduced, const double *W, const double *q, ssi_instant *x) {
  size_t all = (size_t)reduced->W.rows, d = (size_t)x->dim;
  for (size_t i = 0; i < (size_t)x->m; i++) {
    size_t from = (size_t)x->contact[i / d] * d + i % d;
    x->q[i] = q[from];
    x->unit = fmax(x->unit, fabs(q[from]));
    for (size_t j = 0; j < (size_t)x->m; j++)
      x->W[i * (size_t)x->m + j] = W[from * all + (size_t)x->contact[j / d] * d + j % d];
  }
}

static ss_error reduce(ss_context *ctx, ssi_arena *arena, const ss_problem *system,
                       ssi_instant *x) {
  ss_problem *reduced;
  SS_TRY(ss_problem_reduce(ctx, system, &reduced));
  size_t m = (size_t)reduced->W.rows;
  double *W = SSI_TAKE(arena, m * m, double), *q = SSI_TAKE(arena, m, double);
  ss_error e = arena->failed ? SS_ERR_MEMORY : SS_OK;
  if (!e) {
    spread(&reduced->W, W);
    if (m) memcpy(q, reduced->q, m * sizeof *q);
    if (reduced->nl) e = eliminate_joints(ctx, arena, reduced, W, q);
  }
  if (!e) pick(reduced, W, q, x);
  ss_problem_destroy(reduced);
  return e;
}

// delta = W_NN - mu W_NT t
static double delta_of(const ssi_instant *x, int i) {
  const double *row = x->W + (size_t)(x->dim * i) * (size_t)x->m + x->dim * i;
  double sum = row[0];
  for (int k = 1; k < x->dim; k++) sum -= x->mu[i] * row[k] * x->t[(x->dim - 1) * i + k - 1];
  return sum;
}

static void set_direction(const ss_instant *at, ssi_instant *x, int i) {
  int d = x->dim, contact = x->contact[i];
  double *t = x->t + (d - 1) * i, size = ssi_tangent_norm(d, at->rate + d * contact);
  for (int k = 1; k < d; k++) t[k - 1] = at->rate[d * contact + k] / size;
}

ss_error ssi_instant_make(ss_context *ctx, ssi_arena *arena, const ss_instant *at,
                          const ss_status_options *o, ss_status_contact *now, ssi_instant *out) {
  const ss_problem *p = at->system;
  *out = (ssi_instant){.dim = p->dim};
  for (int i = 0; i < p->nc; i++) {
    SS_TRY(sort_contact(ctx, at, o, i, &now[i]));
    out->count += persists(&now[i]);
  }
  int n = out->count, m = out->m = p->dim * n;
  out->contact = SSI_TAKE(arena, n, int), out->mu = SSI_TAKE(arena, n, double);
  out->slides = SSI_TAKE(arena, n, bool), out->t = SSI_TAKE(arena, n * (p->dim - 1), double);
  out->W = SSI_TAKE(arena, (size_t)m * (size_t)m, double), out->q = SSI_TAKE(arena, m, double);
  out->delta = SSI_TAKE(arena, n, double);
  if (arena->failed) return ssi_fail(ctx, SS_ERR_MEMORY, "no memory for %d contacts", n);
  for (int i = 0, k = 0; i < p->nc; i++) {
    if (!persists(&now[i])) continue;
    out->contact[k] = i, out->mu[k] = p->mu[i];
    out->slides[k] = now[i].now == SS_CONTACT_SLIDING;
    if (out->slides[k]) set_direction(at, out, k);
    k++;
  }
  SS_TRY(reduce(ctx, arena, p, out));
  for (int k = 0; k < n; k++) {
    out->delta[k] = out->slides[k] ? delta_of(out, k) : NAN;
    now[out->contact[k]].delta = out->delta[k];
  }
  return SS_OK;
}

// ---- use ------------------------------------------------------------------------------------------

void ssi_instant_drag(const ssi_instant *x, int i, double *r) {
  if (!x->slides[i]) return;
  int d = x->dim;
  for (int k = 1; k < d; k++) r[d * i + k] = -x->mu[i] * r[d * i] * x->t[(d - 1) * i + k - 1];
}

void ssi_instant_slip(const ssi_instant *x, int i, const double *r, double *slip) {
  for (int k = 0; k < x->dim; k++) {
    const double *row = x->W + (size_t)(x->dim * i + k) * (size_t)x->m;
    slip[k] = x->q[x->dim * i + k];
    for (int j = 0; j < x->m; j++) slip[k] += row[j] * r[j];
  }
}

static void block_of(const ssi_instant *x, int i, double *block) {
  int d = x->dim;
  for (int k = 0; k < d * d; k++)
    block[k] = x->W[(size_t)(d * i + k / d) * (size_t)x->m + (size_t)(d * i + k % d)];
}

void ssi_instant_steps(const ssi_instant *x, int i, double *rho_N, double *rho_T) {
  double W[9], lambda[2] = {0};
  block_of(x, i, W);
  if (x->dim == 3)
    ssi_eig2((double[]){W[4], W[5], W[7], W[8]}, lambda);
  else
    lambda[1] = W[3];
  *rho_N = W[0] > 0 ? 1 / W[0] : 1;
  *rho_T = lambda[1] > 0 ? 1 / lambda[1] : *rho_N;
}

// As everywhere (docs/theory.md (6')), by the natural map, a Lipschitz function of (g'', r). The distance from the law
// is none: where slip is about to begin its direction is that of rounding, and the root of rounding the best that the
// distance can be.
static double natural_error(int d, double mu, double lambda, const double *r, const double *slip) {
  double z[3], F2 = 0, rho = lambda > 0 ? 1 / lambda : 1;
  ssi_natural_step(d, mu, rho, r, slip, z);
  for (int k = 0; k < d; k++) F2 += (r[k] - z[k]) * (r[k] - z[k]) / (rho * rho);
  return sqrt(ssi_law_square(d, mu, 1 / rho, F2, r, slip));
}

double ssi_instant_error(const ssi_instant *x, int i, const double *slip, const double *r) {
  int d = x->dim;
  double block[9], lambda[3];
  block_of(x, i, block);
  d == 2 ? ssi_eig2(block, lambda) : ssi_eig3(block, lambda);
  double most = lambda[d - 1];
  if (!x->slides[i]) return natural_error(d, x->mu[i], most, r, slip);
  double along[3] = {r[0]}, aside = 0;
  for (int k = 1; k < d; k++) {
    along[k] = -x->mu[i] * r[0] * x->t[(d - 1) * i + k - 1];
    aside += (r[k] - along[k]) * (r[k] - along[k]);
  }
  double normal = fmax(fmax(-slip[0], -most * r[0]), fmin(fabs(slip[0]), most * fabs(r[0])));
  return fmax(normal, most * sqrt(aside));
}
