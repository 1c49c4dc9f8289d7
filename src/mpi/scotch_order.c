#include "mpi/scotch_order.h"

#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"

#ifdef SS_WITH_SCOTCH
#include <scotch.h>

typedef struct contact_graph {
  SCOTCH_Num *ptr, *neighbour;
} contact_graph;

enum { CROWDED = 1000 };  // contacts of a dof that joins too many to tell who is near whom

// Contacts that touch a common dof, each pair once from either side.
static SCOTCH_Num find_neighbours(const ssi_touches *t, const int64_t *ptr, const int *contact,
                                  int i, int *seen, SCOTCH_Num *out) {
  SCOTCH_Num count = 0;
  seen[i] = i + 1;
  for (int64_t e = t->ptr[i]; e < t->ptr[i + 1]; e++) {
    int dof = t->dof[e];
    if (ptr[dof + 1] - ptr[dof] > CROWDED) continue;
    for (int64_t k = ptr[dof]; k < ptr[dof + 1]; k++) {
      if (seen[contact[k]] == i + 1) continue;
      seen[contact[k]] = i + 1;
      if (out) out[count] = contact[k];
      count++;
    }
  }
  return count;
}

static bool make_graph(ssi_arena *arena, const ssi_touches *t, contact_graph *out) {
  int64_t *ptr = SSI_TAKE(arena, (size_t)t->ndof + 1, int64_t);
  int *contact = SSI_TAKE(arena, t->ptr[t->nc], int), *seen = SSI_TAKE(arena, t->nc, int);
  out->ptr = SSI_TAKE(arena, (size_t)t->nc + 1, SCOTCH_Num);
  if (arena->failed) return false;
  ssi_touches_list(t, ptr, contact);
  for (int i = 0; i < t->nc; i++)
    out->ptr[i + 1] = out->ptr[i] + find_neighbours(t, ptr, contact, i, seen, NULL);
  out->neighbour = SSI_TAKE(arena, out->ptr[t->nc], SCOTCH_Num);
  if (arena->failed) return false;
  memset(seen, 0, sizeof *seen * (size_t)t->nc);
  for (int i = 0; i < t->nc; i++)
    find_neighbours(t, ptr, contact, i, seen, out->neighbour + out->ptr[i]);
  return true;
}

static bool cut(const contact_graph *g, int nc, int64_t parts, SCOTCH_Num *part) {
  SCOTCH_Graph graph;
  SCOTCH_Strat strategy;
  SCOTCH_randomReset();
  if (SCOTCH_graphInit(&graph)) return false;
  SCOTCH_stratInit(&strategy);
  SCOTCH_stratGraphMapBuild(&strategy, SCOTCH_STRATBALANCE | SCOTCH_STRATRECURSIVE,
                            (SCOTCH_Num)parts, 0.01);
  bool ok =
      !SCOTCH_graphBuild(&graph, 0, nc, g->ptr, NULL, NULL, NULL, g->ptr[nc], g->neighbour, NULL) &&
      !SCOTCH_graphPart(&graph, (SCOTCH_Num)parts, &strategy, part);
  SCOTCH_stratExit(&strategy);
  SCOTCH_graphExit(&graph);
  return ok;
}

ss_error share_scotch_order(ss_context *ctx, const ssi_touches *t, int64_t parts, int *order) {
  ssi_arena arena = {.ctx = ctx};
  contact_graph g;
  SCOTCH_Num *part = SSI_TAKE(&arena, t->nc, SCOTCH_Num);
  int64_t *first = SSI_TAKE(&arena, parts + 1, int64_t);
  bool ok = !arena.failed && make_graph(&arena, t, &g) && cut(&g, t->nc, parts, part);
  for (int i = 0; ok && i < t->nc; i++) first[part[i] + 1]++;
  for (int64_t k = 0; ok && k < parts; k++) first[k + 1] += first[k];
  for (int i = 0; ok && i < t->nc; i++) order[first[part[i]]++] = i;
  ssi_arena_release(&arena);
  return ok ? SS_OK : ssi_fail(ctx, SS_ERR_MEMORY, "Scotch could not divide %d contacts", t->nc);
}
#else
ss_error share_scotch_order(ss_context *ctx, const ssi_touches *t, int64_t parts, int *order) {
  (void)t, (void)parts, (void)order;
  return ssi_fail(ctx, SS_ERR_UNSUPPORTED, "--order scotch: built without Scotch");
}
#endif
