// mpi/share_rigid.h - rows of H (problem/rigid.h) of contacts between bodies with 64-bit numbers.
#pragma once

#include "mpi/share.h"
#include "problem/rigid.h"

typedef struct share_rigid {
  // Contact k of this rank: frame and arms into *out (zeroed; not its bodies), bodies a < b or b = -1 into body[].
  void (*contact)(const void *user, int64_t k, ssi_rigid_contact *out, int64_t body[2]);
  const void *user;
  int64_t count, first;  // contacts of this rank, and the number of the first in the problem
} share_rigid;

// 3D. H of the source.
void share_rigid_rows(const ranks *c, const share_rigid *from, share_source *out);

// mu everywhere, w = 0, for domains of about `size`.
void share_rigid_vectors(const ranks *c, double mu, double size, share_source *out);

// Rows of M and f of the even share of dofs: body(user, k) is body k.
typedef ssi_rigid_body share_rigid_body(const void *user, int64_t k);
void share_rigid_masses(const ranks *c, share_rigid_body *body, const void *user,
                        share_source *out);
