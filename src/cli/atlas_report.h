// cli/atlas_report.h - an atlas as a summary, as JSON and as files.
#pragma once

#include "cli/pictures.h"

typedef struct cli_atlas {
  const char *source;  // the model or the template's file
  char title[300], subtitle[600];
  char x_name[64], y_name[64];
  const cli_settings *given;
  const cli_list *outputs;
  const ss_atlas *atlas;
  double before_s;  // that its blocks took
} cli_atlas;

json_t *cli_atlas_asked_json(cli_session *s, const cli_atlas *a);  // what it is a map of
json_t *cli_atlas_json(cli_session *s, const cli_atlas *a);
void cli_atlas_summary(const cli_atlas *a);
int cli_atlas_write(cli_session *s, const cli_atlas *a, const char *path);  // CLI_GO_ON or a status
