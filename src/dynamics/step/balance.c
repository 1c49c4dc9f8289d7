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
//   joint        l . (G^T v_k + b_imposed)/2: what the last step's velocity has left to do in joints that
//                have turned since
#include "dynamics/step/sim.h"
#include "dynamics/vec3.h"

static double kinetic(const ss_simulation *s, const double *v) {
  double sum = 0;
  for (int k = 0; k < s->ndof; k++) sum += s->mass[k] * v[k] * v[k];
  return sum / 2;
}

double ssi_sim_potential(const ss_simulation *s) {
  double sum = 0, moved[3];
  for (int i = 0; i < s->nb; i++) {
    ssi_sub3(s->pose[i].x, s->body[i].start, moved);
    sum -= s->body[i].mass * ssi_dot3(s->scene->gravity, moved);
  }
  return sum;
}

// The scale of the balance is at least what a step of free fall and a fall by a body's size give.
void ssi_sim_energy_start(ss_simulation *s) {
  double g = ssi_norm3(s->scene->gravity), fall = g * s->scene->stepping.step;
  s->now.kinetic = s->now.start = kinetic(s, s->v);
  s->now.largest = s->now.kinetic;
  for (int i = 0; i < s->nb; i++)
    s->now.largest += s->body[i].mass * (fall * fall / 2 + g * s->body[i].extent);
}

static void balance_body(ss_simulation *s, int i, double h) {
  const ssi_simbody *b = s->body + i;
  const double *v0 = s->v + (size_t)i * s->per_body, *v1 = s->v_new + (size_t)i * s->per_body;
  const double *load = s->load + 6 * (size_t)i, *g = s->scene->gravity;
  const double *moved = s->v_move + (size_t)i * s->per_body;
  double work = 0, gravity = 0, turn = 0, moment[3];
  for (int k = 0; k < s->dim; k++) {
    work += load[k] * (v0[k] + v1[k]) / 2;
    gravity += g[k] * ((v0[k] + v1[k]) / 2 - moved[k]);
  }
  if (s->dim == 2) {
    work += load[5] * (v0[2] + v1[2]) / 2;
  } else {
    ssi_unrotate3(s->rotation + 9 * (size_t)i, load + 3, moment);
    for (int k = 0; k < 3; k++) {
      double mean = (v0[3 + k] + v1[3 + k]) / 2;
      work += moment[k] * mean;
      turn += s->gyro[3 * (size_t)i + (size_t)k] * mean;
    }
  }
  ssi_sum_add(&s->now.external, h * work);
  ssi_sum_add(&s->now.integrator, turn + h * b->mass * gravity);
}

static void balance_contact(ss_simulation *s, int i) {
  const ssi_touch *t = s->touch + i;
  const double *r = s->r + (size_t)i * s->dim, *u = s->u + (size_t)i * s->dim;
  double work = 0, imposed = 0;
  for (int k = 0; k < s->dim; k++) {
    double after = k ? u[k] : u[k] - ssi_touch_term(t);
    work += r[k] * (t->u0[k] + after) / 2;
    imposed += r[k] * t->w[k];
  }
  double correction = r[0] * (t->drift + t->kick) / 2;
  ssi_sum_add(&s->now.contact, work + correction);
  ssi_sum_add(&s->now.correction, -correction);
  ssi_sum_add(&s->now.external, -imposed);
}

// All that joints do: l at the mean rows, and the kicks at both ends.
static void balance_joints(ss_simulation *s) {
  const ssi_hold *hold = &s->hold;
  const ss_sparse *G = &s->problem.G;
  double work = 0, drift = 0, imposed = 0;
  for (int dof = 0; dof < s->ndof; dof++) {
    double push = s->mass[dof] * (hold->first[dof] - hold->second[dof]);
    for (int64_t k = G->ptr[dof]; k < G->ptr[dof + 1]; k++) push += G->x[k] * s->l[G->col[k]];
    work += push * (s->v[dof] + s->v_new[dof]) / 2;
  }
  for (int j = 0; j < s->nj; j++)
    for (int i = 0, k = s->joint[j].row; i < s->joint[j].rows; i++, k++) {
      drift += s->l[k] * hold->rate * hold->mean.error[k];
      imposed += ssi_sim_hold_impulse(s, s->joint + j, i) * hold->mean.given[k];
    }
  ssi_sum_add(&s->now.joint, work + imposed + drift);
  ssi_sum_add(&s->now.external, -imposed);
  ssi_sum_add(&s->now.correction, -drift);
}

void ssi_sim_energy_start_moving(ss_simulation *s, const double *v) {
  ssi_sum_add(&s->now.integrator, kinetic(s, v) - kinetic(s, s->v));
}

void ssi_sim_energy_comply(ss_simulation *s, const double *v, const double *l) {
  double work = kinetic(s, v) - kinetic(s, s->v), imposed = 0;
  for (int k = 0; k < s->nl; k++) imposed += l[k] * s->hold.begin.given[k];
  ssi_sum_add(&s->now.joint, work + imposed);
  ssi_sum_add(&s->now.external, -imposed);
}

void ssi_sim_energy_step(ss_simulation *s, double h) {
  for (int i = 0; i < s->nb; i++) balance_body(s, i, h);
  for (int i = 0; i < s->touch_count; i++) balance_contact(s, i);
  if (s->nl) balance_joints(s);
}

void ssi_sim_energy_after(ss_simulation *s) {
  ssi_record *n = &s->now;
  n->kinetic = kinetic(s, s->v);
  n->potential = ssi_sim_potential(s);
  const double terms[] = {n->kinetic,        n->potential,        n->contact.value,
                          n->external.value, n->correction.value, n->integrator.value,
                          n->joint.value};
  for (size_t k = 0; k < sizeof terms / sizeof *terms; k++)
    n->largest = fmax(n->largest, fabs(terms[k]));
}

void ss_simulation_energy(const ss_simulation *s, ss_energy *out) {
  const ssi_record *n = &s->now;
  *out = (ss_energy){.kinetic = n->kinetic,
                     .potential = n->potential,
                     .start = n->start,
                     .contact = n->contact.value,
                     .external = n->external.value,
                     .correction = n->correction.value,
                     .integrator = n->integrator.value,
                     .joint = n->joint.value};
  double missing = out->kinetic + out->potential - out->start - out->contact - out->external -
                   out->correction - out->integrator - out->joint;
  out->closure = n->largest > 0 ? fabs(missing) / n->largest : 0;
}
