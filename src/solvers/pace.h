// solvers/pace.h - what becomes of the momentum of sweeps (la/momentum.h), from the size of their steps alone: nsgs and
// the sweeps over several processes decide alike, bit by bit.
#pragma once

#include "la/momentum.h"

typedef struct ssi_pace {
  int idle;      // accelerated sweeps since the step last halved
  int plain;     // sweeps left without acceleration
  int kept;      // which of the shares that a cut leaves
  double least;  // square of the step when it last halved
} ssi_pace;

enum { SSI_PACE_STRETCH = 300 };  // sweeps in which a step should halve

void ssi_pace_forget(ssi_pace *p);  // no sweeps yet
void ssi_pace_begin(ssi_pace *p, ssi_momentum *m, const double *r);

// r after a sweep becomes the point from which the next one starts. True if it moved.
bool ssi_pace_next(ssi_pace *p, ssi_momentum *m, double *r);

// STRETCH sweeps in which the step did not halve; then counts anew. change: the square of the last step.
bool ssi_pace_stalls(ssi_pace *p, double change);

// After a sweep. begun: one with momentum came before it.
void ssi_pace_watch(ssi_pace *p, ssi_momentum *m, bool begun, double change);
