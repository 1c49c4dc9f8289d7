// io/vtu.h - one VTK unstructured grid (.vtu), XML with raw appended data. Private.
#pragma once

#include "stickslip/base.h"

typedef enum ssi_vtu_place { SSI_VTU_POINTS, SSI_VTU_CELLS } ssi_vtu_place;

typedef struct ssi_vtu_array {
  const char *name;
  ssi_vtu_place place;
  int width;        // numbers per point or cell
  const double *x;  // or
  const int *i;
} ssi_vtu_array;

typedef struct ssi_vtu {
  int point_count, cell_count;
  const double *point;        // (3 point_count)
  const int *first, *corner;  // cells: their corners; both NULL: every point is a cell
  const unsigned char *type;  // VTK's numbers; NULL: vertices, lines and polygons   (cell_count)
  const ssi_vtu_array *arrays;
  int array_count;
  const char *const *names;  // of objects, into the field data; NULL: none   (name_count)
  int name_count;
} ssi_vtu;

// Writes aside, then renames.
ss_error ssi_vtu_write(ss_context *ctx, const char *path, const ssi_vtu *grid);
