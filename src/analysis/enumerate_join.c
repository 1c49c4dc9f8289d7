// From cells to solutions: drop cells that are part of others, join those that touch.
// See analysis/cells.h (1), (2).
#include <math.h>

#include "analysis/enumerate.h"
#include "base/error.h"
#include "base/sets.h"

typedef struct join {
  const ssi_cells *cells;
  const double *mu;
  ssi_set *set;
  bool *dropped;  // (found_count)
  int *parent;    // sets of cells (base/sets.h)          (found_count)
  int *first;     // first cell with a generator    (generator_count)
} join;

static bool has(const ssi_found *f, int generator) {
  for (int k = 0; k < f->count; k++)
    if (f->generators[k] == generator) return true;
  return false;
}

static bool is_part(const ssi_found *a, const ssi_found *b) {
  if (a->count > b->count || a->ray_count > b->ray_count) return false;
  for (int k = 0; k < a->count; k++)
    if (!has(b, a->generators[k])) return false;
  return true;
}

// Cells with a common vertex, the smaller number as root: components in the order they were found.
static void connect(join *j) {
  const ssi_cells *c = j->cells;
  for (int g = 0; g < c->generator_count; g++) j->first[g] = -1;
  for (int a = 0; a < c->found_count; a++) {
    const ssi_found *f = &c->found[a];
    j->parent[a] = a;
    for (int k = 0; k < f->count - f->ray_count; k++) {
      int *first = &j->first[f->generators[k]];
      if (*first < 0) *first = a;
      ssi_set_join(j->parent, *first, a);
    }
  }
}

// A part of a cell touches it, so only cells of one component are compared.
static void drop_parts(join *j) {
  const ssi_cells *c = j->cells;
  for (int a = 0; a < c->found_count; a++)
    for (int b = 0; b < c->found_count && !j->dropped[a]; b++) {
      if (a == b || j->dropped[b] || ssi_set_of(j->parent, a) != ssi_set_of(j->parent, b)) continue;
      j->dropped[a] = is_part(&c->found[a], &c->found[b]);
    }
}

// States inside a cell: a contact is pressed there if it is at some generator, and so on.
static ss_cell_state *interior(join *j, const ssi_found *f) {
  int n = j->cells->n;
  ss_cell_state *states = SSI_TAKE(&j->set->arena, n, ss_cell_state);
  for (int i = 0; states && i < n; i++) {
    int any = 0;
    for (int k = 0; k < f->count; k++) any |= j->cells->generators[f->generators[k]].marks[i];
    states[i] = !(any & SSI_PRESSED) ? SS_CELL_FREE
                : any & SSI_RIGHT    ? SS_CELL_SLIP_PLUS
                : any & SSI_LEFT     ? SS_CELL_SLIP_MINUS
                                     : SS_CELL_STICK;
  }
  return states;
}

static double *copy(join *j, const double *x, double factor) {
  int m = 2 * j->cells->n;
  double *to = SSI_TAKE(&j->set->arena, m, double);
  for (int k = 0; to && k < m; k++) to[k] = x[k] * factor;
  return to;
}

static ss_cell_point point(join *j, int generator) {
  const ssi_generator *g = &j->cells->generators[generator];
  double factor = 1;
  if (g->ray) {
    double sum = 0;
    for (int i = 0; i < j->cells->n; i++) sum += g->r[2 * i];
    factor = 1 / sum;
  }
  return (ss_cell_point){copy(j, g->u, factor), copy(j, g->r, factor)};
}

static void fill_cell(join *j, const ssi_found *f, ss_cell *out) {
  ss_cell_point *points = SSI_TAKE(&j->set->arena, f->count, ss_cell_point);
  for (int k = 0; points && k < f->count; k++) points[k] = point(j, f->generators[k]);
  int vertices = f->count - f->ray_count;
  *out = (ss_cell){.dimension = f->dimension,
                   .states = interior(j, f),
                   .vertex_count = vertices,
                   .ray_count = f->ray_count,
                   .vertices = points,
                   .rays = points + vertices};
}

static void fill_isolated(join *j, const ssi_found *f, ss_component *out) {
  const ssi_generator *g = &j->cells->generators[f->generators[0]];
  out->isolated = true;
  out->error = NAN;
  out->states = interior(j, f);
  out->u = copy(j, g->u, 1);
  out->r = copy(j, g->r, 1);
  for (int i = 0; i < j->cells->n; i++) {
    int in = g->marks[i] & SSI_IN_ANY;
    // without friction stick, slip+ and slip- are one state
    if (j->mu[i] == 0 && !(in & SSI_IN_FREE)) in = SSI_IN_STICK;
    if (in & (in - 1)) out->tie = true;
  }
  out->index = out->tie ? 0 : f->index;
}

static bool same_velocity(const ssi_cells *c, int a, int b) {
  double far = 0, scale = 0;
  for (int k = 0; k < 2 * c->n; k++) {
    const double *x = c->generators[a].u, *y = c->generators[b].u;
    far = fmax(far, fabs(x[k] - y[k]));
    scale = fmax(scale, fmax(fabs(x[k]), fabs(y[k])));
  }
  return far <= 1e-9 * scale;
}

static bool is_velocity_unique(const ssi_cells *c) {
  int vertex = -1;
  for (int g = 0; g < c->generator_count; g++) {
    if (c->generators[g].ray) {
      double size = 0;
      for (int k = 0; k < 2 * c->n; k++) size = fmax(size, fabs(c->generators[g].u[k]));
      if (size > 1e-9) return false;
    } else if (vertex >= 0 && !same_velocity(c, vertex, g)) {
      return false;
    } else {
      vertex = g;
    }
  }
  return vertex >= 0;
}

static void fill_component(join *j, int which, ss_component *out) {
  const ssi_cells *c = j->cells;
  int count = 0, one = -1;
  for (int a = 0; a < c->found_count; a++)
    if (!j->dropped[a] && ssi_set_of(j->parent, a) == which) count++, one = a;
  if (count == 1 && c->found[one].count == 1) {
    fill_isolated(j, &c->found[one], out);
    return;
  }
  ss_cell *cells = SSI_TAKE(&j->set->arena, count, ss_cell);
  *out = (ss_component){.error = NAN, .cells = cells};
  for (int a = 0; cells && a < c->found_count; a++) {
    if (j->dropped[a] || ssi_set_of(j->parent, a) != which) continue;
    fill_cell(j, &c->found[a], &cells[out->cell_count++]);
    if (c->found[a].dimension > out->dimension) out->dimension = c->found[a].dimension;
  }
}

ss_error ssi_join_cells(ss_context *ctx, const ssi_cells *cells, const double *mu, ssi_set *set) {
  ssi_arena scratch = {.ctx = ctx};
  int found = cells->found_count;
  join j = {.cells = cells, .mu = mu, .set = set};
  j.dropped = SSI_TAKE(&scratch, found, bool);
  j.parent = SSI_TAKE(&scratch, found, int);
  j.first = SSI_TAKE(&scratch, cells->generator_count, int);
  ss_error e = SS_ERR_MEMORY;
  if (!scratch.failed) {
    connect(&j);
    drop_parts(&j);
    for (int a = 0; a < found; a++) set->set.count += ssi_set_of(j.parent, a) == a;
    ss_component *all = SSI_TAKE(&set->arena, set->set.count, ss_component);
    for (int a = 0, k = 0; all && a < found; a++)
      if (ssi_set_of(j.parent, a) == a) fill_component(&j, a, &all[k++]);
    set->set.components = all;
    set->set.unique_velocity = is_velocity_unique(cells);
    if (!set->arena.failed) e = SS_OK;
  }
  ssi_arena_release(&scratch);
  return e ? ssi_fail(ctx, e, "no memory for the solutions") : SS_OK;
}
