// The cells of one contact's law, and the polyhedra that hold them.
//
// A sector of slip has |r_T| = mu r_N with -r_T/|r_T| on an arc. In the section r_N = 1 the arc lies in
// the quadrangle of its ends and of the corners of the tangents at its ends and its middle; the whole disk in
// an octagon. Both are widened by the part WIDER about their centre: a linear function that is <= 0 on the
// wider one is below zero on the narrow one by that part of its value at the centre, which is what the
// rounding of the data is weighed against.
#include <math.h>
#include <string.h>

#include "analysis/refute.h"

static const double WIDER = 1e-7;

static ssi_cell_law sector_of(ssi_law_kind kind, const double from[2], const double to[2],
                              int halvings) {
  return (ssi_cell_law){kind, true, {from[0], from[1]}, {to[0], to[1]}, halvings};
}

static void middle_of(const ssi_cell_law *law, double out[2]) {
  const double *a = law->from, *b = law->to;
  double x = a[0] + b[0], y = a[1] + b[1];
  if (law->halvings == 0) x = -a[1], y = a[0];  // half a turn
  double size = sqrt(x * x + y * y);
  out[0] = x / size, out[1] = y / size;
}

static int halves(ssi_law_kind kind, ssi_cell_law child[2]) {
  static const double east[2] = {1, 0}, west[2] = {-1, 0};
  child[0] = sector_of(kind, east, west, 0);
  child[1] = sector_of(kind, west, east, 0);
  return 2;
}

int ssi_law_split(int dim, double mu, const ssi_cell_law *law,
                  ssi_cell_law child[SSI_LAW_CHILDREN]) {
  if (law->kind == SSI_LAW_ANY) {
    child[0] = (ssi_cell_law){.kind = SSI_LAW_FREE};
    child[1] = (ssi_cell_law){.kind = SSI_LAW_CLOSED};
    return 2;
  }
  if (law->kind == SSI_LAW_FREE || mu == 0) return 0;
  if (law->kind == SSI_LAW_CLOSED) {
    child[2] = (ssi_cell_law){.kind = SSI_LAW_STICK};
    return 1 + halves(SSI_LAW_SLIP, child);
  }
  if (dim == 2) return 0;
  if (!law->sector) return halves(SSI_LAW_STICK, child);
  double middle[2];
  middle_of(law, middle);
  child[0] = sector_of(law->kind, law->from, middle, law->halvings + 1);
  child[1] = sector_of(law->kind, middle, law->to, law->halvings + 1);
  return 2;
}

// Corners of the polygon around the arc from a to b (unit vectors, at most half a turn).
static int arc_corners(const ssi_cell_law *law, double corner[][2]) {
  const double *a = law->from, *b = law->to;
  double m[2];
  middle_of(law, m);
  double near = a[0] * m[0] + a[1] * m[1];  // cosine of half the sector
  for (int k = 0; k < 2; k++) {
    corner[0][k] = a[k], corner[3][k] = b[k];
    corner[1][k] = (a[k] + m[k]) / (1 + near);  // |a + m|^2 / 2 = 1 + a.m
    corner[2][k] = (b[k] + m[k]) / (1 + near);
    corner[4][k] = 0;
  }
  return law->kind == SSI_LAW_STICK ? 5 : 4;
}

static int octagon(double corner[][2]) {
  static const double s = 0.41421356237309503;  // tan(pi / 8)
  static const double at[8][2] = {{1, s},   {s, 1},   {-s, 1}, {-1, s},
                                  {-1, -s}, {-s, -1}, {s, -1}, {1, -s}};
  memcpy(corner, at, sizeof at);
  return 8;
}

static void widen(int count, double corner[][2]) {
  double c[2] = {0, 0};
  for (int j = 0; j < count; j++) c[0] += corner[j][0] / count, c[1] += corner[j][1] / count;
  for (int j = 0; j < count; j++)
    for (int k = 0; k < 2; k++) corner[j][k] += WIDER * (corner[j][k] - c[k]);
}

// A ray (1, mu t) has no inside: it is made a wedge. Same for the rays of 2D.
static int thin(int dim, double mu, double sign, double ray[][3]) {
  double t = sign * mu, off = WIDER * (1 + mu);
  const double tangent[4][2] = {{t + off, 0}, {t - off, 0}, {t, off}, {t, -off}};
  int count = dim == 2 ? 2 : 4;
  for (int j = 0; j < count; j++)
    ray[j][0] = 1, ray[j][1] = tangent[j][0], ray[j][2] = tangent[j][1];
  return count;
}

static int rays_of(int dim, double mu, const ssi_cell_law *law, double ray[][3]) {
  double corner[SSI_LAW_RAYS][2];
  if (law->kind == SSI_LAW_FREE) return 0;
  if (mu == 0) return thin(dim, 0, 0, ray);
  if (dim == 2 && law->kind == SSI_LAW_SLIP) return thin(2, mu, -law->from[0], ray);
  if (dim == 2) {
    ray[0][0] = ray[1][0] = 1;
    ray[0][1] = mu * (1 + WIDER), ray[1][1] = -ray[0][1], ray[0][2] = ray[1][2] = 0;
    return 2;
  }
  int count = law->sector ? arc_corners(law, corner) : octagon(corner);
  double turn = law->kind == SSI_LAW_SLIP ? -mu : mu;
  widen(count, corner);
  for (int j = 0; j < count; j++)
    ray[j][0] = 1, ray[j][1] = turn * corner[j][0], ray[j][2] = turn * corner[j][1];
  return count;
}

int ssi_law_rays(int dim, double mu, const ssi_cell_law *law, double ray[SSI_LAW_RAYS][3]) {
  int count = rays_of(dim, mu, law, ray);
  for (int j = 0; j < count; j++) {
    double size = sqrt(1 + ray[j][1] * ray[j][1] + ray[j][2] * ray[j][2]);
    for (int k = 0; k < 3; k++) ray[j][k] /= size;
  }
  return count;
}

int ssi_law_rows(int dim, const ssi_cell_law *law, double row[SSI_LAW_ROWS][3], bool equal[]) {
  memset(row, 0, sizeof(double) * 3 * SSI_LAW_ROWS);
  row[0][0] = 1;
  equal[0] = law->kind != SSI_LAW_ANY && law->kind != SSI_LAW_FREE;
  if (law->kind == SSI_LAW_STICK) {
    for (int k = 1; k < dim; k++) row[k][k] = 1, equal[k] = true;
    return dim;
  }
  if (law->kind != SSI_LAW_SLIP) return 1;
  const double *a = law->from, *b = law->to;
  equal[1] = equal[2] = false;
  if (dim == 2) return row[1][1] = a[0], 2;
  row[1][1] = -a[1], row[1][2] = a[0];  // u_T to the left of `from`
  if (law->halvings == 0) return 2;     // half a turn: `to` says the same
  row[2][1] = b[1], row[2][2] = -b[0];  // and to the right of `to`
  return 3;
}
