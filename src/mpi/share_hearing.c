// The motion of domains that a verdict looks at, in double-double (problem/motion.h): on rigid bodies a domain's own
// masses give it, with what all domains add to shared dofs; elsewhere that of share_general.h is taken at the copies.
#include "mpi/share_hearing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "la/small.h"
#include "mpi/share_general.h"

void share_hearing_begin(share_hearing *g, share *s) {
  *g = (share_hearing){.s = s, .arena = {.ctx = s->c->ctx}};
  g->pairs = RANKS_TAKE(s->c, s->leaves, ssi_dd);
  share_parts_find(s, &g->parts);
  g->tally = RANKS_TAKE(s->c, g->parts.count, share_tally);
  g->scale = RANKS_TAKE(s->c, g->parts.count, double);
  g->still = RANKS_TAKE(s->c, g->parts.count, bool);
  g->norm = RANKS_TAKE(s->c, SHARE_NORMS * s->count, ssi_norm);
  g->error = RANKS_TAKE(s->c, 3 * s->nc, double);
  g->tangent = g->error + s->nc;
  g->doubt = g->error + 2 * s->nc;
  if (s->rigid) return;
  int64_t copies = s->general->copies.first[s->count];
  g->hi = RANKS_TAKE(s->c, 3 * copies, double);
  g->lo = g->hi + copies;
  g->y = g->lo + copies;
  g->joint_of = RANKS_TAKE(s->c, 2 * s->general->joints, double);
  g->joint_gap = g->joint_of + s->general->joints;
  share_general_all_joints(s->general, g->parts.joint, g->joint_of);
}

void share_hearing_end(share_hearing *g) {
  free(g->hi);
  free(g->joint_of);
  share_parts_release(&g->parts);
  ssi_arena_release(&g->arena);
  free(g->pairs);
  free(g->tally);
  free(g->scale);
  free(g->still);
  free(g->norm);
  free(g->error);
}

void share_hearing_clear(share_hearing *g) {
  memset(g->tally, 0, sizeof *g->tally * (size_t)g->parts.count);
}

static ss_error take_motion(share_hearing *g, share_domain *d) {
  ssi_arena_reset(&g->arena);
  SS_TRY(share_domain_rows(g->s, d));
  return ssi_motion_create(&g->arena, &d->p, d->mass, &g->motion);
}

void share_hearing_take_motion(share_hearing *g) {
  const share_general *all = g->s->general;
  double *own = RANKS_TAKE(g->s->c, g->s->own_dofs + all->own_joints, double);
  for (int low = 0; low < 2; low++) {
    for (int64_t i = 0; i < g->s->own_dofs; i++) own[i] = low ? all->v[i].lo : all->v[i].hi;
    share_to_copies(&all->copies, own, low ? g->lo : g->hi);
  }
  for (int64_t k = 0; k < all->own_joints; k++) own[k] = fabs(all->gap[k].hi);
  share_general_all_joints(all, own, g->joint_gap);
  free(own);
}

double share_hearing_gap(const share_hearing *g) {
  ssi_norm sum = {0};
  for (int64_t k = 0; !g->s->rigid && k < g->s->general->joints; k++)
    ssi_norm_add(&sum, g->joint_gap[k]);
  return ssi_norm_value(sum);
}

double share_hearing_gap_of(const share_hearing *g, double component) {
  double size = 0;
  for (int64_t k = 0; !g->s->rigid && k < g->s->general->joints; k++)
    if (g->joint_of[k] == component) size = ssi_length2(size, g->joint_gap[k]);
  return size;
}

// The motion that reactions of all domains cause. hi, lo: impulses at the copies.
static ss_error move_general(share_hearing *g) {
  share *s = g->s;
  share_general *all = s->general;
  double *own = RANKS_TAKE(s->c, 2 * s->own_dofs, double);
  ssi_dd *impulse = RANKS_TAKE(s->c, s->own_dofs, ssi_dd);
  for (int k = 0; k < s->count; k++)
    for (int j = 0; j < s->domain[k].p.ndof; j++) {
      int leaf = s->domain[k].leaf[j], at = all->copies.first[k] + j;
      if (leaf >= 0) g->hi[at] = g->pairs[leaf].hi, g->lo[at] = g->pairs[leaf].lo;
    }
  share_from_copies(&all->copies, g->hi, own);
  share_from_copies(&all->copies, g->lo, own + s->own_dofs);
  for (int64_t i = 0; i < s->own_dofs; i++) impulse[i] = (ssi_dd){own[i], own[s->own_dofs + i]};
  ss_error e = all->joints && !all->l_known ? share_general_hold(all, impulse)
                                            : share_general_move(all, impulse, all->l);
  if (!e) share_hearing_take_motion(g);
  free(own);
  free(impulse);
  return e;
}

ss_error share_hearing_impulses(share_hearing *g) {
  share *s = g->s;
  ss_error e = SS_OK;
  for (int k = 0; k < s->count && !e; k++) {
    share_domain *d = &s->domain[k];
    e = take_motion(g, d);
    if (!e) ssi_motion_impulses(&g->motion, d->r);
    for (int j = 0; j < d->p.ndof && !e; j++) {
      ssi_dd own = g->motion.rhs[j];
      if (d->leaf[j] >= 0) g->pairs[d->leaf[j]] = own;
      if (!s->rigid) {
        int at = s->general->copies.first[k] + j;
        g->hi[at] = own.hi, g->lo[at] = own.lo;
      }
    }
  }
  share_sum_pairs(s, g->pairs);
  SS_TRY(ranks_agree(s->c, e));
  return s->rigid ? SS_OK : move_general(g);
}

static ss_error follow_general(share_hearing *g, const share_domain *d) {
  int at = g->s->general->copies.first[d - g->s->domain];
  for (int j = 0; j < d->p.ndof; j++) g->motion.v[j] = (ssi_dd){g->hi[at + j], g->lo[at + j]};
  ssi_motion_velocities(&g->motion);
  return SS_OK;
}

ss_error share_hearing_move(share_hearing *g, share_domain *d, bool reactions) {
  SS_TRY(take_motion(g, d));
  if (!g->s->rigid) return follow_general(g, d);
  if (reactions) ssi_motion_impulses(&g->motion, d->r);
  for (int j = 0; j < d->p.ndof; j++) {
    ssi_dd sum = ssi_dd_from(0);
    if (reactions) sum = d->leaf[j] >= 0 ? g->pairs[d->leaf[j]] : g->motion.rhs[j];
    g->motion.rhs[j] = ssi_dd_add_d(sum, -d->p.f[j]);
  }
  return ssi_motion_follow(&g->motion);
}
