// analysis/atlas.h - the parts of ss_atlas_create.
#pragma once

#include <math.h>

#include "base/arena.h"
#include "stickslip/atlas_blocks.h"

// Kinds told apart by bytes (atlas_kinds.c): the contacts, then each solution, sorted.
typedef struct ssi_kinds ssi_kinds;
ssi_kinds *ssi_kinds_create(ss_context *ctx);  // NULL: no memory
void ssi_kinds_destroy(ssi_kinds *k);
int ssi_kinds_count(const ssi_kinds *k);

// One thread's view: a scratch buffer and the kind it met last, which the next point likely has too.
typedef struct ssi_kinds_view {
  ssi_kinds *kinds;
  ss_context *ctx;
  unsigned char *bytes;
  size_t length, room;
  size_t *order;  // starts of the solutions' blocks
  size_t order_room;
  const unsigned char *last;
  size_t last_length;
  int last_kind;
} ssi_kinds_view;

// The kind of `set`, made where it is new; -1: no memory. Any thread, each with its own view.
int ssi_kinds_find(ssi_kinds_view *v, const ss_solution_set *set);
int ssi_kinds_find_states(ssi_kinds_view *v, const ss_atlas_states *found);
int ssi_kinds_find_bytes(ssi_kinds_view *v, const unsigned char *bytes, size_t length);
void ssi_kinds_view_release(ssi_kinds_view *v);
const unsigned char *ssi_kinds_bytes(const ssi_kinds *k, int kind, size_t *length);

// The solutions of kind k as a public struct (no label, area, regions), arrays in `arena`.
bool ssi_kinds_decode(const ssi_kinds *k, int kind, ssi_arena *arena, ss_atlas_kind *out);
int ssi_kinds_compare(const ssi_kinds *k, int a, int b);  // by their bytes

bool ssi_kind_is_whole(const unsigned char *bytes, size_t length);  // as they are written

// A kind as text, and back (atlas_kind_text.c). NULL, -1: no memory, or it is wrong.
char *ssi_kind_text(ssi_arena *arena, const unsigned char *bytes, size_t length);
int ssi_kinds_find_text(ssi_kinds_view *v, const char *text, bool *wrong);

// Points to be enumerated, and what came out.
typedef struct ssi_atlas_point {
  double x, y;
  int kind;
  bool unsettled;
} ssi_atlas_point;

// Every point that was found, one after the other.
typedef struct ssi_atlas_record {
  ssi_atlas_point *points;
  int64_t count;
  size_t room;
} ssi_atlas_record;

typedef struct ssi_atlas_run {
  ss_context *ctx;
  const ss_atlas_options *o;
  ss_atlas_problem problem;
  void *user;
  ssi_kinds *kinds;
  int round;
  double begin_s, end_s;     // of the time
  int64_t problems;          // enumerated so far
  int64_t taken;             // of them, from o->known
  ssi_atlas_record *record;  // NULL: none is kept
  bool cancelled;            // stopped: the points of this round are worthless
  bool late;                 // by the time limit
} ssi_atlas_run;

// Fills kind and unsettled of every point, on o->threads threads. The error is that of the first
// point (by index) that has one.
ss_error ssi_atlas_evaluate(ssi_atlas_run *run, ssi_atlas_point *points, int64_t count);

// What is known at a point (atlas_known.c); NULL: nothing. Any thread.
typedef struct ssi_known_point {
  double x, y;
  int kind;  // of its own kinds
  bool unsettled;
} ssi_known_point;
const ssi_known_point *ssi_known_at(const ss_atlas_known *k, double x, double y);
const ssi_kinds *ssi_known_kinds(const ss_atlas_known *k);

ss_error ssi_atlas_check(ss_context *ctx, const ss_atlas_options *o);

// Off the centre of a cell by irrational-looking shares, different ones for x and y.
#define SSI_ATLAS_X 0.5381966
#define SSI_ATLAS_Y 0.4472136

// A place on an axis, `cell` counted from its beginning on a grid of `cells` cells.
static inline double ssi_atlas_place(const ss_atlas_axis *a, double cells, double cell) {
  return a->from + (a->to - a->from) * (cell / cells);
}

// The same where cells were halved `level` times.
static inline double ssi_quad_place(const ss_atlas_axis *a, int level, double cell) {
  return ssi_atlas_place(a, ldexp(a->cells, level), cell);
}

// ---- the tree of cells, atlas_tree.c ---------------------------------------------------------

typedef struct ssi_quad_node {
  int child;  // first of four, x first; -1: a leaf
  int kind;
  bool marked, unsettled;
} ssi_quad_node;

typedef struct ssi_quad_leaf {
  int node, level, i, j;
} ssi_quad_leaf;

typedef struct ssi_window {
  int i, j, width, height;  // cells of the coarse grid
} ssi_window;

typedef struct ssi_quad_tree {
  ss_context *ctx;
  const ss_atlas_options *o;
  ssi_window window;  // what it divides; columns and rows of leaves count from there
  ssi_quad_node *nodes;
  int node_count;
  size_t node_room;
  ssi_quad_leaf *fresh;  // made in the last round
  int fresh_count;
} ssi_quad_tree;

// *reached: how often cells are halved at most.
ss_error ssi_quad_grow(ssi_quad_tree *t, ssi_atlas_run *run, int *reached);

// All leaves, row by row of the coarse grid.
typedef void (*ssi_quad_act)(const ssi_quad_tree *t, const ssi_quad_leaf *l, void *user);
void ssi_quad_visit(const ssi_quad_tree *t, ssi_quad_act act, void *user);

// The kind of each cell of the window's finest grid.
void ssi_quad_draw(const ssi_quad_tree *t, int *kind);

ss_error ssi_atlas_no_memory(ss_context *ctx);

// ---- the map ---------------------------------------------------------------------------------

// The finest grid: the kind of each cell, row after row from below.
typedef struct ssi_raster {
  int width, height;
  int *kind;              // places in ss_atlas.kinds                      (width height)
  const int *kind_place;  // from ids of run->kinds to those places          (kind_known)
  int kind_known;         // kinds that came up later are none of them
} ssi_raster;

// ---- borders, atlas_sharpen.c -----------------------------------------------------------------

typedef struct ssi_needle {
  double low[2], high[2];  // in cells of the finest grid; the kind at low is `kind`
  int kind;
} ssi_needle;

ssi_needle ssi_needle_between(int i, int j, int to_i, int to_j, int kind);

// Brings low and high together at the border between them. Of the grid its size is used and, where there is one,
// kind_place: without it the needles' kinds are ids of run->kinds.
ss_error ssi_needles_sharpen(ssi_atlas_run *run, const ssi_raster *g, ssi_needle *needles,
                             int count);

// Regions, their places for labels and the arcs between them, into `a`; region_of (width height).
ss_error ssi_atlas_trace(ssi_atlas_run *run, ssi_arena *arena, const ssi_raster *g, ss_atlas *a,
                         int *region_of);

// ---- the finest grid of an atlas, its regions and the arcs between them ------------------------

// region_of (width height): connected cells of one kind, numbered in the order of their first cell.
// stack (width height): scratch. Returns their number.
int ssi_find_regions(const ssi_raster *g, int *region_of, int *stack);

typedef struct ssi_place {
  double cells;    // of the region
  double x, y;     // its centre of mass, in cells
  double room;     // largest distance from its border
  double nearest;  // of `cell` from the centre of mass
  int cell;        // where the label goes
} ssi_place;

// distance (width height): scratch.
void ssi_place_labels(const ssi_raster *g, const int *region_of, float *distance, int count,
                      ssi_place *places);
