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

static void look_at_wall(const ssi_frame_motion *b, const ssi_rigid_pair *p, const double d[3],
                         ssi_pair_frame *out) {
  for (int k = 0; k < 3; k++) {
    ssi_rotate3(b->R, p->axes[k], out->e[k]);
    ssi_cross3(b->w, out->e[k], out->de[k]);
  }
  out->gap = ssi_dot3(out->e[0], d) - p->r;
}

static void look_into_bore(const ssi_frame_motion *b, const ssi_rigid_pair *p, const double d[3],
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

void ssi_pair_look(const ssi_rigid_machine *m, const ssi_rigid_pair *p, ssi_pair_frame *out) {
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

// ---- all contacts ---------------------------------------------------------------------------------

ss_error ssi_rigid_gaps(void *user, double t, const double *q, double *gap) {
  ssi_rigid_machine *m = user;
  ssi_pair_frame f;
  ssi_rigid_place(m, t, q, NULL);
  for (int k = 0; k < m->head.out.mechanism.nc; k++) {
    ssi_pair_look(m, m->pair + k, &f);
    gap[k] = f.gap;
  }
  return SS_OK;
}

void ssi_rigid_row(int dim, double sign, const double e[3], const double arm[3], const double R[9],
                   double *row) {
  double moment[3];
  ssi_cross3(arm, e, moment);
  for (int k = 0; k < dim; k++) row[k] = sign * e[k];
  if (dim == 2) {
    row[2] = sign * moment[2];
    return;
  }
  ssi_unrotate3(R, moment, row + 3);
  ssi_scale3(sign, row + 3, row + 3);
}

// Velocity of a frame at c.
static void velocity_at(const ssi_frame_motion *f, const double c[3], double out[3]) {
  double arm[3], turn[3];
  ssi_sub3(c, f->x, arm);
  ssi_cross3(f->w, arm, turn);
  ssi_add3(f->v, 1, turn, out);
}

ss_error ssi_rigid_frames(void *user, double t, const double *q, double *H, double *w) {
  ssi_rigid_machine *m = user;
  const ssi_world *world = &m->world;
  int d = world->dim;
  ssi_pair_frame f;
  ssi_rigid_place(m, t, q, NULL);
  for (int k = 0; k < m->head.out.mechanism.nc; k++) {
    const ssi_rigid_pair *p = m->pair + k;
    const ssi_frame_motion *a = m->now + p->a, *b = m->now + p->b;
    double arm[2][3], moved[3];
    ssi_pair_look(m, p, &f);
    ssi_sub3(f.c, a->x, arm[0]);
    ssi_sub3(f.c, b->x, arm[1]);
    velocity_at(b, f.c, moved);
    for (int i = 0; i < d; i++) {
      double *row = H + (size_t)(d * k + i) * (size_t)world->ndof;
      ssi_rigid_row(d, 1, f.e[i], arm[0], a->R, row + p->a * world->per_body);
      if (p->b < world->nb)
        ssi_rigid_row(d, -1, f.e[i], arm[1], b->R, row + p->b * world->per_body);
      else
        w[d * k + i] = -ssi_dot3(f.e[i], moved);
    }
  }
  return SS_OK;
}

// What is left of the acceleration of a frame at c, which moves with dc: a + alpha x (c - x) + w x (dc - v). Of bodies a
// and alpha are 0: H v' has them.
static void acceleration_at(const ssi_frame_motion *f, const double c[3], const double dc[3],
                            double out[3]) {
  double arm[3], moved[3], turn[3];
  ssi_sub3(c, f->x, arm);
  ssi_sub3(dc, f->v, moved);
  ssi_cross3(f->alpha, arm, turn);
  ssi_cross3(f->w, moved, moved);
  for (int k = 0; k < 3; k++) out[k] = f->a[k] + turn[k] + moved[k];
}

// g'_k = e_k . u, so b_k = e_k' . u + e_k . (what is left of u')
ss_error ssi_rigid_drift(void *user, double t, const double *q, const double *v, double *out) {
  ssi_rigid_machine *m = user;
  int d = m->world.dim;
  ssi_pair_frame f;
  ssi_rigid_place(m, t, q, v);
  for (int k = 0; k < m->head.out.mechanism.nc; k++) {
    const ssi_rigid_pair *p = m->pair + k;
    const ssi_frame_motion *a = m->now + p->a, *b = m->now + p->b;
    double u[3], other[3], bend[3], bent[3];
    ssi_pair_look(m, p, &f);
    velocity_at(a, f.c, u);
    velocity_at(b, f.c, other);
    ssi_sub3(u, other, u);
    acceleration_at(a, f.c, f.dc, bend);
    acceleration_at(b, f.c, f.dc, bent);
    ssi_sub3(bend, bent, bend);
    for (int i = 0; i < d; i++) out[d * k + i] = ssi_dot3(f.de[i], u) + ssi_dot3(f.e[i], bend);
  }
  return SS_OK;
}
