// cone/onecontact.h: on random blocks, symmetric or not, regular or not, scaled or not, the answer
// is a zero of the natural map; guarded contacts get there by repeated visits.
#include "harness.h"

#include "base/rng.h"
#include "cone/onecontact.h"
#include "la/small.h"

typedef enum kind { PLAIN, SINGULAR, RANK_ONE, BADLY_SCALED, SLIGHTLY_ASYMMETRIC, KINDS } kind;

static double uniform(ssi_rng *g) {
  return 2 * ssi_rng_uniform(g) - 1;
}

// W = A A^T, then bent according to kind.
static void random_block(int dim, kind k, ssi_rng *g, double W[9]) {
  double A[9], scale[3] = {1, 1, 1};
  int columns = k == SINGULAR ? dim - 1 : k == RANK_ONE ? 1 : dim;
  for (int i = 0; i < 9; i++) A[i] = uniform(g);
  if (k == BADLY_SCALED)
    for (int i = 0; i < dim; i++) scale[i] = pow(10, 4 * uniform(g));
  for (int i = 0; i < dim; i++)
    for (int j = 0; j < dim; j++) {
      double sum = 0;
      for (int l = 0; l < columns; l++) sum += A[3 * i + l] * A[3 * j + l];
      W[dim * i + j] = scale[i] * sum * scale[j];
    }
  if (k == SLIGHTLY_ASYMMETRIC) W[1] *= 1 + 1e-3;
}

// b in the range of W, so that a solution exists although W is singular.
static void random_image(int dim, const double W[9], ssi_rng *g, double b[3]) {
  double x[3] = {uniform(g), uniform(g), uniform(g)}, zero[3] = {0};
  ssi_contact_velocity(dim, W, zero, x, b);
}

static double lambda_max(int dim, const double W[9]) {
  double lambda[3];
  if (dim == 2)
    ssi_eig2(W, lambda);
  else
    ssi_eig3(W, lambda);
  return lambda[dim - 1];
}

// |F| / |b|, docs/theory.md (6)
static double residual(int dim, double mu, const double W[9], double lambda, const double b[3],
                       const double r[3]) {
  double u[3], z[3], sum = 0, size = 0;
  ssi_contact_velocity(dim, W, b, r, u);
  ssi_natural_step(dim, mu, 1 / lambda, r, u, z);
  for (int k = 0; k < dim; k++) {
    sum += (r[k] - z[k]) * (r[k] - z[k]) * lambda * lambda;
    size += b[k] * b[k];
  }
  return sqrt(sum / size);
}

// r is a double: u = W r + b cannot be known better than eps |W| |r|.
static double tolerance(double lambda, const double b[3], const double r[3]) {
  double size = fabs(r[0]) + fabs(r[1]) + fabs(r[2]), data = fabs(b[0]) + fabs(b[1]);
  return 1e-12 + 1e-15 * lambda * size / data;
}

static void solves_random_blocks(void **state) {
  (void)state;
  static const double friction[] = {0, 1e-3, 0.3, 1, 30, 1e8};
  for (int dim = 2; dim <= 3; dim++) {
    ssi_rng g = {.state = 11};
    int guarded = 0, slips = 0;
    double worst = 0;
    for (int trial = 0; trial < 60000; trial++) {
      ssi_contact c;
      kind k = (kind)(trial % KINDS);
      double mu = friction[trial / KINDS % 6], b[3], r[3] = {0};
      double W[9] = {0};
      random_block(dim, k, &g, W);
      for (int i = 0; i < dim; i++) b[i] = uniform(&g);
      if (k == SINGULAR || k == RANK_ONE) random_image(dim, W, &g, b);
      double lambda = lambda_max(dim, W);
      ssi_contact_prepare(&c, dim, W, mu, lambda);
      if (c.guarded) {
        guarded++;
        continue;
      }
      ssi_contact_solve(&c, dim, b, r);
      slips += c.slip > 0;
      double error = residual(dim, mu, W, lambda, b, r) / tolerance(lambda, b, r);
      if (error > worst) worst = error;
      if (error > 1)
        fail_msg("dim %d trial %d kind %d mu %g: %g times the tolerance", dim, trial, (int)k, mu,
                 error);
    }
    print_message("dim %d: %d guarded, %d slips, worst residual %.2g of the tolerance\n", dim,
                  guarded, slips, worst);
    assert_true(guarded > 1000 && guarded < 50000);
    if (dim == 3) assert_true(slips > 1000);
  }
}

// Every answer of a contact with several is known in closed form or as the root of a polynomial; visits
// go to it at once (2D) or by a fixed part of the way (3D), also where W is singular or badly scaled.
static void guarded_contacts_converge(void **state) {
  (void)state;
  enum { VISITS = 200 };
  for (int dim = 2; dim <= 3; dim++) {
    ssi_rng g = {.state = 5};
    int tried = 0, solved = 0;
    for (int trial = 0; trial < 20000; trial++) {
      ssi_contact c;
      kind k = (kind)(trial % (KINDS - 1));  // an asymmetric W may leave no answer
      double mu = 0.5 + 2 * ssi_rng_uniform(&g), b[3], r[3] = {0};
      double W[9] = {0};
      random_block(dim, k, &g, W);
      for (int i = 0; i < dim; i++) b[i] = uniform(&g);
      if (k == SINGULAR || k == RANK_ONE) random_image(dim, W, &g, b);
      double lambda = lambda_max(dim, W), error = INFINITY;
      ssi_contact_prepare(&c, dim, W, mu, lambda);
      if (!c.guarded) continue;
      tried++;
      for (int visit = 0; visit < (dim == 2 ? 1 : VISITS) && !(error <= 10); visit++) {
        ssi_contact_solve(&c, dim, b, r);
        error = residual(dim, mu, W, lambda, b, r) / tolerance(lambda, b, r);
      }
      solved += error <= 10;
    }
    print_message("dim %d: %d of %d guarded contacts solved\n", dim, solved, tried);
    assert_true(tried > 3000);
    assert_true(solved >= 0.999 * tried);
  }
}

// Indefinite blocks (not of this world, but of rounded files) may have no answer; r stays in the cone.
static void indefinite_blocks_stay_in_the_cone(void **state) {
  (void)state;
  for (int dim = 2; dim <= 3; dim++) {
    ssi_rng g = {.state = 6};
    for (int trial = 0; trial < 20000; trial++) {
      ssi_contact c;
      double mu = 2 * ssi_rng_uniform(&g), b[3], r[3] = {0}, W[9] = {0};
      random_block(dim, PLAIN, &g, W);
      for (int i = 1; i < dim; i++) W[(dim + 1) * i] -= 0.5 * ssi_rng_uniform(&g);
      for (int i = 0; i < dim; i++) b[i] = uniform(&g);
      ssi_contact_prepare(&c, dim, W, mu, lambda_max(dim, W));
      for (int visit = 0; visit < 20; visit++) {
        ssi_contact_solve(&c, dim, b, r);
        assert_true(isfinite(r[0]) && ssi_tangent_norm(dim, r) <= mu * r[0] * (1 + 1e-12));
        b[0] += 1e-3 * uniform(&g);
      }
    }
  }
}

static void inert_contacts_stay_finite(void **state) {
  (void)state;
  for (int dim = 2; dim <= 3; dim++) {
    ssi_contact c;
    double W[9] = {0}, b[3] = {-1, 1, 1}, r[3] = {1, 2, 3};
    ssi_contact_prepare(&c, dim, W, 0.5, 0);  // W = 0: nothing it touches can move
    ssi_contact_solve(&c, dim, b, r);
    for (int k = 0; k < dim; k++) assert_true(r[k] == 0);
    W[0] = 2;  // only the normal reacts: r_T is not determined by u_T = b_T
    ssi_contact_prepare(&c, dim, W, 0.5, 2);
    ssi_contact_solve(&c, dim, b, r);
    assert_near(r[0], 0.5, 1e-15);
    assert_near(ssi_tangent_norm(dim, r), 0.25, 1e-12);
    assert_true(r[1] < 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(solves_random_blocks),
      cmocka_unit_test(guarded_contacts_converge),
      cmocka_unit_test(indefinite_blocks_stay_in_the_cone),
      cmocka_unit_test(inert_contacts_stay_finite),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
