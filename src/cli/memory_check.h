// cli/memory_check.h - refusing what will not fit before it takes all there is.
#pragma once

#include "cli/args.h"

double cli_memory_available(void);  // bytes

// `bytes` is an estimate of what `what` takes. CLI_GO_ON, or CLI_RESOURCES with a message where there is less; any_size:
// only said.
int cli_memory_check(cli_session *s, double bytes, const char *what, bool any_size);
