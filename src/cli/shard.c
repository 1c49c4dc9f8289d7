#include "cli/shard.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>

// A whole number up to INT_MAX, digits alone; 0: none.
static int take_number(const char **at) {
  char *end;
  if (!isdigit((unsigned char)**at)) return 0;
  errno = 0;
  long x = strtol(*at, &end, 10);
  *at = end;
  return errno || x > INT_MAX ? 0 : (int)x;
}

int cli_shard_parse(cli_session *s, const char *text, cli_shard *out) {
  *out = (cli_shard){0, 1};
  if (!text) return CLI_GO_ON;
  const char *at = text;
  int which = take_number(&at);
  int of = *at == '/' ? (at++, take_number(&at)) : 0;
  if (which < 1 || of < which || *at)
    return cli_fail(s, CLI_USAGE, "--shard: found '%s', expected I/N with 1 <= I <= N", text);
  *out = (cli_shard){which - 1, of};
  return CLI_GO_ON;
}

bool cli_shard_has(const cli_shard *shard, int number) {
  return number % shard->every == shard->first;
}
