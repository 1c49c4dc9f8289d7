// Solving one step: the contacts that count, condensed; then the verdict on the (M, H) form.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "elastic/march.h"
#include "la/largest_eigenvalue.h"
#include "la/sparse.h"
#include "problem/blocks.h"
#include "problem/verify.h"

// At velocity level contacts count whose gap is closed: those that held a force in the last step, and those
// whose gap is less than this part of the gaps there are and of what the step would move them without forces.
static const double CLOSED = 1e-9;

static int find_active(ss_march *m) {
  int count = 0, dim = m->s.dim;
  double scale = 0;
  for (int i = 0; i < m->m; i += dim) {
    scale = fmax(scale, fabs(m->now.gap[i]));
    scale = fmax(scale, m->o.step * fabs(m->reduced->q[i]));
  }
  for (int i = 0; i < m->s.nc; i++)
    if (m->o.scheme != SS_MARCH_VELOCITY || m->now.states[i] != SS_FREE ||
        m->now.gap[dim * i] <= CLOSED * scale)
      m->active[count++] = i;
  return count;
}

// Rows dim i .. of the contacts given; where `both`, their columns too.
static bool pick(ssi_arena *arena, int dim, const int *contact, int count, int nc,
                 const ss_sparse *A, bool both, ss_sparse *out) {
  int *place = SSI_TAKE(arena, nc + 1, int);
  int64_t *ptr = SSI_TAKE(arena, (size_t)(dim * count) + 1, int64_t), room = 0;
  if (arena->failed) return false;
  for (int i = 0; i < nc; i++) place[i] = -1;
  for (int k = 0; k < count; k++) {
    place[contact[k]] = k;
    room += A->ptr[dim * (contact[k] + 1)] - A->ptr[dim * contact[k]];
  }
  int *col = SSI_TAKE(arena, room + 1, int);
  double *x = SSI_TAKE(arena, room + 1, double);
  if (arena->failed) return false;
  int64_t used = 0;
  for (int k = 0; k < dim * count; k++) {
    int row = dim * contact[k / dim] + k % dim;
    for (int64_t j = A->ptr[row]; j < A->ptr[row + 1]; j++) {
      int c = both ? place[A->col[j] / dim] : 0;
      if (c < 0) continue;
      col[used] = both ? dim * c + A->col[j] % dim : A->col[j];
      x[used++] = A->x[j];
    }
    ptr[k + 1] = used;
  }
  *out = (ss_sparse){dim * count, both ? dim * count : A->cols, ptr, col, x};
  return true;
}

static double *pick_vector(ssi_arena *arena, int width, const int *contact, int count,
                           const double *x) {
  double *out = SSI_TAKE(arena, width * count + 1, double);
  for (int k = 0; out && k < width * count; k++) out[k] = x[width * contact[k / width] + k % width];
  return out;
}

// `problem` and `small`: of all contacts as they are, of fewer their parts.
static ss_error select_problem(ss_march *m, int count) {
  const ss_problem *a = &m->all, *w = m->reduced;
  ssi_arena *arena = &m->for_step;
  m->problem = *a, m->small = *w;
  if (count == m->s.nc) return SS_OK;
  m->problem.nc = m->small.nc = count;
  m->problem.mu = m->small.mu = pick_vector(arena, 1, m->active, count, a->mu);
  m->problem.w = pick_vector(arena, a->dim, m->active, count, a->w);
  m->small.q = pick_vector(arena, a->dim, m->active, count, w->q);
  if (arena->failed || !pick(arena, a->dim, m->active, count, a->nc, &a->H, false, &m->problem.H) ||
      !pick(arena, a->dim, m->active, count, a->nc, &w->W, true, &m->small.W))
    return ssi_fail(m->ctx, SS_ERR_MEMORY, "no memory for a step");
  return SS_OK;
}

// Largest eigenvalue of each W_ii.
static double *step_lengths(ssi_arena *arena, const ss_problem *p) {
  double *lambda = SSI_TAKE(arena, p->nc + 1, double);
  double *blocks = SSI_TAKE(arena, (size_t)(p->dim * p->dim) * (size_t)p->nc + 1, double);
  if (arena->failed || ssi_contact_blocks(arena->ctx, p, NULL, blocks)) return NULL;
  ssi_largest_eigenvalues(p->dim, p->nc, blocks, lambda);
  return lambda;
}

// u and x from p, from the raw data; the states.
static ss_error judge(ss_march *m, int count, double *u, double *x) {
  ssi_arena *arena = &m->for_step;
  ss_contact_verdict *contact = SSI_TAKE(arena, count + 1, ss_contact_verdict);
  double *lambda = step_lengths(arena, &m->small);
  if (arena->failed) return ssi_fail(m->ctx, SS_ERR_MEMORY, "no memory for a verdict");
  ssi_judge court;
  ss_verdict verdict;
  ss_solution answer = {.r = m->p_active};
  SS_TRY(ssi_judge_create(arena, &m->problem, m->factor, lambda, NULL, &court));
  SS_TRY(ssi_judge_answer(&court, &answer, u, x, NULL, contact, &verdict));
  m->info.error = ss_verdict_measure(&verdict, m->o.solver.measure);
  for (int i = 0; i < m->s.nc; i++) m->next.states[i] = SS_FREE;
  for (int k = 0; k < count; k++) m->next.states[m->active[k]] = contact[k].state;
  return SS_OK;
}

// `auto` as it comes sweeps with momentum from the 60th sweep on, for piles that creep. W of elastic bodies is
// dense and definite, sweeps converge, and momentum throws them back and forth: docs/notes/elastic.md has figures.
static const ss_setting without_momentum = {"momentum", "0"};

static ss_error ready_solver(ss_march *m) {
  if (m->solver) return ss_solver_retarget(m->solver, &m->small);
  ss_options o = m->o.solver;
  if (strcmp(o.method, "auto") == 0 && o.setting_count == 0)
    o.settings = &without_momentum, o.setting_count = 1;
  o.tol *= 0.5;  // what condensation rounds off is judged with the rest
  return ss_solver_create(m->ctx, &m->small, &o, &m->solver);
}

// The motion without contacts: A x = -fhat.
static ss_error solve_free(ss_march *m, double *x) {
  for (int i = 0; i < m->nfree; i++) x[i] = -m->all.f[i];
  m->info.status = SS_SOLVED;
  for (int i = 0; i < m->s.nc; i++) m->next.states[i] = SS_FREE;
  return ssi_factor_solve(m->factor, x, x);
}

static ss_error solve_contacts(ss_march *m, int count, double *u, double *x) {
  int dim = m->s.dim;
  double scale = m->o.scheme == SS_MARCH_MOREAU ? m->o.step : 1;  // an impulse
  ss_info info;
  SS_TRY(select_problem(m, count));
  for (int k = 0; k < dim * count; k++)
    m->p_active[k] = scale * m->now.r[dim * m->active[k / dim] + k % dim];
  SS_TRY(ready_solver(m));
  SS_TRY(ss_solve(m->solver, m->p_active, NULL, NULL, NULL, &info));
  SS_TRY(judge(m, count, u, x));
  m->info.iterations = info.iterations;
  m->info.status = m->info.error <= m->o.solver.tol ? SS_SOLVED
                   : info.status == SS_SOLVED       ? SS_STALLED
                                                    : info.status;
  m->solved_one = true;
  return SS_OK;
}

ss_error ssi_march_solve(ss_march *m) {
  int dim = m->s.dim, count = find_active(m);
  ssi_arena_reset(&m->for_step);
  double *u = SSI_TAKE(&m->for_step, dim * count + 1, double);
  double *x = m->free1;
  if (!u) return ssi_fail(m->ctx, SS_ERR_MEMORY, "no memory for a step");
  m->info.contacts = count;
  m->info.error = 0, m->info.iterations = 0;
  SS_TRY(count ? solve_contacts(m, count, u, x) : solve_free(m, x));
  for (int i = 0; i < m->nfree; i++) m->x[m->dof[i]] = x[i];
  memset(m->p, 0, sizeof(double) * (size_t)m->m);
  for (int k = 0; k < dim * count; k++) m->p[dim * m->active[k / dim] + k % dim] = m->p_active[k];
  memcpy(m->uhat, m->all.w, sizeof(double) * (size_t)m->m);
  memset(m->full1, 0, sizeof(double) * (size_t)m->s.ndof);
  for (int i = 0; i < m->nfree; i++) m->full1[m->dof[i]] = x[i];
  ssi_sparse_multiply_add(&m->H, m->full1, m->uhat);
  for (int k = 0; k < 3; k++) m->info.states[k] = 0;
  for (int i = 0; i < m->s.nc; i++) m->info.states[m->next.states[i]]++;
  return SS_OK;
}
