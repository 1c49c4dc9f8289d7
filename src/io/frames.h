// io/frames.h - turning a problem given in world axes into contact frames and back.
//
// With e the unit normal of a contact, its frame is the orthonormal rows of Q:
//   2D:  e, t = (e_y, -e_x)
//   3D:  e, t1, t2:  a = the coordinate axis least aligned with e (the first of equals),
//        t1 = (a - (a.e) e) / |a - (a.e) e|,  t2 = e x t1                                    (1)
// and x_contact = Q x_world. The rule has no state, so the normals alone are enough to turn back.
#pragma once

#include "base/arena.h"
#include "stickslip/problem.h"

void ssi_frame(int dim, const double *e, double *Q);  // (dim x dim), row by row

// Every contact's part of x (dim nc), in place: x_i <- Q_i x_i, and back: x_i <- Q_i^T x_i.
void ssi_frames_to_contact(int dim, int nc, const double *normals, double *x);
void ssi_frames_to_world(int dim, int nc, const double *normals, double *x);

// out = Q A and out = Q A Q^T, Q = diag(Q_i); entries that come out as zero are not stored. A has
// dim nc rows (and columns). false: no memory.
bool ssi_frames_turn_rows(ssi_arena *arena, int dim, const double *normals, const ss_sparse *A,
                          ss_sparse *out);
bool ssi_frames_turn_both(ssi_arena *arena, int dim, const double *normals, const ss_sparse *A,
                          ss_sparse *out);
