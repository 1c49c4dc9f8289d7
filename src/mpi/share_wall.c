// Row k of a wall has `cols` blocks, or one more where k is odd (problem/courses.h), and 2 cols faces below, row 0
// cols: which blocks face n joins follows from n alone. Contacts are in the order of faces, four corners each.
#include "mpi/share_wall.h"

#include "mpi/share_rigid.h"
#include "problem/masonry.h"

static int64_t blocks_before(const share_wall_options *o, int64_t row) {
  return row * o->cols + row / 2;
}

static void block_at(const share_wall_options *o, int64_t number, int *row, int *j) {
  int64_t pair = number / (2 * (int64_t)o->cols + 1), rest = number % (2 * (int64_t)o->cols + 1);
  *row = (int)(2 * pair) + (rest >= o->cols);
  *j = (int)(rest >= o->cols ? rest - o->cols : rest);
}

// The two blocks of a face, as rows and places; below[0] = -1: the ground.
static void face_at(const share_wall_options *o, int64_t face, int above[2], int below[2]) {
  below[0] = -1, below[1] = 0;
  above[0] = 0, above[1] = (int)face;
  if (face < o->cols) return;
  int64_t rest = (face - o->cols) % (2 * (int64_t)o->cols);
  above[0] = 1 + (int)((face - o->cols) / (2 * (int64_t)o->cols));
  below[0] = above[0] - 1;
  if (above[0] % 2) {  // the first and the last block of an odd row are halves, over one block each
    above[1] = (int)((rest + 1) / 2);
    below[1] = (int)(rest / 2);
  } else {
    above[1] = (int)(rest / 2);
    below[1] = (int)((rest + 1) / 2);
  }
}

typedef struct wall_part {
  const share_wall_options *o;
  int64_t first;  // contact
} wall_part;

static void wall_contact(const void *user, int64_t k, ssi_rigid_contact *out, int64_t body[2]) {
  const wall_part *w = user;
  int64_t contact = w->first + k;
  int above[2], below[2];
  face_at(w->o, contact / 4, above, below);
  ssi_brick a = ssi_wall_brick(3, above[0], w->o->cols, above[1]), b = a;
  if (below[0] >= 0) b = ssi_wall_brick(3, below[0], w->o->cols, below[1]);
  body[0] = blocks_before(w->o, above[0]) + above[1];
  body[1] = below[0] < 0 ? -1 : blocks_before(w->o, below[0]) + below[1];
  ssi_brick_contact(3, &a, below[0] < 0 ? NULL : &b, (int)(contact % 4), out);
}

static ssi_rigid_body wall_body(const void *user, int64_t k) {
  const share_wall_options *o = user;
  int row, j;
  block_at(o, k, &row, &j);
  ssi_brick b = ssi_wall_brick(3, row, o->cols, j);
  return ssi_brick_body(3, &b, b.side[0]);
}

ss_error share_wall(ranks *c, const share_wall_options *o, double size, share_source *out) {
  int64_t faces = o->cols + (o->rows - (int64_t)1) * 2 * o->cols;
  *out = (share_source){.dim = 3, .contacts = 4 * faces, .dofs = 6 * blocks_before(o, o->rows)};
  wall_part w = {.o = o};
  int64_t end;
  share_contacts(out->contacts, size, c, c->rank, &w.first, &end);
  share_rigid_rows(c, &(share_rigid){wall_contact, &w, end - w.first, w.first}, out);
  share_rigid_masses(c, wall_body, o, out);
  share_rigid_vectors(c, o->mu, size, out);
  return SS_OK;
}
