// From what a Gmsh file holds to a mesh: elements have the largest dimension there is, what has less and is in a
// physical group is a side of it; a side in two groups is two sides.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "fem/mesh.h"
#include "io/msh.h"

typedef struct tagged {
  int64_t tag;
  int node;
} tagged;

typedef struct making {
  ssi_text *t;
  const ssi_msh *in;
  ssi_mesh_owner *o;
  ssi_arena scratch;
  int dim;
  tagged *by_tag;  // sorted                            (nodes)
  int *number;     // of each node, -1: in no element    (nodes)
  const char **names[2];
  int64_t *tags[2];  // of groups: of elements, of sides
  int groups[2];
} making;

static ss_error at_line(const making *g, int64_t line, const char *text, int64_t number) {
  return ssi_fail(g->t->ctx, SS_ERR_FORMAT, "%s:%lld: %s %lld", g->t->name, (long long)line, text,
                  (long long)number);
}

static int by_tag(const void *a, const void *b) {
  const tagged *x = a, *y = b;
  return (x->tag > y->tag) - (x->tag < y->tag);
}

static int node_of(const making *g, int64_t tag) {
  const tagged *found =
      bsearch(&(tagged){tag, 0}, g->by_tag, (size_t)g->in->nodes, sizeof *g->by_tag, by_tag);
  return found ? found->node : -1;
}

static int corners(const ssi_msh_element *e) {
  return ss_element_nodes((ss_element_kind)e->kind);
}

static bool is_element(const making *g, const ssi_msh_element *e) {
  return ss_element_dim((ss_element_kind)e->kind) == g->dim;
}

static int groups_of(const making *g, const ssi_msh_element *e) {
  return e->entity < 0 ? 0 : g->in->entities[e->entity].group_count;
}

// ---- nodes -----------------------------------------------------------------------------------------

static ss_error sort_nodes(making *g) {
  const ssi_msh *in = g->in;
  g->by_tag = SSI_TAKE(&g->scratch, in->nodes + 1, tagged);
  g->number = SSI_TAKE(&g->scratch, in->nodes + 1, int);
  if (g->scratch.failed) return ssi_mesh_no_memory(g->t->ctx);
  for (int k = 0; k < in->nodes; k++) g->by_tag[k] = (tagged){in->tag[k], k}, g->number[k] = -1;
  qsort(g->by_tag, (size_t)in->nodes, sizeof *g->by_tag, by_tag);
  for (int k = 1; k < in->nodes; k++)
    if (g->by_tag[k].tag == g->by_tag[k - 1].tag)
      return ssi_fail(g->t->ctx, SS_ERR_FORMAT, "%s: node %lld is there twice", g->t->name,
                      (long long)g->by_tag[k].tag);
  return SS_OK;
}

// Those of elements, in the order of the file.
static ss_error number_nodes(making *g) {
  const ssi_msh *in = g->in;
  int used = 0;
  for (int k = 0; k < in->element_count; k++)
    for (int p = 0; p < corners(&in->elements[k]); p++) {
      int64_t tag = in->corner[in->elements[k].first + p];
      int node = node_of(g, tag);
      if (node < 0) return at_line(g, in->elements[k].line, "there is no node", tag);
      if (is_element(g, &in->elements[k])) g->number[node] = 0;
    }
  for (int k = 0; k < in->nodes; k++)
    if (g->number[k] == 0) g->number[k] = used++;
  double *x = SSI_TAKE(&g->o->arena, (size_t)used * (size_t)g->dim + 1, double);
  if (!x) return ssi_mesh_no_memory(g->t->ctx);
  double height = 0;
  for (int k = 0; k < in->nodes; k++) {
    if (g->number[k] < 0) continue;
    if (g->number[k] == 0) height = in->x[3 * k + 2];
    if (g->dim == 2 && in->x[3 * k + 2] != height)
      return ssi_fail(g->t->ctx, SS_ERR_FORMAT,
                      "%s: node %lld has z = %g, others %g: a mesh without volumes must be plane",
                      g->t->name, (long long)in->tag[k], in->x[3 * k + 2], height);
    memcpy(x + g->number[k] * g->dim, in->x + 3 * k, sizeof(double) * (size_t)g->dim);
  }
  g->o->mesh.dim = g->dim, g->o->mesh.nodes = used, g->o->mesh.x = x;
  return SS_OK;
}

// ---- groups ----------------------------------------------------------------------------------------

static const char *name_of(making *g, int dim, int tag) {
  for (int k = 0; k < g->in->group_count; k++)
    if (g->in->groups[k].dim == dim && g->in->groups[k].tag == tag && g->in->groups[k].name[0]) {
      size_t length = strlen(g->in->groups[k].name) + 1;
      char *copy = SSI_TAKE(&g->o->arena, length, char);
      if (copy) memcpy(copy, g->in->groups[k].name, length);
      return copy;
    }
  char *name = SSI_TAKE(&g->o->arena, 32, char);
  if (name) snprintf(name, 32, tag < 0 ? "all" : "group %d", tag);
  return name;
}

// The number of a group of elements (0) or sides (1); lines and points may have the same tag.
static int group_of(making *g, int which, int dim, int tag) {
  int64_t key = 4 * (int64_t)tag + dim;
  for (int k = 0; k < g->groups[which]; k++)
    if (g->tags[which][k] == key) return k;
  int k = g->groups[which]++;
  g->tags[which][k] = key;
  g->names[which][k] = name_of(g, dim, tag);
  return k;
}

static bool take_groups(making *g) {
  int most = 1;
  for (int k = 0; k < g->in->entity_count; k++) most += g->in->entities[k].group_count;
  for (int which = 0; which < 2; which++) {
    g->names[which] = SSI_TAKE(&g->o->arena, most + 1, const char *);
    g->tags[which] = SSI_TAKE(&g->scratch, most + 1, int64_t);
  }
  return !g->o->arena.failed && !g->scratch.failed;
}

// ---- cells -----------------------------------------------------------------------------------------

static ss_error put(making *g, ssi_cell_list *list, int which, const ssi_msh_element *e, int tag) {
  ss_element_kind kind = (ss_element_kind)e->kind;
  int *node = ssi_cells_next(list, kind, group_of(g, which, ss_element_dim(kind), tag));
  for (int p = 0; p < corners(e); p++) {
    node[p] = g->number[node_of(g, g->in->corner[e->first + p])];
    if (node[p] < 0)
      return at_line(g, e->line, "a side of no element: its node", g->in->corner[e->first + p]);
  }
  return SS_OK;
}

static ss_error make_cells(making *g) {
  const ssi_msh *in = g->in;
  int count[2] = {0}, nodes[2] = {0};
  for (int k = 0; k < in->element_count; k++) {
    const ssi_msh_element *e = &in->elements[k];
    int which = !is_element(g, e), times = which ? groups_of(g, e) : 1;
    count[which] += times, nodes[which] += times * corners(e);
  }
  ssi_cell_list list[2];
  for (int which = 0; which < 2; which++)
    if (!ssi_cells_begin(&g->o->arena, count[which], nodes[which], &list[which]))
      return ssi_mesh_no_memory(g->t->ctx);
  for (int k = 0; k < in->element_count; k++) {
    const ssi_msh_element *e = &in->elements[k];
    const int *tag = e->entity < 0 ? NULL : in->entities[e->entity].group;
    if (is_element(g, e)) {
      SS_TRY(put(g, &list[0], 0, e, groups_of(g, e) ? tag[0] : -1));
      continue;
    }
    for (int i = 0; i < groups_of(g, e); i++) SS_TRY(put(g, &list[1], 1, e, tag[i]));
  }
  g->o->mesh.elements = ssi_cells_done(&list[0], g->groups[0], g->names[0]);
  g->o->mesh.sides = ssi_cells_done(&list[1], g->groups[1], g->names[1]);
  return g->o->arena.failed ? ssi_mesh_no_memory(g->t->ctx) : SS_OK;
}

static ss_error make(making *g) {
  for (int k = 0; k < g->in->element_count; k++) {
    int dim = ss_element_dim((ss_element_kind)g->in->elements[k].kind);
    if (dim > g->dim) g->dim = dim;
  }
  if (g->dim < 2)
    return ssi_fail(g->t->ctx, SS_ERR_FORMAT,
                    "%s: no triangles, quadrangles, tetrahedra or hexahedra", g->t->name);
  SS_TRY(sort_nodes(g));
  SS_TRY(number_nodes(g));
  if (!take_groups(g)) return ssi_mesh_no_memory(g->t->ctx);
  return make_cells(g);
}

ss_error ssi_msh_to_mesh(ssi_text *t, const ssi_msh *in, ss_mesh **out) {
  making g = {.t = t, .in = in, .o = ssi_mesh_create(t->ctx), .scratch = {.ctx = t->ctx}};
  if (!g.o) return SS_ERR_MEMORY;
  ss_error e = make(&g);
  ssi_arena_release(&g.scratch);
  if (e)
    ss_mesh_destroy(&g.o->mesh);
  else
    *out = &g.o->mesh;
  return e;
}
