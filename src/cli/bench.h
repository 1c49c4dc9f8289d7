// cli/bench.h - one benchmark: every solver on every problem at every tolerance, a row for each.
#pragma once

#include "cli/methods.h"
#include "cli/results.h"

enum {
  BENCH_SOLVERS_MAX = 64,
  BENCH_TOLS_MAX = 16,
  BENCH_LABEL_SIZE = 128,
  BENCH_TEXT_SIZE = 400,
  BENCH_JOBS_MAX = 256
};

typedef struct bench_options {
  const char *solvers, *tols, *output, *profile, *csv, *shard;
  double time_limit_s;
  int measure, max_iter, repeat, jobs;
  uint64_t seed;
  bool resume, merge, any_size;
} bench_options;

typedef struct bench_solver {
  char label[BENCH_LABEL_SIZE];  // as it was asked for: "nsgs", "nsgs:order=random"
  const char *method;
  ss_setting settings[CLI_SETTINGS_MAX];
  int setting_count;
  json_t *read;  // --merge: the settings as a file has them; else NULL
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
  FILE *lines;                  // -o FILE.jsonl, open; NULL: none
  struct bench_place *by_hash;  // problems, sorted; made when first asked for       (problem_count)
  int surveyed, next_row;       // how far the work has been handed out
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

// --shard I/N: of the files, sorted, those whose number leaves I - 1 when divided by N.
int bench_take_shard(cli_session *s, bench *b);

// ---- bench_worker.c: work in a child process -------------------------------------------------

typedef struct bench_request {
  const char *path;
  int tag;                     // of the caller
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
  BENCH_INTERRUPTED,  // ended by us
  BENCH_NO_PROCESS,   // no pipe, no fork: answer.text
} bench_end;

typedef struct bench_child {
  bench_request request;
  bench_answer answer;
  bench_end end;
  double elapsed_s;  // of the phase that it was in at its end
  int pid, fd;       // pid 0: not running
  int phase;
  double since_s;  // when this phase began
} bench_child;

// Work for up to `jobs` children at a time.
typedef struct bench_queue {
  int jobs;
  void *user;
  bool (*next)(void *user, bench_request *out);   // false: no more
  int (*done)(void *user, const bench_child *c);  // CLI_GO_ON, or how to end
  void (*tick)(void *user);                       // about ten times a second
  cli_session *session;                           // for what goes wrong here
} bench_queue;

// Until there is no more, or `done` or an interruption (CLI_RESOURCES, nothing said) ends it.
int bench_run(const bench_queue *q);

// ---- bench_results.c: the results file -------------------------------------------------------

bool bench_holds_results(const char *path);  // whether the file is one that bench wrote
int bench_load(cli_session *s, bench *b);    // --resume: rows that need not be run again
int bench_save(cli_session *s, bench *b,
               bool at_once);  // -o; not at once: unless it costs too much
json_t *bench_object(cli_session *s, const bench *b, bool with_others);
json_t *bench_row_json(cli_session *s, const bench *b, int problem, int tol, int solver);
void bench_read_row(const json_t *o, bench_row *r);
json_t *bench_solvers_json(cli_session *s, const bench *b);
void bench_sort_solver(cli_session *s, bench *b, json_t *o, bool *changed);
void bench_sort_row(cli_session *s, bench *b, json_t *o, const bool *changed);

// ---- bench_lines.c: rows as lines of JSON, appended -------------------------------------------

bool bench_is_lines(const char *path);           // by its ending, .jsonl
int bench_lines_open(cli_session *s, bench *b);  // reads what is there (--resume), then appends
int bench_lines_add(cli_session *s, bench *b, int row);

// ---- bench_merge.c: results of several runs as one ----------------------------------------------

int bench_merge(cli_session *s, bench *b, char *const *paths, int count);
int bench_write_csv(cli_session *s, const bench *b);

// ---- bench_report.c: tables and profiles -----------------------------------------------------

void bench_print(FILE *to, const bench *b);
json_t *bench_summary(cli_session *s, const bench *b);
int bench_write_profile(cli_session *s, const bench *b);
