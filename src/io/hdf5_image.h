// io/hdf5_image.h - HDF5 files made in memory and put on disk in one go by plain output: when the disk
// is full, libhdf5 would be left with a file that it can neither finish nor forget. Times are not
// recorded, so that equal contents give equal files. Private; needs HDF5.
#pragma once

#include <hdf5.h>

#include "stickslip/base.h"

// One file being made. Failure is sticky: callers put everything, then look at `error` once.
typedef struct ssi_image {
  ss_context *ctx;
  const char *path;      // where it goes
  const char *name;      // in messages
  hid_t file, creation;  // creation: how datasets are made
  ss_error error;
  H5E_auto2_t printing;  // libhdf5's own error printer, put back at the end
  void *printing_data;
} ssi_image;

void ssi_image_begin(ssi_image *w, ss_context *ctx, const char *path, const char *name);
void ssi_image_save(ssi_image *w);  // to `path`, synced
ss_error ssi_image_end(ssi_image *w);

void ssi_image_library_failed(ssi_image *w, const char *what);
void ssi_image_no_memory(ssi_image *w);

hid_t ssi_image_group(ssi_image *w, hid_t parent, const char *name);
void ssi_image_leave(hid_t group);  // negative allowed

// `stored` is the type in the file, `given` that of the data; data may be NULL where it is empty.
void ssi_image_put(ssi_image *w, hid_t parent, const char *name, hid_t stored, hid_t given,
                   int rank, const hsize_t *dims, const void *data);
void ssi_image_doubles(ssi_image *w, hid_t parent, const char *name, int64_t count,
                       const double *x);
void ssi_image_ints(ssi_image *w, hid_t parent, const char *name, int64_t count, const int *x);
void ssi_image_int(ssi_image *w, hid_t parent, const char *name, int x);
void ssi_image_text(ssi_image *w, hid_t parent, const char *name,
                    const char *text);  // NULL: nothing
