// What a caller sees of a simulation.
#include <string.h>

#include "base/error.h"
#include "dynamics/step/sim.h"
#include "dynamics/vec3.h"

// In the body numbers of the scene: external k is SS_EXTERNAL - k.
static int seen_as(const ss_simulation *s, int collider) {
  return collider < s->nb ? collider : SS_EXTERNAL - (collider - s->nb);
}

ss_error ssi_sim_view(ss_simulation *s) {
  s->contact = SSI_TAKE(&s->work, s->touch_count, ss_sim_contact);
  if (s->work.failed)
    return ssi_fail(s->ctx, SS_ERR_MEMORY, "no memory for %d contacts", s->touch_count);
  for (int i = 0; i < s->touch_count; i++) {
    const ssi_touch *t = s->touch + i;
    const double *r = s->r + (size_t)i * s->dim, *u = s->u + (size_t)i * s->dim;
    ss_sim_contact *out = s->contact + i;
    *out = (ss_sim_contact){.a = t->c.a, .b = seen_as(s, t->c.b), .key = t->c.key};
    out->gap = t->c.gap;
    out->state = s->verdict[i].state;
    ssi_copy3(t->c.point, out->point);
    ssi_copy3(t->c.normal, out->normal);
    for (int k = 0; k < s->dim; k++) {
      double velocity = k ? u[k] : u[k] - ssi_touch_term(t);
      ssi_add3(out->impulse, r[k], t->e[k], out->impulse);
      ssi_add3(out->velocity, velocity, t->e[k], out->velocity);
    }
  }
  s->contact_count = s->touch_count;
  return SS_OK;
}

void ssi_sim_view_motion(ss_simulation *s) {
  ssi_sim_turn(s);
  for (int i = 0; i < s->nb; i++) {
    const double *v = s->v + (size_t)i * s->per_body;
    double *velocity = s->velocity + 3 * (size_t)i, *spin = s->spin + 3 * (size_t)i;
    for (int k = 0; k < s->dim; k++) velocity[k] = v[k];
    if (s->dim == 2)
      spin[2] = v[2];
    else
      ssi_rotate3(s->rotation + 9 * (size_t)i, v + 3, spin);
  }
  for (int k = 0; k < s->ne; k++)
    ssi_imposed_pose(s->scene->externals + k, s->now.time, s->external_pose + k);
}

void ss_simulation_state(const ss_simulation *s, ss_sim_state *out) {
  *out = (ss_sim_state){.dim = s->dim,
                        .body_count = s->nb,
                        .external_count = s->ne,
                        .contact_count = s->contact_count,
                        .joint_count = s->nj,
                        .step = s->now.step,
                        .time = s->now.time,
                        .pose = s->pose,
                        .velocity = s->velocity,
                        .spin = s->spin,
                        .external_pose = s->external_pose,
                        .contacts = s->contact,
                        .joint_impulse = s->joint_impulse};
}

ss_error ss_simulation_body(const ss_simulation *s, int body, ss_sim_body *out) {
  if (!s || !out) return SS_ERR_ARGUMENT;
  if (body < 0 || body >= s->nb)
    return ssi_fail(s->ctx, SS_ERR_ARGUMENT, "body %d of %d", body, s->nb);
  const ssi_simbody *b = s->body + body;
  *out = (ss_sim_body){.name = b->name,
                       .shape = b->shape,
                       .frame = b->frame,
                       .material = b->material,
                       .mass = b->mass};
  ssi_copy3(b->inertia, out->inertia);
  return SS_OK;
}

const ss_shape *ss_simulation_external_shape(const ss_simulation *s, int external) {
  return external >= 0 && external < s->ne ? s->scene->externals[external].shape : NULL;
}

void ss_simulation_totals(const ss_simulation *s, ss_sim_totals *out) {
  *out = s->now.totals;
  out->contacts_mean = out->steps ? (double)out->contact_sum / (double)out->steps : 0;
  out->time_detect_s = s->times[0];
  out->time_solve_s = s->times[1];
  out->time_s = s->times[2];
}

const ss_problem *ss_simulation_problem(const ss_simulation *s, ss_solution *guess,
                                        ss_solution *answer) {
  if (!s->problem.dim) return NULL;
  if (guess) *guess = (ss_solution){.r = s->guess};
  if (answer)
    *answer = (ss_solution){.r = s->r, .u = s->u, .v = s->v_new, .l = s->nl ? s->l : NULL};
  return &s->problem;
}
