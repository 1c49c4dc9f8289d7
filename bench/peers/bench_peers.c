// bench_peers [options] [ENGINE...] - the same scenes in stickslip and in what people use instead: time
// per step, overlap, energy, creep, and the Coulomb-law error of each engine's own impulses.
//
//   beads-150, beads-300, beads-600   the built-in scenes (docs/scenes.md): each engine starts from the
//                                     same places and velocities; 5 s
//   slope   a box on a slope of 15 degrees, mu = 0.5, 5 s: speed after the first second
//   tower   20 cubes of 1 m, 10 s: how far the worst one moved
//   heavy   a cube of 1000 kg on one of 1 kg, 10 s: the same
//
//   --scenes A,B,...   some of them only           --h A,B,...     time steps (0.02,0.002)
//   --duration S       simulated                   --max-steps N   of each run
//   --limit S          CPU time of one run; it is then cut short and says so
//   --solver NAME, --tol X, --max-iter N, --solve-limit S, --option KEY=VALUE     of stickslip
//
// One thread, no sleeping, no output but the tables. Times are CPU times of whole steps, contact
// detection included.
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "peer.h"

static const peer_engine *const engines[] = {
#ifdef PEER_STICKSLIP
    &peer_stickslip,
#endif
#ifdef PEER_ODE
    &peer_ode,
#endif
#ifdef PEER_BULLET
    &peer_bullet,
    &peer_bullet2,
#endif
#ifdef PEER_MUJOCO
    &peer_mujoco,
#endif
    NULL};

enum { WORDS = 16 };

typedef struct words {
  char *word[WORDS];
  int count;
} words;

typedef struct bench {
  words scenes, steps, engines;
  double duration, limit;
  int max_steps;
} bench;

// ---- tables --------------------------------------------------------------------------------

static bool is_beads(const char *scene) {
  return strncmp(scene, "beads-", 6) == 0;
}

static void print_head(const char *scene, const peer_scene *s) {
  printf("\n%s: %d bod%s, mu = %g, e = %g, %g s\n\n", scene, s->count, s->count == 1 ? "y" : "ies",
         s->mu, s->restitution, s->duration);
  if (is_beads(scene))
    printf(
        "| engine    | h (s) | steps | ms/step (solve)    | contacts (active) | overlap mm, max / "
        "last s | %% of a radius | law, all / last s   | friction | energy J         | gain J  | "
        "speed m/s |\n"
        "|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  else
    printf(
        "| engine    | h (s) | steps | ms/step (solve)    | moved m  | creep m/s | law, all / last "
        "s  | friction | gain J  |\n|---|---|---|---|---|---|---|---|---|\n");
}

// A cell; "-" where there is nothing to say. `width` is that of the number.
static void cell(const char *format, int width, double x, const char *after) {
  if (isnan(x))
    printf("%*s", width, "-");
  else
    printf(format, width, x);
  fputs(after, stdout);
}

static void print_beads(const peer_scene *s, const peer_outcome *o) {
  double percent = 100 / s->bodies[0].half[0];
  printf("%8.0f (%6.0f) | ", o->contacts, o->active);
  cell("%*.3g", 12, 1e3 * o->overlap, " / ");
  cell("%*.2g", 8, 1e3 * o->late, " | ");
  cell("%*.3g", 5, percent * o->overlap, " / ");
  cell("%*.3g", 7, percent * o->late, " | ");
  cell("%*.1e", 8, o->law, " / ");
  cell("%*.1e", 7, o->law_late, " | ");
  cell("%*.1e", 8, o->friction, " | ");
  printf("%7.1f to %6.1f | %7.1e | %9.1e |", o->energy[0], o->energy[1], o->gain, o->speed);
}

static void print_blocks(const peer_outcome *o) {
  cell("%*.1e", 8, o->moved, " | ");
  cell("%*.1e", 9, o->creep, " | ");
  cell("%*.1e", 8, o->law, " / ");
  cell("%*.1e", 8, o->law_late, " | ");
  cell("%*.1e", 8, o->friction, " | ");
  printf("%7.1e |", o->gain);
}

static void print(const char *engine, const peer_scene *s, const peer_outcome *o) {
  int asked = (int)lround(s->duration / s->step);
  printf("| %-9s | %-5g | %5d | %8.3f (%7.3f) | ", engine, s->step, o->steps, o->ms, o->solve_ms);
  if (is_beads(s->name))
    print_beads(s, o);
  else
    print_blocks(o);
  if (o->unsolved) printf(" %d steps unsolved", o->unsolved);
  if (o->steps < asked) printf(" cut short at t = %g s", o->steps * s->step);
  if (o->balance > 1e-3) printf(" impulses and velocities disagree by %.1e", o->balance);
  printf("\n");
  fflush(stdout);
}

static void print_engines(void) {
  printf("stickslip: solver %s, tolerance %g", peer_ours.solver ? peer_ours.solver : "auto",
         peer_ours.tol);
  for (int k = 0; k < peer_ours.setting_count; k++)
    printf(", %s = %s", peer_ours.settings[k].key, peer_ours.settings[k].value);
  printf("\n");
  for (int k = 0; engines[k]; k++) printf("%s: %s\n", engines[k]->name, engines[k]->setting);
}

// ---- the command line ----------------------------------------------------------------------

static void usage(const char *what) {
  fprintf(stderr,
          "bench_peers: %s\nusage: bench_peers [--scenes A,B] [--h A,B] [--duration S] "
          "[--max-steps N] [--limit S]\n       [--solver NAME] [--tol X] [--max-iter N] "
          "[--solve-limit S] [--option KEY=VALUE] [ENGINE...]\n",
          what);
  exit(2);
}

static void split(char *text, words *out) {
  out->count = 0;
  for (char *word = strtok(text, ","); word; word = strtok(NULL, ",")) {
    if (out->count == WORDS) usage("too many words in a list");
    out->word[out->count++] = word;
  }
}

static double number(const char *text) {
  char *end;
  double x = strtod(text, &end);
  if (*end || end == text || !(x > 0) || !isfinite(x)) usage("expected a number > 0");
  return x;
}

static int count(const char *text) {
  double x = number(text);
  if (x > 1e9 || x != floor(x)) usage("expected a whole number");
  return (int)x;
}

static void add_setting(char *text) {
  char *equal = strchr(text, '=');
  int room = sizeof peer_ours.settings / sizeof peer_ours.settings[0];
  if (!equal || peer_ours.setting_count == room) usage("--option: expected KEY=VALUE, 16 at most");
  *equal = 0;
  peer_ours.settings[peer_ours.setting_count++] = (peer_setting){text, equal + 1};
}

static void read_option(bench *b, const char *name, char *value) {
  if (!value) usage("an option without its value");
  if (strcmp(name, "--scenes") == 0) return split(value, &b->scenes);
  if (strcmp(name, "--h") == 0) return split(value, &b->steps);
  if (strcmp(name, "--option") == 0) return add_setting(value);
  if (strcmp(name, "--duration") == 0)
    b->duration = number(value);
  else if (strcmp(name, "--limit") == 0)
    b->limit = number(value);
  else if (strcmp(name, "--max-steps") == 0)
    b->max_steps = count(value);
  else if (strcmp(name, "--solver") == 0)
    peer_ours.solver = value;
  else if (strcmp(name, "--tol") == 0)
    peer_ours.tol = number(value);
  else if (strcmp(name, "--max-iter") == 0)
    peer_ours.max_iter = count(value);
  else if (strcmp(name, "--solve-limit") == 0)
    peer_ours.time_limit_s = number(value);
  else
    usage("unknown option");
}

static bool wanted(const bench *b, const char *engine) {
  for (int k = 0; k < b->engines.count; k++)
    if (strcasecmp(b->engines.word[k], engine) == 0) return true;
  return b->engines.count == 0;
}

static void run_scene(const bench *b, const char *name) {
  peer_scene scene;
  if (!peer_scene_build(name, &scene)) usage("unknown scene");
  if (b->duration > 0) scene.duration = b->duration;
  print_head(name, &scene);
  for (int h = 0; h < b->steps.count; h++)
    for (int k = 0; engines[k]; k++) {
      if (!wanted(b, engines[k]->name)) continue;
      scene.step = number(b->steps.word[h]);
      peer_outcome o = peer_measure(engines[k], &scene, b->max_steps, b->limit);
      print(engines[k]->name, &scene, &o);
    }
  free(scene.bodies);
}

int main(int argc, char **argv) {
  static char scenes[] = "beads-150,beads-300,beads-600,slope,tower,heavy", steps[] = "0.02,0.002";
  bench b = {0};
  split(scenes, &b.scenes);
  split(steps, &b.steps);
  for (int i = 1; i < argc; i++) {
    if (argv[i][0] == '-') {
      read_option(&b, argv[i], argv[i + 1]);
      i++;
      continue;
    }
    bool known = false;
    for (int k = 0; engines[k]; k++) known |= strcasecmp(argv[i], engines[k]->name) == 0;
    if (!known || b.engines.count == WORDS) usage("unknown engine");
    b.engines.word[b.engines.count++] = argv[i];
  }
  print_engines();
  for (int k = 0; k < b.scenes.count; k++) run_scene(&b, b.scenes.word[k]);
  return 0;
}
