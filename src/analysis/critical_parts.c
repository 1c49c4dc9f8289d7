// The connected parts of the contact graph: contacts that no entry of W joins do not know of each
// other, every determinant is a product over the parts, and each part is a small dense problem of
// its own.
#include "analysis/critical.h"

#include <math.h>

#include "base/error.h"
#include "base/sets.h"
#include "problem/check.h"
#include "problem/system.h"

static const double FRICTION_MOST = 1e8;  // weights of mu
static const double ENTRY_MOST = 1e20;    // of the scaled W; 1 if it is positive semi-definite

enum { LARGEST = 1000 };  // contacts of a part: dense matrices of 2000 rows, some 30 MB each

// parent[i]: the smallest contact of i's part, itself included.
static void connect(const ssi_delassus *W, int *parent) {
  ssi_sets_begin(parent, W->nc);
  for (int i = 0; i < W->nc; i++)
    for (int64_t k = W->ptr[i]; k < W->ptr[i + 1]; k++) {
      const double *B = W->block + 4 * k;
      if (B[0] == 0 && B[1] == 0 && B[2] == 0 && B[3] == 0) continue;
      ssi_set_join(parent, i, W->col[k]);
    }
  for (int i = 0; i < W->nc; i++) parent[i] = ssi_set_of(parent, i);
}

// The dense matrix of one part. place: index of each contact in its part.
static void fill(const ssi_delassus *W, const int *place, const ssi_critical_part *p, double *out) {
  size_t N = 2 * (size_t)p->n;
  for (int a = 0; a < p->n; a++) {
    int i = p->contact[a];
    for (int r = 0; r < 2; r++)
      for (int c = 0; c < 2; c++)  // diag is row-major, block column-major
        out[(2 * (size_t)a + (size_t)r) * N + 2 * (size_t)a + (size_t)c] =
            W->diag[4 * i + 2 * r + c];
    for (int64_t k = W->ptr[i]; k < W->ptr[i + 1]; k++) {
      const double *B = W->block + 4 * k;
      if (B[0] == 0 && B[1] == 0 && B[2] == 0 && B[3] == 0) continue;
      size_t b = 2 * (size_t)place[W->col[k]];
      for (size_t r = 0; r < 2; r++)
        for (size_t c = 0; c < 2; c++) out[(2 * (size_t)a + r) * N + b + c] = B[2 * c + r];
    }
  }
}

// s_a s_b W_ab with powers of two s that bring the diagonal of each contact to order 1: the
// determinants of all patterns change by positive factors, and no digit is lost.
static ss_error scale(ss_context *ctx, const ssi_critical_part *p, double *W) {
  int N = 2 * p->n;
  for (int a = 0; a < p->n; a++) {
    double d = fmax(W[2 * a * (N + 1)], W[(2 * a + 1) * (N + 1)]);
    int power = d > 0 ? -ilogb(d) / 2 : 0;
    for (int r = 2 * a; r < 2 * a + 2; r++)
      for (int j = 0; j < N; j++) {
        W[(size_t)r * (size_t)N + (size_t)j] = ldexp(W[(size_t)r * (size_t)N + (size_t)j], power);
        W[(size_t)j * (size_t)N + (size_t)r] = ldexp(W[(size_t)j * (size_t)N + (size_t)r], power);
      }
  }
  for (int64_t k = 0; k < (int64_t)N * N; k++)
    if (!(fabs(W[k]) <= ENTRY_MOST))
      return ssi_fail(ctx, SS_ERR_DATA,
                      "W couples contacts %d and %d by %g times what their diagonals allow",
                      p->contact[k / N / 2], p->contact[k % N / 2], fabs(W[k]));
  return SS_OK;
}

static ss_error check_friction(ss_context *ctx, const ss_problem *p) {
  for (int i = 0; i < p->nc; i++)
    if (p->mu[i] > FRICTION_MOST)
      return ssi_fail(ctx, SS_ERR_DATA, "friction of contact %d is %g, expected at most %g", i,
                      p->mu[i], FRICTION_MOST);
  return SS_OK;
}

static ss_error split(ss_context *ctx, const ssi_delassus *W, const double *mu, ssi_arena *arena,
                      ssi_critical_parts *out) {
  int nc = W->nc;
  int *parent = SSI_TAKE(arena, nc, int), *place = SSI_TAKE(arena, nc, int);
  int *size = SSI_TAKE(arena, nc, int), *number = SSI_TAKE(arena, nc, int);
  ssi_critical_part *part = SSI_TAKE(arena, nc, ssi_critical_part);
  if (arena->failed) return SS_ERR_MEMORY;
  connect(W, parent);
  for (int i = 0; i < nc; i++) {
    if (parent[i] == i) number[i] = out->count++;
    place[i] = size[parent[i]]++;
  }
  for (int i = 0; i < nc; i++) {
    if (parent[i] != i) continue;
    int n = size[i], *contact = SSI_TAKE(arena, n, int);
    if (n > LARGEST)
      return ssi_fail(ctx, SS_ERR_METHOD,
                      "%d contacts hang together, expected at most %d for critical friction", n,
                      LARGEST);
    double *g = SSI_TAKE(arena, n, double), *dense = SSI_TAKE(arena, 4 * (int64_t)n * n, double);
    if (arena->failed) return SS_ERR_MEMORY;
    part[number[i]] = (ssi_critical_part){n, contact, dense, g};
    for (int j = i, k = 0; j < nc; j++)
      if (parent[j] == i) contact[k] = j, g[k++] = mu ? mu[j] : 1;
    fill(W, place, &part[number[i]], dense);
    SS_TRY(scale(ctx, &part[number[i]], dense));
    if (n > out->largest) out->largest = n;
  }
  out->part = part;
  return SS_OK;
}

ss_error ssi_critical_parts_create(ss_context *ctx, const ss_problem *p, bool scale_mu,
                                   ssi_arena *arena, ssi_critical_parts *out) {
  *out = (ssi_critical_parts){0};
  SS_TRY(ssi_problem_check_data(ctx, p));
  if (p->dim != 2)
    return ssi_fail(ctx, SS_ERR_METHOD, "the problem has dim %d, expected 2 for critical friction",
                    p->dim);
  if (scale_mu) SS_TRY(check_friction(ctx, p));
  ssi_system *s;
  SS_TRY(ssi_system_create(ctx, p, &s));
  ss_error e = ssi_system_need_blocks(s);
  if (!e) e = split(ctx, &s->W, scale_mu ? p->mu : NULL, arena, out);
  if (e == SS_ERR_MEMORY) ssi_fail(ctx, e, "out of memory for %d contacts", p->nc);
  ssi_system_destroy(s);
  return e;
}
