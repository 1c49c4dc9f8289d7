// dynamics/scene/hull.h - convex polyhedra and polygons: corners, edges, faces and who borders whom.
#pragma once

#include "base/arena.h"

enum { SSI_POLYGON_MAX = 128 };  // corners of one face in 3D

typedef struct ssi_edge {
  int from, to;     // corners; `left` lists from, then to
  int left, right;  // faces
} ssi_edge;

// 3D: faces are planar polygons, corners counterclockwise from outside; inside is
// normal . x <= offset for every face. 2D: one face, the polygon; edge k runs from corner k to
// k + 1, and normal and offset belong to the edges.
typedef struct ssi_hull {
  int corner_count, edge_count, face_count;
  double *corner;    // (3 corner_count)
  ssi_edge *edge;    // (edge_count)
  int *face_ptr;     // (face_count + 1)
  int *face_corner;  // (face_ptr[face_count])
  int *face_edge;    // from face_corner[k] to the next one               (the same)
  double *normal;    // unit                                              (3 faces; 2D: 3 edges)
  double *offset;    // (faces; 2D: edges)
  int *around_ptr;   // faces around each corner, ascending; 3D           (corner_count + 1)
  int *around;       // (around_ptr[corner_count])
  double size;       // largest distance of a corner from the corners' mean
} ssi_hull;

// Of `count` points (dim numbers each). Arrays in `arena`.
ss_error ssi_hull_create(ssi_arena *arena, int dim, int count, const double *points, ssi_hull *out);

// From corners and faces that are a convex polyhedron already.
ss_error ssi_hull_link(ssi_arena *arena, int corners, const double *corner, int faces,
                       const int *face_ptr, const int *face_corner, ssi_hull *out);

ss_error ssi_hull_box(ssi_arena *arena, int dim, const double half[3], ssi_hull *out);
