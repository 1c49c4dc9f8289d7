// events/forecast.h - what the contacts do next: the status problem at an event, and impacts.
#pragma once

#include "events/mechanics.h"

// Velocities after the gaps in `closing` closed with velocity, e and the law of the options: v in place.
// touching (nc): contacts whose gap is zero. *solved: false where no impulses were found.
ss_error ssi_impact(ssi_mechanics *x, const ss_evolve_options *o, const bool *touching, double *v,
                    bool *solved);

typedef struct ssi_forecast {
  ssi_modes next;
  double *force;  // (dim nc)
  bool solved;
  ss_existence existence;
  int painleve;  // contacts with delta <= 0
} ssi_forecast;

// The modes that follow, from the matrices in x. now (nc): what each contact is; slip (dim nc): slip velocities of
// those that slide. part_ties: contacts with neither force nor acceleration part, since one has just lost its force; else
// they stay closed, as those do of a body that rests on more than it needs.
ss_error ssi_forecast_make(ssi_mechanics *x, const ss_persistence *now, const double *slip,
                           bool part_ties, ssi_forecast *out);
