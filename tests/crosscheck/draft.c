// crosscheck/draft.c - see draft.h.
#include "draft.h"

void draft_decimals(uint64_t *g, int n, int dofs, draft *d) {
  static const long frictions[] = {3, 5, 10, 30, 2, 7};
  *d = (draft){.n = n, .dofs = dofs, .md = 10, .hd = 10, .fd = 10, .wd = 100};
  for (int i = 0; i < n; i++) d->mu[i] = frictions[whole(g, 0, 5)];
  for (int k = 0; k < dofs; k++) d->M[k] = whole(g, 1, 6), d->f[k] = whole(g, -20, 20);
  for (int i = 0; i < 2 * n; i++) {
    d->w[i] = whole(g, -200, 200);
    for (int k = 0; k < dofs; k++) d->H[i][k] = whole(g, -20, 20);
  }
}

void draft_rod(uint64_t *g, draft *d) {
  static const long sides[][3] = {{3, 4, 5},   {4, 3, 5},   {5, 12, 13}, {12, 5, 13},
                                  {8, 15, 17}, {15, 8, 17}, {7, 24, 25}, {20, 21, 29}};
  const long *t = sides[whole(g, 0, 7)];
  long gravity = whole(g, -2, 2), u0 = whole(g, -2, 3);
  *d = (draft){.n = 1, .dofs = 1, .md = t[1], .hd = t[2], .fd = t[2], .wd = 1, .M = {1}};
  d->mu[0] = chance(g, 20) ? t[0] : whole(g, 1, 2 * (int)t[1]);
  d->H[0][0] = t[0];
  d->H[1][0] = t[1];
  d->f[0] = t[0] * gravity;
  d->w[1] = u0;
}

// ---- from drafts to samples ---------------------------------------------------------------------

static void set(mpq_ptr to, long a, long b) {
  mpq_set_si(to, a, (unsigned long)b);
  mpq_canonicalize(to);
}

exact_problem exact_of_draft(const draft *d) {
  exact_problem p = exact_new(d->n, d->dofs, d->joints);
  for (int i = 0; i < d->n; i++) set(p.mu.x[i], d->mu[i], d->md);
  for (int k = 0; k < d->dofs; k++) {
    set(qat(&p.M, k, k), d->M[k], 1);
    set(p.f.x[k], d->f[k], d->fd);
    for (int j = 0; j < d->joints; j++) set(qat(&p.G, k, j), d->G[k][j], d->hd);
  }
  for (int j = 0; j < d->joints; j++) set(p.b.x[j], d->b[j], d->wd);
  for (int i = 0; i < 2 * d->n; i++) {
    set(p.w.x[i], d->w[i], d->wd);
    for (int k = 0; k < d->dofs; k++) set(qat(&p.H, i, k), d->H[i][k], d->hd);
  }
  exact_reduce(&p);
  return p;
}

void global_of_draft(const draft *d, sample *s) {
  s->n = d->n;
  s->dofs = d->dofs;
  s->joints = d->joints;
  s->intent = exact_of_draft(d);
  s->has_intent = true;
  round_intent(s);
}

// The reduced form of s in double arithmetic, as a script would compute it. M is diagonal.
void reduce_in_doubles(sample *s) {
  for (int i = 0; i < 2 * s->n; i++) {
    s->q[i] = s->w[i];
    for (int k = 0; k < s->dofs; k++) s->q[i] -= s->H[i][k] * s->f[k] / s->M[k][k];
    for (int j = 0; j <= i; j++) {
      double sum = 0;
      for (int k = 0; k < s->dofs; k++) sum += s->H[i][k] * s->H[j][k] / s->M[k][k];
      s->W[i][j] = s->W[j][i] = sum;
    }
  }
  s->dofs = 0;
}

// The reduced form of the intent, each number rounded once.
void reduce_rounded(sample *s) {
  for (int i = 0; i < 2 * s->n; i++) {
    s->q[i] = q_nearest(s->intent.q.x[i]);
    for (int j = 0; j < 2 * s->n; j++) s->W[i][j] = q_nearest(qat(&s->intent.W, i, j));
  }
  s->dofs = 0;
}

// The intent as a problem in the local form.
void forget_global_form(exact_problem *p) {
  exact_problem local = exact_new(p->n, 0, 0);
  qmat_set(&local.mu, &p->mu);
  qmat_set(&local.W, &p->W);
  qmat_set(&local.q, &p->q);
  exact_free(p);
  *p = local;
}

void make_local(uint64_t *g, sample *s) {
  if (chance(g, 50))
    reduce_in_doubles(s);
  else
    reduce_rounded(s);
  if (s->has_intent) forget_global_form(&s->intent);
}

void times_power_of_ten(mpq_ptr a, int k) {
  mpz_t t;
  mpz_init(t);
  mpz_ui_pow_ui(t, 10, (unsigned long)(k < 0 ? -k : k));
  mpz_ptr to = k < 0 ? mpq_denref(a) : mpq_numref(a);
  mpz_mul(to, to, t);
  mpq_canonicalize(a);
  mpz_clear(t);
}

void append_part(const draft *d, int unit, int mass, sample *s) {
  exact_problem part = exact_of_draft(d), *to = &s->intent;
  int n = s->n, dofs = s->dofs, joints = s->joints;
  for (int i = 0; i < d->n; i++) mpq_set(to->mu.x[n + i], part.mu.x[i]);
  for (int k = 0; k < d->dofs; k++) {
    mpq_set(qat(&to->M, dofs + k, dofs + k), qat(&part.M, k, k));
    times_power_of_ten(qat(&to->M, dofs + k, dofs + k), mass);
    mpq_set(to->f.x[dofs + k], part.f.x[k]);
    times_power_of_ten(to->f.x[dofs + k], unit + mass);
    for (int j = 0; j < d->joints; j++)
      mpq_set(qat(&to->G, dofs + k, joints + j), qat(&part.G, k, j));
  }
  for (int j = 0; j < d->joints; j++) {
    mpq_set(to->b.x[joints + j], part.b.x[j]);
    times_power_of_ten(to->b.x[joints + j], unit);
  }
  for (int i = 0; i < 2 * d->n; i++) {
    mpq_set(to->w.x[2 * n + i], part.w.x[i]);
    times_power_of_ten(to->w.x[2 * n + i], unit);
    for (int k = 0; k < d->dofs; k++) mpq_set(qat(&to->H, 2 * n + i, dofs + k), qat(&part.H, i, k));
  }
  s->n += d->n;
  s->dofs += d->dofs;
  s->joints += d->joints;
  exact_free(&part);
}

void round_intent(sample *s) {
  for (int i = 0; i < s->n; i++) s->mu[i] = q_nearest(s->intent.mu.x[i]);
  for (int k = 0; k < s->dofs; k++) {
    s->f[k] = q_nearest(s->intent.f.x[k]);
    for (int l = 0; l < s->dofs; l++) s->M[k][l] = q_nearest(qat(&s->intent.M, k, l));
    for (int j = 0; j < s->joints; j++) s->G[k][j] = q_nearest(qat(&s->intent.G, k, j));
  }
  for (int j = 0; j < s->joints; j++) s->b[j] = q_nearest(s->intent.b.x[j]);
  for (int i = 0; i < 2 * s->n; i++) {
    s->w[i] = q_nearest(s->intent.w.x[i]);
    for (int k = 0; k < s->dofs; k++) s->H[i][k] = q_nearest(qat(&s->intent.H, i, k));
  }
}
