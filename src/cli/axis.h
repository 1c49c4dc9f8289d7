// cli/axis.h - a parameter and its range as one word: NAME=FROM:TO or NAME=FROM:TO:COUNT.
#pragma once

#include "cli/args.h"

typedef struct cli_axis_form {
  const char *option;  // for messages: "--x"
  const char *counts;  // what COUNT counts: "cells"; NULL: there is none
  int least, initial;  // of COUNT
} cli_axis_form;

typedef struct cli_axis {
  char name[64];
  double from, to;
  int count;
} cli_axis;

// CLI_GO_ON, or CLI_USAGE with a message. FROM and TO may be fractions.
int cli_axis_parse(cli_session *s, const cli_axis_form *form, const char *text, cli_axis *out);

// "0.25" or "3/5" up to `end` or the end of *text, which moves behind it; false: it is none.
bool cli_take_number(const char **text, char end, double *out);
