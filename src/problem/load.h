// problem/load.h - what the data can tell of q = w - H M^-1 f: the velocity that errors are relative to,
// component by component, and what rounding of the data may be worth. docs/theory.md, "What the data can tell".
#pragma once

#include "la/factor.h"
#include "problem/components.h"
#include "problem/radius.h"

typedef struct ssi_load {  // the motion without reactions
  const double *u, *gap;   // H v + w, G^T v + b; reduced form: q, s   (m), (nl)
  const double *v;         // M^-1 (G l - f); NULL in the reduced form (ndof)
  const double *l;         // NULL: zero, joints are not asked         (nl)
} ssi_load;

typedef struct ssi_load_scale {
  double
      *scale;   // of component k: |q|; |t| of problem/load.c (1) where q is only rounding     (nc)
  bool *still;  // q of component k is only rounding                                          (nc)
  double *
      doubt;  // by how much rounding of the data may move q at contact i; 0 where that is nothing beside
              // the scale                                                                    (nc)
} ssi_load_scale;

// Doubles that it takes for nc contacts, and its place in them: callers take them with others, since tiny problems
// feel every block.
size_t ssi_load_scale_size(int nc);
void ssi_load_scale_place(double *memory, int nc, ssi_load_scale *out);

// scratch (ndof + nl), global form. In the reduced form q is as given: nothing tells what has cancelled in it.
ss_error ssi_load_scales(const ss_problem *p, const ssi_components *c, const ssi_load *load,
                         ssi_factor *mass, double *scratch, ssi_load_scale *out);

// Global form. y (ndof) = |v| + |M^-1 (|M| |v| + |f| + |G| |l|)|: eps y is what rounding of the data may do to v.
ss_error ssi_load_motions(const ss_problem *p, const ssi_load *load, ssi_factor *mass, double *y);

// sum_j |H_ij| y_j of load.c (1), for one row of H
double ssi_load_row_terms(const ss_problem *p, const double *y, int row);

static const double SSI_SUSPECT = 1e-3;  // |q| over |t|: above, delta is nothing beside |q|

// What an error is relative to: max(|q|, |u|). Where |u| is beyond ten times |q| it counts no more than that:
// with W semi-definite it never is by much, and with others reactions may grow along a solution of the problem
// with q = 0, for which every error would become small beside |u|.
static inline double ssi_error_scale(double load, double speed) {
  return load > 0 ? fmax(load, fmin(speed, 10 * load)) : speed;
}
