// cone/friction.h and problem/natural.h: what one contact leaves of the law C(mu), docs/theory.md (6'), against the
// distance from C(mu) found by brute force. The points are random; u is the velocity, x = lambda r.
#include "harness.h"

#include "base/rng.h"
#include "cone/friction.h"
#include "dense.h"
#include "problem/natural.h"
#include "problem/system.h"
#include "stickslip/stickslip.h"

enum { POINTS = 3000 };  // for each dimension and mu

static const double mus[] = {0, 0.3, 1, 10, 98, 1e3, 1e8, 1e12};
enum { MUS = sizeof mus / sizeof *mus };

static double signed_uniform(ssi_rng *g) {
  return 2 * ssi_rng_uniform(g) - 1;
}

// Of any size from 1e-3 to 1e3, or zero.
static double any_size(ssi_rng *g) {
  return ssi_rng_below(g, 8) == 0 ? 0 : pow(10, 3 * signed_uniform(g));
}

typedef struct point {
  int dim;
  double mu, lambda, r[3], u[3];
} point;

static void direction(ssi_rng *g, int dim, double t[2]) {
  double angle = 6.283185307179586 * ssi_rng_uniform(g);
  t[0] = dim == 2 ? (angle < 3 ? 1 : -1) : cos(angle);
  t[1] = dim == 2 ? 0 : sin(angle);
}

// ---- the two measures ------------------------------------------------------------------------

static double plain_left(const point *p) {
  double z[3] = {0}, F2 = 0;
  ssi_natural_step(p->dim, p->mu, 1 / p->lambda, p->r, p->u, z);
  for (int k = 0; k < p->dim; k++)
    F2 += (p->lambda * (p->r[k] - z[k])) * (p->lambda * (p->r[k] - z[k]));
  return sqrt(ssi_law_square(p->dim, p->mu, p->lambda, F2, p->r, p->u));
}

static double natural_size(const point *p) {
  ssi_dd F[3], u[3] = {{0}};
  for (int k = 0; k < p->dim; k++) u[k] = ssi_dd_from(p->u[k]);
  ssi_natural_map(p->dim, p->mu, p->lambda, p->r, u, ssi_tangent_length(p->dim, u), F);
  return ssi_length(p->dim, F);
}

// W = lambda I and q = u - W r: the verdict on one contact, times its scale. Exact where lambda is a power of two
// and u, W r have few bits; else u is off by rounding of q.
static double judged_left(const point *p, double *scale) {
  ssi_arena arena = {0};
  double W[9] = {0}, q[3];
  for (int k = 0; k < p->dim; k++)
    W[k * p->dim + k] = p->lambda, q[k] = p->u[k] - p->lambda * p->r[k];
  ss_problem problem = reduced_problem(&arena, p->dim, 1, W, q, &p->mu);
  ss_verdict v;
  double u[3];
  ss_solution answer = {.r = p->r};
  assert_int_equal(ss_verify(NULL, &problem, &answer, u, NULL, NULL, NULL, &v), SS_OK);
  double load = 0, speed = 0;
  for (int k = 0; k < p->dim; k++) load += q[k] * q[k], speed += u[k] * u[k];
  load = sqrt(load), speed = sqrt(speed);
  *scale = load > 0 ? fmax(load, fmin(speed, 10 * load)) : speed;
  ssi_arena_release(&arena);
  return v.error * *scale;
}

// ---- the distance, by brute force --------------------------------------------------------------

static double length(int n, const double *x) {
  double s = 0;
  for (int k = 0; k < n; k++) s = hypot(s, x[k]);
  return s;
}

// From x to K: to the ray at angle atan(mu) in the half-plane of x, by long double arithmetic.
static double to_cone(int dim, double mu, const double *x) {
  long double t = dim == 2 ? fabs(x[1]) : hypot(x[1], x[2]), n = x[0];
  if (n >= 0 && t <= (long double)mu * n) return 0;
  long double size = sqrtl(1 + (long double)mu * mu), along = (n + mu * t) / size;
  if (along <= 0) return (double)hypotl(n, t);
  return (double)(fabsl(t - mu * n) / size);
}

// From (u, x) to slip in direction t: u = (0, a t), a >= 0; x = b (1, -mu t), b >= 0.
static double to_slip(const point *p, const double *x, const double *t) {
  long double a = 0, b = x[0], mu = p->mu, size = 1 + mu * mu, sum = (long double)p->u[0] * p->u[0];
  for (int k = 1; k < p->dim; k++) a += p->u[k] * t[k - 1], b -= mu * t[k - 1] * x[k];
  a = fmaxl(a, 0), b = fmaxl(b, 0) / size;
  for (int k = 1; k < p->dim; k++) sum += (p->u[k] - a * t[k - 1]) * (p->u[k] - a * t[k - 1]);
  sum += (x[0] - b) * (x[0] - b);
  for (int k = 1; k < p->dim; k++) sum += (x[k] + b * mu * t[k - 1]) * (x[k] + b * mu * t[k - 1]);
  return (double)sqrtl(sum);
}

static double to_slip_at(const point *p, const double *x, double angle) {
  return to_slip(p, x, (double[]){cos(angle), sin(angle)});
}

// Angles on a grid, the best of them refined by golden section.
static double to_any_slip(const point *p, const double *x) {
  if (p->dim == 2) return fmin(to_slip(p, x, (double[]){1, 0}), to_slip(p, x, (double[]){-1, 0}));
  enum { GRID = 48 };
  const double step = 6.283185307179586 / GRID, golden = 0.6180339887498949;
  double best = INFINITY, at = 0;
  for (int k = 0; k < GRID; k++) {
    double d = to_slip_at(p, x, k * step);
    if (d < best) best = d, at = k * step;
  }
  double special[] = {atan2(p->u[2], p->u[1]), atan2(-x[2], -x[1])};
  for (int k = 0; k < 2; k++) best = fmin(best, to_slip_at(p, x, special[k]));
  double low = at - step, high = at + step;
  for (int k = 0; k < 40; k++) {
    double one = high - golden * (high - low), two = low + golden * (high - low);
    if (to_slip_at(p, x, one) < to_slip_at(p, x, two))
      high = two;
    else
      low = one;
  }
  return fmin(best, to_slip_at(p, x, (low + high) / 2));
}

static double distance(const point *p) {
  double x[3] = {0};
  for (int k = 0; k < p->dim; k++) x[k] = p->lambda * p->r[k];
  double off = length(p->dim, x), speed = length(p->dim, p->u);
  double free = hypot(off, fmin(p->u[0], 0)), stick = hypot(speed, to_cone(p->dim, p->mu, x));
  return fmin(fmin(free, stick), to_any_slip(p, x));
}

// ---- points ------------------------------------------------------------------------------------

static point random_point(ssi_rng *g, int dim, double mu) {
  point p = {.dim = dim, .mu = mu, .lambda = pow(10, 3 * signed_uniform(g))};
  double r = any_size(g) / p.lambda, u = any_size(g), t[2], s[2];
  direction(g, dim, t), direction(g, dim, s);
  double steep = ssi_rng_below(g, 2) ? 1 : fmin(mu, 1e3);  // r_T about mu r_N
  p.r[0] = r * (ssi_rng_below(g, 6) ? ssi_rng_uniform(g) : -ssi_rng_uniform(g));
  p.u[0] = u * signed_uniform(g) * (ssi_rng_below(g, 3) ? 1 : 1e-6);
  double push = r * steep * any_size(g), slide = u * ssi_rng_uniform(g);
  bool opposed = ssi_rng_below(g, 3) == 0;
  for (int k = 1; k < dim; k++) {
    p.u[k] = slide * t[k - 1];
    p.r[k] = -push * (opposed ? t[k - 1] : s[k - 1]);
  }
  return p;
}

// A point of C(mu) exactly: kind 0 free, 1 stick, 2 slip. Numbers have few bits, the direction is an axis or that
// of (3, 4), so that nothing rounds.
static point point_of_law(ssi_rng *g, int dim, double mu, int kind) {
  point p = {.dim = dim, .mu = mu, .lambda = ldexp(1, ssi_rng_below(g, 20) - 10)};
  double a = 1 + ssi_rng_below(g, 1000), b = 1 + ssi_rng_below(g, 1000);
  double sign = ssi_rng_below(g, 2) ? 1 : -1, t[2] = {sign, 0};
  double length_of_t = 1;
  if (dim == 3 && ssi_rng_below(g, 2)) t[0] = 3 * sign, t[1] = 4, length_of_t = 5;
  if (kind == 0) {
    p.u[0] = ssi_rng_below(g, 4) ? a : 0;
    for (int k = 1; k < dim; k++) p.u[k] = b * t[k - 1];
  } else {
    p.r[0] = length_of_t * a;
    double part = kind == 2 ? -1 : -ssi_rng_below(g, 5) / 4.;
    for (int k = 1; k < dim; k++) p.r[k] = part * mu * a * t[k - 1];
    for (int k = 1; k < dim && kind == 2; k++) p.u[k] = b * t[k - 1];
  }
  return p;
}

static void describe(const point *p, char *out, size_t size) {
  snprintf(out, size,
           "dim %d, mu %g, lambda %.17g, r (%.17g, %.17g, %.17g), u (%.17g, %.17g, %.17g)", p->dim,
           p->mu, p->lambda, p->r[0], p->r[1], p->r[2], p->u[0], p->u[1], p->u[2]);
}

#define FAIL_AT(p, ...)                                                                            \
  do {                                                                                             \
    char at[300], what[200];                                                                       \
    describe(p, at, sizeof at);                                                                    \
    snprintf(what, sizeof what, __VA_ARGS__);                                                      \
    fail_msg("%s at %s", what, at);                                                                \
  } while (0)

static double size_of(const point *p) {
  return length(p->dim, p->u) + p->lambda * length(p->dim, p->r);
}

// ---- tests -------------------------------------------------------------------------------------

static void points_of_the_law_leave_nothing(void **state) {
  (void)state;
  ssi_rng g = {11};
  for (int k = 0; k < MUS * 2 * 3 * 60; k++) {
    point p = point_of_law(&g, 2 + k % 2, mus[k / 2 % MUS], k / 2 / MUS % 3);
    double scale, judged = judged_left(&p, &scale), plain = plain_left(&p), size = size_of(&p);
    // 0.3 and 3/5 have rounding; double-double carries it to 1e-31 of the size, doubles to 1e-15 of mu times it
    if (!(judged <= 1e-15 * size)) FAIL_AT(&p, "judged: left = %g", judged);
    if (p.mu != 0.3 && !(judged <= 1e-28 * size * (1 + p.mu)) && p.mu < 1e8)
      FAIL_AT(&p, "judged: left = %g", judged);
    if (!(plain <= 1e-14 * size * (1 + fmin(p.mu, 100)))) FAIL_AT(&p, "plain: left = %g", plain);
    if (!(distance(&p) <= 1e-15 * size)) FAIL_AT(&p, "own distance %g", distance(&p));
  }
}

// (6'') of docs/theory.md: what friction could do to a contact that closes and hardly presses.
static double missing(const point *p) {
  double closing = -p->u[0], tangent = length(p->dim - 1, p->u + 1);
  bool hardly = p->lambda * length(p->dim, p->r) < closing && closing > 1e-15 * tangent;
  return hardly ? fmin(p->mu * closing, tangent) : 0;
}

// dist <= sqrt 3 left: with u_N within left of 0 the nearest point of the natural map's z moves u by (u_N, F_T) and
// lambda r by F; else lambda |r| <= left, and take-off is as near. Above mu = 98 left may be 100 times a distance.
static void the_law_is_near_where_little_is_left(void **state) {
  (void)state;
  ssi_rng g = {12};
  double most = 0;
  for (int k = 0; k < MUS * 2 * POINTS; k++) {
    point p = random_point(&g, 2 + k % 2, mus[k / 2 % MUS]);
    double left = plain_left(&p), d = distance(&p), blur = 1e-13 * size_of(&p);
    if (!(d <= 1.7321 * left + blur)) FAIL_AT(&p, "distance %g, left %g", d, left);
    if (d > blur) most = fmax(most, d / left);
    double bound = ssi_law_bound(p.dim, p.mu, p.lambda, p.r, p.u);
    if (!(d <= bound * (1 + 1e-9) + blur)) FAIL_AT(&p, "distance %g, bound %g", d, bound);
    // and not much is left where the law is near: |F| <= (2 + mu) distance, above 98 no more than 100 times, but for
    // friction that is missing
    double times = 2 + fmin(p.mu, 98);
    if (!(left <= fmax(times * bound, missing(&p)) * (1 + 1e-9) + blur))
      FAIL_AT(&p, "left %g, bound of the distance %g", left, bound);
    if (p.mu <= 98 && !(left <= times * d * (1 + 1e-6) + blur))
      FAIL_AT(&p, "left %g, distance %g", left, d);
  }
  assert_true(most > 1);  // sharp enough to have been a test
}

static void penetration_and_the_natural_map_are_counted(void **state) {
  (void)state;
  ssi_rng g = {13};
  for (int k = 0; k < MUS * 2 * POINTS; k++) {
    point p = random_point(&g, 2 + k % 2, mus[k / 2 % MUS]);
    double left = plain_left(&p), blur = 1e-13 * size_of(&p), F = natural_size(&p), scale;
    if (p.u[0] < 0 && !(left >= -p.u[0] * (1 - 1e-14))) FAIL_AT(&p, "left %g", left);
    if (p.mu <= 98 && !(left >= F - blur * (1 + p.mu))) FAIL_AT(&p, "left %g, |F| %g", left, F);
    double judged = judged_left(&p, &scale);
    if (p.u[0] < 0 && !(judged >= -p.u[0] * (1 - 1e-9) - blur)) FAIL_AT(&p, "judged %g", judged);
  }
}

static void friction_that_is_missing_is_counted(void **state) {
  (void)state;
  ssi_rng g = {15};
  int large = 0;
  for (int k = 0; k < MUS * 2 * POINTS; k++) {
    point p = random_point(&g, 2 + k % 2, mus[k / 2 % MUS]);
    double scale, slow = pow(10, -12 * ssi_rng_uniform(&g));
    p.u[0] = -slow * fmax(fabs(p.u[0]), 1e-3);
    for (int j = 0; j < p.dim; j++) p.r[j] = 0;
    double left = plain_left(&p), judged = judged_left(&p, &scale), least = missing(&p);
    large += least > 0.5 * length(p.dim, p.u);
    if (!(left >= least * (1 - 1e-12))) FAIL_AT(&p, "left %g, expected %g", left, least);
    if (!(judged >= least * (1 - 1e-9))) FAIL_AT(&p, "judged %g, expected %g", judged, least);
  }
  assert_true(large > 100);
}

static void the_two_measures_agree(void **state) {
  (void)state;
  ssi_rng g = {14};
  for (int k = 0; k < MUS * 2 * POINTS; k++) {
    point p = random_point(&g, 2 + k % 2, mus[k / 2 % MUS]);
    double scale, judged = judged_left(&p, &scale), plain = plain_left(&p);
    double blur = 1e-13 * (1 + fmin(p.mu, 98)) * size_of(&p);
    if (!(fabs(judged - plain) <= blur)) FAIL_AT(&p, "judged %.17g, plain %.17g", judged, plain);
  }
}

// Lengths by a, times by b, forces by c: u and lambda r by a/b alike. Powers of two: not a bit changes.
static void units_change_nothing(void **state) {
  (void)state;
  ssi_rng g = {15};
  for (int k = 0; k < MUS * 2 * POINTS; k++) {
    point p = random_point(&g, 2 + k % 2, mus[k / 2 % MUS]), other = p;
    int speed = ssi_rng_below(&g, 80) - 40, force = ssi_rng_below(&g, 80) - 40;
    other.lambda = ldexp(p.lambda, speed - force);
    for (int i = 0; i < p.dim; i++) {
      other.u[i] = ldexp(p.u[i], speed);
      other.r[i] = ldexp(p.r[i], force);
    }
    double scale, other_scale, judged = judged_left(&p, &scale);
    double other_judged = judged_left(&other, &other_scale);
    if (plain_left(&other) != ldexp(plain_left(&p), speed)) FAIL_AT(&p, "plain: units change it");
    if (other_judged != ldexp(judged, speed)) FAIL_AT(&p, "judged: units change it");
  }
}

// Turning the tangential axes changes rounding only.
static void turns_change_nothing(void **state) {
  (void)state;
  ssi_rng g = {16};
  for (int k = 0; k < MUS * POINTS; k++) {
    point p = random_point(&g, 3, mus[k % MUS]), other = p;
    double a = 6.28 * ssi_rng_uniform(&g), c = cos(a), s = sin(a);
    other.u[1] = c * p.u[1] - s * p.u[2], other.u[2] = s * p.u[1] + c * p.u[2];
    other.r[1] = c * p.r[1] - s * p.r[2], other.r[2] = s * p.r[1] + c * p.r[2];
    double one = plain_left(&p), two = plain_left(&other);
    if (!(fabs(one - two) <= 1e-13 * (1 + fmin(p.mu, 98)) * size_of(&p)))
      FAIL_AT(&p, "%.17g turned %.17g", one, two);
  }
}

// r = 0 with u_N = -1: whatever slides and however large mu is, the error is what penetrates beside |u|.
static void nothing_is_no_answer_to_penetration(void **state) {
  (void)state;
  ssi_rng g = {17};
  for (int k = 0; k < 400; k++) {
    int dim = 2 + k % 2;
    point p = {.dim = dim, .mu = pow(10, 8 + k % 9), .lambda = pow(10, 2 * signed_uniform(&g))};
    double t[2], slide = ssi_rng_below(&g, 4) ? any_size(&g) : 0, scale;
    direction(&g, dim, t);
    p.u[0] = -1;
    for (int i = 1; i < dim; i++) p.u[i] = slide * t[i - 1];
    double judged = judged_left(&p, &scale);
    if (!(judged >= 1 - 1e-12) || !(plain_left(&p) >= 1 - 1e-12))
      FAIL_AT(&p, "judged %g, plain %g", judged, plain_left(&p));
    // reactions that only push sideways help nothing
    for (int i = 1; i < dim; i++) p.r[i] = signed_uniform(&g);
    if (!(judged_left(&p, &scale) >= 1 - 1e-12)) FAIL_AT(&p, "sideways");
  }
}

// What iterations see and what judges: random problems of several contacts at random reactions.
static void the_system_measures_as_the_verdict(void **state) {
  (void)state;
  ssi_rng g = {18};
  for (int k = 0; k < 200; k++) {
    ssi_arena arena = {0};
    int dim = 2 + k % 2, n = 1 + ssi_rng_below(&g, 4), m = dim * n;
    double B[144], W[144] = {0}, q[12], mu[4], r[12], u[12];
    for (int i = 0; i < m * m; i++) B[i] = signed_uniform(&g);
    for (int i = 0; i < m; i++)
      for (int j = 0; j < m; j++)
        for (int l = 0; l < m; l++) W[i * m + j] += B[i * m + l] * B[j * m + l];
    for (int i = 0; i < n; i++) mu[i] = mus[ssi_rng_below(&g, MUS)];
    for (int i = 0; i < m; i++) q[i] = signed_uniform(&g), r[i] = signed_uniform(&g);
    ss_problem p = reduced_problem(&arena, dim, n, W, q, mu);
    ssi_system *s;
    ss_verdict v;
    double error, fclib;
    ss_solution answer = {.r = r};
    assert_int_equal(ssi_system_create(NULL, &p, &s), SS_OK);
    assert_int_equal(ss_verify(NULL, &p, &answer, NULL, NULL, NULL, NULL, &v), SS_OK);
    ssi_system_velocity(s, r, u);
    ssi_system_measure(s, r, u, &error, &fclib);
    assert_near(error, v.error, 1e-12 * (1 + 98));
    ssi_system_destroy(s);
    ssi_arena_release(&arena);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(points_of_the_law_leave_nothing),
      cmocka_unit_test(the_law_is_near_where_little_is_left),
      cmocka_unit_test(penetration_and_the_natural_map_are_counted),
      cmocka_unit_test(friction_that_is_missing_is_counted),
      cmocka_unit_test(the_two_measures_agree),
      cmocka_unit_test(units_change_nothing),
      cmocka_unit_test(turns_change_nothing),
      cmocka_unit_test(nothing_is_no_answer_to_penetration),
      cmocka_unit_test(the_system_measures_as_the_verdict),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
