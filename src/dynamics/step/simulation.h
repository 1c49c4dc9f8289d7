// dynamics/step/simulation.h - the object that a caller holds: the world, its state, the step, what is seen of it.
#pragma once

#include "base/pool.h"
#include "dynamics/step/step.h"

struct ss_simulation {
  ssi_pool *pool;   // all memory below, used again in every step
  ssi_arena arena;  // what lives as long as the simulation
  ssi_world world;
  ssi_state state;
  ssi_state before;  // the state before the step, to come back to
  ssi_step step;
  ssi_view view;
  double times[3];  // detection, solves, all: of this process, never checkpointed

  unsigned char *checkpoint;
  size_t checkpoint_capacity;
};

// SS_ERR_DATA where the scene starts with overlap that it does not mean (survey.c).
ss_error ssi_refuse_overlap(ss_simulation *sim);

// Whether `time` is the end of the duration, to half a step.
bool ssi_duration_over(const ss_stepping *o, double time);
