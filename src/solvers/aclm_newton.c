// Newton's step for s = F(s) of aclm.c. With J_i the derivative of P_K at r_i - g_i/lambda_i, the
// optimality conditions r = P_K(r - g/lambda), g = W r + q + mu s e, change with s by
//
//     lambda (I - J) dr + J (W dr + mu ds e) = 0                                                  (1)
//
// and F = |u_T| by N W dr, N_i = (0, u_iT/|u_iT|). Newton: s + ds = F(s) + N W dr; put into (1):
//
//     ( lambda (I - J) + J (I + mu e N) W ) dr = -J mu (F - s) e                                  (2)
//
// one sparse unsymmetric system (pattern of W, one analysis). On sticking contacts
// J = I and (2) may be singular as W is: a small alpha lambda J is added; dr enters s only through W dr,
// which the kernel of W does not change.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "cone/friction.h"
#include "la/direct.h"
#include "solvers/aclm.h"

struct ssi_aclm_newton {
  ss_sparse A;           // the matrix of (2)
  double *x;             // its numbers
  double *rhs, *dr, *u;  // (m)
  ssi_direct *lu;
};

ss_error ssi_aclm_newton_setup(ssi_aclm_newton **out, ssi_system *sys, ssi_arena *arena) {
  ssi_aclm_newton *n = *out = SSI_TAKE(arena, 1, ssi_aclm_newton);
  if (!n) return SS_ERR_MEMORY;
  n->rhs = SSI_TAKE(arena, sys->m, double);
  n->dr = SSI_TAKE(arena, sys->m, double);
  n->u = SSI_TAKE(arena, sys->m, double);
  n->lu = ssi_direct_begin(arena, &ssi_sparse_lu, (ssi_direct_wishes){.refine = true});
  if (arena->failed || !ssi_delassus_to_sparse(arena, &sys->W, &n->A)) return SS_ERR_MEMORY;
  n->x = (double *)(uintptr_t)n->A.x;
  n->A.x = NULL;  // the analysis is of the pattern alone
  if (ssi_direct_analyse(n->lu, &n->A, arena) || ssi_direct_room(n->lu, arena))
    return ssi_fail(sys->ctx, SS_ERR_MEMORY, "aclm: cannot analyse the matrix of %d rows", sys->m);
  n->A.x = n->x;
  return SS_OK;
}

void ssi_aclm_newton_release(ssi_aclm_newton *n) {
  if (n) ssi_direct_release(n->lu);
}

// J = derivative of P_K at x, docs/theory.md (5); row-major dim x dim.
static void derivative(int dim, double mu, const double *x, double *J) {
  double t = ssi_tangent_norm(dim, x);
  memset(J, 0, sizeof(double) * (size_t)(dim * dim));
  if (t <= mu * x[0] && x[0] >= 0) {
    for (int k = 0; k < dim; k++) J[(dim + 1) * k] = 1;
    return;
  }
  if (mu * t <= -x[0]) return;
  // p (1, mu d), p = (x_N + mu t)/(1 + mu^2), d = x_T/t: along the ray, plus mu p/t across it
  double c = 1 / (1 + mu * mu), p = (x[0] + mu * t) * c, ray[3] = {1, 0, 0};
  for (int k = 1; k < dim; k++) ray[k] = t > 0 ? mu * x[k] / t : 0;
  for (int k = 0; k < dim; k++)
    for (int l = 0; l < dim; l++) J[dim * k + l] = c * ray[k] * ray[l];
  if (dim == 3 && mu > 0) {
    double across[3] = {0, -x[2] / t, x[1] / t};
    for (int k = 1; k < 3; k++)
      for (int l = 1; l < 3; l++) J[3 * k + l] += mu * p / t * across[k] * across[l];
  }
}

typedef struct local {  // what row block i of (2) needs
  double J[9], C[9];    // J, and J (I + mu e N)
} local;

static void localise(const ssi_system *sys, int i, const double *r, const double *g, local *out) {
  int dim = sys->dim;
  double mu = sys->p.mu[i], x[3] = {0}, length = ssi_tangent_norm(dim, g + dim * (int64_t)i);
  for (int k = 0; k < dim; k++)
    x[k] = r[dim * (int64_t)i + k] - g[dim * (int64_t)i + k] / sys->lambda_max[i];
  derivative(dim, mu, x, out->J);
  memcpy(out->C, out->J, sizeof out->C);
  for (int k = 0; k < dim; k++)
    for (int l = 1; l < dim && length > 0; l++)
      out->C[dim * k + l] += out->J[dim * k] * mu * g[dim * (int64_t)i + l] / length;
}

// Block (i, j) of W, whatever its storage, times C from the left, into row k: out[l].
static double entry(int dim, const double *C, const double *B, bool row_major, int k, int l) {
  double sum = 0;
  for (int q = 0; q < dim; q++)
    sum += C[dim * k + q] * (row_major ? B[dim * q + l] : B[dim * l + q]);
  return sum;
}

static void fill(ssi_aclm_newton *n, const ssi_system *sys, const double *r, const double *g,
                 const double *s, double alpha) {
  int dim = sys->dim, size = dim * dim;
  for (int i = 0; i < sys->nc; i++) {
    local at;
    localise(sys, i, r, g, &at);
    double gap = ssi_tangent_norm(dim, g + dim * (int64_t)i) - s[i], lambda = sys->lambda_max[i];
    for (int k = 0; k < dim; k++) {
      n->rhs[dim * (int64_t)i + k] = -at.J[dim * k] * sys->p.mu[i] * gap;
      int64_t e = sys->W.ptr[i];
      for (int64_t at_x = n->A.ptr[dim * i + k]; at_x < n->A.ptr[dim * i + k + 1]; at_x++) {
        int j = n->A.col[at_x] / dim, l = n->A.col[at_x] % dim;
        if (j == i) {
          double J = at.J[dim * k + l];
          n->x[at_x] = entry(dim, at.C, sys->diag + size * (int64_t)i, true, k, l) +
                       lambda * ((k == l) - J) + alpha * lambda * J;
        } else {
          while (sys->W.col[e] < j) e++;
          n->x[at_x] = entry(dim, at.C, sys->W.block + size * e, false, k, l);
        }
      }
    }
  }
}

bool ssi_aclm_newton_step(ssi_aclm_newton *n, ssi_system *sys, const double *r, const double *g,
                          const double *s, double damping, double *next) {
  int dim = sys->dim;
  fill(n, sys, r, g, s, damping);
  if (ssi_direct_factor(n->lu, &n->A) || ssi_direct_solve(n->lu, n->rhs, n->dr)) return false;
  memset(n->u, 0, sizeof(double) * (size_t)sys->m);
  ssi_delassus_multiply_add(&sys->W, n->dr, n->u);
  for (int i = 0; i < sys->nc; i++) {
    const double *gi = g + dim * (int64_t)i, *ui = n->u + dim * (int64_t)i;
    double length = ssi_tangent_norm(dim, gi), sum = 0;
    for (int k = 1; k < dim && length > 0; k++) sum += gi[k] * ui[k] / length;
    next[i] = length + sum;
    if (!isfinite(next[i])) return false;
  }
  return true;
}
