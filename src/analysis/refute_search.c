// The search of one part: a stack of cells, each weighed by a linear program, discarded by its certificate or
// split. Depth first; the cells and their order depend on the numbers of the part alone.
//
// Units: u_i / (s_i unit), r_i s_i / unit with s_i = sqrt(lambda_i), so that W has blocks of norm 1 on its
// diagonal and q is of order 1.
#include <math.h>
#include <string.h>

#include "analysis/refute.h"
#include "base/error.h"
#include "base/timer.h"
#include "cone/friction.h"
#include "la/phase1.h"

enum {
  DOUBTS = 8,      // smaller cells rarely help where the data is too rough: splits that are tried
  ASK_EVERY = 16,  // cells between looks at the clock
  DEPTH = 4,       // most splits of one contact before its sectors are halved
};

static const double FIRM = 1e-4;  // part of a gain that is given for a margin

typedef struct cell {
  ssi_cell_law *law;  // (n)
  double share;       // of all states
  int doubts;         // cells above that only the rounding of the data kept
} cell;

typedef struct search {
  ssi_refute_part *part;
  ssi_arena arena;
  int dim, n, m;
  double *W, *q, *s, unit;  // scaled   (m m), (m), (n)
  cell *stack;
  ssi_cell_law *laws;  // of the stack
  int height, room;
  double done;
  ssi_phase1 lp;
  int *ray_of;                 // contact of each column   (cols)
  double (*ray)[3];            // (cols)
  int *row_of;                 // contact of each row      (rows)
  double (*row)[3];            // (rows)
  double *r, *u;               // point of the cell at hand, scaled   (m)
  double *y;                   // (m of the whole)
  const ssi_cell_law **whole;  // law of every contact of the problem; NULL outside the part
  ssi_refute_judge judge;
  ssi_refute_trial trial;
  double best;  // score of the best point tried
} search;

// ---- setting up ------------------------------------------------------------------------------

static void scale(search *x) {
  const ssi_refute_data *d = x->part->d;
  for (int i = 0; i < x->n; i++) {
    x->s[i] = sqrt(d->lambda[x->part->contact[i]]);
    for (int k = 0; k < x->dim; k++)
      x->unit = fmax(x->unit, fabs(d->q[x->dim * x->part->contact[i] + k]) / x->s[i]);
  }
  if (!(x->unit > 0)) x->unit = 1;
  for (int i = 0; i < x->m; i++) {
    int a = x->dim * x->part->contact[i / x->dim] + i % x->dim;
    x->q[i] = d->q[a] / (x->s[i / x->dim] * x->unit);
    for (int j = 0; j < x->m; j++) {
      int b = x->dim * x->part->contact[j / x->dim] + j % x->dim;
      x->W[i * x->m + j] =
          d->W[(size_t)a * (size_t)d->m + (size_t)b] / (x->s[i / x->dim] * x->s[j / x->dim]);
    }
  }
}

static ss_error set_up(search *x) {
  ssi_refute_part *part = x->part;
  ssi_arena *arena = &x->arena;
  int m = x->m, n = x->n, cols = SSI_LAW_RAYS * n, rows = SSI_LAW_ROWS * n;
  x->W = SSI_TAKE(arena, m * m, double), x->q = SSI_TAKE(arena, m, double);
  x->s = SSI_TAKE(arena, n, double);
  x->room = (DEPTH + part->halvings) * n * SSI_LAW_CHILDREN;
  x->stack = SSI_TAKE(arena, x->room, cell);
  x->laws = SSI_TAKE(arena, (x->room + 1) * n, ssi_cell_law);
  x->ray_of = SSI_TAKE(arena, cols, int), x->row_of = SSI_TAKE(arena, rows, int);
  x->ray = ssi_arena_take(arena, (size_t)cols, sizeof *x->ray);
  x->row = ssi_arena_take(arena, (size_t)rows, sizeof *x->row);
  x->r = SSI_TAKE(arena, m, double), x->u = SSI_TAKE(arena, m, double);
  x->y = SSI_TAKE(arena, part->d->m, double);
  x->whole = SSI_TAKE(arena, part->d->p->nc, const ssi_cell_law *);
  if (!ssi_phase1_take(&x->lp, rows, cols, arena) ||
      !ssi_refute_judge_take(&x->judge, part->d, arena))
    return ssi_fail(part->ctx, SS_ERR_MEMORY, "no memory for the states");
  for (int k = 0; k < x->room; k++) x->stack[k].law = x->laws + (size_t)k * (size_t)n;
  scale(x);
  if (!part->o->solve) return SS_OK;
  return ssi_refute_trial_create(part->ctx, arena, part->d, n, part->contact, part->o->tol,
                                 &x->trial);
}

// ---- one cell --------------------------------------------------------------------------------

static void multiply(const search *x, int contact, const double ray[3], double *out) {  // W ray
  for (int i = 0; i < x->m; i++) {
    const double *w = x->W + i * x->m + x->dim * contact;
    out[i] = 0;
    for (int k = 0; k < x->dim; k++) out[i] += w[k] * ray[k];
  }
}

static void write_program(search *x, const ssi_cell_law *law) {
  ssi_phase1 *lp = &x->lp;
  lp->rows = lp->cols = 0;
  for (int i = 0; i < x->n; i++) {
    double mu = x->part->d->p->mu[x->part->contact[i]];
    int rays = ssi_law_rays(x->dim, mu, &law[i], x->ray + lp->cols);
    int rows = ssi_law_rows(x->dim, &law[i], x->row + lp->rows, lp->equal + lp->rows);
    for (int k = 0; k < rays; k++) x->ray_of[lp->cols++] = i;
    for (int k = 0; k < rows; k++) x->row_of[lp->rows++] = i;
  }
  for (int k = 0; k < lp->rows; k++) {
    lp->c[k] = 0;
    for (int l = 0; l < x->dim; l++) lp->c[k] += x->row[k][l] * x->q[x->dim * x->row_of[k] + l];
  }
  for (int j = 0; j < lp->cols; j++) {
    multiply(x, x->ray_of[j], x->ray[j], x->u);
    for (int k = 0; k < lp->rows; k++) {
      const double *u = x->u + x->dim * x->row_of[k];
      double sum = 0;
      for (int l = 0; l < x->dim; l++) sum += x->row[k][l] * u[l];
      lp->A[k * lp->cols + j] = sum;
    }
  }
}

// The multipliers of the program as a vector of the whole problem. On a sector, y_T is turned inwards by a
// little more than its rounding, so that it is in the sector's dual exactly.
static double certificate_reach(search *x, const ssi_cell_law *law, bool finite) {
  const ssi_refute_part *part = x->part;
  memset(x->y, 0, sizeof(double) * (size_t)part->d->m);
  for (int k = 0; k < x->lp.rows; k++) {
    double *y = x->y + x->dim * part->contact[x->row_of[k]],
           weight = x->lp.y[k] / x->s[x->row_of[k]];
    for (int l = 0; l < x->dim; l++) y[l] += weight * x->row[k][l];
  }
  for (int i = 0; i < x->n; i++) {
    double *y = x->y + x->dim * part->contact[i];
    x->whole[part->contact[i]] = &law[i];
    if (x->dim < 3 || law[i].kind != SSI_LAW_SLIP || law[i].halvings == 0) continue;
    double turn = 1e-15 * (fabs(y[1]) + fabs(y[2]));
    for (int l = 0; l < 2; l++) y[1 + l] += turn * (law[i].from[l] + law[i].to[l]);
  }
  return ssi_refute_reach(&x->judge, x->whole, x->y, finite);
}

// The multipliers are a corner of those possible: a contact may weigh nothing at all, by chance, and then
// to rounding only. Others are asked for that weigh against every ray, a little, where that can be.
static double firmer_reach(search *x, const ssi_cell_law *law, bool finite) {
  double wish = FIRM * x->lp.missing, reach = 0;
  for (int j = 0; j < x->lp.cols; j++) x->lp.wish[j] = wish;
  if (ssi_phase1_solve(&x->lp) == SSI_PHASE1_INFEASIBLE) reach = certificate_reach(x, law, finite);
  memset(x->lp.wish, 0, sizeof(double) * (size_t)x->lp.cols);
  return reach;
}

// How far the point is from Coulomb's law at each contact: the largest, and where among those that can
// be split. -1: none can.
static int worst_contact(search *x, const ssi_cell_law *law, double *worst) {
  int at = -1;
  double most = -1;
  ssi_cell_law child[SSI_LAW_CHILDREN];
  memset(x->r, 0, sizeof(double) * (size_t)x->m);
  for (int j = 0; j < x->lp.cols; j++)
    for (int l = 0; l < x->dim; l++) x->r[x->dim * x->ray_of[j] + l] += x->lp.x[j] * x->ray[j][l];
  *worst = 0;
  for (int i = 0; i < x->m; i++) {
    x->u[i] = x->q[i];
    for (int j = 0; j < x->m; j++) x->u[i] += x->W[i * x->m + j] * x->r[j];
  }
  for (int i = 0; i < x->n; i++) {
    double mu = x->part->d->p->mu[x->part->contact[i]], z[3], off = 0;
    ssi_natural_step(x->dim, mu, 1, x->r + x->dim * i, x->u + x->dim * i, z);
    for (int l = 0; l < x->dim; l++) off = fmax(off, fabs(x->r[x->dim * i + l] - z[l]));
    *worst = fmax(*worst, off);
    double wish = off + 1e-6 * ldexp(1, -law[i].halvings);  // of equals the widest
    bool whole = !law[i].sector || law[i].halvings < x->part->halvings;
    if (wish > most && whole && ssi_law_split(x->dim, mu, &law[i], child)) most = wish, at = i;
  }
  return at;
}

// ---- points to begin from --------------------------------------------------------------------

static void keep_start(search *x, double score) {
  ssi_refute_part *part = x->part;
  size_t m = (size_t)part->d->m, bytes = sizeof(double) * m;
  int at = part->start_count < SS_REFUTE_STARTS ? part->start_count : SS_REFUTE_STARTS;
  while (at > 0 && part->score[at - 1] > score) at--;
  if (at == SS_REFUTE_STARTS) return;
  if (part->start_count < SS_REFUTE_STARTS) part->start_count++;
  for (int k = part->start_count - 1; k > at; k--) {
    part->score[k] = part->score[k - 1];
    memcpy(part->starts + (size_t)k * m, part->starts + (size_t)(k - 1) * m, bytes);
  }
  double *to = part->starts + (size_t)at * m;
  part->score[at] = score;
  memcpy(to, part->r, bytes);
  for (int i = 0; i < x->m; i++)
    to[x->dim * part->contact[i / x->dim] + i % x->dim] = x->r[i] * x->unit / x->s[i / x->dim];
}

static void try_point(search *x) {
  ssi_refute_part *part = x->part;
  if (!x->trial.solver) return;
  for (int i = 0; i < x->m; i++) x->trial.r[i] = x->r[i] * x->unit / x->s[i / x->dim];
  part->solved = ssi_refute_trial_run(&x->trial);
  for (int i = 0; part->solved && i < x->m; i++)
    part->r[x->dim * part->contact[i / x->dim] + i % x->dim] = x->trial.r[i];
}

// ---- the search ------------------------------------------------------------------------------

static void push(search *x, const cell *from, int contact, const ssi_cell_law *law, double share) {
  cell *to = &x->stack[x->height++];
  memcpy(to->law, from->law, sizeof(ssi_cell_law) * (size_t)x->n);
  to->law[contact] = *law;
  to->share = share;
  to->doubts = from->doubts;
}

static void split(search *x, const cell *from, int contact) {
  ssi_cell_law child[SSI_LAW_CHILDREN];
  double mu = x->part->d->p->mu[x->part->contact[contact]];
  int count = ssi_law_split(x->dim, mu, &from->law[contact], child);
  for (int k = 0; k < count; k++) push(x, from, contact, &child[k], from->share / count);
}

static void look_at(search *x, cell *at) {
  ssi_refute_part *part = x->part;
  double score;
  write_program(x, at->law);
  ssi_phase1_state state = ssi_phase1_solve(&x->lp);
  if (state == SSI_PHASE1_INFEASIBLE) {
    bool finite = part->reach < INFINITY;  // by an earlier cell: all others need no more
    double reach = certificate_reach(x, at->law, finite);
    if (reach < (finite ? part->required : INFINITY))
      reach = fmax(reach, firmer_reach(x, at->law, finite));
    if (reach >= part->required) {
      part->reach = fmin(part->reach, reach);
      x->done += at->share;
      return;
    }
    part->data_doubt = true;
    at->doubts++;
  }
  int contact = worst_contact(x, at->law, &score);
  bool power = (part->cells & (part->cells - 1)) == 0;
  if (contact < 0 || power || score < 0.25 * x->best) {
    x->best = fmin(x->best, score);
    keep_start(x, score);
    try_point(x);
  }
  if (part->solved) return;
  if (contact >= 0 && at->doubts < DOUBTS) {
    split(x, at, contact);
  } else {
    part->left++;
    x->done += at->share;
  }
}

static bool goes_on(search *x) {
  ssi_refute_part *part = x->part;
  const ss_refute_options *o = part->o;
  part->stopped = part->data_doubt ? SS_REFUTE_DATA : SS_REFUTE_TIE;
  if (part->left >= part->left_most) return false;
  part->stopped = SS_REFUTE_CELLS;
  if (part->cells >= part->cells_most) return false;
  if (part->cells % ASK_EVERY) return true;
  ss_refute_progress now = {part->cells, x->done, ssi_now_s() - part->begin_s};
  part->stopped = SS_REFUTE_TIME;
  if (o->time_limit_s > 0 && now.time_s > o->time_limit_s) return false;
  part->stopped = SS_REFUTE_CANCELLED;
  return !o->progress || !o->progress(o->user, &now);
}

static void run(search *x) {
  ssi_refute_part *part = x->part;
  cell at = {.law = x->laws + (size_t)x->room * (size_t)x->n};
  for (int i = 0; i < x->n; i++) x->stack[0].law[i] = (ssi_cell_law){.kind = SSI_LAW_ANY};
  x->stack[0].share = 1, x->stack[0].doubts = 0;
  x->height = 1;
  while (x->height > 0 && !part->solved) {
    if (!goes_on(x)) return;
    x->height--;
    memcpy(at.law, x->stack[x->height].law, sizeof(ssi_cell_law) * (size_t)x->n);
    at.share = x->stack[x->height].share, at.doubts = x->stack[x->height].doubts;
    part->cells++;
    look_at(x, &at);
  }
  part->refuted = !part->solved && part->left == 0;
  part->stopped = part->data_doubt ? SS_REFUTE_DATA : SS_REFUTE_TIE;
}

ss_error ssi_refute_search(ssi_refute_part *part) {
  int dim = part->d->p->dim;
  search x = {.part = part, .dim = dim, .n = part->n, .m = dim * part->n, .best = INFINITY};
  x.arena.ctx = part->ctx;
  ss_error e = set_up(&x);
  part->reach = INFINITY;
  if (!e) run(&x);
  ssi_refute_trial_release(&x.trial);
  ssi_arena_release(&x.arena);
  return e;
}
