// problem/colour.h - which contacts may be visited at the same time: those of one colour do not act on each
// other, so the order among them, and who visits them, does not matter to the last bit.
//
// Not single contacts are coloured but chunks of neighbouring ones (in the numbering), as large as leaves
// enough of them in each colour: within a chunk the sweep runs through memory in order, and goes on with the
// latest values like a sweep in natural order.
#pragma once

#include "problem/bodies.h"

typedef struct ssi_colouring {
  int nc;
  int size;     // contacts in a chunk; the last one may be shorter
  int chunks;   //
  int colours;  //
  int *first;   // place in order[] of each colour; from first[colours] on: chunks without a colour,
                // to be visited one after the other                               (colours + 1)
  int *order;   // chunks by colour, ascending                                     (chunks)
} ssi_colouring;

enum { SSI_COLOURS = 64 };  // at most

// By the bodies that contacts share, or by the blocks of W. Depends on the pattern alone. false: no memory.
bool ssi_colour_bodies(ssi_arena *arena, const ssi_bodies *b, ssi_colouring *out);
bool ssi_colour_blocks(ssi_arena *arena, const ssi_delassus *W, ssi_colouring *out);
