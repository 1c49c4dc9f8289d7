// io/run_part.c - see run_part.h.
#include "io/run_part.h"

#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "io/hdf5_node.h"

static const char signature[] = "stickslip run";

// ---- writing -------------------------------------------------------------------------------

void ssi_run_put_head(ssi_image *w, const ssi_run_counts *n, const char *scene_text,
                      int64_t last_frame) {
  hsize_t one = 1;
  ssi_image_text(w, w->file, "format", signature);
  ssi_image_int(w, w->file, "version", SSI_RUN_VERSION);
  ssi_image_int(w, w->file, "dim", n->dim);
  ssi_image_int(w, w->file, "bodies", n->bodies);
  ssi_image_int(w, w->file, "externals", n->externals);
  ssi_image_int(w, w->file, "joints", n->joints);
  if (n->elements) ssi_image_int(w, w->file, "elements", n->elements);
  if (n->certified) ssi_image_int(w, w->file, "certified", n->certified);
  if (n->moving) ssi_image_int(w, w->file, "moving", n->moving);
  if (n->clocked) ssi_image_int(w, w->file, "clocked", n->clocked);
  ssi_image_text(w, w->file, "scene", scene_text);
  ssi_image_put(w, w->file, "last_frame", H5T_STD_I64LE, H5T_NATIVE_INT64, 1, &one, &last_frame);
  const char *const groups[] = {"steps", "frames", "contacts"};
  for (int k = 0; k < 3; k++) ssi_image_leave(ssi_image_group(w, w->file, groups[k]));
}

void ssi_run_put_table(ssi_image *w, const ssi_run_table *t) {
  if (w->error || t->row_bytes == 0) return;
  hsize_t dims[3];
  int rank = ssi_run_dims(t, t->used / t->row_bytes, dims);
  hid_t group = H5Gopen2(w->file, t->group, H5P_DEFAULT);
  if (group < 0) return ssi_image_library_failed(w, t->group);
  ssi_image_put(w, group, t->name, ssi_run_stored(t->type), ssi_run_native(t->type), rank, dims,
                t->rows);
  H5Gclose(group);
}

// ---- reading -------------------------------------------------------------------------------

static ss_error bad(const ssi_run_part *p, const char *where, const char *found) {
  return ssi_fail(p->ctx, SS_ERR_FORMAT, "%s: /%s: %s", p->name, where, found);
}

// GROUP/NAME or NAME, by hard links alone and with all of its numbers in this file: what it says about itself leads to
// no other. Negative where there is none.
static ss_error open_set(const ssi_run_part *p, const char *path, hid_t *out) {
  const char *slash = strchr(path, '/');
  char word[16] = "";
  ssi_source in = {.name = p->name, .size = p->size};
  ssi_h5 h = {.ctx = p->ctx, .in = &in, .file = p->file};
  ssi_h5_node root = {.id = p->file}, group = {.id = H5I_INVALID_HID}, set = group;
  ssi_h5_shape shape;
  size_t element;
  if (slash && (size_t)(slash - path) < sizeof word) memcpy(word, path, (size_t)(slash - path));
  ss_error e = slash ? ssi_h5_group(&h, &root, word, &group) : SS_OK;
  const ssi_h5_node *parent = slash ? &group : &root;
  if (!e && parent->id >= 0)
    e = ssi_h5_enter(&h, parent, slash ? slash + 1 : path, H5I_DATASET, &set);
  ssi_h5_leave(&group);
  if (!e && set.id >= 0) e = ssi_h5_is_here(&h, &set, &shape, &element);
  if (e) ssi_h5_leave(&set);
  *out = set.id;
  return e;
}

// The exact type that we write, so that libhdf5 converts nothing.
static bool has_type(hid_t set, hid_t expected) {
  hid_t type = H5Dget_type(set);
  bool same = type >= 0 && H5Tequal(type, expected) > 0;
  if (type >= 0) H5Tclose(type);
  return same;
}

static int shape_of(hid_t set, hsize_t dims[3]) {
  hid_t space = H5Dget_space(set);
  int rank = space < 0 ? -1 : H5Sget_simple_extent_ndims(space);
  if (rank > 3 || (rank > 0 && H5Sget_simple_extent_dims(space, dims, NULL) < 0)) rank = -1;
  if (space >= 0) H5Sclose(space);
  return rank;
}

static ss_error read_scalar(ssi_run_part *p, const char *name, hid_t stored, hid_t native,
                            void *out) {
  hsize_t dims[3] = {0};
  hid_t set;
  SS_TRY(open_set(p, name, &set));
  bool ok = set >= 0 && has_type(set, stored) && shape_of(set, dims) == 1 && dims[0] == 1 &&
            H5Dread(set, native, H5S_ALL, H5S_ALL, H5P_DEFAULT, out) >= 0;
  if (set >= 0) H5Dclose(set);
  return ok ? SS_OK : bad(p, name, "missing or not a whole number, as every run file has");
}

static ss_error read_count(ssi_run_part *p, const char *name, int *out) {
  SS_TRY(read_scalar(p, name, H5T_STD_I32LE, H5T_NATIVE_INT, out));
  return *out >= 0 ? SS_OK : bad(p, name, "is negative");
}

// Of objects: each has 48 bytes or more in every frame, of which the best ratio of deflate leaves a twenty-second part
// of a byte.
static ss_error read_objects(ssi_run_part *p, const char *name, int *out) {
  SS_TRY(read_count(p, name, out));
  return (size_t)*out / 32 <= p->size ? SS_OK : bad(p, name, "more than the file can hold");
}

static ss_error read_text(ssi_run_part *p, const char *name, const char **out) {
  hid_t set;
  SS_TRY(open_set(p, name, &set));
  hid_t type = set < 0 ? H5I_INVALID_HID : H5Dget_type(set);
  hsize_t dims[3] = {0};
  char *text = NULL;
  if (type >= 0 && H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0 &&
      shape_of(set, dims) == 0) {
    text = ssi_arena_take(&p->arena, H5Tget_size(type) + 1, 1);
    if (text && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) < 0) text = NULL;
  }
  if (type >= 0) H5Tclose(type);
  if (set >= 0) H5Dclose(set);
  *out = text;
  if (p->arena.failed) return ssi_fail(p->ctx, SS_ERR_MEMORY, "%s: no memory", p->name);
  return text ? SS_OK : bad(p, name, "missing or not a text, as every run file has");
}

static ss_error find_table(ssi_run_part *p, int id) {
  const ssi_run_table *t = &p->tables[id];
  p->rows[id] = 0;
  if (t->row_bytes == 0) return SS_OK;
  char path[64];
  snprintf(path, sizeof path, "%s/%s", t->group, t->name);
  hsize_t dims[3] = {0}, expected[3];
  hid_t set;
  SS_TRY(open_set(p, path, &set));
  int rank = set < 0 ? -1 : shape_of(set, dims);
  bool ok = rank > 0 && has_type(set, ssi_run_stored(t->type)) && dims[0] < (hsize_t)1 << 60 &&
            rank == ssi_run_dims(t, dims[0], expected) &&
            memcmp(dims, expected, (size_t)rank * sizeof dims[0]) == 0;
  if (set >= 0) H5Dclose(set);
  if (!ok) return bad(p, path, "missing, or not of the type and shape that a run file has");
  p->rows[id] = (int64_t)dims[0];
  return SS_OK;
}

// Tables of one group have as many rows as its first; the contacts are those that the frames count.
static ss_error check_rows(const ssi_run_part *p) {
  int64_t first = 0;
  const char *group = "";
  for (int k = 0; k < SSI_RUN_TABLE_COUNT; k++) {
    if (strcmp(group, p->tables[k].group) != 0) first = p->rows[k], group = p->tables[k].group;
    if (p->tables[k].row_bytes > 0 && p->rows[k] != first)
      return bad(p, p->tables[k].name, "has another number of rows than its group");
  }
  return SS_OK;
}

static ss_error read_head(ssi_run_part *p) {
  const char *format;
  int version;
  SS_TRY(read_text(p, "format", &format));
  if (strcmp(format, signature) != 0) return bad(p, "format", "is not that of a run file");
  SS_TRY(read_count(p, "version", &version));
  if (version != SSI_RUN_VERSION)
    return ssi_fail(p->ctx, SS_ERR_FORMAT, "%s: /version: is %d, this release reads %d", p->name,
                    version, SSI_RUN_VERSION);
  SS_TRY(read_count(p, "dim", &p->counts.dim));
  if (p->counts.dim != 2 && p->counts.dim != 3) return bad(p, "dim", "is neither 2 nor 3");
  SS_TRY(read_objects(p, "bodies", &p->counts.bodies));
  SS_TRY(read_objects(p, "externals", &p->counts.externals));
  SS_TRY(read_objects(p, "joints", &p->counts.joints));
  if (H5Lexists(p->file, "elements", H5P_DEFAULT) > 0)
    SS_TRY(read_objects(p, "elements", &p->counts.elements));
  if (H5Lexists(p->file, "certified", H5P_DEFAULT) > 0)
    SS_TRY(read_count(p, "certified", &p->counts.certified));
  if (H5Lexists(p->file, "moving", H5P_DEFAULT) > 0)
    SS_TRY(read_count(p, "moving", &p->counts.moving));
  if (p->counts.moving && p->counts.moving != p->counts.joints)
    return bad(p, "moving", "is not the number of joints");
  if (H5Lexists(p->file, "clocked", H5P_DEFAULT) > 0)
    SS_TRY(read_count(p, "clocked", &p->counts.clocked));
  SS_TRY(read_text(p, "scene", &p->scene_text));
  if (H5Lexists(p->file, "end", H5P_DEFAULT) > 0) SS_TRY(read_text(p, "end", &p->end));
  return read_scalar(p, "last_frame", H5T_STD_I64LE, H5T_NATIVE_INT64, &p->last_frame);
}

static hid_t open_quietly(ssi_run_part *p) {
  H5Eget_auto2(H5E_DEFAULT, &p->printing, &p->printing_data);
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  hid_t access = H5Pcreate(H5P_FILE_ACCESS), file = H5I_INVALID_HID;
  if (access >= 0 && H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) >= 0)
    file = H5Fopen(p->name, H5F_ACC_RDONLY, access);
  if (access >= 0) H5Pclose(access);
  return file;
}

ss_error ssi_run_part_open(ssi_run_part *p, ss_context *ctx, const char *name) {
  struct stat st;
  *p = (ssi_run_part){.ctx = ctx, .file = H5I_INVALID_HID, .arena = {.ctx = ctx}};
  p->name = ssi_arena_take(&p->arena, strlen(name) + 1, 1);
  if (!p->name) return ssi_fail(ctx, SS_ERR_MEMORY, "%s: no memory", name);
  memcpy(p->name, name, strlen(name));
  p->file = open_quietly(p);
  if (p->file < 0 || stat(name, &st) != 0)
    return ssi_fail(ctx, SS_ERR_READ, "%s: cannot be opened as an HDF5 file", name);
  p->size = (size_t)st.st_size;
  SS_TRY(read_head(p));
  ssi_run_tables(&p->counts, p->tables);
  for (int k = 0; k < SSI_RUN_TABLE_COUNT; k++) SS_TRY(find_table(p, k));
  return check_rows(p);
}

void ssi_run_part_close(ssi_run_part *p) {
  for (int k = 0; k < SSI_RUN_TABLE_COUNT; k++)
    if (p->sets[k] > 0) H5Dclose(p->sets[k]);
  if (p->file >= 0) H5Fclose(p->file);
  if (p->name) {
    H5Eclear2(H5E_DEFAULT);
    H5Eset_auto2(H5E_DEFAULT, p->printing, p->printing_data);
  }
  ssi_arena_release(&p->arena);
  *p = (ssi_run_part){.file = H5I_INVALID_HID};
}

ss_error ssi_run_part_rows(ssi_run_part *p, ssi_run_table_id id, int64_t from, int64_t count,
                           void *out) {
  const ssi_run_table *t = &p->tables[id];
  if (count == 0 || t->row_bytes == 0) return SS_OK;
  char path[64];
  snprintf(path, sizeof path, "%s/%s", t->group, t->name);
  if (p->sets[id] <= 0) SS_TRY(open_set(p, path, &p->sets[id]));
  hid_t set = p->sets[id], space = set < 0 ? H5I_INVALID_HID : H5Dget_space(set);
  hsize_t size[3], start[3] = {(hsize_t)from, 0, 0};
  int rank = ssi_run_dims(t, (hsize_t)count, size);
  hid_t memory = H5Screate_simple(rank, size, NULL);
  bool ok = space >= 0 && memory >= 0 &&
            H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, size, NULL) >= 0 &&
            H5Dread(set, ssi_run_native(t->type), memory, space, H5P_DEFAULT, out) >= 0;
  if (memory >= 0) H5Sclose(memory);
  if (space >= 0) H5Sclose(space);
  return ok ? SS_OK : bad(p, path, "cannot be read");
}

ss_error ssi_run_part_drop_frame(ssi_run_part *p) {
  int32_t contacts = 0;
  int64_t frames = p->rows[SSI_FRAME_STEP];
  if (frames < 2) return bad(p, "frames", "there are fewer than two");
  SS_TRY(ssi_run_part_rows(p, SSI_FRAME_CONTACTS, frames - 1, 1, &contacts));
  SS_TRY(ssi_run_part_rows(p, SSI_FRAME_STEP, frames - 2, 1, &p->last_frame));
  if (contacts < 0 || contacts > p->rows[SSI_CONTACT_GAP])
    return bad(p, "frames/contacts", "counts contacts that are not there");
  for (int id = 0; id < SSI_RUN_TABLE_COUNT; id++) {
    if (p->tables[id].row_bytes == 0) continue;
    if (strcmp(p->tables[id].group, "frames") == 0) p->rows[id]--;
    if (strcmp(p->tables[id].group, "contacts") == 0) p->rows[id] -= contacts;
  }
  return SS_OK;
}

ss_error ssi_run_part_checkpoint(ssi_run_part *p, ssi_arena *arena, const void **bytes,
                                 size_t *size) {
  hsize_t dims[3] = {0};
  hid_t set;
  SS_TRY(open_set(p, "checkpoint", &set));
  void *block = NULL;
  if (set >= 0 && has_type(set, H5T_STD_U8LE) && shape_of(set, dims) == 1) {
    block = ssi_arena_take(arena, (size_t)dims[0], 1);
    if (block && H5Dread(set, H5T_NATIVE_UCHAR, H5S_ALL, H5S_ALL, H5P_DEFAULT, block) < 0)
      block = NULL;
  }
  if (set >= 0) H5Dclose(set);
  if (arena->failed) return ssi_fail(p->ctx, SS_ERR_MEMORY, "%s: no memory", p->name);
  if (!block) return bad(p, "checkpoint", "missing or cannot be read");
  *bytes = block, *size = (size_t)dims[0];
  return SS_OK;
}
