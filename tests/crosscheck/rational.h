// crosscheck/rational.h - small dense matrices of GMP rationals, and a friction problem made of
// them. Nothing of the library is used here: this is what its verdicts are measured by.
#pragma once

#include <gmp.h>
#include <stdbool.h>

enum { EXACT_CONTACTS = 4, EXACT_JOINTS = 8 };  // at most

typedef struct qmat {
  int rows, cols;
  mpq_t *x;  // row by row
} qmat;

qmat qmat_new(int rows, int cols);  // zeros
void qmat_free(qmat *a);
void qmat_set(qmat *to, const qmat *from);  // same sizes
static inline mpq_ptr qat(const qmat *a, int i, int j) {
  return a->x[i * a->cols + j];
}

// Gauss-Jordan: a (n x n) and b (n x k) are overwritten, b becomes a^-1 b. False: a is singular.
bool qmat_solve(qmat *a, qmat *b);

double q_nearest(mpq_srcptr a);  // the double nearest to a (ties away from zero)

// Plane problem with n contacts, normal first; dofs = 0: local form, only mu, W, q are there.
typedef struct exact_problem {
  int n, dofs, joints;
  qmat mu;             // n x 1
  qmat M, f, H, w;     // dofs x dofs, dofs x 1, 2n x dofs, 2n x 1
  qmat G, b;           // dofs x joints, joints x 1: M v + f = H^T r + G l, G^T v + b = 0
  qmat W, q;           // 2n x 2n, 2n x 1; of the global form: by exact_reduce
  qmat free_q;         // 2n x 1: q before joints are eliminated; zero in the local form
  qmat terms;          // 2n x 1: |w| + |H| |M^-1 f|, what q is the sum of; zero in the local form
  bool contradictory;  // no v has G^T v + b = 0
  double gap;          // by how much: |G^T v + b| cannot be smaller
  double free_gap;     // largest |G^T v + b| where neither contacts nor joints act
  unsigned reach[EXACT_CONTACTS];  // contacts that act on this one, itself included, as bits
} exact_problem;

exact_problem exact_new(int n, int dofs, int joints);
void exact_free(exact_problem *p);
// u = W r + q with v and l eliminated; W = H M^-1 H^T, q = w - H M^-1 f where there are no joints.
// Joints may be redundant. False: M is singular.
bool exact_reduce(exact_problem *p);
