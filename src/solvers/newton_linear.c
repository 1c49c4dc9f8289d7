// The linear system of one Newton step, two ways. With x = lambda r, F, A, C of cone/jacobian.h and
// the proximal weight alpha,
//
//     A_i lambda_i dr_i + C_i ( du_i + alpha lambda_i dr_i ) = -F_i,     du = W dr               (1)
//
// Blocks: unknown z_i = sqrt(lambda_i) dr_i of the active contacts, W scaled to unit diagonal,
//
//     (A_i + alpha C_i) z_i + C_i sum_j W~_ij z_j = -F_i/sqrt(lambda_i)                          (2)
//     W~_ij = W_ij / sqrt(lambda_i lambda_j)
//
// A free contact (A = I, C = 0) has dr = -r: it is known and moves to the right-hand side.
//
// Bodies: (1) is solved for dr_i, one small system per contact, and put into M dv = H^T dr:
//
//     dr_i = -(g_i + K_i H_i dv),   [K_i g_i] = (1/lambda_i) (A_i + alpha C_i)^-1 [C_i F_i]      (3)
//     (M + sum_i H_i^T K_i H_i) dv = -sum_i H_i^T g_i                                            (4)
//
// As many unknowns as dofs, however many contacts, and one pattern for all steps. A sticking contact
// has K = 1/(alpha lambda): the condition of (4) grows like 1/alpha.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clones.h"
#include "base/error.h"
#include "solvers/newton.h"

// ---- blocks --------------------------------------------------------------------------------

// Rows of z for the active contacts; true when they are those of the last analysis.
static bool number_active(ssi_newton *n, const ssi_system *sys) {
  int count = 0;
  bool same = true;
  for (int i = 0; i < sys->nc; i++) {
    int place = n->region[i] == SSI_REGION_FREE ? -1 : count++;
    same &= n->place[i] == place;
    n->place[i] = place;
  }
  n->active = count;
  n->lu.n = sys->dim * count;
  for (int i = 0; i < sys->nc; i++)
    for (int k = 0; n->place[i] >= 0 && k < sys->dim; k++)
      n->lu.full[sys->dim * n->place[i] + k] = sys->dim * i + k;
  return same;
}

// B (dim x dim, row-major) -> dim rows of the matrix at column block j; at[k] is the end of row k.
static void put_block(ssi_lu *lu, int dim, int j, const double *B, int64_t *at) {
  for (int k = 0; k < dim; k++)
    for (int l = 0; l < dim; l++) {
      lu->col[at[k]] = dim * j + l;
      lu->x[at[k]++] = B[dim * k + l];
    }
}

// B = C V scale, V row-major (by_rows) or column-major.
static void multiply(int dim, const double *C, const double *V, bool by_rows, double scale,
                     double *B) {
  for (int k = 0; k < dim; k++)
    for (int l = 0; l < dim; l++) {
      double sum = 0;
      for (int e = 0; e < dim; e++) sum += C[dim * k + e] * V[by_rows ? dim * e + l : dim * l + e];
      B[dim * k + l] = scale * sum;
    }
}

static void put_diagonal(ssi_newton *n, const ssi_system *sys, int i, double alpha, int64_t *at) {
  int dim = sys->dim;
  const ssi_linear *f = &n->linear[i];
  double B[9];
  multiply(dim, f->C, sys->diag + dim * dim * (int64_t)i, true, 1 / n->lambda[i], B);
  for (int k = 0; k < dim * dim; k++) B[k] += f->A[k] + alpha * f->C[k];
  put_block(&n->lu, dim, n->place[i], B, at);
}

// Rows of contact i in (2).
static void put_rows(ssi_newton *n, const ssi_system *sys, int i, double alpha, int64_t *used) {
  int dim = sys->dim, row = dim * n->place[i];
  const ssi_delassus *W = &sys->W;
  const ssi_linear *f = &n->linear[i];
  double root = 1 / sqrt(n->lambda[i]), B[9];
  int64_t at[3], first = *used, blocks = 1;
  for (int64_t e = W->ptr[i]; e < W->ptr[i + 1]; e++) blocks += n->place[W->col[e]] >= 0;
  for (int k = 0; k < dim; k++) {
    at[k] = first + k * blocks * dim;
    n->lu.ptr[row + k + 1] = at[k] + blocks * dim;
  }
  *used = n->lu.ptr[row + dim];
  bool diagonal = false;
  for (int64_t e = W->ptr[i]; e < W->ptr[i + 1]; e++) {
    int j = W->col[e];
    const double *V = W->block + dim * dim * e;
    if (n->place[j] < 0) continue;
    if (!diagonal && j > i) put_diagonal(n, sys, i, alpha, at), diagonal = true;
    multiply(dim, f->C, V, false, root / sqrt(n->lambda[j]), B);
    put_block(&n->lu, dim, n->place[j], B, at);
  }
  if (!diagonal) put_diagonal(n, sys, i, alpha, at);
}

static ss_error factor_blocks(ssi_newton *n, ssi_system *sys, double alpha) {
  bool same = number_active(n, sys);
  int64_t used = 0;
  for (int i = 0; i < sys->nc; i++)
    if (n->place[i] >= 0) put_rows(n, sys, i, alpha, &used);
  return ssi_lu_factor(&n->lu, same);
}

// The right-hand side of (2) for contact i: what the free ones move goes there.
static void put_right(ssi_newton *n, const ssi_system *sys, int64_t i, const double *F,
                      const double *dr) {
  int dim = sys->dim;
  const ssi_delassus *W = &sys->W;
  double move[3] = {0}, *b = n->rhs + dim * (int64_t)n->place[i], root = 1 / sqrt(n->lambda[i]);
  for (int64_t e = W->ptr[i]; e < W->ptr[i + 1]; e++) {
    if (n->place[W->col[e]] >= 0) continue;
    const double *V = W->block + dim * dim * e, *known = dr + dim * (int64_t)W->col[e];
    for (int k = 0; k < dim; k++)
      for (int l = 0; l < dim; l++) move[k] += V[dim * l + k] * known[l];
  }
  for (int k = 0; k < dim; k++) {
    b[k] = -F[dim * i + k];
    for (int l = 0; l < dim; l++) b[k] -= n->linear[i].C[dim * k + l] * move[l];
    b[k] *= root;
  }
}

static ss_error solve_blocks(ssi_newton *n, ssi_system *sys, const double *F, double *dr) {
  int dim = sys->dim;
  for (int64_t i = 0; i < sys->nc; i++)
    for (int k = 0; n->place[i] < 0 && k < dim; k++)
      dr[dim * i + k] = -F[dim * i + k] / n->lambda[i];
  for (int64_t i = 0; i < sys->nc; i++)
    if (n->place[i] >= 0) put_right(n, sys, i, F, dr);
  SS_TRY(ssi_lu_solve(&n->lu, n->rhs, n->dx));
  for (int64_t i = 0; i < sys->nc; i++)
    for (int k = 0; n->place[i] >= 0 && k < dim; k++)
      dr[dim * i + k] = n->dx[dim * n->place[i] + k] / sqrt(n->lambda[i]);
  return SS_OK;
}

// ---- bodies --------------------------------------------------------------------------------

// Contacts of each dof: list[ptr[d] .. ptr[d + 1]).
typedef struct touch {
  int64_t *ptr;
  int *list;
} touch;

static bool touch_create(ss_context *ctx, const ssi_bodies *b, touch *t) {
  t->ptr = ssi_alloc(ctx, (size_t)b->ndof + 2, sizeof *t->ptr);
  t->list = ssi_alloc(ctx, (size_t)b->at[b->nc] + 1, sizeof *t->list);
  if (!t->ptr || !t->list) return false;
  memset(t->ptr, 0, sizeof *t->ptr * ((size_t)b->ndof + 2));
  int64_t runs = b->run_ptr[b->nc];
  for (int64_t k = 0; k < runs; k++)
    for (int j = 0; j < b->run[k].length; j++) t->ptr[b->run[k].start + j + 2]++;
  for (int d = 0; d < b->ndof; d++) t->ptr[d + 2] += t->ptr[d + 1];
  for (int i = 0; i < b->nc; i++)
    for (int64_t k = b->run_ptr[i]; k < b->run_ptr[i + 1]; k++)
      for (int j = 0; j < b->run[k].length; j++) t->list[t->ptr[b->run[k].start + j + 1]++] = i;
  return true;
}

// Columns of row d of (4), unsorted, each once (seen[c] == d marks c); col may be NULL.
static int64_t gather_row(const ssi_system *sys, const touch *t, int d, int *seen, int64_t *col) {
  const ssi_bodies *b = &sys->bodies;
  const ss_sparse *M = &sys->p.M;
  int64_t count = 0;
  for (int64_t k = M->ptr[d]; k < M->ptr[d + 1]; k++) {
    seen[M->col[k]] = d;
    if (col) col[count] = M->col[k];
    count++;
  }
  for (int64_t e = t->ptr[d]; e < t->ptr[d + 1]; e++)
    for (int64_t k = b->run_ptr[t->list[e]]; k < b->run_ptr[t->list[e] + 1]; k++)
      for (int c = b->run[k].start; c < b->run[k].start + b->run[k].length; c++) {
        if (seen[c] == d) continue;
        seen[c] = d;
        if (col) col[count] = c;
        count++;
      }
  return count;
}

static int ascending(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

static int64_t count_entries(const ssi_system *sys, const touch *t, int *seen) {
  int64_t entries = 0;
  for (int d = 0; d < sys->p.ndof; d++) seen[d] = -1;
  for (int d = 0; d < sys->p.ndof; d++) entries += gather_row(sys, t, d, seen, NULL);
  return entries;
}

static void fill_pattern(ssi_lu *lu, const ssi_system *sys, const touch *t, int *seen) {
  for (int d = 0; d < sys->p.ndof; d++) seen[d] = -1;
  for (int d = 0; d < sys->p.ndof; d++) {
    int64_t *row = lu->col + lu->ptr[d], count = gather_row(sys, t, d, seen, row);
    qsort(row, (size_t)count, sizeof *row, ascending);
    lu->ptr[d + 1] = lu->ptr[d] + count;
  }
  lu->n = sys->p.ndof;
}

// Where column c is in row d; it is there.
static int64_t find(const ssi_lu *lu, int d, int c) {
  int64_t low = lu->ptr[d], high = lu->ptr[d + 1] - 1;
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    if (lu->col[middle] < c)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

// X <- G^-1, both dim x dim, row-major; pivoting by rows. false: singular.
static bool invert_small(int dim, double *G, double *X) {
  ssi_identity(dim, 1, X);
  for (int p = 0; p < dim; p++) {
    int best = p;
    for (int k = p + 1; k < dim; k++)
      if (fabs(G[dim * k + p]) > fabs(G[dim * best + p])) best = k;
    if (!(fabs(G[dim * best + p]) > 0)) return false;
    for (int l = 0; best != p && l < dim; l++) {
      double g = G[dim * p + l], x = X[dim * p + l];
      G[dim * p + l] = G[dim * best + l], G[dim * best + l] = g;
      X[dim * p + l] = X[dim * best + l], X[dim * best + l] = x;
    }
    for (int k = 0; k < dim; k++) {
      if (k == p) continue;
      double factor = G[dim * k + p] / G[dim * p + p];
      for (int l = 0; l < dim; l++) {
        G[dim * k + l] -= factor * G[dim * p + l];
        X[dim * k + l] -= factor * X[dim * p + l];
      }
    }
  }
  for (int k = 0; k < dim; k++)
    for (int l = 0; l < dim; l++) X[dim * k + l] /= G[dim * k + k];
  return true;
}

// (3): the inverse of A + alpha C, and K.
static bool condense(ssi_newton *n, int64_t i, int dim, double alpha) {
  const ssi_linear *f = &n->linear[i];
  double sum[9], G[9];
  for (int k = 0; k < dim * dim; k++) sum[k] = f->A[k] + alpha * f->C[k];
  if (!invert_small(dim, sum, G)) return false;
  memcpy(n->G + dim * dim * i, G, sizeof(double) * (size_t)(dim * dim));
  multiply(dim, G, f->C, true, 1 / n->lambda[i], n->K + dim * dim * i);
  return true;
}

// y += H_i^T x
static void push(const ssi_bodies *b, int64_t i, const double x[], double *y) {
  const double *h = b->H + b->dim * b->at[i];
  for (int64_t k = b->run_ptr[i]; k < b->run_ptr[i + 1]; k++)
    for (int d = b->run[k].start; d < b->run[k].start + b->run[k].length; d++, h += b->dim)
      for (int l = 0; l < b->dim; l++) y[d] += h[l] * x[l];
}

// Adds H_i^T K_i H_i to the matrix of (4). T = K_i H_i, dim rows of `width`, so that the inner loop
// runs along rows.
SSI_INLINE void put_contact(ssi_newton *n, const ssi_bodies *b, int dim, int64_t i) {
  const double *H = b->H + dim * b->at[i], *h = H, *K = n->K + dim * dim * i;
  int width = (int)(b->at[i + 1] - b->at[i]);
  double *T = n->T;
  for (int j = 0; j < width; j++)
    for (int k = 0; k < dim; k++) {
      double sum = 0;
      for (int l = 0; l < dim; l++) sum += K[dim * k + l] * H[dim * j + l];
      T[width * k + j] = sum;
    }
  for (int64_t k = b->run_ptr[i]; k < b->run_ptr[i + 1]; k++)
    for (int d = b->run[k].start; d < b->run[k].start + b->run[k].length; d++, h += dim) {
      const double *t = T;
      for (int64_t run = b->run_ptr[i]; run < b->run_ptr[i + 1]; run++) {
        int length = b->run[run].length;
        double *x = n->lu.x + find(&n->lu, d, b->run[run].start);
        for (int c = 0; c < length; c++)
          for (int l = 0; l < dim; l++) x[c] += h[l] * t[width * l + c];
        t += length;
      }
    }
}

SSI_CLONES static void put_contacts(ssi_newton *n, const ssi_system *sys) {
  n->active = 0;
  for (int i = 0; i < sys->nc; i++) {
    if (n->region[i] == SSI_REGION_FREE) continue;  // K = 0
    n->active++;
    if (sys->dim == 3)
      put_contact(n, &sys->bodies, 3, i);
    else
      put_contact(n, &sys->bodies, 2, i);
  }
}

// du (dim) = H_i dv
static void relative(const ssi_system *sys, int64_t i, const double *dv, double du[3]) {
  du[0] = du[1] = du[2] = 0;
  if (sys->dim == 3)
    ssi_bodies_velocity3(&sys->bodies, i, dv, du);
  else
    ssi_bodies_velocity2(&sys->bodies, i, dv, du);
}

static void assemble(ssi_newton *n, const ssi_system *sys) {
  const ss_sparse *M = &sys->p.M;
  ssi_lu *lu = &n->lu;
  memset(lu->x, 0, sizeof(double) * (size_t)lu->ptr[lu->n]);
  for (int d = 0; d < lu->n; d++)
    for (int64_t k = M->ptr[d]; k < M->ptr[d + 1]; k++) lu->x[find(lu, d, M->col[k])] = M->x[k];
  put_contacts(n, sys);
}

static ss_error factor_bodies(ssi_newton *n, ssi_system *sys, double alpha) {
  for (int i = 0; i < sys->nc; i++)
    if (!condense(n, i, sys->dim, alpha)) return SS_ERR_LINEAR;
  assemble(n, sys);
  return ssi_lu_factor(&n->lu, true);
}

static ss_error solve_bodies(ssi_newton *n, ssi_system *sys, const double *F, double *dr) {
  int dim = sys->dim, size = dim * dim;
  memset(n->rhs, 0, sizeof(double) * (size_t)n->lu.n);
  for (int64_t i = 0; i < sys->nc; i++) {
    double minus_g[3] = {0};
    for (int k = 0; k < dim; k++) {
      for (int l = 0; l < dim; l++)
        minus_g[k] -= n->G[size * i + dim * k + l] * F[dim * i + l] / n->lambda[i];
      dr[dim * i + k] = minus_g[k];
    }
    push(&sys->bodies, i, minus_g, n->rhs);
  }
  SS_TRY(ssi_lu_solve(&n->lu, n->rhs, n->dx));
  for (int64_t i = 0; i < sys->nc; i++) {
    double du[3];
    relative(sys, i, n->dx, du);
    for (int k = 0; k < dim; k++)
      for (int l = 0; l < dim; l++) dr[dim * i + k] -= n->K[size * i + dim * k + l] * du[l];
  }
  return SS_OK;
}

// ---- choice --------------------------------------------------------------------------------

static ss_error create_blocks(ssi_newton *n, ssi_system *sys, ssi_arena *arena) {
  SS_TRY(ssi_system_need_blocks(sys));
  int64_t entries = (sys->W.ptr[sys->nc] + sys->nc) * sys->dim * sys->dim;
  if (!ssi_lu_create(arena, sys->m, entries, &n->lu)) return SS_ERR_MEMORY;
  n->lu.full = SSI_TAKE(arena, sys->m, int);
  if (arena->failed) return SS_ERR_MEMORY;
  int64_t used = 0;
  for (int i = 0; i < sys->nc; i++) n->region[i] = SSI_REGION_STICK;
  number_active(n, sys);
  for (int i = 0; i < sys->nc; i++) put_rows(n, sys, i, 1, &used);
  return ssi_lu_analyse(&n->lu, arena) ? SS_OK : SS_ERR_MEMORY;
}

static ss_error choose(ssi_newton *n, ssi_system *sys, int64_t body_entries) {
  n->bodies = n->o.space == SSI_NEWTON_BODIES;
  if (n->o.space != SSI_NEWTON_AUTO) return SS_OK;
  int64_t enough = body_entries / (sys->dim * sys->dim);  // blocks of W that cost more
  int64_t neighbours = ssi_bodies_neighbours(&sys->bodies, sys->ctx, enough);
  if (neighbours < 0) return SS_ERR_MEMORY;
  n->bodies = body_entries < (neighbours + sys->nc) * sys->dim * sys->dim;
  return SS_OK;
}

static int64_t widest(const ssi_bodies *b) {
  int64_t width = 0;
  for (int i = 0; i < b->nc; i++)
    if (b->at[i + 1] - b->at[i] > width) width = b->at[i + 1] - b->at[i];
  return width;
}

static ss_error create_bodies(ssi_newton *n, ssi_system *sys, ssi_arena *arena) {
  touch t = {0};
  int *seen = ssi_alloc(sys->ctx, (size_t)sys->p.ndof + 1, sizeof *seen);
  ss_error e = seen && touch_create(sys->ctx, &sys->bodies, &t) ? SS_OK : SS_ERR_MEMORY;
  int64_t entries = e ? 0 : count_entries(sys, &t, seen);
  if (!e) e = choose(n, sys, entries);
  if (!e && n->bodies) {
    n->K = SSI_TAKE(arena, (int64_t)sys->m * sys->dim, double);
    n->G = SSI_TAKE(arena, (int64_t)sys->m * sys->dim, double);
    n->T = SSI_TAKE(arena, sys->dim * widest(&sys->bodies), double);
    e = ssi_lu_create(arena, sys->p.ndof, entries, &n->lu) ? SS_OK : SS_ERR_MEMORY;
    if (!e) fill_pattern(&n->lu, sys, &t, seen);
    if (!e && !ssi_lu_analyse(&n->lu, arena)) e = SS_ERR_MEMORY;
  }
  ssi_release(sys->ctx, t.ptr);
  ssi_release(sys->ctx, t.list);
  ssi_release(sys->ctx, seen);
  return e;
}

ss_error ssi_newton_linear_create(ssi_newton *n, ssi_system *sys, ssi_arena *arena) {
  bool possible = ssi_system_has_bodies(sys);
  if (n->o.space == SSI_NEWTON_BODIES && !possible)
    return ssi_fail(sys->ctx, SS_ERR_METHOD,
                    "newton.space=bodies needs the global form with a block-diagonal M (blocks of "
                    "at most 6) and no bilateral constraints");
  if (possible && n->o.space != SSI_NEWTON_BLOCKS) SS_TRY(create_bodies(n, sys, arena));
  if (!n->bodies) SS_TRY(create_blocks(n, sys, arena));
  int64_t size = n->bodies ? sys->p.ndof : sys->m;
  n->entries = n->lu.ptr[size];
  n->F = SSI_TAKE(arena, sys->m, double);
  n->rhs = SSI_TAKE(arena, size, double);
  n->dx = SSI_TAKE(arena, size, double);
  return arena->failed ? SS_ERR_MEMORY : SS_OK;
}

ss_error ssi_newton_direction(ssi_newton *n, ssi_system *sys, double alpha) {
  int dim = sys->dim;
  n->factorisations++;
  SS_TRY((n->bodies ? factor_bodies : factor_blocks)(n, sys, alpha));
  ss_error (*solve)(ssi_newton *, ssi_system *, const double *, double *) =
      n->bodies ? solve_bodies : solve_blocks;
  for (int64_t i = 0; i < sys->nc; i++)
    for (int k = 0; k < dim; k++) n->F[dim * i + k] = n->linear[i].F[k];
  return solve(n, sys, n->F, n->dr);
}
