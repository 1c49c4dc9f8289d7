// events/stepping.h - one step of one size: the mid-point rule [Jack, 5] and Moreau's, in one form.
//
// The unknown V is the velocity at the part c of the step (mid-point: 1/2; Moreau: 1), where the laws hold:
//
//   M (V - v_n) / (c h) = F(t_c, q_c, v_c) + H^T r + G^T l,   u = H V + w + gap_n e / (c h),   (u, r) in C(mu),
//                                                         0 = G V + y + Phi_n / (c h)                        (1)
//
// mid-point:  c = 1/2,  q_c = q_n + h/2 T V,  v_c = V;              v_{n+1} = 2 V - v_n,  q_{n+1} = q_n + h T V
// Moreau:     c = 1,    q_c = q_n + theta h T v_c,  v_c = theta V + (1 - theta) v_n;  v_{n+1} = V,  q_{n+1} = q_n + h T v_c
//
// Newton's method on F, whose derivative is taken by differences; its symmetric part goes into the matrix.
#pragma once

#include "events/evolution.h"

typedef struct ssi_stepping ssi_stepping;

ss_error ssi_stepping_create(ss_evolution *e, ss_scheme scheme, ssi_stepping **out);
void ssi_stepping_destroy(ssi_stepping *s);  // NULL allowed

// One step, to time `end`: t + h but for rounding. modes: those that its friction problem had; where it was not
// solved the evolution is stopped and they are as they were.
ss_error ssi_stepping_once(ssi_stepping *s, double h, double end, ss_mode *modes);

// The friction problem (1) of a step h from here, its force linearised here: valid until the next call.
ss_error ssi_stepping_problem(ssi_stepping *s, double h, const ss_problem **out);
