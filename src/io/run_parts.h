// io/run_parts.h - the folder PATH.parts of a run that is not finished. Private.
//
//   00000000.h5, 00000001.h5, ...   consecutive; each complete, with the checkpoint it ends at
//   joining.h5                      PATH being made
//   joined                          everything is in PATH; what is left here may go
#pragma once

#include "stickslip/base.h"

typedef struct ssi_parts {
  char *folder;
  char *file;  // room for the name of a part
  size_t room;
  int count;    // parts there are
  bool exists;  // the folder
  bool joined;
} ssi_parts;

// Looks at what is there. Release in every case.
ss_error ssi_parts_find(ss_context *ctx, const char *path, ssi_parts *out);
void ssi_parts_release(ss_context *ctx, ssi_parts *p);

const char *ssi_parts_name(ssi_parts *p, int part);      // valid until the next call
ss_error ssi_parts_make(ss_context *ctx, ssi_parts *p);  // the folder
ss_error ssi_parts_mark_joined(ss_context *ctx, ssi_parts *p);
void ssi_parts_remove(ssi_parts *p);  // what cannot be removed stays
