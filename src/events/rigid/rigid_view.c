// A scene of rigid bodies that runs as a mechanism, seen as run files have it: poses, velocities and contacts in world
// axes.
#include "events/rigid/rigid_view.h"

#include <math.h>
#include <string.h>

#include "events/rigid/rigid_mechanism.h"
#include "la/vec3.h"

static ssi_rigid_machine *rigid(const ss_machine *m) {
  return m->mechanism.user;
}

ssi_rigid_count ssi_rigid_view_count(const ss_machine *m) {
  const ssi_world *w = &rigid(m)->world;
  return (ssi_rigid_count){.bodies = w->nb, .externals = w->ne, .contacts = m->mechanism.nc};
}

void ssi_rigid_view_pairs(const ss_machine *m, int *bodies) {
  const ssi_rigid_machine *r = rigid(m);
  for (int k = 0; k < m->mechanism.nc; k++) {
    int b = r->pair[k].b, nb = r->world.nb;
    bodies[2 * k] = r->pair[k].a;
    bodies[2 * k + 1] = b < nb ? b : SS_EXTERNAL - (b - nb);
  }
}

static void put_pose(const ssi_world *w, const double *q, double pose[7]) {
  const double flat[7] = {q[0], q[1], 0, cos(q[2] / 2), 0, 0, sin(q[2] / 2)};
  memcpy(pose, w->dim == 2 ? flat : q, sizeof flat);
}

static void put_contact(const ssi_rigid_machine *r, int k, const double *force,
                        const ssi_rigid_view *out) {
  ssi_pair_frame f;
  double total[3] = {0};
  ssi_pair_look(r, r->pair + k, &f);
  for (int d = 0; d < r->world.dim; d++) ssi_add3(total, force[d], f.e[d], total);
  ssi_copy3(f.c, out->point + 3 * k);
  ssi_copy3(f.e[0], out->normal + 3 * k);
  ssi_copy3(total, out->force + 3 * k);
}

void ssi_rigid_view_at(const ss_machine *m, double t, const double *q, const double *v,
                       const double *force, const ssi_rigid_view *out) {
  ssi_rigid_machine *r = rigid(m);
  const ssi_world *w = &r->world;
  ssi_rigid_place(r, t, q, v);
  for (int i = 0; i < w->nb; i++) {
    put_pose(w, q + (size_t)i * ssi_rigid_coordinates(w), out->pose + 7 * i);
    ssi_copy3(r->now[i].v, out->velocity + 6 * i);
    ssi_copy3(r->now[i].w, out->velocity + 6 * i + 3);
  }
  for (int i = 0; i < w->ne; i++) {
    ss_pose pose;
    ssi_imposed_pose(w->scene->externals + i, t, &pose);
    memcpy(out->external + 7 * i, pose.x, sizeof pose.x);
    memcpy(out->external + 7 * i + 3, pose.q, sizeof pose.q);
  }
  for (int k = 0; k < m->mechanism.nc; k++)
    put_contact(r, k, force + (size_t)w->dim * (size_t)k, out);
}
