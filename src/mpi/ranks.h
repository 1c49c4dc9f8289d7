// mpi/ranks.h - the processes that work on one problem: how they agree, exchange and end.
//
// A failure that all must hear of goes through ranks_agree at the next place where all meet. What a rank cannot go on
// after at all (no memory) ends every rank through ranks_die, with a message: nobody waits for the dead.
#pragma once

#include <mpi.h>

#include "base/arena.h"
#include "base/error.h"

typedef struct ranks {
  MPI_Comm comm;
  int rank, size;
  ss_context *ctx;
  int voice;          // standard error of a rank that is else not heard; -1: as usual
  const char *aside;  // a file under way that nobody should find; NULL: none
} ranks;

_Noreturn void ranks_die(const ranks *c, int status, const char *format, ...) SS_PRINTF(3, 4);

// The error of the lowest rank that has one, with its message in every context. Collective.
ss_error ranks_agree(const ranks *c, ss_error e);

void *ranks_take(const ranks *c, int64_t count, size_t size);  // zeroed, for free(); never NULL
#define RANKS_TAKE(c, count, type) ((type *)ranks_take(c, (int64_t)(count), sizeof(type)))

// Sends item k of `size` bytes to rank to[k]. What arrives, for free(), is ordered by senders, and as each sent it;
// *received: how many. Collective.
void *ranks_exchange(const ranks *c, const void *items, size_t size, const int *to, int64_t count,
                     int64_t *received);

// The same for items that mostly stay where they are, without a second copy of these: takes `items`, from malloc,
// and gives what this rank has in the end. whither(user, item): the rank of an item. Collective.
typedef int ranks_whither(const void *user, const void *item);
void *ranks_send_on(const ranks *c, void *items, size_t size, ranks_whither *whither,
                    const void *user, int64_t *count);

// Even shares of `count` things: the first of a rank's, and whose thing k is.
int64_t ranks_first(int64_t count, int size, int rank);
int ranks_owner(int64_t count, int size, int64_t k);
