// solvers/auto/parts.h - a problem that falls apart: contacts of different components of the contact graph
// (problem/graph.h) share no body and no block of W, so that each can be solved by itself, with its own
// decisions and its own end. One hard component then no longer spoils the steps of all the others.
//
// Small components are bundled. The part with index k is solved until its own error, docs/theory.md (7), is at
// most sharpness tol; by fclib's measure, which is relative to the whole, until
//
//     |F_k|^2 <= (sharpness tol |q|)^2 nc_k / nc
//
// `sharpness` begins at 1/2 and becomes smaller where the measure that the driver uses asks for more. Parts take turns that become longer each round.
#pragma once

#include "solvers/instance.h"

typedef struct ssi_part {
  ss_problem p;         // arrays in the arena
  ssi_system *sys;      //
  const int *contact;   // numbers in the whole, ascending   (sys->nc)
  ssi_instance method;  //
  double *r, *u;        // (sys->m)
  double error;         // at the last measure; by fclib's, |F_k|
  bool done, stuck;
} ssi_part;

typedef struct ssi_parts {
  ssi_arena arena;
  int count;  // 0: not divided
  ssi_part *part;
  int at;       // whose turn it is
  int turn;     // steps taken in it
  int longest;  // steps of a turn
  double sharpness;
  bool measured;  // the last step ended with a measure of its part: a tenth sweep, or a dear step
} ssi_parts;

// options: `size` bytes of the method's. count stays 0 where dividing would not pay: one component with more than half
// of the contacts, all of them in one bundle, or bilateral constraints.
ss_error ssi_parts_create(ssi_parts *s, ssi_system *sys, const ssi_method *method,
                          const void *options, size_t size, uint64_t seed);
void ssi_parts_release(ssi_parts *s);

void ssi_parts_begin(ssi_parts *s, ssi_system *sys, const double *r);

// One step of one part. *estimate is NAN when the whole may be done and infinite before. SSI_STALLED:
// the parts that are not done cannot go on.
ssi_verdict ssi_parts_step(ssi_parts *s, ssi_system *sys, double *r, double *estimate);

// The methods that the parts have run since begin, as bits of ssi_method_bit; and their end of a solve.
uint32_t ssi_parts_tried(const ssi_parts *s);
void ssi_parts_end(ssi_parts *s);
