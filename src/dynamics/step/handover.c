// What one solve hands to the next, within a step and from step to step: reactions are remembered and recalled as
// the guess, and contacts that an answer closes are added to the list.
//
// Contacts are the same from one list to the next when their bodies and key are; all lists are sorted by these.
#include <string.h>

#include "base/error.h"
#include "dynamics/step/step.h"
#include "la/vec3.h"

int ssi_contact_order(int a, int b, uint64_t key, const ss_contact *c) {
  if (a != c->a) return a < c->a ? -1 : 1;
  if (b != c->b) return b < c->b ? -1 : 1;
  return key < c->key ? -1 : key > c->key;
}

static int touch_order(const ssi_touch *t, const ss_contact *c) {
  return ssi_contact_order(t->c.a, t->c.b, t->c.key, c);
}

const ss_contact *ssi_contact_find(const ss_contacts *list, const ss_contact *c, int *at) {
  for (; *at < list->count; ++*at) {
    const ss_contact *f = list->contact + *at;
    int sign = ssi_contact_order(f->a, f->b, f->key, c);
    if (sign >= 0) return sign ? NULL : f;
  }
  return NULL;
}

const ssi_remembered *ssi_memory_find(const ssi_memory *m, const ss_contact *c, int *at) {
  for (; *at < m->count; ++*at) {
    const ssi_remembered *r = m->list + *at;
    int sign = ssi_contact_order(r->a, r->b, r->key, c);
    if (sign >= 0) return sign ? NULL : r;
  }
  return NULL;
}

bool ssi_memory_reserve(ss_context *ctx, ssi_memory *m, int count) {
  m->count = 0;
  if (count <= m->capacity) return true;
  int capacity = count + count / 2;
  ssi_remembered *more = ssi_alloc(ctx, (size_t)capacity, sizeof *more);
  if (!more) return false;
  ssi_release(ctx, m->list);
  m->list = more;
  m->capacity = capacity;
  return true;
}

// Impulses grow with the step.
void ssi_recall(const ssi_world *w, const ssi_state *s, const ssi_step *step, double *guess) {
  double scale = s->now.last_h > 0 ? step->h / s->now.last_h : 0;
  int at = 0;
  for (int i = 0; i < step->touch_count; i++) {
    const ssi_touch *t = step->touch + i;
    double *r = guess + (size_t)i * w->dim;
    const ssi_remembered *last = ssi_memory_find(&s->memory, &t->c, &at);
    for (int k = 0; k < w->dim; k++) r[k] = last ? scale * ssi_dot3(t->e[k], last->impulse) : 0;
    if (r[0] < 0) memset(r, 0, sizeof(double) * (size_t)w->dim);
  }
}

// taken: of the answer that the step is made with; else of one on the way to it, which leaves what is `held` alone.
ss_error ssi_remember(const ssi_world *w, const ssi_step *step, bool taken, ssi_state *s) {
  if (!ssi_memory_reserve(w->ctx, &s->memory, step->touch_count))
    return ssi_fail(w->ctx, SS_ERR_MEMORY, "no memory for %d contacts", step->touch_count);
  for (int i = 0; i < step->touch_count; i++) {
    const ssi_touch *t = step->touch + i;
    const double *r = step->r + (size_t)i * w->dim;
    if (r[0] == 0) continue;
    ssi_remembered *m = s->memory.list + s->memory.count++;
    *m = (ssi_remembered){.a = t->c.a, .b = t->c.b, .key = t->c.key};
    m->held = taken || t->held;
    double closed = step->h * (ssi_touch_term(t) - t->bow);
    m->gap = t->c.gap - (taken ? closed : t->lost);
    for (int k = 0; k < w->dim; k++) ssi_add3(m->impulse, r[k], t->e[k], m->impulse);
  }
  s->now.last_h = step->h;
  return SS_OK;
}

void ssi_forget_impulses(ssi_memory *m) {
  for (int k = 0; k < m->count; k++) memset(m->list[k].impulse, 0, sizeof m->list[k].impulse);
}

// Contacts that v_new closes by more than `allowed` and that are not in the list yet; where there are any,
// those that it nearly closes too. Both lists are sorted, and so is the one they make together.
ss_error ssi_extend_find(const ssi_world *w, const ssi_state *s, ssi_step *step, ssi_touch **out,
                         int *total, bool *missed) {
  ss_contacts found;
  ssi_touch *old = step->touch, *all;
  int old_count = step->touch_count, at = 0, count = 0;
  *missed = false;
  SS_TRY(ssi_find_contacts(w, s, true, step, &found));
  SS_TRY(ssi_take_touches(w, step, old_count + found.count, &all));
  for (int i = 0; i < found.count; i++) {
    const ss_contact *c = found.contact + i;
    while (at < old_count && touch_order(old + at, c) < 0) all[count++] = old[at++];
    if (at < old_count && touch_order(old + at, c) == 0) continue;
    double ahead;
    (void)ssi_touch_make(w, s, step, c, NULL, step->v_new, all + count, &ahead);
    *missed = *missed || ahead < -w->length.allowed;
    if (ahead <= w->length.spare) count++;
  }
  while (at < old_count) all[count++] = old[at++];
  *out = all;
  *total = count;
  return SS_OK;
}

void ssi_extend_take(ssi_step *step, ssi_touch *all, int count) {
  step->touch = all;
  step->touch_count = count;
}

ss_error ssi_extend(const ssi_world *w, const ssi_state *s, ssi_step *step, int *added) {
  ssi_touch *all;
  int count;
  bool missed;
  SS_TRY(ssi_extend_find(w, s, step, &all, &count, &missed));
  *added = missed ? count - step->touch_count : 0;
  if (*added) ssi_extend_take(step, all, count);
  return SS_OK;
}
