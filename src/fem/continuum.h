// fem/continuum.h - matrices and load vectors of linear elasticity on a mesh.
//
//   K_{pa,qb} = ∫ lambda g_p[a] g_q[b] + G (g_p[b] g_q[a] + delta_ab g_p . g_q)       g_p = grad N_p     (1)
//   M_{pa,qb} = ∫ rho N_p N_q delta_ab                                                                   (2)
//
// the same in the plane and in space: lambda and G are Lame's coefficients; of plane stress
// lambda* = 2 lambda G / (lambda + 2 G). Degree of freedom dim p + a: component a of node p.
#pragma once

#include "base/arena.h"
#include "fem/mesh.h"
#include "stickslip/elastic.h"

// A mesh made of something. Borrowed.
typedef struct ssi_continuum {
  const ss_mesh *mesh;
  const ss_elastic_material *material;
  const int *of;  // material of each domain    (mesh->elements.group_count)
  ss_plane plane;
  double thickness;  // of plane bodies; 1 in space
} ssi_continuum;

typedef enum ssi_continuum_matrix {
  SSI_STIFFNESS,
  SSI_VISCOSITY,  // viscosity K + drag M, element by element
  SSI_MASS,
} ssi_continuum_matrix;

typedef struct ssi_lame {
  double lambda, G;
} ssi_lame;
ssi_lame ssi_lame_of(const ss_elastic_material *m, int dim, ss_plane plane);

// (dim nodes)^2, symmetric to the last bit.
ss_error ssi_assemble_continuum(ss_context *ctx, ssi_arena *arena, const ssi_continuum *s,
                                ssi_continuum_matrix which, ss_sparse *out);

// f += ∫ N_p rho a(x): `field` gives a force per mass (or per volume where by_volume) at a point.
typedef void (*ssi_field)(void *user, const double x[3], double out[3]);
void ssi_add_body_force(const ssi_continuum *s, bool by_volume, ssi_field field, void *user,
                        double *f);

// f += ∫ N_p (traction - pressure n) over the sides of a boundary, n outwards. A point carries the vector itself.
// SS_ERR_DATA: pressure where a side is not a face of an element, or has too few dimensions.
ss_error ssi_add_traction(ss_context *ctx, const ssi_continuum *s, int boundary,
                          const double traction[3], double pressure, double *f);

// Stresses xx, yy, zz, xy, yz, zx: mean of each element at the points of its rule.   (6 elements)
void ssi_stresses(const ssi_continuum *s, const double *q, double *sigma);
