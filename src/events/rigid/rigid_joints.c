// Joints at an instant: rows of Phi, which are products of vectors that the two sides carry, and their derivatives.
//
//   x y:   (x y)' = x' y + x y',    (x y)'' = x'' y + 2 x' y' + x y''
//
// A vector s that a side carries has s' = w x s and, without the accelerations of bodies, s'' = w x (w x s) (of an
// external + alpha x s); a point likewise. What is linear in v is G v, the rest of Phi' is y, of Phi'' c.
#include "dynamics/scene/joint_terms.h"
#include "events/rigid/rigid_mechanism.h"
#include "la/vec3.h"

// A vector or a point, what it is now, its rate, and what is left of its second derivative.
typedef struct carried {
  double x[3], d[3], dd[3];
} carried;

static carried carry_vector(const ssi_frame_motion *f, const double local[3]) {
  carried c;
  double bent[3];
  ssi_rotate3(f->R, local, c.x);
  ssi_cross3(f->w, c.x, c.d);
  ssi_cross3(f->w, c.d, c.dd);
  ssi_cross3(f->alpha, c.x, bent);
  ssi_add3(c.dd, 1, bent, c.dd);
  return c;
}

static carried carry_point(const ssi_frame_motion *f, const double local[3]) {
  carried c = carry_vector(f, local);
  ssi_add3(f->x, 1, c.x, c.x);
  ssi_add3(f->v, 1, c.d, c.d);
  ssi_add3(f->a, 1, c.dd, c.dd);
  return c;
}

static carried difference(const carried *a, const carried *b) {
  carried c;
  ssi_sub3(a->x, b->x, c.x);
  ssi_sub3(a->d, b->d, c.d);
  ssi_sub3(a->dd, b->dd, c.dd);
  return c;
}

typedef struct joint_sides {
  const ssi_frame_motion *a, *b;
  carried P_a, P_b;
} joint_sides;

typedef struct joint_value {
  double Phi, rate, rest;  // Phi' all of it, of Phi'' what is without accelerations of bodies
} joint_value;

static void add_product(const carried *x, const carried *y, double weight, joint_value *out) {
  out->Phi += weight * ssi_dot3(x->x, y->x);
  out->rate += weight * (ssi_dot3(x->d, y->x) + ssi_dot3(x->x, y->d));
  out->rest += weight * (ssi_dot3(x->dd, y->x) + 2 * ssi_dot3(x->d, y->d) + ssi_dot3(x->x, y->dd));
}

static joint_value value_of(const joint_sides *s, const ssi_joint_term *t) {
  joint_value out = {0};
  if (!t->rotation) {
    carried apart = difference(&s->P_a, &s->P_b), along = {0};
    if (t->turns)
      along = carry_vector(s->b, t->e);
    else
      ssi_copy3(t->e, along.x);
    add_product(&along, &apart, 1, &out);
    return out;
  }
  for (int k = 0; k < t->angles; k++) {
    carried x = carry_vector(s->b, t->angle[k].t), y = carry_vector(s->a, t->angle[k].s);
    add_product(&x, &y, t->angle[k].weight, &out);
  }
  return out;
}

// What is linear in the velocities of the sides: force e at an arm, and a moment, on each, world axes.
typedef struct wrench {
  double force[3], moment[3];
} wrench;

static void add_moment(const double x[3], const double y[3], double weight, double *moment) {
  double turn[3];  // (w x x) . y = w . (x x y)
  ssi_cross3(x, y, turn);
  ssi_add3(moment, weight, turn, moment);
}

static void row_of(const joint_sides *s, const ssi_joint_term *t, wrench *a, wrench *b) {
  *a = *b = (wrench){0};
  if (t->rotation) {
    for (int k = 0; k < t->angles; k++) {
      double x[3], y[3];
      ssi_rotate3(s->b->R, t->angle[k].t, x);
      ssi_rotate3(s->a->R, t->angle[k].s, y);
      add_moment(y, x, t->angle[k].weight, a->moment);
      add_moment(x, y, t->angle[k].weight, b->moment);
    }
    return;
  }
  double e[3], arm[3], apart[3];
  ssi_copy3(t->e, e);
  if (t->turns) ssi_rotate3(s->b->R, t->e, e);
  ssi_copy3(e, a->force);
  ssi_scale3(-1, e, b->force);
  ssi_sub3(s->P_a.x, s->a->x, arm);
  add_moment(arm, e, 1, a->moment);
  ssi_sub3(s->P_b.x, s->b->x, arm);
  add_moment(arm, e, -1, b->moment);
  ssi_sub3(s->P_a.x, s->P_b.x, apart);
  if (t->turns) add_moment(e, apart, 1, b->moment);
}

static void put_row(int dim, const wrench *x, const ssi_frame_motion *f, double *row) {
  const double none[3] = {0};
  double spin[3];
  ssi_rigid_row(dim, 1, x->force, none, f->R, row);
  ssi_unrotate3(f->R, x->moment, spin);
  if (dim == 2)
    row[2] += x->moment[2];
  else
    ssi_add3(row + 3, 1, spin, row + 3);
}

static joint_sides sides_of(const ssi_rigid_machine *m, const ssi_simjoint *j) {
  joint_sides s = {.a = ssi_rigid_side(m, j->a), .b = ssi_rigid_side(m, j->b)};
  s.P_a = carry_point(s.a, j->at_a);
  s.P_b = carry_point(s.b, j->at_b);
  return s;
}

// With bodies at rest Phi' is y: that of externals alone.
ss_error ssi_rigid_joints(void *user, double t, const double *q, double *Phi, double *G,
                          double *y) {
  ssi_rigid_machine *m = user;
  const ssi_world *w = &m->world;
  ssi_rigid_place(m, t, q, NULL);
  for (int k = 0; k < w->nj; k++) {
    const ssi_simjoint *j = w->joint + k;
    joint_sides s = sides_of(m, j);
    ssi_joint_term terms[SSI_JOINT_ROWS];
    int n = ssi_joint_terms(w->dim, j, terms);
    for (int i = 0; i < n; i++) {
      wrench a, b;
      joint_value value = value_of(&s, terms + i);
      double *row = G + (size_t)(j->row + i) * (size_t)w->ndof;
      Phi[j->row + i] = value.Phi, y[j->row + i] = value.rate;
      row_of(&s, terms + i, &a, &b);
      put_row(w->dim, &a, s.a, row + j->a * w->per_body);
      if (j->b >= 0) put_row(w->dim, &b, s.b, row + j->b * w->per_body);
    }
  }
  return SS_OK;
}

ss_error ssi_rigid_joint_drift(void *user, double t, const double *q, const double *v, double *c) {
  ssi_rigid_machine *m = user;
  const ssi_world *w = &m->world;
  ssi_rigid_place(m, t, q, v);
  for (int k = 0; k < w->nj; k++) {
    const ssi_simjoint *j = w->joint + k;
    joint_sides s = sides_of(m, j);
    ssi_joint_term terms[SSI_JOINT_ROWS];
    int n = ssi_joint_terms(w->dim, j, terms);
    for (int i = 0; i < n; i++) c[j->row + i] = value_of(&s, terms + i).rest;
  }
  return SS_OK;
}
