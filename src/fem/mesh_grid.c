// Structured meshes: lines along each axis, cells between them, cut into triangles or tetrahedra where asked.
//
// Node (i, j, k) of the lattice; elements of order 2 have a lattice twice as fine as their cells.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "fem/mesh.h"

typedef struct lattice {
  const ss_grid *in;
  int dim, order;
  int cells[3], lines[3];  // lines of the lattice; 1 beyond the dimension
  double *line[3];
  ssi_mesh_owner *o;
} lattice;

static int node_at(const lattice *g, int i, int j, int k) {
  return (k * g->lines[1] + j) * g->lines[0] + i;
}

// ---- lines -----------------------------------------------------------------------------------------

// Stiffness grows as cells get thinner: beyond, a factor in double precision takes what is held for loose.
static const double RATIO_MOST = 1e6;

static ss_error check_axis(ss_context *ctx, const ss_axis *a, int axis, int64_t *cells) {
  double from = a->from;
  *cells = 0;
  if (a->zone_count < 1 || !isfinite(a->from))
    return ssi_fail(ctx, SS_ERR_DATA, "grid: axis %d: no zone, or no finite beginning", axis);
  for (int z = 0; z < a->zone_count; z++) {
    const ss_zone *zone = &a->zones[z];
    if (!(zone->to > from) || !isfinite(zone->to))
      return ssi_fail(ctx, SS_ERR_DATA, "grid: axis %d: zone %d ends at %g, expected > %g", axis, z,
                      zone->to, from);
    if (zone->cells < 1)
      return ssi_fail(ctx, SS_ERR_DATA, "grid: axis %d: zone %d has %d cells, expected >= 1", axis,
                      z, zone->cells);
    if (zone->ratio != 0 && !(zone->ratio >= 1 / RATIO_MOST && zone->ratio <= RATIO_MOST))
      return ssi_fail(ctx, SS_ERR_DATA,
                      "grid: axis %d: zone %d has the ratio %g, expected %g .. %g (0 is 1)", axis,
                      z, zone->ratio, 1 / RATIO_MOST, RATIO_MOST);
    *cells += zone->cells, from = zone->to;
  }
  return SS_OK;
}

// Cell c of n is q^c times the first one, q^(n-1) = ratio.
static void fill_lines(const ss_axis *a, int order, double *line) {
  double from = a->from;
  *line++ = from;
  for (int z = 0; z < a->zone_count; z++) {
    const ss_zone *zone = &a->zones[z];
    int n = zone->cells;
    double ratio = zone->ratio > 0 ? zone->ratio : 1, q = n > 1 ? pow(ratio, 1. / (n - 1)) : 1;
    double whole = fabs(q - 1) < 1e-12 ? n : (pow(q, n) - 1) / (q - 1), last = from;
    for (int c = 1; c <= n; c++) {
      double part = fabs(q - 1) < 1e-12 ? c : (pow(q, c) - 1) / (q - 1);
      double x = c == n ? zone->to : from + (zone->to - from) * part / whole;
      for (int k = 1; k <= order; k++) *line++ = k == order ? x : last + (x - last) * k / order;
      last = x;
    }
    from = zone->to;
  }
}

static ss_error make_lines(ss_context *ctx, lattice *g) {
  int64_t nodes = 1;
  for (int a = 0; a < 3; a++) {
    int64_t cells = 0;
    g->lines[a] = 1, g->cells[a] = 1;
    if (a >= g->dim) continue;
    SS_TRY(check_axis(ctx, &g->in->axis[a], a, &cells));
    if (cells > INT32_MAX / 4 || (nodes *= g->order * cells + 1) > INT32_MAX / 64)
      return ssi_fail(ctx, SS_ERR_DATA, "grid: too many nodes");
    g->cells[a] = (int)cells, g->lines[a] = g->order * (int)cells + 1;
    g->line[a] = SSI_TAKE(&g->o->arena, g->lines[a], double);
    if (!g->line[a]) return ssi_mesh_no_memory(ctx);
    fill_lines(&g->in->axis[a], g->order, g->line[a]);
  }
  return SS_OK;
}

static bool make_nodes(lattice *g) {
  int count = g->lines[0] * g->lines[1] * g->lines[2];
  double *x = SSI_TAKE(&g->o->arena, (size_t)count * (size_t)g->dim, double);
  if (!x) return false;
  for (int n = 0; n < count; n++) {
    int at[3] = {n % g->lines[0], n / g->lines[0] % g->lines[1], n / g->lines[0] / g->lines[1]};
    for (int a = 0; a < g->dim; a++) x[n * g->dim + a] = g->line[a][at[a]];
  }
  g->o->mesh.nodes = count, g->o->mesh.x = x, g->o->mesh.dim = g->dim;
  return true;
}

// ---- elements --------------------------------------------------------------------------------------

// The lattice node at offset (a, b, c) of the cell (i, j, k).
static int corner(const lattice *g, const int cell[3], int a, int b, int c) {
  int p = g->order;
  return node_at(g, p * cell[0] + a, p * cell[1] + b, g->dim == 3 ? p * cell[2] + c : 0);
}

static void put(const lattice *g, ssi_cell_list *list, const int cell[3], const int (*offset)[3]) {
  int n = ss_element_nodes(g->in->kind), *node = ssi_cells_next(list, g->in->kind, 0);
  for (int p = 0; p < n; p++) node[p] = corner(g, cell, offset[p][0], offset[p][1], offset[p][2]);
}

static const int quad9[9][3] = {{0, 0}, {2, 0}, {2, 2}, {0, 2}, {1, 0},
                                {2, 1}, {1, 2}, {0, 1}, {1, 1}};
static const int hex8[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                               {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
static const int quad4[4][3] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
// Two triangles, cut along the diagonal from (0, 0); cells of odd number along the other one, so that no
// direction is preferred.
static const int triangle3[4][3][3] = {{{0, 0}, {1, 0}, {1, 1}},
                                       {{0, 0}, {1, 1}, {0, 1}},
                                       {{0, 0}, {1, 0}, {0, 1}},
                                       {{1, 0}, {1, 1}, {0, 1}}};
static const int triangle6[4][6][3] = {{{0, 0}, {2, 0}, {2, 2}, {1, 0}, {2, 1}, {1, 1}},
                                       {{0, 0}, {2, 2}, {0, 2}, {1, 1}, {1, 2}, {0, 1}},
                                       {{0, 0}, {2, 0}, {0, 2}, {1, 0}, {1, 1}, {0, 1}},
                                       {{2, 0}, {2, 2}, {0, 2}, {2, 1}, {1, 2}, {1, 1}}};
// Kuhn's six tetrahedra: from (0,0,0) along the axes in each order; odd orders have two corners exchanged.
static const int tet4[6][4][3] = {
    {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {1, 1, 1}}, {{0, 0, 0}, {0, 1, 0}, {0, 1, 1}, {1, 1, 1}},
    {{0, 0, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}}, {{0, 0, 0}, {1, 1, 0}, {0, 1, 0}, {1, 1, 1}},
    {{0, 0, 0}, {0, 1, 1}, {0, 0, 1}, {1, 1, 1}}, {{0, 0, 0}, {1, 0, 1}, {1, 0, 0}, {1, 1, 1}}};

static int per_cell(ss_element_kind kind) {
  return kind == SS_TET4 ? 6 : kind == SS_TRIANGLE3 || kind == SS_TRIANGLE6 ? 2 : 1;
}

static void put_cell(const lattice *g, ssi_cell_list *list, const int cell[3]) {
  int odd = 2 * ((cell[0] + cell[1]) % 2);
  switch (g->in->kind) {
  case SS_QUAD4:
    put(g, list, cell, quad4);
    break;
  case SS_QUAD9:
    put(g, list, cell, quad9);
    break;
  case SS_HEX8:
    put(g, list, cell, hex8);
    break;
  case SS_TET4:
    for (int k = 0; k < 6; k++) put(g, list, cell, tet4[k]);
    break;
  case SS_TRIANGLE3:
    for (int k = 0; k < 2; k++) put(g, list, cell, triangle3[odd + k]);
    break;
  default:
    for (int k = 0; k < 2; k++) put(g, list, cell, triangle6[odd + k]);
  }
}

static bool make_elements(lattice *g) {
  static const char *const domain[] = {"all"};
  int count = g->cells[0] * g->cells[1] * g->cells[2] * per_cell(g->in->kind);
  ssi_cell_list list;
  if (!ssi_cells_begin(&g->o->arena, count, count * ss_element_nodes(g->in->kind), &list))
    return false;
  for (int k = 0; k < g->cells[2]; k++)
    for (int j = 0; j < g->cells[1]; j++)
      for (int i = 0; i < g->cells[0]; i++) put_cell(g, &list, (int[3]){i, j, k});
  g->o->mesh.elements = ssi_cells_done(&list, 1, domain);
  return true;
}

// ---- sides -----------------------------------------------------------------------------------------

// A line of the lattice, from a to b, in the middle m.
static void put_line(const lattice *g, ssi_cell_list *list, int group, int a, int b, int m) {
  int *node = ssi_cells_next(list, g->order == 2 ? SS_LINE3 : SS_LINE2, group);
  node[0] = a, node[1] = b;
  if (g->order == 2) node[2] = m;
}

static void put_plane_sides(const lattice *g, ssi_cell_list *list) {
  int p = g->order, nx = g->lines[0] - 1, ny = g->lines[1] - 1;
  for (int j = 0; j < ny; j += p) {
    put_line(g, list, 0, node_at(g, 0, j + p, 0), node_at(g, 0, j, 0), node_at(g, 0, j + 1, 0));
    put_line(g, list, 1, node_at(g, nx, j, 0), node_at(g, nx, j + p, 0), node_at(g, nx, j + 1, 0));
  }
  for (int i = 0; i < nx; i += p) {
    put_line(g, list, 2, node_at(g, i, 0, 0), node_at(g, i + p, 0, 0), node_at(g, i + 1, 0, 0));
    put_line(g, list, 3, node_at(g, i + p, ny, 0), node_at(g, i, ny, 0), node_at(g, i + 1, ny, 0));
  }
}

// A face of a brick, a - b - c - d around it: one quad, or two triangles along the diagonal a - c that
// the tetrahedra have.
static void put_face(const lattice *g, ssi_cell_list *list, int group, int a, int b, int c, int d) {
  if (g->in->kind == SS_HEX8) {
    memcpy(ssi_cells_next(list, SS_QUAD4, group), (int[4]){a, b, c, d}, 4 * sizeof(int));
    return;
  }
  memcpy(ssi_cells_next(list, SS_TRIANGLE3, group), (int[3]){a, b, c}, 3 * sizeof(int));
  memcpy(ssi_cells_next(list, SS_TRIANGLE3, group), (int[3]){a, c, d}, 3 * sizeof(int));
}

// Faces across `axis`, low (group) and high (group + 1).
static void put_faces(const lattice *g, ssi_cell_list *list, int axis, int group) {
  int u = (axis + 1) % 3, v = (axis + 2) % 3;
  for (int end = 0; end < 2; end++)
    for (int j = 0; j < g->cells[v]; j++)
      for (int i = 0; i < g->cells[u]; i++) {
        int n[4];
        for (int k = 0; k < 4; k++) {
          int at[3];
          at[axis] = end ? g->lines[axis] - 1 : 0;
          at[u] = i + (k == 1 || k == 2), at[v] = j + (k >= 2);
          n[k] = node_at(g, at[0], at[1], at[2]);
        }
        if (end)
          put_face(g, list, group + 1, n[0], n[1], n[2], n[3]);
        else
          put_face(g, list, group, n[0], n[3], n[2], n[1]);
      }
}

static bool make_sides(lattice *g) {
  static const char *const plane[] = {"left", "right", "bottom", "top"};
  static const char *const space[] = {"left", "right", "front", "back", "bottom", "top"};
  const int *c = g->cells;
  int count = g->dim == 2 ? 2 * (c[0] + c[1])
                          : 4 * (c[0] * c[1] + c[1] * c[2] + c[2] * c[0]);  // triangles: two a face
  ssi_cell_list list;
  if (!ssi_cells_begin(&g->o->arena, count, 4 * count, &list)) return false;
  if (g->dim == 2)
    put_plane_sides(g, &list);
  else
    for (int axis = 0; axis < 3; axis++) put_faces(g, &list, axis, 2 * axis);
  g->o->mesh.sides = ssi_cells_done(&list, g->dim == 2 ? 4 : 6, g->dim == 2 ? plane : space);
  return true;
}

ss_error ss_mesh_grid(ss_context *ctx, const ss_grid *in, ss_mesh **out) {
  if (!in || !out) return ssi_missing(ctx, "ss_mesh_grid");
  *out = NULL;
  const ssi_cell_kind *e = ssi_element_of(in->kind);
  if (in->dim < 2 || in->dim > 3 || !e || e->dim != in->dim)
    return ssi_fail(ctx, SS_ERR_DATA,
                    "grid: %s elements in %dD, expected triangle3, triangle6, "
                    "quad4, quad9 in 2D, tet4 or hex8 in 3D",
                    e ? e->name : "unknown", in->dim);
  lattice g = {.in = in, .dim = in->dim, .order = e->order, .o = ssi_mesh_create(ctx)};
  if (!g.o) return SS_ERR_MEMORY;
  ss_error error = make_lines(ctx, &g);
  if (!error && !(make_nodes(&g) && make_elements(&g) && make_sides(&g)))
    error = ssi_mesh_no_memory(ctx);
  if (error)
    ss_mesh_destroy(&g.o->mesh);
  else
    *out = &g.o->mesh;
  return error;
}
