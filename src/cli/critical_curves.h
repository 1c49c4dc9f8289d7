// cli/critical_curves.h - critical friction over a parameter, for `critical -x`.
#pragma once

#include "cli/pictures.h"

typedef struct cli_critical_curves {
  const char *operand;  // a model or a template
  const char *axis;     // NAME=FROM:TO:POINTS
  const char *family;   // NAME=V,V,...: one curve for each value; NULL: one
  const cli_list *parameters, *outputs;
  unsigned criteria;        // bits of ss_criterion
  ss_critical_options lib;  // its criteria and progress are not used
  double time_limit_s;      // INFINITY: none
} cli_critical_curves;

// Computes and reports; the exit status.
int cli_critical_curves_run(cli_session *s, const cli_critical_curves *o);
