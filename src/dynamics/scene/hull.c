// Polyhedra from their faces, polygons from their points: normals, edges, neighbours.
#include "dynamics/scene/hull.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "dynamics/scene/hull_build.h"
#include "la/vec3.h"

// Newell: twice the vector area, sum of (x_k - x_0) x (x_{k+1} - x_0).
static void face_plane(ssi_hull *h, int f) {
  int from = h->face_ptr[f], to = h->face_ptr[f + 1];
  const double *x0 = h->corner + 3 * h->face_corner[from];
  double n[3] = {0};
  for (int k = from + 1; k + 1 < to; k++) {
    double a[3], b[3], c[3];
    ssi_sub3(h->corner + 3 * h->face_corner[k], x0, a);
    ssi_sub3(h->corner + 3 * h->face_corner[k + 1], x0, b);
    ssi_cross3(a, b, c);
    ssi_add3(n, 1, c, n);
  }
  double length = ssi_norm3(n), sum = 0;
  ssi_scale3(length > 0 ? 1 / length : 0, n, h->normal + 3 * f);
  for (int k = from; k < to; k++)
    sum += ssi_dot3(h->normal + 3 * f, h->corner + 3 * h->face_corner[k]);
  h->offset[f] = sum / (to - from);
}

static void measure(ssi_hull *h) {
  double mean[3] = {0};
  for (int k = 0; k < h->corner_count; k++)
    ssi_add3(mean, 1.0 / h->corner_count, h->corner + 3 * k, mean);
  h->size = 0;
  for (int k = 0; k < h->corner_count; k++)
    h->size = fmax(h->size, ssi_distance3(h->corner + 3 * k, mean));
}

// Faces around each corner, and for each place (face, k) its edge. A directed edge (u, v) of a face
// meets (v, u) of exactly one other. false: the faces do not close.
static bool join(ssi_hull *h) {
  int places = h->face_ptr[h->face_count];
  for (int k = 0; k < places; k++) h->around_ptr[h->face_corner[k] + 1]++;
  for (int c = 0; c < h->corner_count; c++) h->around_ptr[c + 1] += h->around_ptr[c];
  for (int f = h->face_count - 1; f >= 0; f--)  // backwards: each list ends up ascending
    for (int k = h->face_ptr[f]; k < h->face_ptr[f + 1]; k++)
      h->around[--h->around_ptr[h->face_corner[k] + 1]] = f;
  // the loop above moved each end to its begin: shift back
  memmove(h->around_ptr, h->around_ptr + 1, (size_t)h->corner_count * sizeof *h->around_ptr);
  h->around_ptr[h->corner_count] = places;

  for (int k = 0; k < places; k++) h->face_edge[k] = -1;
  h->edge_count = 0;
  for (int f = 0; f < h->face_count; f++)
    for (int k = h->face_ptr[f]; k < h->face_ptr[f + 1]; k++) {
      if (h->face_edge[k] >= 0) continue;
      int next = k + 1 < h->face_ptr[f + 1] ? k + 1 : h->face_ptr[f];
      int u = h->face_corner[k], v = h->face_corner[next], match = -1, other = -1;
      for (int i = h->around_ptr[v]; i < h->around_ptr[v + 1]; i++) {
        int g = h->around[i];
        for (int m = h->face_ptr[g]; m < h->face_ptr[g + 1]; m++) {
          int after = m + 1 < h->face_ptr[g + 1] ? m + 1 : h->face_ptr[g];
          if (h->face_corner[m] == v && h->face_corner[after] == u) match = m, other = g;
        }
      }
      if (match < 0 || h->face_edge[match] >= 0 || 2 * h->edge_count >= places) return false;
      h->face_edge[k] = h->face_edge[match] = h->edge_count;
      h->edge[h->edge_count++] = (ssi_edge){u, v, f, other};
    }
  return 2 * h->edge_count == places;
}

ss_error ssi_hull_link(ssi_arena *arena, int corners, const double *corner, int faces,
                       const int *face_ptr, const int *face_corner, ssi_hull *out) {
  int places = face_ptr[faces];
  for (int f = 0; f < faces; f++)
    if (face_ptr[f + 1] - face_ptr[f] > SSI_POLYGON_MAX)
      return ssi_fail(arena->ctx, SS_ERR_ARGUMENT,
                      "a face of a hull has %d corners, expected at most %d",
                      face_ptr[f + 1] - face_ptr[f], SSI_POLYGON_MAX);
  *out = (ssi_hull){.corner_count = corners, .face_count = faces};
  out->corner = SSI_TAKE(arena, 3 * (size_t)corners, double);
  out->edge = SSI_TAKE(arena, places / 2 + 1, ssi_edge);
  out->face_ptr = SSI_TAKE(arena, faces + 1, int);
  out->face_corner = SSI_TAKE(arena, places, int);
  out->face_edge = SSI_TAKE(arena, places, int);
  out->normal = SSI_TAKE(arena, 3 * (size_t)faces, double);
  out->offset = SSI_TAKE(arena, faces, double);
  out->around_ptr = SSI_TAKE(arena, corners + 1, int);
  out->around = SSI_TAKE(arena, places, int);
  if (arena->failed) return ssi_fail(arena->ctx, SS_ERR_MEMORY, "no memory for a hull");
  memcpy(out->corner, corner, 3 * (size_t)corners * sizeof *corner);
  memcpy(out->face_ptr, face_ptr, (size_t)(faces + 1) * sizeof *face_ptr);
  memcpy(out->face_corner, face_corner, (size_t)places * sizeof *face_corner);
  for (int f = 0; f < faces; f++) face_plane(out, f);
  measure(out);
  if (!join(out) || corners - out->edge_count + faces != 2)
    return ssi_fail(
        arena->ctx, SS_ERR_DATA,
        "the faces of a hull of %d corners do not close (points too close to each other "
        "or to a common plane?)",
        corners);
  return SS_OK;
}

// A polygon from its corners in order, counterclockwise.
static ss_error link_polygon(ssi_arena *arena, int corners, const double *corner, ssi_hull *out) {
  *out = (ssi_hull){.corner_count = corners, .edge_count = corners, .face_count = 1};
  out->corner = SSI_TAKE(arena, 3 * (size_t)corners, double);
  out->edge = SSI_TAKE(arena, corners, ssi_edge);
  out->face_ptr = SSI_TAKE(arena, 2, int);
  out->face_corner = SSI_TAKE(arena, corners, int);
  out->face_edge = SSI_TAKE(arena, corners, int);
  out->normal = SSI_TAKE(arena, 3 * (size_t)corners, double);
  out->offset = SSI_TAKE(arena, corners, double);
  if (arena->failed) return ssi_fail(arena->ctx, SS_ERR_MEMORY, "no memory for a polygon");
  memcpy(out->corner, corner, 3 * (size_t)corners * sizeof *corner);
  out->face_ptr[1] = corners;
  for (int k = 0; k < corners; k++) {
    int next = (k + 1) % corners;
    const double *u = corner + 3 * k, *v = corner + 3 * next;
    double x = v[0] - u[0], y = v[1] - u[1], length = sqrt(x * x + y * y);
    out->face_corner[k] = out->face_edge[k] = k;
    out->edge[k] = (ssi_edge){k, next, 0, -1};
    ssi_set3(y / length, -x / length, 0, out->normal + 3 * k);  // to the right of the edge
    out->offset[k] = ssi_dot3(out->normal + 3 * k, u);
  }
  measure(out);
  return SS_OK;
}

ss_error ssi_hull_create(ssi_arena *arena, int dim, int count, const double *points,
                         ssi_hull *out) {
  ssi_faces faces;
  SS_TRY(ssi_hull_faces(arena->ctx, dim, count, points, &faces));
  ss_error e = dim == 2 ? link_polygon(arena, faces.corner_count, faces.corner, out)
                        : ssi_hull_link(arena, faces.corner_count, faces.corner, faces.face_count,
                                        faces.face_ptr, faces.face_corner, out);
  ssi_arena_release(&faces.arena);
  return e;
}

// Corner k has the signs of its bits: x = -half[0] where bit 0 is 0, and so on. Face 2 k looks
// along -axis k, face 2 k + 1 along +axis k.
ss_error ssi_hull_box(ssi_arena *arena, int dim, const double half[3], ssi_hull *out) {
  static const int face_ptr[] = {0, 4, 8, 12, 16, 20, 24};
  static const int face_corner[] = {0, 4, 6, 2, 1, 3, 7, 5, 0, 1, 5, 4,
                                    2, 6, 7, 3, 0, 2, 3, 1, 4, 5, 7, 6};
  double corner[24];
  if (dim == 2) {
    static const double x[] = {-1, 1, 1, -1}, y[] = {-1, -1, 1, 1};
    for (int k = 0; k < 4; k++) ssi_set3(x[k] * half[0], y[k] * half[1], 0, corner + 3 * k);
    return link_polygon(arena, 4, corner, out);
  }
  for (int k = 0; k < 8; k++)
    for (int i = 0; i < 3; i++) corner[3 * k + i] = k >> i & 1 ? half[i] : -half[i];
  return ssi_hull_link(arena, 8, corner, 6, face_ptr, face_corner, out);
}
