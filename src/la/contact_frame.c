#include "la/contact_frame.h"

#include <math.h>

static void frame_3d(const double *e, double *Q) {
  int k = 0;
  for (int j = 1; j < 3; j++)
    if (fabs(e[j]) < fabs(e[k])) k = j;
  int l = (k + 1) % 3, m = (k + 2) % 3;
  double *t1 = Q + 3, *t2 = Q + 6;
  // (1) with a = axis k: a - e_k e has the component 1 - e_k^2 = e_l^2 + e_m^2 along a, without
  // cancellation, and the length sqrt(e_l^2 + e_m^2) >= sqrt(2/3).
  double length = hypot(e[l], e[m]);
  t1[k] = length;
  t1[l] = -e[k] * (e[l] / length);
  t1[m] = -e[k] * (e[m] / length);
  t2[0] = e[1] * t1[2] - e[2] * t1[1];
  t2[1] = e[2] * t1[0] - e[0] * t1[2];
  t2[2] = e[0] * t1[1] - e[1] * t1[0];
}

void ssi_frame(int dim, const double *e, double *Q) {
  for (int k = 0; k < dim; k++) Q[k] = e[k];
  if (dim == 2) {
    Q[2] = e[1];
    Q[3] = -e[0];
  } else {
    frame_3d(e, Q);
  }
}
