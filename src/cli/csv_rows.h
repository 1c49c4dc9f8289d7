// cli/csv_rows.h - rows of text that are collected during the work and written at its end, whole or not at all.
#pragma once

#include "cli/args.h"

// One field of a line, RFC 4180: quoted where it must be, quotes doubled.
void cli_csv_field(FILE *to, const char *text);

typedef struct cli_rows {
  char *text;
  size_t used, room;
  bool failed;  // no memory
} cli_rows;

void cli_rows_say(cli_rows *r, const char *format, ...) SS_PRINTF(2, 3);  // below 400 characters
// Writes them (path NULL: nothing) and releases them. CLI_GO_ON or an exit status.
int cli_rows_end(cli_session *s, cli_rows *r, const char *path);
