// ss_status_predict: the instant is reduced, solved, and what was found is verified on the system as it was given.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/worst.h"
#include "cone/friction.h"
#include "events/instant.h"

static const double VERIFIED = 1e-9;  // error of what is called solved
static const double TOUCHES = 1e-10;  // of the largest force: less is none
static const double STICKS = 1e-8;    // |g''_T| over the largest term: less is none

static const char *const persistence_names[] = {"open", "opening", "still", "sliding"};
static const char *const method_names[] = {"auto", "sweeps", "general"};

const char *ss_persistence_name(ss_persistence p) {
  return (unsigned)p < 4 ? persistence_names[p] : NULL;
}

const char *ss_status_method_name(ss_status_method m) {
  return (unsigned)m < 3 ? method_names[m] : NULL;
}

ss_status_options ss_status_options_default(void) {
  return (ss_status_options){.method = SS_STATUS_AUTO,
                             .gap_tol = 1e-9,
                             .rate_tol = 1e-9,
                             .tol = 1e-5,
                             .max_iter = 1000,
                             .polish = true,
                             .count = true};
}

typedef struct owned_prediction {
  ss_prediction p;
  ssi_arena arena;
} owned_prediction;

typedef struct answer {
  double *r, *slip, *a, *l;  // of the whole system
  ss_status_contact *contacts;
} answer;

// ---- verification ---------------------------------------------------------------------------------

// The acceleration that the largest force on degree of freedom i would make alone: what a_i may be the difference of,
// where bodies are at rest.
static double single_acceleration(const ss_problem *p, const double *l, int i) {
  double force = fabs(p->f[i]), mass = 0;
  for (int64_t k = p->G.ptr[i]; k < p->G.ptr[i + 1]; k++) {  // fmax here is an internal error of gcc 12 for aarch64
    double term = fabs(p->G.x[k] * l[p->G.col[k]]);
    if (term > force) force = term;
  }
  for (int64_t k = p->M.ptr[i]; k < p->M.ptr[i + 1]; k++)
    if (p->M.col[k] == i) mass += p->M.x[k];
  return force / mass;
}

// The largest term of G^T a + b.
static double joint_size(const ss_problem *p, const double *a, const double *l) {
  double most = 0;
  for (int k = 0; k < p->nl; k++) most = fmax(most, fabs(p->b[k]));
  for (int i = 0; i < p->ndof; i++) {
    double size = fmax(fabs(a[i]), single_acceleration(p, l, i));
    for (int64_t k = p->G.ptr[i]; k < p->G.ptr[i + 1]; k++)
      most = fmax(most, fabs(p->G.x[k]) * size);
  }
  return most;
}

// a, l and g'' from the system as it was given; *joints: what the joints lack, relative.
static ss_error move(ss_context *ctx, const ss_problem *p, const answer *y, double *joints) {
  ss_verdict v;  // of the law of velocities, save what it says of joints
  SS_TRY(ss_verify(ctx, p, &(ss_solution){.r = y->r}, y->slip, y->a, y->l, NULL, &v));
  double lack = p->nl ? v.equality * v.scale : 0;
  *joints = lack > 0 ? lack / joint_size(p, y->a, y->l) : 0;
  return SS_OK;
}

// Over the largest term, *largest.
static double verify(const ssi_instant *x, const answer *y, double *largest) {
  int d = x->dim;
  double most = 0, size = x->unit;
  for (int i = 0; i < x->count; i++) {
    const double *slip = y->slip + d * x->contact[i];
    most = ssi_larger(most, ssi_instant_error(x, i, slip, y->r + d * x->contact[i]));
    for (int k = 0; k < d; k++) size = ssi_larger(size, fabs(slip[k]));
  }
  *largest = size;
  if (!isfinite(most) || !isfinite(size)) return INFINITY;
  return most > 0 ? most / size : 0;
}

// What a sweep leaves that changed no force by more than tol of the largest: each contact was solved in its turn, and what came
// after changes its g'' by no more than |W| sqrt(n) tol |r|; twice that for the law, which is Lipschitz in g''.
static double left_by_sweeps(const ssi_instant *x, const double *r, double tol) {
  double sum = 0, size = 0;
  for (int i = 0; i < x->count; i++)
    size = fmax(size, hypot(r[x->dim * i], ssi_tangent_norm(x->dim, r + x->dim * i)));
  for (size_t k = 0; k < (size_t)x->m * (size_t)x->m; k++) sum += x->W[k] * x->W[k];
  return 2 * sqrt(sum * x->count) * tol * size;
}

// ---- finding --------------------------------------------------------------------------------------

static void place(const ssi_instant *x, const double *r, const answer *y, int m) {
  memset(y->r, 0, sizeof *r * (size_t)m);
  for (int k = 0; k < x->m; k++) y->r[x->dim * x->contact[k / x->dim] + k % x->dim] = r[k];
}

// The first of all solutions, whatever its kind: a point of it.
static bool take_listed(const ssi_instant *x, const ss_solution_set *set, double *r) {
  if (!set || set->count == 0) return false;
  const ss_component *c = &set->components[0];
  if (!c->isolated && c->cells[0].vertex_count == 0) return false;
  const double *from = c->isolated ? c->r : c->cells[0].vertices[0].r;
  for (int i = 0; i < x->count; i++) {
    for (int k = 0; k < x->dim; k++) r[x->dim * i + k] = k < set->dim ? from[set->dim * i + k] : 0;
    ssi_instant_drag(x, i, r);
  }
  return true;
}

typedef struct status_search {
  ss_context *ctx;
  const ss_instant *at;
  const ss_status_options *o;
  const ssi_instant *x;
  const answer *y;
  double *r;
  ss_prediction *out;
  ssi_arena *arena;  // of out
} status_search;

// left: error that the method may leave, an acceleration.
static ss_error judge(status_search *s, const char *method, double left) {
  const ss_problem *p = s->at->system;
  double joints, size;
  place(s->x, s->r, s->y, p->dim * p->nc);
  SS_TRY(move(s->ctx, p, s->y, &joints));
  double contacts = verify(s->x, s->y, &size);
  s->out->error = ssi_larger(contacts, joints);
  s->out->solved = joints <= VERIFIED && (contacts <= VERIFIED || contacts * size <= left);
  s->out->method = s->out->solved ? method : "none";
  return SS_OK;
}

static ss_error try_sweeps(status_search *s) {
  ssi_status_work work = ssi_status_sweeps(s->x, s->o->tol, s->o->max_iter, s->r);
  bool better;
  s->out->iterations = work.iterations, s->out->newton = work.newton;
  if (s->o->polish) SS_TRY(ssi_status_polish(s->ctx, s->x, s->r, &better));
  bool as_is = !s->o->polish && work.ended;
  return judge(s, "sweeps", as_is ? left_by_sweeps(s->x, s->r, s->o->tol) : 0);
}

static ss_error try_general(status_search *s) {
  ssi_status_work work;
  bool better;
  memset(s->r, 0, sizeof *s->r * (size_t)s->x->m);
  SS_TRY(ssi_status_solve(s->ctx, s->x, s->r, &work));
  SS_TRY(ssi_status_polish(s->ctx, s->x, s->r, &better));
  SS_TRY(judge(s, "general", 0));
  if (s->out->solved) s->out->iterations = work.iterations;
  return SS_OK;
}

static ss_error try_list(status_search *s, const ss_solution_set *set) {
  bool better;
  if (!take_listed(s->x, set, s->r)) return SS_OK;
  SS_TRY(ssi_status_polish(s->ctx, s->x, s->r, &better));
  return judge(s, "enumeration", 0);
}

static ss_error find(status_search *s) {
  ss_prediction *out = s->out;
  ss_solution_set *set = NULL;
  bool sweeps = s->o->method != SS_STATUS_GENERAL;
  bool general = s->o->method != SS_STATUS_SWEEPS;
  if (sweeps) SS_TRY(try_sweeps(s));
  if (general && !out->solved) SS_TRY(try_general(s));
  if (s->o->count || !out->solved) SS_TRY(ssi_status_enumerate(s->ctx, s->x, &set));
  ss_error e = general && !out->solved ? try_list(s, set) : SS_OK;
  bool none = set && set->count == 0 && set->rigorous;
  out->existence = out->solved ? SS_EXISTS : none ? SS_NONE : SS_UNDECIDED;
  if (!e && out->existence == SS_UNDECIDED) e = ssi_status_certify(s->ctx, s->x, &out->existence);
  if (set && set->complete && !e) {
    out->statuses = ssi_status_states(s->arena, s->x, out->nc, set);
    out->count = set->count, out->rigorous = set->rigorous;
    if (!out->statuses) e = ssi_fail(s->ctx, SS_ERR_MEMORY, "no memory for a prediction");
  }
  ss_solution_set_destroy(set);
  return e;
}

// ---- what is said -----------------------------------------------------------------------------------

// A contact with neither force nor an acceleration that parts it, on the border between free and not: persists, or
// parts where part_ties asks for it and something else carries.
static void name_statuses(const ssi_instant *x, bool part_ties, const answer *y) {
  int d = x->dim;
  double most = 0, unit = x->unit;
  for (int i = 0; i < x->count; i++) {
    most = fmax(most, y->r[d * x->contact[i]]);
    for (int k = 0; k < d; k++) unit = fmax(unit, fabs(y->slip[d * x->contact[i] + k]));
  }
  for (int i = 0; i < x->count; i++) {
    const double *slip = y->slip + d * x->contact[i];
    double along = d == 2 ? fabs(slip[1]) : hypot(slip[1], slip[2]);
    bool touches = y->r[d * x->contact[i]] > TOUCHES * most;
    bool parts = slip[0] > STICKS * unit;
    bool slips = x->slides[i] || along > STICKS * unit;
    bool leaves = !touches && (parts || (part_ties && most > 0));
    y->contacts[x->contact[i]].next = leaves ? SS_FREE : slips ? SS_SLIP : SS_STICK;
  }
}

static ss_error check(ss_context *ctx, const ss_instant *at, const ss_status_options *o) {
  if (!at || !at->system)
    return ssi_fail(ctx, SS_ERR_ARGUMENT, "a system and a place for the prediction are needed");
  if (at->system->form != SS_GLOBAL)
    return ssi_fail(ctx, SS_ERR_ARGUMENT,
                    "a status needs the global form (M, f, H, w), not a local one (W, q)");
  if (!(o->gap_tol >= 0 && o->rate_tol >= 0 && o->tol > 0 && o->max_iter > 0))
    return ssi_fail(ctx, SS_ERR_ARGUMENT,
                    "gap_tol %g, rate_tol %g, tol %g, max_iter %d: expected >= 0, >= 0, > 0, > 0",
                    o->gap_tol, o->rate_tol, o->tol, o->max_iter);
  return ss_problem_check(ctx, at->system);
}

static ss_error predict(ss_context *ctx, ssi_arena *scratch, const ss_instant *at,
                        const ss_status_options *o, owned_prediction *own) {
  const ss_problem *p = at->system;
  int m = p->dim * p->nc;
  answer y = {SSI_TAKE(&own->arena, m, double), SSI_TAKE(&own->arena, m, double),
              SSI_TAKE(&own->arena, p->ndof, double), SSI_TAKE(&own->arena, p->nl, double),
              SSI_TAKE(&own->arena, p->nc, ss_status_contact)};
  ssi_instant x;
  if (own->arena.failed) return ssi_fail(ctx, SS_ERR_MEMORY, "no memory for a prediction");
  SS_TRY(ssi_instant_make(ctx, scratch, at, o, y.contacts, &x));
  double *r = SSI_TAKE(scratch, x.m, double);
  if (scratch->failed) return ssi_fail(ctx, SS_ERR_MEMORY, "no memory for a prediction");
  own->p = (ss_prediction){.dim = p->dim,
                           .nc = p->nc,
                           .ndof = p->ndof,
                           .contacts = y.contacts,
                           .force = y.r,
                           .slip = y.slip,
                           .acceleration = y.a,
                           .multipliers = y.l,
                           .method = "none",
                           .count = -1};
  for (int i = 0; i < x.count; i++) own->p.painleve += x.slides[i] && !(x.delta[i] > 0);
  status_search s = {ctx, at, o, &x, &y, r, &own->p, &own->arena};
  SS_TRY(find(&s));
  name_statuses(&x, o->part_ties, &y);
  return SS_OK;
}

ss_error ss_status_predict(ss_context *ctx, const ss_instant *at, const ss_status_options *o,
                           ss_prediction **out) {
  if (!out) return ssi_fail(ctx, SS_ERR_ARGUMENT, "nowhere to put the prediction");
  *out = NULL;
  ss_status_options options = o ? *o : ss_status_options_default();
  SS_TRY(check(ctx, at, &options));
  ssi_arena arena = {.ctx = ctx}, scratch = {.ctx = ctx};
  owned_prediction *own = SSI_TAKE(&arena, 1, owned_prediction);
  if (!own) return ssi_fail(ctx, SS_ERR_MEMORY, "no memory for a prediction");
  own->arena = arena;
  ss_error e = predict(ctx, &scratch, at, &options, own);
  ssi_arena_release(&scratch);
  if (e) return ss_prediction_destroy(&own->p), e;
  *out = &own->p;
  return SS_OK;
}

void ss_prediction_destroy(ss_prediction *p) {
  if (!p) return;
  ssi_arena arena =
      ((owned_prediction *)p)->arena;  // a copy: the original lies in what it releases
  ssi_arena_release(&arena);
}
