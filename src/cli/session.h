// cli/session.h - one run of the command: what was asked for, what was said, how it ends.
#pragma once

#include <stdio.h>

#include <jansson.h>

#include "stickslip/stickslip.h"

// Exit statuses that scripts rely on.
enum {
  CLI_DONE = 0,       // solved, judged as solved, described, converted
  CLI_NEGATIVE = 1,   // a proper answer that is not yes: not solved
  CLI_USAGE = 2,      // wrong usage
  CLI_INPUT = 3,      // bad input file
  CLI_RESOURCES = 4,  // memory, disk, interrupted
};

typedef struct cli_files {  // names of files, borrowed
  const char **paths;
  int count, room;
} cli_files;

typedef struct cli_session {
  const char *command;  // "solve"; NULL before it is known
  const char *file;     // the input being worked on, for messages; NULL before it is known
  bool json, quiet;
  bool printed;               // the JSON object is out
  bool out_of_memory;         // sticky: a JSON value could not be made
  double begin_s;             // when the process began: --time-limit counts from there
  json_t *notes;              // texts said at SS_LOG_WARN, each once
  char failure[9000];         // the message of a run that failed; names of files may be long
  cli_files inputs, outputs;  // of this run (outputs.h)
  ss_context ctx;
} cli_session;

extern const char *cli_program;  // as messages call it: "stickslip"

void cli_session_begin(cli_session *s);
void cli_session_end(cli_session *s);

// Says "stickslip: ..." on standard error, remembers it for --json, returns `status`.
int cli_fail(cli_session *s, int status, const char *format, ...) SS_PRINTF(3, 4);

// The same for a call of the library: its message, after the file's name unless it begins with it.
int cli_fail_library(cli_session *s, const char *file, ss_error e);

// Adds to the notes and says "stickslip: FILE: note: ..." unless --quiet.
void cli_note(cli_session *s, const char *format, ...) SS_PRINTF(2, 3);

// Flushes standard output; `status`, or CLI_RESOURCES with a message where that fails.
int cli_finish(cli_session *s, int status);

const char *cli_display_name(const char *path);  // "standard input" for "-"
const char *cli_output_name(const char *path);   // "standard output" for "-"
double cli_now_s(void);                          // monotonic clock
// What is left of --time-limit, reading the file included: > 0; 0 where limit_s is 0, no limit.
double cli_time_left(const cli_session *s, double limit_s);

// Problem files: read with HDF5 in a child process, then checked. CLI_DONE or an exit status. An instant, with
// gaps and rates (status.h), is refused by the first.
int cli_open(cli_session *s, const char *path, ss_format format, ss_form_hint form, ss_file **out);
int cli_open_any(cli_session *s, const char *path, ss_format format, ss_form_hint form,
                 ss_file **out);
