// report/axes.c - see axes.h.
#include "report/axes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *greek(const char *word, size_t length) {
  static const struct {
    const char *word, *sign;
  } letters[] = {{"mu", "&#956;"},    {"alpha", "&#945;"},  {"beta", "&#946;"},
                 {"theta", "&#952;"}, {"lambda", "&#955;"}, {"nu", "&#957;"},
                 {"tau", "&#964;"},   {"omega", "&#969;"}};
  for (size_t k = 0; k < sizeof letters / sizeof *letters; k++)
    if (strlen(letters[k].word) == length && strncmp(letters[k].word, word, length) == 0)
      return letters[k].sign;
  return NULL;
}

static void put_word(ssi_svg *s, const char *word, size_t length) {
  char copy[64];
  const char *sign = greek(word, length);
  if (sign) {
    ssi_svg_raw(s, sign);
    return;
  }
  if (length >= sizeof copy) length = sizeof copy - 1;
  memcpy(copy, word, length);
  copy[length] = '\0';
  ssi_svg_escaped(s, copy);
}

static void put_subscript(ssi_svg *s, const char *text) {
  ssi_svg_raw(s, "<tspan class=\"sub\" dy=\"4\">");
  put_word(s, text, strlen(text));
  ssi_svg_raw(s, "</tspan>");
}

// tan_alpha: "tan" and a Greek letter; theta_deg: the letter in degrees; f_n, u0: a subscript.
static void put_name(ssi_svg *s, const char *name) {
  const char *bar = strchr(name, '_');
  size_t length = strlen(name), first = bar ? (size_t)(bar - name) : length;
  if (strncmp(name, "tan_", 4) == 0) {
    ssi_svg_raw(s, "<tspan class=\"upright\">tan</tspan>&#8201;");
    put_word(s, bar + 1, strlen(bar + 1));
    return;
  }
  while (!bar && first > 1 && name[first - 1] >= '0' && name[first - 1] <= '9') first--;
  put_word(s, name, first);
  if (bar && strcmp(bar, "_deg") == 0)
    ssi_svg_raw(s, " (degrees)");
  else if (first < length)
    put_subscript(s, name + first + (bar ? 1 : 0));
}

ssi_marks ssi_marks_choose(double from, double to, int most) {
  static const double steps[] = {1, 2, 5, 10};
  ssi_marks m = {0};
  double span = to - from, size = fmax(fabs(from), fabs(to));
  int decade = (int)floor(log10(span / most));
  double unit = pow(10, decade);
  for (int k = 0; k < 4 && m.step == 0; k++)
    if (span / (steps[k] * unit) <= most + 0.5) m.step = steps[k] * unit, decade += k == 3;
  m.first = (int64_t)ceil(from / m.step - 1e-9);
  m.last = (int64_t)floor(to / m.step + 1e-9);
  int largest = (int)floor(log10(size));
  m.power = largest >= 5 || largest <= -4 ? largest : 0;
  m.places = decade < m.power ? m.power - decade : 0;
  return m;
}

// value >= 0 or not, with a fixed number of decimals, whatever the locale.
static void put_decimal(ssi_svg *s, double value, int places) {
  char text[64];
  if (places > 12) places = 12;
  double scale = pow(10, places);
  long long whole = llround(value * scale), unit = llround(scale);
  long long size = whole < 0 ? -whole : whole;
  const char *minus = whole < 0 ? "&#8722;" : "";
  if (places)
    snprintf(text, sizeof text, "%s%lld.%0*lld", minus, size / unit, places, size % unit);
  else
    snprintf(text, sizeof text, "%s%lld", minus, size);
  ssi_svg_raw(s, text);
}

void ssi_axis_title(ssi_svg *s, const char *name, int power) {
  put_name(s, name);
  if (power) {
    ssi_svg_raw(s, " &#215; 10<tspan class=\"sub\" dy=\"-5\">");
    put_decimal(s, -power, 0);
    ssi_svg_raw(s, "</tspan>");
  }
}

void ssi_marks_number(ssi_svg *s, const ssi_marks *m, double value) {
  put_decimal(s, value / pow(10, m->power), m->places);
}
