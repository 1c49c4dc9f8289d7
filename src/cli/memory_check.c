// cli/memory_check.c - see memory_check.h.
#define _DEFAULT_SOURCE  // RLIMIT_AS
#include "cli/memory_check.h"

#include <math.h>
#include <stdio.h>
#include <sys/resource.h>

// The number behind `name`, or that in a file of one number (name ""); INFINITY: there is none.
static double number_in(const char *file, const char *name) {
  char pattern[64], line[256];
  double found = INFINITY;
  FILE *f = fopen(file, "r");
  snprintf(pattern, sizeof pattern, "%s%%lf", name);
  while (f && isinf(found) && fgets(line, sizeof line, f))
    if (sscanf(line, pattern, &found) != 1) found = INFINITY;
  if (f) fclose(f);
  return found;
}

// Bytes that this process may still take: of the machine, of the group it runs in (a container), of its own limit.
double cli_memory_available(void) {
  double machine = 1024 * number_in("/proc/meminfo", "MemAvailable: ");
  double group = number_in("/sys/fs/cgroup/memory.max", ""), own = INFINITY;
  if (isfinite(group)) group -= fmin(number_in("/sys/fs/cgroup/memory.current", ""), group);
  struct rlimit limit;
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    own = (double)limit.rlim_cur;
  return fmin(machine, fmin(group, own));
}

int cli_memory_check(cli_session *s, double bytes, const char *what, bool any_size) {
  double there = cli_memory_available();
  if (!(bytes > there)) return CLI_GO_ON;
  const char *name = cli_display_name(s->file);
  const double GB = 1e9;
  if (any_size) {
    cli_note(s, "%s: takes about %.3g GB of memory, and %.3g GB are available", what, bytes / GB,
             there / GB);
    return CLI_GO_ON;
  }
  return cli_fail(s, CLI_RESOURCES,
                  "%s: %s: takes about %.3g GB of memory, and %.3g GB are available; --any-size "
                  "tries it all the same",
                  name, what, bytes / GB, there / GB);
}
