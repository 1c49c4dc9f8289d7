// problem/moved.h - the load of a problem as its judge knows it, and what joints do to components that it leaves at rest.
#pragma once

#include "problem/verify.h"

ssi_load ssi_judge_plain_load(ssi_judge *s);  // doubles of what the motion is now, in scratch
double *ssi_judge_behind_load(ssi_judge *s);  // scratch that it leaves (ndof + nl)

// Components that joints move while the motion without them hardly does: q is no scale there, but u at r = 0 with the
// joints held is. Where all contacts of one come to rest there, or move as one, but for rounding, u is that rounding and no
// scale either: they are still, and |t| of problem/load.c with the velocities that the joints leave is their scale (global
// form). free_motion: that without joints, in motion and in scratch; both hold others afterwards.
ss_error ssi_judge_ask_joints(ssi_judge *s, const ssi_load *free_motion);
