// Gaps in closed form. With P the point of a, Q that of b, d = P - Q:
//
//   wall   g = n . d - r,                n turns with b
//   ball   g = |d| - r - R,              n = d/|d|
//   bore   g = R - r - |d_perp|,         n = -d_perp/|d_perp|,   d_perp: d without its part along the axis
//
// g' = n . (velocity of a at c - that of b at c) for any point c on the line along n, since n . (w x n) = 0.
#include "events/rigid/rigid_mechanism.h"
#include "la/vec3.h"
#include "problem/rigid.h"

// A point that a frame carries, and its velocity.
static void carry(const ssi_frame_motion *f, const double at[3], double P[3], double dP[3]) {
  double arm[3], turn[3];
  ssi_rotate3(f->R, at, arm);
  ssi_add3(f->x, 1, arm, P);
  ssi_cross3(f->w, arm, turn);
  ssi_add3(f->v, 1, turn, dP);
}

// n = x/|x| and its rate. Where x is 0 it has none: any.
static double unit(const double x[3], const double dx[3], double n[3], double dn[3]) {
  double size = ssi_norm3(x);
  if (!(size > 0)) return ssi_set3(1, 0, 0, n), ssi_set3(0, 0, 0, dn), 0;
  ssi_scale3(1 / size, x, n);
  double along = ssi_dot3(n, dx);
  for (int k = 0; k < 3; k++) dn[k] = (dx[k] - along * n[k]) / size;
  return size;
}

// Tangents that follow a normal smoothly but for one direction [Duff et al., Building an orthonormal basis, revisited,
// JCGT 6 (2017)]: with a = 1/(1 + n_z), t1 = (1 - a n_x^2, -a n_x n_y, -n_x), t2 = (-a n_x n_y, 1 - a n_y^2, -n_y);
// near n_z = -1 the same of the mirrored normal.
static void set_tangents(int dim, ssi_pair_frame *f) {
  const double *n = f->e[0], *d = f->de[0];
  double(*e)[3] = f->e, (*de)[3] = f->de;
  if (dim == 2) {
    ssi_set3(n[1], -n[0], 0, e[1]);
    ssi_set3(d[1], -d[0], 0, de[1]);
    return;
  }
  double s = n[2] > -0.9 ? 1 : -1, a = 1 / (s + n[2]), da = -a * a * d[2];
  double b = -a * n[0] * n[1], db = -da * n[0] * n[1] - a * (d[0] * n[1] + n[0] * d[1]);
  ssi_set3(1 - s * a * n[0] * n[0], s * b, -s * n[0], e[1]);
  ssi_set3(-s * (da * n[0] * n[0] + 2 * a * n[0] * d[0]), s * db, -s * d[0], de[1]);
  ssi_set3(b, s - a * n[1] * n[1], -n[1], e[2]);
  ssi_set3(db, -(da * n[1] * n[1] + 2 * a * n[1] * d[1]), -d[1], de[2]);
}

static void look_at_wall(const ssi_frame_motion *b, const ssi_pair *p, const double d[3],
                         ssi_pair_frame *out) {
  for (int k = 0; k < 3; k++) {
    ssi_rotate3(b->R, p->axes[k], out->e[k]);
    ssi_cross3(b->w, out->e[k], out->de[k]);
  }
  out->gap = ssi_dot3(out->e[0], d) - p->r;
}

static void look_into_bore(const ssi_frame_motion *b, const ssi_pair *p, const double d[3],
                           const double dd[3], ssi_pair_frame *out) {
  double z[3], dz[3], aside[3], daside[3];
  ssi_rotate3(b->R, p->axes[0], z);
  ssi_cross3(b->w, z, dz);
  double along = ssi_dot3(z, d), dalong = ssi_dot3(dz, d) + ssi_dot3(z, dd);
  for (int k = 0; k < 3; k++) {
    aside[k] = along * z[k] - d[k];
    daside[k] = dalong * z[k] + along * dz[k] - dd[k];
  }
  out->gap = p->size - p->r - unit(aside, daside, out->e[0], out->de[0]);
}

void ssi_pair_look(const ssi_rigid_machine *m, const ssi_pair *p, ssi_pair_frame *out) {
  const ssi_frame_motion *a = m->now + p->a, *b = m->now + p->b;
  double P[3], dP[3], Q[3], dQ[3], d[3], dd[3];
  carry(a, p->p, P, dP);
  carry(b, p->at, Q, dQ);
  ssi_sub3(P, Q, d);
  ssi_sub3(dP, dQ, dd);
  switch (p->kind) {
  case SSI_PAIR_WALL:
    look_at_wall(b, p, d, out);
    break;
  case SSI_PAIR_BALL:
    out->gap = unit(d, dd, out->e[0], out->de[0]) - p->r - p->size;
    break;
  case SSI_PAIR_BORE:
    look_into_bore(b, p, d, dd, out);
  }
  if (p->kind != SSI_PAIR_WALL) set_tangents(m->world.dim, out);
  ssi_add3(P, -p->r, out->e[0], out->c);
  ssi_add3(dP, -p->r, out->de[0], out->dc);
}
