// mpi/share_wall.h - ss_generate_wall in 3D, every rank its own part, with the same numbers.
#pragma once

#include "mpi/share.h"

typedef struct share_wall_options {
  int rows, cols;
  double mu;
} share_wall_options;

// For domains of about `size`. Collective.
ss_error share_wall(ranks *c, const share_wall_options *o, double size, share_source *out);
