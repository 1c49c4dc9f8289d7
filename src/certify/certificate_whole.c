// A certificate judged component by component. One component says what the whole says
// (certify/join.h); the others must be proved to be no worse than that.
#include <string.h>

#include "base/error.h"
#include "certify/certificate_check.h"
#include "certify/join.h"

typedef struct component {
  ss_problem p;
  ss_certificate c;  // its evidence
  ss_certificate_report r;
  ssi_proved is;
} component;

static int find_least(ssi_arena *arena, const component *part, int count) {
  ssi_judged *judged = SSI_TAKE(arena, count, ssi_judged);
  for (int k = 0; judged && k < count; k++) judged[k] = (ssi_judged){part[k].r, part[k].is};
  return judged ? ssi_least_component(judged, count) : -1;
}

static ss_error judge_component(ss_context *ctx, ssi_arena *arena, const ss_problem *p,
                                const ssi_partition *x, int k, const ss_certificate *c,
                                component *out) {
  SS_TRY(ssi_cut(arena, p, x, k, &out->p));
  SS_TRY(ssi_certificate_cut(arena, p, x, k, c, &out->c));
  SS_TRY(ssi_certificate_measure(ctx, &out->p, &out->c, &out->r));
  out->is = ssi_certificate_proves(&out->p, &out->c, &out->r);
  return SS_OK;
}

// All that the whole claims, of the component that it is said of.
static ss_error claim(ssi_arena *arena, const ssi_partition *x, int k, const ss_certificate *whole,
                      component *a) {
  ss_certificate evidence = a->c;
  int *jamming = SSI_TAKE(arena, whole->jamming_count, int), count = 0;
  if (whole->jamming_count && !jamming) return SS_ERR_MEMORY;
  for (int i = 0; i < whole->jamming_count; i++) {
    int contact = whole->jamming[i];
    if (contact < 0 || contact >= x->begin[1] || x->part[contact] != k) continue;
    jamming[count++] = x->number[contact];
  }
  a->c = *whole;
  a->c.velocity_size = evidence.velocity_size;
  a->c.velocity = evidence.velocity, a->c.direction = evidence.direction;
  a->c.parting = evidence.parting;
  a->c.impulse = evidence.impulse, a->c.impulse_l = evidence.impulse_l;
  a->c.lambda = evidence.lambda, a->c.lambda_l = evidence.lambda_l;
  a->c.indefinite = evidence.indefinite;
  a->c.solution = evidence.solution;
  a->c.jamming = whole->jamming ? jamming : NULL;
  a->c.jamming_count = count;
  return SS_OK;
}

// What a component that is not the worst must be for the claims of the whole.
static const char *falls_short(const ss_certificate *c, const component *a) {
  bool theorem = !a->r.outside_class && !a->is.indefinite;
  if (c->verdict == SS_EXISTS && !a->is.solution && !(a->is.exists && theorem))
    return "verdict: a component's velocity does not satisfy criterion (A)";
  if (c->criterion_A == SS_CRITERION_ROBUST && !a->is.robust && !a->is.every_w)
    return "criterion_A: a component's velocity has no positive margin";
  if (c->for_every_w == SS_YES && !a->is.every_w)
    return "for_every_w: a component's direction does not separate all its contacts";
  if (c->a_prime == SS_YES && !a->is.parting && !a->is.exists)
    return "a_prime.holds: no velocity shows it for a component";
  return NULL;
}

// Where another component than that of the margin decides: its multipliers are the proof.
static const char *decided_elsewhere(const ss_certificate *whole, const component *part, int count,
                                     component *least) {
  if (whole->verdict != SS_NONE || least->is.none) return NULL;
  for (int k = 0; k < count; k++) {
    const component *a = &part[k];
    bool penetrates = whole->reason == SS_REASON_PENETRATION && a->c.lambda;
    bool contradicts = whole->reason == SS_REASON_BILATERAL && !a->c.lambda && a->c.lambda_l;
    if (a == least || !a->is.none || a->is.exists || !(penetrates || contradicts)) continue;
    least->c.verdict = SS_UNDECIDED;
    bool blurred = least->p.form == SS_REDUCED && least->r.equilibrium > 0;
    least->c.reason = least->is.violated && !blurred ? SS_REASON_VIOLATED : SS_REASON_DATA;
    least->c.a_prime = SS_UNKNOWN;
    least->c.parting = NULL;
    return NULL;
  }
  return "verdict: the multipliers do not exclude a solution";
}

// The component of the entries of r and l that are not zero: NOWHERE, or SEVERAL.
enum { NOWHERE = -1, SEVERAL = -2 };

static int home(const ss_problem *p, const ssi_partition *x, int size, const double *r,
                const double *l) {
  int found = NOWHERE;
  for (int i = 0; i < (r ? size * p->nc : 0) + (l ? p->nl : 0); i++) {
    int joint = r ? i - size * p->nc : i;
    if ((joint < 0 ? r[i] : l[joint]) == 0) continue;
    int k = x->part[joint < 0 ? i / size : x->begin[SSI_JOINTS] + joint];
    if (found == NOWHERE) found = k;
    if (found != k) return SEVERAL;
  }
  return found;
}

// Impulses and multipliers are those of one component each: what is left over elsewhere nobody judges.
static const char *strays(const ss_problem *p, const ssi_partition *x, const ss_certificate *whole,
                          int worst, const component *says) {
  if (whole->jamming && whole->jamming_count != says->c.jamming_count)
    return "jamming.contacts: are not all of one component";
  if (whole->impulse && home(p, x, p->dim, whole->impulse, whole->impulse_l) != worst)
    return "jamming.impulse: is not all of the component that it limits";
  return home(p, x, 1, whole->lambda, whole->lambda_l) == SEVERAL
             ? "a_prime.lambda: is not all of one component"
             : NULL;
}

static ss_error check_parts(ss_context *ctx, ssi_arena *arena, const ss_problem *p,
                            const ssi_partition *x, const ss_certificate *c,
                            ss_certificate_report *out, const char **what) {
  component *part = SSI_TAKE(arena, x->count, component);
  if (!part) return SS_ERR_MEMORY;
  for (int k = 0; k < x->count; k++) SS_TRY(judge_component(ctx, arena, p, x, k, c, &part[k]));
  int worst = find_least(arena, part, x->count);
  if (worst < 0) return SS_ERR_MEMORY;
  component *says = &part[worst];
  SS_TRY(claim(arena, x, worst, c, says));
  *what = decided_elsewhere(c, part, x->count, says);
  if (!*what) *what = ssi_certificate_missing(&says->p, &says->c, &says->r);
  if (!*what) *what = strays(p, x, c, worst, says);
  for (int k = 0; k < x->count && !*what; k++)
    if (k != worst) *what = falls_short(c, &part[k]);
  *out = says->r;
  if (out->worst_contact >= 0)
    out->worst_contact = ssi_part_members(x, SSI_CONTACTS, worst)[out->worst_contact];
  return SS_OK;
}

ss_error ssi_certificate_check_definite(ss_context *ctx, const ss_problem *p,
                                        const ss_certificate *c, ss_certificate_report *out) {
  ssi_arena arena = {.ctx = ctx};
  ssi_partition x;
  const char *what = NULL;
  ss_error e = ssi_partition_by_components(&arena, p, &x) ? SS_OK : SS_ERR_MEMORY;
  if (!e && x.count > 1) {
    e = check_parts(ctx, &arena, p, &x, c, out, &what);
  } else if (!e) {
    e = ssi_certificate_measure(ctx, p, c, out);
    if (!e) what = ssi_certificate_missing(p, c, out);
  }
  ssi_arena_release(&arena);
  if (e) return e == SS_ERR_MEMORY ? ssi_fail(ctx, e, "out of memory to check a certificate") : e;
  out->holds = !what;
  if (what) {
    size_t n = strlen(what);
    memcpy(out->failure, what, n < sizeof out->failure ? n : sizeof out->failure - 1);
  }
  return SS_OK;
}
