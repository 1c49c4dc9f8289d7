#include "problem/body_matrix.h"

#include "base/clones.h"
#include "la/cliques.h"
#include "la/sparse.h"

// ---- pattern -------------------------------------------------------------------------------

// First dofs of the bodies; returns how many. M may be diagonal: its blocks are then smaller than bodies.
static int find_bodies(const ssi_system *sys, int *start) {
  const int *block = ssi_factor_block_start(sys->mass);
  int blocks = ssi_factor_block_count(sys->mass), width = sys->dim == 3 ? 6 : 3, count = 0;
  bool regular = sys->p.ndof % width == 0;
  for (int k = 0; k < blocks; k++) regular &= block[k] / width == (block[k + 1] - 1) / width;
  for (int k = 0; k < blocks; k++)
    if (!regular || block[k] % width == 0) start[count++] = block[k];
  start[count] = sys->p.ndof;
  return count;
}

static int body_of(const ssi_body_matrix *a, int bodies, int dof) {
  return (int)ssi_find(a->start, 0, bodies, dof + 1) - 1;
}

// Parts of the runs of contact i; with part == NULL only counts.
static int find_parts(const ssi_body_matrix *a, int bodies, int i, ssi_body_part *part) {
  const ssi_bodies *b = &a->sys->bodies;
  int count = 0, slot = 0;
  for (int64_t k = b->run_ptr[i]; k < b->run_ptr[i + 1]; k++)
    for (int dof = b->run[k].start, end = dof + b->run[k].length; dof < end; count++) {
      int body = body_of(a, bodies, dof);
      int length = (end < a->start[body + 1] ? end : a->start[body + 1]) - dof;
      if (part) part[count] = (ssi_body_part){body, dof - a->start[body], length, slot};
      dof += length;
      slot += length;
    }
  return count;
}

// The bodies of each contact, whatever they are touched by.
static bool find_pattern(const ssi_body_matrix *a, int n, ssi_arena *arena, ss_sparse *out) {
  int64_t parts = a->part_ptr[a->sys->nc];
  int *body = SSI_TAKE(arena, parts, int);
  if (!body) return false;
  for (int64_t k = 0; k < parts; k++) body[k] = a->part[k].body;
  ss_sparse cliques = {a->sys->nc, n, a->part_ptr, body, NULL};
  return ssi_cliques_pattern(arena, &cliques, false, out);
}

static bool find_places(ssi_body_matrix *a, ssi_arena *arena) {
  int nc = a->sys->nc, most = 0;
  a->place_ptr = SSI_TAKE(arena, (size_t)nc + 1, int64_t);
  if (arena->failed) return false;
  for (int i = 0; i < nc; i++) {
    int parts = (int)(a->part_ptr[i + 1] - a->part_ptr[i]);
    a->place_ptr[i + 1] = a->place_ptr[i] + (int64_t)parts * parts;
    if (parts > most) most = parts;
  }
  a->place = SSI_TAKE(arena, a->place_ptr[nc], int64_t);
  a->T = SSI_TAKE(arena, (int64_t)a->sys->dim * a->lu.stride * most, double);
  if (arena->failed) return false;
  int64_t *place = a->place;
  for (int i = 0; i < nc; i++)
    for (int64_t k = a->part_ptr[i]; k < a->part_ptr[i + 1]; k++)
      for (int64_t l = a->part_ptr[i]; l < a->part_ptr[i + 1]; l++)
        *place++ = ssi_block_lu_find(&a->lu, a->part[k].body, a->part[l].body);
  return true;
}

bool ssi_body_matrix_create(ssi_arena *arena, const ssi_system *sys, double max_flops,
                            ssi_body_matrix *out) {
  int nc = sys->nc;
  *out = (ssi_body_matrix){.sys = sys};
  out->start = SSI_TAKE(arena, (size_t)ssi_factor_block_count(sys->mass) + 1, int);
  out->part_ptr = SSI_TAKE(arena, (size_t)nc + 1, int64_t);
  if (arena->failed) return false;
  int n = find_bodies(sys, out->start);
  for (int i = 0; i < nc; i++)
    out->part_ptr[i + 1] = out->part_ptr[i] + find_parts(out, n, i, NULL);
  out->part = SSI_TAKE(arena, out->part_ptr[nc], ssi_body_part);
  if (arena->failed) return false;
  for (int i = 0; i < nc; i++) find_parts(out, n, i, out->part + out->part_ptr[i]);
  out->lu = (ssi_block_lu){.direct = {.with = &ssi_body_blocks_lu, .wish.max_flops = max_flops},
                           .start = out->start};
  ssi_arena scratch = {.ctx = sys->ctx};
  ss_sparse pattern;
  bool ok = find_pattern(out, n, &scratch, &pattern) &&
            ssi_direct_analyse(&out->lu.direct, &pattern, arena) != SS_ERR_MEMORY;
  if (ok) out->entries = ssi_sparse_entries(&pattern) * out->lu.size * out->lu.size;
  ssi_arena_release(&scratch);
  return ok;
}

bool ssi_body_matrix_ready(ssi_body_matrix *a, ssi_arena *arena) {
  if (!a->lu.fill.n || a->lu.n) return true;
  return !ssi_direct_room(&a->lu.direct, arena) && find_places(a, arena);
}

// ---- numbers -------------------------------------------------------------------------------

static void put_mass(ssi_body_matrix *a) {
  const ss_sparse *M = &a->sys->p.M;
  for (int b = 0; b < a->lu.n; b++) {
    int first = a->start[b], end = a->start[b + 1];
    double *block = a->lu.a + ssi_block_lu_find(&a->lu, b, b) * a->lu.area;
    for (int d = first; d < end; d++)
      for (int64_t e = M->ptr[d]; e < M->ptr[d + 1]; e++)
        if (M->col[e] >= first && M->col[e] < end)
          block[a->lu.stride * (d - first) + M->col[e] - first] += M->x[e];
  }
}

// T_l = K_i H_l, rows of `stride` numbers, 0 where H_l has no column.
SSI_INLINE void weigh(int dim, int stride, const ssi_body_part *part, const double *K,
                      const double *H, double *T) {
  const double *h = H + dim * part->slot;
  for (int k = 0; k < dim * stride; k++) T[k] = 0;
  for (int r = 0; r < dim; r++)
    for (int c = 0; c < part->length; c++) {
      double sum = 0;
      for (int e = 0; e < dim; e++) sum += K[dim * r + e] * h[dim * c + e];
      T[stride * r + part->first + c] = sum;
    }
}

// Block (k, l) += H_k^T T_l
SSI_INLINE void put_contact(ssi_body_matrix *a, int dim, int stride, int64_t i, const double *K) {
  const double *H = a->sys->bodies.H + dim * a->sys->bodies.at[i];
  const ssi_body_part *part = a->part + a->part_ptr[i];
  const int64_t *place = a->place + a->place_ptr[i];
  int parts = (int)(a->part_ptr[i + 1] - a->part_ptr[i]);
  for (int l = 0; l < parts; l++) weigh(dim, stride, part + l, K, H, a->T + dim * stride * l);
  for (int k = 0; k < parts; k++) {
    const double *h = H + dim * part[k].slot;
    for (int l = 0; l < parts; l++, place++) {
      double *block = a->lu.a + *place * a->lu.area + stride * part[k].first;
      const double *T = a->T + dim * stride * l;
      for (int r = 0; r < part[k].length; r++)
        for (int e = 0; e < dim; e++)
          for (int c = 0; c < stride; c++)
            block[stride * r + c] += h[dim * r + e] * T[stride * e + c];
    }
  }
}

SSI_CLONES static void put_contacts(ssi_body_matrix *a, const double *K) {
  int dim = a->sys->dim, nc = a->sys->nc;
  if (dim == 3 && a->lu.stride == 8)
    for (int64_t i = 0; i < nc; i++) put_contact(a, 3, 8, i, K + 9 * i);
  else if (dim == 2 && a->lu.stride == 4)
    for (int64_t i = 0; i < nc; i++) put_contact(a, 2, 4, i, K + 4 * i);
  else
    for (int64_t i = 0; i < nc; i++) put_contact(a, dim, a->lu.stride, i, K + dim * dim * i);
}

ss_error ssi_body_matrix_factor(ssi_body_matrix *a, const double *K) {
  ssi_block_lu_clear(&a->lu);
  put_mass(a);
  put_contacts(a, K);
  return ssi_direct_factor(&a->lu.direct, &a->lu.direct.A);
}
