// analysis/critical_parts.h - a problem as connected parts.
#pragma once

#include "analysis/critical.h"

typedef struct ssi_critical_parts {
  int count, largest;
  const ssi_critical_part *part;  // (count)
} ssi_critical_parts;

// g is the problem's own mu (scale_mu) or 1. SS_ERR_METHOD: not 2D, or too many contacts in one
// part.
ss_error ssi_critical_parts_create(ss_context *ctx, const ss_problem *p, bool scale_mu,
                                   ssi_arena *arena, ssi_critical_parts *out);
