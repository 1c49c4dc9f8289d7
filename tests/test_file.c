// io/file.c: formats told apart by content, bad files named, writing all or nothing.
#define _XOPEN_SOURCE 700
#include "harness.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "la/sparse.h"
#include "same_problem.h"
#include "stickslip/io.h"
#include "stickslip/scene.h"
#include "stickslip/template.h"

#define GLOBAL                                                                                     \
  "{\"dim\":2,\"mu\":[0.3,0.5],\"M\":[[2,0.1],[0.1,3]],\"f\":[0.5,1],"                             \
  "\"H\":{\"rows\":4,\"cols\":2,\"i\":[0,1,2,3,3],\"j\":[0,1,0,0,1],\"x\":[1,0,-2,1e-300,5]},"     \
  "\"w\":[0,-0.0,3,4],\"G\":[[1],[2]],\"b\":[7],\"title\":\"two contacts\","                       \
  "\"solution\":{\"r\":[1,2,3,4],\"u\":[0,0,0,0],\"v\":[1,2],\"l\":[3]}}"
#define REDUCED                                                                                    \
  "{\"dim\":2,\"mu\":[1],\"W\":[[2,1],[1,2]],\"q\":[1,-2],\"V\":[[1],[0]],\"R\":[[4]],\"s\":[5]}"
#define TURNED                                                                                     \
  "{\"dim\":2,\"mu\":[1],\"normals\":[[0.6,0.8]],\"W\":[[2,1],[1,2]],\"q\":[1,-2],"                \
  "\"solution\":{\"r\":[1,2]}}"

static char folder[] = "/tmp/stickslip-file-XXXXXX";
static ss_context ctx;

static int set_up(void **state) {
  (void)state;
  return mkdtemp(folder) ? 0 : -1;
}

static int tear_down(void **state) {
  (void)state;
  char command[128];
  snprintf(command, sizeof command, "rm -r %s", folder);
  return system(command);
}

static char *in_folder(const char *name) {  // valid until the eighth call after this one
  static char paths[8][256];
  static int next;
  char *path = paths[next++ % 8];
  snprintf(path, sizeof paths[0], "%s/%s", folder, name);
  return path;
}

static char *put_bytes(const char *name, const void *bytes, size_t size) {
  char *path = in_folder(name);
  FILE *out = fopen(path, "wb");
  assert_non_null(out);
  fwrite(bytes, 1, size, out);
  assert_int_equal(fclose(out), 0);
  return path;
}

static char *put(const char *name, const char *text) {
  return put_bytes(name, text, strlen(text));
}

static ss_file *open_ok(const char *path) {
  ss_file *f = NULL;
  if (ss_file_open(&ctx, path, NULL, &f)) fail_msg("%s", ctx.message);
  return f;
}

static void open_fails(const char *path, const ss_read_options *o, ss_error expected,
                       const char *text) {
  ss_file *f;
  ctx.message[0] = 0;
  ss_error e = ss_file_open(&ctx, path, o, &f);
  assert_null(f);
  if (e != expected || !strstr(ctx.message, text))
    fail_msg("%s: error %d: %s\nexpected %d: %s", path, e, ctx.message, expected, text);
}

static void assert_same(const ss_file *f, const ss_file *g) {
  assert_same_problem(&f->problem, &g->problem);
  assert_same_vector(f->solution.r, g->solution.r, f->problem.dim * f->problem.nc);
}

static void names(void **state) {
  (void)state;
  assert_string_equal(ss_format_name(SS_FORMAT_AUTO), "auto");
  assert_string_equal(ss_format_name(SS_FORMAT_FCLIB), "fclib");
  assert_string_equal(ss_format_name(SS_FORMAT_SICONOS), "siconos");
  assert_string_equal(ss_format_name(SS_FORMAT_MTX), "mtx");
  assert_string_equal(ss_format_name(SS_FORMAT_JSON), "json");
  assert_string_equal(ss_format_name((ss_format)77), "unknown");
}

// The name says nothing when reading: the same problem under misleading endings.
static void formats_are_told_apart_by_content(void **state) {
  (void)state;
  ss_file *json = open_ok(put("problem.hdf5", "\xef\xbb\xbf \n" GLOBAL));
  assert_int_equal(json->format, SS_FORMAT_JSON);
  assert_string_equal(json->title, "two contacts");

  ss_file *siconos = open_ok(put("problem.json", "2 1\n0 2 2\n2 2\n2 0 1 3\n0.5 -1\n0.7\n"));
  assert_int_equal(siconos->format, SS_FORMAT_SICONOS);
  assert_int_equal(siconos->problem.form, SS_REDUCED);
  assert_true(siconos->problem.W.x[1] == 1);  // column-major: W = [2 1; 0 3]
  ss_file_close(siconos);

  char *path = in_folder("made.h5"), *other = in_folder("really.txt");
  ss_error e = ss_file_write(&ctx, path, SS_FORMAT_AUTO, json);
  if (e == SS_ERR_UNSUPPORTED) {
    print_message("no HDF5 in this build\n");
  } else {
    assert_int_equal(e, SS_OK);
    assert_int_equal(rename(path, other), 0);
    ss_file *fclib = open_ok(other);
    assert_int_equal(fclib->format, SS_FORMAT_FCLIB);
    assert_same(json, fclib);
    ss_file_close(fclib);
  }
  ss_file_close(json);
}

static void every_written_format_keeps_every_bit(void **state) {
  (void)state;
  static const char *const outputs[] = {"out.json", "out.mtx", "out.h5", "out.hdf5"};
  static const char *const problems[] = {GLOBAL, REDUCED, TURNED};
  for (size_t p = 0; p < sizeof problems / sizeof *problems; p++)
    for (size_t k = 0; k < sizeof outputs / sizeof *outputs; k++) {
      assert_int_equal(mkdir(in_folder("sub"), 0777), 0);
      ss_file *f = open_ok(put("in", problems[p]));
      char name[64];
      snprintf(name, sizeof name, "sub/%s", outputs[k]);
      char *path = in_folder(name);
      ss_error e = ss_file_write(&ctx, path, SS_FORMAT_AUTO, f);
      if (e != SS_ERR_UNSUPPORTED) {
        if (e) fail_msg("%s", ctx.message);
        ss_file *back = open_ok(path);
        assert_same(f, back);
        assert_null(back->normals);  // written in contact frames
        ss_file_close(back);
      }
      ss_file_close(f);
      char command[300];
      snprintf(command, sizeof command, "rm -r %s", in_folder("sub"));
      assert_int_equal(system(command), 0);
    }
}

static void a_set_is_found_by_any_of_its_names(void **state) {
  (void)state;
  ss_file *f = open_ok(put("in", GLOBAL));
  assert_int_equal(mkdir(in_folder("set"), 0777), 0);
  assert_int_equal(ss_file_write(&ctx, in_folder("set/name.mtx"), SS_FORMAT_AUTO, f), SS_OK);
  static const char *const names[] = {"set", "set/name", "set/name.mtx", "set/name.M.mtx"};
  for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
    ss_file *g = open_ok(in_folder(names[k]));
    assert_int_equal(g->format, SS_FORMAT_MTX);
    assert_same(f, g);
    ss_file_close(g);
  }
  ss_file_close(f);
  assert_int_equal(mkdir(in_folder("bare"), 0777), 0);
  open_fails(in_folder("bare"), NULL, SS_ERR_READ, "is a folder without");
  open_fails(in_folder("nothing"), NULL, SS_ERR_READ, strerror(ENOENT));
}

static void what_is_no_problem_file_is_said(void **state) {
  (void)state;
  open_fails(put("x", ""), NULL, SS_ERR_FORMAT, "empty file");
  open_fails(put("x", " \n\t "), NULL, SS_ERR_FORMAT, "only white space");
  open_fails(put_bytes("x", "\x89PNG\r\n\x1a\n\0\0", 10), NULL, SS_ERR_FORMAT,
             "begins with bytes 89 50 4e 47 0d 0a 1a 0a");
  open_fails(put_bytes("x", "\x1f\x8b\x08\0", 4), NULL, SS_ERR_FORMAT, "gzip");
  open_fails(put_bytes("x", "\0\0\0\0", 4), NULL, SS_ERR_FORMAT, "begins with bytes 00 00 00 00");
  open_fails(put("x", "hello"), NULL, SS_ERR_FORMAT, "not recognised as");
  open_fails(put("x", "[1, 2]"), NULL, SS_ERR_FORMAT, "expected an object");
  open_fails("/nonexistent/file", NULL, SS_ERR_READ, "/nonexistent/file");
  ss_read_options forced = {.format = SS_FORMAT_JSON};
  open_fails(put("x", "2 1 0"), &forced, SS_ERR_FORMAT, "not valid JSON");
  open_fails(put("x", ""), &forced, SS_ERR_FORMAT, "empty file");
  open_fails(folder, &forced, SS_ERR_READ, "is a folder");
  forced.format = SS_FORMAT_SICONOS;
  open_fails(put("x", GLOBAL), &forced, SS_ERR_FORMAT, "x:1");
  char block[520] = {0};  // an HDF5 signature behind a user block, and nothing after it
  memcpy(block + 512, "\x89HDF\r\n\x1a\n", 8);
  ss_read_options isolated = {.isolate = true};
  ss_file *none;
  ss_error e = ss_file_open(&ctx, put_bytes("x", block, sizeof block), &isolated, &none);
  assert_true(e == SS_ERR_FORMAT || e == SS_ERR_UNSUPPORTED);
  assert_null(none);
}

// ---- long files --------------------------------------------------------------------------------

static size_t bytes_taken;

static void *take_counted(void *user, size_t bytes) {
  (void)user;
  bytes_taken += bytes;
  return malloc(bytes);
}

static void give_back(void *user, void *memory) {
  (void)user;
  free(memory);
}

// Makes `size` bytes of which only the first are there, as a file system keeps it.
static char *put_long(const char *name, const char *head, off_t size) {
  char *path = put(name, head);
  assert_int_equal(truncate(path, size), 0);
  return path;
}

// What it is not can be told from its first bytes: the other gigabytes are not read.
static void long_files_are_judged_by_their_heads(void **state) {
  (void)state;
  static const char *const heads[] = {"", "garbage", "{\"dim\":2,", "3\n2\n", "\x1f\x8b"};
  for (size_t k = 0; k < sizeof heads / sizeof *heads; k++) {
    char *path = put_long("long", heads[k], (off_t)3 << 30);
    ss_context counted = {.alloc = take_counted, .release = give_back};
    ss_file *f;
    ss_template *template;
    ss_scene *scene;
    bytes_taken = 0;
    assert_int_equal(ss_file_open(&counted, path, NULL, &f), SS_ERR_FORMAT);
    assert_int_equal(ss_template_open(&counted, path, &template), SS_ERR_FORMAT);
    assert_int_equal(ss_scene_open(&counted, path, &scene), SS_ERR_FORMAT);
    assert_true(bytes_taken < 10 << 20);
    remove(path);
  }
}

// A long head of white space, and HDF5 behind a user block of any power of two, are read on.
static void long_heads_are_no_judgement(void **state) {
  (void)state;
  size_t blanks = 200000, size = blanks + strlen(REDUCED);
  char *text = malloc(size);
  memset(text, '\n', blanks);
  memcpy(text + blanks, REDUCED, strlen(REDUCED));
  ss_file *f;
  if (ss_file_open(&ctx, put_bytes("blank.json", text, size), NULL, &f))
    fail_msg("%s", ctx.message);
  assert_int_equal(f->problem.nc, 1);
  free(text);
#ifdef SS_WITH_HDF5
  char *plain = in_folder("plain.hdf5"), *bytes = calloc(1, 1 << 20);
  assert_int_equal(ss_file_write(&ctx, plain, SS_FORMAT_AUTO, f), SS_OK);
  FILE *in = fopen(plain, "rb");
  size = (1 << 18) + fread(bytes + (1 << 18), 1, (1 << 20) - (1 << 18), in);
  fclose(in);
  ss_file *behind;
  ss_error e = ss_file_open(&ctx, put_bytes("behind.hdf5", bytes, size), NULL, &behind);
  if (e) fail_msg("%s", ctx.message);
  assert_int_equal(behind->problem.nc, 1);
  ss_file_close(behind);
  free(bytes);
#endif
  ss_file_close(f);
}

static void the_form_asked_for_must_be_there(void **state) {
  (void)state;
  char *path = put("x", REDUCED);
  ss_read_options o = {.form = SS_FORM_GLOBAL};
  open_fails(path, &o, SS_ERR_FORMAT, "holds the local form");
  o.form = SS_FORM_LOCAL;
  ss_file *f;
  assert_int_equal(ss_file_open(&ctx, path, &o, &f), SS_OK);
  ss_file_close(f);
}

static void arguments_are_checked(void **state) {
  (void)state;
  ss_file *f = NULL;
  ss_read_options o = {.format = (ss_format)9};
  assert_int_equal(ss_file_open(&ctx, NULL, NULL, &f), SS_ERR_ARGUMENT);
  assert_int_equal(ss_file_open(&ctx, "x", &o, &f), SS_ERR_ARGUMENT);
  assert_int_equal(ss_file_open(&ctx, "x", NULL, NULL), SS_ERR_ARGUMENT);
  assert_int_equal(ss_file_write(&ctx, "x", SS_FORMAT_JSON, NULL), SS_ERR_ARGUMENT);
  ss_file_close(NULL);
  ss_solution_close(NULL);
  f = open_ok(put("in", GLOBAL));
  assert_int_equal(ss_file_write(&ctx, in_folder("x.txt"), SS_FORMAT_AUTO, f), SS_ERR_ARGUMENT);
  assert_non_null(strstr(ctx.message, ".hdf5 .h5 .json .mtx .dat"));
  assert_int_equal(ss_file_write(&ctx, in_folder("x"), SS_FORMAT_SICONOS, f), SS_ERR_ARGUMENT);
  assert_int_equal(ss_file_write(&ctx, "-", SS_FORMAT_FCLIB, f), SS_ERR_ARGUMENT);
  for (const char *const *name = (const char *const[]){"x.mtx", "x.dat", NULL}; *name; name++)
    assert_int_equal(ss_solution_write(&ctx, in_folder(*name), SS_FORMAT_AUTO, f, &f->solution),
                     SS_ERR_ARGUMENT);
  ss_file broken = *f;
  broken.problem.nc = 3;
  assert_int_equal(ss_file_write(&ctx, in_folder("x.json"), SS_FORMAT_AUTO, &broken), SS_ERR_DATA);
  assert_int_equal(access(in_folder("x.json"), F_OK), -1);
  ss_file_close(f);
}

static void the_structure_is_checked(void **state) {
  (void)state;
  ss_file *f = open_ok(put("in", REDUCED));
  static const struct {
    int64_t ptr[3];
    int col[4];
    double x[4];
    const char *text;
  } bad[] = {
      {{0, 2, 4}, {0, 1, 0, 2}, {1, 2, 3, 4}, "W: row 1 has column 2, expected 0 to 1"},
      {{0, 2, 4}, {1, 0, 0, 1}, {1, 2, 3, 4}, "W: row 0 has column 0 after column 1"},
      {{0, 2, 4}, {0, 0, 0, 1}, {1, 2, 3, 4}, "column 0 after column 0"},
      {{0, 2, 4}, {-1, 0, 0, 1}, {1, 2, 3, 4}, "column -1"},
      {{1, 2, 4}, {0, 1, 0, 1}, {1, 2, 3, 4}, "rows start at entry 1, expected 0"},
      {{0, 2, 1}, {0, 1, 0, 1}, {1, 2, 3, 4}, "row 1 goes from entry 2 to 1"},
      {{0, 2, 4}, {0, 1, 0, 1}, {1, 2, NAN, 4}, "W: row 1, column 0 is nan"},
      {{0, 2, 4}, {0, 1, 0, 1}, {1, 2, 3, -INFINITY}, "W: row 1, column 1 is -inf"},
  };
  for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
    ss_file g = *f;
    g.problem.W = (ss_sparse){2, 2, bad[k].ptr, bad[k].col, bad[k].x};
    assert_int_equal(ss_file_write(&ctx, in_folder("x.json"), SS_FORMAT_AUTO, &g), SS_ERR_DATA);
    if (!strstr(ctx.message, bad[k].text)) fail_msg("%s, expected %s", ctx.message, bad[k].text);
  }
  ss_file g = *f;
  const double q[2] = {1, INFINITY};
  g.problem.q = q;
  assert_int_equal(ss_file_write(&ctx, in_folder("x.json"), SS_FORMAT_AUTO, &g), SS_ERR_DATA);
  assert_non_null(strstr(ctx.message, "q: entry 1 is inf"));
  g.problem.q = NULL;
  assert_int_equal(ss_file_write(&ctx, in_folder("x.json"), SS_FORMAT_AUTO, &g), SS_ERR_DATA);
  ss_file_close(f);
}

static void solutions_pass_through_json_and_fclib(void **state) {
  (void)state;
  ss_file *f = open_ok(put("in", TURNED));
  static const char *const outputs[] = {"s.json", "s.h5"};
  for (int k = 0; k < 2; k++)
    for (int isolate = 0; isolate < 2; isolate++) {
      char *path = in_folder(outputs[k]);
      ss_error e = ss_solution_write(&ctx, path, SS_FORMAT_AUTO, f, &f->solution);
      if (e == SS_ERR_UNSUPPORTED) continue;
      if (e) fail_msg("%s", ctx.message);
      ss_read_options o = {.isolate = isolate};
      ss_solution_file *s;
      if (ss_solution_open(&ctx, path, &o, f, &s)) fail_msg("%s", ctx.message);
      for (int i = 0; i < 2; i++) assert_near(s->solution.r[i], f->solution.r[i], 1e-15);
      assert_null(s->solution.u);
      ss_solution_close(s);
    }
  ss_solution_file *s;
  char *path = put("s", "{\"r\":[1,2]}");  // world axes, as in TURNED
  assert_int_equal(ss_solution_open(&ctx, path, NULL, f, &s), SS_OK);
  assert_near(s->solution.r[0], 0.6 + 1.6, 1e-15);
  assert_near(s->solution.r[1], 0.8 - 1.2, 1e-15);
  ss_solution_close(s);
  assert_int_equal(ss_solution_open(&ctx, put("s", "2 1 0"), NULL, f, &s), SS_ERR_FORMAT);
  assert_non_null(strstr(ctx.message, "expected a solution in JSON or FCLIB"));
  assert_null(s);
  ss_file_close(f);
}

static int files_in(const char *path) {
  DIR *d = opendir(path);
  assert_non_null(d);
  int count = 0;
  while (readdir(d)) count++;
  closedir(d);
  return count - 2;
}

// No room on the disk: every format fails cleanly and leaves what was there.
static void a_failed_write_leaves_the_old_file(void **state) {
  (void)state;
  ss_file *f = open_ok(put("in", GLOBAL));
  static const char *const outputs[] = {"full/x.json", "full/x.mtx", "full/x.h5"};
  assert_int_equal(mkdir(in_folder("full"), 0777), 0);
  struct rlimit before, small;
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
  small = (struct rlimit){.rlim_cur = 10, .rlim_max = before.rlim_max};
  void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
  for (int k = 0; k < 3; k++) {
    char *path = put(outputs[k], "old");
    setrlimit(RLIMIT_FSIZE, &small);
    ss_error e = ss_file_write(&ctx, path, SS_FORMAT_AUTO, f);
    setrlimit(RLIMIT_FSIZE, &before);
    assert_true(e == SS_ERR_WRITE || (k == 2 && e == SS_ERR_UNSUPPORTED));
    if (!strstr(ctx.message, "full/x") || strstr(ctx.message, ".part")) fail_msg("%s", ctx.message);
    char text[8] = "";
    FILE *in = fopen(path, "r");
    assert_int_equal(fread(text, 1, 7, in), 3);
    fclose(in);
    assert_string_equal(text, "old");
    assert_int_equal(files_in(in_folder("full")), 1);
    unlink(path);
  }
  signal(SIGXFSZ, handler);
  ss_file_close(f);
}

static void shared_problems_are_read(void **state) {
  (void)state;
  static const char *const names[] = {"oracles/problems/F1.json", "oracles/problems/G01.json"};
  for (int k = 0; k < 2; k++) {
    ss_file *f = open_ok(need_shared(names[k]));
    assert_int_equal(f->format, SS_FORMAT_JSON);
    ss_file_close(f);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names),
      cmocka_unit_test(formats_are_told_apart_by_content),
      cmocka_unit_test(every_written_format_keeps_every_bit),
      cmocka_unit_test(a_set_is_found_by_any_of_its_names),
      cmocka_unit_test(what_is_no_problem_file_is_said),
      cmocka_unit_test(long_files_are_judged_by_their_heads),
      cmocka_unit_test(long_heads_are_no_judgement),
      cmocka_unit_test(the_form_asked_for_must_be_there),
      cmocka_unit_test(arguments_are_checked),
      cmocka_unit_test(the_structure_is_checked),
      cmocka_unit_test(solutions_pass_through_json_and_fclib),
      cmocka_unit_test(a_failed_write_leaves_the_old_file),
      cmocka_unit_test(shared_problems_are_read),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
