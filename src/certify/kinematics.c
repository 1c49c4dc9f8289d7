#include "certify/kinematics.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "la/lapack.h"
#include "la/sparse.h"
#include "la/vector.h"

enum { DENSE_LIMIT = 3000 };                 // rows of W up to which a basis of its image is made
static const double SYMMETRIC = 1e-12;       // relative asymmetry that is rounding
static const double JOINT_RANK_TOL = 1e-10;  // of G in the global form

// ---- reduced form --------------------------------------------------------------------------

typedef struct basis {
  int size, rank;
  double *U;     // columns that are kept first                        (size x size)
  double *back;  // z = back x gives [W V; V^T R] z = U x              (size x rank)
} basis;

// A (size x size), column-major: [W V; V^T R]
static void fill(const ss_problem *p, int size, double *A) {
  int m = p->dim * p->nc;
  size_t n = (size_t)size;
  for (int i = 0; i < m; i++)
    for (int64_t k = p->W.ptr[i]; k < p->W.ptr[i + 1]; k++)
      A[n * (size_t)p->W.col[k] + (size_t)i] = p->W.x[k];
  if (!p->nl) return;
  for (int i = 0; i < m; i++)
    for (int64_t k = p->V.ptr[i]; k < p->V.ptr[i + 1]; k++) {
      size_t j = (size_t)(m + p->V.col[k]);
      A[n * j + (size_t)i] = A[n * (size_t)i + j] = p->V.x[k];
    }
  for (int i = 0; i < p->nl; i++)
    for (int64_t k = p->R.ptr[i]; k < p->R.ptr[i + 1]; k++)
      A[n * (size_t)(m + p->R.col[k]) + (size_t)(m + i)] = p->R.x[k];
}

static double asymmetry(int size, const double *A) {
  double difference = 0, norm = 0;
  for (size_t n = (size_t)size, i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) {
      double d = A[n * i + j] - A[n * j + i];
      difference += d * d;
      norm += A[n * i + j] * A[n * i + j];
    }
  return norm > 0 ? sqrt(difference / norm) : 0;
}

// Columns whose |value| is above the threshold to the front, with back = V / value.
static void keep(basis *b, const double *value, const double *V, double threshold) {
  size_t n = (size_t)b->size;
  for (size_t k = 0; k < n; k++) {
    if (!(fabs(value[k]) > threshold)) continue;
    double *to = b->back + n * (size_t)b->rank;
    for (size_t i = 0; i < n; i++) to[i] = V[n * k + i] / value[k];
    if ((size_t)b->rank != k) memcpy(b->U + n * (size_t)b->rank, b->U + n * k, n * sizeof(double));
    b->rank++;
  }
}

static ss_error find_basis(ss_context *ctx, const ss_problem *p, double rank_tol, basis *b) {
  size_t n = (size_t)b->size;
  ssi_arena scratch = {.ctx = ctx};
  double *A = SSI_TAKE(&scratch, n * n, double), *value = SSI_TAKE(&scratch, n, double);
  double *V = SSI_TAKE(&scratch, n * n, double);
  ss_error e = scratch.failed ? SS_ERR_MEMORY : SS_OK;
  lapack_int info = 0;
  if (!e && n) {
    fill(p, b->size, A);
    if (asymmetry(b->size, A) <= SYMMETRIC) {
      memcpy(b->U, A, n * n * sizeof(double));
      info = LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'V', 'U', b->size, b->U, b->size, value);
      memcpy(V, b->U, n * n * sizeof(double));
    } else {
      double *Vt = SSI_TAKE(&scratch, n * n, double);
      if (scratch.failed) {
        e = SS_ERR_MEMORY;
      } else {
        info = LAPACKE_dgesdd(LAPACK_COL_MAJOR, 'A', b->size, b->size, A, b->size, value, b->U,
                              b->size, Vt, b->size);
        for (size_t i = 0; i < n; i++)
          for (size_t k = 0; k < n; k++) V[n * k + i] = Vt[n * i + k];
      }
    }
    if (!e) e = ssi_lapack_error(info);
    if (!e) keep(b, value, V, rank_tol * ssi_largest(b->size, value));
  }
  ssi_arena_release(&scratch);
  return e;
}

// rows first .. first + count of U as a sparse matrix with every entry stored
static bool rows_of_basis(ssi_arena *arena, const basis *b, int first, int count, ss_sparse *out) {
  int64_t *ptr = SSI_TAKE(arena, (size_t)count + 1, int64_t), used = 0;
  int *col = SSI_TAKE(arena, (size_t)count * (size_t)b->rank, int);
  double *x = SSI_TAKE(arena, (size_t)count * (size_t)b->rank, double);
  if (arena->failed) return false;
  for (int i = 0; i < count; i++) {
    for (int k = 0; k < b->rank; k++, used++) {
      col[used] = k;
      x[used] = b->U[(size_t)b->size * (size_t)k + (size_t)(first + i)];
    }
    ptr[i + 1] = used;
  }
  *out = (ss_sparse){count, b->rank, ptr, col, x};
  return true;
}

typedef struct velocity_parts {  // u = w + H x,  0 = b + E x
  ss_sparse H, E;                // E (nl x base)
  const double *w, *b;
} velocity_parts;

static ss_error reduced_dense(ssi_arena *arena, ssi_kinematics *k, double rank_tol,
                              velocity_parts *s) {
  int m = k->p->dim * k->p->nc;
  size_t n = (size_t)k->size;
  basis b = {.size = k->size, .U = SSI_TAKE(arena, n * n, double)};
  b.back = SSI_TAKE(arena, n * n, double);
  if (arena->failed) return SS_ERR_MEMORY;
  SS_TRY(find_basis(arena->ctx, k->p, rank_tol, &b));
  k->back = b.back;
  k->base = b.rank;
  bool ok = rows_of_basis(arena, &b, 0, m, &s->H) && rows_of_basis(arena, &b, m, k->p->nl, &s->E);
  return ok ? SS_OK : SS_ERR_MEMORY;
}

// rows of A (left) and B (right of it, shifted by A's columns)
static bool beside(ssi_arena *arena, const ss_sparse *A, const ss_sparse *B, ss_sparse *out) {
  int64_t entries = ssi_sparse_entries(A) + ssi_sparse_entries(B), used = 0;
  int64_t *ptr = SSI_TAKE(arena, (size_t)A->rows + 1, int64_t);
  int *col = SSI_TAKE(arena, entries, int);
  double *x = SSI_TAKE(arena, entries, double);
  if (arena->failed) return false;
  for (int i = 0; i < A->rows; i++) {
    for (int64_t k = A->ptr[i]; k < A->ptr[i + 1]; k++) col[used] = A->col[k], x[used++] = A->x[k];
    for (int64_t k = B->ptr[i]; k < B->ptr[i + 1]; k++)
      col[used] = A->cols + B->col[k], x[used++] = B->x[k];
    ptr[i + 1] = used;
  }
  *out = (ss_sparse){A->rows, A->cols + B->cols, ptr, col, x};
  return true;
}

static ss_error reduced_sparse(ssi_arena *arena, ssi_kinematics *k, velocity_parts *s) {
  const ss_problem *p = k->p;
  k->base = k->size;
  s->H = p->W;
  if (!p->nl) return SS_OK;
  ss_sparse Vt;
  bool ok = ssi_sparse_transpose(arena, &p->V, &Vt) && beside(arena, &p->W, &p->V, &s->H) &&
            beside(arena, &Vt, &p->R, &s->E);
  return ok ? SS_OK : SS_ERR_MEMORY;
}

static ss_error reduced_parts(ssi_arena *arena, ssi_kinematics *k, double rank_tol,
                              velocity_parts *s) {
  k->size = k->p->dim * k->p->nc + k->p->nl;
  s->w = k->p->q;
  s->b = k->p->s;
  return k->size <= DENSE_LIMIT ? reduced_dense(arena, k, rank_tol, s)
                                : reduced_sparse(arena, k, s);
}

// ---- both forms ----------------------------------------------------------------------------

// G as base x nl, from E = G^T in the reduced form
static bool constraint_columns(ssi_arena *arena, const ssi_kinematics *k, velocity_parts *s,
                               ss_sparse *G) {
  if (k->p->form == SS_GLOBAL) {
    *G = k->p->G;
    return true;
  }
  return ssi_sparse_transpose(arena, &s->E, G);
}

// What the joints leave of H may be rounding only: a column of H N below this part of the largest entry
// that went into it is none, or the search would follow it however far.
static const double LEFT_OVER = 1e-13;

static bool clear_left_overs(ssi_arena *arena, const ssi_joints *j, const ss_sparse *H,
                             ss_sparse *HN) {
  double *x = SSI_TAKE(arena, ssi_sparse_entries(HN), double);
  double *dof = SSI_TAKE(arena, H->cols, double), *column = SSI_TAKE(arena, HN->cols, double);
  if (arena->failed) return false;
  for (int64_t k = 0; k < ssi_sparse_entries(H); k++)
    dof[H->col[k]] = fmax(dof[H->col[k]], fabs(H->x[k]));
  for (int64_t k = 0; k < ssi_sparse_entries(HN); k++)
    column[HN->col[k]] = fmax(column[HN->col[k]], fabs(HN->x[k]));
  for (int g = 0; g < j->count; g++) {
    const ssi_joint_group *group = &j->group[g];
    double most = 0;
    for (int i = 0; i < group->dofs; i++) most = fmax(most, dof[group->dof[i]]);
    for (int c = group->first; c < group->first + group->dofs - group->rank; c++)
      if (column[c] <= LEFT_OVER * most) column[c] = -1;
  }
  for (int64_t k = 0; k < ssi_sparse_entries(HN); k++) x[k] = column[HN->col[k]] < 0 ? 0 : HN->x[k];
  HN->x = x;
  return true;
}

static ss_error attach_joints(ssi_arena *arena, ssi_kinematics *k, velocity_parts *s,
                              double rank_tol) {
  ss_sparse G = {0};
  if (!constraint_columns(arena, k, s, &G)) return SS_ERR_MEMORY;
  SS_TRY(ssi_joints_create(arena, &G, s->b, rank_tol, &k->joints));
  double *w = SSI_TAKE(arena, s->H.rows, double);
  if (!w || !ssi_joints_restrict(arena, &k->joints, &s->H, &k->H)) return SS_ERR_MEMORY;
  if (!clear_left_overs(arena, &k->joints, &s->H, &k->H)) return SS_ERR_MEMORY;
  for (int j = 0; j < s->H.rows; j++) w[j] = s->w[j];
  ssi_sparse_multiply_add(&s->H, k->joints.v0, w);
  k->w = w;
  k->n = k->joints.free;
  return SS_OK;
}

static ss_error create(ssi_arena *arena, double rank_tol, ssi_kinematics *k) {
  const ss_problem *p = k->p;
  velocity_parts s = {0};
  if (p->form == SS_GLOBAL) {
    s = (velocity_parts){.H = p->H, .w = p->w, .b = p->b};
    k->size = k->base = p->ndof;
    rank_tol = JOINT_RANK_TOL;
  } else {
    SS_TRY(reduced_parts(arena, k, rank_tol, &s));
  }
  if (!ssi_sparse_complete(arena, p->dim * p->nc, k->base, &s.H)) return SS_ERR_MEMORY;
  k->base_H = k->H = s.H;
  k->w = s.w;
  k->n = k->base;
  k->joined = p->nl > 0;
  k->scratch = SSI_TAKE(arena, (size_t)k->size + (size_t)k->base, double);
  if (!k->scratch) return SS_ERR_MEMORY;
  return k->joined ? attach_joints(arena, k, &s, rank_tol) : SS_OK;
}

double ssi_kinematics_flops(const ss_problem *p) {
  double size = (double)p->dim * p->nc + p->nl;
  bool dense = p->form == SS_REDUCED && size <= DENSE_LIMIT;
  return dense ? 10 * size * size * size : 0;
}

ss_error ssi_kinematics_create(ssi_arena *arena, const ss_problem *p, double rank_tol,
                               ssi_kinematics *out) {
  *out = (ssi_kinematics){.p = p};
  ss_error e = create(arena, rank_tol, out);
  if (e == SS_ERR_MEMORY)
    return ssi_fail(arena->ctx, e, "out of memory for the kinematics of %d contacts", p->nc);
  if (e == SS_ERR_LINEAR)
    return ssi_fail(arena->ctx, e, "LAPACK failed on the %s",
                    p->form == SS_GLOBAL ? "bilateral constraints" : "Delassus matrix");
  return e;
}

void ssi_kinematics_velocity(const ssi_kinematics *k, const double *x, bool direction, double *v) {
  double *base = k->back ? k->scratch : v;
  if (k->joined) {
    ssi_joints_expand(&k->joints, x, base);
    for (int i = 0; i < k->base && !direction; i++) base[i] += k->joints.v0[i];
  } else {
    for (int i = 0; i < k->base; i++) base[i] = x[i];
  }
  if (!k->back) return;
  for (int i = 0; i < k->size; i++) v[i] = 0;
  for (int c = 0; c < k->base; c++)
    for (int i = 0; i < k->size; i++)
      v[i] += k->back[(size_t)c * (size_t)k->size + (size_t)i] * base[c];
}

void ssi_kinematics_multipliers(const ssi_kinematics *k, const double *r, double *l) {
  if (!k->joined) return;
  for (int i = 0; i < k->base; i++) k->scratch[i] = 0;
  ssi_sparse_multiply_transposed_add(&k->base_H, r, k->scratch);
  ssi_joints_multipliers(&k->joints, k->scratch, l);
}
