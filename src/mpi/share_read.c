// Each rank reads even parts of every array by hyperslabs; who needs what is sorted out afterwards (share_build.c).
// No child process reads for us, as there must be no fork once MPI runs: a damaged file may bring libhdf5 down.
#define _POSIX_C_SOURCE 200809L
#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/share_file.h"
#include "mpi/share_general.h"
#include "mpi/share_order.h"
#include "mpi/share_same.h"

typedef struct shared_file {
  ranks *c;
  const char *path;
  hid_t id;
} shared_file;

static ss_error bad(const shared_file *h, const char *place, const char *what) {
  return ssi_fail(h->c->ctx, SS_ERR_FORMAT, "%s: %s: %s", h->path, place, what);
}

static ss_error open_file(ranks *c, const char *path, shared_file *out) {
  *out = (shared_file){c, path, -1};
  SS_TRY(share_same_file(c, path));
  H5Eset_auto(H5E_DEFAULT, NULL, NULL);
  hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_fapl_mpio(access, c->comm, MPI_INFO_NULL);
  out->id = H5Fopen(path, H5F_ACC_RDONLY, access);
  H5Pclose(access);
  return ranks_agree(c, out->id < 0
                            ? ssi_fail(c->ctx, SS_ERR_FORMAT,
                                       "%s: no HDF5 file, or a damaged or truncated one", path)
                            : SS_OK);
}

// H5Lexists wants every part of a path before the last one to be there.
static bool exists(const shared_file *h, const char *place) {
  char part[200];
  for (const char *end = strchr(place + 1, '/');; end = strchr(end + 1, '/')) {
    snprintf(part, sizeof part, "%.*s", (int)(end ? end - place : (long)strlen(place)), place);
    if (H5Lexists(h->id, part, H5P_DEFAULT) <= 0) return false;
    if (!end) return true;
  }
}

static ss_error length_of(const shared_file *h, const char *place, int64_t *length) {
  hsize_t size = 0;
  if (!exists(h, place)) return bad(h, place, "missing");
  hid_t data = H5Dopen(h->id, place, H5P_DEFAULT), space = data < 0 ? -1 : H5Dget_space(data);
  bool plain = space >= 0 && H5Sget_simple_extent_ndims(space) == 1;
  if (plain) H5Sget_simple_extent_dims(space, &size, NULL);
  if (space >= 0) H5Sclose(space);
  if (data >= 0) H5Dclose(data);
  *length = (int64_t)size;
  return plain ? SS_OK : bad(h, place, "expected an array");
}

// `count` elements from `first` on, as `type`.
static ss_error read_part(const shared_file *h, const char *place, hid_t type, int64_t first,
                          int64_t count, void *out) {
  hsize_t from = (hsize_t)first, size = (hsize_t)count;
  hid_t data = H5Dopen(h->id, place, H5P_DEFAULT), space = data < 0 ? -1 : H5Dget_space(data);
  hid_t memory = H5Screate_simple(1, &size, NULL);
  bool ok = space >= 0 && memory >= 0;
  if (ok && count) H5Sselect_hyperslab(space, H5S_SELECT_SET, &from, NULL, &size, NULL);
  if (ok && count) ok = H5Dread(data, type, memory, space, H5P_DEFAULT, out) >= 0;
  if (memory >= 0) H5Sclose(memory);
  if (space >= 0) H5Sclose(space);
  if (data >= 0) H5Dclose(data);
  return ok ? SS_OK : bad(h, place, "cannot be read");
}

static ss_error read_numbers(const shared_file *h, const char *place, int64_t expected,
                             int64_t first, int64_t count, double *out) {
  int64_t length;
  SS_TRY(length_of(h, place, &length));
  if (length != expected)
    return ssi_fail(h->c->ctx, SS_ERR_FORMAT, "%s: %s: %lld elements, expected %lld", h->path,
                    place, (long long)length, (long long)expected);
  SS_TRY(read_part(h, place, H5T_NATIVE_DOUBLE, first, count, out));
  for (int64_t k = 0; k < count; k++)
    if (!isfinite(out[k]))
      return ssi_fail(h->c->ctx, SS_ERR_FORMAT, "%s: %s: element %lld is %g, expected finite",
                      h->path, place, (long long)(first + k), out[k]);
  return SS_OK;
}

static ss_error read_one(const shared_file *h, const char *place, int64_t *out) {
  int64_t length;
  SS_TRY(length_of(h, place, &length));
  if (length != 1) return bad(h, place, "expected one element");
  return read_part(h, place, H5T_NATIVE_INT64, 0, 1, out);
}

// ---- matrices ------------------------------------------------------------------------------

typedef struct stored {
  const char *name;
  int64_t rows, cols;  // in the file
  bool transposed;     // ours is the file's transposed
  int64_t nz;
} stored;

static void place_of(const stored *a, const char *what, char out[80]) {
  snprintf(out, 80, "/fclib_global/%s/%s", a->name, what);
}

static ss_error check_size(const shared_file *h, const stored *a, const char *what,
                           int64_t expected) {
  char place[80];
  int64_t found;
  place_of(a, what, place);
  SS_TRY(read_one(h, place, &found));
  if (found == expected) return SS_OK;
  return ssi_fail(h->c->ctx, SS_ERR_FORMAT, "%s: %s: is %lld, expected %lld", h->path, place,
                  (long long)found, (long long)expected);
}

static ss_error put_entry(const shared_file *h, const stored *a, int64_t row, int64_t col, double x,
                          share_entry *out) {
  if (row < 0 || row >= a->rows || col < 0 || col >= a->cols || !isfinite(x))
    return ssi_fail(h->c->ctx, SS_ERR_FORMAT,
                    "%s: /fclib_global/%s: entry (%lld, %lld) = %g, expected a number within "
                    "%lld x %lld",
                    h->path, a->name, (long long)row, (long long)col, x, (long long)a->rows,
                    (long long)a->cols);
  *out = a->transposed ? (share_entry){col, row, x} : (share_entry){row, col, x};
  return SS_OK;
}

typedef struct file_slab {  // of the entries, as in the file
  int64_t first, count, *p, *i;
  double *x;
} file_slab;

static ss_error read_slab(const shared_file *h, const stored *a, bool with_p, file_slab *e) {
  char place[80];
  int64_t length;
  for (int k = 0; k < 3; k++) {
    place_of(a, (const char *[]){"i", "x", "p"}[k], place);
    if (k == 2 && !with_p) break;
    SS_TRY(length_of(h, place, &length));
    if (e->first < 0 || e->count < 0 || length < e->first + e->count)
      return bad(h, place, "fewer elements than the matrix has");
    SS_TRY(read_part(h, place, k == 1 ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT64, e->first, e->count,
                     k == 1   ? (void *)e->x
                     : k == 0 ? e->i
                              : e->p));
  }
  return SS_OK;
}

static void take_slab(const ranks *c, file_slab *e) {
  e->i = RANKS_TAKE(c, e->count, int64_t);
  e->x = RANKS_TAKE(c, e->count, double);
}

static ss_error read_triplets(const shared_file *h, const stored *a, share_entry **out,
                              int64_t *count) {
  const ranks *c = h->c;
  file_slab e = {.first = ranks_first(a->nz, c->size, c->rank)};
  e.count = ranks_first(a->nz, c->size, c->rank + 1) - e.first;
  take_slab(c, &e);
  e.p = RANKS_TAKE(c, e.count, int64_t);
  *out = RANKS_TAKE(c, e.count, share_entry);
  *count = e.count;
  ss_error error = read_slab(h, a, true, &e);
  for (int64_t k = 0; k < e.count && !error; k++)
    error = put_entry(h, a, e.i[k], e.p[k], e.x[k], &(*out)[k]);
  free(e.i);
  free(e.x);
  free(e.p);
  return error;
}

static ss_error read_compressed(const shared_file *h, const stored *a, share_entry **out,
                                int64_t *count) {
  const ranks *c = h->c;
  bool by_rows = a->nz == -2;
  int64_t major = by_rows ? a->rows : a->cols, first = ranks_first(major, c->size, c->rank);
  int64_t own = ranks_first(major, c->size, c->rank + 1) - first, length, at = 0;
  char place[80];
  place_of(a, "p", place);
  SS_TRY(length_of(h, place, &length));
  if (length != major + 1) return bad(h, place, "expected one element more than rows or columns");
  file_slab e = {.p = RANKS_TAKE(c, own + 1, int64_t)};
  ss_error error = read_part(h, place, H5T_NATIVE_INT64, first, own + 1, e.p);
  for (int64_t k = 0; k < own && !error; k++)
    if (e.p[k] < 0 || e.p[k + 1] < e.p[k]) error = bad(h, place, "must not decrease");
  e.first = error ? 0 : e.p[0];
  e.count = error ? 0 : e.p[own] - e.p[0];
  take_slab(c, &e);
  *out = RANKS_TAKE(c, e.count, share_entry);
  *count = e.count;
  if (!error) error = read_slab(h, a, false, &e);
  for (int64_t k = 0; k < own && !error; k++)
    for (int64_t j = e.p[k]; j < e.p[k + 1] && !error; j++, at++)
      error = by_rows ? put_entry(h, a, first + k, e.i[at], e.x[at], &(*out)[at])
                      : put_entry(h, a, e.i[at], first + k, e.x[at], &(*out)[at]);
  free(e.p);
  free(e.i);
  free(e.x);
  return error;
}

static ss_error read_matrix(const shared_file *h, stored a, share_entry **out, int64_t *count) {
  char place[80];
  SS_TRY(check_size(h, &a, "m", a.rows));
  SS_TRY(check_size(h, &a, "n", a.cols));
  place_of(&a, "nz", place);
  SS_TRY(read_one(h, place, &a.nz));
  if (a.nz < -2) return bad(h, place, "expected -2 (CSR), -1 (CSC) or the number of triplets");
  return a.nz >= 0 ? read_triplets(h, &a, out, count) : read_compressed(h, &a, out, count);
}

// ---- the problem ---------------------------------------------------------------------------

static ss_error read_shape(const shared_file *h, share_sizes *out) {
  int64_t dim;
  if (!exists(h, "/fclib_global"))
    return bad(h, exists(h, "/fclib_local") ? "/fclib_local" : "/",
               "expected a problem in global form (M, H, f, w), /fclib_global");
  bool joints = exists(h, "/fclib_global/G");
  if (joints != exists(h, "/fclib_global/vectors/b"))
    return bad(h, joints ? "/fclib_global/vectors/b" : "/fclib_global/G",
               "missing, expected G and vectors/b together or none");
  SS_TRY(read_one(h, "/fclib_global/spacedim", &dim));
  if (dim != 2 && dim != 3) return bad(h, "/fclib_global/spacedim", "expected 2 or 3");
  out->dim = (int)dim;
  SS_TRY(length_of(h, "/fclib_global/vectors/mu", &out->contacts));
  SS_TRY(length_of(h, "/fclib_global/vectors/f", &out->dofs));
  if (out->dofs < 1) return bad(h, "/fclib_global/vectors/f", "no degrees of freedom");
  out->joints = 0;
  if (joints) SS_TRY(length_of(h, "/fclib_global/vectors/b", &out->joints));
  SS_TRY(length_of(h, "/fclib_global/H/x", &out->entries_H));
  return length_of(h, "/fclib_global/M/x", &out->entries_M);
}

static ss_error read_joints(const shared_file *h, const share_sizes *n, share_source *out) {
  const ranks *c = h->c;
  int64_t first = ranks_first(n->joints, c->size, c->rank);
  int64_t own = ranks_first(n->joints, c->size, c->rank + 1) - first;
  out->joints = n->joints;
  out->b = RANKS_TAKE(c, own, double);
  SS_TRY(read_numbers(h, "/fclib_global/vectors/b", n->joints, first, own, out->b));
  return read_matrix(h, (stored){"G", n->dofs, n->joints, false, 0}, &out->G, &out->G_count);
}

static ss_error read_problem(const shared_file *h, double size, share_source *out) {
  const ranks *c = h->c;
  share_sizes n;
  int64_t first, end;
  SS_TRY(read_shape(h, &n));
  out->dim = n.dim, out->contacts = n.contacts, out->dofs = n.dofs;
  share_contacts(n.contacts, size, c, c->rank, &first, &end);
  int64_t own = end - first, dof = ranks_first(n.dofs, c->size, c->rank);
  int64_t dofs = ranks_first(n.dofs, c->size, c->rank + 1) - dof;
  out->mu = RANKS_TAKE(c, own, double);
  out->w = RANKS_TAKE(c, n.dim * own, double);
  out->f = RANKS_TAKE(c, dofs, double);
  SS_TRY(read_numbers(h, "/fclib_global/vectors/mu", n.contacts, first, own, out->mu));
  SS_TRY(read_numbers(h, "/fclib_global/vectors/w", n.dim * n.contacts, n.dim * first, n.dim * own,
                      out->w));
  SS_TRY(read_numbers(h, "/fclib_global/vectors/f", n.dofs, dof, dofs, out->f));
  for (int64_t k = 0; k < dofs; k++) out->f[k] = -out->f[k];  // theirs is minus ours
  SS_TRY(read_matrix(h, (stored){"M", n.dofs, n.dofs, false, 0}, &out->M, &out->M_count));
  SS_TRY(
      read_matrix(h, (stored){"H", n.dofs, n.dim * n.contacts, true, 0}, &out->H, &out->H_count));
  return n.joints ? read_joints(h, &n, out) : SS_OK;
}

ss_error share_read(ranks *c, const char *path, double size, share_source *out) {
  shared_file h;
  *out = (share_source){0};
  SS_TRY(open_file(c, path, &h));
  ss_error e = ranks_agree(c, read_problem(&h, size, out));
  H5Fclose(h.id);
  return e;
}

static ss_error read_multipliers(const shared_file *h, share_general *g) {
  g->l_known = g->joints && exists(h, "/solution/l");
  return g->l_known ? read_numbers(h, "/solution/l", g->joints, g->first_joint, g->own_joints, g->l)
                    : SS_OK;
}

ss_error share_read_reactions(share *s, const char *path) {
  shared_file h;
  SS_TRY(open_file(s->c, path, &h));
  int64_t length = 0, expected = s->dim * s->contacts;
  ss_error e = length_of(&h, "/solution/r", &length);
  if (!e && length != expected)
    e = ssi_fail(s->c->ctx, SS_ERR_FORMAT, "%s: /solution/r: %lld elements, expected %lld", path,
                 (long long)length, (long long)expected);
  double *r = RANKS_TAKE(s->c, s->dim * s->nc, double);
  if (!e)
    e = read_part(&h, "/solution/r", H5T_NATIVE_DOUBLE, s->dim * s->first_contact, s->dim * s->nc,
                  r);
  if (!e && s->general) e = read_multipliers(&h, s->general);
  e = ranks_agree(s->c, e);
  if (!e) share_reorder(s, false, s->dim, r, s->r);
  free(r);
  H5Fclose(h.id);
  return e;
}
