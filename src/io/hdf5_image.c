// io/hdf5_image.c - see hdf5_image.h.
#define _POSIX_C_SOURCE 200809L
#include "io/hdf5_image.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/error.h"

void ssi_image_library_failed(ssi_image *w, const char *what) {
  if (!w->error)
    w->error = ssi_fail(w->ctx, SS_ERR_WRITE, "%s: %s: libhdf5 cannot make it", w->name, what);
}

void ssi_image_no_memory(ssi_image *w) {
  if (!w->error) w->error = ssi_fail(w->ctx, SS_ERR_MEMORY, "%s: no memory", w->name);
}

// ---- pieces --------------------------------------------------------------------------------

hid_t ssi_image_group(ssi_image *w, hid_t parent, const char *name) {
  if (w->error) return H5I_INVALID_HID;
  hid_t g = H5Gcreate2(parent, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  if (g < 0) ssi_image_library_failed(w, name);
  return g;
}

void ssi_image_leave(hid_t group) {
  if (group >= 0) H5Gclose(group);
}

static void put(ssi_image *w, hid_t parent, const char *name, hid_t stored, hid_t given,
                hid_t space, const void *data) {
  if (w->error || space < 0) return ssi_image_library_failed(w, name);
  hid_t set = H5Dcreate2(parent, name, stored, space, H5P_DEFAULT, w->creation, H5P_DEFAULT);
  bool empty = H5Sget_simple_extent_npoints(space) == 0;
  bool ok = set >= 0 && (empty || H5Dwrite(set, given, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
  if (set >= 0 && H5Dclose(set) < 0) ok = false;
  if (!ok) ssi_image_library_failed(w, name);
}

void ssi_image_put(ssi_image *w, hid_t parent, const char *name, hid_t stored, hid_t given,
                   int rank, const hsize_t *dims, const void *data) {
  if (w->error) return;
  hid_t space = H5Screate_simple(rank, dims, NULL);
  put(w, parent, name, stored, given, space, data);
  if (space >= 0) H5Sclose(space);
}

void ssi_image_doubles(ssi_image *w, hid_t parent, const char *name, int64_t count,
                       const double *x) {
  hsize_t length = (hsize_t)count;
  ssi_image_put(w, parent, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 1, &length, x);
}

void ssi_image_ints(ssi_image *w, hid_t parent, const char *name, int64_t count, const int *x) {
  hsize_t length = (hsize_t)count;
  ssi_image_put(w, parent, name, H5T_STD_I32LE, H5T_NATIVE_INT, 1, &length, x);
}

void ssi_image_int(ssi_image *w, hid_t parent, const char *name, int x) {
  ssi_image_ints(w, parent, name, 1, &x);
}

void ssi_image_text(ssi_image *w, hid_t parent, const char *name, const char *text) {
  if (w->error || !text) return;
  hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
  if (type < 0 || H5Tset_size(type, strlen(text) + 1) < 0)
    ssi_image_library_failed(w, name);
  else
    put(w, parent, name, type, type, space, text);
  if (type >= 0) H5Tclose(type);
  if (space >= 0) H5Sclose(space);
}

// ---- to disk -------------------------------------------------------------------------------

void ssi_image_begin(ssi_image *w, ss_context *ctx, const char *path, const char *name) {
  *w = (ssi_image){.ctx = ctx, .path = path, .name = name, .file = H5I_INVALID_HID};
  H5Eget_auto2(H5E_DEFAULT, &w->printing, &w->printing_data);
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  char unique[64];  // the core driver takes equal names for the same file
  snprintf(unique, sizeof unique, "stickslip-output-%p", (void *)w);
  hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  w->creation = H5Pcreate(H5P_DATASET_CREATE);
  if (access >= 0 && w->creation >= 0 && H5Pset_obj_track_times(w->creation, false) >= 0 &&
      H5Pset_fapl_core(access, 1 << 20, false) >= 0 &&
      H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) >= 0)
    w->file = H5Fcreate(unique, H5F_ACC_TRUNC, H5P_DEFAULT, access);
  if (w->file < 0) ssi_image_library_failed(w, "the file");
  if (access >= 0) H5Pclose(access);
}

ss_error ssi_image_end(ssi_image *w) {
  if (w->file >= 0) H5Fclose(w->file);
  if (w->creation >= 0) H5Pclose(w->creation);
  H5Eclear2(H5E_DEFAULT);
  H5Eset_auto2(H5E_DEFAULT, w->printing, w->printing_data);
  return w->error;
}

static void to_disk(ssi_image *w, const char *image, size_t size) {
  FILE *f = fopen(w->path, "wb");
  if (!f) {
    w->error =
        ssi_fail(w->ctx, SS_ERR_WRITE, "%s: cannot be written: %s", w->name, strerror(errno));
    return;
  }
  bool ok = fwrite(image, 1, size, f) == size && fflush(f) == 0;
  if (ok && fsync(fileno(f)) != 0 && errno != EINVAL && errno != ENOTSUP) ok = false;
  int reason = errno;
  if (fclose(f) != 0 && ok) reason = errno, ok = false;
  if (ok) return;
  remove(w->path);
  w->error = ssi_fail(w->ctx, SS_ERR_WRITE, "%s: cannot be written: %s", w->name, strerror(reason));
}

void ssi_image_save(ssi_image *w) {
  if (w->error) return;
  ssize_t size = H5Fflush(w->file, H5F_SCOPE_GLOBAL) < 0 ? -1 : H5Fget_file_image(w->file, NULL, 0);
  if (size < 0) return ssi_image_library_failed(w, "the file");
  char *image = ssi_alloc(w->ctx, (size_t)size, 1);
  if (!image)
    ssi_image_no_memory(w);
  else if (H5Fget_file_image(w->file, image, (size_t)size) != size)
    ssi_image_library_failed(w, "the file");
  else
    to_disk(w, image, (size_t)size);
  ssi_release(w->ctx, image);
}
