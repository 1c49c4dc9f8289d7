#include "analysis/dual_qp.h"

#include <math.h>
#include <string.h>

#include "la/small_cholesky.h"

static const double MARGIN =
    1e-9;  // by which a certificate must be positive, relative to its terms

bool ssi_dual_qp_take(ssi_dual_qp *p, ssi_arena *arena, int n, int count) {
  size_t nn = (size_t)n * (size_t)n;
  *p = (ssi_dual_qp){.room_n = n, .room = count};
  p->Q = SSI_TAKE(arena, nn, double), p->c = SSI_TAKE(arena, n, double);
  p->a = SSI_TAKE(arena, count, double), p->b = SSI_TAKE(arena, (size_t)count * (size_t)n, double);
  p->x = SSI_TAKE(arena, n, double), p->J = SSI_TAKE(arena, nn, double);
  p->R = SSI_TAKE(arena, nn, double), p->d = SSI_TAKE(arena, n, double);
  p->z = SSI_TAKE(arena, n, double), p->r = SSI_TAKE(arena, n, double);
  p->y = SSI_TAKE(arena, n + 1, double), p->norm = SSI_TAKE(arena, count, double);
  p->active = SSI_TAKE(arena, n + 1, int), p->in = SSI_TAKE(arena, count, bool);
  return !arena->failed;
}

bool ssi_dual_qp_factor(ssi_dual_qp *p) {
  // W is scaled to a diagonal of order 1: a smaller pivot is what is left of such numbers, or rounding
  return ssi_cholesky(p->n, p->Q, p->n, 1e-9, 1e-9);
}

// J = L^-T (row-major, upper triangular), x = -Q^-1 c.
static void begin(ssi_dual_qp *p) {
  int n = p->n;
  memset(p->J, 0, sizeof(double) * (size_t)n * (size_t)n);
  for (int j = 0; j < n; j++) {  // row j of L^-T is column j of L^-1
    double *row = p->J + j * n;
    row[j] = 1 / p->Q[j * n + j];
    for (int i = j + 1; i < n; i++) {
      double s = 0;
      for (int k = j; k < i; k++) s -= p->Q[i * n + k] * row[k];
      row[i] = s / p->Q[i * n + i];
    }
  }
  memset(p->d, 0, sizeof(double) * (size_t)n);
  for (int i = 0; i < n; i++)
    for (int j = i; j < n; j++) p->d[j] += p->J[i * n + j] * p->c[i];
  p->value = p->c0;
  for (int i = 0; i < n; i++) {
    double s = 0;
    for (int j = i; j < n; j++) s -= p->J[i * n + j] * p->d[j];
    p->x[i] = s;
    p->value += s * p->c[i] / 2;
  }
  p->active_count = 0;
  for (int k = 0; k < p->count; k++) {
    double s = 0;
    for (int i = 0; i < n; i++) s += p->b[k * n + i] * p->b[k * n + i];
    p->norm[k] = sqrt(s);
    p->in[k] = false;
  }
}

static double gap(const ssi_dual_qp *p, int k) {
  double s = p->a[k];
  for (int i = 0; i < p->n; i++) s += p->b[k * p->n + i] * p->x[i];
  return s;
}

// The most violated inequality; -1: none, to rounding.
static int most_violated(const ssi_dual_qp *p) {
  double worst = -p->violated;
  int found = -1;
  for (int k = 0; k < p->count; k++) {
    if (p->in[k]) continue;
    double g = gap(p, k) / (fabs(p->a[k]) + p->norm[k] + 1e-300);
    if (g < worst) worst = g, found = k;
  }
  return found;
}

// d = J^T b_k;  z = J_2 d_2: primal direction;  r = R^-1 d_1: dual direction.
static void directions(ssi_dual_qp *p, int k) {
  int n = p->n, q = p->active_count;
  const double *b = p->b + k * n;
  memset(p->d, 0, sizeof(double) * (size_t)n);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) p->d[j] += p->J[i * n + j] * b[i];
  for (int i = 0; i < n; i++) {
    double s = 0;
    for (int j = q; j < n; j++) s += p->J[i * n + j] * p->d[j];
    p->z[i] = s;
  }
  for (int i = q - 1; i >= 0; i--) {
    double s = p->d[i];
    for (int j = i + 1; j < q; j++) s -= p->R[i * n + j] * p->r[j];
    p->r[i] = s / p->R[i * n + i];
  }
}

static void rotate_columns(ssi_dual_qp *p, int a, int b, double c, double s) {
  int n = p->n;
  for (int i = 0; i < n; i++) {
    double x = p->J[i * n + a], y = p->J[i * n + b];
    p->J[i * n + a] = c * x + s * y;
    p->J[i * n + b] = c * y - s * x;
  }
}

// Inequality k becomes active: d_2 is turned onto its first component. false: dependent.
static bool add(ssi_dual_qp *p, int k) {
  int n = p->n, q = p->active_count;
  for (int j = n - 1; j > q; j--) {
    double x = p->d[j - 1], y = p->d[j], h = sqrt(x * x + y * y);
    if (y == 0) continue;
    rotate_columns(p, j - 1, j, x / h, y / h);
    p->d[j - 1] = h, p->d[j] = 0;
  }
  for (int i = 0; i <= q; i++) p->R[i * n + q] = p->d[i];
  p->active[q] = k;
  p->in[k] = true;
  p->active_count++;
  return fabs(p->d[q]) > 1e-12 * p->norm[k];
}

static void drop(ssi_dual_qp *p, int place) {
  int n = p->n, q = p->active_count;
  p->in[p->active[place]] = false;
  for (int j = place; j + 1 < q; j++) {
    p->active[j] = p->active[j + 1];
    p->y[j] = p->y[j + 1];
    for (int i = 0; i <= j + 1; i++) p->R[i * n + j] = p->R[i * n + j + 1];
  }
  p->y[q - 1] = p->y[q];  // of the inequality being added
  p->active_count = --q;
  for (int j = place; j < q; j++) {  // R is upper Hessenberg from here
    double x = p->R[j * n + j], y = p->R[(j + 1) * n + j], h = sqrt(x * x + y * y);
    if (y == 0) continue;
    double c = x / h, s = y / h;
    for (int t = j; t < q; t++) {
      double above = p->R[j * n + t], below = p->R[(j + 1) * n + t];
      p->R[j * n + t] = c * above + s * below;
      p->R[(j + 1) * n + t] = c * below - s * above;
    }
    rotate_columns(p, j, j + 1, c, s);
  }
}

// (2) for the multipliers at hand, y[active_count] belonging to k. Stationarity is checked through
// the Cholesky factor, so that what is believed does not rest on the updates of J and R.
static bool is_positive(ssi_dual_qp *p, int k) {
  int n = p->n, q = p->active_count;
  double *w = p->d;
  memcpy(w, p->c, sizeof(double) * (size_t)n);
  double constant = p->c0, size = fabs(p->c0);
  for (int t = 0; t <= q; t++) {
    int which = t < q ? p->active[t] : k;
    double y = t < q || k >= 0 ? p->y[t] : 0;
    if (y <= 0 || which < 0) continue;
    constant -= y * p->a[which];
    size += y * (fabs(p->a[which]) + p->norm[which]);
    for (int i = 0; i < n; i++) w[i] -= y * p->b[which * n + i];
  }
  double quadratic = 0;  // |L^-1 w|^2 / 2
  for (int i = 0; i < n; i++) {
    double s = w[i];
    for (int j = 0; j < i; j++) s -= p->Q[i * n + j] * w[j];
    w[i] = s / p->Q[i * n + i];
    quadratic += w[i] * w[i] / 2;
  }
  return constant - quadratic > MARGIN * (size + quadratic);
}

// b_k = sum r_j b_j over the active ones with r <= 0: then the sum of the gaps with weights 1 and
// -r is a constant, and it is negative.
static bool is_empty(ssi_dual_qp *p, int k) {
  int n = p->n, q = p->active_count;
  double sum = p->a[k], size = fabs(sum) + p->norm[k], rest = 0, terms = 0;
  for (int t = 0; t < q; t++) {
    double weight = fmax(0, -p->r[t]);
    sum += weight * p->a[p->active[t]];
    size += weight * (fabs(p->a[p->active[t]]) + p->norm[p->active[t]]);
  }
  for (int i = 0; i < n; i++) {
    double s = p->b[k * n + i], big = fabs(s);
    for (int t = 0; t < q; t++) {
      double part = fmax(0, -p->r[t]) * p->b[p->active[t] * n + i];
      s += part;
      big += fabs(part);
    }
    rest = fmax(rest, fabs(s));
    terms = fmax(terms, big);
  }
  // rest is multiplied with unknowns of order 1 to 10
  return sum < -p->empty * size && rest <= p->empty / 100 * terms;
}

// Step lengths: to the first multiplier that vanishes, and to the inequality itself.
static double dual_step(const ssi_dual_qp *p, int *place) {
  double t = INFINITY;
  *place = -1;
  for (int j = 0; j < p->active_count; j++)
    if (p->r[j] > 0 && p->y[j] / p->r[j] < t) t = p->y[j] / p->r[j], *place = j;
  return t;
}

// Makes inequality k hold. *done: an answer, or -1 to go on.
static void satisfy(ssi_dual_qp *p, int k, bool bounded, int *done, int *budget) {
  int n = p->n;
  p->y[p->active_count] = 0;
  for (*done = -1; *budget > 0; --*budget) {
    directions(p, k);
    double zb = 0, full = INFINITY, g = gap(p, k);
    for (int i = 0; i < n; i++) zb += p->z[i] * p->b[k * n + i];
    bool moves = p->active_count < n && zb > 1e-13 * p->norm[k] * p->norm[k];
    if (moves) full = -g / zb;
    int place;
    double t = dual_step(p, &place);
    if (!moves && place < 0) {
      *done = is_empty(p, k) ? SSI_QP_EMPTY : SSI_QP_OPEN;
      return;
    }
    double step = fmin(t, full);
    if (moves) {
      p->value += step * zb * (step / 2 + p->y[p->active_count]);
      for (int i = 0; i < n; i++) p->x[i] += step * p->z[i];
    }
    for (int j = 0; j < p->active_count; j++) p->y[j] -= step * p->r[j];
    p->y[p->active_count] += step;
    double bound = p->value - p->y[p->active_count] * gap(p, k);  // (2)
    if (bounded && bound > 0 && is_positive(p, k)) {
      *done = SSI_QP_POSITIVE;
      return;
    }
    if (full <= t) {
      directions(p, k);
      if (!add(p, k)) *done = SSI_QP_OPEN;
      return;
    }
    drop(p, place);
  }
  *done = SSI_QP_OPEN;
}

static ssi_qp_answer solve(ssi_dual_qp *p, bool bounded) {
  begin(p);
  if (bounded && p->value > 0 && is_positive(p, -1)) return SSI_QP_POSITIVE;
  int budget = 10 * (p->n + p->count) + 20;
  while (budget > 0) {
    int k = most_violated(p), done;
    if (k < 0) return SSI_QP_OPEN;
    satisfy(p, k, bounded, &done, &budget);
    if (done >= 0) return (ssi_qp_answer)done;
  }
  return SSI_QP_OPEN;
}

ssi_qp_answer ssi_dual_qp_solve(ssi_dual_qp *p, bool bounded) {
  p->violated = 1e-10;
  p->empty = 1e-8;
  return solve(p, bounded);
}

ssi_qp_answer ssi_dual_qp_feasible(ssi_dual_qp *p, double least) {
  memset(p->Q, 0, sizeof(double) * (size_t)p->n * (size_t)p->n);
  memset(p->c, 0, sizeof(double) * (size_t)p->n);
  for (int c = 0; c < p->n; c++) p->Q[c * p->n + c] = 1;
  p->c0 = 0;
  p->violated = least / 100;
  p->empty = least / 20;
  return solve(p, false);
}
