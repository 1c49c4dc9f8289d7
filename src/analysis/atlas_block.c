// One block of an atlas: every point that the whole map needs there.
//
// A block is SIDE x SIDE cells of the coarse grid. Its tree (atlas_tree.c) has one more column to the right and one
// more row above, which belong to its neighbours: where kinds change across that edge, both sides are halved. Which of
// the border's points the outlines take is known only when the whole border is (atlas_trace.c), so all of them are
// sharpened here. That makes 1.5 to 1.8 times the problems of one run (measured: klarbring 400 x 400, square 12 x 12),
// and leaves next to none to be found when parts are put together: those of a region thinner than a cell that reaches
// in from a neighbour, where no point of this block's grid meets it.
#include <string.h>

#include "analysis/atlas_block.h"
#include "base/error.h"
#include "base/timer.h"

enum {
  SIDE = 8
};  // large enough that the column and the row more are few, small enough that a kill loses little

static int blocks_across(const ss_atlas_axis *a) {
  return (a->cells + SIDE - 1) / SIDE;
}

int ss_atlas_block_count(const ss_atlas_options *o) {
  if (!o || ssi_atlas_check(NULL, o)) return 0;
  return blocks_across(&o->x) * blocks_across(&o->y);
}

static int least(int a, int b) {
  return a < b ? a : b;
}

static ssi_window window_of(const ss_atlas_options *o, int block) {
  int across = blocks_across(&o->x), i = block % across * SIDE, j = block / across * SIDE;
  return (ssi_window){i, j, least(SIDE + 1, o->x.cells - i), least(SIDE + 1, o->y.cells - j)};
}

// ---- borders --------------------------------------------------------------------------------

// The finest grid of the window, and how much of it is the block's own.
typedef struct block_grid {
  int i, j;           // of its first cell in the whole finest grid
  int width, height;  // with the neighbours' column and row
  int own_width, own_height;
  int *kind;
} block_grid;

static block_grid grid_of(const ss_atlas_options *o, const ssi_window *w) {
  int r = o->refine;
  return (block_grid){.i = w->i << r,
                      .j = w->j << r,
                      .width = w->width << r,
                      .height = w->height << r,
                      .own_width = least(SIDE, w->width) << r,
                      .own_height = least(SIDE, w->height) << r};
}

// Between each own cell and the next to the right and above, where kinds differ: so every pair belongs to one block.
static int gather(const block_grid *g, ssi_needle *out) {
  int count = 0;
  for (int j = 0; j < g->own_height; j++)
    for (int i = 0; i < g->own_width; i++)
      for (int up = 0; up < 2; up++) {
        int a = i + !up, b = j + up;
        if (a >= g->width || b >= g->height) continue;
        int kind = g->kind[j * g->width + i];
        if (g->kind[b * g->width + a] == kind) continue;
        if (out) out[count] = ssi_needle_between(g->i + i, g->j + j, g->i + a, g->j + b, kind);
        count++;
      }
  return count;
}

static ss_error sharpen(const ssi_quad_tree *t, ssi_atlas_run *run) {
  block_grid g = grid_of(t->o, &t->window);
  const ssi_raster whole = {.width = t->o->x.cells << t->o->refine,
                            .height = t->o->y.cells << t->o->refine};
  g.kind = ssi_alloc(t->ctx, (size_t)g.width * (size_t)g.height, sizeof *g.kind);
  if (!g.kind) return ssi_atlas_no_memory(t->ctx);
  ssi_quad_draw(t, g.kind);
  int count = gather(&g, NULL);
  ssi_needle *needles = ssi_alloc(t->ctx, (size_t)count, sizeof *needles);
  ss_error e = needles ? SS_OK : ssi_atlas_no_memory(t->ctx);
  if (!e) gather(&g, needles);
  if (!e) e = ssi_needles_sharpen(run, &whole, needles, count);
  ssi_release(t->ctx, needles);
  ssi_release(t->ctx, g.kind);
  return e;
}

// ---- the result -----------------------------------------------------------------------------

// Kinds in the order in which points name them: ids may depend on nothing else, as one thread found them.
static ss_error list_points(ssi_arena *arena, const ssi_atlas_run *run, ss_atlas_points *out) {
  size_t count = (size_t)run->record->count;
  double *x = SSI_TAKE(arena, count, double), *y = SSI_TAKE(arena, count, double);
  int *kind = SSI_TAKE(arena, count, int), kinds = ssi_kinds_count(run->kinds);
  bool *unsettled = SSI_TAKE(arena, count, bool);
  const char **texts = SSI_TAKE(arena, kinds, const char *);
  for (int k = 0; k < kinds && texts; k++) {
    size_t length;
    const unsigned char *bytes = ssi_kinds_bytes(run->kinds, k, &length);
    texts[k] = ssi_kind_text(arena, bytes, length);
  }
  if (arena->failed) return ssi_atlas_no_memory(run->ctx);
  for (size_t k = 0; k < count; k++) {
    const ssi_atlas_point *p = &run->record->points[k];
    x[k] = p->x, y[k] = p->y, kind[k] = p->kind, unsettled[k] = p->unsettled;
  }
  out->count = (int)count;
  out->x = x, out->y = y, out->kind = kind, out->unsettled = unsettled;
  out->kind_count = kinds, out->kinds = texts;
  return SS_OK;
}

ss_error ssi_atlas_block(const ssi_block_work *w, ss_context *ctx, int block, ssi_arena *arena,
                         ssi_block_result *out) {
  ss_atlas_options o = *w->o;
  o.threads = 1, o.known = NULL, o.time_limit_s = 0, o.enumerate.time_limit_s = 0;
  o.progress = w->progress, o.user = w->progress_user;
  ssi_quad_tree t = {.ctx = ctx, .o = &o, .window = window_of(&o, block)};
  ssi_atlas_record record = {0};
  ssi_atlas_run run = {
      .ctx = ctx, .o = &o, .problem = w->problem, .user = w->user, .record = &record};
  run.begin_s = ssi_now_s();
  run.end_s = w->end_s;
  run.kinds = ssi_kinds_create(ctx);
  int reached = o.refine;
  ss_error e = run.kinds ? ssi_quad_grow(&t, &run, &reached) : ssi_atlas_no_memory(ctx);
  if (!e && !run.cancelled) e = sharpen(&t, &run);
  *out = (ssi_block_result){.points.block = block, .late = run.late, .cancelled = run.cancelled};
  if (!e && !run.cancelled) e = list_points(arena, &run, &out->points);
  out->points.time_s = ssi_now_s() - run.begin_s;
  ssi_release(ctx, t.nodes);
  ssi_release(ctx, t.fresh);
  ssi_release(ctx, record.points);
  ssi_kinds_destroy(run.kinds);
  return e;
}
