// io/msh.h - a Gmsh file (MSH 4.1, ASCII) as it stands, before it becomes a mesh. Private.
#pragma once

#include "io/text.h"
#include "stickslip/mesh.h"

typedef struct ssi_msh_group {  // a physical group
  int dim, tag;
  const char *name;  // NULL: none given
} ssi_msh_group;

typedef struct ssi_msh_entity {
  int dim, tag;
  int group_count;
  const int *group;  // tags of physical groups; as in the file, without sign   (group_count)
} ssi_msh_entity;

typedef struct ssi_msh_element {
  int kind;    // ss_element_kind
  int entity;  // index into entities, or -1: of none that is listed
  int first;   // of its nodes
  int64_t line;
} ssi_msh_element;

typedef struct ssi_msh {
  ssi_msh_group *groups;
  int group_count;
  ssi_msh_entity *entities;
  int entity_count;
  double *x;     // (3 nodes)
  int64_t *tag;  // (nodes)
  int nodes;
  ssi_msh_element *elements;
  int element_count;
  int64_t *corner;  // tags of nodes
} ssi_msh;

// What is read goes into the arena.
ss_error ssi_msh_read(ssi_text *t, ssi_arena *arena, ssi_msh *out);
// msh_mesh.c: nodes numbered, groups named, sides and elements told apart.
ss_error ssi_msh_to_mesh(ssi_text *t, const ssi_msh *in, ss_mesh **out);
