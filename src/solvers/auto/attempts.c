// The attempts, cheapest first by what they take where they succeed. Problems with large friction are what
// comes here: criterion (A) does not hold, sweeps and interior points end somewhere, and which method, from which
// start, ends at a solution cannot be told beforehand. docs/solvers-friction.md has the rates.
//
// An attempt ends when its method gives up, at the method's own limit of iterations, or with its budget: steps
// times what a step costs (cost.h), counted and not read off a clock.
#include "solvers/auto/attempts.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/rng.h"
#include "solvers/aclm.h"
#include "solvers/auto/cost.h"
#include "solvers/auto/numbers.h"
#include "solvers/ipm.h"
#include "solvers/newton.h"
#include "solvers/path.h"

extern const ssi_method ssi_method_admm, ssi_method_lemke;

// ---- options -------------------------------------------------------------------------------

static void pushed_apart(void *options) {
  ssi_path_options *o = options;
  o->starts = 1;
}

static void from_random_starts(void *options) {
  ssi_path_options *o = options;
  o->first = 1;
  o->starts = SSI_PATH_STARTS;
  o->limit /= 4;  // rather another start
}

static void without_sweeps(void *options) {
  ssi_newton_settings *o = options;
  o->warmup = 0;
}

static void newton_and_sqp(void *options) {
  ssi_aclm_options *o = options;
  o->outer = SSI_OUTER_NEWTON;
  o->inner = SSI_INNER_SQP;
}

// ---- the table -----------------------------------------------------------------------------

typedef enum space { PLANE = 2, SPACE = 3, BOTH } space;
typedef enum guess { ZERO, RANDOM } guess;  // where it begins; newton alone uses it

typedef struct attempt {
  const char *name;
  const ssi_method *method;       // which must accept the problem
  void (*choose)(void *options);  // options other than the defaults; NULL: none
  space space;                    // problems of which dimension
  guess guess;
  double (*cost)(const ssi_system *sys);  // of a step; NULL: of Newton
} attempt;

static const attempt attempts[] = {
    {"pivots in the plane", &ssi_method_lemke, NULL, PLANE, ZERO, ssi_cost_pivot},
    {"path", &ssi_method_path, pushed_apart, BOTH, ZERO, ssi_cost_path},
    {"newton", &ssi_method_newton, NULL, BOTH, ZERO, NULL},
    {"continuation in mu", &ssi_method_continuation, NULL, BOTH, ZERO, NULL},
    {"interior points", &ssi_method_ipm, NULL, BOTH, ZERO, NULL},
    {"newton elsewhere", &ssi_method_newton, without_sweeps, BOTH, RANDOM, NULL},
    {"newton elsewhere", &ssi_method_newton, without_sweeps, BOTH, RANDOM, NULL},
    {"newton elsewhere", &ssi_method_newton, without_sweeps, BOTH, RANDOM, NULL},
    {"newton elsewhere", &ssi_method_newton, without_sweeps, BOTH, RANDOM, NULL},
    {"path elsewhere", &ssi_method_path, from_random_starts, BOTH, ZERO, ssi_cost_path},
    {"pyramids", &ssi_method_lemke, NULL, SPACE, ZERO, ssi_cost_pivot},
    {"admm", &ssi_method_admm, NULL, BOTH, ZERO, ssi_cost_admm},
    {"aclm", &ssi_method_aclm, newton_and_sqp, BOTH, ZERO, ssi_cost_aclm},
};
enum { ATTEMPTS = sizeof attempts / sizeof *attempts };

const char *ssi_attempt_name(int index) {
  return 0 <= index && index < ATTEMPTS ? attempts[index].name : NULL;
}

// ---- one attempt ---------------------------------------------------------------------------

static void end_attempt(ssi_attempts *a) {
  ssi_instance_release(&a->method);
  ssi_arena_release(&a->arena);
}

void ssi_attempts_begin(ssi_attempts *a) {
  ssi_attempts_release(a);
  a->next = 0;
  a->tried = 0;
}

void ssi_attempts_release(ssi_attempts *a) {
  end_attempt(a);
  ssi_system_destroy(a->own);
  a->own = NULL;
}

static int most_steps(const attempt *t, const ssi_system *sys, const ssi_attempt_means *means) {
  double cost = t->cost ? t->cost(sys) : means->newton_ns;
  return (int)fmin(t->method->max_iter, 1e9 * means->seconds / cost);
}

static ss_error set_up(ssi_attempts *a, const attempt *t, uint64_t seed) {
  void *options = ssi_instance_create(&a->method, t->method, &a->arena);
  if (options && t->choose) t->choose(options);
  return ssi_instance_set_up(&a->method, a->own, seed, &a->arena);
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

static bool start(ssi_attempts *a, const ssi_system *sys, const ssi_attempt_means *means,
                  double *r) {
  const attempt *t = &attempts[a->next];
  uint64_t own_seed = means->seed + 0x9e3779b97f4a7c15u * (uint64_t)a->next;
  a->steps = 0;
  a->most = most_steps(t, sys, means);
  if (t->space != BOTH && (int)t->space != sys->dim) return false;
  if (a->most < SSI_WINDOW) return false;
  a->tried |= ssi_method_bit(t->method);  // or it cannot take the problem
  if (set_up(a, t, own_seed)) return false;
  if (sys->m) memset(r, 0, sizeof(double) * (size_t)sys->m);
  if (t->guess == RANDOM) random_start(sys, own_seed, r);
  ssi_instance_begin(&a->method, a->own, r);
  return true;
}

bool ssi_attempts_enter(ssi_attempts *a, const ssi_system *sys, const ssi_attempt_means *means,
                        double *r) {
  a->arena.ctx = sys->ctx;
  if (!a->own && ssi_system_create_for(sys->ctx, &sys->p, sys->threads, &a->own)) return false;
  a->own->tol = sys->tol;
  ssi_system_listen(a->own, sys);
  while (a->next < ATTEMPTS) {
    bool started = start(a, sys, means, r);
    if (started)
      ssi_log(sys->ctx, SS_LOG_INFO, "auto: attempt by %s, at most %d steps",
              attempts[a->next].name, a->most);
    a->next++;
    if (started) return true;
    end_attempt(a);
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

ssi_verdict ssi_attempts_step(ssi_attempts *a, double *r, double *estimate) {
  ssi_verdict v = ssi_instance_step(&a->method, a->own, r, estimate);
  bool on = v == SSI_CONTINUE && ++a->steps < a->most;
  if (!broken_down(a->own, r) && on) return SSI_CONTINUE;
  end_attempt(a);
  return SSI_STALLED;
}
