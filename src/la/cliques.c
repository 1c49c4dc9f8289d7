#include "la/cliques.h"

#include "la/sparse.h"

typedef struct meeting {
  const ss_sparse *cliques, *users;  // users = cliques^T
  bool lower;
  int *seen;  // last row that met this one   (n)
} meeting;

// For j ascending, j goes to the end of every row it meets, which so ascends too. Counts into next[row + 1]
// as long as there is no `col`.
static void walk(const meeting *m, int n, int64_t *next, int *col) {
  const ss_sparse *cliques = m->cliques, *users = m->users;
  for (int j = 0; j < n; j++) m->seen[j] = -1;
  for (int j = 0; j < n; j++) {
    m->seen[j] = j;
    if (col) col[next[j]] = j;
    next[j + !col]++;
    for (int64_t e = users->ptr[j]; e < users->ptr[j + 1]; e++)
      for (int64_t k = cliques->ptr[users->col[e]]; k < cliques->ptr[users->col[e] + 1]; k++) {
        int row = cliques->col[k];
        if (m->seen[row] == j || (m->lower && row < j)) continue;
        m->seen[row] = j;
        if (col) col[next[row]] = j;
        next[row + !col]++;
      }
  }
}

bool ssi_cliques_pattern(ssi_arena *arena, const ss_sparse *cliques, bool lower, ss_sparse *out) {
  int n = cliques->cols, *col = NULL;
  ssi_arena scratch = {.ctx = arena->ctx};
  ss_sparse users;
  int64_t *ptr = SSI_TAKE(arena, (size_t)n + 2, int64_t);
  meeting m = {cliques, &users, lower, SSI_TAKE(&scratch, n, int)};
  if (ptr && ssi_sparse_transpose(&scratch, cliques, &users)) {
    walk(&m, n, ptr + 1, NULL);
    for (int j = 0; j < n; j++) ptr[j + 2] += ptr[j + 1];
    col = SSI_TAKE(arena, ptr[n + 1], int);
    if (col) walk(&m, n, ptr + 1, col);
  }
  ssi_arena_release(&scratch);
  *out = (ss_sparse){n, n, ptr, col, NULL};
  return col;
}
