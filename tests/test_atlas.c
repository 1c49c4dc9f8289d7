// analysis/atlas*.c: Figures 9, 11 and 13 of [Agw20] against the closed forms (oracles B), borders within
// one cell of the finest size; the same result for any number of threads; rings that close.
#include "harness.h"

#include "agwa_forms.h"
#include "budget.h"
#include "stickslip/atlas.h"
#include "stickslip/models.h"

// ---- the maps -------------------------------------------------------------------------------

typedef struct figure {
  const char *model, *x, *y;
  double x_from, x_to, y_from, y_to;
  ss_model_setting fixed;
  unsigned (*expected)(double x, double y);
  int kinds;  // that the rectangle shows
} figure;

static unsigned fig9_above(double f_n, double f_t) {
  return klarbring(1.5, f_n, f_t);
}
static unsigned fig9_below(double f_n, double f_t) {
  return klarbring(0.4, f_n, f_t);
}
static unsigned fig11_down(double mu, double T) {
  return klarbring(mu, 1, T);
}
static unsigned fig11_up(double mu, double T) {
  return klarbring(mu, -1, -T);
}
static unsigned fig13_up(double mu, double T) {
  (void)mu;
  return alart_up(T);
}

static const figure figures[] = {
    {"klarbring", "f_n", "f_t", -1, 2, -2, 3, {"mu", 0, 1.5}, fig9_above, 4},
    {"klarbring", "f_n", "f_t", -1, 2, -2, 3, {"mu", 0, 0.4}, fig9_below, 4},
    {"klarbring", "mu", "tan_alpha", 0, 2, -2, 2, {"f_n", 0, 1}, fig11_down, 5},
    {"klarbring", "mu", "tan_alpha", 0, 2, -2, 2, {"f_n", 0, -1}, fig11_up, 2},
    {"alart", "mu", "tan_alpha", 0, 7, -9, 3, {"f_n", 0, 1}, alart_down, 10},
    {"alart", "mu", "tan_alpha", 0, 7, -9, 3, {"f_n", 0, -1}, fig13_up, 2},
};

static ss_error problem_at(void *user, ss_context *ctx, double x, double y, ss_problem **out) {
  const figure *g = user;
  ss_model_setting set[] = {g->fixed, {g->x, 0, x}, {g->y, 0, y}};
  return ss_model_build(ctx, g->model, set, 3, out);
}

static ss_atlas *make(const figure *g, int nx, int ny, int refine, int threads) {
  static ss_context ctx;  // lives as long as the atlas
  ss_atlas_options o = ss_atlas_options_default();
  o.x = (ss_atlas_axis){g->x_from, g->x_to, nx};
  o.y = (ss_atlas_axis){g->y_from, g->y_to, ny};
  o.refine = refine;
  o.threads = threads;
  ss_atlas *a;
  figure copy = *g;
  if (ss_atlas_create(&ctx, &o, problem_at, &copy, &a)) fail_msg("%s", ctx.message);
  return a;
}

static unsigned bits_of(const ss_atlas_kind *k) {
  unsigned set = 0;
  for (int i = 0; i < k->count; i++) {
    const ss_atlas_solution *solution = &k->solutions[i];
    assert_true(solution->isolated && solution->cell_count == 1);
    set |= k->nc == 1 ? ONE(solution->states[0]) : TWO(solution->states[0], solution->states[1]);
  }
  return set;
}

// Every cell has the kind of the closed form at its point; in a cell that was not divided to the end
// it is the kind of every point, so that all borders run through cells of the finest size.
static void check_cells(const figure *g, const ss_atlas *a) {
  int64_t finest = 0;  // cells of the finest size
  for (int k = 0; k < a->cell_count; k++) {
    const ss_atlas_cell *cell = &a->cells[k];
    double x, y, b[4];
    ss_atlas_point(a, cell, &x, &y);
    ss_atlas_bounds(a, cell, b);
    assert_true(b[0] < x && x < b[1] && b[2] < y && y < b[3]);
    finest += INT64_C(1) << 2 * (a->refine - cell->level);
    unsigned set = bits_of(&a->kinds[cell->kind]);
    assert_int_equal(set, g->expected(x, y));
    assert_int_equal(a->regions[cell->region].kind, cell->kind);
    for (int p = 0; cell->level < a->refine && p < 25; p++) {
      double u = (p % 5 + 0.5) / 5, v = (p / 5 + 0.5) / 5;
      if (set != g->expected(b[0] + u * (b[1] - b[0]), b[2] + v * (b[3] - b[2])))
        fail_msg("%s over %s: cell %d (%d, %d) at (%g, %g) is crossed by a border", g->model, g->x,
                 cell->level, cell->i, cell->j, x, y);
    }
  }
  assert_int_equal(finest, ((int64_t)a->x.cells * a->y.cells) << 2 * a->refine);
}

// Points along every inner arc, a hundredth of the picture apart: the closed form has both kinds beside
// the arc within one finest cell, which means that its border passes there.
static void check_arcs(const figure *g, const ss_atlas *a) {
  double dx = (g->x_to - g->x_from) / ldexp(a->x.cells, a->refine);
  double dy = (g->y_to - g->y_from) / ldexp(a->y.cells, a->refine);
  for (int k = 0; k < a->arc_count; k++) {
    const ss_atlas_arc *arc = &a->arcs[k];
    if (arc->left < 0 || arc->right < 0) continue;
    unsigned left = bits_of(&a->kinds[a->regions[arc->left].kind]);
    unsigned right = bits_of(&a->kinds[a->regions[arc->right].kind]);
    for (int i = 0; i + 1 < arc->count; i++)
      for (int p = 0; p <= 100; p++) {
        const double *from = arc->points + 2 * i, w = p / 100.0;
        double x = from[0] + w * (from[2] - from[0]), y = from[1] + w * (from[3] - from[1]);
        bool has_left = false, has_right = false;
        for (int q = 0; q < 81; q++) {
          unsigned set = g->expected(x + dx * (q % 9 - 4) / 4, y + dy * (q / 9 - 4) / 4);
          has_left |= set == left, has_right |= set == right;
        }
        if (!has_left || !has_right) fail_msg("%s: no border near (%g, %g)", g->model, x, y);
      }
  }
}

// Points of arcs between their ends have been moved onto the border: both kinds within 1/20 of a cell.
static void check_sharp(const figure *g, const ss_atlas *a) {
  double dx = (g->x_to - g->x_from) / ldexp(a->x.cells, a->refine) / 20;
  double dy = (g->y_to - g->y_from) / ldexp(a->y.cells, a->refine) / 20;
  for (int k = 0; k < a->arc_count; k++) {
    const ss_atlas_arc *arc = &a->arcs[k];
    if (arc->left < 0 || arc->right < 0) continue;
    for (int i = 1; i + 1 < arc->count; i++) {
      const double *p = arc->points + 2 * i;
      unsigned seen = g->expected(p[0], p[1]);
      bool differs = false;
      for (int q = 0; q < 9; q++)
        differs |= g->expected(p[0] + dx * (q % 3 - 1), p[1] + dy * (q / 3 - 1)) != seen;
      assert_true(differs);
    }
  }
}

// The area inside the rings, by the shoelace formula, holes being walked the other way round.
static double ring_area(const ss_atlas *a, const ss_atlas_region *r) {
  double sum = 0;
  for (int k = 0; k < r->ring_count; k++) {
    double first[2] = {NAN, NAN}, before[2] = {NAN, NAN};
    for (int e = r->ring[k]; e < r->ring[k + 1]; e++) {
      bool forward = r->ring_arc[e] >= 0;
      const ss_atlas_arc *arc = &a->arcs[forward ? r->ring_arc[e] : -1 - r->ring_arc[e]];
      for (int i = 0; i < arc->count; i++) {
        const double *p = arc->points + 2 * (forward ? i : arc->count - 1 - i);
        if (isnan(first[0]))
          memcpy(first, p, sizeof first);
        else
          sum += before[0] * p[1] - before[1] * p[0];
        if (i == 0 && !isnan(before[0])) assert_true(before[0] == p[0] && before[1] == p[1]);
        memcpy(before, p, sizeof before);
      }
    }
    assert_true(before[0] == first[0] && before[1] == first[1]);  // closed
  }
  return sum / 2;
}

static void check_regions(const figure *g, const ss_atlas *a) {
  double whole = (g->x_to - g->x_from) * (g->y_to - g->y_from), areas = 0, kinds = 0, rings = 0;
  for (int k = 0; k < a->region_count; k++) {
    const ss_atlas_region *r = &a->regions[k];
    assert_int_equal(bits_of(&a->kinds[r->kind]), g->expected(r->x, r->y));
    assert_true(r->room > 0 && r->room < 1);
    double area = ring_area(a, r) / whole;
    assert_near(area, r->area, 0.02);
    areas += r->area, rings += area;
  }
  for (int k = 0; k < a->kind_count; k++) kinds += a->kinds[k].area;
  assert_near(areas, 1, 1e-12);
  assert_near(kinds, 1, 1e-12);
  assert_near(rings, 1, 1e-9);  // no gap, no overlap
}

static void check_figure(const figure *g, int nx, int ny, int refine) {
  ss_atlas *a = make(g, nx, ny, refine, 0);
  assert_int_equal(a->kind_count, g->kinds);
  for (int k = 1; k < a->kind_count; k++) assert_true(a->kinds[k].count >= a->kinds[k - 1].count);
  assert_int_equal(a->unsettled, 0);
  check_cells(g, a);
  check_arcs(g, a);
  check_sharp(g, a);
  check_regions(g, a);
  ss_atlas_destroy(a);
}

static void test_figures(void **state) {
  (void)state;
  for (size_t k = 0; k < sizeof figures / sizeof *figures; k++) {
    check_figure(&figures[k], 40, 40, 3);
    check_figure(&figures[k], 61, 47, 2);
  }
}

// Regions A to J by name: fewer solutions first, from top to bottom.
static void test_labels(void **state) {
  (void)state;
  static const int counts[] = {1, 1, 1, 1, 3, 3, 3, 5, 5, 9};
  ss_atlas *a = make(&figures[4], 40, 40, 3, 0);
  for (int k = 0; k < 10; k++) {
    assert_int_equal(a->kinds[k].count, counts[k]);
    assert_int_equal(a->kinds[k].label[0], 'A' + k);
    assert_int_equal(a->kinds[k].regions, 1);
    assert_true(a->kinds[k].complete);
  }
  assert_int_equal(bits_of(&a->kinds[0]), TWO(P, M));
  ss_atlas_destroy(a);
}

static void check_same(const ss_atlas *a, const ss_atlas *b) {
  assert_int_equal(a->kind_count, b->kind_count);
  assert_int_equal(a->cell_count, b->cell_count);
  assert_int_equal(a->region_count, b->region_count);
  assert_int_equal(a->arc_count, b->arc_count);
  assert_int_equal(a->problems, b->problems);
  assert_memory_equal(a->cells, b->cells, (size_t)a->cell_count * sizeof *a->cells);
  for (int k = 0; k < a->kind_count; k++) {
    assert_string_equal(a->kinds[k].label, b->kinds[k].label);
    assert_int_equal(bits_of(&a->kinds[k]), bits_of(&b->kinds[k]));
  }
  for (int k = 0; k < a->arc_count; k++) {
    assert_int_equal(a->arcs[k].count, b->arcs[k].count);
    assert_memory_equal(a->arcs[k].points, b->arcs[k].points,
                        2 * (size_t)a->arcs[k].count * sizeof(double));
  }
}

static void test_threads(void **state) {
  (void)state;
  ss_atlas *one = make(&figures[4], 30, 25, 3, 1);
  for (int threads = 2; threads <= 7; threads += 5) {
    ss_atlas *many = make(&figures[4], 30, 25, 3, threads);
    check_same(one, many);
    ss_atlas_destroy(many);
  }
  ss_atlas_destroy(one);
}

// Every allocation fails once: an error, no leak (the sanitizer looks), no crash.
static budget memory;

static void test_memory(void **state) {
  (void)state;
  ss_context ctx = on_budget(&memory);
  ss_atlas_options o = ss_atlas_options_default();
  figure g = figures[2];
  o.x = (ss_atlas_axis){0, 2, 2}, o.y = (ss_atlas_axis){-2, 2, 2};
  o.refine = 1, o.threads = 1;
  for (int most = 0;; most++) {
    ss_atlas *a;
    memory.left = most;
    ss_error e = ss_atlas_create(&ctx, &o, problem_at, &g, &a);
    memory.left = INT32_MAX;
    ss_atlas_destroy(a);
    if (!e) {
      assert_true(most > 50);
      return;
    }
    assert_int_equal(e, SS_ERR_MEMORY);
    assert_null(a);
  }
}

// ---- continua, none, errors -----------------------------------------------------------------

// The rod over (u0, mu) with g = -1: one solution, or none for u0 > 0 and mu > tan(theta).
static void test_none(void **state) {
  (void)state;
  figure g = {"painleve", "u0", "mu", -1, 1, 0.01, 2, {"g", 0, -1}, NULL, 3};
  ss_atlas *a = make(&g, 20, 20, 3, 2);
  assert_int_equal(a->kinds[0].count, 0);
  for (int k = 0; k < a->cell_count; k++) {
    double x, y;
    ss_atlas_point(a, &a->cells[k], &x, &y);
    assert_int_equal(a->kinds[a->cells[k].kind].count, x > 0 && y > t ? 0 : 1);
  }
  ss_atlas_destroy(a);
}

// A square on the ground: a segment of forces everywhere while the push is below mu m g.
static void test_continuum(void **state) {
  (void)state;
  figure g = {"square", "push", "mu", -0.9, 0.9, 0.1, 1, {"g", 0, -1}, NULL, 3};
  ss_atlas *a = make(&g, 20, 20, 2, 2);
  for (int k = 0; k < a->cell_count; k++) {
    double push, mu;
    ss_atlas_point(a, &a->cells[k], &push, &mu);
    const ss_atlas_kind *kind = &a->kinds[a->cells[k].kind];
    assert_int_equal(kind->count, 1);
    if (fabs(push) < mu && fabs(push) < 0.9)
      assert_true(!kind->solutions[0].isolated && kind->solutions[0].dimension == 1);
    else
      assert_true(kind->solutions[0].isolated);
  }
  ss_atlas_destroy(a);
}

static void check_error(ss_atlas_options o, const figure *g, const char *said) {
  ss_context ctx = {0};
  ss_atlas *a;
  figure copy = *g;
  assert_int_not_equal(ss_atlas_create(&ctx, &o, problem_at, &copy, &a), SS_OK);
  assert_null(a);
  if (!strstr(ctx.message, said)) fail_msg("said '%s', expected '%s'", ctx.message, said);
}

static int cancel(void *user, const ss_atlas_progress *now) {
  assert_true(now->done >= 0 && now->done <= now->wanted);
  return ++*(int *)user > 3;
}

static void test_errors(void **state) {
  (void)state;
  ss_atlas_options o = ss_atlas_options_default();
  o.threads = 3;
  figure negative = {"klarbring", "mu", "f_t", 0, 1, 0, 1, {"f_n", 0, 1}, NULL, 0};
  o.x.from = -1;  // mu < 0 in the first cell and in many more: said of the first
  check_error(o, &negative, "mu is -0.989");
  o.x.from = 1;
  check_error(o, &negative, "expected an interval");
  o.x.from = 0, o.x.cells = 0;
  check_error(o, &negative, "at least 1");
  o.x.cells = 9000, o.y.cells = 9000;
  check_error(o, &negative, "2^26");
  o.x.cells = 9, o.y.cells = 9, o.refine = 13;
  check_error(o, &negative, "refine is 13");
  figure space = {"painleve3d", "u0", "a", 0, 1, 0, 1, {"mu", 0, 1}, NULL, 0};
  o.refine = 0;
  check_error(o, &space, "needs a problem in 2D");
  int calls = 0;
  ss_atlas *a;
  o = ss_atlas_options_default();
  o.progress = cancel, o.user = &calls;
  assert_int_equal(ss_atlas_create(NULL, &o, problem_at, &negative, &a), SS_OK);
  assert_true(a->cancelled && a->cell_count == 0);
  ss_atlas_destroy(a);
}

// test_atlas CELLS: the figures alone, on a finer grid.
static int fine_cells;

static void test_fine(void **state) {
  (void)state;
  for (size_t k = 0; k < sizeof figures / sizeof *figures; k++)
    check_figure(&figures[k], fine_cells, fine_cells, 3);
}

int main(int argc, char **argv) {
  const struct CMUnitTest fine[] = {cmocka_unit_test(test_fine)};
  if (argc > 1) {
    fine_cells = atoi(argv[1]);
    return cmocka_run_group_tests(fine, NULL, NULL);
  }
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_figures), cmocka_unit_test(test_labels),
      cmocka_unit_test(test_threads), cmocka_unit_test(test_memory),
      cmocka_unit_test(test_none),    cmocka_unit_test(test_continuum),
      cmocka_unit_test(test_errors),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
