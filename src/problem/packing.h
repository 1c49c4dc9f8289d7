// problem/packing.h - a pile of spheres (disks in 2D) with the wanted number of contacts, numbered so
// that neighbours in the list are neighbours in space.
#pragma once

#include "problem/settling.h"

typedef struct ssi_packing_contact {
  int a;  // a sphere
  int b;  // a sphere with a larger number, or a wall: -1 - 2k for x_k >= 0, -2 - 2k for x_k <= width
} ssi_packing_contact;

typedef struct ssi_packing {
  int dim, count, contact_count;
  double width;                  // of the box, as in settle.h
  ssi_sphere *sphere;            // along a Morton curve; each has a contact     (count)
  ssi_packing_contact *contact;  // sorted by a, then b                          (contact_count)
} ssi_packing;

// A pile with `wanted` >= 1 contacts, give or take the few that the last sphere brings; o->count is
// not looked at. Arrays in `arena`. SS_ERR_DATA if the options give no contacts at all.
ss_error ssi_packing_create(ss_context *ctx, const ssi_settle_options *o, int wanted,
                            ssi_arena *arena, ssi_packing *out);
