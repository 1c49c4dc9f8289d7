// stickslip atlas MODEL -x mu=0:3:400 -y tan_alpha=-6:3:400: how many solutions, where in a plane of
// two parameters.
#define _POSIX_C_SOURCE 200809L
#include <float.h>
#include <limits.h>
#include <string.h>

#include "cli/atlas_report.h"
#include "cli/axis.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "cli/source.h"

typedef struct atlas_options {
  const char *x, *y;
  cli_list parameters, outputs;
  int refine, threads, recheck;
  double tie_tol, time_limit;
  bool status;
} atlas_options;

#define AT(field) offsetof(atlas_options, field)
static const cli_option options[] = {
    {"x", 'x', "AXIS", "NAME=FROM:TO or NAME=FROM:TO:CELLS, a parameter (100 cells if not said)",
     CLI_TEXT, AT(x), 0, 0, 0, 0},
    {"y", 'y', "AXIS", "the same for the vertical axis", CLI_TEXT, AT(y), 0, 0, 0, 0},
    {"param", 'p', "KEY=VALUE", "fix another parameter; as often as wanted", CLI_LIST,
     AT(parameters), 0, 0, 0, 0},
    {"output", 'o', "FILE", "write the map: .svg, .csv or .json; as often as wanted", CLI_WRITES,
     AT(outputs), 0, 0, 0, 0},
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

static int on_progress(void *user, const ss_atlas_progress *now) {
  cli_progress *p = user;
  bool due = cli_progress_due(p) > 0;
  if (due && p->terminal)
    cli_progress_draw(p, "atlas", (double)now->done / (double)now->wanted,
                      "round %d  %lld of %lld problems  %.1f s", now->round, (long long)now->done,
                      (long long)now->wanted, now->time_s);
  else if (due)
    fprintf(stderr, "atlas round=%d done=%lld wanted=%lld t=%.2f\n", now->round,
            (long long)now->done, (long long)now->wanted, now->time_s);
  return cli_interrupted();
}

// ---- the work -------------------------------------------------------------------------------

typedef struct atlas_job {
  cli_source source;
  cli_settings fixed;
  const char *x_name, *y_name;
} atlas_job;

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

static int make_atlas(cli_session *s, const atlas_options *o, atlas_job *j, ss_atlas_options *a,
                      ss_atlas **out) {
  cli_progress progress;
  a->refine = o->refine, a->threads = o->threads;
  a->time_limit_s = cli_time_left(s, o->time_limit);
  a->enumerate.tie_tol = o->tie_tol;
  a->enumerate.recheck = o->recheck;
  a->progress = on_progress, a->user = &progress;
  cli_progress_begin(&progress, s, 1);
  ss_status_plane plane = {.at = instant_at, .release = release_instant, .user = j};
  ss_error e = o->status ? ss_status_atlas(&s->ctx, a, &plane, out)
                         : ss_atlas_create(&s->ctx, a, problem_at, j, out);
  cli_progress_end(&progress);
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

static int report(cli_session *s, cli_atlas *c) {
  for (int k = 0; k < c->outputs->count; k++) {
    int status = cli_atlas_write(s, c, c->outputs->items[k]);
    if (status != CLI_GO_ON) return status;
  }
  if (s->json) return cli_print_json(s, cli_atlas_json(s, c), CLI_DONE);
  cli_atlas_summary(c);
  for (int k = 0; k < c->outputs->count; k++)
    cli_line(stdout, "written", "%s", c->outputs->items[k]);
  return CLI_DONE;
}

static int work(cli_session *s, const atlas_options *o, atlas_job *j) {
  ss_atlas_options a = ss_atlas_options_default();
  cli_atlas c = {.source = j->source.name, .given = &j->fixed, .outputs = &o->outputs};
  int status = parse_axis(s, 'x', o->x, c.x_name, &a.x);
  if (status == CLI_GO_ON) status = parse_axis(s, 'y', o->y, c.y_name, &a.y);
  if (status == CLI_GO_ON && strcmp(c.x_name, c.y_name) == 0)
    status = cli_fail(s, CLI_USAGE, "atlas: both axes are %s, expected two parameters", c.x_name);
  if (status == CLI_GO_ON) status = cli_check_pictures(s, &o->outputs);
  j->x_name = c.x_name, j->y_name = c.y_name;
  ss_atlas *atlas = NULL;
  if (status == CLI_GO_ON) status = make_atlas(s, o, j, &a, &atlas);
  c.atlas = atlas;
  cli_source_caption(&j->source, &j->fixed, c.title, c.subtitle);
  if (status == CLI_GO_ON) status = report(s, &c);
  ss_atlas_destroy(atlas);
  return status;
}

static int run(cli_session *s, const cli_command *self, int argc, char **argv) {
  atlas_options o = {.refine = 3, .recheck = 16, .tie_tol = ss_enumerate_options_default().tie_tol};
  cli_args args;
  atlas_job j = {0};
  int status = cli_parse(s, self, argc, argv, &o, &args);
  if (status == CLI_GO_ON) status = cli_settings_parse(s, &o.parameters, &j.fixed);
  if (status == CLI_GO_ON) status = cli_source_open(s, args.operands[0], &j.source);
  if (status == CLI_GO_ON) status = work(s, &o, &j);
  cli_source_close(&j.source);
  return status;
}

const cli_command cmd_atlas = {
    .name = "atlas",
    .operands = "MODEL|TEMPLATE",
    .summary = "map how many solutions there are over a plane of two parameters",
    .about = "MODEL as in stickslip model --list; TEMPLATE is a JSON problem with parameters, see\n"
             "docs/formats-json.md\n"
             "stickslip atlas alart -x mu=0:7 -y tan_alpha=-9:3 -o alart.svg\n"
             "stickslip atlas two-blocks --status -x F1=-40:40 -y F2=-40:40 -o blocks.svg\n",
    .operands_min = 1,
    .operands_max = 1,
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .operand_name = ss_model_name,
    .run = run,
};
