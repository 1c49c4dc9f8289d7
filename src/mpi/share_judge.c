// Mirrors problem/verify.c and problem/load.c: what they sum over contacts is summed over each domain, and over domains
// in order; what they sum over components goes through share_parts. The arithmetic of a contact is theirs.
#include "mpi/share_judge.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "la/small.h"
#include "mpi/share_general.h"
#include "mpi/share_parts.h"
#include "problem/load.h"

static const double STATE_TOLERANCE = 1e-8;  // as in verify.c

enum { LOAD, SPEED, REACTIONS, FCLIB, PENETRATION, NORMS };

typedef struct hearing {
  share *s;
  ssi_arena arena;
  ssi_motion
      motion;     // of the domain at hand: u and v of all of them would be a sixth of the memory
  ssi_dd *pairs;  // impulses of all domains at shared dofs            (leaves)
  share_parts parts;
  share_tally *tally;                       // of each part
  ssi_norm *norm;                           // NORMS of each domain
  double *error, *tangent, *doubt, *scale;  // of each contact; scale of each part
  bool *still;                              // of each part
  // where bodies are not rigid: the motion at hand at all copies, and joints, all of them on every rank
  double *hi, *lo, *y;  // (copies)
  double *joint_of,
      *joint_gap;  // component, INFINITY: none; |gap| of the motion at hand   (joints)
  double norm_s;   // of all gaps, without reactions
} hearing;

static int64_t place_of(const hearing *g, int k, int i) {  // contact i of domain k on this rank
  return (g->s->domain[k].r - g->s->r) / g->s->dim + i;
}

static share_tally *tally_of(const hearing *g, int k, int i) {
  return &g->tally[g->parts.of[place_of(g, k, i)]];
}

static void begin(hearing *g, share *s) {
  *g = (hearing){.s = s, .arena = {.ctx = s->c->ctx}};
  g->pairs = RANKS_TAKE(s->c, s->leaves, ssi_dd);
  share_parts_find(s, &g->parts);
  g->tally = RANKS_TAKE(s->c, g->parts.count, share_tally);
  g->scale = RANKS_TAKE(s->c, g->parts.count, double);
  g->still = RANKS_TAKE(s->c, g->parts.count, bool);
  g->norm = RANKS_TAKE(s->c, NORMS * s->count, ssi_norm);
  g->error = RANKS_TAKE(s->c, 3 * s->nc, double);
  g->tangent = g->error + s->nc;
  g->doubt = g->error + 2 * s->nc;
  if (s->rigid) return;
  int64_t copies = s->general->copy_first[s->count];
  g->hi = RANKS_TAKE(s->c, 3 * copies, double);
  g->lo = g->hi + copies;
  g->y = g->lo + copies;
  g->joint_of = RANKS_TAKE(s->c, 2 * s->general->joints, double);
  g->joint_gap = g->joint_of + s->general->joints;
  share_general_all_joints(s->general, g->parts.joint, g->joint_of);
}

static void end(hearing *g) {
  free(g->hi);
  free(g->joint_of);
  share_parts_release(&g->parts);
  ssi_arena_release(&g->arena);
  free(g->pairs);
  free(g->tally);
  free(g->scale);
  free(g->still);
  free(g->norm);
  free(g->error);
}

static void clear_tallies(hearing *g) {
  memset(g->tally, 0, sizeof *g->tally * (size_t)g->parts.count);
}

// ---- motion --------------------------------------------------------------------------------

static ss_error take_motion(hearing *g, share_domain *d) {
  ssi_arena_reset(&g->arena);
  SS_TRY(share_domain_rows(g->s, d));
  return ssi_motion_create(&g->arena, &d->p, d->mass, &g->motion);
}

// The motion of general->v, at the copies, and what it leaves of the joints.
static void take_general_motion(hearing *g) {
  const share_general *all = g->s->general;
  double *own = RANKS_TAKE(g->s->c, g->s->own_dofs + all->own_joints, double);
  for (int low = 0; low < 2; low++) {
    for (int64_t i = 0; i < g->s->own_dofs; i++) own[i] = low ? all->v[i].lo : all->v[i].hi;
    share_to_copies(all, own, low ? g->lo : g->hi);
  }
  for (int64_t k = 0; k < all->own_joints; k++) own[k] = fabs(all->gap[k].hi);
  share_general_all_joints(all, own, g->joint_gap);
  free(own);
}

static double gap_of_all(const hearing *g) {
  ssi_norm sum = {0};
  for (int64_t k = 0; !g->s->rigid && k < g->s->general->joints; k++)
    ssi_norm_add(&sum, g->joint_gap[k]);
  return ssi_norm_value(sum);
}

static double gap_of(const hearing *g, double component) {
  double size = 0;
  for (int64_t k = 0; !g->s->rigid && k < g->s->general->joints; k++)
    if (g->joint_of[k] == component) size = ssi_length2(size, g->joint_gap[k]);
  return size;
}

// The motion that reactions of all domains cause. hi, lo: impulses at the copies.
static ss_error move_general(hearing *g) {
  share *s = g->s;
  share_general *all = s->general;
  double *own = RANKS_TAKE(s->c, 2 * s->own_dofs, double);
  ssi_dd *impulse = RANKS_TAKE(s->c, s->own_dofs, ssi_dd);
  for (int k = 0; k < s->count; k++)
    for (int j = 0; j < s->domain[k].p.ndof; j++) {
      int leaf = s->domain[k].leaf[j], at = all->copy_first[k] + j;
      if (leaf >= 0) g->hi[at] = g->pairs[leaf].hi, g->lo[at] = g->pairs[leaf].lo;
    }
  share_from_copies(all, g->hi, own);
  share_from_copies(all, g->lo, own + s->own_dofs);
  for (int64_t i = 0; i < s->own_dofs; i++) impulse[i] = (ssi_dd){own[i], own[s->own_dofs + i]};
  ss_error e = all->joints && !all->l_known ? share_general_hold(all, impulse)
                                            : share_general_move(all, impulse, all->l);
  if (!e) take_general_motion(g);
  free(own);
  free(impulse);
  return e;
}

// What all domains add to shared dofs. Collective.
static ss_error find_impulses(hearing *g) {
  share *s = g->s;
  ss_error e = SS_OK;
  for (int k = 0; k < s->count && !e; k++) {
    share_domain *d = &s->domain[k];
    e = take_motion(g, d);
    if (!e) ssi_motion_impulses(&g->motion, d->r);
    for (int j = 0; j < d->p.ndof && !e; j++) {
      ssi_dd own = g->motion.rhs[j];
      if (d->leaf[j] >= 0) g->pairs[d->leaf[j]] = own;
      if (!s->rigid) {
        int at = s->general->copy_first[k] + j;
        g->hi[at] = own.hi, g->lo[at] = own.lo;
      }
    }
  }
  share_sum_pairs(s, g->pairs);
  SS_TRY(ranks_agree(s->c, e));
  return s->rigid ? SS_OK : move_general(g);
}

static ss_error follow_general(hearing *g, const share_domain *d) {
  int at = g->s->general->copy_first[d - g->s->domain];
  for (int j = 0; j < d->p.ndof; j++) g->motion.v[j] = (ssi_dd){g->hi[at + j], g->lo[at + j]};
  ssi_motion_velocities(&g->motion);
  return SS_OK;
}

// The motion of one domain, without reactions or, after find_impulses, with them.
static ss_error move(hearing *g, share_domain *d, bool reactions) {
  SS_TRY(take_motion(g, d));
  if (!g->s->rigid) return follow_general(g, d);
  if (reactions) ssi_motion_impulses(&g->motion, d->r);
  for (int j = 0; j < d->p.ndof; j++) {
    ssi_dd sum = ssi_dd_from(0);
    if (reactions) sum = d->leaf[j] >= 0 ? g->pairs[d->leaf[j]] : g->motion.rhs[j];
    g->motion.rhs[j] = ssi_dd_add_d(sum, -d->p.f[j]);
  }
  return ssi_motion_follow(&g->motion);
}

// ---- the load: problem/load.c --------------------------------------------------------------

static const ssi_dd *velocity_of(const hearing *g, int i) {
  return g->motion.u + (int64_t)g->s->dim * i;
}

static ss_error tally_load(hearing *g) {
  share *s = g->s;
  ss_error e = SS_OK;
  clear_tallies(g);
  for (int k = 0; k < s->count && !e; k++) {
    e = move(g, &s->domain[k], false);
    for (int i = 0; i < s->domain[k].p.nc && !e; i++)
      for (int j = 0; j < s->dim; j++) {
        share_tally *t = tally_of(g, k, i);
        double q = velocity_of(g, i)[j].hi;
        ssi_norm_add(&t->a, q);
        ssi_norm_add(&g->norm[NORMS * k + LOAD], q);
        t->most = fmax(t->most, fabs(s->domain[k].p.w[s->dim * i + j]));
      }
  }
  share_parts_add_up(s, &g->parts, g->tally);
  return ranks_agree(s->c, e);
}

typedef struct terms {  // t of problem/load.c (1)
  bool rounding;        // y with what rounding may do to v, and doubts; else |v|
  double times;         // of y
  const double *w;      // the largest |w| of each part
} terms;

static void tally_terms_of(hearing *g, int k, const terms *t, const double *y) {
  share *s = g->s;
  for (int i = 0; i < s->domain[k].p.nc; i++) {
    int part = g->parts.of[place_of(g, k, i)];
    double own = 0;
    for (int j = 0; j < s->dim; j++) {
      double x = t->w[part] + t->times * ssi_load_row_terms(&s->domain[k].p, y, s->dim * i + j);
      if (!(fabs(velocity_of(g, i)[j].hi) <= SSI_ROUNDING * x)) g->tally[part].most = 1;
      own = hypot(own, x);
    }
    ssi_norm_add(&g->tally[part].a, own);
    if (t->rounding && g->still[part]) g->doubt[place_of(g, k, i)] = SSI_ROUNDING * own;
  }
}

// |t| of each component; parts that are not asked keep what they have. most becomes 1 where some |q_i| is above its
// t_i. Collective.
static ss_error tally_terms(hearing *g, const terms *t) {
  share *s = g->s;
  ss_error e = SS_OK;
  clear_tallies(g);
  for (int k = 0; k < s->count && !e; k++) {
    share_domain *d = &s->domain[k];
    e = move(g, d, false);
    double *v = RANKS_TAKE(s->c, 2 * d->p.ndof, double), *y = v + d->p.ndof;
    for (int j = 0; j < d->p.ndof && !e; j++) v[j] = g->motion.v[j].hi;
    if (!e && t->rounding && d->p.ndof && s->rigid)
      e = ssi_load_motions(&d->p, &(ssi_load){.v = v}, d->mass, y);
    if (!s->rigid) memcpy(y, g->y + s->general->copy_first[k], sizeof *y * (size_t)d->p.ndof);
    if (!e) tally_terms_of(g, k, t, t->rounding ? y : v);
    free(v);
  }
  share_parts_add_up(s, &g->parts, g->tally);
  return ranks_agree(s->c, e);
}

static ss_error find_suspects(hearing *g, double *w, int *any) {
  *any = 0;
  for (int p = 0; p < g->parts.count; p++) {
    g->scale[p] = ssi_norm_value(g->tally[p].a);
    w[p] = g->tally[p].most;
  }
  SS_TRY(tally_terms(g, &(terms){false, 4, w}));
  for (int p = 0; p < g->parts.count; p++) {
    double size = ssi_norm_value(g->tally[p].a);
    g->still[p] = size > 0 && g->scale[p] <= SSI_SUSPECT * size;
    *any = *any || g->still[p];
  }
  MPI_Allreduce(MPI_IN_PLACE, any, 1, MPI_INT, MPI_MAX, g->s->c->comm);
  return SS_OK;
}

// y at the copies, and joints that do not stand still: their components do not either.
static ss_error find_general_doubts(hearing *g) {
  share_general *all = g->s->general;
  double *y = RANKS_TAKE(g->s->c, g->s->own_dofs, double);
  double *own = RANKS_TAKE(g->s->c, all->own_joints + all->joints, double),
         *limit = own + all->own_joints;
  ss_error e = share_general_doubts(all, y);
  if (!e) {
    share_to_copies(all, y, g->y);
    share_general_joint_terms(all, y, own);
    share_general_all_joints(all, own, limit);
  }
  for (int p = 0; p < g->parts.count && !e; p++)
    for (int64_t k = 0; k < all->joints; k++)
      if (g->joint_of[k] == (double)g->parts.component[p] &&
          !(g->joint_gap[k] <= SSI_ROUNDING * limit[k]))
        g->still[p] = false;
  free(y);
  free(own);
  return e;
}

// Components that joints move while the motion without them hardly does: problem/moved.c is for one process.
static ss_error refuse_moved(const hearing *g) {
  static const double MOVED = 1e-6;  // as there
  int asked = 0;
  for (int p = 0; p < g->parts.count; p++) {
    double apart = gap_of(g, (double)g->parts.component[p]);
    asked = asked || (apart > 0 && g->scale[p] <= MOVED * apart);
  }
  MPI_Allreduce(MPI_IN_PLACE, &asked, 1, MPI_INT, MPI_MAX, g->s->c->comm);
  return asked ? ssi_fail(g->s->c->ctx, SS_ERR_UNSUPPORTED,
                          "bilateral constraints move contacts that nothing else moves: their "
                          "scale is found by one process only; use stickslip check")
               : SS_OK;
}

static ss_error judge_load(hearing *g) {
  double *w = RANKS_TAKE(g->s->c, g->parts.count, double);
  int any = 0;
  ss_error e = g->s->rigid ? SS_OK : share_general_move(g->s->general, NULL, NULL);
  if (!g->s->rigid && !e) take_general_motion(g);
  g->norm_s = gap_of_all(g);
  if (!e) e = tally_load(g);
  if (!e) e = find_suspects(g, w, &any);
  if (!e && any && !g->s->rigid) e = find_general_doubts(g);
  if (!e && any) e = tally_terms(g, &(terms){true, 1, w});
  for (int p = 0; p < g->parts.count && any && !e; p++)
    if (g->still[p] && g->tally[p].most > 0)
      g->still[p] = false;
    else if (g->still[p])
      g->scale[p] = ssi_norm_value(g->tally[p].a);
  free(w);
  return e || g->s->rigid ? e : refuse_moved(g);
}

// ---- the law: problem/verify.c -------------------------------------------------------------

SSI_CLONES_FMA static void measure_contact(hearing *g, int k, int i) {
  share *s = g->s;
  const share_domain *d = &s->domain[k];
  int dim = s->dim;
  const double *r = d->r + dim * i, mu = d->p.mu[i];
  const ssi_dd *u = velocity_of(g, i);
  ssi_norm *norm = g->norm + NORMS * k;
  ssi_dd F[3], tangent = ssi_tangent_length(dim, u);
  ssi_contact_error own = ssi_contact_judge(dim, mu, d->lambda[i], r, u, tangent);
  int64_t at = place_of(g, k, i);
  g->tangent[at] = tangent.hi;
  g->error[at] = ssi_beyond_doubt(own.left, g->doubt[at]);
  if (u[0].hi < 0) ssi_norm_add(&norm[PENETRATION], fmax(-u[0].hi, own.missing));
  ssi_natural_map(dim, mu, 1, r, u, tangent, F);
  ssi_norm_add(&tally_of(g, k, i)->a, g->error[at]);
  for (int j = 0; j < dim; j++) {
    ssi_norm_add(&norm[FCLIB], F[j].hi);
    ssi_norm_add(&norm[SPEED], u[j].hi);
    ssi_norm_add(&norm[REACTIONS], r[j]);
    ssi_norm_add(&tally_of(g, k, i)->b, u[j].hi);
    d->u[dim * i + j] = u[j].hi;
  }
}

static ss_error measure(hearing *g) {
  share *s = g->s;
  ss_error e = find_impulses(g);
  clear_tallies(g);
  for (int k = 0; k < s->count && !e; k++) {
    share_domain *d = &s->domain[k];
    e = move(g, d, true);
    for (int i = 0; i < d->p.nc && !e; i++) measure_contact(g, k, i);
    for (int j = 0; j < d->p.ndof && !e && s->rigid; j++) d->sweep.v[j] = g->motion.v[j].hi;
  }
  share_parts_add_up(s, &g->parts, g->tally);
  return ranks_agree(s->c, e);
}

// The norms over all domains, in order.
static void join_norms(const hearing *g, double value[NORMS]) {
  enum { WIDTH = 4 * NORMS };
  double *mine = RANKS_TAKE(g->s->c, WIDTH * g->s->count, double);
  for (int k = 0; k < NORMS * g->s->count; k++) {
    const ssi_norm *n = &g->norm[k];
    memcpy(mine + 4 * k, (double[]){n->large, n->ordinary, n->small, n->overflow},
           4 * sizeof *mine);
  }
  double *all = share_of_domains(g->s, mine, WIDTH);
  for (int n = 0; n < NORMS; n++) {
    ssi_norm sum = {0};
    for (int64_t k = 0; k < g->s->domains; k++) {
      const double *x = all + WIDTH * k + 4 * n;
      ssi_norm_join(&sum, &(ssi_norm){x[0], x[1], x[2], x[3] != 0});
    }
    value[n] = ssi_norm_value(sum);
  }
  free(mine);
  free(all);
}

static double or_infinite(double x) {
  return isfinite(x) ? x : INFINITY;
}

typedef struct worst {  // a value and the first contact that has it
  double value;
  int64_t contact;
} worst;

static bool is_worse(worst a, worst b) {
  return a.value > b.value || (a.value == b.value && a.contact < b.contact);
}

// The largest value of all ranks, of equals the first contact.
static worst worst_of_all(const ranks *c, worst mine) {
  worst *all = RANKS_TAKE(c, c->size, worst), found = {-1, -1};
  MPI_Allgather(&mine, sizeof mine, MPI_BYTE, all, sizeof mine, MPI_BYTE, c->comm);
  for (int k = 0; k < c->size; k++)
    if (all[k].contact >= 0 && is_worse(all[k], found)) found = all[k];
  free(all);
  return found;
}

// Errors and scales of the components.
static worst judge_parts(hearing *g, double counts[2], int *components, double *equality) {
  const share_parts *p = &g->parts;
  worst found = {-1, -1};
  *components = p->begins;
  for (int k = 0; k < p->count; k++) {
    double scale = ssi_error_scale(g->scale[k], ssi_norm_value(g->tally[k].b));
    double unit = fmax(scale, DBL_MIN), gap = gap_of(g, (double)p->component[k]);
    double apart = or_infinite(gap / (scale > 0 ? unit : fmax(g->norm_s, DBL_MIN)));
    double error =
        isfinite(scale) ? or_infinite(ssi_norm_value(g->tally[k].a) / unit + apart) : INFINITY;
    *equality = fmax(*equality, apart);
    g->scale[k] = scale;
    worst own = {error, p->component[k]};
    if (is_worse(own, found)) found = own;
  }
  for (int64_t i = 0; i < g->s->nc; i++) counts[0] += g->still[p->of[i]];
  return found;
}

static int narrow(int64_t x) {
  return x > INT_MAX ? -1 : (int)x;
}

static worst count_states(hearing *g, const ss_verdict *v, int64_t states[3]) {
  share *s = g->s;
  worst found = {-1, -1};
  for (int k = 0; k < s->count; k++)
    for (int i = 0; i < s->domain[k].p.nc; i++) {
      int64_t at = place_of(g, k, i);
      double own = g->scale[g->parts.of[at]], limit = v->state_tol * own;
      double size = s->domain[k].lambda[i] * ssi_norm_of(s->domain[k].r + s->dim * i, s->dim);
      ss_state state = size <= limit ? SS_FREE : g->tangent[at] <= limit ? SS_STICK : SS_SLIP;
      states[state] += isfinite(v->error);
      if (s->state) s->state[at] = (signed char)state;
      double error = or_infinite(g->error[at] / fmax(own, DBL_MIN));
      worst own_worst = {error, share_number(s, at)};
      if (is_worse(own_worst, found)) found = own_worst;
    }
  return found;
}

static void conclude(hearing *g, ss_verdict *out) {
  const ranks *c = g->s->c;
  double n[NORMS], still[2] = {0}, equality = 0;
  join_norms(g, n);
  double scale = fmax(n[LOAD], n[SPEED]), unit = fmax(scale, n[REACTIONS]);
  bool overflow = !isfinite(scale);
  if (!(unit > DBL_EPSILON)) unit = 1;
  int components;
  worst part = worst_of_all(c, judge_parts(g, still, &components, &equality));
  MPI_Allreduce(MPI_IN_PLACE, &components, 1, MPI_INT, MPI_SUM, c->comm);
  MPI_Allreduce(MPI_IN_PLACE, still, 1, MPI_DOUBLE, MPI_SUM, c->comm);  // whole numbers: exact
  MPI_Allreduce(MPI_IN_PLACE, &equality, 1, MPI_DOUBLE, MPI_MAX, c->comm);
  double lost = or_infinite(gap_of(g, INFINITY) / fmax(fmax(scale, g->norm_s), DBL_MIN));
  equality = fmax(equality, lost);  // of joints that move no contact
  *out = (ss_verdict){.error = overflow ? INFINITY : fmax(part.value, lost),
                      .equality = equality,
                      .error_fclib =
                          overflow ? INFINITY : or_infinite((n[FCLIB] + gap_of_all(g)) / unit),
                      .penetration = overflow ? INFINITY : or_infinite(n[PENETRATION] / unit),
                      .scale = scale,
                      .components = components,
                      .worst_component = narrow(part.contact),
                      .still = narrow((int64_t)still[0])};
  out->state_tol = fmax(STATE_TOLERANCE, out->error);
  int64_t states[3] = {0};
  out->worst_contact = narrow(worst_of_all(c, count_states(g, out, states)).contact);
  MPI_Allreduce(MPI_IN_PLACE, states, 3, MPI_INT64_T, MPI_SUM, c->comm);
  for (int k = 0; k < 3; k++) out->states[k] = narrow(states[k]);
}

// A reaction that is no number: infinite errors, as ss_verify has it.
static bool refuse(share *s, ss_verdict *out) {
  worst first = {-1, -1};
  for (int64_t k = 0; k < s->dim * s->nc; k++) {
    worst bad = {1, share_number(s, k / s->dim)};
    if (!isfinite(s->r[k]) && is_worse(bad, first)) first = bad;
  }
  first = worst_of_all(s->c, first);
  if (first.contact < 0) return false;
  *out = (ss_verdict){.error = INFINITY,
                      .error_fclib = INFINITY,
                      .equality = s->general && s->general->joints ? INFINITY : 0,
                      .penetration = INFINITY,
                      .scale = INFINITY,
                      .state_tol = INFINITY,
                      .worst_contact = narrow(first.contact),
                      .worst_component = -1};
  for (int64_t k = 0; k < s->dim * s->nc; k++) s->u[k] = NAN;
  return true;
}

ss_error share_judge(share *s, ss_verdict *out) {
  hearing g;
  if (refuse(s, out)) return SS_OK;
  begin(&g, s);
  ss_error e = judge_load(&g);
  if (!e) e = measure(&g);
  if (!e) conclude(&g, out);
  end(&g);
  return e;
}
