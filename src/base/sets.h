// base/sets.h - sets that are joined (union-find): leader[i] leads from i towards the member that speaks
// for its set, the smallest one.
#pragma once

static inline void ssi_sets_begin(int *leader, int count) {  // each by itself
  for (int i = 0; i < count; i++) leader[i] = i;
}

static inline int ssi_set_of(int *leader, int i) {  // the smallest member; halves the way to it
  while (leader[i] != i) i = leader[i] = leader[leader[i]];
  return i;
}

static inline void ssi_set_join(int *leader, int a, int b) {
  if (a == b || leader[a] == leader[b]) return;
  a = ssi_set_of(leader, a);
  b = ssi_set_of(leader, b);
  if (a < b)
    leader[b] = a;
  else
    leader[a] = b;
}
