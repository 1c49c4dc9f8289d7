// cli/trace_report.h - a trace as a summary, as JSON and as files.
#pragma once

#include "cli/axis.h"
#include "cli/pictures.h"

typedef struct cli_trace {
  const char *source;  // the model, the template's or the problem's file
  cli_axis over;
  const cli_settings *given;
  const cli_list *outputs;
  const ss_trace *trace;
  ss_trace_caption caption;
} cli_trace;

json_t *cli_trace_json(cli_session *s, const cli_trace *c);
void cli_trace_summary(const cli_trace *c);
int cli_trace_write(cli_session *s, const cli_trace *c, const char *path);  // CLI_GO_ON or a status
