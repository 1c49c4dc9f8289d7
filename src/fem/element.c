#include "fem/element.h"

#include <math.h>
#include <string.h>

// ---- reference elements --------------------------------------------------------------------------

static const double line2_at[] = {-1, 1}, line3_at[] = {-1, 1, 0};
static const double triangle_at[] = {0, 0, 1, 0, 0, 1, 0.5, 0, 0.5, 0.5, 0, 0.5};
static const double quad_at[] = {-1, -1, 1, -1, 1, 1, -1, 1, 0, -1, 1, 0, 0, 1, -1, 0, 0, 0};
static const double tet_at[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
static const double hex_at[] = {-1, -1, -1, 1, -1, -1, 1, 1, -1, -1, 1, -1,
                                -1, -1, 1,  1, -1, 1,  1, 1, 1,  -1, 1, 1};

// ---- rules: Gauss on tensor kinds; on simplices [Zie05, tables 5.3, 5.4] ---------------------------

#define A 0.57735026918962576451  // 1/sqrt(3)
#define B 0.77459666924148337704  // sqrt(3/5)
#define P (5. / 9)
#define Q (8. / 9)
static const double point_rule[] = {1};
static const double line2_rule[] = {-A, 1, A, 1};
static const double line3_rule[] = {-B, P, 0, Q, B, P};
static const double quad4_rule[] = {-A, -A, 1, A, -A, 1, A, A, 1, -A, A, 1};
static const double quad9_rule[] = {-B, -B, P *P, 0, -B, Q *P, B, -B, P *P,
                                    -B, 0,  P *Q, 0, 0,  Q *Q, B, 0,  P *Q,
                                    -B, B,  P *P, 0, B,  Q *P, B, B,  P *P};
static const double hex8_rule[] = {-A, -A, -A, 1, A, -A, -A, 1, A, A, -A, 1, -A, A, -A, 1,
                                   -A, -A, A,  1, A, -A, A,  1, A, A, A,  1, -A, A, A,  1};
static const double triangle3_rule[] = {1. / 6, 1. / 6, 1. / 6, 2. / 3, 1. / 6,
                                        1. / 6, 1. / 6, 2. / 3, 1. / 6};
#define T1 0.44594849091596488632
#define T2 0.09157621350977074346
#define V1 0.11169079483900573285
#define V2 0.05497587182766093382
static const double triangle6_rule[] = {T1, T1, V1, 1 - 2 * T1, T1, V1, T1, 1 - 2 * T1, V1,
                                        T2, T2, V2, 1 - 2 * T2, T2, V2, T2, 1 - 2 * T2, V2};
#define E 0.13819660112501051518  // (5 - sqrt(5))/20
#define F (1 - 3 * E)
static const double tet4_rule[] = {E, E, E, 1. / 24, F, E, E, 1. / 24,
                                   E, F, E, 1. / 24, E, E, F, 1. / 24};

static const ssi_cell_kind kinds[] = {
    [SS_POINT1] = {"point1", 0, 1, 0, false, NULL, 1, point_rule, 15, 1},
    [SS_LINE2] = {"line2", 1, 2, 1, false, line2_at, 2, line2_rule, 1, 3},
    [SS_LINE3] = {"line3", 1, 3, 2, false, line3_at, 3, line3_rule, 8, 21},
    [SS_TRIANGLE3] = {"triangle3", 2, 3, 1, true, triangle_at, 3, triangle3_rule, 2, 5},
    [SS_TRIANGLE6] = {"triangle6", 2, 6, 2, true, triangle_at, 6, triangle6_rule, 9, 22},
    [SS_QUAD4] = {"quad4", 2, 4, 1, false, quad_at, 4, quad4_rule, 3, 9},
    [SS_QUAD9] = {"quad9", 2, 9, 2, false, quad_at, 9, quad9_rule, 10, 28},
    [SS_TET4] = {"tet4", 3, 4, 1, true, tet_at, 4, tet4_rule, 4, 10},
    [SS_HEX8] = {"hex8", 3, 8, 1, false, hex_at, 8, hex8_rule, 5, 12},
};

const ssi_cell_kind *ssi_element_of(ss_element_kind kind) {
  return (int)kind >= 0 && (int)kind < SSI_ELEMENT_KINDS ? &kinds[kind] : NULL;
}

const char *ss_element_name(ss_element_kind k) {
  const ssi_cell_kind *e = ssi_element_of(k);
  return e ? e->name : NULL;
}

int ss_element_nodes(ss_element_kind k) {
  const ssi_cell_kind *e = ssi_element_of(k);
  return e ? e->nodes : 0;
}

int ss_element_dim(ss_element_kind k) {
  const ssi_cell_kind *e = ssi_element_of(k);
  return e ? e->dim : -1;
}

// ---- shape functions -------------------------------------------------------------------------------

// Lagrange's polynomial on {-1, 1} or {-1, 0, 1} that is 1 at `node`, and its derivative.
static void lagrange(int order, double node, double x, double *value, double *slope) {
  if (order == 1) {
    *value = 0.5 * (1 + node * x);
    *slope = 0.5 * node;
  } else if (node == 0) {
    *value = 1 - x * x;
    *slope = -2 * x;
  } else {
    *value = 0.5 * x * (x + node);
    *slope = x + 0.5 * node;
  }
}

static void tensor_shape(const ssi_cell_kind *e, const double *xi, double *N, double *dN) {
  for (int p = 0; p < e->nodes; p++) {
    double value[3], slope[3], product = 1;
    for (int a = 0; a < e->dim; a++) {
      lagrange(e->order, e->at[p * e->dim + a], xi[a], &value[a], &slope[a]);
      product *= value[a];
    }
    N[p] = product;
    for (int a = 0; a < e->dim; a++) {
      double d = slope[a];
      for (int b = 0; b < e->dim; b++) d *= b == a ? 1 : value[b];
      dN[p * e->dim + a] = d;
    }
  }
}

// Barycentric L_0 = 1 - sum xi, L_k = xi_k: N = L_p (order 1), L_p (2 L_p - 1) and 4 L_p L_q (order 2).
static void simplex_shape(const ssi_cell_kind *e, const double *xi, double *N, double *dN) {
  static const int edge[3][2] = {{0, 1}, {1, 2}, {2, 0}};
  double L[4] = {1}, dL[4][3];
  int corners = e->dim + 1;
  for (int a = 0; a < e->dim; a++) L[0] -= xi[a], L[a + 1] = xi[a];
  for (int p = 0; p < corners; p++)
    for (int a = 0; a < e->dim; a++) dL[p][a] = p == 0 ? -1 : p == a + 1;
  for (int p = 0; p < e->nodes; p++)
    for (int a = 0; a < e->dim; a++) {
      double *d = &dN[p * e->dim + a];
      if (e->order == 1) {
        N[p] = L[p], *d = dL[p][a];
      } else if (p < corners) {
        N[p] = L[p] * (2 * L[p] - 1), *d = (4 * L[p] - 1) * dL[p][a];
      } else {
        int i = edge[p - corners][0], j = edge[p - corners][1];
        N[p] = 4 * L[i] * L[j], *d = 4 * (dL[i][a] * L[j] + L[i] * dL[j][a]);
      }
    }
}

void ssi_shape(const ssi_cell_kind *e, const double *xi, double *N, double *dN) {
  if (e->dim == 0)
    N[0] = 1;
  else if (e->simplex)
    simplex_shape(e, xi, N, dN);
  else
    tensor_shape(e, xi, N, dN);
}

// ---- in the mesh -----------------------------------------------------------------------------------

// J^-1 of a dim x dim matrix, row-major, and its determinant.
static double invert(int dim, const double J[9], double inverse[9]) {
  if (dim == 2) {
    double det = J[0] * J[3] - J[1] * J[2];
    inverse[0] = J[3] / det, inverse[1] = -J[1] / det;
    inverse[2] = -J[2] / det, inverse[3] = J[0] / det;
    return det;
  }
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      int a = (j + 1) % 3, b = (j + 2) % 3, c = (i + 1) % 3, d = (i + 2) % 3;
      inverse[3 * i + j] = J[3 * a + c] * J[3 * b + d] - J[3 * a + d] * J[3 * b + c];
    }
  double det = J[0] * inverse[0] + J[1] * inverse[3] + J[2] * inverse[6];
  for (int k = 0; k < 9; k++) inverse[k] /= det;
  return det;
}

// Length or area that the map of a side stretches by: sqrt det(J J^T).
static double stretch(int dim, int space, const double J[9]) {
  double G[4] = {0};
  if (dim == 0) return 1;
  for (int a = 0; a < dim; a++)
    for (int b = 0; b < dim; b++)
      for (int k = 0; k < space; k++) G[dim * a + b] += J[space * a + k] * J[space * b + k];
  return sqrt(dim == 1 ? G[0] : G[0] * G[3] - G[1] * G[2]);
}

bool ssi_gauss_at(const ssi_cell_kind *e, const double *x, int space, int point, ssi_gauss *out) {
  const double *rule = e->rule + (size_t)point * ((size_t)e->dim + 1);
  double dN[SSI_ELEMENT_NODES * 3] = {0}, J[9] = {0}, inverse[9];  // J_ak = dx_k/dxi_a
  ssi_shape(e, rule, out->N, dN);
  memset(out->x, 0, sizeof out->x);
  for (int p = 0; p < e->nodes; p++)
    for (int k = 0; k < space; k++) {
      out->x[k] += out->N[p] * x[p * space + k];
      for (int a = 0; a < e->dim; a++) J[space * a + k] += dN[p * e->dim + a] * x[p * space + k];
    }
  if (e->dim < space) {
    out->weight = rule[e->dim] * stretch(e->dim, space, J);
    return true;
  }
  double det = invert(e->dim, J, inverse);
  out->weight = rule[e->dim] * det;
  for (int p = 0; p < e->nodes; p++)
    for (int k = 0; k < space; k++) {
      out->g[p][k] = 0;  // dN/dx_k = sum_a (J^-1)_ka dN/dxi_a
      for (int a = 0; a < e->dim; a++) out->g[p][k] += inverse[space * k + a] * dN[p * e->dim + a];
    }
  return det > 0;
}
