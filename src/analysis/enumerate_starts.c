// Problems in 3D: solutions collected from many starts. Nothing proves that all were found.
//
// 1. Solves from random reactions, by methods that go different ways (sweeps, Newton, splitting).
// 2. Tracing: from each solution the friction is raised and lowered in steps, each solved from the
//    last answer, and brought back; where a branch ends on the way, the way back leads to another.
// 3. Solutions whose midpoint is a solution as well are one continuum, of which the points found
// are shown.
#include <math.h>
#include <string.h>

#include "analysis/enumerate.h"
#include "base/error.h"
#include "base/rng.h"
#include "base/timer.h"
#include "problem/check.h"
#include "problem/system.h"
#include "stickslip/solver.h"

enum { METHODS = 3, KEPT = 200, STEPS = 6 };
static const char *const methods[METHODS] = {"nsgs", "newton", "admm"};
static const double SAME = 1e-6;  // relative distance of two answers that are one

typedef struct starts {
  ss_context *ctx;
  const ss_problem *p;
  const ss_enumerate_options *o;
  ssi_set *set;
  ss_solver *solver[METHODS];
  ssi_arena scratch;
  int m, count;
  double *r, *u;  // solutions so far   (KEPT m)
  double *try_r, *try_u, *mu;
  double *scale;          // size of a reaction: |q| / lambda_max   (nc)
  double size_r, size_u;  // largest of them; |q|
  ssi_rng rng;
  double begin_s, end_s;
  int64_t solves;
} starts;

static bool goes_on(starts *s, double fraction) {
  double now = ssi_now_s() - s->begin_s;
  ss_enumerate_progress p = {s->solves, s->solves, fraction, s->count, now};
  if (s->o->time_limit_s > 0 && now > s->o->time_limit_s) return false;
  if (s->o->max_solutions && s->count >= s->o->max_solutions) return false;
  if (s->o->progress && s->o->progress(s->o->user, &p)) return false;
  return s->count < KEPT;
}

// Relative to the larger of both and `least`.
static double distance(const double *a, const double *b, int m, double least) {
  double far = 0, size = least;
  for (int k = 0; k < m; k++) {
    far = fmax(far, fabs(a[k] - b[k]));
    size = fmax(size, fmax(fabs(a[k]), fabs(b[k])));
  }
  return size > 0 ? far / size : 0;
}

static void keep(starts *s) {
  for (int k = 0; k < s->count; k++)
    if (distance(s->r + (size_t)k * (size_t)s->m, s->try_r, s->m, s->size_r) <= SAME) return;
  if (s->count == KEPT) return;
  size_t bytes = sizeof(double) * (size_t)s->m;
  memcpy(s->r + (size_t)s->count * (size_t)s->m, s->try_r, bytes);
  memcpy(s->u + (size_t)s->count * (size_t)s->m, s->try_u, bytes);
  s->count++;
}

// A solve that the time limit catches is ended; its answer is not kept.
static int hurry(void *user, const ss_info *now) {
  const starts *s = user;
  (void)now;
  return ssi_time_is_over(s->end_s);
}

static ss_error solve(starts *s, int method, bool *solved) {
  ss_info info;
  s->solves++;
  SS_TRY(ss_solve(s->solver[method], s->try_r, s->try_u, NULL, NULL, &info));
  *solved = info.status == SS_SOLVED;
  return SS_OK;
}

static void random_reactions(starts *s) {
  int dim = s->p->dim;
  for (int i = 0; i < s->p->nc; i++) {
    double *r = s->try_r + dim * i, angle = 6.283185307179586 * ssi_rng_uniform(&s->rng);
    double size = ssi_rng_uniform(&s->rng), share = ssi_rng_uniform(&s->rng);
    r[0] = size < 0.2 ? 0 : -s->scale[i] * log(1.25 * (size - 0.2) + 1e-3);
    double t = s->p->mu[i] * r[0] * share;
    r[1] = t * cos(angle);
    if (dim == 3) r[2] = t * sin(angle);
  }
}

static ss_error from_random(starts *s) {
  bool solved;
  for (int k = 0; k < s->o->starts && goes_on(s, 0.5 * k / s->o->starts); k++) {
    int method = k % METHODS;
    if (!s->solver[method]) continue;
    if (k >= METHODS)
      random_reactions(s);
    else
      memset(s->try_r, 0, sizeof(double) * (size_t)s->m);
    SS_TRY(solve(s, method, &solved));
    if (solved) keep(s);
  }
  return SS_OK;
}

// Friction from 1 to `end` times its value and back, in STEPS each way.
static ss_error trace(starts *s, int from, double end) {
  ss_problem p = *s->p;
  bool solved = true;
  p.mu = s->mu;
  memcpy(s->try_r, s->r + (size_t)from * (size_t)s->m, sizeof(double) * (size_t)s->m);
  for (int k = 1; k <= 2 * STEPS && solved && !ssi_time_is_over(s->end_s); k++) {
    double part = k <= STEPS ? (double)k / STEPS : (double)(2 * STEPS - k) / STEPS;
    for (int i = 0; i < p.nc; i++) s->mu[i] = s->p->mu[i] * (1 + part * (end - 1));
    SS_TRY(ss_solver_update(s->solver[0], &p));
    SS_TRY(solve(s, 0, &solved));
    if (!solved && k < STEPS) k = 2 * STEPS - k, solved = true;  // turn back here
  }
  SS_TRY(ss_solver_update(s->solver[0], s->p));
  if (solved) SS_TRY(solve(s, 0, &solved));
  if (solved) keep(s);
  return SS_OK;
}

static ss_error trace_all(starts *s) {
  static const double ends[] = {0, 0.5, 2, 4};
  if (!s->solver[0]) return SS_OK;
  for (int k = 0; k < s->count; k++)
    for (int e = 0; e < 4 && goes_on(s, 0.5 + 0.5 * k / s->count); e++)
      SS_TRY(trace(s, k, ends[e]));
  return SS_OK;
}

// ---- the result -----------------------------------------------------------------------------

static ss_error judge(starts *s, const double *r, ss_contact_verdict *contacts, double *error) {
  ss_verdict v;
  SS_TRY(ss_verify(s->ctx, s->p, &(ss_solution){.r = r}, NULL, NULL, NULL, contacts, &v));
  *error = v.error;
  return SS_OK;
}

static ss_cell_state *states_of(starts *s, const double *r, double *error, ss_error *e) {
  int nc = s->p->nc;
  ss_cell_state *states = SSI_TAKE(&s->set->arena, nc, ss_cell_state);
  ss_contact_verdict *contacts = SSI_TAKE(&s->scratch, nc, ss_contact_verdict);
  *e = states && contacts ? judge(s, r, contacts, error) : SS_ERR_MEMORY;
  for (int i = 0; !*e && i < nc; i++)
    states[i] = contacts[i].state == SS_FREE    ? SS_CELL_FREE
                : contacts[i].state == SS_STICK ? SS_CELL_STICK
                                                : SS_CELL_SLIP_PLUS;
  return states;
}

static const double *copy(starts *s, const double *x) {
  double *to = SSI_TAKE(&s->set->arena, s->m, double);
  if (to) memcpy(to, x, sizeof(double) * (size_t)s->m);
  return to;
}

// Solutions a and b belong together if the point between them is one too.
static ss_error is_joined(starts *s, int a, int b, bool *joined) {
  const double *x = s->r + (size_t)a * (size_t)s->m, *y = s->r + (size_t)b * (size_t)s->m;
  double error;
  for (int k = 0; k < s->m; k++) s->try_r[k] = (x[k] + y[k]) / 2;
  SS_TRY(judge(s, s->try_r, NULL, &error));
  *joined = error <= 1e-8;
  return SS_OK;
}

// The affine dimension of the points with this root, by Gram-Schmidt with a cut at SAME.
static int dimension_of(starts *s, const int *group, int root, double *basis) {
  int rank = 0;
  const double *x0 = s->r + (size_t)root * (size_t)s->m;
  for (int k = root + 1; k < s->count && rank < s->m; k++) {
    if (group[k] != root) continue;
    double *v = basis + (size_t)rank * (size_t)s->m, before = 0, after = 0;
    for (int j = 0; j < s->m; j++) v[j] = s->r[(size_t)k * (size_t)s->m + j] - x0[j];
    for (int j = 0; j < s->m; j++) before += v[j] * v[j];
    for (int pass = 0; pass < 2; pass++)
      for (int b = 0; b < rank; b++) {
        double dot = 0;
        for (int j = 0; j < s->m; j++) dot += v[j] * basis[(size_t)b * (size_t)s->m + j];
        for (int j = 0; j < s->m; j++) v[j] -= dot * basis[(size_t)b * (size_t)s->m + j];
      }
    for (int j = 0; j < s->m; j++) after += v[j] * v[j];
    if (!(after > 1e-8 * before)) continue;
    for (int j = 0; j < s->m; j++) v[j] /= sqrt(after);
    rank++;
  }
  return rank;
}

static ss_error fill_component(starts *s, const int *group, int root, double *basis,
                               ss_component *out) {
  ss_error e;
  int count = 0;
  for (int k = root; k < s->count; k++) count += group[k] == root;
  const double *r = s->r + (size_t)root * (size_t)s->m, *u = s->u + (size_t)root * (size_t)s->m;
  double error;
  const ss_cell_state *states = states_of(s, r, &error, &e);
  if (e) return e;
  if (count == 1) {
    *out = (ss_component){.isolated = true, .states = states, .u = copy(s, u), .r = copy(s, r)};
    out->error = error;
    return SS_OK;
  }
  ss_cell *cell = SSI_TAKE(&s->set->arena, 1, ss_cell);
  ss_cell_point *points = SSI_TAKE(&s->set->arena, count, ss_cell_point);
  if (!cell || !points) return SS_ERR_MEMORY;
  *cell = (ss_cell){.states = states, .vertices = points, .rays = points + count};
  cell->dimension = dimension_of(s, group, root, basis);
  for (int k = root; k < s->count; k++)
    if (group[k] == root)
      points[cell->vertex_count++] = (ss_cell_point){copy(s, s->u + (size_t)k * (size_t)s->m),
                                                     copy(s, s->r + (size_t)k * (size_t)s->m)};
  *out = (ss_component){.error = NAN, .dimension = cell->dimension, .cell_count = 1, .cells = cell};
  return SS_OK;
}

static ss_error make_set(starts *s) {
  int *group = SSI_TAKE(&s->scratch, KEPT, int);
  double *basis = SSI_TAKE(&s->scratch, (size_t)(s->m + 1) * (size_t)s->m, double);
  ss_solution_set *set = &s->set->set;
  if (s->scratch.failed) return SS_ERR_MEMORY;
  for (int k = 0; k < s->count; k++) {
    group[k] = k;
    for (int j = 0; j < k && group[k] == k; j++) {
      bool joined;
      SS_TRY(is_joined(s, j, k, &joined));
      if (joined) group[k] = group[j];
    }
    set->count += group[k] == k;
  }
  ss_component *all = SSI_TAKE(&s->set->arena, set->count, ss_component);
  if (!all) return SS_ERR_MEMORY;
  for (int k = 0, c = 0; k < s->count; k++)
    if (group[k] == k) SS_TRY(fill_component(s, group, k, basis, &all[c++]));
  set->components = all;
  set->unique_velocity = s->count > 0;
  for (int k = 1; k < s->count; k++)
    if (distance(s->u, s->u + (size_t)k * (size_t)s->m, s->m, s->size_u) > SAME)
      set->unique_velocity = false;
  set->nodes = set->leaves = s->solves;
  set->stopped = "3D: a search from many starts cannot be complete";
  return s->set->arena.failed ? SS_ERR_MEMORY : SS_OK;
}

// ---- set-up ---------------------------------------------------------------------------------

static ss_error set_up(starts *s) {
  ssi_system *system;
  size_t all = (size_t)KEPT * (size_t)s->m;
  s->r = SSI_TAKE(&s->scratch, all, double), s->u = SSI_TAKE(&s->scratch, all, double);
  s->try_r = SSI_TAKE(&s->scratch, s->m, double), s->try_u = SSI_TAKE(&s->scratch, s->m, double);
  s->mu = SSI_TAKE(&s->scratch, s->p->nc, double),
  s->scale = SSI_TAKE(&s->scratch, s->p->nc, double);
  if (s->scratch.failed) return ssi_fail(s->ctx, SS_ERR_MEMORY, "no memory to search");
  SS_TRY(ssi_system_create(s->ctx, s->p, &system));
  double most = 0;
  for (int k = 0; k < s->m; k++) most = fmax(most, fabs(system->q[k]));
  for (int i = 0; i < s->p->nc; i++)
    s->scale[i] = system->lambda_max[i] > 0 ? most / system->lambda_max[i] : 1;
  for (int i = 0; i < s->p->nc; i++) s->size_r = fmax(s->size_r, s->scale[i]);
  s->size_u = most;
  ssi_system_destroy(system);
  for (int k = 0; k < METHODS; k++) {
    ss_options o = ss_options_default();
    o.method = methods[k], o.tol = 1e-10, o.max_iter = k == 1 ? 200 : 5000;
    if (s->o->time_limit_s > 0) o.progress = hurry, o.user = s, o.check_every = 10;
    ss_error e = ss_solver_create(s->ctx, s->p, &o, &s->solver[k]);
    if (e == SS_ERR_METHOD) continue;  // this method does not take the problem
    if (e) return e;
  }
  return SS_OK;
}

ss_error ssi_search_starts(ss_context *ctx, const ss_problem *p, const ss_enumerate_options *o,
                           ssi_set *set) {
  starts s = {.ctx = ctx, .p = p, .o = o, .set = set, .m = p->dim * p->nc};
  s.scratch.ctx = ctx;
  s.rng.state = o->seed;
  s.begin_s = ssi_now_s();
  s.end_s = ssi_time_end(o->time_limit_s);
  ss_error e = ssi_problem_check_data(ctx, p);
  if (!e) e = set_up(&s);
  if (!e) e = from_random(&s);
  if (!e) e = trace_all(&s);
  if (!e) e = make_set(&s);
  for (int k = 0; k < METHODS; k++) ss_solver_destroy(s.solver[k]);
  ssi_arena_release(&s.scratch);
  return e;
}
