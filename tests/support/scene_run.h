// support/scene_run.h - scenes written in a test, run step by step, with the energy balance looked at in the end.
#pragma once

#include "scene_text.h"

static ss_context ctx;
static const double G = 9.81, PI = 3.14159265358979323846;

typedef struct run {
  ss_scene *scene;
  ss_simulation *sim;
  ss_sim_state s;
  ss_step_info info;
} run;

static inline run begin(const char *format, ...) {
  va_list list;
  va_start(list, format);
  run r = {.scene = scene_from(&ctx, format, list)};
  va_end(list);
  if (ss_simulation_create(&ctx, r.scene, &r.sim)) fail_msg("%s", ctx.message);
  ss_simulation_state(r.sim, &r.s);
  return r;
}

static inline run begin_builtin(const char *name) {
  const char *found, *text;
  run r = {0};
  for (int k = 0; (found = ss_scene_builtin(k, NULL, &text)); k++)
    if (strcmp(found, name) == 0) break;
  assert_non_null(found);
  if (ss_scene_parse(&ctx, name, text, strlen(text), &r.scene)) fail_msg("%s", ctx.message);
  return r;
}

static inline void build(run *r) {
  if (ss_simulation_create(&ctx, r->scene, &r->sim)) fail_msg("%s", ctx.message);
  ss_simulation_state(r->sim, &r->s);
}

static inline void step(run *r) {
  if (ss_simulation_step(r->sim, &r->info)) fail_msg("%s", ctx.message);
  ss_simulation_state(r->sim, &r->s);
}

static inline void solved_step(run *r) {
  step(r);
  if (r->info.unsolved)
    fail_msg("step %lld is not solved: error %g", (long long)r->s.step, r->info.error);
}

static inline void end(run *r) {
  ss_energy e;
  ss_simulation_energy(r->sim, &e);
  if (!(e.closure <= 1e-10)) fail_msg("the energy balance closes to %g only", e.closure);
  ss_simulation_destroy(r->sim);
  ss_scene_close(r->scene);
}

static inline double energy(const run *r) {
  ss_energy e;
  ss_simulation_energy(r->sim, &e);
  return e.kinetic + e.potential;
}
