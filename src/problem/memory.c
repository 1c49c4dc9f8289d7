// What solving a problem takes: its matrices, what every method keeps of a contact, and W where it has to be made.
//
// With rigid bodies (blocks of M of at most 6 x 6, no joints) methods work on M^-1 H^T, and W is made where its bodies
// have few contacts. With a general M, or joints, W is full among all contacts that a body, or a mechanism, joins: for
// elastic bodies of many contacts that is what does not fit.
#include "base/arena.h"
#include "base/error.h"
#include "base/sets.h"
#include "problem/graph.h"
#include "stickslip/describe.h"

static const double PER_CONTACT = 4e3;    // bytes, of a wall of 73,600 contacts in 3D: 3.7e3
static const double PER_ENTRY_OF_W = 20;  // as rows with their columns, and as blocks
static const double PER_ENTRY = 40;  // of what is given: as read, transposed, ordered, factored

enum { RIGID = 6 };  // degrees of freedom of a body

static double entries(const ss_sparse *A) {
  return A->ptr ? (double)A->ptr[A->rows] : 0;
}

// Whether no body of M, a connected component of its graph, has more than 6 dofs.
static ss_error is_rigid(ssi_arena *arena, const ss_problem *p, bool *rigid) {
  int *leader = SSI_TAKE(arena, p->ndof, int), *size = SSI_TAKE(arena, p->ndof, int);
  if (arena->failed) return SS_ERR_MEMORY;
  ssi_sets_begin(leader, p->ndof);
  for (int i = 0; i < p->ndof; i++)
    for (int64_t k = p->M.ptr[i]; k < p->M.ptr[i + 1]; k++)
      if (p->M.x[k] != 0) ssi_set_join(leader, i, p->M.col[k]);
  *rigid = true;
  for (int i = 0; i < p->ndof; i++) *rigid = ++size[ssi_set_of(leader, i)] <= RIGID && *rigid;
  return SS_OK;
}

static double blocks_of_W(const ss_problem *p, const ssi_graph_summary *g) {
  double joined = p->nl ? (double)g->largest_component * p->nc : 0;  // joints join bodies
  double coupled = (double)g->neighbours + p->nc;
  return coupled > joined ? coupled : joined;
}

static ss_error estimate(ss_context *ctx, ssi_arena *arena, const ss_problem *p, double *bytes) {
  const ss_sparse *given[] = {&p->W, &p->V, &p->R, &p->M, &p->H, &p->G};
  bool rigid = false;
  for (int k = 0; k < 6; k++) *bytes += PER_ENTRY * entries(given[k]);
  *bytes += PER_CONTACT * p->nc;
  if (p->form == SS_GLOBAL && p->ndof) SS_TRY(is_rigid(arena, p, &rigid));
  if (rigid && !p->nl) return SS_OK;
  ssi_graph_summary g;
  SS_TRY(ssi_contact_graph(ctx, p, &g));
  *bytes += PER_ENTRY_OF_W * p->dim * p->dim * blocks_of_W(p, &g);
  return SS_OK;
}

ss_error ss_problem_memory(ss_context *ctx, const ss_problem *p, double *bytes) {
  if (!p || !bytes) return ssi_fail(ctx, SS_ERR_ARGUMENT, "ss_problem_memory: null argument");
  ssi_arena arena = {.ctx = ctx};
  *bytes = 0;
  ss_error e = estimate(ctx, &arena, p, bytes);
  ssi_arena_release(&arena);
  return e == SS_ERR_MEMORY ? ssi_fail(ctx, e, "no memory for %d contacts", p->nc) : e;
}
