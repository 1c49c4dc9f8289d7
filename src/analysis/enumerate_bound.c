// A node holds no solution if its linear inequalities contradict each other, or if they keep
//
//     f(x) = sum over open contacts of u.r  +  sum over right, left, normal ones of u_N r_N   (1)
//
// positive: at a solution u_N r_N = 0 and u_T r_T = -mu r_N |u_T| <= 0, so f <= 0. f is quadratic
// in the unknowns x that are left; where its symmetric part is positive definite its minimum is a
// convex program (analysis/dual_qp.h). With large friction it need not be. Then dissipation is
// given away:
//
//     f_t(x) = f(x) - t sum over right, left, slipping contacts of mu r_N |u_T|,  0 <= t <= 1  (2)
//
// is <= 0 as well, and f_1 = r.W r + q.r on the node's affine subspace is convex if W is.
//
// Where solutions form continua, or several states hold at once, many patterns contain the same
// points. Of these one is enough: what slips without moving sticks, what slips without being
// pressed is free, and what is free without moving at all sticks. A pattern adds something only if
// it has a point with
//
//     slip  r_N > 0 and |u_T| > 0,    free (mu > 0)  u_N + |u_T| > 0                      (3)
//
// (right and left imply the latter) at all contacts at once, since a pattern is convex. In
// tolerance mode "> 0" is ">= strict", well below the tolerance with which the other patterns are
// accepted; nodes in which (3) is impossible are left out.
#include "analysis/enumerate_tree.h"

#include <math.h>
#include <string.h>

bool ssi_bound_take(ssi_bound *b, ssi_arena *arena, const ssi_scaled *z, bool definite,
                    double strict) {
  *b = (ssi_bound){.z = z, .mu = z->mu, .definite = definite, .strict = strict};
  b->e = SSI_TAKE(arena, z->m + 1, double);
  b->r = SSI_TAKE(arena, z->m, double);
  b->u = SSI_TAKE(arena, z->m, double);
  b->normal = SSI_TAKE(arena, z->m + 1, double);
  b->tangent = SSI_TAKE(arena, z->m + 1, double);
  return ssi_dual_qp_take(&b->qp, arena, z->m, 5 * z->m) && !arena->failed;
}

// ---- inequalities ---------------------------------------------------------------------------

static void demand(ssi_dual_qp *q, const double *row, int columns, double sign) {
  double *b = q->b + (size_t)q->count * (size_t)columns;
  for (int c = 0; c < columns; c++) b[c] = sign * row[c];
  q->a[q->count++] = sign * row[columns];
}

// Column c is r_N of a contact and column c + 1 its r_T.
static bool is_pair(const ssi_node *node, int c) {
  return c + 1 < node->columns && node->unknown[c + 1] == node->unknown[c] + 1;
}

// A row that is negative for all unknowns: a r_N + b r_T <= 0 in the cone iff a + mu |b| <= 0.
static bool is_negative(const ssi_bound *b, const ssi_node *node, const double *row, double sign) {
  double most = 0;
  for (int c = 0; c < node->columns; c++) {
    double tangent = is_pair(node, c) ? b->mu[node->unknown[c] / 2] * fabs(row[c + 1]) : 0;
    if (sign * row[c] + tangent > 0) return false;
    most = fmax(most, fabs(row[c]));
    c += is_pair(node, c);
  }
  return sign * row[node->columns] < -1e-8 * fmax(1, most);
}

// The two sides of the cone: mu r_N -+ r_T >= 0, divided by mu where it is large.
static void demand_cone(ssi_bound *b, const ssi_node *node, double mu, const double *normal,
                        const double *tangent) {
  double n = mu > 1 ? 1 : mu, t = mu > 1 ? 1 / mu : 1;
  for (int sign = -1; sign <= 1; sign += 2) {
    for (int c = 0; c <= node->columns; c++) b->e[c] = n * normal[c] + sign * t * tangent[c];
    demand(&b->qp, b->e, node->columns, 1);
  }
}

static void demand_unknown(ssi_bound *b, const ssi_node *node, int c) {
  int size = node->columns + 1;
  memset(b->e, 0, sizeof(double) * (size_t)size);
  if (!is_pair(node, c)) {
    b->e[c] = 1;
    demand(&b->qp, b->e, node->columns, 1);
    return;
  }
  memset(b->normal, 0, sizeof(double) * (size_t)size);
  memset(b->tangent, 0, sizeof(double) * (size_t)size);
  b->normal[c] = b->tangent[c + 1] = 1;
  demand_cone(b, node, b->mu[node->unknown[c] / 2], b->normal, b->tangent);
}

// What is left of a row after terms of order 1 cancelled: it says nothing.
static bool is_noise(const double *row, int columns) {
  for (int c = 0; c < columns; c++)
    if (fabs(row[c]) > 1e-10) return false;
  return fabs(row[columns]) < 1e-8;
}

// false: one of them cannot hold.
static bool collect(ssi_bound *b, const ssi_node *node) {
  ssi_dual_qp *q = &b->qp;
  int columns = q->n = node->columns;
  q->count = 0;
  for (int c = 0; c < columns; c += 1 + is_pair(node, c)) demand_unknown(b, node, c);
  for (int r = 0; r < 2 * node->n; r++) {
    const double *row = ssi_node_row(node, r);
    if (node->demand[r] == SSI_ROW_ANY || is_noise(row, columns)) continue;
    if (is_negative(b, node, row, 1)) return false;
    if (node->demand[r] == SSI_ROW_CONE) {
      demand_cone(b, node, b->mu[r / 2], row, ssi_node_row(node, r + 1));
      continue;
    }
    demand(q, row, columns, 1);
    if (node->demand[r] != SSI_ROW_ZERO) continue;
    if (is_negative(b, node, row, -1)) return false;
    demand(q, row, columns, -1);
  }
  return true;
}

// ---- objective ------------------------------------------------------------------------------

// e_c: what unknown c is multiplied with in (2).
static void factor_of(const ssi_bound *b, const ssi_node *node, int c, double t, double *e) {
  int i = node->unknown[c] / 2, mode = node->mode[i];
  const double *un = ssi_node_row(node, 2 * i), *ut = ssi_node_row(node, 2 * i + 1);
  bool pair = mode == SSI_OPEN || mode == SS_CELL_STICK;  // stick: kept because its pivot was small
  double length = pair ? 1 : ssi_side_length(b->mu[i]), along = pair ? 0 : -t * b->mu[i] * length;
  if (node->unknown[c] % 2) length = 0, along = 1;
  for (int j = 0; j <= node->columns; j++) e[j] = length * un[j] + along * ut[j];
}

// Whether unknown x of a slipping contact has been eliminated: its row is x then.
static bool is_eliminated_slip(const ssi_node *node, int i) {
  bool slips = node->mode[i] == SS_CELL_SLIP_PLUS || node->mode[i] == SS_CELL_SLIP_MINUS;
  return slips && node->demand[2 * i] == SSI_ROW_NOT_NEGATIVE;
}

static void objective(ssi_bound *b, const ssi_node *node, double t) {
  ssi_dual_qp *q = &b->qp;
  int n = q->n;
  memset(q->Q, 0, sizeof(double) * (size_t)n * (size_t)n);
  q->c0 = 0;
  for (int c = 0; c < n; c++) {
    factor_of(b, node, c, t, b->e);
    for (int j = 0; j < n; j++) {
      q->Q[c * n + j] += b->e[j];
      q->Q[j * n + c] += b->e[j];
    }
    q->c[c] = b->e[n];
  }
  for (int i = 0; t > 0 && i < node->n; i++) {
    if (!is_eliminated_slip(node, i)) continue;
    const double *x = ssi_node_row(node, 2 * i), *ut = ssi_node_row(node, 2 * i + 1);
    double w = -t * b->mu[i] * ssi_side_length(b->mu[i]);
    for (int j = 0; j < n; j++) {
      for (int k = 0; k < n; k++) q->Q[j * n + k] += w * (x[j] * ut[k] + ut[j] * x[k]);
      q->c[j] += w * (x[j] * ut[n] + ut[j] * x[n]);
    }
    q->c0 += w * x[n] * ut[n];
  }
}

// ---- where to branch ------------------------------------------------------------------------

static double value(const double *row, const double *x, int n) {
  double s = row[n];
  for (int j = 0; j < n; j++) s += row[j] * x[j];
  return s;
}

// How far contact i is from Coulomb's law at x: r_N (u_N + mu |u_T|) + r_T u_T, or u_N r_N.
static double violation(const ssi_bound *b, const ssi_node *node, int i) {
  const ssi_dual_qp *q = &b->qp;
  double un = fmax(0, value(ssi_node_row(node, 2 * i), q->x, q->n));
  double ut = value(ssi_node_row(node, 2 * i + 1), q->x, q->n), r[2] = {0};
  for (int c = 0; c < q->n; c++)
    if (node->unknown[c] / 2 == i) r[node->unknown[c] % 2] = q->x[c];
  if (node->mode[i] != SSI_OPEN) return un * r[0] * ssi_side_length(b->mu[i]);
  return fmax(0, r[0]) * (un + b->mu[i] * fabs(ut)) + r[1] * ut;
}

static void choose(ssi_bound *b, const ssi_node *node) {
  double worst = -1;
  b->branch = -1;
  for (int i = 0; i < node->n; i++) {
    if (node->mode[i] < SSI_OPEN) continue;
    double v = violation(b, node, i);
    if (v > worst || b->branch < 0) worst = v, b->branch = i;
  }
}

// ---- (3) ------------------------------------------------------------------------------------

// e = the row of (3) number `which` of contact i; false: there is none.
static bool strict_row(const ssi_bound *b, const ssi_node *node, int i, int which, double *e) {
  const double *first = ssi_node_row(node, 2 * i), *second = ssi_node_row(node, 2 * i + 1);
  bool slips = node->mode[i] == SS_CELL_SLIP_PLUS || node->mode[i] == SS_CELL_SLIP_MINUS;
  bool is_side = node->mode[i] == SSI_RIGHT_SIDE || node->mode[i] == SSI_LEFT_SIDE;
  bool is_free = is_side || (node->mode[i] == SS_CELL_FREE && b->mu[i] > 0);
  if (!(slips && (which == 0 || b->mu[i] > 0)) && !(is_free && which == 0)) return false;
  for (int j = 0; j <= node->columns; j++)
    e[j] = is_free ? first[j] + second[j] : which ? second[j] : first[j];
  if (slips && which == 0 && !is_eliminated_slip(node, i)) {  // its unknown is a column still
    memset(e, 0, sizeof(double) * (size_t)(node->columns + 1));
    for (int c = 0; c < node->columns; c++) e[c] = node->unknown[c] == 2 * i;
  }
  return true;
}

static bool is_tied(ssi_bound *b, const ssi_node *node) {
  ssi_dual_qp *q = &b->qp;
  bool tight = false;
  for (int i = 0; i < 2 * node->n && !tight; i++)
    tight = strict_row(b, node, i / 2, i % 2, b->e) && value(b->e, q->x, q->n) < 1e-8;
  if (!tight) return false;
  if (!collect(b, node)) return true;
  for (int i = 0; i < 2 * node->n; i++) {
    if (!strict_row(b, node, i / 2, i % 2, b->e)) continue;
    b->e[q->n] -= b->strict;
    demand(q, b->e, q->n, 1);
  }
  if (ssi_dual_qp_feasible(q, b->strict) != SSI_QP_EMPTY) return false;
  b->ties++;
  return true;
}

static bool is_empty(ssi_bound *b, const ssi_node *node) {
  static const double give[] = {0, 0.25, 0.5, 1};
  ssi_dual_qp *q = &b->qp;
  if (!collect(b, node)) return true;
  bool bounded = false;
  for (int k = 0; k < 4 && !bounded; k++) {
    objective(b, node, give[k]);
    bounded = ssi_dual_qp_factor(q);
    if (!b->definite && k == 0) break;
  }
  if (!bounded) {  // any positive definite form will do to find a contradiction
    memset(q->Q, 0, sizeof(double) * (size_t)q->n * (size_t)q->n);
    for (int c = 0; c < q->n; c++) q->Q[c * q->n + c] = 1;
    q->c0 = 0;
    ssi_dual_qp_factor(q);
  }
  if (ssi_dual_qp_solve(q, bounded) != SSI_QP_OPEN) return true;
  choose(b, node);
  return b->strict > 0 && is_tied(b, node);
}

bool ssi_bound_node(ssi_bound *b, const ssi_node *node) {
  static const double LOST = 1e-11;  // far below the margins of the certificates
  memset(b->qp.x, 0, sizeof(double) * (size_t)node->columns);
  if (!is_empty(b, node)) return false;
  if (ssi_node_error(node, b->z, b->r, b->u) <= LOST) return true;
  b->blurred++;
  choose(b, node);
  return false;
}
