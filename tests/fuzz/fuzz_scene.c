// Any bytes as a scene file: what is accepted, if small, is built and stepped twice. Names of further files lead nowhere.
#include <stdlib.h>
#include <string.h>

#include "stickslip/simulate.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const double SMALL = 1 << 20;  // bytes of a simulation

static void run(ss_context *ctx, ss_scene *scene) {
  ss_simulation *sim = NULL;
  scene->solver.max_iter = 20, scene->stepping.limit_s = 0.2, scene->stepping.halvings = 2;
  ss_error error = ss_simulation_create(ctx, scene, &sim);
  for (int k = 0; !error && k < 2 && !ss_simulation_done(sim); k++)
    error = ss_simulation_step(sim, NULL);
  if (error && !ctx->message[0]) abort();
  ss_simulation_destroy(sim);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *bytes = malloc(size + 1);
  if (!bytes) return 0;
  if (size) memcpy(bytes, data, size);
  bytes[size] = 0;
  ss_context ctx = {0};
  ss_scene *scene = NULL;
  ss_error error = ss_scene_parse(&ctx, "fuzz.json", bytes, size, &scene);
  if (error && (scene || !ctx.message[0])) abort();
  if (!error && ss_scene_memory(scene) < SMALL) run(&ctx, scene);
  ss_scene_close(scene);
  free(bytes);
  return 0;
}
