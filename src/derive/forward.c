// J dx: a direction of the data becomes right-hand sides of (7), (8), docs/derivatives.md (9).
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "derive/implicit.h"
#include "la/sparse.h"

static const double CONSISTENT = 1e-8;  // part of a right-hand side that a solution may leave

void ssi_change_add(const ss_sparse *pattern, const double *entries, double sign, const double *x,
                    double *y) {
  if (!entries || !x || !pattern->ptr) return;
  for (int i = 0; i < pattern->rows; i++) {
    double sum = 0;
    for (int64_t k = pattern->ptr[i]; k < pattern->ptr[i + 1]; k++)
      sum += entries[k] * x[pattern->col[k]];
    y[i] += sign * sum;
  }
}

void ssi_change_transposed_add(const ss_sparse *pattern, const double *entries, double sign,
                               const double *x, double *y) {
  if (!entries || !x || !pattern->ptr) return;
  for (int i = 0; i < pattern->rows; i++)
    for (int64_t k = pattern->ptr[i]; k < pattern->ptr[i + 1]; k++)
      y[pattern->col[k]] += sign * entries[k] * x[i];
}

static void add(const double *x, double sign, int n, double *y) {
  for (int k = 0; x && k < n; k++) y[k] += sign * x[k];
}

bool ssi_change_take(ssi_arena *arena, const ss_problem *p, ssi_change *out) {
  int m = p->dim * p->nc;
  out->r = SSI_TAKE(arena, m, double);
  out->u = SSI_TAKE(arena, m, double);
  out->balance = SSI_TAKE(arena, p->ndof, double);
  out->joints = SSI_TAKE(arena, p->nl, double);
  return !arena->failed;
}

// (9)
void ssi_change_of(const ss_derivative *d, const ss_data_direction *dx, ssi_change *out) {
  const ss_problem *p = &d->p;
  for (int i = 0; i < d->m; i++) {
    out->r[i] = dx->mu ? -d->locals[i / p->dim].tau[i % p->dim] * dx->mu[i / p->dim] : 0;
    out->u[i] = 0;
  }
  for (int j = 0; j < p->nl; j++) out->joints[j] = 0;
  if (p->form == SS_REDUCED) {
    add(dx->q, 1, d->m, out->u);
    ssi_change_add(&p->W, dx->W, 1, d->r, out->u);
    ssi_change_add(&p->V, dx->V, 1, d->l, out->u);
    add(dx->s, -1, p->nl, out->joints);
    ssi_change_add(&p->R, dx->R, -1, d->l, out->joints);
    ssi_change_transposed_add(&p->V, dx->V, -1, d->r, out->joints);
    return;
  }
  for (int j = 0; j < p->ndof; j++) out->balance[j] = 0;
  add(dx->w, 1, d->m, out->u);
  ssi_change_add(&p->H, dx->H, 1, d->v, out->u);
  add(dx->f, -1, p->ndof, out->balance);
  ssi_change_add(&p->M, dx->M, -1, d->v, out->balance);
  ssi_change_transposed_add(&p->H, dx->H, 1, d->r, out->balance);
  ssi_change_add(&p->G, dx->G, 1, d->l, out->balance);
  add(dx->b, -1, p->nl, out->joints);
  ssi_change_transposed_add(&p->G, dx->G, -1, d->v, out->joints);
}

// ---- right-hand sides ----------------------------------------------------------------------

static void put_contacts(const ss_derivative *d, const double *u, double *rhs) {  // -E u
  int dim = d->p.dim;
  for (int i = 0; i < d->p.nc; i++) {
    const ssi_local *c = &d->locals[i];
    for (int k = 0; k < c->count; k++) {
      double sum = 0;
      for (int part = 0; part < dim; part++) sum += c->E[dim * k + part] * u[dim * i + part];
      rhs[c->first + k] = -sum;
    }
  }
}

static void put_change(ss_derivative *d, const ssi_change *change) {
  const ss_problem *p = &d->p;
  double *rhs = d->rhs, *u = d->velocity;
  for (int j = 0; j < p->nl; j++) rhs[d->first_joint + j] = change->joints[j];
  for (int i = 0; i < d->m; i++) u[i] = change->u[i];
  if (p->form == SS_GLOBAL) {
    for (int j = 0; j < p->ndof; j++) rhs[j] = change->balance[j];
    if (p->nc) ssi_sparse_multiply_transposed_add(&p->H, change->r, rhs);
    for (int j = 0; j < p->ndof; j++) rhs[j] *= d->motion_scale[j];
  } else if (p->nc) {
    ssi_sparse_multiply_add(&p->W, change->r, u);
    if (p->nl) ssi_change_transposed_add(&p->V, p->V.x, -1, change->r, rhs + d->first_joint);
  }
  for (int j = 0; j < p->nl; j++) rhs[d->first_joint + j] *= d->joint_scale[j];
  put_contacts(d, u, rhs);
}

static ss_error contradicts(const ss_derivative *d, double left) {
  int first = 0;
  while (first < d->p.nc + d->p.nl && !d->loose[first]) first++;
  bool joint = first >= d->p.nc;
  return ssi_fail(
      d->ctx, SS_ERR_METHOD,
      "no derivative in this direction: the reactions of %d contacts and joints are not unique (%s "
      "%d "
      "first), and it moves them in ways that contradict each other (%.2g of it is left)",
      d->info.loose_count, joint ? "joint" : "contact", joint ? first - d->p.nc : first, left);
}

// ---- the answer ----------------------------------------------------------------------------

// dr = B y + change (5)
static void put_reactions(const ss_derivative *d, const ssi_change *change, double *r) {
  int dim = d->p.dim;
  for (int i = 0; i < d->p.nc; i++) {
    const ssi_local *c = &d->locals[i];
    for (int part = 0; part < dim; part++) {
      double sum = change->r[dim * i + part];
      for (int k = 0; k < c->count; k++) sum += c->B[dim * k + part] * d->x[c->first + k];
      r[dim * i + part] = sum;
    }
  }
}

// What the states say to be zero is.
static void put_zeros(const ss_derivative *d, double *u) {
  int dim = d->p.dim;
  for (int i = 0; i < d->p.nc; i++) {
    ssi_going g = d->locals[i].going;
    for (int part = 0; part < dim; part++)
      if (g == SSI_GOING_STICK || (part == 0 && (g == SSI_GOING_SLIP || g == SSI_GOING_EDGE)))
        u[dim * i + part] = 0;
  }
}

static ss_error put_answer(ss_derivative *d, const ssi_change *change, const ssi_response *out) {
  const ss_problem *p = &d->p;
  double *l = d->rest, *r = d->impulse, *u = d->velocity;
  for (int j = 0; j < p->ndof && p->form == SS_GLOBAL; j++) d->x[j] *= d->motion_scale[j];
  for (int j = 0; j < p->nl; j++) l[j] = d->joint_scale[j] * d->x[d->first_joint + j];
  put_reactions(d, change, r);
  for (int i = 0; i < d->m; i++) u[i] = change->u[i];
  if (p->nc && p->form == SS_GLOBAL && p->ndof) ssi_sparse_multiply_add(&p->H, d->x, u);
  if (p->nc && p->form == SS_REDUCED) ssi_sparse_multiply_add(&p->W, r, u);
  if (p->nc && p->form == SS_REDUCED && p->nl) ssi_sparse_multiply_add(&p->V, l, u);
  put_zeros(d, u);
  if (!ssi_all_finite(d->x, d->n) || !ssi_all_finite(l, p->nl) || !ssi_all_finite(r, d->m) ||
      !ssi_all_finite(u, d->m))
    return ssi_derive_overflow(d);
  if (out->r && d->m) memcpy(out->r, r, sizeof *r * (size_t)d->m);
  if (out->u && d->m) memcpy(out->u, u, sizeof *u * (size_t)d->m);
  if (out->l && p->nl) memcpy(out->l, l, sizeof *l * (size_t)p->nl);
  if (out->v && p->form == SS_GLOBAL && p->ndof)
    memcpy(out->v, d->x, sizeof *d->x * (size_t)p->ndof);
  return SS_OK;
}

ss_error ssi_derive_respond(ss_derivative *d, const ssi_change *change, const ssi_response *out) {
  double left;
  put_change(d, change);
  ss_error e = ssi_derive_solve(d, false, d->rhs, d->x, &left);
  if (e) return ssi_fail(d->ctx, e, "the linearised equations cannot be solved");
  if (!isfinite(left)) return ssi_derive_overflow(d);
  return left <= CONSISTENT ? put_answer(d, change, out) : contradicts(d, left);
}

// ---- the call ------------------------------------------------------------------------------

ss_error ssi_derive_check_direction(const ss_derivative *d, const ss_data_direction *dx) {
  const ss_problem *p = &d->p;
  const struct {
    const char *name;
    const double *x;
    int64_t count;
  } all[] = {{"mu", dx->mu, p->nc},
             {"W", dx->W, ssi_sparse_entries(&p->W)},
             {"V", dx->V, ssi_sparse_entries(&p->V)},
             {"R", dx->R, ssi_sparse_entries(&p->R)},
             {"q", dx->q, d->m},
             {"s", dx->s, p->nl},
             {"M", dx->M, ssi_sparse_entries(&p->M)},
             {"H", dx->H, ssi_sparse_entries(&p->H)},
             {"G", dx->G, ssi_sparse_entries(&p->G)},
             {"f", dx->f, p->ndof},
             {"w", dx->w, d->m},
             {"b", dx->b, p->nl}};
  bool reduced = p->form == SS_REDUCED;
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
    if (!all[k].x) continue;
    if (k && (k < 6) != reduced)
      return ssi_fail(d->ctx, SS_ERR_ARGUMENT, "a direction of %s, which the %s form does not have",
                      all[k].name, reduced ? "reduced" : "global");
    if (!ssi_all_finite(all[k].x, all[k].count))
      return ssi_fail(d->ctx, SS_ERR_ARGUMENT, "the direction of %s is not finite", all[k].name);
  }
  for (int i = 0; i < p->nc && dx->mu; i++)
    if (dx->mu[i] != 0 && d->locals[i].no_mu)
      return ssi_fail(
          d->ctx, SS_ERR_METHOD,
          "contact %d is frictionless and at rest: no derivative with respect to its mu", i);
  return SS_OK;
}

ss_error ss_derivative_forward(ss_derivative *d, const ss_data_direction *direction, double *r,
                               double *u, double *v, double *l) {
  if (!d || !direction) return ssi_missing(d ? d->ctx : NULL, "ss_derivative_forward");
  SS_TRY(ssi_derive_exists(d));
  SS_TRY(ssi_derive_check_direction(d, direction));
  ssi_change_of(d, direction, &d->change);
  return ssi_derive_respond(d, &d->change, &(ssi_response){r, u, v, l});
}
