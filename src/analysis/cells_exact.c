// Cells in rational arithmetic (GMP): nothing is rounded, a tie is a tie. Where the numbers are doubles, each
// carries what the rounding of the data may have moved it by (problem/radius.h), to first order and more: a
// decision that depends on less is made as the doubles say, and counted as doubtful. Exactly zero is no doubt
// (structure: dependent rows, equal numbers; or data that is exact), unless something that may be zero has
// divided it.
#include "analysis/cells.h"

#include "base/error.h"

#ifdef SS_WITH_GMP

#include <ctype.h>
#include <gmp.h>
#include <math.h>
#include <stdlib.h>

#include "base/gmp_memory.h"
#include "problem/bilateral.h"
#include "problem/components.h"
#include "problem/radius.h"
#include "problem/verify.h"

typedef struct num {
  __mpq_struct value;
  double radius;  // the number meant is within this of value
} num;

typedef struct exact_kit {
  ssi_arena *arena;
  ssi_gmp_memory memory;  // of all numbers: none is cleared on its own
  num product;
  int ties;  // decisions that depend on less than the rounding of the data
} exact_kit;
typedef exact_kit kit;

enum { num_exact = 1 };
static const double num_ray_scale = 1;

static void num_zero(num *a) {
  mpq_set_ui(&a->value, 0, 1);
  a->radius = 0;
}
static void num_one(num *a) {
  mpq_set_ui(&a->value, 1, 1);
  a->radius = 0;
}
static void num_set(num *a, const num *b) {
  mpq_set(&a->value, &b->value);
  a->radius = b->radius;
}
static double num_double(const num *a) {
  return mpq_get_d(&a->value);
}
static void num_add(num *a, const num *b) {
  mpq_add(&a->value, &a->value, &b->value);
  a->radius += b->radius;
}
static void num_sub(num *a, const num *b) {
  mpq_sub(&a->value, &a->value, &b->value);
  a->radius += b->radius;
}
static double times(double a, double b) {  // nothing times the unbounded is nothing
  return a > 0 && b > 0 ? a * b : 0;
}
static double product_radius(const num *a, const num *b) {
  if (!(a->radius > 0) && !(b->radius > 0)) return 0;
  return times(a->radius, b->radius) + times(fabs(num_double(a)), b->radius) +
         times(fabs(num_double(b)), a->radius);
}
static void num_mul(num *a, const num *b) {
  a->radius = product_radius(a, b);
  mpq_mul(&a->value, &a->value, &b->value);
}
// |a/b - a'/b'| <= (da + |a/b| db) / (|b| - db); a divisor that may be zero leaves nothing known.
static void num_div(num *a, const num *b) {
  double da = a->radius, db = b->radius;
  mpq_div(&a->value, &a->value, &b->value);
  if (!(da > 0 || db > 0)) return;
  double size = fabs(num_double(b));
  a->radius = size > db ? (da + times(fabs(num_double(a)), db)) / (size - db) : INFINITY;
}
static void num_negate(num *a) {
  mpq_neg(&a->value, &a->value);
}
static void num_swap(num *a, num *b) {
  mpq_swap(&a->value, &b->value);
  double t = a->radius;
  a->radius = b->radius, b->radius = t;
}
static void num_submul(kit *t, num *a, const num *b, const num *c) {
  mpq_mul(&t->product.value, &b->value, &c->value);
  mpq_sub(&a->value, &a->value, &t->product.value);
  a->radius += product_radius(b, c);
}
static bool num_is_zero(const num *a) {
  return mpq_sgn(&a->value) == 0;
}
static double num_size(const num *a) {
  return mpq_sgn(&a->value) ? 1 : 0;
}
// Any pivot that is not zero will do; the better one is that which is further from it than its radius.
static double num_pivot(const num *a) {
  if (mpq_sgn(&a->value) == 0) return 0;
  return a->radius > 0 ? fabs(num_double(a)) / a->radius : INFINITY;
}
static int num_sign(kit *t, const num *a, double scale) {
  (void)scale;
  int sign = mpq_sgn(&a->value);
  bool known = a->radius < INFINITY && (!sign || fabs(num_double(a)) > a->radius);
  t->ties += a->radius > 0 && !known;
  return sign;
}
static num *num_array(kit *t, size_t count) {
  num *a = SSI_TAKE(t->arena, count, num);
  for (size_t i = 0; a && i < count; i++) mpq_init(&a[i].value);
  return a;
}
static double num_unit(const kit *t, int contact) {
  (void)t, (void)contact;
  return 1;
}
static double num_load(const kit *t, int contact) {
  (void)t, (void)contact;
  return 1;
}
static bool num_is_doubtful(double least) {
  (void)least;
  return false;
}
static void num_forget_ties(kit *t) {
  t->ties = 0;
}
static int num_ties(const kit *t) {
  return t->ties;
}
static bool num_same(const num *a, const num *b, int m, bool own) {
  (void)own;
  for (int j = 0; j < m; j++)
    if (!mpq_equal(&a[j].value, &b[j].value)) return false;
  return true;
}

#include "analysis/cell_kernel.h"

enum { DIGITS = 2000 };  // most characters of one number

// [-] digits [. digits] [e [+-] digits] into a; what follows is left at *text.
static bool read_decimal(const char **text, __mpq_struct *a) {
  char digits[DIGITS + 1];
  const char *t = *text;
  size_t used = 0;
  long places = 0;
  bool point = false, negative = *t == '-';
  for (t += negative; isdigit((unsigned char)*t) || (*t == '.' && !point); t++) {
    if (*t == '.') {
      point = true;
      continue;
    }
    if (used == DIGITS) return false;
    digits[used++] = *t;
    places += point;
  }
  digits[used] = 0;
  if (!used || mpz_set_str(mpq_numref(a), digits, 10)) return false;
  mpz_set_ui(mpq_denref(a), 1);
  if (*t == 'e' || *t == 'E') {
    char *end;
    long e = strtol(t + 1, &end, 10);
    if (end == t + 1 || e > DIGITS || e < -DIGITS) return false;
    places -= e;
    t = end;
  }
  mpz_t power;
  mpz_init(power);
  mpz_ui_pow_ui(power, 10, (unsigned long)labs(places));
  mpz_ptr side = places > 0 ? mpq_denref(a) : mpq_numref(a);
  mpz_mul(side, side, power);
  mpz_clear(power);
  mpq_canonicalize(a);
  if (negative) mpq_neg(a, a);
  *text = t;
  return true;
}

// A decimal with more digits than a double carries is what a program printed of one, not what a person meant.
static bool is_printed(const char *text) {
  enum { CARRIED = 15 };
  int digits = 0;
  for (; *text && *text != 'e' && *text != 'E'; text++) {
    if (*text == '/') return false;
    digits += isdigit((unsigned char)*text) && (digits || *text != '0');
  }
  return digits > CARRIED;
}

// A decimal or a fraction of two; the double itself, as well as it is known, where there is no text or only that of
// a rounded number.
static bool num_read(kit *t, const char *text, double x, double unit, num *a) {
  if (text && is_printed(text)) text = NULL;
  a->radius = text ? 0 : ssi_radius(x, unit);
  if (!text) return mpq_set_d(&a->value, x), true;
  if (!read_decimal(&text, &a->value)) return false;
  if (*text == 0) return true;
  __mpq_struct *divisor = &t->product.value;
  if (*text++ != '/' || !read_decimal(&text, divisor) || *text) return false;
  if (mpq_sgn(divisor) == 0) return false;
  mpq_div(&a->value, &a->value, divisor);
  return true;
}

// ---- from the problem's form to W, q --------------------------------------------------------
//
//   global   [ M  -G ] [v]   [ H^T r - f ]                 reduced    R l = -V^T r - s
//            [ G^T 0 ] [l] = [ -b        ],  u = H v + w              u = W r + V l + q
//
// One elimination with the right-hand sides of every r_j and of the constant gives u = W r + q.
// Redundant bilateral rows vanish; if their constants do not, there is no solution at all, and if their coefficients of r do
// not, the matrices are not those of any bodies: problem/bilateral.h.
typedef struct raw {
  int m, inner;                  // unknowns to be eliminated
  num *A;                        // inner x (inner + m + 1)
  num *C;                        // u = C x + W0 r + q0              (m inner)
  num *W, *q;                    // W0, q0 in; W, q out              (m m), (m)
  double *load_unit, *row_unit;  // find_units         (m), (m)
} raw;

static bool raw_eliminate(kernel *k, raw *a, int *order, bool *foreign) {
  int width = a->inner + a->m + 1, sign;
  double least;
  for (int j = 0; j < a->inner; j++) order[j] = j;
  int rank = reduce_rows(k, a->A, a->inner, a->inner, width, order, NULL, &sign, &least);
  num_forget_ties(&k->kit);
  if (k->late) return false;
  for (int i = rank; i < a->inner; i++)
    for (int j = a->inner; j < width; j++)
      if (num_sign(&k->kit, at(a->A, width, i, j), 1)) return *foreign = j < width - 1, false;
  for (int row = 0; row < a->m; row++)
    for (int j = 0; j < rank; j++) {
      num *c = at(a->C, a->inner, row, order[j]);
      if (num_is_zero(c)) continue;
      if (is_late(k)) return false;
      for (int t = 0; t <= a->m; t++) {
        num *to = t < a->m ? at(a->W, a->m, row, t) : a->q + row;
        num_set(k->sum, c);
        num_mul(k->sum, at(a->A, width, j, a->inner + t));
        num_add(to, k->sum);
      }
    }
  return true;
}

// Adds +-text or x of a sparse matrix into a dense one of `width` columns, transposed or not. unit (rows):
// entry i, j is known to the rounding of sqrt(unit_i unit_j); NULL: to its own.
static bool scatter(kernel *k, num *to, int width, int row0, int col0, const ss_sparse *A,
                    const char *const *text, int sign, bool transposed, const double *unit) {
  for (int i = 0; A->ptr && i < A->rows; i++)
    for (int64_t e = A->ptr[i]; e < A->ptr[i + 1]; e++) {
      int row = transposed ? A->col[e] : i, col = transposed ? i : A->col[e];
      num *place = at(to, width, row0 + row, col0 + col);
      double size = unit ? sqrt(unit[i] * unit[A->col[e]]) : 0;
      if (!num_read(&k->kit, text ? text[e] : NULL, A->x[e], size, place)) return false;
      if (sign < 0) num_negate(place);
    }
  return true;
}

static bool scatter_vector(kernel *k, num *to, int stride, int count, const double *x,
                           const char *const *text, int sign, const double *unit) {
  for (int i = 0; i < count; i++) {
    num *place = to + (size_t)i * (size_t)stride;
    if (!num_read(&k->kit, text ? text[i] : NULL, x[i], unit ? unit[i] : 0, place)) return false;
    if (sign < 0) num_negate(place);
  }
  return true;
}

static bool raw_fill_global(kernel *k, const ss_problem *p, const ss_exact *t, raw *a) {
  int width = a->inner + a->m + 1, n = p->ndof;
  return scatter(k, a->A, width, 0, 0, &p->M, t->M, 1, false, NULL) &&
         scatter(k, a->A, width, 0, n, &p->G, t->G, -1, false, NULL) &&
         scatter(k, a->A, width, n, 0, &p->G, t->G, 1, true, NULL) &&
         scatter(k, a->A, width, 0, a->inner, &p->H, t->H, 1, true, NULL) &&
         scatter_vector(k, a->A + width - 1, width, n, p->f, t->f, -1, NULL) &&
         scatter_vector(k, a->A + (size_t)n * (size_t)width + width - 1, width, p->nl, p->b, t->b,
                        -1, NULL) &&
         scatter(k, a->C, a->inner, 0, 0, &p->H, t->H, 1, false, NULL) &&
         scatter_vector(k, a->q, 1, a->m, p->w, t->w, 1, a->load_unit);
}

static bool raw_fill_reduced(kernel *k, const ss_problem *p, const ss_exact *t, raw *a) {
  int width = a->inner + a->m + 1;
  return scatter(k, a->A, width, 0, 0, &p->R, t->R, 1, false, NULL) &&
         scatter(k, a->A, width, 0, a->inner, &p->V, t->V, -1, true, NULL) &&
         scatter_vector(k, a->A + width - 1, width, p->nl, p->s, t->s, -1, NULL) &&
         scatter(k, a->C, a->inner, 0, 0, &p->V, t->V, 1, false, NULL) &&
         scatter(k, a->W, a->m, 0, 0, &p->W, t->W, 1, false, a->row_unit) &&
         scatter_vector(k, a->q, 1, a->m, p->q, t->q, 1, a->load_unit);
}

// What the numbers of w, q and of a given W may have been computed from: the largest |w| or |q| of the
// component, and the diagonal of W, since W_ij = h_i M^-1 h_j has terms up to sqrt(W_ii W_jj).
static bool find_units(ssi_arena *arena, const ss_problem *p, raw *a) {
  ssi_components c;
  const double *load = p->form == SS_GLOBAL ? p->w : p->q;
  a->load_unit = SSI_TAKE(arena, 2 * a->m, double);
  a->row_unit = a->load_unit ? a->load_unit + a->m : NULL;
  if (!a->load_unit || !ssi_components_create(arena, p, &c)) return false;
  for (int k = 0; k < c.count; k++) {
    double most = 0;
    for (int at = c.first[k]; at < c.first[k + 1]; at++)
      for (int j = 0; j < p->dim; j++) most = fmax(most, fabs(load[p->dim * c.contact[at] + j]));
    for (int at = c.first[k]; at < c.first[k + 1]; at++)
      for (int j = 0; j < p->dim; j++) a->load_unit[p->dim * c.contact[at] + j] = most;
  }
  for (int i = 0; p->form == SS_REDUCED && i < p->W.rows; i++)
    for (int64_t e = p->W.ptr[i]; e < p->W.ptr[i + 1]; e++)
      if (p->W.col[e] == i) a->row_unit[i] = fabs(p->W.x[e]);
  return true;
}

// What judging an answer allows for (problem/load.c), of every q that is known to some rounding only: so that none of the
// answers that it lets pass for that reason is refuted here.
static void allow_for_doubt(const raw *a, const double *doubt) {
  for (int i = 0; i < a->m; i++)
    if (a->q[i].radius > 0) a->q[i].radius = fmax(a->q[i].radius, doubt[i / 2]);
}

// W, q into a->W and a->q (= k->q), mu into k->mu. doubt (n): of q. *possible: bilateral constraints do not
// contradict.
static ss_error raw_build(ss_context *ctx, kernel *k, ssi_arena *arena, const ss_problem *p,
                          const ss_exact *text, const double *doubt, raw *a, bool *possible) {
  static const ss_exact none = {0};
  const ss_exact *t = text ? text : &none;
  *a = (raw){.m = k->m, .inner = p->form == SS_GLOBAL ? p->ndof + p->nl : p->nl, .q = k->q};
  size_t m = (size_t)k->m, inner = (size_t)a->inner;
  a->W = num_array(&k->kit, m * m);
  a->A = num_array(&k->kit, inner * (inner + m + 1));
  a->C = num_array(&k->kit, m * inner);
  int *order = SSI_TAKE(arena, inner + 1, int);
  if (!a->W || !a->A || !a->C || !order || !find_units(arena, p, a))
    return ssi_fail(ctx, SS_ERR_MEMORY, "no memory to count");
  bool ok = (p->form == SS_GLOBAL ? raw_fill_global(k, p, t, a) : raw_fill_reduced(k, p, t, a)) &&
            scatter_vector(k, k->mu, 1, k->n, p->mu, t->mu, 1, NULL);
  if (!ok) return ssi_fail(ctx, SS_ERR_DATA, "a number is not written as 3/5, -0.25 or 1e-3");
  bool foreign = false;
  *possible = raw_eliminate(k, a, order, &foreign) || k->late;
  allow_for_doubt(a, doubt);
  return foreign ? ssi_bilateral_foreign(ctx) : SS_OK;
}

// ---- the interface: all that touches a number is a run of GMP's memory -----------------------

typedef struct task {
  ss_context *ctx;
  kernel *k;
  const ss_problem *p;
  const ss_exact *text;
  const double *doubt;
  const uint8_t *states;
  ssi_cells *cells;
  bool possible;
  ss_error error;
} task;

static ss_error run(task *t, void (*work)(void *)) {
  if (ssi_gmp_run(&t->k->kit.memory, work, t)) return t->error;
  return ssi_fail(t->ctx, SS_ERR_MEMORY, "no memory for exact numbers");
}

static void build(void *argument) {
  task *t = argument;
  kernel *k = t->k;
  raw a = {0};
  mpq_init(&k->kit.product.value);
  t->error = kernel_take(k, k->kit.arena, t->p->nc)
                 ? raw_build(t->ctx, k, k->kit.arena, t->p, t->text, t->doubt, &a, &t->possible)
                 : ssi_fail(t->ctx, SS_ERR_MEMORY, "no memory to enumerate");
  if (!t->error) kernel_columns(k, a.W);
}

static void solve_pattern(void *argument) {
  task *t = argument;
  t->error = kernel_solve(t->k, t->states, t->cells);
}

static ss_error solve(void *state, const uint8_t *states, ssi_cells *out) {
  kernel *k = state;
  task t = {.ctx = k->kit.memory.ctx, .k = k, .states = states, .cells = out};
  return run(&t, solve_pattern);
}

static void release(void *state) {
  ssi_gmp_memory_release(&((kernel *)state)->kit.memory);
}

bool ssi_has_exact(void) {
  return true;
}

ss_error ssi_cells_exact(ss_context *ctx, ssi_arena *arena, const ss_problem *p,
                         const ss_exact *text, double end_s, ssi_solver_of_cells *out) {
  *out = (ssi_solver_of_cells){.solve = solve, .release = release};
  kernel *k = SSI_TAKE(arena, 1, kernel);
  double *doubt = SSI_TAKE(arena, p->nc, double);
  if (!k || !doubt) return ssi_fail(ctx, SS_ERR_MEMORY, "no memory to enumerate");
  if (p->form == SS_GLOBAL) SS_TRY(ssi_judge_doubt(ctx, p, doubt));
  k->kit.arena = arena;
  k->kit.memory.ctx = ctx;
  k->end_s = end_s;
  task t = {.ctx = ctx, .k = k, .p = p, .text = text, .doubt = doubt, .possible = true};
  ss_error e = run(&t, build);
  if (e) return release(k), e;
  out->state = k;
  out->impossible = !t.possible;
  out->doubtful = !t.possible && num_ties(&k->kit) > 0;
  out->late = k->late;
  return SS_OK;
}

#else

bool ssi_has_exact(void) {
  return false;
}

ss_error ssi_cells_exact(ss_context *ctx, ssi_arena *arena, const ss_problem *p,
                         const ss_exact *text, double end_s, ssi_solver_of_cells *out) {
  (void)arena, (void)p, (void)text, (void)end_s, (void)out;
  return ssi_fail(ctx, SS_ERR_UNSUPPORTED, "this build has no exact arithmetic (GMP)");
}

#endif
