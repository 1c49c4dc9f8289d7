// One Matrix Market file (docs/formats-matrix-market.md):
//
//   %%MatrixMarket matrix coordinate|array real|integer general|symmetric|skew-symmetric
//   % comments
//   rows cols entries     then  i j x   per entry, counted from 1          coordinate
//   rows cols             then  x       column by column                   array
//
// Symmetric and skew-symmetric files hold one triangle, by the format's own rule the lower one; in
// coordinate files the upper one is taken as well, both are refused.
//
// [MM] R. Boisvert, R. Pozo, K. Remington, The Matrix Market exchange formats: initial design,
//      NISTIR 5935, 1996.
#include "io/matrix_market.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "io/entries.h"
#include "io/text.h"

// A coordinate file of a few bytes can ask for any number of empty rows. Where nothing else vouches
// for its size this many are let through: some for everybody, and some for each entry.
enum { EMPTY_ALLOWED = 1000000, EMPTY_PER_ENTRY = 1000 };

typedef enum mtx_layout { COORDINATE, ARRAY } mtx_layout;
typedef enum field { REAL, INTEGER, COMPLEX, PATTERN } field;
typedef enum symmetry { GENERAL, SYMMETRIC, SKEW, HERMITIAN } symmetry;

typedef struct header {
  mtx_layout layout;
  field field;
  symmetry symmetry;
  int rows, cols;
  int64_t count;  // numbers in the file
} header;

// ---- the banner and the sizes ------------------------------------------------------------------

static char lower(char c) {
  return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

// Goes past the word at hand if it is `word`, in capitals or not.
static bool skip_if_word(ssi_text *t, const char *word) {
  ssi_text at = *t;
  ssi_text_skip_word(&at);
  size_t length = strlen(word);
  if ((size_t)(at.at - t->at) != length) return false;
  for (size_t k = 0; k < length; k++)
    if (lower(t->at[k]) != lower(word[k])) return false;
  *t = at;
  return true;
}

// One of `words`, which end with NULL, on the line of the banner.
static ss_error read_choice(ssi_text *t, const char *const *words, const char *expected, int *out) {
  ssi_text before = *t;
  if (ssi_text_more(t) && t->line == before.line)
    for (*out = 0; words[*out]; ++*out)
      if (skip_if_word(t, words[*out])) return SS_OK;
  if (t->line != before.line)
    return ssi_fail(t->ctx, SS_ERR_FORMAT, "%s:%lld: the line ends here, expected %s", t->name,
                    (long long)before.line, expected);
  return ssi_text_unexpected(t, expected);
}

static ss_error read_banner(ssi_text *t, header *h) {
  static const char *const matrix[] = {"matrix", NULL};
  static const char *const layouts[] = {"coordinate", "array", NULL};
  static const char *const fields[] = {"real", "integer", "complex", "pattern", NULL};
  static const char *const kinds[] = {"general", "symmetric", "skew-symmetric", "hermitian", NULL};
  int object, choice[3] = {0};
  if (!skip_if_word(t, "%%MatrixMarket"))
    return ssi_text_unexpected(t, "%%MatrixMarket at the beginning");
  SS_TRY(read_choice(t, matrix, "'matrix'", &object));
  SS_TRY(read_choice(t, layouts, "'coordinate' or 'array'", &choice[0]));
  SS_TRY(read_choice(t, fields, "'real' or 'integer'", &choice[1]));
  SS_TRY(read_choice(t, kinds, "'general', 'symmetric' or 'skew-symmetric'", &choice[2]));
  *h = (header){
      .layout = (mtx_layout)choice[0], .field = (field)choice[1], .symmetry = (symmetry)choice[2]};
  if (h->field == COMPLEX || h->field == PATTERN || h->symmetry == HERMITIAN)
    return ssi_fail(t->ctx, SS_ERR_FORMAT,
                    "%s:1: the matrix is %s, expected real or integer numbers", t->name,
                    h->field == PATTERN ? "a pattern without numbers" : "complex");
  ssi_text_skip_line(t);
  return SS_OK;
}

// Comments up to the line with the sizes; "%stickslip dim 3" among them says the dimension.
static ss_error read_comments(ssi_text *t, int *dim) {
  while (ssi_text_more(t) && *t->at == '%') {
    ssi_text comment = *t;
    int64_t value;
    if (dim && skip_if_word(&comment, "%stickslip") && ssi_text_skip_if(&comment, "dim") &&
        comment.line == t->line) {
      SS_TRY(ssi_text_integer(&comment, "dimension of contacts", -1, 2, 3, &value));
      *dim = (int)value;
    }
    ssi_text_skip_line(t);
  }
  return SS_OK;
}

static ss_error check_size(const ssi_text *t, const header *h, ssi_mtx_size expected) {
  bool fits = (expected.rows < 0 || h->rows == expected.rows) &&
              (expected.cols < 0 || h->cols == expected.cols);
  if (!fits) {
    char rows[16] = "any", cols[16] = "any";
    if (expected.rows >= 0) snprintf(rows, sizeof rows, "%d", expected.rows);
    if (expected.cols >= 0) snprintf(cols, sizeof cols, "%d", expected.cols);
    return ssi_fail(t->ctx, SS_ERR_FORMAT,
                    "%s:%lld: the matrix is %d x %d, expected %s x %s to fit the rest of the set",
                    t->name, (long long)t->line, h->rows, h->cols, rows, cols);
  }
  if (h->symmetry != GENERAL && h->rows != h->cols)
    return ssi_fail(t->ctx, SS_ERR_FORMAT,
                    "%s:%lld: the matrix is %d x %d, expected it square, for it is symmetric",
                    t->name, (long long)t->line, h->rows, h->cols);
  int64_t allowed = EMPTY_ALLOWED + EMPTY_PER_ENTRY * h->count;
  if ((expected.rows < 0 && h->rows > allowed) || (expected.cols < 0 && h->cols > allowed))
    return ssi_fail(t->ctx, SS_ERR_FORMAT,
                    "%s:%lld: the matrix is %d x %d with %lld entries, nearly all of it empty",
                    t->name, (long long)t->line, h->rows, h->cols, (long long)h->count);
  return SS_OK;
}

static ss_error read_sizes(ssi_text *t, ssi_mtx_size expected, header *h) {
  int64_t rows, cols;
  SS_TRY(ssi_text_integer(t, "number of rows", -1, 0, INT_MAX, &rows));
  SS_TRY(ssi_text_integer(t, "number of columns", -1, 0, INT_MAX, &cols));
  h->rows = (int)rows;
  h->cols = (int)cols;
  int bytes = 2;  // "0\n"
  if (h->layout == COORDINATE) {
    bytes = 6;  // "1 1 0\n"
    SS_TRY(ssi_text_integer(t, "number of entries", -1, 0, INT64_MAX, &h->count));
  } else {  // all, or a triangle with its diagonal or without
    h->count = h->symmetry == GENERAL     ? rows * cols
               : h->symmetry == SYMMETRIC ? rows * (rows + 1) / 2
                                          : rows * (rows - 1) / 2;
  }
  SS_TRY(ssi_text_room(t, "the matrix", h->count, bytes));
  return check_size(t, h, expected);
}

// ---- the numbers -------------------------------------------------------------------------------

static ss_error read_value(ssi_text *t, field f, int64_t k, double *x) {
  const int64_t exact = INT64_C(1) << 53;  // larger integers are not all doubles
  int64_t integer;
  if (f == REAL) return ssi_text_number(t, "the matrix", k, x);
  SS_TRY(ssi_text_integer(t, "the matrix", k, -exact, exact, &integer));
  *x = (double)integer;
  return SS_OK;
}

static ss_error read_coordinates(ssi_text *t, const header *h, ssi_entries *e) {
  for (int64_t k = 0; k < h->count; k++) {
    int i, j;
    double x;
    SS_TRY(ssi_text_index(t, "the rows", k, 1, h->rows, &i));
    SS_TRY(ssi_text_index(t, "the columns", k, 1, h->cols, &j));
    SS_TRY(read_value(t, h->field, k, &x));
    if (h->symmetry == SKEW && i == j && x != 0)
      return ssi_fail(
          t->ctx, SS_ERR_FORMAT,
          "%s:%lld: %g on the diagonal of a skew-symmetric matrix, expected nothing or 0", t->name,
          (long long)t->line, x);
    ssi_entries_add(e, i, j, x);
  }
  if (h->symmetry == GENERAL || !e->lower || !e->upper) return SS_OK;
  return ssi_fail(t->ctx, SS_ERR_FORMAT,
                  "%s: entries on both sides of the diagonal of a matrix said to be symmetric, "
                  "expected its lower triangle",
                  t->name);
}

// Zeros of a matrix are left out; those of a vector (one column) stay, with their sign.
static ss_error read_array(ssi_text *t, const header *h, ssi_entries *e) {
  int64_t k = 0;
  for (int j = 0; j < h->cols; j++) {
    int first = h->symmetry == GENERAL ? 0 : h->symmetry == SYMMETRIC ? j : j + 1;
    for (int i = first; i < h->rows; i++) {
      double x;
      SS_TRY(read_value(t, h->field, k++, &x));
      if (x != 0 || h->cols == 1) ssi_entries_add(e, i, j, x);
    }
  }
  return SS_OK;
}

static ss_error read_entries(ssi_text *t, const header *h, ssi_arena *scratch, ssi_entries *e) {
  bool half = h->symmetry != GENERAL;
  if (!ssi_entries_begin(e, scratch, h->rows, h->cols, half ? 2 * h->count : h->count))
    return ssi_fail(t->ctx, SS_ERR_MEMORY, "%s: no memory for %lld entries", t->name,
                    (long long)h->count);
  SS_TRY(h->layout == ARRAY ? read_array(t, h, e) : read_coordinates(t, h, e));
  if (half) ssi_entries_mirror(e, h->symmetry == SKEW ? -1 : 1);
  if (!ssi_text_more(t)) return SS_OK;
  char expected[64];
  snprintf(expected, sizeof expected, "the end of the file after %lld entries",
           (long long)h->count);
  return ssi_text_unexpected(t, expected);
}

static ss_error read_file(ssi_text *t, ssi_mtx_size expected, ssi_arena *scratch, int *dim,
                          ssi_entries *e) {
  header h;
  SS_TRY(read_banner(t, &h));
  SS_TRY(read_comments(t, dim));
  SS_TRY(read_sizes(t, expected, &h));
  return read_entries(t, &h, scratch, e);
}

ss_error ssi_read_mtx_sized(ss_context *ctx, const ssi_source *in, ssi_mtx_size expected,
                            ssi_arena *arena, ss_sparse *out, int *dim) {
  ssi_arena scratch = {.ctx = ctx};
  ssi_entries e;
  ssi_entry_notes notes;
  ssi_text t;
  ssi_text_begin(&t, ctx, in);
  ss_error error = read_file(&t, expected, &scratch, dim, &e);
  if (!error) {
    error = ssi_entries_finish(&e, false, arena, out, &notes);
    if (error == SS_ERR_MEMORY)
      ssi_fail(ctx, error, "%s: no memory for the matrix", in->name);
    else if (error)
      error = ssi_fail(ctx, SS_ERR_FORMAT, "%s: a sum of duplicate entries overflows", in->name);
    else
      ssi_entry_notes_say(ctx, in->name, &notes);
  }
  ssi_arena_release(&scratch);
  return error;
}

ss_error ssi_read_mtx(ss_context *ctx, const ssi_source *in, ssi_arena *arena, ss_sparse *out) {
  return ssi_read_mtx_sized(ctx, in, (ssi_mtx_size){-1, -1}, arena, out, NULL);
}
