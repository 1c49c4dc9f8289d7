// Everything the next steps depend on, in one dataset of bytes that all ranks write and read at once:
//
//   "SSCROWD1", size, which scene, how many reactions, the record; bodies by number: pose, velocity; reactions by a, b,
//   key; the sum of the hashes of all before it, piece by piece, which does not depend on who hashed which
//
// Nothing in it tells how many ranks there were.
#include <hdf5.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "mpi/crowd_run.h"

static const char MAGIC[8] = {'S', 'S', 'C', 'R', 'O', 'W', 'D', '1'};
enum { HEAD = 32, BODY = 13 * sizeof(double), REACTION = sizeof(crowd_reaction) };

static uint64_t hash(uint64_t h, const void *bytes, size_t size) {  // FNV-1a
  const unsigned char *b = bytes;
  h ^= 0xcbf29ce484222325u;
  for (size_t k = 0; k < size; k++) h = (h ^ b[k]) * 0x100000001b3u;
  return h;
}

static void pack(const crowd_row *row, double out[13]) {
  memcpy(out, row->pose.x, sizeof row->pose.x);
  memcpy(out + 3, row->pose.q, sizeof row->pose.q);
  memcpy(out + 7, row->v, sizeof row->v);
}

static uint64_t hash_rows(const crowd_checkpoint *p) {
  uint64_t sum = 0;
  for (int64_t k = 0; k < p->own; k++) {
    double x[13];
    pack(p->row + k, x);
    sum += hash((uint64_t)p->row[k].number, x, sizeof x);
  }
  for (int64_t k = 0; k < p->reactions; k++)
    sum += hash((uint64_t)(p->first + k), p->reaction + k, REACTION);
  return sum;
}

static void make_head(crowd *m, crowd_checkpoint *p) {
  uint64_t which = ssi_fingerprint(&m->world), size = p->size;
  size_t record = p->head_size - HEAD;
  p->head = ranks_take(m->c, (int64_t)p->head_size, 1);
  memcpy(p->head, MAGIC, 8);
  memcpy(p->head + 8, &size, 8);
  memcpy(p->head + 16, &which, 8);
  memcpy(p->head + 24, &p->total, 8);
  ssi_record_pack(&m->now, p->head + HEAD, record);
}

void crowd_checkpoint_make(crowd *m, crowd_checkpoint *out) {
  crowd_checkpoint *p = out;
  const ranks *c = m->c;
  *p = (crowd_checkpoint){.row = crowd_rows(m)};
  p->own =
      ranks_first(m->world.nb, c->size, c->rank + 1) - ranks_first(m->world.nb, c->size, c->rank);
  p->reaction = crowd_rows_reactions(m, &p->reactions);
  MPI_Allreduce(&p->reactions, &p->total, 1, MPI_INT64_T, MPI_SUM, c->comm);
  MPI_Exscan(&p->reactions, &p->first, 1, MPI_INT64_T, MPI_SUM, c->comm);
  if (c->rank == 0) p->first = 0;
  p->head_size = HEAD + ssi_record_pack(&m->now, NULL, 0);
  p->size = p->head_size + BODY * (size_t)m->world.nb + REACTION * (size_t)p->total + 8;
  make_head(m, p);
  uint64_t sum = hash_rows(p);
  MPI_Allreduce(&sum, &p->check, 1, MPI_UINT64_T, MPI_SUM, c->comm);
  p->check += hash(0, p->head, p->head_size);
}

void crowd_checkpoint_release(crowd_checkpoint *p) {
  free(p->row);
  free(p->reaction);
  free(p->head);
  *p = (crowd_checkpoint){0};
}

// ---- reading -------------------------------------------------------------------------------

typedef struct bytes {
  hid_t file, set;
  hsize_t size;
} bytes;

static bool get(const bytes *b, size_t from, size_t count, void *out) {
  hsize_t start = from, length = count;
  if (start + length > b->size) return false;
  if (!count) return true;
  hid_t space = H5Dget_space(b->set), memory = H5Screate_simple(1, &length, NULL);
  bool ok = H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, NULL, &length, NULL) >= 0 &&
            H5Dread(b->set, H5T_NATIVE_UCHAR, memory, space, H5P_DEFAULT, out) >= 0;
  H5Sclose(memory);
  H5Sclose(space);
  return ok;
}

static bool open_bytes(const ranks *c, const char *file, bytes *b) {
  H5Eset_auto(H5E_DEFAULT, NULL, NULL);
  hid_t access_list = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_fapl_mpio(access_list, c->comm, MPI_INFO_NULL);
  *b = (bytes){H5Fopen(file, H5F_ACC_RDONLY, access_list), -1, 0};
  H5Pclose(access_list);
  b->set = b->file < 0 ? -1 : H5Dopen(b->file, "checkpoint", H5P_DEFAULT);
  if (b->set < 0) return false;
  hid_t space = H5Dget_space(b->set), type = H5Dget_type(b->set);
  bool ok = H5Tequal(type, H5T_STD_U8LE) > 0 && H5Sget_simple_extent_ndims(space) == 1;
  if (ok) H5Sget_simple_extent_dims(space, &b->size, NULL);
  H5Tclose(type);
  H5Sclose(space);
  return ok;
}

static void close_bytes(bytes *b) {
  if (b->set >= 0) H5Dclose(b->set);
  if (b->file >= 0) H5Fclose(b->file);
}

static ss_error damaged(const crowd *m, const char *file, const char *what) {
  return ssi_fail(m->c->ctx, SS_ERR_DATA, "%s: checkpoint: %s", file, what);
}

static ss_error read_head(crowd *m, const char *file, const bytes *b, crowd_checkpoint *p) {
  uint64_t size = 0, which = 0;
  p->head_size = HEAD + ssi_record_pack(&m->now, NULL, 0);
  p->head = ranks_take(m->c, (int64_t)p->head_size, 1);
  if (!get(b, 0, p->head_size, p->head)) return damaged(m, file, "too short");
  memcpy(&size, p->head + 8, 8);
  memcpy(&which, p->head + 16, 8);
  memcpy(&p->total, p->head + 24, 8);
  if (memcmp(p->head, MAGIC, 8) != 0)
    return damaged(m, file, "not one of stickslip-mpi; what `stickslip simulate` began it ends");
  if (p->total < 0 || p->total > (int64_t)(b->size / REACTION))
    return damaged(m, file, "its size is not what it says");
  p->size = p->head_size + BODY * (size_t)m->world.nb + REACTION * (size_t)p->total + 8;
  if (which != ssi_fingerprint(&m->world))
    return damaged(m, file, "of another scene, or of other settings");
  if (size != b->size || p->size != size) return damaged(m, file, "its size is not what it says");
  return SS_OK;
}

static void unpack(const crowd *m, crowd_checkpoint *p, const double *x, int64_t first) {
  p->row = RANKS_TAKE(m->c, p->own, crowd_row);
  for (int64_t k = 0; k < p->own; k++) {
    p->row[k].number = first + k;
    memcpy(p->row[k].pose.x, x + 13 * k, sizeof p->row[k].pose.x);
    memcpy(p->row[k].pose.q, x + 13 * k + 3, sizeof p->row[k].pose.q);
    memcpy(p->row[k].v, x + 13 * k + 7, sizeof p->row[k].v);
  }
}

// Each rank an even share of the bodies and of the reactions; then all agree that it is what was written.
static ss_error read_rows(crowd *m, const char *file, const bytes *b, crowd_checkpoint *p) {
  const ranks *c = m->c;
  int64_t first = ranks_first(m->world.nb, c->size, c->rank);
  p->own = ranks_first(m->world.nb, c->size, c->rank + 1) - first;
  p->first = ranks_first(p->total, c->size, c->rank);
  p->reactions = ranks_first(p->total, c->size, c->rank + 1) - p->first;
  double *x = RANKS_TAKE(c, 13 * p->own, double);
  p->reaction = RANKS_TAKE(c, p->reactions, crowd_reaction);
  size_t at = p->head_size, after = at + BODY * (size_t)m->world.nb;
  uint64_t found = 0, sum;
  bool ok =
      get(b, at + BODY * (size_t)first, BODY * (size_t)p->own, x) &&
      get(b, after + REACTION * (size_t)p->first, REACTION * (size_t)p->reactions, p->reaction) &&
      get(b, p->size - 8, 8, &found);
  unpack(m, p, x, first);
  free(x);
  sum = hash_rows(p);
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_UINT64_T, MPI_SUM, c->comm);
  sum += hash(0, p->head, p->head_size);
  return ok && sum == found ? SS_OK : damaged(m, file, "its contents are not what was written");
}

// Bodies stay where they were read, and go to their owners with the next step; reactions must be with their body a.
static void install(crowd *m, crowd_checkpoint *p) {
  const ranks *c = m->c;
  crowd_bodies_release(&m->mine);
  m->mine.count = p->own;
  m->mine.body = RANKS_TAKE(c, p->own, crowd_body);
  for (int64_t k = 0; k < p->own; k++) {
    crowd_body *b = m->mine.body + k;
    b->number = (int)p->row[k].number;
    b->pose = p->row[k].pose;
    memcpy(b->v, p->row[k].v, sizeof b->v);
  }
  int *to = RANKS_TAKE(c, p->reactions, int);
  for (int64_t k = 0; k < p->reactions; k++)
    to[k] = ranks_owner(m->world.nb, c->size, p->reaction[k].a);
  m->mine.reaction = ranks_exchange(c, p->reaction, REACTION, to, p->reactions, &m->mine.reactions);
  free(to);
  ssi_record_unpack(p->head + HEAD, p->head_size - HEAD, &m->now);
  m->split[c->size] = 0;  // ranges are chosen anew
  // the duration is that of now: a run may be extended
  if (m->now.end == 0 || m->now.end == SSI_END_DURATION)
    m->now.end = ssi_duration_over(&m->scene->stepping, m->now.time) ? SSI_END_DURATION : 0;
}

// Numbers of bodies that are none would be used as indices.
static ss_error check_reactions(const crowd *m, const char *file, const crowd_checkpoint *p) {
  int nb = m->world.nb, all = nb + m->world.ne;
  for (int64_t k = 0; k < p->reactions; k++) {
    const crowd_reaction *r = p->reaction + k;
    if (r->a < 0 || r->a >= nb || r->b < 0 || r->b >= all)
      return damaged(m, file, "a reaction is of bodies that are not there");
  }
  return SS_OK;
}

ss_error crowd_checkpoint_load(crowd *m, const char *file) {
  crowd_checkpoint p = {0};
  bytes b;
  ss_error e = open_bytes(m->c, file, &b) ? SS_OK : damaged(m, file, "missing or cannot be read");
  e = ranks_agree(m->c, e);
  if (!e) e = ranks_agree(m->c, read_head(m, file, &b, &p));
  if (!e) e = ranks_agree(m->c, read_rows(m, file, &b, &p));
  if (!e) e = ranks_agree(m->c, check_reactions(m, file, &p));
  close_bytes(&b);
  if (!e) install(m, &p);
  crowd_checkpoint_release(&p);
  return e;
}
