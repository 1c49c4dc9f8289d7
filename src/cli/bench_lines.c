// Rows as lines of JSON (FILE.jsonl): each stands alone and is appended when it is measured, so that 10^5 rows cost no
// more than 10^5 lines, and a kill costs the row that was being written. What is not a whole line is passed over. A line
// with "solvers", written whenever the file is opened, has the settings of the rows below it.
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/bench.h"
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

// o is taken.
static int add_line(cli_session *s, bench *b, json_t *o) {
  char *text = json_dumps(o, JSON_COMPACT | JSON_REAL_PRECISION(17));
  json_decref(o);
  if (!text || s->out_of_memory) {
    free(text);
    return cli_fail(s, CLI_RESOURCES, "%s: out of memory for a row", b->o.output);
  }
  bool bad = fprintf(b->lines, "%s\n", text) < 0 || fflush(b->lines) != 0;
  free(text);
  if (!bad) return CLI_GO_ON;
  return cli_fail(s, CLI_RESOURCES, "%s: cannot be written: %s", b->o.output, strerror(errno));
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

static int read_lines(cli_session *s, bench *b, FILE *from) {
  char *line = NULL;
  size_t room = 0;
  bool changed[BENCH_SOLVERS_MAX] = {false};
  int number = 0, broken = 0, first_broken = 0;
  for (ssize_t n; (n = getline(&line, &room, from)) >= 0;) {
    number++;
    json_t *o = json_loadb(line, (size_t)n, 0, NULL);
    json_t *heads = json_object_get(o, "solvers"), *head;
    size_t k;
    json_array_foreach(heads, k, head) bench_sort_solver(s, b, head, changed);
    if (json_is_string(json_object_get(o, "problem_hash")))
      bench_sort_row(s, b, o, changed);
    else if (!heads && n > 1 && !broken++)
      first_broken = number;
    json_decref(o);
  }
  free(line);
  if (broken)
    cli_note(s, "--resume: %s: %d line%s that hold%s no row, the first is line %d: passed over",
             b->o.output, broken, broken == 1 ? "" : "s", broken == 1 ? "s" : "", first_broken);
  json_decref(b->other_rows), json_decref(b->other_solvers);  // they stay where they are
  b->other_rows = json_array(), b->other_solvers = json_array();
  return s->out_of_memory ? cli_fail(s, CLI_RESOURCES, "out of memory") : CLI_GO_ON;
}

int bench_lines_open(cli_session *s, bench *b) {
  FILE *lines = fopen(b->o.output, "a+");
  if (!lines)
    return cli_fail(s, CLI_RESOURCES, "%s: cannot be written: %s", b->o.output, strerror(errno));
  b->lines = lines;
  if (fseek(lines, 0, SEEK_END) == 0 && ftell(lines) > 0) {
    if (!b->o.resume)
      return cli_fail(s, CLI_RESOURCES,
                      "%s: holds rows already; --resume goes on with it, another name begins anew",
                      b->o.output);
    rewind(lines);
    int status = read_lines(s, b, lines);
    if (status != CLI_GO_ON) return status;
    // a line that was cut off stays alone
    int last = fseek(lines, -1, SEEK_END) == 0 ? fgetc(lines) : '\n';
    fseek(lines, 0, SEEK_END);
    if (last != '\n') fputc('\n', lines);
  }
  return add_head(s, b);
}
