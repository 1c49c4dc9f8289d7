// problem/graph.h - who is coupled with whom.
//
// Two contacts are neighbours when their block W_ij is not zero. Reduced form: read from W (explicit
// zeros do not count). Global form: they act on a common body, a body being a connected component of
// the graph of M (M^-1 is full inside one, so W_ij != 0 save for accidental cancellation).
// Components are sets of contacts joined by chains of neighbours or of bilateral constraints: they
// are separate problems.
#pragma once

#include "stickslip/problem.h"

typedef struct ssi_graph_summary {
  int components;         // counted over contacts
  int largest_component;  // contacts in the largest one
  int64_t neighbours;     // sum over contacts of their number of neighbours
  int neighbours_max;
} ssi_graph_summary;

ss_error ssi_contact_graph(ss_context *ctx, const ss_problem *p, ssi_graph_summary *out);

// leader[i]: the first contact of the component of contact i; in the global form leader[nc + k] is that
// of dof k, or some number from nc on where no contact touches it; after them come the nl bilateral
// constraints.
void ssi_contact_components(const ss_problem *p,
                            int *leader);  // (nc + nl), global (nc + ndof + nl)
