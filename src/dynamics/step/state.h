// dynamics/step/state.h - what the next step depends on, and nothing else: a checkpoint is this.
#pragma once

#include "dynamics/scene/world.h"
#include "stickslip/simulate.h"

// The reaction of one contact in the last step: the guess of the next one.
typedef struct ssi_remembered {
  int a, b;
  uint64_t key;
  double impulse[3];  // world axes
  bool held;          // of a step that was taken, not of a rough answer
  double gap;         // where u_N = -(term) of such a step led to
} ssi_remembered;

typedef struct ssi_memory {
  ssi_remembered *list;  // sorted by a, b, key
  int count, capacity;
} ssi_memory;

typedef struct ssi_sum {  // compensated
  double value, rest;
} ssi_sum;

static inline void ssi_sum_add(ssi_sum *s, double x) {
  double y = x + s->rest, t = s->value + y;
  s->rest = y - (t - s->value);
  s->value = t;
}

enum { SSI_END_REST = 1, SSI_END_DURATION, SSI_END_UNSOLVED };

// What fits a fixed-size record: saved, restored, checkpointed as it is.
typedef struct ssi_record {
  int64_t step;
  double time;
  double last_h;  // of the memory
  int resting;    // steps in a row with all speeds below rest_speed
  int end;        // SSI_END_*, 0: not done
  double kinetic, potential, elastic, start, largest;
  ssi_sum contact, external, correction, integrator, joint, element;
  ss_sim_totals totals;
} ssi_record;

typedef struct ssi_aim {  // of a joint's motor, set between steps
  int told;
  double target, rate;
} ssi_aim;

typedef struct ssi_state {
  ssi_record now;
  ss_pose *pose;       // (nb)
  double *v;           // (ndof)
  double *angle;       // of elements, turns counted                            (angle_count)
  double *steer;       // loads set between steps, force and moment                (6 nb)
  double *coordinate;  // of joints, turns counted                                (nj)
  ssi_aim *aim;        // of joints                                               (nj)
  double *drive;       // impulses of motors and limits in the last step          (drive_count)
  ssi_memory memory;
} ssi_state;
