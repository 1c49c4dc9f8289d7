// Writes FCLIB files (docs/formats-fclib.md), with the layout and the types that FCLIB itself writes.
//
// The file is made in memory and put on disk in one go by plain output: when the disk is full,
// libhdf5 would be left with a file that it can neither finish nor forget. Times are not recorded,
// so that equal problems give equal files.
#define _POSIX_C_SOURCE 200809L
#include "base/error.h"
#include "io/fclib.h"

#ifdef SS_WITH_HDF5
#include <errno.h>
#include <hdf5.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "la/sparse.h"

// One file being made. Failure is sticky: callers write everything, then look once.
typedef struct writer {
  ss_context *ctx;
  const char *path;
  hid_t file, creation;  // creation: how datasets are made
  ss_error error;
} writer;

static void library_failed(writer *w, const char *what) {
  if (!w->error)
    w->error = ssi_fail(w->ctx, SS_ERR_WRITE, "%s: %s: libhdf5 cannot make it", w->path, what);
}

static void no_memory(writer *w) {
  if (!w->error) w->error = ssi_fail(w->ctx, SS_ERR_MEMORY, "%s: no memory", w->path);
}

// ---- pieces --------------------------------------------------------------------------------

static hid_t make_group(writer *w, hid_t parent, const char *name) {
  if (w->error) return H5I_INVALID_HID;
  hid_t g = H5Gcreate2(parent, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  if (g < 0) library_failed(w, name);
  return g;
}

static void leave_group(hid_t g) {
  if (g >= 0) H5Gclose(g);
}

static void put(writer *w, hid_t parent, const char *name, hid_t stored, hid_t given, hid_t space,
                const void *data) {
  if (w->error || space < 0) return library_failed(w, name);
  hid_t set = H5Dcreate2(parent, name, stored, space, H5P_DEFAULT, w->creation, H5P_DEFAULT);
  bool empty = H5Sget_simple_extent_npoints(space) == 0;
  bool ok = set >= 0 && (empty || H5Dwrite(set, given, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
  if (set >= 0 && H5Dclose(set) < 0) ok = false;
  if (!ok) library_failed(w, name);
}

static void put_array(writer *w, hid_t parent, const char *name, hid_t stored, hid_t given,
                      int64_t count, const void *data) {
  if (w->error) return;
  hsize_t length = (hsize_t)count;
  hid_t space = H5Screate_simple(1, &length, NULL);
  put(w, parent, name, stored, given, space, data);
  if (space >= 0) H5Sclose(space);
}

static void put_doubles(writer *w, hid_t parent, const char *name, int64_t count, const double *x) {
  put_array(w, parent, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, count, x);
}

static void put_ints(writer *w, hid_t parent, const char *name, int64_t count, const int *x) {
  put_array(w, parent, name, H5T_STD_I32LE, H5T_NATIVE_INT, count, x);
}

static void put_int(writer *w, hid_t parent, const char *name, int x) {
  put_ints(w, parent, name, 1, &x);
}

static void put_text(writer *w, hid_t parent, const char *name, const char *text) {
  if (w->error || !text) return;
  hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
  if (type < 0 || H5Tset_size(type, strlen(text) + 1) < 0)
    library_failed(w, name);
  else
    put(w, parent, name, type, type, space, text);
  if (type >= 0) H5Tclose(type);
  if (space >= 0) H5Sclose(space);
}

// ---- matrices ------------------------------------------------------------------------------

// A matrix as the file sees it: its rows are those of A, or its columns are (transposed).
typedef struct view {
  const char *name;
  const ss_sparse *A;
  int rows, cols;  // in the file
  bool transposed;
  ssi_storage storage;
} view;

static int *narrow_pointers(writer *w, const ss_sparse *A, int rows) {
  int *p = ssi_alloc(w->ctx, (size_t)rows + 1, sizeof *p);
  if (!p) return no_memory(w), NULL;
  p[0] = 0;
  for (int k = 0; k < rows; k++) p[k + 1] = A->ptr ? (int)A->ptr[k + 1] : 0;  // checked: <= INT_MAX
  return p;
}

static int *row_indices(writer *w, const ss_sparse *A, int64_t count) {
  int *i = ssi_alloc(w->ctx, (size_t)count, sizeof *i);
  if (!i) return no_memory(w), NULL;
  for (int k = 0; count && k < A->rows; k++)
    for (int64_t e = A->ptr[k]; e < A->ptr[k + 1]; e++) i[e] = k;
  return i;
}

static void put_entries(writer *w, hid_t g, const view *v, const ss_sparse *A, int major) {
  int64_t count = ssi_sparse_entries(A);
  bool triplets = v->storage == SSI_TRIPLET;
  int *first = triplets ? row_indices(w, A, count) : narrow_pointers(w, A, major);
  const int *rows = v->transposed ? A->col : first, *cols = v->transposed ? first : A->col;
  put_ints(w, g, "p", triplets ? count : (int64_t)major + 1, triplets ? cols : first);
  put_ints(w, g, "i", count, triplets ? rows : A->col);
  put_doubles(w, g, "x", count, A->x);
  ssi_release(w->ctx, first);
}

static void put_matrix(writer *w, hid_t parent, const view *v) {
  if (w->error) return;
  int64_t count = ssi_sparse_entries(v->A);
  hid_t g = make_group(w, parent, v->name);
  put_int(w, g, "nzmax", (int)count);  // checked: <= INT_MAX
  put_int(w, g, "m", v->rows);
  put_int(w, g, "n", v->cols);
  put_int(w, g, "nz", v->storage == SSI_TRIPLET ? (int)count : (int)v->storage);
  int rows = v->transposed ? v->cols : v->rows;  // of A
  bool as_is = v->storage == SSI_TRIPLET || (v->storage == SSI_CSR) != v->transposed;
  if (as_is) {
    put_entries(w, g, v, v->A, rows);
  } else {
    ssi_arena scratch = {.ctx = w->ctx};
    ss_sparse T = {0};
    if (v->A->ptr && !ssi_sparse_transpose(&scratch, v->A, &T)) no_memory(w);
    if (!w->error) put_entries(w, g, v, &T, v->transposed ? v->rows : v->cols);
    ssi_arena_release(&scratch);
  }
  leave_group(g);
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

static void put_local(writer *w, hid_t g, hid_t vectors, const ss_problem *p, ssi_storage as) {
  int m = p->dim * p->nc;
  put_matrix(w, g, &(view){"W", &p->W, m, m, false, as});
  put_doubles(w, vectors, "q", m, p->q);
  if (p->nl == 0) return;
  put_matrix(w, g, &(view){"V", &p->V, m, p->nl, false, as});
  put_matrix(w, g, &(view){"R", &p->R, p->nl, p->nl, false, as});
  put_doubles(w, vectors, "s", p->nl, p->s);
}

static void put_global(writer *w, hid_t g, hid_t vectors, const ss_problem *p, ssi_storage as,
                       ssi_storage as_H) {
  int m = p->dim * p->nc;
  put_matrix(w, g, &(view){"M", &p->M, p->ndof, p->ndof, false, as});
  put_matrix(w, g, &(view){"H", &p->H, p->ndof, m, true, as_H});
  double *f = ssi_alloc(w->ctx, (size_t)p->ndof, sizeof *f);
  if (!f) return no_memory(w);
  for (int k = 0; k < p->ndof; k++) f[k] = -p->f[k];
  put_doubles(w, vectors, "f", p->ndof, f);
  ssi_release(w->ctx, f);
  put_doubles(w, vectors, "w", m, p->w);
  if (p->nl == 0) return;
  put_matrix(w, g, &(view){"G", &p->G, p->ndof, p->nl, false, as});
  put_doubles(w, vectors, "b", p->nl, p->b);
}

static void put_info(writer *w, hid_t g, const ss_file *what) {
  if (!what->title && !what->description && !what->math_info) return;
  hid_t info = make_group(w, g, "info");
  put_text(w, info, "title", what->title);
  put_text(w, info, "description", what->description);
  put_text(w, info, "math_info", what->math_info);
  leave_group(info);
}

static void put_solution(writer *w, hid_t parent, const char *name, const ss_problem *p,
                         const ss_solution *s) {
  int64_t m = (int64_t)p->dim * p->nc;
  hid_t g = make_group(w, parent, name);
  if (s->v && p->form == SS_GLOBAL) put_doubles(w, g, "v", p->ndof, s->v);
  if (s->u) put_doubles(w, g, "u", m, s->u);
  if (s->r) put_doubles(w, g, "r", m, s->r);
  if (s->l && p->nl > 0) put_doubles(w, g, "l", p->nl, s->l);
  leave_group(g);
}

static void put_guesses(writer *w, const ss_file *what) {
  if (what->guess_count <= 0) return;
  hid_t g = make_group(w, w->file, "guesses");
  put_int(w, g, "number_of_guesses", what->guess_count);
  for (int k = 0; k < what->guess_count; k++) {
    char name[16];
    snprintf(name, sizeof name, "%d", k + 1);
    put_solution(w, g, name, &what->problem, &what->guesses[k]);
  }
  leave_group(g);
}

static void put_problem(writer *w, const ss_file *what, ssi_storage as, ssi_storage as_H) {
  const ss_problem *p = &what->problem;
  hid_t g = make_group(w, w->file, p->form == SS_REDUCED ? "fclib_local" : "fclib_global");
  put_int(w, g, "spacedim", p->dim);
  put_info(w, g, what);
  hid_t vectors = make_group(w, g, "vectors");
  if (p->form == SS_REDUCED)
    put_local(w, g, vectors, p, as);
  else
    put_global(w, g, vectors, p, as, as_H);
  put_doubles(w, vectors, "mu", p->nc, p->mu);
  leave_group(vectors);
  leave_group(g);
}

// ---- to disk -------------------------------------------------------------------------------

static void begin(writer *w) {
  char name[64];  // the core driver takes equal names for the same file
  snprintf(name, sizeof name, "stickslip-output-%p", (void *)w);
  hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  w->creation = H5Pcreate(H5P_DATASET_CREATE);
  if (access >= 0 && w->creation >= 0 && H5Pset_obj_track_times(w->creation, false) >= 0 &&
      H5Pset_fapl_core(access, 1 << 20, false) >= 0 &&
      H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) >= 0)
    w->file = H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, access);
  if (w->file < 0) library_failed(w, "the file");
  if (access >= 0) H5Pclose(access);
}

static void finish(writer *w) {
  if (w->file >= 0) H5Fclose(w->file);
  if (w->creation >= 0) H5Pclose(w->creation);
}

static void to_disk(writer *w, const char *image, size_t size) {
  FILE *f = fopen(w->path, "wb");
  if (!f) {
    w->error =
        ssi_fail(w->ctx, SS_ERR_WRITE, "%s: cannot be written: %s", w->path, strerror(errno));
    return;
  }
  bool ok = fwrite(image, 1, size, f) == size && fflush(f) == 0;
  if (ok && fsync(fileno(f)) != 0 && errno != EINVAL && errno != ENOTSUP) ok = false;
  int reason = errno;
  if (fclose(f) != 0 && ok) reason = errno, ok = false;
  if (ok) return;
  remove(w->path);
  w->error = ssi_fail(w->ctx, SS_ERR_WRITE, "%s: cannot be written: %s", w->path, strerror(reason));
}

static void save(writer *w) {
  if (w->error) return;
  ssize_t size = H5Fflush(w->file, H5F_SCOPE_GLOBAL) < 0 ? -1 : H5Fget_file_image(w->file, NULL, 0);
  if (size < 0) return library_failed(w, "the file");
  char *image = ssi_alloc(w->ctx, (size_t)size, 1);
  if (!image)
    no_memory(w);
  else if (H5Fget_file_image(w->file, image, (size_t)size) != size)
    library_failed(w, "the file");
  else
    to_disk(w, image, (size_t)size);
  ssi_release(w->ctx, image);
}

ss_error ssi_write_fclib_as(ss_context *ctx, const char *path, const ss_file *what,
                            const ss_solution *solution, ssi_storage as, ssi_storage as_H) {
  const ss_solution *answer = solution ? solution : &what->solution;
  SS_TRY(check(ctx, path, &what->problem));
  if (what->normals)
    ssi_log(ctx, SS_LOG_WARN, "%s: FCLIB has no place for normals; everything is in contact frames",
            path);
  H5E_auto2_t printing = NULL;
  void *printing_data = NULL;
  H5Eget_auto2(H5E_DEFAULT, &printing, &printing_data);
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  writer w = {ctx, path, H5I_INVALID_HID, H5I_INVALID_HID, SS_OK};
  begin(&w);
  put_problem(&w, what, as, as_H);
  if (answer->r || answer->u || answer->v || answer->l)
    put_solution(&w, w.file, "solution", &what->problem, answer);
  put_guesses(&w, what);
  save(&w);
  finish(&w);
  H5Eclear2(H5E_DEFAULT);
  H5Eset_auto2(H5E_DEFAULT, printing, printing_data);
  return w.error;
}

// Triplets, row by row of ours: the one storage that every reader takes. Siconos 4.5.0 crashes on
// compressed rows of a local problem and on any compressed matrix of a global one.
ss_error ssi_write_fclib(ss_context *ctx, const char *path, const ss_file *what,
                         const ss_solution *solution) {
  return ssi_write_fclib_as(ctx, path, what, solution, SSI_TRIPLET, SSI_TRIPLET);
}

#else

ss_error ssi_write_fclib_as(ss_context *ctx, const char *path, const ss_file *what,
                            const ss_solution *solution, ssi_storage as, ssi_storage as_H) {
  (void)what, (void)solution, (void)as, (void)as_H;
  return ssi_fail(ctx, SS_ERR_UNSUPPORTED, "%s: FCLIB files need HDF5, which this build is without",
                  path);
}

ss_error ssi_write_fclib(ss_context *ctx, const char *path, const ss_file *what,
                         const ss_solution *solution) {
  return ssi_write_fclib_as(ctx, path, what, solution, SSI_TRIPLET, SSI_TRIPLET);
}
#endif
