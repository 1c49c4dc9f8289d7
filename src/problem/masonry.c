// Walls and towers of boxes with sides along the axes, gravity along the last axis used. A face that
// two boxes share touches at its corners (2 in 2D, 4 in 3D): more reactions than equations.
//
// Units: block height and depth, density (of the lowest block) and g h are 1.
#include <float.h>
#include <math.h>

#include "base/error.h"
#include "problem/courses.h"
#include "problem/generate.h"
#include "problem/masonry.h"
#include "stickslip/generate.h"

static const double JOINT = 0.02;  // between neighbours in a row, which do not touch

typedef struct bed {
  int above, below;  // boxes; below = -1: the ground
} bed;

typedef struct masonry {
  int dim, blocks, faces;
  ssi_brick *box;        // (blocks)
  ssi_rigid_body *body;  // (blocks)
  bed *face;             // (faces)
} masonry;

void ssi_brick_contact(int dim, const ssi_brick *a, const ssi_brick *below, int corner,
                       ssi_rigid_contact *c) {
  int up = dim - 1;
  const ssi_brick *b = below ? below : a;
  double point[3] = {0};
  for (int k = 0; k < up; k++)
    point[k] = corner >> k & 1 ? fmin(a->centre[k] + a->side[k] / 2, b->centre[k] + b->side[k] / 2)
                               : fmax(a->centre[k] - a->side[k] / 2, b->centre[k] - b->side[k] / 2);
  point[up] = a->centre[up] - a->side[up] / 2;
  const double normal[3] = {0, up == 1, up == 2};
  ssi_contact_frame(dim, normal, c->e);
  c->arm_a.length = c->arm_b.length = 1;
  for (int k = 0; k < dim; k++) {
    c->arm_a.x[k] = point[k] - a->centre[k];
    c->arm_b.x[k] = point[k] - b->centre[k];
  }
}

static void box_contact(const void *user, int index, ssi_rigid_contact *c) {
  const masonry *m = user;
  int each = ssi_brick_corners(m->dim);
  bed f = m->face[index / each];
  c->a = f.above;
  c->b = f.below;
  ssi_brick_contact(m->dim, m->box + f.above, f.below < 0 ? NULL : m->box + f.below, index % each,
                    c);
}

// I_k = m (s_i^2 + s_j^2) / 12 about the axis k, with i, j the other two
ssi_rigid_body ssi_brick_body(int dim, const ssi_brick *b, double mass) {
  ssi_rigid_body body = {.mass = mass};
  for (int k = 0; k < 3; k++) {
    double p = b->side[(k + 1) % 3], q = b->side[(k + 2) % 3];
    body.inertia[k] = mass * (p * p + q * q) / 12;
  }
  body.momentum[dim - 1] = -mass;
  return body;
}

static void load_box(masonry *m, int i, double mass) {
  m->body[i] = ssi_brick_body(m->dim, m->box + i, mass);
}

// Room for the boxes and faces; false: no memory.
static bool take(masonry *m, ssi_arena *arena, int blocks, int faces) {
  m->box = SSI_TAKE(arena, blocks, ssi_brick);
  m->body = SSI_TAKE(arena, blocks, ssi_rigid_body);
  m->face = SSI_TAKE(arena, faces, bed);
  return !arena->failed;
}

static ss_error assemble(ss_context *ctx, const masonry *m, double mu, ss_problem **out) {
  int each = ssi_brick_corners(m->dim), grounded = 0;
  for (int i = 0; i < m->faces; i++) grounded += m->face[i].below < 0;
  ssi_rigid_contacts contacts = {.dim = m->dim,
                                 .bodies = m->blocks,
                                 .count = m->faces * each,
                                 .ends = (int64_t)(2 * m->faces - grounded) * each,
                                 .contact = box_contact,
                                 .user = m};
  ssi_rigid_scene scene = {contacts, mu, m->body};
  return ssi_rigid_assemble(ctx, &scene, out);
}

// ---- wall -----------------------------------------------------------------------------------

ss_wall_options ss_wall_options_default(void) {
  return (ss_wall_options){.dim = 3, .rows = 10, .cols = 10, .mu = 0.5, .push = 0};
}

// A block fills [left, right] but for half a joint each side; a brick has length 2.
ssi_brick ssi_wall_brick(int dim, int row, int cols, int j) {
  double left, right;
  ssi_course_block(row, cols, j, &left, &right);
  ssi_brick b = {{0}, {1, 1, 1}};
  b.centre[dim - 1] = row + 0.5;
  b.centre[0] = left + right;
  b.side[0] = 2 * (right - left) - JOINT;
  return b;
}

static void lay_row(masonry *m, int row, int cols) {
  int half = row % 2, under = ssi_course_count(row + 1, cols);
  int below = m->blocks - under;
  for (int j = 0; j < ssi_course_count(row, cols); j++) {
    m->box[m->blocks] = ssi_wall_brick(m->dim, row, cols, j);
    load_box(m, m->blocks, m->box[m->blocks].side[0]);
    if (row == 0) m->face[m->faces++] = (bed){m->blocks, -1};
    for (int k = j - half; row > 0 && k <= j - half + 1; k++)  // overlapping ones of the row below
      if (k >= 0 && k < under) m->face[m->faces++] = (bed){m->blocks, below + k};
    m->blocks++;
  }
}

ss_error ss_generate_wall(ss_context *ctx, const ss_wall_options *o, ss_problem **out) {
  if (!o || !out) return ssi_fail(ctx, SS_ERR_ARGUMENT, "wall: options or result is NULL");
  *out = NULL;
  SS_TRY(ssi_generate_check(ctx, "wall", o->dim, o->mu));
  SS_TRY(ssi_range_check(ctx, "wall: rows", o->rows, 1, INT32_MAX));
  SS_TRY(ssi_range_check(ctx, "wall: cols", o->cols, 1, INT32_MAX));
  SS_TRY(ssi_range_check(ctx, "wall: push", o->push, -1e100, 1e100));
  double most = (double)o->rows * (o->cols + 1.0);  // blocks; two faces, 8 points, 24 rows each
  SS_TRY(ssi_range_check(ctx, "wall: rows * (cols + 1)", most, 2, INT32_MAX / 32));
  ssi_arena scratch = {.ctx = ctx};
  masonry m = {.dim = o->dim};
  ss_error e;
  if (take(&m, &scratch, (int)most, 2 * (int)most)) {
    int top = 0;
    for (int row = 0; row < o->rows; row++) {
      top = m.blocks;
      lay_row(&m, row, o->cols);
    }
    for (int i = top; i < m.blocks; i++) m.body[i].momentum[0] = o->push * m.body[i].mass;
    e = assemble(ctx, &m, o->mu, out);
  } else
    e = ssi_fail(ctx, SS_ERR_MEMORY, "no memory for a wall of %d x %d", o->rows, o->cols);
  ssi_arena_release(&scratch);
  return e;
}

// ---- tower ----------------------------------------------------------------------------------

static ss_error build_tower(ss_context *ctx, masonry *m, int blocks, double ratio) {
  double mass = 1;
  for (int i = 0; i < blocks; i++, mass *= ratio) {
    if (!(mass >= DBL_MIN * 16 && isfinite(mass)))
      return ssi_fail(ctx, SS_ERR_ARGUMENT,
                      "tower: block %d of %d would have mass %g^%d, not a normal number", i + 1,
                      blocks, ratio, i);
    for (int k = 0; k < 3; k++) m->box[i].side[k] = 1;
    m->box[i].centre[m->dim - 1] = i + 0.5;
    load_box(m, i, mass);
    m->face[i] = (bed){i, i - 1};
  }
  m->blocks = m->faces = blocks;
  return SS_OK;
}

ss_error ss_generate_tower(ss_context *ctx, int dim, int blocks, double ratio, double mu,
                           ss_problem **out) {
  if (!out) return ssi_fail(ctx, SS_ERR_ARGUMENT, "tower: result is NULL");
  *out = NULL;
  SS_TRY(ssi_generate_check(ctx, "tower", dim, mu));
  SS_TRY(ssi_range_check(ctx, "tower: blocks", blocks, 1, INT32_MAX / 32));
  SS_TRY(ssi_range_check(ctx, "tower: ratio", ratio, DBL_MIN, DBL_MAX));
  ssi_arena scratch = {.ctx = ctx};
  masonry m = {.dim = dim};
  ss_error e;
  if (take(&m, &scratch, blocks, blocks)) {
    e = build_tower(ctx, &m, blocks, ratio);
    if (!e) e = assemble(ctx, &m, mu, out);
  } else
    e = ssi_fail(ctx, SS_ERR_MEMORY, "no memory for a tower of %d blocks", blocks);
  ssi_arena_release(&scratch);
  return e;
}
