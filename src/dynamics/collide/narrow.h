// dynamics/collide/narrow.h - contact points of two solids.
//
// Spheres and capsules are a core (a point, a segment) with a radius around it; boxes, hulls and
// cylinders are their own core. Cores are compared, radii are taken off the gap.
//
// A face contact is exact: the gap of a point is its distance from the other body's face. Sharp
// corners are told apart only to SSI_BLUR of the smaller core: two boxes stacked flush to rounding
// make a face contact, not four contacts of corner with corner.
#pragma once

#include "dynamics/scene/shape.h"
#include "stickslip/collide.h"

#define SSI_BLUR 1e-6

enum { SSI_TOUCH_MAX = 256 };

typedef struct ssi_manifold_point {
  double point[3], normal[3];  // midway between the surfaces; from b to a
  double gap;
  uint32_t feature;
} ssi_manifold_point;

typedef struct ssi_manifold {
  int count;
  bool broken;  // no method could resolve the pair
  ssi_manifold_point touch[SSI_TOUCH_MAX];
} ssi_manifold;

// A feature is a kind and a number below 2^14; a contact is a feature of a and one of b.
enum { SSI_CORNER = 0, SSI_EDGE = 1 << 14, SSI_FACE = 2 << 14, SSI_CLOSEST = 3 << 14 };

static inline uint32_t ssi_feature(int a, int b) {
  return (uint32_t)a << 16 | (uint32_t)b;
}

static inline uint32_t ssi_feature_swapped(uint32_t f) {
  return f << 16 | f >> 16;
}

// All contact points with gap < limit, at most max_points. Not for compounds.
void ssi_narrow(const ssi_solid *a, const ssi_solid *b, double limit, int max_points,
                ssi_manifold *out);

// Whether a pair is found by libccd where it overlaps.
bool ssi_narrow_needs_ccd(const ss_shape *a, const ss_shape *b);

// What follows is shared between the narrow_*.c files. Each finder takes `out` empty.
typedef void ssi_narrow_pair(const ssi_solid *a, const ssi_solid *b, double limit,
                             ssi_manifold *out);

ssi_narrow_pair ssi_sphere_sphere, ssi_sphere_box, ssi_sphere_capsule, ssi_sphere_cylinder;
ssi_narrow_pair ssi_capsule_capsule;
ssi_narrow_pair ssi_any_plane, ssi_any_drum;  // b is the wall
ssi_narrow_pair ssi_planar;                   // any two cores in 2D
ssi_narrow_pair ssi_polyhedra;                // boxes and hulls
ssi_narrow_pair ssi_convex;                   // any two cores in 3D

// Adds a contact between core points pa and pb = pa - (gap of the cores) n, n from b to a.
void ssi_add_touch(ssi_manifold *m, const ssi_solid *a, const ssi_solid *b, const double pa[3],
                   const double n[3], double core_gap, uint32_t feature, double limit);

static inline double ssi_core_radius(const ss_shape *s) {
  return s->kind == SS_SPHERE || s->kind == SS_CAPSULE ? s->radius : 0;
}

// A length of the core, 0 for points.
double ssi_core_size(const ss_shape *s);

// Farthest point of the core along d (any length); returns its corner's number, 0 where there is
// none.
int ssi_support(const ssi_solid *s, const double d[3], double out[3]);

// max of n . x over the core
double ssi_support_width(const ssi_solid *s, const double n[3]);

// A normal where none is better: up.
static inline void ssi_any_normal(int dim, double n[3]) {
  n[0] = 0, n[1] = dim == 2, n[2] = dim == 3;
}

// Contacts of cores that an axis n (from b to a) separates by s >= 0: exact distance by GJK.
void ssi_separated(const ssi_solid *a, const ssi_solid *b, const double n[3], double s,
                   double limit, ssi_manifold *out);

// ---- two polyhedra that meet edge to edge ------------------------------------------------------

typedef struct ssi_edge_axis {
  double s;             // how far apart along n; -INFINITY: no two edges are candidates
  double n[3];          // unit, from b to a
  double pa[3], pb[3];  // closest points of the two edges' lines
  bool inside;          // these lie on the edges
} ssi_edge_axis;

// The pair of edges whose common perpendicular keeps the polyhedra farthest apart.
ssi_edge_axis ssi_best_edges(const ssi_solid *a, const ssi_solid *b);

// ---- closest points of two convex cores that do not overlap ------------------------------------

typedef struct ssi_closest {
  double distance;      // of the cores
  double n[3];          // unit, from b to a; not set where they overlap
  double pa[3], pb[3];  // closest points
  bool overlap;         // or closer than 1e-10 of their size
  bool far;             // not closer than `enough`: only that is known
} ssi_closest;

// The square of the distance is right to the relative tolerance tol, the direction to its root.
ssi_closest ssi_gjk(const ssi_solid *a, const ssi_solid *b, double enough, double tol);

// ---- how deep two convex cores overlap ---------------------------------------------------------

typedef struct ssi_depth {
  double depth, n[3], pa[3];  // the shortest way apart is a by depth along n; lowest point of a
  bool broken;                // an upper bound only
} ssi_depth;

ssi_depth ssi_penetration(const ssi_solid *a, const ssi_solid *b);

// Is libccd in this build?
bool ssi_has_ccd(void);
