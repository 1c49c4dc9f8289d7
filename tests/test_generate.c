// problem/generate.c, masonry.c, packing.c, settle.c, rigid.c: generated problems are what they say:
// counts, kinematics (H against the motion of the bodies), loads, and the same bits every time.
#include "harness.h"

#include "base/rng.h"
#include "budget.h"
#include "la/sparse.h"
#include "problem/packing.h"
#include "problem/rigid.h"
#include "stickslip/generate.h"

// ---- helpers --------------------------------------------------------------------------------

static ss_problem *pile(int dim, int contacts, uint64_t seed) {
  ss_pile_options o = ss_pile_options_default();
  o.dim = dim, o.contacts = contacts, o.seed = seed;
  ss_problem *p = NULL;
  assert_int_equal(ss_generate_pile(NULL, &o, &p), SS_OK);
  return p;
}

// The spheres behind pile(dim, contacts, seed).
static ssi_packing packing_of(ssi_arena *arena, int dim, int contacts, uint64_t seed) {
  ss_pile_options o = ss_pile_options_default();
  ssi_settle_options s = {
      .dim = dim, .spread = o.radius_spread, .gap_tol = o.gap_tol, .seed = seed};
  ssi_packing p;
  assert_int_equal(ssi_packing_create(NULL, &s, contacts, arena, &p), SS_OK);
  return p;
}

static double pair_gap(const ssi_sphere *a, const ssi_sphere *b) {
  double square = 0;
  for (int k = 0; k < 3; k++) square += (a->x[k] - b->x[k]) * (a->x[k] - b->x[k]);
  return sqrt(square) - a->r - b->r;
}

static double wall_gap(const ssi_packing *p, const ssi_sphere *a, int b) {
  int k = (-1 - b) / 2;
  return ((-1 - b) % 2 ? p->width - a->x[k] : a->x[k]) - a->r;
}

static double contact_gap(const ssi_packing *p, const ssi_sphere *spheres, int i) {
  ssi_packing_contact c = p->contact[i];
  return c.b < 0 ? wall_gap(p, spheres + c.a, c.b) : pair_gap(spheres + c.a, spheres + c.b);
}

static double *relative_velocity(const ss_problem *p, const double *v) {
  double *u = calloc((size_t)p->H.rows + 1, sizeof *u);
  ssi_sparse_multiply_add(&p->H, v, u);
  return u;
}

// v of a rigid motion x -> t + omega x x of all bodies at once (2D: omega about the third axis)
static void rigid_motion(int dim, int bodies, const double *centres, int stride, const double t[3],
                         const double w[3], double *v) {
  for (int i = 0; i < bodies; i++) {
    const double *c = centres + (size_t)i * stride;
    double spin[3] = {w[1] * c[2] - w[2] * c[1], w[2] * c[0] - w[0] * c[2],
                      w[0] * c[1] - w[1] * c[0]};
    for (int k = 0; k < dim; k++) *v++ = t[k] + spin[k];
    for (int k = dim == 2 ? 2 : 0; k < 3; k++) *v++ = w[k];
  }
}

static bool is_external(const ss_problem *p, int contact) {
  int64_t row = (int64_t)contact * p->dim;
  return p->H.ptr[row + 1] - p->H.ptr[row] == (p->dim == 2 ? 3 : 6);
}

// The rows of contact i on the velocity of its first body: the contact frame, up to a common sign.
static void linear_part(const ss_problem *p, int i, double e[3][3]) {
  memset(e, 0, 9 * sizeof(double));
  for (int row = 0; row < p->dim; row++)
    for (int k = 0; k < p->dim; k++) e[row][k] = p->H.x[p->H.ptr[p->dim * i + row] + k];
}

static void check_canonical(const ss_sparse *A) {
  assert_int_equal(A->ptr[0], 0);
  for (int i = 0; i < A->rows; i++)
    for (int64_t k = A->ptr[i]; k < A->ptr[i + 1]; k++) {
      assert_true(isfinite(A->x[k]));
      assert_in_range(A->col[k], k > A->ptr[i] ? A->col[k - 1] + 1 : 0, A->cols - 1);
    }
}

static void check_shape(const ss_problem *p) {
  assert_int_equal(p->form, SS_GLOBAL);
  assert_int_equal(p->H.rows, p->dim * p->nc);
  assert_int_equal(p->H.cols, p->ndof);
  assert_int_equal(p->M.rows, p->ndof);
  check_canonical(&p->H);
  check_canonical(&p->M);
  for (int i = 0; i < p->ndof; i++) assert_true(p->M.x[i] > 0 && isfinite(p->f[i]));
  for (int i = 0; i < p->H.rows; i++) assert_true(p->w[i] == 0);
}

static uint64_t fnv(uint64_t h, const void *data, size_t bytes) {
  const unsigned char *c = data;
  for (size_t i = 0; i < bytes; i++) h = (h ^ c[i]) * 0x100000001b3u;
  return h;
}

static uint64_t hash_sparse(uint64_t h, const ss_sparse *A) {
  h = fnv(h, A->ptr, ((size_t)A->rows + 1) * sizeof *A->ptr);
  h = fnv(h, A->col, (size_t)A->ptr[A->rows] * sizeof *A->col);
  return fnv(h, A->x, (size_t)A->ptr[A->rows] * sizeof *A->x);
}

static uint64_t hash(const ss_problem *p) {
  uint64_t h = hash_sparse(hash_sparse(0xcbf29ce484222325u, &p->M), &p->H);
  h = fnv(h, p->f, (size_t)p->ndof * sizeof *p->f);
  h = fnv(h, p->w, (size_t)p->H.rows * sizeof *p->w);
  return fnv(h, p->mu, (size_t)p->nc * sizeof *p->mu);
}

// ---- piles ----------------------------------------------------------------------------------

static void piles_have_the_wanted_number_of_contacts(void **state) {
  (void)state;
  const int wanted[] = {100, 1000, 10000, 20000};  // the last one with a pilot
  for (int dim = 2; dim <= 3; dim++)
    for (int i = 0; i < 4; i++) {
      ss_problem *p = pile(dim, wanted[i], 7);
      check_shape(p);
      assert_in_range(p->nc, wanted[i] * 9 / 10, wanted[i] * 11 / 10);
      assert_true(p->ndof < p->dim * p->nc * 2);
      ss_problem_destroy(p);
    }
  for (int few = 1; few <= 12; few++) {
    ss_problem *p = pile(2 + few % 2, few, (uint64_t)few);
    assert_in_range(p->nc, 1, few + 3);
    ss_problem_destroy(p);
  }
}

static void unusual_options_still_give_the_wanted_number(void **state) {
  (void)state;
  const double spread[] = {0, 0.9, 0.5, 0.2}, tol[] = {0, 0.05, 0.3, 1};
  for (int dim = 2; dim <= 3; dim++)
    for (int i = 0; i < 4; i++) {
      ss_pile_options o = ss_pile_options_default();
      o.dim = dim, o.contacts = 2000, o.radius_spread = spread[i], o.gap_tol = tol[i];
      ss_problem *p = NULL;
      assert_int_equal(ss_generate_pile(NULL, &o, &p), SS_OK);
      check_shape(p);
      assert_in_range(p->nc, 1950, 2050);
      ss_problem_destroy(p);
    }
}

// Every pair closer than the tolerance is a contact, once, and nothing else is.
static void contacts_are_those_of_brute_force(void **state) {
  (void)state;
  for (int dim = 2; dim <= 3; dim++) {
    ssi_arena arena = {0};
    ssi_packing p = packing_of(&arena, dim, 3000, 5);
    double tol = ss_pile_options_default().gap_tol;
    int found = 0;
    for (int a = 0; a < p.count; a++) {
      for (int b = -2 * dim + 1; b < p.count; b++) {
        double gap = b < 0    ? wall_gap(&p, p.sphere + a, b)
                     : b <= a ? INFINITY
                              : pair_gap(p.sphere + a, p.sphere + b);
        if (gap >= tol) continue;
        assert_true(found < p.contact_count);
        assert_int_equal(p.contact[found].a, a);
        assert_int_equal(p.contact[found].b, b);
        found++;
      }
    }
    assert_int_equal(found, p.contact_count);
    ssi_arena_release(&arena);
  }
}

static void spheres_touch_without_much_overlap_and_are_supported(void **state) {
  (void)state;
  for (int dim = 2; dim <= 3; dim++) {
    ssi_arena arena = {0};
    ssi_packing p = packing_of(&arena, dim, 20000, 3);
    char *supported = calloc((size_t)p.count, 1);
    double sum = 0, deepest = 0;
    for (int i = 0; i < p.contact_count; i++) {
      ssi_packing_contact c = p.contact[i];
      double gap = contact_gap(&p, p.sphere, i), up[2] = {0};
      sum += fabs(gap);
      deepest = fmax(deepest, -gap);
      up[0] = p.sphere[c.a].x[dim - 1];
      if (c.b >= 0) up[1] = p.sphere[c.b].x[dim - 1];
      if (c.b == -1 - 2 * (dim - 1) || (c.b >= 0 && up[0] > up[1])) supported[c.a] = 1;
      if (c.b >= 0 && up[1] > up[0]) supported[c.b] = 1;
    }
    int loose = 0;
    for (int i = 0; i < p.count; i++) loose += !supported[i];
    assert_true(sum / p.contact_count < 4e-3);
    assert_true(deepest < 0.15);
    assert_true(loose < 0.02 * p.count);
    free(supported);
    ssi_arena_release(&arena);
  }
}

// u_N is the rate at which the gap opens, for random velocities, between spheres and at walls.
static void normal_velocity_is_the_rate_of_the_gap(void **state) {
  (void)state;
  for (int dim = 2; dim <= 3; dim++) {
    ssi_arena arena = {0};
    ssi_packing k = packing_of(&arena, dim, 500, 11);
    ss_problem *p = pile(dim, 500, 11);
    int per_body = dim == 2 ? 3 : 6;
    assert_int_equal(p->nc, k.contact_count);
    assert_int_equal(p->ndof, per_body * k.count);
    ssi_rng rng = {99};
    double *v = calloc((size_t)p->ndof, sizeof *v), step = 1e-5;
    for (int i = 0; i < p->ndof; i++) v[i] = 2 * ssi_rng_uniform(&rng) - 1;
    ssi_sphere *before = calloc((size_t)k.count, sizeof *before),
               *after = calloc((size_t)k.count, sizeof *after);
    for (int i = 0; i < k.count; i++) {
      before[i] = after[i] = k.sphere[i];
      for (int d = 0; d < dim; d++) {
        before[i].x[d] -= step * v[per_body * i + d];
        after[i].x[d] += step * v[per_body * i + d];
      }
    }
    double *u = relative_velocity(p, v);
    for (int i = 0; i < p->nc; i++)
      assert_near(u[dim * i], (contact_gap(&k, after, i) - contact_gap(&k, before, i)) / (2 * step),
                  1e-8);
    free(u), free(v), free(before), free(after);
    ss_problem_destroy(p);
    ssi_arena_release(&arena);
  }
}

static void rigid_motions_of_a_pile_are_felt_at_the_walls_only(void **state) {
  (void)state;
  const double t[3] = {0.3, -0.7, 0.5}, zero[3] = {0};
  for (int dim = 2; dim <= 3; dim++) {
    ssi_arena arena = {0};
    ssi_packing k = packing_of(&arena, dim, 1000, 2);
    ss_problem *p = pile(dim, 1000, 2);
    double *v = calloc((size_t)p->ndof, sizeof *v);
    const double w[3] = {dim == 3 ? 0.2 : 0, dim == 3 ? -0.4 : 0, 0.9};
    rigid_motion(dim, k.count, k.sphere->x, 4, t, w, v);
    double *u = relative_velocity(p, v);
    rigid_motion(dim, k.count, k.sphere->x, 4, t, zero, v);
    double *slide = relative_velocity(p, v);
    int external = 0;
    for (int i = 0; i < p->nc; i++) {
      double e[3][3];
      linear_part(p, i, e);
      assert_int_equal(is_external(p, i), k.contact[i].b < 0);
      external += is_external(p, i);
      for (int row = 0; row < dim; row++) {
        double along = e[row][0] * t[0] + e[row][1] * t[1] + (dim == 3 ? e[row][2] * t[2] : 0);
        assert_near(slide[dim * i + row], is_external(p, i) ? along : 0, 1e-14);
        if (!is_external(p, i)) assert_near(u[dim * i + row], 0, 1e-12);
      }
    }
    assert_true(external > 20);
    free(u), free(slide), free(v);
    ss_problem_destroy(p);
    ssi_arena_release(&arena);
  }
}

static void frames_are_orthonormal(void **state) {
  (void)state;
  for (int dim = 2; dim <= 3; dim++) {
    ss_problem *p = pile(dim, 1000, 4);
    for (int i = 0; i < p->nc; i++) {
      double e[3][3];
      linear_part(p, i, e);
      for (int a = 0; a < dim; a++)
        for (int b = 0; b < dim; b++)
          assert_near(e[a][0] * e[b][0] + e[a][1] * e[b][1] + e[a][2] * e[b][2], a == b, 1e-14);
      double turn = e[1][0] * e[0][1] - e[1][1] * e[0][0];  // 2D: t = (n_y, -n_x)
      for (int k = 0; dim == 3 && k < 3; k++) {             // 3D: t2 = n x t1
        int l = (k + 1) % 3, m = (k + 2) % 3;
        turn = k == 0 ? 0 : turn;
        turn += (e[0][l] * e[1][m] - e[0][m] * e[1][l]) * e[2][k];
      }
      assert_near(turn, 1, 1e-14);
    }
    ss_problem_destroy(p);
  }
}

static void masses_and_loads_are_as_asked(void **state) {
  (void)state;
  for (int dim = 2; dim <= 3; dim++) {
    int per_body = dim == 2 ? 3 : 6;
    ss_pile_options o = ss_pile_options_default();
    o.dim = dim, o.mass_ratio = 1000, o.agitation = 0;
    ss_problem *p = NULL;
    assert_int_equal(ss_generate_pile(NULL, &o, &p), SS_OK);
    double low = INFINITY, high = 0, below_middle = 0;
    for (int i = 0; i < p->ndof; i += per_body) {
      double m = p->M.x[i];
      low = fmin(low, m), high = fmax(high, m);
      for (int k = 0; k < per_body; k++) assert_true(p->f[i + k] == (k == dim - 1 ? m : 0));
    }
    for (int i = 0; i < p->ndof; i += per_body) below_middle += p->M.x[i] < sqrt(low * high);
    assert_near(high / low, 1000, 1e-12);
    assert_near(below_middle * per_body / p->ndof, 0.5, 0.06);  // log-uniform
    ss_problem_destroy(p);

    ssi_arena arena = {0};  // one density, inertia of solid spheres and disks
    ssi_packing k = packing_of(&arena, dim, 1000, o.seed);
    o.mass_ratio = 1, o.agitation = 0.25;
    assert_int_equal(ss_generate_pile(NULL, &o, &p), SS_OK);
    double fastest = 0;
    for (int i = 0; i < k.count; i++) {
      double r = k.sphere[i].r, m = dim == 2 ? acos(-1) * r * r : acos(-1) * 4 / 3 * r * r * r;
      assert_near(p->M.x[per_body * i], m, 1e-14);
      assert_near(p->M.x[per_body * i + dim], m * r * r * (dim == 2 ? 0.5 : 0.4), 1e-14);
      fastest = fmax(fastest, fabs(p->f[per_body * i] / m));
    }
    assert_true(fastest < 0.25 && fastest > 0.2);
    ss_problem_destroy(p);
    ssi_arena_release(&arena);
  }
}

// What a sweep over the contacts touches next is usually near what it touched last.
static void neighbours_in_the_list_are_neighbours_in_space(void **state) {
  (void)state;
  ssi_arena arena = {0};
  ssi_packing p = packing_of(&arena, 3, 20000, 1);
  double sum = 0;
  for (int i = 1; i < p.count; i++) {
    ssi_sphere a = p.sphere[i - 1], b = p.sphere[i];
    a.r = b.r = 0;
    sum += pair_gap(&a, &b);
  }
  assert_true(sum / p.count < 4);  // the box is 43 wide
  ssi_arena_release(&arena);
}

static void the_same_seed_gives_the_same_bits(void **state) {
  (void)state;
  for (int dim = 2; dim <= 3; dim++) {
    ss_problem *p = pile(dim, 2000, 42), *q = pile(dim, 2000, 42), *other = pile(dim, 2000, 43);
    assert_true(hash(p) == hash(q));
    assert_true(hash(p) != hash(other));
    ss_problem_destroy(p), ss_problem_destroy(q), ss_problem_destroy(other);
  }
}

// The bits themselves, so that a compiler or a machine that changes them is noticed. Change these
// only together with the generator.
static void the_bits_are_golden(void **state) {
  (void)state;
  const uint64_t golden[4] = {0, 0, 0xbcee9a443dbc3566u, 0xd31d9e46b658ab11u};
  for (int dim = 2; dim <= 3; dim++) {
    ss_pile_options o = ss_pile_options_default();
    o.dim = dim, o.contacts = 200, o.mass_ratio = 50, o.seed = 2026;
    ss_problem *p = NULL;
    assert_int_equal(ss_generate_pile(NULL, &o, &p), SS_OK);
    if (hash(p) != golden[dim])
      fail_msg("dim %d: hash %#llx, expected %#llx", dim, (unsigned long long)hash(p),
               (unsigned long long)golden[dim]);
    ss_problem_destroy(p);
  }
}

// ---- walls and towers -----------------------------------------------------------------------

static void a_tower_stands_on_its_corners(void **state) {
  (void)state;
  for (int dim = 2; dim <= 3; dim++) {
    int blocks = 6, per_face = dim == 2 ? 2 : 4, per_body = dim == 2 ? 3 : 6;
    double ratio = 3;
    ss_problem *p = NULL;
    assert_int_equal(ss_generate_tower(NULL, dim, blocks, ratio, 0.4, &p), SS_OK);
    check_shape(p);
    assert_int_equal(p->nc, blocks * per_face);
    assert_int_equal(p->ndof, blocks * per_body);
    // r_N = weight above / corners, v = 0 solves it: f = H^T r
    double *r = calloc((size_t)p->H.rows, sizeof *r), *load = calloc((size_t)p->ndof, sizeof *r);
    double *centres = calloc((size_t)blocks * 3, sizeof *r);
    for (int i = 0; i < blocks; i++) {
      double above = 0;
      for (int k = i; k < blocks; k++) above += pow(ratio, k);
      for (int c = 0; c < per_face; c++) r[dim * (per_face * i + c)] = above / per_face;
      centres[3 * i + dim - 1] = i + 0.5;
    }
    ssi_sparse_multiply_transposed_add(&p->H, r, load);
    for (int i = 0; i < p->ndof; i++) assert_near(load[i], p->f[i], 1e-13);
    for (int i = 0; i < blocks; i++) {
      assert_near(p->M.x[per_body * i], pow(ratio, i), 1e-14);
      assert_near(p->M.x[per_body * i + dim], pow(ratio, i) / 6, 1e-14);
      assert_near(p->f[per_body * i + dim - 1], pow(ratio, i), 1e-14);
    }
    // turning the tower as a whole about a point of the ground
    const double t[3] = {0.1, 0.2, 0.3}, w[3] = {dim == 3 ? 1 : 0, dim == 3 ? 2 : 0, 3};
    rigid_motion(dim, blocks, centres, 3, t, w, load);
    double *u = relative_velocity(p, load);
    for (int i = 0; i < p->nc; i++)
      for (int k = 0; k < dim && !is_external(p, i); k++) assert_near(u[dim * i + k], 0, 1e-14);
    free(u), free(r), free(load), free(centres);
    ss_problem_destroy(p);
  }
}

// Centres of the blocks of a wall, written down independently of the generator.
static double *wall_centres(int dim, int rows, int cols, int *blocks) {
  double *c = calloc((size_t)rows * (size_t)(cols + 1) * 3, sizeof *c);
  int n = 0;
  for (int row = 0; row < rows; row++)
    for (int j = 0; j < cols + row % 2; j++, n++) {
      c[3 * n] = row % 2 == 0 ? 2 * j + 1 : j == 0 ? 0.5 : j == cols ? 2 * cols - 0.5 : 2 * j;
      c[3 * n + dim - 1] = row + 0.5;
    }
  *blocks = n;
  return c;
}

static void a_wall_is_a_running_bond(void **state) {
  (void)state;
  for (int dim = 2; dim <= 3; dim++)
    for (int cols = 1; cols <= 4; cols += 3) {
      int rows = 5, blocks, per_body = dim == 2 ? 3 : 6, per_face = dim == 2 ? 2 : 4;
      ss_wall_options o = {.dim = dim, .rows = rows, .cols = cols, .mu = 0.6, .push = 0.25};
      ss_problem *p = NULL;
      assert_int_equal(ss_generate_wall(NULL, &o, &p), SS_OK);
      check_shape(p);
      double *centres = wall_centres(dim, rows, cols, &blocks);
      assert_int_equal(p->ndof, blocks * per_body);
      // the ground carries cols faces, every other row is cut into 2 cols half-brick faces
      assert_int_equal(p->nc, per_face * (cols + (rows - 1) * 2 * cols));
      double weight = 0, push = 0;
      for (int i = 0; i < blocks; i++) {
        weight += p->f[per_body * i + dim - 1];
        push -= p->f[per_body * i];
      }
      double bricks = rows * (2 * cols - 0.02 * cols) - 0.02 * (rows / 2);
      assert_near(weight, bricks, 1e-13);
      assert_near(push, 0.25 * (2 - 0.02) * cols, 1e-13);
      const double t[3] = {0.1, 0.2, 0.3}, w[3] = {dim == 3 ? 1 : 0, dim == 3 ? 2 : 0, 3};
      double *v = calloc((size_t)p->ndof, sizeof *v);
      rigid_motion(dim, blocks, centres, 3, t, w, v);
      double *u = relative_velocity(p, v);
      for (int i = 0; i < p->nc; i++) {
        double e[3][3];
        linear_part(p, i, e);
        assert_near(fabs(e[0][dim - 1]), 1, 0);
        for (int k = 0; k < dim && !is_external(p, i); k++) assert_near(u[dim * i + k], 0, 1e-13);
      }
      free(u), free(v), free(centres);
      ss_problem_destroy(p);
    }
}

// The upper block of every contact moves away when it rises, and tips about the outer corners: the
// four (two) points of a face lie around the centre of a block on the ground.
static void blocks_press_on_what_is_below(void **state) {
  (void)state;
  ss_wall_options o = ss_wall_options_default();
  ss_problem *p = NULL;
  assert_int_equal(ss_generate_wall(NULL, &o, &p), SS_OK);
  double *v = calloc((size_t)p->ndof, sizeof *v);
  for (int i = 0; i < p->ndof; i += 6) v[i + 2] = i / 6;  // each block rises faster than the last
  double *u = relative_velocity(p, v);
  for (int i = 4; i < p->nc; i++) assert_true(u[3 * i] > 0);
  for (int k = 0; k < 4; k++) {  // first brick on the ground: normal row = (0 0 1, p_y, -p_x, 0)
    const double *x = p->H.x + p->H.ptr[3 * k];
    assert_near(x[3], k < 2 ? -0.5 : 0.5, 1e-15);
    assert_near(-x[4], k % 2 ? 0.99 : -0.99, 1e-15);
  }
  free(u), free(v);
  ss_problem_destroy(p);
}

// ---- failures -------------------------------------------------------------------------------

static void bad_options_are_refused_by_name(void **state) {
  (void)state;
  ss_context ctx = {0};
  ss_problem *p = (ss_problem *)&ctx;
#define REFUSED(field, value, word)                                                                \
  do {                                                                                             \
    ss_pile_options o = ss_pile_options_default();                                                 \
    o.field = value;                                                                               \
    assert_int_equal(ss_generate_pile(&ctx, &o, &p), SS_ERR_ARGUMENT);                             \
    assert_null(p);                                                                                \
    assert_non_null(strstr(ctx.message, word));                                                    \
  } while (0)
  REFUSED(dim, 4, "dim");
  REFUSED(contacts, 0, "contacts");
  REFUSED(contacts, INT32_MAX, "contacts");
  REFUSED(mu, -0.1, "mu");
  REFUSED(mu, NAN, "mu");
  REFUSED(radius_spread, 1, "radius_spread");
  REFUSED(gap_tol, -1, "gap_tol");
  REFUSED(mass_ratio, 0.5, "mass_ratio");
  REFUSED(agitation, INFINITY, "agitation");
#undef REFUSED
  ss_wall_options w = ss_wall_options_default();
  w.rows = 100000, w.cols = 100000;
  assert_int_equal(ss_generate_wall(&ctx, &w, &p), SS_ERR_ARGUMENT);
  w = ss_wall_options_default();
  w.push = NAN;
  assert_int_equal(ss_generate_wall(&ctx, &w, &p), SS_ERR_ARGUMENT);
  assert_int_equal(ss_generate_tower(&ctx, 3, 400, 10, 0.5, &p), SS_ERR_ARGUMENT);
  assert_non_null(strstr(ctx.message, "block 310 of 400"));
  assert_int_equal(ss_generate_tower(&ctx, 3, 400, 0.1, 0.5, &p), SS_ERR_ARGUMENT);
  assert_int_equal(ss_generate_tower(&ctx, 3, 0, 1, 0.5, &p), SS_ERR_ARGUMENT);
  assert_int_equal(ss_generate_pile(NULL, NULL, &p), SS_ERR_ARGUMENT);
  ss_problem_destroy(NULL);
}

static ss_error generate(ss_context *ctx, int kind, ss_problem **out) {
  ss_pile_options pile_options = ss_pile_options_default();
  ss_wall_options wall_options = ss_wall_options_default();
  pile_options.contacts = 60;
  if (kind == 0) return ss_generate_pile(ctx, &pile_options, out);
  if (kind == 1) return ss_generate_wall(ctx, &wall_options, out);
  return ss_generate_tower(ctx, 2, 5, 2, 0.3, out);
}

static void every_allocation_may_fail(void **state) {
  (void)state;
  for (int kind = 0; kind < 3; kind++) {
    ss_error e = SS_ERR_MEMORY;
    int allowed = 0;
    for (; e; allowed++) {
      budget b = {.left = allowed};
      ss_context ctx = on_budget(&b);
      ss_problem *p = NULL;
      e = generate(&ctx, kind, &p);
      if (e) {
        assert_int_equal(e, SS_ERR_MEMORY);
        assert_null(p);
        assert_true(strlen(ctx.message) > 0);
      } else
        ss_problem_destroy(p);
      assert_int_equal(b.held, 0);
      assert_true(allowed < 1000);
    }
    assert_true(allowed > 8);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(piles_have_the_wanted_number_of_contacts),
      cmocka_unit_test(unusual_options_still_give_the_wanted_number),
      cmocka_unit_test(contacts_are_those_of_brute_force),
      cmocka_unit_test(spheres_touch_without_much_overlap_and_are_supported),
      cmocka_unit_test(normal_velocity_is_the_rate_of_the_gap),
      cmocka_unit_test(rigid_motions_of_a_pile_are_felt_at_the_walls_only),
      cmocka_unit_test(frames_are_orthonormal),
      cmocka_unit_test(masses_and_loads_are_as_asked),
      cmocka_unit_test(neighbours_in_the_list_are_neighbours_in_space),
      cmocka_unit_test(the_same_seed_gives_the_same_bits),
      cmocka_unit_test(the_bits_are_golden),
      cmocka_unit_test(a_tower_stands_on_its_corners),
      cmocka_unit_test(a_wall_is_a_running_bond),
      cmocka_unit_test(blocks_press_on_what_is_below),
      cmocka_unit_test(bad_options_are_refused_by_name),
      cmocka_unit_test(every_allocation_may_fail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
