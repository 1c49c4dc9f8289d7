#include "mpi/scotch_order.h"

#include <limits.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"

#ifdef SS_WITH_SCOTCH
#include <stdio.h>  // which scotch.h wants

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
  int64_t pairs = 0;
  for (int i = 0; i < t->nc; i++) {
    pairs += find_neighbours(t, ptr, contact, i, seen, NULL);
    if (pairs > INT_MAX) return false;  // what SCOTCH_Num may be
    out->ptr[i + 1] = (SCOTCH_Num)pairs;
  }
  out->neighbour = SSI_TAKE(arena, out->ptr[t->nc], SCOTCH_Num);
  if (arena->failed) return false;
  memset(seen, 0, sizeof *seen * (size_t)t->nc);
  for (int i = 0; i < t->nc; i++)
    find_neighbours(t, ptr, contact, i, seen, out->neighbour + out->ptr[i]);
  return true;
}

// A context of its own, of this thread alone: Scotch would else share its work between threads, and its parts would
// differ from run to run.
static bool make_context(SCOTCH_Context *out) {
  if (SCOTCH_contextInit(out)) return false;
  if (!SCOTCH_contextOptionSetNum(out, SCOTCH_OPTIONNUMDETERMINISTIC, 1) &&
      !SCOTCH_contextThreadImport1(out, 1) && !SCOTCH_contextThreadImport2(out, 0) &&
      !SCOTCH_contextRandomClone(out)) {  // its own random numbers
    SCOTCH_contextRandomSeed(out, 1);
    SCOTCH_contextRandomReset(out);
    return true;
  }
  SCOTCH_contextExit(out);
  return false;
}

static bool cut_within(SCOTCH_Context *context, const contact_graph *g, int nc, SCOTCH_Num parts,
                       SCOTCH_Num *part) {
  SCOTCH_Graph graph, bound;
  SCOTCH_Strat strategy;
  if (SCOTCH_graphInit(&graph)) return false;
  bool ok =
      !SCOTCH_graphBuild(&graph, 0, nc, g->ptr, NULL, NULL, NULL, g->ptr[nc], g->neighbour, NULL) &&
      !SCOTCH_graphInit(&bound);
  if (ok) {
    SCOTCH_stratInit(&strategy);
    ok = !SCOTCH_stratGraphMapBuild(&strategy, SCOTCH_STRATQUALITY, parts, 0.01) &&
         !SCOTCH_contextBindGraph(context, &graph, &bound) &&
         !SCOTCH_graphPart(&bound, parts, &strategy, part);
    SCOTCH_stratExit(&strategy);
    SCOTCH_graphExit(&bound);
  }
  SCOTCH_graphExit(&graph);
  return ok;
}

static bool cut(const contact_graph *g, int nc, int64_t parts, SCOTCH_Num *part) {
  SCOTCH_Context context;
  if (!make_context(&context)) return false;
  bool ok = cut_within(&context, g, nc, (SCOTCH_Num)parts, part);
  SCOTCH_contextExit(&context);
  return ok;
}

ss_error share_scotch_order(ss_context *ctx, const ssi_touches *t, int64_t parts, int *order) {
  ssi_arena arena = {.ctx = ctx};
  contact_graph g;
  SCOTCH_Num *part = SSI_TAKE(&arena, t->nc, SCOTCH_Num);
  int64_t *first = SSI_TAKE(&arena, parts + 1, int64_t);
  int *from = SSI_TAKE(&arena, t->nc, int);
  bool ok = !arena.failed && make_graph(&arena, t, &g) && cut(&g, t->nc, parts, part);
  if (ok) memcpy(from, order, sizeof *from * (size_t)t->nc);
  for (int i = 0; ok && i < t->nc; i++) first[part[i] + 1]++;
  for (int64_t k = 0; ok && k < parts; k++) first[k + 1] += first[k];
  for (int i = 0; ok && i < t->nc; i++) order[first[part[from[i]]]++] = from[i];
  ssi_arena_release(&arena);
  return ok ? SS_OK
            : ssi_fail(
                  ctx, SS_ERR_MEMORY,
                  "--order scotch: Scotch could not divide %d contacts (out of memory, or more "
                  "than %d pairs of neighbours)",
                  t->nc, INT_MAX / 2);
}
#else
ss_error share_scotch_order(ss_context *ctx, const ssi_touches *t, int64_t parts, int *order) {
  (void)t, (void)parts, (void)order;
  return ssi_fail(ctx, SS_ERR_UNSUPPORTED, "--order scotch: built without Scotch");
}
#endif
