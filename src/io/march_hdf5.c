// A record as HDF5: /steps has a dataset per column, /frames the displacements and contacts of every saved step,
// /model what does not change.
#include "base/error.h"
#include "io/march_record.h"
#include "io/reader.h"

#ifdef SS_WITH_HDF5
#include "io/hdf5_image.h"

static void put_steps(ssi_image *w, const ss_march_record *r, double *column) {
  hid_t group = ssi_image_group(w, w->file, "steps");
  for (int k = 0; ssi_march_columns[k] && !w->error; k++) {
    for (int f = 0; f < r->frames; f++) column[f] = r->step[f * SSI_MARCH_COLUMNS + k];
    ssi_image_doubles(w, group, ssi_march_columns[k], r->frames, column);
  }
  ssi_image_leave(group);
}

static void put_frames(ssi_image *w, const ss_march_record *r) {
  hid_t group = ssi_image_group(w, w->file, "frames");
  hsize_t frames = (hsize_t)r->frames, q[] = {frames, (hsize_t)r->s->ndof};
  hsize_t contact[] = {frames, 3, (hsize_t)r->s->nc, (hsize_t)r->s->dim};
  hsize_t state[] = {frames, (hsize_t)r->s->nc};
  ssi_image_put(w, group, "displacement", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 2, q, r->q);
  ssi_image_put(w, group, "force_velocity_gap", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 4, contact,
                r->contact);
  ssi_image_put(w, group, "state", H5T_STD_I32LE, H5T_NATIVE_INT, 2, state, r->state);
  ssi_image_leave(group);
}

static void put_model(ssi_image *w, const ss_march_record *r, double *place, int *node) {
  if (!r->bodies) return;
  const ss_mesh *m = r->bodies->mesh;
  hid_t group = ssi_image_group(w, w->file, "model");
  hsize_t x[] = {(hsize_t)m->nodes, (hsize_t)m->dim}, nc[] = {(hsize_t)r->s->nc, 7};
  for (int i = 0; i < r->s->nc; i++) {
    const ss_elastic_contact *c = &r->bodies->contacts[i];
    node[i] = c->node;
    for (int k = 0; k < 3; k++) place[7 * i + k] = c->point[k], place[7 * i + 3 + k] = c->normal[k];
    place[7 * i + 6] = c->share;
  }
  ssi_image_put(w, group, "nodes", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 2, x, m->x);
  ssi_image_ints(w, group, "element_first", m->elements.count + 1, m->elements.first);
  ssi_image_ints(w, group, "element_nodes", m->elements.first[m->elements.count], m->elements.node);
  ssi_image_ints(w, group, "contact_node", r->s->nc, node);
  ssi_image_put(w, group, "contact_point_normal_share", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 2, nc,
                place);
  ssi_image_leave(group);
}

ss_error ssi_march_hdf5(ss_context *ctx, const char *path, const ss_march_record *r) {
  ssi_arena arena = {.ctx = ctx};
  double *column = SSI_TAKE(&arena, r->frames + 1, double);
  double *place = SSI_TAKE(&arena, 7 * r->s->nc + 1, double);
  int *node = SSI_TAKE(&arena, r->s->nc + 1, int);
  ssi_aside a = {0};
  ssi_image w;
  ss_error e = arena.failed ? ssi_fail(ctx, SS_ERR_MEMORY, "%s: no memory", path)
                            : ssi_aside_begin(ctx, path, &a);
  if (e) return ssi_arena_release(&arena), e;
  ssi_image_begin(&w, ctx, a.path, path);
  ssi_image_text(&w, w.file, "format", "stickslip march");
  ssi_image_int(&w, w.file, "version", 1);
  ssi_image_int(&w, w.file, "dim", r->s->dim);
  put_steps(&w, r, column);
  put_frames(&w, r);
  put_model(&w, r, place, node);
  ssi_image_save(&w);
  e = ssi_image_end(&w);
  if (!e)
    e = ssi_aside_commit(ctx, &a);
  else
    ssi_aside_abandon(ctx, &a);
  ssi_arena_release(&arena);
  return e;
}
#else
ss_error ssi_march_hdf5(ss_context *ctx, const char *path, const ss_march_record *r) {
  (void)r;
  return ssi_fail(ctx, SS_ERR_UNSUPPORTED, "%s: HDF5 is not in this build; write .csv", path);
}
#endif
