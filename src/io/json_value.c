#include "io/json_value.h"

#include "base/error.h"
#include "base/words.h"
#include "la/sparse.h"

#include <limits.h>
#include <math.h>
#include <string.h>

// ---- messages -------------------------------------------------------------------------------

static const char *kind(const json_t *value) {
  if (!value) return "nothing";
  switch (json_typeof(value)) {
  case JSON_OBJECT:
    return "an object";
  case JSON_ARRAY:
    return "an array";
  case JSON_STRING:
    return "a string";
  case JSON_INTEGER:
  case JSON_REAL:
    return "a number";
  case JSON_TRUE:
  case JSON_FALSE:
    return "true or false";
  default:
    return "null";
  }
}

// Where an element is, the end of a JSON pointer: "/i" or "/i/j", empty for i < 0. Made only when there is an error to tell.
typedef struct json_place {
  long long i, j;
  char text[48];
} json_place;

static const char *place_text(json_place *p) {
  if (p->i < 0) return "";
  if (p->j < 0)
    snprintf(p->text, sizeof p->text, "/%lld", p->i);
  else
    snprintf(p->text, sizeof p->text, "/%lld/%lld", p->i, p->j);
  return p->text;
}

static ss_error wrong_kind(const ssi_json *in, const char *at, const json_t *found,
                           const char *expected) {
  return ssi_fail(in->ctx, SS_ERR_FORMAT, "%s: %s: found %s, expected %s", in->name, at,
                  kind(found), expected);
}

// At most 40 bytes, whole UTF-8 characters, nothing that a terminal would obey.
static const char *printable(const char *text, char out[48]) {
  size_t length = strlen(text), used = length < 40 ? length : 40;
  while (used < length && used > 0 && ((unsigned char)text[used] & 0xc0) == 0x80) used--;
  for (size_t k = 0; k < used; k++)
    out[k] = (unsigned char)text[k] < 32 || text[k] == 127 ? '?' : text[k];
  strcpy(out + used, used < length ? "..." : "");
  return out;
}

ss_error ssi_json_no_memory(const ssi_json *in) {
  return ssi_fail(in->ctx, SS_ERR_MEMORY, "%s: no memory to read it", in->name);
}

ss_error ssi_json_keys(const ssi_json *in, const char *at, const json_t *object,
                       const char *const *known) {
  const char *key;
  json_t *ignored;
  json_object_foreach((json_t *)(uintptr_t)object, key, ignored) {
    int k = 0;
    while (known[k] && strcmp(known[k], key) != 0) k++;
    if (known[k]) continue;
    char text[48], suggested[300];
    ssi_suggest(key, known, suggested, sizeof suggested);
    return ssi_fail(in->ctx, SS_ERR_FORMAT, "%s: %s: unknown key \"%s\"; %s", in->name, at,
                    printable(key, text), suggested);
  }
  return SS_OK;
}

// ---- the document ---------------------------------------------------------------------------

ss_error ssi_json_parse(const ssi_json *in, const ssi_source *source, json_t **root) {
  const char *bytes = source->bytes;
  size_t size = source->size;
  if (size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0) {  // RFC 8259, 8.1: may be ignored
    bytes += 3;
    size -= 3;
  }
  json_error_t error;
  // integers as reals: beyond 2^63 they are still numbers, and -0 keeps its sign
  *root = json_loadb(bytes, size, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, &error);
  if (!*root) {
    if (json_error_code(&error) == json_error_out_of_memory || error.line < 0)  // before any text
      return ssi_json_no_memory(in);
    for (char *c = error.text; *c; c++)
      if ((unsigned char)*c < 32 || *c == 127) *c = '?';
    return ssi_fail(in->ctx, SS_ERR_FORMAT, "%s:%d:%d: not valid JSON: %s", in->name, error.line,
                    error.column, error.text);
  }
  if (json_is_object(*root)) return SS_OK;
  ss_error e = wrong_kind(in, "/", *root, "an object");
  json_decref(*root);
  *root = NULL;
  return e;
}

// ---- numbers --------------------------------------------------------------------------------

// A decimal without exponent as digits / 10^places, digits < 2^64. Advances *text past it.
static const char *read_decimal(const char **text, uint64_t *digits, int *places) {
  const char *t = *text;
  int count = 0, after = -1;  // `after`: digits behind the point, -1 before it
  *digits = 0;
  for (;; t++) {
    if (*t == '.' && after < 0 && count > 0) {
      after = 0;
      continue;
    }
    if (*t < '0' || *t > '9') break;
    uint64_t d = (uint64_t)(*t - '0');
    if (*digits > (UINT64_MAX - d) / 10) return "has a part with more than 19 digits";
    *digits = 10 * *digits + d;
    if (++count > 40) return "has a part with more than 19 digits";
    if (after >= 0) after++;
  }
  if (count == 0 || after == 0) return "is not a fraction of two decimals";
  *places = after > 0 ? after : 0;
  *text = t;
  return NULL;
}

static bool scale_ten(uint64_t *x, int places) {
  for (; places > 0; places--) {
    if (*x > UINT64_MAX / 10) return false;
    *x *= 10;
  }
  return true;
}

__extension__ typedef unsigned __int128 wide;

// p / q rounded to nearest, p and q > 0. Both are shifted to have their top bit set, so the quotient
// of 2^64 p' by q' has 64 or 65 bits; with the remainder folded into the last of them ("sticky")
// the conversion to double is the only rounding, since more than 53 + 2 bits are there. By hand: GMP's
// mpq_get_d truncates, and files are read in builds without GMP.
static double divide(uint64_t p, uint64_t q) {
  int shift = 0;
  for (; !(p >> 63); p <<= 1) shift--;
  for (; !(q >> 63); q <<= 1) shift++;
  wide n = (wide)p << 64, quotient = n / q;
  bool sticky = n % q != 0;
  if (quotient >> 64) {
    sticky |= quotient & 1;
    quotient >>= 1;
    shift++;
  }
  return ldexp((double)((uint64_t)quotient | sticky), shift - 64);
}

// [-] decimal / decimal: the points are cleared from both sides, then (1) is one exact division.
static const char *read_fraction(const char *text, double *out) {
  bool negative = *text == '-';
  text += negative;
  uint64_t p, q;
  int p_places, q_places;
  const char *wrong = read_decimal(&text, &p, &p_places);
  if (wrong) return wrong;
  if (*text++ != '/') return "is not a fraction of two decimals";
  if ((wrong = read_decimal(&text, &q, &q_places))) return wrong;
  if (*text) return "is not a fraction of two decimals";
  if (q == 0) return "divides by zero";
  if (!scale_ten(&p, q_places - p_places) || !scale_ten(&q, p_places - q_places))
    return "has a part with more than 19 digits";
  double x = p == 0 ? 0 : divide(p, q);
  *out = negative ? -x : x;
  return NULL;
}

// A number in a string: NULL, or what is wrong with it.
static const char *read_number(const char *text, double *out) {
  if (strchr(text, '/')) return read_fraction(text, out);
  // Jansson's own number: the same grammar and the same independence of the locale
  if (*text != '-' && (*text < '0' || *text > '9')) return "does not hold a number";
  json_t *number = json_loads(text, JSON_DECODE_ANY | JSON_DECODE_INT_AS_REAL, NULL);
  if (!json_is_number(number)) {
    json_decref(number);
    return "does not hold a number in the range of double";
  }
  *out = json_number_value(number);
  json_decref(number);
  return NULL;
}

static ss_error number_at(const ssi_json *in, const char *at, long long i, long long j,
                          const json_t *value, double *out) {
  if (json_is_real(value)) {
    *out = json_real_value(value);
    return SS_OK;
  }
  json_place p = {.i = i, .j = j};
  if (!json_is_string(value))
    return ssi_fail(in->ctx, SS_ERR_FORMAT, "%s: %s%s: found %s, expected a number", in->name, at,
                    place_text(&p), kind(value));
  const char *wrong = read_number(json_string_value(value), out);
  if (!wrong) return SS_OK;
  char text[48];
  return ssi_fail(in->ctx, SS_ERR_FORMAT,
                  "%s: %s%s: \"%s\" %s; expected a number, \"3/5\" or \"-0.25\"", in->name, at,
                  place_text(&p), printable(json_string_value(value), text), wrong);
}

ss_error ssi_json_number(const ssi_json *in, const char *at, const json_t *value, double *out) {
  return number_at(in, at, -1, -1, value, out);
}

static ss_error count_at(const ssi_json *in, const char *at, long long i, const json_t *value,
                         int low, int high, int *out) {
  json_place p = {.i = i, .j = -1};
  if (!json_is_real(value))
    return ssi_fail(in->ctx, SS_ERR_FORMAT, "%s: %s%s: found %s, expected a whole number", in->name,
                    at, place_text(&p), kind(value));
  double x = json_real_value(value);
  if (!(x >= low && x <= high && x == floor(x)))
    return ssi_fail(in->ctx, SS_ERR_FORMAT,
                    "%s: %s%s: found %.17g, expected a whole number in %d .. %d", in->name, at,
                    place_text(&p), x, low, high);
  *out = (int)x;
  return SS_OK;
}

ss_error ssi_json_count(const ssi_json *in, const char *at, const json_t *value, int low, int high,
                        int *out) {
  return count_at(in, at, -1, value, low, high, out);
}

// ---- vectors --------------------------------------------------------------------------------

ss_error ssi_json_vector(const ssi_json *in, const char *at, const json_t *value, int *length,
                         const char *why, double **out) {
  if (!json_is_array(value)) return wrong_kind(in, at, value, "an array of numbers");
  size_t found = json_array_size(value);
  if (*length >= 0 && found != (size_t)*length)
    return ssi_fail(in->ctx, SS_ERR_FORMAT, "%s: %s: found %zu numbers, expected %d (%s)", in->name,
                    at, found, *length, why);
  if (found > INT_MAX)
    return ssi_fail(in->ctx, SS_ERR_FORMAT, "%s: %s: found %zu numbers, expected at most %d",
                    in->name, at, found, INT_MAX);
  double *x = SSI_TAKE(in->arena, found, double);
  if (!x) return ssi_json_no_memory(in);
  for (size_t k = 0; k < found; k++)
    SS_TRY(number_at(in, at, (long long)k, -1, json_array_get(value, k), &x[k]));
  *length = (int)found;
  *out = x;
  return SS_OK;
}

ss_error ssi_json_text(const ssi_json *in, const char *at, const json_t *value, const char **out) {
  if (!json_is_string(value)) return wrong_kind(in, at, value, "a string");
  size_t length = json_string_length(value);
  char *copy = SSI_TAKE(in->arena, length + 1, char);
  if (!copy) return ssi_json_no_memory(in);
  memcpy(copy, json_string_value(value), length);
  *out = copy;
  return SS_OK;
}

// ---- matrices -------------------------------------------------------------------------------

static ss_error row_sizes(const ssi_json *in, const char *at, const json_t *value, int rows,
                          int cols) {
  if (json_array_size(value) != (size_t)rows)
    return ssi_fail(in->ctx, SS_ERR_FORMAT, "%s: %s: found %zu rows, expected %d", in->name, at,
                    json_array_size(value), rows);
  for (int i = 0; i < rows; i++) {
    const json_t *row = json_array_get(value, (size_t)i);
    json_place p = {.i = i, .j = -1};
    if (!json_is_array(row))
      return ssi_fail(in->ctx, SS_ERR_FORMAT, "%s: %s%s: found %s, expected a row of the matrix",
                      in->name, at, place_text(&p), kind(row));
    if (json_array_size(row) != (size_t)cols)
      return ssi_fail(in->ctx, SS_ERR_FORMAT,
                      "%s: %s%s: found %zu numbers in this row, expected %d", in->name, at,
                      place_text(&p), json_array_size(row), cols);
  }
  return SS_OK;
}

static ss_error matrix_from_rows(const ssi_json *in, const char *at, const json_t *value, int rows,
                                 int cols, ss_sparse *out) {
  SS_TRY(row_sizes(in, at, value, rows, cols));
  size_t most = (size_t)rows * (size_t)cols;  // that many numbers are in memory: no overflow
  int64_t *ptr = SSI_TAKE(in->arena, (size_t)rows + 1, int64_t);
  int *col = SSI_TAKE(in->arena, most, int);
  double *x = SSI_TAKE(in->arena, most, double);
  if (in->arena->failed) return ssi_json_no_memory(in);
  int64_t used = 0;
  for (int i = 0; i < rows; i++) {
    const json_t *row = json_array_get(value, (size_t)i);
    for (int j = 0; j < cols; j++) {
      double entry;
      SS_TRY(number_at(in, at, i, j, json_array_get(row, (size_t)j), &entry));
      if (entry == 0) continue;
      col[used] = j;
      x[used++] = entry;
    }
    ptr[i + 1] = used;
  }
  *out = (ss_sparse){rows, cols, ptr, col, x};
  return SS_OK;
}

static ss_error indices(const ssi_json *in, const char *at, const json_t *value, size_t count,
                        int below, int **out) {
  if (!json_is_array(value)) return wrong_kind(in, at, value, "an array of 0-based indices");
  if (json_array_size(value) != count)
    return ssi_fail(in->ctx, SS_ERR_FORMAT, "%s: %s: found %zu indices, expected %zu, one per x",
                    in->name, at, json_array_size(value), count);
  if (count && !below)
    return ssi_fail(in->ctx, SS_ERR_FORMAT, "%s: %s: found %zu indices into a matrix of size 0",
                    in->name, at, count);
  int *index = SSI_TAKE(in->arena, count, int);
  if (!index) return ssi_json_no_memory(in);
  for (size_t k = 0; k < count; k++)
    SS_TRY(count_at(in, at, (long long)k, json_array_get(value, k), 0, below - 1, &index[k]));
  *out = index;
  return SS_OK;
}

static const char *const triplet_keys[] = {"rows", "cols", "i", "j", "x", NULL};

static ss_error size_key(const ssi_json *in, const char *at, const json_t *value, int expected) {
  int found;
  SS_TRY(ssi_json_count(in, at, value, 0, INT_MAX, &found));
  if (found == expected) return SS_OK;
  return ssi_fail(in->ctx, SS_ERR_FORMAT, "%s: %s: found %d, expected %d", in->name, at, found,
                  expected);
}

static ss_error matrix_from_triplets(const ssi_json *in, const char *at, json_t *value, int rows,
                                     int cols, ss_sparse *out) {
  static const char *const key[5] = {"rows", "cols", "i", "j", "x"};
  char where[5][64];
  for (int k = 0; k < 5; k++) snprintf(where[k], sizeof where[k], "%.40s/%s", at, key[k]);
  SS_TRY(ssi_json_keys(in, at, value, triplet_keys));
  SS_TRY(size_key(in, where[0], json_object_get(value, "rows"), rows));
  SS_TRY(size_key(in, where[1], json_object_get(value, "cols"), cols));
  int count = -1, *i, *j;
  double *x;
  SS_TRY(ssi_json_vector(in, where[4], json_object_get(value, "x"), &count, "", &x));
  SS_TRY(indices(in, where[2], json_object_get(value, "i"), (size_t)count, rows, &i));
  SS_TRY(indices(in, where[3], json_object_get(value, "j"), (size_t)count, cols, &j));
  int64_t duplicates = 0;
  bool unsorted = false;
  if (!ssi_sparse_from_triplets(in->arena, rows, cols, count, i, j, x, out, &duplicates, &unsorted))
    return ssi_json_no_memory(in);
  if (duplicates)
    ssi_log(in->ctx, SS_LOG_WARN, "%s: %s: %lld duplicate entries summed", in->name, at,
            (long long)duplicates);
  if (unsorted) ssi_log(in->ctx, SS_LOG_WARN, "%s: %s: entries not in order, sorted", in->name, at);
  return SS_OK;
}

ss_error ssi_json_matrix(const ssi_json *in, const char *at, const json_t *value, int rows,
                         int cols, ss_sparse *out) {
  if (json_is_array(value)) return matrix_from_rows(in, at, value, rows, cols, out);
  if (json_is_object(value)) return matrix_from_triplets(in, at, (json_t *)value, rows, cols, out);
  return wrong_kind(in, at, value,
                    "an array of rows or {\"rows\":, \"cols\":, \"i\":[], \"j\":[], \"x\":[]}");
}
