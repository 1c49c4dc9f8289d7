// cli/unsolved.c - see unsolved.h.
#include "cli/unsolved.h"

#include <stdarg.h>
#include <string.h>

#include "cli/diagnosis.h"
#include "cli/results.h"

enum { NAME_SIZE = 80, NAMED = 4 };

static void add(cli_unsolved *u, const char *format, ...) SS_PRINTF(2, 3);
static void add(cli_unsolved *u, const char *format, ...) {
  size_t used = strlen(u->text);
  va_list list;
  va_start(list, format);
  vsnprintf(u->text + used, sizeof u->text - used, format, list);
  va_end(list);
}

typedef struct pair {
  int a, b;
} pair;

// Each pair of bodies once, in the order of their contacts: at most `most` of them. How many there are.
static int jamming_pairs(const ss_simulation *sim, const ss_diagnosis *d, pair *out, int most) {
  int count = 0;
  for (int k = 0; d && k < d->jamming_count && count < most; k++) {
    pair now = {SS_WORLD, SS_WORLD};
    ss_simulation_problem_sides(sim, d->jamming[k], &now.a, &now.b);
    bool known = false;
    for (int i = 0; i < count; i++) known = known || (out[i].a == now.a && out[i].b == now.b);
    if (!known) out[count++] = now;
  }
  return count;
}

static void add_jamming(const ss_simulation *sim, const ss_diagnosis *d, cli_unsolved *u) {
  char a[NAME_SIZE], b[NAME_SIZE];
  pair pairs[NAMED + 1];
  int count = jamming_pairs(sim, d, pairs, NAMED + 1);
  for (int k = 0; k < count && k < NAMED; k++) {
    ss_simulation_name(sim, pairs[k].a, a, sizeof a);
    ss_simulation_name(sim, pairs[k].b, b, sizeof b);
    add(u, "%s%s on %s", k ? ", " : "; jamming: ", a, b);
  }
  if (count > NAMED) add(u, " and others");
}

static json_t *jamming_json(cli_session *s, const ss_simulation *sim, const ss_diagnosis *d) {
  enum { MOST = 100 };
  pair pairs[MOST];
  json_t *list = json_array();
  char a[NAME_SIZE], b[NAME_SIZE];
  int count = jamming_pairs(sim, d, pairs, MOST);
  for (int k = 0; k < count; k++) {
    ss_simulation_name(sim, pairs[k].a, a, sizeof a);
    ss_simulation_name(sim, pairs[k].b, b, sizeof b);
    json_t *both = json_array();
    cli_append(s, both, cli_text(a));
    cli_append(s, both, cli_text(b));
    cli_append(s, list, both);
  }
  return list;
}

// Its problems were solved: joints, force elements and contacts do not agree with the end of the step.
static void say_apart(const ss_step_info *info, cli_unsolved *u) {
  add(u,
      "step %lld, t = %g, is not solved: its problems were, but joints, force elements or contacts "
      "at the end of the step do not settle: velocities still change by %.2g of themselves; a "
      "smaller --step, or --on-unsolved halve, may help",
      u->step, u->time, info->apart);
}

static void say_late(const ss_scene *scene, cli_unsolved *u) {
  add(u, "step %lld, t = %g, is not solved: error %.2g when its %g s were over (--step-limit)",
      u->step, u->time, u->error, scene->stepping.limit_s);
}

static void say_problem(cli_session *s, const ss_simulation *sim, const ss_attempt *tried,
                        double left_s, cli_unsolved *u) {
  ss_solution guess, answer;
  cli_diagnosis d = {0};
  cli_unsolved_step step = {u->step, u->time, u->error, *tried};
  const ss_problem *p = ss_simulation_problem(sim, &guess, &answer);
  cli_diagnose_step(s, p, &step, left_s, &d, u->text, sizeof u->text);
  if (d.found) add_jamming(sim, d.found, u);
  if (s->json) {
    u->diagnosis = cli_diagnosis_json(s, &d);
    cli_put(s, u->diagnosis, "jamming_bodies", jamming_json(s, sim, d.found));
  }
  cli_diagnosis_release(&d);
}

void cli_unsolved_say(cli_session *s, const ss_simulation *sim, const ss_scene *scene,
                      long long step, const ss_step_info *info, double left_s, cli_unsolved *out) {
  cli_unsolved_release(out);
  *out = (cli_unsolved){.step = step, .time = info->time, .error = info->error};
  ss_attempt tried = {.method = scene->solver.method, .status = info->status};
  if (info->status == SS_TIME_LIMIT)
    say_late(scene, out);
  else if (info->apart > 0)
    say_apart(info, out);
  else
    say_problem(s, sim, &tried, left_s, out);
  cli_note(s, "%s", out->text);
}

void cli_unsolved_release(cli_unsolved *u) {
  json_decref(u->diagnosis);
  *u = (cli_unsolved){0};
}

void cli_unsolved_put(cli_session *s, json_t *object, const cli_unsolved *u) {
  if (!*u->text) return cli_put(s, object, "diagnosis", json_null());
  json_t *o = json_object();
  cli_put(s, o, "step", json_integer(u->step));
  cli_put(s, o, "time", cli_real(u->time));
  cli_put(s, o, "error", cli_real(u->error));
  cli_put(s, o, "reason", cli_text(u->text));
  if (u->diagnosis && json_object_update(o, u->diagnosis)) s->out_of_memory = true;
  cli_put(s, object, "diagnosis", o);
}
