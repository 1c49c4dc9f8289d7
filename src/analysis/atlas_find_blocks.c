// Blocks of an atlas on several threads, a block on each: a block has too few points to be shared out.
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include "analysis/atlas_block.h"
#include "base/error.h"
#include "base/timer.h"

enum { CREW_MOST = 256 };

typedef struct crew {
  const ss_atlas_options *o;
  ss_atlas_problem problem;
  void *user;
  ss_atlas_block_list *list;
  double begin_s, end_s;
  atomic_int next, done;
  atomic_int bad;  // place of the first block with an error; list->count: none
  atomic_bool stop, late;
  pthread_mutex_t lock;  // of list->done, refused, error and message
  bool refused;          // list->done said to stop: it is not called again
  ss_error error;
  char message[512];
} crew;

typedef struct crew_member {
  crew *c;
  ss_context ctx;  // its own: the message is written without a lock
  bool reports;    // the calling thread
} crew_member;

static int on_progress(void *user, const ss_atlas_progress *block) {
  crew_member *m = user;
  crew *c = m->c;
  (void)block;
  ss_atlas_progress now = {
      .done = atomic_load(&c->done), .wanted = c->list->count, .time_s = ssi_now_s() - c->begin_s};
  if (m->reports && c->o->progress && c->o->progress(c->o->user, &now))
    atomic_store(&c->stop, true);
  return atomic_load(&c->stop);
}

// The error of the first block, by its place, that has one.
static void fail_at(crew_member *m, int place, ss_error e) {
  crew *c = m->c;
  pthread_mutex_lock(&c->lock);
  if (place < atomic_load(&c->bad)) {
    atomic_store(&c->bad, place);
    c->error = e;
    snprintf(c->message, sizeof c->message, "%s", ss_error_detail(&m->ctx, e));
  }
  pthread_mutex_unlock(&c->lock);
}

static void take(crew *c, const ssi_block_result *found) {
  if (found->late) atomic_store(&c->late, true);
  if (found->cancelled) atomic_store(&c->stop, true);
  if (found->cancelled) return;
  pthread_mutex_lock(&c->lock);
  if (!c->refused) c->refused = c->list->done && c->list->done(c->list->user, &found->points);
  if (c->refused)
    atomic_store(&c->stop, true);
  else
    atomic_fetch_add(&c->done, 1);
  pthread_mutex_unlock(&c->lock);
}

static void *work(void *argument) {
  crew_member *m = argument;
  crew *c = m->c;
  ssi_block_work w = {c->o, c->problem, c->user, c->end_s, on_progress, m};
  while (!atomic_load(&c->stop)) {
    int place = atomic_fetch_add(&c->next, 1);
    if (place >= c->list->count || place >= atomic_load(&c->bad)) break;
    ssi_arena arena = {.ctx = &m->ctx};
    ssi_block_result found;
    ss_error e = ssi_atlas_block(&w, &m->ctx, c->list->blocks[place], &arena, &found);
    if (e)
      fail_at(m, place, e);
    else
      take(c, &found);
    ssi_arena_release(&arena);
  }
  return NULL;
}

static int crew_size(int wanted, int blocks) {
  long processors = sysconf(_SC_NPROCESSORS_ONLN);
  long threads = wanted > 0 ? wanted : processors > 0 ? processors : 1;
  if (threads > CREW_MOST) threads = CREW_MOST;
  return threads < blocks ? (int)threads : blocks;
}

static ss_error run_crew(ss_context *ctx, crew *c) {
  int threads = crew_size(c->o->threads, c->list->count), started = 0;
  crew_member *members = ssi_alloc(ctx, (size_t)threads, sizeof *members);
  pthread_t *ids = ssi_alloc(ctx, (size_t)threads, sizeof *ids);
  if (!members || !ids) {
    ssi_release(ctx, members);
    ssi_release(ctx, ids);
    return ssi_atlas_no_memory(ctx);
  }
  for (int t = 0; t < threads; t++) {
    members[t] = (crew_member){.c = c, .reports = t == 0};
    if (ctx)
      members[t].ctx =
          (ss_context){.alloc = ctx->alloc, .release = ctx->release, .user = ctx->user};
  }
  // where a thread cannot be started the others do its work
  while (started + 1 < threads &&
         pthread_create(&ids[started], NULL, work, &members[started + 1]) == 0)
    started++;
  work(&members[0]);
  for (int t = 0; t < started; t++) pthread_join(ids[t], NULL);
  ssi_release(ctx, members);
  ssi_release(ctx, ids);
  return SS_OK;
}

static ss_error check_list(ss_context *ctx, const ss_atlas_options *o,
                           const ss_atlas_block_list *list) {
  int count = ss_atlas_block_count(o);
  for (int k = 0; k < list->count; k++)
    if (list->blocks[k] < 0 || list->blocks[k] >= count)
      return ssi_fail(ctx, SS_ERR_ARGUMENT, "atlas: block %d, expected 0 .. %d", list->blocks[k],
                      count - 1);
  return SS_OK;
}

ss_error ss_atlas_find_blocks(ss_context *ctx, const ss_atlas_options *o, ss_atlas_problem problem,
                              void *user, ss_atlas_block_list *list) {
  if (!o || !(problem || o->judge.find) || !list || (list->count > 0 && !list->blocks))
    return ssi_fail(ctx, SS_ERR_ARGUMENT, "atlas: options, problem or blocks are NULL");
  list->complete = list->late = false;
  SS_TRY(ssi_atlas_check(ctx, o));
  SS_TRY(check_list(ctx, o, list));
  crew c = {.o = o, .problem = problem, .user = user, .list = list};
  c.begin_s = ssi_now_s();
  c.end_s = ssi_time_end(o->time_limit_s);
  atomic_store(&c.bad, list->count);
  pthread_mutex_init(&c.lock, NULL);
  ss_error e = list->count > 0 ? run_crew(ctx, &c) : SS_OK;
  pthread_mutex_destroy(&c.lock);
  if (e) return e;
  if (c.error) return ssi_fail(ctx, c.error, "%s", c.message);
  list->complete = atomic_load(&c.done) == list->count;
  list->late = atomic_load(&c.late);
  return SS_OK;
}
