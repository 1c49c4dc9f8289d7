// mpi/crowd_run.h - the run file of a crowd (docs/formats-run.md), written by all ranks.
//
// As in one process, rows are collected and saved as parts with a checkpoint each, which are joined at the end. Bodies
// and contacts are in the order of their numbers there, and a rank has an even share of them: what it simulates goes to
// whoever writes it. A part is made by rank 0 with what is small, then all ranks put their rows into it at once
// (parallel HDF5). Rank 0 joins the parts, some megabytes at a time.
#pragma once

#include <hdf5.h>

#include "io/run_part.h"
#include "mpi/crowd.h"

typedef struct crowd_run_contact {  // a row of /contacts
  int a, b;                         // b < -1: external
  int state, unused;
  uint64_t key;
  double point[3], normal[3], impulse[3], velocity[3], gap;
} crowd_run_contact;

typedef struct crowd_run {
  crowd *m;
  const char *path, *scene_text;
  ssi_run_parts parts;  // rank 0 looks at them
  ssi_run_counts counts;
  ssi_run_table tables[SSI_RUN_TABLE_COUNT];  // with rows: those that rank 0 writes
  ss_output output;
  double seconds, saved_at;

  // frames since the last part: this rank's even share of bodies and contacts
  int64_t first, own;
  int64_t frames, contacts;
  double *pose, *velocity;     // (7 own, 6 own of each frame)
  crowd_run_contact *contact;  // by a, b, key in each frame
  int64_t *frame_contacts;     // of this rank in each frame
  size_t pose_room, velocity_room, contact_room, frame_room;

  int64_t last_frame;  // step of it; -1: none
  bool fresh;          // nothing since the last part
  bool complete;       // a finished run that has nothing to go on with
} crowd_run;

// Begins, or goes back to where a run was cut short (the crowd is then in that state). Collective, as all below.
ss_error crowd_run_begin(crowd_run *r, crowd *m, const char *path, const char *scene_text,
                         ss_run_mode mode, double seconds, bool clocked);
ss_error crowd_run_append(crowd_run *r, const ss_step_info *info);  // after a step; saves when due
ss_error crowd_run_save(crowd_run *r);
ss_error crowd_run_finish(crowd_run *r);
void crowd_run_end(crowd_run *r);

// crowd_frames.c: rows of the state as it is.
ss_error crowd_run_collect(crowd_run *r, const ss_step_info *info, bool frame);
typedef struct crowd_row {  // a body on its way to who writes it
  int64_t number;
  ss_pose pose;
  double v[6];
} crowd_row;
crowd_row *crowd_rows(const crowd *m);  // even share of all bodies, by numbers; for free()
crowd_reaction *crowd_rows_reactions(const crowd *m, int64_t *count);  // likewise, of bodies a

// crowd_part.c
ss_error crowd_part_write(crowd_run *r, const char *name);

// crowd_checkpoint.c: what /checkpoint holds. put: into the open dataset's bytes.
typedef struct crowd_checkpoint {
  crowd_row *row;
  crowd_reaction *reaction;
  int64_t own, reactions, first, total;  // of this rank; first, total: reactions before it, of all
  unsigned char *head;                   // rank 0's
  size_t head_size, size;
  uint64_t check;  // rank 0's: of all
} crowd_checkpoint;
void crowd_checkpoint_make(crowd *m, crowd_checkpoint *out);
void crowd_checkpoint_release(crowd_checkpoint *p);
ss_error crowd_checkpoint_load(crowd *m, const char *file);
