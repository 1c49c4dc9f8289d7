// elastic/body.h - inner parts of stickslip/elastic.h: from a scene to a structure.
#pragma once

#include "base/arena.h"
#include "fem/continuum.h"

// One contact on its way: gap = n . (x_slave - sum_p weight_p x_master_p) + gap.
typedef struct ssi_touch_node {
  ss_elastic_contact is;
  int masters;                       // 0: an obstacle
  int master[SSI_ELEMENT_NODES];     // nodes
  double weight[SSI_ELEMENT_NODES];  //
  double gap;                        // of the undeformed bodies
  double mu;
  double along;  // place along the first tangent: contacts are sorted by it
} ssi_touch_node;

typedef struct ssi_building {
  ss_context *ctx;
  const ss_elastic_scene *scene;
  ssi_arena *arena;  // what stays
  ss_mesh *mesh;
  ssi_continuum solid;
  const int *neighbour;  // of each side
  ss_prescribed *prescribed;
  int prescribed_count;
  int *holder;  // support that prescribes a dof, or -1     (ndof)
  ssi_touch_node *touch;
  int touch_count;
  size_t touch_room;  // in ctx memory: released by the builder
} ssi_building;

ss_error ssi_body_no_memory(ss_context *ctx);
// The number of a boundary; an error that names the nearest one.
ss_error ssi_find_boundary(const ssi_building *b, const char *what, int index, const char *name,
                           int *out);

// body_contacts.c, body_pairs.c: append to touch
ss_error ssi_touch_obstacles(ssi_building *b);
ss_error ssi_touch_pairs(ssi_building *b);
ssi_touch_node *ssi_touch_next(ssi_building *b);  // zeroed; NULL: no memory, said
// n . arm + c s^2/2 with s the part of arm across n: the gap of a node `arm` away from the apex of a parabola.
double ssi_parabola_gap(const double n[3], const double arm[3], double curvature);
// Node by node: is it on the boundary, and ∫ N over its sides.  on (nodes), share (nodes)
bool ssi_boundary_nodes(const ssi_building *b, int boundary, bool *on, double *share);
// Outward normals of its nodes, mean of their sides, 0 where these have no outside; and the largest diameter of a
// node's sides.  normal (3 nodes), width (nodes)
void ssi_boundary_normals(const ssi_building *b, int boundary, double *normal, double *width);
// Do all contacts from `first` on have normals that point out of the body they are on?
bool ssi_faces_away(const ssi_building *b, int first, const double *outward);
// Held in every direction: it cannot move towards anything.
bool ssi_node_held(const ssi_building *b, int node);

// body_loads.c: prescribed, and terms of f
ss_error ssi_body_supports(ssi_building *b);
ss_error ssi_body_loads(ssi_building *b, const ss_sparse *M, ss_history_term **out, int *count);

// body_held.c: a motion of a part that nothing resists is SS_ERR_DATA with the name of its body
ss_error ssi_check_held(ssi_building *b);

// body_mass.c: the mass of contact nodes goes to the other nodes of their elements
ss_error ssi_redistributed_mass(ssi_building *b, ss_sparse *out);
