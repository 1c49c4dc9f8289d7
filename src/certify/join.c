#include "certify/join.h"

#include <math.h>
#include <string.h>

#include "base/error.h"

int ssi_severity(const ssi_proved *is) {
  if (is->solution) return 3;
  if (is->none && !is->exists) return 0;
  if (is->violated && !is->exists) return 1;
  if (!is->exists || is->violated) return 2;
  return is->robust || is->every_w ? 4 : 3;
}

static double margin_of(const ssi_judged *a) {
  return a->is.every_w || !a->r.has_velocity ? INFINITY : a->r.margin_low;
}

// Of what is said of (A): its failing alone is no worse for what (A') says. Joints that contradict each other leave
// no motion at all.
static int severity(const ssi_judged *a) {
  ssi_proved is = a->is;
  if (is.contradictory) return -1;
  bool outside = a->r.outside_class || is.indefinite;
  if (outside) is.exists = is.violated = false;
  is.none = is.solution = false;
  return 2 * ssi_severity(&is) - outside;
}

int ssi_least_component(const ssi_judged *part, int count) {
  int least = 0;
  for (int k = 1; k < count; k++) {
    int a = severity(&part[k]), b = severity(&part[least]);
    if (a < b || (a == b && margin_of(&part[k]) < margin_of(&part[least]))) least = k;
  }
  return least;
}

// ---- vectors -------------------------------------------------------------------------------

double *ssi_cut_velocity(ssi_arena *arena, const ss_problem *p, const ssi_partition *x, int k,
                         const double *whole) {
  if (!whole) return NULL;
  if (p->form == SS_GLOBAL) return ssi_cut_vector(arena, x, SSI_DOFS, 1, k, whole);
  size_t rows = (size_t)p->dim * (size_t)ssi_part_size(x, SSI_CONTACTS, k);
  size_t joints = (size_t)ssi_part_size(x, SSI_JOINTS, k);
  double *part = SSI_TAKE(arena, rows + joints, double);
  const double *z = ssi_cut_vector(arena, x, SSI_CONTACTS, p->dim, k, whole);
  const double *l = ssi_cut_vector(arena, x, SSI_JOINTS, 1, k, whole + p->dim * p->nc);
  if (arena->failed) return NULL;
  memcpy(part, z, sizeof *part * rows);
  memcpy(part + rows, l, sizeof *part * joints);
  return part;
}

void ssi_cut_velocity_return(const ss_problem *p, const ssi_partition *x, int k, const double *part,
                             double *whole) {
  if (p->form == SS_GLOBAL) {
    ssi_cut_return(x, SSI_DOFS, 1, k, part, whole);
    return;
  }
  int rows = p->dim * ssi_part_size(x, SSI_CONTACTS, k);
  ssi_cut_return(x, SSI_CONTACTS, p->dim, k, part, whole);
  ssi_cut_return(x, SSI_JOINTS, 1, k, part + rows, whole + p->dim * p->nc);
}

static bool is_zero(const double *x, int count) {
  for (int i = 0; x && i < count; i++)
    if (x[i] != 0) return false;
  return true;
}

ss_error ssi_certificate_cut(ssi_arena *arena, const ss_problem *p, const ssi_partition *x, int k,
                             const ss_certificate *whole, ss_certificate *out) {
  int nc = ssi_part_size(x, SSI_CONTACTS, k), nl = ssi_part_size(x, SSI_JOINTS, k);
  int dofs = ssi_part_size(x, SSI_DOFS, k);
  *out = (ss_certificate){.verdict = SS_UNDECIDED,
                          .reason = SS_REASON_DATA,
                          .criterion_A = SS_CRITERION_UNDECIDED,
                          .attained = SS_UNKNOWN,
                          .for_every_w = SS_UNKNOWN,
                          .a_prime = SS_UNKNOWN,
                          .path = whole->path,
                          .velocity_size = p->form == SS_GLOBAL ? dofs : p->dim * nc + nl,
                          .tol = whole->tol,
                          .rank_tol = whole->rank_tol};
  static const double nothing = 0;  // the velocity of joints without dofs
  out->velocity = ssi_cut_velocity(arena, p, x, k, whole->velocity);
  if (!out->velocity && whole->velocity && !out->velocity_size) out->velocity = &nothing;
  out->direction = ssi_cut_velocity(arena, p, x, k, whole->direction);
  out->parting = ssi_cut_velocity(arena, p, x, k, whole->parting);
  out->indefinite = ssi_cut_velocity(arena, p, x, k, whole->indefinite);
  out->impulse = ssi_cut_vector(arena, x, SSI_CONTACTS, p->dim, k, whole->impulse);
  out->impulse_l = ssi_cut_vector(arena, x, SSI_JOINTS, 1, k, whole->impulse_l);
  out->lambda = ssi_cut_vector(arena, x, SSI_CONTACTS, 1, k, whole->lambda);
  out->lambda_l = ssi_cut_vector(arena, x, SSI_JOINTS, 1, k, whole->lambda_l);
  if (arena->failed) return SS_ERR_MEMORY;
  // modes of other components say nothing here
  if (whole->solution) {
    ss_solution *part = SSI_TAKE(arena, 1, ss_solution);
    if (!part) return SS_ERR_MEMORY;
    const ss_solution *all = whole->solution;
    part->r = ssi_cut_vector(arena, x, SSI_CONTACTS, p->dim, k, all->r);
    part->u = ssi_cut_vector(arena, x, SSI_CONTACTS, p->dim, k, all->u);
    part->v = p->form == SS_GLOBAL ? ssi_cut_vector(arena, x, SSI_DOFS, 1, k, all->v) : NULL;
    part->l = ssi_cut_vector(arena, x, SSI_JOINTS, 1, k, all->l);
    out->solution = part;
    if (arena->failed) return SS_ERR_MEMORY;
  }
  if (is_zero(out->indefinite, p->dim * nc + nl)) out->indefinite = NULL;
  if (is_zero(out->impulse, p->dim * nc)) out->impulse = out->impulse_l = NULL;
  if (is_zero(out->lambda, nc)) out->lambda = NULL;
  if (!out->lambda && is_zero(out->lambda_l, nl)) out->lambda_l = NULL;
  return SS_OK;
}

// ---- joining -------------------------------------------------------------------------------

// The component that decides.
static int find_worst(ss_certificate *const *part, int count) {
  int worst = 0, least = 9;
  for (int k = 0; k < count; k++) {
    const ss_certificate *c = part[k];
    ssi_proved is = {.exists = c->verdict == SS_EXISTS,
                     .none = c->verdict == SS_NONE,
                     .violated = c->criterion_A == SS_CRITERION_VIOLATED,
                     .robust = c->criterion_A == SS_CRITERION_ROBUST};
    int now = ssi_severity(&is);
    if (now < least || (now == least && c->margin < part[worst]->margin)) worst = k, least = now;
  }
  return worst;
}

// As the check will find it.
static ss_error find_least(ss_context *ctx, ssi_arena *arena, const ss_problem *cut,
                           ss_certificate *const *part, int count, int *least) {
  ssi_judged *judged = SSI_TAKE(arena, count, ssi_judged);
  if (!judged) return SS_ERR_MEMORY;
  for (int k = 0; k < count; k++) {
    SS_TRY(ssi_certificate_measure(ctx, &cut[k], part[k], &judged[k].r));
    judged[k].is = ssi_certificate_proves(&cut[k], part[k], &judged[k].r);
  }
  *least = ssi_least_component(judged, count);
  return SS_OK;
}

typedef const double *(*velocity_of)(const ss_certificate *c);
static const double *the_velocity(const ss_certificate *c) {
  return c->velocity;
}
static const double *the_direction(const ss_certificate *c) {
  return c->direction;
}
// where (A) holds its velocity parts the contacts as well
static const double *the_parting(const ss_certificate *c) {
  return c->parting ? c->parting : c->velocity;
}

// All components' vectors in one. partial: zero where one has none, if another has; else NULL then.
static const double *join_velocities(ssi_arena *arena, const ss_problem *p, const ssi_partition *x,
                                     ss_certificate *const *part, int size, velocity_of of,
                                     bool partial) {
  int have = 0;  // where nothing touches, nothing is asked
  for (int k = 0; k < x->count; k++)
    have += of(part[k]) || part[k]->reason == SS_REASON_NO_CONTACTS;
  if (!have || (have < x->count && !partial)) return NULL;
  double *whole = SSI_TAKE(arena, size, double);
  for (int k = 0; whole && k < x->count; k++)
    if (of(part[k])) ssi_cut_velocity_return(p, x, k, of(part[k]), whole);
  return whole;
}

// Components that can be parted at any speed are parted faster than the worst one: v + t d, t = 1, 2, 4, ...
static ss_error outrun(ss_context *ctx, ssi_arena *arena, const ss_problem *cut, double margin,
                       ss_certificate *c) {
  enum { DOUBLINGS = 100 };
  double *v = SSI_TAKE(arena, c->velocity_size, double), t = 1;
  ss_certificate_report r = {0};
  if (!v) return SS_ERR_MEMORY;
  ss_certificate trial = {
      .velocity_size = c->velocity_size, .velocity = v, .rank_tol = c->rank_tol};
  for (int k = 0; k < DOUBLINGS && !(r.margin_low > 2 * margin); k++, t *= 2) {
    for (int i = 0; i < c->velocity_size; i++) v[i] = c->velocity[i] + t * c->direction[i];
    SS_TRY(ssi_certificate_measure(ctx, cut, &trial, &r));
  }
  c->velocity = v;
  return SS_OK;
}

static const double *spread(ssi_arena *arena, const ssi_partition *x, int kind, int size, int k,
                            int total, const double *part) {
  if (!part) return NULL;
  double *whole = SSI_TAKE(arena, (size_t)total * (size_t)size, double);
  if (whole) ssi_cut_return(x, kind, size, k, part, whole);
  return whole;
}

// What proves the verdict, of component k; zero elsewhere.
static void take_multipliers(ssi_arena *arena, const ss_problem *p, const ssi_partition *x, int k,
                             const ss_certificate *from, ss_certificate *to) {
  to->lambda = spread(arena, x, SSI_CONTACTS, 1, k, p->nc, from->lambda);
  to->lambda_l = spread(arena, x, SSI_JOINTS, 1, k, p->nl, from->lambda_l);
}

// Criterion (A) and the margin, of component k, and what proves them.
static void take_margin(ssi_arena *arena, const ss_problem *p, const ssi_partition *x, int k,
                        const ss_certificate *from, ss_certificate *to) {
  to->criterion_A = from->criterion_A;
  to->margin = from->margin, to->margin_low = from->margin_low, to->margin_high = from->margin_high;
  to->margin_exact = from->margin_exact;
  to->attained = from->attained;
  to->unit = from->unit;
  to->work = from->work;
  to->jamming_count = from->jamming_count;
  to->residuals = from->residuals;
  to->indefinite_value = from->indefinite_value;
  to->impulse = spread(arena, x, SSI_CONTACTS, p->dim, k, p->nc, from->impulse);
  to->impulse_l = spread(arena, x, SSI_JOINTS, 1, k, p->nl, from->impulse_l);
  int *jamming = SSI_TAKE(arena, from->jamming_count, int);
  const int *contact = ssi_part_members(x, SSI_CONTACTS, k);
  for (int i = 0; jamming && i < from->jamming_count; i++) jamming[i] = contact[from->jamming[i]];
  to->jamming = from->impulse ? jamming : NULL;
  double *z = from->indefinite ? SSI_TAKE(arena, p->dim * p->nc + p->nl, double) : NULL;
  if (z) ssi_cut_velocity_return(p, x, k, from->indefinite, z);
  to->indefinite = z;
}

// A component of which nothing is known may have less than the smallest margin that is: that one is a bound.
static void blur_margin(ss_certificate *const *part, int count, ss_certificate *c) {
  bool known = true;
  for (int k = 0; k < count; k++) known = known && part[k]->margin > -INFINITY;  // nor NAN
  if (known || !c->margin_exact) return;
  c->margin_exact = false;
  c->attained = SS_UNKNOWN;
  c->margin = c->criterion_A == SS_CRITERION_VIOLATED ? c->margin_high : c->margin_low;
}

static ss_tristate join_all(ss_certificate *const *part, int count, bool every_w) {
  bool all = true;
  for (int k = 0; k < count; k++)
    all = all && (every_w ? part[k]->for_every_w : part[k]->a_prime) == SS_YES;
  return all ? SS_YES : SS_UNKNOWN;
}

ss_error ssi_certificates_join(ss_context *ctx, const ss_problem *p, const ssi_partition *x,
                               const ss_problem *cut, ss_certificate *const *part,
                               const ss_certify_options *o, ss_certificate **out) {
  ssi_owned_certificate *own = ssi_certificate_create(ctx, o);
  if (!own) return SS_ERR_MEMORY;
  int least = 0, iterations = 0;
  ss_error e = find_least(ctx, &own->arena, cut, part, x->count, &least);
  if (e) return ss_certificate_destroy(&own->c), e;
  // where nothing worse decides, the component of the margin speaks for all
  int worst = find_worst(part, x->count);
  bool same = part[worst]->verdict == part[least]->verdict && part[worst]->verdict != SS_NONE;
  if (same || part[least]->reason == SS_REASON_BILATERAL) worst = least;
  int size = p->form == SS_GLOBAL ? p->ndof : p->dim * p->nc + p->nl;
  const ss_certificate *says = part[worst];
  ss_certificate *c = &own->c;
  *c = *says;
  for (int k = 0; k < x->count; k++) {
    iterations += part[k]->iterations;
    c->blurred = c->blurred || part[k]->blurred;
  }
  c->iterations = iterations;
  c->velocity_size = size;
  c->for_every_w = join_all(part, x->count, true);
  if (c->for_every_w != SS_YES && part[least]->for_every_w == SS_NO) c->for_every_w = SS_NO;
  c->a_prime = says->a_prime == SS_NO ? SS_NO : join_all(part, x->count, false);
  c->margin = part[least]->margin;
  bool finite = isfinite(c->margin) && c->margin > 0;
  for (int k = 0; k < x->count && finite; k++)
    if (part[k]->direction && part[k]->velocity &&
        outrun(ctx, &own->arena, &cut[k], c->margin, part[k]))
      own->arena.failed = true;
  c->velocity = part[least]->velocity
                    ? join_velocities(&own->arena, p, x, part, size, the_velocity, true)
                    : NULL;
  c->direction = join_velocities(&own->arena, p, x, part, size, the_direction, false);
  c->parting = says->verdict == SS_EXISTS || c->a_prime != SS_YES
                   ? NULL
                   : join_velocities(&own->arena, p, x, part, size, the_parting, false);
  take_multipliers(&own->arena, p, x, worst, says, c);
  take_margin(&own->arena, p, x, least, part[least], c);
  blur_margin(part, x->count, c);
  if (own->arena.failed) {
    ss_certificate_destroy(c);
    return SS_ERR_MEMORY;
  }
  *out = c;
  return SS_OK;
}
