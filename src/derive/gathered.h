// derive/gathered.h - the rows of a sparse matrix, each a sum of others.
#pragma once

#include <stdlib.h>

#include "la/rows.h"

typedef struct ssi_gathered {  // one row
  double *value;               // (n)
  int *place;                  // columns touched so far
  bool *touched;               // (n)
  int count, n;
  double *x;  // the same in order
} ssi_gathered;

static inline void ssi_gathered_add(ssi_gathered *g, int col, double x) {
  if (!g->touched[col]) g->touched[col] = true, g->place[g->count++] = col;
  g->value[col] += x;
}

static inline void ssi_gathered_order(ssi_gathered *g) {
  if (g->count < g->n / 8) {
    qsort(g->place, (size_t)g->count, sizeof *g->place, ssi_ascending);
  } else {
    g->count = 0;
    for (int c = 0; c < g->n; c++)
      if (g->touched[c]) g->place[g->count++] = c;
  }
}

static inline bool ssi_gathered_append(ssi_gathered *g, ssi_rows *to) {
  ssi_gathered_order(g);
  for (int k = 0; k < g->count; k++) {
    int c = g->place[k];
    g->x[k] = g->value[c];
    g->value[c] = 0;
    g->touched[c] = false;
  }
  bool ok = ssi_rows_append_sparse(to, g->count, g->place, g->x);
  g->count = 0;
  return ok;
}

typedef struct ssi_gathering {  // a square matrix in the making
  ssi_arena scratch;
  ssi_gathered row;
  ssi_rows rows;
} ssi_gathering;

// End it whatever is returned. false: no memory.
static inline bool ssi_gathering_begin(ss_context *ctx, int n, ssi_gathering *out) {
  *out = (ssi_gathering){.scratch = {.ctx = ctx}, .rows = {.ctx = ctx}};
  out->row = (ssi_gathered){.value = SSI_TAKE(&out->scratch, n, double),
                            .place = SSI_TAKE(&out->scratch, n, int),
                            .touched = SSI_TAKE(&out->scratch, n, bool),
                            .x = SSI_TAKE(&out->scratch, n, double),
                            .n = n};
  return !out->scratch.failed && ssi_rows_begin(ctx, n, n, &out->rows);
}

static inline bool ssi_gathering_keep(const ssi_gathering *g, ssi_arena *arena, ss_sparse *out) {
  ss_sparse view = ssi_rows_view(&g->rows);
  return ssi_sparse_copy(arena, &view, out);
}

static inline void ssi_gathering_end(ssi_gathering *g) {
  ssi_rows_end(&g->rows);
  ssi_arena_release(&g->scratch);
}
