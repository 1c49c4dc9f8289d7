// tests/event_run.h - a scene of rigid bodies being run from event to event.
#pragma once

#include "mechanism_run.h"

typedef struct event_run {
  mechanism_run run;
  ss_scene *scene;
} event_run;

// text with ' for "
static inline void open_run(event_run *r, const char *text) {
  char json[6000];
  memset(r, 0, sizeof *r);
  assert_true(strlen(text) < sizeof json);
  snprintf(json, sizeof json, "%s", text);
  for (char *c = json; *c; c++)
    if (*c == '\'') *c = '"';
  ss_context *ctx = &r->run.ctx;
  if (ss_scene_parse(ctx, "scene", json, strlen(json), &r->scene)) fail_msg("%s", ctx->message);
}

static inline void build_run(event_run *r, const char *text) {
  open_run(r, text);
  if (ss_machine_of_scene(&r->run.ctx, r->scene, &r->run.machine))
    fail_msg("%s", r->run.ctx.message);
  r->run.machine->options.step = 0;
}

static inline void begin_run(event_run *r, const char *text) {
  build_run(r, text);
  begin_mechanism(&r->run);
}

static inline void end_run(event_run *r) {
  end_mechanism(&r->run);
  ss_scene_close(r->scene);
}

// The first event after the start that is of this kind and leads to this mode, of any contact.
static inline ss_event first_event(const event_run *r, ss_event_kind kind, ss_mode to) {
  for (int k = 1; k < ss_evolution_event_count(r->run.e); k++) {
    ss_event x = event_at(&r->run, k);
    if (x.kind == kind && x.to == to) return x;
  }
  fail_msg("no event %s to %s", ss_event_kind_name(kind), ss_mode_name(3, to));
  return (ss_event){0};
}

static inline void expect_no_end(const event_run *r) {
  const char *end = ss_evolution_end(r->run.e);
  if (end) fail_msg("%s", end);
}
