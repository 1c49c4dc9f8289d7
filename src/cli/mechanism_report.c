// What a run of a mechanism came to: the JSON object of `simulate`, and the summary for people.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/mechanism_run.h"
#include "cli/results.h"

typedef struct run_outcome {
  ss_evolution_totals t;
  ss_evolution_energy w;
  ss_evolution_state now;
  int transitions;
  double contacts_mean, penetration_max;
  int contacts_max;
} run_outcome;

static void scan_rows(const evolve_job *j, run_outcome *r) {
  const ss_trajectory *t = j->trajectory;
  int64_t rows = ss_trajectory_rows(t), sum = 0;
  for (int64_t i = 0; i < rows; i++) {
    const double *row = ss_trajectory_row(t, i);
    int closed = 0;
    for (int k = 0; k < ss_trajectory_columns(t); k++) {
      ss_column c = ss_trajectory_column(t, k);
      closed += c.kind == SS_COLUMN_MODE && row[k] != SS_MODE_FREE;
      if (strncmp(c.name, "gap", 3) == 0) r->penetration_max = fmax(r->penetration_max, -row[k]);
    }
    sum += closed;
    if (closed > r->contacts_max) r->contacts_max = closed;
  }
  r->contacts_mean = rows ? (double)sum / (double)rows : 0;
}

static run_outcome gather(const evolve_job *j) {
  run_outcome r = {0};
  ss_evolution_state_now(j->evolution, &r.now);
  ss_evolution_energy_now(j->evolution, &r.w);
  ss_evolution_totals_now(j->evolution, &r.t);
  r.transitions = ss_evolution_event_count(j->evolution) - 1;  // the first is the start
  scan_rows(j, &r);
  return r;
}

// ---- JSON -----------------------------------------------------------------------------------------

static json_t *state_json(const evolve_job *j, const double *q, const double *v) {
  int n = j->machine->mechanism.nq + j->machine->mechanism.nv;
  double *state = calloc((size_t)n, sizeof *state);
  if (!state) return NULL;
  ss_trajectory_order(j->trajectory, q, v, state);
  json_t *list = cli_doubles_json(state, n);
  free(state);
  return list;
}

static json_t *modes_json(cli_session *s, const evolve_job *j, const ss_mode *modes) {
  json_t *list = json_array();
  const ss_mechanism *m = &j->machine->mechanism;
  for (int i = 0; i < m->nc; i++) cli_append(s, list, json_string(ss_mode_name(m->dim, modes[i])));
  return list;
}

static json_t *events_json(cli_session *s, const evolve_job *j) {
  json_t *list = json_array();
  int dim = j->machine->mechanism.dim;
  ss_event x;
  for (int i = 0; !ss_evolution_event(j->evolution, i, &x); i++) {
    if (x.kind == SS_EVENT_START) continue;
    json_t *o = json_object();
    cli_put(s, o, "time", cli_real(x.time));
    cli_put(s, o, "contact", json_integer(x.contact));
    cli_put(s, o, "from", json_string(ss_mode_name(dim, x.from)));
    cli_put(s, o, "to", json_string(ss_mode_name(dim, x.to)));
    cli_put(s, o, "kind", json_string(ss_event_kind_name(x.kind)));
    cli_put(s, o, "state", state_json(j, x.q, x.v));
    cli_append(s, list, o);
    if (i + 1 == ss_evolution_event_count(j->evolution)) break;
  }
  return list;
}

static json_t *balance_json(cli_session *s, const ss_evolution_energy *w) {
  const cli_named rows[] = {{"kinetic", w->kinetic},     {"start", w->start},
                            {"potential", w->potential}, {"applied", w->applied},
                            {"contact", w->contact},     {"impact", w->impact},
                            {"scheme", w->scheme},       {"closure", w->closure}};
  return cli_reals(s, rows, sizeof rows / sizeof *rows);
}

static json_t *parameters_json(cli_session *s, const evolve_job *j) {
  json_t *o = json_object();
  const ss_model_parameter *p;
  for (int i = 0; (p = ss_machine_parameter_at(j->machine->kind, i)); i++)
    cli_put(s, o, p->name, cli_real(ss_machine_value(j->machine, i)));
  return o;
}

static json_t *names_json(cli_session *s, const evolve_job *j) {
  json_t *list = json_array();
  for (int k = 0; k < j->machine->mechanism.nq + j->machine->mechanism.nv; k++)
    cli_append(s, list, json_string(j->machine->state_name[k]));
  return list;
}

static json_t *contact_names_json(cli_session *s, const evolve_job *j) {
  const ss_mechanism *m = &j->machine->mechanism;
  json_t *list = m->contact ? json_array() : json_null();
  for (int k = 0; m->contact && k < m->nc; k++) cli_append(s, list, json_string(m->contact[k]));
  return list;
}

static void put_work(cli_session *s, json_t *o, const evolve_job *j, const run_outcome *r) {
  bool events = j->options.scheme == SS_SCHEME_EVENTS;
  double steps = r->t.steps ? (double)r->t.steps : 1;
  json_t *counts = json_object();
  cli_put(s, counts, "events", json_integer(r->transitions));
  cli_put(s, counts, "evaluations", json_integer(r->t.evaluations));
  cli_put(s, counts, "predictions", json_integer(r->t.predictions));
  cli_put(s, counts, "impacts", json_integer(r->t.impacts));
  cli_put(s, counts, "solves", json_integer(r->t.solves));
  cli_put(s, counts, "none", j->options.count_modes ? json_integer(r->t.none) : json_null());
  cli_put(s, counts, "several", j->options.count_modes ? json_integer(r->t.several) : json_null());
  cli_put(s, o, "counts", counts);
  cli_put(s, o, "solves_per_step", cli_real((double)r->t.solves / steps));
  cli_put(s, o, "time_per_step_ms", cli_real(1e3 * j->time_s / steps));
  cli_put(s, o, "unsolved_steps", json_integer(ss_evolution_end(j->evolution) ? 1 : 0));
  cli_put(s, o, "violation", events ? cli_real(r->t.violation) : json_null());
  cli_put(s, o, "unique_below",
          isinf(j->unique_below) ? json_string("inf") : cli_real(j->unique_below));
}

int evolve_report_json(cli_session *s, const evolve_job *j, int status) {
  run_outcome r = gather(j);
  bool events = j->options.scheme == SS_SCHEME_EVENTS;
  double pair[2] = {j->energy_first, r.w.kinetic + (isnan(r.w.potential) ? 0 : r.w.potential)};
  json_t *o = cli_object(s), *modes = json_object();
  cli_put(s, o, "version", json_string(ss_version()));
  cli_put(s, o, "status", json_string(strcmp(j->ended, "duration") == 0 ? "done" : "stopped"));
  cli_put(s, o, "title", cli_text(j->machine->title));
  cli_put(s, o, "dim", json_integer(j->machine->mechanism.dim));
  cli_put(s, o, "contacts", json_integer(j->machine->mechanism.nc));
  cli_put(s, o, "contact_names", contact_names_json(s, j));
  cli_put(s, o, "scheme", json_string(ss_scheme_name(j->options.scheme)));
  cli_put(s, o, "tolerance", events ? cli_real(j->options.rel_tol) : json_null());
  cli_put(s, o, "step", events ? json_null() : cli_real(j->options.step));
  cli_put(s, o, "steps", json_integer(r.t.steps));
  cli_put(s, o, "time_simulated", cli_real(r.now.time - j->begin));
  cli_put(s, o, "ended", json_string(j->ended));
  cli_put(s, o, "time_s", cli_real(j->time_s));
  cli_put(s, o, "contacts_mean", cli_real(r.contacts_mean));
  cli_put(s, o, "contacts_max", json_integer(r.contacts_max));
  put_work(s, o, j, &r);
  cli_put(s, o, "penetration_max", cli_real(r.penetration_max));
  cli_put(s, o, "energy", cli_doubles_json(pair, 2));
  cli_put(s, o, "energy_balance", balance_json(s, &r.w));
  cli_put(s, o, "parameters", parameters_json(s, j));
  cli_put(s, o, "state_names", names_json(s, j));
  cli_put(s, o, "state", state_json(j, r.now.q, r.now.v));
  cli_put(s, modes, "start", modes_json(s, j, j->start));
  cli_put(s, modes, "end", modes_json(s, j, r.now.modes));
  cli_put(s, o, "modes", modes);
  cli_put(s, o, "events", events_json(s, j));
  cli_put(s, o, "output", cli_text(j->output));
  if (status == CLI_RESOURCES) cli_put(s, o, "message", cli_text(s->failure));
  return cli_print_json(s, o, status);
}

// ---- for people -----------------------------------------------------------------------------------

enum { SHOWN = 12, SHOWN_STATES = 26, SHOWN_MODES = 24 };

static void print_state(const char *label, const evolve_job *j, const double *q, const double *v) {
  const ss_mechanism *m = &j->machine->mechanism;
  printf("  %-12s", label);
  int count = m->nq + m->nv;
  for (int k = 0; k < count && k < SHOWN_STATES; k++) {
    int at = j->machine->order[k];
    cli_print(stdout, "%s%s = %.8g", k ? ", " : "", j->machine->state_name[k],
              at < m->nq ? q[at] : v[at - m->nq]);
  }
  puts(count > SHOWN_STATES ? ", ..." : "");
}

static void print_events(const evolve_job *j, int count) {
  int dim = j->machine->mechanism.dim, first = count > SHOWN ? count - SHOWN + 1 : 1;
  ss_event x;
  if (count == 0) return;
  printf("\n  %18s  %7s  %-6s    %-6s  %s\n", "time", "contact", "from", "to", "kind");
  if (first > 1) printf("  %18s\n", "...");
  for (int i = first; i <= count; i++) {
    if (ss_evolution_event(j->evolution, i, &x)) break;
    const char *const *names = j->machine->mechanism.contact;
    cli_print(stdout, "  %18.12f  %7d  %-6s -> %-6s  %s%s%s\n", x.time, x.contact,
              ss_mode_name(dim, x.from), ss_mode_name(dim, x.to), ss_event_kind_name(x.kind),
              names ? "  " : "", names ? names[x.contact] : "");
  }
}

static void print_modes(const char *label, const evolve_job *j, const ss_mode *modes) {
  const ss_mechanism *m = &j->machine->mechanism;
  printf("  %-12s", label);
  for (int i = 0; i < m->nc && i < SHOWN_MODES; i++)
    printf("%s%s", i ? ", " : "", ss_mode_name(m->dim, modes[i]));
  puts(m->nc > SHOWN_MODES ? ", ..." : "");
}

static void print_scheme(const evolve_job *j, const run_outcome *r) {
  if (j->options.scheme == SS_SCHEME_EVENTS) {
    cli_line(stdout, "scheme",
             "events, tolerance %g: %lld steps, %lld evaluations, %lld predictions",
             j->options.rel_tol, (long long)r->t.steps, (long long)r->t.evaluations,
             (long long)r->t.predictions);
    cli_line(stdout, "violation", "%.2g at most, of any law at any output", r->t.violation);
    return;
  }
  cli_line(stdout, "scheme", "%s: %lld steps of %g, %lld solves", ss_scheme_name(j->options.scheme),
           (long long)r->t.steps, j->options.step, (long long)r->t.solves);
  if (isinf(j->unique_below))
    cli_line(stdout, "one mode", "of each step, at any step size");
  else if (!isnan(j->unique_below))
    cli_line(stdout, "one mode", "of each step below %.9g", j->unique_below);
  if (j->options.count_modes)
    cli_line(stdout, "", "%lld steps had none, %lld several", (long long)r->t.none,
             (long long)r->t.several);
}

void evolve_report_summary(const evolve_job *j) {
  run_outcome r = gather(j);
  cli_print(stdout, "%s: %s\n", cli_display_name(j->r->name),
            j->machine->title ? j->machine->title : "a scene");
  cli_line(stdout, "simulated", "%.9g of %.9g, %d event%s, %lld impact%s; ended: %s",
           r.now.time - j->begin, j->end - j->begin, r.transitions, r.transitions == 1 ? "" : "s",
           (long long)r.t.impacts, r.t.impacts == 1 ? "" : "s", j->ended);
  print_scheme(j, &r);
  print_modes("modes first", j, j->start);
  print_modes("modes last", j, r.now.modes);
  print_state("state last", j, r.now.q, r.now.v);
  cli_line(stdout, "energy", "kinetic %.6g -> %.6g: applied %.6g, contact %.6g, impact %.6g,",
           r.w.start, r.w.kinetic, r.w.applied, r.w.contact, r.w.impact);
  cli_line(stdout, "", "scheme %.3g; closes to %.1e", r.w.scheme, r.w.closure);
  if (j->output) cli_line_run(stdout, j->output, "phase");
  cli_line(stdout, "time", "%.3g s", j->time_s);
  print_events(j, r.transitions);
}
