// path: the problem is pushed apart until its answer is known, and let go along a path that may turn back.
//
// In the scaled variables of ipm_core.c (1), z = T^-1 r and y = T (u + mu |u_T| e), with W and q scaled alike,
//
//     W z + q - (u_N/mu, u_T) = 0,   z o y = 0,   z, y in Q,     (u_N/mu, u_T) = (y_0 - |y_T|, y_T)      (1)
//
// is the friction problem. Write z and y by one vector x, z - y = x and z o y = tau e (cone/split.h): they
// are inside Q whatever x is, and what is left of (1) are m equations for m + 1 unknowns,
//
//     F(x, log tau) = W z + q - (y_0 - |y_T|, y_T) - tau p = 0                                            (2)
//
// with p such that the x chosen for the beginning is a zero at tau = 1. The zeros of (2) are, for almost every
// p, smooth curves without ends inside tau > 0 [AG90]; one begins at the start, and where it comes to tau = 0
// there is a solution. From x = -push e (z small, y large: all contacts pushed apart) this is what Lemke's
// method does with its artificial variable, for round cones. A curve that does not come to tau = 0
// goes to infinity, which needs z in Q with W z = 0 and z.q < 0: a direction in which the contacts jam.
// Interior points take steps along the same kind of curve with tau as the parameter, and end where tau has to
// grow again (a fold). Here arc length is the parameter, and folds are passed.
//
// A prediction along the tangent, then Newton's corrections at right angles to it, one LU each; steps grow when
// two corrections suffice and shrink when five do not, or when the curve turns by more than 60 degrees. Each
// time tau fell fivefold Newton (newton.h) has a try at (1) itself. Further starts are random.
//
// One step is one LU of m + 1 rows, dense: at most ROWS of them. Hundreds to some thousands of steps; the
// more, the larger mu. The guess is not used.
//
// Fails: |y_T| has a kink at y_T = 0, which a curve passes only nearby; curves at infinity; tau -> 0 where
// many curves come close to each other (large mu, many contacts): steps become short.
//
// [AG90] E. Allgower, K. Georg, Numerical Continuation Methods, Springer 1990.
#include "solvers/path.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/rng.h"
#include "solvers/newton.h"

enum { ROWS = 600 };                                   // m at most
enum { CORRECTIONS = 5, POLISHES = 12 };               // Newton's steps on (2); on (1)
static const double SHORTEST = 1e-12, FARTHEST = 1e8;  // step over |x|; |x| that counts as infinite
static const double LAST = 1e-13;                      // tau below which there is nothing to follow

typedef enum phase { SET_OUT, FOLLOW, POLISH } phase;

typedef struct path {
  ssi_path_options o;
  ssi_path_map map;
  ssi_newton newton;
  uint64_t seed;
  double *x, *trial;  // on the curve; being corrected   (m + 1)
  double *tangent;    // at x, of length 1               (m + 1)
  double *A, *b;      // dF/dx and the tangent, factored; right-hand side   ((m + 1)^2, m + 1)
  lapack_int *pivots;
  phase phase;
  int start, steps;     // which start; steps from there
  int corrections;      // of this prediction
  double h, last;       // arc of the prediction; size of the last correction
  double polish_below;  // log tau at which Newton is tried next
  int polishes;
} path;

static const ssi_option options[] = {
    {"push", offsetof(ssi_path_options, push), 10, 1e-3, 1e6,
     "of the contacts at the beginning, |q| = 1", NULL},
    {"first", offsetof(ssi_path_options, first), 0, 0, SSI_PATH_STARTS - 1,
     "which of its starts comes first", NULL},
    {"starts", offsetof(ssi_path_options, starts), 8, 1, SSI_PATH_STARTS,
     "how many are tried, one after the other", NULL},
    {"limit", offsetof(ssi_path_options, limit), 20000, 1, 1e9, "steps from one start", NULL},
};

// ---- set-up --------------------------------------------------------------------------------

static ss_error setup(void *state, ssi_system *sys, uint64_t seed, ssi_arena *arena) {
  path *p = state;
  if (sys->m > ROWS)
    return ssi_fail(sys->ctx, SS_ERR_METHOD,
                    "path keeps a dense matrix: %d unknowns for %d contacts, at most %d", sys->m,
                    sys->nc, ROWS);
  size_t rows = (size_t)sys->m + 1;
  p->seed = seed;
  p->x = SSI_TAKE(arena, rows, double);
  p->trial = SSI_TAKE(arena, rows, double);
  p->tangent = SSI_TAKE(arena, rows, double);
  p->A = SSI_TAKE(arena, rows * rows, double);
  p->b = SSI_TAKE(arena, rows, double);
  p->pivots = SSI_TAKE(arena, rows, lapack_int);
  if (arena->failed) return SS_ERR_MEMORY;
  SS_TRY(ssi_path_map_create(&p->map, sys, arena));
  ssi_newton_options o = ssi_newton_options_default();
  o.watchdog = POLISHES;
  o.retries = 0;
  return ssi_newton_create(&p->newton, sys, &o, arena);
}

static ss_error refresh(void *state, ssi_system *sys) {
  path *p = state;
  (void)sys;
  ssi_path_map_fill(&p->map);
  ssi_newton_refresh(&p->newton);
  return SS_OK;
}

static void release(void *state) {
  ssi_newton_release(&((path *)state)->newton);
}

// ---- beginning -----------------------------------------------------------------------------

static double normal_number(ssi_rng *g) {
  double radius = sqrt(-2 * log(1 - ssi_rng_uniform(g)));
  return radius * cos(6.283185307179586 * ssi_rng_uniform(g));
}

// The first start pushes all contacts apart, with x_T hardly off the kink of |y_T|; the others let chance
// decide which contacts begin open, closed, slipping.
static void begin_at(path *p, int start) {
  const ssi_system *sys = p->map.sys;
  ssi_rng g = {p->seed + 0x9e3779b97f4a7c15u * (uint64_t)start};
  for (int j = 0; j < sys->m; j++) {
    bool normal = j % sys->dim == 0;
    double chance = normal_number(&g);
    double x = start == 0 ? (normal ? -1 : 0.01 * chance) : normal ? chance : 0.5 * chance;
    p->x[j] = p->map.T[j] > 0 ? p->o.push * x : 0;  // without friction x_T = 0 for ever
  }
  p->x[sys->m] = 0;
  memset(p->map.shift, 0, sizeof(double) * (size_t)sys->m);
  ssi_path_map_value(&p->map, p->x, p->b);
  if (sys->m) memcpy(p->map.shift, p->b, sizeof(double) * (size_t)sys->m);
  p->start = start;
  p->steps = 0;
  p->phase = SET_OUT;
  p->polish_below = log(0.1);
}

static void begin(void *state, ssi_system *sys, const double *r) {
  path *p = state;
  (void)sys, (void)r;
  begin_at(p, (int)p->o.first);
}

// ---- following -----------------------------------------------------------------------------

static double norm(int n, const double *x) {
  double sum = 0;
  for (int k = 0; k < n; k++) sum += x[k] * x[k];
  return sqrt(sum);
}

// dF/dx at x, with `direction` as the last row, factored; F in b.
static bool factor(path *p, const double *x, const double *direction) {
  int rows = p->map.m + 1;
  ssi_path_map_linear(&p->map, x, p->b, p->A);
  memcpy(p->A + (int64_t)p->map.m * rows, direction, sizeof(double) * (size_t)rows);
  return LAPACKE_dgetrf(LAPACK_COL_MAJOR, rows, rows, p->A, rows, p->pivots) == 0;
}

static void solve(path *p) {  // the rows of A were written as columns
  int rows = p->map.m + 1;
  LAPACKE_dgetrs(LAPACK_COL_MAJOR, 'T', rows, 1, p->A, rows, p->pivots, p->b, rows);
}

// The kernel of dF/dx, in the half of `direction`, into b; false: not finite.
static bool find_tangent(path *p, double sign) {
  int m = p->map.m;
  memset(p->b, 0, sizeof(double) * (size_t)m);
  p->b[m] = sign;
  solve(p);
  double length = norm(m + 1, p->b);
  for (int k = 0; k <= m; k++) p->b[k] /= length;
  return isfinite(length) && length > 0;
}

static ssi_verdict next_start(path *p) {
  if (p->start + 1 >= fmin(p->o.first + p->o.starts, SSI_PATH_STARTS)) return SSI_STALLED;
  begin_at(p, p->start + 1);
  return SSI_CONTINUE;
}

// At x the way to smaller tau
static ssi_verdict set_out(path *p) {
  int m = p->map.m;
  memset(p->tangent, 0, sizeof(double) * (size_t)m);
  p->tangent[m] = 1;
  if (!factor(p, p->x, p->tangent) || !find_tangent(p, -1)) return next_start(p);
  memcpy(p->tangent, p->b, sizeof(double) * ((size_t)m + 1));
  p->h = 0.1 * (1 + norm(m, p->x));
  p->corrections = 0;
  p->phase = FOLLOW;
  return SSI_CONTINUE;
}

// Steps of half the size of x at most, and of a factor of 12 in tau.
static void predict(path *p) {
  int m = p->map.m;
  double size = 1 + norm(m, p->x), along = fabs(p->tangent[m]);
  p->h = fmin(p->h, 0.5 * size);
  if (along * p->h > 2.5) p->h = 2.5 / along;
  for (int k = 0; k <= m; k++) p->trial[k] = p->x[k] + p->h * p->tangent[k];
}

// One of Newton's steps on F = 0, tangent.(trial - x) = h. It is too far from the curve where the first is
// longer than half of h, or the next than half of the one before.
typedef enum outcome { MORE, ARRIVED, LOST } outcome;

static outcome correct(path *p) {
  int m = p->map.m;
  if (!factor(p, p->trial, p->tangent)) return LOST;
  p->b[m] = -p->h;
  for (int k = 0; k <= m; k++) p->b[m] += p->tangent[k] * (p->trial[k] - p->x[k]);
  solve(p);
  double length = norm(m + 1, p->b);
  double allowed = 0.5 * (p->corrections == 0 ? p->h : p->last);
  if (!(length <= allowed)) return LOST;
  for (int k = 0; k <= m; k++) p->trial[k] -= p->b[k];
  p->last = length;
  p->corrections++;
  if (length <= 1e-4 * p->h || length <= 1e-10 * (1 + norm(m, p->x))) return ARRIVED;
  return p->corrections < CORRECTIONS ? MORE : LOST;
}

static ssi_verdict shorten(path *p) {
  p->h *= 0.4;
  p->corrections = 0;
  return p->h < SHORTEST * (1 + norm(p->map.m, p->x)) ? next_start(p) : SSI_CONTINUE;
}

// The tangent there, from the last factorisation: 1e-4 h off at most.
static ssi_verdict arrive(path *p, ssi_system *sys, double *r) {
  int m = p->map.m;
  double turn = 0;
  bool found = find_tangent(p, 1);
  for (int k = 0; k <= m; k++) turn += p->b[k] * p->tangent[k];
  if (!found || !(turn >= 0.5)) return shorten(p);
  memcpy(p->x, p->trial, sizeof(double) * ((size_t)m + 1));
  memcpy(p->tangent, p->b, sizeof(double) * ((size_t)m + 1));
  if (p->corrections <= 3 && turn > 0.9)
    p->h *= 2;
  else if (p->corrections >= CORRECTIONS || turn < 0.7)
    p->h *= 0.7;
  p->corrections = 0;
  ssi_path_map_reactions(&p->map, r);
  if (p->x[m] < log(LAST) || !(norm(m, p->x) < FARTHEST)) return next_start(p);
  if (p->x[m] >= p->polish_below) return SSI_CONTINUE;
  p->polish_below = p->x[m] - log(5);
  p->phase = POLISH;
  p->polishes = 0;
  ssi_newton_begin(&p->newton, sys, r);
  return SSI_CONTINUE;
}

static ssi_verdict follow(path *p, ssi_system *sys, double *r, double *estimate) {
  if (p->corrections == 0) predict(p);
  switch (correct(p)) {
  case ARRIVED:
    return arrive(p, sys, r);
  case LOST:
    *estimate = INFINITY;
    return shorten(p);
  default:
    *estimate = INFINITY;
    return SSI_CONTINUE;
  }
}

// The estimate stays NaN: the driver measures, which costs little beside an LU.
static ssi_verdict step(void *state, ssi_system *sys, double *r, double *estimate) {
  path *p = state;
  if (++p->steps > p->o.limit) return next_start(p);
  if (p->phase == SET_OUT) {
    *estimate = INFINITY;
    return set_out(p);
  }
  if (p->phase == FOLLOW) return follow(p, sys, r, estimate);
  bool on = ssi_newton_step(&p->newton, sys, r) == SSI_CONTINUE && ++p->polishes < POLISHES;
  if (!on) p->phase = FOLLOW;
  return SSI_CONTINUE;
}

const ssi_method ssi_method_path = {
    .name = "path",
    .summary = "continuation by arc length from contacts pushed apart; for large friction",
    .state_size = sizeof(path),
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .max_iter = 100000,
    .setup = setup,
    .refresh = refresh,
    .begin = begin,
    .step = step,
    .release = release,
};
