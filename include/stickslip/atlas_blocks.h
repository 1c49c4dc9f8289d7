// stickslip/atlas_blocks.h - an atlas in parts, for many machines and for runs that go on after a kill.
//
// The coarse grid is divided into blocks, a function of the axes alone. A block's part is every point that the map
// needs there: its cells, halved at borders, and the bisections between them. Points found by whomever are put together
// (ss_atlas_known) and given to ss_atlas_create, which then makes the map as it always does and takes from them what
// they have: the result is that of one run to the last bit. What no block could know, as where a border creeps along
// the edge between two of them, it finds itself.
#pragma once

#include "stickslip/atlas.h"

#ifdef __cplusplus
extern "C" {
#endif

// What was found at the points of a block.
typedef struct ss_atlas_points {
  int block;
  int count;
  const double *x, *y;    // (count)
  const int *kind;        // places in kinds                                  (count)
  const bool *unsettled;  // (count)
  int kind_count;
  const char *const
      *kinds;  // the same text: the same kind. Letters and digits; of one version of the library
  double time_s;
} ss_atlas_points;

// How many blocks there are; 0: ss_atlas_create would refuse the options.
SS_API int ss_atlas_block_count(const ss_atlas_options *o);

typedef struct ss_atlas_block_list {
  const int *blocks;  // numbers, from 0; borrowed                              (count)
  int count;
  // What was found, for the time of the call, from any of the threads, one call at a time. Nonzero stops.
  int (*done)(void *user, const ss_atlas_points *found);
  void *user;
  bool complete;  // out: every block was done; false: done, progress or the time limit ended it
  bool late;      // out: it was the time limit
} ss_atlas_block_list;

// Finds the points of the blocks, o->threads blocks at a time. Progress counts blocks. o->known is not used.
SS_API ss_error ss_atlas_find_blocks(ss_context *ctx, const ss_atlas_options *o,
                                     ss_atlas_problem problem, void *user,
                                     ss_atlas_block_list *list);

// Points that are known, of any number of blocks. Not changed by ss_atlas_create.
typedef struct ss_atlas_known ss_atlas_known;
SS_API ss_error ss_atlas_known_create(ss_context *ctx, ss_atlas_known **out);
// Copied; of a point that is there already the first counts. SS_ERR_FORMAT: a kind that is none.
SS_API ss_error ss_atlas_known_add(ss_context *ctx, ss_atlas_known *k,
                                   const ss_atlas_points *found);
SS_API void ss_atlas_known_destroy(ss_atlas_known *k);  // NULL allowed

#ifdef __cplusplus
}
#endif
