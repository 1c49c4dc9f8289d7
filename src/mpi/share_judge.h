// mpi/share_judge.h - the verdict of problem/verify.h on several processes: the same errors, from the raw data.
#pragma once

#include "mpi/share.h"

// Judges s->r; s->u becomes what follows from it. contacts of *out beyond 2^31 - 1 are -1. Collective.
ss_error share_judge(share *s, ss_verdict *out);

// Velocities of the even share of dofs at s->r, after share_judge, for free(). Collective.
ss_error share_dof_velocities(share *s, double **v);
