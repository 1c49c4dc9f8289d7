// analysis/trace/tracer.h - what following a branch needs: points, pieces, and the nodes where pieces meet.
#pragma once

#include "analysis/trace/tangents.h"

typedef struct ssi_spot {  // a point of a branch, scaled
  double p;
  double *r, *u;  // (m)
} ssi_spot;

typedef struct ssi_trail_point {
  ss_trace_point shown;  // in the user's units
  const double *r, *u;   // scaled   (m)
} ssi_trail_point;

typedef struct ssi_trail {
  ssi_trail_point *points;
  size_t count, room;
} ssi_trail;

// What has been walked: one pattern over an interval of p, or a vertical piece (low == high).
typedef struct ssi_walked {
  const ss_cell_state *states;
  double low, high;
} ssi_walked;

typedef struct ssi_trace_node {
  ssi_spot at;
  ssi_tangent *ways;
  bool *used;
  int count;
} ssi_trace_node;

typedef struct ssi_tracer {
  ss_context *ctx;
  const ss_trace_options *o;
  ssi_family family;
  ssi_arena keep;    // as long as the result
  ssi_arena while_;  // as long as the tracing
  ssi_pattern work;
  double range;  // to - from
  ssi_family_data now, next, rate;
  double *slope, *trial_r, *trial_u, *left, *F, *near_r, *near_u;  // (m)
  double *before;  // r, then u, of the point before   (2 m)
  bool *armed;     // (3 n)

  ssi_walked *walked;
  size_t walked_count, walked_room;
  ssi_trace_node *nodes;
  size_t node_count, node_room;
  ss_trace_branch *branches;
  size_t branch_count, branch_room;
  ss_trace_continuum *continua;
  size_t continuum_count, continuum_room;

  double *looks;  // parameters at which to list all solutions, beside the samples
  size_t look_count, look_room;

  const ss_cell_state *start_states;  // where the branch began: coming back there closes it
  double start_p;
  bool may_close;
  int64_t points;
  int64_t work_done;  // by enumerations
  double begin_s, end_s, error_max;
  const char *stopped;
  bool incomplete;
} ssi_tracer;

// ---- trail.c ----------------------------------------------------------------------------------------

// A copy of the spot in the user's units at the end of the trail, judged from raw data. *good: its error is within the tolerance (else
// it is not added).
ss_error ssi_trail_add(ssi_tracer *t, ssi_trail *trail, const ssi_spot *at,
                       const ss_cell_state *states, bool *good);
// One branch from the way back (reversed, without its first point) and the way on.
typedef struct ssi_branch_ends {
  ss_trace_end reason[2];
  double limit[2];
  bool from_start;
} ssi_branch_ends;
ss_error ssi_branch_add(ssi_tracer *t, const ssi_trail *back, const ssi_trail *on,
                        const ssi_branch_ends *ends);
// The piece that ends at the last point of the trail, which began at its point `first`, is vertical.
ss_error ssi_continuum_add(ssi_tracer *t, const ssi_trail *trail, size_t first, bool unbounded);
// Folds, changes, continua, branchings, from what was added.
ss_error ssi_trace_assemble(ssi_tracer *t, ss_trace *out);

// ---- piece.c ----------------------------------------------------------------------------------------

typedef enum ssi_piece_end {
  SSI_PIECE_EVENT,     // a gap became zero
  SSI_PIECE_CROSSING,  // a smooth branch and a vertical piece cross
  SSI_PIECE_RANGE,
  SSI_PIECE_INFINITY,
  SSI_PIECE_CLOSED,
  SSI_PIECE_CONTINUUM,
  SSI_PIECE_STUCK,
  SSI_PIECE_UNVERIFIED,
  SSI_PIECE_BUDGET,
} ssi_piece_end;

// From *at along `way` to the end of its pattern, which *at then is; points go to the trail. limit: of an asymptote.
ss_error ssi_piece_follow(ssi_tracer *t, const ssi_tangent *way, ssi_spot *at, ssi_trail *trail,
                          ssi_piece_end *end, double *limit);
bool ssi_tracer_goes_on(ssi_tracer *t, double p);

// ---- vertical.c -------------------------------------------------------------------------------------

// The same where way->dp is 0.
ss_error ssi_vertical_follow(ssi_tracer *t, const ssi_tangent *way, ssi_spot *at, ssi_trail *trail,
                             ssi_piece_end *end);
// The crossing at p of the smooth branch with the vertical piece of its pattern; at->r: near it.
ss_error ssi_crossing_settle(ssi_tracer *t, const ss_cell_state *states, double p, ssi_spot *at);

// ---- trace.c ----------------------------------------------------------------------------------------

ss_error ssi_tracer_look_at(ssi_tracer *t, double p);  // a continuum of several dimensions is there

// ---- ways.c -----------------------------------------------------------------------------------------

bool ssi_same_states(const ss_cell_state *a, const ss_cell_state *b, int n);
bool ssi_is_walked(const ssi_tracer *t, const ss_cell_state *states, double p);
// The same for a spot whose states may be tied: on the solution of some pattern walked there.
ss_error ssi_is_known(ssi_tracer *t, const ssi_spot *at, bool *known);
ss_error ssi_walked_add(ssi_tracer *t, const ss_cell_state *states, double from, double to);
// The ways on from a spot, those that first order leaves open settled by looking a little further. `like`: where
// several patterns are one way, the one most like this is taken; may be NULL. In `while_`.
ss_error ssi_ways_find(ssi_tracer *t, const ssi_spot *at, const ss_cell_state *like,
                       ssi_tangents *out);
ssi_trace_node *ssi_node_find(ssi_tracer *t, const ssi_spot *at);  // NULL: none there
ss_error ssi_node_add(ssi_tracer *t, const ssi_spot *at, const ssi_tangents *ways,
                      ssi_trace_node **out);
// The way back along which one came: index, or -1.
int ssi_way_back(const ssi_tangent *ways, int count, const ssi_tangent *came, int n, int m);
bool ssi_spot_copy(ssi_arena *arena, const ssi_spot *from, int m, ssi_spot *to);

// ---- walk.c -----------------------------------------------------------------------------------------

// The branch through a spot, or all that meet there.
ss_error ssi_walk_from(ssi_tracer *t, const ssi_spot *at);
// All ways from nodes that nobody has gone.
ss_error ssi_walk_nodes(ssi_tracer *t);
