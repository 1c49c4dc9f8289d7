#include "problem/verify.h"

#include <float.h>
#include <string.h>

#include "base/error.h"
#include "la/small.h"
#include "problem/blocks.h"
#include "problem/check.h"
#include "problem/multipliers.h"
#include "problem/natural.h"

static const double STATE_TOLERANCE = 1e-8;  // states are not told apart more finely than this

const char *ss_state_name(ss_state s) {
  switch (s) {
  case SS_FREE:
    return "free";
  case SS_STICK:
    return "stick";
  case SS_SLIP:
    return "slip";
  }
  return "unknown";
}

// ---- norms that neither overflow nor underflow ---------------------------------------------

typedef struct norm {
  double largest, sum;  // |x| = largest sqrt(sum)
} norm;

static void include(norm *n, double x) {
  double a = fabs(x);
  if (isnan(a)) a = INFINITY;
  if (a > n->largest) {
    double t = n->largest / a;
    n->sum = 1 + n->sum * t * t;
    n->largest = a;
  } else if (a > 0 && a <= DBL_MAX) {
    double t = a / n->largest;
    n->sum += t * t;
  }
}

static double value(norm n) {
  return n.largest * sqrt(n.sum);
}

static double norm_of(const double *x, size_t n) {
  norm s = {0};
  for (size_t i = 0; i < n; i++) include(&s, x[i]);
  return value(s);
}

static double norm_of_pairs(const ssi_dd *x, size_t n) {
  norm s = {0};
  for (size_t i = 0; i < n; i++) include(&s, x[i].hi);
  return value(s);
}

// ---- the parts -----------------------------------------------------------------------------

typedef struct judge {
  ss_context *ctx;
  const ss_problem *p;
  const double *r;
  ssi_arena arena;
  ssi_factor *own_mass;
  ssi_motion motion;
  double *lambda;   // 1/rho_i                      (nc)
  double *error;    // |F_i|                        (nc)
  double *tangent;  // |u_iT|                       (nc)
  double *l;        // multipliers, where not given (nl)
  double norm_q, norm_s, norm_u, norm_r, norm_F, norm_fclib, norm_gap;
} judge;

static size_t contact_rows(const ss_problem *p) {
  return (size_t)p->dim * (size_t)p->nc;
}

// lambda_i = lambda_max(sym W_ii); where that is not positive, the mean of the others; 1 if all are
// so.
static void replace_zeros(int nc, double *lambda) {
  double sum = 0;
  int positive = 0;
  for (int i = 0; i < nc; i++)
    if (lambda[i] > 0) sum += lambda[i], positive++;
  if (positive == nc) return;
  double mean = positive ? sum / positive : 1;
  for (int i = 0; i < nc; i++)
    if (!(lambda[i] > 0)) lambda[i] = mean;
}

static ss_error find_lambda(judge *s, ssi_factor *mass, const double *lambda_max) {
  int nc = s->p->nc, d = s->p->dim;
  if (lambda_max) {
    if (nc) memcpy(s->lambda, lambda_max, (size_t)nc * sizeof *lambda_max);
  } else {
    double *blocks = ssi_alloc(s->ctx, (size_t)nc, (size_t)(d * d) * sizeof *blocks);
    if (!blocks) return ssi_fail(s->ctx, SS_ERR_MEMORY, "out of memory for %d blocks of W", nc);
    ss_error e = ssi_contact_blocks(s->ctx, s->p, mass, blocks);
    for (int i = 0; i < nc && !e; i++) {
      double lambda[3];
      ssi_eig(d, blocks + (size_t)i * (size_t)(d * d), lambda);
      s->lambda[i] = lambda[d - 1];
    }
    ssi_release(s->ctx, blocks);
    SS_TRY(e);
  }
  replace_zeros(nc, s->lambda);
  return SS_OK;
}

static ss_error move(judge *s, const double **l) {
  size_t m = contact_rows(s->p), nl = (size_t)s->p->nl;
  if (s->p->form == SS_REDUCED) {
    s->norm_q = norm_of(s->p->q, m);
    s->norm_s = norm_of(s->p->s, nl);
  } else {
    SS_TRY(ssi_motion_compute(&s->motion, NULL, NULL));
    s->norm_q = norm_of_pairs(s->motion.u, m);
    s->norm_s = norm_of_pairs(s->motion.gap, nl);
  }
  if (nl && !*l) {
    SS_TRY(ssi_motion_compute(&s->motion, s->r, NULL));
    SS_TRY(ssi_multipliers(s->ctx, &s->motion, s->l));
    *l = s->l;
  }
  SS_TRY(ssi_motion_compute(&s->motion, s->r, nl ? *l : NULL));
  s->norm_u = norm_of_pairs(s->motion.u, m);
  s->norm_r = norm_of(s->r, m);
  s->norm_gap = norm_of_pairs(s->motion.gap, nl);
  return SS_OK;
}

// |F_i| of every contact, with its own rho and with rho = 1.
static void measure(judge *s) {
  int d = s->p->dim;
  norm all = {0}, fclib = {0};
  for (int i = 0; i < s->p->nc; i++) {
    const double *r = s->r + (size_t)i * (size_t)d;
    const ssi_dd *u = s->motion.u + (size_t)i * (size_t)d;
    ssi_dd F[3], tangent = ssi_tangent_length(d, u);
    norm own = {0};
    ssi_natural_map(d, s->p->mu[i], s->lambda[i], r, u, tangent, F);
    for (int k = 0; k < d; k++) include(&own, F[k].hi);
    s->tangent[i] = tangent.hi;
    s->error[i] = value(own);
    include(&all, s->error[i]);
    ssi_natural_map(d, s->p->mu[i], 1, r, u, tangent, F);
    for (int k = 0; k < d; k++) include(&fclib, F[k].hi);
  }
  s->norm_F = value(all);
  s->norm_fclib = value(fclib);
}

static ss_state state_of(const judge *s, int i, double limit) {
  int d = s->p->dim;
  double size = s->lambda[i] * norm_of(s->r + (size_t)i * (size_t)d, (size_t)d);
  if (size <= limit) return SS_FREE;
  return s->tangent[i] <= limit ? SS_STICK : SS_SLIP;
}

static double or_infinite(double x) {
  return isfinite(x) ? x : INFINITY;
}

static void conclude(const judge *s, ss_contact_verdict *contacts, ss_verdict *out) {
  double scale = fmax(s->norm_q, s->norm_u), unit = fmax(scale, DBL_MIN);
  bool overflow = !isfinite(scale);  // a finite residual over it would look like none
  double fclib_unit = fmax(scale, s->norm_r);
  if (!(fclib_unit > DBL_EPSILON)) fclib_unit = 1;
  // where no contact moves, or there is none, the joints' own velocities are all there is
  double equality = or_infinite(s->norm_gap / (scale > 0 ? unit : fmax(s->norm_s, DBL_MIN)));
  *out = (ss_verdict){
      .error = overflow ? INFINITY : or_infinite(s->norm_F / unit + equality),
      .error_fclib = overflow ? INFINITY : or_infinite((s->norm_fclib + s->norm_gap) / fclib_unit),
      .equality = equality,
      .scale = scale,
      .worst_contact = s->p->nc ? 0 : -1,
  };
  out->state_tol = fmax(STATE_TOLERANCE, out->error);
  double limit = out->state_tol * scale;
  for (int i = 0; i < s->p->nc; i++) {
    bool judged = isfinite(out->error);
    ss_state state = judged ? state_of(s, i, limit) : SS_FREE;
    out->states[state] += judged;
    if (s->error[i] > s->error[out->worst_contact]) out->worst_contact = i;
    if (contacts) contacts[i] = (ss_contact_verdict){state, or_infinite(s->error[i] / unit)};
  }
}

static void write_out(const judge *s, const double *given_l, double *u, double *v, double *l) {
  for (size_t i = 0; u && i < contact_rows(s->p); i++) u[i] = s->motion.u[i].hi;
  if (v && s->p->form == SS_GLOBAL)
    for (int i = 0; i < s->p->ndof; i++) v[i] = s->motion.v[i].hi;
  if (l && s->p->nl) memmove(l, given_l, (size_t)s->p->nl * sizeof *l);
}

// ---- answers that are not numbers ----------------------------------------------------------

static bool all_finite(const double *x, size_t n, size_t *first) {
  for (size_t i = 0; i < n; i++)
    if (!isfinite(x[i])) {
      *first = i;
      return false;
    }
  return true;
}

static void fill(double *x, size_t n) {
  for (size_t i = 0; x && i < n; i++) x[i] = NAN;
}

// Infinite errors, no states told apart (their counts are zero), velocities not a number.
static void refuse(const ss_problem *p, int worst, double *u, double *v, double *l,
                   ss_contact_verdict *contacts, ss_verdict *out) {
  *out = (ss_verdict){.error = INFINITY,
                      .error_fclib = INFINITY,
                      .equality = p->nl ? INFINITY : 0,
                      .scale = INFINITY,
                      .state_tol = INFINITY,
                      .worst_contact = worst};
  fill(u, contact_rows(p));
  if (p->form == SS_GLOBAL) fill(v, (size_t)p->ndof);
  fill(l, (size_t)p->nl);
  for (int i = 0; contacts && i < p->nc; i++) contacts[i] = (ss_contact_verdict){SS_FREE, INFINITY};
}

// ---- interface -----------------------------------------------------------------------------

static ss_error prepare(judge *s, ssi_factor *mass, const double *lambda_max) {
  const ss_problem *p = s->p;
  if (p->form == SS_GLOBAL && p->ndof && !mass) {
    SS_TRY(ssi_factor_create(s->ctx, &p->M, &s->own_mass));
    mass = s->own_mass;
  }
  SS_TRY(ssi_motion_create(&s->arena, p, mass, &s->motion));
  size_t nc = (size_t)p->nc;
  double *work = SSI_TAKE(&s->arena, 3 * nc + (size_t)p->nl, double);
  if (!work) return ssi_fail(s->ctx, SS_ERR_MEMORY, "out of memory to judge %d contacts", p->nc);
  s->lambda = work;
  s->error = work + nc;
  s->tangent = work + 2 * nc;
  s->l = work + 3 * nc;
  return find_lambda(s, mass, lambda_max);
}

ss_error ssi_verify(ss_context *ctx, const ss_problem *p, ssi_factor *mass,
                    const double *lambda_max, const ss_solution *answer, double *u, double *v,
                    double *l, ss_contact_verdict *contacts, ss_verdict *out) {
  const double *given_l = answer->l;
  size_t at = 0;
  if (!answer->r && p->nc) return ssi_fail(ctx, SS_ERR_ARGUMENT, "the answer has no reactions r");
  if (!all_finite(answer->r, contact_rows(p), &at)) {
    refuse(p, (int)(at / (size_t)p->dim), u, v, l, contacts, out);
    return SS_OK;
  }
  if (given_l && !all_finite(given_l, (size_t)p->nl, &at)) {
    refuse(p, -1, u, v, l, contacts, out);
    return SS_OK;
  }
  judge s = {.ctx = ctx, .p = p, .r = answer->r, .arena = {.ctx = ctx}};
  ss_error e = prepare(&s, mass, lambda_max);
  if (!e) e = move(&s, &given_l);
  if (!e) {
    measure(&s);
    conclude(&s, contacts, out);
    write_out(&s, given_l, u, v, l);
  }
  ssi_factor_destroy(s.own_mass);
  ssi_arena_release(&s.arena);
  return e;
}

ss_error ss_verify(ss_context *ctx, const ss_problem *p, const ss_solution *answer, double *u,
                   double *v, double *l, ss_contact_verdict *contacts, ss_verdict *out) {
  if (!p || !answer || !out)
    return ssi_fail(ctx, SS_ERR_ARGUMENT,
                    "a problem, an answer and a place for the verdict are "
                    "needed");
  SS_TRY(ssi_problem_check_structure(ctx, p));
  return ssi_verify(ctx, p, NULL, NULL, answer, u, v, l, contacts, out);
}
