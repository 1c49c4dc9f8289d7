// crosscheck/judge.c - see judge.h.
#include "judge.h"

#include <string.h>

#include "cells.h"
#include "simplex.h"

// ---- all patterns, and which of them meet ------------------------------------------------------

enum { MAX_CELLS = 256 };

typedef struct found_cells {
  int count;
  cell cells[MAX_CELLS];
  bool many[MAX_CELLS];
  int part[MAX_CELLS];  // union-find
} found_cells;

static cell_kind decide(const cell_system *s, const cell *c, judge_method method, judge_truth *t) {
  cell_kind kind = method == JUDGE_FAST ? cell_by_interval(s, c) : CELL_UNKNOWN;
  t->patterns++;
  if (kind != CELL_UNKNOWN) return t->by_interval++, kind;
  if (method != JUDGE_PROGRAMS) kind = cell_by_elimination(s, c);
  if (kind != CELL_UNKNOWN) return t->by_elimination++, kind;
  t->by_program++;
  return cell_by_program(s, c);
}

static int root(found_cells *f, int k) {
  while (f->part[k] != k) k = f->part[k] = f->part[f->part[k]];
  return k;
}

// A cell whose inequalities are all strict meets no other; the rest are compared in pairs.
static void try_pattern(const cell_system *s, int pattern, judge_method method, judge_truth *t,
                        found_cells *f) {
  cell c = {0};
  for (int i = 0; i < s->n; i++) {
    int state = pattern >> (2 * i) & 3;
    if (state == STATE_STICK && s->frictionless[i]) return;  // part of both slips
    cell_add_state(s, &c, i, state);
  }
  cell_kind kind = decide(s, &c, method, t);
  if (kind == CELL_POINT) t->components++, t->isolated++;
  if (kind != CELL_CORNER && kind != CELL_MANY) return;
  f->cells[f->count] = c;
  f->many[f->count] = kind == CELL_MANY;
  f->part[f->count] = f->count;
  f->count++;
}

static void enumerate_patterns(const exact_problem *p, judge_method method, judge_truth *t) {
  cell_system s;
  found_cells f = {0};
  cell_system_begin(&s, p);
  for (int pattern = 0; pattern < 1 << (2 * p->n); pattern++)
    try_pattern(&s, pattern, method, t, &f);
  for (int a = 0; a < f.count; a++)
    for (int b = a + 1; b < f.count; b++) {
      if (root(&f, a) == root(&f, b)) continue;
      cell both = cell_meet(&f.cells[a], &f.cells[b]);
      if (!cell_is_empty(&s, &both)) f.part[root(&f, b)] = root(&f, a);
    }
  bool many[MAX_CELLS] = {0};
  for (int a = 0; a < f.count; a++)
    if (f.many[a]) many[root(&f, a)] = true;
  for (int a = 0; a < f.count; a++)
    if (root(&f, a) == a) t->components++, t->isolated += !many[a];
  t->exists = t->components > 0;
  cell_system_end(&s);
}

// ---- definiteness ----------------------------------------------------------------------------

// S = (W + W^T) / 2 is reduced by congruence, C^T S C = D; the rows of C^T are kept beside it. A
// diagonal entry < 0, or zero with a nonzero entry beside it, shows a z with z.(S z) < 0.
static void eliminate_symmetric(qmat *S, qmat *C, int p) {
  mpq_t factor, t;
  mpq_inits(factor, t, NULL);
  for (int i = p + 1; i < S->rows; i++) {
    if (mpq_sgn(qat(S, i, p)) == 0) continue;
    mpq_div(factor, qat(S, i, p), qat(S, p, p));
    for (int j = 0; j < S->cols; j++) {
      if (j >= p) mpq_mul(t, factor, qat(S, p, j)), mpq_sub(qat(S, i, j), qat(S, i, j), t);
      mpq_mul(t, factor, qat(C, p, j)), mpq_sub(qat(C, i, j), qat(C, i, j), t);
    }
  }
  mpq_clears(factor, t, NULL);
}

static void swap_symmetric(qmat *S, qmat *C, int a, int b) {
  for (int j = 0; j < S->cols && a != b; j++) {
    mpq_swap(qat(S, a, j), qat(S, b, j));
    mpq_swap(qat(C, a, j), qat(C, b, j));
  }
  for (int i = 0; i < S->rows && a != b; i++) mpq_swap(qat(S, i, a), qat(S, i, b));
}

// z = row a of C plus t times row b.
static void direction(const qmat *C, int a, int b, mpq_srcptr t, double *z) {
  mpq_t x;
  mpq_init(x);
  for (int j = 0; j < C->cols; j++) {
    mpq_set(x, qat(C, a, j));
    if (t) mpq_mul(x, t, qat(C, b, j)), mpq_add(x, x, qat(C, a, j));
    z[j] = mpq_get_d(x);
  }
  mpq_clear(x);
}

// S_pp = 0 and S_pj = s != 0: e_j + t e_p gives S_jj + 2 t s, which is -S_jj - 2 < 0 for
// t = -(S_jj + 1) / s.
static bool zero_diagonal_is_clean(const qmat *S, const qmat *C, int p, double *z) {
  for (int j = p; j < S->cols; j++) {
    if (j == p || mpq_sgn(qat(S, p, j)) == 0) continue;
    mpq_t t;
    mpq_init(t);
    mpq_set_si(t, 1, 1);
    mpq_add(t, t, qat(S, j, j));
    mpq_div(t, t, qat(S, p, j));
    mpq_neg(t, t);
    direction(C, j, p, t, z);
    mpq_clear(t);
    return false;
  }
  return true;
}

static bool reduce_symmetric(qmat *S, qmat *C, double *z) {
  int m = S->rows;
  for (int p = 0; p < m; p++) {
    int pivot = p;
    for (int i = p; i < m; i++) {
      int sign = mpq_sgn(qat(S, i, i));
      if (sign < 0) return direction(C, i, 0, NULL, z), false;
      if (sign > 0 && mpq_sgn(qat(S, pivot, pivot)) == 0) pivot = i;
    }
    swap_symmetric(S, C, p, pivot);
    if (mpq_sgn(qat(S, p, p)) > 0) {
      eliminate_symmetric(S, C, p);
    } else if (!zero_diagonal_is_clean(S, C, p, z)) {
      return false;
    }
  }
  return true;
}

static bool is_semidefinite(const exact_problem *p, double *z) {
  int m = 2 * p->n;
  qmat S = qmat_new(m, m), C = qmat_new(m, m);
  for (int i = 0; i < m; i++) {
    mpq_set_si(qat(&C, i, i), 1, 1);
    for (int j = 0; j < m; j++) {
      mpq_add(qat(&S, i, j), qat(&p->W, i, j), qat(&p->W, j, i));
      mpq_div_2exp(qat(&S, i, j), qat(&S, i, j), 1);
    }
  }
  bool yes = reduce_symmetric(&S, &C, z);
  qmat_free(&S);
  qmat_free(&C);
  return yes;
}

// ---- the criteria of existence ------------------------------------------------------------------

// Columns (G l, b.l) for l >= 0, and for l <= 0 behind them.
static void put_joints(const exact_problem *p, int first, qmat *A, qmat *c) {
  for (int k = 0; k < 2 * p->joints; k++) {
    int joint = k % p->joints, col = first + k;
    bool down = k >= p->joints;
    for (int i = 0; i <= p->dofs; i++) {
      mpq_ptr to = i < p->dofs ? qat(A, i, col) : c->x[col];
      mpq_set(to, i < p->dofs ? qat(&p->G, i, joint) : p->b.x[joint]);
      if (down) mpq_neg(to, to);
    }
  }
}

// min { w.r + b.l : H^T r + G l = 0, r = sum of x times the given rays, sum r_N = 1 }, rays (1, -mu) and (1,
// mu), or only the normals (1, 0). Infeasible: the criterion holds for every w.
static lp_status criterion(const exact_problem *p, bool normals, mpq_ptr value) {
  const qmat *H = p->dofs ? &p->H : &p->W, *w = p->dofs ? &p->w : &p->q;
  int per = normals ? 1 : 2, cols = per * p->n + 2 * p->joints, rows = H->cols + 1;
  qmat A = qmat_new(rows, cols), b = qmat_new(rows, 1), c = qmat_new(cols, 1);
  mpq_t ray;
  mpq_init(ray);
  for (int i = 0; i < p->n; i++)
    for (int side = 0; side < per; side++) {
      int col = per * i + side;
      if (!normals) mpq_set(ray, qat(&p->mu, i, 0));
      if (side == 0) mpq_neg(ray, ray);
      for (int k = 0; k < H->cols; k++) {
        mpq_mul(qat(&A, k, col), ray, qat(H, 2 * i + 1, k));
        mpq_add(qat(&A, k, col), qat(&A, k, col), qat(H, 2 * i, k));
      }
      mpq_mul(c.x[col], ray, qat(w, 2 * i + 1, 0));
      mpq_add(c.x[col], c.x[col], qat(w, 2 * i, 0));
      mpq_set_si(qat(&A, rows - 1, col), 1, 1);
    }
  put_joints(p, per * p->n, &A, &c);
  mpq_set_si(b.x[rows - 1], 1, 1);
  lp_status status = lp_solve(&A, &b, &c, NULL, value);
  mpq_clear(ray);
  qmat_free(&A);
  qmat_free(&b);
  qmat_free(&c);
  return status;
}

// Joints that contradict each other leave no velocity for (A) or (A').
static void judge_criteria(const exact_problem *p, judge_truth *t) {
  mpq_t value;
  t->margin_sign = -1;
  t->margin = -INFINITY;
  if (p->contradictory) return;
  mpq_init(value);
  t->for_every_w = criterion(p, false, value) == LP_INFEASIBLE;
  t->margin_sign = t->for_every_w ? 1 : mpq_sgn(value);
  t->margin = t->for_every_w ? INFINITY : mpq_get_d(value);
  mpq_set_si(value, 0, 1);
  t->a_prime = criterion(p, true, value) == LP_INFEASIBLE || mpq_sgn(value) >= 0;
  mpq_clear(value);
}

judge_truth judge(const exact_problem *p, judge_method method) {
  judge_truth t = {0};
  if (!p->contradictory) enumerate_patterns(p, method, &t);
  t.semidefinite = is_semidefinite(p, t.negative);
  judge_criteria(p, &t);
  return t;
}

// ---- how good an answer is ----------------------------------------------------------------------

// u = W r + q exactly, then rounded.
static void velocities(const exact_problem *p, const double *r, double *u) {
  mpq_t sum, t;
  mpq_inits(sum, t, NULL);
  for (int i = 0; i < 2 * p->n; i++) {
    mpq_set(sum, qat(&p->q, i, 0));
    for (int j = 0; j < 2 * p->n; j++) {
      mpq_set_d(t, r[j]);
      mpq_mul(t, t, qat(&p->W, i, j));
      mpq_add(sum, sum, t);
    }
    u[i] = mpq_get_d(sum);
  }
  mpq_clears(sum, t, NULL);
}

static double to_ray(double n, double t,
                     double slope) {  // distance of (n, t) from x (1, slope), x >= 0
  double c = 1 / hypot(1, slope), s = slope * c;
  return n * c + t * s > 0 ? fabs(t * c - n * s) : hypot(n, t);
}

static double to_cone(double n, double t, double mu) {
  return fabs(t) <= mu * n ? 0 : to_ray(n, fabs(t), mu);
}

// Distance of (u, r) from the nearest of the four states.
static double to_law(const double *u, const double *r, double mu, double weight) {
  double free = fmax(fmax(0, -u[0]), weight * hypot(r[0], r[1]));
  double stick = fmax(hypot(u[0], u[1]), weight * to_cone(r[0], r[1], mu));
  double plus = fmax(fmax(fabs(u[0]), fmax(0, -u[1])), weight * to_ray(r[0], r[1], -mu));
  double minus = fmax(fmax(fabs(u[0]), fmax(0, u[1])), weight * to_ray(r[0], r[1], mu));
  return fmin(fmin(free, stick), fmin(plus, minus));
}

// Contacts that act on each other, through W alone or through bodies and joints.
static void find_parts(const exact_problem *p, int *part) {
  for (int i = 0; i < p->n; i++) part[i] = i;
  for (int i = 0; i < 2 * p->n; i++)
    for (int j = 0; j < 2 * p->n; j++) {
      int a = part[i / 2], b = part[j / 2];
      bool together = p->dofs ? p->reach[i / 2] >> (j / 2) & 1 : mpq_sgn(qat(&p->W, i, j)) != 0;
      if (a == b || !together) continue;
      for (int k = 0; k < p->n; k++)
        if (part[k] == b) part[k] = a;
    }
}

typedef struct contact_scale {
  double motion, load, terms;
} contact_scale;

static contact_scale scale_of(const exact_problem *p, int contact, const double *u) {
  contact_scale s = {0};
  for (int i = 2 * contact; i < 2 * contact + 2; i++) {
    double q = fmax(fabs(mpq_get_d(p->q.x[i])), fabs(mpq_get_d(p->free_q.x[i])));
    s.motion = fmax(s.motion, fmax(fabs(u[i]), q));
    s.load = fmax(s.load, q);
    s.terms = fmax(s.terms, p->dofs ? mpq_get_d(qat(&p->terms, i, 0)) : q);
  }
  return s;
}

static double ratio(double a, double b) {
  return a > 0 ? a / b : 0;
}

// What no answer can do better in joints that contradict each other, over the largest motion that there is, also
// that of the joints where nothing acts: docs/theory.md (7).
static judge_miss miss_of_gap(const exact_problem *p, const contact_scale *part) {
  contact_scale all = {.load = p->free_gap};
  for (int k = 0; k < p->joints; k++) all.load = fmax(all.load, fabs(mpq_get_d(p->b.x[k])));
  all.motion = all.terms = all.load;
  for (int i = 0; i < p->n; i++) {
    all.motion = fmax(all.motion, part[i].motion);
    all.load = fmax(all.load, part[i].load);
    all.terms = fmax(all.terms, part[i].terms);
  }
  double roundings = ratio(p->gap, 0x1p-53 * all.terms);
  return (judge_miss){ratio(p->gap, all.motion), ratio(p->gap, all.load), roundings, roundings, 0};
}

static bool is_diagonal(const qmat *M, int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      if (i != j && mpq_sgn(qat(M, i, j))) return false;
  return true;
}

// t of a contact, the larger one of its rows; 0 where it is not known here.
static double data_terms(const exact_problem *p, const int *part, int contact) {
  double w = 0, rest = 0;
  if (!p->dofs || p->joints || !is_diagonal(&p->M, p->dofs)) return 0;
  for (int i = 0; i < 2 * p->n; i++)
    if (part[i / 2] == part[contact]) w = fmax(w, fabs(mpq_get_d(p->w.x[i])));
  for (int i = 2 * contact; i < 2 * contact + 2; i++)
    rest = fmax(rest, mpq_get_d(p->terms.x[i]) - fabs(mpq_get_d(p->w.x[i])));
  return w + 3 * rest;
}

static void add_miss(judge_defect *d, judge_miss m) {
  judge_miss *w = &d->worst;
  d->each[d->count++] = m;
  w->relative = fmax(w->relative, m.relative), w->of_load = fmax(w->of_load, m.of_load);
  w->roundings = fmax(w->roundings, m.roundings), w->of_part = fmax(w->of_part, m.of_part);
  w->of_data = fmax(w->of_data, m.of_data);
}

static judge_defect judge_misses(const exact_problem *p, const double *r, bool relieved) {
  double u[CELL_ROWS];
  contact_scale own[JUDGE_CONTACTS], of_part[JUDGE_CONTACTS] = {0};
  judge_defect found = {0};
  int part[JUDGE_CONTACTS];
  velocities(p, r, u);
  find_parts(p, part);
  for (int i = 0; i < p->n; i++) {
    contact_scale *s = &of_part[part[i]];
    own[i] = scale_of(p, i, u);
    s->motion = fmax(s->motion, own[i].motion);
    s->load = fmax(s->load, own[i].load);
    s->terms = fmax(s->terms, own[i].terms);
  }
  for (int i = 0; i < p->n; i++) {
    double weight = 0;
    for (int k = 0; k < 4; k++)
      weight = fmax(weight, fabs(mpq_get_d(qat(&p->W, 2 * i + k / 2, 2 * i + k % 2))));
    double d = to_law(u + 2 * i, r + 2 * i, mpq_get_d(qat(&p->mu, i, 0)), weight);
    if (relieved && d <= 0x1p-52 * weight * hypot(r[2 * i], r[2 * i + 1])) d = 0;
    const contact_scale *s = &of_part[part[i]];
    double t = data_terms(p, part, i);
    add_miss(&found,
             (judge_miss){ratio(d, s->motion), ratio(d, s->load), ratio(d, 0x1p-53 * own[i].terms),
                          ratio(d, 0x1p-53 * s->terms), t > 0 ? ratio(d, 0x1p-51 * t) : 0});
  }
  if (p->gap > 0) add_miss(&found, miss_of_gap(p, of_part));
  return found;
}

judge_defect judge_answer(const exact_problem *p, const double *r) {
  return judge_misses(p, r, true);
}
judge_defect judge_answer_in_full(const exact_problem *p, const double *r) {
  return judge_misses(p, r, false);
}
