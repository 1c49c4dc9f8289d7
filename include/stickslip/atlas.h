// stickslip/atlas.h - a map of the solution sets over a plane of two parameters.
//
// The rectangle is divided into cells; a cell's kind is the set of solutions of the problem at a point
// in it, told apart by the states of the contacts (ss_enumerate). Cells that touch one of another
// kind are divided again, `refine` times, so that every border between kinds runs along cells of
// the finest size. A region is a connected set of cells of one kind. What else tells points apart by the states of
// contacts can be mapped too: ss_atlas_judge, ss_status_atlas.
#pragma once

#include "stickslip/enumerate.h"

#ifdef __cplusplus
extern "C" {
#endif

// The 2D problem at (x, y), for ss_problem_destroy. Called from several threads at once, each with its
// own context, whose alloc and release must then be fit for that.
typedef ss_error (*ss_atlas_problem)(void *user, ss_context *ctx, double x, double y,
                                     ss_problem **out);

// What is found at a point, by the states of the contacts; SS_CELL_SLIP_PLUS is slip in any direction.
typedef struct ss_atlas_states {
  int nc, count;                // contacts; solutions, all isolated
  bool complete;                // they are all of them
  bool unsettled;               // which rests on a tolerance
  const ss_cell_state *states;  // one solution after the other            (count nc)
  void *owner;                  // of the states
} ss_atlas_states;

// Takes the place of ss_enumerate, and of the problem that it is given. Called from several threads, as ss_atlas_problem.
typedef struct ss_atlas_judge {
  ss_error (*find)(void *user, ss_context *ctx, double x, double y, ss_atlas_states *out);
  void (*release)(void *user, ss_atlas_states *found);  // after each find without an error; or NULL
  void *user;
} ss_atlas_judge;

typedef struct ss_atlas_axis {
  double from, to;  // from < to
  int cells;        // of the coarsest grid, > 0
} ss_atlas_axis;

typedef struct ss_atlas_progress {
  int64_t done, wanted;  // points of this round of refinement
  int round;             // 0: the coarsest grid
  double time_s;
} ss_atlas_progress;

typedef struct ss_atlas_options {
  ss_atlas_axis x, y;
  int refine;   // how often cells at borders are halved, 0 .. 12
  int threads;  // 0: as many as there are processors; the result is the same
  // 0: none. The map is then what the last complete round of refinement gave, or, where not even the
  // first grid was done, nothing.
  double time_limit_s;
  ss_atlas_judge judge;            // find NULL: solutions of ss_enumerate
  ss_enumerate_options enumerate;  // its progress and its time limit are not used
  const struct ss_atlas_known
      *known;  // points that need no enumeration (atlas_blocks.h); NULL: none
  int (*progress)(void *user,
                  const ss_atlas_progress *now);  // in the calling thread; nonzero cancels
  void *user;
} ss_atlas_options;

// One solution of a kind.
typedef struct ss_atlas_solution {
  bool isolated;
  bool unbounded;               // a continuum with rays
  int dimension;                // 0 if isolated
  int cell_count;               // 1 if isolated, else the cells of the continuum
  const ss_cell_state *states;  // one cell after the other        (cell_count nc)
} ss_atlas_solution;

typedef struct ss_atlas_kind {
  char label[8];  // A, B, ... Z, AA, ...: fewer solutions first, then from top to bottom
  int nc;
  int count;                           // solutions
  bool complete;                       // they are all of them
  const ss_atlas_solution *solutions;  // (count)
  double area;                         // share of the rectangle
  int regions;
} ss_atlas_kind;

typedef struct ss_atlas_cell {
  int level, i, j;  // column and row of the grid with cells << level columns
  int kind, region;
} ss_atlas_cell;

typedef struct ss_atlas_region {
  int kind;
  double area;      // share of the rectangle
  double x, y;      // a point well inside
  double room;      // its distance from the border, where the rectangle is 1 wide and 1 high
  int ring_count;   // closed outlines, the holes among them
  const int *ring;  // first arc of each ring                               (ring_count + 1)
  const int
      *ring_arc;  // arc k, walked from its first point; -1 - k: backwards   (ring[ring_count])
} ss_atlas_region;

typedef struct ss_atlas_arc {
  int left, right;  // regions beside it; -1: outside
  int count;
  const double *points;  // x, y, x, y, ...: within one cell of the finest size of the border
} ss_atlas_arc;

typedef struct ss_atlas {
  ss_atlas_axis x, y;
  int refine;
  int kind_count, cell_count, region_count, arc_count;
  const ss_atlas_kind *kinds;
  const ss_atlas_cell *cells;
  const ss_atlas_region *regions;
  const ss_atlas_arc *arcs;
  bool judged;        // by ss_atlas_options.judge: a slip has no direction
  int64_t problems;   // enumerated or judged
  int64_t known;      // of them, taken from ss_atlas_options.known
  int64_t unsettled;  // of those of the cells, how many counts rest on tie_tol
  bool cancelled;     // by progress; what else is here is not to be used
  bool late;          // the time limit ended it; cell_count is 0 where there is no map
  double time_s;
} ss_atlas;

SS_API ss_atlas_options ss_atlas_options_default(void);
// problem: NULL where there is a judge.
SS_API ss_error ss_atlas_create(ss_context *ctx, const ss_atlas_options *o,
                                ss_atlas_problem problem, void *user, ss_atlas **out);
SS_API void ss_atlas_destroy(ss_atlas *a);  // NULL allowed

// "free", "stick", "slip+", "slip-"; "slip" where the atlas is judged
SS_API const char *ss_atlas_state_name(const ss_atlas *a, ss_cell_state s);
// "no solution", "5 solutions", "at least 2 solutions"; where the atlas is judged "1 status"
SS_API void ss_atlas_count_text(const ss_atlas *a, const ss_atlas_kind *k, char out[40]);

// The point at which a cell's problem was taken: a little off its centre, so that borders along
// lines such as y = -x do not pass through the points.
SS_API void ss_atlas_point(const ss_atlas *a, const ss_atlas_cell *cell, double *x, double *y);
// x_low, x_high, y_low, y_high
SS_API void ss_atlas_bounds(const ss_atlas *a, const ss_atlas_cell *cell, double bounds[4]);

#ifdef __cplusplus
}
#endif
