// The derivative along one direction, where contacts at kinks choose how they go on: docs/derivatives.md (12) to (14).
//
// The contacts inside their states, and what an edge has in common with slipping, are eliminated by (7), (8). What is left to contact k
// of those at kinks is a velocity for a reaction z_k, in one direction of its own or, at the apex, in all:
//
//   edge     dr += -p beta,  alpha = -p.du_T,     0 <= alpha  ⊥  beta >= 0
//   press    dr = g rho,                          0 <= du_N   ⊥  rho >= 0
//   apex     (du, dr) in C(mu)
//
// The first two are frictionless contacts: all of it is one friction problem, alpha, du_N, du = W z + q, in the reduced form.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "derive/implicit.h"
#include "la/sparse.h"
#include "stickslip/solver.h"

enum { MOST = 1000 };               // contacts at kinks: their W is dense
static const double SOLVED = 1e-9;  // largest error of an answer
static const double AIMED_AT = 1e-13;

typedef struct choice {
  ss_derivative *d;
  ssi_arena arena;
  int count, rows;         // contacts at kinks, dim times that
  int *contact;            // (count)
  double *W, *q, *mu, *z;  // row-major (rows x rows), (rows), (count), (rows)
  ssi_change change;       // of the direction
  ssi_change unit;         // of one reaction
  double *du;              // (m)
} choice;

static bool at_kink(const ssi_local *c) {
  return c->going >= SSI_GOING_EDGE;
}

static bool take(choice *s) {
  ss_derivative *d = s->d;
  s->count = d->info.places[SS_PLACE_EDGE] + d->info.places[SS_PLACE_GRAZE];
  s->rows = d->p.dim * s->count;
  size_t rows = (size_t)s->rows;
  s->contact = SSI_TAKE(&s->arena, s->count, int);
  s->W = SSI_TAKE(&s->arena, rows * rows, double);
  s->q = SSI_TAKE(&s->arena, rows, double), s->z = SSI_TAKE(&s->arena, rows, double);
  s->mu = SSI_TAKE(&s->arena, s->count, double);
  s->du = SSI_TAKE(&s->arena, d->m, double);
  if (!ssi_change_take(&s->arena, &d->p, &s->change)) return false;
  if (!ssi_change_take(&s->arena, &d->p, &s->unit)) return false;
  for (int i = 0, k = 0; i < d->p.nc; i++)
    if (at_kink(&d->locals[i])) s->contact[k++] = i;
  return true;
}

// Velocities that the law of (13) is about, row by row of contact k; du (m).
static void read_velocity(const choice *s, int k, const double *du, double *out, size_t stride) {
  int dim = s->d->p.dim, i = s->contact[k];
  const ssi_local *c = &s->d->locals[i];
  const double *own = du + dim * i;
  for (int part = 0; part < dim; part++) {
    double x = own[part];
    if (c->going == SSI_GOING_EDGE && part == 0)
      x = c->ray[1] * own[1] + (dim == 3 ? c->ray[2] * own[2] : 0);
    if (c->going != SSI_GOING_APEX && part) x = 0;
    out[stride * (size_t)part] = x;
  }
}

// r += z of component `part` of contact k
static void add_reaction(const choice *s, int k, int part, double z, double *r) {
  int dim = s->d->p.dim, i = s->contact[k];
  const ssi_local *c = &s->d->locals[i];
  if (c->going == SSI_GOING_APEX)
    r[dim * i + part] += z;
  else
    for (int j = 0; j < dim && part == 0; j++) r[dim * i + j] += c->ray[j] * z;
}

// Column `part` of contact k of W: the response to a reaction of 1.
static ss_error fill_column(choice *s, int k, int part) {
  ss_derivative *d = s->d;
  int dim = d->p.dim, column = dim * k + part;
  size_t rows = (size_t)s->rows;
  if (part &&
      d->locals[s->contact[k]].going != SSI_GOING_APEX) {  // a direction that nothing happens in
    double own = fabs(s->W[rows * (size_t)(dim * k) + (size_t)(dim * k)]);
    s->W[rows * (size_t)column + (size_t)column] = own > 0 ? own : 1;
    return SS_OK;
  }
  memset(s->unit.r, 0, sizeof *s->unit.r * (size_t)d->m);
  add_reaction(s, k, part, 1, s->unit.r);
  SS_TRY(ssi_derive_respond(d, &s->unit, &(ssi_response){.u = s->du}));
  for (int j = 0; j < s->count; j++)
    read_velocity(s, j, s->du, s->W + rows * (size_t)(dim * j) + (size_t)column, rows);
  return SS_OK;
}

static ss_error fill_problem(choice *s) {
  int dim = s->d->p.dim;
  SS_TRY(ssi_derive_respond(s->d, &s->change, &(ssi_response){.u = s->du}));
  for (int k = 0; k < s->count; k++) {
    int i = s->contact[k];
    s->mu[k] = s->d->locals[i].going == SSI_GOING_APEX ? s->d->p.mu[i] : 0;
    read_velocity(s, k, s->du, s->q + dim * k, 1);
  }
  for (int k = 0; k < s->count; k++)
    for (int part = 0; part < dim; part++) SS_TRY(fill_column(s, k, part));
  return SS_OK;
}

static bool dense_rows(ssi_arena *arena, int n, const double *x, ss_sparse *out) {
  int64_t *ptr = SSI_TAKE(arena, (size_t)n + 1, int64_t);
  int *col = SSI_TAKE(arena, (size_t)n * (size_t)n, int);
  if (arena->failed) return false;
  for (int i = 0; i <= n; i++) ptr[i] = (int64_t)i * n;
  for (int64_t k = 0; k < (int64_t)n * n; k++) col[k] = (int)(k % n);
  *out = (ss_sparse){n, n, ptr, col, x};
  return true;
}

static ss_error solve_problem(choice *s) {
  ss_context quiet = s->d->ctx ? *s->d->ctx : (ss_context){0};
  quiet.log = NULL;  // an asymmetric W is no fault of the user's
  ss_problem p = {.form = SS_REDUCED, .dim = s->d->p.dim, .nc = s->count, .mu = s->mu, .q = s->q};
  if (!dense_rows(&s->arena, s->rows, s->W, &p.W)) return SS_ERR_MEMORY;
  ss_options o = ss_options_default();
  ss_solver *solver;
  ss_info info;
  o.tol = AIMED_AT;
  ss_error e = ss_solver_create(&quiet, &p, &o, &solver);
  if (!e) {
    e = ss_solve(solver, s->z, NULL, NULL, NULL, &info);
    ss_solver_destroy(solver);
  }
  if (e == SS_ERR_DATA) return ssi_derive_overflow(s->d);  // W, q are not finite
  if (e) return ssi_fail(s->d->ctx, e, "the contacts at kinks: %s", ss_error_detail(&quiet, e));
  if (info.error <= SOLVED) return SS_OK;
  return ssi_fail(
      s->d->ctx, SS_ERR_METHOD,
      "no one-sided derivative found: how the %d contacts at kinks go on has no solution that %s "
      "finds (error %.2g)",
      s->count, o.method, info.error);
}

static ss_error choose(choice *s, const ss_data_direction *direction, const ssi_response *out) {
  int dim = s->d->p.dim;
  if (!take(s)) return SS_ERR_MEMORY;
  ssi_change_of(s->d, direction, &s->change);
  if (s->count) {
    SS_TRY(fill_problem(s));
    SS_TRY(solve_problem(s));
  }
  for (int k = 0; k < s->count; k++)
    for (int part = 0; part < dim; part++)
      add_reaction(s, k, part, s->z[dim * k + part], s->change.r);
  return ssi_derive_respond(s->d, &s->change, out);
}

ss_error ss_derivative_one_sided(ss_derivative *d, const ss_data_direction *direction, double *r,
                                 double *u, double *v, double *l) {
  if (!d || !direction) return ssi_missing(d ? d->ctx : NULL, "ss_derivative_one_sided");
  SS_TRY(ssi_derive_regular(d));
  SS_TRY(ssi_derive_check_direction(d, direction));
  int kinks = d->info.places[SS_PLACE_EDGE] + d->info.places[SS_PLACE_GRAZE];
  if (d->o.keep && kinks)
    return ssi_fail(d->ctx, SS_ERR_ARGUMENT,
                    "contacts at kinks were told to keep their states: no one-sided derivative");
  if (kinks > MOST)
    return ssi_fail(d->ctx, SS_ERR_METHOD, "%d contacts at kinks, expected at most %d", kinks,
                    MOST);
  for (int i = 0; i < d->p.nc; i++)
    if (d->locals[i].no_way)
      return ssi_fail(d->ctx, SS_ERR_METHOD,
                      "no one-sided derivative: the cone of contact %d (mu = %g) is too narrow to "
                      "tell where its "
                      "reaction is",
                      i, d->p.mu[i]);
  choice s = {.d = d, .arena = {.ctx = d->ctx}};
  ss_error e = choose(&s, direction, &(ssi_response){r, u, v, l});
  ssi_arena_release(&s.arena);
  return e == SS_ERR_MEMORY ? ssi_fail(d->ctx, e, "no memory for %d contacts at kinks", kinks) : e;
}
