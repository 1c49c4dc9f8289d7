// Cells in double arithmetic: what is within tie_tol of a tie counts as tied.
#include <math.h>
#include <stddef.h>

#include "analysis/cells.h"
#include "la/factor.h"
#include "la/small_cholesky.h"
#include "la/sparse.h"
#include "problem/bilateral.h"
#include "problem/radius.h"

typedef double num;

typedef struct double_kit {
  ssi_arena *arena;
  double tol;
  int ties;  // decisions that tol made
  const ssi_scaled *scaled;
} double_kit;
typedef double_kit kit;

enum { num_exact = 0 };
static const double num_ray_scale = 1;

static void num_zero(num *a) {
  *a = 0;
}
static void num_one(num *a) {
  *a = 1;
}
static void num_set(num *a, const num *b) {
  *a = *b;
}
static void num_add(num *a, const num *b) {
  *a += *b;
}
static void num_sub(num *a, const num *b) {
  *a -= *b;
}
static void num_mul(num *a, const num *b) {
  *a *= *b;
}
static void num_div(num *a, const num *b) {
  *a /= *b;
}
static void num_negate(num *a) {
  *a = -*a;
}
static void num_swap(num *a, num *b) {
  num t = *a;
  *a = *b, *b = t;
}
static void num_submul(kit *t, num *a, const num *b, const num *c) {
  (void)t;
  *a -= *b * *c;
}
static bool num_is_zero(const num *a) {
  return *a == 0;
}
static double num_size(const num *a) {
  return fabs(*a);
}
static double num_pivot(const num *a) {
  return fabs(*a);
}
static double num_double(const num *a) {
  return *a;
}
static int num_sign(kit *t, const num *a, double scale) {
  if (fabs(*a) <= t->tol * scale) {
    t->ties += *a != 0;
    return 0;
  }
  return (*a > 0) - (*a < 0);
}
static num *num_array(kit *t, size_t count) {
  return SSI_TAKE(t->arena, count, double);
}
static double num_unit(const kit *t, int contact) {
  return t->scaled->s[contact];
}
static double num_load(const kit *t, int contact) {
  return t->scaled->q0[contact];
}
static bool num_is_doubtful(double least) {
  return least < 1e-6;
}
static void num_forget_ties(kit *t) {
  t->ties = 0;
}
static int num_ties(const kit *t) {
  return t->ties;
}

// Points found with different states, each in the other's, are one; those of one cell differ by
// more.
static bool num_same(const num *a, const num *b, int m, bool own) {
  double far = 0, scale = 1;
  for (int j = 0; j < m; j++) {
    far = fmax(far, fabs(a[j] - b[j]));
    scale = fmax(scale, fmax(fabs(a[j]), fabs(b[j])));
  }
  return far <= (own ? 1e-9 : 1e-6) * scale;
}

#include "analysis/cell_kernel.h"

typedef struct cells_double {
  kernel kernel;
  ssi_scaled scaled;
} cells_double;

static void dense_from(const ss_sparse *A, double *to, int stride) {
  for (int i = 0; A->ptr && i < A->rows; i++)
    for (int64_t e = A->ptr[i]; e < A->ptr[i + 1]; e++)
      to[(size_t)i * (size_t)stride + (size_t)A->col[e]] += A->x[e];
}

// A pattern with pivots above 1e-6 may amplify the rounding of q~ by this; beyond the second q~ is hardly
// known, and no count is claimed.
static const double AMPLIFIED = 1e5, HARDLY_KNOWN = 1e-11;

enum { DENSE_DOFS = 64 };  // up to here a plain Cholesky beats the library's set-up

// W = X X^T with X = H L^-T, q = w - X (L^-1 f); terms: what q is the sum of.
static bool reduce_small(ssi_arena *arena, const ss_problem *p, double *W, double *q,
                         double *terms) {
  int n = p->ndof, m = 2 * p->nc;
  double *M = SSI_TAKE(arena, n * n, double), *X = SSI_TAKE(arena, (m + 1) * n, double);
  if (arena->failed) return false;
  dense_from(&p->M, M, n);
  ssi_symmetrise(n, M);
  if (!ssi_cholesky(n, M, n, 0, 0)) return false;
  dense_from(&p->H, X, n);
  for (int i = 0; i < n; i++) X[m * n + i] = p->f[i];
  for (int row = 0; row <= m; row++)
    for (int i = 0; i < n; i++) {
      double s = X[row * n + i];
      for (int k = 0; k < i; k++) s -= M[i * n + k] * X[row * n + k];
      X[row * n + i] = s / M[i * n + i];
    }
  for (int i = 0; i < m; i++) {
    q[i] = p->w[i];
    terms[i] = fabs(p->w[i]);
    for (int k = 0; k < n; k++) {
      q[i] -= X[i * n + k] * X[m * n + k];
      terms[i] += fabs(X[i * n + k] * X[m * n + k]);
    }
    for (int j = 0; j <= i; j++) {
      double s = 0;
      for (int k = 0; k < n; k++) s += X[i * n + k] * X[j * n + k];
      W[i * m + j] = W[j * m + i] = s;
    }
  }
  return true;
}

static ss_error eliminate_bilateral(ss_context *ctx, ssi_arena *arena, const ss_problem *p,
                                    double *W, double *q, bool *impossible) {
  ssi_bilateral b = {0};
  ss_sparse S;
  SS_TRY(ssi_bilateral_eliminate(ctx, p, NULL, arena, &b, &S));
  dense_from(&S, W, 2 * p->nc);
  ss_error e = ssi_bilateral_update(&b, &p->V, p->q, p->s, q);
  // a redundant constraint: R l = -V^T r - s has a solution for no r if R R^+ s != s
  double gap = 0, scale = 0;
  for (int i = 0; !e && i < p->nl; i++) {
    double g = p->s[i];
    for (int64_t k = p->R.ptr[i]; k < p->R.ptr[i + 1]; k++) g -= p->R.x[k] * b.y[p->R.col[k]];
    gap = fmax(gap, fabs(g));
    scale = fmax(scale, fabs(p->s[i]));
  }
  *impossible = gap > 1e-8 * scale;
  ssi_bilateral_release(&b);
  return e;
}

ss_error ssi_dense_problem(ss_context *ctx, ssi_arena *arena, const ss_problem *p, double *W,
                           double *q, double *terms, bool *impossible) {
  if (p->form == SS_REDUCED && p->nl == 0) {
    dense_from(&p->W, W, 2 * p->nc);
    if (p->nc) memcpy(q, p->q, sizeof *q * 2 * (size_t)p->nc);
    return SS_OK;
  }
  if (p->form == SS_GLOBAL && p->nl == 0 && p->ndof <= DENSE_DOFS &&
      reduce_small(arena, p, W, q, terms))
    return SS_OK;
  if (p->form == SS_REDUCED) return eliminate_bilateral(ctx, arena, p, W, q, impossible);
  ss_problem *reduced;
  SS_TRY(ss_problem_reduce(ctx, p, &reduced));
  ss_error e = ssi_dense_problem(ctx, arena, reduced, W, q, terms, impossible);
  ss_problem_destroy(reduced);
  return e;
}

static void scale_matrix(ssi_scaled *z) {
  double mean = 0;
  int positive = 0;
  for (int i = 0; i < z->n; i++) {
    double d = fmax(z->W[2 * i * z->m + 2 * i], z->W[(2 * i + 1) * z->m + 2 * i + 1]);
    if (d > 0) mean += d, positive++;
  }
  mean = positive ? mean / positive : 1;
  for (int i = 0; i < z->n; i++) {
    double d = fmax(z->W[2 * i * z->m + 2 * i], z->W[(2 * i + 1) * z->m + 2 * i + 1]);
    z->s[i] = 1 / sqrt(d > 1e-14 * mean ? d : mean);
  }
  for (int i = 0; i < z->m; i++)
    for (int j = 0; j < z->m; j++) z->W[i * z->m + j] *= z->s[i / 2] * z->s[j / 2];
}

// Contacts of one component have one leader, its first contact; leader (n).
static void find_leaders(const ssi_scaled *z, int *leader) {
  for (int i = 0; i < z->n; i++) leader[i] = i;
  for (bool changed = true; changed;) {
    changed = false;
    for (int i = 0; i < z->n; i++)
      for (int j = 0; j < z->n; j++) {
        const double *W = z->W + 2 * i * z->m + 2 * j;
        bool coupled = W[0] != 0 || W[1] != 0 || W[z->m] != 0 || W[z->m + 1] != 0;
        if (!coupled || leader[i] == leader[j]) continue;
        leader[i] = leader[j] = leader[i] < leader[j] ? leader[i] : leader[j];
        changed = true;
      }
  }
}

// q~ of the component that `first` leads; zero where it is only rounding of its terms.
static void scale_component(ssi_scaled *z, const int *leader, int first, const double *terms) {
  double most = 0, doubt = 0, w = 0;
  bool still = true;
  for (int i = first; i < z->n; i++)
    for (int k = 2 * i; leader[i] == first && k < 2 * i + 2; k++) w = fmax(w, terms[k]);
  for (int i = first; i < z->n; i++)
    for (int k = 2 * i; leader[i] == first && k < 2 * i + 2; k++) {
      double bound = SSI_ROUNDING * w;
      still = still && fabs(z->q[k]) <= bound;
      z->unsure = z->unsure || (bound > 0 && fabs(z->q[k]) <= 16 * bound);
      most = fmax(most, fabs(z->q[k]) * z->s[i]);
      doubt = fmax(doubt, bound * z->s[i]);
    }
  double q0 = most > 0 ? most : 1;
  for (int i = first; i < z->n; i++)
    for (int k = 2 * i; leader[i] == first && k < 2 * i + 2; k++) {
      z->q0[i] = q0;
      z->q[k] = still ? 0 : z->q[k] * z->s[i] / q0;
    }
  if (most > 0) z->doubt = fmax(z->doubt, doubt / q0);
}

static void scale_problem(ssi_scaled *z, const double *terms, int *leader) {
  scale_matrix(z);
  find_leaders(z, leader);
  for (int i = 0; i < z->n; i++)
    if (leader[i] == i) scale_component(z, leader, i, terms);
}

const ssi_scaled *ssi_cells_scaled(const ssi_solver_of_cells *s) {
  return &((const cells_double *)s->state)->scaled;
}

static void release(void *state) {
  (void)state;
}

ss_error ssi_cells_double(ss_context *ctx, ssi_arena *arena, const ss_problem *p, double tie_tol,
                          ssi_solver_of_cells *out) {
  *out = (ssi_solver_of_cells){.solve = kernel_solve, .release = release};
  cells_double *c = SSI_TAKE(arena, 1, cells_double);
  int n = p->nc, m = 2 * n;
  double *W = SSI_TAKE(arena, m * m, double), *s = SSI_TAKE(arena, 2 * n + m, double);
  int *leader = SSI_TAKE(arena, n, int);
  if (arena->failed) return ssi_fail(ctx, SS_ERR_MEMORY, "no memory to enumerate");
  c->kernel.kit = (kit){.arena = arena, .tol = tie_tol, .scaled = &c->scaled};
  if (!kernel_take(&c->kernel, arena, n))
    return ssi_fail(ctx, SS_ERR_MEMORY, "no memory to enumerate");
  c->scaled = (ssi_scaled){
      .n = n, .m = m, .W = W, .q = c->kernel.q, .mu = c->kernel.mu, .s = s, .q0 = s + n};
  if (n) memcpy(c->scaled.mu, p->mu, sizeof *p->mu * (size_t)n);
  double *terms = s + 2 * n;
  SS_TRY(ssi_dense_problem(ctx, arena, p, W, c->scaled.q, terms, &out->impossible));
  scale_problem(&c->scaled, terms, leader);
  // decisions are left to the tolerance where the data does not make them
  c->kernel.kit.tol = fmax(tie_tol, fmin(AMPLIFIED * c->scaled.doubt, 1e-3));
  // what is left of W and q when joints are eliminated may be rounding, and looks like any other number
  out->doubtful = c->scaled.doubt > HARDLY_KNOWN || p->nl > 0;
  out->unsure = c->scaled.unsure || p->nl > 0;
  kernel_columns(&c->kernel, W);
  out->state = c;
  return SS_OK;
}
