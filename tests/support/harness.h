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

// Absolute or relative difference, whichever is smaller, at most tol; says both values if not.
#define assert_near(found, expected, tol)                                                          \
  do {                                                                                             \
    double near_a = (found), near_b = (expected), near_m = fabs(near_b) > 1 ? fabs(near_b) : 1;    \
    if (!(fabs(near_a - near_b) <= (tol)*near_m))                                                  \
      fail_msg("%s = %.17g, expected %.17g (tolerance %g)", #found, near_a, near_b,                \
               (double)(tol));                                                                     \
  } while (0)
