// dynamics/scene/elements.h - springs, dampers and bushings: forces from where two things are and how they move.
//
// An element has n <= 6 measures s of the relative position of its two sides, with the rows B of their rates,
//
//   s' = B v + given,        generalised force  F = -B^T T,       T = T(s) + D(s')                       (1)
//
//   linear spring, damper   s = P_a - P_b (dim numbers),   T = (f(|s| - rest) + g(|s|')) s/|s|
//   torsional ones          s = angle of a against b about an axis: 2 atan2(q_axis, q_w) of the relative rotation
//   bushing                 s = P_a - P_b along the axes of a frame that b carries, then the angles about these axes
//   travel                  s = P_a - P_b along one axis that b carries: the coordinate of a slider (scene/drives.h)
//
// s depends on how the two see each other alone, so that (1) has neither a force nor a moment on the two together.
// Where two points coincide a spring between them has no direction, and no force.
//
// Over a step the rows are those of span.h, for which B v is the change of s over h exactly, and T is
//
//   T = (U(s_1) - U(s_0)) / (s_1 - s_0) + (theta - 1/2) (T(s_1) - T(s_0)) + D((s_1 - s_0)/h)              (2)
//
// so that h F . v = -(U_1 - U_0) - dissipation + h T . given; docs/theory-dynamics.md, "Force elements".
#pragma once

#include "dynamics/scene/curve.h"
#include "dynamics/scene/span.h"

typedef enum ssi_element_kind { SSI_LENGTH, SSI_TWIST, SSI_BUSHING, SSI_TRAVEL } ssi_element_kind;

enum { SSI_MEASURES = 6 };

struct ssi_element {
  ssi_element_kind kind;
  int a, b;                           // as in ss_joint
  double at_a[3], at_b[3];            // its points, seen from each side
  double axes_a[3][3], axes_b[3][3];  // its frame, seen from each side
  double rest;                        // length or angle
  ssi_curve force[6], damping[6];     // of each measure; a length has one
  int angle;                          // its first in the list of angles; -1: it has none
};

// What an element does over a span, or at an instant (h = 0).
typedef struct ssi_action {
  int body[2];             // -1: not a body
  int n;                   // measures
  double row[6][2][6];     // B: on the dofs of each body                  (n, 2, per_body)
  double given[6];         // (1)
  double change[6];        // of s over the span
  double force[6];         // T
  double stiffness[6][6];  // dT/ds_1 as far as it is symmetric and semi-definite  (n, n)
  double damping[6][6];    // dT/ds' likewise
  double turning[2][3]
                [3];  // what a force does at an arm that turns, likewise: on the spin of each body
  double potential;   // U at the end
  double lost;        // by dampers; h = 0: the power
  double numerical;   // what (2) takes with theta > 1/2
  bool undefined;     // an angle about one axis of what has turned by half a turn about another
  double angle
      [3];  // of a twist or bushing at the end, however often it has gone round; a travel at the end
} ssi_action;

// v: the velocity that takes the bodies from one set of poses to the other, or that at the instant (ndof).
// angle: near which the angles at the beginning are taken, which are known up to turns (as ssi_world.angle_count);
// NULL: the nearest to 0. steep: the steepest slopes of characteristics in place of those where it is.
void ssi_element_act(const ssi_world *w, const ssi_element *e, const ssi_span *span,
                     const double *v, double theta, const double *angle, bool steep,
                     ssi_action *out);
void ssi_action_force(const ssi_world *w, const ssi_action *act, double scale,
                      double *force);  // += -scale B^T T   (ndof)
// out = B_i^T S B_j of two sides, per_body x per_body, row-major; S: stiffness or damping
void ssi_action_block(const ssi_world *w, const ssi_action *act, const double S[6][6], int i, int j,
                      double *out);

// All elements at an instant: forces are added.
typedef struct ssi_elements_sum {
  double potential, lost, external;  // energy; power that dampers take, that imposed motions give
} ssi_elements_sum;
void ssi_elements_at(const ssi_world *w, double t, const ss_pose *pose, const double *v,
                     const double *angle, double *force, ssi_elements_sum *out);

// Points and axes of the world at t = 0, as each side carries them.
void ssi_element_attach(const ssi_world *w, const double at_a[3], const double at_b[3],
                        double axes[3][3], ssi_element *e);

// The elements of a scene, in the order springs, dampers, bushings. Bodies are set.
ss_error ssi_elements_create(ssi_world *w, ssi_arena *arena);
