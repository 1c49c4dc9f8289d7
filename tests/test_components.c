// problem/components.c, problem/cut.c and what is said component by component: errors, certificates, enumerations
// of problems joined from parts of any scale are those of the parts.
#include "joined.h"

#include "problem/components.h"
#include "problem/cut.h"
#include "stickslip/stickslip.h"

static ss_context ctx;  // outlives what is made with it

// ---- the division ------------------------------------------------------------------------------

// Contacts, dofs and joints: the smallest label spreads along what couples until nothing changes.
static void spread(const dense_problem *d, int *label) {
  int nc = d->nc, n = d->ndof, nl = d->nl, m = d->dim * nc, total = nc + n + nl;
  for (int i = 0; i < total; i++) label[i] = i;
  for (bool moved = true; moved;) {
    moved = false;
    for (int i = 0; i < m + n; i++)
      for (int j = 0; j < n + nl; j++) {
        bool in_H = i < m && j < n && d->H[i * n + j] != 0;
        bool in_M = i >= m && j < n && d->M[(i - m) * n + j] != 0;
        bool in_G = i >= m && j >= n && d->G[(i - m) * nl + j - n] != 0;
        if (!in_H && !in_M && !in_G) continue;
        int a = i < m ? i / d->dim : nc + i - m, b = nc + j;
        int low = label[a] < label[b] ? label[a] : label[b];
        if (label[a] != low || label[b] != low) moved = true;
        label[a] = label[b] = low;
      }
  }
}

// Sparse: some couplings left out at random, zeros everywhere else.
static dense_problem thinned(ssi_arena *arena, ssi_rng *g) {
  int dim = 2 + ssi_rng_below(g, 2), nc = 1 + ssi_rng_below(g, 6), n = 1 + ssi_rng_below(g, 8);
  int nl = ssi_rng_below(g, 4);
  dense_problem d = dense_problem_random(arena, g, dim, nc, n, nl, 0.5);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++)
      if (ssi_rng_below(g, 5)) d.M[i * n + j] = d.M[j * n + i] = 0;
  for (int i = 0; i < dim * nc * n; i++)
    if (ssi_rng_below(g, 8)) d.H[i] = 0;
  for (int i = 0; i < n * nl; i++)
    if (ssi_rng_below(g, 3)) d.G[i] = 0;
  return d;
}

static void components_are_what_is_connected(void **state) {
  (void)state;
  ssi_rng g = {21};
  for (int k = 0; k < 300; k++) {
    ssi_arena arena = {0};
    dense_problem d = thinned(&arena, &g);
    ss_problem p = dense_problem_view(&arena, &d);
    ssi_components c;
    int label[24] = {0}, seen = 0;
    spread(&d, label);
    assert_true(ssi_components_create(&arena, &p, &c));
    for (int i = 0; i < d.nc; i++)
      for (int j = 0; j < d.nc; j++) assert_int_equal(c.of[i] == c.of[j], label[i] == label[j]);
    for (int j = 0; j < d.nl; j++) {
      int own = label[d.nc + d.ndof + j], expected = own < d.nc ? c.of[own] : -1;
      assert_int_equal(c.of_joint[j], expected);
    }
    assert_int_equal(c.first[0], 0);
    assert_int_equal(c.first[c.count], d.nc);
    for (int q = 0; q < c.count; q++)
      for (int at = c.first[q]; at < c.first[q + 1]; at++, seen++) {
        assert_int_equal(c.of[c.contact[at]], q);
        if (at > c.first[q])
          assert_true(c.contact[at] > c.contact[at - 1]);
        else if (q)
          assert_true(c.contact[at] > c.contact[c.first[q - 1]]);
      }
    assert_int_equal(seen, d.nc);
    ssi_arena_release(&arena);
  }
}

static double at(const ss_sparse *A, int i, int j) {
  return A->ptr ? ssi_sparse_entry(A, i, j) : 0;
}

// Entry by entry: what is in a part is what the whole has between its members.
static void check_part(const dense_problem *d, const ssi_partition *x, int k, const ss_problem *c) {
  int n = d->ndof, D = d->dim;
  const int *contact = ssi_part_members(x, SSI_CONTACTS, k),
            *dof = ssi_part_members(x, SSI_DOFS, k);
  const int *joint = ssi_part_members(x, SSI_JOINTS, k);
  assert_int_equal(c->nc, ssi_part_size(x, SSI_CONTACTS, k));
  assert_int_equal(c->ndof, ssi_part_size(x, SSI_DOFS, k));
  assert_int_equal(c->nl, ssi_part_size(x, SSI_JOINTS, k));
  for (int i = 0; i < c->ndof; i++) {
    int from = dof[i] - d->nc;
    assert_true(c->f[i] == d->f[from]);
    for (int j = 0; j < c->ndof; j++)
      assert_true(at(&c->M, i, j) == d->M[from * n + dof[j] - d->nc]);
    for (int j = 0; j < c->nl; j++)
      assert_true(at(&c->G, i, j) == d->G[from * d->nl + joint[j] - d->nc - n]);
  }
  for (int i = 0; i < D * c->nc; i++) {
    int from = D * contact[i / D] + i % D;
    assert_true(c->w[i] == d->w[from]);
    assert_true(c->mu[i / D] == d->mu[contact[i / D]]);
    for (int j = 0; j < c->ndof; j++)
      assert_true(at(&c->H, i, j) == d->H[from * n + dof[j] - d->nc]);
  }
  for (int j = 0; j < c->nl; j++) assert_true(c->b[j] == d->b[joint[j] - d->nc - n]);
}

static void cuts_leave_nothing_out(void **state) {
  (void)state;
  ssi_rng g = {22};
  for (int k = 0; k < 300; k++) {
    ssi_arena arena = {0};
    dense_problem d = thinned(&arena, &g);
    ss_problem p = dense_problem_view(&arena, &d), c;
    ssi_partition x;
    int label[24] = {0}, contacts = 0, joints = 0;
    double whole[18] = {0}, back[18] = {0};
    spread(&d, label);
    for (int i = 0; i < d.dim * d.nc; i++) whole[i] = i + 1;
    assert_true(ssi_partition_by_components(&arena, &p, &x));
    for (int q = 0; q < x.count; q++) {
      assert_int_equal(ssi_cut(&arena, &p, &x, q, &c), SS_OK);
      check_part(&d, &x, q, &c);
      assert_int_equal(ss_problem_check(&ctx, &c), SS_OK);
      contacts += c.nc, joints += c.nl;
      double *r = ssi_cut_vector(&arena, &x, SSI_CONTACTS, d.dim, q, whole);
      ssi_cut_return(&x, SSI_CONTACTS, d.dim, q, r, back);
    }
    assert_int_equal(contacts, d.nc);
    assert_int_equal(joints, d.nl);
    for (int i = 0; i < d.dim * d.nc; i++) assert_true(back[i] == whole[i]);
    // a dof is in the part of the contacts that it is connected with; idle ones in none, or with idle joints
    for (int i = 0; i < d.ndof; i++) {
      int own = label[d.nc + i];
      if (own < d.nc)
        assert_int_equal(x.part[d.nc + i], x.part[own]);
      else
        assert_true(x.part[d.nc + i] < 0 || ssi_part_size(&x, SSI_CONTACTS, x.part[d.nc + i]) == 0);
    }
    ssi_arena_release(&arena);
  }
}

// The same after reduction: parts of the reduced whole are the reduced parts.
static void cuts_and_reductions_commute(void **state) {
  (void)state;
  ssi_rng g = {23};
  for (int k = 0; k < 60; k++) {
    ssi_arena arena = {0};
    dense_problem part[2];
    int dim = 2 + k % 2;
    for (int q = 0; q < 2; q++)
      part[q] = dense_problem_random(&arena, &g, dim, 1 + ssi_rng_below(&g, 3), 4, q, 0.5);
    joined j = join_parts(&arena, &g, 2, part, 1);
    ss_problem p = dense_problem_view(&arena, &j.all), *whole, c;
    ssi_partition x;
    assert_int_equal(ss_problem_reduce(&ctx, &p, &whole), SS_OK);
    assert_true(ssi_partition_by_components(&arena, whole, &x));
    assert_int_equal(x.count, 2);
    for (int q = 0; q < 2; q++) {
      assert_int_equal(ssi_cut(&arena, whole, &x, q, &c), SS_OK);
      const int *member = ssi_part_members(&x, SSI_CONTACTS, q);
      for (int a = 0; a < dim * c.nc; a++) {
        assert_true(c.q[a] == whole->q[dim * member[a / dim] + a % dim]);
        for (int e = 0; e < dim * c.nc; e++)
          assert_true(at(&c.W, a, e) == at(&whole->W, dim * member[a / dim] + a % dim,
                                           dim * member[e / dim] + e % dim));
      }
    }
    ss_problem_destroy(whole);
    ssi_arena_release(&arena);
  }
}

// ---- errors ------------------------------------------------------------------------------------

enum { PARTS = 3 };

typedef struct several {
  ssi_arena arena;
  int dim;
  dense_problem part[PARTS];
  double speed[PARTS], mass[PARTS];
  joined j;
  ss_problem each[PARTS], whole;
  double *r[PARTS], *l[PARTS], *all_r, *all_l;
} several;

static void give_back_to_whole(several *s) {
  int contact = 0, joint = 0;
  for (int k = 0; k < PARTS; k++) {
    for (int i = 0; i < s->dim * s->part[k].nc; i++)
      s->all_r[s->dim * s->j.contact[contact + i / s->dim] + i % s->dim] = s->r[k][i];
    for (int i = 0; i < s->part[k].nl; i++) s->all_l[s->j.joint[joint + i]] = s->l[k][i];
    contact += s->part[k].nc, joint += s->part[k].nl;
  }
}

static void make_several(several *s, ssi_rng *g, bool joints) {
  static const double scales[] = {1e-10, 1, 1e10};
  *s = (several){.dim = 2 + ssi_rng_below(g, 2)};
  int order[PARTS];
  shuffled(g, PARTS, order);
  for (int k = 0; k < PARTS; k++) {
    int nc = 1 + ssi_rng_below(g, 3), nl = joints ? ssi_rng_below(g, 3) : 0;
    s->speed[k] = scales[order[k]], s->mass[k] = pow(10, ssi_rng_below(g, 13) - 6);
    s->part[k] = dense_problem_random(&s->arena, g, s->dim, nc, s->dim * nc + nl, nl, 0.5);
    dense_problem_scale(&s->part[k], s->speed[k], s->mass[k]);
    s->each[k] = dense_problem_view(&s->arena, &s->part[k]);
    s->r[k] = SSI_TAKE(&s->arena, s->dim * nc, double),
    s->l[k] = SSI_TAKE(&s->arena, nl + 1, double);
  }
  s->j = join_parts(&s->arena, g, PARTS, s->part, ssi_rng_below(g, 3));
  s->whole = dense_problem_view(&s->arena, &s->j.all);
  s->all_r = SSI_TAKE(&s->arena, s->dim * s->whole.nc, double);
  s->all_l = SSI_TAKE(&s->arena, s->whole.nl + 1, double);
}

static void fill_with_anything(several *s, ssi_rng *g) {
  for (int k = 0; k < PARTS; k++) {
    double unit = s->speed[k] * s->mass[k] * pow(10, -4 * ssi_rng_uniform(g));
    for (int i = 0; i < s->dim * s->part[k].nc; i++) s->r[k][i] = unit * joined_signed(g);
    for (int i = 0; i < s->part[k].nl; i++) s->l[k][i] = unit * joined_signed(g);
  }
  give_back_to_whole(s);
}

static ss_verdict judge(const ss_problem *p, const double *r, const double *l) {
  ss_verdict v;
  ss_solution answer = {.r = r, .l = p->nl ? l : NULL};
  if (ss_verify(&ctx, p, &answer, NULL, NULL, NULL, NULL, &v)) fail_msg("%s", ctx.message);
  return v;
}

// Index of the part that a contact of the whole comes from.
static int part_of(const several *s, int contact) {
  for (int k = 0, from = 0; k < PARTS; from += s->part[k++].nc)
    for (int i = 0; i < s->part[k].nc; i++)
      if (s->j.contact[from + i] == contact) return k;
  return -1;
}

static void the_error_is_that_of_the_worst_part(void **state) {
  (void)state;
  ssi_rng g = {24};
  for (int k = 0; k < 200; k++) {
    several s;
    make_several(&s, &g, k % 2);
    fill_with_anything(&s, &g);
    double worst = 0, equality = 0;
    int who = 0;
    for (int q = 0; q < PARTS; q++) {
      ss_verdict v = judge(&s.each[q], s.r[q], s.l[q]);
      if (v.error > worst) worst = v.error, who = q;
      equality = fmax(equality, v.equality);
    }
    ss_verdict v = judge(&s.whole, s.all_r, s.all_l);
    assert_int_equal(v.components, PARTS);
    if (!(fabs(v.error - worst) <= 1e-10 * worst) || part_of(&s, v.worst_component) != who)
      fail_msg("case %d: error %.17g of part %d, expected %.17g of %d", k, v.error,
               part_of(&s, v.worst_component), worst, who);
    assert_near(v.equality, equality, 1e-10);
    ssi_arena_release(&s.arena);
  }
}

static bool solve(const ss_problem *p, const char *method, double *r, double *l, double *error) {
  ss_options o = ss_options_default();
  ss_solver *solver;
  ss_info info;
  o.method = method;
  o.tol = 1e-10;
  if (ss_solver_create(&ctx, p, &o, &solver)) fail_msg("%s", ctx.message);
  assert_int_equal(ss_solve(solver, r, NULL, NULL, p->nl ? l : NULL, &info), SS_OK);
  ss_solver_destroy(solver);
  if (error) *error = info.error;
  return info.status == SS_SOLVED;
}

// All parts solved but one, whatever its scale: the error is that one's.
static void a_wrong_part_is_found(void **state) {
  (void)state;
  ssi_rng g = {25};
  int solved = 0;
  for (int k = 0; k < 60; k++) {
    several s;
    bool all = true;
    make_several(&s, &g, k % 2);
    for (int q = 0; q < PARTS; q++)
      if (!solve(&s.each[q], "auto", s.r[q], s.l[q], NULL)) all = false;
    give_back_to_whole(&s);
    if (all) {
      ss_verdict v = judge(&s.whole, s.all_r, s.all_l);
      if (!(v.error <= 1e-10)) fail_msg("case %d: parts are solved, the whole has %g", k, v.error);
      int wrong = ssi_rng_below(&g, PARTS);
      s.r[wrong][0] += s.speed[wrong] * s.mass[wrong] * 1e-3;
      double expected = judge(&s.each[wrong], s.r[wrong], s.l[wrong]).error;
      give_back_to_whole(&s);
      v = judge(&s.whole, s.all_r, s.all_l);
      assert_true(expected > 1e-6);
      if (!(fabs(v.error - expected) <= 1e-8 * expected) || part_of(&s, v.worst_component) != wrong)
        fail_msg("case %d: error %g, that of the wrong part %g", k, v.error, expected);
      double error;
      for (int i = 0; i < s.dim * s.whole.nc; i++) s.all_r[i] = 0;
      if (!solve(&s.whole, "auto", s.all_r, s.all_l, &error))
        fail_msg("case %d: parts are solved, the whole is not: %g", k, error);
      solved++;
    }
    ssi_arena_release(&s.arena);
  }
  assert_true(solved >= 50);
}

// ---- relatives of reproducer 04 ------------------------------------------------------------------

// A rod that slides on its tip: H = (s, c), w = (0, u0). With f > 0 there is no solution iff u0 > 0 and mu c > s:
// slip+ needs r_N (s - mu c) s > 0, slip- and stick need u_T = u0 <= 0.
static dense_problem rod(ssi_arena *arena, ssi_rng *g, bool none) {
  dense_problem d = dense_problem_take(arena, 2, 1, 1, 0);
  double s = 0.3 + 0.5 * ssi_rng_uniform(g), c = sqrt(1 - s * s), steep = s / c;
  bool forward = none || ssi_rng_below(g, 2);
  d.M[0] = 1, d.f[0] = 0.2 + ssi_rng_uniform(g), d.H[0] = s, d.H[1] = c;
  d.w[1] = (forward ? 1 : -1) * (0.2 + ssi_rng_uniform(g));
  d.mu[0] = steep * (none ? 1.2 + ssi_rng_uniform(g) : forward ? 0.8 * ssi_rng_uniform(g) : 2);
  dense_problem_scale(&d, pow(10, 20 * ssi_rng_uniform(g) - 10),
                      pow(10, 8 * ssi_rng_uniform(g) - 4));
  return d;
}

static ss_certificate *certify(const ss_problem *p) {
  ss_certificate *c;
  ss_certificate_report report;
  if (ss_certify(&ctx, p, NULL, &c)) fail_msg("%s", ctx.message);
  assert_int_equal(ss_certificate_check(&ctx, p, c, &report), SS_OK);
  if (!report.holds) fail_msg("the certificate does not hold: %s", report.failure);
  return c;
}

static ss_solution_set *enumerate(const ss_problem *p) {
  ss_solution_set *set;
  if (ss_enumerate(&ctx, p, NULL, &set)) fail_msg("%s", ctx.message);
  return set;
}

static void a_part_without_solution_is_found(void **state) {
  (void)state;
  ssi_rng g = {26};
  for (int k = 0; k < 50; k++) {
    ssi_arena arena = {0};
    dense_problem part[3];
    int count = 2 + k % 2, bad = k % 5 ? ssi_rng_below(&g, count) : -1;
    double margin = INFINITY, r[6] = {0}, error;
    ss_existence certified = SS_EXISTS;
    for (int q = 0; q < count; q++) {
      part[q] = rod(&arena, &g, q == bad);
      ss_problem p = dense_problem_view(&arena, &part[q]);
      ss_certificate *c = certify(&p);
      margin = fmin(margin, c->margin);
      if (c->verdict == SS_NONE || (certified == SS_EXISTS && c->verdict != SS_EXISTS))
        certified = c->verdict;
      ss_certificate_destroy(c);
    }
    joined j = join_parts(&arena, &g, count, part, k % 2);
    ss_problem whole = dense_problem_view(&arena, &j.all);
    ss_certificate *c = certify(&whole);
    ss_solution_set *set = enumerate(&whole);
    bool solved = solve(&whole, "auto", r, NULL, &error);
    if (c->verdict != certified) fail_msg("case %d: %s", k, ss_existence_name(c->verdict));
    assert_true(isinf(margin) ? c->margin == margin
                              : fabs(c->margin - margin) <= 1e-8 * fabs(margin));
    if (bad < 0 ? set->count == 0 || !solved : !(set->count == 0 && set->rigorous) || solved)
      fail_msg("case %d: part %d has none; enumerate %d (%d), solved %d, error %g", k, bad,
               set->count, set->rigorous, solved, error);
    if (bad >= 0) assert_true(error > 1e-3);
    ss_solution_set_destroy(set);
    ss_certificate_destroy(c);
    ssi_arena_release(&arena);
  }
}

// Both forms, planted margins: what the certificate of the whole says is what those of the parts do.
static void certificates_join(void **state) {
  (void)state;
  ssi_rng g = {27};
  for (int k = 0; k < 60; k++) {
    ssi_arena arena = {0};
    dense_problem part[2];
    double margin = INFINITY;
    int exists = 0, dim = 2 + k % 2;
    for (int q = 0; q < 2; q++) {
      int nc = 1 + ssi_rng_below(&g, 3), nl = k % 3 == 0;
      part[q] = dense_problem_random(&arena, &g, dim, nc, 2 + ssi_rng_below(&g, 4), nl, 0.7);
      dense_problem_scale(&part[q], pow(10, 16 * ssi_rng_uniform(&g) - 8), 1);
      ss_problem p = dense_problem_view(&arena, &part[q]);
      ss_certificate *c = certify(&p);
      margin = fmin(margin, c->margin);
      exists += c->verdict == SS_EXISTS;
      ss_certificate_destroy(c);
    }
    joined j = join_parts(&arena, &g, 2, part, 0);
    ss_problem whole = dense_problem_view(&arena, &j.all);
    ss_certificate *c = certify(&whole);
    assert_int_equal(c->verdict == SS_EXISTS, exists == 2);
    if (!(isinf(margin) ? c->margin == margin : fabs(c->margin - margin) <= 1e-6 * fabs(margin)))
      fail_msg("case %d: margin %.17g, of the parts %.17g", k, c->margin, margin);
    ss_certificate_destroy(c);
    ssi_arena_release(&arena);
  }
}

// Impulses that belong to no claim: one number, of a contact whose impulse is zero.
static void stray_impulses_are_refused(void **state) {
  (void)state;
  ssi_rng g = {28};
  int tried = 0;
  for (int k = 0; k < 40; k++) {
    ssi_arena arena = {0};
    dense_problem part[2] = {rod(&arena, &g, k % 2), rod(&arena, &g, k % 3 == 0)};
    joined j = join_parts(&arena, &g, 2, part, 0);
    ss_problem whole = dense_problem_view(&arena, &j.all);
    ss_certificate *c = certify(&whole);
    ss_certificate_report report;
    for (int i = 0; c->impulse && i < 4; i++) {
      if (c->impulse[i - i % 2] != 0) continue;
      double r[4] = {c->impulse[0], c->impulse[1], c->impulse[2], c->impulse[3]};
      ss_certificate forged = *c;
      r[i] = i % 2 ? -1 : 1;
      forged.impulse = r;
      assert_int_equal(ss_certificate_check(&ctx, &whole, &forged, &report), SS_OK);
      assert_false(report.holds);
      tried++;
    }
    ss_certificate_destroy(c);
    ssi_arena_release(&arena);
  }
  assert_true(tried >= 20);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(components_are_what_is_connected),
      cmocka_unit_test(cuts_leave_nothing_out),
      cmocka_unit_test(cuts_and_reductions_commute),
      cmocka_unit_test(the_error_is_that_of_the_worst_part),
      cmocka_unit_test(a_wrong_part_is_found),
      cmocka_unit_test(a_part_without_solution_is_found),
      cmocka_unit_test(certificates_join),
      cmocka_unit_test(stray_impulses_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
