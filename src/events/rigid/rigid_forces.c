// Inertia and forces of a scene: gravity, loads, springs, dampers and bushings, and -w x I w.
#include <math.h>
#include <string.h>

#include "dynamics/quaternion.h"
#include "dynamics/scene/elements.h"
#include "dynamics/scene/loads.h"
#include "events/rigid/rigid_mechanism.h"
#include "la/vec3.h"

static void set_poses(ssi_rigid_machine *m, const double *q) {
  for (int i = 0; i < m->world.nb; i++) {
    const double *at = q + (size_t)i * ssi_rigid_coordinates(&m->world);
    ss_pose *p = m->pose + i;
    if (m->world.dim == 2) {
      *p = ss_pose_planar(at[0], at[1], at[2]);
      continue;
    }
    ssi_copy3(at, p->x);
    memcpy(p->q, at + 3, sizeof p->q);
    ssi_quat_normalise(p->q);
  }
}

ss_error ssi_rigid_mass(void *user, double t, const double *q, double *M) {
  const ssi_world *w = &((const ssi_rigid_machine *)user)->world;
  size_t n = (size_t)w->ndof;
  (void)t, (void)q;
  memset(M, 0, sizeof *M * n * n);
  for (size_t i = 0; i < n; i++) M[i * n + i] = w->mass[i];
  return SS_OK;
}

// Moments: those of loads, in body axes, and -w x I w.
static void turn_force(const ssi_simbody *b, const double R[9], const double moment[3],
                       const double *spin, double *F) {
  double I_w[3], gyro[3];
  for (int k = 0; k < 3; k++) I_w[k] = b->inertia[k] * spin[k];
  ssi_cross3(spin, I_w, gyro);
  ssi_unrotate3(R, moment, F);
  if (!b->isotropic) ssi_sub3(F, gyro, F);
}

ss_error ssi_rigid_force(void *user, double t, const double *q, const double *v, double *F) {
  ssi_rigid_machine *m = user;
  const ssi_world *w = &m->world;
  set_poses(m, q);
  for (int i = 0; i < w->nb; i++) ss_rotation(m->pose[i].q, m->rotation + 9 * (size_t)i);
  memset(m->load, 0, sizeof *m->load * 6 * (size_t)w->nb);
  ssi_loads_add(w, m->rotation, t, 1, m->load);
  for (int i = 0; i < w->nb; i++) {
    const ssi_simbody *b = w->body + i;
    const double *load = m->load + 6 * (size_t)i;
    double *at = F + (size_t)i * w->per_body;
    for (int k = 0; k < w->dim; k++) at[k] = b->mass * w->scene->gravity[k] + load[k];
    if (w->dim == 2)
      at[2] = load[5];
    else
      turn_force(b, m->rotation + 9 * (size_t)i, load + 3, v + (size_t)i * w->per_body + 3, at + 3);
  }
  ssi_elements_sum sum;
  if (w->element_count) ssi_elements_at(w, t, m->pose, v, m->angle, F, &sum);
  return SS_OK;
}

ss_error ssi_rigid_potential(void *user, double t, const double *q, double *energy) {
  ssi_rigid_machine *m = user;
  const ssi_world *w = &m->world;
  ssi_elements_sum sum = {0};
  set_poses(m, q);
  memset(m->scratch, 0, sizeof *m->scratch * 2 * (size_t)w->ndof);
  if (w->element_count)
    ssi_elements_at(w, t, m->pose, m->scratch, m->angle, m->scratch + w->ndof, &sum);
  *energy = sum.potential;
  for (int i = 0; i < w->nb; i++)
    for (int k = 0; k < w->dim; k++)
      *energy -= w->body[i].mass * w->scene->gravity[k] * m->pose[i].x[k];
  return SS_OK;
}

// Angles of torsional elements, turns counted, from those of the last step.
static void wind(ssi_rigid_machine *m) {
  const ssi_world *w = &m->world;
  ssi_span here = {.from = m->pose, .to = m->pose};
  memset(m->scratch, 0, sizeof *m->scratch * (size_t)w->ndof);
  for (int k = 0; k < w->element_count; k++) {
    int first = w->element[k].angle;
    ssi_action act;
    if (first < 0) continue;
    ssi_element_act(w, w->element + k, &here, m->scratch, 1, m->angle, false, &act);
    int count = w->element[k].kind == SSI_BUSHING && w->dim == 3 ? 3 : 1;
    memcpy(m->angle + first, act.angle, sizeof *m->angle * (size_t)count);
  }
}

void ssi_rigid_normalise(void *user, double *q) {
  ssi_rigid_machine *m = user;
  const ssi_world *w = &m->world;
  for (int i = 0; i < w->nb && w->dim == 3; i++) ssi_quat_normalise(q + 7 * (size_t)i + 3);
  if (!w->angle_count) return;
  set_poses(m, q);
  wind(m);
}
