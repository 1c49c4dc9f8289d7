// Sequential impulses: Gauss-Seidel over contacts with v = v_free + M^-1 H^T r kept instead of W, and with normal and
// tangent of a contact taken one after the other,
//
//   r_N <- max(0, r_N - u_N / W_N),     r_T <- projection of r_T - u_T / W_T on |r_T| <= mu r_N           (1)
//
// with W_N = (H M^-1 H^T)_NN and W_T the larger of the tangential ones. For spheres and disks that block of W is
// diagonal and (1) is the answer of the one contact, as nsgs finds it; else it is not, and where the sweeps end up
// need not be an answer. In return an open contact costs one row of H and one comparison, and nothing is set up
// but W_N and W_T: in a pile whose far contacts are in the problem too, most are open.
#include "solvers/impulses.h"

#include <math.h>

#include "base/clones.h"
#include "problem/delassus.h"

struct ssi_station {         // what a sweep needs of one contact, close together
  const double *rows;        // H: per row one block of `width` numbers for each body
  const ssi_lanes *columns;  // the same, dof by dof: a lane for each row
  int place[2], bodies;      // where each body is in v
  ssi_lanes w;
  double mu, stiffness[2];  // W_N and W_T
};

// u, each lane summed as one row would be.
SSI_INLINE void velocity(int width, const double *v, const ssi_station *c, ssi_lanes *u) {
  ssi_lanes sum = {0};
  for (int n = 0; n < c->bodies; n++) {
    const ssi_lanes *x = c->columns + n * width;
    const double *at = v + c->place[n];
    ssi_lanes part = {0};
    for (int j = 0; j < width; j++) part += x[j] * at[j];
    sum += part;
  }
  *u = sum + c->w;
}

SSI_INLINE void push(int dim, int width, const ssi_impulses *k, const ssi_station *c,
                     const double *impulse) {
  for (int n = 0; n < c->bodies; n++) {
    const double *inverse = k->inverse + c->place[n];
    double *v = k->v + c->place[n], sum[6];  // a copy: nothing else is written meanwhile
    for (int j = 0; j < width; j++) sum[j] = v[j];
    for (int d = 0; d < dim; d++) {
      const double *x = c->rows + (d * c->bodies + n) * width;
      for (int j = 0; j < width; j++) sum[j] += impulse[d] * x[j] * inverse[j];
    }
    for (int j = 0; j < width; j++) v[j] = sum[j];
  }
}

// One contact; by how much its relative velocity changes, squared.
SSI_INLINE double relax(int dim, int width, ssi_impulses *k, int i) {
  const ssi_station *c = k->station + i;
  double *r = k->r + (size_t)i * (size_t)dim;
  ssi_lanes u;
  velocity(width, k->v, c, &u);
  if (r[0] == 0 && u[0] >= 0) return 0;
  double normal = r[0] - u[0] / c->stiffness[0], length = 0;
  double next[3] = {normal > 0 ? normal : 0}, change[3];  // (1)
  for (int d = 1; d < dim; d++) {
    next[d] = r[d] - u[d] / c->stiffness[1];
    length += next[d] * next[d];
  }
  double limit = c->mu * next[0], moved = 0;
  if (length > limit * limit) {
    double scale = limit / sqrt(length);
    for (int d = 1; d < dim; d++) next[d] *= scale;
  }
  for (int d = 0; d < dim; d++) {
    change[d] = next[d] - r[d];
    r[d] = next[d];
    moved += c->stiffness[d > 0] * change[d] * c->stiffness[d > 0] * change[d];
  }
  push(dim, width, k, c, change);
  return moved;
}

static void set_station(const ssi_impulses *k, const ss_problem *p, int i, ssi_lanes *columns,
                        ssi_station *c) {
  const ss_sparse *H = &p->H;
  int64_t at = H->ptr[(int64_t)i * k->dim], end = H->ptr[(int64_t)i * k->dim + 1];
  const double *x = H->x + at;
  *c = (ssi_station){.rows = x, .columns = columns, .mu = p->mu[i]};
  c->bodies = (int)(end - at) / k->width;
  for (int n = 0; n < c->bodies; n++) c->place[n] = H->col[at + n * k->width];
  for (int d = 0; d < k->dim; d++) {
    double W = 0;
    for (int n = 0; n < c->bodies; n++)
      for (int j = 0; j < k->width; j++, x++) {
        columns[n * k->width + j][d] = *x;
        W += *x * *x * k->inverse[c->place[n] + j];
      }
    c->stiffness[d > 0] = fmax(c->stiffness[d > 0], W);
    c->w[d] = p->w[(size_t)i * k->dim + d];
  }
}

bool ssi_impulses_begin(ssi_arena *arena, const ss_problem *p, const double *v_free, double *r,
                        ssi_impulses *out) {
  *out = (ssi_impulses){.dim = p->dim, .width = p->dim == 2 ? 3 : 6, .count = p->nc, .r = r};
  out->v = SSI_TAKE(arena, p->ndof, double);
  out->inverse = SSI_TAKE(arena, p->ndof, double);
  out->station = SSI_TAKE(arena, p->nc, ssi_station);
  ssi_lanes *columns = SSI_TAKE(arena, 2 * (size_t)out->width * (size_t)p->nc, ssi_lanes);
  if (arena->failed) return false;
  for (int j = 0; j < p->ndof; j++) {
    out->v[j] = v_free[j];
    out->inverse[j] = 1 / p->M.x[j];
  }
  for (int i = 0; i < p->nc; i++)
    set_station(out, p, i, columns + 2 * (size_t)out->width * (size_t)i, out->station + i);
  return true;
}

void ssi_impulses_apply(ssi_impulses *k) {
  for (int i = 0; i < k->count; i++) {
    const double *r = k->r + (size_t)i * (size_t)k->dim;
    if (r[0] > 0) push(k->dim, k->width, k, k->station + i, r);
  }
}

// Loops of known length are worth the two lines.
SSI_CLONES double ssi_impulses_sweep(ssi_impulses *k) {
  double moved = 0;
  for (int i = 0; k->dim == 3 && i < k->count; i++) moved += relax(3, 6, k, i);
  for (int i = 0; k->dim == 2 && i < k->count; i++) moved += relax(2, 3, k, i);
  return moved;
}

double ssi_impulses_velocity(const ssi_impulses *k, int contact, int row) {
  ssi_lanes u;
  velocity(k->width, k->v, k->station + contact, &u);
  return u[row];
}

void ssi_impulses_set_normal(ssi_impulses *k, int contact, double w) {
  k->station[contact].w[0] = w;
}
