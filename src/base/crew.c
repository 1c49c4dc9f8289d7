#define _POSIX_C_SOURCE 200809L
#include "base/crew.h"

#include <stdio.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/error.h"

enum { THREADS_MOST = 256 };

int ssi_crew_size(int wanted, int64_t pieces) {
  long processors = sysconf(_SC_NPROCESSORS_ONLN);
  long threads = wanted > 0 ? wanted : processors > 0 ? processors : 1;
  if (threads > THREADS_MOST) threads = THREADS_MOST;
  return threads < pieces ? (int)threads : (int)pieces;
}

bool ssi_crew_ask(ssi_crew_member *m) {
  ssi_crew *c = m->crew;
  if (!m->calling) return atomic_load(&c->stop);
  if (c->ask(c->user)) atomic_store(&c->stop, true);
  return atomic_load(&c->stop);
}

void ssi_crew_fail(ssi_crew_member *m, int64_t piece, ss_error e) {
  ssi_crew *c = m->crew;
  pthread_mutex_lock(&c->lock);
  if (piece < atomic_load(&c->bad)) {
    atomic_store(&c->bad, piece);
    c->error = e;
    snprintf(c->message, sizeof c->message, "%s", ss_error_detail(&m->ctx, e));
  }
  pthread_mutex_unlock(&c->lock);
}

// ---- threads ----------------------------------------------------------------------------------

static void *work_beside(void *argument) {
  ssi_crew_member *m = argument;
  m->crew->work(m);
  return NULL;
}

static void begin(ssi_crew *c) {
  pthread_mutex_init(&c->lock, NULL);
  atomic_store(&c->bad, c->count);
  atomic_store(&c->stop, false);
  c->error = SS_OK;
}

// Where a thread cannot be started the others do its work. Returns how many were.
static int start(ssi_crew_member *members, pthread_t *ids, int threads) {
  int started = 0;
  while (started + 1 < threads &&
         pthread_create(&ids[started], NULL, work_beside, &members[started + 1]) == 0)
    started++;
  return started;
}

ss_error ssi_crew_run(ssi_crew *c, int threads) {
  ss_context *ctx = c->ctx;
  ssi_crew_member *members = ssi_alloc(ctx, (size_t)threads, sizeof *members);
  pthread_t *ids = ssi_alloc(ctx, (size_t)threads, sizeof *ids);
  ss_error e = members && ids ? SS_OK : ssi_fail(ctx, SS_ERR_MEMORY, "no memory for threads");
  if (!e) {
    begin(c);
    for (int t = 0; t < threads; t++) {
      members[t] = (ssi_crew_member){.crew = c, .calling = t == 0};
      if (ctx)
        members[t].ctx =
            (ss_context){.alloc = ctx->alloc, .release = ctx->release, .user = ctx->user};
    }
    int started = start(members, ids, threads);
    c->work(&members[0]);
    for (int t = 0; t < started; t++) pthread_join(ids[t], NULL);
    pthread_mutex_destroy(&c->lock);
    if (c->error) e = ssi_fail(ctx, c->error, "%s", c->message);
  }
  ssi_release(ctx, members);
  ssi_release(ctx, ids);
  return e;
}
