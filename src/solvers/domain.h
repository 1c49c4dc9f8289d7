// solvers/domain.h - one of many domains that sweep at the same time, each over contacts of its own.
//
// A body that m domains touch has a copy in each of them, of mass M/m, and all copies start with the velocity v of the
// body. Domain d sweeps its contacts against its copies,
//
//     v_copy += m M^-1 H_i^T dr_i                                                         (1)
//
// and the body then has the mean of its copies' velocities, which is
//
//     v = M^-1 (H^T r - f) = v_free + (1/m) sum_d c_d,   c_d = m M^-1 H_d^T r_d             (2)
//
// summed in the order of the domains. With whole masses instead of M/m each domain would answer for the whole load: the sweeps
// of a prototype over 16 domains did not stay finite.
//
// Who adds (2) up is not known here: one process (domains.c) or several (src/mpi), with the same bits.
//
// [TBV12] R. Tonge, F. Benevolenski, A. Voroshilov, Mass splitting for jitter-free parallel rigid body simulation,
//         ACM Transactions on Graphics 31 (2012) 105.
#pragma once

#include "cone/contact.h"
#include "problem/bodies.h"

typedef struct ssi_domain {
  ssi_bodies bodies;     // of the split masses, with dofs numbered within the domain
  ssi_contact *contact;  // (bodies.nc)
  double *lambda;        // largest eigenvalue of sym(W_ii) of the split masses   (bodies.nc)
  const double *w;       // imposed velocities; borrowed                          (dim bodies.nc)
  double *v;             // velocities of the copies                              (bodies.ndof)
  double *sum;           // c_d of (2)                                            (bodies.ndof)
} ssi_domain;

// split: bodies with the dofs and runs of `whole` in a numbering of their own, whose P and diag are filled here from
// those of whole masses, which may be its own: P of dof j times copies[j].
void ssi_domain_split(const ssi_bodies *whole, const int *copies, ssi_bodies *split);

void ssi_domain_prepare(ssi_domain *d, const double *mu);  // lambda and contacts, from bodies.diag
void ssi_domain_begin(ssi_domain *d);                      // what contacts did before is forgotten

void ssi_domain_contribute(const ssi_domain *d, const double *r);  // sum of r (dim bodies.nc)

// One sweep over r and v; returns the square of the step, as nsgs counts it.
double ssi_domain_sweep(ssi_domain *d, double omega, double *r);

// (2) for one dof
static inline double ssi_domain_velocity(double v_free, double sum, int copies) {
  return v_free + sum / copies;
}
