// Any bytes as a small problem with hostile numbers - denormals, 1e300, mu = 1e-300, mixed scales, contacts twice, rows
// of zeros, nearly singular matrices - through every method of solve, check, certify, enumerate, critical, derive, status
// and diagnose. What must hold of each, whatever the numbers:
//
//   it returns, within its time limit and some where it has one (derive and status have none: the fuzzer's own limit
//   judges them); a refusal has a message
//   what is called solved is finite, and the judge says so from the raw data
//   a certificate holds; what is proved by one is not refuted by another
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "stickslip/critical.h"
#include "stickslip/derivative.h"
#include "stickslip/diagnose.h"
#include "stickslip/enumerate.h"
#include "stickslip/solver.h"
#include "stickslip/status.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { CONTACTS = 4, DOFS = 6, JOINTS = 2, ROWS = 3 * CONTACTS, SIDE = 16 };
static const double LIMIT_S = 0.25, SLACK_S = 4, TOL = 1e-8;

// ---- from bytes to a problem -------------------------------------------------------------------

typedef struct source {
  const uint8_t *data;
  size_t size;
} source;

static int byte(source *s) {
  if (s->size == 0) return 0;
  s->size--;
  return *s->data++;
}

// A third is ordinary; the rest is what arithmetic goes wrong with.
static double number(source *s) {
  static const double hostile[] = {
      0,         DBL_TRUE_MIN,    DBL_MIN,         DBL_MAX, 1e-300, 1e300, 1e-200, 1e200,
      1e-160,    1e160,           1e-100,          1e100,   1e-16,  1e16,  1e-8,   1e8,
      1 + 1e-16, 1 + DBL_EPSILON, 1 - DBL_EPSILON, 3e-308,  1e-310, 1e308, 0.1,    1.0 / 3,
  };
  enum { KINDS = sizeof hostile / sizeof *hostile };
  int b = byte(s), kind = (b & 0x7f) % (2 * KINDS);
  double x = kind < KINDS ? hostile[kind] : (byte(s) - 100) / 32.0;
  return b & 0x80 ? -x : x;
}

static double any_double(source *s) {
  uint64_t bits = 0;
  for (int k = 0; k < 8; k++) bits = bits << 8 | (uint64_t)byte(s);
  double x;
  memcpy(&x, &bits, sizeof x);
  return isfinite(x) ? x : 1;
}

typedef struct matrix {
  int rows, cols;
  int64_t ptr[SIDE + 1];
  int col[SIDE * SIDE];
  double x[SIDE * SIDE];
} matrix;

typedef struct sample {
  ss_problem p;
  matrix W, M, H, G, V, R;
  double mu[CONTACTS], q[ROWS], w[ROWS], f[DOFS], b[JOINTS], s[JOINTS];
} sample;

static ss_sparse view(const matrix *a) {
  return (ss_sparse){a->rows, a->cols, a->ptr, a->col, a->x};
}

static ss_sparse dense(matrix *a, int rows, int cols, double (*entry)(void *, int, int),
                       void *user) {
  a->rows = rows, a->cols = cols;
  int n = 0;
  for (int i = 0; i < rows; i++) {
    a->ptr[i] = n;
    for (int j = 0; j < cols; j++, n++) a->col[n] = j, a->x[n] = entry(user, i, j);
  }
  a->ptr[rows] = n;
  return view(a);
}

static double any_entry(void *user, int i, int j) {
  (void)i, (void)j;
  return number(user);
}

typedef struct square {
  double a[SIDE][SIDE];
} square;

static double square_entry(void *user, int i, int j) {
  return ((square *)user)->a[i][j];
}

// Positive semi-definite but for rounding, A A^T, or diagonal, or any symmetric numbers.
static void symmetric(source *s, int n, bool positive, square *out) {
  int how = byte(s) % 4;
  square a = {0};
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) a.a[i][j] = how == 0 && i != j ? 0 : number(s);
  *out = (square){0};
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) {
      double sum = how == 0 ? fabs(a.a[i][j]) : how == 1 && !positive ? a.a[i][j] : 0;
      for (int k = 0; k < n && (how > 1 || (how == 1 && positive)); k++)
        sum += a.a[i][k] * a.a[j][k];
      out->a[i][j] = out->a[j][i] = sum;
    }
  for (int i = 0; i < n && how == 3; i++) out->a[i][i] += 1;
}

static void vector(source *s, int n, double *x) {
  bool wild = byte(s) % 8 == 0;
  for (int k = 0; k < n; k++) x[k] = wild ? any_double(s) : number(s);
}

// Contact `to` becomes contact `from` again, row by row.
static void repeat_contact(sample *a, int from, int to) {
  int dim = a->p.dim, n = a->H.cols;
  for (int k = 0; k < dim; k++) {
    memcpy(a->H.x + (dim * to + k) * n, a->H.x + (dim * from + k) * n, (size_t)n * sizeof *a->H.x);
    a->w[dim * to + k] = a->w[dim * from + k];
  }
  a->mu[to] = a->mu[from];
}

static void make_global(source *s, sample *a) {
  ss_problem *p = &a->p;
  int m = p->dim * p->nc;
  square mass;
  p->ndof = 1 + byte(s) % DOFS;
  symmetric(s, p->ndof, true, &mass);
  p->M = dense(&a->M, p->ndof, p->ndof, square_entry, &mass);
  p->H = dense(&a->H, m, p->ndof, any_entry, s);
  if (p->nl) p->G = dense(&a->G, p->ndof, p->nl, any_entry, s);
  vector(s, p->ndof, a->f), vector(s, m, a->w), vector(s, p->nl, a->b);
  if (p->nc > 1 && byte(s) % 4 == 0) repeat_contact(a, 0, p->nc - 1);
  p->f = a->f, p->w = a->w, p->b = a->b;
}

static void make_reduced(source *s, sample *a) {
  ss_problem *p = &a->p;
  int m = p->dim * p->nc;
  square whole;
  symmetric(s, m, false, &whole);
  p->W = dense(&a->W, m, m, square_entry, &whole);
  if (p->nl) {
    p->V = dense(&a->V, m, p->nl, any_entry, s);
    symmetric(s, p->nl, true, &whole);
    p->R = dense(&a->R, p->nl, p->nl, square_entry, &whole);
  }
  vector(s, m, a->q), vector(s, p->nl, a->s);
  p->q = a->q, p->s = a->s;
}

static void make(source *s, sample *a) {
  memset(a, 0, sizeof *a);
  int shape = byte(s);
  a->p = (ss_problem){
      .form = shape & 1 ? SS_GLOBAL : SS_REDUCED, .dim = shape & 2 ? 3 : 2, .mu = a->mu};
  a->p.nc = 1 + byte(s) % CONTACTS;
  a->p.nl = (shape >> 2) % 4 == 3 ? 1 + byte(s) % JOINTS : 0;
  for (int k = 0; k < a->p.nc; k++) a->mu[k] = fabs(number(s));
  a->p.form == SS_GLOBAL ? make_global(s, a) : make_reduced(s, a);
}

// ---- what must hold -------------------------------------------------------------------------------

static void fault(const char *where, const char *what) {
  fprintf(stderr, "FAULT %s: %s\n", where, what);
  abort();
}

static double cpu_s(void) {
  return (double)clock() / CLOCKS_PER_SEC;
}

static void in_time(const char *where, double began) {
  if (cpu_s() - began > LIMIT_S + SLACK_S) fault(where, "the time limit is not kept");
}

static void said_why(const char *where, const ss_context *ctx) {
  if (!ctx->message[0]) fault(where, "refused without a message");
}

static void all_finite(const char *where, const double *x, int n) {
  for (int k = 0; k < n; k++)
    if (!isfinite(x[k])) fault(where, "a number that is not finite");
}

typedef struct facts {  // proved by whom, or NULL
  const char *exists, *none;
} facts;

static void meet(const char *where, const facts *f) {
  if (f->exists && f->none) {
    fprintf(stderr, "%s proves that there is a solution, %s that there is none\n", f->exists,
            f->none);
    fault(where, "contradiction");
  }
}

typedef struct answer {
  double r[ROWS], u[ROWS], v[DOFS], l[JOINTS];
} answer;

static void differentiate(const ss_problem *p, const answer *a) {
  ss_context ctx = {0};
  ss_derivative *d = NULL;
  double along[ROWS], r[ROWS], u[ROWS], v[DOFS], l[JOINTS];
  int m = p->dim * p->nc;
  for (int k = 0; k < ROWS; k++) along[k] = 1;
  ss_error e =
      ss_derivative_create(&ctx, p, &(ss_solution){.r = a->r, .l = p->nl ? a->l : NULL}, NULL, &d);
  if (e) said_why("derive", &ctx);
  ss_data_direction with_mu = {.mu = along};
  ss_data_direction loaded =
      p->form == SS_GLOBAL ? (ss_data_direction){.f = along} : (ss_data_direction){.q = along};
  for (int k = 0; !e && k < 4; k++) {
    const ss_data_direction *way = k & 1 ? &loaded : &with_mu;
    ss_error made = k & 2 ? ss_derivative_one_sided(d, way, r, u, v, l)
                          : ss_derivative_forward(d, way, r, u, v, l);
    if (made) continue;
    all_finite("derive, r", r, m), all_finite("derive, u", u, m);
  }
  ss_derivative_destroy(d);
}

static void judge(const ss_problem *p, const char *method, const answer *a, facts *known) {
  ss_context ctx = {0};
  ss_verdict v;
  int m = p->dim * p->nc;
  all_finite(method, a->r, m), all_finite(method, a->u, m);
  if (p->form == SS_GLOBAL) all_finite(method, a->v, p->ndof);
  ss_solution said = {.r = a->r, .v = a->v, .l = p->nl ? a->l : NULL};
  if (ss_verify(&ctx, p, &said, NULL, NULL, NULL, NULL, &v)) fault(method, ctx.message);
  if (!(v.error <= TOL * (1 + 1e-6))) fault(method, "solved, and check says otherwise");
  ss_solution_proof proof;
  if (!ss_prove_solution(&ctx, p, a->r, &proof) && proof.proved) known->exists = method;
  differentiate(p, a);
}

static void solve(const ss_problem *p, const char *method, facts *known) {
  ss_context ctx = {0};
  ss_options o = ss_options_default();
  o.method = method, o.tol = TOL, o.time_limit_s = LIMIT_S, o.max_iter = 300, o.checked = true;
  ss_solver *s = NULL;
  ss_info info = {0};
  answer a = {0};
  double began = cpu_s();
  ss_error e = ss_solver_create(&ctx, p, &o, &s);
  if (e) said_why(method, &ctx);
  if (!e) e = ss_solve(s, a.r, a.u, a.v, a.l, &info);
  if (e && s) said_why(method, &ctx);
  in_time(method, began);
  if (!e && (isnan(info.error) || isnan(info.error_fclib)))
    fault(method, "an error that is not a number");
  if (!e && info.status == SS_SOLVED) judge(p, method, &a, known);
  ss_solver_destroy(s);
}

static void certify(const ss_problem *p, facts *known) {
  ss_context ctx = {0};
  ss_certify_options o = ss_certify_options_default();
  o.time_limit_s = LIMIT_S;
  ss_certificate *c = NULL;
  ss_certificate_report report;
  double began = cpu_s();
  ss_error e = ss_certify(&ctx, p, &o, &c);
  in_time("certify", began);
  if (e) return said_why("certify", &ctx);
  if (isnan(c->margin) && c->criterion_A != SS_CRITERION_UNDECIDED)
    fault("certify", "a margin that is not a number");
  if (ss_certificate_check(&ctx, p, c, &report)) fault("certify", ctx.message);
  if (!report.holds) fault("certify, a certificate that does not hold", report.failure);
  // on the boundary `exists` is not a fact of all data within rounding
  if (c->verdict == SS_EXISTS && c->criterion_A == SS_CRITERION_ROBUST) known->exists = "certify";
  if (c->verdict == SS_NONE) known->none = "certify";
  ss_certificate_destroy(c);
}

static void enumerate(const ss_problem *p, facts *known) {
  ss_context ctx = {0};
  ss_enumerate_options o = ss_enumerate_options_default();
  o.time_limit_s = LIMIT_S, o.starts = 3;
  ss_solution_set *set = NULL;
  double began = cpu_s();
  ss_error e = ss_enumerate(&ctx, p, &o, &set);
  in_time("enumerate", began);
  if (e) return said_why("enumerate", &ctx);
  for (int k = 0; k < set->count; k++)
    if (set->components[k].isolated) {
      all_finite("enumerate, r", set->components[k].r, p->dim * p->nc);
      all_finite("enumerate, u", set->components[k].u, p->dim * p->nc);
    }
  if (set->rigorous && p->dim == 2 && set->count == 0) known->none = "enumerate";
  if (set->rigorous && p->dim == 2 && set->count > 0) known->exists = "enumerate";
  ss_solution_set_destroy(set);
}

static void critical(const ss_problem *p) {
  ss_context ctx = {0};
  ss_critical_options o = ss_critical_options_default();
  o.time_limit_s = LIMIT_S, o.sqp_starts = 2;
  ss_critical *c = NULL;
  double began = cpu_s();
  ss_error e = p->dim == 2 ? ss_critical_compute(&ctx, p, &o, &c) : SS_OK;
  in_time("critical", began);
  if (e) return said_why("critical", &ctx);
  for (int k = 0; c && k < SS_CRITERIA; k++) {
    const ss_critical_value *v = &c->value[k];
    if (!v->computed || c->doubtful) continue;
    if (v->exact && isnan(v->mu)) fault("critical", "exact, and not a number");
    if (isnan(v->lower) || isnan(v->upper) || v->lower > v->upper || v->lower < 0)
      fault("critical", "no range");
  }
  const ss_critical_value *v = c ? c->value : NULL;
  bool all =
      v && !c->doubtful && v[SS_PMATRIX].exact && v[SS_BIJECTIVE].exact && v[SS_SIMPLIFIED].exact;
  if (all && (v[SS_PMATRIX].mu > v[SS_BIJECTIVE].mu * (1 + 1e-8) ||
              v[SS_BIJECTIVE].mu > v[SS_SIMPLIFIED].mu * (1 + 1e-8)))
    fault("critical", "pmatrix <= bijective <= simplified does not hold");
  ss_critical_destroy(c);
}

static void predict(const ss_problem *p) {
  ss_context ctx = {0};
  ss_prediction *out = NULL;
  if (p->form != SS_GLOBAL) return;
  ss_error e = ss_status_predict(&ctx, &(ss_instant){.system = p}, NULL, &out);
  if (e) return said_why("status", &ctx);
  if (out->solved) all_finite("status, force", out->force, p->dim * p->nc);
  if (out->solved) all_finite("status, slip", out->slip, p->dim * p->nc);
  if (out->solved && !(out->error <= 1e-6)) fault("status", "solved with a large error");
  ss_prediction_destroy(out);
}

static void diagnose(const ss_problem *p, facts *known) {
  ss_context ctx = {0};
  ss_diagnosis *why = NULL;
  ss_diagnose_options o = {.time_limit_s = LIMIT_S};
  double began = cpu_s();
  ss_error e = ss_diagnose(&ctx, p, NULL, &o, &why);
  in_time("diagnose", began);
  if (e) return said_why("diagnose", &ctx);
  bool boundary = why->certificate && why->certificate->criterion_A != SS_CRITERION_ROBUST &&
                  why->proof == SS_PROOF_CERTIFICATE;
  if (why->existence == SS_EXISTS && !boundary) known->exists = "diagnose";
  if (why->existence == SS_NONE) known->none = "diagnose";
  ss_diagnosis_destroy(why);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  source s = {data, size};
  static sample a;
  make(&s, &a);
  ss_context ctx = {0};
  if (ss_problem_check(&ctx, &a.p)) return said_why("check", &ctx), 0;
  int loose = -1;
  if (ss_problem_loose(&ctx, &a.p, &loose)) return 0;
  facts known = {0};
  certify(&a.p, &known);
  if (loose >= 0) return 0;  // M is singular: only certify takes it
  for (int k = 0; ss_method_name(k); k++) solve(&a.p, ss_method_name(k), &known);
  meet("solve", &known);
  enumerate(&a.p, &known);
  meet("enumerate", &known);
  critical(&a.p);
  predict(&a.p);
  diagnose(&a.p, &known);
  meet("diagnose", &known);
  return 0;
}
