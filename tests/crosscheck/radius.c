// crosscheck/radius.c - see radius.h. For given signs of v all that the radii allow is linear:
//
//   u = H v + w + d,   |d_i| <= rad w_i + sum_j rad H_ij |v_j|,   u_N +- (mu - rad mu) u_T >= 0
//   G^T v + b + e = 0, |e_k| <= rad b_k + sum_j rad G_jk |v_j|
//
// so that one linear program in rationals per orthant of v decides.
#include "radius.h"

#include <math.h>
#include <string.h>

#include "simplex.h"

// At most: rows of contacts and joints, twice, and sides of cones.
typedef struct relaxed {
  int m, rows, dofs;
  double A[KIND_ROWS + EXACT_JOINTS][KIND_ROWS], c[KIND_ROWS + EXACT_JOINTS];  // [H; G^T], [w; b]
  double unit[KIND_ROWS + EXACT_JOINTS];                                       // of c
} relaxed;

static double radius(double x, double unit) {
  int exponent;
  double size = fmax(fabs(x), unit);
  frexp(size, &exponent);
  double scaled = ldexp(x, 26 - exponent);
  return scaled == rint(scaled) ? 0 : 0x1p-51 * size;
}

static relaxed relax(const sample *s) {
  relaxed R = {.m = 2 * s->n, .rows = 2 * s->n + s->joints, .dofs = s->dofs ? s->dofs : 2 * s->n};
  double largest = 0;
  for (int i = 0; i < R.rows; i++) {
    R.c[i] = i >= R.m ? s->b[i - R.m] : s->dofs ? s->w[i] : s->q[i];
    largest = fmax(largest, fabs(R.c[i]));
    for (int k = 0; k < R.dofs; k++)
      R.A[i][k] = i >= R.m ? s->G[k][i - R.m] : s->dofs ? s->H[i][k] : s->W[i][k];
  }
  for (int i = 0; i < R.rows; i++) {
    R.unit[i] = i < R.m ? 0 : largest;
    for (int j = 0; j < R.rows && i < R.m; j++)
      if (j >= R.m || !s->dofs || s->given.reach[i / 2] >> (j / 2) & 1)
        R.unit[i] = fmax(R.unit[i], fabs(R.c[j]));
  }
  return R;
}

// Columns: |v|; d = positive - negative part, per row; slacks of cones and of radii.
typedef struct program {
  qmat A, b;
  int slack;
} program;

static void add_to(mpq_ptr to, double x, double times) {
  mpq_t a, b;
  mpq_inits(a, b, NULL);
  mpq_set_d(a, x);
  mpq_set_d(b, times);
  mpq_mul(a, a, b);
  mpq_add(to, to, a);
  mpq_clears(a, b, NULL);
}

// row += times * (A v + c + d)_i
static void add_velocity(const relaxed *R, unsigned signs, int i, double times, program *P,
                         int row) {
  for (int k = 0; k < R->dofs; k++)
    add_to(qat(&P->A, row, k), R->A[i][k], signs >> k & 1 ? -times : times);
  add_to(qat(&P->A, row, R->dofs + 2 * i), 1, times);
  add_to(qat(&P->A, row, R->dofs + 2 * i + 1), 1, -times);
  add_to(P->b.x[row], R->c[i], -times);
}

// friction: 0 for (A'), where both sides of a cone are u_N >= 0.
static bool feasible(const sample *s, const relaxed *R, unsigned signs, double friction) {
  int sides = R->m, joints = R->rows - R->m, rows = sides + joints + R->rows;
  program P = {qmat_new(rows, R->dofs + 2 * R->rows + sides + R->rows), qmat_new(rows, 1),
               R->dofs + 2 * R->rows};
  int row = 0;
  for (int i = 0; i < s->n; i++)
    for (int side = -1; side <= 1; side += 2, row++) {
      double mu = friction * s->mu[i],
             least = mu - radius(mu, 0);  // one rounding off, which is no matter
      add_velocity(R, signs, 2 * i, 1, &P, row);
      add_velocity(R, signs, 2 * i + 1, side * least, &P, row);
      mpq_set_si(qat(&P.A, row, P.slack++), -1, 1);
    }
  for (int k = 0; k < joints; k++, row++) add_velocity(R, signs, R->m + k, 1, &P, row);
  for (int i = 0; i < R->rows; i++, row++) {
    for (int k = 0; k < 2; k++) mpq_set_si(qat(&P.A, row, R->dofs + 2 * i + k), 1, 1);
    for (int k = 0; k < R->dofs && s->dofs; k++)
      add_to(qat(&P.A, row, k), radius(R->A[i][k], 0), -1);
    mpq_set_si(qat(&P.A, row, P.slack++), 1, 1);
    add_to(P.b.x[row], radius(R->c[i], R->unit[i]), 1);
  }
  bool yes = lp_solve(&P.A, &P.b, NULL, NULL, NULL) == LP_OPTIMAL;
  qmat_free(&P.A);
  qmat_free(&P.b);
  return yes;
}

static bool somewhere(const sample *s, double friction) {
  relaxed R = relax(s);
  for (unsigned signs = 0; signs < 1u << R.dofs; signs++)
    if (feasible(s, &R, signs, friction)) return true;
  return false;
}

bool criterion_within_radius(const sample *s) {
  return somewhere(s, 1);
}

bool parting_within_radius(const sample *s) {
  return somewhere(s, 0);
}

// ---- parts --------------------------------------------------------------------------------------

static bool leads(const sample *s, int contact) {  // the first of its part
  unsigned before = (1u << contact) - 1;
  return s->dofs ? !(s->given.reach[contact] & before) : contact == 0;
}

int sample_parts(const sample *s) {
  int count = 0;
  for (int i = 0; i < s->n; i++) count += leads(s, i);
  return count;
}

// The contacts of one part, with all degrees of freedom and joints.
static void take_part(const sample *s, unsigned contacts, sample *out) {
  *out = *s;
  out->has_intent = false;
  out->n = 0;
  for (int i = 0; i < s->n; i++) {
    if (!(contacts >> i & 1)) continue;
    out->mu[out->n] = s->mu[i];
    for (int c = 0; c < 2; c++) {
      out->w[2 * out->n + c] = s->w[2 * i + c];
      memcpy(out->H[2 * out->n + c], s->H[2 * i + c], sizeof s->H[0]);
    }
    out->n++;
  }
  sample_complete(out);
}

bool parts_within_radius(const sample *s) {
  if (!s->dofs) return criterion_within_radius(s);
  for (int i = 0; i < s->n; i++) {
    sample part;
    if (!leads(s, i)) continue;
    take_part(s, s->given.reach[i], &part);
    bool fine = judge(&part.given, JUDGE_FAST).exists || criterion_within_radius(&part);
    sample_free(&part);
    if (!fine) return false;
  }
  return true;
}
