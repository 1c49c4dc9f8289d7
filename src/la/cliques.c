#include "la/cliques.h"

#include <stdlib.h>

#include "la/sparse.h"

// Columns of row j, with users = cliques^T; into `to` where it is given. seen[] marks them with j.
static int64_t row_of(const ss_sparse *cliques, const ss_sparse *users, int j, bool lower,
                      int *seen, int *to) {
  int64_t count = 1;
  seen[j] = j;
  if (to) to[0] = j;
  for (int64_t e = users->ptr[j]; e < users->ptr[j + 1]; e++)
    for (int64_t k = cliques->ptr[users->col[e]]; k < cliques->ptr[users->col[e] + 1]; k++) {
      int other = cliques->col[k];
      if (seen[other] == j || (lower && other > j)) continue;
      seen[other] = j;
      if (to) to[count] = other;
      count++;
    }
  if (to) qsort(to, (size_t)count, sizeof *to, ssi_ascending);
  return count;
}

bool ssi_cliques_pattern(ssi_arena *arena, const ss_sparse *cliques, bool lower, ss_sparse *out) {
  int n = cliques->cols, *col = NULL;
  ssi_arena scratch = {.ctx = arena->ctx};
  ss_sparse users;
  int64_t *ptr = SSI_TAKE(arena, (size_t)n + 1, int64_t);
  int *seen = SSI_TAKE(&scratch, n, int);
  if (ptr && ssi_sparse_transpose(&scratch, cliques, &users)) {
    for (int j = 0; j < n; j++) seen[j] = -1;
    for (int j = 0; j < n; j++) ptr[j + 1] = ptr[j] + row_of(cliques, &users, j, lower, seen, NULL);
    for (int j = 0; j < n; j++) seen[j] = -1;
    col = SSI_TAKE(arena, ptr[n], int);
    for (int j = 0; j < n && col; j++) row_of(cliques, &users, j, lower, seen, col + ptr[j]);
  }
  ssi_arena_release(&scratch);
  *out = (ss_sparse){n, n, ptr, col, NULL};
  return col;
}
