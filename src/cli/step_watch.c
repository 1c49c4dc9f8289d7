#include "cli/step_watch.h"

#include <math.h>
#include <string.h>

// ---- the step that is looked for --------------------------------------------------------------

static const char *const quantities[] = {"contacts", "active", "solves", "iterations", "margin",
                                         "error",    "time",   "step",   NULL};
static const char *const relations[] = {">=", "<=", ">", "<", NULL};

static double value_of(int quantity, const ss_step_info *i, long long step) {
  const double values[] = {i->contacts, i->active, i->solves, i->iterations,
                           i->margin,   i->error,  i->time,   (double)step};
  return values[quantity];
}

static bool holds(int relation, double a, double b) {
  const bool answers[] = {a >= b, a <= b, a > b, a < b};
  return answers[relation];
}

// NAME, REL, NUMBER and :FILE, in this order.
static bool parse(cli_step_watch *w) {
  const char *at = w->dump_when, *colon = strchr(at, ':');
  char number[64];
  for (w->quantity = 0; quantities[w->quantity]; w->quantity++) {
    size_t n = strlen(quantities[w->quantity]);
    if (strncmp(at, quantities[w->quantity], n) == 0 && strchr("<>", at[n])) break;
  }
  if (!quantities[w->quantity] || !colon || !colon[1]) return false;
  at += strlen(quantities[w->quantity]);
  for (w->relation = 0; relations[w->relation]; w->relation++)
    if (strncmp(at, relations[w->relation], strlen(relations[w->relation])) == 0) break;
  if (!relations[w->relation]) return false;
  at += strlen(relations[w->relation]);
  size_t length = (size_t)(colon - at);
  if (length >= sizeof number) return false;
  memcpy(number, at, length);
  number[length] = '\0';
  w->dump_file = colon + 1;
  return cli_to_number(number, &w->bound);
}

int cli_watch_check(cli_session *s, cli_step_watch *w) {
  w->how = ss_certify_options_default();
  w->margin_least = INFINITY;
  w->since = clock();
  if (w->dump_when && !parse(w))
    return cli_fail(s, CLI_USAGE,
                    "simulate: --dump-when %s: expected NAME>=X:FILE, NAME of contacts, active, "
                    "solves, iterations, margin, error, time, step; also <=, >, <",
                    w->dump_when);
  if (w->dump_when && cli_format_by_ending(w->dump_file) == SS_FORMAT_AUTO)
    return cli_fail(s, CLI_USAGE, "simulate: --dump-when %s: cannot write such a file",
                    w->dump_when);
  return w->dump_file ? cli_output(s, w->dump_file, SS_FORMAT_AUTO) : CLI_GO_ON;
}

// ---- every step -------------------------------------------------------------------------------

static void add_row(cli_step_watch *w, long long step, const ss_step_info *i) {
  cli_rows *r = &w->rows;
  if (!r->used)
    cli_rows_say(r, "step,time,contacts,active,subproblems,iterations,accepted,unsolved,error,"
                    "time_ms,solve_ms,detect_ms,cpu_ms,margin,criterion\n");
  cli_rows_say(r, "%lld,%.9g,%d,%d,%d,%d,%d,%d,%.6g,%.6g,%.6g,%.6g,%.6g", step, i->time,
               i->contacts, i->active, i->solves, i->iterations, i->accepted, i->unsolved, i->error,
               1e3 * i->time_s, 1e3 * i->time_solve_s, 1e3 * i->time_detect_s,
               1e3 * (double)(clock() - w->since) / CLOCKS_PER_SEC);
  if (w->certify)
    cli_rows_say(r, ",%.17g,%s\n", i->margin,
                 ss_criterion_state_name((ss_criterion_state)i->criterion));
  else
    cli_rows_say(r, ",,\n");
}

static int certify(cli_session *s, cli_step_watch *w, const ss_simulation *sim, long long step,
                   ss_step_info *info) {
  ss_solution guess, answer;
  const ss_problem *p = ss_simulation_problem(sim, &guess, &answer);
  ss_certificate *c = NULL;
  info->margin = INFINITY, info->criterion = SS_CRITERION_ROBUST;  // nothing touches
  if (p && (p->nc || p->nl)) {
    double begin = cli_now_s();
    ss_error e = ss_certify(&s->ctx, p, &w->how, &c);
    if (e) return cli_fail_library(s, s->file, e);
    info->margin = c->margin, info->criterion = (int)c->criterion_A;
    ss_certificate_destroy(c);
    w->certify_s += cli_now_s() - begin;
  }
  w->counts[info->criterion]++;
  if (info->margin < w->margin_least) w->margin_least = info->margin, w->least_step = step;
  if (info->criterion == SS_CRITERION_VIOLATED && !w->lost_step)
    w->lost_step = step, w->lost_time = info->time;
  return CLI_GO_ON;
}

int cli_watch_step(cli_session *s, cli_step_watch *w, const ss_simulation *sim, long long step,
                   ss_step_info *info, bool *found) {
  int status = w->certify ? certify(s, w, sim, step, info) : CLI_GO_ON;
  if (status != CLI_GO_ON) return status;
  if (w->times) add_row(w, step, info);
  w->since = clock();
  *found = w->dump_when && holds(w->relation, value_of(w->quantity, info, step), w->bound);
  return CLI_GO_ON;
}

// ---- after ------------------------------------------------------------------------------------

int cli_watch_end(cli_session *s, cli_step_watch *w) {
  return cli_rows_end(s, &w->rows, w->times);
}

void cli_watch_put(cli_session *s, const cli_step_watch *w, json_t *object) {
  if (!w->certify) return;
  json_t *o = json_object();
  for (int k = 0; k < 4; k++)
    cli_put(s, o, ss_criterion_state_name((ss_criterion_state)k), json_integer(w->counts[k]));
  cli_put(s, o, "lost_step", w->lost_step ? json_integer(w->lost_step) : json_null());
  cli_put(s, o, "lost_time", w->lost_step ? cli_real(w->lost_time) : json_null());
  cli_put(s, o, "margin_min", cli_extended(w->margin_least));
  cli_put(s, o, "margin_min_step", json_integer(w->least_step));
  cli_put(s, o, "time_s", cli_real(w->certify_s));
  cli_put(s, object, "criterion_A", o);
}

void cli_watch_print(FILE *to, const cli_step_watch *w) {
  if (!w->certify) return;
  cli_line(to, "(A)", "robust in %d steps, boundary in %d, violated in %d, undecided in %d; %.3g s",
           w->counts[SS_CRITERION_ROBUST], w->counts[SS_CRITERION_BOUNDARY],
           w->counts[SS_CRITERION_VIOLATED], w->counts[SS_CRITERION_UNDECIDED], w->certify_s);
  if (w->lost_step)
    cli_line(to, "", "first lost in step %lld, t = %g; least margin %.6g in step %lld",
             w->lost_step, w->lost_time, w->margin_least, w->least_step);
}
