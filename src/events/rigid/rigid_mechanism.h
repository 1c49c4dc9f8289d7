// events/rigid/rigid_mechanism.h - a scene of rigid bodies as a mechanism.
//
// Per body q = (x, quaternion), v = (velocity, world axes; spin, body axes); in the plane q = (x, y, angle), v = q'.
// M is diagonal. F: gravity, loads, elements and -w x I w. A contact is a corner, or a ball with its centre fixed in a body, against
// a wall, a ball, or the inside of a cylinder (the bore); each has a smooth gap.
#pragma once

#include "dynamics/scene/frame_motion.h"
#include "dynamics/scene/world.h"
#include "events/machines/machine.h"

enum { SSI_PAIRS_MAX = 256 };  // matrices are dense

typedef enum ssi_pair_kind { SSI_PAIR_WALL, SSI_PAIR_BALL, SSI_PAIR_BORE } ssi_pair_kind;

// What a sits on: point p of body a with a ball of radius r about it (0: a corner), against something of b: a body, or
// nb + an external's number.
typedef struct ssi_rigid_pair {
  ssi_pair_kind kind;
  int a, b;
  double p[3], r;
  double
      at[3];  // wall: a point of it; ball: its centre; bore: a point of its axis; in the frame of b
  double axes[3][3];  // wall: normal and tangents; bore: [0] its axis; in the frame of b
  double size;        // radius of ball or bore
} ssi_rigid_pair;

typedef struct ssi_rigid_machine {
  ssi_machine_owner head;  // first: what the user holds
  ssi_world world;
  ssi_rigid_pair *pair;     // (nc)
  double *mu, *e;           // (nc)
  double *breaks;           // times
  double *q, *v;            // at the start
  ssi_frame_motion *now;    // of bodies and externals, where it was last asked       (nb + ne)
  ss_pose *pose;            // of the bodies, likewise                              (nb)
  double *rotation, *load;  // (9 nb), (6 nb)
  double *angle;            // of elements, turns counted, after the last step      (angle_count)
  double *scratch;          // (2 ndof)
} ssi_rigid_machine;

int ssi_rigid_coordinates(const ssi_world *w);  // per body: 3 or 7

// rigid_forces.c
ss_error ssi_rigid_mass(void *user, double t, const double *q, double *M);
ss_error ssi_rigid_force(void *user, double t, const double *q, const double *v, double *F);
ss_error ssi_rigid_potential(void *user, double t, const double *q, double *energy);
void ssi_rigid_normalise(void *user, double *q);

// Where everything is, how externals move; and how bodies do (v may be NULL).
void ssi_rigid_place(ssi_rigid_machine *m, double t, const double *q, const double *v);
// The world, a body, or an external (as a joint has it).
const ssi_frame_motion *ssi_rigid_side(const ssi_rigid_machine *m, int which);

// rigid_pairs.c: all pairs of points and walls that may meet; SS_ERR_UNSUPPORTED names those that have no smooth gap.
ss_error ssi_rigid_pairs(ssi_rigid_machine *m, int *count);  // m->pair NULL: only counts
char *ssi_rigid_pair_name(const ssi_rigid_machine *m, ssi_arena *arena, int pair);

// rigid_gaps.c: a contact where ssi_rigid_place was last.
typedef struct ssi_pair_frame {
  double gap;
  double c[3], dc[3];        // a point on the line of the normal, and its velocity
  double e[3][3], de[3][3];  // frame, normal first, and its rate
} ssi_pair_frame;
void ssi_pair_look(const ssi_rigid_machine *m, const ssi_rigid_pair *p, ssi_pair_frame *out);
ss_error ssi_rigid_gaps(void *user, double t, const double *q, double *gap);
ss_error ssi_rigid_frames(void *user, double t, const double *q, double *H, double *w);
ss_error ssi_rigid_drift(void *user, double t, const double *q, const double *v, double *b);

// rigid_joints.c
ss_error ssi_rigid_joints(void *user, double t, const double *q, double *Phi, double *G, double *y);
ss_error ssi_rigid_joint_drift(void *user, double t, const double *q, const double *v, double *c);

// One row on the dofs of a body: e at the arm from its centre; 2D: 3 dofs, 3D: 6, spin in body axes.
void ssi_rigid_row(int dim, double sign, const double e[3], const double arm[3], const double R[9],
                   double *row);
