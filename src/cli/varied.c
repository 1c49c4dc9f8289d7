#include "cli/varied.h"

#include <string.h>

#include "cli/results.h"

static bool is_file(const char *name) {
  size_t n = strlen(name);
  bool json = strcmp(name, "-") == 0 || (n > 5 && strcmp(name + n - 5, ".json") == 0);
  return !json && !ss_model_summary(name) &&
         (strchr(name, '/') || strchr(name, '.') || cli_exists(name));
}

static ss_trace_problem built_in(const char *parameter) {
  if (strcmp(parameter, "mu") == 0) return ss_trace_over_mu;
  return strcmp(parameter, "load") == 0 ? ss_trace_over_load : NULL;
}

// The source's own parameters, then those that any problem has.
static const char *name_at(const void *user, int i) {
  const cli_varied *v = user;
  static const char *const others[] = {"mu", "load", NULL};
  int count = 0;
  while (!v->file && cli_source_parameter(&v->source, count)) count++;
  return i < count ? cli_source_parameter(&v->source, i) : others[i - count];
}

static int unknown(cli_session *s, const cli_varied *v) {
  const char *from = v->source.name;
  if (v->file || !cli_source_parameter(&v->source, 0))
    return cli_fail(s, CLI_USAGE,
                    "%s has no parameters of its own, found '%s', expected mu (the friction of all "
                    "contacts) or load "
                    "(a factor of its load)",
                    cli_display_name(from), v->name);
  return cli_fail(s, CLI_USAGE, "%s: unknown parameter '%s'; the nearest is %s",
                  cli_display_name(from), v->name, ss_nearest_name(v->name, name_at, v));
}

// Whole numbers and words cannot be followed.
static int check_kind(cli_session *s, const cli_varied *v) {
  const ss_model_parameter *p;
  for (int i = 0; !v->source.template && (p = ss_model_parameter_at(v->source.name, i)); i++)
    if (strcmp(p->name, v->name) == 0 && (p->whole || ss_model_words(v->source.name, v->name)))
      return cli_fail(s, CLI_USAGE, "%s: %s is a %s, expected a parameter that varies continuously",
                      v->source.name, v->name, p->whole ? "whole number" : "word");
  return CLI_GO_ON;
}

int cli_varied_open(cli_session *s, const char *operand, const cli_varied_reading *reading,
                    const cli_settings *fixed, const char *parameter, cli_varied *out) {
  *out = (cli_varied){.fixed = fixed, .name = parameter, .source = {.name = operand}};
  if (is_file(operand)) {
    int status = cli_open(s, operand, reading->format, reading->form, &out->file);
    if (status != CLI_DONE) return status;
    if (fixed->count)
      return cli_fail(s, CLI_USAGE, "%s has no parameters, found -p %s", operand,
                      fixed->settings[0].name);
    out->base = &out->file->problem;
  } else {
    int status = cli_source_open(s, operand, &out->source);
    if (status != CLI_GO_ON) return status;
    if (cli_source_has(&out->source, parameter)) return check_kind(s, out);
  }
  out->over = built_in(parameter);
  if (!out->over) return unknown(s, out);
  if (out->file) return CLI_GO_ON;
  ss_error e = cli_source_build(&out->source, &s->ctx, fixed->settings, fixed->count, &out->built);
  out->base = out->built;
  return e ? cli_varied_fail(s, out, e) : CLI_GO_ON;
}

void cli_varied_close(cli_varied *v) {
  ss_problem_destroy(v->built);
  ss_file_close(v->file);
  cli_source_close(&v->source);
}

ss_error cli_varied_at(void *varied, ss_context *ctx, double p, ss_problem **out) {
  const cli_varied *v = varied;
  if (v->over) return v->over((void *)v->base, ctx, p, out);
  ss_model_setting all[CLI_LIST_MAX + 1];
  memcpy(all, v->fixed->settings, (size_t)v->fixed->count * sizeof *all);
  all[v->fixed->count] = (ss_model_setting){v->name, NULL, p};
  return cli_source_build(&v->source, ctx, all, v->fixed->count + 1, out);
}

int cli_varied_fail(cli_session *s, const cli_varied *v, ss_error e) {
  if (v->file) return cli_fail_library(s, v->source.name, e);
  return cli_source_fail(s, &v->source, e);
}
