// From bodies to contacts: every part gets a box, boxes that overlap make pairs, pairs make contact points.
#include "stickslip/collide.h"

#include <stdlib.h>

#include "base/error.h"
#include "dynamics/broad.h"
#include "dynamics/grow.h"
#include "dynamics/narrow.h"
#include "dynamics/narrow_depth.h"
#include "dynamics/vec3.h"

typedef struct candidate {  // two parts to look at; order of the fields is the order of the answer
  int a, b, part_a, part_b;
  int p, q;  // their proxies
} candidate;

struct ss_detector {
  ss_context *ctx;
  int dim;
  ss_collide_options o;
  ssi_broad *broad;
  void *solids, *proxies, *candidates, *sorted, *first, *contacts;
  size_t solid_capacity, proxy_capacity, candidate_capacity, sorted_capacity, first_capacity;
  size_t contact_capacity, contact_count;
  ssi_manifold manifold;
};

ss_collide_options ss_collide_options_default(void) {
  return (ss_collide_options){.margin = 0, .max_points = 8};
}

ss_error ss_detector_create(ss_context *ctx, int dim, const ss_collide_options *o,
                            ss_detector **out) {
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
  void *all[] = {d->solids, d->proxies, d->candidates, d->sorted, d->first, d->contacts};
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

static void place_part(const ss_detector *d, int body, int part, const ss_collider *c,
                       ssi_solid *solid, ssi_proxy *proxy) {
  if (c->shape->kind == SS_COMPOUND) {
    ss_pose pose = ss_pose_times(&c->pose, &c->shape->parts[part].pose);
    ssi_solid_place(c->shape->parts[part].shape, &pose, solid);
  } else {
    ssi_solid_place(c->shape, &c->pose, solid);
  }
  ssi_solid_bounds(solid, proxy->low, proxy->high);
  for (int i = 0; i < d->dim; i++) {
    proxy->low[i] -= d->o.margin / 2 + c->reach;
    proxy->high[i] += d->o.margin / 2 + c->reach;
  }
  proxy->body = body, proxy->part = part, proxy->external = c->external;
}

static ss_error place(ss_detector *d, const ss_collider *bodies, int count, int *proxy_count) {
  size_t total = 0;
  for (int k = 0; k < count; k++) {
    if (!bodies[k].shape) continue;
    SS_TRY(check_body(d, k, bodies + k));
    total += (size_t)ss_shape_part_count(bodies[k].shape);
  }
  if (total > INT32_MAX / 2)
    return ssi_fail(d->ctx, SS_ERR_ARGUMENT, "%zu parts of bodies, expected fewer than 2^30",
                    total);
  if (!ssi_grow(d->ctx, &d->solids, &d->solid_capacity, total + 1, 0, sizeof(ssi_solid)) ||
      !ssi_grow(d->ctx, &d->proxies, &d->proxy_capacity, total + 1, 0, sizeof(ssi_proxy)))
    return ssi_fail(d->ctx, SS_ERR_MEMORY, "no memory for %zu parts of bodies", total);
  int at = 0;
  for (int k = 0; k < count; k++)
    for (int part = 0; bodies[k].shape && part < ss_shape_part_count(bodies[k].shape); part++, at++)
      place_part(d, k, part, bodies + k, (ssi_solid *)d->solids + at, (ssi_proxy *)d->proxies + at);
  *proxy_count = at;
  return SS_OK;
}

static int by_order(const void *x, const void *y) {
  const candidate *a = x, *b = y;
  if (a->b != b->b) return a->b < b->b ? -1 : 1;
  if (a->part_a != b->part_a) return a->part_a < b->part_a ? -1 : 1;
  return (a->part_b > b->part_b) - (a->part_b < b->part_b);
}

// Candidates in the order of the answer: counting sort by a, then each a's own by b and parts.
static ss_error order(ss_detector *d, int count, const ssi_pair *pairs, size_t *pair_count) {
  const ssi_proxy *proxy = d->proxies;
  if (!ssi_grow(d->ctx, &d->candidates, &d->candidate_capacity, *pair_count + 1, 0,
                sizeof(candidate)) ||
      !ssi_grow(d->ctx, &d->sorted, &d->sorted_capacity, *pair_count + 1, 0, sizeof(candidate)) ||
      !ssi_grow(d->ctx, &d->first, &d->first_capacity, (size_t)count + 2, 0, sizeof(size_t)))
    return ssi_fail(d->ctx, SS_ERR_MEMORY, "no memory for %zu pairs of bodies", *pair_count);
  candidate *c = d->candidates, *sorted = d->sorted;
  size_t *first = d->first, n = 0;
  memset(first, 0, ((size_t)count + 2) * sizeof *first);
  for (size_t k = 0; k < *pair_count; k++) {
    int p = pairs[k].p, q = pairs[k].q;
    if (proxy[p].external || (!proxy[q].external && proxy[q].body < proxy[p].body))
      p = pairs[k].q, q = pairs[k].p;
    if (d->o.skip && d->o.skip(d->o.user, proxy[p].body, proxy[q].body)) continue;
    c[n++] = (candidate){proxy[p].body, proxy[q].body, proxy[p].part, proxy[q].part, p, q};
    first[proxy[p].body + 2]++;
  }
  for (int k = 0; k < count; k++) first[k + 2] += first[k + 1];
  for (size_t k = 0; k < n; k++) sorted[first[c[k].a + 1]++] = c[k];
  for (int k = 0; k < count; k++) {
    size_t from = first[k], length = first[k + 1] - from;
    if (length > 24) {
      qsort(sorted + from, length, sizeof *sorted, by_order);
      continue;
    }
    for (size_t i = 1; i < length; i++) {
      candidate now = sorted[from + i];
      size_t j = i;
      for (; j > 0 && by_order(&now, sorted + from + j - 1) < 0; j--)
        sorted[from + j] = sorted[from + j - 1];
      sorted[from + j] = now;
    }
  }
  *pair_count = n;
  return SS_OK;
}

// Appends the pair's contacts, by key.
static void append(ss_detector *d, const candidate *c) {
  ss_contact *from = (ss_contact *)d->contacts + d->contact_count;
  uint64_t parts = (uint64_t)c->part_a << 48 | (uint64_t)c->part_b << 32;
  for (int k = 0; k < d->manifold.count; k++) {
    const ssi_touch *t = d->manifold.touch + k;
    ss_contact now = {.a = c->a, .b = c->b, .key = parts | t->feature, .gap = t->gap};
    ssi_copy3(t->point, now.point);
    ssi_copy3(t->normal, now.normal);
    int j = k;
    for (; j > 0 && now.key < from[j - 1].key; j--) from[j] = from[j - 1];
    from[j] = now;
  }
  d->contact_count += (size_t)d->manifold.count;
}

ss_error ss_collide(ss_detector *d, const ss_collider *bodies, int count, ss_contacts *out) {
  *out = (ss_contacts){0};
  if (count < 0 || (count && !bodies))
    return ssi_fail(d->ctx, SS_ERR_ARGUMENT, "contact detection of %d bodies", count);
  int proxy_count = 0;
  const ssi_pair *pairs = NULL;
  size_t pair_count = 0;
  SS_TRY(place(d, bodies, count, &proxy_count));
  SS_TRY(ssi_broad_pairs(d->broad, proxy_count, d->proxies, &pairs, &pair_count));
  SS_TRY(order(d, count, pairs, &pair_count));
  const candidate *c = d->sorted;
  const ssi_solid *solids = d->solids;
  d->contact_count = 0;
  for (size_t k = 0; k < pair_count; k++, c++) {
    const ssi_solid *a = solids + c->p, *b = solids + c->q;
    if (!ssi_has_ccd() && ssi_narrow_needs_ccd(a->shape, b->shape))
      return unsupported(d->ctx, a->shape, b->shape);
    double limit = d->o.margin + bodies[c->a].reach + bodies[c->b].reach;
    ssi_narrow(a, b, limit, d->o.max_points, &d->manifold);
    out->broken += d->manifold.broken;
    if (!ssi_grow(d->ctx, &d->contacts, &d->contact_capacity,
                  d->contact_count + (size_t)d->manifold.count + 1, d->contact_count,
                  sizeof(ss_contact)))
      return ssi_fail(d->ctx, SS_ERR_MEMORY, "no memory for %zu contacts", d->contact_count);
    append(d, c);
  }
  if (d->contact_count > INT32_MAX || pair_count > INT32_MAX)
    return ssi_fail(d->ctx, SS_ERR_ARGUMENT, "%zu contacts, expected fewer than 2^31",
                    d->contact_count);
  out->contact = d->contacts;
  out->count = (int)d->contact_count;
  out->pairs = (int)pair_count;
  return SS_OK;
}
