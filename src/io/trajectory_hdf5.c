// A trajectory as HDF5: /samples has a dataset per column, /events one per property of an event.
#include <stdio.h>

#include "base/error.h"
#include "io/reader.h"
#include "io/trajectory.h"

#include "io/trajectory_scene.h"

typedef struct event_rows {
  double *time, *state;
  int *kind, *contact, *from, *to;
  int count;
} event_rows;

static void put_samples(ssi_image *w, const ss_trajectory *t, double *number, int *mode) {
  hid_t group = ssi_image_group(w, w->file, "samples");
  for (int k = 0; k < t->columns && !w->error; k++) {
    bool is_mode = t->column[k].kind == SS_COLUMN_MODE;
    for (int64_t i = 0; i < t->rows; i++) {
      number[i] = t->values[i * t->columns + k];
      if (is_mode) mode[i] = (int)number[i];
    }
    if (is_mode)
      ssi_image_ints(w, group, t->column[k].name, t->rows, mode);
    else
      ssi_image_doubles(w, group, t->column[k].name, t->rows, number);
  }
  ssi_image_leave(group);
}

static bool gather(ssi_arena *arena, const ss_trajectory *t, const ss_evolution *e,
                   event_rows *out) {
  int most = ss_evolution_event_count(e), n = t->states;
  ss_event x;
  *out = (event_rows){.time = SSI_TAKE(arena, most, double),
                      .state = SSI_TAKE(arena, (size_t)most * (size_t)n, double),
                      .kind = SSI_TAKE(arena, most, int),
                      .contact = SSI_TAKE(arena, most, int),
                      .from = SSI_TAKE(arena, most, int),
                      .to = SSI_TAKE(arena, most, int)};
  for (int i = 0; i < most && !arena->failed; i++) {
    if (ss_evolution_event(e, i, &x) || x.kind == SS_EVENT_START) continue;
    int k = out->count++;
    out->time[k] = x.time, out->kind[k] = (int)x.kind, out->contact[k] = x.contact;
    out->from[k] = (int)x.from, out->to[k] = (int)x.to;
    ss_trajectory_order(t, x.q, x.v, out->state + (size_t)k * (size_t)n);
  }
  return !arena->failed;
}

static void put_events(ssi_image *w, const ss_trajectory *t, const event_rows *x) {
  hid_t group = ssi_image_group(w, w->file, "events");
  hsize_t dims[2] = {(hsize_t)x->count, (hsize_t)t->states};
  ssi_image_doubles(w, group, "time", x->count, x->time);
  ssi_image_ints(w, group, "kind", x->count, x->kind);
  ssi_image_ints(w, group, "contact", x->count, x->contact);
  ssi_image_ints(w, group, "from", x->count, x->from);
  ssi_image_ints(w, group, "to", x->count, x->to);
  ssi_image_put(w, group, "state", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 2, dims, x->state);
  ssi_image_leave(group);
}

static const char *name_of(const ss_trajectory *t, int which) {
  for (int k = 0; k < t->states; k++)
    if (t->order[k] == which) return t->column[1 + k].name;
  return "";
}

// Which velocity belongs to which coordinate, "V:Q,V:Q,...": names alone do not say.
static void put_phases(ssi_image *w, const ss_trajectory *t, ssi_arena *arena) {
  const ss_mechanism *m = t->m;
  int pairs = m->nv < m->nq ? m->nv : m->nq;
  size_t room = (size_t)pairs * 2 * (SSI_COLUMN_NAME + 1) + 1, used = 0;
  char *text = SSI_TAKE(arena, room, char);
  if (!text) return;
  for (int i = 0; i < pairs; i++)
    used += (size_t)snprintf(text + used, room - used, "%s%s:%s", i ? "," : "",
                             name_of(t, m->nq + i), name_of(t, i));
  ssi_image_text(w, w->file, "phases", text);
}

static void put_head(ssi_image *w, const ss_trajectory *t, const ss_trajectory_note *notes) {
  ssi_image_text(w, w->file, "format", "stickslip trajectory");
  ssi_image_int(w, w->file, "version", 1);
  ssi_image_text(w, w->file, "mechanism", t->m->name);
  ssi_image_int(w, w->file, "dim", t->m->dim);
  ssi_image_int(w, w->file, "contacts", t->m->nc);
  for (; notes && notes->key; notes++) ssi_image_text(w, w->file, notes->key, notes->text);
}

ss_error ssi_trajectory_hdf5(ss_context *ctx, const char *path, const ss_trajectory *t,
                             const ss_evolution *e, const ss_trajectory_note *notes) {
  ssi_arena arena = {.ctx = ctx};
  double *number = SSI_TAKE(&arena, t->rows + 1, double);
  int *mode = SSI_TAKE(&arena, t->rows + 1, int);
  event_rows events;
  ssi_aside a = {0};
  ssi_image w;
  ss_error error =
      gather(&arena, t, e, &events) ? SS_OK : ssi_fail(ctx, SS_ERR_MEMORY, "%s: no memory", path);
  if (!error) error = ssi_aside_begin(ctx, path, &a);
  if (error) return ssi_arena_release(&arena), error;
  ssi_image_begin(&w, ctx, a.path, path);
  put_head(&w, t, notes);
  put_phases(&w, t, &arena);
  put_samples(&w, t, number, mode);
  put_events(&w, t, &events);
  error = ssi_trajectory_put_scene(&w, t, &arena);
  if (!error) ssi_image_save(&w);
  ss_error ended = ssi_image_end(&w);
  if (!error) error = ended;
  if (!error)
    error = ssi_aside_commit(ctx, &a);
  else
    ssi_aside_abandon(ctx, &a);
  ssi_arena_release(&arena);
  return error;
}
