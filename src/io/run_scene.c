// io/run_scene.c - see run_scene.h.
#include "io/run_scene.h"

#include <string.h>

#include "base/error.h"

double ssi_run_kinetic(const ss_sim_body *b, const ss_pose *pose, const double *v) {
  double sum = 0;
  const double *q = pose->q, *w = v + 3;
  const double axes[3][3] = {{1 - 2 * (q[2] * q[2] + q[3] * q[3]), 2 * (q[1] * q[2] + q[0] * q[3]),
                              2 * (q[1] * q[3] - q[0] * q[2])},
                             {2 * (q[1] * q[2] - q[0] * q[3]), 1 - 2 * (q[1] * q[1] + q[3] * q[3]),
                              2 * (q[2] * q[3] + q[0] * q[1])},
                             {2 * (q[1] * q[3] + q[0] * q[2]), 2 * (q[2] * q[3] - q[0] * q[1]),
                              1 - 2 * (q[1] * q[1] + q[2] * q[2])}};
  for (int k = 0; k < 3; k++) {
    double own = axes[k][0] * w[0] + axes[k][1] * w[1] + axes[k][2] * w[2];
    sum += b->mass * v[k] * v[k] + b->inertia[k] * own * own;
  }
  return sum / 2;
}

ss_error ssi_run_rebuild(ss_context *ctx, const ss_run_size *size, const char *where,
                         ss_scene **scene, ss_simulation **sim) {
  SS_TRY(ss_scene_parse(ctx, "/scene", size->scene_text, strlen(size->scene_text), scene));
  SS_TRY(ss_simulation_create(ctx, *scene, sim));
  ss_sim_state now;
  ss_simulation_state(*sim, &now);
  if (now.body_count == size->bodies && now.external_count == size->externals) return SS_OK;
  return ssi_fail(ctx, SS_ERR_FORMAT, "%s: /scene: makes %d bodies, the frames have %d", where,
                  now.body_count, size->bodies);
}
