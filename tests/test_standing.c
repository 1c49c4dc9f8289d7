// What stands, stands: piles of blocks with more reactions than equations, held by contact and friction
// alone. `test_standing [SECONDS]`: simulated time (1); from 10 on also the wall of 20 x 30.
//
// At every step: solved; no point of a body has moved by more than 1e-6 of its block's smallest edge;
// the impulses on the ground are the weight of all to 1e-8; those on each body are its own weight, and
// their moments nothing, to 1e-8 of that weight.
#include "scene_text.h"

static const double G = 9.81, DRIFT = 1e-6, GROUND_BALANCE = 1e-8, BODY_BALANCE = 1e-8;
static double seconds = 1;
static ss_context ctx;

typedef struct figures {
  double drift, body, ground, moment, speed;
} figures;

typedef struct standing {
  ss_scene *scene;
  ss_simulation *sim;
  ss_sim_state s;
  ss_pose *start;
  double *sum;       // impulse, then moment about the centre of mass   (6 per body)
  double edge;       // of a block, the smallest
  double radius;     // no point of a body is farther from its centre
  double weight;     // of all
  double ground[3];  // impulse on what does not move
  figures worst;
} standing;

static void open_scene(standing *w, const char *format, ...) {
  va_list list;
  va_start(list, format);
  w->scene = scene_from(&ctx, format, list);
  va_end(list);
  w->scene->stepping.duration = seconds;
  if (ss_simulation_create(&ctx, w->scene, &w->sim)) fail_msg("%s", ctx.message);
  ss_simulation_state(w->sim, &w->s);
  size_t count = (size_t)w->s.body_count;
  w->start = malloc(count * sizeof *w->start);
  w->sum = malloc(6 * count * sizeof *w->sum);
  memcpy(w->start, w->s.pose, count * sizeof *w->start);
  for (int i = 0; i < w->s.body_count; i++) {
    ss_sim_body b;
    ss_simulation_body(w->sim, i, &b);
    w->weight += b.mass * G;
    w->radius = fmax(w->radius, ss_shape_extent(b.shape));
  }
}

// ---- what is measured --------------------------------------------------------------------------

static void add(double *sum, const double *centre, const double *point, const double *p,
                double sign) {
  double arm[3];
  for (int k = 0; k < 3; k++) {
    arm[k] = point[k] - centre[k];
    sum[k] += sign * p[k];
  }
  sum[3] += sign * (arm[1] * p[2] - arm[2] * p[1]);
  sum[4] += sign * (arm[2] * p[0] - arm[0] * p[2]);
  sum[5] += sign * (arm[0] * p[1] - arm[1] * p[0]);
}

static void add_impulses(standing *w) {
  memset(w->sum, 0, 6 * (size_t)w->s.body_count * sizeof *w->sum);
  memset(w->ground, 0, sizeof w->ground);
  for (int i = 0; i < w->s.contact_count; i++) {
    const ss_sim_contact *c = &w->s.contacts[i];
    add(w->sum + 6 * c->a, w->s.pose[c->a].x, c->point, c->impulse, 1);
    if (c->b >= 0)
      add(w->sum + 6 * c->b, w->s.pose[c->b].x, c->point, c->impulse, -1);
    else
      for (int k = 0; k < 3; k++) w->ground[k] += c->impulse[k];
  }
}

static double length(const double x[3]) {
  return hypot(hypot(x[0], x[1]), x[2]);
}

static void measure_balance(standing *w) {
  double h = w->scene->stepping.step;
  add_impulses(w);
  for (int i = 0; i < w->s.body_count; i++) {
    ss_sim_body b;
    ss_simulation_body(w->sim, i, &b);
    double *sum = w->sum + 6 * i, weight = b.mass * G * h;
    sum[2] -= weight;
    w->worst.body = fmax(w->worst.body, length(sum) / weight);
    w->worst.moment = fmax(w->worst.moment, length(sum + 3) / (weight * ss_shape_extent(b.shape)));
  }
  w->ground[2] -= w->weight * h;
  w->worst.ground = fmax(w->worst.ground, length(w->ground) / (w->weight * h));
}

// |x - x0| + 2 |sin(a/2)| R, a the angle turned: sin(a/2) is the vector part of conj(q0) q.
static void measure_drift(standing *w) {
  for (int i = 0; i < w->s.body_count; i++) {
    const ss_pose *p = &w->start[i], *q = &w->s.pose[i];
    double dx[3] = {q->x[0] - p->x[0], q->x[1] - p->x[1], q->x[2] - p->x[2]};
    const double *a = p->q, *b = q->q;
    double turn[3] = {a[0] * b[1] - a[1] * b[0] - a[2] * b[3] + a[3] * b[2],
                      a[0] * b[2] - a[2] * b[0] - a[3] * b[1] + a[1] * b[3],
                      a[0] * b[3] - a[3] * b[0] - a[1] * b[2] + a[2] * b[1]};
    w->worst.drift = fmax(w->worst.drift, (length(dx) + 2 * length(turn) * w->radius) / w->edge);
  }
}

static void stand(const char *name, standing *w) {
  while (!ss_simulation_done(w->sim)) {
    ss_step_info info;
    if (ss_simulation_step(w->sim, &info)) fail_msg("%s", ctx.message);
    ss_simulation_state(w->sim, &w->s);
    if (info.unsolved)
      fail_msg("%s: step %lld is not solved: %g", name, (long long)w->s.step, info.error);
    w->worst.speed = fmax(w->worst.speed, info.speed);
    measure_balance(w);
    measure_drift(w);
  }
  ss_sim_totals t;
  ss_simulation_totals(w->sim, &t);
  const figures *f = &w->worst;
  print_message("%s: %d blocks, %d contacts, %g s, %lld steps (%lld at rounding), error %.1e, "
                "speed %.1e, drift %.1e, balance %.1e, moments %.1e, ground %.1e, %.3g s\n",
                name, w->s.body_count, t.contacts_max, w->s.time, (long long)t.steps,
                (long long)t.rounded_steps, t.error_max, f->speed, f->drift, f->body, f->moment,
                f->ground, t.time_s);
  assert_int_equal(t.unsolved_steps, 0);
  assert_near(w->s.time, seconds, 1e-9);
  if (!(f->drift < DRIFT)) fail_msg("%s: has moved by %g of a block", name, f->drift);
  if (!(f->ground <= GROUND_BALANCE))
    fail_msg("%s: the ground carries other than the weight", name);
  if (!(f->body <= BODY_BALANCE && f->moment <= BODY_BALANCE))
    fail_msg("%s: a block is not in equilibrium", name);
  ss_simulation_destroy(w->sim);
  ss_scene_close(w->scene);
  free(w->start);
  free(w->sum);
}

// ---- what stands -------------------------------------------------------------------------------

#define GROUND "'externals':[{'shape':{'kind':'plane'}}],'solver':{'tol':1e-10},'stepping':"

static void test_arch(void **state) {
  (void)state;
  standing w = {.edge = 2 * 3.14159265358979323846 / 21};  // of the inner face
  open_scene(&w, "{'materials':[{'name':'stone','mu':0.6,'density':2400}],'generators':[{'kind':"
                 "'arch','count':21,'inner':2,'thickness':0.6,'depth':0.5,'degrees':180}]," GROUND
                 "{'step':0.01,'duration':1}}");
  stand("arch", &w);
}

static void stand_wall(const char *name, int columns, int rows) {
  standing w = {.edge = 0.2};
  open_scene(&w,
             "{'materials':[{'name':'stone','mu':0.6,'density':2400}],'generators':[{'kind':'wall',"
             "'columns':%d,'rows':%d,'length':0.4,'height':0.2,'depth':0.2}]," GROUND
             "{'step':0.01,'duration':1}}",
             columns, rows);
  stand(name, &w);
}

static void test_wall(void **state) {
  (void)state;
  stand_wall("wall 6 x 8", 6, 8);
}

static void test_large_wall(void **state) {
  (void)state;
  stand_wall("wall 20 x 30", 20, 30);
}

static void test_house_of_cards(void **state) {
  (void)state;
  standing w = {.edge = 0.002};  // the thickness of a card
  open_scene(&w, "{'materials':[{'name':'card','mu':0.8,'density':800}],'generators':[{'kind':"
                 "'cards','storeys':3,'length':0.088,'thickness':0.002,'depth':0.063,'degrees':22}"
                 "]," GROUND "{'step':0.005,'duration':1}}");
  stand("house of cards", &w);
}

static void test_tower(void **state) {
  (void)state;
  standing w = {.edge = 0.2};
  open_scene(&w, "{'materials':[{'name':'stone','mu':0.5,'density':2400}],'generators':[{'kind':"
                 "'stack','count':60,'shape':{'kind':'box','size':[0.3,0.3,0.2]},'at':[0,0,0.1],"
                 "'spacing':[0,0,0.2]}]," GROUND "{'step':0.01,'duration':1}}");
  stand("tower of 60", &w);
}

static void test_heavy_on_light(void **state) {
  (void)state;
  standing w = {.edge = 0.2};
  open_scene(&w, "{'materials':[{'name':'stone','mu':0.5}],'generators':[{'kind':'stack','count':2,"
                 "'shape':{'kind':'box','size':[0.2,0.2,0.2]},'at':[0,0,0.1],'spacing':[0,0,0.2],"
                 "'mass':1,'mass_ratio':1e6}]," GROUND "{'step':0.01,'duration':1}}");
  stand("10^6 on 1", &w);
}

int main(int argc, char **argv) {
  if (argc > 1) seconds = atof(argv[1]);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_arch),           cmocka_unit_test(test_wall),
      cmocka_unit_test(test_house_of_cards), cmocka_unit_test(test_tower),
      cmocka_unit_test(test_heavy_on_light), cmocka_unit_test(test_large_wall),
  };
  if (seconds < 10) cmocka_set_skip_filter("test_large_wall");  // for make test-long
  return cmocka_run_group_tests(tests, NULL, NULL);
}
