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

// checkpoint.c: what a checkpoint of a world must have the same, and the record field by field, without padding. pack: how many
// bytes it took; to NULL: only that.
uint64_t ssi_fingerprint(const ssi_world *w);
size_t ssi_record_pack(ssi_record *r, unsigned char *to, size_t size);
bool ssi_record_unpack(const unsigned char *from, size_t size, ssi_record *r);

// simulation.c, of a step that was taken or given up: its count in the totals, and whether it was the last.
void ssi_count_step(ss_sim_totals *t, const ss_step_info *info);
void ssi_count_unsolved(ssi_record *now, ss_step_info *info);
void ssi_look_for_the_end(const ssi_world *w, double speed, ssi_record *now);
double ssi_fastest_shape(const ssi_world *w, int body, const double *v);  // |v| + |w| extent

// Whether `time` is the end of the duration, to half a step.
bool ssi_duration_over(const ss_stepping *o, double time);
