// One engine, one scene: what it costs and how well it does.
#define _GNU_SOURCE
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "peer.h"

enum { MOST_CONTACTS = 16384, LOOKS = 250 };

double peer_cpu_s(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void *peer_take(size_t count, size_t size) {
  void *p = calloc(count ? count : 1, size);
  if (!p) abort();
  return p;
}

static double distance(const double *a, const double *b) {
  return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
              (a[2] - b[2]) * (a[2] - b[2]));
}

// Overlap of spheres with each other, the ground and the walls, from the positions alone.
static double sphere_overlap(const peer_scene *scene, const peer_state *s) {
  double worst = 0;
  for (int i = 0; i < scene->count; i++) {
    double radius = scene->bodies[i].half[0];
    worst = fmax(worst, radius - s[i].position[2]);
    for (int k = 0; k < 2 && scene->container > 0; k++)
      worst = fmax(worst, radius + fabs(s[i].position[k]) - scene->container);
    for (int j = 0; j < i; j++) {
      double reach = radius + scene->bodies[j].half[0];
      worst = fmax(worst, reach - distance(s[i].position, s[j].position));
    }
  }
  return worst;
}

static double energy(const peer_scene *scene, const peer_state *s) {
  double sum = 0;
  for (int i = 0; i < scene->count; i++) {
    const peer_body *b = &scene->bodies[i];
    double I[3][3];
    peer_inertia(b, s[i].rotation, I);
    for (int k = 0; k < 3; k++) {
      sum += 0.5 * b->mass * s[i].linear[k] * s[i].linear[k];
      sum -= b->mass * scene->gravity[k] * s[i].position[k];
      for (int j = 0; j < 3; j++) sum += 0.5 * I[k][j] * s[i].angular[k] * s[i].angular[j];
    }
  }
  return sum;
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *x, int n) {
  if (n == 0) return NAN;
  qsort(x, (size_t)n, sizeof *x, ascending);
  return x[n / 2];
}

typedef struct run {
  const peer_engine *engine;
  const peer_scene *scene;
  void *world;
  peer_state *states, *before;
  peer_contact *contacts;
  double *law, *law_late, *friction, *balance;
  int laws, late_laws;
  double lowest, settled;  // energy; where body 0 was after a second
  double time;
} run;

static void see(run *r, peer_state *s) {
  for (int i = 0; i < r->scene->count; i++) r->engine->state(r->world, i, &s[i]);
}

static bool is_late(const run *r) {
  return r->time > r->scene->duration - 1;
}

static void judge(run *r, int contacts) {
  peer_law law = peer_law_error(r->scene, r->before, r->states, r->contacts, contacts);
  if (!isfinite(law.whole)) return;
  r->balance[r->laws] = law.balance;
  r->law[r->laws] = law.whole, r->friction[r->laws++] = law.friction;
  if (is_late(r)) r->law_late[r->late_laws++] = law.whole;
}

// After a step; `judged`: the law is looked at too.
static void look(run *r, peer_outcome *out, bool judged) {
  see(r, r->states);
  int n = r->engine->contacts(r->world, r->contacts, MOST_CONTACTS), active = 0;
  for (int c = 0; c < n; c++) {
    const peer_contact *p = &r->contacts[c];
    active +=
        p->impulse[0] * p->normal[0] + p->impulse[1] * p->normal[1] + p->impulse[2] * p->normal[2] >
        0;
  }
  out->contacts += n, out->active += active;
  if (judged) judge(r, n);
  double now = energy(r->scene, r->states);
  r->lowest = fmin(r->lowest, now);
  out->gain = fmax(out->gain, now - r->lowest);
  out->energy[1] = now;
  if (r->scene->bodies[0].kind == PEER_SPHERE) {
    double overlap = sphere_overlap(r->scene, r->states);
    out->overlap = fmax(out->overlap, overlap);
    if (is_late(r)) out->late = fmax(out->late, overlap);
  }
  if (isnan(r->settled) && r->time >= 1 - r->scene->step / 2) r->settled = r->states[0].position[0];
}

static void conclude(run *r, peer_outcome *out, double seconds) {
  const peer_scene *scene = r->scene;
  double zero[3] = {0, 0, 0};
  for (int i = 0; i < scene->count; i++) {
    out->moved = fmax(out->moved, distance(r->states[i].position, scene->bodies[i].position));
    out->speed = fmax(out->speed, distance(r->states[i].linear, zero));
  }
  out->creep = fabs(r->states[0].position[0] - r->settled) / (r->time - 1);
  out->ms = 1e3 * seconds / out->steps;
  out->solve_ms = 1e3 * r->engine->solve_s(r->world) / out->steps;
  out->contacts /= out->steps, out->active /= out->steps;
  out->law = median(r->law, r->laws), out->friction = median(r->friction, r->laws);
  out->law_late = median(r->law_late, r->late_laws);
  out->balance = median(r->balance, r->laws);
  if (r->engine->unsolved) out->unsolved = r->engine->unsolved(r->world);
  if (r->late_laws == 0) out->late = NAN;
}

peer_outcome peer_measure(const peer_engine *engine, const peer_scene *scene, int most,
                          double limit) {
  int steps = (int)lround(scene->duration / scene->step), every = steps / LOOKS;
  if (every < 1) every = 1;
  if (most > 0 && steps > most) steps = most;
  size_t count = (size_t)scene->count, looks = (size_t)(steps / every + 2);
  run r = {.engine = engine, .scene = scene, .world = engine->create(scene), .settled = NAN};
  r.states = peer_take(count, sizeof *r.states), r.before = peer_take(count, sizeof *r.before);
  r.contacts = peer_take(MOST_CONTACTS, sizeof *r.contacts);
  r.law = peer_take(looks, sizeof *r.law), r.law_late = peer_take(looks, sizeof *r.law_late);
  r.friction = peer_take(looks, sizeof *r.friction);
  r.balance = peer_take(looks, sizeof *r.balance);
  double unknown = scene->bodies[0].kind == PEER_SPHERE ? 0 : NAN;  // boxes: see `moved`
  peer_outcome out = {.overlap = unknown, .late = unknown};
  double seconds = 0;
  see(&r, r.states);
  out.energy[0] = r.lowest = energy(scene, r.states);
  while (out.steps < steps && !(limit > 0 && seconds > limit)) {
    bool judged = ++out.steps % every == 0;
    if (judged) see(&r, r.before);
    double begin = peer_cpu_s();
    engine->step(r.world);
    seconds += peer_cpu_s() - begin;
    r.time = out.steps * scene->step;
    look(&r, &out, judged);
  }
  conclude(&r, &out, seconds);
  engine->destroy(r.world);
  free(r.states), free(r.before), free(r.contacts);
  free(r.law), free(r.law_late), free(r.friction), free(r.balance);
  return out;
}
