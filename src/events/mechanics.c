#include "events/mechanics.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "cone/friction.h"
#include "la/lapack.h"

static const double WEAK = 1e-12;  // smallest over largest pivot of (1): less is singular
static const double RANK = 1e-10;  // parts of the largest diagonal of R that count, where it is
static const double LEAST =
    1e-9;  // of the largest normal force: what a contact bears at least, as a weight

bool ssi_mechanics_take(ssi_arena *arena, ss_context *ctx, const ss_mechanism *m,
                        ssi_mechanics *out) {
  size_t n = (size_t)m->nv, contact = (size_t)m->dim * (size_t)m->nc,
         rows = contact + (size_t)m->nl;
  *out = (ssi_mechanics){.m = m, .ctx = ctx, .rows = (int)contact, .all = (int)rows};
  out->M = SSI_TAKE(arena, n * n, double), out->L = SSI_TAKE(arena, n * n, double);
  out->F = SSI_TAKE(arena, m->nq > m->nv ? m->nq : m->nv, double),
  out->a = SSI_TAKE(arena, n, double);
  out->H = SSI_TAKE(arena, rows * n, double), out->w = SSI_TAKE(arena, rows, double);
  out->b = SSI_TAKE(arena, rows, double), out->gap = SSI_TAKE(arena, m->nc, double);
  out->apart = SSI_TAKE(arena, m->nl, double);
  out->slip = SSI_TAKE(arena, rows, double), out->r = SSI_TAKE(arena, rows, double);
  out->row = SSI_TAKE(arena, rows, int);
  out->A = SSI_TAKE(arena, rows * n, double), out->D = SSI_TAKE(arena, rows * n, double);
  out->S = SSI_TAKE(arena, rows * rows, double), out->S0 = SSI_TAKE(arena, rows * rows, double);
  out->x = SSI_TAKE(arena, rows, double);
  out->rhs = SSI_TAKE(arena, rows, double), out->weight = SSI_TAKE(arena, rows, double);
  out->pivots = SSI_TAKE(arena, rows, int);
  return !arena->failed;
}

bool ssi_modes_take(ssi_arena *arena, const ss_mechanism *m, ssi_modes *out) {
  out->mode = SSI_TAKE(arena, m->nc, ss_mode);
  out->lead = SSI_TAKE(arena, m->nc * (m->dim - 1), double);
  out->sure = SSI_TAKE(arena, m->nc, bool);
  out->gauge = SSI_TAKE(arena, m->nc * m->dim + m->nl, double);
  return !arena->failed;
}

void ssi_modes_copy(const ss_mechanism *m, const ssi_modes *from, ssi_modes *to) {
  if (!m->nc) return;
  memcpy(to->mode, from->mode, sizeof *to->mode * (size_t)m->nc);
  memcpy(to->sure, from->sure, sizeof *to->sure * (size_t)m->nc);
  memcpy(to->lead, from->lead, sizeof *to->lead * (size_t)(m->nc * (m->dim - 1)));
  memcpy(to->gauge, from->gauge, sizeof *to->gauge * (size_t)(m->nc * m->dim));
}

// ---- the mechanism's functions ----------------------------------------------------------------

static double dot(int n, const double *x, const double *y) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += x[i] * y[i];
  return sum;
}

static ss_error not_finite(const ssi_mechanics *x, const char *what, double t) {
  return ssi_fail(x->ctx, SS_ERR_DATA, "%s: %s is not finite at t = %.17g", x->m->name, what, t);
}

static bool finite(size_t n, const double *x) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += 0 * x[i];
  return sum == 0;
}

static ss_error factor(ssi_mechanics *x, double t) {
  int n = x->m->nv;
  memcpy(x->L, x->M, sizeof *x->L * (size_t)n * (size_t)n);
  lapack_int at = LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', n, x->L, n);
  if (at)
    return ssi_fail(x->ctx, SS_ERR_DATA,
                    "%s: the mass matrix is not positive definite at t = %g (its leading block of "
                    "size %d)",
                    x->m->name, t, (int)at);
  x->factored = !x->m->mass_varies;
  return SS_OK;
}

static ss_error joints_at(ssi_mechanics *x, double t, const double *q, const double *v) {
  const ss_mechanism *m = x->m;
  size_t n = (size_t)m->nv, first = (size_t)x->rows, count = (size_t)m->nl;
  memset(x->apart, 0, sizeof *x->apart * count);
  SS_TRY(m->joints(m->user, t, q, x->apart, x->H + first * n, x->w + first));
  if (m->joint_drift) SS_TRY(m->joint_drift(m->user, t, q, v, x->b + first));
  if (!finite(count, x->apart) || !finite(count * n, x->H + first * n) ||
      !finite(count, x->w + first) || !finite(count, x->b + first))
    return not_finite(x, "a joint or one of its derivatives", t);
  return SS_OK;
}

static ss_error contacts_at(ssi_mechanics *x, double t, const double *q, const double *v) {
  const ss_mechanism *m = x->m;
  size_t n = (size_t)m->nv, rows = (size_t)x->rows;
  SS_TRY(m->gap(m->user, t, q, x->gap));
  SS_TRY(m->frames(m->user, t, q, x->H, x->w));
  if (m->drift) SS_TRY(m->drift(m->user, t, q, v, x->b));
  if (!finite((size_t)m->nc, x->gap) || !finite(rows * n, x->H) || !finite(rows, x->w) ||
      !finite(rows, x->b))
    return not_finite(x, "a gap or one of its derivatives", t);
  return SS_OK;
}

static void set_slip(ssi_mechanics *x, const double *v) {
  size_t n = (size_t)x->m->nv;
  for (int i = 0; i < x->all; i++) x->slip[i] = dot((int)n, x->H + n * (size_t)i, v) + x->w[i];
}

ss_error ssi_mechanics_at(ssi_mechanics *x, double t, const double *q, const double *v) {
  const ss_mechanism *m = x->m;
  size_t n = (size_t)m->nv, rows = (size_t)x->all;
  if (!x->factored) {
    SS_TRY(m->mass(m->user, t, q, x->M));
    if (!finite(n * n, x->M)) return not_finite(x, "the mass matrix", t);
    SS_TRY(factor(x, t));
  }
  SS_TRY(m->force(m->user, t, q, v, x->F));
  if (!finite(n, x->F)) return not_finite(x, "the force", t);
  if (rows == 0) return SS_OK;
  memset(x->H, 0, sizeof *x->H * rows * n);
  memset(x->w, 0, sizeof *x->w * rows);
  memset(x->b, 0, sizeof *x->b * rows);
  if (m->nc) SS_TRY(contacts_at(x, t, q, v));
  if (m->nl) SS_TRY(joints_at(x, t, q, v));
  set_slip(x, v);
  return SS_OK;
}

void ssi_mechanics_divide(const ssi_mechanics *x, int count, double *y) {
  int n = x->m->nv;
  if (count) LAPACKE_dpotrs_work(LAPACK_COL_MAJOR, 'L', n, count, x->L, n, y, n);
}

double ssi_mechanics_kinetic(const ssi_mechanics *x, const double *v) {
  double sum = 0;
  int n = x->m->nv;
  for (int i = 0; i < n; i++) sum += v[i] * dot(n, x->M + (size_t)i * (size_t)n, v);
  return sum / 2;
}

double ssi_mechanics_joint_speed(const ssi_mechanics *x, const double *v, double *terms) {
  double most = 0;
  *terms = 0;
  for (int i = x->rows; i < x->all; i++) {
    double sum = fabs(x->w[i]);
    for (int j = 0; j < x->m->nv; j++) sum += fabs(x->H[i * x->m->nv + j] * v[j]);
    most = fmax(most, fabs(x->slip[i])), *terms = fmax(*terms, sum);
  }
  return most;
}

// ---- accelerations and forces in a mode ---------------------------------------------------------

static bool slips(ss_mode m) {
  return m == SS_MODE_SLIP || m == SS_MODE_SLIP_BACK;
}

// Slip along its lead, space.
static double along_lead(const ssi_mechanics *x, const ssi_modes *modes, int i) {
  return x->slip[3 * i + 1] * modes->lead[2 * i] + x->slip[3 * i + 2] * modes->lead[2 * i + 1];
}

double ssi_mechanics_led_below(const ssi_mechanics *x, const ssi_modes *modes, int i) {
  return modes->sure[i] ? x->still / 4 : x->still;
}

void ssi_mechanics_direction(const ssi_mechanics *x, const ssi_modes *modes, int i, double *s) {
  if (x->m->dim == 2) {
    s[0] = modes->mode[i] == SS_MODE_SLIP_BACK ? -1 : 1;
    return;
  }
  // slip that has come to its end would turn about: the lead carries it smoothly past that event
  bool leads = along_lead(x, modes, i) <= ssi_mechanics_led_below(x, modes, i);
  const double *slip = x->slip + 3 * i;
  double size = ssi_tangent_norm(3, slip);
  for (int k = 0; k < 2; k++) s[k] = leads ? modes->lead[2 * i + k] : slip[1 + k] / size;
}

void ssi_mechanics_lead(const ssi_mechanics *x, ssi_modes *modes) {
  for (int i = 0; i < x->m->nc && x->m->dim == 3; i++) {
    const double *slip = x->slip + 3 * i;
    double size = ssi_tangent_norm(3, slip);
    if (modes->mode[i] != SS_MODE_SLIP || !(size > ssi_mechanics_led_below(x, modes, i))) continue;
    modes->sure[i] = true;
    for (int k = 0; k < 2; k++) modes->lead[2 * i + k] = slip[1 + k] / size;
  }
}

static void hold(ssi_mechanics *x, int row) {
  int n = x->m->nv;
  memcpy(x->A + (size_t)x->held * (size_t)n, x->H + (size_t)row * (size_t)n,
         sizeof(double) * (size_t)n);
  memcpy(x->D + (size_t)x->held * (size_t)n, x->H + (size_t)row * (size_t)n,
         sizeof(double) * (size_t)n);
  x->row[x->held++] = row;
}

// A, and D with `drag`.
static void collect(ssi_mechanics *x, const ssi_modes *modes, bool drag) {
  int d = x->m->dim, n = x->m->nv;
  x->held = 0;
  for (int i = x->rows; i < x->all; i++) hold(x, i);
  for (int i = 0; i < x->m->nc; i++) {
    double s[2];
    if (modes->mode[i] == SS_MODE_FREE) continue;
    hold(x, d * i);
    double *D = x->D + (size_t)(x->held - 1) * (size_t)n;
    if (modes->mode[i] == SS_MODE_STICK)
      for (int k = 1; k < d; k++) hold(x, d * i + k);
    if (!slips(modes->mode[i]) || !drag) continue;
    ssi_mechanics_direction(x, modes, i, s);
    for (int k = 1; k < d; k++)
      for (int j = 0; j < n; j++) D[j] -= x->m->mu[i] * s[k - 1] * x->H[(d * i + k) * n + j];
  }
}

// Where S is singular: x = g + E (S E)^+ (rhs - S g) with E = diag(c)^(1/2), which makes sum (x_i - g_i)^2 / c_i least.
// rhs in x->rhs.
static ss_error solve_least(ssi_mechanics *x, const double *gauge, const double *c) {
  int k = x->held;
  lapack_int rank;
  for (int i = 0; i < k; i++) {
    x->x[i] = x->rhs[i];
    for (int j = 0; j < k; j++) {
      x->S[j * k + i] = x->S0[j * k + i] * sqrt(c[j]);
      if (gauge) x->x[i] -= x->S0[j * k + i] * gauge[x->row[j]];
    }
  }
  memset(x->pivots, 0, sizeof *x->pivots * (size_t)k);  // any column may come first
  ss_error e = ssi_lapack_error(LAPACKE_dgelsy(LAPACK_COL_MAJOR, k, k, 1, x->S, k, x->x, k,
                                               (lapack_int *)x->pivots, RANK, &rank));
  if (e)
    return ssi_fail(x->ctx, e, "%s: contact forces cannot be computed%s", x->m->name,
                    e == SS_ERR_MEMORY ? ": no memory" : "");
  for (int i = 0; i < k; i++) {
    x->x[i] *= sqrt(c[i]);
    if (gauge) x->x[i] += gauge[x->row[i]];
  }
  return SS_OK;
}

// Forces that are not unique. First with equal weights, for the normal forces; then with c = mu r_N for tangents, as
// feet that stick together share a load by what each can bear, and reach their limits together. Joints bear anything.
static ss_error solve_shared(ssi_mechanics *x, const double *gauge) {
  int k = x->held, d = x->m->dim, normal = 0;
  double most = 0;
  for (int i = 0; i < k; i++) x->weight[i] = 1;
  SS_TRY(solve_least(x, gauge, x->weight));
  for (int i = 0; i < k; i++)
    if (x->row[i] < x->rows) most = fmax(most, x->x[i]);
  if (!(most > 0)) return SS_OK;
  for (int i = 0; i < k; i++) {
    if (x->row[i] >= x->rows) {
      x->weight[i] = most;
      continue;
    }
    if (x->row[i] % d == 0) normal = i;  // rows of a contact follow its normal
    double force = fmax(x->x[normal], LEAST * most);
    x->weight[i] =
        i == normal ? force : fmax(ssi_static_friction(x->m, x->row[i] / d), 1e-6) * force;
  }
  return solve_least(x, gauge, x->weight);
}

// S x = rhs (in x->x); S = A M^-1 D^T with D already divided.
static ss_error solve_held(ssi_mechanics *x, const double *gauge) {
  int k = x->held, n = x->m->nv;
  for (int j = 0; j < k; j++)
    for (int i = 0; i < k; i++) x->S[j * k + i] = dot(n, x->A + i * n, x->D + j * n);
  memcpy(x->S0, x->S, sizeof *x->S * (size_t)(k * k));
  memcpy(x->rhs, x->x, sizeof *x->x * (size_t)k);
  lapack_int info =
      LAPACKE_dgesv_work(LAPACK_COL_MAJOR, k, 1, x->S, k, (lapack_int *)x->pivots, x->x, k);
  double low = INFINITY, high = 0;
  for (int i = 0; i < k; i++) {
    low = fmin(low, fabs(x->S[i * k + i]));
    high = fmax(high, fabs(x->S[i * k + i]));
  }
  x->singular = info > 0 || !(low > WEAK * high);
  return x->singular ? solve_shared(x, gauge) : SS_OK;
}

static void spread_forces(ssi_mechanics *x, const ssi_modes *modes) {
  int d = x->m->dim;
  memset(x->r, 0, sizeof *x->r * (size_t)x->all);
  for (int k = 0; k < x->held; k++) x->r[x->row[k]] = x->x[k];
  for (int i = 0; i < x->m->nc; i++) {
    double s[2];
    if (!slips(modes->mode[i])) continue;
    ssi_mechanics_direction(x, modes, i, s);
    for (int k = 1; k < d; k++) x->r[d * i + k] = -x->m->mu[i] * s[k - 1] * x->r[d * i];
  }
}

ss_error ssi_mechanics_solve(ssi_mechanics *x, const ssi_modes *modes) {
  int n = x->m->nv;
  memcpy(x->a, x->F, sizeof *x->a * (size_t)n);
  ssi_mechanics_divide(x, 1, x->a);
  x->singular = false;
  if (x->all == 0) return SS_OK;
  collect(x, modes, true);
  if (x->held) {
    ssi_mechanics_divide(x, x->held, x->D);
    for (int k = 0; k < x->held; k++) x->x[k] = -(dot(n, x->A + k * n, x->a) + x->b[x->row[k]]);
    SS_TRY(solve_held(x, modes->gauge));
    for (int k = 0; k < x->held; k++)
      for (int j = 0; j < n; j++) x->a[j] += x->D[k * n + j] * x->x[k];
  }
  spread_forces(x, modes);
  return SS_OK;
}

void ssi_mechanics_guards(const ssi_mechanics *x, const ssi_modes *modes, double *guard) {
  int d = x->m->dim;
  for (int i = 0; i < x->m->nc; i++) {
    const double *r = x->r + d * i, *slip = x->slip + d * i;
    double *g = guard + 2 * i;
    switch (modes->mode[i]) {
    case SS_MODE_FREE:
      g[0] = x->gap[i], g[1] = 1;
      break;
    case SS_MODE_STICK:
      g[0] = r[0], g[1] = ssi_static_friction(x->m, i) * r[0] - ssi_tangent_norm(d, r);
      break;
    default:
      g[0] = r[0], g[1] = 1;
      if (ssi_frictionless(x->m, i)) break;
      g[1] = d == 3 ? along_lead(x, modes, i) - ssi_mechanics_led_below(x, modes, i)
                    : (modes->mode[i] == SS_MODE_SLIP_BACK ? -slip[1] : slip[1]);
    }
  }
}

// ---- projection -----------------------------------------------------------------------------------

// Moves y (velocities) by M^-1 A^T x so that A y changes by -miss, which is in x->x.
static ss_error correct(ssi_mechanics *x, double *change) {
  int n = x->m->nv;
  ssi_mechanics_divide(x, x->held, x->D);
  SS_TRY(solve_held(x, NULL));
  memset(change, 0, sizeof *change * (size_t)n);
  for (int k = 0; k < x->held; k++)
    for (int j = 0; j < n; j++) change[j] -= x->D[k * n + j] * x->x[k];
  return SS_OK;
}

static ss_error close_gaps(ssi_mechanics *x, const ssi_modes *modes, double t, double *q) {
  const ss_mechanism *m = x->m;
  x->held = 0;
  for (int i = x->rows; i < x->all; i++) hold(x, i);
  for (int i = 0; i < m->nc; i++)
    if (modes->mode[i] != SS_MODE_FREE) hold(x, m->dim * i);
  if (!x->held) return SS_OK;
  for (int k = 0; k < x->held; k++)
    x->x[k] = x->row[k] < x->rows ? x->gap[x->row[k] / m->dim] : x->apart[x->row[k] - x->rows];
  SS_TRY(correct(x, x->a));
  if (!m->rate) {
    for (int j = 0; j < m->nq; j++) q[j] += x->a[j];
    return SS_OK;
  }
  SS_TRY(m->rate(m->user, t, q, x->a, x->F));  // F is not needed any more, and has room for nq
  for (int j = 0; j < m->nq; j++) q[j] += x->F[j];
  return SS_OK;
}

ss_error ssi_mechanics_hold(ssi_mechanics *x, const ssi_modes *modes, double t, const double *q,
                            double *v) {
  const ss_mechanism *m = x->m;
  SS_TRY(ssi_mechanics_at(x, t, q, v));
  collect(x, modes, false);
  if (!x->held) return SS_OK;
  for (int k = 0; k < x->held; k++) x->x[k] = x->slip[x->row[k]];
  SS_TRY(correct(x, x->a));
  for (int j = 0; j < m->nv; j++) v[j] += x->a[j];
  set_slip(x, v);
  return SS_OK;
}

ss_error ssi_mechanics_project(ssi_mechanics *x, const ssi_modes *modes, double t, double *q,
                               double *v) {
  if (x->m->normalise) x->m->normalise(x->m->user, q);
  if (x->all == 0) return SS_OK;
  SS_TRY(ssi_mechanics_at(x, t, q, v));
  SS_TRY(close_gaps(x, modes, t, q));
  return ssi_mechanics_hold(x, modes, t, q, v);
}
