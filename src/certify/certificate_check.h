// certify/certificate_check.h - what the evidence of a certificate proves.
#pragma once

#include "stickslip/certify.h"

typedef struct ssi_proved {
  bool exists;      // (A) holds, with or without margin
  bool robust;      // with a margin above the tolerance
  bool every_w;     // (5.1)
  bool violated;    // (A) fails
  bool none;        // (A') fails, or the bilateral constraints contradict each other
  bool parting;     // (A') holds
  bool indefinite;  // W is outside the class: (A) proves nothing
} ssi_proved;

// Fills the numbers of *out from the raw data; holds and failure are left alone.
ss_error ssi_certificate_measure(ss_context *ctx, const ss_problem *p, const ss_certificate *c,
                                 ss_certificate_report *out);
ssi_proved ssi_certificate_proves(const ss_problem *p, const ss_certificate *c,
                                  const ss_certificate_report *r);

// The first claim that the evidence does not prove; NULL: all do.
const char *ssi_certificate_missing(const ss_problem *p, const ss_certificate *c,
                                    const ss_certificate_report *r);
