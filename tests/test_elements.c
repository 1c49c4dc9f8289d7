// Springs, dampers and bushings at an instant and over a step, against derivatives by differences and conservation.
#include "dynamics/scene/elements.h"

#include "base/rng.h"
#include "dynamics/quaternion.h"
#include "la/vec3.h"
#include "scene_text.h"

static ss_context ctx;

// ---- worlds -----------------------------------------------------------------------------------

typedef struct place {  // a world, and bodies somewhere in it
  ss_scene *scene;
  ssi_arena arena;
  ssi_world w;
  ss_pose *pose;
  double *v, *force;
} place;

#define BOX            "{'kind':'box','size':[1,0.7,0.4]}"
#define BODY(name, at) "{'name':'" name "','shape':" BOX ",'mass':2,'position':" at "}"
static const char *const three =
    "{'materials':[{'name':'m','mu':0.5}],'bodies':[" BODY("a", "[0,0,0]") "," BODY(
        "b",
        "[2,1,0.5]") "],'externals':[{'name':'e','shape':" BOX
                     ",'position':[-2,0,1],'motion':{'kind':'harmonic','amplitude':[0.3,0.1,-0.2],"
                     "'swing':[0.4,0.2,-0.3],'frequency':0.7,'phase':0.4}}],'stepping':{'step':0."
                     "01,'duration':1},%s}";

static ss_scene *written(const char *format, ...) {
  va_list list;
  va_start(list, format);
  ss_scene *scene = scene_from(&ctx, format, list);
  va_end(list);
  return scene;
}

static place make(const char *elements) {
  place p = {0};
  p.scene = written(three, elements);
  p.arena.ctx = &ctx;
  if (ssi_world_create(&ctx, p.scene, &p.arena, &p.w)) fail_msg("%s", ctx.message);
  p.pose = SSI_TAKE(&p.arena, p.w.nb, ss_pose);
  p.v = SSI_TAKE(&p.arena, p.w.ndof, double);
  p.force = SSI_TAKE(&p.arena, p.w.ndof, double);
  for (int i = 0; i < p.w.nb; i++) p.pose[i] = p.w.body[i].start;
  return p;
}

static void drop(place *p) {
  ssi_shapes_release(&ctx, &p->w.shapes);
  ssi_arena_release(&p->arena);
  ss_scene_close(p->scene);
}

static void scatter(place *p, ssi_rng *g, double far) {
  for (int i = 0; i < p->w.nb; i++) {
    double turn[3];
    p->pose[i] = p->w.body[i].start;
    for (int k = 0; k < 3; k++) {
      p->pose[i].x[k] += far * (2 * ssi_rng_uniform(g) - 1);
      turn[k] = far * (2 * ssi_rng_uniform(g) - 1);
    }
    ssi_quat_cayley(p->pose[i].q, turn);
  }
  for (int k = 0; k < p->w.ndof; k++) p->v[k] = (2 * ssi_rng_uniform(g) - 1);
}

static double potential(const place *p, double t) {
  double *none = ssi_alloc(NULL, (size_t)p->w.ndof, sizeof(double));
  ssi_elements_sum sum;
  ssi_elements_at(&p->w, t, p->pose, p->v, NULL, none, &sum);
  ssi_release(NULL, none);
  return sum.potential;
}

// Body i by d along its dof k: positions in world axes, rotations in its own.
static void nudge(place *p, int i, int k, double d) {
  if (k < 3) {
    p->pose[i].x[k] += d;
    return;
  }
  double turn[3] = {0};
  turn[k - 3] = d;
  ssi_quat_cayley(p->pose[i].q, turn);
}

static const char *const kinds[] = {
    "'springs':[{'a':'a','b':'b','anchor_a':[0.4,0.3,0.1],'anchor_b':[1.8,1.2,0.4],'stiffness':30,'"
    "rest_length':0.7}]",
    "'springs':[{'a':'a','b':'e','anchor_a':[0.4,0.3,0.1],'stiffness':30,'rest_length':0}]",
    "'springs':[{'a':'b','anchor_b':[1,2,3],'table':[[-1,-3],[0,0],[0.5,2],[1,8]],'rest_length':1."
    "5}]",
    "'springs':[{'kind':'torsional','a':'a','b':'b','axis':[0.3,1,-0.2],'stiffness':5,'rest_angle':"
    "0.3}]",
    "'springs':[{'kind':'torsional','a':'a','b':'e','axis':[0,0,1],'stiffness':5}]",
    "'bushings':[{'a':'a','b':'b','anchor':[1,0.5,0.2],'rotation':{'axis':[1,2,3],'degrees':40},"
    "'stiffness':[10,20,5],'rotational_stiffness':[3,2,4]}]",
    "'bushings':[{'a':'a','b':'e','anchor':[1,0.5,0.2],'stiffness':[10,20,5],'rotational_stiffness'"
    ":[3,2,4]}]"};
enum { KINDS = sizeof kinds / sizeof *kinds };

// F = -dU/dq, by central differences.
static void test_forces_are_the_gradient_of_the_potential(void **state) {
  (void)state;
  const double d = 1e-5;
  for (int kind = 0; kind < KINDS; kind++) {
    place p = make(kinds[kind]);
    ssi_rng g = {7};
    for (int n = 0; n < 20; n++) {
      ssi_elements_sum sum;
      scatter(&p, &g, 0.8);
      memset(p.force, 0, sizeof(double) * (size_t)p.w.ndof);
      ssi_elements_at(&p.w, 0.3, p.pose, p.v, NULL, p.force, &sum);
      assert_near(sum.lost, 0, 0);
      for (int i = 0; i < p.w.ndof; i++) {
        ss_pose keep = p.pose[i / 6];
        nudge(&p, i / 6, i % 6, d);
        double up = potential(&p, 0.3);
        p.pose[i / 6] = keep;
        nudge(&p, i / 6, i % 6, -d);
        double down = potential(&p, 0.3);
        p.pose[i / 6] = keep;
        assert_near(p.force[i], -(up - down) / (2 * d), 1e-7 * (1 + fabs(p.force[i])));
      }
    }
    drop(&p);
  }
}

// U' = -F . v + (power of imposed motions), along the motion.
static void test_power_of_imposed_motions(void **state) {
  (void)state;
  const double d = 1e-5, t = 0.3;
  for (int kind = 0; kind < KINDS; kind++) {
    place p = make(kinds[kind]);
    ssi_rng g = {11};
    for (int n = 0; n < 20; n++) {
      ssi_elements_sum sum;
      double U[2], power = 0;
      scatter(&p, &g, 0.8);
      ss_pose keep[2] = {p.pose[0], p.pose[1]};
      memset(p.force, 0, sizeof(double) * (size_t)p.w.ndof);
      ssi_elements_at(&p.w, t, p.pose, p.v, NULL, p.force, &sum);
      for (int end = 0; end < 2; end++) {
        double by = end ? d : -d;
        for (int i = 0; i < 2; i++) {
          double turn[3];
          p.pose[i] = keep[i];
          for (int k = 0; k < 3; k++) {
            p.pose[i].x[k] += by * p.v[6 * i + k];
            turn[k] = by * p.v[6 * i + 3 + k];
          }
          ssi_quat_cayley(p.pose[i].q, turn);
        }
        U[end] = potential(&p, t + by);
      }
      for (int i = 0; i < p.w.ndof; i++) power -= p.force[i] * p.v[i];
      assert_near((U[1] - U[0]) / (2 * d), power + sum.external, 1e-7 * (1 + fabs(power)));
    }
    drop(&p);
  }
}

// Neither a force nor a moment on the two bodies together: dampers and tables too.
static void test_action_is_reaction(void **state) {
  (void)state;
  const char *const internal[] = {kinds[0], kinds[3], kinds[5],
                                  "'dampers':[{'a':'a','b':'b','damping':3},{'kind':'torsional','a'"
                                  ":'a','b':'b','axis':[1,1,0],'table':[[-1,-2],[1,3]]}],"
                                  "'bushings':[{'a':'a','b':'b','anchor':[1,0.5,0.2],'damping':[1,"
                                  "2,3],'rotational_damping':[3,2,1]}]"};
  for (int kind = 0; kind < 4; kind++) {
    place p = make(internal[kind]);
    ssi_rng g = {3};
    for (int n = 0; n < 50; n++) {
      double force[3] = {0}, moment[3] = {0}, R[9], turned[3], arm[3];
      ssi_elements_sum sum;
      scatter(&p, &g, 1.5);
      memset(p.force, 0, sizeof(double) * (size_t)p.w.ndof);
      ssi_elements_at(&p.w, 0, p.pose, p.v, NULL, p.force, &sum);
      for (int i = 0; i < 2; i++) {
        const double *F = p.force + 6 * (size_t)i;
        ss_rotation(p.pose[i].q, R);
        ssi_rotate3(R, F + 3, turned);
        ssi_cross3(p.pose[i].x, F, arm);
        for (int k = 0; k < 3; k++) force[k] += F[k], moment[k] += turned[k] + arm[k];
      }
      for (int k = 0; k < 3; k++) {
        assert_near(force[k], 0, 1e-12);
        assert_near(moment[k], 0, 1e-11);
      }
      assert_true(sum.lost >= 0);
    }
    drop(&p);
  }
}

static void differentiate(place *p, const ssi_action *act, bool by_velocity, double d,
                          double *worst) {
  for (int j = 0; j < p->w.ndof; j++) {
    double F[2][12] = {{0}};
    ss_pose keep = p->pose[j / 6];
    double v = p->v[j];
    for (int end = 0; end < 2; end++) {
      ssi_elements_sum sum;
      if (by_velocity)
        p->v[j] = v + (end ? d : -d);
      else
        nudge(p, j / 6, j % 6, end ? d : -d);
      ssi_elements_at(&p->w, 0, p->pose, p->v, NULL, F[end], &sum);
      p->pose[j / 6] = keep;
      p->v[j] = v;
    }
    for (int i = 0; i < p->w.ndof; i++) {
      double block[36];
      ssi_action_block(&p->w, act, by_velocity ? act->damping : act->stiffness, i / 6, j / 6,
                       block);
      double found = -(F[1][i] - F[0][i]) / (2 * d), given = block[6 * (i % 6) + j % 6];
      *worst = fmax(*worst, fabs(found - given));
    }
  }
}

// dF/dv is B^T S B exactly; dF/dq is where the rows turn with nothing but the spring itself: ends in the centres.
static void test_stiffness_and_damping(void **state) {
  (void)state;
  place p =
      make("'springs':[{'a':'a','b':'b','anchor_a':[0.4,0.3,0.1],'stiffness':3,'damping':7}]");
  place q = make("'springs':[{'a':'a','b':'b','stiffness':3,'rest_length':0.3}]");
  place b = make("'bushings':[{'a':'a','b':'b','anchor':[1,0.5,0.2],'damping':[1,2,3],"
                 "'rotational_damping':[3,2,1]}]");
  ssi_rng g = {5};
  for (int n = 0; n < 20; n++) {
    place *const all[] = {&p, &b, &q};
    for (int k = 0; k < 3; k++) {
      place *each = all[k];
      double worst = 0;
      ssi_action act;
      scatter(each, &g, 0.5);
      ssi_span here = {.from = each->pose, .to = each->pose};
      ssi_element_act(&each->w, each->w.element, &here, each->v, 1, NULL, false, &act);
      differentiate(each, &act, k < 2, 1e-5, &worst);
      assert_near(worst, 0, 1e-7);
    }
  }
  drop(&p);
  drop(&q);
  drop(&b);
}

// Over a step of any size: h F . v = -(U_1 - U_0) - lost - numerical + h T . given, and numerical >= 0.
static void test_work_over_a_step_is_exact(void **state) {
  (void)state;
  for (int kind = 0; kind < KINDS; kind++)
    for (int half = 0; half < 2; half++) {
      place p = make(kinds[kind]);
      ssi_rng g = {13};
      for (int n = 0; n < 30; n++) {
        const double h = n % 3 == 0 ? 1e-3 : n % 3 == 1 ? 0.1 : 0.7, t = 0.2;
        ss_pose to[2];
        ssi_action begin, act;
        scatter(&p, &g, 0.6);
        for (int i = 0; i < 2; i++) {
          double turn[3];
          to[i] = p.pose[i];
          for (int k = 0; k < 3; k++) {
            to[i].x[k] += h * p.v[6 * i + k];
            turn[k] = h * p.v[6 * i + 3 + k];
          }
          ssi_quat_cayley(to[i].q, turn);
        }
        ssi_span here = {.from = p.pose, .to = p.pose, .begin = t};
        ssi_span across = {.from = p.pose, .to = to, .begin = t, .h = h};
        ssi_element_act(&p.w, p.w.element, &here, p.v, 1, NULL, false, &begin);
        ssi_element_act(&p.w, p.w.element, &across, p.v, half ? 0.5 : 1, NULL, false, &act);
        memset(p.force, 0, sizeof(double) * (size_t)p.w.ndof);
        ssi_action_force(&p.w, &act, h, p.force);
        double work = 0, given = 0;
        for (int i = 0; i < p.w.ndof; i++) work += p.force[i] * p.v[i];
        for (int m = 0; m < act.n; m++) given += h * act.force[m] * act.given[m];
        double expected = begin.potential - act.potential - act.lost - act.numerical + given;
        assert_near(work, expected, 1e-11 * (1 + begin.potential + act.potential));
        assert_true(act.numerical >= (half ? 0 : -1e-14));
      }
      drop(&p);
    }
}

static void test_tables(void **state) {
  (void)state;
  static const double rows[] = {-1, -3, 0, 0, 0.5, 2, 1, 8};
  ssi_curve c = {.rows = 4, .table = rows};
  double slope;
  assert_near(ssi_curve_at(&c, 0.25, &slope), 1, 1e-15);
  assert_near(slope, 4, 1e-15);
  assert_near(ssi_curve_at(&c, -7, &slope), -3, 0);
  assert_near(slope, 0, 0);
  assert_near(ssi_curve_at(&c, 7, &slope), 8, 0);
  assert_near(ssi_curve_integral(&c, 2), 0.5 + 2.5 + 8, 1e-14);
  assert_near(ssi_curve_integral(&c, -2), 1.5 + 3, 1e-14);
  assert_near(ssi_curve_mean(&c, -2, 2, &slope), (0.5 + 2.5 + 8 - 1.5 - 3) / 4, 1e-14);
  assert_near(ssi_curve_mean(&c, 2, -2, &slope), (0.5 + 2.5 + 8 - 1.5 - 3) / 4, 1e-14);
  assert_near(ssi_curve_steepest(&c), 12, 1e-14);
  for (double x0 = -1.3; x0 < 1.5; x0 += 0.17)
    for (double x1 = -1.4; x1 < 1.5; x1 += 0.13) {
      const double d = 1e-6;
      double none, up = ssi_curve_mean(&c, x0, x1 + d, &none);
      double down = ssi_curve_mean(&c, x0, x1 - d, &none);
      ssi_curve_mean(&c, x0, x1, &slope);
      assert_near(slope, (up - down) / (2 * d), 1e-4);
    }
}

// However often it has gone round: the angle is the one near the last, and changes as it should.
static void test_angles_count_turns(void **state) {
  (void)state;
  place p = make(kinds[4]);
  double angle = 0, h = 0.05;
  for (int n = 0; n < 400; n++) {
    ss_pose to[2] = {p.pose[0], p.pose[1]};
    ssi_action act;
    memset(p.v, 0, sizeof(double) * (size_t)p.w.ndof);
    p.v[5] = 3;
    double turn[3] = {0, 0, h * 3};
    ssi_quat_cayley(to[0].q, turn);
    ssi_span across = {.from = p.pose, .to = to, .begin = -1, .h = h};  // before the motion begins
    ssi_element_act(&p.w, p.w.element, &across, p.v, 0.5, &angle, false, &act);
    assert_near(act.angle[0] - angle, 2 * atan(h * 3 / 2), 1e-12);
    angle = act.angle[0];
    assert_near(act.potential, 5 * angle * angle / 2, 1e-9 * (1 + angle * angle));
    p.pose[0] = to[0];
  }
  assert_true(angle > 50);
  drop(&p);
}

// No direction, no force, and nothing that is not a number; what pulls through the point has its stiffness.
static void test_coincident_points(void **state) {
  (void)state;
  const char *const coincide[] = {
      "'springs':[{'a':'a','anchor_b':[0,0,0],'stiffness':4,'rest_length':0,'damping':2}]",
      "'springs':[{'a':'a','anchor_b':[0,0,0],'stiffness':4,'rest_length':1}]"};
  for (int k = 0; k < 2; k++) {
    place p = make(coincide[k]);
    ssi_action act;
    ssi_span here = {.from = p.pose, .to = p.pose};
    p.v[0] = 1;
    ssi_element_act(&p.w, p.w.element, &here, p.v, 1, NULL, false, &act);
    for (int m = 0; m < 3; m++) {
      assert_near(act.force[m], 0, 0);
      for (int l = 0; l < 3; l++) assert_near(act.stiffness[m][l], k == 0 && m == l ? 4 : 0, 1e-15);
    }
    drop(&p);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_forces_are_the_gradient_of_the_potential),
      cmocka_unit_test(test_power_of_imposed_motions),
      cmocka_unit_test(test_action_is_reaction),
      cmocka_unit_test(test_stiffness_and_damping),
      cmocka_unit_test(test_work_over_a_step_is_exact),
      cmocka_unit_test(test_tables),
      cmocka_unit_test(test_angles_count_turns),
      cmocka_unit_test(test_coincident_points),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
