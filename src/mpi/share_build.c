// From the pieces that ranks have read or made to domains: rows of H go to the rank of their contact, rows of M and
// f to every domain that needs them, and the copies of dofs find each other (share_meet.c).
#include <stdlib.h>
#include <string.h>

#include "la/sparse.h"
#include "mpi/share.h"
#include "mpi/share_general.h"
#include "mpi/share_masses.h"
#include "mpi/share_order.h"
#include "problem/blocks.h"
#include "problem/check.h"
#include "problem/delassus.h"
#include "solvers/domains.h"

static int rank_of_domain(const share *s, int64_t domain) {
  return ranks_owner(s->domains, s->c->size, domain);
}

void share_contacts(int64_t contacts, double size, const ranks *c, int rank, int64_t *first,
                    int64_t *end) {
  int64_t domains = ssi_domain_count(contacts, size);
  *first = ssi_domain_first(contacts, domains, ranks_first(domains, c->size, rank));
  *end = ssi_domain_first(contacts, domains, ranks_first(domains, c->size, rank + 1));
}

// ---- rows of H -----------------------------------------------------------------------------

static int rank_of_row(const void *user, const void *item) {
  const share *s = user;
  int64_t contact = ((const share_entry *)item)->row / s->dim;
  return rank_of_domain(s, ssi_domain_of(s->contacts, s->domains, contact));
}

// To their ranks, sorted by rows and columns.
static void send_rows(share *s, share_source *from) {
  if (s->c->size > 1)
    from->H = ranks_send_on(s->c, from->H, sizeof *from->H, rank_of_row, s, &from->H_count);
  share_sort_entries(s->c, from->H, &from->H_count);
}

// Where the entries of each row of this rank begin.
static int64_t *find_rows(const share *s, const share_source *from) {
  int64_t *ptr = RANKS_TAKE(s->c, s->dim * s->nc + 1, int64_t);
  for (int64_t k = 0; k < from->H_count; k++) ptr[from->H[k].row - s->dim * s->first_contact + 1]++;
  for (int64_t i = 0; i < s->dim * s->nc; i++) ptr[i + 1] += ptr[i];
  return ptr;
}

static int compare_numbers(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

int64_t share_unique(int64_t *x, int64_t count) {
  int64_t kept = 0;
  qsort(x, (size_t)count, sizeof *x, compare_numbers);
  for (int64_t k = 0; k < count; k++)
    if (k == 0 || x[k] != x[k - 1]) x[kept++] = x[k];
  return kept;
}

int share_place(const int64_t *sorted, int count, int64_t x) {
  int low = 0, high = count;
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (sorted[middle] < x)
      low = middle + 1;
    else
      high = middle;
  }
  return low < count && sorted[low] == x ? low : -1;
}

// H of a domain once its dofs are known.
static bool number_rows(share *s, ssi_arena *arena, share_domain *d, const share_entry *H,
                        int64_t count) {
  int rows = s->dim * d->p.nc;
  int64_t *ptr = SSI_TAKE(arena, (size_t)rows + 1, int64_t);
  int *col = SSI_TAKE(arena, count, int);
  double *x = SSI_TAKE(arena, count, double);
  if (arena->failed) return false;
  int64_t first = ssi_domain_first(s->contacts, s->domains, d->number) * s->dim;
  for (int64_t k = 0; k < count; k++) {
    ptr[H[k].row - first + 1]++;
    col[k] = share_place(d->dof, d->p.ndof, H[k].col);
    x[k] = H[k].x;
  }
  for (int i = 0; i < rows; i++) ptr[i + 1] += ptr[i];
  d->p.H = (ss_sparse){rows, d->p.ndof, ptr, col, x};
  return true;
}

// Zeros that blocks of bodies have in between are left out, as in what was read: nothing depends on them.
ss_error share_domain_rows(share *s, share_domain *d) {
  const ssi_bodies *b = &d->sweep.bodies;
  int rows = s->dim * d->p.nc;
  if (!s->rigid) return SS_OK;  // they are kept
  int64_t most = s->dim * b->at[d->p.nc], at = 0;
  ssi_arena_reset(&s->lent);
  int64_t *ptr = SSI_TAKE(&s->lent, (size_t)rows + 1, int64_t);
  int *col = SSI_TAKE(&s->lent, most, int);
  double *x = SSI_TAKE(&s->lent, most, double);
  if (s->lent.failed) return ssi_fail(s->c->ctx, SS_ERR_MEMORY, "out of memory for rows of H");
  for (int i = 0; i < rows; i++) {
    const double *H = b->H + s->dim * b->at[i / s->dim] + i % s->dim;
    for (int64_t k = b->run_ptr[i / s->dim]; k < b->run_ptr[i / s->dim + 1]; k++)
      for (int j = 0; j < b->run[k].length; j++, H += s->dim)
        if (*H != 0) col[at] = b->run[k].start + j, x[at++] = *H;
    ptr[i + 1] = at;
  }
  d->p.H = (ss_sparse){rows, d->p.ndof, ptr, col, x};
  return SS_OK;
}

// ---- domains -------------------------------------------------------------------------------

static int64_t first_of(const share *s, int k) {  // contact of domain k of this rank
  return ssi_domain_first(s->contacts, s->domains, s->first_domain + k);
}

// The dofs that the rows of domain k touch, ascending.
static share_masses touched_dofs(const share *s, const share_entry *H, const int64_t *ptr, int k) {
  int64_t from = ptr[s->dim * (first_of(s, k) - s->first_contact)];
  int64_t to = ptr[s->dim * (first_of(s, k + 1) - s->first_contact)];
  share_masses m = {.dof = RANKS_TAKE(s->c, to - from, int64_t)};
  for (int64_t e = from; e < to; e++) m.dof[e - from] = H[e].col;
  m.count = (int)share_unique(m.dof, to - from);
  int64_t *shorter = realloc(m.dof, sizeof *shorter * ((size_t)m.count + 1));
  if (shorter) m.dof = shorter;
  return m;
}

static ss_error take_domain(share *s, int k, share_source *from, const share_masses *m) {
  share_domain *d = &s->domain[k];
  int64_t contact = first_of(s, k), at = contact - s->first_contact;
  d->number = s->first_domain + k;
  d->p = (ss_problem){.form = SS_GLOBAL, .dim = s->dim, .nc = (int)(first_of(s, k + 1) - contact)};
  d->p.ndof = m->count;
  d->dof = SSI_TAKE(&s->arena, m->count, int64_t);
  double *f = SSI_TAKE(&s->arena, m->count, double);
  d->copies = SSI_TAKE(&s->arena, m->count, int);
  d->leaf = SSI_TAKE(&s->arena, m->count, int);
  d->v_free = SSI_TAKE(&s->arena, m->count, double);
  d->lambda = SSI_TAKE(&s->arena, d->p.nc, double);
  if (s->arena.failed || !share_masses_matrix(&s->arena, m, &d->p.M)) return SS_ERR_MEMORY;
  memcpy(d->dof, m->dof, sizeof *m->dof * (size_t)m->count);
  memcpy(f, m->f, sizeof *f * (size_t)m->count);
  d->p.f = f;
  d->p.w = from->w + s->dim * at;
  d->p.mu = from->mu + at;
  d->r = s->r + s->dim * at;
  d->u = s->u + s->dim * at;
  return SS_OK;
}

// Rows of H become blocks of bodies, with whole masses, and are not kept: share_domain_rows makes them again.
static ss_error make_bodies(share *s, share_domain *d) {
  SS_TRY(ssi_problem_check_data(s->c->ctx, &d->p));
  SS_TRY(ssi_factor_create(s->c->ctx, &d->p.M, &d->mass));
  ss_sparse H = d->p.H;
  if (d->p.ndof && !ssi_factor_block_count(d->mass))
    return ssi_fail(s->c->ctx, SS_ERR_METHOD,
                    "M is not block-diagonal (blocks of at most 6): sweeps over domains are for "
                    "rigid bodies");
  if (!ssi_sparse_complete(&s->lent, s->dim * d->p.nc, d->p.ndof, &H) ||
      !ssi_bodies_create(&s->arena, s->dim, &H, d->mass, &d->sweep.bodies))
    return SS_ERR_MEMORY;
  d->p.H = (ss_sparse){0};
  ssi_block_lambda_max(s->dim, d->p.nc, d->sweep.bodies.diag, d->lambda);
  return SS_OK;
}

static ss_error fill_domain(share *s, int k, share_source *from, const int64_t *ptr,
                            const share_masses *m) {
  share_domain *d = &s->domain[k];
  SS_TRY(take_domain(s, k, from, m));
  int64_t at = s->dim * (first_of(s, k) - s->first_contact), begin = ptr[at];
  ssi_arena_reset(&s->lent);
  if (!number_rows(s, s->rigid ? &s->lent : &s->arena, d, from->H + begin,
                   ptr[at + s->dim * d->p.nc] - begin))
    return SS_ERR_MEMORY;
  return s->rigid ? make_bodies(s, d) : ssi_problem_check_structure(s->c->ctx, &d->p);
}

// What sweeps need, once the copies are counted.
static ss_error prepare_domain(share *s, share_domain *d) {
  ssi_arena *arena = &s->arena;
  size_t n = (size_t)d->p.ndof;
  ssi_arena_reset(&s->lent);
  d->sweep.contact = SSI_TAKE(arena, d->p.nc, ssi_contact);
  d->sweep.lambda = SSI_TAKE(&s->lent, d->p.nc, double);
  d->sweep.v = SSI_TAKE(arena, n, double);
  d->sweep.sum = d->sweep.v;  // contributions become velocities in place
  if (arena->failed || s->lent.failed) return SS_ERR_MEMORY;
  d->sweep.w = d->p.w;
  ssi_domain_split(&d->sweep.bodies, d->copies, &d->sweep.bodies);
  ssi_domain_prepare(&d->sweep, d->p.mu);
  d->sweep.lambda = NULL;  // contacts have it
  for (size_t j = 0; j < n; j++) d->v_free[j] = -d->p.f[j];
  return n ? ssi_factor_solve(d->mass, d->v_free, d->v_free) : SS_OK;
}

// The entries of H from `count` on have become rows of domains: two copies of the largest array would be the peak.
static void give_back(share_source *from, int64_t count) {
  share_entry *rest = realloc(from->H, sizeof *rest * ((size_t)count + 1));
  if (rest) from->H = rest;
}

// Domains from `begin` to `end` of this rank, the last one first. Collective.
static ss_error make_group(share *s, share_source *from, const int64_t *ptr, int begin, int end) {
  int count = end - begin;
  share_masses *m = RANKS_TAKE(s->c, count, share_masses);
  for (int k = 0; k < count; k++) m[k] = touched_dofs(s, from->H, ptr, begin + k);
  ss_error e = s->rigid ? share_masses_fetch(s, m, count) : SS_OK;
  for (int k = 0; k < count && !s->rigid; k++) m[k].f = RANKS_TAKE(s->c, m[k].count, double);
  for (int k = count - 1; k >= 0; k--) {
    if (!e) e = fill_domain(s, begin + k, from, ptr, &m[k]);
    share_masses_release(&m[k]);
    if (!e) give_back(from, ptr[s->dim * (first_of(s, begin + k) - s->first_contact)]);
  }
  free(m);
  return ranks_agree(s->c, e);
}

static ss_error make_domains(share *s, share_source *from) {
  enum { GROUP = 16 };  // domains whose masses are on their way at a time
  int64_t *ptr = find_rows(s, from);
  int most = s->count;
  ss_error e = SS_OK;
  MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_INT, MPI_MAX, s->c->comm);
  for (int end = (most + GROUP - 1) / GROUP * GROUP; end > 0 && !e; end -= GROUP) {
    int to = end < s->count ? end : s->count, begin = end - GROUP < to ? end - GROUP : to;
    e = make_group(s, from, ptr, begin, to);
  }
  free(ptr);
  free(from->H);
  from->H = NULL;
  return e;
}

// lambda where it is not positive: the mean of the others, 1 if there are none.
static void replace_zeros(share *s) {
  double *mine = RANKS_TAKE(s->c, 2 * s->count, double), sum[2];
  for (int k = 0; k < s->count; k++)
    for (int i = 0; i < s->domain[k].p.nc; i++)
      if (s->domain[k].lambda[i] > 0) mine[2 * k] += s->domain[k].lambda[i], mine[2 * k + 1]++;
  share_add_domains(s, mine, 2, sum);
  double mean = sum[1] > 0 ? sum[0] / sum[1] : 1;
  for (int k = 0; k < s->count; k++)
    for (int i = 0; i < s->domain[k].p.nc; i++)
      if (!(s->domain[k].lambda[i] > 0)) s->domain[k].lambda[i] = mean;
  free(mine);
}

ss_error share_create(ranks *c, share_source *from, double size, share *out) {
  share *s = out;
  *s = (share){.c = c, .dim = from->dim, .contacts = from->contacts, .dofs = from->dofs};
  s->arena.ctx = s->lent.ctx = c->ctx;
  s->domains = ssi_domain_count(s->contacts, size);
  s->first_domain = ranks_first(s->domains, c->size, c->rank);
  s->count = (int)(ranks_first(s->domains, c->size, c->rank + 1) - s->first_domain);
  int64_t end;
  share_contacts(s->contacts, size, c, c->rank, &s->first_contact, &end);
  s->nc = end - s->first_contact;
  s->domain = RANKS_TAKE(c, s->count, share_domain);
  s->r = RANKS_TAKE(c, s->dim * s->nc, double);
  s->u = RANKS_TAKE(c, s->dim * s->nc, double);
  send_rows(s, from);
  share_masses_keep(s, from);
  s->rigid = !from->joints && share_is_rigid(s);
  if (s->rigid) SS_TRY(share_renumber(s, from, size));
  if (s->number) send_rows(s, from);
  SS_TRY(make_domains(s, from));
  share_meet(s);
  if (s->rigid && !from->whole_M) share_masses_thin(s);
  if (!s->rigid) SS_TRY(share_general_create(s, from));
  ss_error e = SS_OK;
  for (int k = 0; k < s->count && !e && s->rigid; k++) e = prepare_domain(s, &s->domain[k]);
  SS_TRY(ranks_agree(c, e));
  replace_zeros(s);
  return SS_OK;
}

void share_source_release(share_source *from) {
  free(from->H);
  free(from->M);
  free(from->mu);
  free(from->w);
  free(from->f);
  free(from->G);
  free(from->b);
  *from = (share_source){0};
}

void share_destroy(share *s) {
  for (int k = 0; k < s->count; k++) ssi_factor_destroy(s->domain[k].mass);
  share_general_destroy(s->general);
  if (s->slots) PetscSFDestroy(&s->slots);
  free(s->domain);
  free(s->r);
  free(s->u);
  free(s->leaf);
  free(s->slot);
  free(s->slot_first);
  free(s->M);
  free(s->M_ptr);
  free(s->touched);
  free(s->number);
  ssi_arena_release(&s->arena);
  ssi_arena_release(&s->lent);
  *s = (share){0};
}
