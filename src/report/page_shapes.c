// Shapes of bodies as JSON, for the viewer to draw.
#include "report/page_shapes.h"

static json_t *hull(const ss_shape *s, bool *failed) {
  ss_corners c = ss_shape_corners(s);
  json_t *o = json_object(), *faces = json_array();
  ssi_page_put(o, "corners", ssi_page_reals(c.corners, 3 * c.corner_count), failed);
  for (int f = 0; f < c.face_count; f++) {
    json_t *face = json_array();
    for (int k = c.face_ptr[f]; k < c.face_ptr[f + 1]; k++)
      ssi_page_push(face, json_integer(c.face_corner[k]), failed);
    ssi_page_push(faces, face, failed);
  }
  ssi_page_put(o, "faces", faces, failed);
  return o;
}

json_t *ssi_pose_json(const ss_pose *p, bool *failed) {
  json_t *pose = json_array();
  for (int k = 0; k < 3; k++) ssi_page_push(pose, ssi_page_real(p->x[k]), failed);
  for (int k = 0; k < 4; k++) ssi_page_push(pose, ssi_page_real(p->q[k]), failed);
  return pose;
}

static json_t *simple(const ss_shape *s, bool *failed) {
  ss_shape_kind kind = ss_shape_kind_of(s);
  json_t *o = kind == SS_HULL ? hull(s, failed) : json_object();
  ssi_page_put(o, "kind", json_string(ss_shape_kind_name(kind)), failed);
  if (ss_shape_radius(s) > 0) ssi_page_put(o, "radius", ssi_page_real(ss_shape_radius(s)), failed);
  const double *half = ss_shape_half(s);
  bool rounded = kind == SS_CAPSULE || kind == SS_CYLINDER || kind == SS_DRUM;
  if (half && (kind == SS_BOX || rounded))
    ssi_page_put(o, "half", ssi_page_reals(half, kind == SS_BOX ? 3 : 1), failed);
  return o;
}

json_t *ssi_shape_json(const ss_shape *s, bool *failed) {
  if (ss_shape_kind_of(s) != SS_COMPOUND) return simple(s, failed);
  json_t *o = json_object(), *parts = json_array();
  ssi_page_put(o, "kind", json_string("compound"), failed);
  for (int k = 0; k < ss_shape_part_count(s); k++) {
    ss_part part = ss_shape_part(s, k);
    json_t *one = simple(part.shape, failed);
    ssi_page_put(one, "pose", ssi_pose_json(&part.pose, failed), failed);
    ssi_page_push(parts, one, failed);
  }
  ssi_page_put(o, "parts", parts, failed);
  return o;
}

// Generators make many equal shapes in a row, so the last few are compared.
int ssi_shape_index(json_t *shapes, const ss_shape *s, bool *failed) {
  enum { RECENT = 4 };
  json_t *shape = ssi_shape_json(s, failed);
  int count = (int)json_array_size(shapes);
  for (int k = count - 1; k >= 0 && k >= count - RECENT; k--)
    if (json_equal(json_array_get(shapes, (size_t)k), shape)) {
      json_decref(shape);
      return k;
    }
  ssi_page_push(shapes, shape, failed);
  return count;
}
