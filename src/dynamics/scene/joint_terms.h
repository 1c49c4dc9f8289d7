// dynamics/scene/joint_terms.h - the equations Phi = 0 of a joint, as products of vectors that its sides carry. With P the
// anchor as each side carries it, R the rotations,
//
//   point   e . (P_a - P_b)                     e along the world's axes             (ball, hinge, fixed)
//   line    (R_b e) . (P_a - P_b)               e normal to the axis                 (slider)
//   angle   sum of weight (R_b t) . (R_a s)     t, s fixed in the two sides          (hinge, slider, fixed)
#pragma once

#include "dynamics/scene/world.h"

enum { SSI_JOINT_ROWS = 6 };

typedef struct ssi_joint_term {
  bool rotation;  // angle; else point or line
  bool turns;     // line: e is seen from b
  double e[3];    // rotation: what it is about, seen from b
  int angles;
  struct {
    double weight, t[3], s[3];
  } angle[2];
} ssi_joint_term;

int ssi_joint_terms(int dim, const ssi_simjoint *j, ssi_joint_term out[SSI_JOINT_ROWS]);
