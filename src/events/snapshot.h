// events/snapshot.h - a mechanism at an instant, as a problem of the library.
#pragma once

#include "events/mechanics.h"

typedef struct ssi_snapshot {
  ssi_arena arena;
  ss_problem p;
  double *f, *w, *mu, *b;  // of p
  int *contact;            // of p's contacts, their numbers in the mechanism
} ssi_snapshot;

// The joints of x, and the contacts in `which` (NULL: all); f, w and b are left to be filled. The arena is to be released,
// after a failure too.
ss_error ssi_snapshot_make(ssi_mechanics *x, const bool *which, ssi_snapshot *out);

// f, w and b with accelerations for velocities (status.h), of all contacts.
void ssi_snapshot_accelerations(const ssi_mechanics *x, ssi_snapshot *s);
