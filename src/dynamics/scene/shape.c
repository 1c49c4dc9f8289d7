// Shapes: made, copied, bounded, taken apart.
#include "dynamics/scene/shape.h"

#include <string.h>

#include "base/error.h"
#include "la/vec3.h"

static const char *const kind_names[] = {"sphere", "box",   "capsule", "cylinder",
                                         "hull",   "plane", "drum",    "compound"};

const char *ss_shape_kind_name(ss_shape_kind kind) {
  return (unsigned)kind < sizeof kind_names / sizeof *kind_names ? kind_names[kind] : NULL;
}

static ss_error new_shape(ss_context *ctx, int dim, ss_shape_kind kind, ss_shape **out) {
  *out = NULL;
  if (dim != 2 && dim != 3)
    return ssi_fail(ctx, SS_ERR_ARGUMENT, "a %s has dimension %d, expected 2 or 3",
                    kind_names[kind], dim);
  ss_shape *s = ssi_alloc(ctx, 1, sizeof *s);
  if (!s) return ssi_fail(ctx, SS_ERR_MEMORY, "no memory for a %s", kind_names[kind]);
  *s = (ss_shape){.arena = {.ctx = ctx}, .kind = kind, .dim = dim};
  *out = s;
  return SS_OK;
}

void ss_shape_destroy(ss_shape *s) {
  if (!s) return;
  ss_context *ctx = s->arena.ctx;
  for (int k = 0; k < s->part_count; k++) ss_shape_destroy((ss_shape *)s->parts[k].shape);
  ssi_arena_release(&s->arena);
  ssi_release(ctx, s);
}

static ss_error keep(ss_shape *s, ss_error e, ss_shape **out) {
  if (e) ss_shape_destroy(s), s = NULL;
  if (s) s->bound = ssi_shape_farthest(s, (const double[3]){0, 0, 0});
  *out = s;
  return e;
}

static ss_error length_check(ss_context *ctx, ss_shape_kind kind, const char *what, double x) {
  if (x > 0 && x < 1e100) return SS_OK;
  return ssi_fail(ctx, SS_ERR_ARGUMENT, "the %s of a %s is %g, expected > 0 and finite", what,
                  kind_names[kind], x);
}

ss_error ss_shape_sphere(ss_context *ctx, int dim, double radius, ss_shape **out) {
  if (!out) return ssi_missing(ctx, "ss_shape_sphere");
  *out = NULL;
  SS_TRY(length_check(ctx, SS_SPHERE, "radius", radius));
  SS_TRY(new_shape(ctx, dim, SS_SPHERE, out));
  (*out)->radius = radius;
  return keep(*out, SS_OK, out);
}

ss_error ss_shape_box(ss_context *ctx, int dim, const double half[3], ss_shape **out) {
  if (!half || !out) return ssi_missing(ctx, "ss_shape_box");
  *out = NULL;
  for (int k = 0; k < dim && k < 3; k++) SS_TRY(length_check(ctx, SS_BOX, "half width", half[k]));
  SS_TRY(new_shape(ctx, dim, SS_BOX, out));
  for (int k = 0; k < dim; k++) (*out)->half[k] = half[k];
  return keep(*out, ssi_hull_box(&(*out)->arena, dim, (*out)->half, &(*out)->hull), out);
}

static ss_error round_shape(ss_context *ctx, int dim, ss_shape_kind kind, double radius,
                            double half, ss_shape **out) {
  *out = NULL;
  SS_TRY(length_check(ctx, kind, "radius", radius));
  if (kind != SS_DRUM || half != 0) SS_TRY(length_check(ctx, kind, "half length", half));
  SS_TRY(new_shape(ctx, dim, kind, out));
  (*out)->radius = radius;
  (*out)->half[0] = half;
  return keep(*out, SS_OK, out);
}

ss_error ss_shape_capsule(ss_context *ctx, int dim, double radius, double half, ss_shape **out) {
  if (!out) return ssi_missing(ctx, "ss_shape_capsule");
  return round_shape(ctx, dim, SS_CAPSULE, radius, half, out);
}

ss_error ss_shape_cylinder(ss_context *ctx, double radius, double half, ss_shape **out) {
  if (!out) return ssi_missing(ctx, "ss_shape_cylinder");
  return round_shape(ctx, 3, SS_CYLINDER, radius, half, out);
}

ss_error ss_shape_drum(ss_context *ctx, int dim, double radius, double half, ss_shape **out) {
  if (!out) return ssi_missing(ctx, "ss_shape_drum");
  return round_shape(ctx, dim, SS_DRUM, radius, dim == 2 ? 0 : half, out);
}

ss_error ss_shape_plane(ss_context *ctx, int dim, ss_shape **out) {
  if (!out) return ssi_missing(ctx, "ss_shape_plane");
  SS_TRY(new_shape(ctx, dim, SS_PLANE, out));
  return keep(*out, SS_OK, out);
}

ss_error ss_shape_hull(ss_context *ctx, int dim, int count, const double *points, ss_shape **out) {
  if (!points || !out) return ssi_missing(ctx, "ss_shape_hull");
  SS_TRY(new_shape(ctx, dim, SS_HULL, out));
  return keep(*out, ssi_hull_create(&(*out)->arena, dim, count, points, &(*out)->hull), out);
}

// Corners, normals and offsets of a hull seen from another frame; who borders whom stays.
static ss_error moved_hull(ss_shape *s, const ssi_hull *h, const ss_pose *frame) {
  int planes = s->dim == 2 ? h->edge_count : h->face_count, places = h->face_ptr[h->face_count];
  size_t C = (size_t)h->corner_count, N = (size_t)planes, P = (size_t)places;
  ssi_hull *m = &s->hull;
  *m = *h;
  m->corner = SSI_TAKE(&s->arena, 3 * C, double);
  m->normal = SSI_TAKE(&s->arena, 3 * N, double);
  m->offset = SSI_TAKE(&s->arena, N, double);
  m->edge = SSI_TAKE(&s->arena, h->edge_count, ssi_edge);
  m->face_ptr = SSI_TAKE(&s->arena, h->face_count + 1, int);
  m->face_corner = SSI_TAKE(&s->arena, P, int);
  m->face_edge = SSI_TAKE(&s->arena, P, int);
  m->around_ptr = SSI_TAKE(&s->arena, C + 1, int);
  m->around = SSI_TAKE(&s->arena, P, int);
  if (s->arena.failed) return ssi_fail(s->arena.ctx, SS_ERR_MEMORY, "no memory for a hull");
  double R[9];
  ss_rotation(frame->q, R);
  for (size_t k = 0; k < C; k++) ss_pose_apply(frame, h->corner + 3 * k, m->corner + 3 * k);
  for (size_t k = 0; k < N; k++) {
    ssi_rotate3(R, h->normal + 3 * k, m->normal + 3 * k);
    m->offset[k] = h->offset[k] + ssi_dot3(m->normal + 3 * k, frame->x);
  }
  memcpy(m->edge, h->edge, (size_t)h->edge_count * sizeof *h->edge);
  memcpy(m->face_ptr, h->face_ptr, (size_t)(h->face_count + 1) * sizeof *h->face_ptr);
  memcpy(m->face_corner, h->face_corner, P * sizeof *h->face_corner);
  memcpy(m->face_edge, h->face_edge, P * sizeof *h->face_edge);
  if (s->dim == 3) {
    memcpy(m->around_ptr, h->around_ptr, (C + 1) * sizeof *h->around_ptr);
    memcpy(m->around, h->around, P * sizeof *h->around);
  }
  return SS_OK;
}

ss_error ssi_shape_moved(ss_context *ctx, const ss_shape *s, const ss_pose *frame, ss_shape **out) {
  SS_TRY(new_shape(ctx, s->dim, s->kind, out));
  ss_shape *m = *out;
  m->radius = s->radius;
  memcpy(m->half, s->half, sizeof m->half);
  ss_error e = SS_OK;
  if (s->hull.corner_count) e = moved_hull(m, &s->hull, frame);
  if (!e && s->part_count) {
    m->parts = SSI_TAKE(&m->arena, s->part_count, ssi_shape_part);
    if (!m->parts) e = ssi_fail(ctx, SS_ERR_MEMORY, "no memory for a compound");
    ss_pose still = ss_pose_identity();
    for (int k = 0; k < s->part_count && !e; k++) {
      ss_shape *part;
      e = ssi_shape_moved(ctx, s->parts[k].shape, &still, &part);
      if (e) break;
      m->parts[m->part_count++] = (ssi_shape_part){part, ss_pose_times(frame, &s->parts[k].pose)};
    }
  }
  return keep(m, e, out);
}

static ss_error check_part(ss_context *ctx, int k, const ss_part *p, int dim) {
  if (!p->shape || p->shape->dim != dim)
    return ssi_fail(ctx, SS_ERR_ARGUMENT, "part %d of a compound is %s, expected a shape in %dD", k,
                    p->shape ? "of the other dimension" : "missing", dim);
  double norm = 0;
  for (int i = 0; i < 4; i++) norm += p->pose.q[i] * p->pose.q[i];
  bool finite = isfinite(p->pose.x[0]) && isfinite(p->pose.x[1]) && isfinite(p->pose.x[2]);
  if (!finite || !(norm > 0) || !isfinite(norm))
    return ssi_fail(ctx, SS_ERR_ARGUMENT, "the pose of part %d of a compound is not finite", k);
  return SS_OK;
}

ss_error ss_shape_compound(ss_context *ctx, int count, const ss_part *parts, ss_shape **out) {
  if (!parts || !out) return ssi_missing(ctx, "ss_shape_compound");
  *out = NULL;
  int64_t total = 0;
  if (count < 1)
    return ssi_fail(ctx, SS_ERR_ARGUMENT, "a compound has %d parts, expected 1 or more", count);
  for (int k = 0; k < count; k++) {
    SS_TRY(check_part(ctx, k, parts + k, parts[0].shape ? parts[0].shape->dim : 0));
    total += ss_shape_part_count(parts[k].shape);
  }
  if (total > SS_PARTS_MAX)
    return ssi_fail(ctx, SS_ERR_ARGUMENT, "a compound has %lld parts, expected at most %d",
                    (long long)total, SS_PARTS_MAX);
  SS_TRY(new_shape(ctx, parts[0].shape->dim, SS_COMPOUND, out));
  ss_shape *s = *out;
  s->parts = SSI_TAKE(&s->arena, total, ssi_shape_part);
  ss_error e = s->parts ? SS_OK : ssi_fail(ctx, SS_ERR_MEMORY, "no memory for a compound");
  ss_pose still = ss_pose_identity();
  for (int k = 0; k < count && !e; k++)
    for (int i = 0; i < ss_shape_part_count(parts[k].shape) && !e; i++) {
      ss_part inner = ss_shape_part(parts[k].shape, i);
      ss_shape *copy;
      e = ssi_shape_moved(ctx, inner.shape, &still, &copy);
      if (e) break;
      s->parts[s->part_count++] =
          (ssi_shape_part){copy, ss_pose_times(&parts[k].pose, &inner.pose)};
    }
  return keep(s, e, out);
}

// Plate k spans the angle between corners k and k + 1. Its inner face has its corners on the
// circles of radius R / cos(pi/sides), so that the circles of radius R touch its middle; the outer
// face is shifted by the thickness along the plate's outward normal.
ss_error ss_shape_funnel(ss_context *ctx, double top, double bottom, double height,
                         double thickness, int sides, ss_shape **out) {
  if (!out) return ssi_missing(ctx, "ss_shape_funnel");
  *out = NULL;
  const double length[] = {top, bottom, height, thickness};
  static const char *const name[] = {"top radius", "bottom radius", "height", "thickness"};
  for (int k = 0; k < 4; k++) {
    if (!(length[k] > 0 && length[k] < 1e100))
      return ssi_fail(ctx, SS_ERR_ARGUMENT, "the %s of a funnel is %g, expected > 0", name[k],
                      length[k]);
  }
  if (sides < 3 || sides > SS_PARTS_MAX)
    return ssi_fail(ctx, SS_ERR_ARGUMENT, "a funnel has %d sides, expected 3 or more", sides);
  SS_TRY(new_shape(ctx, 3, SS_COMPOUND, out));
  ss_shape *s = *out;
  s->parts = SSI_TAKE(&s->arena, sides, ssi_shape_part);
  ss_error e = s->parts ? SS_OK : ssi_fail(ctx, SS_ERR_MEMORY, "no memory for a funnel");
  const double pi = 3.14159265358979323846, wide = 1 / cos(pi / sides);
  double slope = sqrt(height * height + (top - bottom) * (top - bottom));
  double out_r = thickness * height / slope, out_z = -thickness * (top - bottom) / slope;
  for (int k = 0; k < sides && !e; k++) {
    double points[24], middle = 2 * pi * (k + 0.5) / sides;
    for (int c = 0; c < 8; c++) {
      double angle = 2 * pi * (k + (c & 1)) / sides, r = (c & 2 ? top : bottom) * wide;
      double shift = c & 4 ? 1 : 0;
      points[3 * c] = r * cos(angle) + shift * out_r * cos(middle);
      points[3 * c + 1] = r * sin(angle) + shift * out_r * sin(middle);
      points[3 * c + 2] = (c & 2 ? height : 0) + shift * out_z;
    }
    ss_shape *plate;
    e = ss_shape_hull(ctx, 3, 8, points, &plate);
    if (!e) s->parts[s->part_count++] = (ssi_shape_part){plate, ss_pose_identity()};
  }
  return keep(s, e, out);
}

ss_shape_kind ss_shape_kind_of(const ss_shape *s) {
  if (!s) return SS_SPHERE;
  return s->kind;
}

int ss_shape_dim(const ss_shape *s) {
  if (!s) return 0;
  return s->dim;
}

double ss_shape_radius(const ss_shape *s) {
  if (!s) return 0;
  return s->radius;
}

const double *ss_shape_half(const ss_shape *s) {
  return s ? s->half : NULL;
}

int ss_shape_part_count(const ss_shape *s) {
  if (!s) return 0;
  return s->kind == SS_COMPOUND ? s->part_count : 1;
}

ss_part ss_shape_part(const ss_shape *s, int k) {
  if (!s) return (ss_part){0};
  if (s->kind != SS_COMPOUND) return (ss_part){s, ss_pose_identity()};
  return (ss_part){s->parts[k].shape, s->parts[k].pose};
}

bool ss_shape_is_bounded(const ss_shape *s) {
  if (!s) return false;
  for (int k = 0; k < s->part_count; k++)
    if (!ss_shape_is_bounded(s->parts[k].shape)) return false;
  return s->kind != SS_PLANE && s->kind != SS_DRUM;
}

ss_corners ss_shape_corners(const ss_shape *s) {
  if (!s) return (ss_corners){0};
  return (ss_corners){s->hull.corner_count, s->hull.face_count, s->hull.corner, s->hull.face_ptr,
                      s->hull.face_corner};
}
