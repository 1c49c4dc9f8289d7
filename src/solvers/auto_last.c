// The attempts, cheapest first by what they take where they succeed. Problems with large friction are what
// comes here: criterion (A) does not hold, sweeps and interior points end somewhere, and which method, from which
// start, ends at a solution cannot be told beforehand. docs/solvers-friction.md has the rates.
//
// Budgets are counted: steps times what a step costs in counted seconds (operations; no clock). A second round
// has four times the budgets and other random starts.
#include "solvers/auto_last.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/rng.h"
#include "solvers/continuation.h"

typedef enum guess { ZERO, RANDOM } guess;  // where it begins; newton alone uses it

typedef double (*cost)(const ssi_system *sys, double newton_s);  // counted seconds of a step

// ---- what a step costs ---------------------------------------------------------------------

static double one_newton(const ssi_system *sys, double newton_s) {
  (void)sys;
  return newton_s;
}

static double dense_lu(const ssi_system *sys, double newton_s) {
  double rows = sys->m;
  (void)newton_s;
  return 0.1e-9 * rows * rows * rows + 3e-9 * rows * rows;
}

static double one_pivot(const ssi_system *sys, double newton_s) {
  double rows = sys->dim == 2 ? 4.0 * sys->nc : 10.0 * sys->nc;
  (void)newton_s;
  return 0.3e-9 * rows * rows;
}

static double product(const ssi_system *sys) {  // with W, at most full
  double rows = sys->m;
  return 0.5e-9 * fmin(rows * rows, 200 * rows);
}

static double one_solve(const ssi_system *sys, double newton_s) {  // with a factor, and Anderson
  (void)newton_s;
  return 2 * product(sys) + 40e-9 * sys->m;
}

static double convex_program(const ssi_system *sys, double newton_s) {
  (void)newton_s;
  return 2000 * product(sys);
}

// ---- who may take the problem --------------------------------------------------------------

static bool always(const ssi_system *sys) {
  (void)sys;
  return true;
}

static bool in_the_plane(const ssi_system *sys) {
  return sys->dim == 2;
}

static bool in_space(const ssi_system *sys) {
  return sys->dim == 3;
}

// ---- the table -----------------------------------------------------------------------------

typedef struct attempt {
  const char *name, *method;
  ss_setting setting[2];
  bool (*enter)(const ssi_system *);  // and the method must accept the problem
  guess guess;
  int steps;    // at most, in the first round
  double work;  // counted seconds at most, in the first round
  cost cost;    // of a step
} attempt;

static const attempt attempts[] = {
    {"pivots in the plane", "lemke", {{0}}, in_the_plane, ZERO, 50000, 2, one_pivot},
    {"path", "path", {{"starts", "1"}}, always, ZERO, 20000, 4, dense_lu},
    {"newton", "newton", {{0}}, always, ZERO, 1500, 0.5, one_newton},
    {"continuation in mu", NULL, {{0}}, always, ZERO, 600, 0.5, one_newton},
    {"interior points", "ipm", {{0}}, always, ZERO, 300, 0.5, one_newton},
    {"newton elsewhere", "newton", {{"warmup", "0"}}, always, RANDOM, 150, 0.1, one_newton},
    {"newton elsewhere", "newton", {{"warmup", "0"}}, always, RANDOM, 150, 0.1, one_newton},
    {"newton elsewhere", "newton", {{"warmup", "0"}}, always, RANDOM, 150, 0.1, one_newton},
    {"newton elsewhere", "newton", {{"warmup", "0"}}, always, RANDOM, 150, 0.1, one_newton},
    {"path elsewhere",
     "path",
     {{"first", "1"}, {"limit", "5000"}},
     always,
     ZERO,
     20000,
     2,
     dense_lu},
    {"pyramids", "lemke", {{0}}, in_space, ZERO, 5000, 0.5, one_pivot},
    {"admm", "admm", {{0}}, always, ZERO, 5000, 0.5, one_solve},
    {"aclm", "aclm", {{"outer", "newton"}, {"inner", "sqp"}}, always, ZERO, 50, 1, convex_program},
};
enum { ATTEMPTS = sizeof attempts / sizeof *attempts, ROUNDS = 2, GROWTH = 4, FEWEST = 20 };

const char *ssi_last_name(int index) {
  return 0 <= index && index < ATTEMPTS ? attempts[index].name : NULL;
}

static const ssi_method *method_of(const attempt *a) {
  return a->method ? ssi_method_find(a->method) : &ssi_method_continuation;
}

// ---- one attempt ---------------------------------------------------------------------------

static void end_attempt(ssi_last *l) {
  if (l->state && l->method->release) l->method->release(l->state);
  l->method = NULL;
  l->state = NULL;
  ssi_arena_release(&l->arena);
}

void ssi_last_begin(ssi_last *l) {
  ssi_last_release(l);
  l->next = 0;
  l->tried = 0;
}

void ssi_last_release(ssi_last *l) {
  end_attempt(l);
  ssi_system_destroy(l->own);
  l->own = NULL;
}

static int most_steps(const attempt *a, const ssi_system *sys, double newton_s, int round) {
  double more = pow(GROWTH, round), affordable = a->work * more / a->cost(sys, newton_s);
  return (int)fmin(a->steps * more, fmin(affordable, 1e9));
}

static ss_error set_up(ssi_last *l, const attempt *a, uint64_t seed) {
  int settings = 0;
  while (settings < 2 && a->setting[settings].key) settings++;
  l->method = method_of(a);
  l->state = ssi_arena_take(&l->arena, 1, l->method->state_size);
  if (!l->state) return SS_ERR_MEMORY;
  SS_TRY(ssi_settings_apply(l->own->ctx, l->method, a->setting, settings, l->state));
  if (l->method->setup) SS_TRY(l->method->setup(l->state, l->own, seed, &l->arena));
  if (l->arena.failed) return SS_ERR_MEMORY;
  return l->method->refresh ? l->method->refresh(l->state, l->own) : SS_OK;
}

// Some contacts without a reaction, the others anywhere in their cones, around what |q| over lambda makes.
static void random_start(const ssi_system *sys, uint64_t seed, double *r) {
  ssi_rng g = {seed};
  double active = ssi_rng_uniform(&g), size = pow(10, 3 * ssi_rng_uniform(&g) - 2);
  for (int64_t i = 0; i < sys->nc; i++) {
    double angle = 6.283185307179586 * ssi_rng_uniform(&g), inside = ssi_rng_uniform(&g);
    double unit = sys->norm_q / sys->lambda_max[i] / sqrt((double)sys->nc), *ri = r + sys->dim * i;
    ri[0] = ssi_rng_uniform(&g) < active ? size * unit * ssi_rng_uniform(&g) : 0;
    ri[1] = inside * sys->p.mu[i] * ri[0] * (sys->dim == 3 ? cos(angle) : angle < 3 ? 1 : -1);
    if (sys->dim == 3) ri[2] = inside * sys->p.mu[i] * ri[0] * sin(angle);
  }
}

static bool start(ssi_last *l, const ssi_system *sys, uint64_t seed, double newton_s, double *r) {
  const attempt *a = &attempts[l->next % ATTEMPTS];
  int round = l->next / ATTEMPTS;
  uint64_t own_seed = seed + 0x9e3779b97f4a7c15u * (uint64_t)l->next;
  l->steps = 0;
  l->most = most_steps(a, sys, newton_s, round);
  if (!a->enter(sys)) return false;
  if (l->most < FEWEST) return false;
  l->tried |= ssi_method_bit(method_of(a));  // or it cannot take the problem
  if (set_up(l, a, own_seed)) return false;
  if (sys->m) memset(r, 0, sizeof(double) * (size_t)sys->m);
  if (a->guess == RANDOM) random_start(sys, own_seed, r);
  if (l->method->begin) l->method->begin(l->state, l->own, r);
  return true;
}

bool ssi_last_enter(ssi_last *l, const ssi_system *sys, uint64_t seed, double newton_s, double *r) {
  l->arena.ctx = sys->ctx;
  if (!l->own && ssi_system_create_for(sys->ctx, &sys->p, sys->threads, &l->own)) return false;
  l->own->tol = sys->tol;
  while (l->next < ROUNDS * ATTEMPTS) {
    bool started = start(l, sys, seed, newton_s, r);
    if (started)
      ssi_log(sys->ctx, SS_LOG_INFO, "auto: last resort, %s, at most %d steps",
              attempts[l->next % ATTEMPTS].name, l->most);
    l->next++;
    if (started) return true;
    end_attempt(l);
  }
  return false;
}

// The driver would take an r that is not finite for the end of everything.
static bool broken_down(const ssi_system *sys, double *r) {
  bool finite = true;
  for (int k = 0; k < sys->m; k++) finite &= isfinite(r[k]) != 0;
  if (!finite) memset(r, 0, sizeof(double) * (size_t)sys->m);
  return !finite;
}

ssi_verdict ssi_last_step(ssi_last *l, double *r, double *estimate) {
  ssi_verdict v = l->method->step(l->state, l->own, r, estimate);
  bool on = v == SSI_CONTINUE && ++l->steps < l->most;
  if (!broken_down(l->own, r) && on) return SSI_CONTINUE;
  end_attempt(l);
  return SSI_STALLED;
}
