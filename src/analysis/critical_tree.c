// The signs of all pattern determinants at one mu, by recursion on Schur complements.
//
// Contacts are decided one after the other. A node of the tree holds the Schur complement A of what
// was decided so far over the m contacts that remain, (n, t) each; with the first of them (rows and
// columns 0 = n, 1 = t) in a state, the next complement is, c = (A_.n, A_.t), x = A_n., y = A_t.
// without it,
//
//   free    A                                                 pivot 1                         (1)
//   slip s  A - (c_n - s mu c_t) x / p_s                      p_s = A_nn - s mu A_nt          (2)
//   stick   A - c_n x / A_nn - w z,                           A_nn (A_tt - A_tn A_nt / A_nn)  (3)
//           z = y - x A_tn / A_nn,  w = (c_t - c_n A_nt / A_nn) / (A_tt - A_tn A_nt / A_nn)
//   cross   A - c_t y / A_tt                                  A_tt                            (4)
//
// and the determinant is the product of the pivots on the way down. What is still undecided counts
// as free, so every node is a pattern of its own: all determinants are positive if and only if all
// pivots are. (A_nn = (p_+ + p_-)/2 is positive when those are.) A node costs O(m^2), and most
// nodes have small m: about three multiplications per pattern in all, against (2n)^3/3 for a fresh
// determinant.
//
// The four lanes of a vector are the four states of the first contact; below it all four subtrees
// are walked in step. The last three contacts are unrolled.
//
// Stick may be left out of the states, not free: without it a node would be no pattern.
#include <string.h>

#include "analysis/critical.h"
#include "base/clones.h"

typedef double lanes __attribute__((vector_size(32), may_alias));
typedef int64_t marks __attribute__((vector_size(32), may_alias));  // -1 where true

enum { POLL = 1 << 12 };  // nodes with three contacts left between two looks at the clock

struct ssi_tree {
  int capacity;
  lanes **level;        // complement over m contacts, for each m                (capacity)
  lanes **work;         // c / p, w, z of that step                              (capacity)
  double *mu;           // of the contact first in line when m remain            (capacity + 1)
  unsigned char *path;  // states decided, by depth                       (capacity)

  // of the current test
  int n;
  bool stick, cross;  // among the states
  bool alone;         // the first contact is in one state, path[0], in all lanes
  const ssi_watch *watch;
  int64_t nodes;            // with three contacts left
  double before, per_node;  // patterns done when `nodes` was 0; patterns of one such node
  bool stopped;
};

ssi_tree *ssi_tree_create(ssi_arena *arena, int n) {
  ssi_tree *t = SSI_TAKE(arena, 1, ssi_tree);
  if (!t) return NULL;
  t->capacity = n;
  t->level = SSI_TAKE(arena, n + 1, lanes *);
  t->work = SSI_TAKE(arena, n + 1, lanes *);
  t->mu = SSI_TAKE(arena, n + 1, double);
  t->path = SSI_TAKE(arena, n + 1, unsigned char);
  if (!t->level || !t->work) return NULL;
  for (int m = 1; m <= n; m++) {
    t->level[m] = SSI_TAKE(arena, 4 * (int64_t)m * m, lanes);
    t->work[m] = SSI_TAKE(arena, 6 * (int64_t)m, lanes);
  }
  return arena->failed ? NULL : t;
}

SSI_INLINE bool all(const marks *ok) {
  return ((*ok)[0] & (*ok)[1] & (*ok)[2] & (*ok)[3]) != 0;
}

// Are all pivots of the first of m contacts positive?
SSI_INLINE void look(const lanes *A, int ld, double mu, bool stick, bool cross, marks *ok) {
  lanes nn = A[0], nt = A[1] * mu;
  *ok &= (nn - nt > 0) & (nn + nt > 0);
  if (stick) *ok &= nn * A[ld + 1] - A[1] * A[ld] > 0;
  if (cross) *ok &= A[ld + 1] > 0;
}

// (2): out (k x k) with k = 2 (m - 1); a = s mu.
SSI_INLINE void after_slip(const lanes *A, int ld, int k, double a, lanes *out) {
  lanes inverse = 1 / (A[0] - a * A[1]);
  for (int i = 0; i < k; i++) {
    const lanes *row = A + (i + 2) * ld;
    lanes u = (row[0] - a * row[1]) * inverse;
    for (int j = 0; j < k; j++) out[i * k + j] = row[j + 2] - u * A[j + 2];
  }
}

// (3); z is scratch (k).
SSI_INLINE void after_stick(const lanes *A, int ld, int k, lanes *z, lanes *out) {
  lanes inverse = 1 / A[0], l = A[ld] * inverse;
  lanes rest = 1 / (A[ld + 1] - l * A[1]);
  for (int j = 0; j < k; j++) z[j] = A[ld + j + 2] - l * A[j + 2];
  for (int i = 0; i < k; i++) {
    const lanes *row = A + (i + 2) * ld;
    lanes u = row[0] * inverse, w = (row[1] - u * A[1]) * rest;
    for (int j = 0; j < k; j++) out[i * k + j] = row[j + 2] - u * A[j + 2] - w * z[j];
  }
}

// (4)
SSI_INLINE void after_cross(const lanes *A, int ld, int k, lanes *out) {
  lanes inverse = 1 / A[ld + 1];
  for (int i = 0; i < k; i++) {
    const lanes *row = A + (i + 2) * ld;
    lanes u = row[1] * inverse;
    for (int j = 0; j < k; j++) out[i * k + j] = row[j + 2] - u * A[ld + j + 2];
  }
}

SSI_INLINE void visit2(const double *mu, const lanes *A, int ld, bool stick, bool cross,
                       marks *ok) {
  lanes z[2], child[4];
  look(A, ld, mu[2], stick, cross, ok);
  look(A + 2 * ld + 2, ld, mu[1], stick, cross, ok);  // (1)
  if (stick) after_stick(A, ld, 2, z, child), look(child, 2, mu[1], stick, cross, ok);
  after_slip(A, ld, 2, mu[2], child), look(child, 2, mu[1], stick, cross, ok);
  after_slip(A, ld, 2, -mu[2], child), look(child, 2, mu[1], stick, cross, ok);
  if (cross) after_cross(A, ld, 2, child), look(child, 2, mu[1], stick, cross, ok);
}

SSI_INLINE bool visit3(const double *mu, const lanes *A, int ld, bool stick, bool cross) {
  lanes z[4], child[16];
  marks ok = {-1, -1, -1, -1};
  look(A, ld, mu[3], stick, cross, &ok);
  visit2(mu, A + 2 * ld + 2, ld, stick, cross, &ok);
  if (stick) after_stick(A, ld, 4, z, child), visit2(mu, child, 4, stick, cross, &ok);
  after_slip(A, ld, 4, mu[3], child), visit2(mu, child, 4, stick, cross, &ok);
  after_slip(A, ld, 4, -mu[3], child), visit2(mu, child, 4, stick, cross, &ok);
  if (cross) after_cross(A, ld, 4, child), visit2(mu, child, 4, stick, cross, &ok);
  return all(&ok);
}

SSI_CLONES static bool without_stick(const double *mu, const lanes *A, int ld) {
  return visit3(mu, A, ld, false, false);
}
SSI_CLONES static bool with_stick(const double *mu, const lanes *A, int ld) {
  return visit3(mu, A, ld, true, false);
}
SSI_CLONES static bool with_cross(const double *mu, const lanes *A, int ld) {
  return visit3(mu, A, ld, true, true);
}

static bool last_three(ssi_tree *t, const lanes *A, int ld) {
  if (++t->nodes % POLL == 0 && t->watch &&
      t->watch->stop(t->watch->user, t->before + (double)t->nodes * t->per_node))
    return t->stopped = true, false;
  if (t->cross) return with_cross(t->mu, A, ld);
  return t->stick ? with_stick(t->mu, A, ld) : without_stick(t->mu, A, ld);
}

SSI_CLONES static void step_slip(const lanes *A, int ld, int k, double a, lanes *out) {
  after_slip(A, ld, k, a, out);
}
SSI_CLONES static void step_stick(const lanes *A, int ld, int k, lanes *z, lanes *out) {
  after_stick(A, ld, k, z, out);
}
SSI_CLONES static void step_cross(const lanes *A, int ld, int k, lanes *out) {
  after_cross(A, ld, k, out);
}

// The complement after the first of m contacts, in state s. *ld: of the result.
static const lanes *child_of(ssi_tree *t, const lanes *A, int *ld, int m, int s) {
  int k = 2 * (m - 1), from = *ld;
  lanes *out = t->level[m - 1];
  if (s == SS_PATTERN_FREE) return A + 2 * from + 2;
  if (s == SS_PATTERN_STICK) step_stick(A, from, k, t->work[m], out);
  if (s == SS_PATTERN_SLIP_PLUS) step_slip(A, from, k, t->mu[m], out);
  if (s == SS_PATTERN_SLIP_MINUS) step_slip(A, from, k, -t->mu[m], out);
  if (s == SS_PATTERN_CROSS) step_cross(A, from, k, out);
  *ld = k;
  return out;
}

// The state of the first contact of m that has a pivot which is not positive, in some lane; -1:
// none.
static int failing_state(const ssi_tree *t, const lanes *A, int ld, double mu, int *lane) {
  for (*lane = 0; *lane < 4; ++*lane) {
    double nn = A[0][*lane], nt = A[1][*lane], tn = A[ld][*lane], tt = A[ld + 1][*lane];
    if (!(nn - nt * mu > 0)) return SS_PATTERN_SLIP_PLUS;
    if (!(nn + nt * mu > 0)) return SS_PATTERN_SLIP_MINUS;
    if (t->stick && !(nn * tt - nt * tn > 0)) return SS_PATTERN_STICK;
    if (t->cross && !(tt > 0)) return SS_PATTERN_CROSS;
  }
  return -1;
}

// Walks the subtree over m >= 1 contacts, states of path[n - m], path[n - m + 1], ... False:
// stopped, or one fails; then path is that pattern. trace: all the way down, to find what the last
// three hid.
static bool visit(ssi_tree *t, const lanes *A, int ld, int m, bool trace) {
  unsigned char *state = t->path + (t->n - m);
  if (m == 3 && !trace) {
    if (last_three(t, A, ld)) return true;
    return t->stopped ? false : visit(t, A, ld, m, true);
  }
  int lane, failed = failing_state(t, A, ld, t->mu[m], &lane);
  if (failed >= 0) {
    *state = (unsigned char)failed;
    memset(state + 1, SS_PATTERN_FREE, (size_t)(m - 1));
    if (!t->alone) t->path[0] = lane == 1 && !t->stick ? SS_PATTERN_FREE : (unsigned char)lane;
    return false;
  }
  for (int s = SS_PATTERN_FREE; m > 1 && s <= SS_PATTERN_CROSS; s++) {
    if ((s == SS_PATTERN_STICK && !t->stick) || (s == SS_PATTERN_CROSS && !t->cross)) continue;
    int child_ld = ld;
    const lanes *child = child_of(t, A, &child_ld, m, s);
    *state = (unsigned char)s;
    if (!visit(t, child, child_ld, m - 1, trace)) return false;
  }
  return true;
}

// The first contact decided for one state, into one lane of the complement over the others.
static void fill_lane(ssi_tree *t, const ssi_critical_part *p, int s, int lane) {
  int n2 = 2 * p->n, k = n2 - 2;
  const double *A = p->W;
  double mu = t->mu[p->n], a = s == SS_PATTERN_SLIP_PLUS    ? mu
                               : s == SS_PATTERN_SLIP_MINUS ? -mu
                                                            : 0;
  double l = A[n2] / A[0], rest = A[n2 + 1] - l * A[1];
  for (int i = 0; i < k; i++) {
    const double *row = A + (size_t)(i + 2) * (size_t)n2;
    double u = (row[0] - a * row[1]) / (A[0] - a * A[1]), w = (row[1] - u * A[1]) / rest;
    for (int j = 0; j < k; j++) {
      double x = A[j + 2], y = A[n2 + j + 2], entry = row[j + 2];
      if (s == SS_PATTERN_STICK)
        entry -= u * x + w * (y - l * x);  // (3)
      else if (s == SS_PATTERN_CROSS)
        entry -= row[1] / A[n2 + 1] * y;  // (4)
      else if (s != SS_PATTERN_FREE)
        entry -= u * x;  // (2)
      t->level[p->n - 1][i * k + j][lane] = entry;
    }
  }
}

static bool root_fails(ssi_tree *t, const ssi_critical_part *p) {
  lanes A[4];
  for (int k = 0; k < 4; k++)
    for (int lane = 0; lane < 4; lane++) A[k][lane] = p->W[(k / 2) * 2 * p->n + k % 2];
  int lane, failed = failing_state(t, A, 2, t->mu[p->n], &lane);
  if (failed < 0) return false;
  memset(t->path, SS_PATTERN_FREE, (size_t)p->n);
  t->path[0] = (unsigned char)failed;
  return true;
}

ssi_signs ssi_tree_test(ssi_tree *t, const ssi_critical_part *p, unsigned states, double mu,
                        const ssi_watch *watch, unsigned char *pattern) {
  int n = t->n = p->n;
  t->stick = states >> SS_PATTERN_STICK & 1, t->cross = states >> SS_PATTERN_CROSS & 1;
  t->watch = watch && watch->stop ? watch : NULL, t->stopped = false, t->alone = false;
  for (int m = 1; m <= n; m++) t->mu[m] = mu * p->g[n - m];
  t->before = 0, t->nodes = 0;
  t->per_node = ssi_pattern_count(3, states) * (t->stick ? 4 : 3);
  bool ok = !root_fails(t, p);
  if (ok && n > 1) {
    for (int s = SS_PATTERN_FREE; s <= SS_PATTERN_SLIP_MINUS; s++)
      fill_lane(t, p, s == SS_PATTERN_STICK && !t->stick ? SS_PATTERN_FREE : s, s);
    ok = visit(t, t->level[n - 1], 2 * (n - 1), n - 1, false);
  }
  if (ok && n > 1 && t->cross) {  // the fifth state of the first contact: all lanes the same
    t->before += (double)t->nodes * t->per_node, t->nodes = 0, t->per_node /= 4;
    t->alone = true, t->path[0] = SS_PATTERN_CROSS;
    for (int lane = 0; lane < 4; lane++) fill_lane(t, p, SS_PATTERN_CROSS, lane);
    ok = visit(t, t->level[n - 1], 2 * (n - 1), n - 1, false);
  }
  if (ok) return SSI_ALL_POSITIVE;
  if (t->stopped) return SSI_STOPPED;
  if (pattern) memcpy(pattern, t->path, (size_t)n);
  return SSI_ONE_FAILS;
}
