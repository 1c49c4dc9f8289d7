// The criteria: what they are called, which states their patterns have, and how the answers of one bound those of the others.
#include <math.h>
#include <string.h>

#include "analysis/critical.h"

static const struct {
  const char *name, *condition;
  unsigned states;
} criteria[SS_CRITERIA] = {
    {"bijective", "necessary and sufficient", SSI_STATES_BIJECTIVE},
    {"pmatrix", "sufficient", SSI_STATES_PMATRIX},
    {"andersson", "necessary and sufficient", SSI_STATES_BIJECTIVE},
    {"simplified", "necessary", SSI_STATES_SIMPLIFIED},
};

const char *ss_criterion_name(ss_criterion c) {
  return (unsigned)c < SS_CRITERIA ? criteria[c].name : "unknown";
}

const char *ss_criterion_condition(ss_criterion c) {
  return (unsigned)c < SS_CRITERIA ? criteria[c].condition : "unknown";
}

unsigned ssi_criterion_states(ss_criterion c) {
  return criteria[c].states;
}

const char *ss_pattern_state_name(ss_pattern_state s) {
  static const char *const names[] = {"free", "stick", "slip+", "slip-", "cross"};
  return (unsigned)s < sizeof names / sizeof *names ? names[s] : "unknown";
}

double ssi_pattern_count(int n, unsigned states) {
  int count = 0;
  for (; states; states &= states - 1) count++;
  return pow(count, n);
}

// pmatrix <= bijective = andersson <= simplified: each bound serves its neighbours.
void ssi_critical_order(ss_critical *r, unsigned wanted) {
  static const ss_criterion up[] = {SS_PMATRIX, SS_BIJECTIVE, SS_SIMPLIFIED};
  double lower = 0, upper = r->sqp;
  const unsigned char *pattern = NULL;
  for (int k = 0; k < 3; k++) {
    ss_critical_value *v = &r->value[up[k]];
    if (!(wanted >> up[k] & 1)) continue;
    if (v->exact)
      lower = fmax(lower, v->lower);
    else
      lower = v->lower = fmax(lower, v->lower);
  }
  for (int k = 2; k >= 0; k--) {
    ss_critical_value *v = &r->value[up[k]];
    if (!(wanted >> up[k] & 1)) continue;
    if (!v->exact && upper < v->upper) v->upper = upper, v->pattern = pattern;
    upper = v->upper, pattern = v->pattern;
  }
  ss_critical_value *same = &r->value[SS_ANDERSSON], *bijective = &r->value[SS_BIJECTIVE];
  if (!(wanted >> SS_ANDERSSON & 1) || !(wanted >> SS_BIJECTIVE & 1) || same->exact) return;
  same->lower = fmax(same->lower, bijective->lower);
  if (bijective->upper < same->upper)
    same->upper = bijective->upper, same->pattern = bijective->pattern;
}

void ssi_critical_all_zero(ss_critical *r, unsigned wanted, unsigned char *pattern) {
  memset(pattern, SS_PATTERN_STICK, (size_t)r->contacts);
  for (int c = 0; c < SS_CRITERIA; c++)
    if (wanted >> c & 1) r->value[c] = (ss_critical_value){true, true, 0, 0, 0, pattern, 0};
}

// 0 if W is singular, and anything if that is only rounding.
void ssi_critical_nothing_known(ss_critical *r, unsigned wanted) {
  for (int c = 0; c < SS_CRITERIA; c++)
    if (wanted >> c & 1)
      r->value[c] = (ss_critical_value){.computed = true, .mu = NAN, .upper = INFINITY};
}
