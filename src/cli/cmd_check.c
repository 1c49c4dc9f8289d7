// stickslip check PROBLEM [SOLUTION]: judge an answer, or a certificate, found anywhere, from the raw
// data alone.
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/certificate.h"
#include "cli/commands.h"
#include "cli/interrupt.h"

typedef struct check_options {
  double tol, time_limit;
  int measure, form, format;
  bool contacts;
} check_options;

#define AT(field) offsetof(check_options, field)
static const cli_option options[] = {
    {"tol", 't', "X", "what the measure must not exceed (default 1e-8)", CLI_NUMBER, AT(tol),
     DBL_MIN, DBL_MAX, "a number > 0", 0},
    {"measure", 'm', "NAME", "what --tol bounds: error, fclib or both (default error)", CLI_WORD,
     AT(measure), 0, 0, 0, cli_measures},
    {"contacts", 'c', 0, "list every contact: state, error, reaction, velocity", CLI_FLAG,
     AT(contacts), 0, 0, 0, 0},
    {"time-limit", 0, "SECONDS",
     "a certificate: what is not judged by then does not hold; 0: no limit (enumeration: 10 s)",
     CLI_NUMBER, AT(time_limit), 0, DBL_MAX, "a number >= 0", 0},
    CLI_READING("PROBLEM", AT(form), AT(format)),
};
#undef AT

typedef struct check_job {
  check_options o;
  cli_bound bound;
  ss_file *file;
  ss_solution_file *solution_file;
  const char *solution_name;  // NULL: inside the problem's file
  ss_solution answer;
  double *u;
  ss_contact_verdict *contacts;
  ss_verdict verdict;
  double u_difference;  // NAN where the answer came without u
} check_job;

static int load_solution(cli_session *s, check_job *j) {
  if (j->solution_name) {
    ss_read_options o = {.isolate = true};
    ss_error e = ss_solution_open(&s->ctx, j->solution_name, &o, j->file, &j->solution_file);
    if (e) return cli_fail_library(s, j->solution_name, e);
    j->answer = j->solution_file->solution;
    return CLI_GO_ON;
  }
  j->answer = j->file->solution;
  if (j->answer.r) return CLI_GO_ON;
  return cli_fail(s, CLI_INPUT,
                  "%s: found no solution in it, expected one (FCLIB: /solution/r), or a second "
                  "file: stickslip check PROBLEM SOLUTION",
                  cli_display_name(s->file));
}

// max |u_file - u| over the scale of the velocities: a file whose u is not what its r gives is
// worth a word, though the verdict does not look at it.
static double difference(const check_job *j) {
  if (!j->answer.u) return NAN;
  const ss_problem *p = &j->file->problem;
  double most = 0;
  for (int64_t i = 0; i < (int64_t)p->dim * p->nc; i++) {
    double d = fabs(j->answer.u[i] - j->u[i]);
    if (isnan(d)) return NAN;
    most = fmax(most, d);
  }
  return most == 0 ? 0 : most / j->verdict.scale;
}

static int judge(cli_session *s, check_job *j) {
  const ss_problem *p = &j->file->problem;
  size_t nc = p->nc ? (size_t)p->nc : 1;
  j->u = calloc(nc * (size_t)p->dim, sizeof *j->u);
  j->contacts = calloc(nc, sizeof *j->contacts);
  if (!j->u || !j->contacts) return cli_fail(s, CLI_RESOURCES, "%s: out of memory", s->file);
  ss_error e = ss_verify(&s->ctx, p, &j->answer, j->u, NULL, NULL, j->contacts, &j->verdict);
  if (e) return cli_fail_library(s, s->file, e);
  j->u_difference = difference(j);
  if (j->answer.u && !(j->u_difference <= j->bound.tol))
    cli_note(s, "the u that came with r is not the u that r gives: relative difference %.3g",
             j->u_difference);
  return CLI_GO_ON;
}

static json_t *contact_list(cli_session *s, const check_job *j) {
  json_t *list = json_array();
  int dim = j->file->problem.dim;
  for (int i = 0; i < j->file->problem.nc; i++) {
    json_t *o = json_object();
    cli_put(s, o, "contact", json_integer(i));
    cli_put(s, o, "state", json_string(ss_state_name(j->contacts[i].state)));
    cli_put(s, o, "error", cli_real(j->contacts[i].error));
    cli_put(s, o, "r", cli_doubles_json(j->answer.r + (size_t)dim * (size_t)i, dim));
    cli_put(s, o, "u", cli_doubles_json(j->u + (size_t)dim * (size_t)i, dim));
    cli_append(s, list, o);
  }
  return list;
}

static int report_json(cli_session *s, const check_job *j, int status) {
  json_t *o = cli_object(s);
  cli_put(s, o, "solution_file", cli_text(j->solution_name));
  cli_put_sizes(s, o, &j->file->problem);
  cli_put(s, o, "status", json_string(status == CLI_DONE ? "solved" : "not_solved"));
  cli_put_errors(s, o, &j->verdict, &j->bound);
  cli_put_verdict(s, o, &j->verdict);
  cli_put(s, o, "u_difference", cli_real(j->u_difference));
  if (j->o.contacts) cli_put(s, o, "contact_list", contact_list(s, j));
  return cli_print_json(s, o, status);
}

static void print_vector(const double *x, int dim) {
  printf(" ");
  for (int k = 0; k < dim; k++) printf(" %13.6g", x[k]);
}

static void list_contacts(const check_job *j) {
  int dim = j->file->problem.dim;
  printf("\n  %7s  %-5s  %9s   r, then u (normal first)\n", "contact", "state", "error");
  for (int i = 0; i < j->file->problem.nc; i++) {
    printf("  %7d  %-5s  %9.2e", i, ss_state_name(j->contacts[i].state), j->contacts[i].error);
    print_vector(j->answer.r + (size_t)dim * (size_t)i, dim);
    print_vector(j->u + (size_t)dim * (size_t)i, dim);
    putchar('\n');
  }
}

static void report_summary(cli_session *s, const check_job *j, int status) {
  cli_print(stdout, "%s: %s\n", cli_display_name(s->file),
            status == CLI_DONE ? "solved" : "not solved");
  cli_line_problem(stdout, &j->file->problem);
  cli_line(stdout, "solution", "%s",
           j->solution_name ? cli_display_name(j->solution_name) : "inside the problem's file");
  cli_print_verdict(stdout, &j->verdict, &j->bound);
  if (j->file->problem.nl)
    cli_line(stdout, "bilateral", "%.3g, part of error", j->verdict.equality);
  if (j->answer.u)
    cli_line(stdout, "given u", "differs by %.3g from what r gives", j->u_difference);
  if (j->o.contacts) list_contacts(j);
}

// ---- certificates ---------------------------------------------------------------------------

static void certificate_summary(const cli_session *s, const check_job *j, const ss_certificate *c,
                                const ss_certificate_report *r) {
  cli_print(stdout, "%s: the certificate %s\n", cli_display_name(s->file),
            r->holds ? "holds" : "does not hold");
  cli_line(stdout, "certificate", "%s", cli_display_name(j->solution_name));
  cli_line(stdout, "claims", "%s: %s", ss_existence_name(c->verdict),
           ss_existence_reason_text(c->reason));
  if (j->solution_file->said->settled)
    cli_line(stdout, "settled", "%s, by %s, which was repeated",
             ss_existence_name(j->solution_file->said->verdict),
             j->solution_file->said->by_all_states ? "excluding all states" : "enumeration");
  if (!r->holds) cli_line(stdout, "but", "%s", r->failure);
  cli_print_certificate_report(stdout, r);
}

static int check_certificate(cli_session *s, const check_job *j) {
  const ss_certificate *c = j->solution_file->certificate;
  ss_certificate_report r;
  cli_interrupt_poll(true);
  ss_error e = cli_judge_certificate(s, j->file, j->solution_file, j->o.time_limit, &r);
  cli_interrupt_poll(false);
  if (e) return cli_fail_library(s, s->file, e);
  if (cli_interrupted()) return cli_fail(s, CLI_RESOURCES, "%s: interrupted", s->file);
  int status = r.holds ? CLI_DONE : CLI_NEGATIVE;
  if (!s->json) return certificate_summary(s, j, c, &r), status;
  json_t *o = cli_object(s);
  cli_put(s, o, "certificate_file", cli_text(j->solution_name));
  cli_put_sizes(s, o, &j->file->problem);
  cli_put(s, o, "status", json_string(r.holds ? "holds" : "does_not_hold"));
  cli_put(s, o, "failure", r.holds ? json_null() : json_string(r.failure));
  const ss_certificate_said *said = j->solution_file->said;
  cli_put(s, o, "verdict",
          json_string(ss_existence_name(said->settled ? said->verdict : c->verdict)));
  cli_put(s, o, "reason",
          json_string(said->by_all_states ? "all_states"
                      : said->settled     ? "enumeration"
                                          : ss_existence_reason_name(c->reason)));
  cli_put(s, o, "tolerance", cli_real(c->tol));
  cli_put(s, o, "rank_tolerance", cli_real(c->rank_tol));
  cli_put(s, o, "criterion_A", json_string(ss_criterion_state_name(c->criterion_A)));
  cli_put(s, o, "margin", cli_extended(c->margin));
  cli_put(s, o, "check", cli_certificate_report(s, &r));
  return cli_print_json(s, o, status);
}

static int work(cli_session *s, check_job *j) {
  int status = load_solution(s, j);
  if (status != CLI_GO_ON) return status;
  if (j->solution_file && j->solution_file->certificate) return check_certificate(s, j);
  if ((status = judge(s, j)) != CLI_GO_ON) return status;
  status = cli_is_solved(&j->verdict, &j->bound) ? CLI_DONE : CLI_NEGATIVE;
  if (s->json) return report_json(s, j, status);
  report_summary(s, j, status);
  return status;
}

static int run(cli_session *s, const cli_command *self, int argc, char **argv) {
  check_job j = {.o = {.tol = 1e-8}};
  cli_args args;
  int status = cli_parse(s, self, argc, argv, &j.o, &args);
  if (status != CLI_GO_ON) return status;
  const char *problem = args.operands[0];
  j.solution_name = args.operands[1];
  j.bound = (cli_bound){(ss_measure)j.o.measure, j.o.tol};
  if (j.solution_name && strcmp(problem, "-") == 0 && strcmp(j.solution_name, "-") == 0)
    return cli_fail(s, CLI_USAGE, "check: only one of the two files can be standard input");
  status = cli_open(s, problem, (ss_format)j.o.format, (ss_form_hint)j.o.form, &j.file);
  if (status == CLI_DONE) status = work(s, &j);
  free(j.u);
  free(j.contacts);
  ss_solution_close(j.solution_file);
  ss_file_close(j.file);
  return status;
}

const cli_command cmd_check = {
    .name = "check",
    .operands = "PROBLEM [SOLUTION]",
    .summary = "judge a solution or a certificate found anywhere, from the raw data",
    .about =
        "without SOLUTION, the one inside PROBLEM is judged; what certify wrote is judged as well\n"
        "exit status: 0 it is a solution (the certificate holds), 1 it is not, 2 wrong usage,\n"
        "3 bad input\n",
    .operands_min = 1,
    .operands_max = 2,
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = run,
};
