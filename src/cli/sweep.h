// cli/sweep.h - one scene simulated at every point of a grid of parameters.
#pragma once

#include "cli/axis.h"
#include "cli/results.h"
#include "cli/shard.h"

enum { SWEEP_AXES_MAX = 6, SWEEP_JOBS_MAX = 256, SWEEP_POINTS_MAX = 10000000 };

typedef struct sweep_options {
  cli_list axes;
  const char *set, *with, *fields, *output, *csv, *svg, *shard;
  int jobs;
  bool resume;
} sweep_options;

typedef struct sweep_job {
  sweep_options o;
  const char *scene;
  bool mechanism;  // its parameters have names; those of a scene are JSON pointers, mu or tilt
  char *text;      // of a scene, as --set has changed it; NULL for a mechanism
  json_t *root;    // the same, parsed
  cli_axis axes[SWEEP_AXES_MAX];
  int axis_count, point_count;
  json_t **results;  // what simulate printed; NULL: not run yet        (point_count)
  cli_shard shard;
  FILE *lines;            // -o, open; NULL: none
  char *options;          // --with, cut into words
  const char *words[64];  // (word_count)
  int word_count;
} sweep_job;

double sweep_value(const sweep_job *w, int point, int axis);
bool sweep_is_ours(const sweep_job *w, int point);  // of this shard
int sweep_done(const sweep_job *w);                 // how many of this shard's

// What --set of simulate is to say at a point, or -p of a mechanism: changes joined by ';'. Released with free.
char *sweep_changes(const sweep_job *w, int point);

// ---- sweep_lines.c: -o FILE, a line of JSON for each point ---------------------------------------

int sweep_lines_open(cli_session *s, sweep_job *w);  // reads what is there (--resume), then appends
int sweep_lines_add(cli_session *s, sweep_job *w, int point);
json_t *sweep_row_json(cli_session *s, const sweep_job *w, int point);
json_t *sweep_axes_json(cli_session *s, const sweep_job *w);

// ---- sweep_worker.c: points in processes of their own ----------------------------------------------

// Runs what is not there yet. tick: about ten times a second. CLI_GO_ON; CLI_RESOURCES where it was interrupted.
int sweep_run(cli_session *s, sweep_job *w, void (*tick)(void *user, int point), void *user);

// ---- sweep_report.c --------------------------------------------------------------------------------

int sweep_check_asked(cli_session *s,
                      const sweep_job *w);      // before the work: what it will be shown as
extern const char *const sweep_known_fields[];  // of simulate --json; NULL after the last one
int sweep_check_fields(cli_session *s, const sweep_job *w);  // after it: that some point has them
void sweep_print(FILE *to, const sweep_job *w);
int sweep_write_csv(cli_session *s, const sweep_job *w);
int sweep_write_svg(cli_session *s, const sweep_job *w);
