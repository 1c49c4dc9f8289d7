// base/error.h - raising and passing on errors.
#pragma once

#include "stickslip/base.h"

// Writes the detail into ctx->message (ctx may be NULL) and returns e:
//   return ssi_fail(ctx, SS_ERR_DATA, "friction of contact %d is %g, expected >= 0", i, mu);
ss_error ssi_fail(ss_context *ctx, ss_error e, const char *format, ...) SS_PRINTF(3, 4);

// Puts "PREFIX: " before the detail of an error that is passed on, and returns it; nothing for SS_OK.
ss_error ssi_fail_within(ss_context *ctx, ss_error e, const char *prefix);

// SS_ERR_ARGUMENT: an argument of a public function that has to be there is NULL.
ss_error ssi_missing(ss_context *ctx, const char *function);

// Says something through ctx->log; ctx may be NULL.
void ssi_log(ss_context *ctx, ss_level level, const char *format, ...) SS_PRINTF(3, 4);

#define SS_TRY(call)                                                                               \
  do {                                                                                             \
    ss_error ss_try_error = (call);                                                                \
    if (ss_try_error) return ss_try_error;                                                         \
  } while (0)
