// What a controller measures: joints, contact forces, points of bodies.
#include "base/error.h"
#include "dynamics/step/simulation.h"
#include "la/vec3.h"

static ss_error no_body(const ss_simulation *sim, int body) {
  return ssi_pool_answer(
      sim->pool, ssi_fail(sim->world.ctx, SS_ERR_ARGUMENT, "body %d of %d", body, sim->world.nb));
}

// ---- joints -----------------------------------------------------------------------------------

static void joint_forces(const ss_simulation *sim, int joint, ss_sim_joint *out) {
  const double *impulse = sim->view.joint_impulse + 6 * (size_t)joint;
  double h = sim->state.now.last_h;
  ssi_scale3(h > 0 ? 1 / h : 0, impulse, out->force);
  ssi_scale3(h > 0 ? 1 / h : 0, impulse + 3, out->moment);
}

static void joint_place(const ss_simulation *sim, const ssi_simjoint *j, ss_sim_joint *out) {
  const ss_pose *a = sim->state.pose + j->a;
  double R[9];
  ss_rotation(a->q, R);
  ss_pose_apply(a, j->at_a, out->anchor);
  if (j->kind == SS_JOINT_HINGE && sim->world.dim == 2)
    out->axis[2] = 1;
  else if (ssi_moves(j))
    ssi_rotate3(R, j->axis_a, out->axis);
}

ss_error ss_simulation_joint(const ss_simulation *sim, int joint, ss_sim_joint *out) {
  if (!sim || !out) return ssi_missing(NULL, "ss_simulation_joint");
  const ssi_world *w = &sim->world;
  if (joint < 0 || joint >= w->nj)
    return ssi_pool_answer(sim->pool,
                           ssi_fail(w->ctx, SS_ERR_ARGUMENT, "joint %d of %d", joint, w->nj));
  const ssi_simjoint *j = w->joint + joint;
  const double *motion = sim->view.joint_motion + 4 * (size_t)joint;
  *out = (ss_sim_joint){.name = w->scene->joints[joint].name,
                        .kind = j->kind,
                        .a = j->a,
                        .b = j->b,
                        .moves = ssi_moves(j),
                        .coordinate = motion[0],
                        .rate = motion[1],
                        .motor = motion[2],
                        .limit = motion[3]};
  joint_place(sim, j, out);
  joint_forces(sim, joint, out);
  return SS_OK;
}

// ---- contacts ---------------------------------------------------------------------------------

static bool is_or_any(int which, int wanted) {
  return wanted == SS_ANYTHING || which == wanted;
}

ss_error ss_simulation_contact_force(const ss_simulation *sim, int a, int b, double force[3]) {
  if (!sim || !force) return ssi_missing(NULL, "ss_simulation_contact_force");
  const ssi_world *w = &sim->world;
  double h = sim->state.now.last_h;
  if (a < 0 || a >= w->nb) return no_body(sim, a);
  if (b != SS_ANYTHING && (b >= w->nb || b == SS_WORLD || b <= SS_EXTERNAL - w->ne))
    return no_body(sim, b);
  ssi_set3(0, 0, 0, force);
  for (int i = 0; i < sim->view.contact_count; i++) {
    const ss_sim_contact *c = sim->view.contact + i;
    if (c->a == a && is_or_any(c->b, b)) ssi_add3(force, 1 / h, c->impulse, force);
    if (c->b == a && is_or_any(c->a, b)) ssi_add3(force, -1 / h, c->impulse, force);
  }
  return SS_OK;
}

// ---- points -----------------------------------------------------------------------------------

ss_error ss_simulation_point(const ss_simulation *sim, int body, const double at[3],
                             double position[3], double velocity[3]) {
  if (!sim || !at) return ssi_missing(NULL, "ss_simulation_point");
  if (body < 0 || body >= sim->world.nb) return no_body(sim, body);
  const ss_pose *pose = sim->state.pose + body;
  double own[3], there[3], arm[3], turned[3];
  ssi_pose_seen(&sim->world.body[body].frame, at, own);
  ss_pose_apply(pose, own, there);
  ssi_sub3(there, pose->x, arm);
  ssi_cross3(sim->view.spin + 3 * (size_t)body, arm, turned);
  if (position) ssi_copy3(there, position);
  if (velocity) ssi_add3(sim->view.velocity + 3 * (size_t)body, 1, turned, velocity);
  return SS_OK;
}
