// stickslip convert IN OUT: the same problem in another format, or in its reduced form.
#include <string.h>

#include "cli/commands.h"
#include "cli/results.h"
#include "cli/run_file.h"

typedef struct convert_options {
  int to, form, format, storage;
} convert_options;

enum { BY_ITSELF, STORAGE };  // index in storages: 0, or 1 + ss_siconos_storage
static const char *const storages[] = {"auto", "dense", "blocks", "sparse", NULL};

#define AT(field) offsetof(convert_options, field)
static const cli_option options[] = {
    {"to", 0, "NAME",
     "format of OUT: auto, fclib, siconos, mtx or json (default auto: by its ending)", CLI_WORD,
     AT(to), 0, 0, 0, cli_formats},
    {"form", 0, "NAME", "form of OUT: local reduces a global problem (default any: as it is)",
     CLI_WORD, AT(form), 0, 0, 0, cli_forms},
    {"storage", 0, "NAME", "of matrices in a .dat: dense, blocks or sparse (default)", CLI_WORD,
     AT(storage), 0, 0, 0, storages},
    {"format", 0, "NAME", "of IN: auto, fclib, siconos, mtx or json (default auto: by content)",
     CLI_WORD, AT(format), 0, 0, 0, cli_formats},
};
#undef AT

// What each format can hold beside the problem.
typedef struct holding {
  ss_format format;
  bool solution, guesses, texts, normals;
} holding;
static const holding holdings[] = {
    {SS_FORMAT_FCLIB, true, true, true, false},
    {SS_FORMAT_SICONOS, false, false, false, false},
    {SS_FORMAT_MTX, true, false, false, false},
    {SS_FORMAT_JSON, true, true, true, true},
};

// A folder takes a Matrix Market set, which is read from there by the folder's name again.
static const holding *find_holding(const char *path, ss_format format) {
  if (format == SS_FORMAT_AUTO)
    format = cli_is_folder(path) ? SS_FORMAT_MTX : cli_format_by_ending(path);
  for (size_t i = 0; i < sizeof holdings / sizeof *holdings; i++)
    if (holdings[i].format == format) return &holdings[i];
  return NULL;
}

// Standard output takes one JSON object.
static int check_standard_output(cli_session *s, ss_format to) {
  if (s->json)
    return cli_fail(s, CLI_USAGE, "--json and OUT - both write to standard output; drop --json");
  if (to != SS_FORMAT_JSON)
    return cli_fail(s, CLI_USAGE, "only JSON can be written to standard output");
  return CLI_GO_ON;
}

static int check_output(cli_session *s, const convert_options *o, const char *out,
                        const holding **to) {
  *to = find_holding(out, (ss_format)o->to);
  if (!*to)
    return cli_fail(s, CLI_USAGE,
                    "%s: the ending does not say a format; expected .hdf5, .h5, .mtx, .dat or "
                    ".json, a folder that is there, or --to fclib, siconos, mtx or json",
                    out);
  if (o->storage != BY_ITSELF && (*to)->format != SS_FORMAT_SICONOS)
    return cli_fail(s, CLI_USAGE, "--storage %s: is for Siconos files (.dat), and OUT is %s",
                    storages[o->storage], ss_format_name((*to)->format));
  int status = strcmp(out, "-") == 0 ? check_standard_output(s, (*to)->format) : CLI_GO_ON;
  return status == CLI_GO_ON ? cli_output(s, out, (*to)->format) : status;
}

typedef struct convert_job {
  const char *out;
  const holding *to;
  int storage;  // of convert_options
  const ss_file *in;
  ss_file what;  // borrowed arrays of `in`, the problem perhaps replaced by its reduced form
  json_t *lost;
} convert_job;

static void lose(cli_session *s, convert_job *j, const char *what) {
  cli_append(s, j->lost, json_string(what));
  cli_note(s, "%s cannot hold %s: left out", ss_format_name(j->to->format), what);
}

static void drop_what_does_not_fit(cli_session *s, convert_job *j) {
  ss_file *f = &j->what;
  if (f->solution.r && !j->to->solution) {
    f->solution = (ss_solution){0};
    lose(s, j, "the solution");
  }
  if (f->guess_count && !j->to->guesses) {
    f->guess_count = 0;
    f->guesses = NULL;
    lose(s, j, "the guesses");
  }
  if ((f->title || f->description || f->math_info) && !j->to->texts) {
    f->title = f->description = f->math_info = NULL;
    lose(s, j, "the title and description");
  }
  if (f->normals && !j->to->normals) {
    f->normals = NULL;  // the rows are in contact frames already
    lose(s, j, "the normals (rows are written in contact frames)");
  }
}

static int write_out(cli_session *s, convert_job *j) {
  drop_what_does_not_fit(s, j);
  ss_error e =
      j->storage == BY_ITSELF
          ? ss_file_write(&s->ctx, j->out, j->to->format, &j->what)
          : ss_siconos_write(&s->ctx, j->out, (ss_siconos_storage)(j->storage - STORAGE), &j->what);
  return e ? cli_fail_library(s, cli_output_name(j->out), e) : CLI_GO_ON;
}

static int report(cli_session *s, const convert_job *j) {
  const ss_file *f = &j->what;
  if (s->json) {
    json_t *o = cli_object(s);
    cli_put(s, o, "from", json_string(ss_format_name(j->in->format)));
    cli_put(s, o, "output", cli_text(j->out));
    cli_put(s, o, "to", json_string(ss_format_name(j->to->format)));
    cli_put_sizes(s, o, &f->problem);
    cli_put(s, o, "solution", json_boolean(f->solution.r != NULL));
    cli_put(s, o, "guesses", json_integer(f->guess_count));
    cli_put(s, o, "lost", json_incref(j->lost));
    return cli_print_json(s, o, CLI_DONE);
  }
  bool to_stdout = strcmp(j->out, "-") == 0;
  if (to_stdout && s->quiet) return CLI_DONE;
  FILE *to = to_stdout ? stderr : stdout;
  char sizes[200];
  cli_describe_sizes(&f->problem, sizes, sizeof sizes);
  cli_print(to, "%s: written as %s: %s", cli_output_name(j->out), ss_format_name(j->to->format),
            sizes);
  if (f->solution.r) fprintf(to, ", with its solution");
  if (f->guess_count) fprintf(to, ", %d guess%s", f->guess_count, f->guess_count == 1 ? "" : "es");
  fputc('\n', to);
  return CLI_DONE;
}

static int work(cli_session *s, convert_job *j, ss_form_hint form) {
  ss_problem *reduced = NULL;
  j->what = *j->in;
  if (form == SS_FORM_LOCAL && j->in->problem.form == SS_GLOBAL) {
    ss_error e = ss_problem_reduce(&s->ctx, &j->in->problem, &reduced);
    if (e) return cli_fail_library(s, s->file, e);
    j->what.problem = *reduced;
    j->what.solution.v = NULL;  // the reduced form has no v; r, u and l are the same
  }
  int status = write_out(s, j);
  if (status == CLI_GO_ON) status = report(s, j);
  ss_problem_destroy(reduced);
  return status;
}

static int run(cli_session *s, const cli_command *self, int argc, char **argv) {
  convert_options o = {0};
  cli_args args;
  int status = cli_parse(s, self, argc, argv, &o, &args);
  if (status != CLI_GO_ON) return status;
  if (ss_run_is_run(args.operands[0]))
    return cli_run_convert(s, args.operands[0], args.operands[1]);
  convert_job j = {.out = args.operands[1], .storage = o.storage};
  status = check_output(s, &o, j.out, &j.to);
  if (status != CLI_GO_ON) return status;
  ss_form_hint form = (ss_form_hint)o.form;
  // "local" asks for a reduction of what is read, so it must not mislead the reader of a .dat
  ss_form_hint hint = form == SS_FORM_GLOBAL ? SS_FORM_GLOBAL : SS_FORM_ANY;
  ss_file *in = NULL;
  status = cli_open_any(s, args.operands[0], (ss_format)o.format, hint, &in);
  j.in = in;
  j.lost = json_array();
  if (status == CLI_DONE) status = work(s, &j, form);
  json_decref(j.lost);
  ss_file_close(in);
  return status;
}

const cli_command cmd_convert = {
    .name = "convert",
    .operands = "IN OUT",
    .summary = "write a problem in another format or form, or a run for ParaView",
    .about =
        "OUT ends in .hdf5 or .h5 (FCLIB), .mtx (Matrix Market set), .dat (Siconos), .json; - is\n"
        "JSON on standard output; a folder that is there takes a Matrix Market set named problem\n"
        "IN may be the file of a simulation: OUT then ends in .pvd (ParaView), or is a folder\n"
        "(OUT/: made where it is not there) for bodies.csv, contacts.csv, joints.csv, energy.csv\n",
    .operands_min = 2,
    .operands_max = 2,
    .operands_read = 1,
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = run,
};
