// dynamics/collide/narrow_gjk.h - closest points of two convex cores that do not overlap.
#pragma once

#include "dynamics/scene/shape.h"

typedef struct ssi_closest {
  double distance;      // of the cores
  double n[3];          // unit, from b to a; not set where they overlap
  double pa[3], pb[3];  // closest points
  bool overlap;         // or closer than 1e-10 of their size
  bool far;             // not closer than `enough`: only that is known
} ssi_closest;

// The square of the distance is right to the relative tolerance tol, the direction to its root.
ssi_closest ssi_gjk(const ssi_solid *a, const ssi_solid *b, double enough, double tol);
