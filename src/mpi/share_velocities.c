// Velocities of all dofs, in even shares: those that domains have after a verdict, and those that no contact touches.
#include <stdlib.h>
#include <string.h>

#include "mpi/share_general.h"
#include "mpi/share_judge.h"
#include "mpi/share_masses.h"

typedef struct moving {
  int64_t dof;
  double v;
} moving;

// Dofs that no contact touches move as f says.
static ss_error move_untouched(share *s, const bool *known, double *v) {
  share_masses m = {.dof = RANKS_TAKE(s->c, s->own_dofs, int64_t)};
  for (int64_t j = 0; j < s->own_dofs; j++)
    if (!known[j]) m.dof[m.count++] = s->first_dof + j;
  int wanted = m.count;
  int64_t *dof = RANKS_TAKE(s->c, wanted, int64_t);
  memcpy(dof, m.dof, sizeof *dof * (size_t)wanted);
  ssi_arena arena = {.ctx = s->c->ctx};
  ssi_factor *mass = NULL;
  ss_sparse M;
  ss_error e = share_masses_fetch(s, &m, 1);
  if (!e && m.count) {
    e = share_masses_matrix(&arena, &m, &M) ? ssi_factor_create(s->c->ctx, &M, &mass)
                                            : SS_ERR_MEMORY;
    for (int j = 0; j < m.count; j++) m.f[j] = -m.f[j];
    if (!e) e = ssi_factor_solve(mass, m.f, m.f);
    for (int j = 0; j < wanted && !e; j++)
      v[dof[j] - s->first_dof] = m.f[share_place(m.dof, m.count, dof[j])];
  }
  ssi_factor_destroy(mass);
  ssi_arena_release(&arena);
  share_masses_release(&m);
  free(dof);
  return ranks_agree(s->c, e);
}

ss_error share_dof_velocities(share *s, double **v) {
  if (!s->rigid) {
    *v = RANKS_TAKE(s->c, s->own_dofs, double);
    for (int64_t i = 0; i < s->own_dofs; i++) (*v)[i] = s->general->v[i].hi;
    return SS_OK;
  }
  int64_t total = 0, at = 0, count;
  for (int k = 0; k < s->count; k++) total += s->domain[k].p.ndof;
  moving *out = RANKS_TAKE(s->c, total, moving);
  int *to = RANKS_TAKE(s->c, total, int);
  for (int k = 0; k < s->count; k++)
    for (int j = 0; j < s->domain[k].p.ndof; j++, at++) {
      out[at] = (moving){s->domain[k].dof[j], s->domain[k].sweep.v[j]};
      to[at] = ranks_owner(s->dofs, s->c->size, s->domain[k].dof[j]);
    }
  moving *got = ranks_exchange(s->c, out, sizeof *out, to, total, &count);
  bool *known = RANKS_TAKE(s->c, s->own_dofs, bool);
  *v = RANKS_TAKE(s->c, s->own_dofs, double);
  for (int64_t k = 0; k < count; k++) {  // all copies have the same velocity
    (*v)[got[k].dof - s->first_dof] = got[k].v;
    known[got[k].dof - s->first_dof] = true;
  }
  free(out);
  free(to);
  free(got);
  ss_error e = move_untouched(s, known, *v);
  free(known);
  return e;
}
