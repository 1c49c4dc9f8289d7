#include "events/stepping.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "stickslip/enumerate.h"
#include "stickslip/solver.h"

enum { ITERATIONS = 30 };
static const double CONVERGED = 1e-13;  // change of V over its size
static const double SOLVED = 1e-12;     // of a step's friction problem
static const double ENOUGH = 1e-9;      // where rounding does not let it be less
static const double TELL = 1e-9;        // states: of the largest velocity, of the largest force

struct ssi_stepping {
  ssi_arena arena;
  ss_evolution *e;
  ss_scheme scheme;
  ss_problem p;
  double *A, *H, *f, *w, *G, *b;  // of p, dense
  ss_solver *solver;
  double *V, *next, *r, *u;  // unknowns; r: of the joints, too
  double *q, *v, *F, *rate, *J, *probe;
};

static bool dense_pattern(ssi_arena *arena, int rows, int cols, double *x, ss_sparse *out) {
  int64_t *ptr = SSI_TAKE(arena, rows + 1, int64_t);
  int *col = SSI_TAKE(arena, (size_t)rows * (size_t)cols, int);
  if (arena->failed) return false;
  for (int i = 0; i < rows; i++) {
    ptr[i + 1] = (int64_t)cols * (i + 1);
    for (int j = 0; j < cols; j++) col[(size_t)i * (size_t)cols + (size_t)j] = j;
  }
  *out = (ss_sparse){rows, cols, ptr, col, x};
  return true;
}

ss_error ssi_stepping_create(ss_evolution *e, ss_scheme scheme, ssi_stepping **out) {
  ssi_arena arena = {.ctx = e->ctx};
  ssi_stepping *s = SSI_TAKE(&arena, 1, ssi_stepping);
  *out = NULL;
  if (!s) return ssi_fail(e->ctx, SS_ERR_MEMORY, "no memory for stepping");
  const ss_mechanism *m = e->m;
  size_t n = (size_t)m->nv, rows = (size_t)m->dim * (size_t)m->nc, nl = (size_t)m->nl;
  s->arena = arena, s->e = e, s->scheme = scheme;
  s->A = SSI_TAKE(&s->arena, n * n, double), s->H = SSI_TAKE(&s->arena, rows * n, double);
  s->f = SSI_TAKE(&s->arena, n, double), s->w = SSI_TAKE(&s->arena, rows, double);
  s->V = SSI_TAKE(&s->arena, n, double), s->next = SSI_TAKE(&s->arena, n, double);
  s->r = SSI_TAKE(&s->arena, rows + nl, double), s->u = SSI_TAKE(&s->arena, rows, double);
  s->G = SSI_TAKE(&s->arena, n * nl, double), s->b = SSI_TAKE(&s->arena, nl, double);
  s->q = SSI_TAKE(&s->arena, m->nq, double), s->v = SSI_TAKE(&s->arena, n, double);
  s->F = SSI_TAKE(&s->arena, n, double), s->rate = SSI_TAKE(&s->arena, m->nq, double);
  s->J = SSI_TAKE(&s->arena, n * n, double), s->probe = SSI_TAKE(&s->arena, n, double);
  s->p = (ss_problem){.form = SS_GLOBAL,
                      .dim = m->dim,
                      .nc = m->nc,
                      .ndof = m->nv,
                      .nl = m->nl,
                      .mu = m->mu,
                      .f = s->f,
                      .w = s->w,
                      .b = s->b};
  bool ok = dense_pattern(&s->arena, m->nv, m->nv, s->A, &s->p.M) &&
            dense_pattern(&s->arena, (int)rows, m->nv, s->H, &s->p.H);
  if (ok && nl) ok = dense_pattern(&s->arena, m->nv, m->nl, s->G, &s->p.G);
  if (!ok || s->arena.failed) {
    ssi_stepping_destroy(s);
    return ssi_fail(e->ctx, SS_ERR_MEMORY, "no memory for stepping");
  }
  *out = s;
  return SS_OK;
}

void ssi_stepping_destroy(ssi_stepping *s) {
  if (!s) return;
  ss_solver_destroy(s->solver);
  ssi_arena_release_home(s->arena);
}

// ---- the force and its derivative --------------------------------------------------------------------

static bool is_moreau(const ssi_stepping *s) {
  return s->scheme == SS_SCHEME_MOREAU;
}

static double part(const ssi_stepping *s) {
  return is_moreau(s) ? 1 : 0.5;
}

static ss_error rate_of(const ssi_stepping *s, double t, const double *q, const double *v,
                        double *out) {
  const ss_mechanism *m = s->e->m;
  if (m->rate) return m->rate(m->user, t, q, v, out);
  memcpy(out, v, sizeof *v * (size_t)m->nv);
  return SS_OK;
}

// v_c, q_c and F there, for this V.
static ss_error force_at(ssi_stepping *s, double h, const double *V, double *F) {
  const ss_evolution *e = s->e;
  const ss_mechanism *m = e->m;
  double theta = is_moreau(s) ? e->o.theta : 0.5;
  const double *q = e->y, *v = e->y + m->nq;
  for (int i = 0; i < m->nv; i++) s->v[i] = is_moreau(s) ? theta * V[i] + (1 - theta) * v[i] : V[i];
  SS_TRY(rate_of(s, e->t, q, s->v, s->rate));
  for (int i = 0; i < m->nq; i++) s->q[i] = q[i] + theta * h * s->rate[i];
  return m->force(m->user, e->t + theta * h, s->q, s->v, F);
}

// J = dF/dV by differences, symmetrised: what is left out costs iterations, not accuracy.
static ss_error derivative(ssi_stepping *s, double h, const double *V) {
  int n = s->e->m->nv;
  double size = 0;
  SS_TRY(force_at(s, h, V, s->F));
  for (int i = 0; i < n; i++) size = fmax(size, fabs(V[i]));
  double d = 1e-6 * fmax(size, 1e-3);
  for (int j = 0; j < n; j++) {
    memcpy(s->next, V, sizeof *V * (size_t)n);
    s->next[j] += d;
    SS_TRY(force_at(s, h, s->next, s->probe));
    for (int i = 0; i < n; i++) s->J[i * n + j] = (s->probe[i] - s->F[i]) / d;
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++)
      s->J[i * n + j] = s->J[j * n + i] = (s->J[i * n + j] + s->J[j * n + i]) / 2;
  return SS_OK;
}

// ---- one friction problem ------------------------------------------------------------------------------

static void assemble_joints(ssi_stepping *s, double c) {
  const ssi_mechanics *x = s->e->motion;
  int n = s->e->m->nv, nl = s->e->m->nl;
  for (int k = 0; k < nl; k++) {
    s->b[k] = x->w[x->rows + k] + c * x->apart[k];
    for (int i = 0; i < n; i++) s->G[i * nl + k] = x->H[(x->rows + k) * n + i];
  }
}

// (M/(c h) - J) V + f = H^T r + G^T l,  f = -(M v_n/(c h) + F(V_k) - J V_k)
static void assemble(ssi_stepping *s, double h) {
  const ss_mechanism *m = s->e->m;
  const ssi_mechanics *x = s->e->motion;
  int n = m->nv;
  double c = 1 / (part(s) * h), *v = ssi_evolution_v(s->e);
  for (int i = 0; i < n; i++) {
    s->f[i] = -s->F[i];
    for (int j = 0; j < n; j++) {
      s->A[i * n + j] = c * x->M[i * n + j] - s->J[i * n + j];
      s->f[i] += s->J[i * n + j] * s->V[j] - c * x->M[i * n + j] * v[j];
    }
  }
  assemble_joints(s, c);
  if (!m->nc) return;
  memcpy(s->H, x->H, sizeof *s->H * (size_t)(x->rows * n));
  memcpy(s->w, x->w, sizeof *s->w * (size_t)x->rows);
  for (int i = 0; i < m->nc; i++) {
    double e = m->restitution && is_moreau(s) && x->gap[i] <= 0 ? m->restitution[i] : 0;
    s->w[m->dim * i] += c * x->gap[i] + e * fmin(x->slip[m->dim * i], 0);
  }
}

static ss_error solve(ssi_stepping *s, double *V, bool *solved) {
  ss_options o = ss_options_default();
  ss_info info;
  o.method = "auto", o.tol = SOLVED, o.threads = 1;
  if (s->solver)
    SS_TRY(ss_solver_update(s->solver, &s->p));
  else
    SS_TRY(ss_solver_create(s->e->ctx, &s->p, &o, &s->solver));
  SS_TRY(ss_solve(s->solver, s->r, s->u, V, s->p.nl ? s->r + s->e->motion->rows : NULL, &info));
  s->e->totals.solves++;
  *solved = info.status == SS_SOLVED || info.error <= ENOUGH;
  return SS_OK;
}

static ss_error count_modes(ssi_stepping *s) {
  ss_solution_set *set;
  SS_TRY(ss_enumerate(s->e->ctx, &s->p, NULL, &set));
  s->e->totals.none += set->count == 0;
  s->e->totals.several += set->count > 1;
  ss_solution_set_destroy(set);
  return SS_OK;
}

static ss_error iterate(ssi_stepping *s, double h, bool *solved) {
  int n = s->e->m->nv;
  *solved = true;
  memcpy(s->V, ssi_evolution_v(s->e), sizeof *s->V * (size_t)n);
  SS_TRY(derivative(s, h, s->V));
  for (int k = 0; k < ITERATIONS && *solved; k++) {
    double change = 0, size = 0;
    if (k > 0) SS_TRY(force_at(s, h, s->V, s->F));
    assemble(s, h);
    SS_TRY(solve(s, s->next, solved));
    for (int i = 0; i < n; i++) {
      change = fmax(change, fabs(s->next[i] - s->V[i]));
      size = fmax(size, fabs(s->next[i]));
      s->V[i] = s->next[i];
    }
    if (change <= CONVERGED * size) break;
  }
  return SS_OK;
}

// ---- the end of the step ---------------------------------------------------------------------------------

static ss_mode mode_of(const ss_mechanism *m, const double *r, const double *u, double force,
                       double speed) {
  double tangent = m->dim == 2 ? fabs(u[1]) : hypot(u[1], u[2]);
  if (!(r[0] > TELL * force)) return SS_MODE_FREE;
  if (tangent <= TELL * speed) return SS_MODE_STICK;
  return m->dim == 2 && u[1] < 0 ? SS_MODE_SLIP_BACK : SS_MODE_SLIP;
}

static void find_modes(ssi_stepping *s, ss_mode *modes) {
  ss_evolution *e = s->e;
  const ss_mechanism *m = e->m;
  double force = 0;
  for (int i = 0; i < m->nc; i++) force = fmax(force, s->r[m->dim * i]);
  for (int i = 0; i < e->motion->rows; i++) e->speed = fmax(e->speed, fabs(s->u[i]));
  for (int i = 0; i < m->nc; i++)
    modes[i] = mode_of(m, s->r + m->dim * i, s->u + m->dim * i, force, e->speed);
}

// impulses s->r: forces for the mid-point rule and for (1) alike
static void book(ssi_stepping *s, double h, const double *before, double kinetic) {
  ss_evolution *e = s->e;
  const ss_mechanism *m = e->m;
  const ssi_mechanics *x = e->motion;
  double applied = 0, contact = 0, *v = ssi_evolution_v(e), *work = e->y + m->nq + m->nv;
  for (int i = 0; i < m->nv; i++) applied += s->F[i] * (before[i] + v[i]) / 2;
  for (int i = 0; i < x->all; i++)
    for (int j = 0; j < m->nv; j++)
      contact += s->r[i] * x->H[i * m->nv + j] * (before[j] + v[j]) / 2;
  work[0] += h * applied, work[1] += h * contact;
  e->scheme += ssi_mechanics_kinetic(x, v) - kinetic - h * (applied + contact);
}

static ss_error finish(ssi_stepping *s, double h, double end, ss_mode *modes) {
  ss_evolution *e = s->e;
  const ss_mechanism *m = e->m;
  double *v = ssi_evolution_v(e), *before = s->probe, kinetic = ssi_mechanics_kinetic(e->motion, v);
  memcpy(before, v, sizeof *v * (size_t)m->nv);
  SS_TRY(force_at(s, h, s->V, s->F));
  for (int i = 0; i < m->nq; i++) e->y[i] += h * s->rate[i];  // at v_c
  if (m->normalise) m->normalise(m->user, e->y);
  for (int i = 0; i < m->nv; i++) v[i] = is_moreau(s) ? s->V[i] : 2 * s->V[i] - before[i];
  e->t = end;
  find_modes(s, modes);
  book(s, h, before, kinetic);
  if (m->nc) memcpy(e->force, s->r, sizeof *s->r * (size_t)e->motion->rows);
  if (s->scheme != SS_SCHEME_MIDPOINT_STABILIZED) return SS_OK;
  double now = ssi_mechanics_kinetic(e->motion, v);
  ssi_modes held = {.mode = modes};
  SS_TRY(ssi_mechanics_hold(e->motion, &held, e->t, e->y, v));
  e->scheme += ssi_mechanics_kinetic(e->motion, v) - now;
  return SS_OK;
}

ss_error ssi_stepping_once(ssi_stepping *s, double h, double end, ss_mode *modes) {
  ss_evolution *e = s->e;
  bool solved;
  SS_TRY(ssi_mechanics_at(e->motion, e->t, e->y, ssi_evolution_v(e)));
  SS_TRY(iterate(s, h, &solved));
  if (e->o.count_modes && e->m->dim == 2) SS_TRY(count_modes(s));
  if (!solved) {
    ssi_evolution_stop(e, "the step from t = %.9g by %g was not solved", e->t, h);
    return SS_OK;
  }
  e->totals.steps++;
  return finish(s, h, end, modes);
}

ss_error ssi_stepping_problem(ssi_stepping *s, double h, const ss_problem **out) {
  ss_evolution *e = s->e;
  SS_TRY(ssi_mechanics_at(e->motion, e->t, e->y, ssi_evolution_v(e)));
  memcpy(s->V, ssi_evolution_v(e), sizeof *s->V * (size_t)e->m->nv);
  SS_TRY(derivative(s, h, s->V));
  assemble(s, h);
  *out = &s->p;
  return SS_OK;
}
