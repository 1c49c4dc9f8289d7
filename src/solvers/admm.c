// Alternating directions (ADMM) on one variable, with Anderson acceleration.
//
// With s = |u_T| held fixed the problem is the optimality condition of a convex one,
//
//     min  1/2 r.W r + r.(q + mu s e)   over  r = y,  y ∈ K                               (1)
//
// whose augmented Lagrangian, in the metric D = rho Lambda, Lambda = diag(lambda_i I), with lambda_i the
// largest eigenvalue of W_ii and xi the multiplier of r = y divided by D, is minimised in turn over
// r, over y, and followed by a step of the multiplier; alpha in (0, 2) relaxes:
//
//     r   = argmin 1/2 r.W r + r.(q + mu s e) + 1/2 |r - y + xi|_D^2
//     r^  = alpha r + (1 - alpha) y,    y+ = P_K(r^ + xi),    xi+ = xi + r^ - y+          (2)
//
// Call w = r^ + xi what is projected. Then y = P_K(w), xi = w - y, and (2) is a map w -> w+:
//
//     y = P_K(w),    (W + D) r = D (2 y - w) - q - mu s e,    w+ = w + alpha (r - y)      (3)
//
// (Douglas-Rachford). K is a cone and D one number per contact, so P_K needs no metric. At a fixed point
// r = y and  W r + q + mu s e = -D xi,  where -xi is in K* and orthogonal to y: (4) of docs/theory.md if
// s = |u_T|. The tangent part of that equation says u_T = -D xi_T, so that s need not be an outer loop:
//
//     s_i = rho lambda_i |xi_iT|   in every step                                          (4)
//
// and the velocity of r comes for free: u = D (2 y - w - r) - mu s e, no product with W. r is handed
// out, not y: its velocity is exact and its error is at most about 2 lambda |r - y|, which makes the
// estimate; y would have |W (r - y)| on top.
//
// A guess r starts at  w = r - (u + mu |u_T| e) / (rho lambda),  the fixed point if r is a solution. (Not
// at a closing contact without guess and with mu > 1: from there, hardly outside the polar cone, a
// step leads mu^2 times less far than it should; w = 0 instead.)
//
// (3) is accelerated by la/anderson.h, memory 15, every third step, in the norm of D, and without
// over-relaxation (alpha = 1.6 takes 1.2 times the steps then, the geometric mean over 17 shared problems).
// That is up to 10 times faster than the plain map while the active set holds, but can wander for ever
// where contacts sit on the border between two states; the plain map does not. So when nothing better
// was found for `patience` steps, the best w is taken up again without acceleration, with alpha = 1.6,
// until the estimate fell tenfold or for a number of steps that doubles each time.
//
// Cost: one factorisation of W + D, or of dof size for rigid bodies (problem/shifted.h); a step is one
// solve with it, two projections' worth of arithmetic and 2 memory + 5 passes over m numbers.
// The penalty may follow the curvature seen along the iterates (option penalty=spectral, [XFG17]),
// one factorisation for each change, six at most.
//
// Fails: no proof for mu > 0 (s depends on r); slow where the answer is degenerate.
//
// [BPCPE11] S. Boyd, N. Parikh, E. Chu, B. Peleato, J. Eckstein, Distributed optimization and
//           statistical learning via the alternating direction method of multipliers, Foundations
//           and Trends in Machine Learning 3 (2011) 1-122.
// [XFG17]   Z. Xu, M. Figueiredo, T. Goldstein, Adaptive ADMM with spectral penalty parameter
//           selection, AISTATS 2017.
#include <math.h>
#include <string.h>

#include "base/clones.h"
#include "base/error.h"
#include "cone/friction.h"
#include "la/anderson.h"
#include "problem/shifted.h"
#include "solvers/method.h"

enum { PENALTY_FIXED, PENALTY_SPECTRAL };
// Steps between looks at the curvature, doubled by each change of the penalty, and their number.
enum { LOOK_EVERY = 10, CHANGES = 6 };
// A plain stretch lasts PLAIN_SHARE 2^turn patience at most.
enum { PLAIN_SHARE = 4, TURNS = 10 };

typedef struct admm {
  double rho, relax, relax_plain, memory, period, patience, penalty, form;  // options
  double *lambda;                                                           // (nc)
  double *weight;      // of Anderson's norm: sqrt(lambda), as D is in (2)   (m)
  double *w, *y;       // (m)
  double *b;           // right-hand side of (3)   (m)
  double *r;           // (m)
  double *best_w;      // (m)
  ssi_shifted linear;  // W + D
  ssi_anderson anderson;
  double best;             // smallest estimate
  int since;               // steps since it was found
  bool plain;              // a stretch without acceleration
  double target;           // estimate that ends it
  int budget, turns;       // steps left in it; stretches so far
  double *old[4];          // r, W r + q + mu s e, y, D xi of an earlier step; with spectral   (m)
  int next_look, changes;  // steps until the next; changes of the penalty
  bool looked;             // old is there
  bool broken;             // no factor: nothing can be done
} admm;

static const char *const penalty_names[] = {"fixed", "spectral", NULL};
static const char *const form_names[] = {"auto", "contacts", "dofs", NULL};

static const ssi_option options[] = {
    {"rho", offsetof(admm, rho), 0.03, 1e-6, 1e6,
     "penalty, in units of each contact's largest eigenvalue of W_ii", NULL},
    {"relax", offsetof(admm, relax), 1, 0.1, 1.95,
     "over-relaxation of steps that are accelerated; 1 is none", NULL},
    {"relax_plain", offsetof(admm, relax_plain), 1.6, 0.1, 1.95, "over-relaxation of plain steps",
     NULL},
    {"memory", offsetof(admm, memory), 15, 0, SSI_ANDERSON_MEMORY,
     "steps that Anderson acceleration looks back; 0: none", NULL},
    {"period", offsetof(admm, period), 3, 1, 1000, "steps between two extrapolations", NULL},
    {"patience", offsetof(admm, patience), 200, 1, 1e6,
     "steps without progress after which to go on without acceleration for a while", NULL},
    {"penalty", offsetof(admm, penalty), PENALTY_FIXED, 0, 1,
     "rho as given, or following the curvature along the iterates", penalty_names},
    {"form", offsetof(admm, form), SSI_SHIFTED_AUTO, 0, 2,
     "size of the factor: contacts (W + rho D) or dofs (rigid bodies in global form)", form_names},
};

// ---- set-up --------------------------------------------------------------------------------

static void copy(int64_t m, const double *from, double *to) {
  if (m) memcpy(to, from, sizeof(double) * (size_t)m);
}

// Of the matrix at hand, bilateral part eliminated; where that leaves next to nothing, of the one
// before.
static void fill_lambda(admm *s, const ssi_system *sys) {
  ssi_block_lambda_max(sys->dim, sys->nc, sys->diag, s->lambda);
  for (int i = 0; i < sys->nc; i++) s->lambda[i] = fmax(s->lambda[i], 1e-3 * sys->lambda_max[i]);
  for (int k = 0; k < sys->m; k++) s->weight[k] = sqrt(s->lambda[k / sys->dim]);
}

static ss_error setup(void *state, ssi_system *sys, uint64_t seed, ssi_arena *arena) {
  admm *s = state;
  (void)seed;
  double **vector[] = {&s->w, &s->y, &s->b, &s->r, &s->best_w};
  s->lambda = SSI_TAKE(arena, sys->nc, double);
  s->weight = SSI_TAKE(arena, sys->m, double);
  for (size_t k = 0; k < sizeof vector / sizeof *vector; k++)
    *vector[k] = SSI_TAKE(arena, sys->m, double);
  for (int k = 0; k < 4 && s->penalty == PENALTY_SPECTRAL; k++)
    s->old[k] = SSI_TAKE(arena, sys->m, double);
  ssi_anderson_rule rule = {(int)s->memory, (int)s->period, .regularisation = 1e-10, .growth = 5,
                            .threads = sys->threads};
  if (!ssi_anderson_create(arena, sys->m, rule, s->weight, &s->anderson)) return SS_ERR_MEMORY;
  fill_lambda(s, sys);
  ss_error e =
      ssi_shifted_create(sys, arena, s->lambda, s->rho, (ssi_shifted_form)s->form, &s->linear);
  return e == SS_ERR_LINEAR
             ? ssi_fail(sys->ctx, SS_ERR_METHOD,
                        "admm: W + rho D is singular for rho = %g, so W is not positive "
                        "semi-definite",
                        s->rho)
             : e;
}

static void release(void *state) {
  ssi_shifted_release(&((admm *)state)->linear);
}

static bool is_zero(int dim, const double *x) {
  return x[0] == 0 && x[1] == 0 && (dim == 2 || x[2] == 0);
}

static void begin(void *state, ssi_system *sys, const double *r) {
  admm *s = state;
  int dim = sys->dim;
  s->broken = s->linear.rho != s->rho && ssi_shifted_change(&s->linear, s->rho);
  ssi_system_velocity(sys, r, s->b);
  for (int64_t i = 0; i < sys->nc; i++) {
    const double *u = s->b + dim * i;
    double d = s->rho * s->lambda[i], *w = s->w + dim * i;
    copy(dim, r + dim * i, w);
    if (sys->p.mu[i] > 1 && u[0] < 0 && is_zero(dim, w)) continue;
    for (int k = 0; k < dim; k++) w[k] -= u[k] / d;
    w[0] -= sys->p.mu[i] * ssi_tangent_norm(dim, u) / d;
  }
  s->best = INFINITY;
  s->plain = s->anderson.rule.memory == 0;
  s->target = 0;
  s->since = s->budget = s->turns = s->changes = 0;
  s->next_look = LOOK_EVERY;
  s->looked = false;
  ssi_anderson_begin(&s->anderson, s->w);
}

// ---- the map (3) ---------------------------------------------------------------------------

// y = P_K(w), b = D (2 y - w) - q - mu s e
SSI_INLINE void project(admm *s, const ssi_system *sys, int dim) {
  for (int64_t i = 0; i < sys->nc; i++) {
    const double *w = s->w + dim * i, *q = sys->q + dim * i;
    double *b = s->b + dim * i, y[3] = {0}, xi[3] = {0};
    double mu = sys->p.mu[i], d = s->linear.rho * s->lambda[i];
    for (int k = 0; k < dim; k++) y[k] = w[k];
    ssi_project(dim, mu, y);
    for (int k = 0; k < dim; k++) {
      xi[k] = w[k] - y[k];
      b[k] = d * (y[k] - xi[k]) - q[k];
      s->y[dim * i + k] = y[k];
    }
    b[0] -= mu * (d * ssi_tangent_norm(dim, xi));  // (4)
  }
}

// w += alpha (r - y). Returns the sums of squares of lambda (r - y) and of u = b + q - D r.
SSI_INLINE void advance(admm *s, const ssi_system *sys, int dim, double *change, double *speed) {
  double sums[2][3] = {{0}}, relax = s->plain ? s->relax_plain : s->relax;
  for (int64_t i = 0; i < sys->nc; i++) {
    double lambda = s->lambda[i], d = s->linear.rho * lambda;
    for (int k = 0; k < dim; k++) {
      int64_t at = dim * i + k;
      double step = s->r[at] - s->y[at], u = s->b[at] + sys->q[at] - d * s->r[at];
      s->w[at] += relax * step;
      sums[0][k] += (lambda * step) * (lambda * step);
      sums[1][k] += u * u;
    }
  }
  *change = sums[0][0] + sums[0][1] + sums[0][2];
  *speed = sums[1][0] + sums[1][1] + sums[1][2];
}

SSI_CLONES static void project2(admm *s, const ssi_system *sys) {
  project(s, sys, 2);
}
SSI_CLONES static void project3(admm *s, const ssi_system *sys) {
  project(s, sys, 3);
}
SSI_CLONES static void advance2(admm *s, const ssi_system *sys, double *change, double *speed) {
  advance(s, sys, 2, change, speed);
}
SSI_CLONES static void advance3(admm *s, const ssi_system *sys, double *change, double *speed) {
  advance(s, sys, 3, change, speed);
}

// ---- the penalty ---------------------------------------------------------------------------

// Curvature of a function between two points, x.g = its change of gradient along the step x: the
// minimum-gradient step where the two Barzilai-Borwein steps agree, else a steepest-descent one.
// false: x and g are too far from parallel to tell.
static bool curvature(double xx, double xg, double gg, double *out) {
  double steepest = gg / xg, least = xg / xx;
  *out = 2 * least > steepest ? least : steepest - least / 2;
  return xg > 0.2 * sqrt(xx * gg) && *out > 0 && isfinite(*out);
}

// rho^2 = (curvature of the quadratic, along r) (curvature of the cone, along y), in the metric Lambda,
// from this step and the last look. Returns the present one where they say nothing.
static double spectral_penalty(admm *s, const ssi_system *sys) {
  double sums[2][3] = {{0}}, found[2] = {0};
  for (int64_t at = 0; at < sys->m; at++) {
    double lambda = s->lambda[at / sys->dim], d = s->linear.rho * lambda;
    double now[4] = {s->r[at], d * (2 * s->y[at] - s->w[at] - s->r[at]), s->y[at],
                     d * (s->w[at] - s->y[at])};
    for (int k = 0; k < 2; k++) {
      double x = now[2 * k] - s->old[2 * k][at], g = now[2 * k + 1] - s->old[2 * k + 1][at];
      sums[k][0] += lambda * x * x;
      sums[k][1] += x * g;
      sums[k][2] += g * g / lambda;
    }
    for (int k = 0; k < 4; k++) s->old[k][at] = now[k];
  }
  bool known[2];
  for (int k = 0; k < 2; k++) known[k] = curvature(sums[k][0], sums[k][1], sums[k][2], &found[k]);
  double rho = known[0] && known[1] ? sqrt(found[0] * found[1])
               : known[0]           ? found[0]
               : known[1]           ? found[1]
                                    : s->linear.rho;
  return fmin(fmax(rho, 1e-3), 10);
}

// y and D xi stay what they are: xi is multiplied by rho/rho+.
static void change_penalty(admm *s, ssi_system *sys, double rho) {
  double factor = s->linear.rho / rho;
  for (int64_t i = 0; i < sys->nc; i++) {
    double *w = s->w + sys->dim * i, y[3] = {0};
    for (int k = 0; k < sys->dim; k++) y[k] = w[k];
    ssi_project(sys->dim, sys->p.mu[i], y);
    for (int k = 0; k < sys->dim; k++) w[k] = y[k] + factor * (w[k] - y[k]);
  }
  s->broken = ssi_shifted_change(&s->linear, rho) != SS_OK;
  s->best = INFINITY;  // best_w belongs to the old one
  s->since = 0;
  s->looked = false;
  s->next_look = LOOK_EVERY << ++s->changes;
  ssi_anderson_begin(&s->anderson, s->w);
}

// Looks at two successive steps every LOOK_EVERY; the penalty to change to, or 0.
static double look(admm *s, const ssi_system *sys) {
  if (s->changes == CHANGES || --s->next_look > 0) return 0;
  bool again = s->looked;
  double rho = spectral_penalty(s, sys), ratio = rho / s->linear.rho;
  s->looked = !again;
  s->next_look = again ? LOOK_EVERY : 1;
  return again && (ratio > 2 || ratio < 0.5) ? rho : 0;
}

// ---- one step ------------------------------------------------------------------------------

// Accelerated and plain stretches in turn, see the head.
static void next_point(admm *s, const ssi_system *sys, double estimate) {
  if (estimate < 0.9 * s->best) {
    s->best = estimate;
    s->since = 0;
    copy(sys->m, s->w, s->best_w);
  }
  s->since++;
  if (s->anderson.rule.memory == 0) return;
  if (!s->plain && s->since > s->patience && s->best < INFINITY) {
    s->plain = true;
    copy(sys->m, s->best_w, s->w);
    s->target = 0.1 * s->best;
    s->budget = (int)fmin(s->patience * PLAIN_SHARE * (1 << s->turns), 1e9);
    if (s->turns < TURNS) s->turns++;
  } else if (s->plain && (estimate < s->target || --s->budget <= 0)) {
    s->plain = false;
    s->since = 0;
    ssi_anderson_begin(&s->anderson, s->w);
  } else if (!s->plain) {
    ssi_anderson_next(&s->anderson, s->w);
  }
}

static ssi_verdict step(void *state, ssi_system *sys, double *r, double *estimate) {
  admm *s = state;
  bool flat = sys->dim == 2;
  (flat ? project2 : project3)(s, sys);
  if (s->broken || ssi_shifted_solve(&s->linear, s->b, s->r)) return SSI_STALLED;
  double rho = s->penalty == PENALTY_SPECTRAL ? look(s, sys) : 0, change, speed;
  (flat ? advance2 : advance3)(s, sys, &change, &speed);
  copy(sys->m, s->r, r);
  *estimate = sqrt(change) / fmax(sys->norm_q, sqrt(speed));
  if (rho > 0)
    change_penalty(s, sys, rho);
  else
    next_point(s, sys, *estimate);
  return SSI_CONTINUE;
}

const ssi_method ssi_method_admm = {
    .name = "admm",
    .summary = "alternating directions with Anderson acceleration, one factorisation",
    .state_size = sizeof(admm),
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .max_iter = 20000,
    .setup = setup,
    .begin = begin,
    .step = step,
    .release = release,
};
