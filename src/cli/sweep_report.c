// What a sweep shows: a table, CSV, curves over its first axis.
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/csv_rows.h"
#include "cli/sweep.h"

enum { FIELDS_MAX = 16, CURVES_MAX = 24, NAME_SIZE = 64 };

typedef struct fields {
  char name[FIELDS_MAX][NAME_SIZE];
  int count;
} fields;

// Of scenes and of mechanisms: what both have.
static const char *const usual =
    "status,steps,time_simulated,contacts_mean,unsolved_steps,energy/1,time_s";

static fields fields_of(const sweep_job *w) {
  fields f = {.count = 0};
  const char *at = w->o.fields ? w->o.fields : usual;
  while (*at && f.count < FIELDS_MAX) {
    size_t n = strcspn(at, ",");
    snprintf(f.name[f.count], NAME_SIZE, "%.*s", (int)(n < NAME_SIZE ? n : NAME_SIZE - 1), at);
    if (n) f.count++;
    at += n + (at[n] == ',');
  }
  return f;
}

// "energy/1", "energy_balance/contact": a value of what simulate printed, or NULL.
static json_t *value_at(json_t *result, const char *path) {
  char part[NAME_SIZE];
  for (;;) {
    size_t n = strcspn(path, "/");
    snprintf(part, sizeof part, "%.*s", (int)n, path);
    result = json_is_array(result) ? json_array_get(result, strtoul(part, NULL, 10))
                                   : json_object_get(result, part);
    if (!path[n] || !result) return result;
    path += n + 1;
  }
}

static double number_at(json_t *result, const char *path) {
  json_t *x = value_at(result, path);
  if (json_is_boolean(x)) return json_is_true(x);
  return json_is_number(x) ? json_number_value(x) : NAN;
}

static void cell(json_t *result, const char *path, int digits, char *out, size_t size) {
  json_t *x = value_at(result, path);
  if (json_is_string(x))
    snprintf(out, size, "%s", json_string_value(x));
  else if (json_is_number(x) || json_is_boolean(x))
    snprintf(out, size, "%.*g", digits, number_at(result, path));
  else
    snprintf(out, size, "%s", digits == 17 ? "" : "-");
}

static const char *known_field(const void *user, int i) {
  (void)user;
  return sweep_known_fields[i];
}

// Of a/b/c the a: what is below depends on the scene.
static int check_name(cli_session *s, const char *name, size_t length) {
  char top[NAME_SIZE], near[1500];
  size_t n = strcspn(name, "/");
  snprintf(top, sizeof top, "%.*s", (int)(n < length ? n : length), name);
  for (int k = 0; sweep_known_fields[k]; k++)
    if (strcmp(sweep_known_fields[k], top) == 0) return CLI_GO_ON;
  ss_suggest_name(top, NULL, known_field, NULL, near, sizeof near);
  return cli_fail(s, CLI_USAGE, "--fields: simulate --json has no '%s'; %s", top, near);
}

static int check_names(cli_session *s, const char *list) {
  int count = 0, status = CLI_GO_ON;
  for (const char *at = list; at && *at;) {
    size_t n = strcspn(at, ",");
    if (n >= NAME_SIZE)
      return cli_fail(s, CLI_USAGE, "--fields: found a name of %zu characters, expected at most %d",
                      n, NAME_SIZE - 1);
    count += n > 0;
    at += n + (at[n] == ',');
  }
  if (count > FIELDS_MAX)
    return cli_fail(s, CLI_USAGE, "--fields: found %d names, expected at most %d", count,
                    FIELDS_MAX);
  for (const char *at = list; at && *at && status == CLI_GO_ON;) {
    size_t n = strcspn(at, ",");
    if (n > 0) status = check_name(s, at, n);
    at += n + (at[n] == ',');
  }
  return status;
}

int sweep_check_asked(cli_session *s, const sweep_job *w) {
  int count = w->axes[0].count, curves = w->point_count / count;
  int status = cli_output_is_file(s, "-o", w->o.output);
  if (status == CLI_GO_ON) status = cli_output_is_file(s, "--csv", w->o.csv);
  if (status == CLI_GO_ON) status = cli_output_is_file(s, "--svg", w->o.svg);
  if (status == CLI_GO_ON) status = check_names(s, w->o.fields);
  if (status != CLI_GO_ON || !w->o.svg || (count >= 2 && curves <= CURVES_MAX)) return status;
  return cli_fail(s, CLI_USAGE,
                  "--svg: %d points along the first parameter and %d curves, expected at least 2 "
                  "and at most %d",
                  count, curves, CURVES_MAX);
}

static bool some_ended_well(const sweep_job *w) {
  for (int i = 0; i < w->point_count; i++)
    if (w->results[i] && number_at(w->results[i], "exit_status") == 0) return true;
  return false;
}

int sweep_check_fields(cli_session *s, const sweep_job *w) {
  fields f = fields_of(w);
  for (int k = 0; k < f.count; k++) {
    bool found = false;
    for (int i = 0; i < w->point_count && !found; i++)
      found = w->results[i] && value_at(w->results[i], f.name[k]);
    if (!found && w->o.fields && some_ended_well(w))
      return cli_fail(s, CLI_USAGE,
                      "--fields: no point has '%s'; see the fields of stickslip simulate --json",
                      f.name[k]);
  }
  return CLI_GO_ON;
}

void sweep_print(FILE *to, const sweep_job *w) {
  fields f = fields_of(w);
  int width[SWEEP_AXES_MAX + FIELDS_MAX];
  for (int k = 0; k < w->axis_count; k++) width[k] = (int)fmax(10, (double)strlen(w->axes[k].name));
  for (int k = 0; k < f.count; k++)
    width[w->axis_count + k] = (int)fmax(12, (double)strlen(f.name[k]));
  for (int k = 0; k < w->axis_count; k++)
    cli_print(to, "%s%*s", k ? "  " : "", width[k], w->axes[k].name);
  for (int k = 0; k < f.count; k++) cli_print(to, "  %*s", width[w->axis_count + k], f.name[k]);
  fputc('\n', to);
  for (int i = 0; i < w->point_count; i++) {
    if (!w->results[i]) continue;
    for (int k = 0; k < w->axis_count; k++)
      fprintf(to, "%s%*.6g", k ? "  " : "", width[k], sweep_value(w, i, k));
    for (int k = 0; k < f.count; k++) {
      char text[100];
      cell(w->results[i], f.name[k], 6, text, sizeof text);
      cli_print(to, "  %*s", width[w->axis_count + k], text);
    }
    fputc('\n', to);
  }
}

int sweep_write_csv(cli_session *s, const sweep_job *w) {
  if (!w->o.csv) return CLI_GO_ON;
  char *text = NULL;
  size_t size;
  FILE *to = open_memstream(&text, &size);
  if (!to) return cli_fail(s, CLI_RESOURCES, "%s: out of memory", w->o.csv);
  fields f = fields_of(w);
  for (int k = 0; k < w->axis_count; k++) {
    if (k) fputc(',', to);
    cli_csv_field(to, w->axes[k].name);
  }
  for (int k = 0; k < f.count; k++) fputc(',', to), cli_csv_field(to, f.name[k]);
  fputc('\n', to);
  for (int i = 0; i < w->point_count; i++) {
    if (!w->results[i]) continue;
    for (int k = 0; k < w->axis_count; k++)
      fprintf(to, "%s%.17g", k ? "," : "", sweep_value(w, i, k));
    for (int k = 0; k < f.count; k++) {
      char value[1000];
      cell(w->results[i], f.name[k], 17, value, sizeof value);
      fputc(',', to);
      cli_csv_field(to, value);
    }
    fputc('\n', to);
  }
  bool failed = ferror(to) != 0;
  failed |= fclose(to) != 0;
  ss_error e = failed ? SS_ERR_MEMORY : ss_text_write(&s->ctx, w->o.csv, text);
  free(text);
  return e ? cli_fail_library(s, w->o.csv, e) : CLI_GO_ON;
}

// ---- the picture ----------------------------------------------------------------------------------

typedef struct picture {
  int count, curve_count;
  double *x, *y;  // (count), (curve_count x count)
  ss_curve curve[CURVES_MAX];
  char label[CURVES_MAX][120];
} picture;

// The field that is drawn: the first of --fields that is a number; without --fields one that says more than the steps.
static const char *drawn_field(const sweep_job *w, fields *f) {
  *f = fields_of(w);
  for (int k = 0; k < f->count; k++)
    for (int i = 0; i < w->point_count; i++)
      if (w->results[i] && isfinite(number_at(w->results[i], f->name[k])) &&
          (w->o.fields || strcmp(f->name[k], "steps") != 0))
        return f->name[k];
  return "steps";
}

// Curves over the first axis, one for each point of the others: the first axis changes fastest.
static void fill(const sweep_job *w, const char *field, picture *p) {
  for (int i = 0; i < p->count; i++) p->x[i] = sweep_value(w, i, 0);
  for (int c = 0; c < p->curve_count; c++) {
    double *y = p->y + (size_t)c * (size_t)p->count;
    size_t used = 0;
    for (int k = 1; k < w->axis_count && used < sizeof p->label[c]; k++)
      used += (size_t)snprintf(p->label[c] + used, sizeof p->label[c] - used, "%s%s = %.4g",
                               k > 1 ? ", " : "", w->axes[k].name, sweep_value(w, c * p->count, k));
    if (w->axis_count == 1) snprintf(p->label[c], sizeof p->label[c], "%s", field);
    for (int i = 0; i < p->count; i++) {
      json_t *result = w->results[c * p->count + i];
      y[i] = result ? number_at(result, field) : NAN;
    }
    p->curve[c] = (ss_curve){p->label[c], y};
  }
}

int sweep_write_svg(cli_session *s, const sweep_job *w) {
  if (!w->o.svg) return CLI_GO_ON;
  fields f;
  picture p = {.count = w->axes[0].count, .curve_count = w->point_count / w->axes[0].count};
  const char *field = drawn_field(w, &f);
  p.x = calloc((size_t)p.count, sizeof *p.x);
  p.y = calloc((size_t)w->point_count, sizeof *p.y);
  ss_error e = SS_ERR_MEMORY;
  char *text = NULL;
  if (p.x && p.y) {
    fill(w, field, &p);
    ss_curves c = {.title = "Sweep",
                   .subtitle = w->scene,
                   .x_name = w->axes[0].name,
                   .y_name = field,
                   .count = p.count,
                   .x = p.x,
                   .curves = p.curve,
                   .curve_count = p.curve_count,
                   .whole = true};
    e = ss_curves_svg(&s->ctx, &c, &text);
  }
  if (!e) e = ss_text_write(&s->ctx, w->o.svg, text);
  ss_text_destroy(&s->ctx, text);
  free(p.x), free(p.y);
  return e ? cli_fail_library(s, w->o.svg, e) : CLI_GO_ON;
}
