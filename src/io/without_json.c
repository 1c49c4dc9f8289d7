// What a build without Jansson answers: problems, solutions, certificates and templates in JSON need it.
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include "base/error.h"
#include "io/reader.h"
#include "stickslip/template.h"

static ss_error cannot_read(ss_context *ctx, const ssi_source *in) {
  return ssi_fail(ctx, SS_ERR_UNSUPPORTED, "%s: is JSON; this build has no JSON (Jansson)",
                  in->name);
}

static ss_error no_json(ss_context *ctx, const char *path) {
  return ssi_fail(ctx, SS_ERR_UNSUPPORTED, "%s: this build has no JSON (Jansson)", path);
}

ss_error ssi_read_json(ss_context *ctx, const ssi_source *in, ssi_arena *arena, ss_file *out) {
  return cannot_read(ctx, in);
}

ss_error ssi_read_json_solution(ss_context *ctx, const ssi_source *in, const ss_file *problem,
                                ssi_arena *arena, ss_solution *out) {
  return cannot_read(ctx, in);
}

bool ssi_json_has_certificate(const ssi_source *in) {
  return false;
}

ss_error ssi_read_json_certificate(ss_context *ctx, const ssi_source *in, const ss_file *problem,
                                   ssi_arena *arena, ss_solution_file *out) {
  return cannot_read(ctx, in);
}

ss_error ssi_write_json(ss_context *ctx, const char *path, const ss_file *what) {
  return no_json(ctx, path);
}

ss_error ssi_write_json_solution(ss_context *ctx, const char *path, const ss_file *problem,
                                 const ss_solution *solution) {
  return no_json(ctx, path);
}

// ---- templates: none can be opened, so that the rest is never called ------------------------------

ss_error ss_template_open(ss_context *ctx, const char *path, ss_template **out) {
  return *out = NULL, no_json(ctx, path);
}

void ss_template_close(ss_template *t) {}

const char *ss_template_title(const ss_template *t) {
  return NULL;
}

const char *ss_template_parameter(const ss_template *t, int index) {
  return NULL;
}

ss_error ss_template_build(ss_context *ctx, const ss_template *t, const ss_model_setting *settings,
                           int count, ss_problem **out) {
  return *out = NULL, SS_ERR_UNSUPPORTED;
}

ss_error ss_template_fill(ss_context *ctx, const ss_template *t, const ss_model_setting *settings,
                          int count, ss_file **out) {
  return *out = NULL, SS_ERR_UNSUPPORTED;
}
