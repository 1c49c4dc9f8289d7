// The simplified criterion (59) of [Agw20] as it stands there: a minimax problem, by sequential
// quadratic programming (NLopt's SLSQP) from many starting points.
//
// With u_N = 0 the tangential displacements x = u_T give r_N = K_nt x, r_T = K_tt x, K = W^-1, and
//
//     c = inf_x max_{p: x_p != 0} f_p,   f_p = sgn(x_p) r_Tp / |(g r_N, r_T)_p|
//     mu = c / sqrt(1 - c^2)
//
// sgn(x_p) = -, 0, + is chosen before each start: x_p = s_p y_p, y >= 0, sum y^2 = 1, and the
// maximum is a variable: minimise z subject to f_p(y) <= z. The value at any point is an upper
// bound of the infimum.
#include "analysis/critical.h"

#include <math.h>

#ifdef SS_WITH_NLOPT

#include <lapacke.h>
#include <nlopt.h>
#include <string.h>

#include "base/error.h"
#include "base/rng.h"

static const double WORK = 5e8;      // for all starts together: some seconds
static const double SQP_CUBES = 30;  // one iteration beside eigenvalues of the same size

typedef struct minimax {
  int n, k;            // contacts; those that slip
  double *Kn, *Kt;     // g K_nt and K_tt, row-major             (n^2)
  const int *slip;     // which                                  (k)
  const double *sign;  // their s                                (k)
  double work;         // cubes of sizes times evaluations, so far
  nlopt_opt solver;    // the one that is running
  const ssi_watch *watch;
} minimax;

// Reactions of slipping contact number i; their length.
static double reaction(const minimax *m, const double *y, int i, double *rn, double *rt) {
  const double *kn = m->Kn + m->slip[i] * m->n, *kt = m->Kt + m->slip[i] * m->n;
  *rn = *rt = 0;
  for (int j = 0; j < m->k; j++) {
    double x = m->sign[j] * y[j];
    *rn += kn[m->slip[j]] * x, *rt += kt[m->slip[j]] * x;
  }
  return hypot(*rn, *rt);
}

// (f_p(y) - z) |r_p| <= 0, with y = v[0 .. k), z = v[k]: unlike f_p, continuous at r_p = 0.
static void constraints(unsigned count, double *out, unsigned size, const double *v,
                        double *gradient, void *user) {
  const minimax *m = user;
  double z = v[m->k];
  for (unsigned i = 0; i < count; i++) {
    double rn, rt, length = reaction(m, v, (int)i, &rn, &rt);
    out[i] = m->sign[i] * rt - z * length;
    if (!gradient) continue;
    double *g = gradient + (size_t)i * size, over = length > 0 ? z / length : 0;
    for (int j = 0; j < m->k; j++) {
      int at = m->slip[i] * m->n + m->slip[j];
      g[j] = m->sign[j] * (m->sign[i] * m->Kt[at] - over * (rn * m->Kn[at] + rt * m->Kt[at]));
    }
    g[m->k] = -length;
  }
}

static double sphere(unsigned size, const double *v, double *gradient, void *user) {
  (void)user;
  double sum = -1;
  for (unsigned j = 0; j + 1 < size; j++) {
    sum += v[j] * v[j];
    if (gradient) gradient[j] = 2 * v[j];
  }
  if (gradient) gradient[size - 1] = 0;
  return sum;
}

// z; asked once in every iteration, so the clock is read here.
static double last(unsigned size, const double *v, double *gradient, void *user) {
  const minimax *m = user;
  if (ssi_watch_stops(m->watch, -1)) nlopt_force_stop(m->solver);
  if (gradient) memset(gradient, 0, sizeof(double) * size), gradient[size - 1] = 1;
  return v[size - 1];
}

// mu of (59) at y; INFINITY where nothing slips or a reaction is purely tangential. What is zero
// but for rounding is left out of the maximum, as (59) says.
static double value(const minimax *m, const double *y) {
  double worst = 0, y_top = 0, r_top = 0, rn, rt;
  for (int i = 0; i < m->k; i++) {
    y_top = fmax(y_top, y[i]);
    r_top = fmax(r_top, reaction(m, y, i, &rn, &rt));
  }
  for (int i = 0; i < m->k; i++) {
    double length = reaction(m, y, i, &rn, &rt);
    if (y[i] > 1e-9 * y_top && length > 1e-9 * r_top && m->sign[i] * rt > 0)
      worst = fmax(worst, m->sign[i] * rt / fabs(rn));
  }
  return worst > 0 ? worst : INFINITY;
}

// From v (k + 1), which is overwritten.
static ss_error optimise(minimax *m, double *v) {
  double cube = (double)(m->k + 1) * (m->k + 1) * (m->k + 1), afford = (WORK - m->work) / cube;
  if (afford < 1 || !ssi_watch_affords(m->watch, SQP_CUBES * cube)) return SS_OK;
  nlopt_opt o = nlopt_create(NLOPT_LD_SLSQP, (unsigned)m->k + 1);
  if (!o) return SS_ERR_MEMORY;
  m->solver = o;
  v[m->k] = -1;
  for (int i = 0; i < m->k; i++) {
    double rn, rt, length = reaction(m, v, i, &rn, &rt);
    v[m->k] = fmax(v[m->k], length > 0 ? m->sign[i] * rt / length : 0);
  }
  nlopt_result r = nlopt_set_lower_bounds1(o, 0);
  if (r > 0) r = nlopt_set_lower_bound(o, m->k, -1);
  if (r > 0) r = nlopt_set_upper_bounds1(o, 2);
  if (r > 0) r = nlopt_set_min_objective(o, last, m);
  if (r > 0) r = nlopt_add_inequality_mconstraint(o, (unsigned)m->k, constraints, m, NULL);
  if (r > 0) r = nlopt_add_equality_constraint(o, sphere, NULL, 1e-14);
  if (r > 0) r = nlopt_set_xtol_rel(o, 1e-14);
  if (r > 0) r = nlopt_set_maxeval(o, (int)fmin(afford, 200 + 20 * m->k));
  double z;
  if (r > 0) nlopt_optimize(o, v, &z);  // however it ends, v is judged by value()
  m->work += cube * nlopt_get_numevals(o);
  nlopt_destroy(o);
  return r == NLOPT_OUT_OF_MEMORY ? SS_ERR_MEMORY : SS_OK;
}

// Turns the contacts around that the optimum stopped at y = 0, which is where x changes its sign.
static bool turn(minimax *m, double *sign, double *v) {
  double top = 0;
  bool any = false;
  for (int i = 0; i < m->k; i++) top = fmax(top, v[i]);
  for (int i = 0; i < m->k; i++)
    if (v[i] <= 1e-6 * top) sign[i] = -sign[i], v[i] = 0.02 * top, any = true;
  return any;
}

// From one start, through changes of sign, as long as they help. *mu: the smallest value so far.
static ss_error descend(minimax *m, double *sign, double *v, double *mu) {
  double here = INFINITY;
  for (int k = 0; k <= 2 * m->n && !ssi_watch_stops(m->watch, -1); k++) {
    SS_TRY(optimise(m, v));
    double found = value(m, v);
    *mu = fmin(*mu, found);
    if (!(found < here * (1 - 1e-9)) || !turn(m, sign, v)) break;
    here = found;
  }
  return SS_OK;
}

// Signs of start number `index`: for few contacts all of them in turn, up to a common sign, else
// all slip at first, then some stick. False: no more, or nothing slips.
static bool signs(int n, int index, ssi_rng *rng, int *s) {
  bool all = n <= 4;
  int first = 0;
  for (int i = 0; i < n; i++, index /= 3) {
    s[i] = all ? index % 3 - 1 : ssi_rng_below(rng, 2) * 2 - 1;
    if (!all && index % 2 && ssi_rng_below(rng, 4) == 0) s[i] = 0;
    if (!first) first = s[i];
  }
  return all ? first > 0 : first != 0;
}

static bool invert(const ssi_critical_part *p, double *K, lapack_int *pivot, double *work) {
  int N = 2 * p->n;
  memcpy(K, p->W, sizeof(double) * (size_t)N * (size_t)N);
  return !LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, N, N, K, N, pivot) &&
         !LAPACKE_dgetri_work(LAPACK_COL_MAJOR, N, K, N, pivot, work, N * N);
}

ss_error ssi_critical_sqp(ss_context *ctx, const ssi_critical_part *p, int starts, uint64_t seed,
                          const ssi_watch *watch, double *mu) {
  *mu = NAN;
  if (!ssi_watch_affords(watch, 8.0 * p->n * p->n * p->n)) return SS_OK;
  ssi_arena arena = {.ctx = ctx};
  int n = p->n, N = 2 * n;
  double *K = SSI_TAKE(&arena, (int64_t)N * N, double),
         *work = SSI_TAKE(&arena, (int64_t)N * N, double);
  lapack_int *pivot = SSI_TAKE(&arena, N, lapack_int);
  minimax m = {.n = n, .watch = watch};
  m.Kn = SSI_TAKE(&arena, (int64_t)n * n, double), m.Kt = SSI_TAKE(&arena, (int64_t)n * n, double);
  int *slip = SSI_TAKE(&arena, n, int), *s = SSI_TAKE(&arena, n, int);
  double *sign = SSI_TAKE(&arena, n, double), *v = SSI_TAKE(&arena, n + 1, double);
  ss_error e = arena.failed ? SS_ERR_MEMORY : SS_OK;
  if (!e && !invert(p, K, pivot, work)) e = ssi_fail(ctx, SS_ERR_LINEAR, "W is singular");
  for (int i = 0; !e && i < n; i++)
    for (int j = 0; j < n; j++) {
      m.Kn[i * n + j] = p->g[i] * K[2 * i * N + 2 * j + 1];
      m.Kt[i * n + j] = K[(2 * i + 1) * N + 2 * j + 1];
    }
  m.slip = slip, m.sign = sign;
  ssi_rng rng = {seed};
  int last_index = n <= 4 ? (int)pow(3, n) : starts;
  *mu = INFINITY;
  for (int index = 0; !e && index < last_index && m.work < WORK; index++) {
    if (!signs(n, index, &rng, s)) continue;
    m.k = 0;
    for (int i = 0; i < n; i++)
      if (s[i]) slip[m.k] = i, sign[m.k] = s[i], v[m.k++] = 0.2 + ssi_rng_uniform(&rng);
    e = descend(&m, sign, v, mu);
    if (ssi_watch_stops(watch, -1)) break;
  }
  if (isinf(*mu) && ssi_watch_stops(watch, -1)) *mu = NAN;  // nothing was found, nor looked for
  if (e == SS_ERR_MEMORY) ssi_fail(ctx, e, "out of memory");
  ssi_arena_release(&arena);
  return e;
}

#else

ss_error ssi_critical_sqp(ss_context *ctx, const ssi_critical_part *p, int starts, uint64_t seed,
                          const ssi_watch *watch, double *mu) {
  (void)ctx, (void)p, (void)starts, (void)seed, (void)watch;
  *mu = NAN;
  return SS_OK;
}

#endif
