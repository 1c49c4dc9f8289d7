// What `solve` prints.
#include <stdlib.h>
#include <string.h>

#include "cli/solve_job.h"

static bool no_solution(const cli_solve_job *j) {
  return !j->solved && cli_diagnosis_existence(&j->diagnosis) == SS_NONE;
}

static const char *outcome(const cli_solve_job *j) {
  return j->solved ? "solved" : no_solution(j) ? "no_solution" : "not_converged";
}

// As -o writes it; `x` is of contacts where `in_frames`.
static void put_vector(cli_session *s, json_t *to, const char *key, const ss_file *f,
                       const double *x, int count, bool in_frames) {
  double *copy = malloc(sizeof *copy * (size_t)(count ? count : 1));
  if (!copy) {
    s->out_of_memory = true;
    return;
  }
  for (int i = 0; i < count; i++) copy[i] = x[i];
  if (in_frames) ss_file_to_world(f, copy);
  cli_put(s, to, key, cli_doubles_json(copy, count));
  free(copy);
}

static json_t *solution_json(cli_session *s, const cli_solve_job *j) {
  const ss_problem *p = &j->file->problem;
  json_t *o = json_object();
  put_vector(s, o, "r", j->file, j->r, p->dim * p->nc, true);
  put_vector(s, o, "u", j->file, j->u, p->dim * p->nc, true);
  if (p->form == SS_GLOBAL) put_vector(s, o, "v", j->file, j->v, p->ndof, false);
  if (p->nl) put_vector(s, o, "l", j->file, j->l, p->nl, false);
  return o;
}

static json_t *settings(cli_session *s, const cli_solve_job *j) {
  json_t *o = json_object();
  cli_put(s, o, "max_iter", json_integer(j->o.max_iter));
  cli_put(s, o, "time_limit_s", cli_real(j->o.time_limit_s));
  cli_put(s, o, "check_every", json_integer(j->o.check_every));
  bool fits = j->o.seed <= INT64_MAX;  // JSON's integers here have 63 bits
  cli_put(s, o, "seed", fits ? json_integer((json_int_t)j->o.seed) : json_real((double)j->o.seed));
  cli_put(s, o, "threads", json_integer(j->o.threads));
  cli_put(s, o, "guess", cli_text(j->o.guess));
  cli_put(s, o, "repeat", json_integer(j->o.repeat));
  cli_put_settings(s, o, j->o.solver, j->settings, j->setting_count);
  return o;
}

static json_t *least_norm_json(cli_session *s, const ss_least_norm_info *i) {
  json_t *o = json_object();
  cli_put(s, o, "reached", json_boolean(i->reached));
  cli_put(s, o, "norm", cli_interval(s, i->norm[0], i->norm[1]));
  cli_put(s, o, "velocity_change", cli_real(i->velocity));
  cli_put(s, o, "iterations", json_integer(i->newtons));
  return o;
}

static int report_json(cli_session *s, const cli_solve_job *j, int status) {
  json_t *o = cli_object(s);
  cli_put_sizes(s, o, &j->file->problem);
  cli_put(s, o, "solver", json_string(j->o.solver));
  cli_put(s, o, "status", json_string(outcome(j)));
  cli_put_errors(s, o, &j->verdict, &j->bound);
  cli_put(s, o, "iterations", json_integer(j->info.iterations));
  cli_put(s, o, "time_s", cli_real(j->time_s));
  cli_put_verdict(s, o, &j->verdict);
  cli_put(s, o, "stop_reason", json_string(ss_status_name(j->info.status)));
  cli_put(s, o, "output", cli_text(j->o.output));  // null as well where it could not be written
  cli_put(s, o, "settings", settings(s, j));
  if (j->o.least_norm) cli_put(s, o, "least_norm", least_norm_json(s, &j->least));
  if (j->o.with_solution) cli_put(s, o, "solution", solution_json(s, j));
  if (!j->solved) cli_put(s, o, "diagnosis", cli_diagnosis_json(s, &j->diagnosis));
  if (j->o.details) cli_put_details(s, o, &j->course, &j->file->problem, j->r, j->u, j->contacts);
  if (status == CLI_RESOURCES) cli_put(s, o, "message", cli_text(s->failure));
  return cli_print_json(s, o, status);
}

static void report_summary(cli_session *s, const cli_solve_job *j) {
  bool to_stdout = j->o.output && strcmp(j->o.output, "-") == 0;
  if (to_stdout && s->quiet) return;
  static const char *const words[] = {"solved", "no solution", "not solved"};
  FILE *to = to_stdout ? stderr : stdout;  // then standard output carries the solution
  cli_print(to, "%s: %s\n", cli_display_name(s->file),
            words[j->solved        ? 0
                  : no_solution(j) ? 1
                                   : 2]);
  cli_line_problem(to, &j->file->problem);
  cli_line(to, "solver", "%s, %d iteration%s, %.3g s, stopped: %s", j->o.solver, j->info.iterations,
           j->info.iterations == 1 ? "" : "s", j->time_s, ss_status_name(j->info.status));
  cli_print_verdict(to, &j->verdict, &j->bound);
  if (j->least.reached)
    cli_line(to, "least norm", "|r| from %.6g to %.6g; velocities changed by %.2g of their scale",
             j->least.norm[0], j->least.norm[1], j->least.velocity);
  if (j->o.output && !to_stdout) cli_line(to, "output", "%s", j->o.output);
  if (!j->solved) cli_diagnosis_print(to, &j->diagnosis);
}

int cli_solve_report(cli_session *s, const cli_solve_job *j, int status) {
  if (s->json) return report_json(s, j, status);
  report_summary(s, j);
  return status;
}
