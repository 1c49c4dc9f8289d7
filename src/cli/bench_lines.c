// Rows as lines of JSON (FILE.jsonl): each stands alone and is appended when it is measured. What is not a whole line is
// passed over. A line with "solvers", written whenever the file is opened, has the settings of the rows below it.
#include "cli/bench.h"
#include "cli/json_lines.h"
#include "cli/outputs.h"

bool bench_is_lines(const char *path) {
  return cli_ends_with(path, ".jsonl");
}

static json_t *line_json(cli_session *s, const bench *b, int problem, int tol, int solver) {
  const bench_problem *p = &b->problems[problem];
  json_t *o = bench_row_json(s, b, problem, tol, solver);
  cli_put(s, o, "dim", json_integer(p->dim));
  cli_put(s, o, "dofs", p->form == SS_GLOBAL ? json_integer(p->dofs) : json_null());
  cli_put(s, o, "bilateral", json_integer(p->bilateral));
  cli_put(s, o, "form", json_string(cli_form_name(p->form)));
  return o;
}

static int add_line(cli_session *s, bench *b, json_t *o) {
  return cli_lines_add(s, b->o.output, b->lines, o);
}

int bench_lines_add(cli_session *s, bench *b, int row) {
  if (!b->lines) return CLI_GO_ON;
  int solver = row % b->solver_count, tol = row / b->solver_count % b->tol_count;
  return add_line(s, b, line_json(s, b, row / b->solver_count / b->tol_count, tol, solver));
}

// What holds for the rows below it.
static int add_head(cli_session *s, bench *b) {
  json_t *o = json_object();
  cli_put(s, o, "command", json_string("bench"));
  cli_put(s, o, "version", json_string(ss_version()));
  cli_put(s, o, "solvers", bench_solvers_json(s, b));
  return add_line(s, b, o);
}

// ---- reading ----------------------------------------------------------------------------------

static int read_lines(cli_session *s, bench *b) {
  cli_line_reader r = {.from = b->lines};
  bool changed[BENCH_SOLVERS_MAX] = {false};
  int broken = 0, first_broken = 0;
  while (cli_line_read(&r)) {
    json_t *heads = json_object_get(r.value, "solvers"), *head;
    size_t k;
    json_array_foreach(heads, k, head) bench_sort_solver(s, b, head, changed);
    if (json_is_string(json_object_get(r.value, "problem_hash")))
      bench_sort_row(s, b, r.value, changed);
    else if (!heads && !r.blank && !broken++)
      first_broken = r.number;
  }
  cli_line_reader_end(&r);
  if (broken)
    cli_note(s, "--resume: %s: %d line%s that hold%s no row, the first is line %d: passed over",
             b->o.output, broken, broken == 1 ? "" : "s", broken == 1 ? "s" : "", first_broken);
  json_decref(b->other_rows), json_decref(b->other_solvers);  // they stay where they are
  b->other_rows = json_array(), b->other_solvers = json_array();
  return s->out_of_memory ? cli_fail(s, CLI_RESOURCES, "out of memory") : CLI_GO_ON;
}

int bench_lines_open(cli_session *s, bench *b) {
  int status = cli_lines_open(s, b->o.output, "rows", b->o.resume, &b->lines);
  if (status == CLI_GO_ON) status = read_lines(s, b);
  if (status != CLI_GO_ON) return status;
  cli_lines_go_on(b->lines);
  return add_head(s, b);
}
