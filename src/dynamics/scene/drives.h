// dynamics/scene/drives.h - coordinates of hinges and sliders, and what acts on them: motors and limits.
//
// The coordinate q of a hinge is the angle of a against b about the axis, turns counted; of a slider how far the anchor of
// a has gone along the axis that b carries. Both are 0 at t = 0, and are measures of scene/elements.h: their rows give the
// change over a step exactly.
#pragma once

#include "dynamics/scene/elements.h"

typedef enum ssi_drive_kind { SSI_MOTOR, SSI_LOW, SSI_HIGH } ssi_drive_kind;

struct ssi_drive {
  ssi_drive_kind kind;
  int joint;
  double bound;  // of a limit
};

static inline bool ssi_moves(const ssi_simjoint *j) {
  return j->kind == SS_JOINT_HINGE || j->kind == SS_JOINT_SLIDER;
}

// The coordinates and drives of a world whose joints are set.
ss_error ssi_drives_create(ssi_world *w, ssi_arena *arena);

// Of the joint that moves, from one set of poses to another: its row in out->row[0], out->given[0], out->change[0], the
// coordinate at the end in out->angle[0]. near: the coordinates of all joints, turns counted; NULL: the nearest to 0.
void ssi_coordinate_act(const ssi_world *w, int joint, const ssi_span *span, const double *v,
                        const double *near, ssi_action *out);

// row . v of the coordinate, and its rate with what is given
double ssi_coordinate_speed(const ssi_world *w, const ssi_action *act, const double *v);
