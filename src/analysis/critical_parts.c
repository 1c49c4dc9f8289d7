// The connected parts of the contact graph: contacts that no entry of W joins do not know of each
// other, every determinant is a product over the parts, and each part is a small dense problem of
// its own.
#include "analysis/critical_parts.h"

#include <string.h>

#include "base/error.h"
#include "problem/check.h"
#include "problem/system.h"

enum { LARGEST = 1000 };  // contacts of a part: dense matrices of 2000 rows, some 30 MB each

static int root_of(int *parent, int i) {
  while (parent[i] != i) i = parent[i] = parent[parent[i]];
  return i;
}

// parent[i]: the smallest contact of i's part, itself included.
static void connect(const ssi_delassus *W, int *parent) {
  for (int i = 0; i < W->nc; i++) parent[i] = i;
  for (int i = 0; i < W->nc; i++)
    for (int64_t k = W->ptr[i]; k < W->ptr[i + 1]; k++) {
      const double *B = W->block + 4 * k;
      if (B[0] == 0 && B[1] == 0 && B[2] == 0 && B[3] == 0) continue;
      int a = root_of(parent, i), b = root_of(parent, W->col[k]);
      if (a < b)
        parent[b] = a;
      else
        parent[a] = b;
    }
  for (int i = 0; i < W->nc; i++) parent[i] = root_of(parent, i);
}

// The dense matrix of one part. place: index of each contact in its part.
static void fill(const ssi_delassus *W, const int *place, const ssi_part *p, double *out) {
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

static ss_error split(ss_context *ctx, const ssi_delassus *W, const double *mu, ssi_arena *arena,
                      ssi_critical_parts *out) {
  int nc = W->nc;
  int *parent = SSI_TAKE(arena, nc, int), *place = SSI_TAKE(arena, nc, int);
  int *size = SSI_TAKE(arena, nc, int), *number = SSI_TAKE(arena, nc, int);
  ssi_part *part = SSI_TAKE(arena, nc, ssi_part);
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
    part[number[i]] = (ssi_part){n, contact, dense, g};
    for (int j = i, k = 0; j < nc; j++)
      if (parent[j] == i) contact[k] = j, g[k++] = mu ? mu[j] : 1;
    fill(W, place, &part[number[i]], dense);
    if (n > out->largest) out->largest = n;
  }
  out->part = part;
  return SS_OK;
}

ss_error ssi_critical_parts_create(ss_context *ctx, const ss_problem *p, bool scale_mu, ssi_arena *arena,
                          ssi_critical_parts *out) {
  *out = (ssi_critical_parts){0};
  SS_TRY(ssi_problem_check_data(ctx, p));
  if (p->dim != 2)
    return ssi_fail(ctx, SS_ERR_METHOD, "the problem has dim %d, expected 2 for critical friction",
                    p->dim);
  ssi_system *s;
  SS_TRY(ssi_system_create(ctx, p, &s));
  ss_error e = ssi_system_need_blocks(s);
  if (!e) e = split(ctx, &s->W, scale_mu ? p->mu : NULL, arena, out);
  if (e == SS_ERR_MEMORY) ssi_fail(ctx, e, "out of memory for %d contacts", p->nc);
  ssi_system_destroy(s);
  return e;
}
