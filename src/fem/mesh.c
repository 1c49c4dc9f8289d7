// Meshes as data: owners, cells, checks, names, joining.
#include "fem/mesh.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"

ss_error ssi_mesh_no_memory(ss_context *ctx) {
  return ssi_fail(ctx, SS_ERR_MEMORY, "no memory for a mesh");
}

ssi_mesh_owner *ssi_mesh_create(ss_context *ctx) {
  ssi_arena arena = {.ctx = ctx};
  ssi_mesh_owner *o = SSI_TAKE(&arena, 1, ssi_mesh_owner);
  if (!o) return ssi_mesh_no_memory(ctx), NULL;
  o->arena = arena;
  return o;
}

void ss_mesh_destroy(ss_mesh *m) {
  if (!m) return;
  ssi_arena arena = ((ssi_mesh_owner *)m)->arena;  // m itself lives in it
  ssi_arena_release(&arena);
}

// ---- cells -----------------------------------------------------------------------------------------

bool ssi_cells_begin(ssi_arena *arena, int count, int node_count, ssi_cell_list *out) {
  *out = (ssi_cell_list){.kind = SSI_TAKE(arena, count + 1, unsigned char),
                         .first = SSI_TAKE(arena, (size_t)count + 1, int),
                         .node = SSI_TAKE(arena, (size_t)node_count + 1, int),
                         .group = SSI_TAKE(arena, count + 1, int)};
  return !arena->failed;
}

int *ssi_cells_next(ssi_cell_list *list, ss_element_kind kind, int group) {
  int *node = list->node + list->used, k = list->count++;
  list->kind[k] = (unsigned char)kind;
  list->group[k] = group;
  list->used += ss_element_nodes(kind);
  list->first[k + 1] = list->used;
  return node;
}

ss_cells ssi_cells_done(const ssi_cell_list *list, int group_count, const char *const *name) {
  return (ss_cells){list->count, list->kind,  list->first, list->node,
                    list->group, group_count, name};
}

void ssi_cell_places(const ss_mesh *m, const ss_cells *cells, int cell, double *x) {
  int from = cells->first[cell], to = cells->first[cell + 1];
  for (int p = from; p < to; p++)
    memcpy(x + (p - from) * m->dim, m->x + (size_t)cells->node[p] * (size_t)m->dim,
           sizeof(double) * (size_t)m->dim);
}

static int find_group(const ss_cells *c, const char *name) {
  for (int k = 0; name && k < c->group_count; k++)
    if (strcmp(c->name[k], name) == 0) return k;
  return -1;
}

int ss_mesh_boundary(const ss_mesh *m, const char *name) {
  if (!m || !name) return -1;
  return find_group(&m->sides, name);
}

int ss_mesh_domain(const ss_mesh *m, const char *name) {
  if (!m || !name) return -1;
  return find_group(&m->elements, name);
}

// ---- checks ----------------------------------------------------------------------------------------

static ss_error check_cells(ss_context *ctx, const ss_mesh *m, const ss_cells *c, const char *what,
                            int low_dim, int high_dim) {
  for (int k = 0; k < c->count; k++) {
    const ssi_cell_kind *e = ssi_element_of(c->kind[k]);
    if (!e || e->dim < low_dim || e->dim > high_dim)
      return ssi_fail(ctx, SS_ERR_DATA, "%s %d: is a %s, which a mesh in %dD cannot have", what, k,
                      e ? e->name : "thing of no known kind", m->dim);
    if (c->first[k + 1] - c->first[k] != e->nodes)
      return ssi_fail(ctx, SS_ERR_DATA, "%s %d: %d nodes, expected %d of a %s", what, k,
                      c->first[k + 1] - c->first[k], e->nodes, e->name);
    if (c->group[k] < 0 || c->group[k] >= c->group_count)
      return ssi_fail(ctx, SS_ERR_DATA, "%s %d: group %d, expected 0 .. %d", what, k, c->group[k],
                      c->group_count - 1);
    for (int p = c->first[k]; p < c->first[k + 1]; p++)
      if (c->node[p] < 0 || c->node[p] >= m->nodes)
        return ssi_fail(ctx, SS_ERR_DATA, "%s %d: node %d, expected 0 .. %d", what, k, c->node[p],
                        m->nodes - 1);
  }
  return SS_OK;
}

static ss_error check_places(ss_context *ctx, const ss_mesh *m) {
  for (int k = 0; k < m->nodes * m->dim; k++)
    if (!isfinite(m->x[k]))
      return ssi_fail(ctx, SS_ERR_DATA, "node %d: coordinate %d is not finite", k / m->dim,
                      k % m->dim);
  return SS_OK;
}

static ss_error check_shapes(ss_context *ctx, const ss_mesh *m) {
  const ss_cells *c = &m->elements;
  double x[3 * SSI_ELEMENT_NODES];
  ssi_gauss place;
  for (int k = 0; k < c->count; k++) {
    const ssi_cell_kind *e = ssi_element_of(c->kind[k]);
    ssi_cell_places(m, c, k, x);
    for (int point = 0; point < e->points; point++)
      if (!ssi_gauss_at(e, x, m->dim, point, &place))
        return ssi_fail(ctx, SS_ERR_DATA,
                        "element %d (%s, domain %s) is inverted: det J = %g near (%g, %g%s), "
                        "expected > 0; its nodes must go counterclockwise, without crossing",
                        k, e->name, c->name[c->group[k]], place.weight, place.x[0], place.x[1],
                        m->dim == 3 ? ", .." : "");
  }
  return SS_OK;
}

static ss_error check_used(ss_context *ctx, const ss_mesh *m) {
  ssi_arena scratch = {.ctx = ctx};
  bool *used = SSI_TAKE(&scratch, m->nodes + 1, bool);
  if (!used) return ssi_mesh_no_memory(ctx);
  const ss_cells *c = &m->elements;
  for (int p = 0; c->count && p < c->first[c->count]; p++) used[c->node[p]] = true;
  int loose = -1;
  for (int k = m->nodes - 1; k >= 0; k--)
    if (!used[k]) loose = k;
  ssi_arena_release(&scratch);
  if (loose < 0) return SS_OK;
  return ssi_fail(ctx, SS_ERR_DATA, "node %d at (%g, %g%s) is in no element", loose,
                  m->x[(size_t)loose * (size_t)m->dim], m->x[(size_t)loose * (size_t)m->dim + 1],
                  m->dim == 3 ? ", .." : "");
}

ss_error ss_mesh_check(ss_context *ctx, const ss_mesh *m) {
  if (!m || m->dim < 2 || m->dim > 3 || m->nodes < 0 || m->nodes > INT32_MAX / 4)
    return ssi_fail(ctx, SS_ERR_DATA, "a mesh needs dim 2 or 3 and a number of nodes");
  SS_TRY(check_cells(ctx, m, &m->elements, "element", m->dim, m->dim));
  SS_TRY(check_cells(ctx, m, &m->sides, "side", 0, m->dim - 1));
  SS_TRY(check_places(ctx, m));
  SS_TRY(check_shapes(ctx, m));
  return check_used(ctx, m);
}

// ---- joining ---------------------------------------------------------------------------------------

static const char *joined_name(ssi_arena *arena, bool several, const char *part,
                               const char *group) {
  size_t room = strlen(part) + strlen(group) + 2;
  char *name = SSI_TAKE(arena, room, char);
  if (name) snprintf(name, room, several ? "%s.%s" : "%.0s%s", part, group);
  return name;
}

static bool join_cells(ssi_arena *arena, int count, const ss_mesh *const *parts,
                       const char *const *names, bool sides, ss_cells *out) {
  int cells = 0, nodes = 0, groups = 0, group = 0, shift = 0;
  for (int k = 0; k < count; k++) {
    const ss_cells *c = sides ? &parts[k]->sides : &parts[k]->elements;
    cells += c->count, groups += c->group_count;
    nodes += c->count ? c->first[c->count] : 0;
  }
  ssi_cell_list list;
  const char **name = SSI_TAKE(arena, groups + 1, const char *);
  if (!ssi_cells_begin(arena, cells, nodes, &list)) return false;
  for (int k = 0; k < count; k++) {
    const ss_cells *c = sides ? &parts[k]->sides : &parts[k]->elements;
    for (int i = 0; i < c->count; i++) {
      int *node = ssi_cells_next(&list, c->kind[i], group + c->group[i]);
      for (int p = c->first[i]; p < c->first[i + 1]; p++) *node++ = shift + c->node[p];
    }
    for (int i = 0; i < c->group_count; i++)
      name[group + i] = joined_name(arena, count > 1, names[k], c->name[i]);
    group += c->group_count, shift += parts[k]->nodes;
  }
  *out = ssi_cells_done(&list, groups, name);
  return !arena->failed;
}

ss_error ss_mesh_join(ss_context *ctx, int count, const ss_mesh *const *parts,
                      const char *const *names, ss_mesh **out) {
  if (!out || !parts || !names) return ssi_missing(ctx, "ss_mesh_join");
  *out = NULL;
  if (count < 1) return ssi_fail(ctx, SS_ERR_ARGUMENT, "ss_mesh_join: no meshes");
  for (int k = 0; k < count; k++)
    if (!parts[k] || !names[k]) return ssi_missing(ctx, "ss_mesh_join");
  for (int k = 1; k < count; k++)
    if (parts[k]->dim != parts[0]->dim)
      return ssi_fail(ctx, SS_ERR_DATA, "body %s is in %dD, body %s in %dD", names[0],
                      parts[0]->dim, names[k], parts[k]->dim);
  ssi_mesh_owner *o = ssi_mesh_create(ctx);
  if (!o) return SS_ERR_MEMORY;
  size_t nodes = 0, dim = (size_t)parts[0]->dim;
  for (int k = 0; k < count; k++) nodes += (size_t)parts[k]->nodes;
  double *x = SSI_TAKE(&o->arena, nodes * dim, double);
  bool ok = x && nodes < INT32_MAX / 4 &&
            join_cells(&o->arena, count, parts, names, false, &o->mesh.elements) &&
            join_cells(&o->arena, count, parts, names, true, &o->mesh.sides);
  if (!ok) return ss_mesh_destroy(&o->mesh), ssi_mesh_no_memory(ctx);
  o->mesh.dim = (int)dim, o->mesh.nodes = (int)nodes, o->mesh.x = x;
  for (int k = 0; k < count; k++) {
    size_t numbers = (size_t)parts[k]->nodes * dim;
    memcpy(x, parts[k]->x, sizeof(double) * numbers);
    x += numbers;
  }
  *out = &o->mesh;
  return SS_OK;
}
