#include "la/anderson.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/clones.h"
#include "base/parallel.h"
#include "la/small_cholesky.h"

// Sums are taken over parts of this many numbers and then over the parts, in order: the same bits for any
// number of threads.
enum { PART = 1 << 15 };

// ---- passes over n numbers -----------------------------------------------------------------

typedef double lanes __attribute__((vector_size(4 * sizeof(double)), aligned(8), may_alias));

// Eight running sums in a fixed order: the same bits with and without AVX2.
SSI_CLONES static double dot(int64_t n, const double *a, const double *b) {
  lanes s0 = {0}, s1 = {0};
  int64_t k = 0;
  for (; k + 8 <= n; k += 8) {
    s0 += *(const lanes *)(a + k) * *(const lanes *)(b + k);
    s1 += *(const lanes *)(a + k + 4) * *(const lanes *)(b + k + 4);
  }
  s0 += s1;
  double sum = (s0[0] + s0[1]) + (s0[2] + s0[3]);
  for (; k < n; k++) sum += a[k] * b[k];
  return sum;
}

// f, g <- of this evaluation; dF, dG <- what they changed by. From `from` to before `to`.
SSI_CLONES static void take_differences(const ssi_anderson *a, int64_t from, int64_t to,
                                        const double *restrict value, double *restrict dF,
                                        double *restrict dG) {
  double *restrict f = a->f, *restrict g = a->g;
  const double *restrict x = a->x, *restrict weight = a->weight;
  for (int64_t k = from; k < to; k++) {
    double now = (value[k] - x[k]) * (weight ? weight[k] : 1);
    dF[k] = now - f[k];
    dG[k] = value[k] - g[k];
    f[k] = now;
    g[k] = value[k];
  }
}

SSI_CLONES static void subtract(int64_t n, double factor, const double *restrict a,
                                double *restrict x) {
  for (int64_t k = 0; k < n; k++) x[k] -= factor * a[k];
}

static void copy(int64_t n, const double *from, double *to) {
  if (n) memcpy(to, from, sizeof(double) * (size_t)n);
}

// ---- the least squares problem -------------------------------------------------------------

// gamma of (1), in place of dF^T f, from ( dF^T dF + regularisation trace I ) gamma = dF^T f. Divided by
// the trace, so that the units of x do not matter.
static bool solve_gamma(const ssi_anderson *a, double *gamma) {
  int n = a->columns, memory = a->rule.memory;
  double A[SSI_ANDERSON_MEMORY][SSI_ANDERSON_MEMORY], trace = 0;
  for (int i = 0; i < n; i++) trace += a->gram[memory * i + i];
  if (!(trace > DBL_MIN) || !isfinite(trace)) return false;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) A[i][j] = a->gram[memory * i + j] / trace;
    A[i][i] += a->rule.regularisation;
    gamma[i] /= trace;
  }
  if (!ssi_cholesky(n, A[0], SSI_ANDERSON_MEMORY, 0, 4 * DBL_EPSILON)) return false;
  ssi_cholesky_solve(n, A[0], SSI_ANDERSON_MEMORY, gamma, 1);
  for (int i = 0; i < n; i++)
    if (!isfinite(gamma[i])) return false;
  return true;
}

// ---- interface -----------------------------------------------------------------------------

bool ssi_anderson_create(ssi_arena *arena, int64_t n, ssi_anderson_rule rule, const double *weight,
                         ssi_anderson *out) {
  if (rule.memory < 0) rule.memory = 0;
  if (rule.memory > SSI_ANDERSON_MEMORY) rule.memory = SSI_ANDERSON_MEMORY;
  if (rule.period < 1) rule.period = 1;
  if (rule.threads < 1 || n <= PART) rule.threads = 1;
  *out = (ssi_anderson){.rule = rule, .n = n, .weight = weight};
  out->x = SSI_TAKE(arena, n, double);
  out->f = SSI_TAKE(arena, n, double);
  out->g = SSI_TAKE(arena, n, double);
  out->dF = ssi_arena_take(arena, (size_t)n, sizeof(double) * (size_t)(rule.memory + 1));
  out->dG = ssi_arena_take(arena, (size_t)n, sizeof(double) * (size_t)(rule.memory + 1));
  out->gram = SSI_TAKE(arena, rule.memory * rule.memory, double);
  out->part_count = (int)(n / PART + (n % PART != 0));
  out->parts = SSI_TAKE(arena, (int64_t)out->part_count * (2 * rule.memory + 1), double);
  return !arena->failed;
}

static void forget(ssi_anderson *a) {
  a->columns = a->slot = a->steps = 0;
  a->extrapolated = false;
}

void ssi_anderson_begin(ssi_anderson *a, const double *x) {
  forget(a);
  a->started = false;
  a->norm = INFINITY;
  copy(a->n, x, a->x);
}

// The extrapolation made things worse: back to the plain iterate before it, and start anew there.
static ssi_anderson_action reject(ssi_anderson *a, double *x) {
  forget(a);
  a->started = false;
  copy(a->n, a->g, x);
  copy(a->n, a->g, a->x);
  return SSI_ANDERSON_REJECTED;
}

// ---- one step ------------------------------------------------------------------------------

// Sum of the squares of G(x) - x times the weights.
SSI_CLONES static double squares(const ssi_anderson *a, int64_t from, int64_t to,
                                 const double *value) {
  const double *x = a->x, *weight = a->weight;
  lanes sum = {0};
  int64_t k = from;
  for (; k + 4 <= to; k += 4) {
    lanes f = *(const lanes *)(value + k) - *(const lanes *)(x + k);
    if (weight) f *= *(const lanes *)(weight + k);
    sum += f * f;
  }
  double total = (sum[0] + sum[1]) + (sum[2] + sum[3]);
  for (; k < to; k++) {
    double f = (value[k] - x[k]) * (weight ? weight[k] : 1);
    total += f * f;
  }
  return total;
}

static double sum_of(const ssi_anderson *a, const double *parts) {
  double sum = 0;
  for (int k = 0; k < a->part_count; k++) sum += parts[k];
  return sum;
}

static int64_t end_of(const ssi_anderson *a, int part) {
  return a->n - (int64_t)PART * part < PART ? a->n : (int64_t)PART * (part + 1);
}

static double distance(const ssi_anderson *a, const double *value) {
  SSI_EACH(a->rule.threads, k, a->part_count,
           a->parts[k] = squares(a, (int64_t)PART * k, end_of(a, k), value));
  return sqrt(sum_of(a, a->parts));
}

// The differences of this step go into column `at`; products with the first `columns` columns, the newest
// among them, and of those with f, are summed part by part.
static void take_part(ssi_anderson *a, const double *value, int at, int columns, int part) {
  double *dF = a->dF + a->n * at, *dG = a->dG + a->n * at;
  int64_t from = (int64_t)PART * part, to = end_of(a, part), stride = a->part_count;
  take_differences(a, from, to, value, dF, dG);
  for (int i = 0; i < columns; i++) {
    const double *column = a->dF + a->n * i + from;
    a->parts[stride * (2 * i) + part] = dot(to - from, column, dF + from);
    a->parts[stride * (2 * i + 1) + part] = dot(to - from, column, a->f + from);
  }
}

static void take_column(ssi_anderson *a, const double *value, int at, int columns) {
  SSI_EACH(a->rule.threads, k, a->part_count, take_part(a, value, at, columns, k));
}

// The newest column goes into the ring and its row into the Gram matrix; right <- dF^T f.
static void keep_column(ssi_anderson *a, const double *value, double *right) {
  int memory = a->rule.memory, slot = a->slot;
  if (a->columns < memory) a->columns++;
  take_column(a, value, slot, a->columns);
  for (int i = 0; i < a->columns; i++) {
    a->gram[memory * i + slot] = a->gram[memory * slot + i] =
        sum_of(a, a->parts + (int64_t)a->part_count * (2 * i));
    right[i] = sum_of(a, a->parts + (int64_t)a->part_count * (2 * i + 1));
  }
  a->slot = (slot + 1) % memory;
}

// x <- x - dG gamma, and a->x <- x
static void extrapolate_part(ssi_anderson *a, int columns, const double *gamma, int part,
                             double *x) {
  int64_t from = (int64_t)PART * part, n = end_of(a, part) - from;
  for (int i = 0; i < columns; i++) subtract(n, gamma[i], a->dG + a->n * i + from, x + from);
  copy(n, x + from, a->x + from);
}

static void extrapolate(ssi_anderson *a, int columns, const double *gamma, double *x) {
  SSI_EACH(a->rule.threads, k, a->part_count, extrapolate_part(a, columns, gamma, k, x));
}

ssi_anderson_action ssi_anderson_next(ssi_anderson *a, double *x) {
  double last = a->norm;
  a->norm = distance(a, x);
  if (a->extrapolated && !(a->norm <= a->rule.growth * last)) {
    a->norm = last;
    return reject(a, x);
  }
  a->extrapolated = false;
  a->steps++;
  double gamma[SSI_ANDERSON_MEMORY];
  if (a->started && a->rule.memory > 0)
    keep_column(a, x, gamma);
  else  // without columns the differences are rubbish in a slot of their own
    take_column(a, x, a->rule.memory, 0);
  a->started = true;
  if (a->columns && a->steps >= a->rule.period && solve_gamma(a, gamma)) {
    a->steps = 0;
    a->extrapolated = true;
  }
  extrapolate(a, a->extrapolated ? a->columns : 0, gamma, x);
  return a->extrapolated ? SSI_ANDERSON_EXTRAPOLATED : SSI_ANDERSON_PLAIN;
}
