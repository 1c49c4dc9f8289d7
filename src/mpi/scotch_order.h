// mpi/scotch_order.h - contacts in the order of parts that Scotch makes of their graph, in one process: a function of
// the problem and of the number of domains. Domains are even cuts of that order, and parts differ by a hundredth: some
// domains have a little of the next part.
#pragma once

#include "solvers/contact_order.h"

// order (nc) is brought into that of `parts` parts, and is kept within each of them. SS_ERR_UNSUPPORTED where the program
// was built without Scotch.
ss_error share_scotch_order(ss_context *ctx, const ssi_touches *t, int64_t parts, int *order);
