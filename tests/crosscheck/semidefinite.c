// semidefinite [--count N] [--seed S] [--show] [--write FILE]: random plane problems whose M is positive semi-definite and singular, up to
// three contacts. What ss_certify (and ss_settle where that is open), its check, ss_solve_loose and ss_verify say is set
// against an exact brute force: with given states the solutions are a polyhedron in (v, l, r), and a linear program in
// rationals tells whether it is empty. Exits with 1 after a false claim or a contradiction.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "draft.h"
#include "simplex.h"
#include "stickslip/diagnose.h"

enum { CONTACTS = 3, DOFS = 4, ROWS = 2 * CONTACTS };

// Whole numbers; mu in quarters.
typedef struct trial {
  int n, dofs, joints;
  long mu[CONTACTS], M[DOFS][DOFS], f[DOFS], H[ROWS][DOFS], w[ROWS], G[DOFS], b;
} trial;

typedef struct tally {
  int problems, none, exists_said, none_said, open, solved, wrong;
} tally;

// ---- problems ------------------------------------------------------------------------------

static void make_mass(uint64_t *g, trial *t) {
  int rank = whole(g, 0, t->dofs - 1);
  for (int k = 0; k < rank; k++) {
    long b[DOFS];
    for (int i = 0; i < t->dofs; i++) b[i] = chance(g, 40) ? 0 : whole(g, -2, 2);
    for (int i = 0; i < t->dofs; i++)
      for (int j = 0; j < t->dofs; j++) t->M[i][j] += b[i] * b[j];
  }
}

// The load and the imposed motion that make chosen velocities and reactions a solution, in whole numbers.
static void plant(uint64_t *g, trial *t) {
  long v[DOFS], l = whole(g, -2, 2);
  for (int k = 0; k < t->dofs; k++) v[k] = whole(g, -3, 3), t->f[k] = t->joints ? t->G[k] * l : 0;
  for (int i = 0; i < t->n; i++) {
    long normal = 4 * whole(g, 0, 3), u[2] = {0, 0}, drag = 0;
    int state = whole(g, 0, 3);
    if (state == 0) u[0] = whole(g, 0, 3), u[1] = whole(g, -3, 3), normal = 0;
    if (state == 1) drag = t->mu[i] * normal / 4 * whole(g, -1, 1);
    if (state > 1) {
      u[1] = state == 2 ? whole(g, 0, 3) : -whole(g, 0, 3);
      drag = (state == 2 ? -1 : 1) * t->mu[i] * normal / 4;
    }
    for (int k = 0; k < t->dofs; k++)
      t->f[k] += t->H[2 * i][k] * normal + t->H[2 * i + 1][k] * drag;
    for (int c = 0; c < 2; c++) {
      t->w[2 * i + c] = u[c];
      for (int k = 0; k < t->dofs; k++) t->w[2 * i + c] -= t->H[2 * i + c][k] * v[k];
    }
  }
  t->b = 0;
  for (int k = 0; k < t->dofs; k++) {
    t->b -= t->G[k] * v[k];
    for (int j = 0; j < t->dofs; j++) t->f[k] -= t->M[k][j] * v[j];
  }
}

static trial make(uint64_t seed) {
  static const long quarters[] = {0, 1, 2, 4, 8};
  uint64_t g = seed;
  trial t = {.n = whole(&g, 1, CONTACTS), .dofs = whole(&g, 1, DOFS), .joints = chance(&g, 20)};
  make_mass(&g, &t);
  for (int i = 0; i < 2 * t.n; i++)
    for (int k = 0; k < t.dofs; k++) t.H[i][k] = chance(&g, 35) ? 0 : whole(&g, -2, 2);
  for (int i = 0; i < t.n; i++) t.mu[i] = quarters[whole(&g, 0, 4)];
  for (int k = 0; k < t.dofs && t.joints; k++) t.G[k] = whole(&g, -1, 1);
  if (chance(&g, 40)) return plant(&g, &t), t;
  long v[DOFS];
  int motion = whole(&g, 0, 2);
  for (int k = 0; k < t.dofs; k++) v[k] = whole(&g, -2, 2), t.f[k] = whole(&g, -3, 3);
  for (int i = 0; i < 2 * t.n && motion; i++) {  // all external objects as one, or each by itself
    t.w[i] = motion == 1 ? 0 : whole(&g, -2, 2);
    for (int k = 0; k < t.dofs && motion == 1; k++) t.w[i] -= t.H[i][k] * v[k];
  }
  if (t.joints && motion) t.b = whole(&g, -1, 1);
  return t;
}

// ---- the truth -----------------------------------------------------------------------------

static void put(const qmat *A, int row, int col, long x, long per) {
  mpq_t q;
  mpq_init(q);
  mpq_set_si(q, x, (unsigned long)per);
  mpq_canonicalize(q);
  mpq_add(qat(A, row, col), qat(A, row, col), q);
  mpq_clear(q);
}

// v = v' - v'', l = l' - l'': columns of both
static void put_free(const qmat *A, int row, int col, int behind, long x) {
  put(A, row, col, x, 1);
  put(A, row, col + behind, -x, 1);
}

// One pattern: unknowns v', v'', l', l'', then of each contact the impulses along (1, -mu) and (1, mu), and two slacks.
static bool has_cell(const trial *t, int pattern) {
  int free = t->dofs + t->joints, rows = free + 2 * t->n, cols = 2 * free + 4 * t->n;
  qmat A = qmat_new(rows, cols), b = qmat_new(rows, 1);
  for (int k = 0; k < t->dofs; k++) {
    for (int j = 0; j < t->dofs; j++) put_free(&A, k, j, free, t->M[k][j]);
    if (t->joints) put_free(&A, k, t->dofs, free, -t->G[k]);
    if (t->joints) put_free(&A, t->dofs, k, free, t->G[k]);
    put(&b, k, 0, -t->f[k], 1);
  }
  if (t->joints) put(&b, t->dofs, 0, -t->b, 1);
  for (int i = 0; i < t->n; i++) {
    int state = pattern >> (2 * i) & 3, at = 2 * free + 4 * i;
    bool plus = state == 1 || state == 2, minus = state == 1 || state == 3;
    for (int k = 0; k < t->dofs; k++) {
      long N = 4 * t->H[2 * i][k], T = t->mu[i] * t->H[2 * i + 1][k];
      if (plus) put(&A, k, at, T - N, 4);
      if (minus) put(&A, k, at + 1, -T - N, 4);
      for (int c = 0; c < 2; c++) put_free(&A, free + 2 * i + c, k, free, t->H[2 * i + c][k]);
    }
    for (int c = 0; c < 2; c++) put(&b, free + 2 * i + c, 0, -t->w[2 * i + c], 1);
    if (state == 0) {  // u_N >= 0, u_T as it likes
      put(&A, free + 2 * i, at + 2, -1, 1);
      put(&A, free + 2 * i + 1, at + 3, -1, 1);
      put(&A, free + 2 * i + 1, at, 1, 1);  // no impulse here: this column is the other sign of u_T
    }
    if (state > 1) put(&A, free + 2 * i + 1, at + 3, state == 2 ? -1 : 1, 1);
  }
  bool found = lp_solve(&A, &b, NULL, NULL, NULL) == LP_OPTIMAL;
  qmat_free(&A);
  qmat_free(&b);
  return found;
}

static bool exists(const trial *t) {
  for (int pattern = 0; pattern < 1 << (2 * t->n); pattern++)
    if (has_cell(t, pattern)) return true;
  return false;
}

// ---- what is said --------------------------------------------------------------------------

typedef struct doubles {
  ss_problem p;
  double mu[CONTACTS], M[DOFS * DOFS], f[DOFS], H[ROWS * DOFS], w[ROWS], G[DOFS], b[1];
  int64_t ptr[ROWS + 1], joint_ptr[DOFS + 1];
  int col[ROWS * DOFS], joint_col[DOFS];
} doubles;

static void convert(const trial *t, doubles *d) {
  memset(d, 0, sizeof *d);
  for (int i = 0; i < t->n; i++) d->mu[i] = (double)t->mu[i] / 4;
  for (int i = 0; i < 2 * t->n; i++) d->w[i] = (double)t->w[i];
  for (int i = 0; i < ROWS * DOFS; i++) d->col[i] = i % t->dofs;
  for (int i = 0; i <= ROWS; i++) d->ptr[i] = (int64_t)i * t->dofs;
  for (int k = 0; k < t->dofs; k++) {
    d->f[k] = (double)t->f[k], d->G[k] = (double)t->G[k], d->joint_ptr[k + 1] = k + 1;
    for (int j = 0; j < t->dofs; j++) d->M[t->dofs * k + j] = (double)t->M[k][j];
    for (int i = 0; i < 2 * t->n; i++) d->H[t->dofs * i + k] = (double)t->H[i][k];
  }
  d->b[0] = (double)t->b;
  d->p = (ss_problem){.form = SS_GLOBAL, .dim = 2, .nc = t->n, .ndof = t->dofs, .nl = t->joints};
  d->p.mu = d->mu, d->p.f = d->f, d->p.w = d->w;
  d->p.M = (ss_sparse){t->dofs, t->dofs, d->ptr, d->col, d->M};
  d->p.H = (ss_sparse){2 * t->n, t->dofs, d->ptr, d->col, d->H};
  if (!t->joints) return;
  d->p.b = d->b;
  d->p.G = (ss_sparse){t->dofs, 1, d->joint_ptr, d->joint_col, d->G};
}

static void complain(tally *all, uint64_t seed, const char *what) {
  printf("seed %llu: %s\n", (unsigned long long)seed, what);
  all->wrong++;
}

// As the command does: the certificate, and where that is open a solution that proves itself.
static ss_existence certify(tally *all, uint64_t seed, const ss_problem *p) {
  ss_context ctx = {0};
  ss_certificate *c = NULL;
  ss_certificate_report report;
  ss_settlement *other = NULL;
  if (ss_certify(&ctx, p, NULL, &c) || ss_certificate_check(&ctx, p, c, &report))
    return complain(all, seed, ctx.message), SS_UNDECIDED;
  if (!report.holds) complain(all, seed, report.failure);
  ss_existence said = c->verdict;
  ss_settle_options o = {.solve = true};
  if (said == SS_UNDECIDED && !ss_settle(&ctx, p, &o, &other) && other->r) {
    ss_certificate with = *c;
    ss_solution at = {.r = other->r, .v = other->v, .l = other->l};
    with.verdict = SS_EXISTS, with.reason = SS_REASON_SOLUTION, with.solution = &at;
    if (!ss_certificate_check(&ctx, p, &with, &report) && report.holds) said = SS_EXISTS;
  }
  ss_settlement_destroy(other);
  ss_certificate_destroy(c);
  return said;
}

static bool solves(tally *all, uint64_t seed, const ss_problem *p) {
  ss_context ctx = {0};
  ss_options o = ss_options_default();
  ss_info info;
  ss_verdict verdict;
  double r[ROWS] = {0}, v[DOFS] = {0}, l[1] = {0};
  if (ss_solve_loose(&ctx, p, &o, r, NULL, v, l, &info) ||
      ss_verify(&ctx, p, &(ss_solution){.r = r, .v = v, .l = l}, NULL, NULL, NULL, NULL, &verdict))
    return complain(all, seed, ctx.message), false;
  bool solved = info.status == SS_SOLVED;
  if (solved != (verdict.error <= o.tol)) complain(all, seed, "solve and verify disagree");
  return solved;
}

static void try(tally *all, uint64_t seed, bool show) {
  trial t = make(seed);
  doubles d;
  ss_context ctx = {0};
  int loose;
  convert(&t, &d);
  if (ss_problem_check(&ctx, &d.p) || ss_problem_loose(&ctx, &d.p, &loose) || loose < 0)
    return complain(all, seed, "M is not seen to be semi-definite and singular");
  bool truth = exists(&t), solved = solves(all, seed, &d.p);
  ss_existence said = certify(all, seed, &d.p);
  all->problems++, all->none += !truth, all->solved += solved;
  all->exists_said += said == SS_EXISTS, all->none_said += said == SS_NONE;
  all->open += said == SS_UNDECIDED;
  if (said == SS_EXISTS && !truth) complain(all, seed, "certify says exists; there is no solution");
  if (said == SS_NONE && truth) complain(all, seed, "certify says none; there is a solution");
  if (solved && !truth) complain(all, seed, "solve says solved; there is no solution");
  if (show && (said == SS_UNDECIDED || solved != truth))
    printf("seed %llu: %s, certify %s, solve %s\n", (unsigned long long)seed,
           truth ? "a solution" : "none", ss_existence_name(said), solved ? "solved" : "not");
}

static void write_rows(FILE *to, const char *key, const double *x, int rows, int cols) {
  fprintf(to, ",\n\"%s\":[", key);
  for (int i = 0; i < rows; i++) {
    fprintf(to, cols ? i ? ",[" : "[" : i ? "," : "");
    for (int k = 0; k < (cols ? cols : 1); k++)
      fprintf(to, "%s%g", k ? "," : "", x[i * (cols ? cols : 1) + k]);
    fprintf(to, cols ? "]" : "");
  }
  fputc(']', to);
}

// The problem of one seed, for the commands.
static int write_problem(uint64_t seed, const char *path) {
  trial t = make(seed);
  doubles d;
  FILE *to = fopen(path, "w");
  if (!to) return perror(path), 1;
  convert(&t, &d);
  fprintf(to, "{\"dim\":2");
  write_rows(to, "mu", d.mu, t.n, 0);
  write_rows(to, "M", d.M, t.dofs, t.dofs);
  write_rows(to, "f", d.f, t.dofs, 0);
  write_rows(to, "H", d.H, 2 * t.n, t.dofs);
  write_rows(to, "w", d.w, 2 * t.n, 0);
  if (t.joints) write_rows(to, "G", d.G, t.dofs, 1), write_rows(to, "b", d.b, 1, 0);
  fputs("}\n", to);
  return fclose(to) ? 1 : 0;
}

int main(int argc, char **argv) {
  tally all = {0};
  int count = 300;
  uint64_t seed = 1;
  bool show = false;
  const char *path = NULL;
  for (int k = 1; k < argc; k++) {
    if (strcmp(argv[k], "--show") == 0) show = true;
    if (k + 1 < argc && strcmp(argv[k], "--count") == 0) count = atoi(argv[++k]);
    if (k + 1 < argc && strcmp(argv[k], "--write") == 0) path = argv[++k];
    if (k + 1 < argc && strcmp(argv[k], "--seed") == 0) seed = strtoull(argv[++k], NULL, 10);
  }
  if (path) return write_problem(seed, path);
  for (int i = 0; i < count; i++) try(&all, seed + (uint64_t)i, show);
  printf("%d problems, %d without solution: certify says exists %d, none %d, undecided %d; %d "
         "solved; %d wrong\n",
         all.problems, all.none, all.exists_said, all.none_said, all.open, all.solved, all.wrong);
  return all.wrong > 0;
}
