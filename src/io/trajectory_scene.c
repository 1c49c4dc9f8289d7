// A trajectory of a scene: the scene itself, and where its bodies and contacts are at each output, as run files have
// them. What is in the rows is enough: the columns hold the state and the forces in contact frames.
#include "io/trajectory_scene.h"

#include "base/error.h"
#include "events/rigid/rigid_view.h"

typedef struct scene_tables {
  ssi_rigid_view all;  // of every row
  double *q, *v, *force;
  int *bodies;
} scene_tables;

static bool take(ssi_arena *arena, const ss_trajectory *t, ssi_rigid_count n, scene_tables *out) {
  size_t rows = (size_t)t->rows;
  const ss_mechanism *m = t->m;
  out->all = (ssi_rigid_view){.pose = SSI_TAKE(arena, rows * 7 * (size_t)n.bodies, double),
                              .velocity = SSI_TAKE(arena, rows * 6 * (size_t)n.bodies, double),
                              .external = SSI_TAKE(arena, rows * 7 * (size_t)n.externals, double),
                              .point = SSI_TAKE(arena, rows * 3 * (size_t)n.contacts, double),
                              .normal = SSI_TAKE(arena, rows * 3 * (size_t)n.contacts, double),
                              .force = SSI_TAKE(arena, rows * 3 * (size_t)n.contacts, double)};
  out->q = SSI_TAKE(arena, m->nq, double), out->v = SSI_TAKE(arena, m->nv, double);
  out->force = SSI_TAKE(arena, m->nc * m->dim, double);
  out->bodies = SSI_TAKE(arena, 2 * n.contacts, int);
  return !arena->failed;
}

// The state in the mechanism's own order, and the forces, which follow the mode of each contact.
static void read_row(const ss_trajectory *t, const double *row, scene_tables *s) {
  const ss_mechanism *m = t->m;
  for (int k = 0; k < t->states; k++) {
    int at = t->order[k];
    *(at < m->nq ? s->q + at : s->v + (at - m->nq)) = row[1 + k];
  }
  for (int i = 0; i < m->nc; i++)
    for (int d = 0; d < m->dim; d++)
      s->force[m->dim * i + d] = row[1 + t->states + i * (3 + 2 * m->dim) + 1 + d];
}

static void look(const ss_trajectory *t, ssi_rigid_count n, scene_tables *s) {
  for (int64_t k = 0; k < t->rows; k++) {
    const double *row = t->values + k * t->columns;
    read_row(t, row, s);
    ssi_rigid_view now = {s->all.pose + k * 7 * n.bodies,        s->all.velocity + k * 6 * n.bodies,
                          s->all.external + k * 7 * n.externals, s->all.point + k * 3 * n.contacts,
                          s->all.normal + k * 3 * n.contacts,    s->all.force + k * 3 * n.contacts};
    ssi_rigid_view_at(t->machine, row[0], s->q, s->v, s->force, &now);
  }
  ssi_rigid_view_pairs(t->machine, s->bodies);
}

static void put(ssi_image *w, hid_t group, const char *name, int64_t rows, int count, int width,
                const double *x) {
  hsize_t dims[3] = {(hsize_t)rows, (hsize_t)count, (hsize_t)width};
  if (count > 0) ssi_image_put(w, group, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 3, dims, x);
}

ss_error ssi_trajectory_put_scene(ssi_image *w, const ss_trajectory *t, ssi_arena *arena) {
  if (!t->scene_text) return SS_OK;
  ssi_rigid_count n = ssi_rigid_view_count(t->machine);
  scene_tables s;
  if (!take(arena, t, n, &s)) return ssi_fail(t->ctx, SS_ERR_MEMORY, "%s: no memory", w->name);
  look(t, n, &s);
  hsize_t pairs[2] = {(hsize_t)n.contacts, 2};
  ssi_image_text(w, w->file, "scene", t->scene_text);
  if (n.contacts)
    ssi_image_put(w, w->file, "pairs", H5T_STD_I32LE, H5T_NATIVE_INT, 2, pairs, s.bodies);
  hid_t group = ssi_image_group(w, w->file, "frames");
  put(w, group, "pose", t->rows, n.bodies, 7, s.all.pose);
  put(w, group, "velocity", t->rows, n.bodies, 6, s.all.velocity);
  put(w, group, "external_pose", t->rows, n.externals, 7, s.all.external);
  put(w, group, "contact_point", t->rows, n.contacts, 3, s.all.point);
  put(w, group, "contact_normal", t->rows, n.contacts, 3, s.all.normal);
  put(w, group, "contact_force", t->rows, n.contacts, 3, s.all.force);
  ssi_image_leave(group);
  return SS_OK;
}
