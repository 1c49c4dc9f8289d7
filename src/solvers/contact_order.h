// solvers/contact_order.h - an order of contacts in which neighbours are near each other, for files that have none.
//
// Domains are ranges of contacts (solvers/domains.h): the fewer of them touch a dof, the fewer sweeps and the less to
// exchange. Halving: contacts are met breadth-first from one that lies far out (the last met from the last met from any
// one), the first half and the second half of them are halved in turn. It depends on the problem alone. (The levels of
// one search, Cuthill-McKee's order, are thinner than a layer of bodies in piles: nearly all would be shared.)
#pragma once

#include "stickslip/problem.h"

typedef struct ssi_touches {  // which dofs the rows of a contact have entries for
  int nc, ndof;
  int64_t *ptr;  // (nc + 1)
  int *dof;      // each once for a contact   (ptr[nc])
} ssi_touches;

ss_error ssi_touches_create(ss_context *ctx, const ss_problem *p, ssi_touches *out);  // global form
// The other way round: contacts of each dof, ascending. ptr (ndof + 1) is zero before, contact (ptr[nc]).
void ssi_touches_list(const ssi_touches *t, int64_t *ptr, int *contact);
void ssi_touches_release(ss_context *ctx, ssi_touches *t);

// order[k]: which contact comes k-th   (nc)
ss_error ssi_order_by_halves(ss_context *ctx, const ssi_touches *t, int *order);

// Copies of dofs that ranges of about `size` contacts have; order NULL: as they are. -1: no memory.
int64_t ssi_order_copies(ss_context *ctx, const ssi_touches *t, const int *order, double size);

// Whether it is worth a try, from the copies and the dofs touched; and whether the new order is to be had.
static inline bool ssi_order_is_bad(int64_t copies, int64_t touched) {
  return copies > 2 * touched;
}
static inline bool ssi_order_is_better(int64_t copies, int64_t before) {
  return (double)copies <= 0.8 * (double)before;
}

// The above in one: order (nc) is filled and *changed set where contacts are to be renumbered.
ss_error ssi_contact_renumber(ss_context *ctx, const ss_problem *p, double size, int *order,
                              bool *changed);
