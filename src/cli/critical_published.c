#include "cli/critical_published.h"

#include <math.h>
#include <stdlib.h>

#include "cli/interrupt.h"
#include "cli/results.h"

typedef struct published {
  const ss_problem *p;
  const ss_critical_options *o;
  ss_critical *criteria;
  ss_critical_value all_slip;
  unsigned char *pattern;  // of all_slip   (nc)
  ss_critical_published *rest;
} published;

// Nothing is unique, or nothing is known: no value of the paper means anything then.
static bool is_singular(const published *j) {
  return j->criteria->singular || j->criteria->doubtful;
}

static ss_error compute(cli_session *s, published *j) {
  ss_error e = ss_critical_compute(&s->ctx, j->p, j->o, &j->criteria);
  if (e || is_singular(j)) return e;
  e = ss_critical_all_slip(&s->ctx, j->p, j->o, &j->all_slip, j->pattern);
  if (e && e != SS_ERR_METHOD) return e;  // too many contacts: that one is left out
  if (e) j->all_slip.computed = false;
  return ss_critical_published_compute(&s->ctx, j->p, j->o, &j->rest);
}

static json_t *criterion(const published *j, ss_criterion c) {
  const ss_critical_value *v = &j->criteria->value[c];
  return v->exact ? cli_extended(v->mu) : json_null();
}

static json_t *angles(const ss_critical_published *r) {
  if (!r->scan_angle_deg) return json_null();
  return cli_doubles_json(r->scan_angle_deg, r->contacts);
}

static void put_rest(cli_session *s, json_t *o, const published *j) {
  const ss_critical_published *r = j->rest;
  bool slips = j->all_slip.computed && j->all_slip.exact;
  cli_put(s, o, "mu_all_slip", slips ? cli_extended(j->all_slip.mu) : json_null());
  cli_put(s, o, "mu_scan", cli_extended(r->scan));
  cli_put(s, o, "mu_scan_grid", cli_extended(r->scan_grid));
  cli_put(s, o, "scan_step_deg", cli_real(j->o->scan_step_deg));
  cli_put(s, o, "scan_angles_deg", angles(r));
  cli_put(s, o, "mu_interval", cli_extended(r->interval));
  cli_put(s, o, "interval_tests", cli_real(r->interval_tests));
  cli_put(s, o, "mu_copositive",
          r->copositive_lower < r->copositive ? json_null() : cli_extended(r->copositive));
  cli_put(s, o, "copositive_range",
          isnan(r->copositive) ? json_null() : cli_interval(s, r->copositive_lower, r->copositive));
  cli_put(s, o, "copositive_faces", cli_real(r->copositive_faces));
}

static int report_json(cli_session *s, const published *j, int status) {
  json_t *o = cli_object(s);
  cli_put_sizes(s, o, j->p);
  cli_put(s, o, "scale_mu", json_boolean(j->o->scale_mu));
  cli_put(s, o, "mu_bijective", criterion(j, SS_BIJECTIVE));
  cli_put(s, o, "mu_pmatrix", criterion(j, SS_PMATRIX));
  cli_put(s, o, "mu_andersson", criterion(j, SS_ANDERSSON));
  cli_put(s, o, "mu_simplified", criterion(j, SS_SIMPLIFIED));
  cli_put(s, o, "mu_simplified_sqp", cli_extended(j->criteria->sqp));
  cli_put(s, o, "singular",
          j->criteria->doubtful ? json_null() : json_boolean(j->criteria->singular));
  if (j->rest) put_rest(s, o, j);
  cli_put(s, o, "complete", json_boolean(status == CLI_DONE));
  return cli_print_json(s, o, status);
}

static void line(const char *label, double mu, const char *what, int most) {
  if (isnan(mu))
    cli_line(stdout, label, "not computed: at most %d contacts that hang together (%s)", most,
             what);
  else if (isinf(mu))
    cli_line(stdout, label, "none (%s)", what);
  else
    cli_line(stdout, label, "%.12g (%s)", mu, what);
}

static void print_rest(const published *j) {
  const ss_critical_published *r = j->rest;
  bool range = r->copositive_lower < r->copositive;
  line("all slip", j->all_slip.computed ? j->all_slip.upper : NAN,
       "2^n patterns, 6.1; an upper bound", 24);
  line("SQP", j->criteria->sqp, "(59), Opt-SQP; an upper bound", 1000);
  line("scan", r->scan, "(59), Opt-Def", SS_SCAN_CONTACTS);
  if (isfinite(r->scan))
    cli_line(stdout, "", "%.9g on the grid, %g degrees a step", r->scan_grid, j->o->scan_step_deg);
  line("interval", r->interval, "(57) on the interval hull, as printed", SS_INTERVAL_CONTACTS);
  line("copositive", range ? r->copositive_lower : r->copositive,
       range ? "the matrix of (30) at least up to here" : "the matrix of (30) up to here, 4.3",
       SS_COPOSITIVE_CONTACTS);
}

static void report_summary(cli_session *s, const published *j) {
  printf("%s: critical friction as published%s\n", cli_display_name(s->file),
         j->o->scale_mu ? ", as a factor of the file's own" : "");
  cli_line_problem(stdout, j->p);
  if (is_singular(j)) {
    cli_line(stdout, "singular",
             "W is not positive definite beyond the rounding of the data: nothing to compute");
    return;
  }
  line("bijective", j->criteria->value[SS_BIJECTIVE].upper, "6.1", 64);
  line("pmatrix", j->criteria->value[SS_PMATRIX].upper, "(54) at its corners, (57) corrected", 64);
  print_rest(j);
}

static int judge(const published *j) {
  for (int c = 0; c < SS_CRITERIA; c++)
    if (!j->criteria->value[c].exact) return CLI_NEGATIVE;
  return j->rest && !j->rest->late && j->all_slip.exact ? CLI_DONE : CLI_NEGATIVE;
}

int cli_critical_published_run(cli_session *s, const ss_file *file, const ss_critical_options *o) {
  published j = {.p = &file->problem, .o = o};
  j.pattern = calloc((size_t)j.p->nc + 1, 1);
  if (!j.pattern) return cli_fail(s, CLI_RESOURCES, "out of memory");
  ss_error e = compute(s, &j);
  int status = CLI_DONE;
  if (cli_interrupted())
    status = cli_fail(s, CLI_RESOURCES, "%s: interrupted", s->file);
  else if (e)
    status = cli_fail_library(s, s->file, e);
  else if (status = judge(&j), s->json)
    status = report_json(s, &j, status);
  else
    report_summary(s, &j);
  free(j.pattern);
  ss_critical_destroy(j.criteria);
  ss_critical_published_destroy(j.rest);
  return status;
}
