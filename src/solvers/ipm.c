// Primal-dual interior point on the whole problem, s = |u_T| refreshed in every iteration.
//
//     u = W r + q,    K_i* ∋ u_i + mu_i |u_iT| e  ⊥  r_i ∈ K_i                             (1)
//
// One step is one iteration of ipm_core.c: one factorisation, two solutions with it. The derivative of
// |u_T| stays in the linear system, which is therefore not symmetric. Cost: LU of a matrix of m rows,
// or, for rigid bodies, of as many rows as there are degrees of freedom (ipm_linear.h). The number of
// iterations hardly depends on the size of the problem: 5 to 30.
//
// With s given (s=fixed: that of the guess) it is the convex program (3.15) of [ACLM11] instead, whose
// answer solves (1) only if s = |u_T|.
//
// The guess is of no use to it, unless `near` says how far from it to begin: an interior point has to
// begin away from all boundaries.
//
// When it fails: (1) is not monotone, and the iteration can get stuck at small steps; it then begins
// again elsewhere. A contact on the border between two states (r = 0 and u_N = 0, say) lets the error
// fall only like the root of the gap, so that rounding stops it near 1e-9. Large masses on small ones
// (10^10 in all). A matrix that LU fills up: 10^5 contacts in a heap.
#include <math.h>

#include "base/error.h"
#include "cone/friction.h"
#include "solvers/ipm.h"

enum { S_REFRESHED, S_FIXED };

typedef struct ipm {
  ssi_ipm_options o;
  ssi_ipm core;
  double *s;  // with s=fixed   (nc)
  int start;  // which of starts[] the iteration came from
  int done;   // iterations from there
} ipm;

static const char *const s_names[] = {"refreshed", "fixed", NULL};
static const char *const system_names[] = {"auto", "reduced", "global", NULL};
static const char *const direction_names[] = {"aho", "nt", NULL};

// z and y at the beginning, in the units of the iteration. The first takes the fewest iterations over
// the problems of docs/solvers-ipm.md; the others come in turn when it gets stuck: small ones for
// piles that slide, on other paths to other answers, large ones for problems whose reactions are far
// above |q|/W (heavy on light, large mu).
static const double starts[][2] = {{1, 0.1}, {0.1, 0.1}, {10, 10},  {1e4, 1},
                                   {0.1, 1}, {1e6, 100}, {10, 100}, {1, 1}};
enum { STARTS = sizeof starts / sizeof *starts };

static const ssi_option options[] = {
    {"s", offsetof(ssi_ipm_options, s), S_REFRESHED, 0, 1,
     "s = |u_T| in every iteration, or fixed at that of the guess (a convex problem)", s_names},
    {"system", offsetof(ssi_ipm_options, system), SSI_IPM_AUTO, 0, 2,
     "linear system: m rows, or one row per degree of freedom (global form, block-diagonal M)",
     system_names},
    {"direction", offsetof(ssi_ipm_options, direction), SSI_IPM_AHO, 0, 1,
     "of Alizadeh, Haeberly and Overton, or of Nesterov and Todd", direction_names},
    {"limit", offsetof(ssi_ipm_options, limit), 1e9, 1, 1e9, "iterations from one start", NULL},
    {"first", offsetof(ssi_ipm_options, first), 0, 0, STARTS - 1, "which of its starts comes first",
     NULL},
    {"starts", offsetof(ssi_ipm_options, starts), STARTS, 1, STARTS,
     "how many are tried, one after the other", NULL},
    {"near", offsetof(ssi_ipm_options, near), 0, 0, 1e9,
     "begin near the guess in place of the first start, with this as complementarity (|q| = 1); "
     "0: not",
     NULL},
};

static ss_error setup(void *state, ssi_system *sys, uint64_t seed, ssi_arena *arena) {
  ipm *p = state;
  (void)seed;
  p->core.way = (ssi_ipm_way)p->o.system;
  if (p->o.s == S_FIXED) p->s = SSI_TAKE(arena, sys->nc, double);
  return ssi_ipm_setup(&p->core, sys, arena);
}

static ss_error refresh(void *state, ssi_system *sys) {
  ipm *p = state;
  (void)sys;
  ssi_ipm_refresh(&p->core);
  return SS_OK;
}

void ssi_ipm_choose(void *state, const ssi_ipm_options *o) {
  ((ipm *)state)->o = *o;
}

static void begin_at(ipm *p, int start) {
  p->start = start;
  p->done = 0;
  p->core.direction = (ssi_ipm_direction)p->o.direction;
  ssi_ipm_begin(&p->core, p->s, starts[start][0], starts[start][1]);
}

static void begin(void *state, ssi_system *sys, const double *r) {
  ipm *p = state;
  if (p->s) {
    ssi_system_velocity(sys, r, p->core.g);
    for (int64_t i = 0; i < sys->nc; i++)
      p->s[i] = ssi_tangent_norm(sys->dim, p->core.g + sys->dim * i);
  }
  begin_at(p, (int)p->o.first);
  if (p->o.near > 0) {
    ssi_system_velocity(sys, r, p->core.g);
    ssi_ipm_begin_near(&p->core, p->s, r, p->core.g, p->o.near);
  }
}

// Stuck for good, or only at the limit of rounding next to an answer?
static bool near_an_answer(ipm *p, ssi_system *sys, const double *r) {
  double error, error_fclib;
  ssi_system_velocity(sys, r, p->core.g);
  ssi_system_measure(sys, r, p->core.g, &error, &error_fclib);
  return error < 1e-6;
}

static ssi_verdict step(void *state, ssi_system *sys, double *r, double *estimate) {
  ipm *p = state;
  (void)
      estimate;  // an iteration costs so much more than a residual that the driver may measure all
  bool goes_on = ssi_ipm_iterate(&p->core) && ++p->done < p->o.limit;
  ssi_ipm_reactions(&p->core, r);
  if (goes_on && !(p->s && ssi_ipm_converged(&p->core, 1e-14))) return SSI_CONTINUE;
  if (p->start + 1 >= fmin(p->o.first + p->o.starts, STARTS) || p->s || near_an_answer(p, sys, r))
    return SSI_STALLED;
  begin_at(p, p->start + 1);
  return SSI_CONTINUE;
}

static void release(void *state) {
  ipm *p = state;
  ssi_ipm_release(&p->core);
}

const ssi_method ssi_method_ipm = {
    .name = "ipm",
    .summary = "primal-dual interior point; for degenerate, hyperstatic stacks",
    .state_size = sizeof(ipm),
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .max_iter = 300,
    .setup = setup,
    .refresh = refresh,
    .begin = begin,
    .step = step,
    .release = release,
};
