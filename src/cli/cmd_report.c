// stickslip report INPUT... -o page.html: results as one page that needs nothing else.
#define _POSIX_C_SOURCE 200809L
#include <float.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/pictures.h"
#include "cli/progress.h"
#include "cli/results.h"
#include "cli/run_file.h"

typedef struct report_options {
  const char *output, *title;
  double size, time;
  int svg;
  bool live;
} report_options;

#define AT(field) offsetof(report_options, field)
static const char *const pictures[] = {"none",       "scene",    "forces",  "energy",
                                       "work",       "contacts", "overlap", "error",
                                       "iterations", "phase",    "time",    NULL};
static const cli_option options[] = {
    {"output", 'o', "FILE", "the page, FILE.html (- is standard output)", CLI_WRITE, AT(output), 0,
     0, 0, 0},
    {"title", 0, "TEXT", "of the page (default: of the scene, or the name of the first INPUT)",
     CLI_TEXT, AT(title), 0, 0, 0, 0},
    {"size", 0, "MB",
     "of the saved states of each run in the page (default 16); more are thinned out", CLI_NUMBER,
     AT(size), 0.1, 1000, "a number of megabytes from 0.1 to 1000", 0},
    {"svg", 0, "KIND",
     "of one run instead of a page a picture: scene, forces, energy, work, contacts, overlap, "
     "error, iterations, time (of computing), or phase of a mechanism",
     CLI_WORD, AT(svg), 0, 0, 0, pictures},
    {"time", 0, "T", "of the picture scene or forces (default: the end)", CLI_NUMBER, AT(time), 0,
     DBL_MAX, "a number >= 0", 0},
    {"live", 0, 0, "for a page on a server (serve): it follows a run that is going on", CLI_FLAG,
     AT(live), 0, 0, 0, 0},
};
#undef AT

typedef struct report_job {
  const report_options *o;
  ss_page *page;
  const char *kind;  // of the inputs; "several" where they differ
} report_job;

static void note_kind(report_job *j, const char *kind) {
  j->kind = !j->kind || strcmp(j->kind, kind) == 0 ? kind : "several";
}

static const char *base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash && slash[1] ? slash + 1 : path;
}

// ---- runs ------------------------------------------------------------------------------------

static int show_progress(void *user, int64_t done, int64_t of) {
  cli_progress *p = user;
  if (cli_progress_due(p) > 0 && p->terminal)
    cli_progress_draw(p, "state", NAN, "%lld of %lld", (long long)done, (long long)of);
  return cli_interrupted();
}

static int add_run(cli_session *s, report_job *j, const char *path) {
  ss_run *run;
  ss_error e = cli_run_open(s, path, &run);
  if (e) return cli_fail_library(s, path, e);
  cli_progress progress;
  cli_progress_begin(&progress, s, 5);
  // four characters of base64 for three bytes
  ss_page_run_options o = {
      .bytes = 0.75e6 * j->o->size, .progress = show_progress, .user = &progress};
  e = ss_page_add_run(j->page, base_name(path), run, &o);
  cli_progress_end(&progress);
  if (!ss_run_get_size(run).finished)
    cli_note(s, "the run is not finished; the page shows the part that is saved");
  ss_run_close(run);
  note_kind(j, "run");
  return e ? cli_fail_library(s, path, e) : CLI_GO_ON;
}

// ---- the page --------------------------------------------------------------------------------

static int add_input(cli_session *s, report_job *j, const char *path) {
  s->file = path;
  if (ss_run_is_run(path)) return add_run(s, j, path);
  const char *kind = NULL;
  ss_error e = ss_page_add_result(j->page, base_name(cli_display_name(path)), path, &kind);
  if (e) return cli_fail_library(s, cli_display_name(path), e);
  note_kind(j, kind);
  return CLI_GO_ON;
}

static int report(cli_session *s, const report_job *j, char **inputs, const char *kind) {
  struct stat st;
  const char *out = j->o->output;
  bool counted = strcmp(out, "-") != 0 && stat(out, &st) == 0;
  s->file = inputs[0];
  if (s->json) {
    json_t *o = cli_object(s);
    json_t *files = json_array();
    for (int k = 0; inputs[k]; k++) cli_append(s, files, cli_text(inputs[k]));
    cli_put(s, o, "version", json_string(ss_version()));
    cli_put(s, o, "status", json_string("done"));
    cli_put(s, o, "inputs", files);
    cli_put(s, o, "output", cli_text(out));
    cli_put(s, o, "bytes", counted ? json_integer(st.st_size) : json_null());
    cli_put(s, o, "kind", cli_text(kind));
    return cli_print_json(s, o, CLI_DONE);
  }
  bool large = counted && st.st_size >= 1000000;
  if (counted && !s->quiet)
    cli_print(stdout, "%s: %.3g %s, %s\n", out, (double)st.st_size / (large ? 1e6 : 1e3),
              large ? "MB" : "kB", j->o->svg ? "a picture" : "opens in a browser, from disk");
  return CLI_DONE;
}

static int make_page(cli_session *s, report_job *j, char **inputs) {
  ss_page_options o = {.title = j->o->title, .live = j->o->live};
  ss_error e = ss_page_begin(&s->ctx, j->o->output, &o, &j->page);
  if (e) return cli_fail_library(s, j->o->output, e);
  int status = CLI_GO_ON;
  for (int k = 0; inputs[k] && status == CLI_GO_ON; k++) status = add_input(s, j, inputs[k]);
  char kind[32];
  snprintf(kind, sizeof kind, "%s", j->kind ? j->kind : "");
  if (status != CLI_GO_ON) return ss_page_abandon(j->page), status;
  e = ss_page_commit(j->page);
  if (e) return cli_fail_library(s, j->o->output, e);
  return report(s, j, inputs, kind);
}

// ---- a picture -------------------------------------------------------------------------------

static ss_error draw_run(cli_session *s, const report_job *j, const char *path, char **text) {
  ss_run_picture kind = (ss_run_picture)(j->o->svg - 1);
  if (!ss_run_is_run(path)) return ss_table_svg(&s->ctx, path, kind, j->o->time, j->o->title, text);
  ss_run *run;
  ss_error e = cli_run_open(s, path, &run);
  if (!e) e = ss_run_svg(&s->ctx, run, kind, j->o->time, j->o->title, text);
  ss_run_close(run);
  return e;
}

static int make_picture(cli_session *s, const report_job *j, char **inputs) {
  const char *path = s->file = inputs[0];
  if (inputs[1])
    return cli_fail(s, CLI_USAGE, "%s: --svg takes one run; found several inputs", path);
  char *text = NULL;
  ss_error e = draw_run(s, j, path, &text);
  int status = e ? cli_fail_library(s, path, e) : cli_write_text(s, j->o->output, text, SS_OK);
  return status == CLI_GO_ON ? report(s, j, inputs, pictures[j->o->svg]) : status;
}

static int run(cli_session *s, const cli_command *self, int argc, char **argv) {
  report_options o = {.size = 16, .time = NAN};
  cli_args args;
  int status = cli_parse(s, self, argc, argv, &o, &args);
  if (status != CLI_GO_ON) return status;
  if (!o.output)
    return cli_fail(s, CLI_USAGE, "no output named; expected -o FILE%s", o.svg ? ".svg" : ".html");
  if (s->json && strcmp(o.output, "-") == 0)
    return cli_fail(s, CLI_USAGE, "--json and -o - both write to standard output; choose one");
  if (!o.svg && ss_page_missing()) return cli_fail(s, CLI_RESOURCES, "%s", ss_page_missing());
  bool moment = o.svg && (o.svg - 1 == SS_PICTURE_SCENE || o.svg - 1 == SS_PICTURE_FORCES);
  if (!isnan(o.time) && !moment)
    return cli_fail(s, CLI_USAGE, "report: --time is for --svg scene and --svg forces");
  report_job j = {.o = &o};
  return o.svg ? make_picture(s, &j, args.operands) : make_page(s, &j, args.operands);
}

const cli_command cmd_report = {
    .name = "report",
    .operands = "INPUT...",
    .summary = "one page with figures, tables and 3D playback of runs and results",
    .about =
        "INPUT is the file of a simulation (simulate -o run.h5), finished or not, or a result\n"
        "that a command printed with --json; - is standard input\n"
        "stickslip simulate house-of-cards -o cards.h5; stickslip report cards.h5 -o cards.html\n"
        "stickslip report cards.h5 --svg scene -o cards.svg\n",
    .operands_min = 1,
    .operands_max = 100,
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = run,
};
