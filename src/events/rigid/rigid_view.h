// events/rigid/rigid_view.h - where the bodies of a scene are that runs as a mechanism (ss_machine_of_scene). Private.
#pragma once

#include "stickslip/mechanisms.h"

typedef struct ssi_rigid_count {
  int bodies, externals, contacts;
} ssi_rigid_count;
ssi_rigid_count ssi_rigid_view_count(const ss_machine *m);

// a, b of each contact; external object k is SS_EXTERNAL - k   (2 contacts)
void ssi_rigid_view_pairs(const ss_machine *m, int *bodies);

typedef struct ssi_rigid_view {
  double *pose;      // centre of mass, unit quaternion w x y z of the principal axes   (7 bodies)
  double *velocity;  // linear, angular, world axes                                     (6 bodies)
  double
      *external;   // poses                                                           (7 externals)
  double *point;   // on the surface of a                                             (3 contacts)
  double *normal;  // from b to a                                                     (3 contacts)
  double *force;   // on a, world axes                                                (3 contacts)
} ssi_rigid_view;

// force: in contact frames   (dim contacts)
void ssi_rigid_view_at(const ss_machine *m, double t, const double *q, const double *v,
                       const double *force, const ssi_rigid_view *out);
