#define _POSIX_C_SOURCE 200809L
#include "cli/results.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/args.h"
#include "cli/interrupt.h"

const char *const cli_measures[] = {"error", "fclib", "both", NULL};
const char *const cli_forms[] = {"any", "local", "global", NULL};
const char *const cli_formats[] = {"auto", "fclib", "siconos", "mtx", "json", NULL};

// ---- JSON -----------------------------------------------------------------------------------

void cli_put(cli_session *s, json_t *object, const char *key, json_t *value) {
  if (json_object_set_new(object, key, value)) s->out_of_memory = true;
}

void cli_append(cli_session *s, json_t *array, json_t *value) {
  if (json_array_append_new(array, value)) s->out_of_memory = true;
}

json_t *cli_real(double x) {
  return isfinite(x) ? json_real(x) : json_null();
}

json_t *cli_extended(double x) {
  if (isinf(x)) return json_string(x > 0 ? "inf" : "-inf");
  return cli_real(x);
}

json_t *cli_interval(cli_session *s, double low, double high) {
  json_t *pair = json_array();
  cli_append(s, pair, cli_extended(low));
  cli_append(s, pair, cli_extended(high));
  return pair;
}

json_t *cli_reals(cli_session *s, const cli_named *rows, size_t count) {
  json_t *o = json_object();
  for (size_t k = 0; k < count; k++) cli_put(s, o, rows[k].name, cli_real(rows[k].value));
  return o;
}

json_t *cli_text(const char *text) {
  if (!text) return json_null();
  json_t *value = json_string(text);
  if (value) return value;
  char *copy = malloc(strlen(text) + 1);
  if (!copy) return NULL;
  strcpy(copy, text);
  for (char *c = copy; *c; c++)
    if ((unsigned char)*c > 127) *c = '?';
  value = json_string(copy);
  free(copy);
  return value;
}

json_t *cli_states(cli_session *s, const int states[3]) {
  json_t *o = json_object();
  for (int k = SS_FREE; k <= SS_SLIP; k++)
    cli_put(s, o, ss_state_name((ss_state)k), json_integer(states[k]));
  return o;
}

json_t *cli_capabilities(cli_session *s) {
  json_t *o = json_object();
  bool in;
  for (int i = 0; ss_capability(i, &in); i++) {
    const char *name = ss_capability(i, &in);
    cli_put(s, o, name, json_boolean(in));
  }
  return o;
}

json_t *cli_doubles_json(const double *x, int count) {
  json_t *a = json_array();
  for (int i = 0; i < count; i++)
    if (json_array_append_new(a, cli_real(x[i]))) return json_decref(a), NULL;
  return a;
}

json_t *cli_object(cli_session *s) {
  json_t *o = json_object();
  cli_put(s, o, "command", cli_text(s->command));
  cli_put(s, o, "version", json_string(ss_version()));
  cli_put(s, o, "status",
          json_null());  // its place; cli_print_json fills it where the command does not
  cli_put(s, o, "file", cli_text(s->file));
  return o;
}

void cli_put_sizes(cli_session *s, json_t *o, const ss_problem *p) {
  cli_put(s, o, "dim", json_integer(p->dim));
  cli_put(s, o, "contacts", json_integer(p->nc));
  cli_put(s, o, "dofs", p->form == SS_GLOBAL ? json_integer(p->ndof) : json_null());
  cli_put(s, o, "bilateral", json_integer(p->nl));
  cli_put(s, o, "form", json_string(cli_form_name(p->form)));
}

// Jansson escapes control characters but this one, which strings alone can hold.
static int put_plain(const char *bytes, size_t size, void *to) {
  const char del = 0x7f;
  for (size_t k = 0; k < size; k++)
    if ((bytes[k] == del ? fputs("\\u007f", to) : putc(bytes[k], to)) == EOF) return -1;
  return 0;
}

static int dump(cli_session *s, json_t *object, int status) {
  cli_interrupt_printing();
  s->printed = true;
  bool bad = s->out_of_memory;
  if (!bad) {
    json_dump_callback(object, put_plain, stdout,
                       JSON_INDENT(2) | JSON_REAL_PRECISION(17) | JSON_ENSURE_ASCII);
    putchar('\n');
  }
  json_decref(object);
  if (bad) return cli_fail(s, CLI_RESOURCES, "out of memory while writing JSON");
  return cli_finish(s, status);
}

// Every object says how it ended: in the command's own word, or in the one of its exit status.
static const char *status_word(int status) {
  return status == CLI_DONE ? "done" : status == CLI_NEGATIVE ? "negative" : "failed";
}

int cli_print_json(cli_session *s, json_t *object, int status) {
  if (!json_is_string(json_object_get(object, "status")))
    cli_put(s, object, "status", json_string(status_word(status)));
  cli_put(s, object, "notes", json_incref(s->notes));
  return dump(s, object, status);
}

int cli_write_json(cli_session *s, json_t *object, const char *path) {
  if (json_is_null(json_object_get(object, "status")))
    cli_put(s, object, "status", json_string(status_word(CLI_DONE)));
  char *text =
      s->out_of_memory ? NULL : json_dumps(object, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
  json_decref(object);
  if (!text) return cli_fail(s, CLI_RESOURCES, "%s: out of memory", path);
  ss_error e = ss_text_write(&s->ctx, path, text);
  free(text);
  return e ? cli_fail_library(s, path, e) : CLI_GO_ON;
}

int cli_print_failure(cli_session *s, int status) {
  json_t *o = cli_object(s);
  cli_put(s, o, "status", json_string("failed"));
  cli_put(s, o, "exit_status", json_integer(status));
  cli_put(s, o, "message", cli_text(s->failure));
  return cli_print_json(s, o, status);
}

// ---- summaries ------------------------------------------------------------------------------

const char *cli_form_name(ss_form form) {
  return form == SS_GLOBAL ? "global" : "local";
}

static const char *plural(int count) {
  return count == 1 ? "" : "s";
}

void cli_describe_sizes(const ss_problem *p, char *out, size_t size) {
  char dofs[60] = "", bilateral[60] = "";
  if (p->form == SS_GLOBAL)
    snprintf(dofs, sizeof dofs, ", %d degree%s of freedom", p->ndof, plural(p->ndof));
  if (p->nl)
    snprintf(bilateral, sizeof bilateral, ", %d bilateral constraint%s", p->nl, plural(p->nl));
  snprintf(out, size, "%dD, %d contact%s%s%s, %s form", p->dim, p->nc, plural(p->nc), dofs,
           bilateral, cli_form_name(p->form));
}

void cli_line_problem(FILE *to, const ss_problem *p) {
  char sizes[200];
  cli_describe_sizes(p, sizes, sizeof sizes);
  cli_line(to, "problem", "%s", sizes);
}

void cli_line_run(FILE *to, const char *path, const char *kind) {
  cli_line(to, "output", "%s", path);
  if (cli_format_by_ending(path) == SS_FORMAT_FCLIB)
    cli_line(to, "to look at", "stickslip report %s -o page.html, or --svg %s -o picture.svg", path,
             kind);
}

// ---- verdicts -------------------------------------------------------------------------------

bool cli_is_solved(const ss_verdict *v, const cli_bound *b) {
  return ss_verdict_measure(v, b->measure) <= b->tol;  // false for NAN
}

void cli_put_errors(cli_session *s, json_t *o, const ss_verdict *v, const cli_bound *b) {
  cli_put(s, o, "error", cli_real(v->error));
  cli_put(s, o, "error_fclib", cli_real(v->error_fclib));
  cli_put(s, o, "measure", json_string(ss_measure_name(b->measure)));
  cli_put(s, o, "tolerance", cli_real(b->tol));
}

static const char STILL[] =
    "at %d contact%s everything moves as one: q is only rounding, and r = 0 is as good as the data";

void cli_put_verdict(cli_session *s, json_t *o, const ss_verdict *v) {
  if (v->still > 0) cli_note(s, STILL, v->still, v->still == 1 ? "" : "s");
  cli_put(s, o, "states", cli_states(s, v->states));
  cli_put(s, o, "worst_contact",
          v->worst_contact < 0 ? json_null() : json_integer(v->worst_contact));
  cli_put(s, o, "components", json_integer(v->components));
  cli_put(s, o, "worst_component",
          v->worst_component < 0 ? json_null() : json_integer(v->worst_component));
  cli_put(s, o, "still_contacts", json_integer(v->still));
  cli_put(s, o, "penetration", cli_real(v->penetration));
  cli_put(s, o, "equality", cli_real(v->equality));
  cli_put(s, o, "scale", cli_real(v->scale));
  cli_put(s, o, "state_tolerance", cli_real(v->state_tol));
}

void cli_print_verdict(FILE *to, const ss_verdict *v, const cli_bound *b) {
  static const char *const bounded[] = {"error", "fclib", "both"};
  cli_line(to, "error", "%.3g (fclib %.3g); tolerance %g on %s", v->error, v->error_fclib, b->tol,
           bounded[b->measure]);
  if (v->worst_contact >= 0 && v->components > 1)
    cli_line(to, "worst", "contact %d; of %d separate parts that of contact %d", v->worst_contact,
             v->components, v->worst_component);
  else if (v->worst_contact >= 0)
    cli_line(to, "worst", "contact %d", v->worst_contact);
  if (v->still > 0) cli_line(to, "note", STILL, v->still, v->still == 1 ? "" : "s");
  cli_line(to, "contacts", "%d free, %d stick, %d slip", v->states[SS_FREE], v->states[SS_STICK],
           v->states[SS_SLIP]);
}
