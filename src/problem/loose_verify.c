// Each component with scales of its own, U of velocities and P of impulses: (u/U, r/P) is measured as (u, lambda r) is
// elsewhere, lambda = U/P, and so are the balance of forces and the joints' gap over what they are sums of.
#include "problem/loose_verify.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "cone/law.h"
#include "la/sparse.h"
#include "problem/components.h"
#include "problem/natural.h"

static const double STATE_TOLERANCE = 1e-8;  // as in problem/verify.c
static const double MOST = 10;  // times what the load gives: what an answer may add to a scale

typedef struct loose_part {  // sums of squares, then their roots
  double w, moved;           // |w|; |H_ij v_j|, the largest H_ij of each column
  double force, pushed;      // |f|, |M v|; |H^T r|, |G l|
  double reach;              // largest |H_ij|
  double reaction, law, balance, gap, gap_terms;
} loose_part;

typedef struct loose_judge {
  const ss_problem *p;
  const ss_solution *at;
  ssi_components x;
  ssi_dd *u, *gap, *balance;  // (m), (nl), (ndof)
  loose_part *part;           // of each component, and of what touches no contact   (count + 1)
  double *left, *column;      // (nc); largest |H_ij| of a dof   (ndof)
} loose_judge;

static int part_of(const loose_judge *j, int node) {
  int leader = j->x.leader[node];
  return leader < j->p->nc ? j->x.of[leader] : j->x.count;
}

static void multiply(const ss_sparse *A, const double *x, double sign, ssi_dd *y) {
  for (int i = 0; i < A->rows && A->ptr; i++)
    for (int64_t k = A->ptr[i]; k < A->ptr[i + 1]; k++)
      y[i] = ssi_dd_add(y[i], ssi_two_prod(sign * A->x[k], x[A->col[k]]));
}

static void multiply_transposed(const ss_sparse *A, const double *x, double sign, ssi_dd *y) {
  for (int i = 0; i < A->rows && A->ptr; i++)
    for (int64_t k = A->ptr[i]; k < A->ptr[i + 1]; k++)
      y[A->col[k]] = ssi_dd_add(y[A->col[k]], ssi_two_prod(sign * A->x[k], x[i]));
}

static double square(double x) {
  return x * x;
}

static void move(loose_judge *j) {
  const ss_problem *p = j->p;
  int d = p->dim;
  for (int i = 0; i < d * p->nc; i++) j->u[i] = ssi_dd_from(p->w[i]);
  multiply(&p->H, j->at->v, 1, j->u);
  for (int k = 0; k < p->nl; k++) j->gap[k] = ssi_dd_from(p->b[k]);
  if (p->nl) multiply_transposed(&p->G, j->at->v, 1, j->gap);
  for (int i = 0; i < d * p->nc; i++) {
    loose_part *part = &j->part[j->x.of[i / d]];
    part->w += square(p->w[i]);
    part->reaction += square(j->at->r[i]);
    for (int64_t k = p->H.ptr ? p->H.ptr[i] : 0; p->H.ptr && k < p->H.ptr[i + 1]; k++) {
      part->reach = fmax(part->reach, fabs(p->H.x[k]));
      double *column = &j->column[p->H.col[k]];
      *column = fmax(*column, fabs(p->H.x[k]));
    }
  }
  for (int i = 0; i < p->ndof; i++) {  // inside a body that deforms, as far as a contact could move
    loose_part *part = &j->part[part_of(j, p->nc + i)];
    part->moved += square((j->column[i] > 0 ? j->column[i] : part->reach) * j->at->v[i]);
  }
}

// One product of the balance at a time: its size, then what is left of all.
static void balance(loose_judge *j) {
  const ss_problem *p = j->p;
  for (int part = 0; part < 4; part++) {
    ssi_dd *sum = j->balance + (size_t)p->ndof;  // scratch
    memset(sum, 0, (size_t)p->ndof * sizeof *sum);
    if (part == 0) multiply(&p->M, j->at->v, 1, sum);
    if (part == 1) multiply_transposed(&p->H, j->at->r, -1, sum);
    if (part == 2 && p->nl) multiply(&p->G, j->at->l, -1, sum);
    for (int i = 0; i < p->ndof; i++) {
      if (part == 3) sum[i] = ssi_dd_from(p->f[i]);
      loose_part *to = &j->part[part_of(j, p->nc + i)];
      *(part == 0 || part == 3 ? &to->force : &to->pushed) += square(sum[i].hi);
      j->balance[i] = ssi_dd_add(j->balance[i], sum[i]);
    }
  }
  for (int i = 0; i < p->ndof; i++)
    j->part[part_of(j, p->nc + i)].balance += square(j->balance[i].hi);
  for (int i = 0; i < p->ndof && p->nl; i++)  // what the joints' gaps are sums of
    for (int64_t k = p->G.ptr[i]; k < p->G.ptr[i + 1]; k++)
      j->part[part_of(j, p->nc + p->ndof + p->G.col[k])].gap_terms +=
          square(p->G.x[k] * j->at->v[i]);
  for (int k = 0; k < p->nl; k++) {
    loose_part *to = &j->part[part_of(j, p->nc + p->ndof + k)];
    to->gap += square(j->gap[k].hi);
    to->gap_terms += square(p->b[k]);
  }
}

// What the load gives, and of what the answer adds not more than MOST times that.
static double scale(double given, double answer) {
  return given > 0 ? fmax(given, fmin(answer, MOST * given)) : answer > 0 ? answer : 1;
}

static double velocity_scale(const loose_part *x) {
  return scale(sqrt(x->w), sqrt(x->moved));
}

static double impulse_scale(const loose_part *x) {
  return scale(x->reach > 0 ? sqrt(x->force) / x->reach : 0, sqrt(x->reaction));
}

static double over(double x, double unit) {  // 0/0 is nothing
  return x == 0 ? 0 : x / fmax(unit, DBL_MIN);
}

static double equality(const loose_part *x) {
  double force = x->force > 0 ? x->force : x->pushed;
  return over(sqrt(x->balance), sqrt(force)) + over(sqrt(x->gap), sqrt(x->gap_terms));
}

// What contact i leaves of the law over the velocities' scale, docs/theory.md (6'), (6'').
static double left_of(const loose_judge *j, int i, double U, double lambda) {
  int d = j->p->dim;
  const double *r = j->at->r + (size_t)d * (size_t)i;
  const ssi_dd *u = j->u + (size_t)d * (size_t)i;
  double mu = j->p->mu[i], size = 0;
  ssi_dd F[3] = {{0}}, tangent = ssi_tangent_length(d, u);
  for (int k = 0; k < d; k++) size = hypot(size, lambda * r[k]);
  ssi_natural_map(d, mu, lambda, r, u, tangent, F);
  double left = fmax(ssi_length(d, F), ssi_normal_part(u[0].hi, size));
  if (mu > SSI_LAW_MU)
    left = fmin(left, (2 + SSI_LAW_MU) * ssi_law_distance(d, mu, lambda, r, u, tangent));
  double closing = -u[0].hi;
  if (closing > SSI_LAW_ROUNDING * fmax(tangent.hi, U) && size < closing)
    left = fmax(left, fmin(mu * closing, tangent.hi));
  return left / U;
}

static ss_state state_of(const loose_judge *j, int i, double tol) {
  const loose_part *x = &j->part[j->x.of[i]];
  int d = j->p->dim;
  double size = 0;
  for (int k = 0; k < d; k++) size = hypot(size, j->at->r[d * i + k]);
  if (size <= tol * impulse_scale(x)) return SS_FREE;
  double slides = ssi_tangent_length(d, j->u + (size_t)d * (size_t)i).hi;
  return slides <= tol * velocity_scale(x) ? SS_STICK : SS_SLIP;
}

static void judge_law(loose_judge *j, ss_verdict *out) {
  double fclib = 0, u = 0, r = 0, w = 0, penetration = 0;
  int d = j->p->dim;
  for (int i = 0; i < j->p->nc; i++) {
    loose_part *x = &j->part[j->x.of[i]];
    const double *ri = j->at->r + (size_t)d * (size_t)i;
    const ssi_dd *ui = j->u + (size_t)d * (size_t)i;
    double U = velocity_scale(x);
    ssi_dd F[3] = {{0}};
    j->left[i] = left_of(j, i, U, U / impulse_scale(x));
    x->law += square(j->left[i]);
    ssi_natural_map(d, j->p->mu[i], 1, ri, ui, ssi_tangent_length(d, ui), F);
    fclib += square(ssi_length(d, F));
    penetration += square(fmin(ui[0].hi, 0));
    u += square(ssi_length(d, ui));
    for (int k = 0; k < d; k++) r += square(ri[k]), w += square(j->p->w[d * i + k]);
    if (i == 0 || !(j->left[i] <= j->left[out->worst_contact])) out->worst_contact = i;
  }
  out->scale = sqrt(fmax(w, u));
  double unit = fmax(out->scale, sqrt(r));
  out->error_fclib = over(sqrt(fclib), unit);
  out->penetration = over(sqrt(penetration), unit);
}

static double finite_or_infinite(double x) {
  return isfinite(x) ? x : INFINITY;
}

static void conclude(loose_judge *j, ss_contact_verdict *contacts, ss_verdict *out) {
  *out = (ss_verdict){.worst_contact = -1, .worst_component = -1, .components = j->x.count};
  judge_law(j, out);
  double worst = -1;
  for (int k = 0; k <= j->x.count; k++) {
    double rest = equality(&j->part[k]), own = sqrt(j->part[k].law) + rest;
    if (!(rest <= out->equality)) out->equality = finite_or_infinite(rest);
    if (!(own <= worst)) {
      worst = finite_or_infinite(own);
      if (k < j->x.count) out->worst_component = j->x.contact[j->x.first[k]];
    }
  }
  out->error = fmax(worst, 0);
  out->error_fclib = finite_or_infinite(out->error_fclib + out->equality);
  out->penetration = finite_or_infinite(out->penetration);
  out->state_tol = fmax(STATE_TOLERANCE, out->error);
  for (int i = 0; i < j->p->nc && isfinite(out->error); i++) {
    ss_state state = state_of(j, i, out->state_tol);
    out->states[state]++;
    if (contacts) contacts[i] = (ss_contact_verdict){state, j->left[i]};
  }
}

static ss_error missing(ss_context *ctx, const char *what) {
  return ssi_fail(
      ctx, SS_ERR_ARGUMENT,
      "the answer has no %s: M is singular, so that r alone does not say how the bodies "
      "move",
      what);
}

ss_error ssi_verify_loose(ss_context *ctx, const ss_problem *p, const ss_solution *answer,
                          double *u, double *v, double *l, ss_contact_verdict *contacts,
                          ss_verdict *out) {
  size_t m = (size_t)p->dim * (size_t)p->nc, n = (size_t)p->ndof, nl = (size_t)p->nl;
  if (!answer->r && p->nc) return missing(ctx, "reactions r");
  if (!answer->v && p->ndof) return missing(ctx, "velocities v");
  if (!answer->l && p->nl) return missing(ctx, "multipliers l");
  ssi_arena arena = {.ctx = ctx};
  loose_judge j = {.p = p, .at = answer};
  j.u = SSI_TAKE(&arena, m, ssi_dd);
  j.gap = SSI_TAKE(&arena, nl, ssi_dd);
  j.balance = SSI_TAKE(&arena, 2 * n, ssi_dd);
  j.left = SSI_TAKE(&arena, p->nc, double);
  j.column = SSI_TAKE(&arena, n, double);
  if (arena.failed || !ssi_components_create(&arena, p, &j.x) ||
      !(j.part = SSI_TAKE(&arena, j.x.count + 1, loose_part))) {
    ssi_arena_release(&arena);
    return ssi_fail(ctx, SS_ERR_MEMORY, "out of memory to judge %d contacts", p->nc);
  }
  move(&j);
  balance(&j);
  conclude(&j, contacts, out);
  for (size_t i = 0; u && i < m; i++) u[i] = j.u[i].hi;
  if (v && v != answer->v) memcpy(v, answer->v, n * sizeof *v);
  if (l && l != answer->l && nl) memcpy(l, answer->l, nl * sizeof *l);
  ssi_arena_release(&arena);
  return SS_OK;
}
