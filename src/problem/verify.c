#include "problem/verify.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "la/largest_eigenvalue.h"
#include "la/small.h"
#include "problem/blocks.h"
#include "problem/check.h"
#include "problem/contact_error.h"
#include "problem/loose.h"
#include "problem/loose_verify.h"
#include "problem/motion.h"

static const double STATE_TOLERANCE = 1e-8;  // states are not told apart more finely than this

const char *ss_state_name(ss_state s) {
  static const char *const names[] = {[SS_FREE] = "free", [SS_STICK] = "stick", [SS_SLIP] = "slip"};
  return (size_t)s < sizeof names / sizeof *names ? names[s] : "unknown";
}

// ---- norms of vectors -----------------------------------------------------------------------

static double norm_of(const double *x, size_t n) {
  ssi_norm s = {0};
  for (size_t i = 0; i < n; i++) ssi_norm_add(&s, x[i]);
  return ssi_norm_value(s);
}

static double norm_of_pairs(const ssi_dd *x, size_t n) {
  ssi_norm s = {0};
  for (size_t i = 0; i < n; i++) ssi_norm_add(&s, x[i].hi);
  return ssi_norm_value(s);
}

// ---- the parts -----------------------------------------------------------------------------

typedef struct norms {
  double u, r, fclib, gap, penetration;
} norms;

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

static ss_error find_lambda(ssi_judge *s, ssi_factor *mass, const double *lambda_max) {
  int nc = s->p->nc, d = s->p->dim;
  if (lambda_max) {
    if (nc) memcpy(s->lambda, lambda_max, (size_t)nc * sizeof *lambda_max);
  } else {
    double *blocks = ssi_alloc(s->ctx, (size_t)nc, (size_t)(d * d) * sizeof *blocks);
    if (!blocks) return ssi_fail(s->ctx, SS_ERR_MEMORY, "out of memory for %d blocks of W", nc);
    ss_error e = ssi_contact_blocks(s->ctx, s->p, mass, blocks);
    if (!e) ssi_largest_eigenvalues(d, nc, blocks, s->lambda);
    ssi_release(s->ctx, blocks);
    SS_TRY(e);
  }
  replace_zeros(nc, s->lambda);
  return SS_OK;
}

static ss_error find_load(ssi_judge *s) {
  size_t m = contact_rows(s->p), nl = (size_t)s->p->nl;
  ssi_load load = {s->p->q, s->p->s, NULL, NULL};
  if (s->p->form == SS_REDUCED) {
    s->norm_q = norm_of(s->p->q, m);
    s->norm_s = norm_of(s->p->s, nl);
  } else {
    SS_TRY(ssi_motion_compute(&s->motion, NULL, NULL));
    s->norm_q = norm_of_pairs(s->motion.u, m);
    s->norm_s = norm_of_pairs(s->motion.gap, nl);
    load = ssi_judge_plain_load(s);
  }
  SS_TRY(
      ssi_load_scales(s->p, s->parts, &load, s->motion.mass, ssi_judge_behind_load(s), &s->load));
  if (nl) SS_TRY(ssi_judge_ask_joints(s, &load));
  s->load_known = true;
  return SS_OK;
}

static ss_error move(ssi_judge *s, const double *r, const double **l, norms *n) {
  size_t m = contact_rows(s->p), nl = (size_t)s->p->nl;
  if (!s->load_known) SS_TRY(find_load(s));
  if (nl && !*l) {
    SS_TRY(ssi_motion_compute(&s->motion, r, NULL));
    SS_TRY(ssi_motion_hold_joints(&s->motion, r, 1, ssi_judge_behind_load(s), s->l));
    *l = s->l;
  } else {
    SS_TRY(ssi_motion_compute(&s->motion, r, nl ? *l : NULL));
  }
  n->u = norm_of_pairs(s->motion.u, m);
  n->r = norm_of(r, m);
  n->gap = norm_of_pairs(s->motion.gap, nl);
  return SS_OK;
}

// What every contact leaves of the law, docs/theory.md (6'), and F with rho = 1.
SSI_INLINE void measure_in(ssi_judge *s, int d, const double *reactions, norms *n) {
  ssi_norm fclib = {0}, penetration = {0};
  for (int i = 0; i < s->p->nc; i++) {
    const double *r = reactions + (size_t)i * (size_t)d;
    const ssi_dd *u = s->motion.u + (size_t)i * (size_t)d;
    ssi_dd F[3], tangent = ssi_tangent_length(d, u);
    double mu = s->p->mu[i];
    ssi_contact_error own = ssi_contact_judge(d, mu, s->lambda[i], r, u, tangent);
    s->tangent[i] = tangent.hi;
    s->error[i] = ssi_beyond_doubt(own.left, s->load.doubt[i]);
    if (u[0].hi < 0) ssi_norm_add(&penetration, fmax(-u[0].hi, own.missing));
    ssi_natural_map(d, mu, 1, r, u, tangent, F);
    for (int k = 0; k < d; k++) ssi_norm_add(&fclib, F[k].hi);
  }
  n->fclib = ssi_norm_value(fclib);
  n->penetration = ssi_norm_value(penetration);
}

SSI_CLONES_FMA static void measure(ssi_judge *s, const double *r, norms *n) {
  if (s->p->dim == 2)
    measure_in(s, 2, r, n);
  else
    measure_in(s, 3, r, n);
}

static ss_state state_of(const ssi_judge *s, const double *r, int i, double limit) {
  int d = s->p->dim;
  double size = s->lambda[i] * norm_of(r + (size_t)i * (size_t)d, (size_t)d);
  if (size <= limit) return SS_FREE;
  return s->tangent[i] <= limit ? SS_STICK : SS_SLIP;
}

static double or_infinite(double x) {
  return isfinite(x) ? x : INFINITY;
}

// |gap| of each component's joints; of those that move no contact where no component has any.
static double divide_gap(ssi_judge *s) {
  double apart = 0;
  for (int k = 0; k < s->parts->count; k++) s->gap[k] = 0;
  for (int j = 0; j < s->p->nl; j++) {
    int k = s->parts->of_joint[j];
    double *to = k < 0 ? &apart : &s->gap[k];
    *to = ssi_length2(*to, s->motion.gap[j].hi);
  }
  return apart;
}

static double speed_of(const ssi_judge *s, int k) {
  size_t d = (size_t)s->p->dim;
  ssi_norm u = {0};
  for (int at = s->parts->first[k]; at < s->parts->first[k + 1]; at++)
    for (size_t j = 0; j < d; j++)
      ssi_norm_add(&u, s->motion.u[(size_t)s->parts->contact[at] * d + j].hi);
  return ssi_norm_value(u);
}

// (7) of component k; its scale into *scale.
static double judge_component(const ssi_judge *s, int k, const norms *n, double *scale,
                              double *equality) {
  ssi_norm F = {0};
  for (int at = s->parts->first[k]; at < s->parts->first[k + 1]; at++)
    ssi_norm_add(&F, s->error[s->parts->contact[at]]);
  *scale = ssi_error_scale(s->load.scale[k], s->parts->count > 1 ? speed_of(s, k) : n->u);
  double unit = fmax(*scale, DBL_MIN);
  // where no contact moves, or by rounding only, the joints' own velocities are all there is
  bool moves = *scale > 0 && !s->load.still[k];
  *equality = or_infinite(s->gap[k] / (moves ? unit : fmax(unit, s->norm_s)));
  return isfinite(*scale) ? or_infinite(ssi_norm_value(F) / unit + *equality) : INFINITY;
}

// The worst component's error; s->gap then holds each one's scale.
static void judge_components(ssi_judge *s, const norms *n, ss_verdict *out) {
  double apart = divide_gap(s), all = fmax(out->scale, s->norm_s), worst = -1;
  out->error = out->equality = or_infinite(apart / fmax(all, DBL_MIN));
  for (int k = 0; k < s->parts->count; k++) {
    double scale, equality, error = judge_component(s, k, n, &scale, &equality);
    s->gap[k] = scale;
    out->still += s->load.still[k] ? s->parts->first[k + 1] - s->parts->first[k] : 0;
    out->error = fmax(out->error, error);
    out->equality = fmax(out->equality, equality);
    if (error > worst) worst = error, out->worst_component = s->parts->contact[s->parts->first[k]];
  }
  out->components = s->parts->count;
}

static void conclude(ssi_judge *s, const double *r, const norms *n, ss_contact_verdict *contacts,
                     ss_verdict *out) {
  double scale = fmax(s->norm_q, n->u), fclib_unit = fmax(scale, n->r);
  bool overflow = !isfinite(scale);  // a finite residual over it would look like none
  if (!(fclib_unit > DBL_EPSILON)) fclib_unit = 1;
  *out = (ss_verdict){
      .error_fclib = overflow ? INFINITY : or_infinite((n->fclib + n->gap) / fclib_unit),
      .penetration = overflow ? INFINITY : or_infinite(n->penetration / fclib_unit),
      .scale = scale,
      .worst_contact = s->p->nc ? 0 : -1,
      .worst_component = s->p->nc ? 0 : -1,
  };
  judge_components(s, n, out);
  if (overflow) out->error = INFINITY;
  out->state_tol = fmax(STATE_TOLERANCE, out->error);
  double worst = -1;
  for (int i = 0; i < s->p->nc; i++) {
    bool judged = isfinite(out->error);
    double own = s->gap[s->parts->of[i]];  // the component's scale
    ss_state state = judged ? state_of(s, r, i, out->state_tol * own) : SS_FREE;
    out->states[state] += judged;
    if (!(s->error[i] <= worst * own)) {
      worst = or_infinite(s->error[i] / fmax(own, DBL_MIN));
      out->worst_contact = i;
    }
    if (!contacts) continue;
    contacts[i] = (ss_contact_verdict){state, or_infinite(s->error[i] / fmax(own, DBL_MIN))};
  }
}

static void write_out(const ssi_judge *s, const double *given_l, double *u, double *v, double *l) {
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
                      .penetration = INFINITY,
                      .worst_contact = worst,
                      .worst_component = -1};
  fill(u, contact_rows(p));
  if (p->form == SS_GLOBAL) fill(v, (size_t)p->ndof);
  fill(l, (size_t)p->nl);
  for (int i = 0; contacts && i < p->nc; i++) contacts[i] = (ss_contact_verdict){SS_FREE, INFINITY};
}

const char *ss_measure_name(ss_measure m) {
  static const char *const names[] = {
      [SS_MEASURE_ERROR] = "error", [SS_MEASURE_FCLIB] = "fclib", [SS_MEASURE_BOTH] = "both"};
  return (size_t)m < sizeof names / sizeof *names ? names[m] : "unknown";
}

static double larger(double a, double b) {  // not a number where one is not
  return a > b || isnan(a) ? a : b;
}

double ss_verdict_measure(const ss_verdict *v, ss_measure measure) {
  if (!v) return NAN;
  if (measure == SS_MEASURE_ERROR) return v->error;
  // (8) lets u_N < 0 pass at large mu; for mu <= 1 it is the larger of the two. docs/theory.md (8')
  double fclib = larger(v->error_fclib, v->penetration / sqrt(2));
  return measure == SS_MEASURE_FCLIB ? fclib : larger(v->error, fclib);
}

// ---- interface -----------------------------------------------------------------------------

ss_error ssi_judge_create(ssi_arena *arena, const ss_problem *p, ssi_factor *mass,
                          const double *lambda_max, const ssi_components *parts, ssi_judge *out) {
  size_t nc = (size_t)p->nc;
  *out = (ssi_judge){.ctx = arena->ctx, .p = p};
  SS_TRY(ssi_motion_create(arena, p, mass, &out->motion));
  size_t nl = (size_t)p->nl, n = p->form == SS_GLOBAL ? (size_t)p->ndof : 0;
  size_t scratch = n || nl ? contact_rows(p) + 2 * nl + 2 * n : 0;
  double *work = SSI_TAKE(arena, 4 * nc + nl + scratch + ssi_load_scale_size(p->nc), double);
  out->parts = parts ? parts : &out->own;
  if (!work || (!parts && !ssi_components_create(arena, p, &out->own)))
    return ssi_fail(out->ctx, SS_ERR_MEMORY, "out of memory to judge %d contacts", p->nc);
  out->lambda = work;
  out->error = work + nc;
  out->tangent = work + 2 * nc;
  out->gap = work + 3 * nc;
  out->l = work + 4 * nc;
  out->scratch = out->l + nl;
  ssi_load_scale_place(out->scratch + scratch, p->nc, &out->load);
  return find_lambda(out, mass, lambda_max);
}

void ssi_judge_reload(ssi_judge *judge) {
  judge->load_known = false;
}

void ssi_judge_renew(ssi_judge *judge, const double *lambda_max) {
  int nc = judge->p->nc;
  judge->load_known = false;
  if (judge->parts == &judge->own) ssi_components_find(judge->p, &judge->own);
  if (nc) memcpy(judge->lambda, lambda_max, (size_t)nc * sizeof *lambda_max);
  replace_zeros(nc, judge->lambda);
}

ss_error ssi_judge_answer(ssi_judge *s, const ss_solution *answer, double *u, double *v, double *l,
                          ss_contact_verdict *contacts, ss_verdict *out) {
  const ss_problem *p = s->p;
  const double *given_l = answer->l;
  size_t at = 0;
  refuse(p, -1, NULL, NULL, NULL, NULL, out);  // for the ways out below
  if (!answer->r && p->nc)
    return ssi_fail(s->ctx, SS_ERR_ARGUMENT, "the answer has no reactions r");
  if (!all_finite(answer->r, contact_rows(p), &at)) {
    refuse(p, (int)(at / (size_t)p->dim), u, v, l, contacts, out);
    return SS_OK;
  }
  if (given_l && !all_finite(given_l, (size_t)p->nl, &at)) {
    refuse(p, -1, u, v, l, contacts, out);
    return SS_OK;
  }
  norms n;
  SS_TRY(move(s, answer->r, &given_l, &n));
  measure(s, answer->r, &n);
  conclude(s, answer->r, &n, contacts, out);
  write_out(s, given_l, u, v, l);
  return SS_OK;
}

ss_error ssi_court_open(ss_context *ctx, const ss_problem *p, ssi_court *out) {
  *out = (ssi_court){.arena = {.ctx = ctx}};
  if (p->form == SS_GLOBAL && p->ndof) SS_TRY(ssi_factor_create(ctx, &p->M, &out->mass));
  return ssi_judge_create(&out->arena, p, out->mass, NULL, NULL, &out->judge);
}

void ssi_court_close(ssi_court *court) {
  ssi_factor_destroy(court->mass);
  ssi_arena_release(&court->arena);
}

ss_error ssi_judge_doubt(ss_context *ctx, const ss_problem *p, double *doubt) {
  ssi_court court;
  ss_error e = ssi_court_open(ctx, p, &court);
  if (!e) e = find_load(&court.judge);
  if (!e && p->nc) memcpy(doubt, court.judge.load.doubt, sizeof *doubt * (size_t)p->nc);
  ssi_court_close(&court);
  return e;
}

ss_error ss_verify(ss_context *ctx, const ss_problem *p, const ss_solution *answer, double *u,
                   double *v, double *l, ss_contact_verdict *contacts, ss_verdict *out) {
  if (out) *out = (ss_verdict){.error = INFINITY, .error_fclib = INFINITY, .worst_contact = -1};
  if (!p || !answer || !out)
    return ssi_fail(ctx, SS_ERR_ARGUMENT,
                    "a problem, an answer and a place for the verdict are needed");
  SS_TRY(ssi_problem_check_structure(ctx, p));
  ssi_court court;
  refuse(p, -1, NULL, NULL, NULL, NULL, out);
  ss_error e = ssi_court_open(ctx, p, &court);
  if (!e) e = ssi_judge_answer(&court.judge, answer, u, v, l, contacts, out);
  ssi_court_close(&court);
  if (e != SS_ERR_DATA) return e;
  SS_TRY(ssi_loose_instead(ctx, p, e));
  return ssi_verify_loose(ctx, p, answer, u, v, l, contacts, out);
}
