// cli/atlas_job.h - one run of stickslip atlas: what is mapped, and the points that are known already.
#pragma once

#include "cli/atlas_report.h"
#include "cli/shard.h"
#include "cli/source.h"

typedef struct atlas_options {
  const char *x, *y, *shard;
  cli_list parameters, outputs;
  int refine, threads, recheck;  // refine, recheck, tie_tol: -1 where not said
  double tie_tol, time_limit;
  bool status, resume, merge;
} atlas_options;

typedef struct atlas_job {
  atlas_options o;
  cli_source source;
  cli_settings fixed;
  char x_name[64], y_name[64];
  ss_atlas_options a;
  cli_list pictures;  // of o.outputs: those that show the map
  // blocks
  const char *path;  // of their lines; NULL: there is none
  FILE *lines;
  cli_shard shard;
  json_t *head;  // what the lines belong to
  int block_count;
  bool *has;  // (block_count)
  ss_atlas_known *known;
  int64_t problems;  // of the blocks of this shard
  double time_s;     // that all blocks took
} atlas_job;

void atlas_fill_caption(const atlas_job *j, cli_atlas *out);  // all but the atlas
// ss_atlas_find_blocks of what the job is about, with its progress.
ss_error atlas_find(cli_session *s, atlas_job *j, ss_atlas_block_list *list);

// The problem of the first cell, which every map begins with: does the source take what is fixed and the axes?
ss_error atlas_try_first(cli_session *s, const atlas_job *j);

// ---- the head, atlas_head.c: what is mapped, the first line of a file of blocks -------------------

typedef struct atlas_place {
  const char *path;
  int line;
} atlas_place;

// j->head of the rest. CLI_GO_ON or an exit status.
int atlas_make_head(cli_session *s, atlas_job *j);
bool atlas_is_head(const json_t *line);
// Refuses a head of another atlas than j->head, which `of` has. CLI_GO_ON or CLI_INPUT.
int atlas_check_head(cli_session *s, const atlas_job *j, const atlas_place *at, const json_t *line,
                     const char *of);
// The rest of j->head, whatever that holds, and the source. CLI_GO_ON or an exit status; texts stay those of the head.
int atlas_take_head(cli_session *s, atlas_job *j, const atlas_place *at);
int atlas_check_parameters(cli_session *s, const atlas_job *j, const atlas_place *at);
int atlas_broken_head(cli_session *s, const atlas_place *at, const char *fault);

// ---- lines, atlas_lines.c: behind the head each is a block ----------------------------------------

// Room for what is known of the blocks.
int atlas_begin_blocks(cli_session *s, atlas_job *j);
// Opens j->path, takes what is there.
int atlas_lines_open(cli_session *s, atlas_job *j);
int atlas_lines_add(cli_session *s, atlas_job *j, const ss_atlas_points *found);
// Takes the blocks of a file, whose heads must say what j->head says.
int atlas_lines_read(cli_session *s, atlas_job *j, FILE *from, const char *path, const char *of);

// ---- work on blocks, atlas_shard.c ----------------------------------------------------------------

// Finds the blocks of this shard that are not there yet. CLI_GO_ON, or an exit status.
int atlas_run_blocks(cli_session *s, atlas_job *j);
// Prints what a shard has.
int atlas_report_shard(cli_session *s, const atlas_job *j);

// ---- --merge, atlas_merge.c -----------------------------------------------------------------------

// What is mapped, and all blocks, of files of lines.
int atlas_merge(cli_session *s, atlas_job *j, char *const *paths, int count);
