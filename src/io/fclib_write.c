// Writes FCLIB files (docs/formats-fclib.md), with the layout and the types that FCLIB itself writes.
#include "base/error.h"
#include "io/fclib.h"

#include <limits.h>
#include <stdio.h>

#include "io/hdf5_image.h"
#include "la/sparse.h"

// ---- matrices ------------------------------------------------------------------------------

// A matrix as the file sees it: its rows are those of A, or its columns are (transposed).
typedef struct view {
  const char *name;
  const ss_sparse *A;
  int rows, cols;  // in the file
  bool transposed;
  ssi_storage storage;
} view;

static int *narrow_pointers(ssi_image *w, const ss_sparse *A, int rows) {
  int *p = ssi_alloc(w->ctx, (size_t)rows + 1, sizeof *p);
  if (!p) return ssi_image_no_memory(w), NULL;
  p[0] = 0;
  for (int k = 0; k < rows; k++) p[k + 1] = A->ptr ? (int)A->ptr[k + 1] : 0;  // checked: <= INT_MAX
  return p;
}

static int *row_indices(ssi_image *w, const ss_sparse *A, int64_t count) {
  int *i = ssi_alloc(w->ctx, (size_t)count, sizeof *i);
  if (!i) return ssi_image_no_memory(w), NULL;
  for (int k = 0; count && k < A->rows; k++)
    for (int64_t e = A->ptr[k]; e < A->ptr[k + 1]; e++) i[e] = k;
  return i;
}

static void put_entries(ssi_image *w, hid_t g, const view *v, const ss_sparse *A, int major) {
  int64_t count = ssi_sparse_entries(A);
  bool triplets = v->storage == SSI_TRIPLET;
  int *first = triplets ? row_indices(w, A, count) : narrow_pointers(w, A, major);
  const int *rows = v->transposed ? A->col : first, *cols = v->transposed ? first : A->col;
  ssi_image_ints(w, g, "p", triplets ? count : (int64_t)major + 1, triplets ? cols : first);
  ssi_image_ints(w, g, "i", count, triplets ? rows : A->col);
  ssi_image_doubles(w, g, "x", count, A->x);
  ssi_release(w->ctx, first);
}

static void put_matrix(ssi_image *w, hid_t parent, const view *v) {
  if (w->error) return;
  int64_t count = ssi_sparse_entries(v->A);
  hid_t g = ssi_image_group(w, parent, v->name);
  ssi_image_int(w, g, "nzmax", (int)count);  // checked: <= INT_MAX
  ssi_image_int(w, g, "m", v->rows);
  ssi_image_int(w, g, "n", v->cols);
  ssi_image_int(w, g, "nz", v->storage == SSI_TRIPLET ? (int)count : (int)v->storage);
  int rows = v->transposed ? v->cols : v->rows;  // of A
  bool as_is = v->storage == SSI_TRIPLET || (v->storage == SSI_CSR) != v->transposed;
  if (as_is) {
    put_entries(w, g, v, v->A, rows);
  } else {
    ssi_arena scratch = {.ctx = w->ctx};
    ss_sparse T = {0};
    if (v->A->ptr && !ssi_sparse_transpose(&scratch, v->A, &T)) ssi_image_no_memory(w);
    if (!w->error) put_entries(w, g, v, &T, v->transposed ? v->rows : v->cols);
    ssi_arena_release(&scratch);
  }
  ssi_image_leave(g);
}

// ---- the file ------------------------------------------------------------------------------

static ss_error check_matrix(ss_context *ctx, const char *path, const char *name,
                             const ss_sparse *A, int rows, int cols) {
  bool absent = A->rows == 0 && !A->ptr && (rows == 0 || cols == 0);
  if (!absent && (!A->ptr || A->rows != rows || A->cols != cols))
    return ssi_fail(ctx, SS_ERR_ARGUMENT, "%s: %s is %d x %d, expected %d x %d", path, name,
                    A->rows, A->cols, rows, cols);
  if (ssi_sparse_entries(A) > INT_MAX)
    return ssi_fail(ctx, SS_ERR_WRITE,
                    "%s: %s has %lld entries, but FCLIB counts in 32 bits: at most %d", path, name,
                    (long long)ssi_sparse_entries(A), INT_MAX);
  return SS_OK;
}

static ss_error check_vectors(ss_context *ctx, const char *path, const ss_problem *p) {
  bool local = p->form == SS_REDUCED;
  bool ok = p->nc == 0 || (p->mu && (local ? p->q : p->w));
  if (!local && p->ndof > 0 && !p->f) ok = false;
  if (p->nl > 0 && !(local ? p->s : p->b)) ok = false;
  if (ok) return SS_OK;
  return ssi_fail(ctx, SS_ERR_ARGUMENT, "%s: a vector of the problem is missing", path);
}

static ss_error check(ss_context *ctx, const char *path, const ss_problem *p) {
  if ((p->dim != 2 && p->dim != 3) || p->nc < 0 || p->nc > INT_MAX / p->dim || p->ndof < 0 ||
      p->nl < 0)
    return ssi_fail(ctx, SS_ERR_ARGUMENT, "%s: dim %d, nc %d, ndof %d, nl %d", path, p->dim, p->nc,
                    p->ndof, p->nl);
  int m = p->dim * p->nc;
  if (p->form == SS_REDUCED) {
    SS_TRY(check_matrix(ctx, path, "W", &p->W, m, m));
    if (p->nl > 0) SS_TRY(check_matrix(ctx, path, "V", &p->V, m, p->nl));
    if (p->nl > 0) SS_TRY(check_matrix(ctx, path, "R", &p->R, p->nl, p->nl));
  } else {
    SS_TRY(check_matrix(ctx, path, "M", &p->M, p->ndof, p->ndof));
    SS_TRY(check_matrix(ctx, path, "H", &p->H, m, p->ndof));
    if (p->nl > 0) SS_TRY(check_matrix(ctx, path, "G", &p->G, p->ndof, p->nl));
  }
  return check_vectors(ctx, path, p);
}

static void put_local(ssi_image *w, hid_t g, hid_t vectors, const ss_problem *p, ssi_storage as) {
  int m = p->dim * p->nc;
  put_matrix(w, g, &(view){"W", &p->W, m, m, false, as});
  ssi_image_doubles(w, vectors, "q", m, p->q);
  if (p->nl == 0) return;
  put_matrix(w, g, &(view){"V", &p->V, m, p->nl, false, as});
  put_matrix(w, g, &(view){"R", &p->R, p->nl, p->nl, false, as});
  ssi_image_doubles(w, vectors, "s", p->nl, p->s);
}

static void put_global(ssi_image *w, hid_t g, hid_t vectors, const ss_problem *p, ssi_storage as,
                       ssi_storage as_H) {
  int m = p->dim * p->nc;
  put_matrix(w, g, &(view){"M", &p->M, p->ndof, p->ndof, false, as});
  put_matrix(w, g, &(view){"H", &p->H, p->ndof, m, true, as_H});
  double *f = ssi_alloc(w->ctx, (size_t)p->ndof, sizeof *f);
  if (!f) return ssi_image_no_memory(w);
  for (int k = 0; k < p->ndof; k++) f[k] = -p->f[k];
  ssi_image_doubles(w, vectors, "f", p->ndof, f);
  ssi_release(w->ctx, f);
  ssi_image_doubles(w, vectors, "w", m, p->w);
  if (p->nl == 0) return;
  put_matrix(w, g, &(view){"G", &p->G, p->ndof, p->nl, false, as});
  ssi_image_doubles(w, vectors, "b", p->nl, p->b);
}

static void put_info(ssi_image *w, hid_t g, const ss_file *what) {
  if (!what->title && !what->description && !what->math_info) return;
  hid_t info = ssi_image_group(w, g, "info");
  ssi_image_text(w, info, "title", what->title);
  ssi_image_text(w, info, "description", what->description);
  ssi_image_text(w, info, "math_info", what->math_info);
  ssi_image_leave(info);
}

static void put_solution(ssi_image *w, hid_t parent, const char *name, const ss_problem *p,
                         const ss_solution *s) {
  int64_t m = (int64_t)p->dim * p->nc;
  hid_t g = ssi_image_group(w, parent, name);
  if (s->v && p->form == SS_GLOBAL) ssi_image_doubles(w, g, "v", p->ndof, s->v);
  if (s->u) ssi_image_doubles(w, g, "u", m, s->u);
  if (s->r) ssi_image_doubles(w, g, "r", m, s->r);
  if (s->l && p->nl > 0) ssi_image_doubles(w, g, "l", p->nl, s->l);
  ssi_image_leave(g);
}

static void put_guesses(ssi_image *w, const ss_file *what) {
  if (what->guess_count <= 0) return;
  hid_t g = ssi_image_group(w, w->file, "guesses");
  ssi_image_int(w, g, "number_of_guesses", what->guess_count);
  for (int k = 0; k < what->guess_count; k++) {
    char name[16];
    snprintf(name, sizeof name, "%d", k + 1);
    put_solution(w, g, name, &what->problem, &what->guesses[k]);
  }
  ssi_image_leave(g);
}

static void put_problem(ssi_image *w, const ss_file *what, ssi_storage as, ssi_storage as_H) {
  const ss_problem *p = &what->problem;
  hid_t g = ssi_image_group(w, w->file, p->form == SS_REDUCED ? "fclib_local" : "fclib_global");
  ssi_image_int(w, g, "spacedim", p->dim);
  put_info(w, g, what);
  hid_t vectors = ssi_image_group(w, g, "vectors");
  if (p->form == SS_REDUCED)
    put_local(w, g, vectors, p, as);
  else
    put_global(w, g, vectors, p, as, as_H);
  ssi_image_doubles(w, vectors, "mu", p->nc, p->mu);
  ssi_image_leave(vectors);
  ssi_image_leave(g);
}

// ---- the whole ------------------------------------------------------------------------------

ss_error ssi_write_fclib_as(ss_context *ctx, const char *path, const ss_file *what,
                            const ss_solution *solution, ssi_storage as, ssi_storage as_H) {
  const ss_solution *answer = solution ? solution : &what->solution;
  SS_TRY(check(ctx, path, &what->problem));
  if (what->normals)
    ssi_log(ctx, SS_LOG_WARN, "%s: FCLIB has no place for normals; everything is in contact frames",
            path);
  ssi_image w;
  ssi_image_begin(&w, ctx, path, path);
  put_problem(&w, what, as, as_H);
  if (answer->r || answer->u || answer->v || answer->l)
    put_solution(&w, w.file, "solution", &what->problem, answer);
  put_guesses(&w, what);
  ssi_image_save(&w);
  return ssi_image_end(&w);
}

// Triplets, row by row of ours: the one storage that every reader takes. Siconos 4.5.0 crashes on
// compressed rows of a local problem and on any compressed matrix of a global one.
ss_error ssi_write_fclib(ss_context *ctx, const char *path, const ss_file *what,
                         const ss_solution *solution) {
  return ssi_write_fclib_as(ctx, path, what, solution, SSI_TRIPLET, SSI_TRIPLET);
}
