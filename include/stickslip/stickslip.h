// stickslip/stickslip.h - everything. Coulomb friction: solve, and trust the answer.
//
//   #include <stdio.h>
//   #include <stickslip/stickslip.h>
//
//   int main(void) {                                   // a block pushed along the ground, 2D
//     const int64_t ptr[] = {0, 1, 2};
//     const int col[] = {0, 1};
//     const double W[] = {1, 1}, q[] = {-1, 2}, mu[] = {0.5};
//     ss_problem p = {.form = SS_REDUCED, .dim = 2, .nc = 1, .mu = mu, .q = q,
//                     .W = {2, 2, ptr, col, W}};
//     ss_context ctx = {0};
//     ss_options o = ss_options_default();
//     ss_solver *s;
//     if (ss_solver_create(&ctx, &p, &o, &s)) return puts(ctx.message), 1;
//     double r[2] = {0}, u[2];
//     ss_info info;
//     ss_solve(s, r, u, NULL, NULL, &info);            // r = (1, -0.5), u = (0, 1.5): it slips
//     printf("%s: r = (%g, %g), u = (%g, %g)\n", ss_status_name(info.status), r[0], r[1], u[0], u[1]);
//     ss_solver_destroy(s);
//   }
#pragma once

#include "stickslip/atlas.h"
#include "stickslip/atlas_blocks.h"
#include "stickslip/base.h"
#include "stickslip/certify.h"
#include "stickslip/collide.h"
#include "stickslip/critical.h"
#include "stickslip/derivative.h"
#include "stickslip/describe.h"
#include "stickslip/diagnose.h"
#include "stickslip/elastic.h"
#include "stickslip/enumerate.h"
#include "stickslip/evolve.h"
#include "stickslip/generate.h"
#include "stickslip/import.h"
#include "stickslip/io.h"
#include "stickslip/march_file.h"
#include "stickslip/mechanisms.h"
#include "stickslip/mesh.h"
#include "stickslip/models.h"
#include "stickslip/page.h"
#include "stickslip/problem.h"
#include "stickslip/rate.h"
#include "stickslip/refute.h"
#include "stickslip/report.h"
#include "stickslip/run.h"
#include "stickslip/scene.h"
#include "stickslip/serve.h"
#include "stickslip/shape.h"
#include "stickslip/simulate.h"
#include "stickslip/solver.h"
#include "stickslip/status.h"
#include "stickslip/structure.h"
#include "stickslip/template.h"
#include "stickslip/trace.h"
#include "stickslip/trajectory.h"
