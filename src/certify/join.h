// certify/join.h - the certificates of a problem's connected components, and the certificate of the whole.
//
// A solution exists where each component has one, and none where one of them has none. The whole has the
// evidence of all components (velocity, direction, a parting velocity), and says what its worst components say:
// verdict, reason and multipliers are those of the component that decides, criterion (A), margin and jamming mode
// those of the component with the smallest margin, mostly the same. What is zero is told by its own
// units: a part with velocities of 1e10 does not hide what jams at 1.
#pragma once

#include "base/arena.h"
#include "certify/certificate_check.h"
#include "problem/cut.h"
#include "stickslip/certify.h"

// How bad a component is: that of the smallest number decides, and among equals that of the smaller margin.
int ssi_severity(const ssi_proved *is);

// The component that the margin is of: what its evidence shows of (A) is worst, and among equals its margin is the
// smallest. (A) says nothing outside the class; a component that is shown to be there comes before those of which
// nothing is shown.
typedef struct ssi_judged {
  ss_certificate_report r;
  ssi_proved is;
} ssi_judged;
int ssi_least_component(const ssi_judged *part, int count);

// *out: the whole's certificate; part (x->count), each of its component. SS_ERR_MEMORY.
ss_error ssi_certificates_join(ss_context *ctx, const ss_problem *p, const ssi_partition *x,
                               const ss_problem *cut, ss_certificate *const *part,
                               const ss_certify_options *o, ss_certificate **out);

// Velocities have one number for each dof or, in the reduced form, for each row of W and then of R: those of component k
// from those of the whole (NULL: none, or no memory), and back.
double *ssi_cut_velocity(ssi_arena *arena, const ss_problem *p, const ssi_partition *x, int k,
                         const double *whole);
void ssi_cut_velocity_return(const ss_problem *p, const ssi_partition *x, int k, const double *part,
                             double *whole);

// The evidence of the whole that concerns component k; claims are left empty. SS_ERR_MEMORY.
ss_error ssi_certificate_cut(ssi_arena *arena, const ss_problem *p, const ssi_partition *x, int k,
                             const ss_certificate *whole, ss_certificate *out);

// ---- a certificate that ss_certificate_destroy releases, with the memory of its arrays ---------

typedef struct ssi_owned_certificate {
  ss_certificate c;  // first: ss_certificate_destroy finds its owner
  ssi_arena arena;
} ssi_owned_certificate;

ssi_owned_certificate *ssi_certificate_create(ss_context *ctx,
                                              const ss_certify_options *o);  // NULL: no memory

// All about one connected component.
ss_error ssi_certify_component(ss_context *ctx, const ss_problem *p, const ss_certify_options *o,
                               ss_certificate **out);
