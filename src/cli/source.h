// cli/source.h - where a problem with parameters comes from: a model, or a template file.
#pragma once

#include "cli/settings.h"

typedef struct cli_source {
  const char *name;       // of the model, or the file
  ss_template *template;  // NULL: a model
} cli_source;

// A template where the name has a '/' or ends in .json, or is "-". CLI_GO_ON or an exit status.
int cli_source_open(cli_session *s, const char *name, cli_source *out);
bool cli_source_is_named(const char *name);  // a model, or what a template may be called
void cli_source_close(cli_source *c);
ss_error cli_source_build(const cli_source *c, ss_context *ctx, const ss_model_setting *settings,
                          int count, ss_problem **out);
// The instant that it describes: *owner keeps what *out points to, until it is given back.
ss_error cli_source_instant(const cli_source *c, ss_context *ctx, const ss_model_setting *settings,
                            int count, ss_instant *out, void **owner);
void cli_source_release(const cli_source *c, void *owner);
const char *cli_source_summary(const cli_source *c);  // NULL: none
// The name with what was fixed, and the summary, for a picture.
void cli_source_caption(const cli_source *c, const cli_settings *fixed, char title[300],
                        char subtitle[600]);
const char *cli_source_parameter(const cli_source *c, int index);  // its names; NULL past the last
bool cli_source_has(const cli_source *c, const char *parameter);
// Says what went wrong in a build.
int cli_source_fail(cli_session *s, const cli_source *c, ss_error e);
