// tests/fuzz/fuzz_json.c - any bytes as a JSON problem, and as a solution of a small one with and
// without normals. Every refusal says something; what is accepted goes through the common check.
#include <stdlib.h>
#include <string.h>

#include "io/reader.h"
#include "walk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_as_solution(const ssi_source *in, const double *normals) {
  ss_context ctx = {0};
  ssi_arena arena = {.ctx = &ctx};
  // the sizes of solved_by_json.json, with which triage.py runs the command
  ss_file f = {.problem = {.form = SS_GLOBAL, .dim = 2, .nc = 2, .ndof = 1, .nl = 1},
               .normals = normals};
  ss_solution s;
  ss_error e = ssi_read_json_solution(&ctx, in, &f, &arena, &s);
  if (!e && !s.r) abort();
  if (e && !ctx.message[0]) abort();
  ssi_arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const double normals[] = {0, 1, -0.6, 0.8};
  char *bytes = malloc(size + 1);
  if (!bytes) return 0;
  if (size) memcpy(bytes, data, size);
  bytes[size] = 0;
  const ssi_source in = {"input", bytes, size};
  ss_context ctx = {0};
  ssi_arena arena = {.ctx = &ctx};
  ss_file f;
  ss_error e = ssi_read_json(&ctx, &in, &arena, &f);
  if (e && !ctx.message[0]) abort();  // an error without a word
  if (!e && ssi_check_structure(&ctx, SS_ERR_FORMAT, in.name, &f) == SS_OK)
    walk_problem(&f.problem);
  ssi_arena_release(&arena);
  read_as_solution(&in, NULL);
  read_as_solution(&in, normals);
  free(bytes);
  return 0;
}
