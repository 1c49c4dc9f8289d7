// cli/shard.h - --shard I/N: the part of the work that one of N runs does.
#pragma once

#include "cli/args.h"

typedef struct cli_shard {
  int first, every;  // work of number first, first + every, ...
} cli_shard;

// NULL: all of it. CLI_GO_ON or CLI_USAGE.
int cli_shard_parse(cli_session *s, const char *text, cli_shard *out);
bool cli_shard_has(const cli_shard *shard, int number);
