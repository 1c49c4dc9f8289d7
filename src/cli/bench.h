// cli/bench.h - one benchmark: every solver on every problem at every tolerance, a row for each.
#pragma once

#include "cli/methods.h"
#include "cli/results.h"

enum { BENCH_SOLVERS_MAX = 64, BENCH_TOLS_MAX = 16, BENCH_LABEL_SIZE = 128, BENCH_TEXT_SIZE = 400 };

typedef struct bench_options {
  const char *solvers, *tols, *output, *profile, *csv;
  double time_limit_s;
  int measure, max_iter, repeat;
  uint64_t seed;
  bool resume, any_size;
} bench_options;

typedef struct bench_solver {
  char label[BENCH_LABEL_SIZE];  // as it was asked for: "nsgs", "nsgs:order=random"
  const char *method;
  ss_setting settings[CLI_SETTINGS_MAX];
  int setting_count;
} bench_solver;

typedef struct bench_problem {
  char *path;
  bool named;  // on the command line, not found in a folder: then it must be readable
  int dim, contacts, dofs, bilateral;
  ss_form form;
  uint64_t hash;  // of the problem's data
} bench_problem;

typedef struct bench_row {
  bool done, solved;
  double time_s;   // shortest set-up plus solve; of a run that was ended, how long it took
  int iterations;  // -1: not known
  double error, error_fclib;      // as verified afresh; NAN: not known
  const char *reason;             // why it is not solved; NULL: it is
  char message[BENCH_TEXT_SIZE];  // more on that; "" where there is no more
  double time_limit_s;
  int repeat;
} bench_row;

typedef struct bench {
  bench_options o;
  bench_solver *solvers;  // (solver_count)
  int solver_count;
  double tols[BENCH_TOLS_MAX];
  int tol_count;
  bench_problem *problems;  // (problem_count)
  int problem_count;
  int left_out;               // files of folders whose endings are not those of problems
  char left_out_first[1000];  // by name
  bench_row *rows;            // (problem_count x tol_count x solver_count)
  json_t *other_rows;         // of the results file that is resumed: not asked for now, and kept
  json_t *other_solvers;      // of those rows
  char *solver_text;          // what labels' settings point into
  double saved_s, save_cost_s;
} bench;

bench_row *bench_row_at(const bench *b, int problem, int tol, int solver);
int bench_row_count(const bench *b);
int bench_rows_done(const bench *b);
void bench_release(bench *b);
const char *bench_tol_text(double tol, char out[32]);  // "1e-8"

// ---- bench_plan.c: what was asked for --------------------------------------------------------

int bench_parse_solvers(cli_session *s, bench *b, const cli_args *a);
int bench_parse_tols(cli_session *s, bench *b);

// ---- bench_files.c: problem files ------------------------------------------------------------

// Fills problems with the files named and those found in folders, sorted; not yet read.
int bench_find_files(cli_session *s, bench *b, char *const *paths, int count);

// ---- bench_worker.c: work in a child process -------------------------------------------------

typedef struct bench_request {
  const char *path;
  const bench_solver *solver;  // NULL: only read the problem and say what it is
  ss_options options;
  int repeat;
  bool any_size;  // memory is not asked for
} bench_request;

// Plain numbers only: it comes out of a process that may have gone mad.
typedef struct bench_answer {
  int error;  // ss_error, said in text
  char text[BENCH_TEXT_SIZE];
  int dim, contacts, dofs, bilateral, form;  // of the problem
  uint64_t hash;
  int status, iterations;  // of the solve
  double time_s, measured, measured_fclib, penetration;
} bench_answer;

typedef enum bench_end {
  BENCH_ANSWERED,
  BENCH_CRASHED,      // answer.text says how
  BENCH_LATE,         // ended by us: time limit and grace are over; answer.text says so
  BENCH_INTERRUPTED,  // ended by us: SIGINT or SIGTERM
  BENCH_NO_PROCESS,   // no pipe, no fork: answer.text
} bench_end;

// tick is called about ten times a second. elapsed_s: of the phase that the child was in at its end.
bench_end bench_ask(const bench_request *q, void (*tick)(void *user), void *user,
                    bench_answer *answer, double *elapsed_s);

// ---- bench_results.c: the results file -------------------------------------------------------

bool bench_holds_results(const char *path);  // whether the file is one that bench wrote
int bench_load(cli_session *s, bench *b);    // --resume: rows that need not be run again
int bench_save(cli_session *s, bench *b,
               bool at_once);  // -o; not at once: unless it costs too much
json_t *bench_object(cli_session *s, const bench *b, bool with_others);
int bench_write_csv(cli_session *s, const bench *b);

// ---- bench_report.c: tables and profiles -----------------------------------------------------

void bench_print(FILE *to, const bench *b);
json_t *bench_summary(cli_session *s, const bench *b);
int bench_write_profile(cli_session *s, const bench *b);
