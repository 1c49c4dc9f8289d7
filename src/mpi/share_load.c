// Mirrors problem/load.c: the scale of each component without reactions, and whether it is more than rounding.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/share_general.h"
#include "mpi/share_hearing.h"
#include "problem/load.h"

static ss_error tally_load(share_hearing *g) {
  share *s = g->s;
  ss_error e = SS_OK;
  share_hearing_clear(g);
  for (int k = 0; k < s->count && !e; k++) {
    e = share_hearing_move(g, &s->domain[k], false);
    for (int i = 0; i < s->domain[k].p.nc && !e; i++)
      for (int j = 0; j < s->dim; j++) {
        share_tally *t = share_tally_of(g, k, i);
        double q = share_velocity_of(g, i)[j].hi;
        ssi_norm_add(&t->a, q);
        ssi_norm_add(&g->norm[SHARE_NORMS * k + SHARE_LOAD], q);
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

static void tally_terms_of(share_hearing *g, int k, const terms *t, const double *y) {
  share *s = g->s;
  for (int i = 0; i < s->domain[k].p.nc; i++) {
    int part = g->parts.of[share_place_of(g, k, i)];
    double own = 0;
    for (int j = 0; j < s->dim; j++) {
      double x = t->w[part] + t->times * ssi_load_row_terms(&s->domain[k].p, y, s->dim * i + j);
      if (!(fabs(share_velocity_of(g, i)[j].hi) <= SSI_ROUNDING * x)) g->tally[part].most = 1;
      own = hypot(own, x);
    }
    ssi_norm_add(&g->tally[part].a, own);
    if (t->rounding && g->still[part]) g->doubt[share_place_of(g, k, i)] = SSI_ROUNDING * own;
  }
}

// |t| of each component; parts that are not asked keep what they have. most becomes 1 where some |q_i| is above its
// t_i. Collective.
static ss_error tally_terms(share_hearing *g, const terms *t) {
  share *s = g->s;
  ss_error e = SS_OK;
  share_hearing_clear(g);
  for (int k = 0; k < s->count && !e; k++) {
    share_domain *d = &s->domain[k];
    e = share_hearing_move(g, d, false);
    double *v = RANKS_TAKE(s->c, 2 * d->p.ndof, double), *y = v + d->p.ndof;
    for (int j = 0; j < d->p.ndof && !e; j++) v[j] = g->motion.v[j].hi;
    if (!e && t->rounding && d->p.ndof && s->rigid)
      e = ssi_load_motions(&d->p, &(ssi_load){.v = v}, d->mass, y);
    if (!s->rigid) memcpy(y, g->y + s->general->copies.first[k], sizeof *y * (size_t)d->p.ndof);
    if (!e) tally_terms_of(g, k, t, t->rounding ? y : v);
    free(v);
  }
  share_parts_add_up(s, &g->parts, g->tally);
  return ranks_agree(s->c, e);
}

static ss_error find_suspects(share_hearing *g, double *w, int *any) {
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
static ss_error find_general_doubts(share_hearing *g) {
  share_general *all = g->s->general;
  double *y = RANKS_TAKE(g->s->c, g->s->own_dofs, double);
  double *own = RANKS_TAKE(g->s->c, all->own_joints + all->joints, double),
         *limit = own + all->own_joints;
  ss_error e = share_general_doubts(all, y);
  if (!e) {
    share_to_copies(&all->copies, y, g->y);
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
static ss_error refuse_moved(const share_hearing *g) {
  static const double MOVED = 1e-6;  // as there
  int asked = 0;
  for (int p = 0; p < g->parts.count; p++) {
    double apart = share_hearing_gap_of(g, (double)g->parts.component[p]);
    asked = asked || (apart > 0 && g->scale[p] <= MOVED * apart);
  }
  MPI_Allreduce(MPI_IN_PLACE, &asked, 1, MPI_INT, MPI_MAX, g->s->c->comm);
  return asked ? ssi_fail(g->s->c->ctx, SS_ERR_UNSUPPORTED,
                          "bilateral constraints move contacts that nothing else moves: their "
                          "scale is found by one process only; use stickslip check")
               : SS_OK;
}

ss_error share_hearing_load(share_hearing *g) {
  double *w = RANKS_TAKE(g->s->c, g->parts.count, double);
  int any = 0;
  ss_error e = g->s->rigid ? SS_OK : share_general_move(g->s->general, NULL, NULL);
  if (!g->s->rigid && !e) share_hearing_take_motion(g);
  g->norm_s = share_hearing_gap(g);
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
