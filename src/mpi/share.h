// mpi/share.h - a problem that several processes hold: the share of one of them.
//
//   M v + f = H^T r,   u = H v + w,   (u_i, r_i) in C(mu_i)           M block-diagonal, no bilateral constraints;
//                                                                    others: share_general.h
//
// Domains (solvers/domain.h) are ranges of contacts and depend on the problem alone; a rank holds a range of domains,
// each with its own rows of H, w, mu and r and with copies of the rows of M, f and v of all bodies that it touches.
// Rows of dofs (for bodies that no contact touches, for files) belong to ranks in even shares. Global numbers have
// 64 bits.
//
// What domains add to a shared dof goes to its host, the rank that has most of its copies, into a slot for each copy, is
// added up there in the order of domains, and comes back: PetscSF, once forth and once back for each sweep. So no number
// depends on how many ranks there are.
#pragma once

#include <petscsf.h>

#include "mpi/ranks.h"
#include "problem/motion.h"
#include "solvers/domain.h"

typedef struct share_general share_general;

typedef struct share_entry {  // of a matrix; for f: col = -1
  int64_t row, col;
  double x;
} share_entry;

typedef struct share_source {  // a problem before it is cut into domains; each rank has its part
  int dim;
  int64_t contacts, dofs;
  share_entry *H;  // rows of any contacts, in the order of the file   (H_count)
  share_entry *M;  // rows of any dofs                                 (M_count)
  double *mu, *w;  // of the contacts of this rank, by share_contacts
  double *f;       // of the dofs of this rank, in even shares
  int64_t H_count, M_count;
  share_entry *G;  // bilateral constraints: rows of any dofs          (G_count)
  double *b;       // in even shares
  int64_t joints, G_count;
  bool whole_M;      // all of M is wanted later (ADMM), not only the rows that no contact touches
  bool as_numbered;  // contacts keep their order, however bad it is
  bool by_scotch;    // they get that of parts that Scotch makes, however good theirs is
} share_source;

typedef struct share_domain {
  int64_t number;  // of all domains
  ss_problem p;    // its rows, with dofs numbered within it; H only as share_domain_rows lends it
  ssi_factor *mass;
  int64_t *dof;    // their numbers in the problem, ascending      (p.ndof)
  int *copies;     // domains that have a copy                     (p.ndof)
  int *leaf;       // place in share.leaf; -1: only copy           (p.ndof)
  double *v_free;  // (p.ndof)
  double *lambda;  // largest eigenvalue of sym(W_ii), 1 where 0   (p.nc)
  ssi_domain sweep;
  double *r, *u;  // places in share.r, share.u
} share_domain;

typedef struct share {
  ranks *c;
  int dim;
  int64_t contacts, dofs, domains;  // of the whole problem
  int64_t first_contact, first_domain;
  int count;             // domains of this rank
  int64_t nc;            // contacts of this rank
  share_domain *domain;  // (count)
  double *r, *u;         // (dim nc)
  int64_t *number;       // of each contact in the file; NULL: first_contact + i   (nc)
  signed char *state;    // of each contact, by share_judge; NULL: nobody asks   (nc)
  ssi_arena arena;
  ssi_arena lent;  // for a while: of the domain at hand

  PetscSF slots;  // leaves: shared copies; roots: their slots at the hosts of dofs
  int leaves, slot_count;
  double *leaf, *slot;          // numbers on the way            (leaves), (slot_count)
  int *slot_first;              // slots of one dof begin here   (shared + 1)
  int shared;                   // dofs that several domains have and this rank is the host of
  int64_t first_dof, own_dofs;  // even share of the dofs
  double *f;                    // of the even share
  bool *touched;                // dofs of the even share that a domain has             (own_dofs)
  share_entry *M;      // rows of the even share, by rows; those of touched dofs where asked
  int64_t *M_ptr;      // (own_dofs + 1)
  int64_t bytes_sent;  // by this rank for one exchange, one way, to other ranks
  bool rigid;  // M block-diagonal, no bilateral constraints; else share_general.h has the rest
  share_general *general;  // NULL: rigid
  double work_s;           // processor time of its sweeps, without waiting
} share;

// The range of contacts of a rank, for domains of about `size`.
void share_contacts(int64_t contacts, double size, const ranks *c, int rank, int64_t *first,
                    int64_t *end);

// Takes the source's arrays over. Collective.
ss_error share_create(ranks *c, share_source *from, double size, share *out);
void share_destroy(share *s);
// Number of contact i of this rank in the file.
static inline int64_t share_number(const share *s, int64_t i) {
  return s->number ? s->number[i] : s->first_contact + i;
}

// d->p.H, from the blocks of bodies, until the next call.
ss_error share_domain_rows(share *s, share_domain *d);
void share_source_release(share_source *from);

// Sums over the copies of each shared dof, in the order of domains: leaf[] is given, and holds the sums afterwards.
void share_sum(share *s);
void share_sum_pairs(share *s, ssi_dd *pairs);  // of numbers (leaves)
void share_least(share *s);                     // the least of the copies instead

// Local numbers that all ranks get: those of every domain, in order (domains * width), for free().
double *share_of_domains(const share *s, const double *mine, int width);
// Their sums in the order of domains   (width)
void share_add_domains(const share *s, const double *mine, int width, double *sum);
