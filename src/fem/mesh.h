// fem/mesh.h - making meshes: the owner of one, and arrays that are filled.
#pragma once

#include "base/arena.h"
#include "fem/element.h"

typedef struct ssi_mesh_owner {
  ss_mesh mesh;     // first, so that ss_mesh_destroy finds the rest
  ssi_arena arena;  // this struct and every array of it
} ssi_mesh_owner;

ssi_mesh_owner *ssi_mesh_create(ss_context *ctx);  // empty; NULL: no memory, said in ctx
ss_error ssi_mesh_no_memory(ss_context *ctx);

// Cells being filled. Counts are known beforehand.
typedef struct ssi_cell_list {
  int count, used;      // nodes of the cells in `node`
  unsigned char *kind;  // (count)
  int *first, *node;    //
  int *group;           // (count)
} ssi_cell_list;
bool ssi_cells_begin(ssi_arena *arena, int count, int node_count, ssi_cell_list *out);
// The next cell; its nodes are then filled through the pointer.
int *ssi_cells_next(ssi_cell_list *list, ss_element_kind kind, int group);
ss_cells ssi_cells_done(const ssi_cell_list *list, int group_count, const char *const *name);

// The coordinates of a cell's nodes.   x (nodes dim)
void ssi_cell_places(const ss_mesh *m, const ss_cells *cells, int cell, double *x);

// For every side the element that it is a face of: all of its nodes are among that element's; -1: none.
ss_error ssi_mesh_neighbours(ss_context *ctx, ssi_arena *arena, const ss_mesh *m, const int **out);

// Unit normal of a side of dimension dim - 1 at a place of its reference element, away from `neighbour`'s
// middle.
void ssi_side_normal(const ss_mesh *m, int side, int neighbour, const double *xi, double normal[3]);

// A place of a side, and tangents dx/dxi_a there.
void ssi_side_place(const ss_mesh *m, int side, const double *xi, double N[SSI_ELEMENT_NODES],
                    double x[3], double t[2][3]);

// Parts that share no element: a number per node.  *count: how many.   (nodes)
ss_error ssi_mesh_parts(ss_context *ctx, ssi_arena *arena, const ss_mesh *m, int *count,
                        const int **part);
