// What the evidence about criterion (A) for every mu proves, from the raw data: nothing of the search is used here, but for
// the ratio by which impulses tell their mu. Zero is what the rounding of the data may be worth, as where (A) holds without
// margin (docs/existence.md 4).
#include <math.h>

#include "base/error.h"
#include "certify/certificate_check.h"
#include "certify/every_mu_search.h"
#include "certify/join.h"
#include "certify/raw_motion.h"
#include "problem/check.h"
#include "problem/radius.h"

static const double OPENS = 1e-9;   // of the largest |(H d)_i|: a contact that d opens
static const double SHADOW = 1e-3;  // of what cancels in H d, that the latter is at least taken for
static const double JOINED = 1e-9;  // |G^T v + b| over unit, |G^T d| over the largest |(H d)_i|
static const double SAME = 1e-9;    // relative: the same mu

typedef struct every_mu_judge {
  ss_context *ctx;
  const ss_problem *p;  // of one component
  ssi_dd *u;            // (m + nl)
  bool *open;           // (nc)
  double rank_tol;
} every_mu_judge;

static double tangent(const every_mu_judge *j, int i) {
  const ssi_dd *u = j->u + (size_t)i * (size_t)j->p->dim;
  return hypot(u[1].hi, j->p->dim == 3 ? u[2].hi : 0);
}

// Every contact that is not open yet neither slides nor closes, but for `rounding` in each component; those that part by
// `opening` are open from now on.
static bool judge_contacts(every_mu_judge *j, double rounding, double opening) {
  for (int i = 0; i < j->p->nc; i++) {
    double normal = j->u[i * j->p->dim].hi;
    if (j->open[i]) continue;
    if (!(tangent(j, i) <= sqrt(j->p->dim - 1) * rounding && normal >= -rounding)) return false;
    j->open[i] = normal >= opening;
  }
  return true;
}

static ss_error judge_direction(every_mu_judge *j, const double *d, bool *ok) {
  ss_certificate c = {.direction = d, .rank_tol = j->rank_tol};
  ss_certificate_report r;
  double most = 0, parts = ssi_raw_parts(j->p, d);
  SS_TRY(ssi_certificate_measure(j->ctx, j->p, &c, &r));
  ssi_raw_motion(j->p, d, true, j->u);
  for (int i = 0; i < j->p->nc; i++)
    most = fmax(most, hypot(j->u[i * j->p->dim].hi, tangent(j, i)));
  if (!(most > 0)) return SS_OK;  // it opens nothing, and is not needed
  *ok = r.direction_equality <= JOINED && r.image >= j->rank_tol && !r.joints_blurred &&
        judge_contacts(j, SSI_ROUNDING * parts, OPENS * fmax(most, SHADOW * parts));
  return SS_OK;
}

static ss_error judge_velocity(every_mu_judge *j, const double *v, bool *ok) {
  ss_certificate c = {.velocity = v, .rank_tol = j->rank_tol};
  ss_certificate_report r;
  SS_TRY(ssi_certificate_measure(j->ctx, j->p, &c, &r));
  ssi_raw_motion(j->p, v, false, j->u);
  *ok = r.equality <= JOINED && !r.joints_blurred &&
        judge_contacts(j, SSI_ROUNDING * (r.unit + ssi_raw_parts(j->p, v)), INFINITY);
  return SS_OK;
}

static ss_error judge_component(ss_context *ctx, ssi_arena *arena, const ss_problem *whole,
                                const ssi_partition *x, int k, const ss_every_mu *e, bool *ok) {
  ss_problem p;
  SS_TRY(ssi_cut(arena, whole, x, k, &p));
  if (!p.nc && !p.nl) return SS_OK;
  every_mu_judge j = {.ctx = ctx, .p = &p, .rank_tol = ss_certify_options_default().rank_tol};
  j.u = SSI_TAKE(arena, p.dim * p.nc + p.nl, ssi_dd);
  j.open = SSI_TAKE(arena, p.nc, bool);
  for (int n = 0; n < e->direction_count && *ok; n++) {
    const double *d = e->directions + (size_t)n * (size_t)e->velocity_size;
    d = ssi_cut_velocity(arena, whole, x, k, d);
    if (arena->failed) return SS_ERR_MEMORY;
    SS_TRY(judge_direction(&j, d, ok));
  }
  const double *v = ssi_cut_velocity(arena, whole, x, k, e->velocity);
  if (arena->failed) return SS_ERR_MEMORY;
  return *ok ? judge_velocity(&j, v, ok) : SS_OK;
}

static ss_error judge_motions(ss_context *ctx, const ss_problem *p, const ss_every_mu *e,
                              bool *proved) {
  ssi_arena arena = {.ctx = ctx};
  ssi_partition x;
  bool ok = e->velocity != NULL;
  ss_error error = ssi_partition_by_components(&arena, p, &x) ? SS_OK : SS_ERR_MEMORY;
  for (int k = 0; k < x.count && ok && !error; k++)
    error = judge_component(ctx, &arena, p, &x, k, e, &ok);
  ssi_arena_release(&arena);
  *proved = ok && !error;
  return error == SS_ERR_MEMORY ? ssi_fail(ctx, error, "no memory to check a certificate") : error;
}

// Component k of p, which has the mu that the impulses tell: they exclude (A) there, or not.
static ss_error judge_jam(ss_context *ctx, ssi_arena *arena, const ss_problem *p,
                          const ssi_partition *x, int k, const ss_every_mu *e, bool *proved) {
  ss_certify_options o = ss_certify_options_default();
  ss_problem part;
  ss_certificate c,
      all = {.impulse = e->impulse, .impulse_l = e->impulse_l, .rank_tol = o.rank_tol};
  ss_certificate_report r;
  all.tol = o.tol;
  SS_TRY(ssi_cut(arena, p, x, k, &part));
  SS_TRY(ssi_certificate_cut(arena, p, x, k, &all, &c));
  SS_TRY(ssi_certificate_measure(ctx, &part, &c, &r));
  *proved = *proved || ssi_certificate_proves(&part, &c, &r).violated;
  return SS_OK;
}

// One component is enough.
static ss_error judge_impulses(ss_context *ctx, const ss_problem *p, const ss_every_mu *e,
                               bool *proved) {
  double from = e->impulse ? ssi_every_mu_fails_from(p, e->impulse) : INFINITY;
  if (!(e->fails_from >= from * (1 - SAME)) || !isfinite(e->fails_from)) return SS_OK;
  ssi_arena arena = {.ctx = ctx};
  ssi_partition x;
  double *mu = SSI_TAKE(&arena, p->nc, double);
  ss_problem at = *p;
  at.mu = mu;
  for (int i = 0; mu && i < p->nc; i++) mu[i] = e->fails_from;
  ss_error error = mu && ssi_partition_by_components(&arena, p, &x) ? SS_OK : SS_ERR_MEMORY;
  for (int k = 0; !error && k < x.count && !*proved; k++)
    error = judge_jam(ctx, &arena, &at, &x, k, e, proved);
  ssi_arena_release(&arena);
  return error == SS_ERR_MEMORY ? ssi_fail(ctx, error, "no memory to check a certificate") : error;
}

ss_error ss_every_mu_check(ss_context *ctx, const ss_problem *p, const ss_every_mu *e,
                           bool *proved) {
  if (!p || !e || !proved)
    return ssi_fail(ctx, SS_ERR_ARGUMENT, "ss_every_mu_check: null argument");
  *proved = false;
  SS_TRY(ssi_problem_check_structure(ctx, p));
  if (e->holds == SS_UNKNOWN) return SS_OK;
  return e->holds == SS_YES ? judge_motions(ctx, p, e, proved) : judge_impulses(ctx, p, e, proved);
}
