// events/status_map.h - the map G of [LSCM03, 2.2] for one contact that does not slide, and its derivative.
//
//     G3 = r_N - max(0, r_N - rho_N g''_N)            G4 = r_T - P_C( r_T - rho_T g''_T ),  C = { |x| <= mu r_N }
//
// d(G3, G4) = A dg'' + B dr. With tau = r_T - rho_T g''_T outside C:
//
//     dG4 = dr_T - mu dr_N tau/|tau| - mu r_N/|tau| (I - tau tau^T/|tau|^2)(dr_T - rho_T dg''_T)
#pragma once

#include <math.h>
#include <string.h>

#include "cone/friction.h"

typedef struct ssi_status_map {
  double G[3];
  double A[9], B[9];  // row-major, dim x dim
} ssi_status_map;

static inline ssi_status_map ssi_status_map_at(int d, double mu, double rho_N, double rho_T,
                                               const double *slip, const double *r) {
  ssi_status_map x = {0};
  double tau[3] = {0}, radius = mu * fmax(r[0], 0), pull = r[0] > 0 ? mu : 0;
  bool closed = r[0] - rho_N * slip[0] > 0;
  x.G[0] = closed ? rho_N * slip[0] : r[0];
  x.A[0] = closed ? rho_N : 0, x.B[0] = closed ? 0 : 1;
  for (int k = 1; k < d; k++) tau[k] = r[k] - rho_T * slip[k];
  double size = ssi_tangent_norm(d, tau);
  for (int k = 1; k < d; k++) {
    if (size <= radius) {
      x.G[k] = rho_T * slip[k];
      x.A[d * k + k] = rho_T;
      continue;
    }
    x.G[k] = r[k] - radius * tau[k] / size;
    x.B[d * k] = -pull * tau[k] / size;
    for (int l = 1; l < d; l++) {
      double across = radius / size * ((double)(k == l) - tau[k] * tau[l] / (size * size));
      x.A[d * k + l] = rho_T * across;
      x.B[d * k + l] = (double)(k == l) - across;
    }
  }
  return x;
}
