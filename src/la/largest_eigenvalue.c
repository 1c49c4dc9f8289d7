// ssi_eig3 is a chain of divisions and roots, each waiting for the one before: blocks are taken several at a time, each
// with the operations of ssi_eig3 in their order. A block that has converged, or whose coupling is negligible, keeps its
// numbers while others are rotated.
#include "la/largest_eigenvalue.h"

#include <string.h>

#include "base/clones.h"
#include "la/small.h"

enum { LANES = 8, DIAGONAL = 3, COUPLINGS = 3 };

typedef struct several {  // the symmetric parts: entry by entry, block by block
  double d[DIAGONAL][LANES];
  double s[COUPLINGS][LANES];  // 01, 02, 12
  double negligible[LANES];
} several;

// ssi_jacobi_rotate of the blocks whose coupling counts; 1: of any.
SSI_INLINE int rotate(const double *negligible, double *restrict dp, double *restrict dq,
                      double *restrict pq, double *restrict rp, double *restrict rq) {
  int rotated = 0;
  for (int l = 0; l < LANES; l++) rotated |= fabs(pq[l]) > negligible[l];
  if (!rotated) return 0;
  for (int l = 0; l < LANES; l++) {
    double off = pq[l], p = rp[l], q = rq[l];
    double counts = fabs(off) > negligible[l] ? 1 : 0;
    double theta = (dq[l] - dp[l]) / (2 * off);
    double t = copysign(1, theta) / (fabs(theta) + sqrt(theta * theta + 1));
    double c = 1 / sqrt(t * t + 1), s = t * c;
    double new_p = dp[l] - t * off, new_q = dq[l] + t * off;
    double new_rp = c * p - s * q, new_rq = s * p + c * q;
    dp[l] = counts > 0 ? new_p : dp[l];
    dq[l] = counts > 0 ? new_q : dq[l];
    pq[l] = counts > 0 ? 0 : off;
    rp[l] = counts > 0 ? new_rp : p;
    rq[l] = counts > 0 ? new_rq : q;
  }
  return 1;
}

SSI_CLONES static void diagonalise(several *b) {
  for (int sweep = 0; sweep < 12; sweep++) {
    int rotated = rotate(b->negligible, b->d[0], b->d[1], b->s[0], b->s[1], b->s[2]);
    rotated |= rotate(b->negligible, b->d[0], b->d[2], b->s[1], b->s[0], b->s[2]);
    rotated |= rotate(b->negligible, b->d[1], b->d[2], b->s[2], b->s[0], b->s[1]);
    if (!rotated) return;
  }
}

static void load(const double *A, int lane, several *b) {
  double largest = 0;
  for (int k = 0; k < 3; k++) b->d[k][lane] = A[4 * k];
  b->s[0][lane] = A[1] / 2 + A[3] / 2;
  b->s[1][lane] = A[2] / 2 + A[6] / 2;
  b->s[2][lane] = A[5] / 2 + A[7] / 2;
  for (int k = 0; k < 3; k++)
    largest = fmax(largest, fmax(fabs(b->d[k][lane]), fabs(b->s[k][lane])));
  b->negligible[lane] = largest * 0x1p-60;
}

static double largest_of(const several *b, int lane) {
  double d0 = b->d[0][lane], d1 = b->d[1][lane], d2 = b->d[2][lane];
  ssi_order(&d0, &d1);
  ssi_order(&d1, &d2);
  return d2;
}

void ssi_largest_eigenvalues(int dim, int count, const double *blocks, double *lambda) {
  for (int i = 0; dim == 2 && i < count; i++) {
    double both[2];
    ssi_eig2(blocks + 4 * (size_t)i, both);
    lambda[i] = both[1];
  }
  for (int i = 0; dim == 3 && i < count; i += LANES) {
    several b = {0};
    int here = count - i < LANES ? count - i : LANES;
    for (int l = 0; l < here; l++) load(blocks + 9 * (size_t)(i + l), l, &b);
    diagonalise(&b);
    for (int l = 0; l < here; l++) lambda[i + l] = largest_of(&b, l);
  }
}
