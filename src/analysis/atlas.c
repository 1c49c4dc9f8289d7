// ss_atlas_create: the kinds of the cells of a tree (atlas_tree.c), as cells, regions and outlines.
#include "stickslip/atlas.h"

#include <math.h>
#include <stdio.h>

#include "analysis/atlas.h"
#include "base/error.h"
#include "base/timer.h"

enum { REFINE_MOST = 12 };
static const int64_t FINEST_MOST = INT64_C(1) << 26;  // cells of the finest grid: 256 MB of ints

typedef struct owned_atlas {
  ss_atlas atlas;  // first, so that ss_atlas_destroy finds its owner
  ssi_arena arena;
} owned_atlas;

ss_error ssi_atlas_no_memory(ss_context *ctx) {
  return ssi_fail(ctx, SS_ERR_MEMORY, "no memory for an atlas");
}

ss_atlas_options ss_atlas_options_default(void) {
  ss_atlas_options o = {.x = {0, 1, 100}, .y = {0, 1, 100}, .refine = 3};
  o.enumerate = ss_enumerate_options_default();
  o.enumerate.recheck = 16;  // some 0.3 ms for two contacts, 15 ms for three
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

ss_error ssi_atlas_check(ss_context *ctx, const ss_atlas_options *o) {
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

// ---- the result -----------------------------------------------------------------------------

typedef struct cell_filling {
  int refine;
  ssi_raster g;
  ss_atlas_cell *cells;
  int count;
  int64_t unsettled;  // cells
} cell_filling;

static void count_cell(const ssi_quad_tree *t, const ssi_quad_leaf *l, void *user) {
  (void)t, (void)l;
  ((cell_filling *)user)->count++;
}

static void list_cell(const ssi_quad_tree *t, const ssi_quad_leaf *l, void *user) {
  cell_filling *f = user;
  f->unsettled += t->nodes[l->node].unsettled;
  f->cells[f->count++] = (ss_atlas_cell){l->level, l->i, l->j, t->nodes[l->node].kind, -1};
}

typedef struct ranking {
  const ssi_kinds *kinds;
  int id;
  ss_atlas_kind kind;
  double cells, y;  // on the finest grid; mean row
} ranking;

static bool ranks_before(const ranking *a, const ranking *b) {
  if (a->kind.count != b->kind.count) return a->kind.count < b->kind.count;
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

// How much of the finest grid each kind covers, and how high up; sorted.
static bool rank_kinds(ssi_arena *arena, const ssi_kinds *kinds, const ssi_raster *g,
                       ranking *rank) {
  int count = ssi_kinds_count(kinds);
  for (int k = 0; k < count; k++) {
    rank[k] = (ranking){.kinds = kinds, .id = k};
    if (!ssi_kinds_decode(kinds, k, arena, &rank[k].kind)) return false;
  }
  for (int j = 0; j < g->height; j++)
    for (int i = 0; i < g->width; i++) {
      ranking *r = &rank[g->kind[(size_t)j * (size_t)g->width + (size_t)i]];
      r->cells += 1, r->y += j;
    }
  for (int k = 0; k < count; k++)
    if (rank[k].cells > 0) rank[k].y /= rank[k].cells;
  for (int k = 1; k < count; k++) {  // insertion sort
    ranking one = rank[k];
    int i = k;
    for (; i > 0 && ranks_before(&one, &rank[i - 1]); i--) rank[i] = rank[i - 1];
    rank[i] = one;
  }
  return true;
}

// Kinds ordered by what they are and where, not by the order in which threads met them. One met only
// on cells that were divided later covers nothing, and is left out.
static ss_error order_kinds(ss_context *ctx, ssi_arena *arena, const ssi_kinds *kinds,
                            cell_filling *f, ss_atlas *a) {
  int count = ssi_kinds_count(kinds);
  ss_atlas_kind *named = SSI_TAKE(arena, count, ss_atlas_kind);
  int *kind_place = SSI_TAKE(arena, count, int);
  ranking *rank = ssi_alloc(ctx, (size_t)count, sizeof *rank);
  bool ok = named && kind_place && rank && rank_kinds(arena, kinds, &f->g, rank);
  size_t cells = (size_t)f->g.width * (size_t)f->g.height;
  for (int k = 0; ok && k < count; k++) {
    kind_place[rank[k].id] = -1;
    if (rank[k].cells == 0) continue;
    ss_atlas_kind *to = &named[a->kind_count];
    *to = rank[k].kind;
    to->area = rank[k].cells / (double)cells;
    name_kind(a->kind_count, to->label);
    kind_place[rank[k].id] = a->kind_count++;
  }
  ssi_release(ctx, rank);
  if (!ok) return ssi_atlas_no_memory(ctx);
  for (size_t c = 0; c < cells; c++) f->g.kind[c] = kind_place[f->g.kind[c]];
  f->g.kind_place = kind_place;
  f->g.kind_known = count;
  a->kinds = named;
  return SS_OK;
}

// Kinds and regions of the listed cells from those of the finest grid.
static void settle_cells(const cell_filling *f, const int *region_of) {
  for (int k = 0; k < f->count; k++) {
    ss_atlas_cell *cell = &f->cells[k];
    int shift = f->refine - cell->level;
    size_t at = (size_t)(cell->j << shift) * (size_t)f->g.width + (size_t)(cell->i << shift);
    cell->kind = f->g.kind[at];
    cell->region = region_of[at];
  }
}

static ss_error list_cells(ssi_quad_tree *t, cell_filling *f, owned_atlas *o) {
  ssi_quad_draw(t, f->g.kind);
  ssi_quad_visit(t, count_cell, f);
  f->cells = SSI_TAKE(&o->arena, f->count, ss_atlas_cell);
  if (!f->cells) return ssi_atlas_no_memory(t->ctx);
  f->count = 0;
  ssi_quad_visit(t, list_cell, f);
  o->atlas.cells = f->cells;
  o->atlas.cell_count = f->count;
  return SS_OK;
}

static ss_error fill_result(ssi_quad_tree *t, ssi_atlas_run *run, owned_atlas *o) {
  int width = t->o->x.cells << t->o->refine, height = t->o->y.cells << t->o->refine;
  size_t places = (size_t)width * (size_t)height;
  cell_filling f = {.refine = t->o->refine, .g = {.width = width, .height = height}};
  f.g.kind = ssi_alloc(t->ctx, places, sizeof *f.g.kind);
  int *region_of = ssi_alloc(t->ctx, places, sizeof *region_of);
  ss_error e = f.g.kind && region_of ? list_cells(t, &f, o) : ssi_atlas_no_memory(t->ctx);
  if (!e) e = order_kinds(t->ctx, &o->arena, run->kinds, &f, &o->atlas);
  if (!e) e = ssi_atlas_trace(run, &o->arena, &f.g, &o->atlas, region_of);
  if (!e) settle_cells(&f, region_of);
  ssi_release(t->ctx, f.g.kind);
  ssi_release(t->ctx, region_of);
  o->atlas.problems = run->problems;
  o->atlas.known = run->taken;
  o->atlas.unsettled = f.unsettled;
  return e;
}

static owned_atlas *create_owned(ss_context *ctx, const ss_atlas_options *o) {
  ssi_arena arena = {.ctx = ctx};
  owned_atlas *a = SSI_TAKE(&arena, 1, owned_atlas);
  if (!a) return NULL;
  a->arena = arena;
  a->atlas.x = o->x, a->atlas.y = o->y, a->atlas.refine = o->refine;
  a->atlas.judged = o->judge.find != NULL;
  return a;
}

ss_error ss_atlas_create(ss_context *ctx, const ss_atlas_options *o, ss_atlas_problem problem,
                         void *user, ss_atlas **out) {
  if (!o || !(problem || o->judge.find) || !out)
    return ssi_fail(ctx, SS_ERR_ARGUMENT, "atlas: options, problem or result is NULL");
  *out = NULL;
  SS_TRY(ssi_atlas_check(ctx, o));
  ss_atlas_options copy = *o;
  copy.enumerate.time_limit_s = 0;
  ssi_quad_tree t = {.ctx = ctx, .o = &copy, .window = {0, 0, o->x.cells, o->y.cells}};
  ssi_atlas_run run = {.ctx = ctx, .o = &copy, .problem = problem, .user = user};
  run.begin_s = ssi_now_s();
  run.end_s = ssi_time_end(o->time_limit_s);
  run.kinds = ssi_kinds_create(ctx);
  owned_atlas *a = create_owned(ctx, o);
  ss_error e = run.kinds && a ? ssi_quad_grow(&t, &run, &copy.refine) : ssi_atlas_no_memory(ctx);
  if (!e && (!run.cancelled || (run.late && run.round > 0))) e = fill_result(&t, &run, a);
  ssi_release(ctx, t.nodes);
  ssi_release(ctx, t.fresh);
  ssi_kinds_destroy(run.kinds);
  if (e) return ss_atlas_destroy(a ? &a->atlas : NULL), e;
  a->atlas.cancelled = run.cancelled && !run.late;
  a->atlas.late = run.late;
  a->atlas.refine = copy.refine;
  a->atlas.time_s = ssi_now_s() - run.begin_s;
  *out = &a->atlas;
  return SS_OK;
}

void ss_atlas_destroy(ss_atlas *a) {
  if (!a) return;
  ssi_arena_release_home(((owned_atlas *)a)->arena);
}

const char *ss_atlas_state_name(const ss_atlas *a, ss_cell_state s) {
  if (!a) return NULL;
  return a->judged && s == SS_CELL_SLIP_PLUS ? "slip" : ss_cell_state_name(s);
}

void ss_atlas_count_text(const ss_atlas *a, const ss_atlas_kind *k, char out[40]) {
  if (!out) return;
  if (!a || !k) {
    out[0] = 0;
    return;
  }
  const char *one = a->judged ? "status" : "solution", *more = a->judged ? "es" : "s";
  if (k->count > 0)
    snprintf(out, 40, "%s%d %s%s", k->complete || a->judged ? "" : "at least ", k->count, one,
             k->count == 1 ? "" : more);
  else if (k->complete)
    snprintf(out, 40, "no solution");
  else
    snprintf(out, 40, "none found");
}

void ss_atlas_point(const ss_atlas *a, const ss_atlas_cell *cell, double *x, double *y) {
  if (!a || !cell || !x || !y) return;
  *x = ssi_quad_place(&a->x, cell->level, cell->i + SSI_ATLAS_X);
  *y = ssi_quad_place(&a->y, cell->level, cell->j + SSI_ATLAS_Y);
}

void ss_atlas_bounds(const ss_atlas *a, const ss_atlas_cell *cell, double bounds[4]) {
  if (!a || !cell || !bounds) return;
  for (int k = 0; k < 2; k++) {
    bounds[k] = ssi_quad_place(&a->x, cell->level, cell->i + k);
    bounds[2 + k] = ssi_quad_place(&a->y, cell->level, cell->j + k);
  }
}
