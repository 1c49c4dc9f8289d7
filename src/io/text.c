#include "io/text.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/decimal.h"
#include "base/error.h"

enum { QUOTED = 40, DESCRIBED = 96 };

static bool is_space(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

void ssi_text_begin(ssi_text *t, ss_context *ctx, const ssi_source *in) {
  *t = (ssi_text){.ctx = ctx, .name = in->name, .at = in->bytes, .line = 1, .stops = ""};
  t->end = in->bytes + in->size;
}

bool ssi_text_more(ssi_text *t) {
  for (; t->at < t->end && is_space(*t->at); t->at++)
    if (*t->at == '\n') t->line++;
  return t->at < t->end;
}

void ssi_text_skip_word(ssi_text *t) {
  while (t->at < t->end && !is_space(*t->at)) t->at++;
}

void ssi_text_skip_line(ssi_text *t) {
  const char *newline = t->at < t->end ? memchr(t->at, '\n', (size_t)(t->end - t->at)) : NULL;
  if (newline) t->line++;
  t->at = newline ? newline + 1 : t->end;
}

bool ssi_text_skip_if(ssi_text *t, const char *literal) {
  size_t length = strlen(literal);
  if (!ssi_text_more(t) || (size_t)(t->end - t->at) < length) return false;
  if (memcmp(t->at, literal, length) != 0) return false;
  t->at += length;
  return true;
}

// ---- messages ------------------------------------------------------------------------------

// The word at `at` as it may be shown to people: not too long, printable ASCII only.
static const char *quote(const ssi_text *t, char buffer[QUOTED + 4]) {
  int n = 0;
  const char *c = t->at;
  for (; c < t->end && !is_space(*c) && n < QUOTED; c++)
    buffer[n++] = *c > ' ' && *c <= '~' ? *c : '?';
  strcpy(buffer + n, c < t->end && !is_space(*c) ? "..." : "");
  return buffer;
}

static const char *describe(const char *what, int64_t k, char buffer[DESCRIBED]) {
  if (k < 0)
    snprintf(buffer, DESCRIBED, "%s", what);
  else
    snprintf(buffer, DESCRIBED, "entry %lld of %s", (long long)k, what);
  return buffer;
}

ss_error ssi_text_unexpected(ssi_text *t, const char *expected) {
  char word[QUOTED + 4];
  if (!ssi_text_more(t))
    return ssi_fail(t->ctx, SS_ERR_FORMAT, "%s:%lld: the file ends here, expected %s", t->name,
                    (long long)t->line, expected);
  return ssi_fail(t->ctx, SS_ERR_FORMAT, "%s:%lld: found '%s', expected %s", t->name,
                  (long long)t->line, quote(t, word), expected);
}

static ss_error not_a(ssi_text *t, const char *kind, const char *what, int64_t k) {
  char place[DESCRIBED], expected[DESCRIBED + 72];
  snprintf(expected, sizeof expected, "%s (%s)", describe(what, k, place), kind);
  return ssi_text_unexpected(t, expected);
}

ss_error ssi_text_room(const ssi_text *t, const char *what, int64_t count, int bytes) {
  int64_t left = t->end - t->at;
  if (count <= (left + 1) / bytes) return SS_OK;  // + 1: the last one needs no separator
  return ssi_fail(t->ctx, SS_ERR_FORMAT,
                  "%s:%lld: the file ends too soon: %s needs %lld more items, but only %lld bytes "
                  "are left",
                  t->name, (long long)t->line, what, (long long)count, (long long)left);
}

// ---- numbers -------------------------------------------------------------------------------

static bool ends_number(const ssi_text *t, const char *c) {
  return c >= t->end || is_space(*c) || (*c && strchr(t->stops, *c));
}

static const char *past_digits(const ssi_text *t, const char *c) {
  while (c < t->end && is_digit(*c)) c++;
  return c;
}

static const char *past_sign(const ssi_text *t, const char *c) {
  return c < t->end && (*c == '+' || *c == '-') ? c + 1 : c;
}

static bool spells_nonfinite(const ssi_text *t) {
  const char *c = past_sign(t, t->at);
  char word[4] = "";
  for (int k = 0; k < 3 && c + k < t->end; k++) word[k] = (char)(c[k] | 0x20);  // to lower case
  return strcmp(word, "nan") == 0 || strcmp(word, "inf") == 0;
}

ss_error ssi_text_number(ssi_text *t, const char *what, int64_t k, double *out) {
  if (!ssi_text_more(t)) return not_a(t, "a number", what, k);
  const char *end = ssi_decimal(past_sign(t, t->at), out);
  if (!end || !ends_number(t, end))
    return not_a(t, spells_nonfinite(t) ? "a finite number" : "a number", what, k);
  if (*t->at == '-') *out = -*out;
  if (!isfinite(*out)) return not_a(t, "a number below 1.8e308", what, k);
  t->at = end;
  return SS_OK;
}

// Digits to an integer; false when it leaves [-2^62, 2^62].
static bool to_integer(const char *c, const char *end, int64_t *out) {
  bool negative = *c == '-';
  int64_t value = 0;
  for (c += *c == '-' || *c == '+'; c < end; c++) {
    if (value > ((INT64_C(1) << 62) - 9) / 10) return false;
    value = 10 * value + (*c - '0');
  }
  *out = negative ? -value : value;
  return true;
}

// Reads an integer without yet going past it, so that messages about its value can quote it.
static ss_error peek_integer(ssi_text *t, const char *what, int64_t k, int64_t *out,
                             const char **end) {
  if (!ssi_text_more(t)) return not_a(t, "an integer", what, k);
  const char *first = past_sign(t, t->at);
  *end = past_digits(t, first);
  if (*end == first || !ends_number(t, *end)) return not_a(t, "an integer", what, k);
  if (!to_integer(t->at, *end, out)) return not_a(t, "an integer of usual size", what, k);
  return SS_OK;
}

ss_error ssi_text_integer(ssi_text *t, const char *what, int64_t k, int64_t low, int64_t high,
                          int64_t *out) {
  const char *end;
  SS_TRY(peek_integer(t, what, k, out, &end));
  if (*out < low || *out > high) {
    char kind[64];
    if (low == high)
      snprintf(kind, sizeof kind, "%lld", (long long)low);
    else if (high >= INT_MAX)
      snprintf(kind, sizeof kind, *out < low ? "at least %lld" : "at most %lld",
               (long long)(*out < low ? low : high));
    else
      snprintf(kind, sizeof kind, "%lld to %lld", (long long)low, (long long)high);
    return not_a(t, kind, what, k);
  }
  t->at = end;
  return SS_OK;
}

ss_error ssi_text_index(ssi_text *t, const char *what, int64_t k, int base, int count, int *out) {
  const char *end;
  int64_t index;
  SS_TRY(peek_integer(t, what, k, &index, &end));
  if (index < base || index >= (int64_t)base + count) {
    bool other_base = base ? index == 0 : index == count;
    char place[DESCRIBED], range[64] = "none, the matrix is empty";
    if (count > 0) snprintf(range, sizeof range, "%d to %lld", base, (long long)base + count - 1);
    return ssi_fail(t->ctx, SS_ERR_FORMAT, "%s:%lld: index %lld in %s, expected %s%s", t->name,
                    (long long)t->line, (long long)index, describe(what, k, place), range,
                    !other_base ? ""
                    : base      ? "; does the file count from 0? This format counts from 1"
                                : "; does the file count from 1? This format counts from 0");
  }
  t->at = end;
  *out = (int)(index - base);
  return SS_OK;
}

ss_error ssi_text_literal(ssi_text *t, const char *literal) {
  char expected[DESCRIBED];
  if (ssi_text_skip_if(t, literal)) return SS_OK;
  snprintf(expected, sizeof expected, "'%s'", literal);
  return ssi_text_unexpected(t, expected);
}

ss_error ssi_text_vector(ssi_text *t, const char *what, int count, ssi_arena *arena, double **out) {
  SS_TRY(ssi_text_room(t, what, count, 2));
  *out = SSI_TAKE(arena, count, double);
  if (!*out) return ssi_fail(t->ctx, SS_ERR_MEMORY, "%s: no memory for %s", t->name, what);
  for (int k = 0; k < count; k++) SS_TRY(ssi_text_number(t, what, k, *out + k));
  return SS_OK;
}
