// cli/settle.c - see settle.h.
#include "cli/settle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/interrupt.h"

static const double SECONDS = 10;
static const double TOLERANCE = 1e-10;  // of a solution that is to prove itself
enum { CONTACTS = 16 };                 // above, enumeration is left to `stickslip enumerate`
// Contacts of the largest component, and in all: above, trying all states in space takes too long to be asked.
enum { SPACE_CONTACTS = 8, SPACE_IN_ALL = 200 };

const char *cli_settled_name(cli_settled_by by) {
  static const char *const names[] = {"not", "enumeration", "solution", "all_states"};
  return names[by];
}

double cli_settle_seconds(double left_s) {
  return left_s > 0 ? fmin(SECONDS, left_s) : SECONDS;
}

// What fails leaves the question open; no memory is said.
static bool failed(cli_session *s, ss_error e) {
  if (e == SS_ERR_MEMORY) s->out_of_memory = true;
  return e != SS_OK;
}

static void keep(const ss_problem *p, const double *r, cli_settled *out) {
  size_t bytes = (size_t)p->dim * (size_t)p->nc * sizeof *r;
  if (!r) return;
  if (!out->r) out->r = malloc(bytes + 1);
  if (out->r) memcpy(out->r, r, bytes);
}

// ---- in the plane --------------------------------------------------------------------------

static int stop_enumeration(void *user, const ss_enumerate_progress *now) {
  (void)user, (void)now;
  return cli_interrupted();
}

static const double *first_solution(const ss_solution_set *set) {
  if (set->count == 0) return NULL;
  const ss_component *first = &set->components[0];
  if (first->isolated) return first->r;
  return first->cells[0].vertex_count > 0 ? first->cells[0].vertices[0].r : NULL;
}

static void conclude(const ss_problem *p, const ss_solution_set *set, cli_settled *out) {
  bool exists = set->certain || (set->rigorous && set->count > 0);
  bool none = set->rigorous && set->count == 0;
  out->count = set->count;
  out->exact = set->exact;
  if (exists || none) out->by = CLI_SETTLED_ENUMERATION;
  if (exists || none) out->existence = exists ? SS_EXISTS : SS_NONE;
  keep(p, first_solution(set), out);
}

static void enumerate(cli_session *s, const ss_file *file, double seconds, cli_settled *out) {
  ss_enumerate_options o = ss_enumerate_options_default();
  ss_solution_set *set = NULL;
  double begin = cli_now_s();
  o.exact = file->exact;
  o.time_limit_s = seconds;
  o.progress = stop_enumeration;
  if (failed(s, ss_enumerate(&s->ctx, &file->problem, &o, &set))) return;
  conclude(&file->problem, set, out);
  bool again = !out->by && !set->exact;  // ties within rounding, or a singular W
  ss_solution_set_destroy(set);
  if (!again) return;
  o.rational = true;
  o.time_limit_s = fmax(seconds - (cli_now_s() - begin), 1e-3);
  if (failed(s, ss_enumerate(&s->ctx, &file->problem, &o, &set))) return;
  conclude(&file->problem, set, out);
  ss_solution_set_destroy(set);
}

// ---- a solution ----------------------------------------------------------------------------

static void try_solution(cli_session *s, const ss_problem *p, const double *r, cli_settled *out) {
  ss_solution_proof proof;
  keep(p, r, out);
  if (failed(s, ss_prove_solution(&s->ctx, p, r, &proof)) || !proof.proved) return;
  out->by = CLI_SETTLED_SOLUTION;
  out->existence = SS_EXISTS;
}

static int stop_solve(void *user, const ss_info *now) {
  (void)user, (void)now;
  return cli_interrupted();
}

static void solve(cli_session *s, const ss_problem *p, double seconds, cli_settled *out) {
  ss_options o = ss_options_default();
  ss_solver *solver = NULL;
  ss_info info;
  double *r = calloc((size_t)p->dim * (size_t)p->nc + 1, sizeof *r);
  o.tol = TOLERANCE;
  o.time_limit_s = seconds;
  o.progress = stop_solve;
  if (r && !ss_solver_create(&s->ctx, p, &o, &solver) &&
      !ss_solve(solver, r, NULL, NULL, NULL, &info) && info.status == SS_SOLVED)
    try_solution(s, p, r, out);
  ss_solver_destroy(solver);
  free(r);
}

// ---- in space ------------------------------------------------------------------------------

static int stop_refutation(void *user, const ss_refute_progress *now) {
  (void)user, (void)now;
  return cli_interrupted();
}

static void refute(cli_session *s, const ss_problem *p, double seconds, cli_settled *out) {
  ss_refute_options o = ss_refute_options_default();
  ss_refutation *found = NULL;
  o.time_limit_s = seconds;
  o.progress = stop_refutation;
  if (failed(s, ss_refute(&s->ctx, p, &o, &found))) return;
  out->cells = found->cells;
  out->reach = found->reach;
  if (found->verdict == SS_NONE) out->by = CLI_SETTLED_ALL_STATES, out->existence = SS_NONE;
  if (found->verdict == SS_EXISTS) try_solution(s, p, found->solution, out);
  for (int k = 0; k < found->answer_count && !out->by; k++)
    try_solution(s, p, found->answers + (size_t)k * (size_t)(p->dim * p->nc), out);
  ss_refutation_destroy(found);
}

static bool is_few(cli_session *s, const ss_problem *p) {
  ss_description d;
  if (p->dim != 3 || p->nc > SPACE_IN_ALL) return false;
  return p->nc <= SPACE_CONTACTS ||
         (!ss_describe(&s->ctx, p, 1, &d) && d.largest_component <= SPACE_CONTACTS);
}

// ---- all of it -----------------------------------------------------------------------------

void cli_settle(cli_session *s, const ss_file *file, double seconds, bool may_solve,
                cli_settled *out) {
  const ss_problem *p = &file->problem;
  double begin = cli_now_s();
  *out = (cli_settled){.existence = SS_UNDECIDED};
  if (p->nc == 0) return;
  if (p->dim == 2 && p->nc <= CONTACTS) {
    enumerate(s, file, seconds, out);
  } else {
    if (may_solve) solve(s, p, seconds, out);
    double left = seconds - (cli_now_s() - begin);
    if (!out->by && left > 0 && !cli_interrupted() && is_few(s, p)) refute(s, p, left, out);
  }
  out->time_s = cli_now_s() - begin;
}

void cli_settled_release(cli_settled *x) {
  free(x->r);
  *x = (cli_settled){0};
}
