// mpi/share_admm.h - alternating directions on several processes, for what sweeps creep on (walls): solvers/admm.c
// (3) as a fixed point that PETSc's SNES accelerates, with the linear systems of its KSP.
#pragma once

#include "mpi/share_sweep.h"

typedef struct share_admm share_admm;

// Asked after each evaluation of the map, with s->r the reactions of it: true to end. Collective.
typedef bool share_admm_ask(void *user, int evaluations);

typedef struct share_admm_counts {
  int evaluations;  // of the map
  int doubtful;     // linear solutions whose last bits another solver might have had otherwise
} share_admm_counts;

// From s->r. PETSc's options (-ksp_type, -pc_type, -snes_anderson_m, ...) are heard. SS_ERR_LINEAR where a system could
// not be solved. Collective.
ss_error share_admm_run(share_sweeps *sweeps, double rho, int most, share_admm_ask *ask, void *user,
                        share_admm_counts *counts);
