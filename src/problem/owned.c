#include "problem/owned.h"

ssi_owned *ssi_owned_create(ss_context *ctx) {
  ssi_arena arena = {.ctx = ctx};
  ssi_owned *o = SSI_TAKE(&arena, 1, ssi_owned);
  if (!o) return NULL;
  o->arena = arena;
  return o;
}

void ss_problem_destroy(ss_problem *owned) {
  if (!owned) return;
  ssi_arena_release_home(((ssi_owned *)owned)->arena);
}
