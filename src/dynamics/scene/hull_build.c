// The convex hull of points by libqhull [BDH96], which also joins what is coplanar into polygons. Points go there
// about their mean and over their size, so that its tolerances are parts of the size.
//
// [BDH96] C. B. Barber, D. P. Dobkin, H. Huhdanpaa, The Quickhull algorithm for convex hulls, ACM
//         Transactions on Mathematical Software 22 (1996) 469-483.
#define _POSIX_C_SOURCE 200809L  // fmemopen
#include "dynamics/scene/hull_build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "la/vec3.h"
#include "stickslip/shape.h"

// The farthest point from `from` across the unit vectors of `axis`, and how far that is.
static double farthest(int count, const double *x, const double from[3], int axes,
                       const double axis[][3], int *point) {
  double most = -1;
  for (int p = 0; p < count; p++) {
    double d[3];
    ssi_sub3(x + 3 * p, from, d);
    for (int k = 0; k < axes; k++) ssi_add3(d, -ssi_dot3(d, axis[k]), axis[k], d);
    double far = ssi_norm3(d);
    if (!(far > most)) continue;
    most = far;
    *point = p;
  }
  return most;
}

// Points that span less than `dim` directions by more than the tolerance have no hull; x of size 1.
static ss_error check_flat(ss_context *ctx, int dim, int count, const double *x) {
  static const char *const where[] = {"", "line", "plane"};
  double origin[3] = {0}, axis[3][3];
  int first = 0, next = 0;
  farthest(count, x, origin, 0, NULL, &first);
  for (int k = 0; k < dim; k++) {
    const double *from = x + 3 * first;
    double far = farthest(count, x, from, k, (const double(*)[3])axis, &next);
    if (far <= SSI_HULL_TOL)
      return ssi_fail(ctx, SS_ERR_DATA, "the %d points of a %s lie %s a %s", count,
                      dim == 2 ? "polygon" : "hull", k == 2 ? "in" : "on", where[k == 2 ? 2 : 1]);
    ssi_sub3(x + 3 * next, from, axis[k]);
    for (int i = 0; i < k; i++) ssi_add3(axis[k], -ssi_dot3(axis[k], axis[i]), axis[i], axis[k]);
    ssi_scale3(1 / ssi_norm3(axis[k]), axis[k], axis[k]);
  }
  return SS_OK;
}

#ifdef SS_WITH_QHULL
#include <libqhull_r/qhull_ra.h>

// Facets as loops of points: 3D counterclockwise from outside, 2D from the first to the second. Returns how many, or
// -1: there is no room for so many.
static int read_facets(qhT *qh, int dim, int most, int places, int *ptr, int *point) {
  int count = 0, at = 0;
  facetT *facet;
  FORALLfacets {
    setT *vertices = dim == 3 ? qh_facet3vertex(qh, facet) : facet->vertices;
    int n = qh_setsize(qh, vertices);
    if (count >= most || at + n > places) return -1;
    bool turned = dim == 3 ? !qh_ORIENTclock : !facet->toporient == !qh_ORIENTclock;
    for (int k = 0; k < n; k++) {
      const vertexT *v = (vertexT *)SETelem_(vertices, turned ? n - 1 - k : k);
      point[at++] = qh_pointid(qh, v->point);
    }
    ptr[++count] = at;
    if (dim == 3) qh_settempfree(qh, &vertices);
  }
  return count;
}

// W: how far above a face a point is outside of it. C-, C: facets whose middles are that close to each other's planes
// are joined, on the way and in the end.
static int run(qhT *qh, FILE *messages, int dim, int count, double *x, int most, int places,
               int *ptr, int *point, int *facets) {
  char command[] = "qhull W1e-9 C-1e-9 C1e-9 Pp";
  int code = qh_new_qhull(qh, dim, count, x, False, command, NULL, messages);
  if (code) return code;
  code = setjmp(qh->errexit);  // what follows may fail, too, and would otherwise end the program
  if (!code) {
    qh->NOerrexit = False;
    *facets = read_facets(qh, dim, most, places, ptr, point);
  }
  qh->NOerrexit = True;
  return code;
}

// Loops of at most `most` facets with `places` corners in all, of points x (dim numbers each).
static ss_error facets_of(ss_context *ctx, int dim, int count, double *x, int most, int places,
                          int *ptr, int *point, int *facets) {
  char text[1000] = "";
  int kept, in_all;
  qhT *qh = ssi_alloc(ctx, 1, sizeof *qh);
  FILE *messages = qh ? fmemopen(text, sizeof text, "w") : NULL;  // a library does not print
  int code = qh_ERRmem;
  *facets = -1;
  if (messages) {
    qh_zero(qh, messages);
    code = run(qh, messages, dim, count, x, most, places, ptr, point, facets);
    qh_freeqhull(qh, !qh_ALL);
    qh_memfreeshort(qh, &kept, &in_all);
    fclose(messages);
  }
  ssi_release(ctx, qh);
  if (code == qh_ERRmem)
    return ssi_fail(ctx, SS_ERR_MEMORY, "no memory for a hull of %d points", count);
  if (code || *facets < 0)
    return ssi_fail(
        ctx, SS_ERR_DATA,
        "the convex hull of %d points cannot be told at a tolerance of %g: some are too "
        "close to each other or to a common plane (libqhull: %.60s)",
        count, SSI_HULL_TOL, text);
  return SS_OK;
}
#else
static ss_error facets_of(ss_context *ctx, int dim, int count, double *x, int most, int places,
                          int *ptr, int *point, int *facets) {
  (void)dim, (void)x, (void)most, (void)places, (void)ptr, (void)point, (void)facets;
  return ssi_fail(ctx, SS_ERR_UNSUPPORTED,
                  "the convex hull of %d points needs libqhull, which this build is without",
                  count);
}
#endif

// A loop may begin anywhere: at its lowest corner.
static void rotate(int count, int *loop, int *scratch) {
  int first = 0;
  for (int k = 1; k < count; k++)
    if (loop[k] < loop[first]) first = k;
  for (int k = 0; k < count; k++) scratch[k] = loop[(first + k) % count];
  memcpy(loop, scratch, sizeof *loop * (size_t)count);
}

typedef struct face {
  const int *corner;
  int count;
} face;

static int by_corners(const void *x, const void *y) {
  const face *a = x, *b = y;
  for (int k = 0; k < a->count && k < b->count; k++)
    if (a->corner[k] != b->corner[k]) return a->corner[k] < b->corner[k] ? -1 : 1;
  return (a->count > b->count) - (a->count < b->count);
}

// Corners in the order of the points; one that only two polygons share lies inside an edge: left out. Polygons in
// an order that only depends on their corners.
static ss_error polyhedron(int count, const double *points, int facets, const int *ptr, int *point,
                           ssi_faces *out) {
  ssi_arena *a = &out->arena;
  int *number = SSI_TAKE(a, count, int), *scratch = SSI_TAKE(a, ptr[facets], int);
  face *list = SSI_TAKE(a, facets, face);
  out->face_ptr = SSI_TAKE(a, facets + 1, int);
  out->face_corner = SSI_TAKE(a, ptr[facets], int);
  if (a->failed) return ssi_fail(a->ctx, SS_ERR_MEMORY, "no memory for the faces of a hull");
  for (int k = 0; k < ptr[facets]; k++) number[point[k]]++;
  for (int p = 0; p < count; p++) {
    number[p] = number[p] >= 3 ? out->corner_count : -1;
    if (number[p] >= 0) ssi_copy3(points + 3 * p, out->corner + 3 * out->corner_count++);
  }
  for (int f = 0; f < facets; f++) {
    int *loop = point + ptr[f], n = 0;
    for (int k = ptr[f]; k < ptr[f + 1]; k++)
      if (number[point[k]] >= 0) loop[n++] = number[point[k]];
    rotate(n, loop, scratch);
    if (n >= 3) list[out->face_count++] = (face){loop, n};
  }
  qsort(list, (size_t)out->face_count, sizeof *list, by_corners);
  for (int f = 0, at = 0; f < out->face_count; f++) {
    memcpy(out->face_corner + at, list[f].corner, sizeof *scratch * (size_t)list[f].count);
    out->face_ptr[f + 1] = at += list[f].count;
  }
  return SS_OK;
}

// The corners one after the other, from the lowest on; facets are pairs of them.
static ss_error polygon(int count, const double *points, int facets, const int *pair,
                        ssi_faces *out) {
  int *next = SSI_TAKE(&out->arena, count, int), first = count;
  if (!next) return ssi_fail(out->arena.ctx, SS_ERR_MEMORY, "no memory for a polygon");
  for (int f = 0; f < facets; f++) {
    next[pair[2 * f]] = pair[2 * f + 1];
    if (pair[2 * f] < first) first = pair[2 * f];
  }
  for (int f = 0, p = first; f < facets; f++, p = next[p])
    ssi_copy3(points + 3 * p, out->corner + 3 * out->corner_count++);
  return SS_OK;
}

// x: the points about their mean, over their size.
static ss_error build(int dim, int count, const double *points, double *x, ssi_faces *out) {
  ssi_arena *a = &out->arena;
  int most = 2 * count + 8, places = 3 * most, facets = 0;  // a triangulation has no more
  int *ptr = SSI_TAKE(a, most + 1, int), *point = SSI_TAKE(a, places, int);
  out->corner = SSI_TAKE(a, 3 * (size_t)count, double);
  if (a->failed) return ssi_fail(a->ctx, SS_ERR_MEMORY, "no memory for a hull of %d points", count);
  SS_TRY(check_flat(a->ctx, dim, count, x));
  for (int p = 0; dim == 2 && p < count; p++)  // two numbers each, in place
    for (int k = 0; k < 2; k++) x[2 * p + k] = x[3 * p + k];
  SS_TRY(facets_of(a->ctx, dim, count, x, most, places, ptr, point, &facets));
  return dim == 2 ? polygon(count, points, facets, point, out)
                  : polyhedron(count, points, facets, ptr, point, out);
}

ss_error ssi_hull_faces(ss_context *ctx, int dim, int count, const double *points, ssi_faces *out) {
  *out = (ssi_faces){.arena = {.ctx = ctx}};
  if (count < dim + 1)
    return ssi_fail(ctx, SS_ERR_ARGUMENT, "a convex hull in %dD needs %d points or more, found %d",
                    dim, dim + 1, count);
  double *x = SSI_TAKE(&out->arena, 6 * (size_t)count, double), *scaled = x + 3 * (size_t)count;
  if (!x) return ssi_fail(ctx, SS_ERR_MEMORY, "no memory for a hull of %d points", count);
  double mean[3] = {0}, size = 0;
  for (int p = 0; p < count; p++)
    for (int k = 0; k < dim; k++) {
      x[3 * p + k] = points[dim * p + k];
      mean[k] += x[3 * p + k] / count;
    }
  for (int p = 0; p < count; p++) size = fmax(size, ssi_distance3(x + 3 * p, mean));
  for (int p = 0; p < count; p++)
    for (int k = 0; k < 3; k++) scaled[3 * p + k] = size > 0 ? (x[3 * p + k] - mean[k]) / size : 0;
  ss_error e = SS_OK;
  if (!(size < 1e150) || (size > 0 && size < 1e-150))
    e = ssi_fail(ctx, SS_ERR_DATA, "the points of a hull are not finite, or of a size of %g", size);
  if (!e) e = build(dim, count, x, scaled, out);
  if (!e && out->corner_count > SS_HULL_MAX)
    e = ssi_fail(ctx, SS_ERR_ARGUMENT, "a hull has %d corners, expected at most %d",
                 out->corner_count, SS_HULL_MAX);
  if (e) ssi_arena_release(&out->arena);
  return e;
}
