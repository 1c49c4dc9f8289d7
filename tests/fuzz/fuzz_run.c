// Any bytes as a run file, in a file of its own under $TMPDIR or /tmp: its size, its steps and all of its frames, or an
// error that says why. libhdf5 may crash here, in this process; scripts/fuzz looks where.
#define _XOPEN_SOURCE 700
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "stickslip/run.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

__attribute__((visibility("default"))) const char *__asan_default_options(void);

// libhdf5 leaks when it meets damage and asks for absurd sizes, which malloc refuses.
const char *__asan_default_options(void) {
  return "detect_leaks=0:allocator_may_return_null=1:max_allocation_size_mb=4096";
}

enum { MOST_ROWS = 10000 };

static char path[4096];

static void remove_file(void) {
  unlink(path);
}

static void write_file(const uint8_t *data, size_t size) {
  if (!path[0]) {
    const char *parent = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/fuzz_run_XXXXXX", parent ? parent : "/tmp");
    int fd = mkstemp(path);
    if (fd < 0) perror(path), exit(1);
    close(fd);
    atexit(remove_file);
  }
  FILE *f = fopen(path, "wb");
  if (!f || fwrite(data, 1, size, f) != size || fclose(f) != 0) perror(path), exit(1);
}

static void read_steps(ss_context *ctx, ss_run *run, int64_t steps) {
  static const char *const columns[] = {"time", "contacts", "error", "elastic", "margin"};
  double *x = malloc((size_t)(steps + 1) * sizeof *x);
  for (size_t k = 0; x && k < sizeof columns / sizeof *columns; k++)
    if (ss_run_read_steps(run, columns[k], x) && !ctx->message[0]) abort();
  free(x);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  ss_context ctx = {0};
  ss_run *run = NULL;
  ss_run_frame frame;
  write_file(data, size);
  ss_run_is_run(path);
  ss_error error = ss_run_open(&ctx, path, &run);
  if (error && (run || !ctx.message[0])) abort();
  ss_run_size n = ss_run_get_size(run);
  if (n.steps < MOST_ROWS) read_steps(&ctx, run, n.steps);
  for (int64_t k = 0; k < n.frames && k < MOST_ROWS; k++)
    if (ss_run_read_frame(run, k, &frame)) {
      if (!ctx.message[0]) abort();
      break;
    }
  ss_run_close(run);
  return 0;
}
