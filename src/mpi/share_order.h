// mpi/share_order.h - contacts of a file in a bad order get another one (solvers/contact_order.h), and numbers of contacts
// go from one to the other. The order is found by rank 0, which has 150 bytes per contact for it, and is known to all
// ranks for a while.
#pragma once

#include "mpi/share.h"

// Rows of H, mu and w of the source, which are those of this rank's contacts, become those of the contacts that it has in
// the new order, and s->number says which these are; or nothing happens. Collective.
ss_error share_renumber(share *s, share_source *from, double size);  // size: of domains

// `width` numbers for each contact: from this rank's contacts (file = false) to its range of the file, or back. Same
// ranges of places. Collective.
void share_reorder(const share *s, bool to_file, int width, const double *from, double *to);
