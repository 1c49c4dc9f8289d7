// cli/near_answer.h - beside "there is no solution": an answer that `solve` would take nevertheless.
#pragma once

#include "cli/session.h"

// `none` speaks of exact solutions, `solved` of answers within a tolerance: where the margin by which there is no solution
// is below it both are right, and a note says so. A short solve of up to 1,000 contacts, whose set-up takes
// milliseconds: what it does not find is not worth a word.
void cli_note_near_answer(cli_session *s, const ss_file *file, double time_limit_s);
