// problem/rigid.h - the friction problem of one time step of rigid bodies in contact.
//
//   M v = M v0 + h F + H^T r,   u = H v,   so f = -(M v0 + h F),  w = 0
//
// v: per body the velocity of its centre of mass, then its angular velocity (in 2D a number), all in
// world axes. u: at a contact point the velocity of body a minus that of body b, in the contact frame.
#pragma once

#include "problem/owned.h"

typedef struct ssi_rigid_body {
  double mass;
  double inertia[3];   // about the centre, world axes, diagonal; 2D: [2] only
  double momentum[3];  // m v0 + h (force); 2D: [0] and [1]
  double spin[3];      // I omega0 + h (moment); 2D: [2] only
} ssi_rigid_body;

// From the centre of a body to the contact point: length * x. (Two factors, so that an arm along the normal has
// moment 0 exactly.)
typedef struct ssi_rigid_arm {
  double x[3], length;
  const double
      *R;  // rotation of the body whose angular velocity is in its own axes; NULL: world axes   (9)
} ssi_rigid_arm;

typedef struct ssi_rigid_contact {
  int a, b;        // bodies; b = -1: something that is not a body of the problem
  double e[3][3];  // frame, normal first, from b to a: u_N > 0 separates
  ssi_rigid_arm arm_a, arm_b;
} ssi_rigid_contact;

typedef struct ssi_rigid_contacts {
  int dim, bodies, count;
  int64_t ends;  // bodies at contacts: one or two each
  void (*contact)(const void *user, int index, ssi_rigid_contact *out);  // out is zeroed
  const void *user;
} ssi_rigid_contacts;

typedef struct ssi_rigid_scene {
  ssi_rigid_contacts contacts;
  double mu;
  const ssi_rigid_body *body;  // (contacts.bodies)
} ssi_rigid_scene;

// The contact frame e[0] = n, e[1], e[2], rows. 2D: t = (n_y, -n_x). 3D, right-handed: t1 is the
// coordinate axis that is farthest from n (the first of equals) made orthogonal to it, t2 = n x t1.
void ssi_contact_frame(int dim, const double n[3], double e[3][3]);

// H with arrays in the arena. All rows of a contact have the same columns, explicit zeros included: they form block
// rows. false: no memory.
bool ssi_rigid_rows(ssi_arena *arena, const ssi_rigid_contacts *c, ss_sparse *H);

// Builds *out, released by ss_problem_destroy.
ss_error ssi_rigid_assemble(ss_context *ctx, const ssi_rigid_scene *scene, ss_problem **out);
