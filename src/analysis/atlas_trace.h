// analysis/atlas_trace.h - the finest grid of an atlas, its regions and the arcs between them.
#pragma once

#include "analysis/atlas.h"

// region_of (width height): connected cells of one kind, numbered in the order of their first cell.
// stack (width height): scratch. Returns their number.
int ssi_find_regions(const ssi_raster *g, int *region_of, int *stack);

typedef struct ssi_place {
  double cells;    // of the region
  double x, y;     // its centre of mass, in cells
  double room;     // largest distance from its border
  double nearest;  // of `cell` from the centre of mass
  int cell;        // where the label goes
} ssi_place;

// distance (width height): scratch.
void ssi_place_labels(const ssi_raster *g, const int *region_of, float *distance, int count,
                      ssi_place *places);
