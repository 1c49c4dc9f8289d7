// stickslip/trace.h - the solutions of a 2D problem followed over a parameter, through folds and branches.
//
//   u = W(p) r + q(p),   (u, r) in C(mu(p)),     from <= p <= to
//
// Within one pattern of contact states the solution is a function of p; patterns change where an
// inequality becomes an equality, and p may turn back there (a fold). Where the matrix of a pattern is singular
// and its equations are not contradictory, a whole segment of solutions has one p: a vertical piece.
// docs/multiplicity-trace.md.
//
//   ss_trace_options o = ss_trace_options_default();
//   o.from = 0, o.to = 2;
//   ss_trace *t;
//   if (ss_trace_create(&ctx, &o, problem_at, user, &t)) return puts(ctx.message), 1;
#pragma once

#include "stickslip/enumerate.h"

#ifdef __cplusplus
extern "C" {
#endif

// The problem at p, for ss_problem_destroy; from <= p <= to. The number of contacts must not depend on p.
typedef ss_error (*ss_trace_problem)(void *user, ss_context *ctx, double p, ss_problem **out);

typedef enum ss_trace_end {
  SS_END_RANGE,       // the end of the range of p
  SS_END_BRANCHING,   // a point at which more than two pieces meet
  SS_END_INFINITY,    // reactions without bound: an asymptote, or a ray of solutions
  SS_END_CLOSED,      // back at its start
  SS_END_CONTINUUM,   // solutions are not isolated over a range of p
  SS_END_DEGENERATE,  // no, or too many, ways on
  SS_END_UNVERIFIED,  // a point whose error is above the tolerance
  SS_END_BUDGET,      // max_points, the time limit, or cancelled
} ss_trace_end;
SS_API const char *ss_trace_end_name(ss_trace_end e);         // "range", "branching", ...
SS_API const char *ss_trace_end_explanation(ss_trace_end e);  // a few words

typedef struct ss_trace_point {
  double parameter;
  const double *u, *r;          // (m)
  const ss_cell_state *states;  // of the piece that it is on; a change lists its point twice   (nc)
  double step;                  // arclength from the point before; 0 for the first
  double
      error;  // ss_verdict.error of r; relative to 1e-6 of the largest load of the range where the load is less
} ss_trace_point;

typedef struct ss_trace_branch {
  int point_count;
  const ss_trace_point *points;
  int start;             // the point from which it was found; -1: it begins at a branching
  ss_trace_end ends[2];  // why it ends, at the first and at the last point
  double limit[2];       // SS_END_INFINITY: the parameter of the asymptote; NAN otherwise
  int fold_count, change_count;
} ss_trace_branch;

typedef struct ss_trace_fold {
  double parameter;
  int branch, point;            // the first of the two points of the change
  bool vertical;                // p turns after a vertical piece
  const ss_cell_state *states;  // before (nc)
  const ss_cell_state *after;   // (nc)
} ss_trace_fold;

typedef struct ss_trace_change {
  double parameter;
  int branch, point;
  const ss_cell_state *from, *to;  // (nc)
} ss_trace_change;

// A vertical piece, or a set of more dimensions that was met.
typedef struct ss_trace_continuum {
  double parameter;
  int dimension;
  bool unbounded;
  int branch;                   // that goes along it; -1: none (more than one dimension)
  const ss_cell_state *states;  // (nc)
  const double *u[2], *r[2];    // its ends; NULL where it has none   (m)
} ss_trace_continuum;

typedef struct ss_trace_branching {
  double parameter;
  const double *u, *r;  // (m)
  int ways;
} ss_trace_branching;

typedef struct ss_trace {
  int nc;
  double from, to;
  int branch_count, fold_count, change_count, continuum_count, branching_count;
  const ss_trace_branch *branches;
  const ss_trace_fold *folds;
  const ss_trace_change *changes;
  const ss_trace_continuum *continua;
  const ss_trace_branching *branchings;
  int samples;  // parameters at which all solutions were listed
  int starts;   // solutions found there
  bool
      complete;  // every enumeration was complete, and no branch ended for want of a way, of time or of points
  double error_max;  // of all points
  int64_t problems;  // built
  double time_s;
  const char *stopped;  // "time_limit", "cancelled", "max_points"; NULL
} ss_trace;

typedef struct ss_trace_progress {
  int branches, points;
  double parameter, time_s;
} ss_trace_progress;

typedef struct ss_trace_options {
  double from, to;   // from < to
  const double *at;  // parameters at which to start from all solutions; NULL: `samples` of them
  int at_count;
  int samples;  // equidistant, ends included; 0 (default): 65 to 1025, by the work they are
  int only;  // the solution of the first sample to start from, in the order of ss_enumerate; -1: all
  double step;         // longest step, relative to the range and to the solution (default 0.02)
  double tol;          // error that a point may have (default 1e-8)
  double infinity;     // reactions beyond that many times the natural ones count as infinite (1e6)
  int64_t max_points;  // default 200,000
  int64_t max_patterns;  // at a change of pattern (default 4^7)
  double time_limit_s;   // 0: none
  ss_enumerate_options enumerate;
  int (*progress)(void *user, const ss_trace_progress *now);  // nonzero cancels
  void *user;
} ss_trace_options;
SS_API ss_trace_options ss_trace_options_default(void);

// Ready-made families of one 2D or 3D problem (user: a const ss_problem, which must live on): p as the friction of all contacts, and as a factor
// of its load, f in the global form and q in the reduced one.
SS_API ss_error ss_trace_over_mu(void *user, ss_context *ctx, double p, ss_problem **out);
SS_API ss_error ss_trace_over_load(void *user, ss_context *ctx, double p, ss_problem **out);

SS_API ss_error ss_trace_create(ss_context *ctx, const ss_trace_options *o,
                                ss_trace_problem problem, void *user, ss_trace **out);
SS_API void ss_trace_destroy(ss_trace *t);  // NULL allowed

#ifdef __cplusplus
}
#endif
