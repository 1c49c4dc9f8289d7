#include "la/fixed.h"

#include <math.h>
#include <string.h>

static ss_error analyse(ssi_direct *d, ssi_arena *arena) {
  ssi_fixed *f = (ssi_fixed *)d;
  double most = d->wish.max_flops > 0 ? d->wish.max_flops : INFINITY;
  if (!ssi_fill_create(arena, &d->A, most, &f->fill)) return SS_ERR_MEMORY;
  d->flops = f->fill.flops;
  if (!f->fill.n) return SS_ERR_METHOD;
  d->entries = 2 * (double)f->fill.uptr[f->fill.n] + f->fill.n;
  return SS_OK;
}

static ss_error room(ssi_direct *d, ssi_arena *arena) {
  ssi_fixed *f = (ssi_fixed *)d;
  int n = f->fill.n;
  if (!n) return SS_OK;
  f->u = SSI_TAKE(arena, f->fill.uptr[n], double);
  f->l = SSI_TAKE(arena, f->fill.uptr[n], double);
  f->diagonal = SSI_TAKE(arena, n, double);
  f->work = SSI_TAKE(arena, n, double);
  f->copy = SSI_TAKE(arena, n, double);
  f->at = SSI_TAKE(arena, n, int);
  f->row = SSI_TAKE(arena, n, int);
  return arena->failed ? SS_ERR_MEMORY : SS_OK;
}

// Row i of L and U from row i of the matrix, which lies in work:
//   l_ik = w_k / u_kk,  w -= l_ik u_k.   for k < i ascending;   u_i. = what is left
static bool eliminate(ssi_fixed *f, int i) {
  const int64_t *uptr = f->fill.uptr;
  const int *ucol = f->fill.ucol;
  double *w = f->work, *u = f->u, largest = 0;
  for (int64_t e = f->fill.lptr[i]; e < f->fill.lptr[i + 1]; e++) {
    int k = f->fill.lcol[e];
    double l = w[k];
    f->l[e] = 0;
    if (l == 0) continue;  // among them the rows that are not there
    w[k] = 0;
    f->l[e] = l /= f->diagonal[k];
    for (int64_t c = uptr[k]; c < uptr[k + 1]; c++) w[ucol[c]] -= l * u[c];
  }
  f->diagonal[i] = w[i];
  w[i] = 0;
  for (int64_t c = uptr[i]; c < uptr[i + 1]; c++) {
    u[c] = w[ucol[c]];
    w[ucol[c]] = 0;
    if (fabs(u[c]) > largest) largest = fabs(u[c]);
  }
  return fabs(f->diagonal[i]) > 1e-10 * largest;
}

static ss_error factor(ssi_direct *d) {
  ssi_fixed *f = (ssi_fixed *)d;
  const ss_sparse *A = &d->A;
  memset(f->work, 0, sizeof(double) * (size_t)f->fill.n);
  for (int k = 0; k < f->fill.n; k++) f->row[k] = -1;
  for (int i = 0; i < A->rows; i++) {
    f->at[i] = f->fill.position[d->part ? d->part[i] : i];
    f->row[f->at[i]] = i;
  }
  for (int k = 0; k < f->fill.n; k++) {
    int i = f->row[k];
    if (i < 0) {  // u_k. = 0; l_.k stays 0 as nothing is ever written to column k
      memset(f->l + f->fill.lptr[k], 0,
             sizeof(double) * (size_t)(f->fill.lptr[k + 1] - f->fill.lptr[k]));
      memset(f->u + f->fill.uptr[k], 0,
             sizeof(double) * (size_t)(f->fill.uptr[k + 1] - f->fill.uptr[k]));
      f->diagonal[k] = 1;
      continue;
    }
    for (int64_t e = A->ptr[i]; e < A->ptr[i + 1]; e++) f->work[f->at[A->col[e]]] = A->x[e];
    if (!eliminate(f, k)) return SS_ERR_LINEAR;
  }
  return SS_OK;
}

// |b - A x| <= 1e-6 |b|, largest entries; false where one is not a number.
static bool good(const ss_sparse *A, const double *b, const double *x) {
  double size = 0;
  for (int i = 0; i < A->rows; i++) size = fmax(size, fabs(b[i]));
  for (int i = 0; i < A->rows; i++) {
    double sum = b[i];
    for (int64_t k = A->ptr[i]; k < A->ptr[i + 1]; k++) sum -= A->x[k] * x[A->col[k]];
    if (!(fabs(sum) <= 1e-6 * size)) return false;
  }
  return true;
}

static ss_error solve(ssi_direct *d, const double *b, double *x) {
  ssi_fixed *f = (ssi_fixed *)d;
  int count = d->n;
  double *w = f->work;
  if (x == b) b = memcpy(f->copy, b, sizeof(double) * (size_t)count);
  memset(w, 0, sizeof(double) * (size_t)f->fill.n);
  for (int i = 0; i < count; i++) w[f->at[i]] = b[i];
  for (int k = 0; k < f->fill.n; k++) {
    double sum = w[k];
    for (int64_t e = f->fill.lptr[k]; e < f->fill.lptr[k + 1]; e++)
      sum -= f->l[e] * w[f->fill.lcol[e]];
    w[k] = sum;
  }
  for (int k = f->fill.n - 1; k >= 0; k--) {
    double sum = w[k];
    for (int64_t c = f->fill.uptr[k]; c < f->fill.uptr[k + 1]; c++)
      sum -= f->u[c] * w[f->fill.ucol[c]];
    w[k] = sum / f->diagonal[k];
  }
  for (int i = 0; i < count; i++) x[i] = w[f->at[i]];
  return good(&d->A, b, x) ? SS_OK : SS_ERR_LINEAR;
}

const ssi_backend ssi_fixed_lu = {.name = "fixed LU",
                                  .size = sizeof(ssi_fixed),
                                  .analyse = analyse,
                                  .room = room,
                                  .factor = factor,
                                  .solve = solve};
