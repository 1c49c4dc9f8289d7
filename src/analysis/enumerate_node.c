// Nodes of the tree of contact states: entering a mode is dropping columns and pivoting.
#include <math.h>
#include <string.h>

#include "analysis/enumerate_tree.h"

static const double SMALL_PIVOT = 1e-7;  // W is scaled to a diagonal of order 1

bool ssi_node_take(ssi_node *node, ssi_arena *arena, int n) {
  *node = (ssi_node){.n = n};
  node->T = SSI_TAKE(arena, 2 * n * (2 * n + 1), double);
  node->unknown = SSI_TAKE(arena, 2 * n, int);
  node->mode = SSI_TAKE(arena, 3 * n, uint8_t);
  node->demand = node->mode ? node->mode + n : NULL;
  return !arena->failed;
}

void ssi_node_root(ssi_node *node, const ssi_scaled *z) {
  int n = z->n, m = 2 * n;
  node->columns = 0;
  node->share = 1;
  for (int i = 0; i < n; i++) {
    bool friction = z->mu[i] > 0;
    node->mode[i] = friction ? SSI_OPEN : SSI_NORMAL;
    node->demand[2 * i] = SSI_ROW_NOT_NEGATIVE;
    node->demand[2 * i + 1] = SSI_ROW_ANY;
    node->unknown[node->columns++] = 2 * i;
    if (friction) node->unknown[node->columns++] = 2 * i + 1;
  }
  for (int row = 0; row < m; row++) {
    double *t = ssi_node_row(node, row);
    for (int c = 0; c < node->columns; c++) {
      int i = node->unknown[c] / 2;
      double mu = node->unknown[c] % 2 ? z->mu[i] : -z->mu[i];
      t[c] = z->W[row * m + 2 * i] + mu * z->W[row * m + 2 * i + 1];
    }
    t[node->columns] = z->q[row];
  }
}

static int find_column(const ssi_node *node, int unknown) {
  for (int c = 0; c < node->columns; c++)
    if (node->unknown[c] == unknown) return c;
  return -1;
}

// Row `row` = 0 is solved for column c, which leaves; the row becomes that unknown.
static void pivot(ssi_node *node, int row, int c) {
  int width = node->columns + 1;
  double *p = ssi_node_row(node, row), inverse = -1 / p[c];
  for (int j = 0; j < width; j++) p[j] *= inverse;
  p[c] = 0;
  for (int r = 0; r < 2 * node->n; r++) {
    double *t = ssi_node_row(node, r), factor = t[c];
    if (r == row || factor == 0) continue;
    t[c] = 0;
    for (int j = 0; j < width; j++) t[j] += factor * p[j];
  }
}

static void drop_column(ssi_node *node, int c) {
  int width = node->columns + 1;
  double *to = node->T;
  for (int r = 0; r < 2 * node->n; r++) {
    const double *from = node->T + (size_t)r * (size_t)width;
    for (int j = 0; j < width; j++)
      if (j != c) *to++ = from[j];
  }
  for (int j = c; j + 1 < node->columns; j++) node->unknown[j] = node->unknown[j + 1];
  node->columns--;
}

// u_N = 0 solved for the one unknown of contact i.
static void eliminate_slip(ssi_node *node, int i) {
  int c = find_column(node, 2 * i);
  if (c < 0) c = find_column(node, 2 * i + 1);
  if (!(fabs(ssi_node_row(node, 2 * i)[c]) > SMALL_PIVOT)) {
    node->demand[2 * i] = SSI_ROW_ZERO;
    return;
  }
  pivot(node, 2 * i, c);
  drop_column(node, c);
  node->demand[2 * i] = SSI_ROW_NOT_NEGATIVE;
}

// u = 0 solved for both unknowns of contact i, the larger pivot first.
static void eliminate_stick(ssi_node *node, int i, double mu) {
  int c[2] = {find_column(node, 2 * i), find_column(node, 2 * i + 1)}, row = 2 * i, k = 0;
  double best = 0;
  for (int r = 2 * i; r < 2 * i + 2; r++)
    for (int j = 0; j < 2; j++) {
      double size = fabs(ssi_node_row(node, r)[c[j]]);
      if (size > best) best = size, row = r, k = j;
    }
  int other = 4 * i + 1 - row;
  const double *a = ssi_node_row(node, row), *b = ssi_node_row(node, other);
  double second = b[c[1 - k]] - b[c[k]] * a[c[1 - k]] / (best > 0 ? a[c[k]] : 1);
  node->demand[row] = node->demand[other] = SSI_ROW_NOT_NEGATIVE;
  if (!(best > SMALL_PIVOT && fabs(second) > SMALL_PIVOT * fmin(1, mu))) {
    node->demand[row] = node->demand[other] = SSI_ROW_ZERO;
    return;
  }
  pivot(node, row, c[k]);
  pivot(node, other, c[1 - k]);
  drop_column(node, c[0] > c[1] ? c[0] : c[1]);
  drop_column(node, c[0] > c[1] ? c[1] : c[0]);
}

static void turn_row(ssi_node *node, int row) {
  double *t = ssi_node_row(node, row);
  for (int j = 0; j <= node->columns; j++) t[j] = -t[j];
}

void ssi_node_enter(const ssi_node *parent, const double *mu, int i, int mode, ssi_node *child) {
  int n = parent->n, from = parent->mode[i];
  child->columns = parent->columns;
  memcpy(child->T, parent->T, sizeof(double) * 2 * (size_t)n * (size_t)(parent->columns + 1));
  memcpy(child->unknown, parent->unknown, sizeof(int) * (size_t)parent->columns);
  memcpy(child->mode, parent->mode, 3 * (size_t)n);
  child->mode[i] = (uint8_t)mode;
  bool left = mode == SSI_LEFT_SIDE || (from == SSI_NORMAL && mode == SS_CELL_SLIP_MINUS);
  if (left) turn_row(child, 2 * i + 1);
  if (mode != SS_CELL_STICK && !(from == SSI_NORMAL && mode == SS_CELL_FREE))
    child->demand[2 * i + 1] = SSI_ROW_NOT_NEGATIVE;
  if (mode == SSI_RIGHT_SIDE) drop_column(child, find_column(child, 2 * i + 1));
  if (mode == SSI_LEFT_SIDE) drop_column(child, find_column(child, 2 * i));
  if (mode == SS_CELL_FREE) {
    int c = find_column(child, 2 * i);
    drop_column(child, c >= 0 ? c : find_column(child, 2 * i + 1));
  }
  if (mode == SS_CELL_STICK) eliminate_stick(child, i, mu[i]);
  if (mode == SS_CELL_SLIP_PLUS || mode == SS_CELL_SLIP_MINUS) eliminate_slip(child, i);
}
