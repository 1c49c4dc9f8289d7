// stickslip atlas MODEL -x mu=0:3:400 -y tan_alpha=-6:3:400: how many solutions, where in a plane of
// two parameters.
#define _POSIX_C_SOURCE 200809L
#include <float.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cli/atlas_job.h"
#include "cli/axis.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/progress.h"

#define AT(field) offsetof(atlas_options, field)
static const cli_option options[] = {
    {"x", 'x', "AXIS", "NAME=FROM:TO or NAME=FROM:TO:CELLS, a parameter (100 cells if not said)",
     CLI_TEXT, AT(x), 0, 0, 0, 0},
    {"y", 'y', "AXIS", "the same for the vertical axis", CLI_TEXT, AT(y), 0, 0, 0, 0},
    {"param", 'p', "KEY=VALUE", "fix another parameter; as often as wanted", CLI_LIST,
     AT(parameters), 0, 0, 0, 0},
    {"output", 'o', "FILE",
     "write the map: .svg, .csv or .json; as often as wanted. FILE.jsonl: the points found, a line "
     "for each block of 8 x 8 cells",
     CLI_WRITES, AT(outputs), 0, 0, 0, 0},
    {"status", 's', 0,
     "map which contacts part, stick or slip next (stickslip status), in 2D and 3D, instead of the "
     "solutions",
     CLI_FLAG, AT(status), 0, 0, 0, 0},
    {"refine", 'r', "N", "halve cells at borders N times (default 3)", CLI_COUNT, AT(refine), 0, 12,
     "a whole number from 0 to 12", 0},
    {"threads", 0, "N", "threads (default 0: one per processor); the result is the same", CLI_COUNT,
     AT(threads), 0, 256, "a whole number from 0 to 256", 0},
    {"time-limit", 0, "SECONDS", "draw what is known by then, coarser at borders; 0: no limit",
     CLI_NUMBER, AT(time_limit), 0, DBL_MAX, "a number >= 0", 0},
    {"tie-tol", 0, "X", "relative, below which two states are not told apart (default 1e-10)",
     CLI_NUMBER, AT(tie_tol), 0, 0.009, "a number in 0 .. 0.009", 0},
    {"recheck", 0, "N",
     "where doubles do not settle a count, try rational arithmetic if that means at most N contact "
     "patterns (default 16); 0: never",
     CLI_COUNT, AT(recheck), 0, INT_MAX, "a whole number >= 0", 0},
    {"resume", 0, 0, "do not find again what -o FILE.jsonl holds already", CLI_FLAG, AT(resume), 0,
     0, 0, 0},
    {"shard", 0, "I/N",
     "only every N-th block, from the I-th on, into -o FILE.jsonl: one of N runs that share the "
     "work",
     CLI_TEXT, AT(shard), 0, 0, 0, 0},
    {"merge", 0, 0, "draw the map of blocks that were found: FILEs are .jsonl, of all shards",
     CLI_FLAG, AT(merge), 0, 0, 0, 0},
};
#undef AT

// ---- axes -----------------------------------------------------------------------------------

static int parse_axis(cli_session *s, char letter, const char *text, char name[64],
                      ss_atlas_axis *out) {
  char option[] = {'-', '-', letter, '\0'};
  cli_axis axis;
  if (!text)
    return cli_fail(s, CLI_USAGE, "atlas: -%c is missing: -%c NAME=FROM:TO:CELLS", letter, letter);
  int status = cli_axis_parse(s, &(cli_axis_form){option, "cells", 1, 100}, text, &axis);
  if (status != CLI_GO_ON) return status;
  memcpy(name, axis.name, sizeof axis.name);
  *out = (ss_atlas_axis){axis.from, axis.to, axis.count};
  return CLI_GO_ON;
}

// ---- progress -------------------------------------------------------------------------------

typedef struct atlas_ticker {
  cli_progress shown;
  bool blocks;  // not problems are counted
} atlas_ticker;

static int on_progress(void *user, const ss_atlas_progress *now) {
  atlas_ticker *k = user;
  cli_progress *p = &k->shown;
  double share = (double)now->done / (double)now->wanted;
  long long done = now->done, wanted = now->wanted;
  bool due = cli_progress_due(p) > 0;
  if (due && p->terminal && k->blocks)
    cli_progress_draw(p, "atlas", share, "%lld of %lld blocks  %.1f s", done, wanted, now->time_s);
  else if (due && p->terminal)
    cli_progress_draw(p, "atlas", share, "round %d  %lld of %lld problems  %.1f s", now->round,
                      done, wanted, now->time_s);
  else if (due && k->blocks)
    fprintf(stderr, "atlas blocks=%lld wanted=%lld t=%.2f\n", done, wanted, now->time_s);
  else if (due)
    fprintf(stderr, "atlas round=%d done=%lld wanted=%lld t=%.2f\n", now->round, done, wanted,
            now->time_s);
  return cli_interrupted();
}

// ---- the work -------------------------------------------------------------------------------

// What is fixed, and the two axes: how many.
static int settings_at(const atlas_job *j, double x, double y,
                       ss_model_setting all[CLI_LIST_MAX + 2]) {
  int count = j->fixed.count;
  memcpy(all, j->fixed.settings, (size_t)count * sizeof *all);
  all[count++] = (ss_model_setting){j->x_name, NULL, x};
  all[count++] = (ss_model_setting){j->y_name, NULL, y};
  return count;
}

static ss_error problem_at(void *user, ss_context *ctx, double x, double y, ss_problem **out) {
  const atlas_job *j = user;
  ss_model_setting all[CLI_LIST_MAX + 2];
  return cli_source_build(&j->source, ctx, all, settings_at(j, x, y, all), out);
}

static ss_error instant_at(void *user, ss_context *ctx, double x, double y, ss_instant *out,
                           void **owner) {
  const atlas_job *j = user;
  ss_model_setting all[CLI_LIST_MAX + 2];
  return cli_source_instant(&j->source, ctx, all, settings_at(j, x, y, all), out, owner);
}

static void release_instant(void *user, void *owner) {
  cli_source_release(&((const atlas_job *)user)->source, owner);
}

ss_error atlas_try_first(cli_session *s, const atlas_job *j) {
  ss_atlas plane = {.x = j->a.x, .y = j->a.y};
  ss_instant instant;
  ss_model_setting all[CLI_LIST_MAX + 2];
  double x = 0, y = 0;
  void *owner = NULL;
  ss_atlas_point(&plane, &(ss_atlas_cell){0}, &x, &y);
  int count = settings_at(j, x, y, all);
  ss_error e = cli_source_instant(&j->source, &s->ctx, all, count, &instant, &owner);
  if (!e) cli_source_release(&j->source, owner);
  return e;
}

ss_error atlas_find(cli_session *s, atlas_job *j, ss_atlas_block_list *list) {
  atlas_ticker ticker = {.blocks = true};
  ss_status_plane plane = {.at = instant_at, .release = release_instant, .user = j};
  j->a.time_limit_s = cli_time_left(s, j->o.time_limit);
  j->a.progress = on_progress, j->a.user = &ticker;
  cli_progress_begin(&ticker.shown, s, 1);
  ss_error e = j->o.status ? ss_status_find_blocks(&s->ctx, &j->a, &plane, list)
                           : ss_atlas_find_blocks(&s->ctx, &j->a, problem_at, j, list);
  cli_progress_end(&ticker.shown);
  return e;
}

static int make_atlas(cli_session *s, atlas_job *j, ss_atlas **out) {
  atlas_ticker ticker = {.blocks = false};
  ss_status_plane plane = {.at = instant_at, .release = release_instant, .user = j};
  ss_atlas_options *a = &j->a;
  a->time_limit_s = cli_time_left(s, j->o.time_limit);
  a->progress = on_progress, a->user = &ticker;
  a->known = j->known;
  cli_progress_begin(&ticker.shown, s, 1);
  ss_error e = j->o.status ? ss_status_atlas(&s->ctx, a, &plane, out)
                           : ss_atlas_create(&s->ctx, a, problem_at, j, out);
  cli_progress_end(&ticker.shown);
  if (e) return cli_source_fail(s, &j->source, e);
  if ((*out)->cancelled) return cli_fail(s, CLI_RESOURCES, "atlas: interrupted");
  if ((*out)->late && !(*out)->cell_count)
    return cli_fail(
        s, CLI_NEGATIVE,
        "atlas: the time was up before the first grid of %d x %d cells was done; ask for "
        "fewer, or allow more time",
        a->x.cells, a->y.cells);
  return CLI_GO_ON;
}

void atlas_fill_caption(const atlas_job *j, cli_atlas *c) {
  c->source = j->source.name;
  c->given = &j->fixed;
  c->outputs = &j->o.outputs;
  c->before_s = j->time_s;
  memcpy(c->x_name, j->x_name, sizeof c->x_name);
  memcpy(c->y_name, j->y_name, sizeof c->y_name);
  cli_source_caption(&j->source, &j->fixed, c->title, c->subtitle);
}

static int report(cli_session *s, const atlas_job *j, const cli_atlas *c) {
  for (int k = 0; k < j->pictures.count; k++) {
    int status = cli_atlas_write(s, c, j->pictures.items[k]);
    if (status != CLI_GO_ON) return status;
  }
  if (s->json) return cli_print_json(s, cli_atlas_json(s, c), CLI_DONE);
  cli_atlas_summary(c);
  for (int k = 0; k < c->outputs->count; k++)
    cli_line(stdout, "written", "%s", c->outputs->items[k]);
  return CLI_DONE;
}

static int draw(cli_session *s, atlas_job *j) {
  ss_atlas *atlas = NULL;
  cli_atlas c = {.atlas = NULL};
  int status = make_atlas(s, j, &atlas);
  c.atlas = atlas;
  atlas_fill_caption(j, &c);
  if (status == CLI_GO_ON) status = report(s, j, &c);
  ss_atlas_destroy(atlas);
  return status;
}

// ---- what was asked for ---------------------------------------------------------------------

// Outputs are pictures of the map, and at most one file of lines.
static int sort_outputs(cli_session *s, atlas_job *j) {
  for (int k = 0; k < j->o.outputs.count; k++) {
    const char *path = j->o.outputs.items[k];
    if (!cli_ends_with(path, ".jsonl"))
      j->pictures.items[j->pictures.count++] = path;
    else if (j->path)
      return cli_fail(s, CLI_USAGE, "-o: %s beside %s, expected one .jsonl", path, j->path);
    else
      j->path = path;
  }
  if (j->o.merge && j->path)
    return cli_fail(s, CLI_USAGE, "--merge: -o %s, expected .svg, .csv or .json", j->path);
  if (j->o.resume && !j->path)
    return cli_fail(s, CLI_USAGE, "--resume needs the blocks' file: -o FILE.jsonl");
  if (j->o.shard && !j->path)
    return cli_fail(s, CLI_USAGE, "--shard needs a file for its blocks: -o FILE.jsonl");
  if (j->o.shard && j->pictures.count)
    return cli_fail(s, CLI_USAGE, "--shard has no map to write: -o %s is for --merge",
                    j->pictures.items[0]);
  return cli_check_pictures(s, &j->pictures);
}

// What the files say is not to be said again.
static int check_merge(cli_session *s, const atlas_options *o) {
  const char *given = o->shard              ? "--shard"
                      : o->resume           ? "--resume"
                      : o->x                ? "-x"
                      : o->y                ? "-y"
                      : o->parameters.count ? "-p"
                      : o->status           ? "--status"
                      : o->refine >= 0      ? "--refine"
                      : o->tie_tol >= 0     ? "--tie-tol"
                      : o->recheck >= 0     ? "--recheck"
                                            : NULL;
  if (!given) return CLI_GO_ON;
  return cli_fail(s, CLI_USAGE, "--merge maps what the files are of; drop %s", given);
}

static int read_plane(cli_session *s, atlas_job *j) {
  int status = parse_axis(s, 'x', j->o.x, j->x_name, &j->a.x);
  if (status == CLI_GO_ON) status = parse_axis(s, 'y', j->o.y, j->y_name, &j->a.y);
  if (status == CLI_GO_ON && strcmp(j->x_name, j->y_name) == 0)
    status = cli_fail(s, CLI_USAGE, "atlas: both axes are %s, expected two parameters", j->x_name);
  if (j->o.refine >= 0) j->a.refine = j->o.refine;
  if (j->o.tie_tol >= 0) j->a.enumerate.tie_tol = j->o.tie_tol;
  if (j->o.recheck >= 0) j->a.enumerate.recheck = j->o.recheck;
  return status;
}

static int find_blocks(cli_session *s, atlas_job *j) {
  int status = atlas_make_head(s, j);
  if (status == CLI_GO_ON) status = atlas_begin_blocks(s, j);
  if (status == CLI_GO_ON && j->block_count) status = atlas_lines_open(s, j);
  return status == CLI_GO_ON ? atlas_run_blocks(s, j) : status;
}

static int work(cli_session *s, atlas_job *j, const cli_args *args) {
  if (args->operand_count > 1)
    return cli_fail(s, CLI_USAGE,
                    "unexpected argument '%s'; usage: stickslip atlas [options] MODEL|TEMPLATE",
                    args->operands[1]);
  int status = cli_settings_parse(s, &j->o.parameters, &j->fixed);
  if (status == CLI_GO_ON) status = cli_source_open(s, args->operands[0], &j->source);
  if (status == CLI_GO_ON) status = read_plane(s, j);
  if (status == CLI_GO_ON) status = sort_outputs(s, j);
  if (status == CLI_GO_ON) status = cli_shard_parse(s, j->o.shard, &j->shard);
  if (status == CLI_GO_ON && j->path) status = find_blocks(s, j);
  if (status != CLI_GO_ON) return status;
  return j->o.shard ? atlas_report_shard(s, j) : draw(s, j);
}

static int merge(cli_session *s, atlas_job *j, const cli_args *args) {
  int status = check_merge(s, &j->o);
  if (status == CLI_GO_ON) status = sort_outputs(s, j);
  if (status == CLI_GO_ON) status = cli_shard_parse(s, NULL, &j->shard);
  if (status == CLI_GO_ON) status = atlas_merge(s, j, args->operands, args->operand_count);
  if (status == CLI_GO_ON) status = draw(s, j);
  s->file = args->operands[0];  // not what the head says, which is released
  return status;
}

static void release(atlas_job *j) {
  cli_source_close(&j->source);
  ss_atlas_known_destroy(j->known);
  free(j->has);
  json_decref(j->head);
  if (j->lines) fclose(j->lines);
}

static int run(cli_session *s, const cli_command *self, int argc, char **argv) {
  atlas_job j = {.o = {.refine = -1, .recheck = -1, .tie_tol = -1}};
  j.a = ss_atlas_options_default();
  cli_args args;
  int status = cli_parse(s, self, argc, argv, &j.o, &args);
  j.a.threads = j.o.threads;
  if (status == CLI_GO_ON) status = j.o.merge ? merge(s, &j, &args) : work(s, &j, &args);
  release(&j);
  return status;
}

const cli_command cmd_atlas = {
    .name = "atlas",
    .operands = "MODEL|TEMPLATE|FILE...",
    .summary = "map how many solutions there are over a plane of two parameters",
    .about = "MODEL as in stickslip model --list; TEMPLATE is a JSON problem with parameters, see\n"
             "docs/formats-json.md\n"
             "stickslip atlas alart -x mu=0:7 -y tan_alpha=-9:3 -o alart.svg\n"
             "stickslip atlas two-blocks --status -x F1=-40:40 -y F2=-40:40 -o blocks.svg\n"
             "FILE... with --merge: stickslip atlas --merge 1.jsonl 2.jsonl -o alart.svg\n",
    .operands_min = 1,
    .operands_max = INT_MAX,
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .operand_name = ss_model_name,
    .run = run,
};
