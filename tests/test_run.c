// Run files: what is read is what was simulated; a run cut short anywhere goes on to the same file.
#define _POSIX_C_SOURCE 200809L
#include <hdf5.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness.h"
#include "stickslip/run.h"

static const char scene_text[] =
    "{\"dim\": 3, \"materials\": [{\"name\": \"m\", \"mu\": 0.3, \"restitution\": 0.2,"
    " \"density\": 1000}],"
    " \"bodies\": [{\"shape\": {\"kind\": \"box\", \"size\": [0.2, 0.2, 0.2]},"
    "   \"position\": [0, 0, 0.35]}],"
    " \"generators\": [{\"kind\": \"stack\", \"shape\": {\"kind\": \"sphere\", \"radius\": 0.1},"
    "   \"count\": 3, \"at\": [0.5, 0, 0.11], \"spacing\": [0, 0, 0.22]}],"
    " \"externals\": [{\"shape\": {\"kind\": \"plane\"}}],"
    " \"stepping\": {\"step\": 0.01, \"duration\": 0.4}, \"solver\": {\"tol\": 1e-10},"
    " \"output\": {\"every\": 3}}";
enum { STEPS = 40, EVERY = 3, BODIES = 4 };

static char folder[64];

static int make_folder(void **state) {
  (void)state;
  strcpy(folder, "/tmp/stickslip-run-XXXXXX");
  return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state) {
  (void)state;
  char command[128];
  snprintf(command, sizeof command, "rm -rf %s", folder);
  return system(command);
}

static const char *in_folder(const char *name) {
  static char path[2][160];
  static int turn;
  turn = 1 - turn;
  snprintf(path[turn], sizeof path[turn], "%s/%s", folder, name);
  return path[turn];
}

static bool exists(const char *path) {
  return access(path, F_OK) == 0;
}

typedef struct world {
  ss_context ctx;
  ss_scene *scene;
  ss_simulation *sim;
  ss_run_writer *writer;
} world;

static void build(world *w) {
  *w = (world){0};
  if (ss_scene_parse(&w->ctx, "test", scene_text, strlen(scene_text), &w->scene) ||
      ss_simulation_create(&w->ctx, w->scene, &w->sim))
    fail_msg("%s", w->ctx.message);
}

static void leave(world *w) {
  ss_run_end(w->writer);
  ss_simulation_destroy(w->sim);
  ss_scene_close(w->scene);
}

static ss_error begin(world *w, const char *path, ss_run_mode mode) {
  ss_run_options o = {.mode = mode};
  return ss_run_begin(&w->ctx, path, w->scene, scene_text, w->sim, &o, &w->writer);
}

static void step(world *w) {
  ss_step_info info;
  if (ss_simulation_step(w->sim, &info) || ss_run_append(w->writer, w->sim, &info))
    fail_msg("%s", w->ctx.message);
}

static void run_to_end(world *w) {
  while (!ss_simulation_done(w->sim)) step(w);
  if (ss_run_finish(w->writer, w->sim)) fail_msg("%s", w->ctx.message);
}

static void uninterrupted(const char *path) {
  world w;
  build(&w);
  assert_int_equal(begin(&w, path, SS_RUN_NEW), SS_OK);
  run_to_end(&w);
  leave(&w);
}

static size_t slurp(const char *path, unsigned char **out) {
  FILE *f = fopen(path, "rb");
  assert_non_null(f);
  fseek(f, 0, SEEK_END);
  size_t n = (size_t)ftell(f);
  rewind(f);
  *out = malloc(n + 1);
  assert_int_equal(fread(*out, 1, n, f), n);
  fclose(f);
  return n;
}

static void assert_same_file(const char *a, const char *b) {
  unsigned char *x, *y;
  size_t n = slurp(a, &x), m = slurp(b, &y);
  assert_int_equal(n, m);
  assert_memory_equal(x, y, n);
  free(x), free(y);
}

// ---- tests ---------------------------------------------------------------------------------

static void reads_back_what_was_simulated(void **state) {
  (void)state;
  world w;
  ss_run *run;
  const char *path = in_folder("back.h5");
  build(&w);
  assert_int_equal(begin(&w, path, SS_RUN_NEW), SS_OK);
  ss_pose poses[STEPS + 1][BODIES];
  int contacts[STEPS + 1];
  double energy[STEPS + 1];
  for (int k = 0; k <= STEPS; k++) {
    ss_sim_state s;
    ss_energy e;
    if (k > 0) step(&w);
    ss_simulation_state(w.sim, &s);
    ss_simulation_energy(w.sim, &e);
    memcpy(poses[k], s.pose, sizeof poses[k]);
    contacts[k] = s.contact_count, energy[k] = e.kinetic;
  }
  assert_true(ss_simulation_done(w.sim));
  assert_int_equal(ss_run_finish(w.writer, w.sim), SS_OK);
  assert_false(exists(in_folder("back.h5.parts")));
  assert_int_equal(ss_run_open(&w.ctx, path, &run), SS_OK);
  ss_run_size size = ss_run_get_size(run);
  assert_true(size.finished);
  assert_int_equal(size.bodies, BODIES);
  assert_int_equal(size.steps, STEPS);
  assert_int_equal(size.frames, STEPS / EVERY + 2);  // the start, every third, the end
  assert_string_equal(size.scene_text, scene_text);
  for (int64_t k = 0; k < size.frames; k++) {
    ss_run_frame f;
    int at = k == size.frames - 1 ? STEPS : (int)k * EVERY;
    assert_int_equal(ss_run_read_frame(run, k, &f), SS_OK);
    assert_int_equal(f.step, at);
    assert_int_equal(f.contact_count, contacts[at]);
    assert_memory_equal(f.pose, poses[at], sizeof poses[at]);
  }
  double column[STEPS];
  assert_int_equal(ss_run_read_steps(run, "kinetic", column), SS_OK);
  assert_memory_equal(column, energy + 1, sizeof column);
  assert_int_equal(ss_run_read_steps(run, "nonsense", column), SS_ERR_ARGUMENT);
  // a table that this run leaves out reads as zeros
  column[0] = 1;
  assert_int_equal(ss_run_read_steps(run, "work_element", column), SS_OK);
  assert_true(column[0] == 0);
  ss_run_frame f;
  assert_int_equal(ss_run_read_frame(run, size.frames, &f), SS_ERR_ARGUMENT);
  ss_run_close(run);
  leave(&w);
}

// Saved at some steps, abandoned after a few more, resumed: equal bytes.
static void resumes_to_the_same_file(void **state) {
  (void)state;
  uninterrupted(in_folder("whole.h5"));
  for (int saved = 0; saved < STEPS; saved += 7) {
    world w;
    const char *path = in_folder("cut.h5");
    build(&w);
    assert_int_equal(begin(&w, path, SS_RUN_OVERWRITE), SS_OK);
    for (int k = 0; k < saved; k++) {
      step(&w);
      if (k % 5 == 0 || k + 1 == saved) assert_int_equal(ss_run_save(w.writer, w.sim), SS_OK);
    }
    for (int k = 0; k < 3; k++) step(&w);  // lost
    leave(&w);
    build(&w);
    assert_int_equal(begin(&w, path, SS_RUN_RESUME), SS_OK);
    ss_sim_state s;
    ss_simulation_state(w.sim, &s);
    assert_int_equal(s.step, saved);
    run_to_end(&w);
    leave(&w);
    assert_same_file(in_folder("whole.h5"), in_folder("cut.h5"));
  }
}

static void parts_are_readable_while_it_runs(void **state) {
  (void)state;
  world w;
  ss_run *run;
  const char *path = in_folder("live.h5");
  build(&w);
  assert_int_equal(begin(&w, path, SS_RUN_NEW), SS_OK);
  assert_int_equal(ss_run_open(&w.ctx, path, &run), SS_ERR_READ);  // nothing saved yet
  for (int k = 0; k < 11; k++) {
    step(&w);
    if (k % 2) assert_int_equal(ss_run_save(w.writer, w.sim), SS_OK);
  }
  assert_true(ss_run_is_run(path));
  assert_int_equal(ss_run_open(&w.ctx, path, &run), SS_OK);
  ss_run_size size = ss_run_get_size(run);
  assert_false(size.finished);
  assert_int_equal(size.steps, 10);
  assert_int_equal(size.frames, 4);
  ss_run_frame f;
  assert_int_equal(ss_run_read_frame(run, 3, &f), SS_OK);
  assert_int_equal(f.step, 9);
  ss_run_close(run);
  leave(&w);
}

static void refuses_what_would_lose_something(void **state) {
  (void)state;
  world w;
  const char *path = in_folder("kept.h5");
  build(&w);
  assert_int_equal(begin(&w, path, SS_RUN_NEW), SS_OK);
  step(&w);
  assert_int_equal(ss_run_save(w.writer, w.sim), SS_OK);
  leave(&w);
  build(&w);
  assert_int_equal(begin(&w, path, SS_RUN_NEW), SS_ERR_WRITE);
  assert_non_null(strstr(w.ctx.message, "unfinished run"));
  ss_run_options o = {.mode = SS_RUN_RESUME};
  assert_int_equal(ss_run_begin(&w.ctx, path, w.scene, "{}", w.sim, &o, &w.writer), SS_ERR_DATA);
  assert_non_null(strstr(w.ctx.message, "another scene"));
  assert_int_equal(begin(&w, path, SS_RUN_RESUME), SS_OK);
  run_to_end(&w);
  leave(&w);
  build(&w);
  assert_int_equal(begin(&w, path, SS_RUN_NEW), SS_ERR_WRITE);
  assert_non_null(strstr(w.ctx.message, "finished"));
  FILE *f = fopen(path = in_folder("notes.h5"), "w");
  fputs("of another program", f);
  fclose(f);
  assert_int_equal(begin(&w, path, SS_RUN_NEW), SS_ERR_WRITE);
  assert_int_equal(begin(&w, path, SS_RUN_RESUME), SS_ERR_DATA);
  assert_non_null(strstr(w.ctx.message, "is no run"));
  assert_false(exists(in_folder("notes.h5.parts")));
  leave(&w);
}

// Ended at any step, also where only the end saved a frame, a run is extended to the bytes of a long one.
static void extends_a_finished_run(void **state) {
  (void)state;
  uninterrupted(in_folder("long.h5"));
  for (int steps = 10; steps < 10 + EVERY; steps++) {
    world w;
    const char *path = in_folder("extended.h5");
    unlink(path);
    build(&w);
    w.scene->stepping.duration = steps * w.scene->stepping.step;
    assert_int_equal(begin(&w, path, SS_RUN_NEW), SS_OK);
    run_to_end(&w);
    leave(&w);
    build(&w);
    w.scene->stepping.duration = steps * w.scene->stepping.step;
    assert_int_equal(begin(&w, path, SS_RUN_RESUME), SS_OK);  // nothing to do
    assert_true(ss_simulation_done(w.sim));
    assert_int_equal(ss_run_finish(w.writer, w.sim), SS_OK);
    leave(&w);
    for (int cut = 0; cut < 2; cut++) {  // the second time to the end
      build(&w);
      assert_int_equal(begin(&w, path, SS_RUN_RESUME), SS_OK);
      assert_false(ss_simulation_done(w.sim));
      for (int k = 0; k < 5; k++) step(&w);
      if (cut)
        run_to_end(&w);
      else
        assert_int_equal(ss_run_save(w.writer, w.sim), SS_OK);
      leave(&w);
    }
    assert_same_file(in_folder("long.h5"), in_folder("extended.h5"));
    assert_false(exists(in_folder("extended.h5.parts")));
  }
}

// A part that cannot be written: said, nothing lost, and it goes on once it can.
static void survives_a_folder_that_cannot_be_written(void **state) {
  (void)state;
  world w;
  const char *path = in_folder("full.h5");
  char parts[200], aside[210];
  snprintf(parts, sizeof parts, "%s.parts", path);
  snprintf(aside, sizeof aside, "%s.away", parts);
  uninterrupted(in_folder("whole2.h5"));
  build(&w);
  path = in_folder("full.h5");
  assert_int_equal(begin(&w, path, SS_RUN_NEW), SS_OK);
  step(&w);
  assert_int_equal(ss_run_save(w.writer, w.sim), SS_OK);
  assert_int_equal(rename(parts, aside), 0);
  FILE *f = fopen(parts, "w");  // a file where the folder was
  fclose(f);
  step(&w);
  assert_int_equal(ss_run_save(w.writer, w.sim), SS_ERR_WRITE);
  assert_int_equal(remove(parts), 0);
  assert_int_equal(rename(aside, parts), 0);
  run_to_end(&w);
  leave(&w);
  assert_same_file(in_folder("whole2.h5"), in_folder("full.h5"));
}

static void refuses_files_that_are_no_runs(void **state) {
  (void)state;
  ss_context ctx = {0};
  ss_run *run;
  const char *path = in_folder("text.h5");
  FILE *f = fopen(path, "w");
  fputs("not HDF5", f);
  fclose(f);
  assert_false(ss_run_is_run(path));
  assert_int_equal(ss_run_open(&ctx, path, &run), SS_ERR_READ);
  assert_null(run);
  assert_int_equal(ss_run_open(&ctx, in_folder("absent.h5"), &run), SS_ERR_READ);
}

// Bytes changed or cut anywhere: an error or the run, never a crash.
static void survives_damage(void **state) {
  (void)state;
  unsigned char *bytes;
  uninterrupted(in_folder("sound.h5"));
  size_t n = slurp(in_folder("sound.h5"), &bytes);
  const char *path = in_folder("damaged.h5");
  for (size_t cut = 0; cut < n; cut += n / 23 + 1) {
    FILE *f = fopen(path, "wb");
    assert_int_equal(fwrite(bytes, 1, cut, f), cut);
    fclose(f);
    ss_context ctx = {0};
    ss_run *run;
    assert_int_not_equal(ss_run_open(&ctx, path, &run), SS_OK);
    assert_null(run);
  }
  free(bytes);
}

// ---- files that nobody vouches for ------------------------------------------------------------

static void spill(const char *path, const unsigned char *bytes, size_t n) {
  FILE *f = fopen(path, "wb");
  assert_true(f && fwrite(bytes, 1, n, f) == n && fclose(f) == 0);
}

// Chunks of no rows: libhdf5 1.10.8 divides by their number as soon as the dataset is opened. In the file they are
// version 3, class 2, rank + 1, an address of 8 bytes, then the chunk's sides and the size of an element in 4 bytes each.
static int empty_chunks(unsigned char *bytes, size_t n) {
  int found = 0;
  for (size_t k = 0; k + 19 < n; k++) {
    unsigned char *side = bytes + k + 11, *element = side + 4;
    if (memcmp(bytes + k, "\3\2\2", 3) != 0 || memcmp(element, "\10\0\0\0", 4) != 0) continue;
    memset(side, 0, 4), found++;
  }
  return found;
}

static void what_crashes_libhdf5_is_an_error(void **state) {
  (void)state;
  ss_context ctx = {0};
  unsigned char *bytes;
  uninterrupted(in_folder("vouched.h5"));
  assert_int_equal(ss_run_check(&ctx, in_folder("vouched.h5")), SS_OK);
  size_t n = slurp(in_folder("vouched.h5"), &bytes);
  assert_true(empty_chunks(bytes, n) > 0);
  spill(in_folder("empty.h5"), bytes, n);
  assert_int_equal(ss_run_check(&ctx, in_folder("empty.h5")), SS_ERR_FORMAT);
  assert_non_null(strstr(ctx.message, "empty.h5"));
  assert_int_equal(ss_run_check(&ctx, in_folder("never.h5")), SS_OK);
  assert_int_equal(ss_run_check(&ctx, NULL), SS_ERR_ARGUMENT);
  free(bytes);
}

static void scene_of_another_file(hid_t file) {
  hid_t type = H5Tcopy(H5T_C_S1), line = H5Screate_simple(1, (hsize_t[]){1}, NULL);
  hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
  H5Tset_size(type, 10);
  H5Pset_external(creation, "/etc/passwd", 0, 10);
  H5Ldelete(file, "scene", H5P_DEFAULT);
  H5Dclose(H5Dcreate2(file, "scene", type, line, H5P_DEFAULT, creation, H5P_DEFAULT));
  H5Pclose(creation), H5Sclose(line), H5Tclose(type);
}

static void steps_of_another_file(hid_t file) {
  H5Ldelete(file, "steps", H5P_DEFAULT);
  H5Lcreate_external("own.h5", "/steps", file, "steps", H5P_DEFAULT, H5P_DEFAULT);
}

static void frames_by_a_name(hid_t file) {
  H5Lmove(file, "frames", file, "elsewhere", H5P_DEFAULT, H5P_DEFAULT);
  H5Lcreate_soft("/elsewhere", file, "frames", H5P_DEFAULT, H5P_DEFAULT);
}

static void a_thousand_million_bodies(hid_t file) {
  hid_t set = H5Dopen2(file, "bodies", H5P_DEFAULT);
  H5Dwrite(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, &(int){1000000000});
  H5Dclose(set);
}

static void names_in_a_file_lead_nowhere(void **state) {
  (void)state;
  static const struct {
    void (*change)(hid_t file);
    const char *said;
  } rows[] = {{scene_of_another_file, "other files"},
              {steps_of_another_file, "a link to another file"},
              {frames_by_a_name, "a soft link"},
              {a_thousand_million_bodies, "more than the file can hold"}};
  uninterrupted(in_folder("own.h5"));
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    ss_context ctx = {0};
    ss_run *run;
    unsigned char *bytes;
    size_t n = slurp(in_folder("own.h5"), &bytes);
    spill(in_folder("changed.h5"), bytes, n);
    free(bytes);
    hid_t file = H5Fopen(in_folder("changed.h5"), H5F_ACC_RDWR, H5P_DEFAULT);
    rows[k].change(file);
    assert_true(H5Fclose(file) >= 0);
    assert_int_equal(ss_run_open(&ctx, in_folder("changed.h5"), &run), SS_ERR_FORMAT);
    if (!strstr(ctx.message, rows[k].said)) fail_msg("%zu: %s", k, ctx.message);
  }
}

static void writes_for_paraview(void **state) {
  (void)state;
  ss_context ctx = {0};
  ss_run *run;
  uninterrupted(in_folder("pv.h5"));
  assert_int_equal(ss_run_open(&ctx, in_folder("pv.h5"), &run), SS_OK);
  if (ss_run_write_vtk(&ctx, run, in_folder("pv.pvd"), NULL, NULL)) fail_msg("%s", ctx.message);
  ss_run_close(run);
  unsigned char *text;
  size_t n = slurp(in_folder("pv.pvd"), &text);
  text[n] = 0;
  assert_non_null(strstr((char *)text, "file=\"pv/bodies_000000.vtu\""));
  assert_non_null(strstr((char *)text, "file=\"pv/contacts_000014.vtu\""));
  free(text);
  n = slurp(in_folder("pv/bodies_000003.vtu"), &text);
  text[n] = 0;
  // a box of 8 corners and 6 faces, three balls, a plane of 4 corners
  assert_non_null(strstr((char *)text, "NumberOfPoints=\"15\" NumberOfCells=\"10\""));
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reads_back_what_was_simulated),
      cmocka_unit_test(resumes_to_the_same_file),
      cmocka_unit_test(parts_are_readable_while_it_runs),
      cmocka_unit_test(refuses_what_would_lose_something),
      cmocka_unit_test(extends_a_finished_run),
      cmocka_unit_test(survives_a_folder_that_cannot_be_written),
      cmocka_unit_test(refuses_files_that_are_no_runs),
      cmocka_unit_test(survives_damage),
      cmocka_unit_test(what_crashes_libhdf5_is_an_error),
      cmocka_unit_test(names_in_a_file_lead_nowhere),
      cmocka_unit_test(writes_for_paraview),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
