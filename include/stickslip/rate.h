// stickslip/rate.h - the rate problem at a state: how can contacts go on when the load changes?
//
// At a solution (u, r) of a 2D problem the load q and the friction mu change with given rates. A rate (du, dr) with
//
//   du = W dr + dq,        each contact moving into one of the states whose closure holds it
//
// is a way to go on. A contact inside its state has one; one that touches with r = 0 has four (free, stick, slip+,
// slip-), one on the edge of its cone two: 4^z 2^s patterns [Agw20, 3], all of which are tried.
#pragma once

#include "stickslip/enumerate.h"

#ifdef __cplusplus
extern "C" {
#endif

// How the load changes, in the form of the problem; NULL: does not.
typedef struct ss_rate_load {
  const double *f, *w;  // global form   (ndof), (m)
  const double *q;      // reduced form  (m)
  const double *b, *s;  // bilateral     (nl)
  const double *mu;     // (nc)
} ss_rate_load;

typedef enum ss_rate_law {
  SS_RATE_EVOLUTION,  // friction opposes du_T: the quasi-static evolution; u_T so far is history
  SS_RATE_INCREMENT,  // friction opposes u_T: the tangent of the solutions of the problem itself
} ss_rate_law;

typedef enum ss_rate_place {
  SS_PLACE_FREE,   // u_N > 0
  SS_PLACE_STICK,  // inside the cone
  SS_PLACE_SLIP,   // SS_RATE_INCREMENT: slipping with u_T != 0
  SS_PLACE_EDGE,   // on the edge of the cone: stick or slip
  SS_PLACE_GRAZE,  // r = 0, u_N = 0
} ss_rate_place;
SS_API const char *ss_rate_place_name(ss_rate_place p);  // "free", "stick", "slip", "edge", "graze"

typedef struct ss_rate_way {
  const ss_cell_state *states;  // into which each contact moves   (nc)
  // The load keeps its rate (time = 1), or the state changes while the load stands still (time = 0; du, dr
  // are then a direction).
  int time;
  const double *u, *r;  // du, dr   (m)
} ss_rate_way;

typedef struct ss_rate_set {
  int nc;
  const ss_rate_place *places;  // (nc)
  int grazing, edges;           // z, s
  int64_t patterns;             // tried
  int count;
  const ss_rate_way *ways;
  // Patterns with more ways than one at a time: a cone of them, of which nothing is listed.
  int degenerate;
  double error;  // of the state given, ss_verdict.error
  double time_s;
} ss_rate_set;

typedef struct ss_rate_options {
  ss_rate_law law;
  double tol;            // relative: what counts as on the edge, as grazing (default 1e-8)
  int64_t max_patterns;  // refuse more (default 4^7)
} ss_rate_options;
SS_API ss_rate_options ss_rate_options_default(void);

// r (m): the reactions at the state. SS_ERR_DATA where that is no solution, with its error.
SS_API ss_error ss_rate_enumerate(ss_context *ctx, const ss_problem *p, const double *r,
                                  const ss_rate_load *load, const ss_rate_options *o,
                                  ss_rate_set **out);
SS_API void ss_rate_set_destroy(ss_rate_set *set);  // NULL allowed

#ifdef __cplusplus
}
#endif
