// certify/certificate_fields.h - the numbers of a report by the names they have in a certificate file.
#pragma once

#include "stickslip/certify.h"

typedef enum ssi_report_kind {
  SSI_REPORT_NUMBER,      // to its own digits
  SSI_REPORT_REST,        // what is left where everything cancels: rounding moves it
  SSI_REPORT_RECIPROCAL,  // something over a rest; may be infinite
  SSI_REPORT_CONTACT,     // an int
} ssi_report_kind;

typedef struct ssi_report_field {
  const char *name;
  size_t offset;  // in ss_certificate_report
  ssi_report_kind kind;
} ssi_report_field;

extern const ssi_report_field ssi_report_fields[];  // ends with a name that is NULL

enum { SSI_NOT_SAID = -2 };  // of a contact; -1 is none

void ssi_report_clear(ss_certificate_report *r);  // nothing is said
