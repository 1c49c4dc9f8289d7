// crosscheck/kinds_joints.c - see kinds_joints.h.
#include "kinds_joints.h"

#include <string.h>

// joints columns of decimals; half of their entries are zero, so that parts stay apart or are joined.
static void add_joints(uint64_t *g, int joints, draft *d) {
  bool rest = chance(g, 50);
  for (int j = d->joints; j < d->joints + joints; j++) {
    for (int k = 0; k < d->dofs; k++) d->G[k][j] = chance(g, 50) ? 0 : whole(g, -20, 20);
    d->b[j] = rest ? 0 : whole(g, -200, 200);
  }
  d->joints += joints;
}

// to = sum of a few times the columns before it.
static void repeat_joint(uint64_t *g, int from, draft *d) {
  int to = d->joints++, kind = whole(g, 0, 2);
  memset(&d->b[to], 0, sizeof d->b[to]);
  for (int k = 0; k < d->dofs; k++) d->G[k][to] = 0;
  for (int j = 0; j < from; j++) {
    long times = kind == 0   ? j == 0
                 : kind == 1 ? (j == from - 1) * whole(g, -3, 3)
                             : whole(g, -2, 2);
    for (int k = 0; k < d->dofs; k++) d->G[k][to] += times * d->G[k][j];
    d->b[to] += times * d->b[j];
  }
}

static void some_rest(uint64_t *g, draft *d) {
  if (chance(g, 40)) memset(d->w, 0, sizeof d->w);
  if (chance(g, 15)) memset(d->f, 0, sizeof d->f);
}

// The decimals of a draft as they are, but whole: every number of them is exact in doubles.
static void make_whole(uint64_t *g, draft *d) {
  d->hd = d->fd = d->wd = 1;
  d->md = 2;
  for (int i = 0; i < d->n; i++) d->mu[i] = whole(g, 0, 4);
  for (int k = 0; k < d->dofs; k++) d->M[k] = 1L << whole(g, 0, 2), d->f[k] = whole(g, -2, 2);
  for (int i = 0; i < 2 * d->n; i++) {
    d->w[i] = whole(g, -1, 1);
    for (int k = 0; k < d->dofs; k++) d->H[i][k] = chance(g, 40) ? 0 : whole(g, -2, 2);
  }
  for (int j = 0; j < d->joints; j++) {
    d->b[j] = whole(g, -1, 1);
    for (int k = 0; k < d->dofs; k++) d->G[k][j] = chance(g, 40) ? 0 : whole(g, -2, 2);
  }
}

// Rows without structure, fewer than degrees of freedom, joining parts or not.
void make_joints(uint64_t *g, sample *s) {
  draft d;
  int n = whole(g, 1, 4), dofs = whole(g, 2, 8);
  draft_decimals(g, n, dofs, &d);
  for (int i = 0; i < 2 * n; i++)
    for (int k = 0; k < dofs; k++)
      if (chance(g, 30)) d.H[i][k] = 0;
  add_joints(g, whole(g, 1, dofs > 4 ? 4 : dofs - 1), &d);
  some_rest(g, &d);
  if (chance(g, 30)) make_whole(g, &d);
  global_of_draft(&d, s);
}

// Whole numbers, so that redundant rows are redundant and contradictory ones contradictory exactly.
void make_joints_redundant(uint64_t *g, sample *s) {
  draft d;
  int n = whole(g, 1, 3), dofs = whole(g, 2, 5);
  draft_decimals(g, n, dofs, &d);
  add_joints(g, whole(g, 1, dofs > 3 ? 3 : dofs - 1), &d);
  make_whole(g, &d);
  some_rest(g, &d);
  int own = d.joints;
  if (chance(g, 40)) memset(d.b, 0, sizeof d.b);
  for (int more = whole(g, 1, 2); more > 0; more--) repeat_joint(g, own, &d);
  if (chance(g, 10))  // a row of nothing
    for (int k = 0; k < dofs; k++) d.G[k][0] = 0;
  if (chance(g, 30)) {  // the last asks for something else, by 1 or by much less
    long finer = 1;
    for (int k = whole(g, 0, 3); k > 0; k--) finer *= 1024;
    for (int j = 0; j < d.joints; j++) d.b[j] *= finer;
    for (int i = 0; i < 2 * n; i++) d.w[i] *= finer;
    d.wd = finer;
    d.b[d.joints - 1] += chance(g, 50) ? 1 : -1;
  }
  global_of_draft(&d, s);
}

// Redundant in decimals: rounding makes rows independent, or contradictory.
void make_joints_rounded(uint64_t *g, sample *s) {
  draft d;
  int n = whole(g, 1, 3), dofs = whole(g, 2, 5);
  draft_decimals(g, n, dofs, &d);
  add_joints(g, whole(g, 1, dofs > 3 ? 3 : dofs - 1), &d);
  some_rest(g, &d);
  int own = d.joints;
  for (int more = whole(g, 1, 2); more > 0; more--) repeat_joint(g, own, &d);
  global_of_draft(&d, s);
}

// As many independent rows as degrees of freedom, or more: v is what they say. H v + w is then zero in
// some rows, exactly or but for rounding.
void make_joints_locked(uint64_t *g, sample *s) {
  draft d;
  int n = whole(g, 1, 4), dofs = whole(g, 1, 4);
  long v[KIND_ROWS];
  bool exact = chance(g, 50);
  draft_decimals(g, n, dofs, &d);
  add_joints(g, dofs, &d);
  if (exact) make_whole(g, &d);
  if (exact) d.wd = 1;
  for (int k = 0; k < dofs; k++) {
    v[k] = chance(g, 30) ? 0 : whole(g, -2, 2) * (exact ? 1 : 3);
    d.G[k][k] = whole(g, 1, 2) * (chance(g, 50) ? 1 : -1);
  }
  for (int j = 0; j < dofs; j++) {  // b = -G^T v, in tenths of tenths
    d.b[j] = 0;
    for (int k = 0; k < dofs; k++) d.b[j] -= d.G[k][j] * v[k];
  }
  for (int i = 0; i < 2 * n; i++) {
    long velocity = 0;
    for (int k = 0; k < dofs; k++) velocity += d.H[i][k] * v[k];
    d.w[i] = -velocity + (chance(g, 60) ? 0 : whole(g, -1, 2) * (exact ? 1 : 30));
  }
  if (chance(g, 30)) repeat_joint(g, dofs, &d);
  global_of_draft(&d, s);
}
