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

// ---- scenes ---------------------------------------------------------------------------------------

static const double G = 9.81;

// A scene in space: friction, restitution, then what else it has.
static inline const char *scene_text(double mu, double e, const char *rest) {
  static char text[5000];
  snprintf(text, sizeof text,
           "{'dim':3,'title':'test','materials':[{'name':'m','mu':%.17g,'restitution':%.17g,"
           "'density':1000}],'stepping':{'step':0.01,'duration':1},%s}",
           mu, e, rest);
  return text;
}

#define FLOOR "'externals':[{'name':'floor','shape':{'kind':'plane'}}]"

static inline const char *ball_text(double mu, double e, const double x[3], const double v[3],
                                    const double w[3], const char *externals) {
  static char text[2000];
  snprintf(text, sizeof text,
           "'bodies':[{'name':'ball','shape':{'kind':'sphere','radius':0.1},'position':[%.17g,"
           "%.17g,%.17g],'velocity':[%.17g,%.17g,%.17g],'spin':[%.17g,%.17g,%.17g]}],%s",
           x[0], x[1], x[2], v[0], v[1], v[2], w[0], w[1], w[2], externals);
  return scene_text(mu, e, text);
}

// On a slope of 20 degrees, thrown along (down it) and across.
static inline const char *slope_text(double mu, double down, double across) {
  double a = acos(-1) / 9, c = cos(a), s = sin(a);
  char text[1000];
  snprintf(text, sizeof text,
           "'bodies':[{'name':'box','shape':{'kind':'box','size':[0.4,0.4,0.2]},'position':[%.17g,"
           "0,%.17g],'rotation':{'axis':[0,1,0],'degrees':20},'velocity':[%.17g,%.17g,%.17g]}],"
           "'externals':[{'name':'slope','shape':{'kind':'plane'},'rotation':{'axis':[0,1,0],"
           "'degrees':20}}]",
           0.1 * s, 0.1 * c, down * c, across, -down * s);
  return scene_text(mu, 0, text);
}

static inline void begin_on_slope(event_run *run, double mu, double down, double across) {
  begin_run(run, slope_text(mu, down, across));
}
