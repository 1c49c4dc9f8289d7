// The ways that come before the interior point. One factorisation of A^T A serves them all:
//
//   rest            min |A x + q|: zero where everything external moves as one rigid body, or not at all
//   least_squares   min |A d - e|: zero where H has full row rank; else d may still point inside
//   projection      alternating projections on Im A and on a translated cone,
//                     y <- P_Im( t + P_Q(y - t) ),  t = e (directions) or  t = s0 e - q (velocities)
//                   where the two sets do not meet, P_Q(t - y) tends to a jamming mode
#include <math.h>
#include <string.h>

#include "certify/search.h"
#include "cone/friction.h"

enum { PROJECTIONS = 12, REFINEMENTS = 2 };
static const double AT_REST = 1e-11;      // |A x + q|, of the unit
static const double RELAXATION = 1.6;     // of the projection on the cone
static const double FIRST_MARGIN = 1e-3;  // s0

// x with A x nearest to b
static void fit(ssi_search *s, const double *b, double *x) {
  ssi_normal_solve(s->normal, b, x);
}

static bool try_rest(ssi_search *s) {
  for (int j = 0; j < s->c->m; j++) s->t[j] = -s->c->q[j];
  fit(s, s->t, s->step);
  for (int pass = 0; pass <= REFINEMENTS; pass++) {
    ssi_conic_multiply(s->c, s->step, s->y);
    for (int j = 0; j < s->c->m; j++) s->y[j] += s->c->q[j], s->t[j] = -s->y[j];
    if (pass == REFINEMENTS) break;
    fit(s, s->t, s->bn);
    for (int j = 0; j < s->c->n; j++) s->step[j] += s->bn[j];
  }
  ssi_search_offer_velocity(s, s->step, "least_squares");
  if (!(ssi_conic_largest(s->c, s->y) <= AT_REST)) return false;
  s->f.rest = true;
  memcpy(s->f.x, s->step, sizeof(double) * (size_t)s->c->n);
  s->f.low = ssi_conic_margin(s->c, s->y);
  s->f.path = "rest";
  return true;
}

static bool try_direction(ssi_search *s) {
  for (int j = 0; j < s->c->m; j++) s->t[j] = j % s->c->dim ? 0 : s->c->e[j / s->c->dim];
  fit(s, s->t, s->step);
  return ssi_search_offer_direction(s, s->step, "least_squares");
}

// y - t to the nearest point of Q, contact by contact: g = P_Q(y - t)
static void project(const ssi_search *s, const double *y, const double *t, double *g) {
  int dim = s->c->dim;
  for (int64_t i = 0; i < s->c->nc; i++) {
    double *gi = g + dim * i;
    for (int k = 0; k < dim; k++) gi[k] = y[dim * i + k] - t[dim * i + k];
    ssi_project(dim, 1, gi);
  }
}

// Mending a mode costs factorisations: only where s->y has A^T y small beside q.y < 0.
static bool nearly_balanced(ssi_search *s) {
  double value = 0, most = 0;
  ssi_conic_multiply_transposed(s->c, s->y, s->bn);
  for (int j = 0; j < s->c->n; j++) most = fmax(most, fabs(s->bn[j]));
  for (int j = 0; j < s->c->m; j++) value += s->c->q[j] * s->y[j];
  return most < -1e-3 * value;
}

// Alternates from x = s->step; `velocity`: t = s0 e - q, otherwise t = e.
static bool alternate(ssi_search *s, bool velocity) {
  int m = s->c->m, dim = s->c->dim;
  double first = velocity ? FIRST_MARGIN : 1;
  for (int j = 0; j < m; j++)
    s->t[j] = (j % dim ? 0 : first * s->c->e[j / dim]) - (velocity ? s->c->q[j] : 0);
  fit(s, s->t, s->step);
  for (int pass = 0; pass < PROJECTIONS && !ssi_search_late(s); pass++) {
    ssi_conic_multiply(s->c, s->step, s->y);
    project(s, s->y, s->t, s->g);
    for (int j = 0; j < m; j++)  // relaxed
      s->g[j] = s->y[j] + RELAXATION * (s->g[j] + s->t[j] - s->y[j]);
    fit(s, s->g, s->step);
    if (velocity)
      ssi_search_offer_velocity(s, s->step, "projection");
    else
      ssi_search_offer_direction(s, s->step, "projection");
    if (s->f.infinite || (velocity && ssi_search_decided(s))) return true;
  }
  if (!velocity) return false;
  ssi_conic_multiply(s->c, s->step, s->y);
  for (int j = 0; j < m; j++) s->g[j] = 2 * s->t[j] - s->y[j];
  project(s, s->g, s->t, s->y);  // P_Q(t - y)
  return nearly_balanced(s) && ssi_search_offer_jamming(s, s->y, "projection") &&
         ssi_search_decided(s);
}

bool ssi_search_quick(ssi_search *s) {
  int dim = s->c->dim;
  double *F = ssi_normal_roots(s->normal);
  for (int64_t i = 0; i < s->c->nc; i++)
    for (int k = 0; k < dim * dim; k++) F[dim * dim * i + k] = k % (dim + 1) == 0;
  memset(s->step, 0, sizeof(double) * (size_t)s->c->n);
  ssi_search_offer_velocity(s, s->step, "standstill");
  if (ssi_search_late(s) || !ssi_normal_factor(s->normal)) return false;
  ssi_normal_aim(s->normal, 0);
  try_rest(s);
  ssi_normal_aim(s->normal, 1e-3);  // directions need no digits
  if (try_direction(s) || ssi_search_decided(s)) return true;
  if (alternate(s, false)) return true;
  return s->verdict_only && !ssi_search_decided(s) && alternate(s, true);
}
