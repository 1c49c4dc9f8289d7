// The borders of the regions as arcs: polygons that run from a corner of the grid where three or more
// regions meet to the next such corner (or around), shared by the two regions beside them, so that
// simplifying an arc moves both alike and no gap opens.
//
// An arc goes through the middles of the cell edges that separate its regions, which cuts the steps of
// the grid. Some of these points, those that Douglas and Peucker's rule asks for among them, are
// moved onto the border by bisection; of them the same rule keeps what a smooth line needs.
#include "analysis/atlas.h"

#include <math.h>
#include <string.h>

#include "base/error.h"

// Directions along the grid lines: 0 east, 1 north, 2 west, 3 south.
static const int step_i[4] = {1, 0, -1, 0}, step_j[4] = {0, 1, 0, -1};

// In cells. Most vertices are the middle of an edge that leaves corner (i, j) in direction d, or have
// moved from there; a junction has d = -1.
typedef struct arc_vertex {
  double x, y;
  int i, j, d;
} arc_vertex;

typedef struct arc_record {
  int left, right;  // regions
  int begin, end;   // corners
  int from, count;  // in the path
} arc_record;

// STEPS_TOLERANCE: above the steps of a straight border that were cut through. SHARP_TOLERANCE: above
// the share of a cell that points are off after sharpening (atlas_sharpen.c).
// Of the points on a curved border every STRIDE-th is sharpened.
enum { STRIDE = 4 };
static const double STEPS_TOLERANCE = 0.75, SHARP_TOLERANCE = 0.1;

typedef struct tracing {
  ss_context *ctx;
  ssi_atlas_run *run;
  ssi_arena *arena;
  const ssi_raster *g;
  const int *region_of;
  ss_atlas *a;
  unsigned char *seen;  // bit 0: the edge east of a corner, bit 1: north    ((width+1) (height+1))
  arc_record *arcs;
  int arc_count;
  arc_vertex *path;  // of all arcs, one after the other
  int path_end;
  bool *keep;  // scratch of the thinning: as long as the longest arc was
  size_t arc_room, path_room, keep_room;
} tracing;

static ss_error no_memory(ss_context *ctx) {
  return ssi_fail(ctx, SS_ERR_MEMORY, "no memory for the regions of an atlas");
}

static int region_at(const tracing *t, int i, int j) {
  if (i < 0 || j < 0 || i >= t->g->width || j >= t->g->height) return -1;
  return t->region_of[j * t->g->width + i];
}

// The cells left and right of the edge that leaves corner (i, j) in direction d.
static void cells_beside(int i, int j, int d, int *left_i, int *left_j, int *right_i,
                         int *right_j) {
  static const int at_i[4] = {0, -1, -1, 0}, at_j[4] = {0, 0, -1, -1};
  int e = (d + 3) % 4;
  *left_i = i + at_i[d], *left_j = j + at_j[d];
  *right_i = i + at_i[e], *right_j = j + at_j[e];
}

static void sides(const tracing *t, int i, int j, int d, int *left, int *right) {
  int li, lj, ri, rj;
  cells_beside(i, j, d, &li, &lj, &ri, &rj);
  *left = region_at(t, li, lj);
  *right = region_at(t, ri, rj);
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

static double distance_to(const arc_vertex *p, const arc_vertex *a, const arc_vertex *b) {
  double dx = b->x - a->x, dy = b->y - a->y, x = p->x - a->x, y = p->y - a->y;
  double square = dx * dx + dy * dy, s = square > 0 ? (x * dx + y * dy) / square : 0;
  s = s < 0 ? 0 : s > 1 ? 1 : s;
  return hypot(x - s * dx, y - s * dy);
}

// Keeps, between the kept points `from` and `to`, the farthest one while it is too far.
static bool thin(const arc_vertex *path, bool *keep, int from, int to, double tol) {
  enum { DEPTH = 64 };
  int open[DEPTH][2], depth = 0;
  open[depth][0] = from, open[depth++][1] = to;
  while (depth) {
    int a = open[--depth][0], b = open[depth][1], far = -1;
    double most = tol;
    for (int k = a + 1; k < b; k++) {
      double d = distance_to(&path[k], &path[a], &path[b]);
      if (d > most) most = d, far = k;
    }
    if (far < 0) continue;
    keep[far] = true;
    // the shorter part on top: the stack then holds at most log2(points) parts
    bool left_longer = far - a > b - far;
    if (depth + 2 > DEPTH) return false;
    open[depth][0] = left_longer ? a : far, open[depth++][1] = left_longer ? far : b;
    open[depth][0] = left_longer ? far : a, open[depth++][1] = left_longer ? b : far;
  }
  return true;
}

// Moves the points to be kept to the front (with a stride, also every such point that can be
// sharpened); returns their number. A closed path, whose ends are one
// point, begins with the point farthest from it.
static int thin_path(arc_vertex *path, bool *keep, int count, bool closed, double tol, int stride) {
  int last = count - 1, middle = last, kept = 0;
  memset(keep, 0, (size_t)count * sizeof *keep);
  keep[0] = keep[last] = true;
  if (closed) {
    double most = -1;
    for (int k = 1; k < last; k++) {
      double d = hypot(path[k].x - path[0].x, path[k].y - path[0].y);
      if (d > most) most = d, middle = k;
    }
    keep[middle] = true;
  }
  if (!thin(path, keep, 0, middle, tol) || !thin(path, keep, middle, last, tol)) return count;
  for (int k = 0; k < count; k++)
    if (keep[k] || (stride && path[k].d >= 0 && k % stride == 0)) path[kept++] = path[k];
  return kept;
}

// ---- tracing --------------------------------------------------------------------------------

static bool add_point(tracing *t, arc_vertex v) {
  size_t end = (size_t)t->path_end;
  bool ok = ssi_grow(t->ctx, &t->path, &t->path_room, end + 1, end, sizeof v);
  if (ok) t->path[t->path_end++] = v;
  return ok;
}

// The points from `from` on become an arc, thinned out.
static ss_error finish_arc(tracing *t, int from, arc_record record) {
  int count = t->path_end - from;
  size_t arcs = (size_t)t->arc_count;
  if (!ssi_grow(t->ctx, &t->keep, &t->keep_room, (size_t)count, 0, sizeof *t->keep) ||
      !ssi_grow(t->ctx, &t->arcs, &t->arc_room, arcs + 1, arcs, sizeof record))
    return no_memory(t->ctx);
  record.from = from;
  record.count = thin_path(t->path + from, t->keep, count, record.begin == record.end,
                           STEPS_TOLERANCE, STRIDE);
  t->path_end = from + record.count;
  t->arcs[t->arc_count++] = record;
  return SS_OK;
}

// From corner (i, j) in direction d, to the next junction or back to the beginning. The rectangle's own
// edge is kept to the corner points, so that it stays straight; inside, the middles of edges are taken.
static ss_error trace_arc(tracing *t, int i, int j, int d) {
  int wide = t->g->width + 1, begin = j * wide + i, from = t->path_end;
  arc_record record = {.begin = begin};
  sides(t, i, j, d, &record.left, &record.right);
  bool inside = record.left >= 0 && record.right >= 0, ok;
  ok = add_point(t, (arc_vertex){i, j, i, j, -1});
  for (;;) {
    set_seen(t, i, j, d);
    if (inside)
      ok = ok && add_point(t, (arc_vertex){i + step_i[d] / 2.0, j + step_j[d] / 2.0, i, j, d});
    i += step_i[d], j += step_j[d];
    if (j * wide + i == begin || is_junction(t, i, j)) break;
    if (!inside) ok = ok && add_point(t, (arc_vertex){i, j, i, j, -1});
    for (int turn = 0; turn < 4; turn++)  // the other edge of this corner
      if (is_edge(t, i, j, turn) && turn != (d + 2) % 4) {
        d = turn;
        break;
      }
  }
  ok = ok && add_point(t, (arc_vertex){i, j, i, j, -1});
  record.end = j * wide + i;
  return ok ? finish_arc(t, from, record) : no_memory(t->ctx);
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

// ---- sharpening -----------------------------------------------------------------------------

// Each point that is the middle of an edge between two cells moves onto the border between them.
static int gather(tracing *t, ssi_needle *out) {
  int count = 0;
  for (int k = 0; k < t->path_end; k++) {
    arc_vertex *v = &t->path[k];
    if (v->d < 0) continue;
    int li, lj, ri, rj;
    cells_beside(v->i, v->j, v->d, &li, &lj, &ri, &rj);
    if (out) out[count] = ssi_needle_between(li, lj, ri, rj, t->g->kind[lj * t->g->width + li]);
    count++;
  }
  return count;
}

static ss_error sharpen(tracing *t) {
  int count = gather(t, NULL);
  ssi_needle *needles = ssi_alloc(t->ctx, (size_t)count, sizeof *needles), *n = needles;
  if (!needles) return no_memory(t->ctx);
  gather(t, needles);
  ss_error e = ssi_needles_sharpen(t->run, t->g, needles, count);
  for (int k = 0; k < t->path_end && !e; k++) {
    arc_vertex *v = &t->path[k];
    if (v->d < 0) continue;
    v->x = (n->low[0] + n->high[0]) / 2, v->y = (n->low[1] + n->high[1]) / 2;
    n++;
  }
  ssi_release(t->ctx, needles);
  return e;
}

// Thinned out once more, now that straight borders are straight; in the parameters' units.
static ss_error write_arcs(tracing *t) {
  ss_atlas_arc *out = SSI_TAKE(t->arena, t->arc_count, ss_atlas_arc);
  if (!out) return no_memory(t->ctx);
  for (int k = 0; k < t->arc_count; k++) {
    arc_record *r = &t->arcs[k];
    arc_vertex *path = t->path + r->from;
    r->count = thin_path(path, t->keep, r->count, r->begin == r->end, SHARP_TOLERANCE, 0);
    double *points = SSI_TAKE(t->arena, 2 * (size_t)r->count, double);
    if (!points) return no_memory(t->ctx);
    for (int i = 0; i < r->count; i++) {
      points[2 * i] = ssi_atlas_place(&t->a->x, t->g->width, path[i].x);
      points[2 * i + 1] = ssi_atlas_place(&t->a->y, t->g->height, path[i].y);
    }
    out[k] = (ss_atlas_arc){r->left, r->right, r->count, points};
  }
  t->a->arcs = out;
  t->a->arc_count = t->arc_count;
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
  return (use >= 0) == last ? t->arcs[k].end : t->arcs[k].begin;
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
                                  .x = ssi_atlas_place(&t->a->x, g->width, at % g->width + 0.5),
                                  .y = ssi_atlas_place(&t->a->y, g->height, at / g->width + 0.5),
                                  .room = places[r].room};
  }
  ssi_release(t->ctx, stack);
  ssi_release(t->ctx, distance);
  ssi_release(t->ctx, places);
  return ok ? SS_OK : no_memory(t->ctx);
}

ss_error ssi_atlas_trace(ssi_atlas_run *run, ssi_arena *arena, const ssi_raster *g, ss_atlas *a,
                         int *region_of) {
  tracing t = {.ctx = run->ctx, .run = run, .arena = arena, .g = g, .region_of = region_of, .a = a};
  ss_atlas_region *regions = NULL;
  size_t corners = (size_t)(g->width + 1) * (size_t)(g->height + 1);
  SS_TRY(make_regions(&t, region_of, &regions, &a->region_count));
  t.seen = ssi_alloc(run->ctx, corners, 1);
  ss_error e = t.seen ? SS_OK : no_memory(run->ctx);
  if (!e) {
    memset(t.seen, 0, corners);
    e = trace_all(&t);
  }
  if (!e) e = make_rings(&t, regions, a->region_count);
  if (!e) e = sharpen(&t);
  if (!e) e = write_arcs(&t);
  a->regions = regions;
  ss_atlas_kind *kinds = (ss_atlas_kind *)a->kinds;  // made by us, in this arena
  for (int r = 0; !e && r < a->region_count; r++) kinds[regions[r].kind].regions++;
  ssi_release(run->ctx, t.seen);
  ssi_release(run->ctx, t.arcs);
  ssi_release(run->ctx, t.path);
  ssi_release(run->ctx, t.keep);
  return e;
}
