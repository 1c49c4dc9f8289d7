// base/timer.h - the monotonic clock.
#pragma once

double ssi_now_s(void);
