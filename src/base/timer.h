// base/timer.h - the monotonic clock, and ends of time on it. Only a time limit reads it: without one
// nothing that is computed depends on it.
#pragma once

#include <stdbool.h>

double ssi_now_s(void);

// When `limit_s` (0: no limit) from now on are over; 0, INFINITY: never.
double ssi_time_end(double limit_s);
bool ssi_time_is_over(double end_s);

// Is there time until end_s for so many operations of dense linear algebra? Libraries do not look at a
// clock, so it is asked before they are called. The rate is a third of what one core was measured to do
// with eigenvalues, the slowest of what they are called for, so that what is begun ends in time on a
// slower or busier one. What takes no longer than a tenth of a second is begun while there is any time.
bool ssi_time_affords(double end_s, double operations);
