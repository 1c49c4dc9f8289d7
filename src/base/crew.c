#define _POSIX_C_SOURCE 200809L
#include "base/crew.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/timer.h"

enum { THREADS_MOST = 256 };
static const long ASK_NS = 20000000;  // an answer is soon felt, and asking costs nothing beside it

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
  c->asked_s = ssi_now_s();
  return atomic_load(&c->stop);
}

bool ssi_crew_stopped(ssi_crew_member *m) {
  bool due = m->calling && ssi_now_s() - m->crew->asked_s >= 1e-9 * (double)ASK_NS;
  return due ? ssi_crew_ask(m) : atomic_load(&m->crew->stop);
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
  ssi_crew *c = m->crew;
  c->work(m);
  pthread_mutex_lock(&c->lock);
  if (--c->busy == 0) pthread_cond_signal(&c->idle);
  pthread_mutex_unlock(&c->lock);
  return NULL;
}

static struct timespec next_question(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  t.tv_nsec += ASK_NS;
  if (t.tv_nsec >= 1000000000) t.tv_nsec -= 1000000000, t.tv_sec++;
  return t;
}

// The calling thread has nothing left to do; the others may still have much, and only it can ask.
static void wait_and_ask(ssi_crew_member *calling) {
  ssi_crew *c = calling->crew;
  pthread_mutex_lock(&c->lock);
  while (c->busy > 0) {
    struct timespec until = next_question();
    if (pthread_cond_timedwait(&c->idle, &c->lock, &until) == 0) continue;
    pthread_mutex_unlock(&c->lock);
    ssi_crew_stopped(calling);
    pthread_mutex_lock(&c->lock);
  }
  pthread_mutex_unlock(&c->lock);
}

static void begin(ssi_crew *c) {
  pthread_condattr_t monotonic;
  pthread_condattr_init(&monotonic);
  pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
  pthread_cond_init(&c->idle, &monotonic);
  pthread_condattr_destroy(&monotonic);
  pthread_mutex_init(&c->lock, NULL);
  atomic_store(&c->bad, c->count);
  atomic_store(&c->stop, false);
  c->asked_s = ssi_now_s();
  c->busy = 0;
  c->error = SS_OK;
}

// Where a thread cannot be started the others do its work. Returns how many were.
static int start(ssi_crew *c, ssi_crew_member *members, pthread_t *ids, int threads) {
  int started = 0;
  pthread_mutex_lock(&c->lock);
  while (started + 1 < threads &&
         pthread_create(&ids[started], NULL, work_beside, &members[started + 1]) == 0)
    started++;
  c->busy = started;
  pthread_mutex_unlock(&c->lock);
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
    int started = start(c, members, ids, threads);
    c->work(&members[0]);
    wait_and_ask(&members[0]);
    for (int t = 0; t < started; t++) pthread_join(ids[t], NULL);
    pthread_mutex_destroy(&c->lock);
    pthread_cond_destroy(&c->idle);
    if (c->error) e = ssi_fail(ctx, c->error, "%s", c->message);
  }
  ssi_release(ctx, members);
  ssi_release(ctx, ids);
  return e;
}
