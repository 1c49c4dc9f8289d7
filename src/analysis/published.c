// Critical friction as [Agw20] computes it: part by part, the smallest value of any.
#include "analysis/published.h"

#include <math.h>

#include "base/error.h"
#include "base/timer.h"

typedef struct owned_published {
  ss_critical_published result;  // first, so that ss_critical_published_destroy finds its owner
  ssi_arena arena;
} owned_published;

static void scan(const ssi_critical_part *p, double step, double *angle, ss_critical_published *r) {
  ssi_scan s;
  ssi_published_scan(p, step, &s);
  r->scan_grid = fmin(r->scan_grid, s.mu_grid);
  if (!(s.mu < r->scan)) return;
  r->scan = s.mu;
  for (int i = 0; i < r->contacts; i++) angle[i] = NAN;
  for (int i = 0; i < p->n; i++) angle[p->contact[i]] = s.angle[i];
}

static ss_error look_at_part(ss_context *ctx, ssi_arena *arena, const ssi_critical_part *p,
                             double end_s, ss_critical_published *r) {
  double mu, lower;
  if (!isnan(r->interval)) {
    if (!ssi_published_interval(arena, p, end_s, &mu, &r->interval_tests)) mu = NAN, r->late = true;
    r->interval = isnan(mu) ? NAN : fmin(r->interval, mu);
  }
  if (!isnan(r->copositive)) {
    bool found = ssi_published_copositive(arena, p, end_s, &mu, &lower, &r->copositive_faces);
    if (!found && !arena->failed) return ssi_fail(ctx, SS_ERR_LINEAR, "W is not positive definite");
    if (!found) return ssi_fail(ctx, SS_ERR_MEMORY, "out of memory");
    r->late = r->late || lower < mu;
    r->copositive = fmin(r->copositive, mu);
    r->copositive_lower = fmin(r->copositive_lower, lower);
  }
  return arena->failed ? ssi_fail(ctx, SS_ERR_MEMORY, "out of memory") : SS_OK;
}

static ss_error look_at_all(ss_context *ctx, const ss_problem *p, const ss_critical_options *o,
                            ssi_arena *scratch, owned_published *out, double *angle) {
  ss_critical_published *r = &out->result;
  ssi_critical_parts parts;
  SS_TRY(ssi_critical_parts_create(ctx, p, o->scale_mu, scratch, &parts));
  double end_s = ssi_time_end(isfinite(o->time_limit_s) ? o->time_limit_s : 0);
  *r = (ss_critical_published){.contacts = p->nc, .parts = parts.count, .largest = parts.largest};
  r->scan = r->scan_grid = parts.largest <= SS_SCAN_CONTACTS ? INFINITY : NAN;
  r->interval = parts.largest <= SS_INTERVAL_CONTACTS ? INFINITY : NAN;
  r->copositive = parts.largest <= SS_COPOSITIVE_CONTACTS ? INFINITY : NAN;
  r->copositive_lower = r->copositive;
  for (int k = 0; k < parts.count; k++) {
    if (!isnan(r->scan)) scan(&parts.part[k], o->scan_step_deg, angle, r);
    SS_TRY(look_at_part(ctx, scratch, &parts.part[k], end_s, r));
  }
  if (isfinite(r->scan)) r->scan_angle_deg = angle;
  return SS_OK;
}

ss_error ss_critical_published_compute(ss_context *ctx, const ss_problem *p,
                                       const ss_critical_options *o, ss_critical_published **out) {
  if (!p || !out)
    return ssi_fail(ctx, SS_ERR_ARGUMENT, "ss_critical_published_compute: null argument");
  *out = NULL;
  ss_critical_options usual = ss_critical_options_default();
  if (!o) o = &usual;
  if (!(o->scan_step_deg > 0 && o->scan_step_deg <= 45))
    return ssi_fail(ctx, SS_ERR_ARGUMENT, "scan_step_deg is %g, expected > 0 and at most 45",
                    o->scan_step_deg);
  ssi_arena arena = {.ctx = ctx}, scratch = {.ctx = ctx};
  owned_published *r = SSI_TAKE(&arena, 1, owned_published);
  double *angle = SSI_TAKE(&arena, p->nc, double);
  ss_error e = arena.failed ? ssi_fail(ctx, SS_ERR_MEMORY, "out of memory")
                            : look_at_all(ctx, p, o, &scratch, r, angle);
  ssi_arena_release(&scratch);
  if (e) return ssi_arena_release(&arena), e;
  r->arena = arena;
  *out = &r->result;
  return SS_OK;
}

void ss_critical_published_destroy(ss_critical_published *r) {
  if (!r) return;
  ssi_arena_release_home(((owned_published *)r)->arena);
}
