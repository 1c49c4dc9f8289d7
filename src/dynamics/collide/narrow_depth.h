// dynamics/collide/narrow_depth.h - how deep two convex cores overlap.
#pragma once

#include "dynamics/scene/shape.h"

typedef struct ssi_depth {
  double depth, n[3], pa[3];  // the shortest way apart is a by depth along n; lowest point of a
  bool broken;                // an upper bound only
} ssi_depth;

ssi_depth ssi_penetration(const ssi_solid *a, const ssi_solid *b);

// Is libccd in this build?
bool ssi_has_ccd(void);
