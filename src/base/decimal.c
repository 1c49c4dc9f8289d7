#include "base/decimal.h"

#include <ctype.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 300 };

static const char *skip_digits(const char *t) {
  while (isdigit((unsigned char)*t)) t++;
  return t;
}

// Where the number ends, and where its point is (or its end, without one).
static const char *measure(const char *text, const char **point) {
  const char *t = skip_digits(text);
  *point = t;
  if (*t == '.') {
    const char *rest = skip_digits(t + 1);
    if (rest == t + 1 && t == text) return NULL;  // a point alone
    t = rest;
  } else if (t == text)
    return NULL;
  if (*t == 'e' || *t == 'E') {
    const char *digits = t + 1 + (t[1] == '+' || t[1] == '-');
    if (isdigit((unsigned char)*digits)) t = skip_digits(digits);
  }
  return t;
}

const char *ssi_decimal(const char *text, double *out) {
  char copy[LONGEST + 32];
  const char *point, *end = measure(text, &point), *local = localeconv()->decimal_point;
  if (!end || end - text > LONGEST || strlen(local) > 8) return NULL;
  if (*point != '.') local = "";
  const char *rest = *point == '.' ? point + 1 : point;
  snprintf(copy, sizeof copy, "%.*s%s%.*s", (int)(point - text), text, local, (int)(end - rest),
           rest);
  *out = strtod(copy, NULL);
  return end;
}
