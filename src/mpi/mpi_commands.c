// stickslip-mpi check, info, generate.
#include <float.h>
#include <stdlib.h>

#include "cli/results.h"
#include "mpi/mpi_job.h"
#include "mpi/share_judge.h"

// ---- check ---------------------------------------------------------------------------------

typedef struct mpi_check_options {
  mpi_problem_options problem;
  double tol;
  int measure;
} mpi_check_options;

static const cli_option check_options[] = {
    {"tol", 't', "X", "what the measure must not exceed (default 1e-8)", CLI_NUMBER,
     offsetof(mpi_check_options, tol), DBL_MIN, DBL_MAX, "a number > 0", 0},
    {"measure", 'm', "NAME", "what --tol bounds: error, fclib or both (default error)", CLI_WORD,
     offsetof(mpi_check_options, measure), 0, 0, 0, cli_measures},
    MPI_PROBLEM_OPTIONS(mpi_check_options),
};

static int report_check(cli_session *s, const share *p, const ss_verdict *v, const cli_bound *b,
                        const char *solution) {
  int status = cli_is_solved(v, b) ? CLI_DONE : CLI_NEGATIVE;
  if (s->json) {
    json_t *o = cli_object(s);
    ss_problem sizes = mpi_sizes(p);
    cli_put(s, o, "solution_file", cli_text(solution));
    cli_put_sizes(s, o, &sizes);
    cli_put(s, o, "contacts", json_integer(p->contacts));
    cli_put(s, o, "dofs", json_integer(p->dofs));
    cli_put(s, o, "status", json_string(status == CLI_DONE ? "solved" : "not_solved"));
    cli_put_errors(s, o, v, b);
    cli_put_verdict(s, o, v);
    cli_put(s, o, "ranks", json_integer(p->c->size));
    return cli_print_json(s, o, status);
  }
  cli_print(stdout, "%s: %s\n", s->file, status == CLI_DONE ? "solved" : "not solved");
  cli_print_verdict(stdout, v, b);
  return status;
}

// What is done with an opened problem; its words and options are the command's.
typedef int opened_work(cli_session *s, share *p, const cli_args *args, const void *options);

static int with_problem(cli_session *s, const cli_args *args, const mpi_problem_options *problem,
                        opened_work *work, const void *options) {
  share p;
  share_source from;
  int status = mpi_open(s, args->operands[0], problem, &p, &from);
  if (status != CLI_GO_ON) return status;
  status = work(s, &p, args, options);
  share_destroy(&p);
  share_source_release(&from);
  return status;
}

static const char *solution_of(const cli_args *args) {
  return args->operands[args->operand_count - 1];
}

static int check(cli_session *s, share *p, const cli_args *args, const void *options) {
  const mpi_check_options *o = options;
  const char *solution = solution_of(args);
  cli_bound bound = {(ss_measure)o->measure, o->tol};
  ss_verdict v;
  ss_error e = share_read_reactions(p, solution);
  if (!e) e = share_judge(p, &v);
  return e ? mpi_fail(s, solution, e) : report_check(s, p, &v, &bound, solution);
}

static int run_check(cli_session *s, const cli_command *self, int argc, char **argv) {
  mpi_check_options o = {.problem = mpi_problem_defaults(), .tol = 1e-8};
  cli_args args;
  int status = cli_parse(s, self, argc, argv, &o, &args);
  if (status == CLI_GO_ON) status = mpi_inputs_check(s, args.operands[0], solution_of(&args));
  return status == CLI_GO_ON ? with_problem(s, &args, &o.problem, check, &o) : status;
}

const cli_command mpi_cmd_check = {
    .name = "check",
    .operands = "PROBLEM [SOLUTION]",
    .summary = "judge an answer from the raw data",
    .about = "exit status: 0 solved, 1 not solved, 2 wrong usage, 3 bad input, 4 out of memory\n",
    .operands_min = 1,
    .operands_max = 2,
    .options = check_options,
    .option_count = sizeof check_options / sizeof *check_options,
    .run = run_check,
};

// ---- info ----------------------------------------------------------------------------------

typedef struct mpi_info_options {
  mpi_problem_options problem;
} mpi_info_options;

static const cli_option info_options[] = {MPI_PROBLEM_OPTIONS(mpi_info_options)};

static int report_info(cli_session *s, share *p, const cli_args *args, const void *options) {
  (void)args, (void)options;
  double bytes = mpi_total((double)p->bytes_sent), memory = mpi_total(mpi_peak_bytes());
  double shared = mpi_total(p->shared), copies = mpi_total(p->slot_count);
  double most = mpi_most((double)p->nc);
  if (s->json) {
    json_t *o = cli_object(s);
    ss_problem sizes = mpi_sizes(p);
    cli_put_sizes(s, o, &sizes);
    cli_put(s, o, "contacts", json_integer(p->contacts));
    cli_put(s, o, "dofs", json_integer(p->dofs));
    cli_put(s, o, "ranks", json_integer(p->c->size));
    cli_put(s, o, "domains", json_integer(p->domains));
    cli_put(s, o, "contacts_of_largest_rank", cli_real(most));
    cli_put(s, o, "shared_dofs", cli_real(shared));
    cli_put(s, o, "copies_of_shared_dofs", cli_real(copies));
    cli_put(s, o, "bytes_per_sweep", cli_real(bytes));
    cli_put(s, o, "peak_bytes", cli_real(memory));
    return cli_print_json(s, o, CLI_DONE);
  }
  cli_print(stdout, "%s\n", s->file);
  cli_line(stdout, "problem", "%dD, %lld contacts, %lld degrees of freedom, global form", p->dim,
           (long long)p->contacts, (long long)p->dofs);
  cli_line(stdout, "domains", "%lld on %d ranks, at most %.0f contacts a rank",
           (long long)p->domains, p->c->size, most);
  cli_line(stdout, "shared", "%.0f degrees of freedom in %.0f copies", shared, copies);
  cli_line(stdout, "exchanged", "%.3g kB each way per sweep; memory %.3g bytes per contact",
           bytes / 1e3, memory / (double)(p->contacts ? p->contacts : 1));
  return CLI_DONE;
}

static int run_info(cli_session *s, const cli_command *self, int argc, char **argv) {
  mpi_info_options o = {.problem = mpi_problem_defaults()};
  cli_args args;
  int status = cli_parse(s, self, argc, argv, &o, &args);
  return status == CLI_GO_ON ? with_problem(s, &args, &o.problem, report_info, &o) : status;
}

const cli_command mpi_cmd_info = {
    .name = "info",
    .operands = "PROBLEM",
    .summary = "how a problem is cut into domains, and what they exchange",
    .operands_min = 1,
    .operands_max = 1,
    .options = info_options,
    .option_count = sizeof info_options / sizeof *info_options,
    .run = run_info,
};

// ---- generate ------------------------------------------------------------------------------

typedef struct mpi_generate_options {
  mpi_problem_options problem;
  const char *output;
} mpi_generate_options;

static const cli_option generate_options[] = {
    {"output", 'o', "FILE", "where to write it (.hdf5, .h5); needed", CLI_TEXT,
     offsetof(mpi_generate_options, output), 0, 0, 0, 0},
    MPI_PROBLEM_OPTIONS(mpi_generate_options),
};

static int run_generate(cli_session *s, const cli_command *self, int argc, char **argv) {
  mpi_generate_options o = {.problem = mpi_problem_defaults()};
  cli_args args;
  share_source from;
  int status = cli_parse(s, self, argc, argv, &o, &args);
  if (status != CLI_GO_ON) return status;
  if (!o.output) return cli_fail(s, CLI_USAGE, "generate: -o FILE is needed");
  status = mpi_output_check(s, o.output);
  if (status == CLI_GO_ON) status = mpi_source(s, args.operands[0], &o.problem, &from);
  if (status != CLI_GO_ON) return status;
  ss_error e = share_write_problem(mpi_ranks(), o.output, &from, o.problem.domain);
  if (e) {
    status = mpi_fail(s, o.output, e);
  } else if (s->json) {
    json_t *out = cli_object(s);
    cli_put(s, out, "contacts", json_integer(from.contacts));
    cli_put(s, out, "dofs", json_integer(from.dofs));
    cli_put(s, out, "output", cli_text(o.output));
    status = cli_print_json(s, out, CLI_DONE);
  } else {
    cli_print(stdout, "%s: %lld contacts, %lld degrees of freedom\n", o.output,
              (long long)from.contacts, (long long)from.dofs);
    status = CLI_DONE;
  }
  share_source_release(&from);
  return status;
}

const cli_command mpi_cmd_generate = {
    .name = "generate",
    .operands = "pile:N|wall:ROWSxCOLS",
    .summary = "make a pile of spheres with about N contacts, or a wall, each rank its part",
    .operands_min = 1,
    .operands_max = 1,
    .options = generate_options,
    .option_count = sizeof generate_options / sizeof *generate_options,
    .run = run_generate,
};
