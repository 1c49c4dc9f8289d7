// ss_certificate_check: what follows of a definite M (certificate_whole.c), and where M is singular what the load makes of it.
// From the raw data in double-double arithmetic; nothing of load_search.c is used here.
//
// held: f.z = a.M z + lambda.H_N z + l.G^T z >= 0 for every loose z with H_N z >= 0.
// driven: a solution has f.d = r.H d + l.G^T d - v.M d = r.H d >= 0, r in K and H d in K*; but f.d < 0.
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "certify/certificate_check.h"
#include "certify/raw_motion.h"
#include "la/factor.h"
#include "problem/check.h"

static const double BALANCED = 1e-14;  // of a dof's terms: rounding of the data and of the evidence
static const double STILL = 1e-13;     // the same, of a motion that costs nothing
static const double DRIVES = 1e-9;     // of sum |f_j d_j|
static const double SEMIDEFINITE = 1e-12;  // added to a unit diagonal, for each row: rounding of M
enum { DENSE_ROWS = 3000 };

// ---- held ----------------------------------------------------------------------------------

static void add_terms(const ss_sparse *A, const double *x, bool transposed, double *terms) {
  for (int i = 0; i < A->rows && A->ptr && x; i++)
    for (int64_t k = A->ptr[i]; k < A->ptr[i + 1]; k++)
      terms[transposed ? A->col[k] : i] += fabs(A->x[k] * x[transposed ? i : A->col[k]]);
}

// largest |M a + H_N^T lambda + G l - f| of a dof over the sum of its terms; INFINITY where lambda < 0
static ss_error rest_of(ssi_arena *arena, const ss_problem *p, const ss_load_evidence *e,
                        double *rest) {
  int m = p->dim * p->nc;
  ssi_dd *sum = SSI_TAKE(arena, p->ndof, ssi_dd);
  double *terms = SSI_TAKE(arena, p->ndof, double), *r = SSI_TAKE(arena, m, double);
  if (arena->failed) return SS_ERR_MEMORY;
  *rest = 0;
  for (int i = 0; i < p->nc; i++) {
    r[p->dim * i] = e->pressure[i];
    if (!(e->pressure[i] >= 0)) *rest = INFINITY;
  }
  for (int i = 0; i < p->ndof; i++) sum[i] = ssi_dd_from(-p->f[i]), terms[i] = fabs(p->f[i]);
  ssi_raw_add_rows(&p->M, e->deformation, sum);
  ssi_raw_add_columns(&p->H, r, sum);
  add_terms(&p->M, e->deformation, false, terms);
  add_terms(&p->H, r, true, terms);
  if (p->nl && e->pressure_l) {
    ssi_raw_add_rows(&p->G, e->pressure_l, sum);
    add_terms(&p->G, e->pressure_l, false, terms);
  }
  for (int i = 0; i < p->ndof; i++) {
    double left = fabs(ssi_dd_finish(sum[i]).hi);
    double part = left == 0 ? 0 : left / terms[i];
    if (!(part <= *rest)) *rest = part;
  }
  return SS_OK;
}

// ---- driven --------------------------------------------------------------------------------

// A d = 0 (or A^T d) but for rounding of its terms
static bool is_still(ssi_arena *arena, const ss_sparse *A, const double *d, bool transposed) {
  int rows = transposed ? A->cols : A->rows;
  ssi_dd *sum = SSI_TAKE(arena, rows, ssi_dd);
  double *terms = SSI_TAKE(arena, rows, double);
  if (arena->failed) return false;
  if (transposed)
    ssi_raw_add_columns(A, d, sum);
  else
    ssi_raw_add_rows(A, d, sum);
  add_terms(A, d, transposed, terms);
  for (int i = 0; i < rows; i++)
    if (!(fabs(ssi_dd_finish(sum[i]).hi) <= STILL * terms[i])) return false;
  return true;
}

// H d in K* but for rounding
static bool is_open(ssi_arena *arena, const ss_problem *p, const double *d) {
  ssi_dd *u = SSI_TAKE(arena, p->dim * p->nc + p->nl, ssi_dd);
  if (arena->failed) return false;
  ssi_raw_motion(p, d, true, u);
  for (int i = 0; i < p->nc; i++) {
    int at = p->dim * i;
    double parts = ssi_raw_parts_of_row(&p->H, at, d), slides = 0;
    for (int k = 1; k < p->dim; k++) {
      parts += p->mu[i] * ssi_raw_parts_of_row(&p->H, at + k, d);
      slides = hypot(slides, u[at + k].hi);
    }
    if (!(u[at].hi - p->mu[i] * slides >= -STILL * parts)) return false;
  }
  return true;
}

static double power_of(const ss_problem *p, const double *d) {
  ssi_dd sum = {0, 0};
  double terms = 0;
  for (int i = 0; i < p->ndof; i++) {
    ssi_dd_accumulate(&sum, p->f[i], d[i]);
    terms += fabs(p->f[i] * d[i]);
  }
  return terms > 0 ? ssi_dd_finish(sum).hi / terms : 0;
}

ss_error ssi_load_proves(ss_context *ctx, const ss_problem *p, const ss_load_evidence *e,
                         ssi_load_proved *out) {
  ssi_arena arena = {.ctx = ctx};
  *out = (ssi_load_proved){.rest = NAN, .power = NAN};
  ss_error error = SS_OK;
  if (e->deformation && (e->pressure || !p->nc) && (e->pressure_l || !p->nl)) {
    error = rest_of(&arena, p, e, &out->rest);
    out->held = !error && out->rest <= BALANCED;
  }
  if (!error && e->motion) {
    out->power = power_of(p, e->motion);
    out->driven = out->power < -DRIVES && is_still(&arena, &p->M, e->motion, false) &&
                  (!p->nl || is_still(&arena, &p->G, e->motion, true)) &&
                  is_open(&arena, p, e->motion);
  }
  if (arena.failed) error = ssi_fail(ctx, SS_ERR_MEMORY, "out of memory to check a certificate");
  ssi_arena_release(&arena);
  return error;
}

// ---- what follows --------------------------------------------------------------------------

void ssi_load_conclude(const ss_load_evidence *load, const ssi_load_proved *is, bool solution,
                       ss_existence *verdict, ss_existence_reason *reason) {
  bool exists = load->definite_verdict == SS_EXISTS, none = load->definite_verdict == SS_NONE;
  *verdict = SS_UNDECIDED;
  *reason = exists ? SS_REASON_LOOSE : load->definite_reason;
  if (solution && (none || is->driven))
    *reason = SS_REASON_DATA;
  else if (solution)
    *verdict = SS_EXISTS, *reason = SS_REASON_SOLUTION;
  else if (none)
    *verdict = SS_NONE;
  else if (is->driven)
    *verdict = SS_NONE, *reason = SS_REASON_DRIVEN;
  else if (exists && is->held)
    *verdict = SS_EXISTS, *reason = load->definite_reason;
}

// ---- M -------------------------------------------------------------------------------------

// M, scaled to a unit diagonal, is semi-definite but for rounding: with a little more on the diagonal it has a Cholesky factor.
static ss_error is_semidefinite(ss_context *ctx, const ss_sparse *M, bool *yes) {
  size_t n = (size_t)M->rows;
  *yes = false;
  if (M->rows > DENSE_ROWS) return SS_OK;
  ssi_arena arena = {.ctx = ctx};
  double *A = SSI_TAKE(&arena, n * n, double), *scale = SSI_TAKE(&arena, n, double);
  if (arena.failed) return ssi_arena_release(&arena), SS_ERR_MEMORY;
  for (int i = 0; i < M->rows; i++)
    for (int64_t k = M->ptr[i]; k < M->ptr[i + 1]; k++)
      if (M->col[k] == i && M->x[k] > 0) scale[i] = 1 / sqrt(M->x[k]);
  *yes = true;
  for (int i = 0; i < M->rows; i++)
    for (int64_t k = M->ptr[i]; k < M->ptr[i + 1]; k++) {
      if (M->x[k] != 0 && (scale[i] == 0 || scale[M->col[k]] == 0)) *yes = false;
      double x = 0.5 * M->x[k] * scale[i] * scale[M->col[k]];
      A[n * (size_t)i + (size_t)M->col[k]] += x, A[n * (size_t)M->col[k] + (size_t)i] += x;
    }
  for (size_t i = 0; i < n; i++) A[n * i + i] += scale[i] > 0 ? SEMIDEFINITE * (double)n : 1;
  *yes = *yes && LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', M->rows, A, M->rows) == 0;
  ssi_arena_release(&arena);
  return SS_OK;
}

static ss_error is_definite(ss_context *ctx, const ss_problem *p, bool *yes) {
  *yes = true;
  if (p->form != SS_GLOBAL || !p->ndof) return SS_OK;
  ssi_factor *mass;
  ss_error e = ssi_factor_create(ctx, &p->M, &mass);
  ssi_factor_destroy(mass);
  *yes = !e;
  if (e != SS_ERR_DATA) return e;
  if (ctx) ctx->message[0] = 0;
  return SS_OK;
}

// ---- the check -----------------------------------------------------------------------------

static void refuse(ss_certificate_report *out, const char *why) {
  out->holds = false;
  memcpy(out->failure, why, strlen(why) + 1);
}

// Evidence for what is not so, or for nothing.
static const char *idle(const ss_certificate *c, const ss_load_evidence *load,
                        const ssi_load_proved *is, bool solution) {
  if ((load->deformation || load->pressure || load->pressure_l) && !is->held)
    return "load.pressure: does not balance the load";
  if (load->motion && !is->driven) return "load.motion: is not driven by the load, or is not loose";
  return c->solution && !solution ? "solution: is none, or proves nothing" : NULL;
}

static ss_error check_loose(ss_context *ctx, const ss_problem *p, const ss_certificate *c,
                            ss_certificate_report *out) {
  ss_load_evidence nothing = {.definite_verdict = c->verdict, .definite_reason = c->reason};
  const ss_load_evidence *load = c->load ? c->load : &nothing;
  ss_certificate definite = *c;
  ssi_load_proved is;
  bool semidefinite, solution = false;
  definite.verdict = load->definite_verdict, definite.reason = load->definite_reason;
  definite.solution = NULL;
  definite.load = NULL;
  SS_TRY(ssi_certificate_check_definite(ctx, p, &definite, out));
  SS_TRY(ssi_load_proves(ctx, p, load, &is));
  SS_TRY(is_semidefinite(ctx, &p->M, &semidefinite));
  if (c->solution) {
    ss_verdict verdict;
    SS_TRY(ssi_loose_solution_proves(ctx, p, c->solution, &solution));
    SS_TRY(ss_verify(ctx, p, c->solution, NULL, NULL, NULL, NULL, &verdict));
    out->has_solution = true, out->solution_proves = solution;
    out->solution_error = verdict.error;
  }
  out->has_load = true;
  out->load_rest = is.rest, out->load_power = is.power;
  if (!out->holds) return SS_OK;
  ss_existence verdict;
  ss_existence_reason reason;
  ssi_load_conclude(load, &is, solution, &verdict, &reason);
  const char *why = idle(c, load, &is, solution);
  if (why)
    refuse(out, why);
  else if (!semidefinite && c->verdict == SS_EXISTS && !solution)
    refuse(out, "verdict: M is not positive semi-definite");
  else if (c->verdict != verdict)
    refuse(out, "verdict: is not what follows where M is singular");
  else if (c->reason != reason)
    refuse(out, "reason: does not follow from the verdict and its evidence");
  return SS_OK;
}

ss_error ss_certificate_check(ss_context *ctx, const ss_problem *p, const ss_certificate *c,
                              ss_certificate_report *out) {
  bool definite;
  if (!p || !c || !out)
    return ssi_fail(ctx, SS_ERR_ARGUMENT,
                    "a problem, a certificate and a place for the report are needed");
  SS_TRY(ssi_problem_check_structure(ctx, p));
  SS_TRY(is_definite(ctx, p, &definite));
  if (!definite) return check_loose(ctx, p, c, out);
  SS_TRY(ssi_certificate_check_definite(ctx, p, c, out));
  if (out->holds && c->load) refuse(out, "load: M is positive definite");
  return SS_OK;
}
