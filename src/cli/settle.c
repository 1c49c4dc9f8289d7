// cli/settle.c - see settle.h.
#include "cli/settle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/interrupt.h"

static const double SECONDS = 10;
enum { CONTACTS = 16 };  // above, enumeration is left to `stickslip enumerate`

static int stop(void *user, const ss_enumerate_progress *now) {
  (void)user, (void)now;
  return cli_interrupted();
}

static const double *first_solution(const ss_solution_set *set) {
  if (set->count == 0) return NULL;
  const ss_component *first = &set->components[0];
  if (first->isolated) return first->r;
  return first->cells[0].vertex_count > 0 ? first->cells[0].vertices[0].r : NULL;
}

static void keep(const ss_problem *p, const ss_solution_set *set, cli_settled *out) {
  const double *r = first_solution(set);
  size_t bytes = (size_t)p->dim * (size_t)p->nc * sizeof *r;
  if (!r) return;
  if (!out->r) out->r = malloc(bytes + 1);
  if (out->r) memcpy(out->r, r, bytes);
}

double cli_settle_seconds(double left_s) {
  return left_s > 0 ? fmin(SECONDS, left_s) : SECONDS;
}

void cli_settle(cli_session *s, const ss_file *file, double seconds, cli_settled *out) {
  const ss_problem *p = &file->problem;
  *out = (cli_settled){.existence = SS_UNDECIDED};
  if (p->dim != 2 || p->nc > CONTACTS) return;
  ss_enumerate_options o = ss_enumerate_options_default();
  ss_solution_set *set = NULL;
  double begin = cli_now_s();
  o.exact = file->exact;
  o.time_limit_s = seconds;
  o.progress = stop;
  if (ss_enumerate(&s->ctx, p, &o, &set)) return;
  if (!set->rigorous) {  // ties within rounding, or a singular W: exactly, then
    keep(p, set, out);   // a solution at the tolerance, whatever comes out
    ss_solution_set_destroy(set);
    o.rational = true;
    o.time_limit_s = fmax(seconds - (cli_now_s() - begin), 1e-3);
    if (ss_enumerate(&s->ctx, p, &o, &set)) return;
  }
  out->count = set->count;
  out->exact = set->exact;
  out->decided = set->rigorous || (set->exact && set->count > 0);
  if (out->decided) out->existence = set->count > 0 ? SS_EXISTS : SS_NONE;
  keep(p, set, out);
  out->time_s = cli_now_s() - begin;
  ss_solution_set_destroy(set);
}

void cli_settled_release(cli_settled *x) {
  free(x->r);
  *x = (cli_settled){0};
}
