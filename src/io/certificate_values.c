// io/certificate_values.c - the kinds of value that a certificate's file has.
#include "io/certificate_values.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "io/frames.h"

ss_error ssi_cert_keys(const ssi_json *in, const char *at, const json_t *value,
                       const char *const *known) {
  if (value && !json_is_object(value))
    return ssi_fail(in->ctx, SS_ERR_FORMAT, "%s: %s: expected an object", in->name, at);
  return ssi_json_keys(in, at, value, known);
}

ss_error ssi_cert_word(const ssi_json *in, const json_t *root, const char *key, int count,
                       const char *(*name)(int), int *out) {
  const char *word = NULL;
  char at[40];
  snprintf(at, sizeof at, "/%s", key);
  SS_TRY(ssi_json_text(in, at, json_object_get(root, key), &word));
  for (int k = 0; k < count; k++)
    if (strcmp(word, name(k)) == 0) return *out = k, SS_OK;
  return ssi_fail(in->ctx, SS_ERR_FORMAT,
                  "%s: %s: found \"%.40s\", expected \"%s\" or another known word", in->name, at,
                  word, name(0));
}

const char *ssi_cert_existence(int k) {
  return ss_existence_name((ss_existence)k);
}

ss_error ssi_cert_tristate(const ssi_json *in, const char *at, const json_t *value,
                           ss_tristate *out) {
  *out = json_is_true(value) ? SS_YES : json_is_false(value) ? SS_NO : SS_UNKNOWN;
  if (!value || json_is_null(value) || json_is_boolean(value)) return SS_OK;
  return ssi_fail(in->ctx, SS_ERR_FORMAT, "%s: %s: expected true, false or null", in->name, at);
}

ss_error ssi_cert_flag(const ssi_json *in, const char *at, const json_t *value, bool *out) {
  *out = json_is_true(value);
  if (!value || json_is_boolean(value)) return SS_OK;
  return ssi_fail(in->ctx, SS_ERR_FORMAT, "%s: %s: expected true or false", in->name, at);
}

ss_error ssi_cert_extended(const ssi_json *in, const char *at, const json_t *value,
                           double otherwise, double *out) {
  const char *text = json_string_value(value);
  *out = otherwise;
  if (!value || json_is_null(value)) return SS_OK;
  if (text && strcmp(text, "inf") == 0) return *out = INFINITY, SS_OK;
  if (text && strcmp(text, "-inf") == 0) return *out = -INFINITY, SS_OK;
  return ssi_json_number(in, at, value, out);
}

ss_error ssi_cert_vector(const ssi_json *in, const char *at, const json_t *value, int length,
                         const char *why, double **out) {
  *out = NULL;
  if (!value || json_is_null(value) || (json_is_array(value) && !json_array_size(value) && length))
    return SS_OK;
  return ssi_json_vector(in, at, value, &length, why, out);
}

ss_error ssi_cert_velocity(const ssi_cert_reading *r, const char *at, const json_t *value, int size,
                           const double **out) {
  double *x;
  const ss_problem *p = &r->f->problem;
  SS_TRY(ssi_cert_vector(r->in, at, value, size, "the size of a velocity", &x));
  if (x && p->form == SS_REDUCED && r->f->normals)
    ssi_frames_to_contact(p->dim, p->nc, r->f->normals, x);
  *out = x;
  return SS_OK;
}
