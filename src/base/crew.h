// base/crew.h - threads that share out numbered pieces of work, the calling thread among them. Which piece goes to whom
// is theirs to say (an atomic counter); here is what they have in common: how many there are, the question whether to
// go on, the first error, and the end.
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#include "stickslip/base.h"

typedef struct ssi_crew_member ssi_crew_member;

typedef struct ssi_crew {
  ss_context *ctx;
  int64_t count;                     // pieces
  void (*work)(ssi_crew_member *m);  // until nothing is left, or it is to stop
  int (*ask)(void *user);            // in the calling thread; nonzero stops
  void *user;
  // its own
  double asked_s;
  int busy;              // threads beside the calling one
  atomic_bool stop;      // set by anyone
  atomic_llong bad;      // first piece with an error; count: none
  pthread_mutex_t lock;  // of busy, error, message, and what the work wants it for
  pthread_cond_t idle;   // busy is 0
  ss_error error;
  char message[512];
} ssi_crew;

struct ssi_crew_member {
  ssi_crew *crew;
  ss_context ctx;  // its own: the message is written without a lock
  bool calling;    // in the calling thread
};

// How many threads a number in options means: 0 is one per processor. No more than there are pieces, nor than 256.
int ssi_crew_size(int wanted, int64_t pieces);

// The error is that of the first piece that has one, so that it does not depend on the threads.
ss_error ssi_crew_run(ssi_crew *c, int threads);

// ---- within the work --------------------------------------------------------------------------

// Is it to stop? The calling thread asks; `stopped` only where it has not for a while, so that it can be called often.
bool ssi_crew_ask(ssi_crew_member *m);
bool ssi_crew_stopped(ssi_crew_member *m);
void ssi_crew_fail(ssi_crew_member *m, int64_t piece, ss_error e);
