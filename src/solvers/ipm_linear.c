#include "solvers/ipm_linear.h"

#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <umfpack.h>

#include "base/error.h"

enum { DENSE_ROWS = 160, REFINEMENTS = 6 };

// LU of a matrix given by rows: what is factored is its transpose by columns.
struct ssi_ipm_lu {
  int n;
  SuiteSparse_long *ptr, *col;  // (n + 1), (ptr[n])
  double *base, *x;             // without D and with it   (ptr[n])
  double *dense;                // (n^2), column-major; NULL: UMFPACK
  int *pivot;                   // (n), with dense
  void *symbolic, *numeric;
  double control[UMFPACK_CONTROL];
  SuiteSparse_long *index_scratch;  // (n)
  double *scratch;                  // (n)
};

// ---- LU ------------------------------------------------------------------------------------

static ss_error lu_setup(ss_context *ctx, ssi_ipm_lu *lu, ssi_arena *arena) {
  size_t n = (size_t)lu->n, entries = (size_t)lu->ptr[lu->n];
  lu->base = SSI_TAKE(arena, entries, double);
  lu->x = SSI_TAKE(arena, entries, double);
  lu->scratch = SSI_TAKE(arena, n, double);
  if (lu->n <= DENSE_ROWS || 4 * entries > n * n) {
    lu->dense = SSI_TAKE(arena, n * n, double);
    lu->pivot = SSI_TAKE(arena, n, int);
    return arena->failed ? SS_ERR_MEMORY : SS_OK;
  }
  lu->index_scratch = SSI_TAKE(arena, n, SuiteSparse_long);
  if (arena->failed) return SS_ERR_MEMORY;
  umfpack_dl_defaults(lu->control);
  lu->control[UMFPACK_STRATEGY] = UMFPACK_STRATEGY_SYMMETRIC;
  lu->control[UMFPACK_IRSTEP] = 0;  // refinement is ours
  SuiteSparse_long e =
      umfpack_dl_symbolic(lu->n, lu->n, lu->ptr, lu->col, NULL, &lu->symbolic, lu->control, NULL);
  if (e == UMFPACK_ERROR_out_of_memory) return SS_ERR_MEMORY;
  return e < UMFPACK_OK ? ssi_fail(ctx, SS_ERR_LINEAR, "UMFPACK analysis failed (%lld)", (long long)e)
                        : SS_OK;
}

static bool lu_factor(ssi_ipm_lu *lu) {
  if (lu->dense) {
    memset(lu->dense, 0, sizeof(double) * (size_t)lu->n * (size_t)lu->n);
    for (int i = 0; i < lu->n; i++)
      for (SuiteSparse_long k = lu->ptr[i]; k < lu->ptr[i + 1]; k++)
        lu->dense[(int64_t)lu->n * i + lu->col[k]] = lu->x[k];
    return LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, lu->n, lu->n, lu->dense, lu->n, lu->pivot) == 0;
  }
  if (lu->numeric) umfpack_dl_free_numeric(&lu->numeric);
  return umfpack_dl_numeric(lu->ptr, lu->col, lu->x, lu->symbolic, &lu->numeric, lu->control,
                            NULL) == UMFPACK_OK;
}

static bool lu_solve(ssi_ipm_lu *lu, const double *b, double *x) {
  if (lu->dense) {
    memcpy(x, b, sizeof(double) * (size_t)lu->n);
    return LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, 'T', lu->n, 1, lu->dense, lu->n, lu->pivot, x,
                               lu->n) == 0;
  }
  return umfpack_dl_wsolve(UMFPACK_At, lu->ptr, lu->col, lu->x, x, b, lu->numeric, lu->control, NULL,
                           lu->index_scratch, lu->scratch) == UMFPACK_OK;
}

static void lu_release(ssi_ipm_lu *lu) {
  if (!lu) return;
  if (lu->numeric) umfpack_dl_free_numeric(&lu->numeric);
  if (lu->symbolic) umfpack_dl_free_symbolic(&lu->symbolic);
}

// ---- the reduced matrix --------------------------------------------------------------------

static ss_error reduced_setup(ssi_ipm_linear *k, ssi_arena *arena) {
  ssi_system *sys = k->sys;
  SS_TRY(ssi_system_need_blocks(sys));
  const ssi_delassus *W = &sys->W;
  int dim = sys->dim;
  ssi_ipm_lu *lu = k->reduced = SSI_TAKE(arena, 1, ssi_ipm_lu);
  int64_t entries = (W->ptr[sys->nc] + sys->nc) * dim * dim;
  k->diag_at = SSI_TAKE(arena, sys->m, int64_t);
  if (!lu) return SS_ERR_MEMORY;
  lu->n = sys->m;
  lu->ptr = SSI_TAKE(arena, (size_t)sys->m + 1, SuiteSparse_long);
  lu->col = SSI_TAKE(arena, entries, SuiteSparse_long);
  if (arena->failed) return SS_ERR_MEMORY;
  int64_t used = 0;
  for (int i = 0; i < sys->nc; i++)
    for (int row = dim * i; row < dim * (i + 1); row++) {
      bool placed = false;
      for (int64_t b = W->ptr[i]; b <= W->ptr[i + 1]; b++) {
        if (!placed && (b == W->ptr[i + 1] || W->col[b] > i)) {
          k->diag_at[row] = used;
          for (int l = 0; l < dim; l++) lu->col[used++] = dim * i + l;
          placed = true;
        }
        for (int l = 0; b < W->ptr[i + 1] && l < dim; l++) lu->col[used++] = dim * W->col[b] + l;
      }
      lu->ptr[row + 1] = used;
    }
  return lu_setup(sys->ctx, lu, arena);
}

static void reduced_refresh(ssi_ipm_linear *k) {
  const ssi_delassus *W = &k->sys->W;
  int dim = k->sys->dim;
  double *x = k->reduced->base;
  for (int i = 0; i < k->sys->nc; i++)
    for (int row = dim * i, a = 0; a < dim; row++, a++) {
      double scale = k->T[row] / k->lambda;
      int64_t at = k->reduced->ptr[row];
      for (int64_t b = W->ptr[i]; b < W->ptr[i + 1]; b++) {
        if (at == k->diag_at[row]) at += dim;
        const double *T = k->T + dim * (int64_t)W->col[b];
        for (int l = 0; l < dim; l++) x[at++] = scale * W->block[dim * dim * b + dim * l + a] * T[l];
      }
      at = k->diag_at[row];
      for (int l = 0; l < dim; l++)
        x[at++] = scale * W->diag[dim * dim * (int64_t)i + dim * a + l] * k->T[dim * i + l];
    }
}

static bool reduced_factor(ssi_ipm_linear *k) {
  int dim = k->sys->dim;
  ssi_ipm_lu *lu = k->reduced;
  memcpy(lu->x, lu->base, sizeof(double) * (size_t)lu->ptr[lu->n]);
  for (int row = 0; row < k->sys->m; row++)
    for (int l = 0; l < dim; l++) lu->x[k->diag_at[row] + l] += k->D[dim * (int64_t)row + l];
  return lu_factor(lu);
}

// ---- the global matrix ---------------------------------------------------------------------

typedef struct touching {  // contacts of each dof
  int64_t *ptr;            // (ndof + 1)
  int *contact;
} touching;

static bool touching_create(ss_context *ctx, const ssi_bodies *b, touching *t) {
  t->ptr = ssi_alloc(ctx, (size_t)b->ndof + 2, sizeof *t->ptr);
  t->contact = ssi_alloc(ctx, (size_t)b->at[b->nc], sizeof *t->contact);
  if (!t->ptr || !t->contact) return false;
  memset(t->ptr, 0, ((size_t)b->ndof + 2) * sizeof *t->ptr);
  for (int64_t k = 0; k < b->run_ptr[b->nc]; k++)
    for (int j = 0; j < b->run[k].length; j++) t->ptr[b->run[k].start + j + 2]++;
  for (int d = 0; d < b->ndof; d++) t->ptr[d + 2] += t->ptr[d + 1];
  for (int i = 0; i < b->nc; i++)
    for (int64_t k = b->run_ptr[i]; k < b->run_ptr[i + 1]; k++)
      for (int j = 0; j < b->run[k].length; j++) t->contact[t->ptr[b->run[k].start + j + 1]++] = i;
  return true;
}

static int ascending(const void *a, const void *b) {
  SuiteSparse_long x = *(const SuiteSparse_long *)a, y = *(const SuiteSparse_long *)b;
  return (x > y) - (x < y);
}

// The dofs that row d is coupled to, by M or by a contact; col may be NULL.
static int64_t row_pattern(const ssi_system *sys, const touching *t, int d, int *seen,
                           SuiteSparse_long *col) {
  const ssi_bodies *b = &sys->bodies;
  int64_t count = 0;
  for (int64_t e = sys->p.M.ptr[d]; e < sys->p.M.ptr[d + 1]; e++) {
    if (seen[sys->p.M.col[e]] == d) continue;
    seen[sys->p.M.col[e]] = d;
    if (col) col[count] = sys->p.M.col[e];
    count++;
  }
  for (int64_t c = t->ptr[d]; c < t->ptr[d + 1]; c++) {
    int i = t->contact[c];
    for (int64_t k = b->run_ptr[i]; k < b->run_ptr[i + 1]; k++)
      for (int j = b->run[k].start; j < b->run[k].start + b->run[k].length; j++) {
        if (seen[j] == d) continue;
        seen[j] = d;
        if (col) col[count] = j;
        count++;
      }
  }
  if (col) qsort(col, (size_t)count, sizeof *col, ascending);
  return count;
}

static int64_t entry_of(const ssi_ipm_lu *lu, int row, int col) {
  int64_t low = lu->ptr[row], high = lu->ptr[row + 1] - 1;
  while (low < high) {
    int64_t mid = (low + high) / 2;
    if (lu->col[mid] < col)
      low = mid + 1;
    else
      high = mid;
  }
  return low;
}

// Where the blocks of each contact lie: within a row the dofs of a run are neighbours.
static void find_places(ssi_ipm_linear *k) {
  const ssi_bodies *b = &k->sys->bodies;
  int64_t *place = k->block_at;
  for (int i = 0; i < b->nc; i++)
    for (int64_t r = b->run_ptr[i]; r < b->run_ptr[i + 1]; r++)
      for (int d = b->run[r].start; d < b->run[r].start + b->run[r].length; d++)
        for (int64_t c = b->run_ptr[i]; c < b->run_ptr[i + 1]; c++)
          *place++ = entry_of(k->global, d, b->run[c].start);
}

static ss_error global_pattern(ssi_ipm_linear *k, ssi_arena *arena, const touching *t, int *seen) {
  ssi_system *sys = k->sys;
  ssi_ipm_lu *lu = k->global;
  for (int d = 0; d < lu->n; d++) seen[d] = -1;
  for (int d = 0; d < lu->n; d++) lu->ptr[d + 1] = lu->ptr[d] + row_pattern(sys, t, d, seen, NULL);
  lu->col = SSI_TAKE(arena, lu->ptr[lu->n], SuiteSparse_long);
  if (arena->failed) return SS_ERR_MEMORY;
  for (int d = 0; d < lu->n; d++) seen[d] = -1;
  for (int d = 0; d < lu->n; d++) row_pattern(sys, t, d, seen, lu->col + lu->ptr[d]);
  find_places(k);
  SS_TRY(lu_setup(sys->ctx, lu, arena));
  const ss_sparse *M = &sys->p.M;
  for (int d = 0; d < lu->n; d++)
    for (int64_t e = M->ptr[d]; e < M->ptr[d + 1]; e++)
      lu->base[entry_of(lu, d, M->col[e])] = k->lambda * M->x[e];
  return SS_OK;
}

static ss_error global_setup(ssi_ipm_linear *k, ssi_arena *arena) {
  ssi_system *sys = k->sys;
  const ssi_bodies *b = &sys->bodies;
  ssi_ipm_lu *lu = k->global = SSI_TAKE(arena, 1, ssi_ipm_lu);
  k->block_ptr = SSI_TAKE(arena, (size_t)sys->nc + 1, int64_t);
  if (arena->failed) return SS_ERR_MEMORY;
  for (int i = 0; i < sys->nc; i++)
    k->block_ptr[i + 1] =
        k->block_ptr[i] + (b->at[i + 1] - b->at[i]) * (b->run_ptr[i + 1] - b->run_ptr[i]);
  k->block_at = SSI_TAKE(arena, k->block_ptr[sys->nc], int64_t);
  lu->n = sys->p.ndof;
  lu->ptr = SSI_TAKE(arena, (size_t)lu->n + 1, SuiteSparse_long);
  touching t = {0};
  int *seen = ssi_alloc(sys->ctx, (size_t)lu->n, sizeof *seen);
  ss_error e = touching_create(sys->ctx, b, &t) && seen && !arena->failed
                   ? global_pattern(k, arena, &t, seen)
                   : SS_ERR_MEMORY;
  ssi_release(sys->ctx, t.ptr);
  ssi_release(sys->ctx, t.contact);
  ssi_release(sys->ctx, seen);
  return e;
}

// A += H_i^T K H_i, K = T N T of contact i
static void add_contact(ssi_ipm_linear *k, int64_t i) {
  const ssi_bodies *b = &k->sys->bodies;
  int dim = b->dim;
  const double *H = b->H + dim * b->at[i], *N = k->N + dim * dim * i, *T = k->T + dim * i;
  const int64_t *place = k->block_at + k->block_ptr[i];
  double *x = k->global->x;
  int64_t width = b->at[i + 1] - b->at[i];
  for (int64_t row = 0; row < width; row++) {
    double left[3] = {0};  // row of H_i^T K
    for (int l = 0; l < dim; l++)
      for (int a = 0; a < dim; a++) left[l] += H[dim * row + a] * T[a] * N[dim * a + l] * T[l];
    const double *h = H;
    for (int64_t c = b->run_ptr[i]; c < b->run_ptr[i + 1]; c++, place++)
      for (int j = 0; j < b->run[c].length; j++, h += dim)
        for (int l = 0; l < dim; l++) x[*place + j] += left[l] * h[l];
  }
}

static bool global_factor(ssi_ipm_linear *k) {
  memcpy(k->global->x, k->global->base, sizeof(double) * (size_t)k->global->ptr[k->global->n]);
  for (int i = 0; i < k->sys->nc; i++) add_contact(k, i);
  return lu_factor(k->global);
}

// ---- solving -------------------------------------------------------------------------------

// y = B x, blocks of B row-major
static void block_multiply(const ssi_ipm_linear *k, const double *B, const double *x, double *y) {
  int dim = k->sys->dim;
  for (int64_t i = 0; i < k->sys->nc; i++)
    for (int a = 0; a < dim; a++) {
      double sum = 0;
      for (int l = 0; l < dim; l++) sum += B[dim * dim * i + dim * a + l] * x[dim * i + l];
      y[dim * i + a] = sum;
    }
}

static void velocities_to_contacts(const ssi_bodies *b, const double *v, double *u) {
  memset(u, 0, sizeof(double) * (size_t)(b->dim * (int64_t)b->nc));
  for (int64_t i = 0; i < b->nc; i++)
    if (b->dim == 3)
      ssi_bodies_velocity3(b, i, v, u + 3 * i);
    else
      ssi_bodies_velocity2(b, i, v, u + 2 * i);
}

// v += H^T r
static void contacts_to_dofs(const ssi_bodies *b, const double *r, double *v) {
  const double *H = b->H;
  for (int64_t i = 0; i < b->nc; i++)
    for (int64_t c = b->run_ptr[i]; c < b->run_ptr[i + 1]; c++)
      for (int j = 0; j < b->run[c].length; j++, H += b->dim)
        for (int l = 0; l < b->dim; l++) v[b->run[c].start + j] += H[l] * r[b->dim * i + l];
}

void ssi_ipm_multiply(ssi_ipm_linear *k, const double *x, double *y) {
  ssi_system *sys = k->sys;
  for (int j = 0; j < sys->m; j++) k->r[j] = k->T[j] * x[j];
  if (ssi_system_has_bodies(sys)) {
    memset(sys->v, 0, sizeof(double) * (size_t)sys->p.ndof);
    ssi_bodies_push(&sys->bodies, k->r, sys->v);
    velocities_to_contacts(&sys->bodies, sys->v, y);
  } else {
    memset(y, 0, sizeof(double) * (size_t)sys->m);
    ssi_delassus_multiply_add(&sys->W, k->r, y);
  }
  for (int j = 0; j < sys->m; j++) y[j] *= k->T[j] / k->lambda;
}

// (2)
static bool global_solve(ssi_ipm_linear *k, const double *b, double *x) {
  ssi_system *sys = k->sys;
  block_multiply(k, k->N, b, k->r);
  for (int j = 0; j < sys->m; j++) k->r[j] *= k->T[j];
  memset(sys->v, 0, sizeof(double) * (size_t)sys->p.ndof);
  contacts_to_dofs(&sys->bodies, k->r, sys->v);
  if (!lu_solve(k->global, sys->v, k->v)) return false;
  velocities_to_contacts(&sys->bodies, k->v, k->u);
  for (int j = 0; j < sys->m; j++) k->u[j] = b[j] - k->T[j] * k->u[j];
  block_multiply(k, k->N, k->u, x);
  return true;
}

static bool solve_once(ssi_ipm_linear *k, const double *b, double *x) {
  return k->use_global ? global_solve(k, b, x) : lu_solve(k->reduced, b, x);
}

static double norm(int n, const double *x) {
  double sum = 0;
  for (int j = 0; j < n; j++) sum += x[j] * x[j];
  return sqrt(sum);
}

// residual = b - (W^ + D) x; returns its norm
static double residual_of(ssi_ipm_linear *k, const double *b, const double *x) {
  block_multiply(k, k->D, x, k->u);
  ssi_ipm_multiply(k, x, k->residual);
  for (int j = 0; j < k->sys->m; j++) k->residual[j] = b[j] - k->residual[j] - k->u[j];
  return norm(k->sys->m, k->residual);
}

bool ssi_ipm_solve(ssi_ipm_linear *k, const double *b, double *x) {
  int m = k->sys->m;
  double size = norm(m, b);
  if (!solve_once(k, b, x)) return false;
  double best = residual_of(k, b, x);
  for (int pass = 0; pass < REFINEMENTS && best > 1e-13 * size; pass++) {
    if (!solve_once(k, k->residual, k->correction)) return false;
    for (int j = 0; j < m; j++) k->trial[j] = x[j] + k->correction[j];
    double now = residual_of(k, b, k->trial);
    if (!(now < best)) break;
    memcpy(x, k->trial, sizeof(double) * (size_t)m);
    bool slow = now > 0.5 * best;
    best = now;
    if (slow) break;
  }
  k->accuracy = size > 0 ? best / size : 0;
  return isfinite(best);
}

bool ssi_ipm_factor(ssi_ipm_linear *k) {
  return k->use_global ? global_factor(k) : reduced_factor(k);
}

// ---- life cycle ----------------------------------------------------------------------------

static double mean_diagonal(const ssi_system *sys) {
  double sum = 0;
  int size = sys->dim * sys->dim;
  for (int64_t i = 0; i < sys->nc; i++)
    for (int a = 0; a < sys->dim; a++) sum += sys->diag[size * i + (sys->dim + 1) * a];
  return sum > 0 ? sum / sys->m : 1;
}

ss_error ssi_ipm_linear_setup(ssi_ipm_linear *k, ssi_system *sys, ssi_arena *arena) {
  k->sys = sys;
  k->lambda = mean_diagonal(sys);
  size_t m = (size_t)sys->m, blocks = (size_t)sys->nc * (size_t)(sys->dim * sys->dim);
  k->T = SSI_TAKE(arena, m, double);
  k->D = SSI_TAKE(arena, blocks, double);
  k->N = SSI_TAKE(arena, blocks, double);
  k->r = SSI_TAKE(arena, m, double);
  k->u = SSI_TAKE(arena, m, double);
  k->v = SSI_TAKE(arena, sys->p.ndof, double);
  k->residual = SSI_TAKE(arena, m, double);
  k->correction = SSI_TAKE(arena, m, double);
  k->trial = SSI_TAKE(arena, m, double);
  if (arena->failed) return SS_ERR_MEMORY;
  if (ssi_system_has_bodies(sys) && sys->p.ndof > 0) SS_TRY(global_setup(k, arena));
  k->use_global = k->global && sys->p.ndof < sys->m;
  return reduced_setup(k, arena);
}

void ssi_ipm_linear_refresh(ssi_ipm_linear *k) {
  if (k->reduced) reduced_refresh(k);
}

void ssi_ipm_linear_release(ssi_ipm_linear *k) {
  lu_release(k->reduced);
  lu_release(k->global);
}
