// mpi/share_parts.h - the connected components of a problem that several processes hold (problem/components.h), and
// sums over them. A part is what a component has in one domain.
#pragma once

#include "mpi/share.h"
#include "problem/contact_error.h"

typedef struct share_tally {  // of a part, then of its component
  ssi_norm a, b;
  double most;
} share_tally;

typedef struct share_parts {
  int count;
  int begins;          // components whose first contact is on this rank
  int64_t *component;  // of each part: its first contact, as numbered in the file   (count)
  int64_t *domain;     // ascending                                  (count)
  int *of;             // part of each contact of this rank          (nc)
  double
      *joint;  // component of each own joint; INFINITY: it moves no contact   (general->own_joints)
} share_parts;

void share_parts_find(share *s, share_parts *out);  // Collective
void share_parts_release(share_parts *p);

// Every part's tally becomes that of its component: sums in the order of domains. Collective.
void share_parts_add_up(const share *s, const share_parts *p, share_tally *tally);
