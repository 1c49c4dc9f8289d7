// ss_certify: prepare, search, let the independent check judge the evidence, conclude from that alone.
#include "stickslip/certify.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/timer.h"
#include "certify/certificate_check.h"
#include "certify/definite.h"
#include "certify/join.h"
#include "certify/kinematics.h"
#include "certify/load_search.h"
#include "certify/raw_motion.h"
#include "certify/search.h"
#include "problem/check.h"

static const double EXACT_WORK = 4e12;  // flops of forty factorisations: minutes
static const double JAMS = 1e-7;  // of the largest normal impulse: a contact of the jamming mode
enum { POLISH = 2 };              // corrections of a velocity at rest

const char *ss_existence_name(ss_existence e) {
  static const char *const names[] = {"exists", "none", "undecided"};
  return (unsigned)e < 3 ? names[e] : "unknown";
}
const char *ss_criterion_state_name(ss_criterion_state c) {
  static const char *const names[] = {"robust", "boundary", "violated", "undecided"};
  return (unsigned)c < 4 ? names[c] : "unknown";
}

typedef struct reason_text {
  const char *word, *text;
} reason_text;
#define ENTRY(name, word, text) {word, text},
static const reason_text reasons[] = {SS_EXISTENCE_REASONS(ENTRY)};
#undef ENTRY
const char *ss_existence_reason_name(ss_existence_reason r) {
  return (size_t)r < sizeof reasons / sizeof *reasons ? reasons[r].word : "unknown";
}
const char *ss_existence_reason_text(ss_existence_reason r) {
  return (size_t)r < sizeof reasons / sizeof *reasons ? reasons[r].text : "unknown";
}

ss_certify_options ss_certify_options_default(void) {
  return (ss_certify_options){.tol = 1e-9, .rank_tol = 1e-6, .max_iter = 200};
}

static ss_error check_options(ss_context *ctx, const ss_certify_options *o) {
  if (!(o->tol > 0 && o->tol < 1))
    return ssi_fail(ctx, SS_ERR_ARGUMENT, "certify: tol is %g, expected > 0 and < 1", o->tol);
  if (!(o->rank_tol >= 0 && o->rank_tol < 1))
    return ssi_fail(ctx, SS_ERR_ARGUMENT, "certify: rank_tol is %g, expected >= 0 and < 1",
                    o->rank_tol);
  if (!(o->time_limit_s >= 0))
    return ssi_fail(ctx, SS_ERR_ARGUMENT, "certify: time limit is %g s, expected >= 0",
                    o->time_limit_s);
  if (o->max_iter < 1)
    return ssi_fail(ctx, SS_ERR_ARGUMENT, "certify: max_iter is %d, expected >= 1", o->max_iter);
  return SS_OK;
}

// ---- evidence in the user's terms ------------------------------------------------------------

typedef struct certify_work {
  ss_context *ctx;
  const ss_problem *p;
  const ss_certify_options *o;
  ssi_kinematics k;
  ssi_conic conic;
  ssi_search search;
  ssi_arena scratch;
  ssi_owned_certificate *out;
  ss_certificate_report report;
  double end_s;  // of the time (ssi_time_end)
  bool late;     // it came before all was asked
} certify_work;

// the user's v of x + b d; x NULL: of the direction d
static double *velocity_of(certify_work *j, const ssi_conic *c, const double *x, double b,
                           const double *d) {
  double *v = SSI_TAKE(&j->out->arena, j->k.size, double);
  double *kinematic = SSI_TAKE(&j->scratch, j->k.n, double);
  if (!v || !kinematic) return NULL;
  ssi_conic_velocity(c, x, b, d, kinematic);
  ssi_kinematics_velocity(&j->k, kinematic, !x, v);
  return v;
}

// Where nothing is left of u, v is as good as its own digits: what x lost on the way to v is found in u = H v + w of the raw
// data and taken off, x -= A^T y, the least squares of an orthonormal A.
static ss_error polish_rest(certify_work *j, const ssi_conic *c, double *v) {
  double *y = SSI_TAKE(&j->scratch, c->m, double), *x = SSI_TAKE(&j->scratch, c->n, double);
  double *kinematic = SSI_TAKE(&j->scratch, j->k.n, double);
  double *step = SSI_TAKE(&j->scratch, j->k.size, double);
  ssi_dd *u = SSI_TAKE(&j->scratch, c->m + j->p->nl, ssi_dd);
  if (j->scratch.failed) return SS_ERR_MEMORY;
  for (int pass = 0; pass < POLISH; pass++) {
    ssi_raw_motion(j->p, v, false, u);
    for (int i = 0; i < c->m; i++) y[i] = -c->row[i] * u[i].hi / c->unit;
    ssi_conic_multiply_transposed(c, y, x);
    ssi_conic_velocity(c, x, 0, NULL, kinematic);
    ssi_kinematics_velocity(&j->k, kinematic, true, step);
    for (int i = 0; i < j->k.size; i++) v[i] += step[i];
  }
  return SS_OK;
}

static ss_error write_velocity(certify_work *j, const ssi_conic *c, const ssi_finding *f) {
  ss_certificate *to = &j->out->c;
  // follow the direction until the margin is 1 unit, where there is one
  double along = f->infinite ? fmax(0, 1 - f->low) : 0;
  double *v = velocity_of(j, c, f->x, along, f->infinite ? f->d : NULL);
  to->velocity = v;
  if (v && f->rest && !f->infinite && c->basis) SS_TRY(polish_rest(j, c, v));
  if (f->infinite) to->direction = velocity_of(j, c, NULL, 1, f->d);
  return j->out->arena.failed || j->scratch.failed ? SS_ERR_MEMORY : SS_OK;
}

// r = row z, normalised to sum r_N = 1, with its contacts and its l
static ss_error write_jamming(certify_work *j, const ssi_conic *c, const ssi_finding *f) {
  ss_certificate *to = &j->out->c;
  ssi_arena *arena = &j->out->arena;
  double *r = SSI_TAKE(arena, c->m, double), sum = 0, most = 0;
  double *l = j->p->nl ? SSI_TAKE(arena, j->p->nl, double) : NULL;
  int *contacts = SSI_TAKE(arena, c->nc, int);
  if (arena->failed) return SS_ERR_MEMORY;
  for (int i = 0; i < c->m; i++) {
    r[i] = c->row[i] * f->z[i];
    if (i % c->dim == 0) sum += r[i], most = fmax(most, r[i]);
  }
  for (int i = 0; i < c->m; i++) r[i] /= sum;
  for (int i = 0; i < c->nc; i++)
    if (r[(int64_t)c->dim * i] > JAMS * most / sum) contacts[to->jamming_count++] = i;
  if (l) ssi_kinematics_multipliers(&j->k, r, l);
  to->impulse = r;
  to->impulse_l = l;
  to->jamming = contacts;
  return SS_OK;
}

static ss_error write_lambda(certify_work *j, const ssi_conic *c, const ssi_finding *f) {
  ssi_arena *arena = &j->out->arena;
  double *lambda = SSI_TAKE(arena, c->nc, double), sum = 0;
  double *l = j->p->nl ? SSI_TAKE(arena, j->p->nl, double) : NULL;
  double *r = SSI_TAKE(&j->scratch, c->m, double);
  if (arena->failed || j->scratch.failed) return SS_ERR_MEMORY;
  for (int i = 0; i < c->nc; i++) sum += f->z[(int64_t)c->dim * i];
  for (int i = 0; i < c->nc; i++) {
    lambda[i] = f->z[(int64_t)c->dim * i] / sum;
    r[(int64_t)c->dim * i] = lambda[i];
  }
  if (l) ssi_kinematics_multipliers(&j->k, r, l);
  j->out->c.lambda = lambda;
  j->out->c.lambda_l = l;
  return SS_OK;
}

// Whether W is in the class that the theorems are about.
static ss_error ask_class(certify_work *j) {
  const ss_problem *p = j->p;
  if (p->form == SS_GLOBAL) return SS_OK;
  double *z = SSI_TAKE(&j->out->arena, p->dim * p->nc + p->nl, double);
  ssi_class class;
  if (!z) return SS_ERR_MEMORY;
  SS_TRY(ssi_find_class(&j->scratch, p, j->o->rank_tol, &class, z));
  j->out->c.blurred = class == SSI_BLURRED;
  if (class == SSI_INDEFINITE) j->out->c.indefinite = z;
  return SS_OK;
}

// ---- the two questions -----------------------------------------------------------------------

static ssi_search new_search(const certify_work *j, const ssi_conic *c) {
  const ss_certify_options *o = j->o;
  return (ssi_search){.ctx = j->ctx,
                      .c = c,
                      .verdict_only = o->margin == SS_MARGIN_BOUND,
                      .tol = o->tol,
                      .far = 1e10,
                      .work_left = o->margin == SS_MARGIN_EXACT ? INFINITY : EXACT_WORK,
                      .max_iter = o->max_iter,
                      .progress = o->progress,
                      .user = o->user,
                      .end_s = j->end_s,
                      .unit = c->unit};
}

static ss_error ask_A(certify_work *j) {
  SS_TRY(ssi_conic_create(&j->scratch, j->p->dim, j->p->nc, j->p->mu, &j->k.H, j->k.w, &j->conic));
  j->search = new_search(j, &j->conic);
  ss_error e = ssi_search_run(&j->scratch, &j->search);
  const ssi_finding *f = &j->search.f;
  ss_certificate *c = &j->out->c;
  if (!e) e = write_velocity(j, &j->conic, f);
  if (!e && isfinite(f->high)) e = write_jamming(j, &j->conic, f);
  c->path = f->path;
  c->iterations = f->iterations;
  j->late = j->search.late;
  ssi_search_release(&j->search);
  return e;
}

// (A'), asked only where (A) was not shown.
static ss_error ask_A_prime(certify_work *j) {
  ssi_conic frictionless;
  SS_TRY(ssi_conic_create(&j->scratch, j->p->dim, j->p->nc, NULL, &j->k.H, j->k.w, &frictionless));
  ssi_search s = new_search(j, &frictionless);
  s.verdict_only = true;
  s.far = 1e7;  // this one is to be a proof
  ss_error e = ssi_search_run(&j->scratch, &s);
  if (!e && s.f.high < -s.tol) e = write_lambda(j, &frictionless, &s.f);
  if (!e && !j->out->c.lambda) {
    double along = s.f.infinite ? fmax(0, 1 - s.f.low) : 0;
    j->out->c.parting = velocity_of(j, &frictionless, s.f.x, along, s.f.infinite ? s.f.d : NULL);
    if (!j->out->c.parting) e = SS_ERR_MEMORY;
  }
  j->late = j->late || s.late;
  ssi_search_release(&s);
  return e;
}

// ---- one component ---------------------------------------------------------------------------

// Nothing can touch: the motion of the joints is all that is asked.
static ss_error without_contacts(certify_work *j) {
  ss_certificate *c = &j->out->c;
  double *none = SSI_TAKE(&j->scratch, j->k.n, double),
         *v = SSI_TAKE(&j->out->arena, j->k.size, double);
  if (!none || !v) return SS_ERR_MEMORY;
  ssi_kinematics_velocity(&j->k, none, false, v);
  *c = (ss_certificate){.verdict = SS_EXISTS,
                        .reason = SS_REASON_NO_CONTACTS,
                        .criterion_A = SS_CRITERION_ROBUST,
                        .margin = INFINITY,
                        .margin_low = INFINITY,
                        .margin_high = INFINITY,
                        .margin_exact = true,
                        .attained = SS_UNKNOWN,
                        .for_every_w = SS_YES,
                        .a_prime = SS_YES,
                        .path = "no_contacts",
                        .velocity_size = j->k.size,
                        .velocity = v,
                        .unit = 1,
                        .tol = c->tol,
                        .rank_tol = c->rank_tol};
  return SS_OK;
}

static ss_error contradictory(certify_work *j) {
  ss_certificate *c = &j->out->c;
  double *l = SSI_TAKE(&j->out->arena, j->p->nl, double);
  if (!l) return SS_ERR_MEMORY;
  memcpy(l, j->k.joints.contradiction, sizeof(double) * (size_t)j->p->nl);
  c->verdict = SS_NONE;
  c->reason = SS_REASON_BILATERAL;
  c->criterion_A = SS_CRITERION_UNDECIDED;
  c->margin = c->margin_low = c->margin_high = -INFINITY;
  c->attained = c->for_every_w = SS_UNKNOWN;
  c->a_prime = SS_NO;
  c->path = "bilateral";
  c->lambda_l = l;
  return SS_OK;
}

static void withdraw_all(ss_context *ctx, const ss_certificate_report *r, ss_certificate *c) {
  ssi_log(ctx, SS_LOG_WARN, "certify: nothing is concluded, since %s", r->failure);
  ssi_certificate_claim_nothing(c, SS_REASON_DATA);
  c->indefinite = NULL, c->indefinite_value = 0;
}

// Whatever was concluded above: what the check does not confirm is not said. The margin's value goes
// first, then everything.
static ss_error withdraw_unproved(certify_work *j) {
  ss_certificate *c = &j->out->c;
  ss_certificate_report r;
  SS_TRY(ssi_certificate_measure(j->ctx, j->p, c, &r));
  ssi_proved is = ssi_certificate_proves(j->p, c, &r);
  c->residuals = ssi_certificate_residuals(&r, &is);
  SS_TRY(ssi_certificate_check_definite(j->ctx, j->p, c, &r));
  if (r.holds) return SS_OK;
  if (isfinite(c->margin) && r.has_velocity) {
    c->margin = c->criterion_A == SS_CRITERION_VIOLATED ? r.margin_high : r.margin_low;
    c->margin_exact = false;
    c->attained = SS_UNKNOWN;
    SS_TRY(ssi_certificate_check_definite(j->ctx, j->p, c, &r));
    if (r.holds) return SS_OK;
  }
  withdraw_all(j->ctx, &r, c);
  return SS_OK;
}

// Of the components joined: what is true of each at the edge of the range of doubles may not be of all together.
static ss_error withdraw_joined(ss_context *ctx, const ss_problem *p, ss_certificate *c) {
  ss_certificate_report r;
  SS_TRY(ssi_certificate_check_definite(ctx, p, c, &r));
  if (!r.holds) withdraw_all(ctx, &r, c);
  return SS_OK;
}

// No time for anything: nothing is claimed.
static ss_error nothing_asked(certify_work *j) {
  ss_certificate *c = &j->out->c;
  ssi_certificate_claim_nothing(c, SS_REASON_TIME);
  c->path = "standstill";
  c->velocity_size = j->p->form == SS_GLOBAL ? j->p->ndof : j->p->dim * j->p->nc + j->p->nl;
  return SS_OK;
}

// W is not semi-definite: (A) would prove nothing, and only (A') is asked.
static ss_error outside_the_class(certify_work *j) {
  ss_certificate *c = &j->out->c;
  SS_TRY(nothing_asked(j));
  c->reason = SS_REASON_OUTSIDE;
  c->path = "indefinite";
  SS_TRY(ask_A_prime(j));
  SS_TRY(ssi_certificate_measure(j->ctx, j->p, c, &j->report));
  ssi_proved is = ssi_certificate_proves(j->p, c, &j->report);
  c->unit = j->report.unit;
  c->indefinite_value = j->report.indefinite;
  c->residuals = ssi_certificate_residuals(&j->report, &is);
  c->a_prime = is.none ? SS_NO : is.parting ? SS_YES : SS_UNKNOWN;
  if (is.none) c->verdict = SS_NONE, c->reason = SS_REASON_PENETRATION;
  return SS_OK;
}

static ss_error run(certify_work *j) {
  ss_certificate *c = &j->out->c;
  if (!ssi_time_affords(j->end_s, ssi_kinematics_flops(j->p))) return nothing_asked(j);
  SS_TRY(ssi_kinematics_create(&j->scratch, j->p, j->o->rank_tol, &j->k));
  c->velocity_size = j->k.size;
  if (j->k.joined && !j->k.joints.consistent) return contradictory(j);
  if (!j->p->nc) return without_contacts(j);
  SS_TRY(ask_class(j));
  if (c->indefinite) return outside_the_class(j);
  SS_TRY(ask_A(j));
  SS_TRY(ssi_certificate_measure(j->ctx, j->p, c, &j->report));
  if (!ssi_certificate_proves(j->p, c, &j->report).exists && !j->late) {
    SS_TRY(ask_A_prime(j));
    SS_TRY(ssi_certificate_measure(j->ctx, j->p, c, &j->report));
  }
  ssi_search_said said = {j->search.f.closed, j->search.f.rest, j->late};
  ssi_certificate_conclude(j->p, &j->report, &said, c);
  return SS_OK;
}

ssi_owned_certificate *ssi_certificate_create(ss_context *ctx, const ss_certify_options *o) {
  ssi_arena arena = {.ctx = ctx};
  ssi_owned_certificate *own = SSI_TAKE(&arena, 1, ssi_owned_certificate);
  if (!own) return NULL;
  own->arena = arena;
  own->c.tol = o->tol;
  own->c.rank_tol = o->rank_tol;
  own->c.unit = 1;
  return own;
}

ss_error ssi_certify_component(ss_context *ctx, const ss_problem *p, const ss_certify_options *o,
                               ss_certificate **out) {
  ssi_owned_certificate *own = ssi_certificate_create(ctx, o);
  if (!own) return SS_ERR_MEMORY;
  certify_work j = {.ctx = ctx, .p = p, .o = o, .scratch = {.ctx = ctx}, .out = own};
  j.end_s = ssi_time_end(o->time_limit_s);
  ss_error e = run(&j);
  if (!e) e = withdraw_unproved(&j);
  ssi_arena_release(&j.scratch);
  if (e)
    ss_certificate_destroy(&own->c);
  else
    *out = &own->c;
  return e;
}

// Each component by itself, then joined.
static ss_error certify_parts(ss_context *ctx, const ss_problem *p, const ssi_partition *x,
                              const ss_certify_options *o, ssi_arena *scratch,
                              ss_certificate **out) {
  ss_problem *cut = SSI_TAKE(scratch, x->count, ss_problem);
  ss_certificate **part = SSI_TAKE(scratch, x->count, ss_certificate *);
  ss_error e = scratch->failed ? SS_ERR_MEMORY : SS_OK;
  ss_certify_options rest = *o;
  double end = ssi_time_end(o->time_limit_s);
  for (int k = 0; k < x->count && !e; k++) {
    if (o->time_limit_s > 0) rest.time_limit_s = fmax(end - ssi_now_s(), 1e-9);
    e = ssi_cut(scratch, p, x, k, &cut[k]);
    if (!e) e = ssi_certify_component(ctx, &cut[k], &rest, &part[k]);
  }
  if (!e) e = ssi_certificates_join(ctx, p, x, cut, part, o, out);
  for (int k = 0; part && k < x->count; k++) ss_certificate_destroy(part[k]);
  if (!e && (e = withdraw_joined(ctx, p, *out))) ss_certificate_destroy(*out), *out = NULL;
  return e;
}

ss_error ss_certify(ss_context *ctx, const ss_problem *p, const ss_certify_options *options,
                    ss_certificate **out) {
  if (out) *out = NULL;
  if (!p || !out)
    return ssi_fail(ctx, SS_ERR_ARGUMENT, "a problem and a place for the certificate are needed");
  ss_certify_options o = options ? *options : ss_certify_options_default();
  SS_TRY(check_options(ctx, &o));
  SS_TRY(ssi_problem_check_structure(ctx, p));
  double start = ssi_now_s();
  ssi_arena scratch = {.ctx = ctx};
  ssi_partition x;
  ss_error e = ssi_partition_by_components(&scratch, p, &x) ? SS_OK : SS_ERR_MEMORY;
  if (!e)
    e = x.count > 1 ? certify_parts(ctx, p, &x, &o, &scratch, out)
                    : ssi_certify_component(ctx, p, &o, out);
  ssi_arena_release(&scratch);
  if (!e && (e = ssi_certify_load(ctx, p, &o, (ssi_owned_certificate *)*out)))
    ss_certificate_destroy(*out), *out = NULL;
  if (e == SS_ERR_MEMORY) return ssi_fail(ctx, e, "out of memory to certify %d contacts", p->nc);
  if (e == SS_ERR_LINEAR)
    return ssi_fail(ctx, e,
                    "certify: a factorisation failed; numbers are too large or too far apart");
  if (e) return e;
  (*out)->time_s = ssi_now_s() - start;
  return SS_OK;
}

void ss_certificate_destroy(ss_certificate *c) {
  if (!c) return;
  ssi_arena_release_home(((ssi_owned_certificate *)c)->arena);
}
