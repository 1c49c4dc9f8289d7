// Any bytes as a file of elastic bodies or of a structure; what is accepted, if small, is built and stepped once.
#include <stdlib.h>
#include <string.h>

#include "stickslip/march_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { SMALL = 2000 };  // nodes, degrees of freedom

static bool is_small(const ss_march_file *f) {
  int64_t nodes = f->structure.ndof;
  for (int k = 0; f->elastic && k < f->scene.body_count; k++)
    nodes += f->scene.bodies[k].mesh->nodes;
  return nodes < SMALL && f->structure.nc < 50;
}

static void run(ss_context *ctx, const ss_march_file *f) {
  ss_elastic *e = NULL;
  ss_march *m = NULL;
  ss_march_options o = f->stepping;
  o.solver.max_iter = 20;
  ss_error error = f->elastic ? ss_elastic_build(ctx, &f->scene, &e) : SS_OK;
  if (!error) error = ss_march_create(ctx, e ? &e->structure : &f->structure, &o, &m);
  if (!error) error = ss_march_step(m, NULL);
  if (error && !ctx->message[0]) abort();
  ss_march_destroy(m);
  ss_elastic_destroy(e);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *bytes = malloc(size + 1);
  if (!bytes) return 0;
  if (size) memcpy(bytes, data, size);
  bytes[size] = 0;
  ss_context ctx = {0};
  ss_march_file *f = NULL;
  ss_error error = ss_march_file_parse(&ctx, "fuzz.json", NULL, bytes, size, &f);
  if (error && (f || !ctx.message[0])) abort();
  if (!error && is_small(f)) run(&ctx, f);
  ss_march_file_close(f);
  free(bytes);
  return 0;
}
