// The table of methods and the reading of their options.
#include <string.h>

#include "base/decimal.h"
#include "base/error.h"
#include "solvers/method.h"

#define METHOD(name) extern const ssi_method ssi_method_##name;
#include "solvers/methods.inc"
#undef METHOD

static const ssi_method *const methods[] = {
#define METHOD(name) &ssi_method_##name,
#include "solvers/methods.inc"
#undef METHOD
};
enum { METHOD_COUNT = sizeof methods / sizeof *methods };

const char *ss_method_name(int index) {
  return 0 <= index && index < METHOD_COUNT ? methods[index]->name : NULL;
}

const ssi_method *ssi_method_find(const char *name) {
  for (int i = 0; name && i < METHOD_COUNT; i++)
    if (!strcmp(methods[i]->name, name)) return methods[i];
  return NULL;
}

uint32_t ssi_method_bit(const ssi_method *method) {
  for (int i = 0; i < METHOD_COUNT; i++)
    if (methods[i] == method) return 1u << i;
  return 0;
}

const char *ss_method_summary(const char *name) {
  const ssi_method *m = ssi_method_find(name);
  return m ? m->summary : NULL;
}

bool ss_method_option(const char *name, int index, ss_option_help *out) {
  const ssi_method *m = ssi_method_find(name);
  if (!m || index < 0 || index >= m->option_count) return false;
  const ssi_option *o = &m->options[index];
  if (out) *out = (ss_option_help){o->key, o->help, o->initial, o->low, o->high, o->names};
  return true;
}

static const ssi_option *find_option(const ssi_method *m, const char *key) {
  for (int i = 0; i < m->option_count; i++)
    if (!strcmp(m->options[i].key, key)) return &m->options[i];
  return NULL;
}

static const char *key_at(const void *method, int i) {
  const ssi_method *m = method;
  return i < m->option_count ? m->options[i].key : NULL;
}

static ss_error unknown_option(ss_context *ctx, const ssi_method *m, const char *key) {
  const char *nearest = ss_nearest_name(key, key_at, m);
  return ssi_fail(ctx, SS_ERR_ARGUMENT, "method %s has no option '%s'%s%s%s", m->name, key,
                  nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
}

static ss_error parse_value(ss_context *ctx, const ssi_method *m, const ssi_option *o,
                            const char *text, double *out) {
  *out = 0;
  for (int i = 0; o->names && o->names[i]; i++)
    if (!strcmp(o->names[i], text)) {
      *out = i;
      return SS_OK;
    }
  const char *end = ssi_decimal(text + (*text == '-' || *text == '+'), out);
  if (*text == '-') *out = -*out;
  if (!o->names && end && !*end && o->low <= *out && *out <= o->high) return SS_OK;
  if (!o->names)
    return ssi_fail(ctx, SS_ERR_ARGUMENT, "%s.%s: found '%s', expected a number from %g to %g",
                    m->name, o->key, text, o->low, o->high);
  char words[200] = "";
  for (int i = 0; o->names[i]; i++) {
    if (i) strncat(words, ", ", sizeof words - strlen(words) - 1);
    strncat(words, o->names[i], sizeof words - strlen(words) - 1);
  }
  return ssi_fail(ctx, SS_ERR_ARGUMENT, "%s.%s: found '%s', expected one of %s", m->name, o->key,
                  text, words);
}

static ss_error apply(ss_context *ctx, const ssi_method *m, const ss_setting *s, double *out,
                      const ssi_option **option) {
  *option = s->key ? find_option(m, s->key) : NULL;
  if (!s->key || !s->value)
    return ssi_fail(ctx, SS_ERR_ARGUMENT, "a setting of %s has no key or no value", m->name);
  if (!*option) return unknown_option(ctx, m, s->key);
  return parse_value(ctx, m, *option, s->value, out);
}

ss_error ss_setting_check(ss_context *ctx, const char *method, const ss_setting *setting) {
  const ssi_method *m = ssi_method_find(method);
  const ssi_option *option;
  double value;
  if (!m) return ssi_fail(ctx, SS_ERR_METHOD, "unknown method '%s'", method ? method : "(null)");
  return apply(ctx, m, setting, &value, &option);
}

ss_error ssi_settings_apply(ss_context *ctx, const ssi_method *m, const ss_setting *settings,
                            int count, void *state) {
  for (int i = 0; i < m->option_count; i++)
    *(double *)((char *)state + m->options[i].offset) = m->options[i].initial;
  for (int i = 0; i < count; i++) {
    const ssi_option *o;
    double value;
    SS_TRY(apply(ctx, m, &settings[i], &value, &o));
    *(double *)((char *)state + o->offset) = value;
  }
  return SS_OK;
}
