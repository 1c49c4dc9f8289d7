// An inverted pendulum on a cart that rubs on the ground, held up by a force on the cart.
//
// The pole (0.2 kg, 1 m) leans by 5 degrees; between two steps a controller reads where cart and pole are and sets the
// force: u = -(K . state), plus what friction takes away, in the direction in which it wants the cart to go. The ground
// is a contact with Coulomb's friction like any other: the cart sticks and slips. examples/pendulum.py is the same.
#include <math.h>
#include <stdio.h>
#include <stickslip/stickslip.h>
#include <string.h>

static const char scene_text[] =
    "{\"dim\": 2, \"materials\": [{\"name\": \"m\", \"mu\": 0.1}],"
    " \"bodies\": [{\"name\": \"cart\", \"shape\": {\"kind\": \"box\", \"size\": [0.6, 0.2]},"
    "   \"mass\": 1, \"position\": [0, 0.1]},"
    "  {\"name\": \"pole\", \"shape\": {\"kind\": \"box\", \"size\": [0.05, 1]}, \"mass\": 0.2,"
    "   \"position\": [%.17g, %.17g], \"rotation\": -5}],"
    " \"joints\": [{\"kind\": \"hinge\", \"a\": \"pole\", \"b\": \"cart\", \"anchor\": [0, 0.2]}],"
    " \"externals\": [{\"shape\": {\"kind\": \"plane\"}}],"
    " \"stepping\": {\"step\": 0.005, \"duration\": 10}, \"solver\": {\"tol\": 1e-10}}";

enum { CART, POLE };
static const double PI = 3.14159265358979323846;
static const double FRICTION = 0.1 * 1.2 * 9.81;  // mu times the weight of both

// x, x', lean, lean'
static void measure(const ss_simulation *sim, double state[4]) {
  ss_sim_state s;
  ss_simulation_state(sim, &s);
  state[0] = s.pose[CART].x[0];
  state[1] = s.velocity[3 * CART];
  state[2] = -2 * atan2(s.pose[POLE].q[3], s.pose[POLE].q[0]);
  state[3] = -s.spin[3 * POLE + 2];
}

static double control(const double state[4]) {
  // a linear quadratic regulator without friction
  static const double K[4] = {-3.1623, -4.6922, -44.3715, -10.9182};
  double u = 0;
  for (int i = 0; i < 4; i++) u -= K[i] * state[i];
  return u + FRICTION * tanh(u / 0.5);
}

static ss_error hold(ss_simulation *sim) {
  double state[4], most_lean = 0, most_way = 0, late_lean = 0;
  int unsolved = 0;
  ss_step_info info = {0};
  while (!ss_simulation_done(sim)) {
    measure(sim, state);
    ss_error e = ss_simulation_set_load(sim, CART, (double[3]){control(state), 0, 0}, NULL);
    if (!e) e = ss_simulation_step(sim, &info);
    if (e) return e;
    unsolved += info.unsolved;
    most_lean = fmax(most_lean, fabs(state[2]));
    most_way = fmax(most_way, fabs(state[0]));
    if (info.time > 8) late_lean = fmax(late_lean, fabs(state[2]));
  }
  printf("unsolved steps %d\n", unsolved);
  printf("leans by at most %.1f degrees, after 8 s by less than %.0f\n", most_lean * 180 / PI,
         floor(late_lean * 180 / PI) + 1);
  printf("the cart went less than %.0f dm\n", floor(10 * most_way) + 1);
  return SS_OK;
}

int main(void) {
  const double lean = 5 * PI / 180;
  char text[sizeof scene_text + 64];
  snprintf(text, sizeof text, scene_text, 0.5 * sin(lean), 0.2 + 0.5 * cos(lean));
  ss_context ctx = {0};
  ss_scene *scene = NULL;
  ss_simulation *sim = NULL;
  ss_error e = ss_scene_parse(&ctx, "pendulum", text, strlen(text), &scene);
  if (!e) e = ss_simulation_create(&ctx, scene, &sim);
  if (!e) e = hold(sim);
  if (e) puts(ss_error_detail(&ctx, e));
  ss_simulation_destroy(sim);
  ss_scene_close(scene);
  return e != SS_OK;
}
