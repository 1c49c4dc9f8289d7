// The energy balance of a step, term by term, none of them as what is left of the others.
//
// With v' = (v_{k+1} + v_k)/2, kinetic energy changes by v' . M (v_{k+1} - v_k): every impulse works on
// the mean velocity. The centre moves with v_theta, so gravity's work differs from the loss of
// potential energy by -h (theta - 1/2) m g . (v_{k+1} - v_k):
//
//   contact      r . u' + r_N drift/2,  u' = ((H v_k + w) + (H v_{k+1} + w))/2
//   external     h F_theta . v' - r . w - l . b_imposed
//   correction   -r_N drift/2 - l . b_drift/2, and potential energy that projections add
//   integrator   -h (theta - 1/2) m g . (v_{k+1} - v_k), gyroscopic impulse . v'
//   element      what dampers take; springs keep theirs in the elastic energy (scene/elements.h)
//   joint        l . (G^T v_k + b_imposed)/2: what the last step's velocity has left to do in joints that
//                have turned since
#include "dynamics/step/simulation.h"
#include "la/vec3.h"

double ssi_body_kinetic(const ssi_world *w, const double *v, int body) {
  double sum = 0;
  for (int k = body * w->per_body; k < (body + 1) * w->per_body; k++)
    sum += w->mass[k] * v[k] * v[k];
  return sum;
}

static double kinetic(const ssi_world *w, const double *v) {
  double sum = 0;
  for (int k = 0; k < w->ndof; k++) sum += w->mass[k] * v[k] * v[k];
  return sum / 2;
}

static double elastic(const ssi_world *w, const ssi_state *s) {
  ssi_span here = {s->pose, s->pose, s->now.time, 0, NULL, 0};
  double sum = 0;
  for (int k = 0; k < w->element_count; k++) {
    ssi_action act;
    ssi_element_act(w, w->element + k, &here, s->v, 1, s->angle, false, &act);
    sum += act.potential;
  }
  return sum;
}

double ssi_body_potential(const ssi_world *w, const ss_pose *pose, int body) {
  double moved[3];
  ssi_sub3(pose->x, w->body[body].start.x, moved);
  return -(w->body[body].mass * ssi_dot3(w->scene->gravity, moved));
}

static double potential(const ssi_world *w, const ssi_state *s) {
  double sum = 0;
  for (int i = 0; i < w->nb; i++) sum += ssi_body_potential(w, s->pose + i, i);
  return sum;
}

double ssi_stored(const ssi_world *w, const ssi_state *s) {
  return potential(w, s) + elastic(w, s);
}

// The scale of the balance is at least what a step of free fall and a fall by a body's size give.
void ssi_balance_begin(const ssi_world *w, ssi_state *s) {
  double g = ssi_norm3(w->scene->gravity), fall = g * w->scene->stepping.step;
  s->now.kinetic = kinetic(w, s->v);
  s->now.elastic = elastic(w, s);
  s->now.largest = s->now.start = s->now.kinetic + s->now.elastic;
  for (int i = 0; i < w->nb; i++)
    s->now.largest += w->body[i].mass * (fall * fall / 2 + g * w->body[i].extent);
}

ssi_work ssi_body_work(const ssi_world *w, const ssi_step *step, const ssi_state *s, int i) {
  const ssi_simbody *b = w->body + i;
  const double *v0 = s->v + (size_t)i * w->per_body, *v1 = step->v_new + (size_t)i * w->per_body;
  const double *load = step->load + 6 * (size_t)i, *g = w->scene->gravity;
  const double *moved = step->v_move + (size_t)i * w->per_body;
  double work = 0, gravity = 0, turn = 0, moment[3];
  for (int k = 0; k < w->dim; k++) {
    work += load[k] * (v0[k] + v1[k]) / 2;
    gravity += g[k] * ((v0[k] + v1[k]) / 2 - moved[k]);
  }
  if (w->dim == 2) {
    work += load[5] * (v0[2] + v1[2]) / 2;
  } else {
    ssi_unrotate3(step->rotation + 9 * (size_t)i, load + 3, moment);
    for (int k = 0; k < 3; k++) {
      double mean = (v0[3 + k] + v1[3 + k]) / 2;
      work += moment[k] * mean;
      turn += step->gyro[3 * (size_t)i + (size_t)k] * mean;
    }
  }
  return (ssi_work){.external = step->h * work, .integrator = turn + step->h * b->mass * gravity};
}

static void balance_body(const ssi_world *w, const ssi_step *step, int i, ssi_state *s) {
  ssi_work done = ssi_body_work(w, step, s, i);
  ssi_sum_add(&s->now.external, done.external);
  ssi_sum_add(&s->now.integrator, done.integrator);
}

ssi_work ssi_contact_work(const ssi_world *w, const ssi_step *step, int i) {
  const ssi_touch *t = step->touch + i;
  const double *r = step->r + (size_t)i * w->dim, *u = step->u + (size_t)i * w->dim;
  double work = 0, imposed = 0;
  for (int k = 0; k < w->dim; k++) {
    double after = k ? u[k] : u[k] - ssi_touch_term(t);
    work += r[k] * (t->u0[k] + after) / 2;
    imposed += r[k] * t->w[k];
  }
  double correction = r[0] * (t->drift + t->kick + t->bow) / 2;
  return (ssi_work){.contact = work + correction, .external = -imposed, .correction = -correction};
}

static void balance_contact(const ssi_world *w, const ssi_step *step, int i, ssi_state *s) {
  ssi_work done = ssi_contact_work(w, step, i);
  ssi_sum_add(&s->now.contact, done.contact);
  ssi_sum_add(&s->now.correction, done.correction);
  ssi_sum_add(&s->now.external, done.external);
}

// All that joints do: l at the mean rows, and the kicks at both ends.
static void balance_joints(const ssi_world *w, const ssi_step *step, ssi_state *s) {
  const ssi_hold *hold = &step->hold;
  const ss_sparse *G = &step->problem.G;
  double work = 0, drift = 0, imposed = 0;
  for (int dof = 0; dof < w->ndof; dof++) {
    double push = w->mass[dof] * (hold->first[dof] - hold->second[dof]);
    for (int64_t k = G->ptr[dof]; k < G->ptr[dof + 1]; k++) push += G->x[k] * step->l[G->col[k]];
    work += push * (s->v[dof] + step->v_new[dof]) / 2;
  }
  for (int j = 0; j < w->nj; j++)
    for (int i = 0, k = w->joint[j].row; i < w->joint[j].rows; i++, k++) {
      drift += step->l[k] * hold->rate * hold->mean.error[k];
      imposed += ssi_hold_impulse(step, w->joint + j, i) * hold->mean.given[k];
    }
  ssi_sum_add(&s->now.joint, work + imposed + drift);
  ssi_sum_add(&s->now.external, -imposed);
  ssi_sum_add(&s->now.correction, -drift);
}

// With p its impulses: p . v' = p . v_move + p . (v' - v_move), and the first is what scene/elements.h says.
static void balance_element(const ssi_world *w, const ssi_step *step, const ssi_action *act,
                            ssi_state *s) {
  double given = 0, scheme = -act->numerical;
  for (int m = 0; m < act->n; m++) {
    double apart = 0;  // B (v' - v_move)
    for (int side = 0; side < 2; side++)
      for (int d = 0; act->body[side] >= 0 && d < w->per_body; d++) {
        size_t k = (size_t)act->body[side] * w->per_body + (size_t)d;
        apart += act->row[m][side][d] * ((s->v[k] + step->v_new[k]) / 2 - step->v_move[k]);
      }
    given += act->force[m] * act->given[m];
    scheme -= step->h * act->force[m] * apart;
  }
  ssi_sum_add(&s->now.external, step->h * given);
  ssi_sum_add(&s->now.integrator, scheme);
  ssi_sum_add(&s->now.element, -act->lost);
}

void ssi_balance_start(const ssi_world *w, const double *v, ssi_state *s) {
  ssi_sum_add(&s->now.integrator, kinetic(w, v) - kinetic(w, s->v));
}

void ssi_balance_comply(const ssi_world *w, const ssi_step *step, const double *v, const double *l,
                        ssi_state *s) {
  double work = kinetic(w, v) - kinetic(w, s->v), imposed = 0;
  for (int k = 0; k < w->nl; k++) imposed += l[k] * step->hold.begin.given[k];
  ssi_sum_add(&s->now.joint, work + imposed);
  ssi_sum_add(&s->now.external, -imposed);
}

void ssi_balance(const ssi_world *w, const ssi_step *step, ssi_state *s) {
  for (int i = 0; i < w->nb; i++) balance_body(w, step, i, s);
  for (int i = 0; i < step->touch_count; i++) balance_contact(w, step, i, s);
  if (w->nl) balance_joints(w, step, s);
  for (int k = 0; k < w->element_count; k++) balance_element(w, step, step->flex.action + k, s);
}

void ssi_balance_scale(ssi_record *n) {
  const double terms[] = {n->kinetic,        n->potential,        n->contact.value,
                          n->external.value, n->correction.value, n->integrator.value,
                          n->joint.value,    n->elastic,          n->element.value};
  for (size_t k = 0; k < sizeof terms / sizeof *terms; k++)
    n->largest = fmax(n->largest, fabs(terms[k]));
}

void ssi_balance_end(const ssi_world *w, ssi_state *s) {
  ssi_record *n = &s->now;
  n->kinetic = kinetic(w, s->v);
  n->potential = potential(w, s);
  n->elastic = elastic(w, s);
  ssi_balance_scale(n);
}

void ssi_record_energy(const ssi_record *n, ss_energy *out) {
  *out = (ss_energy){.kinetic = n->kinetic,
                     .potential = n->potential,
                     .start = n->start,
                     .contact = n->contact.value,
                     .external = n->external.value,
                     .correction = n->correction.value,
                     .integrator = n->integrator.value,
                     .joint = n->joint.value,
                     .elastic = n->elastic,
                     .element = n->element.value};
  double missing = out->kinetic + out->potential - out->start - out->contact - out->external -
                   out->correction - out->integrator - out->joint + out->elastic - out->element;
  out->closure = n->largest > 0 ? fabs(missing) / n->largest : 0;
}

void ss_simulation_energy(const ss_simulation *sim, ss_energy *out) {
  if (!out) return;
  if (sim)
    ssi_record_energy(&sim->state.now, out);
  else
    *out = (ss_energy){0};
}
