#define _POSIX_C_SOURCE 200809L
#include "cli/json_lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

static bool write_whole(int fd, const char *text, size_t size) {
  for (ssize_t n; size > 0; text += n, size -= (size_t)n) {
    n = write(fd, text, size);
    if (n < 0 && errno != EINTR) return false;
    if (n < 0) n = 0;
  }
  return true;
}

// Past the stream's buffer, which would keep what did not fit and write it when it is closed. Of a line that does not
// fit nothing stays.
int cli_lines_add(cli_session *s, const char *path, FILE *lines, json_t *o) {
  char *text = json_dumps(o, JSON_COMPACT | JSON_REAL_PRECISION(17));
  json_decref(o);
  size_t length = text ? strlen(text) : 0;
  char *line = text ? realloc(text, length + 2) : NULL;
  if (!line || s->out_of_memory) {
    free(line ? line : text);
    return cli_fail(s, CLI_RESOURCES, "%s: out of memory for a line", path);
  }
  memcpy(line + length, "\n", 2);
  int fd = fileno(lines), status = CLI_GO_ON;
  bool flushed = fflush(lines) == 0;
  off_t before = lseek(fd, 0, SEEK_END);  // -1: a pipe
  if (!flushed || !write_whole(fd, line, length + 1)) {
    status = not_written(s, path);
    if (before >= 0 && ftruncate(fd, before) != 0) cli_note(s, "%s: its last line is cut", path);
  }
  free(line);
  return status;
}

// ---- reading ----------------------------------------------------------------------------------

static bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool next_line(cli_line_reader *r) {
  ssize_t n = getline(&r->text, &r->room, r->from);
  if (n < 0) return false;
  r->at = 0;
  r->end = (size_t)n;
  while (r->end > 0 && is_space(r->text[r->end - 1])) r->end--;
  r->number++;
  return true;
}

static bool begins_as_head(const char *text, size_t size) {
  static const char begin[] = "{\"command\":";  // cli_lines_add keeps the order of keys
  return size >= sizeof begin - 1 && memcmp(text, begin, sizeof begin - 1) == 0;
}

// Where the last head in the rest of a line begins that is cut off before it. What may be found instead, an object
// within that line, was cut off with it. Not by strstr: a crash may leave zeros.
static size_t find_head(const cli_line_reader *r) {
  for (size_t k = r->end - 1; k > r->at; k--)
    if (begins_as_head(r->text + k, r->end - k)) return k;
  return r->end;
}

bool cli_line_read(cli_line_reader *r) {
  json_error_t where;
  json_decref(r->value);
  r->value = NULL;
  if (r->at == r->end && !next_line(r)) return false;
  size_t size = r->end - r->at;
  r->blank = size == 0;
  r->head = begins_as_head(r->text + r->at, size);
  if (r->blank) return true;
  r->value = json_loadb(r->text + r->at, size, JSON_DISABLE_EOF_CHECK, &where);
  snprintf(r->fault, sizeof r->fault, "%s", r->value ? "" : where.text);
  r->at = r->value ? r->at + (size_t)where.position : find_head(r);
  while (r->at < r->end && is_space(r->text[r->at])) r->at++;
  return true;
}

void cli_line_reader_end(cli_line_reader *r) {
  json_decref(r->value);
  free(r->text);
  *r = (cli_line_reader){.from = r->from};
}
