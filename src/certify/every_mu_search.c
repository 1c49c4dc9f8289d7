// Either a motion that opens or keeps every contact without sliding it, or impulses that no friction cone excludes once mu is
// large enough. With S the contacts that are still in question, all of them at first:
//
//   lambda >= 1,  H_N^T lambda + H_T^T tau = 0  on S                                                         (1)
//
// If (1) has a solution S stays. Else its Farkas multipliers are a d with H_T d = 0, H_N d >= 0 on S and H_N d > 0 somewhere:
// the contacts that d opens leave S, and (1) is asked again. At the end
//
//   H_T v + w_T = 0,  H_N v + w_N >= 0  on S                                                                 (2)
//
// has a solution v, or its Farkas multipliers are impulses r0 on S with w.r0 < 0; with those of (1), which press
// everywhere in S, r0 + eps r1 is in the friction cones from some mu on and still has w.r < 0.
//
// H_T x + w_T = 0 is x = x0 + N y (certify/joints.h); (1) and (2) in y are dense linear programs (la/phase1.h).
#include "certify/every_mu_search.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "certify/kinematics.h"
#include "certify/raw_motion.h"
#include "la/phase1.h"
#include "la/sparse.h"

static const double RANK_TOL = 1e-10;        // of the tangential rows, global form
static const double OPENS = 1e-9;            // of the largest: a contact that a direction opens
static const double ACTIVE = 1e-7;           // of |w|: a contact that v just keeps
static const double PRESSES = 1e-9;          // of its drag: a contact that presses
static const double PRESSES_REDUCED = 1e-4;  // where impulses balance to rank_tol of W only
static const double SMALL = 1e-13;           // of the largest multiplier: rounding
enum { POLISHES = 3 };

typedef struct every_mu_hunt {
  ssi_arena *arena, *scratch;
  const ss_problem *p;
  ssi_kinematics k;
  int dim, m;
  double rank_tol;
  double unit;     // largest |w_i|
  double *normal;  // 1 / |row of H_N|            (nc)
  ssi_dd *u;       // (m + nl)
  double *v;       // (k.size)

  int count;           // of S
  int *contact;        // S                       (nc)
  ssi_joints sliding;  // H_T x + w_T = 0 on S
  ss_sparse B;         // H_N N on S              (count x sliding.free)
  int used, *column;   // columns of B that are not empty
} every_mu_hunt;

static double tangent_length(int dim, const double *x) {
  return dim == 2 ? fabs(x[1]) : hypot(x[1], x[2]);
}

// ---- the contacts in question ---------------------------------------------------------------------

// rows[0 .. count) of A
static bool pick_rows(ssi_arena *arena, const ss_sparse *A, int count, const int *rows,
                      ss_sparse *out) {
  int64_t entries = 0, *ptr = SSI_TAKE(arena, count + 1, int64_t);
  for (int i = 0; i < count; i++) entries += A->ptr[rows[i] + 1] - A->ptr[rows[i]];
  int *col = SSI_TAKE(arena, entries, int);
  double *x = SSI_TAKE(arena, entries, double);
  if (arena->failed) return false;
  for (int i = 0; i < count; i++) {
    int64_t from = A->ptr[rows[i]], many = A->ptr[rows[i] + 1] - from;
    memcpy(col + ptr[i], A->col + from, sizeof *col * (size_t)many);
    memcpy(x + ptr[i], A->x + from, sizeof *x * (size_t)many);
    ptr[i + 1] = ptr[i] + many;
  }
  *out = (ss_sparse){count, A->cols, ptr, col, x};
  return true;
}

// Velocities with (H x)_row + side = 0 on `rows`.
static ss_error hold_rows(every_mu_hunt *h, int count, const int *rows, const double *side,
                          ssi_joints *out) {
  ss_sparse part, G;
  if (!pick_rows(h->scratch, &h->k.H, count, rows, &part) ||
      !ssi_sparse_transpose(h->scratch, &part, &G))
    return SS_ERR_MEMORY;
  return ssi_joints_create(h->scratch, &G, side, h->rank_tol, out);
}

static ss_error prepare(every_mu_hunt *h) {
  int tangents = h->count * (h->dim - 1), t = 0;
  int *rows = SSI_TAKE(h->scratch, tangents, int), *normals = SSI_TAKE(h->scratch, h->count, int);
  double *side = SSI_TAKE(h->scratch, tangents, double);
  ss_sparse H_N;
  if (h->scratch->failed) return SS_ERR_MEMORY;
  for (int i = 0; i < h->count; i++) {
    normals[i] = h->contact[i] * h->dim;
    for (int k = 1; k < h->dim; k++, t++) rows[t] = normals[i] + k, side[t] = h->k.w[rows[t]];
  }
  SS_TRY(hold_rows(h, tangents, rows, side, &h->sliding));
  if (!pick_rows(h->scratch, &h->k.H, h->count, normals, &H_N) ||
      !ssi_joints_restrict(h->scratch, &h->sliding, &H_N, &h->B))
    return SS_ERR_MEMORY;
  int *place = SSI_TAKE(h->scratch, h->B.cols, int);
  h->column = SSI_TAKE(h->scratch, h->B.cols, int);
  h->used = 0;
  if (h->scratch->failed) return SS_ERR_MEMORY;
  for (int64_t k = 0; k < ssi_sparse_entries(&h->B); k++) place[h->B.col[k]] = 1;
  for (int j = 0; j < h->B.cols; j++)
    if (place[j]) place[j] = h->used, h->column[h->used++] = j;
  int *col = SSI_TAKE(h->scratch, ssi_sparse_entries(&h->B), int);
  if (h->scratch->failed) return SS_ERR_MEMORY;
  for (int64_t k = 0; k < ssi_sparse_entries(&h->B); k++) col[k] = place[h->B.col[k]];
  h->B.col = col;
  return SS_OK;
}

// out += N y, y on the used columns
static ss_error expand(every_mu_hunt *h, const double *y, double *out) {
  double *all = SSI_TAKE(h->scratch, h->sliding.free, double);
  double *x = SSI_TAKE(h->scratch, h->k.n, double);
  if (h->scratch->failed) return SS_ERR_MEMORY;
  for (int j = 0; j < h->used; j++) all[h->column[j]] = y[j];
  ssi_joints_expand(&h->sliding, all, x);
  for (int i = 0; i < h->k.n; i++) out[i] += x[i];
  return SS_OK;
}

// ---- (1), (2) --------------------------------------------------------------------------------------

// (1): lambda (count) where it is feasible, else d (n).
static ss_error ask_pressing(every_mu_hunt *h, double *lambda, double *d, ssi_phase1_state *state) {
  ssi_phase1 s;
  int cols = h->count;
  *state = SSI_PHASE1_FEASIBLE;
  for (int i = 0; i < cols; i++) lambda[i] = h->normal[h->contact[i]];
  if (!h->used) return SS_OK;
  if (!ssi_phase1_take(&s, h->used, cols, h->scratch)) return SS_ERR_MEMORY;
  s.rows = h->used, s.cols = cols;
  for (int i = 0; i < cols; i++)
    for (int64_t k = h->B.ptr[i]; k < h->B.ptr[i + 1]; k++) {
      double x = h->B.x[k] * h->normal[h->contact[i]];
      s.A[h->B.col[k] * cols + i] = x;
      s.c[h->B.col[k]] += x;
    }
  for (int j = 0; j < h->used; j++) s.equal[j] = true;
  *state = ssi_phase1_solve(&s);
  for (int i = 0; i < cols; i++) lambda[i] *= 1 + s.x[i];
  for (int j = 0; j < h->used; j++) s.y[j] = -s.y[j];
  memset(d, 0, sizeof *d * (size_t)h->k.n);
  return *state == SSI_PHASE1_INFEASIBLE ? expand(h, s.y, d) : SS_OK;
}

// (2), with H_N v + w_N >= wanted |w|: x (n) where it is feasible, else lambda (count).
static ss_error ask_keeping(every_mu_hunt *h, double wanted, double *x, double *lambda,
                            ssi_phase1_state *state) {
  ssi_phase1 s;
  int rows = h->count, cols = 2 * h->used;
  double *u = SSI_TAKE(h->scratch, h->m, double), *y = SSI_TAKE(h->scratch, h->used, double);
  double size = h->unit;
  if (!u || !ssi_phase1_take(&s, rows, cols ? cols : 1, h->scratch)) return SS_ERR_MEMORY;
  s.rows = rows, s.cols = cols;
  memcpy(x, h->sliding.v0, sizeof *x * (size_t)h->k.n);
  memcpy(u, h->k.w, sizeof *u * (size_t)h->m);
  ssi_sparse_multiply_add(&h->k.H, x, u);
  for (int i = 0; i < rows; i++) size = fmax(size, fabs(u[h->contact[i] * h->dim]));
  for (int i = 0; i < rows; i++) {
    double scale = h->normal[h->contact[i]];
    s.c[i] = (u[h->contact[i] * h->dim] - wanted * h->unit) / size * scale;
    for (int64_t k = h->B.ptr[i]; k < h->B.ptr[i + 1]; k++) {
      s.A[i * cols + h->B.col[k]] = h->B.x[k] * scale;
      s.A[i * cols + h->used + h->B.col[k]] = -h->B.x[k] * scale;
    }
  }
  *state = ssi_phase1_solve(&s);
  for (int i = 0; i < rows; i++) lambda[i] = s.y[i] * h->normal[h->contact[i]];
  for (int j = 0; j < h->used; j++) y[j] = size * (s.x[j] - s.x[h->used + j]);
  return expand(h, y, x);
}

// ---- motions ---------------------------------------------------------------------------------------

// x: u = 0 on `rows` as far as doubles can, by the residual of the raw data.
static ss_error polish(every_mu_hunt *h, int count, const int *rows, bool direction, double *x) {
  double *left = SSI_TAKE(h->scratch, count, double);
  if (h->scratch->failed) return SS_ERR_MEMORY;
  for (int step = 0; step < POLISHES; step++) {
    ssi_joints j;
    ssi_kinematics_velocity(&h->k, x, direction, h->v);
    ssi_raw_motion(h->p, h->v, direction, h->u);
    for (int i = 0; i < count; i++) left[i] = h->u[rows[i]].hi;
    SS_TRY(hold_rows(h, count, rows, left, &j));
    for (int i = 0; i < h->k.n; i++) x[i] += j.v0[i];
  }
  return SS_OK;
}

// The tangents of S, and the normals of those of S that x leaves within `closed`; then the user's velocity.
static ss_error finish_motion(every_mu_hunt *h, double closed, bool direction, double *x,
                              double *out) {
  int *rows = SSI_TAKE(h->scratch, h->count * h->dim, int), count = 0;
  if (h->scratch->failed) return SS_ERR_MEMORY;
  ssi_kinematics_velocity(&h->k, x, direction, h->v);
  ssi_raw_motion(h->p, h->v, direction, h->u);
  for (int i = 0; i < h->count; i++) {
    int row = h->contact[i] * h->dim;
    if (h->u[row].hi <= closed) rows[count++] = row;
    for (int k = 1; k < h->dim; k++) rows[count++] = row + k;
  }
  SS_TRY(polish(h, count, rows, direction, x));
  ssi_kinematics_velocity(&h->k, x, direction, out);
  return SS_OK;
}

// What d opens leaves S.
static ss_error open_contacts(every_mu_hunt *h, double *d, double *out, int *opened) {
  double *u = SSI_TAKE(h->scratch, h->m, double), most = 0;
  int kept = 0;
  if (!u) return SS_ERR_MEMORY;
  ssi_sparse_multiply_add(&h->k.H, d, u);
  for (int i = 0; i < h->count; i++) most = fmax(most, u[h->contact[i] * h->dim]);
  if (!(most > 0)) return SS_OK;
  for (int i = 0; i < h->k.n; i++) d[i] /= most;
  SS_TRY(finish_motion(h, OPENS, true, d, out));
  ssi_raw_motion(h->p, out, true, h->u);
  for (int i = 0; i < h->count; i++)
    if (!(h->u[h->contact[i] * h->dim].hi > OPENS)) h->contact[kept++] = h->contact[i];
  *opened = h->count - kept;
  h->count = kept;
  return SS_OK;
}

// ---- impulses --------------------------------------------------------------------------------------

// r = (lambda, tau) with H^T r = 0 on S; r (m), of size 1.
static ss_error balance(every_mu_hunt *h, const double *lambda, double *r) {
  double *push = SSI_TAKE(h->scratch, h->k.n, double), most = 0;
  double *tau = SSI_TAKE(h->scratch, h->sliding.nl, double);
  if (h->scratch->failed) return SS_ERR_MEMORY;
  memset(r, 0, sizeof *r * (size_t)h->m);
  for (int i = 0; i < h->count; i++) most = fmax(most, lambda[i]);
  for (int i = 0; i < h->count && most > 0; i++)
    r[h->contact[i] * h->dim] = lambda[i] > SMALL * most ? lambda[i] / most : 0;
  ssi_sparse_multiply_transposed_add(&h->k.H, r, push);
  ssi_joints_multipliers(&h->sliding, push, tau);
  for (int i = 0, t = 0; i < h->count; i++)
    for (int k = 1; k < h->dim; k++) r[h->contact[i] * h->dim + k] = tau[t++];
  return SS_OK;
}

static double power(const every_mu_hunt *h, const double *r) {
  double sum = 0;
  for (int i = 0; i < h->m; i++) sum += h->k.w[i] * r[i];
  return sum;
}

double ssi_every_mu_fails_from(const ss_problem *p, const double *r) {
  double mu = 0, least = p->form == SS_GLOBAL ? PRESSES : PRESSES_REDUCED;
  for (int i = 0; i < p->nc; i++) {
    const double *own = r + (size_t)i * (size_t)p->dim;
    double drag = tangent_length(p->dim, own);
    if (drag > 0) mu = fmax(mu, own[0] > least * drag ? drag / own[0] : INFINITY);
  }
  return mu;
}

// r0 as it is where all that drags presses, else with as much of r1 as leaves half of its work.
static ss_error write_impulse(every_mu_hunt *h, double *r0, const double *r1, ss_every_mu *out) {
  double work = power(h, r0), other = power(h, r1), sum = 0;
  double *l = h->p->nl ? SSI_TAKE(h->arena, h->p->nl, double) : NULL;
  if (h->arena->failed) return SS_ERR_MEMORY;
  if (!(work < 0)) return SS_OK;
  if (isinf(ssi_every_mu_fails_from(h->p, r0))) {
    double part = other > 0 ? fmin(1, -work / other / 2) : 1;
    for (int i = 0; i < h->m; i++) r0[i] += part * r1[i];
  }
  for (int i = 0; i < h->m; i += h->dim) sum += r0[i];
  for (int i = 0; i < h->m; i++) r0[i] /= sum;
  if (l) ssi_kinematics_multipliers(&h->k, r0, l);
  out->fails_from = ssi_every_mu_fails_from(h->p, r0);
  if (!isfinite(out->fails_from)) return SS_OK;
  out->holds = SS_NO;
  out->impulse = r0;
  out->impulse_l = l;
  return SS_OK;
}

// The tangential rows alone: they cannot all stand still.
static void contradict(every_mu_hunt *h, double *r) {
  memset(r, 0, sizeof *r * (size_t)h->m);
  for (int i = 0, t = 0; i < h->count; i++)
    for (int k = 1; k < h->dim; k++) r[h->contact[i] * h->dim + k] = h->sliding.contradiction[t++];
  double sign = power(h, r) > 0 ? -1 : 1;
  for (int i = 0; i < h->m; i++) r[i] *= sign;
}

// ---- together --------------------------------------------------------------------------------------

// lambda: of (1) on the S that stays. false: a program came to no end, or a direction opens nothing.
static ss_error open_all(every_mu_hunt *h, double *lambda, ss_every_mu *out, bool *ended) {
  double *d = SSI_TAKE(h->scratch, h->k.n, double);
  double *all = SSI_TAKE(h->arena, (size_t)h->p->nc * (size_t)h->k.size, double);
  if (h->scratch->failed || h->arena->failed) return SS_ERR_MEMORY;
  out->directions = all;
  *ended = false;
  for (;;) {
    ssi_phase1_state state;
    int opened = 0;
    SS_TRY(prepare(h));
    SS_TRY(ask_pressing(h, lambda, d, &state));
    *ended = state == SSI_PHASE1_FEASIBLE;
    if (state != SSI_PHASE1_INFEASIBLE) return SS_OK;
    SS_TRY(open_contacts(h, d, all + (size_t)out->direction_count * (size_t)h->k.size, &opened));
    if (!opened) return SS_OK;
    out->direction_count++;
  }
}

// (2): with room to spare first.
static ss_error keep_all(every_mu_hunt *h, const double *r1, ss_every_mu *out) {
  static const double wishes[] = {1e-2, 1e-5, 0};
  double *x = SSI_TAKE(h->scratch, h->k.n, double), *v = SSI_TAKE(h->arena, h->k.size, double);
  double *lambda = SSI_TAKE(h->scratch, h->count, double), *r = SSI_TAKE(h->arena, h->m, double);
  ssi_phase1_state state = SSI_PHASE1_FAILED;
  if (h->scratch->failed || h->arena->failed) return SS_ERR_MEMORY;
  if (!h->sliding.consistent) {
    contradict(h, r);
    return write_impulse(h, r, r1, out);
  }
  for (int k = 0; k < 3 && state != SSI_PHASE1_FEASIBLE; k++)
    SS_TRY(ask_keeping(h, wishes[k], x, lambda, &state));
  if (state == SSI_PHASE1_INFEASIBLE) {
    SS_TRY(balance(h, lambda, r));
    return write_impulse(h, r, r1, out);
  }
  if (state != SSI_PHASE1_FEASIBLE) return SS_OK;
  SS_TRY(finish_motion(h, ACTIVE * h->unit, false, x, v));
  out->holds = SS_YES;
  out->velocity = v;
  return SS_OK;
}

static ss_error run(every_mu_hunt *h, ss_every_mu *out) {
  bool ended;
  double *lambda = SSI_TAKE(h->scratch, h->p->nc, double), *r1 = SSI_TAKE(h->scratch, h->m, double);
  h->normal = SSI_TAKE(h->scratch, h->p->nc, double);
  h->contact = SSI_TAKE(h->scratch, h->p->nc, int);
  h->u = SSI_TAKE(h->scratch, h->m + h->p->nl, ssi_dd);
  h->v = SSI_TAKE(h->scratch, h->k.size, double);
  if (h->scratch->failed) return SS_ERR_MEMORY;
  for (int i = 0; i < h->p->nc; i++) {
    double square = 0, size = 0;
    for (int64_t k = h->k.H.ptr[i * h->dim]; k < h->k.H.ptr[i * h->dim + 1]; k++)
      square += h->k.H.x[k] * h->k.H.x[k];
    for (int k = 0; k < h->dim; k++) size = hypot(size, h->k.w[i * h->dim + k]);
    h->normal[i] = square > 0 ? 1 / sqrt(square) : 1;
    h->unit = fmax(h->unit, size);
    h->contact[h->count++] = i;
  }
  if (!(h->unit > 0)) h->unit = 1;
  SS_TRY(open_all(h, lambda, out, &ended));
  if (!ended) return SS_OK;
  SS_TRY(balance(h, lambda, r1));
  return keep_all(h, r1, out);
}

double ssi_every_mu_flops(const ss_problem *p) {
  double rows = (double)p->dim * p->nc;
  double size = p->form == SS_GLOBAL ? fmin(p->ndof, 12.0 * p->nc) : rows + p->nl;
  return 20 * size * size * rows + ssi_kinematics_flops(p);
}

ss_error ssi_every_mu_search(ssi_arena *arena, const ss_problem *p, double rank_tol,
                             ss_every_mu *out) {
  ssi_arena scratch = {.ctx = arena->ctx};
  every_mu_hunt h = {
      .arena = arena, .scratch = &scratch, .p = p, .dim = p->dim, .m = p->dim * p->nc};
  h.rank_tol = p->form == SS_GLOBAL ? RANK_TOL : rank_tol;
  *out = (ss_every_mu){.holds = SS_UNKNOWN, .fails_from = NAN};
  ss_error e = ssi_kinematics_create(&scratch, p, rank_tol, &h.k);
  out->velocity_size = h.k.size;
  if (!e && !(h.k.joined && !h.k.joints.consistent)) e = run(&h, out);
  ssi_arena_release(&scratch);
  if (out->holds != SS_YES) out->velocity = out->directions = NULL, out->direction_count = 0;
  return e;
}
