// Rows of a mechanism's motion: time, state, forces, modes, shares, slip and gaps of its contacts, energies.
#include "io/trajectory.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "io/reader.h"

static const char COMPONENTS[] = "NTS";  // normal, tangent, second tangent
enum { ENERGIES = 7 };
static const char *const energy_names[ENERGIES] = {"kinetic",      "potential",   "work_applied",
                                                   "work_contact", "work_impact", "work_scheme",
                                                   "closure"};

// ---- columns ------------------------------------------------------------------------------------

static void add(ss_trajectory *t, ss_column_kind kind, int contact, const char *format, ...) {
  ssi_column *c = &t->column[t->columns++];
  va_list args;
  va_start(args, format);
  vsnprintf(c->name, sizeof c->name, format, args);
  va_end(args);
  c->kind = kind, c->contact = contact;
}

static void add_states(ss_trajectory *t, const char *const *names) {
  const ss_mechanism *m = t->m;
  for (int k = 0; k < t->states; k++) {
    int at = t->order[k], i = at < m->nq ? at : at - m->nq;
    const char *prime = at < m->nq ? "" : "'";
    if (names)
      add(t, SS_COLUMN_NUMBER, -1, "%s", names[k]);
    else if (m->coordinate && i < m->nq)
      add(t, SS_COLUMN_NUMBER, -1, "%s%s", m->coordinate[i], prime);
    else
      add(t, SS_COLUMN_NUMBER, -1, "q%d%s", i, prime);
  }
}

// r_N, r_T, ..., with the contact's number where there are several.
static void add_contact(ss_trajectory *t, int i) {
  char number[16] = "";
  if (t->m->nc > 1) snprintf(number, sizeof number, "%d", i);
  add(t, SS_COLUMN_MODE, i, "mode%s", number);
  for (int k = 0; k < t->m->dim; k++) add(t, SS_COLUMN_NUMBER, i, "r_%c%s", COMPONENTS[k], number);
  add(t, SS_COLUMN_NUMBER, i, "share%s", number);
  add(t, SS_COLUMN_NUMBER, i, "gap%s", number);
  for (int k = 0; k < t->m->dim; k++) add(t, SS_COLUMN_NUMBER, i, "u_%c%s", COMPONENTS[k], number);
}

static ss_error set_up(ss_trajectory *t, const int *order, const char *const *names) {
  const ss_mechanism *m = t->m;
  t->states = m->nq + m->nv;
  t->order = SSI_TAKE(&t->arena, t->states, int);
  t->column = SSI_TAKE(&t->arena, 1 + t->states + m->nc * (3 + 2 * m->dim) + ENERGIES, ssi_column);
  if (t->arena.failed) return ssi_fail(t->ctx, SS_ERR_MEMORY, "no memory for a trajectory");
  for (int k = 0; k < t->states; k++) t->order[k] = order ? order[k] : k;
  add(t, SS_COLUMN_NUMBER, -1, "time");
  add_states(t, names);
  for (int i = 0; i < m->nc; i++) add_contact(t, i);
  for (int k = 0; k < ENERGIES; k++) add(t, SS_COLUMN_NUMBER, -1, "%s", energy_names[k]);
  return SS_OK;
}

ss_error ss_trajectory_create(ss_context *ctx, const ss_mechanism *m, const int *order,
                              const char *const *names, ss_trajectory **out) {
  if (!m || !out) return ssi_fail(ctx, SS_ERR_ARGUMENT, "a mechanism and a place are needed");
  *out = NULL;
  ssi_arena arena = {.ctx = ctx};
  ss_trajectory *t = SSI_TAKE(&arena, 1, ss_trajectory);
  if (!t) return ssi_fail(ctx, SS_ERR_MEMORY, "no memory for a trajectory");
  t->arena = arena, t->ctx = ctx, t->m = m;
  ss_error e = set_up(t, order, names);
  if (e) return ss_trajectory_destroy(t), e;
  *out = t;
  return SS_OK;
}

void ss_trajectory_destroy(ss_trajectory *t) {
  if (!t) return;
  ssi_release(t->ctx, t->values);
  ssi_arena_release_home(t->arena);
}

ss_error ss_trajectory_set_scene(ss_trajectory *t, const ss_machine *machine,
                                 const char *scene_text) {
  if (!t || !machine || !scene_text)
    return ssi_missing(t ? t->ctx : NULL, "ss_trajectory_set_scene");
  if (machine->kind || &machine->mechanism != t->m)
    return ssi_fail(t->ctx, SS_ERR_ARGUMENT, "the trajectory is not of a machine made of a scene");
  t->machine = machine, t->scene_text = scene_text;
  return SS_OK;
}

// ---- rows ---------------------------------------------------------------------------------------

void ss_trajectory_order(const ss_trajectory *t, const double *q, const double *v, double *state) {
  if (!t || !q || !v || !state) return;
  int nq = t->m->nq;
  for (int k = 0; k < t->states; k++)
    state[k] = t->order[k] < nq ? q[t->order[k]] : v[t->order[k] - nq];
}

static double *put_contact(const ss_trajectory *t, const ss_evolution_state *s, int i, double *at) {
  int d = t->m->dim;
  *at++ = s->modes[i];
  for (int k = 0; k < d; k++) *at++ = s->force[d * i + k];
  *at++ = s->share[i], *at++ = s->gap[i];
  for (int k = 0; k < d; k++) *at++ = s->slip[d * i + k];
  return at;
}

static ss_error make_room(ss_trajectory *t) {
  size_t rows = (size_t)t->rows, each = (size_t)t->columns * sizeof *t->values;
  if (ssi_grow(t->ctx, &t->values, &t->room, rows + 1, rows, each)) return SS_OK;
  return ssi_fail(t->ctx, SS_ERR_MEMORY, "no memory for row %lld", (long long)t->rows);
}

ss_error ss_trajectory_append(ss_trajectory *t, ss_evolution *e) {
  if (!t || !e) return ssi_missing(NULL, "ss_trajectory_append");
  ss_evolution_state s;
  ss_evolution_energy w;
  SS_TRY(make_room(t));
  t->steps = ss_evolution_scheme(e) != SS_SCHEME_EVENTS;
  SS_TRY(ss_evolution_energy_now(e, &w));
  SS_TRY(ss_evolution_state_now(e, &s));
  double *at = t->values + t->rows * t->columns;
  *at++ = s.time;
  ss_trajectory_order(t, s.q, s.v, at);
  at += t->states;
  for (int i = 0; i < t->m->nc; i++) at = put_contact(t, &s, i, at);
  const double energies[ENERGIES] = {w.kinetic, w.potential, w.applied, w.contact,
                                     w.impact,  w.scheme,    w.closure};
  memcpy(at, energies, sizeof energies);
  t->rows++;
  return SS_OK;
}

int64_t ss_trajectory_rows(const ss_trajectory *t) {
  if (!t) return 0;
  return t->rows;
}

int ss_trajectory_columns(const ss_trajectory *t) {
  if (!t) return 0;
  return t->columns;
}

ss_column ss_trajectory_column(const ss_trajectory *t, int index) {
  if (!t) return (ss_column){0};
  if (index < 0 || index >= t->columns) return (ss_column){"", SS_COLUMN_NUMBER, -1};
  const ssi_column *c = &t->column[index];
  return (ss_column){c->name, c->kind, c->contact};
}

int ss_trajectory_find(const ss_trajectory *t, const char *name) {
  if (!t || !name) return -1;
  for (int k = 0; name && k < t->columns; k++)
    if (strcmp(t->column[k].name, name) == 0) return k;
  return -1;
}

const double *ss_trajectory_row(const ss_trajectory *t, int64_t index) {
  if (!t) return NULL;
  return index >= 0 && index < t->rows ? t->values + index * t->columns : NULL;
}

// ---- files --------------------------------------------------------------------------------------

ss_error ss_trajectory_write(ss_context *ctx, const char *path, const ss_trajectory *t,
                             const ss_evolution *e, const ss_trajectory_note *notes) {
  if (!path || !t || !e)
    return ssi_fail(ctx, SS_ERR_ARGUMENT, "a path, a trajectory and its evolution are needed");
  if (ssi_ends_with(path, ".csv")) return ssi_trajectory_csv(ctx, path, t, e);
  if (ssi_ends_with(path, ".h5") || ssi_ends_with(path, ".hdf5"))
    return ssi_trajectory_hdf5(ctx, path, t, e, notes);
  return ssi_fail(ctx, SS_ERR_ARGUMENT, "%s: expected a name ending in .csv, .h5 or .hdf5", path);
}
