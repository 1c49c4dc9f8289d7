// solvers/auto_cost.h - what the steps of `auto` cost, counted and never measured. Nanoseconds on the machine of
// docs/solvers-newton.md; the ratios are what counts.
#pragma once

#include "solvers/newton.h"

double ssi_sweep_cost(const ssi_system *sys);  // of one sweep
// Sweeps left from which Newton's analysis is worth while.
double ssi_analysis_in_sweeps(const ssi_system *sys);
// A step of Newton, whose analysis must have been made.
double ssi_newton_in_sweeps(const ssi_newton *newton, const ssi_system *sys);
