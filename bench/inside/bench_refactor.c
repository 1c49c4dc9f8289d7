// bench_refactor [FILE...] - the fixed LU of la/fixed.h against the refactorisation of KLU, on the matrices
// of the steps of Newton's method (newton_linear.c (2)) for generated piles and walls, or for the files given.
//
// Both get the same matrices and solve with each once, checking |b - A x|. KLU works in the full pattern, rows
// that are not active being those of I, since its pivots are bound to one pattern; its analysis and its first
// factorisation are not counted, nor is the one analysis of the other. No scaling of rows (klu re) or the
// largest entry of each (klu scaled); a new factorisation with exchanges at each step (klu factor).
// Processor time per step, the least of five turns in alternation.
#include <klu.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "la/sparse.h"
#include "solvers/newton.h"
#include "stickslip/stickslip.h"

enum { MOST = 40, TURNS = 5, WAYS = 4 };
static const char *const way_names[WAYS] = {"fixed", "klu re", "klu scaled", "klu factor"};

typedef struct step {
  ss_sparse A;      // the active rows
  int *part;        // which rows of the full pattern they are
  double *in_full;  // the numbers in the full pattern
} step;

typedef struct bench {
  ssi_arena arena;
  ssi_fixed *fixed;
  ss_sparse full;
  SuiteSparse_long *col;  // of it
  step steps[MOST];
  int count;
  double *b, *x;
  klu_l_common common;
  klu_l_symbolic *symbolic;
  klu_l_numeric *numeric;
  int failures;
} bench;

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void must(bool ok) {
  if (ok) return;
  fprintf(stderr, "bench_refactor: out of memory\n");
  exit(1);
}

// ---- matrices ------------------------------------------------------------------------------

static void spread(bench *t, step *s) {
  int *place = SSI_TAKE(&t->arena, t->full.rows, int);
  s->in_full = SSI_TAKE(&t->arena, ssi_sparse_entries(&t->full), double);
  must(!t->arena.failed);
  for (int i = 0; i < t->full.rows; i++) place[i] = -1;
  for (int i = 0; i < s->A.rows; i++) place[s->part[i]] = i;
  for (int i = 0; i < t->full.rows; i++)
    for (int64_t k = t->full.ptr[i]; k < t->full.ptr[i + 1]; k++) {
      int j = t->full.col[k];
      s->in_full[k] = place[i] < 0   ? i == j
                      : place[j] < 0 ? 0
                                     : ssi_sparse_entry(&s->A, place[i], place[j]);
    }
}

static void keep(bench *t, const ssi_newton *n) {
  step *s = &t->steps[t->count++];
  ss_sparse A = {n->lu.n, n->lu.n, n->lu.ptr, n->lu.col, n->lu.x};
  s->part = SSI_TAKE(&t->arena, A.rows, int);
  must(s->part && ssi_sparse_copy(&t->arena, &A, &s->A));
  memcpy(s->part, n->lu.full, sizeof(int) * (size_t)A.rows);
  spread(t, s);
}

// The steps of Newton from 0 that have more rows than the dense LU takes.
static void record(bench *t, ssi_system *sys, ssi_newton *n) {
  double *r = SSI_TAKE(&t->arena, sys->m, double);
  t->b = SSI_TAKE(&t->arena, sys->m, double);
  t->x = SSI_TAKE(&t->arena, sys->m, double);
  ss_sparse full = {n->lu.n, n->lu.n, n->lu.ptr, n->lu.col, n->lu.x};
  must(!t->arena.failed && ssi_sparse_copy(&t->arena, &full, &t->full));
  t->col = SSI_TAKE(&t->arena, ssi_sparse_entries(&full), SuiteSparse_long);
  must(t->col);
  for (int64_t k = 0; k < ssi_sparse_entries(&full); k++) t->col[k] = full.col[k];
  for (int k = 0; k < sys->m; k++) t->b[k] = k % 7 - 3.1;
  t->fixed = &n->lu.fixed;
  ssi_newton_begin(n, sys, r);
  for (int k = 0; k < 2 * MOST && t->count < MOST && n->error > 1e-10; k++) {
    if (ssi_newton_step(n, sys, r) == SSI_STALLED) break;
    if (n->lu.n > SSI_LU_DENSE) keep(t, n);
  }
}

// ---- the ways ------------------------------------------------------------------------------

static bool close_enough(const bench *t, const ss_sparse *A) {
  double most = 0;
  for (int i = 0; i < A->rows; i++) {
    double sum = t->b[i];
    for (int64_t k = A->ptr[i]; k < A->ptr[i + 1]; k++) sum -= A->x[k] * t->x[A->col[k]];
    if (!(fabs(sum) <= most)) most = fabs(sum);
  }
  return most <= 3e-6;
}

static bool by_fixed(bench *t, const step *s) {
  ssi_direct *d = &t->fixed->direct;
  d->part = s->part;
  return !ssi_direct_factor(d, &s->A) && !ssi_direct_solve(d, t->b, t->x);
}

static bool by_klu(bench *t, const step *s, double *work, bool anew) {
  SuiteSparse_long *ptr = (SuiteSparse_long *)(uintptr_t)t->full.ptr, n = t->full.rows;
  if (anew) {
    klu_l_free_numeric(&t->numeric, &t->common);
    t->numeric = klu_l_factor(ptr, t->col, s->in_full, t->symbolic, &t->common);
  } else if (!klu_l_refactor(ptr, t->col, s->in_full, t->symbolic, t->numeric, &t->common)) {
    return false;
  }
  if (!t->numeric) return false;
  memset(work, 0, sizeof(double) * (size_t)n);
  for (int i = 0; i < s->A.rows; i++) work[s->part[i]] = t->b[i];
  klu_l_tsolve(t->symbolic, t->numeric, n, 1, work, &t->common);
  for (int i = 0; i < s->A.rows; i++) t->x[i] = work[s->part[i]];
  return close_enough(t, &s->A);
}

static void begin_klu(bench *t, int way) {
  SuiteSparse_long *ptr = (SuiteSparse_long *)(uintptr_t)t->full.ptr;
  klu_l_defaults(&t->common);
  t->common.btf = 0;  // one block
  t->common.scale = way == 2 ? 2 : -1;
  t->symbolic = klu_l_analyze(t->full.rows, ptr, t->col, &t->common);
  must(t->symbolic);
  t->numeric = klu_l_factor(ptr, t->col, t->steps[0].in_full, t->symbolic, &t->common);
}

// Seconds per step.
static double turn(bench *t, int way, int repeats, double *work) {
  if (way) begin_klu(t, way);
  double start = seconds();
  for (int k = 0; k < repeats; k++) {
    t->failures = 0;
    for (int i = 0; i < t->count; i++)
      t->failures += !(way ? by_klu(t, &t->steps[i], work, way == 3) : by_fixed(t, &t->steps[i]));
  }
  double spent = (seconds() - start) / repeats / t->count;
  if (way) {
    klu_l_free_numeric(&t->numeric, &t->common);
    klu_l_free_symbolic(&t->symbolic, &t->common);
  }
  return spent;
}

static double sum_of_logs[WAYS];
static int problems;

static void compare(bench *t, const char *name) {
  double least[WAYS], active = 0, *work = SSI_TAKE(&t->arena, t->full.rows, double);
  int failures[WAYS], repeats = 1 + (int)(2e7 / (t->fixed->fill.flops + 1e5) / t->count);
  must(work);
  for (int way = 0; way < WAYS; way++) least[way] = INFINITY;
  for (int k = 0; k < TURNS; k++)
    for (int way = 0; way < WAYS; way++) {
      least[way] = fmin(least[way], turn(t, way, repeats, work));
      failures[way] = t->failures;
    }
  for (int i = 0; i < t->count; i++) active += (double)t->steps[i].A.rows / t->count;
  printf("%-36s %5d %6.0f %5d %8.1e %9.1f", name, t->full.rows, active, t->count,
         t->fixed->fill.flops, 1e6 * least[0]);
  for (int way = 1; way < WAYS; way++) printf(" %8.2f", least[way] / least[0]);
  printf("  %d %d %d %d\n", failures[0], failures[1], failures[2], failures[3]);
  for (int way = 1; way < WAYS; way++) sum_of_logs[way] += log(least[way] / least[0]);
  problems++;
}

static void measure(const ss_problem *p, const char *name) {
  bench *t = calloc(1, sizeof *t);
  ssi_system *sys = NULL;
  ssi_newton n;
  ssi_newton_options o = ssi_newton_options_default();
  o.space = SSI_NEWTON_BLOCKS;
  must(t && !ssi_system_create(NULL, p, &sys));
  must(!ssi_newton_create(&n, sys, &o, &t->arena));
  if (n.lu.fixed.fill.n) record(t, sys, &n);
  if (t->count)
    compare(t, name);
  else
    printf("%-36s not for the fixed LU: %d rows, %.1e flops\n", name, sys->m,
           n.lu.fixed.fill.flops);
  ssi_newton_release(&n);
  ssi_system_destroy(sys);
  ssi_arena_release(&t->arena);
  free(t);
}

// ---- problems ------------------------------------------------------------------------------

static void measure_generated(void) {
  static const int contacts[] = {90, 150, 250, 400};
  for (int k = 0; k < 8; k++) {
    ss_pile_options o = ss_pile_options_default();
    o.dim = k % 2 ? 3 : 2, o.contacts = contacts[k / 2] * (k % 2 ? 1 : 2), o.mu = 0.3;
    ss_problem *p = NULL;
    char name[40];
    must(!ss_generate_pile(NULL, &o, &p));
    snprintf(name, sizeof name, "pile %dD, %d contacts", o.dim, p->nc);
    measure(p, name);
    ss_problem_destroy(p);
  }
  for (int rows = 4; rows <= 7; rows++) {
    ss_wall_options o = {.dim = 3, .rows = rows, .cols = 3, .mu = 0.6, .push = 0.05};
    ss_problem *p = NULL;
    char name[40];
    must(!ss_generate_wall(NULL, &o, &p));
    snprintf(name, sizeof name, "wall 3D, %d contacts", p->nc);
    measure(p, name);
    ss_problem_destroy(p);
  }
}

static void measure_file(const char *path) {
  ss_file *f = NULL;
  const char *slash = strrchr(path, '/');
  if (ss_file_open(NULL, path, NULL, &f)) {
    fprintf(stderr, "bench_refactor: %s: cannot be read\n", path);
    exit(1);
  }
  measure(&f->problem, slash ? slash + 1 : path);
  ss_file_close(f);
}

int main(int argc, char **argv) {
  printf("%-36s %5s %6s %5s %8s %9s %8s %8s %8s  not solved\n", "problem", "rows", "active",
         "steps", "flops", "fixed us", "klu re", "scaled", "factor");
  if (argc == 1) measure_generated();
  for (int k = 1; k < argc; k++) measure_file(argv[k]);
  for (int way = 1; way < WAYS && problems; way++)
    printf("%s over fixed, geometric mean of %d problems: %.2f\n", way_names[way], problems,
           exp(sum_of_logs[way] / problems));
  return 0;
}
