#include "certify/joints.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "la/dd.h"

enum { DENOMINATORS = 12 };
static const double WHOLE =
    1e-7;  // from a whole number: the coefficients are known to rank_tol or better
static const double LARGEST = 0x1p20;  // whole multiple that is tried

typedef struct repeated {
  const ss_sparse *G;
  const double *b;
  const ssi_joint_group *g;
  double *part;     // of a constraint in those of the pivots    (rows)
  double *times;    // the same, multiplied by d, whole, by constraint: -d for itself   (nl)
  ssi_dd *balance;  // G times (n), to be zero
} repeated;

// part of column k >= rank: R_11 part = R_1k
static void find_parts(const repeated *x, int k) {
  const ssi_joint_group *g = x->g;
  size_t dofs = (size_t)g->dofs;
  for (int i = g->rank - 1; i >= 0; i--) {
    double sum = g->R[(size_t)k * dofs + (size_t)i];
    for (int c = i + 1; c < g->rank; c++) sum -= g->R[(size_t)c * dofs + (size_t)i] * x->part[c];
    x->part[i] = sum / g->R[(size_t)i * dofs + (size_t)i];
  }
}

static bool is_whole(const repeated *x, int d) {
  for (int i = 0; i < x->g->rank; i++) {
    double times = d * x->part[i];
    if (!(fabs(times) <= LARGEST && fabs(times - rint(times)) <= WHOLE * d)) return false;
  }
  return true;
}

// G times = 0 and b.times = 0, exactly. The products of whole numbers below 2^20 are exact in double-double, and so is
// a sum that cancels.
static bool is_exact(const repeated *x, int n) {
  ssi_dd work = {0, 0};
  for (int i = 0; i < n; i++) x->balance[i] = work;
  for (int i = 0; i < n; i++) {
    for (int64_t e = x->G->ptr[i]; e < x->G->ptr[i + 1]; e++)
      x->balance[i] = ssi_dd_add(x->balance[i], ssi_two_prod(x->G->x[e], x->times[x->G->col[e]]));
    if (x->balance[i].hi != 0 || x->balance[i].lo != 0) return false;
  }
  for (int k = 0; k < x->G->cols; k++) work = ssi_dd_add(work, ssi_two_prod(x->b[k], x->times[k]));
  return work.hi == 0 && work.lo == 0;
}

static bool repeats_exactly(const repeated *x, int k, int n) {
  const ssi_joint_group *g = x->g;
  find_parts(x, k);
  for (int d = 1; d <= DENOMINATORS; d++) {
    if (!is_whole(x, d)) continue;
    memset(x->times, 0, sizeof *x->times * (size_t)x->G->cols);
    for (int i = 0; i < g->rank; i++) x->times[g->row[g->pivot[i]]] = rint(d * x->part[i]);
    x->times[g->row[g->dofs ? g->pivot[k] : k]] = -d;
    if (is_exact(x, n)) return true;
  }
  return false;
}

ss_error ssi_joints_ask_redundant(ssi_arena *arena, const ss_sparse *G, const double *b,
                                  double rank_tol, bool *blurred) {
  ssi_joints j;
  *blurred = false;
  SS_TRY(ssi_joints_create(arena, G, b, rank_tol, &j));
  repeated x = {.G = G, .b = b};
  x.part = SSI_TAKE(arena, G->cols, double);
  x.times = SSI_TAKE(arena, G->cols, double);
  x.balance = SSI_TAKE(arena, G->rows, ssi_dd);
  if (arena->failed) return SS_ERR_MEMORY;
  for (int g = 0; g < j.count && !*blurred; g++) {
    x.g = &j.group[g];
    for (int k = x.g->rank; k < x.g->rows && !*blurred; k++)
      *blurred = !repeats_exactly(&x, k, G->rows);
  }
  return SS_OK;
}
