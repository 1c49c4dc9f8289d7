// Datasets: numbers and strings (hdf5_node.h). What libhdf5 is not trusted with:
//
// - types: anything but the three below goes through conversion code that reads the type's own,
//   possibly damaged, description; we take exact matches only
// - sizes: a dataspace of 2^60 elements is legal HDF5; we bound the bytes by the file's size, or,
//   where storage can be smaller than its content, by that times the best ratio of deflate
// - filters: other than the three of every libhdf5, they would be searched for as plug-ins on disk
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "io/hdf5_node.h"

// ---- what is checked ---------------------------------------------------------------------------

// Where the bytes need not be in the file (compressed, or never written and all fill value) a small
// file may still stand for this much: 64 MiB, or its size times the best ratio of deflate.
static hsize_t unpacked_limit(const ssi_source *in) {
  hsize_t floor = (hsize_t)64 << 20, ratio = 1032;
  return in->size > floor / ratio ? in->size * ratio : floor;
}

static ss_error check_filters(ssi_h5 *h, const ssi_h5_node *n, hid_t creation) {
  int count = H5Pget_nfilters(creation);
  if (count < 0) return ssi_h5_failed(h, n->path, "tell the filters of this dataset");
  for (int k = 0; k < count; k++) {
    unsigned flags, config;
    size_t values = 0;
    H5Z_filter_t filter =
        H5Pget_filter2(creation, (unsigned)k, &flags, &values, NULL, 0, NULL, &config);
    if (filter != H5Z_FILTER_DEFLATE && filter != H5Z_FILTER_SHUFFLE &&
        filter != H5Z_FILTER_FLETCHER32)
      return ssi_fail(h->ctx, SS_ERR_FORMAT,
                      "%s: %s: stored through filter %d, expected none, deflate, shuffle or "
                      "fletcher32",
                      h->in->name, n->path, (int)filter);
  }
  return SS_OK;
}

// A filtered chunk is unpacked as a whole, however little of it the dataset uses.
static ss_error check_chunks(ssi_h5 *h, const ssi_h5_node *n, hid_t creation, size_t element) {
  hsize_t chunk[H5S_MAX_RANK], limit = unpacked_limit(h->in) / element, size = 1;
  int rank = H5Pget_chunk(creation, H5S_MAX_RANK, chunk);
  if (rank < 0) return ssi_h5_failed(h, n->path, "tell the chunks of this dataset");
  for (int k = 0; k < rank; k++)
    size = chunk[k] && size > UINT64_MAX / chunk[k] ? UINT64_MAX : size * chunk[k];
  if (rank > 0 && size <= limit) return SS_OK;
  return ssi_fail(h->ctx, SS_ERR_FORMAT, "%s: %s: chunks of %llu elements, at most %llu accepted",
                  h->in->name, n->path, rank > 0 ? (unsigned long long)size : 0,
                  (unsigned long long)limit);
}

static ss_error check_layout(ssi_h5 *h, const ssi_h5_node *n, hid_t creation, size_t element,
                             bool *packed) {
  H5D_layout_t layout = H5Pget_layout(creation);
  *packed = layout == H5D_CHUNKED;
  if (layout == H5D_CHUNKED) {
    SS_TRY(check_chunks(h, n, creation, element));
    return check_filters(h, n, creation);
  }
  if (layout == H5D_COMPACT) return SS_OK;
  if (layout == H5D_CONTIGUOUS && H5Pget_external_count(creation) == 0) return SS_OK;
  return ssi_fail(h->ctx, SS_ERR_FORMAT,
                  "%s: %s: data kept in other files or datasets, expected here", h->in->name,
                  n->path);
}

static ss_error check_storage(ssi_h5 *h, const ssi_h5_node *n, hsize_t count, size_t element) {
  hid_t creation = H5Dget_create_plist(n->id);
  if (creation < 0) return ssi_h5_failed(h, n->path, "tell how this dataset is stored");
  bool packed = false;
  ss_error e = check_layout(h, n, creation, element, &packed);
  H5Pclose(creation);
  SS_TRY(e);
  H5D_space_status_t status;
  if (H5Dget_space_status(n->id, &status) < 0)
    return ssi_h5_failed(h, n->path, "tell how this dataset is stored");
  packed = packed || status != H5D_SPACE_STATUS_ALLOCATED;
  hsize_t limit = packed ? unpacked_limit(h->in) : h->in->size, stored = H5Dget_storage_size(n->id);
  if (!packed && count <= limit / element &&
      stored < count * element)  // it would read on past them
    return ssi_fail(h->ctx, SS_ERR_FORMAT, "%s: %s: %llu bytes stored, expected %llu", h->in->name,
                    n->path, (unsigned long long)stored, (unsigned long long)(count * element));
  if (count <= limit / element) return SS_OK;
  return ssi_fail(h->ctx, SS_ERR_FORMAT,
                  "%s: %s: %llu elements of %zu bytes, more than a file of %zu bytes can hold",
                  h->in->name, n->path, (unsigned long long)count, element, h->in->size);
}

// A scalar, where that is allowed, or up to `most` dimensions; *shape has the rank and each of them.
static ss_error check_shape(ssi_h5 *h, const ssi_h5_node *n, bool scalar, int most,
                            ssi_h5_shape *shape) {
  hid_t space = H5Dget_space(n->id);
  if (space < 0) return ssi_h5_failed(h, n->path, "tell the shape of this dataset");
  H5S_class_t kind = H5Sget_simple_extent_type(space);
  int rank = kind == H5S_SIMPLE ? H5Sget_simple_extent_ndims(space) : 0;
  hsize_t size[SSI_H5_RANK] = {0};
  bool fits = rank >= 1 && rank <= most && H5Sget_simple_extent_dims(space, size, NULL) == rank;
  if (scalar && kind == H5S_SCALAR) rank = 1, size[0] = 1, fits = true;
  H5Sclose(space);
  *shape = (ssi_h5_shape){.rank = rank, .count = 1};
  for (int k = 0; fits && k < rank; k++) {
    shape->size[k] = size[k];
    shape->count =
        size[k] && shape->count > UINT64_MAX / size[k] ? UINT64_MAX : shape->count * size[k];
  }
  if (fits) return SS_OK;
  return ssi_fail(h->ctx, SS_ERR_FORMAT, "%s: %s: %s of rank %d, expected rank 1%s", h->in->name,
                  n->path, kind == H5S_NULL ? "no dataspace" : "a dataspace", rank,
                  most > 1 ? " to 4" : "");
}

ss_error ssi_h5_is_here(ssi_h5 *h, const ssi_h5_node *n, ssi_h5_shape *shape, size_t *element) {
  SS_TRY(check_shape(h, n, true, SSI_H5_RANK, shape));
  hid_t type = H5Dget_type(n->id);
  *element = type < 0 ? 0 : H5Tget_size(type);
  if (type >= 0) H5Tclose(type);
  if (*element == 0) return ssi_h5_failed(h, n->path, "tell the type of this dataset");
  return check_storage(h, n, shape->count, *element);
}

static void type_name(hid_t type, char *text, size_t size) {
  static const char *const classes[] = {"integers", "reals",     "times",       "strings",
                                        "bit sets", "blobs",     "compounds",   "references",
                                        "enums",    "sequences", "fixed arrays"};
  int class = (int)H5Tget_class(type);
  bool natural = class == H5T_INTEGER && H5Tget_sign(type) == H5T_SGN_NONE;
  snprintf(text, size, "%s of %zu bytes%s%s",
           class >= 0 && class < 11 ? classes[class] : "an unknown type", H5Tget_size(type),
           natural ? ", unsigned" : "", H5Tget_order(type) == H5T_ORDER_BE ? ", big-endian" : "");
}

typedef struct expectation {
  hid_t types[2];    // one of these exactly; the second may be absent
  const char *name;  // of the types, for messages
  int64_t count;     // -1: any
  const char *why;   // where count comes from; may be NULL
  bool table;        // of any rank up to SSI_H5_RANK; else 1
} expectation;

// Enters a dataset and makes sure that it is what is expected; *which says which type it has.
static ss_error enter_table(ssi_h5 *h, const ssi_h5_node *parent, const char *name,
                            const expectation *want, ssi_h5_node *out, ssi_h5_shape *shape,
                            int *which) {
  SS_TRY(ssi_h5_enter(h, parent, name, H5I_DATASET, out));
  if (out->id < 0)
    return ssi_fail(h->ctx, SS_ERR_FORMAT, "%s: %s: not found, expected a dataset", h->in->name,
                    out->path);
  hid_t type = H5Dget_type(out->id);
  if (type < 0) return ssi_h5_failed(h, out->path, "tell the type of this dataset");
  char found[64];
  type_name(type, found, sizeof found);
  *which = H5Tequal(type, want->types[0]) > 0                          ? 0
           : want->types[1] >= 0 && H5Tequal(type, want->types[1]) > 0 ? 1
                                                                       : -1;
  size_t element = H5Tget_size(type);
  H5Tclose(type);
  if (*which < 0)
    return ssi_fail(h->ctx, SS_ERR_FORMAT, "%s: %s: found %s, expected %s", h->in->name, out->path,
                    found, want->name);
  SS_TRY(check_shape(h, out, false, want->table ? SSI_H5_RANK : 1, shape));
  if (shape->count > INT_MAX || (want->count >= 0 && shape->count != (uint64_t)want->count))
    return ssi_fail(h->ctx, SS_ERR_FORMAT, "%s: %s: %llu elements, expected %lld%s%s", h->in->name,
                    out->path, (unsigned long long)shape->count,
                    (long long)(want->count >= 0 ? want->count : INT_MAX),
                    want->count < 0 ? " at most" : "", want->why ? want->why : "");
  return check_storage(h, out, shape->count, element);
}

static ss_error enter_dataset(ssi_h5 *h, const ssi_h5_node *parent, const char *name,
                              const expectation *want, ssi_h5_node *out, hsize_t *count,
                              int *which) {
  ssi_h5_shape shape;
  SS_TRY(enter_table(h, parent, name, want, out, &shape, which));
  *count = shape.count;
  return SS_OK;
}

static ss_error read_all(ssi_h5 *h, const ssi_h5_node *n, hid_t type, hsize_t count, void *to) {
  if (!to) return ssi_fail(h->ctx, SS_ERR_MEMORY, "%s: %s: no memory", h->in->name, n->path);
  if (count && H5Dread(n->id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, to) < 0)
    return ssi_h5_failed(h, n->path, "read this dataset");
  return SS_OK;
}

static ss_error read_wide_ints(ssi_h5 *h, const ssi_h5_node *n, hsize_t count, int *out) {
  int64_t *wide = ssi_alloc(h->ctx, count, sizeof *wide);
  ss_error e = read_all(h, n, H5T_NATIVE_INT64, count, wide);
  for (hsize_t k = 0; k < count && !e; k++) {
    if (wide[k] < INT_MIN || wide[k] > INT_MAX)
      e = ssi_fail(h->ctx, SS_ERR_FORMAT, "%s: %s: element %llu is %lld, expected 32 bits",
                   h->in->name, n->path, (unsigned long long)k, (long long)wide[k]);
    else
      out[k] = (int)wide[k];
  }
  ssi_release(h->ctx, wide);
  return e;
}

ss_error ssi_h5_ints(ssi_h5 *h, const ssi_h5_node *parent, const char *name, const char *what,
                     ssi_arena *arena, int64_t *count, int **out) {
  ssi_h5_node n;
  hsize_t length;
  int which;
  expectation want = {{H5T_STD_I32LE, H5T_STD_I64LE},
                      "little-endian integers of 4 or 8 bytes",
                      *count,
                      what,
                      false};
  SS_TRY(enter_dataset(h, parent, name, &want, &n, &length, &which));
  int *data = SSI_TAKE(arena, length, int);
  if (which == 0 || !data)
    SS_TRY(read_all(h, &n, H5T_NATIVE_INT, length, data));
  else
    SS_TRY(read_wide_ints(h, &n, length, data));
  ssi_h5_leave(&n);
  *count = (int64_t)length;
  *out = data;
  return SS_OK;
}

ss_error ssi_h5_doubles(ssi_h5 *h, const ssi_h5_node *parent, const char *name, const char *what,
                        ssi_arena *arena, int64_t *count, double **out) {
  ssi_h5_node n;
  hsize_t length;
  int which;
  expectation want = {
      {H5T_IEEE_F64LE, H5I_INVALID_HID}, "little-endian reals of 8 bytes", *count, what, false};
  SS_TRY(enter_dataset(h, parent, name, &want, &n, &length, &which));
  double *data = SSI_TAKE(arena, length, double);
  SS_TRY(read_all(h, &n, H5T_NATIVE_DOUBLE, length, data));
  ssi_h5_leave(&n);
  *count = (int64_t)length;
  *out = data;
  return SS_OK;
}

ss_error ssi_h5_table(ssi_h5 *h, const ssi_h5_node *parent, const char *name, ssi_arena *arena,
                      ssi_h5_shape *shape, double **out) {
  ssi_h5_node n;
  int which;
  expectation want = {.types = {H5T_IEEE_F64LE, H5T_STD_I32LE},
                      .name = "little-endian reals of 8 bytes or integers of 4",
                      .count = -1,
                      .table = true};
  SS_TRY(enter_table(h, parent, name, &want, &n, shape, &which));
  *out = SSI_TAKE(arena, shape->count, double);
  SS_TRY(read_all(h, &n, H5T_NATIVE_DOUBLE, shape->count, *out));
  ssi_h5_leave(&n);
  return SS_OK;
}

ss_error ssi_h5_int(ssi_h5 *h, const ssi_h5_node *parent, const char *name, int *out) {
  ssi_arena scratch = {.ctx = h->ctx};
  int64_t one = 1;
  int *value = NULL;
  ss_error e = ssi_h5_ints(h, parent, name, NULL, &scratch, &one, &value);
  if (!e) *out = *value;
  ssi_arena_release(&scratch);
  return e;
}

// ---- strings -------------------------------------------------------------------------------

static bool is_utf8(const unsigned char *s) {
  while (*s) {
    int more = *s < 0x80 ? 0 : *s >= 0xc2 && *s < 0xe0 ? 1 : (*s & 0xf0) == 0xe0 ? 2 : 3;
    if ((*s >= 0x80 && *s < 0xc2) || *s > 0xf4) return false;
    unsigned first = *s++;
    for (int k = 0; k < more; k++, s++) {
      unsigned low = 0x80, high = 0xbf;  // overlong forms, surrogates, beyond U+10FFFF
      if (k == 0 && first == 0xe0) low = 0xa0;
      if (k == 0 && first == 0xed) high = 0x9f;
      if (k == 0 && first == 0xf0) low = 0x90;
      if (k == 0 && first == 0xf4) high = 0x8f;
      if (*s < low || *s > high) return false;
    }
  }
  return true;
}

// Latin-1 is the first 256 code points of Unicode, so every byte sequence has a meaning in it.
static void latin1_to_utf8(const unsigned char *from, char *to) {
  for (; *from; from++) {
    if (*from < 0x80) {
      *to++ = (char)*from;
    } else {
      *to++ = (char)(0xc0 | *from >> 6);
      *to++ = (char)(0x80 | (*from & 0x3f));
    }
  }
  *to = 0;
}

static ss_error keep_text(ssi_h5 *h, const ssi_h5_node *n, char *text, ssi_arena *arena,
                          const char **out) {
  bool utf8 = is_utf8((const unsigned char *)text);
  char *kept = SSI_TAKE(arena, (utf8 ? 1 : 2) * strlen(text) + 1, char);
  if (!kept) return ssi_fail(h->ctx, SS_ERR_MEMORY, "%s: %s: no memory", h->in->name, n->path);
  if (utf8) {
    strcpy(kept, text);
  } else {
    latin1_to_utf8((const unsigned char *)text, kept);
    ssi_log(h->ctx, SS_LOG_WARN, "%s: %s: not UTF-8, taken as Latin-1", h->in->name, n->path);
  }
  *out = kept;
  return SS_OK;
}

static ss_error read_text(ssi_h5 *h, const ssi_h5_node *n, hid_t type, ssi_arena *arena,
                          const char **out) {
  ssi_h5_shape shape;
  size_t size = H5Tget_size(type);
  SS_TRY(check_shape(h, n, true, 1, &shape));
  if (shape.count != 1)
    return ssi_fail(h->ctx, SS_ERR_FORMAT, "%s: %s: %llu strings, expected 1", h->in->name, n->path,
                    (unsigned long long)shape.count);
  SS_TRY(check_storage(h, n, 1, size));
  char *text = ssi_alloc(h->ctx, size + 1, 1);
  ss_error e = read_all(h, n, type, 1, text);
  if (!e) {
    text[size] = 0;
    size_t end = strlen(text);
    if (H5Tget_strpad(type) == H5T_STR_SPACEPAD)
      while (end && text[end - 1] == ' ') text[--end] = 0;
    e = keep_text(h, n, text, arena, out);
  }
  ssi_release(h->ctx, text);
  return e;
}

ss_error ssi_h5_text(ssi_h5 *h, const ssi_h5_node *parent, const char *name, ssi_arena *arena,
                     const char **out) {
  ssi_h5_node n;
  *out = NULL;
  SS_TRY(ssi_h5_enter(h, parent, name, H5I_DATASET, &n));
  if (n.id < 0) return SS_OK;
  hid_t type = H5Dget_type(n.id);
  if (type < 0) return ssi_h5_failed(h, n.path, "tell the type of this dataset");
  ss_error e = SS_OK;
  if (H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0 && H5Tget_size(type) > 0)
    e = read_text(h, &n, type, arena, out);
  else
    ssi_log(h->ctx, SS_LOG_WARN, "%s: %s: no string of fixed length, ignored", h->in->name, n.path);
  H5Tclose(type);
  ssi_h5_leave(&n);
  return e;
}
