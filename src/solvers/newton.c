// Proximal semismooth Newton: all contacts at once, one linear system per step.
//
// Coulomb's law is the zero of a map F(r, u), piecewise smooth (cone/jacobian.h: Alart-Curnier or
// natural). With an element (A, C) of its generalised Jacobian and u = W r + q a step solves
//
//     A_i lambda_i dr_i + C_i ( (W dr)_i + alpha lambda_i dr_i ) = -F_i,     r <- r + dr         (1)
//
// alpha > 0 is the proximal part: W is singular as soon as a stack is hyperstatic. The term pulls
// towards the current r, so that it moves no zero of F; alpha = 0.1 error keeps the convergence
// superlinear where the solution is regular, until rounding asks for more (proximal_weight).
// newton_linear.c solves (1), with contacts that take off left out.
//
// Full steps. The error need not fall at each of them (active sets are sorted out on the way), so a
// watchdog lets `watchdog` steps pass, then goes back to the best iterate and tries another alpha.
// After `retries` such returns without progress the part gives up; the registered method then runs
// Gauss-Seidel sweeps from the best iterate and tries again.
//
// One step: one LU. Known to fail on 3D piles of spheres with large mu, where active sets do not
// settle, and slow there (fill). docs/solvers-newton.md has the measurements behind the constants.
//
// [AC91] in cone/jacobian.h
#include "solvers/newton.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "solvers/instance.h"
#include "solvers/nsgs.h"

enum { LOOK_EVERY = 10 };  // sweeps between two looks at the error while warming up

// ---- the part for other methods ------------------------------------------------------------

ssi_newton_options ssi_newton_options_default(void) {
  return (ssi_newton_options){.map = SSI_MAP_AC,
                              .alpha = 0.1,
                              .sigma = 2e-4,
                              .rho = 1,
                              .watchdog = 40,
                              .retries = 4,
                              .max_flops = INFINITY};
}

ss_error ssi_newton_create(ssi_newton *n, ssi_system *sys, const ssi_newton_options *o,
                           ssi_arena *arena) {
  *n = (ssi_newton){.o = *o};
  n->linear = SSI_TAKE(arena, sys->nc, ssi_linear);
  n->region = SSI_TAKE(arena, sys->nc, ssi_region);
  n->place = SSI_TAKE(arena, sys->nc, int);
  n->lambda = SSI_TAKE(arena, sys->nc, double);
  n->r = SSI_TAKE(arena, sys->m, double);
  n->u = SSI_TAKE(arena, sys->m, double);
  n->best = SSI_TAKE(arena, sys->m, double);
  n->dr = SSI_TAKE(arena, sys->m, double);
  if (arena->failed) return SS_ERR_MEMORY;
  ssi_newton_renew(n, sys);
  return ssi_newton_linear_create(n, sys, arena);
}

void ssi_newton_renew(ssi_newton *n, ssi_system *sys) {
  ssi_newton_refresh(n);
  for (int i = 0; i < sys->nc; i++) {
    n->lambda[i] = n->o.rho * sys->lambda_max[i];
    n->place[i] = -2;
  }
}

void ssi_newton_refresh(ssi_newton *n) {
  n->lu.analysed = 0;  // UMFPACK looks at the numbers: a new solver would analyse others
}

void ssi_newton_release(ssi_newton *n) {
  ssi_lu_release(&n->lu);
}

static void copy(const ssi_system *sys, const double *from, double *to) {
  if (sys->m) memcpy(to, from, sizeof(double) * (size_t)sys->m);
}

// u and error of n->r; a breakdown counts as an infinite error.
static void evaluate(ssi_newton *n, ssi_system *sys) {
  double error_fclib;
  ssi_system_velocity(sys, n->r, n->u);
  ssi_system_measure(sys, n->r, n->u, &n->error, &error_fclib);
  if (!isfinite(n->error)) n->error = INFINITY;
}

void ssi_newton_begin(ssi_newton *n, ssi_system *sys, const double *r) {
  copy(sys, r, n->r);
  evaluate(n, sys);
  copy(sys, r, n->best);
  n->best_error = n->error;
  n->boost = 1;
  n->idle = n->returns = 0;
  for (int i = 0; i < sys->nc; i++) n->place[i] = -2;  // the same bits in every solve
}

static void linearise(ssi_newton *n, const ssi_system *sys) {
  int dim = sys->dim;
  for (int i = 0; i < sys->nc; i++) {
    const double *r = n->r + dim * (int64_t)i, *u = n->u + dim * (int64_t)i;
    ssi_linear *f = &n->linear[i];
    double x[3] = {0};
    for (int k = 0; k < dim; k++) x[k] = n->lambda[i] * r[k];
    n->region[i] = ssi_linearise(n->o.map, dim, sys->p.mu[i], x, u, f);
    if (n->o.map != SSI_MAP_NATURAL || n->region[i] != SSI_REGION_STICK) continue;
    ssi_identity(dim, 1, f->C);  // B du = -u^ is du = -u: B^-1 u^ = u
    for (int k = 0; k < dim; k++) f->F[k] = u[k];
  }
}

// Back to the best iterate with another alpha: larger, to damp; and in turn much smaller, since a
// heavy body on light ones has eigenvalues of (1) far below the error. SSI_STALLED after `retries`.
static ssi_verdict go_back(ssi_newton *n, ssi_system *sys) {
  copy(sys, n->best, n->r);
  evaluate(n, sys);
  n->idle = 0;
  n->returns++;
  n->boost = n->returns % 2 ? pow(30, (n->returns + 1) / 2) : pow(1e-3, n->returns / 2);
  return n->returns > n->o.retries ? SSI_STALLED : SSI_CONTINUE;
}

// The same error as a few steps ago: the active sets go round in a circle.
static bool circling(ssi_newton *n) {
  int length = n->idle < SSI_NEWTON_MEMORY ? n->idle : SSI_NEWTON_MEMORY;
  bool met = false;
  for (int k = 0; k < length; k++) met |= fabs(n->past[k] - n->error) <= 1e-6 * n->error;
  n->past[n->idle % SSI_NEWTON_MEMORY] = n->error;
  return met;
}

static ssi_verdict watch(ssi_newton *n, ssi_system *sys) {
  if (n->error < n->best_error) {
    if (n->error < 0.9 * n->best_error) n->idle = n->returns = 0;
    if (n->boost > 1) n->boost = fmax(1, n->boost / 10);
    n->best_error = n->error;
    copy(sys, n->r, n->best);
    return SSI_CONTINUE;
  }
  bool enough = circling(n);
  return ++n->idle > n->o.watchdog || enough || n->error == INFINITY ? go_back(n, sys)
                                                                     : SSI_CONTINUE;
}

// Too large slows down: the next error is at least alpha/sigma times this one where (1) has an
// eigenvalue sigma. Too small lets rounding in: u is known to eps, and in the kernel of (1) that makes
// eps/alpha of dr. The two are equal at alpha^2 = eps sigma/error.
static double proximal_weight(const ssi_newton *n) {
  double error = fmin(fmax(n->error, DBL_EPSILON), 1);
  return fmax(n->o.alpha * error, sqrt(DBL_EPSILON * n->o.sigma / error)) * n->boost;
}

ssi_verdict ssi_newton_step(ssi_newton *n, ssi_system *sys, double *r) {
  double alpha = proximal_weight(n);
  linearise(n, sys);
  ssi_verdict verdict;
  if (ssi_newton_direction(n, sys, alpha)) {
    verdict = go_back(n, sys);
  } else {
    for (int k = 0; k < sys->m; k++) n->r[k] += n->dr[k];  // (1)
    evaluate(n, sys);
    verdict = watch(n, sys);
  }
  copy(sys, n->r, r);
  return verdict;
}

// ---- the method ----------------------------------------------------------------------------

typedef struct newton {
  ssi_newton_settings o;
  ssi_newton core;
  ssi_instance sweeps_by;  // nsgs
  bool sweeping;
  int sweeps;  // of this round
  int round;
  double target;  // error at which sweeping ends
} newton;

static const char *const map_names[] = {"ac", "natural", NULL};
static const char *const space_names[] = {"auto", "blocks", "bodies", NULL};

static const ssi_option options[] = {
    {"map", offsetof(ssi_newton_settings, map), SSI_MAP_AC, 0, 1, "Alart-Curnier or natural",
     map_names},
    {"space", offsetof(ssi_newton_settings, space), SSI_NEWTON_AUTO, 0, 2,
     "unknowns: reactions of the active contacts, or velocities of rigid bodies (global form, "
     "block-diagonal M); auto: what should cost less",
     space_names},
    {"alpha", offsetof(ssi_newton_settings, alpha), 0.1, 1e-6, 1e3,
     "proximal weight over the error", NULL},
    {"sigma", offsetof(ssi_newton_settings, sigma), 2e-4, 0, 1,
     "small eigenvalue to reckon with: alpha^2 is not below eps sigma/error", NULL},
    {"rho", offsetof(ssi_newton_settings, rho), 1, 1e-6, 1e6,
     "scale of reactions to velocities in the map", NULL},
    {"watchdog", offsetof(ssi_newton_settings, watchdog), 40, 0, 1000,
     "steps that need not improve", NULL},
    {"retries", offsetof(ssi_newton_settings, retries), 4, 0, 1000,
     "returns to the best iterate, with alpha larger and smaller in turn, before sweeping again",
     NULL},
    {"warmup", offsetof(ssi_newton_settings, warmup), 300, 0, 1e9,
     "Gauss-Seidel sweeps at most, each time", NULL},
    {"warmup_error", offsetof(ssi_newton_settings, warmup_error), 0.1, 0, 1,
     "error at which sweeping ends", NULL},
    {"rounds", offsetof(ssi_newton_settings, rounds), 10, 1, 1e9,
     "times of sweeping before giving up", NULL},
};

static ss_error setup(void *state, ssi_system *sys, uint64_t seed, ssi_arena *arena) {
  newton *s = state;
  ssi_newton_options o = {.map = (ssi_map)s->o.map,
                          .space = (ssi_newton_space)s->o.space,
                          .alpha = s->o.alpha,
                          .sigma = s->o.sigma,
                          .rho = s->o.rho,
                          .watchdog = (int)s->o.watchdog,
                          .retries = (int)s->o.retries,
                          .max_flops = INFINITY};
  SS_TRY(ssi_newton_create(&s->core, sys, &o, arena));
  ssi_instance_create(&s->sweeps_by, &ssi_method_nsgs, arena);
  return ssi_instance_set_up(&s->sweeps_by, sys, seed, arena);
}

static ss_error refresh(void *state, ssi_system *sys) {
  newton *s = state;
  ssi_newton_refresh(&s->core);
  return ssi_instance_refresh(&s->sweeps_by, sys);
}

static ss_error renew(void *state, ssi_system *sys) {
  newton *s = state;
  ssi_newton_renew(&s->core, sys);
  return ssi_instance_renew(&s->sweeps_by, sys);
}

static void release(void *state) {
  newton *s = state;
  ssi_newton_release(&s->core);
}

static void start_sweeping(newton *s, ssi_system *sys, const double *r) {
  s->sweeping = true;
  s->sweeps = 0;
  ssi_instance_begin(&s->sweeps_by, sys, r);
}

static void begin(void *state, ssi_system *sys, const double *r) {
  newton *s = state;
  s->round = 0;
  s->sweeping = false;
  s->target = s->o.warmup_error;
  s->core.factorisations = 0;
  ssi_newton_begin(&s->core, sys, r);
  if (s->core.error > s->target && s->o.warmup > 0) start_sweeping(s, sys, r);
}

static ssi_verdict sweep(newton *s, ssi_system *sys, double *r, double *estimate) {
  ssi_instance_step(&s->sweeps_by, sys, r, estimate);
  bool last = ++s->sweeps >= s->o.warmup;
  if (!last && s->sweeps % LOOK_EVERY) return SSI_CONTINUE;
  ssi_newton_begin(&s->core, sys, r);
  if (last || s->core.error <= s->target) s->sweeping = false;
  return SSI_CONTINUE;
}

// The estimate stays NaN in Newton's steps: the driver measures each, which costs little beside an LU.
static ssi_verdict step(void *state, ssi_system *sys, double *r, double *estimate) {
  newton *s = state;
  if (s->sweeping) return sweep(s, sys, r, estimate);
  if (ssi_newton_step(&s->core, sys, r) == SSI_CONTINUE) return SSI_CONTINUE;
  if (++s->round >= s->o.rounds || s->o.warmup == 0) return SSI_STALLED;
  s->target = 0.1 * s->core.best_error;
  start_sweeping(s, sys, r);
  return SSI_CONTINUE;
}

const ssi_method ssi_method_newton = {
    .name = "newton",
    .summary = "proximal semismooth Newton on all contacts at once, after a few sweeps",
    .state_size = sizeof(newton),
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .max_iter = 5000,
    .setup = setup,
    .renew = renew,
    .refresh = refresh,
    .begin = begin,
    .step = step,
    .release = release,
};
