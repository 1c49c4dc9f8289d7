// fem/: shape functions, structured meshes, the patch test, orders of convergence on a manufactured solution,
// loads, errors that name what is wrong.
#include "harness.h"

#include "elastic/march.h"
#include "fem/continuum.h"
#include "la/factor.h"
#include "la/sparse.h"

static const ss_elastic_material steel = {.name = "steel", .E = 3, .nu = 0.3, .rho = 2};
static const int first_material[8] = {0};

static ss_mesh *grid(int dim, ss_element_kind kind, int cells) {
  static ss_context ctx;
  ss_zone zone[3] = {{1, cells, 1}, {1, cells, 1.5}, {1, cells, 0.8}};
  ss_grid g = {.dim = dim, .kind = kind};
  for (int a = 0; a < dim; a++) g.axis[a] = (ss_axis){0, 1, &zone[a]};
  ss_mesh *m = NULL;
  if (ss_mesh_grid(&ctx, &g, &m)) fail_msg("%s", ctx.message);
  if (ss_mesh_check(&ctx, m)) fail_msg("%s", ctx.message);
  return m;
}

static ssi_continuum solid_of(const ss_mesh *m) {
  return (ssi_continuum){m, &steel, first_material, SS_PLANE_STRAIN, 1};
}

static const ss_element_kind plane_kinds[] = {SS_TRIANGLE3, SS_TRIANGLE6, SS_QUAD4, SS_QUAD9};
static const ss_element_kind all_kinds[] = {SS_TRIANGLE3, SS_TRIANGLE6, SS_QUAD4,
                                            SS_QUAD9,     SS_TET4,      SS_HEX8};

// Inner nodes out of their lattice, so that elements are not all alike.
static void shake(ss_mesh *m) {
  double *x = (double *)(uintptr_t)m->x;
  for (int k = 0; k < m->nodes; k++) {
    bool inside = true;
    for (int a = 0; a < m->dim; a++)
      inside = inside && x[k * m->dim + a] > 1e-9 && x[k * m->dim + a] < 1 - 1e-9;
    for (int a = 0; inside && a < m->dim; a++) x[k * m->dim + a] += 0.02 * sin(17.0 * k + 3.0 * a);
  }
}

// ---- elements --------------------------------------------------------------------------------------

static void test_shapes(void **state) {
  (void)state;
  for (int kind = 0; kind < SSI_ELEMENT_KINDS; kind++) {
    const ssi_cell_kind *e = ssi_element_of((ss_element_kind)kind);
    double N[SSI_ELEMENT_NODES], dN[3 * SSI_ELEMENT_NODES], volume = 0;
    for (int p = 0; p < e->nodes && e->dim; p++) {  // 1 at its own node, 0 at the others
      ssi_shape(e, e->at + p * e->dim, N, dN);
      for (int q = 0; q < e->nodes; q++) assert_near(N[q], p == q, 1e-15);
    }
    for (int k = 0; k < e->points; k++) {  // the sum is 1, its derivatives 0, those right
      const double *at = e->rule + k * (e->dim + 1);
      double sum = 0, slope[3] = {0}, step = 1e-6;
      volume += at[e->dim];
      ssi_shape(e, at, N, dN);
      for (int p = 0; p < e->nodes; p++) sum += N[p];
      assert_near(sum, 1, 1e-14);
      for (int a = 0; a < e->dim; a++) {
        double moved[3] = {0}, M[SSI_ELEMENT_NODES], dM[3 * SSI_ELEMENT_NODES];
        for (int b = 0; b < e->dim; b++) moved[b] = at[b] + (a == b ? step : 0);
        ssi_shape(e, moved, M, dM);
        for (int p = 0; p < e->nodes; p++) {
          slope[a] += dN[p * e->dim + a];
          assert_near((M[p] - N[p]) / step, dN[p * e->dim + a], 1e-5);
        }
        assert_near(slope[a], 0, 1e-14);
      }
    }
    double whole = e->simplex ? (e->dim == 2 ? 0.5 : 1. / 6) : pow(2, e->dim);
    assert_near(volume, whole, 1e-14);
  }
}

static void test_grids(void **state) {
  (void)state;
  for (size_t k = 0; k < sizeof all_kinds / sizeof *all_kinds; k++) {
    int dim = ss_element_dim(all_kinds[k]);
    ss_mesh *m = grid(dim, all_kinds[k], 3);
    ssi_continuum s = solid_of(m);
    static ss_context ctx;
    ssi_arena arena = {.ctx = &ctx};
    ss_sparse M;
    assert_int_equal(ssi_assemble_continuum(&ctx, &arena, &s, SSI_MASS, &M), SS_OK);
    double mass = 0;
    for (int64_t i = 0; i < ssi_sparse_entries(&M); i++) mass += M.x[i];
    assert_near(mass, dim * steel.rho, 1e-12);  // of the unit square or cube, once per axis
    // the normals of its boundary are those of the unit cube, and their areas sum to its surface
    const int *neighbour;
    assert_int_equal(ssi_mesh_neighbours(&ctx, &arena, m, &neighbour), SS_OK);
    double sum[3] = {0}, area = 0;
    for (int i = 0; i < m->sides.count; i++) {
      const ssi_cell_kind *e = ssi_element_of(m->sides.kind[i]);
      double x[3 * SSI_ELEMENT_NODES], n[3];
      assert_true(neighbour[i] >= 0);
      ssi_cell_places(m, &m->sides, i, x);
      for (int p = 0; p < e->points; p++) {
        ssi_gauss at;
        ssi_gauss_at(e, x, dim, p, &at);
        ssi_side_normal(m, i, neighbour[i], e->rule + p * (e->dim + 1), n);
        area += at.weight;
        for (int a = 0; a < dim; a++) sum[a] += at.weight * fabs(n[a]);
      }
    }
    assert_near(area, dim == 2 ? 4 : 6, 1e-12);
    for (int a = 0; a < dim; a++) assert_near(sum[a], 2, 1e-12);
    ssi_arena_release(&arena);
    ss_mesh_destroy(m);
  }
}

// ---- patch test ------------------------------------------------------------------------------------

// A linear displacement on the boundary gives itself inside, and a constant stress.
static void patch(const ss_mesh *m, ss_plane plane, double tolerance) {
  static ss_context ctx;
  ssi_arena arena = {.ctx = &ctx};
  ssi_continuum s = solid_of(m);
  s.plane = plane;
  int dim = m->dim, n = dim * m->nodes, free_count = 0;
  static const double A[3][3] = {{0.3, -0.1, 0.2}, {0.4, 0.7, -0.5}, {-0.2, 0.6, 0.1}};
  double *q = SSI_TAKE(&arena, n, double), *f = SSI_TAKE(&arena, n, double);
  double *sigma = SSI_TAKE(&arena, 6 * m->elements.count, double);
  int *place = SSI_TAKE(&arena, n, int);
  bool *edge = SSI_TAKE(&arena, m->nodes, bool);
  for (int p = 0; p < m->sides.first[m->sides.count]; p++) edge[m->sides.node[p]] = true;
  for (int i = 0; i < n; i++) {
    for (int b = 0; b < dim; b++) q[i] += A[i % dim][b] * m->x[i / dim * dim + b];
    place[i] = edge[i / dim] ? -1 : free_count++;
  }
  ss_structure st = {.dim = dim, .ndof = n};
  ss_sparse A_ff;
  assert_int_equal(ssi_assemble_continuum(&ctx, &arena, &s, SSI_STIFFNESS, &st.K), SS_OK);
  assert_true(ssi_restrict_sum(&arena, &st, (ssi_weights){0, 0, 1}, place, free_count, &A_ff));
  double *held = SSI_TAKE(&arena, n, double), *rhs = SSI_TAKE(&arena, n, double);
  for (int i = 0; i < n; i++) held[i] = place[i] < 0 ? q[i] : 0;
  ssi_sparse_multiply_add(&st.K, held, f);
  for (int i = 0; i < n; i++)
    if (place[i] >= 0) rhs[place[i]] = -f[i];
  ssi_factor *factor;
  assert_int_equal(ssi_factor_create(&ctx, &A_ff, &factor), SS_OK);
  assert_int_equal(ssi_factor_solve(factor, rhs, rhs), SS_OK);
  assert_true(free_count > 0);
  for (int i = 0; i < n; i++)
    if (place[i] >= 0) assert_near(rhs[place[i]], q[i], tolerance);
  ssi_stresses(&s, q, sigma);
  ssi_lame l = ssi_lame_of(&steel, dim, plane);
  double trace = 0;
  for (int a = 0; a < dim; a++) trace += A[a][a];
  for (int k = 0; k < m->elements.count; k++) {
    assert_near(sigma[6 * k], l.lambda * trace + 2 * l.G * A[0][0], 1e-12);
    assert_near(sigma[6 * k + 1], l.lambda * trace + 2 * l.G * A[1][1], 1e-12);
    assert_near(sigma[6 * k + 3], l.G * (A[0][1] + A[1][0]), 1e-12);
    if (dim == 2)
      assert_near(sigma[6 * k + 2], plane == SS_PLANE_STRESS ? 0 : l.lambda * trace, 1e-12);
  }
  ssi_factor_destroy(factor);
  ssi_arena_release(&arena);
}

static void test_patch(void **state) {
  (void)state;
  for (size_t k = 0; k < sizeof all_kinds / sizeof *all_kinds; k++) {
    ss_mesh *m = grid(ss_element_dim(all_kinds[k]), all_kinds[k], 4);
    if (all_kinds[k] != SS_TRIANGLE6 && all_kinds[k] != SS_QUAD9) shake(m);  // straight sides
    patch(m, SS_PLANE_STRAIN, 1e-12);
    patch(m, SS_PLANE_STRESS, 1e-12);
    ss_mesh_destroy(m);
  }
}

// ---- a manufactured solution -------------------------------------------------------------------------

// u = (sin(pi x) sin(pi y), x y (1 - x) (1 - y)), zero on the boundary of the unit square; f = -div sigma.
static const double PI = 3.14159265358979323846;
static void exact(const double x[3], double u[2], double du[2][2]) {
  double s = sin(PI * x[0]), c = cos(PI * x[0]), t = sin(PI * x[1]), d = cos(PI * x[1]);
  double p = x[0] * (1 - x[0]), q = x[1] * (1 - x[1]);
  u[0] = s * t, u[1] = p * q;
  du[0][0] = PI * c * t, du[0][1] = PI * s * d;
  du[1][0] = (1 - 2 * x[0]) * q, du[1][1] = p * (1 - 2 * x[1]);
}

static void force(void *user, const double x[3], double f[3]) {
  const ssi_lame *l = user;
  double s = sin(PI * x[0]), c = cos(PI * x[0]), t = sin(PI * x[1]), d = cos(PI * x[1]);
  double p = x[0] * (1 - x[0]), q = x[1] * (1 - x[1]), dp = 1 - 2 * x[0], dq = 1 - 2 * x[1];
  double xx[2] = {-PI * PI * s * t, -2 * q}, yy[2] = {-PI * PI * s * t, -2 * p};
  double xy[2] = {PI * PI * c * d, dp * dq};
  // (lambda + G) grad div u + G laplace u
  f[0] = -((l->lambda + l->G) * (xx[0] + xy[1]) + l->G * (xx[0] + yy[0]));
  f[1] = -((l->lambda + l->G) * (xy[0] + yy[1]) + l->G * (xx[1] + yy[1]));
}

// Errors in L2 and in the energy norm.
static void errors(const ss_mesh *m, const double *q, ssi_lame l, double out[2]) {
  out[0] = out[1] = 0;
  for (int k = 0; k < m->elements.count; k++) {
    const ssi_cell_kind *e = ssi_element_of(m->elements.kind[k]);
    double x[3 * SSI_ELEMENT_NODES];
    ssi_cell_places(m, &m->elements, k, x);
    for (int point = 0; point < e->points; point++) {
      ssi_gauss at;
      double u[2], du[2][2];
      ssi_gauss_at(e, x, 2, point, &at);
      exact(at.x, u, du);
      for (int p = 0; p < e->nodes; p++)
        for (int a = 0; a < 2; a++) {
          double value = q[2 * m->elements.node[m->elements.first[k] + p] + a];
          u[a] -= at.N[p] * value;
          for (int b = 0; b < 2; b++) du[a][b] -= at.g[p][b] * value;
        }
      double trace = du[0][0] + du[1][1], shear = du[0][1] + du[1][0];
      out[0] += at.weight * (u[0] * u[0] + u[1] * u[1]);
      out[1] +=
          at.weight * (l.lambda * trace * trace +
                       2 * l.G * (du[0][0] * du[0][0] + du[1][1] * du[1][1]) + l.G * shear * shear);
    }
  }
  out[0] = sqrt(out[0]), out[1] = sqrt(out[1]);
}

static void solve_manufactured(ss_element_kind kind, int cells, double out[2]) {
  static ss_context ctx;
  ss_mesh *m = grid(2, kind, cells);
  ssi_continuum s = solid_of(m);
  ssi_lame l = ssi_lame_of(&steel, 2, SS_PLANE_STRAIN);
  ssi_arena arena = {.ctx = &ctx};
  int n = 2 * m->nodes, count = 0;
  double *f = SSI_TAKE(&arena, n, double), *q = SSI_TAKE(&arena, n, double);
  double *rhs = SSI_TAKE(&arena, n, double);
  int *place = SSI_TAKE(&arena, n, int);
  for (int p = 0; p < m->sides.first[m->sides.count]; p++)
    place[2 * m->sides.node[p]] = place[2 * m->sides.node[p] + 1] = -1;
  for (int i = 0; i < n; i++)
    if (place[i] == 0) place[i] = count++;
  ssi_add_body_force(&s, true, force, &l, f);
  ss_structure st = {.dim = 2, .ndof = n};
  ss_sparse A;
  assert_int_equal(ssi_assemble_continuum(&ctx, &arena, &s, SSI_STIFFNESS, &st.K), SS_OK);
  assert_true(ssi_restrict_sum(&arena, &st, (ssi_weights){0, 0, 1}, place, count, &A));
  for (int i = 0; i < n; i++)
    if (place[i] >= 0) rhs[place[i]] = f[i];
  ssi_factor *factor;
  assert_int_equal(ssi_factor_create(&ctx, &A, &factor), SS_OK);
  assert_int_equal(ssi_factor_solve(factor, rhs, rhs), SS_OK);
  for (int i = 0; i < n; i++) q[i] = place[i] >= 0 ? rhs[place[i]] : 0;
  errors(m, q, l, out);
  ssi_factor_destroy(factor);
  ssi_arena_release(&arena);
  ss_mesh_destroy(m);
}

static void test_orders(void **state) {
  (void)state;
  for (size_t k = 0; k < sizeof plane_kinds / sizeof *plane_kinds; k++) {
    double coarse[2], fine[2];
    int order = ssi_element_of(plane_kinds[k])->order;
    solve_manufactured(plane_kinds[k], 8, coarse);
    solve_manufactured(plane_kinds[k], 16, fine);
    double l2 = log2(coarse[0] / fine[0]), energy = log2(coarse[1] / fine[1]);
    print_message("%-10s orders: L2 %.2f, energy %.2f\n", ss_element_name(plane_kinds[k]), l2,
                  energy);
    assert_in_range((long)(100 * l2), 100 * (order + 1) - 12, 100 * (order + 1) + 15);
    assert_in_range((long)(100 * energy), 100 * order - 12, 100 * order + 15);
  }
}

// ---- loads, errors -----------------------------------------------------------------------------------

static void test_pressure(void **state) {
  (void)state;
  static ss_context ctx;
  for (size_t k = 0; k < sizeof all_kinds / sizeof *all_kinds; k++) {
    int dim = ss_element_dim(all_kinds[k]);
    ss_mesh *m = grid(dim, all_kinds[k], 3);
    ssi_continuum s = solid_of(m);
    double *f = calloc((size_t)(dim * m->nodes), sizeof *f), sum[3] = {0}, none[3] = {0};
    int top = ss_mesh_boundary(m, "top");
    assert_int_equal(ssi_add_traction(&ctx, &s, top, none, 5, f), SS_OK);
    for (int i = 0; i < dim * m->nodes; i++) sum[i % dim] += f[i];
    for (int a = 0; a < dim; a++) assert_near(sum[a], a == dim - 1 ? -5 : 0, 1e-12);
    free(f);
    ss_mesh_destroy(m);
  }
}

static void test_inverted(void **state) {
  (void)state;
  ss_context ctx = {0};
  ss_mesh *m = grid(2, SS_QUAD4, 3);
  int *node = (int *)(uintptr_t)m->elements.node + m->elements.first[4], swap = node[1];
  node[1] = node[3], node[3] = swap;
  assert_int_equal(ss_mesh_check(&ctx, m), SS_ERR_DATA);
  assert_non_null(strstr(ctx.message, "element 4 (quad4, domain all) is inverted"));
  swap = node[1], node[1] = node[3], node[3] = swap;
  ((double *)(uintptr_t)m->x)[5] = NAN;
  assert_int_equal(ss_mesh_check(&ctx, m), SS_ERR_DATA);
  assert_non_null(strstr(ctx.message, "node 2"));
  ss_mesh_destroy(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_shapes),   cmocka_unit_test(test_grids),
      cmocka_unit_test(test_patch),    cmocka_unit_test(test_orders),
      cmocka_unit_test(test_pressure), cmocka_unit_test(test_inverted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
