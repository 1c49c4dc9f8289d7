// Stepping a structure: what is known at the end of a step, its problem, its answer, the new state.
#include "elastic/march.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/timer.h"
#include "la/sparse.h"

const char *ss_march_scheme_name(ss_march_scheme s) {
  static const char *const names[] = {"velocity", "position", "moreau"};
  return (int)s >= 0 && (int)s < 3 ? names[s] : NULL;
}

ss_march_options ss_march_options_default(void) {
  return (ss_march_options){.scheme = SS_MARCH_POSITION,
                            .step = 0.1,
                            .duration = 1,
                            .theta = 1,
                            .solver = ss_options_default()};
}

// ---- making one ------------------------------------------------------------------------------------

static ss_error check_options(ss_context *ctx, const ss_structure *s, const ss_march_options *o) {
  if (!(o->step > 0) || !isfinite(o->step) || !(o->duration > 0) || !isfinite(o->duration) ||
      !isfinite(o->start))
    return ssi_fail(ctx, SS_ERR_DATA, "step %g and duration %g: expected > 0", o->step,
                    o->duration);
  if (!ss_march_scheme_name(o->scheme)) return ssi_fail(ctx, SS_ERR_ARGUMENT, "unknown scheme");
  if (!(o->theta >= 0.5 && o->theta <= 1))
    return ssi_fail(ctx, SS_ERR_DATA, "theta is %g, expected 0.5 .. 1", o->theta);
  if (o->scheme == SS_MARCH_MOREAU && !s->M.ptr)
    return ssi_fail(ctx, SS_ERR_DATA, "scheme moreau needs a mass matrix (densities)");
  return SS_OK;
}

static void take_state(ss_march *m, ssi_march_state *s) {
  size_t n = (size_t)m->s.ndof, c = (size_t)m->m + 1;
  double **vectors[] = {&s->at.f, &s->at.d, &s->q, &s->v, &s->support};
  double **of_contacts[] = {&s->at.b, &s->r, &s->u, &s->gap};
  for (int k = 0; k < 5; k++) *vectors[k] = SSI_TAKE(&m->arena, n, double);
  for (int k = 0; k < 4; k++) *of_contacts[k] = SSI_TAKE(&m->arena, c, double);
  s->states = SSI_TAKE(&m->arena, m->s.nc + 1, ss_state);
}

static ss_error take(ss_march *m) {
  size_t n = (size_t)m->s.ndof, c = (size_t)m->m + 1;
  take_state(m, &m->now);
  take_state(m, &m->next);
  m->active = SSI_TAKE(&m->arena, m->s.nc + 1, int);
  m->x = SSI_TAKE(&m->arena, n, double);
  m->full1 = SSI_TAKE(&m->arena, n, double);
  m->full2 = SSI_TAKE(&m->arena, n, double);
  m->free1 = SSI_TAKE(&m->arena, n, double);
  m->p = SSI_TAKE(&m->arena, c, double);
  m->uhat = SSI_TAKE(&m->arena, c, double);
  m->p_active = SSI_TAKE(&m->arena, c, double);
  if (!ssi_free_dofs(&m->arena, &m->s, &m->free, &m->dof, &m->given, &m->nfree) ||
      !ssi_restrict_sum(&m->arena, &m->s, ssi_march_weights(&m->o), m->free, m->nfree, &m->A))
    return ssi_fail(m->ctx, SS_ERR_MEMORY, "no memory for %d degrees of freedom", m->s.ndof);
  return SS_OK;
}

static void look_at(ss_march *m, double t, ssi_moment *at) {
  at->t = t;
  ssi_terms_at(m->s.loads, m->s.load_count, m->s.ndof, t, at->f);
  ssi_terms_at(m->s.gaps, m->s.gap_count, m->m, t, at->b);
  ssi_prescribed_at(&m->s, t, at->d);
}

static void measure_gaps(const ss_march *m, ssi_march_state *s) {
  memcpy(s->gap, s->at.b, sizeof(double) * (size_t)m->m);
  ssi_sparse_multiply_add(&m->H, s->q, s->gap);
}

static void start(ss_march *m) {
  ssi_march_state *s = &m->now;
  look_at(m, m->o.start, &s->at);
  for (int i = 0; i < m->s.ndof; i++) {
    s->q[i] = m->given[i] ? s->at.d[i] : m->s.q ? m->s.q[i] : 0;
    s->v[i] = m->s.v && !m->given[i] ? m->s.v[i] : 0;
  }
  measure_gaps(m, s);
  s->energy.elastic = ssi_march_elastic(m, s->q);
  s->energy.kinetic = ssi_march_kinetic(m, s->v);
  s->energy.start = s->energy.elastic + s->energy.kinetic;
}

static ss_error fill(ss_march *m) {
  const char *what = m->o.scheme == SS_MARCH_MOREAU ? "M + h theta C + (h theta)^2 K" : "C + h K";
  SS_TRY(take(m));
  if (m->nfree == 0) return ssi_fail(m->ctx, SS_ERR_DATA, "every degree of freedom is prescribed");
  SS_TRY(ssi_factor_held(m->ctx, &m->s, &m->A, m->dof, what, &m->factor));
  SS_TRY(ssi_march_condense(m, m->o.start));
  start(m);
  return SS_OK;
}

ss_error ss_march_create(ss_context *ctx, const ss_structure *s, const ss_march_options *o,
                         ss_march **out) {
  if (!s || !o || !out) return ssi_fail(ctx, SS_ERR_ARGUMENT, "ss_march_create: null argument");
  *out = NULL;
  SS_TRY(ssi_structure_check(ctx, s));
  SS_TRY(check_options(ctx, s, o));
  ssi_arena arena = {.ctx = ctx};
  ss_march *m = SSI_TAKE(&arena, 1, ss_march);
  if (!m) return ssi_fail(ctx, SS_ERR_MEMORY, "no memory for a structure");
  m->ctx = ctx, m->arena = arena, m->s = *s, m->o = *o, m->m = s->dim * s->nc;
  m->for_H.ctx = m->for_step.ctx = ctx;
  if (o->scheme != SS_MARCH_MOREAU) m->o.theta = 1;
  ss_error e = fill(m);
  if (e)
    ss_march_destroy(m);
  else
    *out = m;
  return e;
}

void ss_march_destroy(ss_march *m) {
  if (!m) return;
  ss_solver_destroy(m->solver);
  ss_problem_destroy(m->reduced);
  ssi_factor_destroy(m->factor);
  ssi_arena_release(&m->for_step);
  ssi_arena_release(&m->for_H);
  ssi_arena_release_home(m->arena);
}

// ---- stepping --------------------------------------------------------------------------------------

static void advance(ss_march *m) {
  const ssi_march_state *a = &m->now;
  ssi_march_state *b = &m->next;
  double h = m->o.step, theta = m->o.theta;
  for (int i = 0; i < m->s.ndof; i++) {
    b->q[i] = m->o.scheme == SS_MARCH_POSITION
                  ? m->x[i]
                  : a->q[i] + h * (theta * m->x[i] + (1 - theta) * a->v[i]);
    b->v[i] = m->o.scheme == SS_MARCH_POSITION ? (m->x[i] - a->q[i]) / h : m->x[i];
    if (m->given[i]) b->q[i] = b->at.d[i];
  }
  double scale = m->o.scheme == SS_MARCH_MOREAU ? 1 / h : 1;
  for (int i = 0; i < m->m; i++) b->r[i] = scale * m->p[i];
  measure_gaps(m, b);
  ssi_march_account(m);
}

ss_error ssi_march_at(ss_march *m, double t) {
  look_at(m, t, &m->next.at);
  if (m->s.H_count > 1) SS_TRY(ssi_march_condense(m, t));
  return ssi_march_pose(m);
}

static ss_error step(ss_march *m) {
  double h = m->o.step;
  m->next.step = m->now.step + 1;
  SS_TRY(ssi_march_at(m, m->o.start + (double)m->next.step * h));
  SS_TRY(ssi_march_solve(m));
  m->info.step = m->next.step, m->info.time = m->next.at.t;
  if (m->info.status == SS_CANCELLED) return SS_OK;
  if (m->info.status != SS_SOLVED && !m->o.go_on) {
    m->end = "unsolved";
    return SS_OK;
  }
  advance(m);
  ssi_march_state done = m->next;
  m->next = m->now, m->now = done;
  if (m->o.start + ((double)done.step + 0.5) * h > m->o.start + m->o.duration) m->end = "duration";
  return SS_OK;
}

ss_error ss_march_step(ss_march *m, ss_march_info *info) {
  if (!m || m->end) return ssi_fail(m ? m->ctx : NULL, SS_ERR_ARGUMENT, "the march is over");
  double begin = ssi_now_s();
  ss_error e = step(m);
  m->info.time_s = ssi_now_s() - begin;
  if (info) *info = m->info;
  return e;
}

const char *ss_march_end(const ss_march *m) {
  if (!m) return NULL;
  return m->end;
}

void ss_march_look(const ss_march *m, ss_march_view *out) {
  if (!out) return;
  if (!m) {
    *out = (ss_march_view){0};
    return;
  }
  const ssi_march_state *s = &m->now;
  *out = (ss_march_view){s->at.t, s->q, s->v, s->r, s->u, s->gap, s->states, s->support};
}

void ss_march_get_energy(const ss_march *m, ss_march_energy *out) {
  if (!out) return;
  if (!m) {
    *out = (ss_march_energy){0};
    return;
  }
  *out = m->now.energy;
}

const ss_problem *ss_march_problem(const ss_march *m, ss_solution *answer) {
  if (!m) return NULL;
  if (!m->solved_one) return NULL;
  if (answer) *answer = (ss_solution){.r = m->p_active};
  return &m->problem;
}
