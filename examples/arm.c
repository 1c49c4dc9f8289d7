// An arm with two servos puts its hand where it is told, by the targets of its joints set between the steps.
//
// Both links are 0.5 m long; a target for the hand becomes two angles, which the servos are led to within a second, with
// the rate that this takes. What is left of the way is what carries the weight: stiffness (target - angle) is the moment of
// the motor. The last place asks for more than the elbow can bend: it ends at its limit, and its motor presses there with
// all it has. examples/arm.py is the same.
#include <math.h>
#include <stdio.h>
#include <stickslip/stickslip.h>

#define BAR "\"shape\": {\"kind\": \"box\", \"size\": [0.5, 0.06]}"
#define SERVO                                                                                      \
  "\"motor\": {\"kind\": \"position\", \"target\": 0, \"stiffness\": 2000, \"damping\": 100,"      \
  " \"max_force\": 60}"
static const char scene_text[] =
    "{\"dim\": 2, \"materials\": [{\"name\": \"steel\", \"mu\": 0.3}],"
    " \"bodies\": [{\"name\": \"upper\", " BAR ", \"mass\": 2, \"position\": [0.25, 0]},"
    "  {\"name\": \"fore\", " BAR ", \"mass\": 1, \"position\": [0.75, 0]}],"
    " \"joints\": [{\"kind\": \"hinge\", \"a\": \"upper\", \"anchor\": [0, 0], " SERVO "},"
    "  {\"kind\": \"hinge\", \"a\": \"fore\", \"b\": \"upper\", \"anchor\": [0.5, 0],"
    "   \"low\": -2, \"high\": 2, " SERVO "}],"
    " \"stepping\": {\"step\": 0.005, \"duration\": 8}, \"solver\": {\"tol\": 1e-10}}";

enum { UPPER, FORE };
static const double LINK = 0.5, STIFFNESS = 2000;

// Of shoulder and elbow, which is bent downwards: the law of cosines.
static void angles_for(const double place[2], double out[2]) {
  double far = hypot(place[0], place[1]), bent = acos(far * far / (2 * LINK * LINK) - 1);
  out[0] = atan2(place[1], place[0]) + bent / 2;
  out[1] = -bent;
}

// Both joints on the way from where they are to where they should be, at one time of it.
static ss_error lead(ss_simulation *sim, const double start[2], const double goal[2], double part) {
  ss_error e = SS_OK;
  for (int k = 0; k < 2 && !e; k++) {
    double way = goal[k] - start[k];
    e = ss_simulation_set_target(sim, k, start[k] + way * part * part * (3 - 2 * part),
                                 way * 6 * part * (1 - part));
  }
  return e;
}

static void report(const ss_simulation *sim, const double place[2], const double goal[2],
                   const ss_sim_joint j[2]) {
  double hand[3] = {0}, first = j[0].coordinate;
  ss_simulation_point(sim, FORE, (double[3]){LINK / 2, 0, 0}, hand, NULL);
  printf("told (%.2f, %.2f), is at (%.3f, %.3f); ", place[0], place[1], hand[0], hand[1]);
  printf("motors %.3f and %.3f N m, 2000 times what is missing %.3f and %.3f\n", j[0].motor,
         j[1].motor, STIFFNESS * (goal[0] - first), STIFFNESS * (goal[1] - j[1].coordinate));
}

static ss_error joints(const ss_simulation *sim, ss_sim_joint j[2]) {
  ss_error e = ss_simulation_joint(sim, 0, j);
  return e ? e : ss_simulation_joint(sim, 1, j + 1);
}

static ss_error go_to(ss_simulation *sim, const double place[2], double goal[2],
                      ss_sim_joint j[2]) {
  ss_sim_state s;
  ss_step_info info;
  ss_error e = joints(sim, j);
  double start[2] = {j[0].coordinate, j[1].coordinate};
  ss_simulation_state(sim, &s);
  angles_for(place, goal);
  for (double begin = s.time; !e && s.time < begin + 2 - 1e-9; ss_simulation_state(sim, &s)) {
    e = lead(sim, start, goal, fmin(s.time - begin, 1));
    if (!e) e = ss_simulation_step(sim, &info);
    if (!e && info.unsolved) return printf("t = %g: not solved\n", s.time), SS_ERR_DATA;
  }
  if (!e) e = joints(sim, j);
  if (!e) report(sim, place, goal, j);
  return e;
}

int main(void) {
  static const double places[4][2] = {{0.8, 0.3}, {0.5, 0.6}, {0.7, -0.4}, {0.3, 0}};
  ss_context ctx = {0};
  ss_scene *scene = NULL;
  ss_simulation *sim = NULL;
  ss_sim_joint j[2] = {0};
  double goal[2] = {0};
  ss_error e = ss_scene_parse(&ctx, "arm", scene_text, sizeof scene_text - 1, &scene);
  if (!e) e = ss_simulation_create(&ctx, scene, &sim);
  for (int k = 0; k < 4 && !e; k++) e = go_to(sim, places[k], goal, j);
  if (e)
    puts(ss_error_detail(&ctx, e));
  else
    printf("elbow at %.6f, told %.3f: its limit holds with %.3f N m\n", j[1].coordinate, goal[1],
           j[1].limit);
  ss_simulation_destroy(sim);
  ss_scene_close(scene);
  return e != SS_OK;
}
