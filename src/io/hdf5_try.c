// See hdf5_node.h. libhdf5 can be crashed by what is inside of a file before there is anything that a reader could check
// (docs/limits-hdf5.md). Where its content is too large to be sent back from a child, as ssi_isolate does it, a child
// reads it first; what it survives is then read here.
#include "base/error.h"
#include "io/hdf5_node.h"
#include "io/isolate.h"

enum { BLOCK = 1 << 20, DEPTH_MOST = 16 };  // bytes of rows at a time; groups in groups

// Rows [from, from + count) into `block`.
static bool read_block(const ssi_h5_node *n, hid_t type, const ssi_h5_shape *shape, uint64_t from,
                       uint64_t count, void *block) {
  hsize_t size[SSI_H5_RANK], start[SSI_H5_RANK] = {from};
  for (int k = 0; k < shape->rank; k++) size[k] = k ? shape->size[k] : count;
  hid_t space = H5Dget_space(n->id), memory = H5Screate_simple(shape->rank, size, NULL);
  bool ok = space >= 0 && memory >= 0 &&
            H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, size, NULL) >= 0 &&
            H5Dread(n->id, type, memory, space, H5P_DEFAULT, block) >= 0;
  if (memory >= 0) H5Sclose(memory);
  if (space >= 0) H5Sclose(space);
  return ok;
}

static ss_error read_rows(ssi_h5 *h, const ssi_h5_node *n, hid_t type, const ssi_h5_shape *shape,
                          size_t element) {
  uint64_t rows = shape->size[0], bytes = shape->count / rows * element;
  uint64_t most = bytes > BLOCK ? 1 : BLOCK / bytes;
  if (most > rows) most = rows;
  void *block = ssi_alloc(h->ctx, most, bytes);
  bool ok = block;
  if (ok && rows == 1)  // a scalar has no rows to choose from
    ok = H5Dread(n->id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, block) >= 0;
  else
    for (uint64_t from = 0; ok && from < rows; from += most)
      ok = read_block(n, type, shape, from, rows - from < most ? rows - from : most, block);
  ss_error e = ok      ? SS_OK
               : block ? ssi_h5_failed(h, n->path, "read this dataset")
                       : ssi_fail(h->ctx, SS_ERR_MEMORY, "%s: no memory", h->in->name);
  ssi_release(h->ctx, block);
  return e;
}

// What is refused before it is read (too large, elsewhere, of a type with pointers) is so by every reader.
static ss_error read_dataset(ssi_h5 *h, const ssi_h5_node *n) {
  ssi_h5_shape shape;
  size_t element;
  if (ssi_h5_is_here(h, n, &shape, &element)) return SS_OK;
  hid_t type = H5Dget_type(n->id);
  H5T_class_t class = type < 0 ? H5T_NO_CLASS : H5Tget_class(type);
  bool plain = class == H5T_INTEGER || class == H5T_FLOAT ||
               (class == H5T_STRING && H5Tis_variable_str(type) == 0);
  ss_error e = plain && shape.count > 0 ? read_rows(h, n, type, &shape, element) : SS_OK;
  if (type >= 0) H5Tclose(type);
  return e;
}

static ss_error read_group(ssi_h5 *h, const ssi_h5_node *group, int depth);

static ss_error read_object(ssi_h5 *h, const ssi_h5_node *group, uint64_t k, int depth) {
  H5L_info_t link;
  ssi_h5_node n;
  snprintf(n.path, sizeof n.path, "%.60s/%llu", group->path, (unsigned long long)k);
  if (H5Lget_info_by_idx(group->id, ".", H5_INDEX_NAME, H5_ITER_INC, k, &link, H5P_DEFAULT) < 0)
    return ssi_h5_failed(h, n.path, "look this link up");
  if (link.type != H5L_TYPE_HARD) return SS_OK;  // is not followed by any reader
  n.id = H5Oopen_by_idx(group->id, ".", H5_INDEX_NAME, H5_ITER_INC, k, H5P_DEFAULT);
  if (n.id < 0) return ssi_h5_failed(h, n.path, "open this object");
  H5I_type_t kind = H5Iget_type(n.id);
  ss_error e = kind == H5I_GROUP     ? read_group(h, &n, depth + 1)
               : kind == H5I_DATASET ? read_dataset(h, &n)
                                     : SS_OK;
  ssi_h5_leave(&n);
  return e;
}

static ss_error read_group(ssi_h5 *h, const ssi_h5_node *group, int depth) {
  H5G_info_t info;
  if (depth > DEPTH_MOST)
    return ssi_fail(h->ctx, SS_ERR_FORMAT, "%s: groups in groups, more than %d deep", h->in->name,
                    DEPTH_MOST);
  if (H5Gget_info(group->id, &info) < 0)
    return ssi_h5_failed(h, group->path, "list the objects of this group");
  for (hsize_t k = 0; k < info.nlinks; k++) SS_TRY(read_object(h, group, k, depth));
  return SS_OK;
}

static ss_error read_all(ss_context *ctx, const ssi_source *in, ssi_arena *arena, ss_file *out) {
  (void)arena, (void)out;
  ssi_h5 h;
  ssi_h5_node root;
  ss_error e = ssi_h5_open(&h, ctx, in, &root);
  if (!e) e = read_group(&h, &root, 0);
  ssi_h5_close(&h);
  return e;
}

ss_error ssi_h5_try(ss_context *ctx, const ssi_source *in) {
  ssi_arena nothing = {.ctx = ctx};
  ss_file carrier = {.format = SS_FORMAT_FCLIB, .problem = {.form = SS_REDUCED, .dim = 2}};
  double seconds = 60 + (double)in->size / 1e6;  // it reads some hundred times faster
  ss_error e = ssi_isolate(ctx, read_all, "libhdf5", seconds, in, &nothing, &carrier);
  ssi_arena_release(&nothing);
  return e;
}
