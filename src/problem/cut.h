// problem/cut.h - a problem cut into parts that do not act on each other.
#pragma once

#include "base/arena.h"
#include "stickslip/problem.h"

enum { SSI_CONTACTS, SSI_DOFS, SSI_JOINTS, SSI_KINDS };  // of nodes

typedef struct ssi_partition {
  int count;                 // parts
  int begin[SSI_KINDS + 1];  // nodes: contacts, then dofs (global form), then bilateral constraints
  int *part;                 // of a node; -1: of none                               (nodes)
  int *number;               // of a node in its part, among those of its kind       (nodes)
  int *member;               // nodes by kind and part, ascending                    (nodes)
  int *first[SSI_KINDS];  // where those of a kind and a part begin there         (count + 1 each)
} ssi_partition;

// Arrays for p, with room for `most` parts; the caller then fills count and part. false: no memory.
bool ssi_partition_take(ssi_arena *arena, const ss_problem *p, int most, ssi_partition *out);
void ssi_partition_sort(ssi_partition *x);  // number, member and first, from count and part

// One part for each connected component; what moves no contact is in none, or in one more part at the end
// where it is joined.
bool ssi_partition_by_components(ssi_arena *arena, const ss_problem *p, ssi_partition *out);

static inline int ssi_part_size(const ssi_partition *x, int kind, int part) {
  return x->first[kind][part + 1] - x->first[kind][part];
}
static inline const int *ssi_part_members(const ssi_partition *x, int kind, int part) {
  return x->member + x->first[kind][part];
}

// Part k of p, in the arena. Entries of matrices that lead to other parts are left out.
ss_error ssi_cut(ssi_arena *arena, const ss_problem *p, const ssi_partition *x, int k,
                 ss_problem *out);

// The numbers of part k, `size` for each node of a kind, from a vector of the whole; and back.
double *ssi_cut_vector(ssi_arena *arena, const ssi_partition *x, int kind, int size, int k,
                       const double *whole);
void ssi_cut_return(const ssi_partition *x, int kind, int size, int k, const double *part,
                    double *whole);
