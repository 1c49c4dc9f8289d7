// Quickhull with triangles, then coplanar triangles joined into polygons [BDH96].
//
// Every point taken into the hull is one of its true corners: it is the farthest from some plane,
// and among equally far ones the farthest from the mean, a strictly convex function, which is
// largest at a corner. So no corner lies on the line through two others of a face, and triangles
// are never degenerate. A plane sees a point that is more than tol above it; flatter than tol is
// coplanar.
//
// [BDH96] C. B. Barber, D. P. Dobkin, H. Huhdanpaa, The Quickhull algorithm for convex hulls, ACM
//         Transactions on Mathematical Software 22 (1996) 469-483.
#include "dynamics/scene/hull_build.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "la/vec3.h"
#include "stickslip/shape.h"

typedef struct triangle {
  int v[3], next[3];  // corners; neighbour across v[k] -> v[k + 1]
  double normal[3], offset;
  int outside;  // list of points above it, -1: none
  int group;    // coplanar triangles share one; -2: free slot
  bool visible;
} triangle;

typedef struct builder {
  ss_context *ctx;
  int count, triangles;  // points; slots in use or freed
  const double *points;  // as given
  double *x, tol;        // the same about their mean
  triangle *t;
  int *link;   // next point of a list                        (count)
  int *spare;  // free slots, a stack                         (2 count + 8)
  int *stack, *seen, *horizon, *start;
  int spares, seen_count, horizon_count;
} builder;

static double above(const builder *b, const triangle *t, int p) {
  return ssi_dot3(t->normal, b->x + 3 * p) - t->offset;
}

// Offers point p with a value to the best so far: larger wins, equals (within tol) by distance from
// the mean.
typedef struct choice {
  int point;
  double value, far;
} choice;

static void offer(const builder *b, choice *c, int p, double value) {
  double far = ssi_dot3(b->x + 3 * p, b->x + 3 * p);
  if (c->point >= 0 && value < c->value - b->tol) return;
  if (c->point >= 0 && value <= c->value + b->tol && far <= c->far) return;
  *c = (choice){p, value, far};
}

static ss_error broken(const builder *b) {
  return ssi_fail(b->ctx, SS_ERR_DATA,
                  "the convex hull of %d points cannot be told at a tolerance of %g: some are too "
                  "close to each other or to a common plane",
                  b->count, SSI_HULL_TOL);
}

static int add_triangle(builder *b, int u, int v, int w) {
  int slot = b->spares ? b->spare[--b->spares] : b->triangles++;
  triangle *t = b->t + slot;
  *t = (triangle){.v = {u, v, w}, .next = {-1, -1, -1}, .outside = -1, .group = -1};
  double p[3], q[3];
  ssi_sub3(b->x + 3 * v, b->x + 3 * u, p);
  ssi_sub3(b->x + 3 * w, b->x + 3 * u, q);
  ssi_cross3(p, q, t->normal);
  double length = ssi_norm3(t->normal);
  ssi_scale3(length > 0 ? 1 / length : 0, t->normal, t->normal);
  t->offset = ssi_dot3(t->normal, b->x + 3 * u);
  return slot;
}

static void assign(builder *b, int p, const int *slots, int count) {
  for (int k = 0; k < count; k++) {
    triangle *t = b->t + slots[k];
    if (above(b, t, p) > b->tol) {
      b->link[p] = t->outside;
      t->outside = p;
      return;
    }
  }
}

// A tetrahedron of corners: farthest from the mean, from that, from their line, from their plane.
static ss_error first_four(builder *b) {
  choice c[4] = {{.point = -1}, {.point = -1}, {.point = -1}, {.point = -1}};
  for (int p = 0; p < b->count; p++) offer(b, &c[0], p, ssi_norm3(b->x + 3 * p));
  const double *x0 = b->x + 3 * c[0].point;
  for (int p = 0; p < b->count; p++) offer(b, &c[1], p, ssi_distance3(b->x + 3 * p, x0));
  double axis[3], d[3], cross[3];
  ssi_sub3(b->x + 3 * c[1].point, x0, axis);
  double length = ssi_norm3(axis);
  for (int p = 0; p < b->count && length > 0; p++) {
    ssi_sub3(b->x + 3 * p, x0, d);
    ssi_cross3(axis, d, cross);
    offer(b, &c[2], p, ssi_norm3(cross) / length);
  }
  if (!(length > 0) || c[2].value <= b->tol)
    return ssi_fail(b->ctx, SS_ERR_DATA, "the %d points of a hull lie on a line", b->count);
  ssi_sub3(b->x + 3 * c[2].point, x0, d);
  ssi_cross3(axis, d, cross);
  ssi_scale3(1 / ssi_norm3(cross), cross, cross);
  for (int p = 0; p < b->count; p++) {
    ssi_sub3(b->x + 3 * p, x0, d);
    offer(b, &c[3], p, fabs(ssi_dot3(cross, d)));
  }
  if (c[3].value <= b->tol)
    return ssi_fail(b->ctx, SS_ERR_DATA, "the %d points of a hull lie in a plane", b->count);
  int i = c[0].point, j = c[1].point, k = c[2].point, l = c[3].point;
  ssi_sub3(b->x + 3 * l, x0, d);
  if (ssi_dot3(cross, d) > 0) j = c[2].point, k = c[1].point;  // l below the plane of i, j, k
  int slots[4] = {add_triangle(b, i, j, k), add_triangle(b, j, i, l), add_triangle(b, k, j, l),
                  add_triangle(b, i, k, l)};
  static const int next[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
  for (int s = 0; s < 4; s++)
    for (int e = 0; e < 3; e++) b->t[s].next[e] = next[s][e];
  for (int p = 0; p < b->count; p++)
    if (p != i && p != j && p != k && p != l) assign(b, p, slots, 4);
  return SS_OK;
}

// Marks all triangles that `eye` sees, from one that it does; lists their border as pairs
// (triangle beyond, its edge).
static void look(builder *b, int from, int eye) {
  int depth = 0;
  b->seen_count = b->horizon_count = 0;
  b->stack[depth++] = from;
  b->t[from].visible = true;
  while (depth) {
    int s = b->stack[--depth];
    b->seen[b->seen_count++] = s;
    for (int e = 0; e < 3; e++) {
      int other = b->t[s].next[e];
      triangle *o = b->t + other;
      if (o->visible) continue;
      if (above(b, o, eye) > b->tol) {
        o->visible = true;
        b->stack[depth++] = other;
      } else {
        int back = o->next[0] == s ? 0 : o->next[1] == s ? 1 : 2;
        b->horizon[2 * b->horizon_count] = other;
        b->horizon[2 * b->horizon_count++ + 1] = back;
      }
    }
  }
}

// A fan from the border to `eye` in place of the triangles it sees.
static ss_error grow(builder *b, int eye) {
  int pending = -1;
  for (int k = 0; k < b->seen_count; k++) {
    triangle *t = b->t + b->seen[k];
    for (int p = t->outside, next; p >= 0; p = next) {
      next = b->link[p];
      if (p != eye) b->link[p] = pending, pending = p;
    }
    t->group = -2;
    b->spare[b->spares++] = b->seen[k];
  }
  int *fan = b->seen;  // the seen ones are done with; the fan is no longer than 2 count + 8
  for (int k = 0; k < b->horizon_count; k++) {
    int beyond = b->horizon[2 * k], e = b->horizon[2 * k + 1];
    int u = b->t[beyond].v[(e + 1) % 3], v = b->t[beyond].v[e];
    int s = add_triangle(b, u, v, eye);
    b->t[s].next[0] = beyond;
    b->t[beyond].next[e] = s;
    if (b->start[u] >= 0) return broken(b);
    b->start[u] = s;
    fan[k] = s;
  }
  for (int k = 0; k < b->horizon_count; k++) {
    int v = b->t[fan[k]].v[1], after = b->start[v];
    if (after < 0) return broken(b);
    b->t[fan[k]].next[1] = after;
    b->t[after].next[2] = fan[k];
  }
  for (int k = 0; k < b->horizon_count; k++) b->start[b->t[fan[k]].v[0]] = -1;
  for (int p = pending, next; p >= 0; p = next) {
    next = b->link[p];
    assign(b, p, fan, b->horizon_count);
  }
  return SS_OK;
}

static ss_error triangulate(builder *b) {
  SS_TRY(first_four(b));
  for (bool again = true; again;) {
    again = false;
    for (int s = 0; s < b->triangles; s++) {
      triangle *t = b->t + s;
      if (t->group == -2 || t->outside < 0) continue;
      choice c = {.point = -1};
      for (int p = t->outside; p >= 0; p = b->link[p]) offer(b, &c, p, above(b, t, p));
      look(b, s, c.point);
      SS_TRY(grow(b, c.point));
      again = true;
    }
  }
  return SS_OK;
}

static bool coplanar(const builder *b, int s, int e) {
  const triangle *t = b->t + s, *o = b->t + t->next[e];
  for (int k = 0; k < 3; k++)
    if (fabs(above(b, t, o->v[k])) > 2 * b->tol || fabs(above(b, o, t->v[k])) > 2 * b->tol)
      return false;
  return true;
}

// Numbers the groups of coplanar triangles.
static int group(builder *b) {
  int groups = 0;
  for (int s = 0; s < b->triangles; s++) {
    if (b->t[s].group != -1) continue;
    int depth = 0;
    b->t[s].group = groups;
    b->stack[depth++] = s;
    while (depth) {
      int now = b->stack[--depth];
      for (int e = 0; e < 3; e++) {
        int other = b->t[now].next[e];
        if (b->t[other].group != -1 || !coplanar(b, now, e)) continue;
        b->t[other].group = groups;
        b->stack[depth++] = other;
      }
    }
    groups++;
  }
  return groups;
}

// Where each group has its border: successor[v] = corner after v around group g, -1 elsewhere.
// Returns the number of corners, -1 if the border crosses itself; *first is the lowest of them.
static int border(const builder *b, const int *member, int from, int to, int *successor,
                  int *first) {
  int count = 0;
  *first = INT32_MAX;
  for (int k = from; k < to; k++) {
    const triangle *t = b->t + member[k];
    for (int e = 0; e < 3; e++) {
      if (b->t[t->next[e]].group == t->group) continue;
      if (successor[t->v[e]] >= 0) return -1;
      successor[t->v[e]] = t->v[(e + 1) % 3];
      if (t->v[e] < *first) *first = t->v[e];
      count++;
    }
  }
  return count;
}

// One polygon per group. A corner that only two polygons share lies inside an edge: left out.
static ss_error polygons(builder *b, int groups, ssi_faces *out) {
  ssi_arena *a = &out->arena;
  int *ptr = SSI_TAKE(a, groups + 1, int), *member = SSI_TAKE(a, b->triangles, int);
  int *loop_ptr = SSI_TAKE(a, groups + 1, int), *loop = SSI_TAKE(a, 3 * (size_t)b->triangles, int);
  int *successor = SSI_TAKE(a, b->count, int), *uses = SSI_TAKE(a, b->count, int);
  out->corner = SSI_TAKE(a, 3 * (size_t)b->count, double);
  out->face_ptr = SSI_TAKE(a, groups + 1, int);
  out->face_corner = SSI_TAKE(a, 3 * (size_t)b->triangles, int);
  if (a->failed) return ssi_fail(b->ctx, SS_ERR_MEMORY, "no memory for the faces of a hull");
  for (int s = 0; s < b->triangles; s++)
    if (b->t[s].group >= 0) ptr[b->t[s].group + 1]++;
  for (int g = 0; g < groups; g++) ptr[g + 1] += ptr[g];
  for (int s = b->triangles - 1; s >= 0; s--)
    if (b->t[s].group >= 0) member[--ptr[b->t[s].group + 1]] = s;
  memmove(ptr, ptr + 1, (size_t)groups * sizeof *ptr);
  ptr[groups] = 0;
  for (int s = 0; s < b->triangles; s++) ptr[groups] += b->t[s].group >= 0;

  memset(successor, -1, (size_t)b->count * sizeof *successor);
  for (int g = 0; g < groups; g++) {
    int first, count = border(b, member, ptr[g], ptr[g + 1], successor, &first);
    if (count < 3) return broken(b);
    int at = loop_ptr[g], v = first;
    for (int k = 0; k < count; k++) {
      if (v < 0) return broken(b);
      loop[at++] = v;
      uses[v]++;
      int next = successor[v];
      successor[v] = -1;
      v = next;
    }
    if (v != first) return broken(b);  // more than one loop
    loop_ptr[g + 1] = at;
  }
  int *number = successor;  // of each corner, in the order of the points
  out->corner_count = 0;
  for (int p = 0; p < b->count; p++)
    if (uses[p] >= 3) {
      number[p] = out->corner_count;
      ssi_copy3(b->points + 3 * p, out->corner + 3 * out->corner_count++);
    }
  for (int g = 0; g < groups; g++) {
    int at = out->face_ptr[g];
    for (int k = loop_ptr[g]; k < loop_ptr[g + 1]; k++)
      if (number[loop[k]] >= 0) out->face_corner[at++] = number[loop[k]];
    if (at - out->face_ptr[g] < 3) return broken(b);
    out->face_ptr[g + 1] = at;
  }
  out->face_count = groups;
  return SS_OK;
}

static ss_error build(ss_context *ctx, int count, const double *points, double size,
                      const double mean[3], ssi_faces *out) {
  ssi_arena scratch = {.ctx = ctx};
  size_t slots = 2 * (size_t)count + 8;
  builder b = {.ctx = ctx, .count = count, .points = points, .tol = SSI_HULL_TOL * size};
  b.x = SSI_TAKE(&scratch, 3 * (size_t)count, double);
  b.t = SSI_TAKE(&scratch, slots, triangle);
  b.link = SSI_TAKE(&scratch, count, int);
  b.start = SSI_TAKE(&scratch, count, int);
  b.spare = SSI_TAKE(&scratch, slots, int);
  b.stack = SSI_TAKE(&scratch, slots, int);
  b.seen = SSI_TAKE(&scratch, slots, int);
  b.horizon = SSI_TAKE(&scratch, 2 * slots, int);
  ss_error e = scratch.failed
                   ? ssi_fail(ctx, SS_ERR_MEMORY, "no memory for a hull of %d points", count)
                   : SS_OK;
  for (int p = 0; p < count && !e; p++) {
    ssi_sub3(points + 3 * p, mean, b.x + 3 * p);
    b.start[p] = -1;
  }
  if (!e) e = triangulate(&b);
  if (!e) e = polygons(&b, group(&b), out);
  ssi_arena_release(&scratch);
  return e;
}

typedef struct planar {
  double x, y;
  int index;
} planar;

static int by_place(const void *p, const void *q) {
  const planar *a = p, *b = q;
  if (a->x != b->x) return a->x < b->x ? -1 : 1;
  if (a->y != b->y) return a->y < b->y ? -1 : 1;
  return a->index - b->index;
}

// Andrew's monotone chain: lower side from left to right, then the upper side back. A point within
// tol of the chord of its neighbours, or inside it, goes.
static ss_error chain(ss_context *ctx, int count, const double *points, double tol,
                      ssi_faces *out) {
  planar *p = SSI_TAKE(&out->arena, count, planar),
         *h = SSI_TAKE(&out->arena, 2 * (size_t)count + 2, planar);
  out->corner = SSI_TAKE(&out->arena, 3 * (size_t)count + 3, double);
  if (out->arena.failed) return ssi_fail(ctx, SS_ERR_MEMORY, "no memory for a polygon");
  for (int k = 0; k < count; k++) p[k] = (planar){points[3 * k], points[3 * k + 1], k};
  qsort(p, (size_t)count, sizeof *p, by_place);
  int n = 0;
  for (int side = 0, floor = 0; side < 2; side++, floor = n - 1)
    for (int i = 0; i < count; i++) {
      planar now = p[side ? count - 1 - i : i];
      if (side && i == 0) continue;  // the last of the lower side
      while (n - floor >= 2) {
        double ux = now.x - h[n - 2].x, uy = now.y - h[n - 2].y;
        double wx = h[n - 1].x - h[n - 2].x, wy = h[n - 1].y - h[n - 2].y;
        if (wx * uy - wy * ux > tol * sqrt(ux * ux + uy * uy)) break;
        n--;
      }
      h[n++] = now;
    }
  n--;  // the first once more
  if (n < 3) return ssi_fail(ctx, SS_ERR_DATA, "the %d points of a polygon lie on a line", count);
  int first = 0;
  for (int k = 1; k < n; k++)
    if (h[k].index < h[first].index) first = k;
  for (int k = 0; k < n; k++) ssi_copy3(points + 3 * h[(first + k) % n].index, out->corner + 3 * k);
  out->corner_count = n;
  return SS_OK;
}

ss_error ssi_hull_faces(ss_context *ctx, int dim, int count, const double *points, ssi_faces *out) {
  *out = (ssi_faces){.arena = {.ctx = ctx}};
  if (count < dim + 1)
    return ssi_fail(ctx, SS_ERR_ARGUMENT, "a convex hull in %dD needs %d points or more, found %d",
                    dim, dim + 1, count);
  double *x = SSI_TAKE(&out->arena, 3 * (size_t)count, double), mean[3] = {0}, size = 0;
  if (!x) return ssi_fail(ctx, SS_ERR_MEMORY, "no memory for a hull of %d points", count);
  for (int p = 0; p < count; p++)
    for (int k = 0; k < dim; k++) {
      x[3 * p + k] = points[dim * p + k];
      mean[k] += x[3 * p + k] / count;
    }
  for (int p = 0; p < count; p++) size = fmax(size, ssi_distance3(x + 3 * p, mean));
  ss_error e = SS_OK;
  if (!(size < 1e150) || (size > 0 && size < 1e-150))
    e = ssi_fail(ctx, SS_ERR_DATA, "the points of a hull are not finite, or of a size of %g", size);
  if (!e)
    e = dim == 2 ? chain(ctx, count, x, SSI_HULL_TOL * size, out)
                 : build(ctx, count, x, size, mean, out);
  if (!e && out->corner_count > SS_HULL_MAX)
    e = ssi_fail(ctx, SS_ERR_ARGUMENT, "a hull has %d corners, expected at most %d",
                 out->corner_count, SS_HULL_MAX);
  if (e) ssi_arena_release(&out->arena);
  return e;
}
