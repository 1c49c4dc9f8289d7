// The mass of contact nodes given to the others [KLR08]: contact nodes without inertia do not chatter. Element by
// element, what nodes of contacts would carry of a lumped mass goes in equal parts to its other nodes, so that
// the mass of every element, and of the body, stays; M is diagonal.
//
// [KLR08] H. B. Khenous, P. Laborde, Y. Renard, Mass redistribution method for finite element contact problems in
//         elastodynamics, Eur. J. Mech. A/Solids 27 (2008) 918-932. (There the moments of inertia are kept too.)
#include <string.h>

#include "base/error.h"
#include "elastic/body.h"

static ss_error spread(ssi_building *b, const bool *touches, double *mass) {
  const ss_mesh *m = b->mesh;
  const ss_cells *c = &m->elements;
  for (int k = 0; k < c->count; k++) {
    const ssi_cell_kind *e = ssi_element_of(c->kind[k]);
    double x[3 * SSI_ELEMENT_NODES], whole = 0;
    int others = 0;
    ssi_cell_places(m, c, k, x);
    for (int point = 0; point < e->points; point++) {
      ssi_gauss at;
      ssi_gauss_at(e, x, m->dim, point, &at);
      whole += at.weight;
    }
    whole *= b->solid.thickness * b->scene->materials[b->solid.of[c->group[k]]].rho;
    for (int p = c->first[k]; p < c->first[k + 1]; p++) others += !touches[c->node[p]];
    if (!others)
      return ssi_fail(b->ctx, SS_ERR_DATA,
                      "mass redistribution: every node of element %d may touch something", k);
    for (int p = c->first[k]; p < c->first[k + 1]; p++)
      if (!touches[c->node[p]]) mass[c->node[p]] += whole / others;
  }
  return SS_OK;
}

ss_error ssi_redistributed_mass(ssi_building *b, ss_sparse *out) {
  int n = b->mesh->nodes * b->mesh->dim;
  ssi_arena scratch = {.ctx = b->ctx};
  bool *touches = SSI_TAKE(&scratch, b->mesh->nodes + 1, bool);
  double *mass = SSI_TAKE(&scratch, b->mesh->nodes + 1, double);
  int64_t *ptr = SSI_TAKE(b->arena, (size_t)n + 1, int64_t);
  int *col = SSI_TAKE(b->arena, n, int);
  double *x = SSI_TAKE(b->arena, n, double);
  ss_error e = scratch.failed || b->arena->failed ? ssi_body_no_memory(b->ctx) : SS_OK;
  for (int k = 0; !e && k < b->touch_count; k++) {
    touches[b->touch[k].is.node] = true;
    for (int p = 0; p < b->touch[k].masters; p++) touches[b->touch[k].master[p]] = true;
  }
  if (!e) e = spread(b, touches, mass);
  for (int i = 0; !e && i < n; i++) ptr[i + 1] = i + 1, col[i] = i, x[i] = mass[i / b->mesh->dim];
  ssi_arena_release(&scratch);
  *out = (ss_sparse){n, n, ptr, col, x};
  return e;
}
