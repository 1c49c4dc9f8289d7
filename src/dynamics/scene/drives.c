#include "dynamics/scene/drives.h"

#include "base/error.h"
#include "la/vec3.h"
#include "problem/rigid.h"

static void make_coordinate(const ssi_world *w, int k, ssi_element *e) {
  const ssi_simjoint *j = w->joint + k;
  const ss_joint *from = w->scene->joints + k;
  *e = (ssi_element){.kind = SSI_LENGTH, .a = j->a, .b = j->b, .angle = -1};
  if (!ssi_moves(j)) return;
  double axes[3][3] = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}}, axis[3], length = ssi_norm3(from->axis);
  bool slides = j->kind == SS_JOINT_SLIDER;
  ssi_scale3(length > 0 ? 1 / length : 0, from->axis, axis);
  if (slides || w->dim == 3) ssi_contact_frame(w->dim, axis, axes);
  e->kind = slides ? SSI_TRAVEL : SSI_TWIST;
  if (!slides) e->angle = k;
  ssi_element_attach(w, from->anchor, from->anchor, axes, e);
}

static int count_drives(const ss_scene *s) {
  int count = 0;
  for (int k = 0; k < s->joint_count; k++) {
    const ss_joint *j = s->joints + k;
    count += (j->motor.kind != SS_MOTOR_NONE) + j->has_low + j->has_high;
  }
  return count;
}

ss_error ssi_drives_create(ssi_world *w, ssi_arena *arena) {
  w->drive_count = count_drives(w->scene);
  w->nall = w->ndof + w->per_body * w->drive_count;
  w->coordinate = SSI_TAKE(arena, w->nj, ssi_element);
  w->drive = SSI_TAKE(arena, w->drive_count, ssi_drive);
  if (arena->failed) return ssi_fail(w->ctx, SS_ERR_MEMORY, "no memory for %d joints", w->nj);
  ssi_drive *next = w->drive;
  for (int k = 0; k < w->nj; k++) {
    const ss_joint *j = w->scene->joints + k;
    make_coordinate(w, k, w->coordinate + k);
    if (j->motor.kind != SS_MOTOR_NONE) *next++ = (ssi_drive){.kind = SSI_MOTOR, .joint = k};
    if (j->has_low) *next++ = (ssi_drive){SSI_LOW, k, j->low};
    if (j->has_high) *next++ = (ssi_drive){SSI_HIGH, k, j->high};
  }
  return SS_OK;
}

void ssi_coordinate_act(const ssi_world *w, int joint, const ssi_span *span, const double *v,
                        const double *near, ssi_action *out) {
  ssi_element_act(w, w->coordinate + joint, span, v, 1, near, false, out);
}

double ssi_coordinate_speed(const ssi_world *w, const ssi_action *act, const double *v) {
  double sum = 0;
  for (int side = 0; side < 2; side++)
    for (int d = 0; act->body[side] >= 0 && d < w->per_body; d++)
      sum += act->row[0][side][d] * v[(size_t)act->body[side] * w->per_body + (size_t)d];
  return sum;
}
