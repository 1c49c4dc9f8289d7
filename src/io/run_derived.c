// io/run_derived.c - see run_derived.h.
#include "io/run_derived.h"

#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "io/run_join.h"
#include "io/run_scene.h"

// ---- names and masses ----------------------------------------------------------------------------

// An array of texts of one length, padded with zeros.
static void put_texts(ssi_image *w, hid_t group, const char *name, int count, int size,
                      const char *texts) {
  hid_t type = H5Tcopy(H5T_C_S1);
  hsize_t length = (hsize_t)count;
  if (type < 0 || H5Tset_size(type, (size_t)size) < 0)
    ssi_image_library_failed(w, name);
  else
    ssi_image_put(w, group, name, type, type, 1, &length, texts);
  if (type >= 0) H5Tclose(type);
}

typedef const char *(*name_of)(const void *user, int k, char room[200]);

static void put_names(ssi_image *w, hid_t group, const char *set, int count, name_of name,
                      const void *user) {
  char room[200];
  size_t longest = 1;
  for (int k = 0; k < count; k++) {
    size_t n = strlen(name(user, k, room)) + 1;
    if (n > longest) longest = n;
  }
  ssi_arena arena = {.ctx = w->ctx};
  char *texts = ssi_arena_take(&arena, (size_t)count, longest);  // zeros
  if (arena.failed) return ssi_image_no_memory(w);
  for (int k = 0; k < count; k++) strcpy(texts + (size_t)k * longest, name(user, k, room));
  put_texts(w, group, set, count, (int)longest, texts);
  ssi_arena_release(&arena);
}

static const char *body_name(const void *sim, int k, char room[200]) {
  ss_simulation_name(sim, k, room, 200);
  return room;
}

static const char *external_name(const void *sim, int k, char room[200]) {
  return body_name(sim, -2 - k, room);
}

static const char *material_name(const void *scene, int k, char room[200]) {
  const char *name = ((const ss_scene *)scene)->materials[k].name;
  snprintf(room, 200, "%s", name ? name : "");
  return room;
}

static const char *joint_name(const void *scene, int k, char room[200]) {
  const char *name = ((const ss_scene *)scene)->joints[k].name;
  if (name)
    snprintf(room, 200, "%s", name);
  else
    snprintf(room, 200, "joint %d", k);
  return room;
}

static const char *joint_kind(const void *scene, int k, char room[200]) {
  (void)room;
  return ss_joint_kind_name(((const ss_scene *)scene)->joints[k].kind);
}

static void put_bodies(ssi_image *w, const ss_simulation *sim, int count) {
  hid_t group = ssi_image_group(w, w->file, "body");
  double *mass = ssi_alloc(w->ctx, (size_t)count + 1, 4 * sizeof *mass);
  int *material = ssi_alloc(w->ctx, (size_t)count + 1, sizeof *material);
  if (!mass || !material) ssi_image_no_memory(w);
  double *inertia = mass + count;
  for (int k = 0; !w->error && k < count; k++) {
    ss_sim_body b = {0};
    if (ss_simulation_body(sim, k, &b)) break;  // not for a k that is a body
    mass[k] = b.mass, material[k] = b.material;
    memcpy(inertia + 3 * k, b.inertia, sizeof b.inertia);
  }
  hsize_t dims[2] = {(hsize_t)count, 3};
  if (!w->error) put_names(w, group, "name", count, body_name, sim);
  if (!w->error) ssi_image_doubles(w, group, "mass", count, mass);
  ssi_image_put(w, group, "inertia", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 2, dims, inertia);
  if (!w->error) ssi_image_ints(w, group, "material", count, material);
  ssi_release(w->ctx, mass);
  ssi_release(w->ctx, material);
  ssi_image_leave(group);
}

static void put_externals(ssi_image *w, const ss_scene *scene, const ss_simulation *sim) {
  int count = scene->external_count;
  hid_t group = ssi_image_group(w, w->file, "external");
  int *material = ssi_alloc(w->ctx, (size_t)count + 1, sizeof *material);
  if (!material) ssi_image_no_memory(w);
  for (int k = 0; material && k < count; k++) material[k] = scene->externals[k].material;
  if (!w->error) put_names(w, group, "name", count, external_name, sim);
  if (!w->error) ssi_image_ints(w, group, "material", count, material);
  ssi_release(w->ctx, material);
  ssi_image_leave(group);
}

static void put_joints(ssi_image *w, const ss_scene *scene) {
  int count = scene->joint_count;
  if (!count) return;
  hid_t group = ssi_image_group(w, w->file, "joint");
  int *body = ssi_alloc(w->ctx, (size_t)count, 2 * sizeof *body);
  if (!body) ssi_image_no_memory(w);
  for (int k = 0; body && k < count; k++)
    body[2 * k] = scene->joints[k].a, body[2 * k + 1] = scene->joints[k].b;
  hsize_t dims[2] = {(hsize_t)count, 2};
  if (!w->error) put_names(w, group, "name", count, joint_name, scene);
  ssi_image_put(w, group, "body", H5T_STD_I32LE, H5T_NATIVE_INT, 2, dims, body);
  if (!w->error) put_names(w, group, "kind", count, joint_kind, scene);
  ssi_release(w->ctx, body);
  ssi_image_leave(group);
}

static void put_materials(ssi_image *w, const ss_scene *scene) {
  int count = scene->material_count;
  hid_t group = ssi_image_group(w, w->file, "material");
  double *x = ssi_alloc(w->ctx, (size_t)count + 1, 3 * sizeof *x);
  if (!x) ssi_image_no_memory(w);
  for (int k = 0; x && k < count; k++) {
    const ss_material *m = &scene->materials[k];
    x[k] = m->mu, x[count + k] = m->restitution, x[2 * count + k] = m->density;
  }
  if (!w->error) put_names(w, group, "name", count, material_name, scene);
  const char *const names[] = {"mu", "restitution", "density"};
  for (int n = 0; !w->error && n < 3; n++)
    ssi_image_doubles(w, group, names[n], count, x + n * count);
  ssi_release(w->ctx, x);
  ssi_image_leave(group);
}

void ssi_run_put_names(ssi_image *w, const ss_scene *scene, const ss_simulation *sim) {
  ss_sim_state state;
  ss_simulation_state(sim, &state);
  if (!w->error) put_bodies(w, sim, state.body_count);
  if (!w->error) put_externals(w, scene, sim);
  if (!w->error) put_joints(w, scene);
  if (!w->error) put_materials(w, scene);
}

// ---- energies and forces -------------------------------------------------------------------------

typedef struct derivation {
  ss_context *ctx;
  hid_t file;
  const ss_simulation *sim;
  const ssi_run_table *tables;
  const int64_t *rows;
  ssi_arena arena;
} derivation;

// Memory for some megabytes of a table's rows, and how many these are.
static int64_t block_of(const ssi_run_table *t) {
  int64_t rows = SSI_RUN_BLOCK / (int64_t)t->row_bytes;
  return rows > 0 ? rows : 1;
}

static void *room_for(derivation *d, const ssi_run_table *t, int64_t rows) {
  return ssi_arena_take(&d->arena, (size_t)rows, t->row_bytes);
}

static ss_error read(const derivation *d, int id, int64_t from, int64_t count, void *out) {
  return ssi_run_file_rows(d->ctx, d->file, &d->tables[id], from, count, out);
}

static ss_error kinetic_energies(derivation *d) {
  const ssi_run_table *pose = &d->tables[SSI_FRAME_POSE];
  ssi_run_table t = *pose;
  if (!pose->row_bytes) return SS_OK;
  t.name = "kinetic", t.width = 1, t.row_bytes = t.count * sizeof(double);
  int bodies = (int)t.count;
  int64_t most = block_of(pose), frames = d->rows[SSI_FRAME_POSE];
  double *x = room_for(d, pose, most), *out = room_for(d, &t, most);
  double *v = room_for(d, &d->tables[SSI_FRAME_VELOCITY], most);
  ss_sim_body *body = SSI_TAKE(&d->arena, bodies, ss_sim_body);
  if (d->arena.failed) return ssi_fail(d->ctx, SS_ERR_MEMORY, "kinetic: no memory");
  for (int k = 0; k < bodies; k++) SS_TRY(ss_simulation_body(d->sim, k, &body[k]));
  hid_t set;
  SS_TRY(ssi_run_file_create(d->ctx, d->file, &t, frames, &set));
  ss_error e = SS_OK;
  for (int64_t from = 0; !e && from < frames; from += most) {
    int64_t count = frames - from < most ? frames - from : most;
    e = read(d, SSI_FRAME_POSE, from, count, x);
    if (!e) e = read(d, SSI_FRAME_VELOCITY, from, count, v);
    for (int64_t k = 0; !e && k < count * bodies; k++) {
      ss_pose at;
      memcpy(at.q, x + 7 * k + 3, sizeof at.q);
      out[k] = ssi_run_kinetic(&body[k % bodies], &at, v + 6 * k);
    }
    if (!e) e = ssi_run_file_write(d->ctx, set, &t, from, count, out);
  }
  return ssi_run_file_leave(d->ctx, set, t.name, e);
}

// h of the step that ends in each frame; frame 0 has none.
static ss_error steps_of_frames(derivation *d, double *h, int32_t *contacts) {
  int64_t frames = d->rows[SSI_FRAME_STEP], steps = d->rows[SSI_STEP_H];
  int64_t *step = SSI_TAKE(&d->arena, frames, int64_t);
  double *all = SSI_TAKE(&d->arena, steps, double);
  if (d->arena.failed) return ssi_fail(d->ctx, SS_ERR_MEMORY, "force: no memory");
  SS_TRY(read(d, SSI_FRAME_STEP, 0, frames, step));
  SS_TRY(read(d, SSI_FRAME_CONTACTS, 0, frames, contacts));
  SS_TRY(read(d, SSI_STEP_H, 0, steps, all));
  for (int64_t k = 0; k < frames; k++)
    h[k] = step[k] > 0 && step[k] <= steps ? all[step[k] - 1] : 0;
  return SS_OK;
}

// The mean over the step, so the impulse over its h.
static ss_error contact_forces(derivation *d) {
  ssi_run_table t = d->tables[SSI_CONTACT_IMPULSE];
  t.name = "force";
  int64_t frames = d->rows[SSI_FRAME_STEP], total = d->rows[SSI_CONTACT_IMPULSE];
  int64_t most = block_of(&t), frame = 0, left = 0;  // of the frame's contacts
  double *h = SSI_TAKE(&d->arena, frames, double), *x = room_for(d, &t, most);
  int32_t *contacts = SSI_TAKE(&d->arena, frames, int32_t);
  if (d->arena.failed) return ssi_fail(d->ctx, SS_ERR_MEMORY, "force: no memory");
  SS_TRY(steps_of_frames(d, h, contacts));
  hid_t set;
  SS_TRY(ssi_run_file_create(d->ctx, d->file, &t, total, &set));
  ss_error e = SS_OK;
  if (frames) left = contacts[0];
  for (int64_t from = 0; !e && from < total; from += most) {
    int64_t count = total - from < most ? total - from : most;
    e = read(d, SSI_CONTACT_IMPULSE, from, count, x);
    for (int64_t k = 0; !e && k < count; k++, left--) {
      while (left == 0 && frame + 1 < frames) left = contacts[++frame];
      for (int i = 0; i < 3; i++) x[3 * k + i] = h[frame] > 0 ? x[3 * k + i] / h[frame] : 0;
    }
    if (!e) e = ssi_run_file_write(d->ctx, set, &t, from, count, x);
  }
  return ssi_run_file_leave(d->ctx, set, t.name, e);
}

ss_error ssi_run_put_derived(ss_context *ctx, hid_t file, const ss_simulation *sim,
                             const ssi_run_table tables[SSI_RUN_TABLE_COUNT],
                             const int64_t rows[SSI_RUN_TABLE_COUNT]) {
  derivation d = {ctx, file, sim, tables, rows, {.ctx = ctx}};
  ss_error e = kinetic_energies(&d);
  if (!e) e = contact_forces(&d);
  ssi_arena_release(&d.arena);
  return e;
}
