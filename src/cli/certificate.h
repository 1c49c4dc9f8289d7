// cli/certificate.h - a certificate as JSON and as words.
#pragma once

#include "cli/results.h"

// The fields of `certify`, from verdict to residuals, in the axes of the file.
void cli_put_certificate(cli_session *s, json_t *object, const ss_file *f, const ss_certificate *c);
// because: the label of the reason, which is not that of the verdict where something else settled it.
void cli_print_certificate(FILE *to, const ss_file *f, const ss_certificate *c,
                           const char *because);

// {"4.1", "4.4", "4.6", fixed_point}
json_t *cli_assumptions(cli_session *s, const ss_assumptions *a);
void cli_print_assumptions(FILE *to, const ss_assumptions *a);

// {velocity, directions, impulse, multipliers, fails_from}: what `for_every_mu` rests on.
json_t *cli_every_mu(cli_session *s, const ss_file *f, const ss_every_mu *e);
json_t *cli_tristate(ss_tristate t);  // true, false, or null

// What the independent check found.
json_t *cli_certificate_report(cli_session *s, const ss_certificate_report *r);
void cli_print_certificate_report(FILE *to, const ss_certificate_report *r);

int cli_existence_status(ss_existence e);  // CLI_DONE where a solution exists, else CLI_NEGATIVE

// A certificate file, judged: the certificate by the library, and all that stands beside it (judge.c).
// report->holds and report->failure are about the whole file. limit_s: of --time-limit; what is not judged by
// then does not hold.
ss_error cli_judge_certificate(cli_session *s, const ss_file *file, const ss_solution_file *given,
                               double limit_s, ss_certificate_report *report);
