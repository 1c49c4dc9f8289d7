#include "problem/rigid.h"

#include <math.h>

#include "base/error.h"

static void cross(const double a[3], const double b[3], double out[3]) {
  out[0] = a[1] * b[2] - a[2] * b[1];
  out[1] = a[2] * b[0] - a[0] * b[2];
  out[2] = a[0] * b[1] - a[1] * b[0];
}

void ssi_contact_frame(int dim, const double n[3], double e[3][3]) {
  for (int k = 0; k < 3; k++) e[0][k] = n[k];
  if (dim == 2) {
    e[1][0] = n[1], e[1][1] = -n[0], e[1][2] = 0;
    return;
  }
  int axis = 0;
  for (int k = 1; k < 3; k++)
    if (fabs(n[k]) < fabs(n[axis])) axis = k;
  double scale = 1 / sqrt(1 - n[axis] * n[axis]);  // n[axis]^2 <= 1/3
  for (int k = 0; k < 3; k++) e[1][k] = ((k == axis) - n[axis] * n[k]) * scale;
  cross(n, e[1], e[2]);
}

// The entries of one row for one body: e . (v + omega x p) = e . v + (p x e) . omega, with the sign
// of the body in the contact. Adding 0.0 turns -0.0 into 0.0.
static void fill_row(int dim, double sign, const double e[3], const double arm[3], double length,
                     double *x) {
  double moment[3];
  cross(arm, e, moment);
  for (int k = 0; k < dim; k++) x[k] = sign * e[k] + 0.0;
  if (dim == 2)
    x[2] = sign * length * moment[2] + 0.0;
  else
    for (int k = 0; k < 3; k++) x[3 + k] = sign * length * moment[k] + 0.0;
}

// All rows of a contact have the same columns, explicit zeros included: they form block rows.
static void fill_contact(int dim, const ssi_rigid_contact *c, int64_t *ptr, int *col, double *x) {
  int per_body = dim == 2 ? 3 : 6, bodies = c->b < 0 ? 1 : 2;
  int first = bodies == 2 && c->b < c->a ? 1 : 0;  // columns increase: is b the smaller one?
  double e[3][3];
  ssi_contact_frame(dim, c->normal, e);
  for (int row = 0; row < dim; row++) {
    int64_t at = ptr[row];
    for (int k = 0; k < bodies; k++, at += per_body) {
      bool is_a = k == first;
      int body = is_a ? c->a : c->b;
      fill_row(dim, is_a ? 1 : -1, e[row], is_a ? c->arm_a : c->arm_b,
               is_a ? c->length_a : c->length_b, x + at);
      for (int d = 0; d < per_body; d++) col[at + d] = per_body * body + d;
    }
    ptr[row + 1] = at;
  }
}

static int64_t count_entries(const ssi_rigid_scene *s) {
  int64_t per_body = s->dim == 2 ? 3 : 6, blocks = 0;
  for (int i = 0; i < s->contacts; i++) {
    ssi_rigid_contact c = {0};
    s->contact(s->user, i, &c);
    blocks += c.b < 0 ? 1 : 2;
  }
  return blocks * per_body * s->dim;
}

static void build_H(const ssi_rigid_scene *s, ssi_owned *o) {
  ss_problem *p = &o->problem;
  int rows = s->dim * s->contacts;
  int64_t entries = count_entries(s);
  int64_t *ptr = SSI_TAKE(&o->arena, (size_t)rows + 1, int64_t);
  int *col = SSI_TAKE(&o->arena, entries, int);
  double *x = SSI_TAKE(&o->arena, entries, double);
  if (o->arena.failed) return;
  for (int i = 0; i < s->contacts; i++) {
    ssi_rigid_contact c = {0};
    s->contact(s->user, i, &c);
    fill_contact(s->dim, &c, ptr + (size_t)i * s->dim, col, x);
  }
  p->H = (ss_sparse){rows, p->ndof, ptr, col, x};
}

static void build_M_f(const ssi_rigid_scene *s, ssi_owned *o) {
  ss_problem *p = &o->problem;
  int64_t *ptr = SSI_TAKE(&o->arena, (size_t)p->ndof + 1, int64_t);
  int *col = SSI_TAKE(&o->arena, p->ndof, int);
  double *x = SSI_TAKE(&o->arena, p->ndof, double), *f = SSI_TAKE(&o->arena, p->ndof, double);
  if (o->arena.failed) return;
  for (int i = 0, at = 0; i < s->bodies; i++) {
    const ssi_rigid_body *b = s->body + i;
    for (int k = 0; k < s->dim; k++, at++) x[at] = b->mass, f[at] = 0.0 - b->momentum[k];
    for (int k = s->dim == 2 ? 2 : 0; k < 3; k++, at++)
      x[at] = b->inertia[k], f[at] = 0.0 - b->spin[k];
  }
  for (int i = 0; i < p->ndof; i++) ptr[i] = col[i] = i;
  ptr[p->ndof] = p->ndof;
  p->M = (ss_sparse){p->ndof, p->ndof, ptr, col, x};
  p->f = f;
}

ss_error ssi_rigid_assemble(ss_context *ctx, const ssi_rigid_scene *s, ss_problem **out) {
  int per_body = s->dim == 2 ? 3 : 6;
  if (s->contacts > INT32_MAX / s->dim - 1 || s->bodies > INT32_MAX / per_body - 1)
    return ssi_fail(ctx, SS_ERR_ARGUMENT, "%d bodies with %d contacts do not fit 32-bit indices",
                    s->bodies, s->contacts);
  ssi_owned *o = ssi_owned_create(ctx);
  if (!o) return ssi_fail(ctx, SS_ERR_MEMORY, "no memory for a problem");
  ss_problem *p = &o->problem;
  *p = (ss_problem){.form = SS_GLOBAL, .dim = s->dim, .nc = s->contacts};
  p->ndof = per_body * s->bodies;
  double *mu = SSI_TAKE(&o->arena, s->contacts, double);
  p->w = SSI_TAKE(&o->arena, (size_t)s->dim * s->contacts, double);  // zero: nothing else moves
  build_M_f(s, o);
  build_H(s, o);
  if (o->arena.failed) {
    ss_problem_destroy(p);
    return ssi_fail(ctx, SS_ERR_MEMORY, "no memory for %d contacts between %d bodies", s->contacts,
                    s->bodies);
  }
  for (int i = 0; i < s->contacts; i++) mu[i] = s->mu;
  p->mu = mu;
  *out = p;
  return SS_OK;
}
