// What a caller sees of a simulation.
#include <string.h>

#include "base/error.h"
#include "dynamics/step/simulation.h"
#include "la/vec3.h"

// In the body numbers of the scene: external k is SS_EXTERNAL - k.
static int seen_as(const ssi_world *w, int collider) {
  return collider < w->nb ? collider : SS_EXTERNAL - (collider - w->nb);
}

ss_error ssi_view_contacts(const ssi_world *w, ssi_step *step, ssi_view *view) {
  view->contact = SSI_TAKE(&step->work, step->touch_count, ss_sim_contact);
  if (step->work.failed)
    return ssi_fail(w->ctx, SS_ERR_MEMORY, "no memory for %d contacts", step->touch_count);
  for (int i = 0; i < step->touch_count; i++) {
    const ssi_touch *t = step->touch + i;
    const double *r = step->r + (size_t)i * w->dim, *u = step->u + (size_t)i * w->dim;
    ss_sim_contact *out = view->contact + i;
    *out = (ss_sim_contact){.a = t->c.a, .b = seen_as(w, t->c.b), .key = t->c.key};
    out->gap = t->c.gap;
    out->state = step->verdict[i].state;
    ssi_copy3(t->point, out->point);
    ssi_copy3(t->e[0], out->normal);
    for (int k = 0; k < w->dim; k++) {
      double velocity = k ? u[k] : u[k] - ssi_touch_term(t);
      ssi_add3(out->impulse, r[k], t->e[k], out->impulse);
      ssi_add3(out->velocity, velocity, t->e[k], out->velocity);
    }
  }
  view->contact_count = step->touch_count;
  return SS_OK;
}

void ssi_view_elements(const ssi_world *w, const ssi_flex *flex, ssi_view *view) {
  for (int k = 0; k < w->element_count; k++)
    memcpy(view->element_force + 6 * (size_t)k, flex->action[k].force, 6 * sizeof(double));
}

// Coordinate, rate, mean force of the motor and of the limits in the last part of the last step.
static void view_joints(const ssi_world *w, const ssi_state *s, double *out) {
  ssi_span here = {s->pose, s->pose, s->now.time, 0, NULL, 0};
  memset(out, 0, sizeof(double) * 4 * (size_t)w->nj);
  for (int k = 0; k < w->nj; k++) {
    ssi_action act;
    if (!ssi_moves(w->joint + k)) continue;
    ssi_coordinate_act(w, k, &here, s->v, s->coordinate, &act);
    out[4 * k] = s->coordinate[k];
    out[4 * k + 1] = ssi_coordinate_speed(w, &act, s->v) + act.given[0];
  }
  for (int k = 0; s->now.last_h > 0 && k < w->drive_count; k++)
    out[4 * w->drive[k].joint + (w->drive[k].kind == SSI_MOTOR ? 2 : 3)] +=
        s->drive[k] / s->now.last_h;
}

void ssi_view_motion(const ssi_world *w, const ssi_state *s, ssi_step *step, ssi_view *view) {
  ssi_turn(w, s, step);
  for (int i = 0; i < w->nb; i++) {
    const double *v = s->v + (size_t)i * w->per_body;
    double *velocity = view->velocity + 3 * (size_t)i, *spin = view->spin + 3 * (size_t)i;
    for (int k = 0; k < w->dim; k++) velocity[k] = v[k];
    if (w->dim == 2)
      spin[2] = v[2];
    else
      ssi_rotate3(step->rotation + 9 * (size_t)i, v + 3, spin);
  }
  for (int k = 0; k < w->ne; k++)
    ssi_imposed_pose(w->external + k, s->now.time, view->external_pose + k);
  if (w->nj) view_joints(w, s, view->joint_motion);
}

void ss_simulation_state(const ss_simulation *sim, ss_sim_state *out) {
  if (!out) return;
  if (!sim) {
    *out = (ss_sim_state){0};
    return;
  }
  *out = (ss_sim_state){.dim = sim->world.dim,
                        .body_count = sim->world.nb,
                        .external_count = sim->world.ne,
                        .contact_count = sim->view.contact_count,
                        .joint_count = sim->world.nj,
                        .element_count = sim->world.element_count,
                        .element_force = sim->view.element_force,
                        .step = sim->state.now.step,
                        .time = sim->state.now.time,
                        .pose = sim->state.pose,
                        .velocity = sim->view.velocity,
                        .spin = sim->view.spin,
                        .external_pose = sim->view.external_pose,
                        .contacts = sim->view.contact,
                        .joint_impulse = sim->view.joint_impulse,
                        .joint_motion = sim->view.joint_motion};
}

ss_error ss_simulation_body(const ss_simulation *sim, int body, ss_sim_body *out) {
  if (!sim || !out) return SS_ERR_ARGUMENT;
  if (body < 0 || body >= sim->world.nb)
    return ssi_pool_answer(
        sim->pool, ssi_fail(sim->world.ctx, SS_ERR_ARGUMENT, "body %d of %d", body, sim->world.nb));
  const ssi_simbody *b = sim->world.body + body;
  *out = (ss_sim_body){.name = b->name,
                       .shape = b->shape,
                       .frame = b->frame,
                       .material = b->material,
                       .mass = b->mass};
  ssi_copy3(b->inertia, out->inertia);
  return SS_OK;
}

const ss_shape *ss_simulation_external_shape(const ss_simulation *sim, int external) {
  if (!sim) return NULL;
  return external >= 0 && external < sim->world.ne ? sim->world.scene->externals[external].shape
                                                   : NULL;
}

void ss_simulation_totals(const ss_simulation *sim, ss_sim_totals *out) {
  if (!out) return;
  if (!sim) {
    *out = (ss_sim_totals){0};
    return;
  }
  *out = sim->state.now.totals;
  out->contacts_mean = out->steps ? (double)out->contact_sum / (double)out->steps : 0;
  out->time_detect_s = sim->times[0];
  out->time_solve_s = sim->times[1];
  out->time_s = sim->times[2];
}

const ss_problem *ss_simulation_problem(const ss_simulation *sim, ss_solution *guess,
                                        ss_solution *answer) {
  if (!sim) return NULL;
  if (!sim->step.problem.dim) return NULL;
  if (guess) *guess = (ss_solution){.r = sim->step.guess};
  if (answer)
    *answer = (ss_solution){.r = sim->step.r,
                            .u = sim->step.u,
                            .v = sim->step.v_new,
                            .l = sim->world.nl ? sim->step.l : NULL};
  return &sim->step.problem;
}
