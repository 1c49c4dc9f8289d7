// cli/run_file.c - see run_file.h.
#define _POSIX_C_SOURCE 200809L
#include "cli/run_file.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/interrupt.h"
#include "cli/progress.h"
#include "cli/results.h"

typedef struct summary {
  ss_run_size size;
  double time;              // at the end
  double error;             // largest
  double penetration;       // largest
  double contacts;          // mean
  int64_t unsolved, taken;  // steps; the attempt that ended the run is none of the latter
} summary;

ss_error cli_run_open(cli_session *s, const char *path, ss_run **out) {
  *out = NULL;
  ss_error e = ss_run_check(&s->ctx, path);
  return e ? e : ss_run_open(&s->ctx, path, out);
}

static double *column(ss_run *run, const char *name, int64_t steps, ss_error *e) {
  double *x = calloc((size_t)steps + 1, sizeof *x);
  if (!*e) *e = x ? ss_run_read_steps(run, name, x) : SS_ERR_MEMORY;
  return x;
}

static ss_error summarise(ss_run *run, summary *out) {
  ss_error e = SS_OK;
  int64_t n = (out->size = ss_run_get_size(run)).steps;
  double *time = column(run, "time", n, &e), *error = column(run, "error", n, &e);
  double *depth = column(run, "penetration", n, &e), *count = column(run, "contacts", n, &e);
  double *unsolved = column(run, "unsolved", n, &e);
  for (int64_t k = 0; !e && k < n; k++) {
    bool taken = time[k] > out->time;
    out->taken += taken;
    out->contacts += taken ? count[k] : 0;
    out->time = time[k];
    out->error = fmax(out->error, error[k]);
    out->penetration = fmax(out->penetration, depth[k]);
    out->unsolved += unsolved[k] > 0;
  }
  if (out->taken) out->contacts /= (double)out->taken;
  free(time), free(error), free(depth), free(count), free(unsolved);
  return e;
}

static int print_json(cli_session *s, const summary *r) {
  json_t *o = cli_object(s);
  cli_put(s, o, "kind", json_string("run"));
  cli_put(s, o, "finished", json_boolean(r->size.finished));
  cli_put(s, o, "dim", json_integer(r->size.dim));
  cli_put(s, o, "bodies", json_integer(r->size.bodies));
  cli_put(s, o, "externals", json_integer(r->size.externals));
  cli_put(s, o, "joints", json_integer(r->size.joints));
  cli_put(s, o, "steps", json_integer(r->taken));
  cli_put(s, o, "end", cli_text(r->size.end));
  cli_put(s, o, "frames", json_integer(r->size.frames));
  cli_put(s, o, "time_simulated", cli_real(r->time));
  cli_put(s, o, "contacts_mean", cli_real(r->contacts));
  cli_put(s, o, "unsolved_steps", json_integer(r->unsolved));
  cli_put(s, o, "error_max", cli_real(r->error));
  cli_put(s, o, "penetration_max", cli_real(r->penetration));
  return cli_print_json(s, o, CLI_DONE);
}

static void print_summary(cli_session *s, const summary *r) {
  cli_print(stdout, "%s: a run of %d %s in %dD%s\n", s->file, r->size.bodies,
            r->size.bodies == 1 ? "body" : "bodies", r->size.dim,
            r->size.finished ? "" : ", not finished");
  cli_line(stdout, "simulated", "%.6g s in %lld steps, %lld saved%s%s", r->time,
           (long long)r->taken, (long long)r->size.frames, r->size.end ? ", ended: " : "",
           r->size.end ? r->size.end : "");
  cli_line(stdout, "contacts", "%.1f a step", r->contacts);
  cli_line(stdout, "error", "%.2g at most, %lld steps unsolved", r->error, (long long)r->unsolved);
  cli_line(stdout, "penetration", "%.3g at most", r->penetration);
}

int cli_run_info(cli_session *s, const char *path) {
  ss_run *run;
  s->file = path;
  ss_error e = cli_run_open(s, path, &run);
  if (e) return cli_fail_library(s, path, e);
  summary r = {0};
  e = summarise(run, &r);
  int status = CLI_DONE;
  if (e)
    status = cli_fail_library(s, path, e);
  else if (s->json)
    status = print_json(s, &r);
  else
    print_summary(s, &r);
  ss_run_close(run);
  return status;
}

// ---- ParaView, CSV --------------------------------------------------------------------------

static int report(void *user, int64_t done, int64_t of) {
  cli_progress *p = user;
  bool due = cli_progress_due(p) > 0;
  if (due && p->terminal)
    cli_progress_draw(p, "frame", NAN, "%lld of %lld", (long long)done, (long long)of);
  else if (due)
    fprintf(stderr, "convert frame=%lld of=%lld\n", (long long)done, (long long)of);
  return cli_interrupted();
}

// A folder is made where its name ends in a slash.
static int ready_folder(cli_session *s, const char *out) {
  if (!cli_is_folder(out) && mkdir(out, 0777) != 0)
    return cli_fail(s, CLI_RESOURCES, "%s: cannot be made: %s", out, strerror(errno));
  static const char *const files[] = {"bodies.csv", "contacts.csv", "joints.csv", "energy.csv"};
  for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
    static char paths[4][4096];  // the session remembers them
    char *path = paths[k];
    snprintf(path, sizeof paths[k], "%s%s%s", out, cli_ends_with(out, "/") ? "" : "/", files[k]);
    int status = cli_output(s, path, SS_FORMAT_AUTO);
    if (status != CLI_GO_ON) return status;
  }
  return CLI_GO_ON;
}

int cli_run_convert(cli_session *s, const char *path, const char *out) {
  bool to_csv = cli_is_folder(out) || cli_ends_with(out, "/");
  s->file = path;
  if (!to_csv && (strlen(out) < 5 || !cli_ends_with(out, ".pvd")))
    return cli_fail(s, CLI_USAGE,
                    "%s: is a run; expected an output that ends in .pvd, or a folder (OUT/) for "
                    "CSV, found %s",
                    path, out);
  int status = to_csv ? ready_folder(s, out) : cli_output(s, out, SS_FORMAT_AUTO);
  if (status != CLI_GO_ON) return status;
  ss_run *run;
  ss_error e = cli_run_open(s, path, &run);
  if (e) return cli_fail_library(s, path, e);
  ss_run_size size = ss_run_get_size(run);
  cli_progress progress;
  cli_progress_begin(&progress, s, 5);
  e = (to_csv ? ss_run_write_csv : ss_run_write_vtk)(&s->ctx, run, out, report, &progress);
  cli_progress_end(&progress);
  ss_run_close(run);
  if (e) return cli_fail_library(s, out, e);
  if (!s->json)
    return cli_print(stdout, "%s: %lld frames of %d %s %s\n", out, (long long)size.frames,
                     size.bodies, size.bodies == 1 ? "body" : "bodies",
                     to_csv ? "as CSV" : "for ParaView"),
           CLI_DONE;
  json_t *o = cli_object(s);
  cli_put(s, o, "output", cli_text(out));
  cli_put(s, o, "to", json_string(to_csv ? "csv" : "pvd"));
  cli_put(s, o, "frames", json_integer(size.frames));
  return cli_print_json(s, o, CLI_DONE);
}
