// The normal force of a rod that slides and turns, against the closed form, at every step: it converges with h,
// with every `drift` and `contact_map`. `test_sliding [COUNT]`: random rods (50).
#include <unistd.h>

#include "scene_run.h"

#include "base/rng.h"

static int count = 50;

typedef struct rod {
  double half, radius, mass, inertia, mu;
  double angle, spin, slip;  // of the lower end, along the floor
} rod;

// The end's height y - half sin(angle) - radius stays: with F = -+ mu N at the contact
//   N (1/m + half cos (half cos - (half sin + radius) F/N) / I) = m g/m - half sin spin^2
static double normal_force(const rod *r, double angle, double spin, double slip) {
  double c = r->half * cos(angle), s = r->half * sin(angle), F = slip > 0 ? -r->mu : r->mu;
  return (G - s * spin * spin) / (1 / r->mass + c * (c - (s + r->radius) * F) / r->inertia);
}

static run start(const rod *r, double h, double duration, const char *drift, const char *map) {
  double c = r->half * cos(r->angle), s = r->half * sin(r->angle);
  return begin("{'dim':2,'materials':[{'name':'m','mu':%.17g}],'bodies':[{'shape':{'kind':"
               "'capsule','radius':%.17g,'length':%.17g},'mass':%.17g,'inertia':%.17g,"
               "'position':[0,%.17g],'rotation':%.17g,'velocity':[%.17g,%.17g],'spin':%.17g}],"
               "'externals':[{'shape':{'kind':'plane'}}],'stepping':{'step':%.17g,"
               "'duration':%.17g,'drift':'%s','contact_map':'%s'},'solver':{'tol':1e-12}}",
               r->mu, r->radius, 2 * r->half, r->mass, r->inertia, s + r->radius,
               r->angle * 180 / PI, r->slip - r->spin * (s + r->radius), r->spin * c, r->spin, h,
               duration, drift, map);
}

// The largest deviation from the closed form, of all steps while it slides, over the force.
static double deviation(const rod *r, run *sim) {
  double worst = 0, h = sim->scene->stepping.step;
  while (!ss_simulation_done(sim->sim)) {
    solved_step(sim);
    const double *q = sim->s.pose[0].q;
    double angle = 2 * atan2(q[3], q[0]), spin = sim->s.spin[2];
    double slip = sim->s.velocity[0] + spin * (r->half * sin(angle) + r->radius);
    if (slip * r->slip <= 0.05) continue;  // about to stick, or sticks
    assert_int_equal(sim->s.contact_count, 1);
    double N = normal_force(r, angle, spin, slip);
    worst = fmax(worst, fabs(sim->s.contacts[0].impulse[1] / h - N) / N);
  }
  end(sim);
  return worst;
}

// Rods that keep touching the floor: the force is far from zero, and so is its denominator (Painleve).
static rod random_rod(ssi_rng *g) {
  for (;;) {
    rod r = {.half = 0.2 + ssi_rng_uniform(g), .radius = 0.02 + 0.1 * ssi_rng_uniform(g)};
    r.mass = 0.2 + 3 * ssi_rng_uniform(g);
    r.inertia = r.mass * r.half * r.half * (0.2 + 0.5 * ssi_rng_uniform(g));
    r.mu = ssi_rng_uniform(g);
    r.angle = 0.2 + 1.3 * ssi_rng_uniform(g);
    r.spin = 4 * (2 * ssi_rng_uniform(g) - 1);
    r.slip = (1 + ssi_rng_uniform(g)) * (ssi_rng_uniform(g) < 0.5 ? -1 : 1);
    double N = normal_force(&r, r.angle, r.spin, r.slip) / (r.mass * G);
    if (N > 0.4 && N < 1.5 && G - r.half * r.spin * r.spin > 0.3 * G) return r;
  }
}

static void random_rods(void **state) {
  (void)state;
  const char *const drifts[] = {"gap", "gap", "projection", "none"};
  const char *const maps[] = {"explicit", "implicit", "explicit"};
  double worst = 0;
  for (int k = 0; k < count; k++) {
    ssi_rng g = {.state = 77 + (uint64_t)k};
    rod r = random_rod(&g);
    double error[2];
    for (int i = 0; i < 2; i++) {
      run sim = start(&r, i ? 1e-4 : 1e-3, 0.04, drifts[k % 4], maps[k % 3]);
      error[i] = deviation(&r, &sim);
    }
    worst = fmax(worst, error[1]);
    // first order: h over the time in which such rods change, 10 ms at least
    if (!(error[0] < 0.1 && error[1] < 0.01 && error[1] < 0.2 * error[0]))
      fail_msg("rod %d, drift %s, %s: deviations %g, %g", k, drifts[k % 4], maps[k % 3], error[0],
               error[1]);
  }
  if (count > 50) print_message("largest deviation with h = 1e-4: %g\n", worst);
}

// Long runs: the gap is held where it settles, and nothing chatters there either.
static void gaps_stay_small(void **state) {
  (void)state;
  rod r = {.half = 1, .radius = 0.05, .mass = 1, .inertia = 1.0 / 3, .mu = 0, .angle = 0.8};
  r.spin = 1.5, r.slip = 1;
  for (int k = 0; k < 3; k++) {
    double h = 1e-2 / (1 << (2 * k)), gap = 0;
    run sim = start(&r, h, 0.2, "gap", "explicit");
    while (!ss_simulation_done(sim.sim)) {
      solved_step(&sim);
      gap = fmax(gap, fabs(sim.s.contacts[0].gap));
    }
    assert_true(gap <= 0.1 * G * h * h + 2 * h * sqrt(0.0105 * r.spin * r.spin));
    end(&sim);
  }
}

static void shared_reproducer(void **state) {
  (void)state;
  const char *path = need_shared("reproducers/14-rod-force-chatter.scene.json");
  const rod r = {.half = 1, .radius = 0.05, .mass = 1, .inertia = 1.0 / 3, .mu = 0.5, .slip = -1};
  for (int k = 0; k < 3; k++) {
    run sim = {0};
    if (ss_scene_open(&ctx, path, &sim.scene)) fail_msg("%s", ctx.message);
    double h = sim.scene->stepping.step = pow(10, -3 - k), worst;
    build(&sim);
    worst = deviation(&r, &sim);
    if (!(worst < 2 * h)) fail_msg("h = %g: %g", h, worst);
  }
}

int main(int argc, char **argv) {
  if (argc > 1) count = atoi(argv[1]);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_rods),
      cmocka_unit_test(gaps_stay_small),
      cmocka_unit_test(shared_reproducer),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
