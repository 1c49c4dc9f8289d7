#include "solvers/domains.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"

int64_t ssi_domain_count(int64_t contacts, double size) {
  double count = ceil((double)contacts / size);
  return count < 1 ? 1 : (int64_t)count;
}

// k contacts / count without overflow
int64_t ssi_domain_first(int64_t contacts, int64_t count, int64_t k) {
  return contacts / count * k + contacts % count * k / count;
}

int64_t ssi_domain_of(int64_t contacts, int64_t count, int64_t contact) {
  int64_t k = (int64_t)((double)contact / (double)contacts * (double)count);
  if (k >= count) k = count - 1;
  while (k > 0 && ssi_domain_first(contacts, count, k) > contact) k--;
  while (k < count - 1 && ssi_domain_first(contacts, count, k + 1) <= contact) k++;
  return k;
}

// ---- set-up --------------------------------------------------------------------------------

// The dofs that domain k touches, in the order met; mark[dof] becomes k.
static int64_t touched(const ssi_bodies *b, int64_t from, int64_t to, int k, int *mark, int *dof) {
  int64_t count = 0;
  for (int64_t run = b->run_ptr[from]; run < b->run_ptr[to]; run++)
    for (int j = b->run[run].start; j < b->run[run].start + b->run[run].length; j++)
      if (mark[j] != k) {
        mark[j] = k;
        if (dof) dof[count] = j;
        count++;
      }
  return count;
}

static void forget(int ndof, int *mark) {
  for (int j = 0; j < ndof; j++) mark[j] = -1;
}

static int compare(const void *a, const void *b) {
  int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}

// copy_ptr, copy and copies, from dof
static void list_copies(ssi_domains *d) {
  int64_t all = d->at[d->count];
  for (int64_t c = 0; c < all; c++) d->copy_ptr[d->dof[c] + 1]++;
  for (int j = 0; j < d->ndof; j++) d->copy_ptr[j + 1] += d->copy_ptr[j];
  for (int64_t c = 0; c < all; c++) d->copy[d->copy_ptr[d->dof[c]]++] = c;
  for (int j = d->ndof; j > 0; j--) d->copy_ptr[j] = d->copy_ptr[j - 1];
  d->copy_ptr[0] = 0;
  for (int64_t c = 0; c < all; c++)
    d->copies[c] = (int)(d->copy_ptr[d->dof[c] + 1] - d->copy_ptr[d->dof[c]]);
}

// Runs of domain k with the numbers of its copies, which place[] gives.
static void number_runs(const ssi_bodies *whole, const ssi_domains *d, int k, int *place,
                        ssi_run *run) {
  for (int64_t c = d->at[k]; c < d->at[k + 1]; c++) place[d->dof[c]] = (int)(c - d->at[k]);
  for (int64_t j = whole->run_ptr[d->first[k]]; j < whole->run_ptr[d->first[k + 1]]; j++)
    run[j] = (ssi_run){place[whole->run[j].start], whole->run[j].length};
}

// A view of the whole bodies: their numbers of slots, with runs, P and diag of its own.
static void view_domain(const ssi_bodies *whole, const ssi_domains *d, int k, ssi_run *run,
                        double *P, double *diag, ssi_bodies *out) {
  int64_t first = d->first[k];
  *out = (ssi_bodies){.dim = whole->dim,
                      .nc = (int)(d->first[k + 1] - first),
                      .ndof = (int)(d->at[k + 1] - d->at[k]),
                      .threads = 1,
                      .run_ptr = whole->run_ptr + first,
                      .run = run,
                      .at = whole->at + first,
                      .H = whole->H,
                      .P = P,
                      .diag = diag + whole->dim * whole->dim * first};
}

static bool find_copies(ssi_arena *arena, const ssi_bodies *whole, int *mark, ssi_domains *d) {
  forget(d->ndof, mark);
  for (int k = 0; k < d->count; k++)
    d->at[k + 1] = d->at[k] + touched(whole, d->first[k], d->first[k + 1], k, mark, NULL);
  int64_t all = d->at[d->count];
  d->dof = SSI_TAKE(arena, all, int);
  d->copies = SSI_TAKE(arena, all, int);
  d->copy = SSI_TAKE(arena, all, int64_t);
  d->v = SSI_TAKE(arena, all, double);
  d->sum = SSI_TAKE(arena, all, double);
  if (arena->failed) return false;
  forget(d->ndof, mark);
  for (int k = 0; k < d->count; k++) {
    touched(whole, d->first[k], d->first[k + 1], k, mark, d->dof + d->at[k]);
    qsort(d->dof + d->at[k], (size_t)(d->at[k + 1] - d->at[k]), sizeof *d->dof, compare);
  }
  list_copies(d);
  return true;
}

static bool take_domains(ssi_arena *arena, const ssi_bodies *whole, int *place, ssi_domains *d) {
  size_t nc = (size_t)whole->nc, dim = (size_t)whole->dim;
  ssi_run *run = SSI_TAKE(arena, whole->run_ptr[nc], ssi_run);
  double *P = SSI_TAKE(arena, (int64_t)dim * whole->at[nc], double);
  double *diag = SSI_TAKE(arena, nc * dim * dim, double), *lambda = SSI_TAKE(arena, nc, double);
  ssi_contact *contact = SSI_TAKE(arena, nc, ssi_contact);
  if (arena->failed) return false;
  for (int k = 0; k < d->count; k++) {
    ssi_domain *own = &d->domain[k];
    int64_t first = d->first[k];
    number_runs(whole, d, k, place, run);
    view_domain(whole, d, k, run, P, diag, &own->bodies);
    own->contact = contact + first;
    own->lambda = lambda + first;
    own->v = d->v + d->at[k];
    own->sum = d->sum + d->at[k];
  }
  return true;
}

// The runs of all contacts in the new order, and room for their H.
static bool sort_bodies(ssi_arena *arena, const ssi_bodies *whole, ssi_domains *d) {
  int64_t nc = whole->nc, dim = whole->dim;
  ssi_bodies *b = &d->sorted;
  *b = (ssi_bodies){.dim = whole->dim, .nc = whole->nc, .ndof = whole->ndof, .threads = d->threads};
  b->run_ptr = SSI_TAKE(arena, nc + 1, int64_t);
  b->at = SSI_TAKE(arena, nc + 1, int64_t);
  b->run = SSI_TAKE(arena, whole->run_ptr[nc], ssi_run);
  b->H = SSI_TAKE(arena, dim * whole->at[nc] + 1, double);
  d->w = SSI_TAKE(arena, dim * nc, double);
  d->r = SSI_TAKE(arena, dim * nc, double);
  d->mu = SSI_TAKE(arena, nc, double);
  for (int64_t k = 0; k < nc && !arena->failed; k++) {
    int64_t i = d->order[k], runs = whole->run_ptr[i + 1] - whole->run_ptr[i];
    b->run_ptr[k + 1] = b->run_ptr[k] + runs;
    b->at[k + 1] = b->at[k] + whole->at[i + 1] - whole->at[i];
    memcpy(b->run + b->run_ptr[k], whole->run + whole->run_ptr[i], sizeof *b->run * (size_t)runs);
  }
  return !arena->failed;
}

bool ssi_domains_create(ssi_arena *arena, const ssi_bodies *whole, const int *order, double size,
                        int threads, ssi_domains *out) {
  ssi_domains *d = out;
  *d = (ssi_domains){.count = (int)ssi_domain_count(whole->nc, size),
                     .threads = threads,
                     .ndof = whole->ndof,
                     .nc = whole->nc,
                     .dim = whole->dim,
                     .order = order};
  d->first = SSI_TAKE(arena, (size_t)d->count + 1, int64_t);
  d->at = SSI_TAKE(arena, (size_t)d->count + 1, int64_t);
  d->domain = SSI_TAKE(arena, d->count, ssi_domain);
  d->part = SSI_TAKE(arena, d->count, double);
  d->copy_ptr = SSI_TAKE(arena, (size_t)d->ndof + 1, int64_t);
  int *mark = ssi_alloc(arena->ctx, (size_t)d->ndof, sizeof *mark);
  bool ok = mark && !arena->failed;
  for (int k = 0; ok && k <= d->count; k++) d->first[k] = ssi_domain_first(whole->nc, d->count, k);
  ok = ok && (!order || sort_bodies(arena, whole, d));
  const ssi_bodies *from = order ? &d->sorted : whole;
  ok = ok && find_copies(arena, from, mark, d) && take_domains(arena, from, mark, d);
  ssi_release(arena->ctx, mark);
  if (ok) ssi_domains_refill(d, whole);
  return ok;
}

// Numbers of contact `from` of the bodies as those of the only contact of a piece.
static ssi_bodies one_contact(const ssi_bodies *whole, int64_t from) {
  ssi_bodies one = *whole;
  one.nc = 1;
  one.at = whole->at + from;
  one.run_ptr = whole->run_ptr + from;
  return one;
}

static void refill_contact(ssi_domains *d, const ssi_bodies *whole, int k, int64_t at) {
  ssi_bodies to = one_contact(&d->domain[k].bodies, at);
  to.diag += to.dim * to.dim * at;
  int64_t i = d->order[d->first[k] + at], dim = whole->dim;
  ssi_bodies from = one_contact(whole, i);
  memcpy(to.H + dim * to.at[0], from.H + dim * from.at[0],
         sizeof *to.H * (size_t)(dim * (from.at[1] - from.at[0])));
  ssi_domain_split(&from, d->copies + d->at[k], &to);
}

static void refill_domain(ssi_domains *d, const ssi_bodies *whole, int k) {
  ssi_bodies from = *whole;
  from.at = whole->at + d->first[k];
  if (!d->order) ssi_domain_split(&from, d->copies + d->at[k], &d->domain[k].bodies);
  for (int64_t i = 0; d->order && i < d->domain[k].bodies.nc; i++) refill_contact(d, whole, k, i);
}

void ssi_domains_refill(ssi_domains *d, const ssi_bodies *whole) {
  SSI_EACH(d->threads, k, d->count, refill_domain(d, whole, k));
}

static void sort_numbers(const ssi_domains *d, int width, const double *from, double *to) {
  for (int64_t k = 0; k < d->nc; k++)
    for (int j = 0; j < width; j++) to[width * k + j] = from[width * (int64_t)d->order[k] + j];
}

void ssi_domains_prepare(ssi_domains *d, const double *w, const double *mu) {
  if (d->order) {
    sort_numbers(d, d->dim, w, d->w);
    sort_numbers(d, 1, mu, d->mu);
    w = d->w, mu = d->mu;
  }
  for (int k = 0; k < d->count; k++) d->domain[k].w = w + (int64_t)d->dim * d->first[k];
  SSI_EACH(d->threads, k, d->count, ssi_domain_prepare(&d->domain[k], mu + d->first[k]));
}

// ---- sweeps --------------------------------------------------------------------------------

void ssi_domains_begin(ssi_domains *d) {
  for (int k = 0; k < d->count; k++) ssi_domain_begin(&d->domain[k]);
}

enum { PART = 1 << 12 };  // dofs that one thread takes at a time

// domain.h (2), for dofs of part k
static void add_up(ssi_domains *d, const double *v_free, int k) {
  int from = PART * k, to = d->ndof - from < PART ? d->ndof : from + PART;
  for (int j = from; j < to; j++) {
    int64_t begin = d->copy_ptr[j], end = d->copy_ptr[j + 1];
    double sum = 0;
    for (int64_t c = begin; c < end; c++) sum += d->sum[d->copy[c]];
    double v = ssi_domain_velocity(v_free[j], sum, (int)(end - begin));
    for (int64_t c = begin; c < end; c++) d->v[d->copy[c]] = v;
  }
}

static double *own_part(const ssi_domains *d, int k, double *r) {
  return r + d->domain[k].bodies.dim * d->first[k];
}

static void sweep_domain(ssi_domains *d, double omega, double *r, int k) {
  d->part[k] = ssi_domain_sweep(&d->domain[k], omega, own_part(d, k, r));
}

static double sweep_all(ssi_domains *d, const double *v_free, double omega, double *r) {
  int parts = (d->ndof + PART - 1) / PART;
  double change = 0;
  SSI_EACH(d->threads, k, d->count, ssi_domain_contribute(&d->domain[k], own_part(d, k, r)));
  SSI_EACH(d->threads, k, parts, add_up(d, v_free, k));
  SSI_EACH(d->threads, k, d->count, sweep_domain(d, omega, r, k));
  for (int k = 0; k < d->count; k++) change += d->part[k];
  return change;
}

double ssi_domains_sweep(ssi_domains *d, const double *v_free, double omega, double *r) {
  if (!d->order) return sweep_all(d, v_free, omega, r);
  sort_numbers(d, d->dim, r, d->r);
  double change = sweep_all(d, v_free, omega, d->r);
  for (int64_t k = 0; k < d->nc; k++)
    for (int j = 0; j < d->dim; j++) r[d->dim * (int64_t)d->order[k] + j] = d->r[d->dim * k + j];
  return change;
}
