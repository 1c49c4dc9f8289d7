// Nodes of one boundary against another: node to node, or node to the sides opposite.
//
// The foot of x on a side: xi with (x - sum N_p(xi) x_p) . dx/dxi_a = 0, by Gauss-Newton steps, exact at once on
// straight ones.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "elastic/body.h"
#include "la/contact_frame.h"
#include "la/vec3.h"

static const double INSIDE = 1e-6;  // of a side: its ends belong to it

typedef struct pairing {
  ssi_building *b;
  const ss_contact_pair *pair;
  int index, slave, master;
  bool *on_slave, *on_master;  // (nodes)
  double *share;               // of the slave's nodes
  double *normal;              // of the master's nodes, mean of their sides   (3 nodes)
  double *width;               // mean diameter of a node's sides              (nodes)
} pairing;

static void node_place(const ss_mesh *m, int node, double x[3]) {
  x[2] = 0;
  memcpy(x, m->x + (size_t)node * (size_t)m->dim, sizeof(double) * (size_t)m->dim);
}

// ---- the foot on a side ----------------------------------------------------------------------------

static void foot_step(const double t[2][3], int dim, const double away[3], double *xi) {
  double a = ssi_dot3(t[0], t[0]), r0 = ssi_dot3(t[0], away);
  if (dim == 1) {
    xi[0] += r0 / a;
    return;
  }
  double b = ssi_dot3(t[0], t[1]), c = ssi_dot3(t[1], t[1]), r1 = ssi_dot3(t[1], away);
  double det = a * c - b * b;
  xi[0] += (c * r0 - b * r1) / det;
  xi[1] += (a * r1 - b * r0) / det;
}

static bool is_inside(const ssi_cell_kind *e, const double *xi) {
  double sum = 0;
  for (int a = 0; a < e->dim; a++) {
    sum += xi[a];
    if (e->simplex ? xi[a] < -INSIDE : fabs(xi[a]) > 1 + INSIDE) return false;
  }
  return !e->simplex || sum <= 1 + INSIDE;
}

// The foot of x on a side, N there, and the distance; false: it is beside the side.
static bool foot_on(const ss_mesh *m, int side, const double x[3], double *xi, double *N,
                    double *distance) {
  const ssi_cell_kind *e = ssi_element_of(m->sides.kind[side]);
  double at[3], t[2][3], away[3];
  xi[0] = xi[1] = e->simplex ? 1. / 3 : 0;
  for (int turn = 0; turn < 20; turn++) {
    ssi_side_place(m, side, xi, N, at, t);
    ssi_sub3(x, at, away);
    double before[2] = {xi[0], xi[1]};
    foot_step(t, e->dim, away, xi);
    if (fabs(xi[0] - before[0]) + (e->dim > 1 ? fabs(xi[1] - before[1]) : 0) < 1e-14) break;
  }
  ssi_side_place(m, side, xi, N, at, t);
  *distance = ssi_distance3(x, at);
  return is_inside(e, xi);
}

// ---- one contact -----------------------------------------------------------------------------------

static ss_error finish_touch(pairing *g, int node, const double n[3], int count, const int *master,
                             const double *N) {
  ssi_building *b = g->b;
  int dim = b->mesh->dim;
  double x[3], y[3], Q[9], arm[3];
  bool held = ssi_node_held(b, node);
  for (int p = 0; p < count; p++)
    held = held && (fabs(N[p]) <= INSIDE || ssi_node_held(b, master[p]));
  if (held) return SS_OK;
  ssi_touch_node *t = ssi_touch_next(b);
  if (!t) return SS_ERR_MEMORY;
  node_place(b->mesh, node, x);
  t->is = (ss_elastic_contact){
      .node = node, .source = b->scene->obstacle_count + g->index, .share = g->share[node]};
  ssi_copy3(x, t->is.point);
  ssi_copy3(n, t->is.normal);
  ssi_sub3(x, g->pair->point, arm);
  t->masters = count, t->mu = g->pair->mu;
  t->gap = ssi_parabola_gap(n, arm, g->pair->curvature) - ssi_dot3(n, arm) + ssi_dot3(n, x);
  for (int p = 0; p < count; p++) {
    node_place(b->mesh, master[p], y);
    t->master[p] = master[p], t->weight[p] = N[p];
    t->gap -= N[p] * ssi_dot3(n, y);
  }
  ssi_frame(dim, n, Q);
  for (int a = 0; a < dim; a++) t->along += Q[dim + a] * x[a];
  return SS_OK;
}

static bool given_normal(const ss_contact_pair *p, double n[3]) {
  double length = ssi_norm3(p->normal);
  if (!(length > 0)) return false;
  ssi_scale3(1 / length, p->normal, n);
  return true;
}

static bool is_far(const pairing *g, double distance) {
  return g->pair->reach > 0 && distance > g->pair->reach;
}

static ss_error touch_node(pairing *g, int node) {
  const ss_mesh *m = g->b->mesh;
  double x[3], y[3], arm[3], n[3], least = INFINITY, one = 1;
  int best = -1;
  node_place(m, node, x);
  for (int k = 0; k < m->nodes; k++) {
    if (!g->on_master[k]) continue;
    node_place(m, k, y);
    double d = ssi_distance3(x, y);
    if (d < least) least = d, best = k;
  }
  if (best < 0 || is_far(g, least)) return SS_OK;
  if (!given_normal(g->pair, n)) ssi_copy3(g->normal + 3 * best, n);
  node_place(m, best, y);
  ssi_sub3(x, y, arm);
  double gap = ssi_dot3(n, arm), beside = sqrt(fmax(0, ssi_dot3(arm, arm) - gap * gap));
  if (beside > 0.5 * g->width[best]) return SS_OK;
  return finish_touch(g, node, n, 1, &best, &one);
}

static ss_error touch_sides(pairing *g, int node) {
  const ss_mesh *m = g->b->mesh;
  double x[3], xi[2], N[SSI_ELEMENT_NODES], d, best_xi[2] = {0}, best_N[SSI_ELEMENT_NODES], n[3];
  double least = INFINITY;
  int best = -1;
  node_place(m, node, x);
  for (int k = 0; k < m->sides.count; k++) {
    if (m->sides.group[k] != g->master || !foot_on(m, k, x, xi, N, &d) || !(d < least)) continue;
    least = d, best = k;
    memcpy(best_xi, xi, sizeof best_xi);
    memcpy(best_N, N, sizeof best_N);
  }
  if (best < 0 || is_far(g, least)) return SS_OK;
  if (!given_normal(g->pair, n)) ssi_side_normal(m, best, g->b->neighbour[best], best_xi, n);
  int from = m->sides.first[best];
  return finish_touch(g, node, n, m->sides.first[best + 1] - from, m->sides.node + from, best_N);
}

// ---- one pair of boundaries ------------------------------------------------------------------------

static ss_error check_pair(const pairing *g) {
  const ss_mesh *m = g->b->mesh;
  const ss_contact_pair *p = g->pair;
  for (int k = 0; k < m->sides.count; k++)
    if (m->sides.group[k] == g->master &&
        (ss_element_dim(m->sides.kind[k]) != m->dim - 1 || g->b->neighbour[k] < 0))
      return ssi_fail(g->b->ctx, SS_ERR_DATA,
                      "contact pair %d: side %d of %s is no face of an element: it has no outside",
                      g->index, k, g->pair->master);
  if (!(p->mu >= 0) || !isfinite(p->mu) || !isfinite(p->curvature) || !(p->reach >= 0))
    return ssi_fail(g->b->ctx, SS_ERR_DATA,
                    "contact pair %d: mu %g, curvature %g, reach %g: expected >= 0, finite, >= 0",
                    g->index, p->mu, p->curvature, p->reach);
  if (!isfinite(ssi_norm3(p->normal)))
    return ssi_fail(g->b->ctx, SS_ERR_DATA, "contact pair %d: its normal has no direction",
                    g->index);
  return SS_OK;
}

static ss_error touch_pair(pairing *g) {
  ssi_building *b = g->b;
  SS_TRY(ssi_find_boundary(b, "contact pair", g->index, g->pair->slave, &g->slave));
  SS_TRY(ssi_find_boundary(b, "contact pair", g->index, g->pair->master, &g->master));
  SS_TRY(check_pair(g));
  int before = b->touch_count;
  ssi_boundary_nodes(b, g->master, g->on_master, g->share);
  ssi_boundary_nodes(b, g->slave, g->on_slave, g->share);
  ssi_boundary_normals(b, g->master, g->normal, g->width);
  for (int node = 0; node < b->mesh->nodes; node++)
    if (g->on_slave[node] && !g->on_master[node])  // the tip of a crack is on both
      SS_TRY(g->pair->pairing == SS_PAIR_NODES ? touch_node(g, node) : touch_sides(g, node));
  if (b->touch_count == before)
    return ssi_fail(b->ctx, SS_ERR_DATA,
                    "contact pair %d: no node of %s that can move is opposite to %s", g->index,
                    g->pair->slave, g->pair->master);
  ssi_boundary_normals(b, g->slave, g->normal, g->width);
  if (ssi_faces_away(b, before, g->normal))
    return ssi_fail(b->ctx, SS_ERR_DATA,
                    "contact pair %d: the normal at %s points out of %s, expected into it",
                    g->index, g->pair->master, g->pair->slave);
  return SS_OK;
}

ss_error ssi_touch_pairs(ssi_building *b) {
  ss_error e = SS_OK;
  for (int k = 0; !e && k < b->scene->pair_count; k++) {
    ssi_arena scratch = {.ctx = b->ctx};
    size_t n = (size_t)b->mesh->nodes + 1;
    pairing g = {b,
                 &b->scene->pairs[k],
                 k,
                 0,
                 0,
                 SSI_TAKE(&scratch, n, bool),
                 SSI_TAKE(&scratch, n, bool),
                 SSI_TAKE(&scratch, n, double),
                 SSI_TAKE(&scratch, 3 * n, double),
                 SSI_TAKE(&scratch, n, double)};
    e = scratch.failed ? ssi_body_no_memory(b->ctx) : touch_pair(&g);
    ssi_arena_release(&scratch);
  }
  return e;
}
