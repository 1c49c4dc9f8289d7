// stickslip/elastic.h - elastic bodies: meshes made of materials, held, loaded and in contact.
//
// Small strains, linear elasticity, in the plane (strain or stress) or in space. Contacts are nodes: with
// rigid obstacles, flat or parabolic, or of one boundary against another. What comes out is an
// ss_structure (structure.h), to be stepped in time or asked for all its solutions.
#pragma once

#include "stickslip/mesh.h"
#include "stickslip/structure.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ss_plane { SS_PLANE_STRAIN, SS_PLANE_STRESS } ss_plane;

typedef struct ss_elastic_material {
  const char *name;
  double E, nu;      // E > 0, -1 < nu < 1/2
  double rho;        // density
  double viscosity;  // a time: C = viscosity K + drag M
  double drag;       // one over a time
} ss_elastic_material;

typedef struct ss_domain_material {
  const char *domain;  // of the joined mesh: "domain", or "body.domain" where there are several
  int material;
} ss_domain_material;

typedef struct ss_elastic_body {
  const char *name;
  const ss_mesh *mesh;
  int material;    // of its domains that are not named below
  double move[3];  // added to the places of its nodes
} ss_elastic_body;

// Boundaries are named "boundary", or "body.boundary" where there are several bodies.

typedef struct ss_support {  // displacements of a boundary's nodes
  const char *boundary;
  bool held[3];     // which components
  double value[3];  // what they are, times the factor
  const ss_history *factor;
} ss_support;

typedef struct ss_surface_load {
  const char *boundary;
  double traction[3];  // force per area (2D: per length and thickness); on points: force
  double pressure;     // against the outward normal
  const ss_history *factor;
} ss_surface_load;

typedef struct ss_gravity {  // times the density
  double acceleration[3];
  const ss_history *factor;
} ss_gravity;

typedef struct ss_obstacle_motion {
  double displacement[3];
  const ss_history *factor;
} ss_obstacle_motion;

// Rigid: { x : n . (x - p) <= c s^2/2 }, s the distance from p along the plane. Gap n . (x - p) + c s^2/2 with
// s of the undeformed node: c = 1/R is a parabola of radius R at its apex, 0 a plane.
typedef struct ss_obstacle {
  const char *name;      // NULL: none
  const char *boundary;  // of the body
  double point[3];
  double normal[3];  // towards the body
  double curvature;
  double reach;  // nodes farther from `point`, along the plane, cannot touch; 0: no limit
  double mu;
  const ss_obstacle_motion *motions;
  int motion_count;
} ss_obstacle;

typedef enum ss_pairing {
  SS_PAIR_NODES,     // each node with the nearest one opposite
  SS_PAIR_SEGMENTS,  // each node with its foot on the sides opposite
} ss_pairing;

// gap n . (x_slave - x_master) + c s^2/2, n of the master, outwards; s the distance of the slave's node from
// `point` along the contact: c is the curvature of bodies that the meshes draw flat.
typedef struct ss_contact_pair {
  const char *name;
  const char *slave, *master;
  ss_pairing pairing;
  double normal[3];  // 0: of the master's sides
  double reach;      // nodes farther apart are no contact; 0: no limit
  double mu;
  double point[3];
  double curvature;
} ss_contact_pair;

typedef struct ss_elastic_scene {
  const char *title;
  int dim;
  ss_plane plane;
  double thickness;
  const ss_elastic_material *materials;
  int material_count;
  const ss_elastic_body *bodies;
  int body_count;
  const ss_domain_material *domains;
  int domain_count;
  const ss_support *supports;
  int support_count;
  const ss_surface_load *loads;
  int load_count;
  const ss_gravity *gravity;
  int gravity_count;
  const ss_obstacle *obstacles;
  int obstacle_count;
  const ss_contact_pair *pairs;
  int pair_count;
  bool redistribute_mass;  // contact nodes carry none; moreau
  ss_march_options stepping;
} ss_elastic_scene;
SS_API ss_elastic_scene ss_elastic_scene_default(int dim);

// Bytes that stepping takes, about: by the meshes alone; by matrices and contacts.
SS_API double ss_elastic_memory(const ss_elastic_scene *scene);
SS_API double ss_structure_memory(const ss_structure *s);

typedef struct ss_elastic_contact {
  int node;          // of the joined mesh: the slave
  int source;        // which obstacle, or obstacle_count + which pair
  double point[3];   // of the node, undeformed
  double normal[3];  // world axes; tangents: 2D (n_y, -n_x), 3D by the rule of docs/formats-json.md
  double share;      // of the boundary that the node stands for: length (area), times the thickness
} ss_elastic_contact;

// The model: joined mesh, matrices, contacts. The scene must outlive it.
typedef struct ss_elastic {
  ss_mesh *mesh;
  ss_structure structure;
  const ss_elastic_contact *contacts;  // (structure.nc)
  const ss_elastic_scene *scene;
} ss_elastic;
SS_API ss_error ss_elastic_build(ss_context *ctx, const ss_elastic_scene *scene, ss_elastic **out);
SS_API void ss_elastic_destroy(ss_elastic *e);  // NULL allowed

// Stresses xx, yy, zz, xy, yz, zx of each element, their mean, for displacements q.     (6 elements)
SS_API void ss_elastic_stresses(const ss_elastic *e, const double *q, double *sigma);

#ifdef __cplusplus
}
#endif
