// crosscheck/kinds_small.c - see kinds_small.h.
#include "kinds_small.h"

#include <string.h>

// to += +- c 10^-k, k = 9 .. 15
static void add_small(uint64_t *g, mpq_ptr to) {
  mpq_t small;
  mpq_init(small);
  mpq_set_si(small, whole(g, 1, 9) * (chance(g, 50) ? 1 : -1), 1);
  times_power_of_ten(small, -whole(g, 9, 15));
  mpq_add(to, to, small);
  mpq_clear(small);
}

static void finish(sample *s) {
  exact_reduce(&s->intent);
  round_intent(s);
}

// w = -H v, f = -M v in decimals, and then some rows of w, or entries of f, are off by 1e-15 .. 1e-9.
void make_offsets(uint64_t *g, sample *s) {
  int n = whole(g, 1, 4);
  draft d;
  draft_decimals(g, n, whole(g, 1, 2 * n), &d);
  long v[KIND_ROWS];
  bool load = chance(g, 50);  // a load of its own: only w and H v cancel
  for (int k = 0; k < d.dofs; k++) {
    v[k] = whole(g, -20, 20);
    if (!load) d.f[k] = -d.M[k] * v[k];
  }
  for (int i = 0; i < 2 * n; i++) {
    d.w[i] = 0;
    for (int k = 0; k < d.dofs; k++) d.w[i] -= d.H[i][k] * v[k];
  }
  global_of_draft(&d, s);
  for (int i = 0; i < 2 * n; i++)
    if (chance(g, 60)) add_small(g, s->intent.w.x[i]);
  for (int k = 0; k < d.dofs; k++)
    if (chance(g, 20)) add_small(g, s->intent.f.x[k]);
  finish(s);
}

// Some rows of w, or all, are 0 or of 1e-15 .. 1e-9; rods among them, which then jam slowly.
void make_small_motions(uint64_t *g, sample *s) {
  draft part[2];
  int parts = whole(g, 1, 2), n = 0, dofs = 0;
  for (int h = 0; h < parts; h++) {
    if (chance(g, 50))
      draft_rod(g, &part[h]);
    else
      draft_decimals(g, whole(g, 1, 2), whole(g, 1, 3), &part[h]);
    n += part[h].n, dofs += part[h].dofs;
  }
  s->intent = exact_new(n, dofs, 0);
  s->has_intent = true;
  for (int h = 0; h < parts; h++) append_part(&part[h], 0, 0, s);
  int percent = whole(g, 2, 10) * 10;
  for (int i = 0; i < 2 * n; i++) {
    if (!chance(g, percent)) continue;
    mpq_set_si(s->intent.w.x[i], 0, 1);
    if (chance(g, 70)) add_small(g, s->intent.w.x[i]);
  }
  if (parts == 2 && chance(g, 30))  // one contact of the second part touches the first
    mpq_set(qat(&s->intent.H, 2 * part[0].n, 0), qat(&s->intent.H, 0, 0));
  finish(s);
}

// W in the local form, regular or not; some rows of q, or all, are 0 or of 1e-15 .. 1e-9.
void make_small_local(uint64_t *g, sample *s) {
  int n = whole(g, 1, 4);
  draft d;
  draft_decimals(g, n, chance(g, 70) ? 2 * n : whole(g, 1, 2 * n), &d);
  bool exact = chance(g, 50);  // whole numbers: W is what it is
  for (int k = 0; k < d.dofs && exact; k++) d.M[k] = 1, d.f[k] = whole(g, -2, 2);
  for (int i = 0; i < 2 * n && exact; i++) {
    d.w[i] = whole(g, -2, 2);
    for (int k = 0; k < d.dofs; k++) d.H[i][k] = chance(g, 50) ? 0 : whole(g, -2, 2);
  }
  if (exact) d.hd = d.fd = d.wd = 1;
  global_of_draft(&d, s);
  reduce_rounded(s);
  forget_global_form(&s->intent);
  int percent = whole(g, 2, 10) * 10;
  for (int i = 0; i < 2 * n; i++) {
    if (!chance(g, percent)) continue;
    mpq_set_si(s->intent.q.x[i], 0, 1);
    if (chance(g, 70)) add_small(g, s->intent.q.x[i]);
    s->q[i] = q_nearest(s->intent.q.x[i]);
  }
}

// One part: at rest, nearly at rest, moving as one, a rod (jammed or not), or ordinary.
enum part_state { PART_REST, PART_NEARLY, PART_AS_ONE, PART_ROD, PART_ORDINARY, PART_STATES };

static void draft_part(uint64_t *g, int state, int contacts, draft *d) {
  if (state == PART_ROD || (state != PART_ORDINARY && chance(g, 40)))
    draft_rod(g, d);
  else
    draft_decimals(g, whole(g, 1, contacts), whole(g, 1, 2), d);
  if (state == PART_ROD || state == PART_ORDINARY) return;
  memset(d->w, 0, sizeof d->w);
  memset(d->f, 0, sizeof d->f);
  if (state == PART_AS_ONE && d->hd == 10) {
    long v = whole(g, -20, 20);
    for (int k = 0; k < d->dofs; k++) d->f[k] = -d->M[k] * v;
    for (int i = 0; i < 2 * d->n; i++)
      for (int k = 0; k < d->dofs; k++) d->w[i] -= d->H[i][k] * v;
  }
}

void make_rest_parts(uint64_t *g, sample *s) {
  draft part[JUDGE_CONTACTS];
  int state[JUDGE_CONTACTS], parts = whole(g, 2, JUDGE_CONTACTS), n = 0, dofs = 0;
  for (int h = 0; h < parts; h++) {
    int room = JUDGE_CONTACTS - n - (parts - 1 - h);
    state[h] = h ? whole(g, 0, PART_STATES - 1) : whole(g, PART_REST, PART_NEARLY);
    draft_part(g, state[h], room < 2 ? room : 2, &part[h]);
    n += part[h].n, dofs += part[h].dofs;
  }
  s->intent = exact_new(n, dofs, 0);
  s->has_intent = true;
  for (int h = 0; h < parts; h++) {
    int row = 2 * s->n, dof = s->dofs;
    append_part(&part[h], chance(g, 20) ? whole(g, -6, 6) : 0, 0, s);
    if (state[h] != PART_NEARLY) continue;
    for (int i = row; i < 2 * s->n; i++)
      if (chance(g, 50)) add_small(g, s->intent.w.x[i]);
    for (int k = dof; k < s->dofs; k++)
      if (chance(g, 50)) add_small(g, s->intent.f.x[k]);
  }
  finish(s);
}
