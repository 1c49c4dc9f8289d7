// stickslip/simulate.h - rigid bodies in time: Moreau-Jean stepping, every step solved and verified.
//
// From (q_k, v_k) at t_k, with theta in [1/2, 1] (docs/theory-dynamics.md):
//
//   M (v_{k+1} - v_k) = h F_theta + H^T r + G l,     u = H v_{k+1} + w,   (u, r) in C(mu),   (1)
//   q_{k+1} = q_k + h (theta v_{k+1} + (1 - theta) v_k)                                     (2)
//
// with H at q_k, or with contact_map "implicit" at q_k + h v_{k+1},
// and joints hold at q_{k+1}; bodies that joints hold together and that have no contact move with theta = 1/2.
// v: per body the velocity of the centre of mass in world axes, then the angular velocity in the
// body's own principal axes (2D: a number), so M is diagonal and constant.
//
//   ss_simulation *sim;
//   ss_simulation_create(&ctx, scene, &sim);
//   while (!ss_simulation_done(sim) && !ss_simulation_step(sim, &info)) ...
//   ss_simulation_destroy(sim);
#pragma once

#include "stickslip/collide.h"
#include "stickslip/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

// All energies since the start. The balance is
//   kinetic + potential + elastic - start = contact + external + correction + integrator + joint + element.
typedef struct ss_energy {
  double kinetic;
  double potential;   // of gravity, from where the bodies stood at the start
  double elastic;     // of springs and bushings
  double start;       // kinetic and elastic energy at the start
  double contact;     // work of contact forces and of joints' limits; dissipation is negative
  double external;    // work of loads, of motors and of imposed motions
  double correction;  // of gap terms and projections against drift, contacts and joints
  double
      integrator;  // of the scheme itself: -(theta - 1/2) |v_{k+1} - v_k|_M^2 and gyroscopic terms
  double joint;    // of joints: velocities that they do not allow, their part in the integrator's
  double element;  // of dampers: what they dissipate is negative
  double closure;  // what is missing in the balance over the largest of its terms so far
} ss_energy;

typedef struct ss_sim_contact {
  int a, b;            // bodies; b: as in ss_joint (SS_EXTERNAL - k)
  uint64_t key;        // of ss_contact
  double point[3];     // at the beginning of the step; with contact_map "implicit" at its end
  double normal[3];    // from b to a, likewise
  double gap;          // at the beginning of the step
  double impulse[3];   // on a, world axes; divide by h for the mean force
  double velocity[3];  // of a relative to b after the step, world axes
  ss_state state;
} ss_sim_contact;

typedef struct ss_step_info {
  double time;   // at the end of the step
  double h;      // smallest step taken in it
  int contacts;  // of the problem (in the last part where the step was halved)
  int active;    // of them with r != 0
  int solves;    // convex programs solved (aclm), else calls of the solver
  int iterations;
  int sweeps;    // rough ones that only look for contacts, before the solves
  int parts;     // 1; 2 or more where the step was halved
  int unsolved;  // parts that ended unsolved
  int rounded;   // parts solved to the floor of rounding only, above the tolerance
  int accepted;  // parts that are not solved, but accepted by the method's own test (SS_ACCEPTED)
  ss_status status;  // of the last part
  // Not 0: that part is unsolved though its problems were: the passes that make joints, force elements and contacts of
  // contact_map "implicit" agree with the end of the step still changed the velocities by this part of themselves
  double apart;
  double error;  // largest, as judged by ss_verify, attempts that were given up included
  double time_detect_s, time_solve_s, time_s;
  double penetration;  // largest overlap found at the beginning of the step
  // For ss_run_append, where the caller has asked ss_certify about the step's problem; ss_simulation_step leaves NAN, -1.
  double margin;  // of criterion (A); INFINITY
  int criterion;  // ss_criterion_state
  double speed;   // of the shape that moves fastest after the step: of its fastest point, of a
                  // sphere (2D: disk) that of the centre, as its shape stays where it turns
} ss_step_info;

typedef struct ss_sim_totals {
  int64_t steps, unsolved_steps, halved_steps;
  int64_t rounded_steps;   // solved as well as rounding allows, which is less than the tolerance
  int64_t accepted_steps;  // with parts that only the method's own test accepts
  int solves_max;          // in one step
  double contacts_mean;    // per step
  int contacts_max;
  int64_t contact_sum, active_sum, solve_sum, iteration_sum;
  double penetration_max;
  double error_max;  // of all steps and attempts, solved, accepted or not
  double time_detect_s, time_solve_s, time_s;
} ss_sim_totals;

typedef struct ss_simulation ss_simulation;

// Checks the scene, expands its generators, builds everything. The scene must outlive it. SS_ERR_DATA where bodies
// overlap at the start, unless the scene means it (SS_OVERLAP_PUSH).
SS_API ss_error ss_simulation_create(ss_context *ctx, const ss_scene *scene, ss_simulation **out);
SS_API void ss_simulation_destroy(ss_simulation *sim);  // NULL allowed

// One step of h. An unsolved step is an answer, not an error: info->unsolved. With SS_UNSOLVED_STOP the
// state is then that before the step, ss_simulation_done is true, and ss_simulation_problem has the
// problem that was not solved. progress and stop of the scene's solver hear of every solve; where one of them
// ends it, info->status is SS_CANCELLED, and the step was never begun: it is not counted, and may be tried again.
SS_API ss_error ss_simulation_step(ss_simulation *sim, ss_step_info *info);  // info may be NULL
SS_API bool ss_simulation_done(const ss_simulation *sim);
SS_API const char *ss_simulation_end(const ss_simulation *sim);  // "rest", "duration", "unsolved";
                                                                 // NULL while not done

// A view into the simulation, valid until the next step.
typedef struct ss_sim_state {
  int dim, body_count, external_count, contact_count, joint_count, element_count;
  int64_t step;
  double time;
  const ss_pose *pose;             // of the bodies' frames: centre of mass, principal axes
  const double *velocity;          // centre of mass, world axes           (3 per body)
  const double *spin;              // angular velocity, world axes         (3 per body)
  const ss_pose *external_pose;    // now
  const ss_sim_contact *contacts;  // of the last step (the last part of it)
  const double *joint_impulse;     // on a: force part, moment part, world axes   (6 per joint)
  const double *joint_motion;      // as ss_sim_joint: coordinate, rate, motor, limit  (4 per joint)
  // Springs, dampers, bushings, in this order: mean force of the last step, as b feels it. Linear: a vector, world
  // axes; torsional: a moment about the axis; bushing: along, then about the axes of its frame  (6 per element)
  const double *element_force;
} ss_sim_state;
SS_API void ss_simulation_state(const ss_simulation *sim, ss_sim_state *out);

// ---- control -----------------------------------------------------------------------------------

// A force at the centre of mass and a moment on a body, world axes, beside the loads of the scene: from the next step
// on, the same until it is set again. In the plane of forces x and y count, of moments z. Part of checkpoints, and of
// ss_energy.external. What a controller measures is ss_simulation_state: poses, velocities, contact and joint impulses.
// force, moment: NULL is zero.
SS_API ss_error ss_simulation_set_load(ss_simulation *sim, int body, const double force[3],
                                       const double moment[3]);

// An external object goes on from where it is with a velocity, and a spin about where its frame's origin is then, world
// axes, whatever the scene says of it: from the next step on, until it is set again; in the plane of velocities x
// and y count, of spins z. Part of checkpoints. NULL is zero.
SS_API ss_error ss_simulation_set_motion(ss_simulation *sim, int external, const double velocity[3],
                                         const double spin[3]);

// The target of a joint's motor: a rate (velocity), or a coordinate and its rate (position; the rate is what damping counts
// from), in place of what the scene says, from the next step on until it is set again. Part of checkpoints.
// SS_ERR_ARGUMENT where the joint has no motor; a velocity motor takes rate 0 only.
SS_API ss_error ss_simulation_set_target(ss_simulation *sim, int joint, double target, double rate);

// ---- joints ------------------------------------------------------------------------------------

// A joint now, and the mean forces of the last step (where it was halved, of its last part). force and moment are zero after
// ss_simulation_load.
typedef struct ss_sim_joint {
  const char *name;  // NULL: none
  ss_joint_kind kind;
  int a, b;          // as in ss_joint
  double anchor[3];  // world, as a carries it
  double axis[3];    // of a hinge or slider, likewise
  double force[3];   // on a, world axes: what holds the two together; not the motor, not the limits
  double moment[3];  // on a about the anchor, world axes, likewise
  bool moves;        // hinge, slider: it has
  double coordinate;  // angle, turns counted, or displacement, of a against b; 0 at t = 0
  double rate;
  double motor;  // force of its motor along the coordinate (hinge: moment)
  double limit;  // of its limits: > 0 at the lower one, < 0 at the upper one
} ss_sim_joint;
SS_API ss_error ss_simulation_joint(const ss_simulation *sim, int joint, ss_sim_joint *out);

// ---- sensors -----------------------------------------------------------------------------------

// Beside ss_simulation_state (poses, velocities, every contact) and ss_simulation_joint:

enum { SS_ANYTHING = -2147483647 };

// The sum of contact forces on body a by b (as in ss_joint), or by SS_ANYTHING, world axes: the mean of the last step (where
// it was halved, of its last part). Zero before the first step and after ss_simulation_load.
SS_API ss_error ss_simulation_contact_force(const ss_simulation *sim, int a, int b,
                                            double force[3]);

// Where a point of a body is, and its velocity, world axes. at: in the frame of the body's shape. Either may be NULL.
SS_API ss_error ss_simulation_point(const ss_simulation *sim, int body, const double at[3],
                                    double position[3], double velocity[3]);

// ---- bodies ------------------------------------------------------------------------------------

typedef struct ss_sim_body {
  const char *name;       // NULL: none; generated bodies have theirs
  const ss_shape *shape;  // in the body's frame
  ss_pose frame;          // of the body seen from the frame of the scene's shape
  int material;
  double mass, inertia[3];
} ss_sim_body;
SS_API ss_error ss_simulation_body(const ss_simulation *sim, int body, ss_sim_body *out);
SS_API const ss_shape *ss_simulation_external_shape(const ss_simulation *sim, int external);

// "floor", "stack.3", or "body 3", "external 0" where they have no name; `which` as in ss_joint.
SS_API void ss_simulation_name(const ss_simulation *sim, int which, char *out, size_t size);

// ---- what it starts with -----------------------------------------------------------------------

typedef struct ss_start_overlap {
  int a, b;       // as in ss_joint
  double depth;   // of the deepest point
  double energy;  // that pushing them apart may give them, by the scene's own drift and step
} ss_start_overlap;

typedef struct ss_sim_start {
  double mass[2], mass_sum;  // of the lightest, of the heaviest body; of all
  double extent[2];  // of the smallest, of the largest: farthest point from the centre of mass
  int lightest, heaviest, smallest, largest;
  int odd;       // a body 1000 times larger or smaller than the one in the middle; -1: none
  int pairs;     // that the broad phase leaves to look at
  int contacts;  // closed
  double gap;    // smallest, of those near each other; INFINITY: nothing is near
  double step;   // suggested: nothing moves by more than a tenth of the smallest extent
  int overlap_count, deepest;
  const ss_start_overlap *overlaps;  // of pairs that overlap more than 0.2 % of the smaller extent;
                                     // valid until the next step
} ss_sim_start;
SS_API ss_error ss_simulation_start(ss_simulation *sim, ss_sim_start *out);

SS_API void ss_simulation_energy(const ss_simulation *sim, ss_energy *out);
SS_API void ss_simulation_totals(const ss_simulation *sim, ss_sim_totals *out);

// The friction problem that was solved last, its guess, its answer; arrays live until the next step.
// Bodies without contacts and joints are in it. Motors, and limits that are near, are contacts after those of bodies, with
// degrees of freedom of their own after those of bodies (docs/theory-dynamics.md). NULL before the first step.
SS_API const ss_problem *ss_simulation_problem(const ss_simulation *sim, ss_solution *guess,
                                               ss_solution *answer);

// The two sides of a contact of that problem, as in ss_joint (of a motor or limit: those of its joint); false: there is
// no such contact.
SS_API bool ss_simulation_problem_sides(const ss_simulation *sim, int contact, int *a, int *b);

// ---- checkpoints -------------------------------------------------------------------------------

// Everything that the next steps depend on, in one block of bytes of this machine's byte order:
// loaded into a simulation of the same scene, it goes on bit for bit as the one that saved it.
// save: *bytes is the simulation's own memory, valid until the next call of it.
// load: SS_ERR_DATA for a block that is damaged or of another scene.
SS_API ss_error ss_simulation_save(ss_simulation *sim, const void **bytes, size_t *size);
SS_API ss_error ss_simulation_load(ss_simulation *sim, const void *bytes, size_t size);

#ifdef __cplusplus
}
#endif
