// io/hdf5_node.h - reading HDF5 that may be damaged or hostile. Only hard links are followed, one
// name at a time; type, shape, storage and filters of a dataset are checked before any of its bytes
// are asked for, and its size against what the file could hold. Private; needs HDF5.
#pragma once

#include <hdf5.h>

#include "io/reader.h"

typedef struct ssi_h5 {
  ss_context *ctx;
  const ssi_source *in;
  hid_t file;            // closed strongly: takes every node still open with it
  H5E_auto2_t printing;  // libhdf5's own error printer, put back at the end
  void *printing_data;
} ssi_h5;

typedef struct ssi_h5_node {
  hid_t id;       // negative: absent
  char path[96];  // for messages
} ssi_h5_node;

// Opens the bytes themselves: no copy, no access to any file. ssi_h5_close in every case.
ss_error ssi_h5_open(ssi_h5 *h, ss_context *ctx, const ssi_source *in, ssi_h5_node *root);
void ssi_h5_close(ssi_h5 *h);
void ssi_h5_leave(ssi_h5_node *n);  // closes a node early; absent allowed

// A link that is not there gives an absent node; one that is no group is an error.
ss_error ssi_h5_group(ssi_h5 *h, const ssi_h5_node *parent, const char *name, ssi_h5_node *out);
ss_error ssi_h5_required_group(ssi_h5 *h, const ssi_h5_node *parent, const char *name,
                               ssi_h5_node *out);
ss_error ssi_h5_has(ssi_h5 *h, const ssi_h5_node *parent, const char *name, bool *yes);

// What the link is to, which must be of that kind; an absent one as above.
ss_error ssi_h5_enter(ssi_h5 *h, const ssi_h5_node *parent, const char *name, H5I_type_t kind,
                      ssi_h5_node *out);
ss_error ssi_h5_failed(ssi_h5 *h, const char *path, const char *doing);  // libhdf5's own reason

// The name of the k-th link of a group, in the order of names; false: there is none, or it is too long.
bool ssi_h5_name_at(const ssi_h5_node *group, uint64_t k, char *name, size_t room);

// The names of up to `most` links of a group, comma separated, fit for a message.
void ssi_h5_names(const ssi_h5_node *group, int most, char *text, size_t size);

// One-dimensional datasets. *count: in, the length expected or -1; out, the length. Where `what` is
// not NULL it says where the expectation comes from. The arrays are of `arena`.
ss_error ssi_h5_ints(ssi_h5 *h, const ssi_h5_node *parent, const char *name, const char *what,
                     ssi_arena *arena, int64_t *count, int **out);
ss_error ssi_h5_doubles(ssi_h5 *h, const ssi_h5_node *parent, const char *name, const char *what,
                        ssi_arena *arena, int64_t *count, double **out);
ss_error ssi_h5_int(ssi_h5 *h, const ssi_h5_node *parent, const char *name, int *out);

// A table of numbers, the last dimension running fastest; integers become reals.
enum { SSI_H5_RANK = 4 };
typedef struct ssi_h5_shape {
  int rank;
  uint64_t size[SSI_H5_RANK], count;  // count: of all numbers
} ssi_h5_shape;
// Whether all numbers or text of a dataset of any type are kept in this very file, in no more bytes than it can hold.
ss_error ssi_h5_is_here(ssi_h5 *h, const ssi_h5_node *n, ssi_h5_shape *shape, size_t *element);
ss_error ssi_h5_table(ssi_h5 *h, const ssi_h5_node *parent, const char *name, ssi_arena *arena,
                      ssi_h5_shape *shape, double **out);

// A string in UTF-8; NULL, and a note where it is there but not readable, otherwise.
ss_error ssi_h5_text(ssi_h5 *h, const ssi_h5_node *parent, const char *name, ssi_arena *arena,
                     const char **out);

// All objects and all numbers of the bytes, read in a child process without rights (io/isolate.h): a file that passes
// does not crash libhdf5 in this one.
ss_error ssi_h5_try(ss_context *ctx, const ssi_source *in);
