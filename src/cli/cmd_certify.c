// stickslip certify FILE: does a solution exist, and if not, which contacts jam.
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/certificate.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/memory_check.h"
#include "cli/near_answer.h"
#include "cli/progress.h"

enum { SHAKY_CONTACTS = 8 };  // that all states are tried of where (A) holds up to rounding only

static const char *const margin_words[] = {"auto", "exact", "bound", NULL};

typedef struct certify_options {
  double tol, rank_tol, time_limit;
  const char *mu_range, *output;
  int margin, max_iter, repeat, form, format;
  bool every_mu, any_size;
} certify_options;

#define AT(field) offsetof(certify_options, field)
static const cli_option options[] = {
    {"tol", 't', "X", "margins within X |w| of zero are not told from it (default 1e-9)",
     CLI_NUMBER, AT(tol), 1e-15, 0.1, "a number in 1e-15 .. 0.1", 0},
    {"rank-tol", 0, "X", "local form: |W z| <= X |W| |z| counts as W z = 0 (default 1e-6)",
     CLI_NUMBER, AT(rank_tol), 0, 0.1, "a number in 0 .. 0.1", 0},
    {"margin", 0, "NAME",
     "exact, bound (stop once the verdict is known), or auto (by size; default)", CLI_WORD,
     AT(margin), 0, 0, 0, margin_words},
    {"mu-range", 0, "A:B",
     "also find the largest common mu in A .. B (A: without an end) for which criterion (A) holds",
     CLI_TEXT, AT(mu_range), 0, 0, 0, 0},
    {"every-mu", 0, 0,
     "ask whether criterion (A) holds for every mu of large problems too, where it takes long",
     CLI_FLAG, AT(every_mu), 0, 0, 0, 0},
    {"max-iter", 'n', "N", "iterations of the interior point at most (default 200)", CLI_COUNT,
     AT(max_iter), 1, INT_MAX, "a whole number >= 1", 0},
    {"time-limit", 0, "SECONDS", "stop after this long with what is proved by then; 0: no limit",
     CLI_NUMBER, AT(time_limit), 0, DBL_MAX, "a number >= 0", 0},
    {"repeat", 0, "N", "certify N times, report the shortest time", CLI_COUNT, AT(repeat), 1,
     1000000, "a whole number >= 1", 0},
    {"output", 'o', "FILE", "write the certificate to FILE (JSON), for stickslip check", CLI_WRITE,
     AT(output), 0, 0, 0, 0},
    {"any-size", 0, NULL, "try what will likely not fit into the memory there is", CLI_FLAG,
     AT(any_size), 0, 0, 0, 0},
    CLI_READING("FILE", AT(form), AT(format)),
};
#undef AT

typedef struct certify_job {
  certify_options o;
  double mu_from, mu_to;
  ss_file *file;
  ss_certificate *certificate;
  ss_settlement *settled;  // where the certificate does not decide; NULL: not asked
  ss_solution solution;    // that decides
  ss_certificate_report report;
  ss_mu_range range;
  ss_every_mu *every_mu;  // NULL: not asked
  ss_assumptions assumptions;
  double time_s;
} certify_job;

// ---- before ---------------------------------------------------------------------------------

static int parse_range(cli_session *s, certify_job *j) {
  if (!j->o.mu_range) return CLI_GO_ON;
  char text[80];
  const char *colon = strchr(j->o.mu_range, ':');
  size_t length = colon ? (size_t)(colon - j->o.mu_range) : 0;
  bool ok = colon && length < sizeof text;
  if (ok) {
    memcpy(text, j->o.mu_range, length);
    text[length] = '\0';
    bool open = !colon[1];
    j->mu_to = INFINITY;
    ok = cli_to_number(text, &j->mu_from) && (open || cli_to_number(colon + 1, &j->mu_to)) &&
         j->mu_from >= 0 && isfinite(j->mu_from) && j->mu_to >= j->mu_from &&
         (open || isfinite(j->mu_to));
  }
  if (ok) return CLI_GO_ON;
  return cli_fail(s, CLI_USAGE,
                  "--mu-range: found '%s', expected A:B with 0 <= A <= B, or A:", j->o.mu_range);
}

static int check_output(cli_session *s, const certify_options *o) {
  if (!o->output) return CLI_GO_ON;
  bool to_stdout = strcmp(o->output, "-") == 0;
  if (to_stdout && s->json)
    return cli_fail(s, CLI_USAGE, "--json and -o - both write to standard output; drop --json");
  if (cli_format_by_ending(o->output) != SS_FORMAT_JSON)
    return cli_fail(s, CLI_USAGE, "-o %s: expected a name ending in .json, or -", o->output);
  return CLI_GO_ON;
}

static int check_memory(cli_session *s, const certify_job *j) {
  double bytes = ss_certify_memory(&j->file->problem);
  return cli_memory_check(s, bytes, "certifying it", j->o.any_size);
}

// ---- the work -------------------------------------------------------------------------------

static int on_progress(void *user, int iteration, double low, double high) {
  cli_progress *p = user;
  double time_s = cli_progress_due(p);
  if (time_s > 0 && p->terminal)
    cli_progress_draw(p, "certify", NAN, "iteration %d  margin %.3e to %.3e  %.1f s", iteration,
                      low, high, time_s);
  else if (time_s > 0)
    fprintf(stderr, "certify iter=%d margin_low=%.6e margin_high=%.6e t=%.2f\n", iteration, low,
            high, time_s);
  return cli_interrupted();
}

static ss_error certify(cli_session *s, certify_job *j) {
  ss_certify_options o = ss_certify_options_default();
  ss_error e = SS_OK;
  o.tol = j->o.tol;
  o.rank_tol = j->o.rank_tol;
  o.margin = (ss_margin_wish)j->o.margin;
  o.max_iter = j->o.max_iter;
  o.progress = on_progress;
  cli_progress progress;
  o.user = &progress;
  cli_progress_begin(&progress, s, 1);
  for (int i = 0; i < j->o.repeat && !e && !cli_interrupted(); i++) {
    ss_certificate_destroy(j->certificate);
    o.time_limit_s = cli_time_left(s, j->o.time_limit);
    e = ss_certify(&s->ctx, &j->file->problem, &o, &j->certificate);
    if (!e && (i == 0 || j->certificate->time_s < j->time_s)) j->time_s = j->certificate->time_s;
  }
  o.time_limit_s = cli_time_left(s, j->o.time_limit);
  if (!e && j->o.mu_range && !cli_interrupted())
    e = ss_certify_mu_range(&s->ctx, &j->file->problem, &o, j->mu_from, j->mu_to, 1e-9, &j->range);
  o.time_limit_s = cli_time_left(s, j->o.time_limit);
  if (!e && !cli_interrupted())
    e = ss_certify_every_mu(&s->ctx, &j->file->problem, &o, j->certificate, j->o.every_mu,
                            &j->every_mu);
  cli_progress_end(&progress);
  if (e) return e;
  j->certificate->time_s = j->time_s;
  e = ss_certificate_assumptions(&s->ctx, &j->file->problem, j->certificate, &j->assumptions);
  if (e) return e;
  return ss_certificate_check(&s->ctx, &j->file->problem, j->certificate, &j->report);
}

// ---- after ----------------------------------------------------------------------------------

static json_t *range_json(cli_session *s, const certify_job *j) {
  json_t *o = json_object();
  cli_put(s, o, "from", cli_real(j->mu_from));
  cli_put(s, o, "to", cli_extended(j->mu_to));
  cli_put(s, o, "holds_at", cli_extended(j->range.low));
  cli_put(s, o, "fails_at", isinf(j->range.high) ? json_null() : cli_real(j->range.high));
  cli_put(s, o, "steps", json_integer(j->range.steps));
  cli_put(s, o, "complete", json_boolean(!j->range.late));
  return o;
}

static ss_proof proof(const certify_job *j) {
  return j->settled ? j->settled->proof : SS_PROOF_NOT;
}

// What the certificate leaves open and something else settled: the verdict is then that of the two.
static void put_settled(cli_session *s, json_t *o, const certify_job *j) {
  const ss_settlement *x = j->settled;
  ss_proof by = proof(j);
  if (by != SS_PROOF_ENUMERATION && by != SS_PROOF_ALL_STATES) return;
  json_t *alone = json_object(), *found = json_object();
  cli_put(s, alone, "verdict", json_string(ss_existence_name(j->certificate->verdict)));
  cli_put(s, alone, "reason", json_string(ss_existence_reason_name(j->certificate->reason)));
  if (by == SS_PROOF_ENUMERATION) {
    cli_put(s, found, "count", json_integer(x->count));
    cli_put(s, found, "exact", json_boolean(x->exact));
  } else {
    cli_put(s, found, "cells", json_integer(x->cells));
    cli_put(s, found, "reach", cli_extended(x->reach));
  }
  cli_put(s, found, "time_s", cli_real(x->time_s));
  cli_put(s, o, "verdict", json_string(ss_existence_name(x->existence)));
  cli_put(s, o, "reason", json_string(ss_proof_name(by)));
  cli_put(s, o, "certificate", alone);
  cli_put(s, o, ss_proof_name(by), found);
}

static ss_existence verdict(const certify_job *j) {
  return proof(j) ? j->settled->existence : j->certificate->verdict;
}

static json_t *result(cli_session *s, const certify_job *j) {
  json_t *o = cli_object(s);
  cli_put(s, o, "status", json_string(ss_existence_name(verdict(j))));
  cli_put_sizes(s, o, &j->file->problem);
  cli_put_certificate(s, o, j->file, j->certificate);
  put_settled(s, o, j);
  cli_put(s, o, "check", cli_certificate_report(s, &j->report));
  cli_put(s, o, "time_s", cli_real(j->time_s));
  cli_put(s, o, "assumptions", cli_assumptions(s, &j->assumptions));
  ss_tristate every_mu = j->every_mu ? j->every_mu->holds : SS_UNKNOWN;
  cli_put(s, o, "for_every_mu", cli_tristate(every_mu));
  if (every_mu != SS_UNKNOWN) cli_put(s, o, "every_mu", cli_every_mu(s, j->file, j->every_mu));
  if (j->o.mu_range) cli_put(s, o, "mu_range", range_json(s, j));
  return o;
}

static int write_output(cli_session *s, const certify_job *j) {
  if (!j->o.output) return CLI_GO_ON;
  json_t *o = result(s, j);
  char *text = s->out_of_memory ? NULL : json_dumps(o, JSON_INDENT(2) | JSON_REAL_PRECISION(17));
  json_decref(o);
  ss_error e = text ? ss_text_write(&s->ctx, j->o.output, text) : SS_ERR_MEMORY;
  free(text);
  return e ? cli_fail_library(s, cli_output_name(j->o.output), e) : CLI_GO_ON;
}

static void print_range(FILE *to, const certify_job *j) {
  double low = j->range.low, high = j->range.high;
  if (low == INFINITY)
    cli_line(to, "largest mu", "criterion (A) holds for every mu");
  else if (low == j->mu_to)
    cli_line(to, "largest mu", "criterion (A) holds up to %g, the end of the range", low);
  else if (high == j->mu_from)
    cli_line(to, "largest mu", "criterion (A) fails at %g, the beginning of the range", high);
  else if (isfinite(low) && isfinite(high))
    cli_line(to, "largest mu", "criterion (A) holds at %.12g and fails at %.12g", low, high);
  else if (isfinite(low))
    cli_line(to, "largest mu", "criterion (A) holds at %.12g; from there to %g it is undecided",
             low, j->mu_to);
  else if (isfinite(high))
    cli_line(to, "largest mu", "criterion (A) fails at %.12g; from %g to there it is undecided",
             high, j->mu_from);
  else
    cli_line(to, "largest mu", "undecided in the whole range");
  if (j->range.late) cli_line(to, "stopped", "at the time limit; this is what was shown by then");
}

static void print_every_mu(FILE *to, const ss_every_mu *e) {
  if (!e) return;
  if (e->holds == SS_NO && e->fails_from < 1e-12)
    cli_line(to, "every mu", "no: criterion (A) fails whatever mu is");
  else if (e->holds == SS_NO)
    cli_line(to, "every mu", "no: criterion (A) fails from mu = %.6g on", e->fails_from);
  else
    cli_line(to, "every mu", "%s",
             e->holds == SS_YES ? "yes: criterion (A) holds for every mu" : "undecided");
}

static void report_summary(const cli_session *s, const certify_job *j) {
  bool to_stdout = j->o.output && strcmp(j->o.output, "-") == 0;
  if (to_stdout && s->quiet) return;
  FILE *to = to_stdout ? stderr : stdout;
  static const char *const words[] = {"a solution exists", "no solution exists", "undecided"};
  cli_print(to, "%s: %s\n", cli_display_name(s->file), words[verdict(j)]);
  if (proof(j) == SS_PROOF_ENUMERATION)
    cli_line(to, "settled", "by trying the states of all contacts: %d solution%s",
             j->settled->count, j->settled->count == 1 ? "" : "s");
  if (proof(j) == SS_PROOF_ALL_STATES)
    cli_line(to, "settled", "by excluding every combination of states: %lld cells, reach %.2g",
             (long long)j->settled->cells, j->settled->reach);
  cli_print_certificate(to, j->file, j->certificate, proof(j) ? "otherwise" : "because");
  cli_print_assumptions(to, &j->assumptions);
  print_every_mu(to, j->every_mu);
  if (j->o.mu_range) print_range(to, j);
}

// Where a solution was met: does it, with the velocities of components that satisfy (A), prove that one exists?
// The check of the certificate tells.
static ss_error try_solution(cli_session *s, certify_job *j) {
  ss_certificate *c = j->certificate, before = *c;
  ss_certificate_report report;
  j->solution = (ss_solution){.r = j->settled->r, .v = j->settled->v, .l = j->settled->l};
  c->verdict = SS_EXISTS;
  c->reason = SS_REASON_SOLUTION;
  c->solution = &j->solution;
  ss_error e = ss_certificate_check(&s->ctx, &j->file->problem, c, &report);
  if (e || !report.holds) return *c = before, e;
  j->report = report;
  return SS_OK;
}

// Existence that rests on rounding: W is semi-definite by courtesy only, or (A) holds up to rounding of the data, of which
// numbers of few digits, as enumeration reads them, may have none. Few contacts: enumeration has the last word.
static bool is_shaky(const certify_job *j) {
  const ss_certificate *c = j->certificate;
  bool nearly = c->criterion_A == SS_CRITERION_BOUNDARY && c->residuals.cone > 0;
  return c->verdict == SS_EXISTS &&
         (c->blurred || (nearly && j->file->problem.nc <= SHAKY_CONTACTS));
}

// What criterion (A) leaves open, or says with little to stand on.
static ss_error settle(cli_session *s, certify_job *j) {
  bool open = j->certificate->verdict == SS_UNDECIDED;
  if (!(open || is_shaky(j)) || cli_interrupted()) return SS_OK;
  ss_settle_options o = {.exact = j->file->exact, .solve = open, .stop = cli_stop};
  o.time_limit_s = cli_time_left(s, j->o.time_limit);
  ss_error e = ss_settle(&s->ctx, &j->file->problem, &o, &j->settled);
  if (!e && j->settled->late)
    cli_note(s, "the time limit ended the search for another proof before it was decided");
  bool other = proof(j) && proof(j) != SS_PROOF_SOLUTION;
  return !e && open && !other && j->settled->r ? try_solution(s, j) : e;
}

static int work(cli_session *s, certify_job *j) {
  ss_error e = certify(s, j);
  if (e) return cli_fail_library(s, s->file, e);
  if (!j->report.holds) cli_note(s, "the certificate fails its own check: %s", j->report.failure);
  if ((e = settle(s, j))) return cli_fail_library(s, s->file, e);
  if (verdict(j) == SS_NONE) cli_note_near_answer(s, j->file, j->o.time_limit);
  int status = cli_existence_status(verdict(j)), written = write_output(s, j);
  if (written != CLI_GO_ON) status = written;
  if (cli_interrupted())
    status = cli_fail(s, CLI_RESOURCES, "%s: interrupted; this is what was known by then",
                      cli_display_name(s->file));
  if (s->json) return cli_print_json(s, result(s, j), status);
  report_summary(s, j);
  return status;
}

static int run(cli_session *s, const cli_command *self, int argc, char **argv) {
  ss_certify_options defaults = ss_certify_options_default();
  certify_job j = {.o = {.tol = defaults.tol, .rank_tol = defaults.rank_tol, .repeat = 1}};
  j.o.max_iter = defaults.max_iter;
  cli_args args;
  int status = cli_parse(s, self, argc, argv, &j.o, &args);
  if (status != CLI_GO_ON) return status;
  if ((status = parse_range(s, &j)) != CLI_GO_ON) return status;
  if ((status = check_output(s, &j.o)) != CLI_GO_ON) return status;
  status = cli_open(s, args.operands[0], (ss_format)j.o.format, (ss_form_hint)j.o.form, &j.file);
  if (status == CLI_DONE) status = check_memory(s, &j);
  if (status == CLI_GO_ON) status = work(s, &j);
  ss_settlement_destroy(j.settled);
  ss_mu_range_release(&j.range);
  ss_every_mu_destroy(j.every_mu);
  ss_certificate_destroy(j.certificate);
  ss_file_close(j.file);
  return status;
}

const cli_command cmd_certify = {
    .name = "certify",
    .operands = "FILE",
    .summary = "does a solution exist, and if not, which contacts jam",
    .about =
        "exit status: 0 a solution exists, 1 there is none or it is undecided, 2 wrong usage,\n"
        "3 bad input, 4 out of memory or disk, or interrupted\n",
    .operands_min = 1,
    .operands_max = 1,
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = run,
};
