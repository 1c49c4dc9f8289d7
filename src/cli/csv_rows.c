#include "cli/csv_rows.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void cli_rows_say(cli_rows *r, const char *format, ...) {
  enum { ROW = 400 };
  if (r->room - r->used < ROW && !r->failed) {
    size_t room = 2 * r->room + 100 * ROW;
    char *more = realloc(r->text, room);
    r->failed = !more;
    if (more) r->text = more, r->room = room;
  }
  if (r->failed) return;
  va_list list;
  va_start(list, format);
  r->used += (size_t)vsnprintf(r->text + r->used, ROW, format, list);
  va_end(list);
}

int cli_rows_end(cli_session *s, cli_rows *r, const char *path) {
  ss_error e = !path       ? SS_OK
               : r->failed ? SS_ERR_MEMORY
               : r->text   ? ss_text_write(&s->ctx, path, r->text)
                           : SS_OK;
  free(r->text);
  *r = (cli_rows){0};
  return e ? cli_fail_library(s, path, e) : CLI_GO_ON;
}

void cli_csv_field(FILE *to, const char *text) {
  bool plain = !strpbrk(text, ",\"\r\n");
  if (!plain) fputc('"', to);
  for (; *text; text++) {
    if (*text == '"') fputc('"', to);
    fputc(*text, to);
  }
  if (!plain) fputc('"', to);
}
