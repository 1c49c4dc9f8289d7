// The friction problem as a linear complementarity problem, by Lemke's pivots.
//
// 2D, compact [Agw20, (30)-(31)], here with r_N, u_N >= 0: with the distances of r_T from both sides
// of the cone and the two parts of u_T,
//
//     psi- = mu r_N + r_T,   psi+ = mu r_N - r_T,   u_T = xi+ - xi-
//
//     [u_N ]   [W_NN - W_NT mu   W_NT   0] [r_N ]   [q_N]
//     [xi+ ] = [W_TN - W_TT mu   W_TT   I] [psi-] + [q_T],    each row >= 0 ⊥ its unknown >= 0   (1)
//     [psi+]   [2 mu            -I      0] [xi- ]   [0  ]
//
// exact; the matrix is copositive only for small mu, so that Lemke's method may end in a ray although
// there is a solution. Then, and in 3D, the faceted form [ST96, AP97], copositive for every mu: with
// directions d_1 .. d_k of the tangent plane (in 2D the two, and exact again), r_T = sum beta_j d_j,
//
//     u_N                 >= 0 ⊥ r_N >= 0
//     d_j.u_T + gamma     >= 0 ⊥ beta_j >= 0                                                     (2)
//     mu r_N - sum beta_j >= 0 ⊥ gamma >= 0
//
// In 3D (2) has a pyramid in the place of the cone: its answer is an approximation, improved by
// SWEEPS_3D Gauss-Seidel sweeps with the exact law, after which the pyramids are turned to the slip directions
// found and (2) is solved again, `rounds` times in all.
//
// One step is one pivot, O(n^2), n = 3, 4 or k + 2 times the contacts, or one sweep; n at most TABLE_MAX.
// The number of pivots is usually a small multiple of n (no bound better than 2^n is known). A ray ends the
// method; the log says so. The final basis is solved once more by LU, so that the rounding of the
// pivots does not stay in the answer. The guess is not used. W is divided by its mean diagonal and q
// by |q|, so that thresholds do not depend on units.
//
// [Agw20] M.A. Agwa, Existence and multiplicity of solutions in frictional contact mechanics, 2020.
// [ST96]  D. Stewart, J. Trinkle, An implicit time-stepping scheme for rigid body dynamics with
//         inelastic collisions and Coulomb friction, Int. J. Numer. Meth. Eng. 39 (1996) 2673-2691.
// [AP97]  M. Anitescu, F. Potra, Formulating dynamic multi-rigid-body contact problems with friction as
//         solvable linear complementarity problems, Nonlinear Dynamics 14 (1997) 231-247.
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "cone/onecontact.h"
#include "la/lcp.h"
#include "solvers/method.h"

enum { FORM_AUTO, FORM_COMPACT, FORM_COPOSITIVE };
enum { TABLE_MAX = 3000, FACETS_MAX = 32, VARIABLES = FACETS_MAX + 2 };
enum { SWEEPS_2D = 20, SWEEPS_3D = 200 };
enum { PHASE_PIVOT, PHASE_SWEEP, PHASE_OVER };

typedef struct lemke {
  double form, facets, rounds;  // options
  ssi_lcp lcp;
  ssi_contact *contact;  // (nc)
  double *lambda;        // (nc)
  double *angle;         // of d_1, in 3D   (nc)
  double *z, *rhs, *u;   // unknowns of the LCP (n); right-hand side (n); velocity (m)
  int *chosen;           // unknowns in the basis   (n)
  lapack_int *pivots;    // (n)
  double w_scale, q_scale;
  int per_contact;  // unknowns of the LCP per contact
  int phase, round, sweeps, size;
  bool compact;
} lemke;

static const char *const form_names[] = {"auto", "compact", "copositive", NULL};

static const ssi_option options[] = {
    {"form", offsetof(lemke, form), FORM_AUTO, 0, 2,
     "in 2D: compact first and copositive after a ray, or one of them; 3D is always copositive",
     form_names},
    {"facets", offsetof(lemke, facets), 8, 3, FACETS_MAX, "of the friction pyramid in 3D", NULL},
    {"rounds", offsetof(lemke, rounds), 5, 1, 1000,
     "in 3D: how often the pyramids are turned to the slip found and the problem solved again",
     NULL},
};

// ---- the complementarity problem -------------------------------------------------------------

typedef struct shape {  // of one contact: r = sum_b c_b z_b, rows d_a.u + sum_b C_ab z_b
  double c[VARIABLES][3], d[VARIABLES][3];
  double C[VARIABLES][VARIABLES];
} shape;

static void shape_of(const lemke *s, const ssi_system *sys, int i, shape *h) {
  double mu = sys->p.mu[i];
  int last = s->per_contact - 1;
  memset(h, 0, sizeof *h);
  h->d[0][0] = h->c[0][0] = 1;
  if (s->compact) {  // (1): r_N, psi-, xi-
    h->c[0][1] = -mu;
    h->c[1][1] = h->d[1][1] = 1;
    h->C[1][2] = 1, h->C[2][1] = -1, h->C[2][0] = 2 * mu;
    return;
  }
  for (int j = 1; j < last; j++) {  // (2): r_N, beta, gamma
    double turn = 2 * 3.14159265358979323846 * (j - 1) / (last - 1), at = s->angle[i] + turn;
    h->c[j][1] = sys->dim == 2 ? (j == 1 ? 1 : -1) : cos(at);
    h->c[j][2] = sys->dim == 2 ? 0 : sin(at);
    memcpy(h->d[j], h->c[j], sizeof h->d[j]);
    h->C[j][last] = 1, h->C[last][j] = -1;
  }
  h->C[last][0] = mu;
}

// Rows of contact i, columns of contact j: d_a.(W_ij c_b), W_ij row-major or column-major.
static void fill_block(lemke *s, int dim, const shape *hi, const shape *hj, const double *W,
                       bool row_major, int i, int j) {
  int k = s->per_contact;
  for (int b = 0; b < k; b++) {
    double Wc[3] = {0};
    for (int p = 0; p < dim; p++)
      for (int l = 0; l < dim; l++)
        Wc[p] += (row_major ? W[dim * p + l] : W[dim * l + p]) * hj->c[b][l] / s->w_scale;
    for (int a = 0; a < k; a++) {
      double sum = i == j ? hi->C[a][b] : 0;
      for (int p = 0; p < dim; p++) sum += hi->d[a][p] * Wc[p];
      ssi_lcp_row(&s->lcp, k * i + a)[k * j + b] = sum;
    }
  }
}

static void fill(lemke *s, const ssi_system *sys) {
  int dim = sys->dim, k = s->per_contact, n = s->lcp.n = k * sys->nc;
  shape hi, hj;
  memset(s->lcp.T, 0, sizeof(double) * (size_t)n * ((size_t)n + 2));
  for (int i = 0; i < sys->nc; i++) {
    shape_of(s, sys, i, &hi);
    fill_block(s, dim, &hi, &hi, sys->diag + dim * dim * (int64_t)i, true, i, i);
    for (int64_t e = sys->W.ptr[i]; e < sys->W.ptr[i + 1]; e++) {
      shape_of(s, sys, sys->W.col[e], &hj);
      fill_block(s, dim, &hi, &hj, sys->W.block + dim * dim * e, false, i, sys->W.col[e]);
    }
    for (int a = 0; a < k; a++) {
      double sum = 0;
      for (int p = 0; p < dim; p++) sum += hi.d[a][p] * sys->q[dim * (int64_t)i + p] / s->q_scale;
      ssi_lcp_row(&s->lcp, k * i + a)[n + 1] = sum;
    }
  }
}

static void reaction(const lemke *s, const ssi_system *sys, const double *z, double *r) {
  int dim = sys->dim, k = s->per_contact;
  shape h;
  for (int i = 0; i < sys->nc; i++) {
    double *ri = r + dim * (int64_t)i;
    shape_of(s, sys, i, &h);
    for (int p = 0; p < dim; p++) {
      ri[p] = 0;
      for (int b = 0; b < k; b++) ri[p] += h.c[b][p] * z[k * i + b];
      ri[p] *= s->q_scale / s->w_scale;
    }
  }
}

// rhs_a = -(row a of (1) or (2) at z), for the chosen unknowns.
static void defects(lemke *s, ssi_system *sys, int count, double *r) {
  int dim = sys->dim, k = s->per_contact, last = -1;
  shape h;
  reaction(s, sys, s->z, r);
  ssi_system_velocity(sys, r, s->u);
  for (int c = 0; c < count; c++) {
    int i = s->chosen[c] / k, a = s->chosen[c] % k;
    if (i != last) shape_of(s, sys, last = i, &h);
    double sum = 0;
    for (int p = 0; p < dim; p++) sum += h.d[a][p] * s->u[dim * (int64_t)i + p] / s->q_scale;
    for (int b = 0; b < k; b++) sum += h.C[a][b] * s->z[k * i + b];
    s->rhs[c] = -sum;
  }
}

// The basis once more: M restricted to the basic z, factored in the memory of the dictionary, and two
// Newton steps (the second refines). What the pivots had stays where the matrix is singular.
static void solve_basis(lemke *s, ssi_system *sys, double *r) {
  int n = s->lcp.n, count = 0;
  ssi_lcp_values(&s->lcp, s->z);
  memset(s->rhs, 0, sizeof(double) * (size_t)n);
  for (int i = 0; i < n; i++)
    if (s->lcp.basic[i] >= n && s->lcp.basic[i] < 2 * n) s->rhs[s->lcp.basic[i] - n] = 1;
  for (int j = 0; j < n; j++)
    if (s->rhs[j] > 0) s->chosen[count++] = j;
  fill(s, sys);
  double *A = s->lcp.T;  // rows and columns picked in place: the target never passes the source
  for (int a = 0; a < count; a++)
    for (int b = 0; b < count; b++)
      A[(int64_t)a * count + b] = s->lcp.T[(int64_t)s->chosen[a] * (n + 2) + s->chosen[b]];
  bool regular = count && !LAPACKE_dgetrf(LAPACK_COL_MAJOR, count, count, A, count, s->pivots);
  for (int pass = 0; pass < 2 && regular; pass++) {
    defects(s, sys, count, r);
    // the rows of A were written as columns: solve with the transpose
    LAPACKE_dgetrs(LAPACK_COL_MAJOR, 'T', count, 1, A, count, s->pivots, s->rhs, count);
    for (int c = 0; c < count; c++) s->z[s->chosen[c]] += s->rhs[c];
  }
  reaction(s, sys, s->z, r);
}

// ---- set-up --------------------------------------------------------------------------------

static int unknowns(const lemke *s, const ssi_system *sys, bool compact) {
  return compact ? 3 : sys->dim == 2 ? 4 : (int)s->facets + 2;
}

static ss_error setup(void *state, ssi_system *sys, uint64_t seed, ssi_arena *arena) {
  lemke *s = state;
  (void)seed;
  s->compact = sys->dim == 2 && s->form != FORM_COPOSITIVE;
  int64_t size = (int64_t)unknowns(s, sys, s->compact) * sys->nc;
  if (size > TABLE_MAX)
    return ssi_fail(sys->ctx, SS_ERR_METHOD,
                    "lemke keeps a dense table: %lld unknowns for %d contacts, at most %d",
                    (long long)size, sys->nc, TABLE_MAX);
  int64_t other = (int64_t)unknowns(s, sys, false) * sys->nc;  // after a ray, where it fits
  if (s->form == FORM_AUTO && other <= TABLE_MAX) size = other;
  s->size = (int)size;
  SS_TRY(ssi_system_need_blocks(sys));
  s->contact = SSI_TAKE(arena, sys->nc, ssi_contact);
  s->lambda = SSI_TAKE(arena, sys->nc, double);
  s->angle = SSI_TAKE(arena, sys->nc, double);
  s->z = SSI_TAKE(arena, size, double);
  s->rhs = SSI_TAKE(arena, size, double);
  s->u = SSI_TAKE(arena, sys->m, double);
  s->chosen = SSI_TAKE(arena, size, int);
  s->pivots = SSI_TAKE(arena, size, lapack_int);
  if (!ssi_lcp_take(&s->lcp, (int)size, arena)) return SS_ERR_MEMORY;
  ssi_block_lambda_max(sys->dim, sys->nc, sys->diag, s->lambda);
  for (int i = 0; i < sys->nc; i++) s->w_scale += sys->lambda_max[i] / sys->nc;
  return SS_OK;
}

static ss_error refresh(void *state, ssi_system *sys) {
  lemke *s = state;
  for (int i = 0; i < sys->nc; i++)
    ssi_contact_prepare(&s->contact[i], sys->dim, sys->diag + sys->dim * sys->dim * (int64_t)i,
                        sys->p.mu[i], s->lambda[i]);
  s->q_scale = sys->norm_q > 0 ? sys->norm_q : 1;
  return SS_OK;
}

static void start(lemke *s, ssi_system *sys) {
  s->per_contact = unknowns(s, sys, s->compact);
  fill(s, sys);
  s->phase = PHASE_PIVOT;
  s->sweeps = 0;
  // no negative constant: z = 0, one "pivot" hands it over
  if (ssi_lcp_start(&s->lcp) == SSI_LCP_SOLVED) s->lcp.entering = -1;
}

static void begin(void *state, ssi_system *sys, const double *r) {
  lemke *s = state;
  (void)r;
  s->compact = sys->dim == 2 && s->form != FORM_COPOSITIVE;
  s->round = 0;
  for (int i = 0; i < sys->nc; i++) {
    s->contact[i].slip = 0;
    s->contact[i].state = SSI_CONTACT_FREE;
    s->angle[i] = 0;
  }
  start(s, sys);
}

// ---- steps ---------------------------------------------------------------------------------

static ssi_verdict pivot(lemke *s, ssi_system *sys, double *r, double *estimate) {
  ssi_lcp_state at = s->lcp.entering < 0 ? SSI_LCP_SOLVED : ssi_lcp_pivot(&s->lcp);
  if (at == SSI_LCP_GOING) {
    *estimate = INFINITY;  // r is still the old one
    return SSI_CONTINUE;
  }
  if (at == SSI_LCP_SOLVED) {
    solve_basis(s, sys, r);
    s->phase = PHASE_SWEEP;
    return SSI_CONTINUE;
  }
  bool again = s->compact && s->form == FORM_AUTO && unknowns(s, sys, false) * sys->nc <= s->size;
  ssi_log(sys->ctx, SS_LOG_INFO, "lemke: ended in a ray (%s form, %d unknowns)%s",
          s->compact ? "compact" : "copositive", s->lcp.n,
          again ? "; trying the copositive form" : "; no solution found this way");
  s->compact = false;
  if (again) {
    *estimate = INFINITY;
    start(s, sys);
    return SSI_CONTINUE;
  }
  s->phase = PHASE_OVER;
  return SSI_STALLED;
}

static double sweep(lemke *s, ssi_system *sys, double *r) {
  int dim = sys->dim;
  double change = 0;
  for (int i = 0; i < sys->nc; i++) {
    double b[3] = {0}, z[3] = {0}, *ri = r + dim * (int64_t)i;
    for (int k = 0; k < dim; k++) b[k] = sys->q[dim * (int64_t)i + k], z[k] = ri[k];
    if (dim == 3)
      ssi_delassus_row3(&sys->W, sys->W.ptr[i], sys->W.ptr[i + 1], r, b);
    else
      ssi_delassus_row2(&sys->W, sys->W.ptr[i], sys->W.ptr[i + 1], r, b);
    ssi_contact_solve(&s->contact[i], dim, b, z);
    for (int k = 0; k < dim; k++) {
      double d = sys->lambda_max[i] * (z[k] - ri[k]) / s->q_scale;
      change += d * d;
      ri[k] = z[k];
    }
  }
  return sqrt(change);
}

// The pyramids' first edges along r_T, which opposes the slip where there is one.
static void turn(lemke *s, const ssi_system *sys, const double *r) {
  for (int i = 0; i < sys->nc; i++)
    s->angle[i] = atan2(r[3 * (int64_t)i + 2], r[3 * (int64_t)i + 1]);
}

static ssi_verdict step(void *state, ssi_system *sys, double *r, double *estimate) {
  lemke *s = state;
  if (s->phase == PHASE_OVER) return SSI_STALLED;
  if (s->phase == PHASE_PIVOT) return pivot(s, sys, r, estimate);
  if (s->sweeps < (sys->dim == 2 ? SWEEPS_2D : SWEEPS_3D)) {
    *estimate = sweep(s, sys, r);
    s->sweeps++;
    return SSI_CONTINUE;
  }
  if (sys->dim == 2 || ++s->round >= (int)s->rounds) {
    s->phase = PHASE_OVER;
    return SSI_STALLED;
  }
  turn(s, sys, r);
  start(s, sys);
  *estimate = INFINITY;
  return SSI_CONTINUE;
}

const ssi_method ssi_method_lemke = {
    .name = "lemke",
    .summary = "Lemke's pivots on a linear complementarity problem: exact in 2D, pyramids in 3D",
    .state_size = sizeof(lemke),
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .max_iter = 1000000,
    .setup = setup,
    .refresh = refresh,
    .begin = begin,
    .step = step,
};
