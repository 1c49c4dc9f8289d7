// The signs of all pattern determinants at one mu, for more contacts than a walk over all patterns
// can take.
//
// A branch_node is, as in critical_tree.c, the Schur complement over the contacts that are not decided. If
// the bound of critical_bound.c for that complement is above mu, all patterns below the branch_node have
// positive determinants: nothing to look at. Otherwise the contact that limits the bound most is
// decided, in each of its states; few contacts are left to the walk. D and tau of the bound are
// handed down, so that a few steps are enough.
#include <string.h>

#include "analysis/critical.h"

enum { STEPS = 30, FIRST_STEPS = 200 };
static const double FEW = 5e6;  // patterns: a walk takes milliseconds, as long as a bound
static const double COST =
    12;  // patterns in the time of N^3 of one evaluation of the bound, measured
static const double MARGIN = 1e-9;  // relative, of the bound over mu

typedef struct branch_node {
  ssi_critical_part part;
  double *W, *g, *at;  // (2m)^2, m, 3m
  int *contact;        // of the part that was given    (m)
} branch_node;

struct ssi_branch {
  ssi_tree *tree;
  ssi_critical_bound *bound;
  branch_node *level;   // by contacts left          (n + 1)
  unsigned char *path;  // states decided            (n)
  unsigned char *rest;  // of the last contacts      (n)
  // of the current test
  int n;
  unsigned states;
  double mu, budget, spent, done;  // spent and done in patterns
  const ssi_watch *watch;
};

enum {
  WALK_MOST = 24
};  // contacts a walk has memory for: 3^14 patterns are few, more are never walked

ssi_branch *ssi_branch_create(ssi_arena *arena, int n) {
  ssi_branch *b = SSI_TAKE(arena, 1, ssi_branch);
  if (!b) return NULL;
  b->tree = ssi_tree_create(arena, n < WALK_MOST ? n : WALK_MOST);
  b->bound = ssi_critical_bound_create(arena, n);
  b->level = SSI_TAKE(arena, n + 1, branch_node);
  b->path = SSI_TAKE(arena, n, unsigned char), b->rest = SSI_TAKE(arena, n, unsigned char);
  if (arena->failed) return NULL;
  for (int m = 1; m <= n; m++) {
    branch_node *l = &b->level[m];
    l->W = SSI_TAKE(arena, 4 * (int64_t)m * m, double), l->g = SSI_TAKE(arena, m, double);
    l->at = SSI_TAKE(arena, 3 * (int64_t)m, double), l->contact = SSI_TAKE(arena, m, int);
    l->part = (ssi_critical_part){m, l->contact, l->W, l->g};
  }
  return arena->failed ? NULL : b;
}

// Is the pivot of contact c in state s positive? (2) to (4) of critical_tree.c
static bool pivot_is_positive(const ssi_critical_part *p, double mu, int c, int s) {
  size_t N = 2 * (size_t)p->n, n = 2 * (size_t)c, t = n + 1;
  double nn = p->W[n * N + n], nt = p->W[n * N + t], tn = p->W[t * N + n], tt = p->W[t * N + t];
  double a = mu * p->g[c];
  if (s == SS_PATTERN_STICK) return nn * tt - nt * tn > 0;
  if (s == SS_PATTERN_CROSS) return tt > 0;
  if (s == SS_PATTERN_SLIP_PLUS) return nn - a * nt > 0;
  return s == SS_PATTERN_FREE || nn + a * nt > 0;
}

// The complement after contact c of `from`, in state s, into the level below.
static void decide(const branch_node *from, double mu, int c, int s, branch_node *to) {
  size_t N = 2 * (size_t)from->part.n, K = N - 2, n = 2 * (size_t)c, t = n + 1;
  const double *W = from->W, *x = W + n * N, *y = W + t * N;
  double a = s == SS_PATTERN_SLIP_PLUS    ? mu * from->g[c]
             : s == SS_PATTERN_SLIP_MINUS ? -mu * from->g[c]
                                          : 0;
  double l = y[n] / x[n], rest = y[t] - l * x[t];
  for (size_t i = 0; i < K; i++) {
    const double *row = W + (i < n ? i : i + 2) * N;
    double u = (row[n] - a * row[t]) / (x[n] - a * x[t]), w = (row[t] - u * x[t]) / rest;
    for (size_t j = 0; j < K; j++) {
      size_t k = j < n ? j : j + 2;
      double entry = row[k];
      if (s == SS_PATTERN_STICK)
        entry -= u * x[k] + w * (y[k] - l * x[k]);
      else if (s == SS_PATTERN_CROSS)
        entry -= row[t] / y[t] * y[k];
      else if (s != SS_PATTERN_FREE)
        entry -= u * x[k];
      to->W[i * K + j] = entry;
    }
  }
  int m = from->part.n;
  for (int i = 0, k = 0; i < m; i++) {
    if (i == c) continue;
    to->g[k] = from->g[i], to->contact[k] = from->contact[i];
    to->at[2 * k] = from->at[2 * i], to->at[2 * k + 1] = from->at[2 * i + 1];
    to->at[2 * (m - 1) + k] = from->at[2 * m + i];
    k++;
  }
}

static bool stop(void *user, double done) {
  ssi_branch *b = user;
  return ssi_watch_stops(b->watch, b->done + done);
}

// What is below a node that has few contacts.
static ssi_signs walk(ssi_branch *b, const branch_node *at) {
  ssi_watch watch = {.stop = b->watch ? stop : NULL, .user = b};
  ssi_signs signs = ssi_tree_test(b->tree, &at->part, b->states, b->mu, &watch, b->rest);
  b->spent += ssi_pattern_count(at->part.n, b->states);
  if (signs == SSI_ONE_FAILS)
    for (int i = 0; i < at->part.n; i++) b->path[at->contact[i]] = b->rest[i];
  return signs;
}

static bool is_over(const ssi_branch *b) {
  return b->spent > b->budget || ssi_watch_stops(b->watch, b->done);
}

static ssi_signs visit(ssi_branch *b, int m) {
  branch_node *here = &b->level[m];
  double patterns = ssi_pattern_count(m, b->states), evaluations = 0;
  if (patterns <= FEW && m <= WALK_MOST) {
    if (b->spent + patterns > b->budget) return SSI_STOPPED;
    ssi_signs signs = walk(b, here);
    b->done += patterns;
    return signs;
  }
  bool first = m == b->n;
  double enough = b->mu * (1 + MARGIN);
  double lower =
      ssi_critical_bound_lower(b->bound, &here->part, !first, here->at, first ? FIRST_STEPS : STEPS,
                               enough, b->watch, &evaluations);
  b->spent += evaluations * COST * 8 * m * m * m;
  if (lower >= enough) {
    b->done += patterns;
    return SSI_ALL_POSITIVE;
  }
  if (is_over(b)) return SSI_STOPPED;
  int c = ssi_critical_bound_worst(b->bound);
  for (int s = SS_PATTERN_FREE; s <= SS_PATTERN_CROSS; s++) {
    if (!(b->states >> s & 1)) continue;
    b->path[here->contact[c]] = (unsigned char)s;
    if (!pivot_is_positive(&here->part, b->mu, c, s)) {
      for (int i = 0; i < m; i++)
        if (i != c) b->path[here->contact[i]] = SS_PATTERN_FREE;
      return SSI_ONE_FAILS;
    }
    decide(here, b->mu, c, s, &b->level[m - 1]);
    ssi_signs signs = visit(b, m - 1);
    if (signs != SSI_ALL_POSITIVE) return signs;
  }
  return SSI_ALL_POSITIVE;
}

ssi_signs ssi_branch_test(ssi_branch *b, const ssi_critical_part *p, unsigned states, double mu,
                          double budget, const ssi_watch *watch, unsigned char *pattern) {
  int n = b->n = p->n;
  branch_node *root = &b->level[n];
  b->states = states, b->mu = mu, b->budget = budget, b->spent = b->done = 0;
  b->watch = watch && watch->stop ? watch : NULL;
  memcpy(root->W, p->W, sizeof(double) * 4 * (size_t)n * (size_t)n);
  memcpy(root->g, p->g, sizeof(double) * (size_t)n);
  for (int i = 0; i < n; i++) root->contact[i] = i;
  ssi_signs signs = visit(b, n);
  if (signs == SSI_ONE_FAILS && pattern) memcpy(pattern, b->path, (size_t)n);
  return signs;
}
