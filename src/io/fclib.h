// io/fclib.h - what the FCLIB reader, its writer and their tests share. The layout of the files is in
// docs/formats-fclib.md.
#pragma once

#include "io/reader.h"

// How a matrix group is stored; the value is what the file's `nz` says (any nz >= 0 is triplets).
typedef enum ssi_storage { SSI_TRIPLET = 0, SSI_CSC = -1, SSI_CSR = -2 } ssi_storage;

// ssi_write_fclib with the matrices in the given storage, H in its own, both as the file sees them
// (there H is our H transposed). Whatever the storage, the problem reads back to the same bits.
ss_error ssi_write_fclib_as(ss_context *ctx, const char *path, const ss_file *what,
                            const ss_solution *solution, ssi_storage as, ssi_storage as_H);
