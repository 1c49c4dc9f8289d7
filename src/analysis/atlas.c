// The tree of cells: a coarse grid, halved where neighbours are of different kinds until every border
// between kinds runs along cells of the finest size.
//
// A leaf is compared with all leaves that touch it, of its size, larger or smaller; where kinds differ
// both are marked, and divided unless they are of the finest size. Only leaves made in the last round
// have to look: no other pair of neighbours is new.
#include "stickslip/atlas.h"

#include <math.h>
#include <string.h>

#include "analysis/atlas.h"
#include "base/error.h"
#include "base/timer.h"

enum { REFINE_MOST = 12 };
static const int64_t FINEST_MOST = INT64_C(1) << 26;  // cells of the finest grid: 256 MB of ints

// Off the centre by irrational-looking shares of a cell, different ones for x and y.
static const double X_SHARE = 0.5381966, Y_SHARE = 0.4472136;

typedef struct node {
  int child;  // first of four, x first; -1: a leaf
  int kind;
  bool marked;
} node;

typedef struct leaf {
  int node, level, i, j;
} leaf;

typedef struct tree {
  ss_context *ctx;
  const ss_atlas_options *o;
  node *nodes;
  int node_count, node_room;
  leaf *fresh;  // made in the last round
  int fresh_count;
  int64_t unsettled, problems;
} tree;

typedef struct owned_atlas {
  ss_atlas atlas;  // first, so that ss_atlas_destroy finds its owner
  ssi_arena arena;
} owned_atlas;

static ss_error no_memory(ss_context *ctx) {
  return ssi_fail(ctx, SS_ERR_MEMORY, "no memory for an atlas");
}

ss_atlas_options ss_atlas_options_default(void) {
  ss_atlas_options o = {.x = {0, 1, 100}, .y = {0, 1, 100}, .refine = 3};
  o.enumerate = ss_enumerate_options_default();
  o.enumerate.verify = false;
  return o;
}

static ss_error check_axis(ss_context *ctx, const char *name, const ss_atlas_axis *a) {
  if (!(isfinite(a->from) && isfinite(a->to) && a->from < a->to))
    return ssi_fail(ctx, SS_ERR_ARGUMENT, "atlas: %s goes from %g to %g, expected an interval",
                    name, a->from, a->to);
  if (a->cells < 1)
    return ssi_fail(ctx, SS_ERR_ARGUMENT, "atlas: %s has %d cells, expected at least 1", name,
                    a->cells);
  return SS_OK;
}

static ss_error check(ss_context *ctx, const ss_atlas_options *o) {
  SS_TRY(check_axis(ctx, "x", &o->x));
  SS_TRY(check_axis(ctx, "y", &o->y));
  if (o->refine < 0 || o->refine > REFINE_MOST)
    return ssi_fail(ctx, SS_ERR_ARGUMENT, "atlas: refine is %d, expected 0 .. %d", o->refine,
                    REFINE_MOST);
  int64_t width = (int64_t)o->x.cells << o->refine, height = (int64_t)o->y.cells << o->refine;
  if (width > FINEST_MOST || height > FINEST_MOST / width)
    return ssi_fail(ctx, SS_ERR_ARGUMENT,
                    "atlas: %d x %d cells refined %d times are more than 2^26 of the finest size",
                    o->x.cells, o->y.cells, o->refine);
  if (o->threads < 0)
    return ssi_fail(ctx, SS_ERR_ARGUMENT, "atlas: threads is %d, expected >= 0", o->threads);
  return SS_OK;
}

// ---- the tree -------------------------------------------------------------------------------

static double place(const ss_atlas_axis *a, int level, double cell) {
  double cells = ldexp(a->cells, level);
  return a->from + (a->to - a->from) * (cell / cells);
}

static bool more_nodes(tree *t, int count) {
  if (t->node_count + count <= t->node_room) return true;
  int room = t->node_room * 2 > t->node_count + count ? t->node_room * 2 : t->node_count + count;
  node *bigger = ssi_alloc(t->ctx, (size_t)room, sizeof *bigger);
  if (!bigger) return false;
  if (t->node_count) memcpy(bigger, t->nodes, (size_t)t->node_count * sizeof *bigger);
  ssi_release(t->ctx, t->nodes);
  t->nodes = bigger;
  t->node_room = room;
  return true;
}

// The node at column i, row j of the grid of `level`, or the leaf above it.
static int find_node(const tree *t, int level, int i, int j) {
  int at = (j >> level) * t->o->x.cells + (i >> level);
  for (int bit = level - 1; bit >= 0 && t->nodes[at].child >= 0; bit--)
    at = t->nodes[at].child + (j >> bit & 1) * 2 + (i >> bit & 1);
  return at;
}

static ss_error evaluate_fresh(tree *t, ssi_atlas_run *run) {
  ssi_atlas_point *points = ssi_alloc(t->ctx, (size_t)t->fresh_count, sizeof *points);
  if (!points) return no_memory(t->ctx);
  for (int k = 0; k < t->fresh_count; k++) {
    const leaf *l = &t->fresh[k];
    points[k] = (ssi_atlas_point){.x = place(&t->o->x, l->level, l->i + X_SHARE),
                                  .y = place(&t->o->y, l->level, l->j + Y_SHARE)};
  }
  ss_error e = ssi_atlas_evaluate(run, points, t->fresh_count);
  for (int k = 0; !e && !run->cancelled && k < t->fresh_count; k++) {
    t->nodes[t->fresh[k].node].kind = points[k].kind;
    t->unsettled += points[k].unsettled;
  }
  t->problems += t->fresh_count;
  ssi_release(t->ctx, points);
  return e;
}

static ss_error begin_tree(tree *t) {
  int nx = t->o->x.cells, ny = t->o->y.cells, count = nx * ny;
  t->fresh = ssi_alloc(t->ctx, (size_t)count, sizeof *t->fresh);
  if (!t->fresh || !more_nodes(t, count)) return no_memory(t->ctx);
  for (int k = 0; k < count; k++) {
    t->nodes[k] = (node){.child = -1};
    t->fresh[k] = (leaf){k, 0, k % nx, k / nx};
  }
  t->node_count = t->fresh_count = count;
  return SS_OK;
}

// Compares leaf `self` with the leaves under `at`, a cell of its own size (or a larger leaf) that lies
// in direction (di, dj) of it: of a divided cell only the children that touch self.
static void compare(tree *t, node *self, int at, int di, int dj) {
  node *other = &t->nodes[at];
  if (other->child < 0) {
    if (other->kind != self->kind) self->marked = other->marked = true;
    return;
  }
  for (int k = 0; k < 4; k++) {
    bool touches_x = di == 0 || k % 2 == (di < 0), touches_y = dj == 0 || k / 2 == (dj < 0);
    if (touches_x && touches_y) compare(t, self, other->child + k, di, dj);
  }
}

static void look_around(tree *t, const leaf *l) {
  int width = t->o->x.cells << l->level, height = t->o->y.cells << l->level;
  node *self = &t->nodes[l->node];
  for (int k = 0; k < 9; k++) {
    int di = k % 3 - 1, dj = k / 3 - 1, i = l->i + di, j = l->j + dj;
    if (k == 4 || i < 0 || j < 0 || i >= width || j >= height) continue;
    compare(t, self, find_node(t, l->level, i, j), di, dj);
  }
}

typedef struct walk {  // all leaves, row by row of the coarse grid
  leaf *out;
  int count;
} walk;

static void visit(const tree *t, int at, int level, int i, int j,
                  void (*act)(const tree *, const leaf *, void *), void *user) {
  leaf l = {at, level, i, j};
  if (t->nodes[at].child < 0) {
    act(t, &l, user);
    return;
  }
  for (int k = 0; k < 4; k++)
    visit(t, t->nodes[at].child + k, level + 1, 2 * i + k % 2, 2 * j + k / 2, act, user);
}

static void visit_all(const tree *t, void (*act)(const tree *, const leaf *, void *), void *user) {
  for (int k = 0; k < t->o->x.cells * t->o->y.cells; k++)
    visit(t, k, 0, k % t->o->x.cells, k / t->o->x.cells, act, user);
}

static bool is_divided_next(const tree *t, const leaf *l) {
  return t->nodes[l->node].marked && l->level < t->o->refine;
}

static void collect_marked(const tree *t, const leaf *l, void *user) {
  walk *w = user;
  if (!is_divided_next(t, l)) return;
  if (w->out) w->out[w->count] = *l;
  w->count++;
}

// Four leaves for each marked one; they are the fresh ones.
static ss_error divide_marked(tree *t) {
  walk w = {0};
  visit_all(t, collect_marked, &w);
  int count = w.count;
  ssi_release(t->ctx, t->fresh);
  t->fresh = NULL;
  t->fresh_count = 0;
  if (count == 0) return SS_OK;
  w = (walk){.out = ssi_alloc(t->ctx, (size_t)count, sizeof *w.out)};
  t->fresh = ssi_alloc(t->ctx, 4 * (size_t)count, sizeof *t->fresh);
  if (!w.out || !t->fresh || !more_nodes(t, 4 * count))
    return ssi_release(t->ctx, w.out), no_memory(t->ctx);
  visit_all(t, collect_marked, &w);
  for (int k = 0; k < count; k++) {
    leaf l = w.out[k];
    t->nodes[l.node].child = t->node_count;
    for (int q = 0; q < 4; q++) {
      t->nodes[t->node_count] = (node){.child = -1};
      t->fresh[t->fresh_count++] =
          (leaf){t->node_count++, l.level + 1, 2 * l.i + q % 2, 2 * l.j + q / 2};
    }
  }
  ssi_release(t->ctx, w.out);
  return SS_OK;
}

static ss_error grow_tree(tree *t, ssi_atlas_run *run) {
  SS_TRY(begin_tree(t));
  for (run->round = 0; t->fresh_count; run->round++) {
    SS_TRY(evaluate_fresh(t, run));
    if (run->cancelled) return SS_OK;
    for (int k = 0; k < t->fresh_count; k++) look_around(t, &t->fresh[k]);
    SS_TRY(divide_marked(t));
  }
  return SS_OK;
}

// ---- the result -----------------------------------------------------------------------------

typedef struct filling {
  const ss_atlas_options *o;
  int *kind;  // the finest grid
  int width;
  ss_atlas_cell *cells;  // NULL: only count
  int count;
} filling;

static void fill_cell(const tree *t, const leaf *l, void *user) {
  filling *g = user;
  int kind = t->nodes[l->node].kind, size = 1 << (g->o->refine - l->level);
  for (int j = 0; j < size; j++)
    for (int i = 0; i < size; i++)
      g->kind[(size_t)(l->j * size + j) * (size_t)g->width + (size_t)(l->i * size + i)] = kind;
  g->count++;
}

static void list_cell(const tree *t, const leaf *l, void *user) {
  filling *g = user;
  g->cells[g->count++] = (ss_atlas_cell){l->level, l->i, l->j, t->nodes[l->node].kind, -1};
}

typedef struct ranking {
  const ssi_kinds *kinds;
  int id;
  int count;       // solutions
  double area, y;  // share; mean row
} ranking;

static int rank_before(const ranking *a, const ranking *b) {
  if (a->count != b->count) return a->count < b->count;
  if (a->y != b->y) return a->y > b->y;
  return ssi_kinds_compare(a->kinds, a->id, b->id) < 0;
}

static void name_kind(int index, char label[8]) {
  char letters[8];
  int count = 0;
  for (int k = index; k >= 0 && count < 6; k = k / 26 - 1) letters[count++] = (char)('A' + k % 26);
  for (int k = 0; k < count; k++) label[k] = letters[count - 1 - k];
  label[count] = '\0';
}

// Kinds ordered by what they are and where, not by the order in which threads met them.
static ss_error order_kinds(ss_context *ctx, ssi_arena *arena, const ssi_kinds *kinds, int *kind,
                            int width, int height, ss_atlas *a) {
  int count = ssi_kinds_count(kinds);
  ss_atlas_kind *out = SSI_TAKE(arena, count, ss_atlas_kind);
  ranking *rank = ssi_alloc(ctx, (size_t)count, sizeof *rank);
  int *place_of = ssi_alloc(ctx, (size_t)count, sizeof *place_of);
  bool ok = out && rank && place_of;
  size_t cells = (size_t)width * (size_t)height;
  for (int k = 0; ok && k < count; k++) {
    ss_atlas_kind decoded;
    ok = ssi_kinds_decode(kinds, k, arena, &decoded);
    rank[k] = (ranking){kinds, k, decoded.count, 0, 0};
    out[k] = decoded;  // by id for now
  }
  if (!ok) {
    ssi_release(ctx, rank);
    ssi_release(ctx, place_of);
    return no_memory(ctx);
  }
  for (size_t c = 0; c < cells; c++)
    rank[kind[c]].area += 1, rank[kind[c]].y += (double)(c / (size_t)width);
  for (int k = 0; k < count; k++)
    if (rank[k].area > 0) rank[k].y /= rank[k].area;
  for (int k = 1; k < count; k++) {  // insertion sort
    ranking one = rank[k];
    int i = k;
    for (; i > 0 && rank_before(&one, &rank[i - 1]); i--) rank[i] = rank[i - 1];
    rank[i] = one;
  }
  // a kind met only on cells that were divided later has no area, and is left out
  ss_atlas_kind *named = SSI_TAKE(arena, count, ss_atlas_kind);
  int used = 0;
  for (int k = 0; named && k < count; k++) {
    if (rank[k].area == 0) continue;
    place_of[rank[k].id] = used;
    named[used] = out[rank[k].id];
    named[used].area = rank[k].area / (double)cells;
    name_kind(used, named[used].label);
    used++;
  }
  for (size_t c = 0; named && c < cells; c++) kind[c] = place_of[kind[c]];
  a->kinds = named;
  a->kind_count = used;
  ssi_release(ctx, rank);
  ssi_release(ctx, place_of);
  return named ? SS_OK : no_memory(ctx);
}

// Kinds and regions of the listed cells from those of the finest grid.
static void settle_cells(const filling *g, const int *region_of, ss_atlas_cell *cells) {
  for (int k = 0; k < g->count; k++) {
    int shift = g->o->refine - cells[k].level;
    size_t at = (size_t)(cells[k].j << shift) * (size_t)g->width + (size_t)(cells[k].i << shift);
    cells[k].kind = g->kind[at];
    cells[k].region = region_of[at];
  }
}

static ss_error fill_result(tree *t, ssi_kinds *kinds, owned_atlas *o) {
  ss_atlas *a = &o->atlas;
  int width = t->o->x.cells << t->o->refine, height = t->o->y.cells << t->o->refine;
  size_t places = (size_t)width * (size_t)height;
  filling g = {.o = t->o, .width = width};
  g.kind = ssi_alloc(t->ctx, places, sizeof *g.kind);
  int *region_of = ssi_alloc(t->ctx, places, sizeof *region_of);
  ss_error e = g.kind && region_of ? SS_OK : no_memory(t->ctx);
  if (!e) {
    visit_all(t, fill_cell, &g);
    g.cells = SSI_TAKE(&o->arena, g.count, ss_atlas_cell);
    if (!g.cells) e = no_memory(t->ctx);
  }
  if (!e) {
    g.count = 0;
    visit_all(t, list_cell, &g);
    a->cells = g.cells;
    a->cell_count = g.count;
    e = order_kinds(t->ctx, &o->arena, kinds, g.kind, width, height, a);
  }
  if (!e) e = ssi_atlas_trace(t->ctx, &o->arena, g.kind, width, height, a, region_of);
  if (!e) settle_cells(&g, region_of, g.cells);
  ssi_release(t->ctx, g.kind);
  ssi_release(t->ctx, region_of);
  a->problems = t->problems;
  a->unsettled = t->unsettled;
  return e;
}

static owned_atlas *create_owned(ss_context *ctx, const ss_atlas_options *o) {
  ssi_arena arena = {.ctx = ctx};
  owned_atlas *a = SSI_TAKE(&arena, 1, owned_atlas);
  if (!a) return NULL;
  a->arena = arena;
  a->atlas.x = o->x, a->atlas.y = o->y, a->atlas.refine = o->refine;
  return a;
}

ss_error ss_atlas_create(ss_context *ctx, const ss_atlas_options *o, ss_atlas_problem problem,
                         void *user, ss_atlas **out) {
  if (!o || !problem || !out)
    return ssi_fail(ctx, SS_ERR_ARGUMENT, "atlas: options, problem or result is NULL");
  *out = NULL;
  SS_TRY(check(ctx, o));
  ss_atlas_options copy = *o;
  copy.enumerate.progress = NULL;
  tree t = {.ctx = ctx, .o = &copy};
  ssi_atlas_run run = {.ctx = ctx, .o = &copy, .problem = problem, .user = user};
  run.begin_s = ssi_now_s();
  run.kinds = ssi_kinds_create(ctx);
  owned_atlas *a = create_owned(ctx, o);
  ss_error e = run.kinds && a ? grow_tree(&t, &run) : no_memory(ctx);
  if (!e && !run.cancelled) e = fill_result(&t, run.kinds, a);
  ssi_release(ctx, t.nodes);
  ssi_release(ctx, t.fresh);
  ssi_kinds_destroy(run.kinds);
  if (e) return ss_atlas_destroy(a ? &a->atlas : NULL), e;
  a->atlas.cancelled = run.cancelled;
  a->atlas.time_s = ssi_now_s() - run.begin_s;
  *out = &a->atlas;
  return SS_OK;
}

void ss_atlas_destroy(ss_atlas *a) {
  if (!a) return;
  ssi_arena arena = ((owned_atlas *)a)->arena;  // a copy: the original lies inside what it releases
  ssi_arena_release(&arena);
}

void ss_atlas_point(const ss_atlas *a, const ss_atlas_cell *cell, double *x, double *y) {
  *x = place(&a->x, cell->level, cell->i + X_SHARE);
  *y = place(&a->y, cell->level, cell->j + Y_SHARE);
}

void ss_atlas_bounds(const ss_atlas *a, const ss_atlas_cell *cell, double bounds[4]) {
  for (int k = 0; k < 2; k++) {
    bounds[k] = place(&a->x, cell->level, cell->i + k);
    bounds[2 + k] = place(&a->y, cell->level, cell->j + k);
  }
}
