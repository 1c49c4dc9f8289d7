// dynamics/scene/shape.h - what a shape holds, for contact detection and mass properties.
#pragma once

#include "base/arena.h"
#include "dynamics/scene/hull.h"
#include "stickslip/shape.h"

typedef struct ssi_shape_part {
  const ss_shape *shape;
  ss_pose pose;
} ssi_shape_part;

struct ss_shape {
  ssi_arena arena;  // of everything below, and of this struct's parts
  ss_shape_kind kind;
  int dim;
  double radius, half[3];
  double bound;   // radius of the ball about the origin that holds it; infinite for walls
  ssi_hull hull;  // boxes and hulls
  int part_count;
  ssi_shape_part *parts;  // compounds; each part's shape is owned                (part_count)
};

// A shape at a place: x_world = x + R x_local.
typedef struct ssi_solid {
  const ss_shape *shape;
  double x[3], R[9];
} ssi_solid;

void ssi_solid_place(const ss_shape *s, const ss_pose *pose, ssi_solid *out);
void ssi_solid_bounds(const ssi_solid *s, double low[3], double high[3]);  // not for compounds

// Eigenvalues and axes of `inertia`.
void ssi_principal_axes(ss_mass_properties *m);

double ssi_shape_farthest(const ss_shape *s, const double centre[3]);

// A copy seen from another frame: x_new = frame x_old.
ss_error ssi_shape_moved(ss_context *ctx, const ss_shape *s, const ss_pose *frame, ss_shape **out);
