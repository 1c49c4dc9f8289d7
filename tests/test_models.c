// models/: matrices equal to the papers' (corrected) formulas, fractions kept, settings checked, the
// finite elements balanced under constant strain.
#include "harness.h"

#include <locale.h>

#include "budget.h"
#include "la/sparse.h"
#include "models/number.h"
#include "stickslip/models.h"

static ss_problem *build(const char *name, const ss_model_setting *s, int count) {
  static ss_context ctx;  // lives as long as what is built with it
  ss_problem *p = NULL;
  if (ss_model_build(&ctx, name, s, count, &p)) fail_msg("%s", ctx.message);
  return p;
}

static void check_matrix(const ss_sparse *A, int rows, int cols, const double *expected) {
  assert_int_equal(A->rows, rows);
  assert_int_equal(A->cols, cols);
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < cols; j++)
      assert_near(ssi_sparse_entry(A, i, j), expected[i * cols + j], 1e-15);
}

static void check_vector(const double *x, int count, const double *expected) {
  for (int k = 0; k < count; k++) assert_near(x[k], expected[k], 1e-15);
}

// ---- every model ----------------------------------------------------------------------------

static bool is_one_of(const char *const *words, const char *word) {
  for (int k = 0; words[k]; k++)
    if (strcmp(words[k], word) == 0) return true;
  return false;
}

static void test_defaults(void **state) {
  (void)state;
  int count = 0;
  for (; ss_model_name(count); count++) {
    const char *name = ss_model_name(count);
    ss_context ctx = {0};
    ss_problem *p = build(name, NULL, 0);
    if (ss_problem_check(&ctx, p)) fail_msg("%s: %s", name, ctx.message);
    assert_non_null(ss_model_summary(name));
    assert_non_null(ss_model_equation(name));
    ss_problem_destroy(p);
    const ss_model_parameter *row;
    for (int i = 0; (row = ss_model_parameter_at(name, i)); i++) {
      ssi_number x;
      assert_non_null(row->meaning);
      if (!row->initial) continue;
      const char *const *words = ss_model_words(name, row->name);
      if (words) {
        assert_true(is_one_of(words, row->initial));
        continue;
      }
      assert_null(ssi_number_parse(row->initial, &x));
      assert_true(x.exact.q > 0 && x.x >= row->low && x.x <= row->high);
    }
  }
  assert_int_equal(count, 18);
  assert_null(ss_model_summary("nothing"));
  assert_null(ss_model_parameter_at("painleve", 1000));
}

static void check_failure(const char *name, const char *key, const char *text, const char *said) {
  ss_context ctx = {0};
  ss_problem *p = NULL;
  ss_model_setting s = {key, text, NAN};
  assert_int_equal(ss_model_build(&ctx, name, &s, key ? 1 : 0, &p), SS_ERR_ARGUMENT);
  assert_null(p);
  if (!strstr(ctx.message, said)) fail_msg("said '%s', expected '%s'", ctx.message, said);
}

static void test_wrong_settings(void **state) {
  (void)state;
  check_failure("painlev", NULL, NULL, "nearest is painleve");
  check_failure("klarbring", "tan_thet", "1", "nearest is tan_theta");
  check_failure("klarbring", "mu", "-1/2", "expected >= 0");
  check_failure("klarbring", "mu", "1/0", "divides by zero");
  check_failure("two-blocks", "kind", "stick", "expected one of separation, stick_slip");
  check_failure("two-blocks", "kind", NULL, "expected one of separation, stick_slip");
  check_failure("klarbring", "mu", "1/2/3", "is not a number");
  check_failure("klarbring", "mu", "1e999", "is not finite");
  check_failure("klarbring", "mu", "inf", "is not a number");
  check_failure("klarbring", "mu", NULL, "is not finite");
  check_failure("klarbring", "mu", "0x10", "is not a number");
  check_failure("klarbring", "mu", "", "is not a number");
  check_failure("klarbring", "k", "0", "expected > 0");
  check_failure("klarbring", "f", "2", "without alpha");
  check_failure("static", "c", "6/5", "not positive definite");
  check_failure("static", "nu", "1", "lambda and nu");
  check_failure("piston", "n", "2.5", "whole number");
  check_failure("piston", "n", "100", "expected 1 .. 60");
}

static void test_two_ways_at_once(void **state) {
  (void)state;
  ss_context ctx = {0};
  ss_problem *p;
  ss_model_setting s[] = {{"theta", "0.5", 0}, {"theta_deg", "30", 0}};
  assert_int_equal(ss_model_build(&ctx, "painleve", s, 2, &p), SS_ERR_ARGUMENT);
  assert_non_null(strstr(ctx.message, "theta and theta_deg are both given"));
  ss_model_setting t[] = {{"f_n", "1", 0}, {"alpha", "1", 0}};
  assert_int_equal(ss_model_build(&ctx, "alart", t, 2, &p), SS_ERR_ARGUMENT);
}

// Every allocation fails once: an error, no leak (the sanitizer looks), no crash.
static void test_memory(void **state) {
  (void)state;
  for (int most = 0;; most++) {
    budget b = {.left = most};
    ss_context ctx = on_budget(&b);
    ss_problem *p;
    ss_error e = ss_model_build(&ctx, "alart", NULL, 0, &p);
    if (!e) {
      assert_true(most > 0);
      ss_problem_destroy(p);
      return;
    }
    assert_int_equal(e, SS_ERR_MEMORY);
    assert_true(most < 100);
  }
}

// ---- numbers --------------------------------------------------------------------------------

// In a locale with a decimal comma, where there is one, the same texts mean the same.
static void check_number(const char *text, double x, int64_t p, int64_t q) {
  ssi_number n;
  assert_null(ssi_number_parse(text, &n));
  assert_true(n.x == x);
  assert_int_equal(n.exact.p, p);
  assert_int_equal(n.exact.q, q);
}

static void check_numbers(void) {
  check_number("3/5", 0.6, 3, 5);
  check_number("-0.30", -0.3, -3, 10);
  check_number("0.1/0.3", 1.0 / 3, 1, 3);
  check_number("1e3", 1000, 1000, 1);
  check_number("1e-3", 1e-3, 0, 0);  // exponents are not kept exact
  check_number("0.12345678901234567890", 0.12345678901234567890, 0, 0);
  check_number("6/-4", -1.5, -3, 2);
  check_number("-0", 0, 0, 1);
}

static void test_numbers(void **state) {
  (void)state;
  check_numbers();
  if (setlocale(LC_NUMERIC, "de_DE.UTF-8") || setlocale(LC_NUMERIC, "fr_FR.UTF-8")) {
    check_numbers();
    setlocale(LC_NUMERIC, "C");
  } else
    print_message("no locale with a decimal comma here: not tried\n");
  ssi_number third = ssi_ratio(1, 3), tiny = ssi_ratio(1, INT64_C(1) << 53);
  assert_int_equal(ssi_add(third, ssi_ratio(1, 6)).exact.q, 2);
  assert_int_equal(ssi_mul(tiny, third).exact.q, 0);  // too long: goes on in double
  assert_true(ssi_mul(tiny, third).x == 0x1p-53 / 3);
  assert_int_equal(ssi_mul(ssi_real(0.1), ssi_whole(0)).exact.q, 1);
  assert_int_equal(ssi_sqrt(ssi_ratio(25, 16)).exact.p, 5);
  assert_int_equal(ssi_sqrt(ssi_ratio(2, 1)).exact.q, 0);
  assert_true(ssi_div(third, ssi_ratio(-2, 3)).x == -0.5);
}

// tan = 3/4: sin = 3/5, cos = 4/5, so K = [41/25, 12/25; 12/25, 9/25]; tan = 1 is not exact. What a
// double holds exactly has no text.
static void test_exact(void **state) {
  (void)state;
  ss_problem *p;
  const ss_exact *e;
  ss_model_setting s[] = {{"tan_theta", "0.75", 0}, {"mu", "1/3", 0}, {"tan_alpha", "5/7", 0}};
  assert_int_equal(ss_model_build_exact(NULL, "klarbring", s, 3, &p, &e), SS_OK);
  assert_string_equal(e->M[0], "41/25");
  assert_string_equal(e->M[1], "12/25");
  assert_string_equal(e->M[2], "12/25");
  assert_string_equal(e->M[3], "9/25");
  assert_null(e->f[0]);
  assert_string_equal(e->f[1], "-5/7");
  assert_string_equal(e->mu[0], "1/3");
  assert_null(e->H[0]);
  assert_null(e->w[0]);
  assert_true(p->M.x[0] == 41.0 / 25 && p->M.x[1] == 12.0 / 25 && p->f[1] == -5.0 / 7);
  ss_problem_destroy(p);
  ss_model_setting one = {"tan_theta", "1", 0};
  assert_int_equal(ss_model_build_exact(NULL, "klarbring", &one, 1, &p, &e), SS_OK);
  assert_null(e->M[0]);
  assert_near(p->M.x[0], 1.5, 1e-15);
  ss_problem_destroy(p);
}

// ---- rigid bodies ---------------------------------------------------------------------------

static void test_painleve(void **state) {
  (void)state;
  double theta = 0.5, m = 2, l = 3, g = -9, h = 0.1, v0 = 0.7, u0 = -4, a = 5;
  ss_model_setting s[] = {{"m", 0, m},         {"l", 0, l},    {"g", 0, g},
                          {"h", 0, h},         {"v0", 0, v0},  {"u0", 0, u0},
                          {"theta", 0, theta}, {"mu", 0, 0.8}, {"a", 0, a}};
  ss_problem *p = build("painleve", s, 8);
  assert_int_equal(p->dim * 100 + p->nc * 10 + p->ndof, 211);
  check_vector(p->M.x, 1, (double[]){m * l * l});
  check_vector(p->f, 1, (double[]){-m * g * l * h * sin(theta) - m * l * l * v0});
  check_vector(p->H.x, 2, (double[]){l * sin(theta), l * cos(theta)});
  check_vector(p->w, 2, (double[]){0, u0});
  check_vector(p->mu, 1, (double[]){0.8});
  ss_problem_destroy(p);
  p = build("painleve3d", s, 9);
  check_matrix(&p->H, 3, 1, (double[]){l * sin(theta), l * cos(theta), 0});
  check_vector(p->w, 3, (double[]){0, u0, a});
  ss_problem_destroy(p);
}

// u of all contacts when the body moves with v.
static void velocity(const ss_problem *p, const double *v, double *u) {
  for (int k = 0; k < p->dim * p->nc; k++) u[k] = p->w[k];
  ssi_sparse_multiply_add(&p->H, v, u);
}

// A body that moves as the upper plate does leaves no relative velocity there, and the plate's
// opposite at the lower one; rolling between the plates without slip leaves none along both.
static void test_ball(void **state) {
  (void)state;
  ss_model_setting s[] = {{"V", 0, 1.5}, {"a", 0, 0.7}, {"R", 0, 0.25}, {"rotation", 0, 0}};
  for (int turns = 1; turns >= 0; turns--) {
    ss_problem *p = build("ball", s, turns ? 3 : 4);
    assert_int_equal(p->ndof, turns ? 6 : 3);
    double u[6], v[6] = {0.7, 0, -1.5, 0, 0, 0};
    velocity(p, v, u);
    check_vector(u, 6, (double[]){-1.5, 0.7, 0, 0, 0, 0});
    double rolling[6] = {0.35, 0, 0, 0, 0.35 / 0.25, 0};
    velocity(p, rolling, u);
    if (turns) check_vector(u, 6, (double[]){0, 0, 0, -1.5, 0, 0});
    ss_problem_destroy(p);
  }
}

static void test_square(void **state) {
  (void)state;
  ss_model_setting s[] = {
      {"side", 0, 2}, {"push", 0, 0.3}, {"h", 0, 0.5}, {"m", 0, 4}, {"g", 0, -10}};
  ss_problem *p = build("square", s, 5);
  check_matrix(&p->M, 3, 3, (double[]){4, 0, 0, 0, 4, 0, 0, 0, 16.0 / 6});
  check_vector(p->f, 3, (double[]){-0.15, 20, 0});
  check_matrix(&p->H, 4, 3, (double[]){0, 1, -1, 1, 0, 1, 0, 1, 1, 1, 0, 1});
  check_vector(p->w, 4, (double[]){0, 0, 0, 0});
  ss_problem_destroy(p);
}

// oracles G21 (there x first): H = [1 0 .4; 0 1 -1; 1 0 .4; 0 1 1], w = (0, 0, -Vx, -Vy)
static void test_rectangle(void **state) {
  (void)state;
  ss_model_setting s[] = {{"Vx", 0, 0.7}, {"Vy", 0, -0.2}};
  ss_problem *p = build("rectangle", s, 2);
  check_matrix(&p->H, 4, 3, (double[]){0, 1, -1, 1, 0, 0.4, 0, 1, 1, 1, 0, 0.4});
  check_vector(p->w, 4, (double[]){0, 0, 0.2, -0.7});
  ss_problem_destroy(p);
}

// The certificate behind s* = -V/(n + 1): equal forces along the row do no work on any motion of the
// disks, and work -V N in all.
static void test_piston(void **state) {
  (void)state;
  for (int n = 1; n <= 5; n++) {
    ss_model_setting s[] = {{"n", 0, n}, {"V", 0, 0.8}, {"Vy", 0, 0.1}};
    ss_problem *p = build("piston", s, 3);
    double r[22] = {0}, sum[15] = {0}, work = 0;
    assert_int_equal(p->nc, 2 * n + 1);
    for (int i = 0; i <= n; i++) r[2 * i] = 1.0 / (n + 1);
    ssi_sparse_multiply_transposed_add(&p->H, r, sum);
    for (int k = 0; k < 3 * n; k++) assert_near(sum[k], 0, 1e-15);
    for (int k = 0; k < 2 * p->nc; k++) work += p->w[k] * r[k];
    assert_near(work, -0.8 / (n + 1), 1e-15);
    // all together with the wall's velocity (0): only the piston's contact moves
    double u[22], v[15] = {0};
    velocity(p, v, u);
    for (int k = 0; k < 2 * p->nc; k++)
      assert_near(u[k], k == 2 * n ? -0.8 : k == 2 * n + 1 ? -0.1 : 0, 1e-15);
    // every disk rolls along the ground with the speed of its neighbours: no slip there, and at the
    // row contacts the rims pass each other with twice R omega
    for (int b = 0; b < n; b++) v[3 * b] = 1, v[3 * b + 2] = -1;
    velocity(p, v, u);
    for (int b = 0; b < n; b++) {
      assert_near(u[2 * (n + 1 + b)], 0, 1e-15);
      assert_near(u[2 * (n + 1 + b) + 1], 0, 1e-15);
      if (b > 0) assert_near(fabs(u[2 * b + 1]), 2, 1e-15);
      if (b > 0) assert_near(u[2 * b], 0, 1e-15);
    }
    ss_problem_destroy(p);
  }
}

// s* = Vx/(2 cos(beta)) (tan(beta) <= mu): r along x at both contacts, oracles G15.
static void test_wedge(void **state) {
  (void)state;
  double beta = 0.3, s = sin(beta), c = cos(beta);
  for (int dim = 2; dim <= 3; dim++) {
    ss_model_setting set[] = {{"beta", 0, beta}, {"Vx", 0, -1}, {"Vy", 0, 0.4}, {"dim", 0, dim}};
    ss_problem *p = build("wedge", set, 4);
    double force = 1 / (2 * c), sum[6] = {0}, work = 0, normal = 0, r[6];
    // world force (+-force, 0, 0) in the contact frames: n.x = +-c, 2D t.x = s, 3D t2.x = -s
    for (int i = 0; i < 2; i++) {
      double f = i ? -force : force, n = i ? -c : c;
      r[dim * i] = f * n;
      if (dim == 2) r[2 * i + 1] = f * s;
      if (dim == 3) r[3 * i + 1] = 0, r[3 * i + 2] = -f * s;
      normal += r[dim * i];
    }
    assert_near(normal, 1, 1e-15);
    ssi_sparse_multiply_transposed_add(&p->H, r, sum);
    for (int k = 0; k < p->ndof; k++) assert_near(sum[k], 0, 1e-15);
    for (int k = 0; k < 2 * dim; k++) work += p->w[k] * r[k];
    assert_near(work, -1 / (2 * c), 1e-15);
    ss_problem_destroy(p);
  }
}

// ---- springs --------------------------------------------------------------------------------

// K in the rows, and the load: M = K, f = -load, H = diag(-1, 1, ...).
static void check_stiffness(const ss_problem *p, int particles, const double *K,
                            const double *load) {
  int n = 2 * particles;
  assert_int_equal(p->nc, particles);
  check_matrix(&p->M, n, n, K);
  for (int i = 0; i < n; i++) {
    assert_near(p->f[i], -load[i], 1e-15);
    for (int j = 0; j < n; j++)
      assert_near(ssi_sparse_entry(&p->H, i, j), i != j ? 0 : i % 2 ? 1 : -1, 0);
  }
}

static void test_springs(void **state) {
  (void)state;
  for (double theta = 0.05; theta < 1.55; theta += 0.25) {
    double s = sin(theta), c = cos(theta), s2 = s * s, c2 = c * c, sc = s * c;
    ss_model_setting set[] = {{"theta", 0, theta}, {"f_n", 0, 1.5}, {"f_t", 0, -0.7}};
    ss_problem *p = build("klarbring", set, 3);
    check_stiffness(p, 1, (double[]){1 + c2, sc, sc, s2}, (double[]){1.5, -0.7});
    ss_problem_destroy(p);
    p = build("alart", set, 3);
    check_stiffness(
        p, 2,
        (double[]){1 + c2, -sc, 0, 0, -sc, 1 + s2, 0, -1, 0, 0, 1 + c2, sc, 0, -1, sc, 1 + s2},
        (double[]){1.5, -0.7, 1.5, 0.7});
    ss_problem_destroy(p);
    p = build("alart3", set, 3);
    double K[36] = {0};
    K[0] = K[28] = 1 + c2, K[14] = 1 + 2 * c2, K[1] = K[6] = -sc, K[29] = K[34] = sc;
    K[7] = K[35] = 1 + s2, K[21] = 2 + 2 * s2, K[9] = K[19] = K[23] = K[33] = -1;
    check_stiffness(p, 3, K, (double[]){1.5, -0.7, 1.5, 0, 1.5, 0.7});
    ss_problem_destroy(p);
  }
}

static void test_loads(void **state) {
  (void)state;
  ss_model_setting up[] = {{"f_n", "-1", 0}, {"tan_alpha", "3/2", 0}};
  ss_problem *p = build("klarbring", up, 2);
  check_vector(p->f, 2, (double[]){1, 1.5});  // minus (-1, -3/2)
  ss_problem_destroy(p);
  ss_model_setting angle[] = {{"alpha_deg", "210", 0}, {"f", "4", 0}};
  p = build("klarbring", angle, 2);
  check_vector(p->f, 2, (double[]){2 * sqrt(3), 2});
  ss_problem_destroy(p);
  ss_model_setting each[] = {{"f_n", "1", 0},  {"f_t", "2", 0},  {"f_nB", "3", 0},
                             {"f_tB", "4", 0}, {"f_nC", "5", 0}, {"f_tC", "6", 0}};
  p = build("alart3", each, 6);
  check_vector(p->f, 6, (double[]){-1, -2, -3, -4, -5, -6});
  ss_problem_destroy(p);
  p = build("periodic", each, 2);
  check_vector(p->f, 4, (double[]){-1, -2, -1, -2});
  ss_problem_destroy(p);
  ss_model_setting lame[] = {{"lambda", "2/5", 0}, {"nu", "1", 0}};
  p = build("static", lame, 2);  // beta = (2/5 + 3)/2, c = (2/5 + 1)/2
  check_matrix(&p->M, 2, 2, (double[]){1.7, -0.7, -0.7, 1.7});
  ss_problem_destroy(p);
}

// ---- finite elements ------------------------------------------------------------------------

// u_x = e (x - lean y), u_y = 0 vanishes on the held side. Its stress is constant, so the nodal forces
// K u are zero inside and sigma n times the node's share of the boundary elsewhere.
static void check_block(int nx, int ny, double lean) {
  double width = 1.3, height = 0.7, E = 2.5, nu = 0.3, e = 0.01;
  ss_model_setting s[] = {{"nx", 0, nx},       {"ny", 0, ny},         {"lean", 0, lean},
                          {"width", 0, width}, {"height", 0, height}, {"E", 0, E},
                          {"nu", 0, nu},       {"pressure", 0, 3},    {"shear", 0, 4}};
  ss_problem *p = build("block", s, 9);
  double a = E / ((1 + nu) * (1 - 2 * nu)), G = E / (2 * (1 + nu));
  double sxx = a * (1 - nu) * e, syy = a * nu * e, sxy = -G * e * lean;
  double dx = width / nx, dy = height / ny;
  double *u = calloc((size_t)p->ndof, sizeof *u), *force = calloc((size_t)p->ndof, sizeof *force);
  for (int i = 1; i <= nx; i++)
    for (int j = 0; j <= ny; j++) u[2 * (j * nx + i - 1)] = e * i * dx;
  ssi_sparse_multiply_add(&p->M, u, force);
  for (int i = 1; i <= nx; i++)
    for (int j = 0; j <= ny; j++) {
      double Fx = 0, Fy = 0, share = i == nx ? dx / 2 : dx, tall = j % ny ? dy : dy / 2;
      if (j == ny) Fx += sxy * share, Fy += syy * share;
      if (j == 0) Fx -= sxy * share, Fy -= syy * share;
      // right side: n ds = (1, -lean) dy
      if (i == nx) Fx += (sxx - lean * sxy) * tall, Fy += (sxy - lean * syy) * tall;
      int k = 2 * (j * nx + i - 1);
      assert_near(force[k], Fx, 1e-14);
      assert_near(force[k + 1], Fy, 1e-14);
      assert_near(p->f[k], j == ny ? -4 * share : 0, 1e-15);
      assert_near(p->f[k + 1], j == ny ? 3 * share : 0, 1e-15);
    }
  assert_true(ss_sparse_asymmetry(&p->M) == 0);
  for (int i = 1; i <= nx; i++) {
    int k = 2 * (i - 1);
    assert_near(ssi_sparse_entry(&p->H, 2 * (i - 1), k + 1), 1, 0);
    assert_near(ssi_sparse_entry(&p->H, 2 * (i - 1) + 1, k), 1, 0);
  }
  free(u);
  free(force);
  ss_problem_destroy(p);
}

static void test_block(void **state) {
  (void)state;
  check_block(1, 1, 0);
  check_block(3, 2, 0);
  check_block(4, 3, 0.6);
  check_block(2, 5, -1.1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_defaults),
      cmocka_unit_test(test_wrong_settings),
      cmocka_unit_test(test_two_ways_at_once),
      cmocka_unit_test(test_memory),
      cmocka_unit_test(test_numbers),
      cmocka_unit_test(test_exact),
      cmocka_unit_test(test_painleve),
      cmocka_unit_test(test_ball),
      cmocka_unit_test(test_square),
      cmocka_unit_test(test_rectangle),
      cmocka_unit_test(test_piston),
      cmocka_unit_test(test_wedge),
      cmocka_unit_test(test_springs),
      cmocka_unit_test(test_loads),
      cmocka_unit_test(test_block),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
