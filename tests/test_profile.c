// report/profile.c, profile_svg.c, svg.c: the numbers of a performance profile against the
// definition, and the picture against the numbers.
#define _XOPEN_SOURCE 700
#include "harness.h"

#include <locale.h>
#include <unistd.h>

#include "base/rng.h"
#include "budget.h"
#include "report/svg.h"
#include "stickslip/report.h"

#define NO INFINITY

// Ratios: alpha 1, 2, 1, -; beta 2, 1, -, -; the last problem is solved by nobody.
static const double two_cost[] = {1, 6, 3, NO, 2, 3, NAN, NO};
static const char *const two_names[] = {"alpha", "beta"};
static const ss_profile_panel two_panel = {"tolerance 1e-08", 4, two_cost};
static const ss_profile two = {"Title", "Sub", "time", two_names, 2, &two_panel, 1};

// ---- numbers --------------------------------------------------------------------------------

static double rho(const ss_profile *p, int panel, int solver, double tau) {
  double x = -1;
  assert_int_equal(ss_profile_fraction(NULL, p, panel, solver, tau, &x), SS_OK);
  return x;
}

static void known_fractions(void **state) {
  (void)state;
  assert_near(rho(&two, 0, 0, 1), 0.5, 0);
  assert_near(rho(&two, 0, 0, 1.99), 0.5, 0);
  assert_near(rho(&two, 0, 0, 2), 0.75, 0);
  assert_near(rho(&two, 0, 0, INFINITY), 0.75, 0);
  assert_near(rho(&two, 0, 1, 1), 0.25, 0);
  assert_near(rho(&two, 0, 1, 1e300), 0.5, 0);
  assert_near(rho(&two, 0, 1, 0.5), 0, 0);
}

static void known_scores(void **state) {
  (void)state;
  ss_profile_score a, b;
  assert_int_equal(ss_profile_score_solver(NULL, &two, 0, 0, &a), SS_OK);
  assert_int_equal(ss_profile_score_solver(NULL, &two, 0, 1, &b), SS_OK);
  assert_int_equal(a.solved, 3);
  assert_int_equal(a.fastest, 2);
  assert_near(a.ratio, cbrt(2.0), 1e-15);  // of 1, 2, 1
  assert_int_equal(b.solved, 2);
  assert_int_equal(b.fastest, 1);
  assert_near(b.ratio, sqrt(2.0), 1e-15);  // of 2, 1
}

static void nobody_solves(void **state) {
  (void)state;
  const double cost[] = {NO, NAN};
  const ss_profile_panel panel = {NULL, 2, cost};
  const ss_profile p = {
      .solvers = two_names, .solver_count = 1, .panels = &panel, .panel_count = 1};
  ss_profile_score a;
  assert_int_equal(ss_profile_score_solver(NULL, &p, 0, 0, &a), SS_OK);
  assert_int_equal(a.solved, 0);
  assert_int_equal(a.fastest, 0);
  assert_true(isnan(a.ratio));
  assert_near(rho(&p, 0, 0, INFINITY), 0, 0);
}

enum { SOLVERS = 20, PROBLEMS = 37 };

static const char *const many_names[SOLVERS] = {"s0",  "s1",  "s2",  "s3",  "s4",  "s5",  "s6",
                                                "s7",  "s8",  "s9",  "s10", "s11", "s12", "s13",
                                                "s14", "s15", "s16", "s17", "s18", "s19"};

// Costs over `decades` decades, a fifth of them unsolved, many equal.
static void random_costs(uint64_t seed, double decades, double *cost) {
  ssi_rng g = {seed};
  for (int i = 0; i < SOLVERS * PROBLEMS; i++) {
    double x = floor(8 * ssi_rng_uniform(&g)) / 8;
    cost[i] = ssi_rng_uniform(&g) < 0.2 ? NO : pow(10, decades * x);
  }
}

static void fractions_are_those_of_the_definition(void **state) {
  (void)state;
  static double cost[SOLVERS * PROBLEMS], scaled[SOLVERS * PROBLEMS];
  const ss_profile_panel panels[] = {{NULL, PROBLEMS, cost}, {NULL, PROBLEMS, scaled}};
  const ss_profile p = {
      .solvers = many_names, .solver_count = SOLVERS, .panels = panels, .panel_count = 2};
  for (uint64_t seed = 1; seed <= 50; seed++) {
    random_costs(seed, 3, cost);
    for (int i = 0; i < SOLVERS * PROBLEMS; i++)  // units of a problem do not matter
      scaled[i] = cost[i] * ldexp(1, i % PROBLEMS - 18);
    for (int s = 0; s < SOLVERS; s++) {
      double before = 0;
      for (double tau = 0.5; tau < 2000; tau *= 1.7) {
        int within = 0;
        for (int k = 0; k < PROBLEMS; k++) {
          double best = NO;
          for (int z = 0; z < SOLVERS; z++) best = fmin(best, cost[z * PROBLEMS + k]);
          within += isfinite(cost[s * PROBLEMS + k]) && cost[s * PROBLEMS + k] / best <= tau;
        }
        double found = rho(&p, 0, s, tau);
        assert_near(found, (double)within / PROBLEMS, 0);
        assert_near(rho(&p, 1, s, tau), found, 0);
        assert_true(found >= before);
        before = found;
      }
    }
  }
}

static void refuses_nonsense(void **state) {
  (void)state;
  ss_context ctx = {0};
  char *text = (char *)1;
  double x;
  ss_profile_score score;
  const double negative[] = {1, -1};
  const ss_profile_panel bad = {NULL, 2, negative}, none = {NULL, 0, negative};
  ss_profile p = {.solvers = two_names, .solver_count = 1, .panels = &bad, .panel_count = 1};
  assert_int_equal(ss_profile_svg(&ctx, &p, &text), SS_ERR_ARGUMENT);
  assert_null(text);
  assert_string_equal(ctx.message,
                      "profile: panel 0: cost of solver 0 on problem 1 is -1, expected > 0");
  p.panels = &none;
  assert_int_equal(ss_profile_svg(&ctx, &p, &text), SS_ERR_ARGUMENT);
  assert_int_equal(ss_profile_svg(&ctx, NULL, &text), SS_ERR_ARGUMENT);
  assert_int_equal(ss_profile_svg(&ctx, &two, NULL), SS_ERR_ARGUMENT);
  assert_int_equal(ss_profile_fraction(&ctx, &two, 1, 0, 1, &x), SS_ERR_ARGUMENT);
  assert_int_equal(ss_profile_fraction(&ctx, &two, 0, 2, 1, &x), SS_ERR_ARGUMENT);
  assert_int_equal(ss_profile_score_solver(&ctx, &two, 0, -1, &score), SS_ERR_ARGUMENT);
  assert_int_equal(ss_profile_score_solver(&ctx, &two, 0, 0, NULL), SS_ERR_ARGUMENT);
}

// ---- the picture ----------------------------------------------------------------------------

// Every element closed, in order; no stray < or &. Enough of XML for what an SVG writer can get wrong.
static void assert_well_formed(const char *text) {
  char open[20][20];
  int depth = 0;
  for (const char *c = text; *c; c++) {
    if (*c == '&')
      assert_true(strspn(c + 1, "abcdefghijklmnopqrstuvwxyz#0123456789") < 8 &&
                  c[1 + strspn(c + 1, "abcdefghijklmnopqrstuvwxyz#0123456789")] == ';');
    assert_true((unsigned char)*c >= ' ' || *c == '\n');
    if (*c != '<') continue;
    bool closing = c[1] == '/';
    char name[20];
    assert_int_equal(sscanf(c + 1 + closing, "%19[a-z]", name), 1);
    const char *end = c;
    for (bool quoted = false; *end != '>' || quoted; end++) {
      assert_true(*end && (end == c || *end != '<'));
      if (*end == '"') quoted = !quoted;
    }
    if (closing) {
      assert_true(depth > 0);
      assert_string_equal(open[--depth], name);
    } else if (end[-1] != '/') {
      assert_true(depth < 20);
      strcpy(open[depth++], name);
    }
    c = end;
  }
  assert_int_equal(depth, 0);
}

static void picture(const ss_profile *p, char **text) {
  assert_int_equal(ss_profile_svg(NULL, p, text), SS_OK);
  assert_non_null(*text);
  assert_well_formed(*text);
}

// The k-th path with this class; its points. How many there are.
static int path_points(const char *text, const char *class_name, int k, double (*xy)[2], int most) {
  char head[60];
  snprintf(head, sizeof head, "<path class=\"%s\" d=\"", class_name);
  const char *at = strstr(text, head);
  for (; k > 0 && at; k--) at = strstr(at + 1, head);
  assert_non_null(at);
  at += strlen(head);
  int count = 0, used;
  char command;
  while (sscanf(at, "%c%lf %lf%n", &command, &xy[count][0], &xy[count][1], &used) == 3) {
    assert_true(command == (count ? 'L' : 'M'));
    at += used;
    assert_true(++count < most);
  }
  assert_true(*at == '"');
  return count;
}

// Back from pixels: the steps that were drawn are rho at every tau between them.
static void check_curve(const ss_profile *p, const char *text, int panel, int solver,
                        double tau_max) {
  double xy[4 * PROBLEMS][2];
  char name[40];
  snprintf(name, sizeof name, "curve c%d d%d", solver % 7, solver / 7);
  int count = path_points(text, name, panel, xy, 4 * PROBLEMS);
  // the curve spans the axis of tau; the line of the other axis that stands at its left end gives heights
  double left = xy[0][0], width = xy[count - 1][0] - left;
  assert_near(width, 400, 1e-9);
  double top = 0, bottom = 0, x1, x2;
  for (const char *at = text; (at = strstr(at, "<line class=\"axis\"")); at++) {
    double y1, y2;
    assert_int_equal(sscanf(at, "<line class=\"axis\" x1=\"%lf\" y1=\"%lf\" x2=\"%lf\" y2=\"%lf\"",
                            &x1, &y1, &x2, &y2),
                     4);
    bool mine = fabs(x1 - left) < 0.1 && fabs(x2 - left) < 0.1;
    if (mine && xy[0][1] >= y1 - 0.1 && xy[0][1] <= y2 + 0.1) top = y1, bottom = y2;
  }
  assert_true(bottom > top);
  for (int k = 0; k + 1 < count; k++) {
    bool flat = fabs(xy[k][1] - xy[k + 1][1]) < 1e-9;
    assert_true(flat || fabs(xy[k][0] - xy[k + 1][0]) < 1e-9);  // steps
    if (!flat || xy[k + 1][0] - xy[k][0] < 0.05) continue;
    double middle = ((xy[k][0] + xy[k + 1][0]) / 2 - left) / width;
    double drawn = (bottom - xy[k][1]) / (bottom - top);
    assert_near(drawn, rho(p, panel, solver, pow(tau_max, middle)), 1e-4);
  }
}

static void curves_show_the_fractions(void **state) {
  (void)state;
  static double cost[2][SOLVERS * PROBLEMS];
  const ss_profile_panel panels[] = {{"one", PROBLEMS, cost[0]}, {"two", PROBLEMS, cost[1]}};
  const ss_profile p = {
      .solvers = many_names, .solver_count = SOLVERS, .panels = panels, .panel_count = 2};
  const double decades[] = {0.2, 0.9, 2.5, 6.5}, ends[] = {2, 10, 200, 5e5};
  for (int i = 0; i < 4; i++) {
    random_costs(7 + (uint64_t)i, decades[i], cost[0]);
    random_costs(70 + (uint64_t)i, decades[i], cost[1]);
    char *text;
    picture(&p, &text);
    for (int panel = 0; panel < 2; panel++)
      for (int s = 0; s < SOLVERS; s++) check_curve(&p, text, panel, s, ends[i]);
    ss_text_destroy(NULL, text);
  }
}

static double attribute(const char *text, const char *name) {
  double x = NAN;
  const char *at = strstr(text, name);
  assert_non_null(at);
  sscanf(at + strlen(name), "=\"%lf", &x);
  return x;
}

// Labels of curves that end at the same point stay apart and inside the picture.
static void labels_do_not_overlap(void **state) {
  (void)state;
  static double cost[SOLVERS * PROBLEMS];
  for (int i = 0; i < SOLVERS * PROBLEMS; i++) cost[i] = 1 + i % 7;
  const ss_profile_panel panel = {"all solve all", PROBLEMS, cost};
  const ss_profile p = {
      .solvers = many_names, .solver_count = SOLVERS, .panels = &panel, .panel_count = 1};
  char *text;
  picture(&p, &text);
  double height = attribute(text, "height"), width = attribute(text, "width"), y[SOLVERS];
  for (int s = 0; s < SOLVERS; s++) {
    char label[40];
    snprintf(label, sizeof label, ">%s<tspan", many_names[s]);
    const char *end = strstr(text, label), *begin = text;
    assert_non_null(end);
    for (const char *at = text; at && at < end; at = strstr(at + 1, "<text")) begin = at;
    y[s] = attribute(begin, " y");
    assert_true(y[s] > 12 && y[s] < height - 4);
    assert_true(attribute(begin, " x") + 70 < width);
    for (int z = 0; z < s; z++) assert_true(fabs(y[s] - y[z]) > 16);
  }
  ss_text_destroy(NULL, text);
}

static void names_are_escaped(void **state) {
  (void)state;
  const char *const names[] = {"a<b&\"c\">", "\xc3\xa9\xff\x01\xed\xa0\x80\xf8\x90\x80\x80|",
                               "a name that is far too long for the margin of any picture"};
  const double cost[] = {1, 2, 3};
  const ss_profile_panel panel = {"<&>", 1, cost};
  const ss_profile p = {"<t>", "&s", "\"c\"", names, 3, &panel, 1};
  char *text;
  picture(&p, &text);
  assert_non_null(strstr(text, "a&lt;b&amp;&quot;c&quot;&gt;"));
  assert_non_null(strstr(text, ">\xc3\xa9?????????|<"));
  assert_non_null(strstr(text, "a name that is far too long for t...<"));
  assert_non_null(strstr(text, "any picture</title>"));
  ss_text_destroy(NULL, text);
}

// The same bytes twice, and where the decimal point is a comma.
static void bytes_do_not_depend_on_the_locale(void **state) {
  (void)state;
  char *text;
  picture(&two, &text);
  const char *const comma[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE"};
  bool found = false;
  for (int i = 0; i < 4 && !found; i++) found = setlocale(LC_ALL, comma[i]) != NULL;
  if (!found) print_message("no locale with a decimal comma here\n");
  char *again;
  picture(&two, &again);
  setlocale(LC_ALL, "C");
  assert_string_equal(text, again);
  ss_text_destroy(NULL, text);
  ss_text_destroy(NULL, again);
}

static void numbers(void **state) {
  (void)state;
  const double x[] = {0, -0.0, 1, 0.5, 0.994, 0.996, -3.25, 10, 1e300, -INFINITY, NAN, -0.001};
  const char *const expected = "0 0 1 0.5 0.99 1 -3.25 10 1000000000 -1000000000 0 0 ";
  ssi_svg s = {0};
  for (size_t i = 0; i < sizeof x / sizeof *x; i++) ssi_svg_number(&s, x[i]), ssi_svg_raw(&s, " ");
  assert_false(s.failed);
  assert_string_equal(s.text, expected);
  ss_text_destroy(NULL, s.text);
}

static void markup_with_values(void **state) {
  (void)state;
  ssi_svg s = {0};
  char *text = NULL;
  ssi_svg_put(&s, "<a b=\"%f\" c=\"%d\">%s 5%%</a>", -1.5, 12, "<&>");
  ssi_svg_put(&s, "%s", "");
  assert_int_equal(ssi_svg_finish(&s, "no", &text), SS_OK);
  assert_string_equal(text, "<a b=\"-1.5\" c=\"12\">&lt;&amp;&gt; 5%</a>");
  ss_text_destroy(NULL, text);
}

// ---- memory and files -----------------------------------------------------------------------

static void every_allocation_may_fail(void **state) {
  (void)state;
  budget b = {.left = 1000};
  ss_context ctx = on_budget(&b);
  char *text = NULL;
  assert_int_equal(ss_profile_svg(&ctx, &two, &text), SS_OK);
  ss_text_destroy(&ctx, text);
  assert_int_equal(b.held, 0);
  int count = b.taken;
  assert_true(count >= 3);
  for (int k = 0; k < count; k++) {
    b.left = k;
    assert_int_equal(ss_profile_svg(&ctx, &two, &text), SS_ERR_MEMORY);
    assert_null(text);
    assert_int_equal(b.held, 0);
  }
}

static void text_is_written_whole(void **state) {
  (void)state;
  char path[] = "/tmp/stickslip-profile-XXXXXX", found[40] = "";
  int fd = mkstemp(path);
  assert_true(fd >= 0);
  close(fd);
  ss_context ctx = {0};
  assert_int_equal(ss_text_write(&ctx, path, "100 % <svg/>\n"), SS_OK);
  FILE *in = fopen(path, "r");
  assert_non_null(in);
  found[fread(found, 1, sizeof found - 1, in)] = 0;
  fclose(in);
  unlink(path);
  assert_string_equal(found, "100 % <svg/>\n");
  assert_int_equal(ss_text_write(&ctx, "/nowhere/at/all.svg", "x"), SS_ERR_WRITE);
  assert_int_equal(ss_text_write(&ctx, NULL, "x"), SS_ERR_ARGUMENT);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(known_fractions),
      cmocka_unit_test(known_scores),
      cmocka_unit_test(nobody_solves),
      cmocka_unit_test(fractions_are_those_of_the_definition),
      cmocka_unit_test(refuses_nonsense),
      cmocka_unit_test(curves_show_the_fractions),
      cmocka_unit_test(labels_do_not_overlap),
      cmocka_unit_test(names_are_escaped),
      cmocka_unit_test(bytes_do_not_depend_on_the_locale),
      cmocka_unit_test(numbers),
      cmocka_unit_test(markup_with_values),
      cmocka_unit_test(every_allocation_may_fail),
      cmocka_unit_test(text_is_written_whole),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
