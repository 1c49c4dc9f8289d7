// (59) of [Agw20] by a scan over the directions of the reactions ("Opt-Def" there), one or two contacts.
//
//     c = inf max_p sgn(u_T) r_T / |(g r_N, r_T)|  over  u = W r, u_N = 0,     mu = c / sqrt(1 - c^2)          (1)
//
// with p over the contacts where r != 0 and u_T != 0. Of the directions of two reactions one is free: when the first
// is r_1 = rho (cos phi, sin phi), the two equations u_N = 0 leave (rho, r_2) on a line,
//
//     (rho, r_2N, r_2T)  along  row_1 x row_2,     row_i = (W_i1 (cos phi, sin phi), W_i,2N, W_i,2T),  i normal    (2)
//
// and one contact has no choice at all. phi goes over half a turn (r and -r are one mode) step by step; then the grid is
// made finer around each of its smallest values, and where u_T of a contact changes its sign, so that this contact
// sticks and drops out of the maximum, that point is looked for by bisection.
#include <math.h>

#include "analysis/published.h"

static const double PI = 3.14159265358979323846;

typedef struct mode {
  double r[4], ut[2];
  double value;  // of (1)
} mode;

static double share(const ssi_critical_part *p, const mode *m, int i) {
  double rn = p->g[i] * m->r[2 * i], rt = m->r[2 * i + 1], length = hypot(rn, rt);
  if (!(length > 0) || m->ut[i] == 0) return -INFINITY;
  return copysign(1, m->ut[i]) * rt / length;
}

// sticks: a contact whose u_T counts as zero; -1: none.
static void evaluate(const ssi_critical_part *p, double phi, int sticks, mode *m) {
  const double *W = p->W;
  int N = 2 * p->n;
  *m = (mode){.value = -INFINITY};
  if (p->n == 1) {
    m->r[0] = -W[1], m->r[1] = W[0];
  } else {
    double c = cos(phi), s = sin(phi);
    const double a[3] = {W[0] * c + W[1] * s, W[2], W[3]};
    const double b[3] = {W[2 * N] * c + W[2 * N + 1] * s, W[2 * N + 2], W[2 * N + 3]};
    double rho = a[1] * b[2] - a[2] * b[1];  // (2)
    m->r[0] = rho * c, m->r[1] = rho * s;
    m->r[2] = a[2] * b[0] - a[0] * b[2], m->r[3] = a[0] * b[1] - a[1] * b[0];
  }
  for (int i = 0; i < p->n; i++) {
    for (int j = 0; j < N; j++) m->ut[i] += W[(2 * i + 1) * N + j] * m->r[j];
    if (i == sticks) m->ut[i] = 0;
  }
  for (int i = 0; i < p->n; i++) m->value = fmax(m->value, share(p, m, i));
  if (isinf(m->value)) m->value = INFINITY;  // nothing moves: no mode
}

typedef struct direction_scan {
  const ssi_critical_part *p;
  mode best;
} direction_scan;

static double keep(direction_scan *s, double phi, int sticks) {
  mode m;
  evaluate(s->p, phi, sticks, &m);
  if (m.value < s->best.value) s->best = m;
  return m.value;
}

// Between a and b contact i changes the way it slips: the point where it sticks.
static void find_stick(direction_scan *s, int i, double a, double b) {
  mode m;
  evaluate(s->p, a, -1, &m);
  bool below = m.ut[i] < 0;
  for (int k = 0; k < 60; k++) {
    double middle = (a + b) / 2;
    evaluate(s->p, middle, -1, &m);
    if ((m.ut[i] < 0) == below)
      a = middle;
    else
      b = middle;
  }
  keep(s, a, i);
}

enum { FINER = 20 };

// The grid around phi made finer until it cannot be.
static void refine(direction_scan *s, double phi, double step) {
  while (step > 1e-15) {
    double at = phi, least = keep(s, phi, -1);
    for (int k = -FINER; k <= FINER; k++) {
      double here = phi + k * step / FINER, value = keep(s, here, -1);
      if (value < least) least = value, at = here;
    }
    phi = at, step *= 2.0 / FINER;
  }
}

static double friction(double c) {
  return c < 1 ? fmax(c, 0) / sqrt((1 - c) * (1 + c)) : INFINITY;
}

void ssi_published_scan(const ssi_critical_part *p, double step_deg, ssi_scan *out) {
  direction_scan s = {.p = p, .best = {.value = INFINITY}};
  int count = p->n == 1 ? 1 : (int)fmax(4, ceil(180 / step_deg));
  double step = PI / count;
  mode before, now, after;
  for (int k = 0; k < count; k++) keep(&s, k * step, -1);
  out->mu_grid = friction(s.best.value);
  for (int k = 0; p->n == 2 && k < count; k++) {
    evaluate(p, (k - 1) * step, -1, &before);
    evaluate(p, k * step, -1, &now);
    evaluate(p, (k + 1) * step, -1, &after);
    for (int i = 0; i < 2; i++)
      if (now.ut[i] * after.ut[i] < 0) find_stick(&s, i, k * step, (k + 1) * step);
    if (now.value <= before.value && now.value <= after.value) refine(&s, k * step, step);
  }
  out->mu = friction(s.best.value);
  for (int i = 0; i < 2; i++)
    out->angle[i] = i < p->n ? atan2(s.best.r[2 * i + 1], s.best.r[2 * i]) * 180 / PI : NAN;
}
