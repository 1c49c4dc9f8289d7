#include "models/number.h"

#include <ctype.h>
#include <math.h>

#include "base/decimal.h"

__extension__ typedef __int128 wide;

static const int64_t MOST = INT64_C(1) << 53;  // up to here a conversion to double is exact

static wide gcd(wide a, wide b) {
  while (b) {
    wide rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

// p/q in lowest terms where its parts fit, else the double that arithmetic in double gives.
static ssi_number make(wide p, wide q, double otherwise) {
  ssi_number n = {otherwise, {0, 0}};
  if (q < 0) p = -p, q = -q;
  wide common = gcd(p < 0 ? -p : p, q);
  if (common > 1) p /= common, q /= common;
  if (p > MOST || p < -MOST || q > MOST) return n;
  n.exact = (ssi_fraction){(int64_t)p, (int64_t)q};
  n.x = (double)n.exact.p / (double)n.exact.q;  // one rounding: both parts are exact doubles
  return n;
}

ssi_number ssi_whole(int64_t k) {
  return make(k, 1, (double)k);
}

ssi_number ssi_ratio(int64_t p, int64_t q) {
  return make(p, q, (double)p / (double)q);
}

ssi_number ssi_real(double x) {
  if (x == rint(x) && fabs(x) <= (double)MOST) return ssi_whole((int64_t)x);
  return (ssi_number){x, {0, 0}};
}

static bool both_exact(ssi_number a, ssi_number b) {
  return a.exact.q > 0 && b.exact.q > 0;
}

ssi_number ssi_add(ssi_number a, ssi_number b) {
  ssi_fraction s = a.exact, t = b.exact;
  if (!both_exact(a, b)) return (ssi_number){a.x + b.x, {0, 0}};
  return make((wide)s.p * t.q + (wide)t.p * s.q, (wide)s.q * t.q, a.x + b.x);
}

ssi_number ssi_mul(ssi_number a, ssi_number b) {
  ssi_fraction s = a.exact, t = b.exact;
  if ((s.q > 0 && s.p == 0) || (t.q > 0 && t.p == 0))
    return ssi_whole(0);  // exact whatever the other
  if (!both_exact(a, b)) return (ssi_number){a.x * b.x, {0, 0}};
  return make((wide)s.p * t.p, (wide)s.q * t.q, a.x * b.x);
}

ssi_number ssi_div(ssi_number a, ssi_number b) {
  ssi_fraction s = a.exact, t = b.exact;
  if (!both_exact(a, b) || t.p == 0) return (ssi_number){a.x / b.x, {0, 0}};
  return make((wide)s.p * t.q, (wide)s.q * t.p, a.x / b.x);
}

ssi_number ssi_neg(ssi_number a) {
  return (ssi_number){a.x == 0 ? 0 : -a.x, {-a.exact.p, a.exact.q}};
}

ssi_number ssi_sub(ssi_number a, ssi_number b) {
  return ssi_add(a, ssi_neg(b));
}

// The whole square root of k, or -1.
static int64_t whole_root(int64_t k) {
  int64_t r = (int64_t)rint(sqrt((double)k));  // k <= 2^53: exact up to its rounding
  return r * r == k ? r : -1;
}

ssi_number ssi_sqrt(ssi_number a) {
  if (a.exact.q > 0 && a.exact.p >= 0) {
    int64_t p = whole_root(a.exact.p), q = whole_root(a.exact.q);
    if (p >= 0 && q >= 0) return ssi_ratio(p, q);
  }
  return (ssi_number){sqrt(a.x), {0, 0}};
}

// ---- text -----------------------------------------------------------------------------------

// digits [. digits], as a fraction where that fits: *p / *q. Returns where it ends; NULL: no digits.
static const char *read_decimal(const char *t, wide *p, wide *q) {
  bool any = false, point = false;
  *p = 0, *q = 1;
  for (;; t++) {
    if (*t == '.' && !point) {
      point = true;
      continue;
    }
    if (!isdigit((unsigned char)*t)) return any ? t : NULL;
    any = true;
    if (*p > MOST || *q > MOST) continue;  // too long to stay exact; the caller sees it by its size
    *p = 10 * *p + (*t - '0');
    if (point) *q *= 10;
  }
}

static const char *read_plain(const char *text, ssi_number *out) {
  bool negative = *text == '-';
  const char *digits = text + (negative || *text == '+');
  double x;
  const char *end = ssi_decimal(digits, &x);
  if (!end || *end) return "is not a number";
  if (!isfinite(x)) return "is not finite";
  wide p, q;
  const char *rest = read_decimal(digits, &p, &q);
  *out = ssi_real(negative ? -x : x);
  if (rest && !*rest && p <= MOST && q <= MOST) *out = make(negative ? -p : p, q, out->x);
  return NULL;
}

const char *ssi_number_parse(const char *text, ssi_number *out) {
  const char *slash = text;
  while (*slash && *slash != '/') slash++;
  if (!*slash) return read_plain(text, out);
  char above[64];
  size_t length = (size_t)(slash - text);
  if (length >= sizeof above) return "has too many digits";
  for (size_t k = 0; k < length; k++) above[k] = text[k];
  above[length] = '\0';
  ssi_number p, q;
  const char *wrong = read_plain(above, &p);
  if (!wrong) wrong = read_plain(slash + 1, &q);
  if (wrong) return wrong;
  if (q.x == 0) return "divides by zero";
  *out = ssi_div(p, q);
  return isfinite(out->x) ? NULL : "is not finite";
}
