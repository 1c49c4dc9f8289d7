// cli/mechanism_run.h - simulate NAME of a built-in mechanism, or a scene: from event to event, or in steps.
#pragma once

#include "cli/args.h"

typedef struct
    cli_evolve_options {  // of `simulate`, that only mechanisms have, and scenes with a scheme other than moreau
  int scheme, impact, zeno;  // -1: the mechanism's own
  cli_list parameters;
  int samples;
  double from;
  const char *plot, *start;
  bool count_modes;
} cli_evolve_options;

extern const char *const cli_schemes[], *const cli_impacts[], *const cli_zenos[];

typedef struct cli_evolve_request {
  const char *name, *output;
  const ss_scene *scene;   // NULL: the built-in mechanism of that name
  const char *scene_text;  // of that scene
  const cli_evolve_options *own;
  double tol, step, duration, theta, time_limit;
  bool overwrite;  // what -o names  // 0: the mechanism's own, no limit
} cli_evolve_request;

bool cli_is_mechanism(const char *name);  // and no file
int cli_evolve(cli_session *s, const cli_evolve_request *r);

void cli_list_mechanisms(void);
json_t *cli_mechanisms_json(cli_session *s);
int cli_describe_mechanism(cli_session *s, const char *name);

// Whether a scene is to be run as a mechanism: a scheme other than moreau.
bool cli_evolve_asked(const cli_evolve_options *o);
// What the options above ask of a scene: CLI_GO_ON, or why it cannot be done.
int cli_evolve_refuse(cli_session *s, const cli_evolve_options *o);
// The names of the built-in scenes that can be run from event to event, with commas; false: no memory.
bool cli_evolve_scenes(cli_session *s, char *out, size_t size);

// ---- one run of a mechanism, between cli/mechanism_run.c and its report ------------------------

typedef struct evolve_job {
  const cli_evolve_request *r;
  ss_machine *machine;
  ss_evolution *evolution;
  ss_trajectory *trajectory;
  ss_evolve_options options;
  double begin, end, from;  // simulated time; from: of the first row
  double time_s, energy_first, unique_below;
  ss_mode *start;  // modes there   (nc)
  ss_mode *asked;  // NULL, or those that were asked for   (nc)
  const char *ended;
  const char *output;  // that was written; NULL: none
  bool terminal, drawn, late;
  double begin_s, last_s;
} evolve_job;

int evolve_report_json(cli_session *s, const evolve_job *j, int status);
void evolve_report_summary(const evolve_job *j);
