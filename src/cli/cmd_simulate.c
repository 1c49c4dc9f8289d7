// stickslip simulate SCENE|NAME: rigid bodies in time, every step solved and verified, and a summary.
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/march_run.h"
#include "cli/mechanism_run.h"
#include "cli/methods.h"
#include "cli/progress.h"
#include "cli/results.h"
#include "cli/scene_report.h"
#include "cli/scene_text.h"
#include "cli/unsolved.h"

typedef struct simulate_options {
  const char *solver, *set, *dump_step, *dump_unsolved, *output;
  double tol, step, duration, theta, save_every, time_limit;
  int drift, unsolved, max_steps, threads;
  bool list, check, resume, overwrite;
  cli_evolve_options evolve;
} simulate_options;

static const char *const drift_words[] = {"gap", "projection", "none", NULL};
static const char *const unsolved_words[] = {"stop", "halve", "go", NULL};

#define AT(field) offsetof(simulate_options, field)
static const cli_option options[] = {
    {"list", 'l', NULL,
     "list the scenes and mechanisms that come with the program; of NAME: its parameters", CLI_FLAG,
     AT(list), 0, 0, 0, 0},
    {"check", 0, NULL, "look at the scene and its start, and do not run it", CLI_FLAG, AT(check), 0,
     0, 0, 0},
    {"scheme", 0, "NAME",
     "events (default of a mechanism), midpoint, midpoint-stabilized, moreau (of a scene)",
     CLI_WORD, AT(evolve.scheme), 0, 0, 0, cli_schemes},
    {"param", 'p', "KEY=VALUE", "set a parameter of a mechanism; as often as wanted", CLI_LIST,
     AT(evolve.parameters), 0, 0, 0, 0},
    {"impact", 0, "NAME", "law of impacts from event to event: coulomb or frictionless", CLI_WORD,
     AT(evolve.impact), 0, 0, 0, cli_impacts},
    {"zeno", 0, "NAME", "where impacts accumulate: close (default), step or stop", CLI_WORD,
     AT(evolve.zeno), 0, 0, 0, cli_zenos},
    {"samples", 0, "N", "its outputs (default 1000)", CLI_COUNT, AT(evolve.samples), 1, 100000000,
     "a whole number >= 1", 0},
    {"from", 0, "TIME", "of its first output (default: the start)", CLI_NUMBER, AT(evolve.from), 0,
     DBL_MAX, "a number >= 0", 0},
    {"plot", 0, "PANELS",
     "draw it to -o FILE.svg: phase, velocity, forces, share, or Y:X,... of its columns", CLI_TEXT,
     AT(evolve.plot), 0, 0, 0, 0},
    {"count-modes", 0, NULL, "midpoint: count the admissible modes of every step", CLI_FLAG,
     AT(evolve.count_modes), 0, 0, 0, 0},
    {"solver", 's', "NAME", "method, in place of the scene's; stickslip info lists them", CLI_TEXT,
     AT(solver), 0, 0, 0, 0},
    {"tol", 't', "X", "tolerance of each step, in place of the scene's", CLI_NUMBER, AT(tol),
     DBL_MIN, DBL_MAX, "a number > 0", 0},
    {"step", 0, "SECONDS", "time step, in place of the scene's", CLI_NUMBER, AT(step), DBL_MIN,
     DBL_MAX, "a number > 0", 0},
    {"duration", 0, "SECONDS", "simulated time, in place of the scene's", CLI_NUMBER, AT(duration),
     DBL_MIN, DBL_MAX, "a number > 0", 0},
    {"theta", 0, "X", "of the time stepping, in place of the scene's", CLI_NUMBER, AT(theta), 0.5,
     1, "a number in 0.5 .. 1", 0},
    {"drift", 0, "NAME", "gap, projection or none, in place of the scene's", CLI_WORD, AT(drift), 0,
     0, 0, drift_words},
    {"on-unsolved", 0, "NAME", "after a step that is not solved: stop, halve it or go on", CLI_WORD,
     AT(unsolved), 0, 0, 0, unsolved_words},
    {"max-steps", 'n', "N", "steps at most; 0: no limit", CLI_COUNT, AT(max_steps), 0, INT_MAX,
     "a whole number >= 0", 0},
    {"time-limit", 0, "SECONDS", "of computing; then what was simulated is reported; 0: no limit",
     CLI_NUMBER, AT(time_limit), 0, DBL_MAX, "a number >= 0", 0},
    {"threads", 0, "N", "same bits for any number (default 1); 0: one per processor", CLI_COUNT,
     AT(threads), 0, SS_THREADS_MAX, "a whole number from 0 to 1024", 0},
    {"set", 0, "POINTER=VALUE", "change the scene: /generators/0/count=600; ';' between several",
     CLI_TEXT, AT(set), 0, 0, 0, 0},
    {"output", 'o', "FILE",
     "keep the run in FILE (.h5; of a mechanism also .csv, .svg; of elastic bodies .csv, .pvd, "
     ".svg)",
     CLI_WRITE, AT(output), 0, 0, 0, 0},
    {"resume", 0, NULL, "go on with the run that was cut short in FILE", CLI_FLAG, AT(resume), 0, 0,
     0, 0},
    {"overwrite", 0, NULL, "replace what FILE, or FILE.parts, holds already", CLI_FLAG,
     AT(overwrite), 0, 0, 0, 0},
    {"save-every", 0, "SECONDS", "of computing, at most: what a kill may cost (default 1)",
     CLI_NUMBER, AT(save_every), DBL_MIN, DBL_MAX, "a number > 0", 0},
    {"dump-step", 0, "N:FILE", "write the friction problem of step N to FILE (.hdf5, .json, ...)",
     CLI_TEXT, AT(dump_step), 0, 0, 0, 0},
    {"dump-unsolved", 0, "DIR", "write each problem that is not solved to DIR/step-N.hdf5",
     CLI_TEXT, AT(dump_unsolved), 0, 0, 0, 0},
};
#undef AT

typedef struct simulate_job {
  simulate_options o;
  ss_setting settings[CLI_SETTINGS_MAX];
  char *text;  // of the scene
  ss_scene *scene;
  ss_simulation *sim;
  ss_run_writer *writer;  // with -o
  long long dump_at;      // step; 0: none
  const char *dump_file;
  double energy_first;
  int64_t steps_before;  // of the run that is resumed
  double longest_s;      // of the steps so far
  bool late;
  cli_progress progress;
  int dumps;
  ss_step_info info;
  cli_unsolved unsolved;  // the last step that was
} simulate_job;

// ---- the scene --------------------------------------------------------------------------------

static int list_scenes(cli_session *s) {
  const char *name, *about;
  json_t *object = s->json ? cli_object(s) : NULL, *scenes = s->json ? json_array() : NULL;
  for (int i = 0; (name = ss_scene_builtin(i, &about, NULL)); i++) {
    if (!s->json) {
      printf("%-16s %s\n", name, about);
      continue;
    }
    json_t *row = json_object();
    cli_put(s, row, "name", json_string(name));
    cli_put(s, row, "about", json_string(about));
    cli_append(s, scenes, row);
  }
  if (!s->json) {
    printf("\nmechanisms, from event to event or in steps (--scheme); --list NAME has their "
           "parameters:\n\n");
    cli_list_mechanisms();
    char scenes_by_event[1000];
    if (!cli_evolve_scenes(s, scenes_by_event, sizeof scenes_by_event))
      return cli_fail(s, CLI_RESOURCES, "out of memory");
    printf("\nscenes that go from event to event, too (--scheme events): %s\n", scenes_by_event);
    printf("\nelastic bodies and structures:\n\n");
    cli_list_structures();
    return CLI_DONE;
  }
  cli_put(s, object, "scenes", scenes);
  cli_put(s, object, "mechanisms", cli_mechanisms_json(s));
  cli_put(s, object, "elastic", cli_structures_json(s));
  return cli_print_json(s, object, CLI_DONE);
}

static int open_scene(cli_session *s, const char *path, simulate_job *j) {
  ss_error e = ss_scene_parse(&s->ctx, cli_display_name(path), j->text, strlen(j->text), &j->scene);
  return e ? cli_fail_library(s, path, e) : CLI_GO_ON;
}

static void override(simulate_job *j, int setting_count) {
  ss_scene *c = j->scene;
  const simulate_options *o = &j->o;
  if (o->solver && strcmp(o->solver, c->solver.method) != 0) {
    c->solver.method = o->solver;
    c->solver.setting_count = 0;  // they are of the scene's method
  }
  if (setting_count) {
    c->solver.settings = j->settings;
    c->solver.setting_count = setting_count;
  }
  c->solver.threads = o->threads;
  if (o->tol > 0) c->solver.tol = o->tol;
  if (o->step > 0) c->stepping.step = o->step;
  if (o->duration > 0) c->stepping.duration = o->duration;
  if (o->theta > 0) c->stepping.theta = o->theta;
  if (o->drift >= 0) c->stepping.drift = (ss_drift)o->drift;
  if (o->unsolved >= 0) c->stepping.unsolved = (ss_unsolved)o->unsolved;
}

// ---- dumps ------------------------------------------------------------------------------------

static int check_dumps(cli_session *s, simulate_job *j) {
  if (j->o.dump_step) {
    char *end;
    errno = 0;
    j->dump_at = strtoll(j->o.dump_step, &end, 10);
    if (errno || j->dump_at < 1 || *end != ':' || !end[1])
      return cli_fail(s, CLI_USAGE, "simulate: --dump-step %s: expected N:FILE with N >= 1",
                      j->o.dump_step);
    j->dump_file = end + 1;
    if (cli_format_by_ending(j->dump_file) == SS_FORMAT_AUTO)
      return cli_fail(s, CLI_USAGE, "simulate: --dump-step %s: cannot write such a file",
                      j->o.dump_step);
    int status = cli_output(s, j->dump_file, SS_FORMAT_AUTO);
    if (status != CLI_GO_ON) return status;
  }
  if (j->o.dump_unsolved && mkdir(j->o.dump_unsolved, 0777) && errno != EEXIST)
    return cli_fail(s, CLI_RESOURCES, "%s: cannot make this folder: %s", j->o.dump_unsolved,
                    strerror(errno));
  return CLI_GO_ON;
}

// The last problem, its guess (solve FILE --guess inside:1 runs it again) and its answer.
static int dump(cli_session *s, simulate_job *j, const char *path, bool solved) {
  ss_solution guess, answer;
  const ss_problem *p = ss_simulation_problem(j->sim, &guess, &answer);
  if (!p) return CLI_GO_ON;
  ss_file what = {.problem = *p, .guesses = &guess, .guess_count = 1};
  if (solved) what.solution = answer;
  ss_error e = ss_file_write(&s->ctx, path, SS_FORMAT_AUTO, &what);
  if (e) return cli_fail_library(s, path, e);
  j->dumps++;
  return CLI_GO_ON;
}

static int dump_as_asked(cli_session *s, simulate_job *j, long long step) {
  bool solved = j->info.unsolved == 0;
  int status = CLI_GO_ON;
  if (j->dump_at == step) status = dump(s, j, j->dump_file, solved);
  if (status != CLI_GO_ON || solved || !j->o.dump_unsolved) return status;
  char path[PATH_MAX];
  if (snprintf(path, sizeof path, "%s/step-%lld.hdf5", j->o.dump_unsolved, step) >= PATH_MAX)
    return cli_fail(s, CLI_RESOURCES, "%s: the name is too long", j->o.dump_unsolved);
  return dump(s, j, path, false);
}

// ---- progress ---------------------------------------------------------------------------------

static void say_progress(simulate_job *j) {
  double spent = cli_progress_due(&j->progress);
  if (!(spent > 0)) return;
  ss_sim_state state;
  ss_simulation_state(j->sim, &state);
  const ss_stepping *o = &j->scene->stepping;
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

static results gather(const simulate_job *j) {
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
  if (!r.end) r.end = cli_interrupted() ? "interrupted" : j->late ? "time_limit" : "max_steps";
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

static int report_json(cli_session *s, const simulate_job *j, int status) {
  results r = gather(j);
  json_t *o = cli_object(s);
  if (status != CLI_DONE)
    cli_put(s, o, "status", json_string(status == CLI_NEGATIVE ? "unsolved" : "interrupted"));
  cli_put(s, o, "title", cli_text(j->scene->title));
  cli_put(s, o, "dim", json_integer(r.state.dim));
  cli_put(s, o, "bodies", json_integer(r.state.body_count));
  cli_put(s, o, "solver", json_string(j->scene->solver.method));
  cli_put(s, o, "tolerance", cli_real(j->scene->solver.tol));
  cli_put(s, o, "step", cli_real(j->scene->stepping.step));
  cli_put(s, o, "steps", json_integer(r.t.steps));
  cli_put(s, o, "time_simulated", cli_real(r.state.time));
  cli_put(s, o, "end", json_string(r.end));
  cli_put(s, o, "speed_last", cli_real(j->info.speed));
  cli_put(s, o, "time_s", cli_real(r.t.time_s));
  cli_put(s, o, "time_detect_s", cli_real(r.t.time_detect_s));
  cli_put(s, o, "time_solve_s", cli_real(r.t.time_solve_s));
  cli_put(s, o, "contacts_mean", cli_real(r.t.contacts_mean));
  cli_put(s, o, "contacts_max", json_integer(r.t.contacts_max));
  cli_put(s, o, "active_mean", cli_real(r.active));
  cli_put(s, o, "solves_per_step", cli_real(r.solves));
  cli_put(s, o, "iterations_per_step", cli_real(r.iterations));
  cli_put(s, o, "time_per_step_ms", cli_real(r.ms));
  cli_put(s, o, "unsolved_steps", json_integer(r.t.unsolved_steps));
  cli_put(s, o, "halved_steps", json_integer(r.t.halved_steps));
  cli_put(s, o, "rounded_steps", json_integer(r.t.rounded_steps));
  cli_put(s, o, "error_max", cli_real(r.t.error_max));
  cli_put(s, o, "penetration_max", cli_real(r.t.penetration_max));
  cli_unsolved_put(s, o, &j->unsolved);
  cli_put(s, o, "energy_meaningful", json_boolean(is_meaningful(&r)));
  cli_put(s, o, "correction_part", cli_real(correction_part(&r.e)));
  cli_put(s, o, "energy", pair(j->energy_first, energy_of(&r.e)));
  cli_put(s, o, "energy_balance", energy_balance(s, &r.e));
  cli_put(s, o, "output", cli_text(j->o.output));
  if (status == CLI_RESOURCES) cli_put(s, o, "message", cli_text(s->failure));
  return cli_print_json(s, o, status);
}

static void report_summary(cli_session *s, const simulate_job *j) {
  results r = gather(j);
  FILE *to = stdout;
  cli_print(to, "%s: %s\n", cli_display_name(s->file),
            r.t.unsolved_steps ? "not every step is solved" : "every step solved");
  if (j->scene->title) cli_line(to, "scene", "%s", j->scene->title);
  cli_line(to, "bodies", "%d in %dD, %d external, %d joint%s", r.state.body_count, r.state.dim,
           r.state.external_count, r.state.joint_count, r.state.joint_count == 1 ? "" : "s");
  cli_line(to, "simulated", "%.6g s in %lld steps of %g s, ended: %s, fastest shape %.2g",
           r.state.time, (long long)r.t.steps, j->scene->stepping.step, r.end, j->info.speed);
  cli_line(to, "solver", "%s, tolerance %g, largest error %.2g", j->scene->solver.method,
           j->scene->solver.tol, r.t.error_max);
  if (r.t.unsolved_steps || r.t.halved_steps)
    cli_line(to, "unsolved", "%lld steps; %lld steps halved", (long long)r.t.unsolved_steps,
             (long long)r.t.halved_steps);
  if (*j->unsolved.text) cli_line(to, "", "%s", j->unsolved.text);
  if (r.t.rounded_steps)
    cli_line(to, "rounding", "%lld steps solved as well as rounding allows, above the tolerance",
             (long long)r.t.rounded_steps);
  cli_line(to, "penetration", "%.3g at most", r.t.penetration_max);
  cli_line(to, "energy", "%.6g -> %.6g: contact %.4g, external %.4g, correction %.4g,",
           j->energy_first, energy_of(&r.e), r.e.contact, r.e.external, r.e.correction);
  if (r.state.element_count)
    cli_line(to, "", "springs hold %.4g, dampers %.4g,", r.e.elastic, r.e.element);
  cli_line(to, "", "integrator %.4g, joint %.4g; closes to %.1e", r.e.integrator, r.e.joint,
           r.e.closure);
  if (!is_meaningful(&r))
    cli_line(to, "", "steps that are not solved were taken: these energies have no meaning");
  if (correction_part(&r.e) > CORRECTION_NOTED)
    cli_line(to, "", "corrections of gaps and overlap are %.0f %% of its largest part",
             100 * correction_part(&r.e));
  if (j->o.output) cli_line(to, "output", "%s", j->o.output);
  cli_line(to, "time", "%.3g s: detection %.3g s, solves %.3g s", r.t.time_s, r.t.time_detect_s,
           r.t.time_solve_s);
  fprintf(to, "\n  %8s %8s %14s %14s %18s\n", "bodies", "steps", "contacts/step", "solves/step",
          "time/step (ms)");
  fprintf(to, "  %8d %8lld %14.1f %14.2f %18.3g\n", r.state.body_count, (long long)r.t.steps,
          r.t.contacts_mean, r.solves, r.ms);
}

// ---- the run ----------------------------------------------------------------------------------

static int check_output(cli_session *s, const simulate_options *o) {
  if (o->resume && !o->output)
    return cli_fail(s, CLI_USAGE, "simulate: --resume needs the run file: -o FILE");
  if (o->resume && o->overwrite)
    return cli_fail(s, CLI_USAGE, "simulate: --resume and --overwrite exclude each other");
  if (!o->output) return CLI_GO_ON;
  if (cli_format_by_ending(o->output) != SS_FORMAT_FCLIB)  // the ending of HDF5 files
    return cli_fail(s, CLI_USAGE, "-o %s: expected a name ending in .h5 or .hdf5", o->output);
  return CLI_GO_ON;
}

static int begin_output(cli_session *s, simulate_job *j) {
  if (!j->o.output) return CLI_GO_ON;
  ss_run_options o = ss_run_options_default();
  if (j->o.save_every > 0) o.seconds = j->o.save_every;
  o.mode = j->o.resume ? SS_RUN_RESUME : j->o.overwrite ? SS_RUN_OVERWRITE : SS_RUN_NEW;
  ss_error e = ss_run_begin(&s->ctx, j->o.output, j->scene, j->text, j->sim, &o, &j->writer);
  return e ? cli_fail_library(s, j->o.output, e) : CLI_GO_ON;
}

// A step that was interrupted or failed: what there is stays in parts, for --resume.
static int end_output(cli_session *s, simulate_job *j, int status) {
  if (!j->writer) return status;
  bool whole = status == CLI_GO_ON && !cli_interrupted() && !j->late;
  ss_error e = whole ? ss_run_finish(j->writer, j->sim) : ss_run_save(j->writer, j->sim);
  if (e) {
    status = cli_fail_library(s, j->o.output, e);
    cli_note(s, "what was simulated is in %s.parts; --resume goes on with it", j->o.output);
  } else if (!whole) {
    cli_note(s, "%s.parts holds the run so far; --resume goes on with it", j->o.output);
  }
  if (e || !whole) j->o.output = NULL;
  return status;
}

// Steps are not cut short: the next one is begun while it ends in time if it takes no longer than the
// longest so far, within what the limit may be missed by.
static bool is_late(const cli_session *s, simulate_job *j) {
  double limit = j->o.time_limit, left = cli_time_left(s, limit);
  j->longest_s = fmax(j->longest_s, j->info.time_s);
  j->late = limit > 0 && left + 0.1 * limit < j->longest_s;
  if (limit > 0 && cli_now_s() - s->begin_s >= limit) j->late = true;
  return j->late;
}

static int run_steps(cli_session *s, simulate_job *j) {
  int status = CLI_GO_ON;
  cli_progress_begin(&j->progress, s, 5);
  ss_sim_state at;
  ss_simulation_state(j->sim, &at);
  j->steps_before = at.step;
  for (long long step = at.step + 1; !ss_simulation_done(j->sim) && !cli_interrupted(); step++) {
    if ((j->o.max_steps && step > j->o.max_steps) || is_late(s, j)) break;
    ss_error e = ss_simulation_step(j->sim, &j->info);
    if (e) {
      status = cli_fail_library(s, s->file, e);
      break;
    }
    if (j->info.unsolved)
      cli_unsolved_say(s, j->sim, j->scene->solver.method, step, &j->info,
                       cli_time_left(s, j->o.time_limit), &j->unsolved);
    if ((status = dump_as_asked(s, j, step)) != CLI_GO_ON) break;
    if (j->writer && (e = ss_run_append(j->writer, j->sim, &j->info))) {
      status = cli_fail_library(s, j->o.output, e);
      break;
    }
    say_progress(j);
  }
  cli_progress_end(&j->progress);
  return status;
}

static int work(cli_session *s, simulate_job *j) {
  ss_error e = ss_simulation_create(&s->ctx, j->scene, &j->sim);
  if (e) return cli_fail_library(s, s->file, e);
  cli_scene_notes(s, j->sim);
  ss_energy first;
  ss_simulation_energy(j->sim, &first);
  j->energy_first = energy_of(&first);
  int status = begin_output(s, j);
  if (status != CLI_GO_ON) return status;
  status = end_output(s, j, run_steps(s, j));
  if (status != CLI_GO_ON) return status;
  ss_sim_totals t;
  ss_simulation_totals(j->sim, &t);
  status = t.unsolved_steps ? CLI_NEGATIVE : CLI_DONE;
  if (cli_interrupted())
    status = cli_fail(s, CLI_RESOURCES, "%s: interrupted after %lld steps",
                      cli_display_name(s->file), (long long)t.steps);
  if (s->json) return report_json(s, j, status);
  report_summary(s, j);
  return status;
}

// What only the stepping of scenes has; NULL: none of it was given.
static const char *stepping_option(const simulate_options *o, const cli_args *args) {
  return o->solver             ? "--solver"
         : o->drift >= 0       ? "--drift"
         : o->unsolved >= 0    ? "--on-unsolved"
         : o->max_steps        ? "--max-steps"
         : o->resume           ? "--resume"
         : o->check            ? "--check"
         : o->save_every > 0   ? "--save-every"
         : o->dump_step        ? "--dump-step"
         : o->dump_unsolved    ? "--dump-unsolved"
         : args->setting_count ? "an option of a solver"
                               : NULL;
}

// A built-in mechanism, or a scene as one.
static int run_mechanism(cli_session *s, const simulate_job *j, const cli_args *args) {
  const simulate_options *o = &j->o;
  const char *name = args->operands[0];
  cli_evolve_request r = {name,    o->output,   j->scene, &o->evolve,    o->tol,
                          o->step, o->duration, o->theta, o->time_limit, o->overwrite};
  const char *other = stepping_option(o, args);
  if (!j->scene && o->set) other = "--set";
  if (other && j->scene)
    return cli_fail(s, CLI_USAGE, "simulate: %s goes with --scheme moreau, not with %s", other,
                    cli_schemes[o->evolve.scheme]);
  if (other)
    return cli_fail(s, CLI_USAGE, "simulate: %s is a mechanism: %s is for scenes of rigid bodies",
                    name, other);
  return cli_evolve(s, &r);
}

// Elastic bodies and structures: what only rigid bodies have is refused.
static int run_elastic(cli_session *s, simulate_job *j, const cli_args *args) {
  const simulate_options *o = &j->o;
  const char *other = o->drift >= 0                      ? "--drift"
                      : o->resume                        ? "--resume"
                      : o->check                         ? "--check"
                      : o->save_every > 0                ? "--save-every"
                      : o->dump_unsolved                 ? "--dump-unsolved"
                      : o->unsolved == SS_UNSOLVED_HALVE ? "--on-unsolved halve"
                                                         : NULL;
  if (cli_evolve_asked(&o->evolve)) other = "--scheme";
  if (other) return cli_fail(s, CLI_USAGE, "simulate: %s is for scenes of rigid bodies", other);
  int status = o->solver ? cli_method_check(s, o->solver) : CLI_GO_ON;
  if (status == CLI_GO_ON) status = check_dumps(s, j);
  const char *method = o->solver ? o->solver : ss_options_default().method;
  if (status == CLI_GO_ON) status = cli_settings_check(s, method, args, j->settings);
  if (status != CLI_GO_ON) return status;
  cli_march_request r = {.name = args->operands[0],
                         .text = j->text,
                         .output = o->output,
                         .overwrite = o->overwrite,
                         .solver = o->solver,
                         .tol = o->tol,
                         .step = o->step,
                         .duration = o->duration,
                         .theta = o->theta,
                         .time_limit = o->time_limit,
                         .unsolved = o->unsolved,
                         .max_steps = o->max_steps,
                         .threads = o->threads,
                         .dump_file = j->dump_file,
                         .dump_at = j->dump_at,
                         .settings = j->settings,
                         .setting_count = args->setting_count};
  return cli_march(s, &r);
}

static int run_scene(cli_session *s, simulate_job *j, const cli_args *args) {
  int status;
  if (j->o.solver && (status = cli_method_check(s, j->o.solver)) != CLI_GO_ON) return status;
  if ((status = check_dumps(s, j)) != CLI_GO_ON) return status;
  if ((status = check_output(s, &j->o)) != CLI_GO_ON) return status;
  if ((status = open_scene(s, args->operands[0], j)) != CLI_GO_ON) return status;
  const char *method = j->o.solver ? j->o.solver : j->scene->solver.method;
  if ((status = cli_settings_check(s, method, args, j->settings)) != CLI_GO_ON) return status;
  override(j, args->setting_count);
  return j->o.check ? cli_scene_report(s, j->scene) : work(s, j);
}

static int run_scene_as_mechanism(cli_session *s, simulate_job *j, const cli_args *args) {
  int status = open_scene(s, args->operands[0], j);
  return status == CLI_GO_ON ? run_mechanism(s, j, args) : status;
}

static int run(cli_session *s, const cli_command *self, int argc, char **argv) {
  simulate_job j = {.o = {.drift = -1, .unsolved = -1, .evolve = {-1, -1, -1}}};
  j.o.threads = ss_options_default().threads;
  cli_args args;
  int status = cli_parse(s, self, argc, argv, &j.o, &args);
  if (status != CLI_GO_ON) return status;
  const char *name = args.operand_count ? args.operands[0] : NULL;
  if (j.o.list && cli_is_mechanism(name)) return cli_describe_mechanism(s, name);
  if (j.o.list) return list_scenes(s);
  if (j.o.overwrite && !j.o.output)
    return cli_fail(s, CLI_USAGE, "simulate: --overwrite needs the file to replace: -o FILE");
  if (!args.operand_count)
    return cli_fail(s, CLI_USAGE, "simulate: no scene given; see stickslip simulate --list");
  if (cli_is_mechanism(name)) return run_mechanism(s, &j, &args);
  if ((status = cli_evolve_refuse(s, &j.o.evolve)) != CLI_GO_ON) return status;
  status = cli_scene_text(s, name, j.o.set, &j.text);
  if (status == CLI_GO_ON && ss_march_file_is(j.text))
    status = run_elastic(s, &j, &args);
  else if (status == CLI_GO_ON)
    status = cli_evolve_asked(&j.o.evolve) ? run_scene_as_mechanism(s, &j, &args)
                                           : run_scene(s, &j, &args);
  cli_unsolved_release(&j.unsolved);
  ss_run_end(j.writer);
  ss_simulation_destroy(j.sim);
  ss_scene_close(j.scene);
  free(j.text);
  return status;
}

const cli_command cmd_simulate = {
    .name = "simulate",
    .operands = "SCENE|NAME",
    .summary = "simulate rigid and elastic bodies and mechanisms with contact and friction",
    .about =
        "SCENE is a JSON file (docs/scenes.md, of elastic bodies docs/elastic.md), NAME one of "
        "the\n"
        "built-in scenes or mechanisms (--list)\n"
        "exit status: 0 every step solved, 1 some step not solved, 2 wrong usage, 3 bad input,\n"
        "4 out of memory or disk, or interrupted (what was simulated is still reported)\n",
    .operands_min = 0,
    .operands_max = 1,
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .method_options = true,
    .run = run,
};
