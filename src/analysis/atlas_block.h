// analysis/atlas_block.h - one block of an atlas, on one thread.
#pragma once

#include "analysis/atlas.h"

typedef struct ssi_block_work {
  const ss_atlas_options *o;
  ss_atlas_problem problem;
  void *user;
  double end_s;  // of the time
  int (*progress)(void *user, const ss_atlas_progress *now);
  void *progress_user;
} ssi_block_work;

typedef struct ssi_block_result {
  ss_atlas_points points;  // arrays in the arena; not to be used if cancelled
  bool cancelled, late;    // late: by the time
} ssi_block_result;

ss_error ssi_atlas_block(const ssi_block_work *w, ss_context *ctx, int block, ssi_arena *arena,
                         ssi_block_result *out);
