// What certifying takes: the data, what the interior point keeps of a contact, and its normal equations N = A^T S A, in which
// a contact joins all columns that it has an entry in. Contacts of rigid bodies have 12 at most; one that a hundred thousand
// degrees of freedom meet fills N.
#include <math.h>

#include "stickslip/certify.h"

static const double PER_CONTACT = 4e3;  // bytes; 100,000 contacts of single bodies take 3.5e3
static const double PER_ENTRY = 40;     // of what is given: as read, scaled, transposed
static const double PER_PAIR = 30;      // of columns in N and its factor
static const double PER_BASIS = 5 * sizeof(double);
enum { BASIS_ROWS = 3000 };  // of W up to which a basis of its image is made (kinematics.c)

static double entries(const ss_sparse *A) {
  return A->ptr ? (double)A->ptr[A->rows] : 0;
}

// Rows of one contact have about the same columns: the longest counts.
static double pairs(const ss_sparse *A, int dim) {
  double sum = 0, all = (double)A->cols * A->cols;
  for (int i = 0; A->ptr && i + dim <= A->rows; i += dim) {
    double longest = 0;
    for (int k = i; k < i + dim; k++) longest = fmax(longest, (double)(A->ptr[k + 1] - A->ptr[k]));
    sum += longest * longest;
  }
  return fmin(sum, all);
}

double ss_certify_memory(const ss_problem *p) {
  if (!p) return 0;
  const ss_sparse *given[] = {&p->W, &p->V, &p->R, &p->M, &p->H, &p->G};
  double bytes = PER_CONTACT * p->nc, rows = (double)p->dim * p->nc;
  for (int k = 0; k < 6; k++) bytes += PER_ENTRY * entries(given[k]);
  if (p->form == SS_REDUCED && rows <= BASIS_ROWS) return bytes + PER_BASIS * rows * rows;
  return bytes + PER_PAIR * pairs(p->form == SS_REDUCED ? &p->W : &p->H, p->dim);
}
