// report/played_scene.h - a scene that ran from event to event, out of the file of its trajectory: its states as a run has
// them. All numbers are in memory, since the file is. Private; needs HDF5.
#pragma once

#include "io/hdf5_node.h"
#include "stickslip/run.h"

typedef struct ssi_played_scene {
  ssi_h5 *h5;
  ssi_arena arena;
  ss_run_size size;
  int contacts;  // of every state
  double *time, *pose, *velocity, *external, *point, *normal, *force, *pairs;
  double **mode;  // of each contact
  ss_pose *pose_now, *external_now;
  ss_sim_contact *contact_now;
} ssi_played_scene;

// size.scene_text NULL: the trajectory is of no scene, and nothing else is set. Release in every case.
ss_error ssi_played_scene_load(ssi_played_scene *s, ssi_h5 *h5, const ssi_h5_node *root);
void ssi_played_scene_release(ssi_played_scene *s);

// A state, valid until the next call; source: an ssi_played_scene.
ss_error ssi_played_scene_state(void *source, int64_t row, ss_run_frame *out);
