// From the springs, dampers and bushings of a scene to elements: points and frames seen from both sides.
#include <math.h>

#include "base/error.h"
#include "dynamics/scene/elements.h"
#include "la/vec3.h"
#include "problem/rigid.h"

void ssi_element_attach(const ssi_world *w, const double at_a[3], const double at_b[3],
                        double axes[3][3], ssi_element *e) {
  ss_pose a = ssi_side_start(w, e->a), b = ssi_side_start(w, e->b);
  ssi_pose_seen(&a, at_a, e->at_a);
  ssi_pose_seen(&b, at_b, e->at_b);
  for (int k = 0; k < 3; k++) {
    ssi_pose_turned(&a, axes[k], e->axes_a[k]);
    ssi_pose_turned(&b, axes[k], e->axes_b[k]);
  }
}

static void make_spring(const ssi_world *w, const ss_spring *from, ssi_element *e) {
  double axes[3][3] = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}}, at[2][3];
  *e = (ssi_element){
      .kind = SSI_LENGTH, .a = from->a, .b = from->b, .rest = from->rest, .angle = -1};
  e->force[0] = (ssi_curve){from->stiffness, from->rows, from->table};
  e->damping[0] = (ssi_curve){from->damping, from->damping_rows, from->damping_table};
  ss_pose a = ssi_side_start(w, e->a), b = ssi_side_start(w, e->b);
  ssi_copy3(from->at_a ? from->anchor_a : a.x, at[0]);
  ssi_copy3(from->at_b ? from->anchor_b : b.x, at[1]);
  if (from->kind == SS_SPRING_TORSIONAL) {
    e->kind = SSI_TWIST;
    if (w->dim == 3) ssi_contact_frame(3, from->axis, axes);
  } else if (from->relaxed) {
    e->rest = ssi_distance3(at[0], at[1]);
  }
  ssi_element_attach(w, at[0], at[1], axes, e);
}

static void make_bushing(const ssi_world *w, const ss_bushing *from, ssi_element *e) {
  double R[9], axes[3][3];
  int first = w->dim == 2 ? 2 : 0;
  *e = (ssi_element){.kind = SSI_BUSHING, .a = from->a, .b = from->b, .angle = -1};
  ss_rotation(from->frame.q, R);
  for (int k = 0; k < 3; k++) ssi_axis3(R, k, axes[k]);
  for (int k = 0; k < w->dim; k++) {
    e->force[k].slope = from->stiffness[k];
    e->damping[k].slope = from->damping[k];
  }
  for (int k = first; k < 3; k++) {
    e->force[w->dim + k - first].slope = from->rotational_stiffness[k];
    e->damping[w->dim + k - first].slope = from->rotational_damping[k];
  }
  ssi_element_attach(w, from->frame.x, from->frame.x, axes, e);
}

// 3 angles each, in the plane and for a torsional spring one.
static int angles_of(int dim, const ssi_element *e) {
  if (e->kind == SSI_LENGTH) return 0;
  return e->kind == SSI_BUSHING && dim == 3 ? 3 : 1;
}

ss_error ssi_elements_create(ssi_world *w, ssi_arena *arena) {
  const ss_scene *s = w->scene;
  int n = 0;
  w->element_count = s->spring_count + s->damper_count + s->bushing_count;
  w->element = SSI_TAKE(arena, w->element_count, ssi_element);
  if (arena->failed)
    return ssi_fail(w->ctx, SS_ERR_MEMORY, "no memory for %d force elements", w->element_count);
  for (int k = 0; k < s->spring_count; k++) make_spring(w, s->springs + k, w->element + n++);
  for (int k = 0; k < s->damper_count; k++) make_spring(w, s->dampers + k, w->element + n++);
  for (int k = 0; k < s->bushing_count; k++) make_bushing(w, s->bushings + k, w->element + n++);
  for (int k = 0; k < n; k++) {
    int angles = angles_of(w->dim, w->element + k);
    if (angles) w->element[k].angle = w->angle_count;
    w->angle_count += angles;
  }
  return SS_OK;
}
