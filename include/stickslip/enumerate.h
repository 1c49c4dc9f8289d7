// stickslip/enumerate.h - every solution (u, r) of a 2D problem: isolated ones and continua.
//
// In 2D the law C(mu) of one contact is a union of four cones, its states
//
//   free    r = 0, u_N >= 0                 slip+   u_N = 0, u_T >= 0, r_T = -mu r_N, r_N >= 0
//   stick   u = 0, |r_T| <= mu r_N          slip-   u_N = 0, u_T <= 0, r_T =  mu r_N, r_N >= 0
//
// so the solutions with given states are a polyhedron, the whole set is a union of such cells, and
// two of them meet in a common face or not at all. Cells that touch are one solution; `count` is
// the number of connected components. In 3D only a search from many starts is done: never complete.
//
//   ss_solution_set *set;
//   if (ss_enumerate(&ctx, &problem, NULL, &set)) return puts(ctx.message), 1;
//   for (int k = 0; k < set->count; k++) { const ss_component *s = &set->components[k]; ... }
//   ss_solution_set_destroy(set);
//
// Thread-safe: nothing is shared between calls; give each thread its own context.
#pragma once

#include "stickslip/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ss_cell_state {
  SS_CELL_FREE,
  SS_CELL_STICK,
  SS_CELL_SLIP_PLUS,   // u_T > 0; in 3D: slip
  SS_CELL_SLIP_MINUS,  // u_T < 0
} ss_cell_state;
SS_API const char *ss_cell_state_name(ss_cell_state s);  // "free", "stick", "slip+", "slip-"

// The numbers of a problem as they were written ("3/5", "-0.25", "1e-3"), in the order of the
// arrays that they belong to: with them, ties are decided exactly. NULL where the problem has no
// such array.
typedef struct ss_exact {
  const char *const *mu;
  const char *const *W, *const *V, *const *R, *const *q, *const *s;
  const char *const *M, *const *H, *const *G, *const *f, *const *w, *const *b;
} ss_exact;

// u, r of all contacts (m each); for a ray, a direction in which the cell goes on for ever, scaled
// so that its normal reactions sum to 1.
typedef struct ss_cell_point {
  const double *u, *r;
} ss_cell_point;

// { sum a_k vertex_k + sum b_k ray_k :  a, b >= 0, sum a_k = 1 }
typedef struct ss_cell {
  int dimension;
  const ss_cell_state *states;  // inside the cell; free before stick before slip   (nc)
  int vertex_count, ray_count;
  const ss_cell_point *vertices, *rays;
} ss_cell;

typedef struct ss_component {
  bool isolated;
  int dimension;                // 0 if isolated; else the largest of its cells
  const ss_cell_state *states;  // of an isolated solution, else NULL   (nc)
  const double *u, *r;          // of an isolated solution, else NULL   (m)
  bool tie;   // isolated, and in the closure of several states at once (within tie_tol, or exactly)
  int index;  // isolated: sign of its pattern determinant, its share of the degree; 0: tie, unknown
  double error;    // isolated: ss_verdict.error, in double arithmetic; NAN otherwise
  int cell_count;  // of a continuum: its largest cells, none part of another; 0 if isolated
  const ss_cell *cells;
} ss_component;

typedef enum ss_degree {
  SS_DEGREE_NOT_APPLICABLE,  // W not positive definite, a tie or a continuum, incomplete
  SS_DEGREE_HOLDS,           // the indices sum to 1
  SS_DEGREE_VIOLATED,        // they do not: something is missing; complete is then false
} ss_degree;

// Where doubles did not settle the count: what rational arithmetic, for which they are exact, says.
typedef enum ss_recheck {
  SS_RECHECK_NONE,       // not needed, too much work (ss_enumerate_options.recheck), or nothing new
  SS_RECHECK_CONFIRMED,  // the same kinds of solutions, proved; the set is the rational one
  SS_RECHECK_REPLACED,   // the set is the rational one: another answer, proved; or not, where doubles
                         // do not see all (large mu, singular W) or miss one that is certain
  SS_RECHECK_DIFFERS,  // another answer that rests on less than the rounding of the data; the set is
                       // that of tie_tol
} ss_recheck;
SS_API const char *ss_recheck_name(ss_recheck r);  // "none", "confirmed", "replaced", "differs"

// How the solutions of a 2D problem are found.
typedef enum ss_enumerate_method {
  SS_ENUMERATE_TREE,  // the tree of states
  SS_ENUMERATE_GLCP,  // the complementarity problem of [Agw20, 4.4], by the algorithm named there; up to 10 contacts,
                      // in doubles, never rigorous
} ss_enumerate_method;

typedef struct ss_solution_set {
  int dim, nc;
  int count;  // connected components
  const ss_component *components;
  bool complete;  // the search was exhaustive
  bool exact;     // decided in rational arithmetic
  // The count holds for the data within its rounding: complete, and each decision was further from a
  // tie than rounding can be (or of numbers that are exact). count = 0 and rigorous: there is no solution.
  bool rigorous;
  bool certain;          // one of the solutions is there whatever the rounding of the data
  bool doubtful;         // some decision depends on less than the rounding of the data, or on ours
  bool unique_velocity;  // all solutions have one u; false if there are none
  int ties;              // decisions that tie_tol made (0 when exact)
  ss_degree degree;
  int degree_sum;
  ss_recheck recheck;
  int recheck_count;      // of the rational answer; 0 without one
  bool singular;          // W is not positive definite (to 1e-12)
  int64_t nodes, leaves;  // of the tree; state patterns solved. GLCP: rays looked at; pairs of rays
  int rays_most;          // GLCP: rays of the cone, at most at any time; else 0
  double time_s;
  const char *stopped;  // why it is not complete; NULL if it is
} ss_solution_set;

typedef struct ss_enumerate_progress {
  int64_t nodes, leaves;
  double fraction;  // of the tree that is done, by the share of each branch
  int cells;        // found so far
  double time_s;
} ss_enumerate_progress;

typedef struct ss_enumerate_options {
  ss_enumerate_method method;  // 2D
  double tie_tol;         // relative; not used when exact
  const ss_exact *exact;  // NULL: the doubles
  bool
      rational;  // decide for the doubles as they stand, and say where that depends on their rounding
  // Where doubles do not settle the count, try again in rational arithmetic if that means at most
  // so many patterns (singular W: 4^nc of them); 0: never
  int64_t recheck;
  int64_t max_solutions;  // stop after that many cells; 0: no limit
  double time_limit_s;    // 0: none
  int starts;             // 3D: random starts
  uint64_t seed;          // 3D
  bool verify;            // fill ss_component.error; costs more than the rest for one contact
  int (*progress)(void *user, const ss_enumerate_progress *now);  // nonzero cancels
  void *user;
} ss_enumerate_options;

SS_API ss_enumerate_options ss_enumerate_options_default(void);

enum { SS_ENUMERATE_CONTACTS = 60 };  // most contacts in 2D

// o: NULL for the defaults. SS_ERR_UNSUPPORTED: exact arithmetic asked for, and this build has no
// GMP.
SS_API ss_error ss_enumerate(ss_context *ctx, const ss_problem *p, const ss_enumerate_options *o,
                             ss_solution_set **out);
SS_API void ss_solution_set_destroy(ss_solution_set *set);  // NULL allowed

#ifdef __cplusplus
}
#endif
