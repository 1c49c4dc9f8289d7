// cli/judge.h - a certificate file, judged: the certificate by the library, and all that stands beside it.
#pragma once

#include "cli/session.h"

// report->holds and report->failure are about the whole file. limit_s: of --time-limit; what is not judged by
// then does not hold.
ss_error cli_judge_certificate(cli_session *s, const ss_file *file, const ss_solution_file *given,
                               double limit_s, ss_certificate_report *report);
