// crosscheck/kinds.c - see kinds.h. Most kinds choose small decimals, keep them as rationals (the
// intent) and round them to doubles as a user's script would.
#include "kinds.h"

#include <math.h>
#include <string.h>

#include "kinds_joints.h"
#include "kinds_small.h"

// Numbers without structure; half of them with w = 0; either form.
static void make_ordinary(uint64_t *g, sample *s) {
  double rest = chance(g, 50) ? 0 : 1;
  s->n = whole(g, 1, 4);
  s->dofs = whole(g, 1, 8);
  for (int i = 0; i < s->n; i++) s->mu[i] = between(g, 0, 1.5);
  for (int k = 0; k < s->dofs; k++) s->M[k][k] = between(g, 0.5, 5), s->f[k] = between(g, -3, 3);
  for (int i = 0; i < 2 * s->n; i++) {
    s->w[i] = rest * between(g, -1, 1);
    for (int k = 0; k < s->dofs; k++) s->H[i][k] = between(g, -2, 2);
  }
  if (s->dofs >= 2 * s->n && chance(g, 40)) reduce_in_doubles(s);
}

// Small whole numbers, repeated and zero rows, friction on the corner: ties everywhere, all exact.
static void make_degenerate(uint64_t *g, sample *s) {
  draft d = {.n = whole(g, 1, 4), .dofs = whole(g, 1, 4), .md = 2, .hd = 1, .fd = 1, .wd = 1};
  for (int i = 0; i < d.n; i++) d.mu[i] = whole(g, 0, 4);
  for (int k = 0; k < d.dofs; k++) d.M[k] = 1L << whole(g, 0, 2), d.f[k] = whole(g, -2, 2);
  bool rest = chance(g, 50);
  for (int i = 0; i < 2 * d.n; i++) {
    d.w[i] = rest ? 0 : whole(g, -1, 1);
    for (int k = 0; k < d.dofs; k++) d.H[i][k] = chance(g, 40) ? 0 : whole(g, -2, 2);
  }
  if (d.n > 1 && chance(g, 40)) {  // a contact twice
    int from = whole(g, 0, d.n - 1), to = whole(g, 0, d.n - 1);
    for (int c = 0; c < 2; c++) memcpy(d.H[2 * to + c], d.H[2 * from + c], sizeof d.H[0]);
  }
  if (chance(g, 15)) memset(d.H[whole(g, 0, 2 * d.n - 1)], 0, sizeof d.H[0]);
  global_of_draft(&d, s);
  if (chance(g, 30)) reduce_in_doubles(s), forget_global_form(&s->intent);
}

// Everything moves as one, but for rounding: f = -M v, w = -H v.
static void cancel(uint64_t *g, sample *s, bool some) {
  int n = whole(g, 1, 3);
  draft d;
  draft_decimals(g, n, whole(g, 1, 2 * n), &d);
  long v[KIND_ROWS], velocity;
  for (int k = 0; k < d.dofs; k++) v[k] = whole(g, -20, 20), d.f[k] = -d.M[k] * v[k];
  for (int i = 0; i < 2 * n; i++) {
    if (some && chance(g, 30)) continue;  // this row is left as it was
    velocity = 0;
    for (int k = 0; k < d.dofs; k++) velocity += d.H[i][k] * v[k];
    d.w[i] = -velocity;
  }
  draft rounded = d;
  global_of_draft(&rounded, s);
  if (chance(g, 50)) return;  // every number rounded once; else as a script computes them
  for (int k = 0; k < d.dofs; k++) s->f[k] = -(s->M[k][k] * ((double)v[k] / 10));
  for (int i = 0; i < 2 * n; i++) {
    double sum = 0;
    velocity = 0;
    for (int k = 0; k < d.dofs; k++) {
      velocity += d.H[i][k] * v[k];
      sum += s->H[i][k] * ((double)v[k] / 10);
    }
    if (d.w[i] == -velocity) s->w[i] = -sum;
  }
}
static void make_cancelling(uint64_t *g, sample *s) {
  cancel(g, s, false);
}
static void make_cancelling_some(uint64_t *g, sample *s) {
  cancel(g, s, true);
}

// W = H M^-1 H^T rounded, of lower rank than it has rows.
static void make_singular_local(uint64_t *g, sample *s) {
  int n = whole(g, 1, 3);
  draft d;
  draft_decimals(g, n, whole(g, 1, 2 * n - 1), &d);
  if (chance(g, 40)) memset(d.w, 0, sizeof d.w);
  global_of_draft(&d, s);
  make_local(g, s);
}

static void make_rod(uint64_t *g, sample *s) {
  draft d;
  draft_rod(g, &d);
  global_of_draft(&d, s);
}
static void make_rod_local(uint64_t *g, sample *s) {
  draft d;
  draft_rod(g, &d);
  global_of_draft(&d, s);
  make_local(g, s);
}

// Two contacts pressed against each other: W definite, smallest eigenvalue 1e-4 .. 1e-14.
static void make_nearly_singular(uint64_t *g, sample *s) {
  s->n = 2;
  double gap = power_of_ten(-whole(g, 4, 14));
  double sign = chance(g, 80) ? -1 : 1;
  for (int i = 0; i < 2; i++) s->mu[i] = 0.1 * whole(g, 0, 20);
  for (int i = 0; i < 4; i++) {
    s->W[i][i] = 1;
    s->q[i] = 0.5 * whole(g, -2, 2);
  }
  int a = whole(g, 0, 1), b = 2 + whole(g, 0, 1);
  s->W[a][b] = s->W[b][a] = sign * (1 - gap);
}

// Rows that oppose each other but for entries of 1e-4 .. 1e-8.
static void make_small_entries(uint64_t *g, sample *s) {
  s->n = 2;
  s->dofs = 4;
  double small = power_of_ten(-whole(g, 4, 8));
  for (int i = 0; i < 2; i++) s->mu[i] = 0.1 * whole(g, 0, 20);
  for (int k = 0; k < 4; k++) {
    s->M[k][k] = whole(g, 1, 3);
    s->f[k] = chance(g, 50) ? 0 : whole(g, -2, 2);
    s->w[k] = chance(g, 40) ? 0 : whole(g, -2, 2);
  }
  s->H[0][0] = 1;
  s->H[2][0] = chance(g, 80) ? -1 : 1;
  s->H[0][1] = small * whole(g, -2, 2);
  s->H[2][1] = small * whole(g, 1, 2);
  s->H[1][2] = whole(g, 0, 1);
  s->H[3][3] = whole(g, 0, 1);
  s->H[1][0] = chance(g, 30) ? 0.5 * whole(g, -2, 2) : 0;
}

// Two parts that know nothing of each other, in units that differ by up to 1e10.
static void make_scales(uint64_t *g, sample *s) {
  draft part[2];
  for (int h = 0; h < 2; h++) {
    if (chance(g, 50))
      draft_rod(g, &part[h]);
    else
      draft_decimals(g, whole(g, 1, 2), whole(g, 1, 3), &part[h]);
  }
  int unit = whole(g, -10, 10), mass = whole(g, -6, 6);
  s->intent = exact_new(part[0].n + part[1].n, part[0].dofs + part[1].dofs, 0);
  s->has_intent = true;
  append_part(&part[0], 0, 0, s);
  append_part(&part[1], unit, mass, s);
  exact_reduce(&s->intent);
  round_intent(s);
}

// W symmetric with a negative eigenvalue well beyond rounding.
static void make_indefinite(uint64_t *g, sample *s) {
  s->n = whole(g, 1, 3);
  for (int i = 0; i < s->n; i++) s->mu[i] = 0.1 * whole(g, 0, 15);
  for (int i = 0; i < 2 * s->n; i++) {
    s->q[i] = whole(g, -2, 2);
    s->W[i][i] = whole(g, 1, 3);
    for (int j = 0; j < i; j++) s->W[i][j] = s->W[j][i] = chance(g, 50) ? 0 : 0.5 * whole(g, -4, 4);
  }
  int a = whole(g, 0, 2 * s->n - 1), b = (a + whole(g, 1, 2 * s->n - 1)) % (2 * s->n);
  s->W[a][b] = s->W[b][a] = (chance(g, 50) ? 1 : -1) * (s->W[a][a] + s->W[b][b]);
}

// Friction of 1e2 .. 1e12 at some or all contacts.
static void make_high_mu(uint64_t *g, sample *s) {
  draft d;
  draft_decimals(g, whole(g, 1, 3), whole(g, 1, 6), &d);
  if (chance(g, 60)) memset(d.w, 0, sizeof d.w);
  if (chance(g, 20)) {  // a block on the ground
    d = (draft){.n = 1,
                .dofs = 2,
                .mu = {10},
                .M = {1, 1},
                .f = {10, whole(g, -5, 5)},
                .md = 10,
                .hd = 1,
                .fd = 10,
                .wd = 1};
    d.H[0][0] = d.H[1][1] = 1;
  }
  global_of_draft(&d, s);
  for (int i = 0; i < d.n; i++) {
    if (d.n > 1 && chance(g, 30)) continue;
    s->mu[i] = power_of_ten(whole(g, 2, 12));
    mpq_set_d(s->intent.mu.x[i], s->mu[i]);
  }
}

const kind kinds[] = {
    {"ordinary", "numbers without structure, both forms", make_ordinary},
    {"degenerate", "small whole numbers, repeated rows, ties", make_degenerate},
    {"cancelling", "f = -M v, w = -H v but for rounding", make_cancelling},
    {"cancelling-some", "the same in some rows only", make_cancelling_some},
    {"singular-local", "W = H M^-1 H^T rounded, rank deficient", make_singular_local},
    {"rod", "the rod of [AC11, 4.2], decided corners", make_rod},
    {"rod-local", "the rod's W and q, rounded", make_rod_local},
    {"nearly-singular", "W definite, eigenvalue 1e-4 .. 1e-14", make_nearly_singular},
    {"small-entries", "H with entries 1 and 1e-4 .. 1e-8", make_small_entries},
    {"scales", "two parts, units up to 1e10 apart", make_scales},
    {"indefinite", "W with a negative eigenvalue", make_indefinite},
    {"high-mu", "mu = 1e2 .. 1e12", make_high_mu},
    {"joints", "bilateral rows", make_joints},
    {"joints-redundant", "rows that repeat others, consistent or not", make_joints_redundant},
    {"joints-rounded", "the same in decimals: but for rounding", make_joints_rounded},
    {"joints-locked", "no motion left", make_joints_locked},
    {"offsets", "near-cancelling w and H v, 1e-15 .. 1e-9 apart", make_offsets},
    {"small-motions", "w of 1e-15 .. 1e-9 beside ordinary ones", make_small_motions},
    {"small-local", "q of 1e-15 .. 1e-9 beside ordinary ones", make_small_local},
    {"rest-parts", "parts at rest, or nearly, beside others", make_rest_parts},
};
const int kind_count = sizeof kinds / sizeof *kinds;

void sample_make(const kind *k, uint64_t seed, sample *s) {
  uint64_t g = seed;
  for (const char *c = k->name; *c; c++) g = g * 1099511628211u + (unsigned char)*c;
  memset(s, 0, sizeof *s);
  next(&g);
  k->make(&g, s);
  sample_complete(s);
}
