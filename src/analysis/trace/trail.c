// Points as they are reported, each judged from raw data, and what is read off them: changes, folds, continua.
#include <math.h>
#include <string.h>

#include "analysis/trace/tracer.h"
#include "base/error.h"

static const double LITTLE_LOAD = 1e-6;  // of the largest |q| over the range

static ss_error no_memory(ss_context *ctx) {
  return ssi_fail(ctx, SS_ERR_MEMORY, "no memory for the branches");
}

// ---- points ---------------------------------------------------------------------------------------

// The states as they are kept: those of the point before where they are the same.
static const ss_cell_state *keep_states(ssi_tracer *t, const ssi_trail *trail,
                                        const ss_cell_state *states) {
  int n = t->family.n;
  const ss_cell_state *last = trail->count ? trail->points[trail->count - 1].shown.states : NULL;
  if (last && ssi_same_states(last, states, n)) return last;
  ss_cell_state *copy = SSI_TAKE(&t->keep, n, ss_cell_state);
  if (copy) memcpy(copy, states, sizeof *copy * (size_t)n);
  return copy;
}

// u from the problem's own data; what the states say to be zero is, within the error that is judged.
static ss_error judge(ssi_tracer *t, const ss_cell_state *states, double p, const double *r,
                      double *u, double *error) {
  ss_problem *problem;
  ss_verdict v;
  t->family.problems++;
  SS_TRY(t->family.problem(t->family.user, t->ctx, p, &problem));
  ss_error e = ss_verify(t->ctx, problem, &(ss_solution){.r = r}, u, NULL, NULL, NULL, &v);
  ss_problem_destroy(problem);
  SS_TRY(e);
  for (int i = 0; i < t->family.n; i++) {
    if (states[i] != SS_CELL_FREE) u[2 * i] = 0;
    if (states[i] == SS_CELL_STICK) u[2 * i + 1] = 0;
  }
  // where the load passes through zero nothing is left to compare with but the load elsewhere
  double elsewhere = LITTLE_LOAD * t->family.load;
  *error = v.scale < elsewhere ? v.error * (v.scale / elsewhere) : v.error;
  return SS_OK;
}

ss_error ssi_trail_add(ssi_tracer *t, ssi_trail *trail, const ssi_spot *at,
                       const ss_cell_state *states, bool *good) {
  size_t m = (size_t)t->family.m;
  double *shown = SSI_TAKE(&t->keep, 2 * m, double), *scaled = SSI_TAKE(&t->while_, 2 * m, double);
  if (!shown || !scaled ||
      !ssi_grow(t->ctx, &trail->points, &trail->room, trail->count + 1, trail->count,
                sizeof *trail->points))
    return no_memory(t->ctx);
  ssi_trail_point *x = &trail->points[trail->count];
  *x = (ssi_trail_point){{.parameter = at->p, .r = shown, .u = shown + m}, scaled, scaled + m};
  memcpy(scaled, at->r, sizeof *scaled * m);
  memcpy(scaled + m, at->u, sizeof *scaled * m);
  ssi_units_unscale(&t->family.units, true, at->r, shown);
  SS_TRY(judge(t, states, at->p, shown, shown + m, &x->shown.error));
  *good = x->shown.error <= t->o->tol;
  if (!*good) return SS_OK;
  x->shown.states = keep_states(t, trail, states);
  if (!x->shown.states) return no_memory(t->ctx);
  t->error_max = fmax(t->error_max, x->shown.error);
  trail->count++;
  t->points++;
  return SS_OK;
}

// ---- branches -------------------------------------------------------------------------------------

// Arclength between two points: p over the range, r and u over their size.
static double distance(const ssi_tracer *t, const ssi_trail_point *a, const ssi_trail_point *b) {
  double dp = (b->shown.parameter - a->shown.parameter) / t->range, most = 0;
  double size = ssi_point_size(a->r, a->u, t->family.m);
  for (int k = 0; k < t->family.m; k++)
    most = fmax(most, fmax(fabs(b->r[k] - a->r[k]), fabs(b->u[k] - a->u[k])));
  return hypot(dp, most / size);
}

ss_error ssi_branch_add(ssi_tracer *t, const ssi_trail *back, const ssi_trail *on,
                        const ssi_branch_ends *ends) {
  size_t count = on->count + (back ? back->count : 0), k = 0;
  if (!count) return SS_OK;
  const ssi_trail_point **order = ssi_alloc(t->ctx, count, sizeof *order);
  ss_trace_point *points = SSI_TAKE(&t->keep, count, ss_trace_point);
  if (!order || !points ||
      !ssi_grow(t->ctx, &t->branches, &t->branch_room, t->branch_count + 1, t->branch_count,
                sizeof *t->branches)) {
    ssi_release(t->ctx, order);
    return no_memory(t->ctx);
  }
  // both ways begin at the start: once, unless it is where the pattern changes
  bool twice =
      back && back->count && on->count &&
      ssi_same_states(back->points[0].shown.states, on->points[0].shown.states, t->family.n);
  for (size_t i = back ? back->count : 0; i > (twice ? 1 : 0); i--)
    order[k++] = &back->points[i - 1];
  size_t start = k;
  for (size_t i = 0; i < on->count; i++) order[k++] = &on->points[i];
  for (size_t i = 0; i < k; i++) {
    points[i] = order[i]->shown;
    points[i].step = i ? distance(t, order[i - 1], order[i]) : 0;
  }
  ssi_release(t->ctx, order);
  t->branches[t->branch_count++] = (ss_trace_branch){
      .point_count = (int)k,
      .points = points,
      .start = ends->from_start ? (int)(start < k ? start : k - 1) : -1,
      .ends = {ends->reason[0], ends->reason[1]},
      .limit = {ends->limit[0], ends->limit[1]},
  };
  return SS_OK;
}

ss_error ssi_continuum_add(ssi_tracer *t, const ssi_trail *trail, size_t first, bool unbounded) {
  if (first + 1 >= trail->count) return SS_OK;
  const ss_trace_point *a = &trail->points[first].shown,
                       *b = &trail->points[trail->count - 1].shown;
  if (!ssi_grow(t->ctx, &t->continua, &t->continuum_room, t->continuum_count + 1,
                t->continuum_count, sizeof *t->continua))
    return no_memory(t->ctx);
  t->continua[t->continuum_count++] = (ss_trace_continuum){
      .parameter = a->parameter,
      .dimension = 1,
      .unbounded = unbounded,
      .branch = (int)t->branch_count,
      .states = a->states,
      .r = {a->r, unbounded ? NULL : b->r},
      .u = {a->u, unbounded ? NULL : b->u},
  };
  return SS_OK;
}

// Two halves of one vertical piece, cut where a branch crosses it, are one.
static bool join(const ssi_tracer *t, ss_trace_continuum *a, const ss_trace_continuum *b) {
  size_t bytes = sizeof(double) * (size_t)t->family.m;
  if (a->parameter != b->parameter || a->dimension != 1 || b->dimension != 1 ||
      !ssi_same_states(a->states, b->states, t->family.n))
    return false;
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) {
      if (!a->r[i] || !b->r[j] || memcmp(a->r[i], b->r[j], bytes) != 0) continue;
      a->r[i] = b->r[!j], a->u[i] = b->u[!j];
      a->unbounded = a->unbounded || b->unbounded;
      return true;
    }
  return false;
}

static void join_continua(ssi_tracer *t) {
  for (size_t i = 0; i < t->continuum_count; i++)
    for (size_t j = i + 1; j < t->continuum_count;) {
      if (join(t, &t->continua[i], &t->continua[j])) {
        t->continua[j] = t->continua[--t->continuum_count];
        j = i + 1;
      } else {
        j++;
      }
    }
}

// ---- changes and folds ----------------------------------------------------------------------------

static bool is_change(const ssi_tracer *t, const ss_trace_point *a, const ss_trace_point *b) {
  return !ssi_same_states(a->states, b->states, t->family.n);
}

typedef struct found_marks {
  ss_trace_fold *folds;
  ss_trace_change *changes;
  int fold_count, change_count;  // counted only where the arrays are NULL
} found_marks;

static void read_branch(const ssi_tracer *t, int index, found_marks *out) {
  const ss_trace_branch *b = &t->branches[index];
  int direction = 0, arrived = 0;  // the last point that p moved to
  for (int k = 0; k + 1 < b->point_count; k++) {
    const ss_trace_point *x = &b->points[k], *y = x + 1;
    double step = y->parameter - x->parameter;
    if (is_change(t, x, y)) {
      if (out->changes)
        out->changes[out->change_count] =
            (ss_trace_change){x->parameter, index, k, x->states, y->states};
      out->change_count++;
    }
    if (step == 0) continue;
    int now = step > 0 ? 1 : -1;
    if (direction && now != direction) {
      bool vertical = false;  // r or u moved while p stood still
      for (int j = arrived; j < k; j++) vertical = vertical || b->points[j + 1].step > 0;
      if (out->folds)
        out->folds[out->fold_count] =
            (ss_trace_fold){b->points[arrived].parameter, index,    arrived, vertical,
                            b->points[arrived].states,    x->states};
      out->fold_count++;
    }
    direction = now, arrived = k + 1;
  }
}

static ss_error find_marks(ssi_tracer *t, ss_trace *out) {
  found_marks all = {0};
  for (size_t k = 0; k < t->branch_count; k++) {
    found_marks one = {0};
    read_branch(t, (int)k, &one);
    t->branches[k].fold_count = one.fold_count, t->branches[k].change_count = one.change_count;
    all.fold_count += one.fold_count, all.change_count += one.change_count;
  }
  all.folds = SSI_TAKE(&t->keep, all.fold_count + 1, ss_trace_fold);
  all.changes = SSI_TAKE(&t->keep, all.change_count + 1, ss_trace_change);
  if (t->keep.failed) return no_memory(t->ctx);
  out->folds = all.folds, out->fold_count = all.fold_count;
  out->changes = all.changes, out->change_count = all.change_count;
  all.fold_count = all.change_count = 0;
  for (size_t k = 0; k < t->branch_count; k++) read_branch(t, (int)k, &all);
  return SS_OK;
}

static ss_error show_branchings(ssi_tracer *t, ss_trace *out) {
  size_t m = (size_t)t->family.m;
  ss_trace_branching *list = SSI_TAKE(&t->keep, t->node_count + 1, ss_trace_branching);
  double *x = SSI_TAKE(&t->keep, 2 * m * (t->node_count + 1), double);
  if (t->keep.failed) return no_memory(t->ctx);
  for (size_t k = 0; k < t->node_count; k++, x += 2 * m) {
    const ssi_trace_node *node = &t->nodes[k];
    ssi_units_unscale(&t->family.units, true, node->at.r, x);
    ssi_units_unscale(&t->family.units, false, node->at.u, x + m);
    list[k] = (ss_trace_branching){node->at.p, x + m, x, node->count};
  }
  out->branchings = list, out->branching_count = (int)t->node_count;
  return SS_OK;
}

ss_error ssi_trace_assemble(ssi_tracer *t, ss_trace *out) {
  join_continua(t);
  SS_TRY(find_marks(t, out));
  SS_TRY(show_branchings(t, out));
  ss_trace_branch *branches = SSI_TAKE(&t->keep, t->branch_count + 1, ss_trace_branch);
  ss_trace_continuum *continua = SSI_TAKE(&t->keep, t->continuum_count + 1, ss_trace_continuum);
  if (t->keep.failed) return no_memory(t->ctx);
  if (t->branch_count) memcpy(branches, t->branches, sizeof *branches * t->branch_count);
  if (t->continuum_count) memcpy(continua, t->continua, sizeof *continua * t->continuum_count);
  out->branches = branches, out->branch_count = (int)t->branch_count;
  out->continua = continua, out->continuum_count = (int)t->continuum_count;
  return SS_OK;
}
