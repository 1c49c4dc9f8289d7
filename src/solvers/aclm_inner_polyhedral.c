// The convex program of aclm on pyramids with four facets, by an interior point: the way (iv) of [ACLM11, 6] as the paper
// ran it, with OOQP. Nothing is refined and nothing finished on the exact cone: where friction is not along an edge
// of the pyramid the answer is that of another law, with less of it.
//
// In the scaled variables of solvers/ipm_core.c, r = T z, W^ = T W T, the edges of a contact are g_j = (1, d_j), d_j the
// tangents and their opposites (2D: +-1; without friction (1, 0, 0) alone), and
//
//     z_i = sum_j x_j g_j,   y_j = g_j.(W^ z + q^ + s e)_i,     x, y >= 0,   x_j y_j = 0                        (1)
//
// Newton on x_j y_j = target with rho = g.(W^ z + q^ + s e) - y, theta = x/y, c = target/y - x:
//
//     dy = g.(W^ dz) + rho,    dx = c - theta dy                                                               (2)
//     (W^ + N^-1) dz = N^-1 sum_j g_j (c_j - theta_j rho_j),    N = sum_j theta_j g_j g_j^T                     (3)
//
// which has the form of solvers/ipm_linear.h. N is nearly singular where one edge carries all, so N^-1 is avoided where there are
// bodies: with h the sum in (3)
//
//     (M + H^T T N T H) v = H^T T h,    dz = h - N T H v                                                        (4)
//
// Mehrotra's predictor and corrector, equal steps.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "la/small.h"
#include "solvers/aclm.h"
#include "solvers/ipm.h"

enum { EDGES = 4, ITERATIONS = 100, REFINEMENTS = 4 };
// |q^| is 1: OOQP's own defaults are 1e-8, which is also about where rounding of N^-1 ends it without bodies.
static const double GAP = 1e-12, INFEASIBLE = 1e-9;
static const double ACCURATE = 1e-6;  // relative, of a linear system

typedef struct polyhedral {
  ssi_ipm core;                   // scaling and linear systems; its own iterates are not used
  double *x, *y;                  // (EDGES nc); edges that a contact does not have: x = 0
  double *dx, *dy, *rho;          // (EDGES nc)
  double *aim;                    // x y + dx dy wanted of the corrector   (EDGES nc)
  double *z, *dz, *v, *b, *best;  // (m)
  double *s;                      // T_N mu s / unit   (nc)
  double gap;                     // mean of x y
} polyhedral;

static ss_error setup(void **state, const ssi_convex *p, ssi_arena *arena) {
  polyhedral *s = SSI_TAKE(arena, 1, polyhedral);
  if (!s) return SS_ERR_MEMORY;
  *state = s;
  size_t edges = (size_t)EDGES * (size_t)p->sys->nc;
  double **long_ones[] = {&s->x, &s->y, &s->dx, &s->dy, &s->rho, &s->aim};
  double **vectors[] = {&s->z, &s->dz, &s->v, &s->b, &s->best};
  for (size_t k = 0; k < sizeof long_ones / sizeof *long_ones; k++)
    *long_ones[k] = SSI_TAKE(arena, edges, double);
  for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++)
    *vectors[k] = SSI_TAKE(arena, p->sys->m, double);
  s->s = SSI_TAKE(arena, p->sys->nc, double);
  if (arena->failed) return SS_ERR_MEMORY;
  s->core.way = SSI_IPM_AUTO;
  return ssi_ipm_setup(&s->core, p->sys, arena);
}

static int edge_count(const ssi_system *sys, int64_t i) {
  return !(sys->p.mu[i] > 0) ? 1 : 2 * (sys->dim - 1);
}

static void edge(const ssi_system *sys, int64_t i, int j, double g[3]) {
  g[0] = 1, g[1] = g[2] = 0;
  if (sys->p.mu[i] > 0) g[1 + j / 2] = j % 2 ? -1 : 1;
}

// out_j = g_j.a for every edge
static void along(const ssi_system *sys, const double *a, double *out) {
  for (int64_t i = 0; i < sys->nc; i++)
    for (int j = 0; j < edge_count(sys, i); j++) {
      double g[3];
      edge(sys, i, j, g);
      out[EDGES * i + j] = ssi_soc_dot(sys->dim, g, a + sys->dim * i);
    }
}

// out_i = sum_j g_j a_j
static void together(const ssi_system *sys, const double *a, double *out) {
  memset(out, 0, sizeof *out * (size_t)sys->m);
  for (int64_t i = 0; i < sys->nc; i++)
    for (int j = 0; j < edge_count(sys, i); j++) {
      double g[3];
      edge(sys, i, j, g);
      for (int k = 0; k < sys->dim; k++) out[sys->dim * i + k] += g[k] * a[EDGES * i + j];
    }
}

// ---- one iteration ---------------------------------------------------------------------------------

// rho and the gap of the iterate; the size of rho.
static double look(polyhedral *s, const ssi_system *sys) {
  double square = 0;
  int count = 0;
  s->gap = 0;
  together(sys, s->x, s->z);
  ssi_ipm_multiply(&s->core.linear, s->z, s->v);
  for (int j = 0; j < sys->m; j++) s->v[j] += s->core.q[j];
  for (int64_t i = 0; i < sys->nc; i++) s->v[sys->dim * i] += s->s[i];
  along(sys, s->v, s->rho);
  for (int64_t i = 0; i < sys->nc; i++)
    for (int64_t k = EDGES * i; k < EDGES * i + edge_count(sys, i); k++, count++) {
      s->rho[k] -= s->y[k];
      square += s->rho[k] * s->rho[k];
      s->gap += s->x[k] * s->y[k];
    }
  s->gap /= count ? count : 1;
  return sqrt(square);
}

// N of (3) and its inverse. Without friction T leaves only the normal component: 1 for the others.
static bool fill_blocks(polyhedral *s, const ssi_system *sys) {
  int dim = sys->dim;
  for (int64_t i = 0; i < sys->nc; i++) {
    double *N = s->core.linear.N + dim * dim * i, *D = s->core.linear.D + dim * dim * i, A[9];
    memset(N, 0, sizeof *N * (size_t)(dim * dim));
    for (int j = 0; j < edge_count(sys, i); j++) {
      double g[3], theta = s->x[EDGES * i + j] / s->y[EDGES * i + j];
      edge(sys, i, j, g);
      for (int a = 0; a < dim; a++)
        for (int l = 0; l < dim; l++) N[dim * a + l] += theta * g[a] * g[l];
    }
    if (!(sys->p.mu[i] > 0))
      for (int k = 1; k < dim; k++) N[(dim + 1) * k] = 1;
    memcpy(A, N, sizeof(double) * (size_t)(dim * dim));
    if (!ssi_invert_small(dim, A, D)) return false;
  }
  return true;
}

static void by_blocks(const ssi_system *sys, const double *B, const double *x, double *y) {
  int dim = sys->dim;
  for (int64_t i = 0; i < sys->nc; i++)
    for (int a = 0; a < dim; a++)
      y[dim * i + a] = ssi_soc_dot(dim, B + dim * dim * i + dim * a, x + dim * i);
}

// dz += that of (4) for h
static bool add_by_bodies(polyhedral *s, const ssi_system *sys, const double *h) {
  ssi_ipm_linear *k = &s->core.linear;
  for (int j = 0; j < sys->m; j++) k->r[j] = k->T[j] * h[j];
  ssi_bodies_impulses(&sys->bodies, k->r, k->rhs);
  if (ssi_direct_solve(&k->global.lu.direct, k->rhs, k->v)) return false;
  ssi_bodies_velocities(&sys->bodies, k->v, k->u);
  for (int j = 0; j < sys->m; j++) k->u[j] *= k->T[j];
  by_blocks(sys, k->N, k->u, k->fix);
  for (int j = 0; j < sys->m; j++) s->dz[j] += h[j] - k->fix[j];
  return true;
}

// (4), refined against dz + N W^ dz = h; false: no better than `ACCURATE`.
static bool solve_by_bodies(polyhedral *s, const ssi_system *sys) {
  ssi_ipm_linear *k = &s->core.linear;
  double size = 0, left = INFINITY;
  memcpy(s->b, s->v, sizeof *s->b * (size_t)sys->m);
  memset(s->dz, 0, sizeof *s->dz * (size_t)sys->m);
  for (int j = 0; j < sys->m; j++) size += s->v[j] * s->v[j];
  for (int step = 0; step < REFINEMENTS; step++) {
    double now = 0;
    if (!add_by_bodies(s, sys, s->b)) return false;
    ssi_ipm_multiply(k, s->dz, k->trial);
    by_blocks(sys, k->N, k->trial, k->residual);
    for (int j = 0; j < sys->m; j++) {
      s->b[j] = s->v[j] - s->dz[j] - k->residual[j];
      now += s->b[j] * s->b[j];
    }
    if (!(now < 0.1 * left)) break;
    left = now;
  }
  return left <= ACCURATE * ACCURATE * size;
}

// (2), (3) towards x y = aim.
static bool direction(polyhedral *s, const ssi_system *sys) {
  ssi_ipm_linear *k = &s->core.linear;
  for (int64_t i = 0; i < sys->nc; i++)
    for (int64_t e = EDGES * i; e < EDGES * i + edge_count(sys, i); e++)
      s->dx[e] = (s->aim[e] - s->x[e] * s->rho[e]) / s->y[e] - s->x[e];
  together(sys, s->dx, s->v);
  if (k->use_global) {
    if (!solve_by_bodies(s, sys)) return false;
  } else {
    by_blocks(sys, k->D, s->v, s->b);
    if (!ssi_ipm_solve(k, s->b, s->dz)) return false;
  }
  ssi_ipm_multiply(k, s->dz, s->v);
  along(sys, s->v, s->dy);
  for (int64_t i = 0; i < sys->nc; i++)
    for (int64_t e = EDGES * i; e < EDGES * i + edge_count(sys, i); e++) {
      s->dy[e] += s->rho[e];
      s->dx[e] = (s->aim[e] - s->x[e] * s->dy[e]) / s->y[e] - s->x[e];
    }
  return true;
}

// Largest a <= 1 that keeps x and y positive; *gap: the mean of x y there.
static double reach(const polyhedral *s, const ssi_system *sys, double *gap) {
  double a = 1, sum = 0;
  int count = 0;
  for (int64_t i = 0; i < sys->nc; i++)
    for (int64_t e = EDGES * i; e < EDGES * i + edge_count(sys, i); e++) {
      if (s->dx[e] < 0) a = fmin(a, -s->x[e] / s->dx[e]);
      if (s->dy[e] < 0) a = fmin(a, -s->y[e] / s->dy[e]);
    }
  for (int64_t i = 0; i < sys->nc; i++)
    for (int64_t e = EDGES * i; e < EDGES * i + edge_count(sys, i); e++, count++)
      sum += (s->x[e] + a * s->dx[e]) * (s->y[e] + a * s->dy[e]);
  *gap = count ? sum / count : 0;
  return a;
}

// The system by bodies may be too inaccurate near the end; then the reduced one from here on, where there is one.
static bool aim_at(polyhedral *s, const ssi_system *sys) {
  ssi_ipm_linear *k = &s->core.linear;
  if (direction(s, sys)) return true;
  if (!k->use_global || !k->reduced.W.ptr) return false;
  k->use_global = false;
  return ssi_ipm_factor(k) && direction(s, sys);
}

static bool iterate(polyhedral *s, const ssi_system *sys) {
  double left, a;
  memset(s->aim, 0, sizeof *s->aim * EDGES * (size_t)sys->nc);
  if (!fill_blocks(s, sys) || !ssi_ipm_factor(&s->core.linear) || !aim_at(s, sys)) return false;
  reach(s, sys, &left);
  double sigma = pow(left / s->gap, 3);
  for (int64_t e = 0; e < EDGES * (int64_t)sys->nc; e++)
    s->aim[e] = sigma * s->gap - s->dx[e] * s->dy[e];
  if (!aim_at(s, sys)) return false;
  a = reach(s, sys, &left);
  if (a < 0.1) {  // the square can be all rounding
    for (int64_t e = 0; e < EDGES * (int64_t)sys->nc; e++) s->aim[e] = fmax(sigma, 0.3) * s->gap;
    if (!aim_at(s, sys)) return false;
    a = reach(s, sys, &left);
  }
  if (a < 1) a *= 0.95;
  for (int64_t e = 0; e < EDGES * (int64_t)sys->nc; e++)
    s->x[e] += a * s->dx[e], s->y[e] += a * s->dy[e];
  return a > 1e-10;
}

// ---- the program -----------------------------------------------------------------------------------

static void begin(polyhedral *s, const ssi_convex *p) {
  const ssi_system *sys = p->sys;
  size_t bytes = sizeof(double) * EDGES * (size_t)sys->nc;
  double **zeroed[] = {&s->x, &s->dx, &s->dy, &s->rho};
  ssi_ipm_refresh(&s->core);  // q and mu may have changed
  s->core.linear.use_global = s->core.linear.global.lu.n > 0;
  for (size_t k = 0; k < sizeof zeroed / sizeof *zeroed; k++) memset(*zeroed[k], 0, bytes);
  for (int64_t i = 0; i < sys->nc; i++) {
    s->s[i] = s->core.linear.T[sys->dim * i] * sys->p.mu[i] * (p->s[i] / s->core.unit);
    for (int j = 0; j < EDGES; j++) s->y[EDGES * i + j] = 1;
    for (int j = 0; j < edge_count(sys, i); j++) s->x[EDGES * i + j] = 1;
  }
}

static void solve(void *state, const ssi_convex *p, double *r, double *g) {
  polyhedral *s = state;
  const ssi_system *sys = p->sys;
  double size, best = INFINITY;
  int most = p->max_iter < ITERATIONS ? p->max_iter : ITERATIONS;
  begin(s, p);
  size = look(s, sys);
  for (int k = 0; k < most && (s->gap > GAP || size > INFEASIBLE); k++) {
    if (ssi_system_stopped(sys) || !iterate(s, sys)) break;
    size = look(s, sys);
    if (!(s->gap + size < best)) continue;  // rounding may take over in the end
    best = s->gap + size;
    memcpy(s->best, s->z, sizeof *s->z * (size_t)sys->m);
  }
  for (int j = 0; j < sys->m; j++) r[j] = s->core.unit * s->core.linear.T[j] * s->best[j];
  ssi_convex_gradient(p, r, g);
}

static void release(void *state) {
  ssi_ipm_release(&((polyhedral *)state)->core);
}

const ssi_inner ssi_inner_polyhedral = {
    .name = "polyhedral", .setup = setup, .solve = solve, .release = release};
