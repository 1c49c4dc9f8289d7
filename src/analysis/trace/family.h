// analysis/trace/family.h - a 2D problem over a parameter, as dense numbers: u = W(p) r + q(p), mu(p).
//
// Numbers are scaled once, with units that do not depend on p: r = s_i q0 r~, u = q0/s_i u~ at contact i, s_i
// 1/sqrt of the largest diagonal entry of W_ii in the middle of the range, q0 the largest load; the ratio of the components of
// one contact stays, and so does mu. Everything in this folder works with the scaled ones.
#pragma once

#include "base/arena.h"
#include "stickslip/trace.h"

typedef struct ssi_family_data {
  double *W;   // row-major   (m m)
  double *q;   // (m)
  double *mu;  // (n)
} ssi_family_data;

typedef struct ssi_family {
  ss_context *ctx;
  ssi_arena arena, scratch;
  ss_trace_problem problem;
  void *user;
  double from, to;
  int n, m;
  double *s;                // (n)
  double q0;
  double *raw, *terms;      // (m m + m), (m)
  ssi_family_data side[4];  // for differences
  int64_t problems;         // built
} ssi_family;

// Release it whatever is returned.
ss_error ssi_family_begin(ssi_family *f, ss_context *ctx, const ss_trace_options *o,
                          ss_trace_problem problem, void *user);
void ssi_family_release(ssi_family *f);

bool ssi_family_take(ssi_arena *arena, int n, ssi_family_data *out);
ss_error ssi_family_at(ssi_family *f, double p, ssi_family_data *out);
// d/dp by differences of fourth order, inside the range: for predictions and for choosing ways, never for what is
// reported.
ss_error ssi_family_rate(ssi_family *f, double p, ssi_family_data *out);

// x~ = x / unit: of r where `reaction`, else of u.   (m)
void ssi_family_scale(const ssi_family *f, bool reaction, const double *x, double *scaled);
void ssi_family_unscale(const ssi_family *f, bool reaction, const double *scaled, double *x);
