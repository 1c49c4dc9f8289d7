// bench_refute [SEEDS [SECONDS [CONTACTS]]] - up to how many contacts in 3D ss_refute decides, and in what time.
//
//   jammed    a mode r0 in K with H^T r0 = 0 and w.r0 < 0: criterion (A) fails; the load is random, so that there
//             may be a solution or not
//   penetrating  the same with r0 along the normals: (A') fails, there is none
//   planted   a solution of random states is known
//
// H is uniform in -1 .. 1 with half as many degrees of freedom as components (and 6, those of one body); M = 1.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <stickslip/stickslip.h>

enum { CONTACTS = 20, ROWS = 3 * CONTACTS };
typedef enum kind { JAMMED, PENETRATING, PLANTED, KINDS } kind;
static const char *const names[KINDS] = {"jammed", "penetrating", "planted"};

static uint64_t rng;

static double uniform(void) {  // splitmix64, in [0, 1)
  uint64_t z = (rng += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static double sign_uniform(void) {
  return 2 * uniform() - 1;
}

typedef struct bench_case {
  int n, ndof;
  double H[ROWS * ROWS], M[ROWS], f[ROWS], w[ROWS], mu[CONTACTS];
  int64_t H_ptr[ROWS + 1], M_ptr[ROWS + 1];
  int H_col[ROWS * ROWS], M_col[ROWS];
} bench_case;

// H^T r = 0 by taking r's part out of each column.
static void balance(bench_case *c, const double *r) {
  double square = 0;
  for (int i = 0; i < 3 * c->n; i++) square += r[i] * r[i];
  for (int j = 0; j < c->ndof; j++) {
    double along = 0;
    for (int i = 0; i < 3 * c->n; i++) along += c->H[i * c->ndof + j] * r[i];
    for (int i = 0; i < 3 * c->n; i++) c->H[i * c->ndof + j] -= along * r[i] / square;
  }
}

static void plan(bench_case *c, kind k, double r[], double u[]) {
  for (int i = 0; i < c->n; i++) {
    double angle = 6.283185307179586 * uniform(), size = 0.1 + uniform(), inside = uniform(),
           state = uniform();
    double t[2] = {cos(angle), sin(angle)}, *ri = r + 3 * i, *ui = u + 3 * i;
    memset(ri, 0, 3 * sizeof *ri), memset(ui, 0, 3 * sizeof *ui);
    if (k != PLANTED) {
      ri[0] = size;
      for (int l = 0; l < 2; l++)
        ri[1 + l] = k == JAMMED ? size * c->mu[i] * 0.9 * inside * t[l] : 0;
      ui[0] = -0.3;  // (A) or (A') misses by 0.3
      if (k == PENETRATING) ui[1] = sign_uniform(), ui[2] = sign_uniform();
    } else if (state < 0.25) {
      ui[0] = size, ui[1] = t[0], ui[2] = t[1];
    } else {
      bool slip = state > 0.6;
      ri[0] = size;
      for (int l = 0; l < 2; l++) ri[1 + l] = c->mu[i] * size * (slip ? 1 : inside) * t[l];
      for (int l = 0; l < 2 && slip; l++) ui[1 + l] = -inside * t[l];
    }
  }
}

static ss_problem make(bench_case *c, kind k, int n, int ndof, double mu, uint64_t seed) {
  double r[ROWS], u[ROWS], v[ROWS];
  int m = 3 * n;
  rng = seed;
  c->n = n, c->ndof = ndof;
  for (int i = 0; i < n; i++) c->mu[i] = mu;
  for (int i = 0; i < m * ndof; i++) c->H[i] = sign_uniform(), c->H_col[i] = i % ndof;
  plan(c, k, r, u);
  if (k != PLANTED) balance(c, r);
  for (int i = 0; i <= m; i++) c->H_ptr[i] = (int64_t)i * ndof;
  for (int j = 0; j <= ndof; j++) c->M_ptr[j] = j;
  for (int j = 0; j < ndof; j++) {
    c->M[j] = 1, c->M_col[j] = j;
    v[j] = sign_uniform();
    c->f[j] = k == PLANTED ? -v[j] : sign_uniform();
    for (int i = 0; i < m && k == PLANTED; i++) c->f[j] += c->H[i * ndof + j] * r[i];
  }
  for (int i = 0; i < m; i++) {
    c->w[i] = u[i];
    for (int j = 0; j < ndof; j++) c->w[i] -= c->H[i * ndof + j] * v[j];
  }
  return (ss_problem){.form = SS_GLOBAL,
                      .dim = 3,
                      .nc = n,
                      .ndof = ndof,
                      .mu = c->mu,
                      .M = {ndof, ndof, c->M_ptr, c->M_col, c->M},
                      .f = c->f,
                      .H = {m, ndof, c->H_ptr, c->H_col, c->H},
                      .w = c->w};
}

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void run(kind k, int n, int ndof, double mu, int seeds, double seconds) {
  int count[3] = {0}, within = 0;
  double *time = malloc(sizeof(double) * (size_t)seeds), cells = 0, reach = INFINITY;
  static bench_case c;
  for (int s = 0; time && s < seeds; s++) {
    ss_problem p = make(&c, k, n, ndof, mu, 1000 * (uint64_t)n + (uint64_t)s);
    ss_refute_options o = ss_refute_options_default();
    ss_refutation *a;
    o.time_limit_s = seconds, o.max_cells = INT64_MAX;
    clock_t begin = clock();  // processor time
    if (ss_refute(NULL, &p, &o, &a)) exit(1);
    time[s] = (double)(clock() - begin) / CLOCKS_PER_SEC;
    count[a->verdict]++;
    within += a->verdict != SS_UNDECIDED && time[s] <= 1;
    cells += (double)a->cells / seeds;
    if (a->verdict == SS_NONE) reach = fmin(reach, a->reach);
    if (k == PLANTED && a->verdict == SS_NONE) printf("FALSE at seed %d\n", s);
    ss_refutation_destroy(a);
  }
  if (!time) exit(1);
  qsort(time, (size_t)seeds, sizeof *time, by_size);
  printf("%-11s %2d %4d %5.2f %6d %6d %9d %7d %10.0f %9.4f %9.4f %9.1e\n", names[k], n, ndof, mu,
         count[SS_NONE], count[SS_EXISTS], count[SS_UNDECIDED], within, cells, time[seeds / 2],
         time[seeds - 1], reach);
  fflush(stdout);
  free(time);
}

int main(int argc, char **argv) {
  int seeds = argc > 1 ? atoi(argv[1]) : 10;
  double seconds = argc > 2 ? atof(argv[2]) : 10;
  int only = argc > 3 ? atoi(argv[3]) : 0;
  if (only < 0 || only > CONTACTS) return puts("expected at most 20 contacts"), 1;
  static const double mus[] = {0.3, 1, 5};
  static const int sizes[] = {1, 2, 3, 4, 5, 6, 8, 10, 12};
  printf("kind         n ndof    mu   none exists undecided within1      cells  median s largest s "
         "    reach\n");
  for (int k = 0; k < KINDS; k++)
    for (size_t i = 0; i < (only ? 1 : sizeof sizes / sizeof *sizes); i++)
      for (int l = 0; l < 3; l++) {
        int n = only ? only : sizes[i], half = (3 * n + 1) / 2;
        run((kind)k, n, half, mus[l], seeds, seconds);
        if (half > 6) run((kind)k, n, 6, mus[l], seeds, seconds);
      }
  return 0;
}
