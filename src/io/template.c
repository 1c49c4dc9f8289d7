// io/template.c - a document whose expressions are replaced by numbers and which is then read like any
// JSON problem. The document itself is only read after opening, so threads can share it.
#include "stickslip/template.h"

#include "base/error.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/expression.h"
#include "io/json_value.h"
#include "models/number.h"
#include "problem/owned.h"

enum { PARAMETERS_MOST = 64, DEPTH_MOST = 16 };

struct ss_template {
  ssi_arena arena;
  char *name;          // of the file
  json_t *root;        // without "parameters"
  json_t *parameters;  // an object
  const char *names[PARAMETERS_MOST];
  int count;
};

// ---- opening --------------------------------------------------------------------------------

static ss_error no_memory(ss_context *ctx, const char *name) {
  return ssi_fail(ctx, SS_ERR_MEMORY, "%s: no memory to read it", name);
}

static bool is_name(const char *text) {
  size_t n = strlen(text);
  return n > 0 && n < 64 &&
         strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
                      "0123456789") == n &&
         (text[0] < '0' || text[0] > '9');
}

static bool is_expression(const json_t *value) {
  return json_is_string(value) && json_string_value(value)[0] == '=';
}

static bool has_expressions(json_t *value, int depth) {
  const char *key;
  json_t *inside;
  size_t i;
  if (is_expression(value)) return true;
  if (depth > DEPTH_MOST) return false;
  json_array_foreach(value, i, inside) if (has_expressions(inside, depth + 1)) return true;
  json_object_foreach(value, key, inside) if (has_expressions(inside, depth + 1)) return true;
  return false;
}

static ss_error list_parameters(ss_context *ctx, ss_template *t) {
  const char *key;
  json_t *value;
  if (!t->parameters && !has_expressions(t->root, 0)) return SS_OK;  // a problem as any other
  if (!json_is_object(t->parameters))
    return ssi_fail(ctx, SS_ERR_FORMAT,
                    "%s: /parameters: missing; a template has {\"parameters\": {\"mu\": 0.5, ...}}",
                    t->name);
  json_object_foreach(t->parameters, key, value) {
    if (!is_name(key))
      return ssi_fail(ctx, SS_ERR_FORMAT,
                      "%s: /parameters: '%.40s' is no name of letters, digits and _", t->name, key);
    if (t->count == PARAMETERS_MOST)
      return ssi_fail(ctx, SS_ERR_FORMAT, "%s: /parameters: more than %d", t->name,
                      PARAMETERS_MOST);
    t->names[t->count++] = key;
  }
  return SS_OK;
}

static ss_error open_into(ss_context *ctx, const char *path, ss_template *t) {
  ssi_source source;
  t->name = SSI_TAKE(&t->arena, strlen(path) + 16, char);
  if (!t->name) return no_memory(ctx, path);
  strcpy(t->name, strcmp(path, "-") == 0 ? "standard input" : path);
  SS_TRY(ssi_input_read_judged(ctx, path, ssi_may_be_json, &t->arena, &source));
  ssi_json in = {ctx, t->name, &t->arena};
  SS_TRY(ssi_json_parse(&in, &source, &t->root));
  t->parameters = json_incref(json_object_get(t->root, "parameters"));
  json_object_del(t->root, "parameters");
  SS_TRY(list_parameters(ctx, t));
  ss_file *trial;  // with its defaults it must be a problem
  SS_TRY(ss_template_fill(ctx, t, NULL, 0, &trial));
  ss_file_close(trial);
  return SS_OK;
}

ss_error ss_template_open(ss_context *ctx, const char *path, ss_template **out) {
  if (!path || !out) return ssi_fail(ctx, SS_ERR_ARGUMENT, "template: path or result is NULL");
  *out = NULL;
  ssi_arena arena = {.ctx = ctx};
  ss_template *t = SSI_TAKE(&arena, 1, ss_template);
  if (!t) return no_memory(ctx, path);
  t->arena = arena;
  ss_error e = open_into(ctx, path, t);
  if (e) return ss_template_close(t), e;
  *out = t;
  return SS_OK;
}

void ss_template_close(ss_template *t) {
  if (!t) return;
  json_decref(t->root);
  json_decref(t->parameters);
  ssi_arena_release_home(t->arena);
}

const char *ss_template_title(const ss_template *t) {
  if (!t) return NULL;
  return json_string_value(json_object_get(t->root, "title"));
}

const char *ss_template_parameter(const ss_template *t, int index) {
  if (!t) return NULL;
  return index >= 0 && index < t->count ? t->names[index] : NULL;
}

// ---- building -------------------------------------------------------------------------------

typedef struct filling {
  ss_context *ctx;
  const ss_template *t;
  ssi_json in;
  ssi_name_value values[PARAMETERS_MOST];
  int known;  // values that are there already
} filling;

static const char *name_at(const void *of, int i) {
  const ss_template *t = of;
  return i < t->count ? t->names[i] : NULL;
}

static ss_error unknown_setting(const filling *f, const char *name) {
  const char *nearest = ss_nearest_name(name, name_at, f->t);
  if (!nearest)
    return ssi_fail(f->ctx, SS_ERR_ARGUMENT, "%s: unknown parameter '%.60s': it has no parameters",
                    f->t->name, name);
  return ssi_fail(f->ctx, SS_ERR_ARGUMENT, "%s: unknown parameter '%.60s'; the nearest is %s",
                  f->t->name, name, nearest);
}

static ss_error setting_value(const filling *f, const ss_model_setting *s, double *out) {
  ssi_number n = ssi_real(s->value);
  const char *wrong = s->text              ? ssi_number_parse(s->text, &n)
                      : isfinite(s->value) ? NULL
                                           : "is not finite";
  *out = n.x;
  if (!wrong) return SS_OK;
  return ssi_fail(f->ctx, SS_ERR_ARGUMENT, "%s: %s: '%.60s' %s, expected a number as 0.25 or 3/5",
                  f->t->name, s->name, s->text ? s->text : "the value", wrong);
}

static ss_error evaluate(const filling *f, const char *at, const json_t *value, double *out) {
  char where[400];
  if (!is_expression(value)) return ssi_json_number(&f->in, at, value, out);
  snprintf(where, sizeof where, "%.250s: %s", f->t->name, at);
  return ssi_expression(f->ctx, where, json_string_value(value) + 1, f->values, f->known, out);
}

static ss_error set_parameters(filling *f, const ss_model_setting *settings, int count) {
  for (int k = 0; k < count; k++) {
    int i = 0;
    if (!settings[k].name) return ssi_missing(f->ctx, "ss_template_fill");
    while (i < f->t->count && strcmp(f->t->names[i], settings[k].name) != 0) i++;
    if (i == f->t->count) return unknown_setting(f, settings[k].name);
  }
  for (int i = 0; i < f->t->count; i++) {
    const ss_model_setting *given = NULL;
    const char *name = f->t->names[i];
    char at[100];
    for (int k = 0; k < count; k++)
      if (strcmp(settings[k].name, name) == 0) given = &settings[k];
    snprintf(at, sizeof at, "/parameters/%s", name);
    f->values[i].name = name;
    if (given)
      SS_TRY(setting_value(f, given, &f->values[i].value));
    else
      SS_TRY(evaluate(f, at, json_object_get(f->t->parameters, name), &f->values[i].value));
    f->known = i + 1;
  }
  return SS_OK;
}

static ss_error copy_filled(const filling *f, char *at, int depth, json_t *from, json_t **to);

static ss_error copy_array(const filling *f, char *at, int depth, json_t *from, json_t *to) {
  size_t length = strlen(at), i;
  json_t *value, *copy;
  json_array_foreach(from, i, value) {
    snprintf(at + length, 200 - length, "/%zu", i);
    SS_TRY(copy_filled(f, at, depth + 1, value, &copy));
    at[length] = '\0';
    if (json_array_append_new(to, copy)) return no_memory(f->ctx, f->t->name);
  }
  return SS_OK;
}

static ss_error copy_object(const filling *f, char *at, int depth, json_t *from, json_t *to) {
  size_t length = strlen(at);
  const char *key;
  json_t *value, *copy;
  json_object_foreach(from, key, value) {
    snprintf(at + length, 200 - length, "/%.40s", key);
    SS_TRY(copy_filled(f, at, depth + 1, value, &copy));
    at[length] = '\0';
    if (json_object_set_new(to, key, copy)) return no_memory(f->ctx, f->t->name);
  }
  return SS_OK;
}

// A copy of `from` with numbers for expressions; `at` (200) is its place, for messages.
static ss_error copy_filled(const filling *f, char *at, int depth, json_t *from, json_t **to) {
  ss_error e = SS_OK;
  if (is_expression(from)) {
    double x;
    SS_TRY(evaluate(f, at, from, &x));
    *to = json_real(x);
    return *to ? SS_OK : no_memory(f->ctx, f->t->name);
  }
  if (depth > DEPTH_MOST)
    return ssi_fail(f->ctx, SS_ERR_FORMAT, "%s: %s: nested too deeply", f->t->name, at);
  if (!json_is_array(from) && !json_is_object(from)) {
    *to = json_deep_copy(
        from);  // not a reference: counting those is not safe between threads everywhere
    return *to ? SS_OK : no_memory(f->ctx, f->t->name);
  }
  *to = json_is_array(from) ? json_array() : json_object();
  if (!*to) return no_memory(f->ctx, f->t->name);
  e = json_is_array(from) ? copy_array(f, at, depth, from, *to)
                          : copy_object(f, at, depth, from, *to);
  if (e) json_decref(*to);
  return e;
}

// What the document holds with these settings, arrays in `arena`.
static ss_error fill(ss_context *ctx, const ss_template *t, const ss_model_setting *settings,
                     int count, ssi_arena *arena, ss_file *file) {
  char at[200] = "";
  json_t *root;
  filling f = {.ctx = ctx, .t = t, .in = {ctx, t->name, arena}};
  SS_TRY(set_parameters(&f, settings, count));
  SS_TRY(copy_filled(&f, at, 0, t->root, &root));
  ss_error e = ssi_json_problem(&f.in, root, file);
  json_decref(root);
  return e ? e : ssi_check_structure(ctx, SS_ERR_FORMAT, t->name, file);
}

ss_error ss_template_fill(ss_context *ctx, const ss_template *t, const ss_model_setting *settings,
                          int count, ss_file **out) {
  if (!t || !out || (count > 0 && !settings)) return ssi_missing(ctx, "ss_template_fill");
  *out = NULL;
  ssi_file_owner *own = ssi_file_create(ctx);
  if (!own) return no_memory(ctx, t->name);
  ss_error e = fill(ctx, t, settings, count, &own->arena, &own->file);
  own->file.memory = own;
  if (e) return ss_file_close(&own->file), e;
  *out = &own->file;
  return SS_OK;
}

ss_error ss_template_build(ss_context *ctx, const ss_template *t, const ss_model_setting *settings,
                           int count, ss_problem **out) {
  if (!t || !out || (count > 0 && !settings)) return ssi_missing(ctx, "ss_template_build");
  ss_file file;
  *out = NULL;
  ssi_owned *o = ssi_owned_create(ctx);
  if (!o) return no_memory(ctx, t->name);
  ss_error e = fill(ctx, t, settings, count, &o->arena, &file);
  if (!e && (file.gap || file.rate))
    e = ssi_fail(ctx, SS_ERR_FORMAT,
                 "%s: /%s: belongs to an instant, which `status` and `atlas --status` read",
                 t->name, file.gap ? "gap" : "rate");
  if (e) return ss_problem_destroy(&o->problem), e;
  o->problem = file.problem;
  *out = &o->problem;
  return SS_OK;
}
