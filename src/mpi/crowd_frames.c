// Rows of the run file: bodies and contacts go to the rank that writes them, by number.
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "dynamics/scene/imposed.h"
#include "la/vec3.h"
#include "mpi/crowd_run.h"

static int by_number(const void *a, const void *b) {
  const crowd_row *x = a, *y = b;
  return (x->number > y->number) - (x->number < y->number);
}

crowd_row *crowd_rows(const crowd *m) {
  const ranks *c = m->c;
  crowd_row *out = RANKS_TAKE(c, m->mine.count, crowd_row);
  int *to = RANKS_TAKE(c, m->mine.count, int);
  int64_t count;
  for (int64_t k = 0; k < m->mine.count; k++) {
    const crowd_body *b = m->mine.body + k;
    out[k] = (crowd_row){b->number, b->pose, {0}};
    memcpy(out[k].v, b->v, sizeof b->v);
    to[k] = ranks_owner(m->world.nb, c->size, b->number);
  }
  crowd_row *got = ranks_exchange(c, out, sizeof *out, to, m->mine.count, &count);
  qsort(got, (size_t)count, sizeof *got, by_number);
  free(out);
  free(to);
  return got;
}

static int by_reaction(const void *a, const void *b) {
  const crowd_reaction *x = a, *y = b;
  if (x->a != y->a) return x->a < y->a ? -1 : 1;
  if (x->b != y->b) return x->b < y->b ? -1 : 1;
  return (x->key > y->key) - (x->key < y->key);
}

crowd_reaction *crowd_rows_reactions(const crowd *m, int64_t *count) {
  int *to = RANKS_TAKE(m->c, m->mine.reactions, int);
  for (int64_t k = 0; k < m->mine.reactions; k++)
    to[k] = ranks_owner(m->world.nb, m->c->size, m->mine.reaction[k].a);
  crowd_reaction *got = ranks_exchange(m->c, m->mine.reaction, sizeof *m->mine.reaction, to,
                                       m->mine.reactions, count);
  qsort(got, (size_t)*count, sizeof *got, by_reaction);
  free(to);
  return got;
}

// ---- contacts ------------------------------------------------------------------------------

// Externals after all bodies, in their order.
static int64_t other_of(const crowd_run_contact *c) {
  return c->b >= 0 ? c->b : (int64_t)INT32_MAX + (SS_EXTERNAL - c->b);
}

static int by_contact(const void *a, const void *b) {
  const crowd_run_contact *x = a, *y = b;
  int64_t p = other_of(x), q = other_of(y);
  if (x->a != y->a) return x->a < y->a ? -1 : 1;
  if (p != q) return p < q ? -1 : 1;
  return (x->key > y->key) - (x->key < y->key);
}

static crowd_run_contact row_of(const crowd_local *l, const ss_sim_contact *c) {
  crowd_run_contact out = {.a = l->number[c->a],
                           .b = c->b >= 0 ? l->number[c->b] : c->b,
                           .key = c->key,
                           .gap = c->gap,
                           .state = (int)c->state};
  ssi_copy3(c->point, out.point);
  ssi_copy3(c->normal, out.normal);
  ssi_copy3(c->impulse, out.impulse);
  ssi_copy3(c->velocity, out.velocity);
  return out;
}

static crowd_run_contact *contact_rows(const crowd *m, int64_t *count) {
  const crowd_local *l = &m->here;
  int n = l->view.contact_count;
  crowd_run_contact *out = RANKS_TAKE(m->c, n, crowd_run_contact);
  int *to = RANKS_TAKE(m->c, n, int);
  for (int k = 0; k < n; k++) {
    out[k] = row_of(l, l->view.contact + k);
    to[k] = ranks_owner(m->world.nb, m->c->size, out[k].a);
  }
  crowd_run_contact *got = ranks_exchange(m->c, out, sizeof *out, to, n, count);
  qsort(got, (size_t)*count, sizeof *got, by_contact);
  free(out);
  free(to);
  return got;
}

static bool add_contacts(crowd_run *r, int64_t *total) {
  int64_t count = 0;
  crowd_run_contact *got = r->output.contacts ? contact_rows(r->m, &count) : NULL;
  ss_context *ctx = r->m->c->ctx;
  bool ok = ssi_grow(ctx, &r->contact, &r->contact_room, (size_t)(r->contacts + count),
                     (size_t)r->contacts, sizeof *got) &&
            ssi_grow(ctx, &r->frame_contacts, &r->frame_room, (size_t)r->frames + 1,
                     (size_t)r->frames, sizeof(int64_t));
  if (ok && count) memcpy(r->contact + r->contacts, got, sizeof *got * (size_t)count);
  if (ok) r->frame_contacts[r->frames] = count;
  if (ok) r->contacts += count;
  free(got);
  MPI_Allreduce(&count, total, 1, MPI_INT64_T, MPI_SUM, r->m->c->comm);
  return ok;
}

// ---- bodies --------------------------------------------------------------------------------

static void put_body(const ssi_world *w, const crowd_row *row, double *pose, double *velocity) {
  double R[9];
  memcpy(pose, row->pose.x, sizeof row->pose.x);
  memcpy(pose + 3, row->pose.q, sizeof row->pose.q);
  memset(velocity, 0, 6 * sizeof *velocity);
  for (int k = 0; k < w->dim; k++) velocity[k] = row->v[k];
  ss_rotation(row->pose.q, R);
  if (w->dim == 2)
    velocity[5] = row->v[2];
  else
    ssi_rotate3(R, row->v + 3, velocity + 3);
}

static bool add_bodies(crowd_run *r) {
  crowd_row *row = crowd_rows(r->m);
  ss_context *ctx = r->m->c->ctx;
  size_t own = (size_t)r->own, before = (size_t)r->frames * own, after = before + own;
  bool ok =
      ssi_grow(ctx, &r->pose, &r->pose_room, 7 * after + 1, 7 * before, sizeof(double)) &&
      ssi_grow(ctx, &r->velocity, &r->velocity_room, 6 * after + 1, 6 * before, sizeof(double));
  for (size_t k = 0; ok && k < own; k++)
    put_body(&r->m->world, row + k, r->pose + 7 * (before + k), r->velocity + 6 * (before + k));
  free(row);
  return ok;
}

static bool add_externals(crowd_run *r) {
  const ssi_world *w = &r->m->world;
  if (!w->ne) return true;
  double *row = ssi_run_row(r->m->c->ctx, &r->tables[SSI_FRAME_EXTERNAL]);
  for (int k = 0; row && k < w->ne; k++) {
    ss_pose pose;
    ssi_imposed_pose(w->external + k, r->m->now.time, &pose);
    memcpy(row + 7 * k, pose.x, sizeof pose.x);
    memcpy(row + 7 * k + 3, pose.q, sizeof pose.q);
  }
  return row;
}

static bool add_frame(crowd_run *r) {
  ss_context *ctx = r->m->c->ctx;
  int64_t contacts;
  bool ok = add_bodies(r);
  ok = add_contacts(r, &contacts) && ok;
  r->frames++;
  r->last_frame = r->m->now.step;
  if (r->m->c->rank) return ok;
  int32_t count = (int32_t)contacts;
  return ok && ssi_run_add(ctx, &r->tables[SSI_FRAME_STEP], &r->m->now.step) &&
         ssi_run_add(ctx, &r->tables[SSI_FRAME_TIME], &r->m->now.time) &&
         ssi_run_add(ctx, &r->tables[SSI_FRAME_CONTACTS], &count) && add_externals(r);
}

ss_error crowd_run_collect(crowd_run *r, const ss_step_info *info, bool frame) {
  ss_energy e;
  ssi_record_energy(&r->m->now, &e);
  bool ok = !info || r->m->c->rank || ssi_run_add_step(r->m->c->ctx, r->tables, &e, info);
  if (frame) ok = add_frame(r) && ok;
  r->fresh = false;
  return ranks_agree(r->m->c, ok ? SS_OK
                                 : ssi_fail(r->m->c->ctx, SS_ERR_MEMORY,
                                            "%s: no memory for the rows of a step", r->path));
}
