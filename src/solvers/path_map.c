// The smoothed friction problem of path.c and its derivatives.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "cone/split.h"
#include "la/blas.h"
#include "solvers/ipm.h"
#include "solvers/path.h"

ss_error ssi_path_map_create(ssi_path_map *f, ssi_system *sys, ssi_arena *arena) {
  SS_TRY(ssi_system_need_blocks(sys));
  size_t m = (size_t)sys->m, nc = (size_t)sys->nc, dim = (size_t)sys->dim;
  f->sys = sys;
  f->m = sys->m;
  f->W = SSI_TAKE(arena, m * m, double);
  f->q = SSI_TAKE(arena, m, double);
  f->T = SSI_TAKE(arena, m, double);
  f->shift = SSI_TAKE(arena, m, double);
  f->z = SSI_TAKE(arena, m, double);
  f->D = SSI_TAKE(arena, dim * m, double);
  f->log_z = SSI_TAKE(arena, m, double);
  f->margin = SSI_TAKE(arena, (dim + 1) * nc, double);
  return arena->failed ? SS_ERR_MEMORY : SS_OK;
}

// W_ij or its transpose, from the row and column of its first entry on
static void place(ssi_path_map *f, int64_t row, int64_t col, const double *block, bool row_major) {
  int dim = f->sys->dim;
  for (int a = 0; a < dim; a++)
    for (int b = 0; b < dim; b++)
      f->W[(row + a) * f->m + col + b] =
          f->T[row + a] * block[row_major ? dim * a + b : dim * b + a] * f->T[col + b];
}

void ssi_path_map_fill(ssi_path_map *f) {
  const ssi_system *sys = f->sys;
  int dim = sys->dim;
  double square = 0;
  for (int64_t i = 0; i < sys->nc; i++) ssi_ipm_scale(sys, i, f->T + dim * i);
  memset(f->W, 0, sizeof(double) * (size_t)f->m * (size_t)f->m);
  for (int64_t i = 0; i < sys->nc; i++) {
    place(f, dim * i, dim * i, sys->diag + dim * dim * i, true);
    for (int64_t e = sys->W.ptr[i]; e < sys->W.ptr[i + 1]; e++)
      place(f, dim * i, (int64_t)dim * sys->W.col[e], sys->W.block + dim * dim * e, false);
  }
  double first = sys->norm_q > 0 ? sys->norm_q : 1;  // squares of 1e-200 are 0
  for (int j = 0; j < f->m; j++) {
    f->q[j] = f->T[j] * (sys->q[j] / first);
    square += f->q[j] * f->q[j];
  }
  double size = square > 0 ? sqrt(square) : 1;
  for (int j = 0; j < f->m; j++) f->q[j] /= size;
  f->unit = first * size;
}

// z, and what (2) has besides W z + q - tau p: -u_N/mu = -margin_y and -y_T.
static void split(ssi_path_map *f, const double *x, int64_t i, double tau, bool slopes, double *F) {
  int dim = f->sys->dim;
  ssi_split s;
  ssi_split_of(dim, x + dim * i, tau, &s);
  memcpy(f->z + dim * i, s.z, sizeof(double) * (size_t)dim);
  F[dim * i] = -s.margin_y;
  for (int k = 1; k < dim; k++) F[dim * i + k] = -s.y[k];
  if (!slopes) return;
  double *margin = f->margin + (dim + 1) * i, by = -(s.margin_y / s.root_high);
  ssi_split_slopes(dim, &s, tau, f->D + dim * dim * i, f->log_z + dim * i);
  margin[0] = by;
  for (int k = 1; k < dim; k++) margin[k] = by * s.n[k];
  margin[dim] = tau / s.root_high;
}

static void finish_value(ssi_path_map *f, double tau, double *F) {
  int m = f->m;
  if (m) ssi_dgemv_("T", &m, &m, &(double){1}, f->W, &m, f->z, &(int){1}, &(double){1}, F, &(int){1});
  for (int a = 0; a < m; a++) F[a] += f->q[a] - tau * f->shift[a];
}

void ssi_path_map_value(ssi_path_map *f, const double *x, double *F) {
  double tau = exp(x[f->m]);
  for (int64_t i = 0; i < f->sys->nc; i++) split(f, x, i, tau, false, F);
  finish_value(f, tau, F);
}

// Row a of W dz/dx and of W dz/d log tau - tau p
static void fill_row(const ssi_path_map *f, int a, double tau, double *row) {
  const double *W = f->W + (int64_t)a * f->m;
  int dim = f->sys->dim;
  for (int64_t j = 0; j < f->sys->nc; j++)
    for (int b = 0; b < dim; b++) {
      double sum = 0;
      for (int k = 0; k < dim; k++) sum += W[dim * j + k] * f->D[dim * dim * j + dim * k + b];
      row[dim * j + b] = sum;
    }
  double sum = -tau * f->shift[a];
  for (int b = 0; b < f->m; b++) sum += W[b] * f->log_z[b];
  row[f->m] = sum;
}

void ssi_path_map_linear(ssi_path_map *f, const double *x, double *F, double *A) {
  int dim = f->sys->dim, width = f->m + 1;
  double tau = exp(x[f->m]);
  for (int64_t i = 0; i < f->sys->nc; i++) split(f, x, i, tau, true, F);
  for (int a = 0; a < f->m; a++) fill_row(f, a, tau, A + (int64_t)a * width);
  for (int64_t i = 0; i < f->sys->nc; i++) {
    const double *D = f->D + dim * dim * i, *margin = f->margin + (dim + 1) * i;
    double *row = A + dim * i * width;
    for (int b = 0; b < dim; b++) row[dim * i + b] -= margin[b];
    row[f->m] -= margin[dim];
    for (int k = 1; k < dim; k++) {  // dy = dz - dx
      row += width;
      for (int b = 0; b < dim; b++) row[dim * i + b] -= D[dim * k + b] - (k == b);
      row[f->m] -= f->log_z[dim * i + k];
    }
  }
  finish_value(f, tau, F);
}

void ssi_path_map_reactions(const ssi_path_map *f, double *r) {
  for (int j = 0; j < f->m; j++) r[j] = f->unit * f->T[j] * f->z[j];
}
