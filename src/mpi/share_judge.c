// Mirrors problem/verify.c: what it sums over contacts is summed over each domain, and over domains in order; what it
// sums over components goes through share_parts. The arithmetic of a contact is its own.
#include "mpi/share_judge.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/share_general.h"
#include "mpi/share_hearing.h"
#include "problem/load.h"

static const double STATE_TOLERANCE = 1e-8;  // as in verify.c

SSI_CLONES_FMA static void measure_contact(share_hearing *g, int k, int i) {
  share *s = g->s;
  const share_domain *d = &s->domain[k];
  int dim = s->dim;
  const double *r = d->r + dim * i, mu = d->p.mu[i];
  const ssi_dd *u = share_velocity_of(g, i);
  ssi_norm *norm = g->norm + SHARE_NORMS * k;
  ssi_dd F[3], tangent = ssi_tangent_length(dim, u);
  ssi_contact_error own = ssi_contact_judge(dim, mu, d->lambda[i], r, u, tangent);
  int64_t at = share_place_of(g, k, i);
  g->tangent[at] = tangent.hi;
  g->error[at] = ssi_beyond_doubt(own.left, g->doubt[at]);
  if (u[0].hi < 0) ssi_norm_add(&norm[SHARE_PENETRATION], fmax(-u[0].hi, own.missing));
  ssi_natural_map(dim, mu, 1, r, u, tangent, F);
  ssi_norm_add(&share_tally_of(g, k, i)->a, g->error[at]);
  for (int j = 0; j < dim; j++) {
    ssi_norm_add(&norm[SHARE_FCLIB], F[j].hi);
    ssi_norm_add(&norm[SHARE_SPEED], u[j].hi);
    ssi_norm_add(&norm[SHARE_REACTIONS], r[j]);
    ssi_norm_add(&share_tally_of(g, k, i)->b, u[j].hi);
    d->u[dim * i + j] = u[j].hi;
  }
}

static ss_error measure(share_hearing *g) {
  share *s = g->s;
  ss_error e = share_hearing_impulses(g);
  share_hearing_clear(g);
  for (int k = 0; k < s->count && !e; k++) {
    share_domain *d = &s->domain[k];
    e = share_hearing_move(g, d, true);
    for (int i = 0; i < d->p.nc && !e; i++) measure_contact(g, k, i);
    for (int j = 0; j < d->p.ndof && !e && s->rigid; j++) d->sweep.v[j] = g->motion.v[j].hi;
  }
  share_parts_add_up(s, &g->parts, g->tally);
  return ranks_agree(s->c, e);
}

// The norms over all domains, in order.
static void join_norms(const share_hearing *g, double value[SHARE_NORMS]) {
  enum { WIDTH = 4 * SHARE_NORMS };
  double *mine = RANKS_TAKE(g->s->c, WIDTH * g->s->count, double);
  for (int k = 0; k < SHARE_NORMS * g->s->count; k++) {
    const ssi_norm *n = &g->norm[k];
    memcpy(mine + 4 * k, (double[]){n->large, n->ordinary, n->small, n->overflow},
           4 * sizeof *mine);
  }
  double *all = share_of_domains(g->s, mine, WIDTH);
  for (int n = 0; n < SHARE_NORMS; n++) {
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
static worst judge_parts(share_hearing *g, double counts[2], int *components, double *equality) {
  const share_parts *p = &g->parts;
  worst found = {-1, -1};
  *components = p->begins;
  for (int k = 0; k < p->count; k++) {
    double scale = ssi_error_scale(g->scale[k], ssi_norm_value(g->tally[k].b));
    double unit = fmax(scale, DBL_MIN), gap = share_hearing_gap_of(g, (double)p->component[k]);
    bool moves = scale > 0 && !g->still[k];
    double apart = or_infinite(gap / (moves ? unit : fmax(unit, g->norm_s)));
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

static worst count_states(share_hearing *g, const ss_verdict *v, int64_t states[3]) {
  share *s = g->s;
  worst found = {-1, -1};
  for (int k = 0; k < s->count; k++)
    for (int i = 0; i < s->domain[k].p.nc; i++) {
      int64_t at = share_place_of(g, k, i);
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

static void conclude(share_hearing *g, ss_verdict *out) {
  const ranks *c = g->s->c;
  double n[SHARE_NORMS], still[2] = {0}, equality = 0;
  join_norms(g, n);
  double scale = fmax(n[SHARE_LOAD], n[SHARE_SPEED]), unit = fmax(scale, n[SHARE_REACTIONS]);
  bool overflow = !isfinite(scale);
  if (!(unit > DBL_EPSILON)) unit = 1;
  int components;
  worst part = worst_of_all(c, judge_parts(g, still, &components, &equality));
  MPI_Allreduce(MPI_IN_PLACE, &components, 1, MPI_INT, MPI_SUM, c->comm);
  MPI_Allreduce(MPI_IN_PLACE, still, 1, MPI_DOUBLE, MPI_SUM, c->comm);  // whole numbers: exact
  MPI_Allreduce(MPI_IN_PLACE, &equality, 1, MPI_DOUBLE, MPI_MAX, c->comm);
  double lost =
      or_infinite(share_hearing_gap_of(g, INFINITY) / fmax(fmax(scale, g->norm_s), DBL_MIN));
  equality = fmax(equality, lost);  // of joints that move no contact
  *out = (ss_verdict){.error = overflow ? INFINITY : fmax(part.value, lost),
                      .equality = equality,
                      .error_fclib =
                          overflow ? INFINITY
                                   : or_infinite((n[SHARE_FCLIB] + share_hearing_gap(g)) / unit),
                      .penetration = overflow ? INFINITY : or_infinite(n[SHARE_PENETRATION] / unit),
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
  share_hearing g;
  if (refuse(s, out)) return SS_OK;
  share_hearing_begin(&g, s);
  ss_error e = share_hearing_load(&g);
  if (!e) e = measure(&g);
  if (!e) conclude(&g, out);
  share_hearing_end(&g);
  return e;
}
