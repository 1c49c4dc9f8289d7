// solvers/auto/attempts.h - what `auto` tries when its other phases got nowhere: other methods, other starts, one after
// the other, each with a budget of counted work. The table of attempts is in attempts.c.
//
//   ssi_attempts_begin (each solve) -> { ssi_attempts_enter -> ssi_attempts_step ... } until enter says no -> release
//
// The attempts work on a system of their own: the blocks of W that some of them ask for would change the bits
// of later solves.
#pragma once

#include "solvers/instance.h"

typedef struct ssi_attempts {
  ssi_arena arena;  // of the attempt under way
  ssi_system *own;
  ssi_instance method;  // of the attempt under way, or none
  int next;             // attempt that comes next, in the order of the table
  int steps, most;      // of the attempt under way
  uint32_t tried;  // methods that had their turn or cannot take the problem: bits of ssi_method_bit
} ssi_attempts;

void ssi_attempts_begin(ssi_attempts *a);
void ssi_attempts_release(ssi_attempts *a);

typedef struct ssi_attempt_means {
  uint64_t seed;
  double newton_ns;  // counted cost of a step of Newton
  double seconds;    // counted, that an attempt may take
} ssi_attempt_means;

// Begins the next attempt that applies, at a start of its own, which r then is. false: all have been made.
bool ssi_attempts_enter(ssi_attempts *a, const ssi_system *sys, const ssi_attempt_means *means,
                        double *r);

// One step of the attempt; SSI_STALLED: it is over, and r is what it leaves.
ssi_verdict ssi_attempts_step(ssi_attempts *a, double *r, double *estimate);

// For tests: the attempts by index, NULL past the last one.
const char *ssi_attempt_name(int index);

// Friction that grows to its value, one of the attempts (continuation.c).
extern const ssi_method ssi_method_continuation;  // no options; not in the table of methods
