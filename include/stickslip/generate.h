// stickslip/generate.h - problems of any size, made from a seed: for tests, benchmarks and trials.
#pragma once

#include "stickslip/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

// A random packing of spheres (disks in 2D) of unequal radii settled in a box: positions by
// relaxing overlaps under gravity, contacts where the gap is below gap_tol radii, one time step of
// gravity as load. Global form, block-diagonal M. Same seed, same bits.
typedef struct ss_pile_options {
  int dim;       // 2 or 3
  int contacts;  // wanted; the result has within 10 % of it (small piles: a few more or less)
  double mu;     // friction coefficient of every contact
  double radius_spread;  // radii uniform in 1 +- spread
  double gap_tol;        // in mean radii
  double mass_ratio;     // heaviest over lightest body; 1: density only
  double agitation;      // random initial velocities, relative to the velocity gained in one step
  uint64_t seed;
} ss_pile_options;

SS_API ss_pile_options ss_pile_options_default(void);
SS_API ss_error ss_generate_pile(ss_context *ctx, const ss_pile_options *o, ss_problem **out);

// A wall of rows x cols bricks (2 long, 1 high, 1 deep) in running bond, every second row with half a
// brick at both ends; four contact points per overlapping face (two in 2D): hyperstatic. Gravity
// load, plus on each block of the top row a push along x of `push` times its weight.
typedef struct ss_wall_options {
  int dim, rows, cols;
  double mu, push;
} ss_wall_options;
SS_API ss_wall_options ss_wall_options_default(void);
SS_API ss_error ss_generate_wall(ss_context *ctx, const ss_wall_options *o, ss_problem **out);

// A tower of `blocks` cubes, each `ratio` times as heavy as the one below it.
SS_API ss_error ss_generate_tower(ss_context *ctx, int dim, int blocks, double ratio, double mu,
                                  ss_problem **out);

#ifdef __cplusplus
}
#endif
