// stickslip: Moreau time stepping, exact cone, every step solved to a tolerance and verified.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stickslip/stickslip.h>

#include "peer.h"

enum { PLANES = 5 };

typedef struct engine {
  ss_context ctx;
  ss_scene scene;
  ss_material material;
  ss_shape **shapes;  // one per body, then the plane
  ss_body *bodies;
  ss_external planes[PLANES];
  ss_setting settings[sizeof peer_ours.settings / sizeof peer_ours.settings[0]];
  ss_simulation *sim;
  int count;
  int unsolved;
  double solve_s;
} engine;

peer_choice peer_ours = {.tol = 1e-6};

static void must(engine *e, ss_error error) {
  if (!error) return;
  fprintf(stderr, "stickslip: %s\n", ss_error_detail(&e->ctx, error));
  exit(1);
}

// The plane's own normal is z; half turns and quarter turns bring it to the walls.
static void add_planes(engine *e, double container) {
  const double s = 0.70710678118654752;
  const double turns[PLANES][4] = {
      {1, 0, 0, 0}, {s, 0, s, 0}, {s, 0, -s, 0}, {s, -s, 0, 0}, {s, s, 0, 0}};
  const double places[PLANES][2] = {{0, 0}, {-1, 0}, {1, 0}, {0, -1}, {0, 1}};
  must(e, ss_shape_plane(&e->ctx, 3, &e->shapes[e->count]));
  for (int k = 0; k < PLANES; k++) {
    e->planes[k] = (ss_external){.shape = e->shapes[e->count], .pose = ss_pose_identity()};
    memcpy(e->planes[k].pose.q, turns[k], sizeof turns[k]);
    for (int i = 0; i < 2; i++) e->planes[k].pose.x[i] = container * places[k][i];
  }
  e->scene.externals = e->planes;
  e->scene.external_count = container > 0 ? PLANES : 1;
}

static void add_body(engine *e, int i, const peer_body *b) {
  if (b->kind == PEER_SPHERE)
    must(e, ss_shape_sphere(&e->ctx, 3, b->half[0], &e->shapes[i]));
  else
    must(e, ss_shape_box(&e->ctx, 3, b->half, &e->shapes[i]));
  e->bodies[i] = (ss_body){.shape = e->shapes[i], .mass = b->mass, .pose = ss_pose_identity()};
  memcpy(e->bodies[i].pose.x, b->position, sizeof b->position);
  memcpy(e->bodies[i].velocity, b->velocity, sizeof b->velocity);
}

static void choose(engine *e) {
  ss_options *o = &e->scene.solver;
  o->tol = peer_ours.tol, o->max_iter = peer_ours.max_iter;
  o->time_limit_s = peer_ours.time_limit_s;
  if (peer_ours.solver) o->method = peer_ours.solver;
  for (int k = 0; k < peer_ours.setting_count; k++)
    e->settings[k] = (ss_setting){peer_ours.settings[k].key, peer_ours.settings[k].value};
  o->settings = e->settings, o->setting_count = peer_ours.setting_count;
}

static void *create(const peer_scene *scene) {
  engine *e = peer_take(1, sizeof *e);
  e->count = scene->count;
  e->shapes = peer_take((size_t)scene->count + 1, sizeof *e->shapes);
  e->bodies = peer_take((size_t)scene->count, sizeof *e->bodies);
  e->scene = ss_scene_default(3);
  e->material = (ss_material){.name = "all", .mu = scene->mu, .density = 1};
  e->material.restitution = scene->restitution;
  e->scene.materials = &e->material, e->scene.material_count = 1;
  memcpy(e->scene.gravity, scene->gravity, sizeof scene->gravity);
  for (int i = 0; i < scene->count; i++) add_body(e, i, &scene->bodies[i]);
  e->scene.bodies = e->bodies, e->scene.body_count = scene->count;
  add_planes(e, scene->container);
  e->scene.stepping.step = scene->step;
  e->scene.stepping.duration = 2 * scene->duration;  // the caller counts the steps
  e->scene.stepping.unsolved = SS_UNSOLVED_GO;
  choose(e);
  must(e, ss_simulation_create(&e->ctx, &e->scene, &e->sim));
  return e;
}

static void step(void *self) {
  engine *e = self;
  ss_step_info info;
  double begin = peer_cpu_s();
  must(e, ss_simulation_step(e->sim, &info));
  double share = info.time_s > 0 ? info.time_solve_s / info.time_s : 0;  // both by the clock
  e->solve_s += share * (peer_cpu_s() - begin);
  e->unsolved += info.unsolved > 0;
}

static double solve_s(void *self) {
  return ((engine *)self)->solve_s;
}

static int unsolved(void *self) {
  return ((engine *)self)->unsolved;
}

static void state(void *self, int body, peer_state *out) {
  ss_sim_state s;
  ss_simulation_state(((engine *)self)->sim, &s);
  memcpy(out->position, s.pose[body].x, sizeof out->position);
  ss_rotation(s.pose[body].q, out->rotation);
  memcpy(out->linear, s.velocity + 3 * body, sizeof out->linear);
  memcpy(out->angular, s.spin + 3 * body, sizeof out->angular);
}

static int contacts(void *self, peer_contact *out, int room) {
  engine *e = self;
  ss_sim_state s;
  ss_simulation_state(e->sim, &s);
  ss_solution guess, answer;
  const ss_problem *p = ss_simulation_problem(e->sim, &guess, &answer);  // contacts in this order
  int n = s.contact_count < room ? s.contact_count : room;
  for (int k = 0; k < n; k++) {
    const ss_sim_contact *c = &s.contacts[k];
    out[k] = (peer_contact){.a = c->a, .b = c->b < 0 ? -1 : c->b};
    out[k].bias = p->w[3 * k];  // gap term and restitution
    for (int side = 0; side < 2; side++) memcpy(out[k].point[side], c->point, sizeof c->point);
    memcpy(out[k].normal, c->normal, sizeof c->normal);
    memcpy(out[k].impulse, c->impulse, sizeof c->impulse);
  }
  return n;
}

static void destroy(void *self) {
  engine *e = self;
  ss_simulation_destroy(e->sim);
  for (int i = 0; i <= e->count; i++) ss_shape_destroy(e->shapes[i]);
  free(e->shapes);
  free(e->bodies);
  free(e);
}

const peer_engine peer_stickslip = {.name = "stickslip",
                                    .setting = "exact cone, every step solved and verified",
                                    .create = create,
                                    .step = step,
                                    .state = state,
                                    .contacts = contacts,
                                    .solve_s = solve_s,
                                    .unsolved = unsolved,
                                    .destroy = destroy};
