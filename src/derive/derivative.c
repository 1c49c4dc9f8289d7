#include "stickslip/derivative.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/timer.h"
#include "derive/implicit.h"
#include "problem/check.h"
#include "problem/verify.h"

const char *ss_smoothness_name(ss_smoothness s) {
  static const char *const names[] = {"smooth", "motion", "kinks", "singular"};
  return (unsigned)s < sizeof names / sizeof *names ? names[s] : "unknown";
}

ss_derivative_options ss_derivative_options_default(void) {
  return (ss_derivative_options){.strict = 1e-6, .rank = 1e-9, .tol = 1e-6};
}

static ss_error check(ss_context *ctx, const ss_problem *p, const ss_solution *answer,
                      const ss_derivative_options *o) {
  if (!p || !answer) return ssi_missing(ctx, "ss_derivative_create");
  if (!(o->strict > 0 && o->strict < 1) || !(o->rank > 0 && o->rank < 1) || !(o->tol > 0))
    return ssi_fail(ctx, SS_ERR_ARGUMENT,
                    "strict %g, rank %g, tol %g: expected 0 < strict < 1, 0 < rank < 1, tol > 0",
                    o->strict, o->rank, o->tol);
  return ssi_problem_check_data(ctx, p);
}

static bool take(ss_derivative *d) {
  const ss_problem *p = &d->p;
  ssi_arena *a = &d->arena;
  d->r = SSI_TAKE(a, d->m, double), d->u = SSI_TAKE(a, d->m, double);
  d->v = SSI_TAKE(a, p->ndof, double), d->l = SSI_TAKE(a, p->nl, double);
  d->places = SSI_TAKE(a, p->nc, ss_rate_place);
  d->loose = SSI_TAKE(a, (size_t)p->nc + (size_t)p->nl, bool);
  d->lambda = SSI_TAKE(a, p->nc, double);
  d->locals = SSI_TAKE(a, p->nc, ssi_local);
  d->impulse = SSI_TAKE(a, d->m, double), d->velocity = SSI_TAKE(a, d->m, double);
  return ssi_change_take(a, p, &d->change);
}

static ss_error refuse_answer(const ss_derivative *d, const ss_verdict *v) {
  return ssi_fail(
      d->ctx, SS_ERR_DATA,
      "no solution to differentiate: its error is %.3g, expected at most %.3g (worst contact %d)",
      v->error, d->o.tol, v->worst_contact);
}

// The answer judged, its states told apart, and those that are not strict.
static ss_error place_contacts(ss_derivative *d, ssi_arena *scratch, ssi_judge *judge,
                               const ss_solution *answer) {
  const ss_problem *p = &d->p;
  ss_contact_verdict *state = SSI_TAKE(scratch, p->nc, ss_contact_verdict);
  double *scale = SSI_TAKE(scratch, p->nc, double);
  ss_verdict verdict;
  if (scratch->failed) return SS_ERR_MEMORY;
  SS_TRY(ssi_judge_answer(judge, answer, d->u, d->v, d->l, state, &verdict));
  if (!(verdict.error <= d->o.tol)) return refuse_answer(d, &verdict);
  d->info.error = verdict.error;
  d->info.strict = fmax(d->o.strict, 10 * verdict.state_tol);
  if (d->m) memcpy(d->r, answer->r, sizeof *d->r * (size_t)d->m);
  for (int i = 0; i < p->nc; i++) {
    d->lambda[i] = judge->lambda[i];
    scale[i] = judge->gap[judge->parts->of[i]];
  }
  ssi_derive_places(d, scale, state);
  return SS_OK;
}

static ss_error judge_answer(ss_derivative *d, const ss_solution *answer) {
  ssi_arena scratch = {.ctx = d->ctx};
  ssi_judge judge;
  ss_error e = SS_OK;
  if (d->p.form == SS_GLOBAL && d->p.ndof) e = ssi_factor_create(d->ctx, &d->p.M, &d->mass);
  if (!e) e = ssi_judge_create(&scratch, &d->p, d->mass, NULL, NULL, &judge);
  if (!e) e = place_contacts(d, &scratch, &judge, answer);
  ssi_arena_release(&scratch);
  return e;
}

static ss_error linearise(ss_derivative *d) {
  d->rhs = SSI_TAKE(&d->arena, d->n, double), d->x = SSI_TAKE(&d->arena, d->n, double);
  d->rest = SSI_TAKE(&d->arena, d->n, double), d->step = SSI_TAKE(&d->arena, d->n, double);
  d->reduced = SSI_TAKE(&d->arena, (size_t)d->n + (size_t)d->p.ndof, double);
  if (d->arena.failed) return SS_ERR_MEMORY;
  SS_TRY(ssi_derive_assemble(d));
  SS_TRY(ssi_derive_eliminate(d));
  ssi_factor_destroy(d->mass);
  d->mass = NULL;
  return ssi_derive_factor(d);
}

ss_error ss_derivative_create(ss_context *ctx, const ss_problem *p, const ss_solution *answer,
                              const ss_derivative_options *o, ss_derivative **out) {
  if (!out) return ssi_missing(ctx, "ss_derivative_create");
  *out = NULL;
  ss_derivative_options options = o ? *o : ss_derivative_options_default();
  double begin = ssi_now_s();
  SS_TRY(check(ctx, p, answer, &options));
  ssi_arena home = {.ctx = ctx};
  ss_derivative *d = SSI_TAKE(&home, 1, ss_derivative);
  if (!d) return ssi_fail(ctx, SS_ERR_MEMORY, "no memory for a derivative");
  *d = (ss_derivative){.ctx = ctx, .home = home, .arena = {.ctx = ctx}, .p = *p, .o = options};
  d->m = p->dim * p->nc;
  ss_error e = take(d) ? judge_answer(d, answer) : SS_ERR_MEMORY;
  if (!e) e = linearise(d);
  if (e) {
    ss_derivative_destroy(d);
    return e == SS_ERR_MEMORY
               ? ssi_fail(ctx, e, "no memory for the derivative of %d contacts", p->nc)
               : e;
  }
  d->info.time_s = ssi_now_s() - begin;
  *out = d;
  return SS_OK;
}

void ss_derivative_destroy(ss_derivative *d) {
  if (!d) return;
  ssi_factor_destroy(d->mass);
  ssi_direct_release(d->factors);
  ssi_arena_release(&d->arena);
  ssi_arena_release_home(d->home);
}

const ss_derivative_info *ss_derivative_summary(const ss_derivative *d) {
  return d ? &d->info : NULL;
}

const ss_rate_place *ss_derivative_places(const ss_derivative *d) {
  return d ? d->places : NULL;
}

const bool *ss_derivative_loose(const ss_derivative *d) {
  return d ? d->loose : NULL;
}

ss_error ssi_derive_regular(const ss_derivative *d) {
  int first = 0;
  char which[40] = "";
  if (d->info.smoothness != SS_SINGULAR) return SS_OK;
  while (first < d->p.nc && !d->loose[first]) first++;
  if (first < d->p.nc) snprintf(which, sizeof which, ", contact %d first", first);
  return ssi_fail(d->ctx, SS_ERR_METHOD,
                  "no derivative: the linearised equations are singular, velocities can change "
                  "while the data does "
                  "not (%d contacts and joints%s)",
                  d->info.loose_count, which);
}

ss_error ssi_derive_exists(const ss_derivative *d) {
  static const char *const why[] = {[SS_PLACE_EDGE] =
                                        "sticks, or begins to slip, on the surface of its cone",
                                    [SS_PLACE_GRAZE] = "touches without pressing"};
  SS_TRY(ssi_derive_regular(d));
  if (d->info.smoothness != SS_KINKS || d->o.keep) return SS_OK;
  int i = d->info.first_kink,
      kinks = d->info.places[SS_PLACE_EDGE] + d->info.places[SS_PLACE_GRAZE];
  return ssi_fail(d->ctx, SS_ERR_METHOD,
                  "no derivative at a kink: contact %d %s (%d such contact%s); ask for the "
                  "one-sided derivative along "
                  "a direction",
                  i, why[d->places[i]], kinks, kinks == 1 ? "" : "s");
}

ss_error ssi_derive_overflow(const ss_derivative *d) {
  return ssi_fail(d->ctx, SS_ERR_METHOD, "the derivative is beyond the range of double precision");
}
