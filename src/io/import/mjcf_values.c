// Attributes of a MuJoCo model with their classes of defaults, and places.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "dynamics/quaternion.h"
#include "io/import/mjcf.h"
#include "la/vec3.h"

// ---- classes ------------------------------------------------------------------------------------

static int count_classes(xmlNode *node) {
  int count = 0;
  for (xmlNode *n = node->children; n; n = n->next)
    if (ssi_xml_is(n, "default")) count += 1 + count_classes(n);
  return count;
}

static ss_error add_classes(ssi_mjcf *f, xmlNode *node, int parent) {
  for (xmlNode *n = ssi_xml_child(node, "default"); n; n = ssi_xml_next(n)) {
    ssi_mjcf_class *c = f->classes + f->class_count;
    const char *name = ssi_xml_text(&f->m->x, n, "class");
    if (!name && parent >= 0) return ssi_xml_wrong(&f->m->x, n, "class: missing");
    *c = (ssi_mjcf_class){name ? name : "main", parent, n};
    SS_TRY(add_classes(f, n, f->class_count++));
  }
  return SS_OK;
}

ss_error ssi_mjcf_read_classes(ssi_mjcf *f, xmlNode *mujoco) {
  f->classes = SSI_TAKE(f->m->x.arena, count_classes(mujoco), ssi_mjcf_class);
  if (!f->classes) return ssi_scene_draft_no_memory(&f->m->d);
  return add_classes(f, mujoco, -1);
}

ss_error ssi_mjcf_find_class(ssi_mjcf *f, xmlNode *node, const char *key, int otherwise, int *out) {
  const char *name = ssi_xml_text(&f->m->x, node, key);
  *out = otherwise;
  if (!name) return SS_OK;
  for (*out = f->class_count - 1; *out >= 0; (*out)--)
    if (strcmp(f->classes[*out].name, name) == 0) return SS_OK;
  return ssi_xml_wrong(&f->m->x, node, "%s: there is no class '%.80s'", key, name);
}

// All classes are asked, so that a default that others take the place of counts as looked at.
const char *ssi_mjcf_text(ssi_mjcf *f, const ssi_mjcf_element *e, const char *name) {
  const char *found = ssi_xml_text(&f->m->x, e->node, name);
  for (int k = e->class; k >= 0; k = f->classes[k].parent) {
    xmlNode *n = ssi_xml_child(f->classes[k].node, (const char *)e->node->name);
    const char *text = n ? ssi_xml_text(&f->m->x, n, name) : NULL;
    if (!found) found = text;
  }
  return found;
}

ss_error ssi_mjcf_numbers(ssi_mjcf *f, const ssi_mjcf_element *e, const char *name, int least,
                          int most, double *out, int *count) {
  return ssi_xml_numbers(&f->m->x, e->node, name, ssi_mjcf_text(f, e, name), least, most, out,
                         count);
}

// ---- places -------------------------------------------------------------------------------------

// The rotation whose columns are x, y, z (unit, at right angles).
static void from_columns(const double x[3], const double y[3], const double z[3], double q[4]) {
  double trace = x[0] + y[1] + z[2];
  const double *c[3] = {x, y, z};
  if (trace > 0) {
    double s = sqrt(trace + 1) * 2;
    q[0] = s / 4, q[1] = (y[2] - z[1]) / s, q[2] = (z[0] - x[2]) / s, q[3] = (x[1] - y[0]) / s;
    return;
  }
  int i = x[0] > y[1] ? (x[0] > z[2] ? 0 : 2) : (y[1] > z[2] ? 1 : 2), j = (i + 1) % 3,
      k = (i + 2) % 3;
  double s = sqrt(1 + c[i][i] - c[j][j] - c[k][k]) * 2;
  q[0] = (c[j][k] - c[k][j]) / s;
  q[1 + i] = s / 4;
  q[1 + j] = (c[i][j] + c[j][i]) / s;
  q[1 + k] = (c[i][k] + c[k][i]) / s;
}

// y is made to be at right angles to x.
static bool from_two_axes(const double two[6], double q[4]) {
  double x[3], y[3], z[3], length = ssi_norm3(two);
  if (!ssi_is_direction(two)) return false;
  ssi_scale3(1 / length, two, x);
  ssi_add3(two + 3, -ssi_dot3(x, two + 3), x, y);
  length = ssi_norm3(y);
  if (!ssi_is_direction(y)) return false;
  ssi_scale3(1 / length, y, y);
  ssi_cross3(x, y, z);
  from_columns(x, y, z, q);
  return true;
}

void ssi_mjcf_turn_z(const double z[3], double q[4]) {
  double axis[3] = {-z[1], z[0], 0}, across = ssi_norm3(axis);
  if (across == 0) ssi_set3(1, 0, 0, axis);
  ssi_turn_about(axis, atan2(across, z[2]), q);
}

static ss_error from_euler(ssi_mjcf *f, xmlNode *node, const double turns[3], double q[4]) {
  q[0] = 1, q[1] = q[2] = q[3] = 0;
  for (int k = 0; k < 3; k++) {
    static const char letters[] = "xyzXYZ";
    const char *letter = strchr(letters, f->euler[k]);
    if (!letter)
      return ssi_xml_wrong(&f->m->x, node, "eulerseq: found '%.20s', expected letters of xyzXYZ",
                           f->euler);
    int axis_number = (int)(letter - letters) % 3;
    double axis[3] = {axis_number == 0, axis_number == 1, axis_number == 2}, turn[4];
    ssi_turn_about(axis, f->angle * turns[k], turn);
    if (letter - letters < 3)
      ssi_quat_times(q, turn, q);
    else
      ssi_quat_times(turn, q, q);
  }
  return SS_OK;
}

ss_error ssi_mjcf_pose(ssi_mjcf *f, const ssi_mjcf_element *e, ss_pose *out) {
  double quat[4], axisangle[4], euler[3], two[6], z[3];
  int has_quat, has_angle, has_euler, has_two, has_z;
  *out = ss_pose_identity();
  SS_TRY(ssi_mjcf_numbers(f, e, "pos", 3, 3, out->x, NULL));
  SS_TRY(ssi_mjcf_numbers(f, e, "quat", 4, 4, quat, &has_quat));
  SS_TRY(ssi_mjcf_numbers(f, e, "axisangle", 4, 4, axisangle, &has_angle));
  SS_TRY(ssi_mjcf_numbers(f, e, "euler", 3, 3, euler, &has_euler));
  SS_TRY(ssi_mjcf_numbers(f, e, "xyaxes", 6, 6, two, &has_two));
  SS_TRY(ssi_mjcf_numbers(f, e, "zaxis", 3, 3, z, &has_z));
  bool good = true;
  if (has_quat) {
    double square = quat[0] * quat[0] + ssi_dot3(quat + 1, quat + 1);
    good = square > 0 && isfinite(square);
    if (good) ssi_quat_normalise(quat);
    memcpy(out->q, quat, sizeof quat);
  }
  if (has_angle) {
    good = ssi_is_direction(axisangle);
    if (good) ssi_turn_about(axisangle, f->angle * axisangle[3], out->q);
  }
  if (has_two) good = from_two_axes(two, out->q);
  if (has_z) {
    good = ssi_is_direction(z);
    if (good) ssi_mjcf_turn_z(z, out->q);
  }
  if (!good)
    return ssi_xml_wrong(&f->m->x, e->node,
                         "its orientation has no direction: all zero, or too large");
  return has_euler ? from_euler(f, e->node, euler, out->q) : SS_OK;
}
