// mpi/share_file.h - FCLIB files (docs/formats-fclib.md) that all ranks read and write at once, each its own part.
#pragma once

#include "mpi/share.h"

typedef struct share_sizes {
  int dim;
  int64_t contacts, dofs, joints;
  int64_t entries_H, entries_M;
} share_sizes;

// A global problem; for domains of about `size`. Collective.
ss_error share_read(ranks *c, const char *path, double size, share_source *out);
ss_error share_read_reactions(share *s,
                              const char *path);  // /solution/r into s->r, and l where there is one

// What is there before stays until the whole is written. v: of the even share of dofs. Collective.
ss_error share_write_answer(share *s, const char *path, const double *v);
ss_error share_write_problem(ranks *c, const char *path, const share_source *from, double size);
ss_error share_add_answer(share *s, const char *path,
                          const double *v);  // to a problem's file, in place
