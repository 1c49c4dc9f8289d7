// crosscheck/cells.c - see cells.h.
#include "cells.h"

#include <string.h>

#include "simplex.h"

// ---- the system in integers ------------------------------------------------------------------

// A tight interval around a 2^-shift.
static interval enclose(mpz_srcptr a, long shift) {
  if (mpz_sgn(a) == 0) return iv(0, 0);
  long exponent;
  double d = mpz_get_d_2exp(&exponent, a);  // towards zero
  d = ldexp(d, (int)fmax(-2000, (double)(exponent - shift)));
  return iv_out(d, d);
}

// Whole numbers: the row times the least common denominator.
static void clear_row(mpz_t *U, mpz_ptr q, mpq_t *row, mpq_srcptr last, int m) {
  mpz_t all;
  mpz_init_set(all, mpq_denref(last));
  for (int j = 0; j < m; j++) mpz_lcm(all, all, mpq_denref(row[j]));
  for (int j = 0; j <= m; j++) {
    mpq_srcptr from = j < m ? row[j] : last;
    mpz_ptr to = j < m ? U[j] : q;
    mpz_divexact(to, all, mpq_denref(from));
    mpz_mul(to, to, mpq_numref(from));
  }
  mpz_clear(all);
}

static void row_of_unknowns(const exact_problem *p, int i, mpq_t *row) {
  mpq_t a, b;
  mpq_inits(a, b, NULL);
  for (int j = 0; j < p->n; j++) {  // (W_N b -+ W_T a), mu = a / b
    mpq_set_z(a, mpq_numref(qat(&p->mu, j, 0)));
    mpq_set_z(b, mpq_denref(qat(&p->mu, j, 0)));
    mpq_mul(a, a, qat(&p->W, i, 2 * j + 1));
    mpq_mul(b, b, qat(&p->W, i, 2 * j));
    mpq_sub(row[2 * j], b, a);
    mpq_add(row[2 * j + 1], b, a);
  }
  mpq_clears(a, b, NULL);
}

void cell_system_begin(cell_system *s, const exact_problem *p) {
  mpq_t row[CELL_ROWS];
  s->n = p->n;
  s->m = 2 * p->n;
  for (int j = 0; j < CELL_ROWS; j++) mpq_init(row[j]);
  for (int i = 0; i < s->n; i++) s->frictionless[i] = mpq_sgn(qat(&p->mu, i, 0)) == 0;
  for (int i = 0; i < s->m; i++) {
    mpz_init(s->q[i]);
    for (int j = 0; j < s->m; j++) mpz_init(s->U[i][j]);
    row_of_unknowns(p, i, row);
    clear_row(s->U[i], s->q[i], row, qat(&p->q, i, 0), s->m);
    long shift = (long)mpz_sizeinbase(s->q[i], 2);
    for (int j = 0; j < s->m; j++) {
      long bits = (long)mpz_sizeinbase(s->U[i][j], 2);
      if (bits > shift) shift = bits;
    }
    for (int j = 0; j < s->m; j++) s->Ui[i][j] = enclose(s->U[i][j], shift);
    s->qi[i] = enclose(s->q[i], shift);
  }
  for (int j = 0; j < CELL_ROWS; j++) mpq_clear(row[j]);
}

void cell_system_end(cell_system *s) {
  for (int i = 0; i < s->m; i++) {
    mpz_clear(s->q[i]);
    for (int j = 0; j < s->m; j++) mpz_clear(s->U[i][j]);
  }
}

// ---- cells ---------------------------------------------------------------------------------

void cell_add_state(const cell_system *s, cell *c, int contact, int state) {
  unsigned N = 1u << (2 * contact), T = N << 1;  // rows; also the columns of (1, -mu) and (1, mu)
  switch (state) {
  case STATE_FREE:
    c->pos |= N;
    break;
  case STATE_STICK:
    c->cols |= N | T;
    c->zero |= N | T;
    break;
  case STATE_PLUS:
    c->cols |= N;
    c->zero |= N;
    c->pos |= T;
    break;
  default:  // without friction both rays are one, and so is their column
    c->cols |= s->frictionless[contact] ? N : T;
    c->zero |= N;
    c->neg |= T;
  }
}

cell cell_meet(const cell *a, const cell *b) {
  return (cell){a->cols & b->cols, a->zero | b->zero, a->pos | b->pos, a->neg | b->neg};
}

static int list_bits(unsigned set, int *out) {
  int count = 0;
  for (int k = 0; k < CELL_ROWS; k++)
    if (set >> k & 1) out[count++] = k;
  return count;
}

// ---- intervals -----------------------------------------------------------------------------

// x of the square system, by elimination; false: a pivot may be zero.
static bool interval_solve(int k, interval a[CELL_ROWS][CELL_ROWS + 1], interval *x) {
  for (int p = 0; p < k; p++) {
    int best = p;
    for (int i = p + 1; i < k; i++)
      if (iv_least(a[i][p]) > iv_least(a[best][p])) best = i;
    if (!(iv_least(a[best][p]) > 0)) return false;
    interval row[CELL_ROWS + 1];
    memcpy(row, a[best], sizeof row);
    memcpy(a[best], a[p], sizeof row);
    memcpy(a[p], row, sizeof row);
    for (int i = p + 1; i < k; i++) {
      interval factor = iv_div(a[i][p], a[p][p]);
      for (int j = p + 1; j <= k; j++) a[i][j] = iv_sub(a[i][j], iv_mul(factor, a[p][j]));
    }
  }
  for (int p = k - 1; p >= 0; p--) {
    interval sum = a[p][k];
    for (int j = p + 1; j < k; j++) sum = iv_sub(sum, iv_mul(a[p][j], x[j]));
    x[p] = iv_div(sum, a[p][p]);
  }
  return true;
}

static void note_sign(interval v, int wanted, bool *violated, bool *sure) {
  double low = wanted > 0 ? v.lo : -v.hi, high = wanted > 0 ? v.hi : -v.lo;
  if (high < 0) *violated = true;
  if (!(low > 0)) *sure = false;
}

cell_kind cell_by_interval(const cell_system *s, const cell *c) {
  int col[CELL_ROWS], row[CELL_ROWS];
  int k = list_bits(c->cols, col), rows = list_bits(c->zero, row);
  interval a[CELL_ROWS][CELL_ROWS + 1], x[CELL_ROWS];
  if (k != rows) return CELL_UNKNOWN;
  for (int i = 0; i < k; i++) {
    for (int j = 0; j < k; j++) a[i][j] = s->Ui[row[i]][col[j]];
    a[i][k] = iv(-s->qi[row[i]].hi, -s->qi[row[i]].lo);
  }
  if (!interval_solve(k, a, x)) return CELL_UNKNOWN;
  bool violated = false, sure = true;
  for (int j = 0; j < k; j++) note_sign(x[j], 1, &violated, &sure);
  for (int i = 0; i < s->m; i++) {
    bool pos = c->pos >> i & 1, neg = c->neg >> i & 1;
    if (!pos && !neg) continue;
    interval u = s->qi[i];
    for (int j = 0; j < k; j++) u = iv_add(u, iv_mul(s->Ui[i][col[j]], x[j]));
    if (pos) note_sign(u, 1, &violated, &sure);
    if (neg) note_sign(u, -1, &violated, &sure);
  }
  return violated ? CELL_EMPTY : sure ? CELL_POINT : CELL_UNKNOWN;
}

// ---- integers ------------------------------------------------------------------------------

typedef mpz_t grid[CELL_ROWS][CELL_ROWS + 1];

// row_i = (pivot row_i - a_ip row_p) / previous pivot, exactly (Bareiss): the entries stay minors.
static void eliminate_row(grid a, int i, int p, int col, int k, mpz_srcptr before) {
  mpz_t factor, t;
  mpz_inits(factor, t, NULL);
  mpz_set(factor, a[i][col]);
  for (int j = 0; j <= k; j++) {
    mpz_mul(a[i][j], a[i][j], a[p][col]);
    mpz_mul(t, factor, a[p][j]);
    mpz_sub(a[i][j], a[i][j], t);
    mpz_divexact(a[i][j], a[i][j], before);
  }
  mpz_clears(factor, t, NULL);
}

// Gauss-Jordan without fractions. Full rank: x_j = a[j][k] / det. Returns the rank.
static int integer_solve(grid a, int k, mpz_ptr det) {
  int rank = 0;
  mpz_set_ui(det, 1);
  for (int col = 0; col < k && rank < k; col++) {
    int i = rank;
    while (i < k && mpz_sgn(a[i][col]) == 0) i++;
    if (i == k) continue;
    for (int j = 0; j <= k && i != rank; j++) mpz_swap(a[i][j], a[rank][j]);
    for (i = 0; i < k; i++)
      if (i != rank) eliminate_row(a, i, rank, col, k, det);
    mpz_set(det, a[rank][col]);
    rank++;
  }
  return rank;
}

static cell_kind judge_point(const cell_system *s, const cell *c, const int *col, int k, grid a,
                             mpz_srcptr det) {
  int sign = mpz_sgn(det);
  bool corner = false, empty = false;
  mpz_t u;
  mpz_init(u);
  for (int j = 0; j < k && !empty; j++) {
    empty = mpz_sgn(a[j][k]) * sign < 0;
    corner = corner || mpz_sgn(a[j][k]) == 0;
  }
  for (int i = 0; i < s->m && !empty; i++) {  // det u_i = q_i det + sum U_ij (det x_j)
    bool pos = c->pos >> i & 1, neg = c->neg >> i & 1;
    if (!pos && !neg) continue;
    mpz_mul(u, s->q[i], det);
    for (int j = 0; j < k; j++) mpz_addmul(u, s->U[i][col[j]], a[j][k]);
    int is = mpz_sgn(u) * sign;
    empty = (pos && is < 0) || (neg && is > 0);
    corner = corner || is == 0;
  }
  mpz_clear(u);
  return empty ? CELL_EMPTY : corner ? CELL_CORNER : CELL_POINT;
}

// What is known of an unknown t >= 0 from conditions alpha + beta t >= 0.
typedef struct ray_part {
  mpq_t low, high;
  bool bounded, empty;
} ray_part;

static void condition(ray_part *x, mpz_srcptr alpha, mpz_srcptr beta, int sign) {
  int slope = mpz_sgn(beta) * sign;
  if (slope == 0) {
    x->empty = x->empty || mpz_sgn(alpha) * sign < 0;
    return;
  }
  mpq_t bound;
  mpq_init(bound);
  mpz_neg(mpq_numref(bound), alpha);
  mpz_set(mpq_denref(bound), beta);
  mpq_canonicalize(bound);
  if (slope > 0 && mpq_cmp(bound, x->low) > 0) mpq_set(x->low, bound);
  if (slope < 0 && (!x->bounded || mpq_cmp(bound, x->high) < 0))
    mpq_set(x->high, bound), x->bounded = true;
  mpq_clear(bound);
}

// One unknown t is left: det x_p = a_pk - a_pt t for the others, whose rows are in the order of
// their columns.
static cell_kind judge_line(const cell_system *s, const cell *c, const int *col, int k, grid a,
                            mpz_srcptr det) {
  int row[CELL_ROWS], rank = 0, t = k - 1, sign = mpz_sgn(det);
  for (int j = 0; j < k; j++) {
    bool pivot = rank < k - 1 && mpz_sgn(a[rank][j]) != 0;  // the first of its row
    row[j] = pivot ? rank++ : -1;
    if (!pivot) t = j;
  }
  ray_part x = {.bounded = false};
  mpz_t alpha, beta;
  mpz_inits(alpha, beta, NULL);
  mpq_inits(x.low, x.high, NULL);
  for (int j = 0; j < k; j++) {
    if (j == t) continue;
    mpz_neg(beta, a[row[j]][t]);
    condition(&x, a[row[j]][k], beta, sign);
  }
  for (int i = 0; i < s->m; i++) {  // det u_i = q_i det + U_it det t + sum U_ij (det x_j)
    bool pos = c->pos >> i & 1, neg = c->neg >> i & 1;
    if (!pos && !neg) continue;
    mpz_mul(alpha, s->q[i], det);
    mpz_mul(beta, s->U[i][col[t]], det);
    for (int j = 0; j < k; j++) {
      if (j == t) continue;
      mpz_addmul(alpha, s->U[i][col[j]], a[row[j]][k]);
      mpz_submul(beta, s->U[i][col[j]], a[row[j]][t]);
    }
    if (pos) condition(&x, alpha, beta, sign);
    if (neg) condition(&x, alpha, beta, -sign);
  }
  int order = x.bounded ? mpq_cmp(x.low, x.high) : -1;
  mpz_clears(alpha, beta, NULL);
  mpq_clears(x.low, x.high, NULL);
  return x.empty || order > 0 ? CELL_EMPTY : order == 0 ? CELL_CORNER : CELL_MANY;
}

cell_kind cell_by_elimination(const cell_system *s, const cell *c) {
  int col[CELL_ROWS], row[CELL_ROWS];
  int k = list_bits(c->cols, col), rows = list_bits(c->zero, row);
  grid a;
  mpz_t det;
  if (k != rows) return CELL_UNKNOWN;
  mpz_init(det);
  for (int i = 0; i < k; i++) {
    for (int j = 0; j < k; j++) mpz_init_set(a[i][j], s->U[row[i]][col[j]]);
    mpz_init(a[i][k]);
    mpz_neg(a[i][k], s->q[row[i]]);
  }
  int rank = integer_solve(a, k, det);
  cell_kind kind = CELL_UNKNOWN;
  if (rank == k) kind = judge_point(s, c, col, k, a, det);
  if (rank == k - 1) kind = judge_line(s, c, col, k, a, det);
  for (int i = rank; i < k; i++)
    if (mpz_sgn(a[i][k]) != 0) kind = CELL_EMPTY;  // 0 = nonzero
  for (int i = 0; i < k; i++)
    for (int j = 0; j <= k; j++) mpz_clear(a[i][j]);
  mpz_clear(det);
  return kind;
}

// ---- linear programs -------------------------------------------------------------------------

// A (x, slack) = b: zero rows, then u - slack = 0 for pos and u + slack = 0 for neg.
static void program(const cell_system *s, const cell *c, qmat *A, qmat *b) {
  int col[CELL_ROWS], row[3 * CELL_ROWS], sign[3 * CELL_ROWS], rows = 0;
  int k = list_bits(c->cols, col);
  for (int i = 0; i < s->m; i++) {
    if (c->zero >> i & 1) row[rows] = i, sign[rows++] = 0;
    if (c->pos >> i & 1) row[rows] = i, sign[rows++] = 1;
    if (c->neg >> i & 1) row[rows] = i, sign[rows++] = -1;
  }
  int slacks = 0;
  for (int i = 0; i < rows; i++) slacks += sign[i] != 0;
  *A = qmat_new(rows, k + slacks);
  *b = qmat_new(rows, 1);
  for (int i = 0, slack = k; i < rows; i++) {
    for (int j = 0; j < k; j++) mpq_set_z(qat(A, i, j), s->U[row[i]][col[j]]);
    mpq_set_z(qat(b, i, 0), s->q[row[i]]);
    mpq_neg(qat(b, i, 0), qat(b, i, 0));
    if (sign[i]) mpq_set_si(qat(A, i, slack++), -sign[i], 1);
  }
}

// Is x_j the same in the whole polyhedron?
static bool is_constant(const qmat *A, const qmat *b, int j) {
  qmat c = qmat_new(A->cols, 1);
  mpq_t low, high;
  mpq_inits(low, high, NULL);
  mpq_set_si(c.x[j], 1, 1);
  bool constant = lp_solve(A, b, &c, NULL, low) == LP_OPTIMAL;
  mpq_set_si(c.x[j], -1, 1);
  constant = constant && lp_solve(A, b, &c, NULL, high) == LP_OPTIMAL;
  mpq_neg(high, high);
  constant = constant && mpq_equal(low, high);
  mpq_clears(low, high, NULL);
  qmat_free(&c);
  return constant;
}

cell_kind cell_by_program(const cell_system *s, const cell *c) {
  int col[CELL_ROWS], k = list_bits(c->cols, col);
  qmat A, b;
  program(s, c, &A, &b);
  cell_kind kind = lp_solve(&A, &b, NULL, NULL, NULL) == LP_OPTIMAL ? CELL_CORNER : CELL_EMPTY;
  for (int j = 0; j < k && kind == CELL_CORNER; j++)
    if (!is_constant(&A, &b, j)) kind = CELL_MANY;
  qmat_free(&A);
  qmat_free(&b);
  return kind;
}

bool cell_is_empty(const cell_system *s, const cell *c) {
  qmat A, b;
  program(s, c, &A, &b);
  bool empty = lp_solve(&A, &b, NULL, NULL, NULL) == LP_INFEASIBLE;
  qmat_free(&A);
  qmat_free(&b);
  return empty;
}
