// io/json_problem.c, json_value.c, json_write.c, frames.c: what the format promises, to the last bit,
// and a clear word about everything it does not allow.
#define _XOPEN_SOURCE 700
#include "harness.h"

#include <float.h>
#include <unistd.h>

#include "base/rng.h"
#include "budget.h"
#include "io/frames.h"
#include "io/reader.h"
#include "la/sparse.h"
#include "same_problem.h"

static char path[] = "/tmp/stickslip-json-XXXXXX";
static ssi_arena arena;
static ss_context ctx;
static int warnings;
static char warning[512];

static void count_warning(void *user, ss_level level, const char *text) {
  (void)user;
  if (level != SS_LOG_WARN) return;
  warnings++;
  snprintf(warning, sizeof warning, "%s", text);
}

static int set_up(void **state) {
  (void)state;
  ctx = (ss_context){.log = count_warning};
  arena = (ssi_arena){.ctx = &ctx};
  warnings = 0;
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  ssi_arena_release(&arena);
  return 0;
}

static ssi_source source(const char *text) {
  return (ssi_source){"file.json", text, strlen(text)};
}

static ss_error read_text(const char *text, ss_file *f) {
  ssi_source in = source(text);
  ss_error e = ssi_read_json(&ctx, &in, &arena, f);
  return e ? e : ssi_check_structure(&ctx, SS_ERR_FORMAT, in.name, f);
}

static void read_ok(const char *text, ss_file *f) {
  ss_error e = read_text(text, f);
  if (e) fail_msg("%s\nfor %s", ctx.message, text);
}

static void write_and_read(const ss_file *f, ss_file *back) {
  assert_int_equal(ssi_write_json(&ctx, path, f), SS_OK);
  ssi_source in;
  assert_int_equal(ssi_input_read(&ctx, path, &arena, &in), SS_OK);
  ss_error e = ssi_read_json(&ctx, &in, &arena, back);
  if (e) fail_msg("%s in\n%s", ctx.message, in.bytes);
}

// ---- reading --------------------------------------------------------------------------------

static void reads_the_global_form(void **state) {
  (void)state;
  ss_file f;
  read_ok("{\"dim\":2, \"mu\":[0.3], \"M\":[[1]], \"f\":[0.5], \"H\":[[0],[1]], \"w\":[0,-3]}", &f);
  assert_int_equal(f.problem.form, SS_GLOBAL);
  assert_int_equal(f.problem.nc, 1);
  assert_int_equal(f.problem.ndof, 1);
  assert_true(f.problem.mu[0] == 0.3 && f.problem.f[0] == 0.5 && f.problem.w[1] == -3);
  assert_int_equal(f.problem.H.ptr[1], 0);  // a zero in a row is no entry
  assert_int_equal(f.problem.H.ptr[2], 1);
  assert_null(f.normals);
  assert_null(f.solution.r);
}

static void reads_bilateral_parts_and_triplets(void **state) {
  (void)state;
  ss_file f;
  read_ok(
      "{\"dim\":2,\"mu\":[1],\"W\":{\"rows\":2,\"cols\":2,\"i\":[1,0,1],\"j\":[1,0,1],"
      "\"x\":[2,0,3]},\"q\":[1,2],\"V\":[[1],[0]],\"R\":[[4]],\"s\":[5],\"title\":\"a \\u00e9\"}",
      &f);
  assert_int_equal(f.problem.form, SS_REDUCED);
  assert_int_equal(f.problem.nl, 1);
  assert_int_equal(ssi_sparse_entries(&f.problem.W), 2);  // the stored zero stays
  assert_true(f.problem.W.x[0] == 0 && f.problem.W.x[1] == 5);
  assert_int_equal(warnings, 2);  // a duplicate, and not in order
  assert_string_equal(f.title, "a \xc3\xa9");
  read_ok("{\"dim\":3,\"mu\":[],\"M\":[[2]],\"f\":[1],\"H\":[],\"w\":[],\"G\":[[3]],\"b\":[4]}",
          &f);
  assert_int_equal(f.problem.nc, 0);
  assert_int_equal(f.problem.H.cols, 1);
  assert_true(f.problem.b[0] == 4 && f.problem.G.x[0] == 3);
}

static double number(const char *token) {
  char text[512];
  ss_file f;
  snprintf(text, sizeof text, "{\"dim\":2,\"mu\":[%s],\"W\":[[1,0],[0,1]],\"q\":[0,0]}", token);
  read_ok(text, &f);
  return f.problem.mu[0];
}

static void numbers_are_rounded_correctly(void **state) {
  (void)state;
  assert_true(number("\"3/5\"") == 3.0 / 5);
  assert_true(number("\"-0.25\"") == -0.25);
  assert_true(number("\"1/3\"") == 1.0 / 3);
  assert_true(number("\"-2/7\"") == -2.0 / 7);
  assert_true(number("\"0.1/0.3\"") == 1.0 / 3);  // the points are cleared: not 0.1 / 0.3
  assert_true(number("\"0/7\"") == 0);
  assert_true(signbit(number("\"-0/7\"")));
  assert_true(signbit(number("-0")));
  assert_true(signbit(number("-0.0")));
  assert_true(number("12345678901234567890123") == 12345678901234567890123.0);  // no int64
  assert_true(number("9007199254740993") == 9007199254740992.0);                // a tie, to even
  assert_true(number("\"9007199254740993\"") == 9007199254740992.0);
  assert_true(number("5e-324") == DBL_TRUE_MIN);
  assert_true(number("\"1e3\"") == 1000);
  // 2^53 + 1 over 1 is a tie; over 3, and with 19 digits, the quotient decides beyond the 53 bits
  assert_true(number("\"9007199254740993/1\"") == 9007199254740992.0);
  assert_true(number("\"9007199254740995/1\"") == 9007199254740996.0);
  assert_true(number("\"18014398509481987/2\"") == 9007199254740994.0);  // not ..992: no tie
  assert_true(number("\"9999999999999999999/9999999999999999998\"") == 1.0);
  assert_true(number("\"18446744073709551615/1\"") == 18446744073709551616.0);
}

// Against long division in the decimal system, which strtod then rounds: 40 digits decide.
static void fractions_agree_with_long_division(void **state) {
  (void)state;
  ssi_rng g = {7};
  for (int n = 0; n < 300; n++) {
    uint64_t q = (ssi_rng_next(&g) >> (5 + ssi_rng_below(&g, 50))) + 1;
    uint64_t p = (ssi_rng_next(&g) >> (5 + ssi_rng_below(&g, 50))) + 1;
    char token[64], decimal[128];
    snprintf(token, sizeof token, "\"%llu/%llu\"", (unsigned long long)p, (unsigned long long)q);
    int used = snprintf(decimal, sizeof decimal, "%llu.", (unsigned long long)(p / q));
    __extension__ unsigned __int128 rest = p % q;
    for (int k = 0; k < 60; k++) {
      rest *= 10;
      decimal[used++] = (char)('0' + (int)(rest / q));
      rest %= q;
    }
    decimal[used] = 0;
    assert_true(number(token) == strtod(decimal, NULL));
  }
}

// ---- frames ---------------------------------------------------------------------------------

static void random_unit(ssi_rng *g, int dim, double *e) {
  double length = 0;
  for (int k = 0; k < dim; k++) e[k] = 2 * ssi_rng_uniform(g) - 1;
  for (int k = 0; k < dim; k++) length += e[k] * e[k];
  for (int k = 0; k < dim; k++) e[k] /= sqrt(length);
}

static void frames_are_orthonormal(void **state) {
  (void)state;
  ssi_rng g = {3};
  for (int n = 0; n < 2000; n++) {
    int dim = 2 + n % 2;
    double e[3], Q[9];
    random_unit(&g, dim, e);
    if (n < 200) {  // near and on the axes
      int axis = ssi_rng_below(&g, dim);
      for (int k = 0; k < dim; k++) e[k] = k == axis ? 1 : n < 100 ? 0 : 1e-9 * e[k];
    }
    ssi_frame(dim, e, Q);
    for (int i = 0; i < dim; i++)
      for (int j = 0; j < dim; j++) {
        double dot = 0;
        for (int k = 0; k < dim; k++) dot += Q[dim * i + k] * Q[dim * j + k];
        assert_true(fabs(dot - (i == j)) <= 8 * DBL_EPSILON);
      }
    assert_memory_equal(Q, e, (size_t)dim * sizeof *e);
    double x[3], y[3];
    for (int k = 0; k < dim; k++) x[k] = y[k] = ssi_rng_uniform(&g);
    ssi_frames_to_contact(dim, 1, e, x);
    ssi_frames_to_world(dim, 1, e, x);
    for (int k = 0; k < dim; k++) assert_near(x[k], y[k], 1e-15);
  }
}

static void frames_follow_the_documented_rule(void **state) {
  (void)state;
  double Q[9];
  const double up[2] = {0, 1};
  ssi_frame(2, up, Q);
  assert_true(Q[2] == 1 && Q[3] == 0);
  const double z[3] = {0, 0, 1}, expected[9] = {0, 0, 1, 1, 0, 0, 0, 1, 0};
  ssi_frame(3, z, Q);
  for (int k = 0; k < 9; k++) assert_true(Q[k] == expected[k]);
  const double e[3] = {0.48, 0.6, 0.64};  // least aligned with x: t1 = (x - .48 e)/|.|
  ssi_frame(3, e, Q);
  double length = sqrt(1 - 0.48 * 0.48);
  for (int k = 0; k < 3; k++) assert_near(Q[3 + k], ((k == 0) - 0.48 * e[k]) / length, 1e-15);
  assert_near(Q[6], e[1] * Q[5] - e[2] * Q[4], 1e-15);
}

// H v + w in contact frames is the turned world velocity; W turns on both sides.
static void world_axes_become_contact_frames(void **state) {
  (void)state;
  ss_file f;
  read_ok("{\"dim\":2,\"mu\":[1,1],\"normals\":[[0.6,0.8],[\"-4/5\",0.6]],"
          "\"M\":[[1,0],[0,1]],\"f\":[0,0],\"H\":[[1,2],[3,4],[5,6],[7,8]],\"w\":[1,2,3,4],"
          "\"solution\":{\"r\":[1,0,0,1],\"note\":\"any\"},\"guesses\":[{\"r\":[0,0,1,1]}]}",
          &f);
  const double Q[2][4] = {{0.6, 0.8, 0.8, -0.6}, {-0.8, 0.6, 0.6, 0.8}};
  const double H[8] = {1, 2, 3, 4, 5, 6, 7, 8}, w[4] = {1, 2, 3, 4}, r[4] = {1, 0, 0, 1};
  for (int c = 0; c < 2; c++)
    for (int j = 0; j < 2; j++) {
      int row = 2 * c + j;
      const double *q = Q[c] + 2 * j;
      for (int col = 0; col < 2; col++) {
        double expected = q[0] * H[4 * c + col] + q[1] * H[4 * c + 2 + col];
        assert_near(f.problem.H.x[2 * row + col], expected, 1e-15);
      }
      assert_near(f.problem.w[row], q[0] * w[2 * c] + q[1] * w[2 * c + 1], 1e-15);
      assert_near(f.solution.r[row], q[0] * r[2 * c] + q[1] * r[2 * c + 1], 1e-15);
    }
  assert_near(f.guesses[0].r[2], -0.2, 1e-15);
  assert_near(f.normals[2], -0.8, 1e-15);

  ss_file g;
  read_ok("{\"dim\":2,\"mu\":[1],\"normals\":[[0.6,0.8]],\"W\":[[2,1],[0,3]],\"q\":[1,0],"
          "\"V\":[[1],[2]],\"R\":[[1]],\"s\":[0]}",
          &g);
  const double W[4] = {2, 1, 0, 3};
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) {
      double sum = 0;
      for (int a = 0; a < 2; a++)
        for (int b = 0; b < 2; b++) sum += Q[0][2 * i + a] * W[2 * a + b] * Q[0][2 * j + b];
      assert_near(g.problem.W.x[2 * i + j], sum, 1e-15);
    }
  assert_near(g.problem.V.x[0], 0.6 + 1.6, 1e-15);
  assert_near(g.problem.q[1], 0.8, 1e-15);
}

// ---- writing --------------------------------------------------------------------------------

static double any_double(ssi_rng *g) {
  for (;;) {
    uint64_t bits = ssi_rng_next(g);
    double x;
    memcpy(&x, &bits, sizeof x);
    if (bits % 11 == 0) return bits % 2 ? 0.0 : -0.0;
    if (isfinite(x)) return x;
  }
}

static double *random_vector(ssi_rng *g, int count) {
  double *x = SSI_TAKE(&arena, count, double);
  for (int k = 0; k < count; k++) x[k] = any_double(g);
  return x;
}

static ss_sparse random_matrix(ssi_rng *g, int rows, int cols, bool zeros) {
  int64_t *ptr = SSI_TAKE(&arena, rows + 1, int64_t), used = 0;
  int *col = SSI_TAKE(&arena, rows * cols, int);
  double *x = SSI_TAKE(&arena, rows * cols, double);
  for (int i = 0; i < rows; i++) {
    for (int j = 0; j < cols; j++) {
      double value = any_double(g);
      if (ssi_rng_below(g, 3) == 0 || (value == 0 && !zeros)) continue;
      col[used] = j;
      x[used++] = value;
    }
    ptr[i + 1] = used;
  }
  return (ss_sparse){rows, cols, ptr, col, x};
}

static ss_file random_file(ssi_rng *g) {
  int dim = 2 + ssi_rng_below(g, 2), nc = ssi_rng_below(g, 12), n = ssi_rng_below(g, 20);
  int nl = ssi_rng_below(g, 3), m = dim * nc;
  bool global = ssi_rng_below(g, 2), zeros = ssi_rng_below(g, 2);
  ss_file f = {.title = "quote \" and \xc3\xa9\n", .math_info = "none"};
  ss_problem *p = &f.problem;
  *p = (ss_problem){.form = global ? SS_GLOBAL : SS_REDUCED, .dim = dim, .nc = nc, .nl = nl};
  if (global) p->ndof = n;
  p->mu = random_vector(g, nc);
  if (global) {
    p->M = random_matrix(g, n, n, zeros);
    p->H = random_matrix(g, m, n, zeros);
    p->f = random_vector(g, n);
    p->w = random_vector(g, m);
    if (nl) p->G = random_matrix(g, n, nl, zeros);
    if (nl) p->b = random_vector(g, nl);
  } else {
    p->W = random_matrix(g, m, m, zeros);
    p->q = random_vector(g, m);
    if (nl) p->V = random_matrix(g, m, nl, zeros);
    if (nl) p->R = random_matrix(g, nl, nl, zeros);
    if (nl) p->s = random_vector(g, nl);
  }
  ss_solution *guess = SSI_TAKE(&arena, 2, ss_solution);
  guess[0] = (ss_solution){.r = random_vector(g, m)};
  guess[1] = (ss_solution){.r = random_vector(g, m), .u = random_vector(g, m)};
  f.solution = (ss_solution){random_vector(g, m), random_vector(g, m),
                             global ? random_vector(g, n) : NULL, nl ? random_vector(g, nl) : NULL};
  f.guesses = guess;
  f.guess_count = ssi_rng_below(g, 3);
  return f;
}

static void writing_and_reading_keeps_every_bit(void **state) {
  (void)state;
  ssi_rng g = {11};
  for (int n = 0; n < 200; n++) {
    ss_file f = random_file(&g), back;
    write_and_read(&f, &back);
    assert_same_problem(&f.problem, &back.problem);
    assert_same_solution(&f.problem, &f.solution, &back.solution);
    assert_int_equal(f.guess_count, back.guess_count);
    for (int k = 0; k < f.guess_count; k++)
      assert_same_solution(&f.problem, &f.guesses[k], &back.guesses[k]);
    assert_string_equal(back.title, f.title);
    assert_string_equal(back.math_info, f.math_info);
    assert_null(back.description);
  }
}

static void a_solution_goes_out_and_in_through_the_axes(void **state) {
  (void)state;
  ssi_rng g = {5};
  for (int turned = 0; turned < 2; turned++) {
    ss_file f = random_file(&g);
    int m = f.problem.dim * f.problem.nc;
    double *normals = SSI_TAKE(&arena, m, double), *r = SSI_TAKE(&arena, m, double);
    for (int i = 0; i < f.problem.nc; i++)
      random_unit(&g, f.problem.dim, normals + f.problem.dim * i);
    for (int k = 0; k < m; k++) r[k] = ssi_rng_uniform(&g);
    if (turned) f.normals = normals;
    ss_solution s = {.r = r}, back;
    assert_int_equal(ssi_write_json_solution(&ctx, path, &f, &s), SS_OK);
    ssi_source in;
    assert_int_equal(ssi_input_read(&ctx, path, &arena, &in), SS_OK);
    assert_int_equal(ssi_read_json_solution(&ctx, &in, &f, &arena, &back), SS_OK);
    assert_true(m > 0);
    for (int k = 0; k < m; k++)
      if (turned)
        assert_near(back.r[k], r[k], 1e-15);
      else
        assert_true(back.r[k] == r[k]);
    ss_file plain = f;
    plain.normals = NULL;
    assert_int_equal(ssi_read_json_solution(&ctx, &in, &plain, &arena, &back), SS_OK);
    double *world = SSI_TAKE(&arena, m, double);
    memcpy(world, r, (size_t)m * sizeof *r);
    if (turned) ssi_frames_to_world(f.problem.dim, f.problem.nc, normals, world);
    assert_memory_equal(back.r, world, (size_t)m * sizeof *world);  // what stands in the file
  }
}

static void solutions_are_found_where_people_put_them(void **state) {
  (void)state;
  ss_file f;
  ss_solution s;
  read_ok("{\"dim\":2,\"mu\":[1],\"normals\":[[0,1]],\"W\":[[1,0],[0,1]],\"q\":[0,0]}", &f);
  ssi_source in =
      source("{\"solutions\":[{\"r\":[3,4],\"status\":\"slide\"},{\"r\":[0,0]}],\"x\":null}");
  assert_int_equal(ssi_read_json_solution(&ctx, &in, &f, &arena, &s), SS_OK);
  assert_true(s.r[0] == 4 && s.r[1] == 3);
  assert_null(s.u);
  in = source("{\"solution\":{\"r\":[3,4],\"v\":[1,2,3]}}");
  assert_int_equal(ssi_read_json_solution(&ctx, &in, &f, &arena, &s), SS_OK);
  assert_true(s.r[0] == 4 && s.r[1] == 3);
  assert_null(s.v);  // the reduced form has none: said, not refused
  assert_int_equal(warnings, 1);
  // inside a problem without normals: contact frames, whatever axes the other file uses
  in = source("{\"dim\":2,\"solution\":{\"r\":[3,4]}}");
  assert_int_equal(ssi_read_json_solution(&ctx, &in, &f, &arena, &s), SS_OK);
  assert_true(s.r[0] == 3 && s.r[1] == 4);
  static const char *const bad[][2] = {
      {"{\"solutions\":[]}", "/solutions/0/r: missing"},
      {"{\"solutions\":[{\"u\":[1,2]}]}", "/solutions/0/r: missing"},
      {"{}", "/r: missing"},
      {"{\"r\":[1]}", "/r: found 1 numbers, expected 2"},
      {"{\"r\":null}", "/r: found null"},
      {"[1,2]", "expected an object"},
      {"{\"solution\":{\"r\":[1,2],\"l\":[1]}}", "/solution/l: found 1 numbers, expected 0"},
  };
  for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
    in = source(bad[k][0]);
    assert_int_equal(ssi_read_json_solution(&ctx, &in, &f, &arena, &s), SS_ERR_FORMAT);
    if (!strstr(ctx.message, bad[k][1])) fail_msg("%s: %s", bad[k][0], ctx.message);
  }
}

static void what_json_cannot_hold_is_refused(void **state) {
  (void)state;
  ss_file f;
  read_ok("{\"dim\":2,\"mu\":[1],\"W\":[[1,0],[0,1]],\"q\":[0,0]}", &f);
  const double r[2] = {1, NAN};
  f.solution.r = r;
  assert_int_equal(ssi_write_json(&ctx, path, &f), SS_ERR_DATA);
  assert_non_null(strstr(ctx.message, "r[1]"));
  assert_int_equal(ssi_write_json_solution(&ctx, path, &f, &f.solution), SS_ERR_DATA);
  f.solution.r = NULL;
  f.title = "latin \xe9";
  ss_file back;
  write_and_read(&f, &back);
  assert_string_equal(back.title, "latin ?");
}

// ---- bad input ------------------------------------------------------------------------------

#define REDUCED(mu, W, q) "{\"dim\":2,\"mu\":" mu ",\"W\":" W ",\"q\":" q "}"

static void bad_input_is_named(void **state) {
  (void)state;
  static const char *const bad[][2] = {
      {"", "1:0: not valid JSON"},
      {"{\"dim\":2,\n \"mu\":[1,}", "file.json:2:"},
      {"{\"dim\":2} x", "not valid JSON: end of file expected"},
      {"{\"dim\":2,\"dim\":3}", "duplicate object key"},
      {"{\"dim\":NaN}", "not valid JSON"},
      {"{\"dim\":Infinity}", "not valid JSON"},
      {"{\"dim\":1e999}", "real number overflow"},
      {"{\"title\":\"\xff\xfe\"}", "unable to decode byte 0xff"},
      {"{\"title\":\"\\u0000\"}", "not allowed"},
      {"[1]", "found an array, expected an object"},
      {"{}", "/dim: missing"},
      {"{\"dim\":4,\"mu\":[]}", "/dim: found 4, expected a whole number in 2 .. 3"},
      {"{\"dim\":2.5,\"mu\":[]}", "/dim: found 2.5"},
      {"{\"dim\":\"2\",\"mu\":[]}", "/dim: found a string"},
      {"{\"dim\":2}", "/mu: missing"},
      {"{\"dim\":2,\"mu\":0.3}", "/mu: found a number, expected an array"},
      {"{\"dim\":2,\"mu\":[]}", "no problem in it"},
      {"{\"dim\":2,\"nu\":[]}", "unknown key \"nu\"; the nearest known one is \"mu\""},
      {"{\"dimension\":2}", "the nearest known one is"},
      {"{\"normal\":2}", "the nearest known one is \"normals\""},
      {"{\"dim\":2,\"mu\":[],\"W\":[],\"M\":[]}", "expected one"},
      {"{\"dim\":2,\"mu\":[1],\"W\":[[1,0],[0,1]]}", "/q: missing; the reduced form needs"},
      {"{\"dim\":2,\"mu\":[1],\"f\":[1],\"w\":[0,0],\"M\":[[1]]}", "/H: missing"},
      {REDUCED("[true]", "[[1,0],[0,1]]", "[0,0]"), "/mu/0: found true or false"},
      {REDUCED("[1]", "[[1,0],[0,1]]", "[0,0,0]"), "/q: found 3 numbers, expected 2"},
      {REDUCED("[1]", "[[1,0],[0]]", "[0,0]"), "/W/1: found 1 numbers in this row, expected 2"},
      {REDUCED("[1]", "[[1,0]]", "[0,0]"), "/W: found 1 rows, expected 2"},
      {REDUCED("[1]", "[1,0]", "[0,0]"), "/W/0: found a number, expected a row"},
      {REDUCED("[1]", "[[1,null],[0,1]]", "[0,0]"), "/W/0/1: found null"},
      {REDUCED("[1]", "7", "[0,0]"), "/W: found a number, expected an array of rows or"},
      {REDUCED("[1]", "{\"rows\":2,\"cols\":2,\"i\":[0],\"j\":[2],\"x\":[1]}", "[0,0]"),
       "/W/j/0: found 2, expected a whole number in 0 .. 1"},
      {REDUCED("[1]", "{\"rows\":2,\"cols\":2,\"i\":[-1],\"j\":[1],\"x\":[1]}", "[0,0]"),
       "/W/i/0: found -1"},
      {REDUCED("[1]", "{\"rows\":2,\"cols\":2,\"i\":[0.5],\"j\":[1],\"x\":[1]}", "[0,0]"),
       "/W/i/0: found 0.5"},
      {REDUCED("[1]", "{\"rows\":2,\"cols\":2,\"i\":[0,1],\"j\":[1],\"x\":[1]}", "[0,0]"),
       "/W/i: found 2 indices, expected 1"},
      {REDUCED("[1]", "{\"rows\":99999999999,\"cols\":2,\"i\":[],\"j\":[],\"x\":[]}", "[0,0]"),
       "/W/rows: found 99999999999"},
      {REDUCED("[1]", "{\"rows\":-2,\"cols\":2,\"i\":[],\"j\":[],\"x\":[]}", "[0,0]"),
       "/W/rows: found -2"},
      {REDUCED("[1]", "{\"rows\":2,\"cols\":3,\"i\":[],\"j\":[],\"x\":[]}", "[0,0]"),
       "/W/cols: found 3, expected 2"},
      {REDUCED("[1]", "{\"rows\":2,\"cols\":2,\"i\":[],\"j\":[]}", "[0,0]"), "/W/x: found nothing"},
      {REDUCED("[1]", "{\"rows\":2,\"col\":2}", "[0,0]"), "the nearest known one is \"cols\""},
      {REDUCED("[1]", "{\"rows\":2,\"cols\":2,\"i\":[0,0],\"j\":[0,0],\"x\":[1e308,1e308]}",
               "[0,0]"),
       "W: row 0, column 0 is inf"},
      {REDUCED("[\"3/0\"]", "[]", "[]"), "\"3/0\" divides by zero"},
      {REDUCED("[\"three\"]", "[]", "[]"), "\"three\" does not hold a number"},
      {REDUCED("[\"\"]", "[]", "[]"), "does not hold a number"},
      {REDUCED("[\"1e999\"]", "[]", "[]"), "in the range of double"},
      {REDUCED("[\"1 2\"]", "[]", "[]"), "does not hold a number"},
      {REDUCED("[\"1//2\"]", "[]", "[]"), "not a fraction"},
      {REDUCED("[\"1/2/3\"]", "[]", "[]"), "not a fraction"},
      {REDUCED("[\"1./2\"]", "[]", "[]"), "not a fraction"},
      {REDUCED("[\"1/99999999999999999999\"]", "[]", "[]"), "more than 19 digits"},
      {REDUCED("[\"1/0.00000000000000000000000001\"]", "[]", "[]"), "more than 19 digits"},
      {"{\"dim\":2,\"mu\":[1],\"normals\":[[1,1]],\"W\":[],\"q\":[]}",
       "/normals/0: length 1.41421356"},
      {"{\"dim\":2,\"mu\":[1],\"normals\":[[1]],\"W\":[],\"q\":[]}", "/normals/0: found 1 numbers"},
      {"{\"dim\":2,\"mu\":[1],\"normals\":[],\"W\":[],\"q\":[]}",
       "/normals: expected an array of 1"},
      {"{\"dim\":2,\"mu\":[],\"W\":[],\"q\":[],\"V\":[]}", "/s: missing; bilateral"},
      {"{\"dim\":2,\"mu\":[],\"W\":[],\"q\":[],\"solution\":[]}", "/solution: expected {"},
      {"{\"dim\":2,\"mu\":[],\"W\":[],\"q\":[],\"guesses\":{}}", "/guesses: expected an array"},
      {"{\"dim\":2,\"mu\":[],\"W\":[],\"q\":[],\"guesses\":[{\"r\":[1]}]}",
       "/guesses/0/r: found 1 numbers"},
      {"{\"dim\":2,\"mu\":[],\"W\":[],\"q\":[],\"title\":1}", "/title: found a number"},
  };
  for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
    ss_file f;
    ctx.message[0] = 0;
    if (read_text(bad[k][0], &f) != SS_ERR_FORMAT)
      fail_msg("accepted: %s (%s)", bad[k][0], ctx.message);
    if (!strstr(ctx.message, bad[k][1]) || strncmp(ctx.message, "file.json:", 10) != 0)
      fail_msg("%s\nsays: %s\nexpected: %s", bad[k][0], ctx.message, bad[k][1]);
  }
}

static void deep_nesting_is_refused(void **state) {
  (void)state;
  enum { DEPTH = 100000 };
  char *text = malloc(DEPTH + 6);
  strcpy(text, "{\"M\":");
  memset(text + 5, '[', DEPTH);
  text[DEPTH + 5] = 0;
  ss_file f;
  assert_int_equal(read_text(text, &f), SS_ERR_FORMAT);
  assert_non_null(strstr(ctx.message, "depth"));
  free(text);
}

static void names_in_messages_are_short_and_tame(void **state) {
  (void)state;
  char text[2000];
  snprintf(text, sizeof text, "{\"\\u001b[31m%0900d\":1}", 0);
  ss_file f;
  assert_int_equal(read_text(text, &f), SS_ERR_FORMAT);
  assert_null(strchr(ctx.message, 27));
  assert_non_null(strstr(ctx.message, "0...\"; the nearest"));
}

// Every allocation fails once: an error, nothing lost.
static budget memory;
static void every_allocation_may_fail(void **state) {
  (void)state;
  ssi_source in = source(
      "{\"dim\":2,\"mu\":[1],\"normals\":[[0,1]],\"W\":{\"rows\":2,\"cols\":2,\"i\":[0,1],"
      "\"j\":[0,1],\"x\":[1,1]},\"q\":[0,1],\"V\":[[1],[1]],\"R\":[[1]],\"s\":[1],\"title\":\"t\","
      "\"solution\":{\"r\":[1,2]},\"guesses\":[{\"r\":[1,2]}]}");
  for (int n = 0;; n++) {
    assert_true(n < 1000);
    ss_context failing = on_budget(&memory);
    ssi_arena a = {.ctx = &failing};
    ss_file f;
    memory.left = n;
    ss_error e = ssi_read_json(&failing, &in, &a, &f);
    if (!e) {
      memory.left = n = 0;
      for (;; n++) {
        memory.left = n;
        e = ssi_write_json_solution(&failing, path, &f, &f.solution);
        if (!e) break;
        assert_int_equal(e, SS_ERR_MEMORY);
      }
      assert_true(n > 3);
      ssi_arena_release(&a);
      return;
    }
    assert_int_equal(e, SS_ERR_MEMORY);
    ssi_arena_release(&a);
  }
}

static void shared_oracles_are_read(void **state) {
  (void)state;
  static const char *const names[] = {"F1", "F3", "F5", "G01", "G07", "G11", "G19"};
  for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
    char name[256];
    ssi_source in;
    ss_file f;
    snprintf(name, sizeof name, "oracles/problems/%s.json", names[k]);
    assert_int_equal(ssi_input_read(&ctx, need_shared(name), &arena, &in), SS_OK);
    if (ssi_read_json(&ctx, &in, &arena, &f)) fail_msg("%s", ctx.message);
    assert_int_equal(ssi_check_structure(&ctx, SS_ERR_FORMAT, name, &f), SS_OK);
    assert_int_equal(f.normals != NULL, names[k][0] == 'G');
    ss_file back;
    write_and_read(&f, &back);
    assert_same_problem(&f.problem, &back.problem);
    if (names[k][0] != 'F') continue;
    // the expected u is H v + w of the expected v: reading both files right shows here
    ss_solution s;
    snprintf(name, sizeof name, "oracles/problems/%s.expected.json", names[k]);
    assert_int_equal(ssi_input_read(&ctx, need_shared(name), &arena, &in), SS_OK);
    if (ssi_read_json_solution(&ctx, &in, &f, &arena, &s)) fail_msg("%s", ctx.message);
    int m = f.problem.dim * f.problem.nc;
    double *u = SSI_TAKE(&arena, m, double);
    memcpy(u, f.problem.w, (size_t)m * sizeof *u);
    ssi_sparse_multiply_add(&f.problem.H, s.v, u);
    for (int i = 0; i < m; i++) assert_near(u[i], s.u[i], 1e-9);
  }
}

#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
int main(void) {
  const struct CMUnitTest tests[] = {
      T(reads_the_global_form),
      T(reads_bilateral_parts_and_triplets),
      T(numbers_are_rounded_correctly),
      T(fractions_agree_with_long_division),
      T(frames_are_orthonormal),
      T(frames_follow_the_documented_rule),
      T(world_axes_become_contact_frames),
      T(writing_and_reading_keeps_every_bit),
      T(a_solution_goes_out_and_in_through_the_axes),
      T(solutions_are_found_where_people_put_them),
      T(what_json_cannot_hold_is_refused),
      T(bad_input_is_named),
      T(deep_nesting_is_refused),
      T(names_in_messages_are_short_and_tame),
      T(every_allocation_may_fail),
      T(shared_oracles_are_read),
  };
  int fd = mkstemp(path);
  if (fd < 0) return 1;
  close(fd);
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  unlink(path);
  return failed;
}
