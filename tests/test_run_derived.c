// io/run_derived.c: what a finished run file tells readers that know nothing of stickslip: names, masses, energies, forces.
#define _POSIX_C_SOURCE 200809L
#include <hdf5.h>
#include <unistd.h>

#include "harness.h"
#include "stickslip/run.h"

static const char scene_text[] =
    "{\"dim\": 3, \"materials\": [{\"name\": \"wood\", \"mu\": 0.3, \"density\": 500},"
    "   {\"name\": \"lead\", \"mu\": 0.5, \"restitution\": 0.2, \"density\": 11000}],"
    " \"bodies\": [{\"name\": \"block\", \"shape\": {\"kind\": \"box\", \"size\": [0.2, 0.3, 0.4]},"
    "   \"position\": [0, 0, 0.3], \"spin\": [1, 2, 3], \"material\": \"lead\"},"
    "  {\"shape\": {\"kind\": \"sphere\", \"radius\": 0.1}, \"position\": [1, 0, 0.1], \"mass\": "
    "2}],"
    " \"generators\": [{\"kind\": \"stack\", \"name\": \"pile of spheres\","
    "   \"shape\": {\"kind\": \"sphere\", \"radius\": 0.1},"
    "   \"count\": 2, \"at\": [0.5, 0, 0.11], \"spacing\": [0, 0, 0.22]}],"
    " \"externals\": [{\"name\": \"floor\", \"shape\": {\"kind\": \"plane\"}, \"material\": "
    "\"lead\"}],"
    " \"joints\": [{\"name\": \"pin\", \"kind\": \"ball\", \"a\": \"block\", \"b\": 1,"
    "   \"anchor\": [0.5, 0, 0.3]}],"
    " \"stepping\": {\"step\": 0.01, \"duration\": 0.3}, \"output\": {\"every\": 2}}";
enum { BODIES = 4 };

static char path[] = "/tmp/stickslip-derived-XXXXXX";
static hid_t file;

static int make_run(void **state) {
  (void)state;
  static ss_context ctx;
  ss_scene *scene;
  ss_simulation *sim;
  ss_run_writer *w;
  int fd = mkstemp(path);
  if (fd < 0 || close(fd)) return -1;
  if (ss_scene_parse(&ctx, "test", scene_text, strlen(scene_text), &scene) ||
      ss_simulation_create(&ctx, scene, &sim) ||
      ss_run_begin(&ctx, path, scene, scene_text, sim, NULL, &w))
    return print_error("%s\n", ctx.message), -1;
  ss_step_info info;
  while (!ss_simulation_done(sim))
    if (ss_simulation_step(sim, &info) || ss_run_append(w, sim, &info)) return -1;
  if (ss_run_finish(w, sim)) return print_error("%s\n", ctx.message), -1;
  ss_run_end(w), ss_simulation_destroy(sim), ss_scene_close(scene);
  file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  return file < 0 ? -1 : 0;
}

static int remove_run(void **state) {
  (void)state;
  H5Fclose(file);
  return unlink(path);
}

// All numbers of a dataset, and how many.
static double *numbers(const char *name, int *count) {
  hid_t set = H5Dopen2(file, name, H5P_DEFAULT), space = H5Dget_space(set);
  assert_true(set >= 0);
  *count = (int)H5Sget_simple_extent_npoints(space);
  double *x = malloc((size_t)(*count + 1) * sizeof *x);
  assert_true(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, x) >= 0);
  H5Sclose(space), H5Dclose(set);
  return x;
}

static void assert_texts(const char *name, int count, const char *const *expected) {
  hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
  assert_true(set >= 0);
  hid_t type = H5Dget_type(set), space = H5Dget_space(set);
  assert_int_equal(H5Sget_simple_extent_npoints(space), count);
  size_t size = H5Tget_size(type);
  char *text = calloc((size_t)count, size);
  assert_true(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0);
  for (int k = 0; k < count; k++) assert_string_equal(text + (size_t)k * size, expected[k]);
  free(text), H5Sclose(space), H5Tclose(type), H5Dclose(set);
}

static void assert_numbers(const char *name, int count, const double *expected) {
  int found;
  double *x = numbers(name, &found);
  assert_int_equal(found, count);
  for (int k = 0; k < count; k++) assert_near(x[k], expected[k], 1e-12 * fabs(expected[k]));
  free(x);
}

static void names_masses_and_materials(void **state) {
  (void)state;
  const double box = 11000 * 0.2 * 0.3 * 0.4, ball = 500 * 4.0 / 3 * 3.14159265358979323846 * 1e-3;
  assert_texts("body/name", BODIES,
               (const char *const[]){"block", "body 1", "pile of spheres.0", "pile of spheres.1"});
  assert_numbers("body/mass", BODIES, (double[]){box, 2, ball, ball});
  assert_numbers("body/material", BODIES, (double[]){1, 0, 0, 0});
  assert_texts("external/name", 1, (const char *const[]){"floor"});
  assert_numbers("external/material", 1, (double[]){1});
  assert_texts("material/name", 2, (const char *const[]){"wood", "lead"});
  assert_numbers("material/mu", 2, (double[]){0.3, 0.5});
  assert_numbers("material/restitution", 2, (double[]){0, 0.2});
  assert_numbers("material/density", 2, (double[]){500, 11000});
  assert_texts("joint/name", 1, (const char *const[]){"pin"});
  assert_texts("joint/kind", 1, (const char *const[]){"ball"});
  assert_numbers("joint/body", 2, (double[]){0, 1});
  int count;
  double *inertia = numbers("body/inertia", &count);
  assert_int_equal(count, 3 * BODIES);
  assert_near(inertia[3], 0.4 * 2 * 0.01, 1e-15);  // of the ball of 2 kg
  free(inertia);
}

static void energies_of_bodies_add_up(void **state) {
  (void)state;
  int count, steps, frames;
  double *each = numbers("frames/kinetic", &count), *all = numbers("steps/kinetic", &steps);
  double *step = numbers("frames/step", &frames);
  assert_int_equal(count, frames * BODIES);
  assert_true(frames > 10 && steps == 30);
  for (int k = 1; k < frames; k++) {
    double sum = 0;
    for (int b = 0; b < BODIES; b++) sum += each[k * BODIES + b];
    assert_near(sum, all[(int)step[k] - 1], 1e-12 * sum);
  }
  free(each), free(all), free(step);
}

static void forces_are_impulses_over_steps(void **state) {
  (void)state;
  int count, same, frames, steps;
  double *force = numbers("contacts/force", &count), *impulse = numbers("contacts/impulse", &same);
  double *contacts = numbers("frames/contacts", &frames), *step = numbers("frames/step", &frames);
  double *h = numbers("steps/h", &steps);
  assert_int_equal(count, same);
  assert_true(count > 30);
  int at = 0;
  for (int k = 0; k < frames; k++)
    for (int end = at + 3 * (int)contacts[k]; at < end; at++)
      assert_true(force[at] == (step[k] > 0 ? impulse[at] / h[(int)step[k] - 1] : 0));
  assert_int_equal(at, count);
  free(force), free(impulse), free(contacts), free(step), free(h);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_masses_and_materials),
      cmocka_unit_test(energies_of_bodies_add_up),
      cmocka_unit_test(forces_are_impulses_over_steps),
  };
  return cmocka_run_group_tests(tests, make_run, remove_run);
}
