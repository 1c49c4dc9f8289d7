// mpi/crowd.h - the bodies of a scene that several processes simulate: the share of one of them.
//
// Bodies are ordered along a Morton curve by where they are now, a function of the state alone; a rank owns a range of
// the curve, with pose, velocity and what its contacts held in the last step. What never changes (shapes, masses) every
// rank has of all bodies. One step, with the phases of dynamics/step/step.h on a world of owned bodies and ghosts:
//
//   order     keys of the curve; bodies that left their rank's range go to its owner            (crowd_order.c)
//   ghosts    bodies of other ranks that may touch one of this rank within the step             (crowd_ghosts.c)
//   local     a world of both, numbered as the bodies are                                       (crowd_local.c)
//   detect    contacts, each by the owner of its lower-numbered body
//   solve     numbered along the curve, cut into domains, swept, judged: mpi/share.h            (crowd_system.c,
//             crowd_solve.c)
//   move      owned bodies; sums of the energies are exact, in any order                        (crowd_step.c)
//
// Which contacts there are, their order, their domains and all sums depend on the state only: every number is the same
// for every number of ranks.
#pragma once

#include <petscsf.h>

#include "dynamics/step/simulation.h"
#include "mpi/share.h"

typedef struct crowd_body {  // what goes from rank to rank
  int number;                // in the scene
  int work;                  // contacts that it had in the last step
  uint64_t key;              // on the curve
  ss_pose pose;
  double v[6];
} crowd_body;

typedef struct crowd_reaction {  // ssi_remembered in the numbers of the scene; goes with body a
  int a, b;                      // b >= bodies: external
  int64_t held;
  uint64_t key;
  double impulse[3], gap;
} crowd_reaction;

typedef struct crowd_bodies {  // of this rank
  crowd_body *body;            // along the curve; for free()
  crowd_reaction *reaction;    // by a, b, key; for free()
  int64_t count, reactions;
} crowd_bodies;

typedef struct crowd_local {  // owned bodies and ghosts, by their numbers; for one part of a step
  ssi_arena arena;
  int count, owned;
  int *number, *owner;  // (count)
  int64_t *place;       // on the curve                                   (count)
  bool *own;            // (count)
  double reach;         // how far bodies may come so that no contact is missed for want of a ghost
  PetscSF dofs;    // leaves: dofs of local bodies; roots: even shares of all dofs along the curve
  ss_scene scene;  // with the loads of local bodies
  ssi_world world;
  ssi_state state;
  ssi_step step;
  ssi_view view;
} crowd_local;

typedef struct crowd_options {
  double domain;    // contacts in a domain
  double momentum;  // of sweeps
  int max_sweeps;   // of one solve
  int check_every;  // sweeps between residuals
  int split_every;  // steps between partitions by counted work
} crowd_options;

enum {
  CROWD_ORDER,
  CROWD_DETECT,
  CROWD_BUILD,
  CROWD_SWEEP,
  CROWD_JUDGE,
  CROWD_MOVE,
  CROWD_WRITE,
  CROWD_PHASES
};

typedef struct crowd_counts {  // of this rank, never of a result
  int64_t migrated, shifted;   // bodies that left a range, and that a new range took
  int64_t ghosts;
  int64_t bytes;         // sent to other ranks
  int64_t bytes_sweeps;  // of these, by sweeps
  double cpu_s[CROWD_PHASES];
  double sweeps_s;  // processor time of sweeps without waiting
} crowd_counts;

typedef struct crowd {
  ranks *c;
  const ss_scene *scene;
  crowd_options o;
  ssi_arena arena;
  ssi_world world;         // all bodies: what never changes
  double origin[3], edge;  // of the curve's cells
  double extent;           // mean of the bodies
  ssi_record now;
  crowd_bodies mine;
  uint64_t *split;  // keys from split[r] on are rank r's                (size + 1)
  bool split_anew;  // bodies have not followed yet
  crowd_local here;
  ss_detector *detector;
  crowd_counts counts;
  double times[3];  // as in ss_simulation

  bool (*stop)(void *user);  // asked at every residual, on all ranks alike
  void *user;
  const char *dump;  // the problem of the next solves and its answer go here; NULL: nowhere
} crowd;

// crowd.c. What the scene has that is not for several processes is refused by name. Collective.
ss_error crowd_create(ranks *c, const ss_scene *scene, const crowd_options *o, crowd *out);
void crowd_destroy(crowd *m);
void crowd_start(crowd *m);  // the bodies as the scene has them; even shares by number
void crowd_bodies_release(crowd_bodies *b);

// crowd_order.c. After crowd_place bodies of this rank are in order; *first: place of the first. Collective.
void crowd_partition(crowd *m);  // ranges of even work; bodies go where they belong
void crowd_place(crowd *m, int64_t *first);

// crowd_ghosts.c. Bodies of other ranks that may come near one of this rank's while none goes farther than `reach`; for
// free(). Collective.
typedef struct crowd_peer {
  int number, owner;
  int64_t place;
  ss_pose pose;
  double v[6];
} crowd_peer;
crowd_peer *crowd_ghosts(crowd *m, int64_t first, double reach, int64_t *count);

// crowd_local.c. Collective.
ss_error crowd_gather(crowd *m, double h, double reach);
int64_t crowd_first_dof(const crowd *m, int64_t *count);  // even share of all dofs
void crowd_dofs_up(crowd *m, const double *local, double *shares);
void crowd_dofs_down(crowd *m, const double *shares, double *local);
// Of numbers >= 0, one per local body: the largest of all its copies.
void crowd_bodies_most(crowd *m, double *local);
void crowd_local_release(crowd_local *l);

// crowd_system.c: the contacts of step.touch as a problem that ranks share. Collective.
typedef struct crowd_system {
  share_source from;
  share s;
  int64_t contacts;  // of all ranks; with 0 nothing else is there
  int64_t *number;   // of each touch                                     (touch_count)
  PetscSF rows;      // leaves: touches; roots: contacts of the share
  bool made;
} crowd_system;
ss_error crowd_system_create(crowd *m, const double *guess, crowd_system *out);
void crowd_system_answer(crowd *m, crowd_system *y);                   // step.r, u, verdict
void crowd_system_impose(crowd *m, crowd_system *y, const double *w);  // another w, by touches
ss_error crowd_system_velocities(crowd *m, crowd_system *y);           // step.v_new
void crowd_system_release(crowd_system *y);

// crowd_solve.c: step.r, u, v_new and verdict of the contacts in step.touch. Collective.
ss_error crowd_solve(crowd *m, ss_step_info *info, ssi_outcome *out);
ss_error crowd_prepare(crowd *m, crowd_system *y);  // the problem, with reactions from memory
void crowd_count_sweeps(crowd *m, const share *s, int sweeps);

// crowd_scout.c: takes out of step.touch what is far and not needed. Collective.
ss_error crowd_scout(crowd *m, ss_step_info *info);

// crowd_step.c. As ss_simulation_step. Collective.
ss_error crowd_step(crowd *m, ss_step_info *info);
double crowd_cpu_s(crowd *m, int phase, double since);  // adds what was used since; now
