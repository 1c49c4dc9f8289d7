// bench_cost - what the steps of the methods cost, beside what `auto` counts for them (src/solvers/auto/cost.c), and the
// constants that fit the times best.
//
// The counted costs and the sizes they come from are in a line that `auto` logs. Each method is timed on the same
// problem, by processor time; the constants c of  time = c_1 x_1 + c_2 x_2 + ...  minimise the relative error, sum ((c.x)/time - 1)^2.
// `auto` decides by ratios, so it is enough that the column counted/measured is the same for all within a factor of two.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <stickslip/stickslip.h>

enum { TERMS = 3, MOST = 64 };
enum { SWEEP, BY_BODIES, DENSE, FIXED, UMFPACK, PATH, PIVOT, ADMM, GROUPS };

static const struct {
  const char *name, *terms[TERMS];
} groups[GROUPS] = {
    [SWEEP] = {"sweep (nsgs)", {"block", "contact"}},
    [BY_BODIES] = {"newton, bodies", {"contact", "flop"}},
    [DENSE] = {"newton, dense", {"rows^3", "entry"}},
    [FIXED] = {"newton, fixed LU", {"row", "entry", "flop"}},
    [UMFPACK] = {"newton, UMFPACK", {"entry", "flop"}},
    [PATH] = {"path", {"rows^3", "rows^2"}},
    [PIVOT] = {"pivot (lemke)", {"rows^2"}},
    [ADMM] = {"admm", {"product", "row"}},
};

typedef struct sample {
  double x[TERMS], counted, measured;  // ns
} sample;

static sample samples[GROUPS][MOST];
static int count[GROUPS];

// ---- what auto counts ----------------------------------------------------------------------

typedef struct counted {
  bool known;
  double sweep, newton, path, pivot, admm, blocks, entries, flops;
  int kind;
} counted;

static void hear(void *user, ss_level level, const char *text) {
  counted *c = user;
  if (level != SS_LOG_DEBUG || c->known) return;
  c->known =
      sscanf(text,
             "auto: cost sweep=%lf newton=%lf path=%lf pivot=%lf admm=%lf kind=%d blocks=%lf "
             "entries=%lf flops=%lf",
             &c->sweep, &c->newton, &c->path, &c->pivot, &c->admm, &c->kind, &c->blocks,
             &c->entries, &c->flops) == 9;
}

// Nanoseconds of an iteration on average, the shortest of three solves; NAN: refused.
static double measure(ss_context *ctx, const ss_problem *p, const char *method, ss_setting setting,
                      int iterations) {
  ss_options o = ss_options_default();
  double best = INFINITY, *r = calloc((size_t)(p->dim * p->nc), sizeof *r);
  o.method = method, o.tol = 1e-300, o.max_iter = iterations, o.check_every = iterations;
  o.settings = &setting, o.setting_count = setting.key ? 1 : 0;
  for (int k = 0; r && k < 3; k++) {
    ss_solver *s;
    ss_info info;
    if (ss_solver_create(ctx, p, &o, &s)) break;
    memset(r, 0, sizeof(double) * (size_t)(p->dim * p->nc));
    clock_t begin = clock();  // processor time: other programs do not count
    if (!ss_solve(s, r, NULL, NULL, NULL, &info) && info.iterations)
      best = fmin(best, 1e9 * (double)(clock() - begin) / CLOCKS_PER_SEC / info.iterations);
    ss_solver_destroy(s);
  }
  free(r);
  return isfinite(best) ? best : NAN;
}

static void add(int group, double measured, double what_auto_counts, double x, double y, double z) {
  if (!isfinite(measured) || count[group] == MOST) return;
  samples[group][count[group]++] = (sample){{x, y, z}, what_auto_counts, measured};
}

static void add_newton(const counted *c, const ss_problem *p, double measured) {
  double rows = (double)p->dim * p->nc;
  switch (c->kind) {
  case 0:
    add(BY_BODIES, measured, c->newton, p->nc, c->flops, 0);
    break;
  case 1:
    add(DENSE, measured, c->newton, rows * rows * rows, c->entries, 0);
    break;
  case 2:
    add(FIXED, measured, c->newton, rows, c->entries, c->flops);
    break;
  default:
    add(UMFPACK, measured, c->newton, c->entries,
        c->flops > 0 ? c->flops : 0.1 * rows * rows * fmin(rows, 300), 0);
  }
}

static void look_at(const ss_problem *p) {
  counted c = {0};
  ss_context ctx = {.log = hear, .user = &c};
  ss_setting none = {0}, cold = {"warmup", "0"};
  measure(&ctx, p, "auto", none, 300);
  if (!c.known) return;  // solved before anything was weighed
  double rows = (double)p->dim * p->nc, lcp = (p->dim == 2 ? 4.0 : 10.0) * p->nc;
  add(SWEEP, measure(&ctx, p, "nsgs", none, 300), c.sweep, c.blocks, p->nc, 0);
  add_newton(&c, p, measure(&ctx, p, "newton", cold, 20));
  add(ADMM, measure(&ctx, p, "admm", none, 200), c.admm, 2 * fmin(rows * rows, 200 * rows), rows,
      0);
  if (rows <= 300)
    add(PATH, measure(&ctx, p, "path", none, 60), c.path, rows * rows * rows, rows * rows, 0);
  if (p->nc <= 100) add(PIVOT, measure(&ctx, p, "lemke", none, 60), c.pivot, lcp * lcp, 0, 0);
}

// ---- problems ------------------------------------------------------------------------------

static void both_forms(ss_problem *p) {
  ss_problem *reduced;
  look_at(p);
  if (p->nc <= 3000 && !ss_problem_reduce(NULL, p, &reduced)) {
    look_at(reduced);
    ss_problem_destroy(reduced);
  }
  ss_problem_destroy(p);
}

static void all_problems(void) {
  static const int sizes[] = {20, 50, 100, 300, 1000, 3000};
  for (int dim = 2; dim <= 3; dim++)
    for (int k = 0; k < 6; k++) {
      ss_pile_options o = ss_pile_options_default();
      ss_problem *p;
      o.dim = dim, o.contacts = sizes[k], o.mu = 0.6;
      if (!ss_generate_pile(NULL, &o, &p)) both_forms(p);
      ss_wall_options wall = ss_wall_options_default();
      wall.dim = dim, wall.rows = 3 + 2 * k, wall.cols = 4 + 2 * k;
      if (!ss_generate_wall(NULL, &wall, &p)) both_forms(p);
    }
}

// ---- fitting -------------------------------------------------------------------------------

// Normal equations of the relative errors, by elimination with exchanges of rows; terms that nothing tells apart
// or that come out negative are left out.
static bool fit(int group, bool used[TERMS], double c[TERMS]) {
  double A[TERMS][TERMS + 1] = {{0}};
  for (int k = 0; k < count[group]; k++) {
    const sample *s = &samples[group][k];
    for (int i = 0; i < TERMS; i++) {
      double xi = used[i] ? s->x[i] / s->measured : 0;
      for (int j = 0; j < TERMS; j++) A[i][j] += xi * (used[j] ? s->x[j] / s->measured : 0);
      A[i][TERMS] += xi;
    }
  }
  for (int i = 0; i < TERMS; i++)
    if (!used[i]) A[i][i] = 1;
  for (int i = 0; i < TERMS; i++) {
    for (int k = i + 1; k < TERMS; k++) {
      double factor = A[k][i] / A[i][i];
      for (int j = i; j <= TERMS; j++) A[k][j] -= factor * A[i][j];
    }
  }
  for (int i = TERMS - 1; i >= 0; i--) {
    c[i] = A[i][TERMS];
    for (int j = i + 1; j < TERMS; j++) c[i] -= A[i][j] * c[j];
    c[i] /= A[i][i];
  }
  for (int i = 0; i < TERMS; i++)
    if (used[i] && !(c[i] > 0)) {
      used[i] = false;
      return false;
    }
  return true;
}

static void print_group(int group) {
  bool used[TERMS];
  double c[TERMS] = {0}, mean = 0, low = INFINITY, high = 0, fit_low = INFINITY, fit_high = 0;
  if (!count[group]) return;
  for (int i = 0; i < TERMS; i++) used[i] = groups[group].terms[i] != NULL;
  while (!fit(group, used, c)) {
  }
  for (int k = 0; k < count[group]; k++) {
    const sample *s = &samples[group][k];
    double ratio = s->counted / s->measured, fitted = 0;
    for (int i = 0; i < TERMS; i++) fitted += used[i] ? c[i] * s->x[i] / s->measured : 0;
    mean += log(ratio) / count[group];
    low = fmin(low, ratio), high = fmax(high, ratio);
    fit_low = fmin(fit_low, fitted), fit_high = fmax(fit_high, fitted);
  }
  printf("%-18s %3d   %5.2f (%.2f to %.2f)   (%.2f to %.2f)  ", groups[group].name, count[group],
         exp(mean), low, high, fit_low, fit_high);
  for (int i = 0; i < TERMS; i++)
    if (groups[group].terms[i]) printf(" %s %.3g", groups[group].terms[i], used[i] ? c[i] : 0);
  printf("\n");
}

int main(void) {
  all_problems();
  printf("%-18s %3s   %-22s   %-14s   %s\n", "step", "n", "counted/measured", "fitted", "ns");
  for (int group = 0; group < GROUPS; group++) print_group(group);
  return 0;
}
