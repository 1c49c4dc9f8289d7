// solvers/auto/cost.h - what steps cost: nanoseconds counted from sizes and patterns, never measured while solving. The
// machine is that of docs/solvers-newton.md; `auto` decides by ratios. `bench_cost` measures the constants of cost.c.
#pragma once

#include "solvers/newton.h"

double ssi_cost_blocks(const ssi_system *sys);           // of W, or a guess where they are not made
double ssi_cost_sweep(const ssi_system *sys);            // of nsgs
double ssi_cost_newton_analysis(const ssi_system *sys);  // before it is made
double ssi_cost_newton(const ssi_newton_work *w, const ssi_system *sys);  // a step
double ssi_cost_path(const ssi_system *sys);                              // a step
double ssi_cost_pivot(const ssi_system *sys);                             // of lemke
double ssi_cost_admm(const ssi_system *sys);                              // a step
double ssi_cost_aclm(const ssi_system *sys);                              // a convex program
