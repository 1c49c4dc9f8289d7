#include "cli/source.h"

#include <string.h>

#include "cli/args.h"

static const char *model_at(const void *user, int i) {
  (void)user;
  return ss_model_name(i);
}

static bool is_template(const char *name) {
  size_t n = strlen(name);
  return strchr(name, '/') || strcmp(name, "-") == 0 ||
         (n > 5 && strcmp(name + n - 5, ".json") == 0);
}

bool cli_source_is_named(const char *name) {
  return is_template(name) || ss_model_summary(name);
}

int cli_source_open(cli_session *s, const char *name, cli_source *out) {
  *out = (cli_source){.name = name};
  if (!is_template(name)) {
    if (ss_model_summary(name)) return CLI_GO_ON;
    char near[CLI_SUGGESTION];
    ss_suggest_name(name, NULL, model_at, NULL, near, sizeof near);
    return cli_fail(s, CLI_USAGE, "unknown model '%s'; %s (see stickslip model --list)", name,
                    near);
  }
  s->file = name;
  ss_error e = ss_template_open(&s->ctx, name, &out->template);
  return e ? cli_fail_library(s, name, e) : CLI_GO_ON;
}

void cli_source_close(cli_source *c) {
  ss_template_close(c->template);
  c->template = NULL;
}

ss_error cli_source_build(const cli_source *c, ss_context *ctx, const ss_model_setting *settings,
                          int count, ss_problem **out) {
  if (c->template) return ss_template_build(ctx, c->template, settings, count, out);
  return ss_model_build(ctx, c->name, settings, count, out);
}

ss_error cli_source_instant(const cli_source *c, ss_context *ctx, const ss_model_setting *settings,
                            int count, ss_instant *out, void **owner) {
  ss_error e;
  if (c->template) {
    ss_file *f = NULL;
    e = ss_template_fill(ctx, c->template, settings, count, &f);
    if (!e) *out = (ss_instant){&f->problem, f->gap, f->rate};
    *owner = f;
  } else {
    ss_problem *p = NULL;
    e = ss_model_build(ctx, c->name, settings, count, &p);
    *out = (ss_instant){.system = p};
    *owner = p;
  }
  return e;
}

void cli_source_release(const cli_source *c, void *owner) {
  if (c->template)
    ss_file_close(owner);
  else
    ss_problem_destroy(owner);
}

const char *cli_source_summary(const cli_source *c) {
  return c->template ? ss_template_title(c->template) : ss_model_summary(c->name);
}

void cli_source_caption(const cli_source *c, const cli_settings *fixed, char title[300],
                        char subtitle[600]) {
  const char *summary = cli_source_summary(c), *slash = strrchr(c->name, '/');
  size_t used = (size_t)snprintf(title, 300, "%s", slash ? slash + 1 : cli_display_name(c->name));
  for (int k = 0; k < fixed->count && used < 300; k++)
    used += (size_t)snprintf(title + used, 300 - used, "%s%s = %s", k ? ", " : ": ",
                             fixed->settings[k].name, fixed->settings[k].text);
  snprintf(subtitle, 600, "%s", summary ? summary : "");
}

const char *cli_source_parameter(const cli_source *c, int index) {
  if (c->template) return ss_template_parameter(c->template, index);
  const ss_model_parameter *p = ss_model_parameter_at(c->name, index);
  return p ? p->name : NULL;
}

bool cli_source_has(const cli_source *c, const char *parameter) {
  const char *name;
  for (int i = 0; (name = cli_source_parameter(c, i)); i++)
    if (strcmp(name, parameter) == 0) return true;
  return false;
}

int cli_source_fail(cli_session *s, const cli_source *c, ss_error e) {
  size_t length = strlen(c->name);
  bool of_model = !c->template && strncmp(ss_error_detail(&s->ctx, e), c->name, length) == 0;
  if (e == SS_ERR_ARGUMENT && !of_model && !c->template)
    return cli_fail(s, CLI_USAGE, "%s", ss_error_detail(&s->ctx, e));
  if (e != SS_ERR_ARGUMENT || c->template) return cli_fail_library(s, c->name, e);
  return cli_fail(s, CLI_USAGE, "%s (see stickslip model --list %s)", ss_error_detail(&s->ctx, e),
                  c->name);
}
