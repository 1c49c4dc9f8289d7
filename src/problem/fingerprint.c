#include "problem/fingerprint.h"

#include <string.h>

// Four streams, so that the multiplications do not wait for each other; no byte order or alignment
// matters, since the hashes never leave the process.
typedef struct stream {
  uint64_t h[4];
} stream;

static uint64_t mix(uint64_t h, uint64_t x) {
  h = (h ^ x) * 0x9E3779B97F4A7C15u;
  return h ^ (h >> 32);
}

static void add_words(stream *s, const void *from, size_t bytes) {
  const char *p = from;
  uint64_t x[4];
  for (; bytes >= sizeof x; bytes -= sizeof x, p += sizeof x) {
    memcpy(x, p, sizeof x);
    for (int k = 0; k < 4; k++) s->h[k] = mix(s->h[k], x[k]);
  }
  memset(x, 0, sizeof x);
  if (bytes) memcpy(x, p, bytes);
  for (int k = 0; k < 4; k++) s->h[k] = mix(s->h[k], x[k]);
}

static void add_matrix(stream *structure, stream *numbers, const ss_sparse *A) {
  size_t entries = A->ptr ? (size_t)A->ptr[A->rows] : 0;
  int64_t sizes[] = {A->rows, A->cols, A->ptr ? (int64_t)entries : -1};
  add_words(structure, sizes, sizeof sizes);
  if (A->ptr) add_words(structure, A->ptr, ((size_t)A->rows + 1) * sizeof *A->ptr);
  if (entries) add_words(structure, A->col, entries * sizeof *A->col);
  if (entries) add_words(numbers, A->x, entries * sizeof *A->x);
}

static uint64_t result(const stream *s) {
  return mix(mix(mix(s->h[0], s->h[1]), s->h[2]), s->h[3]);
}

ssi_fingerprint ssi_fingerprint_of(const ss_problem *p) {
  stream structure = {{1, 2, 3, 4}}, numbers = {{5, 6, 7, 8}};
  int64_t sizes[] = {(int64_t)p->form, p->dim, p->nc, p->ndof, p->nl};
  add_words(&structure, sizes, sizeof sizes);
  const ss_sparse *reduced[] = {&p->W, &p->V, &p->R}, *global[] = {&p->M, &p->H, &p->G};
  const ss_sparse *const *used = p->form == SS_REDUCED ? reduced : global;
  int count = p->form == SS_REDUCED && p->nl == 0 ? 1 : p->nl ? 3 : 2;
  for (int k = 0; k < count; k++) add_matrix(&structure, &numbers, used[k]);
  return (ssi_fingerprint){result(&structure), result(&numbers)};
}
