// mpi/share_hearing.h - what a verdict on several processes is made of: motions of domains, one at a time, and sums
// over the contacts of each part and of each domain.
#pragma once

#include "mpi/share_parts.h"

enum { SHARE_LOAD, SHARE_SPEED, SHARE_REACTIONS, SHARE_FCLIB, SHARE_PENETRATION, SHARE_NORMS };

typedef struct share_hearing {
  share *s;
  ssi_arena arena;
  ssi_motion
      motion;     // of the domain at hand: u and v of all of them would be a sixth of the memory
  ssi_dd *pairs;  // impulses of all domains at shared dofs            (leaves)
  share_parts parts;
  share_tally *tally;                       // of each part
  ssi_norm *norm;                           // SHARE_NORMS of each domain
  double *error, *tangent, *doubt, *scale;  // of each contact; scale of each part
  bool *still;                              // of each part
  // where bodies are not rigid: the motion at hand at all copies, and joints, all of them on every rank
  double *hi, *lo, *y;  // (copies)
  double *joint_of,
      *joint_gap;  // component, INFINITY: none; |gap| of the motion at hand   (joints)
  double norm_s;   // of all gaps, without reactions
} share_hearing;

// Contact i of domain k, among those of this rank.
static inline int64_t share_place_of(const share_hearing *g, int k, int i) {
  return (g->s->domain[k].r - g->s->r) / g->s->dim + i;
}

static inline share_tally *share_tally_of(const share_hearing *g, int k, int i) {
  return &g->tally[g->parts.of[share_place_of(g, k, i)]];
}

static inline const ssi_dd *share_velocity_of(const share_hearing *g, int i) {
  return g->motion.u + (int64_t)g->s->dim * i;
}

void share_hearing_begin(share_hearing *g, share *s);  // Collective.
void share_hearing_end(share_hearing *g);
void share_hearing_clear(share_hearing *g);  // its tallies

// What all domains add to shared dofs, of s->r. Collective.
ss_error share_hearing_impulses(share_hearing *g);
// The motion of one domain, without reactions or, after share_hearing_impulses, with them.
ss_error share_hearing_move(share_hearing *g, share_domain *d, bool reactions);
// The motion of general->v, at the copies, and what it leaves of the joints. Collective.
void share_hearing_take_motion(share_hearing *g);
// |gap| of that motion: of all joints, and of those of a component.
double share_hearing_gap(const share_hearing *g);
double share_hearing_gap_of(const share_hearing *g, double component);

// Scales of the parts, and which of them stand still: share_load.c. Collective.
ss_error share_hearing_load(share_hearing *g);
