#include "stickslip/describe.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "la/lapack.h"
#include "la/small.h"
#include "la/sparse.h"
#include "problem/blocks.h"
#include "problem/check.h"
#include "problem/graph.h"
#include "problem/motion.h"

static const int DENSE_LIMIT = 1500;
static const double RANK_TOLERANCE = 1e-10;
static const double SINGULAR = 8 * DBL_EPSILON;  // a smallest eigenvalue below this part is zero

// ---- single contacts -----------------------------------------------------------------------

typedef struct range {
  double low, high;
} range;

static void widen(range *r, double x) {
  if (!(r->low <= x)) r->low = x;  // also from NAN, the range of nothing
  if (!(r->high >= x)) r->high = x;
}

// Can one contact alone have several answers? Only if friction can pull the normal down:
// W_NN - mu |W_NT| < 0.
static bool painleve(int d, const double *W, double mu) {
  double coupling = d == 2 ? fabs(W[1]) : ssi_length2(W[1], W[2]);
  return mu * coupling > W[0];
}

static ss_error describe_blocks(ss_context *ctx, const ss_problem *p, ssi_factor *mass,
                                ss_description *out) {
  size_t size = (size_t)(p->dim * p->dim);
  double *blocks = ssi_alloc(ctx, (size_t)p->nc, size * sizeof *blocks);
  if (!blocks) return ssi_fail(ctx, SS_ERR_MEMORY, "out of memory for %d blocks of W", p->nc);
  ss_error e = ssi_contact_blocks(ctx, p, mass, blocks);
  range condition = {NAN, NAN}, scale = {NAN, NAN}, mu = {NAN, NAN};
  for (int i = 0; i < p->nc && !e; i++) {
    const double *W = blocks + (size_t)i * size;
    double lambda[3];
    ssi_eig(p->dim, W, lambda);
    double low = lambda[0], high = lambda[p->dim - 1];
    widen(&mu, p->mu[i]);
    out->zero_blocks += high <= 0;
    out->painleve_contacts += painleve(p->dim, W, p->mu[i]);
    if (high <= 0) continue;
    widen(&scale, high);
    widen(&condition, low > SINGULAR * high ? high / low : INFINITY);
  }
  ssi_release(ctx, blocks);
  out->mu_min = mu.low;
  out->mu_max = mu.high;
  out->block_condition_min = condition.low;
  out->block_condition_max = condition.high;
  out->block_scale_ratio = scale.high / scale.low;
  return e;
}

// ---- the whole of W ------------------------------------------------------------------------

static void dense_from_rows(const ss_sparse *W, double *A) {
  for (int i = 0; i < W->rows; i++)
    for (int64_t k = W->ptr[i]; k < W->ptr[i + 1]; k++)
      A[(size_t)i * (size_t)W->cols + (size_t)W->col[k]] = W->x[k];
}

// Row i of A is H M^-1 H_i^T: of W^T, and only the symmetric part is used.
static ss_error dense_from_solves(const ss_problem *p, ssi_factor *mass, double *y, double *A) {
  const ss_sparse *H = &p->H;
  for (int i = 0; i < H->rows; i++) {
    memset(y, 0, (size_t)p->ndof * sizeof *y);
    for (int64_t k = H->ptr[i]; k < H->ptr[i + 1]; k++) y[H->col[k]] = H->x[k];
    SS_TRY(ssi_factor_solve(mass, y, y));
    ssi_sparse_multiply_add(H, y, A + (size_t)i * (size_t)H->rows);
  }
  return SS_OK;
}

static void symmetrise(size_t m, double *A) {
  for (size_t i = 0; i < m; i++)
    for (size_t j = 0; j < i; j++)
      A[i * m + j] = A[j * m + i] = 0.5 * (A[i * m + j] + A[j * m + i]);
}

static ss_error eigenvalues(ssi_arena *arena, const ss_problem *p, ssi_factor *mass, int m,
                            double **lambda) {
  double *A = SSI_TAKE(arena, (size_t)m * (size_t)m, double);
  double *y = mass ? SSI_TAKE(arena, p->ndof, double) : NULL;
  *lambda = SSI_TAKE(arena, m, double);
  if (arena->failed) return SS_ERR_MEMORY;
  if (p->form == SS_REDUCED)
    dense_from_rows(&p->W, A);
  else if (mass)
    SS_TRY(dense_from_solves(p, mass, y, A));
  symmetrise((size_t)m, A);
  return ssi_lapack_error(LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'N', 'U', m, A, m, *lambda));
}

static ss_error describe_spectrum(ss_context *ctx, const ss_problem *p, ssi_factor *mass, int limit,
                                  ss_description *out) {
  int m = p->dim * p->nc;
  out->rank = m ? -1 : 0;
  out->eigenvalue_min = out->eigenvalue_max = NAN;
  if (m == 0 || m > (limit > 0 ? limit : DENSE_LIMIT)) return SS_OK;
  ssi_arena arena = {.ctx = ctx};
  double *lambda;
  ss_error e = eigenvalues(&arena, p, mass, m, &lambda);
  if (!e) {
    double largest = fmax(fabs(lambda[0]), fabs(lambda[m - 1]));
    out->rank = 0;
    for (int i = 0; i < m; i++) out->rank += fabs(lambda[i]) > RANK_TOLERANCE * largest;
    out->eigenvalue_min = lambda[0];
    out->eigenvalue_max = lambda[m - 1];
  }
  ssi_arena_release(&arena);
  return e ? ssi_fail(ctx, e, "eigenvalues of W (%d x %d): %s", m, m, ss_error_text(e)) : SS_OK;
}

// ---- bodies --------------------------------------------------------------------------------

static bool blocks_fit(const ssi_factor *mass, int size) {
  const int *start = ssi_factor_block_start(mass);
  for (int b = 0; b < ssi_factor_block_count(mass); b++)
    if (start[b] / size != (start[b + 1] - 1) / size) return false;
  return true;
}

// Contact i acts on at most two groups of `size` dofs, and on both parts of each, which meet at
// `middle`.
static bool contact_fits(const ss_problem *p, int i, int size, int middle) {
  int group[2] = {-1, -1}, parts[2] = {0, 0};
  for (int64_t k = p->H.ptr[p->dim * i]; k < p->H.ptr[p->dim * (i + 1)]; k++) {
    if (p->H.x[k] == 0) continue;
    int g = p->H.col[k] / size, at = group[0] == g || group[0] < 0 ? 0 : 1;
    if (group[at] >= 0 && group[at] != g) return false;
    group[at] = g;
    parts[at] |= p->H.col[k] % size < middle ? 1 : 2;
  }
  return middle == size || ((group[0] < 0 || parts[0] == 3) && (group[1] < 0 || parts[1] == 3));
}

static bool made_of(const ss_problem *p, const ssi_factor *mass, int size, int middle) {
  if (p->ndof % size || !blocks_fit(mass, size)) return false;
  for (int i = 0; i < p->nc; i++)
    if (!contact_fits(p, i, size, middle)) return false;
  return true;
}

static int count_bodies(const ss_problem *p, const ssi_factor *mass) {
  int d = p->dim, rigid = d == 2 ? 3 : 6;
  if (!ssi_factor_block_count(mass)) return 0;
  if (made_of(p, mass, rigid, d)) return p->ndof / rigid;
  if (made_of(p, mass, d, d)) return p->ndof / d;
  return ssi_factor_block_count(mass);
}

// ---- the rest ------------------------------------------------------------------------------

static ss_error describe_graph(ss_context *ctx, const ss_problem *p, ss_description *out) {
  ssi_graph_summary graph;
  SS_TRY(ssi_contact_graph(ctx, p, &graph));
  out->free_components = graph.components;
  out->largest_component = graph.largest_component;
  out->neighbours_mean = p->nc ? (double)graph.neighbours / p->nc : 0;
  out->neighbours_max = graph.neighbours_max;
  return SS_OK;
}

static ss_error describe_q(ss_context *ctx, const ss_problem *p, ssi_factor *mass,
                           ss_description *out) {
  ssi_arena arena = {.ctx = ctx};
  ssi_motion motion;
  ss_error e = ssi_motion_create(&arena, p, mass, &motion);
  if (!e) e = ssi_motion_compute(&motion, NULL, NULL);
  if (!e)
    for (size_t i = 0; i < (size_t)p->dim * (size_t)p->nc; i++)
      out->norm_q = ssi_length2(out->norm_q, motion.u[i].hi);
  ssi_arena_release(&arena);
  return e;
}

static ss_error describe_with(ss_context *ctx, const ss_problem *p, ssi_factor *mass, int limit,
                              ss_description *out) {
  if (mass) out->bodies = count_bodies(p, mass);
  SS_TRY(describe_graph(ctx, p, out));
  SS_TRY(describe_blocks(ctx, p, mass, out));
  SS_TRY(describe_q(ctx, p, mass, out));
  return describe_spectrum(ctx, p, mass, limit, out);
}

// M is singular: nothing is known of W.
static ss_error describe_loose(ss_context *ctx, const ss_problem *p, ss_description *out) {
  SS_TRY(ss_problem_loose(ctx, p, &out->loose));
  range mu = {NAN, NAN};
  for (int i = 0; i < p->nc; i++) widen(&mu, p->mu[i]);
  out->mu_min = mu.low, out->mu_max = mu.high;
  out->rank = -1;
  out->eigenvalue_min = out->eigenvalue_max = out->norm_q = NAN;
  out->block_condition_min = out->block_condition_max = out->block_scale_ratio = NAN;
  return describe_graph(ctx, p, out);
}

ss_error ss_describe(ss_context *ctx, const ss_problem *p, int dense_limit, ss_description *out) {
  if (!p || !out)
    return ssi_fail(ctx, SS_ERR_ARGUMENT, "a problem and a place for its description are needed");
  *out = (ss_description){.density = NAN, .loose = -1};
  SS_TRY(ssi_problem_check_structure(ctx, p));
  if (p->form == SS_REDUCED) {
    out->entries_W = ssi_sparse_entries(&p->W);
    out->asymmetry_W = ss_sparse_asymmetry(&p->W);
    return describe_with(ctx, p, NULL, dense_limit, out);
  }
  out->entries_M = ssi_sparse_entries(&p->M);
  out->entries_H = ssi_sparse_entries(&p->H);
  out->asymmetry_M = ss_sparse_asymmetry(&p->M);
  if (p->ndof) out->density = (double)p->dim * p->nc / p->ndof;
  ssi_factor *mass = NULL;
  ss_error e = p->ndof ? ssi_factor_create(ctx, &p->M, &mass) : SS_OK;
  if (e == SS_ERR_DATA) return describe_loose(ctx, p, out);
  if (!e) e = describe_with(ctx, p, mass, dense_limit, out);
  ssi_factor_destroy(mass);
  return e;
}
