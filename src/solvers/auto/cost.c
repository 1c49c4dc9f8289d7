// Each cost is linear in counted sizes. `bench_cost` times the methods on generated problems, fits the constants
// and prints them beside these; docs/solvers-auto.md has the last table. All are nanoseconds.
#include "solvers/auto/cost.h"

#include <math.h>

static const double BLOCK = 2, VISIT = 20;    // of a sweep: a block of W, a contact
static const double ENTRY_ANALYSED = 45;      // of the matrix: twice what its analysis takes
static const double CONTACT_CONDENSED = 500;  // by bodies: linearised and put into the matrix
static const double BODY_FLOP = 0.15;         // in blocks of the bodies
static const double ENTRY_PUT = 10, ROW_FIXED = 60;  // of the matrix of the contacts
static const double DENSE_FLOP = 0.03;               // an n-th of LAPACK's 2/3 n^3, both solutions
static const double FIXED_FLOP = 0.5;
static const double ENTRY_UMFPACK = 200, UMFPACK_FLOP = 0.035;
static const double PATH_CUBE = 0.1, PATH_SQUARE = 3;  // rows^3 and rows^2 of its dense LU
static const double PIVOT_SQUARE = 0.3;                // rows^2 of the tableau
static const double PRODUCT_ENTRY = 0.5;               // of W, at most 200 a row
static const double ROW_ADMM = 40;                     // projection and Anderson
static const double PROGRAM_PRODUCTS = 2000;           // of a convex program, products with W

enum { NEIGHBOURS = 12 };              // blocks of W a contact where they are not counted
enum { FILLED = 300 };                 // rows of the front that UMFPACK's fill is taken for
enum { ROW_OF_W = 200 };               // entries
enum { PIVOT_2D = 4, PIVOT_3D = 10 };  // rows of the LCP, a contact

double ssi_cost_blocks(const ssi_system *sys) {
  return sys->W.ptr ? (double)sys->W.ptr[sys->nc] : NEIGHBOURS * (double)sys->nc;
}

double ssi_cost_sweep(const ssi_system *sys) {
  return BLOCK * ssi_cost_blocks(sys) + VISIT * sys->nc;
}

// The entries are not counted yet: blocks of W, or what each contact adds to the matrix of the bodies.
double ssi_cost_newton_analysis(const ssi_system *sys) {
  double nc = sys->nc, size = (double)sys->dim * sys->dim, entries = INFINITY;
  if (sys->W.ptr) entries = size * ((double)sys->W.ptr[sys->nc] + nc);
  if (ssi_system_has_bodies(sys)) {
    double touched = (double)sys->bodies.at[sys->nc];
    entries = fmin(entries, 0.5 * touched * touched / nc);
  }
  return ENTRY_ANALYSED * entries;
}

double ssi_cost_newton(const ssi_newton_work *w, const ssi_system *sys) {
  double rows = sys->m, flops = w->flops;
  switch (w->kind) {
  case SSI_NEWTON_BODY_LU:
    return CONTACT_CONDENSED * sys->nc + BODY_FLOP * flops;
  case SSI_NEWTON_DENSE_LU:
    return DENSE_FLOP * rows * rows * rows + ENTRY_PUT * w->entries;
  case SSI_NEWTON_FIXED_LU:
    return ROW_FIXED * rows + ENTRY_PUT * w->entries + FIXED_FLOP * flops;
  case SSI_NEWTON_UMFPACK:
    break;
  }
  if (!(flops > 0)) flops = 0.1 * rows * rows * fmin(rows, FILLED);
  return ENTRY_UMFPACK * w->entries + UMFPACK_FLOP * flops;
}

double ssi_cost_path(const ssi_system *sys) {
  double rows = sys->m;
  return PATH_CUBE * rows * rows * rows + PATH_SQUARE * rows * rows;
}

double ssi_cost_pivot(const ssi_system *sys) {
  double rows = (sys->dim == 2 ? PIVOT_2D : PIVOT_3D) * (double)sys->nc;
  return PIVOT_SQUARE * rows * rows;
}

static double product(const ssi_system *sys) {
  double rows = sys->m;
  return PRODUCT_ENTRY * fmin(rows * rows, ROW_OF_W * rows);
}

double ssi_cost_admm(const ssi_system *sys) {
  return 2 * product(sys) + ROW_ADMM * sys->m;
}

double ssi_cost_aclm(const ssi_system *sys) {
  return PROGRAM_PRODUCTS * product(sys);
}
