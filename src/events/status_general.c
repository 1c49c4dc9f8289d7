// An instant as a problem of the library, u = W r + q with accelerations for velocities. A sliding contact becomes
// one without friction: its force acts along (1, -mu t), so its column is W (1, -mu t), and nothing else of it acts.
// Its tangent is taken out (W_TT = I, q_T != 0). W is then not symmetric, nor definite in Painleve's region.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "events/instant.h"
#include "la/sparse.h"
#include "stickslip/solver.h"

enum { ENUMERATED = 10 };  // contacts at most
static const double TOL = 1e-11;

typedef struct status_problem {
  ssi_arena arena;
  ss_problem p;
} status_problem;

// Column (contact i, component k) of the transformed W, at row j.
static double column(const ssi_instant *x, int j, int i, int k) {
  int d = x->dim;
  const double *row = x->W + (size_t)j * (size_t)x->m + d * i;
  if (!x->slides[i]) return row[k];
  if (k > 0) return 0;
  double sum = row[0];
  for (int l = 1; l < d; l++) sum -= x->mu[i] * row[l] * x->t[(d - 1) * i + l - 1];
  return sum;
}

// flat: as a problem of the plane, for contacts that all slide.
static ss_error make(ss_context *ctx, const ssi_instant *x, bool flat, status_problem *out) {
  *out = (status_problem){.arena = {.ctx = ctx}};
  int d = flat ? 2 : x->dim, m = d * x->count;
  double *W = SSI_TAKE(&out->arena, (size_t)m * (size_t)m, double);
  double *q = SSI_TAKE(&out->arena, m, double), *mu = SSI_TAKE(&out->arena, x->count, double);
  int64_t *ptr = SSI_TAKE(&out->arena, m + 1, int64_t);
  int *col = SSI_TAKE(&out->arena, (size_t)m * (size_t)m, int);
  if (out->arena.failed) return ssi_fail(ctx, SS_ERR_MEMORY, "no memory for %d rows", m);
  for (int row = 0; row < m; row++) {
    int i = row / d, k = row % d, from = x->dim * i + k;
    bool inert = x->slides[i] && k > 0;
    q[row] = inert ? fmax(x->unit, 1e-300) : x->q[from];
    mu[i] = x->slides[i] ? 0 : x->mu[i];
    ptr[row + 1] = (int64_t)m * (row + 1);
    for (int j = 0; j < m; j++) {
      col[(size_t)row * (size_t)m + (size_t)j] = j;
      W[(size_t)row * (size_t)m + (size_t)j] =
          inert ? (j == row ? x->W[(size_t)(x->dim * i) * (size_t)x->m + (size_t)(x->dim * i)] : 0)
                : column(x, from, j / d, j % d);
    }
  }
  out->p = (ss_problem){.form = SS_REDUCED, .dim = d, .nc = x->count, .mu = mu, .q = q};
  out->p.W = (ss_sparse){.rows = m, .cols = m, .ptr = ptr, .col = col, .x = W};
  return SS_OK;
}

ss_error ssi_status_solve(ss_context *ctx, const ssi_instant *x, double *r, ssi_status_work *work) {
  status_problem d;
  ss_options o = ss_options_default();
  ss_solver *solver = NULL;
  ss_info info = {0};
  *work = (ssi_status_work){0};
  o.method = "auto", o.tol = TOL, o.threads = 1;
  for (int i = 0; i < x->count; i++)  // a negative diagonal is nothing that the solvers know of
    if (x->slides[i] && !(x->delta[i] > 0)) return SS_OK;
  ss_error e = make(ctx, x, false, &d);
  if (!e) e = ss_solver_create(ctx, &d.p, &o, &solver);
  if (!e) e = ss_solve(solver, r, NULL, NULL, NULL, &info);
  ss_solver_destroy(solver);
  ssi_arena_release(&d.arena);
  for (int i = 0; i < x->count && !e; i++) ssi_instant_drag(x, i, r);
  work->iterations = info.iterations;
  work->ended = info.status == SS_SOLVED;
  return e;
}

ss_error ssi_status_enumerate(ss_context *ctx, const ssi_instant *x, ss_solution_set **set) {
  bool all_slide = true;
  *set = NULL;
  for (int i = 0; i < x->count; i++) all_slide = all_slide && x->slides[i];
  if (x->count > ENUMERATED || (x->dim == 3 && !all_slide)) return SS_OK;
  status_problem d;
  ss_error e = make(ctx, x, x->dim == 3, &d);
  if (!e) e = ss_enumerate(ctx, &d.p, NULL, set);
  ssi_arena_release(&d.arena);
  return e;
}

ss_error ssi_status_certify(ss_context *ctx, const ssi_instant *x, ss_existence *out) {
  status_problem d;
  ss_certificate *c = NULL;
  *out = SS_UNDECIDED;
  for (int i = 0; i < x->count; i++)
    if (x->slides[i]) return SS_OK;
  ss_error e = make(ctx, x, false, &d);
  if (!e) e = ss_certify(ctx, &d.p, NULL, &c);
  if (!e) *out = c->verdict;
  ss_certificate_destroy(c);
  ssi_arena_release(&d.arena);
  return e;
}

// Those of a continuum are those inside of its largest cell.
static const ss_cell_state *inside(const ss_component *c) {
  const ss_cell *largest = c->cells;
  if (c->isolated) return c->states;
  for (int k = 1; k < c->cell_count; k++)
    if (c->cells[k].dimension > largest->dimension) largest = &c->cells[k];
  return largest->states;
}

ss_state *ssi_status_states(ssi_arena *arena, const ssi_instant *x, int nc,
                            const ss_solution_set *set) {
  ss_state *all = SSI_TAKE(arena, (size_t)set->count * (size_t)nc, ss_state);
  for (int k = 0; all && k < set->count; k++)
    for (int i = 0; i < x->count; i++) {
      ss_cell_state s = inside(&set->components[k])[i];
      all[(size_t)k * (size_t)nc + (size_t)x->contact[i]] = s == SS_CELL_FREE ? SS_FREE
                                                            : s == SS_CELL_STICK && !x->slides[i]
                                                                ? SS_STICK
                                                                : SS_SLIP;
    }
  return all;
}
