// Existence where the certificate of criterion (A) does not decide it: docs/existence.md, section 9.
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/timer.h"
#include "problem/check.h"
#include "stickslip/describe.h"
#include "stickslip/diagnose.h"
#include "stickslip/refute.h"

// What is tried is counted, so that a verdict does not depend on how busy the machine is; each is some ten
// seconds of an idle one. A node of the enumeration costs about nc^3, a cell of the refutation some 20 us.
static const double NODES = 2e8;  // over nc^3: 48,000 with 16 contacts, 390,000 with 8
enum { CELLS = 400000 };          // of ss_refute
static const double SECONDS =
    10;  // of `auto`, whose work on a large problem has no bound of its own
static const double TOLERANCE = 1e-10;        // of a solution that is to prove itself
static const double LOOSE_TOLERANCE = 1e-15;  // as near as it gets: it is to hold to rounding
enum { CONTACTS = 16 };  // in the plane; above, enumeration is left to ss_enumerate
// In space, of the largest component, and in all; above, trying all states takes too long to be asked.
enum { SPACE_CONTACTS = 8, SPACE_IN_ALL = 200 };

#define WORD(name, word) word,
static const char *const proof_names[] = {SS_PROOFS(WORD)};
#undef WORD

const char *ss_proof_name(ss_proof p) {
  bool known = (size_t)p < sizeof proof_names / sizeof *proof_names;
  return known ? proof_names[p] : "unknown";
}

typedef struct settling {
  ss_settlement out;  // first, so that ss_settlement_destroy finds its owner
  ssi_arena arena;
  ss_context *ctx;
  const ss_problem *p;
  ss_settle_options o;
  double begin_s;
  ss_error error;  // no memory; whatever else fails leaves the question open
} settling;

static bool failed(settling *s, ss_error e) {
  if (e == SS_ERR_MEMORY) s->error = e;
  return e != SS_OK;
}

static bool stopped(const settling *s) {
  return s->error || (s->o.stop && s->o.stop(s->o.user));
}

// Of the limit, in the way options say it: 0 for none, and never so little that it would mean that.
static double left_s(const settling *s) {
  if (s->o.time_limit_s <= 0) return 0;
  return fmax(s->begin_s + s->o.time_limit_s - ssi_now_s(), 1e-3);
}

static size_t rows(const settling *s) {
  return (size_t)s->p->dim * (size_t)s->p->nc;
}

static void keep(settling *s, const double *r) {
  if (!r) return;
  double *copy = SSI_TAKE(&s->arena, rows(s), double);
  if (!copy) s->error = SS_ERR_MEMORY;
  if (copy) s->out.r = memcpy(copy, r, rows(s) * sizeof *r);
}

static void prove(settling *s, ss_proof proof, ss_existence existence) {
  s->out.proof = proof;
  s->out.existence = existence;
}

// ---- in the plane --------------------------------------------------------------------------

static int stop_enumeration(void *user, const ss_enumerate_progress *now) {
  const settling *s = user;
  double nc = (double)s->p->nc;
  return stopped(s) || (double)now->nodes * nc * nc * nc > NODES;
}

static const double *first_solution(const ss_solution_set *set) {
  if (set->count == 0) return NULL;
  const ss_component *first = &set->components[0];
  if (first->isolated) return first->r;
  return first->cells[0].vertex_count > 0 ? first->cells[0].vertices[0].r : NULL;
}

static void conclude(settling *s, const ss_solution_set *set) {
  bool exists = set->certain || (set->rigorous && set->count > 0);
  bool none = set->rigorous && set->count == 0;
  s->out.count = set->count;
  s->out.exact = set->exact;
  if (exists || none) prove(s, SS_PROOF_ENUMERATION, exists ? SS_EXISTS : SS_NONE);
  keep(s, first_solution(set));
}

// In doubles, and where these do not decide (ties within rounding, a singular W), in rationals.
static void enumerate(settling *s) {
  ss_enumerate_options o = ss_enumerate_options_default();
  o.exact = s->o.exact;
  o.progress = stop_enumeration;
  o.user = s;
  for (bool again = true; again; o.rational = true) {
    ss_solution_set *set = NULL;
    o.time_limit_s = left_s(s);
    if (failed(s, ss_enumerate(s->ctx, s->p, &o, &set))) return;
    conclude(s, set);
    again = !s->out.proof && !set->exact;
    ss_solution_set_destroy(set);
  }
}

// ---- a solution ----------------------------------------------------------------------------

static void try_solution(settling *s, const double *r) {
  ss_solution_proof proof;
  keep(s, r);
  if (failed(s, ss_prove_solution(s->ctx, s->p, r, &proof)) || !proof.proved) return;
  prove(s, SS_PROOF_SOLUTION, SS_EXISTS);
}

static int stop_solve(void *user, const ss_info *now) {
  (void)now;
  return stopped(user);
}

static void solve(settling *s) {
  ss_options o = ss_options_default();
  ss_solver *solver = NULL;
  ss_info info;
  double *r = SSI_TAKE(&s->arena, rows(s), double);
  o.tol = TOLERANCE;
  o.time_limit_s = s->o.time_limit_s > 0 ? fmin(left_s(s), SECONDS) : SECONDS;
  o.progress = stop_solve;
  o.user = s;
  if (!failed(s, r ? SS_OK : SS_ERR_MEMORY) &&
      !failed(s, ss_solver_create(s->ctx, s->p, &o, &solver)) &&
      !failed(s, ss_solve(solver, r, NULL, NULL, NULL, &info)) && info.status == SS_SOLVED)
    try_solution(s, r);
  ss_solver_destroy(solver);
}

// Where M is singular a solution must prove itself to the check of a certificate (certify/loose_proof.c).
static bool is_loose(settling *s) {
  int count = -1;
  if (s->p->form != SS_GLOBAL) return false;
  return !failed(s, ss_problem_loose(s->ctx, s->p, &count)) && count >= 0;
}

static void solve_loose(settling *s) {
  ss_options o = ss_options_default();
  ss_info info;
  double *r = SSI_TAKE(&s->arena, rows(s), double), *v = SSI_TAKE(&s->arena, s->p->ndof, double);
  double *l = SSI_TAKE(&s->arena, s->p->nl, double);
  o.tol = LOOSE_TOLERANCE;
  o.time_limit_s = s->o.time_limit_s > 0 ? fmin(left_s(s), SECONDS) : SECONDS;
  o.progress = stop_solve;
  o.user = s;
  if (failed(s, s->arena.failed ? SS_ERR_MEMORY : SS_OK) ||
      failed(s, ss_solve_loose(s->ctx, s->p, &o, r, NULL, v, l, &info)))
    return;
  s->out.r = r, s->out.v = v, s->out.l = s->p->nl ? l : NULL;
}

// ---- in space ------------------------------------------------------------------------------

static int stop_refutation(void *user, const ss_refute_progress *now) {
  (void)now;
  return stopped(user);
}

static void refute(settling *s) {
  ss_refute_options o = ss_refute_options_default();
  ss_refutation *found = NULL;
  o.max_cells = CELLS;
  o.time_limit_s = left_s(s);
  o.progress = stop_refutation;
  o.user = s;
  if (failed(s, ss_refute(s->ctx, s->p, &o, &found))) return;
  s->out.cells = found->cells;
  s->out.reach = found->reach;
  if (found->verdict == SS_NONE) prove(s, SS_PROOF_ALL_STATES, SS_NONE);
  if (found->verdict == SS_EXISTS) try_solution(s, found->solution);
  for (int k = 0; k < found->answer_count && !s->out.proof; k++)
    try_solution(s, found->answers + (size_t)k * rows(s));
  ss_refutation_destroy(found);
}

static bool is_few(settling *s) {
  ss_description d;
  if (s->p->dim != 3 || s->p->nc > SPACE_IN_ALL) return false;
  return s->p->nc <= SPACE_CONTACTS ||
         (!failed(s, ss_describe(s->ctx, s->p, 1, &d)) && d.largest_component <= SPACE_CONTACTS);
}

// ---- all of it -----------------------------------------------------------------------------

static void settle(settling *s) {
  if (s->p->nc == 0) return;
  if (is_loose(s)) {
    if (s->o.solve) solve_loose(s);
    return;
  }
  if (s->p->dim == 2 && s->p->nc <= CONTACTS) {
    enumerate(s);
    return;
  }
  if (s->o.solve) solve(s);
  if (!s->out.proof && !stopped(s) && is_few(s)) refute(s);
}

ss_error ss_settle(ss_context *ctx, const ss_problem *p, const ss_settle_options *o,
                   ss_settlement **out) {
  if (!p || !out) return ssi_fail(ctx, SS_ERR_ARGUMENT, "ss_settle: null argument");
  *out = NULL;
  SS_TRY(ssi_problem_check_structure(ctx, p));
  ssi_arena arena = {.ctx = ctx};
  settling *s = SSI_TAKE(&arena, 1, settling);
  if (!s) return ssi_fail(ctx, SS_ERR_MEMORY, "no memory to settle existence");
  s->arena = arena;
  s->ctx = ctx;
  s->p = p;
  s->begin_s = ssi_now_s();
  if (o) s->o = *o;
  s->out.existence = SS_UNDECIDED;
  settle(s);
  s->out.late =
      !s->out.proof && s->o.time_limit_s > 0 && ssi_now_s() - s->begin_s >= s->o.time_limit_s;
  s->out.time_s = ssi_now_s() - s->begin_s;
  ss_error e = s->error;
  if (e) return ss_settlement_destroy(&s->out), ssi_fail(ctx, e, "no memory to settle existence");
  *out = &s->out;
  return SS_OK;
}

void ss_settlement_destroy(ss_settlement *s) {
  if (!s) return;
  ssi_arena_release_home(((settling *)s)->arena);
}
