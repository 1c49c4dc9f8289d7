// Spheres in layers, each over a gap between four of the layer below, with radii and places that differ by some
// tenths: a function of the seed and of the sphere's own place (i, j, k), so that nobody has to know the others.
//
//     x = (S (i + odd/2) + a, S (j + odd/2) + b, H k + c),   radius 1 + d,   odd = k mod 2                        (1)
//
// a, b, c uniform within JITTER, d within SPREAD. Neighbours touch where they overlap by more than -GAP: 2.2 contacts a
// sphere, as in a settled pile (with 2.65, gap 0.02, some sizes do not reach 1e-4 in 5,000 sweeps; those of
// ss_generate_pile take 300). Unlike there nothing settles, which would take sweeps from floor to top over all ranks.
//
// Spheres are numbered along a Morton curve through the box, contacts by their first sphere: domains are compact.
// Units as in problem/generate.c.
#include "mpi/share_pile.h"

#include <math.h>
#include <stdlib.h>

#include "base/rng.h"
#include "mpi/share_rigid.h"

static const double S = 2.1, H = 1.34;  // H^2 + S^2/2 = 4: spheres of radius 1 just touch
static const double JITTER = 0.15, SPREAD = 0.2, GAP = -0.03, AGITATION = 0.1;
static const double CONTACTS_PER_SPHERE = 2.18;
static const double PI = 3.14159265358979323846;

typedef struct layers {
  int64_t side[3];
  int levels;  // bits of the largest coordinate
  double mu;
  uint64_t seed;
} layers;

typedef struct bead {
  double x[3], r, v[3];
} bead;

// ---- the curve -----------------------------------------------------------------------------

static int64_t clip(int64_t low, int64_t length,
                    int64_t side) {  // of [low, low + length) in [0, side)
  int64_t high = low + length < side ? low + length : side;
  return high > low ? high - low : 0;
}

static int64_t inside(const layers *b, const int64_t low[3], int64_t length) {
  return clip(low[0], length, b->side[0]) * clip(low[1], length, b->side[1]) *
         clip(low[2], length, b->side[2]);
}

static void child(const int64_t low[3], int64_t length, int octant, int64_t out[3]) {
  for (int k = 0; k < 3; k++) out[k] = low[k] + (octant >> k & 1) * length;
}

// Cells of the box before cell x on the curve.
static int64_t number_of(const layers *b, const int64_t x[3]) {
  int64_t low[3] = {0}, before = 0, at[3];
  for (int level = b->levels - 1; level >= 0; level--) {
    int64_t length = (int64_t)1 << level;
    int mine = 0;
    for (int k = 0; k < 3; k++) mine |= (int)(x[k] >> level & 1) << k;
    for (int octant = 0; octant < mine; octant++) {
      child(low, length, octant, at);
      before += inside(b, at, length);
    }
    child(low, length, mine, low);
  }
  return before;
}

static void cell_of(const layers *b, int64_t number, int64_t x[3]) {
  int64_t at[3];
  for (int k = 0; k < 3; k++) x[k] = 0;
  for (int level = b->levels - 1; level >= 0; level--) {
    int64_t length = (int64_t)1 << level;
    for (int octant = 0;; octant++) {
      child(x, length, octant, at);
      int64_t here = inside(b, at, length);
      if (number < here) break;
      number -= here;
    }
    for (int k = 0; k < 3; k++) x[k] = at[k];
  }
}

static int64_t spheres(const layers *b) {
  return b->side[0] * b->side[1] * b->side[2];
}

static layers shape(const share_pile_options *o) {
  double wanted = fmax(1, (double)o->contacts / CONTACTS_PER_SPHERE);
  int64_t side = (int64_t)fmax(1, floor(cbrt(wanted * H / S)));
  int64_t high = (int64_t)fmax(1, round(wanted / (double)(side * side)));
  layers b = {.side = {side, side, high}, .mu = o->mu, .seed = o->seed};
  while ((int64_t)1 << b.levels < (side > high ? side : high)) b.levels++;
  return b;
}

// ---- spheres and contacts ------------------------------------------------------------------

static double within(ssi_rng *g, double size) {
  return size * (2 * ssi_rng_uniform(g) - 1);
}

static bead bead_at(const layers *b, const int64_t x[3]) {
  ssi_rng g = {b->seed};
  for (int k = 0; k < 3; k++) g.state = ssi_rng_next(&g) ^ (uint64_t)x[k];
  ssi_rng_next(&g);
  double shift = (double)(x[2] % 2) / 2;
  bead a = {.x = {S * ((double)x[0] + shift), S * ((double)x[1] + shift), 1 + H * (double)x[2]}};
  for (int k = 0; k < 3; k++) a.x[k] += within(&g, JITTER);
  a.r = 1 + within(&g, SPREAD);
  for (int k = 0; k < 3; k++) a.v[k] = within(&g, AGITATION);
  a.v[2] -= 1;  // what gravity adds in the step
  return a;
}

typedef struct touch {
  int64_t a, b;  // spheres; b = -1: a wall
  double n[3];   // from b to a
  double arm_a, arm_b;
} touch;

typedef struct touches {
  const ranks *c;
  touch *x;
  int64_t count, room;
} touches;

static void add_touch(touches *t, const touch *one) {
  if (t->count == t->room) {
    t->room = 2 * t->room + 1000;
    touch *larger = realloc(t->x, sizeof *t->x * (size_t)t->room);
    if (!larger) ranks_die(t->c, 4, "out of memory for a pile");
    t->x = larger;
  }
  t->x[t->count++] = *one;
}

static void touch_walls(const layers *b, const bead *a, int64_t number, touches *out) {
  for (int k = 0; k < 3; k++)
    for (int far = 0; far < (k < 2 ? 2 : 1); far++) {
      double wall = far ? S * ((double)b->side[k] - 0.5) + 1 : k < 2 ? -1 : 0;
      double gap = (far ? wall - a->x[k] : a->x[k] - wall) - a->r;
      if (gap >= GAP && !(k == 2 && a->x[2] < 1.5)) continue;  // the lowest layer lies on the floor
      touch t = {number, -1, {0}, a->r, 0};
      t.n[k] = far ? -1 : 1;
      add_touch(out, &t);
    }
}

static void touch_sphere(const bead *a, const bead *b, int64_t number, int64_t other,
                         touches *out) {
  touch t = {number, other, {0}, a->r, b->r};
  double square = 0;
  for (int k = 0; k < 3; k++) {
    t.n[k] = a->x[k] - b->x[k];
    square += t.n[k] * t.n[k];
  }
  double distance = sqrt(square);
  if (distance - a->r - b->r >= GAP) return;
  for (int k = 0; k < 3; k++) t.n[k] /= distance;
  add_touch(out, &t);
}

// Contacts of a sphere with walls and with spheres that come later on the curve.
static void touch_all(const layers *b, int64_t number, touches *out) {
  int64_t x[3], y[3];
  cell_of(b, number, x);
  bead a = bead_at(b, x);
  touch_walls(b, &a, number, out);
  for (int64_t dz = -1; dz <= 1; dz++)
    for (int64_t dy = -1; dy <= 1; dy++)
      for (int64_t dx = -1; dx <= 1; dx++) {
        y[0] = x[0] + dx, y[1] = x[1] + dy, y[2] = x[2] + dz;
        bool there = dx || dy || dz;
        for (int k = 0; k < 3; k++) there = there && y[k] >= 0 && y[k] < b->side[k];
        if (!there) continue;
        bead other = bead_at(b, y);
        int64_t its = number_of(b, y);
        if (its > number) touch_sphere(&a, &other, number, its, out);
      }
}

// ---- the problem ---------------------------------------------------------------------------

static void pile_contact(const void *user, int64_t k, ssi_rigid_contact *out, int64_t body[2]) {
  const touch *t = &((const touches *)user)->x[k];
  body[0] = t->a, body[1] = t->b;
  ssi_contact_frame(3, t->n, out->e);
  for (int j = 0; j < 3; j++) out->arm_a.x[j] = -t->n[j], out->arm_b.x[j] = t->n[j];
  out->arm_a.length = t->arm_a, out->arm_b.length = t->arm_b;
}

static ssi_rigid_body pile_body(const void *user, int64_t k) {
  int64_t x[3];
  cell_of(user, k, x);
  bead a = bead_at(user, x);
  ssi_rigid_body body = {.mass = 4 * PI / 3 * a.r * a.r * a.r};
  for (int j = 0; j < 3; j++) {
    body.inertia[j] = 0.4 * body.mass * a.r * a.r;
    body.momentum[j] = body.mass * a.v[j];
  }
  return body;
}

ss_error share_pile(ranks *c, const share_pile_options *o, double size, share_source *out) {
  layers b = shape(o);
  int64_t all = spheres(&b), from = ranks_first(all, c->size, c->rank);
  int64_t to = ranks_first(all, c->size, c->rank + 1), first = 0;
  touches t = {.c = c};
  for (int64_t k = from; k < to; k++) touch_all(&b, k, &t);
  *out = (share_source){.dim = 3, .contacts = t.count, .dofs = 6 * all};
  MPI_Exscan(&t.count, &first, 1, MPI_INT64_T, MPI_SUM, c->comm);
  if (c->rank == 0) first = 0;
  MPI_Allreduce(MPI_IN_PLACE, &out->contacts, 1, MPI_INT64_T, MPI_SUM, c->comm);
  share_rigid_rows(c, &(share_rigid){pile_contact, &t, t.count, first}, out);
  free(t.x);
  share_rigid_masses(c, pile_body, &b, out);
  share_rigid_vectors(c, o->mu, size, out);
  return SS_OK;
}
