// What a benchmark shows: one table per tolerance, scores, performance profiles.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/bench.h"

// ---- scores ---------------------------------------------------------------------------------

// The rows as a profile; problems that not every solver has a row for yet are left out.
typedef struct scores {
  ss_profile profile;
  ss_profile_panel panels[BENCH_TOLS_MAX];
  char titles[BENCH_TOLS_MAX][48];
  const char *names[BENCH_SOLVERS_MAX];
  double *cost;  // (tol_count x solver_count x problem_count)
} scores;

static bool is_complete(const bench *b, int problem, int tol) {
  for (int k = 0; k < b->solver_count; k++)
    if (!bench_row_at(b, problem, tol, k)->done) return false;
  return true;
}

static double cost_of(const bench_row *r) {
  const double tick = 1e-9;  // of the clock: a time of zero is one that it could not tell from zero
  return r->solved ? fmax(r->time_s, tick) : INFINITY;
}

static void fill_panel(const bench *b, int tol, double *cost, ss_profile_panel *panel) {
  int n = 0, at = 0;
  for (int i = 0; i < b->problem_count; i++) n += is_complete(b, i, tol);
  for (int i = 0; i < b->problem_count; i++) {
    if (!is_complete(b, i, tol)) continue;
    for (int k = 0; k < b->solver_count; k++)
      cost[k * n + at] = cost_of(bench_row_at(b, i, tol, k));
    at++;
  }
  *panel = (ss_profile_panel){.problems = n, .cost = cost};
}

static bool begin_scores(const bench *b, scores *x) {
  *x = (scores){0};
  size_t panel = (size_t)b->problem_count * (size_t)b->solver_count;
  x->cost = calloc((size_t)b->tol_count, panel * sizeof *x->cost);
  if (!x->cost) return false;
  for (int k = 0; k < b->solver_count; k++) x->names[k] = b->solvers[k].label;
  for (int t = 0; t < b->tol_count; t++) {
    fill_panel(b, t, x->cost + (size_t)t * panel, &x->panels[t]);
    char text[32];
    snprintf(x->titles[t], sizeof x->titles[t], "tolerance %s", bench_tol_text(b->tols[t], text));
    x->panels[t].title = x->titles[t];
  }
  x->profile = (ss_profile){.cost_name = "time", .solvers = x->names, .panels = x->panels};
  x->profile.solver_count = b->solver_count;
  x->profile.panel_count = b->tol_count;
  return true;
}

static void end_scores(scores *x) {
  free(x->cost);
}

// Of one solver at one tolerance; false where no problem is complete yet.
static bool score(const scores *x, int tol, int solver, ss_profile_score *out) {
  ss_profile one = x->profile;
  one.panels = &x->panels[tol];
  one.panel_count = 1;
  return x->panels[tol].problems > 0 && !ss_profile_score_solver(NULL, &one, 0, solver, out);
}

json_t *bench_summary(cli_session *s, const bench *b) {
  json_t *all = json_array();
  scores x;
  if (!begin_scores(b, &x)) return json_decref(all), NULL;
  for (int t = 0; t < b->tol_count; t++)
    for (int k = 0; k < b->solver_count; k++) {
      ss_profile_score now;
      if (!score(&x, t, k, &now)) continue;
      json_t *o = json_object();
      cli_put(s, o, "solver", cli_text(b->solvers[k].label));
      cli_put(s, o, "tolerance", cli_real(b->tols[t]));
      cli_put(s, o, "problems", json_integer(x.panels[t].problems));
      cli_put(s, o, "solved", json_integer(now.solved));
      cli_put(s, o, "fastest", json_integer(now.fastest));
      cli_put(s, o, "time_ratio", cli_real(now.ratio));
      cli_append(s, all, o);
    }
  end_scores(&x);
  return all;
}

// ---- the table ------------------------------------------------------------------------------

// How many characters of every path are the same folder.
static int common_folder(const bench *b) {
  const char *first = b->problems[0].path;
  size_t n = strlen(first);
  for (int i = 1; i < b->problem_count; i++) {
    size_t k = 0;
    while (k < n && b->problems[i].path[k] == first[k]) k++;
    n = k;
  }
  while (n > 0 && first[n - 1] != '/') n--;
  return (int)n;
}

// Three digits; 999.6 us is 1 ms, not 1e+03 us.
static void format_time(double t, char *out, size_t size) {
  if (t < 0.9995e-3)
    snprintf(out, size, "%.3g us", 1e6 * t);
  else if (t < 0.9995)
    snprintf(out, size, "%.3g ms", 1e3 * t);
  else
    snprintf(out, size, "%.*f s", t < 10 ? 2 : t < 100 ? 1 : 0, t);
}

typedef struct columns {
  int folder;  // characters of each path that are not shown
  int name, contacts, solver[BENCH_SOLVERS_MAX];
} columns;

static int at_least(int a, int b) {
  return a > b ? a : b;
}

static columns measure_columns(const bench *b) {
  columns c = {.folder = common_folder(b), .name = 9, .contacts = 8};
  for (int i = 0; i < b->problem_count; i++)
    c.name = at_least(c.name, (int)strlen(b->problems[i].path) - c.folder);
  for (int k = 0; k < b->solver_count; k++)
    c.solver[k] = at_least(14, (int)strlen(b->solvers[k].label)) + 2;
  return c;
}

// The star stands behind the column, in the space between it and the next.
static void print_cell(FILE *to, const bench *b, const columns *c, int solver, const char *text,
                       bool star) {
  const char *blank = solver + 1 < b->solver_count ? " " : "";
  fprintf(to, "%*s%s", c->solver[solver] - (solver > 0), text, star ? "*" : blank);
}

static double best_time(const bench *b, int problem, int tol) {
  double best = INFINITY;
  for (int k = 0; k < b->solver_count; k++)
    best = fmin(best, cost_of(bench_row_at(b, problem, tol, k)));
  return best;
}

static void print_row(FILE *to, const bench *b, const columns *c, int problem, int tol) {
  const bench_problem *p = &b->problems[problem];
  double best = best_time(b, problem, tol);
  cli_print(to, "  %-*s  %*d", c->name, p->path + c->folder, c->contacts, p->contacts);
  for (int k = 0; k < b->solver_count; k++) {
    const bench_row *r = bench_row_at(b, problem, tol, k);
    char text[40] = "-";
    if (r->done && r->solved) format_time(r->time_s, text, sizeof text);
    if (r->done && !r->solved) snprintf(text, sizeof text, "%s", r->reason);
    bool star = b->solver_count > 1 && r->done && r->solved && cost_of(r) <= best;
    print_cell(to, b, c, k, text, star);
  }
  fputc('\n', to);
}

static void print_scores(FILE *to, const bench *b, const columns *c, const scores *x, int tol) {
  static const char *const labels[] = {"solved", "fastest", "time/best"};
  for (int line = 0; line < 3; line++) {
    fprintf(to, "  %-*s  %*s", c->name, labels[line], c->contacts, "");
    for (int k = 0; k < b->solver_count; k++) {
      ss_profile_score now;
      char text[40] = "-";
      if (score(x, tol, k, &now)) {
        if (line == 0) snprintf(text, sizeof text, "%d/%d", now.solved, x->panels[tol].problems);
        if (line == 1) snprintf(text, sizeof text, "%d", now.fastest);
        if (line == 2 && now.solved) snprintf(text, sizeof text, "%.3g", now.ratio);
      }
      print_cell(to, b, c, k, text, false);
    }
    fputc('\n', to);
  }
}

static void print_table(FILE *to, const bench *b, const columns *c, const scores *x, int tol) {
  char text[32];
  fprintf(to, "tolerance %s on %s\n\n", bench_tol_text(b->tols[tol], text),
          cli_measures[b->o.measure]);
  fprintf(to, "  %-*s  %*s", c->name, "problem", c->contacts, "contacts");
  for (int k = 0; k < b->solver_count; k++) print_cell(to, b, c, k, b->solvers[k].label, false);
  fputc('\n', to);
  for (int i = 0; i < b->problem_count; i++) print_row(to, b, c, i, tol);
  fputc('\n', to);
  print_scores(to, b, c, x, tol);
}

void bench_print(FILE *to, const bench *b) {
  scores x;
  if (!begin_scores(b, &x)) return;
  columns c = measure_columns(b);
  fprintf(to, "%d problem%s", b->problem_count, b->problem_count == 1 ? "" : "s");
  if (c.folder) fprintf(to, " in %.*s", c.folder, b->problems[0].path);
  fprintf(to, "; times are of set-up plus solve%s\n",
          b->solver_count > 1 ? ", * is the fastest" : "");
  for (int t = 0; t < b->tol_count; t++) {
    fputc('\n', to);
    print_table(to, b, &c, &x, t);
  }
  end_scores(&x);
}

// ---- the profile ----------------------------------------------------------------------------

// Without the tolerances at which no problem is complete yet; false: that is so at all of them.
static bool drop_empty_panels(scores *x) {
  int kept = 0;
  for (int t = 0; t < x->profile.panel_count; t++)
    if (x->panels[t].problems) x->panels[kept++] = x->panels[t];
  x->profile.panel_count = kept;
  return kept > 0;
}

int bench_write_profile(cli_session *s, const bench *b) {
  if (!b->o.profile) return CLI_GO_ON;
  scores x;
  if (!begin_scores(b, &x)) return cli_fail(s, CLI_RESOURCES, "%s: out of memory", b->o.profile);
  if (!drop_empty_panels(&x)) {
    end_scores(&x);
    return cli_fail(s, CLI_INPUT,
                    "%s: no problem has rows of all solvers, so there is no profile to draw",
                    b->o.profile);
  }
  char limit[60] = "no time limit", runs[60] = "", subtitle[200];
  if (b->o.time_limit_s > 0) snprintf(limit, sizeof limit, "time limit %g s", b->o.time_limit_s);
  if (b->o.repeat > 1) snprintf(runs, sizeof runs, ", shortest of %d runs", b->o.repeat);
  static const char *const bounded[] = {"error", "error_fclib", "error and error_fclib"};
  snprintf(subtitle, sizeof subtitle, "%d problem%s, tolerance on %s, %s%s", b->problem_count,
           b->problem_count == 1 ? "" : "s", bounded[b->o.measure], limit, runs);
  x.profile.title = "Performance profile";
  x.profile.subtitle = subtitle;
  char *text = NULL;
  ss_error e = ss_profile_svg(&s->ctx, &x.profile, &text);
  if (!e) e = ss_text_write(&s->ctx, b->o.profile, text);
  ss_text_destroy(&s->ctx, text);
  end_scores(&x);
  return e ? cli_fail_library(s, b->o.profile, e) : CLI_GO_ON;
}
