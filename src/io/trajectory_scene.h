// io/trajectory_scene.h - the scene of a trajectory in its file. Private; needs HDF5.
#pragma once

#include "io/hdf5_image.h"
#include "io/trajectory.h"

// Nothing, where the trajectory is of no scene.
ss_error ssi_trajectory_put_scene(ssi_image *w, const ss_trajectory *t, ssi_arena *arena);
