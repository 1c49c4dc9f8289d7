// Why a problem was not solved: the verdict on existence from the certificate of criterion (A) and from what
// settles it otherwise, the contacts to blame, what double precision allows, and what to try.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/rng.h"
#include "base/timer.h"
#include "problem/check.h"
#include "stickslip/diagnose.h"

enum { EXACT_CONTACTS = 1000 };  // above, a bound of the margin that decides is enough
enum { DRAWS = 4 };              // of signs, for the floor of rounding

#define WORD(name, word, text) word,
static const char *const suggestion_names[] = {SS_SUGGESTIONS(WORD)};
#undef WORD
#define TEXT(name, word, text) text,
static const char *const suggestion_texts[] = {SS_SUGGESTIONS(TEXT)};
#undef TEXT

const char *ss_suggestion_name(ss_suggestion s) {
  return (size_t)s < SS_SUGGESTION_COUNT ? suggestion_names[s] : "unknown";
}

const char *ss_suggestion_text(ss_suggestion s) {
  return (size_t)s < SS_SUGGESTION_COUNT ? suggestion_texts[s] : "unknown";
}

typedef struct diagnosing {
  ss_diagnosis out;  // first, so that ss_diagnosis_destroy finds its owner
  ssi_arena arena;
  ss_context *ctx;
  const ss_problem *p;
  ss_diagnose_options o;
  ss_certificate *certificate;
  ss_settlement *settlement;
} diagnosing;

static bool stopped(const diagnosing *d) {
  return d->o.stop && d->o.stop(d->o.user);
}

// ---- existence -----------------------------------------------------------------------------

static int stop_certificate(void *user, int iteration, double low, double high) {
  (void)iteration, (void)low, (void)high;
  return stopped(user);
}

static ss_error certify(diagnosing *d) {
  ss_certify_options o = ss_certify_options_default();
  ss_certificate_report report = {0};
  o.progress = stop_certificate;
  o.user = d;
  o.time_limit_s = d->o.time_limit_s;
  if (o.time_limit_s > 0 || d->p->nc > EXACT_CONTACTS) o.margin = SS_MARGIN_BOUND;
  ss_error e = ss_certify(d->ctx, d->p, &o, &d->certificate);
  if (!e) e = ss_certificate_check(d->ctx, d->p, d->certificate, &report);
  if (e == SS_ERR_MEMORY) return e;
  if (!e && report.holds) return SS_OK;
  snprintf(d->out.failure, sizeof d->out.failure, "%s",
           e ? ss_error_detail(d->ctx, e) : report.failure);
  ss_certificate_destroy(d->certificate);
  d->certificate = NULL;
  return SS_OK;
}

static ss_error settle(diagnosing *d, double begin_s) {
  ss_settle_options o = {.exact = d->o.exact, .stop = d->o.stop, .user = d->o.user};
  if (d->o.time_limit_s > 0)
    o.time_limit_s = fmax(d->o.time_limit_s - (ssi_now_s() - begin_s), 1e-3);
  return ss_settle(d->ctx, d->p, &o, &d->settlement);
}

// The verdict of both; where W is semi-definite only by courtesy, trying all states has the last word.
static void join(diagnosing *d) {
  const ss_certificate *c = d->certificate;
  const ss_settlement *x = d->settlement;
  ss_diagnosis *out = &d->out;
  out->existence = SS_UNDECIDED;
  if (c && c->verdict != SS_UNDECIDED)
    out->existence = c->verdict, out->proof = SS_PROOF_CERTIFICATE;
  if (x && x->proof) {
    out->contradictory =
        c && c->verdict != SS_UNDECIDED && c->verdict != x->existence && !c->blurred;
    out->existence = out->contradictory ? SS_UNDECIDED : x->existence;
    out->proof = out->contradictory ? SS_PROOF_NOT : x->proof;
  }
  out->certificate = c;
  out->settlement = x;
  out->margin = c ? c->margin : NAN;
}

// Those that (A') gives, or else those of the jamming mode.
static ss_error name_jamming(diagnosing *d) {
  const ss_certificate *c = d->certificate;
  int *jamming = SSI_TAKE(&d->arena, d->p->nc, int), count = 0;
  if (!jamming) return ssi_fail(d->ctx, SS_ERR_MEMORY, "no memory to diagnose");
  if (!c || d->out.existence == SS_EXISTS) return SS_OK;
  for (int i = 0; c->lambda && i < d->p->nc; i++)
    if (c->lambda[i] > 0) jamming[count++] = i;
  for (int k = 0; !c->lambda && k < c->jamming_count; k++) jamming[count++] = c->jamming[k];
  d->out.jamming = jamming;
  d->out.jamming_count = count;
  return SS_OK;
}

// ---- the floor of rounding -----------------------------------------------------------------

// u = W r + q moves by W dr when r is rounded by dr, |dr_j| <= (eps/2) |r_j|. With independent signs s_j its
// mean square is that of (eps/2) W (s r): a few draws of s, each one product, whatever the form.
//
//   floor = (eps/2) sqrt( mean_s |W (s r)|^2 ) / max(|q|, |u|)
static ss_error find_floor(diagnosing *d, const double *r) {
  size_t m = (size_t)d->p->dim * (size_t)d->p->nc;
  double *turned = SSI_TAKE(&d->arena, 3 * m, double), sum = 0;
  ssi_rng signs = {.state = 1};
  ss_verdict verdict, other;
  if (!turned) return ssi_fail(d->ctx, SS_ERR_MEMORY, "no memory to diagnose");
  double *q = turned + m, *u = q + m;
  ss_solution at = {.r = turned};
  SS_TRY(ss_verify(d->ctx, d->p, &at, q, NULL, NULL, NULL, &other));  // r = 0
  SS_TRY(ss_verify(d->ctx, d->p, &(ss_solution){.r = r}, NULL, NULL, NULL, NULL, &verdict));
  double unit = fmax(verdict.scale, DBL_MIN);
  for (int draw = 0; draw < DRAWS; draw++) {
    for (size_t j = 0; j < m; j++) turned[j] = ssi_rng_next(&signs) & 1 ? -r[j] : r[j];
    SS_TRY(ss_verify(d->ctx, d->p, &at, u, NULL, NULL, NULL, &other));
    for (size_t j = 0; j < m; j++) sum += (u[j] - q[j]) / unit * ((u[j] - q[j]) / unit);
  }
  d->out.rounding_floor = DBL_EPSILON / 2 * sqrt(sum / DRAWS);
  return SS_OK;
}

// ---- advice --------------------------------------------------------------------------------

static void suggest(ss_diagnosis *out, const ss_attempt *a) {
  bool automatic = a->method && strcmp(a->method, "auto") == 0;
  bool untried = automatic && a->untried && a->untried[0];
  bool *suggests = out->suggests;
  if (out->existence == SS_NONE) return;
  suggests[SS_SUGGEST_LARGER_TOL] = true;
  if (a->tol > 0 && out->rounding_floor > a->tol) return;  // nothing else will do
  suggests[SS_SUGGEST_ITERATIONS] = a->status == SS_MAX_ITER;
  suggests[SS_SUGGEST_TIME] = a->status == SS_TIME_LIMIT;
  suggests[SS_SUGGEST_AGAIN] = a->status == SS_CANCELLED;
  suggests[SS_SUGGEST_SMALLER_TOL] = a->status == SS_SOLVED;
  suggests[SS_SUGGEST_AUTO] = !automatic;
  suggests[SS_SUGGEST_UNTRIED] = untried;
  suggests[SS_SUGGEST_SEED] = automatic && !untried;
  suggests[SS_SUGGEST_GUESS] = true;
}

// ---- all of it -----------------------------------------------------------------------------

static ss_error diagnose(diagnosing *d, const ss_attempt *a) {
  double begin = ssi_now_s();
  if (!stopped(d)) SS_TRY(certify(d));
  bool ask = !d->certificate || d->certificate->verdict != SS_NONE;
  if (ask && !stopped(d)) SS_TRY(settle(d, begin));
  join(d);
  SS_TRY(name_jamming(d));
  d->out.rounding_floor = NAN;
  if (a->r && find_floor(d, a->r) == SS_ERR_MEMORY) return SS_ERR_MEMORY;
  suggest(&d->out, a);
  return SS_OK;
}

ss_error ss_diagnose(ss_context *ctx, const ss_problem *p, const ss_attempt *tried,
                     const ss_diagnose_options *o, ss_diagnosis **out) {
  if (!p || !out) return ssi_fail(ctx, SS_ERR_ARGUMENT, "ss_diagnose: null argument");
  *out = NULL;
  SS_TRY(ssi_problem_check_structure(ctx, p));
  ssi_arena arena = {.ctx = ctx};
  diagnosing *d = SSI_TAKE(&arena, 1, diagnosing);
  if (!d) return ssi_fail(ctx, SS_ERR_MEMORY, "no memory to diagnose");
  d->arena = arena;
  d->ctx = ctx;
  d->p = p;
  if (o) d->o = *o;
  ss_error e = diagnose(d, tried ? tried : &(ss_attempt){0});
  if (e) return ss_diagnosis_destroy(&d->out), e;
  *out = &d->out;
  return SS_OK;
}

void ss_diagnosis_destroy(ss_diagnosis *out) {
  if (!out) return;
  diagnosing *d = (diagnosing *)out;
  ss_settlement_destroy(d->settlement);
  ss_certificate_destroy(d->certificate);
  ssi_arena_release_home(d->arena);
}
