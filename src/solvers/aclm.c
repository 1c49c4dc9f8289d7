// The fixed point of Acary, Cadoux, Lemarechal and Malick [ACLM11].
//
// With s >= 0 in the place of |u_T| the problem is the convex program
//
//     min  1/2 r.W r + (q + mu s e).r,   r ∈ K                                [ACLM11, (4.7)]      (1)
//
// the dual of their (3.15). Its velocity u(s) = W r + q is unique even where r is not, and
//
//     s = F(s),    F(s)_i = |u_iT(s)|                                                              (2)
//
// holds exactly at the solutions of the friction problem (in 3D under a qualification, [ACLM11, Thm
// 3.6]). One step is one iteration on (2); inside it (1) is solved by a method of its own, named by
// the option `inner`, from the last r. Three ways to iterate:
//
//   picard    s <- F(s). Converges for small mu; the rate grows with mu [ACLM11, Fig. 9].
//   anderson  type II on s: s <- F_k - sum_j gamma_j (F_j+1 - F_j), gamma minimising the combined
//             |F - s|, back to picard when |F - s| has doubled.
//   newton    F differentiated through the optimality conditions of (1), and |F(s) - s|^2 as the
//             function that a step must decrease, as [ACLM11, 6] suggests; picard when it does not.
//
// Cost: one or (newton) a few programs (1) per step, each tens to thousands of products with W. No
// general convergence proof; (1) is unbounded below for some s where no solution exists. Slower than
// methods that renew s in every cheap iteration: it is here for the paper's sake and for comparison.
//
// [ACLM11] V. Acary, F. Cadoux, C. Lemarechal, J. Malick, A formulation of the linear discrete Coulomb
//          friction problem via convex optimization, ZAMM 91 (2011).
#include "solvers/aclm.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "cone/friction.h"
#include "la/small_cholesky.h"

enum { MEMORY_MAX = 20 };

typedef struct aclm {
  ssi_aclm_options o;
  const ssi_inner *method;
  void *inner_state;
  ssi_convex convex;
  ssi_aclm_newton *newton;
  double *s, *F;    // (2)   (nc)
  double *g;        // W r + q + mu s e   (m)
  double *trial_r;  // newton: at the s tried   (m)
  double *trial_s;  // (nc)
  double *f_old;    // anderson: F - s one step ago   (nc)
  double *df, *dF;  // differences of F - s and of F   (memory x nc)
  double *F_old;    // (nc)
  double change;    // mu |F - s| / scale at the last step
  double residual;  // |F - s| at the last step
  double own_test;  // of (6.1), at the last s
  int stored, solves, quiet;
  bool evaluated;  // newton: r, g and F belong to s
} aclm;

static const char *const outer_names[] = {"picard", "anderson", "newton", NULL};

// One line here, one in `inners` and one in ssi_inner_kind make an inner method known.
static const char *const inner_names[] = {"pg",  "apg",        "facet", "sqp",
                                          "ipm", "polyhedral", "socp",  NULL};
static const ssi_inner *const inners[SSI_INNERS] = {
    [SSI_INNER_PG] = &ssi_inner_pg,       [SSI_INNER_APG] = &ssi_inner_apg,
    [SSI_INNER_FACET] = &ssi_inner_facet, [SSI_INNER_SQP] = &ssi_inner_sqp,
    [SSI_INNER_IPM] = &ssi_inner_ipm,     [SSI_INNER_POLYHEDRAL] = &ssi_inner_polyhedral,
    [SSI_INNER_SOCP] = &ssi_inner_socp,
};

static const char *const inner_stops[] = {"error", "paper", NULL};
static const double PAPER_TOL = 1e-8;  // of inner_stop=paper, where inner_tol does not say

static const ssi_option options[] = {
    {"outer", offsetof(ssi_aclm_options, outer), SSI_OUTER_ANDERSON, 0, 2,
     "how s = F(s) is iterated", outer_names},
    {"inner", offsetof(ssi_aclm_options, inner), SSI_INNER_APG, 0, SSI_INNERS - 1,
     "projected gradient, accelerated, polyhedral cones with columns generated, SQP, interior "
     "point; polyhedral: four facets and no more, by an interior point; socp: the objective in one "
     "more cone",
     inner_names},
    {"inner_tol", offsetof(ssi_aclm_options, inner_tol), 0, 0, 1,
     "relative error of the inner problems; 0: a tenth (anderson, newton: a hundredth) of the last "
     "change of s",
     NULL},
    {"inner_max", offsetof(ssi_aclm_options, inner_max), 2000, 1, 1e9,
     "iterations of one inner problem", NULL},
    {"facets", offsetof(ssi_aclm_options, facets), 8, 4, 64,
     "of the first polyhedral cone, for inner=facet", NULL},
    {"memory", offsetof(ssi_aclm_options, memory), 5, 1, MEMORY_MAX, "steps that anderson combines",
     NULL},
    {"stop", offsetof(ssi_aclm_options, stop), 0, 0, 1,
     "accept what there is when |F(s) - s| / (|s| + 1) / contacts is below it, the test of the "
     "paper, in the units of the problem; 0: never",
     NULL},
    {"inner_stop", offsetof(ssi_aclm_options, inner_stop), SSI_INNER_STOP_ERROR, 0, 1,
     "what inner_tol bounds in the gradient methods: the error, or the test of the paper, "
     "|P(r - g) - r| / (|r| + 1) / contacts (then 1e-8 where inner_tol is 0)",
     inner_stops},
    {"programs", offsetof(ssi_aclm_options, programs), 0, 0, 1e9,
     "inner problems at most; 0: no limit", NULL},
};

// ---- set-up --------------------------------------------------------------------------------

static ss_error take(aclm *a, ssi_system *sys, ssi_arena *arena) {
  a->s = SSI_TAKE(arena, sys->nc, double);
  a->F = SSI_TAKE(arena, sys->nc, double);
  a->g = SSI_TAKE(arena, sys->m, double);
  if (a->o.outer == SSI_OUTER_ANDERSON) {
    a->f_old = SSI_TAKE(arena, sys->nc, double);
    a->F_old = SSI_TAKE(arena, sys->nc, double);
    a->df = SSI_TAKE(arena, (int64_t)a->o.memory * sys->nc, double);
    a->dF = SSI_TAKE(arena, (int64_t)a->o.memory * sys->nc, double);
  }
  if (a->o.outer == SSI_OUTER_NEWTON) {
    a->trial_s = SSI_TAKE(arena, sys->nc, double);
    a->trial_r = SSI_TAKE(arena, sys->m, double);
    SS_TRY(ssi_aclm_newton_setup(&a->newton, sys, arena));
  }
  return arena->failed ? SS_ERR_MEMORY : SS_OK;
}

static ss_error setup(void *state, ssi_system *sys, uint64_t seed, ssi_arena *arena) {
  aclm *a = state;
  (void)seed;
  SS_TRY(ssi_system_need_blocks(sys));
  SS_TRY(take(a, sys, arena));
  a->method = inners[(int)a->o.inner];
  a->convex = (ssi_convex){.sys = sys, .s = a->s, .max_iter = (int)a->o.inner_max};
  a->convex.facets = (int)a->o.facets;
  a->convex.paper = a->o.inner_stop == SSI_INNER_STOP_PAPER;
  return a->method->setup(&a->inner_state, &a->convex, arena);
}

static void release(void *state) {
  aclm *a = state;
  if (a->inner_state && a->method->release) a->method->release(a->inner_state);
  ssi_aclm_newton_release(a->newton);
}

static void tangent_norms(const ssi_system *sys, const double *u, double *s) {
  for (int i = 0; i < sys->nc; i++) s[i] = ssi_tangent_norm(sys->dim, u + sys->dim * (int64_t)i);
}

// A guess of zero says nothing about the velocities: s = 0 then, else |u_T| of the guess.
static void begin(void *state, ssi_system *sys, const double *r) {
  aclm *a = state;
  double largest = 0, sum = 0;
  for (int k = 0; k < sys->m; k++) largest = fmax(largest, fabs(r[k]));
  ssi_system_velocity(sys, r, a->g);
  tangent_norms(sys, a->g, a->s);
  if (!(largest > 0)) memset(a->s, 0, sizeof(double) * (size_t)sys->nc);
  for (int k = 0; k < sys->m; k++) sum += a->g[k] * a->g[k];
  a->convex.scale = fmax(fmax(sys->norm_q, sqrt(sum)), DBL_MIN);
  a->change = INFINITY;
  a->residual = a->own_test = INFINITY;
  a->stored = a->solves = a->quiet = 0;
  a->evaluated = false;
}

// ---- the outer iterations ------------------------------------------------------------------

static double inner_tolerance(const aclm *a) {
  double fraction = a->o.outer == SSI_OUTER_PICARD ? 0.1 : 0.01;
  if (a->o.inner_tol > 0) return a->o.inner_tol;
  return a->convex.paper ? PAPER_TOL : fmin(1e-2, fraction * a->change);
}

// r, g and F of the program (1) with the given s; returns |F - s|. Its part of (6.1) of [ACLM11], too: the unit of
// velocity enters there through the 1, and the division by the number of contacts makes it weaker for large problems.
static double evaluate(aclm *a, ssi_system *sys, const double *s, double *r) {
  double sum = 0, size = 0;
  a->convex.tol = inner_tolerance(a);
  a->convex.s = s;
  a->method->solve(a->inner_state, &a->convex, r, a->g);
  a->solves++;
  tangent_norms(sys, a->g, a->F);
  for (int i = 0; i < sys->nc; i++) sum += (a->F[i] - s[i]) * (a->F[i] - s[i]), size += s[i] * s[i];
  a->own_test = sqrt(sum) / (sqrt(size) + 1) / (sys->nc ? sys->nc : 1);
  return sqrt(sum);
}

static void note_change(aclm *a, const ssi_system *sys, const double *s) {
  double sum = 0;
  for (int i = 0; i < sys->nc; i++) {
    double x = sys->p.mu[i] * (a->F[i] - s[i]) / a->convex.scale;
    sum += x * x;
  }
  a->change = sqrt(sum);
}

// s <- F - sum gamma_j dF_j, clipped to s >= 0; gamma minimises |f - sum gamma_j df_j|.
static void combine(aclm *a, const ssi_system *sys) {
  double G[MEMORY_MAX][MEMORY_MAX], b[MEMORY_MAX], trace = 0;
  int nc = sys->nc, n = a->stored < (int)a->o.memory ? a->stored : (int)a->o.memory;
  for (int k = 0; k < n; k++) {
    const double *dk = a->df + (int64_t)k * nc;
    for (int l = 0; l <= k; l++) {
      const double *dl = a->df + (int64_t)l * nc;
      G[k][l] = 0;
      for (int i = 0; i < nc; i++) G[k][l] += dk[i] * dl[i];
    }
    b[k] = 0;
    for (int i = 0; i < nc; i++) b[k] += dk[i] * (a->F[i] - a->s[i]);
    trace += G[k][k];
  }
  for (int k = 0; k < n; k++) G[k][k] += 1e-12 * trace;
  bool usable = n > 0 && ssi_cholesky(n, G[0], MEMORY_MAX, 0, 0);
  if (usable) ssi_cholesky_solve(n, G[0], MEMORY_MAX, b, 1);
  for (int i = 0; i < nc; i++) {
    double next = a->F[i];
    for (int k = 0; usable && k < n; k++) next -= b[k] * a->dF[(int64_t)k * nc + i];
    a->s[i] = fmax(next, 0);
  }
}

static void anderson(aclm *a, ssi_system *sys, double *r) {
  int nc = sys->nc, memory = (int)a->o.memory;
  double last = a->residual;
  a->residual = evaluate(a, sys, a->s, r);
  note_change(a, sys, a->s);
  bool first = !isfinite(last);
  if (a->residual > 2 * last) a->stored = 0, first = true;  // start again from here
  if (!first) {
    int64_t slot = (int64_t)(a->stored++ % memory) * nc;
    for (int i = 0; i < nc; i++) {
      a->df[slot + i] = a->F[i] - a->s[i] - a->f_old[i];
      a->dF[slot + i] = a->F[i] - a->F_old[i];
    }
  }
  for (int i = 0; i < nc; i++) a->f_old[i] = a->F[i] - a->s[i], a->F_old[i] = a->F[i];
  combine(a, sys);
}

static void picard(aclm *a, ssi_system *sys, double *r) {
  a->residual = evaluate(a, sys, a->s, r);
  note_change(a, sys, a->s);
  memcpy(a->s, a->F, sizeof(double) * (size_t)sys->nc);
}

// The least-squares function |F(s) - s|^2 must fall along s -> next, tried whole, halved, quartered;
// else picard, which need not decrease it. In all cases r, g and F belong to s afterwards.
static void newton(aclm *a, ssi_system *sys, double *r) {
  size_t bytes = sizeof(double) * (size_t)sys->nc, room = sizeof(double) * (size_t)sys->m;
  if (!a->evaluated) {
    a->residual = evaluate(a, sys, a->s, r);
    note_change(a, sys, a->s);
    a->evaluated = true;
    return;
  }
  double *next = a->trial_s, *F = a->F;
  double alpha = fmax(1e-10, 0.01 * fmin(a->change, 1));
  bool usable = ssi_aclm_newton_step(a->newton, sys, r, a->g, a->s, alpha, next);
  if (usable) {
    for (int i = 0; i < sys->nc; i++) next[i] = fmax(next[i], 0);
    for (double t = 1; t >= 0.25; t /= 2) {
      memcpy(a->trial_r, r, room);
      double now = evaluate(a, sys, next, a->trial_r);
      if (now <= (1 - 1e-4 * t) * a->residual) {
        a->residual = now;
        memcpy(r, a->trial_r, room);
        memcpy(a->s, next, bytes);
        note_change(a, sys, a->s);
        return;
      }
      for (int i = 0; i < sys->nc; i++) next[i] = (next[i] + a->s[i]) / 2;
    }
    a->convex.s = a->s;  // F at s again: the trials have overwritten it
    ssi_convex_gradient(&a->convex, r, a->g);
    tangent_norms(sys, a->g, F);
  }
  memcpy(a->s, F, bytes);
  a->residual = evaluate(a, sys, a->s, r);
  note_change(a, sys, a->s);
}

static ssi_verdict step(void *state, ssi_system *sys, double *r, double *estimate) {
  aclm *a = state;
  (void)
      estimate;  // a residual costs little beside an inner problem: the driver measures every step
  if (a->o.outer == SSI_OUTER_PICARD)
    picard(a, sys, r);
  else if (a->o.outer == SSI_OUTER_ANDERSON)
    anderson(a, sys, r);
  else
    newton(a, sys, r);
  if (a->own_test <= a->o.stop && a->o.stop > 0) return SSI_ACCEPTED;
  if (a->o.programs > 0 && a->solves >= (int)a->o.programs) return SSI_STALLED;
  a->quiet = a->change <= DBL_EPSILON ? a->quiet + 1 : 0;
  return a->quiet > 20 ? SSI_STALLED : SSI_CONTINUE;
}

static int inner_solves(const void *state) {
  return ((const aclm *)state)->solves;
}

static double own_test(const void *state) {
  return ((const aclm *)state)->own_test;
}

const ssi_method ssi_method_aclm = {
    .name = "aclm",
    .summary = "fixed point s = |u_T| around a convex program (Acary, Cadoux, Lemarechal, Malick)",
    .state_size = sizeof(aclm),
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .max_iter = 2000,
    .setup = setup,
    .begin = begin,
    .step = step,
    .release = release,
    .inner_solves = inner_solves,
    .own_test = own_test,
};
