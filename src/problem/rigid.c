#include "problem/rigid.h"

#include <math.h>

#include "base/error.h"
#include "la/vec3.h"

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
  ssi_cross3(n, e[1], e[2]);
}

// The entries of one row for one body: e . (v + R omega x p) = e . v + (R^T (p x e)) . omega, with the
// sign of the body in the contact. Adding 0.0 turns -0.0 into 0.0.
static void fill_row(int dim, double sign, const double e[3], const ssi_rigid_arm *arm, double *x) {
  double moment[3];
  ssi_cross3(arm->x, e, moment);
  for (int k = 0; k < dim; k++) x[k] = sign * e[k] + 0.0;
  if (dim == 2) {
    x[2] = sign * arm->length * moment[2] + 0.0;
    return;
  }
  if (arm->R) ssi_unrotate3(arm->R, moment, moment);
  for (int k = 0; k < 3; k++) x[3 + k] = sign * arm->length * moment[k] + 0.0;
}

static void fill_contact(int dim, const ssi_rigid_contact *c, int64_t *ptr, int *col, double *x) {
  int per_body = dim == 2 ? 3 : 6, bodies = c->b < 0 ? 1 : 2;
  int first = bodies == 2 && c->b < c->a ? 1 : 0;  // columns increase: is b the smaller one?
  for (int row = 0; row < dim; row++) {
    int64_t at = ptr[row];
    for (int k = 0; k < bodies; k++, at += per_body) {
      bool is_a = k == first;
      int body = is_a ? c->a : c->b;
      fill_row(dim, is_a ? 1 : -1, c->e[row], is_a ? &c->arm_a : &c->arm_b, x + at);
      for (int d = 0; d < per_body; d++) col[at + d] = per_body * body + d;
    }
    ptr[row + 1] = at;
  }
}

bool ssi_rigid_rows(ssi_arena *arena, const ssi_rigid_contacts *c, ss_sparse *H) {
  int rows = c->dim * c->count, per_body = c->dim == 2 ? 3 : 6;
  int64_t entries = c->ends * per_body * c->dim;
  int64_t *ptr = SSI_TAKE(arena, (size_t)rows + 1, int64_t);
  int *col = SSI_TAKE(arena, entries, int);
  double *x = SSI_TAKE(arena, entries, double);
  if (arena->failed) return false;
  for (int i = 0; i < c->count; i++) {
    ssi_rigid_contact one = {0};
    c->contact(c->user, i, &one);
    fill_contact(c->dim, &one, ptr + (size_t)i * c->dim, col, x);
  }
  *H = (ss_sparse){rows, per_body * c->bodies, ptr, col, x};
  return true;
}

static void build_M_f(const ssi_rigid_scene *s, ssi_owned *o) {
  ss_problem *p = &o->problem;
  int64_t *ptr = SSI_TAKE(&o->arena, (size_t)p->ndof + 1, int64_t);
  int *col = SSI_TAKE(&o->arena, p->ndof, int);
  double *x = SSI_TAKE(&o->arena, p->ndof, double), *f = SSI_TAKE(&o->arena, p->ndof, double);
  if (o->arena.failed) return;
  for (int i = 0, at = 0; i < s->contacts.bodies; i++) {
    const ssi_rigid_body *b = s->body + i;
    for (int k = 0; k < s->contacts.dim; k++, at++) x[at] = b->mass, f[at] = 0.0 - b->momentum[k];
    for (int k = s->contacts.dim == 2 ? 2 : 0; k < 3; k++, at++)
      x[at] = b->inertia[k], f[at] = 0.0 - b->spin[k];
  }
  for (int i = 0; i < p->ndof; i++) ptr[i] = col[i] = i;
  ptr[p->ndof] = p->ndof;
  p->M = (ss_sparse){p->ndof, p->ndof, ptr, col, x};
  p->f = f;
}

ss_error ssi_rigid_assemble(ss_context *ctx, const ssi_rigid_scene *s, ss_problem **out) {
  int per_body = s->contacts.dim == 2 ? 3 : 6;
  if (s->contacts.count > INT32_MAX / s->contacts.dim - 1 ||
      s->contacts.bodies > INT32_MAX / per_body - 1)
    return ssi_fail(ctx, SS_ERR_ARGUMENT, "%d bodies with %d contacts do not fit 32-bit indices",
                    s->contacts.bodies, s->contacts.count);
  ssi_owned *o = ssi_owned_create(ctx);
  if (!o) return ssi_fail(ctx, SS_ERR_MEMORY, "no memory for a problem");
  ss_problem *p = &o->problem;
  *p = (ss_problem){.form = SS_GLOBAL, .dim = s->contacts.dim, .nc = s->contacts.count};
  p->ndof = per_body * s->contacts.bodies;
  double *mu = SSI_TAKE(&o->arena, s->contacts.count, double);
  p->w = SSI_TAKE(&o->arena, (size_t)s->contacts.dim * s->contacts.count,
                  double);  // zero: nothing else moves
  build_M_f(s, o);
  (void)ssi_rigid_rows(&o->arena, &s->contacts, &p->H);
  if (o->arena.failed) {
    ss_problem_destroy(p);
    return ssi_fail(ctx, SS_ERR_MEMORY, "no memory for %d contacts between %d bodies",
                    s->contacts.count, s->contacts.bodies);
  }
  for (int i = 0; i < s->contacts.count; i++) mu[i] = s->mu;
  p->mu = mu;
  *out = p;
  return SS_OK;
}
