// Blocks of an atlas on several threads, a block on each: a block has too few points to be shared out.
#include <stdatomic.h>

#include "analysis/atlas_block.h"
#include "base/crew.h"
#include "base/error.h"
#include "base/timer.h"

typedef struct block_search {
  const ss_atlas_options *o;
  ss_atlas_problem problem;
  void *user;
  ss_atlas_block_list *list;
  double begin_s, end_s;
  atomic_int next, done;
  atomic_bool late;
  bool refused;  // list->done said to stop: it is not called again; under the crew's lock
} block_search;

static int report(void *user) {
  const block_search *c = user;
  ss_atlas_progress now = {
      .done = atomic_load(&c->done), .wanted = c->list->count, .time_s = ssi_now_s() - c->begin_s};
  return c->o->progress && c->o->progress(c->o->user, &now);
}

// Within a block: how far that is nobody counts.
static int on_progress(void *user, const ss_atlas_progress *block) {
  (void)block;
  return ssi_crew_ask(user);
}

static void take(ssi_crew *crew, const ssi_block_result *found) {
  block_search *c = crew->user;
  if (found->late) atomic_store(&c->late, true);
  if (found->cancelled) atomic_store(&crew->stop, true);
  if (found->cancelled) return;
  pthread_mutex_lock(&crew->lock);
  if (!c->refused) c->refused = c->list->done && c->list->done(c->list->user, &found->points);
  if (c->refused)
    atomic_store(&crew->stop, true);
  else
    atomic_fetch_add(&c->done, 1);
  pthread_mutex_unlock(&crew->lock);
}

static void work(ssi_crew_member *m) {
  ssi_crew *crew = m->crew;
  block_search *c = crew->user;
  ssi_block_work w = {c->o, c->problem, c->user, c->end_s, on_progress, m};
  while (!atomic_load(&crew->stop)) {
    int place = atomic_fetch_add(&c->next, 1);
    if (place >= c->list->count || place >= atomic_load(&crew->bad)) break;
    ssi_arena arena = {.ctx = &m->ctx};
    ssi_block_result found;
    ss_error e = ssi_atlas_block(&w, &m->ctx, c->list->blocks[place], &arena, &found);
    if (e)
      ssi_crew_fail(m, place, e);
    else
      take(crew, &found);
    ssi_arena_release(&arena);
  }
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
  block_search c = {.o = o, .problem = problem, .user = user, .list = list};
  c.begin_s = ssi_now_s();
  c.end_s = ssi_time_end(o->time_limit_s);
  ssi_crew crew = {.ctx = ctx, .count = list->count, .work = work, .ask = report, .user = &c};
  if (list->count > 0) SS_TRY(ssi_crew_run(&crew, ssi_crew_size(o->threads, list->count)));
  list->complete = atomic_load(&c.done) == list->count;
  list->late = atomic_load(&c.late);
  return SS_OK;
}
