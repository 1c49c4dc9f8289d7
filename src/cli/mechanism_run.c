// cli/mechanism_run.c - see evolve.h.
#define _POSIX_C_SOURCE 200809L
#include "cli/mechanism_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/interrupt.h"
#include "cli/parameter_list.h"
#include "cli/results.h"
#include "cli/settings.h"

const char *const cli_schemes[] = {"events", "midpoint", "midpoint-stabilized", "moreau", NULL};
const char *const cli_impacts[] = {"coulomb", "frictionless", NULL};
const char *const cli_zenos[] = {"close", "step", "stop", NULL};

bool cli_is_mechanism(const char *name) {
  return name && ss_machine_summary(name) && !cli_exists(name);
}

// ---- what there is ------------------------------------------------------------------------------

void cli_list_mechanisms(void) {
  for (int i = 0; ss_machine_name(i); i++)
    printf("%-16s %s\n", ss_machine_name(i), ss_machine_summary(ss_machine_name(i)));
}

static json_t *mechanism_json(cli_session *s, const char *name) {
  json_t *o = json_object();
  cli_put(s, o, "name", json_string(name));
  cli_put(s, o, "about", json_string(ss_machine_summary(name)));
  cli_put(s, o, "equation", json_string(ss_machine_equation(name)));
  cli_put(s, o, "parameters", cli_parameters_json(s, name, ss_machine_parameter_at, NULL));
  return o;
}

json_t *cli_mechanisms_json(cli_session *s) {
  json_t *list = json_array();
  for (int i = 0; ss_machine_name(i); i++)
    cli_append(s, list, mechanism_json(s, ss_machine_name(i)));
  return list;
}

int cli_describe_mechanism(cli_session *s, const char *name) {
  if (s->json) {
    json_t *o = cli_object(s);
    cli_put(s, o, "mechanism", mechanism_json(s, name));
    return cli_print_json(s, o, CLI_DONE);
  }
  printf("%s - %s\n", name, ss_machine_summary(name));
  cli_print_parameters(ss_machine_equation(name), name, ss_machine_parameter_at, NULL);
  return CLI_DONE;
}

bool cli_evolve_asked(const cli_evolve_options *o) {
  return o->scheme >= 0 && o->scheme != SS_SCHEME_MOREAU;
}

int cli_evolve_refuse(cli_session *s, const cli_evolve_options *o) {
  if (o->parameters.count)
    return cli_fail(s, CLI_USAGE,
                    "simulate: --param is for mechanisms (simulate --list); --set changes a scene");
  if (cli_evolve_asked(o)) return CLI_GO_ON;
  const char *other = o->impact >= 0   ? "--impact"
                      : o->zeno >= 0   ? "--zeno"
                      : o->samples     ? "--samples"
                      : o->from > 0    ? "--from"
                      : o->plot        ? "--plot"
                      : o->start       ? "--start"
                      : o->count_modes ? "--count-modes"
                                       : NULL;
  if (other)
    return cli_fail(s, CLI_USAGE,
                    "simulate: %s is for mechanisms (simulate --list), and for scenes with "
                    "--scheme events or midpoint",
                    other);
  return CLI_GO_ON;
}

// Those whose pairs of shapes have gaps, and few enough of them.
bool cli_evolve_scenes(cli_session *s, char *out, size_t size) {
  const char *name, *text;
  size_t used = 0;
  *out = '\0';
  for (int i = 0; (name = ss_scene_builtin(i, NULL, &text)); i++) {
    ss_scene *scene = NULL;
    ss_machine *machine = NULL;
    ss_error e = ss_scene_parse(&s->ctx, name, text, strlen(text), &scene);
    if (!e) e = ss_machine_of_scene(&s->ctx, scene, &machine);
    if (!e && used < size)
      used += (size_t)snprintf(out + used, size - used, "%s%s", used ? ", " : "", name);
    ss_machine_destroy(machine);
    ss_scene_close(scene);
    if (e == SS_ERR_MEMORY) return false;
  }
  return true;
}

// ---- what was asked for -------------------------------------------------------------------------

static void choose(evolve_job *j) {
  const cli_evolve_request *r = j->r;
  ss_evolve_options *o = &j->options;
  *o = j->machine->options;
  o->scheme = r->own->scheme >= 0 ? (ss_scheme)r->own->scheme : SS_SCHEME_EVENTS;
  if (o->scheme == SS_SCHEME_EVENTS) o->step = 0;  // the model's is for the schemes that step
  if (r->step > 0) o->step = r->step;
  if (r->theta > 0) o->theta = r->theta;
  if (r->tol > 0) o->rel_tol = r->tol, o->abs_tol = 0.01 * r->tol;
  if (r->own->impact >= 0) o->impact = (ss_impact_law)r->own->impact;
  if (r->own->zeno >= 0) o->zeno = (ss_zeno)r->own->zeno;
  o->count_modes = r->own->count_modes;
  j->begin = j->machine->t;
  j->end = j->begin + (r->duration > 0 ? r->duration : j->machine->duration);
  j->from = fmax(j->begin, r->own->from);
}

static int mode_named(int dim, const char *word, size_t length) {
  const char *name;
  for (int m = 0; (name = ss_mode_name(dim, (ss_mode)m)); m++)
    if (strlen(name) == length && strncmp(name, word, length) == 0) return m;
  return -1;
}

// --start: a mode for each contact.
static int ask_modes(cli_session *s, evolve_job *j) {
  const char *at = j->r->own->start;
  const ss_mechanism *m = &j->machine->mechanism;
  if (!at) return CLI_GO_ON;
  j->asked = calloc((size_t)m->nc + 1, sizeof *j->asked);
  if (!j->asked) return cli_fail(s, CLI_RESOURCES, "out of memory");
  for (int i = 0; i < m->nc; i++) {
    size_t length = strcspn(at, ",");
    int mode = mode_named(m->dim, at, length);
    bool last = at[length] == '\0';
    if (mode < 0 || last != (i + 1 == m->nc))
      return cli_fail(
          s, CLI_USAGE,
          "simulate: --start %s: expected a mode for each of %d contact%s, with commas: "
          "free, stick, %s",
          j->r->own->start, m->nc, m->nc == 1 ? "" : "s",
          m->dim == 2 ? "slip+ or slip-" : "or slip");
    j->asked[i] = (ss_mode)mode;
    at += length + !last;
  }
  j->options.start_modes = j->asked;
  return CLI_GO_ON;
}

static bool is_picture(const evolve_job *j) {
  return j->r->output && cli_ends_with(j->r->output, ".svg");
}

static int check_output(cli_session *s, const evolve_job *j) {
  const char *path = j->r->output;
  if (j->r->own->plot && !is_picture(j))
    return cli_fail(s, CLI_USAGE, "simulate: --plot needs -o FILE.svg");
  if (!path) return CLI_GO_ON;
  if (!is_picture(j) && !cli_ends_with(path, ".csv") && !cli_ends_with(path, ".h5") &&
      !cli_ends_with(path, ".hdf5"))
    return cli_fail(s, CLI_USAGE, "-o %s: expected a name ending in .csv, .h5, .hdf5 or .svg",
                    path);
  return cli_output_precious(s, path, j->r->overwrite);
}

static int check(cli_session *s, const evolve_job *j) {
  if (j->from >= j->end)
    return cli_fail(s, CLI_USAGE, "simulate: --from %g: expected before the end, t = %g",
                    j->r->own->from, j->end);
  if (j->options.count_modes && j->options.scheme != SS_SCHEME_MIDPOINT &&
      j->options.scheme != SS_SCHEME_MIDPOINT_STABILIZED)
    return cli_fail(s, CLI_USAGE,
                    "simulate: --count-modes is for --scheme midpoint or midpoint-stabilized");
  return check_output(s, j);
}

// ---- the run --------------------------------------------------------------------------------------

static void say_progress(cli_session *s, evolve_job *j) {
  double t = cli_now_s(), spent = t - j->begin_s;
  if (s->quiet || t - j->last_s < (j->terminal ? 0.1 : 5)) return;
  double now = ss_evolution_time(j->evolution), done = (now - j->begin) / (j->end - j->begin);
  double left = done > 0 ? spent * (1 - done) / done : 0;
  int events = ss_evolution_event_count(j->evolution) - 1;
  j->last_s = t, j->drawn = j->terminal;
  if (j->terminal)
    fprintf(stderr, "\r\033[K%3.0f %%  t %.6g  %d events  %.0f s left", 100 * done, now, events,
            left);
  else
    fprintf(stderr, "simulate time=%.6g events=%d spent=%.1f left=%.1f\n", now, events, spent,
            left);
}

static bool is_cut(cli_session *s, evolve_job *j) {
  double limit = j->r->time_limit;
  j->late = limit > 0 && cli_now_s() - s->begin_s >= limit;
  say_progress(s, j);
  return j->late || cli_interrupted();
}

// To time t. Rows on either side of events, too, where a picture is to be drawn.
static int go_to(cli_session *s, evolve_job *j, double t, bool *cut) {
  bool corners = is_picture(j) && j->options.scheme == SS_SCHEME_EVENTS && t > j->from;
  ss_error e = SS_OK;
  while (!e && ss_evolution_time(j->evolution) < t && !ss_evolution_end(j->evolution) &&
         !(*cut = is_cut(s, j))) {
    e = ss_evolution_advance_once(j->evolution, t);
    if (!e && corners) e = ss_trajectory_append(j->trajectory, j->evolution);
  }
  if (!e) e = ss_evolution_advance(j->evolution, ss_evolution_time(j->evolution));
  return e ? cli_fail_library(s, s->file, e) : CLI_GO_ON;
}

// Of the schemes that step a row is at the end of a step: every so many.
static double row_distance(const evolve_job *j) {
  int samples = j->r->own->samples ? j->r->own->samples : 1000;
  double distance = (j->end - j->from) / samples, h = j->options.step;
  if (j->options.scheme == SS_SCHEME_EVENTS) return distance;
  return h * fmax(1, rint(distance / h));
}

static int run_rows(cli_session *s, evolve_job *j) {
  double distance = row_distance(j), from = j->from;
  bool cut = false;
  int status = go_to(s, j, from, &cut);
  double rows = ceil((j->end - from) / distance - 1e-6);
  for (double k = 0; k <= rows && status == CLI_GO_ON && !cut; k++) {
    if (k > 0) status = go_to(s, j, k < rows ? from + k * distance : j->end, &cut);
    if (status != CLI_GO_ON) break;
    ss_error e = ss_trajectory_append(j->trajectory, j->evolution);
    if (e) status = cli_fail_library(s, s->file, e);
    if (ss_evolution_end(j->evolution)) break;
  }
  return status;
}

// "events, friction = 0.4, load = 1.3": the scheme and what was set.
static void describe(const evolve_job *j, char *out, size_t size) {
  const cli_list *set = &j->r->own->parameters;
  bool steps = j->options.scheme != SS_SCHEME_EVENTS;
  size_t used = (size_t)snprintf(out, size, "scheme %s", ss_scheme_name(j->options.scheme));
  if (steps && used < size)
    used += (size_t)snprintf(out + used, size - used, ", step %g", j->options.step);
  for (int k = 0; k < set->count && used < size; k++)
    used += (size_t)snprintf(out + used, size - used, ", %s", set->items[k]);
}

// Into the file; before the run only to see whether there is what it asks for.
static ss_error draw(cli_session *s, const evolve_job *j, bool keep) {
  char *text = NULL;
  ss_trajectory_caption c = {.panels = j->r->own->plot, .title = j->r->name};
  char about[400] = "";
  describe(j, about, sizeof about);
  c.subtitle = about;
  ss_error e = ss_trajectory_svg(&s->ctx, j->trajectory, &c, &text);
  if (!e && keep) e = ss_text_write(&s->ctx, j->r->output, text);
  ss_text_destroy(&s->ctx, text);
  return e;
}

static int start(cli_session *s, evolve_job *j) {
  ss_machine *m = j->machine;
  ss_evolution_state now;
  ss_evolution_energy w;
  ss_error e =
      ss_evolution_create(&s->ctx, &m->mechanism, &j->options, m->t, m->q, m->v, &j->evolution);
  if (!e) e = ss_trajectory_create(&s->ctx, &m->mechanism, m->order, m->state_name, &j->trajectory);
  if (!e && j->r->scene) e = ss_trajectory_set_scene(j->trajectory, m, j->r->scene_text);
  if (!e) e = ss_evolution_state_now(j->evolution, &now);
  if (!e) e = ss_evolution_energy_now(j->evolution, &w);
  j->unique_below = NAN;
  if (!e) e = ss_evolution_unique_step(j->evolution, &j->unique_below);
  if (!e && is_picture(j)) e = draw(s, j, false);
  if (e == SS_ERR_ARGUMENT || e == SS_ERR_UNSUPPORTED)
    return cli_fail(s, CLI_USAGE, "%s", ss_error_detail(&s->ctx, e));
  if (e) return cli_fail_library(s, s->file, e);
  size_t count = (size_t)m->mechanism.nc;
  j->start = calloc(count + 1, sizeof *j->start);
  if (!j->start) return cli_fail(s, CLI_RESOURCES, "out of memory");
  if (count) memcpy(j->start, now.modes, count * sizeof *j->start);
  j->energy_first = w.kinetic + (isnan(w.potential) ? 0 : w.potential);
  return CLI_GO_ON;
}

// ---- what comes out -------------------------------------------------------------------------------

static int write_output(cli_session *s, evolve_job *j) {
  if (!j->r->output) return CLI_GO_ON;
  char parameters[2000] = "";
  const ss_model_parameter *p;
  size_t used = 0;
  const char *kind = j->machine->kind;
  for (int i = 0; (p = ss_machine_parameter_at(kind, i)) && used < sizeof parameters; i++)
    used += (size_t)snprintf(parameters + used, sizeof parameters - used, "%s%s=%.17g",
                             i ? " " : "", p->name, ss_machine_value(j->machine, i));
  const ss_trajectory_note notes[] = {{"scheme", ss_scheme_name(j->options.scheme)},
                                      {"parameters", parameters},
                                      {"ended", j->ended},
                                      {j->machine->title ? "title" : NULL, j->machine->title},
                                      {NULL, NULL}};
  ss_error e = is_picture(j)
                   ? draw(s, j, true)
                   : ss_trajectory_write(&s->ctx, j->r->output, j->trajectory, j->evolution, notes);
  if (e) return cli_fail_library(s, j->r->output, e);
  j->output = j->r->output;
  return CLI_GO_ON;
}

static int finish(cli_session *s, evolve_job *j) {
  const char *end = ss_evolution_end(j->evolution);
  j->ended = end ? end : cli_interrupted() ? "interrupted" : j->late ? "time_limit" : "duration";
  int status = write_output(s, j);
  if (status != CLI_GO_ON) return status;
  status = end ? CLI_NEGATIVE : CLI_DONE;
  if (cli_interrupted())
    status = cli_fail(s, CLI_RESOURCES, "%s: interrupted at t = %g", j->r->name,
                      ss_evolution_time(j->evolution));
  if (s->json) return evolve_report_json(s, j, status);
  evolve_report_summary(j);
  return status;
}

static int work(cli_session *s, evolve_job *j) {
  cli_settings given;
  int status = cli_settings_parse(s, &j->r->own->parameters, &given);
  if (status != CLI_GO_ON) return status;
  const ss_scene *scene = j->r->scene;
  ss_error e =
      scene ? ss_machine_of_scene(&s->ctx, scene, &j->machine)
            : ss_machine_build(&s->ctx, j->r->name, given.settings, given.count, &j->machine);
  if (e == SS_ERR_ARGUMENT && !scene)
    return cli_fail(s, CLI_USAGE, "%s", ss_error_detail(&s->ctx, e));
  if (e) return cli_fail_library(s, s->file, e);
  choose(j);
  if ((status = check(s, j)) != CLI_GO_ON) return status;
  if ((status = ask_modes(s, j)) != CLI_GO_ON) return status;
  j->begin_s = j->last_s = cli_now_s();
  j->terminal = isatty(STDERR_FILENO) == 1;
  cli_interrupt_poll(true);
  status = start(s, j);
  if (status == CLI_GO_ON) status = run_rows(s, j);
  j->time_s = cli_now_s() - j->begin_s;
  if (j->drawn) fputs("\r\033[K", stderr);
  cli_interrupt_poll(false);
  return status == CLI_GO_ON ? finish(s, j) : status;
}

int cli_evolve(cli_session *s, const cli_evolve_request *r) {
  evolve_job j = {.r = r};
  s->file = r->name;
  int status = work(s, &j);
  ss_trajectory_destroy(j.trajectory);
  ss_evolution_destroy(j.evolution);
  ss_machine_destroy(j.machine);
  free(j.start);
  free(j.asked);
  return status;
}
