// dynamics/step/step.h - what one step makes, and the phases that make it, in their order (docs/architecture.md).
//
//   place      rotations, externals: where everything is, and how externals move in the step
//   comply     joints: velocities that they do not allow end in an impulse                  (hold.c)
//   begin      which limits of joints are near                                              (drive.c)
//   predict    loads, velocities without reactions, but with springs                        (predict.c, flex.c)
//   detect     contacts, their laws and gap terms                                           (detect.c)
//   scout      which of the far contacts the step needs                                     (scout.c)
//   assemble   the friction problem M, f, H, w, mu, G, b                                    (assemble.c, drive.c)
//   solve      the answer, and verify: what it is worth                                     (solve.c)
//   follow     again, where joints, elements or contacts ahead are not yet those of the answer
//                                                                                (hold.c, flex.c, ahead.c)
//   extend     contacts that the answer closes and the problem did not have: solve again    (handover.c)
//   balance    energies                                                                     (balance.c)
//   move       poses and velocities of the state                                            (step.c)
//
// A phase reads what is const in its signature: the world never changes, the state only where a phase says so.
#pragma once

#include "dynamics/scene/drives.h"
#include "dynamics/step/state.h"
#include "la/anderson.h"
#include "la/factor.h"

typedef struct ssi_joint_block {  // change of the joints' Phi over h: G^T v + given
  ss_sparse G;
  double *given;  // by what is moved from outside                     (nl)
  double *error;  // Phi at the beginning                              (nl)
} ssi_joint_block;

typedef struct ssi_hold {  // hold.c
  ssi_joint_block begin, mean, end;
  double *answer;          // v~_1 of the last pass, and after it                       (ndof)
  double *kick, *next;     // k, and what the last answer would have it changed by      (nl)
  double *first, *second;  // sigma M^-1 G_0 k, M^-1 G_1 k                               (ndof)
  double *theta;           // of the bodies                                             (nb)
  double *sigma;           // of the bodies                                             (nb)
  double (*energy)[2];     // of the kicks by groups, twice                             (nb)
  bool *touched;           // groups that have contacts or motors                       (nb)
  bool *stopped;           // groups that are at a limit                                (nb)
  ss_pose *to;             // where it takes the bodies                                 (nb)
  double rate;             // of correction: 1/h or 0
  int passes;
  double *scratch;  //                                                           (2 nl)
  ssi_anderson passing;
  double *weight;  // of answer and kick                                             (ndof + nl)
} ssi_hold;

typedef struct ssi_flex {  // flex.c; nothing where there are no elements
  ss_sparse A;             // the matrix of the problem, in place of M
  double *diagonal;        // of A                                                       (nall)
  ssi_factor *factor;      // of A; NULL before the first
  ssi_action *action;  // at the last answer                                         (element_count)
  double *impulse;     // of all of them there                                       (ndof)
  double *answer;      // v_1 of the last pass                                       (nall)
  double *theta;       // of the bodies                                              (nb)
  bool *bound;         // bodies that elements are at                                (nb)
  ss_pose *to;         // where it takes the bodies                                  (nb)
  double *scratch;     //                                                            (nall)
  int passes;
  bool lost;  // passes ran away, or an angle is not defined
} ssi_flex;

// drive.c: a motor or a limit in the step
typedef struct ssi_pull {
  bool in;         // in the problem
  ssi_action act;  // its coordinate over the step
  double length;   // what the row of the coordinate is multiplied with
  double shift;    // w of the problem is length times this
  double slack;    // e/(length sqrt(m)) of a motor that yields; 0: it does not
  double term;     // of a limit: what its gap and the joints' kicks are in shift
  double bound;    // of a motor: r_N; and
  bool own;        // whether that is its max_force
  double impulse;  // along the coordinate: a guess, then the answer
} ssi_pull;

typedef struct ssi_drives {
  ssi_pull *pull;  // (drive_count)
  int count;       // in the problem: contacts after those of touch
} ssi_drives;

// ahead.c; nothing where contacts are taken at the beginning of the step
typedef struct ssi_ahead {
  double *answer;        // v~_1 that the bodies are moved along                             (ndof)
  ss_pose *pose;         // where it takes them                                              (nb)
  double *rotation;      // there                                                            (9 nb)
  int passes;            // 0: contacts are still those of the beginning
  ssi_anderson passing;  // without joints, which have their own
  double *weight;        // of answer                                                        (ndof)
} ssi_ahead;

// Passes of joints, of elements and of contacts ahead end when what they change is less than SSI_PASS_ENOUGH of the
// velocities, in the metric of the masses: two digits above rounding. SSI_PASS_POOR is what a step may still be taken with
// when they do not come to an end. Joints and contacts go by Anderson's method with SSI_PASS_RULE.
enum { SSI_PASSES = 40 };
#define SSI_PASS_ENOUGH 1e-12
#define SSI_PASS_POOR   1e-6
#define SSI_PASS_RULE                                                                              \
  ((ssi_anderson_rule){.memory = 6, .period = 1, .regularisation = 1e-14, .growth = 4})

// One contact of the step, with what the problem is made of.
typedef struct ssi_touch {
  ss_contact c;     // at the beginning of the step
  double point[3];  // where it acts: c.point, or
  bool ahead;       // that at the end of the step, and all that follows with it
  bool stays;       // not ahead in this step
  double e[3][3];   // frame, normal first
  double mu, restitution;
  double
      u0[3];  // relative velocity with the velocities before the step and the imposed motion of it
  double w[3];    // imposed motion
  double bounce;  // e u_N^-                        w_N of the problem is
  double drift;   // gap term                       w[0] + bounce + drift + kick + bow
  double open;    // what drift is, or would be without a bounce: the gap that may close, over h
  double kick;    // normal velocity of joints' kicks
  double bow;     // ahead: (change of the gap)/h - u_N, the part that is not linear in the motion
  double bend;    // <= 0: second-order part of the gap at the end of the step, in drift
  bool far;       // only other reactions can close it
  bool held;      // pushed in the last step: what gap it has is the scheme's own
  double lost;    // of that, what the last step added beyond h u_N
} ssi_touch;

static inline double ssi_touch_term(const ssi_touch *t) {
  return t->bounce + t->drift + t->kick + t->bow;
}

typedef struct ssi_outcome {  // of one solve
  ss_info info;
  bool solved;
  bool rounded;  // only to the floor of rounding, above the tolerance
  double error;
  double apart;  // ss_step_info
} ssi_outcome;

typedef struct ssi_question {  // whether the problem being solved has a solution at all (solve.c)
  ss_context *ctx;
  const ss_problem *p;
  bool asked;
  ss_doubt answer;
} ssi_question;

typedef struct ssi_step {
  double h;        // of this part: the scene's step, or a half, a quarter, ... of it
  ssi_arena work;  // arrays below that depend on the number of contacts

  // place
  double *rotation;       // R of each body, row-major                     (9 nb)
  ssi_twist *twist;       // of the externals                              (ne)
  ss_collider *collider;  // bodies, then externals                        (nb + ne)
  double *
      external_reach;  // where others hold bodies of the scene, too: of externals, over all of them; else NULL (ne)

  // predict
  double *load;    // loads: force (3), moment about the centre (3), world axes   (6 nb)
  double *v_free;  // velocities without reactions                  (nall)
  double *gyro;    // gyroscopic impulse, body axes                 (3 nb)
  double *f;       // -M v_free                                     (nall)

  // detect, scout, extend
  ssi_touch *touch;  // sorted by bodies and key                      (touch_count)
  int touch_count;
  double penetration;  // largest overlap seen

  // assemble
  ss_problem problem;
  double *guess;  // (m)
  ssi_hold hold;
  ssi_drives drives;
  ssi_flex flex;
  ssi_ahead ahead;

  // solve, verify
  double *r, *u, *v_new, *l;    // (m, m, nall, nl)
  ss_contact_verdict *verdict;  // (touch_count + drives.count)

  // move
  double *v_move;  // what takes the bodies from pose to pose            (ndof)

  // tools that keep memory from step to step and nothing else
  ss_detector *detector;
  ss_solver *solver, *aside;  // of the step's problem, of others; NULL before the first solve
  double solver_tol;

  // what may end the step before it is solved: its own limit, or the caller (solve.c)
  const ss_options *heard;  // of the scene: progress, stop
  double end_s;             // by the clock; INFINITY: never
  bool late;                // and it was
  ss_status cut;            // SS_CANCELLED or SS_TIME_LIMIT where a solve was cut short by that
  ssi_question question;
} ssi_step;

// What a caller sees of the last step.
typedef struct ssi_view {
  ss_sim_contact *contact;  // (contact_count)
  int contact_count;
  double *velocity, *spin;  // world axes                                    (3 nb)
  ss_pose *external_pose;   // (ne)
  double *joint_impulse;    // (6 nj)
  double *joint_motion;     // (4 nj)
  double *element_force;    // (6 element_count)
} ssi_view;

// step.c
void ssi_turn(const ssi_world *w, const ssi_state *s, ssi_step *step);  // rotation
void ssi_place(const ssi_world *w, const ssi_state *s, double h, ssi_step *step);
ss_error ssi_step_part(const ssi_world *w, ssi_state *s, double h, ssi_step *step, ssi_view *view,
                       ss_step_info *info, bool *done);  // false in *done: not solved, not moved
ss_error ssi_step_first(const ssi_world *w, ssi_state *s, double h, ssi_step *step,
                        ss_step_info *info);  // before the first part of all
void ssi_displace(const ssi_world *w, double h, const double *v, ss_pose *pose);  // (nb), in place

// predict.c
ss_error ssi_predict(const ssi_world *w, const ssi_state *s, ssi_step *step);
void ssi_accelerate(const ssi_world *w, const ssi_state *s, ssi_step *step,
                    int body);  // v_free of it, not gyroscopic
// gyro of a body along v_move, added to v_free; spins: w_0 + w_1, own axes
void ssi_gyroscopic(const ssi_world *w, ssi_step *step, int body, const double spins[3]);

// detect.c: with drift "gap" and without joints far contacts are in the list too.
ss_error ssi_detect(const ssi_world *w, const ssi_state *s, ssi_step *step);
// Contacts within the reach of the bodies' velocities; `solved`: of v_new too.
ss_error ssi_find_contacts(const ssi_world *w, const ssi_state *s, bool solved, ssi_step *step,
                           ss_contacts *out);
// Colliders, externals too, where they are at `time`.
// How far points of external k that are near bodies come in the step.
double ssi_external_reach(const ssi_world *w, const ssi_state *s, const ssi_step *step, int k);
void ssi_set_colliders(const ssi_world *w, const ss_pose *pose, double time, ssi_step *step);
void ssi_touch_frame(const ssi_world *w, const double point[3], const double normal[3],
                     ssi_touch *t);  // point, e
ss_error ssi_take_touches(const ssi_world *w, ssi_step *step, int count, ssi_touch **out);
// The contact c as the step has it; `last`: its reaction in the last step, or NULL. *ahead: its gap at the end of the
// step with the velocities v. false: far.
bool ssi_touch_make(const ssi_world *w, const ssi_state *s, const ssi_step *step,
                    const ss_contact *c, const ssi_remembered *last, const double *v, ssi_touch *t,
                    double *ahead);
void ssi_touch_bound(const ssi_world *w, double h, bool closes, ssi_touch *t);  // bounce, drift
double ssi_closed_below(const ssi_world *w);  // gaps that count as none
bool ssi_outran(const ssi_world *w, const ssi_state *s, const ssi_step *step);
double ssi_speed(const ssi_world *w, int body, const double *v,
                 double extent);  // |velocity| + |spin| extent
void ssi_spin(const ssi_world *w, const ssi_step *step, int body, const double *v,
              double out[3]);  // world axes
void ssi_point_velocity(const ssi_world *w, const ssi_state *s, const ssi_step *step, int body,
                        const double *v, const double p[3], double out[3]);

// bend.c
double ssi_bend(const ssi_world *w, const ssi_state *s, const ssi_step *step, const ss_contact *c,
                const double *v);

// handover.c: what one solve hands to the next, within a step and from step to step.
int ssi_contact_order(int a, int b, uint64_t key, const ss_contact *c);  // -1, 0, 1
// The contact of the list that is c, or NULL; likewise the reaction at c. All are sorted; *at, 0 at first, goes along.
const ss_contact *ssi_contact_find(const ss_contacts *list, const ss_contact *c, int *at);
void ssi_forget_impulses(ssi_memory *m);  // what pushed did, but how much is not to be believed
const ssi_remembered *ssi_memory_find(const ssi_memory *m, const ss_contact *c, int *at);
bool ssi_memory_reserve(ss_context *ctx, ssi_memory *m, int count);  // false: no memory; is empty
void ssi_recall(const ssi_world *w, const ssi_state *s, const ssi_step *step, double *guess);
ss_error ssi_remember(const ssi_world *w, const ssi_step *step, bool taken, ssi_state *s);
ss_error ssi_extend(const ssi_world *w, const ssi_state *s, ssi_step *step, int *added);
// Its two halves: the longer list, *missed: there is a contact that must be in it; and taking it.
ss_error ssi_extend_find(const ssi_world *w, const ssi_state *s, ssi_step *step, ssi_touch **all,
                         int *count, bool *missed);
void ssi_extend_take(ssi_step *step, ssi_touch *all, int count);

// start.c: the velocities that a scene begins with become those of the scheme. After a detection.
ss_error ssi_start(const ssi_world *w, ssi_state *s, ssi_step *step);

// scout.c: takes out of touch what is far and not needed.
ss_error ssi_scout(const ssi_world *w, ssi_state *s, ssi_step *step, ss_step_info *info);

// assemble.c
ss_error ssi_assemble(const ssi_world *w, const ssi_state *s, ssi_step *step);
ss_error ssi_contact_rows(const ssi_world *w, const ssi_state *s, ssi_step *step,
                          const ssi_touch *touch, int count, ss_sparse *H);

// solve.c: r, u, v_new, l and verdict from problem and guess.
ss_error ssi_solve(const ssi_world *w, ssi_step *step, ssi_outcome *out);
// Another problem, to the scene's tolerance, not verified. r, v, l as in ss_solve.
ss_error ssi_solve_aside(const ssi_world *w, ssi_step *step, const ss_problem *p, double *r,
                         double *v, double *l, ss_info *info);

// joint_rows.c
ss_error ssi_joint_rows(const ssi_world *w, ssi_step *step, const ssi_span *span,
                        ssi_joint_block *out);
// The squares of |G^T v + b| and of the terms that it is the sum of.
void ssi_joint_size(const ssi_world *w, const ssi_step *step, const ss_sparse *G, const double *b,
                    const double *v, double *rate2, double *terms2);
void ssi_joint_impulses(const ssi_world *w, const ssi_state *s, const ssi_step *step,
                        double *out);  // (6 nj)

// hold.c: comply, then in passes aim (f, G, b of the problem), solve, follow (v_move; by how much the pass changed the
// answer), and kick where that was too much.
bool ssi_hold_create(const ssi_world *w, ssi_arena *arena, ssi_hold *hold);  // false: no memory
ss_error ssi_comply(const ssi_world *w, ssi_state *s, ssi_step *step);
ss_error ssi_hold_aim(const ssi_world *w, const ssi_state *s, ssi_step *step, double *b);
ss_error ssi_hold_follow(const ssi_world *w, const ssi_state *s, ssi_step *step, double *change);
void ssi_hold_again(ssi_hold *hold);  // the passes, of another problem
void ssi_hold_kick(const ssi_world *w, ssi_hold *hold);
double ssi_hold_impulse(const ssi_step *step, const ssi_simjoint *j,
                        int k);  // of its row k, all of it

// drive.c: begin (which are in the problem), then in passes aim (rows H, mu, w; ghosts), recall, solve, take (false: a motor
// needs more than it was given), extend by limits that the answer is beyond.
bool ssi_drives_ready(const ssi_world *w, ssi_arena *arena,
                      ssi_drives *drives);  // false: no memory
void ssi_drive_begin(const ssi_world *w, const ssi_state *s, ssi_step *step);
ss_error ssi_drive_aim(const ssi_world *w, const ssi_state *s, ssi_step *step, double *mu,
                       double *imposed);
void ssi_drive_recall(const ssi_world *w, const ssi_step *step, double *guess);
bool ssi_drive_take(const ssi_world *w, ssi_step *step);
void ssi_drive_extend(const ssi_world *w, const ssi_state *s, ssi_step *step, int *added);
const ssi_simjoint *ssi_drive_joint(const ssi_world *w, const ssi_step *step, int contact);
// Rows of all limits for displacements at the poses of s, after those of H, and what is left to each in w.
ss_error ssi_drive_keep(const ssi_world *w, const ssi_state *s, ssi_step *step, ss_sparse *H,
                        double *left);
void ssi_drive_balance(const ssi_world *w, const ssi_step *step, ssi_state *s);
void ssi_drive_move(const ssi_world *w, const ssi_step *step, ssi_state *s);
// Coordinates of joints: along v_move, before the bodies move; then as the poses have them.
void ssi_coordinates_follow(const ssi_world *w, const ssi_step *step, ssi_state *s);
void ssi_coordinates_settle(const ssi_world *w, ssi_state *s);

// flex.c: predict, then in passes assemble, solve, follow (what is missing in the answer's forces; aims at it).
bool ssi_flex_create(const ssi_world *w, ssi_arena *arena, ssi_flex *flex);  // false: no memory
ss_error ssi_flex_predict(const ssi_world *w, const ssi_state *s, ssi_step *step);
ss_error ssi_flex_aim(const ssi_world *w, const ssi_state *s, const double *answer,
                      ssi_step *step);  // with joints: v_free, v_move are set
ss_error ssi_flex_follow(const ssi_world *w, const ssi_state *s, ssi_step *step, double *missing);
void ssi_flex_settle(const ssi_world *w, const ssi_state *s, ssi_step *step);  // along v_move
void ssi_flex_wind(const ssi_world *w, const ssi_flex *flex, double *angle);   // at the end

// |x| over the velocities of a step that ends with v, in the metric of the masses
double ssi_relative(const ssi_world *w, const ssi_state *s, const ssi_step *step, const double *v,
                    const double *x);

// ahead.c: with contact_map "implicit", in passes place (contacts where the last answer ends), rows, bind (what of their
// gaps is not in u_N), solve, follow (by how much the pass changed the answer), next.
bool ssi_ahead_create(const ssi_world *w, ssi_arena *arena, ssi_ahead *ahead);  // false: no memory
ss_error ssi_ahead_place(const ssi_world *w, const ssi_state *s, ssi_step *step);
void ssi_ahead_bind(const ssi_world *w, const ssi_state *s, ssi_step *step);
ss_error ssi_ahead_follow(const ssi_world *w, const ssi_state *s, ssi_step *step, double *change);
void ssi_ahead_next(const ssi_world *w, const double *answer, ssi_ahead *ahead);

// project.c
ss_error ssi_push_out(const ssi_world *w, ssi_state *s, ssi_step *step);

// balance.c: all terms go to s->now.
void ssi_balance_begin(const ssi_world *w, ssi_state *s);
void ssi_balance_start(const ssi_world *w, const double *v, ssi_state *s);  // v for s->v
void ssi_balance_comply(const ssi_world *w, const ssi_step *step, const double *v, const double *l,
                        ssi_state *s);  // joints: v for s->v
void ssi_balance(const ssi_world *w, const ssi_step *step, ssi_state *s);
void ssi_balance_end(const ssi_world *w, ssi_state *s);  // kinetic and potential of the state
void ssi_record_energy(const ssi_record *n, ss_energy *out);
void ssi_balance_scale(ssi_record *n);  // the largest term so far
typedef struct ssi_work {               // terms of one body or contact
  double contact, external, correction, integrator;
} ssi_work;
ssi_work ssi_body_work(const ssi_world *w, const ssi_step *step, const ssi_state *s, int body);
ssi_work ssi_contact_work(const ssi_world *w, const ssi_step *step, int contact);
double ssi_body_kinetic(const ssi_world *w, const double *v, int body);  // twice
double ssi_body_potential(const ssi_world *w, const ss_pose *pose, int body);
double ssi_stored(const ssi_world *w, const ssi_state *s);  // potential energy, of elements too

// view.c
void ssi_view_elements(const ssi_world *w, const ssi_flex *flex, ssi_view *view);
ss_error ssi_view_contacts(const ssi_world *w, ssi_step *step,
                           ssi_view *view);  // before bodies move
void ssi_view_motion(const ssi_world *w, const ssi_state *s, ssi_step *step,
                     ssi_view *view);  // velocities, after
