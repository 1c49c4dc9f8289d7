#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <hdf5.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mpi/ranks_hdf5.h"
#include "mpi/share_file.h"
#include "mpi/share_general.h"
#include "mpi/share_order.h"

typedef struct shared_output {
  ranks *c;
  const char *path;
  char aside[4200];  // written here, then renamed
  hid_t id;
  uint64_t bytes;  // of all arrays
  bool failed;
} shared_output;

static ss_error begin_file(ranks *c, const char *path, shared_output *w) {
  *w = (shared_output){.c = c, .path = path, .id = -1};
  snprintf(w->aside, sizeof w->aside, "%.4000s.part", path);
  H5Eset_auto(H5E_DEFAULT, NULL, NULL);
  hid_t access_list = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_fapl_mpio(access_list, c->comm, MPI_INFO_NULL);
  c->aside = w->aside;
  w->id = H5Fcreate(w->aside, H5F_ACC_TRUNC, H5P_DEFAULT, access_list);
  H5Pclose(access_list);
  ss_error e = ranks_agree(
      c, w->id < 0 ? ssi_fail(c->ctx, SS_ERR_WRITE, "%s: cannot be created", w->aside) : SS_OK);
  if (e && c->rank == 0) unlink(w->aside);
  if (e) c->aside = NULL;
  return e;
}

static ss_error end_file(shared_output *w) {
  ranks *c = w->c;
  w->failed = !ranks_close_file(c, w->id, w->aside, w->bytes, w->failed);
  ss_error e = ranks_agree(
      c, w->failed ? ssi_fail(c->ctx, SS_ERR_WRITE, "%s: cannot be written", w->path) : SS_OK);
  if (c->rank == 0 && e) unlink(w->aside);
  if (c->rank == 0 && !e && rename(w->aside, w->path))
    e = ssi_fail(c->ctx, SS_ERR_WRITE, "%s: cannot be written: %s", w->path, strerror(errno));
  c->aside = NULL;
  return ranks_agree(c, e);
}

static void put_group(shared_output *w, const char *place) {
  hid_t g = H5Gcreate(w->id, place, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  if (g < 0)
    w->failed = true;
  else
    H5Gclose(g);
}

// An array of `total` elements of which this rank has `count` from `first` on.
static void put_part(shared_output *w, const char *place, hid_t stored, hid_t type, int64_t total,
                     int64_t first, int64_t count, const void *x) {
  hsize_t all = (hsize_t)total, from = (hsize_t)first, size = (hsize_t)count;
  hid_t space = H5Screate_simple(1, &all, NULL), memory = H5Screate_simple(1, &size, NULL);
  hid_t creation = ranks_data_plan();
  w->bytes += all * H5Tget_size(stored);
  hid_t data = H5Dcreate(w->id, place, stored, space, H5P_DEFAULT, creation, H5P_DEFAULT);
  if (data < 0 || space < 0 || memory < 0) w->failed = true;
  if (!w->failed && count) {
    H5Sselect_hyperslab(space, H5S_SELECT_SET, &from, NULL, &size, NULL);
    if (H5Dwrite(data, type, memory, space, H5P_DEFAULT, x) < 0) w->failed = true;
  }
  if (data >= 0) H5Dclose(data);
  if (creation >= 0) H5Pclose(creation);
  if (memory >= 0) H5Sclose(memory);
  if (space >= 0) H5Sclose(space);
}

static void put_numbers(shared_output *w, const char *place, int64_t total, int64_t first,
                        int64_t count, const double *x) {
  put_part(w, place, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, total, first, count, x);
}

// 32 bits, as FCLIB has them, unless the largest number needs more.
static hid_t stored_as(int64_t largest) {
  return largest > INT_MAX ? H5T_STD_I64LE : H5T_STD_I32LE;
}

static void put_one(shared_output *w, const char *place, int64_t x) {
  put_part(w, place, stored_as(x), H5T_NATIVE_INT64, 1, 0, w->c->rank == 0, &x);
}

static void put_answer(shared_output *w, share *s, const double *v) {
  int64_t first = s->dim * s->first_contact, count = s->dim * s->nc, all = s->dim * s->contacts;
  put_group(w, "/solution");
  put_numbers(w, "/solution/v", s->dofs, s->first_dof, s->own_dofs, v);
  double *x = RANKS_TAKE(s->c, count, double);
  share_reorder(s, true, s->dim, s->u, x);
  put_numbers(w, "/solution/u", all, first, count, x);
  share_reorder(s, true, s->dim, s->r, x);
  put_numbers(w, "/solution/r", all, first, count, x);
  free(x);
  const share_general *g = s->general;
  if (g && g->joints) put_numbers(w, "/solution/l", g->joints, g->first_joint, g->own_joints, g->l);
}

ss_error share_write_answer(share *s, const char *path, const double *v) {
  shared_output w;
  SS_TRY(begin_file(s->c, path, &w));
  put_answer(&w, s, v);
  return end_file(&w);
}

ss_error share_add_answer(share *s, const char *path, const double *v) {
  shared_output w = {.c = s->c, .path = path};
  hid_t access_list = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_fapl_mpio(access_list, s->c->comm, MPI_INFO_NULL);
  w.id = H5Fopen(path, H5F_ACC_RDWR, access_list);
  H5Pclose(access_list);
  ss_error e = w.id < 0 ? ssi_fail(s->c->ctx, SS_ERR_WRITE, "%s: cannot be opened", path) : SS_OK;
  SS_TRY(ranks_agree(s->c, e));  // what follows is collective
  put_answer(&w, s, v);
  w.failed = !ranks_close_file(s->c, w.id, path, w.bytes, w.failed);
  return ranks_agree(
      s->c, w.failed ? ssi_fail(s->c->ctx, SS_ERR_WRITE, "%s: cannot be written", path) : SS_OK);
}

// ---- problems ------------------------------------------------------------------------------

typedef struct entries_out {
  const char *name;
  const share_entry *x;
  int64_t count, rows, cols;  // in the file
  bool transposed;
} entries_out;

static void put_matrix(shared_output *w, const entries_out *a) {
  const ranks *c = w->c;
  char place[80];
  int64_t total = a->count, first = 0, *index = RANKS_TAKE(c, a->count, int64_t);
  double *x = RANKS_TAKE(c, a->count, double);
  MPI_Allreduce(MPI_IN_PLACE, &total, 1, MPI_INT64_T, MPI_SUM, c->comm);
  MPI_Exscan(&a->count, &first, 1, MPI_INT64_T, MPI_SUM, c->comm);
  if (c->rank == 0) first = 0;
  snprintf(place, sizeof place, "/fclib_global/%s", a->name);
  put_group(w, place);
  static const char *const names[] = {"nzmax", "m", "n", "nz"};
  const int64_t values[] = {total, a->rows, a->cols, total};
  for (int k = 0; k < 4; k++) {
    snprintf(place, sizeof place, "/fclib_global/%s/%s", a->name, names[k]);
    put_one(w, place, values[k]);
  }
  int64_t largest = a->rows > a->cols ? a->rows : a->cols;
  for (int k = 0; k < 2; k++) {  // i: rows of the file, p: columns
    for (int64_t e = 0; e < a->count; e++)
      index[e] = (k == 0) != a->transposed ? a->x[e].row : a->x[e].col;
    snprintf(place, sizeof place, "/fclib_global/%s/%s", a->name, k ? "p" : "i");
    put_part(w, place, stored_as(largest), H5T_NATIVE_INT64, total, first, a->count, index);
  }
  for (int64_t e = 0; e < a->count; e++) x[e] = a->x[e].x;
  snprintf(place, sizeof place, "/fclib_global/%s/x", a->name);
  put_numbers(w, place, total, first, a->count, x);
  free(index);
  free(x);
}

ss_error share_write_problem(ranks *c, const char *path, const share_source *from, double size) {
  shared_output w;
  SS_TRY(begin_file(c, path, &w));
  int64_t first, end, rows = from->dim * from->contacts;
  share_contacts(from->contacts, size, c, c->rank, &first, &end);
  int64_t dof = ranks_first(from->dofs, c->size, c->rank);
  int64_t dofs = ranks_first(from->dofs, c->size, c->rank + 1) - dof;
  double *f = RANKS_TAKE(c, dofs, double);
  for (int64_t k = 0; k < dofs; k++) f[k] = -from->f[k];
  put_group(&w, "/fclib_global");
  put_one(&w, "/fclib_global/spacedim", from->dim);
  put_group(&w, "/fclib_global/vectors");
  put_matrix(&w, &(entries_out){"M", from->M, from->M_count, from->dofs, from->dofs, false});
  put_matrix(&w, &(entries_out){"H", from->H, from->H_count, from->dofs, rows, true});
  put_numbers(&w, "/fclib_global/vectors/f", from->dofs, dof, dofs, f);
  put_numbers(&w, "/fclib_global/vectors/w", rows, from->dim * first, from->dim * (end - first),
              from->w);
  put_numbers(&w, "/fclib_global/vectors/mu", from->contacts, first, end - first, from->mu);
  free(f);
  return end_file(&w);
}
