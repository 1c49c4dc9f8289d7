// Settling by positions alone: no forces, no time. Each iteration lets every sphere sink a little
// and then removes overlaps pair by pair, from the floor upwards,
//
//     overlap = r_a + r_b - |x_b - x_a|,    n = (x_b - x_a) / |x_b - x_a|
//     x_b += c overlap n,   x_a -= (1 - c) overlap n,   c = 1/2 + LIFT n_up                     (1)
//
// so that the upper sphere of a pair gives way more than the lower one and a correction made at the
// floor travels to the top within one sweep. The sinking fades out; what is left are spheres that
// almost touch. Cost: a fixed number of sweeps over a neighbour list from a cell grid.
//
// Only + - * / sqrt are used: the same seed gives the same bits everywhere.
#include "problem/packing.h"

#include <math.h>

#include "base/rng.h"

// Chosen by trial on 1e2 .. 3e5 spheres: mean |gap| between neighbours 1e-3 .. 4e-3 radii, fewer
// than 1 % unsupported. A denser start gives more contacts and deeper overlaps (0.60 in 3D: 2.7
// contacts per sphere and 8e-3 after 60 sweeps), a looser one the opposite (0.55: 2.2 and 1e-3).
enum { SWEEPS = 80, FADING = 45 };  // sinking stops after FADING sweeps
static const double SINK = 0.015;   // of a mean radius, in the first sweep
static const double LIFT = 0.4;     // (1)
static const double SKIN = 0.3;     // neighbour lists reach this far beyond contact
static const double SOLID[4] = {0, 0, 0.79, 0.585};  // solid fraction at the start, by dimension

static const double PI = 3.14159265358979323846;

static double power(double x, int k) {
  return k == 2 ? x * x : x * x * x;
}

// x^(1/k) by Newton's method: libm's cbrt may differ between machines in its last bit.
static double root(double x, int k) {
  double y = x > 1 ? x : 1;
  for (int i = 0; i < 100; i++) y -= (y - x / (power(y, k) / y)) / k;
  return y;
}

// One sphere per site of a cubic lattice, anywhere in it: random, without the clumps and holes of
// independent points, which would take long to even out.
static void place(ssi_settled *s, const ssi_settle_options *o) {
  ssi_rng rng = {o->seed};
  int dim = s->dim, up = dim - 1, side = 1;
  while (power(side, dim) < s->count) side++;
  // E[r^2] = 1 + spread^2 / 3,  E[r^3] = 1 + spread^2
  double solid =
      dim == 2 ? PI * (1 + o->spread * o->spread / 3) : 4 * PI / 3 * (1 + o->spread * o->spread);
  double pitch = root(solid / SOLID[dim], dim), narrowest = 2.2 * (1 + o->spread);
  s->width = side * pitch > narrowest ? side * pitch : narrowest;
  pitch = s->width / side;
  for (int i = 0; i < s->count; i++) {
    int at = i;
    ssi_sphere *a = s->sphere + i;
    a->r = 1 + o->spread * (2 * ssi_rng_uniform(&rng) - 1);
    for (int k = 0; k < dim; k++, at /= side) {
      int site = k == up ? at : at % side;  // may rise above a full cube by less than a layer
      a->x[k] = (site + ssi_rng_uniform(&rng)) * pitch;
    }
  }
}

// Cells at least as wide as two spheres can be apart and still be neighbours, so that neighbours
// lie in adjacent cells; never more than about two cells per sphere.
static void shape_grid(ssi_settled *s, double spread, double reach) {
  double top = 0;
  for (int i = 0; i < s->count; i++) top = fmax(top, s->sphere[i].x[s->dim - 1]);
  s->cell_size = 2 * (1 + spread) + reach;
  int across = (int)(s->width / s->cell_size) + 1, layer = s->dim == 2 ? across : across * across;
  double most = (double)s->count / layer * 2 + 1;  // spheres above share the top layer
  int high = (int)fmin(top / s->cell_size + 1, most);
  for (int k = 0; k < 3; k++) s->cells[k] = k == s->dim - 1 ? high : across;
  if (s->dim == 2) s->cells[2] = 1;
}

static int cell_along(const ssi_settled *s, const ssi_sphere *a, int k) {
  int c = (int)(a->x[k] / s->cell_size);
  return c < 0 ? 0 : c >= s->cells[k] ? s->cells[k] - 1 : c;
}

// Counting sort of the spheres by cell, x fastest, up slowest.
static void sort_by_cell(ssi_settled *s) {
  int total = s->cells[0] * s->cells[1] * s->cells[2];
  for (int c = 0; c <= total; c++) s->cell_start[c] = 0;
  for (int i = 0; i < s->count; i++) {
    const ssi_sphere *a = s->sphere + i;
    s->cell[i] = cell_along(s, a, 0) +
                 s->cells[0] * (cell_along(s, a, 1) + s->cells[1] * cell_along(s, a, 2));
    s->cell_start[s->cell[i]]++;
  }
  for (int c = 0, sum = 0; c <= total; c++) {
    int here = s->cell_start[c];
    s->cell_start[c] = sum;
    sum += here;
  }
  for (int i = 0; i < s->count; i++) s->other[s->cell_start[s->cell[i]]++] = s->sphere[i];
  for (int c = total; c > 0; c--) s->cell_start[c] = s->cell_start[c - 1];
  s->cell_start[0] = 0;
  ssi_sphere *sorted = s->other;
  s->other = s->sphere;
  s->sphere = sorted;
}

// Appends to the list the neighbours of sphere i among first .. last-1; entries beyond the capacity
// are only counted.
static int64_t scan(ssi_settled *s, int i, int first, int last, double reach, int64_t at) {
  const ssi_sphere *a = s->sphere + i;
  for (int j = first; j < last; j++) {
    const ssi_sphere *b = s->sphere + j;
    double x = b->x[0] - a->x[0], y = b->x[1] - a->x[1], z = b->x[2] - a->x[2];
    double far = a->r + b->r + reach;
    if (x * x + y * y + z * z >= far * far) continue;
    if (at < s->near_capacity) s->near[at] = j;
    at++;
  }
  return at;
}

// The half of the cells around sphere i that comes later in the order: three cells side by side are
// one run of spheres, so that at most five runs are looked at.
static int64_t scan_around(ssi_settled *s, int i, double reach, int64_t at) {
  const int *n = s->cells;
  int x = cell_along(s, s->sphere + i, 0), y = cell_along(s, s->sphere + i, 1),
      z = cell_along(s, s->sphere + i, 2);
  int left = x > 0 ? x - 1 : 0, right = x + 1 < n[0] ? x + 1 : x;
  at = scan(s, i, i + 1, s->cell_start[right + n[0] * (y + n[1] * z) + 1], reach, at);
  for (int k = z; k <= z + 1 && k < n[2]; k++)
    for (int j = k == z ? y + 1 : y - 1; j <= y + 1; j++) {
      if (j < 0 || j >= n[1]) continue;
      const int *row = s->cell_start + n[0] * (j + n[1] * k);
      at = scan(s, i, row[left], row[right + 1], reach, at);
    }
  return at;
}

static bool find_neighbours(ssi_settled *s, double spread, double reach) {
  shape_grid(s, spread, reach);
  sort_by_cell(s);
  for (;;) {
    int64_t at = 0;
    for (int i = 0; i < s->count; i++) {
      s->near_ptr[i] = at;
      at = scan_around(s, i, reach, at);
    }
    s->near_ptr[s->count] = at;
    if (at <= s->near_capacity) return true;
    ssi_release(s->arena.ctx, s->near);
    s->near_capacity = at + at / 8;
    s->near = ssi_alloc(s->arena.ctx, (size_t)s->near_capacity, sizeof *s->near);
    if (!s->near) return false;
  }
}

static void separate(ssi_sphere *a, ssi_sphere *b, int up) {
  double d[3] = {b->x[0] - a->x[0], b->x[1] - a->x[1], b->x[2] - a->x[2]};
  double touch = a->r + b->r, square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
  if (square >= touch * touch || square == 0) return;  // coincident centres: sinking parts them
  double distance = sqrt(square), move = touch / distance - 1;
  double share = 0.5 + LIFT * d[up] / distance;  // (1)
  for (int k = 0; k < 3; k++) {
    b->x[k] += share * move * d[k];
    a->x[k] -= (1 - share) * move * d[k];
  }
}

static void keep_inside(const ssi_settled *s, ssi_sphere *a) {
  for (int k = 0; k < s->dim; k++) {
    if (a->x[k] < a->r) a->x[k] = a->r;
    if (k < s->dim - 1 && a->x[k] > s->width - a->r) a->x[k] = s->width - a->r;
  }
}

static void sweep(ssi_settled *s, double sink) {
  int up = s->dim - 1;
  for (int i = 0; i < s->count; i++) {
    ssi_sphere *a = s->sphere + i;
    a->x[up] -= sink;
    keep_inside(s, a);
    for (int64_t k = s->near_ptr[i]; k < s->near_ptr[i + 1]; k++)
      separate(a, s->sphere + s->near[k], up);
  }
}

// Farther than half the skin from where the list was made: two such spheres may overlap unseen.
static bool moved_too_far(const ssi_settled *s) {
  double limit = SKIN * SKIN / 4;
  for (int i = 0; i < s->count; i++) {
    const double *x = s->sphere[i].x, *y = s->other[i].x;
    double a = x[0] - y[0], b = x[1] - y[1], c = x[2] - y[2];
    if (a * a + b * b + c * c > limit) return true;
  }
  return false;
}

static bool relax(ssi_settled *s, double spread) {
  bool stale = true;
  for (int k = 0; k < SWEEPS; k++) {
    if (stale) {
      if (!find_neighbours(s, spread, SKIN)) return false;
      for (int i = 0; i < s->count; i++) s->other[i] = s->sphere[i];
    }
    double left = k < FADING ? 1 - (double)k / FADING : 0;
    sweep(s, SINK * left * left);
    stale = moved_too_far(s);
  }
  for (int i = 0; i < s->count; i++) keep_inside(s, s->sphere + i);
  return true;
}

bool ssi_settle(ss_context *ctx, const ssi_settle_options *o, ssi_settled *out) {
  *out = (ssi_settled){.dim = o->dim, .count = o->count, .arena = {.ctx = ctx}};
  size_t n = (size_t)o->count;
  out->sphere = SSI_TAKE(&out->arena, n, ssi_sphere);
  out->other = SSI_TAKE(&out->arena, n, ssi_sphere);
  out->near_ptr = SSI_TAKE(&out->arena, n + 1, int64_t);
  out->cell = SSI_TAKE(&out->arena, n, int);
  if (!out->arena.failed) {
    place(out, o);
    // shape_grid: high <= 2 count / layer + 1, so cells <= 2 count + layer
    size_t across = (size_t)(out->width / 2) + 1, layer = o->dim == 2 ? across : across * across;
    out->cell_start = SSI_TAKE(&out->arena, 2 * n + layer + 2, int);
  }
  if (!out->arena.failed && relax(out, o->spread) && find_neighbours(out, o->spread, o->gap_tol))
    return true;
  ssi_settled_release(out);
  return false;
}

void ssi_settled_release(ssi_settled *s) {
  ssi_release(s->arena.ctx, s->near);
  ssi_arena_release(&s->arena);
  *s = (ssi_settled){0};
}
