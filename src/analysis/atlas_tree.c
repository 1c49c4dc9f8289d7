// The tree of cells: a coarse grid, halved where neighbours are of different kinds until every border
// between kinds runs along cells of the finest size.
//
// A leaf is compared with all leaves that touch it, of its size, larger or smaller; where kinds differ
// both are marked, and divided unless they are of the finest size. Only leaves made in the last round
// have to look: no other pair of neighbours is new.
#include <math.h>

#include "analysis/atlas.h"
#include "base/error.h"
#include "base/timer.h"

static bool more_nodes(ssi_quad_tree *t, int count) {
  size_t used = (size_t)t->node_count;
  return ssi_grow(t->ctx, &t->nodes, &t->node_room, used + (size_t)count, used, sizeof *t->nodes);
}

// The node at column i, row j of the grid of `level`, or the leaf above it.
static int find_node(const ssi_quad_tree *t, int level, int i, int j) {
  int at = (j >> level) * t->window.width + (i >> level);
  for (int bit = level - 1; bit >= 0 && t->nodes[at].child >= 0; bit--)
    at = t->nodes[at].child + (j >> bit & 1) * 2 + (i >> bit & 1);
  return at;
}

static ss_error evaluate_fresh(ssi_quad_tree *t, ssi_atlas_run *run) {
  ssi_atlas_point *points = ssi_alloc(t->ctx, (size_t)t->fresh_count, sizeof *points);
  if (!points) return ssi_atlas_no_memory(t->ctx);
  for (int k = 0; k < t->fresh_count; k++) {
    const ssi_quad_leaf *l = &t->fresh[k];
    int i = (t->window.i << l->level) + l->i, j = (t->window.j << l->level) + l->j;
    points[k] = (ssi_atlas_point){.x = ssi_quad_place(&t->o->x, l->level, i + SSI_ATLAS_X),
                                  .y = ssi_quad_place(&t->o->y, l->level, j + SSI_ATLAS_Y)};
  }
  ss_error e = ssi_atlas_evaluate(run, points, t->fresh_count);
  for (int k = 0; !e && !run->cancelled && k < t->fresh_count; k++) {
    t->nodes[t->fresh[k].node].kind = points[k].kind;
    t->nodes[t->fresh[k].node].unsettled = points[k].unsettled;
  }
  ssi_release(t->ctx, points);
  return e;
}

static ss_error begin_tree(ssi_quad_tree *t) {
  int nx = t->window.width, count = nx * t->window.height;
  t->fresh = ssi_alloc(t->ctx, (size_t)count, sizeof *t->fresh);
  if (!t->fresh || !more_nodes(t, count)) return ssi_atlas_no_memory(t->ctx);
  for (int k = 0; k < count; k++) {
    t->nodes[k] = (ssi_quad_node){.child = -1};
    t->fresh[k] = (ssi_quad_leaf){k, 0, k % nx, k / nx};
  }
  t->node_count = t->fresh_count = count;
  return SS_OK;
}

// Compares leaf `self` with the leaves under `at`, a cell of its own size (or a larger leaf) that lies
// in direction (di, dj) of it: of a divided cell only the children that touch self.
static void compare(ssi_quad_tree *t, ssi_quad_node *self, int at, int di, int dj) {
  ssi_quad_node *other = &t->nodes[at];
  if (other->child < 0) {
    if (other->kind != self->kind) self->marked = other->marked = true;
    return;
  }
  for (int k = 0; k < 4; k++) {
    bool touches_x = di == 0 || k % 2 == (di < 0), touches_y = dj == 0 || k / 2 == (dj < 0);
    if (touches_x && touches_y) compare(t, self, other->child + k, di, dj);
  }
}

static void look_around(ssi_quad_tree *t, const ssi_quad_leaf *l) {
  int width = t->window.width << l->level, height = t->window.height << l->level;
  ssi_quad_node *self = &t->nodes[l->node];
  for (int k = 0; k < 9; k++) {
    int di = k % 3 - 1, dj = k / 3 - 1, i = l->i + di, j = l->j + dj;
    if (k == 4 || i < 0 || j < 0 || i >= width || j >= height) continue;
    compare(t, self, find_node(t, l->level, i, j), di, dj);
  }
}

typedef struct walk {  // all leaves, row by row of the coarse grid
  ssi_quad_leaf *out;
  int count;
} walk;

static void visit(const ssi_quad_tree *t, int at, int level, int i, int j, ssi_quad_act act,
                  void *user) {
  ssi_quad_leaf l = {at, level, i, j};
  if (t->nodes[at].child < 0) {
    act(t, &l, user);
    return;
  }
  for (int k = 0; k < 4; k++)
    visit(t, t->nodes[at].child + k, level + 1, 2 * i + k % 2, 2 * j + k / 2, act, user);
}

void ssi_quad_visit(const ssi_quad_tree *t, ssi_quad_act act, void *user) {
  int width = t->window.width;
  for (int k = 0; k < width * t->window.height; k++)
    visit(t, k, 0, k % width, k / width, act, user);
}

typedef struct leaf_drawing {
  int width, refine;
  int *kind;
} leaf_drawing;

static void draw_leaf(const ssi_quad_tree *t, const ssi_quad_leaf *l, void *user) {
  const leaf_drawing *d = user;
  int kind = t->nodes[l->node].kind, size = 1 << (d->refine - l->level);
  for (int j = 0; j < size; j++)
    for (int i = 0; i < size; i++)
      d->kind[(size_t)(l->j * size + j) * (size_t)d->width + (size_t)(l->i * size + i)] = kind;
}

void ssi_quad_draw(const ssi_quad_tree *t, int *kind) {
  leaf_drawing d = {t->window.width << t->o->refine, t->o->refine, kind};
  ssi_quad_visit(t, draw_leaf, &d);
}

static bool is_divided_next(const ssi_quad_tree *t, const ssi_quad_leaf *l) {
  return t->nodes[l->node].marked && l->level < t->o->refine;
}

static void collect_marked(const ssi_quad_tree *t, const ssi_quad_leaf *l, void *user) {
  walk *w = user;
  if (!is_divided_next(t, l)) return;
  if (w->out) w->out[w->count] = *l;
  w->count++;
}

// Four leaves for each marked one; they are the fresh ones.
static ss_error divide_marked(ssi_quad_tree *t) {
  walk w = {0};
  ssi_quad_visit(t, collect_marked, &w);
  int count = w.count;
  ssi_release(t->ctx, t->fresh);
  t->fresh = NULL;
  t->fresh_count = 0;
  if (count == 0) return SS_OK;
  w = (walk){.out = ssi_alloc(t->ctx, (size_t)count, sizeof *w.out)};
  t->fresh = ssi_alloc(t->ctx, 4 * (size_t)count, sizeof *t->fresh);
  if (!w.out || !t->fresh || !more_nodes(t, 4 * count))
    return ssi_release(t->ctx, w.out), ssi_atlas_no_memory(t->ctx);
  ssi_quad_visit(t, collect_marked, &w);
  for (int k = 0; k < count; k++) {
    ssi_quad_leaf l = w.out[k];
    t->nodes[l.node].child = t->node_count;
    for (int q = 0; q < 4; q++) {
      t->nodes[t->node_count] = (ssi_quad_node){.child = -1};
      t->fresh[t->fresh_count++] =
          (ssi_quad_leaf){t->node_count++, l.level + 1, 2 * l.i + q % 2, 2 * l.j + q / 2};
    }
  }
  ssi_release(t->ctx, w.out);
  return SS_OK;
}

// Takes the last division back: the leaves are those that were divided, whose kinds are known.
static void undo_division(ssi_quad_tree *t) {
  for (int k = 0; k < t->fresh_count; k += 4) {
    const ssi_quad_leaf *l = &t->fresh[k];
    int at = (l->j >> l->level) * t->window.width + (l->i >> l->level);
    for (int bit = l->level - 1; bit > 0; bit--)
      at = t->nodes[at].child + (l->j >> bit & 1) * 2 + (l->i >> bit & 1);
    t->nodes[at].child = -1;
  }
}

static const double DRAWN_A_SECOND = 1e7;  // places of the finest grid; half of what was measured

// Seconds that regions and outlines take when cells were halved `level` times.
static double drawing_s(const ssi_quad_tree *t, int level) {
  return ldexp((double)t->window.width * t->window.height, 2 * level) / DRAWN_A_SECOND;
}

// Under a time limit a round is begun only if its map can still be drawn, and it ends while the map of
// the round before can.
static ss_error evaluate_round(ssi_quad_tree *t, ssi_atlas_run *run) {
  double end_s = run->end_s;
  int level = run->round > 0 ? run->round - 1 : 0;
  run->end_s -= drawing_s(t, level);
  bool pointless = run->round > 0 && ssi_time_is_over(end_s - drawing_s(t, run->round));
  if (pointless)
    run->late = run->cancelled = true;
  else
    SS_TRY(evaluate_fresh(t, run));
  run->end_s = end_s;
  return SS_OK;
}

ss_error ssi_quad_grow(ssi_quad_tree *t, ssi_atlas_run *run, int *reached) {
  SS_TRY(begin_tree(t));
  for (run->round = 0; t->fresh_count; run->round++) {
    SS_TRY(evaluate_round(t, run));
    if (run->late && run->round > 0) undo_division(t), *reached = run->round - 1;
    if (run->cancelled) return SS_OK;
    for (int k = 0; k < t->fresh_count; k++) look_around(t, &t->fresh[k]);
    SS_TRY(divide_marked(t));
  }
  return SS_OK;
}
