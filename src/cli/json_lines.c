#define _POSIX_C_SOURCE 200809L
#include "cli/json_lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int not_written(cli_session *s, const char *path) {
  return cli_fail(s, CLI_RESOURCES, "%s: cannot be written: %s", path, strerror(errno));
}

int cli_lines_open(cli_session *s, const char *path, const char *what, bool resume, FILE **out) {
  FILE *lines = fopen(path, "a+");
  if (!lines) return not_written(s, path);
  *out = lines;
  bool empty = fseek(lines, 0, SEEK_END) != 0 || ftell(lines) <= 0;
  if (!empty && !resume)
    return cli_fail(s, CLI_RESOURCES,
                    "%s: holds %s already; --resume goes on with it, another name begins anew",
                    path, what);
  rewind(lines);
  return CLI_GO_ON;
}

void cli_lines_go_on(FILE *lines) {
  int last = fseek(lines, -1, SEEK_END) == 0 ? fgetc(lines) : '\n';
  fseek(lines, 0, SEEK_END);
  if (last != '\n') fputc('\n', lines);
}

int cli_lines_add(cli_session *s, const char *path, FILE *lines, json_t *o) {
  char *text = json_dumps(o, JSON_COMPACT | JSON_REAL_PRECISION(17));
  json_decref(o);
  if (!text || s->out_of_memory) {
    free(text);
    return cli_fail(s, CLI_RESOURCES, "%s: out of memory for a line", path);
  }
  bool bad = fprintf(lines, "%s\n", text) < 0 || fflush(lines) != 0;
  free(text);
  return bad ? not_written(s, path) : CLI_GO_ON;
}

bool cli_line_read(cli_line_reader *r) {
  json_decref(r->value);
  r->value = NULL;
  ssize_t n = getline(&r->text, &r->room, r->from);
  if (n < 0) return false;
  r->number++;
  r->blank = n <= 1;
  r->value = json_loadb(r->text, (size_t)n, 0, NULL);
  return true;
}

void cli_line_reader_end(cli_line_reader *r) {
  json_decref(r->value);
  free(r->text);
  *r = (cli_line_reader){.from = r->from};
}
