// mpi/share_sweep.h - sweeps over domains on several processes: nsgs.order=domains with momentum, bit by bit.
#pragma once

#include "mpi/share.h"
#include "solvers/pace.h"

typedef struct share_sweeps {
  share *s;
  ssi_momentum ahead;
  ssi_pace pace;
  int sweeps;
  double norm_q;
} share_sweeps;

ss_error share_sweeps_begin(share *s, double momentum, share_sweeps *out);  // from s->r. Collective
void share_sweeps_step(share_sweeps *w);                                    // one sweep. Collective

// The error of s->r in plain arithmetic, all contacts together, docs/theory.md (7) and (8); s->u is that of s->r
// afterwards. One exchange; none where bodies are not rigid and s->u is that of s->r already. Collective.
void share_sweeps_measure(share_sweeps *w, double *error, double *error_fclib);
