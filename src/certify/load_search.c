// Two questions of the same kind, about the loose motions z = Z y (M z = 0, G^T z = 0) and the load f:
//
//   is there z with H_N z >= 0 and f.z < 0?    no: the load is held, f = M a + H_N^T lambda + G l, lambda >= 0
//   is there z with H z in K* and f.z < 0?     yes: the load drives it, and no solution exists
//
// Each is criterion (A) (the first without friction) of H Z with one more contact, without friction, u = -f.z - 1, all other
// w zero: its velocity is such a z, its jamming mode, over the impulse of that contact, reactions with Z^T (H^T r - f) = 0.
#include "certify/load_search.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/timer.h"
#include "certify/search.h"
#include "la/dd.h"
#include "la/factor.h"
#include "la/lapack.h"
#include "la/rows.h"
#include "la/sparse.h"
#include "problem/loose.h"
#include "solvers/loose_polish.h"

static const double CANCELLED = 1e-14;  // of its terms: a sum that is rounding of 0
static const double PRESSES = 1e-9;     // of the largest: an impulse that is one
static const double RANK = 1e-12;       // of the largest singular value
enum { PASSES = 4, DENSE = 1500 };      // corrections; unknowns up to which they are made

typedef struct load_work {
  ss_context *ctx;
  const ss_problem *p;
  const ss_certify_options *o;
  ssi_arena arena;
  ssi_loose loose;
  double *power;   // f.Z_k, over force   (count)
  double force;    // largest |f.Z_k|
  double reach;    // largest |H Z|
  ss_sparse H;     // H Z and -f.Z, scaled   (m + dim x count)
  double *w, *mu;  //
  double *r, *d;   // what was found   (m), (ndof)
  bool has_r, has_d;
} load_work;

// ---- H Z and f.Z ---------------------------------------------------------------------------

static double dot(const double *x, const double *y, int n) {
  ssi_dd sum = {0, 0};
  double terms = 0;
  for (int i = 0; i < n; i++) {
    sum = ssi_dd_add(sum, ssi_two_prod(x[i], y[i]));
    terms += fabs(x[i] * y[i]);
  }
  return fabs(sum.hi) <= CANCELLED * terms ? 0 : sum.hi;
}

static double row_times(const ss_sparse *H, int i, const double *z) {
  ssi_dd sum = {0, 0};
  double terms = 0;
  for (int64_t k = H->ptr ? H->ptr[i] : 0; H->ptr && k < H->ptr[i + 1]; k++) {
    sum = ssi_dd_add(sum, ssi_two_prod(H->x[k], z[H->col[k]]));
    terms += fabs(H->x[k] * z[H->col[k]]);
  }
  return fabs(sum.hi) <= CANCELLED * terms ? 0 : sum.hi;
}

static ss_error prepare(load_work *s) {
  const ss_problem *p = s->p;
  int m = p->dim * p->nc, count = s->loose.count;
  size_t n = (size_t)p->ndof, rows = (size_t)(m + p->dim);
  double *dense = SSI_TAKE(&s->arena, rows * (size_t)count, double);
  s->power = SSI_TAKE(&s->arena, count, double);
  s->w = SSI_TAKE(&s->arena, rows, double);
  s->mu = SSI_TAKE(&s->arena, p->nc + 1, double);
  s->r = SSI_TAKE(&s->arena, m, double);
  s->d = SSI_TAKE(&s->arena, n, double);
  if (s->arena.failed) return SS_ERR_MEMORY;
  for (int k = 0; k < count; k++) {
    s->power[k] = dot(p->f, s->loose.Z + n * (size_t)k, p->ndof);
    s->force = fmax(s->force, fabs(s->power[k]));
    for (int i = 0; i < m; i++) {
      double x = row_times(&p->H, i, s->loose.Z + n * (size_t)k);
      dense[(size_t)count * (size_t)i + (size_t)k] = x;
      s->reach = fmax(s->reach, fabs(x));
    }
  }
  for (size_t i = 0; i < (size_t)m * (size_t)count && s->reach > 0; i++) dense[i] /= s->reach;
  for (int k = 0; k < count && s->force > 0; k++)
    dense[(size_t)count * (size_t)m + (size_t)k] = -s->power[k] / s->force;
  s->w[m] = -1;
  if (p->nc) memcpy(s->mu, p->mu, sizeof *s->mu * (size_t)p->nc);
  ssi_rows all = {0};
  bool ok = ssi_rows_begin(s->ctx, (int)rows, count, &all);
  for (size_t i = 0; i < rows && ok; i++)
    ok = ssi_rows_append_dense(&all, dense + (size_t)count * i);
  ss_sparse view = ssi_rows_view(&all);
  ok = ok && ssi_sparse_copy(&s->arena, &view, &s->H);
  ssi_rows_end(&all);
  return ok ? SS_OK : SS_ERR_MEMORY;
}

// ---- one question --------------------------------------------------------------------------

// r of the jamming mode, d of the velocity; the check tells what either is worth.
static ss_error write_findings(load_work *s, ssi_arena *scratch, const ssi_conic *c,
                               const ssi_finding *f) {
  size_t n = (size_t)s->p->ndof;
  int m = s->p->dim * s->p->nc;
  double *y = SSI_TAKE(scratch, s->loose.count, double);
  if (!y) return SS_ERR_MEMORY;
  s->has_r = isfinite(f->high) && f->z[m] > 0;
  for (int i = 0; i < m && s->has_r; i++)
    s->r[i] = c->row[i] * f->z[i] / (c->row[m] * f->z[m]) * s->force / s->reach;
  s->has_d = f->x != NULL;
  ssi_conic_velocity(c, f->x, f->infinite ? fmax(0, 1 - f->low) : 0, f->infinite ? f->d : NULL, y);
  memset(s->d, 0, n * sizeof *s->d);
  for (int k = 0; k < s->loose.count; k++)
    for (size_t i = 0; i < n; i++) s->d[i] += y[k] * s->loose.Z[n * (size_t)k + i];
  return SS_OK;
}

static ss_error ask(load_work *s, bool friction) {
  ssi_arena scratch = {.ctx = s->ctx};
  ssi_conic conic;
  ss_error e = ssi_conic_create(&scratch, s->p->dim, s->p->nc + 1, friction ? s->mu : NULL, &s->H,
                                s->w, &conic);
  if (!e) {
    ssi_search search = {.ctx = s->ctx,
                         .c = &conic,
                         .tol = s->o->tol,
                         .far = 1e10,
                         .work_left = INFINITY,
                         .max_iter = s->o->max_iter,
                         .end_s = INFINITY,
                         .unit = conic.unit};
    e = ssi_search_run(&scratch, &search);
    if (!e) e = write_findings(s, &scratch, &conic, &search.f);
    ssi_search_release(&search);
  }
  ssi_arena_release(&scratch);
  return e;
}

// ---- held ----------------------------------------------------------------------------------

// Unknowns: a, the pressures that are not zero, l. What they leave of M a + H_N^T lambda + G l = f, corrected by least squares.
typedef struct load_balance {
  int n, cols;       // rows; unknowns
  double *A, *rest;  // (size x size), column-major
  int *contact;      // of a column that is a pressure
  int presses;
  ssi_dd *sum;
} load_balance;

static void fill_balance(const load_work *s, load_balance *b, int size) {
  const ss_problem *p = s->p;
  size_t rows = (size_t)size;
  memset(b->A, 0, sizeof *b->A * rows * rows);
  for (int i = 0; i < p->ndof; i++)
    for (int64_t k = p->M.ptr[i]; k < p->M.ptr[i + 1]; k++)
      b->A[rows * (size_t)p->M.col[k] + (size_t)i] = p->M.x[k];
  for (int c = 0; c < b->presses; c++) {
    int row = p->dim * b->contact[c];
    for (int64_t k = p->H.ptr[row]; k < p->H.ptr[row + 1]; k++)
      b->A[rows * (size_t)(p->ndof + c) + (size_t)p->H.col[k]] = p->H.x[k];
  }
  for (int i = 0; i < p->ndof && p->nl; i++)
    for (int64_t k = p->G.ptr[i]; k < p->G.ptr[i + 1]; k++)
      b->A[rows * (size_t)(p->ndof + b->presses + p->G.col[k]) + (size_t)i] = p->G.x[k];
}

static void find_rest(const load_work *s, load_balance *b, int size, const double *x) {
  for (int i = 0; i < b->n; i++) b->sum[i] = ssi_dd_from(s->p->f[i]);
  for (int c = 0; c < b->cols; c++)
    for (int i = 0; i < b->n; i++) {
      double a = b->A[(size_t)size * (size_t)c + (size_t)i];
      if (a != 0) b->sum[i] = ssi_dd_sub(b->sum[i], ssi_two_prod(a, x[c]));
    }
  for (int i = 0; i < size; i++) b->rest[i] = i < b->n ? b->sum[i].hi : 0;
}

// x (n + nc + nl): a, lambda, l
static ss_error balance(load_work *s, ssi_arena *arena, double *a, double *lambda, double *l) {
  const ss_problem *p = s->p;
  load_balance b = {.n = p->ndof, .contact = SSI_TAKE(arena, p->nc, int)};
  double most = 0;
  if (arena->failed) return SS_ERR_MEMORY;
  for (int i = 0; i < p->nc; i++) most = fmax(most, lambda[i]);
  for (int i = 0; i < p->nc; i++)
    if (lambda[i] > PRESSES * most)
      b.contact[b.presses++] = i;
    else
      lambda[i] = 0;
  b.cols = p->ndof + b.presses + p->nl;
  int size = b.cols;
  if (size > DENSE) return SS_OK;
  b.A = SSI_TAKE(arena, (size_t)size * (size_t)size, double);
  b.rest = SSI_TAKE(arena, size, double);
  b.sum = SSI_TAKE(arena, b.n, ssi_dd);
  double *x = SSI_TAKE(arena, size, double), *singular = SSI_TAKE(arena, size + 1, double);
  if (arena->failed) return SS_ERR_MEMORY;
  for (int c = 0; c < b.presses; c++) x[p->ndof + c] = lambda[b.contact[c]];
  for (int pass = 0; pass < PASSES && size; pass++) {
    lapack_int rank;
    fill_balance(s, &b, size);
    find_rest(s, &b, size, x);
    ss_error e =
        ssi_least_squares(LAPACK_COL_MAJOR, size, 1, b.A, b.rest, singular, RANK, &rank);
    if (e) return e == SS_ERR_MEMORY ? e : SS_ERR_LINEAR;
    for (int c = 0; c < size; c++) x[c] += b.rest[c];
  }
  if (p->ndof) memcpy(a, x, sizeof *a * (size_t)p->ndof);
  for (int c = 0; c < b.presses; c++) lambda[b.contact[c]] = fmax(x[p->ndof + c], 0);
  if (p->nl) memcpy(l, x + p->ndof + b.presses, sizeof *l * (size_t)p->nl);
  return SS_OK;
}

static ss_error write_held(load_work *s, ssi_owned_certificate *own, ss_load_evidence *to) {
  const ss_problem *p = s->p;
  double *a = SSI_TAKE(&own->arena, p->ndof, double),
         *lambda = SSI_TAKE(&own->arena, p->nc, double);
  double *l = SSI_TAKE(&own->arena, p->nl, double);
  ssi_arena scratch = {.ctx = s->ctx};
  if (own->arena.failed) return SS_ERR_MEMORY;
  for (int i = 0; i < p->nc; i++) lambda[i] = s->has_r ? fmax(s->r[p->dim * i], 0) : 0;
  ss_error e = balance(s, &scratch, a, lambda, l);
  ssi_arena_release(&scratch);
  to->deformation = a, to->pressure = lambda, to->pressure_l = p->nl ? l : NULL;
  return e;
}

static ss_error write_driven(load_work *s, ssi_owned_certificate *own, ss_load_evidence *to) {
  double *d = SSI_TAKE(&own->arena, s->p->ndof, double), most = 0;
  if (!d) return SS_ERR_MEMORY;
  for (int i = 0; i < s->p->ndof; i++) most = fmax(most, fabs(s->d[i]));
  for (int i = 0; i < s->p->ndof && most > 0; i++) {
    d[i] = s->d[i] / most;
    if (fabs(d[i]) <= CANCELLED) d[i] = 0;
  }
  to->motion = d;
  return SS_OK;
}

// ---- at rest -------------------------------------------------------------------------------

// Where a velocity brings all contacts to rest, reactions in the cones that balance the load there are a solution: those
// of the question, corrected for what M makes of that velocity.
static ss_error try_rest(load_work *s, ssi_owned_certificate *own) {
  const ss_problem *p = s->p;
  size_t m = (size_t)p->dim * (size_t)p->nc, n = (size_t)p->ndof;
  bool rests = own->c.velocity && own->c.criterion_A == SS_CRITERION_BOUNDARY;
  if (!rests || !s->has_r || m + n + (size_t)p->nl > DENSE) return SS_OK;
  double *all = SSI_TAKE(&own->arena, m + n + (size_t)p->nl, double);
  ss_solution *at = SSI_TAKE(&own->arena, 1, ss_solution);
  ss_contact_verdict *state = SSI_TAKE(&s->arena, p->nc, ss_contact_verdict);
  if (own->arena.failed || s->arena.failed) return SS_ERR_MEMORY;
  double *r = all, *v = r + m, *l = v + n, most = 0;
  memcpy(r, s->r, m * sizeof *r);
  memcpy(v, own->c.velocity, n * sizeof *v);
  for (size_t i = 0; i < m; i++) most = fmax(most, fabs(r[i]));
  for (int i = 0; i < p->nc; i++) {
    double *ri = r + (size_t)p->dim * (size_t)i;
    bool presses = ri[0] > PRESSES * most;
    state[i].state = presses ? SS_STICK : SS_FREE;
    if (!presses) memset(ri, 0, sizeof *ri * (size_t)p->dim);
  }
  ss_error e = ssi_loose_polish(&s->arena, p, state, r, v, l);
  if (e) return e == SS_ERR_MEMORY ? e : SS_OK;
  for (size_t i = 0; i < n; i++)
    if (fabs(v[i]) <= CANCELLED * s->o->tol) v[i] = 0;
  *at = (ss_solution){.r = r, .v = v, .l = p->nl ? l : NULL};
  bool proves;
  SS_TRY(ssi_loose_solution_proves(s->ctx, p, at, &proves));
  if (proves) own->c.solution = at;
  return SS_OK;
}

// ---- both ----------------------------------------------------------------------------------

// Whether the evidence, as it is, passes its check; what does not is dropped.
static ss_error keep_what_holds(load_work *s, ss_certificate *c, ss_load_evidence *load) {
  ssi_load_proved is;
  c->load = load;
  SS_TRY(ssi_load_proves(s->ctx, s->p, load, &is));
  if (!is.held) load->deformation = load->pressure = load->pressure_l = NULL;
  if (!is.driven) load->motion = NULL;
  ssi_load_conclude(load, &is, c->solution != NULL, &c->verdict, &c->reason);
  return SS_OK;
}

static ss_error search(load_work *s, ssi_owned_certificate *own) {
  ss_certificate *c = &own->c;
  ss_load_evidence *load = SSI_TAKE(&own->arena, 1, ss_load_evidence);
  if (!load) return SS_ERR_MEMORY;
  load->definite_verdict = c->verdict, load->definite_reason = c->reason;
  SS_TRY(prepare(s));
  bool trivial = !(s->force > 0);  // no loose motion does work against the load
  if (!trivial) SS_TRY(ask(s, false));
  SS_TRY(write_held(s, own, load));
  SS_TRY(keep_what_holds(s, c, load));
  if (load->pressure || trivial) return SS_OK;
  SS_TRY(write_driven(s, own, load));  // one without friction may do
  SS_TRY(keep_what_holds(s, c, load));
  if (load->motion) return SS_OK;
  SS_TRY(ask(s, true));
  SS_TRY(write_driven(s, own, load));
  if (load->definite_verdict == SS_EXISTS) SS_TRY(try_rest(s, own));
  return keep_what_holds(s, c, load);
}

ss_error ssi_certify_load(ss_context *ctx, const ss_problem *p, const ss_certify_options *o,
                          ssi_owned_certificate *own) {
  if (p->form != SS_GLOBAL || !p->ndof) return SS_OK;
  ssi_factor *mass;
  ss_error e = ssi_factor_create(ctx, &p->M, &mass);
  ssi_factor_destroy(mass);
  if (!e) return SS_OK;
  SS_TRY(ssi_loose_instead(ctx, p, e));
  load_work s = {.ctx = ctx, .p = p, .o = o, .arena = {.ctx = ctx}};
  e = ssi_loose_find(&s.arena, p, &s.loose);
  if (!e) e = search(&s, own);
  ssi_arena_release(&s.arena);
  return e;
}
