// cli/results.h - the JSON object and the summary that commands print.
#pragma once

#include "cli/args.h"
#include "cli/outputs.h"
#include "cli/printed.h"

// Adds `value` (taken over) to `object` or `array`; failure is sticky in the session.
void cli_put(cli_session *s, json_t *object, const char *key, json_t *value);
void cli_append(cli_session *s, json_t *array, json_t *value);
json_t *cli_real(double x);      // null where x is not finite
json_t *cli_extended(double x);  // a number, "inf" or "-inf"; null for NAN
json_t *cli_interval(cli_session *s, double low, double high);  // of these
typedef struct cli_named {
  const char *name;
  double value;
} cli_named;
json_t *cli_reals(cli_session *s, const cli_named *rows, size_t count);  // {name: value}
json_t *cli_text(const char *text);  // null for NULL; bytes that are not UTF-8 become '?'
json_t *cli_states(cli_session *s, const int states[3]);  // {free, stick, slip}
json_t *cli_capabilities(cli_session *s);                 // {name: true|false}
json_t *cli_doubles_json(const double *x, int count);

// {"command", "version", "status", "file"} to begin with; status is null until it is known.
json_t *cli_object(cli_session *s);
// dim, contacts, dofs (null where the form has none), form.
void cli_put_sizes(cli_session *s, json_t *object, const ss_problem *p);

// Adds the notes, prints the object (taken over) on standard output; `status` or CLI_RESOURCES.
int cli_print_json(cli_session *s, json_t *object, int status);
// Writes the object (taken over) to a file; CLI_GO_ON or an exit status.
int cli_write_json(cli_session *s, json_t *object, const char *path);
// The object of a run that failed before it had a result.
int cli_print_failure(cli_session *s, int status);

const char *cli_form_name(ss_form form);  // "local", "global", as in --form
// "3D, 12 contacts, 36 degrees of freedom, global form"
void cli_describe_sizes(const ss_problem *p, char *out, size_t size);
void cli_line_problem(FILE *to, const ss_problem *p);  // that, in a line of a summary
// The file of a run and, where `report` reads it, how to look at it: as a page, or as the picture `kind`.
void cli_line_run(FILE *to, const char *path, const char *kind);

extern const char *const cli_measures[];  // words of --measure, in the order of ss_measure
extern const char *const cli_forms[];     // words of --form, in the order of ss_form_hint
extern const char *const cli_formats[];   // words of --format, in the order of ss_format

// The rows of --form and --format for a command that reads a problem called `what` in its help.
#define CLI_READING(what, form, format)                                                            \
  {"form",   0,                                                                                    \
   "NAME",   "what a .dat file holds: any, local or global (default any: by content)",             \
   CLI_WORD, form,                                                                                 \
   0,        0,                                                                                    \
   0,        cli_forms},                                                                           \
  {                                                                                                \
    "format", 0, "NAME",                                                                           \
        "of " what ": auto, fclib, siconos, mtx or json (default auto: by content)", CLI_WORD,     \
        format, 0, 0, 0, cli_formats                                                               \
  }

typedef struct cli_bound {  // --measure and --tol
  ss_measure measure;
  double tol;
} cli_bound;
bool cli_is_solved(const ss_verdict *v, const cli_bound *b);
// error, error_fclib, measure, tolerance.
void cli_put_errors(cli_session *s, json_t *object, const ss_verdict *v, const cli_bound *b);
// states, worst_contact, equality, scale, state_tolerance.
void cli_put_verdict(cli_session *s, json_t *object, const ss_verdict *v);
void cli_print_verdict(FILE *to, const ss_verdict *v, const cli_bound *b);
