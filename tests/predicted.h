// tests/predicted.h - ss_status_predict where it must not fail.
#pragma once

#include "harness.h"

#include "stickslip/status.h"

static inline ss_prediction *predict(const ss_instant *at, const ss_status_options *o) {
  static ss_context ctx;  // lives as long as the prediction
  ss_prediction *out;
  if (ss_status_predict(&ctx, at, o, &out)) fail_msg("%s", ctx.message);
  return out;
}
