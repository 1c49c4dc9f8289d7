// Critical friction over a parameter of a model or template: curves, one for each criterion and value of a second parameter.
#include "cli/critical_curves.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/axis.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "cli/varied.h"

enum { FAMILY_MOST = 24 };

typedef struct curves_job {
  const cli_critical_curves *o;
  cli_settings fixed;
  cli_axis axis;
  char family[64];               // name; empty: none
  char values[FAMILY_MOST][64];  // as written
  int members;                   // at least 1
  int criteria[SS_CRITERIA], per_member;
  int curve_count, open;  // open: values that are only known as a range
  double *x, *y;          // (points), (curves x points)
  char labels[FAMILY_MOST * SS_CRITERIA][96];
  double time_s;
  char title[300], subtitle[600];
} curves_job;

// ---- reading --------------------------------------------------------------------------------

static int read_family(cli_session *s, curves_job *j) {
  const char *text = j->o->family, *equals = text ? strchr(text, '=') : NULL;
  j->members = 1;
  if (!text) return CLI_GO_ON;
  size_t length = equals ? (size_t)(equals - text) : 0;
  if (length == 0 || length >= sizeof j->family || !equals[1])
    return cli_fail(s, CLI_USAGE, "--family: found '%s', expected NAME=VALUE,VALUE,...", text);
  memcpy(j->family, text, length);
  j->family[length] = '\0';
  j->members = 0;
  for (const char *at = equals + 1; *at;) {
    size_t width = strcspn(at, ",");
    if (j->members == FAMILY_MOST || width == 0 || width >= sizeof *j->values)
      return cli_fail(s, CLI_USAGE, "--family: found '%s', expected at most %d values", text,
                      FAMILY_MOST);
    memcpy(j->values[j->members], at, width);
    j->values[j->members++][width] = '\0';
    at += width + (at[width] ? 1 : 0);
  }
  return CLI_GO_ON;
}

static int read_all(cli_session *s, curves_job *j) {
  cli_axis_form form = {"-x", "points", 2, 181};
  int status = cli_settings_parse(s, j->o->parameters, &j->fixed);
  if (status == CLI_GO_ON) status = cli_axis_parse(s, &form, j->o->axis, &j->axis);
  if (status == CLI_GO_ON) status = read_family(s, j);
  if (status == CLI_GO_ON) status = cli_check_pictures(s, j->o->outputs);
  if (status == CLI_GO_ON && j->fixed.count == CLI_LIST_MAX)
    status = cli_fail(s, CLI_USAGE, "critical: too many parameters");
  if (status != CLI_GO_ON) return status;
  for (int c = 0; c < SS_CRITERIA; c++)
    if (j->o->criteria >> c & 1) j->criteria[j->per_member++] = c;
  j->curve_count = j->members * j->per_member;
  size_t points = (size_t)j->axis.count;
  j->x = malloc(sizeof *j->x * points);
  j->y = malloc(sizeof *j->y * points * (size_t)j->curve_count);
  if (!j->x || !j->y) return cli_fail(s, CLI_RESOURCES, "critical: out of memory");
  return CLI_GO_ON;
}

static void name_curves(curves_job *j) {
  for (int k = 0; k < j->curve_count; k++) {
    const char *criterion = ss_criterion_name((ss_criterion)j->criteria[k % j->per_member]);
    char member[80];
    snprintf(member, sizeof member, "%.30s = %.40s", j->family, j->values[k / j->per_member]);
    if (!*j->family)
      snprintf(j->labels[k], sizeof *j->labels, "%s", criterion);
    else if (j->per_member == 1)
      snprintf(j->labels[k], sizeof *j->labels, "%s", member);
    else
      snprintf(j->labels[k], sizeof *j->labels, "%s, %.70s", criterion, member);
  }
}

// ---- the work -------------------------------------------------------------------------------

typedef struct curve_watch {
  cli_progress shown;
  double done;
} curve_watch;

static int on_progress(void *user, const ss_critical_progress *now) {
  (void)now;
  curve_watch *w = user;
  bool due = cli_progress_due(&w->shown) > 0;
  if (due && w->shown.terminal)
    cli_progress_draw(&w->shown, "critical", w->done, "%3.0f %%", 100 * w->done);
  else if (due)
    fprintf(stderr, "critical done=%.3f\n", w->done);
  return cli_interrupted();
}

static int one_point(cli_session *s, curves_job *j, const cli_varied *v, int member, int point,
                     ss_critical_options *lib) {
  ss_problem *p;
  ss_critical *found;
  ss_error e = cli_varied_at((void *)v, &s->ctx, j->x[point], &p);
  if (e) return cli_varied_fail(s, v, e);
  lib->time_limit_s = fmax(j->o->time_limit_s - (cli_now_s() - s->begin_s), 0);
  e = ss_critical_compute(&s->ctx, p, lib, &found);
  ss_problem_destroy(p);
  if (e) return cli_varied_fail(s, v, e);
  for (int c = 0; c < j->per_member; c++) {
    const ss_critical_value *value = &found->value[j->criteria[c]];
    j->open += !value->exact;
    j->y[(member * j->per_member + c) * j->axis.count + point] = value->exact ? value->mu : NAN;
  }
  ss_critical_destroy(found);
  return CLI_GO_ON;
}

// One member of the family: its value is fixed beside what is fixed anyway.
static int one_member(cli_session *s, curves_job *j, int member, curve_watch *w) {
  cli_settings fixed = j->fixed;
  cli_varied v;
  ss_critical_options lib = j->o->lib;
  lib.criteria = j->o->criteria, lib.progress = on_progress, lib.user = w;
  if (*j->family)
    fixed.settings[fixed.count++] = (ss_model_setting){j->family, j->values[member], 0};
  int status =
      cli_varied_open(s, j->o->operand, &(cli_varied_reading){0}, &fixed, j->axis.name, &v);
  if (status == CLI_GO_ON && v.over)
    status = cli_fail(
        s, CLI_USAGE,
        "%s: critical friction does not depend on %s, expected a parameter of its matrices",
        cli_display_name(j->o->operand), j->axis.name);
  for (int i = 0; i < j->axis.count && status == CLI_GO_ON; i++) {
    w->done = (member + (double)i / j->axis.count) / j->members;
    status = one_point(s, j, &v, member, i, &lib);
  }
  if (member == 0 && status == CLI_GO_ON)
    cli_source_caption(&v.source, &j->fixed, j->title, j->subtitle);
  cli_varied_close(&v);
  return status;
}

static int compute(cli_session *s, curves_job *j) {
  curve_watch w = {.done = 0};
  int status = CLI_GO_ON, last = j->axis.count - 1;
  for (int i = 0; i <= last; i++)
    j->x[i] = i == last ? j->axis.to : j->axis.from + (j->axis.to - j->axis.from) * i / last;
  cli_progress_begin(&w.shown, s, 1);
  for (int k = 0; k < j->members && status == CLI_GO_ON; k++) status = one_member(s, j, k, &w);
  j->time_s = cli_now_s() - w.shown.begin_s;
  bool interrupted = cli_interrupted();
  cli_progress_end(&w.shown);
  return interrupted ? cli_fail(s, CLI_RESOURCES, "critical: interrupted") : status;
}

// ---- reporting ------------------------------------------------------------------------------

static json_t *number_json(double x) {
  return isinf(x) ? json_string("inf") : cli_real(x);
}

static json_t *curve_json(cli_session *s, const curves_job *j, int k) {
  json_t *o = json_object(), *mu = json_array();
  const double *y = j->y + k * j->axis.count;
  for (int i = 0; i < j->axis.count; i++) cli_append(s, mu, number_json(y[i]));
  cli_put(s, o, "label", cli_text(j->labels[k]));
  cli_put(s, o, "criterion",
          json_string(ss_criterion_name((ss_criterion)j->criteria[k % j->per_member])));
  cli_put(s, o, "value", cli_text(*j->family ? j->values[k / j->per_member] : NULL));
  cli_put(s, o, "mu", mu);
  return o;
}

static json_t *curves_json(cli_session *s, const curves_job *j) {
  json_t *o = cli_object(s), *axis = json_object(), *curves = json_array();
  cli_put(s, o, "model", cli_text(j->o->operand));
  cli_put(s, o, "parameters", cli_settings_json(s, &j->fixed));
  cli_put(s, axis, "name", cli_text(j->axis.name));
  cli_put(s, axis, "values", cli_doubles_json(j->x, j->axis.count));
  cli_put(s, o, "x", axis);
  cli_put(s, o, "family", cli_text(*j->family ? j->family : NULL));
  for (int k = 0; k < j->curve_count; k++) cli_append(s, curves, curve_json(s, j, k));
  cli_put(s, o, "curves", curves);
  cli_put(s, o, "complete", json_boolean(!j->open));
  cli_put(s, o, "time_s", cli_real(j->time_s));
  cli_put(s, o, "outputs", cli_list_json(s, j->o->outputs));
  return o;
}

static int write_file(cli_session *s, const curves_job *j, const char *path) {
  char *text = NULL, ending = cli_picture_ending(path);
  ss_curve list[FAMILY_MOST * SS_CRITERIA];
  if (ending == 'j') return cli_write_json(s, curves_json(s, j), path);
  for (int k = 0; k < j->curve_count; k++)
    list[k] = (ss_curve){j->labels[k], j->y + k * j->axis.count};
  ss_curves c = {.title = j->title,
                 .subtitle = *j->subtitle ? j->subtitle : NULL,
                 .x_name = j->axis.name,
                 .y_name = "mu_critical",
                 .count = j->axis.count,
                 .x = j->x,
                 .curves = list,
                 .curve_count = j->curve_count};
  ss_error e =
      ending == 's' ? ss_curves_svg(&s->ctx, &c, &text) : ss_curves_csv(&s->ctx, &c, &text);
  return cli_write_text(s, path, text, e);
}

static void summary(const curves_job *j) {
  cli_print(stdout, "%s over %s = %g .. %g: critical friction\n", cli_display_name(j->o->operand),
            j->axis.name, j->axis.from, j->axis.to);
  for (int k = 0; k < j->curve_count; k++) {
    const double *y = j->y + k * j->axis.count;
    int least = -1;
    for (int i = 0; i < j->axis.count; i++)
      if (isfinite(y[i]) && (least < 0 || y[i] < y[least])) least = i;
    if (least < 0)
      cli_line(stdout, j->labels[k], "none: unique at any friction");
    else
      cli_line(stdout, j->labels[k], "%.9g at %.9g .. smallest %.9g at %s = %.9g .. %.9g at %.9g",
               y[0], j->x[0], y[least], j->axis.name, j->x[least], y[j->axis.count - 1],
               j->x[j->axis.count - 1]);
  }
  if (j->open)
    cli_line(stdout, "open", "%d values are only known as a range, and left out", j->open);
  cli_line(stdout, "work", "%d points, %.3g s", j->members * j->axis.count, j->time_s);
  for (int k = 0; k < j->o->outputs->count; k++)
    cli_line(stdout, "written", "%s", j->o->outputs->items[k]);
}

static int report(cli_session *s, const curves_job *j) {
  int done = j->open ? CLI_NEGATIVE : CLI_DONE;
  for (int k = 0; k < j->o->outputs->count; k++) {
    int status = write_file(s, j, j->o->outputs->items[k]);
    if (status != CLI_GO_ON) return status;
  }
  if (s->json) return cli_print_json(s, curves_json(s, j), done);
  summary(j);
  return done;
}

int cli_critical_curves_run(cli_session *s, const cli_critical_curves *o) {
  curves_job *j = calloc(1, sizeof *j);
  if (!j) return cli_fail(s, CLI_RESOURCES, "critical: out of memory");
  j->o = o;
  int status = read_all(s, j);
  if (status == CLI_GO_ON) {
    name_curves(j);
    status = compute(s, j);
  }
  if (status == CLI_GO_ON) status = report(s, j);
  free(j->x);
  free(j->y);
  free(j);
  return status;
}
