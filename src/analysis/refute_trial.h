// analysis/refute_trial.h - Newton's method from points that a search comes across, on some contacts only.
#pragma once

#include "analysis/refute.h"
#include "stickslip/solver.h"

typedef struct ssi_refute_trial {
  ss_problem p;  // the contacts of the part, reduced form
  ss_solver *solver;
  double *r;  // (dim n)
} ssi_refute_trial;

// All memory from the arena, save the solver's. Release whatever is returned.
ss_error ssi_refute_trial_create(ss_context *ctx, ssi_arena *arena, const ssi_refute_data *d, int n,
                                 const int *contact, double tol, ssi_refute_trial *out);
void ssi_refute_trial_release(ssi_refute_trial *t);

// From t->r; true where that led to a solution, now in t->r.
bool ssi_refute_trial_run(ssi_refute_trial *t);
