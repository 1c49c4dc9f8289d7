// dynamics/narrow_gjk.h - closest points of two convex cores that do not overlap.
#pragma once

#include "dynamics/shape.h"

typedef struct ssi_closest {
  double distance;      // of the cores
  double n[3];          // unit, from b to a; not set where they overlap
  double pa[3], pb[3];  // closest points
  bool overlap;         // or closer than 1e-10 of their size
} ssi_closest;

ssi_closest ssi_gjk(const ssi_solid *a, const ssi_solid *b);
