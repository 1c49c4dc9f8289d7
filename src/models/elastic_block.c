// An elastic block above an obstacle, after Klarbring: plane strain, nx x ny bilinear quadrilaterals,
// the left side held, the lower nodes (without the held one) free to touch the obstacle, pressure and
// shear on the upper side. Nodes (i, j) at x = i dx + lean y, y = j dy: every element is the same
// parallelogram. K x = F + H^T r gives M = K, f = -F; H picks y (normal) and x of the lower nodes.
//
// Stiffness of an element: integral of B^T D B with 2 x 2 Gauss points, which is exact for
// parallelograms (constant Jacobian, B linear in each coordinate).
#include <math.h>

#include "base/error.h"
#include "models/model.h"

static const ss_model_parameter rows[] = {
    {"nx", "2", 1, 16, true, "elements along x, and contact nodes"},
    {"ny", "2", 1, 16, true, "elements along y"},
    {"width", "1", SSI_POSITIVE, "along the obstacle"},
    {"height", "1", SSI_POSITIVE, "above it"},
    {"lean", "0", -100, 100, false, "dx/dy of the sides: the block leans over"},
    {"E", "1", SSI_POSITIVE, "Young's modulus"},
    {"nu", "0.3", -0.99, 0.4999, false, "Poisson's ratio"},
    {"pressure", "1", SSI_ANY, "on the upper side, towards the obstacle"},
    {"shear", "1", SSI_ANY, "on the upper side, along x"},
    {"gap", "0", SSI_NOT_LESS, "distance from the obstacle before"},
    SSI_MU("1/2"),
};

typedef struct mesh {
  int nx, ny;
  double dx, dy, lean;  // of an element
  double D[3];          // plane strain: D11, D12, D33
} mesh;

// The first dof of node (i, j); -1 on the side that is held.
static int dof(const mesh *m, int i, int j) {
  return i == 0 ? -1 : 2 * ((i - 1) * (m->ny + 1) + j);
}

static mesh get_mesh(const ssi_draft *d) {
  double E = ssi_get(d, "E").x, nu = ssi_get(d, "nu").x, a = E / ((1 + nu) * (1 - 2 * nu));
  mesh m = {.nx = (int)ssi_get(d, "nx").x,
            .ny = (int)ssi_get(d, "ny").x,
            .lean = ssi_get(d, "lean").x,
            .D = {a * (1 - nu), a * nu, E / (2 * (1 + nu))}};
  m.dx = ssi_get(d, "width").x / m.nx;
  m.dy = ssi_get(d, "height").x / m.ny;
  return m;
}

// dN/dx and dN/dy of the corners (0,0), (1,0), (0,1), (1,1) at the place (a, b) of the unit square:
// x = dx a + lean dy b, y = dy b, so d/dx = d/da / dx, d/dy = d/db / dy - lean d/dx.
static void shape_gradients(const mesh *m, double a, double b, double g[4][2]) {
  for (int k = 0; k < 4; k++) {
    double fa = k % 2 ? a : 1 - a, fb = k / 2 ? b : 1 - b;
    double ga = k % 2 ? 1 : -1, gb = k / 2 ? 1 : -1;
    g[k][0] = ga * fb / m->dx;
    g[k][1] = gb * fa / m->dy - m->lean * g[k][0];
  }
}

static void element_stiffness(const mesh *m, double K[8][8]) {
  for (int i = 0; i < 64; i++) K[i / 8][i % 8] = 0;
  for (int point = 0; point < 4; point++) {
    double low = 0.5 - sqrt(1.0 / 12), high = 0.5 + sqrt(1.0 / 12), g[4][2];
    shape_gradients(m, point % 2 ? high : low, point / 2 ? high : low, g);
    double weight = m->dx * m->dy / 4;
    for (int p = 0; p < 4; p++)
      for (int q = 0; q < 4; q++) {
        // B_p^T D B_q with B_p = [ g_x, 0; 0, g_y; g_y, g_x ]
        const double *a = g[p], *b = g[q];
        K[2 * p][2 * q] += weight * (m->D[0] * a[0] * b[0] + m->D[2] * a[1] * b[1]);
        K[2 * p][2 * q + 1] += weight * (m->D[1] * a[0] * b[1] + m->D[2] * a[1] * b[0]);
        K[2 * p + 1][2 * q] += weight * (m->D[1] * a[1] * b[0] + m->D[2] * a[0] * b[1]);
        K[2 * p + 1][2 * q + 1] += weight * (m->D[0] * a[1] * b[1] + m->D[2] * a[0] * b[0]);
      }
  }
}

static void add_element(ssi_draft *d, const mesh *m, int i, int j, double K[8][8]) {
  for (int p = 0; p < 4; p++)
    for (int q = 0; q < 4; q++) {
      int row = dof(m, i + p % 2, j + p / 2), col = dof(m, i + q % 2, j + q / 2);
      if (row < 0 || col < 0) continue;
      for (int k = 0; k < 4; k++)
        ssi_M(d, row + k / 2, col + k % 2)->x += K[2 * p + k / 2][2 * q + k % 2];
    }
}

// Doubles only; the two halves of K made equal, so that it is symmetric to the last bit.
static void settle_stiffness(ssi_draft *d) {
  for (int i = 0; i < d->ndof; i++)
    for (int j = i; j < d->ndof; j++) {
      ssi_number n = {ssi_M(d, i, j)->x, {0, 0}};
      *ssi_M(d, i, j) = *ssi_M(d, j, i) = n;
    }
}

static ss_error build(ssi_draft *d) {
  mesh m = get_mesh(d);
  double K[8][8], pressure = ssi_get(d, "pressure").x, shear = ssi_get(d, "shear").x;
  SS_TRY(ssi_draft_begin(d, 2, m.nx, 2 * m.nx * (m.ny + 1)));
  element_stiffness(&m, K);
  for (int i = 0; i < m.nx; i++)
    for (int j = 0; j < m.ny; j++) add_element(d, &m, i, j, K);
  settle_stiffness(d);
  for (int i = 1; i <= m.nx; i++) {
    int top = dof(&m, i, m.ny), low = dof(&m, i, 0);
    double length = i == m.nx ? m.dx / 2 : m.dx;  // of the upper side that this node carries
    d->f[top] = ssi_real(-shear * length);
    d->f[top + 1] = ssi_real(pressure * length);
    *ssi_H(d, 2 * (i - 1), low + 1) = *ssi_H(d, 2 * (i - 1) + 1, low) = ssi_whole(1);
    d->w[2 * (i - 1)] = ssi_get(d, "gap");
    d->mu[i - 1] = ssi_get(d, "mu");
  }
  return SS_OK;
}

const ssi_model ssi_model_block = {
    .name = "block",
    .summary = "elastic block, plane strain, held on its left, over an obstacle (nx contact nodes)",
    .equation = "K of nx x ny bilinear elements, load pressure and shear on the upper side",
    SSI_PARAMETERS(rows),
    .build = build,
};
