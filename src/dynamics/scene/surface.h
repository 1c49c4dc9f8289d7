// dynamics/scene/surface.h - shapes as polygons, for drawings.
#pragma once

#include "stickslip/shape.h"

// Points and polygons, growing. Failure is sticky.
typedef struct ssi_surface {
  ss_context *ctx;
  double *point;  // (3 point_count)
  int *first;     // first corner of each polygon, and the end   (polygon_count + 1)
  int *corner;    // (first[polygon_count])
  int point_count, polygon_count;
  size_t point_room, first_room, corner_room;
  bool failed;  // no memory
} ssi_surface;

// Adds a shape at a pose. Balls and disks become one polygon of one corner, their centre (their radius is
// drawn by whoever shows them); boundless shapes are cut off at `reach` from their origin.
void ssi_surface_add(ssi_surface *s, const ss_shape *shape, const ss_pose *pose, double reach);
void ssi_surface_clear(ssi_surface *s);  // keeps the memory
void ssi_surface_release(ssi_surface *s);
