#include "io/expression.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/decimal.h"
#include "base/error.h"

enum { DEPTH_MOST = 100, NAME_MOST = 63 };

typedef struct parser {
  const char *at;
  const ssi_name_value *names;
  int count, depth;
  char wrong[200];  // empty: nothing yet
} parser;

static double sum(parser *p);

static double fail(parser *p, const char *format, const char *detail) {
  if (!p->wrong[0]) snprintf(p->wrong, sizeof p->wrong, format, detail);
  return 0;
}

static void skip_space(parser *p) {
  while (*p->at == ' ') p->at++;
}

static bool take(parser *p, char c) {
  skip_space(p);
  if (*p->at != c) return false;
  p->at++;
  return true;
}

static const struct {
  const char *name;
  double (*apply)(double);
} functions[] = {{"sin", sin},   {"cos", cos}, {"tan", tan}, {"atan", atan},
                 {"sqrt", sqrt}, {"exp", exp}, {"log", log}, {"abs", fabs}};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

static const char *name_at(const void *of, int i) {
  const parser *p = of;
  return i == 0 ? "pi" : i <= p->count ? p->names[i - 1].name : NULL;
}

static double unknown(parser *p, const char *name) {
  char text[2 * NAME_MOST + 60];
  snprintf(text, sizeof text, "unknown parameter '%s'; the nearest is %.63s", name,
           ss_nearest_name(name, name_at, p));
  return fail(p, "%s", text);
}

static double named(parser *p) {
  char name[NAME_MOST + 1];
  int length = 0;
  for (; isalnum((unsigned char)*p->at) || *p->at == '_'; p->at++)
    if (length < NAME_MOST) name[length++] = *p->at;
  name[length] = '\0';
  if (take(p, '(')) {
    int f = 0;
    while (f < FUNCTIONS && strcmp(functions[f].name, name) != 0) f++;
    if (f == FUNCTIONS)
      return fail(p, "unknown function '%s', expected sin, cos, tan, atan, sqrt, exp, log or abs",
                  name);
    double x = functions[f].apply(sum(p));
    return take(p, ')') ? x : fail(p, "%s", "a ')' is missing");
  }
  for (int i = 0; i < p->count; i++)
    if (strcmp(p->names[i].name, name) == 0) return p->names[i].value;
  return strcmp(name, "pi") == 0 ? 3.14159265358979323846 : unknown(p, name);
}

static double atom(parser *p) {
  skip_space(p);
  if (take(p, '(')) {
    double x = sum(p);
    return take(p, ')') ? x : fail(p, "%s", "a ')' is missing");
  }
  if (isdigit((unsigned char)*p->at) || *p->at == '.') {
    double x;
    const char *end = ssi_decimal(p->at, &x);
    if (!end) return fail(p, "found '%.20s', expected a number", p->at);
    p->at = end;
    return x;
  }
  if (isalpha((unsigned char)*p->at) || *p->at == '_') return named(p);
  if (!*p->at) return fail(p, "%s", "ends too early");
  return fail(p, "found '%.20s', expected a number, a parameter or '('", p->at);
}

static double sign(parser *p) {
  double x = 0;
  if (++p->depth > DEPTH_MOST || p->wrong[0]) {
    fail(p, "%s", "too many brackets or signs inside each other");
  } else if (take(p, '-')) {
    x = -sign(p);
  } else if (take(p, '+')) {
    x = sign(p);
  } else {
    x = atom(p);
    if (!p->wrong[0] && take(p, '^')) x = pow(x, sign(p));
  }
  p->depth--;
  return x;
}

static double product(parser *p) {
  double x = sign(p);
  while (!p->wrong[0]) {
    if (take(p, '*'))
      x *= sign(p);
    else if (take(p, '/'))
      x /= sign(p);
    else
      break;
  }
  return x;
}

static double sum(parser *p) {
  double x = product(p);
  while (!p->wrong[0]) {
    if (take(p, '+'))
      x += product(p);
    else if (take(p, '-'))
      x -= product(p);
    else
      break;
  }
  return x;
}

ss_error ssi_expression(ss_context *ctx, const char *where, const char *text,
                        const ssi_name_value *names, int count, double *out) {
  parser p = {.at = text, .names = names, .count = count};
  *out = sum(&p);
  skip_space(&p);
  if (!p.wrong[0] && *p.at) fail(&p, "found '%.20s', expected its end", p.at);
  if (!p.wrong[0] && !isfinite(*out)) fail(&p, "%s", "its value is not finite");
  if (!p.wrong[0]) return SS_OK;
  return ssi_fail(ctx, SS_ERR_FORMAT, "%s: '%.60s': %s", where, text, p.wrong);
}
