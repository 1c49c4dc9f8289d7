#include "la/fixed.h"

#include <math.h>
#include <string.h>

bool ssi_fixed_create(ssi_arena *arena, int n, const int64_t *ptr, const int64_t *col,
                      double max_flops, ssi_fixed *out) {
  *out = (ssi_fixed){0};
  if (!ssi_fill_create(arena, n, ptr, col, max_flops, &out->fill)) return false;
  if (!out->fill.n) return true;
  int64_t entries = out->fill.uptr[n];
  out->u = SSI_TAKE(arena, entries, double);
  out->l = SSI_TAKE(arena, entries, double);
  out->diagonal = SSI_TAKE(arena, n, double);
  out->work = SSI_TAKE(arena, n, double);
  out->row = SSI_TAKE(arena, n, int);
  return !arena->failed;
}

// Row i of L and U from row i of the matrix, which lies in work:
//   l_ik = w_k / u_kk,  w -= l_ik u_k.   for k < i ascending;   u_i. = what is left
static bool eliminate(ssi_fixed *f, int i) {
  double *w = f->work, largest = 0;
  for (int64_t e = f->fill.lptr[i]; e < f->fill.lptr[i + 1]; e++) {
    int k = f->fill.lcol[e];
    double l = w[k];
    w[k] = 0;
    f->l[e] = 0;
    if (l == 0) continue;  // among them the rows that are not there
    l /= f->diagonal[k];
    f->l[e] = l;
    for (int64_t c = f->fill.uptr[k]; c < f->fill.uptr[k + 1]; c++)
      w[f->fill.ucol[c]] -= l * f->u[c];
  }
  f->diagonal[i] = w[i];
  w[i] = 0;
  for (int64_t c = f->fill.uptr[i]; c < f->fill.uptr[i + 1]; c++) {
    f->u[c] = w[f->fill.ucol[c]];
    w[f->fill.ucol[c]] = 0;
    largest = fmax(largest, fabs(f->u[c]));
  }
  return fabs(f->diagonal[i]) > 1e-10 * largest;
}

bool ssi_fixed_factor(ssi_fixed *f, int count, const int *full, const int64_t *ptr,
                      const int64_t *col, const double *x) {
  memset(f->work, 0, sizeof(double) * (size_t)f->fill.n);
  for (int k = 0; k < f->fill.n; k++) f->row[k] = -1;
  for (int i = 0; i < count; i++) f->row[f->fill.position[full ? full[i] : i]] = i;
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
    for (int64_t e = ptr[i]; e < ptr[i + 1]; e++)
      f->work[f->fill.position[full ? full[col[e]] : col[e]]] = x[e];
    if (!eliminate(f, k)) return false;
  }
  return true;
}

void ssi_fixed_solve(ssi_fixed *f, int count, const int *full, const double *b, double *x) {
  double *w = f->work;
  memset(w, 0, sizeof(double) * (size_t)f->fill.n);
  for (int i = 0; i < count; i++) w[f->fill.position[full ? full[i] : i]] = b[i];
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
  for (int i = 0; i < count; i++) x[i] = w[f->fill.position[full ? full[i] : i]];
}
