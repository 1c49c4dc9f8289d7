#include "mpi/share_rigid.h"

#include <stdlib.h>

enum {
  BATCH = 10000
};  // contacts whose rows are made at a time, by problem/rigid.c, which counts in 32 bits

typedef struct batch {
  const share_rigid *from;
  int64_t first;
  int64_t (*body)[2];
} batch;

// Bodies 2 index and 2 index + 1 in place of the true ones: the order of columns is the same.
static void batch_contact(const void *user, int index, ssi_rigid_contact *out) {
  const batch *b = user;
  b->from->contact(b->from->user, b->first + index, out, b->body[index]);
  out->a = 2 * index;
  out->b = b->body[index][1] < 0 ? -1 : 2 * index + 1;
  if (out->b >= 0 && b->body[index][0] > b->body[index][1])
    out->a = 2 * index + 1, out->b = 2 * index;
}

static int64_t ends_of(const share_rigid *from, int64_t first, int count) {
  int64_t ends = 0, body[2];
  for (int k = 0; k < count; k++) {
    ssi_rigid_contact ignored = {0};
    from->contact(from->user, first + k, &ignored, body);
    ends += body[1] < 0 ? 1 : 2;
  }
  return ends;
}

static int64_t put_rows(const batch *b, const ss_sparse *rows, share_entry *to) {
  int64_t at = 0;
  for (int i = 0; i < rows->rows; i++)
    for (int64_t e = rows->ptr[i]; e < rows->ptr[i + 1]; e++) {
      const int64_t *body = b->body[rows->col[e] / 12];
      bool second = rows->col[e] / 6 % 2, swapped = body[1] >= 0 && body[0] > body[1];
      int64_t row = 3 * (b->from->first + b->first) + i;
      to[at++] = (share_entry){row, 6 * body[second != swapped] + rows->col[e] % 6, rows->x[e]};
    }
  return at;
}

void share_rigid_rows(const ranks *c, const share_rigid *from, share_source *out) {
  int64_t ends = 0;
  for (int64_t k = 0; k < from->count; k += BATCH)
    ends += ends_of(from, k, (int)(from->count - k < BATCH ? from->count - k : BATCH));
  out->H = RANKS_TAKE(c, 18 * ends, share_entry);
  batch b = {.from = from, .body = ranks_take(c, BATCH, sizeof *b.body)};
  for (b.first = 0; b.first < from->count; b.first += BATCH) {
    int count = (int)(from->count - b.first < BATCH ? from->count - b.first : BATCH);
    ssi_rigid_contacts all = {.dim = 3, .bodies = 2 * count, .count = count, .user = &b};
    all.contact = batch_contact;
    all.ends = ends_of(from, b.first, count);
    ssi_arena arena = {.ctx = c->ctx};
    ss_sparse rows;
    if (!ssi_rigid_rows(&arena, &all, &rows)) ranks_die(c, 4, "out of memory for rows of H");
    out->H_count += put_rows(&b, &rows, out->H + out->H_count);
    ssi_arena_release(&arena);
  }
  free(b.body);
}

void share_rigid_masses(const ranks *c, share_rigid_body *body, const void *user,
                        share_source *out) {
  int64_t first = ranks_first(out->dofs, c->size, c->rank);
  int64_t end = ranks_first(out->dofs, c->size, c->rank + 1);
  ssi_rigid_body now = {0};
  out->M_count = end - first;
  out->M = RANKS_TAKE(c, out->M_count, share_entry);
  out->f = RANKS_TAKE(c, out->M_count, double);
  for (int64_t j = first; j < end; j++) {
    int k = (int)(j % 6);
    if (j == first || k == 0) now = body(user, j / 6);
    out->M[j - first] = (share_entry){j, j, k < 3 ? now.mass : now.inertia[k - 3]};
    out->f[j - first] = 0.0 - (k < 3 ? now.momentum[k] : now.spin[k - 3]);
  }
}

void share_rigid_vectors(const ranks *c, double mu, double size, share_source *out) {
  int64_t first, end;
  share_contacts(out->contacts, size, c, c->rank, &first, &end);
  out->mu = RANKS_TAKE(c, end - first, double);
  out->w = RANKS_TAKE(c, 3 * (end - first), double);
  for (int64_t k = 0; k < end - first; k++) out->mu[k] = mu;
}
