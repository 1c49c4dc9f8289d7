#include "solvers/pace.h"

#include <math.h>

// What a contact keeps of its momentum when it turns back, one after the other where the step does not
// fall. Over piles of beads and generated ones 0.5 takes the fewest sweeps; those of 100,000 contacts need 0.2 to
// calm down (with 0.6 and 0.35 they do not).
static const double keeps[] = {0.5, 0.2, 0};
enum { KEEPS = sizeof keeps / sizeof *keeps };

static const double BLOWN_UP =
    1e8;  // of the least square of a step: what momentum must not make of it

void ssi_pace_forget(ssi_pace *p) {
  *p = (ssi_pace){.least = INFINITY};
}

void ssi_pace_begin(ssi_pace *p, ssi_momentum *m, const double *r) {
  ssi_momentum_begin(m, r);
  m->rule.keep = keeps[p->kept = 0];
  p->least = INFINITY;
  p->idle = 0;
}

bool ssi_pace_next(ssi_pace *p, ssi_momentum *m, double *r) {
  if (p->plain == 0) {
    ssi_momentum_next(m, r);
    return true;
  }
  if (--p->plain == 0) ssi_pace_begin(p, m, r);
  return false;
}

bool ssi_pace_stalls(ssi_pace *p, double change) {
  bool stalls = false;
  if (!(change >= 0.25 * p->least)) {
    p->least = change;
    p->idle = 0;
  } else if (++p->idle >= SSI_PACE_STRETCH) {
    p->least = INFINITY;
    p->idle = 0;
    stalls = true;
  }
  return stalls;
}

void ssi_pace_watch(ssi_pace *p, ssi_momentum *m, bool begun, double change) {
  if (p->plain) return;
  if (begun && change > BLOWN_UP * p->least)
    p->plain = 3 * SSI_PACE_STRETCH;  // momentum throws it back and forth
  else if (ssi_pace_stalls(p, change))
    m->rule.keep = keeps[p->kept = (p->kept + 1) % KEEPS];
}
