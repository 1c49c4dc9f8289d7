// dynamics/scene/world.h - what a simulation never changes by itself: bodies, shapes, laws, joints, masses, lengths.
#pragma once

#include "base/arena.h"
#include "stickslip/collide.h"
#include "stickslip/problem.h"
#include "stickslip/scene.h"

typedef struct ssi_simbody {
  const ss_shape *shape;  // centred
  ss_pose frame;          // of the body seen from the scene's shape
  const char *name;
  int material;
  double mass, inertia[3];
  bool isotropic;      // no gyroscopic term
  bool ghost;          // touches nothing
  int group;           // of bodies that joints hold together, by its first body; -1: no joint
  double extent;       // of the shape about the centre of mass
  ss_pose start;       // what the scene begins with: centre of mass, principal axes
  double velocity[6];  // of its dofs                                            (per_body)
} ssi_simbody;

typedef struct ssi_shapes {  // shapes made here, released in the end
  ss_shape **list;
  int count, capacity;
} ssi_shapes;
bool ssi_shapes_add(ss_context *ctx, ssi_shapes *s, ss_shape *shape);  // false: no memory
void ssi_shapes_release(ss_context *ctx, ssi_shapes *s);

typedef struct ssi_law {
  double mu, restitution;
} ssi_law;

// A joint, its places seen from both sides.
typedef struct ssi_simjoint {
  ss_joint_kind kind;
  int a, b;                 // b: a body, SS_WORLD, or SS_EXTERNAL - k
  double at_a[3], at_b[3];  // the anchor in the frame of each
  double axis_b[3];         // the axis in the frame of b
  double axis_a[3];
  double relative[4];  // orientation of a seen from b
  int row, rows;       // of the bilateral block
} ssi_simjoint;

// Lengths that steps compare gaps with, in the unit of the scene; docs/theory-dynamics.md, "Lengths". All but the
// scene's own margin are parts of the smallest body's extent (world.c).
typedef struct ssi_lengths {
  double slop;  // gaps below it count as closed where there is no gap term (drift projection, none)
  double near;  // gaps below it are in the problem from the beginning
  double spare;    // gaps below it at the end of a rough answer are in the problem
  double allowed;  // overlap that a step may bring without being solved again
  double soft;     // gaps above it never count as closed; X of theory-dynamics.md (4a)
} ssi_lengths;

typedef struct ssi_element ssi_element;  // elements.h
typedef struct ssi_drive ssi_drive;      // drives.h

typedef struct ssi_world {
  ss_context *ctx;
  const ss_scene *scene;
  int dim, per_body;  // 3 or 6 dofs
  int nb, ne, nj;     // bodies, externals, joints
  int ndof, nl;       // of all bodies; rows of all joints
  int nall;           // and those that only the problem of a step has (step/drive.c)
  ssi_simbody *body;  // (nb)
  ss_external
      *external;         // the scene's, their motions as they were told last (step/control.c)  (ne)
  int *told;             // whether that was between steps                                     (ne)
  ssi_shapes shapes;     // that are not the scene's own
  ssi_law *law;          // (materials^2)
  ssi_simjoint *joint;   // (nj)
  ssi_element *element;  // springs, dampers, bushings                    (element_count)
  int element_count;
  int angle_count;          // angles of elements that count turns
  ssi_element *coordinate;  // of joints, as elements without force; SSI_LENGTH: it has none    (nj)
  ssi_drive *drive;  // motors and limits                                             (drive_count)
  int drive_count;
  int *apart;  // pairs of colliders that do not collide, sorted: a, b       (2 apart_count)
  int apart_count;
  bool ghosts;  // some bodies touch nothing
  ssi_lengths length;
  ss_sparse M;    // diagonal                                                             (ndof)
  ss_sparse all;  // M, and the masses of the rest                                        (nall)
  double *mass;   // its diagonal                                                         (nall)
} ssi_world;

// world.c: arrays in the arena; ssi_shapes_release releases the rest, after a failure too.
ss_error ssi_world_create(ss_context *ctx, const ss_scene *scene, ssi_arena *arena, ssi_world *out);
bool ssi_world_apart(
    const void *world, int a,
    int b);  // whether two colliders are kept from colliding, by joints or as ghosts
ssi_law ssi_world_law(const ssi_world *w, int a,
                      int b);  // of two colliders: bodies, then externals

// scene.c
ss_error ssi_scene_check(ss_context *ctx, const ss_scene *s);

// generators.c: bodies of a generator.
int ssi_generator_count(const ss_generator *g);  // -1: does not fit an int
ss_error ssi_generator_expand(ss_context *ctx, int dim, const ss_generator *g, double density,
                              ssi_shapes *shapes,
                              ss_body *out);  // (ssi_generator_count)
