// All solutions of a 2D problem: cells by state patterns, joined to components.
//
// analysis/enumerate_search.c walks the tree of states, analysis/cell_kernel.h solves one pattern,
// analysis/enumerate_join.c makes solutions of the cells. 3D is enumerate_starts.c.
#include "analysis/enumerate.h"

#include <math.h>
#include <string.h>

#include "analysis/glcp.h"
#include "base/error.h"
#include "base/timer.h"
#include "la/small_cholesky.h"
#include "problem/check.h"

const char *ss_cell_state_name(ss_cell_state s) {
  static const char *const names[] = {"free", "stick", "slip+", "slip-"};
  return s >= 0 && s < 4 ? names[s] : "?";
}

const char *ss_recheck_name(ss_recheck r) {
  static const char *const names[] = {"none", "confirmed", "replaced", "differs"};
  return r >= 0 && r < 4 ? names[r] : "?";
}

ss_enumerate_options ss_enumerate_options_default(void) {
  return (ss_enumerate_options){.tie_tol = 1e-10, .recheck = 256, .starts = 200, .seed = 1};
}

bool ssi_is_definite(ssi_arena *arena, const ssi_scaled *z) {
  int m = z->m;
  double *L = SSI_TAKE(arena, m * m, double);
  if (!L) return false;
  memcpy(L, z->W, sizeof *L * (size_t)(m * m));
  ssi_symmetrise(m, L);
  return ssi_cholesky(m, L, m, 1e-12, 0);
}

// The indices of all solutions sum to the degree of the map, which is 1 where W is positive
// definite (it is for mu = 0, and the solutions stay bounded as mu grows).
static void check_degree(ss_solution_set *set) {
  int sum = 0;
  bool applies = set->complete && !set->singular;
  for (int k = 0; k < set->count; k++) {
    sum += set->components[k].index;
    if (!set->components[k].isolated || set->components[k].index == 0) applies = false;
  }
  set->degree = SS_DEGREE_NOT_APPLICABLE;
  if (!applies) return;
  set->degree_sum = sum;
  set->degree = sum == 1 ? SS_DEGREE_HOLDS : SS_DEGREE_VIOLATED;
  if (sum != 1) {
    set->complete = false;
    set->stopped = "the degree check failed";
  }
}

static bool has_tie(const ss_solution_set *set) {
  for (int k = 0; k < set->count; k++)
    if (!set->components[k].isolated || set->components[k].tie) return true;
  return false;
}

static ss_error verify(ss_context *ctx, const ss_problem *p, ss_solution_set *set) {
  for (int k = 0; k < set->count; k++) {
    ss_component *c = (ss_component *)&set->components[k];
    ss_verdict v;
    if (!c->isolated) continue;
    SS_TRY(ss_verify(ctx, p, &(ss_solution){.r = c->r}, NULL, NULL, NULL, NULL, &v));
    c->error = v.error;
  }
  return SS_OK;
}

// The published way, glcp.h.
static ss_error search_by_rays(ssi_cell_search *s, double tie_tol, ss_solution_set *set) {
  ssi_glcp g = {.ctx = s->ctx, .z = s->z, .n = s->z->n, .size = 6 * s->z->n + 1, .tol = tie_tol};
  ss_error e = ssi_glcp_cut(s, &g);
  if (!e && !s->stopped) e = ssi_glcp_cells(s, &g);
  set->rays_most = g.most;
  ssi_glcp_release(&g);
  return e;
}

static ss_error search(ss_context *ctx, const ss_problem *p, const ss_enumerate_options *o,
                       int64_t leaves_most, ssi_arena *scratch, ssi_set *out) {
  ss_solution_set *set = &out->set;
  ssi_solver_of_cells rough, fine = {0};
  ssi_cells cells = {.arena = scratch, .n = p->nc, .end_s = ssi_time_end(o->time_limit_s)};
  ssi_cell_search s = {
      .ctx = ctx, .o = o, .cells = &cells, .arena = scratch, .begin_s = ssi_now_s()};
  SS_TRY(ssi_cells_double(ctx, scratch, p, o->tie_tol, &rough));
  s.z = ssi_cells_scaled(&rough);
  set->exact = o->exact || o->rational;
  if (set->exact) SS_TRY(ssi_cells_exact(ctx, scratch, p, o->exact, cells.end_s, &fine));
  s.solver = set->exact ? &fine : &rough;
  s.leaves_most = leaves_most;
  s.strict = set->exact ? 0 : o->tie_tol / 20;
  set->singular = !ssi_is_definite(scratch, s.z);
  if (s.solver->impossible && !set->exact) cells.doubtful = true;
  cells.doubtful = cells.doubtful || s.solver->doubtful;
  s.clear = ssi_rank_is_clear(scratch, p, s.z);
  s.all_patterns = set->exact && (set->singular || rough.doubtful || !s.clear);
  cells.late = s.solver->late;
  bool nothing = s.solver->impossible || s.solver->late;
  bool rays = o->method == SS_ENUMERATE_GLCP;
  ss_error e = nothing ? SS_OK
               : rays  ? search_by_rays(&s, o->tie_tol, set)
                       : ssi_search_states(&s, !set->singular);
  if (cells.late)
    s.stopped = "time_limit";  // also where the last pattern was the one that took long
  if (!e) e = ssi_join_cells(ctx, &cells, s.z->mu, out);
  if (set->exact) fine.release(fine.state);
  SS_TRY(e);
  set->nodes = s.nodes;
  set->leaves = s.leaves;
  set->stopped = s.stopped ? s.stopped : cells.overflow ? "a cell has too many vertices" : NULL;
  set->complete = !set->stopped;
  out->blind = cells.blind;
  set->ties = set->exact ? 0 : cells.ties;
  check_degree(set);
  set->doubtful = cells.doubtful;
  set->certain = cells.certain && (set->exact || !rough.unsure);
  set->rigorous = set->complete && !cells.doubtful && !rays && (set->exact || !has_tie(set));
  return o->verify ? verify(ctx, p, set) : SS_OK;
}

static ss_error check_rays(ss_context *ctx, const ss_problem *p, const ss_enumerate_options *o) {
  if (p->dim != 2)
    return ssi_fail(ctx, SS_ERR_METHOD, "the problem has dim %d, expected 2 for the method glcp",
                    p->dim);
  if (p->nc > SSI_GLCP_CONTACTS)
    return ssi_fail(ctx, SS_ERR_METHOD, "%d contacts, expected at most %d for the method glcp",
                    p->nc, SSI_GLCP_CONTACTS);
  if (o->exact || o->rational)
    return ssi_fail(ctx, SS_ERR_ARGUMENT, "the method glcp works in doubles, not exactly");
  return SS_OK;
}

static ss_error check_arguments(ss_context *ctx, const ss_problem *p,
                                const ss_enumerate_options *o) {
  if (!p) return ssi_fail(ctx, SS_ERR_ARGUMENT, "no problem given");
  SS_TRY(ssi_problem_check_structure(ctx, p));
  if (!(o->tie_tol >= 0 && o->tie_tol < 1e-2))
    return ssi_fail(ctx, SS_ERR_ARGUMENT, "tie_tol is %g, expected 0 <= tie_tol < 0.01",
                    o->tie_tol);
  if (o->starts < 1)
    return ssi_fail(ctx, SS_ERR_ARGUMENT, "starts is %d, expected >= 1", o->starts);
  if (p->dim == 2 && p->nc > SS_ENUMERATE_CONTACTS)
    return ssi_fail(ctx, SS_ERR_ARGUMENT, "%d contacts, expected at most %d to enumerate", p->nc,
                    SS_ENUMERATE_CONTACTS);
  return o->method == SS_ENUMERATE_GLCP ? check_rays(ctx, p, o) : SS_OK;
}

static ss_error enumerate_once(ss_context *ctx, const ss_problem *p, const ss_enumerate_options *o,
                               int64_t leaves_most, ss_solution_set **out) {
  ssi_arena scratch = {.ctx = ctx}, arena = {.ctx = ctx};
  ssi_set *set = SSI_TAKE(&arena, 1, ssi_set);
  if (!set) return ssi_fail(ctx, SS_ERR_MEMORY, "no memory for the solutions");
  set->arena = arena;
  set->set.dim = p->dim;
  set->set.nc = p->nc;
  ss_error e = p->dim == 2 ? search(ctx, p, o, leaves_most, &scratch, set)
                           : ssi_search_starts(ctx, p, o, set);
  ssi_arena_release(&scratch);
  if (e) return ss_solution_set_destroy(&set->set), e;
  *out = &set->set;
  return SS_OK;
}

// What doubles did not settle, in rational arithmetic, within what is left of the time.
static ss_error recheck(ss_context *ctx, const ss_problem *p, const ss_enumerate_options *o,
                        double begin_s, ss_solution_set **set) {
  if (!ssi_has_exact() || o->method != SS_ENUMERATE_TREE || !ssi_recheck_applies(*set, o))
    return SS_OK;
  ss_enumerate_options exact = *o;
  exact.rational = true;
  if (o->time_limit_s > 0) exact.time_limit_s = o->time_limit_s - (ssi_now_s() - begin_s);
  if (o->time_limit_s > 0 && exact.time_limit_s <= 0) return SS_OK;
  ss_solution_set *fine = NULL;
  SS_TRY(enumerate_once(ctx, p, &exact, o->recheck, &fine));
  *set = ssi_recheck_choose(*set, fine);
  return SS_OK;
}

static bool is_finite(const ss_solution_set *set, const double *u, const double *r) {
  for (int k = 0; k < set->dim * set->nc; k++)
    if (!isfinite(u[k]) || !isfinite(r[k])) return false;
  return true;
}

static bool are_finite(const ss_solution_set *set, int count, const ss_cell_point *points) {
  for (int k = 0; k < count; k++)
    if (!is_finite(set, points[k].u, points[k].r)) return false;
  return true;
}

// The scaled or rational solution may be beyond the range of doubles in the user's units.
static ss_error check_range(ss_context *ctx, const ss_solution_set *set) {
  for (int k = 0; k < set->count; k++) {
    const ss_component *c = &set->components[k];
    bool fine = !c->isolated || is_finite(set, c->u, c->r);
    for (int i = 0; fine && i < c->cell_count; i++)
      fine = are_finite(set, c->cells[i].vertex_count, c->cells[i].vertices) &&
             are_finite(set, c->cells[i].ray_count, c->cells[i].rays);
    if (!fine)
      return ssi_fail(ctx, SS_ERR_DATA,
                      "solution %d has numbers beyond the range of doubles; other units would help",
                      k);
  }
  return SS_OK;
}

ss_error ss_enumerate(ss_context *ctx, const ss_problem *p, const ss_enumerate_options *o,
                      ss_solution_set **out) {
  if (!out) return ssi_fail(ctx, SS_ERR_ARGUMENT, "nowhere to put the solutions");
  *out = NULL;
  ss_enumerate_options options = o ? *o : ss_enumerate_options_default();
  SS_TRY(check_arguments(ctx, p, &options));
  double begin = ssi_now_s();
  ss_solution_set *set = NULL;
  SS_TRY(enumerate_once(ctx, p, &options, 0, &set));
  ss_error e = recheck(ctx, p, &options, begin, &set);
  if (!e) e = check_range(ctx, set);
  if (e) return ss_solution_set_destroy(set), e;
  set->time_s = ssi_now_s() - begin;
  *out = set;
  return SS_OK;
}

void ss_solution_set_destroy(ss_solution_set *set) {
  if (!set) return;
  ssi_arena_release_home(((ssi_set *)set)->arena);
}
