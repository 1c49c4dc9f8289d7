// cli/critical_published.h - critical --published: the paper's own ways beside the criteria.
#pragma once

#include "cli/session.h"
#include "stickslip/critical.h"

// Prints the table or the JSON object; an exit status.
int cli_critical_published_run(cli_session *s, const ss_file *file, const ss_critical_options *o);
