// What a controller sets between steps: loads on bodies, motions of external objects, targets of motors.
#include <math.h>

#include "base/error.h"
#include "dynamics/scene/imposed.h"
#include "dynamics/step/simulation.h"
#include "la/vec3.h"

static const double nothing[3] = {0};

// Two vectors that must be numbers: NULL is zero.
static ss_error check_pair(const ssi_world *w, const char *const names[2], const double *pair[2]) {
  for (int i = 0; i < 2; i++) {
    if (!pair[i]) pair[i] = nothing;
    for (int k = 0; k < 3; k++)
      if (!isfinite(pair[i][k]))
        return ssi_fail(w->ctx, SS_ERR_ARGUMENT, "%s[%d] = %g, expected a finite number", names[i],
                        k, pair[i][k]);
  }
  return SS_OK;
}

static ss_error set_load(ss_simulation *sim, int body, const double *force, const double *moment) {
  const ssi_world *w = &sim->world;
  const double *pair[2] = {force, moment};
  if (body < 0 || body >= w->nb)
    return ssi_fail(w->ctx, SS_ERR_ARGUMENT, "load of body %d, expected 0 to %d", body, w->nb - 1);
  SS_TRY(check_pair(w, (const char *const[]){"force", "moment"}, pair));
  double *steer = sim->state.steer + 6 * (size_t)body;
  ssi_copy3(pair[0], steer);
  ssi_copy3(pair[1], steer + 3);
  return SS_OK;
}

ss_error ss_simulation_set_load(ss_simulation *sim, int body, const double force[3],
                                const double moment[3]) {
  if (!sim) return ssi_missing(NULL, "ss_simulation_set_load");
  return ssi_pool_answer(sim->pool, set_load(sim, body, force, moment));
}

// From where it is now, at this time.
static ss_error set_motion(ss_simulation *sim, int external, const double *velocity,
                           const double *spin) {
  ssi_world *w = &sim->world;
  const double *pair[2] = {velocity, spin};
  if (external < 0 || external >= w->ne)
    return ssi_fail(w->ctx, SS_ERR_ARGUMENT, "motion of external object %d, expected 0 to %d",
                    external, w->ne - 1);
  SS_TRY(check_pair(w, (const char *const[]){"velocity", "spin"}, pair));
  ss_external *e = w->external + external;
  ss_pose here;
  ssi_imposed_pose(e, sim->state.now.time, &here);
  e->pose = here;
  e->motion = (ss_motion){.kind = SS_MOTION_CONSTANT, .start = sim->state.now.time};
  ssi_copy3(pair[0], e->motion.velocity);
  ssi_copy3(pair[1], e->motion.spin);
  ssi_copy3(here.x, e->motion.centre);
  if (w->dim == 2) e->motion.velocity[2] = e->motion.spin[0] = e->motion.spin[1] = 0;
  w->told[external] = 1;
  return SS_OK;
}

ss_error ss_simulation_set_motion(ss_simulation *sim, int external, const double velocity[3],
                                  const double spin[3]) {
  if (!sim) return ssi_missing(NULL, "ss_simulation_set_motion");
  return ssi_pool_answer(sim->pool, set_motion(sim, external, velocity, spin));
}

static ss_error set_target(ss_simulation *sim, int joint, double target, double rate) {
  const ssi_world *w = &sim->world;
  if (joint < 0 || joint >= w->nj)
    return ssi_fail(w->ctx, SS_ERR_ARGUMENT, "target of joint %d, expected 0 to %d", joint,
                    w->nj - 1);
  ss_motor_kind kind = w->scene->joints[joint].motor.kind;
  if (kind == SS_MOTOR_NONE)
    return ssi_fail(w->ctx, SS_ERR_ARGUMENT, "target of joint %d, which has no motor", joint);
  if (!isfinite(target) || !isfinite(rate))
    return ssi_fail(w->ctx, SS_ERR_ARGUMENT, "target %g, rate %g, expected finite numbers", target,
                    rate);
  if (kind == SS_MOTOR_VELOCITY && rate != 0)
    return ssi_fail(w->ctx, SS_ERR_ARGUMENT,
                    "rate %g of the target of joint %d, expected 0: its motor is one of velocity",
                    rate, joint);
  sim->state.aim[joint] = (ssi_aim){.told = 1, .target = target, .rate = rate};
  return SS_OK;
}

ss_error ss_simulation_set_target(ss_simulation *sim, int joint, double target, double rate) {
  if (!sim) return ssi_missing(NULL, "ss_simulation_set_target");
  return ssi_pool_answer(sim->pool, set_target(sim, joint, target, rate));
}
