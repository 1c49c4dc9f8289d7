// Motions in double-double (problem/motion.c) and components (problem/graph.c) where rows of M and G lie on several ranks.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/share_general.h"

// ---- double-double -------------------------------------------------------------------------

typedef struct joint_part {
  int64_t joint;
  ssi_dd x;
} joint_part;

// What rows of G add to joints, x = sum_i G_ij v_i of each named joint, into those of their owners.
static void add_joints(const share_general *g, const ssi_dd *parts, ssi_dd *own) {
  const share *s = g->s;
  joint_part *out = RANKS_TAKE(s->c, g->named_count, joint_part);
  int *to = RANKS_TAKE(s->c, g->named_count, int);
  int64_t count;
  for (int k = 0; k < g->named_count; k++) {
    out[k] = (joint_part){g->name[k], parts[k]};
    to[k] = ranks_owner(g->joints, s->c->size, g->name[k]);
  }
  joint_part *got = ranks_exchange(s->c, out, sizeof *out, to, g->named_count, &count);
  for (int64_t k = 0; k < count; k++) {
    ssi_dd *at = &own[got[k].joint - g->first_joint];
    *at = ssi_dd_add(*at, got[k].x);
  }
  free(out);
  free(to);
  free(got);
}

static void find_gap(share_general *g) {
  const share *s = g->s;
  ssi_dd *parts = RANKS_TAKE(s->c, g->named_count, ssi_dd);
  for (int64_t i = 0; i < s->own_dofs; i++)
    for (int64_t e = g->G_ptr[i]; e < g->G_ptr[i + 1]; e++) {
      ssi_dd *sum = &parts[g->joint[e]];
      ssi_dd_accumulate(sum, g->G[e].x, g->v[i].hi);
      sum->lo += g->G[e].x * g->v[i].lo;
    }
  for (int k = 0; k < g->named_count; k++) parts[k] = ssi_dd_finish(parts[k]);
  for (int64_t k = 0; k < g->own_joints; k++) g->gap[k] = ssi_dd_from(g->b[k]);
  add_joints(g, parts, g->gap);
  free(parts);
}

// rhs = impulse + G l - f
static ssi_dd *right_side(const share_general *g, const ssi_dd *impulse, const double *l) {
  const share *s = g->s;
  ssi_dd *rhs = RANKS_TAKE(s->c, s->own_dofs, ssi_dd);
  double *named = RANKS_TAKE(s->c, g->named_count, double);
  if (l) share_spread_out(s->c, g->named, l, named);
  for (int64_t i = 0; i < s->own_dofs; i++) {
    ssi_dd sum = ssi_dd_add_d(impulse ? impulse[i] : ssi_dd_from(0), -s->f[i]);
    for (int64_t e = g->G_ptr[i]; e < g->G_ptr[i + 1] && l; e++)
      ssi_dd_accumulate(&sum, g->G[e].x, named[g->joint[e]]);
    rhs[i] = ssi_dd_finish(sum);
  }
  free(named);
  return rhs;
}

ss_error share_general_move(share_general *g, const ssi_dd *impulse, const double *l) {
  enum { ROUNDS = 20 };
  const share *s = g->s;
  ssi_dd *rhs = right_side(g, impulse, l);
  double *step = RANKS_TAKE(s->c, s->own_dofs, double), last = INFINITY;
  ss_error e = SS_OK;
  for (int64_t i = 0; i < s->own_dofs; i++) g->v[i] = ssi_dd_from(0), step[i] = rhs[i].hi;
  for (int round = 0; round < ROUNDS && !e; round++) {
    e = share_general_solve_mass(g, step);
    for (int64_t i = 0; i < s->own_dofs && !e; i++) g->v[i] = ssi_dd_add_d(g->v[i], step[i]);
    double now = e ? 0 : share_rows_residual(&g->rows, rhs, g->v, step);
    if (now <= 0x1p-100 || !(now <= 0.5 * last)) break;
    last = now;
  }
  if (!e) find_gap(g);
  free(rhs);
  free(step);
  return e;
}

static double gap_size(const share_general *g) {
  double sum = 0;
  for (int64_t k = 0; k < g->own_joints; k++) sum += g->gap[k].hi * g->gap[k].hi;
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, g->s->c->comm);
  return sqrt(sum);
}

ss_error share_general_hold(share_general *g, const ssi_dd *impulse) {
  enum { PASSES = 6 };
  const share *s = g->s;
  double *none = RANKS_TAKE(s->c, 2 * s->own_dofs, double), *v = none + s->own_dofs;
  double *c = RANKS_TAKE(s->c, 2 * g->own_joints, double), *step = c + g->own_joints;
  for (int64_t k = 0; k < g->own_joints; k++) g->l[k] = 0;
  ss_error e = share_general_move(g, impulse, NULL);
  double last = INFINITY;
  for (int pass = 0; pass < PASSES && !e; pass++) {
    double now = gap_size(g);
    if (!(now > 0) || !(now <= 0.5 * last)) break;
    last = now;
    for (int64_t k = 0; k < g->own_joints; k++) c[k] = -g->gap[k].hi;
    e = share_saddle_solve(g, &g->held, none, c, v, step);
    for (int64_t k = 0; k < g->own_joints && !e; k++) g->l[k] += step[k];
    if (!e) e = share_general_move(g, impulse, g->l);
  }
  free(none);
  free(c);
  return e;
}

void share_general_all_joints(const share_general *g, const double *own, double *all) {
  const ranks *c = g->s->c;
  int *counts = RANKS_TAKE(c, 2 * c->size, int), *at = counts + c->size;
  for (int k = 0; k < c->size; k++) {
    at[k] = (int)ranks_first(g->joints, c->size, k);
    counts[k] = (int)ranks_first(g->joints, c->size, k + 1) - at[k];
  }
  MPI_Allgatherv(own, (int)g->own_joints, MPI_DOUBLE, all, counts, at, MPI_DOUBLE, c->comm);
  free(counts);
}

ss_error share_general_doubts(share_general *g, double *y) {
  const share *s = g->s;
  double *v = RANKS_TAKE(s->c, s->own_dofs + g->rows.ghosts, double);
  for (int64_t i = 0; i < s->own_dofs; i++) v[i] = g->v[i].hi;
  share_spread_out(s->c, g->rows.columns, v, v + s->own_dofs);
  for (int64_t i = 0; i < s->own_dofs; i++) {
    y[i] = fabs(s->f[i]);
    for (int64_t e = s->M_ptr[i]; e < s->M_ptr[i + 1]; e++)
      y[i] += fabs(s->M[e].x * v[g->rows.column[e]]);
  }
  ss_error e = share_general_solve_mass(g, y);
  for (int64_t i = 0; i < s->own_dofs; i++) y[i] = fabs(v[i]) + fabs(y[i]);
  free(v);
  return e;
}

void share_general_joint_terms(const share_general *g, const double *y, double *terms) {
  const share *s = g->s;
  ssi_dd *parts = RANKS_TAKE(s->c, g->named_count, ssi_dd);
  ssi_dd *own = RANKS_TAKE(s->c, g->own_joints, ssi_dd);
  for (int64_t i = 0; i < s->own_dofs; i++)
    for (int64_t e = g->G_ptr[i]; e < g->G_ptr[i + 1]; e++)
      parts[g->joint[e]].hi += fabs(g->G[e].x * y[i]);
  add_joints(g, parts, own);
  for (int64_t k = 0; k < g->own_joints; k++) terms[k] = fabs(g->b[k]) + own[k].hi;
  free(parts);
  free(own);
}

// ---- components ----------------------------------------------------------------------------

static bool lower(double *label, double x) {
  if (!(x < *label)) return false;
  *label = x;
  return true;
}

// Along the rows of M and G of this rank until nothing changes here.
static bool spread_here(const share_general *g, double *label, double *named) {
  const share *s = g->s;
  bool any = false, more = true;
  while (more) {
    more = false;
    for (int64_t k = 0; k < 2 * s->own_dofs; k++) {  // forth and back
      int64_t i = k < s->own_dofs ? k : 2 * s->own_dofs - 1 - k;
      double least = label[i];
      for (int64_t e = s->M_ptr[i]; e < s->M_ptr[i + 1]; e++)
        if (s->M[e].x != 0) least = fmin(least, label[g->rows.column[e]]);
      for (int64_t e = g->G_ptr[i]; e < g->G_ptr[i + 1]; e++)
        if (g->G[e].x != 0) least = fmin(least, named[g->joint[e]]);
      more = lower(&label[i], least) || more;
      for (int64_t e = s->M_ptr[i]; e < s->M_ptr[i + 1]; e++)
        if (s->M[e].x != 0) more = lower(&label[g->rows.column[e]], least) || more;
      for (int64_t e = g->G_ptr[i]; e < g->G_ptr[i + 1]; e++)
        if (g->G[e].x != 0) more = lower(&named[g->joint[e]], least) || more;
    }
    any = any || more;
  }
  return any;
}

bool share_general_spread(share_general *g, double *dof_label, double *joint_label,
                          double *copies) {
  const share *s = g->s;
  const ranks *c = s->c;
  double *label = RANKS_TAKE(c, s->own_dofs + g->rows.ghosts, double);
  double *named = RANKS_TAKE(c, g->named_count, double);
  int changed = 1, ever = 0;
  share_bring_in(c, g->copies.sf, MPI_MIN, copies, dof_label);
  while (changed) {
    memcpy(label, dof_label, sizeof *label * (size_t)s->own_dofs);
    share_spread_out(c, g->rows.columns, dof_label, label + s->own_dofs);
    share_spread_out(c, g->named, joint_label, named);
    changed = spread_here(g, label, named);
    memcpy(dof_label, label, sizeof *label * (size_t)s->own_dofs);
    share_bring_in(c, g->rows.columns, MPI_MIN, label + s->own_dofs, dof_label);
    share_bring_in(c, g->named, MPI_MIN, named, joint_label);
    MPI_Allreduce(MPI_IN_PLACE, &changed, 1, MPI_INT, MPI_MAX, c->comm);
    ever = ever || changed;
  }
  share_to_copies(&g->copies, dof_label, copies);
  free(label);
  free(named);
  return ever;
}
