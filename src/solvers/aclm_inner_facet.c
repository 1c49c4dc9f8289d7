// The convex program of aclm on polyhedral cones, with columns generated, way (iv) of [ACLM11, 6].
//
// K_i is replaced by the cone spanned by generators a_d = (1, mu d)/sqrt(1 + mu^2), |d| = 1:
//
//     `facets` regular directions, the first along the r_T at hand (so that r is kept exactly: with an
//     even number also its opposite is there), and d = -g_T/|g_T|                                (1)
//
// (1) is the generator with the most negative reduced cost a_d.g: where none is negative the
// polyhedral solution solves the exact problem. So the quadratic program is solved, the set is made
// anew around its solution, and so on; r stays feasible and the objective falls. In 2D and for
// mu = 0 K is polyhedral and one program is enough.
//
// A direction off by the angle delta leaves an error of order delta but a reduced cost of order delta^2
// only, so that the programs must be solved to the square of the error, and rounding ends the
// generation of columns near an error of 1e-7. From HANDOVER on, when a round gains less than a tenth,
// or when max_iter products are used, the solution is finished on the exact cone by apg.
//
// Each program: la/qp.h, products with W. Columns of one contact are linearly dependent, so that the
// programs are singular whatever W is.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "cone/friction.h"
#include "solvers/aclm_columns.h"

typedef struct facet {
  ssi_columns columns;
  double *linear;  // q + mu s e   (m)
  void *exact;     // of apg
} facet;

enum { ROUNDS = 60 };
static const double HANDOVER = 1e-4;

static ss_error setup(void **state, const ssi_convex *p, ssi_arena *arena) {
  facet *s = SSI_TAKE(arena, 1, facet);
  if (!s) return SS_ERR_MEMORY;
  *state = s;
  s->linear = SSI_TAKE(arena, p->sys->m, double);
  int room = p->sys->dim == 2 ? 2 : 2 * ((p->facets + 1) / 2) + 1;
  SS_TRY(ssi_columns_take(&s->columns, p, room, false, arena));
  return ssi_inner_apg.setup(&s->exact, p, arena);
}

static bool unit(const double x[3], double t[2], double sign) {
  double length = ssi_tangent_norm(3, x);
  if (!(length > 0)) return false;
  t[0] = sign * x[1] / length, t[1] = sign * x[2] / length;
  return true;
}

static void add_generators(ssi_columns *c, int i, const double *r, const double *g) {
  double mu = c->p->sys->p.mu[i], lambda = c->p->sys->lambda_max[i];
  double n = sqrt(1 + mu * mu), t[2] = {1, 0}, d[2];
  int count = 2 * ((c->p->facets + 1) / 2);
  bool pulled = unit(g, d, -1);
  if (!unit(r, t, 1) && pulled) t[0] = d[0], t[1] = d[1];
  double along = ssi_tangent_norm(3, r);
  for (int k = 0; k < count; k++) {
    double angle = 2 * 3.14159265358979323846 * k / count, co = cos(angle), si = sin(angle), x = 0;
    if (k == 0) x = n * (r[0] + along / mu) / 2;
    if (k == count / 2) co = -1, si = 0, x = n * (r[0] - along / mu) / 2;
    double a[3] = {1 / n, mu * (co * t[0] - si * t[1]) / n, mu * (si * t[0] + co * t[1]) / n};
    ssi_columns_add(c, a, lambda, true, x);
  }
  if (pulled) {  // (1)
    double a[3] = {1 / n, mu * d[0] / n, mu * d[1] / n};
    ssi_columns_add(c, a, lambda, true, 0);
  }
}

static void solve(void *state, const ssi_convex *p, double *r, double *g) {
  facet *s = state;
  ssi_columns *c = &s->columns;
  const ssi_system *sys = p->sys;
  int left = p->max_iter;
  double last = INFINITY;
  c->p = p;
  for (int i = 0; i < sys->nc; i++) ssi_project(sys->dim, sys->p.mu[i], r + sys->dim * (int64_t)i);
  ssi_convex_gradient(p, r, g);
  memcpy(s->linear, sys->q, sizeof(double) * (size_t)sys->m);
  for (int i = 0; i < sys->nc; i++) s->linear[sys->dim * (int64_t)i] += sys->p.mu[i] * p->s[i];
  for (int round = 0; round < ROUNDS && left > 0 && !ssi_system_stopped(sys); round++) {
    double tol = ssi_convex_reachable(p, r), error = ssi_convex_error(p, r, g);
    if (error <= tol) return;
    if (error < HANDOVER || (round > 3 && error > 0.9 * last)) break;
    last = error;
    ssi_columns_start(c);
    for (int i = 0; i < sys->nc; i++) {
      const double *ri = r + sys->dim * (int64_t)i;
      if (!ssi_columns_exact(c, i, ri)) add_generators(c, i, ri, g + sys->dim * (int64_t)i);
      ssi_columns_close(c, i);
    }
    left -= ssi_columns_solve(c, s->linear, 0.1 * error * fmin(error, 1), p->max_iter / 4, r);
    ssi_convex_gradient(p, r, g);
  }
  ssi_inner_apg.solve(s->exact, p, r, g);
}

const ssi_inner ssi_inner_facet = {.name = "facet", .setup = setup, .solve = solve};
