#include "certify/normal.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "la/cliques.h"
#include "la/direct.h"
#include "la/sparse.h"

enum {
  DENSE_ALWAYS = 60,   // columns up to which LAPACK is faster whatever the pattern
  DENSE_LIMIT = 4000,  // columns up to which a nearly full matrix is kept as such
  REFINEMENTS = 12,    // steps of conjugate residuals
};
static const double ENLARGED = 1e-11;  // of each diagonal entry, and
static const double FLOOR = 1e-13;  // so that rounding of g, of order 1, does not become a motion
static const double ACCURATE = 1e-13;

struct ssi_normal {
  ssi_arena arena;  // this struct and all below
  const ssi_conic *c;
  bool dense;
  double flops;
  double accuracy;
  double *F;  // roots of the blocks of S: S_i = F_i F_i, F_i symmetric   (dim^2 nc)

  int64_t *block_at;  // contact i touches columns cols[block_at[i] .. block_at[i + 1])   (nc + 1)
  int *cols;          // ascending within a contact
  double *block;      // its rows of A on them, column by column   (dim x columns)
  double *rooted;     // the same of F A
  int64_t *place_at;  // first place of contact i                  (nc + 1)
  int64_t *place;     // where its pairs (a <= b) of columns go in `x`, b by b

  ss_sparse N;  // lower triangle of A^T S A; dense: no pattern, all n x n numbers
  double *x;    // its numbers
  ssi_direct *cholesky;

  double *Ax, *left, *Az, *Ap;          // (m)
  double *r, *z, *p, *Nz, *Np, *x_now;  // (n)
};

// ---- pattern -------------------------------------------------------------------------------

// cols, block: the columns of each contact once, in order. mark (n) is scratch, -1 everywhere.
static void find_blocks(ssi_normal *k, int64_t *mark) {
  const ssi_conic *c = k->c;
  int64_t used = 0;
  for (int i = 0; i < c->nc; i++) {
    int64_t begin = k->block_at[i] = used;
    const int64_t *row = c->A.ptr + (int64_t)c->dim * i;
    for (int64_t t = row[0]; t < row[c->dim]; t++)
      if (mark[c->A.col[t]] < begin) {  // not met in this contact
        mark[c->A.col[t]] = used;
        k->cols[used++] = c->A.col[t];
      }
    qsort(k->cols + begin, (size_t)(used - begin), sizeof *k->cols, ssi_ascending);
    for (int64_t t = begin; t < used; t++) mark[k->cols[t]] = t;
    for (int a = 0; a < c->dim; a++)
      for (int64_t t = row[a]; t < row[a + 1]; t++)
        k->block[c->dim * mark[c->A.col[t]] + a] = c->A.x[t];
  }
  k->block_at[c->nc] = used;
}

static int64_t pairs_of(const ssi_normal *k, int i) {
  int64_t count = k->block_at[i + 1] - k->block_at[i];
  return count * (count + 1) / 2;
}

static void find_places(ssi_normal *k) {
  int64_t *place = k->place;
  for (int i = 0; i < k->c->nc; i++)
    for (int64_t b = k->block_at[i]; b < k->block_at[i + 1]; b++)
      for (int64_t a = k->block_at[i]; a <= b; a++)
        *place++ = ssi_sparse_find(&k->N, k->cols[b], k->cols[a]);
}

// The lower triangle of A^T A; false: no memory.
static bool sparse_pattern(ssi_normal *k) {
  ss_sparse columns = {k->c->nc, k->c->n, k->block_at, k->cols, NULL};
  if (!ssi_cliques_pattern(&k->arena, &columns, true, &k->N)) return false;
  k->place_at = SSI_TAKE(&k->arena, (size_t)k->c->nc + 1, int64_t);
  if (k->arena.failed) return false;
  for (int i = 0; i < k->c->nc; i++) k->place_at[i + 1] = k->place_at[i] + pairs_of(k, i);
  k->place = SSI_TAKE(&k->arena, k->place_at[k->c->nc], int64_t);
  k->x = SSI_TAKE(&k->arena, ssi_sparse_entries(&k->N), double);
  if (k->arena.failed) return false;
  find_places(k);
  return true;
}

// ---- the matrix ----------------------------------------------------------------------------

static ss_error analyse(ssi_normal *k, const ssi_backend *with) {
  k->N.x = k->x;
  k->cholesky = ssi_direct_begin(&k->arena, with, (ssi_direct_wishes){.lower = true});
  if (!k->cholesky) return SS_ERR_MEMORY;
  SS_TRY(ssi_direct_analyse(k->cholesky, &k->N, &k->arena));
  k->flops = k->cholesky->flops;
  return ssi_direct_room(k->cholesky, &k->arena);
}

static ss_error sparse_setup(ssi_normal *k) {
  return sparse_pattern(k) ? analyse(k, &ssi_sparse_cholesky) : SS_ERR_MEMORY;
}

static ss_error dense_setup(ssi_normal *k) {
  size_t n = (size_t)k->c->n;
  k->N = (ss_sparse){.rows = k->c->n, .cols = k->c->n};
  k->x = SSI_TAKE(&k->arena, n * n, double);
  if (k->arena.failed) return SS_ERR_MEMORY;
  SS_TRY(analyse(k, &ssi_dense_cholesky));
  for (int i = 0; i < k->c->nc; i++) k->flops += 2 * (double)k->c->dim * (double)pairs_of(k, i);
  return SS_OK;
}

// x += the contact's columns a <= b of (F A)^T (F A). Written as a product of S with A the result would
// be indefinite by the rounding of S, which is large beside columns that S nearly annihilates.
static void add_contact(ssi_normal *k, int64_t i) {
  int dim = k->c->dim;
  const int64_t *place = k->place + k->place_at[i];
  for (int64_t b = k->block_at[i]; b < k->block_at[i + 1]; b++) {
    const double *right = k->rooted + dim * b;
    for (int64_t a = k->block_at[i]; a <= b; a++, place++)
      for (int r = 0; r < dim; r++) k->x[*place] += k->rooted[dim * a + r] * right[r];
  }
}

static void take_roots(ssi_normal *k) {  // rooted = F A
  int dim = k->c->dim;
  for (int64_t i = 0; i < k->c->nc; i++) {
    const double *F = k->F + dim * dim * i;
    for (int64_t b = k->block_at[i]; b < k->block_at[i + 1]; b++)
      for (int r = 0; r < dim; r++) {
        double sum = 0;
        for (int s = 0; s < dim; s++) sum += F[dim * r + s] * k->block[dim * b + s];
        k->rooted[dim * b + r] = sum;
      }
  }
}

static double enlarged(double diagonal) {
  return diagonal > 0 ? (1 + ENLARGED) * diagonal + FLOOR : 1;
}

static void dense_add_contact(ssi_normal *k, int64_t i) {
  int dim = k->c->dim;
  size_t n = (size_t)k->c->n;
  for (int64_t b = k->block_at[i]; b < k->block_at[i + 1]; b++) {
    double *column = k->x + n * (size_t)k->cols[b];
    const double *right = k->rooted + dim * b;
    for (int64_t a = k->block_at[i]; a <= b; a++)
      for (int r = 0; r < dim; r++) column[k->cols[a]] += k->rooted[dim * a + r] * right[r];
  }
}

// false: not positive definite, or no memory for the factors.
static bool factor(ssi_normal *k) {
  int64_t n = k->c->n;
  size_t numbers = (size_t)(k->dense ? n * n : ssi_sparse_entries(&k->N));
  if (numbers) memset(k->x, 0, sizeof(double) * numbers);
  for (int i = 0; i < k->c->nc; i++) (k->dense ? dense_add_contact : add_contact)(k, i);
  for (int64_t j = 0; j < n; j++) {
    double *diagonal = k->x + (k->dense ? n * j + j : k->N.ptr[j + 1] - 1);
    *diagonal = enlarged(*diagonal);
  }
  return ssi_direct_factor(k->cholesky, &k->N) == SS_OK;
}

// ---- conjugate residuals -------------------------------------------------------------------

static double dot(int n, const double *a, const double *b) {
  double sum = 0;
  for (int j = 0; j < n; j++) sum += a[j] * b[j];
  return sum;
}

static void root(int dim, const double *F, const double *y, double *out) {
  for (int a = 0; a < dim; a++) {
    out[a] = 0;
    for (int b = 0; b < dim; b++) out[a] += F[dim * a + b] * y[b];
  }
}

void ssi_normal_weigh(const ssi_normal *k, const double *y, double *out) {
  int dim = k->c->dim;
  for (int64_t i = 0; i < k->c->nc; i++) {
    const double *F = k->F + dim * dim * i;
    double half[3], whole[3];
    root(dim, F, y + dim * i, half);
    root(dim, F, half, whole);
    memcpy(out + dim * i, whole, sizeof(double) * (size_t)dim);
  }
}

// Conjugate residuals: each step makes |A^T (g - S A x)| as small as it can. Rounding leaves something of
// that norm in the kernel of A, where the preconditioner is huge; the lengths of conjugate gradients
// would be made of it, those here are products with A^T S A p, which has no such part.
double ssi_normal_solve(ssi_normal *k, const double *g, double *x) {
  int n = k->c->n, m = k->c->m;
  double best = INFINITY, first = 0, square = 0;
  memset(x, 0, sizeof(double) * (size_t)n);
  memset(k->x_now, 0, sizeof(double) * (size_t)n);
  memset(k->Ax, 0, sizeof(double) * (size_t)m);
  for (int step = 0; step <= REFINEMENTS; step++) {
    ssi_normal_weigh(k, k->Ax, k->left);
    for (int j = 0; j < m; j++) k->left[j] = g[j] - k->left[j];
    ssi_conic_multiply_transposed(k->c, k->left, k->r);
    double now = sqrt(dot(n, k->r, k->r));
    if (step == 0) first = now;
    if (!(now < best)) break;
    bool slow = now > 0.7 * best;
    best = now;
    memcpy(x, k->x_now, sizeof(double) * (size_t)n);
    double rounding = 4 * DBL_EPSILON * sqrt(dot(m, k->left, k->left));
    if (best <= fmax(k->accuracy * first, rounding) || (slow && step > 1)) break;
    if (step == REFINEMENTS) break;
    if (ssi_direct_solve(k->cholesky, k->r, k->z)) break;
    ssi_conic_multiply(k->c, k->z, k->Az);
    ssi_normal_weigh(k, k->Az, k->left);
    ssi_conic_multiply_transposed(k->c, k->left, k->Nz);
    double beta = step ? dot(n, k->Nz, k->Np) / square : 0;
    for (int j = 0; j < n; j++) {
      k->p[j] = k->z[j] - beta * k->p[j];
      k->Np[j] = k->Nz[j] - beta * k->Np[j];
    }
    for (int j = 0; j < m; j++) k->Ap[j] = k->Az[j] - beta * k->Ap[j];
    square = dot(n, k->Np, k->Np);
    double length = dot(n, k->r, k->Np) / square;
    if (!isfinite(length)) break;
    for (int j = 0; j < n; j++) k->x_now[j] += length * k->p[j];
    for (int j = 0; j < m; j++) k->Ax[j] += length * k->Ap[j];
  }
  return first > 0 ? best / first : 0;
}

// ---- life cycle ----------------------------------------------------------------------------

double *ssi_normal_roots(ssi_normal *k) {
  return k->F;
}
double ssi_normal_flops(const ssi_normal *k) {
  return k->flops;
}

void ssi_normal_aim(ssi_normal *k, double accuracy) {
  k->accuracy = fmax(accuracy, ACCURATE);
}

bool ssi_normal_factor(ssi_normal *k) {
  take_roots(k);
  return factor(k);
}

// Full where each column meets more than a third of the others through one contact alone.
static bool nearly_full(const ssi_normal *k) {
  double pairs = 0, n = k->c->n;
  if (n <= DENSE_ALWAYS) return true;
  for (int i = 0; i < k->c->nc; i++) pairs = fmax(pairs, (double)pairs_of(k, i));
  return n <= DENSE_LIMIT && 2 * pairs > n * n / 3;
}

static ss_error setup(ssi_normal *k, const ssi_conic *c) {
  ssi_arena *arena = &k->arena;
  int64_t entries = ssi_sparse_entries(&c->A);
  k->rooted = SSI_TAKE(arena, (size_t)entries * (size_t)c->dim, double);
  k->F = SSI_TAKE(arena, (size_t)c->m * (size_t)c->dim, double);
  k->block_at = SSI_TAKE(arena, (size_t)c->nc + 1, int64_t);
  k->cols = SSI_TAKE(arena, entries, int);
  k->block = SSI_TAKE(arena, (size_t)entries * (size_t)c->dim, double);
  double **columns[] = {&k->r, &k->z, &k->p, &k->Nz, &k->Np, &k->x_now};
  double **rows[] = {&k->Ax, &k->left, &k->Az, &k->Ap};
  for (size_t j = 0; j < sizeof columns / sizeof *columns; j++)
    *columns[j] = SSI_TAKE(arena, c->n, double);
  for (size_t j = 0; j < sizeof rows / sizeof *rows; j++) *rows[j] = SSI_TAKE(arena, c->m, double);
  int64_t *mark = SSI_TAKE(arena, c->n, int64_t);
  if (arena->failed) return SS_ERR_MEMORY;
  for (int j = 0; j < c->n; j++) mark[j] = -1;
  find_blocks(k, mark);
  k->dense = nearly_full(k);
  return k->dense ? dense_setup(k) : sparse_setup(k);
}

ss_error ssi_normal_create(ss_context *ctx, const ssi_conic *c, ssi_normal **out) {
  *out = NULL;
  ssi_arena arena = {.ctx = ctx};
  ssi_normal *k = SSI_TAKE(&arena, 1, ssi_normal);
  if (!k) return SS_ERR_MEMORY;
  k->arena = arena;
  k->c = c;
  k->accuracy = ACCURATE;
  ss_error e = setup(k, c);
  if (e) {
    ssi_normal_destroy(k);
    return ssi_fail(ctx, e, "out of memory for the normal equations of %d contacts", c->nc);
  }
  *out = k;
  return SS_OK;
}

void ssi_normal_destroy(ssi_normal *k) {
  if (!k) return;
  ssi_direct_release(k->cholesky);
  ssi_arena_release_home(k->arena);
}
