// solvers/loose_polish.h - an answer (r, v, l) of a problem whose M is singular, corrected with the states that it shows.
#pragma once

#include "base/arena.h"
#include "stickslip/problem.h"

// Corrections of least size to what is left of
//
//   M v + f = H^T r + G l,   G^T v + b = 0,   free r = 0,   stick H v + w = 0,   slip u_N = 0, r_T = -mu r_N t
//
// t = u_T/|u_T| as it is. state (nc). r (m), v (ndof), l (nl) are improved in place, in a few passes. SS_ERR_MEMORY,
// SS_ERR_LINEAR.
ss_error ssi_loose_polish(ssi_arena *arena, const ss_problem *p, const ss_contact_verdict *state,
                          double *r, double *v, double *l);
