// What the engines are given.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stickslip/stickslip.h>

#include "peer.h"

static void must(const ss_context *ctx, ss_error e) {
  if (!e) return;
  fprintf(stderr, "bench_peers: %s\n", ss_error_detail(ctx, e));
  exit(1);
}

// The walls stand at the same distance on all four sides.
static double width_of(const ss_scene *scene) {
  double most = 0;
  for (int k = 0; k < scene->external_count; k++)
    for (int i = 0; i < 2; i++) most = fmax(most, fabs(scene->externals[k].pose.x[i]));
  return most;
}

// Places and velocities are those that stickslip's own packing makes of the built-in scene.
static bool built_in(const char *name, peer_scene *s) {
  const char *found, *text;
  for (int k = 0; (found = ss_scene_builtin(k, NULL, &text)); k++)
    if (strcmp(found, name) == 0) break;
  if (!found) return false;
  ss_context ctx = {0};
  ss_scene *scene;
  ss_simulation *sim;
  ss_sim_state state;
  must(&ctx, ss_scene_parse(&ctx, name, text, strlen(text), &scene));
  must(&ctx, ss_simulation_create(&ctx, scene, &sim));
  ss_simulation_state(sim, &state);
  s->count = state.body_count;
  s->bodies = peer_take((size_t)s->count, sizeof *s->bodies);
  s->mu = scene->materials[0].mu, s->restitution = scene->materials[0].restitution;
  s->container = width_of(scene), s->duration = 5;
  memcpy(s->gravity, scene->gravity, sizeof s->gravity);
  for (int i = 0; i < s->count; i++) {
    ss_sim_body from;
    must(&ctx, ss_simulation_body(sim, i, &from));
    peer_body *b = &s->bodies[i];
    b->kind = PEER_SPHERE, b->mass = from.mass;
    b->half[0] = b->half[1] = b->half[2] = ss_shape_extent(from.shape);
    memcpy(b->position, state.pose[i].x, sizeof b->position);
    memcpy(b->velocity, state.velocity + 3 * i, sizeof b->velocity);
  }
  ss_simulation_destroy(sim);
  ss_scene_close(scene);
  return true;
}

static void stack(peer_scene *s, int count, const double *masses, double half) {
  s->count = count, s->bodies = peer_take((size_t)count, sizeof *s->bodies);
  s->mu = 0.5, s->duration = 10;
  for (int i = 0; i < count; i++) {
    peer_body *b = &s->bodies[i];
    b->kind = PEER_BOX, b->half[0] = b->half[1] = b->half[2] = half;
    b->mass = masses ? masses[i] : 1000 * 8 * half * half * half;
    b->position[2] = (2 * i + 1) * half;
  }
}

static void slope(peer_scene *s) {
  double angle = 15 * acos(-1) / 180;
  stack(s, 1, NULL, 0.5);
  s->duration = 5;
  s->gravity[0] = 9.81 * sin(angle), s->gravity[2] = -9.81 * cos(angle);
}

bool peer_scene_build(const char *name, peer_scene *s) {
  static const double heavy[] = {1, 1000};
  *s = (peer_scene){.name = name, .gravity = {0, 0, -9.81}};
  if (strncmp(name, "beads-", 6) == 0) return built_in(name, s);
  if (strcmp(name, "slope") == 0) return slope(s), true;
  if (strcmp(name, "tower") == 0) return stack(s, 20, NULL, 0.5), true;
  if (strcmp(name, "heavy") == 0) return stack(s, 2, heavy, 0.5), true;
  return false;
}
