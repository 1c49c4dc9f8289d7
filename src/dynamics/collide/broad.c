// Grids by size class, kept as counting-sorted lists of buckets.
//
// Cell (x, y, z) of a class belongs to bucket  x + Y y + Z z  modulo the table's length, a power of
// two: with Y and Z the (odd) lengths of the occupied range that is the dense array itself while
// the range is small, and a hash when it is not. Cells of one row are neighbours in memory. Entries
// carry their cell, so what only shares the bucket is told apart.
#include "dynamics/collide/broad.h"

#include <math.h>
#include <string.h>

#include "base/error.h"

enum {
  BINS_PER_OCTAVE = 4,
  LOWEST = -1100,  // exponents of doubles
  BINS = (1100 - LOWEST) * BINS_PER_OCTAVE,
  CLASSES = 64,
  FEW = 8,  // a class with fewer boxes is not worth a grid
  APART = -1,
  LARGEST_CELL = 1 << 30  // beyond this cells pile up in the last one
};

typedef struct entry {  // one cache line
  double low[3], high[3];
  int cell[3];
  uint32_t name;  // 8 proxy + flags
} entry;

enum { ROUND = 1, EXTERNAL = 2, SHARED = 4 };  // SHARED: its body has other boxes

typedef struct grid {
  double cell;         // edge length
  int count;           // boxes
  int64_t stride[2];   // Y, Z
  size_t first, mask;  // of its buckets; number of buckets - 1
  size_t entry_first;
} grid;

struct ssi_broad {
  ss_context *ctx;
  int bin_class[BINS], bin_count[BINS];
  grid grids[CLASSES];  // largest boxes first
  int grid_count;
  double origin[3];
  void *class_of;        // int8_t: of each proxy
  void *entries;         // entry: class by class, bucket by bucket
  void *bucket, *place;  // uint32_t: first entry of each bucket; bucket of each proxy
  void *apart, *order;   // int: proxies in no grid; proxy of each entry, then those
  void *pairs;           // ssi_pair
  size_t class_capacity, entry_capacity, bucket_capacity, place_capacity, apart_capacity;
  size_t pair_capacity, order_capacity, pair_count, apart_count;
  const ssi_proxy *proxy;
  bool failed;
};

ssi_broad *ssi_broad_create(ss_context *ctx) {
  ssi_broad *w = ssi_alloc(ctx, 1, sizeof *w);
  if (!w) return NULL;
  memset(w, 0, sizeof *w);
  w->ctx = ctx;
  return w;
}

void ssi_broad_destroy(ssi_broad *w) {
  if (!w) return;
  void *all[] = {w->class_of, w->entries, w->bucket, w->place, w->apart, w->pairs, w->order};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) ssi_release(w->ctx, all[k]);
  ssi_release(w->ctx, w);
}

static double extent(const ssi_proxy *p) {
  return fmax(p->high[0] - p->low[0], fmax(p->high[1] - p->low[1], p->high[2] - p->low[2]));
}

// -1 for what is boundless.
static int bin_of(double size) {
  int exponent;
  if (!(size < INFINITY)) return -1;
  double m = frexp(size, &exponent);  // in [1/2, 1); 0 for 0
  int quarter = m > 0 ? (int)((m - 0.5) * (2 * BINS_PER_OCTAVE)) : 0;
  return m > 0 ? (exponent - LOWEST) * BINS_PER_OCTAVE + quarter : 0;
}

// Classes from the largest boxes down, an octave each from the first that is there.
static void choose_classes(ssi_broad *w, int count, const ssi_proxy *proxy) {
  int8_t *class_of = w->class_of;
  memset(w->bin_count, 0, sizeof w->bin_count);
  for (int k = 0; k < count; k++) {
    int bin = bin_of(extent(proxy + k));
    if (bin >= 0) w->bin_count[bin]++;
  }
  w->grid_count = 0;
  for (int top = BINS - 1; top >= 0; top--) {
    if (!w->bin_count[top]) continue;
    int bottom = top - BINS_PER_OCTAVE + 1, total = 0;
    if (bottom < 0 || w->grid_count == CLASSES - 1) bottom = 0;
    for (int b = bottom; b <= top; b++) total += w->bin_count[b];
    int class = total < FEW ? APART : w->grid_count;
    for (int b = bottom; b <= top; b++) w->bin_class[b] = class;
    if (class != APART) w->grids[w->grid_count++] = (grid){.count = total};
    top = bottom;
  }
  w->apart_count = 0;
  for (int c = 0; c < 3; c++) w->origin[c] = INFINITY;
  for (int k = 0; k < count; k++) {
    double size = extent(proxy + k);
    int bin = bin_of(size), class = bin < 0 ? APART : w->bin_class[bin];
    class_of[k] = (int8_t) class;
    if (class == APART) {
      w->apart_count++;
      continue;
    }
    w->grids[class].cell = fmax(w->grids[class].cell, size);
    for (int c = 0; c < 3; c++) w->origin[c] = fmin(w->origin[c], proxy[k].low[c]);
  }
}

static int cell_at(const ssi_broad *w, const grid *g, double x, int axis) {
  double c = floor((x - w->origin[axis]) / g->cell);
  return c < -1 ? -1 : c > LARGEST_CELL ? LARGEST_CELL : (int)c;
}

static size_t bucket_of(const grid *g, int64_t x, int64_t y, int64_t z) {
  uint64_t at =
      (uint64_t)x + (uint64_t)g->stride[0] * (uint64_t)y + (uint64_t)g->stride[1] * (uint64_t)z;
  return (size_t)at & g->mask;
}

static void cell_of(const ssi_broad *w, const grid *g, const ssi_proxy *p, int cell[3]) {
  for (int c = 0; c < 3; c++) cell[c] = cell_at(w, g, p->low[c] / 2 + p->high[c] / 2, c);
}

// Lengths of the rows and of the tables; room for everything.
static bool lay_out(ssi_broad *w, int count, const ssi_proxy *proxy) {
  const int8_t *class_of = w->class_of;
  int most[CLASSES][2] = {{0}};
  for (int c = 0; c < w->grid_count; c++) {
    w->grids[c].cell *= 1 + 1e-9;  // so that rounding cannot part two boxes that touch
    if (!(w->grids[c].cell > 0)) w->grids[c].cell = 1e-300;
  }
  for (int k = 0; k < count; k++) {
    if (class_of[k] == APART) continue;
    int cell[3];
    cell_of(w, w->grids + class_of[k], proxy + k, cell);
    for (int c = 0; c < 2; c++)
      if (cell[c] > most[class_of[k]][c]) most[class_of[k]][c] = cell[c];
  }
  size_t buckets = 0, entries = 0;
  for (int c = 0; c < w->grid_count; c++) {
    grid *g = w->grids + c;
    int64_t x = (int64_t)most[c][0] + 3, y = (int64_t)most[c][1] + 3;
    g->stride[0] = x | 1;
    g->stride[1] = (int64_t)((uint64_t)g->stride[0] * (uint64_t)(y | 1));
    size_t length = 16;
    while (length < 2 * (size_t)g->count) length *= 2;
    g->mask = length - 1;
    g->first = buckets;
    g->entry_first = entries;
    buckets += length + 1;
    entries += (size_t)g->count;
  }
  return ssi_grow(w->ctx, &w->bucket, &w->bucket_capacity, buckets + 1, 0, sizeof(uint32_t)) &&
         ssi_grow(w->ctx, &w->entries, &w->entry_capacity, entries + 1, 0, sizeof(entry)) &&
         ssi_grow(w->ctx, &w->place, &w->place_capacity, (size_t)count + 1, 0, sizeof(uint32_t)) &&
         ssi_grow(w->ctx, &w->order, &w->order_capacity, (size_t)count + 1, 0, sizeof(int)) &&
         ssi_grow(w->ctx, &w->apart, &w->apart_capacity, w->apart_count + 1, 0, sizeof(int));
}

static uint32_t name_of(const ssi_proxy *proxy, int count, int k) {
  bool shared = (k > 0 && proxy[k - 1].body == proxy[k].body) ||
                (k + 1 < count && proxy[k + 1].body == proxy[k].body);
  return 8 * (uint32_t)k + (proxy[k].round ? ROUND : 0) + (proxy[k].external ? EXTERNAL : 0) +
         (shared ? SHARED : 0);
}

// Counting sort of the boxes into the buckets of their classes.
static void fill(ssi_broad *w, int count, const ssi_proxy *proxy) {
  const int8_t *class_of = w->class_of;
  uint32_t *bucket = w->bucket, *place = w->place;
  int *apart = w->apart, *order = w->order;
  entry *entries = w->entries;
  for (int c = 0; c < w->grid_count; c++)
    memset(bucket + w->grids[c].first, 0, (w->grids[c].mask + 2) * sizeof *bucket);
  w->apart_count = 0;
  for (int k = 0; k < count; k++) {
    if (class_of[k] == APART) {
      apart[w->apart_count++] = k;
      continue;
    }
    const grid *g = w->grids + class_of[k];
    int cell[3];
    cell_of(w, g, proxy + k, cell);
    place[k] = (uint32_t)(g->first + bucket_of(g, cell[0], cell[1], cell[2]));
    bucket[place[k] + 1]++;
  }
  for (int c = 0; c < w->grid_count; c++) {
    uint32_t *b = bucket + w->grids[c].first;
    b[0] = (uint32_t)w->grids[c].entry_first;
    for (size_t k = 0; k <= w->grids[c].mask; k++) b[k + 1] += b[k];
  }
  enum { AHEAD = 8 };
  for (int k = count - 1; k >= 0; k--) {  // backwards: ascending inside a bucket
    if (k >= 2 * AHEAD && class_of[k - 2 * AHEAD] != APART)
      SSI_PREFETCH(bucket + place[k - 2 * AHEAD] + 1);
    if (k >= AHEAD && class_of[k - AHEAD] != APART)
      SSI_PREFETCH(entries + bucket[place[k - AHEAD] + 1] - 1);
    if (class_of[k] == APART) continue;
    entry *e = entries + --bucket[place[k] + 1];
    memcpy(e->low, proxy[k].low, sizeof e->low);
    memcpy(e->high, proxy[k].high, sizeof e->high);
    cell_of(w, w->grids + class_of[k], proxy + k, e->cell);
    e->name = name_of(proxy, count, k);
    order[e - entries] = k;
  }
  for (size_t i = 0; i < w->apart_count; i++) order[(size_t)count - w->apart_count + i] = apart[i];
  // each end has moved to its begin: entries of bucket k are now bucket[k + 1] .. bucket[k + 2]
}

// Boxes with these names at these places, if their bodies can touch.
static inline void add_pair(ssi_broad *w, uint32_t a, uint32_t b, int p, int q) {
  if (a & b & EXTERNAL) return;
  if ((a & b & SHARED) && w->proxy[a / 8].body == w->proxy[b / 8].body) return;
  if (w->pair_count == w->pair_capacity &&
      !ssi_grow(w->ctx, &w->pairs, &w->pair_capacity, w->pair_count + 1024, w->pair_count,
                sizeof(ssi_pair))) {
    w->failed = true;
    return;
  }
  ((ssi_pair *)w->pairs)[w->pair_count++] = (ssi_pair){p, q};
}

static inline bool overlap(const double al[3], const double ah[3], const double bl[3],
                           const double bh[3]) {
  return al[0] <= bh[0] && bl[0] <= ah[0] && al[1] <= bh[1] && bl[1] <= ah[1] && al[2] <= bh[2] &&
         bl[2] <= ah[2];
}

static inline bool meet(const entry *a, const entry *b) {
  if (!overlap(a->low, a->high, b->low, b->high)) return false;
  if (!(a->name & b->name & ROUND)) return true;
  double square = 0, radii = a->high[0] - a->low[0] + (b->high[0] - b->low[0]);  // doubled, all
  for (int c = 0; c < 3; c++) {
    double d = a->low[c] + a->high[c] - (b->low[c] + b->high[c]);
    square += d * d;
  }
  return square <= radii * radii * (1 + 1e-9);
}

// Entries of the cells x0 .. x1 (at most a few) of row (y, z) against box e; `after`: only entries
// behind it.
static inline void look_at_row(ssi_broad *w, const grid *g, const entry *e, int x0, int x1, int y,
                               int z, const entry *after) {
  const uint32_t *bucket = (const uint32_t *)w->bucket + g->first;
  const entry *entries = w->entries;
  size_t end = g->entry_first + (size_t)g->count, h = bucket_of(g, x0, y, z);
  size_t length = (size_t)(x1 - x0) + 1;
  while (length) {  // at most two stretches: the table is a ring
    size_t here = g->mask + 1 - h < length ? g->mask + 1 - h : length;
    size_t from = bucket[h + 1], to = h + here > g->mask ? end : bucket[h + here + 1];
    const entry *o = entries + from;
    if (after && o <= after) o = after + 1;
    for (; o < entries + to; o++) {
      if (o->cell[1] != y || o->cell[2] != z || o->cell[0] < x0 || o->cell[0] > x1) continue;
      if (meet(e, o)) add_pair(w, e->name, o->name, (int)(e - entries), (int)(o - entries));
    }
    length -= here;
    h = 0;
  }
}

static void same_class(ssi_broad *w, const grid *g, const entry *e, bool flat) {
  static const int row[4][2] = {
      {1, 0}, {-1, 1}, {0, 1}, {1, 1}};  // (dy, dz): half of the neighbours
  int x = e->cell[0], y = e->cell[1], z = e->cell[2];
  look_at_row(w, g, e, x, x, y, z, e);
  look_at_row(w, g, e, x + 1, x + 1, y, z, NULL);
  for (int k = 0; k < (flat ? 1 : 4); k++)
    look_at_row(w, g, e, x - 1, x + 1, y + row[k][0], z + row[k][1], NULL);
}

// A box of the class of g reaches half a cell beyond its own.
static void larger_class(ssi_broad *w, const grid *g, const entry *e) {
  int from[3], to[3];
  for (int c = 0; c < 3; c++) {
    from[c] = cell_at(w, g, e->low[c] - g->cell / 2, c);
    to[c] = cell_at(w, g, e->high[c] + g->cell / 2, c);
  }
  for (int z = from[2]; z <= to[2]; z++)
    for (int y = from[1]; y <= to[1]; y++) look_at_row(w, g, e, from[0], to[0], y, z, NULL);
}

// What is apart, against everything.
static void look_at_apart(ssi_broad *w, int count) {
  const ssi_proxy *proxy = w->proxy;
  const entry *entries = w->entries;
  const int *apart = w->apart;
  int inside = count - (int)w->apart_count;
  for (size_t i = 0; i < w->apart_count; i++) {
    const ssi_proxy *a = proxy + apart[i];
    uint32_t name = name_of(proxy, count, apart[i]);
    int place = inside + (int)i;
    for (int k = 0; k < inside; k++)
      if (overlap(a->low, a->high, entries[k].low, entries[k].high))
        add_pair(w, entries[k].name, name, k, place);
    for (size_t j = i + 1; j < w->apart_count; j++) {
      const ssi_proxy *b = proxy + apart[j];
      if (overlap(a->low, a->high, b->low, b->high))
        add_pair(w, name, name_of(proxy, count, apart[j]), place, inside + (int)j);
    }
  }
}

ss_error ssi_broad_pairs(ssi_broad *w, int count, const ssi_proxy *proxy, ssi_pairs *out) {
  w->proxy = proxy;
  w->pair_count = 0;
  w->failed = false;
  bool room = ssi_grow(w->ctx, &w->class_of, &w->class_capacity, (size_t)count + 1, 0, 1);
  if (room) choose_classes(w, count, proxy);
  if (!room || !lay_out(w, count, proxy))
    return ssi_fail(w->ctx, SS_ERR_MEMORY, "no memory for the boxes of %d bodies", count);
  fill(w, count, proxy);
  bool flat = true;
  for (int k = 0; k < count && flat; k++) flat = proxy[k].low[2] == 0 && proxy[k].high[2] == 0;
  const entry *entries = w->entries;
  for (int c = 0; c < w->grid_count; c++) {
    const grid *g = w->grids + c;
    for (int k = 0; k < g->count; k++) {
      const entry *e = entries + g->entry_first + k;
      same_class(w, g, e, flat);
      for (int larger = 0; larger < c; larger++) larger_class(w, w->grids + larger, e);
    }
  }
  look_at_apart(w, count);
  if (w->failed)
    return ssi_fail(w->ctx, SS_ERR_MEMORY, "no memory for %zu pairs of bodies", w->pair_count);
  *out = (ssi_pairs){w->pairs, w->pair_count, w->order};
  return SS_OK;
}
