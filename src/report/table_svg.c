// Single pictures of a file of tables: a mechanism's trajectory (docs/formats-run.md), a run of elastic bodies (elastic.md).
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "report/deformation_svg.h"
#include "stickslip/report.h"

#ifdef SS_WITH_HDF5
#include "io/hdf5_node.h"
#include "io/trajectory.h"
#include "report/played_scene.h"
#include "report/scene_svg.h"

typedef struct table_file {
  ss_context *ctx;
  ssi_h5 h5;
  ssi_h5_node root;
  ssi_arena arena;
  bool march;  // else a trajectory
  int dim;
  double time;
  const char *title;
} table_file;

// ---- curves ----------------------------------------------------------------------------------

enum { CURVES = 8 };
typedef struct table_curves {
  const char *y_name;
  const char *columns[CURVES];  // a column, or the beginning of the names of several: "r_*"
  bool log;
} table_curves;

static const table_curves of_march[] = {
    [SS_PICTURE_FORCES] = {"force", {"force_n", "force_t1", "force_t2"}, false},
    [SS_PICTURE_ENERGY] = {"energy", {"elastic", "kinetic"}, false},
    [SS_PICTURE_WORK] = {"work",
                         {"load", "support", "obstacle", "friction", "viscous", "integrator"},
                         false},
    [SS_PICTURE_CONTACTS] = {"contacts", {"free", "stick", "slip"}, false},
    [SS_PICTURE_ERROR] = {"log10 error", {"error"}, true},
    [SS_PICTURE_ITERATIONS] = {"iterations", {"iterations"}, false},
    [SS_PICTURE_TIME] = {"seconds of computing", {"time_s"}, false},
};
static const table_curves of_trajectory[] = {
    [SS_PICTURE_FORCES] = {"force", {"r_*"}, false},
    [SS_PICTURE_ENERGY] = {"energy", {"kinetic", "potential"}, false},
    [SS_PICTURE_WORK] = {"work",
                         {"work_applied", "work_contact", "work_impact", "work_scheme"},
                         false},
    [SS_PICTURE_CONTACTS] = {"gap", {"gap*"}, false},
    [SS_PICTURE_ERROR] = {"log10 of the energy unexplained", {"closure"}, true},
};

static ss_error no_memory(table_file *f) {
  return ssi_fail(f->ctx, SS_ERR_MEMORY, "%s: no memory", f->h5.in->name);
}

static const table_curves *curves_for(const table_file *f, ss_run_picture kind) {
  size_t count =
      f->march ? sizeof of_march / sizeof *of_march : sizeof of_trajectory / sizeof *of_trajectory;
  const table_curves *found = (f->march ? of_march : of_trajectory) + kind;
  return (size_t)kind < count && found->y_name ? found : NULL;
}

static bool is_called(const char *name, const char *column) {
  size_t n = strlen(column);
  if (column[n - 1] != '*') return strcmp(name, column) == 0;
  return strncmp(name, column, n - 1) == 0;
}

static bool says_something(const double *y, uint64_t n) {
  for (uint64_t k = 0; k < n; k++)
    if (isfinite(y[k]) && y[k] != 0) return true;
  return false;
}

typedef struct found_curves {
  ss_curve curves[CURVES];
  int count;
  uint64_t rows;
} found_curves;

// All columns of this name, of as many rows as the time has.
static ss_error find_column(table_file *f, const ssi_h5_node *group, const char *column, bool log,
                            found_curves *out) {
  char name[128];
  for (uint64_t k = 0; out->count < CURVES && ssi_h5_name_at(group, k, name, sizeof name); k++) {
    ssi_h5_shape shape;
    double *y;
    if (!is_called(name, column)) continue;
    SS_TRY(ssi_h5_table(&f->h5, group, name, &f->arena, &shape, &y));
    if (shape.rank != 1 || shape.count != out->rows || !says_something(y, out->rows)) continue;
    for (uint64_t i = 0; log && i < out->rows; i++) y[i] = y[i] > 0 ? log10(y[i]) : NAN;
    char *label = SSI_TAKE(&f->arena, strlen(name) + 1, char);
    if (!label) return no_memory(f);
    memcpy(label, name, strlen(name));
    out->curves[out->count++] = (ss_curve){label, y};
  }
  return SS_OK;
}

static ss_error draw_curves(table_file *f, const table_curves *of, char **out) {
  ssi_h5_node group;
  ssi_h5_shape shape;
  double *time;
  SS_TRY(ssi_h5_required_group(&f->h5, &f->root, f->march ? "steps" : "samples", &group));
  SS_TRY(ssi_h5_table(&f->h5, &group, "time", &f->arena, &shape, &time));
  found_curves found = {.rows = shape.count};
  for (int k = 0; k < CURVES && of->columns[k]; k++)
    SS_TRY(find_column(f, &group, of->columns[k], of->log, &found));
  ssi_h5_leave(&group);
  if (shape.count < 2 || shape.count > INT32_MAX || found.count == 0)
    return ssi_fail(f->ctx, SS_ERR_ARGUMENT,
                    "%s: nothing to draw of %s: %llu rows, all of it 0 or not there",
                    f->h5.in->name, of->y_name, (unsigned long long)shape.count);
  ss_curves c = {.title = f->title,
                 .x_name = "time",
                 .y_name = of->y_name,
                 .count = (int)shape.count,
                 .x = time,
                 .curves = found.curves,
                 .curve_count = found.count,
                 .whole = true};
  return ss_curves_svg(f->ctx, &c, out);
}

// ---- phase portraits -------------------------------------------------------------------------

// "mode" of the only contact, or "mode3" of one of several.
static bool names_modes(const char *name) {
  return strncmp(name, "mode", 4) == 0 && strspn(name + 4, "0123456789") == strlen(name + 4);
}

static bool are_modes(const double *x, int64_t count, int dim) {
  for (int64_t k = 0; k < count; k++)
    if (!(x[k] >= 0 && x[k] < 100) || x[k] != floor(x[k]) || !ss_mode_name(dim, (ss_mode)x[k]))
      return false;
  return true;
}

// The samples as a trajectory again: what its pictures need of it.
static ss_error load_samples(table_file *f, ss_mechanism *m, ss_trajectory *t) {
  ssi_h5_node group;
  char name[128];
  int columns = 0;
  SS_TRY(ssi_h5_required_group(&f->h5, &f->root, "samples", &group));
  while (ssi_h5_name_at(&group, (uint64_t)columns, name, sizeof name)) columns++;
  double **column = SSI_TAKE(&f->arena, columns, double *);
  t->column = SSI_TAKE(&f->arena, columns, ssi_column);
  if (f->arena.failed) return no_memory(f);
  for (int k = 0; k < columns; k++) {
    ssi_h5_shape shape;
    double *x;
    if (!ssi_h5_name_at(&group, (uint64_t)k, name, sizeof name)) continue;
    SS_TRY(ssi_h5_table(&f->h5, &group, name, &f->arena, &shape, &x));
    if (t->columns == 0) t->rows = (int64_t)shape.count;
    if (shape.rank != 1 || (int64_t)shape.count != t->rows)
      return ssi_fail(f->ctx, SS_ERR_FORMAT, "%s: /samples/%.40s: not of %lld rows", f->h5.in->name,
                      name, (long long)t->rows);
    ssi_column *c = &t->column[t->columns];
    snprintf(c->name, sizeof c->name, "%.39s", name);
    c->kind = names_modes(name) ? SS_COLUMN_MODE : SS_COLUMN_NUMBER;
    if (c->kind == SS_COLUMN_MODE && !are_modes(x, t->rows, m->dim))
      return ssi_fail(f->ctx, SS_ERR_FORMAT, "%s: /samples/%s: a number that is no mode",
                      f->h5.in->name, name);
    m->nc += c->kind == SS_COLUMN_MODE;
    column[t->columns++] = x;
  }
  ssi_h5_leave(&group);
  int time = ss_trajectory_find(t, "time");
  if (time < 0 || (m->nc == 1 && ss_trajectory_find(t, "mode") < 0))
    return ssi_fail(f->ctx, SS_ERR_FORMAT, "%s: /samples: has no time, or no mode", f->h5.in->name);
  ssi_column first = t->column[0];  // trajectories begin with the time
  double *values = column[0];
  t->column[0] = t->column[time], t->column[time] = first;
  column[0] = column[time], column[time] = values;
  t->values = SSI_TAKE(&f->arena, (size_t)t->rows * (size_t)t->columns, double);
  if (f->arena.failed) return no_memory(f);
  for (int64_t i = 0; i < t->rows; i++)
    for (int k = 0; k < t->columns; k++) t->values[i * t->columns + k] = column[k][i];
  return SS_OK;
}

static bool stands_still(const ss_trajectory *t, const char *name) {
  int k = ss_trajectory_find(t, name);
  for (int64_t i = 1; k >= 0 && i < t->rows; i++)
    if (t->values[i * t->columns + k] != t->values[k]) return false;
  return true;
}

// Of "V:Q,V:Q,..." those whose velocity changes, at most so many.
static void keep_moving(const ss_trajectory *t, char *pairs, int most) {
  char *to = pairs;
  for (char *at = pairs, *next; at && *at && most > 0; at = next) {
    next = strchr(at, ',');
    if (next) *next++ = 0;
    char name[SSI_COLUMN_NAME];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(at, ":"), at);
    if (stands_still(t, name)) continue;
    size_t length = strlen(at);
    if (to != pairs) *to++ = ',';
    memmove(to, at, length);
    to += length, most--;
  }
  *to = 0;
}

static ss_error draw_phases(table_file *f, char **out) {
  const char *pairs, *scheme;
  SS_TRY(ssi_h5_text(&f->h5, &f->root, "phases", &f->arena, &pairs));
  SS_TRY(ssi_h5_text(&f->h5, &f->root, "scheme", &f->arena, &scheme));
  if (!pairs)
    return ssi_fail(
        f->ctx, SS_ERR_FORMAT,
        "%s: /phases: not there: an older file, which does not say what belongs together",
        f->h5.in->name);
  ss_mechanism m = {.dim = f->dim};
  ss_trajectory t = {.ctx = f->ctx, .m = &m, .steps = scheme && strcmp(scheme, "events") != 0};
  SS_TRY(load_samples(f, &m, &t));
  char *moving = SSI_TAKE(&f->arena, strlen(pairs) + 1, char);
  if (!moving) return no_memory(f);
  memcpy(moving, pairs, strlen(pairs));
  keep_moving(&t, moving, 12);
  if (!*moving) return ssi_fail(f->ctx, SS_ERR_ARGUMENT, "%s: nothing moves", f->h5.in->name);
  return ss_trajectory_svg(f->ctx, &t,
                           &(ss_trajectory_caption){.title = f->title, .panels = moving}, out);
}

// ---- elastic bodies --------------------------------------------------------------------------

typedef struct mesh_tables {
  double *x, *first, *node, *contact_node, *contact_place, *time, *q, *contact, *state;
  ssi_h5_shape x_shape, first_shape, node_shape, contact_shape, place_shape, time_shape, q_shape,
      force_shape, state_shape;
} mesh_tables;

static ss_error read_mesh(table_file *f, mesh_tables *m) {
  ssi_h5_node model, frames, steps;
  SS_TRY(ssi_h5_group(&f->h5, &f->root, "model", &model));
  if (model.id < 0)
    return ssi_fail(f->ctx, SS_ERR_UNSUPPORTED,
                    "%s: no mesh in it: a structure given by its matrices", f->h5.in->name);
  SS_TRY(ssi_h5_required_group(&f->h5, &f->root, "frames", &frames));
  SS_TRY(ssi_h5_required_group(&f->h5, &f->root, "steps", &steps));
  SS_TRY(ssi_h5_table(&f->h5, &model, "nodes", &f->arena, &m->x_shape, &m->x));
  SS_TRY(ssi_h5_table(&f->h5, &model, "element_first", &f->arena, &m->first_shape, &m->first));
  SS_TRY(ssi_h5_table(&f->h5, &model, "element_nodes", &f->arena, &m->node_shape, &m->node));
  SS_TRY(
      ssi_h5_table(&f->h5, &model, "contact_node", &f->arena, &m->contact_shape, &m->contact_node));
  SS_TRY(ssi_h5_table(&f->h5, &model, "contact_point_normal_share", &f->arena, &m->place_shape,
                      &m->contact_place));
  SS_TRY(ssi_h5_table(&f->h5, &steps, "time", &f->arena, &m->time_shape, &m->time));
  SS_TRY(ssi_h5_table(&f->h5, &frames, "displacement", &f->arena, &m->q_shape, &m->q));
  SS_TRY(
      ssi_h5_table(&f->h5, &frames, "force_velocity_gap", &f->arena, &m->force_shape, &m->contact));
  return ssi_h5_table(&f->h5, &frames, "state", &f->arena, &m->state_shape, &m->state);
}

// Sizes agree and every index is inside: a file may be damaged.
static bool is_consistent(const mesh_tables *m) {
  uint64_t nodes = m->x_shape.count / 2, elements = m->first_shape.count - 1,
           nc = m->contact_shape.count;
  uint64_t frames = m->time_shape.count;
  bool good = m->first_shape.count > 0 && frames > 0 && nodes < INT32_MAX &&
              m->node_shape.count < INT32_MAX && m->q_shape.count == 2 * nodes * frames &&
              m->place_shape.count == 7 * nc && m->force_shape.count == 6 * nc * frames &&
              m->state_shape.count == nc * frames;
  for (uint64_t k = 0; good && k < elements; k++) {
    double from = m->first[k], to = m->first[k + 1], size = to - from;
    good = from >= 0 && to <= (double)m->node_shape.count &&
           (size == 3 || size == 4 || size == 6 || size == 9);
  }
  for (uint64_t k = 0; good && k < m->node_shape.count; k++)
    good = m->node[k] >= 0 && m->node[k] < (double)nodes;
  for (uint64_t k = 0; good && k < nc; k++)
    good = m->contact_node[k] >= 0 && m->contact_node[k] < (double)nodes;
  return good;
}

static const int *as_ints(ssi_arena *arena, const double *x, uint64_t count) {
  int *out = SSI_TAKE(arena, count, int);
  for (uint64_t k = 0; out && k < count; k++) out[k] = (int)x[k];
  return out;
}

// Of the times of saved states the one that is nearest.
static ss_error frame_nearest(const table_file *f, const double *times, uint64_t count,
                              uint64_t *best) {
  *best = count - 1;
  SS_TRY(ssi_beyond_the_end(f->ctx, f->h5.in->name, f->time, times[count - 1]));
  for (uint64_t k = 0; isfinite(f->time) && k < count; k++)
    if (fabs(times[k] - f->time) < fabs(times[*best] - f->time)) *best = k;
  return SS_OK;
}

// How far the elements have moved, in the mean of their nodes.
static const double *distances(ssi_arena *arena, const ssi_deformation *of) {
  double *value = SSI_TAKE(arena, of->elements, double);
  for (int k = 0; value && k < of->elements; k++) {
    int from = of->first[k], to = of->first[k + 1];
    for (int p = from; p < to; p++) {
      const double *q = of->q + 2 * (size_t)of->node[p];
      value[k] += hypot(q[0], q[1]) / (to - from);
    }
  }
  return value;
}

static const ssi_deformed_contact *contacts_at(ssi_arena *arena, const mesh_tables *m,
                                               uint64_t frame) {
  uint64_t nc = m->contact_shape.count;
  const double *r = m->contact + frame * 6 * nc, *gap = r + 4 * nc, *state = m->state + frame * nc;
  ssi_deformed_contact *out = SSI_TAKE(arena, nc, ssi_deformed_contact);
  for (uint64_t i = 0; out && i < nc; i++)
    out[i] =
        (ssi_deformed_contact){.node = (int)m->contact_node[i],
                               .normal = {m->contact_place[7 * i + 3], m->contact_place[7 * i + 4]},
                               .r = {r[2 * i], r[2 * i + 1]},
                               .gap = gap[2 * i],
                               .state = state[i] == 1   ? SS_STICK
                                        : state[i] == 2 ? SS_SLIP
                                                        : SS_FREE,
                               .obstacle = -1};
  return out;
}

static ss_error draw_bodies(table_file *f, char **out) {
  mesh_tables m = {0};
  if (f->dim != 2)
    return ssi_fail(f->ctx, SS_ERR_UNSUPPORTED, "%s: bodies in space; only plane ones are drawn",
                    f->h5.in->name);
  SS_TRY(read_mesh(f, &m));
  if (!is_consistent(&m))
    return ssi_fail(f->ctx, SS_ERR_FORMAT,
                    "%s: /model and /frames: sizes that do not agree; the file is damaged",
                    f->h5.in->name);
  uint64_t frame, nodes = m.x_shape.count / 2;
  SS_TRY(frame_nearest(f, m.time, m.time_shape.count, &frame));
  ssi_deformation of = {.time = m.time[frame],
                        .nodes = (int)nodes,
                        .x = m.x,
                        .q = m.q + frame * 2 * nodes,
                        .elements = (int)m.first_shape.count - 1,
                        .first = as_ints(&f->arena, m.first, m.first_shape.count),
                        .node = as_ints(&f->arena, m.node, m.node_shape.count),
                        .contacts = contacts_at(&f->arena, &m, frame),
                        .contact_count = (int)m.contact_shape.count,
                        .said = "the bluer, the farther moved"};
  if (f->arena.failed) return no_memory(f);
  of.value = distances(&f->arena, &of);
  return f->arena.failed ? no_memory(f) : ssi_deformation_draw(f->ctx, &of, f->title, out);
}

// ---- a scene that ran from event to event ------------------------------------------------------

static ss_error draw_state(table_file *f, ssi_played_scene *s, char **out) {
  ss_run_frame state;
  uint64_t row;
  if (!s->size.scene_text)
    return ssi_fail(f->ctx, SS_ERR_ARGUMENT,
                    "%s: no picture 'scene' of a mechanism; there are: phase, forces, energy, "
                    "work, contacts, error",
                    f->h5.in->name);
  if (s->size.frames == 0)
    return ssi_fail(f->ctx, SS_ERR_FORMAT, "%s: holds no saved state", f->h5.in->name);
  SS_TRY(frame_nearest(f, s->time, (uint64_t)s->size.frames, &row));
  SS_TRY(ssi_played_scene_state(s, (int64_t)row, &state));
  return ssi_scene_svg(f->ctx, &s->size, &state, f->title, out);
}

static ss_error draw_scene(table_file *f, char **out) {
  ssi_played_scene s;
  ss_error e = ssi_played_scene_load(&s, &f->h5, &f->root);
  if (!e) e = draw_state(f, &s, out);
  ssi_played_scene_release(&s);
  return e;
}

// ---- the file --------------------------------------------------------------------------------

static ss_error draw(table_file *f, ss_run_picture kind, char **out) {
  const char *format;
  SS_TRY(ssi_h5_text(&f->h5, &f->root, "format", &f->arena, &format));
  f->march = format && strcmp(format, "stickslip march") == 0;
  if (!f->march && !(format && strcmp(format, "stickslip trajectory") == 0))
    return ssi_fail(f->ctx, SS_ERR_FORMAT, "%s: holds no run", f->h5.in->name);
  SS_TRY(ssi_h5_int(&f->h5, &f->root, "dim", &f->dim));
  if (kind == SS_PICTURE_PHASE && !f->march) return draw_phases(f, out);
  if (kind == SS_PICTURE_SCENE) return f->march ? draw_bodies(f, out) : draw_scene(f, out);
  if (isfinite(f->time))
    return ssi_fail(f->ctx, SS_ERR_ARGUMENT, "%s: a time is for the picture scene; '%s' shows all",
                    f->h5.in->name, ss_run_picture_name(kind));
  const table_curves *of = curves_for(f, kind);
  if (of) return draw_curves(f, of, out);
  return ssi_fail(f->ctx, SS_ERR_ARGUMENT, "%s: no picture '%s' of %s; there are: %s",
                  f->h5.in->name, ss_run_picture_name(kind),
                  f->march ? "elastic bodies" : "a mechanism",
                  f->march ? "scene, forces, energy, work, contacts, error, iterations, time"
                           : "phase, forces, energy, work, contacts, error");
}

ss_error ss_table_svg(ss_context *ctx, const char *path, ss_run_picture kind, double time,
                      const char *title, char **out) {
  if (out) *out = NULL;
  if (!path || !out) return ssi_missing(ctx, "ss_table_svg");
  if (!ss_run_picture_name(kind))
    return ssi_fail(ctx, SS_ERR_ARGUMENT, "run: no picture number %d", (int)kind);
  table_file f = {.ctx = ctx, .arena = {.ctx = ctx}, .time = time, .title = title};
  ssi_arena bytes = {.ctx = ctx};
  ssi_source source;
  ss_error e = ssi_input_read(ctx, path, &bytes, &source);
  if (!e && !ssi_is_hdf5(&source)) e = ssi_fail(ctx, SS_ERR_FORMAT, "%s: holds no run", path);
  if (!e) e = ssi_h5_try(ctx, &source);
  if (!e) {
    e = ssi_h5_open(&f.h5, ctx, &source, &f.root);
    if (!e) e = draw(&f, kind, out);
    ssi_h5_close(&f.h5);
  }
  ssi_arena_release(&f.arena);
  ssi_arena_release(&bytes);
  return e;
}
#else
ss_error ss_table_svg(ss_context *ctx, const char *path, ss_run_picture kind, double time,
                      const char *title, char **out) {
  (void)kind, (void)time, (void)title;
  if (out) *out = NULL;
  if (!path || !out) return ssi_missing(ctx, "ss_table_svg");
  return ssi_fail(ctx, SS_ERR_UNSUPPORTED, "%s: needs HDF5, which this build is without", path);
}
#endif
