#include "certify/joints.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/sets.h"
#include "la/lapack.h"
#include "la/rows.h"
#include "la/sparse.h"

static const double ROUNDING = 1e-13;  // of a row of A N, beside that of A

// ---- groups --------------------------------------------------------------------------------

// parent (n + nl): dofs first, then constraints; joined where G has an entry.
static void join(const ss_sparse *G, int *parent) {
  ssi_sets_begin(parent, G->rows + G->cols);
  for (int i = 0; i < G->rows; i++)
    for (int64_t k = G->ptr[i]; k < G->ptr[i + 1]; k++)
      if (G->x[k] != 0) ssi_set_join(parent, i, G->rows + G->col[k]);
}

// One group per root that has a constraint; sizes first, then members.
static bool collect(ssi_arena *arena, int *parent, int *group, ssi_joints *j) {
  int total = j->n + j->nl;
  for (int i = 0; i < total; i++) group[i] = -1;
  for (int i = j->n; i < total; i++) {
    int root = ssi_set_of(parent, i);
    if (group[root] < 0) group[root] = j->count++;
  }
  j->group = SSI_TAKE(arena, j->count, ssi_joint_group);
  if (arena->failed) return false;
  for (int pass = 0; pass < 2; pass++) {
    for (int i = 0; i < total; i++) {
      int g = group[ssi_set_of(parent, i)];
      if (i < j->n) j->group_of[i] = g;
      if (g < 0) continue;
      ssi_joint_group *to = j->group + g;
      if (i < j->n) {
        if (pass) to->dof[to->dofs] = i, j->place_of[i] = to->dofs;
        to->dofs++;
      } else {
        if (pass) to->row[to->rows] = i - j->n;
        to->rows++;
      }
    }
    for (int g = 0; g < j->count && !pass; g++) {
      ssi_joint_group *to = j->group + g;
      size_t dofs = (size_t)to->dofs, rows = (size_t)to->rows;
      to->dof = SSI_TAKE(arena, dofs, int);
      to->row = SSI_TAKE(arena, rows, int);
      to->pivot = SSI_TAKE(arena, rows, int);
      to->Q = SSI_TAKE(arena, dofs * dofs, double);
      to->R = SSI_TAKE(arena, dofs * rows, double);
      to->dofs = to->rows = 0;
    }
    if (arena->failed) return false;
  }
  return true;
}

// ---- factorisation -------------------------------------------------------------------------

// Q, R, pivot and rank of one group; `at` (nl) and tau (n) are scratch.
static ss_error factor(const ss_sparse *G, ssi_joint_group *g, double rank_tol, int *at,
                       double *tau) {
  int dofs = g->dofs, rows = g->rows, least = dofs < rows ? dofs : rows;
  if (!dofs) return SS_OK;
  for (int k = 0; k < rows; k++) at[g->row[k]] = k, g->pivot[k] = 0;
  for (int i = 0; i < dofs; i++)
    for (int64_t k = G->ptr[g->dof[i]]; k < G->ptr[g->dof[i] + 1]; k++)
      if (G->x[k] != 0) g->R[(size_t)at[G->col[k]] * (size_t)dofs + (size_t)i] = G->x[k];
  SS_TRY(ssi_lapack_error(
      LAPACKE_dgeqp3(LAPACK_COL_MAJOR, dofs, rows, g->R, dofs, g->pivot, tau)));
  for (int k = 0; k < rows; k++) g->pivot[k]--;
  while (g->rank < least) {
    size_t diagonal = (size_t)g->rank * ((size_t)dofs + 1);
    if (!(fabs(g->R[diagonal]) > rank_tol * fabs(g->R[0]))) break;
    g->rank++;
  }
  memcpy(g->Q, g->R, sizeof(double) * (size_t)dofs * (size_t)least);
  return ssi_lapack_error(
      LAPACKE_dorgqr(LAPACK_COL_MAJOR, dofs, dofs, least, g->Q, dofs, tau));
}

// v0 = -Q R^-T b on the pivots
static void particular(const ssi_joint_group *g, const double *b, double *work, double *v0) {
  size_t dofs = (size_t)g->dofs;
  for (int k = 0; k < g->rank; k++) {
    double sum = -b[g->row[g->pivot[k]]];
    for (int l = 0; l < k; l++) sum -= g->R[(size_t)k * dofs + (size_t)l] * work[l];
    work[k] = sum / g->R[(size_t)k * dofs + (size_t)k];
  }
  for (int i = 0; i < g->dofs; i++) {
    double sum = 0;
    for (int k = 0; k < g->rank; k++) sum += g->Q[(size_t)k * dofs + (size_t)i] * work[k];
    v0[g->dof[i]] = sum;
  }
}

// coefficients of -p in the first `rank` columns of Q R: the l of the pivots, others 0
static void solve_transposed(const ssi_joint_group *g, const double *p, double *work, double *l) {
  size_t dofs = (size_t)g->dofs;
  for (int k = 0; k < g->rank; k++) {
    work[k] = 0;
    for (int i = 0; i < g->dofs; i++) work[k] -= g->Q[(size_t)k * dofs + (size_t)i] * p[g->dof[i]];
  }
  for (int k = g->rank - 1; k >= 0; k--) {
    for (int c = k + 1; c < g->rank; c++) work[k] -= g->R[(size_t)c * dofs + (size_t)k] * work[c];
    work[k] /= g->R[(size_t)k * dofs + (size_t)k];
  }
  for (int k = 0; k < g->rows; k++) l[g->row[g->pivot[k]]] = k < g->rank ? work[k] : 0;
}

// The constraint that v0 breaks most, balanced by those that hold: l = 1 on it, and G l = 0.
static void contradict(const ss_sparse *G, ssi_joints *j, int worst, double *p) {
  memset(p, 0, sizeof(double) * (size_t)j->n);
  memset(j->contradiction, 0, sizeof(double) * (size_t)j->nl);
  for (int i = 0; i < j->n; i++) p[i] = ssi_sparse_entry(G, i, worst);
  ssi_joints_multipliers(j, p, j->contradiction);
  j->contradiction[worst] += 1;
}

static void judge(const ss_sparse *G, const double *b, double rank_tol, ssi_joints *j, double *p,
                  double *gap) {
  double size = 0, most = 0;
  int worst = -1;
  memcpy(gap, b, sizeof(double) * (size_t)j->nl);
  ssi_sparse_multiply_transposed_add(G, j->v0, gap);
  for (int k = 0; k < j->nl; k++) {
    size = fmax(size, fabs(b[k]));
    if (fabs(gap[k]) > most) most = fabs(gap[k]), worst = k;
  }
  j->consistent = !(most > rank_tol * size);
  if (!j->consistent) contradict(G, j, worst, p);
}

ss_error ssi_joints_create(ssi_arena *arena, const ss_sparse *G, const double *b, double rank_tol,
                           ssi_joints *j) {
  *j = (ssi_joints){.n = G->rows, .nl = G->cols, .consistent = true};
  size_t n = (size_t)G->rows, nl = (size_t)G->cols;
  j->group_of = SSI_TAKE(arena, n, int);
  j->place_of = SSI_TAKE(arena, n, int);
  j->v0 = SSI_TAKE(arena, n, double);
  j->contradiction = SSI_TAKE(arena, nl, double);
  j->work = SSI_TAKE(arena, n, double);
  int *parent = SSI_TAKE(arena, n + nl, int), *group = SSI_TAKE(arena, n + nl, int);
  double *work = SSI_TAKE(arena, n + nl, double), *gap = SSI_TAKE(arena, nl, double);
  if (arena->failed) return SS_ERR_MEMORY;
  join(G, parent);
  if (!collect(arena, parent, group, j)) return SS_ERR_MEMORY;
  for (int g = 0; g < j->count; g++) {
    SS_TRY(factor(G, j->group + g, rank_tol, parent, work));
    particular(j->group + g, b, work, j->v0);
  }
  for (int g = 0; g < j->count; g++) {
    j->group[g].first = j->free;
    j->free += j->group[g].dofs - j->group[g].rank;
  }
  for (int i = 0; i < j->n; i++)
    if (j->group_of[i] < 0) j->place_of[i] = j->free++;
  judge(G, b, rank_tol, j, work, gap);
  return SS_OK;
}

// ---- use -----------------------------------------------------------------------------------

typedef struct sparse_row {  // being summed
  double *x;                 // (free)
  int *seen, *col;           // last row that has met a column; those of this row   (free)
  int row, count;
} sparse_row;

static void add(sparse_row *to, int col, double x) {
  if (to->seen[col] != to->row) {
    to->seen[col] = to->row;
    to->col[to->count++] = col;
    to->x[col] = 0;
  }
  to->x[col] += x;
}

// += a * (row of N that belongs to dof)
static void add_row(const ssi_joints *j, int dof, double a, sparse_row *to) {
  if (j->group_of[dof] < 0) {
    add(to, j->place_of[dof], a);
    return;
  }
  const ssi_joint_group *g = j->group + j->group_of[dof];
  const double *q = g->Q + (size_t)g->rank * (size_t)g->dofs + (size_t)j->place_of[dof];
  for (int k = 0; k < g->dofs - g->rank; k++)
    add(to, g->first + k, a * q[(size_t)k * (size_t)g->dofs]);
}

static bool restrict_rows(const ssi_joints *j, const ss_sparse *A, sparse_row *sum, double *sorted,
                          ssi_rows *rows) {
  for (int k = 0; k < j->free; k++) sum->seen[k] = -1;
  for (int i = 0; i < A->rows; i++) {
    sum->row = i;
    sum->count = 0;
    double size = 0;  // what cancels down to rounding is nothing
    for (int64_t k = A->ptr[i]; k < A->ptr[i + 1]; k++) {
      add_row(j, A->col[k], A->x[k], sum);
      size += fabs(A->x[k]);
    }
    qsort(sum->col, (size_t)sum->count, sizeof *sum->col, ssi_ascending);
    int kept = 0;
    for (int k = 0; k < sum->count; k++)
      if (fabs(sum->x[sum->col[k]]) > ROUNDING * size) {
        sum->col[kept] = sum->col[k];
        sorted[kept++] = sum->x[sum->col[k]];
      }
    if (!ssi_rows_append_sparse(rows, kept, sum->col, sorted)) return false;
  }
  return true;
}

bool ssi_joints_restrict(ssi_arena *arena, const ssi_joints *j, const ss_sparse *A,
                         ss_sparse *out) {
  ssi_rows rows;
  if (!ssi_rows_begin(arena->ctx, A->rows, j->free, &rows)) return false;
  ssi_arena scratch = {.ctx = arena->ctx};
  double *sorted = SSI_TAKE(&scratch, j->free, double);
  sparse_row sum = {.x = SSI_TAKE(&scratch, j->free, double),
                    .seen = SSI_TAKE(&scratch, j->free, int),
                    .col = SSI_TAKE(&scratch, j->free, int)};
  bool ok = !scratch.failed && restrict_rows(j, A, &sum, sorted, &rows);
  ss_sparse view = ssi_rows_view(&rows);
  ok = ok && ssi_sparse_copy(arena, &view, out);
  ssi_arena_release(&scratch);
  ssi_rows_end(&rows);
  return ok;
}

void ssi_joints_expand(const ssi_joints *j, const double *x, double *v) {
  for (int i = 0; i < j->n; i++) {
    if (j->group_of[i] < 0) {
      v[i] = x[j->place_of[i]];
      continue;
    }
    const ssi_joint_group *g = j->group + j->group_of[i];
    const double *q = g->Q + (size_t)g->rank * (size_t)g->dofs + (size_t)j->place_of[i];
    v[i] = 0;
    for (int k = 0; k < g->dofs - g->rank; k++)
      v[i] += q[(size_t)k * (size_t)g->dofs] * x[g->first + k];
  }
}

void ssi_joints_multipliers(const ssi_joints *j, const double *p, double *l) {
  for (int g = 0; g < j->count; g++) solve_transposed(j->group + g, p, j->work, l);
}
