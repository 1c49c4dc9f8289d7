// A run as a series of files for ParaView: NAME.pvd lists NAME/bodies_NNNNNN.vtu and
// NAME/contacts_NNNNNN.vtu, one of each per frame. The shapes come from the scene in the run file.
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "dynamics/scene/surface.h"
#include "io/reader.h"
#include "io/run_scene.h"
#include "io/vtu.h"
#include "stickslip/run.h"

typedef struct series {
  ss_context *ctx;
  ss_run *run;
  ss_run_size size;
  ss_scene *scene;
  ss_simulation *sim;  // never stepped: it knows the shapes
  char *folder, *file;
  size_t room;
  ssi_surface surface;
  ssi_arena arena;
  double *velocity, *spin, *radius, *mass, *kinetic;  // per polygon; 0 of externals
  int *body, *material;                               // per polygon; externals: SS_EXTERNAL - k
  const char **names;                                 // (bodies + externals)
  size_t cell_room;
} series;

static ss_error no_memory(series *s) {
  return ssi_fail(s->ctx, SS_ERR_MEMORY, "%s: no memory", s->folder ? s->folder : "vtk");
}

static const char *file_name(series *s, const char *kind, int64_t frame) {
  snprintf(s->file, s->room, "%s/%s_%06lld.vtu", s->folder, kind, (long long)frame);
  return s->file;
}

// ---- bodies --------------------------------------------------------------------------------

static bool cells_fit(series *s) {
  size_t n = (size_t)s->surface.polygon_count;
  if (n <= s->cell_room) return true;
  s->cell_room = 2 * n;
  s->velocity = SSI_TAKE(&s->arena, 3 * s->cell_room, double);
  s->spin = SSI_TAKE(&s->arena, 3 * s->cell_room, double);
  s->radius = SSI_TAKE(&s->arena, s->cell_room, double);
  s->mass = SSI_TAKE(&s->arena, s->cell_room, double);
  s->kinetic = SSI_TAKE(&s->arena, s->cell_room, double);
  s->body = SSI_TAKE(&s->arena, s->cell_room, int);
  s->material = SSI_TAKE(&s->arena, s->cell_room, int);
  return !s->arena.failed;
}

// How far boundless shapes are drawn: past every body.
static double reach_of(const ss_run_frame *f, int bodies) {
  double most = 1e-300;
  for (int b = 0; b < bodies; b++)
    for (int k = 0; k < 3; k++) most = fmax(most, fabs(f->pose[b].x[k]));
  return 1.5 * most;
}

static const ss_shape *shape_of(series *s, int object) {
  if (object >= s->size.bodies)
    return ss_simulation_external_shape(s->sim, object - s->size.bodies);
  ss_sim_body b;
  return ss_simulation_body(s->sim, object, &b) ? NULL : b.shape;
}

static void describe_cells(series *s, const ss_run_frame *f, int object, int from) {
  const ss_shape *shape = shape_of(s, object);
  bool ball = ss_shape_kind_of(shape) == SS_SPHERE;
  bool own = object < s->size.bodies;
  ss_sim_body b = {0};
  if (own) ss_simulation_body(s->sim, object, &b);
  int material = own ? b.material : s->scene->externals[object - s->size.bodies].material;
  double kinetic = own ? ssi_run_kinetic(&b, &f->pose[object], f->velocity + 6 * object) : 0;
  for (int c = from; c < s->surface.polygon_count; c++) {
    s->body[c] = own ? object : SS_EXTERNAL - (object - s->size.bodies);
    s->radius[c] = ball ? ss_shape_radius(shape) : 0;
    s->mass[c] = b.mass, s->kinetic[c] = kinetic, s->material[c] = material;
    for (int k = 0; k < 3; k++) {
      s->velocity[3 * c + k] = own ? f->velocity[6 * object + k] : 0;
      s->spin[3 * c + k] = own ? f->velocity[6 * object + 3 + k] : 0;
    }
  }
}

static ss_error write_bodies(series *s, const ss_run_frame *f, const char *path) {
  double reach = reach_of(f, s->size.bodies);
  ssi_surface_clear(&s->surface);
  for (int k = 0; k < s->size.bodies + s->size.externals; k++) {
    int from = s->surface.polygon_count;
    const ss_pose *pose = k < s->size.bodies ? &f->pose[k] : &f->external_pose[k - s->size.bodies];
    ssi_surface_add(&s->surface, shape_of(s, k), pose, reach);
    if (s->surface.failed) return no_memory(s);
    size_t had = s->cell_room;
    if (!cells_fit(s)) return no_memory(s);
    if (s->cell_room != had) k = -1, ssi_surface_clear(&s->surface);  // again, in the new arrays
    if (s->cell_room == had) describe_cells(s, f, k, from);
  }
  const ssi_vtu_array arrays[] = {{"body", SSI_VTU_CELLS, 1, NULL, s->body},
                                  {"radius", SSI_VTU_CELLS, 1, s->radius, NULL},
                                  {"material", SSI_VTU_CELLS, 1, NULL, s->material},
                                  {"mass", SSI_VTU_CELLS, 1, s->mass, NULL},
                                  {"kinetic", SSI_VTU_CELLS, 1, s->kinetic, NULL},
                                  {"velocity", SSI_VTU_CELLS, 3, s->velocity, NULL},
                                  {"spin", SSI_VTU_CELLS, 3, s->spin, NULL}};
  ssi_vtu grid = {.point_count = s->surface.point_count,
                  .cell_count = s->surface.polygon_count,
                  .point = s->surface.point,
                  .first = s->surface.first,
                  .corner = s->surface.corner,
                  .arrays = arrays,
                  .array_count = 7,
                  .names = s->names,
                  .name_count = s->size.bodies + s->size.externals};
  return ssi_vtu_write(s->ctx, path, &grid);
}

// ---- contacts ------------------------------------------------------------------------------

static ss_error write_contacts(series *s, const ss_run_frame *f, const char *path) {
  ssi_arena arena = {.ctx = s->ctx};
  size_t n = (size_t)f->contact_count;
  double *point = SSI_TAKE(&arena, 3 * n, double), *impulse = SSI_TAKE(&arena, 3 * n, double);
  double *velocity = SSI_TAKE(&arena, 3 * n, double), *gap = SSI_TAKE(&arena, n, double);
  double *normal = SSI_TAKE(&arena, 3 * n, double), *force = SSI_TAKE(&arena, 3 * n, double);
  int *state = SSI_TAKE(&arena, n, int), *bodies = SSI_TAKE(&arena, 2 * n, int);
  if (arena.failed) {
    ssi_arena_release(&arena);
    return no_memory(s);
  }
  for (size_t k = 0; k < n; k++) {
    const ss_sim_contact *c = &f->contacts[k];
    memcpy(point + 3 * k, c->point, sizeof c->point);
    memcpy(impulse + 3 * k, c->impulse, sizeof c->impulse);
    memcpy(velocity + 3 * k, c->velocity, sizeof c->velocity);
    memcpy(normal + 3 * k, c->normal, sizeof c->normal);
    for (int l = 0; l < 3; l++) force[3 * k + l] = f->h > 0 ? c->impulse[l] / f->h : 0;
    gap[k] = c->gap, state[k] = (int)c->state;
    bodies[2 * k] = c->a, bodies[2 * k + 1] = c->b;
  }
  const ssi_vtu_array arrays[] = {{"force", SSI_VTU_POINTS, 3, force, NULL},
                                  {"impulse", SSI_VTU_POINTS, 3, impulse, NULL},
                                  {"velocity", SSI_VTU_POINTS, 3, velocity, NULL},
                                  {"normal", SSI_VTU_POINTS, 3, normal, NULL},
                                  {"gap", SSI_VTU_POINTS, 1, gap, NULL},
                                  {"state", SSI_VTU_POINTS, 1, NULL, state},
                                  {"bodies", SSI_VTU_POINTS, 2, NULL, bodies}};
  ssi_vtu grid = {.point_count = (int)n,
                  .cell_count = (int)n,
                  .point = point,
                  .arrays = arrays,
                  .array_count = 7};
  ss_error e = ssi_vtu_write(s->ctx, path, &grid);
  ssi_arena_release(&arena);
  return e;
}

// ---- the series ----------------------------------------------------------------------------

static ss_error keep_names(series *s) {
  int n = s->size.bodies + s->size.externals;
  s->names = SSI_TAKE(&s->arena, n + 1, const char *);
  for (int k = 0; s->names && k < n; k++) {
    char name[200];
    int which = k < s->size.bodies ? k : SS_EXTERNAL - (k - s->size.bodies);
    ss_simulation_name(s->sim, which, name, sizeof name);
    char *copy = SSI_TAKE(&s->arena, strlen(name) + 1, char);
    if (copy) memcpy(copy, name, strlen(name));
    s->names[k] = copy;
  }
  return s->arena.failed ? no_memory(s) : SS_OK;
}

static ss_error prepare(series *s, const char *path) {
  s->room = strlen(path) + 64;
  s->folder = SSI_TAKE(&s->arena, s->room, char);
  s->file = SSI_TAKE(&s->arena, s->room, char);
  if (s->arena.failed) return no_memory(s);
  size_t stem = strlen(path) - (ssi_ends_with(path, ".pvd") ? 4 : 0);
  memcpy(s->folder, path, stem);
  if (stem == strlen(path)) memcpy(s->folder + stem, "_vtk", 4);  // not the .pvd's own name
  if (mkdir(s->folder, 0777) != 0 && errno != EEXIST)
    return ssi_fail(s->ctx, SS_ERR_WRITE, "%s: cannot be written: %s", s->folder, strerror(errno));
  SS_TRY(ssi_run_rebuild(s->ctx, &s->size, s->folder, &s->scene, &s->sim));
  return keep_names(s);
}

static void list(ssi_output *out, double time, int part, const char *file) {
  const char *slash = strrchr(file, '/');  // relative to the .pvd: its folder and the file
  while (slash && slash > file && slash[-1] != '/') slash--;
  ssi_output_text(out, "<DataSet timestep=\"");
  ssi_output_number(out, time);
  ssi_output_text(out, "\" part=\"%d\" file=\"%s\"/>\n", part, slash ? slash : file);
}

static ss_error write_series(series *s, ssi_output *out,
                             int (*progress)(void *user, int64_t done, int64_t of), void *user) {
  ssi_output_text(out, "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\">\n"
                       "<Collection>\n");
  for (int64_t k = 0; k < s->size.frames; k++) {
    ss_run_frame f;
    SS_TRY(ss_run_read_frame(s->run, k, &f));
    SS_TRY(write_bodies(s, &f, file_name(s, "bodies", k)));
    list(out, f.time, 0, s->file);
    SS_TRY(write_contacts(s, &f, file_name(s, "contacts", k)));
    list(out, f.time, 1, s->file);
    if (progress && progress(user, k + 1, s->size.frames))
      return ssi_fail(s->ctx, SS_ERR_WRITE, "%s: interrupted", s->folder);
  }
  ssi_output_text(out, "</Collection>\n</VTKFile>\n");
  return SS_OK;
}

ss_error ss_run_write_vtk(ss_context *ctx, ss_run *run, const char *path,
                          int (*progress)(void *user, int64_t done, int64_t of), void *user) {
  if (!run || !path) return ssi_missing(ctx, "ss_run_write_vtk");
  series s = {.ctx = ctx, .run = run, .size = ss_run_get_size(run)};
  s.arena.ctx = s.surface.ctx = ctx;
  ssi_output *out = NULL;
  ss_error e = prepare(&s, path);
  if (!e) e = ssi_output_begin(ctx, path, &out);
  if (!e) e = write_series(&s, out, progress, user);
  if (e)
    ssi_output_abandon(out);
  else
    e = ssi_output_commit(ctx, out);
  ss_simulation_destroy(s.sim);
  ss_scene_close(s.scene);
  ssi_surface_release(&s.surface);
  ssi_arena_release(&s.arena);
  return e;
}
