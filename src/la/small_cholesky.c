#include "la/small_cholesky.h"

#include <math.h>

bool ssi_cholesky(int n, double *A, int stride, double floor, double share) {
  for (int j = 0; j < n; j++)
    for (int i = j; i < n; i++) {
      double s = A[i * stride + j], given = s;
      for (int k = 0; k < j; k++) s -= A[i * stride + k] * A[j * stride + k];
      if (i == j && !(s > floor && s > share * given)) return false;
      A[i * stride + j] = i == j ? sqrt(s) : s / A[j * stride + j];
    }
  return true;
}

void ssi_cholesky_solve(int n, const double *L, int stride, double *x, int x_stride) {
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < i; k++) x[i * x_stride] -= L[i * stride + k] * x[k * x_stride];
    x[i * x_stride] /= L[i * stride + i];
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int k = i + 1; k < n; k++) x[i * x_stride] -= L[k * stride + i] * x[k * x_stride];
    x[i * x_stride] /= L[i * stride + i];
  }
}

void ssi_symmetrise(int n, double *A) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++) A[i * n + j] = (A[i * n + j] + A[j * n + i]) / 2;
}
