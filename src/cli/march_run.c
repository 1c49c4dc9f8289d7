// simulate FILE with "kind": "elastic" or "structure": every step solved and verified, and a summary.
#include "cli/march_run.h"

#include <math.h>
#include <string.h>

#include "cli/diagnosis.h"
#include "cli/interrupt.h"
#include "cli/memory_check.h"
#include "cli/progress.h"
#include "cli/results.h"
#include "cli/step_clock.h"

typedef struct march_job {
  const cli_march_request *r;
  ss_march_file *file;
  ss_elastic *bodies;
  const ss_structure *structure;
  ss_march_options options;
  ss_march *march;
  ss_march_record *record;
  ss_march_info info;
  int64_t steps, unsolved;
  double error_max, time_s, iterations, gap_least;
  bool late;
  cli_progress progress;
  cli_step_clock clock;
} march_job;

// ---- before ----------------------------------------------------------------------------------------

static int check_output(cli_session *s, const march_job *j) {
  static const char *const endings[] = {".csv", ".h5", ".hdf5", ".pvd", ".svg"};
  const char *path = j->r->output;
  bool known = !path;
  for (int k = 0; k < 5 && !known; k++) known = cli_ends_with(path, endings[k]);
  if (!known)
    return cli_fail(s, CLI_USAGE, "-o %s: expected a name ending in .csv, .h5, .hdf5, .pvd or .svg",
                    path);
  return path ? cli_output_precious(s, path, j->r->overwrite) : CLI_GO_ON;
}

static void override(march_job *j) {
  const cli_march_request *r = j->r;
  ss_march_options *o = &j->options;
  *o = j->file->stepping;
  if (r->solver && strcmp(r->solver, o->solver.method) != 0)
    o->solver.method = r->solver, o->solver.setting_count = 0;
  if (r->setting_count)
    o->solver.settings = r->settings, o->solver.setting_count = r->setting_count;
  o->solver.threads = r->threads;
  if (r->tol > 0) o->solver.tol = r->tol;
  if (r->step > 0) o->step = r->step;
  if (r->duration > 0) o->duration = r->duration;
  if (r->theta > 0) o->theta = r->theta;
  if (r->unsolved >= 0) o->go_on = r->unsolved == SS_UNSOLVED_GO;
  o->solver.progress = cli_step_clock_hear, o->solver.stop = cli_step_clock_stop;
  o->solver.user = &j->clock;
}

static int check_memory(cli_session *s, const march_job *j, double bytes) {
  return cli_memory_check(s, bytes, "the simulation", j->r->any_size);
}

// Where mesh files are: beside the scene.
static int open_file(cli_session *s, march_job *j) {
  char folder[4096] = "";
  const char *slash = strrchr(j->r->name, '/');
  if (slash && slash - j->r->name < (long)sizeof folder)
    memcpy(folder, j->r->name, (size_t)(slash - j->r->name));
  ss_error e = ss_march_file_parse(&s->ctx, cli_display_name(j->r->name), folder, j->r->text,
                                   strlen(j->r->text), &j->file);
  if (e) return cli_fail_library(s, j->r->name, e);
  override(j);
  int status = CLI_GO_ON;
  if (j->file->elastic) {
    j->file->scene.stepping = j->options;
    status = check_memory(s, j, ss_elastic_memory(&j->file->scene));
    if (status != CLI_GO_ON) return status;
    e = ss_elastic_build(&s->ctx, &j->file->scene, &j->bodies);
  }
  if (e) return cli_fail_library(s, j->r->name, e);
  j->structure = j->bodies ? &j->bodies->structure : &j->file->structure;
  status = check_memory(s, j, ss_structure_memory(j->structure));
  if (status != CLI_GO_ON) return status;
  e = ss_march_create(&s->ctx, j->structure, &j->options, &j->march);
  if (!e && j->r->output) e = ss_march_record_create(&s->ctx, j->structure, j->bodies, &j->record);
  return e ? cli_fail_library(s, j->r->name, e) : CLI_GO_ON;
}

// ---- steps -----------------------------------------------------------------------------------------

static void say_progress(march_job *j) {
  double spent = cli_progress_due(&j->progress);
  if (!(spent > 0)) return;
  double done = (j->info.time - j->options.start) / j->options.duration;
  double left = done > 0 ? spent * (1 - done) / done : 0;
  if (j->progress.terminal)
    cli_progress_draw(&j->progress, "", done, "step %lld  t %.4g  %d contacts  %.0f s left",
                      (long long)j->info.step, j->info.time, j->info.contacts, left);
  else
    fprintf(stderr,
            "simulate step=%lld time=%.4g contacts=%d iterations=%d error=%.2e spent=%.1f "
            "left=%.1f\n",
            (long long)j->info.step, j->info.time, j->info.contacts, j->info.iterations,
            j->info.error, spent, left);
}

static int dump(cli_session *s, const march_job *j) {
  ss_file what = {0};
  const ss_problem *p = ss_march_problem(j->march, &what.solution);
  if (!p || !j->r->dump_file || j->info.step != j->r->dump_at) return CLI_GO_ON;
  what.problem = *p;
  if (j->info.status != SS_SOLVED) what.solution = (ss_solution){0};
  ss_error e = ss_file_write(&s->ctx, j->r->dump_file, SS_FORMAT_AUTO, &what);
  return e ? cli_fail_library(s, j->r->dump_file, e) : CLI_GO_ON;
}

static void count(march_job *j) {
  ss_march_view v;
  ss_march_look(j->march, &v);
  j->steps++;
  j->iterations += j->info.iterations;
  j->time_s += j->info.time_s;
  if (j->info.status == SS_SOLVED)
    j->error_max = fmax(j->error_max, j->info.error);
  else
    j->unsolved++;
  for (int i = 0; i < j->structure->nc; i++)
    j->gap_least = fmin(j->gap_least, v.gap[(size_t)i * (size_t)j->structure->dim]);
}

static int run_steps(cli_session *s, march_job *j) {
  int status = CLI_GO_ON;
  cli_progress_begin(&j->progress, s, 5);
  j->clock.shown = &j->progress;
  j->clock.end_s = j->r->time_limit > 0 ? s->begin_s + j->r->time_limit : INFINITY;
  while (!ss_march_end(j->march) && !cli_interrupted() && status == CLI_GO_ON) {
    if (j->r->max_steps && j->steps >= j->r->max_steps) break;
    if ((j->late = cli_now_s() >= j->clock.end_s)) break;
    ss_march_info last = j->info;
    cli_step_clock_start(&j->clock, last.step + 1);
    ss_error e = ss_march_step(j->march, &j->info);
    if (e) {
      status = cli_fail_library(s, j->r->name, e);
      break;
    }
    if (j->info.status == SS_CANCELLED) {  // it has not been
      j->info = last, j->late = j->clock.late;
      break;
    }
    count(j);
    if (j->info.status != SS_SOLVED) {
      cli_unsolved_step u = {j->info.step,
                             j->info.time,
                             j->info.error,
                             {.method = j->options.solver.method, .status = j->info.status}};
      cli_note_unsolved(s, ss_march_problem(j->march, NULL), &u,
                        cli_time_left(s, j->r->time_limit));
    }
    status = dump(s, j);
    bool due = j->info.step % (j->file->every > 0 ? j->file->every : 1) == 0;
    if (j->record && status == CLI_GO_ON && (due || ss_march_end(j->march)))
      if ((e = ss_march_record_append(j->record, j->march, &j->info)))
        status = cli_fail_library(s, j->r->name, e);
    say_progress(j);
  }
  cli_progress_end(&j->progress);
  return status;
}

// ---- results ---------------------------------------------------------------------------------------

static const char *end_of(const march_job *j) {
  const char *end = ss_march_end(j->march);
  return end ? end : cli_interrupted() ? "interrupted" : j->late ? "time_limit" : "max_steps";
}

static void sum_forces(const march_job *j, double sum[3]) {
  ss_march_view v;
  ss_march_look(j->march, &v);
  for (int i = 0; i < j->structure->dim * j->structure->nc; i++)
    sum[i % j->structure->dim] += v.r[i];
}

static json_t *energies(cli_session *s, const ss_march_energy *w) {
  const cli_named rows[] = {
      {"elastic", w->elastic}, {"kinetic", w->kinetic},   {"load", w->load},
      {"support", w->support}, {"obstacle", w->obstacle}, {"friction", w->friction},
      {"viscous", w->viscous}, {"closing", w->closing},   {"integrator", w->integrator},
      {"closure", w->closure}};
  return cli_reals(s, rows, sizeof rows / sizeof *rows);
}

static int report_json(cli_session *s, const march_job *j, int status) {
  ss_march_view v;
  ss_march_energy w;
  double force[3] = {0}, both[2];
  ss_march_look(j->march, &v);
  ss_march_get_energy(j->march, &w);
  sum_forces(j, force);
  both[0] = w.start, both[1] = w.elastic + w.kinetic;
  json_t *o = cli_object(s);
  cli_put(s, o, "title", cli_text(j->file->title));
  cli_put(s, o, "kind", json_string(j->file->elastic ? "elastic" : "structure"));
  cli_put(s, o, "dim", json_integer(j->structure->dim));
  cli_put(s, o, "dofs", json_integer(j->structure->ndof));
  cli_put(s, o, "contacts", json_integer(j->structure->nc));
  cli_put(s, o, "scheme", json_string(ss_march_scheme_name(j->options.scheme)));
  cli_put(s, o, "solver", json_string(j->options.solver.method));
  cli_put(s, o, "tolerance", cli_real(j->options.solver.tol));
  cli_put(s, o, "step", cli_real(j->options.step));
  cli_put(s, o, "steps", json_integer(j->steps));
  cli_put(s, o, "time_simulated", cli_real(v.time - j->options.start));
  cli_put(s, o, "end", json_string(end_of(j)));
  cli_put(s, o, "time_s", cli_real(j->time_s));
  cli_put(s, o, "time_per_step_ms", cli_real(j->steps ? 1e3 * j->time_s / (double)j->steps : 0));
  cli_put(s, o, "iterations_per_step", cli_real(j->steps ? j->iterations / (double)j->steps : 0));
  cli_put(s, o, "unsolved_steps", json_integer(j->unsolved));
  cli_put(s, o, "error_max", cli_real(j->error_max));
  cli_put(s, o, "penetration_max", cli_real(j->gap_least < 0 ? -j->gap_least : 0));
  cli_put(s, o, "states", cli_states(s, j->info.states));
  cli_put(s, o, "force", cli_doubles_json(force, j->structure->dim));
  cli_put(s, o, "energy", cli_doubles_json(both, 2));
  cli_put(s, o, "energy_balance", energies(s, &w));
  cli_put(s, o, "output", cli_text(j->r->output));
  if (status == CLI_RESOURCES) cli_put(s, o, "message", cli_text(s->failure));
  return cli_print_json(s, o, status);
}

static void report_summary(const march_job *j) {
  ss_march_view v;
  ss_march_energy w;
  double force[3] = {0};
  FILE *to = stdout;
  ss_march_look(j->march, &v);
  ss_march_get_energy(j->march, &w);
  sum_forces(j, force);
  cli_print(to, "%s: %s\n", cli_display_name(j->r->name),
            j->unsolved ? "not every step is solved" : "every step solved");
  if (j->file->title) cli_line(to, j->file->elastic ? "bodies" : "structure", "%s", j->file->title);
  cli_line(to, "size", "%d degrees of freedom in %dD, %d contacts", j->structure->ndof,
           j->structure->dim, j->structure->nc);
  cli_line(to, "simulated", "%.6g in %lld steps of %g, scheme %s, ended: %s",
           v.time - j->options.start, (long long)j->steps, j->options.step,
           ss_march_scheme_name(j->options.scheme), end_of(j));
  cli_line(to, "solver", "%s, tolerance %g, largest error %.2g", j->options.solver.method,
           j->options.solver.tol, j->error_max);
  cli_line(to, "contacts",
           "%d free, %d stick, %d slip at the end; forces along normals %.6g, along "
           "tangents %.6g%s",
           j->info.states[SS_FREE], j->info.states[SS_STICK], j->info.states[SS_SLIP], force[0],
           force[1], j->structure->dim == 3 ? ", ..." : "");
  cli_line(to, "penetration", "%.3g at most", j->gap_least < 0 ? -j->gap_least : 0);
  cli_line(to, "energy", "elastic %.6g, kinetic %.4g; lost by friction %.6g, viscosity %.4g;",
           w.elastic, w.kinetic, w.friction, w.viscous);
  cli_line(to, "",
           "work of loads %.4g, supports %.4g, obstacles %.4g; closing %.3g, integrator %.3g; "
           "closes to %.1e",
           w.load, w.support, w.obstacle, w.closing, w.integrator, w.closure);
  if (j->r->output) cli_line_run(to, j->r->output, "scene");
  cli_line(to, "time", "%.3g s, %.3g ms a step", j->time_s,
           j->steps ? 1e3 * j->time_s / (double)j->steps : 0);
}

// The bodies at the end, as a picture; else what was recorded.
static ss_error write_output(cli_session *s, const march_job *j) {
  const char *path = j->r->output;
  if (!cli_ends_with(path, ".svg")) return ss_march_record_write(&s->ctx, path, j->record);
  ss_march_view v;
  char *text = NULL;
  ss_march_look(j->march, &v);
  ss_error e = ss_deformation_svg(&s->ctx, j->bodies, &v, j->file->title, &text);
  if (!e) e = ss_text_write(&s->ctx, path, text);
  ss_text_destroy(&s->ctx, text);
  return e;
}

static int work(cli_session *s, march_job *j) {
  int status = check_output(s, j);
  if (status == CLI_GO_ON) status = open_file(s, j);
  if (status == CLI_GO_ON) status = run_steps(s, j);
  if (status != CLI_GO_ON) return status;
  if (j->r->output) {
    ss_error e = write_output(s, j);
    if (e) return cli_fail_library(s, j->r->output, e);
  }
  status = j->unsolved ? CLI_NEGATIVE : CLI_DONE;
  if (cli_interrupted())
    status = cli_fail(s, CLI_RESOURCES, "%s: interrupted after %lld steps",
                      cli_display_name(j->r->name), (long long)j->steps);
  if (s->json) return report_json(s, j, status);
  report_summary(j);
  return status;
}

int cli_march(cli_session *s, const cli_march_request *r) {
  march_job j = {.r = r};
  int status = work(s, &j);
  ss_march_record_destroy(j.record);
  ss_march_destroy(j.march);
  ss_elastic_destroy(j.bodies);
  ss_march_file_close(j.file);
  return status;
}
