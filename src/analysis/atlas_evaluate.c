// Points enumerated by several threads. Each takes the next few points that nobody has taken; what
// comes out is written where the point is, so that the order does not matter.
#include <stdatomic.h>
#include <string.h>

#include "analysis/atlas.h"
#include "base/crew.h"
#include "base/error.h"
#include "base/timer.h"

enum { CHUNK = 64 };

typedef struct evaluation {
  ssi_atlas_run *run;
  ssi_atlas_point *points;
  int64_t count;
  atomic_llong next, done, taken;
  atomic_bool late;
} evaluation;

typedef struct finder {
  evaluation *s;
  ssi_crew_member *member;
  ssi_kinds_view view;
  int64_t taken;  // of what is known already
} finder;

// One problem may take longer than anyone waits, or than all the time there is: its round is not used.
static int hurry(void *user, const ss_enumerate_progress *now) {
  const finder *w = user;
  (void)now;
  return ssi_crew_stopped(w->member) || ssi_time_is_over(w->s->run->end_s);
}

static ss_error no_memory(finder *w) {
  return ssi_fail(&w->member->ctx, SS_ERR_MEMORY, "no memory for an atlas");
}

// false: not known, or no memory for its kind, which then is found again.
static bool take_known(finder *w, ssi_atlas_point *p) {
  const ss_atlas_known *known = w->s->run->o->known;
  const ssi_known_point *at = known ? ssi_known_at(known, p->x, p->y) : NULL;
  if (!at) return false;
  size_t length;
  const unsigned char *bytes = ssi_kinds_bytes(ssi_known_kinds(known), at->kind, &length);
  p->kind = ssi_kinds_find_bytes(&w->view, bytes, length);
  p->unsettled = at->unsettled;
  return p->kind >= 0;
}

static ss_error judge_one(finder *w, ssi_atlas_point *p) {
  const ss_atlas_judge *judge = &w->s->run->o->judge;
  ss_atlas_states found = {0};
  SS_TRY(judge->find(judge->user, &w->member->ctx, p->x, p->y, &found));
  p->kind = ssi_kinds_find_states(&w->view, &found);
  p->unsettled = found.unsettled;
  if (judge->release) judge->release(judge->user, &found);
  return p->kind < 0 ? no_memory(w) : SS_OK;
}

static ss_error enumerate_one(finder *w, ssi_atlas_point *p) {
  ssi_atlas_run *run = w->s->run;
  ss_problem *problem = NULL;
  ss_solution_set *set = NULL;
  SS_TRY(run->problem(run->user, &w->member->ctx, p->x, p->y, &problem));
  ss_error e = SS_OK;
  if (problem->dim != 2)
    e = ssi_fail(
        &w->member->ctx, SS_ERR_UNSUPPORTED,
        "an atlas of solutions needs a problem in 2D, found dim = %d; one of statuses does not",
        problem->dim);
  ss_enumerate_options o = run->o->enumerate;
  o.progress = hurry, o.user = w;
  if (!e) e = ss_enumerate(&w->member->ctx, problem, &o, &set);
  if (!e) {
    p->kind = ssi_kinds_find(&w->view, set);
    p->unsettled = !set->rigorous;
    if (p->kind < 0) e = no_memory(w);
  }
  ss_solution_set_destroy(set);
  ss_problem_destroy(problem);
  return e;
}

static ss_error find_one(finder *w, ssi_atlas_point *p) {
  if (take_known(w, p)) {
    w->taken++;
    return SS_OK;
  }
  return w->s->run->o->judge.find ? judge_one(w, p) : enumerate_one(w, p);
}

static int report(void *user) {
  const evaluation *s = user;
  const ssi_atlas_run *run = s->run;
  ss_atlas_progress now = {.done = atomic_load(&s->done),
                           .wanted = s->count,
                           .round = run->round,
                           .time_s = ssi_now_s() - run->begin_s};
  return run->o->progress && run->o->progress(run->o->user, &now);
}

// false: the rest is not wanted.
static bool find_some(finder *w, int64_t from, int64_t to) {
  evaluation *s = w->s;
  ssi_crew *crew = w->member->crew;
  for (int64_t k = from; k < to && k < atomic_load(&crew->bad); k++) {
    if (ssi_crew_stopped(w->member)) return false;
    if (ssi_time_is_over(s->run->end_s)) {
      atomic_store(&s->late, true);
      atomic_store(&crew->stop, true);
      return false;
    }
    ss_error e = find_one(w, &s->points[k]);
    if (e) ssi_crew_fail(w->member, k, e);
    atomic_fetch_add(&s->done, 1);
  }
  return !ssi_crew_ask(w->member);
}

static void work(ssi_crew_member *member) {
  evaluation *s = member->crew->user;
  finder w = {.s = s, .member = member};
  w.view = (ssi_kinds_view){.kinds = s->run->kinds, .ctx = &member->ctx};
  for (int64_t from; (from = atomic_fetch_add(&s->next, CHUNK)) < s->count;) {
    int64_t to = from + CHUNK < s->count ? from + CHUNK : s->count;
    if (!find_some(&w, from, to)) break;
  }
  atomic_fetch_add(&s->taken, w.taken);
  ssi_kinds_view_release(&w.view);
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
  evaluation s = {.run = run, .points = points, .count = count};
  ssi_crew crew = {.ctx = run->ctx, .count = count, .work = work, .ask = report, .user = &s};
  ss_error e = ssi_crew_run(&crew, ssi_crew_size(run->o->threads, (count + CHUNK - 1) / CHUNK));
  if (ssi_time_is_over(run->end_s)) atomic_store(&s.late, true);  // the last point was cut short
  if (atomic_load(&s.late)) run->late = true;
  if (atomic_load(&crew.stop) || run->late) run->cancelled = true;
  run->problems += count;
  run->taken += atomic_load(&s.taken);
  if (e) return e;
  return run->record && !run->cancelled ? keep(run, points, count) : SS_OK;
}
