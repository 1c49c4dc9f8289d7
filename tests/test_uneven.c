// Bodies whose mass is not spread over their shape evenly, and bodies that touch nothing.
#include "scene_run.h"

#define HEAD                                                                                       \
  "'materials':[{'name':'m','mu':0.5}],'stepping':{'step':%g,'duration':10,'theta':0.5},'solver':" \
  "{'tol':1e-12},"

// A box as a hull that stands askew, with the tensor seen from there: the same motion as that of the box, thrown and
// spinning about no principal axis, until it has bounced and slid on a plane.
static void test_tensor_given_is_that_of_the_shape(void **state) {
  (void)state;
  // the hull's frame: the box's, turned about z by 90 degrees and moved by (1, 2, 3)
  run even =
      begin("{" HEAD "'externals':[{'shape':{'kind':'plane'}}],"
            "'bodies':[{'mass':2,'shape':{'kind':'box','size':[0.2,0.4,0.6]},'position':[0,0,0.5],"
            "'velocity':[1,0.5,0],'spin':[1,2,3]}]}",
            2e-3);
  double x = 0.2, y = 0.4, z = 0.6, m = 2;
  double xx = m * (y * y + z * z) / 12, yy = m * (x * x + z * z) / 12,
         zz = m * (x * x + y * y) / 12;
  run given = begin("{" HEAD "'externals':[{'shape':{'kind':'plane'}}],"
                    "'bodies':[{'mass':2,'shape':{'kind':'compound','parts':[{'shape':{'kind':'box'"
                    ",'size':[0.2,0.4,0.6]},"
                    "'position':[1,2,3],'rotation':{'axis':[0,0,1],'degrees':90}}]},"
                    "'centre':[1,2,3],'inertia':[%.17g,%.17g,%.17g,0,0,0],"
                    "'position':[-2,1,-2.5],'rotation':{'axis':[0,0,1],'degrees':-90},"
                    "'velocity':[1,0.5,0],'spin':[1,2,3]}]}",
                    2e-3, yy, xx, zz);
  for (int k = 0; k < 500; k++) {
    solved_step(&even), solved_step(&given);
    if (k > 250) continue;  // then they have tumbled on corners, and rounding has grown
    for (int i = 0; i < 3; i++) assert_near(even.s.pose[0].x[i], given.s.pose[0].x[i], 1e-9);
  }
  end(&even), end(&given);
}

// A tensor that is not diagonal: the spin of a free body keeps the moment of momentum and the energy, in any axes.
static void test_products_of_inertia(void **state) {
  (void)state;
  run r =
      begin("{" HEAD "'gravity':[0,0,0],'bodies':[{'mass':3,'shape':{'kind':'sphere','radius':0.1},"
            "'centre':[0.02,0,0],'inertia':[0.05,0.06,0.07,0.01,-0.005,0.004],'spin':[1,2,0.5]}]}",
            1e-2);
  ss_sim_body b;
  assert_int_equal(ss_simulation_body(r.sim, 0, &b), SS_OK);
  // invariants of the tensor: trace, determinant
  assert_near(b.inertia[0] + b.inertia[1] + b.inertia[2], 0.18, 1e-15);
  double det = 0.05 * (0.06 * 0.07 - 0.004 * 0.004) - 0.01 * (0.01 * 0.07 + 0.004 * 0.005) -
               0.005 * (0.01 * 0.004 + 0.06 * 0.005);
  assert_near(b.inertia[0] * b.inertia[1] * b.inertia[2], det, 1e-15);
  // at the start: I w . w / 2
  double w[3] = {1, 2, 0.5};
  double I[9] = {0.05, 0.01, -0.005, 0.01, 0.06, 0.004, -0.005, 0.004, 0.07}, kinetic = 0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) kinetic += w[i] * I[3 * i + j] * w[j] / 2;
  assert_near(energy(&r), kinetic, 1e-14);
  for (int k = 0; k < 300; k++) solved_step(&r);
  assert_near(energy(&r), kinetic, 1e-10);
  end(&r);
}

// A pendulum whose mass is not where its shape is: the period of small swings, 2 pi sqrt((I + m l^2)/(m g l)).
static void test_pendulum_of_a_centre_off_the_shape(void **state) {
  (void)state;
  double m = 2, l = 0.3, I = 0.05, h = 1e-3;
  run r = begin("{" HEAD "'bodies':[{'name':'bob','mass':%g,'shape':{'kind':'sphere','radius':0.05}"
                         ",'position':[0,0,-1],"
                "'centre':[0.001,0,0.7],'inertia':[0.05,0.05,0.05,0,0,0]}],"
                "'joints':[{'kind':'hinge','a':'bob','anchor':[0,0,0],'axis':[0,1,0]}]}",
                h, m);
  assert_near(r.s.pose[0].x[2], -l, 1e-15);
  double period = 2 * PI * sqrt((I + m * l * l) / (m * G * l)), crossed = 0, before = 0.001;
  for (int k = 1; k <= 2000 && crossed == 0; k++, before = r.s.pose[0].x[0]) {
    solved_step(&r);
    double now = r.s.pose[0].x[0];
    if (now < 0) crossed = h * (k - 1 + before / (before - now));
  }
  assert_near(crossed, period / 4, 1e-4 * period);
  end(&r);
}

static void test_ghosts_touch_nothing(void **state) {
  (void)state;
  run r = begin("{" HEAD "'externals':[{'shape':{'kind':'plane'}}],'bodies':["
                "{'shape':{'kind':'sphere','radius':0.1},'position':[0,0,0.2],'collide':false},"
                "{'shape':{'kind':'sphere','radius':0.1},'position':[1,0,0.2]}]}",
                1e-2);
  for (int k = 0; k < 100; k++) solved_step(&r);
  assert_near(r.s.pose[0].x[2], 0.2 - G / 2, 0.1);
  assert_near(r.s.pose[1].x[2], 0.1, 1e-3);
  end(&r);
}

static void expect_refused(const char *body, const char *message) {
  char text[1000];
  snprintf(
      text, sizeof text,
      "{"
      "\"materials\":[{\"name\":\"m\",\"mu\":0.5}],\"stepping\":{\"step\":0.01,\"duration\":1},"
      "\"bodies\":[{\"shape\":{\"kind\":\"sphere\",\"radius\":1},%s}]}",
      body);
  ss_scene *scene = NULL;
  assert_int_not_equal(ss_scene_parse(&ctx, "s", text, strlen(text), &scene), SS_OK);
  if (!strstr(ctx.message, message)) fail_msg("%s: %s", body, ctx.message);
}

static void test_what_is_no_body(void **state) {
  (void)state;
  expect_refused("\"centre\":[0,0,0]", "/bodies/0/inertia: missing");
  expect_refused("\"centre\":[0,0,0],\"inertia\":[1,1,1,0,0,0]", "/bodies/0/mass: missing");
  expect_refused("\"mass\":1,\"centre\":[0,0,0],\"inertia\":[1,1,1]", "/bodies/0/inertia");
  expect_refused("\"mass\":1,\"centre\":[0,0,0],\"inertia\":[1,1,1,2,0,0]", "principal moments");
  expect_refused("\"mass\":1,\"centre\":[0,0,0],\"inertia\":[1,1,3,0,0,0]", "larger than the sum");
  expect_refused("\"collide\":1", "/bodies/0/collide: expected true or false");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_tensor_given_is_that_of_the_shape),
      cmocka_unit_test(test_products_of_inertia),
      cmocka_unit_test(test_pendulum_of_a_centre_off_the_shape),
      cmocka_unit_test(test_ghosts_touch_nothing),
      cmocka_unit_test(test_what_is_no_body),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
