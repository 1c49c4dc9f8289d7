// A gripper with two fingers lifts a ball, by forces set between the steps.
//
// The palm slides up and down, the fingers slide in the palm, each with a motor. The fingers close with 12 N until the
// contacts say that both press on the ball with 10 N or more; then the palm goes up by 0.3 m in one second and stays.
// 0.3 s later the fingers open, and the ball falls. Nothing but friction (mu = 0.6) holds the ball of 1 kg.
// examples/gripper.py is the same.
#include <math.h>
#include <stdio.h>
#include <stickslip/stickslip.h>

#define FINGER "\"shape\": {\"kind\": \"box\", \"size\": [0.04, 0.08, 0.12]}, \"mass\": 0.2"
static const char scene_text[] =
    "{\"materials\": [{\"name\": \"m\", \"mu\": 0.6}],"
    " \"bodies\": [{\"name\": \"ball\", \"shape\": {\"kind\": \"sphere\", \"radius\": 0.1},"
    "   \"mass\": 1, \"position\": [0, 0, 0.1]},"
    "  {\"name\": \"left\", " FINGER ", \"position\": [-0.13, 0, 0.1]},"
    "  {\"name\": \"right\", " FINGER ", \"position\": [0.13, 0, 0.1]},"
    "  {\"name\": \"palm\", \"shape\": {\"kind\": \"box\", \"size\": [0.4, 0.1, 0.04]},"
    "   \"mass\": 0.6, \"position\": [0, 0, 0.3]}],"
    " \"joints\": [{\"kind\": \"slider\", \"a\": \"left\", \"b\": \"palm\", \"anchor\": [-0.13, 0, "
    "0.3],"
    "   \"axis\": [1, 0, 0]},"
    "  {\"kind\": \"slider\", \"a\": \"right\", \"b\": \"palm\", \"anchor\": [0.13, 0, 0.3],"
    "   \"axis\": [1, 0, 0]},"
    "  {\"kind\": \"slider\", \"a\": \"palm\", \"anchor\": [0, 0, 0.3], \"axis\": [0, 0, 1]}],"
    " \"externals\": [{\"shape\": {\"kind\": \"plane\"}}],"
    " \"stepping\": {\"step\": 0.005, \"duration\": 2}, \"solver\": {\"tol\": 1e-10}}";

enum { BALL, LEFT, RIGHT, PALM };
static const double GRIP = 12, LIFT = 0.3, WEIGHT = 9.81;
static const double MASS = 2;  // of palm, fingers and ball

// What the contacts measure: how hard a finger presses on the ball.
static double pressed(const ss_simulation *sim, int finger) {
  double force[3] = {0};
  ss_simulation_contact_force(sim, BALL, finger, force);
  return fabs(force[0]);
}

typedef struct grip {
  double lifted_at, opened_at;  // INFINITY: not yet
} grip;

static void decide(const ss_simulation *sim, const ss_sim_state *s, grip *g) {
  double left = pressed(sim, LEFT), right = pressed(sim, RIGHT);
  if (isinf(g->lifted_at) && fmin(left, right) >= 10) {
    g->lifted_at = s->time;
    printf("t = %.3f: both fingers press, the palm goes up\n", s->time);
  }
  if (isinf(g->opened_at) && s->time >= g->lifted_at + 1.3) {
    g->opened_at = s->time;
    double ball = s->pose[BALL].x[2], slipped = ball - (s->pose[PALM].x[2] - 0.2);
    printf("t = %.3f: the ball is %.3f m up, slipped by %.2f mm; ", s->time, ball - 0.1,
           1e3 * fabs(slipped));
    printf("pressed by %.2f and %.2f N: let go\n", left, right);
  }
}

static ss_error push(ss_simulation *sim, const ss_sim_state *s, const grip *g) {
  double share = fmin(fmax(s->time - g->lifted_at, 0), 1);
  double height = 0.3 + LIFT * share * share * (3 - 2 * share);
  double force = isinf(g->opened_at) ? GRIP : -GRIP / 10;
  double carried = isinf(g->opened_at) && isfinite(g->lifted_at) ? MASS : MASS - 1;
  double up = 400 * (height - s->pose[PALM].x[2]) - 60 * s->velocity[3 * PALM + 2];
  ss_error e = ss_simulation_set_load(sim, LEFT, (double[3]){force, 0, 0}, NULL);
  if (!e) e = ss_simulation_set_load(sim, RIGHT, (double[3]){-force, 0, 0}, NULL);
  return e ? e : ss_simulation_set_load(sim, PALM, (double[3]){0, 0, up + carried * WEIGHT}, NULL);
}

static ss_error lift(ss_simulation *sim) {
  grip g = {INFINITY, INFINITY};
  ss_sim_state s;
  ss_step_info info;
  for (ss_simulation_state(sim, &s); !ss_simulation_done(sim); ss_simulation_state(sim, &s)) {
    decide(sim, &s, &g);
    ss_error e = push(sim, &s, &g);
    if (!e) e = ss_simulation_step(sim, &info);
    if (e) return e;
    if (info.unsolved) return printf("t = %g: not solved\n", s.time), SS_OK;
  }
  printf("t = %.3f: the ball lies on the ground again, %.1f mm from where it was\n", s.time,
         1e3 * fabs(s.pose[BALL].x[2] - 0.1));
  return SS_OK;
}

int main(void) {
  ss_context ctx = {0};
  ss_scene *scene = NULL;
  ss_simulation *sim = NULL;
  ss_error e = ss_scene_parse(&ctx, "gripper", scene_text, sizeof scene_text - 1, &scene);
  if (!e) e = ss_simulation_create(&ctx, scene, &sim);
  if (!e) e = lift(sim);
  if (e) puts(ss_error_detail(&ctx, e));
  ss_simulation_destroy(sim);
  ss_scene_close(scene);
  return e != SS_OK;
}
