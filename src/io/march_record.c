#include "io/march_record.h"

#include <string.h>

#include "base/error.h"
#include "io/reader.h"

const char *const ssi_march_columns[] = {
    "step",    "time",      "solved",   "error",    "iterations", "contacts", "free",
    "stick",   "slip",      "force_n",  "force_t1", "force_t2",   "elastic",  "kinetic",
    "load",    "support",   "obstacle", "friction", "viscous",    "closing",  "integrator",
    "closure", "gap_least", "time_s",   NULL};

ss_error ss_march_record_create(ss_context *ctx, const ss_structure *s, const ss_elastic *bodies,
                                ss_march_record **out) {
  if (!s || !out) return ssi_fail(ctx, SS_ERR_ARGUMENT, "ss_march_record_create: null argument");
  *out = ssi_alloc(ctx, 1, sizeof **out);
  if (!*out) return ssi_fail(ctx, SS_ERR_MEMORY, "no memory for a record");
  **out = (ss_march_record){.ctx = ctx, .s = s, .bodies = bodies, .m = s->dim * s->nc};
  return SS_OK;
}

void ss_march_record_destroy(ss_march_record *r) {
  if (!r) return;
  ssi_release(r->ctx, r->step);
  ssi_release(r->ctx, r->q);
  ssi_release(r->ctx, r->contact);
  ssi_release(r->ctx, r->state);
  ssi_release(r->ctx, r);
}

// Sums of the forces in contact frames, and the smallest gap.
static void sum_contacts(const ss_march_record *r, const ss_march_view *v, double sum[3],
                         double *least) {
  *least = r->s->nc ? v->gap[0] : 0;
  for (int i = 0; i < r->m; i++) {
    sum[i % r->s->dim] += v->r[i];
    if (i % r->s->dim == 0 && v->gap[i] < *least) *least = v->gap[i];
  }
}

ss_error ss_march_record_append(ss_march_record *r, const ss_march *m, const ss_march_info *info) {
  if (!r || !m || !info) return ssi_missing(NULL, "ss_march_record_append");
  size_t k = (size_t)r->frames, n = (size_t)r->s->ndof, c = 3 * (size_t)r->m;
  size_t nc = (size_t)r->s->nc;
  if (!ssi_grow(r->ctx, &r->step, &r->step_room, k + 1, k, SSI_MARCH_COLUMNS * sizeof(double)) ||
      !ssi_grow(r->ctx, &r->q, &r->q_room, (k + 1) * n, k * n, sizeof(double)) ||
      !ssi_grow(r->ctx, &r->contact, &r->contact_room, (k + 1) * c + 1, k * c, sizeof(double)) ||
      !ssi_grow(r->ctx, &r->state, &r->state_room, (k + 1) * nc + 1, k * nc, sizeof(int)))
    return ssi_fail(r->ctx, SS_ERR_MEMORY, "no memory for %d saved states", r->frames + 1);
  ss_march_view v;
  ss_march_energy w;
  double sum[3] = {0}, least;
  ss_march_look(m, &v);
  ss_march_get_energy(m, &w);
  sum_contacts(r, &v, sum, &least);
  double row[SSI_MARCH_COLUMNS] = {(double)info->step,
                                   v.time,
                                   info->status == SS_SOLVED,
                                   info->error,
                                   info->iterations,
                                   info->contacts,
                                   info->states[SS_FREE],
                                   info->states[SS_STICK],
                                   info->states[SS_SLIP],
                                   sum[0],
                                   sum[1],
                                   sum[2],
                                   w.elastic,
                                   w.kinetic,
                                   w.load,
                                   w.support,
                                   w.obstacle,
                                   w.friction,
                                   w.viscous,
                                   w.closing,
                                   w.integrator,
                                   w.closure,
                                   least,
                                   info->time_s};
  memcpy(r->step + k * SSI_MARCH_COLUMNS, row, sizeof row);
  memcpy(r->q + k * n, v.q, n * sizeof(double));
  size_t bytes = (size_t)r->m * sizeof(double);
  memcpy(r->contact + k * c, v.r, bytes);
  memcpy(r->contact + k * c + r->m, v.u, bytes);
  memcpy(r->contact + k * c + 2 * (size_t)r->m, v.gap, bytes);
  for (size_t i = 0; i < nc; i++) r->state[k * nc + i] = (int)v.states[i];
  r->frames++;
  return SS_OK;
}

ss_error ss_march_record_write(ss_context *ctx, const char *path, const ss_march_record *r) {
  if (!path || !r) return ssi_missing(ctx, "ss_march_record_write");
  if (ssi_ends_with(path, ".csv")) return ssi_march_csv(ctx, path, r);
  if (ssi_ends_with(path, ".h5") || ssi_ends_with(path, ".hdf5"))
    return ssi_march_hdf5(ctx, path, r);
  if (ssi_ends_with(path, ".pvd")) return ssi_march_vtk(ctx, path, r);
  return ssi_fail(ctx, SS_ERR_ARGUMENT, "%s: expected a name ending in .csv, .h5, .hdf5 or .pvd",
                  path);
}
