// The algebra of the second-order cone: properties on random points, many of them so near the boundary
// that x_0 - |x_T| in double has no correct digit; long double is the reference there.
#include "harness.h"

#include "base/rng.h"
#include "cone/soc.h"

enum { TRIALS = 20000 };

typedef struct sample {
  int dim;
  double x[3], margin;
} sample;

static double uniform(ssi_rng *g) {
  return 2 * ssi_rng_uniform(g) - 1;
}

// Inside Q: tangent of size 10^-3..10^3 (sometimes 0), margin of 10^-low..10^3 of it.
static sample inside(ssi_rng *g, int dim, double low) {
  sample s = {.dim = dim};
  double size = pow(10, 3 * uniform(g));
  for (int k = 1; k < dim; k++) s.x[k] = ssi_rng_below(g, 20) ? size * uniform(g) : 0;
  s.margin = size * pow(10, 3 - (3 + low) * ssi_rng_uniform(g));
  s.x[0] = s.margin + ssi_soc_tangent(dim, s.x);
  return s;
}

static double largest(int dim, const double *x) {
  double top = 0;
  for (int k = 0; k < dim; k++) top = fmax(top, fabs(x[k]));
  return top;
}

static void the_quotient_undoes_the_product(void **state) {
  (void)state;
  ssi_rng g = {.state = 1};
  for (int trial = 0; trial < TRIALS; trial++) {
    int dim = 2 + trial % 2;
    sample s = inside(&g, dim, 3);
    double y[3], product[3], back[3];
    for (int k = 0; k < dim; k++) y[k] = uniform(&g);
    ssi_soc_product(dim, s.x, y, product);
    assert_near(product[0], ssi_soc_dot(dim, s.x, y), 1e-14);
    ssi_soc_divide(dim, s.x, s.margin, product, back);
    double condition = s.x[0] / s.margin;
    for (int k = 0; k < dim; k++) assert_true(fabs(back[k] - y[k]) <= 1e-14 * condition + 1e-13);
  }
}

static void the_scaling_maps_one_point_to_the_other(void **state) {
  (void)state;
  ssi_rng g = {.state = 2};
  for (int trial = 0; trial < TRIALS; trial++) {
    int dim = 2 + trial % 2;
    sample z = inside(&g, dim, 2), y = inside(&g, dim, 2);
    ssi_scaling f = {0};
    assert_true(ssi_soc_scaling(dim, z.x, z.margin, y.x, y.margin, &f));
    double a[3], b[3], P[9], N[9], size = largest(dim, f.lambda);
    ssi_soc_map(dim, &f, 1, z.x, a);   // F z
    ssi_soc_map(dim, &f, -1, y.x, b);  // F^-1 y
    double w = f.w[0] * f.w[0];
    for (int k = 0; k < dim; k++) {
      assert_true(fabs(a[k] - f.lambda[k]) <= 1e-13 * w * size);
      assert_true(fabs(b[k] - f.lambda[k]) <= 1e-13 * w * size);
    }
    // lambda is as large as the gap says and lies in Q
    double gap = ssi_soc_gap(dim, z.x, z.margin, y.x, y.margin);
    assert_true(fabs(ssi_soc_dot(dim, f.lambda, f.lambda) - gap) <= 1e-12 * gap);
    assert_true(f.lambda[0] > ssi_soc_tangent(dim, f.lambda) * (1 - 1e-12));
    ssi_soc_square(dim, &f, 1, P);
    ssi_soc_square(dim, &f, -1, N);
    for (int k = 0; k < dim; k++) {
      double image = 0;
      for (int l = 0; l < dim; l++) image += P[dim * k + l] * z.x[l];
      assert_true(fabs(image - y.x[k]) <= 1e-13 * w * w * largest(dim, y.x));
      for (int l = 0; l < dim; l++) {
        double unit = 0;
        for (int j = 0; j < dim; j++) unit += P[dim * k + j] * N[dim * j + l];
        assert_true(fabs(unit - (k == l)) <= 1e-13 * w * w);
      }
    }
  }
}

// z.y of nearly orthogonal points on the boundary, against long double.
static void the_gap_keeps_its_digits(void **state) {
  (void)state;
  ssi_rng g = {.state = 3};
  for (int trial = 0; trial < TRIALS; trial++) {
    int dim = 2 + trial % 2;
    double angle = 6.3 * ssi_rng_uniform(&g), off = pow(10, -4 * ssi_rng_uniform(&g));
    double z[3] = {0, cos(angle), sin(angle)};
    double y[3] = {0, -cos(angle + off), -sin(angle + off)};
    if (dim == 2) z[1] = 1, y[1] = -1;
    double margin_z = pow(10, -14 * ssi_rng_uniform(&g)),
           margin_y = pow(10, -14 * ssi_rng_uniform(&g));
    z[0] = margin_z + ssi_soc_tangent(dim, z);
    y[0] = margin_y + ssi_soc_tangent(dim, y);
    long double tz = 0, ty = 0, along = 0;
    for (int k = 1; k < dim; k++) {
      tz += (long double)z[k] * z[k];
      ty += (long double)y[k] * y[k];
      along += (long double)z[k] * y[k];
    }
    tz = sqrtl(tz), ty = sqrtl(ty);
    long double exact = (margin_z + tz) * (margin_y + ty) + along;
    double found = ssi_soc_gap(dim, z, margin_z, y, margin_y);
    // off is carried by components with errors of 1e-16 each: relative 1e-16 / off
    assert_true(fabsl(found - exact) <= (1e-15 + 1e-15 / off) * exact + 1e-18L);
  }
}

static void the_margin_follows_a_small_move(void **state) {
  (void)state;
  ssi_rng g = {.state = 4};
  for (int trial = 0; trial < TRIALS; trial++) {
    int dim = 2 + trial % 2;
    sample s = inside(&g, dim, 14);
    double d[3], small = s.margin;
    for (int k = 0; k < dim; k++) d[k] = small * uniform(&g);
    long double before = 0, after = 0;
    for (int k = 1; k < dim; k++) {
      before += (long double)s.x[k] * s.x[k];
      after += ((long double)s.x[k] + d[k]) * ((long double)s.x[k] + d[k]);
    }
    long double exact = s.margin + d[0] - (sqrtl(after) - sqrtl(before));
    double found = ssi_soc_margin_after(dim, s.x, s.margin, d);
    assert_true(fabsl(found - exact) <= 1e-14 * s.margin + 1e-18 * s.x[0]);
  }
}

static void the_step_ends_on_the_boundary(void **state) {
  (void)state;
  ssi_rng g = {.state = 5};
  int inner = 0, outer = 0;
  for (int trial = 0; trial < TRIALS; trial++) {
    int dim = 2 + trial % 2;
    sample s = inside(&g, dim, 6);
    double d[3], part[3], size = pow(10, 2 * uniform(&g)) * s.x[0];
    for (int k = 0; k < dim; k++) d[k] = size * uniform(&g);
    double step = ssi_soc_step(dim, s.x, s.margin, d);
    assert_true(step > 0 && step <= 1);
    for (int k = 0; k < dim; k++) part[k] = 0.999 * step * d[k];
    assert_true(ssi_soc_margin_after(dim, s.x, s.margin, part) > 0);
    if (step == 1) {
      inner++;
      continue;
    }
    outer++;
    for (int k = 0; k < dim; k++) part[k] = step * d[k];
    double scale = s.margin + largest(dim, part);
    assert_true(fabs(ssi_soc_margin_after(dim, s.x, s.margin, part)) <= 1e-9 * scale);
    for (int k = 0; k < dim; k++) part[k] = 1.001 * step * d[k];
    assert_true(ssi_soc_margin_after(dim, s.x, s.margin, part) < 0);
  }
  assert_true(inner > 1000 && outer > 1000);
}

// x_T = 0 is the half-line x_0 >= 0, and stays it.
static void the_half_line_is_a_cone_too(void **state) {
  (void)state;
  for (int dim = 2; dim <= 3; dim++) {
    double z[3] = {3}, y[3] = {0.5}, d[3] = {-4}, out[3], P[9];
    ssi_scaling f = {0};
    assert_true(ssi_soc_scaling(dim, z, 3, y, 0.5, &f));
    assert_near(f.lambda[0], sqrt(1.5), 1e-15);
    ssi_soc_square(dim, &f, 1, P);
    assert_near(P[0], 0.5 / 3, 1e-15);
    ssi_soc_divide(dim, z, 3, y, out);
    assert_near(out[0], 0.5 / 3, 1e-15);
    for (int k = 1; k < dim; k++) assert_true(f.lambda[k] == 0 && out[k] == 0 && P[k] == 0);
    assert_near(ssi_soc_step(dim, z, 3, d), 0.75, 1e-15);
    assert_near(ssi_soc_gap(dim, z, 3, y, 0.5), 1.5, 1e-15);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_quotient_undoes_the_product),
      cmocka_unit_test(the_scaling_maps_one_point_to_the_other),
      cmocka_unit_test(the_gap_keeps_its_digits),
      cmocka_unit_test(the_margin_follows_a_small_move),
      cmocka_unit_test(the_step_ends_on_the_boundary),
      cmocka_unit_test(the_half_line_is_a_cone_too),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
