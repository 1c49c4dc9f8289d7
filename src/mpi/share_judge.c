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
#include "solvers/domains.h"

static const double STATE_TOLERANCE = 1e-8;  // as in verify.c

enum { LOAD, SPEED, REACTIONS, FCLIB, PENETRATION, NORMS };

typedef struct hearing {
  share *s;
  ssi_arena arena;
  ssi_motion *motion;  // of each domain
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

static ss_error begin(hearing *g, share *s) {
  *g = (hearing){.s = s, .arena = {.ctx = s->c->ctx}};
  g->motion = RANKS_TAKE(s->c, s->count, ssi_motion);
  share_parts_find(s, &g->parts);
  g->tally = RANKS_TAKE(s->c, g->parts.count, share_tally);
  g->scale = RANKS_TAKE(s->c, g->parts.count, double);
  g->still = RANKS_TAKE(s->c, g->parts.count, bool);
  g->norm = RANKS_TAKE(s->c, NORMS * s->count, ssi_norm);
  g->error = RANKS_TAKE(s->c, 3 * s->nc, double);
  g->tangent = g->error + s->nc;
  g->doubt = g->error + 2 * s->nc;
  ss_error e = SS_OK;
  for (int k = 0; k < s->count && !e; k++)
    e = ssi_motion_create(&g->arena, &s->domain[k].p, s->domain[k].mass, &g->motion[k]);
  return ranks_agree(s->c, e);
}

static void end(hearing *g) {
  share_parts_release(&g->parts);
  ssi_arena_release(&g->arena);
  free(g->motion);
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

// rhs of every domain: what all domains add to its dofs, minus f.
static void find_impulses(hearing *g, bool reactions) {
  share *s = g->s;
  ssi_dd *pairs = RANKS_TAKE(s->c, s->leaves, ssi_dd);
  for (int k = 0; reactions && k < s->count; k++) {
    ssi_motion_impulses(&g->motion[k], s->domain[k].r);
    for (int j = 0; j < s->domain[k].p.ndof; j++)
      if (s->domain[k].leaf[j] >= 0) pairs[s->domain[k].leaf[j]] = g->motion[k].rhs[j];
  }
  if (reactions) share_sum_pairs(s, pairs);
  for (int k = 0; k < s->count; k++)
    for (int j = 0; j < s->domain[k].p.ndof; j++) {
      int leaf = s->domain[k].leaf[j];
      ssi_dd sum = !reactions ? ssi_dd_from(0) : leaf >= 0 ? pairs[leaf] : g->motion[k].rhs[j];
      g->motion[k].rhs[j] = ssi_dd_add_d(sum, -s->domain[k].p.f[j]);
    }
  free(pairs);
}

static ss_error move(hearing *g, bool reactions) {
  ss_error e = SS_OK;
  find_impulses(g, reactions);
  for (int k = 0; k < g->s->count && !e; k++) e = ssi_motion_follow(&g->motion[k]);
  return ranks_agree(g->s->c, e);
}

// ---- the load: problem/load.c --------------------------------------------------------------

static const ssi_dd *velocity_of(const hearing *g, int k, int i) {
  return g->motion[k].u + (int64_t)g->s->dim * i;
}

static void tally_load(hearing *g) {
  share *s = g->s;
  clear_tallies(g);
  for (int k = 0; k < s->count; k++)
    for (int i = 0; i < s->domain[k].p.nc; i++)
      for (int j = 0; j < s->dim; j++) {
        share_tally *t = tally_of(g, k, i);
        double q = velocity_of(g, k, i)[j].hi;
        ssi_norm_add(&t->a, q);
        ssi_norm_add(&g->norm[NORMS * k + LOAD], q);
        t->most = fmax(t->most, fabs(s->domain[k].p.w[s->dim * i + j]));
      }
  share_parts_add_up(s, &g->parts, g->tally);
}

// |t| of each component, where w (per part) has its largest |w|; parts that are not asked keep what they have. most
// becomes 1 where some |q_i| is above its t_i.
static void tally_terms(hearing *g, double *const *y, double times, const double *w, bool doubts) {
  share *s = g->s;
  clear_tallies(g);
  for (int k = 0; k < s->count; k++)
    for (int i = 0; i < s->domain[k].p.nc; i++) {
      int part = g->parts.of[place_of(g, k, i)];
      double own = 0;
      for (int j = 0; j < s->dim; j++) {
        double t = w[part] + times * ssi_load_row_terms(&s->domain[k].p, y[k], s->dim * i + j);
        if (!(fabs(velocity_of(g, k, i)[j].hi) <= SSI_ROUNDING * t)) g->tally[part].most = 1;
        own = hypot(own, t);
      }
      ssi_norm_add(&g->tally[part].a, own);
      if (doubts && g->still[part]) g->doubt[place_of(g, k, i)] = SSI_ROUNDING * own;
    }
  share_parts_add_up(s, &g->parts, g->tally);
}

// y of every domain: |v| without reactions and, where asked, what rounding may do to it.
static ss_error find_motions(hearing *g, bool rounding, double **y) {
  share *s = g->s;
  ss_error e = SS_OK;
  for (int k = 0; k < s->count && !e; k++) {
    int n = s->domain[k].p.ndof;
    double *v = RANKS_TAKE(s->c, n, double);
    for (int j = 0; j < n; j++) v[j] = g->motion[k].v[j].hi;
    free(y[k]);
    y[k] = RANKS_TAKE(s->c, n, double);
    ssi_load load = {.v = v};
    if (rounding && n)
      e = ssi_load_motions(&s->domain[k].p, &load, s->domain[k].mass, y[k]);
    else
      memcpy(y[k], v, sizeof *v * (size_t)n);
    free(v);
  }
  return e;
}

static bool find_suspects(hearing *g, double *const *y, double *w) {
  int any = 0;
  for (int p = 0; p < g->parts.count; p++) {
    g->scale[p] = ssi_norm_value(g->tally[p].a);
    w[p] = g->tally[p].most;
  }
  tally_terms(g, y, 4, w, false);
  for (int p = 0; p < g->parts.count; p++) {
    double terms = ssi_norm_value(g->tally[p].a);
    g->still[p] = terms > 0 && g->scale[p] <= SSI_SUSPECT * terms;
    any = any || g->still[p];
  }
  MPI_Allreduce(MPI_IN_PLACE, &any, 1, MPI_INT, MPI_MAX, g->s->c->comm);
  return any;
}

static ss_error judge_load(hearing *g) {
  share *s = g->s;
  double **y = RANKS_TAKE(s->c, s->count, double *), *w = RANKS_TAKE(s->c, g->parts.count, double);
  tally_load(g);
  ss_error e = find_motions(g, false, y);
  if (find_suspects(g, y, w)) {
    if (!e) e = find_motions(g, true, y);
    e = ranks_agree(s->c, e);
    if (!e) tally_terms(g, y, 1, w, true);
    for (int p = 0; p < g->parts.count && !e; p++)
      if (g->still[p] && g->tally[p].most > 0)
        g->still[p] = false;
      else if (g->still[p])
        g->scale[p] = ssi_norm_value(g->tally[p].a);
  }
  for (int k = 0; k < s->count; k++) free(y[k]);
  free(y);
  free(w);
  return ranks_agree(s->c, e);
}

// ---- the law: problem/verify.c -------------------------------------------------------------

SSI_CLONES_FMA static void measure_contact(hearing *g, int k, int i) {
  share *s = g->s;
  const share_domain *d = &s->domain[k];
  int dim = s->dim;
  const double *r = d->r + dim * i, mu = d->p.mu[i];
  const ssi_dd *u = velocity_of(g, k, i);
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

static void measure(hearing *g) {
  clear_tallies(g);
  for (int k = 0; k < g->s->count; k++)
    for (int i = 0; i < g->s->domain[k].p.nc; i++) measure_contact(g, k, i);
  share_parts_add_up(g->s, &g->parts, g->tally);
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

// The largest value of all ranks, of equals the first contact.
static worst worst_of_all(const ranks *c, worst mine) {
  worst *all = RANKS_TAKE(c, c->size, worst), found = {-1, -1};
  MPI_Allgather(&mine, sizeof mine, MPI_BYTE, all, sizeof mine, MPI_BYTE, c->comm);
  for (int k = 0; k < c->size; k++)
    if (all[k].contact >= 0 && (all[k].value > found.value ||
                                (all[k].value == found.value && all[k].contact < found.contact)))
      found = all[k];
  free(all);
  return found;
}

// Errors and scales of the components; the first domain of each counts it.
static worst judge_parts(hearing *g, double counts[2], int *components) {
  const share_parts *p = &g->parts;
  worst found = {-1, -1};
  *components = 0;
  for (int k = 0; k < p->count; k++) {
    double scale = ssi_error_scale(g->scale[k], ssi_norm_value(g->tally[k].b));
    double error = isfinite(scale)
                       ? or_infinite(ssi_norm_value(g->tally[k].a) / fmax(scale, DBL_MIN))
                       : INFINITY;
    g->scale[k] = scale;
    if (error > found.value || (error == found.value && p->component[k] < found.contact))
      found = (worst){error, p->component[k]};
    *components += p->component[k] >= ssi_domain_first(g->s->contacts, g->s->domains, p->domain[k]);
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
      if (error > found.value) found = (worst){error, s->first_contact + at};
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
  for (int64_t k = 0; k < s->dim * s->nc && first.contact < 0; k++)
    if (!isfinite(s->r[k])) first = (worst){1, s->first_contact + k / s->dim};
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
  ss_error e = begin(&g, s);
  if (!e) e = move(&g, false);
  if (!e) e = judge_load(&g);
  if (!e) e = move(&g, true);
  if (!e) {
    measure(&g);
    conclude(&g, out);
    for (int k = 0; k < s->count; k++)
      for (int j = 0; j < s->domain[k].p.ndof; j++) s->domain[k].sweep.v[j] = g.motion[k].v[j].hi;
  }
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
