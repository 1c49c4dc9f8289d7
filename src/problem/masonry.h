// problem/masonry.h - the bricks of a wall and where they touch: for walls in one piece (masonry.c) and for walls that
// several processes make (src/mpi).
#pragma once

#include "problem/rigid.h"

typedef struct ssi_brick {
  double centre[3], side[3];  // 2D: depth 1 about 0
} ssi_brick;

// Block j of a row of a wall that is `cols` bricks wide (problem/courses.h).
ssi_brick ssi_wall_brick(int dim, int row, int cols, int j);

// Mass and inertia, and the impulse of gravity, -mass, along the last axis used.
ssi_rigid_body ssi_brick_body(int dim, const ssi_brick *b, double mass);

static inline int ssi_brick_corners(int dim) {
  return dim == 2 ? 2 : 4;
}

// Where `above` rests on `below` (NULL: the ground), at one of the corners of their common face. Bodies are not set.
void ssi_brick_contact(int dim, const ssi_brick *above, const ssi_brick *below, int corner,
                       ssi_rigid_contact *c);
