// dynamics/scene/surface.c - see surface.h.
#include "dynamics/scene/surface.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"

enum { AROUND = 24, OVER = 6 };  // corners of a circle; rings of a half ball

static const double pi = 3.14159265358979323846;

// ---- growing -------------------------------------------------------------------------------

static void *room_for(ssi_surface *s, void *old, size_t used, size_t *room, size_t wanted) {
  if (wanted <= *room) return old;
  size_t larger = 2 * wanted + 256;
  void *mem = ssi_alloc(s->ctx, larger, 1);
  if (!mem) return s->failed = true, old;
  if (used) memcpy(mem, old, used);
  ssi_release(s->ctx, old);
  *room = larger;
  return mem;
}

static int add_point(ssi_surface *s, const ss_pose *pose, const double local[3]) {
  size_t used = 3 * sizeof(double) * (size_t)s->point_count;
  s->point = room_for(s, s->point, used, &s->point_room, used + 3 * sizeof(double));
  if (s->failed) return 0;
  ss_pose_apply(pose, local, s->point + 3 * s->point_count);
  return s->point_count++;
}

static void begin_polygon(ssi_surface *s) {
  size_t used = s->polygon_count > 0 ? sizeof(int) * (size_t)(s->polygon_count + 1) : 0;
  size_t wanted = sizeof(int) * (size_t)(s->polygon_count + 2);
  s->first = room_for(s, s->first, used, &s->first_room, wanted);
  if (s->failed) return;
  if (s->polygon_count == 0) s->first[0] = 0;
  s->first[s->polygon_count + 1] = s->first[s->polygon_count];
  s->polygon_count++;
}

static void add_corner(ssi_surface *s, int point) {
  if (s->failed) return;
  int *end = &s->first[s->polygon_count];
  size_t used = sizeof(int) * (size_t)*end;
  s->corner = room_for(s, s->corner, used, &s->corner_room, used + sizeof(int));
  if (!s->failed) s->corner[(*end)++] = point;
}

static void add_quad(ssi_surface *s, int a, int b, int c, int d) {
  const int corners[] = {a, b, c, d};
  begin_polygon(s);
  for (int k = 0; k < 4; k++) add_corner(s, corners[k]);
}

// ---- kinds ---------------------------------------------------------------------------------

// A ring of AROUND points about z; the number of its first.
static int add_ring(ssi_surface *s, const ss_pose *pose, double radius, double z) {
  int first = s->point_count;
  for (int k = 0; k < AROUND; k++) {
    double angle = 2 * pi * k / AROUND;
    add_point(s, pose, (double[]){radius * cos(angle), radius * sin(angle), z});
  }
  return first;
}

static void add_band(ssi_surface *s, int below, int above) {
  for (int k = 0; k < AROUND; k++) {
    int next = (k + 1) % AROUND;
    add_quad(s, below + k, below + next, above + next, above + k);
  }
}

static void add_disk(ssi_surface *s, int ring) {
  begin_polygon(s);
  for (int k = 0; k < AROUND; k++) add_corner(s, ring + k);
}

static void add_corners(ssi_surface *s, const ss_shape *shape, const ss_pose *pose) {
  ss_corners c = ss_shape_corners(shape);
  int first = s->point_count;
  for (int k = 0; k < c.corner_count; k++) add_point(s, pose, c.corners + 3 * k);
  for (int f = 0; f < c.face_count; f++) {
    begin_polygon(s);
    for (int k = c.face_ptr[f]; k < c.face_ptr[f + 1]; k++) add_corner(s, first + c.face_corner[k]);
  }
}

static void add_tube(ssi_surface *s, const ss_pose *pose, double radius, double half, bool ends) {
  int below = add_ring(s, pose, radius, -half), above = add_ring(s, pose, radius, half);
  add_band(s, below, above);
  if (ends) add_disk(s, below), add_disk(s, above);
}

// The outline in the plane: two half circles, the segment along x.
static void add_flat_capsule(ssi_surface *s, const ss_pose *pose, double radius, double half) {
  begin_polygon(s);
  for (int k = 0; k <= 2 * OVER + 1; k++) {
    int over = k > OVER ? k - 1 : k;
    double angle = pi * over / OVER - pi / 2, side = k > OVER ? -half : half;
    double local[3] = {side + radius * cos(angle), radius * sin(angle), 0};
    add_corner(s, add_point(s, pose, local));
  }
}

// Rings from one pole to the other.
static void add_capsule(ssi_surface *s, const ss_pose *pose, double radius, double half) {
  int last = -1;
  for (int k = 0; k <= 2 * OVER + 1; k++) {
    int over = k > OVER ? k - 1 : k;
    double angle = pi * over / (2 * OVER) - pi / 2, shift = k > OVER ? half : -half;
    int ring = add_ring(s, pose, radius * cos(angle), shift + radius * sin(angle));
    if (last >= 0) add_band(s, last, ring);
    last = ring;
  }
}

static void add_plane(ssi_surface *s, const ss_shape *shape, const ss_pose *pose, double reach) {
  if (ss_shape_dim(shape) == 2) {
    begin_polygon(s);
    add_corner(s, add_point(s, pose, (double[]){-reach, 0, 0}));
    add_corner(s, add_point(s, pose, (double[]){reach, 0, 0}));
    return;
  }
  int first = s->point_count;
  for (int k = 0; k < 4; k++)
    add_point(s, pose, (double[]){k == 0 || k == 3 ? -reach : reach, k < 2 ? -reach : reach, 0});
  add_quad(s, first, first + 1, first + 2, first + 3);
}

static void add_drum(ssi_surface *s, const ss_shape *shape, const ss_pose *pose, double reach) {
  double half = ss_shape_half(shape)[0];
  if (ss_shape_dim(shape) == 2)
    add_disk(s, add_ring(s, pose, ss_shape_radius(shape), 0));
  else
    add_tube(s, pose, ss_shape_radius(shape), half > 0 ? half : reach, false);
}

static void add_simple(ssi_surface *s, const ss_shape *shape, const ss_pose *pose, double reach) {
  double radius = ss_shape_radius(shape);
  switch (ss_shape_kind_of(shape)) {
  case SS_SPHERE:
    begin_polygon(s);
    add_corner(s, add_point(s, pose, (double[]){0, 0, 0}));
    break;
  case SS_BOX:
  case SS_HULL:
    add_corners(s, shape, pose);
    break;
  case SS_CAPSULE:
    if (ss_shape_dim(shape) == 2)
      add_flat_capsule(s, pose, radius, ss_shape_half(shape)[0]);
    else
      add_capsule(s, pose, radius, ss_shape_half(shape)[0]);
    break;
  case SS_CYLINDER:
    add_tube(s, pose, radius, ss_shape_half(shape)[0], true);
    break;
  case SS_PLANE:
    add_plane(s, shape, pose, reach);
    break;
  case SS_DRUM:
    add_drum(s, shape, pose, reach);
    break;
  case SS_COMPOUND:
    break;  // taken apart by the caller
  }
}

void ssi_surface_add(ssi_surface *s, const ss_shape *shape, const ss_pose *pose, double reach) {
  for (int k = 0; k < ss_shape_part_count(shape); k++) {
    ss_part part = ss_shape_part(shape, k);
    ss_pose at = part.shape == shape ? *pose : ss_pose_times(pose, &part.pose);
    add_simple(s, part.shape, &at, reach);
  }
}

void ssi_surface_clear(ssi_surface *s) {
  s->point_count = s->polygon_count = 0;
}

void ssi_surface_release(ssi_surface *s) {
  ssi_release(s->ctx, s->point);
  ssi_release(s->ctx, s->first);
  ssi_release(s->ctx, s->corner);
  *s = (ssi_surface){0};
}
