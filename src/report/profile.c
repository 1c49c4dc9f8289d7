// report/profile.c - performance profiles [DM02] as numbers; the definitions are in report.h.
#include "report/profile.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "io/reader.h"

static bool is_solved(double cost) {
  return isfinite(cost);
}

static ss_error check_panel(ss_context *ctx, const ss_profile *p, int index) {
  const ss_profile_panel *a = &p->panels[index];
  if (a->problems < 1 || !a->cost)
    return ssi_fail(ctx, SS_ERR_ARGUMENT, "profile: panel %d has no problems", index);
  for (int s = 0; s < p->solver_count; s++)
    for (int k = 0; k < a->problems; k++) {
      double cost = a->cost[(size_t)s * (size_t)a->problems + (size_t)k];
      if (is_solved(cost) && cost <= 0)
        return ssi_fail(ctx, SS_ERR_ARGUMENT,
                        "profile: panel %d: cost of solver %d on problem %d is %g, expected > 0",
                        index, s, k, cost);
    }
  return SS_OK;
}

ss_error ssi_profile_check(ss_context *ctx, const ss_profile *p) {
  if (!p || !p->solvers || p->solver_count < 1 || !p->panels || p->panel_count < 1)
    return ssi_fail(ctx, SS_ERR_ARGUMENT, "profile: no solvers or no panels");
  for (int s = 0; s < p->solver_count; s++)
    if (!p->solvers[s]) return ssi_fail(ctx, SS_ERR_ARGUMENT, "profile: solver %d has no name", s);
  for (int i = 0; i < p->panel_count; i++) SS_TRY(check_panel(ctx, p, i));
  return SS_OK;
}

static ss_error check_place(ss_context *ctx, const ss_profile *p, int panel, int solver) {
  SS_TRY(ssi_profile_check(ctx, p));
  if (panel >= 0 && panel < p->panel_count && solver >= 0 && solver < p->solver_count) return SS_OK;
  return ssi_fail(ctx, SS_ERR_ARGUMENT, "profile: there is no panel %d with solver %d", panel,
                  solver);
}

static double cost_of(const ss_profile_panel *a, int solver, int k) {
  return a->cost[(size_t)solver * (size_t)a->problems + (size_t)k];
}

double ssi_profile_best(const ss_profile *p, const ss_profile_panel *a, int k) {
  double best = INFINITY;
  for (int s = 0; s < p->solver_count; s++)
    if (cost_of(a, s, k) < best) best = cost_of(a, s, k);  // false for NAN
  return best;
}

static double ratio_of(const ss_profile *p, const ss_profile_panel *a, int solver, int k) {
  double cost = cost_of(a, solver, k);
  return is_solved(cost) ? fmin(cost / ssi_profile_best(p, a, k), DBL_MAX) : INFINITY;
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

int ssi_profile_ratios(const ss_profile *p, const ss_profile_panel *a, int solver, double *out) {
  int count = 0;
  for (int k = 0; k < a->problems; k++) {
    double r = ratio_of(p, a, solver, k);
    if (isfinite(r)) out[count++] = r;
  }
  qsort(out, (size_t)count, sizeof *out, ascending);
  return count;
}

ss_error ss_profile_score_solver(ss_context *ctx, const ss_profile *p, int panel, int solver,
                                 ss_profile_score *out) {
  SS_TRY(check_place(ctx, p, panel, solver));
  if (!out) return ssi_fail(ctx, SS_ERR_ARGUMENT, "ss_profile_score_solver: out is NULL");
  const ss_profile_panel *a = &p->panels[panel];
  double sum = 0;  // of log r_sp
  *out = (ss_profile_score){.ratio = NAN};
  for (int k = 0; k < a->problems; k++) {
    double r = ratio_of(p, a, solver, k);
    if (!isfinite(r)) continue;
    out->solved++;
    out->fastest += r <= 1;
    sum += log(r);
  }
  if (out->solved) out->ratio = exp(sum / out->solved);
  return SS_OK;
}

ss_error ss_profile_fraction(ss_context *ctx, const ss_profile *p, int panel, int solver,
                             double tau, double *out) {
  SS_TRY(check_place(ctx, p, panel, solver));
  if (!out) return ssi_fail(ctx, SS_ERR_ARGUMENT, "ss_profile_fraction: out is NULL");
  const ss_profile_panel *a = &p->panels[panel];
  int within = 0;
  for (int k = 0; k < a->problems; k++) {
    double r = ratio_of(p, a, solver, k);
    within += isfinite(r) && r <= tau;
  }
  *out = (double)within / a->problems;
  return SS_OK;
}

void ss_text_destroy(ss_context *ctx, char *text) {
  ssi_release(ctx, text);
}

ss_error ss_text_write(ss_context *ctx, const char *path, const char *text) {
  if (!path || !text) return ssi_fail(ctx, SS_ERR_ARGUMENT, "ss_text_write: path or text is NULL");
  ssi_output *o = NULL;
  SS_TRY(ssi_output_begin(ctx, path, &o));
  ssi_output_text(o, "%s", text);
  return ssi_output_commit(ctx, o);
}
