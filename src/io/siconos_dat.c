// The text files of the Siconos project (docs/formats-siconos.md):
//
//   local    d nc <matrix M> q mu                 u = M r + q
//   global   d nc <matrix M> <matrix H> q b mu    M v = H r + q,  u = H^T v + b
//
// In our names: W = M (local); H = their H^T, f = -q, w = b (global). A file does not say which of
// the two it is. It is taken for global when a second matrix of the right size follows and all the
// rest is there, else for local; what follows the last number needed is ignored.
//
//   <matrix> = storage rows cols body,   storage 0 dense, 1 sparse blocks, 2 sparse; indices from 0
#include "io/text.h"

#include <limits.h>
#include <stdio.h>

#include "base/error.h"
#include "io/entries.h"

// How much of a second matrix is there: the measure of how plausible the global reading is.
typedef enum second_matrix { NOTHING, A_HEADER, A_HEADER_THAT_FITS } second_matrix;

typedef struct reader {
  ssi_text text;
  ssi_arena *arena;    // for what is kept
  ssi_arena *scratch;  // for what is only needed while reading
  second_matrix seen;
} reader;

typedef struct dat_matrix {
  const char *name;  // "M" or "H", for messages
  int rows, cols;    // expected, then found; rows < 0: any square matrix
  bool transposed;   // whether the transpose is wanted
  ss_sparse value;
  ssi_entry_notes notes;
} dat_matrix;

static ss_error no_memory(const reader *r, const dat_matrix *m) {
  return ssi_fail(r->text.ctx, SS_ERR_MEMORY, "%s: no memory for matrix %s", r->text.name, m->name);
}

static ss_error read_int(reader *r, const char *what, int64_t low, int64_t high, int *out) {
  int64_t value;
  SS_TRY(ssi_text_integer(&r->text, what, -1, low, high, &value));
  *out = (int)value;
  return SS_OK;
}

// ---- dense: rows cols again, then the columns one after the other ----------------------------

// Exact zeros are left out: most of a dense Delassus matrix of a real scene is zero.
static ss_error read_dense(reader *r, dat_matrix *m, ssi_entries *e) {
  int again;
  SS_TRY(read_int(r, "number of rows, repeated", m->rows, m->rows, &again));
  SS_TRY(read_int(r, "number of columns, repeated", m->cols, m->cols, &again));
  int64_t count = (int64_t)m->rows * m->cols, k = 0;
  SS_TRY(ssi_text_room(&r->text, m->name, count, 2));
  if (!ssi_entries_begin(e, r->scratch, m->rows, m->cols, count)) return no_memory(r, m);
  for (int j = 0; j < m->cols; j++)
    for (int i = 0; i < m->rows; i++) {
      double x;
      SS_TRY(ssi_text_number(&r->text, m->name, k++, &x));
      if (x != 0) ssi_entries_add(e, i, j, x);
    }
  return SS_OK;
}

// ---- sparse blocks: compressed rows of dense blocks --------------------------------------------

typedef struct blocks {
  int count, rows, cols;   // blocks, block rows, block columns
  int *row_end, *col_end;  // row after the last of each block row   (rows), (cols)
  int *ptr;                // first block of each block row          (rows + 1)
  int *col;                // block column of each block             (count)
} blocks;

// `count` integers that never decrease, the last of them `last`.
static ss_error read_increasing(reader *r, const char *what, int count, int first, int last,
                                int **out) {
  SS_TRY(ssi_text_room(&r->text, what, count, 2));
  int *list = *out = SSI_TAKE(r->scratch, count, int);
  if (!list) return ssi_fail(r->text.ctx, SS_ERR_MEMORY, "%s: no memory", r->text.name);
  for (int k = 0; k < count; k++) {
    int64_t value;
    int low = k == count - 1 ? last : k == 0 ? first : list[k - 1];
    if (k > 0 && list[k - 1] > low) low = list[k - 1];
    SS_TRY(ssi_text_integer(&r->text, what, k, low, last, &value));
    list[k] = (int)value;
  }
  return SS_OK;
}

static ss_error read_block_pattern(reader *r, const dat_matrix *m, blocks *b) {
  ssi_text *t = &r->text;
  int pointers, again;
  SS_TRY(read_int(r, "number of block rows", m->rows > 0, m->rows, &b->rows));
  SS_TRY(read_int(r, "number of block columns", m->cols > 0, m->cols, &b->cols));
  SS_TRY(read_increasing(r, "block row ends", b->rows, 0, m->rows, &b->row_end));
  SS_TRY(read_increasing(r, "block column ends", b->cols, 0, m->cols, &b->col_end));
  SS_TRY(read_int(r, "number of block row pointers", 2, (int64_t)b->rows + 1, &pointers));
  SS_TRY(read_int(r, "number of blocks, repeated", b->count, b->count, &again));
  int *given;  // pointers of trailing empty block rows are not written
  SS_TRY(read_increasing(r, "block row pointers", pointers, 0, b->count, &given));
  b->ptr = SSI_TAKE(r->scratch, (size_t)b->rows + 1, int);
  SS_TRY(ssi_text_room(t, "the list of block columns", b->count, 2));
  b->col = SSI_TAKE(r->scratch, b->count, int);
  if (r->scratch->failed) return no_memory(r, m);
  for (int k = 0; k <= b->rows; k++) b->ptr[k] = k < pointers ? given[k] : b->count;
  for (int k = 0; k < b->count; k++)
    SS_TRY(ssi_text_index(t, "block column indices", k, 0, b->cols, &b->col[k]));
  if (b->ptr[0] == 0) return SS_OK;
  return ssi_fail(t->ctx, SS_ERR_FORMAT,
                  "%s:%lld: matrix %s: the first block row begins with block %d, expected 0",
                  t->name, (long long)t->line, m->name, b->ptr[0]);
}

static int block_first(const int *ends, int k) {
  return k > 0 ? ends[k - 1] : 0;
}

static int block_size(const int *ends, int k) {
  return ends[k] - block_first(ends, k);
}

// How many numbers the blocks hold; checked against the file as it grows, so it cannot overflow.
static ss_error count_block_numbers(reader *r, const blocks *b, int64_t *total) {
  *total = 0;
  for (int i = 0; i < b->rows; i++)
    for (int k = b->ptr[i]; k < b->ptr[i + 1]; k++) {
      *total += (int64_t)block_size(b->row_end, i) * block_size(b->col_end, b->col[k]);
      SS_TRY(ssi_text_room(&r->text, "the content of the blocks", *total, 2));
    }
  return SS_OK;
}

// One block: its number, then its columns one after the other.
static ss_error read_block(reader *r, const dat_matrix *m, const blocks *b, int row, int k,
                           ssi_entries *e) {
  int number, i0 = block_first(b->row_end, row), j0 = block_first(b->col_end, b->col[k]);
  SS_TRY(read_int(r, "number of the next block", k, k, &number));
  for (int j = j0; j < b->col_end[b->col[k]]; j++)
    for (int i = i0; i < b->row_end[row]; i++) {
      double x;
      SS_TRY(ssi_text_number(&r->text, m->name, e->count, &x));
      if (x != 0) ssi_entries_add(e, i, j, x);
    }
  return SS_OK;
}

static ss_error read_blocks(reader *r, dat_matrix *m, ssi_entries *e) {
  blocks b = {0};
  int64_t numbers;
  SS_TRY(read_int(r, "number of blocks", 0, INT_MAX, &b.count));
  if (b.count == 0)
    return ssi_entries_begin(e, r->scratch, m->rows, m->cols, 0) ? SS_OK : no_memory(r, m);
  SS_TRY(ssi_text_room(&r->text, "the list of blocks", b.count, 2));
  SS_TRY(read_block_pattern(r, m, &b));
  SS_TRY(count_block_numbers(r, &b, &numbers));
  if (!ssi_entries_begin(e, r->scratch, m->rows, m->cols, numbers)) return no_memory(r, m);
  bool sorted = true;
  for (int i = 0; i < b.rows; i++)
    for (int k = b.ptr[i]; k < b.ptr[i + 1]; k++) {
      SS_TRY(read_block(r, m, &b, i, k, e));
      if (k > b.ptr[i] && b.col[k] < b.col[k - 1]) sorted = false;
    }
  e->by_rows = sorted;  // of the blocks; inside a block the order is always the same
  return SS_OK;
}

// ---- sparse: what CSparse prints ---------------------------------------------------------------

typedef enum origin { TRIPLET = 1, COLUMNS, ROWS, HALF_TRIPLET } origin;  // as in the file

// [triplet:|csr:] <rows>-by-<cols>, nzmax: <N> nnz: <K> ...
static ss_error read_sparse_header(reader *r, const dat_matrix *m, origin o, int64_t *count) {
  ssi_text *t = &r->text;
  int64_t ignored;
  int size;
  t->stops = ":,-";
  if (o == TRIPLET || o == HALF_TRIPLET)
    SS_TRY(ssi_text_literal(t, "triplet:"));
  else if (o == ROWS)
    ssi_text_skip_if(t, "csr:");
  SS_TRY(read_int(r, "number of rows, repeated", m->rows, m->rows, &size));
  SS_TRY(ssi_text_literal(t, "-by-"));
  SS_TRY(read_int(r, "number of columns, repeated", m->cols, m->cols, &size));
  SS_TRY(ssi_text_literal(t, ","));
  SS_TRY(ssi_text_literal(t, "nzmax:"));
  SS_TRY(ssi_text_integer(t, "nzmax", -1, 0, INT64_MAX, &ignored));
  SS_TRY(ssi_text_literal(t, "nnz:"));
  SS_TRY(ssi_text_integer(t, "number of entries", -1, 0, INT64_MAX, count));
  ssi_text_skip_line(t);                                  // ", 1-norm: <v>"
  return ssi_text_room(t, "a sparse matrix", *count, 4);  // "0:0\n" is the shortest
}

// <i> <j> : <x>
static ss_error read_triplets(reader *r, const dat_matrix *m, int64_t count, ssi_entries *e) {
  ssi_text *t = &r->text;
  for (int64_t k = 0; k < count; k++) {
    int i, j;
    double x;
    SS_TRY(ssi_text_index(t, "matrix rows", k, 0, m->rows, &i));
    SS_TRY(ssi_text_index(t, "matrix columns", k, 0, m->cols, &j));
    SS_TRY(ssi_text_literal(t, ":"));
    SS_TRY(ssi_text_number(t, m->name, k, &x));
    ssi_entries_add(e, i, j, x);
  }
  return SS_OK;
}

// Only one triangle is stored; the other one is its mirror image.
static ss_error complete_half(reader *r, const dat_matrix *m, ssi_entries *e) {
  const ssi_text *t = &r->text;
  if (m->rows != m->cols || (e->lower && e->upper))
    return ssi_fail(t->ctx, SS_ERR_FORMAT,
                    "%s:%lld: matrix %s is stored as half triplets but has %s", t->name,
                    (long long)t->line, m->name,
                    m->rows != m->cols ? "not as many rows as columns"
                                       : "entries on both sides of the diagonal");
  ssi_entries_mirror(e, 1);
  return SS_OK;
}

// col <j> : locations <a> to <b>   then b - a + 1 times   <i> : <x>      (CSR: rows for columns)
static ss_error read_compressed(reader *r, const dat_matrix *m, bool rows, int64_t count,
                                ssi_entries *e) {
  ssi_text *t = &r->text;
  for (int major = 0; major < m->cols; major++) {
    int64_t number, first, last;
    if (!rows || !ssi_text_skip_if(t, "row")) SS_TRY(ssi_text_literal(t, "col"));
    SS_TRY(ssi_text_integer(t, rows ? "row number" : "column number", -1, major, major, &number));
    SS_TRY(ssi_text_literal(t, ":"));
    SS_TRY(ssi_text_literal(t, "locations"));
    SS_TRY(ssi_text_integer(t, "first location", -1, e->count, e->count, &first));
    SS_TRY(ssi_text_literal(t, "to"));
    SS_TRY(ssi_text_integer(t, "last location", -1, e->count - 1, count - 1, &last));
    while (e->count <= last) {
      int minor;
      double x;
      SS_TRY(ssi_text_index(t, "matrix", e->count, 0, rows ? m->cols : m->rows, &minor));
      SS_TRY(ssi_text_literal(t, ":"));
      SS_TRY(ssi_text_number(t, m->name, e->count, &x));
      ssi_entries_add(e, rows ? major : minor, rows ? minor : major, x);
    }
  }
  if (e->count == count) return SS_OK;
  return ssi_fail(t->ctx, SS_ERR_FORMAT,
                  "%s:%lld: matrix %s ends after %lld entries, expected %lld (its nnz)", t->name,
                  (long long)t->line, m->name, (long long)e->count, (long long)count);
}

static ss_error read_sparse(reader *r, dat_matrix *m, ssi_entries *e) {
  ssi_text *t = &r->text;
  int kind;
  int64_t count;
  SS_TRY(read_int(r, "origin of the sparse matrix", TRIPLET, HALF_TRIPLET, &kind));
  ssi_text_skip_line(t);
  ssi_text_skip_line(t);  // "CSparse Version 3.1.9, ..."
  SS_TRY(read_sparse_header(r, m, (origin)kind, &count));
  if (kind == ROWS && m->rows != m->cols)
    return ssi_fail(t->ctx, SS_ERR_FORMAT,
                    "%s:%lld: matrix %s is CSR, %d x %d; this format can hold only square CSR",
                    t->name, (long long)t->line, m->name, m->rows, m->cols);
  if (!ssi_entries_begin(e, r->scratch, m->rows, m->cols, kind == HALF_TRIPLET ? 2 * count : count))
    return no_memory(r, m);
  t->stops = ":";
  if (kind == TRIPLET || kind == HALF_TRIPLET)
    SS_TRY(read_triplets(r, m, count, e));
  else
    SS_TRY(read_compressed(r, m, kind == ROWS, count, e));
  t->stops = "";
  return kind == HALF_TRIPLET ? complete_half(r, m, e) : SS_OK;
}

// ---- a matrix of any storage -------------------------------------------------------------------

static ss_error read_matrix_header(reader *r, dat_matrix *m, int *storage) {
  ssi_text *t = &r->text;
  char what[64];
  int rows, cols;
  snprintf(what, sizeof what, "storage type of matrix %s", m->name);
  SS_TRY(read_int(r, what, 0, 2, storage));
  SS_TRY(read_int(r, "number of rows", 0, INT_MAX, &rows));
  SS_TRY(read_int(r, "number of columns", 0, INT_MAX, &cols));
  r->seen = A_HEADER;
  if (m->rows < 0 ? rows != cols : (rows != m->rows || cols != m->cols)) {
    char expected[64] = "as many rows as columns";
    if (m->rows >= 0) snprintf(expected, sizeof expected, "%d x %d", m->rows, m->cols);
    return ssi_fail(t->ctx, SS_ERR_FORMAT, "%s:%lld: matrix %s is %d x %d, expected %s", t->name,
                    (long long)t->line, m->name, rows, cols, expected);
  }
  r->seen = A_HEADER_THAT_FITS;
  m->rows = rows;
  m->cols = cols;
  // for every row and for every column there is one number in the vectors behind the matrix
  return ssi_text_room(t, "a matrix with its vectors", rows > cols ? rows : cols, 2);
}

static ss_error read_matrix(reader *r, dat_matrix *m) {
  ssi_entries e;
  int storage;
  SS_TRY(read_matrix_header(r, m, &storage));
  if (storage == 0)
    SS_TRY(read_dense(r, m, &e));
  else if (storage == 1)
    SS_TRY(read_blocks(r, m, &e));
  else
    SS_TRY(read_sparse(r, m, &e));
  ss_error error = ssi_entries_finish(&e, m->transposed, r->arena, &m->value, &m->notes);
  if (error == SS_ERR_MEMORY) return no_memory(r, m);
  if (error)
    return ssi_fail(r->text.ctx, SS_ERR_FORMAT,
                    "%s: matrix %s: a sum of duplicate entries overflows", r->text.name, m->name);
  return SS_OK;
}

// ---- the two kinds of problem ------------------------------------------------------------------

static ss_error read_friction(reader *r, ss_problem *p) {
  ssi_text *t = &r->text;
  SS_TRY(ssi_text_room(t, "mu", p->nc, 2));
  double *mu = SSI_TAKE(r->arena, p->nc, double);
  if (!mu) return ssi_fail(t->ctx, SS_ERR_MEMORY, "%s: no memory for mu", t->name);
  for (int k = 0; k < p->nc; k++) {
    SS_TRY(ssi_text_number(t, "mu", k, &mu[k]));
    if (mu[k] < 0)
      return ssi_fail(t->ctx, SS_ERR_FORMAT,
                      "%s:%lld: friction coefficient of contact %d is %g, expected >= 0", t->name,
                      (long long)t->line, k, mu[k]);
  }
  p->mu = mu;
  return SS_OK;
}

static ss_error read_local_rest(reader *r, const dat_matrix *M, ss_problem *p) {
  const ssi_text *t = &r->text;
  int size = p->dim * p->nc;
  double *q;
  if (M->rows != size)
    return ssi_fail(
        t->ctx, SS_ERR_FORMAT,
        "%s:%lld: matrix M is %d x %d, expected %d x %d for %d contacts of dimension %d", t->name,
        (long long)t->line, M->rows, M->cols, size, size, p->nc, p->dim);
  SS_TRY(ssi_text_vector(&r->text, "q", size, r->arena, &q));
  p->form = SS_REDUCED;
  p->W = M->value;
  p->q = q;
  return read_friction(r, p);
}

static ss_error read_global_rest(reader *r, const dat_matrix *M, dat_matrix *H, ss_problem *p) {
  double *q, *b;
  *H = (dat_matrix){.name = "H", .rows = M->rows, .cols = p->dim * p->nc, .transposed = true};
  r->seen = NOTHING;
  SS_TRY(read_matrix(r, H));
  SS_TRY(ssi_text_vector(&r->text, "q", M->rows, r->arena, &q));
  SS_TRY(ssi_text_vector(&r->text, "b", H->cols, r->arena, &b));
  for (int k = 0; k < M->rows; k++) q[k] = -q[k];
  p->form = SS_GLOBAL;
  p->ndof = M->rows;
  p->M = M->value;
  p->H = H->value;
  p->f = q;
  p->w = b;
  return read_friction(r, p);
}

static int words_left(ssi_text text, int most) {
  int count = 0;
  for (; count < most && ssi_text_more(&text); count++) ssi_text_skip_word(&text);
  return count;
}

// Neither reading is possible and M cannot be that of a local problem.
static ss_error neither(reader *r, const dat_matrix *M, const ss_problem *p) {
  char expected[200];
  snprintf(expected, sizeof expected,
           "a second matrix (M is %d x %d: a local problem with %d contacts of dimension %d would "
           "have %d x %d)",
           M->rows, M->cols, p->nc, p->dim, p->dim * p->nc, p->dim * p->nc);
  return ssi_text_unexpected(&r->text, expected);
}

// Global first: a global problem with as many degrees of freedom as contact components would also
// pass for a local one followed by many more words. At most one is usual there, so with more, and a
// second matrix that fits, the error of the global reading is the answer.
static ss_error read_either(reader *r, const dat_matrix *M, dat_matrix *H, ss_problem *p) {
  ss_context *ctx = r->text.ctx, trial = ctx ? *ctx : (ss_context){0};
  reader before = *r;
  ss_problem start = *p;
  r->text.ctx = &trial;
  ss_error error = read_global_rest(r, M, H, p);
  second_matrix seen = r->seen;
  r->text.ctx = ctx;
  if (!error) return SS_OK;
  if (error != SS_ERR_MEMORY && (seen == NOTHING || M->rows == p->dim * p->nc)) {
    *H = (dat_matrix){.name = "H"};
    *p = start;
    *r = before;
    if (M->rows != p->dim * p->nc) return neither(r, M, p);
    ss_error local = read_local_rest(r, M, p);
    if (local == SS_ERR_MEMORY || seen != A_HEADER_THAT_FITS) return local;
    if (!local && words_left(r->text, 2) < 2) return SS_OK;
  }
  return ssi_fail(ctx, error, "%s", trial.message);
}

static void say_notes(const ssi_text *t, const dat_matrix *m) {
  char place[512];
  snprintf(place, sizeof place, "%s: matrix %s", t->name, m->name);
  ssi_entry_notes_say(t->ctx, place, &m->notes);
}

static ss_error read_problem(reader *r, ss_form_hint form, ss_problem *p) {
  ssi_text *t = &r->text;
  dat_matrix M = {.name = "M", .rows = -1}, H = {.name = "H"};
  SS_TRY(read_int(r, "dimension of contacts", 2, 3, &p->dim));
  SS_TRY(read_int(r, "number of contacts", 0, INT_MAX / 3, &p->nc));
  SS_TRY(ssi_text_room(t, "mu", p->nc, 2));
  if (form == SS_FORM_LOCAL) M.rows = M.cols = p->dim * p->nc;
  SS_TRY(read_matrix(r, &M));
  if (form == SS_FORM_LOCAL)
    SS_TRY(read_local_rest(r, &M, p));
  else if (form == SS_FORM_GLOBAL)
    SS_TRY(read_global_rest(r, &M, &H, p));
  else
    SS_TRY(read_either(r, &M, &H, p));
  say_notes(t, &M);
  say_notes(t, &H);
  if (ssi_text_more(t))
    ssi_log(t->ctx, SS_LOG_INFO, "%s:%lld: what follows the last friction coefficient is ignored",
            t->name, (long long)t->line);
  return SS_OK;
}

ss_error ssi_read_siconos(ss_context *ctx, const ssi_source *in, ss_form_hint form,
                          ssi_arena *arena, ss_file *out) {
  ssi_arena scratch = {.ctx = ctx};
  reader r = {.arena = arena, .scratch = &scratch};
  ss_problem p = {0};
  ssi_text_begin(&r.text, ctx, in);
  ss_error error = read_problem(&r, form, &p);
  ssi_arena_release(&scratch);
  if (error) return error;
  out->format = SS_FORMAT_SICONOS;
  out->problem = p;
  return SS_OK;
}
