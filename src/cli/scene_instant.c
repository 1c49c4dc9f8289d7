#include "cli/scene_instant.h"

#include <stdlib.h>
#include <string.h>

#include "cli/args.h"
#include "cli/results.h"
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

int cli_scene_instant_open(cli_session *s, const char *path, double time, cli_scene_instant *x) {
  int status = cli_scene_text(s, path, NULL, &x->text);
  if (status != CLI_GO_ON) return status;
  ss_error e = ss_scene_parse(&s->ctx, cli_display_name(path), x->text, strlen(x->text), &x->scene);
  if (!e) e = ss_machine_of_scene(&s->ctx, x->scene, &x->machine);
  if (e) return cli_fail_library(s, path, e);
  const ss_machine *m = x->machine;
  ss_evolution_state now = {.time = m->t, .q = m->q, .v = m->v};
  if (time > m->t) {
    if ((status = run_to(s, time, x)) != CLI_GO_ON) return status;
    e = ss_evolution_state_now(x->evolution, &now);
  }
  if (!e) e = ss_mechanism_instant(&s->ctx, &m->mechanism, now.time, now.q, now.v, &x->at);
  return e ? cli_fail_library(s, path, e) : CLI_GO_ON;
}

void cli_scene_instant_close(cli_scene_instant *x) {
  ss_mechanism_instant_destroy(x->at);
  ss_evolution_destroy(x->evolution);
  ss_machine_destroy(x->machine);
  ss_scene_close(x->scene);
  free(x->text);
}
