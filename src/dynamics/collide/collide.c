// From bodies to contacts: every part gets a box, boxes that overlap make pairs, pairs make contact
// points. Pairs are looked at in the order of the grid, neighbours after neighbours, and the
// contacts sorted afterwards: bodies may be numbered at random.
#include "stickslip/collide.h"

#include <stdlib.h>

#include "base/error.h"
#include "dynamics/collide/broad.h"
#include "dynamics/collide/narrow.h"
#include "la/vec3.h"

enum { PARTS_MAX = 1 << 29 };

typedef struct placed {  // one part of a body
  ssi_solid solid;
  double reach;
  int body, part;
  bool external;
} placed;

struct ss_detector {
  ss_context *ctx;
  int dim;
  ss_collide_options o;
  ssi_broad *broad;
  // per part a box and, in the order of the broad phase, its place; contacts as found; where those
  // of each body begin; in order
  void *placed, *proxies, *raw, *first, *contacts;
  size_t placed_capacity, proxy_capacity, raw_capacity, first_capacity, contact_capacity;
  size_t contact_count;
  ssi_manifold manifold;
};

ss_collide_options ss_collide_options_default(void) {
  return (ss_collide_options){.margin = 0, .max_points = 8};
}

ss_error ss_detector_create(ss_context *ctx, int dim, const ss_collide_options *o,
                            ss_detector **out) {
  if (!out) return ssi_missing(ctx, "ss_detector_create");
  *out = NULL;
  ss_collide_options standard = ss_collide_options_default();
  if (!o) o = &standard;
  if (dim != 2 && dim != 3)
    return ssi_fail(ctx, SS_ERR_ARGUMENT, "contact detection in dimension %d, expected 2 or 3",
                    dim);
  if (!(o->margin >= 0 && o->margin < INFINITY))
    return ssi_fail(ctx, SS_ERR_ARGUMENT, "contact margin is %g, expected >= 0", o->margin);
  if (o->max_points < 1 || o->max_points > 16)
    return ssi_fail(ctx, SS_ERR_ARGUMENT, "contact points per pair: %d, expected 1 .. 16",
                    o->max_points);
  ss_detector *d = ssi_alloc(ctx, 1, sizeof *d);
  if (d) {
    memset(d, 0, sizeof *d);
    d->ctx = ctx, d->dim = dim, d->o = *o;
    d->broad = ssi_broad_create(ctx);
  }
  if (!d || !d->broad) {
    ss_detector_destroy(d);
    return ssi_fail(ctx, SS_ERR_MEMORY, "no memory for contact detection");
  }
  *out = d;
  return SS_OK;
}

void ss_detector_destroy(ss_detector *d) {
  if (!d) return;
  void *all[] = {d->placed, d->proxies, d->raw, d->first, d->contacts};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) ssi_release(d->ctx, all[k]);
  ssi_broad_destroy(d->broad);
  ssi_release(d->ctx, d);
}

static ss_error unsupported(ss_context *ctx, const ss_shape *a, const ss_shape *b) {
  return ssi_fail(ctx, SS_ERR_UNSUPPORTED,
                  "contacts between a %s and a %s need libccd, which this build is without",
                  ss_shape_kind_name(a->kind), ss_shape_kind_name(b->kind));
}

ss_error ss_collide_check(ss_context *ctx, const ss_shape *a, const ss_shape *b) {
  if (ssi_has_ccd()) return SS_OK;
  for (int i = 0; i < ss_shape_part_count(a); i++)
    for (int j = 0; j < ss_shape_part_count(b); j++) {
      ss_part p = ss_shape_part(a, i), q = ss_shape_part(b, j);
      if (ssi_narrow_needs_ccd(p.shape, q.shape)) return unsupported(ctx, p.shape, q.shape);
    }
  return SS_OK;
}

static ss_error check_body(const ss_detector *d, int k, const ss_collider *c) {
  double norm = 0;
  bool finite = true;
  for (int i = 0; i < 3; i++) finite = finite && isfinite(c->pose.x[i]);
  for (int i = 0; i < 4; i++) norm += c->pose.q[i] * c->pose.q[i];
  if (!finite || !(norm > 0) || !isfinite(norm))
    return ssi_fail(d->ctx, SS_ERR_DATA, "the pose of body %d is not finite", k);
  if (!(c->reach >= 0 && c->reach < INFINITY))
    return ssi_fail(d->ctx, SS_ERR_DATA, "the reach of body %d is %g, expected >= 0", k, c->reach);
  if (c->shape->dim != d->dim)
    return ssi_fail(d->ctx, SS_ERR_ARGUMENT, "body %d is a %s in %dD, expected %dD", k,
                    ss_shape_kind_name(c->shape->kind), c->shape->dim, d->dim);
  if (!c->external && !ss_shape_is_bounded(c->shape))
    return ssi_fail(d->ctx, SS_ERR_ARGUMENT,
                    "body %d is a %s, which is boundless: only external bodies may be", k,
                    ss_shape_kind_name(c->shape->kind));
  return SS_OK;
}

// Part `part` of body k where it is now.
static void place_part(const ss_collider *c, int part, ssi_solid *solid) {
  if (c->shape->kind == SS_COMPOUND) {
    ss_pose pose = ss_pose_times(&c->pose, &c->shape->parts[part].pose);
    ssi_solid_place(c->shape->parts[part].shape, &pose, solid);
  } else {
    ssi_solid_place(c->shape, &c->pose, solid);
  }
}

static ssi_proxy box_of(const ss_detector *d, int body, int part, const ss_collider *c) {
  ssi_solid solid;
  ssi_proxy p = {.body = body, .part = part, .external = c->external};
  place_part(c, part, &solid);
  ssi_solid_bounds(&solid, p.low, p.high);
  for (int i = 0; i < d->dim; i++) {
    p.low[i] -= d->o.margin / 2 + c->reach;
    p.high[i] += d->o.margin / 2 + c->reach;
  }
  p.round = solid.shape->kind == SS_SPHERE;
  return p;
}

static ss_error make_boxes(ss_detector *d, const ss_collider *bodies, int count, int *proxy_count) {
  size_t total = 0;
  for (int k = 0; k < count; k++) {
    if (!bodies[k].shape) continue;
    SS_TRY(check_body(d, k, bodies + k));
    total += (size_t)ss_shape_part_count(bodies[k].shape);
  }
  if (total >= PARTS_MAX)
    return ssi_fail(d->ctx, SS_ERR_ARGUMENT, "%zu parts of bodies, expected fewer than 2^29",
                    total);
  if (!ssi_grow(d->ctx, &d->placed, &d->placed_capacity, total + 1, 0, sizeof(placed)) ||
      !ssi_grow(d->ctx, &d->proxies, &d->proxy_capacity, total + 1, 0, sizeof(ssi_proxy)))
    return ssi_fail(d->ctx, SS_ERR_MEMORY, "no memory for %zu parts of bodies", total);
  ssi_proxy *proxy = d->proxies;
  for (int k = 0; k < count; k++)
    for (int part = 0; bodies[k].shape && part < ss_shape_part_count(bodies[k].shape); part++)
      *proxy++ = box_of(d, k, part, bodies + k);
  *proxy_count = (int)(proxy - (ssi_proxy *)d->proxies);
  return SS_OK;
}

// All that pairs need, in the order of the broad phase.
static void place(ss_detector *d, const ss_collider *bodies, int count, const int *order) {
  enum { AHEAD = 8 };  // bodies come in any order: ask for them before they are needed
  const ssi_proxy *proxy = d->proxies;
  placed *at = d->placed;
  for (int k = 0; k < count; k++) {
    if (k + 2 * AHEAD < count) SSI_PREFETCH(proxy + order[k + 2 * AHEAD]);
    if (k + AHEAD < count) SSI_PREFETCH(&bodies[proxy[order[k + AHEAD]].body].pose);
    const ssi_proxy *p = proxy + order[k];
    const ss_collider *c = bodies + p->body;
    place_part(c, p->part, &at[k].solid);
    at[k].reach = c->reach;
    at[k].body = p->body, at[k].part = p->part, at[k].external = p->external;
  }
}

// Contacts of one pair, appended as they come.
static ss_error look_at(ss_detector *d, const ssi_pair *pair, ss_contacts *out) {
  const placed *all = d->placed, *p = all + pair->p, *q = all + pair->q;
  if (p->external || (!q->external && q->body < p->body)) p = all + pair->q, q = all + pair->p;
  const ssi_solid *a = &p->solid, *b = &q->solid;
  double limit = d->o.margin + p->reach + q->reach, apart[3];
  double reach = a->shape->bound + b->shape->bound + limit;
  ssi_sub3(a->x, b->x, apart);
  if (ssi_dot3(apart, apart) > reach * reach * (1 + 1e-12)) return SS_OK;
  if (d->o.skip && d->o.skip(d->o.user, p->body, q->body)) return SS_OK;
  if (!ssi_has_ccd() && ssi_narrow_needs_ccd(a->shape, b->shape))
    return unsupported(d->ctx, a->shape, b->shape);
  ssi_narrow(a, b, limit, d->o.max_points, &d->manifold);
  out->broken += d->manifold.broken;
  if (!d->manifold.count) return SS_OK;
  if (!ssi_grow(d->ctx, &d->raw, &d->raw_capacity, d->contact_count + (size_t)d->manifold.count,
                d->contact_count, sizeof(ss_contact)))
    return ssi_fail(d->ctx, SS_ERR_MEMORY, "no memory for %zu contacts", d->contact_count);
  uint64_t parts = (uint64_t)p->part << 48 | (uint64_t)q->part << 32;
  for (int k = 0; k < d->manifold.count; k++) {
    const ssi_manifold_point *t = d->manifold.touch + k;
    ss_contact *c = (ss_contact *)d->raw + d->contact_count++;
    *c = (ss_contact){.a = p->body, .b = q->body, .key = parts | t->feature, .gap = t->gap};
    ssi_copy3(t->point, c->point);
    ssi_copy3(t->normal, c->normal);
  }
  return SS_OK;
}

static int by_order(const void *x, const void *y) {
  const ss_contact *a = x, *b = y;
  if (a->b != b->b) return a->b < b->b ? -1 : 1;
  return (a->key > b->key) - (a->key < b->key);
}

// Counting sort by a, then each a's own by b and key.
static ss_error sort_contacts(ss_detector *d, int bodies) {
  size_t n = d->contact_count;
  if (!ssi_grow(d->ctx, &d->contacts, &d->contact_capacity, n + 1, 0, sizeof(ss_contact)) ||
      !ssi_grow(d->ctx, &d->first, &d->first_capacity, (size_t)bodies + 2, 0, sizeof(size_t)))
    return ssi_fail(d->ctx, SS_ERR_MEMORY, "no memory for %zu contacts", n);
  const ss_contact *raw = d->raw;
  ss_contact *sorted = d->contacts;
  size_t *first = d->first;
  memset(first, 0, ((size_t)bodies + 2) * sizeof *first);
  for (size_t k = 0; k < n; k++) first[raw[k].a + 2]++;
  for (int k = 0; k < bodies; k++) first[k + 2] += first[k + 1];
  for (size_t k = 0; k < n; k++) sorted[first[raw[k].a + 1]++] = raw[k];
  for (int k = 0; k < bodies; k++) {
    ss_contact *own = sorted + first[k];
    size_t length = first[k + 1] - first[k];
    if (length > 32) {
      qsort(own, length, sizeof *own, by_order);  // no two are equal: any sort gives the same
      continue;
    }
    for (size_t i = 1; i < length; i++) {
      ss_contact now = own[i];
      size_t j = i;
      for (; j > 0 && by_order(&now, own + j - 1) < 0; j--) own[j] = own[j - 1];
      own[j] = now;
    }
  }
  return SS_OK;
}

ss_error ss_collide(ss_detector *d, const ss_collider *bodies, int count, ss_contacts *out) {
  if (!d || !out || (count > 0 && !bodies)) return ssi_missing(NULL, "ss_collide");
  *out = (ss_contacts){0};
  if (count < 0 || (count && !bodies))
    return ssi_fail(d->ctx, SS_ERR_ARGUMENT, "contact detection of %d bodies", count);
  int proxy_count = 0;
  ssi_pairs pairs = {0};
  SS_TRY(make_boxes(d, bodies, count, &proxy_count));
  SS_TRY(ssi_broad_pairs(d->broad, proxy_count, d->proxies, &pairs));
  place(d, bodies, proxy_count, pairs.order);
  d->contact_count = 0;
  for (size_t k = 0; k < pairs.count; k++) SS_TRY(look_at(d, pairs.pair + k, out));
  if (d->contact_count > INT32_MAX || pairs.count > INT32_MAX)
    return ssi_fail(d->ctx, SS_ERR_ARGUMENT, "%zu contacts, expected fewer than 2^31",
                    d->contact_count);
  SS_TRY(sort_contacts(d, count));
  out->contact = d->contacts;
  out->count = (int)d->contact_count;
  out->pairs = (int)pairs.count;
  return SS_OK;
}
