// What steps cost, counted from sizes and patterns: what `auto` decides by.
#include "solvers/auto_cost.h"

#include <math.h>

double ssi_sweep_cost(const ssi_system *sys) {
  double blocks = sys->W.ptr ? (double)sys->W.ptr[sys->nc] : 12.0 * sys->nc;
  return 2 * blocks + 20.0 * sys->nc;
}

// Sweeps left from which Newton's analysis, some 20 ns an entry, is worth while: twice its cost. The
// entries are not counted yet: blocks of W, or what each contact adds to the matrix of the bodies.
double ssi_analysis_in_sweeps(const ssi_system *sys) {
  double nc = sys->nc, size = (double)sys->dim * sys->dim, entries = INFINITY;
  if (sys->W.ptr) entries = size * ((double)sys->W.ptr[sys->nc] + nc);
  if (ssi_system_has_bodies(sys)) {
    double touched = (double)sys->bodies.at[sys->nc];
    entries = fmin(entries, 0.5 * touched * touched / nc);
  }
  return 45 * entries / ssi_sweep_cost(sys);
}

// What a step of Newton costs in sweeps. Nanoseconds on the machine of docs/solvers-newton.md, where
// the three ways of la/lu.h and the sweeps are each within a factor of two of this; the ratio is what
// counts. Newton's analysis knows how far its matrix fills up, and must have been made.
double ssi_newton_in_sweeps(const ssi_newton *newton, const ssi_system *sys) {
  const ssi_lu *lu = &newton->lu;
  if (newton->bodies)
    return (500.0 * sys->nc + 0.15 * newton->by_bodies.lu.flops) / ssi_sweep_cost(sys);
  double rows = sys->m, entries = (double)newton->entries, flops = lu->fixed.fill.flops;
  if (!(flops > 0)) flops = 0.1 * rows * rows * fmin(rows, 300);
  double step = rows <= SSI_LU_DENSE ? 0.03 * rows * rows * rows + 10 * entries
                : lu->fixed.fill.n   ? 60 * rows + 10 * entries + 0.5 * flops
                                     : 200 * entries + 0.035 * flops;
  return step / ssi_sweep_cost(sys);
}
