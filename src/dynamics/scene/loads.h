// dynamics/scene/loads.h - the loads of a scene at a time.
#pragma once

#include "dynamics/scene/world.h"

// With `weight`, added to force and moment about the centre of each body, world axes (6 nb). rotation: R of each body,
// row-major (9 nb). A load that is switched on or off at t counts as it does from then on.
void ssi_loads_add(const ssi_world *w, const double *rotation, double t, double weight,
                   double *load);
