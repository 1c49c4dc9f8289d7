// stickslip/scene.h - what a rigid body simulation starts from: bodies, external objects, joints, springs, loads,
// and how to step. Plain data, made by hand or read from a JSON file (docs/scenes.md).
//
// Units are the user's own, all consistent (SI in the built-in scenes). In 2D the plane is z = 0: of
// vectors only x and y count, of rotations only z (angles counterclockwise).
//
// Everything a scene points to is borrowed and must outlive the simulation made from it.
#pragma once

#include "stickslip/shape.h"
#include "stickslip/solver.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- what things are made of -----------------------------------------------------------------

typedef struct ss_material {
  const char *name;
  double mu;           // friction coefficient against itself, >= 0
  double restitution;  // Newton's e in [0, 1], of approaches faster than step times gravity
  double density;      // > 0; mass per volume (2D: per area)
} ss_material;

// The law of one pair of materials. Without one: mu = sqrt(mu_a mu_b), e = min(e_a, e_b).
typedef struct ss_pair_law {
  int a, b;  // materials, in any order
  double mu, restitution;
} ss_pair_law;

typedef struct ss_body {
  const char *name;       // unique; NULL: none
  const ss_shape *shape;  // bounded
  int material;
  double mass;         // 0: from the density
  double inertia[3];   // moments about the centre of mass along the principal axes (2D: [2]);
                       // all 0: of the shape, uniform
  bool uneven;         // its mass is not spread over the shape evenly: mass, centre and inertia are
                       // given, the latter along the axes of the shape's frame
  double centre[3];    // uneven: of mass, in the shape's frame
  double products[3];  // uneven: xy, xz, yz of the inertia tensor, the moments are its diagonal
  bool ghost;          // touches nothing: only joints, elements and loads act on it
  ss_pose pose;        // of the shape's frame
  double velocity[3];  // of the centre of mass
  double spin[3];      // angular velocity, world axes
} ss_body;

// ---- external objects: they move as they are told, whatever pushes them ------------------------

typedef enum ss_motion_kind {
  SS_MOTION_FIXED,
  SS_MOTION_CONSTANT,  // displacement velocity t, turned by spin t about `centre`
  SS_MOTION_HARMONIC,  // displacement velocity s(t), turned by spin s(t) about `centre`,
                       // s(t) = sin(2 pi frequency t + phase) - sin(phase)
  SS_MOTION_TABLE,     // displacement and rotation vector interpolated linearly in a table
} ss_motion_kind;

// Time runs from `start` to `stop`: before and after, the object stands still. The pose at t is
//   x(t) = c + d(t) + R(t) (x0 - c),   R(t) = exp(angle vector),   c: `centre`.
typedef struct ss_motion {
  ss_motion_kind kind;
  double velocity[3];  // harmonic: amplitude, a length
  double spin[3];      // world axes; harmonic: amplitude, an angle
  double centre[3];    // world
  double frequency, phase;
  double start, stop;   // stop = 0: never
  int rows;             // table: 7 numbers each, t d_x d_y d_z a_x a_y a_z, t increasing;
  const double *table;  // the first and the last row hold beyond their times
} ss_motion;

typedef struct ss_external {
  const char *name;  // NULL: none
  const ss_shape *shape;
  int material;
  ss_pose pose;  // at t = 0
  ss_motion motion;
  double surface
      [3];  // velocity of its surface against itself, world axes: a belt. Only its part along the
            // tangent of a contact counts
} ss_external;

// ---- generators: many bodies from a few numbers ------------------------------------------------

typedef enum ss_generator_kind {
  SS_GENERATE_PACKING,  // `count` bodies of random size in a box, apart from each other
  SS_GENERATE_GRID,     // cells[0] x cells[1] x cells[2] copies, `spacing` apart
  SS_GENERATE_WALL,     // cells[0] blocks per row, cells[1] rows, running bond
  SS_GENERATE_STACK,    // `count` copies, each `spacing` from the one before
  SS_GENERATE_ARCH,     // `count` voussoirs on a circle, from one springing to the other
  SS_GENERATE_CARDS,    // a house of cards of `count` storeys
} ss_generator_kind;

typedef struct ss_generator {
  ss_generator_kind kind;
  const char *name;       // bodies are called name.0, name.1, ...; NULL: not named
  const ss_shape *shape;  // packing, grid, stack (NULL for the others)
  int material;
  int count;
  int cells[3];
  double low[3], high[3];   // packing: the box; other kinds: low is where it stands, see docs
  double size[3];           // wall: of a block; cards: length, thickness, width of a card;
                            // arch: inner radius, thickness, depth
  double angle;             // arch: angle of the whole, symmetric about the vertical;
                            // cards: of a leaning card against the vertical
  double spacing[3];        // grid, stack
  double spread;            // packing of spheres: radii times 1 +- spread, uniform
  double speed;             // packing: random velocities up to this
  bool turned;              // packing: random orientations
  double mass, mass_ratio;  // mass 0: from the density; stack: each times mass_ratio (0: 1) heavier
  double velocity[3], spin[3];
  uint64_t seed;
} ss_generator;

// ---- joints ------------------------------------------------------------------------------------

// A body by its number: those of `bodies`, then those of the generators, in order. Otherwise:
enum { SS_WORLD = -1, SS_EXTERNAL = -2 };  // SS_EXTERNAL - k: external object k

typedef enum ss_joint_kind {
  SS_JOINT_BALL,    // a point in common
  SS_JOINT_HINGE,   // and an axis (2D: the same as ball)
  SS_JOINT_SLIDER,  // only sliding along an axis, no rotation
  SS_JOINT_FIXED,
} ss_joint_kind;
SS_API const char *ss_joint_kind_name(ss_joint_kind kind);  // "ball", ...; NULL past the last

typedef enum ss_motor_kind {
  SS_MOTOR_NONE,
  SS_MOTOR_VELOCITY,  // turns or pushes a against b so that the coordinate's rate is the target
  SS_MOTOR_POSITION,  // servo: stiffness (target - coordinate) + damping (rate of the target - rate)
} ss_motor_kind;
SS_API const char *ss_motor_kind_name(ss_motor_kind kind);  // "none", ...; NULL past the last

// A motor at the coordinate of a hinge (the angle of a against b about the axis) or a slider (how far a has gone along
// the axis, as b carries it), with no more than max_force (hinge: moment). The coordinate is 0 at t = 0, and counts turns.
typedef struct ss_motor {
  ss_motor_kind kind;
  double target;     // rate, or coordinate
  double stiffness;  // position: > 0
  double damping;    // position: >= 0; velocity: force per missing rate, 0: as much as it takes
  double max_force;  // > 0; INFINITY: no limit, but for velocity without damping
  int rows;  // > 0: the target, linear in a table of rows (t, target), t increasing, the first and the last
  const double *table;  // hold beyond their times
} ss_motor;

typedef struct ss_joint {
  const char *name;  // NULL: none
  ss_joint_kind kind;
  int a, b;                // a: a body; b: a body, SS_WORLD or external
  double anchor[3];        // world, at t = 0
  double axis[3];          // world, at t = 0; hinge, slider
  bool collide;            // do the two still collide?
  bool has_low, has_high;  // hinge, slider: low <= coordinate <= high, low <= 0 <= high
  double low, high;
  ss_motor motor;  // hinge, slider
} ss_joint;

// ---- force elements ----------------------------------------------------------------------------

typedef enum ss_spring_kind {
  SS_SPRING_LINEAR,     // pulls two points towards each other
  SS_SPRING_TORSIONAL,  // turns a and b back about an axis
} ss_spring_kind;
SS_API const char *ss_spring_kind_name(ss_spring_kind kind);  // "linear", ...; NULL past the last

// A spring, a damper, or both beside each other: the tension (torsional: the moment) is
//   T = f(x) + g(x'),   x = length - rest  or  angle of a against b - rest,
// f and g linear or from tables. Two points that coincide have no direction, and no tension.
typedef struct ss_spring {
  const char *name;  // NULL: none
  ss_spring_kind kind;
  int a, b;         // as in ss_joint
  bool at_a, at_b;  // linear: has an anchor; else the centre of mass, the origin of an
  double anchor_a[3], anchor_b[3];  // external's frame, the world's origin. World, at t = 0
  double axis[3];                   // torsional in 3D; world, at t = 0
  double stiffness, damping;        // >= 0
  bool relaxed;                     // rest length is that at t = 0
  double rest;  // length >= 0, or angle; the angle is 0 at t = 0 and counts turns
  int rows,
      damping_rows;  // 0: linear; else of tables (x, f), (x', g), x increasing, linear between
  const double *table, *damping_table;  // rows and constant beyond them
} ss_spring;

// Six linear springs and dampers between a frame that a carries and one that b carries, the same at t = 0: along
// the axes of b's, and about them (2D: two along, [2] about z).
typedef struct ss_bushing {
  const char *name;  // NULL: none
  int a, b;          // as in ss_joint
  ss_pose frame;     // world, at t = 0
  double stiffness[3], damping[3];
  double rotational_stiffness[3], rotational_damping[3];
} ss_bushing;

// ---- loads -------------------------------------------------------------------------------------

// factor(t) times a force (at a point of the body) and a moment, world axes.
typedef struct ss_load {
  int body;
  double force[3], moment[3];
  double point[3];     // where, in the frame of the body's shape
  bool at_point;       // false: at the centre of mass
  double start, stop;  // factor 0 outside; stop = 0: never
  int rows;            // factor: linear in a table of rows (t, factor), t increasing, the first and
  const double *table;      // the last hold beyond their times; rows = 0: factor 1
  double frequency, phase;  // > 0: and times sin(2 pi frequency (t - start) + phase)
} ss_load;

// ---- stepping ----------------------------------------------------------------------------------

typedef enum ss_drift {
  SS_DRIFT_GAP,         // u_N + gap/h >= 0: a gap may close, not more; overlap is opened again
  SS_DRIFT_PROJECTION,  // positions are moved out of overlap after each step
  SS_DRIFT_NONE,        // velocities only
} ss_drift;
SS_API const char *ss_drift_name(ss_drift d);  // "gap", "projection", "none"; NULL past the last

// Where the rows H of contacts, their gaps and frames are taken (docs/simulate-contact-map.md).
typedef enum ss_contact_map {
  SS_MAP_EXPLICIT,  // at the beginning of a step
  SS_MAP_IMPLICIT,  // at its end, found in passes
} ss_contact_map;
SS_API const char *ss_contact_map_name(ss_contact_map m);  // "explicit", "implicit"; NULL past it

typedef enum ss_unsolved { SS_UNSOLVED_STOP, SS_UNSOLVED_HALVE, SS_UNSOLVED_GO } ss_unsolved;
SS_API const char *ss_unsolved_name(ss_unsolved u);  // "stop", "halve", "go"; NULL past the last

typedef struct ss_stepping {
  double step;        // h > 0
  double duration;    // > 0: the end; with until_rest: at the latest
  bool until_rest;    // ends when no shape moved faster than rest_speed in the last rest_steps
  double rest_speed;  // steps (as ss_step_info.speed); 0: 1 % of the gain of a step of free fall
  int rest_steps;
  double theta;  // in [1/2, 1]; 1: fully implicit
  ss_drift drift;
  ss_contact_map contact_map;
  bool
      least_norm;  // of the reactions with the same velocities, those of least norm (ss_least_norm)
  double recovery;  // part of an overlap that is taken back in one step, in (0, 1]
  double margin;    // contacts are kept up to margin + reach apart; 0: chosen
  ss_unsolved unsolved;
  int halvings;  // most halvings of one step
  // Seconds of computing for one step, which is then unsolved (SS_TIME_LIMIT); 0: no limit. A clock decides: such
  // a run is not the same on another machine, nor twice on the same.
  double limit_s;
} ss_stepping;

typedef struct ss_output {
  int every;      // steps between saved states
  bool contacts;  // save contact forces too
} ss_output;

// What to do with bodies that overlap at the start by more than 0.2 % of the smaller one's extent.
typedef enum ss_overlap { SS_OVERLAP_REFUSE, SS_OVERLAP_PUSH } ss_overlap;

typedef struct ss_scene {
  int dim;  // 2 or 3
  const char *title;
  double gravity[3];
  const ss_material *materials;
  int material_count;  // >= 1 where there are bodies
  const ss_pair_law *laws;
  int law_count;
  const ss_body *bodies;
  int body_count;
  const ss_generator *generators;
  int generator_count;
  const ss_external *externals;
  int external_count;
  const ss_joint *joints;
  int joint_count;
  const ss_spring *springs, *dampers;  // the two differ by their name only
  int spring_count, damper_count;
  const ss_bushing *bushings;
  int bushing_count;
  const ss_load *loads;
  int load_count;
  ss_overlap overlap;
  ss_stepping stepping;
  ss_options solver;
  ss_output output;
} ss_scene;

SS_API ss_scene ss_scene_default(int dim);  // empty, gravity 9.81 downwards (y in 2D, z in 3D)

// Bytes that a simulation of it takes, about, from the number of its bodies; nothing is built for that. 0: NULL.
SS_API double ss_scene_memory(const ss_scene *scene);

// ---- JSON files --------------------------------------------------------------------------------

// path "-" is standard input. Errors name file and JSON pointer: "s.json: /bodies/3/mass: ...".
// Everything the scene points to, shapes included, belongs to it.
SS_API ss_error ss_scene_open(ss_context *ctx, const char *path, ss_scene **out);
SS_API ss_error ss_scene_parse(ss_context *ctx, const char *name, const char *text, size_t size,
                               ss_scene **out);
SS_API void ss_scene_close(ss_scene *scene);  // NULL allowed; only for scenes opened here

// The scenes that come with the library: name, one line about it, its JSON text. NULL past the last.
SS_API const char *ss_scene_builtin(int index, const char **about, const char **text);

#ifdef __cplusplus
}
#endif
