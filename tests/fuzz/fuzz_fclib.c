// tests/fuzz/fuzz_fclib.c - any bytes as an FCLIB file, and as a solution of a small problem, read in
// this process: what is found may be libhdf5's own (docs/limits-hdf5.md). mutate_hdf5.c changes
// structure rather than bytes and reads in a child process, as the command does.
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "budget.h"
#include "io/reader.h"
#include "walk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
__attribute__((visibility("default"))) const char *__asan_default_options(void);

// libhdf5 leaks when it meets damage and asks for absurd sizes, which malloc refuses, as it does in
// the command's child; our own memory is counted below.
const char *__asan_default_options(void) {
  return "detect_leaks=0:allocator_may_return_null=1:max_allocation_size_mb=4096";
}

static budget memory = {.left = INT_MAX};

static void read_as_solution(const ssi_source *in) {
  ss_context ctx = on_budget(&memory);
  ssi_arena arena = {.ctx = &ctx};
  // the sizes of solved_by_fclib.json, with which triage.py runs the command
  ss_file f = {.problem = {.form = SS_GLOBAL, .dim = 2, .nc = 2, .ndof = 5, .nl = 2}};
  ss_solution s;
  ss_error e = ssi_read_fclib_solution(&ctx, in, &f, &arena, &s);
  if (e ? !ctx.message[0] : !s.r) abort();
  ssi_arena_release(&arena);
}

static void read_as_file(const ssi_source *in) {
  ss_context ctx = on_budget(&memory);
  ssi_arena arena = {.ctx = &ctx};
  ss_file f;
  ss_error e = ssi_read_fclib(&ctx, in, &arena, &f);
  if (e && !ctx.message[0]) abort();  // an error without a word
  if (!e && ssi_check_structure(&ctx, SS_ERR_FORMAT, in->name, &f)) abort();
  if (!e) walk_problem(&f.problem);
  ssi_arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  memory.left = INT_MAX;
  char *bytes = malloc(size + 1);
  if (!bytes) return 0;
  if (size) memcpy(bytes, data, size);
  bytes[size] = 0;
  const ssi_source in = {"input", bytes, size};
  read_as_file(&in);
  read_as_solution(&in);
  if (memory.held) abort();  // a leak of ours
  free(bytes);
  return 0;
}
