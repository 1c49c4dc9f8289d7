#include "io/frames.h"

#include "la/sparse.h"

static void turn(int dim, int nc, const double *normals, bool back, double *x) {
  for (int i = 0; i < nc; i++, x += dim, normals += dim) {
    double Q[9], y[3] = {0};
    ssi_frame(dim, normals, Q);
    for (int j = 0; j < dim; j++)
      for (int k = 0; k < dim; k++) y[j] += (back ? Q[dim * k + j] : Q[dim * j + k]) * x[k];
    for (int j = 0; j < dim; j++) x[j] = y[j];
  }
}

void ssi_frames_to_contact(int dim, int nc, const double *normals, double *x) {
  turn(dim, nc, normals, false, x);
}

void ssi_frames_to_world(int dim, int nc, const double *normals, double *x) {
  turn(dim, nc, normals, true, x);
}

// One row of Q_i A_i: the `dim` rows of A from `first` on, merged with the weights `q`. Returns the
// number of entries written.
static int64_t combine(const ss_sparse *A, int first, int dim, const double *q, int *col,
                       double *x) {
  int64_t at[3], used = 0;
  for (int k = 0; k < dim; k++) at[k] = A->ptr[first + k];
  for (;;) {
    int next = A->cols;
    for (int k = 0; k < dim; k++)
      if (at[k] < A->ptr[first + k + 1] && A->col[at[k]] < next) next = A->col[at[k]];
    if (next == A->cols) return used;
    double sum = 0;
    for (int k = 0; k < dim; k++)
      if (at[k] < A->ptr[first + k + 1] && A->col[at[k]] == next) sum += q[k] * A->x[at[k]++];
    if (sum == 0) continue;
    col[used] = next;
    x[used++] = sum;
  }
}

bool ssi_frames_turn_rows(ssi_arena *arena, int dim, const double *normals, const ss_sparse *A,
                          ss_sparse *out) {
  size_t most = (size_t)dim * (size_t)ssi_sparse_entries(A);
  int64_t *ptr = SSI_TAKE(arena, (size_t)A->rows + 1, int64_t);
  int *col = SSI_TAKE(arena, most, int);
  double *x = SSI_TAKE(arena, most, double);
  if (arena->failed) return false;
  for (int row = 0; row < A->rows; row += dim) {
    double Q[9];
    ssi_frame(dim, normals + row, Q);
    for (int j = 0; j < dim; j++) {
      int64_t start = ptr[row + j];
      ptr[row + j + 1] = start + combine(A, row, dim, Q + dim * j, col + start, x + start);
    }
  }
  *out = (ss_sparse){A->rows, A->cols, ptr, col, x};
  return true;
}

bool ssi_frames_turn_both(ssi_arena *arena, int dim, const double *normals, const ss_sparse *A,
                          ss_sparse *out) {
  ss_sparse QA, T, QT;  // Q A Q^T = (Q (Q A)^T)^T
  return ssi_frames_turn_rows(arena, dim, normals, A, &QA) &&
         ssi_sparse_transpose(arena, &QA, &T) &&
         ssi_frames_turn_rows(arena, dim, normals, &T, &QT) &&
         ssi_sparse_transpose(arena, &QT, out);
}
