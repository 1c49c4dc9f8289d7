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
    for (int c = 0; c < node->columns; c++) t[c] = z->W[row * m + node->unknown[c]];
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
  if (!(fabs(ssi_node_row(node, 2 * i)[c]) > SMALL_PIVOT)) {
    node->demand[2 * i] = SSI_ROW_ZERO;
    return;
  }
  pivot(node, 2 * i, c);
  drop_column(node, c);
  node->demand[2 * i] = SSI_ROW_NOT_NEGATIVE;
}

static void swap_rows(ssi_node *node, int a, int b) {
  double *x = ssi_node_row(node, a), *y = ssi_node_row(node, b);
  for (int j = 0; j <= node->columns; j++) {
    double keep = x[j];
    x[j] = y[j], y[j] = keep;
  }
}

// u = 0 solved for r_N and r_T of contact i, the larger pivot first.
static void eliminate_stick(ssi_node *node, int i) {
  int c = find_column(node, 2 * i), row = 2 * i, k = 0;  // columns c and c + 1
  double best = 0;
  for (int r = 2 * i; r < 2 * i + 2; r++)
    for (int j = 0; j < 2; j++) {
      double size = fabs(ssi_node_row(node, r)[c + j]);
      if (size > best) best = size, row = r, k = j;
    }
  int other = 4 * i + 1 - row;
  const double *a = ssi_node_row(node, row), *b = ssi_node_row(node, other);
  double second = b[c + 1 - k] - b[c + k] * a[c + 1 - k] / (best > 0 ? a[c + k] : 1);
  if (!(best > SMALL_PIVOT && fabs(second) > SMALL_PIVOT)) {
    node->demand[row] = node->demand[other] = SSI_ROW_ZERO;
    return;
  }
  pivot(node, row, c + k);
  pivot(node, other, c + 1 - k);
  drop_column(node, c + 1);
  drop_column(node, c);
  if ((row == 2 * i) != (k == 0)) swap_rows(node, 2 * i, 2 * i + 1);  // r_N in the first row
  node->demand[2 * i] = SSI_ROW_CONE;
  node->demand[2 * i + 1] = SSI_ROW_ANY;
}

// r along (1, -mu) or (1, mu) only: one unknown instead of two.
static void take_side(ssi_node *node, int i, double mu, bool left) {
  int c = find_column(node, 2 * i);
  double length = ssi_side_length(mu), tangent = left ? mu * length : -mu * length;
  for (int row = 0; row < 2 * node->n; row++) {
    double *t = ssi_node_row(node, row);
    t[c] = length * t[c] + tangent * t[c + 1];
  }
  drop_column(node, c + 1);
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
  if (mode == SSI_RIGHT_SIDE || mode == SSI_LEFT_SIDE) take_side(child, i, mu[i], left);
  if (mode == SS_CELL_FREE) drop_column(child, find_column(child, 2 * i));
  if (mode == SS_CELL_STICK) eliminate_stick(child, i);
  if (mode == SS_CELL_SLIP_PLUS || mode == SS_CELL_SLIP_MINUS) eliminate_slip(child, i);
}

// Column c of the point: some number in 1/2 .. 1 that no linear relation knows.
static double coordinate(int c) {
  double x = 0.5 + 0.6180339887498949 * (c + 1);
  return 0.5 + 0.5 * (x - floor(x));
}

static double row_value(const ssi_node *node, int row) {
  const double *t = ssi_node_row(node, row);
  double s = t[node->columns];
  for (int c = 0; c < node->columns; c++) s += t[c] * coordinate(c);
  return s;
}

// r of contact i at the point.
static void reaction(const ssi_node *node, int i, double mu, double r[2]) {
  int mode = node->mode[i], c = find_column(node, 2 * i);
  bool gone = c < 0, pair = mode == SSI_OPEN || mode == SS_CELL_STICK;
  r[0] = r[1] = 0;
  if (mode == SS_CELL_FREE) return;
  double x = gone ? row_value(node, 2 * i) : coordinate(c);
  if (pair) {
    r[0] = x;
    r[1] = gone ? row_value(node, 2 * i + 1) : coordinate(c + 1);
    return;
  }
  bool left = mode == SSI_LEFT_SIDE || mode == SS_CELL_SLIP_MINUS;
  r[0] = x * ssi_side_length(mu);
  r[1] = left ? mu * r[0] : -mu * r[0];
}

// How far a row is from what it stands for.
static double row_error(const ssi_node *node, int row, double u) {
  int mode = node->mode[row / 2], tangent = row % 2;
  bool gone = find_column(node, row / 2 * 2) < 0;  // its unknowns are
  if (mode == SS_CELL_STICK && gone) return fabs(u);
  if ((mode == SS_CELL_SLIP_PLUS || mode == SS_CELL_SLIP_MINUS) && gone && !tangent) return fabs(u);
  double value = row_value(node, row);
  if (tangent) return fabs(fabs(value) - fabs(u));  // some are kept as -u_T
  return fabs(value - u);
}

double ssi_node_error(const ssi_node *node, const ssi_scaled *z, double *r, double *u) {
  double error = 0, size = 1;
  int m = z->m;
  for (int i = 0; i < z->n; i++) {
    reaction(node, i, z->mu[i], r + 2 * i);
    size = fmax(size, fmax(fabs(r[2 * i]), fabs(r[2 * i + 1])));
  }
  for (int row = 0; row < m; row++) {
    u[row] = z->q[row];
    for (int j = 0; j < m; j++) u[row] += z->W[row * m + j] * r[j];
    error = fmax(error, row_error(node, row, u[row]));
    size = fmax(size, fabs(u[row]));
  }
  return error / size;
}
