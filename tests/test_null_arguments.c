// Every function of the library with each pointer NULL in turn, and with none: an error or nothing at all, never a crash.
// Once with a problem and a scene of something, once with those of nothing, arrays NULL: no contacts, no bodies; and once
// with bodies that nothing touches.
#define _POSIX_C_SOURCE 200809L
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "good_arguments.h"
#include "harness.h"

void *good_ss_context, *good_ss_problem, *good_ss_scene, *good_ss_shape, *good_ss_simulation,
    *good_ss_run, *good_ss_run_writer, *good_ss_solver, *good_ss_certificate, *good_ss_detector,
    *good_ss_atlas_known, *good_ss_file, *good_ss_template, *good_ss_machine, *good_ss_mechanism,
    *good_ss_evolution, *good_ss_trajectory, *good_ss_mesh, *good_ss_elastic, *good_ss_structure,
    *good_ss_march, *good_ss_march_record, *good_ss_atlas, *good_ss_trace, *good_ss_instant,
    *good_ss_options, *good_ss_solution_set, *good_ss_derivative;

static char folder[64], text_path[100], run_path[100], writer_path[100], template_path[100];
static int failures, calls;

// ---- one call ---------------------------------------------------------------------------------

const char *good_text(void) {
  return text_path;
}

void *good_room(void) {
  static max_align_t room[8][1024];
  static int turn;
  turn = (turn + 1) % 8;
  return memset(room[turn], 0, sizeof room[turn]);
}

void try_here(const char *function) {
  calls++;
  print_message("%s without a context\n", function);  // the last one said is the one that crashes
}

enum { CHILD_SUCCEEDED = 3, CHILD_LEAKED = 4 };

int __lsan_do_recoverable_leak_check(void)
    __attribute__((weak));  // of AddressSanitizer, where there is one

bool try_begin(void) {
  calls++;
  fflush(NULL);
  pid_t child = fork();
  assert_true(child >= 0);
  if (child != 0) return false;
  const int caught[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS};  // by cmocka
  for (size_t k = 0; k < sizeof caught / sizeof *caught; k++) signal(caught[k], SIG_DFL);
  alarm(20);
  return true;
}

// What failed has kept nothing; what it was called with is still held by the names above.
void try_leave(bool must_fail, int error) {
  if (error != SS_OK && __lsan_do_recoverable_leak_check && __lsan_do_recoverable_leak_check())
    _exit(CHILD_LEAKED);
  _exit(must_fail && error == SS_OK ? CHILD_SUCCEEDED : 0);
}

void try_end(const char *function, const char *argument) {
  int status;
  assert_true(wait(&status) > 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
  failures++;
  int left = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  print_error("%s: %s is NULL: %s\n", function, *argument ? argument : "nothing",
              left == CHILD_SUCCEEDED ? "no error"
              : left == CHILD_LEAKED  ? "failed, and something is left in memory"
                                      : "ended by a crash, a sanitizer or the clock");
}

// ---- the others -------------------------------------------------------------------------------

static void must(ss_error e) {
  if (e) fail_msg("%s", ((ss_context *)good_ss_context)->message);
}

static void write_text(const char *path, const char *text) {
  FILE *f = fopen(path, "w");
  assert_non_null(f);
  fputs(text, f);
  fclose(f);
}

typedef enum extent { NOTHING, BODIES, SOMETHING } extent;

static ss_problem *problem_of(extent what) {
  static const double W[] = {2, 0, 0, 1}, q[] = {-1, 0.5}, mu[] = {0.3};
  static const int64_t ptr[] = {0, 2, 4}, none[] = {0};
  static const int col[] = {0, 1, 0, 1};
  static ss_problem p;
  p = (ss_problem){.dim = 2, .form = SS_REDUCED};
  if (what == SOMETHING) p.nc = 1, p.mu = mu, p.q = q, p.W = (ss_sparse){2, 2, ptr, col, W};
  if (what == BODIES) {
    p.form = SS_GLOBAL, p.ndof = 2, p.f = q, p.M = (ss_sparse){2, 2, ptr, col, W};
    p.H = (ss_sparse){0, 2, none, NULL, NULL};
  }
  return &p;
}

static const char SCENE[] =
    "{\"materials\": [{\"name\": \"m\", \"mu\": 0.3}], \"externals\": [{\"shape\": {\"kind\": "
    "\"plane\"}}], \"stepping\": {\"step\": 0.01, \"duration\": 0.05}, \"bodies\": [%s]}";
static const char SPHERE[] =
    "{\"shape\": {\"kind\": \"sphere\", \"radius\": 0.1}, \"position\": [0, 0, 0.1]}";

static void make_scene(ss_context *ctx, bool something) {
  static char text[1000];
  snprintf(text, sizeof text, SCENE, something ? SPHERE : "");
  must(ss_scene_parse(ctx, "scene", text, strlen(text), (ss_scene **)&good_ss_scene));
  must(ss_simulation_create(ctx, good_ss_scene, (ss_simulation **)&good_ss_simulation));
  ss_run_options o = {.mode = SS_RUN_OVERWRITE};
  ss_step_info info;
  ss_run_writer *w;
  must(ss_run_begin(ctx, run_path, good_ss_scene, text, good_ss_simulation, &o, &w));
  must(ss_simulation_step(good_ss_simulation, &info));
  must(ss_run_append(w, good_ss_simulation, &info));
  must(ss_run_finish(w, good_ss_simulation));
  ss_run_end(w);
  must(ss_run_open(ctx, run_path, (ss_run **)&good_ss_run));
  must(ss_run_begin(ctx, writer_path, good_ss_scene, text, good_ss_simulation, &o,
                    (ss_run_writer **)&good_ss_run_writer));
}

static void make_machine(ss_context *ctx) {
  ss_machine *m;
  must(ss_machine_build(ctx, "bouncing-ball", NULL, 0, &m));
  good_ss_machine = m, good_ss_mechanism = &m->mechanism;
  must(ss_evolution_create(ctx, &m->mechanism, &m->options, m->t, m->q, m->v,
                           (ss_evolution **)&good_ss_evolution));
  must(ss_trajectory_create(ctx, &m->mechanism, m->order, m->state_name,
                            (ss_trajectory **)&good_ss_trajectory));
  must(ss_trajectory_append(good_ss_trajectory, good_ss_evolution));
  must(ss_mechanism_instant(ctx, &m->mechanism, m->t, m->q, m->v, (ss_instant **)&good_ss_instant));
}

static ss_march_file *elastic_file;  // which what is made of it borrows from

static void make_elastic(ss_context *ctx) {
  const char *text;
  ss_march_file *file;
  assert_non_null(ss_march_builtin(0, NULL, &text));
  for (int k = 0; ss_march_builtin(k, NULL, &text); k++) {
    must(ss_march_file_parse(ctx, "builtin", ".", text, strlen(text), &file));
    if (file->elastic) break;
    ss_march_file_close(file);
    file = NULL;
  }
  assert_non_null(file);
  ss_elastic *e;
  must(ss_elastic_build(ctx, &file->scene, &e));
  good_ss_elastic = e, good_ss_structure = (void *)&e->structure;
  must(ss_march_create(ctx, &e->structure, &file->stepping, (ss_march **)&good_ss_march));
  must(ss_march_record_create(ctx, &e->structure, e, (ss_march_record **)&good_ss_march_record));
  good_ss_mesh = e->mesh;
  elastic_file = file;
}

static ss_error build_plane(void *user, ss_context *ctx, double x, double y, ss_problem **out) {
  (void)user;
  ss_model_setting s = {"mu", NULL, 0.5 + 0.1 * x + 0 * y};
  return ss_model_build(ctx, "klarbring", &s, 1, out);
}

static void make_maps(ss_context *ctx) {
  ss_atlas_options o = ss_atlas_options_default();
  o.x = (ss_atlas_axis){.from = 0, .to = 1, .cells = 2};
  o.y = o.x;
  must(ss_atlas_create(ctx, &o, build_plane, NULL, (ss_atlas **)&good_ss_atlas));
}

static void make_solver(ss_context *ctx) {
  static ss_options options;
  options = ss_options_default();
  good_ss_options = &options;
  must(ss_solver_create(ctx, good_ss_problem, &options, (ss_solver **)&good_ss_solver));
  must(ss_certify(ctx, good_ss_problem, NULL, (ss_certificate **)&good_ss_certificate));
  must(ss_enumerate(ctx, good_ss_problem, NULL, (ss_solution_set **)&good_ss_solution_set));
  static double r[2];
  ss_info info;
  must(ss_solve(good_ss_solver, r, NULL, NULL, NULL, &info));
  must(ss_derivative_create(ctx, good_ss_problem, &(ss_solution){.r = r}, NULL,
                            (ss_derivative **)&good_ss_derivative));
}

static void make_all(extent what) {
  static ss_context ctx;
  static ss_file file;
  good_ss_context = &ctx;
  good_ss_problem = problem_of(what);
  file = (ss_file){.problem = *(ss_problem *)good_ss_problem};
  good_ss_file = &file;
  must(ss_shape_sphere(&ctx, 3, 1, (ss_shape **)&good_ss_shape));
  must(ss_detector_create(&ctx, 3, NULL, (ss_detector **)&good_ss_detector));
  must(ss_atlas_known_create(&ctx, (ss_atlas_known **)&good_ss_atlas_known));
  must(ss_template_open(&ctx, template_path, (ss_template **)&good_ss_template));
  make_solver(&ctx);
  make_scene(&ctx, what == SOMETHING);
  make_machine(&ctx);
  make_elastic(&ctx);
  make_maps(&ctx);
}

static void release_all(void) {
  ss_atlas_destroy(good_ss_atlas);
  ss_march_record_destroy(good_ss_march_record);
  ss_march_destroy(good_ss_march);
  ss_elastic_destroy(good_ss_elastic);
  ss_march_file_close(elastic_file);
  ss_mechanism_instant_destroy(good_ss_instant);
  ss_trajectory_destroy(good_ss_trajectory);
  ss_evolution_destroy(good_ss_evolution);
  ss_machine_destroy(good_ss_machine);
  ss_run_end(good_ss_run_writer);
  ss_run_close(good_ss_run);
  ss_simulation_destroy(good_ss_simulation);
  ss_scene_close(good_ss_scene);
  ss_derivative_destroy(good_ss_derivative);
  ss_solution_set_destroy(good_ss_solution_set);
  ss_certificate_destroy(good_ss_certificate);
  ss_solver_destroy(good_ss_solver);
  ss_template_close(good_ss_template);
  ss_detector_destroy(good_ss_detector);
  ss_atlas_known_destroy(good_ss_atlas_known);
  ss_shape_destroy(good_ss_shape);
}

// ---- tests ------------------------------------------------------------------------------------

static int begin(void **state) {
  (void)state;
  strcpy(folder, "/tmp/stickslip-null-XXXXXX");
  if (!mkdtemp(folder)) return -1;
  snprintf(text_path, sizeof text_path, "%s/text.svg", folder);
  snprintf(run_path, sizeof run_path, "%s/run.h5", folder);
  snprintf(writer_path, sizeof writer_path, "%s/writer.h5", folder);
  snprintf(template_path, sizeof template_path, "%s/template.json", folder);
  write_text(text_path, "neither a problem nor a scene\n");
  write_text(
      template_path,
      "{\"parameters\": {\"a\": 1}, \"dim\": 2, \"mu\": [0.5], \"W\": [[1, 0], [0, 1]], \"q\": "
      "[\"=-a\", 0]}");
  return 0;
}

static int end(void **state) {
  (void)state;
  char command[128];
  snprintf(command, sizeof command, "rm -rf %s", folder);
  return system(command);
}

static void each_pointer_in_turn(void **state) {
  (void)state;
  make_all(SOMETHING);
  try_all();
  release_all();
  print_message("%d calls\n", calls);
  assert_true(calls > 300);
  assert_int_equal(failures, 0);
}

static void each_pointer_in_turn_of_nothing(void **state) {
  (void)state;
  for (extent what = NOTHING; what <= BODIES; what++) {
    failures = 0;
    make_all(what);
    try_all();
    release_all();
    assert_int_equal(failures, 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_pointer_in_turn),
      cmocka_unit_test(each_pointer_in_turn_of_nothing),
  };
  return cmocka_run_group_tests(tests, begin, end);
}
