#define _POSIX_C_SOURCE 200809L
#include "base/decimal.h"

#include <langinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A double written out in full has at most some 1080 characters (the smallest ones, exactly); what is
// longer is no number that a program wrote.
enum { LONGEST = 1200, LONGEST_POINT = 8 };

static const char *past_digits(const char *t) {
  while (*t >= '0' && *t <= '9') t++;
  return t;
}

// Where the number ends, and where its point is (or its end, without one); NULL: there is none.
static const char *measure(const char *text, const char **point) {
  const char *t = *point = past_digits(text);
  if (*t == '.') t = past_digits(t + 1);
  if (t - text == (**point == '.')) return NULL;  // no digit
  if (*t == 'e' || *t == 'E') {
    const char *first = t + 1 + (t[1] == '+' || t[1] == '-'), *end = past_digits(first);
    if (end > first) t = end;
  }
  return t;
}

// strtod reads with the locale's point, and hexadecimal numbers, which are none here.
const char *ssi_decimal(const char *text, double *out) {
  const char *point, *end = measure(text, &point), *local = nl_langinfo(RADIXCHAR);
  if (!end || end - text > LONGEST || strlen(local) > LONGEST_POINT) return NULL;
  if (strcmp(local, ".") == 0 && (text[1] | 0x20) != 'x') {
    *out = strtod(text, NULL);
    return end;
  }
  char copy[LONGEST + LONGEST_POINT + 1];
  const char *rest = point + (*point == '.');
  snprintf(copy, sizeof copy, "%.*s%s%.*s", (int)(point - text), text, rest > point ? local : "",
           (int)(end - rest), rest);
  *out = strtod(copy, NULL);
  return end;
}

const char *ssi_shortest(double x, char out[32]) {
  for (int digits = 15; digits <= 17; digits++) {
    snprintf(out, 32, "%.*g", digits, x);
    if (strtod(out, NULL) == x) break;
  }
  const char *local = nl_langinfo(RADIXCHAR);
  char *point = strcmp(local, ".") ? strstr(out, local) : NULL;
  if (point) {
    *point = '.';
    memmove(point + 1, point + strlen(local), strlen(point + strlen(local)) + 1);
  }
  return out;
}
