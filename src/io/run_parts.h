// io/run_parts.h - the folder PATH.parts of a run that is not finished. Private.
//
//   00000000.h5, 00000001.h5, ...   consecutive; each complete, with the checkpoint it ends at
//   joining.h5                      PATH being made
//   joined                          everything is in PATH; what is left here may go
#pragma once

#include "stickslip/base.h"

typedef struct ssi_run_parts {
  char *folder;
  char *file;  // room for the name of a part
  size_t room;
  int count;    // parts there are
  bool exists;  // the folder
  bool joined;
} ssi_run_parts;

// Looks at what is there. Release in every case.
ss_error ssi_run_parts_find(ss_context *ctx, const char *path, ssi_run_parts *out);
void ssi_run_parts_release(ss_context *ctx, ssi_run_parts *p);
bool ssi_run_parts_unfinished(const char *path);  // parts that wait to be joined; takes no memory

const char *ssi_run_parts_name(ssi_run_parts *p, int part);      // valid until the next call
ss_error ssi_run_parts_make(ss_context *ctx, ssi_run_parts *p);  // the folder
ss_error ssi_run_parts_mark_joined(ss_context *ctx, ssi_run_parts *p);
void ssi_run_parts_remove(ssi_run_parts *p);  // what cannot be removed stays
