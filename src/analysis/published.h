// analysis/published.h - inner parts of ss_critical_published: what [Agw20] computes or states in another way than
// stickslip/critical.h, for one connected part of the contact graph (analysis/critical.h).
#pragma once

#include "analysis/critical.h"

// published_scan.c: (59) by turning the reaction of the first contact (degrees per step), at most two contacts.
typedef struct ssi_scan {
  double mu;        // refined around every smallest value of the grid
  double mu_grid;   // smallest on the grid itself
  double angle[2];  // of the reactions at `mu`, from the normal, in (-180, 180] degrees
} ssi_scan;
void ssi_published_scan(const ssi_critical_part *p, double step_deg, ssi_scan *out);

// published_interval.c: the mu up to which the interval hull of (54) is a P-matrix, by (55) to (57). False: the
// time was up. *tests: P-matrix tests.
bool ssi_published_interval(ssi_arena *arena, const ssi_critical_part *p, double end_s, double *mu,
                            double *tests);

// published_copositive.c: the mu up to which the matrix of (30) is copositive. *lower: what is proved; equal to *mu
// unless the time was up. False: LAPACK failed.
bool ssi_published_copositive(ssi_arena *arena, const ssi_critical_part *p, double end_s,
                              double *mu, double *lower, double *faces);
