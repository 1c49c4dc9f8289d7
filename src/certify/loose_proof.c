// Whether (r, v, l) proves that a problem with a singular M has a solution. What it leaves of every equation must be rounding
// of its terms, which must not outgrow the load: it then is a solution of a problem whose numbers differ by that rounding,
// and counts, as criterion (A) does where it holds to rounding. In space, where a contact slips against friction, states are
// no polyhedra, and the equations must be regular and leave room: then they have a solution nearby.
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "certify/certificate_check.h"
#include "certify/raw_motion.h"
#include "la/lapack.h"

static const double ROUNDED = 1e-14;  // of the terms of an equation
static const double ROOM = 1e-6;      // of the largest velocity or impulse
static const double GROWTH = 1e6;     // times the load: what cancels in the equations at most
static const double REGULAR =
    1e-9;  // smallest singular value over the largest, rows and columns scaled
enum { DENSE_ROWS = 1200 };

typedef struct loose_proof {
  const ss_problem *p;
  const ss_solution *s;
  int m;
  ssi_dd *u;              // (m + nl)
  double *parts;          // sum_j |H_ij v_j| and the largest |w|      (m)
  ss_state *state;        // (nc)
  double speed, impulse;  // largest
  bool slips;             // somewhere, with friction
} loose_proof;

static double length(int n, const double *x) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum = hypot(sum, x[i]);
  return sum;
}

// ---- the equations -------------------------------------------------------------------------

static bool balances(const loose_proof *j, ssi_arena *arena) {
  const ss_problem *p = j->p;
  ssi_dd *sum = SSI_TAKE(arena, p->ndof, ssi_dd);
  double *terms = SSI_TAKE(arena, p->ndof, double);
  if (arena->failed) return false;
  const struct {
    const ss_sparse *A;
    const double *x;
    bool transposed;
    double sign;
  } part[] = {{&p->M, j->s->v, false, 1}, {&p->H, j->s->r, true, -1}, {&p->G, j->s->l, false, -1}};
  for (int i = 0; i < p->ndof; i++) sum[i] = ssi_dd_from(p->f[i]), terms[i] = fabs(p->f[i]);
  for (int k = 0; k < (p->nl ? 3 : 2); k++)
    for (int i = 0; i < part[k].A->rows && part[k].A->ptr; i++)
      for (int64_t e = part[k].A->ptr[i]; e < part[k].A->ptr[i + 1]; e++) {
        int to = part[k].transposed ? part[k].A->col[e] : i;
        double x = part[k].x[part[k].transposed ? i : part[k].A->col[e]];
        ssi_dd_accumulate(&sum[to], part[k].sign * part[k].A->x[e], x);
        terms[to] += fabs(part[k].A->x[e] * x);
      }
  double load = 0, most = 0;
  for (int i = 0; i < p->ndof; i++) {
    if (!(fabs(ssi_dd_finish(sum[i]).hi) <= ROUNDED * terms[i])) return false;
    load = fmax(load, fabs(p->f[i]) + ssi_raw_parts_of_row(&p->M, i, j->s->v));
    most = fmax(most, terms[i]);
  }
  return most <= GROWTH * load;
}

static bool joints_hold(const loose_proof *j, ssi_arena *arena) {
  const ss_problem *p = j->p;
  double *terms = SSI_TAKE(arena, p->nl, double);
  if (arena->failed) return false;
  for (int k = 0; k < p->nl; k++) terms[k] = fabs(p->b[k]);
  for (int i = 0; i < p->ndof && p->nl; i++)
    for (int64_t e = p->G.ptr[i]; e < p->G.ptr[i + 1]; e++)
      terms[p->G.col[e]] += fabs(p->G.x[e] * j->s->v[i]);
  for (int k = 0; k < p->nl; k++)
    if (!(fabs(j->u[j->m + k].hi) <= ROUNDED * terms[k])) return false;
  return true;
}

// The state of contact i, and whether the law holds in it but for rounding.
static bool obeys(loose_proof *j, int i) {
  const ss_problem *p = j->p;
  int d = p->dim, at = d * i;
  const double *r = j->s->r + at, mu = p->mu[i];
  double slide[2] = {j->u[at + 1].hi, d == 3 ? j->u[at + 2].hi : 0}, t = length(2, slide);
  double size = length(d, r), drag = length(d - 1, r + 1), rounding = 0;
  for (int k = 0; k < d; k++) rounding = fmax(rounding, ROUNDED * j->parts[at + k]);
  double normal = j->u[at].hi;
  j->state[i] = size == 0 ? SS_FREE : t <= rounding ? SS_STICK : SS_SLIP;
  if (size == 0) return normal >= -rounding;
  if (!(fabs(normal) <= rounding && r[0] >= 0 && drag - mu * r[0] <= ROUNDED * (1 + mu) * size))
    return false;
  if (j->state[i] == SS_STICK) return true;
  for (int k = 1; k < d; k++)
    if (!(fabs(r[k] + mu * r[0] * slide[k - 1] / t) <= ROUNDED * (1 + mu) * size)) return false;
  j->slips = j->slips || mu > 0;
  return true;
}

// ---- room ----------------------------------------------------------------------------------

static bool has_room(const loose_proof *j, int i) {
  int d = j->p->dim, at = d * i;
  const double *r = j->s->r + at;
  double slide[2] = {j->u[at + 1].hi, d == 3 ? j->u[at + 2].hi : 0};
  if (j->state[i] == SS_FREE) return j->u[at].hi >= ROOM * j->speed;
  if (!(r[0] >= ROOM * j->impulse)) return false;
  if (j->state[i] == SS_SLIP) return length(2, slide) >= ROOM * j->speed;
  return j->p->mu[i] == 0 || j->p->mu[i] * r[0] - length(d - 1, r + 1) >= ROOM * j->impulse;
}

// The derivative of the equations in (v, r, l): balance, joints, and for each contact what its state asks for.
static void fill(const loose_proof *j, int size, double *A) {
  const ss_problem *p = j->p;
  int n = p->ndof, m = j->m, d = p->dim;
  size_t rows = (size_t)size;
#define AT(row, col) A[rows * (size_t)(col) + (size_t)(row)]
  for (int i = 0; i < n; i++)
    for (int64_t k = p->M.ptr[i]; k < p->M.ptr[i + 1]; k++) AT(i, p->M.col[k]) = p->M.x[k];
  for (int i = 0; i < m; i++)
    for (int64_t k = p->H.ptr[i]; k < p->H.ptr[i + 1]; k++) AT(p->H.col[k], n + i) = -p->H.x[k];
  for (int i = 0; i < n && p->nl; i++)
    for (int64_t k = p->G.ptr[i]; k < p->G.ptr[i + 1]; k++)
      AT(i, n + m + p->G.col[k]) = -p->G.x[k], AT(n + p->G.col[k], i) = p->G.x[k];
  for (int i = 0; i < m; i++) {
    int row = n + p->nl + i, c = i / d, k = i % d;
    ss_state state = j->state[c];
    if (state == SS_STICK || (state == SS_SLIP && k == 0)) {
      for (int64_t e = p->H.ptr[i]; e < p->H.ptr[i + 1]; e++) AT(row, p->H.col[e]) = p->H.x[e];
      continue;
    }
    AT(row, n + i) = 1;
    if (state != SS_SLIP) continue;
    // r_T + mu r_N t, t = u_T/|u_T|: dt = (I - t t^T) du_T / |u_T|
    double u[2] = {j->u[d * c + 1].hi, d == 3 ? j->u[d * c + 2].hi : 0}, speed = length(2, u);
    double mu = p->mu[c], pressed = mu * j->s->r[d * c] / speed;
    AT(row, n + d * c) = mu * u[k - 1] / speed;
    for (int other = 1; other < d && d == 3; other++) {
      double turn = (other == k) - u[k - 1] * u[other - 1] / (speed * speed);
      for (int64_t e = p->H.ptr[d * c + other]; e < p->H.ptr[d * c + other + 1]; e++)
        AT(row, p->H.col[e]) += pressed * turn * p->H.x[e];
    }
  }
#undef AT
}

static ss_error is_regular(const loose_proof *j, ssi_arena *arena, bool *yes) {
  int size = j->p->ndof + j->p->nl + j->m;
  size_t n = (size_t)size;
  *yes = false;
  if (size > DENSE_ROWS) return SS_OK;
  double *A = SSI_TAKE(arena, n * n, double), *value = SSI_TAKE(arena, n, double);
  double *rest = SSI_TAKE(arena, n, double);
  if (arena->failed) return SS_ERR_MEMORY;
  fill(j, size, A);
  for (int pass = 0; pass < 2; pass++)  // rows, then columns, over their largest entries
    for (size_t a = 0; a < n; a++) {
      double most = 0;
      for (size_t b = 0; b < n; b++) most = fmax(most, fabs(pass ? A[n * a + b] : A[n * b + a]));
      for (size_t b = 0; b < n && most > 0; b++) *(pass ? &A[n * a + b] : &A[n * b + a]) /= most;
    }
  ss_error e = ssi_lapack_error(LAPACKE_dgesvd(LAPACK_COL_MAJOR, 'N', 'N', size, size, A, size,
                                               value, NULL, 1, NULL, 1, rest));
  if (e) return e == SS_ERR_MEMORY ? e : SS_OK;
  *yes = value[n - 1] >= REGULAR * value[0];
  return SS_OK;
}

// ---- all of it -----------------------------------------------------------------------------

static ss_error prove(loose_proof *j, ssi_arena *arena, bool *proves) {
  const ss_problem *p = j->p;
  int m = j->m;
  j->u = SSI_TAKE(arena, m + p->nl, ssi_dd);
  j->parts = SSI_TAKE(arena, m, double);
  j->state = SSI_TAKE(arena, p->nc, ss_state);
  if (arena->failed) return SS_ERR_MEMORY;
  ssi_raw_motion(p, j->s->v, false, j->u);
  double most = 0;
  for (int i = 0; i < m; i++) most = fmax(most, fabs(p->w[i]));
  for (int i = 0; i < m; i++) {
    j->parts[i] = most + ssi_raw_parts_of_row(&p->H, i, j->s->v);
    j->speed = fmax(j->speed, fabs(j->u[i].hi));
    j->impulse = fmax(j->impulse, fabs(j->s->r[i]));
  }
  bool ok = balances(j, arena) && joints_hold(j, arena);
  for (int i = 0; i < m; i++) ok = ok && (!(most > 0) || j->parts[i] <= GROWTH * most);
  for (int i = 0; i < p->nc && ok; i++) ok = obeys(j, i);
  *proves = ok && !arena->failed;
  if (!*proves || !j->slips || p->dim == 2) return arena->failed ? SS_ERR_MEMORY : SS_OK;
  for (int i = 0; i < p->nc; i++) *proves = *proves && has_room(j, i);
  return *proves ? is_regular(j, arena, proves) : SS_OK;
}

ss_error ssi_loose_solution_proves(ss_context *ctx, const ss_problem *p, const ss_solution *s,
                                   bool *proves) {
  *proves = false;
  if (!s->r || (!s->v && p->ndof) || (!s->l && p->nl)) return SS_OK;
  ssi_arena arena = {.ctx = ctx};
  loose_proof j = {.p = p, .s = s, .m = p->dim * p->nc};
  ss_error e = prove(&j, &arena, proves);
  ssi_arena_release(&arena);
  return e ? ssi_fail(ctx, e, "out of memory to check a certificate") : SS_OK;
}
