// io/frames.h - turning a problem given in world axes into contact frames and back.
//
// x_contact = Q x_world with the frame Q of la/contact_frame.h. The rule has no state, so the normals alone are
// enough to turn back.
#pragma once

#include "base/arena.h"
#include "la/contact_frame.h"
#include "stickslip/problem.h"

// Every contact's part of x (dim nc), in place: x_i <- Q_i x_i, and back: x_i <- Q_i^T x_i.
void ssi_frames_to_contact(int dim, int nc, const double *normals, double *x);
void ssi_frames_to_world(int dim, int nc, const double *normals, double *x);

// out = Q A and out = Q A Q^T, Q = diag(Q_i); entries that come out as zero are not stored. A has
// dim nc rows (and columns). false: no memory.
bool ssi_frames_turn_rows(ssi_arena *arena, int dim, const double *normals, const ss_sparse *A,
                          ss_sparse *out);
bool ssi_frames_turn_both(ssi_arena *arena, int dim, const double *normals, const ss_sparse *A,
                          ss_sparse *out);
