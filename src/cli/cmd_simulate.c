// stickslip simulate SCENE|NAME: its options, and who runs what it is given: scene_run.c rigid bodies, march_run.c elastic
// ones, mechanism_run.c mechanisms.
#define _POSIX_C_SOURCE 200809L
#include <float.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/march_run.h"
#include "cli/mechanism_run.h"
#include "cli/memory_check.h"
#include "cli/methods.h"
#include "cli/results.h"
#include "cli/scene_report.h"
#include "cli/scene_run.h"
#include "cli/scene_text.h"

typedef struct simulate_options {
  const char *solver, *set, *output;
  double tol, step, duration, theta, save_every, time_limit, step_limit;
  int drift, contact_map, unsolved, max_steps, threads;
  bool list, check, resume, overwrite, clock, least_norm, any_size;
  cli_evolve_options evolve;
  cli_step_watch watch;
  cli_step_dump dump;
} simulate_options;

static const char *const drift_words[] = {"gap", "projection", "none", NULL};
static const char *const contact_map_words[] = {"explicit", "implicit", NULL};
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
    {"start", 0, "MODES", "modes of its contacts at the start, refused where it has others",
     CLI_TEXT, AT(evolve.start), 0, 0, 0, 0},
    {"samples", 0, "N", "its outputs (default 1000)", CLI_COUNT, AT(evolve.samples), 1, 100000000,
     "a whole number >= 1", 0},
    {"from", 0, "TIME", "of its first output (default: the start)", CLI_NUMBER, AT(evolve.from), 0,
     DBL_MAX, "a number >= 0", 0},
    {"plot", 0, "PANELS",
     "draw it to -o FILE.svg: phase, velocity, forces, share, or Y:X,... of its columns", CLI_TEXT,
     AT(evolve.plot), 0, 0, 0, 0},
    {"count-modes", 0, NULL, "midpoint: count the admissible modes of every step", CLI_FLAG,
     AT(evolve.count_modes), 0, 0, 0, 0},
    {"solver", 's', "NAME", "method, in place of the scene's; stickslip info lists them",
     CLI_METHOD, AT(solver), 0, 0, 0, 0},
    {"tol", 't', "X",
     "tolerance of each step, in place of the scene's (default 1e-8); the summary says where it "
     "costs",
     CLI_NUMBER, AT(tol), DBL_MIN, DBL_MAX, "a number > 0", 0},
    {"step", 0, "SECONDS", "time step, in place of the scene's", CLI_NUMBER, AT(step), DBL_MIN,
     DBL_MAX, "a number > 0", 0},
    {"duration", 0, "SECONDS", "simulated time, in place of the scene's", CLI_NUMBER, AT(duration),
     DBL_MIN, DBL_MAX, "a number > 0", 0},
    {"theta", 0, "X", "of the time stepping, in place of the scene's", CLI_NUMBER, AT(theta), 0.5,
     1, "a number in 0.5 .. 1", 0},
    {"drift", 0, "NAME", "gap, projection or none, in place of the scene's", CLI_WORD, AT(drift), 0,
     0, 0, drift_words},
    {"contact-map", 0, "NAME", "contacts as a step begins (explicit) or ends (implicit)", CLI_WORD,
     AT(contact_map), 0, 0, 0, contact_map_words},
    {"least-norm", 0, NULL, "of the reactions with the same velocities, those of least norm",
     CLI_FLAG, AT(least_norm), 0, 0, 0, 0},
    {"on-unsolved", 0, "NAME", "after a step that is not solved: stop, halve it or go on", CLI_WORD,
     AT(unsolved), 0, 0, 0, unsolved_words},
    {"max-steps", 'n', "N", "steps at most; 0: no limit", CLI_COUNT, AT(max_steps), 0, INT_MAX,
     "a whole number >= 0", 0},
    {"time-limit", 0, "SECONDS", "of computing; then what was simulated is reported; 0: no limit",
     CLI_NUMBER, AT(time_limit), 0, DBL_MAX, "a number >= 0", 0},
    {"step-limit", 0, "SECONDS",
     "of computing for one step, then not solved; 0: no limit; a clock decides, not the problem",
     CLI_NUMBER, AT(step_limit), 0, DBL_MAX, "a number >= 0", 0},
    {"any-size", 0, NULL, "try what will likely not fit into the memory there is", CLI_FLAG,
     AT(any_size), 0, 0, 0, 0},
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
     CLI_TEXT, AT(dump.step), 0, 0, 0, 0},
    {"dump-every", 0, "N DIR",
     "write that of every N-th step to DIR, as a collection of FCLIB files for bench", CLI_PAIR,
     AT(dump.every), 0, 0, 0, 0},
    {"dump-when", 0, "NAME>=X:FILE",
     "write that of the first step with contacts>=X (active, solves, margin, ...) and end there",
     CLI_TEXT, AT(watch.dump_when), 0, 0, 0, 0},
    {"certify", 0, NULL, "ask criterion (A) of the problem of every step", CLI_FLAG,
     AT(watch.certify), 0, 0, 0, 0},
    {"clock", 0, NULL, "keep in FILE what every step took; runs of one scene then differ in that",
     CLI_FLAG, AT(clock), 0, 0, 0, 0},
    {"times", 0, "FILE", "write what every step took, its contacts and subproblems to FILE (.csv)",
     CLI_WRITE, AT(watch.times), 0, 0, 0, 0},
    {"dump-unsolved", 0, "DIR", "write each problem that is not solved to DIR/step-N.hdf5",
     CLI_TEXT, AT(dump.unsolved), 0, 0, 0, 0},
};
#undef AT

typedef struct simulate_job {
  simulate_options o;
  ss_setting settings[CLI_SETTINGS_MAX];
  char *text;  // of the scene
  ss_scene *scene;
} simulate_job;

// ---- the scene --------------------------------------------------------------------------------

// The scenes, or the structures, that come with the library.
typedef const char *(*builtin_at)(int index, const char **about, const char **text);

static void print_builtins(builtin_at at) {
  const char *name, *about;
  for (int i = 0; (name = at(i, &about, NULL)); i++) printf("%-16s %s\n", name, about);
}

static json_t *builtins_json(cli_session *s, builtin_at at) {
  json_t *all = json_array();
  const char *name, *about;
  for (int i = 0; (name = at(i, &about, NULL)); i++) {
    json_t *row = json_object();
    cli_put(s, row, "name", json_string(name));
    cli_put(s, row, "about", json_string(about));
    cli_append(s, all, row);
  }
  return all;
}

static int list_scenes(cli_session *s) {
  if (s->json) {
    json_t *object = cli_object(s);
    cli_put(s, object, "scenes", builtins_json(s, ss_scene_builtin));
    cli_put(s, object, "mechanisms", cli_mechanisms_json(s));
    cli_put(s, object, "elastic", builtins_json(s, ss_march_builtin));
    return cli_print_json(s, object, CLI_DONE);
  }
  char scenes_by_event[1000];
  print_builtins(ss_scene_builtin);
  printf("\nmechanisms, from event to event or in steps (--scheme); --list NAME has their "
         "parameters:\n\n");
  cli_list_mechanisms();
  if (!cli_evolve_scenes(s, scenes_by_event, sizeof scenes_by_event))
    return cli_fail(s, CLI_RESOURCES, "out of memory");
  printf("\nscenes that go from event to event, too (--scheme events): %s\n", scenes_by_event);
  printf("\nelastic bodies and structures:\n\n");
  print_builtins(ss_march_builtin);
  return CLI_DONE;
}

static int open_scene(cli_session *s, const char *path, simulate_job *j) {
  ss_error e = ss_scene_parse(&s->ctx, cli_display_name(path), j->text, strlen(j->text), &j->scene);
  return e ? cli_fail_library(s, path, e) : CLI_GO_ON;
}

// In the text, which the run file keeps.
static int set_contact_map(cli_session *s, simulate_job *j) {
  char set[100];
  if (j->o.contact_map < 0) return CLI_GO_ON;
  snprintf(set, sizeof set, "/stepping/contact_map=%s", contact_map_words[j->o.contact_map]);
  return cli_scene_change(s, set, &j->text);
}

static int set_least_norm(cli_session *s, simulate_job *j) {
  return j->o.least_norm ? cli_scene_change(s, "/stepping/least_norm=true", &j->text) : CLI_GO_ON;
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
  c->stepping.limit_s = o->step_limit;
}

// ---- dumps ------------------------------------------------------------------------------------

static int check_dumps(cli_session *s, simulate_job *j, const char *scene) {
  int status = cli_dump_check(s, &j->o.dump, scene, j->o.resume);
  return status == CLI_GO_ON ? cli_watch_check(s, &j->o.watch) : status;
}

static int check_output(cli_session *s, const simulate_options *o) {
  if (o->resume && !o->output)
    return cli_fail(s, CLI_USAGE, "simulate: --resume needs the run file: -o FILE");
  if (o->resume && o->overwrite)
    return cli_fail(s, CLI_USAGE, "simulate: --resume and --overwrite exclude each other");
  if (o->clock && !o->output)
    return cli_fail(s, CLI_USAGE, "simulate: --clock needs the run file: -o FILE");
  if (!o->output) return CLI_GO_ON;
  if (cli_format_by_ending(o->output) != SS_FORMAT_FCLIB)  // the ending of HDF5 files
    return cli_fail(s, CLI_USAGE, "-o %s: expected a name ending in .h5 or .hdf5", o->output);
  return CLI_GO_ON;
}

// ---- the run ----------------------------------------------------------------------------------

// What only scenes of rigid bodies have; NULL: none of it was given.
static const char *rigid_option(const simulate_options *o) {
  return o->drift >= 0         ? "--drift"
         : o->contact_map >= 0 ? "--contact-map"
         : o->least_norm       ? "--least-norm"
         : o->resume           ? "--resume"
         : o->check            ? "--check"
         : o->save_every > 0   ? "--save-every"
         : o->step_limit > 0   ? "--step-limit"
         : o->dump.every.first ? "--dump-every"
         : o->dump.unsolved    ? "--dump-unsolved"
         : o->watch.dump_when  ? "--dump-when"
         : o->watch.certify    ? "--certify"
         : o->watch.times      ? "--times"
         : o->clock            ? "--clock"
                               : NULL;
}

// What only the stepping of scenes has.
static const char *stepping_option(const simulate_options *o, const cli_args *args) {
  return o->solver             ? "--solver"
         : o->unsolved >= 0    ? "--on-unsolved"
         : o->max_steps        ? "--max-steps"
         : o->dump.step        ? "--dump-step"
         : o->any_size         ? "--any-size"
         : rigid_option(o)     ? rigid_option(o)
         : args->setting_count ? "an option of a solver"
                               : NULL;
}

// A built-in mechanism, or a scene as one.
static int run_mechanism(cli_session *s, const simulate_job *j, const cli_args *args) {
  const simulate_options *o = &j->o;
  const char *name = args->operands[0];
  cli_evolve_request r = {.name = name,
                          .output = o->output,
                          .scene = j->scene,
                          .scene_text = j->text,
                          .own = &o->evolve,
                          .tol = o->tol,
                          .step = o->step,
                          .duration = o->duration,
                          .theta = o->theta,
                          .time_limit = o->time_limit,
                          .overwrite = o->overwrite};
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
  const char *other = rigid_option(o);
  if (!other && o->unsolved == SS_UNSOLVED_HALVE) other = "--on-unsolved halve";
  if (cli_evolve_asked(&o->evolve)) other = "--scheme";
  if (other) return cli_fail(s, CLI_USAGE, "simulate: %s is for scenes of rigid bodies", other);
  int status = o->solver ? cli_method_check(s, o->solver) : CLI_GO_ON;
  if (status == CLI_GO_ON) status = check_dumps(s, j, args->operands[0]);
  const char *method = o->solver ? o->solver : ss_options_default().method;
  if (status == CLI_GO_ON) status = cli_settings_check(s, method, args, j->settings);
  if (status != CLI_GO_ON) return status;
  cli_march_request r = {.name = args->operands[0],
                         .text = j->text,
                         .output = o->output,
                         .overwrite = o->overwrite,
                         .any_size = o->any_size,
                         .solver = o->solver,
                         .tol = o->tol,
                         .step = o->step,
                         .duration = o->duration,
                         .theta = o->theta,
                         .time_limit = o->time_limit,
                         .unsolved = o->unsolved,
                         .max_steps = o->max_steps,
                         .threads = o->threads,
                         .dump_file = o->dump.file,
                         .dump_at = o->dump.at,
                         .settings = j->settings,
                         .setting_count = args->setting_count};
  return cli_march(s, &r);
}

static int run_scene(cli_session *s, simulate_job *j, const cli_args *args) {
  int status;
  if (j->o.solver && (status = cli_method_check(s, j->o.solver)) != CLI_GO_ON) return status;
  if ((status = check_dumps(s, j, args->operands[0])) != CLI_GO_ON) return status;
  if ((status = check_output(s, &j->o)) != CLI_GO_ON) return status;
  if ((status = set_contact_map(s, j)) != CLI_GO_ON) return status;
  if ((status = set_least_norm(s, j)) != CLI_GO_ON) return status;
  if ((status = open_scene(s, args->operands[0], j)) != CLI_GO_ON) return status;
  const char *method = j->o.solver ? j->o.solver : j->scene->solver.method;
  if ((status = cli_settings_check(s, method, args, j->settings)) != CLI_GO_ON) return status;
  override(j, args->setting_count);
  status = cli_memory_check(s, ss_scene_memory(j->scene), "the simulation", j->o.any_size);
  if (status != CLI_GO_ON) return status;
  if (j->o.check) return cli_scene_report(s, j->scene);
  simulate_options *o = &j->o;
  cli_scene_request r = {.scene = j->scene,
                         .text = j->text,
                         .output = o->output,
                         .resume = o->resume,
                         .overwrite = o->overwrite,
                         .clock = o->clock,
                         .save_every = o->save_every,
                         .time_limit = o->time_limit,
                         .max_steps = o->max_steps,
                         .dump = &o->dump,
                         .watch = &o->watch};
  return cli_run_scene(s, &r);
}

static int run_scene_as_mechanism(cli_session *s, simulate_job *j, const cli_args *args) {
  int status = open_scene(s, args->operands[0], j);
  return status == CLI_GO_ON ? run_mechanism(s, j, args) : status;
}

static int run(cli_session *s, const cli_command *self, int argc, char **argv) {
  simulate_job j = {.o = {.drift = -1, .contact_map = -1, .unsolved = -1, .evolve = {-1, -1, -1}}};
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
  ss_scene_close(j.scene);
  free(j.text);
  return status;
}

static int count_builtins(builtin_at at) {
  int count = 0;
  while (at(count, NULL, NULL)) count++;
  return count;
}

static const char *scene_name(int i) {  // rigid, elastic, then mechanisms
  int rigid = count_builtins(ss_scene_builtin), elastic = count_builtins(ss_march_builtin);
  if (i < rigid) return ss_scene_builtin(i, NULL, NULL);
  if (i < rigid + elastic) return ss_march_builtin(i - rigid, NULL, NULL);
  return ss_machine_name(i - rigid - elastic);
}

const cli_command cmd_simulate = {
    .name = "simulate",
    .operands = "SCENE|NAME",
    .summary = "simulate rigid and elastic bodies and mechanisms with contact and friction",
    .about =
        "SCENE is a JSON file (docs/scenes.md, of elastic bodies docs/elastic.md), NAME one of "
        "the\n"
        "built-in scenes or mechanisms (--list)\n"
        "exit status: 0 every step solved, 1 some step not solved, or only accepted, 2 wrong "
        "usage, 3 bad input,\n"
        "4 out of memory or disk, or interrupted (what was simulated is still reported)\n",
    .operands_min = 0,
    .operands_max = 1,
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .method_options = true,
    .operand_name = scene_name,
    .run = run,
};
