// mpi/share_masses.h - rows of M and f: kept by their owners in even shares, fetched by those who need them; and how
// the copies of a dof meet.
#pragma once

#include "mpi/share.h"

typedef struct share_masses {  // rows of some dofs; arrays for free()
  int count, room;
  int64_t *
      dof;  // ascending when fetched, and with every dof whose mass is coupled to one of them   (count)
  double *f;       // (count)
  share_entry *M;  // by rows and columns   (entries)
  int64_t entries, entry_room;
} share_masses;

void share_masses_keep(share *s, share_source *from);  // takes M and f of the source over

void share_masses_thin(share *s);  // gives back the rows of M that domains have; after share_meet

// Fetches n sets of rows whose dofs are given. SS_ERR_METHOD where the dofs that M couples are more than a few.
// Collective.
ss_error share_masses_fetch(share *s, share_masses *m, int n);
bool share_masses_matrix(ssi_arena *arena, const share_masses *m, ss_sparse *out);
void share_masses_release(share_masses *m);

// Counts the copies of all dofs and connects those that are shared with slots at their host. Collective.
void share_meet(share *s);

int share_rank_of_row(const void *of_share,
                      const void *entry);  // for ranks_send_on: owner of its row
// By rows and columns; equal ones are added up in the order given.
void share_sort_entries(const ranks *c, share_entry *entries, int64_t *count);
int64_t share_unique(int64_t *x, int64_t count);               // sorts; how many are left
int share_place(const int64_t *sorted, int count, int64_t x);  // where x is; -1: nowhere
