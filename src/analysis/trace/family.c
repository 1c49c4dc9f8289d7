// analysis/trace/family.c - see family.h.
#include "analysis/trace/family.h"

#include <math.h>
#include <string.h>

#include "analysis/cells.h"
#include "base/error.h"
#include "la/vector.h"
#include "problem/check.h"

static const double STEP = 1e-4;  // of differences, over the range

bool ssi_family_take(ssi_arena *arena, int n, ssi_family_data *out) {
  out->W = SSI_TAKE(arena, 4 * n * n, double);
  out->q = SSI_TAKE(arena, 2 * n, double);
  out->mu = SSI_TAKE(arena, n, double);
  return !arena->failed;
}

static ss_error check(ss_context *ctx, const ss_problem *p) {
  if (p->dim != 2)
    return ssi_fail(
        ctx, SS_ERR_METHOD,
        "the problem has dim %d, expected 2: in 3D a contact slips in any direction, and "
        "there are no patterns to follow",
        p->dim);
  if (p->nc > SS_ENUMERATE_CONTACTS)
    return ssi_fail(ctx, SS_ERR_METHOD, "%d contacts, expected at most %d to trace", p->nc,
                    SS_ENUMERATE_CONTACTS);
  return ssi_problem_check_structure(ctx, p);
}

// W and q of a problem as they are, behind one another in `raw`.
static ss_error read_raw(ssi_family *f, const ss_problem *problem, double p) {
  bool impossible = false;
  size_t m = (size_t)f->m;
  ssi_arena_reset(&f->scratch);
  memset(f->raw, 0, sizeof *f->raw * (m * m + m));
  memset(f->terms, 0, sizeof *f->terms * m);
  SS_TRY(ssi_dense_problem(f->ctx, &f->scratch, problem, f->raw, f->raw + m * m, f->terms,
                           &impossible));
  if (impossible)
    return ssi_fail(f->ctx, SS_ERR_DATA,
                    "bilateral constraints contradict each other at the parameter %.17g", p);
  f->read = true;
  return SS_OK;
}

static ss_error raw_at(ssi_family *f, double p, double *mu) {
  ss_problem *problem;
  f->problems++;
  SS_TRY(f->problem(f->user, f->ctx, p, &problem));
  ss_error e = check(f->ctx, problem);
  if (!e && f->n != problem->nc)
    e = ssi_fail(f->ctx, SS_ERR_DATA, "%d contacts at the parameter %.17g, %d elsewhere",
                 problem->nc, p, f->n);
  bool known = f->read && f->problem == ss_trace_over_mu;  // which changes mu alone
  if (!e && !known) e = read_raw(f, problem, p);
  if (!e && f->n) memcpy(mu, problem->mu, sizeof *mu * (size_t)f->n);
  ss_problem_destroy(problem);
  return e;
}

ss_error ssi_family_at(ssi_family *f, double p, ssi_family_data *out) {
  size_t m = (size_t)f->m;
  SS_TRY(raw_at(f, p, out->mu));
  memcpy(out->W, f->raw, sizeof *out->W * m * m);
  memcpy(out->q, f->raw + m * m, sizeof *out->q * m);
  ssi_units_apply(&f->units, out->W, out->q);
  return SS_OK;
}

// to may be one of from.
static void mix(double *to, const double *const from[5], const double weight[5], int count) {
  for (int k = 0; k < count; k++) {
    double sum = 0;
    for (int a = 0; a < 5; a++)
      if (weight[a] != 0) sum += weight[a] * from[a][k];
    to[k] = sum;
  }
}

// Weights of x(p + k h), k = first .. first + 4, in h x'(p): interpolation by a polynomial of degree 4.
static void difference_weights(int first, double weight[5]) {
  for (int a = 0; a < 5; a++) {
    // derivative at 0 of the Lagrange polynomial of the node t_a = first + a
    double t_a = first + a, sum = 0;
    for (int b = 0; b < 5; b++) {
      if (b == a) continue;
      double product = 1 / (t_a - (first + b));
      for (int c = 0; c < 5; c++)
        if (c != a && c != b) product *= -(double)(first + c) / (t_a - (first + c));
      sum += product;
    }
    weight[a] = sum;
  }
}

ss_error ssi_family_rate(ssi_family *f, double p, ssi_family_data *out) {
  double h = STEP * (f->to - f->from), weight[5];
  double below = floor((p - f->from) / h), above = floor((f->to - p) / h);
  int first = below < 2 ? -(int)fmax(below, 0) : above < 2 ? -4 + (int)fmax(above, 0) : -2;
  difference_weights(first, weight);
  const double *W[5], *q[5], *mu[5];
  for (int a = 0, side = 0; a < 5; a++) {
    ssi_family_data *at = first + a == 0 ? out : &f->side[side++];
    weight[a] /= h;
    double near = fmin(fmax(p + (first + a) * h, f->from), f->to);
    if (weight[a] != 0 || at != out) SS_TRY(ssi_family_at(f, near, at));
    W[a] = at->W, q[a] = at->q, mu[a] = at->mu;
  }
  mix(out->W, W, weight, f->m * f->m);
  mix(out->q, q, weight, f->m);
  mix(out->mu, mu, weight, f->n);
  return SS_OK;
}

static ss_error choose_units(ssi_family *f) {
  enum { SAMPLES = 5 };
  double mu[SS_ENUMERATE_CONTACTS];
  const double *q = f->raw + f->m * f->m;
  SS_TRY(raw_at(f, f->from + (f->to - f->from) / 2, mu));
  ssi_units_matrix(&f->units, f->raw);
  for (int k = 0; k < SAMPLES; k++) {
    SS_TRY(raw_at(f, f->from + (f->to - f->from) * k / (SAMPLES - 1), mu));
    ssi_units_load(&f->units, f->raw, q);
    f->load = fmax(f->load, sqrt(ssi_dot(f->m, q, q)));
  }
  ssi_units_finish(&f->units);
  return SS_OK;
}

ss_error ssi_family_begin(ssi_family *f, ss_context *ctx, const ss_trace_options *o,
                          ss_trace_problem problem, void *user) {
  *f = (ssi_family){.ctx = ctx,
                    .arena = {.ctx = ctx},
                    .scratch = {.ctx = ctx},
                    .problem = problem,
                    .user = user,
                    .from = o->from,
                    .to = o->to};
  ss_problem *first;
  SS_TRY(problem(user, ctx, o->from, &first));
  ss_error e = check(ctx, first);
  if (!e) e = ss_problem_check(ctx, first);
  f->n = first->nc, f->m = 2 * f->n;
  ss_problem_destroy(first);
  SS_TRY(e);
  ssi_units_take(&f->arena, f->n, &f->units);
  f->raw = SSI_TAKE(&f->arena, f->m * f->m + f->m, double);
  f->terms = SSI_TAKE(&f->arena, f->m, double);
  for (int k = 0; k < 4; k++) ssi_family_take(&f->arena, f->n, &f->side[k]);
  if (f->arena.failed) return ssi_fail(ctx, SS_ERR_MEMORY, "no memory to trace %d contacts", f->n);
  return choose_units(f);
}

void ssi_family_release(ssi_family *f) {
  ssi_arena_release(&f->arena);
  ssi_arena_release(&f->scratch);
}
