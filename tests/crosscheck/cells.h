// crosscheck/cells.h - one polyhedron { x >= 0 } of reactions, with rows of u that vanish or have a
// sign.
#pragma once

#include "interval.h"
#include "judge.h"

enum { CELL_ROWS = 2 * JUDGE_CONTACTS };

// u = U x + q in integers: column 2i of U belongs to r = (1, -mu) of contact i, column 2i + 1 to
// (1, mu), both scaled to whole numbers; every row of U and q is scaled by a positive number of its
// own.
typedef struct cell_system {
  int n, m;  // contacts, m = 2 n
  mpz_t U[CELL_ROWS][CELL_ROWS], q[CELL_ROWS];
  interval Ui[CELL_ROWS][CELL_ROWS], qi[CELL_ROWS];  // the same up to a positive factor per row
  bool frictionless[JUDGE_CONTACTS];
} cell_system;

typedef struct cell {       // sets of bits
  unsigned cols;            // unknowns that may be positive
  unsigned zero, pos, neg;  // rows with u = 0, u >= 0, u <= 0
} cell;

enum { STATE_FREE, STATE_STICK, STATE_PLUS, STATE_MINUS };

void cell_system_begin(cell_system *s, const exact_problem *p);
void cell_system_end(cell_system *s);

void cell_add_state(const cell_system *s, cell *c, int contact, int state);
cell cell_meet(const cell *a, const cell *b);

typedef enum cell_kind {
  CELL_EMPTY,
  CELL_POINT,    // one solution, every inequality strict: in no other cell
  CELL_CORNER,   // one solution, on the border of the cell
  CELL_MANY,     // a continuum
  CELL_UNKNOWN,  // the method cannot tell
} cell_kind;

// For cells of a pattern (as many zero rows as unknowns):
cell_kind cell_by_interval(const cell_system *s, const cell *c);
cell_kind cell_by_elimination(const cell_system *s,
                              const cell *c);  // UNKNOWN: two or more are free
// For any cell; strictness is not looked at: a point is a CORNER.
cell_kind cell_by_program(const cell_system *s, const cell *c);
bool cell_is_empty(const cell_system *s, const cell *c);
