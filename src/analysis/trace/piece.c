// Within one pattern: steps, and the place where the pattern ends.
//
// r(p) = -A_s(p)^-1 c_s(p) is a function of p as long as A_s is regular, so p is monotone along a piece, and correcting
// a predicted point is one linear solve at its p. Steps are bounded in arclength, so that they shrink towards an asymptote (A_s singular, r without
// bound), and by what the linear prediction misses.
//
// Where A_s becomes singular and r stays bounded, a vertical piece crosses (vertical.c): a determinant changes its sign between two points.
#include <math.h>
#include <string.h>

#include "analysis/trace/tracer.h"
#include "base/timer.h"
#include "la/vector.h"

static const double MISS = 5e-3;       // what a prediction may miss, relative to the solution
static const double SHORTEST = 1e-12;  // step over the range
static const double IMMEDIATE = 1e-9;  // over the range
static const double ARMED = 1e-8;      // a gap that has been larger than this may become an event
static const double SLACK = 1e-10;     // a gap that has not may be below zero by this

bool ssi_tracer_goes_on(ssi_tracer *t, double p) {
  if (t->stopped) return false;
  ss_trace_progress now = {.branches = (int)t->branch_count,
                           .points = (int)t->points,
                           .parameter = p,
                           .time_s = ssi_now_s() - t->begin_s};
  if (t->points >= t->o->max_points) t->stopped = "max_points";
  if (ssi_time_is_over(t->end_s)) t->stopped = "time_limit";
  if (t->o->progress && t->o->progress(t->o->user, &now)) t->stopped = "cancelled";
  return !t->stopped;
}

static double least_armed(const ssi_tracer *t, const ss_cell_state *states, const double *r,
                          const double *u, const ssi_family_data *d, int *which) {
  double least = INFINITY;
  for (int i = 0; i < t->family.n; i++)
    for (int k = 0; k < ssi_gap_count(states[i]); k++) {
      double g = ssi_gap(states[i], k, d->mu[i], u + 2 * i, r + 2 * i);
      if (t->armed[3 * i + k] && g < least) least = g, *which = 3 * i + k;
    }
  return least;
}

static bool unarmed_fall(const ssi_tracer *t, const ss_cell_state *states, double size) {
  for (int i = 0; i < t->family.n; i++)
    for (int k = 0; k < ssi_gap_count(states[i]); k++)
      if (!t->armed[3 * i + k] && ssi_gap(states[i], k, t->next.mu[i], t->trial_u + 2 * i,
                                          t->trial_r + 2 * i) < -SLACK * size)
        return true;
  return false;
}

static void arm(ssi_tracer *t, const ss_cell_state *states, const ssi_spot *at, double size) {
  for (int i = 0; i < t->family.n; i++)
    for (int k = 0; k < ssi_gap_count(states[i]); k++)
      if (ssi_gap(states[i], k, t->now.mu[i], at->u + 2 * i, at->r + 2 * i) > ARMED * size)
        t->armed[3 * i + k] = true;
}

// The solution of the pattern at p, into trial_r, trial_u.
static ss_error solve_at(ssi_tracer *t, const ss_cell_state *states, double p, bool *regular,
                         ssi_pattern_answer *a) {
  ss_error e = ssi_family_at(&t->family, p, &t->next);
  if (!e) *regular = ssi_pattern_solve(&t->work, &t->next, states, t->trial_r, t->trial_u, a);
  return e;
}

typedef struct stretch {  // of one piece, between a point that holds and one that does not
  const ss_cell_state *states;
  double good, bad;     // p
  double above, below;  // the function there: > 0, <= 0
} stretch;

// One step of the Illinois method: where to look next. kept: how often the same end has stayed.
static double look_between(const stretch *s, int kept) {
  double a = s->above, b = s->below;
  if (kept > 1) a *= ldexp(1, 1 - kept);
  if (kept < -1) b *= ldexp(1, 1 + kept);
  double x = (s->bad * a - s->good * b) / (a - b), width = s->bad - s->good;
  bool inside = (x - s->good) * width > 0 && (s->bad - x) * width > 0;
  return inside && kept > -4 && kept < 4 ? x : s->good + width / 2;
}

// Zero is a place that people mean.
static double tidy(const ssi_tracer *t, double p) {
  bool inside = t->family.from <= 0 && t->family.to >= 0;
  return inside && fabs(p) <= 1e-16 * t->range ? 0 : p;
}

// Newton on  A r + c = 0, gap = 0  in (r, p), from what bracketing left: the event to rounding, also where the piece is
// steep. p stays within the stretch.
static ss_error polish(ssi_tracer *t, const stretch *s, int which, double *p) {
  int m = t->family.m, i = which / 3, k = which % 3;
  ss_cell_state state = s->states[i];
  double *dr = t->F, *du = t->left;
  ssi_pattern_answer a;
  if (!ssi_pattern_solve(&t->work, &t->next, s->states, t->trial_r, t->trial_u, &a)) return SS_OK;
  double g = ssi_gap(state, k, t->next.mu[i], t->trial_u + 2 * i, t->trial_r + 2 * i);
  ss_error e = ssi_family_rate(&t->family, *p, &t->rate);
  if (e) return e;
  ssi_pattern_change(&t->rate, t->family.n, s->states, t->trial_r, dr);
  ssi_pattern_resolve(&t->work, dr, dr);
  for (int l = 0; l < m; l++) dr[l] = -dr[l];
  ssi_pattern_velocity_rate(&t->next, &t->rate, t->family.n, s->states, t->trial_r, dr, du);
  double slope = ssi_gap_rate(state, k, t->next.mu[i], t->rate.mu[i], t->trial_r + 2 * i,
                              du + 2 * i, dr + 2 * i);
  double step = slope != 0 ? -g / slope : 0, most = 4 * fabs(s->bad - s->good) + 1e-14 * t->range;
  if (!(fabs(step) <= most)) return SS_OK;
  *p = tidy(t, fmin(fmax(*p + step, t->family.from), t->family.to));
  for (int l = 0; l < m; l++) t->trial_r[l] += step * dr[l];
  e = ssi_family_at(&t->family, *p, &t->next);
  if (!e) ssi_pattern_velocity(&t->next, t->family.n, s->states, t->trial_r, t->trial_u);
  return e;
}

// The first zero of the smallest gap; leaves the data of that p in t->next and the solution in trial_r, trial_u.
static ss_error locate_event(ssi_tracer *t, stretch s, double *p, ssi_pattern_answer *a) {
  int kept = 0, which = 0;
  bool regular = true;
  double x = s.bad;
  for (int k = 0; k < 200; k++) {
    if (fabs(s.bad - s.good) <= 2e-16 * fmax(fabs(s.good), fabs(s.bad)) + 1e-17 * t->range) break;
    x = look_between(&s, kept);
    ss_error e = solve_at(t, s.states, x, &regular, a);
    if (e) return e;
    double g = regular ? least_armed(t, s.states, t->trial_r, t->trial_u, &t->next, &which) : -1;
    if (g > 0) {
      s.good = x, s.above = g, kept = kept < 0 ? kept - 1 : -1;
    } else {
      s.bad = x, s.below = g, kept = kept > 0 ? kept + 1 : 1;
      if (g == 0) break;
    }
  }
  *p = tidy(t, s.bad);
  ss_error e = solve_at(t, s.states, *p, &regular, a);
  if (e || !regular) return e;
  least_armed(t, s.states, t->trial_r, t->trial_u, &t->next, &which);
  return polish(t, &s, which, p);
}

// Where a determinant changes its sign, by bisection: the signs are all that is known near there.
static ss_error locate_singular(ssi_tracer *t, const stretch *s, uint64_t negative, double *p) {
  double good = s->good, bad = s->bad;
  for (int k = 0; k < 200; k++) {
    double x = good + (bad - good) / 2;
    if (x == good || x == bad) break;
    bool regular;
    ssi_pattern_answer a = {0};
    ss_error e = solve_at(t, s->states, x, &regular, &a);
    if (e) return e;
    if (!regular) return *p = x, SS_OK;
    if (a.negative == negative)
      good = x;
    else
      bad = x;
  }
  *p = tidy(t, bad);
  return SS_OK;
}

typedef struct stepping {
  const ssi_tangent *way;
  double h;           // next step over the range
  double last;        // the step before, 0: none
  bool known;         // the signs of the determinants
  uint64_t negative;  // ssi_pattern_answer
} stepping;

// The asymptote ahead: where 1/|r| goes to zero, then the change of sign of det A_s if it is there.
static ss_error find_limit(ssi_tracer *t, const ss_cell_state *states, const ssi_spot *at, int dp,
                           const stepping *s, double *limit) {
  int m = t->family.m;
  double size = ssi_largest(m, at->r), growth = 0;
  for (int k = 0; k < m; k++)
    if (fabs(at->r[k]) == size) growth = fabs(t->slope[k]);
  *limit = growth > 0 ? at->p + dp * size / growth * t->range : NAN;
  double beyond = at->p + 2 * (*limit - at->p);
  if (!s->known || !(beyond >= t->family.from && beyond <= t->family.to)) return SS_OK;
  bool regular;
  ssi_pattern_answer a = {0};
  ss_error e = solve_at(t, states, beyond, &regular, &a);
  if (e || !regular || a.negative == s->negative) return e;
  return locate_singular(t, &(stretch){.states = states, .good = at->p, .bad = beyond}, s->negative,
                         limit);
}

static void move(ssi_tracer *t, ssi_spot *at, double p) {
  size_t bytes = sizeof *at->r * (size_t)t->family.m;
  memcpy(at->r, t->trial_r, bytes);
  memcpy(at->u, t->trial_u, bytes);
  at->p = p;
}

// How far the trial is from the prediction, relative to the solution.
static double missed_by(const ssi_tracer *t, const ssi_spot *at, double h, double size) {
  double most = 0;
  for (int k = 0; k < t->family.m; k++)
    most = fmax(most, fabs(t->trial_r[k] - at->r[k] - h * t->slope[k]));
  return most / size;
}

// A parabola through the last three points of some armed gap is below zero between the last two, at which it is not.
static bool dips(const ssi_tracer *t, const ss_cell_state *states, const ssi_spot *at,
                 const double *earlier_u, double last, double h) {
  double less = -ARMED * ssi_point_size(at->r, at->u, t->family.m);
  for (int i = 0; last > 0 && i < t->family.n; i++)
    for (int k = 0; k < ssi_gap_count(states[i]); k++) {
      if (!t->armed[3 * i + k]) continue;
      double mu = t->now.mu[i];
      double a = ssi_gap(states[i], k, mu, earlier_u + 2 * i, t->before + 2 * i);
      double b = ssi_gap(states[i], k, mu, at->u + 2 * i, at->r + 2 * i);
      double c = ssi_gap(states[i], k, t->next.mu[i], t->trial_u + 2 * i, t->trial_r + 2 * i);
      double left = (b - a) / last, right = (c - b) / h, bend = (right - left) / (last + h);
      double slope = left + bend * last, place = bend > 0 ? -slope / (2 * bend) : -1;
      if (c >= 0 && place > 0 && place < h && b + slope * place / 2 < less) return true;
    }
  return false;
}

// Where a regular piece may not go beyond: an end of the range, or the start of the branch.
static double clamp(const ssi_tracer *t, const ssi_tangent *way, const ssi_spot *at, double p,
                    ssi_piece_end *end) {
  double edge = way->dp > 0 ? t->family.to : t->family.from;
  bool over = way->dp > 0 ? p >= edge : p <= edge;
  *end = over ? SSI_PIECE_RANGE : SSI_PIECE_EVENT;
  if (over) p = edge;
  bool passes =
      t->may_close && (t->start_p - at->p) * way->dp > 0 && (p - t->start_p) * way->dp >= 0;
  if (passes && ssi_same_states(way->states, t->start_states, t->family.n))
    return *end = SSI_PIECE_CLOSED, t->start_p;
  return p;
}

// What a trial step that is not good asks for: a shorter one. 0: it is good.
static double shorten(const ssi_tracer *t, const stepping *s, const ssi_spot *at, bool regular,
                      double h, double size, double loose) {
  if (!regular) return 0.6 * h;
  double miss = missed_by(t, at, h, size);
  if (miss > 4 * MISS * loose) return h * fmax(0.2, 0.8 * sqrt(MISS * loose / miss));
  return unarmed_fall(t, s->way->states, size) ? h / 2 : 0;
}

// One accepted step: the trial becomes the point.
static void accept(ssi_tracer *t, stepping *s, ssi_spot *at, double p, double h, double size,
                   double loose) {
  double miss = missed_by(t, at, h, size);
  int m = t->family.m;
  for (int k = 0; k < m; k++) {
    t->slope[k] = (t->trial_r[k] - at->r[k]) / h;
    t->before[k] = at->r[k];
    t->before[m + k] = at->u[k];
  }
  move(t, at, p);
  ssi_family_data other = t->now;
  t->now = t->next, t->next = other;
  s->last = h;
  s->h = h * fmin(2, fmax(0.3, 0.9 * sqrt(MISS * loose / fmax(miss, 1e-300))));
}

// The event or crossing in a step whose trial has a negative gap or another sign of a determinant. *found: whether there is
// one; *at is then moved there.
static ss_error look_inside(ssi_tracer *t, const stepping *s, ssi_spot *at, double p,
                            ssi_pattern_answer a, ssi_piece_end *end, bool *found) {
  int which = 0;
  const ss_cell_state *states = s->way->states;
  double below = least_armed(t, states, t->trial_r, t->trial_u, &t->next, &which), event = p;
  stretch between = {states, at->p, p, least_armed(t, states, at->r, at->u, &t->now, &which),
                     below};
  *found = below < 0 || (s->known && a.negative != s->negative);
  if (!*found) return SS_OK;
  ss_error e = below < 0 ? locate_event(t, between, &event, &a) : SS_OK;
  if (e) return e;
  if (!s->known || a.negative == s->negative) {
    move(t, at, event);
    *end = SSI_PIECE_EVENT;
    return SS_OK;
  }
  between.bad = event;
  double share;
  *end = SSI_PIECE_CROSSING;
  for (int k = 0; k < t->family.m; k++) t->before[k] = t->trial_r[k];  // at the far end
  e = locate_singular(t, &between, s->negative, &p);
  if (e) return e;
  share = (p - between.good) / (event - between.good);
  for (int k = 0; k < t->family.m; k++) at->r[k] += share * (t->before[k] - at->r[k]);
  return ssi_crossing_settle(t, states, p, at);
}

static ss_error follow_regular(ssi_tracer *t, const ssi_tangent *way, ssi_spot *at,
                               ssi_trail *trail, ssi_piece_end *end, double *limit) {
  int m = t->family.m;
  stepping s = {.way = way, .h = t->o->step / 8};
  ss_error e = ssi_family_at(&t->family, at->p, &t->now);
  memcpy(t->slope, way->dr, sizeof *t->slope * (size_t)m);
  if (e) return e;
  arm(t, way->states, at, ssi_point_size(at->r, at->u, m));
  for (;;) {
    double size = ssi_point_size(at->r, at->u, m), loose = fmin(10, sqrt(size));
    double most = t->o->step * loose, steep = ssi_largest(m, t->slope) / size;
    double h = fmin(fmin(s.h, t->o->step), most / fmax(steep, 1e-300));
    *end = SSI_PIECE_BUDGET;
    if (!ssi_tracer_goes_on(t, at->p)) return SS_OK;
    *end = SSI_PIECE_INFINITY;
    if (size > t->o->infinity) return find_limit(t, way->states, at, way->dp, &s, limit);
    *end = SSI_PIECE_STUCK;
    if (h < SHORTEST) return SS_OK;
    double p = clamp(t, way, at, at->p + way->dp * h * t->range, end);
    h = fabs(p - at->p) / t->range;
    if (!(h > 0)) return SS_OK;  // at the end of the range already
    bool regular, found = false;
    ssi_pattern_answer a;
    e = solve_at(t, way->states, p, &regular, &a);
    if (e) return e;
    double shorter = shorten(t, &s, at, regular, h, size, loose);
    if (!(shorter > 0) && dips(t, way->states, at, t->before + m, s.last, h)) shorter = h / 2;
    if (shorter > 0) {
      // a gap that was zero falls at once: the point itself is where the pattern ends
      *end = SSI_PIECE_EVENT;
      if (regular && h < IMMEDIATE && unarmed_fall(t, way->states, size)) return SS_OK;
      s.h = shorter;
      continue;
    }
    ssi_piece_end inside;
    e = look_inside(t, &s, at, p, a, &inside, &found);
    if (e) return e;
    if (found)
      *end = inside;
    else
      s.known = true, s.negative = a.negative, accept(t, &s, at, p, h, size, loose);
    bool good;
    e = ssi_trail_add(t, trail, at, way->states, &good);
    if (e) return e;
    if (!good) *end = SSI_PIECE_UNVERIFIED;
    if (found || !good || *end != SSI_PIECE_EVENT) return SS_OK;
    arm(t, way->states, at, ssi_point_size(at->r, at->u, m));
  }
}

ss_error ssi_piece_follow(ssi_tracer *t, const ssi_tangent *way, ssi_spot *at, ssi_trail *trail,
                          ssi_piece_end *end, double *limit) {
  bool good;
  *limit = NAN;
  ss_error e = ssi_trail_add(t, trail, at, way->states, &good);
  if (e) return e;
  *end = SSI_PIECE_UNVERIFIED;
  if (!good) return SS_OK;
  memset(t->armed, 0, sizeof *t->armed * 3 * (size_t)t->family.n);
  return way->dp ? follow_regular(t, way, at, trail, end, limit)
                 : ssi_vertical_follow(t, way, at, trail, end);
}
