// solvers/domains.h - sweeps over domains (solvers/domain.h) in one process: threads share the domains, and the answers
// are those of several processes, bit by bit.
//
// Domains are ranges of contacts in the order of the problem, so they depend on nothing else. That order is worth
// something: piles are numbered along a Morton curve (problem/packing.h), and the fewer bodies are shared the better.
// Where it is a bad one, contacts get another (solvers/contact_order.h).
#pragma once

#include "base/arena.h"
#include "solvers/domain.h"

enum { SSI_DOMAIN_SIZE = 8000 };  // contacts; from 4,000 to 16,000 sweeps hardly differ

typedef struct ssi_domains {
  int count, threads;
  int64_t *first;      // first contact of each domain                           (count + 1)
  ssi_domain *domain;  //                                                        (count)
  int64_t *at;         // first copy of a dof of each domain                     (count + 1)
  int *dof;            // of each copy, ascending within a domain                (at[count])
  int *copies;         // of the dof that this is a copy of                      (at[count])
  int64_t *copy_ptr;   // where the copies of a dof begin ...                    (ndof + 1)
  int64_t *copy;       // ... here, by domains                                   (at[count])
  double *v, *sum;     // of all domains                                         (at[count])
  double *part;        // steps of each domain, squared                          (count)
  int ndof, nc, dim;
  const int
      *order;  // which contact comes k-th; NULL: as in the problem, and none of what follows   (nc)
  ssi_bodies sorted;   // H in that order
  double *w, *mu, *r;  // in that order                                     (dim nc), (nc), (dim nc)
} ssi_domains;

// Domains of about `size` contacts; `whole`: the bodies of the problem. order NULL, or kept by address. Borrows H of the
// bodies where there is no order. false: no memory.
bool ssi_domains_create(ssi_arena *arena, const ssi_bodies *whole, const int *order, double size,
                        int threads, ssi_domains *out);
void ssi_domains_refill(ssi_domains *d, const ssi_bodies *whole);             // new numbers
void ssi_domains_prepare(ssi_domains *d, const double *w, const double *mu);  // w is borrowed
void ssi_domains_begin(ssi_domains *d);

// From r: velocities of the copies, then one sweep of each domain. Returns the square of the step.
double ssi_domains_sweep(ssi_domains *d, const double *v_free, double omega, double *r);

// How many domains `contacts` make, and where domain k of them begins.
int64_t ssi_domain_count(int64_t contacts, double size);
int64_t ssi_domain_first(int64_t contacts, int64_t count, int64_t k);
int64_t ssi_domain_of(int64_t contacts, int64_t count, int64_t contact);  // which one has it
