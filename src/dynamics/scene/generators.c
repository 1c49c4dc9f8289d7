// Generators: many bodies from a few numbers. Same seed, same bits.
//
// "up" is the last axis that counts (y in 2D, z in 3D). A wall, an arch and a house of cards stand in the
// plane of x and up; in 3D their depth is along y, from low[1] on.
#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "base/rng.h"
#include "dynamics/quaternion.h"
#include "dynamics/scene/world.h"
#include "problem/courses.h"

static const double PI = 3.14159265358979323846;

static int64_t product(const int *n) {
  return n[0] < 1 || n[1] < 1 || n[2] < 1 ? -1 : (int64_t)n[0] * n[1] * n[2];
}

int ssi_generator_count(const ss_generator *g) {
  int64_t n = g->count;
  if (g->kind == SS_GENERATE_GRID) {
    if (g->cells[0] > 0 && g->cells[1] > INT32_MAX / g->cells[0]) return -1;
    n = product(g->cells);
  } else if (g->kind == SS_GENERATE_WALL) {  // every second row has two halves in place of one
    n = g->cells[0] < 1 || g->cells[1] < 1 ? -1
                                           : (int64_t)g->cells[0] * g->cells[1] + g->cells[1] / 2;
  } else if (g->kind == SS_GENERATE_CARDS) {  // n - k pairs in storey k, n - k - 1 lying on them
    n = g->count > 10000 ? -1 : (int64_t)g->count * (g->count + 1) + g->count * (g->count - 1) / 2;
  }
  return n < 1 || n > INT32_MAX / 8 ? -1 : (int)n;
}

typedef struct maker {
  ss_context *ctx;
  int dim, up;
  const ss_generator *g;
  ssi_shapes *shapes;
  ss_body *out;
  int made;
  double density;  // of the generator's material
} maker;

static ss_body *add(maker *m, const ss_shape *shape) {
  ss_body *b = m->out + m->made++;
  const ss_generator *g = m->g;
  *b = (ss_body){.shape = shape, .material = g->material, .mass = g->mass};
  b->pose = ss_pose_identity();
  for (int k = 0; k < 3; k++) {
    b->velocity[k] = g->velocity[k];
    b->spin[k] = g->spin[k];
  }
  return b;
}

// A rectangle (2D) or box in the plane of x and up, turned by `angle` from x towards up.
static void set_plane(const maker *m, double x, double depth, double up, double angle,
                      ss_pose *pose) {
  *pose = ss_pose_identity();
  pose->x[0] = x;
  pose->x[1] = m->dim == 2 ? up : depth;
  if (m->dim == 3) pose->x[2] = up;
  if (angle == 0) return;
  double axis[3] = {0, m->dim == 3 ? -angle : 0, m->dim == 2 ? angle : 0};  // x to z: about -y
  ssi_quat_exp(axis, pose->q);
}

static ss_error keep(maker *m, ss_error e, ss_shape *shape) {
  SS_TRY(e);
  if (ssi_shapes_add(m->ctx, m->shapes, shape)) return SS_OK;
  ss_shape_destroy(shape);
  return ssi_fail(m->ctx, SS_ERR_MEMORY, "no memory for the bodies of a generator");
}

static ss_error make_box(maker *m, double x, double depth, double up, ss_shape **out) {
  double half[3] = {x / 2, (m->dim == 2 ? up : depth) / 2, up / 2};
  ss_error e = ss_shape_box(m->ctx, m->dim, half, out);
  return keep(m, e, *out);
}

// ---- packing ----------------------------------------------------------------------------------

static void random_turn(int dim, ssi_rng *rng, double q[4]) {
  if (dim == 2) {
    double axis[3] = {0, 0, 2 * PI * ssi_rng_uniform(rng)};
    ssi_quat_exp(axis, q);
    return;
  }
  for (double n = 2; n > 1 || n < 0.01;) {  // uniform on the sphere, by rejection
    n = 0;
    for (int k = 0; k < 4; k++) {
      q[k] = 2 * ssi_rng_uniform(rng) - 1;
      n += q[k] * q[k];
    }
  }
  ssi_quat_normalise(q);
}

// Cells of this width along each axis of the box.
static int64_t cells_of(const maker *m, double width, int n[3]) {
  n[2] = 1;
  double all = 1;
  for (int k = 0; k < m->dim; k++) {
    double most = floor((m->g->high[k] - m->g->low[k]) / width * (1 + 1e-12));
    n[k] = most < 1 ? 0 : most > 1e6 ? 1000000 : (int)most;
    all *= n[k];
  }
  return all > 1e15 ? (int64_t)1e15 : (int64_t)all;
}

// One body per cell, bottom up, moved at random as far as its cell allows.
static ss_error make_packing(maker *m) {
  const ss_generator *g = m->g;
  static const double widths[] = {1.25, 1.1, 1.02, 1.0001};  // of a cell, in diameters
  double extent = ss_shape_extent(g->shape), most = extent * (1 + g->spread), width = 0;
  int n[3];
  int64_t fit = 0;
  for (size_t k = 0; k < sizeof widths / sizeof *widths && fit < g->count; k++)
    fit = cells_of(m, width = 2 * most * widths[k], n);
  if (fit < g->count)
    return ssi_fail(m->ctx, SS_ERR_DATA, "/region: only %lld of %d bodies fit", (long long)fit,
                    g->count);
  ssi_rng rng = {g->seed};
  for (int i = 0; i < g->count; i++) {
    double scale = 1 + g->spread * (2 * ssi_rng_uniform(&rng) - 1);
    const ss_shape *shape = g->shape;
    if (g->spread > 0) {
      ss_shape *sized = NULL;
      ss_error e = ss_shape_sphere(m->ctx, m->dim, extent * scale, &sized);
      SS_TRY(keep(m, e, sized));
      shape = sized;
    }
    ss_body *b = add(m, shape);
    double slack = width / 2 - extent * scale;
    int cell = i;
    for (int k = 0; k < m->dim; k++) {
      double at = m->g->low[k] + (cell % n[k] + 0.5) * width;
      cell /= n[k];
      b->pose.x[k] = at + slack * (2 * ssi_rng_uniform(&rng) - 1);
      if (g->speed > 0) b->velocity[k] += g->speed * (2 * ssi_rng_uniform(&rng) - 1);
    }
    if (g->turned) random_turn(m->dim, &rng, b->pose.q);
  }
  return SS_OK;
}

// ---- grid, stack, wall ------------------------------------------------------------------------

static ss_error make_grid(maker *m) {
  const ss_generator *g = m->g;
  for (int z = 0; z < g->cells[2]; z++)
    for (int y = 0; y < g->cells[1]; y++)
      for (int x = 0; x < g->cells[0]; x++) {
        ss_body *b = add(m, g->shape);
        const int at[3] = {x, y, z};
        for (int k = 0; k < m->dim; k++) b->pose.x[k] = g->low[k] + at[k] * g->spacing[k];
      }
  return SS_OK;
}

static ss_error make_stack(maker *m) {
  const ss_generator *g = m->g;
  double mass = g->mass, ratio = g->mass_ratio > 0 ? g->mass_ratio : 1;
  if (!(mass > 0) && ratio != 1) {  // the first is as heavy as its material
    ss_mass_properties p;
    SS_TRY(ss_shape_mass(m->ctx, g->shape, &p));
    mass = m->density * p.volume;
  }
  for (int i = 0; i < g->count; i++, mass *= ratio) {
    ss_body *b = add(m, g->shape);
    b->mass = mass;
    for (int k = 0; k < m->dim; k++) b->pose.x[k] = g->low[k] + i * g->spacing[k];
  }
  return SS_OK;
}

// low: the lower left front corner.
static ss_error make_wall(maker *m) {
  const ss_generator *g = m->g;
  double l = g->size[0], d = g->size[2], h = g->size[1];
  double front = m->dim == 3 ? g->low[1] + d / 2 : 0, floor_at = g->low[m->up];
  ss_shape *whole, *half = NULL;
  SS_TRY(make_box(m, l, d, h, &whole));
  if (g->cells[1] > 1) SS_TRY(make_box(m, l / 2, d, h, &half));
  for (int row = 0; row < g->cells[1]; row++) {
    double up = floor_at + (row + 0.5) * h;
    for (int j = 0; j < ssi_course_count(row, g->cells[0]); j++) {
      double left, right;
      ssi_course_block(row, g->cells[0], j, &left, &right);
      set_plane(m, g->low[0] + (left + right) / 2 * l, front, up, 0,
                &add(m, right - left < 1 ? half : whole)->pose);
    }
  }
  return SS_OK;
}

// ---- arch -------------------------------------------------------------------------------------

// Voussoirs between the angles a < b, seen from the centre, 0 along x. Straight inner and outer faces.
static ss_error make_voussoir(maker *m, double a, double b, ss_shape **out) {
  double inner = m->g->size[0], outer = inner + m->g->size[1], points[24];
  int n = 0;
  for (int corner = 0; corner < 4; corner++) {
    double angle = corner == 0 || corner == 3 ? a : b, radius = corner < 2 ? inner : outer;
    for (int side = 0; side < m->dim - 1; side++) {
      points[n++] = radius * cos(angle);
      if (m->dim == 3) points[n++] = side * m->g->size[2];
      points[n++] = radius * sin(angle);
    }
  }
  ss_error e = ss_shape_hull(m->ctx, m->dim, n / m->dim, points, out);
  return keep(m, e, *out);
}

// low: the centre of the circle (in 3D at the front). Voussoirs from the right to the left.
static ss_error make_arch(maker *m) {
  const ss_generator *g = m->g;
  double begin = PI / 2 - g->angle / 2, each = g->angle / g->count;
  for (int i = 0; i < g->count; i++) {
    ss_shape *shape;
    SS_TRY(make_voussoir(m, begin + i * each, begin + (i + 1) * each, &shape));
    ss_body *b = add(m, shape);
    for (int k = 0; k < m->dim; k++) b->pose.x[k] = g->low[k];
  }
  return SS_OK;
}

// ---- house of cards ---------------------------------------------------------------------------

// Cards of length L and thickness t lean at an angle a against the vertical, pairwise, their upper edges
// touching. low: the middle of the foot (in 3D at the front). With the edges at x = 0 a leaning
// card's middle is at  x = -(L sin a + t cos a)/2, half of  L cos a + t sin a  above its foot at
// x = -L sin a; pairs are 2 (L sin a + t cos a) and a little apart.
static ss_error make_cards(maker *m) {
  const ss_generator *g = m->g;
  double L = g->size[0], t = g->size[1], s = sin(g->angle), c = cos(g->angle);
  double apart = 2 * (L * s + t * c) * 1.01, high = L * c + t * s;
  double front = m->dim == 3 ? g->low[1] + g->size[2] / 2 : 0, foot = g->low[m->up];
  ss_shape *leaning, *lying = NULL;
  SS_TRY(make_box(m, t, g->size[2], L, &leaning));
  if (g->count > 1) SS_TRY(make_box(m, apart * 0.999, g->size[2], t, &lying));
  for (int storey = 0; storey < g->count; storey++, foot += high + t) {
    int pairs = g->count - storey;
    double left = g->low[0] - (pairs - 1) * apart / 2;
    for (int k = 0; k < pairs; k++)
      for (int side = -1; side <= 1; side += 2)
        set_plane(m, left + k * apart + side * (L * s + t * c) / 2, front, foot + high / 2,
                  side * g->angle, &add(m, leaning)->pose);
    for (int k = 0; k + 1 < pairs; k++)
      set_plane(m, left + (k + 0.5) * apart, front, foot + high + t / 2, 0, &add(m, lying)->pose);
  }
  return SS_OK;
}

ss_error ssi_generator_expand(ss_context *ctx, int dim, const ss_generator *g, double density,
                              ssi_shapes *shapes, ss_body *out) {
  static ss_error (*const make[])(maker *) = {make_packing, make_grid, make_wall,
                                              make_stack,   make_arch, make_cards};
  maker m = {.ctx = ctx,
             .dim = dim,
             .up = dim - 1,
             .g = g,
             .density = density,
             .shapes = shapes,
             .out = out};
  return make[g->kind](&m);
}
