// cli/json_lines.h - files of JSON objects, one on a line, that are appended while a command works: 10^5 of them cost
// 10^5 lines, and a kill costs the one that was being written.
#pragma once

#include "cli/args.h"

// Opens the file to be read from its beginning and appended to. What holds something is refused unless `resume`; `what`
// says what that is ("rows"). CLI_GO_ON or CLI_RESOURCES.
int cli_lines_open(cli_session *s, const char *path, const char *what, bool resume, FILE **out);

// After reading, before the first line is added: one that was cut off stays alone.
void cli_lines_go_on(FILE *lines);

// Appends o (taken over) and flushes it. CLI_GO_ON or CLI_RESOURCES.
int cli_lines_add(cli_session *s, const char *path, FILE *lines, json_t *o);

// Files that were put together by `cat` may have the first line of one behind the last of another, which was cut off:
// what is on such a line comes one after the other, the part that was cut off without a value.
typedef struct cli_line_reader {
  FILE *from;
  char *text;
  size_t room, at, end;  // at .. end: of this line, not read yet
  int number;            // of the line, from 1
  bool blank;            // it has nothing on it
  bool head;             // begins as a head does, with what is written first: "command"
  json_t *value;         // what it holds; NULL: no JSON
  char fault[160];       // why not
} cli_line_reader;

// false: no more. The value lasts until the next call; cli_line_reader_end when reading stops.
bool cli_line_read(cli_line_reader *r);
void cli_line_reader_end(cli_line_reader *r);
