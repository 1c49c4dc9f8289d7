#include "problem/bodies.h"

#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "la/sparse.h"

enum { FEW = 2000 };  // contacts below which one thread does everything

// The blocks of M that contact i touches, ascending; `blocks` has room for all of them.
static int touched_blocks(int dim, const ss_sparse *H, const int *block_of, int i, int *blocks) {
  int count = 0;
  for (int k = 0; k < dim; k++) {
    int at = 0;
    for (int64_t e = H->ptr[dim * i + k]; e < H->ptr[dim * i + k + 1]; e++) {
      int b = block_of[H->col[e]];
      while (at < count && blocks[at] < b) at++;
      if (at < count && blocks[at] == b) continue;
      memmove(blocks + at + 1, blocks + at, sizeof *blocks * (size_t)(count - at));
      blocks[at] = b;
      count++;
    }
  }
  return count;
}

// Consecutive blocks become one run. With run == NULL only counts.
static int make_runs(int count, const int *blocks, const int *start, ssi_run *run, int64_t *width) {
  int runs = 0;
  for (int k = 0; k < count; k++) {
    int first = start[blocks[k]], length = start[blocks[k] + 1] - first;
    bool joins = k > 0 && blocks[k] == blocks[k - 1] + 1;
    if (!joins) runs++;
    if (run && joins) run[runs - 1].length += length;
    if (run && !joins) run[runs - 1] = (ssi_run){first, length};
    *width += length;
  }
  return runs;
}

static void fill_contact(const ss_sparse *H, const ssi_factor *mass, int i, ssi_bodies *out) {
  int dim = out->dim;
  const int *start = ssi_factor_block_start(mass), *block_of = ssi_factor_block_of(mass);
  int64_t width = out->at[i + 1] - out->at[i], slot = 0;
  double *Hi = out->H + dim * out->at[i], *Pi = out->P + dim * out->at[i];
  double *D = out->diag + dim * dim * (int64_t)i;
  int64_t cursor[3];
  for (int k = 0; k < dim; k++) cursor[k] = H->ptr[dim * i + k];
  for (int64_t k = out->run_ptr[i]; k < out->run_ptr[i + 1]; k++)
    for (int dof = out->run[k].start; dof < out->run[k].start + out->run[k].length; dof++, slot++)
      for (int l = 0; l < dim; l++)
        if (cursor[l] < H->ptr[dim * i + l + 1] && H->col[cursor[l]] == dof)
          Hi[dim * slot + l] = H->x[cursor[l]++];
  const double *inverse = ssi_factor_diagonal_inverse(mass);
  slot = 0;
  for (int64_t k = out->run_ptr[i]; k < out->run_ptr[i + 1] && inverse; k++)
    for (int dof = out->run[k].start; dof < out->run[k].start + out->run[k].length; dof++, slot++)
      for (int l = 0; l < dim; l++) Pi[l * width + slot] = inverse[dof] * Hi[dim * slot + l];
  for (int64_t k = out->run_ptr[i]; k < out->run_ptr[i + 1] && !inverse; k++)
    for (int dof = out->run[k].start; dof < out->run[k].start + out->run[k].length;) {
      int block = block_of[dof], n = start[block + 1] - start[block];
      for (int l = 0; l < dim; l++) {
        double row[6];
        for (int j = 0; j < n; j++) row[j] = Hi[dim * (slot + j) + l];
        ssi_factor_solve_block(mass, block, row, Pi + l * width + slot);
      }
      dof += n;
      slot += n;
    }
  for (int k = 0; k < dim; k++)
    for (int l = 0; l < dim; l++)
      for (int64_t j = 0; j < width; j++) D[dim * k + l] += Hi[dim * j + k] * Pi[l * width + j];
}

static void fill_contacts(const ss_sparse *H, const ssi_factor *mass, ssi_bodies *b) {
  SSI_EACH(b->threads, i, b->nc, fill_contact(H, mass, i, b));
}

bool ssi_bodies_create(ssi_arena *arena, int dim, const ss_sparse *H, const ssi_factor *mass,
                       ssi_bodies *out) {
  return ssi_bodies_create_for(arena, dim, H, mass, 1, out);
}

bool ssi_bodies_create_for(ssi_arena *arena, int dim, const ss_sparse *H, const ssi_factor *mass,
                           int threads, ssi_bodies *out) {
  int nc = H->rows / dim, most = ssi_factor_block_count(mass);
  const int *start = ssi_factor_block_start(mass), *block_of = ssi_factor_block_of(mass);
  *out = (ssi_bodies){.dim = dim, .nc = nc, .ndof = H->cols, .threads = nc < FEW ? 1 : threads};
  out->run_ptr = SSI_TAKE(arena, (size_t)nc + 1, int64_t);
  out->at = SSI_TAKE(arena, (size_t)nc + 1, int64_t);
  out->diag = SSI_TAKE(arena, (size_t)nc * (size_t)(dim * dim), double);
  int *blocks = ssi_alloc(arena->ctx, (size_t)most, sizeof *blocks);
  bool ok = blocks && !arena->failed;
  for (int i = 0; ok && i < nc; i++) {
    int count = touched_blocks(dim, H, block_of, i, blocks);
    int64_t width = 0;
    out->run_ptr[i + 1] = out->run_ptr[i] + make_runs(count, blocks, start, NULL, &width);
    out->at[i + 1] = out->at[i] + width;
  }
  if (ok) {
    out->run = SSI_TAKE(arena, out->run_ptr[nc], ssi_run);
    out->H = SSI_TAKE(arena, dim * out->at[nc] + 1, double);
    out->P = SSI_TAKE(arena, dim * out->at[nc], double);
    ok = !arena->failed;
  }
  for (int i = 0; ok && i < nc; i++) {
    int count = touched_blocks(dim, H, block_of, i, blocks);
    int64_t width = 0;
    make_runs(count, blocks, start, out->run + out->run_ptr[i], &width);
  }
  if (ok) fill_contacts(H, mass, out);
  ssi_release(arena->ctx, blocks);
  return ok;
}

void ssi_bodies_refill(ssi_bodies *b, const ss_sparse *H, const ssi_factor *mass) {
  memset(b->diag, 0, sizeof(double) * (size_t)b->nc * (size_t)(b->dim * b->dim));
  fill_contacts(H, mass, b);
}

void ssi_bodies_velocities(const ssi_bodies *b, const double *v, double *u) {
  memset(u, 0, sizeof(double) * (size_t)b->dim * (size_t)b->nc);
  for (int64_t i = 0; i < b->nc; i++) ssi_bodies_velocity(b, i, v, u + b->dim * i);
}

void ssi_bodies_impulses(const ssi_bodies *b, const double *r, double *p) {
  const double *H = b->H;
  memset(p, 0, sizeof(double) * (size_t)b->ndof);
  for (int64_t i = 0; i < b->nc; i++)
    for (int64_t c = b->run_ptr[i]; c < b->run_ptr[i + 1]; c++)
      for (int j = 0; j < b->run[c].length; j++, H += b->dim)
        for (int l = 0; l < b->dim; l++) p[b->run[c].start + j] += H[l] * r[b->dim * i + l];
}

void ssi_bodies_push(const ssi_bodies *b, const double *r, double *v) {
  for (int i = 0; i < b->nc; i++) ssi_bodies_kick(b, i, r + b->dim * (int64_t)i, v);
}

// ---- the blocks of W -----------------------------------------------------------------------

typedef struct dof_meeting {  // which contacts touch a dof, and where its slot is
  int64_t *ptr;               // (ndof + 1)
  int *contact;               // ascending within a dof
  int64_t *slot;              // within the contact
} dof_meeting;

static bool dof_meeting_create(ss_context *ctx, const ssi_bodies *b, dof_meeting *m) {
  int64_t slots = b->at[b->nc];
  m->ptr = ssi_alloc(ctx, (size_t)b->ndof + 2, sizeof *m->ptr);
  m->contact = ssi_alloc(ctx, (size_t)slots, sizeof *m->contact);
  m->slot = ssi_alloc(ctx, (size_t)slots, sizeof *m->slot);
  if (!m->ptr || !m->contact || !m->slot) return false;
  memset(m->ptr, 0, ((size_t)b->ndof + 2) * sizeof *m->ptr);
  for (int64_t k = 0; k < b->run_ptr[b->nc]; k++)
    for (int j = 0; j < b->run[k].length; j++) m->ptr[b->run[k].start + j + 2]++;
  for (int d = 0; d < b->ndof; d++) m->ptr[d + 2] += m->ptr[d + 1];
  for (int i = 0; i < b->nc; i++) {
    int64_t slot = 0;
    for (int64_t k = b->run_ptr[i]; k < b->run_ptr[i + 1]; k++)
      for (int j = 0; j < b->run[k].length; j++, slot++) {
        int64_t at = m->ptr[b->run[k].start + j + 1]++;
        m->contact[at] = i;
        m->slot[at] = slot;
      }
  }
  return true;
}

static void dof_meeting_release(ss_context *ctx, dof_meeting *m) {
  ssi_release(ctx, m->ptr);
  ssi_release(ctx, m->contact);
  ssi_release(ctx, m->slot);
}

// The contacts that share a dof with i, in the order met; seen[] marks them with i.
static int gather_neighbours(const ssi_bodies *b, const dof_meeting *m, int i, int *seen,
                             int *row) {
  int count = 0;
  for (int64_t k = b->run_ptr[i]; k < b->run_ptr[i + 1]; k++)
    for (int d = b->run[k].start; d < b->run[k].start + b->run[k].length; d++)
      for (int64_t e = m->ptr[d]; e < m->ptr[d + 1]; e++) {
        int j = m->contact[e];
        if (j == i || seen[j] == i) continue;
        seen[j] = i;
        if (row) row[count] = j;
        count++;
      }
  return count;
}

static void fill_blocks(const ssi_bodies *b, const dof_meeting *m, int i, const int64_t *place,
                        double *block) {
  int dim = b->dim;
  const double *Hi = b->H + dim * b->at[i];
  for (int64_t k = b->run_ptr[i]; k < b->run_ptr[i + 1]; k++)
    for (int d = b->run[k].start; d < b->run[k].start + b->run[k].length; d++, Hi += dim)
      for (int64_t e = m->ptr[d]; e < m->ptr[d + 1]; e++) {
        int j = m->contact[e];
        if (j == i) continue;
        int64_t width = b->at[j + 1] - b->at[j];
        const double *Pj = b->P + dim * b->at[j] + m->slot[e];
        double *B = block + dim * dim * place[j];
        for (int l = 0; l < dim; l++)
          for (int n = 0; n < dim; n++) B[dim * l + n] += Hi[n] * Pj[l * width];
      }
}

int64_t ssi_bodies_neighbours(const ssi_bodies *b, ss_context *ctx, int64_t limit) {
  dof_meeting m = {0};
  int64_t count = -1;
  int *seen = ssi_alloc(ctx, (size_t)b->nc, sizeof *seen);
  if (dof_meeting_create(ctx, b, &m) && seen) {
    count = 0;
    for (int i = 0; i < b->nc; i++) seen[i] = -1;
    for (int i = 0; i < b->nc && count <= limit; i++)
      count += gather_neighbours(b, &m, i, seen, NULL);
  }
  ssi_release(ctx, seen);
  dof_meeting_release(ctx, &m);
  return count;
}

// What each thread needs to find the neighbours of a contact.
typedef struct scratch {
  dof_meeting m;
  int *seen;       // (nc) per thread
  int64_t *place;  // (nc) per thread
} scratch;

static bool scratch_create(ss_context *ctx, const ssi_bodies *b, scratch *t) {
  size_t numbers = (size_t)b->nc * (size_t)b->threads;
  *t = (scratch){0};
  t->seen = ssi_alloc(ctx, numbers, sizeof *t->seen);
  t->place = ssi_alloc(ctx, numbers, sizeof *t->place);
  if (!dof_meeting_create(ctx, b, &t->m) || !t->seen || !t->place) return false;
  for (size_t k = 0; k < numbers; k++) t->seen[k] = -1;
  return true;
}

static void scratch_release(ss_context *ctx, scratch *t) {
  ssi_release(ctx, t->seen);
  ssi_release(ctx, t->place);
  dof_meeting_release(ctx, &t->m);
}

// Where the arrays of this thread begin. One thread may be any of a team of the caller's.
static size_t own(const ssi_bodies *b) {
  return b->threads > 1 ? (size_t)b->nc * ssi_thread() : 0;
}

// ptr[i + 1] <- the neighbours of contact i
static void count_row(const ssi_bodies *b, const scratch *t, int i, int64_t *ptr) {
  ptr[i + 1] = gather_neighbours(b, &t->m, i, t->seen + own(b), NULL);
}

// The marks of count_row must be gone from seen[].
static void fill_row(const ssi_bodies *b, const scratch *t, int i, const ssi_delassus *W) {
  size_t mine = own(b);
  int64_t *place = t->place + mine;
  int *row = W->col + W->ptr[i];
  int count = gather_neighbours(b, &t->m, i, t->seen + mine, row);
  qsort(row, (size_t)count, sizeof *row, ssi_ascending);
  for (int k = 0; k < count; k++) place[row[k]] = W->ptr[i] + k;
  fill_blocks(b, &t->m, i, place, W->block);
}

bool ssi_bodies_delassus(ssi_arena *arena, const ssi_bodies *b, ssi_delassus *out) {
  int size = b->dim * b->dim;
  scratch t;
  *out = (ssi_delassus){.dim = b->dim, .nc = b->nc, .diag = b->diag};
  out->ptr = SSI_TAKE(arena, (size_t)b->nc + 1, int64_t);
  bool ok = scratch_create(arena->ctx, b, &t) && !arena->failed;
  if (ok) {
    SSI_EACH(b->threads, i, b->nc, count_row(b, &t, i, out->ptr));
    for (int i = 0; i < b->nc; i++) out->ptr[i + 1] += out->ptr[i];
    for (size_t k = 0; k < (size_t)b->nc * (size_t)b->threads; k++) t.seen[k] = -1;
    out->col = SSI_TAKE(arena, out->ptr[b->nc], int);
    out->block = SSI_TAKE(arena, out->ptr[b->nc] * size + 1, double);
    ok = !arena->failed;
  }
  if (ok) SSI_EACH(b->threads, i, b->nc, fill_row(b, &t, i, out));
  scratch_release(arena->ctx, &t);
  return ok;
}

bool ssi_bodies_delassus_refill(ss_context *ctx, const ssi_bodies *b, ssi_delassus *out) {
  scratch t;
  bool ok = scratch_create(ctx, b, &t);
  if (ok) memset(out->block, 0, sizeof(double) * (size_t)(out->ptr[b->nc] * b->dim * b->dim));
  if (ok) SSI_EACH(b->threads, i, b->nc, fill_row(b, &t, i, out));
  scratch_release(ctx, &t);
  return ok;
}
