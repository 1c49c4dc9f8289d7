// Points enumerated by several threads. Each takes the next few points that nobody has taken; what
// comes out is written where the point is, so that the order does not matter.
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "analysis/atlas.h"
#include "base/error.h"
#include "base/timer.h"

enum { CHUNK = 64, THREADS_MOST = 256 };

typedef struct shared {
  ssi_atlas_run *run;
  ssi_atlas_point *points;
  int64_t count;
  atomic_llong next, done;
  atomic_llong bad;  // index of the first point with an error; count: none
  atomic_bool stop, late;
  pthread_mutex_t lock;  // of error and message
  ss_error error;
  char message[512];
} shared;

typedef struct worker {
  shared *s;
  ss_context ctx;  // its own: the message is written without a lock
  ssi_kinds_view view;
  int64_t taken;  // of what is known already
  bool reports;   // the calling thread
} worker;

// One problem that takes longer than all the time there is: its round is not used.
static int hurry(void *user, const ss_enumerate_progress *now) {
  const ssi_atlas_run *run = user;
  (void)now;
  return ssi_time_is_over(run->end_s);
}

static ss_error no_memory(worker *w) {
  return ssi_fail(&w->ctx, SS_ERR_MEMORY, "no memory for an atlas");
}

// false: not known, or no memory for its kind, which then is found again.
static bool take_known(worker *w, ssi_atlas_point *p) {
  const ss_atlas_known *known = w->s->run->o->known;
  const ssi_known_point *at = known ? ssi_known_at(known, p->x, p->y) : NULL;
  if (!at) return false;
  size_t length;
  const unsigned char *bytes = ssi_kinds_bytes(ssi_known_kinds(known), at->kind, &length);
  p->kind = ssi_kinds_find_bytes(&w->view, bytes, length);
  p->unsettled = at->unsettled;
  return p->kind >= 0;
}

static ss_error judge_one(worker *w, ssi_atlas_point *p) {
  const ss_atlas_judge *judge = &w->s->run->o->judge;
  ss_atlas_states found = {0};
  SS_TRY(judge->find(judge->user, &w->ctx, p->x, p->y, &found));
  p->kind = ssi_kinds_find_states(&w->view, &found);
  p->unsettled = found.unsettled;
  if (judge->release) judge->release(judge->user, &found);
  return p->kind < 0 ? no_memory(w) : SS_OK;
}

static ss_error enumerate_one(worker *w, ssi_atlas_point *p) {
  ssi_atlas_run *run = w->s->run;
  ss_problem *problem = NULL;
  ss_solution_set *set = NULL;
  SS_TRY(run->problem(run->user, &w->ctx, p->x, p->y, &problem));
  ss_error e = SS_OK;
  if (problem->dim != 2)
    e = ssi_fail(
        &w->ctx, SS_ERR_UNSUPPORTED,
        "an atlas of solutions needs a problem in 2D, found dim = %d; one of statuses does not",
        problem->dim);
  ss_enumerate_options o = run->o->enumerate;
  o.progress = hurry, o.user = run;
  if (!e) e = ss_enumerate(&w->ctx, problem, &o, &set);
  if (!e) {
    p->kind = ssi_kinds_find(&w->view, set);
    p->unsettled = !set->rigorous;
    if (p->kind < 0) e = no_memory(w);
  }
  ss_solution_set_destroy(set);
  ss_problem_destroy(problem);
  return e;
}

static ss_error find_one(worker *w, ssi_atlas_point *p) {
  if (take_known(w, p)) {
    w->taken++;
    return SS_OK;
  }
  return w->s->run->o->judge.find ? judge_one(w, p) : enumerate_one(w, p);
}

// Kept if no earlier point failed, so that the message does not depend on the threads.
static void fail_at(worker *w, int64_t index, ss_error e) {
  shared *s = w->s;
  pthread_mutex_lock(&s->lock);
  if (index < atomic_load(&s->bad)) {
    atomic_store(&s->bad, index);
    s->error = e;
    memcpy(s->message, ss_error_detail(&w->ctx, e), strlen(ss_error_detail(&w->ctx, e)) + 1);
  }
  pthread_mutex_unlock(&s->lock);
}

static void report(shared *s) {
  ssi_atlas_run *run = s->run;
  ss_atlas_progress now = {.done = atomic_load(&s->done),
                           .wanted = s->count,
                           .round = run->round,
                           .time_s = ssi_now_s() - run->begin_s};
  if (run->o->progress && run->o->progress(run->o->user, &now)) atomic_store(&s->stop, true);
}

static void *work(void *argument) {
  worker *w = argument;
  shared *s = w->s;
  while (!atomic_load(&s->stop)) {
    int64_t from = atomic_fetch_add(&s->next, CHUNK), to = from + CHUNK;
    if (from >= s->count) break;
    if (to > s->count) to = s->count;
    for (int64_t k = from; k < to && k < atomic_load(&s->bad); k++) {
      if (ssi_time_is_over(s->run->end_s)) {
        atomic_store(&s->late, true);
        atomic_store(&s->stop, true);
        return NULL;
      }
      ss_error e = find_one(w, &s->points[k]);
      if (e) fail_at(w, k, e);
    }
    atomic_fetch_add(&s->done, to - from);
    if (w->reports) report(s);
  }
  return NULL;
}

static int thread_count(int wanted, int64_t points) {
  long processors = sysconf(_SC_NPROCESSORS_ONLN);
  int64_t threads = wanted > 0 ? wanted : processors > 0 ? processors : 1;
  int64_t useful = (points + CHUNK - 1) / CHUNK;
  if (threads > useful) threads = useful;
  return (int)(threads > THREADS_MOST ? THREADS_MOST : threads);
}

static void begin_worker(worker *w, shared *s, const ss_context *ctx) {
  *w = (worker){.s = s};
  if (ctx) w->ctx = (ss_context){.alloc = ctx->alloc, .release = ctx->release, .user = ctx->user};
  w->view = (ssi_kinds_view){.kinds = s->run->kinds, .ctx = &w->ctx};
}

static ss_error keep(ssi_atlas_run *run, const ssi_atlas_point *points, int64_t count) {
  ssi_atlas_record *r = run->record;
  size_t kept = (size_t)r->count, more = (size_t)count;
  if (!ssi_grow(run->ctx, &r->points, &r->room, kept + more, kept, sizeof *points))
    return ssi_atlas_no_memory(run->ctx);
  memcpy(r->points + kept, points, more * sizeof *points);
  r->count += count;
  return SS_OK;
}

ss_error ssi_atlas_evaluate(ssi_atlas_run *run, ssi_atlas_point *points, int64_t count) {
  if (count == 0) return SS_OK;
  int threads = thread_count(run->o->threads, count), started = 0;
  shared s = {.run = run, .points = points, .count = count};
  worker *workers = ssi_alloc(run->ctx, (size_t)threads, sizeof *workers);
  pthread_t *ids = ssi_alloc(run->ctx, (size_t)threads, sizeof *ids);
  if (!workers || !ids) {
    ssi_release(run->ctx, workers);
    ssi_release(run->ctx, ids);
    return ssi_fail(run->ctx, SS_ERR_MEMORY, "no memory for an atlas");
  }
  atomic_store(&s.bad, count);
  pthread_mutex_init(&s.lock, NULL);
  for (int t = 0; t < threads; t++) begin_worker(&workers[t], &s, run->ctx);
  // where a thread cannot be started the others do its work
  while (started + 1 < threads &&
         pthread_create(&ids[started], NULL, work, &workers[started + 1]) == 0)
    started++;
  workers[0].reports = true;
  work(&workers[0]);
  for (int t = 0; t < started; t++) pthread_join(ids[t], NULL);
  if (ssi_time_is_over(run->end_s)) atomic_store(&s.late, true);  // the last point was cut short
  if (atomic_load(&s.late)) run->late = true;
  if (atomic_load(&s.stop) || run->late) run->cancelled = true;
  run->problems += count;
  for (int t = 0; t < threads; t++) {
    run->taken += workers[t].taken;
    ssi_kinds_view_release(&workers[t].view);
  }
  pthread_mutex_destroy(&s.lock);
  ssi_release(run->ctx, workers);
  ssi_release(run->ctx, ids);
  if (s.error) return ssi_fail(run->ctx, s.error, "%s", s.message);
  return run->record && !run->cancelled ? keep(run, points, count) : SS_OK;
}
