// stickslip/problem.h - the discrete Coulomb friction problem, its residual and its verdict.
//
//   M v + f = H^T r + G l,   G^T v + b = 0,   u = H v + w,   (u_i, r_i) in C(mu_i)     global form
//   u = W r + V l + q,   V^T r + R l + s = 0,                (u_i, r_i) in C(mu_i)     reduced form
//
// C(mu): take-off r = 0, u_N >= 0; stick u = 0, |r_T| <= mu r_N; slip u_N = 0, r_T = -mu r_N u_T/|u_T|.
// Each contact has `dim` components in its own frame, normal first: u_i = u[dim*i .. dim*i + dim).
// The bilateral part (G, b or V, R, s) is absent when nl = 0.
#pragma once

#include "stickslip/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// Compressed sparse rows; in each row the columns increase strictly. Arrays are borrowed, never
// written to. rows == 0 with null arrays is an absent matrix.
typedef struct ss_sparse {
  int rows, cols;
  const int64_t *ptr;  // first entry of each row      (rows + 1)
  const int *col;      // 0-based                      (ptr[rows])
  const double *x;     // explicit zeros are allowed   (ptr[rows])
} ss_sparse;

typedef enum ss_form { SS_REDUCED, SS_GLOBAL } ss_form;

// Arrays are borrowed and never written to; the caller keeps them alive as long as the problem, and
// any solver created from it, is in use. m = dim * nc.
typedef struct ss_problem {
  ss_form form;
  int dim;           // 2 or 3
  int nc;            // contacts; 0 is legal
  int ndof;          // degrees of freedom; global form only
  int nl;            // bilateral constraints
  const double *mu;  // friction coefficients, >= 0                 (nc)

  ss_sparse W;      // reduced: Delassus matrix                    (m x m)
  ss_sparse V, R;   // reduced, bilateral                          (m x nl), (nl x nl)
  const double *q;  // reduced: free relative velocity             (m)
  const double *s;  // reduced, bilateral                          (nl)

  ss_sparse M;      // global: symmetric positive (semi-)definite   (ndof x ndof)
  ss_sparse H;      // global: v -> relative velocity              (m x ndof)
  ss_sparse G;      // global, bilateral                           (ndof x nl)
  const double *f;  // global: minus the applied forces            (ndof)
  const double *w;  // global: imposed relative velocity           (m)
  const double *b;  // global, bilateral                           (nl)
} ss_problem;

// A candidate answer; arrays that are absent are NULL.
typedef struct ss_solution {
  const double *r;  // reactions              (m)
  const double *u;  // relative velocities    (m)
  const double *v;  // velocities, global     (ndof)
  const double *l;  // bilateral multipliers  (nl)
} ss_solution;

// Sizes, index ranges and order, finiteness, mu >= 0, diagonal of W >= 0, symmetry of M, and that it is positive definite
// or at least semi-definite (then ss_problem_loose says more). SS_ERR_DATA with the place in ctx->message. What is unusual but accepted
// (slightly asymmetric M, asymmetric or indefinite W) is said through ctx->log at SS_LOG_WARN.
SS_API ss_error ss_problem_check(ss_context *ctx, const ss_problem *p);

// Whether M is singular: *count is -1 where it is positive definite (or the problem reduced), else the number of independent
// loose motions z, M z = 0 and G^T z = 0, which may be 0. Only ss_certify, ss_certificate_check, ss_solve_loose and ss_verify
// take a problem with a singular M; all others refuse it with SS_ERR_DATA, as this does an indefinite M. docs/theory.md
SS_API ss_error ss_problem_loose(ss_context *ctx, const ss_problem *p, int *count);

// |A - A^T| / |A| in the Frobenius norm; 0 for an empty or zero matrix, NAN where A is not square.
SS_API double ss_sparse_asymmetry(const ss_sparse *A);

// A heap copy of the reduced form of a global problem, bilateral constraints included:
//   W = H M^-1 H^T,  V = H M^-1 G,  R = G^T M^-1 G,  q = w - H M^-1 f,  s = b - G^T M^-1 f.
// Release with ss_problem_destroy.
SS_API ss_error ss_problem_reduce(ss_context *ctx, const ss_problem *global, ss_problem **out);
// The same problem, one that ss_problem_check accepts, with arrays of its own. Release with ss_problem_destroy.
SS_API ss_error ss_problem_copy(ss_context *ctx, const ss_problem *p, ss_problem **out);
SS_API void ss_problem_destroy(ss_problem *owned);  // only for problems the library allocated

// ---- the verdict ---------------------------------------------------------------------------

typedef enum ss_state { SS_FREE, SS_STICK, SS_SLIP } ss_state;
SS_API const char *ss_state_name(ss_state s);  // "free", "stick", "slip"

typedef struct ss_contact_verdict {
  ss_state state;
  double error;  // its part of ss_verdict.error, over the scale of its component
} ss_contact_verdict;

// Contacts that act on each other, directly or through bodies and joints, form a component: a problem of its
// own. error is that of the worst one, each relative to its own max(|q|, |u|).
typedef struct ss_verdict {
  double error;        // unit-free, plus the equality part                docs/theory.md (7)
  double error_fclib;  // natural map with rho = 1, as other codes measure   docs/theory.md (8)
  double
      penetration;  // |u_N| where it is negative, and the friction it lacks, over the scale of error_fclib
  double equality;      // |V^T r + R l + s| or |G^T v + b| over scale; part of error
  double scale;         // max(|q|, |u|) of all contacts
  double state_tol;     // relative tolerance used to tell the states apart
  int worst_contact;    // largest part of error; -1 without contacts
  int components;       //
  int worst_component;  // its first contact; -1 without contacts
  int still;      // contacts of components whose q is only rounding: r = 0 is as good as the data
  int states[3];  // how many free, stick, slip
} ss_verdict;

typedef enum ss_measure { SS_MEASURE_ERROR, SS_MEASURE_FCLIB, SS_MEASURE_BOTH } ss_measure;
SS_API const char *ss_measure_name(ss_measure m);  // "error", "fclib", "both"

// What a tolerance bounds: error; error_fclib, or what penetration must not exceed at that tolerance,
// docs/theory.md (8'); the larger.
SS_API double ss_verdict_measure(const ss_verdict *v, ss_measure measure);

// Judges an answer from the raw data alone: u (and v) are recomputed in double-double arithmetic
// from answer->r and answer->l; answer->u and answer->v are not looked at. Where nl > 0 and l is
// NULL, l is computed by least squares first. u (m), v (ndof), l (nl), contacts (nc) may be NULL.
// A non-finite r gives error = error_fclib = INFINITY, and no states are counted. Where M is singular r does not determine v:
// answer->v (and l) are taken as given, and what they leave of M v + f = H^T r + G l counts as part of `equality`.
SS_API ss_error ss_verify(ss_context *ctx, const ss_problem *p, const ss_solution *answer,
                          double *u, double *v, double *l, ss_contact_verdict *contacts,
                          ss_verdict *out);

#ifdef __cplusplus
}
#endif
