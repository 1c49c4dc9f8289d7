// A face of one body and the polygon of the other that lies over it: the common part, and the
// height of its corners. Sutherland and Hodgman's clipping, with every corner and edge of the
// result knowing what it comes from: an edge of the clipped polygon or of the face. So a contact is
// (corner, face), (edge, edge) or (face, corner) whichever of the two bodies owns the face.
#include "dynamics/collide/narrow_clip.h"

#include "la/vec3.h"

enum { CAP_PLACES = 8 };  // fixed places on a cylinder's rim

int ssi_face_count(const ss_shape *s) {
  return s->kind == SS_CYLINDER                    ? 2
         : s->kind == SS_BOX || s->kind == SS_HULL ? s->hull.face_count
                                                   : 0;
}

void ssi_face_normal(const ssi_solid *s, int face, double n[3]) {
  if (s->shape->kind == SS_CYLINDER) {
    ssi_axis3(s->R, 2, n);
    if (face == 0) ssi_scale3(-1, n, n);
  } else {
    ssi_rotate3(s->R, s->shape->hull.normal + 3 * face, n);
  }
}

static void to_world(const ssi_solid *s, const double local[3], double out[3]) {
  ssi_rotate3(s->R, local, out);
  ssi_add3(s->x, 1, out, out);
}

// Eight fixed places and the lowest one, which takes the number 8.
static void cap_polygon(const ssi_solid *s, int cap, const double down[3], ssi_polygon *out) {
  const double step = 2 * 3.14159265358979323846 / CAP_PLACES;
  double u[3], low = -1;
  ssi_unrotate3(s->R, down, u);
  if (u[0] * u[0] + u[1] * u[1] > 1e-18) low = atan2(u[1], u[0]) / step;
  if (low < 0 && u[0] * u[0] + u[1] * u[1] > 1e-18) low += CAP_PLACES;
  out->count = 0;
  for (int k = 0; k < CAP_PLACES; k++) {
    double places[2] = {k, low};
    int fresh = low > k + 1e-6 && low < k + 1 - 1e-6 ? 2 : 1;
    for (int i = 0; i < fresh; i++) {
      double angle = places[i] * step;
      double local[3] = {s->shape->radius * cos(angle), s->shape->radius * sin(angle),
                         cap ? s->shape->half[0] : -s->shape->half[0]};
      to_world(s, local, out->x[out->count]);
      out->corner[out->count] = out->edge[out->count] = 16 * cap + (i ? CAP_PLACES : k);
      out->count++;
    }
  }
  if (cap) return;
  for (int i = 0, j = out->count - 1; i < j; i++, j--) {  // seen from below: the other way round
    double x[3];
    ssi_copy3(out->x[i], x), ssi_copy3(out->x[j], out->x[i]), ssi_copy3(x, out->x[j]);
    int c = out->corner[i];
    out->corner[i] = out->edge[i] = out->corner[j], out->corner[j] = out->edge[j] = c;
  }
}

void ssi_face_polygon(const ssi_solid *s, int face, const double down[3], ssi_polygon *out) {
  out->face = face;
  ssi_face_normal(s, face, out->normal);
  if (s->shape->kind == SS_CYLINDER) {
    cap_polygon(s, face, down, out);
    return;
  }
  const ssi_hull *h = &s->shape->hull;
  out->count = h->face_ptr[face + 1] - h->face_ptr[face];
  for (int k = 0; k < out->count; k++) {
    int at = h->face_ptr[face] + k;
    out->corner[k] = h->face_corner[at];
    out->edge[k] = h->face_edge[at];
    to_world(s, h->corner + 3 * out->corner[k], out->x[k]);
  }
}

// The line of a cylinder's side that is lowest; local z from -half to half.
static bool side_line(const ssi_solid *s, const double down[3], double p[2][3]) {
  double u[3];
  ssi_unrotate3(s->R, down, u);
  double flat = sqrt(u[0] * u[0] + u[1] * u[1]);
  if (!(flat > 0)) return false;
  for (int k = 0; k < 2; k++) {
    double f = s->shape->radius / flat;
    double local[3] = {f * u[0], f * u[1], k ? s->shape->half[0] : -s->shape->half[0]};
    to_world(s, local, p[k]);
  }
  return true;
}

static void line_polygon(double p[2][3], ssi_polygon *out) {
  out->count = 2;
  out->face = 2;
  for (int k = 0; k < 2; k++) {
    ssi_copy3(p[k], out->x[k]);
    out->corner[k] = 32 + k;  // apart from the numbers on caps
    out->edge[k] = 32;
  }
}

void ssi_lowest_polygon(const ssi_solid *s, const double down[3], ssi_polygon *out) {
  const ss_shape *shape = s->shape;
  double p[2][3], n[3];
  int corner = ssi_support(s, down, p[0]);
  if (shape->kind == SS_CYLINDER) {
    ssi_axis3(s->R, 2, n);
    double c = ssi_dot3(n, down);
    if (fabs(c) > 0.7 || !side_line(s, down, p))
      ssi_face_polygon(s, c > 0, down, out);
    else
      line_polygon(p, out);
  } else if (shape->kind == SS_CAPSULE) {
    ssi_axis3(s->R, 2, n);
    ssi_add3(s->x, -shape->half[0], n, p[0]);
    ssi_add3(s->x, shape->half[0], n, p[1]);
    line_polygon(p, out);
  } else if (ssi_face_count(shape)) {
    const ssi_hull *h = &shape->hull;
    double u[3], best = -INFINITY;
    int face = 0;
    ssi_unrotate3(s->R, down, u);
    for (int k = h->around_ptr[corner]; k < h->around_ptr[corner + 1]; k++) {
      double along = ssi_dot3(u, h->normal + 3 * h->around[k]);
      if (along > best + 1e-9) best = along, face = h->around[k];
    }
    ssi_face_polygon(s, face, down, out);
  } else {
    out->count = 1;
    out->face = out->corner[0] = out->edge[0] = 0;
    ssi_copy3(s->x, out->x[0]);
  }
}

bool ssi_lowest_segment(const ssi_solid *s, const double down[3], double p[2][3]) {
  const double flat = 1e-3;
  double e[3];
  if (s->shape->kind == SS_CAPSULE || s->shape->kind == SS_CYLINDER) {
    ssi_axis3(s->R, 2, e);
    if (fabs(ssi_dot3(e, down)) > flat) return false;
    if (s->shape->kind == SS_CYLINDER) return side_line(s, down, p);
    for (int k = 0; k < 2; k++) ssi_add3(s->x, k ? s->shape->half[0] : -s->shape->half[0], e, p[k]);
    return true;
  }
  if (s->shape->kind != SS_BOX && s->shape->kind != SS_HULL) return false;
  const ssi_hull *h = &s->shape->hull;
  double u[3], best = flat;
  int corner = ssi_support(s, down, e), found = -1;
  ssi_unrotate3(s->R, down, u);
  for (int k = h->around_ptr[corner]; k < h->around_ptr[corner + 1]; k++)
    for (int i = h->face_ptr[h->around[k]]; i < h->face_ptr[h->around[k] + 1]; i++) {
      const ssi_edge *g = h->edge + h->face_edge[i];
      if (g->from != corner && g->to != corner) continue;
      ssi_sub3(h->corner + 3 * g->to, h->corner + 3 * g->from, e);
      double slope = fabs(ssi_dot3(u, e)) / ssi_norm3(e);
      if (slope < best) best = slope, found = h->face_edge[i];
    }
  if (found < 0) return false;
  to_world(s, h->corner + 3 * h->edge[found].from, p[0]);
  to_world(s, h->corner + 3 * h->edge[found].to, p[1]);
  return true;
}

typedef struct vertex {
  double x[3];
  int low, ref;  // features of the polygon and of the face
  int edge;      // that leaves it: >= 0 of the polygon, else -1 - k for edge k of the face
} vertex;

typedef struct ring {
  int count;
  vertex v[2 * SSI_POLYGON_MAX];
} ring;

static vertex crossing(const vertex *from, const vertex *to, double df, double dt, int k,
                       const ssi_polygon *ref, const ssi_polygon *low) {
  vertex c = {.low = SSI_EDGE + from->edge, .ref = SSI_EDGE + ref->edge[k], .edge = from->edge};
  double t = df / (df - dt), e[3];
  ssi_sub3(to->x, from->x, e);
  ssi_add3(from->x, t, e, c.x);
  if (from->edge < 0) {  // two edges of the face meet at its corner, if they are neighbours
    int other = -1 - from->edge;
    c.low = SSI_FACE + low->face;
    if ((other + 1) % ref->count == k) c.ref = SSI_CORNER + ref->corner[k];
    if ((k + 1) % ref->count == other) c.ref = SSI_CORNER + ref->corner[other];
  }
  return c;
}

// Keeps what is on the inner side of edge k of the face, or less than blur beyond.
static void cut(ring *r, ring *scratch, const ssi_polygon *ref, const ssi_polygon *low, int k,
                double blur) {
  double e[3], out[3], d[2 * SSI_POLYGON_MAX];
  ssi_sub3(ref->x[(k + 1) % ref->count], ref->x[k], e);
  ssi_cross3(e, ref->normal, out);
  double length = ssi_norm3(out);
  if (!(length > 0)) return;
  for (int i = 0; i < r->count; i++) {
    double x[3];
    ssi_sub3(r->v[i].x, ref->x[k], x);
    d[i] = ssi_dot3(out, x) / length - blur;
  }
  scratch->count = 0;
  // a convex polygon gains one corner at most; one that rounding bent may not overrun the ring
  for (int i = 0; i < r->count && scratch->count + 2 <= 2 * SSI_POLYGON_MAX; i++) {
    int j = (i + 1) % r->count;
    if (d[i] <= 0) scratch->v[scratch->count++] = r->v[i];
    if (r->count == 1 || (d[i] <= 0) == (d[j] <= 0)) continue;
    vertex c = crossing(r->v + i, r->v + j, d[i], d[j], k, ref, low);
    if (d[i] <= 0) c.edge = -1 - k;
    scratch->v[scratch->count++] = c;
  }
  r->count = scratch->count;
  for (int i = 0; i < r->count; i++) r->v[i] = scratch->v[i];
}

// One of two points that coincide, or have the same key, is enough.
static bool repeated(const ring *r, int i, double blur) {
  for (int k = 0; k < i; k++)
    if ((r->v[k].low == r->v[i].low && r->v[k].ref == r->v[i].ref) ||
        ssi_distance3(r->v[k].x, r->v[i].x) <= blur)
      return true;
  return false;
}

double ssi_clip(const ssi_solid *a, const ssi_solid *b, bool ref_is_a, const ssi_polygon *ref,
                const ssi_polygon *low, double blur, double limit, ssi_manifold *out) {
  ring r, scratch;  // thousands of bytes, of which a box needs few: not cleared
  r.count = low->count;
  for (int k = 0; k < low->count; k++) {
    r.v[k] = (vertex){
        .low = SSI_CORNER + low->corner[k], .ref = SSI_FACE + ref->face, .edge = low->edge[k]};
    ssi_copy3(low->x[k], r.v[k].x);
  }
  for (int k = 0; k < ref->count && r.count; k++) cut(&r, &scratch, ref, low, k, blur);
  double least = INFINITY, n[3];
  ssi_scale3(ref_is_a ? -1 : 1, ref->normal, n);
  for (int i = 0; i < r.count; i++) {
    double d[3], under[3];
    ssi_sub3(r.v[i].x, ref->x[0], d);
    double gap = ssi_dot3(d, ref->normal);
    if (gap < least) least = gap;
    if (repeated(&r, i, blur)) continue;
    ssi_add3(r.v[i].x, -gap, ref->normal, under);  // on the face
    if (ref_is_a)
      ssi_add_touch(out, a, b, under, n, gap, ssi_feature(r.v[i].ref, r.v[i].low), limit);
    else
      ssi_add_touch(out, a, b, r.v[i].x, n, gap, ssi_feature(r.v[i].low, r.v[i].ref), limit);
  }
  return least;
}
