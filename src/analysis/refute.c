// Is there no solution: ss_refute. Parts (contacts that are coupled by W) are searched one by one, small ones
// first: one that is refuted refutes the whole; one solution of each is a solution of the whole, if it verifies.
#include <math.h>
#include <string.h>

#include "analysis/refute.h"
#include "base/error.h"
#include "base/timer.h"
#include "cone/nearest.h"
#include "problem/check.h"

enum { ROWS = 900, CONTACTS = 40 };  // largest m; most contacts of a part that is searched
enum { HALVINGS = 20, LEFT_MOST = 8 };
static const double ENTRIES = 4e6;  // largest ndof m
static const double SAME = 1e-6;    // relative distance of two answers that are one

typedef struct refutation {
  ss_refutation out;
  ssi_arena arena;
} refutation;

#define WORD(name, word, text) word,
#define TEXT(name, word, text) text,
static const char *const words[] = {SS_REFUTE_REASONS(WORD)};
static const char *const texts[] = {SS_REFUTE_REASONS(TEXT)};
#undef WORD
#undef TEXT
enum { REASONS = sizeof words / sizeof *words };

const char *ss_refute_reason_name(ss_refute_reason r) {
  return r >= 0 && (int)r < REASONS ? words[r] : "?";
}

const char *ss_refute_reason_text(ss_refute_reason r) {
  return r >= 0 && (int)r < REASONS ? texts[r] : "?";
}

ss_refute_options ss_refute_options_default(void) {
  return (ss_refute_options){.max_cells = 100000, .reach = INFINITY, .tol = 1e-9, .solve = true};
}

static ss_error check_arguments(ss_context *ctx, const ss_problem *p, const ss_refute_options *o) {
  if (!p) return ssi_fail(ctx, SS_ERR_ARGUMENT, "no problem given");
  if (o->max_cells < 1)
    return ssi_fail(ctx, SS_ERR_ARGUMENT, "max_cells is %lld, expected >= 1",
                    (long long)o->max_cells);
  if (!(o->reach >= 1))
    return ssi_fail(ctx, SS_ERR_ARGUMENT, "reach is %g, expected >= 1", o->reach);
  if (!(o->tol > 0)) return ssi_fail(ctx, SS_ERR_ARGUMENT, "tol is %g, expected > 0", o->tol);
  return ssi_problem_check_data(ctx, p);
}

// ---- solutions -------------------------------------------------------------------------------

// r counts if it verifies and is within the reach that refutations must have: so that the two exclude each
// other. Beyond, an answer hangs on numbers of the data that are the rounding of others.
static ss_error is_solution(ss_context *ctx, const ssi_refute_data *d, const ss_refute_options *o,
                            const double *r, bool *yes, double *error) {
  ss_verdict v;
  SS_TRY(ss_verify(ctx, d->p, &(ss_solution){.r = r}, NULL, NULL, NULL, NULL, &v));
  *error = v.error;
  *yes = v.error <= o->tol;
  for (int i = 0; i < d->p->nc; i++) *yes = *yes && !(r[d->p->dim * i] > o->reach * d->R[i]);
  return SS_OK;
}

static ss_error offer_solution(ss_context *ctx, const ssi_refute_data *d,
                               const ss_refute_options *o, const double *r, ss_refutation *out) {
  double error;
  bool yes;
  SS_TRY(is_solution(ctx, d, o, r, &yes, &error));
  if (!yes) return SS_OK;
  out->verdict = SS_EXISTS, out->reason = SS_REFUTE_SOLUTION;
  out->solution = r, out->error = error;
  return SS_OK;
}

static bool is_known(const double *answers, int count, const double r[3]) {
  for (int k = 0; k < count; k++) {
    double far = 0, size = 0;
    for (int l = 0; l < 3; l++) {
      far = fmax(far, fabs(answers[3 * k + l] - r[l]));
      size = fmax(size, fmax(fabs(answers[3 * k + l]), fabs(r[l])));
    }
    if (far <= SAME * size) return true;
  }
  return false;
}

// All answers of one contact in 3D, docs/theory.md (13'), those that verify.
static ss_error list_answers(ss_context *ctx, ssi_arena *arena, const ssi_refute_data *d,
                             const ss_refute_options *o, ss_refutation *out) {
  ssi_answers all = {0};
  ssi_nearest best = {.all = &all};
  ssi_contact c;
  const double zero[3] = {0}, *q = d->q;
  double *kept = SSI_TAKE(arena, 3 * (SSI_ANSWERS + 1), double), error;
  bool yes;
  if (!kept) return ssi_fail(ctx, SS_ERR_MEMORY, "no memory for the answers");
  ssi_contact_prepare(&c, 3, d->W, d->p->mu[0], d->lambda[0]);
  double bn = q[0] * c.inverse_w;
  const double rest[2] = {q[1] - c.c[0] * bn, q[2] - c.c[1] * bn};
  if (c.inverse_w > 0 && c.mu > 0) ssi_contact_answers3(&c, q, rest, bn, zero, &best);
  double pressed[3] = {fmax(-bn, 0), 0, 0};  // take-off, or mu = 0
  ssi_nearest_offer(&best, 3, zero, pressed, SSI_CONTACT_FREE, 0);
  for (int k = 0; k < all.count; k++) {
    if (is_known(kept, out->answer_count, all.r[k])) continue;
    SS_TRY(is_solution(ctx, d, o, all.r[k], &yes, &error));
    if (yes) memcpy(kept + 3 * out->answer_count++, all.r[k], 3 * sizeof(double));
  }
  out->answers = kept;
  return out->answer_count ? offer_solution(ctx, d, o, kept, out) : SS_OK;
}

// ---- parts -----------------------------------------------------------------------------------

static bool coupled(const ssi_refute_data *d, int i, int j) {
  int dim = d->p->dim;
  for (int k = 0; k < dim; k++)
    for (int l = 0; l < dim; l++)
      if (d->W[(size_t)(dim * i + k) * (size_t)d->m + (size_t)(dim * j + l)] != 0 ||
          d->W[(size_t)(dim * j + l) * (size_t)d->m + (size_t)(dim * i + k)] != 0)
        return true;
  return false;
}

static void flood(const ssi_refute_data *d, int from, int part, int *part_of, int *queue) {
  int first = 0, last = 0;
  part_of[from] = part;
  queue[last++] = from;
  while (first < last) {
    int i = queue[first++];
    for (int j = 0; j < d->p->nc; j++)
      if (part_of[j] < 0 && coupled(d, i, j)) part_of[j] = part, queue[last++] = j;
  }
}

static int number_parts(const ssi_refute_data *d, int *part_of, int *queue) {
  int parts = 0;
  for (int i = 0; i < d->p->nc; i++) part_of[i] = -1;
  for (int i = 0; i < d->p->nc; i++)
    if (part_of[i] < 0) flood(d, i, parts++, part_of, queue);
  return parts;
}

// The first part of the given size after `part`, its contacts in list; -1: none.
static int next_part(const ss_refutation *out, int nc, int part, int size, int *list) {
  while (++part < out->parts) {
    int n = 0;
    for (int i = 0; i < nc; i++)
      if (out->part_of[i] == part) list[n++] = i;
    if (n == size) return part;
  }
  return -1;
}

typedef struct refute_parts {
  ss_context *ctx;
  const ss_refute_options *o;
  const ssi_refute_data *d;
  ss_refutation *out;
  double begin_s, *r, *starts;
  int *list;
  bool all_solved;
} refute_parts;

static ss_error search_part(refute_parts *s, int number, int n) {
  ss_refutation *out = s->out;
  ssi_refute_part part = {.ctx = s->ctx, .o = s->o, .d = s->d, .n = n, .contact = s->list};
  part.begin_s = s->begin_s, part.cells_most = s->o->max_cells - out->cells;
  part.required = s->d->p->form == SS_GLOBAL ? s->o->reach : INFINITY;
  part.halvings = HALVINGS, part.left_most = LEFT_MOST;
  part.r = s->r, part.starts = s->starts;
  SS_TRY(ssi_refute_search(&part));
  out->cells += part.cells;
  out->left += part.left;
  if (part.start_count) out->start_count = part.start_count, out->starts = s->starts;
  if (part.refuted) {
    out->verdict = SS_NONE, out->reason = SS_REFUTE_ALL_CELLS;
    out->reach = part.reach, out->part = number;
  } else if (!part.solved) {
    if (s->all_solved) out->reason = part.stopped;  // the first part that is open says why
    s->all_solved = false;
  }
  return SS_OK;
}

static ss_error search_parts(refute_parts *s) {
  int nc = s->d->p->nc;
  for (int size = 1; size <= nc; size++)
    for (int k = next_part(s->out, nc, -1, size, s->list); k >= 0;
         k = next_part(s->out, nc, k, size, s->list)) {
      if (size > CONTACTS) {
        if (s->all_solved) s->out->reason = SS_REFUTE_SIZE;
        return SS_OK;
      }
      SS_TRY(search_part(s, k, size));
      if (s->out->verdict == SS_NONE || s->out->cells >= s->o->max_cells) return SS_OK;
    }
  if (!s->all_solved) return SS_OK;
  s->out->reason = SS_REFUTE_DATA;  // unless what the parts found verifies together
  return offer_solution(s->ctx, s->d, s->o, s->r, s->out);
}

// ---- the call --------------------------------------------------------------------------------

static ss_error decide(ss_context *ctx, const ss_problem *p, const ss_refute_options *o,
                       double begin_s, ssi_arena *arena, ssi_arena *scratch, ss_refutation *out) {
  ssi_refute_data d;
  double m = (double)p->dim * p->nc, ndof = p->form == SS_GLOBAL ? p->ndof : 0;
  out->verdict = SS_UNDECIDED, out->reason = SS_REFUTE_SIZE;
  out->error = NAN, out->reach = INFINITY;
  if (m > ROWS || m * ndof > ENTRIES || ndof * p->nl > ENTRIES) return SS_OK;
  double *r = SSI_TAKE(arena, m, double);
  double *starts = SSI_TAKE(arena, m * SS_REFUTE_STARTS, double);
  int *part_of = SSI_TAKE(arena, p->nc, int), *list = SSI_TAKE(scratch, p->nc, int);
  if (arena->failed || scratch->failed)
    return ssi_fail(ctx, SS_ERR_MEMORY, "no memory for the states");
  SS_TRY(ssi_refute_gather(ctx, scratch, p, &d));
  out->reason = SS_REFUTE_DATA;
  if (!d.defined) return SS_OK;
  SS_TRY(offer_solution(ctx, &d, o, r, out));  // r = 0
  out->parts = number_parts(&d, part_of, list);
  out->part_of = part_of;
  if (p->dim == 3 && p->nc == 1 && p->nl == 0) SS_TRY(list_answers(ctx, arena, &d, o, out));
  if (out->verdict == SS_EXISTS) return SS_OK;
  refute_parts s = {ctx, o, &d, out, begin_s, r, starts, list, true};
  return search_parts(&s);
}

ss_error ss_refute(ss_context *ctx, const ss_problem *p, const ss_refute_options *o,
                   ss_refutation **out) {
  if (!out) return ssi_fail(ctx, SS_ERR_ARGUMENT, "nowhere to put the verdict");
  *out = NULL;
  ss_refute_options options = o ? *o : ss_refute_options_default();
  SS_TRY(check_arguments(ctx, p, &options));
  double begin = ssi_now_s();
  ssi_arena arena = {.ctx = ctx}, scratch = {.ctx = ctx};
  refutation *a = SSI_TAKE(&arena, 1, refutation);
  if (!a) return ssi_fail(ctx, SS_ERR_MEMORY, "no memory for the verdict");
  ss_error e = decide(ctx, p, &options, begin, &arena, &scratch, &a->out);
  ssi_arena_release(&scratch);
  a->arena = arena;
  a->out.time_s = ssi_now_s() - begin;
  if (e) return ss_refutation_destroy(&a->out), e;
  *out = &a->out;
  return SS_OK;
}

void ss_refutation_destroy(ss_refutation *a) {
  if (!a) return;
  ssi_arena_release_home(((refutation *)a)->arena);
}
