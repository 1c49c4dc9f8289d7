#include "report/svg.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"

// ---- text that grows ------------------------------------------------------------------------

static void add(ssi_svg *s, const char *bytes, size_t count) {
  size_t need = s->length + count + 1;  // with a zero
  s->failed = s->failed || !ssi_grow(s->ctx, &s->text, &s->room, need, s->length, 1);
  if (s->failed) return;
  memcpy(s->text + s->length, bytes, count);
  s->length += count;
  s->text[s->length] = '\0';
}

void ssi_svg_raw(ssi_svg *s, const char *text) {
  add(s, text, strlen(text));
}

void ssi_svg_whole(ssi_svg *s, int64_t x) {
  char text[24];
  int length = snprintf(text, sizeof text, "%lld", (long long)x);
  add(s, text, (size_t)length);
}

void ssi_svg_number(ssi_svg *s, double x) {
  const double most = 1e9;  // far outside any picture
  if (isnan(x)) x = 0;
  x = fmin(fmax(x, -most), most);
  long long hundredths = llround(100 * x);
  char text[32];
  int length = snprintf(text, sizeof text, "%s%lld.%02lld", hundredths < 0 ? "-" : "",
                        llabs(hundredths) / 100, llabs(hundredths) % 100);
  while (text[length - 1] == '0') length--;
  if (text[length - 1] == '.') length--;
  add(s, text, (size_t)length);
}

void ssi_svg_put(ssi_svg *s, const char *format, ...) {
  va_list list;
  va_start(list, format);
  for (const char *at = format; *at;) {
    size_t plain = strcspn(at, "%");
    add(s, at, plain);
    at += plain;
    if (!*at) break;
    if (at[1] == 's')
      ssi_svg_escaped(s, va_arg(list, const char *));
    else if (at[1] == 'f')
      ssi_svg_number(s, va_arg(list, double));
    else if (at[1] == 'd')
      ssi_svg_whole(s, va_arg(list, int));
    else
      add(s, "%", 1);
    at += 2;
  }
  va_end(list);
}

ss_error ssi_svg_finish(ssi_svg *s, const char *message, char **out) {
  *out = s->failed ? NULL : s->text;
  if (!s->failed) return SS_OK;
  ssi_release(s->ctx, s->text);
  return ssi_fail(s->ctx, SS_ERR_MEMORY, "%s", message);
}

// ---- characters -----------------------------------------------------------------------------

// Bytes of the UTF-8 character that begins here; 0: it is none, or one that XML does not allow
// (control characters; surrogates, overlong forms, U+FFFE, U+FFFF, above U+10FFFF).
static int character_length(const char *text) {
  const unsigned char *c = (const unsigned char *)text;
  if (c[0] < 0x80) return c[0] >= 0x20 && c[0] != 0x7f;
  int length = c[0] >= 0xf0 ? 4 : c[0] >= 0xe0 ? 3 : 2;
  uint32_t code = c[0] & (0xffu >> (length + 1));
  for (int k = 1; k < length; k++) {
    if ((c[k] & 0xc0) != 0x80) return 0;  // the final zero, too
    code = code << 6 | (c[k] & 0x3fu);
  }
  static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  bool bad = c[0] < 0xc2 || c[0] > 0xf4 || code < least[length] || code > 0x10ffff ||
             (code >= 0xd800 && code < 0xe000) || code == 0xfffe || code == 0xffff ||
             (code >= 0x80 && code < 0xa0);
  return bad ? 0 : length;
}

static const char *entity(char c) {
  switch (c) {
  case '<':
    return "&lt;";
  case '>':
    return "&gt;";
  case '&':
    return "&amp;";
  case '"':
    return "&quot;";
  }
  return NULL;
}

void ssi_svg_escaped(ssi_svg *s, const char *text) {
  while (*text) {
    int length = character_length(text);
    if (entity(*text))
      ssi_svg_raw(s, entity(*text));
    else
      add(s, length ? text : "?", length ? (size_t)length : 1);
    text += length ? length : 1;
  }
}

// Measured on Liberation Sans (the widths of Arial and Helvetica): digits 0.556 of the font size,
// the mean of lower-case words 0.52, capitals and m, w up to 0.94.
double ssi_svg_text_width(const char *text, double font_size) {
  double sum = 0;
  for (; *text; text++) {
    if (((unsigned char)*text & 0xc0) == 0x80) continue;  // inside a character
    bool narrow = strchr("ijl.,:;|'!tfrI()[] -/", *text) != NULL;
    bool wide = strchr("mwMW%@", *text) != NULL || (*text >= 'A' && *text <= 'Z');
    sum += narrow ? 0.36 : wide ? 0.88 : 0.58;
  }
  return sum * font_size;
}

void ssi_svg_begin(ssi_svg *s, double width, double height, const char *title, const char *style) {
  ssi_svg_put(s,
              "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"%f\" height=\"%f\" "
              "viewBox=\"0 0 %f %f\">\n<title>%s</title>\n",
              width, height, width, height, title);
  ssi_svg_raw(s, style);
}

// ---- elements -------------------------------------------------------------------------------

void ssi_svg_line(ssi_svg *s, const char *look, double x1, double y1, double x2, double y2) {
  ssi_svg_put(s, "<line class=\"%s\" x1=\"%f\" y1=\"%f\" x2=\"%f\" y2=\"%f\"/>\n", look, x1, y1, x2,
              y2);
}

void ssi_svg_rect(ssi_svg *s, const char *look, double x, double y, double width, double height) {
  ssi_svg_put(s, "<rect class=\"%s\" x=\"%f\" y=\"%f\" width=\"%f\" height=\"%f\"/>\n", look, x, y,
              width, height);
}

void ssi_svg_text_begin(ssi_svg *s, const char *look, double x, double y) {
  ssi_svg_put(s, "<text class=\"%s\" x=\"%f\" y=\"%f\">", look, x, y);
}

void ssi_svg_text(ssi_svg *s, const char *look, double x, double y, const char *text) {
  ssi_svg_text_begin(s, look, x, y);
  ssi_svg_put(s, "%s</text>\n", text);
}

void ssi_svg_text_fitting(ssi_svg *s, const char *look, double size, double x, double y,
                          double room, const char *text) {
  char copy[400];
  size_t length = strlen(text);
  double fits = room / ssi_svg_text_width(text, 1), own = size;
  if (fits < size) size = fmax(fits, 0.65 * size);
  if (length > sizeof copy - 4) length = sizeof copy - 4;
  memcpy(copy, text, length);
  copy[length] = '\0';
  if (length < strlen(text)) strcat(copy, "...");
  while (length > 1 && ssi_svg_text_width(copy, size) > room * (1 + 1e-9)) {
    while (--length > 1 && ((unsigned char)text[length] & 0xc0) == 0x80) continue;
    strcpy(copy + length, "...");
  }
  if (size < own)
    ssi_svg_put(s, "<text class=\"%s\" style=\"font-size:%fpx\" x=\"%f\" y=\"%f\">%s</text>\n",
                look, size, x, y, copy);
  else
    ssi_svg_text(s, look, x, y, copy);
}

void ssi_svg_point(ssi_svg *s, char command, double x, double y) {
  add(s, &command, 1);
  ssi_svg_number(s, x);
  ssi_svg_raw(s, " ");
  ssi_svg_number(s, y);
}
