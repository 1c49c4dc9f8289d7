#include "certify/search.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/timer.h"
#include "cone/friction.h"

enum { BALANCING_STEPS = 40, PATIENCE = 4 };
static const double ROUNDING = DBL_EPSILON / 16;
static const double SHADOW = 1e-3;   // of size_of(d) that counts beside |A d|
static const double DOUBT = 2e-15;   // of A x: H and mu are rounded
static const double BEYOND = 1e4;    // reach of a jamming mode over the speed of x
static const double INSIDE = 1e-9;   // margin of a direction over the largest |(A d)_i|
static const double CLOSED = 1e-10;  // high - low, absolute or relative to them; without a basis
static const double CLOSED_LARGE = 3e-9;
static const double BALANCED = 1e-12;   // |A^T z| for sum z_0 = 1 at most, to end the iteration
static const double CONVERGED = 1e-8;   // badness from which only less of it is progress
static const double NEGLIGIBLE = 1e-8;  // part of the largest impulse that is none

// ---- evidence ------------------------------------------------------------------------------

bool ssi_search_decided(const ssi_search *s) {
  const ssi_finding *f = &s->f;
  if (f->infinite || f->closed) return true;
  if (!s->verdict_only) return false;
  double far = fmax(s->far, BEYOND * f->speed);
  return f->low >= 0 || f->rest || (f->high < -s->tol && f->high < -far * f->rests);
}

bool ssi_search_late(ssi_search *s) {
  if (!ssi_time_affords(s->end_s, ssi_normal_flops(s->normal))) s->late = true;
  return s->late;
}

// The largest sum_j |A_ij x_j| / e_i: what may cancel in A x, and so what rounding of A is measured by.
static double size_of(const ssi_search *s, const double *x) {
  const ss_sparse *A = &s->c->A;
  double most = 0;
  for (int i = 0; i < A->rows; i++) {
    double sum = 0;
    for (int64_t k = A->ptr[i]; k < A->ptr[i + 1]; k++) sum += fabs(A->x[k] * x[A->col[k]]);
    most = fmax(most, sum / s->c->e[i / s->c->dim]);
  }
  return most;
}

void ssi_search_offer_velocity(ssi_search *s, const double *x, const char *path) {
  ssi_conic_multiply(s->c, x, s->y);
  for (int j = 0; j < s->c->m; j++) s->y[j] += s->c->q[j];
  double margin = ssi_conic_margin(s->c, s->y) - DOUBT * size_of(s, x);
  if (!(margin > s->f.low) || s->f.rest) return;
  s->f.low = margin;
  s->f.speed = ssi_conic_largest(s->c, s->y);
  s->f.path = path;
  memcpy(s->f.x, x, sizeof(double) * (size_t)s->c->n);
}

bool ssi_search_offer_direction(ssi_search *s, const double *d, const char *path) {
  ssi_conic_multiply(s->c, d, s->y);
  double margin = ssi_conic_margin(s->c, s->y), size = ssi_conic_largest(s->c, s->y);
  if (!(margin > INSIDE * fmax(size, SHADOW * size_of(s, d)))) return false;
  double scale = 1 / margin;  // A d - e in Q
  for (int j = 0; j < s->c->n; j++) s->f.d[j] = scale * d[j];
  s->f.infinite = true;
  s->f.path = path;
  return true;
}

static double unbalanced(ssi_search *s, const double *z) {
  double most = 0;
  ssi_conic_multiply_transposed(s->c, z, s->bn);
  for (int j = 0; j < s->c->n; j++) most = fmax(most, fabs(s->bn[j]));
  return most;
}

static double sum_e(const ssi_conic *c, const double *z) {
  double sum = 0;
  for (int64_t i = 0; i < c->nc; i++) sum += c->e[i] * z[c->dim * i];
  return sum;
}

// z / e.z; false where that is not a number
static bool normalise(const ssi_conic *c, double *z) {
  double sum = sum_e(c, z);
  for (int j = 0; j < c->m; j++) z[j] /= sum;
  return sum > 0 && isfinite(sum);
}

// F_i = sqrt(z_0) (I - (1 - d) n n^T), n the normal of the cone's surface next to z_i and d = margin / z_0,
// within bounds: changes are measured by the room there is for them. Negligible impulses become zero and stay so.
static bool weigh_by_room(ssi_search *s, double least, double *z) {
  const ssi_conic *c = s->c;
  int dim = c->dim;
  double *F = ssi_normal_roots(s->normal), most = 0;
  for (int64_t i = 0; i < c->nc; i++) most = fmax(most, z[dim * i]);
  for (int64_t i = 0; i < c->nc; i++) {
    double *zi = z + dim * i, *Fi = F + dim * dim * i, t = ssi_tangent_norm(dim, zi), n[3] = {0};
    bool kept = zi[0] > NEGLIGIBLE * most;
    double weight = kept ? sqrt(zi[0] / most) : 0;
    double room = kept ? fmax((zi[0] - t) / zi[0], least) : 1;
    n[0] = sqrt(0.5);
    for (int k = 1; k < dim; k++) n[k] = t > 0 ? -sqrt(0.5) * zi[k] / t : 0;
    for (int k = 0; k < dim; k++)
      for (int l = 0; l < dim; l++)
        Fi[dim * k + l] = weight * ((k == l) - (1 - room) * n[k] * n[l]);
    for (int k = 0; k < dim && !kept; k++) zi[k] = 0;
  }
  return ssi_normal_factor(s->normal);
}

static double value_of(const ssi_conic *c, const double *z) {
  double sum = 0;
  for (int j = 0; j < c->m; j++) sum += c->q[j] * z[j];
  return sum;
}

// A^T z = 0:  z <- z - S A (A^T S A)^-1 A^T z, back into the cone contact by contact, as long as it
// helps. s->g and s->t are scratch.
static double balance_with(ssi_search *s, double least_room, double *z) {
  const ssi_conic *c = s->c;
  double best = unbalanced(s, z), last = INFINITY;
  memcpy(s->g, z, sizeof(double) * (size_t)c->m);
  ssi_normal_aim(s->normal, 0);
  for (int pass = 0; pass < BALANCING_STEPS; pass++) {
    if (ssi_search_late(s) || !weigh_by_room(s, least_room, s->g)) break;
    ssi_normal_solve(s->normal, s->g, s->step);
    ssi_conic_multiply(c, s->step, s->t);
    ssi_normal_weigh(s->normal, s->t, s->t);
    for (int j = 0; j < c->m; j++) s->g[j] -= s->t[j];
    for (int64_t i = 0; i < c->nc; i++) ssi_project(c->dim, 1, s->g + c->dim * i);
    if (!normalise(c, s->g)) return best;
    double now = unbalanced(s, s->g);
    if (now < best) {
      best = now;
      memcpy(z, s->g, sizeof(double) * (size_t)c->m);
    }
    if (!(now < 0.7 * last) || best <= ROUNDING) break;
    last = now;
  }
  return best;
}

// How strictly the surface of the cones is to be kept to depends on how many impulses lie on it. Stops
// where the result is good enough beside the value q.z, or as good as rounding lets it be.
static double balance(ssi_search *s, double *z) {
  static const double least_room[] = {1e-3, 1e-5, 1e-1};  // squares are seen beside 1 in A^T S A
  double best = INFINITY;
  for (int k = 0; k < 3; k++) {
    best = balance_with(s, least_room[k], z);
    if (best <= 16 * ROUNDING || best <= 1e-10 * fabs(value_of(s->c, z))) break;
  }
  return best;
}

bool ssi_search_offer_jamming(ssi_search *s, const double *z, const char *path) {
  const ssi_conic *c = s->c;
  double *mine = s->y;
  if (mine != z) memcpy(mine, z, sizeof(double) * (size_t)c->m);
  for (int64_t i = 0; i < c->nc; i++) ssi_project(c->dim, 1, mine + c->dim * i);
  if (!normalise(c, mine)) return false;
  double left = balance(s, mine);
  if (!(left <= 1e3 * BALANCED)) return false;
  s->f.high = value_of(c, mine);
  s->f.rests = 0;
  ssi_conic_multiply_transposed(c, mine, s->bn);
  for (int j = 0; j < c->n; j++) s->f.rests += fabs(s->bn[j]);
  memcpy(s->f.z, mine, sizeof(double) * (size_t)c->m);
  if (s->f.high < -s->tol) s->f.path = path;
  return true;
}

// ---- following a ray -----------------------------------------------------------------------

static double margin_along(ssi_search *s, double factor) {  // of factor * x; A x is in s->g
  for (int j = 0; j < s->c->m; j++) s->y[j] = factor * s->g[j] + s->c->q[j];
  return ssi_conic_margin(s->c, s->y) - DOUBT * factor * s->x_size;
}

// Where the supremum is not attained sigma grows along x for ever, more and more slowly; a concave
// function of the factor, searched by doubling as long as it rises.
bool ssi_search_ray(ssi_search *s) {
  double factor = 1, best = s->f.low;
  ssi_conic_multiply(s->c, s->f.x, s->g);
  s->x_size = size_of(s, s->f.x);
  for (double next = 2; next < 0x1p60; next *= 2) {
    double margin = margin_along(s, next);
    if (!(margin > best)) break;
    best = margin;
    factor = next;
  }
  if (factor == 1) return false;
  for (int j = 0; j < s->c->n; j++) s->f.x[j] *= factor;
  s->f.low = best;
  return true;
}

// ---- the interior point --------------------------------------------------------------------

typedef struct track {  // of the iterates
  double best;          // badness of the z and the x that are kept
  double *z, *x;        // (m), (n)
  double low, high;     // of these two
  int idle;
  double gap;    // smallest so far
  double tried;  // how well balanced, over its value, the z was that was offered last
} track;

static void look_at(ssi_search *s, track *t) {
  ssi_hsd *h = &s->hsd;
  double low_before = s->f.low;
  for (int j = 0; j < s->c->n; j++) s->step[j] = h->x[j] / h->tau;
  ssi_search_offer_velocity(s, s->step, "interior_point");
  if (h->sigma > 0) ssi_search_offer_direction(s, h->x, "interior_point");
  double high = ssi_hsd_high(h), balanced = ssi_hsd_equilibrium(h);
  double apart = fabs(high - s->f.low) / fmax(1, fabs(high));
  double bad = fmax(balanced, apart);
  // the duality gap in units of sigma; once it is rounding, only evidence counts as progress
  bool open = h->gap > 1e-12 * h->tau * h->tau;
  bool better = bad < 0.9 * t->best;
  if (t->best >= CONVERGED || s->verdict_only)
    better = better || s->f.low > low_before + 1e-3 * apart || (open && h->gap < 0.9 * t->gap);
  t->idle = better ? 0 : t->idle + 1;
  t->gap = fmin(t->gap, h->gap);
  if (bad < t->best) {
    memcpy(t->z, h->z, sizeof(double) * (size_t)s->c->m);
    memcpy(t->x, s->f.x, sizeof(double) * (size_t)s->c->n);
    t->low = s->f.low, t->high = high;
    t->best = bad;
  }
}

// A jamming mode is mended by factorisations of its own: tried where it is balanced well enough to hope
// for it, and again when it is a hundred times better.
static bool verdict_seen(ssi_search *s, track *t) {
  if (!s->verdict_only) return false;
  if (s->f.low >= 0) return true;
  double high = ssi_hsd_high(&s->hsd), left = ssi_hsd_equilibrium(&s->hsd) / fabs(high);
  if (!(high < -10 * s->tol && left < 1e-9 && left < 0.01 * t->tried)) return false;
  t->tried = left;
  ssi_search_offer_jamming(s, t->z, "interior_point");
  return ssi_search_decided(s);
}

static bool asked_to_stop(ssi_search *s) {
  if (s->progress &&
      s->progress(s->user, s->hsd.iterations, s->unit * s->f.low, s->unit * ssi_hsd_high(&s->hsd)))
    s->cancelled = true;
  return s->cancelled || ssi_search_late(s);
}

static void run_interior_point(ssi_search *s, track *t) {
  ssi_hsd_begin(&s->hsd);
  t->best = t->gap = t->tried = INFINITY;
  while (s->hsd.iterations < s->max_iter && ssi_hsd_iterate(&s->hsd)) {
    look_at(s, t);
    if (s->f.infinite || t->best < (s->c->basis ? CLOSED : CLOSED_LARGE) || t->idle > PATIENCE)
      break;
    if (verdict_seen(s, t) || asked_to_stop(s)) break;
  }
  s->f.iterations = s->hsd.iterations;
}

// Without a basis rounding may have filled x with what A does not see. x' = (A^T A)^-1 A^T A x has the same
// A x and is as short as can be.
static void tidy(ssi_search *s) {
  ssi_hsd *h = &s->hsd;
  int dim = s->c->dim;
  for (int j = 0; j < s->c->n; j++) s->step[j] = h->x[j] / h->tau;
  ssi_conic_multiply(s->c, s->step, s->y);
  if (s->late || s->c->basis || size_of(s, s->step) <= 1e3 * ssi_conic_largest(s->c, s->y)) return;
  double *F = ssi_normal_roots(s->normal);
  for (int64_t k = 0; k < (int64_t)dim * s->c->m; k++) F[k] = k % (dim * dim) % (dim + 1) == 0;
  if (!ssi_normal_factor(s->normal)) return;
  ssi_normal_aim(s->normal, 0);
  ssi_conic_multiply(s->c, s->step, s->t);
  ssi_normal_solve(s->normal, s->t, s->step);
  ssi_search_offer_velocity(s, s->step, "interior_point");
}

static void finish(ssi_search *s, const track *t) {
  if (s->f.infinite) return;
  tidy(s);
  if (isfinite(t->best)) ssi_search_offer_jamming(s, t->z, "interior_point");
  // Where rounding ends the search it may have followed errors of A to great speeds: the pair that had closed stands.
  bool overshot =
      t->best < CONVERGED && !s->f.rest && s->f.low > t->high + 1e-6 * fmax(1, fabs(t->high));
  if (overshot) {
    memcpy(s->f.x, t->x, sizeof(double) * (size_t)s->c->n);
    s->f.low = t->low;
    ssi_conic_multiply(s->c, t->x, s->y);
    for (int j = 0; j < s->c->m; j++) s->y[j] += s->c->q[j];
    s->f.speed = ssi_conic_largest(s->c, s->y);
  }
  double apart = s->f.high - s->f.low, size = fmax(1, fabs(s->f.high));
  if (!s->f.rest && !overshot && s->c->dim == 3 && !(apart <= 1e-9 * size)) ssi_search_ray(s);
  s->f.closed = fabs(s->f.high - s->f.low) <= 1e-7 * size;
  if (!s->f.rest) s->f.path = "interior_point";
}

// ---- all of it -----------------------------------------------------------------------------

static bool take(ssi_arena *arena, ssi_search *s, track *t) {
  const ssi_conic *c = s->c;
  double **rows[] = {&s->y, &s->g, &s->t, &s->f.z, &t->z};
  double **columns[] = {&s->step, &s->bn, &s->f.x, &s->f.d, &t->x};
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) *rows[k] = SSI_TAKE(arena, c->m, double);
  for (size_t k = 0; k < sizeof columns / sizeof *columns; k++)
    *columns[k] = SSI_TAKE(arena, c->n, double);
  s->f.low = -INFINITY;
  s->f.high = INFINITY;
  s->f.path = "standstill";
  return !arena->failed;
}

ss_error ssi_search_run(ssi_arena *arena, ssi_search *s) {
  track t = {0};
  if (!take(arena, s, &t)) return SS_ERR_MEMORY;
  SS_TRY(ssi_normal_create(s->ctx, s->c, &s->normal));
  if (!ssi_hsd_create(arena, s->c, s->normal, &s->hsd)) return SS_ERR_MEMORY;
  if (s->work_left < 40 * ssi_normal_flops(s->normal)) s->verdict_only = true;
  ssi_search_quick(s);
  if (ssi_search_decided(s) || ssi_search_late(s)) return SS_OK;
  run_interior_point(s, &t);
  finish(s, &t);
  return SS_OK;
}

void ssi_search_release(ssi_search *s) {
  ssi_normal_destroy(s->normal);
}
