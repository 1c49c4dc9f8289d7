// Results of several runs (shards of one, or runs of several solvers) as one: problems, solvers and tolerances are what
// the rows name; a row that is there twice counts once, the first time.
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/bench.h"
#include "cli/json_lines.h"

typedef struct found_row {
  json_t *row;  // of `roots`
  int problem, tol, solver;
} found_row;

typedef struct merger {
  cli_session *s;
  bench *b;
  json_t *roots;     // keeps the rows alive
  json_t *problems;  // "hash file" -> number
  json_t *settings;  // label -> what decides what it does, of the rows that are read now
  found_row *rows;
  size_t count, room;
  int twice;
  const char *measure;
} merger;

static const char *text_at(const json_t *o, const char *key) {
  const char *text = json_string_value(json_object_get(o, key));
  return text ? text : "";
}

static int no_memory(cli_session *s) {
  return cli_fail(s, CLI_RESOURCES, "out of memory for the rows");
}

// ---- what rows name ---------------------------------------------------------------------------

static int problem_of(merger *m, const json_t *row) {
  bench *b = m->b;
  const char *file = text_at(row, "file"), *hash = text_at(row, "problem_hash");
  size_t size = strlen(file) + strlen(hash) + 2;
  char *key = malloc(size);
  if (!key) return -1;
  snprintf(key, size, "%s %s", hash, file);
  json_t *known = json_object_get(m->problems, key);
  int number = known ? (int)json_integer_value(known) : b->problem_count;
  if (!known) {
    int n = b->problem_count;
    bench_problem *grown = b->problems;
    if ((n & (n - 1)) == 0) grown = realloc(grown, (n ? 2 * (size_t)n : 1) * sizeof *grown);
    if (grown) b->problems = grown;
    char *path = grown ? strdup(file) : NULL;
    if (!path || json_object_set_new(m->problems, key, json_integer(n))) {
      free(path), free(key);
      return -1;
    }
    b->problems[b->problem_count++] = (bench_problem){
        .path = path,
        .hash = strtoull(hash, NULL, 16),
        .dim = (int)json_integer_value(json_object_get(row, "dim")),
        .contacts = (int)json_integer_value(json_object_get(row, "contacts")),
        .dofs = (int)json_integer_value(json_object_get(row, "dofs")),
        .bilateral = (int)json_integer_value(json_object_get(row, "bilateral")),
        .form = strcmp(text_at(row, "form"), "global") == 0 ? SS_GLOBAL : SS_REDUCED,
    };
  }
  free(key);
  return number;
}

// A new solver; -1: too many.
static int add_solver(merger *m, const char *label) {
  bench *b = m->b;
  if (b->solver_count == BENCH_SOLVERS_MAX || strlen(label) >= BENCH_LABEL_SIZE) return -1;
  bench_solver *x = &b->solvers[b->solver_count];
  json_t *head = json_object_get(m->settings, label);
  strcpy(x->label, label);
  x->method = "auto";  // nothing is run
  for (int i = 0; ss_method_name(i); i++)
    if (strcmp(ss_method_name(i), text_at(head, "method")) == 0) x->method = ss_method_name(i);
  json_t *known = json_object_get(head, "settings");
  x->read = known ? json_incref(known) : json_object();
  return b->solver_count++;
}

// -1: too many, -2: the same label with other settings.
static int solver_of(merger *m, const char *label) {
  bench *b = m->b;
  for (int k = 0; k < b->solver_count; k++) {
    if (strcmp(b->solvers[k].label, label) != 0) continue;
    const json_t *now = json_object_get(json_object_get(m->settings, label), "settings");
    return now && !json_equal(now, b->solvers[k].read) ? -2 : k;
  }
  return add_solver(m, label);
}

static int tol_of(bench *b, double tol) {
  for (int t = 0; t < b->tol_count; t++)
    if (b->tols[t] == tol) return t;
  if (b->tol_count == BENCH_TOLS_MAX || !(tol > 0)) return -1;
  b->tols[b->tol_count] = tol;
  return b->tol_count++;
}

static int take_row(merger *m, const char *path, json_t *row) {
  found_row f = {.row = row, .problem = problem_of(m, row)};
  const char *measure = text_at(row, "measure");
  if (f.problem < 0) return no_memory(m->s);
  if (!m->measure) m->measure = measure;
  if (strcmp(m->measure, measure) != 0)
    return cli_fail(m->s, CLI_INPUT,
                    "%s: rows of the measure %s beside rows of %s; merge them apart", path, measure,
                    m->measure);
  f.solver = solver_of(m, text_at(row, "solver"));
  f.tol = tol_of(m->b, json_number_value(json_object_get(row, "tolerance")));
  if (f.solver == -2)
    return cli_fail(m->s, CLI_INPUT, "%s: rows of %s with other settings than in the files before",
                    path, text_at(row, "solver"));
  if (f.solver < 0 || f.tol < 0)
    return cli_fail(m->s, CLI_INPUT,
                    "%s: more than %d solvers or %d tolerances, or a row that names none", path,
                    BENCH_SOLVERS_MAX, BENCH_TOLS_MAX);
  if (m->count == m->room) {
    size_t room = m->room ? 2 * m->room : 1024;
    found_row *grown = realloc(m->rows, room * sizeof *grown);
    if (!grown) return no_memory(m->s);
    m->rows = grown, m->room = room;
  }
  m->rows[m->count++] = f;
  return CLI_GO_ON;
}

// ---- files ------------------------------------------------------------------------------------

static int not_results(merger *m, const char *path, const char *found) {
  return cli_fail(m->s, CLI_INPUT, "%s: found %s, expected results of a bench (.json or .jsonl)",
                  path, found);
}

static void note_settings(merger *m, const json_t *solvers) {
  size_t i;
  json_t *o;
  json_array_foreach(solvers, i, o) {
    if (json_object_set(m->settings, text_at(o, "solver"), o)) m->s->out_of_memory = true;
    solver_of(
        m, text_at(o, "solver"));  // in the order of the file; what is wrong is found at its rows
  }
}

static int read_lines(merger *m, const char *path, FILE *from) {
  cli_line_reader r = {.from = from};
  int status = CLI_GO_ON, broken = 0, rows = 0;
  while (status == CLI_GO_ON && cli_line_read(&r)) {
    json_t *heads = json_object_get(r.value, "solvers");
    note_settings(m, heads);
    if (json_is_string(json_object_get(r.value, "problem_hash"))) {
      if (json_array_append(m->roots, r.value)) status = no_memory(m->s);
      if (status == CLI_GO_ON) status = take_row(m, path, r.value);
      rows++;
    } else {
      broken += !heads && !r.blank;
    }
  }
  cli_line_reader_end(&r);
  if (broken)
    cli_note(m->s, "%s: %d line%s without a row: passed over", path, broken,
             broken == 1 ? "" : "s");
  return status == CLI_GO_ON && !rows && broken ? not_results(m, path, "no rows") : status;
}

static int read_object(merger *m, const char *path) {
  json_error_t where;
  json_t *root = json_load_file(path, 0, &where), *row, *rows = json_object_get(root, "rows");
  if (!root) return not_results(m, path, where.text);
  int status = json_is_array(rows) && strcmp(text_at(root, "command"), "bench") == 0
                   ? CLI_GO_ON
                   : not_results(m, path, "other JSON");
  size_t i;
  if (json_array_append(m->roots, root)) status = no_memory(m->s);
  note_settings(m, json_object_get(root, "solvers"));
  json_array_foreach(rows, i, row) {
    if (status == CLI_GO_ON) status = take_row(m, path, row);
  }
  json_decref(root);
  return status;
}

static int read_results(merger *m, const char *path) {
  if (!bench_is_lines(path)) return read_object(m, path);
  FILE *from = fopen(path, "r");
  if (!from) return cli_fail(m->s, CLI_INPUT, "%s: cannot be read", path);
  int status = read_lines(m, path, from);
  fclose(from);
  return status;
}

// ---- the whole --------------------------------------------------------------------------------

typedef struct numbered {
  bench_problem problem;
  int was;
} numbered;

static int by_path(const void *a, const void *b) {
  const numbered *x = a, *y = b;
  int order = strcmp(x->problem.path, y->problem.path);
  return order ? order : (x->was > y->was) - (x->was < y->was);
}

// In the order of their names, as one run has them. to[k]: the new number of problem k.
static bool sort_problems(bench *b, int *to) {
  numbered *all = malloc(((size_t)b->problem_count + 1) * sizeof *all);
  if (!all) return false;
  for (int k = 0; k < b->problem_count; k++) all[k] = (numbered){b->problems[k], k};
  qsort(all, (size_t)b->problem_count, sizeof *all, by_path);
  for (int k = 0; k < b->problem_count; k++) b->problems[k] = all[k].problem, to[all[k].was] = k;
  free(all);
  return true;
}

static int fill_rows(merger *m) {
  bench *b = m->b;
  int *to = malloc(((size_t)b->problem_count + 1) * sizeof *to);
  b->rows = calloc((size_t)bench_row_count(b) + 1, sizeof *b->rows);
  bool good = to && b->rows && sort_problems(b, to);
  for (size_t k = 0; good && k < m->count; k++) {
    const found_row *f = m->rows + k;
    bench_row *r = bench_row_at(b, to[f->problem], f->tol, f->solver);
    if (r->done)
      m->twice++;
    else
      bench_read_row(f->row, r);
  }
  free(to);
  return good ? CLI_GO_ON : no_memory(m->s);
}

static int measure_number(const char *name) {
  for (int k = 0; cli_measures[k]; k++)
    if (strcmp(cli_measures[k], name) == 0) return k;
  return 0;
}

static int collect(merger *m, char *const *paths, int count) {
  int status = CLI_GO_ON;
  for (int k = 0; k < count && status == CLI_GO_ON; k++) status = read_results(m, paths[k]);
  if (status == CLI_GO_ON && !m->count)
    status = cli_fail(m->s, CLI_INPUT, "no rows in any of these files");
  if (status != CLI_GO_ON) return status;
  m->b->o.measure = measure_number(m->measure);
  status = fill_rows(m);
  if (m->twice)
    cli_note(m->s, "%d row%s twice: the first of each counts", m->twice,
             m->twice == 1 ? " is there" : "s are there");
  return status;
}

int bench_merge(cli_session *s, bench *b, char *const *paths, int count) {
  merger m = {
      .s = s, .b = b, .roots = json_array(), .problems = json_object(), .settings = json_object()};
  b->solvers = calloc(BENCH_SOLVERS_MAX, sizeof *b->solvers);
  b->other_rows = json_array(), b->other_solvers = json_array();
  int status =
      m.roots && m.problems && m.settings && b->solvers ? collect(&m, paths, count) : no_memory(s);
  json_decref(m.roots), json_decref(m.problems), json_decref(m.settings);
  free(m.rows);
  return status;
}
