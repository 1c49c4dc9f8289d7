// io/run_scene.h - what a run file does not hold but the scene in it tells: shapes, names, masses. Private.
#pragma once

#include "stickslip/run.h"

// The scene of the run and a simulation of it that is never stepped; `where` for messages. Close and destroy both
// whatever is returned.
ss_error ssi_run_rebuild(ss_context *ctx, const ss_run_size *size, const char *where,
                         ss_scene **scene, ss_simulation **sim);

// (m |v|^2 + I_k omega_k^2)/2; v: linear and angular velocity, world axes   (6)
double ssi_run_kinetic(const ss_sim_body *b, const ss_pose *pose, const double *v);
