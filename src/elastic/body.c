// From a scene of elastic bodies to a structure.
#include "elastic/body.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "la/contact_frame.h"
#include "la/sparse.h"

typedef struct elastic_owner {
  ss_elastic elastic;  // first, so that ss_elastic_destroy finds the rest
  ssi_continuum solid;
  ssi_arena arena;
} elastic_owner;

ss_error ssi_body_no_memory(ss_context *ctx) {
  return ssi_fail(ctx, SS_ERR_MEMORY, "no memory for elastic bodies");
}

ss_elastic_scene ss_elastic_scene_default(int dim) {
  return (ss_elastic_scene){.dim = dim, .thickness = 1, .stepping = ss_march_options_default()};
}

static const char *boundary_name(const void *user, int i) {
  const ss_mesh *m = user;
  return i < m->sides.group_count ? m->sides.name[i] : NULL;
}

ss_error ssi_find_boundary(const ssi_building *b, const char *what, int index, const char *name,
                           int *out) {
  *out = ss_mesh_boundary(b->mesh, name);
  if (*out >= 0) return SS_OK;
  const char *nearest = ss_nearest_name(name ? name : "", boundary_name, b->mesh);
  if (b->mesh->sides.group_count == 0)
    return ssi_fail(b->ctx, SS_ERR_DATA,
                    "%s %d: there is no boundary \"%.60s\": the mesh has none (physical groups of "
                    "lines, faces or points)",
                    what, index, name ? name : "");
  return ssi_fail(b->ctx, SS_ERR_DATA, "%s %d: there is no boundary \"%.60s\"%s%s", what, index,
                  name ? name : "", nearest ? "; the nearest is " : "", nearest ? nearest : "");
}

// ---- meshes and materials --------------------------------------------------------------------------

// nu = 1/2, a material that keeps its volume, is possible in plane stress alone: it may grow thinner there.
static ss_error check_material(ss_context *ctx, const ss_elastic_material *m, bool plane_stress) {
  const char *name = m->name ? m->name : "no name";
  if (!(m->E > 0) || !isfinite(m->E))
    return ssi_fail(ctx, SS_ERR_DATA, "material %s: E is %g, expected > 0", name, m->E);
  if (!(m->nu > -1 && (m->nu < 0.5 || (plane_stress && m->nu == 0.5))))
    return ssi_fail(ctx, SS_ERR_DATA, "material %s: nu is %g, expected -1 < nu < 0.5%s", name,
                    m->nu, plane_stress ? " or 0.5" : "");
  if (!(m->rho >= 0) || !(m->viscosity >= 0) || !(m->drag >= 0) ||
      !isfinite(m->rho + m->viscosity + m->drag))
    return ssi_fail(ctx, SS_ERR_DATA, "material %s: rho %g, viscosity %g, drag %g: expected >= 0",
                    name, m->rho, m->viscosity, m->drag);
  return SS_OK;
}

static const char *body_name(const ss_elastic_scene *s, int k) {
  return s->bodies[k].name ? s->bodies[k].name : "body";
}

static ss_error check_body(ss_context *ctx, const ss_elastic_scene *s, int k) {
  const ss_elastic_body *b = &s->bodies[k];
  const char *name = body_name(s, k);
  for (int other = 0; other < k; other++)
    if (strcmp(name, body_name(s, other)) == 0)
      return ssi_fail(ctx, SS_ERR_DATA, "body %d: a second body \"%.60s\"", k, name);
  if (b->material < 0 || b->material >= s->material_count)
    return ssi_fail(ctx, SS_ERR_DATA, "body %s: material %d, expected 0 .. %d", name, b->material,
                    s->material_count - 1);
  if (b->mesh->dim != s->dim)
    return ssi_fail(ctx, SS_ERR_DATA, "body %s: its mesh is in %dD, the scene in %dD", name,
                    b->mesh->dim, s->dim);
  char prefix[80];
  snprintf(prefix, sizeof prefix, "body %.60s", name);
  return ssi_fail_within(ctx, ss_mesh_check(ctx, b->mesh), prefix);
}

static ss_error check_scene(ss_context *ctx, const ss_elastic_scene *s) {
  if (s->dim < 2 || s->dim > 3)
    return ssi_fail(ctx, SS_ERR_DATA, "dim is %d, expected 2 or 3", s->dim);
  if (!(s->thickness > 0) || !isfinite(s->thickness))
    return ssi_fail(ctx, SS_ERR_DATA, "thickness is %g, expected > 0", s->thickness);
  if (s->body_count < 1) return ssi_fail(ctx, SS_ERR_DATA, "there are no bodies");
  bool plane_stress = s->dim == 2 && s->plane == SS_PLANE_STRESS;
  for (int k = 0; k < s->material_count; k++)
    SS_TRY(check_material(ctx, &s->materials[k], plane_stress));
  for (int k = 0; k < s->body_count; k++) SS_TRY(check_body(ctx, s, k));
  return SS_OK;
}

static ss_error join(ssi_building *b) {
  const ss_elastic_scene *s = b->scene;
  const ss_mesh **parts = SSI_TAKE(b->arena, s->body_count, const ss_mesh *);
  const char **names = SSI_TAKE(b->arena, s->body_count, const char *);
  if (b->arena->failed) return ssi_body_no_memory(b->ctx);
  for (int k = 0; k < s->body_count; k++) parts[k] = s->bodies[k].mesh, names[k] = body_name(s, k);
  SS_TRY(ss_mesh_join(b->ctx, s->body_count, parts, names, &b->mesh));
  double *x = (double *)(uintptr_t)b->mesh->x;  // made just now
  for (int k = 0; k < s->body_count; k++)
    for (int i = 0; i < parts[k]->nodes * s->dim; i++) *x++ += s->bodies[k].move[i % s->dim];
  return SS_OK;
}

static ss_error choose_materials(ssi_building *b) {
  const ss_elastic_scene *s = b->scene;
  int *of = SSI_TAKE(b->arena, b->mesh->elements.group_count + 1, int), group = 0;
  if (!of) return ssi_body_no_memory(b->ctx);
  for (int k = 0; k < s->body_count; k++)
    for (int i = 0; i < s->bodies[k].mesh->elements.group_count; i++)
      of[group++] = s->bodies[k].material;
  for (int k = 0; k < s->domain_count; k++) {
    int domain = ss_mesh_domain(b->mesh, s->domains[k].domain);
    if (domain < 0)
      return ssi_fail(b->ctx, SS_ERR_DATA, "there is no domain \"%.60s\"", s->domains[k].domain);
    if (s->domains[k].material < 0 || s->domains[k].material >= s->material_count)
      return ssi_fail(b->ctx, SS_ERR_DATA, "domain %s: material %d, expected 0 .. %d",
                      s->domains[k].domain, s->domains[k].material, s->material_count - 1);
    of[domain] = s->domains[k].material;
  }
  b->solid = (ssi_continuum){b->mesh, s->materials, of, s->plane, s->dim == 2 ? s->thickness : 1};
  return SS_OK;
}

// Which body a degree of freedom belongs to.
static ss_error name_parts(ssi_building *b, ss_structure *out) {
  const ss_elastic_scene *s = b->scene;
  int *part = SSI_TAKE(b->arena, out->ndof, int), at = 0;
  const char **name = SSI_TAKE(b->arena, s->body_count, const char *);
  if (b->arena->failed) return ssi_body_no_memory(b->ctx);
  for (int k = 0; k < s->body_count; k++) {
    name[k] = body_name(s, k);
    for (int i = 0; i < s->bodies[k].mesh->nodes * s->dim; i++) part[at++] = k;
  }
  out->part = part, out->part_name = name;
  return SS_OK;
}

// ---- contacts --------------------------------------------------------------------------------------

static int by_place(const void *a, const void *b) {
  const ssi_touch_node *x = a, *y = b;
  if (x->is.source != y->is.source) return x->is.source < y->is.source ? -1 : 1;
  if (x->along != y->along) return x->along < y->along ? -1 : 1;
  return (x->is.node > y->is.node) - (x->is.node < y->is.node);
}

// Rows Q at the slave, -N_p Q at the master's nodes.
static ss_error contact_rows(ssi_building *b, ss_structure *out) {
  int dim = b->mesh->dim, m = dim * b->touch_count;
  ssi_arena scratch = {.ctx = b->ctx};
  size_t room = (size_t)m * (size_t)dim * (SSI_ELEMENT_NODES + 1) + 1;
  int *i = SSI_TAKE(&scratch, room, int), *j = SSI_TAKE(&scratch, room, int);
  double *x = SSI_TAKE(&scratch, room, double);
  ss_sparse *H = SSI_TAKE(b->arena, 1, ss_sparse);
  int64_t count = 0;
  bool ok = !scratch.failed && H;
  for (int k = 0; ok && k < b->touch_count; k++) {
    const ssi_touch_node *t = &b->touch[k];
    double Q[9];
    ssi_frame(dim, t->is.normal, Q);
    for (int p = -1; p < t->masters; p++)
      for (int c = 0; c < dim * dim; c++) {
        double entry = (p < 0 ? 1 : -t->weight[p]) * Q[c];
        if (entry == 0) continue;
        i[count] = dim * k + c / dim;
        j[count] = dim * (p < 0 ? t->is.node : t->master[p]) + c % dim;
        x[count++] = entry;
      }
  }
  ok = ok && ssi_sparse_from_triplets(b->arena, m, out->ndof, count, i, j, x, H, NULL, NULL);
  ssi_arena_release(&scratch);
  out->H = H, out->H_count = 1;
  return ok ? SS_OK : ssi_body_no_memory(b->ctx);
}

// b(t): the gaps of the undeformed bodies, and minus what obstacles move.
static ss_error gap_terms(ssi_building *b, ss_structure *out) {
  const ss_elastic_scene *s = b->scene;
  int dim = s->dim, m = dim * b->touch_count, count = 1;
  for (int k = 0; k < s->obstacle_count; k++) count += s->obstacles[k].motion_count;
  ss_history_term *terms = SSI_TAKE(b->arena, count, ss_history_term);
  double *all = SSI_TAKE(b->arena, (size_t)count * ((size_t)m + 1), double), *at = all;
  if (b->arena->failed) return ssi_body_no_memory(b->ctx);
  for (int k = 0; k < b->touch_count; k++) all[dim * k] = b->touch[k].gap;
  terms[0].x = all;
  int used = 1;
  for (int o = 0; o < s->obstacle_count; o++)
    for (int k = 0; k < s->obstacles[o].motion_count; k++) {
      const ss_obstacle_motion *motion = &s->obstacles[o].motions[k];
      terms[used++] = (ss_history_term){at += m + 1, motion->factor};
      for (int i = 0; i < m; i++) {
        double Q[9];
        const ss_elastic_contact *c = &b->touch[i / dim].is;
        if (c->source != o) continue;
        ssi_frame(dim, c->normal, Q);
        for (int a = 0; a < dim; a++) at[i] -= Q[dim * (i % dim) + a] * motion->displacement[a];
      }
    }
  out->gaps = terms, out->gap_count = count;
  return SS_OK;
}

static ss_error add_contacts(ssi_building *b, ss_elastic *e) {
  ss_structure *out = &e->structure;
  SS_TRY(ssi_touch_obstacles(b));
  SS_TRY(ssi_touch_pairs(b));
  if (b->touch_count) qsort(b->touch, (size_t)b->touch_count, sizeof *b->touch, by_place);
  ss_elastic_contact *contacts = SSI_TAKE(b->arena, b->touch_count + 1, ss_elastic_contact);
  double *mu = SSI_TAKE(b->arena, b->touch_count + 1, double);
  if (b->arena->failed) return ssi_body_no_memory(b->ctx);
  for (int k = 0; k < b->touch_count; k++) contacts[k] = b->touch[k].is, mu[k] = b->touch[k].mu;
  out->nc = b->touch_count, out->mu = mu, e->contacts = contacts;
  SS_TRY(contact_rows(b, out));
  return gap_terms(b, out);
}

// ---- the whole -------------------------------------------------------------------------------------

static ss_error make_matrices(ssi_building *b, ss_structure *out) {
  const ss_elastic_scene *s = b->scene;
  bool viscous = false;
  for (int k = 0; k < s->material_count; k++)
    viscous = viscous || s->materials[k].viscosity > 0 || s->materials[k].drag > 0;
  SS_TRY(ssi_assemble_continuum(b->ctx, b->arena, &b->solid, SSI_STIFFNESS, &out->K));
  if (viscous) SS_TRY(ssi_assemble_continuum(b->ctx, b->arena, &b->solid, SSI_VISCOSITY, &out->C));
  if (s->stepping.scheme != SS_MARCH_MOREAU) return SS_OK;
  if (s->redistribute_mass) return ssi_redistributed_mass(b, &out->M);
  return ssi_assemble_continuum(b->ctx, b->arena, &b->solid, SSI_MASS, &out->M);
}

static ss_error build(ssi_building *b, ss_elastic *e) {
  ss_structure *s = &e->structure;
  ss_history_term *loads;
  SS_TRY(check_scene(b->ctx, b->scene));
  SS_TRY(join(b));
  e->mesh = b->mesh;
  s->dim = b->scene->dim, s->ndof = b->mesh->nodes * s->dim;
  SS_TRY(choose_materials(b));
  SS_TRY(name_parts(b, s));
  SS_TRY(ssi_body_supports(b));
  SS_TRY(ssi_mesh_neighbours(b->ctx, b->arena, b->mesh, &b->neighbour));
  SS_TRY(add_contacts(b, e));
  SS_TRY(make_matrices(b, s));
  SS_TRY(ssi_body_loads(b, &s->M, &loads, &s->load_count));
  s->loads = loads;
  SS_TRY(ssi_check_held(b));
  s->prescribed = b->prescribed, s->prescribed_count = b->prescribed_count;
  return SS_OK;
}

ss_error ss_elastic_build(ss_context *ctx, const ss_elastic_scene *scene, ss_elastic **out) {
  if (!scene || !out) return ssi_fail(ctx, SS_ERR_ARGUMENT, "ss_elastic_build: null argument");
  *out = NULL;
  ssi_arena arena = {.ctx = ctx};
  elastic_owner *o = SSI_TAKE(&arena, 1, elastic_owner);
  if (!o) return ssi_body_no_memory(ctx);
  o->arena = arena;
  o->elastic.scene = scene;
  ssi_building b = {.ctx = ctx, .scene = scene, .arena = &o->arena};
  ss_error e = build(&b, &o->elastic);
  o->solid = b.solid;
  ssi_release(ctx, b.touch);
  if (e)
    ss_elastic_destroy(&o->elastic);
  else
    *out = &o->elastic;
  return e;
}

void ss_elastic_destroy(ss_elastic *e) {
  if (!e) return;
  elastic_owner *o = (elastic_owner *)e;
  ss_mesh_destroy(e->mesh);
  ssi_arena_release_home(o->arena);
}

void ss_elastic_stresses(const ss_elastic *e, const double *q, double *sigma) {
  if (!e || !q || !sigma) return;
  ssi_stresses(&((const elastic_owner *)(const void *)e)->solid, q, sigma);
}
