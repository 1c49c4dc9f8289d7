#include "dynamics/scene/curve.h"

#include <math.h>
#include <stddef.h>

#include "dynamics/scene/imposed.h"

// The piece that x is on: -1 below the first row, k between rows k and k + 1, rows - 1 from the last row on.
static int piece(const ssi_curve *c, double x) {
  if (x < c->table[0]) return -1;
  if (x >= c->table[2 * (size_t)(c->rows - 1)]) return c->rows - 1;
  return ssi_table_row(c->table, c->rows, 2, x);
}

static double slope_of(const ssi_curve *c, int k) {
  if (k < 0 || k >= c->rows - 1) return 0;
  const double *row = c->table + 2 * (size_t)k;
  return (row[3] - row[1]) / (row[2] - row[0]);
}

// F(x) on the piece k or at an end of it
static double value_on(const ssi_curve *c, int k, double x) {
  const double *row = c->table + 2 * (size_t)(k < 0 ? 0 : k);
  return k < 0 ? row[1] : row[1] + slope_of(c, k) * (x - row[0]);
}

double ssi_curve_at(const ssi_curve *c, double x, double *slope) {
  if (!c->rows) return *slope = c->slope, c->slope * x;
  int k = piece(c, x);
  *slope = slope_of(c, k);
  return value_on(c, k, x);
}

double ssi_curve_steepest(const ssi_curve *c) {
  double most = c->rows ? 0 : fmax(c->slope, 0);
  for (int k = 0; k < c->rows - 1; k++) most = fmax(most, slope_of(c, k));
  return most;
}

// The integral over low .. high, piece by piece: no difference of large numbers.
static double between(const ssi_curve *c, double low, double high) {
  int last = piece(c, high);
  double sum = 0;
  for (int k = piece(c, low); k <= last; k++) {
    double end = k == last ? high : c->table[2 * (size_t)(k + 1)];
    sum += (end - low) * (value_on(c, k, low) + value_on(c, k, end)) / 2;
    low = end;
  }
  return sum;
}

double ssi_curve_mean(const ssi_curve *c, double x0, double x1, double *slope) {
  double after, before = ssi_curve_at(c, x0, slope), end = ssi_curve_at(c, x1, &after);
  if (!c->rows || piece(c, x0) == piece(c, x1)) {
    *slope /= 2;
    return before + (end - before) / 2;
  }
  double low = fmin(x0, x1), high = fmax(x0, x1), mean = between(c, low, high) / (high - low);
  *slope = fmin((end - mean) / (x1 - x0), ssi_curve_steepest(c));  // rounding, for x1 near x0
  return mean;
}

double ssi_curve_integral(const ssi_curve *c, double x) {
  double slope;
  return x * ssi_curve_mean(c, 0, x, &slope);
}
