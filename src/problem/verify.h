// problem/verify.h - the verdict, for callers that have the factor of M and the step lengths.
#pragma once

#include "problem/load.h"
#include "problem/motion.h"

// What judging takes, for one problem and any number of answers.
typedef struct ssi_judge {
  ss_context *ctx;
  const ss_problem *p;
  ssi_motion motion;
  const ssi_components *parts;  // the caller's or `own`
  ssi_components own;
  double *lambda;   // 1/rho_i                                  (nc)
  double *error;    // what contact i leaves of the law, for the last answer   (nc)
  double *tangent;  // |u_iT|                                   (nc)
  ssi_load_scale load;
  double *gap;            // |gap| of each component's joints         (nc)
  double *l;              // multipliers, where not given             (nl)
  double *scratch;        // (m + 2 nl + 2 ndof; none in the reduced form without joints)
  double norm_q, norm_s;  // of the motion without reactions
  bool load_known;        // norm_q, norm_s and load are those of p
} ssi_judge;

// p: checked, kept by address; its vectors may change later, see ssi_judge_reload. mass: the factor of
// M; NULL when reduced or when ndof = 0. lambda_max (nc): largest eigenvalue of the symmetric part of
// each W_ii as it is, zeros included; or NULL to compute it. parts: the components of p, kept by address; NULL to
// find them. All memory from the arena.
ss_error ssi_judge_create(ssi_arena *arena, const ss_problem *p, ssi_factor *mass,
                          const double *lambda_max, const ssi_components *parts, ssi_judge *out);
void ssi_judge_reload(ssi_judge *judge);  // p has new f, w, b or q, s
void ssi_judge_renew(ssi_judge *judge,
                     const double *lambda_max);  // and new numbers in its matrices

// As ss_verify. Takes no memory where the answer has l (or nl = 0), save what a general M^-1 takes.
ss_error ssi_judge_answer(ssi_judge *judge, const ss_solution *answer, double *u, double *v,
                          double *l, ss_contact_verdict *contacts, ss_verdict *out);

// doubt (nc): by how much rounding of the data may move q at each contact, as far as judging allows for it; 0 where that is
// nothing beside q, and in the reduced form.
ss_error ssi_judge_doubt(ss_context *ctx, const ss_problem *p, double *doubt);

// A judge with all that it takes. To be closed even where opening failed.
typedef struct ssi_court {
  ssi_arena arena;
  ssi_factor *mass;
  ssi_judge judge;
} ssi_court;
ss_error ssi_court_open(ss_context *ctx, const ss_problem *p, ssi_court *out);  // p: checked
void ssi_court_close(ssi_court *court);

// The load of a problem as its judge knows it, and what joints do to components that it leaves at rest (moved.c).
ssi_load ssi_judge_plain_load(ssi_judge *s);  // doubles of what the motion is now, in scratch
double *ssi_judge_behind_load(ssi_judge *s);  // scratch that it leaves (ndof + nl)

// Components that joints move while the motion without them hardly does: q is no scale there, but u at r = 0 with the
// joints held is. Where all contacts of one come to rest there, or move as one, but for rounding, u is that rounding and no
// scale either: they are still, and |t| of problem/load.c with the velocities that the joints leave is their scale (global
// form). free_motion: that without joints, in motion and in scratch; both hold others afterwards.
ss_error ssi_judge_ask_joints(ssi_judge *s, const ssi_load *free_motion);
