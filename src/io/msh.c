// Gmsh's MSH 4.1 in ASCII, as its reference manual describes it (section "MSH file format"): sections $NAME ...
// $EndNAME, of which $MeshFormat, $PhysicalNames, $Entities, $Nodes and $Elements are read, others skipped.
#include "io/msh.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "fem/element.h"

static ss_error no_memory(const ssi_text *t) {
  return ssi_fail(t->ctx, SS_ERR_MEMORY, "%s: no memory for this mesh", t->name);
}

static ss_error wrong(const ssi_text *t, int64_t line, const char *what, int64_t number) {
  return ssi_fail(t->ctx, SS_ERR_FORMAT, "%s:%lld: %s %lld", t->name, (long long)line, what,
                  (long long)number);
}

static ss_error read_count(ssi_text *t, const char *what, int *out) {
  int64_t n;
  SS_TRY(ssi_text_integer(t, what, -1, 0, INT_MAX / 64, &n));
  *out = (int)n;
  return SS_OK;
}

static ss_error read_tag(ssi_text *t, const char *what, int *out) {
  int64_t n;
  SS_TRY(ssi_text_integer(t, what, -1, -INT_MAX, INT_MAX, &n));
  *out = (int)n;
  return SS_OK;
}

// ---- $MeshFormat, $PhysicalNames -------------------------------------------------------------------

static ss_error read_format(ssi_text *t) {
  double version;
  int64_t kind, size;
  SS_TRY(ssi_text_number(t, "the version of the format, 4.1", -1, &version));
  if (version < 4.05 || version >= 5)
    return ssi_fail(t->ctx, SS_ERR_FORMAT,
                    "%s:%lld: version %g, expected 4.1 (gmsh: Mesh.MshFileVersion = 4.1)", t->name,
                    (long long)t->line, version);
  SS_TRY(ssi_text_integer(t, "0 for ASCII", -1, 0, 1, &kind));
  if (kind)
    return ssi_fail(t->ctx, SS_ERR_FORMAT,
                    "%s:%lld: a binary file, expected ASCII (gmsh: Mesh.Binary = 0)", t->name,
                    (long long)t->line);
  return ssi_text_integer(t, "the size of numbers", -1, 1, 64, &size);
}

// "a name", with its quotes.
static ss_error read_name(ssi_text *t, ssi_arena *arena, const char **out) {
  if (!ssi_text_more(t) || *t->at != '"') return ssi_text_unexpected(t, "a name in quotes");
  const char *from = ++t->at;
  while (t->at < t->end && *t->at != '"' && *t->at != '\n') t->at++;
  if (t->at == t->end || *t->at != '"') return ssi_text_unexpected(t, "a quote after the name");
  size_t length = (size_t)(t->at++ - from);
  char *name = SSI_TAKE(arena, length + 1, char);
  if (!name) return no_memory(t);
  memcpy(name, from, length);
  *out = name;
  return SS_OK;
}

static ss_error read_names(ssi_text *t, ssi_arena *arena, ssi_msh *out) {
  SS_TRY(read_count(t, "the number of physical names", &out->group_count));
  SS_TRY(ssi_text_room(t, "physical names", out->group_count, 4));
  out->groups = SSI_TAKE(arena, out->group_count + 1, ssi_msh_group);
  if (!out->groups) return no_memory(t);
  for (int k = 0; k < out->group_count; k++) {
    ssi_msh_group *g = &out->groups[k];
    SS_TRY(read_tag(t, "the dimension of a group", &g->dim));
    SS_TRY(read_tag(t, "the tag of a group", &g->tag));
    SS_TRY(read_name(t, arena, &g->name));
  }
  return SS_OK;
}

// ---- $Entities -------------------------------------------------------------------------------------

static ss_error read_entity(ssi_text *t, ssi_arena *arena, int dim, ssi_msh_entity *e) {
  double skipped;
  int bounds = 0, unused;
  e->dim = dim;
  SS_TRY(read_tag(t, "the tag of an entity", &e->tag));
  for (int k = 0; k < (dim ? 6 : 3); k++)
    SS_TRY(ssi_text_number(t, "a coordinate of an entity", -1, &skipped));
  SS_TRY(read_count(t, "the number of its physical groups", &e->group_count));
  SS_TRY(ssi_text_room(t, "physical groups", e->group_count, 2));
  int *group = SSI_TAKE(arena, e->group_count + 1, int);
  if (!group) return no_memory(t);
  for (int k = 0; k < e->group_count; k++) {
    SS_TRY(read_tag(t, "the tag of a group", &group[k]));
    if (group[k] < 0) group[k] = -group[k];  // the sign is an orientation
  }
  e->group = group;
  if (dim) SS_TRY(read_count(t, "the number of its bounding entities", &bounds));
  for (int k = 0; k < bounds; k++) SS_TRY(read_tag(t, "a bounding entity", &unused));
  return SS_OK;
}

static ss_error read_entities(ssi_text *t, ssi_arena *arena, ssi_msh *out) {
  int count[4], all = 0;
  for (int dim = 0; dim < 4; dim++) {
    SS_TRY(read_count(t, "the number of entities of a dimension", &count[dim]));
    all += count[dim];
  }
  SS_TRY(ssi_text_room(t, "entities", all, 8));
  out->entities = SSI_TAKE(arena, all + 1, ssi_msh_entity);
  if (!out->entities) return no_memory(t);
  for (int dim = 0; dim < 4; dim++)
    for (int k = 0; k < count[dim]; k++)
      SS_TRY(read_entity(t, arena, dim, &out->entities[out->entity_count++]));
  return SS_OK;
}

// ---- $Nodes, $Elements -----------------------------------------------------------------------------

typedef struct msh_block {
  int dim, entity, kind, count;  // kind: parametric, or the type of elements
} msh_block;

static ss_error read_block(ssi_text *t, const char *kind, msh_block *b) {
  SS_TRY(read_tag(t, "the dimension of an entity", &b->dim));
  SS_TRY(read_tag(t, "the tag of an entity", &b->entity));
  SS_TRY(read_tag(t, kind, &b->kind));
  return read_count(t, "how many there are", &b->count);
}

static ss_error read_head(ssi_text *t, int *blocks, int *all) {
  int64_t least, most;
  SS_TRY(read_count(t, "the number of blocks", blocks));
  SS_TRY(read_count(t, "how many there are in all", all));
  SS_TRY(ssi_text_integer(t, "the smallest tag", -1, INT64_MIN, INT64_MAX, &least));
  SS_TRY(ssi_text_integer(t, "the largest tag", -1, INT64_MIN, INT64_MAX, &most));
  return ssi_text_room(t, "nodes or elements", *all, 4);
}

static ss_error read_nodes(ssi_text *t, ssi_arena *arena, ssi_msh *out) {
  int blocks, all;
  SS_TRY(read_head(t, &blocks, &all));
  out->x = SSI_TAKE(arena, 3 * (size_t)all + 1, double);
  out->tag = SSI_TAKE(arena, all + 1, int64_t);
  if (!out->x || !out->tag) return no_memory(t);
  for (int k = 0; k < blocks; k++) {
    msh_block b;
    double skipped;
    SS_TRY(read_block(t, "0 or 1 for parametric", &b));
    if (b.count > all - out->nodes) return wrong(t, t->line, "more nodes than said:", all);
    for (int i = 0; i < b.count; i++)
      SS_TRY(ssi_text_integer(t, "the tag of a node", -1, 1, INT64_MAX, &out->tag[out->nodes + i]));
    for (int i = 0; i < b.count; i++) {
      for (int a = 0; a < 3; a++)
        SS_TRY(ssi_text_number(t, "a coordinate of a node", -1, &out->x[3 * out->nodes + a]));
      for (int a = 0; a < (b.kind ? b.dim : 0); a++)
        SS_TRY(ssi_text_number(t, "a parameter of a node", -1, &skipped));
      out->nodes++;
    }
  }
  return SS_OK;
}

static int kind_of_type(int type) {
  for (int k = 0; k < SSI_ELEMENT_KINDS; k++)
    if (ssi_element_of((ss_element_kind)k)->gmsh == type) return k;
  return -1;
}

static int find_entity(const ssi_msh *m, int dim, int tag) {
  for (int k = 0; k < m->entity_count; k++)
    if (m->entities[k].dim == dim && m->entities[k].tag == tag) return k;
  return -1;
}

static ss_error read_elements(ssi_text *t, ssi_arena *arena, ssi_msh *out) {
  int blocks, all, used = 0;
  SS_TRY(read_head(t, &blocks, &all));
  out->elements = SSI_TAKE(arena, all + 1, ssi_msh_element);
  out->corner = SSI_TAKE(arena, (size_t)all * SSI_ELEMENT_NODES + 1, int64_t);
  if (!out->elements || !out->corner) return no_memory(t);
  for (int k = 0; k < blocks; k++) {
    msh_block b;
    int64_t unused;
    SS_TRY(read_block(t, "the type of elements", &b));
    int kind = kind_of_type(b.kind), entity = find_entity(out, b.dim, b.entity);
    if (kind < 0)
      return wrong(t, t->line,
                   "expected elements of type 1 to 5, 8, 9, 10 or 15 (lines, triangles, "
                   "quadrangles of order 1 and 2; tetrahedra, hexahedra; points), found type",
                   b.kind);
    if (b.count > all - out->element_count)
      return wrong(t, t->line, "more elements than said:", all);
    for (int i = 0; i < b.count; i++) {
      SS_TRY(ssi_text_integer(t, "the tag of an element", -1, 1, INT64_MAX, &unused));
      out->elements[out->element_count++] = (ssi_msh_element){kind, entity, used, t->line};
      for (int p = 0; p < ss_element_nodes((ss_element_kind)kind); p++)
        SS_TRY(ssi_text_integer(t, "the tag of a node", -1, 1, INT64_MAX, &out->corner[used++]));
    }
  }
  return SS_OK;
}

// ---- sections --------------------------------------------------------------------------------------

static ss_error skip_section(ssi_text *t, const char *name, size_t length) {
  int64_t begin = t->line;
  while (ssi_text_more(t)) {
    if ((size_t)(t->end - t->at) >= length + 4 && strncmp(t->at, "$End", 4) == 0 &&
        strncmp(t->at + 4, name, length) == 0) {
      ssi_text_skip_word(t);
      return SS_OK;
    }
    ssi_text_skip_line(t);
  }
  return ssi_fail(t->ctx, SS_ERR_FORMAT, "%s:%lld: the section $%.*s has no $End%.*s", t->name,
                  (long long)begin, (int)length, name, (int)length, name);
}

typedef struct section {
  const char *name, *end;
  ss_error (*read)(ssi_text *t, ssi_arena *arena, ssi_msh *out);
} section;

static const section sections[] = {{"$PhysicalNames", "$EndPhysicalNames", read_names},
                                   {"$Entities", "$EndEntities", read_entities},
                                   {"$Nodes", "$EndNodes", read_nodes},
                                   {"$Elements", "$EndElements", read_elements}};
enum { SECTIONS = sizeof sections / sizeof *sections };

static ss_error read_section(ssi_text *t, ssi_arena *arena, ssi_msh *out, bool *had) {
  if (*t->at != '$') return ssi_text_unexpected(t, "a section, $NAME");
  const char *name = t->at + 1;
  size_t length = 0;
  while (name + length < t->end && (unsigned char)name[length] > ' ') length++;
  for (int k = 0; k < SECTIONS; k++) {
    if (strlen(sections[k].name) != length + 1 || strncmp(sections[k].name, t->at, length + 1) != 0)
      continue;
    if (had[k]) return ssi_text_unexpected(t, "each section once");
    had[k] = true;
    ssi_text_skip_word(t);
    SS_TRY(sections[k].read(t, arena, out));
    return ssi_text_literal(t, sections[k].end);
  }
  ssi_text_skip_word(t);
  return skip_section(t, name, length);
}

ss_error ssi_msh_read(ssi_text *t, ssi_arena *arena, ssi_msh *out) {
  bool had[SECTIONS] = {false};
  *out = (ssi_msh){0};
  SS_TRY(ssi_text_literal(t, "$MeshFormat"));
  SS_TRY(read_format(t));
  SS_TRY(ssi_text_literal(t, "$EndMeshFormat"));
  while (ssi_text_more(t)) SS_TRY(read_section(t, arena, out, had));
  if (!had[2] || !had[3])
    return ssi_fail(t->ctx, SS_ERR_FORMAT, "%s: no section %s", t->name,
                    had[2] ? "$Elements" : "$Nodes");
  return SS_OK;
}

ss_error ss_mesh_parse(ss_context *ctx, const char *name, const char *text, size_t size,
                       ss_mesh **out) {
  if (!text || !out) return ssi_fail(ctx, SS_ERR_ARGUMENT, "ss_mesh_parse: null argument");
  *out = NULL;
  ssi_source source = {name ? name : "mesh", text, size};
  ssi_arena scratch = {.ctx = ctx};
  ssi_text t;
  ssi_msh file;
  ssi_text_begin(&t, ctx, &source);
  ss_error e = ssi_msh_read(&t, &scratch, &file);
  if (!e) e = ssi_msh_to_mesh(&t, &file, out);
  ssi_arena_release(&scratch);
  return e;
}

ss_error ss_mesh_open(ss_context *ctx, const char *path, ss_mesh **out) {
  if (!path || !out) return ssi_fail(ctx, SS_ERR_ARGUMENT, "ss_mesh_open: null argument");
  *out = NULL;
  ssi_arena scratch = {.ctx = ctx};
  ssi_source source;
  ss_error e = ssi_input_read_judged(ctx, path, ssi_may_be_text, &scratch, &source);
  if (!e) e = ss_mesh_parse(ctx, source.name, source.bytes, source.size, out);
  ssi_arena_release(&scratch);
  return e;
}
