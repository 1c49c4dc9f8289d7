// The convex program of aclm as a linear program over second-order cones, way (ii) of [ACLM11, 6]: the quadratic objective goes
// into one more cone. In the scaled variables of solvers/ipm_core.c, r = T z, W^ = T W T = B^T B, b = q^ + s e:
//
//     min tau + b.z,    z_i in Q,    p = (tau + 1/2, tau - 1/2, B z) in Q,  that is  2 tau >= |B z|^2            (1)
//     max ...           y = b - W^ omega in Q,    y0 = (alpha, beta, B omega) in Q,    alpha + beta = 1          (2)
//
// One unknown and one cone of m + 2 components more than (i). Vectors of the large cone are kept by tau, z and alpha, beta, omega: B
// only enters through W^. Interior point with the scaling of Nesterov and Todd, P of cone/soc.h: with
// g = target z^-1 - y, g0 = target p^-1 - y0, P0 = eta^2 (2 w w^T - J), w = (w0, w1, B omega_w), kappa = w.dp,
//
//     D dz + dy = g,    P0 dp + dy0 = g0,    dy + W^ domega = rho,    dalpha + dbeta = 1 - alpha - beta          (3)
//     kappa = (g00 + g01 - (1 - alpha - beta)) / (2 eta^2 (w0 + w1))
//     (W^ + D / eta^2) dz = (g - rho + W^ (g_omega - 2 eta^2 kappa omega_w)) / eta^2                             (4)
//     dtau = (kappa - omega_w.W^ dz) / (w0 + w1)
//
// (4) has the form of solvers/ipm_linear.h, so that the large cone costs no larger system here, as it does in a solver that is
// not told of its structure. A fixed share of the gap is aimed at: no predictor, so more iterations than (i).
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "solvers/aclm.h"
#include "solvers/ipm.h"

enum { ITERATIONS = 200 };
static const double CENTRING = 0.1, GAP = 1e-13;

typedef struct socp {
  ssi_ipm core;  // scaling and linear systems; of its iterates z, y and their margins are used
  double *omega, *Wz, *Womega;  // (m)
  double *dz, *dy, *domega, *Wdz, *Wdomega;
  double *turn, *b, *cost;  // omega_w, right-hand side, q^ + s e
  void *exact;              // of apg
  double tau, alpha, beta, dtau, dalpha, dbeta;
} socp;

static ss_error setup(void **state, const ssi_convex *p, ssi_arena *arena) {
  socp *s = SSI_TAKE(arena, 1, socp);
  if (!s) return SS_ERR_MEMORY;
  *state = s;
  double **vectors[] = {&s->omega, &s->Wz,      &s->Womega, &s->dz, &s->dy,  &s->domega,
                        &s->Wdz,   &s->Wdomega, &s->turn,   &s->b,  &s->cost};
  for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++)
    *vectors[k] = SSI_TAKE(arena, p->sys->m, double);
  if (arena->failed) return SS_ERR_MEMORY;
  s->core.way = SSI_IPM_AUTO;
  SS_TRY(ssi_inner_apg.setup(&s->exact, p, arena));
  return ssi_ipm_setup(&s->core, p->sys, arena);
}

static double dot(int n, const double *x, const double *y) {
  double sum = 0;
  for (int k = 0; k < n; k++) sum += x[k] * y[k];
  return sum;
}

static void begin(socp *s, const ssi_convex *p) {
  const ssi_system *sys = p->sys;
  ssi_ipm *c = &s->core;
  ssi_ipm_refresh(c);  // q and mu may have changed
  ssi_ipm_begin(c, p->s, 1, 1);
  memcpy(s->cost, c->q, sizeof *s->cost * (size_t)sys->m);
  for (int i = 0; i < sys->nc; i++) s->cost[sys->dim * (int64_t)i] += c->s[i];
  memset(s->omega, 0, sizeof *s->omega * (size_t)sys->m);
  memset(s->Womega, 0, sizeof *s->Womega * (size_t)sys->m);
  ssi_ipm_multiply(&c->linear, c->z, s->Wz);
  s->tau = 0.5 * dot(sys->m, c->z, s->Wz) + 1;
  s->alpha = 1, s->beta = 0;
}

static double det_p(const socp *s, int m) {
  return 2 * s->tau - dot(m, s->core.z, s->Wz);
}
static double det_y(const socp *s, int m) {
  return (s->alpha - s->beta) * (s->alpha + s->beta) - dot(m, s->omega, s->Womega);
}

// Mean of z.y and p.y0 over the cones.
static double gap_of(const socp *s, const ssi_system *sys) {
  double sum =
      (s->tau + 0.5) * s->alpha + (s->tau - 0.5) * s->beta + dot(sys->m, s->core.z, s->Womega);
  return (sum + dot(sys->m, s->core.z, s->core.y)) / (sys->nc + 1);
}

// D / eta^2 and its inverse; false: an iterate left its cone.
static bool fill_blocks(socp *s, const ssi_system *sys, double eta2) {
  ssi_ipm *c = &s->core;
  int dim = sys->dim;
  for (int64_t i = 0; i < sys->nc; i++) {
    double *D = c->linear.D + dim * dim * i, *N = c->linear.N + dim * dim * i;
    if (!ssi_soc_scaling(dim, c->z + dim * i, c->margin_z[i], c->y + dim * i, c->margin_y[i],
                         &c->scaling[i]))
      return false;
    ssi_soc_square(dim, &c->scaling[i], 1, D);
    ssi_soc_square(dim, &c->scaling[i], -1, N);
    for (int k = 0; k < dim * dim; k++) D[k] /= eta2, N[k] *= eta2;
  }
  return true;
}

// (3), (4)
static bool direction(socp *s, const ssi_system *sys, double target) {
  ssi_ipm *c = &s->core;
  int m = sys->m, dim = sys->dim;
  double dp = det_p(s, m), dy = det_y(s, m), rp = 1 / sqrt(dp), ry = 1 / sqrt(dy);
  if (!(dp > 0 && dy > 0)) return false;
  double p0 = s->tau + 0.5, p1 = s->tau - 0.5;
  double cosine = rp * ry * (p0 * s->alpha + p1 * s->beta + dot(m, c->z, s->Womega));
  double half = 1 / (2 * sqrt((1 + cosine) / 2)), eta2 = rp / ry;
  double w0 = half * (ry * s->alpha + rp * p0), w1 = half * (ry * s->beta - rp * p1);
  for (int j = 0; j < m; j++) s->turn[j] = half * (ry * s->omega[j] - rp * c->z[j]);
  double g00 = target * p0 / dp - s->alpha, g01 = -target * p1 / dp - s->beta;
  double kappa = (g00 + g01 - (1 - s->alpha - s->beta)) / (2 * eta2 * (w0 + w1));
  if (!fill_blocks(s, sys, eta2)) return false;
  for (int j = 0; j < m; j++) {  // g_omega - 2 eta^2 kappa omega_w
    s->domega[j] = -target * c->z[j] / dp - s->omega[j] - 2 * eta2 * kappa * s->turn[j];
  }
  ssi_ipm_multiply(&c->linear, s->domega, s->b);
  for (int64_t i = 0; i < sys->nc; i++) {
    double det = ssi_soc_det(dim, c->z + dim * i, c->margin_z[i]);
    for (int k = 0; k < dim; k++) {
      int64_t j = dim * i + k;
      s->dy[j] = target * (k ? -c->z[j] : c->z[j]) / det - c->y[j];  // g
      s->b[j] = (s->dy[j] - (s->cost[j] - c->y[j] - s->Womega[j]) + s->b[j]) / eta2;
    }
  }
  if (!ssi_ipm_factor(&c->linear) || !ssi_ipm_solve(&c->linear, s->b, s->dz)) return false;
  ssi_ipm_multiply(&c->linear, s->dz, s->Wdz);
  s->dtau = (kappa - dot(m, s->turn, s->Wdz)) / (w0 + w1);
  s->dalpha = g00 - eta2 * (2 * kappa * w0 - s->dtau);
  s->dbeta = g01 - eta2 * (2 * kappa * w1 + s->dtau);
  for (int j = 0; j < m; j++) s->domega[j] -= eta2 * s->dz[j];
  ssi_ipm_multiply(&c->linear, s->domega, s->Wdomega);
  for (int j = 0; j < m; j++) s->dy[j] = s->cost[j] - c->y[j] - s->Womega[j] - s->Wdomega[j];
  return true;
}

// The smallest positive root of c + 2 h a + d a^2, c > 0; at most 1.
static double root(double c, double h, double d) {
  double under = h * h - c * d;
  if (under < 0 || (h >= 0 && d >= 0)) return 1;
  double at = h < 0 ? c / (sqrt(under) - h) : (h + sqrt(under)) / -d;
  return at > 0 && at < 1 ? at : 1;
}

static double reach(const socp *s, const ssi_system *sys) {
  const ssi_ipm *c = &s->core;
  int m = sys->m;
  double a = root(det_p(s, m), s->dtau - dot(m, c->z, s->Wdz), -dot(m, s->dz, s->Wdz));
  double h = s->alpha * s->dalpha - s->beta * s->dbeta - dot(m, s->omega, s->Wdomega);
  double d = (s->dalpha - s->dbeta) * (s->dalpha + s->dbeta) - dot(m, s->domega, s->Wdomega);
  a = fmin(a, root(det_y(s, m), h, d));
  for (int64_t i = 0; i < sys->nc; i++) {
    int64_t at = sys->dim * i;
    a = fmin(a, ssi_soc_step(sys->dim, c->z + at, c->margin_z[i], s->dz + at));
    a = fmin(a, ssi_soc_step(sys->dim, c->y + at, c->margin_y[i], s->dy + at));
  }
  return a;
}

static void step(socp *s, const ssi_system *sys, double a) {
  ssi_ipm *c = &s->core;
  for (int64_t i = 0; i < sys->nc; i++) {
    int64_t at = sys->dim * i;
    for (int k = 0; k < sys->dim; k++) {
      s->dz[at + k] *= a, s->dy[at + k] *= a;
    }
    c->margin_z[i] = ssi_soc_margin_after(sys->dim, c->z + at, c->margin_z[i], s->dz + at);
    c->margin_y[i] = ssi_soc_margin_after(sys->dim, c->y + at, c->margin_y[i], s->dy + at);
  }
  for (int j = 0; j < sys->m; j++) {
    c->z[j] += s->dz[j], c->y[j] += s->dy[j];
    s->omega[j] += a * s->domega[j];
    s->Wz[j] += a * s->Wdz[j], s->Womega[j] += a * s->Wdomega[j];
  }
  s->tau += a * s->dtau, s->alpha += a * s->dalpha, s->beta += a * s->dbeta;
}

static void solve(void *state, const ssi_convex *p, double *r, double *g) {
  socp *s = state;
  const ssi_system *sys = p->sys;
  int most = p->max_iter < ITERATIONS ? p->max_iter : ITERATIONS;
  begin(s, p);
  for (int k = 0; k < most && gap_of(s, sys) > GAP; k++) {
    if (ssi_system_stopped(sys) || !direction(s, sys, CENTRING * gap_of(s, sys))) break;
    double a = reach(s, sys);
    if (!(a > 1e-8)) break;
    step(s, sys, a < 1 ? 0.95 * a : 1);
  }
  ssi_ipm_reactions(&s->core, r);
  ssi_inner_apg.solve(s->exact, p, r, g);  // returns at once where r is good enough
}

static void release(void *state) {
  ssi_ipm_release(&((socp *)state)->core);
}

const ssi_inner ssi_inner_socp = {
    .name = "socp", .setup = setup, .solve = solve, .release = release};
