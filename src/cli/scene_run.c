// Rigid bodies in time, every step solved and verified: dumps, progress, the run file, the summary.
#define _POSIX_C_SOURCE 200809L  // PATH_MAX
#include <limits.h>
#include <math.h>
#include <string.h>

#include "cli/interrupt.h"
#include "cli/joint_report.h"
#include "cli/progress.h"
#include "cli/results.h"
#include "cli/scene_report.h"
#include "cli/scene_run.h"
#include "cli/step_clock.h"
#include "cli/unsolved.h"

typedef struct scene_job {
  const cli_scene_request *r;
  ss_simulation *sim;
  ss_run_writer *writer;  // with -o
  const char *output;     // that is whole; NULL: none
  double energy_first;
  int64_t steps_before;  // of the run that is resumed
  bool late;             // --time-limit
  bool found;            // the step of --dump-when
  cli_progress progress;
  cli_step_clock clock;
  ss_step_info info;
  cli_unsolved unsolved;  // the last step that was
} scene_job;

// ---- progress ---------------------------------------------------------------------------------

static void say_progress(scene_job *j) {
  double spent = cli_progress_due(&j->progress);
  if (!(spent > 0)) return;
  ss_sim_state state;
  ss_simulation_state(j->sim, &state);
  const ss_stepping *o = &j->r->scene->stepping;
  double done = state.time / o->duration, left = done > 0 ? spent * (1 - done) / done : 0;
  if (j->progress.terminal)
    cli_progress_draw(&j->progress, "", done,
                      "step %lld  t %.4g  %d contacts  %d solves  %s%.0f s left",
                      (long long)state.step, state.time, j->info.contacts, j->info.solves,
                      o->until_rest ? "at most " : "", left);
  else
    fprintf(stderr,
            "simulate step=%lld time=%.4g contacts=%d solves=%d iterations=%d error=%.2e "
            "speed=%.2e spent=%.1f left=%.1f\n",
            (long long)state.step, state.time, j->info.contacts, j->info.solves, j->info.iterations,
            j->info.error, j->info.speed, spent, left);
}

// ---- results ----------------------------------------------------------------------------------

typedef struct results {
  ss_sim_totals t;
  ss_sim_state state;
  ss_energy e;
  double solves, iterations, active, ms;  // per step
  const char *end;
} results;

static results gather(const scene_job *j) {
  results r;
  ss_simulation_totals(j->sim, &r.t);
  ss_simulation_state(j->sim, &r.state);
  ss_simulation_energy(j->sim, &r.e);
  double n = r.t.steps ? (double)r.t.steps : 1, here = (double)(r.t.steps - j->steps_before);
  r.solves = (double)r.t.solve_sum / n;
  r.iterations = (double)r.t.iteration_sum / n;
  r.active = (double)r.t.active_sum / n;
  r.ms = here > 0 ? 1e3 * r.t.time_s / here : 0;
  r.end = ss_simulation_end(j->sim);
  if (!r.end)
    r.end = cli_interrupted() ? "interrupted"
            : j->found        ? "dumped"
            : j->late         ? "time_limit"
                              : "max_steps";
  return r;
}

static double energy_of(const ss_energy *e) {
  return e->kinetic + e->potential + e->elastic;
}

// Steps that are taken though they are not solved obey no law: their work is that of an error.
static bool is_meaningful(const results *r) {
  return r->t.unsolved_steps == 0 || strcmp(r->end, "unsolved") == 0;
}

static const double CORRECTION_NOTED = 0.1;  // that part of the energy

// |correction| over the largest other term: what the treatment of drift has in the motion.
static double correction_part(const ss_energy *e) {
  const double terms[] = {e->kinetic,  e->potential, e->elastic, e->contact,
                          e->external, e->joint,     e->element, e->start};
  double largest = 0;
  for (size_t k = 0; k < sizeof terms / sizeof *terms; k++) largest = fmax(largest, fabs(terms[k]));
  return largest > 0 ? fabs(e->correction) / largest : 0;
}

static const double SLOW_S = 1, DIGITS_PART = 0.5;

// Whether most of a run that took a while went into digits that hardly anybody looks at.
static bool is_slowed_by_tolerance(const scene_job *j, const results *r) {
  return j->r->scene->solver.tol < CLI_USUAL_TOLERANCE && r->t.time_s > SLOW_S &&
         j->clock.digits_s > DIGITS_PART * r->t.time_s;
}

static json_t *energy_balance(cli_session *s, const ss_energy *e) {
  const cli_named rows[] = {{"kinetic", e->kinetic},       {"potential", e->potential},
                            {"contact", e->contact},       {"external", e->external},
                            {"correction", e->correction}, {"integrator", e->integrator},
                            {"joint", e->joint},           {"elastic", e->elastic},
                            {"element", e->element},       {"closure", e->closure}};
  return cli_reals(s, rows, sizeof rows / sizeof *rows);
}

static json_t *pair(double a, double b) {
  double both[2] = {a, b};
  return cli_doubles_json(both, 2);
}

static void put_scene(cli_session *s, json_t *o, const ss_scene *scene, const results *r) {
  cli_put(s, o, "title", cli_text(scene->title));
  cli_put(s, o, "dim", json_integer(r->state.dim));
  cli_put(s, o, "bodies", json_integer(r->state.body_count));
  cli_put(s, o, "solver", json_string(scene->solver.method));
  cli_put(s, o, "tolerance", cli_real(scene->solver.tol));
  cli_put(s, o, "step", cli_real(scene->stepping.step));
  cli_put(s, o, "contact_map", json_string(ss_contact_map_name(scene->stepping.contact_map)));
}

static int report_json(cli_session *s, const scene_job *j, int status) {
  results r = gather(j);
  json_t *o = cli_object(s);
  if (status != CLI_DONE)
    cli_put(s, o, "status",
            json_string(status == CLI_RESOURCES  ? "interrupted"
                        : r.t.unsolved_steps > 0 ? "unsolved"
                                                 : "accepted"));
  put_scene(s, o, j->r->scene, &r);
  cli_put(s, o, "steps", json_integer(r.t.steps));
  cli_put(s, o, "time_simulated", cli_real(r.state.time));
  cli_put(s, o, "end", json_string(r.end));
  cli_put(s, o, "speed_last", cli_real(j->info.speed));
  cli_put(s, o, "time_s", cli_real(r.t.time_s));
  cli_put(s, o, "time_detect_s", cli_real(r.t.time_detect_s));
  cli_put(s, o, "time_solve_s", cli_real(r.t.time_solve_s));
  cli_put(s, o, "time_digits_s", cli_real(j->clock.digits_s));
  cli_put(s, o, "contacts_mean", cli_real(r.t.contacts_mean));
  cli_put(s, o, "contacts_max", json_integer(r.t.contacts_max));
  cli_put(s, o, "active_mean", cli_real(r.active));
  cli_put(s, o, "solves_per_step", cli_real(r.solves));
  cli_put(s, o, "iterations_per_step", cli_real(r.iterations));
  cli_put(s, o, "time_per_step_ms", cli_real(r.ms));
  cli_put(s, o, "unsolved_steps", json_integer(r.t.unsolved_steps));
  cli_put(s, o, "halved_steps", json_integer(r.t.halved_steps));
  cli_put(s, o, "rounded_steps", json_integer(r.t.rounded_steps));
  cli_put(s, o, "accepted_steps", json_integer(r.t.accepted_steps));
  cli_put(s, o, "solves_max", json_integer(r.t.solves_max));
  cli_put(s, o, "error_max", cli_real(r.t.error_max));
  cli_put(s, o, "penetration_max", cli_real(r.t.penetration_max));
  cli_unsolved_put(s, o, &j->unsolved);
  cli_put(s, o, "energy_meaningful", json_boolean(is_meaningful(&r)));
  cli_put(s, o, "correction_part", cli_real(correction_part(&r.e)));
  cli_put(s, o, "energy", pair(j->energy_first, energy_of(&r.e)));
  cli_put(s, o, "energy_balance", energy_balance(s, &r.e));
  if (r.state.joint_count)
    cli_put(s, o, "joint_states", cli_joints_json(s, j->sim, r.state.joint_count));
  cli_watch_put(s, j->r->watch, o);
  cli_dump_put(s, j->r->dump, o);
  cli_put(s, o, "output", cli_text(j->output));
  if (status == CLI_RESOURCES) cli_put(s, o, "message", cli_text(s->failure));
  return cli_print_json(s, o, status);
}

static void summarise_energy(FILE *to, const scene_job *j, const results *r) {
  const ss_energy *e = &r->e;
  cli_line(to, "energy", "%.6g -> %.6g: contact %.4g, external %.4g, correction %.4g,",
           j->energy_first, energy_of(e), e->contact, e->external, e->correction);
  if (r->state.element_count)
    cli_line(to, "", "springs hold %.4g, dampers %.4g,", e->elastic, e->element);
  cli_line(to, "", "integrator %.4g, joint %.4g; closes to %.1e", e->integrator, e->joint,
           e->closure);
  if (!is_meaningful(r))
    cli_line(to, "", "steps that are not solved were taken: these energies have no meaning");
  if (correction_part(e) > CORRECTION_NOTED)
    cli_line(to, "", "corrections of gaps and overlap are %.0f %% of its largest part",
             100 * correction_part(e));
}

static void report_summary(cli_session *s, const scene_job *j) {
  results r = gather(j);
  FILE *to = stdout;
  cli_print(to, "%s: %s\n", cli_display_name(s->file),
            r.t.unsolved_steps   ? "not every step is solved"
            : r.t.accepted_steps ? "every step solved or accepted"
                                 : "every step solved");
  if (j->r->scene->title) cli_line(to, "scene", "%s", j->r->scene->title);
  cli_line(to, "bodies", "%d in %dD, %d external, %d joint%s", r.state.body_count, r.state.dim,
           r.state.external_count, r.state.joint_count, r.state.joint_count == 1 ? "" : "s");
  cli_line(to, "simulated", "%.6g s in %lld steps of %g s, ended: %s, fastest shape %.2g",
           r.state.time, (long long)r.t.steps, j->r->scene->stepping.step, r.end, j->info.speed);
  cli_line(to, "solver", "%s, tolerance %g, largest error %.2g", j->r->scene->solver.method,
           j->r->scene->solver.tol, r.t.error_max);
  if (r.t.unsolved_steps || r.t.halved_steps)
    cli_line(to, "unsolved", "%lld steps; %lld steps halved", (long long)r.t.unsolved_steps,
             (long long)r.t.halved_steps);
  if (*j->unsolved.text) cli_line(to, "", "%s", j->unsolved.text);
  if (r.t.accepted_steps)
    cli_line(to, "accepted", "%lld steps by the method's own test, not solved to the tolerance",
             (long long)r.t.accepted_steps);
  if (r.t.rounded_steps)
    cli_line(to, "rounding", "%lld steps solved as well as rounding allows, above the tolerance",
             (long long)r.t.rounded_steps);
  if (j->r->scene->stepping.contact_map == SS_MAP_IMPLICIT)
    cli_line(to, "contacts", "taken at the end of each step");
  cli_watch_print(to, j->r->watch);
  cli_line(to, "penetration", "%.3g at most", r.t.penetration_max);
  cli_joints_print(to, j->sim, j->r->scene);
  summarise_energy(to, j, &r);
  if (j->output) cli_line_run(to, j->output, "scene");
  cli_dump_print(to, j->r->dump);
  cli_line(to, "time", "%.3g s: detection %.3g s, solves %.3g s", r.t.time_s, r.t.time_detect_s,
           r.t.time_solve_s);
  if (is_slowed_by_tolerance(j, &r))
    cli_line(to, "",
             "%.0f %% of it to get from an error of %g to the tolerance; --tol %g saves that",
             100 * j->clock.digits_s / r.t.time_s, CLI_USUAL_TOLERANCE, CLI_USUAL_TOLERANCE);
  fprintf(to, "\n  %8s %8s %14s %14s %18s\n", "bodies", "steps", "contacts/step", "solves/step",
          "time/step (ms)");
  fprintf(to, "  %8d %8lld %14.1f %14.2f %18.3g\n", r.state.body_count, (long long)r.t.steps,
          r.t.contacts_mean, r.solves, r.ms);
}

// ---- the run ----------------------------------------------------------------------------------

static void unfinished_text(const scene_job *j, char *text, size_t size) {
  snprintf(text, size, "%s.parts holds the run so far; --resume goes on with it", j->r->output);
}

static int begin_output(cli_session *s, scene_job *j) {
  if (!j->r->output) return CLI_GO_ON;
  ss_run_options o = ss_run_options_default();
  if (j->r->save_every > 0) o.seconds = j->r->save_every;
  o.certified = j->r->watch->certify, o.clocked = j->r->clock;
  o.mode = j->r->resume ? SS_RUN_RESUME : j->r->overwrite ? SS_RUN_OVERWRITE : SS_RUN_NEW;
  bool goes_on = j->r->resume && ss_run_is_run(j->r->output);
  ss_error e = goes_on ? ss_run_check(&s->ctx, j->r->output) : SS_OK;
  if (!e) e = ss_run_begin(&s->ctx, j->r->output, j->r->scene, j->r->text, j->sim, &o, &j->writer);
  if (e) return cli_fail_library(s, j->r->output, e);
  char text[PATH_MAX];
  unfinished_text(j, text, sizeof text);
  cli_interrupt_leaves(text);
  return CLI_GO_ON;
}

// A step that was interrupted or failed: what there is stays in parts, for --resume.
static int end_output(cli_session *s, scene_job *j, int status) {
  if (!j->writer) return status;
  bool whole = status == CLI_GO_ON && !cli_interrupted() && !j->late;
  ss_error e = whole ? ss_run_finish(j->writer, j->sim) : ss_run_save(j->writer, j->sim);
  if (e) {
    status = cli_fail_library(s, j->r->output, e);
    cli_note(s, "what was simulated is in %s.parts; --resume goes on with it", j->r->output);
  } else if (!whole) {
    char text[PATH_MAX];
    unfinished_text(j, text, sizeof text);
    cli_note(s, "%s", text);
  }
  if (e || !whole) j->output = NULL;
  return status;
}

// CLI_GO_ON or an exit status. What the user or the time limit cut short has not been.
static int one_step(cli_session *s, scene_job *j, long long step, bool *cut) {
  ss_step_info info;
  cli_step_clock_start(&j->clock, step);
  ss_error e = ss_simulation_step(j->sim, &info);
  if (e) return cli_fail_library(s, s->file, e);
  *cut = info.status == SS_CANCELLED;
  j->late = j->clock.late;
  if (*cut) return CLI_GO_ON;
  j->info = info;
  if (j->info.unsolved)
    cli_unsolved_say(s, j->sim, j->r->scene, step, &j->info, cli_time_left(s, j->r->time_limit),
                     &j->unsolved);
  int status = cli_watch_step(s, j->r->watch, j->sim, step, &j->info, &j->found);
  if (status == CLI_GO_ON)
    status = cli_dump_step(s, j->r->dump, j->sim, j->r->scene, step, &j->info,
                           j->found ? j->r->watch->dump_file : NULL);
  if (status == CLI_GO_ON && j->writer && (e = ss_run_append(j->writer, j->sim, &j->info)))
    status = cli_fail_library(s, j->r->output, e);
  return status;
}

static int run_steps(cli_session *s, scene_job *j) {
  int status = CLI_GO_ON;
  bool cut = false;
  double limit = j->r->time_limit;
  cli_progress_begin(&j->progress, s, 5);
  j->clock.shown = &j->progress;
  j->clock.end_s = limit > 0 ? s->begin_s + limit : INFINITY;
  ss_sim_state at;
  ss_simulation_state(j->sim, &at);
  j->steps_before = at.step;
  for (long long step = at.step + 1; !ss_simulation_done(j->sim) && !cli_interrupted() && !j->found;
       step++) {
    if (j->r->max_steps && step > j->r->max_steps) break;
    if ((j->late = cli_now_s() >= j->clock.end_s)) break;
    status = one_step(s, j, step, &cut);
    if (status != CLI_GO_ON || cut) break;
    say_progress(j);
  }
  cli_progress_end(&j->progress);
  return status;
}

static int work(cli_session *s, scene_job *j) {
  ss_error e = ss_simulation_create(&s->ctx, j->r->scene, &j->sim);
  if (e) return cli_fail_library(s, s->file, e);
  cli_scene_notes(s, j->sim);
  ss_energy first;
  ss_simulation_energy(j->sim, &first);
  j->energy_first = energy_of(&first);
  int status = begin_output(s, j);
  if (status != CLI_GO_ON) return status;
  status = end_output(s, j, run_steps(s, j));
  int written = cli_watch_end(s, j->r->watch);
  if (status == CLI_GO_ON) status = written;
  if (status != CLI_GO_ON) return status;
  ss_sim_totals t;
  ss_simulation_totals(j->sim, &t);
  status = t.unsolved_steps || t.accepted_steps ? CLI_NEGATIVE : CLI_DONE;
  if (cli_interrupted())
    status = cli_fail(s, CLI_RESOURCES, "%s: interrupted after %lld steps",
                      cli_display_name(s->file), (long long)t.steps);
  if (s->json) return report_json(s, j, status);
  report_summary(s, j);
  return status;
}

int cli_run_scene(cli_session *s, const cli_scene_request *r) {
  scene_job j = {.r = r, .output = r->output};
  ss_options *solver = &r->scene->solver;
  solver->progress = cli_step_clock_hear, solver->stop = cli_step_clock_stop;
  solver->user = &j.clock;
  int status = work(s, &j);
  cli_unsolved_release(&j.unsolved);
  ss_run_end(j.writer);
  ss_simulation_destroy(j.sim);
  return status;
}
