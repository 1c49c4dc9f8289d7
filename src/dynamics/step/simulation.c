// The life of a simulation: create, steps (whole, or halved where they are not solved), their count, the end.
#include "dynamics/step/simulation.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/timer.h"
#include "la/vec3.h"

// ---- life cycle -------------------------------------------------------------------------------

static bool take_step(const ssi_world *w, ssi_arena *a, ssi_step *step) {
  size_t nb = (size_t)w->nb, ndof = (size_t)w->ndof;
  step->rotation = SSI_TAKE(a, 9 * nb, double);
  step->twist = SSI_TAKE(a, w->ne, ssi_twist);
  step->collider = SSI_TAKE(a, nb + (size_t)w->ne, ss_collider);
  step->load = SSI_TAKE(a, 6 * nb, double);
  step->v_free = SSI_TAKE(a, w->nall, double);
  step->gyro = SSI_TAKE(a, 3 * nb, double);
  step->f = SSI_TAKE(a, w->nall, double);
  step->v_new = SSI_TAKE(a, w->nall, double);
  step->v_move = SSI_TAKE(a, ndof, double);
  if (a->failed || (w->nl && !ssi_hold_create(w, a, &step->hold))) return false;
  if (!ssi_drives_ready(w, a, &step->drives)) return false;
  if (w->scene->stepping.contact_map == SS_MAP_IMPLICIT && !ssi_ahead_create(w, a, &step->ahead))
    return false;
  return !w->element_count || ssi_flex_create(w, a, &step->flex);
}

static bool take_rest(const ssi_world *w, ssi_arena *a, ss_simulation *sim) {
  size_t nb = (size_t)w->nb, ndof = (size_t)w->ndof;
  sim->state.pose = SSI_TAKE(a, nb, ss_pose);
  sim->state.v = SSI_TAKE(a, ndof, double);
  sim->state.angle = SSI_TAKE(a, w->angle_count, double);
  sim->state.steer = SSI_TAKE(a, 6 * nb, double);
  sim->state.coordinate = SSI_TAKE(a, w->nj, double);
  sim->state.aim = SSI_TAKE(a, w->nj, ssi_aim);
  sim->state.drive = SSI_TAKE(a, w->drive_count, double);
  sim->before.coordinate = SSI_TAKE(a, w->nj, double);
  sim->before.drive = SSI_TAKE(a, w->drive_count, double);
  sim->before.angle = SSI_TAKE(a, w->angle_count, double);
  sim->before.pose = SSI_TAKE(a, nb, ss_pose);
  sim->before.v = SSI_TAKE(a, ndof, double);
  sim->view.velocity = SSI_TAKE(a, 3 * nb, double);
  sim->view.spin = SSI_TAKE(a, 3 * nb, double);
  sim->view.external_pose = SSI_TAKE(a, w->ne, ss_pose);
  sim->view.element_force = SSI_TAKE(a, 6 * (size_t)w->element_count, double);
  sim->view.joint_impulse = SSI_TAKE(a, 6 * (size_t)w->nj, double);
  sim->view.joint_motion = SSI_TAKE(a, 4 * (size_t)w->nj, double);
  return !a->failed;
}

static void begin_state(const ssi_world *w, ssi_state *s) {
  for (int i = 0; i < w->nb; i++) {
    s->pose[i] = w->body[i].start;
    memcpy(s->v + (size_t)i * w->per_body, w->body[i].velocity,
           sizeof(double) * (size_t)w->per_body);
  }
}

static ss_error make_detector(const ssi_world *w, ssi_step *step) {
  for (int i = 0; i < w->nb; i++) step->collider[i].shape = w->body[i].shape;
  for (int k = 0; k < w->ne; k++)
    step->collider[w->nb + k] =
        (ss_collider){.shape = w->scene->externals[k].shape, .external = true};
  ss_collide_options o = ss_collide_options_default();
  o.margin = w->length.near;
  if (w->apart_count || w->ghosts) {
    o.skip = ssi_world_apart;
    o.user = w;
  }
  return ss_detector_create(w->ctx, w->dim, &o, &step->detector);
}

static ss_error fill(const ss_scene *scene, ss_simulation *sim) {
  ssi_world *w = &sim->world;
  SS_TRY(ssi_world_create(sim->arena.ctx, scene, &sim->arena, w));
  if (!take_step(w, &sim->arena, &sim->step) || !take_rest(w, &sim->arena, sim))
    return ssi_fail(w->ctx, SS_ERR_MEMORY, "no memory for a simulation of %d bodies", w->nb);
  begin_state(w, &sim->state);
  SS_TRY(make_detector(w, &sim->step));
  ssi_balance_begin(w, &sim->state);
  ssi_view_motion(w, &sim->state, &sim->step, &sim->view);
  return ssi_refuse_overlap(sim);
}

ss_error ss_simulation_create(ss_context *ctx, const ss_scene *scene, ss_simulation **out) {
  if (!out || !scene) return ssi_fail(ctx, SS_ERR_ARGUMENT, "ss_simulation_create: null argument");
  *out = NULL;
  ssi_pool *pool = ssi_pool_create(ctx);
  ssi_arena arena = {.ctx = pool ? ssi_pool_context(pool) : NULL};
  ss_simulation *sim = pool ? SSI_TAKE(&arena, 1, ss_simulation) : NULL;
  if (!sim) {
    ssi_pool_destroy(pool);
    return ssi_fail(ctx, SS_ERR_MEMORY, "no memory for a simulation");
  }
  sim->pool = pool;
  sim->arena = arena;
  sim->step.work.ctx = arena.ctx;
  ss_error e = ssi_pool_answer(pool, fill(scene, sim));
  if (e) {
    ss_simulation_destroy(sim);
    return e;
  }
  ssi_pool_keep(pool);
  *out = sim;
  return SS_OK;
}

void ss_simulation_destroy(ss_simulation *sim) {
  if (!sim) return;
  ssi_pool *pool = sim->pool;
  ss_context *ctx = ssi_pool_context(pool);
  ss_solver_destroy(sim->step.solver);
  ss_solver_destroy(sim->step.aside);
  ss_detector_destroy(sim->step.detector);
  ssi_factor_destroy(sim->step.flex.factor);
  ssi_shapes_release(ctx, &sim->world.shapes);
  ssi_release(ctx, sim->state.memory.list);
  ssi_release(ctx, sim->before.memory.list);
  ssi_release(ctx, sim->checkpoint);
  ssi_arena_release(&sim->step.work);
  ssi_arena_release_home(sim->arena);
  ssi_pool_destroy(pool);
}

// ---- a step and its parts ---------------------------------------------------------------------

// h, or h/2 twice, and so on as deep as the scene allows.
static ss_error parts(ss_simulation *sim, double h, int depth, ss_step_info *info, bool *done) {
  const ss_stepping *o = &sim->world.scene->stepping;
  SS_TRY(ssi_step_part(&sim->world, &sim->state, h, &sim->step, &sim->view, info, done));
  if (*done || sim->step.cut || o->unsolved != SS_UNSOLVED_HALVE || depth >= o->halvings)
    return SS_OK;
  for (int half = 0; half < 2; half++) {
    SS_TRY(parts(sim, h / 2, depth + 1, info, done));
    if (!*done) return SS_OK;
  }
  return SS_OK;
}

// Coming back never fails: the memory was as long before.
static ss_error copy_state(const ssi_world *w, const ssi_state *from, ssi_state *to) {
  int count = from->memory.count;
  if (!ssi_memory_reserve(w->ctx, &to->memory, count))
    return ssi_fail(w->ctx, SS_ERR_MEMORY, "no memory for %d contacts", count);
  to->memory.count = count;
  if (count) memcpy(to->memory.list, from->memory.list, sizeof *to->memory.list * (size_t)count);
  to->now = from->now;
  if (!w->nb) return SS_OK;
  memcpy(to->pose, from->pose, sizeof(ss_pose) * (size_t)w->nb);
  memcpy(to->v, from->v, sizeof(double) * (size_t)w->ndof);
  if (w->angle_count) memcpy(to->angle, from->angle, sizeof(double) * (size_t)w->angle_count);
  if (w->nj) memcpy(to->coordinate, from->coordinate, sizeof(double) * (size_t)w->nj);
  if (w->drive_count) memcpy(to->drive, from->drive, sizeof(double) * (size_t)w->drive_count);
  return SS_OK;
}

void ssi_count_step(ss_sim_totals *t, const ss_step_info *info) {
  t->steps++;
  t->unsolved_steps += info->unsolved > 0;
  t->halved_steps += info->parts > 1;
  t->rounded_steps += info->rounded > 0;
  t->accepted_steps += info->accepted > 0;
  t->contact_sum += info->contacts;
  t->active_sum += info->active;
  t->solve_sum += info->solves;
  t->iteration_sum += info->iterations;
  if (info->contacts > t->contacts_max) t->contacts_max = info->contacts;
  if (info->solves > t->solves_max) t->solves_max = info->solves;
  t->penetration_max = fmax(t->penetration_max, info->penetration);
  t->error_max = fmax(t->error_max, info->error);
}

// A bound on the speed of the surface of any shape: |v| + |w| extent. A ball that turns about its centre
// fills the space it filled before, so that only |v| counts: friction at a point has no moment about the
// normal, and a ball may spin about it for ever while everything rests.
double ssi_fastest_shape(const ssi_world *w, int body, const double *v) {
  bool ball = ss_shape_kind_of(w->body[body].shape) == SS_SPHERE;  // centred: see world.c
  return ssi_speed(w, body, v, ball ? 0 : w->body[body].extent);
}

static double fastest_shape(const ssi_world *w, const ssi_state *s) {
  double most = 0;
  for (int i = 0; i < w->nb; i++) most = fmax(most, ssi_fastest_shape(w, i, s->v));
  return most;
}

// Where the scene does not say: a part of what one step of falling gains.
static const double REST_SPEED = 0.01;

// Half a step of tolerance: 0.3 s is three steps of 0.1 s, whatever their sum is.
bool ssi_duration_over(const ss_stepping *o, double time) {
  return time >= o->duration - o->step / 2;
}

void ssi_look_for_the_end(const ssi_world *w, double speed, ssi_record *now) {
  const ss_stepping *o = &w->scene->stepping;
  double rest_speed = o->rest_speed;
  if (!(rest_speed > 0)) rest_speed = REST_SPEED * ssi_norm3(w->scene->gravity) * o->step;
  now->resting = speed <= rest_speed ? now->resting + 1 : 0;
  if (o->until_rest && now->resting >= o->rest_steps)
    now->end = SSI_END_REST;
  else if (ssi_duration_over(o, now->time))
    now->end = SSI_END_DURATION;
}

static void begin_watch(const ssi_world *w, ssi_step *step) {
  double limit = w->scene->stepping.limit_s;
  step->end_s = limit > 0 ? ssi_now_s() + limit : INFINITY;
  step->late = false;
  step->cut = SS_UNSOLVED;
}

// What was cut short in a solve beside the step's own (a projection) leaves the step unsolved, too.
static void judge_cut(const ssi_world *w, const ssi_step *step, ss_step_info *info, bool *done) {
  if (!step->cut) return;
  info->status = step->cut;
  info->unsolved += *done && !info->unsolved;
  *done = *done && step->cut == SS_TIME_LIMIT && w->scene->stepping.unsolved == SS_UNSOLVED_GO;
  if (!*done) info->unsolved = 0;
}

static void count_taken(const ssi_world *w, ssi_state *s, ss_step_info *info) {
  s->now.step++;
  s->now.time = (double)s->now.step * w->scene->stepping.step;  // no drift of the sum
  ssi_count_step(&s->now.totals, info);
  info->speed = fastest_shape(w, s);
  ssi_look_for_the_end(w, info->speed, &s->now);
}

void ssi_count_unsolved(ssi_record *now, ss_step_info *info) {
  info->unsolved++;
  now->totals.unsolved_steps++;
  now->totals.error_max = fmax(now->totals.error_max, info->error);
  now->totals.penetration_max = fmax(now->totals.penetration_max, info->penetration);
  now->end = SSI_END_UNSOLVED;
}

static ss_error whole_step(ss_simulation *sim, ss_step_info *info) {
  const ssi_world *w = &sim->world;
  ssi_state *s = &sim->state;
  double h = w->scene->stepping.step;
  bool done = false;
  SS_TRY(copy_state(w, s, &sim->before));
  begin_watch(w, &sim->step);
  s->now.end = 0;
  ss_error e = s->now.step == 0 ? ssi_step_first(w, s, h, &sim->step, info) : SS_OK;
  if (!e) e = parts(sim, h, 0, info, &done);
  if (!e) judge_cut(w, &sim->step, info, &done);
  if (e || !done) {
    copy_state(w, &sim->before, s);
    sim->view.contact_count = 0;
  }
  SS_TRY(e);
  if (done)
    count_taken(w, s, info);
  else if (info->status != SS_CANCELLED)
    ssi_count_unsolved(&s->now, info);
  ssi_view_motion(w, s, &sim->step, &sim->view);
  info->time = s->now.time;
  return SS_OK;
}

ss_error ss_simulation_step(ss_simulation *sim, ss_step_info *info) {
  if (!sim) return ssi_fail(NULL, SS_ERR_ARGUMENT, "ss_simulation_step: null argument");
  double begin = ssi_now_s();
  ss_step_info here = {.h = sim->world.scene->stepping.step, .margin = NAN, .criterion = -1};
  SS_TRY(ssi_pool_answer(sim->pool, whole_step(sim, &here)));
  ssi_pool_age(sim->pool);
  here.time_s = ssi_now_s() - begin;
  sim->times[0] += here.time_detect_s;
  sim->times[1] += here.time_solve_s;
  sim->times[2] += here.time_s;
  if (info) *info = here;
  return SS_OK;
}

bool ss_simulation_done(const ss_simulation *sim) {
  if (!sim) return true;
  return sim->state.now.end != 0;
}

const char *ss_simulation_end(const ss_simulation *sim) {
  if (!sim) return NULL;
  static const char *const names[] = {NULL, "rest", "duration", "unsolved"};
  return names[sim->state.now.end];
}
