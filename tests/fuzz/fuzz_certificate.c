// Any bytes as a certificate of four small problems, and then as the check judges it. Of these problems is known by hand
// whether they have a solution and whether criterion (A) holds: a certificate that says otherwise may not pass the check.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/reader.h"
#include "stickslip/certify.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct known {
  const char *text;
  bool exists, criterion_A;
} known;

static const known problems[] = {
    // a block on the floor, pushed: u_N > 0 is possible, (A) for every w
    {"{\"dim\": 2, \"mu\": [0.5], \"W\": [[1, 0], [0, 1]], \"q\": [-1, 2]}", true, true},
    {"{\"dim\": 3, \"mu\": [0.5], \"M\": [[1, 0, 0], [0, 1, 0], [0, 0, 1]], \"f\": [1, 0, 3],"
     " \"H\": [[0, 0, 1], [1, 0, 0], [0, 1, 0]], \"w\": [0, 0.1, 0]}",
     true, true},
    // a rod that a moving floor jams: u = (v, v + 1), r = v - 1 of either row; no state has a solution
    {"{\"dim\": 2, \"mu\": [2], \"M\": [[1]], \"f\": [1], \"H\": [[1], [1]], \"w\": [0, 1]}", false,
     false},
    // between two walls that close in: u_N >= 0 at both is impossible
    {"{\"dim\": 2, \"mu\": [0.5, 0.5], \"M\": [[1, 0], [0, 1]], \"f\": [0, 0],"
     " \"H\": [[1, 0], [0, 1], [-1, 0], [0, -1]], \"w\": [-1, 0, -1, 0]}",
     false, false},
};
enum { PROBLEMS = sizeof problems / sizeof *problems };

static void must(bool holds, const char *what) {
  if (holds) return;
  fprintf(stderr, "FAULT: %s\n", what);
  abort();
}

static void judge(const known *k, const ss_problem *p, const ss_certificate *c) {
  ss_context ctx = {0};
  ss_certificate_report report;
  ss_assumptions assumptions;
  if (ss_certificate_check(&ctx, p, c, &report))
    return must(ctx.message[0], "an error without a word");
  if (!report.holds) return must(report.failure[0], "refused without a reason");
  must(c->verdict != SS_NONE || !k->exists, "passes, and says that no solution exists");
  must(c->verdict != SS_EXISTS || k->exists, "passes, and says that a solution exists");
  must(c->criterion_A != SS_CRITERION_VIOLATED || !k->criterion_A,
       "passes, and says that (A) fails");
  must(c->criterion_A != SS_CRITERION_ROBUST || k->criterion_A, "passes, and says that (A) holds");
  ss_certificate_assumptions(&ctx, p, c, &assumptions);
}

static void read_as(const known *k, const ssi_source *in) {
  ss_context ctx = {0};
  ssi_arena arena = {.ctx = &ctx};
  ss_file f;
  ss_solution_file said = {0};
  const ssi_source text = {"problem", k->text, strlen(k->text)};
  ss_error e = ssi_read_json(&ctx, &text, &arena, &f);
  if (e == SS_ERR_UNSUPPORTED) return ssi_arena_release(&arena);  // a build without JSON
  must(!e, "the problem itself is not read");
  e = ssi_read_json_certificate(&ctx, in, &f, &arena, &said);
  if (e) must(ctx.message[0], "an error without a word");
  if (!e) judge(k, &f.problem, said.certificate);
  ssi_arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *bytes = malloc(size + 1);
  if (!bytes) return 0;
  if (size) memcpy(bytes, data, size);
  bytes[size] = 0;
  const ssi_source in = {"input", bytes, size};
  for (int k = 0; k < PROBLEMS; k++) read_as(problems + k, &in);
  free(bytes);
  return 0;
}
