// stickslip/mesh.h - finite element meshes in the plane and in space, with named parts.
//
//   ss_axis x = {0, 1, &(ss_zone){2, 20, 1}}, y = {0, 1, &(ss_zone){1, 10, 1}};   // 2 x 1, 20 x 10 cells
//   ss_grid g = {.dim = 2, .kind = SS_QUAD4, .axis = {x, y}};
//   ss_mesh *m;
//   if (ss_mesh_grid(ctx, &g, &m)) ...
//   ss_mesh_destroy(m);
//
// Elements have the dimension of the mesh and belong to a domain; sides have less and belong to a
// boundary: lines (faces in space) that carry tractions or contacts, and points or lines that can be held.
#pragma once

#include "stickslip/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ss_element_kind {  // corners first, in the order of Gmsh
  SS_POINT1,
  SS_LINE2,
  SS_LINE3,      // ends, middle
  SS_TRIANGLE3,  // P1; counterclockwise
  SS_TRIANGLE6,  // P2; corners, middles of 01, 12, 20
  SS_QUAD4,      // Q1
  SS_QUAD9,      // Q2; corners, middles of 01, 12, 23, 30, centre
  SS_TET4,
  SS_HEX8,
} ss_element_kind;
SS_API const char *ss_element_name(ss_element_kind k);  // "triangle3", ...; NULL past the last
SS_API int ss_element_nodes(ss_element_kind k);
SS_API int ss_element_dim(ss_element_kind k);

typedef struct ss_cells {  // elements, or sides: one block of a mesh
  int count;
  const unsigned char *kind;  // ss_element_kind                         (count)
  const int *first;           // of its nodes in `node`                  (count + 1)
  const int *node;            // 0-based
  const int *group;           // index into `name`                       (count)
  int group_count;
  const char *const *name;  // of domains (elements), of boundaries (sides)   (group_count)
} ss_cells;

typedef struct ss_mesh {
  int dim;  // 2 or 3
  int nodes;
  const double *x;  // (dim nodes)
  ss_cells elements, sides;
} ss_mesh;

SS_API void ss_mesh_destroy(ss_mesh *m);  // NULL allowed; only for meshes the library made

// Sizes, indices, kinds of the right dimension, finite coordinates, no inverted element (its number
// in the message, 0-based), no node outside of every element.
SS_API ss_error ss_mesh_check(ss_context *ctx, const ss_mesh *m);

SS_API int ss_mesh_boundary(const ss_mesh *m, const char *name);  // -1: there is none
SS_API int ss_mesh_domain(const ss_mesh *m, const char *name);

// ---- structured meshes ---------------------------------------------------------------------------

// From the last coordinate to `to` in `cells` pieces; the last is `ratio` times as long as the first (0: 1).
typedef struct ss_zone {
  double to;
  int cells;
  double ratio;
} ss_zone;

typedef struct ss_axis {
  double from;
  int zone_count;
  const ss_zone *zones;
} ss_axis;

// Boundaries left, right (x), bottom, top (the last axis) and in space front, back (y); domain "all".
typedef struct ss_grid {
  int dim;
  ss_element_kind kind;  // triangle3, triangle6, quad4, quad9; in space hex8, tet4
  ss_axis axis[3];
} ss_grid;
SS_API ss_error ss_mesh_grid(ss_context *ctx, const ss_grid *g, ss_mesh **out);

// One mesh of several, side by side: nodes, elements and sides in their order. Groups are called
// NAME.group where there is more than one mesh.
SS_API ss_error ss_mesh_join(ss_context *ctx, int count, const ss_mesh *const *parts,
                             const char *const *names, ss_mesh **out);

// ---- files -----------------------------------------------------------------------------------------

// Gmsh MSH 4.1, ASCII. The mesh is plane where all z are equal. Physical groups are domains and boundaries,
// by their names ("group N" without one); elements of no group are in the domain "all". "-" is
// standard input. Messages: "name:LINE: found X, expected Y".
SS_API ss_error ss_mesh_open(ss_context *ctx, const char *path, ss_mesh **out);
SS_API ss_error ss_mesh_parse(ss_context *ctx, const char *name, const char *text, size_t size,
                              ss_mesh **out);

#ifdef __cplusplus
}
#endif
