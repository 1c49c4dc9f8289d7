// io/certificate_said.c - what stands beside the certificate in the file of `certify --json`: sizes, who settled the
// verdict, the check, assumptions, every mu, a range of mu.
#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "certify/certificate_fields.h"
#include "io/certificate_values.h"
#include "io/frames.h"

static ss_error read_size(const ssi_json *in, const json_t *root, const char *key, int *out) {
  char at[40];
  const json_t *value = json_object_get(root, key);
  *out = -1;
  snprintf(at, sizeof at, "/%s", key);
  return !value || json_is_null(value) ? SS_OK : ssi_json_count(in, at, value, 0, INT_MAX, out);
}

static const char *form_name(int k) {
  return k == SS_GLOBAL ? "global" : "local";
}

static ss_error read_sizes(const ssi_json *in, const json_t *root, ss_certificate_said *s) {
  SS_TRY(read_size(in, root, "dim", &s->dim));
  SS_TRY(read_size(in, root, "contacts", &s->contacts));
  SS_TRY(read_size(in, root, "dofs", &s->dofs));
  SS_TRY(read_size(in, root, "bilateral", &s->bilateral));
  s->form = -1;
  return json_object_get(root, "form") ? ssi_cert_word(in, root, "form", 2, form_name, &s->form)
                                       : SS_OK;
}

// {verdict, reason} of the root are then those of the enumeration, or of trying all states.
static ss_error read_settled(const ssi_json *in, const json_t *root, ss_certificate_said *s) {
  const json_t *found = json_object_get(root, "enumeration");
  const json_t *states = json_object_get(root, "all_states");
  const char *why = NULL;
  int word = 0;
  s->settled = json_object_get(root, "certificate");
  s->count = s->cells = -1;
  s->exact = SS_UNKNOWN;
  s->reach = NAN;
  if (s->settled != (found || states) || (found && states))
    return ssi_fail(
        in->ctx, SS_ERR_FORMAT,
        "%s: /%s: expected /certificate and one of /enumeration and /all_states together", in->name,
        found    ? "enumeration"
        : states ? "all_states"
                 : "certificate");
  if (!s->settled) return SS_OK;
  SS_TRY(ssi_cert_word(in, root, "verdict", 3, ssi_cert_existence, &word));
  s->verdict = (ss_existence)word;
  SS_TRY(ssi_json_text(in, "/reason", json_object_get(root, "reason"), &why));
  s->by_enumeration = found && strcmp(why, "enumeration") == 0;
  s->by_all_states = states && strcmp(why, "all_states") == 0;
  if (states) {
    SS_TRY(read_size(in, states, "cells", &s->cells));
    return ssi_cert_extended(in, "/all_states/reach", json_object_get(states, "reach"), NAN,
                             &s->reach);
  }
  SS_TRY(read_size(in, found, "count", &s->count));
  return ssi_cert_tristate(in, "/enumeration/exact", json_object_get(found, "exact"), &s->exact);
}

static ss_error read_check(const ssi_json *in, json_t *object, ss_certificate_report *out) {
  const char *key;
  json_t *value;
  const char *known[40] = {0};
  ssi_report_clear(out);
  if (!object) return SS_OK;
  for (int k = 0; ssi_report_fields[k].name; k++) known[k] = ssi_report_fields[k].name;
  SS_TRY(ssi_cert_keys(in, "/check", object, known));
  json_object_foreach(object, key, value) {
    const ssi_report_field *f = ssi_report_fields;
    char at[60];
    while (strcmp(f->name, key) != 0) f++;
    snprintf(at, sizeof at, "/check/%s", key);
    void *to = (char *)out + f->offset;
    if (f->kind == SSI_REPORT_CONTACT)
      SS_TRY(ssi_json_count(in, at, value, -1, INT_MAX, to));
    else
      SS_TRY(ssi_cert_extended(in, at, value, NAN, to));
  }
  return SS_OK;
}

static ss_error read_mu_range(const ssi_json *in, const json_t *o, ss_certificate_said *s) {
  bool flag;
  int steps;
  s->mu_range = o;
  SS_TRY(ssi_cert_extended(in, "/mu_range/from", json_object_get(o, "from"), NAN, &s->mu_from));
  SS_TRY(ssi_cert_extended(in, "/mu_range/to", json_object_get(o, "to"), NAN, &s->mu_to));
  SS_TRY(ssi_cert_extended(in, "/mu_range/holds_at", json_object_get(o, "holds_at"), NAN,
                           &s->holds_at));
  SS_TRY(ssi_cert_extended(in, "/mu_range/fails_at", json_object_get(o, "fails_at"), NAN,
                           &s->fails_at));
  SS_TRY(ssi_cert_flag(in, "/mu_range/complete", json_object_get(o, "complete"), &flag));
  return o ? read_size(in, o, "steps", &steps) : SS_OK;
}

static const char *fixed_point(int i) {
  return ss_fixed_point_name((ss_fixed_point)i);
}

static ss_error read_assumptions(const ssi_json *in, const json_t *o, ss_certificate_said *s) {
  ss_assumptions *a = &s->assumptions;
  int word = SS_FIXED_POINT_UNKNOWN;
  if (!o) return SS_OK;
  s->assumed = true;
  SS_TRY(ssi_cert_tristate(in, "/assumptions/4.1", json_object_get(o, "4.1"), &a->open));
  SS_TRY(ssi_cert_tristate(in, "/assumptions/4.4", json_object_get(o, "4.4"), &a->kinematic));
  SS_TRY(ssi_cert_tristate(in, "/assumptions/4.6", json_object_get(o, "4.6"), &a->closed));
  SS_TRY(ssi_cert_word(in, o, "fixed_point", 3, fixed_point, &word));
  a->fixed_point = (ss_fixed_point)word;
  return SS_OK;
}

static ss_error read_directions(const ssi_cert_reading *r, const json_t *list, ss_every_mu *e) {
  size_t count = json_array_size(list), size = (size_t)e->velocity_size;
  if (list && !json_is_array(list))
    return ssi_fail(r->in->ctx, SS_ERR_FORMAT, "%s: /every_mu/directions: expected a list",
                    r->in->name);
  if (count > (size_t)r->f->problem.nc)
    return ssi_fail(r->in->ctx, SS_ERR_FORMAT,
                    "%s: /every_mu/directions: found %zu, expected at most one for each contact",
                    r->in->name, count);
  double *all = SSI_TAKE(r->in->arena, count * size, double);
  if (count > 0 && size > 0 && !all) return ssi_json_no_memory(r->in);
  for (size_t k = 0; k < count; k++) {
    const double *one;
    char at[60];
    snprintf(at, sizeof at, "/every_mu/directions/%zu", k);
    SS_TRY(ssi_cert_velocity(r, at, json_array_get(list, k), e->velocity_size, &one));
    if (one) memcpy(all + k * size, one, sizeof *all * size);
  }
  e->direction_count = (int)count;
  e->directions = all;
  return SS_OK;
}

ss_error ssi_cert_read_every_mu(const ssi_cert_reading *r, const json_t *root) {
  ss_every_mu *e = &r->said->every_mu;
  const ss_problem *p = &r->f->problem;
  const json_t *o = json_object_get(root, "every_mu");
  double *impulse, *l;
  SS_TRY(
      ssi_cert_tristate(r->in, "/for_every_mu", json_object_get(root, "for_every_mu"), &e->holds));
  e->velocity_size = p->form == SS_GLOBAL ? p->ndof : r->m + p->nl;
  SS_TRY(ssi_cert_velocity(r, "/every_mu/velocity", json_object_get(o, "velocity"),
                           e->velocity_size, &e->velocity));
  SS_TRY(read_directions(r, json_object_get(o, "directions"), e));
  SS_TRY(ssi_cert_extended(r->in, "/every_mu/fails_from", json_object_get(o, "fails_from"), NAN,
                           &e->fails_from));
  SS_TRY(ssi_cert_vector(r->in, "/every_mu/impulse", json_object_get(o, "impulse"), r->m,
                         SSI_CERT_CONTACT_ROWS, &impulse));
  SS_TRY(ssi_cert_vector(r->in, "/every_mu/multipliers", json_object_get(o, "multipliers"), p->nl,
                         SSI_CERT_JOINTS, &l));
  if (impulse && r->f->normals) ssi_frames_to_contact(p->dim, p->nc, r->f->normals, impulse);
  e->impulse = r->m ? impulse : NULL;  // without contacts [] is all of it, and evidence of nothing
  e->impulse_l = p->nl ? l : NULL;
  return SS_OK;
}

// What is not a claim: only its kind.
static ss_error check_remarks(const ssi_json *in, const json_t *root) {
  static const char *const texts[] = {"command", "version", "status", "file", "path"};
  const json_t *notes = json_object_get(root, "notes"), *value;
  double number;
  int count;
  for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
    char at[40];
    const char *text = NULL;  // null: not said
    value = json_object_get(root, texts[k]);
    snprintf(at, sizeof at, "/%s", texts[k]);
    if (value && !json_is_null(value)) SS_TRY(ssi_json_text(in, at, value, &text));
    if (k == 0 && text && strcmp(text, "certify") != 0)
      return ssi_fail(in->ctx, SS_ERR_FORMAT, "%s: /command: found \"%.40s\", expected \"certify\"",
                      in->name, text);
  }
  SS_TRY(read_size(in, root, "iterations", &count));
  SS_TRY(ssi_cert_extended(in, "/time_s", json_object_get(root, "time_s"), NAN, &number));
  value = json_object_get(json_object_get(root, "enumeration"), "time_s");
  SS_TRY(ssi_cert_extended(in, "/enumeration/time_s", value, NAN, &number));
  value = json_object_get(json_object_get(root, "all_states"), "time_s");
  SS_TRY(ssi_cert_extended(in, "/all_states/time_s", value, NAN, &number));
  if (!notes || json_is_array(notes)) return SS_OK;
  return ssi_fail(in->ctx, SS_ERR_FORMAT, "%s: /notes: expected an array", in->name);
}

ss_error ssi_cert_read_said(const ssi_cert_reading *r, json_t *root) {
  SS_TRY(check_remarks(r->in, root));
  SS_TRY(read_sizes(r->in, root, r->said));
  SS_TRY(read_settled(r->in, root, r->said));
  SS_TRY(read_check(r->in, json_object_get(root, "check"), &r->said->check));
  SS_TRY(read_assumptions(r->in, json_object_get(root, "assumptions"), r->said));
  return read_mu_range(r->in, json_object_get(root, "mu_range"), r->said);
}
