// bench_planted [options] - planted problems with high friction (planted_friction.h): how many does each method
// solve, and in what time?
//
//   --solvers LIST      methods, separated by commas (auto)
//   --dims, --contacts, --mu, --dofs LIST     of the grid
//   --count N --from K  seeds K, K + 1, ... of every place of the grid (15, 0)
//   --time-limit S --tol X --max-iter N       (10 of processor time, 1e-8, the method's own)
//   --list              a line for every problem, too
//   --write DIR         problems that the last method of the list does not solve, as JSON
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "planted_friction.h"

enum { MOST = 12 };

typedef struct list {
  double x[MOST];
  int count;
} list;

static struct {
  char *solver[MOST];
  int solvers, count, from, max_iter;
  list dims, contacts, mu, dofs;
  double time_limit, tol;
  bool list;
  const char *write;
} o = {.solver = {"auto"},
       .solvers = 1,
       .count = 15,
       .dims = {{2, 3}, 2},
       .contacts = {{5, 20, 50}, 3},
       .mu = {{1, 3, 10, 100}, 4},
       .dofs = {{0.5, 1, 2}, 3},
       .time_limit = 10,
       .tol = 1e-8};

typedef struct tally {
  int solved;
  double time;  // processor, of all
} tally;

static int fail(const char *what) {
  fprintf(stderr, "bench_planted: %s\n", what);
  exit(1);
}

static double processor_time(void) {
  return (double)clock() / CLOCKS_PER_SEC;
}

// The limit is one of processor time: other programs on the machine do not change the rates.
static int late(void *user, const ss_info *now) {
  const double *begin = user;
  (void)now;
  return processor_time() - *begin > o.time_limit;
}

static bool solve(const planted_friction *t, const char *method, ss_info *info) {
  ss_context ctx = {0};
  ss_options so = ss_options_default();
  ss_solver *s;
  ss_verdict verdict;
  double begin = processor_time();
  so.method = method, so.tol = o.tol, so.max_iter = o.max_iter;
  so.progress = late, so.user = &begin;
  double *r = calloc((size_t)(t->p.dim * t->p.nc), sizeof *r);
  *info = (ss_info){.error = INFINITY};
  if (!r) fail("out of memory");
  if (ss_solver_create(&ctx, &t->p, &so, &s)) return free(r), false;  // too large for lemke, say
  ss_error e = ss_solve(s, r, NULL, NULL, NULL, info);
  ss_solution answer = {.r = r};
  if (!e) e = ss_verify(&ctx, &t->p, &answer, NULL, NULL, NULL, NULL, &verdict);
  if (e) fail(ss_error_detail(&ctx, e));
  if (info->status == SS_SOLVED && !(verdict.error <= o.tol))
    fail("solved, but the verdict is another");
  ss_solver_destroy(s);
  free(r);
  return info->status == SS_SOLVED;
}

static void write_problem(const planted_friction *t, planted_shape s, int seed) {
  char path[500];
  ss_context ctx = {0};
  ss_file file = {.problem = t->p};
  snprintf(path, sizeof path, "%s/%dd-mu%g-dofs%g-nc%d-%d.json", o.write, s.dim, s.mu, s.dofs,
           s.contacts, seed);
  if (ss_file_write(&ctx, path, SS_FORMAT_JSON, &file)) fail(ctx.message);
}

static void place(planted_shape s, tally *total) {
  tally here[MOST] = {{0}};
  for (int k = 0; k < o.count; k++) {
    planted_friction t = planted_make(s, (uint64_t)(o.from + k));
    bool solved = true;
    if (!t.memory) fail("out of memory");
    for (int a = 0; a < o.solvers; a++) {
      ss_info info;
      double begin = processor_time();
      solved = solve(&t, o.solver[a], &info);
      double time = processor_time() - begin;
      here[a].solved += solved, here[a].time += time;
      total[a].solved += solved, total[a].time += time;
      if (o.list)
        printf("  %dD mu %g dofs %g contacts %d seed %d: %-7s %-10s %8d  %.1e  %.3f s\n", s.dim,
               s.mu, s.dofs, s.contacts, o.from + k, o.solver[a], ss_status_name(info.status),
               info.iterations, info.error, time);
    }
    if (o.write && !solved) write_problem(&t, s, o.from + k);
    planted_free(&t);
  }
  printf("%dD %6g %5g %8d ", s.dim, s.mu, s.dofs, s.contacts);
  for (int a = 0; a < o.solvers; a++)
    printf("  %3d of %d %7.2f s", here[a].solved, o.count, here[a].time);
  printf("\n");
  fflush(stdout);
}

static list read_list(char *text) {
  list l = {.count = 0};
  for (char *word = strtok(text, ","); word && l.count < MOST; word = strtok(NULL, ","))
    l.x[l.count++] = atof(word);
  return l;
}

static bool read_option(const char *key, char *value) {
  if (!strcmp(key, "--solvers")) {
    o.solvers = 0;
    for (char *word = strtok(value, ","); word && o.solvers < MOST; word = strtok(NULL, ","))
      o.solver[o.solvers++] = word;
  } else if (!strcmp(key, "--dims")) {
    o.dims = read_list(value);
  } else if (!strcmp(key, "--contacts")) {
    o.contacts = read_list(value);
  } else if (!strcmp(key, "--mu")) {
    o.mu = read_list(value);
  } else if (!strcmp(key, "--dofs")) {
    o.dofs = read_list(value);
  } else if (!strcmp(key, "--count")) {
    o.count = atoi(value);
  } else if (!strcmp(key, "--from")) {
    o.from = atoi(value);
  } else if (!strcmp(key, "--time-limit")) {
    o.time_limit = atof(value);
  } else if (!strcmp(key, "--tol")) {
    o.tol = atof(value);
  } else if (!strcmp(key, "--max-iter")) {
    o.max_iter = atoi(value);
  } else if (!strcmp(key, "--write")) {
    o.write = value;
  } else {
    return false;
  }
  return true;
}

int main(int argc, char **argv) {
  for (int k = 1; k < argc; k++)
    if (!strcmp(argv[k], "--list"))
      o.list = true;
    else if (k + 1 >= argc || !read_option(argv[k], argv[k + 1]))
      return fprintf(stderr, "bench_planted: unknown option %s; bench_planted.c lists them\n",
                     argv[k]),
             2;
    else
      k++;
  tally total[MOST] = {{0}};
  int problems = 0;
  printf("dim    mu  dofs contacts");
  for (int a = 0; a < o.solvers; a++) printf("  %18s", o.solver[a]);
  printf("\n");
  for (int d = 0; d < o.dims.count; d++)
    for (int a = 0; a < o.mu.count; a++)
      for (int b = 0; b < o.dofs.count; b++)
        for (int c = 0; c < o.contacts.count; c++, problems += o.count)
          place((planted_shape){(int)o.dims.x[d], (int)o.contacts.x[c], o.mu.x[a], o.dofs.x[b]},
                total);
  for (int a = 0; a < o.solvers; a++)
    printf("%s: %d of %d, %.1f s\n", o.solver[a], total[a].solved, problems, total[a].time);
  return 0;
}
