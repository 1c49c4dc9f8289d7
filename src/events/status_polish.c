// Newton's method on G (events/status_map.h) of all contacts together, from where the sweeps ended. A sliding
// contact has (5) in the same form and r_T + mu r_N t = 0. Steps by least squares: bodies on more contacts than
// they need leave the matrix singular, and the forces not unique.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "events/instant.h"
#include "events/status_map.h"
#include "la/lapack.h"

enum { STEPS = 20 };
static const double RANK = 1e-11;

static double error_of(const ssi_instant *x, const double *r) {
  double most = 0, slip[3];
  for (int i = 0; i < x->count; i++) {
    ssi_instant_slip(x, i, r, slip);
    most = fmax(most, ssi_instant_error(x, i, slip, r + x->dim * i));
  }
  return isfinite(most) ? most : INFINITY;
}

static ssi_status_map map_of(const ssi_instant *x, int i, const double *r) {
  int d = x->dim;
  double slip[3], rho_N, rho_T;
  ssi_instant_slip(x, i, r, slip);
  ssi_instant_steps(x, i, &rho_N, &rho_T);
  ssi_status_map a = ssi_status_map_at(d, x->mu[i], rho_N, rho_T, slip, r + d * i);
  for (int k = 1; k < d && x->slides[i]; k++) {
    double pull = x->mu[i] * x->t[(d - 1) * i + k - 1];
    a.G[k] = r[d * i + k] + pull * r[d * i];
    for (int l = 0; l < d; l++) a.A[d * k + l] = 0, a.B[d * k + l] = (double)(k == l);
    a.B[d * k] = pull;
  }
  return a;
}

static void fill(const ssi_instant *x, const double *r, double *J, double *G) {
  int d = x->dim, m = x->m;
  for (int i = 0; i < x->count; i++) {
    ssi_status_map a = map_of(x, i, r);
    for (int k = 0; k < d; k++) {
      double *row = J + (size_t)(d * i + k) * (size_t)m;
      G[d * i + k] = a.G[k];
      memset(row, 0, sizeof *row * (size_t)m);
      for (int l = 0; l < d; l++) {
        const double *from = x->W + (size_t)(d * i + l) * (size_t)m;
        for (int j = 0; j < m && a.A[d * k + l] != 0; j++) row[j] += a.A[d * k + l] * from[j];
        row[d * i + l] += a.B[d * k + l];
      }
    }
  }
}

ss_error ssi_status_polish(ss_context *ctx, const ssi_instant *x, double *r, bool *better) {
  size_t m = (size_t)x->m;
  ssi_arena arena = {.ctx = ctx};
  double *J = SSI_TAKE(&arena, m * m, double), *G = SSI_TAKE(&arena, m, double);
  double *at = SSI_TAKE(&arena, m, double), *size = SSI_TAKE(&arena, m, double);
  *better = false;
  if (arena.failed)
    return ssi_arena_release(&arena), ssi_fail(ctx, SS_ERR_MEMORY, "no memory to polish");
  if (m) memcpy(at, r, m * sizeof *r);
  double least = error_of(x, r);
  for (int step = 0; m && step < STEPS && least > 0; step++) {
    lapack_int rank;
    fill(x, at, J, G);
    ss_error e = ssi_least_squares(LAPACK_ROW_MAJOR, (int)m, 1, J, G, size, RANK, &rank);
    if (e == SS_ERR_MEMORY)
      return ssi_arena_release(&arena), ssi_fail(ctx, e, "no memory to polish");
    if (e) break;
    for (size_t k = 0; k < m; k++) at[k] -= G[k];
    double now = error_of(x, at);
    if (!(now < least)) break;
    least = now;
    memcpy(r, at, m * sizeof *r);
    *better = true;
  }
  ssi_arena_release(&arena);
  return SS_OK;
}
