// cli/scene_report.c - see scene_report.h.
#include "cli/scene_report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/results.h"
#include "cli/scene_text.h"

enum { NAME_SIZE = 80, SHOWN = 10 };

typedef struct scene_report {
  const ss_scene *scene;
  ss_simulation *sim;
  ss_sim_state state;
  ss_sim_start start;
  ss_step_info first;  // the first step, as a sample
  double steps;        // to the end
  bool refused;
} scene_report;

void cli_scene_notes(cli_session *s, ss_simulation *sim) {
  ss_sim_start start;
  char name[NAME_SIZE];
  if (ss_simulation_start(sim, &start) || start.odd < 0) return;
  ss_simulation_name(sim, start.odd, name, sizeof name);
  cli_note(s, "%s is 1000 times %s than the bodies in the middle: bodies reach from %.3g to %.3g",
           name, start.odd == start.largest ? "larger" : "smaller", start.extent[0],
           start.extent[1]);
}

// ---- JSON ---------------------------------------------------------------------------------------

static json_t *overlaps_json(cli_session *s, const scene_report *r) {
  json_t *list = json_array();
  for (int k = 0; k < r->start.overlap_count; k++) {
    const ss_start_overlap *o = r->start.overlaps + k;
    char a[NAME_SIZE], b[NAME_SIZE];
    ss_simulation_name(r->sim, o->a, a, sizeof a);
    ss_simulation_name(r->sim, o->b, b, sizeof b);
    json_t *row = json_object();
    cli_put(s, row, "a", cli_text(a));
    cli_put(s, row, "b", cli_text(b));
    cli_put(s, row, "depth", cli_real(o->depth));
    cli_put(s, row, "energy", cli_real(o->energy));
    cli_append(s, list, row);
  }
  return list;
}

static json_t *first_json(cli_session *s, const scene_report *r) {
  json_t *o = json_object();
  cli_put(s, o, "contacts", json_integer(r->first.contacts));
  cli_put(s, o, "solved", json_boolean(r->first.unsolved == 0));
  cli_put(s, o, "error", cli_real(r->first.error));
  cli_put(s, o, "iterations", json_integer(r->first.iterations));
  cli_put(s, o, "time_s", cli_real(r->first.time_s));
  return o;
}

static int report_json(cli_session *s, const scene_report *r, int status) {
  const ss_sim_start *x = &r->start;
  json_t *o = cli_object(s);
  cli_put(s, o, "status", json_string(r->refused ? "refused" : "accepted"));
  cli_put(s, o, "kind", json_string("scene"));
  cli_put(s, o, "title", cli_text(r->scene->title));
  cli_put(s, o, "dim", json_integer(r->scene->dim));
  cli_put(s, o, "bodies", json_integer(r->state.body_count));
  cli_put(s, o, "externals", json_integer(r->state.external_count));
  cli_put(s, o, "joints", json_integer(r->state.joint_count));
  cli_put(s, o, "elements", json_integer(r->state.element_count));
  const cli_named mass[] = {{"min", x->mass[0]}, {"max", x->mass[1]}, {"sum", x->mass_sum}};
  const cli_named extent[] = {{"min", x->extent[0]}, {"max", x->extent[1]}};
  cli_put(s, o, "mass", cli_reals(s, mass, 3));
  cli_put(s, o, "extent", cli_reals(s, extent, 2));
  cli_put(s, o, "pairs", json_integer(x->pairs));
  cli_put(s, o, "contacts", json_integer(x->contacts));
  cli_put(s, o, "smallest_gap", cli_real(x->gap));
  cli_put(s, o, "overlaps", overlaps_json(s, r));
  cli_put(s, o, "step", cli_real(r->scene->stepping.step));
  cli_put(s, o, "suggested_step", cli_real(x->step));
  cli_put(s, o, "steps", cli_real(r->steps));
  cli_put(s, o, "first_step", first_json(s, r));
  cli_put(s, o, "estimated_memory_bytes", cli_real(ss_scene_memory(r->scene)));
  cli_put(s, o, "estimated_time_s", cli_real(r->steps * r->first.time_s));
  return cli_print_json(s, o, status);
}

// ---- the summary --------------------------------------------------------------------------------

static void print_overlaps(const scene_report *r) {
  for (int k = 0; k < r->start.overlap_count && k < SHOWN; k++) {
    const ss_start_overlap *o = r->start.overlaps + k;
    char a[NAME_SIZE], b[NAME_SIZE];
    ss_simulation_name(r->sim, o->a, a, sizeof a);
    ss_simulation_name(r->sim, o->b, b, sizeof b);
    cli_line(stdout, k ? "" : "overlaps", "%s and %s by %.3g, energy up to %.3g", a, b, o->depth,
             o->energy);
  }
  if (r->start.overlap_count > SHOWN)
    cli_line(stdout, "", "and %d pairs more", r->start.overlap_count - SHOWN);
}

static void report_summary(cli_session *s, const scene_report *r) {
  const ss_sim_start *x = &r->start;
  cli_print(stdout, "%s: a scene%s\n", cli_display_name(s->file),
            r->refused ? " whose bodies overlap at the start: simulate refuses it" : "");
  if (r->scene->title) cli_line(stdout, "scene", "%s", r->scene->title);
  cli_line(stdout, "bodies", "%d in %dD, %d external, %d joint%s", r->state.body_count,
           r->scene->dim, r->state.external_count, r->state.joint_count,
           r->state.joint_count == 1 ? "" : "s");
  if (r->state.body_count) {
    cli_line(stdout, "masses", "%.4g to %.4g, together %.4g", x->mass[0], x->mass[1], x->mass_sum);
    cli_line(stdout, "extents", "%.4g to %.4g", x->extent[0], x->extent[1]);
  }
  cli_line(stdout, "pairs", "%d near each other, %d contacts closed", x->pairs, x->contacts);
  if (isfinite(x->gap)) cli_line(stdout, "gap", "%.3g at least", x->gap);
  print_overlaps(r);
  cli_line(stdout, "step", "%g, suggested at most %.2g; %.0f steps to the end",
           r->scene->stepping.step, x->step, r->steps);
  cli_line(stdout, "memory", "about %.2g GB", 1e-9 * ss_scene_memory(r->scene));
  cli_line(stdout, "first step", "%d contacts, %s, %.3g ms; at this rate %.3g s for all",
           r->first.contacts, r->first.unsolved ? "not solved" : "solved", 1e3 * r->first.time_s,
           r->steps * r->first.time_s);
}

// ---- all of it ----------------------------------------------------------------------------------

int cli_scene_report(cli_session *s, ss_scene *scene) {
  scene_report r = {.scene = scene};
  ss_overlap meant = scene->overlap;
  scene->overlap = SS_OVERLAP_PUSH;  // to look at it, whatever it is
  ss_error e = ss_simulation_create(&s->ctx, scene, &r.sim);
  scene->overlap = meant;
  if (e) return cli_fail_library(s, s->file, e);
  ss_simulation_state(r.sim, &r.state);
  cli_scene_notes(s, r.sim);
  e = ss_simulation_step(r.sim, &r.first);
  if (!e) e = ss_simulation_start(r.sim, &r.start);
  r.steps = ceil(scene->stepping.duration / scene->stepping.step - 0.5);
  r.refused = r.start.overlap_count && meant != SS_OVERLAP_PUSH;
  int status = r.refused ? CLI_NEGATIVE : CLI_DONE;
  if (e)
    status = cli_fail_library(s, s->file, e);
  else if (s->json)
    status = report_json(s, &r, status);
  else
    report_summary(s, &r);
  ss_simulation_destroy(r.sim);
  return status;
}

int cli_scene_info(cli_session *s, const char *path) {
  char *text = NULL;
  ss_scene *scene = NULL;
  int status = cli_scene_text(s, path, NULL, &text);
  if (status == CLI_GO_ON) {
    ss_error e = ss_scene_parse(&s->ctx, cli_display_name(path), text, strlen(text), &scene);
    status = e ? cli_fail_library(s, path, e) : cli_scene_report(s, scene);
  }
  ss_scene_close(scene);
  free(text);
  return status;
}
