// problem/courses.h - a wall in running bond, in lengths of a brick: rows 0, 2, ... have `cols` bricks, rows 1, 3, ...
// are shifted by half a brick and begin and end with halves, so that every block rests with its centre between
// its supports.
#pragma once

#include <math.h>

static inline int ssi_course_count(int row, int cols) {
  return cols + row % 2;
}

// Where block j of a row is: from *left to *right.
static inline void ssi_course_block(int row, int cols, int j, double *left, double *right) {
  double shift = row % 2 ? 0.5 : 0;
  *left = fmax(0, j - shift);
  *right = fmin(cols, j + 1 - shift);
}
