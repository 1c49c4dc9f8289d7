// One part of a run: rank 0 makes the file with what is small, all ranks open it and put their rows in.
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "mpi/crowd_run.h"
#include "mpi/ranks_hdf5.h"

typedef struct part_file {
  crowd_run *r;
  hid_t file, creation;
  int64_t *frame_first;  // where the contacts of this rank go in each frame   (frames)
  int64_t total;         // contacts of all
  uint64_t bytes;        // of all arrays
  bool failed;
} part_file;

static bool is_shared(int id) {
  return id == SSI_FRAME_POSE || id == SSI_FRAME_VELOCITY || (id >= SSI_CONTACT_BODY);
}

// By libhdf5 without MPI, like every part of one process.
static ss_error make_small(crowd_run *r, const char *path, const char *name) {
  ssi_image image;
  ssi_image_begin(&image, r->m->c->ctx, path, name);
  ssi_run_put_head(&image, &r->counts, r->scene_text, r->last_frame);
  for (int k = 0; k < SSI_RUN_TABLE_COUNT; k++)
    if (!is_shared(k)) ssi_run_put_table(&image, &r->tables[k]);
  ssi_image_save(&image);
  return ssi_image_end(&image);
}

// ---- rows ----------------------------------------------------------------------------------

static hid_t stored(ssi_run_type t) {
  return t == SSI_RUN_DOUBLE  ? H5T_IEEE_F64LE
         : t == SSI_RUN_INT   ? H5T_STD_I32LE
         : t == SSI_RUN_INT64 ? H5T_STD_I64LE
                              : H5T_STD_U64LE;
}

static hid_t native(ssi_run_type t) {
  return t == SSI_RUN_DOUBLE  ? H5T_NATIVE_DOUBLE
         : t == SSI_RUN_INT   ? H5T_NATIVE_INT32
         : t == SSI_RUN_INT64 ? H5T_NATIVE_INT64
                              : H5T_NATIVE_UINT64;
}

static hid_t create(part_file *p, const char *place, hid_t type, int rank, const hsize_t *dims) {
  hid_t space = H5Screate_simple(rank, dims, NULL);
  hid_t set = space < 0
                  ? -1
                  : H5Dcreate(p->file, place, type, space, H5P_DEFAULT, p->creation, H5P_DEFAULT);
  if (space >= 0) H5Sclose(space);
  if (set < 0) p->failed = true;
  uint64_t bytes = H5Tget_size(type);
  for (int k = 0; k < rank; k++) bytes *= dims[k];
  p->bytes += bytes;
  return set;
}

static void put(part_file *p, hid_t set, hid_t type, int rank, const hsize_t *start,
                const hsize_t *size, const void *data) {
  hsize_t count = 1;
  for (int k = 0; k < rank; k++) count *= size[k];
  if (p->failed || !count) return;
  hid_t space = H5Dget_space(set), memory = H5Screate_simple(rank, size, NULL);
  if (H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, size, NULL) < 0 ||
      H5Dwrite(set, type, memory, space, H5P_DEFAULT, data) < 0)
    p->failed = true;
  H5Sclose(memory);
  H5Sclose(space);
}

static hid_t create_table(part_file *p, int id, int64_t rows, int *rank, hsize_t *dims) {
  const ssi_run_table *t = &p->r->tables[id];
  char place[64];
  snprintf(place, sizeof place, "/%s/%s", t->group, t->name);
  *rank = ssi_run_dims(t, (hsize_t)rows, dims);
  return create(p, place, stored(t->type), *rank, dims);
}

// Frames by this rank's bodies.
static void put_bodies(part_file *p, int id, const double *rows) {
  const crowd_run *r = p->r;
  hsize_t dims[3];
  int rank;
  if (!r->tables[id].row_bytes) return;
  hid_t set = create_table(p, id, r->frames, &rank, dims);
  hsize_t start[3] = {0, (hsize_t)r->first, 0}, size[3] = {dims[0], (hsize_t)r->own, dims[2]};
  if (set < 0) return;
  put(p, set, H5T_NATIVE_DOUBLE, rank, start, size, rows);
  H5Dclose(set);
}

// The column of a table, out of the rows.
static const void *column(int id, const crowd_run_contact *c) {
  switch (id) {
  case SSI_CONTACT_BODY:
    return &c->a;  // and b
  case SSI_CONTACT_KEY:
    return &c->key;
  case SSI_CONTACT_POINT:
    return c->point;
  case SSI_CONTACT_NORMAL:
    return c->normal;
  case SSI_CONTACT_GAP:
    return &c->gap;
  case SSI_CONTACT_IMPULSE:
    return c->impulse;
  case SSI_CONTACT_VELOCITY:
    return c->velocity;
  default:
    return &c->state;
  }
}

static void put_contacts(part_file *p, int id) {
  const crowd_run *r = p->r;
  const ssi_run_table *t = &r->tables[id];
  hsize_t dims[3], start[3] = {0}, size[3];
  int rank;
  hid_t set = create_table(p, id, p->total, &rank, dims);
  if (set < 0) return;
  char *rows = ranks_take(r->m->c, r->contacts, t->row_bytes);
  for (int64_t k = 0; k < r->contacts; k++)
    memcpy(rows + t->row_bytes * (size_t)k, column(id, r->contact + k), t->row_bytes);
  memcpy(size, dims, sizeof size);
  const char *at = rows;
  for (int64_t f = 0; f < r->frames; f++) {
    start[0] = (hsize_t)p->frame_first[f];
    size[0] = (hsize_t)r->frame_contacts[f];
    put(p, set, native(t->type), rank, start, size, at);
    at += t->row_bytes * (size_t)r->frame_contacts[f];
  }
  free(rows);
  H5Dclose(set);
}

static void put_bytes(part_file *p, hid_t set, size_t from, size_t count, const void *bytes) {
  hsize_t start = from, size = count;
  put(p, set, H5T_NATIVE_UCHAR, 1, &start, &size, bytes);
}

static void put_checkpoint(part_file *p) {
  crowd *m = p->r->m;
  crowd_checkpoint k;
  crowd_checkpoint_make(m, &k);
  hsize_t size = k.size;
  hid_t set = create(p, "/checkpoint", H5T_STD_U8LE, 1, &size);
  size_t at = k.head_size, body = 13 * sizeof(double);
  double *x = RANKS_TAKE(m->c, 13 * k.own, double);
  for (int64_t i = 0; i < k.own; i++) {
    memcpy(x + 13 * i, k.row[i].pose.x, 3 * sizeof *x);
    memcpy(x + 13 * i + 3, k.row[i].pose.q, 4 * sizeof *x);
    memcpy(x + 13 * i + 7, k.row[i].v, 6 * sizeof *x);
  }
  if (set >= 0) {
    put_bytes(p, set, at + body * (size_t)p->r->first, body * (size_t)k.own, x);
    at += body * (size_t)m->world.nb;
    put_bytes(p, set, at + sizeof *k.reaction * (size_t)k.first,
              sizeof *k.reaction * (size_t)k.reactions, k.reaction);
    if (m->c->rank == 0) {
      put_bytes(p, set, 0, k.head_size, k.head);
      put_bytes(p, set, k.size - 8, 8, &k.check);
    }
    H5Dclose(set);
  }
  free(x);
  crowd_checkpoint_release(&k);
}

// ---- all of it -----------------------------------------------------------------------------

// Contacts are in the file by frames, within a frame by ranks.
static void lay_out(part_file *p) {
  crowd_run *r = p->r;
  const ranks *c = r->m->c;
  int n = (int)r->frames;
  int64_t *all = RANKS_TAKE(c, n, int64_t);
  p->frame_first = RANKS_TAKE(c, n, int64_t);
  MPI_Allreduce(r->frame_contacts, all, n, MPI_INT64_T, MPI_SUM, c->comm);
  MPI_Exscan(r->frame_contacts, p->frame_first, n, MPI_INT64_T, MPI_SUM, c->comm);
  for (int f = 0; f < n; f++) {
    p->frame_first[f] = p->total + (c->rank ? p->frame_first[f] : 0);
    p->total += all[f];
  }
  free(all);
}

static ss_error put_shared(crowd_run *r, const char *path, const char *name) {
  const ranks *c = r->m->c;
  part_file p = {.r = r};
  hid_t access_list = H5Pcreate(H5P_FILE_ACCESS);
  H5Eset_auto(H5E_DEFAULT, NULL, NULL);
  H5Pset_fapl_mpio(access_list, c->comm, MPI_INFO_NULL);
  p.file = H5Fopen(path, H5F_ACC_RDWR, access_list);
  H5Pclose(access_list);
  p.creation = ranks_data_plan();
  H5Pset_obj_track_times(p.creation, false);
  int opened = p.file >= 0;
  MPI_Allreduce(MPI_IN_PLACE, &opened, 1, MPI_INT, MPI_MIN, c->comm);
  p.failed = !opened;
  if (opened) {
    lay_out(&p);
    put_bodies(&p, SSI_FRAME_POSE, r->pose);
    put_bodies(&p, SSI_FRAME_VELOCITY, r->velocity);
    for (int id = SSI_CONTACT_BODY; id <= SSI_CONTACT_STATE; id++) put_contacts(&p, id);
    put_checkpoint(&p);
  }
  p.failed = !ranks_close_file(c, p.file, path, p.bytes, p.failed);
  H5Pclose(p.creation);
  free(p.frame_first);
  return ranks_agree(c, p.failed ? ssi_fail(c->ctx, SS_ERR_WRITE,
                                            "%s: cannot be written (is the disk full?)", name)
                                 : SS_OK);
}

static ss_error put_in_place(const ranks *c, const char *from, const char *to) {
  int fd = open(from, O_RDONLY | O_CLOEXEC);
  bool ok = fd >= 0 && (fsync(fd) == 0 || errno == EINVAL || errno == ENOTSUP);
  if (fd >= 0) close(fd);
  if (ok && rename(from, to) == 0) return SS_OK;
  return ssi_fail(c->ctx, SS_ERR_WRITE, "%s: cannot be written: %s", to, strerror(errno));
}

ss_error crowd_part_write(crowd_run *r, const char *name) {
  ranks *c = r->m->c;
  char aside[PATH_MAX + 40];
  snprintf(aside, sizeof aside, "%.4000s/.stickslip-ranks.part", r->parts.folder);
  ss_error e = ranks_agree(c, c->rank ? SS_OK : make_small(r, aside, name));
  if (!e) e = put_shared(r, aside, name);
  if (!e) e = ranks_agree(c, c->rank ? SS_OK : put_in_place(c, aside, name));
  if (e && c->rank == 0) unlink(aside);
  return e;
}
