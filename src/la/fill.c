#include "la/fill.h"

#include <cholmod.h>

#include "la/sparse.h"

static bool symmetric(const ss_sparse *A) {
  for (int i = 0; i < A->rows; i++)
    for (int64_t k = A->ptr[i]; k < A->ptr[i + 1]; k++) {
      int64_t image = ssi_sparse_find(A, A->col[k], i);
      if (image == A->ptr[A->col[k] + 1] || A->col[image] != i) return false;
    }
  return true;
}

// order[k] = row eliminated as the k-th, by approximate minimum degree.
static bool minimum_degree(const ss_sparse *A, int64_t *index, int64_t *order) {
  cholmod_common common;
  cholmod_l_start(&common);
  common.print = 0;
  for (int64_t k = 0; k < ssi_sparse_entries(A); k++) index[k] = A->col[k];
  cholmod_sparse pattern = {.nrow = (size_t)A->rows,
                            .ncol = (size_t)A->rows,
                            .nzmax = (size_t)ssi_sparse_entries(A),
                            .p = (void *)(uintptr_t)A->ptr,
                            .i = index,
                            .stype = 1,
                            .itype = CHOLMOD_LONG,
                            .xtype = CHOLMOD_PATTERN,
                            .dtype = CHOLMOD_DOUBLE,
                            .sorted = 1,
                            .packed = 1};
  bool ok = cholmod_l_amd(&pattern, NULL, 0, (SuiteSparse_long *)order, &common);
  cholmod_l_finish(&common);
  return ok;
}

typedef struct tree {
  const ss_sparse *A;
  const int64_t *order;
  const int *position;
  int *parent;  // elimination tree, made while it is walked
  int *mark;    // last row that passed here
} tree;

// Row i of L: from each entry left of the diagonal up the tree until a marked node. Counts into
// length[k + 1] of the rows of U, or fills ucol through next[].
static void walk(tree *t, int n, int64_t *length, int64_t *next, int *ucol) {
  for (int i = 0; i < n; i++) {
    t->parent[i] = -1;
    t->mark[i] = i;
    for (int64_t e = t->A->ptr[t->order[i]]; e < t->A->ptr[t->order[i] + 1]; e++)
      for (int k = t->position[t->A->col[e]]; k < i && t->mark[k] != i; k = t->parent[k]) {
        if (t->parent[k] < 0) t->parent[k] = i;
        t->mark[k] = i;
        if (ucol)
          ucol[next[k]++] = i;
        else
          length[k + 1]++;
      }
  }
}

static void transpose(ssi_fill *f, int64_t *next) {
  for (int64_t e = 0; e < f->uptr[f->n]; e++) f->lptr[f->ucol[e] + 1]++;
  for (int i = 0; i < f->n; i++) f->lptr[i + 1] += f->lptr[i];
  for (int i = 0; i < f->n; i++) next[i] = f->lptr[i];
  for (int k = 0; k < f->n; k++)
    for (int64_t e = f->uptr[k]; e < f->uptr[k + 1]; e++) f->lcol[next[f->ucol[e]]++] = k;
}

static bool analyse(ssi_arena *arena, int n, tree *t, int64_t *next, double max_flops,
                    ssi_fill *f) {
  for (int k = 0; k < n; k++) f->position[t->order[k]] = k;
  walk(t, n, f->uptr, NULL, NULL);
  for (int k = 0; k < n; k++) {
    double length = (double)f->uptr[k + 1];
    f->flops += length * (2 * length + 1);
    f->uptr[k + 1] += f->uptr[k];
  }
  if (f->flops > max_flops) return true;
  f->lptr = SSI_TAKE(arena, (size_t)n + 1, int64_t);
  f->ucol = SSI_TAKE(arena, f->uptr[n], int);
  f->lcol = SSI_TAKE(arena, f->uptr[n], int);
  if (arena->failed) return false;
  for (int k = 0; k < n; k++) next[k] = f->uptr[k];
  walk(t, n, NULL, next, f->ucol);
  f->n = n;
  transpose(f, next);
  return true;
}

bool ssi_fill_create(ssi_arena *arena, const ss_sparse *A, double max_flops, ssi_fill *out) {
  int n = A->rows;
  *out = (ssi_fill){0};
  if (!n || !symmetric(A)) return true;
  out->position = SSI_TAKE(arena, n, int);
  out->uptr = SSI_TAKE(arena, (size_t)n + 1, int64_t);
  ssi_arena scratch = {.ctx = arena->ctx};
  int64_t *index = SSI_TAKE(&scratch, ssi_sparse_entries(A), int64_t);
  int64_t *order = SSI_TAKE(&scratch, n, int64_t), *next = SSI_TAKE(&scratch, n, int64_t);
  tree t = {A, order, out->position, SSI_TAKE(&scratch, n, int), SSI_TAKE(&scratch, n, int)};
  bool ok = !scratch.failed && !arena->failed && minimum_degree(A, index, order) &&
            analyse(arena, n, &t, next, max_flops, out);
  ssi_arena_release(&scratch);
  return ok;
}
