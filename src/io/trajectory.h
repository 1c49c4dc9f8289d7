// io/trajectory.h - a trajectory in memory, and the files it becomes.
#pragma once

#include "base/arena.h"
#include "stickslip/trajectory.h"

enum { SSI_COLUMN_NAME = 40 };

typedef struct ssi_column {
  char name[SSI_COLUMN_NAME];
  ss_column_kind kind;
  int contact;
} ssi_column;

struct ss_trajectory {
  ssi_arena arena;
  ss_context *ctx;
  const ss_mechanism *m;
  int *order;  // (nq + nv)
  ssi_column *column;
  int columns, states;  // states: columns 1 .. nq + nv
  double *values;       // (rows x columns)
  int64_t rows;
  size_t room;                // rows
  bool steps;                 // the modes of a row are those of the step that led to it
  const ss_machine *machine;  // of a scene, with its text; NULL: it is of none
  const char *scene_text;
};

// Calls go to a path aside; the callers rename.
ss_error ssi_trajectory_csv(ss_context *ctx, const char *path, const ss_trajectory *t,
                            const ss_evolution *e);
ss_error ssi_trajectory_hdf5(ss_context *ctx, const char *path, const ss_trajectory *t,
                             const ss_evolution *e, const ss_trajectory_note *notes);
