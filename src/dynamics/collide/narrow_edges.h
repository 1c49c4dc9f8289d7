// dynamics/collide/narrow_edges.h - two polyhedra that meet edge to edge.
#pragma once

#include "dynamics/scene/shape.h"

typedef struct ssi_edge_axis {
  double s;             // how far apart along n; -INFINITY: no two edges are candidates
  double n[3];          // unit, from b to a
  double pa[3], pb[3];  // closest points of the two edges' lines
  bool inside;          // these lie on the edges
} ssi_edge_axis;

// The pair of edges whose common perpendicular keeps the polyhedra farthest apart.
ssi_edge_axis ssi_best_edges(const ssi_solid *a, const ssi_solid *b);
