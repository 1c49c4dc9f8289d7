// Reactions of least norm among those with the same velocities. docs/theory.md (19) to (21)
//
// With u given, the law leaves to r_i: nothing where u_N > 0; a ray, opposite to u_T on the surface of K, where the
// contact slips; all of K where it sticks. In these, r = D x with x in half-lines and friction cones and D^T D = I,
// and W D x = W D x0 is D^T W D x = D^T W D x0, since W is positive semi-definite: (1) of least_norm.h, for each
// connected component by itself.
#include "solvers/least_norm.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/timer.h"
#include "cone/friction.h"
#include "la/sparse.h"
#include "problem/check.h"
#include "problem/system.h"
#include "problem/verify.h"
#include "stickslip/solver.h"

typedef struct least_face {  // what the law leaves to r_i
  int rows;                  // 0: nothing; 1: along `ray`; dim: K
  int first;                 // of its rows in the component
  double ray[3];             // of length 1
} least_face;

typedef struct job {
  ss_context *ctx;
  const ss_problem *p;
  ss_options o;
  ssi_arena arena;
  ssi_system *sys;
  ssi_judge judge;
  least_face *faces;  // (nc)
  double target;      // of the rows that are asked for, over what is negligible
  bool coarse;        // that was met, and velocities change by more than the tolerance
  bool exactly;       // the image of r; else that of x0, which differs by what r leaves of the law
  double *first;      // u of the r that was given      (m)
  double *r, *u;      // the answer to begin with     (m)
  double *x, *moved;  // that of least norm, its u     (m)
  double until_s;     // by the clock; INFINITY: no limit
  ss_least_norm_info *info;
} job;

// Sticky: what is asked once is not begun again.
static int stop(void *user) {
  job *j = user;
  bool asked = j->o.stop && j->o.stop(j->o.user);
  if (asked || ssi_now_s() >= j->until_s) j->info->stopped = true;
  return j->info->stopped;
}

static int dim_of(const job *j) {
  return j->p->dim;
}

// Of a component: contacts that leave so much of the law leave, together, half of the tolerance.
static double negligible(const job *j, int part) {
  const ssi_components *c = j->judge.parts;
  double contacts = c->first[part + 1] - c->first[part];
  return 0.5 * j->o.tol * j->judge.gap[part] / sqrt(contacts);
}

// With y = lambda r - u^ the natural step is P_K(y)/lambda: r but for what the contact leaves of the law, docs/theory.md
// (6), over lambda. x0 begins there, and y tells the least_face: the tangent of a ray is that of y, which is r's own where r
// is large beside u (there u_T tells the direction to few digits) and -u_T where r is small.
static void choose(const job *j, int64_t i, double small, least_face *f, double *x0) {
  int dim = dim_of(j);
  const double *u = j->u + dim * i, *r = j->r + dim * i;
  double mu = j->p->mu[i], lambda = j->judge.lambda[i], slide = ssi_tangent_norm(dim, u),
         y[3] = {0};
  for (int k = 0; k < dim; k++) y[k] = lambda * r[k] - u[k];
  y[0] -= mu * slide;
  double t = ssi_tangent_norm(dim, y);
  bool free = mu * t <= -y[0], inside = mu > 0 && t <= mu * y[0];
  if (free && u[0] > small)
    f->rows = 0;
  else
    f->rows = inside || (mu > 0 && slide <= small) ? dim : 1;
  double c = mu <= 1 ? 1 : 1 / mu, s = mu <= 1 ? mu : 1, length = sqrt(c * c + s * s);
  f->ray[0] = t > 0 ? c / length : 1;
  for (int k = 1; k < dim; k++) f->ray[k] = t > 0 ? s * y[k] / t / length : 0;
  ssi_project(dim, mu, y);
  double along = 0;
  for (int k = 0; k < dim; k++) along += f->ray[k] * y[k];
  for (int k = 0; k < f->rows; k++) x0[k] = (f->rows == 1 ? fmax(along, 0) : y[k]) / lambda;
}

// D_i^T W_ij D_j; B is W_ij, column-major
static void narrow(int dim, const least_face *a, const least_face *b, const double *B,
                   double *out) {
  for (int k = 0; k < a->rows; k++)
    for (int l = 0; l < b->rows; l++) {
      double sum = 0;
      for (int m = 0; m < dim; m++)
        for (int n = 0; n < dim; n++) {
          double left = a->rows == 1 ? a->ray[m] : m == k,
                 right = b->rows == 1 ? b->ray[n] : n == l;
          sum += left * B[dim * n + m] * right;
        }
      out[b->rows * k + l] = sum;
    }
}

typedef struct least_entries {
  int64_t count;
  int *row, *col;
  double *x;
} least_entries;

static void put_block(int dim, const least_face *a, const least_face *b, const double *block,
                      least_entries *to) {
  double B[9];
  narrow(dim, a, b, block, B);
  for (int k = 0; k < a->rows * b->rows; k++, to->count++) {
    to->row[to->count] = a->first + k / b->rows;
    to->col[to->count] = b->first + k % b->rows;
    to->x[to->count] = B[k];
  }
}

// D^T W D of the contacts of a component
static bool narrow_matrix(job *j, const int *contact, int count, ssi_least *to) {
  int dim = dim_of(j);
  const ssi_delassus *W = &j->sys->W;
  int64_t room = 0;
  for (int at = 0; at < count; at++)
    room += dim * dim * (1 + W->ptr[contact[at] + 1] - W->ptr[contact[at]]);
  least_entries t = {.row = SSI_TAKE(&j->arena, room, int),
                     .col = SSI_TAKE(&j->arena, room, int),
                     .x = SSI_TAKE(&j->arena, room, double)};
  if (j->arena.failed) return false;
  for (int at = 0; at < count; at++) {
    int i = contact[at];
    const least_face *f = &j->faces[i];
    double diagonal[9];
    for (int k = 0; k < dim * dim; k++)
      diagonal[k] = j->sys->diag[dim * dim * (int64_t)i + (k % dim) * dim + k / dim];
    put_block(dim, f, f, diagonal, &t);
    for (int64_t e = W->ptr[i]; e < W->ptr[i + 1]; e++)
      put_block(dim, f, &j->faces[W->col[e]], W->block + dim * dim * e, &t);
  }
  return ssi_sparse_from_triplets(&j->arena, to->n, to->n, t.count, t.row, t.col, t.x, &to->W, NULL,
                                  NULL);
}

// ---- a component ---------------------------------------------------------------------------

// b = D^T W r = D^T (u - q)
static void wanted(const job *j, int64_t i, const least_face *f, double *b) {
  int dim = dim_of(j);
  for (int k = 0; k < f->rows; k++) b[k] = 0;
  for (int k = 0; f->rows && k < dim; k++)
    b[f->rows == 1 ? 0 : k] +=
        (f->rows == 1 ? f->ray[k] : 1) * (j->u[dim * i + k] - j->sys->q[dim * i + k]);
}

// The faces, their cones, x0 and b
static bool place(job *j, const int *contact, int count, double small, ssi_least *to, double *b) {
  ssi_least_cone *cones = SSI_TAKE(&j->arena, count, ssi_least_cone);
  double *x0 = SSI_TAKE(&j->arena, (int64_t)dim_of(j) * count, double), sum = 0;
  if (j->arena.failed) return false;
  to->n = to->count = 0;
  for (int at = 0; at < count; at++) {
    int i = contact[at];
    least_face *f = &j->faces[i];
    f->first = to->n;
    choose(j, i, small, f, x0 + to->n);
    wanted(j, i, f, b + to->n);
    if (f->rows) cones[to->count++] = (ssi_least_cone){f->first, f->rows, j->p->mu[i]};
    to->n += f->rows;
    sum += j->judge.lambda[i];
  }
  to->cones = cones;
  to->x0 = x0;
  to->size = sum / count;
  return true;
}

static void put_back(job *j, const int *contact, int count, const double *x) {
  int dim = dim_of(j);
  for (int at = 0; at < count; at++) {
    const least_face *f = &j->faces[contact[at]];
    double *r = j->x + dim * (int64_t)contact[at];
    for (int k = 0; k < dim; k++)
      r[k] = !f->rows ? 0 : f->rows == 1 ? x[f->first] * f->ray[k] : x[f->first + k];
  }
}

// How far |D^T W z| is followed, z = D x - r0, of what is negligible; and how far where the velocities still change. The
// rows that D leaves out know z by a root only, |W z|^2 <= |W| z.W z <= |W| |x - x0| |D^T W z|: where bodies hardly
// resist it, z is large when D^T W z is small already.
static const double TARGET = 1e-2, FINEST = 1e-7;

// j->x of the contacts of one component; those of r where that fails.
static void lessen(job *j, int part) {
  const ssi_components *c = j->judge.parts;
  const int *contact = c->contact + c->first[part];
  int count = c->first[part + 1] - c->first[part];
  double small = negligible(j, part);
  ssi_mark before = ssi_arena_mark(&j->arena);
  ssi_least least = {.target = j->target * small, .stop = stop, .user = j};
  double *x = NULL, *b = SSI_TAKE(&j->arena, (int64_t)dim_of(j) * count, double);
  if (j->exactly) least.b = b;
  bool done =
      b && place(j, contact, count, small, &least, b) && narrow_matrix(j, contact, count, &least);
  if (done) x = SSI_TAKE(&j->arena, least.n, double);
  done = done && !j->arena.failed && ssi_least_solve(&least, &j->arena, x);
  j->info->newtons += least.newtons;
  if (done) put_back(j, contact, count, x);
  if (!done) j->info->reached = false;
  if (!j->arena.failed) ssi_arena_rewind(&j->arena, before);
}

// ---- all of it -----------------------------------------------------------------------------

static double norm(const job *j, const double *r) {
  double sum = 0;
  for (int k = 0; k < j->sys->m; k++) sum += r[k] * r[k];
  return sqrt(sum);
}

static ss_error judge(job *j, const double *r, double *u, double *value) {
  ss_verdict verdict;
  ss_solution answer = {.r = r};
  SS_TRY(ssi_judge_answer(&j->judge, &answer, u, NULL, NULL, NULL, &verdict));
  *value = ss_verdict_measure(&verdict, j->o.measure);
  return SS_OK;
}

// Largest change of u of a component, relative to its scale.
static double change(const job *j, const double *before, const double *after) {
  const ssi_components *c = j->judge.parts;
  double most = 0;
  for (int part = 0; part < c->count; part++) {
    double sum = 0;
    for (int at = c->first[part]; at < c->first[part + 1]; at++)
      for (int k = 0; k < dim_of(j); k++) {
        int64_t i = dim_of(j) * (int64_t)c->contact[at] + k;
        sum += (after[i] - before[i]) * (after[i] - before[i]);
      }
    most = fmax(most, sqrt(sum) / fmax(j->judge.gap[part], DBL_MIN));
  }
  return most;
}

static ss_error no_memory(const job *j) {
  return ssi_fail(j->ctx, SS_ERR_MEMORY, "out of memory for the least norm of %d contacts",
                  j->p->nc);
}

static ss_error create(job *j) {
  if (!j->o.checked) SS_TRY(ssi_problem_check_data(j->ctx, j->p));
  SS_TRY(ssi_system_create(j->ctx, j->p, &j->sys));
  SS_TRY(ssi_system_need_blocks(j->sys));
  SS_TRY(ssi_judge_create(&j->arena, &j->sys->p, j->sys->mass, j->sys->lambda_max,
                          &j->sys->components, &j->judge));
  double **vectors[] = {&j->r, &j->u, &j->first, &j->x, &j->moved};
  for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++)
    *vectors[k] = SSI_TAKE(&j->arena, j->sys->m, double);
  j->faces = SSI_TAKE(&j->arena, j->p->nc, least_face);
  return j->arena.failed ? no_memory(j) : SS_OK;
}

// From j->r to j->x; info->reached where that is judged to be an answer with the same velocities.
static ss_error lessen_all(job *j) {
  ss_least_norm_info *info = j->info;
  double value;
  info->reached = true;
  j->coarse = false;
  for (int part = 0; part < j->judge.parts->count && info->reached; part++) lessen(j, part);
  if (j->arena.failed) return no_memory(j);
  if (!info->reached) return SS_OK;
  SS_TRY(judge(j, j->x, j->moved, &value));
  info->velocity = change(j, j->u, j->moved);
  j->coarse = !(value <= j->o.tol && info->velocity <= j->o.tol);
  info->reached = !j->coarse;
  if (info->reached) info->error = value;
  return SS_OK;
}

static ss_error lessen_finely(job *j) {
  j->target = TARGET;
  SS_TRY(lessen_all(j));
  while (j->coarse && j->target > 2 * FINEST && !stop(j)) {
    j->target *= 0.1;
    SS_TRY(lessen_all(j));
  }
  return SS_OK;
}

// The image of r itself, where what the law leaves to r has it; else that of x0.
static ss_error attempt(job *j) {
  SS_TRY(judge(j, j->r, j->u, &j->info->error));
  for (int k = 0; k < 2 && !j->info->reached && j->info->error <= j->o.tol && !stop(j); k++) {
    j->exactly = k == 0;
    SS_TRY(lessen_finely(j));
  }
  return SS_OK;
}

// x0 differs from r by what r leaves of the law, and W may make ten times as much of that as its diagonal blocks do. Then
// r is solved once more, to a tenth, to a hundredth.
static ss_error solve_again(job *j, double tol) {
  ss_options o = j->o;
  ss_solver *solver = NULL;
  ss_info info;
  o.tol = tol;
  o.checked = true;
  if (isfinite(j->until_s)) o.time_limit_s = fmax(j->until_s - ssi_now_s(), 1e-3);
  ss_error e = ss_solver_create(j->ctx, j->p, &o, &solver);
  if (!e) e = ss_solve(solver, j->r, NULL, NULL, NULL, &info);
  ss_solver_destroy(solver);
  return e;
}

static ss_error run(job *j, double *r) {
  ss_least_norm_info *info = j->info;
  SS_TRY(create(j));
  size_t bytes = sizeof(double) * (size_t)j->sys->m;
  if (bytes) memcpy(j->r, r, bytes);
  info->norm[0] = info->norm[1] = norm(j, r);
  SS_TRY(attempt(j));
  if (bytes) memcpy(j->first, j->u, bytes);
  for (double tol = 0.1 * j->o.tol; !info->reached && !stop(j) && tol > 5e-3 * j->o.tol;
       tol *= 0.1) {
    if (!(info->error <= j->o.tol && info->error > tol)) continue;
    SS_TRY(solve_again(j, tol));
    SS_TRY(attempt(j));
  }
  if (!info->reached) return SS_OK;
  info->velocity = change(j, j->first, j->moved);
  info->norm[1] = norm(j, j->x);
  if (bytes) memcpy(r, j->x, bytes);
  return SS_OK;
}

ss_error ss_least_norm(ss_context *ctx, const ss_problem *p, const ss_options *o, double *r,
                       ss_least_norm_info *out) {
  if (out) *out = (ss_least_norm_info){.error = INFINITY};
  if (!p || !o || !out || (!r && p->nc)) return ssi_missing(ctx, "ss_least_norm");
  job j = {.ctx = ctx, .p = p, .o = *o, .arena = {.ctx = ctx}, .info = out};
  j.until_s = o->time_limit_s > 0 ? ssi_now_s() + o->time_limit_s : INFINITY;
  ss_error e = run(&j, r);
  ssi_system_destroy(j.sys);
  ssi_arena_release(&j.arena);
  return e;
}
