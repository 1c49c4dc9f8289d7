// The numbers that a certificate file gives of its own check, beside those of the check that is done now.
#include "certify/certificate_fields.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>

static const double SAME = 1e-6;  // relative

#define FIELD(name, kind)                                                                          \
  { #name, offsetof(ss_certificate_report, name), SSI_REPORT_##kind }
const ssi_report_field ssi_report_fields[] = {
    FIELD(unit, NUMBER),          FIELD(margin_low, NUMBER),
    FIELD(speed, NUMBER),         FIELD(doubt, NUMBER),
    FIELD(equality, REST),        FIELD(worst_contact, CONTACT),
    FIELD(interior, NUMBER),      FIELD(margin_high, NUMBER),
    FIELD(equilibrium, REST),     FIELD(outside, REST),
    FIELD(reach, RECIPROCAL),     FIELD(parting_low, NUMBER),
    FIELD(penetration, NUMBER),   FIELD(lambda_equilibrium, REST),
    FIELD(lambda_outside, REST),  FIELD(lambda_reach, RECIPROCAL),
    FIELD(solution_error, REST),  FIELD(indefinite, NUMBER),
    FIELD(load_power, NUMBER),    FIELD(load_rest, REST),
    {NULL, 0, SSI_REPORT_NUMBER},
};
#undef FIELD

static double *number(ss_certificate_report *r, const ssi_report_field *f) {
  return (double *)(void *)((char *)r + f->offset);
}

static double value(const ss_certificate_report *r, const ssi_report_field *f) {
  return *(const double *)(const void *)((const char *)r + f->offset);
}

void ssi_report_clear(ss_certificate_report *r) {
  *r = (ss_certificate_report){.worst_contact = SSI_NOT_SAID};
  for (const ssi_report_field *f = ssi_report_fields; f->name; f++)
    if (f->kind != SSI_REPORT_CONTACT) *number(r, f) = NAN;
}

// unit: velocities that are small beside it are rounding of it.
static bool agree(const ssi_report_field *f, double said, double found, double unit, double blur) {
  if (said == found) return true;  // infinities among them
  if (f->kind == SSI_REPORT_RECIPROCAL) {
    if (!(said > 0 && found > 0)) return false;
    said = 1 / said, found = 1 / found;
  }
  double room = SAME * fabs(found);
  if (f->kind == SSI_REPORT_NUMBER) room += blur * unit;
  if (f->kind != SSI_REPORT_NUMBER) room += blur;
  return fabs(said - found) <= room;
}

bool ss_certificate_report_agrees(const ss_certificate_report *said,
                                  const ss_certificate_report *found, double blur, char *failure) {
  if (!said || !found) return false;
  for (const ssi_report_field *f = ssi_report_fields; f->name; f++) {
    if (f->kind == SSI_REPORT_CONTACT) {
      if (said->worst_contact == SSI_NOT_SAID || said->worst_contact == found->worst_contact)
        continue;
      snprintf(failure, sizeof found->failure, "check.%s: found %d, the evidence gives %d", f->name,
               said->worst_contact, found->worst_contact);
      return false;
    }
    double x = value(said, f), y = value(found, f);
    if (isnan(x) || agree(f, x, y, found->unit, blur)) continue;
    snprintf(failure, sizeof found->failure, "check.%s: found %.10g, the evidence gives %.10g",
             f->name, x, y);
    return false;
  }
  return true;
}
