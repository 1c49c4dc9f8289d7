#include "problem/check.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/error.h"
#include "la/factor.h"
#include "la/small.h"
#include "la/sparse.h"
#include "problem/blocks.h"
#include "problem/loose.h"

static const double ASYMMETRY_OF_M = 1e-5;      // relative; more is another problem
static const double ASYMMETRY_SAID = 1e-14;     // below: rounding of whoever wrote the matrix
static const double NEGATIVE_DIAGONAL = 1e-12;  // of the largest; more is not rounding

// ---- structure -----------------------------------------------------------------------------

typedef struct checking {
  ss_context *ctx;
  ss_error code;
  const char *name;  // of the file that it comes from; NULL: of none
} checking;

SS_PRINTF(2, 3) static ss_error fail(const checking *c, const char *format, ...) {
  char text[200];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  return c->name ? ssi_fail(c->ctx, c->code, "%s: %s", c->name, text)
                 : ssi_fail(c->ctx, c->code, "%s", text);
}

static ss_error check_sizes(const checking *c, const ss_problem *p) {
  if (p->form != SS_REDUCED && p->form != SS_GLOBAL)
    return fail(c, "form is %d, expected reduced or global", (int)p->form);
  if (p->dim != 2 && p->dim != 3) return fail(c, "dimension is %d, expected 2 or 3", p->dim);
  if (p->nc < 0 || p->nc > INT_MAX / p->dim)
    return fail(c, "number of contacts is %d, expected 0 to %d", p->nc, INT_MAX / p->dim);
  if (p->nl < 0) return fail(c, "number of bilateral constraints is %d, expected >= 0", p->nl);
  if (p->form == SS_GLOBAL && p->ndof < 0)
    return fail(c, "number of degrees of freedom is %d, expected >= 0", p->ndof);
  return SS_OK;
}

static ss_error check_vector(const checking *c, const char *name, const double *x, int n) {
  if (n && !x) return fail(c, "%s is missing, expected %d numbers", name, n);
  for (int i = 0; i < n; i++)
    if (!isfinite(x[i]))
      return fail(c, "%s: entry %d is %g, expected a finite number", name, i, x[i]);
  return SS_OK;
}

static ss_error check_row(const checking *c, const char *name, const ss_sparse *A, int i) {
  int last = -1;
  for (int64_t k = A->ptr[i]; k < A->ptr[i + 1]; k++) {
    int j = A->col[k];
    if (j < 0 || j >= A->cols)
      return fail(c, "%s: row %d has column %d, expected 0 to %d", name, i, j, A->cols - 1);
    if (j <= last)
      return fail(c, "%s: row %d has column %d after column %d, expected increasing columns", name,
                  i, j, last);
    if (!isfinite(A->x[k]))
      return fail(c, "%s: row %d, column %d is %g, expected a finite number", name, i, j, A->x[k]);
    last = j;
  }
  return SS_OK;
}

static ss_error check_pointers(const checking *c, const char *name, const ss_sparse *A) {
  if (!A->ptr) return fail(c, "%s has %d rows but no row pointers", name, A->rows);
  if (A->ptr[0] != 0)
    return fail(c, "%s: rows start at entry %lld, expected 0", name, (long long)A->ptr[0]);
  for (int i = 0; i < A->rows; i++)
    if (A->ptr[i + 1] < A->ptr[i] || A->ptr[i + 1] - A->ptr[i] > A->cols)
      return fail(c, "%s: row %d goes from entry %lld to %lld; it has %d columns", name, i,
                  (long long)A->ptr[i], (long long)A->ptr[i + 1], A->cols);
  if (A->ptr[A->rows] && (!A->col || !A->x))
    return fail(c, "%s has %lld entries but no %s", name, (long long)A->ptr[A->rows],
                A->col ? "values" : "columns");
  return SS_OK;
}

static ss_error check_matrix(const checking *c, const char *name, const ss_sparse *A, int rows,
                             int cols) {
  bool absent = A->rows == 0 && !A->ptr;
  if (absent && (rows == 0 || cols == 0)) return SS_OK;
  if (A->rows != rows || A->cols != cols)
    return fail(c, "%s is %d x %d, expected %d x %d", name, A->rows, A->cols, rows, cols);
  SS_TRY(check_pointers(c, name, A));
  for (int i = 0; i < rows; i++) SS_TRY(check_row(c, name, A, i));
  return SS_OK;
}

static ss_error check_friction(const checking *c, const ss_problem *p) {
  if (p->nc && !p->mu) return fail(c, "mu is missing, expected %d numbers", p->nc);
  for (int i = 0; i < p->nc; i++)
    if (!isfinite(p->mu[i]))
      return fail(c, "friction of contact %d is %g, expected a finite number", i, p->mu[i]);
  return SS_OK;
}

ss_error ssi_problem_check_arrays(ss_context *ctx, ss_error code, const char *name,
                                  const ss_problem *p) {
  const checking *c = &(checking){ctx, code, name};
  SS_TRY(check_sizes(c, p));
  SS_TRY(check_friction(c, p));
  int m = p->dim * p->nc;
  if (p->form == SS_REDUCED) {
    SS_TRY(check_matrix(c, "W", &p->W, m, m));
    SS_TRY(check_vector(c, "q", p->q, m));
    SS_TRY(check_matrix(c, "V", &p->V, m, p->nl));
    SS_TRY(check_matrix(c, "R", &p->R, p->nl, p->nl));
    return check_vector(c, "s", p->s, p->nl);
  }
  SS_TRY(check_matrix(c, "M", &p->M, p->ndof, p->ndof));
  SS_TRY(check_vector(c, "f", p->f, p->ndof));
  SS_TRY(check_matrix(c, "H", &p->H, m, p->ndof));
  SS_TRY(check_vector(c, "w", p->w, m));
  SS_TRY(check_matrix(c, "G", &p->G, p->ndof, p->nl));
  return check_vector(c, "b", p->b, p->nl);
}

// ---- symmetry and signs --------------------------------------------------------------------

static ss_error check_signs(ss_context *ctx, const ss_problem *p) {
  for (int i = 0; i < p->nc; i++)
    if (p->mu[i] < 0)
      return ssi_fail(ctx, SS_ERR_DATA, "friction of contact %d is %g, expected finite and >= 0", i,
                      p->mu[i]);
  return SS_OK;
}

ss_error ssi_problem_check_structure(ss_context *ctx, const ss_problem *p) {
  if (!p) return ssi_fail(ctx, SS_ERR_ARGUMENT, "no problem given");
  SS_TRY(ssi_problem_check_arrays(ctx, SS_ERR_DATA, NULL, p));
  return check_signs(ctx, p);
}

typedef struct mirrored {
  int i, j;
  double above, below;  // A_ij, A_ji
} mirrored;

// Where |A_ij - A_ji| is largest.
static mirrored worst_asymmetry(const ss_sparse *A) {
  mirrored worst = {0, 0, 0, 0};
  for (int i = 0; i < A->rows; i++)
    for (int64_t k = A->ptr[i]; k < A->ptr[i + 1]; k++) {
      double other = ssi_sparse_entry(A, A->col[k], i);
      if (fabs(A->x[k] - other) > fabs(worst.above - worst.below))
        worst = (mirrored){i, A->col[k], A->x[k], other};
    }
  return worst;
}

static void say_asymmetry(ss_context *ctx, const char *name, const ss_sparse *A, double asymmetry) {
  if (!ctx || !ctx->log) return;
  mirrored at = worst_asymmetry(A);
  ssi_log(ctx, SS_LOG_WARN,
          "%s is not symmetric: |%s - %s^T|/|%s| = %.3g, most at row %d, column %d (%g and %g); "
          "taken as given",
          name, name, name, name, asymmetry, at.i, at.j, at.above, at.below);
}

static ss_error check_symmetry_of_M(ss_context *ctx, const ss_problem *p) {
  double asymmetry = ss_sparse_asymmetry(&p->M);
  if (asymmetry > ASYMMETRY_OF_M) {
    mirrored at = worst_asymmetry(&p->M);
    return ssi_fail(ctx, SS_ERR_DATA,
                    "M is not symmetric: |M - M^T|/|M| = %.3g, expected at most %g; row %d, column "
                    "%d is %g, its mirror image %g",
                    asymmetry, ASYMMETRY_OF_M, at.i, at.j, at.above, at.below);
  }
  if (asymmetry > ASYMMETRY_SAID) say_asymmetry(ctx, "M", &p->M, asymmetry);
  return SS_OK;
}

// W_kk >= 0; a negative one within rounding of the largest is said, else refused.
static ss_error check_diagonal_of_W(ss_context *ctx, const ss_problem *p) {
  double largest = 0, smallest = 0;
  int at = -1, count = 0;
  for (int k = 0; k < p->W.rows; k++) {
    double x = ssi_sparse_entry(&p->W, k, k);
    if (x > largest) largest = x;
    if (x < smallest) smallest = x, at = k;
    count += x < 0;
  }
  if (at < 0) return SS_OK;
  if (smallest < -NEGATIVE_DIAGONAL * largest)
    return ssi_fail(ctx, SS_ERR_DATA,
                    "W: diagonal entry %d (contact %d) is %g, expected >= 0 (the largest is %g)",
                    at, at / p->dim, smallest, largest);
  ssi_log(ctx, SS_LOG_WARN,
          "W has %d negative diagonal entries, rounding of zero: the lowest is %g at row %d, the "
          "largest entry is %g; taken as given",
          count, smallest, at, largest);
  return SS_OK;
}

// Indefiniteness is looked for only where it is cheap to see: in the blocks of single contacts.
static ss_error say_indefinite_blocks(ss_context *ctx, const ss_problem *p) {
  if (!ctx || !ctx->log || p->nc == 0) return SS_OK;
  int d = p->dim, count = 0, at = -1;
  double worst = -4 * DBL_EPSILON;
  double *blocks = ssi_alloc(ctx, (size_t)p->nc, (size_t)(d * d) * sizeof *blocks);
  if (!blocks) return ssi_fail(ctx, SS_ERR_MEMORY, "out of memory for %d blocks of W", p->nc);
  ssi_contact_blocks(ctx, p, NULL, blocks);
  for (int i = 0; i < p->nc; i++) {
    double lambda[3];
    ssi_eig(d, blocks + (size_t)i * (size_t)(d * d), lambda);
    double ratio = lambda[0] < 0 ? lambda[0] / fmax(fabs(lambda[d - 1]), -lambda[0]) : 0;
    count += ratio < -4 * DBL_EPSILON;
    if (ratio < worst) worst = ratio, at = i;
  }
  ssi_release(ctx, blocks);
  if (at >= 0)
    ssi_log(ctx, SS_LOG_WARN,
            "W: the diagonal blocks of %d contacts are indefinite; contact %d has an eigenvalue of "
            "%.3g of its largest; taken as given",
            count, at, worst);
  return SS_OK;
}

static void say_if_asymmetric(ss_context *ctx, const char *name, const ss_sparse *A) {
  double asymmetry = ss_sparse_asymmetry(A);
  if (asymmetry > ASYMMETRY_SAID) say_asymmetry(ctx, name, A, asymmetry);
}

static ss_error check_numbers(ss_context *ctx, const ss_problem *p) {
  if (p->form == SS_GLOBAL) return check_symmetry_of_M(ctx, p);
  SS_TRY(check_diagonal_of_W(ctx, p));
  if (ctx && ctx->log) {  // the rest is only said
    say_if_asymmetric(ctx, "W", &p->W);
    say_if_asymmetric(ctx, "R", &p->R);
  }
  return say_indefinite_blocks(ctx, p);
}

ss_error ssi_problem_check_data(ss_context *ctx, const ss_problem *p) {
  SS_TRY(ssi_problem_check_structure(ctx, p));
  return check_numbers(ctx, p);
}

ss_error ssi_problem_check_rest(ss_context *ctx, const ss_problem *p) {
  SS_TRY(check_signs(ctx, p));
  SS_TRY(check_numbers(ctx, p));
  if (p->form == SS_REDUCED || p->ndof == 0) return SS_OK;
  ssi_factor *mass = NULL;
  ss_error e = ssi_factor_create(ctx, &p->M, &mass);
  ssi_factor_destroy(mass);
  if (!e) return e;
  SS_TRY(ssi_loose_instead(ctx, p, e));
  ssi_log(ctx, SS_LOG_WARN, "M is positive semi-definite only: some motions cost nothing");
  return SS_OK;
}

ss_error ss_problem_check(ss_context *ctx, const ss_problem *p) {
  if (!p) return ssi_fail(ctx, SS_ERR_ARGUMENT, "no problem given");
  SS_TRY(ssi_problem_check_arrays(ctx, SS_ERR_DATA, NULL, p));
  return ssi_problem_check_rest(ctx, p);
}
