// base/gmp_memory.h - GMP's memory through a context, and a way out where there is none.
//
// GMP takes memory through hooks of the whole process, and ends the process where one fails. Ours are put in once.
// Inside ssi_gmp_run, on its thread, blocks come from a context; where it has none, the run ends there and then
// (longjmp), and every block that it left goes back with ssi_gmp_memory_release. Everywhere else they hand on to the
// hooks that were there before, so that other users of GMP in the process see no difference.
#pragma once

#ifdef SS_WITH_GMP

#include <setjmp.h>

#include "stickslip/base.h"

typedef struct ssi_gmp_block {  // before each block
  struct ssi_gmp_block *next, *previous;
} ssi_gmp_block;

typedef struct ssi_gmp_memory {
  ss_context *ctx;
  ssi_gmp_block *blocks;
  jmp_buf way_out;
} ssi_gmp_memory;  // begins with {.ctx = ctx}

// work(argument), in which GMP's numbers may be made, changed and cleared. False: there was no memory, and those that
// were made are worthless. Runs are not nested; work holds nothing that its return would have to release.
bool ssi_gmp_run(ssi_gmp_memory *m, void (*work)(void *argument), void *argument);
void ssi_gmp_memory_release(ssi_gmp_memory *m);  // all numbers, cleared or not

#endif
