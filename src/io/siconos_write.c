// Writing the text files that io/siconos_dat.c reads (docs/formats-siconos.md). Every real number has 17 digits, a point and
// an exponent: the same bits come back, and the q of a local problem is never taken for the header of a second matrix.
#include "base/error.h"
#include "io/reader.h"
#include "la/sparse.h"

#include <limits.h>
#include <stdlib.h>

typedef struct writer {
  ssi_output *o;
  ssi_arena *scratch;
  ss_siconos_storage storage;
} writer;

// Row after the last of each part: contacts, or the bodies of M.
typedef struct partition {
  int count;
  int *end;   // (count)
  int *part;  // of each row
} partition;

static void write_number(writer *w, double x) {
  ssi_output_text(w->o, " %.16e", x);
}

static void write_vector(writer *w, const double *x, int count, double sign) {
  for (int k = 0; k < count; k++) {
    write_number(w, sign * x[k]);
    ssi_output_text(w->o, "\n");
  }
}

static void write_integers(writer *w, const int *list, int count) {
  for (int k = 0; k < count; k++) ssi_output_text(w->o, "%d ", list[k]);
  ssi_output_text(w->o, "\n");
}

// ---- partitions ----------------------------------------------------------------------------------

static int first_of(const partition *p, int k) {
  return k ? p->end[k - 1] : 0;
}

static bool begin_partition(partition *p, int size, ssi_arena *scratch) {
  p->count = 0;
  p->end = SSI_TAKE(scratch, size, int);
  p->part = SSI_TAKE(scratch, size, int);
  return !scratch->failed;
}

static void close_part(partition *p, int end) {
  for (int i = first_of(p, p->count); i < end; i++) p->part[i] = p->count;
  p->end[p->count++] = end;
}

static bool cut_by_contacts(partition *p, int dim, int size, ssi_arena *scratch) {
  if (!begin_partition(p, size, scratch)) return false;
  for (int end = dim; end <= size; end += dim) close_part(p, end);
  return true;
}

// The finest one in which M is block-diagonal.
static bool cut_by_bodies(partition *p, const ss_sparse *M, ssi_arena *scratch) {
  int *reach = SSI_TAKE(scratch, M->rows, int);  // last row or column that row or column i meets
  if (!begin_partition(p, M->rows, scratch)) return false;
  for (int i = 0; i < M->rows; i++) reach[i] = i;
  for (int i = 0; i < M->rows; i++)
    for (int64_t k = M->ptr[i]; k < M->ptr[i + 1]; k++) {
      int j = M->col[k], low = i < j ? i : j, high = i < j ? j : i;
      if (high > reach[low]) reach[low] = high;
    }
  for (int i = 0, until = 0; i < M->rows; i++) {
    if (reach[i] > until) until = reach[i];
    if (until <= i) close_part(p, i + 1);
  }
  return true;
}

// ---- storages ------------------------------------------------------------------------------------

// The first line of a sparse matrix is skipped by its readers: Siconos has the name of CSparse there.
static void write_triplets(writer *w, const ss_sparse *A) {
  long long count = ssi_sparse_entries(A);
  ssi_output_text(w->o, "1\nwritten by stickslip\ntriplet: %d-by-%d, nzmax: %lld nnz: %lld\n",
                  A->rows, A->cols, count, count);
  for (int i = 0; i < A->rows; i++)
    for (int64_t k = A->ptr[i]; k < A->ptr[i + 1]; k++)
      ssi_output_text(w->o, "    %d %d : %.16e\n", i, A->col[k], A->x[k]);
}

// Rows i0 .. i1 - 1, columns j0 .. j1 - 1, column by column.
static void write_block(writer *w, const ss_sparse *A, int i0, int i1, int j0, int j1) {
  for (int j = j0; j < j1; j++) {
    for (int i = i0; i < i1; i++) write_number(w, ssi_sparse_entry(A, i, j));
    ssi_output_text(w->o, "\n");
  }
}

// The parts of columns in which part `a` of the rows has entries: marked in `seen` by a + 1, ascending in `list`.
static int columns_of(const ss_sparse *A, const partition *rows, const partition *cols, int a,
                      int *seen, int *list) {
  int count = 0;
  for (int64_t k = A->ptr[first_of(rows, a)]; k < A->ptr[rows->end[a]]; k++) {
    int b = cols->part[A->col[k]];
    if (seen[b] != a + 1) list[count++] = b;
    seen[b] = a + 1;
  }
  qsort(list, (size_t)count, sizeof *list, ssi_ascending);
  return count;
}

static bool write_blocks(writer *w, const ss_sparse *A, const partition *rows,
                         const partition *cols) {
  int64_t entries = ssi_sparse_entries(A);
  if (entries > INT_MAX) return false;  // blocks are counted by int in the file
  int *seen = SSI_TAKE(w->scratch, cols->count, int);
  int *ptr = SSI_TAKE(w->scratch, rows->count + 1, int);
  int *list = SSI_TAKE(w->scratch, entries, int);  // no more blocks than entries
  if (w->scratch->failed) return false;
  for (int a = 0; a < rows->count; a++)
    ptr[a + 1] = ptr[a] + columns_of(A, rows, cols, a, seen, list + ptr[a]);
  int count = ptr[rows->count];
  ssi_output_text(w->o, "%d\n", count);
  if (!count) return true;
  ssi_output_text(w->o, "%d %d\n", rows->count, cols->count);
  write_integers(w, rows->end, rows->count);
  write_integers(w, cols->end, cols->count);
  ssi_output_text(w->o, "%d %d\n", rows->count + 1, count);
  write_integers(w, ptr, rows->count + 1);
  write_integers(w, list, count);
  for (int a = 0; a < rows->count; a++)
    for (int k = ptr[a]; k < ptr[a + 1]; k++) {
      int b = list[k];
      ssi_output_text(w->o, "%d\n", k);
      write_block(w, A, first_of(rows, a), rows->end[a], first_of(cols, b), cols->end[b]);
    }
  return true;
}

static bool write_matrix(writer *w, const ss_sparse *A, const partition *rows,
                         const partition *cols) {
  ssi_output_text(w->o, "%d\n%d\n%d\n", (int)w->storage, A->rows, A->cols);
  if (w->storage == SS_SICONOS_BLOCKS) return write_blocks(w, A, rows, cols);
  if (w->storage == SS_SICONOS_SPARSE) {
    write_triplets(w, A);
    return true;
  }
  ssi_output_text(w->o, "%d %d\n", A->rows, A->cols);
  write_block(w, A, 0, A->rows, 0, A->cols);
  return true;
}

// ---- the file ------------------------------------------------------------------------------------

static bool write_local(writer *w, const ss_problem *p) {
  int m = p->dim * p->nc;
  ss_sparse W = p->W;
  partition contacts;
  if (!ssi_sparse_complete(w->scratch, m, m, &W)) return false;
  if (!cut_by_contacts(&contacts, p->dim, m, w->scratch)) return false;
  if (!write_matrix(w, &W, &contacts, &contacts)) return false;
  write_vector(w, p->q, m, 1);
  return true;
}

// Their H is ours transposed, their q is -f, their b is w.
static bool write_global(writer *w, const ss_problem *p) {
  int m = p->dim * p->nc;
  ss_sparse M = p->M, H = p->H, turned;
  partition contacts, bodies;
  if (!ssi_sparse_complete(w->scratch, p->ndof, p->ndof, &M)) return false;
  if (!ssi_sparse_complete(w->scratch, m, p->ndof, &H)) return false;
  if (!ssi_sparse_transpose(w->scratch, &H, &turned)) return false;
  if (!cut_by_contacts(&contacts, p->dim, m, w->scratch)) return false;
  if (!cut_by_bodies(&bodies, &M, w->scratch)) return false;
  if (!write_matrix(w, &M, &bodies, &bodies)) return false;
  if (!write_matrix(w, &turned, &bodies, &contacts)) return false;
  write_vector(w, p->f, p->ndof, -1);
  write_vector(w, p->w, m, 1);
  return true;
}

static ss_error write_problem(ss_context *ctx, const char *path, const ss_problem *p, writer *w) {
  SS_TRY(ssi_output_begin(ctx, path, &w->o));
  ssi_output_text(w->o, "%d\n%d\n", p->dim, p->nc);
  bool enough = p->form == SS_GLOBAL ? write_global(w, p) : write_local(w, p);
  if (!enough) {
    ssi_output_abandon(w->o);
    return ssi_fail(ctx, SS_ERR_MEMORY, "%s: no memory to write it", path);
  }
  write_vector(w, p->mu, p->nc, 1);
  return ssi_output_commit(ctx, w->o);
}

ss_error ssi_write_siconos(ss_context *ctx, const char *path, ss_siconos_storage storage,
                           const ss_file *what) {
  const ss_problem *p = &what->problem;
  if (p->nl > 0)
    return ssi_fail(ctx, SS_ERR_ARGUMENT,
                    "%s: a Siconos file has no place for the %d bilateral constraint%s", path,
                    p->nl, p->nl == 1 ? "" : "s");
  ssi_arena scratch = {.ctx = ctx};
  writer w = {.scratch = &scratch, .storage = storage};
  ss_error e = write_problem(ctx, path, p, &w);
  ssi_arena_release(&scratch);
  if (!e && (what->guess_count > 0 || what->solution.r))
    ssi_log(ctx, SS_LOG_WARN, "%s: solutions and guesses have no place in a Siconos file", path);
  return e;
}
