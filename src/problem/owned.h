// problem/owned.h - problems that the library allocates: the struct and all its arrays in one arena.
//
//   ssi_owned *o = ssi_owned_create(ctx);         // NULL: no memory
//   double *mu = SSI_TAKE(&o->arena, nc, double); // ... fill o->problem from o->arena ...
//   if (o->arena.failed) return ss_problem_destroy(&o->problem), SS_ERR_MEMORY;
//   *out = &o->problem;                           // the caller's from here: ss_problem_destroy
//
// The context given at creation must live as long as the problem: its hooks release the memory.
#pragma once

#include "base/arena.h"
#include "stickslip/problem.h"

typedef struct ssi_owned {
  ss_problem problem;  // first, so that ss_problem_destroy finds its owner
  ssi_arena arena;     // holds every array of problem, and this struct itself
} ssi_owned;

ssi_owned *ssi_owned_create(ss_context *ctx);  // all zero but the arena; NULL: no memory
