// io/certificate_json.c - reading back what `stickslip certify --json` printed. The fields are those of
// docs/cli.md; what is not evidence or a claim (time_s, notes, ...) is ignored.
#include "io/reader.h"

#include "base/error.h"

#ifdef SS_WITH_JANSSON

#include <math.h>
#include <string.h>

#include "io/frames.h"
#include "io/json_value.h"

bool ssi_json_has_certificate(const ssi_source *in) {
  return strstr(in->bytes, "\"criterion_A\"") && strstr(in->bytes, "\"verdict\"");
}

// One of `count` words, from name(0) on.
static ss_error read_word(const ssi_json *in, const json_t *root, const char *key, int count,
                          const char *(*name)(int), int *out) {
  const char *word = NULL;
  char at[40];
  snprintf(at, sizeof at, ".%s", key);
  SS_TRY(ssi_json_text(in, at, json_object_get(root, key), &word));
  for (int k = 0; k < count; k++)
    if (strcmp(word, name(k)) == 0) return *out = k, SS_OK;
  return ssi_fail(in->ctx, SS_ERR_FORMAT,
                  "%s: %s: found \"%.40s\", expected \"%s\" or another known word", in->name, at,
                  word, name(0));
}

static const char *existence(int k) {
  return ss_existence_name((ss_existence)k);
}
static const char *criterion(int k) {
  return ss_criterion_state_name((ss_criterion_state)k);
}
static const char *reason(int k) {
  return ss_existence_reason_name((ss_existence_reason)k);
}

// true, false, or null and absent
static ss_error read_tristate(const ssi_json *in, const char *at, const json_t *value,
                              ss_tristate *out) {
  *out = json_is_true(value) ? SS_YES : json_is_false(value) ? SS_NO : SS_UNKNOWN;
  if (!value || json_is_null(value) || json_is_boolean(value)) return SS_OK;
  return ssi_fail(in->ctx, SS_ERR_FORMAT, "%s: %s: expected true, false or null", in->name, at);
}

// A number, "inf" or "-inf"; null and absent give `otherwise`.
static ss_error read_extended(const ssi_json *in, const char *at, const json_t *value,
                              double otherwise, double *out) {
  const char *text = json_string_value(value);
  *out = otherwise;
  if (!value || json_is_null(value)) return SS_OK;
  if (text && strcmp(text, "inf") == 0) return *out = INFINITY, SS_OK;
  if (text && strcmp(text, "-inf") == 0) return *out = -INFINITY, SS_OK;
  return ssi_json_number(in, at, value, out);
}

// Those that certify takes; absent: `otherwise`.
static ss_error read_tolerance(const ssi_json *in, const char *at, const json_t *value,
                               double otherwise, double *out) {
  SS_TRY(read_extended(in, at, value, otherwise, out));
  if (*out >= 0 && *out <= 0.1) return SS_OK;
  return ssi_fail(in->ctx, SS_ERR_FORMAT, "%s: %s: found %g, expected a number in 0 .. 0.1",
                  in->name, at, *out);
}

// A vector of `length`; absent, null and empty ones stay NULL.
static ss_error read_vector(const ssi_json *in, const char *at, const json_t *value, int length,
                            const char *why, double **out) {
  *out = NULL;
  if (!value || json_is_null(value) || (json_is_array(value) && !json_array_size(value) && length))
    return SS_OK;
  return ssi_json_vector(in, at, value, &length, why, out);
}

static const char CONTACT_ROWS[] = "dim times the number of contacts";
static const char JOINTS[] = "the bilateral constraints";

typedef struct reading {
  const ssi_json *in;
  const ss_file *f;
  int m;
} reading;

// v, or z of the reduced form, whose first part is in the axes of the contacts
static ss_error read_velocity(const reading *r, const char *at, const json_t *value, int size,
                              const double **out) {
  double *x;
  const ss_problem *p = &r->f->problem;
  SS_TRY(read_vector(r->in, at, value, size, "the size of a velocity", &x));
  if (x && p->form == SS_REDUCED && r->f->normals)
    ssi_frames_to_contact(p->dim, p->nc, r->f->normals, x);
  *out = x;
  return SS_OK;
}

// The numbers of the jamming contacts; the check looks at what they are.
static ss_error read_contacts(const reading *r, const char *key, const json_t *value,
                              ss_certificate *c) {
  size_t count = json_array_size(value), k;
  const json_t *one;
  if (!json_is_array(value) || count > (size_t)r->f->problem.nc)
    return ssi_fail(r->in->ctx, SS_ERR_FORMAT,
                    "%s: .%s.contacts: expected an array of at most %d contact numbers",
                    r->in->name, key, r->f->problem.nc);
  int *contact = SSI_TAKE(r->in->arena, count + 1, int);
  if (!contact) return ssi_fail(r->in->ctx, SS_ERR_MEMORY, "%s: out of memory", r->in->name);
  json_array_foreach(value, k, one) {
    double number = -1;
    char at[60];
    snprintf(at, sizeof at, ".%s.contacts[%zu]", key, k);
    SS_TRY(ssi_json_number(r->in, at, one, &number));
    if (!(number >= 0 && number < r->f->problem.nc && number == floor(number)))
      return ssi_fail(r->in->ctx, SS_ERR_FORMAT,
                      "%s: %s: found %g, expected the number of a contact, 0 .. %d", r->in->name,
                      at, number, r->f->problem.nc - 1);
    contact[k] = (int)number;
  }
  c->jamming = contact;
  c->jamming_count = (int)count;
  return SS_OK;
}

static ss_error read_mode(const reading *r, const char *key, const json_t *mode,
                          ss_certificate *c) {
  char at[60];
  double *impulse, *l;
  const ss_problem *p = &r->f->problem;
  if (!mode || json_is_null(mode) || !p->nc) return SS_OK;
  snprintf(at, sizeof at, ".%s.impulse", key);
  SS_TRY(read_vector(r->in, at, json_object_get(mode, "impulse"), r->m, CONTACT_ROWS, &impulse));
  snprintf(at, sizeof at, ".%s.multipliers", key);
  SS_TRY(read_vector(r->in, at, json_object_get(mode, "multipliers"), p->nl, JOINTS, &l));
  if (!impulse) return SS_OK;
  if (r->f->normals) ssi_frames_to_contact(p->dim, p->nc, r->f->normals, impulse);
  c->impulse = impulse;
  c->impulse_l = l;
  snprintf(at, sizeof at, ".%s.work", key);
  SS_TRY(read_extended(r->in, at, json_object_get(mode, "work"), NAN, &c->work));
  return read_contacts(r, key, json_object_get(mode, "contacts"), c);
}

static ss_error read_a_prime(const reading *r, const json_t *a, ss_certificate *c) {
  double *lambda, *l;
  const ss_problem *p = &r->f->problem;
  SS_TRY(read_tristate(r->in, ".a_prime.holds", json_object_get(a, "holds"), &c->a_prime));
  SS_TRY(read_vector(r->in, ".a_prime.lambda", json_object_get(a, "lambda"), p->nc, "the contacts",
                     &lambda));
  SS_TRY(read_vector(r->in, ".a_prime.multipliers", json_object_get(a, "multipliers"), p->nl,
                     JOINTS, &l));
  c->lambda = p->nc ? lambda : NULL;
  c->lambda_l = p->nl ? l : NULL;
  return read_velocity(r, ".a_prime.velocity", json_object_get(a, "velocity"), c->velocity_size,
                       &c->parting);
}

static ss_error read_claims(const reading *r, const json_t *root, ss_certificate *c) {
  const ssi_json *in = r->in;
  int word = 0;
  const json_t *own = json_object_get(root, "certificate");  // where enumeration settled the rest
  const json_t *claim = json_is_object(own) ? own : root;
  SS_TRY(read_word(in, claim, "verdict", 3, existence, &word));
  c->verdict = (ss_existence)word;
  SS_TRY(read_word(in, root, "criterion_A", 4, criterion, &word));
  c->criterion_A = (ss_criterion_state)word;
  SS_TRY(read_word(in, claim, "reason", SS_REASONS, reason, &word));
  c->reason = (ss_existence_reason)word;
  SS_TRY(read_extended(in, ".margin", json_object_get(root, "margin"), -INFINITY, &c->margin));
  c->margin_exact = json_is_true(json_object_get(root, "margin_exact"));
  SS_TRY(read_tristate(in, ".attained", json_object_get(root, "attained"), &c->attained));
  SS_TRY(read_tristate(in, ".for_every_w", json_object_get(root, "for_every_w"), &c->for_every_w));
  SS_TRY(read_tolerance(in, ".tolerance", json_object_get(root, "tolerance"), 1e-9, &c->tol));
  return read_tolerance(in, ".rank_tolerance", json_object_get(root, "rank_tolerance"), 1e-6,
                        &c->rank_tol);
}

static ss_error read_certificate(const reading *r, const json_t *root, ss_certificate *c) {
  const ss_problem *p = &r->f->problem;
  *c = (ss_certificate){.path = "file", .margin_low = -INFINITY, .margin_high = INFINITY};
  c->velocity_size = p->form == SS_GLOBAL ? p->ndof : r->m + p->nl;
  SS_TRY(read_claims(r, root, c));
  SS_TRY(read_velocity(r, ".velocity", json_object_get(root, "velocity"), c->velocity_size,
                       &c->velocity));
  SS_TRY(read_velocity(r, ".direction", json_object_get(root, "direction"), c->velocity_size,
                       &c->direction));
  SS_TRY(read_mode(r, "limiting", json_object_get(root, "limiting"), c));
  SS_TRY(read_mode(r, "jamming", json_object_get(root, "jamming"), c));
  return read_a_prime(r, json_object_get(root, "a_prime"), c);
}

ss_error ssi_read_json_certificate(ss_context *ctx, const ssi_source *in, const ss_file *problem,
                                   ssi_arena *arena, ss_solution_file *out) {
  ssi_json j = {ctx, in->name, arena};
  reading r = {&j, problem, problem->problem.dim * problem->problem.nc};
  ss_certificate *c = SSI_TAKE(arena, 1, ss_certificate);
  ss_existence *settled = SSI_TAKE(arena, 1, ss_existence);
  json_t *root;
  if (!c || !settled) return ssi_fail(ctx, SS_ERR_MEMORY, "%s: no memory to read it", in->name);
  SS_TRY(ssi_json_parse(&j, in, &root));
  ss_error e = read_certificate(&r, root, c);
  int word = 0;
  if (!e && json_is_object(json_object_get(root, "certificate"))) {
    e = read_word(&j, root, "verdict", 3, existence, &word);
    *settled = (ss_existence)word;
    out->settled = settled;
  }
  out->certificate = c;
  json_decref(root);
  return e;
}

#else

bool ssi_json_has_certificate(const ssi_source *in) {
  (void)in;
  return false;
}

ss_error ssi_read_json_certificate(ss_context *ctx, const ssi_source *in, const ss_file *problem,
                                   ssi_arena *arena, ss_solution_file *out) {
  (void)problem, (void)arena, (void)out;
  return ssi_fail(ctx, SS_ERR_UNSUPPORTED, "%s: is JSON; this build has no JSON (Jansson)",
                  in->name);
}

#endif
