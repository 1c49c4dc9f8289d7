// stickslip/collide.h - contact detection: which bodies touch or are about to, where, along which
// normal, and how far apart.
//
//   ss_collide_options o = ss_collide_options_default();
//   ss_detector *d;
//   ss_detector_create(&ctx, 3, &o, &d);
//   each step:  ss_collide(d, bodies, count, &found);
//   ss_detector_destroy(d);
//
// The answer depends on the arguments alone, not on earlier calls, and comes in one order: by a, by
// b, by key. No memory is taken unless there is more to hold than ever before (libccd, asked only
// for overlapping cylinders and large hulls, takes some for the time of one pair).
#pragma once

#include "stickslip/shape.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ss_collider {
  const ss_shape *shape;  // borrowed; NULL: not there (a removed body keeps its number)
  ss_pose pose;           // of the shape's frame
  double reach;           // >= 0: how far any of its points may come this step (h times its speed)
  bool external;          // imposed motion: two externals make no contact
} ss_collider;

// One contact point. The surfaces there are at  point +- (gap/2) normal  (+ for a). Where bodies
// overlap the gap is negative: minus the shortest way apart.
typedef struct ss_contact {
  int a, b;          // a < b, but an external body is always b
  uint64_t key;      // which features meet: the same contact has the same key in the next step,
                     // unique in the pair; part of a << 48 | part of b << 32 | features
  double point[3];   // world; 2D: z = 0
  double normal[3];  // unit, from b to a: the relative velocity of a along it opens the contact
  double gap;
} ss_contact;

static inline int ss_contact_part_a(const ss_contact *c) {
  return (int)(c->key >> 48);
}
static inline int ss_contact_part_b(const ss_contact *c) {
  return (int)(c->key >> 32 & 0xffff);
}

typedef struct ss_contacts {
  const ss_contact *contact;  // in the detector's memory, until the next call
  int count;
  int pairs;   // pairs of parts that the broad phase left to look at
  int broken;  // pairs that libccd gave up on, listed as well as they are known (0 in all tests)
} ss_contacts;

typedef struct ss_collide_options {
  double margin;   // >= 0. Listed are points with gap < margin + reach of a + reach of b
  int max_points;  // per pair of parts, 1 .. 16; beyond it the deepest and the outermost are kept
  // Pairs not to look at (joined bodies): true skips; NULL: none. Must depend on a and b only.
  bool (*skip)(const void *user, int a, int b);
  const void *user;
} ss_collide_options;

SS_API ss_collide_options ss_collide_options_default(void);  // margin 0, 8 points, no skip

typedef struct ss_detector ss_detector;
SS_API ss_error ss_detector_create(ss_context *ctx, int dim, const ss_collide_options *o,
                                   ss_detector **out);
SS_API void ss_detector_destroy(ss_detector *d);  // NULL allowed

// SS_ERR_DATA for a pose or reach that is not finite, SS_ERR_ARGUMENT for a shape of the other
// dimension or a boundless one on a body that is not external, SS_ERR_UNSUPPORTED for pairs as
// below; the message names the body.
SS_API ss_error ss_collide(ss_detector *d, const ss_collider *bodies, int count, ss_contacts *out);

// Can this build find contacts between the two? Call it when a scene is built: SS_ERR_UNSUPPORTED,
// with the reason, for the pairs that need libccd (a cylinder with a box, hull, capsule or
// cylinder; two hulls with more than SS_EDGE_PAIRS_MAX pairs of edges) in a build without.
enum { SS_EDGE_PAIRS_MAX = 10000 };
SS_API ss_error ss_collide_check(ss_context *ctx, const ss_shape *a, const ss_shape *b);

#ifdef __cplusplus
}
#endif
