// fem/continuum.c - see continuum.h for (1), (2).
#include "fem/continuum.h"

#include <string.h>

#include "base/error.h"
#include "la/sparse.h"
#include "la/vec3.h"

enum { WIDEST = 3 * SSI_ELEMENT_NODES };  // degrees of freedom of an element

ssi_lame ssi_lame_of(const ss_elastic_material *m, int dim, ss_plane plane) {
  double G = m->E / (2 * (1 + m->nu));
  if (dim == 2 && plane == SS_PLANE_STRESS)
    return (ssi_lame){m->E * m->nu / (1 - m->nu * m->nu), G};  // 2 lambda G / (lambda + 2 G)
  return (ssi_lame){m->E * m->nu / ((1 + m->nu) * (1 - 2 * m->nu)), G};
}

static const ss_elastic_material *material_of(const ssi_continuum *s, int element) {
  return &s->material[s->of[s->mesh->elements.group[element]]];
}

// ---- element matrices ------------------------------------------------------------------------------

static void add_stiffness(const ssi_gauss *at, int dim, int nodes, ssi_lame c, double weight,
                          double *K) {
  int n = dim * nodes;
  for (int p = 0; p < nodes; p++)
    for (int q = p; q < nodes; q++) {
      const double *a = at->g[p], *b = at->g[q];
      double dot = 0;
      for (int k = 0; k < dim; k++) dot += a[k] * b[k];
      for (int i = 0; i < dim; i++)
        for (int j = 0; j < dim; j++)
          K[(dim * p + i) * n + dim * q + j] +=
              weight * (c.lambda * a[i] * b[j] + c.G * (a[j] * b[i] + (i == j ? dot : 0)));  // (1)
    }
}

static void add_mass(const ssi_gauss *at, int dim, int nodes, double weight, double *M) {
  int n = dim * nodes;
  for (int p = 0; p < nodes; p++)
    for (int q = p; q < nodes; q++)
      for (int i = 0; i < dim; i++)
        M[(dim * p + i) * n + dim * q + i] += weight * at->N[p] * at->N[q];  // (2)
}

// Node blocks below the diagonal are the transposed of those above.
static void mirror(int dim, int nodes, double *A) {
  int n = dim * nodes;
  for (int i = 0; i < n; i++)
    for (int j = i + 1; j < n; j++) A[j * n + i] = A[i * n + j];
}

static ss_error element_matrix(ss_context *ctx, const ssi_continuum *s, int element,
                               ssi_continuum_matrix which, double *A) {
  const ss_mesh *m = s->mesh;
  const ssi_cell_kind *e = ssi_element_of(m->elements.kind[element]);
  const ss_elastic_material *stuff = material_of(s, element);
  ssi_lame c = ssi_lame_of(stuff, m->dim, s->plane);
  double x[WIDEST], k = 1, mass = 0;
  if (which == SSI_VISCOSITY) k = stuff->viscosity, mass = stuff->drag * stuff->rho;
  if (which == SSI_MASS) k = 0, mass = stuff->rho;
  memset(A, 0, sizeof(double) * (size_t)(m->dim * e->nodes * m->dim * e->nodes));
  ssi_cell_places(m, &m->elements, element, x);
  for (int point = 0; point < e->points; point++) {
    ssi_gauss at;
    if (!ssi_gauss_at(e, x, m->dim, point, &at))
      return ssi_fail(ctx, SS_ERR_DATA, "element %d is inverted", element);
    double weight = s->thickness * at.weight;
    if (k != 0) add_stiffness(&at, m->dim, e->nodes, c, k * weight, A);
    if (mass != 0) add_mass(&at, m->dim, e->nodes, mass * weight, A);
  }
  mirror(m->dim, e->nodes, A);
  return SS_OK;
}

// ---- the whole -------------------------------------------------------------------------------------

typedef struct triplets {
  int *i, *j;
  double *x;
  int64_t count;
} triplets;

static void scatter(const ssi_continuum *s, int element, const double *A, triplets *t) {
  const ss_cells *c = &s->mesh->elements;
  int dim = s->mesh->dim, from = c->first[element], n = dim * (c->first[element + 1] - from);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      t->i[t->count] = dim * c->node[from + i / dim] + i % dim;
      t->j[t->count] = dim * c->node[from + j / dim] + j % dim;
      t->x[t->count++] = A[i * n + j];
    }
}

ss_error ssi_assemble_continuum(ss_context *ctx, ssi_arena *arena, const ssi_continuum *s,
                                ssi_continuum_matrix which, ss_sparse *out) {
  const ss_mesh *m = s->mesh;
  ssi_arena scratch = {.ctx = ctx};
  int64_t count = 0;
  for (int e = 0; e < m->elements.count; e++) {
    int64_t n = m->dim * (m->elements.first[e + 1] - m->elements.first[e]);
    count += n * n;
  }
  triplets t = {SSI_TAKE(&scratch, count + 1, int), SSI_TAKE(&scratch, count + 1, int),
                SSI_TAKE(&scratch, count + 1, double), 0};
  ss_error error = scratch.failed ? ssi_mesh_no_memory(ctx) : SS_OK;
  for (int e = 0; !error && e < m->elements.count; e++) {
    double A[WIDEST * WIDEST];
    error = element_matrix(ctx, s, e, which, A);
    if (!error) scatter(s, e, A, &t);
  }
  int n = m->dim * m->nodes;
  if (!error && !ssi_sparse_from_triplets(arena, n, n, t.count, t.i, t.j, t.x, out, NULL, NULL))
    error = ssi_mesh_no_memory(ctx);
  ssi_arena_release(&scratch);
  return error;
}

// ---- loads -----------------------------------------------------------------------------------------

static void add_at(const ss_mesh *m, const ss_cells *c, int cell, const ssi_gauss *at,
                   const double force[3], double *f) {
  for (int p = c->first[cell]; p < c->first[cell + 1]; p++)
    for (int a = 0; a < m->dim; a++)
      f[(size_t)c->node[p] * (size_t)m->dim + (size_t)a] += at->N[p - c->first[cell]] * force[a];
}

void ssi_add_body_force(const ssi_continuum *s, bool by_volume, ssi_field field, void *user,
                        double *f) {
  const ss_mesh *m = s->mesh;
  for (int k = 0; k < m->elements.count; k++) {
    const ssi_cell_kind *e = ssi_element_of(m->elements.kind[k]);
    double x[WIDEST], rho = by_volume ? 1 : material_of(s, k)->rho;
    ssi_cell_places(m, &m->elements, k, x);
    for (int point = 0; point < e->points; point++) {
      ssi_gauss at;
      double force[3] = {0};
      ssi_gauss_at(e, x, m->dim, point, &at);
      field(user, at.x, force);
      ssi_scale3(s->thickness * rho * at.weight, force, force);
      add_at(m, &m->elements, k, &at, force, f);
    }
  }
}

static void add_side(const ssi_continuum *s, int side, int neighbour, const double traction[3],
                     double pressure, double *f) {
  const ss_mesh *m = s->mesh;
  const ssi_cell_kind *e = ssi_element_of(m->sides.kind[side]);
  double x[WIDEST], force[3], normal[3];
  ssi_cell_places(m, &m->sides, side, x);
  for (int point = 0; point < e->points; point++) {
    ssi_gauss at;
    ssi_gauss_at(e, x, m->dim, point, &at);
    ssi_copy3(traction, force);
    if (pressure != 0) {
      ssi_side_normal(m, side, neighbour, e->rule + (size_t)point * ((size_t)e->dim + 1), normal);
      ssi_add3(force, -pressure, normal, force);
    }
    ssi_scale3(at.weight * (e->dim > 0 ? s->thickness : 1), force, force);
    add_at(m, &m->sides, side, &at, force, f);
  }
}

ss_error ssi_add_traction(ss_context *ctx, const ssi_continuum *s, int boundary,
                          const double traction[3], double pressure, double *f) {
  const ss_mesh *m = s->mesh;
  ssi_arena scratch = {.ctx = ctx};
  const int *neighbour = NULL;
  ss_error e = pressure != 0 ? ssi_mesh_neighbours(ctx, &scratch, m, &neighbour) : SS_OK;
  for (int k = 0; !e && k < m->sides.count; k++) {
    if (m->sides.group[k] != boundary) continue;
    int dim = ss_element_dim(m->sides.kind[k]);
    if (dim > 0 && dim < m->dim - 1)
      e = ssi_fail(ctx, SS_ERR_DATA,
                   "boundary %s: side %d is a %s, which carries no traction in %dD",
                   m->sides.name[boundary], k, ss_element_name(m->sides.kind[k]), m->dim);
    else if (pressure != 0 && (dim < m->dim - 1 || neighbour[k] < 0))
      e = ssi_fail(ctx, SS_ERR_DATA,
                   "boundary %s: side %d is no face of an element, so that a "
                   "pressure has no direction there",
                   m->sides.name[boundary], k);
    else
      add_side(s, k, neighbour ? neighbour[k] : -1, traction, pressure, f);
  }
  ssi_arena_release(&scratch);
  return e;
}

// ---- stresses --------------------------------------------------------------------------------------

// sigma = lambda tr(eps) I + 2 G eps; of plane strain sigma_zz = lambda_3D tr(eps), of plane stress 0.
static void stress_at(const ssi_continuum *s, int element, const ssi_gauss *at, const double *q,
                      double weight, double *sigma) {
  static const int row[6] = {0, 1, 2, 0, 1, 2}, col[6] = {0, 1, 2, 1, 2, 0};
  const ss_mesh *m = s->mesh;
  const ss_cells *c = &m->elements;
  ssi_lame l = ssi_lame_of(material_of(s, element), m->dim, s->plane);
  double grad[3][3] = {{0}};
  for (int p = c->first[element]; p < c->first[element + 1]; p++)
    for (int i = 0; i < m->dim; i++)
      for (int j = 0; j < m->dim; j++)
        grad[i][j] += q[c->node[p] * m->dim + i] * at->g[p - c->first[element]][j];
  double trace = grad[0][0] + grad[1][1] + grad[2][2];
  for (int k = 0; k < 6; k++)
    sigma[k] +=
        weight * (l.G * (grad[row[k]][col[k]] + grad[col[k]][row[k]]) +
                  (k < m->dim || (k == 2 && s->plane == SS_PLANE_STRAIN) ? l.lambda * trace : 0));
}

void ssi_stresses(const ssi_continuum *s, const double *q, double *sigma) {
  const ss_mesh *m = s->mesh;
  memset(sigma, 0, 6 * sizeof(double) * (size_t)m->elements.count);
  for (int k = 0; k < m->elements.count; k++) {
    const ssi_cell_kind *e = ssi_element_of(m->elements.kind[k]);
    double x[WIDEST], volume = 0;
    ssi_gauss at;
    ssi_cell_places(m, &m->elements, k, x);
    for (int point = 0; point < e->points; point++) {
      ssi_gauss_at(e, x, m->dim, point, &at);
      volume += at.weight;
      stress_at(s, k, &at, q, at.weight, sigma + 6 * (size_t)k);
    }
    for (int i = 0; i < 6; i++) sigma[6 * (size_t)k + (size_t)i] /= volume;
  }
}
