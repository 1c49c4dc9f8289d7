// mpi/share_penalised.h - K = M + H^T D^-1 H, with one number of D for each contact, and products with D^-1/2 H. What
// domains give is added in the order of domains: the same bits for every number of ranks. All of it is collective.
#pragma once

#include "mpi/share_forest.h"

typedef struct share_penalised {
  share *s;
  share_copies copies;
  double *copy;        // room                                     (copies)
  ss_sparse *rows;     // D^-1/2 H of each domain                  (s->count)
  share_entry *entry;  // of K, rows of the even share of dofs
  int64_t *ptr;        // (own_dofs + 1)
  ssi_arena arena;     // of rows
} share_penalised;

// root: D^1/2   (nc)
ss_error share_penalised_create(share *s, const double *root, share_penalised *out);
void share_penalised_destroy(share_penalised *p);

void share_penalised_pull(share_penalised *p, const double *t, double *g);  // g = H^T D^-1/2 t
void share_penalised_push(share_penalised *p, const double *v, double *t);  // t = D^-1/2 H v
