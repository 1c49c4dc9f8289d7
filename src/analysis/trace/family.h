// analysis/trace/family.h - a 2D problem over a parameter, as dense numbers: u = W(p) r + q(p), mu(p).
//
// Numbers are scaled once, with units that do not depend on p: r = s_i q0_i r~, u = q0_i/s_i u~ at contact i, s_i
// 1/sqrt of the largest diagonal entry of W_ii in the middle of the range, q0_i the largest load of the contacts that hang
// together with it; the ratio of the components of one contact stays, and so does mu. Everything in this folder works with the scaled ones.
#pragma once

#include "base/arena.h"
#include "stickslip/trace.h"

typedef struct ssi_family_data {
  double *W;   // row-major   (m m)
  double *q;   // (m)
  double *mu;  // (n)
} ssi_family_data;

typedef struct ssi_units {
  int n, m;
  double *s, *q0;  // (n)
  int *leader;     // contacts that hang together (base/sets.h)   (n)
} ssi_units;

bool ssi_units_take(ssi_arena *arena, int n, ssi_units *out);
void ssi_units_matrix(ssi_units *units, const double *W);                 // s, from W (m m)
void ssi_units_load(ssi_units *units, const double *W, const double *q);  // q0 is not below q (m)
void ssi_units_finish(ssi_units *units);
void ssi_units_apply(const ssi_units *units, double *W, double *q);  // W or q may be NULL

// x~ = x / unit: of r where `reaction`, else of u.   (m)
void ssi_units_scale(const ssi_units *units, bool reaction, const double *x, double *scaled);
void ssi_units_unscale(const ssi_units *units, bool reaction, const double *scaled, double *x);

typedef struct ssi_family {
  ss_context *ctx;
  ssi_arena arena, scratch;
  ss_trace_problem problem;
  void *user;
  double from, to;
  int n, m;
  ssi_units units;
  double load;              // largest |q| over the range, in the user's units
  double *raw, *terms;      // (m m + m), (m)
  ssi_family_data side[4];  // for differences
  bool read;                // raw holds numbers
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
