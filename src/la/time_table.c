#include "la/time_table.h"

#include <stddef.h>

int ssi_table_row(const double *table, int rows, int width, double t) {
  int low = 0, high = rows - 1;
  while (high - low > 1) {
    int mid = low + (high - low) / 2;
    if (table[(size_t)mid * (size_t)width] <= t)
      low = mid;
    else
      high = mid;
  }
  return low;
}

void ssi_table_at(const double *table, int rows, int width, double t, double *out) {
  int low = ssi_table_row(table, rows, width, t), high = low < rows - 1 ? low + 1 : low;
  const double *a = table + (size_t)low * (size_t)width, *b = table + (size_t)high * (size_t)width;
  double part = b[0] > a[0] ? (t - a[0]) / (b[0] - a[0]) : 0;
  part = part < 0 ? 0 : part > 1 ? 1 : part;
  for (int k = 1; k < width; k++) out[k - 1] = a[k] + part * (b[k] - a[k]);
}
