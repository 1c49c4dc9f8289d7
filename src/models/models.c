// The table of models: finding one, checking settings against its rows, building.
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "models/model.h"

#define MODELS(X)                                                                                  \
  X(painleve)                                                                                      \
  X(painleve3d)                                                                                    \
  X(ball)                                                                                          \
  X(square)                                                                                        \
  X(rectangle)                                                                                     \
  X(piston)                                                                                        \
  X(wedge)                                                                                         \
  X(klarbring)                                                                                     \
  X(alart) X(alart3) X(periodic) X(static) X(block) X(two_blocks) X(elastic_square)                \
      X(elastic_blocks) X(half_plane) X(pulled_block)

#define DECLARE(name) extern const ssi_model ssi_model_##name;
MODELS(DECLARE)
#define ADDRESS(name) &ssi_model_##name,
static const ssi_model *const models[] = {MODELS(ADDRESS) NULL};

static const ssi_model *find(const char *name) {
  for (int i = 0; name && models[i]; i++)
    if (strcmp(models[i]->name, name) == 0) return models[i];
  return NULL;
}

const char *ss_model_name(int index) {
  int count = (int)(sizeof models / sizeof *models) - 1;
  return index >= 0 && index < count ? models[index]->name : NULL;
}

const char *ss_model_summary(const char *model) {
  const ssi_model *m = find(model);
  return m ? m->summary : NULL;
}

const char *ss_model_equation(const char *model) {
  const ssi_model *m = find(model);
  return m ? m->equation : NULL;
}

const ss_model_parameter *ss_model_parameter_at(const char *model, int index) {
  const ssi_model *m = find(model);
  return m && index >= 0 && index < m->parameter_count ? &m->parameters[index] : NULL;
}

const char *const *ss_model_words(const char *model, const char *parameter) {
  const ssi_model *m = find(model);
  return m && parameter && m->word && strcmp(m->word, parameter) == 0 ? m->words : NULL;
}

// ---- settings -------------------------------------------------------------------------------

static const char *model_name(const void *user, int i) {
  (void)user;
  return ss_model_name(i);
}

static ss_error unknown_model(ss_context *ctx, const char *name) {
  return ssi_fail(ctx, SS_ERR_ARGUMENT, "unknown model '%.60s'; the nearest is %s", name,
                  ss_nearest_name(name, model_name, NULL));
}

static ssi_parameter_table table_of(const ssi_model *m) {
  return (ssi_parameter_table){m->name, m->parameters, m->parameter_count};
}

static bool is_word(const ssi_model *m, int i) {
  return m->word && strcmp(m->word, m->parameters[i].name) == 0;
}

static ss_error set_word(ss_context *ctx, const ssi_model *m, const ss_model_parameter *p,
                         const char *text, ssi_number *value) {
  char known[200] = "";
  for (int k = 0; m->words[k]; k++) {
    if (text && strcmp(m->words[k], text) == 0) return *value = ssi_whole(k), SS_OK;
    size_t used = strlen(known);
    snprintf(known + used, sizeof known - used, k ? ", %s" : "%s", m->words[k]);
  }
  return ssi_fail(ctx, SS_ERR_ARGUMENT, "%s: %s: found '%.60s', expected one of %s", m->name,
                  p->name, text ? text : "a number", known);
}

static ss_error set_one(ss_context *ctx, const ssi_model *m, const ss_model_setting *s,
                        ssi_number *value, bool *given) {
  ssi_parameter_table table = table_of(m);
  int i;
  SS_TRY(ssi_parameter_named(ctx, &table, s, &i));
  given[i] = true;
  if (is_word(m, i)) return set_word(ctx, m, &m->parameters[i], s->text, &value[i]);
  return ssi_parameter_number(ctx, &table, i, s, &value[i]);
}

// ---- building -------------------------------------------------------------------------------

// Defaults, and what was set instead of them.
static ss_error read_settings(ss_context *ctx, const ssi_model *m, const ss_model_setting *settings,
                              int count, ssi_model_reading *r) {
  *r = (ssi_model_reading){
      .draft = {
          .ctx = ctx, .model = m, .value = r->value, .given = r->given, .arena = {.ctx = ctx}}};
  if (m->parameter_count > SSI_PARAMETERS_MAX)
    return ssi_fail(ctx, SS_ERR_ARGUMENT, "%s: has more than %d parameters", m->name,
                    SSI_PARAMETERS_MAX);
  for (int i = 0; i < m->parameter_count; i++) {
    const char *text = m->parameters[i].initial;
    r->value[i] = ssi_whole(0);
    if (is_word(m, i))
      SS_TRY(set_word(ctx, m, &m->parameters[i], text, &r->value[i]));
    else if (text)
      ssi_number_parse(text, &r->value[i]);  // in the table; tests parse them all
  }
  for (int k = 0; k < count; k++) SS_TRY(set_one(ctx, m, &settings[k], r->value, r->given));
  return SS_OK;
}

ss_error ssi_model_read(ss_context *ctx, const char *model, const ss_model_setting *settings,
                        int count, ssi_model_reading *out) {
  const ssi_model *m = find(model);
  return m ? read_settings(ctx, m, settings, count, out) : unknown_model(ctx, model);
}

static ss_error build(ss_context *ctx, const ssi_model *m, const ss_model_setting *settings,
                      int count, ss_problem **out, const ss_exact **exact) {
  ssi_model_reading r;
  SS_TRY(read_settings(ctx, m, settings, count, &r));
  ss_error e = m->build(&r.draft);
  if (!e) e = ssi_draft_finish(&r.draft, out, exact);
  ssi_arena_release(&r.draft.arena);
  return e;
}

ss_error ss_model_build_exact(ss_context *ctx, const char *model, const ss_model_setting *settings,
                              int count, ss_problem **out, const ss_exact **exact) {
  if (!model || !out || count < 0 || (count > 0 && !settings))
    return ssi_fail(ctx, SS_ERR_ARGUMENT, "model: a name, settings and a place for the result");
  *out = NULL;
  if (exact) *exact = NULL;
  const ssi_model *m = find(model);
  return m ? build(ctx, m, settings, count, out, exact) : unknown_model(ctx, model);
}

ss_error ss_model_build(ss_context *ctx, const char *model, const ss_model_setting *settings,
                        int count, ss_problem **out) {
  return ss_model_build_exact(ctx, model, settings, count, out, NULL);
}
