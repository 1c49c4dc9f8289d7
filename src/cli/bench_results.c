// The results of a benchmark as JSON and CSV: written aside and renamed after each row, so that there
// is a valid file at any moment, and read again by --resume.
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/bench.h"
#include "cli/csv_rows.h"
#include "cli/hash.h"

// Every reason there is, so that rows read from a file point to texts that last.
static const char *const reasons[] = {"stalled",      "max_iter",       "time_limit", "cancelled",
                                      "false_solved", "not_applicable", "failed",     "crashed",
                                      "killed",       "unsolved",       "no_memory"};

static const char *lasting_reason(const char *text) {
  for (size_t i = 0; text && i < sizeof reasons / sizeof *reasons; i++)
    if (strcmp(reasons[i], text) == 0) return reasons[i];
  return "failed";
}

// ---- writing --------------------------------------------------------------------------------

json_t *bench_row_json(cli_session *s, const bench *b, int problem, int tol, int solver) {
  const bench_row *r = bench_row_at(b, problem, tol, solver);
  const bench_problem *p = &b->problems[problem];
  json_t *o = json_object();
  cli_put(s, o, "file", cli_text(p->path));
  cli_put(s, o, "solver", cli_text(b->solvers[solver].label));
  cli_put(s, o, "tolerance", cli_real(b->tols[tol]));
  cli_put(s, o, "measure", json_string(cli_measures[b->o.measure]));
  cli_put(s, o, "solved", json_boolean(r->solved));
  cli_put(s, o, "time_s", cli_real(r->time_s));
  cli_put(s, o, "iterations", r->iterations < 0 ? json_null() : json_integer(r->iterations));
  cli_put(s, o, "error", cli_real(r->error));
  cli_put(s, o, "error_fclib", cli_real(r->error_fclib));
  cli_put(s, o, "reason", cli_text(r->reason));
  cli_put(s, o, "message", cli_text(*r->message ? r->message : NULL));
  cli_put(s, o, "contacts", json_integer(p->contacts));
  cli_put(s, o, "time_limit_s", cli_real(r->time_limit_s));
  cli_put(s, o, "repeat", json_integer(r->repeat));
  cli_put(s, o, "problem_hash", cli_hash_json(p->hash));
  return o;
}

static json_t *rows_json(cli_session *s, const bench *b) {
  json_t *rows = json_array();
  for (int i = 0; i < b->problem_count; i++)
    for (int t = 0; t < b->tol_count; t++)
      for (int k = 0; k < b->solver_count; k++)
        if (bench_row_at(b, i, t, k)->done) cli_append(s, rows, bench_row_json(s, b, i, t, k));
  return rows;
}

static json_t *problems_json(cli_session *s, const bench *b) {
  json_t *all = json_array();
  for (int i = 0; i < b->problem_count; i++) {
    const bench_problem *p = &b->problems[i];
    json_t *o = json_object();
    cli_put(s, o, "file", cli_text(p->path));
    cli_put(s, o, "dim", json_integer(p->dim));
    cli_put(s, o, "contacts", json_integer(p->contacts));
    cli_put(s, o, "dofs", p->form == SS_GLOBAL ? json_integer(p->dofs) : json_null());
    cli_put(s, o, "bilateral", json_integer(p->bilateral));
    cli_put(s, o, "form", json_string(cli_form_name(p->form)));
    cli_put(s, o, "problem_hash", cli_hash_json(p->hash));
    cli_append(s, all, o);
  }
  return all;
}

// All that decides what a solver does, defaults included: where it changes, old rows are stale.
static json_t *settings_json(cli_session *s, const bench *b, const bench_solver *x) {
  if (x->read) return json_incref(x->read);
  json_t *o = json_object();
  cli_put(s, o, "max_iter", json_integer(b->o.max_iter));
  bool fits = b->o.seed <= INT64_MAX;  // JSON's integers here have 63 bits
  cli_put(s, o, "seed", fits ? json_integer((json_int_t)b->o.seed) : json_real((double)b->o.seed));
  cli_put_settings(s, o, x->method, x->settings, x->setting_count);
  return o;
}

json_t *bench_solvers_json(cli_session *s, const bench *b) {
  json_t *all = json_array();
  for (int i = 0; i < b->solver_count; i++) {
    const bench_solver *x = &b->solvers[i];
    json_t *o = json_object();
    cli_put(s, o, "solver", cli_text(x->label));
    cli_put(s, o, "method", json_string(x->method));
    cli_put(s, o, "settings", settings_json(s, b, x));
    cli_append(s, all, o);
  }
  return all;
}

json_t *bench_object(cli_session *s, const bench *b, bool with_others) {
  json_t *o = cli_object(s), *rows = rows_json(s, b), *solvers = bench_solvers_json(s, b);
  if (with_others && b->other_rows) {
    json_array_extend(rows, b->other_rows);
    json_array_extend(solvers, b->other_solvers);
  }
  cli_put(s, o, "status", json_string("done"));
  cli_put(s, o, "complete", json_boolean(bench_rows_done(b) == bench_row_count(b)));
  cli_put(s, o, "measure", json_string(cli_measures[b->o.measure]));
  cli_put(s, o, "tolerances", cli_doubles_json(b->tols, b->tol_count));
  cli_put(s, o, "time_limit_s", cli_real(b->o.time_limit_s));
  cli_put(s, o, "repeat", json_integer(b->o.repeat));
  cli_put(s, o, "solvers", solvers);
  cli_put(s, o, "problems", problems_json(s, b));
  cli_put(s, o, "rows", rows);
  cli_put(s, o, "summary", bench_summary(s, b));
  return o;
}

// The whole file each time, so its cost grows with the rows: while rows come faster than that, it is
// written when the last writing is less than a twentieth of the time since.
int bench_save(cli_session *s, bench *b, bool at_once) {
  double begin = cli_now_s();
  if (!b->o.output || b->lines || (!at_once && begin - b->saved_s < 20 * b->save_cost_s))
    return CLI_GO_ON;
  json_t *o = bench_object(s, b, true);
  char *text = json_dumps(o, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
  json_decref(o);
  if (!text || s->out_of_memory) {
    free(text);
    return cli_fail(s, CLI_RESOURCES, "%s: out of memory for the results", b->o.output);
  }
  ss_error e = ss_text_write(&s->ctx, b->o.output, text);
  free(text);
  b->saved_s = cli_now_s();
  b->save_cost_s = b->saved_s - begin;
  return e ? cli_fail_library(s, b->o.output, e) : CLI_GO_ON;
}

// ---- reading --------------------------------------------------------------------------------

static const char *text_of(const json_t *o, const char *key) {
  const char *text = json_string_value(json_object_get(o, key));
  return text ? text : "";
}

static double number_of(const json_t *o, const char *key) {
  const json_t *x = json_object_get(o, key);
  return json_is_number(x) ? json_number_value(x) : NAN;
}

static int int_of(const json_t *o, const char *key, int otherwise) {
  const json_t *x = json_object_get(o, key);
  json_int_t value = json_integer_value(x);
  return json_is_integer(x) && value >= 0 && value <= INT32_MAX ? (int)value : otherwise;
}

static int find_solver(const bench *b, const char *label) {
  for (int i = 0; i < b->solver_count; i++)
    if (strcmp(b->solvers[i].label, label) == 0) return i;
  return -1;
}

static int find_tol(const bench *b, double tol) {
  for (int i = 0; i < b->tol_count; i++)
    if (b->tols[i] == tol) return i;
  return -1;
}

// Problems by content, then by name: rows of 10^5 problems are found without looking at each.
typedef struct bench_place {
  uint64_t hash;
  int problem;
} bench_place;

static int by_hash(const void *a, const void *b) {
  const bench_place *x = a, *y = b;
  if (x->hash != y->hash) return x->hash < y->hash ? -1 : 1;
  return (x->problem > y->problem) - (x->problem < y->problem);
}

static bool index_problems(bench *b) {
  if (b->by_hash) return true;
  b->by_hash = malloc((size_t)b->problem_count * sizeof *b->by_hash);
  if (!b->by_hash) return false;
  for (int i = 0; i < b->problem_count; i++) b->by_hash[i] = (bench_place){b->problems[i].hash, i};
  qsort(b->by_hash, (size_t)b->problem_count, sizeof *b->by_hash, by_hash);
  return true;
}

static int first_with(const bench *b, uint64_t hash) {
  int low = 0, high = b->problem_count;
  while (low < high) {
    int mid = low + (high - low) / 2;
    if (b->by_hash[mid].hash < hash)
      low = mid + 1;
    else
      high = mid;
  }
  return low;
}

// By content: the same file under this name, else under any other.
static int find_problem(const bench *b, const char *file, const char *hash) {
  char *end;
  uint64_t value = strtoull(hash, &end, 16);
  if (strlen(hash) != 16 || *end) return -1;
  int found = -1;
  for (int k = first_with(b, value); k < b->problem_count && b->by_hash[k].hash == value; k++) {
    int i = b->by_hash[k].problem;
    if (found < 0 || strcmp(b->problems[i].path, file) == 0) found = i;
  }
  return found;
}

static int against_path(const void *file, const void *problem) {
  return strcmp(file, ((const bench_problem *)problem)->path);
}

static bool names_a_problem(const bench *b, const char *file) {  // they are sorted
  return bsearch(file, b->problems, (size_t)b->problem_count, sizeof *b->problems, against_path) !=
         NULL;
}

// What was measured under another limit counts where this limit would have given the same, and a time that is the
// shortest of fewer runs than now asked for does not, nor what was refused for the memory there was then.
static bool is_still_good(const bench *b, const bench_row *r) {
  double now = b->o.time_limit_s, then = r->time_limit_s;
  if (r->repeat < b->o.repeat && r->solved) return false;
  if (r->solved) return now == 0 || r->time_s <= now;
  if (strcmp(r->reason, "no_memory") == 0) return false;
  return then == 0 ? now == 0 : now > 0 && then >= now;
}

void bench_read_row(const json_t *o, bench_row *r) {
  *r = (bench_row){.done = true};
  r->solved = json_is_true(json_object_get(o, "solved"));
  r->time_s = number_of(o, "time_s");
  r->iterations = int_of(o, "iterations", -1);
  r->error = number_of(o, "error");
  r->error_fclib = number_of(o, "error_fclib");
  r->reason = r->solved ? NULL : lasting_reason(text_of(o, "reason"));
  snprintf(r->message, sizeof r->message, "%s", text_of(o, "message"));
  r->time_limit_s = number_of(o, "time_limit_s");
  r->repeat = int_of(o, "repeat", 1);
}

// Rows of a solver whose settings are no longer the same, of a file whose content is not, and those
// that are to be measured better are dropped; what was not asked for now is kept for another time.
void bench_sort_row(cli_session *s, bench *b, json_t *o, const bool *changed) {
  const char *file = text_of(o, "file"), *label = text_of(o, "solver");
  if (!index_problems(b)) {
    s->out_of_memory = true;
    return;
  }
  int k = find_solver(b, label), t = find_tol(b, number_of(o, "tolerance"));
  int i = find_problem(b, file, text_of(o, "problem_hash"));
  if (k >= 0 && changed[k]) return;
  if (i < 0 && names_a_problem(b, file)) return;
  bool asked = strcmp(text_of(o, "measure"), cli_measures[b->o.measure]) == 0;
  if (!asked || i < 0 || t < 0 || k < 0) {
    if (json_array_append(b->other_rows, o)) s->out_of_memory = true;
    return;
  }
  bench_row row;
  bench_read_row(o, &row);
  bool usable = isfinite(row.time_s) && row.time_s >= 0 && isfinite(row.time_limit_s);
  if (usable && is_still_good(b, &row)) *bench_row_at(b, i, t, k) = row;
}

void bench_sort_solver(cli_session *s, bench *b, json_t *o, bool *changed) {
  const char *label = text_of(o, "solver");
  int k = find_solver(b, label);
  if (k < 0) {
    if (json_array_append(b->other_solvers, o)) s->out_of_memory = true;
    return;
  }
  json_t *now = settings_json(s, b, &b->solvers[k]);
  changed[k] = !json_equal(now, json_object_get(o, "settings"));
  json_decref(now);
  if (changed[k])
    cli_note(s, "%s: its settings are not those of %s: measured again", label, b->o.output);
}

static int not_results(cli_session *s, const char *path, const char *found) {
  return cli_fail(s, CLI_INPUT, "--resume: %s: found %s, expected the results of a bench", path,
                  found);
}

static bool are_results(const json_t *root) {
  return strcmp(text_of(root, "command"), "bench") == 0 &&
         json_is_array(json_object_get(root, "rows")) &&
         json_is_array(json_object_get(root, "solvers"));
}

bool bench_holds_results(const char *path) {
  if (bench_is_lines(path)) return true;
  json_t *root = json_load_file(path, 0, NULL);
  bool results = root && are_results(root);
  json_decref(root);
  return results;
}

int bench_load(cli_session *s, bench *b) {
  struct stat st;
  json_error_t where;
  bool changed[BENCH_SOLVERS_MAX] = {false};
  b->other_rows = json_array();
  b->other_solvers = json_array();
  if (b->o.output && bench_is_lines(b->o.output)) return bench_lines_open(s, b);
  if (!b->o.resume || (stat(b->o.output, &st) != 0 && errno == ENOENT)) return CLI_GO_ON;
  json_t *root = json_load_file(b->o.output, 0, &where), *o;
  if (!root) return not_results(s, b->o.output, where.text);
  json_t *rows = json_object_get(root, "rows"), *solvers = json_object_get(root, "solvers");
  if (!are_results(root)) return json_decref(root), not_results(s, b->o.output, "other JSON");
  if (strcmp(text_of(root, "version"), ss_version()) != 0)
    cli_note(s, "--resume: %s holds rows of version %s", b->o.output, text_of(root, "version"));
  size_t i;
  json_array_foreach(solvers, i, o) bench_sort_solver(s, b, o, changed);
  json_array_foreach(rows, i, o) bench_sort_row(s, b, o, changed);
  json_decref(root);
  return s->out_of_memory ? cli_fail(s, CLI_RESOURCES, "out of memory") : CLI_GO_ON;
}

// ---- CSV ------------------------------------------------------------------------------------

static void put_field(FILE *to, const char *text, char after) {
  cli_csv_field(to, text);
  fputc(after, to);
}

static void put_number(FILE *to, double x, char after) {
  if (isfinite(x)) fprintf(to, "%.17g", x);
  fputc(after, to);
}

static void put_row(FILE *to, const bench *b, int problem, int tol, int solver) {
  const bench_row *r = bench_row_at(b, problem, tol, solver);
  char tolerance[32];
  put_field(to, b->problems[problem].path, ',');
  put_field(to, b->solvers[solver].label, ',');
  fprintf(to, "%s,%s,%s,", bench_tol_text(b->tols[tol], tolerance), cli_measures[b->o.measure],
          r->solved ? "true" : "false");
  put_number(to, r->time_s, ',');
  put_number(to, r->iterations < 0 ? (double)NAN : (double)r->iterations, ',');
  put_number(to, r->error, ',');
  put_number(to, r->error_fclib, ',');
  put_field(to, r->reason ? r->reason : "", ',');
  fprintf(to, "%d\n", b->problems[problem].contacts);
}

int bench_write_csv(cli_session *s, const bench *b) {
  if (!b->o.csv) return CLI_GO_ON;
  char *text = NULL;
  size_t size;
  FILE *to = open_memstream(&text, &size);
  if (!to) return cli_fail(s, CLI_RESOURCES, "%s: out of memory", b->o.csv);
  fputs(
      "file,solver,tolerance,measure,solved,time_s,iterations,error,error_fclib,reason,contacts\n",
      to);
  for (int i = 0; i < b->problem_count; i++)
    for (int t = 0; t < b->tol_count; t++)
      for (int k = 0; k < b->solver_count; k++)
        if (bench_row_at(b, i, t, k)->done) put_row(to, b, i, t, k);
  bool failed = ferror(to) != 0;
  failed |= fclose(to) != 0;
  ss_error e = failed ? SS_ERR_MEMORY : ss_text_write(&s->ctx, b->o.csv, text);
  free(text);
  return e ? cli_fail_library(s, b->o.csv, e) : CLI_GO_ON;
}
