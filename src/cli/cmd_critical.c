// stickslip critical FILE: the friction coefficient at which uniqueness is lost.
#define _POSIX_C_SOURCE 200809L
#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "cli/commands.h"
#include "cli/critical_curves.h"
#include "cli/critical_published.h"
#include "cli/interrupt.h"
#include "cli/progress.h"

typedef struct critical_options {
  int criterion, form, format, effort, starts;
  double at, time_limit_s, scan_step;
  bool scale_mu, all_slip, published;
  uint64_t seed;
  const char *x, *family;
  cli_list parameters, outputs;
} critical_options;

enum { ALL = SS_CRITERIA };  // of the words below, in the order of ss_criterion
enum { UNSAID = -1 };
static const char *const criteria[] = {"bijective",  "pmatrix", "andersson",
                                       "simplified", "all",     NULL};

#define AT(field) offsetof(critical_options, field)
static const cli_option options[] = {
    {"criterion", 'c', "NAME",
     "all, bijective, pmatrix, andersson or simplified (default all; with -x bijective)", CLI_WORD,
     AT(criterion), 0, 0, 0, criteria},
    {"at", 0, "MU", "only say whether the criteria hold at this friction", CLI_NUMBER, AT(at), 0,
     1e8, "a number in 0 .. 1e8", 0},
    {"scale-mu", 0, 0, "a factor of the file's own mu, instead of one common mu", CLI_FLAG,
     AT(scale_mu), 0, 0, 0, 0},
    {"all-slip", 0, 0, "only the 2^n patterns in which every contact slips: an upper bound",
     CLI_FLAG, AT(all_slip), 0, 0, 0, 0},
    {"published", 0, 0,
     "as the paper has it: all slip, (59) by a scan, (57) on the interval hull, copositivity of "
     "the "
     "matrix of (30), beside the criteria",
     CLI_FLAG, AT(published), 0, 0, 0, 0},
    {"scan-step", 0, "DEGREES", "--published: step of the scan (default 1)", CLI_NUMBER,
     AT(scan_step), 0.001, 45, "a number in 0.001 .. 45", 0},
    {"effort", 0, "N", "give a range instead after work worth 4^N patterns (default 17: some 10 s)",
     CLI_COUNT, AT(effort), 0, 30, "a whole number from 0 to 30", 0},
    {"starts", 0, "N", "starting points of the optimisation; 0: not done (default 64)", CLI_COUNT,
     AT(starts), 0, INT_MAX, "a whole number >= 0", 0},
    {"seed", 0, "N", "of the starting points (default 1)", CLI_SEED, AT(seed), 0, 0,
     "a whole number >= 0", 0},
    {"time-limit", 0, "S", "seconds; what is unfinished then gets a range", CLI_NUMBER,
     AT(time_limit_s), 0, 1e12, "a number >= 0", 0},
    {"x", 'x', "AXIS",
     "over a parameter of a model or template: NAME=FROM:TO or NAME=FROM:TO:POINTS", CLI_TEXT,
     AT(x), 0, 0, 0, 0},
    {"family", 0, "NAME=V,V,...", "-x: a curve for each value of another parameter", CLI_TEXT,
     AT(family), 0, 0, 0, 0},
    {"param", 'p', "KEY=VALUE", "-x: fix another parameter; as often as wanted", CLI_LIST,
     AT(parameters), 0, 0, 0, 0},
    {"output", 'o', "FILE", "-x: write the curves: .svg, .csv or .json; as often as wanted",
     CLI_WRITES, AT(outputs), 0, 0, 0, 0},
    CLI_READING("FILE", AT(form), AT(format)),
};
#undef AT

typedef struct critical_job {
  critical_options o;
  ss_critical_options lib;
  ss_file *file;
  ss_critical *result;
  ss_tristate holds[SS_CRITERIA];  // with --at; SS_UNKNOWN: the time was up
  unsigned char *witness;          // with --at                     (SS_CRITERIA x nc)
  double time_s;
  cli_progress progress;
} critical_job;

static bool wanted(const critical_job *j, int c) {
  return j->o.criterion == ALL || j->o.criterion == c;
}

static double time_left(const cli_session *s, const critical_job *j) {
  return fmax(j->o.time_limit_s - (cli_now_s() - s->begin_s), 0);
}

// ---- progress
// -------------------------------------------------------------------------------------

static int report_progress(void *user, const ss_critical_progress *now) {
  cli_progress *p = user;
  double time_s = cli_progress_due(p);
  const char *name = ss_criterion_name(now->criterion);
  if (time_s > 0 && p->terminal)
    cli_progress_draw(p, name, NAN, "%3.0f%% of %.3g patterns  mu <= %.6g  %.1f s",
                      100 * now->done / now->total, now->total, now->upper, time_s);
  else if (time_s > 0)
    fprintf(stderr, "%s patterns=%.0f total=%.0f upper=%.6g t=%.2f\n", name, now->done, now->total,
            now->upper, time_s);
  return cli_interrupted();
}

static void progress_end(critical_job *j) {
  cli_progress_end(&j->progress);
  j->time_s = cli_now_s() - j->progress.begin_s;
}

// ---- results
// --------------------------------------------------------------------------------------

static json_t *pattern_json(cli_session *s, const unsigned char *pattern, int nc) {
  if (!pattern) return json_null();
  json_t *list = json_array();
  for (int i = 0; i < nc; i++) cli_append(s, list, json_string(ss_pattern_state_name(pattern[i])));
  return list;
}

static json_t *begin_json(cli_session *s, const critical_job *j) {
  json_t *o = cli_object(s);
  cli_put_sizes(s, o, &j->file->problem);
  cli_put(s, o, "scale_mu", json_boolean(j->o.scale_mu));
  return o;
}

// complete: nothing was left open; stopped: what ended it before, "time_limit" or "effort".
static void put_end(cli_session *s, json_t *o, const critical_job *j, bool late, bool complete) {
  cli_put(s, o, "complete", json_boolean(complete));
  cli_put(s, o, "stopped", complete ? json_null() : json_string(late ? "time_limit" : "effort"));
  cli_put(s, o, "time_s", cli_real(j->time_s));
}

static void print_end(const critical_job *j, bool late) {
  if (late) cli_line(stdout, "stopped", "at the time limit; what is open has a range");
  cli_line(stdout, "time", "%.3g s", j->time_s);
}

static bool is_unknown(const ss_critical *r) {
  return r->doubtful && !r->singular;
}

static int values_json(cli_session *s, const critical_job *j, int status) {
  static const char *const keys[] = {"mu_bijective", "mu_pmatrix", "mu_andersson", "mu_simplified"};
  const ss_critical *r = j->result;
  json_t *o = begin_json(s, j), *pattern = json_object(), *range = json_object();
  json_t *condition = json_object(), *count = json_object();
  for (int c = 0; c < SS_CRITERIA; c++) {
    const ss_critical_value *v = &r->value[c];
    const char *name = ss_criterion_name((ss_criterion)c);
    cli_put(s, o, keys[c], v->computed && v->exact ? cli_extended(v->mu) : json_null());
    if (!v->computed) continue;
    cli_put(s, pattern, name, pattern_json(s, v->pattern, r->contacts));
    cli_put(s, range, name, cli_interval(s, v->lower, v->upper));
    cli_put(s, condition, name, json_string(ss_criterion_condition((ss_criterion)c)));
    cli_put(s, count, name, cli_real(v->patterns));
  }
  cli_put(s, o, "mu_simplified_sqp", cli_extended(r->sqp));
  cli_put(s, o, "pattern", pattern);
  cli_put(s, o, "range", range);
  cli_put(s, o, "condition", condition);
  cli_put(s, o, "patterns_checked", count);
  cli_put(s, o, "parts", json_integer(r->parts));
  cli_put(s, o, "largest_part", json_integer(r->largest));
  cli_put(s, o, "singular", is_unknown(r) ? json_null() : json_boolean(r->singular));
  put_end(s, o, j, r->late, status == CLI_DONE);
  if (is_unknown(r)) cli_put(s, o, "stopped", json_string("data"));
  return cli_print_json(s, o, status);
}

static void print_pattern(const unsigned char *pattern, int nc) {
  enum { MOST = 24 };
  for (int i = 0; i < nc && i < MOST; i++)
    printf("%s%s", i ? " " : "", ss_pattern_state_name(pattern[i]));
  printf(nc > MOST ? " ... (%d contacts)\n" : "\n", nc);
}

static void values_summary(cli_session *s, const critical_job *j) {
  const ss_critical *r = j->result;
  cli_print(stdout, "%s: critical friction%s\n", cli_display_name(s->file),
            j->o.scale_mu ? ", as a factor of the file's own" : "");
  cli_line_problem(stdout, &j->file->problem);
  if (r->parts > 1)
    cli_line(stdout, "parts", "%d, the largest with %d contacts", r->parts, r->largest);
  if (r->singular)
    cli_line(stdout, "singular",
             "W is not positive definite: reactions are not unique at any friction");
  if (is_unknown(r))
    cli_line(stdout, "singular",
             "W is singular or not by less than the rounding of the data, which does not decide");
  for (int c = 0; c < SS_CRITERIA && !is_unknown(r); c++) {
    const ss_critical_value *v = &r->value[c];
    if (!v->computed) continue;
    const char *name = ss_criterion_name((ss_criterion)c),
               *condition = ss_criterion_condition((ss_criterion)c);
    if (v->exact && isinf(v->mu))
      cli_line(stdout, name, "none: unique at any friction (%s)", condition);
    else if (v->exact)
      cli_line(stdout, name, "%.12g (%s)", v->mu, condition);
    else
      cli_line(stdout, name, "between %.6g and %.6g (%s)", v->lower, v->upper, condition);
    if (v->pattern) printf("  %-13s ", ""), print_pattern(v->pattern, r->contacts);
  }
  if (!isnan(r->sqp)) cli_line(stdout, "by SQP", "%.9g (simplified, upper bound)", r->sqp);
  print_end(j, r->late);
}

// ---- --at
// -------------------------------------------------------------------------------------------

static bool is_open(const critical_job *j) {
  for (int c = 0; c < SS_CRITERIA; c++)
    if (wanted(j, c) && j->holds[c] == SS_UNKNOWN) return true;
  return false;
}

static int signs_json(cli_session *s, const critical_job *j, int status) {
  int nc = j->file->problem.nc;
  json_t *o = begin_json(s, j), *holds = json_object(), *pattern = json_object();
  cli_put(s, o, "mu", cli_real(j->o.at));
  for (int c = 0; c < SS_CRITERIA; c++) {
    if (!wanted(j, c)) continue;
    const char *name = ss_criterion_name((ss_criterion)c);
    bool fails = j->holds[c] == SS_NO;
    cli_put(s, holds, name,
            j->holds[c] == SS_UNKNOWN ? json_null() : json_boolean(j->holds[c] == SS_YES));
    cli_put(s, pattern, name,
            pattern_json(s, fails ? j->witness + (size_t)c * (size_t)nc : NULL, nc));
  }
  cli_put(s, o, "holds", holds);
  cli_put(s, o, "pattern", pattern);
  put_end(s, o, j, true, !is_open(j));
  return cli_print_json(s, o, status);
}

static void signs_summary(cli_session *s, const critical_job *j) {
  int nc = j->file->problem.nc;
  cli_print(stdout, "%s: at %s %.12g\n", cli_display_name(s->file), j->o.scale_mu ? "factor" : "mu",
            j->o.at);
  for (int c = 0; c < SS_CRITERIA; c++) {
    if (!wanted(j, c)) continue;
    static const char *const words[] = {"fails", "holds", "not known"};
    cli_line(stdout, ss_criterion_name((ss_criterion)c), "%s (%s)", words[j->holds[c]],
             ss_criterion_condition((ss_criterion)c));
    if (j->holds[c] == SS_NO)
      printf("  %-13s ", ""), print_pattern(j->witness + (size_t)c * (size_t)nc, nc);
  }
  print_end(j, is_open(j));
}

// One criterion at the mu asked for, within what is left of the time.
static ss_error look_at_one(cli_session *s, critical_job *j, int c) {
  const ss_problem *p = &j->file->problem;
  bool holds = false;
  j->lib.time_limit_s = time_left(s, j);
  ss_error e = ss_critical_test(&s->ctx, p, (ss_criterion)c, j->o.at, &j->lib, &holds,
                                j->witness + (size_t)c * (size_t)p->nc, NULL);
  if (e == SS_ERR_UNSUPPORTED) return j->holds[c] = SS_UNKNOWN, SS_OK;
  j->holds[c] = holds ? SS_YES : SS_NO;
  return e;
}

static int look_at(cli_session *s, critical_job *j) {
  const ss_problem *p = &j->file->problem;
  j->witness = calloc((size_t)SS_CRITERIA * (size_t)(p->nc ? p->nc : 1), 1);
  if (!j->witness) return cli_fail(s, CLI_RESOURCES, "%s: out of memory", s->file);
  bool yes = true;
  ss_error e = SS_OK;
  cli_progress_begin(&j->progress, s, 1);
  for (int c = 0; !e && c < SS_CRITERIA; c++) {
    if (!wanted(j, c)) continue;
    e = look_at_one(s, j, c);
    yes = yes && j->holds[c] == SS_YES;
  }
  progress_end(j);
  if (cli_interrupted()) return cli_fail(s, CLI_RESOURCES, "%s: interrupted", s->file);
  if (e) return cli_fail_library(s, s->file, e);
  int status = yes ? CLI_DONE : CLI_NEGATIVE;
  if (s->json) return signs_json(s, j, status);
  signs_summary(s, j);
  return status;
}

static int find_values(cli_session *s, critical_job *j) {
  cli_progress_begin(&j->progress, s, 1);
  j->lib.time_limit_s = time_left(s, j);
  ss_error e = ss_critical_compute(&s->ctx, &j->file->problem, &j->lib, &j->result);
  progress_end(j);
  if (cli_interrupted()) return cli_fail(s, CLI_RESOURCES, "%s: interrupted", s->file);
  if (e) return cli_fail_library(s, s->file, e);
  int status = CLI_DONE;
  for (int c = 0; c < SS_CRITERIA; c++)
    if (j->result->value[c].computed && !j->result->value[c].exact) status = CLI_NEGATIVE;
  if (s->json) return values_json(s, j, status);
  values_summary(s, j);
  return status;
}

// --all-slip
static int look_at_slips(cli_session *s, critical_job *j) {
  int nc = j->file->problem.nc;
  ss_critical_value v;
  if (!isnan(j->o.at))
    return cli_fail(s, CLI_USAGE, "critical: --at and --all-slip exclude each other");
  j->witness = calloc((size_t)nc + 1, 1);
  if (!j->witness) return cli_fail(s, CLI_RESOURCES, "out of memory");
  cli_progress_begin(&j->progress, s, 1);
  j->lib.time_limit_s = time_left(s, j);
  ss_error e = ss_critical_all_slip(&s->ctx, &j->file->problem, &j->lib, &v, j->witness);
  progress_end(j);
  if (cli_interrupted()) return cli_fail(s, CLI_RESOURCES, "%s: interrupted", s->file);
  if (e) return cli_fail_library(s, s->file, e);
  int status = v.exact ? CLI_DONE : CLI_NEGATIVE;
  if (s->json) {
    json_t *o = begin_json(s, j);
    cli_put(s, o, "mu_all_slip", v.exact ? cli_extended(v.mu) : json_null());
    cli_put(s, o, "range", cli_interval(s, v.lower, v.upper));
    cli_put(s, o, "pattern", pattern_json(s, v.pattern, nc));
    cli_put(s, o, "patterns_checked", cli_real(v.patterns));
    put_end(s, o, j, !v.exact, v.exact);
    return cli_print_json(s, o, status);
  }
  cli_print(stdout, "%s: critical friction where every contact slips\n", cli_display_name(s->file));
  cli_line(stdout, "all slip", "%s%.12g (an upper bound of the critical friction)",
           v.exact ? "" : "<= ", v.upper);
  if (v.pattern) printf("                "), print_pattern(v.pattern, nc);
  cli_line(stdout, "time", "%.2g s, %.0f patterns", j->time_s, v.patterns);
  return status;
}

// --published
static int look_at_published(cli_session *s, critical_job *j) {
  if (!isnan(j->o.at) || j->o.all_slip)
    return cli_fail(s, CLI_USAGE, "critical: --published and %s exclude each other",
                    j->o.all_slip ? "--all-slip" : "--at");
  j->lib.time_limit_s = time_left(s, j);
  j->lib.criteria = 0;
  cli_progress_begin(&j->progress, s, 1);
  int status = cli_critical_published_run(s, j->file, &j->lib);
  progress_end(j);
  return status;
}

// critical MODEL -x theta=a:b
static int draw_curves(cli_session *s, const critical_job *j, const char *operand) {
  int criterion = j->o.criterion == UNSAID ? (int)SS_BIJECTIVE : j->o.criterion;
  cli_critical_curves c = {.operand = operand,
                           .axis = j->o.x,
                           .family = j->o.family,
                           .parameters = &j->o.parameters,
                           .outputs = &j->o.outputs,
                           .criteria = criterion == ALL ? (1u << SS_CRITERIA) - 1 : 1u << criterion,
                           .lib = j->lib,
                           .time_limit_s = j->o.time_limit_s};
  if (!isnan(j->o.at)) return cli_fail(s, CLI_USAGE, "critical: --at and -x exclude each other");
  return cli_critical_curves_run(s, &c);
}

static int run(cli_session *s, const cli_command *self, int argc, char **argv) {
  ss_critical_options lib = ss_critical_options_default();
  critical_job j = {.lib = lib,
                    .o = {.criterion = UNSAID,
                          .at = NAN,
                          .effort = lib.effort,
                          .starts = lib.sqp_starts,
                          .seed = lib.seed,
                          .scan_step = lib.scan_step_deg,
                          .time_limit_s = INFINITY}};
  cli_args args;
  int status = cli_parse(s, self, argc, argv, &j.o, &args);
  if (status != CLI_GO_ON) return status;
  j.lib.scale_mu = j.o.scale_mu, j.lib.effort = j.o.effort, j.lib.sqp_starts = j.o.starts;
  j.lib.seed = j.o.seed, j.lib.scan_step_deg = j.o.scan_step;
  if (j.o.x) return draw_curves(s, &j, args.operands[0]);
  if (j.o.family || j.o.parameters.count || j.o.outputs.count)
    return cli_fail(s, CLI_USAGE, "critical: --family, -p and -o are for -x, which is missing");
  if (j.o.criterion == UNSAID) j.o.criterion = ALL;
  j.lib.criteria = j.o.criterion == ALL ? 0 : 1u << j.o.criterion;
  j.lib.progress = report_progress, j.lib.user = &j.progress;
  status = cli_open(s, args.operands[0], (ss_format)j.o.format, (ss_form_hint)j.o.form, &j.file);
  if (status == CLI_DONE && j.o.published)
    status = look_at_published(s, &j);
  else if (status == CLI_DONE && j.o.all_slip)
    status = look_at_slips(s, &j);
  else if (status == CLI_DONE)
    status = isnan(j.o.at) ? find_values(s, &j) : look_at(s, &j);
  free(j.witness);
  ss_critical_destroy(j.result);
  ss_file_close(j.file);
  return status;
}

const cli_command cmd_critical = {
    .name = "critical",
    .operands = "FILE|MODEL",
    .summary = "the friction at which uniqueness is lost, by four criteria (2D)",
    .about =
        "one common friction coefficient is assumed, the file's own is ignored unless --scale-mu\n"
        "mu_pmatrix <= mu_bijective = mu_andersson <= mu_simplified; docs/multiplicity.md\n"
        "with -x: curves over a parameter of a model or template, stickslip critical alart -x "
        "theta_deg=1:89 -o c.svg\n"
        "exit status: 0 values found (--at: all hold), 1 only a range (--at: one fails, or is not "
        "known), 2 wrong "
        "usage,\n"
        "3 bad input, 4 resources\n",
    .operands_min = 1,
    .operands_max = 1,
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .operand_name = ss_model_name,
    .run = run,
};
