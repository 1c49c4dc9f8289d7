#include "la/fill.h"

#include <cholmod.h>

static bool has(const int64_t *ptr, const int64_t *col, int64_t row, int64_t wanted) {
  int64_t low = ptr[row], high = ptr[row + 1];
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    if (col[middle] < wanted)
      low = middle + 1;
    else
      high = middle;
  }
  return low < ptr[row + 1] && col[low] == wanted;
}

static bool symmetric(int n, const int64_t *ptr, const int64_t *col) {
  for (int i = 0; i < n; i++)
    for (int64_t k = ptr[i]; k < ptr[i + 1]; k++)
      if (!has(ptr, col, col[k], i)) return false;
  return true;
}

// order[k] = row eliminated as the k-th, by approximate minimum degree.
static bool minimum_degree(int n, const int64_t *ptr, const int64_t *col, int64_t *order) {
  cholmod_common common;
  cholmod_l_start(&common);
  common.print = 0;
  cholmod_sparse A = {.nrow = (size_t)n,
                      .ncol = (size_t)n,
                      .nzmax = (size_t)ptr[n],
                      .p = (void *)(uintptr_t)ptr,
                      .i = (void *)(uintptr_t)col,
                      .stype = 1,
                      .itype = CHOLMOD_LONG,
                      .xtype = CHOLMOD_PATTERN,
                      .dtype = CHOLMOD_DOUBLE,
                      .sorted = 1,
                      .packed = 1};
  bool ok = cholmod_l_amd(&A, NULL, 0, (SuiteSparse_long *)order, &common);
  cholmod_l_finish(&common);
  return ok;
}

typedef struct tree {
  const int64_t *ptr, *col, *order;
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
    for (int64_t e = t->ptr[t->order[i]]; e < t->ptr[t->order[i] + 1]; e++)
      for (int k = t->position[t->col[e]]; k < i && t->mark[k] != i; k = t->parent[k]) {
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

bool ssi_fill_create(ssi_arena *arena, int n, const int64_t *ptr, const int64_t *col,
                     double max_flops, ssi_fill *out) {
  *out = (ssi_fill){0};
  if (!n || !symmetric(n, ptr, col)) return true;
  out->position = SSI_TAKE(arena, n, int);
  out->uptr = SSI_TAKE(arena, (size_t)n + 1, int64_t);
  int64_t *order = ssi_alloc(arena->ctx, (size_t)n, sizeof *order);
  int64_t *next = ssi_alloc(arena->ctx, (size_t)n, sizeof *next);
  int *parent = ssi_alloc(arena->ctx, (size_t)n, sizeof *parent);
  int *mark = ssi_alloc(arena->ctx, (size_t)n, sizeof *mark);
  bool ok = order && next && parent && mark && !arena->failed && minimum_degree(n, ptr, col, order);
  if (ok) {
    tree t = {ptr, col, order, out->position, parent, mark};
    ok = analyse(arena, n, &t, next, max_flops, out);
  }
  ssi_release(arena->ctx, order);
  ssi_release(arena->ctx, next);
  ssi_release(arena->ctx, parent);
  ssi_release(arena->ctx, mark);
  return ok;
}
