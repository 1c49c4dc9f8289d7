// A solution found numerically is a proof that one exists where the states leave room and the equations of its
// pattern can be solved nearby whatever the rounding of the data.
//
// With x = the reactions of the contacts that stick or slip, scaled by lambda_i, these equations are g(x) = 0:
//
//   stick   u = 0,        slip   u_N = 0,  lambda (r_T + mu r_N t) = 0,  t = u_T/|u_T|,    u = W r + q      (1)
//
// Newton and Kantorovich: with beta = |J^-1|, eta = |J^-1 g| and K a Lipschitz constant of J near x, a solution
// lies within 2 eta of x if beta K eta <= 1/4. Rounding of the data changes g by delta at most, hence the solution by
// 2 beta delta more. It is one of the problem if what (1) leaves open stays true that far away:
//
//   free  u_N > 0,    stick  |r_T| < mu r_N,    slip  r_N > 0, u_T != 0                                     (2)
//
// In the plane t is constant on the pattern and K = 0. A singular J (more forces than motions) proves nothing here.
//
// In the global form W and q are sums in which more may cancel than they show: delta is then at least eps t, with
//
//   t = max |w| + max_i sum_j |H_ij| y_j,   y = |v| + | M^-1 (|M| |v| + |f| + |H^T| |r|) |,   v = M^-1 (H^T r - f)   (3)
//
// which is problem/load.c (1) at r instead of 0.
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "la/factor.h"
#include "la/vector.h"
#include "problem/check.h"
#include "problem/radius.h"
#include "stickslip/certify.h"

enum { ROWS = 1200, POLISH = 4 };     // largest m that is tried; Newton steps before the proof
static const double ACCURATE = 1e-7;  // error from which polishing begins
static const double SHUT = 1e-9;      // of the scale: u_N, u or r that count as zero at first
static const double ROOM = 10;        // times the uncertainty that (2) must leave

typedef struct proof {
  const ss_problem *p;  // reduced form
  int m, size;          // rows of W; of (1)
  double *W, *r, *u, *lambda;
  ss_state *state;       // (nc)
  int *row;              // row of W of unknown k     (m)
  double *J, *g, *step;  // (size size), (size), (size)
  double *work;          // (size size)
  lapack_int *pivot;
  double scale;
  double formed;  // t of (3); 0 in the reduced form
} proof;

static double tangent(int dim, const double *x) {
  return dim == 2 ? fabs(x[1]) : hypot(x[1], x[2]);
}

static bool take(ssi_arena *arena, const ss_problem *p, proof *a) {
  size_t m = (size_t)p->dim * (size_t)p->nc;
  *a = (proof){.p = p, .m = (int)m};
  a->W = SSI_TAKE(arena, m * m, double), a->J = SSI_TAKE(arena, m * m, double);
  a->r = SSI_TAKE(arena, m, double), a->u = SSI_TAKE(arena, m, double);
  a->lambda = SSI_TAKE(arena, p->nc, double), a->state = SSI_TAKE(arena, p->nc, ss_state);
  a->row = SSI_TAKE(arena, m, int), a->pivot = SSI_TAKE(arena, m, lapack_int);
  a->g = SSI_TAKE(arena, m, double), a->step = SSI_TAKE(arena, m, double);
  a->work = SSI_TAKE(arena, m * m, double);
  return !arena->failed;
}

static void fill(proof *a, const double *r) {
  const ss_problem *p = a->p;
  for (int i = 0; i < a->m; i++) {
    for (int64_t k = p->W.ptr[i]; k < p->W.ptr[i + 1]; k++)
      a->W[(size_t)a->m * (size_t)i + (size_t)p->W.col[k]] = p->W.x[k];
    double d = a->W[(size_t)a->m * (size_t)i + (size_t)i];
    a->lambda[i / p->dim] = fmax(a->lambda[i / p->dim], d);
    a->r[i] = r[i];
    a->scale = fmax(a->scale, fabs(p->q[i]));
  }
}

// (3).
static ss_error find_formed(ssi_arena *arena, const ss_problem *p, const double *r, double *t) {
  size_t n = (size_t)p->ndof;
  double *v = SSI_TAKE(arena, n, double), *y = SSI_TAKE(arena, n, double);
  ssi_factor *mass = NULL;
  if (arena->failed) return SS_ERR_MEMORY;
  for (size_t j = 0; j < n; j++) v[j] = -p->f[j], y[j] = fabs(p->f[j]);
  for (int i = 0; i < p->H.rows; i++)
    for (int64_t k = p->H.ptr[i]; k < p->H.ptr[i + 1]; k++) {
      double push = p->H.x[k] * r[i];
      v[p->H.col[k]] += push, y[p->H.col[k]] += fabs(push);
    }
  ss_error e = ssi_factor_create(arena->ctx, &p->M, &mass);
  if (!e) e = ssi_factor_solve(mass, v, v);
  for (size_t i = 0; i < n && !e; i++)
    for (int64_t k = p->M.ptr[i]; k < p->M.ptr[i + 1]; k++)
      y[i] += fabs(p->M.x[k] * v[p->M.col[k]]);
  if (!e) e = ssi_factor_solve(mass, y, y);
  ssi_factor_destroy(mass);
  double most = 0;
  for (int i = 0; i < p->H.rows && !e; i++) {
    double sum = 0;
    for (int64_t k = p->H.ptr[i]; k < p->H.ptr[i + 1]; k++) {
      int j = p->H.col[k];
      sum += fabs(p->H.x[k]) * (fabs(v[j]) + fabs(y[j]));
    }
    most = fmax(most, sum);
  }
  *t = most + ssi_largest((size_t)p->dim * (size_t)p->nc, p->w);
  return e;
}

static void move(proof *a) {
  for (int i = 0; i < a->m; i++) {
    a->u[i] = a->p->q[i];
    for (int j = 0; j < a->m; j++) a->u[i] += a->W[(size_t)a->m * (size_t)i + (size_t)j] * a->r[j];
  }
}

// States from the answer; false: a contact that nothing moves, or one that is in no state clearly.
static bool find_states(proof *a) {
  int d = a->p->dim;
  move(a);
  for (int i = 0; i < a->m; i++) a->scale = fmax(a->scale, fabs(a->u[i]));
  for (int i = 0; i < a->p->nc; i++) {
    double *r = a->r + d * i, *u = a->u + d * i, shut = SHUT * a->scale, size = 0;
    if (!(a->lambda[i] > 0)) return false;
    for (int k = 0; k < d; k++) size = fmax(size, a->lambda[i] * fabs(r[k]));
    bool free = size <= shut || (u[0] > shut && u[0] > size);
    a->state[i] = free ? SS_FREE : tangent(d, u) <= shut ? SS_STICK : SS_SLIP;
    for (int k = 0; k < d; k++) {
      if (free) r[k] = 0;
      if (!free) a->row[a->size++] = d * i + k;
    }
  }
  return true;
}

// g and J of (1).
static void linearise(proof *a) {
  int d = a->p->dim, n = a->size;
  move(a);
  for (int e = 0; e < n; e++) {
    int row = a->row[e], i = row / d, k = row % d;
    const double *u = a->u + d * i, *r = a->r + d * i;
    double mu = a->p->mu[i], lambda = a->lambda[i], speed = tangent(d, u);
    bool law = a->state[i] == SS_SLIP && k > 0;  // the tangential part of slip
    a->g[e] = law ? lambda * (r[k] + mu * r[0] * u[k] / speed) : u[k];
    for (int c = 0; c < n; c++) {
      int col = a->row[c], j = col / d;
      double *to = &a->J[(size_t)n * (size_t)c + (size_t)e], value;
      if (!law) {
        value = a->W[(size_t)a->m * (size_t)row + (size_t)col];
      } else {
        value = j == i ? lambda * (col % d == k ? 1 : col % d == 0 ? mu * u[k] / speed : 0) : 0;
        for (int t = 1; t < d && d == 3; t++) {
          double turn = ((t == k) - u[k] * u[t] / (speed * speed)) / speed;
          value +=
              lambda * mu * r[0] * turn * a->W[(size_t)a->m * (size_t)(d * i + t) + (size_t)col];
        }
      }
      *to = value / a->lambda[j];
    }
  }
}

static bool newton_step(proof *a, double *size) {
  int n = a->size;
  linearise(a);
  memcpy(a->step, a->g, sizeof *a->step * (size_t)n);
  if (LAPACKE_dgesv(LAPACK_COL_MAJOR, n, 1, a->J, n, a->pivot, a->step, n)) return false;
  *size = 0;
  for (int e = 0; e < n; e++) *size = fmax(*size, fabs(a->step[e]));
  return isfinite(*size);
}

static void go(proof *a) {
  for (int e = 0; e < a->size; e++) {
    int i = a->row[e] / a->p->dim;
    a->r[a->row[e]] -= a->step[e] / a->lambda[i];
  }
}

// Largest row sum of |A|.
static double row_sums(int n, const double *A) {
  double most = 0;
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int j = 0; j < n; j++) sum += fabs(A[(size_t)n * (size_t)j + (size_t)i]);
    most = fmax(most, sum);
  }
  return most;
}

typedef struct bounds {
  double beta, eta, K, delta, gain;  // gain: largest |u_i| that unit changes of lambda r can make
} bounds;

static bool find_bounds(proof *a, bounds *b) {
  int n = a->size, d = a->p->dim;
  *b = (bounds){0};
  if (n && !newton_step(a, &b->eta)) return false;
  if (n && LAPACKE_dgetri_work(LAPACK_COL_MAJOR, n, a->J, n, a->pivot, a->work, n * n)) return false;
  b->beta = row_sums(n, a->J);
  for (int i = 0; i < a->m; i++) {
    double gain = 0, terms = a->scale;
    for (int j = 0; j < a->m; j++) {
      double w = fabs(a->W[(size_t)a->m * (size_t)i + (size_t)j]);
      gain += w / a->lambda[j / d];
      terms += fmax(w, sqrt(a->lambda[i / d] * a->lambda[j / d])) * fabs(a->r[j]);
    }
    b->gain = fmax(b->gain, gain);
    b->delta = fmax(b->delta, SSI_ROUNDING * fmax(terms, a->formed));
  }
  for (int i = 0; i < a->p->nc && d == 3; i++) {
    double speed = tangent(d, a->u + d * i), mu = a->p->mu[i];
    if (a->state[i] != SS_SLIP) continue;
    double bend = 4 * mu * (1 / speed + a->lambda[i] * fabs(a->r[d * i]) / (speed * speed));
    b->K = fmax(b->K, bend * b->gain * fmax(b->gain, 1));
  }
  return isfinite(b->beta) && isfinite(b->gain);
}

// (2) with room for what is not known; *margin: the least of what it leaves, over the scale.
static bool has_room(const proof *a, const bounds *b, double *margin) {
  int d = a->p->dim;
  double away = 2 * b->eta + 2 * b->beta * b->delta, moved = b->gain * away + b->delta;
  *margin = INFINITY;
  for (int i = 0; i < a->p->nc; i++) {
    const double *u = a->u + d * i, *r = a->r + d * i;
    double mu = a->p->mu[i], lambda = a->lambda[i], room = u[0], needed = moved;
    if (a->state[i] == SS_STICK)
      room = lambda * (mu * r[0] - tangent(d, r)), needed = (1 + mu) * away;
    if (a->state[i] == SS_SLIP)
      room = fmin(lambda * r[0], tangent(d, u)), needed = fmax(away, moved);
    *margin = fmin(*margin, room / a->scale);
    if (!(room > ROOM * needed)) return false;
  }
  return true;
}

static void prove(proof *a, ss_solution_proof *out) {
  double size = INFINITY;
  bounds b;
  if (!find_states(a)) return;
  for (int k = 0; k < POLISH && a->size && size > 0; k++) {
    if (!newton_step(a, &size)) return;
    go(a);
  }
  if (!find_bounds(a, &b) || !(b.beta * b.K * (b.eta + b.delta * b.beta) <= 0.25)) return;
  out->proved = has_room(a, &b, &out->margin);
  out->distance = 2 * b.eta + 2 * b.beta * b.delta;
}

ss_error ss_prove_solution(ss_context *ctx, const ss_problem *p, const double *r,
                           ss_solution_proof *out) {
  if (out) *out = (ss_solution_proof){0};
  if (!p || !out || (!r && p->nc))
    return ssi_fail(ctx, SS_ERR_ARGUMENT,
                    "a problem, reactions and a place for the proof are needed");
  SS_TRY(ssi_problem_check_structure(ctx, p));
  ss_verdict v;
  SS_TRY(ss_verify(ctx, p, &(ss_solution){.r = r}, NULL, NULL, NULL, NULL, &v));
  out->error = v.error;
  if (p->nl || !p->nc || p->dim * p->nc > ROWS || !(v.error <= ACCURATE)) return SS_OK;
  ss_problem *reduced = NULL;
  if (p->form == SS_GLOBAL) SS_TRY(ss_problem_reduce(ctx, p, &reduced));
  ssi_arena arena = {.ctx = ctx};
  proof a;
  ss_error e = take(&arena, reduced ? reduced : p, &a) ? SS_OK : SS_ERR_MEMORY;
  if (!e && p->form == SS_GLOBAL && p->ndof) e = find_formed(&arena, p, r, &a.formed);
  if (!e) {
    fill(&a, r);
    if (a.scale > 0) prove(&a, out);
  }
  ssi_arena_release(&arena);
  ss_problem_destroy(reduced);
  return e ? ssi_fail(ctx, e, "to prove a solution of %d contacts: %s", p->nc, ss_error_text(e))
           : SS_OK;
}
