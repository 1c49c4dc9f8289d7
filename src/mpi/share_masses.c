#include "mpi/share_masses.h"

#include <stdlib.h>
#include <string.h>

static bool before(const share_entry *a, const share_entry *b) {
  return a->row < b->row || (a->row == b->row && a->col < b->col);
}

// Where the ascending run that begins at `from` ends.
static int64_t run_end(const share_entry *x, int64_t from, int64_t count) {
  if (from < count) from++;
  while (from < count && !before(&x[from], &x[from - 1])) from++;
  return from;
}

// Stable: merges neighbouring runs until there is one. What comes here is mostly a few long ones.
static void merge_sort(const ranks *c, share_entry *x, int64_t count) {
  share_entry *other = RANKS_TAKE(c, count, share_entry), *from = x, *to = other;
  while (run_end(from, 0, count) < count) {
    for (int64_t low = 0, high; low < count; low = high) {
      int64_t middle = run_end(from, low, count), a = low, b = middle;
      high = run_end(from, middle, count);
      for (int64_t k = low; k < high; k++)
        to[k] = b >= high || (a < middle && !before(&from[b], &from[a])) ? from[a++] : from[b++];
    }
    share_entry *swap = from;
    from = to;
    to = swap;
  }
  if (from != x) memcpy(x, from, sizeof *x * (size_t)count);
  free(other);
}

void share_sort_entries(const ranks *c, share_entry *x, int64_t *count) {
  bool sorted = true;
  for (int64_t k = 1; k < *count && sorted; k++) sorted = before(&x[k - 1], &x[k]);
  if (sorted) return;
  merge_sort(c, x, *count);
  int64_t kept = 0;
  for (int64_t k = 0; k < *count; k++)
    if (kept && x[kept - 1].row == x[k].row && x[kept - 1].col == x[k].col)
      x[kept - 1].x += x[k].x;
    else
      x[kept++] = x[k];
  *count = kept;
}

int share_rank_of_row(const void *user, const void *item) {
  const share *s = user;
  return ranks_owner(s->dofs, s->c->size, ((const share_entry *)item)->row);
}

void share_masses_keep(share *s, share_source *from) {
  const ranks *c = s->c;
  s->first_dof = ranks_first(s->dofs, c->size, c->rank);
  s->own_dofs = ranks_first(s->dofs, c->size, c->rank + 1) - s->first_dof;
  int64_t count = from->M_count;
  s->M = ranks_send_on(c, from->M, sizeof *from->M, share_rank_of_row, s, &count);
  from->M = NULL;
  share_sort_entries(c, s->M, &count);
  s->M_ptr = RANKS_TAKE(c, s->own_dofs + 1, int64_t);
  for (int64_t k = 0; k < count; k++) s->M_ptr[s->M[k].row - s->first_dof + 1]++;
  for (int64_t i = 0; i < s->own_dofs; i++) s->M_ptr[i + 1] += s->M_ptr[i];
  s->f = from->f;
}

void share_masses_thin(share *s) {
  int64_t kept = 0;
  for (int64_t i = 0; i < s->own_dofs; i++) {
    int64_t begin = s->M_ptr[i];
    s->M_ptr[i] = kept;
    for (int64_t e = begin; e < s->M_ptr[i + 1] && !s->touched[i]; e++) s->M[kept++] = s->M[e];
  }
  s->M_ptr[s->own_dofs] = kept;
  share_entry *rest = realloc(s->M, sizeof *rest * ((size_t)kept + 1));
  if (rest) s->M = rest;
}

// ---- fetching ------------------------------------------------------------------------------

typedef struct wish {
  int64_t dof;
  int rank, set;
} wish;

typedef struct granted {
  share_entry entry;  // col = -1: f
  int64_t set;
} granted;

static granted *grant(share *s, const wish *wanted, int64_t count, int64_t *replies) {
  int64_t total = 0;
  for (int64_t k = 0; k < count; k++) {
    int64_t i = wanted[k].dof - s->first_dof;
    total += s->M_ptr[i + 1] - s->M_ptr[i] + 1;
  }
  granted *out = RANKS_TAKE(s->c, total, granted);
  int *to = RANKS_TAKE(s->c, total, int);
  int64_t at = 0;
  for (int64_t k = 0; k < count; k++) {
    int64_t i = wanted[k].dof - s->first_dof;
    for (int64_t e = s->M_ptr[i]; e < s->M_ptr[i + 1]; e++, at++) {
      out[at] = (granted){s->M[e], wanted[k].set};
      to[at] = wanted[k].rank;
    }
    out[at] = (granted){{wanted[k].dof, -1, s->f[i]}, wanted[k].set};
    to[at++] = wanted[k].rank;
  }
  granted *got = ranks_exchange(s->c, out, sizeof *out, to, total, replies);
  free(out);
  free(to);
  return got;
}

static void add_entry(const ranks *c, share_masses *m, const share_entry *e) {
  if (m->entries == m->entry_room) {
    m->entry_room = 2 * m->entry_room + 64;
    share_entry *larger = realloc(m->M, sizeof *m->M * (size_t)m->entry_room);
    if (!larger) ranks_die(c, 4, "out of memory for rows of M");
    m->M = larger;
  }
  m->M[m->entries++] = *e;
}

// Dofs that the rows of a set name and that are not in it, into a new array; how many.
static int64_t missing_dofs(const ranks *c, const share_masses *m, int64_t **out) {
  int64_t *x = RANKS_TAKE(c, m->entries, int64_t), count = 0;
  for (int64_t e = 0; e < m->entries; e++)
    if (m->M[e].col >= 0 && share_place(m->dof, m->count, m->M[e].col) < 0)
      x[count++] = m->M[e].col;
  *out = x;
  return share_unique(x, count);
}

static void add_dofs(const ranks *c, share_masses *m, const int64_t *dof, int64_t count) {
  int64_t *all = RANKS_TAKE(c, m->count + count, int64_t);
  memcpy(all, m->dof, sizeof *all * (size_t)m->count);
  memcpy(all + m->count, dof, sizeof *all * (size_t)count);
  free(m->dof);
  m->dof = all;
  m->count = (int)share_unique(all, m->count + count);
}

// One round: asks for the rows of `fresh` dofs of every set.
static void ask(share *s, share_masses *m, int n, int64_t *const *fresh, const int64_t *counts) {
  int64_t total = 0, at = 0, received, replies;
  for (int k = 0; k < n; k++) total += counts[k];
  wish *out = RANKS_TAKE(s->c, total, wish);
  int *to = RANKS_TAKE(s->c, total, int);
  for (int k = 0; k < n; k++)
    for (int64_t j = 0; j < counts[k]; j++, at++) {
      out[at] = (wish){fresh[k][j], s->c->rank, k};
      to[at] = ranks_owner(s->dofs, s->c->size, fresh[k][j]);
    }
  wish *wanted = ranks_exchange(s->c, out, sizeof *out, to, total, &received);
  free(out);
  free(to);
  granted *got = grant(s, wanted, received, &replies);
  free(wanted);
  for (int64_t k = 0; k < replies; k++) add_entry(s->c, &m[got[k].set], &got[k].entry);
  free(got);
}

static void settle(const ranks *c, share_masses *m) {
  share_sort_entries(c, m->M, &m->entries);
  m->f = RANKS_TAKE(c, m->count, double);
  int64_t kept = 0;
  for (int64_t e = 0; e < m->entries; e++)
    if (m->M[e].col < 0)
      m->f[share_place(m->dof, m->count, m->M[e].row)] = m->M[e].x;
    else
      m->M[kept++] = m->M[e];
  m->entries = kept;
}

ss_error share_masses_fetch(share *s, share_masses *m, int n) {
  enum { ROUNDS = 6 };  // a block of 6 is whole after that many, whatever its pattern
  int64_t **fresh = RANKS_TAKE(s->c, n, int64_t *), *counts = RANKS_TAKE(s->c, n, int64_t);
  for (int k = 0; k < n; k++) fresh[k] = m[k].dof, counts[k] = m[k].count;
  int round = 0, more = 1;
  for (; more && round < ROUNDS; round++) {
    ask(s, m, n, fresh, counts);
    more = 0;
    for (int k = 0; k < n; k++) {
      if (round) free(fresh[k]);
      counts[k] = missing_dofs(s->c, &m[k], &fresh[k]);
      add_dofs(s->c, &m[k], fresh[k], counts[k]);
      more = more || counts[k] > 0;
    }
    MPI_Allreduce(MPI_IN_PLACE, &more, 1, MPI_INT, MPI_MAX, s->c->comm);
  }
  for (int k = 0; k < n; k++) free(fresh[k]);
  free(fresh);
  free(counts);
  if (more)
    return ssi_fail(s->c->ctx, SS_ERR_METHOD,
                    "M is not block-diagonal (blocks of at most 6): sweeps over domains are for "
                    "rigid bodies");
  for (int k = 0; k < n; k++) settle(s->c, &m[k]);
  return SS_OK;
}

bool share_masses_matrix(ssi_arena *arena, const share_masses *m, ss_sparse *out) {
  int64_t *ptr = SSI_TAKE(arena, (size_t)m->count + 1, int64_t);
  int *col = SSI_TAKE(arena, m->entries, int);
  double *x = SSI_TAKE(arena, m->entries, double);
  if (arena->failed) return false;
  for (int64_t e = 0; e < m->entries; e++) {
    ptr[share_place(m->dof, m->count, m->M[e].row) + 1]++;
    col[e] = share_place(m->dof, m->count, m->M[e].col);
    x[e] = m->M[e].x;
  }
  for (int i = 0; i < m->count; i++) ptr[i + 1] += ptr[i];
  *out = (ss_sparse){m->count, m->count, ptr, col, x};
  return true;
}

void share_masses_release(share_masses *m) {
  free(m->dof);
  free(m->f);
  free(m->M);
  *m = (share_masses){0};
}
