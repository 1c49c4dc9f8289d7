// Andersson's parameter (58) of [Agw20], in the reading in which every contact has r = 0 or u_N =
// 0: that is the smallest root over all patterns of free, stick and slip with at least one slip.
// Reversing all slips turns mu into -mu, so (4^n - 2^n)/2 eigenvalue problems give everything, as
// [Agw20] counts them.
#include <math.h>
#include <string.h>

#include "analysis/critical.h"

// Reverses all slips.
static void reverse(int n, unsigned char *pattern) {
  for (int i = 0; i < n; i++)
    if (pattern[i] == SS_PATTERN_SLIP_PLUS)
      pattern[i] = SS_PATTERN_SLIP_MINUS;
    else if (pattern[i] == SS_PATTERN_SLIP_MINUS)
      pattern[i] = SS_PATTERN_SLIP_PLUS;
}

// Pattern number `index` in base 4; true where its first slip is slip+, which stands for both
// signs.
static bool decode(int n, int index, unsigned char *pattern) {
  int first = -1;
  for (int i = 0; i < n; i++, index /= 4) {
    pattern[i] = (unsigned char)(index % 4);
    if (first < 0 && pattern[i] >= SS_PATTERN_SLIP_PLUS) first = pattern[i];
  }
  return first == SS_PATTERN_SLIP_PLUS;
}

enum { LOOK_EVERY = 64 };  // eigenvalue problems between two looks at the clock

bool ssi_critical_andersson(ssi_roots *w, const ssi_critical_part *p, const ssi_watch *watch,
                            unsigned char *pattern, double *mu, double *count, bool *all) {
  unsigned char now[SSI_ANDERSSON_CONTACTS];
  *mu = INFINITY;
  *all = true;
  for (int index = 0; index < 1 << 2 * p->n; index++) {
    if (index % LOOK_EVERY == 0 && ssi_watch_stops(watch, *count)) return *all = false, true;
    if (!decode(p->n, index, now)) continue;
    *count += 1;
    double root = ssi_pattern_root(w, p, now, true);
    if (isnan(root)) return false;
    if (root >= *mu) continue;
    *mu = root;
    double plus = ssi_pattern_root(w, p, now, false);
    if (!(plus <= root)) reverse(p->n, now);
    memcpy(pattern, now, (size_t)p->n);
  }
  return true;
}
