// events/mechanics.h - a mechanism at one instant: its matrices, and its accelerations and forces in given modes.
//
// In a mode the contacts hold as constraints (stick: g'' = 0; slip: g''_N = 0) and slip drags along a direction s:
//
//   M v' = F + D^T x,    A v' + b = 0,      A: rows of H that hold,  D: the same for stick, H_N - mu s.H_T for slip
//   (A M^-1 D^T) x = -(A M^-1 F + b)                                                                        (1)
//
// Joints always hold: their rows are those of H after the contacts'.
#pragma once

#include "base/arena.h"
#include "stickslip/evolve.h"

typedef struct ssi_mechanics {
  const ss_mechanism *m;
  ss_context *ctx;
  int rows, all;      // dim * nc; with those of the joints
  double *M, *L;      // mass matrix and its Cholesky factor, column-major (nv x nv)
  double *F;          // (nv)
  double *H, *w, *b;  // (all x nv), (all), (all)
  double *gap;        // (nc)
  double *apart;      // Phi of the joints   (nl)
  double *slip;       // g' = H v + w   (all)
  bool factored;      // L is that of M for good
  double still;       // slip that begins has no direction of its own up to this velocity (space)

  double *a;      // v'                                (nv)
  double *r;      // forces, then multipliers          (all)
  bool singular;  // (1) had many solutions: the one nearest to the gauge was taken

  // of (1)
  int held;       // rows of A
  int *row;       // row of H that A's row is           (all)
  double *A, *D;  // (all x nv), D solved: M^-1 D^T
  double *S, *S0, *x, *rhs, *weight;
  int *pivots;
} ssi_mechanics;

typedef struct ssi_modes {
  ss_mode *mode;  // (nc)
  double *lead;   // space: direction of slip at the beginning of a phase or step   (dim - 1 each)
  bool *sure;     // space: slip that has had a direction of its own   (nc)
  double *gauge;  // forces; where more hold than need to, those nearest to it are taken   (all)
} ssi_modes;

static inline double ssi_static_friction(const ss_mechanism *m, int i) {
  return m->mu_static ? m->mu_static[i] : m->mu[i];
}

// Such a contact never sticks: it slips even where it stands, in either direction.
static inline bool ssi_frictionless(const ss_mechanism *m, int i) {
  return ssi_static_friction(m, i) == 0;
}

bool ssi_mechanics_take(ssi_arena *arena, ss_context *ctx, const ss_mechanism *m,
                        ssi_mechanics *out);
bool ssi_modes_take(ssi_arena *arena, const ss_mechanism *m, ssi_modes *out);
void ssi_modes_copy(const ss_mechanism *m, const ssi_modes *from, ssi_modes *to);

// M, F, H, w, b, gap, slip at (t, q, v).
ss_error ssi_mechanics_at(ssi_mechanics *x, double t, const double *q, const double *v);

// Then a and r in these modes, by (1).
ss_error ssi_mechanics_solve(ssi_mechanics *x, const ssi_modes *modes);

// M^-1 y in place, of `count` vectors of nv.
void ssi_mechanics_divide(const ssi_mechanics *x, int count, double *y);

// The unit vector that slip of contact i drags along. In space: the lead, where slip has none left along it.
void ssi_mechanics_direction(const ssi_mechanics *x, const ssi_modes *modes, int i, double *s);

// Two numbers per contact, positive while its mode may last:
//   free   gap, 1        stick   r_N, mu r_N - |r_T|        slip   r_N, slip velocity in its direction
//                                                                  (in space: along its lead; frictionless: 1)
void ssi_mechanics_guards(const ssi_mechanics *x, const ssi_modes *modes, double *guard);

// Space: slip up to this velocity is led. Less once it has had a direction of its own: slip that begins turns into the
// direction that friction wants, by an angle a say, and keeps cos^2(a/2) of its velocity meanwhile.
double ssi_mechanics_led_below(const ssi_mechanics *x, const ssi_modes *modes, int i);

// Space: the directions of slip here become the leads.
void ssi_mechanics_lead(const ssi_mechanics *x, ssi_modes *modes);

// q and v onto what the modes hold: g_N(q) = 0, Phi(q) = 0 and A v + w = 0, with the least change in the norm of M.
ss_error ssi_mechanics_project(ssi_mechanics *x, const ssi_modes *modes, double t, double *q,
                               double *v);

// v alone.
ss_error ssi_mechanics_hold(ssi_mechanics *x, const ssi_modes *modes, double t, const double *q,
                            double *v);

double ssi_mechanics_kinetic(const ssi_mechanics *x, const double *v);

// Largest |Phi'|; *terms: the largest sum of the terms of one.
double ssi_mechanics_joint_speed(const ssi_mechanics *x, const double *v, double *terms);
