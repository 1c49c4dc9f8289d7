// Which element a side is a face of, which way it looks, and which nodes hang together.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "fem/mesh.h"
#include "la/vec3.h"

// The elements of each node, as rows.
typedef struct stars {
  int *first, *element;
} stars;

static bool make_stars(ssi_arena *arena, const ss_mesh *m, stars *out) {
  const ss_cells *c = &m->elements;
  int total = c->count ? c->first[c->count] : 0;
  out->first = SSI_TAKE(arena, (size_t)m->nodes + 2, int);
  out->element = SSI_TAKE(arena, total + 1, int);
  if (arena->failed) return false;
  for (int p = 0; p < total; p++) out->first[c->node[p] + 2]++;
  for (int k = 2; k < m->nodes + 2; k++) out->first[k] += out->first[k - 1];
  for (int e = 0; e < c->count; e++)
    for (int p = c->first[e]; p < c->first[e + 1]; p++)
      out->element[out->first[c->node[p] + 1]++] = e;
  return true;
}

static bool element_has(const ss_cells *c, int element, int node) {
  for (int p = c->first[element]; p < c->first[element + 1]; p++)
    if (c->node[p] == node) return true;
  return false;
}

static int neighbour_of(const ss_mesh *m, const stars *s, int side) {
  const ss_cells *c = &m->sides;
  int start = c->node[c->first[side]];
  for (int k = s->first[start]; k < s->first[start + 1]; k++) {
    bool all = true;
    for (int p = c->first[side]; all && p < c->first[side + 1]; p++)
      all = element_has(&m->elements, s->element[k], c->node[p]);
    if (all) return s->element[k];
  }
  return -1;
}

ss_error ssi_mesh_neighbours(ss_context *ctx, ssi_arena *arena, const ss_mesh *m, const int **out) {
  ssi_arena scratch = {.ctx = ctx};
  stars s;
  int *of = SSI_TAKE(arena, m->sides.count + 1, int);
  bool ok = of && make_stars(&scratch, m, &s);
  for (int k = 0; ok && k < m->sides.count; k++) of[k] = neighbour_of(m, &s, k);
  ssi_arena_release(&scratch);
  *out = of;
  return ok ? SS_OK : ssi_mesh_no_memory(ctx);
}

void ssi_side_place(const ss_mesh *m, int side, const double *xi, double N[SSI_ELEMENT_NODES],
                    double x[3], double t[2][3]) {
  const ssi_cell_kind *e = ssi_element_of(m->sides.kind[side]);
  double at[3 * SSI_ELEMENT_NODES], dN[3 * SSI_ELEMENT_NODES];
  ssi_cell_places(m, &m->sides, side, at);
  ssi_shape(e, xi, N, dN);
  memset(t, 0, 6 * sizeof(double));
  x[0] = x[1] = x[2] = 0;
  for (int p = 0; p < e->nodes; p++)
    for (int k = 0; k < m->dim; k++) {
      x[k] += N[p] * at[p * m->dim + k];
      for (int a = 0; a < e->dim; a++) t[a][k] += dN[p * e->dim + a] * at[p * m->dim + k];
    }
}

static void middle(const ss_mesh *m, const ss_cells *c, int cell, double out[3]) {
  int from = c->first[cell], n = c->first[cell + 1] - from;
  out[0] = out[1] = out[2] = 0;
  for (int p = 0; p < n; p++)
    for (int k = 0; k < m->dim; k++)
      out[k] += m->x[(size_t)c->node[from + p] * (size_t)m->dim + (size_t)k] / n;
}

void ssi_side_normal(const ss_mesh *m, int side, int neighbour, const double *xi,
                     double normal[3]) {
  double N[SSI_ELEMENT_NODES], at[3], t[2][3], inside[3], outside[3], away[3];
  ssi_side_place(m, side, xi, N, at, t);
  if (m->dim == 2)
    ssi_set3(t[0][1], -t[0][0], 0, normal);
  else
    ssi_cross3(t[0], t[1], normal);
  middle(m, &m->elements, neighbour, inside);
  middle(m, &m->sides, side, outside);
  ssi_sub3(outside, inside, away);
  double length = ssi_norm3(normal);
  ssi_scale3((ssi_dot3(away, normal) < 0 ? -1 : 1) / length, normal, normal);
}

static int root(int *parent, int k) {
  while (parent[k] != k) k = parent[k] = parent[parent[k]];
  return k;
}

ss_error ssi_mesh_parts(ss_context *ctx, ssi_arena *arena, const ss_mesh *m, int *count,
                        const int **part) {
  const ss_cells *c = &m->elements;
  int *parent = SSI_TAKE(arena, m->nodes + 1, int), *number = SSI_TAKE(arena, m->nodes + 1, int);
  if (arena->failed) return ssi_mesh_no_memory(ctx);
  for (int k = 0; k < m->nodes; k++) parent[k] = k;
  for (int e = 0; e < c->count; e++)
    for (int p = c->first[e] + 1; p < c->first[e + 1]; p++)
      parent[root(parent, c->node[p])] = root(parent, c->node[c->first[e]]);
  *count = 0;
  for (int k = 0; k < m->nodes; k++)
    if (root(parent, k) == k) number[k] = (*count)++;
  for (int k = 0; k < m->nodes; k++) number[k] = number[root(parent, k)];
  *part = number;
  return SS_OK;
}
