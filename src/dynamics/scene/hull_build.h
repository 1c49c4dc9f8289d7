// dynamics/scene/hull_build.h - the convex hull of points: which are corners, and the polygons they span.
#pragma once

#include "base/arena.h"

typedef struct ssi_faces {
  ssi_arena arena;  // to be released by the caller
  int corner_count, face_count;
  double *corner;  // three numbers each, in the order of the points; 2D: counterclockwise
  int *face_ptr, *face_corner;  // 3D: counterclockwise from outside
} ssi_faces;

// Points within SSI_HULL_TOL of the size of a face or edge count as on it. On error nothing is
// kept.
#define SSI_HULL_TOL 1e-9
ss_error ssi_hull_faces(ss_context *ctx, int dim, int count, const double *points, ssi_faces *out);
