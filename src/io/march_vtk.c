// A record for ParaView: FILE.pvd lists, per saved step, bodies_NNNNNN.vtu (nodes where they are, displacement;
// stress and domain of elements) and contacts_NNNNNN.vtu (force and gap in world axes, state).
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "fem/element.h"
#include "io/march_record.h"
#include "io/reader.h"
#include "io/vtu.h"
#include "la/contact_frame.h"

typedef struct vtk_series {
  ss_context *ctx;
  const ss_march_record *r;
  char *folder, *file;
  size_t room;
  double *point, *displacement, *sigma;  // (3 nodes), (3 nodes), (6 elements)
  unsigned char *type;                   // (elements)
  double *at, *force, *velocity, *gap;   // (3 nc), (3 nc), (3 nc), (nc)
  ssi_arena arena;
} vtk_series;

static bool take(vtk_series *s) {
  const ss_mesh *m = s->r->bodies->mesh;
  size_t nc = (size_t)s->r->s->nc + 1;
  s->point = SSI_TAKE(&s->arena, 3 * (size_t)m->nodes, double);
  s->displacement = SSI_TAKE(&s->arena, 3 * (size_t)m->nodes, double);
  s->sigma = SSI_TAKE(&s->arena, 6 * (size_t)m->elements.count, double);
  s->type = SSI_TAKE(&s->arena, m->elements.count, unsigned char);
  s->at = SSI_TAKE(&s->arena, 3 * nc, double);
  s->force = SSI_TAKE(&s->arena, 3 * nc, double);
  s->velocity = SSI_TAKE(&s->arena, 3 * nc, double);
  s->gap = SSI_TAKE(&s->arena, nc, double);
  for (int k = 0; !s->arena.failed && k < m->elements.count; k++)
    s->type[k] = (unsigned char)ssi_element_of(m->elements.kind[k])->vtk;
  return !s->arena.failed;
}

static const char *name_file(vtk_series *s, const char *what, int frame) {
  snprintf(s->file, s->room, "%s/%s_%06d.vtu", s->folder, what, frame);
  return s->file;
}

static ss_error write_bodies(vtk_series *s, int frame) {
  const ss_mesh *m = s->r->bodies->mesh;
  const double *q = s->r->q + (size_t)frame * (size_t)s->r->s->ndof;
  for (int k = 0; k < m->nodes; k++)
    for (int a = 0; a < m->dim; a++) {
      s->displacement[3 * k + a] = q[k * m->dim + a];
      s->point[3 * k + a] = m->x[k * m->dim + a] + q[k * m->dim + a];
    }
  ss_elastic_stresses(s->r->bodies, q, s->sigma);
  const ssi_vtu_array arrays[] = {{"displacement", SSI_VTU_POINTS, 3, s->displacement, NULL},
                                  {"stress", SSI_VTU_CELLS, 6, s->sigma, NULL},
                                  {"domain", SSI_VTU_CELLS, 1, NULL, m->elements.group}};
  ssi_vtu grid = {.point_count = m->nodes,
                  .cell_count = m->elements.count,
                  .point = s->point,
                  .first = m->elements.first,
                  .corner = m->elements.node,
                  .type = s->type,
                  .arrays = arrays,
                  .array_count = 3};
  return ssi_vtu_write(s->ctx, name_file(s, "bodies", frame), &grid);
}

static void turn(int dim, const double *Q, const double *x, double out[3]) {
  for (int a = 0; a < dim; a++) {
    out[a] = 0;
    for (int k = 0; k < dim; k++) out[a] += Q[dim * k + a] * x[k];
  }
}

static ss_error write_contacts(vtk_series *s, int frame) {
  int dim = s->r->s->dim, nc = s->r->s->nc;
  size_t m = (size_t)s->r->m;
  const double *c = s->r->contact + (size_t)frame * 3 * m;
  const double *q = s->r->q + (size_t)frame * (size_t)s->r->s->ndof;
  for (int i = 0; i < nc; i++) {
    const ss_elastic_contact *e = &s->r->bodies->contacts[i];
    double Q[9];
    ssi_frame(dim, e->normal, Q);
    turn(dim, Q, c + dim * i, s->force + 3 * i);
    turn(dim, Q, c + m + dim * i, s->velocity + 3 * i);
    s->gap[i] = c[2 * m + (size_t)(dim * i)];
    for (int a = 0; a < dim; a++) s->at[3 * i + a] = e->point[a] + q[e->node * dim + a];
  }
  const ssi_vtu_array arrays[] = {
      {"force", SSI_VTU_POINTS, 3, s->force, NULL},
      {"velocity", SSI_VTU_POINTS, 3, s->velocity, NULL},
      {"gap", SSI_VTU_POINTS, 1, s->gap, NULL},
      {"state", SSI_VTU_POINTS, 1, NULL, s->r->state + (size_t)frame * (size_t)nc}};
  ssi_vtu grid = {
      .point_count = nc, .cell_count = nc, .point = s->at, .arrays = arrays, .array_count = 4};
  return ssi_vtu_write(s->ctx, name_file(s, "contacts", frame), &grid);
}

static ss_error write_frames(vtk_series *s, ssi_output *out) {
  const char *slash = strrchr(s->folder, '/'), *folder = slash ? slash + 1 : s->folder;
  ssi_output_text(out, "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\">\n"
                       "<Collection>\n");
  for (int k = 0; k < s->r->frames; k++) {
    SS_TRY(write_bodies(s, k));
    SS_TRY(write_contacts(s, k));
    for (int part = 0; part < 2; part++) {
      ssi_output_text(out, "<DataSet timestep=\"");
      ssi_output_number(out, s->r->step[k * SSI_MARCH_COLUMNS + 1]);
      ssi_output_text(out, "\" part=\"%d\" file=\"%s/%s_%06d.vtu\"/>\n", part, folder,
                      part ? "contacts" : "bodies", k);
    }
  }
  ssi_output_text(out, "</Collection>\n</VTKFile>\n");
  return SS_OK;
}

ss_error ssi_march_vtk(ss_context *ctx, const char *path, const ss_march_record *r) {
  if (!r->bodies)
    return ssi_fail(ctx, SS_ERR_UNSUPPORTED,
                    "%s: matrices have no bodies to draw; write .csv or .h5", path);
  vtk_series s = {.ctx = ctx, .r = r, .room = strlen(path) + 64, .arena = {.ctx = ctx}};
  s.folder = SSI_TAKE(&s.arena, s.room, char);
  s.file = SSI_TAKE(&s.arena, s.room, char);
  ss_error e = take(&s) ? SS_OK : ssi_fail(ctx, SS_ERR_MEMORY, "%s: no memory", path);
  if (!e) {
    memcpy(s.folder, path, strlen(path) - 4);  // without .pvd
    if (mkdir(s.folder, 0777) != 0 && errno != EEXIST)
      e = ssi_fail(ctx, SS_ERR_WRITE, "%s: cannot be written: %s", s.folder, strerror(errno));
  }
  ssi_output *out = NULL;
  if (!e) e = ssi_output_begin(ctx, path, &out);
  if (!e) e = write_frames(&s, out);
  if (e)
    ssi_output_abandon(out);
  else
    e = ssi_output_commit(ctx, out);
  ssi_arena_release(&s.arena);
  return e;
}
