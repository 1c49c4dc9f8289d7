// cli/settings.h - parameters of a model as KEY=VALUE words.
#pragma once

#include "cli/args.h"

typedef struct cli_settings {
  ss_model_setting settings[CLI_LIST_MAX];
  int count;
  char names[CLI_LIST_MAX][64];
} cli_settings;

// Splits each KEY=VALUE. CLI_GO_ON, or CLI_USAGE where a word has no '=' or no KEY. The values stay
// in the words.
int cli_settings_parse(cli_session *s, const cli_list *words, cli_settings *out);
