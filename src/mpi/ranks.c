#define _POSIX_C_SOURCE 200809L
#include "mpi/ranks.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

_Noreturn void ranks_die(const ranks *c, int status, const char *format, ...) {
  char text[1000];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  if (c->voice >= 0) dup2(c->voice, STDERR_FILENO);
  fprintf(stderr, "stickslip-mpi: rank %d of %d: %s\n", c->rank, c->size, text);
  if (c->aside) unlink(c->aside);
  MPI_Abort(c->comm, status);
  _exit(status);
}

ss_error ranks_agree(const ranks *c, ss_error e) {
  struct {
    int failed, rank;
  } mine = {e != SS_OK, c->rank}, worst;
  MPI_Allreduce(&mine, &worst, 1, MPI_2INT, MPI_MAXLOC, c->comm);  // the lowest rank of equals
  if (!worst.failed) return SS_OK;
  int code = (int)e;
  MPI_Bcast(&code, 1, MPI_INT, worst.rank, c->comm);
  MPI_Bcast(c->ctx->message, (int)sizeof c->ctx->message, MPI_CHAR, worst.rank, c->comm);
  return (ss_error)code;
}

void *ranks_take(const ranks *c, int64_t count, size_t size) {
  void *memory = count < 0 ? NULL : calloc((size_t)(count ? count : 1), size);
  if (!memory) ranks_die(c, 4, "out of memory for %lld times %zu bytes", (long long)count, size);
  return memory;
}

int64_t ranks_first(int64_t count, int size, int rank) {
  return count / size * rank + count % size * rank / size;
}

int ranks_owner(int64_t count, int size, int64_t k) {
  int rank = (int)((double)k / (double)(count ? count : 1) * size);
  if (rank >= size) rank = size - 1;
  while (rank > 0 && ranks_first(count, size, rank) > k) rank--;
  while (rank < size - 1 && ranks_first(count, size, rank + 1) <= k) rank++;
  return rank;
}

typedef struct traffic {
  int *out, *in, *out_at, *in_at;  // counts and places by rank   (size)
} traffic;

static int place(const ranks *c, const int *counts, int *at) {
  int64_t sum = 0;
  for (int k = 0; k < c->size; k++) {
    at[k] = (int)sum;
    sum += counts[k];
    if (sum > INT_MAX)
      ranks_die(c, 4, "more than %d things to exchange at once; use more ranks", INT_MAX);
  }
  return (int)sum;
}

// Items in the order of the ranks they go to.
static char *sort_by_rank(const ranks *c, const char *items, size_t size, const int *to,
                          int64_t count, traffic *t) {
  for (int64_t k = 0; k < count; k++) t->out[to[k]]++;
  place(c, t->out, t->out_at);
  char *sorted = ranks_take(c, count, size);
  int *next = RANKS_TAKE(c, c->size, int);
  memcpy(next, t->out_at, sizeof *next * (size_t)c->size);
  for (int64_t k = 0; k < count; k++)
    memcpy(sorted + size * (size_t)next[to[k]]++, items + size * (size_t)k, size);
  free(next);
  return sorted;
}

// *lower: how many of those received are from lower ranks
static void *exchange(const ranks *c, const void *items, size_t size, const int *to, int64_t count,
                      int64_t *received, int64_t *lower) {
  int *all = RANKS_TAKE(c, 4 * c->size, int);
  traffic t = {all, all + c->size, all + 2 * c->size, all + 3 * c->size};
  if (count > INT_MAX)
    ranks_die(c, 4, "more than %d things to exchange at once; use more ranks", INT_MAX);
  char *sorted = sort_by_rank(c, items, size, to, count, &t);
  MPI_Alltoall(t.out, 1, MPI_INT, t.in, 1, MPI_INT, c->comm);
  *received = place(c, t.in, t.in_at);
  char *got = ranks_take(c, *received, size);
  MPI_Datatype item;
  MPI_Type_contiguous((int)size, MPI_BYTE, &item);
  MPI_Type_commit(&item);
  MPI_Alltoallv(sorted, t.out, t.out_at, item, got, t.in, t.in_at, item, c->comm);
  MPI_Type_free(&item);
  *lower = t.in_at[c->rank];
  free(sorted);
  free(all);
  return got;
}

void *ranks_exchange(const ranks *c, const void *items, size_t size, const int *to, int64_t count,
                     int64_t *received) {
  int64_t lower;
  return exchange(c, items, size, to, count, received, &lower);
}

// Takes those for other ranks out of `items`; how many, and where each goes.
static int64_t take_out(const ranks *c, char *items, size_t size, ranks_whither *whither,
                        const void *user, int64_t count, char **out, int **to) {
  int64_t away = 0, own = 0, at = 0;
  for (int64_t k = 0; k < count; k++) away += whither(user, items + size * (size_t)k) != c->rank;
  *out = ranks_take(c, away, size);
  *to = RANKS_TAKE(c, away, int);
  for (int64_t k = 0; k < count && away; k++) {
    int rank = whither(user, items + size * (size_t)k);
    if (rank != c->rank) {
      memcpy(*out + size * (size_t)at, items + size * (size_t)k, size);
      (*to)[at++] = rank;
    } else {
      memmove(items + size * (size_t)own++, items + size * (size_t)k, size);
    }
  }
  return away;
}

void *ranks_send_on(const ranks *c, void *items, size_t size, ranks_whither *whither,
                    const void *user, int64_t *count) {
  char *out, *all = items;
  int *to;
  int64_t away = take_out(c, all, size, whither, user, *count, &out, &to);
  int64_t own = *count - away, received, lower;
  char *got = exchange(c, out, size, to, away, &received, &lower);
  free(out);
  free(to);
  *count = own + received;
  all = realloc(all, size * (size_t)(*count ? *count : 1));
  if (!all) ranks_die(c, 4, "out of memory for %lld times %zu bytes", (long long)*count, size);
  memmove(all + size * (size_t)lower, all, size * (size_t)own);
  memcpy(all, got, size * (size_t)lower);
  memcpy(all + size * (size_t)(lower + own), got + size * (size_t)lower,
         size * (size_t)(received - lower));
  free(got);
  return all;
}
