// problem/components.h - the connected components of a problem: contacts that act on each other, directly,
// through bodies or through bilateral constraints. Each is a problem of its own, with scales of its own.
#pragma once

#include "base/arena.h"
#include "stickslip/problem.h"

typedef struct ssi_components {
  int count;
  int *of;        // component of a contact; they are numbered by their first contacts   (nc)
  int *contact;   // contacts by component, ascending                                    (nc)
  int *first;     // where those of a component begin there                              (nc + 1)
  int *of_joint;  // component of a bilateral constraint; -1: it moves no contact        (nl)
  int *leader;    // scratch                                          (nc + ndof + nl)
} ssi_components;

// Memory for any problem with the sizes of p, then the components of p. false: no memory.
bool ssi_components_create(ssi_arena *arena, const ss_problem *p, ssi_components *out);
// Those of other numbers in matrices of the same sizes.
void ssi_components_find(const ss_problem *p, ssi_components *c);
