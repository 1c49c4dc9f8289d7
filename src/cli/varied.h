// cli/varied.h - a problem over one parameter: of a model, of a template, or of any problem file, whose friction (mu) or load (load) is varied.
#pragma once

#include "cli/source.h"

typedef struct cli_varied {
  cli_source source;
  const cli_settings *fixed;
  const char *name;       // of the parameter
  ss_file *file;          // a problem file; NULL: source is used
  ss_problem *built;      // of the source, where the parameter is none of its own
  ss_trace_problem over;  // mu or load; NULL: a parameter of the source
  const ss_problem *base;
} cli_varied;

typedef struct cli_varied_reading {
  ss_format format;
  ss_form_hint form;
} cli_varied_reading;

// CLI_GO_ON or an exit status, with a message that names the nearest parameter. Close it whatever is returned.
int cli_varied_open(cli_session *s, const char *operand, const cli_varied_reading *reading,
                    const cli_settings *fixed, const char *parameter, cli_varied *out);
void cli_varied_close(cli_varied *v);
ss_error cli_varied_at(void *varied, ss_context *ctx, double p, ss_problem **out);
int cli_varied_fail(cli_session *s, const cli_varied *v, ss_error e);
