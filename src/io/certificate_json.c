// io/certificate_json.c - reading back what `stickslip certify --json` printed. Every key has its place: one
// that is not known is an error, since nobody would judge what it says.
#include "io/reader.h"

#include "base/error.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "certify/certificate_fields.h"
#include "io/certificate_values.h"
#include "io/frames.h"

// What says that a file is meant to be one, and no solution; all else is looked at by the reader.
bool ssi_json_has_certificate(const ssi_source *in) {
  return strstr(in->bytes, "\"verdict\"") || strstr(in->bytes, "\"criterion_A\"");
}

// ---- keys -----------------------------------------------------------------------------------

// All keys that there are. What is not a claim about the problem (command, file, path, iterations, time_s,
// notes, mu_range.steps, mu_range.complete) must be of its kind, and is believed; docs/formats-json.md
// clang-format off
static const char *const root_keys[] = {
    "command",     "version",    "status",         "file",          "dim",         "contacts",
    "dofs",        "bilateral",  "form",           "verdict",       "reason",      "criterion_A",
    "margin",      "attained",   "margin_exact",   "margin_bounds", "for_every_w", "a_prime",
    "path",        "iterations", "velocity",       "direction",     "jamming",     "limiting",
    "residuals",   "tolerance",  "rank_tolerance", "certificate",   "all_states",  "enumeration",
    "solution",    "indefinite", "check",          "time_s",        "mu_range",    "notes",
    "assumptions", "every_mu",   "for_every_mu",   "load",          NULL};
// clang-format on
static const char *const a_prime_keys[] = {"holds", "lambda", "multipliers", "velocity", NULL};
static const char *const mode_keys[] = {"contacts", "impulse", "multipliers", "work", NULL};
static const char *const residual_keys[] = {"primal", "dual", "cone", "gap", NULL};
static const char *const own_keys[] = {"verdict", "reason", NULL};
static const char *const enumeration_keys[] = {"count", "exact", "time_s", NULL};
static const char *const all_states_keys[] = {"cells", "reach", "time_s", NULL};
static const char *const solution_keys[] = {"r", "u", "v", "l", NULL};
static const char *const indefinite_keys[] = {"z", "value", NULL};
static const char *const load_keys[] = {
    "state",       "definite_verdict", "definite_reason", "pressure",
    "deformation", "multipliers",      "motion",          NULL};
static const char *const assumption_keys[] = {"4.1", "4.4", "4.6", "fixed_point", NULL};
static const char *const every_mu_keys[] = {"velocity",    "directions", "impulse",
                                            "multipliers", "fails_from", NULL};
static const char *const range_keys[] = {"from",  "to",       "holds_at", "fails_at",
                                         "steps", "complete", NULL};

// `value` must be absent, or an object with these keys only.
static ss_error check_all_keys(const ssi_json *in, const json_t *root) {
  static const struct {
    const char *key, *at;
    const char *const *known;
  } inside[] = {{"a_prime", "/a_prime", a_prime_keys},
                {"jamming", "/jamming", mode_keys},
                {"limiting", "/limiting", mode_keys},
                {"residuals", "/residuals", residual_keys},
                {"certificate", "/certificate", own_keys},
                {"enumeration", "/enumeration", enumeration_keys},
                {"all_states", "/all_states", all_states_keys},
                {"solution", "/solution", solution_keys},
                {"indefinite", "/indefinite", indefinite_keys},
                {"load", "/load", load_keys},
                {"every_mu", "/every_mu", every_mu_keys},
                {"assumptions", "/assumptions", assumption_keys},
                {"mu_range", "/mu_range", range_keys}};
  SS_TRY(ssi_cert_keys(in, "/", root, root_keys));
  for (size_t k = 0; k < sizeof inside / sizeof *inside; k++)
    SS_TRY(ssi_cert_keys(in, inside[k].at, json_object_get(root, inside[k].key), inside[k].known));
  return SS_OK;
}

// ---- values ---------------------------------------------------------------------------------

static const char *criterion(int k) {
  return ss_criterion_state_name((ss_criterion_state)k);
}
static const char *reason(int k) {
  return ss_existence_reason_name((ss_existence_reason)k);
}

// Those that certify takes; absent: `otherwise`.
static ss_error read_tolerance(const ssi_json *in, const char *at, const json_t *value,
                               double otherwise, double *out) {
  SS_TRY(ssi_cert_extended(in, at, value, otherwise, out));
  if (*out >= 0 && *out <= 0.1) return SS_OK;  // what 0 proves is nothing
  return ssi_fail(in->ctx, SS_ERR_FORMAT, "%s: %s: found %g, expected a number in 0 .. 0.1",
                  in->name, at, *out);
}

// The numbers of the jamming contacts; the check looks at what they are.
static ss_error read_contacts(const ssi_cert_reading *r, const char *key, const json_t *value,
                              ss_certificate *c) {
  size_t count = json_array_size(value), k;
  const json_t *one;
  if (!json_is_array(value) || count > (size_t)r->f->problem.nc)
    return ssi_fail(r->in->ctx, SS_ERR_FORMAT,
                    "%s: /%s/contacts: expected an array of at most %d contact numbers",
                    r->in->name, key, r->f->problem.nc);
  int *contact = SSI_TAKE(r->in->arena, count + 1, int);
  if (!contact) return ssi_fail(r->in->ctx, SS_ERR_MEMORY, "%s: out of memory", r->in->name);
  json_array_foreach(value, k, one) {
    double number = -1;
    char at[60];
    snprintf(at, sizeof at, "/%s/contacts/%zu", key, k);
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

// Without impulses there is nothing that contacts, multipliers or a work could be of.
static ss_error check_empty_mode(const ssi_cert_reading *r, const char *key, const json_t *mode,
                                 const double *l) {
  const json_t *contacts = json_object_get(mode, "contacts"), *work = json_object_get(mode, "work");
  bool listed = contacts && !(json_is_array(contacts) && !json_array_size(contacts));
  const char *extra = listed                        ? "contacts"
                      : work && !json_is_null(work) ? "work"
                      : l                           ? "multipliers"
                                                    : NULL;
  if (!extra) return SS_OK;
  return ssi_fail(r->in->ctx, SS_ERR_FORMAT, "%s: .%s.%s: expected none without an impulse",
                  r->in->name, key, extra);
}

static ss_error read_mode(const ssi_cert_reading *r, const char *key, const json_t *mode,
                          ss_certificate *c) {
  char at[60];
  double *impulse, *l;
  const ss_problem *p = &r->f->problem;
  if (!mode || json_is_null(mode) || !p->nc) return SS_OK;
  snprintf(at, sizeof at, "/%s/impulse", key);
  SS_TRY(ssi_cert_vector(r->in, at, json_object_get(mode, "impulse"), r->m, SSI_CERT_CONTACT_ROWS,
                         &impulse));
  snprintf(at, sizeof at, "/%s/multipliers", key);
  SS_TRY(
      ssi_cert_vector(r->in, at, json_object_get(mode, "multipliers"), p->nl, SSI_CERT_JOINTS, &l));
  if (!impulse) return check_empty_mode(r, key, mode, l);
  if (r->f->normals) ssi_frames_to_contact(p->dim, p->nc, r->f->normals, impulse);
  r->said->jams = strcmp(key, "jamming") == 0 ? SS_YES : SS_NO;
  c->impulse = impulse;
  c->impulse_l = l;
  snprintf(at, sizeof at, "/%s/work", key);
  SS_TRY(ssi_cert_extended(r->in, at, json_object_get(mode, "work"), NAN, &c->work));
  return read_contacts(r, key, json_object_get(mode, "contacts"), c);
}

static ss_error read_a_prime(const ssi_cert_reading *r, const json_t *a, ss_certificate *c) {
  double *lambda, *l;
  const ss_problem *p = &r->f->problem;
  SS_TRY(ssi_cert_tristate(r->in, "/a_prime/holds", json_object_get(a, "holds"), &c->a_prime));
  SS_TRY(ssi_cert_vector(r->in, "/a_prime/lambda", json_object_get(a, "lambda"), p->nc,
                         "the contacts", &lambda));
  SS_TRY(ssi_cert_vector(r->in, "/a_prime/multipliers", json_object_get(a, "multipliers"), p->nl,
                         SSI_CERT_JOINTS, &l));
  c->lambda = p->nc ? lambda : NULL;
  c->lambda_l = p->nl ? l : NULL;
  return ssi_cert_velocity(r, "/a_prime/velocity", json_object_get(a, "velocity"), c->velocity_size,
                           &c->parting);
}

// true or false; absent: false
// [low, high], each a number, "inf", "-inf" or null: nothing is said
static ss_error read_bounds(const ssi_json *in, const json_t *value, ss_certificate *c) {
  if (!value) return SS_OK;
  if (!json_is_array(value) || json_array_size(value) != 2)
    return ssi_fail(in->ctx, SS_ERR_FORMAT, "%s: /margin_bounds: expected [low, high]", in->name);
  SS_TRY(ssi_cert_extended(in, "/margin_bounds/0", json_array_get(value, 0), -INFINITY,
                           &c->margin_low));
  return ssi_cert_extended(in, "/margin_bounds/1", json_array_get(value, 1), INFINITY,
                           &c->margin_high);
}

static ss_error read_claims(const ssi_cert_reading *r, const json_t *root, ss_certificate *c) {
  const ssi_json *in = r->in;
  int word = SS_CRITERION_UNDECIDED;
  const json_t *own = json_object_get(root, "certificate");  // where enumeration settled the rest
  const json_t *claim = own ? own : root;
  if (json_object_get(root, "criterion_A"))
    SS_TRY(ssi_cert_word(in, root, "criterion_A", 4, criterion, &word));
  c->criterion_A = (ss_criterion_state)word;
  SS_TRY(ssi_cert_word(in, claim, "verdict", 3, ssi_cert_existence, &word));
  c->verdict = (ss_existence)word;
  SS_TRY(ssi_cert_word(in, claim, "reason", SS_REASONS, reason, &word));
  c->reason = (ss_existence_reason)word;
  SS_TRY(ssi_cert_extended(in, "/margin", json_object_get(root, "margin"), NAN, &c->margin));
  SS_TRY(
      ssi_cert_flag(in, "/margin_exact", json_object_get(root, "margin_exact"), &c->margin_exact));
  SS_TRY(read_bounds(in, json_object_get(root, "margin_bounds"), c));
  SS_TRY(ssi_cert_tristate(in, "/attained", json_object_get(root, "attained"), &c->attained));
  SS_TRY(
      ssi_cert_tristate(in, "/for_every_w", json_object_get(root, "for_every_w"), &c->for_every_w));
  SS_TRY(read_tolerance(in, "/tolerance", json_object_get(root, "tolerance"), 1e-9, &c->tol));
  return read_tolerance(in, "/rank_tolerance", json_object_get(root, "rank_tolerance"), 1e-6,
                        &c->rank_tol);
}

static ss_error read_residuals(const ssi_json *in, const json_t *object, ss_certificate *c) {
  double *const to[] = {&c->residuals.primal, &c->residuals.dual, &c->residuals.cone,
                        &c->residuals.gap};
  for (int k = 0; k < 4; k++) {
    char at[40];
    snprintf(at, sizeof at, "/residuals/%s", residual_keys[k]);
    SS_TRY(ssi_cert_extended(in, at, json_object_get(object, residual_keys[k]), NAN, to[k]));
  }
  return SS_OK;
}

static const char *load_state(int k) {
  static const char *const names[] = {"held", "driven", "open"};
  return names[k];
}

static ss_error read_load(const ssi_cert_reading *r, const json_t *o, ss_certificate *c) {
  const ssi_json *in = r->in;
  const ss_problem *p = &r->f->problem;
  int word = 0, n = p->form == SS_GLOBAL ? p->ndof : 0;
  double *a, *lambda, *l, *d;
  ss_load_evidence *to = SSI_TAKE(in->arena, 1, ss_load_evidence);
  if (!o) return SS_OK;
  if (!to) return ssi_json_no_memory(in);
  SS_TRY(ssi_cert_word(in, o, "definite_verdict", 3, ssi_cert_existence, &word));
  to->definite_verdict = (ss_existence)word;
  SS_TRY(ssi_cert_word(in, o, "definite_reason", SS_REASONS, reason, &word));
  to->definite_reason = (ss_existence_reason)word;
  SS_TRY(ssi_cert_vector(in, "/load/deformation", json_object_get(o, "deformation"), n, "the dofs",
                         &a));
  SS_TRY(ssi_cert_vector(in, "/load/pressure", json_object_get(o, "pressure"), p->nc,
                         "the contacts", &lambda));
  SS_TRY(ssi_cert_vector(in, "/load/multipliers", json_object_get(o, "multipliers"), p->nl,
                         SSI_CERT_JOINTS, &l));
  SS_TRY(ssi_cert_vector(in, "/load/motion", json_object_get(o, "motion"), n, "the dofs", &d));
  to->deformation = a, to->pressure = lambda, to->pressure_l = l, to->motion = d;
  SS_TRY(ssi_cert_word(in, o, "state", 3, load_state, &word));
  if (word != (a || lambda ? 0 : d ? 1 : 2))
    return ssi_fail(in->ctx, SS_ERR_FORMAT,
                    "%s: /load/state: is not that of the evidence beside it", in->name);
  c->load = to;
  return SS_OK;
}

static ss_error read_other_evidence(const ssi_cert_reading *r, const json_t *root,
                                    ss_certificate *c) {
  const ssi_json *in = r->in;
  const json_t *solution = json_object_get(root, "solution"),
               *indefinite = json_object_get(root, "indefinite");
  if (solution) {
    ss_solution *to = SSI_TAKE(in->arena, 1, ss_solution);
    if (!to) return ssi_json_no_memory(in);
    SS_TRY(ssi_json_solution(in, "/solution", solution, r->f, r->f->normals, to));
    if (!to->r)
      return ssi_fail(in->ctx, SS_ERR_FORMAT, "%s: /solution: found no r, expected one", in->name);
    c->solution = to;
  }
  SS_TRY(read_load(r, json_object_get(root, "load"), c));
  if (!indefinite) return SS_OK;
  SS_TRY(ssi_cert_velocity(r, "/indefinite/z", json_object_get(indefinite, "z"), c->velocity_size,
                           &c->indefinite));
  if (!c->indefinite)
    return ssi_fail(in->ctx, SS_ERR_FORMAT, "%s: /indefinite: found no z, expected one", in->name);
  return ssi_json_number(in, "/indefinite/value", json_object_get(indefinite, "value"),
                         &c->indefinite_value);
}

static ss_error read_certificate(const ssi_cert_reading *r, const json_t *root, ss_certificate *c) {
  const ss_problem *p = &r->f->problem;
  *c = (ss_certificate){.path = "file", .margin_low = -INFINITY, .margin_high = INFINITY};
  c->velocity_size = p->form == SS_GLOBAL ? p->ndof : r->m + p->nl;
  SS_TRY(read_claims(r, root, c));
  SS_TRY(read_residuals(r->in, json_object_get(root, "residuals"), c));
  SS_TRY(ssi_cert_velocity(r, "/velocity", json_object_get(root, "velocity"), c->velocity_size,
                           &c->velocity));
  SS_TRY(ssi_cert_velocity(r, "/direction", json_object_get(root, "direction"), c->velocity_size,
                           &c->direction));
  SS_TRY(read_mode(r, "limiting", json_object_get(root, "limiting"), c));
  bool limiting = c->impulse;
  SS_TRY(read_mode(r, "jamming", json_object_get(root, "jamming"), c));
  if (limiting && r->said->jams == SS_YES)
    return ssi_fail(r->in->ctx, SS_ERR_FORMAT,
                    "%s: /limiting: expected no impulses beside those of /jamming", r->in->name);
  SS_TRY(read_a_prime(r, json_object_get(root, "a_prime"), c));
  return read_other_evidence(r, root, c);
}

ss_error ssi_read_json_certificate(ss_context *ctx, const ssi_source *in, const ss_file *problem,
                                   ssi_arena *arena, ss_solution_file *out) {
  ssi_json j = {ctx, in->name, arena};
  ss_certificate *c = SSI_TAKE(arena, 1, ss_certificate);
  ss_certificate_said *said = SSI_TAKE(arena, 1, ss_certificate_said);
  json_t *root;
  if (!c || !said) return ssi_fail(ctx, SS_ERR_MEMORY, "%s: no memory to read it", in->name);
  ssi_cert_reading r = {&j, problem, problem->problem.dim * problem->problem.nc, said};
  *said = (ss_certificate_said){.jams = SS_UNKNOWN, .count = -1, .exact = SS_UNKNOWN};
  SS_TRY(ssi_json_parse(&j, in, &root));
  ss_error e = check_all_keys(&j, root);
  if (!e) e = ssi_cert_read_said(&r, root);
  if (!e) e = read_certificate(&r, root, c);
  if (!e) e = ssi_cert_read_every_mu(&r, root);
  out->certificate = c;
  out->said = said;
  json_decref(root);
  return e;
}
