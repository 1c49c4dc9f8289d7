// The borders of the regions as arcs: polygons that run from a corner of the grid where three or more
// regions meet to the next such corner (or around), shared by the two regions beside them, so that
// simplifying an arc moves both alike and no gap opens.
//
// An arc goes through the middles of the cell edges that separate its regions, which cuts the steps of
// the grid, and is thinned out by Douglas and Peucker's rule with a tolerance of half a cell.
#include "analysis/atlas_trace.h"

#include <math.h>
#include <string.h>

#include "base/error.h"

// Directions along the grid lines: 0 east, 1 north, 2 west, 3 south.
static const int step_i[4] = {1, 0, -1, 0}, step_j[4] = {0, 1, 0, -1};

typedef struct tracing {
  ss_context *ctx;
  ssi_arena *arena;
  const ssi_raster *g;
  const int *region_of;
  ss_atlas *a;
  unsigned char *seen;  // bit 0: the edge east of a corner, bit 1: north    ((width+1) (height+1))
  ss_atlas_arc *arcs;
  int *ends;  // first and last corner of each arc      (2 arc_room)
  int arc_count, arc_room;
  double *path;  // of the arc being traced, in cells
  int path_count, path_room;
  bool *keep;  // scratch of the thinning
  int keep_room;
} tracing;

static ss_error no_memory(ss_context *ctx) {
  return ssi_fail(ctx, SS_ERR_MEMORY, "no memory for the regions of an atlas");
}

static int region_at(const tracing *t, int i, int j) {
  if (i < 0 || j < 0 || i >= t->g->width || j >= t->g->height) return -1;
  return t->region_of[j * t->g->width + i];
}

// The cells left and right of the edge that leaves corner (i, j) in direction d.
static void sides(const tracing *t, int i, int j, int d, int *left, int *right) {
  static const int left_i[4] = {0, -1, -1, 0}, left_j[4] = {0, 0, -1, -1};
  int e = (d + 3) % 4;
  *left = region_at(t, i + left_i[d], j + left_j[d]);
  *right = region_at(t, i + left_i[e], j + left_j[e]);
}

static bool is_edge(const tracing *t, int i, int j, int d) {
  int a = i + step_i[d], b = j + step_j[d], left, right;
  if (a < 0 || b < 0 || a > t->g->width || b > t->g->height) return false;
  sides(t, i, j, d, &left, &right);
  return left != right;
}

static unsigned char *seen_place(const tracing *t, int i, int j, int d, unsigned char *bit) {
  if (d >= 2) i += step_i[d], j += step_j[d];
  *bit = d % 2 ? 2 : 1;
  return &t->seen[(size_t)j * (size_t)(t->g->width + 1) + (size_t)i];
}

static bool was_seen(const tracing *t, int i, int j, int d) {
  unsigned char bit, *place = seen_place(t, i, j, d, &bit);
  return *place & bit;
}

static void set_seen(tracing *t, int i, int j, int d) {
  unsigned char bit, *place = seen_place(t, i, j, d, &bit);
  *place |= bit;
}

static bool is_corner_of_all(const tracing *t, int i, int j) {
  return (i == 0 || i == t->g->width) && (j == 0 || j == t->g->height);
}

// Where arcs begin and end.
static bool is_junction(const tracing *t, int i, int j) {
  int edges = 0;
  for (int d = 0; d < 4; d++) edges += is_edge(t, i, j, d);
  return (edges != 2 && edges != 0) || is_corner_of_all(t, i, j);
}

// ---- thinning -------------------------------------------------------------------------------

static double distance_to(const double *p, const double *a, const double *b) {
  double dx = b[0] - a[0], dy = b[1] - a[1], x = p[0] - a[0], y = p[1] - a[1];
  double square = dx * dx + dy * dy, s = square > 0 ? (x * dx + y * dy) / square : 0;
  s = s < 0 ? 0 : s > 1 ? 1 : s;
  return hypot(x - s * dx, y - s * dy);
}

// Keeps, between the kept points `from` and `to`, the farthest one while it is farther than half a cell.
// The recursion is as deep as the arc is winding: bounded by a stack kept in `open`.
static bool thin(tracing *t, int from, int to) {
  enum { DEPTH = 64 };
  int open[DEPTH][2], depth = 0;
  open[depth][0] = from, open[depth++][1] = to;
  while (depth) {
    int a = open[--depth][0], b = open[depth][1], far = -1;
    double most = 0.5;
    for (int k = a + 1; k < b; k++) {
      double d = distance_to(t->path + 2 * k, t->path + 2 * a, t->path + 2 * b);
      if (d > most) most = d, far = k;
    }
    if (far < 0) continue;
    t->keep[far] = true;
    // the longer part below: the stack then holds at most log2(points) parts
    bool left_longer = far - a > b - far;
    if (depth + 2 > DEPTH) return false;
    open[depth][0] = left_longer ? a : far, open[depth++][1] = left_longer ? far : b;
    open[depth][0] = left_longer ? far : a, open[depth++][1] = left_longer ? b : far;
  }
  return true;
}

static void choose_points(tracing *t, bool closed) {
  int last = t->path_count - 1, middle = 0;
  memset(t->keep, 0, (size_t)t->path_count * sizeof *t->keep);
  t->keep[0] = t->keep[last] = true;
  if (closed) {  // its ends are one point: begin with the point farthest from it
    double most = -1;
    for (int k = 1; k < last; k++) {
      double d = hypot(t->path[2 * k] - t->path[0], t->path[2 * k + 1] - t->path[1]);
      if (d > most) most = d, middle = k;
    }
    t->keep[middle] = true;
    if (thin(t, 0, middle) && thin(t, middle, last)) return;
  } else if (thin(t, 0, last))
    return;
  memset(t->keep, 1, (size_t)t->path_count * sizeof *t->keep);
}

// ---- tracing --------------------------------------------------------------------------------

static bool reserve(ss_context *ctx, void **mem, int *room, int used, int needed, size_t size) {
  if (needed <= *room) return true;
  int more = *room * 2 > needed ? *room * 2 : needed + 64;
  void *bigger = ssi_alloc(ctx, (size_t)more, size);
  if (!bigger) return false;
  if (used) memcpy(bigger, *mem, (size_t)used * size);
  ssi_release(ctx, *mem);
  *mem = bigger;
  *room = more;
  return true;
}

static bool add_point(tracing *t, double x, double y) {
  void *path = t->path;
  if (!reserve(t->ctx, &path, &t->path_room, t->path_count, t->path_count + 1, 2 * sizeof(double)))
    return false;
  t->path = path;
  t->path[2 * t->path_count] = x;
  t->path[2 * t->path_count++ + 1] = y;
  return true;
}

static double scaled(const ss_atlas_axis *a, double cells, double at) {
  return a->from + (a->to - a->from) * (at / cells);
}

static ss_error finish_arc(tracing *t, int left, int right, int first, int last) {
  void *arcs = t->arcs, *ends = t->ends, *keep = t->keep;
  int room = t->arc_room;
  bool ok = reserve(t->ctx, &keep, &t->keep_room, 0, t->path_count, sizeof *t->keep) &&
            reserve(t->ctx, &arcs, &room, t->arc_count, t->arc_count + 1, sizeof *t->arcs);
  t->arcs = arcs, t->keep = keep;
  ok = ok && reserve(t->ctx, &ends, &t->arc_room, t->arc_count, t->arc_count + 1, 2 * sizeof(int));
  t->ends = ends;
  if (!ok) return no_memory(t->ctx);
  choose_points(t, first == last);
  int count = 0;
  for (int k = 0; k < t->path_count; k++) count += t->keep[k];
  double *points = SSI_TAKE(t->arena, 2 * (size_t)count, double);
  if (!points) return no_memory(t->ctx);
  for (int k = 0, at = 0; k < t->path_count; k++) {
    if (!t->keep[k]) continue;
    points[at++] = scaled(&t->a->x, t->g->width, t->path[2 * k]);
    points[at++] = scaled(&t->a->y, t->g->height, t->path[2 * k + 1]);
  }
  t->ends[2 * t->arc_count] = first;
  t->ends[2 * t->arc_count + 1] = last;
  t->arcs[t->arc_count++] = (ss_atlas_arc){left, right, count, points};
  return SS_OK;
}

// From corner (i, j) in direction d, to the next junction or back to the beginning. The rectangle's own
// edge is kept to the corner points, so that it stays straight; inside, the middles of edges are taken.
static ss_error trace_arc(tracing *t, int i, int j, int d) {
  int left, right, begin_i = i, begin_j = j, wide = t->g->width + 1;
  sides(t, i, j, d, &left, &right);
  bool inside = left >= 0 && right >= 0, ok;
  t->path_count = 0;
  ok = add_point(t, i, j);
  for (;;) {
    set_seen(t, i, j, d);
    if (inside) ok = ok && add_point(t, i + step_i[d] / 2.0, j + step_j[d] / 2.0);
    i += step_i[d], j += step_j[d];
    if ((i == begin_i && j == begin_j) || is_junction(t, i, j)) break;
    if (!inside) ok = ok && add_point(t, i, j);
    for (int turn = 0; turn < 4; turn++)  // the other edge of this corner
      if (is_edge(t, i, j, turn) && turn != (d + 2) % 4) {
        d = turn;
        break;
      }
  }
  ok = ok && add_point(t, i, j);
  if (!ok) return no_memory(t->ctx);
  return finish_arc(t, left, right, begin_j * wide + begin_i, j * wide + i);
}

static ss_error trace_all(tracing *t) {
  for (int loops = 0; loops < 2; loops++)  // arcs between junctions first, then those without
    for (int j = 0; j <= t->g->height; j++)
      for (int i = 0; i <= t->g->width; i++) {
        if (!loops && !is_junction(t, i, j)) continue;
        for (int d = 0; d < 4; d++)
          if (is_edge(t, i, j, d) && !was_seen(t, i, j, d)) SS_TRY(trace_arc(t, i, j, d));
      }
  return SS_OK;
}

// ---- rings ----------------------------------------------------------------------------------

// The arcs beside region r, directed so that it lies on their left, joined end to end.
typedef struct rings {
  int *use;  // arcs of one region: k or -1 - k     (arc_count)
  int use_count;
  int *ring, *arc;  // result
  int ring_count, arc_used;
} rings;

static int end_of(const tracing *t, int use, bool last) {
  int k = use >= 0 ? use : -1 - use;
  return t->ends[2 * k + ((use >= 0) == last)];
}

static void join(const tracing *t, rings *r) {
  r->ring_count = r->arc_used = 0;
  while (r->use_count) {
    int now = r->use[--r->use_count], begin = end_of(t, now, false);
    r->ring[r->ring_count++] = r->arc_used;
    r->arc[r->arc_used++] = now;
    while (end_of(t, now, true) != begin) {
      int k = 0;
      while (k < r->use_count && end_of(t, r->use[k], false) != end_of(t, now, true)) k++;
      if (k == r->use_count) break;  // cannot be: a border has no ends
      now = r->use[k];
      r->use[k] = r->use[--r->use_count];
      r->arc[r->arc_used++] = now;
    }
  }
  r->ring[r->ring_count] = r->arc_used;
}

static ss_error copy_rings(const tracing *t, const rings *r, ss_atlas_region *out) {
  int *ring = SSI_TAKE(t->arena, r->ring_count + 1, int),
      *arc = SSI_TAKE(t->arena, r->arc_used, int);
  if (!ring || !arc) return no_memory(t->ctx);
  memcpy(ring, r->ring, (size_t)(r->ring_count + 1) * sizeof *ring);
  memcpy(arc, r->arc, (size_t)r->arc_used * sizeof *arc);
  out->ring_count = r->ring_count;
  out->ring = ring;
  out->ring_arc = arc;
  return SS_OK;
}

// Arcs sorted by region (a counting sort), then joined region by region.
static ss_error make_rings(tracing *t, ss_atlas_region *regions, int count) {
  size_t uses = 2 * (size_t)t->arc_count, room = uses + (size_t)count + 2;
  int *start = ssi_alloc(t->ctx, room, sizeof *start), *use = ssi_alloc(t->ctx, room, sizeof *use);
  int *ring = ssi_alloc(t->ctx, room, sizeof *ring), *arc = ssi_alloc(t->ctx, room, sizeof *arc);
  ss_error e = start && use && ring && arc ? SS_OK : no_memory(t->ctx);
  if (!e) {
    memset(start, 0, room * sizeof *start);
    for (int k = 0; k < t->arc_count; k++) {
      if (t->arcs[k].left >= 0) start[t->arcs[k].left + 2]++;
      if (t->arcs[k].right >= 0) start[t->arcs[k].right + 2]++;
    }
    for (int r = 0; r < count; r++) start[r + 2] += start[r + 1];
    for (int k = 0; k < t->arc_count; k++) {
      if (t->arcs[k].left >= 0) use[start[t->arcs[k].left + 1]++] = k;
      if (t->arcs[k].right >= 0) use[start[t->arcs[k].right + 1]++] = -1 - k;
    }
  }
  for (int r = 0; !e && r < count; r++) {
    rings now = {
        .use = use + start[r], .use_count = start[r + 1] - start[r], .ring = ring, .arc = arc};
    join(t, &now);
    e = copy_rings(t, &now, &regions[r]);
  }
  ssi_release(t->ctx, start);
  ssi_release(t->ctx, use);
  ssi_release(t->ctx, ring);
  ssi_release(t->ctx, arc);
  return e;
}

// ---- all of it ------------------------------------------------------------------------------

static ss_error make_regions(tracing *t, int *region_of, ss_atlas_region **out, int *count) {
  const ssi_raster *g = t->g;
  size_t cells = (size_t)g->width * (size_t)g->height;
  int *stack = ssi_alloc(t->ctx, cells, sizeof *stack);
  float *distance = ssi_alloc(t->ctx, cells, sizeof *distance);
  ssi_place *places = NULL;
  if (stack) *count = ssi_find_regions(g, region_of, stack);
  if (stack) places = ssi_alloc(t->ctx, (size_t)*count, sizeof *places);
  *out = places ? SSI_TAKE(t->arena, *count, ss_atlas_region) : NULL;
  bool ok = stack && distance && places && *out;
  if (ok) ssi_place_labels(g, region_of, distance, *count, places);
  for (int r = 0; ok && r < *count; r++) {
    int at = places[r].cell;
    (*out)[r] = (ss_atlas_region){.kind = g->kind[at],
                                  .area = places[r].cells / (double)cells,
                                  .x = scaled(&t->a->x, g->width, at % g->width + 0.5),
                                  .y = scaled(&t->a->y, g->height, at / g->width + 0.5),
                                  .room = places[r].room};
  }
  ssi_release(t->ctx, stack);
  ssi_release(t->ctx, distance);
  ssi_release(t->ctx, places);
  return ok ? SS_OK : no_memory(t->ctx);
}

ss_error ssi_atlas_trace(ss_context *ctx, ssi_arena *arena, const int *kind, int width, int height,
                         ss_atlas *a, int *region_of) {
  ssi_raster g = {width, height, kind};
  tracing t = {.ctx = ctx, .arena = arena, .g = &g, .region_of = region_of, .a = a};
  ss_atlas_region *regions = NULL;
  size_t corners = (size_t)(width + 1) * (size_t)(height + 1);
  SS_TRY(make_regions(&t, region_of, &regions, &a->region_count));
  t.seen = ssi_alloc(ctx, corners, 1);
  ss_error e = t.seen ? SS_OK : no_memory(ctx);
  if (!e) {
    memset(t.seen, 0, corners);
    e = trace_all(&t);
  }
  if (!e) e = make_rings(&t, regions, a->region_count);
  ss_atlas_arc *arcs = e ? NULL : SSI_TAKE(arena, t.arc_count, ss_atlas_arc);
  if (!e && !arcs) e = no_memory(ctx);
  if (!e) memcpy(arcs, t.arcs, (size_t)t.arc_count * sizeof *arcs);
  a->regions = regions;
  a->arcs = arcs;
  a->arc_count = t.arc_count;
  ss_atlas_kind *kinds = (ss_atlas_kind *)a->kinds;  // made by us, in this arena
  for (int r = 0; !e && r < a->region_count; r++) kinds[regions[r].kind].regions++;
  ssi_release(ctx, t.seen);
  ssi_release(ctx, t.arcs);
  ssi_release(ctx, t.ends);
  ssi_release(ctx, t.path);
  ssi_release(ctx, t.keep);
  return e;
}
