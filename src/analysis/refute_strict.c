// Refutations without a reach, global form without joints: docs/existence.md (E10).
//
// (E7) asks for rho = H^T y + M p = 0, which rounded numbers miss; that leaves a doubt that grows with v. But
// y and p may follow the data. Bodies (components of M's graph) on which p is rounding are taken as still: p = 0
// there, exactly. For any data H', M' within EPS of H, M let
//
//     y' = y + D c,  D: directions in which y may move and stay in the cell's dual (components that equations
//                       u_N = 0, u = 0 leave free; others as far as they are inside)
//     H'_Z^T D c = -H'_Z^T y            on the dofs Z of still bodies: then p' = 0 there
//     M' p' = -H'^T y'                  on the dofs N of the others
//
// so that rho' = 0. With B such that A B = I - E, A = V_Z H_Z^T D, |E| <= 1/2 whatever the data, c exists and
//
//     |c| <= 2 |B| max_Z V |rho|,   eta = |D| |c|,   |p' - p| <= delta = 2 |M^-1| (|rho| + |H|^T eta)  on N
//
// The cell holds no solution at all if kappa + |w| eta + |f| delta < 0 and every h_i, with the change of p in
// it, is <= 0. A contact that touches still bodies only has a_i = 0, whatever the data.
#include <math.h>
#include <string.h>

#include "analysis/refute.h"
#include "la/small_cholesky.h"
#include "la/sparse.h"

static const double STILL = 1e-10;

static void number_bodies(const ss_sparse *M, int *body) {
  for (int i = 0; i < M->rows; i++) body[i] = i;
  for (bool changed = true; changed;) {
    changed = false;
    for (int i = 0; i < M->rows; i++)
      for (int64_t e = M->ptr[i]; e < M->ptr[i + 1]; e++) {
        int j = M->col[e], first = body[i] < body[j] ? body[i] : body[j];
        if (M->x[e] == 0 || body[i] == body[j]) continue;
        body[i] = body[j] = first, changed = true;
      }
  }
}

bool ssi_refute_strict_take(ssi_refute_strict *s, const ssi_refute_data *d, ssi_arena *arena) {
  int n = d->ndof, m = d->m;
  *s = (ssi_refute_strict){0};
  if (d->p->form != SS_GLOBAL || d->nl || n == 0 || n > SSI_STRICT_DOFS) return true;
  s->H = SSI_TAKE(arena, m * n, double), s->body = SSI_TAKE(arena, n, int);
  s->still = SSI_TAKE(arena, n, bool), s->Z = SSI_TAKE(arena, n, int);
  s->column = SSI_TAKE(arena, m, ssi_refute_column), s->eta = SSI_TAKE(arena, m, double);
  s->A = SSI_TAKE(arena, n * m, double), s->B = SSI_TAKE(arena, m * n, double);
  s->C = SSI_TAKE(arena, n * n, double), s->delta = SSI_TAKE(arena, n, double);
  s->pull = SSI_TAKE(arena, n, double);
  if (arena->failed) return false;
  for (int i = 0; i < m; i++)
    for (int64_t e = d->p->H.ptr[i]; e < d->p->H.ptr[i + 1]; e++)
      s->H[i * n + d->p->H.col[e]] = d->p->H.x[e];
  number_bodies(&d->p->M, s->body);
  s->ready = true;
  return true;
}

// p = 0 on bodies where it is the rounding of what it is the sum of.
void ssi_refute_set_still(ssi_refute_strict *s, const ssi_refute_data *d, const double *y,
                          double *p) {
  int n = d->ndof;
  for (int j = 0; j < n; j++) s->still[j] = true;
  for (int j = 0; j < n; j++) {
    double size = 0;
    for (int i = 0; i < d->m; i++) size += fabs(d->Y[j * d->m + i] * y[i]);
    if (!(fabs(p[j]) <= STILL * size)) s->still[s->body[j]] = false;
  }
  for (int j = 0; j < n; j++)
    s->still[j] = s->still[s->body[j]];  // body[j] <= j, and its own first
  for (int j = 0; j < n; j++)
    if (s->still[j]) p[j] = 0;
}

// B = A^T (A A^T)^-1, A (z f); false where A A^T is not positive definite.
static bool right_inverse(ssi_refute_strict *s, int z, int f) {
  for (int i = 0; i < z; i++)
    for (int j = 0; j <= i; j++) {
      double sum = 0;
      for (int k = 0; k < f; k++) sum += s->A[i * f + k] * s->A[j * f + k];
      s->C[i * z + j] = s->C[j * z + i] = sum;
    }
  if (!ssi_cholesky(z, s->C, z, 0, 1e-12)) return false;
  for (int k = 0; k < f; k++)
    for (int i = 0; i < z; i++) s->B[i * f + k] = s->A[i * f + k];
  for (int k = 0; k < f; k++) ssi_cholesky_solve(z, s->C, z, s->B + k, f);
  return true;  // B is kept transposed: B[i f + k] = B_ki
}

// Largest row sum of |I - A B| + EPS |A| |B|.
static double inverse_error(const ssi_refute_strict *s, int z, int f, double eps) {
  double worst = 0;
  for (int i = 0; i < z; i++) {
    double row = 0;
    for (int j = 0; j < z; j++) {
      double sum = 0, size = 0;
      for (int k = 0; k < f; k++) {
        double term = s->A[i * f + k] * s->B[j * f + k];
        sum += term, size += fabs(term);
      }
      row += fabs((i == j) - sum) + eps * (f + 2) * size;
    }
    worst = fmax(worst, row);
  }
  return worst;
}

// ---- how y may move --------------------------------------------------------------------------

// One component, or the tangential part along itself; by `limit` at most if y is to stay in the dual.
static void add_column(ssi_refute_strict *s, int row, int rows, double first, double second,
                       double limit) {
  s->column[s->columns++] = (ssi_refute_column){row, rows, {first, second}, limit};
}

static void add_tangent(ssi_refute_strict *s, const ssi_cell_law *law, int dim, int row,
                        const double *t) {
  if (dim == 2) {
    add_column(s, row, 1, 1, 0, law->kind == SSI_LAW_STICK ? INFINITY : fabs(t[0]));
    return;
  }
  double room = INFINITY, size = sqrt(t[0] * t[0] + t[1] * t[1]);
  if (law->kind == SSI_LAW_SLIP) {
    double a = t[0] * law->from[0] + t[1] * law->from[1], b = t[0] * law->to[0] + t[1] * law->to[1];
    room = law->halvings > 0 ? fmin(a, b) / 2 : 0;  // |from|, |to| are 1: both components together
  }
  if (room > 1e-8 * size) {
    add_column(s, row, 1, 1, 0, room / 1.5);
    add_column(s, row + 1, 1, 1, 0, room / 1.5);
  } else if (size > 0) {  // on the edge of the dual
    add_column(s, row, 2, t[0] / size, t[1] / size, size / 2);
  }
}

static void list_columns(ssi_refute_strict *s, const ssi_refute_data *d,
                         const ssi_cell_law *const *law, const double *y) {
  int dim = d->p->dim;
  s->columns = 0;
  for (int i = 0; i < d->p->nc; i++) {
    const double *yi = y + dim * i;
    if (!law[i] || (yi[0] == 0 && yi[1] == 0 && (dim == 2 || yi[2] == 0))) continue;
    bool open = law[i]->kind == SSI_LAW_ANY || law[i]->kind == SSI_LAW_FREE;
    if (yi[0] != 0 || !open) add_column(s, dim * i, 1, 1, 0, open ? yi[0] : INFINITY);
    if (law[i]->kind == SSI_LAW_STICK || law[i]->kind == SSI_LAW_SLIP)
      add_tangent(s, law[i], dim, dim * i + 1, yi + 1);
  }
}

// The dofs of still bodies that y, or a column, acts on; the largest V |rho| on them.
static int list_still(ssi_refute_strict *s, const ssi_refute_judge *j, double eps, double *most) {
  const ssi_refute_data *d = j->d;
  int z = 0;
  *most = 0;
  for (int i = 0; i < d->ndof; i++) {
    bool touched = j->rho[i].size > 0;
    for (int k = 0; k < s->columns && !touched; k++)
      for (int l = 0; l < s->column[k].rows; l++)
        touched = touched || s->H[(s->column[k].row + l) * d->ndof + i] != 0;
    if (!s->still[i] || !touched) continue;
    double rho = fabs(ssi_dd_finish(j->rho[i].value).hi) + eps * j->rho[i].size;
    *most = fmax(*most, d->V[i] * rho);
    s->Z[z++] = i;
  }
  return z;
}

// eta: how far the components of y may have to move. false: y cannot follow the data.
static bool follow(ssi_refute_strict *s, const ssi_refute_judge *j, const ssi_cell_law *const *law,
                   const double *y, double eps) {
  const ssi_refute_data *d = j->d;
  double most;
  memset(s->eta, 0, sizeof(double) * (size_t)d->m);
  list_columns(s, d, law, y);
  int z = list_still(s, j, eps, &most), f = s->columns;
  if (z == 0) return true;
  if (f < z) return false;
  for (int i = 0; i < z; i++)
    for (int k = 0; k < f; k++) {
      const ssi_refute_column *c = &s->column[k];
      double sum = 0;
      for (int l = 0; l < c->rows; l++) sum += c->part[l] * s->H[(c->row + l) * d->ndof + s->Z[i]];
      s->A[i * f + k] = d->V[s->Z[i]] * sum;
    }
  if (!right_inverse(s, z, f) || !(inverse_error(s, z, f, 4 * eps) <= 0.5)) return false;
  for (int k = 0; k < f; k++) {
    const ssi_refute_column *c = &s->column[k];
    double eta = 0;
    for (int i = 0; i < z; i++) eta += 2 * fabs(s->B[i * f + k]) * most;
    if (!(eta <= c->limit)) return false;
    for (int l = 0; l < c->rows; l++) s->eta[c->row + l] += fabs(c->part[l]) * eta;
  }
  return true;
}

// delta on N: how far p may have to move.
static void move(ssi_refute_strict *s, const ssi_refute_judge *j, double eps) {
  const ssi_refute_data *d = j->d;
  int n = d->ndof;
  for (int i = 0; i < n; i++) {
    s->pull[i] = s->still[i] ? 0 : fabs(ssi_dd_finish(j->rho[i].value).hi) + eps * j->rho[i].size;
    for (int k = 0; !s->still[i] && k < d->m; k++) s->pull[i] += fabs(s->H[k * n + i]) * s->eta[k];
  }
  for (int i = 0; i < n; i++) {
    s->delta[i] = 0;
    for (int k = 0; !s->still[i] && k < n; k++)
      s->delta[i] += 2 * fabs(d->inverse[i * n + k]) * s->pull[k];
  }
}

bool ssi_refute_is_strict(ssi_refute_strict *s, const ssi_refute_judge *j,
                          const ssi_cell_law *const *law, const double *y, double gain,
                          double eps) {
  const ssi_refute_data *d = j->d;
  int dim = d->p->dim, n = d->ndof;
  if (!(gain > 0) || !follow(s, j, law, y, eps)) return false;
  move(s, j, eps);
  for (int i = 0; i < d->p->nc; i++) {
    if (law[i] && law[i]->kind == SSI_LAW_FREE) continue;
    double change = 0;
    for (int l = 0; l < dim; l++)
      for (int k = 0; k < n; k++)
        change += (l ? d->p->mu[i] : 1) * fabs(s->H[(dim * i + l) * n + k]) * s->delta[k];
    if (!(j->most[i] + change <= 0)) return false;
  }
  for (int i = 0; i < d->m; i++) gain -= s->eta[i] * fabs(d->p->w[i]);
  for (int i = 0; i < n; i++) gain -= s->delta[i] * fabs(d->p->f[i]);
  return gain > 0;
}
