// Mirrors problem/verify.c and problem/load.c: what they sum over contacts is summed over each domain, and over domains
// in order; what they sum over components goes through share_parts. The arithmetic of a contact is theirs.
#include "mpi/share_judge.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/share_masses.h"
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
}

static void end(hearing *g) {
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

// What all domains add to shared dofs. Collective.
static ss_error find_impulses(hearing *g) {
  share *s = g->s;
  ss_error e = SS_OK;
  for (int k = 0; k < s->count && !e; k++) {
    share_domain *d = &s->domain[k];
    e = take_motion(g, d);
    if (!e) ssi_motion_impulses(&g->motion, d->r);
    for (int j = 0; j < d->p.ndof && !e; j++)
      if (d->leaf[j] >= 0) g->pairs[d->leaf[j]] = g->motion.rhs[j];
  }
  share_sum_pairs(s, g->pairs);
  return ranks_agree(s->c, e);
}

// The motion of one domain, without reactions or, after find_impulses, with them.
static ss_error move(hearing *g, share_domain *d, bool reactions) {
  SS_TRY(take_motion(g, d));
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
    if (!e && t->rounding && d->p.ndof)
      e = ssi_load_motions(&d->p, &(ssi_load){.v = v}, d->mass, y);
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

static ss_error judge_load(hearing *g) {
  double *w = RANKS_TAKE(g->s->c, g->parts.count, double);
  int any = 0;
  ss_error e = tally_load(g);
  if (!e) e = find_suspects(g, w, &any);
  if (!e && any) e = tally_terms(g, &(terms){true, 1, w});
  for (int p = 0; p < g->parts.count && any && !e; p++)
    if (g->still[p] && g->tally[p].most > 0)
      g->still[p] = false;
    else if (g->still[p])
      g->scale[p] = ssi_norm_value(g->tally[p].a);
  free(w);
  return e;
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
    for (int j = 0; j < d->p.ndof && !e; j++) d->sweep.v[j] = g->motion.v[j].hi;
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
static worst judge_parts(hearing *g, double counts[2], int *components) {
  const share_parts *p = &g->parts;
  worst found = {-1, -1};
  *components = p->begins;
  for (int k = 0; k < p->count; k++) {
    double scale = ssi_error_scale(g->scale[k], ssi_norm_value(g->tally[k].b));
    double error = isfinite(scale)
                       ? or_infinite(ssi_norm_value(g->tally[k].a) / fmax(scale, DBL_MIN))
                       : INFINITY;
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
      double error = or_infinite(g->error[at] / fmax(own, DBL_MIN));
      worst own_worst = {error, share_number(s, at)};
      if (is_worse(own_worst, found)) found = own_worst;
    }
  return found;
}

static void conclude(hearing *g, ss_verdict *out) {
  const ranks *c = g->s->c;
  double n[NORMS], still[2] = {0};
  join_norms(g, n);
  double scale = fmax(n[LOAD], n[SPEED]), unit = fmax(scale, n[REACTIONS]);
  bool overflow = !isfinite(scale);
  if (!(unit > DBL_EPSILON)) unit = 1;
  int components;
  worst part = worst_of_all(c, judge_parts(g, still, &components));
  MPI_Allreduce(MPI_IN_PLACE, &components, 1, MPI_INT, MPI_SUM, c->comm);
  MPI_Allreduce(MPI_IN_PLACE, still, 1, MPI_DOUBLE, MPI_SUM, c->comm);  // whole numbers: exact
  *out = (ss_verdict){.error = overflow ? INFINITY : fmax(part.value, 0),
                      .error_fclib = overflow ? INFINITY : or_infinite(n[FCLIB] / unit),
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

// ---- velocities ----------------------------------------------------------------------------

typedef struct moving {
  int64_t dof;
  double v;
} moving;

// Dofs that no contact touches move as f says.
static ss_error move_untouched(share *s, const bool *known, double *v) {
  share_masses m = {.dof = RANKS_TAKE(s->c, s->own_dofs, int64_t)};
  for (int64_t j = 0; j < s->own_dofs; j++)
    if (!known[j]) m.dof[m.count++] = s->first_dof + j;
  int wanted = m.count;
  int64_t *dof = RANKS_TAKE(s->c, wanted, int64_t);
  memcpy(dof, m.dof, sizeof *dof * (size_t)wanted);
  ssi_arena arena = {.ctx = s->c->ctx};
  ssi_factor *mass = NULL;
  ss_sparse M;
  ss_error e = share_masses_fetch(s, &m, 1);
  if (!e && m.count) {
    e = share_masses_matrix(&arena, &m, &M) ? ssi_factor_create(s->c->ctx, &M, &mass)
                                            : SS_ERR_MEMORY;
    for (int j = 0; j < m.count; j++) m.f[j] = -m.f[j];
    if (!e) e = ssi_factor_solve(mass, m.f, m.f);
    for (int j = 0; j < wanted && !e; j++)
      v[dof[j] - s->first_dof] = m.f[share_place(m.dof, m.count, dof[j])];
  }
  ssi_factor_destroy(mass);
  ssi_arena_release(&arena);
  share_masses_release(&m);
  free(dof);
  return ranks_agree(s->c, e);
}

ss_error share_dof_velocities(share *s, double **v) {
  int64_t total = 0, at = 0, count;
  for (int k = 0; k < s->count; k++) total += s->domain[k].p.ndof;
  moving *out = RANKS_TAKE(s->c, total, moving);
  int *to = RANKS_TAKE(s->c, total, int);
  for (int k = 0; k < s->count; k++)
    for (int j = 0; j < s->domain[k].p.ndof; j++, at++) {
      out[at] = (moving){s->domain[k].dof[j], s->domain[k].sweep.v[j]};
      to[at] = ranks_owner(s->dofs, s->c->size, s->domain[k].dof[j]);
    }
  moving *got = ranks_exchange(s->c, out, sizeof *out, to, total, &count);
  bool *known = RANKS_TAKE(s->c, s->own_dofs, bool);
  *v = RANKS_TAKE(s->c, s->own_dofs, double);
  for (int64_t k = 0; k < count; k++) {  // all copies have the same velocity
    (*v)[got[k].dof - s->first_dof] = got[k].v;
    known[got[k].dof - s->first_dof] = true;
  }
  free(out);
  free(to);
  free(got);
  ss_error e = move_untouched(s, known, *v);
  free(known);
  return e;
}
