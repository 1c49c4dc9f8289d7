// The evidence of a certificate, judged from the raw data in double-double arithmetic. Nothing here is
// used by the search that found it, and nothing of the search is used here.
//
// With u = H v + w the margin of v is min_i u_N - mu |u_T|: (A) holds iff it is >= 0 for some v. For any
// r in K and any v
//
//   min_i margin . sum r_N  <=  sum u.r  =  w.r + b.l + v.(H^T r + G l)    if G^T v + b = 0        (1)
//
// so w.r + b.l < 0 and H^T r + G l = 0 exclude (A). Where the equilibrium is not exact, (1) still excludes
// all v for which the last term is smaller than -(w.r + b.l): `reach` says how fast they may be.
#include "certify/certificate_check.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/worst.h"
#include "certify/joints.h"
#include "certify/raw_motion.h"

// Rounding of H moves H d by 1e-16 of what its columns contribute, however much of that cancels.
static const double SHADOW = 1e-3;

typedef struct judge {
  ss_context *ctx;
  const ss_problem *p;
  int m, size;     // size of v, or of z
  double unit;     // largest |w_i|, |b_k|
  double largest;  // number in w and b
  double norm;     // reduced: |[W V; V^T R]|, from power steps
  double norm_q;   // reduced: |(q, s)|
  ssi_dd *u;       // (m + nl): H v + w, G^T v + b
  ssi_dd *p_sum;   // (size): H^T r + G l
  double *column;  // largest |entry| of H and G in each dof, of [W V; V^T R] in each column (size)
  double *work;    // (2 (m + nl))
} judge;

// ---- products with the raw data ------------------------------------------------------------

// p_sum = H^T r + G l, or W^T r + V l and V^T r + R^T l
SSI_CLONES_FMA static void balance(judge *j, const double *r, const double *l) {
  const ss_problem *p = j->p;
  for (int i = 0; i < j->size; i++) j->p_sum[i] = (ssi_dd){0, 0};
  if (p->form == SS_GLOBAL) {
    ssi_raw_add_columns(&p->H, r, j->p_sum);
    if (p->nl && l) ssi_raw_add_rows(&p->G, l, j->p_sum);
  } else {
    ssi_raw_add_columns(&p->W, r, j->p_sum);
    if (p->nl) ssi_raw_add_columns(&p->V, r, j->p_sum + j->m);
    if (p->nl && l) {
      ssi_raw_add_rows(&p->V, l, j->p_sum);
      ssi_raw_add_columns(&p->R, l, j->p_sum + j->m);
    }
  }
  for (int i = 0; i < j->size; i++) j->p_sum[i] = ssi_dd_finish(j->p_sum[i]);
}

// ---- sizes ---------------------------------------------------------------------------------

static double length(int n, const double *x) {
  double most = 0, square = 0;
  for (int i = 0; i < n; i++) most = ssi_larger(most, fabs(x[i]));
  for (int i = 0; i < n && most > 0; i++) square += (x[i] / most) * (x[i] / most);
  return most * sqrt(square);
}

static void largest_in_columns(const ss_sparse *A, double *column) {
  for (int i = 0; i < A->rows && A->ptr; i++)
    for (int64_t k = A->ptr[i]; k < A->ptr[i + 1]; k++)
      column[A->col[k]] = fmax(column[A->col[k]], fabs(A->x[k]));
}

static void largest_in_rows(const ss_sparse *A, double *row) {
  for (int i = 0; i < A->rows && A->ptr; i++)
    for (int64_t k = A->ptr[i]; k < A->ptr[i + 1]; k++) row[i] = fmax(row[i], fabs(A->x[k]));
}

static void measure_columns(judge *j) {
  const ss_problem *p = j->p;
  bool global = p->form == SS_GLOBAL;
  largest_in_columns(global ? &p->H : &p->W, j->column);
  if (!p->nl) return;
  largest_in_rows(global ? &p->G : &p->V, j->column);
  if (global) return;
  largest_in_columns(&p->V, j->column + j->m);
  largest_in_columns(&p->R, j->column + j->m);
}

// |[W V; V^T R]| by power steps from a fixed start: within a few per cent, which is all it is for.
static void measure_norm(judge *j) {
  double *x = j->work, size = 0;
  for (int i = 0; i < j->size; i++) x[i] = 1 + 0.3 * sin(1 + i);
  for (int step = 0; step < 30; step++) {
    size = length(j->size, x);
    if (!(size > 0)) break;
    for (int i = 0; i < j->size; i++) x[i] /= size;
    balance(j, x, x + j->m);
    for (int i = 0; i < j->size; i++) x[i] = j->p_sum[i].hi;
  }
  j->norm = size;
}

static void measure_unit(judge *j) {
  const ss_problem *p = j->p;
  bool global = p->form == SS_GLOBAL;
  const double *w = global ? p->w : p->q, *b = global ? p->b : p->s;
  for (int64_t i = 0; i < p->nc; i++) j->unit = fmax(j->unit, length(p->dim, w + p->dim * i));
  for (int i = 0; i < j->m; i++) j->largest = fmax(j->largest, fabs(w[i]));
  for (int k = 0; k < p->nl; k++) j->largest = fmax(j->largest, fabs(b[k]));
  j->unit = fmax(j->unit, j->largest);
  if (!(j->unit > 0)) j->unit = 1;
  measure_columns(j);
  if (!global) measure_norm(j), j->norm_q = hypot(length(j->m, w), p->nl ? length(p->nl, b) : 0);
}

// ---- velocities ----------------------------------------------------------------------------

// Smallest u_N - mu |u_T|, with mu as it is or 0; the largest |u_i| less w.
static double margin_of(const judge *j, bool friction, int *where) {
  const ss_problem *p = j->p;
  double least = INFINITY;
  for (int64_t i = 0; i < p->nc; i++) {
    const ssi_dd *u = j->u + p->dim * i;
    ssi_dd none = {0, 0};
    ssi_dd t = ssi_dd_length2(u[1], p->dim == 3 ? u[2] : none);
    ssi_dd margin = ssi_dd_sub(u[0], ssi_dd_mul_d(t, friction ? p->mu[i] : 0));
    double value = isnan(margin.hi) ? -INFINITY : margin.hi;  // mu |u_T| overflows
    if (value < least) {
      least = value;
      if (where) *where = (int)i;
    }
  }
  return least;
}

// Rounding of the data moves row k of u = H v + w by eps t_k, t_k = max |w| + sum_j |H_kj v_j|: problem/load.c (1) with v
// as it is. In the reduced form W z as a whole stands for the sum.
static void terms_of(const judge *j, const double *v, double speed, int contact, double t[3]) {
  const ss_problem *p = j->p;
  for (int k = 0; k < p->dim; k++)
    t[k] = j->largest +
           (p->form == SS_GLOBAL ? ssi_raw_parts_of_row(&p->H, p->dim * contact + k, v) : speed);
}

// The smallest x that lets u into K* when each row k may move by x t_k: u_N by x t_N, and u_T, which keeps its direction, by
// the part x min_k t_k/|u_k| of itself, at most to 0:
//
//   x = max( -u_N / t_N,  (mu |u_T| - u_N) / (t_N + mu |u_T| min_k t_k/|u_k|) )
static double off_contact(const judge *j, int contact, const double t[3]) {
  const ss_problem *p = j->p;
  const ssi_dd *u = j->u + p->dim * contact;
  ssi_dd none = {0, 0}, slip = ssi_dd_length2(u[1], p->dim == 3 ? u[2] : none);
  double mu = p->mu[contact], missing = ssi_dd_sub(ssi_dd_mul_d(slip, mu), u[0]).hi;
  if (missing <= 0) return 0;
  double shorter = INFINITY;
  for (int k = 1; k < p->dim; k++)
    if (u[k].hi != 0) shorter = fmin(shorter, t[k] / fabs(u[k].hi));
  double turned = slip.hi > 0 ? mu * slip.hi * shorter : 0;
  double closing = -u[0].hi / t[0], slipping = missing / (t[0] + turned);
  return closing > slipping ? closing : slipping;
}

static double off_of(const judge *j, const double *v, double speed) {
  double most = 0;
  for (int i = 0; i < j->p->nc; i++) {
    double t[3];
    terms_of(j, v, speed, i, t);
    most = ssi_larger(most, off_contact(j, i, t));
  }
  return most;
}

static double equality_of(const judge *j) {
  double most = 0;
  for (int k = 0; k < j->p->nl; k++) most = ssi_larger(most, fabs(j->u[j->m + k].hi));
  return most;
}

// The largest |u_i|; slip: of frictionless contacts, |u_N|.
static double speed_of(const judge *j, bool slip) {
  double most = 0;
  for (int64_t i = 0; i < j->p->nc; i++) {
    double x[3] = {0};
    int count = slip && !(j->p->mu[i] > 0) ? 1 : j->p->dim;
    for (int k = 0; k < count; k++) x[k] = j->u[j->p->dim * i + k].hi;
    most = ssi_larger(most, length(j->p->dim, x));
  }
  return most;
}

// What may cancel in H v (global form).
static double parts_of(const judge *j, const double *v) {
  return j->p->form == SS_GLOBAL ? ssi_raw_parts(j->p, v) : 0;
}

static void judge_velocities(judge *j, const ss_certificate *c, ss_certificate_report *out) {
  if (c->velocity) {
    out->has_velocity = true;
    ssi_raw_motion(j->p, c->velocity, true, j->u);
    out->speed = speed_of(j, false) / j->unit;
    out->doubt = SSI_DOUBT * fmax(out->speed, parts_of(j, c->velocity) / j->unit);
    ssi_raw_motion(j->p, c->velocity, false, j->u);
    out->margin_low = margin_of(j, true, &out->worst_contact);
    out->off = off_of(j, c->velocity, out->speed * j->unit);
    out->equality = equality_of(j) / j->unit;
    out->slip = speed_of(j, true) / j->unit;
  }
  if (c->parting) {
    out->has_parting = true;
    ssi_raw_motion(j->p, c->parting, false, j->u);
    out->parting_low = margin_of(j, false, NULL);
    out->parting_equality = equality_of(j) / j->unit;
  }
  if (!c->direction) return;
  out->has_direction = true;
  ssi_raw_motion(j->p, c->direction, true, j->u);
  double size = speed_of(j, false);
  out->interior = margin_of(j, true, NULL) / fmax(size, SHADOW * parts_of(j, c->direction));
  out->direction_equality = equality_of(j) / size;
  out->image = 1;
  if (j->p->form == SS_GLOBAL) return;
  for (int i = 0; i < j->size; i++) j->work[i] = j->u[i].hi;
  out->image = length(j->size, j->work) / (j->norm * length(j->size, c->direction));
}

// ---- impulses ------------------------------------------------------------------------------

typedef struct impulses {
  double value;        // (w.r + b.l) / sum r_N
  double equilibrium;  //
  double exactness;    // largest rest of a dof, over the largest coefficient there and sum r_N
  double outside;      // sum of what is outside K, over sum r_N
  double reach;
} impulses;

SSI_CLONES_FMA static ssi_dd power(const judge *j, const double *r, const double *l) {
  bool global = j->p->form == SS_GLOBAL;
  const double *w = global ? j->p->w : j->p->q, *b = global ? j->p->b : j->p->s;
  ssi_dd sum = {0, 0};
  for (int i = 0; i < j->m; i++) ssi_dd_accumulate(&sum, w[i], r[i]);
  for (int k = 0; k < j->p->nl && l; k++) ssi_dd_accumulate(&sum, b[k], l[k]);
  return ssi_dd_finish(sum);
}

// sum r_N, and the sum of |r_T| - mu r_N and of -r_N where they are positive
static double inside(const judge *j, const double *r, double *outside) {
  const ss_problem *p = j->p;
  double sum = 0;
  *outside = 0;
  for (int64_t i = 0; i < p->nc; i++) {
    const double *ri = r + p->dim * i;
    ssi_dd t = ssi_dd_length2(ssi_dd_from(ri[1]), ssi_dd_from(p->dim == 3 ? ri[2] : 0));
    double excess = ssi_dd_sub(t, ssi_two_prod(p->mu[i], ri[0])).hi;
    if (!(excess <= 0)) *outside += excess;
    if (!(ri[0] >= 0)) *outside -= ri[0];
    sum += ri[0];
  }
  return sum;
}

static impulses judge_impulses(judge *j, const double *r, const double *l) {
  impulses x;
  double sum = inside(j, r, &x.outside), rests = 0, most = 0;
  balance(j, r, l);
  x.value = power(j, r, l).hi / sum;
  x.outside /= sum;
  for (int i = 0; i < j->size; i++) {
    double part = j->column[i] > 0 ? fabs(j->p_sum[i].hi) / j->column[i] / sum : 0;
    most = ssi_larger(most, part);
    rests += part;
  }
  x.equilibrium = x.exactness = most;
  if (j->p->form != SS_GLOBAL) {
    for (int i = 0; i < j->size; i++) j->work[i] = j->p_sum[i].hi;
    double left = length(j->size, j->work),
           size = hypot(length(j->m, r), l ? length(j->p->nl, l) : 0);
    x.equilibrium = left > 0 ? left / (j->norm * size) : 0;
    rests = left > 0 ? left / sum * (j->norm_q / j->norm) / j->unit : 0;
  }
  bool exact = rests + x.outside == 0;  // whatever the velocity
  x.reach = exact ? INFINITY : fabs(x.value) / j->unit / (rests + x.outside);
  if (!(sum > 0)) x = (impulses){NAN, NAN, NAN, NAN, NAN};
  return x;
}

// lambda as normal impulses, in j->work behind what judge_impulses uses
static const double *as_impulses(judge *j, const double *lambda) {
  double *r = j->work + j->size;
  for (int i = 0; i < j->m; i++) r[i] = i % j->p->dim ? 0 : lambda[i / j->p->dim];
  return r;
}

// Constraints alone: G l = 0 and b.l != 0.
static void judge_contradiction(judge *j, const double *l, ss_certificate_report *out) {
  double *none = j->work + j->size, size = length(j->p->nl, l), most = 0;
  memset(none, 0, sizeof(double) * (size_t)j->m);
  balance(j, none, l);
  for (int i = 0; i < j->size; i++) {
    double part = j->column[i] > 0 ? fabs(j->p_sum[i].hi) / j->column[i] / size : 0;
    most = ssi_larger(most, part);
  }
  out->has_lambda = true;
  out->lambda_exactness = most;
  out->penetration = -fabs(power(j, none, l).hi) / size;
  out->lambda_equilibrium = most;
  out->lambda_reach = fabs(out->penetration) / j->unit / most;
}

static void judge_modes(judge *j, const ss_certificate *c, ss_certificate_report *out) {
  if (c->impulse) {
    impulses x = judge_impulses(j, c->impulse, c->impulse_l);
    out->has_jamming = true;
    out->margin_high = x.value;
    out->equilibrium = x.equilibrium;
    out->outside = x.outside;
    out->reach = x.reach;
  }
  if (c->lambda) {
    impulses x = judge_impulses(j, as_impulses(j, c->lambda), c->lambda_l);
    out->has_lambda = true;
    out->penetration = x.value;
    out->lambda_equilibrium = x.equilibrium;
    out->lambda_exactness = x.exactness;
    out->lambda_outside = x.outside;
    out->lambda_reach = x.reach;
  } else if (c->lambda_l && j->p->nl) {
    judge_contradiction(j, c->lambda_l, out);
  }
}

ss_error ssi_certificate_measure(ss_context *ctx, const ss_problem *p, const ss_certificate *c,
                                 ss_certificate_report *out) {
  ssi_arena arena = {.ctx = ctx};
  judge j = {.ctx = ctx, .p = p, .m = p->dim * p->nc};
  size_t rows = (size_t)j.m + (size_t)p->nl;
  j.size = p->form == SS_GLOBAL ? p->ndof : (int)rows;
  j.u = SSI_TAKE(&arena, rows, ssi_dd);
  j.p_sum = SSI_TAKE(&arena, j.size, ssi_dd);
  j.column = SSI_TAKE(&arena, j.size, double);
  j.work = SSI_TAKE(&arena, 2 * rows + (size_t)j.size, double);
  *out = (ss_certificate_report){
      .margin_low = -INFINITY, .margin_high = INFINITY, .worst_contact = -1};
  ss_error e =
      arena.failed ? ssi_fail(ctx, SS_ERR_MEMORY, "out of memory to check a certificate") : SS_OK;
  if (!e) {
    measure_unit(&j);
    out->unit = j.unit;
    judge_velocities(&j, c, out);
    judge_modes(&j, c, out);
  }
  if (!e && p->form == SS_GLOBAL && p->nl)
    e = ssi_joints_ask_redundant(&arena, &p->G, p->b, c->rank_tol, &out->joints_blurred);
  ssi_arena_release(&arena);
  if (!e && c->velocity) e = ssi_certificate_measure_class(ctx, p, c->rank_tol, out);
  if (!e && c->solution) e = ssi_certificate_measure_solution(ctx, p, c->solution, out);
  if (!e && c->indefinite) ssi_certificate_measure_indefinite(p, c->indefinite, out);
  return e;
}
