// support/harness.h - what every cmocka program includes, plus the few things they share.
#pragma once

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// ---- what a test needs and may not find ------------------------------------------------------
//
// A program in which a test was skipped ends with 77, which ctest reports as skipped. Tests named shared_* need
// ../shared; tests/CMakeLists.txt runs them as a test of their own, so that the others are not said to be skipped.

static int tests_skipped;

static inline void skip_because(const char *why) {
  print_message("not tested: %s\n", why);
  tests_skipped++;
  skip();
}

#ifdef STICKSLIP_SHARED
// The path of something in ../shared. Where it is not there the test is skipped, or fails if
// STICKSLIP_REQUIRE_SHARED=1 says that it should be.
static inline const char *need_shared(const char *name) {
  static char path[1024];
  char why[1100];
  const char *required = getenv("STICKSLIP_REQUIRE_SHARED");
  snprintf(path, sizeof path, "%s/%s", STICKSLIP_SHARED, name);
  FILE *there = fopen(path, "r");  // folders too
  if (there) return fclose(there), path;
  snprintf(why, sizeof why, "../shared/%s is not there", name);
  if (required && strcmp(required, "1") == 0) fail_msg("%s", why);
  return skip_because(why), path;
}
#endif

static inline void choose_tests(void) {
  const char *part = getenv("STICKSLIP_PART");
  if (part && strcmp(part, "shared") == 0) cmocka_set_test_filter("shared_*");
  if (part && strcmp(part, "own") == 0) cmocka_set_skip_filter("shared_*");
}

static inline int exit_status(int failures) {
  return failures ? 1 : tests_skipped ? 77 : 0;
}

// In the place of cmocka's own, so that no program can forget it.
#undef cmocka_run_group_tests
#define cmocka_run_group_tests(tests, begin, end)                                                  \
  (choose_tests(), exit_status(_cmocka_run_group_tests(                                            \
                       #tests, tests, sizeof(tests) / sizeof(tests)[0], begin, end)))

// ---- comparisons -----------------------------------------------------------------------------

// Absolute or relative difference, whichever is smaller, at most tol; says both values if not.
#define assert_near(found, expected, tol)                                                          \
  do {                                                                                             \
    double near_a = (found), near_b = (expected), near_m = fabs(near_b) > 1 ? fabs(near_b) : 1;    \
    if (!(fabs(near_a - near_b) <= (tol)*near_m))                                                  \
      fail_msg("%s = %.17g, expected %.17g (tolerance %g)", #found, near_a, near_b,                \
               (double)(tol));                                                                     \
  } while (0)
