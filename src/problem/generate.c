// Piles of spheres: masses, velocities and contact points here, positions in problem/packing.c,
// matrices in problem/rigid.c.
//
// Units: the mean radius, the density and g h, the velocity gained in the step, are 1; so the load
// of a body is its mass, downwards.
#include "stickslip/generate.h"

#include <math.h>

#include "base/error.h"
#include "base/rng.h"
#include "problem/generate.h"
#include "problem/packing.h"
#include "problem/rigid.h"

static const double PI = 3.14159265358979323846;

ss_error ssi_range_check(ss_context *ctx, const char *what, double found, double low, double high) {
  if (found >= low && found <= high) return SS_OK;
  return ssi_fail(ctx, SS_ERR_ARGUMENT, "%s is %g, expected %g .. %g", what, found, low, high);
}

ss_error ssi_generate_check(ss_context *ctx, const char *what, int dim, double mu) {
  if (dim != 2 && dim != 3)
    return ssi_fail(ctx, SS_ERR_ARGUMENT, "%s: dim is %d, expected 2 or 3", what, dim);
  if (!(mu >= 0 && isfinite(mu)))
    return ssi_fail(ctx, SS_ERR_ARGUMENT, "%s: mu is %g, expected >= 0", what, mu);
  return SS_OK;
}

ss_pile_options ss_pile_options_default(void) {
  return (ss_pile_options){.dim = 3,
                           .contacts = 1000,
                           .mu = 0.5,
                           .radius_spread = 0.2,
                           .gap_tol = 0.02,
                           .mass_ratio = 1,
                           .agitation = 0.1,
                           .seed = 1};
}

static ss_error check_pile(ss_context *ctx, const ss_pile_options *o) {
  SS_TRY(ssi_generate_check(ctx, "pile", o->dim, o->mu));
  SS_TRY(ssi_range_check(ctx, "pile: contacts", o->contacts, 1, INT32_MAX / 8));
  SS_TRY(ssi_range_check(ctx, "pile: radius_spread", o->radius_spread, 0, 0.9));
  SS_TRY(ssi_range_check(ctx, "pile: gap_tol", o->gap_tol, 0, 1));
  SS_TRY(ssi_range_check(ctx, "pile: mass_ratio", o->mass_ratio, 1, 1e100));
  return ssi_range_check(ctx, "pile: agitation", o->agitation, 0, 1e100);
}

static void sphere_contact(const void *user, int index, ssi_rigid_contact *c) {
  const ssi_packing *p = user;
  ssi_packing_contact k = p->contact[index];
  const ssi_sphere *a = p->sphere + k.a;
  double gap, normal[3] = {0};
  c->a = k.a;
  c->b = k.b < 0 ? -1 : k.b;
  if (k.b < 0) {
    int axis = (-1 - k.b) / 2;
    bool high = (-1 - k.b) % 2;
    gap = (high ? p->width - a->x[axis] : a->x[axis]) - a->r;
    normal[axis] = high ? -1 : 1;
  } else {
    const ssi_sphere *b = p->sphere + k.b;
    double square = 0;
    for (int i = 0; i < 3; i++) square += (a->x[i] - b->x[i]) * (a->x[i] - b->x[i]);
    double distance = sqrt(square);
    for (int i = 0; i < 3; i++) normal[i] = (a->x[i] - b->x[i]) / distance;
    gap = distance - a->r - b->r;
    c->arm_b.length = b->r + gap / 2;
  }
  // the point in the middle of the gap, the same for both bodies, so that a rigid motion of the
  // whole gives u = 0
  c->arm_a.length = -(a->r + gap / 2);
  for (int i = 0; i < 3; i++) c->arm_a.x[i] = c->arm_b.x[i] = normal[i];
  ssi_contact_frame(p->dim, normal, c->e);
}

// ratio^x for x = share / 2^32 in 0 .. 1, from square roots: the same bits everywhere.
static double power_of_ratio(double ratio, uint64_t share) {
  double y = share >> 32 ? ratio : 1, factor = ratio;
  for (int bit = 31; bit >= 0; bit--) {
    factor = sqrt(factor);
    if (share >> bit & 1) y *= factor;
  }
  return y;
}

// mass_ratio 1: one density. Otherwise masses log-uniform from 1 to mass_ratio times a sphere of
// mean radius, both ends taken, whatever the radii.
static void choose_masses(const ssi_packing *p, double ratio, ssi_rng *rng, ssi_rigid_body *body) {
  double low = 1, high = 0, solid = p->dim == 2 ? PI : 4 * PI / 3;
  for (int i = 0; i < p->count; i++) {
    double x = ssi_rng_uniform(rng);  // drawn in any case: the rest of the stream stays the same
    body[i].mass = x;
    low = x < low ? x : low;
    high = x > high ? x : high;
  }
  for (int i = 0; i < p->count; i++) {
    double r = p->sphere[i].r, x = high > low ? (body[i].mass - low) / (high - low) : 0;
    body[i].mass = ratio > 1 ? solid * power_of_ratio(ratio, (uint64_t)(x * 0x1p32))
                             : solid * (p->dim == 2 ? r * r : r * r * r);
  }
}

static void load_spheres(const ssi_packing *p, const ss_pile_options *o, ssi_rigid_body *body) {
  ssi_rng rng = {o->seed ^ 0x6c6f61642d626f64u};  // another stream than the positions'
  choose_masses(p, o->mass_ratio, &rng, body);
  for (int i = 0; i < p->count; i++) {
    ssi_rigid_body *b = body + i;
    double r = p->sphere[i].r, inertia = b->mass * r * r * (p->dim == 2 ? 0.5 : 0.4);
    for (int k = 0; k < 3; k++) {
      double v = o->agitation * (2 * ssi_rng_uniform(&rng) - 1);
      double omega = o->agitation / r * (2 * ssi_rng_uniform(&rng) - 1);
      b->inertia[k] = inertia;
      b->momentum[k] = b->mass * v;
      b->spin[k] = inertia * omega;
    }
    b->momentum[p->dim - 1] -= b->mass;
  }
}

ss_error ss_generate_pile(ss_context *ctx, const ss_pile_options *o, ss_problem **out) {
  if (!o || !out) return ssi_fail(ctx, SS_ERR_ARGUMENT, "pile: options or result is NULL");
  *out = NULL;
  SS_TRY(check_pile(ctx, o));
  ssi_arena scratch = {.ctx = ctx};
  ssi_settle_options settle = {
      .dim = o->dim, .spread = o->radius_spread, .gap_tol = o->gap_tol, .seed = o->seed};
  ssi_packing p;
  ss_error e = ssi_packing_create(ctx, &settle, o->contacts, &scratch, &p);
  if (!e) {
    ssi_rigid_body *body = SSI_TAKE(&scratch, p.count, ssi_rigid_body);
    if (body) {
      load_spheres(&p, o, body);
      ssi_rigid_contacts contacts = {.dim = p.dim,
                                     .bodies = p.count,
                                     .count = p.contact_count,
                                     .contact = sphere_contact,
                                     .user = &p};
      for (int i = 0; i < p.contact_count; i++) contacts.ends += p.contact[i].b < 0 ? 1 : 2;
      ssi_rigid_scene scene = {contacts, o->mu, body};
      e = ssi_rigid_assemble(ctx, &scene, out);
    } else
      e = ssi_fail(ctx, SS_ERR_MEMORY, "no memory for a pile of %d spheres", p.count);
  }
  ssi_arena_release(&scratch);
  return e;
}
