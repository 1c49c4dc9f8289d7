#include "report/page_links.h"

#include <math.h>

int ssi_links_count(const ss_scene *s) {
  return s->joint_count + s->spring_count + s->damper_count + s->bushing_count;
}

// A point of the world at t = 0, as `body` carries it; NULL: the origin of its frame.
static json_t *carried(const ss_sim_state *start, int body, const double *point, bool *failed) {
  ss_pose pose = body >= 0             ? start->pose[body]
                 : body <= SS_EXTERNAL ? start->external_pose[SS_EXTERNAL - body]
                                       : ss_pose_identity();
  int object = body >= 0 ? body : body == SS_WORLD ? -1 : start->body_count + SS_EXTERNAL - body;
  double local[3] = {0};
  ss_pose back = ss_pose_inverse(&pose);
  if (point) ss_pose_apply(&back, point, local);
  json_t *end = json_array();
  ssi_page_push(end, json_integer(object), failed);
  for (int k = 0; k < 3; k++) ssi_page_push(end, ssi_page_real(local[k]), failed);
  return end;
}

static void add_link(json_t *links, const char *kind, const char *name, json_t *a, json_t *b,
                     bool *failed) {
  json_t *o = json_object();
  ssi_page_put(o, "kind", json_string(kind), failed);
  ssi_page_put(o, "name", ssi_page_words(name), failed);
  ssi_page_put(o, "a", a, failed);
  ssi_page_put(o, "b", b, failed);
  ssi_page_push(links, o, failed);
}

// Springs, then dampers.
static const ss_spring *spring_at(const ss_scene *s, int k) {
  return k < s->spring_count ? &s->springs[k] : &s->dampers[k - s->spring_count];
}

json_t *ssi_links_json(const ss_scene *s, const ss_simulation *sim, bool *failed) {
  ss_sim_state start;
  ss_simulation_state(sim, &start);
  json_t *links = json_array();
  for (int k = 0; k < s->joint_count; k++) {
    const ss_joint *j = &s->joints[k];
    add_link(links, ss_joint_kind_name(j->kind), j->name, carried(&start, j->a, j->anchor, failed),
             carried(&start, j->b, j->anchor, failed), failed);
  }
  for (int k = 0; k < s->spring_count + s->damper_count; k++) {
    const ss_spring *e = spring_at(s, k);
    add_link(links, k < s->spring_count ? "spring" : "damper", e->name,
             carried(&start, e->a, e->at_a ? e->anchor_a : NULL, failed),
             carried(&start, e->b, e->at_b ? e->anchor_b : NULL, failed), failed);
  }
  for (int k = 0; k < s->bushing_count; k++) {
    const ss_bushing *e = &s->bushings[k];
    add_link(links, "bushing", e->name, carried(&start, e->a, e->frame.x, failed),
             carried(&start, e->b, e->frame.x, failed), failed);
  }
  return links;
}

static double size_of(const double *x, int count) {
  double sum = 0;
  for (int k = 0; k < count; k++) sum += x[k] * x[k];
  return sqrt(sum);
}

void ssi_link_load(const ss_scene *s, int link, const ss_run_frame *now, double h, double load[2]) {
  load[0] = load[1] = 0;
  if (link < s->joint_count) {
    if (!now->joint_impulse) return;
    const double *impulse = now->joint_impulse + 6 * (size_t)link;
    load[0] = size_of(impulse, 3) / h, load[1] = size_of(impulse + 3, 3) / h;
    return;
  }
  if (!now->element_force) return;
  int element = link - s->joint_count, springs = s->spring_count + s->damper_count;
  const double *force = now->element_force + 6 * (size_t)element;
  if (element >= springs)
    load[0] = size_of(force, s->dim), load[1] = size_of(force + s->dim, s->dim == 2 ? 1 : 3);
  else
    load[spring_at(s, element)->kind == SS_SPRING_TORSIONAL] = size_of(force, 3);
}
