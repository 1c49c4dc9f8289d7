// stickslip-mpi simulate SCENE: rigid bodies in time on several processes, every step solved and verified.
#define _POSIX_C_SOURCE 200809L
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cli/outputs.h"
#include "cli/progress.h"
#include "cli/scene_text.h"
#include "mpi/crowd_run.h"
#include "mpi/mpi_dumps.h"
#include "mpi/mpi_interrupt.h"
#include "mpi/mpi_job.h"

typedef struct mpi_simulate_options {
  crowd_options crowd;
  const char *set, *output;
  mpi_dumps dumps;
  double tol, step, duration, theta, save_every, time_limit;
  int drift, unsolved, max_steps;
  bool resume, overwrite, clock;
} mpi_simulate_options;

static const char *const drift_words[] = {"gap", "projection", "none", NULL};
static const char *const unsolved_words[] = {"stop", "halve", "go", NULL};

#define AT(field) offsetof(mpi_simulate_options, field)
static const cli_option options[] = {
    {"tol", 't', "X", "tolerance of each step, in place of the scene's (default 1e-8)", CLI_NUMBER,
     AT(tol), DBL_MIN, DBL_MAX, "a number > 0", 0},
    {"step", 0, "SECONDS", "time step, in place of the scene's", CLI_NUMBER, AT(step), DBL_MIN,
     DBL_MAX, "a number > 0", 0},
    {"duration", 0, "SECONDS", "simulated time, in place of the scene's", CLI_NUMBER, AT(duration),
     DBL_MIN, DBL_MAX, "a number > 0", 0},
    {"theta", 0, "X", "of the time stepping, in place of the scene's", CLI_NUMBER, AT(theta), 0.5,
     1, "a number in 0.5 .. 1", 0},
    {"drift", 0, "NAME", "gap or none, in place of the scene's", CLI_WORD, AT(drift), 0, 0, 0,
     drift_words},
    {"on-unsolved", 0, "NAME", "after a step that is not solved: stop, halve it or go on", CLI_WORD,
     AT(unsolved), 0, 0, 0, unsolved_words},
    {"max-steps", 'n', "N", "steps at most; 0: no limit", CLI_COUNT, AT(max_steps), 0, INT_MAX,
     "a whole number >= 0", 0},
    {"time-limit", 0, "SECONDS", "of computing; then what was simulated is reported; 0: no limit",
     CLI_NUMBER, AT(time_limit), 0, DBL_MAX, "a number >= 0", 0},
    {"set", 0, "POINTER=VALUE", "change the scene: /generators/0/count=600; ';' between several",
     CLI_TEXT, AT(set), 0, 0, 0, 0},
    {"output", 'o', "FILE", "keep the run in FILE (.h5)", CLI_TEXT, AT(output), 0, 0, 0, 0},
    {"resume", 0, NULL, "go on with the run that was cut short in FILE, on any number of ranks",
     CLI_FLAG, AT(resume), 0, 0, 0, 0},
    {"overwrite", 0, NULL, "replace what FILE, or FILE.parts, holds already", CLI_FLAG,
     AT(overwrite), 0, 0, 0, 0},
    {"save-every", 0, "SECONDS", "of computing, at most: what a kill may cost (default 1)",
     CLI_NUMBER, AT(save_every), DBL_MIN, DBL_MAX, "a number > 0", 0},
    {"clock", 0, NULL, "keep in FILE what every step took; runs of one scene then differ in that",
     CLI_FLAG, AT(clock), 0, 0, 0, 0},
    {"dump-step", 0, "N:FILE", "write the friction problem of step N and its answer to FILE (.h5)",
     CLI_TEXT, AT(dumps.step), 0, 0, 0, 0},
    {"dump-every", 0, "N DIR", "write those of every N-th step to DIR/step-K.hdf5", CLI_PAIR,
     AT(dumps.every), 0, 0, 0, 0},
    {"domain", 0, "N", "contacts in a domain (default 500); answers depend on it", CLI_NUMBER,
     AT(crowd.domain), 1, 1e9, "a number >= 1", 0},
    {"max-iter", 0, "N", "sweeps of one solve at most (default: the scene's, or 10000)", CLI_COUNT,
     AT(crowd.max_sweeps), 1, INT_MAX, "a whole number >= 1", 0},
    {"check-every", 0, "N", "sweeps between residuals (default 10)", CLI_COUNT,
     AT(crowd.check_every), 1, INT_MAX, "a whole number >= 1", 0},
    {"momentum", 0, "X", "most of a contact's last change that is added to it (default 0.98)",
     CLI_NUMBER, AT(crowd.momentum), 0, 0.9999, "a number from 0 to 0.9999", 0},
    {"split-every", 0, "N", "steps between partitions by counted work (default 20)", CLI_COUNT,
     AT(crowd.split_every), 1, INT_MAX, "a whole number >= 1", 0},
};
#undef AT

typedef struct mpi_simulate_job {
  mpi_simulate_options o;
  cli_session *s;
  char *text;
  ss_scene *scene;
  crowd m;
  crowd_run run;
  bool writes;         // there is a run file under way
  const char *output;  // that is whole; NULL: none
  double energy_first, begin_cpu_s;
  int64_t steps_before;
  bool late, interrupted;
  ss_step_info info;
  cli_progress progress;
} mpi_simulate_job;

// ---- the scene -----------------------------------------------------------------------------

// Rank 0 reads: files of other nodes may differ.
static int read_text(cli_session *s, const char *path, mpi_simulate_job *j) {
  const ranks *c = mpi_ranks();
  int status = c->rank ? CLI_GO_ON : cli_scene_text(s, path, j->o.set, &j->text);
  int64_t size = j->text ? (int64_t)strlen(j->text) + 1 : 0;
  s->file = path;
  MPI_Bcast(&status, 1, MPI_INT, 0, c->comm);
  MPI_Bcast(&size, 1, MPI_INT64_T, 0, c->comm);
  if (status != CLI_GO_ON) return status;
  if (c->rank) j->text = RANKS_TAKE(c, size, char);
  MPI_Bcast(j->text, (int)size, MPI_CHAR, 0, c->comm);
  ss_error e = ss_scene_parse(&s->ctx, cli_display_name(path), j->text, strlen(j->text), &j->scene);
  e = ranks_agree(c, e);
  return e ? mpi_fail(s, path, e) : CLI_GO_ON;
}

static void override(mpi_simulate_job *j) {
  ss_scene *c = j->scene;
  const mpi_simulate_options *o = &j->o;
  if (o->tol > 0) c->solver.tol = o->tol;
  if (o->step > 0) c->stepping.step = o->step;
  if (o->duration > 0) c->stepping.duration = o->duration;
  if (o->theta > 0) c->stepping.theta = o->theta;
  if (o->drift >= 0) c->stepping.drift = (ss_drift)o->drift;
  if (o->unsolved >= 0) c->stepping.unsolved = (ss_unsolved)o->unsolved;
  if (!j->o.crowd.max_sweeps)
    j->o.crowd.max_sweeps = c->solver.max_iter ? c->solver.max_iter : 10000;
}

// What a simulation in one process would refuse (bodies that overlap at the start), by its own code.
static ss_error check_start(const ranks *c, const ss_scene *scene) {
  ss_simulation *sim = NULL;
  ss_error e = c->rank ? SS_OK : ss_simulation_create(c->ctx, scene, &sim);
  ss_simulation_destroy(sim);
  return ranks_agree(c, e);
}

// ---- the run -------------------------------------------------------------------------------

// Whether anyone wants to stop: signals and clocks differ between ranks.
static bool must_stop(void *user) {
  mpi_simulate_job *j = user;
  double limit = j->o.time_limit;
  int why = mpi_interrupted() ? 2 : limit > 0 && cli_now_s() - j->s->begin_s > limit ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &why, 1, MPI_INT, MPI_MAX, j->m.c->comm);
  j->interrupted = why == 2;
  j->late = why == 1;
  return why != 0;
}

static void say_progress(mpi_simulate_job *j) {
  double spent = cli_progress_due(&j->progress);
  if (!(spent > 0)) return;
  const ssi_record *n = &j->m.now;
  double done = n->time / j->scene->stepping.duration, left = spent * (1 - done) / done;
  if (j->progress.terminal)
    cli_progress_draw(&j->progress, "", done,
                      "step %lld  t %.4g  %d contacts  %d sweeps  %.0f s left", (long long)n->step,
                      n->time, j->info.contacts, j->info.iterations, left);
  else
    fprintf(stderr,
            "simulate step=%lld time=%.4g contacts=%d solves=%d iterations=%d error=%.2e "
            "speed=%.2e spent=%.1f left=%.1f\n",
            (long long)n->step, n->time, j->info.contacts, j->info.solves, j->info.iterations,
            j->info.error, j->info.speed, spent, left);
}

static int begin_output(cli_session *s, mpi_simulate_job *j) {
  const mpi_simulate_options *o = &j->o;
  if (!o->output) return CLI_GO_ON;
  ss_run_mode mode = o->resume ? SS_RUN_RESUME : o->overwrite ? SS_RUN_OVERWRITE : SS_RUN_NEW;
  ss_error e = crowd_run_begin(&j->run, &j->m, o->output, j->text, mode,
                               o->save_every > 0 ? o->save_every : 1, o->clock);
  j->writes = !e;
  return e ? mpi_fail(s, o->output, e) : CLI_GO_ON;
}

static int end_output(cli_session *s, mpi_simulate_job *j, int status) {
  if (!j->writes) return status;
  bool whole = status == CLI_GO_ON && !j->interrupted && !j->late && j->m.now.end;
  if (status == CLI_GO_ON && !j->interrupted && !j->late && j->o.max_steps) whole = true;
  ss_error e = whole ? crowd_run_finish(&j->run) : crowd_run_save(&j->run);
  if (e) status = mpi_fail(s, j->o.output, e);
  if ((e || !whole) && j->run.parts.count > 0)
    cli_note(s, "%s.parts holds the run so far; --resume goes on with it", j->o.output);
  if (!e && whole) j->output = j->o.output;
  return status;
}

static int run_steps(cli_session *s, mpi_simulate_job *j) {
  int status = CLI_GO_ON;
  cli_progress_begin(&j->progress, s, 5);
  j->steps_before = j->m.now.step;
  while (!j->m.now.end && status == CLI_GO_ON) {
    int64_t step = j->m.now.step + 1;
    ss_step_info info;
    if ((j->o.max_steps && step > j->o.max_steps) || must_stop(j)) break;
    j->m.dump = mpi_dumps_file(&j->o.dumps, step);
    ss_error e = crowd_step(&j->m, &info);
    if (e) status = mpi_fail(s, s->file, e);
    if (e || info.status == SS_CANCELLED) break;
    j->info = info;
    if (info.unsolved)
      cli_note(s, "step %lld: not solved, error %.2g after %d sweeps", (long long)step, info.error,
               info.iterations);
    if (j->writes && (e = crowd_run_append(&j->run, &info))) status = mpi_fail(s, j->o.output, e);
    say_progress(j);
  }
  cli_progress_end(&j->progress);
  return status;
}

// ---- what is said --------------------------------------------------------------------------

static const char *const phase_names[CROWD_PHASES] = {"order", "detect", "build", "sweep",
                                                      "judge", "move",   "write"};

typedef struct totals {  // over all ranks
  double migrated, shifted, ghosts, bytes, bytes_sweeps, memory;
  double cpu_s, sweeps_s, phase_s[CROWD_PHASES];  // of the slowest
} totals;

static totals gather(const mpi_simulate_job *j) {
  const crowd_counts *n = &j->m.counts;
  totals t = {.migrated = mpi_total((double)n->migrated),
              .shifted = mpi_total((double)n->shifted),
              .ghosts = mpi_total((double)n->ghosts),
              .bytes = mpi_total((double)n->bytes),
              .bytes_sweeps = mpi_total((double)n->bytes_sweeps),
              .memory = mpi_total(mpi_peak_bytes()),
              .cpu_s = mpi_most(mpi_cpu_s() - j->begin_cpu_s),
              .sweeps_s = mpi_most(n->sweeps_s)};
  for (int k = 0; k < CROWD_PHASES; k++) t.phase_s[k] = mpi_most(n->cpu_s[k]);
  return t;
}

static const char *end_of(const mpi_simulate_job *j) {
  static const char *const names[] = {NULL, "rest", "duration", "unsolved"};
  return j->m.now.end     ? names[j->m.now.end]
         : j->interrupted ? "interrupted"
         : j->late        ? "time_limit"
                          : "max_steps";
}

static void put_balance(cli_session *s, json_t *o, const mpi_simulate_job *j, const ss_energy *e) {
  const cli_named rows[] = {{"kinetic", e->kinetic},       {"potential", e->potential},
                            {"contact", e->contact},       {"external", e->external},
                            {"correction", e->correction}, {"integrator", e->integrator},
                            {"closure", e->closure}};
  double both[2] = {j->energy_first, e->kinetic + e->potential};
  cli_put(s, o, "energy", cli_doubles_json(both, 2));
  cli_put(s, o, "energy_balance", cli_reals(s, rows, sizeof rows / sizeof *rows));
}

static void put_ranks(cli_session *s, json_t *o, const mpi_simulate_job *j, const totals *t,
                      double steps) {
  cli_named phases[CROWD_PHASES];
  for (int k = 0; k < CROWD_PHASES; k++) phases[k] = (cli_named){phase_names[k], t->phase_s[k]};
  cli_put(s, o, "ranks", json_integer(j->m.c->size));
  cli_put(s, o, "domain", cli_real(j->m.o.domain));
  cli_put(s, o, "migrated", cli_real(t->migrated));
  cli_put(s, o, "repartitioned", cli_real(t->shifted));
  cli_put(s, o, "ghosts_per_step", cli_real(t->ghosts / steps));
  cli_put(s, o, "bytes_per_step", cli_real(t->bytes / steps));
  cli_put(s, o, "bytes_sweeps_per_step", cli_real(t->bytes_sweeps / steps));
  cli_put(s, o, "cpu_s_slowest_rank", cli_real(t->cpu_s));
  cli_put(s, o, "sweeps_cpu_s_slowest_rank", cli_real(t->sweeps_s));
  cli_put(s, o, "phases_cpu_s_slowest_rank", cli_reals(s, phases, CROWD_PHASES));
  cli_put(s, o, "peak_bytes", cli_real(t->memory));
}

static int report_json(cli_session *s, const mpi_simulate_job *j, const totals *t, int status) {
  const ss_sim_totals *n = &j->m.now.totals;
  double steps = n->steps ? (double)n->steps : 1, here = (double)(n->steps - j->steps_before);
  ss_energy e;
  ssi_record_energy(&j->m.now, &e);
  json_t *o = cli_object(s);
  if (status != CLI_DONE)
    cli_put(s, o, "status", json_string(status == CLI_RESOURCES ? "interrupted" : "unsolved"));
  cli_put(s, o, "title", cli_text(j->scene->title));
  cli_put(s, o, "dim", json_integer(j->m.world.dim));
  cli_put(s, o, "bodies", json_integer(j->m.world.nb));
  cli_put(s, o, "solver", json_string("domains"));
  cli_put(s, o, "tolerance", cli_real(j->scene->solver.tol));
  cli_put(s, o, "step", cli_real(j->scene->stepping.step));
  cli_put(s, o, "steps", json_integer(n->steps));
  cli_put(s, o, "time_simulated", cli_real(j->m.now.time));
  cli_put(s, o, "end", json_string(end_of(j)));
  cli_put(s, o, "speed_last", cli_real(j->info.speed));
  cli_put(s, o, "time_s", cli_real(j->m.times[2]));
  cli_put(s, o, "time_detect_s", cli_real(j->m.times[0]));
  cli_put(s, o, "time_solve_s", cli_real(j->m.times[1]));
  cli_put(s, o, "contacts_mean", cli_real((double)n->contact_sum / steps));
  cli_put(s, o, "contacts_max", json_integer(n->contacts_max));
  cli_put(s, o, "active_mean", cli_real((double)n->active_sum / steps));
  cli_put(s, o, "solves_per_step", cli_real((double)n->solve_sum / steps));
  cli_put(s, o, "iterations_per_step", cli_real((double)n->iteration_sum / steps));
  cli_put(s, o, "time_per_step_ms", cli_real(here > 0 ? 1e3 * j->m.times[2] / here : 0));
  cli_put(s, o, "unsolved_steps", json_integer(n->unsolved_steps));
  cli_put(s, o, "halved_steps", json_integer(n->halved_steps));
  cli_put(s, o, "rounded_steps", json_integer(n->rounded_steps));
  cli_put(s, o, "solves_max", json_integer(n->solves_max));
  cli_put(s, o, "error_max", cli_real(n->error_max));
  cli_put(s, o, "penetration_max", cli_real(n->penetration_max));
  put_balance(s, o, j, &e);
  cli_put(s, o, "output", cli_text(j->output));
  put_ranks(s, o, j, t, here > 0 ? here : 1);
  if (status == CLI_RESOURCES) cli_put(s, o, "message", cli_text(s->failure));
  return cli_print_json(s, o, status);
}

static void report_summary(cli_session *s, const mpi_simulate_job *j, const totals *t) {
  const ss_sim_totals *n = &j->m.now.totals;
  double steps = n->steps ? (double)n->steps : 1, here = (double)(n->steps - j->steps_before);
  FILE *to = stdout;
  ss_energy e;
  ssi_record_energy(&j->m.now, &e);
  cli_print(to, "%s: %s\n", cli_display_name(s->file),
            n->unsolved_steps ? "not every step is solved" : "every step solved");
  if (j->scene->title) cli_line(to, "scene", "%s", j->scene->title);
  cli_line(to, "bodies", "%d in %dD, %d external, on %d rank%s", j->m.world.nb, j->m.world.dim,
           j->m.world.ne, j->m.c->size, j->m.c->size == 1 ? "" : "s");
  cli_line(to, "simulated", "%.6g s in %lld steps of %g s, ended: %s, fastest shape %.2g",
           j->m.now.time, (long long)n->steps, j->scene->stepping.step, end_of(j), j->info.speed);
  cli_line(to, "solver", "sweeps over domains of %g contacts, tolerance %g, largest error %.2g",
           j->m.o.domain, j->scene->solver.tol, n->error_max);
  if (n->unsolved_steps || n->halved_steps)
    cli_line(to, "unsolved", "%lld steps; %lld steps halved", (long long)n->unsolved_steps,
             (long long)n->halved_steps);
  cli_line(to, "per step", "%.1f contacts, %.2f solves, %.1f sweeps",
           (double)n->contact_sum / steps, (double)n->solve_sum / steps,
           (double)n->iteration_sum / steps);
  cli_line(to, "penetration", "%.3g at most", n->penetration_max);
  cli_line(to, "energy", "%.6g -> %.6g: contact %.4g, external %.4g, correction %.4g,",
           j->energy_first, e.kinetic + e.potential, e.contact, e.external, e.correction);
  cli_line(to, "", "integrator %.4g; closes to %.1e", e.integrator, e.closure);
  if (here > 0)
    cli_line(to, "exchanged",
             "%.3g kB per step, %.3g of it by sweeps; %.0f bodies went to other ranks",
             t->bytes / here / 1e3, t->bytes_sweeps / here / 1e3, t->migrated + t->shifted);
  if (j->output) cli_line(to, "output", "%s", j->output);
  cli_line(to, "time",
           "%.3g s; slowest rank %.3g s of processor time, sweeps without waiting %.3g s",
           j->m.times[2], t->cpu_s, t->sweeps_s);
}

static int work(cli_session *s, mpi_simulate_job *j) {
  ranks *c = mpi_ranks();
  ss_error e = crowd_create(c, j->scene, &j->o.crowd, &j->m);
  if (!e) e = check_start(c, j->scene);
  if (e) return mpi_fail(s, s->file, e);
  crowd_start(&j->m);
  j->m.stop = must_stop;
  j->m.user = j;
  j->energy_first = j->m.now.start;
  j->begin_cpu_s = mpi_cpu_s();
  int status = begin_output(s, j);
  if (status != CLI_GO_ON) return status;
  status = end_output(s, j, run_steps(s, j));
  totals t = gather(j);
  if (status != CLI_GO_ON) return status;
  status = j->m.now.totals.unsolved_steps ? CLI_NEGATIVE : CLI_DONE;
  if (j->interrupted)
    status = cli_fail(s, CLI_RESOURCES, "%s: interrupted after %lld steps",
                      cli_display_name(s->file), (long long)j->m.now.totals.steps);
  if (s->json) return report_json(s, j, &t, status);
  report_summary(s, j, &t);
  return status;
}

static int check_options(cli_session *s, const mpi_simulate_options *o) {
  if (o->resume && !o->output)
    return cli_fail(s, CLI_USAGE, "simulate: --resume needs the run file: -o FILE");
  if (o->resume && o->overwrite)
    return cli_fail(s, CLI_USAGE, "simulate: --resume and --overwrite exclude each other");
  if (o->clock && !o->output)
    return cli_fail(s, CLI_USAGE, "simulate: --clock needs the run file: -o FILE");
  return mpi_output_check(s, o->output);
}

static int run_simulate(cli_session *s, const cli_command *self, int argc, char **argv) {
  mpi_simulate_job j = {
      .o = {.drift = -1,
            .unsolved = -1,
            .crowd = {.domain = 500, .momentum = 0.98, .check_every = 10, .split_every = 20}},
      .s = s};
  cli_args args;
  mpi_ranks()->ctx = &s->ctx;
  int status = cli_parse(s, self, argc, argv, &j.o, &args);
  if (status == CLI_GO_ON) status = check_options(s, &j.o);
  if (status == CLI_GO_ON) status = mpi_dumps_check(s, &j.o.dumps);
  if (status == CLI_GO_ON) status = read_text(s, args.operands[0], &j);
  if (status == CLI_GO_ON) {
    override(&j);
    status = work(s, &j);
  }
  crowd_run_end(&j.run);
  if (j.m.c) crowd_destroy(&j.m);
  ss_scene_close(j.scene);
  free(j.text);
  return status;
}

const cli_command mpi_cmd_simulate = {
    .name = "simulate",
    .operands = "SCENE",
    .summary = "rigid bodies in time, each rank its part of them, every step solved and verified",
    .about =
        "SCENE: a scene file, or the name of one that comes with the program, of rigid bodies\n"
        "without joints, springs, dampers and bushings. All numbers, and the run file, are the\n"
        "same for every number of ranks.\n"
        "exit status: 0 every step solved, 1 not, 2 wrong usage, 3 bad input, 4 out of memory or\n"
        "disk, or interrupted\n",
    .operands_min = 1,
    .operands_max = 1,
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = run_simulate,
};
