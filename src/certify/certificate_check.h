// certify/certificate_check.h - what the evidence of a certificate proves.
#pragma once

#include "stickslip/certify.h"

typedef struct ssi_proved {
  bool exists;         // (A) holds, with or without margin
  bool robust;         // with a margin above the tolerance
  bool every_w;        // (5.1)
  bool violated;       // (A) fails
  bool none;           // (A') fails, or the bilateral constraints contradict each other
  bool contradictory;  // the latter: no velocity is left for (A) to ask about
  bool parting;        // (A') holds
  bool solution;       // here is a solution
  bool indefinite;     // W is not positive semi-definite, so (A) does not prove that there is one
} ssi_proved;

// Of sum_j |H_ij v_j|, beside a margin: what rounding of H and mu may be worth.
static const double SSI_DOUBT = 2e-15;

// The four numbers of the evidence, in one view.
ss_certificate_residuals ssi_certificate_residuals(const ss_certificate_report *r,
                                                   const ssi_proved *is);

// certificate_other.c; each fills its part of *out.
ss_error ssi_certificate_measure_solution(ss_context *ctx, const ss_problem *p,
                                          const ss_solution *s, ss_certificate_report *out);
void ssi_certificate_measure_indefinite(const ss_problem *p, const double *z,
                                        ss_certificate_report *out);
ss_error ssi_certificate_measure_class(ss_context *ctx, const ss_problem *p, double rank_tol,
                                       ss_certificate_report *out);

// Fills the numbers of *out from the raw data; holds and failure are left alone.
ss_error ssi_certificate_measure(ss_context *ctx, const ss_problem *p, const ss_certificate *c,
                                 ss_certificate_report *out);
ssi_proved ssi_certificate_proves(const ss_problem *p, const ss_certificate *c,
                                  const ss_certificate_report *r);

// The first claim that the evidence does not prove, by its name in a certificate file; NULL: all do.
const char *ssi_certificate_missing(const ss_problem *p, const ss_certificate *c,
                                    const ss_certificate_report *r);

// As ss_certificate_check, of an M that is definite.
ss_error ssi_certificate_check_definite(ss_context *ctx, const ss_problem *p,
                                        const ss_certificate *c, ss_certificate_report *out);

// ---- certificate_conclude.c ------------------------------------------------------------------

// How the search ended.
typedef struct ssi_search_said {
  bool closed;  // its bounds of the margin agree
  bool rest;    // at a velocity that nothing is left of at any contact: A x + q = 0
  bool late;    // its time was over
} ssi_search_said;

// Verdict, reason, margin and the rest of *c, whose evidence r is about.
void ssi_certificate_conclude(const ss_problem *p, const ss_certificate_report *r,
                              const ssi_search_said *said, ss_certificate *c);

// Undecided, and nothing else: evidence that was not enough for what was concluded goes with it.
void ssi_certificate_claim_nothing(ss_certificate *c, ss_existence_reason reason);

// ---- load_check.c: M is singular ---------------------------------------------------------------

typedef struct ssi_load_proved {
  bool held;     // Klarbring and Pang's condition on the load
  bool driven;   // no solution exists
  double rest;   // as ss_certificate_report.load_rest
  double power;  // as load_power
} ssi_load_proved;

ss_error ssi_load_proves(ss_context *ctx, const ss_problem *p, const ss_load_evidence *load,
                         ssi_load_proved *out);

// The verdict and its reason, from what follows of a definite M, the load, and whether there is a solution that proves itself.
void ssi_load_conclude(const ss_load_evidence *load, const ssi_load_proved *is, bool solution,
                       ss_existence *verdict, ss_existence_reason *reason);

// loose_proof.c: whether (r, v, l) proves that a problem with a singular M has a solution: docs/existence.md, section 13.
ss_error ssi_loose_solution_proves(ss_context *ctx, const ss_problem *p, const ss_solution *s,
                                   bool *proves);
