#include "mpi/share_penalised.h"

#include <stdlib.h>
#include <string.h>

#include "la/sparse.h"
#include "mpi/share_masses.h"

typedef struct entry_list {
  share_entry *x;
  int64_t count, room;
} entry_list;

static void make_room(const ranks *c, entry_list *list, int64_t more) {
  if (list->count + more <= list->room) return;
  list->room = 2 * list->room + more;
  list->x = realloc(list->x, sizeof *list->x * (size_t)list->room);
  if (!list->x) ranks_die(c, 4, "out of memory for %lld entries of K", (long long)list->room);
}

// A = D^-1/2 H of a domain
static ss_error scale_rows(share_penalised *p, int k, const double *root) {
  share *s = p->s;
  share_domain *d = &s->domain[k];
  ss_sparse *A = &p->rows[k];
  const double *own = root + (d->r - s->r) / s->dim;
  SS_TRY(share_domain_rows(s, d));
  if (!ssi_sparse_copy(&p->arena, &d->p.H, A)) return SS_ERR_MEMORY;
  double *x = (double *)A->x;  // just taken
  for (int i = 0; i < A->rows; i++)
    for (int64_t e = A->ptr[i]; e < A->ptr[i + 1]; e++) x[e] /= own[i / s->dim];
  return SS_OK;
}

// Row j of A^T A, with its columns ascending: sum[], zero before and after; seen[] and list[]: room.
static int find_row(const ss_sparse *A, const ss_sparse *T, int j, double *sum, bool *seen,
                    int *list) {
  int count = 0;
  for (int64_t k = T->ptr[j]; k < T->ptr[j + 1]; k++) {
    int i = T->col[k];
    for (int64_t e = A->ptr[i]; e < A->ptr[i + 1]; e++) {
      int col = A->col[e];
      sum[col] += T->x[k] * A->x[e];
      if (!seen[col]) list[count++] = col;
      seen[col] = true;
    }
  }
  qsort(list, (size_t)count, sizeof *list, ssi_ascending);
  return count;
}

static ss_error add_square(share_penalised *p, int k, entry_list *out) {
  share *s = p->s;
  const share_domain *d = &s->domain[k];
  const ss_sparse *A = &p->rows[k];
  ssi_arena arena = {.ctx = s->c->ctx};
  ss_sparse T;
  double *sum = SSI_TAKE(&arena, A->cols, double);
  bool *seen = SSI_TAKE(&arena, A->cols, bool);
  int *list = SSI_TAKE(&arena, A->cols, int);
  ss_error e = ssi_sparse_transpose(&arena, A, &T) ? SS_OK : SS_ERR_MEMORY;
  for (int j = 0; j < A->cols && !e; j++) {
    int count = find_row(A, &T, j, sum, seen, list);
    make_room(s->c, out, count);
    for (int n = 0; n < count; n++) {
      int col = list[n];
      out->x[out->count++] = (share_entry){d->dof[j], d->dof[col], sum[col]};
      sum[col] = 0;
      seen[col] = false;
    }
  }
  ssi_arena_release(&arena);
  return e;
}

// The squares of all domains in order, and M after them.
static void add_up(share_penalised *p, entry_list *list) {
  share *s = p->s;
  int64_t own = s->M_ptr[s->own_dofs];
  list->x = ranks_send_on(s->c, list->x, sizeof *list->x, share_rank_of_row, s, &list->count);
  list->room = list->count;
  share_sort_entries(s->c, list->x, &list->count);
  make_room(s->c, list, own);
  if (own) memcpy(list->x + list->count, s->M, sizeof *s->M * (size_t)own);
  list->count += own;
  share_sort_entries(s->c, list->x, &list->count);
  p->entry = list->x;
  p->ptr = RANKS_TAKE(s->c, s->own_dofs + 1, int64_t);
  for (int64_t e = 0; e < list->count; e++) p->ptr[list->x[e].row - s->first_dof + 1]++;
  for (int64_t i = 0; i < s->own_dofs; i++) p->ptr[i + 1] += p->ptr[i];
}

ss_error share_penalised_create(share *s, const double *root, share_penalised *out) {
  *out = (share_penalised){.s = s, .arena = {.ctx = s->c->ctx}};
  share_copies_create(s, &out->copies);
  out->copy = RANKS_TAKE(s->c, out->copies.first[s->count], double);
  out->rows = RANKS_TAKE(s->c, s->count, ss_sparse);
  entry_list list = {0};
  ss_error e = SS_OK;
  make_room(s->c, &list, 1);
  for (int k = 0; k < s->count && !e; k++) {
    e = scale_rows(out, k, root);
    if (!e) e = add_square(out, k, &list);
  }
  e = ranks_agree(s->c, e);
  if (e)
    free(list.x);
  else
    add_up(out, &list);
  return e;
}

void share_penalised_destroy(share_penalised *p) {
  if (!p->s) return;
  share_copies_destroy(&p->copies);
  free(p->copy);
  free(p->rows);
  free(p->entry);
  free(p->ptr);
  ssi_arena_release(&p->arena);
  *p = (share_penalised){0};
}

void share_penalised_pull(share_penalised *p, const double *t, double *g) {
  share *s = p->s;
  memset(p->copy, 0, sizeof *p->copy * (size_t)p->copies.first[s->count]);
  for (int k = 0; k < s->count; k++)
    ssi_sparse_multiply_transposed_add(&p->rows[k], t + (s->domain[k].r - s->r),
                                       p->copy + p->copies.first[k]);
  memset(g, 0, sizeof *g * (size_t)s->own_dofs);
  share_add_copies(&p->copies, p->copy, g);
}

void share_penalised_push(share_penalised *p, const double *v, double *t) {
  share *s = p->s;
  share_to_copies(&p->copies, v, p->copy);
  memset(t, 0, sizeof *t * (size_t)(s->dim * s->nc));
  for (int k = 0; k < s->count; k++)
    ssi_sparse_multiply_add(&p->rows[k], p->copy + p->copies.first[k], t + (s->domain[k].r - s->r));
}
