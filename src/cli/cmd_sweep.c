// stickslip sweep SCENE -p mu=0.1:0.9:9 ...: a simulation at every point of a grid.
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/mechanism_run.h"
#include "cli/outputs.h"
#include "cli/progress.h"
#include "cli/scene_text.h"
#include "cli/sweep.h"

#define AT(field) offsetof(sweep_options, field)
static const cli_option options[] = {
    {"param", 'p', "NAME=FROM:TO:COUNT",
     "a parameter and its values; the first changes fastest. NAME: of a scene mu (of all its "
     "materials and laws), "
     "tilt (of gravity, degrees) or a JSON pointer; of a mechanism its own",
     CLI_LIST, AT(axes), 0, 0, 0, 0},
    {"set", 0, "POINTER=VALUE", "change the scene before, as simulate --set does", CLI_TEXT,
     AT(set), 0, 0, 0, 0},
    {"with", 0, "OPTIONS", "further options of simulate, as '--tol 1e-4 --duration 2'", CLI_TEXT,
     AT(with), 0, 0, 0, 0},
    {"fields", 'f', "LIST",
     "what to show of each point, by the names of simulate --json, as 'speed_last,energy/1'",
     CLI_TEXT, AT(fields), 0, 0, 0, 0},
    {"jobs", 'j', "N", "so many points at a time (default 1)", CLI_COUNT, AT(jobs), 1,
     SWEEP_JOBS_MAX, "a whole number in 1 .. 256", 0},
    {"shard", 0, "I/N", "only every N-th point, from the I-th on", CLI_TEXT, AT(shard), 0, 0, 0, 0},
    {"output", 'o', "FILE", "a line of JSON for each point, appended when it has run", CLI_WRITE,
     AT(output), 0, 0, 0, 0},
    {"resume", 'r', 0, "do not run again what -o FILE holds already", CLI_FLAG, AT(resume), 0, 0, 0,
     0},
    {"csv", 0, "FILE", "the table as comma-separated values", CLI_WRITE, AT(csv), 0, 0, 0, 0},
    {"svg", 0, "FILE",
     "a picture: the first of --fields that is a number, over the first parameter", CLI_WRITE,
     AT(svg), 0, 0, 0, 0},
};
#undef AT

// ---- points ---------------------------------------------------------------------------------------

double sweep_value(const sweep_job *w, int point, int axis) {
  for (int k = 0; k < axis; k++) point /= w->axes[k].count;
  const cli_axis *a = &w->axes[axis];
  int i = point % a->count;
  if (a->count == 1 || i == 0) return a->from;
  return i == a->count - 1 ? a->to : a->from + (a->to - a->from) * i / (a->count - 1);
}

bool sweep_is_ours(const sweep_job *w, int point) {
  return cli_shard_has(&w->shard, point);
}

static int count_ours(const sweep_job *w) {
  int count = 0;
  for (int i = 0; i < w->point_count; i++) count += sweep_is_ours(w, i);
  return count;
}

int sweep_done(const sweep_job *w) {
  int count = 0;
  for (int i = 0; i < w->point_count; i++) count += w->results[i] && sweep_is_ours(w, i);
  return count;
}

static void change_friction(FILE *to, const json_t *root, const char *list, double mu) {
  size_t count = json_array_size(json_object_get(root, list));
  for (size_t k = 0; k < count; k++) fprintf(to, "/%s/%zu/mu=%.17g;", list, k, mu);
}

// Gravity turned in the plane of the first and the last axis: what lies on z = 0 is on a slope that falls along x.
static void tilt(FILE *to, const json_t *root, double degrees) {
  const json_t *given = json_object_get(root, "gravity");
  int dim = json_number_value(json_object_get(root, "dim")) == 2 ? 2 : 3;
  double g[3] = {0, 0, 0}, a = degrees * 3.14159265358979323846 / 180;
  g[dim - 1] = -9.81;
  for (int k = 0; k < dim && given; k++) g[k] = json_number_value(json_array_get(given, (size_t)k));
  double along = g[0] * cos(a) - g[dim - 1] * sin(a), up = g[dim - 1] * cos(a) + g[0] * sin(a);
  g[0] = along, g[dim - 1] = up;
  fprintf(to, "/gravity=[%.17g,%.17g", g[0], g[1]);
  if (dim == 3) fprintf(to, ",%.17g", g[2]);
  fprintf(to, "];");
}

char *sweep_changes(const sweep_job *w, int point) {
  char *text = NULL;
  size_t size;
  FILE *to = open_memstream(&text, &size);
  if (!to) return NULL;
  if (w->o.set && !w->mechanism) fprintf(to, "%s;", w->o.set);
  for (int k = 0; k < w->axis_count; k++) {
    const char *name = w->axes[k].name;
    double x = sweep_value(w, point, k);
    if (w->mechanism || *name == '/')
      fprintf(to, "%s=%.17g;", name, x);
    else if (strcmp(name, "mu") == 0)
      change_friction(to, w->root, "materials", x), change_friction(to, w->root, "laws", x);
    else
      tilt(to, w->root, x);
  }
  if (fclose(to) == 0) return text;
  free(text);
  return NULL;
}

// ---- what was asked for -----------------------------------------------------------------------------

static int read_axes(cli_session *s, sweep_job *w) {
  static const cli_axis_form form = {"-p", "values", 1, 2};
  if (!w->o.axes.count)
    return cli_fail(s, CLI_USAGE, "nothing to sweep; expected -p NAME=FROM:TO:COUNT");
  if (w->o.axes.count > SWEEP_AXES_MAX)
    return cli_fail(s, CLI_USAGE, "-p: more than %d parameters", SWEEP_AXES_MAX);
  w->point_count = 1;
  for (int k = 0; k < w->o.axes.count; k++) {
    cli_axis *a = &w->axes[k];
    int status = cli_axis_parse(s, &form, w->o.axes.items[k], a);
    if (status != CLI_GO_ON) return status;
    for (int i = 0; i < k; i++)
      if (strcmp(w->axes[i].name, a->name) == 0)
        return cli_fail(s, CLI_USAGE, "-p: '%s' is there twice", a->name);
    bool known = w->mechanism || *a->name == '/' || strcmp(a->name, "mu") == 0 ||
                 strcmp(a->name, "tilt") == 0;
    if (!known)
      return cli_fail(
          s, CLI_USAGE,
          "-p: '%s': of a scene expected mu, tilt or a JSON pointer, as /generators/0/count",
          a->name);
    if (a->count > SWEEP_POINTS_MAX / w->point_count)
      return cli_fail(s, CLI_USAGE, "more than %d points", SWEEP_POINTS_MAX);
    w->point_count *= a->count;
    w->axis_count++;
  }
  return CLI_GO_ON;
}

static int read_scene(cli_session *s, sweep_job *w) {
  if (strcmp(w->scene, "-") == 0)
    return cli_fail(s, CLI_USAGE,
                    "sweep reads the scene at every point: found '-', expected a file or a name");
  w->mechanism = cli_is_mechanism(w->scene);
  if (w->mechanism && w->o.set)
    return cli_fail(s, CLI_USAGE, "--set is for scenes; %s is a mechanism", w->scene);
  if (w->mechanism) return CLI_GO_ON;
  int status = cli_scene_text(s, w->scene, w->o.set, &w->text);
  if (status != CLI_GO_ON) return status;
  w->root = json_loads(w->text, 0, NULL);
  return w->root ? CLI_GO_ON : cli_fail(s, CLI_INPUT, "%s: no JSON, expected a scene", w->scene);
}

static int read_words(cli_session *s, sweep_job *w) {
  int most = (int)(sizeof w->words / sizeof *w->words);
  if (!w->o.with) return CLI_GO_ON;
  w->options = strdup(w->o.with);
  if (!w->options) return cli_fail(s, CLI_RESOURCES, "out of memory");
  for (char *rest = w->options, *word; (word = strtok_r(rest, " \t\n", &rest));) {
    if (w->word_count == most) return cli_fail(s, CLI_USAGE, "--with: more than %d words", most);
    if (strcmp(word, "-o") == 0 || strncmp(word, "--output", 8) == 0 ||
        strncmp(word, "--dump", 6) == 0)
      return cli_fail(s, CLI_USAGE, "--with: %s: every point would write the same file", word);
    w->words[w->word_count++] = word;
  }
  return CLI_GO_ON;
}

// ---- the whole --------------------------------------------------------------------------------------

typedef struct sweep_ticker {
  cli_progress shown;
  const sweep_job *w;
} sweep_ticker;

static void tick(void *user, int point) {
  sweep_ticker *k = user;
  double time_s = cli_progress_due(&k->shown);
  if (!(time_s > 0)) return;
  int done = sweep_done(k->w), count = count_ours(k->w);
  if (k->shown.terminal)
    cli_progress_draw(&k->shown, "", count ? (double)done / count : 0, "%d/%d  %.1f s", done, count,
                      time_s);
  else
    cli_print(stderr, "sweep done=%d/%d next=%d t=%.2f\n", done, count, point, time_s);
}

static json_t *sweep_json(cli_session *s, const sweep_job *w, bool complete) {
  json_t *o = cli_object(s), *rows = json_array();
  for (int i = 0; i < w->point_count; i++)
    if (w->results[i]) cli_append(s, rows, sweep_row_json(s, w, i));
  cli_put(s, o, "scene", cli_text(w->scene));
  cli_put(s, o, "complete", json_boolean(complete));
  cli_put(s, o, "axes", sweep_axes_json(s, w));
  cli_put(s, o, "rows", rows);
  return o;
}

// How many points did not end well, what the first of them says, and whether one lacked memory or disk.
static int count_bad(const sweep_job *w, const char **first, bool *in_want) {
  int bad = 0;
  for (int i = 0; i < w->point_count; i++) {
    json_int_t ended = json_integer_value(json_object_get(w->results[i], "exit_status"));
    if (!w->results[i] || ended == 0) continue;
    if (ended == CLI_RESOURCES) *in_want = true;
    const char *message = json_string_value(json_object_get(w->results[i], "message"));
    if (!bad++)
      *first = message ? message : json_string_value(json_object_get(w->results[i], "status"));
  }
  return bad;
}

static int report(cli_session *s, const sweep_job *w, int status) {
  const char *first = NULL;
  bool in_want = false;
  int bad = count_bad(w, &first, &in_want), ours = count_ours(w);
  bool complete = sweep_done(w) == ours;
  if (cli_interrupted())
    status = cli_fail(s, CLI_RESOURCES, "interrupted after %d of %d points%s", sweep_done(w), ours,
                      w->o.output ? "; --resume goes on from there" : "");
  if (status == CLI_GO_ON && bad)
    cli_note(s, "%d of %d points did not end well, the first says: %s", bad, sweep_done(w),
             first ? first : "nothing");
  if (status == CLI_GO_ON) status = sweep_check_fields(s, w);
  if (status == CLI_GO_ON) status = sweep_write_csv(s, w);
  if (status == CLI_GO_ON) status = sweep_write_svg(s, w);
  if (status == CLI_GO_ON && in_want)
    status = cli_fail(s, CLI_RESOURCES, "a point lacked memory or disk; --resume runs it again");
  if (status == CLI_GO_ON) status = bad ? CLI_NEGATIVE : CLI_DONE;
  if (s->json) return cli_print_json(s, sweep_json(s, w, complete), status);
  if (status == CLI_DONE || status == CLI_NEGATIVE) sweep_print(stdout, w);
  return status;
}

static int work(cli_session *s, sweep_job *w) {
  sweep_ticker k = {.w = w};
  w->results = calloc((size_t)w->point_count, sizeof *w->results);
  if (!w->results) return cli_fail(s, CLI_RESOURCES, "out of memory for %d points", w->point_count);
  int status = sweep_lines_open(s, w);
  if (status != CLI_GO_ON) return status;
  cli_progress_begin(&k.shown, s, 1);
  cli_interrupt_poll(true);
  status = sweep_run(s, w, tick, &k);
  cli_progress_erase(&k.shown);
  status = report(s, w, status);
  cli_interrupt_poll(false);
  return status;
}

static void release(sweep_job *w) {
  for (int i = 0; w->results && i < w->point_count; i++) json_decref(w->results[i]);
  free(w->results);
  free(w->text);
  free(w->options);
  json_decref(w->root);
  if (w->lines) fclose(w->lines);
}

static int run(cli_session *s, const cli_command *self, int argc, char **argv) {
  sweep_job w = {.o = {.jobs = 1}};
  cli_args args;
  int status = cli_parse(s, self, argc, argv, &w.o, &args);
  if (status != CLI_GO_ON) return status;
  w.scene = args.operands[0];
  if (w.o.resume && !w.o.output)
    return cli_fail(s, CLI_USAGE, "--resume needs the points' file: -o FILE");
  status = read_scene(s, &w);
  if (status == CLI_GO_ON) status = read_axes(s, &w);
  if (status == CLI_GO_ON) status = read_words(s, &w);
  if (status == CLI_GO_ON) status = cli_shard_parse(s, w.o.shard, &w.shard);
  if (status == CLI_GO_ON) status = sweep_check_asked(s, &w);
  if (status == CLI_GO_ON) status = work(s, &w);
  release(&w);
  return status;
}

const cli_command cmd_sweep = {
    .name = "sweep",
    .operands = "SCENE|NAME",
    .summary = "simulate a scene at every point of a grid of parameters: table, picture",
    .about =
        "every point is a process of its own, stickslip simulate with what it takes\n"
        "exit status: 0 all points ran well, 1 some did not (a step not solved, a scene refused),\n"
        "2 wrong usage, 3 bad input, 4 out of memory or disk, or interrupted (-o FILE keeps the\n"
        "points so far, --resume goes on)\n",
    .operands_min = 1,
    .operands_max = 1,
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = run,
};
