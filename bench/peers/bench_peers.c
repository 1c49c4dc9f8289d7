// bench_peers [ENGINE...] [--beads N] - the same four scenes in stickslip and in what people use instead:
// time per step, penetration, creep, energy, and the Coulomb-law error of each engine's own impulses.
//
//   beads   N spheres (600) of radius 0.05 m and 2500 kg/m^3 dropped into a box 0.8 m wide, mu = 0.3, 5 s
//   slope   a box on a slope of 15 degrees, mu = 0.5: speed over the last 4 of 5 s
//   tower   20 cubes of 1 m, 10 s: how far the worst one moved
//   heavy   a cube of 1000 kg on one of 1 kg, 10 s: the same
//
// One thread, no restitution (MuJoCo has no coefficient), no sleeping. Times are CPU time.
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "peer.h"

static const peer_engine *const engines[] = {
#ifdef PEER_STICKSLIP
    &peer_stickslip,
#endif
#ifdef PEER_ODE
    &peer_ode,
#endif
#ifdef PEER_MUJOCO
    &peer_mujoco,
#endif
#ifdef PEER_BULLET
    &peer_bullet,
#endif
    NULL};

enum { MOST_CONTACTS = 16384 };

typedef struct outcome {
  double ms_per_step, contacts;  // means over the run
  double penetration, late;      // m: largest, and over the last second
  double law, law_late;          // error of Coulomb's law: medians over the run, the last second
  double energy[2];              // J: first, last
  double moved, speed;           // largest displacement, m; mean speed after the first second
} outcome;

static double cpu_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
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
    for (int k = 0; k < 3; k++) {
      sum += 0.5 * b->mass * s[i].linear[k] * s[i].linear[k];
      sum -= b->mass * scene->gravity[k] * s[i].position[k];
      if (b->kind == PEER_SPHERE)
        sum += 0.2 * b->mass * b->half[0] * b->half[0] * s[i].angular[k] * s[i].angular[k];
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

static void *take(size_t count, size_t size) {
  void *p = calloc(count ? count : 1, size);
  if (!p) abort();
  return p;
}

typedef struct run {
  const peer_engine *engine;
  const peer_scene *scene;
  void *world;
  peer_state *states, *before;
  peer_contact *contacts;
  double *law, *law_late;
  int laws, late_laws;
} run;

static void look(run *r, outcome *out, double time) {
  const peer_scene *scene = r->scene;
  bool last_second = time > scene->duration - 1;
  for (int i = 0; i < scene->count; i++) r->engine->state(r->world, i, &r->states[i]);
  int n = r->engine->contacts(r->world, r->contacts, MOST_CONTACTS);
  double law = peer_law_error(scene, r->before, r->states, r->contacts, n);
  if (isfinite(law)) {
    r->law[r->laws++] = law;
    if (last_second) r->law_late[r->late_laws++] = law;
  }
  double overlap = scene->bodies[0].kind == PEER_SPHERE ? sphere_overlap(scene, r->states) : NAN;
  out->penetration = fmax(out->penetration, overlap);
  if (last_second) out->late = fmax(out->late, overlap);
}

static outcome simulate(const peer_engine *engine, const peer_scene *scene) {
  int steps = (int)lround(scene->duration / scene->step), every = steps > 250 ? steps / 250 : 1;
  size_t looks = (size_t)(steps / every + 2);
  run r = {.engine = engine, .scene = scene, .world = engine->create(scene)};
  r.states = take((size_t)scene->count, sizeof *r.states);
  r.before = take((size_t)scene->count, sizeof *r.before);
  r.contacts = take(MOST_CONTACTS, sizeof *r.contacts);
  r.law = take(looks, sizeof *r.law), r.law_late = take(looks, sizeof *r.law_late);
  double unknown = scene->bodies[0].kind == PEER_SPHERE ? 0 : NAN;  // boxes: see `moved`
  outcome out = {.penetration = unknown, .late = unknown};
  double contacts = 0, seconds = 0, settled = NAN;
  for (int i = 0; i < scene->count; i++) engine->state(r.world, i, &r.states[i]);
  out.energy[0] = energy(scene, r.states);
  for (int k = 1; k <= steps; k++) {
    for (int i = 0; k % every == 0 && i < scene->count; i++)
      engine->state(r.world, i, &r.before[i]);
    double begin = cpu_seconds();
    engine->step(r.world);
    seconds += cpu_seconds() - begin;
    contacts += engine->contacts(r.world, r.contacts, MOST_CONTACTS);
    if (k % every == 0) look(&r, &out, k * scene->step);
    if (k == (int)lround(1 / scene->step)) {
      engine->state(r.world, 0, &r.states[0]);
      settled = r.states[0].position[0];
    }
  }
  for (int i = 0; i < scene->count; i++) {
    engine->state(r.world, i, &r.states[i]);
    out.moved = fmax(out.moved, distance(r.states[i].position, scene->bodies[i].position));
  }
  out.energy[1] = energy(scene, r.states);
  out.speed = fabs(r.states[0].position[0] - settled) / (scene->duration - 1);
  out.ms_per_step = 1e3 * seconds / steps, out.contacts = contacts / steps;
  out.law = median(r.law, r.laws), out.law_late = median(r.law_late, r.late_laws);
  engine->destroy(r.world);
  free(r.states), free(r.before), free(r.contacts), free(r.law), free(r.law_late);
  return out;
}

// ---- scenes --------------------------------------------------------------------------------

// A grid with a small repeatable disorder, so that no engine falls along an axis of symmetry.
static void drop_beads(peer_scene *s, int count) {
  double radius = 0.05, pitch = 2.4 * radius;
  int side = 6;
  s->count = count, s->bodies = take((size_t)count, sizeof *s->bodies);
  s->container = 0.4, s->mu = 0.3, s->duration = 5;
  unsigned state = 12345;
  for (int i = 0; i < count; i++) {
    peer_body *b = &s->bodies[i];
    b->kind = PEER_SPHERE, b->half[0] = b->half[1] = b->half[2] = radius;
    b->mass = 2500 * 4.0 / 3.0 * acos(-1) * radius * radius * radius;
    int cell[3] = {i % side, i / side % side, i / (side * side)};
    for (int k = 0; k < 3; k++) {
      state = state * 1664525u + 1013904223u;
      double jitter = ((double)(state >> 8) / 16777216.0 - 0.5) * 0.1 * radius;
      b->position[k] = (k < 2 ? cell[k] - 0.5 * (side - 1) : cell[k] + 1) * pitch + jitter;
    }
  }
}

static void stack(peer_scene *s, int count, const double *masses, double half) {
  s->count = count, s->bodies = take((size_t)count, sizeof *s->bodies);
  s->mu = 0.5, s->duration = 10;
  for (int i = 0; i < count; i++) {
    peer_body *b = &s->bodies[i];
    b->kind = PEER_BOX, b->half[0] = b->half[1] = b->half[2] = half;
    b->mass = masses ? masses[i] : 1000 * 8 * half * half * half;
    b->position[2] = (2 * i + 1) * half;
  }
}

static void slope(peer_scene *s) {
  double angle = 15 * acos(-1) / 180;
  stack(s, 1, NULL, 0.5);
  s->duration = 5;
  s->gravity[0] = 9.81 * sin(angle), s->gravity[2] = -9.81 * cos(angle);
}

static void build(peer_scene *s, const char *name, int beads) {
  static const double heavy[] = {1, 1000};
  *s = (peer_scene){.name = name, .gravity = {0, 0, -9.81}};
  if (strcmp(name, "beads") == 0) drop_beads(s, beads);
  if (strcmp(name, "slope") == 0) slope(s);
  if (strcmp(name, "tower") == 0) stack(s, 20, NULL, 0.5);
  if (strcmp(name, "heavy") == 0) stack(s, 2, heavy, 0.5);
}

static void print(const peer_engine *e, const peer_scene *s, const outcome *o) {
  printf("%-6s %-10s %6g %9.3f %8.0f %10.2e %10.2e %9.1e %9.1e %11.4g %11.4g %9.1e %9.1e\n",
         s->name, e->name, s->step, o->ms_per_step, o->contacts, o->penetration, o->late, o->law,
         o->law_late, o->energy[0], o->energy[1], o->moved, o->speed);
  fflush(stdout);
}

static bool wanted(const char *name, int argc, char **argv) {
  bool any = false;
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--beads") == 0) {
      i++;
      continue;
    }
    any = true;
    if (strcmp(argv[i], name) == 0) return true;
  }
  return !any;
}

int main(int argc, char **argv) {
  static const char *const scenes[] = {"beads", "slope", "tower", "heavy"};
  static const double steps[] = {0.02, 0.002};
  int beads = 600;
  for (int i = 1; i + 1 < argc; i++)
    if (strcmp(argv[i], "--beads") == 0) beads = atoi(argv[i + 1]);
  for (int k = 0; engines[k]; k++) printf("%s: %s\n", engines[k]->name, engines[k]->setting);
  printf("%-6s %-10s %6s %9s %8s %10s %10s %9s %9s %11s %11s %9s %9s\n", "scene", "engine", "h s",
         "ms/step", "contacts", "overlap m", "last s", "law", "last s", "energy J", "at end",
         "moved m", "creep m/s");
  for (size_t n = 0; n < sizeof scenes / sizeof scenes[0]; n++)
    for (int h = 0; h < 2; h++)
      for (int k = 0; engines[k]; k++) {
        if (!wanted(engines[k]->name, argc, argv)) continue;
        peer_scene s;
        build(&s, scenes[n], beads);
        s.step = steps[h];
        outcome o = simulate(engines[k], &s);
        print(engines[k], &s, &o);
        free(s.bodies);
      }
  return 0;
}
