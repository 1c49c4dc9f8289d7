// See hdf5_node.h. What libhdf5 is not trusted with:
//
// - links: it would follow soft links in circles and external links to other files; we ask for each
//   link's kind first and go through hard links only
// - datasets: hdf5_dataset.c
#include "io/hdf5_node.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"

// ---- messages ------------------------------------------------------------------------------

static herr_t innermost(unsigned depth, const H5E_error2_t *error, void *text) {
  (void)depth;
  snprintf(text, 128, "%s", error->desc && *error->desc ? error->desc : "no reason given");
  return 1;  // the first, deepest one says most
}

ss_error ssi_h5_failed(ssi_h5 *h, const char *path, const char *doing) {
  char reason[128] = "no reason given";
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, innermost, reason);
  return ssi_fail(h->ctx, SS_ERR_FORMAT, "%s: %s: libhdf5 cannot %s: %s", h->in->name, path, doing,
                  reason);
}

static void make_printable(char *text) {
  for (; *text; text++)
    if ((unsigned char)*text < ' ' || *text == 127) *text = '?';
}

// ---- the file ------------------------------------------------------------------------------

// The core driver makes a copy of an image at every turn; these callbacks hand it the caller's bytes
// instead. It opens them read-only and never resizes.
static void *image_malloc(size_t size, H5FD_file_image_op_t op, void *source) {
  (void)op;
  const ssi_source *in = source;
  return size <= in->size ? (void *)(uintptr_t)in->bytes : NULL;
}

static void *image_memcpy(void *to, const void *from, size_t size, H5FD_file_image_op_t op,
                          void *source) {
  (void)size, (void)op, (void)source;
  return to == from ? to : NULL;
}

static void *image_realloc(void *mem, size_t size, H5FD_file_image_op_t op, void *source) {
  (void)mem, (void)size, (void)op, (void)source;
  return NULL;
}

static herr_t image_free(void *mem, H5FD_file_image_op_t op, void *source) {
  (void)mem, (void)op, (void)source;
  return 0;
}

static void *same(void *source) {
  return source;
}

static herr_t keep(void *source) {
  (void)source;
  return 0;
}

ss_error ssi_h5_open(ssi_h5 *h, ss_context *ctx, const ssi_source *in, ssi_h5_node *root) {
  *h = (ssi_h5){.ctx = ctx, .in = in, .file = H5I_INVALID_HID};
  *root = (ssi_h5_node){.id = H5I_INVALID_HID, .path = ""};
  H5Eget_auto2(H5E_DEFAULT, &h->printing, &h->printing_data);
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  if (!ssi_is_hdf5(in))
    return ssi_fail(ctx, SS_ERR_FORMAT, "%s: no HDF5 signature found in %zu bytes", in->name,
                    in->size);
  H5FD_file_image_callbacks_t borrow = {
      image_malloc, image_memcpy, image_realloc, image_free, same, keep, (void *)(uintptr_t)in};
  char name[64];  // the core driver takes equal names for the same file
  snprintf(name, sizeof name, "stickslip-image-%p", (void *)h);
  hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  if (access >= 0 && H5Pset_fapl_core(access, 1 << 16, false) >= 0 &&
      H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) >= 0 &&
      H5Pset_file_image_callbacks(access, &borrow) >= 0 &&
      H5Pset_file_image(access, (void *)(uintptr_t)in->bytes, in->size) >= 0)
    h->file = H5Fopen(name, H5F_ACC_RDONLY, access);
  ss_error e = SS_OK;
  if (h->file < 0)
    e = ssi_h5_failed(h, "/", "open this file");
  else if ((root->id = H5Gopen2(h->file, "/", H5P_DEFAULT)) < 0)
    e = ssi_h5_failed(h, "/", "open this group");
  if (access >= 0) H5Pclose(access);
  return e;
}

void ssi_h5_close(ssi_h5 *h) {
  if (h->file >= 0) H5Fclose(h->file);
  H5Eclear2(H5E_DEFAULT);
  H5Eset_auto2(H5E_DEFAULT, h->printing, h->printing_data);
}

void ssi_h5_leave(ssi_h5_node *n) {
  if (n->id >= 0) H5Oclose(n->id);
  n->id = H5I_INVALID_HID;
}

// ---- links ---------------------------------------------------------------------------------

static void join_path(char *path, size_t size, const ssi_h5_node *parent, const char *name) {
  snprintf(path, size, "%.60s/%.30s", parent->path, name);
}

// That libhdf5 cannot look a name up in a damaged group does not mean that it is not there.
ss_error ssi_h5_has(ssi_h5 *h, const ssi_h5_node *parent, const char *name, bool *yes) {
  char path[sizeof parent->path];
  htri_t exists = parent->id < 0 ? 0 : H5Lexists(parent->id, name, H5P_DEFAULT);
  *yes = exists > 0;
  if (exists >= 0) return SS_OK;
  join_path(path, sizeof path, parent, name);
  return ssi_h5_failed(h, path, "look this name up");
}

bool ssi_h5_name_at(const ssi_h5_node *group, uint64_t k, char *name, size_t room) {
  H5G_info_t info;
  if (H5Gget_info(group->id, &info) < 0 || k >= info.nlinks) return false;
  ssize_t n =
      H5Lget_name_by_idx(group->id, ".", H5_INDEX_NAME, H5_ITER_INC, k, name, room, H5P_DEFAULT);
  return n > 0 && (size_t)n < room;
}

void ssi_h5_names(const ssi_h5_node *group, int most, char *text, size_t size) {
  H5G_info_t info;
  size_t used = 0;
  snprintf(text, size, "nothing");
  if (H5Gget_info(group->id, &info) < 0) return;
  for (hsize_t k = 0; k < info.nlinks && used < size; k++) {
    char name[48];
    if (k == (hsize_t)most) {
      snprintf(text + used, size - used, ", ... (%llu in all)", (unsigned long long)info.nlinks);
      return;
    }
    if (H5Lget_name_by_idx(group->id, ".", H5_INDEX_NAME, H5_ITER_INC, k, name, sizeof name,
                           H5P_DEFAULT) < 0)
      return;
    make_printable(name);
    used += (size_t)snprintf(text + used, size - used, "%s%s", k ? ", " : "", name);
  }
}

static const char *kind_name(H5I_type_t kind) {
  return kind == H5I_GROUP ? "a group" : kind == H5I_DATASET ? "a dataset" : "a named type";
}

static const char *link_name(H5L_type_t type) {
  return type == H5L_TYPE_SOFT       ? "a soft link"
         : type == H5L_TYPE_EXTERNAL ? "a link to another file"
                                     : "a link of a user-defined kind";
}

ss_error ssi_h5_enter(ssi_h5 *h, const ssi_h5_node *parent, const char *name, H5I_type_t kind,
                      ssi_h5_node *out) {
  out->id = H5I_INVALID_HID;
  join_path(out->path, sizeof out->path, parent, name);
  bool exists;
  SS_TRY(ssi_h5_has(h, parent, name, &exists));
  if (!exists) return SS_OK;
  H5L_info_t link;
  if (H5Lget_info(parent->id, name, &link, H5P_DEFAULT) < 0)
    return ssi_h5_failed(h, out->path, "look this link up");
  if (link.type != H5L_TYPE_HARD)
    return ssi_fail(h->ctx, SS_ERR_FORMAT, "%s: %s: found %s, only hard links are followed",
                    h->in->name, out->path, link_name(link.type));
  if ((out->id = H5Oopen(parent->id, name, H5P_DEFAULT)) < 0)
    return ssi_h5_failed(h, out->path, "open this object");
  H5I_type_t found = H5Iget_type(out->id);
  if (found == kind) return SS_OK;
  ssi_h5_leave(out);
  return ssi_fail(h->ctx, SS_ERR_FORMAT, "%s: %s: found %s, expected %s", h->in->name, out->path,
                  kind_name(found), kind_name(kind));
}

ss_error ssi_h5_group(ssi_h5 *h, const ssi_h5_node *parent, const char *name, ssi_h5_node *out) {
  return ssi_h5_enter(h, parent, name, H5I_GROUP, out);
}

ss_error ssi_h5_required_group(ssi_h5 *h, const ssi_h5_node *parent, const char *name,
                               ssi_h5_node *out) {
  SS_TRY(ssi_h5_group(h, parent, name, out));
  if (out->id >= 0) return SS_OK;
  return ssi_fail(h->ctx, SS_ERR_FORMAT, "%s: %s: not found, expected a group", h->in->name,
                  out->path);
}
