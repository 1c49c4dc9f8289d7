// analysis/cells.h - the cells of a solution set, free of the kind of number they were found with.
//
// The solutions with the closed states s = (s_1, ..., s_n) are a polyhedron in r (u = W r + q
// follows). It has no lines, since r lies in pointed cones, so it is given by its vertices and
// extreme rays. Two such polyhedra meet in a common face: for each pair of states of one contact,
// the intersection of the two cones is a face of both. Hence (1) cells touch iff they share a
// vertex, and (2) one contains the other iff it has all vertices and rays of it.
#pragma once

#include "base/arena.h"
#include "stickslip/enumerate.h"

// What a point or ray says about one contact: which closed states hold it, and two strict signs.
enum {
  SSI_IN_FREE = 1 << SS_CELL_FREE,
  SSI_IN_STICK = 1 << SS_CELL_STICK,
  SSI_IN_PLUS = 1 << SS_CELL_SLIP_PLUS,
  SSI_IN_MINUS = 1 << SS_CELL_SLIP_MINUS,
  SSI_IN_ANY = 15,
  SSI_PRESSED = 16,  // r_N > 0
  SSI_RIGHT = 32,    // u_T > 0
  SSI_LEFT = 64,     // u_T < 0
};

typedef struct ssi_generator {  // a vertex or an extreme ray
  bool ray;
  uint8_t *marks;  // (n)
  uint8_t *home;   // states with which it was first found   (n)
  double *u, *r;   // (m)
} ssi_generator;

typedef struct ssi_found {
  uint8_t *states;  // (n)
  int dimension;
  int index;             // sign of the pattern determinant; 0: singular
  int count, ray_count;  // generators, of which the last ray_count are rays
  int *generators;       // their numbers   (count)
} ssi_found;

typedef struct ssi_cells {
  ssi_arena *arena;  // of everything below
  int n;
  int generator_count, generator_room, found_count, found_room;
  ssi_generator *generators;
  ssi_found *found;
  int ties;       // decisions within the tolerance
  bool doubtful;  // a decision that rounding, of the data or of ours, may have made
  bool certain;   // one of the points is a solution whatever the rounding
  bool overflow;  // a cell with too many vertices was left out
  bool blind;     // doubles: a cell of more than one point may be lost, see cell_kernel.h
  double end_s;   // of the time (ssi_time_end): what is begun then is left out,
  bool late;      // and this says so
} ssi_cells;

ssi_found *ssi_cells_add(ssi_cells *c, int generators);  // NULL: no memory
int ssi_cells_add_generator(ssi_cells *c);               // its number; -1: no memory

// What finds the solutions with given states; two kinds of numbers, one interface.
typedef struct ssi_solver_of_cells {
  void *state;
  ss_error (*solve)(void *state, const uint8_t *states, ssi_cells *out);
  void (*release)(void *state);  // what lies outside the arena
  bool late;                     // the time was up while it was being made: there is no solver
  bool impossible;               // bilateral constraints that contradict each other
  bool doubtful;                 // within the rounding of the data
  bool
      unsure;  // doubles: some load is zero to rounding, or what joints leave of W is: nothing found is certain
} ssi_solver_of_cells;

ss_error ssi_cells_double(ss_context *ctx, ssi_arena *arena, const ss_problem *p, double tie_tol,
                          ssi_solver_of_cells *out);
bool ssi_has_exact(void);  // this build has GMP
ss_error ssi_cells_exact(ss_context *ctx, ssi_arena *arena, const ss_problem *p,
                         const ss_exact *text, double end_s, ssi_solver_of_cells *out);

// The reduced problem in doubles, scaled contact by contact: W~ = S W S, q~ = S q / q0 with
// S_i = 1/sqrt(max diagonal of W_ii), so that its entries are of order 1 whatever the units. Where q of a
// component is only rounding (problem/load.c), q~ is zero there.
typedef struct ssi_scaled {
  int n, m;
  double *W;     // row-major   (m m)
  double *q;     // (m)
  double *mu;    // (n)
  double *s;     // r = s r~ q0,  u = u~ q0 / s   (n)
  double *q0;    // one for each connected component   (n)
  double doubt;  // by how much the rounding of the data may move q~, at most
  bool unsure;   // some q~ is hardly more than that
} ssi_scaled;
// u = W r + q with nothing else left: W (m m, row-major) and q (m), which must be zero. terms (m, zero): what q is the sum
// of; of a q that is given, nothing is known. *impossible is set where bilateral constraints contradict each other.
ss_error ssi_dense_problem(ss_context *ctx, ssi_arena *arena, const ss_problem *p, double *W,
                           double *q, double *terms, bool *impossible);
const ssi_scaled *ssi_cells_scaled(const ssi_solver_of_cells *s);  // of ssi_cells_double
