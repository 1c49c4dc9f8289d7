// Convex pieces of a surface. Corners at the same place are one; triangles that share corners are a piece. A piece
// bounds a convex solid where
//
//   its points are no deeper than DEEP of its size below the surface of their convex hull, and            (1)
//   its volume  V = sum over triangles (a . b x c)/6  is that of the hull to within HOLLOW of it           (2)
//
// Both leave room for coordinates in 32-bit floats and for curved faces cut into triangles.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/sets.h"
#include "io/import/mesh_file.h"
#include "la/vec3.h"

static const double DEEP = 1e-4, HOLLOW = 1e-3;

static ss_error no_memory(ss_context *ctx, const char *name) {
  return ssi_fail(ctx, SS_ERR_MEMORY, "%s: no memory for the pieces of this surface", name);
}

typedef struct placed_point {
  double x[3];
  int number;
} placed_point;

static int by_place(const void *left, const void *right) {
  const placed_point *a = left, *b = right;
  for (int k = 0; k < 3; k++)
    if (a->x[k] != b->x[k]) return a->x[k] < b->x[k] ? -1 : 1;
  return (a->number > b->number) - (a->number < b->number);
}

// same[k]: the first point at the place of point k.
static bool weld(const ssi_triangles *s, ssi_arena *arena, int **same) {
  placed_point *sorted = SSI_TAKE(arena, s->point_count, placed_point);
  *same = SSI_TAKE(arena, s->point_count, int);
  if (arena->failed) return false;
  for (int k = 0; k < s->point_count; k++) {
    for (int i = 0; i < 3; i++) sorted[k].x[i] = s->point[3 * (size_t)k + (size_t)i] + 0.0;  // -0
    sorted[k].number = k;
  }
  qsort(sorted, (size_t)s->point_count, sizeof *sorted, by_place);
  for (int k = 0; k < s->point_count; k++) {
    bool first = k == 0 || memcmp(sorted[k].x, sorted[k - 1].x, sizeof sorted[k].x) != 0;
    (*same)[sorted[k].number] = first ? sorted[k].number : (*same)[sorted[k - 1].number];
  }
  return true;
}

// ---- one piece ----------------------------------------------------------------------------------

// How far below the nearest face of the hull the deepest point lies.
static double depth_of(const ssi_piece *p) {
  ss_corners c = ss_shape_corners(p->hull);
  double deepest = 0;
  for (int k = 0; k < p->point_count; k++) {
    double nearest = INFINITY;
    for (int f = 0; f < c.face_count; f++) {
      const int *face = c.face_corner + c.face_ptr[f];
      const double *a = c.corners + 3 * face[0];
      double u[3], v[3], n[3], from[3];
      ssi_sub3(c.corners + 3 * face[1], a, u);
      ssi_sub3(c.corners + 3 * face[2], a, v);
      ssi_cross3(u, v, n);
      ssi_sub3(p->point + 3 * (size_t)k, a, from);
      nearest = fmin(nearest, -ssi_dot3(n, from) / ssi_norm3(n));
    }
    deepest = fmax(deepest, nearest);
  }
  return deepest + 0.0;  // no -0
}

static ss_error check_convex(ss_context *ctx, const char *name, int number, double volume,
                             const ssi_piece *p) {
  ss_mass_properties m;
  SS_TRY(ss_shape_mass(ctx, p->hull, &m));
  double low[3], high[3], depth = depth_of(p);
  ss_pose still = ss_pose_identity();
  ss_shape_bounds(p->hull, &still, low, high);
  bool deep = depth > DEEP * ssi_distance3(low, high);        // (1)
  bool hollow = fabs(volume - m.volume) > HOLLOW * m.volume;  // (2)
  if (!deep && !hollow) return SS_OK;
  return ssi_fail(ctx, SS_ERR_FORMAT,
                  "%s: piece %d (%d points) is not convex: it fills %.3g %% of its convex hull, "
                  "and a point lies %.3g "
                  "below the hull's surface; split it into closed convex pieces (a convex "
                  "decomposition does that), "
                  "or ask for its hull",
                  name, number, p->point_count, 100 * volume / m.volume, depth);
}

// ---- all of them --------------------------------------------------------------------------------

// Numbers pieces in the order of their first points. piece_of: only of points that are first at their place, -1 of
// others and of those in no triangle.
static int number_pieces(const ssi_triangles *s, const int *same, int *leader, int *piece_of) {
  ssi_sets_begin(leader, s->point_count);
  for (int k = 0; k < s->point_count; k++) piece_of[k] = -2;
  for (int t = 0; t < s->triangle_count; t++)
    for (int k = 0; k < 3; k++) {
      int a = same[s->corner[3 * (size_t)t + (size_t)k]], b = same[s->corner[3 * (size_t)t]];
      ssi_set_join(leader, a, b);
      piece_of[a] = -1;
    }
  int count = 0;
  for (int k = 0; k < s->point_count; k++) {
    if (piece_of[k] == -2) continue;
    int first = ssi_set_of(leader, k);
    piece_of[k] = first == k ? count++ : piece_of[first];
  }
  for (int k = 0; k < s->point_count; k++)
    if (piece_of[k] == -2) piece_of[k] = -1;
  return count;
}

// Points and volumes of all pieces, in one pass each. volume: (count)
static bool collect(const ssi_triangles *s, const int *same, const int *piece_of, ssi_arena *arena,
                    int count, ssi_piece *out, double *volume) {
  for (int k = 0; k < s->point_count; k++)
    if (piece_of[k] >= 0) out[piece_of[k]].point_count++;
  for (int k = 0; k < count; k++) {
    out[k].point = SSI_TAKE(arena, 3 * (size_t)out[k].point_count, double);
    out[k].point_count = 0;
  }
  if (arena->failed) return false;
  for (int k = 0; k < s->point_count; k++) {
    if (piece_of[k] < 0) continue;
    ssi_piece *p = out + piece_of[k];
    ssi_copy3(s->point + 3 * (size_t)k, p->point + 3 * (size_t)p->point_count++);
  }
  for (int t = 0; t < s->triangle_count; t++) {
    const int *corner = s->corner + 3 * (size_t)t;
    int number = piece_of[same[corner[0]]];
    double x[3][3], n[3];
    for (int k = 0; k < 3; k++) ssi_sub3(s->point + 3 * (size_t)corner[k], out[number].point, x[k]);
    ssi_cross3(x[1], x[2], n);
    volume[number] += ssi_dot3(x[0], n) / 6;
  }
  return true;
}

static ss_error make_hull(ss_context *ctx, const char *name, int number, double volume, bool any,
                          ssi_piece *p) {
  ss_error e = ss_shape_hull(ctx, 3, p->point_count, p->point, &p->hull);
  if (e) return ssi_fail_within(ctx, e == SS_ERR_MEMORY ? e : SS_ERR_FORMAT, name);
  return any ? SS_OK : check_convex(ctx, name, number, fabs(volume), p);
}

ss_error ssi_triangles_pieces(ss_context *ctx, const char *name, const ssi_triangles *s, bool any,
                              ssi_arena *arena, int *count, ssi_piece **out) {
  int *same = NULL;
  *count = 0;
  if (!weld(s, arena, &same)) return no_memory(ctx, name);
  int *leader = SSI_TAKE(arena, s->point_count, int);
  int *piece_of = SSI_TAKE(arena, s->point_count, int);
  if (arena->failed) return no_memory(ctx, name);
  int pieces = number_pieces(s, same, leader, piece_of);
  ssi_piece *list = SSI_TAKE(arena, pieces, ssi_piece);
  double *volume = SSI_TAKE(arena, pieces, double);
  if (arena->failed || !collect(s, same, piece_of, arena, pieces, list, volume))
    return no_memory(ctx, name);
  *out = list;
  *count = pieces;
  for (int k = 0; k < pieces; k++) SS_TRY(make_hull(ctx, name, k, volume[k], any, list + k));
  return SS_OK;
}
