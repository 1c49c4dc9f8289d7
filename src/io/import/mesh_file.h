// io/import/mesh_file.h - surfaces of triangles from files, and the convex solids that they bound.
#pragma once

#include "io/reader.h"
#include "stickslip/shape.h"

typedef struct ssi_triangles {
  int point_count, triangle_count;
  double *point;  // (3 point_count)
  int *corner;    // (3 triangle_count)
} ssi_triangles;

bool ssi_is_stl(const ssi_source *in);
ss_error ssi_read_stl(ss_context *ctx, const ssi_source *in, ssi_arena *arena, ssi_triangles *out);
ss_error ssi_read_obj(ss_context *ctx, const ssi_source *in, ssi_arena *arena, ssi_triangles *out);

// A surface from a file of either kind, every coordinate times scale.
ss_error ssi_triangles_read(ss_context *ctx, const ssi_source *in, const double scale[3],
                            ssi_arena *arena, ssi_triangles *out);

typedef struct ssi_piece {
  int point_count;
  double *point;  // (3 point_count)
  ss_shape *hull;
} ssi_piece;

// Parts of the surface that do not hang together, each the boundary of a convex solid; where one is not, an error
// that says by how much, or (any) its convex hull. The caller destroys the hulls, after a failure too.
ss_error ssi_triangles_pieces(ss_context *ctx, const char *name, const ssi_triangles *s, bool any,
                              ssi_arena *arena, int *count, ssi_piece **out);
