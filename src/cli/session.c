#define _GNU_SOURCE  // RTLD_DEFAULT
#include "cli/session.h"

#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>
#include <time.h>

#include "cli/outputs.h"
#include "cli/printed.h"

const char *cli_program = "stickslip";

// BLAS results differ between thread counts; ours must not. Looked up at run time, because only
// OpenBLAS has this function and the library may have been linked to another BLAS.
static void use_one_blas_thread(void) {
  void *found = dlsym(RTLD_DEFAULT, "openblas_set_num_threads");
  void (*set_num_threads)(int);
  memcpy(&set_num_threads, &found, sizeof found);
  if (set_num_threads) set_num_threads(1);
}

static void on_log(void *user, ss_level level, const char *text) {
  if (level == SS_LOG_WARN) cli_note(user, "%s", text);
}

void cli_session_begin(cli_session *s) {
  use_one_blas_thread();
  *s = (cli_session){.begin_s = cli_now_s(), .notes = json_array()};
  s->ctx = (ss_context){.log = on_log, .user = s};
  s->out_of_memory = !s->notes;
}

void cli_session_end(cli_session *s) {
  cli_files_release(&s->inputs);
  cli_files_release(&s->outputs);
  json_decref(s->notes);
}

const char *cli_display_name(const char *path) {
  return strcmp(path, "-") == 0 ? "standard input" : path;
}

const char *cli_output_name(const char *path) {
  return strcmp(path, "-") == 0 ? "standard output" : path;
}

int cli_fail(cli_session *s, int status, const char *format, ...) {
  va_list list;
  va_start(list, format);
  vsnprintf(s->failure, sizeof s->failure, format, list);
  va_end(list);
  cli_print(stderr, "%s: %s\n", cli_program, s->failure);
  return status;
}

static int exit_status(ss_error e) {
  switch (e) {
  case SS_OK:
    return CLI_DONE;
  case SS_ERR_ARGUMENT:
  case SS_ERR_METHOD:
    return CLI_USAGE;
  case SS_ERR_DATA:
  case SS_ERR_FORMAT:
  case SS_ERR_READ:
  case SS_ERR_LINEAR:  // the data brought the factorisation down
  case SS_ERR_UNSUPPORTED:
    return CLI_INPUT;
  case SS_ERR_MEMORY:
  case SS_ERR_WRITE:
    break;
  }
  return CLI_RESOURCES;
}

// True for "NAME", "NAME: ..." and "NAME:12: ...": the library has named the file already. Of very
// long names it keeps the beginning only.
static bool begins_with_name(const char *text, const char *name) {
  size_t n = strlen(name);
  if (n > 300) return strncmp(text, name, 100) == 0;
  return n > 0 && strncmp(text, name, n) == 0 && (text[n] == ':' || text[n] == '\0');
}

int cli_fail_library(cli_session *s, const char *file, ss_error e) {
  const char *detail = ss_error_detail(&s->ctx, e), *name = cli_display_name(file);
  bool named = begins_with_name(detail, file) || begins_with_name(detail, name);
  return named ? cli_fail(s, exit_status(e), "%s", detail)
               : cli_fail(s, exit_status(e), "%s: %s", name, detail);
}

static bool said_before(const cli_session *s, const char *text) {
  size_t i;
  json_t *note;
  json_array_foreach(s->notes, i, note) {
    if (strcmp(json_string_value(note), text) == 0) return true;
  }
  return false;
}

// Notes are made of the library's words and file names; other bytes than ASCII become '?', so that
// they are valid in JSON whatever the file is called.
static void to_ascii(char *text) {
  for (; *text; text++)
    if (*text < ' ' || *text > '~') *text = '?';
}

void cli_note(cli_session *s, const char *format, ...) {
  char text[700];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  to_ascii(text);
  if (said_before(s, text)) return;
  if (json_array_append_new(s->notes, json_string(text))) s->out_of_memory = true;
  if (s->quiet) return;
  const char *name = s->file ? cli_display_name(s->file) : NULL;
  if (name && !begins_with_name(text, name) && !begins_with_name(text, s->file))
    cli_print(stderr, "%s: %s: note: %s\n", cli_program, name, text);
  else
    cli_print(stderr, "%s: note: %s\n", cli_program, text);
}

int cli_finish(cli_session *s, int status) {
  errno = 0;
  bool failed = fflush(stdout) != 0 || ferror(stdout);
  if (!failed) return status;
  return cli_fail(s, CLI_RESOURCES, "standard output cannot be written: %s",
                  errno ? strerror(errno) : "write error");
}

double cli_now_s(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double cli_time_left(const cli_session *s, double limit_s) {
  const double least = 1e-3;  // enough to find that there is no more
  if (!(limit_s > 0)) return 0;
  return fmax(limit_s - (cli_now_s() - s->begin_s), least);
}

int cli_open(cli_session *s, const char *path, ss_format format, ss_form_hint form, ss_file **out) {
  int status = cli_open_any(s, path, format, form, out);
  if (status != CLI_DONE || !((*out)->gap || (*out)->rate)) return status;
  status = cli_fail(s, CLI_INPUT,
                    "%s: /%s: the file is an instant, with accelerations for velocities, which "
                    "stickslip status reads; expected a problem",
                    cli_display_name(path), (*out)->gap ? "gap" : "rate");
  ss_file_close(*out);
  *out = NULL;
  return status;
}

int cli_open_any(cli_session *s, const char *path, ss_format format, ss_form_hint form,
                 ss_file **out) {
  s->file = path;
  if (ss_run_is_run(path))
    return cli_fail(s, CLI_INPUT,
                    "%s: this is a run, expected a problem; run stickslip info RUN, or stickslip "
                    "convert RUN OUT.pvd",
                    path);
  ss_read_options o = {.format = format, .form = form, .isolate = true, .check = true};
  ss_error e = ss_file_open(&s->ctx, path, &o, out);
  return e ? cli_fail_library(s, path, e) : CLI_DONE;
}
