// cli/printed.c - see printed.h.
#include "cli/printed.h"

#include <stdlib.h>
#include <string.h>

// The bytes of the printable character at `text`, in UTF-8; 0: none begins there. C1, U+0080 .. U+009F, are control
// characters in two bytes.
static int printable(const unsigned char *text) {
  if (text[0] < 0x80) return text[0] >= ' ' && text[0] != 0x7f;
  int n = text[0] >= 0xf0 ? 4 : text[0] >= 0xe0 ? 3 : 2;
  if (text[0] < 0xc2 || text[0] > 0xf4) return 0;
  for (int k = 1; k < n; k++)
    if ((text[k] & 0xc0) != 0x80) return 0;
  return text[0] == 0xc2 && text[1] < 0xa0 ? 0 : n;
}

static void put(FILE *to, const char *text) {
  const unsigned char *at = (const unsigned char *)text;
  while (*at) {
    int n = printable(at);
    if (n)
      fwrite(at, 1, (size_t)n, to);
    else
      fputc('?', to);
    at += n ? n : 1;
  }
}

void cli_print_list(FILE *to, const char *format, va_list list) {
  char brief[1000];
  va_list again;
  va_copy(again, list);
  int n = vsnprintf(brief, sizeof brief, format, list);
  char *whole =
      n >= (int)sizeof brief ? malloc((size_t)n + 1) : NULL;  // without memory: its beginning
  if (whole) vsnprintf(whole, (size_t)n + 1, format, again);
  va_end(again);
  char *text = whole ? whole : brief;
  size_t own = strlen(format), size = n < 0 ? 0 : strlen(text);
  bool line = own && format[own - 1] == '\n';
  text[line && size && text[size - 1] == '\n' ? size - 1 : size] = '\0';
  put(to, text);
  if (line) fputc('\n', to);
  free(whole);
}

void cli_print(FILE *to, const char *format, ...) {
  va_list list;
  va_start(list, format);
  cli_print_list(to, format, list);
  va_end(list);
}

void cli_line(FILE *to, const char *label, const char *format, ...) {
  fprintf(to, "  %-12s", label);
  va_list list;
  va_start(list, format);
  cli_print_list(to, format, list);
  va_end(list);
  fputc('\n', to);
}
