// See phase1.h. Variables are numbered: 0 .. cols-1 are x, cols + i is the slack s_i = (A x + c)_i of an
// inequality, cols + rows + i the artificial t_i of row i. A row begins as
//
//     s = c + A x                    an inequality with c >= 0
//     t = -c - A x + s               an inequality with c < 0
//     t = sign (c + A x)             an equation, sign = that of c
//
// and with y the multipliers of c + A x - s - sign t = 0 (sign = -1 for the second kind) the reduced costs
// are -A^T y - wish of x, y of s, 1 + sign y of t: (2) is read off at the end. An artificial that has left
// never returns.
#include "la/phase1.h"

#include <math.h>
#include <string.h>

#include "base/clones.h"

static const double PIVOT = 1e-11;    // smallest entry that is pivoted on
static const double MISSING = 1e-11;  // a sum below this is rounding

bool ssi_phase1_take(ssi_phase1 *s, int rows, int cols, ssi_arena *arena) {
  int width = cols + rows;
  *s = (ssi_phase1){.A = SSI_TAKE(arena, rows * cols, double), .c = SSI_TAKE(arena, rows, double)};
  s->equal = SSI_TAKE(arena, rows, bool), s->wish = SSI_TAKE(arena, cols, double);
  s->x = SSI_TAKE(arena, cols, double), s->y = SSI_TAKE(arena, rows, double);
  s->T = SSI_TAKE(arena, rows * width, double), s->cost = SSI_TAKE(arena, width, double);
  s->b = SSI_TAKE(arena, rows, double);
  s->basic = SSI_TAKE(arena, rows, int), s->nonbasic = SSI_TAKE(arena, width, int);
  return !arena->failed;
}

static int begin(ssi_phase1 *s) {
  int width = s->cols, total;
  for (int i = 0; i < s->rows; i++) width += !s->equal[i] && s->c[i] < 0;
  total = width;
  for (int j = 0; j < s->cols; j++) s->nonbasic[j] = j;
  memset(s->cost, 0, sizeof(double) * (size_t)width);
  for (int j = 0; j < s->cols; j++) s->cost[j] = -s->wish[j];
  memset(s->T, 0, sizeof(double) * (size_t)(width * s->rows));
  s->missing = 0;
  for (int i = 0, slack = s->cols; i < s->rows; i++) {
    double sign = s->c[i] < 0 ? -1 : 1, *row = s->T + i * width;
    bool artificial = s->equal[i] || s->c[i] < 0;
    for (int j = 0; j < s->cols; j++) row[j] = sign * s->A[i * s->cols + j];
    s->b[i] = fabs(s->c[i]);
    s->basic[i] = s->cols + (artificial ? s->rows : 0) + i;
    if (!s->equal[i] && artificial) row[slack] = 1, s->nonbasic[slack++] = s->cols + i;
    if (!artificial) continue;
    for (int j = 0; j < width; j++) s->cost[j] += row[j];
    s->missing += s->b[i];
  }
  return total;
}

// The most promising column (Dantzig), or the first (Bland) once cycling must be feared. -1: none.
static int entering(const ssi_phase1 *s, int width, bool bland) {
  int best = -1;
  for (int j = 0; j < width; j++) {
    if (s->nonbasic[j] >= s->cols + s->rows || !(s->cost[j] < -1e-12)) continue;
    if (best >= 0 && (bland ? s->nonbasic[j] > s->nonbasic[best] : s->cost[j] >= s->cost[best]))
      continue;
    best = j;
  }
  return best;
}

// The row that limits the entering variable; of equals the one with the largest pivot.
static int leaving(const ssi_phase1 *s, int width, int column, bool bland) {
  int best = -1;
  double least = INFINITY;
  for (int i = 0; i < s->rows; i++) {
    double slope = s->T[i * width + column];
    if (!(slope < -PIVOT)) continue;
    double step = s->b[i] / -slope;
    bool tie = best >= 0 && fabs(step - least) <= 1e-14 * (1 + least);
    bool better = bland ? best >= 0 && s->basic[i] < s->basic[best]
                        : best >= 0 && slope < s->T[best * width + column];
    if (best < 0 || (tie ? better : step < least)) best = i, least = step;
  }
  return best;
}

// y += factor x
SSI_INLINE void add_row(int n, double factor, const double *restrict x, double *restrict y) {
  for (int j = 0; j < n; j++) y[j] += factor * x[j];
}

SSI_CLONES static void exchange(ssi_phase1 *s, int width, int row, int column) {
  double *out = s->T + row * width, inverse = 1 / out[column];
  for (int j = 0; j < width; j++) out[j] *= -inverse;
  out[column] = inverse;
  double b = s->b[row] = fmax(-s->b[row] * inverse, 0);
  for (int i = 0; i < s->rows; i++) {
    double *at = s->T + i * width, factor = at[column];
    if (i == row || factor == 0) continue;
    at[column] = 0;
    add_row(width, factor, out, at);
    s->b[i] = fmax(s->b[i] + factor * b, 0);
  }
  double factor = s->cost[column];
  s->cost[column] = 0;
  add_row(width, factor, out, s->cost);
  s->missing += factor * b;
  int variable = s->basic[row];
  s->basic[row] = s->nonbasic[column], s->nonbasic[column] = variable;
}

static void read_answers(ssi_phase1 *s, int width) {
  memset(s->x, 0, sizeof(double) * (size_t)s->cols);
  for (int i = 0; i < s->rows; i++) {
    if (s->basic[i] < s->cols) s->x[s->basic[i]] = s->b[i];
    s->y[i] = s->equal[i] ? (s->c[i] < 0 ? 1 : -1) : 0;  // of a basic artificial, a basic slack
  }
  for (int j = 0; j < width; j++) {
    int variable = s->nonbasic[j] - s->cols;
    if (variable < 0) continue;
    if (variable < s->rows)
      s->y[variable] = fmax(s->cost[j], 0);
    else if (s->equal[variable - s->rows])
      s->y[variable - s->rows] = (s->c[variable - s->rows] < 0 ? -1 : 1) * (s->cost[j] - 1);
  }
}

ssi_phase1_state ssi_phase1_solve(ssi_phase1 *s) {
  int width = begin(s), most = 20 * (width + s->rows) + 20;
  ssi_phase1_state state = SSI_PHASE1_FAILED;
  for (int pivot = 0; pivot < most; pivot++) {
    bool bland = pivot > most / 2;
    int column = s->missing > MISSING ? entering(s, width, bland) : -1;
    if (column < 0) {
      state = s->missing > MISSING ? SSI_PHASE1_INFEASIBLE : SSI_PHASE1_FEASIBLE;
      break;
    }
    int row = leaving(s, width, column, bland);
    if (row < 0) break;  // falls without end: what is wished cannot be had, or rounding
    exchange(s, width, row, column);
  }
  read_answers(s, width);
  return state;
}
