// ss_certify_every_mu: what is known already first, then each component by itself; what the check does not confirm is not
// said.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/timer.h"
#include "certify/every_mu_search.h"
#include "certify/join.h"
#include "problem/check.h"

static const double UNBIDDEN = 1e10;  // operations of a component: seconds

typedef struct owned_every_mu {
  ss_every_mu out;  // first, so that ss_every_mu_destroy finds its owner
  ssi_arena arena;
} owned_every_mu;

typedef struct asking {
  ss_context *ctx;
  const ss_problem *p;
  owned_every_mu *to;
  double rank_tol, end_s, work;  // work: operations that a component may cost
} asking;

static const double *copy(ssi_arena *arena, int size, const double *x) {
  double *y = x ? SSI_TAKE(arena, size, double) : NULL;
  if (y) memcpy(y, x, sizeof *y * (size_t)size);
  return y;
}

static ss_error keep(asking *a, const ss_every_mu *found) {
  bool proved = false;
  if (a->to->arena.failed) return SS_ERR_MEMORY;
  SS_TRY(ss_every_mu_check(a->ctx, a->p, found, &proved));
  if (proved) a->to->out = *found;
  return SS_OK;
}

// A motion that slides nowhere, or impulses that jam: found for one mu, they may do for all.
static ss_error ask_known(asking *a, const ss_certificate *known) {
  const ss_problem *p = a->p;
  ssi_arena *arena = &a->to->arena;
  ss_every_mu yes = a->to->out, no = a->to->out;
  yes.holds = SS_YES;
  yes.velocity = copy(arena, yes.velocity_size, known->velocity);
  if (known->velocity) SS_TRY(keep(a, &yes));
  if (!known->impulse || a->to->out.holds != SS_UNKNOWN) return SS_OK;
  no.holds = SS_NO;
  no.impulse = copy(arena, p->dim * p->nc, known->impulse);
  no.impulse_l = copy(arena, p->nl, known->impulse_l);
  if (no.impulse) no.fails_from = ssi_every_mu_fails_from(p, no.impulse);
  return keep(a, &no);
}

// Component k into the whole.
static ss_error spread(asking *a, const ssi_partition *x, int k, const ss_every_mu *part,
                       ss_every_mu *whole) {
  const ss_problem *p = a->p;
  ssi_arena *arena = &a->to->arena;
  if (part->holds == SS_NO) {
    double *r = SSI_TAKE(arena, p->dim * p->nc, double), *l = SSI_TAKE(arena, p->nl, double);
    if (arena->failed) return SS_ERR_MEMORY;
    ssi_cut_return(x, SSI_CONTACTS, p->dim, k, part->impulse, r);
    if (part->impulse_l) ssi_cut_return(x, SSI_JOINTS, 1, k, part->impulse_l, l);
    whole->holds = SS_NO, whole->fails_from = part->fails_from;
    whole->impulse = r, whole->impulse_l = p->nl ? l : NULL;
    whole->velocity = whole->directions = NULL, whole->direction_count = 0;
    return SS_OK;
  }
  size_t size = (size_t)whole->velocity_size;
  double *v = (double *)whole->velocity, *d = (double *)whole->directions;
  if (part->direction_count > whole->direction_count) {
    double *more = SSI_TAKE(arena, size * (size_t)part->direction_count, double);
    if (!more) return SS_ERR_MEMORY;
    if (d) memcpy(more, d, sizeof *d * size * (size_t)whole->direction_count);
    whole->directions = d = more, whole->direction_count = part->direction_count;
  }
  ssi_cut_velocity_return(p, x, k, part->velocity, v);
  for (int n = 0; n < part->direction_count; n++)
    ssi_cut_velocity_return(p, x, k, part->directions + (size_t)n * (size_t)part->velocity_size,
                            d + (size_t)n * size);
  return SS_OK;
}

static ss_error search_part(asking *a, ssi_arena *scratch, const ssi_partition *x, int k,
                            ss_every_mu *whole, bool *ended) {
  ss_problem cut;
  ss_every_mu part;
  bool proved = false;
  SS_TRY(ssi_cut(scratch, a->p, x, k, &cut));
  if (!cut.nc && !cut.nl) return SS_OK;
  double work = ssi_every_mu_flops(&cut);
  if (work > a->work || !ssi_time_affords(a->end_s, work)) return *ended = false, SS_OK;
  SS_TRY(ssi_every_mu_search(scratch, &cut, a->rank_tol, &part));
  SS_TRY(ss_every_mu_check(a->ctx, &cut, &part, &proved));
  if (!proved) return *ended = false, SS_OK;
  return spread(a, x, k, &part, whole);
}

// One component that fails is enough; one that is not decided is not.
static ss_error search(asking *a) {
  ssi_arena scratch = {.ctx = a->ctx};
  ssi_partition x;
  ss_every_mu whole = a->to->out;
  bool all = true;
  whole.holds = SS_YES;
  whole.velocity = SSI_TAKE(&a->to->arena, whole.velocity_size, double);
  bool ready = ssi_partition_by_components(&scratch, a->p, &x) && !a->to->arena.failed;
  ss_error e = ready ? SS_OK : SS_ERR_MEMORY;
  for (int k = 0; k < x.count && !e && whole.holds != SS_NO; k++)
    e = search_part(a, &scratch, &x, k, &whole, &all);
  if (!e && (all || whole.holds == SS_NO)) e = keep(a, &whole);
  ssi_arena_release(&scratch);
  return e;
}

ss_error ss_certify_every_mu(ss_context *ctx, const ss_problem *p, const ss_certify_options *o,
                             const ss_certificate *known, bool at_any_cost, ss_every_mu **out) {
  if (out) *out = NULL;
  if (!p || !out) return ssi_fail(ctx, SS_ERR_ARGUMENT, "ss_certify_every_mu: null argument");
  SS_TRY(ssi_problem_check_structure(ctx, p));
  ss_certify_options defaults = ss_certify_options_default();
  if (!o) o = &defaults;
  ssi_arena arena = {.ctx = ctx};
  asking a = {.ctx = ctx, .p = p, .rank_tol = o->rank_tol};
  a.end_s = ssi_time_end(o->time_limit_s);
  a.work = at_any_cost ? INFINITY : UNBIDDEN;
  a.to = SSI_TAKE(&arena, 1, owned_every_mu);
  if (!a.to) return ssi_fail(ctx, SS_ERR_MEMORY, "no memory for the certificate");
  a.to->arena = arena;
  a.to->out = (ss_every_mu){.holds = SS_UNKNOWN, .fails_from = NAN};
  a.to->out.velocity_size = p->form == SS_GLOBAL ? p->ndof : p->dim * p->nc + p->nl;
  ss_error e = known ? ask_known(&a, known) : SS_OK;
  if (!e && a.to->out.holds == SS_UNKNOWN) e = search(&a);
  if (e) ss_every_mu_destroy(&a.to->out);
  if (e == SS_ERR_MEMORY) return ssi_fail(ctx, e, "no memory for the certificate");
  if (!e) *out = &a.to->out;
  return e;
}

void ss_every_mu_destroy(ss_every_mu *e) {
  if (e) ssi_arena_release_home(((owned_every_mu *)e)->arena);
}
