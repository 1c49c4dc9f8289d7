// A scene as a mechanism: its functions are derivatives of each other, along any motion.
#include "event_run.h"
#include "without_memory.h"

#include "base/rng.h"
#include "events/rigid/rigid_view.h"
#include "la/vec3.h"

enum { MOST = 40, ROWS = 200 };

// Bodies of every shape that has gaps, before walls, drums and balls that move in every way; joints of every kind.
static const char *const space =
    "{'dim':3,'materials':[{'name':'m','mu':0.3,'density':1000}],'bodies':["
    "{'name':'ball','shape':{'kind':'sphere','radius':0.1},'position':[0.3,0.2,0.5]},"
    "{'name':'other','shape':{'kind':'sphere','radius':0.2},'position':[-0.3,0.4,0.9]},"
    "{'name':'pair','shape':{'kind':'compound','parts':[{'shape':{'kind':'sphere','radius':0.1},"
    "'position':[0.3,0,0.1]},{'shape':{'kind':'sphere','radius':0.2}}]},'position':[1,1,1]}],"
    "'externals':[{'name':'floor','shape':{'kind':'plane'},'rotation':{'axis':[1,0.2,0],'degrees':"
    "20},'motion':{'kind':'harmonic','amplitude':[0.1,0.2,0.3],'swing':[0.2,-0.1,0.4],'frequency':"
    "0.7,'centre':[0.2,0.1,-0.3]}},"
    "{'name':'drum','shape':{'kind':'drum','radius':3,'length':8},'rotation':{'axis':[0,1,0.3],"
    "'degrees':70},'motion':{'kind':'constant','velocity':[0.3,0.2,0.1],'spin':[0.5,1,-0.7]}},"
    "{'name':'bump','shape':{'kind':'sphere','radius':0.3},'position':[0,0,-1],'motion':{'kind':"
    "'table','table':[[0,0,0,0,0,0,0],[1,0.5,1,0.3,0.4,1,0.2],[3,1,0,0,1,-1,0.5]]}}],"
    "'stepping':{'step':0.01,'duration':1}}";
static const char *const corners =
    "{'dim':3,'materials':[{'name':'m','mu':0.3,'density':1000}],'bodies':["
    "{'name':'box','shape':{'kind':'box','size':[0.4,0.3,0.2]},'position':[0,0,1]}],"
    "'externals':[{'name':'floor','shape':{'kind':'plane'},'motion':{'kind':'table','table':"
    "[[0,0,0,0,0,0,0],[1,0.5,1,0.3,0.4,1,0.2],[3,1,0,0,1,-1,0.5]]}},"
    "{'name':'drum','shape':{'kind':'drum','radius':3,'length':0}}],"
    "'stepping':{'step':0.01,'duration':1}}";
static const char *const linked =
    "{'dim':3,'materials':[{'name':'m','mu':0.3,'density':1000}],'bodies':["
    "{'name':'a','shape':{'kind':'box','size':[0.4,0.3,0.2]},'position':[0,0,1]},"
    "{'name':'b','shape':{'kind':'box','size':[0.4,0.3,0.2]},'position':[1,0,1]},"
    "{'name':'c','shape':{'kind':'box','size':[0.4,0.3,0.2]},'position':[2,0,1]},"
    "{'name':'d','shape':{'kind':'box','size':[0.4,0.3,0.2]},'position':[3,0,1]}],"
    "'externals':[{'name':'post','shape':{'kind':'sphere','radius':0.3},'position':[0,0,-1],"
    "'motion':{'kind':'harmonic','amplitude':[0.1,0.2,0.3],'swing':[0.2,-0.1,0.4],'frequency':0.7,"
    "'centre':[0.2,0.1,-0.3]}}],'joints':["
    "{'kind':'ball','a':'a','b':'b','anchor':[0.5,0.1,1]},{'kind':'hinge','a':'b','b':'c','anchor':"
    "[1.5,0,1],'axis':[1,2,0.5]},{'kind':'slider','a':'c','b':'d','anchor':[2.5,0,1],'axis':"
    "[1,0.2,0.1]},{'kind':'fixed','a':'d','b':'post','anchor':[3,0,0.5]},"
    "{'kind':'slider','a':'a','b':'post','anchor':[0,0,0],'axis':[0,0.2,1]},{'kind':'hinge','a':'c'"
    ","
    "'b':'world','anchor':[2,1,1],'axis':[0,1,0]},"
    "{'kind':'fixed','a':'d','b':'b','anchor':[2,0,0.5]},{'kind':'fixed','a':'a','b':'c','anchor':"
    "[2,0,0.5]},{'kind':'ball','a':'a','b':'d','anchor':[2,0,0.5]},{'kind':'ball','a':'b','b':'"
    "post',"
    "'anchor':[2,0,0.5]},{'kind':'ball','a':'c','b':'post','anchor':[2,0,0.5]}],"
    "'stepping':{'step':0.01,'duration':1}}";
static const char *const plane =
    "{'dim':2,'materials':[{'name':'m','mu':0.3,'density':1000}],'bodies':["
    "{'name':'disk','shape':{'kind':'disk','radius':0.1},'position':[0.3,0.2]},"
    "{'name':'wheel','shape':{'kind':'disk','radius':0.2},'position':[0.3,1.2]}],"
    "'externals':[{'name':'floor','shape':{'kind':'plane'},'rotation':20,'motion':{'kind':"
    "'harmonic','amplitude':[0.1,0.2],'swing':0.3,'frequency':0.7}},"
    "{'name':'drum','shape':{'kind':'drum','radius':3},'motion':{'kind':'constant','velocity':"
    "[0.3,0.2],'spin':0.4}}],"
    "'joints':[{'kind':'slider','a':'disk','b':'floor','anchor':[0,0],'axis':[1,0.5],'collide':"
    "true},"
    "{'kind':'fixed','a':'wheel','b':'disk','anchor':[1,0.3],'collide':true}],"
    "'stepping':{'step':0.01,'duration':1}}";

static double between(ssi_rng *g, double low, double high) {
  return low + (high - low) * ssi_rng_uniform(g);
}

typedef struct motion_point {
  double t, q[MOST], v[MOST];
} motion_point;

// Along v(t) = v + a (t - t0), q' = T v: by the mid-point rule in small pieces, which is symmetric in time.
static motion_point move(const ss_mechanism *m, const motion_point *from, const double *a,
                         double by) {
  enum { PIECES = 20 };
  motion_point p = *from;
  double h = by / PIECES, rate[MOST], half[MOST], v[MOST];
  for (int k = 0; k < PIECES; k++) {
    for (int j = 0; j < m->nv; j++) v[j] = p.v[j] + a[j] * h / 2;
    memcpy(rate, v, sizeof rate);
    if (m->rate) m->rate(m->user, p.t, p.q, p.v, rate);
    for (int j = 0; j < m->nq; j++) half[j] = p.q[j] + rate[j] * h / 2;
    if (m->rate) m->rate(m->user, p.t, half, v, rate);
    for (int j = 0; j < m->nq; j++) p.q[j] += rate[j] * h;
    for (int j = 0; j < m->nv; j++) p.v[j] += a[j] * h;
    p.t += h;
  }
  return p;
}

typedef struct row_values {
  double gap[ROWS], Phi[ROWS], slip[ROWS], joint[ROWS], H[ROWS * MOST], G[ROWS * MOST], b[ROWS],
      c[ROWS];
} row_values;

static void look(const ss_mechanism *m, const motion_point *p, row_values *out) {
  int rows = m->dim * m->nc;
  double w[ROWS] = {0}, y[ROWS] = {0};
  memset(out, 0, sizeof *out);
  assert_true(rows <= ROWS && m->nl <= ROWS && m->nq <= MOST);
  if (m->nc) {
    m->gap(m->user, p->t, p->q, out->gap);
    m->frames(m->user, p->t, p->q, out->H, w);
    m->drift(m->user, p->t, p->q, p->v, out->b);
  }
  if (m->nl) {
    m->joints(m->user, p->t, p->q, out->Phi, out->G, y);
    m->joint_drift(m->user, p->t, p->q, p->v, out->c);
  }
  for (int i = 0; i < rows; i++) {
    out->slip[i] = w[i];
    for (int j = 0; j < m->nv; j++) out->slip[i] += out->H[i * m->nv + j] * p->v[j];
  }
  for (int i = 0; i < m->nl; i++) {
    out->joint[i] = y[i];
    for (int j = 0; j < m->nv; j++) out->joint[i] += out->G[i * m->nv + j] * p->v[j];
  }
}

static double row_times(const double *row, const double *a, int n) {
  double sum = 0;
  for (int j = 0; j < n; j++) sum += row[j] * a[j];
  return sum;
}

// Differences of g and g' over a short time are what H, w and b say.
static void check_derivatives(const ss_mechanism *m, const motion_point *at, const double *a) {
  static row_values now, before, after;
  const double d = 2e-5, close = 2e-6;
  motion_point left = move(m, at, a, -d), right = move(m, at, a, d);
  look(m, at, &now), look(m, &left, &before), look(m, &right, &after);
  for (int i = 0; i < m->nc; i++)
    assert_near((after.gap[i] - before.gap[i]) / (2 * d), now.slip[m->dim * i], close);
  for (int i = 0; i < m->dim * m->nc; i++)
    assert_near((after.slip[i] - before.slip[i]) / (2 * d),
                row_times(now.H + i * m->nv, a, m->nv) + now.b[i], close);
  for (int i = 0; i < m->nl; i++) {
    assert_near((after.Phi[i] - before.Phi[i]) / (2 * d), now.joint[i], close);
    assert_near((after.joint[i] - before.joint[i]) / (2 * d),
                row_times(now.G + i * m->nv, a, m->nv) + now.c[i], close);
  }
}

static void test_functions_are_derivatives(void **state) {
  (void)state;
  const char *const scenes[] = {space, corners, linked, plane};
  ssi_rng g = {7};
  for (int k = 0; k < 4; k++) {
    event_run r;
    build_run(&r, scenes[k]);
    const ss_mechanism *m = &r.run.machine->mechanism;
    for (int n = 0; n < 20; n++) {
      motion_point p = {.t = between(&g, 0.1, 0.9)};
      double a[MOST];
      for (int j = 0; j < m->nq; j++) p.q[j] = r.run.machine->q[j] + between(&g, -0.2, 0.2);
      for (int j = 0; j < m->nv; j++) {
        p.v[j] = between(&g, -1, 1);
        a[j] = between(&g, -1, 1);
      }
      check_derivatives(m, &p, a);
    }
    end_run(&r);
  }
}

// Frames are orthonormal: H of the translations of a body alone.
static void test_frames_are_orthonormal(void **state) {
  (void)state;
  event_run r;
  ssi_rng g = {3};
  build_run(&r, space);
  const ss_mechanism *m = &r.run.machine->mechanism;
  static row_values now;
  for (int n = 0; n < 100; n++) {
    motion_point p = {.t = 0.5};
    for (int j = 0; j < m->nq; j++) p.q[j] = r.run.machine->q[j] + between(&g, -1, 1);
    look(m, &p, &now);
    for (int c = 0; c < m->nc; c++)
      for (int i = 0; i < 9; i++) {
        double sum = 0, norm = 0;
        for (int body = 0; body < 3; body++)
          for (int k = 0; k < 3; k++) {
            const double *H = now.H + 3 * c * m->nv + 6 * body + k;
            sum += H[i / 3 * m->nv] * H[i % 3 * m->nv];
            norm += H[0] * H[0];
          }
        assert_near(sum, i / 3 == i % 3 ? norm : 0, 1e-13);
      }
  }
  end_run(&r);
}

static void check_refused(const char *text, const char *why) {
  event_run r;
  ss_machine *m;
  open_run(&r, text);
  assert_int_equal(ss_machine_of_scene(&r.run.ctx, r.scene, &m), SS_ERR_DATA);
  assert_null(m);
  if (!strstr(r.run.ctx.message, why)) fail_msg("%s", r.run.ctx.message);
  ss_scene_close(r.scene);
}

#define HEAD                                                                                       \
  "{'dim':3,'materials':[{'name':'m','mu':0.3,'density':1000}],'stepping':{'step':0.01,"           \
  "'duration':1},'bodies':["
#define FLOOR "'externals':[{'name':'floor','shape':{'kind':'plane'}}]"

static void test_shapes_without_gap_are_named(void **state) {
  (void)state;
  const char *box = "{'name':'crate','shape':{'kind':'box','size':[1,1,1]},'position':[0,0,2]}";
  char text[1000];
  snprintf(text, sizeof text, HEAD "%s,{'shape':{'kind':'sphere','radius':1}}]}", box);
  check_refused(text, "body 0 'crate' (box) and body 1 (sphere): these shapes have no smooth gap");
  snprintf(text, sizeof text,
           HEAD "%s],'externals':[{'name':'step','shape':{'kind':'box','size':[1,1,1]}}]}", box);
  check_refused(text, "body 0 'crate' (box) and external 0 'step' (box)");
  check_refused(HEAD "{'name':'can','shape':{'kind':'cylinder','radius':0.2,'length':1}}]," FLOOR
                     "}",
                "body 0 'can' (cylinder) and external 0 'floor' (plane)");
  check_refused(HEAD "],'generators':[{'kind':'packing','shape':{'kind':'sphere','radius':0.1},"
                     "'count':40,'region':[[0,0,0],[5,5,5]]}]," FLOOR "}",
                "more than 256 pairs");
  check_refused(HEAD "]," FLOOR "}", "/bodies: there is none to move");
}

static void test_joints_keep_shapes_apart(void **state) {
  (void)state;
  event_run r;
  build_run(&r, HEAD "{'name':'a','shape':{'kind':'box','size':[1,1,1]}},{'name':'b','shape':"
                     "{'kind':'box','size':[1,1,1]},'position':[2,0,0]}],'joints':[{'kind':'hinge',"
                     "'a':'a','b':'b','anchor':[1,0,0],'axis':[0,1,0]}]}");
  assert_int_equal(r.run.machine->mechanism.nc, 0);
  assert_int_equal(r.run.machine->mechanism.nl, 5);
  end_run(&r);
}

// Poses and velocities of a simulation as it begins are the machine's own start.
static void test_state_of_a_run(void **state) {
  (void)state;
  const char *const scenes[] = {
      HEAD "{'name':'a','shape':{'kind':'box','size':[1,2,3]},'rotation':{'axis':[1,2,3],'degrees':"
           "100},'position':[1,2,9],'velocity':[1,2,3],'spin':[3,-2,1]},{'name':'b','shape':{"
           "'kind':'sphere','radius':1},'position':[9,2,9],'velocity':[0,2,3],'spin':[0,-2,1]}]"
           ",'joints':[{'kind':'ball','a':'a','b':'b','anchor':[1,0,0]}]}",
      "{'dim':2,'materials':[{'name':'m','mu':0}],'bodies':[{'shape':{'kind':'box','size':[1,2]},"
      "'rotation':130,'position':[1,2],'velocity':[1,2],'spin':3}],'stepping':{'step':0.01,"
      "'duration':1}}"};
  for (int k = 0; k < 2; k++) {
    event_run r;
    ss_simulation *sim;
    ss_sim_state s;
    build_run(&r, scenes[k]);
    const ss_machine *m = r.run.machine;
    if (ss_simulation_create(&r.run.ctx, r.scene, &sim)) fail_msg("%s", r.run.ctx.message);
    ss_simulation_state(sim, &s);
    double velocity[12], q[MOST], v[MOST];
    for (int i = 0; i < s.body_count; i++) {
      memcpy(velocity + 6 * i, s.velocity + 3 * i, 3 * sizeof(double));
      memcpy(velocity + 6 * i + 3, s.spin + 3 * i, 3 * sizeof(double));
    }
    assert_int_equal(ss_machine_state_of(m, s.pose, velocity, q, v), SS_OK);
    for (int i = 0; i < m->mechanism.nq; i++) assert_near(q[i], m->q[i], 1e-14);
    for (int i = 0; i < m->mechanism.nv; i++) assert_near(v[i], m->v[i], 1e-14);
    assert_int_equal(ss_machine_state_of(m, NULL, velocity, q, v), SS_ERR_ARGUMENT);
    ss_simulation_destroy(sim);
    end_run(&r);
  }
}

// ---- as run files have it ---------------------------------------------------------------------------

// Forces and moments of the contacts on a body, about its centre, are what H^T r says; moments in body axes.
static void check_forces(const ss_machine *m, const motion_point *p, const double *r,
                         const ssi_rigid_view *now, const int *bodies) {
  static row_values rows;
  const ss_mechanism *x = &m->mechanism;
  int per = x->dim == 2 ? 3 : 6, count = ssi_rigid_view_count(m).bodies;
  look(x, p, &rows);
  for (int b = 0; b < count; b++) {
    double force[3] = {0}, moment[3] = {0}, turned[3], R[9];
    for (int k = 0; k < x->nc; k++) {
      double sign = bodies[2 * k] == b ? 1 : bodies[2 * k + 1] == b ? -1 : 0, arm[3], turn[3];
      ssi_sub3(now->point + 3 * k, now->pose + 7 * b, arm);
      ssi_cross3(arm, now->force + 3 * k, turn);
      ssi_add3(force, sign, now->force + 3 * k, force);
      ssi_add3(moment, sign, turn, moment);
    }
    ss_rotation(now->pose + 7 * b + 3, R);
    ssi_unrotate3(R, moment, turned);
    for (int d = 0; d < per; d++) {
      double sum = 0;
      for (int i = 0; i < x->dim * x->nc; i++) sum += rows.H[i * x->nv + per * b + d] * r[i];
      assert_near(d < x->dim ? force[d] : x->dim == 2 ? moment[2] : turned[d - 3], sum, 1e-12);
    }
  }
}

static void check_view(const ss_machine *m, ssi_rng *g) {
  const ss_mechanism *x = &m->mechanism;
  motion_point p = {.t = between(g, 0, 2)};
  double r[ROWS], q[MOST], v[MOST], pose[7 * MOST], velocity[6 * MOST], external[7 * MOST];
  double point[ROWS], normal[ROWS], force[ROWS];
  int bodies[ROWS];
  ss_pose poses[MOST];
  ssi_rigid_view now = {pose, velocity, external, point, normal, force};
  for (int k = 0; k < x->nq; k++) p.q[k] = between(g, -1, 1);
  for (int k = 0; k < x->nv; k++) p.v[k] = between(g, -1, 1);
  for (int k = 0; k < x->dim * x->nc; k++) r[k] = between(g, -1, 1);
  if (x->normalise) x->normalise(x->user, p.q);
  ssi_rigid_view_at(m, p.t, p.q, p.v, r, &now);
  ssi_rigid_view_pairs(m, bodies);
  check_forces(m, &p, r, &now, bodies);
  for (int b = 0; b < ssi_rigid_view_count(m).bodies; b++) {
    memcpy(poses[b].x, pose + 7 * b, sizeof poses[b].x);
    memcpy(poses[b].q, pose + 7 * b + 3, sizeof poses[b].q);
  }
  assert_int_equal(ss_machine_state_of(m, poses, velocity, q, v), SS_OK);
  for (int k = 0; k < x->nq; k++) assert_near(q[k], p.q[k], 1e-13);
  for (int k = 0; k < x->nv; k++) assert_near(v[k], p.v[k], 1e-13);
}

static void test_view(void **state) {
  (void)state;
  const char *const scenes[] = {space, corners, plane};
  ssi_rng g = {5};

  for (int k = 0; k < 3; k++) {
    event_run r;
    build_run(&r, scenes[k]);
    for (int i = 0; i < 20; i++) check_view(r.run.machine, &g);
    end_run(&r);
  }
}

// ---- memory -----------------------------------------------------------------------------------------

static ss_error run_short(ss_context *ctx, void *scene) {
  ss_machine *m = NULL;
  ss_evolution *e = NULL;
  ss_instant *at = NULL;
  ss_error error = ss_machine_of_scene(ctx, scene, &m);
  if (!error) {
    m->options.step = 0;
    error = ss_evolution_create(ctx, &m->mechanism, &m->options, m->t, m->q, m->v, &e);
  }
  if (!error) error = ss_evolution_advance(e, 0.1);
  if (!error) error = ss_mechanism_instant(ctx, &m->mechanism, m->t, m->q, m->v, &at);
  ss_mechanism_instant_destroy(at);
  ss_evolution_destroy(e);
  ss_machine_destroy(m);
  return error;
}

static void test_failing_memory(void **state) {
  (void)state;
  need_sundials();
  event_run r;
  open_run(&r, HEAD "{'name':'bar','shape':{'kind':'capsule','radius':0.1,'length':1},'position':"
                    "[0,0,0.65]}],'joints':[{'kind':'ball','a':'bar','b':'world','anchor':[0,0,0.6"
                    "]}],'springs':[{'kind':'torsional','a':'bar','b':'world','axis':[0,1,0],"
                    "'stiffness':5}]," FLOOR "}");
  let_each_call_fail("bar", run_short, r.scene, 200, true);
  ss_scene_close(r.scene);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_functions_are_derivatives),
      cmocka_unit_test(test_frames_are_orthonormal),
      cmocka_unit_test(test_shapes_without_gap_are_named),
      cmocka_unit_test(test_joints_keep_shapes_apart),
      cmocka_unit_test(test_state_of_a_run),
      cmocka_unit_test(test_view),
      cmocka_unit_test(test_failing_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
