// solvers/auto_last.h - what `auto` tries when nothing else helped: other methods, other starts, one after the
// other, each with a budget of counted work. The table of attempts is in auto_last.c.
//
//   ssi_last_begin (each solve) -> { ssi_last_enter -> ssi_last_step ... } until enter says no -> release
//
// The attempts work on a system of their own: the blocks of W that some of them ask for would change the bits
// of later solves.
#pragma once

#include "solvers/method.h"

typedef struct ssi_last {
  ssi_arena arena;  // of the attempt under way
  ssi_system *own;
  const ssi_method *method;  // of the attempt under way; NULL: none is
  void *state;
  int next;         // attempt that comes next, in the order of the table, round after round
  int steps, most;  // of the attempt under way
  uint32_t tried;  // methods that had their turn or cannot take the problem: bits of ssi_method_bit
} ssi_last;

void ssi_last_begin(ssi_last *l);
void ssi_last_release(ssi_last *l);

// Begins the next attempt that applies, at a start of its own, which r then is. newton_s: counted seconds
// of one factorisation of Newton. false: all have been made.
bool ssi_last_enter(ssi_last *l, const ssi_system *sys, uint64_t seed, double newton_s, double *r);

// One step of the attempt; SSI_STALLED: it is over, and r is what it leaves.
ssi_verdict ssi_last_step(ssi_last *l, double *r, double *estimate);

// For tests: the attempts by index, NULL past the last one.
const char *ssi_last_name(int index);
