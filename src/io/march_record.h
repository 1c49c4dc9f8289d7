// io/march_record.h - what a march did, step by step, before it is written. Private.
#pragma once

#include "base/arena.h"
#include "stickslip/march_file.h"

enum { SSI_MARCH_COLUMNS = 24 };
extern const char *const ssi_march_columns[];  // NULL after the last

struct ss_march_record {
  ss_context *ctx;
  const ss_structure *s;
  const ss_elastic *bodies;  // NULL: none
  int m, frames;
  size_t step_room, q_room, contact_room, state_room;
  double *step;     // (SSI_MARCH_COLUMNS of ssi_march_columns) per frame
  double *q;        // ndof per frame
  double *contact;  // r, u, gap: 3 m per frame
  int *state;       // nc per frame
};

ss_error ssi_march_csv(ss_context *ctx, const char *path, const ss_march_record *r);
ss_error ssi_march_hdf5(ss_context *ctx, const char *path, const ss_march_record *r);
ss_error ssi_march_vtk(ss_context *ctx, const char *path, const ss_march_record *r);
