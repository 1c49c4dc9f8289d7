// fem/element.h - the kinds of elements: nodes and shape functions on the reference element, and a rule
// for integrals over it.
//
// Tensor kinds (line, quad, hex) live on [-1, 1]^d, simplices on { xi >= 0, sum xi <= 1 }.
#pragma once

#include "stickslip/mesh.h"

enum { SSI_ELEMENT_NODES = 9, SSI_ELEMENT_POINTS = 9 };  // most of any kind

typedef struct ssi_cell_kind {
  const char *name;
  int dim, nodes;
  int order;         // of its polynomials
  bool simplex;      //
  const double *at;  // reference coordinates of the nodes       (nodes dim)
  int points;        // of the rule, exact for products of two shape functions on straight elements
  const double *rule;  // place and weight of each                 (points (dim + 1))
  int gmsh, vtk;       // its number there
} ssi_cell_kind;

enum { SSI_ELEMENT_KINDS = SS_HEX8 + 1 };
const ssi_cell_kind *ssi_element_of(ss_element_kind kind);  // NULL: no such kind

// N_p and dN_p/dxi_a at a place of the reference element.    N (nodes), dN (nodes dim)
void ssi_shape(const ssi_cell_kind *e, const double *xi, double *N, double *dN);

// One point of the rule in an element (or side) with corners x (nodes space), space >= e->dim.
typedef struct ssi_gauss {
  double N[SSI_ELEMENT_NODES];
  double g[SSI_ELEMENT_NODES][3];  // dN_p/dx_a; where space = e->dim
  double x[3];
  double weight;  // times the measure of the map: det J, or the length or area it stretches by
} ssi_gauss;

// false: det J <= 0, the element is inverted there.
bool ssi_gauss_at(const ssi_cell_kind *e, const double *x, int space, int point, ssi_gauss *out);
