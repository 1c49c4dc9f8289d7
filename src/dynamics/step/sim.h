// dynamics/step/sim.h - what a simulation holds, and the parts of one step.
//
//   create.c    from the scene to bodies, laws, joints
//   free.c      velocities without reactions: forces, gyroscopic terms
//   touch.c     contacts of the step: detection, laws, gaps, warm start
//   bend.c      what a gap loses to second order
//   start.c     the velocities that a scene begins with
//   scout.c     which of the far contacts the step needs
//   joints.c    equations of the joints and their rows
//   hold.c      joints within a step: positions and velocities at its end
//   assemble.c  the friction problem (M, H, G, f, w, b)
//   step.c      the step: solve, verify, move; halving
//   project.c   positions moved out of overlap
//   balance.c   energies
//   checkpoint.c, view.c
#pragma once

#include "base/arena.h"
#include "dynamics/scene/imposed.h"
#include "la/anderson.h"
#include "stickslip/simulate.h"

typedef struct ssi_simbody {
  const ss_shape *shape;  // centred
  ss_pose frame;          // of the body seen from the scene's shape
  const char *name;
  int material;
  double mass, inertia[3];
  bool isotropic;   // no gyroscopic term
  int group;        // of bodies that joints hold together, by its first body; -1: no joint
  double extent;    // of the shape about the centre of mass
  double start[3];  // where the centre was at the beginning, for the potential energy
} ssi_simbody;

typedef struct ssi_shapes {  // shapes made here, released in the end
  ss_shape **list;
  int count, capacity;
} ssi_shapes;
bool ssi_shapes_add(ss_context *ctx, ssi_shapes *s, ss_shape *shape);  // false: no memory

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

// From one set of poses to another, from the time `begin` on; h = 0: one instant.
typedef struct ssi_span {
  const ss_pose *from, *to;
  double begin, h;
} ssi_span;

typedef struct ssi_joint_block {  // change of the joints' Phi over h: G^T v + given
  ss_sparse G;
  double *given;  // by what is moved from outside                     (nl)
  double *error;  // Phi at the beginning                              (nl)
} ssi_joint_block;

typedef struct ssi_hold {  // hold.c
  ssi_joint_block begin, mean, end;
  double *answer;          // v_1 of the last pass, and after it                        (ndof)
  double *kick, *next;     // k, and what the last answer would have it changed by      (nl)
  double *first, *second;  // sigma M^-1 G_0 k, M^-1 G_1 k                               (ndof)
  double *theta;           // of the bodies                                             (nb)
  double *sigma;           // of the bodies                                             (nb)
  double (*energy)[2];     // of the kicks by groups, twice                             (nb)
  bool *touched;           // groups that have contacts                                 (nb)
  ss_pose *to;             // where it takes the bodies                                 (nb)
  double rate;             // of correction: 1/h or 0
  int passes;
  double *scratch;  //                                                           (2 nl)
  ssi_anderson passing;
  double *weight;     // of answer and kick                                             (ndof + nl)
  ss_solver *solver;  // NULL before the first
} ssi_hold;

// One contact of the step, with what the problem is made of.
typedef struct ssi_touch {
  ss_contact c;
  double e[3][3];  // frame, normal first
  double mu, restitution;
  double u0[3];   // relative velocity before the step, with the imposed motion of this step
  double w[3];    // imposed motion
  double bounce;  // e u_N^-                        w_N of the problem is
  double drift;   // gap term                       w[0] + bounce + drift + kick
  double kick;    // normal velocity of joints' kicks
  double bend;    // <= 0: second-order part of the gap at the end of the step, in drift
  bool far;       // only other reactions can close it
  bool held;      // pushed in the last step: what gap it has is the scheme's own
  double lost;    // of that, what the last step added beyond h u_N
} ssi_touch;

static inline double ssi_touch_term(const ssi_touch *t) {
  return t->bounce + t->drift + t->kick;
}

// Reactions of the last step, for the next one's guess.
typedef struct ssi_memory {
  int a, b;
  uint64_t key;
  double impulse[3];  // world axes
  bool held;          // of a step that was taken, not of a rough answer
  double gap;         // where u_N = -(term) of such a step led to
} ssi_memory;

typedef struct ssi_sum {  // compensated
  double value, rest;
} ssi_sum;

static inline void ssi_sum_add(ssi_sum *s, double x) {
  double y = x + s->rest, t = s->value + y;
  s->rest = y - (t - s->value);
  s->value = t;
}

enum { SSI_END_REST = 1, SSI_END_DURATION, SSI_END_UNSOLVED };

// What changes from step to step and fits a fixed-size record: saved, restored, checkpointed as it is.
typedef struct ssi_record {
  int64_t step;
  double time;
  double last_h;  // of the memory
  int resting;    // steps in a row with all speeds below rest_speed
  int end;        // SSI_END_*, 0: not done
  double kinetic, potential, start, largest;
  ssi_sum contact, external, correction, integrator, joint;
  ss_sim_totals totals;
} ssi_record;

struct ss_simulation {
  ss_context *ctx;
  const ss_scene *scene;
  ssi_arena arena;  // what lives as long as the simulation
  int dim, per_body, ndof, nb, ne, nj, nl;
  ssi_simbody *body;  // (nb)
  ssi_shapes shapes;
  ssi_law *law;         // (materials^2)
  bool steep;           // friction beyond what a step works with was met
  ssi_simjoint *joint;  // (nj)
  int *apart;           // pairs that do not collide, sorted: a, b       (2 apart_count)
  int apart_count;
  double slop;  // gaps below it count as closed where there is no gap term (drift projection, none)
  double near;  // gaps below it are in the problem from the beginning
  double spare;    // gaps below it at the end of a rough answer are in the problem
  double allowed;  // overlap that a step may bring without being solved again
  ss_detector *detector;
  ss_collider *collider;  // bodies, then externals                        (nb + ne)
  ssi_twist *twist;       // of the externals in this step                 (ne)

  // state
  ssi_record now;
  ss_pose *pose;       // (nb)
  double *v;           // (ndof)
  ssi_memory *memory;  // sorted by a, b, key
  int memory_count, memory_capacity;

  // before the step, to come back to
  ssi_record before;
  ss_pose *pose_before;
  double *v_before;

  // the mass matrix, constant
  ss_sparse M;
  double *mass;  // its diagonal                                  (ndof)

  // of the current step
  double *v_free, *f;  // (ndof)
  double *load;        // loads: force (3), moment about the centre (3), world axes   (6 nb)
  double *v_move;      // what takes the bodies from pose to pose
  double *gyro;        // gyroscopic impulse, body axes                 (3 nb)
  double *rotation;    // R of each body, row-major                     (9 nb)
  ssi_arena work;      // contacts and problem of the current step
  ssi_touch *touch;
  int touch_count, far_count;
  double penetration;  // largest overlap seen in this step
  ss_problem problem;
  double *guess, *r, *u, *v_new, *l;
  ssi_hold hold;
  ss_contact_verdict *verdict;
  ss_sim_contact *contact;  // for the view                                (contact_count)
  int contact_count;
  double *velocity, *spin;  // for the view                                (3 nb)
  ss_pose *external_pose;   // for the view                                (ne)
  double *joint_impulse;    // for the view                                (6 nj)

  ss_solver *solver;  // NULL before the first solve
  double solver_tol;
  double times[3];  // detection, solves, all: of this process, never checkpointed

  unsigned char *checkpoint;
  size_t checkpoint_capacity;
};

// create.c
ss_error ssi_scene_check(ss_context *ctx, const ss_scene *s);

// free.c: rotation, load, v_free, gyro and f of a step from t to t + h.
void ssi_sim_free_motion(ss_simulation *s, double h);
void ssi_sim_accelerate(ss_simulation *s, int body, double h);  // v_free of it, not gyroscopic

// touch.c: touch, touch_count in `work`. With drift "gap" and without joints the far ones are in it too.
ss_error ssi_sim_detect(ss_simulation *s, double h);
void ssi_sim_bound(const ss_simulation *s, double h, bool closes, ssi_touch *t);    // bounce, drift
void ssi_sim_spin(const ss_simulation *s, int body, const double *v, double w[3]);  // world axes
void ssi_sim_point_velocity(const ss_simulation *s, int body, const double *v, const double p[3],
                            double out[3]);
double ssi_sim_closed_below(const ss_simulation *s);                     // gaps that count as none
int ssi_contact_order(int a, int b, uint64_t key, const ss_contact *c);  // -1, 0, 1
bool ssi_sim_outran(const ss_simulation *s, double h);
ss_error ssi_sim_extend(ss_simulation *s, double h, int *added);  // after a solve
// The contacts in the new problem's order take their guess from the memory; the memory is replaced.
void ssi_sim_recall(const ss_simulation *s, double h, double *guess);
ss_error ssi_sim_remember(ss_simulation *s, double h, bool taken);

// bend.c
double ssi_sim_bend(const ss_simulation *s, const ss_contact *c, const double *v, double h);

// start.c: the velocities that a scene begins with become those of the scheme. After a detection.
ss_error ssi_sim_start(ss_simulation *s, double h);

// scout.c: takes out of touch what is far and not needed.
ss_error ssi_sim_scout(ss_simulation *s, double h, ss_step_info *info);

// assemble.c
ss_error ssi_sim_assemble(ss_simulation *s, double h);
void ssi_sim_row(const ss_simulation *s, int body, double sign, const double e[3],
                 const double point[3], double *x);  // e . velocity at a point: (per_body)
ss_error ssi_sim_contact_rows(ss_simulation *s, const ssi_touch *touch, int count, ss_sparse *H);

// joints.c: rows of G^T as blocks of at most two bodies.
int ssi_joint_rows(int dim, ss_joint_kind kind);
ss_error ssi_sim_joint_block(ss_simulation *s, const ssi_span *span, ssi_joint_block *out);
// The squares of |G^T v + b| and of the terms that it is the sum of.
void ssi_sim_joint_size(const ss_simulation *s, const ss_sparse *G, const double *b,
                        const double *v, double *rate2, double *terms2);
void ssi_sim_joint_impulses(ss_simulation *s);

// hold.c: begin, then in passes aim (f, G, b of the problem), solve, follow (v_move; by how much the pass changed the
// answer), and kick where that was too much.
bool ssi_sim_hold_create(ss_simulation *s);  // false: no memory
ss_error ssi_sim_hold_begin(ss_simulation *s);
ss_error ssi_sim_hold_aim(ss_simulation *s, double h, double *b);
ss_error ssi_sim_hold_follow(ss_simulation *s, double *change);
void ssi_sim_hold_kick(ss_simulation *s);
double ssi_sim_hold_impulse(const ss_simulation *s, const ssi_simjoint *j,
                            int k);  // of its row k, all of it

// project.c
ss_error ssi_sim_project(ss_simulation *s);

// balance.c
void ssi_sim_energy_start(ss_simulation *s);
void ssi_sim_energy_start_moving(ss_simulation *s, const double *v);  // v for s->v
void ssi_sim_energy_comply(ss_simulation *s, const double *v,
                           const double *l);  // joints: v for s->v
void ssi_sim_energy_step(ss_simulation *s, double h);
void ssi_sim_energy_after(ss_simulation *s);  // kinetic and potential of the state
double ssi_sim_potential(const ss_simulation *s);

// step.c
void ssi_sim_turn(ss_simulation *s);  // rotation of each body from its pose
void ssi_sim_move(const ss_simulation *s, double h, const double *v, ss_pose *pose);

// view.c
ss_error ssi_sim_view(ss_simulation *s);     // contacts, before the bodies move
void ssi_sim_view_motion(ss_simulation *s);  // velocities, after

// expand.c: bodies of a generator.
int ssi_generator_count(const ss_generator *g);  // -1: does not fit an int
ss_error ssi_generator_expand(ss_context *ctx, int dim, const ss_generator *g, ssi_shapes *shapes,
                              ss_body *out);  // (ssi_generator_count)
