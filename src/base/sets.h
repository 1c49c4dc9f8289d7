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

// Joins i with the set that root speaks for; returns who speaks for both. For many members of one set in a row.
static inline int ssi_set_add(int *leader, int root, int i) {
  if (leader[i] == root) return root;
  int other = ssi_set_of(leader, i), first = other < root ? other : root;
  leader[other] = leader[root] = leader[i] = first;
  return first;
}
