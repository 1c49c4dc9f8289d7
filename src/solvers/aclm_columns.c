#include "solvers/aclm_columns.h"

#include <math.h>
#include <string.h>

ss_error ssi_columns_take(ssi_columns *c, const ssi_convex *p, int room, bool blocks,
                          ssi_arena *arena) {
  int64_t nc = p->sys->nc, dim = p->sys->dim, most = room * nc;
  if (most > INT32_MAX / 8) return SS_ERR_MEMORY;  // counts are int
  c->room = room;
  c->first = SSI_TAKE(arena, nc + 1, int);
  c->a = SSI_TAKE(arena, dim * most, double);
  c->x = SSI_TAKE(arena, most, double);
  c->bounded = SSI_TAKE(arena, most, bool);
  c->h = SSI_TAKE(arena, most, double);
  c->b = SSI_TAKE(arena, most, double);
  if (blocks) c->B = SSI_TAKE(arena, dim * dim * nc, double);
  c->r = SSI_TAKE(arena, p->sys->m, double);
  c->u = SSI_TAKE(arena, p->sys->m, double);
  return ssi_qp_take(&c->qp, (int)most, arena) ? SS_OK : SS_ERR_MEMORY;
}

void ssi_columns_add(ssi_columns *c, const double *a, double curvature, bool bounded, double x) {
  int dim = c->p->sys->dim, j = c->qp.n++;
  memcpy(c->a + (int64_t)dim * j, a, sizeof(double) * (size_t)dim);
  c->bounded[j] = bounded;
  c->x[j] = bounded ? fmax(x, 0) : x;
  c->h[j] = 1 / sqrt(curvature);
}

bool ssi_columns_exact(ssi_columns *c, int i, const double *r) {
  double mu = c->p->sys->p.mu[i], length = sqrt(1 + mu * mu), w = c->p->sys->lambda_max[i];
  if (mu == 0) {
    double a[3] = {1, 0, 0};
    ssi_columns_add(c, a, w, true, r[0]);
    return true;
  }
  if (c->p->sys->dim == 3) return false;
  for (int side = -1; side <= 1; side += 2) {
    double a[2] = {1 / length, side * mu / length};
    ssi_columns_add(c, a, w, true, length * (r[0] + side * r[1] / mu) / 2);
  }
  return true;
}

static void combine(const ssi_columns *c, const double *x, double *r) {
  int dim = c->p->sys->dim;
  memset(r, 0, sizeof(double) * (size_t)c->p->sys->m);
  for (int i = 0; i < c->p->sys->nc; i++)
    for (int j = c->first[i]; j < c->first[i + 1]; j++)
      for (int k = 0; k < dim; k++) r[dim * (int64_t)i + k] += x[j] * c->a[dim * (int64_t)j + k];
}

static void transposed(const ssi_columns *c, const double *u, double *y) {
  int dim = c->p->sys->dim;
  for (int i = 0; i < c->p->sys->nc; i++)
    for (int j = c->first[i]; j < c->first[i + 1]; j++) {
      y[j] = 0;
      for (int k = 0; k < dim; k++) y[j] += u[dim * (int64_t)i + k] * c->a[dim * (int64_t)j + k];
    }
}

static void multiply(void *user, const double *x, double *y) {
  ssi_columns *c = user;
  const ssi_system *sys = c->p->sys;
  int dim = sys->dim;
  combine(c, x, c->r);
  memset(c->u, 0, sizeof(double) * (size_t)sys->m);
  ssi_delassus_multiply_add(&sys->W, c->r, c->u);
  for (int i = 0; c->B && i < sys->nc; i++) {
    const double *B = c->B + (int64_t)dim * dim * i, *ri = c->r + (int64_t)dim * i;
    double *ui = c->u + (int64_t)dim * i;
    for (int k = 0; k < dim; k++)
      for (int l = 0; l < dim; l++) ui[k] += B[dim * k + l] * ri[l];
  }
  transposed(c, c->u, y);
}

static bool stopped(void *user) {
  return ssi_system_stopped(((const ssi_columns *)user)->p->sys);
}

int ssi_columns_solve(ssi_columns *c, const double *linear, double tol, int max_iter, double *r) {
  transposed(c, linear, c->b);
  c->qp.multiply = multiply, c->qp.stopped = stopped, c->qp.user = c;
  c->qp.b = c->b, c->qp.bounded = c->bounded, c->qp.h = c->h;
  c->qp.tol = tol * c->p->scale, c->qp.max_iter = max_iter;
  ssi_qp_estimate_norm(&c->qp);
  int products = ssi_qp_solve(&c->qp, c->x);
  combine(c, c->x, r);
  return products;
}
