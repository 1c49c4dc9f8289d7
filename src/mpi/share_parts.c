#include "mpi/share_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/share_general.h"
#include "problem/graph.h"

// ---- components ----------------------------------------------------------------------------

// Within one domain: its own components, and the smallest contact that each is known to reach.
typedef struct known_reach {
  int *of;          // component of each contact                 (nc)
  int *of_shared;   // of each dof that is heard of elsewhere, in order
  double *contact;  // INFINITY: none                            (count)
  int count;
} known_reach;

// Whether others hear of dof j of a domain: copies in other domains or, by way of M and joints, anyone.
static bool is_told(const share *s, const share_domain *d, int j) {
  return !s->rigid || d->leaf[j] >= 0;
}

static int number_of(known_reach *r, int *number, int leader) {
  if (!number[leader]) number[leader] = ++r->count;
  return number[leader] - 1;
}

static void begin_reach(share *s, share_domain *d, known_reach *out) {
  int nodes = d->p.nc + d->p.ndof, shared = 0;
  int *leader = RANKS_TAKE(s->c, 2 * (int64_t)nodes, int), *number = leader + nodes;
  int64_t first = (d->r - s->r) / s->dim;
  if (share_domain_rows(s, d)) ranks_die(s->c, 4, "out of memory for rows of H");
  ssi_contact_components(&d->p, leader);
  for (int j = 0; j < d->p.ndof; j++) shared += is_told(s, d, j);
  *out = (known_reach){RANKS_TAKE(s->c, d->p.nc, int), RANKS_TAKE(s->c, shared, int), NULL, 0};
  shared = 0;
  for (int i = 0; i < d->p.nc; i++) out->of[i] = number_of(out, number, leader[i]);
  for (int j = 0; j < d->p.ndof; j++)
    if (is_told(s, d, j)) out->of_shared[shared++] = number_of(out, number, leader[d->p.nc + j]);
  out->contact = RANKS_TAKE(s->c, out->count, double);
  for (int k = 0; k < out->count; k++) out->contact[k] = INFINITY;
  for (int i = 0; i < d->p.nc; i++) {
    double *known = &out->contact[out->of[i]];
    *known = fmin(*known, (double)share_number(s, first + i));  // exact: below 2^53
  }
  free(leader);
}

// The least number among the copies of each shared dof: share_sum with another operation.
static bool spread(share *s, known_reach *all, double *dof_label, double *joint_label) {
  int changed = 0, place = 0;
  double *told = s->rigid ? s->leaf : RANKS_TAKE(s->c, s->general->copies.first[s->count], double);
  for (int k = 0; k < s->count; k++)
    for (int j = 0, at = 0; j < s->domain[k].p.ndof; j++)
      if (is_told(s, &s->domain[k], j))
        told[s->rigid ? s->domain[k].leaf[j] : place++] = all[k].contact[all[k].of_shared[at++]];
  if (s->rigid)
    share_least(s);
  else
    share_general_spread(s->general, dof_label, joint_label, told);
  place = 0;
  for (int k = 0; k < s->count; k++)
    for (int j = 0, at = 0; j < s->domain[k].p.ndof; j++) {
      if (!is_told(s, &s->domain[k], j)) continue;
      double *known = &all[k].contact[all[k].of_shared[at++]];
      double heard = told[s->rigid ? s->domain[k].leaf[j] : place++];
      if (heard < *known) *known = heard, changed = 1;
    }
  if (!s->rigid) free(told);
  MPI_Allreduce(MPI_IN_PLACE, &changed, 1, MPI_INT, MPI_MAX, s->c->comm);
  return changed;
}

static double *no_labels(const ranks *c, int64_t count) {
  double *x = RANKS_TAKE(c, count, double);
  for (int64_t k = 0; k < count; k++) x[k] = INFINITY;
  return x;
}

// A number for each pair of a domain and a component in it.
static void number_parts(const share *s, const known_reach *all, share_parts *out) {
  int64_t at = 0;
  for (int k = 0; k < s->count; k++) {
    const share_domain *d = &s->domain[k];
    int *number = RANKS_TAKE(s->c, all[k].count, int);
    int first = out->count;
    for (int i = 0; i < d->p.nc; i++, at++) {
      int own = all[k].of[i];
      int64_t id = (int64_t)all[k].contact[own];
      if (!number[own]) {  // parts of one component may only be joined through other domains
        int same = -1;
        for (int p = first; p < out->count && same < 0; p++)
          if (out->component[p] == id) same = p;
        if (same < 0) {
          same = out->count++;
          out->component[same] = id;
          out->domain[same] = d->number;
        }
        number[own] = same + 1;
      }
      out->of[at] = number[own] - 1;
      if (share_number(s, at) == id) out->begins++;
    }
    free(number);
  }
}

void share_parts_find(share *s, share_parts *out) {
  *out = (share_parts){.component = RANKS_TAKE(s->c, s->nc, int64_t),
                       .domain = RANKS_TAKE(s->c, s->nc, int64_t),
                       .of = RANKS_TAKE(s->c, s->nc, int)};
  known_reach *all = RANKS_TAKE(s->c, s->count, known_reach);
  for (int k = 0; k < s->count; k++) begin_reach(s, &s->domain[k], &all[k]);
  double *dof_label = no_labels(s->c, s->rigid ? 0 : s->own_dofs);
  out->joint = no_labels(s->c, s->rigid ? 0 : s->general->own_joints);
  while (spread(s, all, dof_label, out->joint)) continue;
  free(dof_label);
  number_parts(s, all, out);
  for (int k = 0; k < s->count; k++) {
    free(all[k].of);
    free(all[k].of_shared);
    free(all[k].contact);
  }
  free(all);
}

void share_parts_release(share_parts *p) {
  free(p->component);
  free(p->domain);
  free(p->of);
  free(p->joint);
}

// ---- sums ----------------------------------------------------------------------------------

typedef struct brought {
  int64_t component, domain;
  int rank, part;
  share_tally tally;
} brought;

static int by_component(const void *a, const void *b) {
  const brought *x = a, *y = b;
  if (x->component != y->component) return x->component < y->component ? -1 : 1;
  return (x->domain > y->domain) - (x->domain < y->domain);
}

static void join(share_tally *t, const share_tally *other) {
  ssi_norm_join(&t->a, &other->a);
  ssi_norm_join(&t->b, &other->b);
  t->most = fmax(t->most, other->most);
}

static void add_equal(brought *all, int64_t count) {
  qsort(all, (size_t)count, sizeof *all, by_component);
  for (int64_t k = 0, end; k < count; k = end) {
    share_tally sum = all[k].tally;
    for (end = k + 1; end < count && all[end].component == all[k].component; end++)
      join(&sum, &all[end].tally);
    for (int64_t j = k; j < end; j++) all[j].tally = sum;
  }
}

void share_parts_add_up(const share *s, const share_parts *p, share_tally *tally) {
  brought *out = RANKS_TAKE(s->c, p->count, brought);
  int *to = RANKS_TAKE(s->c, p->count, int);
  int64_t count, replies;
  for (int k = 0; k < p->count; k++) {
    out[k] = (brought){p->component[k], p->domain[k], s->c->rank, k, tally[k]};
    to[k] = ranks_owner(s->contacts, s->c->size, p->component[k]);
  }
  brought *all = ranks_exchange(s->c, out, sizeof *out, to, p->count, &count);
  free(out);
  free(to);
  add_equal(all, count);
  to = RANKS_TAKE(s->c, count, int);
  for (int64_t k = 0; k < count; k++) to[k] = all[k].rank;
  brought *back = ranks_exchange(s->c, all, sizeof *all, to, count, &replies);
  for (int64_t k = 0; k < replies; k++) tally[back[k].part] = back[k].tally;
  free(all);
  free(back);
  free(to);
}
