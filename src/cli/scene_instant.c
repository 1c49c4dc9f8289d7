#include "cli/scene_instant.h"

#include <stdlib.h>
#include <string.h>

#include "cli/args.h"
#include "cli/results.h"
#include "cli/run_file.h"
#include "cli/scene_text.h"

static bool is_builtin(const char *name) {
  const char *found;
  for (int i = 0; (found = ss_scene_builtin(i, NULL, NULL)); i++)
    if (strcmp(found, name) == 0) return true;
  return false;
}

// A problem has neither bodies nor a stepping.
bool cli_is_scene(const char *path) {
  if (strcmp(path, "-") == 0) return false;
  if (!cli_exists(path)) return is_builtin(path);
  json_t *root = json_load_file(path, 0, NULL);
  bool is = json_object_get(root, "bodies") || json_object_get(root, "stepping");
  json_decref(root);
  return is;
}

static int run_to(cli_session *s, double time, cli_scene_instant *x) {
  ss_machine *m = x->machine;
  m->options.step = 0;
  ss_error e =
      ss_evolution_create(&s->ctx, &m->mechanism, &m->options, m->t, m->q, m->v, &x->evolution);
  if (!e) e = ss_evolution_advance(x->evolution, time);
  if (e) return cli_fail_library(s, s->file, e);
  const char *end = ss_evolution_end(x->evolution);
  if (end)
    return cli_fail(s, CLI_NEGATIVE, "%s: its motion ends before t = %g: %s",
                    cli_display_name(s->file), time, end);
  return CLI_GO_ON;
}

static int parse(cli_session *s, const char *path, const char *text, cli_scene_instant *x) {
  ss_error e = ss_scene_parse(&s->ctx, cli_display_name(path), text, strlen(text), &x->scene);
  if (!e) e = ss_machine_of_scene(&s->ctx, x->scene, &x->machine);
  return e ? cli_fail_library(s, path, e) : CLI_GO_ON;
}

static int take_instant(cli_session *s, const char *path, double t, const double *q,
                        const double *v, cli_scene_instant *x) {
  x->time = t;
  ss_error e = ss_mechanism_instant(&s->ctx, &x->machine->mechanism, t, q, v, &x->at);
  return e ? cli_fail_library(s, path, e) : CLI_GO_ON;
}

int cli_scene_instant_open(cli_session *s, const char *path, double time, cli_scene_instant *x) {
  int status = cli_scene_text(s, path, NULL, &x->text);
  if (status == CLI_GO_ON) status = parse(s, path, x->text, x);
  if (status != CLI_GO_ON) return status;
  const ss_machine *m = x->machine;
  ss_evolution_state now = {.time = m->t, .q = m->q, .v = m->v};
  if (time > m->t) {
    if ((status = run_to(s, time, x)) != CLI_GO_ON) return status;
    ss_error e = ss_evolution_state_now(x->evolution, &now);
    if (e) return cli_fail_library(s, path, e);
  }
  return take_instant(s, path, now.time, now.q, now.v, x);
}

// ---- of a run -------------------------------------------------------------------------------

// The frames up to the one asked for: torsional springs and bushings count their turns on the way.
static ss_error read_state(ss_run *run, int64_t frame, cli_scene_instant *x, ss_run_frame *f) {
  const ss_mechanism *m = &x->machine->mechanism;
  int64_t first = x->scene->spring_count || x->scene->bushing_count ? 0 : frame;
  for (int64_t k = first; k <= frame; k++) {
    ss_error e = ss_run_read_frame(run, k, f);
    if (!e) e = ss_machine_state_of(x->machine, f->pose, f->velocity, x->state, x->state + m->nq);
    if (e) return e;
  }
  return SS_OK;
}

// The frame of a step or of a time, which grow with it: the last one that is not beyond.
static int find_frame(cli_session *s, const char *path, ss_run *run, int64_t step, double time,
                      int64_t *out) {
  int64_t low = 0, high = ss_run_get_size(run).frames - 1;
  ss_run_frame f;
  ss_error e = SS_OK;
  const double rounding = 1e-12;
  while (!e && low < high && (step >= 0 || time >= 0)) {
    int64_t middle = low + (high - low + 1) / 2;
    e = ss_run_read_frame(run, middle, &f);
    bool beyond = !e && (step >= 0 ? f.step > step : f.time > time * (1 + rounding));
    if (beyond)
      high = middle - 1;
    else
      low = middle;
  }
  *out = high;
  if (!e) e = ss_run_read_frame(run, high, &f);
  if (e) return cli_fail_library(s, path, e);
  if (step >= 0 && f.step != step)
    return cli_fail(s, CLI_INPUT,
                    "%s: no state was saved after step %lld; the last one before is that of step "
                    "%lld (output/every of the scene says how many are kept)",
                    path, (long long)step, (long long)f.step);
  return CLI_GO_ON;
}

static int take_frame(cli_session *s, const char *path, ss_run *run, int64_t step, double time,
                      cli_scene_instant *x) {
  ss_run_size size = ss_run_get_size(run);
  int64_t frame;
  if (size.frames < 1) return cli_fail(s, CLI_INPUT, "%s: has no state yet", path);
  int status = find_frame(s, path, run, step, time, &frame);
  if (status == CLI_GO_ON) status = parse(s, path, size.scene_text, x);
  if (status != CLI_GO_ON) return status;
  const ss_mechanism *m = &x->machine->mechanism;
  ss_run_frame f;
  x->state = calloc((size_t)(m->nq + m->nv), sizeof *x->state);
  if (!x->state) return cli_fail(s, CLI_RESOURCES, "%s: out of memory", path);
  ss_error e = read_state(run, frame, x, &f);
  if (e) return cli_fail_library(s, path, e);
  x->h = f.step > 0 ? f.time / (double)f.step : 0;
  return take_instant(s, path, f.time, x->state, x->state + m->nq, x);
}

int cli_run_instant_open(cli_session *s, const char *path, int64_t step, double time,
                         cli_scene_instant *x) {
  ss_run *run;
  s->file = path;
  ss_error e = cli_run_open(s, path, &run);
  if (e) return cli_fail_library(s, path, e);
  int status = take_frame(s, path, run, step, time, x);
  ss_run_close(run);
  return status;
}

void cli_scene_instant_close(cli_scene_instant *x) {
  ss_mechanism_instant_destroy(x->at);
  ss_evolution_destroy(x->evolution);
  ss_machine_destroy(x->machine);
  ss_scene_close(x->scene);
  free(x->state);
  free(x->text);
}
