#include "problem/owned.h"

#include <string.h>

#include "base/error.h"

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

// ---- copies ---------------------------------------------------------------------------------

static const void *copy_array(ssi_arena *arena, const void *x, size_t count, size_t size) {
  void *copy = x ? ssi_arena_take(arena, count + 1, size) : NULL;
  if (copy) memcpy(copy, x, count * size);
  return copy;
}

static const double *copy_numbers(ssi_arena *arena, const double *x, int count) {
  return copy_array(arena, x, (size_t)count, sizeof *x);
}

static void copy_matrix(ssi_arena *arena, ss_sparse *A) {
  if (!A->ptr) return;
  size_t entries = (size_t)A->ptr[A->rows];
  A->ptr = copy_array(arena, A->ptr, (size_t)A->rows + 1, sizeof *A->ptr);
  A->col = copy_array(arena, A->col, entries, sizeof *A->col);
  A->x = copy_array(arena, A->x, entries, sizeof *A->x);
}

ss_error ss_problem_copy(ss_context *ctx, const ss_problem *p, ss_problem **out) {
  if (!p || !out) return ssi_missing(ctx, "ss_problem_copy");
  *out = NULL;
  ssi_owned *own = ssi_owned_create(ctx);
  if (!own) return ssi_fail(ctx, SS_ERR_MEMORY, "no memory for a problem");
  ssi_arena *arena = &own->arena;
  ss_problem *copy = &own->problem;
  int m = p->dim * p->nc;
  *copy = *p;
  ss_sparse *matrices[] = {&copy->W, &copy->V, &copy->R, &copy->M, &copy->H, &copy->G};
  for (size_t k = 0; k < sizeof matrices / sizeof *matrices; k++) copy_matrix(arena, matrices[k]);
  copy->mu = copy_numbers(arena, p->mu, p->nc);
  copy->q = copy_numbers(arena, p->q, m);
  copy->w = copy_numbers(arena, p->w, m);
  copy->f = copy_numbers(arena, p->f, p->ndof);
  copy->s = copy_numbers(arena, p->s, p->nl);
  copy->b = copy_numbers(arena, p->b, p->nl);
  if (arena->failed) {
    ss_problem_destroy(copy);
    return ssi_fail(ctx, SS_ERR_MEMORY, "no memory for a problem of %d contacts", p->nc);
  }
  *out = copy;
  return SS_OK;
}
