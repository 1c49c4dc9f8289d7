// Where each contact is, docs/derivatives.md (4), and its part of the linearised law, (5), (6).
#include <math.h>
#include <string.h>

#include "cone/friction.h"
#include "derive/implicit.h"

typedef struct spot {  // a contact in velocities: x = lambda r
  int dim;
  double mu, lambda, slide, size, press;  // |u_T|, |x|, x_N
  const double *u, *r;
  double limit;  // what counts as zero
} spot;

// How far a contact that sticks is from the surface of its cone.
static double inside_cone(const spot *s) {
  double sheared = s->lambda * ssi_tangent_norm(s->dim, s->r);
  return s->mu <= 1 ? (s->mu * s->press - sheared) / sqrt(1 + s->mu * s->mu)
                    : (s->press - sheared / s->mu) / sqrt(1 + 1 / (s->mu * s->mu));
}

// (4): the way a contact goes on; *away: how far it is from the next one.
static ssi_going going_of(const spot *s, ss_state state, double *away) {
  bool rests = s->slide <= s->limit && s->mu > 0;
  if (state == SS_FREE) {
    *away = s->u[0];
    if (*away > s->limit) return SSI_GOING_FREE;
    return rests ? SSI_GOING_APEX : SSI_GOING_PRESS;
  }
  *away = s->size;
  if (s->size <= s->limit) return rests ? SSI_GOING_APEX : SSI_GOING_PRESS;
  if (s->mu == 0) return SSI_GOING_SLIP;
  *away = state == SS_STICK ? inside_cone(s) : fmin(s->slide, s->size);
  if (*away <= s->limit) return SSI_GOING_EDGE;
  return state == SS_STICK ? SSI_GOING_STICK : SSI_GOING_SLIP;
}

// The state as it was told apart, at kinks too.
static ssi_going kept(const spot *s, ss_state state) {
  if (state == SS_FREE) return SSI_GOING_FREE;
  return state == SS_STICK && s->mu > 0 ? SSI_GOING_STICK : SSI_GOING_SLIP;
}

static ss_rate_place place_of(ssi_going g) {
  static const ss_rate_place places[] = {
      [SSI_GOING_FREE] = SS_PLACE_FREE,   [SSI_GOING_STICK] = SS_PLACE_STICK,
      [SSI_GOING_SLIP] = SS_PLACE_SLIP,   [SSI_GOING_EDGE] = SS_PLACE_EDGE,
      [SSI_GOING_PRESS] = SS_PLACE_GRAZE, [SSI_GOING_APEX] = SS_PLACE_GRAZE};
  return places[g];
}

static void set_stick(const spot *s, ssi_local *c) {
  double root = sqrt(s->lambda);
  c->count = s->dim;
  for (int k = 0; k < s->dim; k++) c->B[s->dim * k + k] = c->E[s->dim * k + k] = 1 / root;
}

// (6): t, the direction of sliding; an edge slides against its reaction. The row of s, orthogonal to t, over 1 + kappa lambda, so
// that neither a vanishing nor a huge kappa = mu r_N/|u_T| spoils the scale.
static void set_slip(const spot *s, const double t[3], ssi_local *c) {
  int d = s->dim;
  double root = sqrt(s->lambda);
  c->count = d - 1;
  c->B[0] = c->E[0] = 1 / root;
  for (int k = 1; k < d; k++) {
    c->B[k] = -s->mu * t[k] / root;
    c->tau[k] = s->r[0] * t[k];
    c->ray[k] = t[k];  // -p
  }
  if (d == 2) return;
  double side[3] = {0, -t[2], t[1]};
  bool edge = c->going == SSI_GOING_EDGE;
  double kappa = edge ? 0 : s->lambda * s->mu * s->r[0] / (s->slide > 0 ? s->slide : 1);
  for (int k = 1; k < d; k++) {
    c->B[d + k] = side[k] / root;
    c->E[d + k] = side[k] / root * (edge ? 1 : kappa / (1 + kappa));
  }
  c->D[1] = edge ? 0 : 1 / (1 + kappa);
}

// The direction in which the contact slides, or would. An edge within a narrow cone, its reaction not at the surface, has none.
static void direction_of(const spot *s, ssi_local *c, double t[3]) {
  bool edge = c->going == SSI_GOING_EDGE;
  const double *along = edge ? s->r : s->u;
  double size = ssi_tangent_norm(s->dim, along);
  bool known = edge ? size > 0.5 * s->mu * s->r[0] : s->mu > 0 ? size > 0 : s->slide > s->limit;
  for (int k = 1; k < s->dim; k++) t[k] = known ? (edge ? -along[k] : along[k]) / size : 0;
  if (known) return;
  c->no_mu = c->going == SSI_GOING_SLIP;
  c->no_way = edge;
  t[1] = 1;
}

static void set_local(const spot *s, ssi_local *c) {
  double t[3] = {0};
  if (c->going == SSI_GOING_FREE || c->going == SSI_GOING_APEX) return;
  if (c->going == SSI_GOING_STICK) {
    set_stick(s, c);
    return;
  }
  direction_of(s, c, t);
  if (c->going == SSI_GOING_PRESS) {
    c->ray[0] = 1;
    for (int k = 1; k < s->dim; k++) c->ray[k] = -s->mu * t[k];
    return;
  }
  set_slip(s, t, c);
  if (c->no_mu) memset(c->tau, 0, sizeof c->tau);
}

static void note(ss_derivative *d, int i, double margin) {
  ss_derivative_info *info = &d->info;
  info->places[d->places[i]]++;
  bool kink = d->places[i] == SS_PLACE_EDGE || d->places[i] == SS_PLACE_GRAZE;
  if (kink && info->first_kink < 0) info->first_kink = i;
  if (!(margin >= info->margin)) info->margin = fmax(margin, 0), info->nearest = i;
  info->without_mu += d->locals[i].no_mu;
}

void ssi_derive_places(ss_derivative *d, const double *scale, const ss_contact_verdict *state) {
  int dim = d->p.dim, next = ssi_free_unknown(d);
  d->info.first_kink = d->info.nearest = -1;
  d->info.margin = INFINITY;
  for (int i = 0; i < d->p.nc; i++) {
    const double *r = d->r + (size_t)dim * (size_t)i, *u = d->u + (size_t)dim * (size_t)i;
    double lambda = d->lambda[i], shear = ssi_tangent_norm(dim, r), away = 0;
    spot s = {.dim = dim,
              .mu = d->p.mu[i],
              .lambda = lambda,
              .slide = ssi_tangent_norm(dim, u),
              .size = lambda * hypot(r[0], shear),
              .press = lambda * r[0],
              .u = u,
              .r = r,
              .limit = d->info.strict * scale[i]};
    ssi_local *c = &d->locals[i];
    ssi_going going = going_of(&s, state[i].state, &away);
    d->places[i] = place_of(going);
    *c = (ssi_local){.going = d->o.keep ? kept(&s, state[i].state) : going, .first = next};
    set_local(&s, c);
    next += c->count;
    note(d, i, scale[i] > 0 ? away / scale[i] : 0);
  }
  d->first_joint = next;
  d->n = next + d->p.nl;
}
