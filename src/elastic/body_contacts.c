// Nodes that may touch: against rigid obstacles here, against other bodies in body_pairs.c.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "elastic/body.h"
#include "la/contact_frame.h"
#include "la/vec3.h"

ssi_touch_node *ssi_touch_next(ssi_building *b) {
  size_t need = (size_t)b->touch_count + 1;
  if (!ssi_grow(b->ctx, &b->touch, &b->touch_room, need, need - 1, sizeof *b->touch))
    return ssi_body_no_memory(b->ctx), NULL;
  ssi_touch_node *t = &b->touch[b->touch_count++];
  memset(t, 0, sizeof *t);
  return t;
}

bool ssi_boundary_nodes(const ssi_building *b, int boundary, bool *on, double *share) {
  const ss_mesh *m = b->mesh;
  bool any = false;
  memset(on, 0, sizeof(bool) * (size_t)m->nodes);
  memset(share, 0, sizeof(double) * (size_t)m->nodes);
  for (int k = 0; k < m->sides.count; k++) {
    if (m->sides.group[k] != boundary) continue;
    const ssi_cell_kind *e = ssi_element_of(m->sides.kind[k]);
    double x[3 * SSI_ELEMENT_NODES];
    ssi_cell_places(m, &m->sides, k, x);
    for (int point = 0; point < e->points; point++) {
      ssi_gauss at;
      ssi_gauss_at(e, x, m->dim, point, &at);
      for (int p = 0; p < e->nodes; p++) {
        int node = m->sides.node[m->sides.first[k] + p];
        on[node] = any = true;
        share[node] += b->solid.thickness * at.weight * at.N[p];
      }
    }
  }
  return any;
}

static double diameter(const ss_mesh *m, int side) {
  double x[3 * SSI_ELEMENT_NODES], a[3] = {0}, b[3] = {0}, most = 0;
  int n = m->sides.first[side + 1] - m->sides.first[side];
  ssi_cell_places(m, &m->sides, side, x);
  for (int p = 0; p < n; p++)
    for (int q = 0; q < p; q++) {
      memcpy(a, x + p * m->dim, sizeof(double) * (size_t)m->dim);
      memcpy(b, x + q * m->dim, sizeof(double) * (size_t)m->dim);
      most = fmax(most, ssi_distance3(a, b));
    }
  return most;
}

void ssi_boundary_normals(const ssi_building *b, int boundary, double *normal, double *width) {
  const ss_mesh *m = b->mesh;
  double middle[3] = {0}, n[3];
  memset(normal, 0, 3 * sizeof(double) * (size_t)m->nodes);
  memset(width, 0, sizeof(double) * (size_t)m->nodes);
  for (int k = 0; k < m->sides.count; k++) {
    const ssi_cell_kind *e = ssi_element_of(m->sides.kind[k]);
    if (m->sides.group[k] != boundary || e->dim != m->dim - 1 || b->neighbour[k] < 0) continue;
    middle[0] = middle[1] = e->simplex ? 1. / 3 : 0;
    double size = diameter(m, k);
    ssi_side_normal(m, k, b->neighbour[k], middle, n);
    for (int p = m->sides.first[k]; p < m->sides.first[k + 1]; p++) {
      int node = m->sides.node[p];
      ssi_add3(normal + 3 * node, size, n, normal + 3 * node);
      width[node] = fmax(width[node], size);
    }
  }
  for (int k = 0; k < m->nodes; k++) {
    double length = ssi_norm3(normal + 3 * k);
    if (length > 0) ssi_scale3(1 / length, normal + 3 * k, normal + 3 * k);
  }
}

bool ssi_faces_away(const ssi_building *b, int first, const double *outward) {
  for (int k = first; k < b->touch_count; k++)
    if (ssi_dot3(b->touch[k].is.normal, outward + 3 * b->touch[k].is.node) <= 0.5) return false;
  return b->touch_count > first;
}

bool ssi_node_held(const ssi_building *b, int node) {
  for (int a = 0; a < b->mesh->dim; a++)
    if (b->holder[node * b->mesh->dim + a] < 0) return false;
  return true;
}

static ss_error unit_normal(const ssi_building *b, int k, double n[3]) {
  const ss_obstacle *o = &b->scene->obstacles[k];
  ssi_copy3(o->normal, n);
  if (b->mesh->dim == 2) n[2] = 0;
  double length = ssi_norm3(n);
  if (!(length > 0) || !isfinite(length))
    return ssi_fail(b->ctx, SS_ERR_DATA, "obstacle %d (%s): its normal has no direction", k,
                    o->name ? o->name : "no name");
  if (!isfinite(o->curvature) || !(o->mu >= 0) || !isfinite(o->mu) || !(o->reach >= 0))
    return ssi_fail(b->ctx, SS_ERR_DATA,
                    "obstacle %d (%s): curvature %g, mu %g, reach %g: expected finite, >= 0, >= 0",
                    k, o->name ? o->name : "no name", o->curvature, o->mu, o->reach);
  ssi_scale3(1 / length, n, n);
  return SS_OK;
}

double ssi_parabola_gap(const double n[3], const double arm[3], double curvature) {
  double height = ssi_dot3(n, arm), square = fmax(0, ssi_dot3(arm, arm) - height * height);
  return height + 0.5 * curvature * square;
}

typedef struct obstacle_room {  // what one obstacle after the other needs
  bool *on;                     // (nodes)
  double *share;                // (nodes)
  double *outward, *width;      // (3 nodes), (nodes)
} obstacle_room;

static ss_error touch_nodes(ssi_building *b, int k, const double n[3], const bool *on,
                            const double *share) {
  const ss_obstacle *o = &b->scene->obstacles[k];
  int dim = b->mesh->dim;
  double Q[9];
  ssi_frame(dim, n, Q);
  for (int node = 0; node < b->mesh->nodes; node++) {
    if (!on[node] || ssi_node_held(b, node)) continue;
    double x[3] = {0}, arm[3];
    memcpy(x, b->mesh->x + (size_t)node * (size_t)dim, sizeof(double) * (size_t)dim);
    ssi_sub3(x, o->point, arm);
    if (dim == 2) arm[2] = 0;
    double height = ssi_dot3(n, arm), square = ssi_dot3(arm, arm) - height * height;
    if (o->reach > 0 && square > o->reach * o->reach) continue;
    ssi_touch_node *t = ssi_touch_next(b);
    if (!t) return SS_ERR_MEMORY;
    t->is = (ss_elastic_contact){.node = node, .source = k, .share = share[node]};
    ssi_copy3(x, t->is.point);
    ssi_copy3(n, t->is.normal);
    t->gap = ssi_parabola_gap(n, arm, o->curvature);
    t->mu = o->mu;
    for (int a = 0; a < dim; a++) t->along += Q[dim + a] * arm[a];
  }
  return SS_OK;
}

static ss_error touch_obstacle(ssi_building *b, int k, const obstacle_room *w) {
  const ss_obstacle *o = &b->scene->obstacles[k];
  const char *name = o->name ? o->name : "no name";
  int boundary, before = b->touch_count;
  double n[3];
  SS_TRY(ssi_find_boundary(b, "obstacle", k, o->boundary, &boundary));
  SS_TRY(unit_normal(b, k, n));
  ssi_boundary_nodes(b, boundary, w->on, w->share);
  ssi_boundary_normals(b, boundary, w->outward, w->width);
  SS_TRY(touch_nodes(b, k, n, w->on, w->share));
  if (b->touch_count == before)
    return ssi_fail(
        b->ctx, SS_ERR_DATA,
        "obstacle %d (%s): no node of %s can touch it: held in all directions, or out of reach", k,
        name, o->boundary);
  if (ssi_faces_away(b, before, w->outward))
    return ssi_fail(b->ctx, SS_ERR_DATA,
                    "obstacle %d (%s): its normal points out of the body at %s, expected into it",
                    k, name, o->boundary);
  return SS_OK;
}

ss_error ssi_touch_obstacles(ssi_building *b) {
  ssi_arena scratch = {.ctx = b->ctx};
  size_t n = (size_t)b->mesh->nodes + 1;
  obstacle_room w = {SSI_TAKE(&scratch, n, bool), SSI_TAKE(&scratch, n, double),
                     SSI_TAKE(&scratch, 3 * n, double), SSI_TAKE(&scratch, n, double)};
  ss_error e = scratch.failed ? ssi_body_no_memory(b->ctx) : SS_OK;
  for (int k = 0; !e && k < b->scene->obstacle_count; k++) e = touch_obstacle(b, k, &w);
  ssi_arena_release(&scratch);
  return e;
}
