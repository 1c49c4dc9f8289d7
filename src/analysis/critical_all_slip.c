// The smallest root over patterns in which every contact slips, forwards or backwards: 2^n determinants in place
// of 4^n [Agw20, 6.1]. Reversing all slips turns mu into -mu, so 2^(n-1) eigenvalue problems give all of them.
// An upper bound of the critical friction, which it need not be: free or sticking contacts may do with less.
#include <math.h>
#include <string.h>

#include "analysis/critical.h"
#include "base/error.h"
#include "base/timer.h"

enum { MOST = 24, LOOK_EVERY = 64 };

typedef struct all_slip {
  const ss_critical_options *o;
  ssi_roots *roots;
  unsigned char *now;  // (n)
  double end_s;
  ss_critical_value *v;
  bool cancelled;
} all_slip;

static bool is_over(all_slip *j, double done, double total) {
  ss_critical_progress now = {SS_SIMPLIFIED, done, total, j->v->upper};
  if (j->o->progress && j->o->progress(j->o->user, &now)) j->cancelled = true;
  return j->cancelled || ssi_time_is_over(j->end_s);
}

// Contact 0 slips forwards; bit k of `index` is the way of contact k + 1.
static void decode(int n, long long index, bool reversed, unsigned char *pattern) {
  for (int i = 0; i < n; i++) {
    bool minus = (i > 0 && index >> (i - 1) & 1) != reversed;
    pattern[i] = minus ? SS_PATTERN_SLIP_MINUS : SS_PATTERN_SLIP_PLUS;
  }
}

static ss_error look_at_part(ss_context *ctx, all_slip *j, const ssi_critical_part *p,
                             unsigned char *pattern) {
  long long total = 1LL << (p->n - 1);
  for (long long index = 0; index < total; index++) {
    if (index % LOOK_EVERY == 0 && is_over(j, (double)index, (double)total))
      return j->v->exact = false, SS_OK;
    decode(p->n, index, false, j->now);
    double root = ssi_pattern_root(j->roots, p, j->now, true);
    if (isnan(root))
      return ssi_fail(ctx, SS_ERR_LINEAR, "eigenvalues of a pattern did not converge");
    j->v->patterns += 2;
    if (root >= j->v->upper) continue;
    j->v->upper = root;
    double plus = ssi_pattern_root(j->roots, p, j->now, false);
    if (!(plus <= root)) decode(p->n, index, true, j->now);
    for (int i = 0; i < p->n; i++) pattern[p->contact[i]] = j->now[i];
  }
  return SS_OK;
}

static ss_error look_at_all(ss_context *ctx, const ss_problem *p, const ss_critical_options *o,
                            ssi_arena *arena, ss_critical_value *out, unsigned char *pattern) {
  ssi_critical_parts parts;
  SS_TRY(ssi_critical_parts_create(ctx, p, o->scale_mu, arena, &parts));
  if (parts.largest > MOST)
    return ssi_fail(ctx, SS_ERR_METHOD, "%d contacts hang together, expected at most %d",
                    parts.largest, MOST);
  all_slip j = {.o = o,
                .roots = ssi_roots_create(arena, parts.largest),
                .now = SSI_TAKE(arena, parts.largest + 1, unsigned char),
                .end_s = ssi_now_s() + o->time_limit_s,
                .v = out};
  if (arena->failed) return ssi_fail(ctx, SS_ERR_MEMORY, "out of memory for %d contacts", p->nc);
  for (int k = 0; k < parts.count && out->exact; k++)
    SS_TRY(look_at_part(ctx, &j, &parts.part[k], pattern));
  return SS_OK;
}

ss_error ss_critical_all_slip(ss_context *ctx, const ss_problem *p, const ss_critical_options *o,
                              ss_critical_value *out, unsigned char *pattern) {
  if (!p || !out || !pattern)
    return ssi_fail(ctx, SS_ERR_ARGUMENT, "ss_critical_all_slip: null argument");
  ss_critical_options usual = ss_critical_options_default();
  ssi_arena arena = {.ctx = ctx};
  *out = (ss_critical_value){.computed = true, .exact = true, .mu = NAN, .upper = INFINITY};
  memset(pattern, SS_PATTERN_STICK, (size_t)p->nc);
  ss_error e = look_at_all(ctx, p, o ? o : &usual, &arena, out, pattern);
  ssi_arena_release(&arena);
  if (isfinite(out->upper)) out->pattern = pattern;
  if (out->exact) out->mu = out->lower = out->upper;
  return e;
}
