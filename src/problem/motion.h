// problem/motion.h - the velocities that given impulses cause, from raw data, in double-double:
//
//   reduced   u = W r + V l + q,                      gap = V^T r + R l + s
//   global    v = M^-1 (H^T r + G l - f),  u = H v + w,  gap = G^T v + b
//
// Each u has an error of about 1e-30 of the terms it is the sum of. v is an unevaluated sum, improved
// until its residual M v + f - H^T r - G l stops decreasing.
#pragma once

#include "la/dd.h"
#include "la/factor.h"
#include "stickslip/problem.h"

typedef struct ssi_motion {
  ss_context *ctx;
  const ss_problem *p;
  ssi_factor *mass;
  ssi_dd *u;     // (m)
  ssi_dd *v;     // (ndof), global form
  ssi_dd *gap;   // what is missing in the bilateral constraints  (nl)
  ssi_dd *rhs;   // (ndof)
  double *step;  // (ndof)
} ssi_motion;

// Takes memory from the arena. mass: the factor of M; NULL when reduced or when ndof = 0.
ss_error ssi_motion_create(ssi_arena *arena, const ss_problem *p, ssi_factor *mass,
                           ssi_motion *out);

// Fills u, v, gap. r or l NULL: zero; both NULL gives u = q of the reduced form.
ss_error ssi_motion_compute(ssi_motion *motion, const double *r, const double *l);

// The same in two halves, global form without l, for one of several parts of a problem: rhs = H^T r; and, once rhs is the
// sum over all parts minus f, u and v.
void ssi_motion_impulses(ssi_motion *motion, const double *r);
ss_error ssi_motion_follow(ssi_motion *motion);
void ssi_motion_velocities(ssi_motion *motion);  // u alone, from v

// Bilateral multipliers for an answer that comes without them (multipliers.c):
// l (nl) of least norm among those that minimise |V^T r + R l + s|, where motion->gap holds the
// value of V^T r + s (global form: of G^T v + b with l = 0, and R = G^T M^-1 G). Dense: asks for the
// multipliers with SS_ERR_UNSUPPORTED above 2000 constraints. *weak: rounding leaves few digits of l, as
// problem/bilateral.h says.
ss_error ssi_multipliers(ss_context *ctx, const ssi_motion *motion, double *l, bool *weak);

// The motion with r and those l, from that with r alone, which it holds: by at least `passes` times least squares, each
// for what the last leaves, docs/theory.md (10'). More where they are weak. step (nl): scratch.
ss_error ssi_motion_hold_joints(ssi_motion *motion, const double *r, int passes, double *step,
                                double *l);
