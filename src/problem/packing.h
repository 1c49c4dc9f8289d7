// problem/packing.h - a pile of spheres (disks in 2D) with the wanted number of contacts, numbered so
// that neighbours in the list are neighbours in space.
#pragma once

#include "base/arena.h"

// Spheres settled in a box that is open above, and who is near whom (settling.c).
typedef struct ssi_sphere {
  double x[3];  // centre; the last axis used, x[dim - 1], points up; x[2] = 0 in 2D
  double r;
} ssi_sphere;

typedef struct ssi_settled {
  int dim, count;
  double width;        // the box is [0, width]^(dim-1) with its floor at height 0
  ssi_sphere *sphere;  // bottom up, row by row                       (count)
  int64_t *near_ptr;   // first neighbour of each sphere              (count + 1)
  int *near;           // with larger index, increasing               (near_ptr[count])
  // the rest is scratch of settling.c
  ssi_arena arena;
  ssi_sphere *other;  // sorting buffer, then positions at the last sort    (count)
  int *cell;          // of each sphere                                     (count)
  int *cell_start;    // first sphere of each cell                          (cells + 1)
  int cells[3];       // along x, y, z
  double cell_size;
  int64_t near_capacity;
} ssi_settled;

typedef struct ssi_settle_options {
  int dim, count;
  double spread;   // radii uniform in 1 +- spread
  double gap_tol;  // spheres closer than this are neighbours in the end
  uint64_t seed;
} ssi_settle_options;

// O(count) time and memory. false: no memory; *out needs no release then.
bool ssi_settle(ss_context *ctx, const ssi_settle_options *o, ssi_settled *out);
void ssi_settled_release(ssi_settled *s);

// A pile of them (packing.c).
typedef struct ssi_packing_contact {
  int a;  // a sphere
  int b;  // a sphere with a larger number, or a wall: -1 - 2k for x_k >= 0, -2 - 2k for x_k <= width
} ssi_packing_contact;

typedef struct ssi_packing {
  int dim, count, contact_count;
  double width;                  // of the box, as above
  ssi_sphere *sphere;            // along a Morton curve; each has a contact     (count)
  ssi_packing_contact *contact;  // sorted by a, then b                          (contact_count)
} ssi_packing;

// A pile with `wanted` >= 1 contacts, give or take the few that the last sphere brings; o->count is
// not looked at. Arrays in `arena`. SS_ERR_DATA if the options give no contacts at all.
ss_error ssi_packing_create(ss_context *ctx, const ssi_settle_options *o, int wanted,
                            ssi_arena *arena, ssi_packing *out);
