#include "problem/shifted.h"

#include <string.h>

#include "base/clones.h"
#include "base/error.h"
#include "la/sparse.h"

// Asymmetry |A - A^T| / |A| up to which a Cholesky factor of A is as good as A: what is left after
// writing numbers as text, or after products of matrices.
static const double rounding = 1e-13;

// ---- W + rho Lambda ------------------------------------------------------------------------

static ss_error make_contacts(ssi_shifted *s, ssi_arena *arena, bool *symmetric) {
  ssi_system *sys = s->sys;
  SS_TRY(ssi_system_need_blocks(sys));
  if (!ssi_delassus_to_sparse(arena, &sys->W, &s->A)) return SS_ERR_MEMORY;
  *symmetric = ss_sparse_asymmetry(&s->A) <= rounding;
  s->base = (double *)(uintptr_t)s->A.x;
  s->slope = SSI_TAKE(arena, ssi_sparse_entries(&s->A), double);
  if (arena->failed) return SS_ERR_MEMORY;
  for (int i = 0; i < s->A.rows; i++)
    for (int64_t k = s->A.ptr[i]; k < s->A.ptr[i + 1]; k++)
      if (s->A.col[k] == i) s->slope[k] = s->lambda[i / sys->dim];
  return SS_OK;
}

// ---- M + 1/rho H^T Lambda^-1 H -------------------------------------------------------------

typedef struct product {
  const ss_sparse *M, *H, *T;  // T = H^T
  int64_t *place;              // of each column in the row at hand, or -1   (ndof)
  int *row;                    // its columns, ascending                     (ndof)
} product;

static void sort(int count, int *row, const int64_t *place, int n) {
  if (8 * (int64_t)count > n) {  // a long row: read the marks
    int used = 0;
    for (int j = 0; j < n; j++)
      if (place[j] >= 0) row[used++] = j;
    return;
  }
  for (int k = 1; k < count; k++) {
    int value = row[k], at = k;
    for (; at > 0 && row[at - 1] > value; at--) row[at] = row[at - 1];
    row[at] = value;
  }
}

static int mark(const product *c, int j, int count) {
  if (c->place[j] >= 0) return count;
  c->place[j] = 0;
  c->row[count] = j;
  return count + 1;
}

// Marks the columns of row d of M + H^T H and lists them, ascending.
static int mark_row(const product *c, int d) {
  int count = 0;
  for (int64_t k = c->M->ptr[d]; k < c->M->ptr[d + 1]; k++) count = mark(c, c->M->col[k], count);
  for (int64_t k = c->T->ptr[d]; k < c->T->ptr[d + 1]; k++)
    for (int64_t e = c->H->ptr[c->T->col[k]]; e < c->H->ptr[c->T->col[k] + 1]; e++)
      count = mark(c, c->H->col[e], count);
  sort(count, c->row, c->place, c->M->rows);
  return count;
}

static void unmark(const product *c, int count) {
  for (int k = 0; k < count; k++) c->place[c->row[k]] = -1;
}

static void fill_row(const product *c, ssi_shifted *s, int d, int64_t first, int *col) {
  int count = mark_row(c, d);
  for (int k = 0; k < count; k++) {
    c->place[c->row[k]] = first + k;
    col[first + k] = c->row[k];
  }
  for (int64_t k = c->M->ptr[d]; k < c->M->ptr[d + 1]; k++)
    s->base[c->place[c->M->col[k]]] = c->M->x[k];
  for (int64_t k = c->T->ptr[d]; k < c->T->ptr[d + 1]; k++) {
    int i = c->T->col[k];
    double factor = c->T->x[k] / s->lambda[i / s->sys->dim];
    for (int64_t e = c->H->ptr[i]; e < c->H->ptr[i + 1]; e++)
      s->slope[c->place[c->H->col[e]]] += factor * c->H->x[e];
  }
  unmark(c, count);
}

static ss_error assemble(ssi_shifted *s, ssi_arena *arena, const product *c) {
  int n = c->M->rows;
  int64_t *ptr = SSI_TAKE(arena, (size_t)n + 1, int64_t);
  if (!ptr) return SS_ERR_MEMORY;
  for (int d = 0; d < n; d++) c->place[d] = -1;
  for (int d = 0; d < n; d++) {
    int count = mark_row(c, d);
    ptr[d + 1] = ptr[d] + count;
    unmark(c, count);
  }
  int *col = SSI_TAKE(arena, ptr[n], int);
  s->base = SSI_TAKE(arena, ptr[n], double);
  s->slope = SSI_TAKE(arena, ptr[n], double);
  if (arena->failed) return SS_ERR_MEMORY;
  for (int d = 0; d < n; d++) fill_row(c, s, d, ptr[d], col);
  s->A = (ss_sparse){n, n, ptr, col, s->base};
  return SS_OK;
}

static ss_error make_dofs(ssi_shifted *s, ssi_arena *arena, bool *symmetric) {
  ssi_system *sys = s->sys;
  ssi_arena scratch = {.ctx = sys->ctx};
  ss_sparse T = {0};
  ssi_sparse_transpose(&scratch, &sys->p.H, &T);
  product c = {.M = &sys->p.M, .H = &sys->p.H, .T = &T};
  c.place = SSI_TAKE(&scratch, sys->p.ndof, int64_t);
  c.row = SSI_TAKE(&scratch, sys->p.ndof, int);
  s->v = SSI_TAKE(arena, sys->p.ndof, double);
  ss_error e = scratch.failed || arena->failed ? SS_ERR_MEMORY : assemble(s, arena, &c);
  ssi_arena_release(&scratch);
  *symmetric = ss_sparse_asymmetry(&sys->p.M) <= rounding;
  return e;
}

// v = t H^T Lambda^-1 b
SSI_INLINE void gather(const ssi_shifted *s, int dim, double t, const double *b, double *v) {
  const ssi_bodies *bodies = &s->sys->bodies;
  const double *H = bodies->H;
  memset(v, 0, sizeof(double) * (size_t)bodies->ndof);
  for (int64_t i = 0; i < bodies->nc; i++) {
    double y[3] = {0}, factor = t / s->lambda[i];
    for (int l = 0; l < dim; l++) y[l] = factor * b[dim * i + l];
    for (int64_t k = bodies->run_ptr[i]; k < bodies->run_ptr[i + 1]; k++) {
      double *x = v + bodies->run[k].start;
      for (int j = 0; j < bodies->run[k].length; j++, H += dim)
        x[j] += dim == 3 ? H[0] * y[0] + H[1] * y[1] + H[2] * y[2] : H[0] * y[0] + H[1] * y[1];
    }
  }
}

// x = t Lambda^-1 (b - H v)
SSI_INLINE void recover(const ssi_shifted *s, int dim, double t, const double *b, const double *v,
                        double *x) {
  const ssi_bodies *bodies = &s->sys->bodies;
  for (int64_t i = 0; i < bodies->nc; i++) {
    double sum[3] = {0}, factor = t / s->lambda[i];
    if (dim == 3)
      ssi_bodies_velocity3(bodies, i, v, sum);
    else
      ssi_bodies_velocity2(bodies, i, v, sum);
    for (int l = 0; l < dim; l++) x[dim * i + l] = factor * (b[dim * i + l] - sum[l]);
  }
}

SSI_CLONES static void gather2(const ssi_shifted *s, const double *b) {
  gather(s, 2, 1 / s->rho, b, s->v);
}
SSI_CLONES static void gather3(const ssi_shifted *s, const double *b) {
  gather(s, 3, 1 / s->rho, b, s->v);
}
SSI_CLONES static void recover2(const ssi_shifted *s, const double *b, double *x) {
  recover(s, 2, 1 / s->rho, b, s->v, x);
}
SSI_CLONES static void recover3(const ssi_shifted *s, const double *b, double *x) {
  recover(s, 3, 1 / s->rho, b, s->v, x);
}

// ---- interface -----------------------------------------------------------------------------

static void set_numbers(ssi_shifted *s, double rho) {
  double t = s->dofs ? 1 / rho : rho;
  s->rho = rho;
  for (int64_t k = 0; k < ssi_sparse_entries(&s->A); k++) s->x[k] = s->base[k] + t * s->slope[k];
}

ss_error ssi_shifted_create(ssi_system *sys, ssi_arena *arena, const double *lambda, double rho,
                            ssi_shifted_form form, ssi_shifted *out) {
  bool has = ssi_system_has_bodies(sys), symmetric = true;
  *out = (ssi_shifted){.sys = sys, .lambda = lambda};
  if (form == SSI_SHIFTED_DOFS && !has)
    return ssi_fail(sys->ctx, SS_ERR_METHOD,
                    "a factor of dof size needs the global form with a block-diagonal M (blocks of "
                    "at most 6) and no bilateral constraints");
  out->dofs =
      form == SSI_SHIFTED_DOFS || (form == SSI_SHIFTED_AUTO && has && sys->p.ndof < 1.2 * sys->m);
  SS_TRY(out->dofs ? make_dofs(out, arena, &symmetric) : make_contacts(out, arena, &symmetric));
  out->x = SSI_TAKE(arena, ssi_sparse_entries(&out->A), double);
  if (arena->failed) return SS_ERR_MEMORY;
  set_numbers(out, rho);
  out->A.x = out->x;
  return ssi_direct_choose(arena, &out->A, symmetric, &out->direct);
}

void ssi_shifted_release(ssi_shifted *s) {
  ssi_direct_release(s->direct);
  s->direct = NULL;
}

ss_error ssi_shifted_change(ssi_shifted *s, double rho) {
  set_numbers(s, rho);
  return ssi_direct_factor(s->direct, &s->A);
}

ss_error ssi_shifted_solve(ssi_shifted *s, const double *b, double *x) {
  if (!s->dofs) return ssi_direct_solve(s->direct, b, x);
  bool flat = s->sys->dim == 2;
  (flat ? gather2 : gather3)(s, b);
  SS_TRY(ssi_direct_solve(s->direct, s->v, s->v));
  (flat ? recover2 : recover3)(s, b, x);  // (1)
  return SS_OK;
}
