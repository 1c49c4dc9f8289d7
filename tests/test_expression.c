// io/expression.c: values, precedence, and what is said about text that is none.
#include "harness.h"

#include "io/expression.h"

static const ssi_name_value names[] = {{"x", 3}, {"mu_1", 0.25}, {"pix", 7}};

static double value(const char *text) {
  ss_context ctx = {0};
  double x;
  if (ssi_expression(&ctx, "here", text, names, 3, &x)) fail_msg("%s", ctx.message);
  return x;
}

static void test_values(void **state) {
  (void)state;
  assert_near(value("1 - 2 - 3"), -4, 0);
  assert_near(value("8/4/2"), 1, 0);
  assert_near(value("2+3*4"), 14, 0);
  assert_near(value("(2+3)*4"), 20, 0);
  assert_near(value("-x^2"), -9, 0);
  assert_near(value("2^-1"), 0.5, 0);
  assert_near(value("2^3^2"), 512, 0);
  assert_near(value("--x"), 3, 0);
  assert_near(value("- +x"), -3, 0);
  assert_near(value(" mu_1 * x "), 0.75, 0);
  assert_near(value("pix"), 7, 0);
  assert_near(value(".5e1"), 5, 0);
  assert_near(value("sin(pi/6)"), 0.5, 1e-15);
  assert_near(value("sqrt(abs(-16)) + exp(0) + log(1) + tan(0) + 4*atan(1)/pi + cos(0)"), 7, 1e-15);
}

static void check_wrong(const char *text, const char *said) {
  ss_context ctx = {0};
  double x;
  assert_int_equal(ssi_expression(&ctx, "here", text, names, 3, &x), SS_ERR_FORMAT);
  if (!strstr(ctx.message, said) || strncmp(ctx.message, "here: '", 7) != 0)
    fail_msg("said '%s', expected '%s'", ctx.message, said);
}

static void test_wrong(void **state) {
  (void)state;
  check_wrong("", "ends too early");
  check_wrong("1+", "ends too early");
  check_wrong("1 2", "expected its end");
  check_wrong("(1", "')' is missing");
  check_wrong("sin 1", "unknown parameter 'sin'");
  check_wrong("sn(1)", "unknown function 'sn'");
  check_wrong("mu_2", "the nearest is mu_1");
  check_wrong("1/0", "not finite");
  check_wrong("sqrt(-1)", "not finite");
  check_wrong("*1", "found '*1'");
  check_wrong("1)", "expected its end");
  char deep[500];
  memset(deep, '(', sizeof deep);
  deep[sizeof deep - 1] = '\0';
  check_wrong(deep, "too many brackets");
  memset(deep, '-', sizeof deep - 1);
  check_wrong(deep, "too many brackets");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_values),
      cmocka_unit_test(test_wrong),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
