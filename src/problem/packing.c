// A settled box usually has some contacts too many: the highest spheres are taken off until the
// number is right, which leaves every other sphere on what carried it.
#include "problem/packing.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"

enum { PILOT = 4000, ATTEMPTS = 8 };

typedef struct crop {  // scratch, all (count)
  int *by_height;      // sphere at each place in order of height
  int *place;          // its inverse
  int *added;          // contacts that the sphere at this place completes
  int *degree;
  int *number;  // in the pile; -1: not in it
} crop;

typedef void visitor(void *user, int a, int b);

// Calls visit(user, a, b) for every contact, numbered as settled; walls as in packing.h.
static void each_contact(const ssi_settled *s, double gap_tol, visitor *visit, void *user) {
  for (int i = 0; i < s->count; i++) {
    const ssi_sphere *a = s->sphere + i;
    for (int k = 0; k < s->dim; k++) {
      if (a->x[k] - a->r < gap_tol) visit(user, i, -1 - 2 * k);
      if (k < s->dim - 1 && s->width - a->x[k] - a->r < gap_tol) visit(user, i, -2 - 2 * k);
    }
    for (int64_t k = s->near_ptr[i]; k < s->near_ptr[i + 1]; k++) visit(user, i, s->near[k]);
  }
}

static void count_one(void *user, int a, int b) {
  (void)a, (void)b;
  ++*(int64_t *)user;
}

static void complete_one(void *user, int a, int b) {
  crop *c = user;
  int last = b >= 0 && c->place[b] > c->place[a] ? b : a;
  c->added[c->place[last]]++;
}

// Counting sort in as many slices as there are spheres; the order within a slice is of no account.
static void sort_by_height(const ssi_settled *s, crop *c, int *slice_start) {
  int up = s->dim - 1, n = s->count;
  double top = 1;
  for (int i = 0; i < n; i++)
    if (s->sphere[i].x[up] > top) top = s->sphere[i].x[up];
  for (int i = 0; i < n; i++) {
    c->place[i] = (int)(s->sphere[i].x[up] / top * (n - 1));
    slice_start[c->place[i] + 1]++;
  }
  for (int i = 0; i < n; i++) slice_start[i + 1] += slice_start[i];
  for (int i = 0; i < n; i++) {
    c->place[i] = slice_start[c->place[i]]++;
    c->by_height[c->place[i]] = i;
  }
}

// How many of the lowest spheres have closest to `wanted` contacts among them.
static int spheres_to_keep(const crop *c, int count, int wanted, int *contacts) {
  int best = 0, sum = 0;
  *contacts = 0;
  for (int k = 0; k < count && sum < wanted; k++) {
    sum += c->added[k];
    if (*contacts == 0 || abs(sum - wanted) < abs(*contacts - wanted)) {
      best = k + 1;
      *contacts = sum;
    }
  }
  return best;
}

// ---- numbering ------------------------------------------------------------------------------

static uint64_t spread_bits(uint64_t x) {  // bit i of 21 to bit 3 i
  uint64_t y = 0;
  for (int i = 0; i < 21; i++) y |= (x >> i & 1) << (3 * i);
  return y;
}

static uint64_t morton(const ssi_sphere *a) {  // cells of a mean diameter
  uint64_t key = 0;
  for (int k = 0; k < 3; k++) key |= spread_bits((uint64_t)(a->x[k] / 2)) << k;
  return key;
}

typedef struct keyed {
  uint64_t key;
  int index;
} keyed;

// Radix sort, one byte at a time, stable; the result is in the array returned.
static keyed *sort_keys(keyed *from, keyed *to, int n) {
  uint64_t all = 0;
  for (int i = 0; i < n; i++) all |= from[i].key;
  for (int shift = 0; shift < 64 && all >> shift; shift += 8) {
    int start[257] = {0};
    for (int i = 0; i < n; i++) start[(from[i].key >> shift & 255) + 1]++;
    for (int d = 0; d < 256; d++) start[d + 1] += start[d];
    for (int i = 0; i < n; i++) to[start[from[i].key >> shift & 255]++] = from[i];
    keyed *swap = from;
    from = to;
    to = swap;
  }
  return from;
}

typedef struct listing {
  const crop *c;
  int *start;  // of the contacts of each sphere
  ssi_packing *out;
} listing;

// A contact in the pile's numbers, smaller sphere first; false: not in the pile.
static bool renumber(const crop *c, int a, int b, ssi_packing_contact *out) {
  int x = c->number[a], y = b >= 0 ? c->number[b] : b;
  *out = b >= 0 && y < x ? (ssi_packing_contact){y, x} : (ssi_packing_contact){x, y};
  return x >= 0 && (b < 0 || y >= 0);
}

static void count_for_sphere(void *user, int a, int b) {
  listing *l = user;
  ssi_packing_contact x;
  if (renumber(l->c, a, b, &x)) l->start[x.a + 1]++;
}

static void list_for_sphere(void *user, int a, int b) {
  listing *l = user;
  ssi_packing_contact x;
  if (renumber(l->c, a, b, &x)) l->out->contact[l->start[x.a]++] = x;
}

static void sort_contacts(ssi_packing *p) {  // only the few of one sphere are out of order
  for (int i = 1; i < p->contact_count; i++) {
    ssi_packing_contact x = p->contact[i];
    int at = i;
    for (; at > 0 && p->contact[at - 1].a == x.a && p->contact[at - 1].b > x.b; at--)
      p->contact[at] = p->contact[at - 1];
    p->contact[at] = x;
  }
}

static void mark_touched(void *user, int a, int b) {
  crop *c = user;
  if (c->number[a] < 0 || (b >= 0 && c->number[b] < 0)) return;
  c->degree[a]++;
  if (b >= 0) c->degree[b]++;
}

// Fills c->number: the `keep` lowest spheres without those that touch nothing, along the curve.
static bool number_spheres(const ssi_settled *s, double gap_tol, int keep, crop *c,
                           ssi_arena *scratch, ssi_packing *out) {
  keyed *keys = SSI_TAKE(scratch, keep, keyed), *spare = SSI_TAKE(scratch, keep, keyed);
  if (scratch->failed) return false;
  for (int i = 0; i < s->count; i++) c->number[i] = c->place[i] < keep ? 0 : -1;
  each_contact(s, gap_tol, mark_touched, c);
  int n = 0;
  for (int i = 0; i < s->count; i++) {
    if (c->degree[i]) keys[n++] = (keyed){morton(s->sphere + i), i};
    c->number[i] = -1;
  }
  keyed *sorted = sort_keys(keys, spare, n);
  for (int i = 0; i < n; i++) c->number[sorted[i].index] = i;
  out->count = n;
  return true;
}

static bool extract(const ssi_settled *s, double gap_tol, int keep, crop *c, ssi_arena *scratch,
                    ssi_arena *arena, ssi_packing *out) {
  if (!number_spheres(s, gap_tol, keep, c, scratch, out)) return false;
  out->sphere = SSI_TAKE(arena, out->count, ssi_sphere);
  out->contact = SSI_TAKE(arena, out->contact_count, ssi_packing_contact);
  listing l = {c, SSI_TAKE(scratch, (size_t)out->count + 1, int), out};
  if (scratch->failed || arena->failed) return false;
  for (int i = 0; i < s->count; i++)
    if (c->number[i] >= 0) out->sphere[c->number[i]] = s->sphere[i];
  each_contact(s, gap_tol, count_for_sphere, &l);
  for (int i = 0; i < out->count; i++) l.start[i + 1] += l.start[i];
  each_contact(s, gap_tol, list_for_sphere, &l);
  sort_contacts(out);
  return true;
}

static bool take_lowest(const ssi_settled *s, double gap_tol, int wanted, ssi_arena *arena,
                        ssi_packing *out) {
  ssi_arena scratch = {.ctx = arena->ctx};
  size_t n = (size_t)s->count;
  crop c = {SSI_TAKE(&scratch, n, int), SSI_TAKE(&scratch, n, int), SSI_TAKE(&scratch, n, int),
            SSI_TAKE(&scratch, n, int), SSI_TAKE(&scratch, n, int)};
  int *slice_start = SSI_TAKE(&scratch, n + 1, int);
  bool done = false;
  if (!scratch.failed) {
    sort_by_height(s, &c, slice_start);
    each_contact(s, gap_tol, complete_one, &c);
    *out = (ssi_packing){.dim = s->dim, .width = s->width};
    int keep = spheres_to_keep(&c, s->count, wanted, &out->contact_count);
    done = extract(s, gap_tol, keep, &c, &scratch, arena, out);
  }
  ssi_arena_release(&scratch);
  return done;
}

static bool settle_and_count(ss_context *ctx, const ssi_settle_options *o, ssi_settled *s,
                             int64_t *contacts) {
  if (!ssi_settle(ctx, o, s)) return false;
  *contacts = 0;
  each_contact(s, o->gap_tol, count_one, contacts);
  return true;
}

// Contacts per sphere depend on every option: a small pilot measures them (a little too low for the
// large pile, which has less surface), so that the large pile is rarely made twice.
ss_error ssi_packing_create(ss_context *ctx, const ssi_settle_options *o, int wanted,
                            ssi_arena *arena, ssi_packing *out) {
  ssi_settle_options now = *o;
  double per_sphere = o->dim == 2 ? 1.6 : 2.2;
  bool pilot = wanted > 4 * PILOT;
  for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
    double count = pilot ? PILOT : 1.02 * wanted / per_sphere + 2;
    if (count > INT32_MAX / 4) break;
    now.count = (int)count;
    ssi_settled s;
    int64_t contacts;
    if (!settle_and_count(ctx, &now, &s, &contacts))
      return ssi_fail(ctx, SS_ERR_MEMORY, "no memory for a pile of %d spheres", now.count);
    bool enough = contacts >= wanted,
         done = enough && take_lowest(&s, o->gap_tol, wanted, arena, out);
    ssi_settled_release(&s);
    if (done) return SS_OK;
    if (enough)
      return ssi_fail(ctx, SS_ERR_MEMORY, "no memory for the %d contacts of a pile", wanted);
    per_sphere = fmax((double)contacts, 1) / now.count * (pilot ? 1 : 0.97);
    pilot = false;
  }
  return ssi_fail(ctx, SS_ERR_DATA, "pile: %.3g contacts per sphere, too few to reach %d",
                  per_sphere, wanted);
}
