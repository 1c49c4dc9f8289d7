// Particles held by springs above an obstacle [Agw20], [Jack]: K x = f + r with x = (n, t) per particle,
// n towards the obstacle, r_n <= 0, r_t in mu r_n Sign(x_t). In our terms, where u_N > 0 separates,
//
//     M = K,   f = -f_paper,   per particle H = diag(-1, +1),   w = (gap, 0)
//
// s = sin(theta), c = cos(theta), theta between the inclined spring and the normal.
#include <math.h>

#include "base/error.h"
#include "models/model.h"

// K and loads into the draft; both in the paper's signs.
static ss_error put_stiffness(ssi_draft *d, int particles, const ssi_number *K,
                              const ssi_number *load) {
  int n = 2 * particles;
  SS_TRY(ssi_draft_begin(d, 2, particles, n));
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) *ssi_M(d, i, j) = K[i * n + j];
    d->f[i] = ssi_neg(load[i]);
    *ssi_H(d, i, i) = ssi_whole(i % 2 ? 1 : -1);
  }
  for (int i = 0; i < particles; i++) d->mu[i] = ssi_get(d, "mu");
  return SS_OK;
}

static void fill_zero(ssi_number *x, int count) {
  for (int k = 0; k < count; k++) x[k] = ssi_whole(0);
}

// x, or what the user gave as `name`.
static ssi_number or_given(const ssi_draft *d, const char *name, ssi_number x) {
  return ssi_given(d, name) ? ssi_get(d, name) : x;
}

typedef struct products {
  ssi_number s2, c2, sc;
} products;

static ss_error get_products(const ssi_draft *d, products *p) {
  ssi_number s, c;
  SS_TRY(ssi_get_angle(d, "theta", &s, &c));
  p->s2 = ssi_mul(s, s), p->c2 = ssi_mul(c, c), p->sc = ssi_mul(s, c);
  return SS_OK;
}

static ssi_number plus_one(ssi_number x) {
  return ssi_add(ssi_whole(1), x);
}

#define THETA SSI_ANGLE("theta", "3/4", "the inclined spring's angle with the normal")

// ---- one particle ---------------------------------------------------------------------------

static const ss_model_parameter klarbring_rows[] = {
    THETA,
    SSI_MU("1/2"),
    SSI_LOAD("1", "3/5"),
    {"k", "1", SSI_POSITIVE, "stiffness of the inclined spring"},
    {"k_n", "1", SSI_NOT_LESS, "stiffness of the spring along the normal"},
    {"gap", "0", SSI_NOT_LESS, "distance from the obstacle before"},
};

// [Agw20, Fig. 5]: K = [ k_n + k c^2, k s c; k s c, k s^2 ]
static ss_error build_klarbring(ssi_draft *d) {
  products a;
  ssi_number load[2], k = ssi_get(d, "k");
  SS_TRY(get_products(d, &a));
  SS_TRY(ssi_get_load(d, &load[0], &load[1]));
  ssi_number sc = ssi_mul(k, a.sc);
  const ssi_number K[] = {ssi_add(ssi_get(d, "k_n"), ssi_mul(k, a.c2)), sc, sc, ssi_mul(k, a.s2)};
  if (ssi_get(d, "k_n").x == 0)
    return ssi_fail(d->ctx, SS_ERR_ARGUMENT,
                    "klarbring: k_n is 0, which leaves K singular; expected > 0");
  SS_TRY(put_stiffness(d, 1, K, load));
  d->w[0] = ssi_get(d, "gap");
  return SS_OK;
}

const ssi_model ssi_model_klarbring = {
    .name = "klarbring",
    .summary = "one particle, two springs: unique for mu < tan(theta), three solutions beyond",
    .equation = "K = [k_n + k c^2, k s c; k s c, k s^2], load (f_n, f_t)",
    SSI_PARAMETERS(klarbring_rows),
    .build = build_klarbring,
};

static const ss_model_parameter static_rows[] = {
    {"beta", "6/5", SSI_POSITIVE, "(lambda + 3 nu)/2"},
    {"c", "1", SSI_NOT_LESS, "(lambda + nu)/2, less than beta"},
    {"lambda", NULL, SSI_ANY, "Lame constant, with nu, instead of beta and c"},
    {"nu", NULL, SSI_ANY, "Lame constant (shear), with lambda"},
    SSI_MU("2/5"),
    SSI_LOAD("1", "1/5"),
};

// [Jack, (1)] with the sign of b corrected: K = [ beta, -c; -c, beta ].
static ss_error build_static(ssi_draft *d) {
  ssi_number load[2], beta = ssi_get(d, "beta"), c = ssi_get(d, "c");
  bool lame = ssi_given(d, "lambda");
  if (lame != ssi_given(d, "nu") || (lame && (ssi_given(d, "beta") || ssi_given(d, "c"))))
    return ssi_fail(d->ctx, SS_ERR_ARGUMENT, "static: expected beta and c, or lambda and nu");
  if (lame) {
    ssi_number lambda = ssi_get(d, "lambda"), nu = ssi_get(d, "nu"), two = ssi_whole(2);
    beta = ssi_div(ssi_add(lambda, ssi_mul(ssi_whole(3), nu)), two);
    c = ssi_div(ssi_add(lambda, nu), two);
  }
  if (!(beta.x > fabs(c.x)))
    return ssi_fail(d->ctx, SS_ERR_ARGUMENT,
                    "static: beta is %g and c is %g, expected beta > c: K is not positive definite",
                    beta.x, c.x);
  SS_TRY(ssi_get_load(d, &load[0], &load[1]));
  const ssi_number K[] = {beta, ssi_neg(c), ssi_neg(c), beta};
  return put_stiffness(d, 1, K, load);
}

const ssi_model ssi_model_static = {
    .name = "static",
    .summary =
        "one contact node of an elastic body: unique for mu < beta/c, three solutions beyond",
    .equation = "K = [beta, -c; -c, beta], load (f_n, f_t)",
    SSI_PARAMETERS(static_rows),
    .build = build_static,
};

// ---- several particles ----------------------------------------------------------------------

static const ss_model_parameter alart_rows[] = {
    THETA,
    SSI_MU("1/2"),
    SSI_LOAD("1", "-2"),
    {"f_nB", NULL, SSI_ANY, "load of particle B, instead of f_n"},
    {"f_tB", NULL, SSI_ANY, "load of particle B, instead of -f_t"},
};

// [Agw20, (64)]
static ss_error build_alart(ssi_draft *d) {
  products a;
  ssi_number K[16], load[4];
  SS_TRY(get_products(d, &a));
  SS_TRY(ssi_get_load(d, &load[0], &load[1]));
  load[2] = or_given(d, "f_nB", load[0]);
  load[3] = or_given(d, "f_tB", ssi_neg(load[1]));
  fill_zero(K, 16);
  K[0] = K[10] = plus_one(a.c2);
  K[1] = K[4] = ssi_neg(a.sc);
  K[11] = K[14] = a.sc;
  K[5] = K[15] = plus_one(a.s2);
  K[7] = K[13] = ssi_whole(-1);
  return put_stiffness(d, 2, K, load);
}

const ssi_model ssi_model_alart = {
    .name = "alart",
    .summary = "two particles, mirrored: unique for mu < tan(theta), up to nine solutions beyond",
    .equation = "K = [1+c^2, -sc, 0, 0; -sc, 1+s^2, 0, -1; 0, 0, 1+c^2, sc; 0, -1, sc, 1+s^2],\n"
                "load (f_n, f_t, f_n, -f_t), or f_nB, f_tB for the second",
    SSI_PARAMETERS(alart_rows),
    .build = build_alart,
};

static const ss_model_parameter alart3_rows[] = {
    THETA,
    SSI_MU("1/2"),
    SSI_LOAD("1", "-2"),
    {"f_nB", NULL, SSI_ANY, "load of the middle particle, instead of f_n"},
    {"f_tB", NULL, SSI_ANY, "load of the middle particle, instead of 0"},
    {"f_nC", NULL, SSI_ANY, "load of the right particle, instead of f_n"},
    {"f_tC", NULL, SSI_ANY, "load of the right particle, instead of -f_t"},
    {"k_v", "1", SSI_NOT_LESS, "stiffness of the middle spring along the normal"},
};

// [Agw20, Fig. 7]: nn = (1 + c^2, k_v + 2 c^2, 1 + c^2), nt = (-sc, 0, sc),
// tt = (1 + s^2, 2 + 2 s^2, 1 + s^2), neighbours coupled by -1 along the obstacle.
static ss_error build_alart3(ssi_draft *d) {
  products a;
  ssi_number K[36], load[6], two = ssi_whole(2);
  SS_TRY(get_products(d, &a));
  SS_TRY(ssi_get_load(d, &load[0], &load[1]));
  load[2] = or_given(d, "f_nB", load[0]);
  load[3] = or_given(d, "f_tB", ssi_whole(0));
  load[4] = or_given(d, "f_nC", load[0]);
  load[5] = or_given(d, "f_tC", ssi_neg(load[1]));
  fill_zero(K, 36);
  K[0] = K[28] = plus_one(a.c2);
  K[14] = ssi_add(ssi_get(d, "k_v"), ssi_mul(two, a.c2));
  K[1] = K[6] = ssi_neg(a.sc);
  K[29] = K[34] = a.sc;
  K[7] = K[35] = plus_one(a.s2);
  K[21] = ssi_mul(two, plus_one(a.s2));
  K[9] = K[19] = K[23] = K[33] = ssi_whole(-1);
  return put_stiffness(d, 3, K, load);
}

const ssi_model ssi_model_alart3 = {
    .name = "alart3",
    .summary = "three particles: unique for mu < (2 + s^2)/(1 + s^2) tan(theta)",
    .equation =
        "K_nn = (1+c^2, k_v+2c^2, 1+c^2), K_nt = (-sc, 0, sc), K_tt = (1+s^2, 2+2s^2, 1+s^2),\n"
        "neighbours' t coupled by -1; load (f_n, f_t, f_n, 0, f_n, -f_t)",
    SSI_PARAMETERS(alart3_rows),
    .build = build_alart3,
};

static const ss_model_parameter periodic_rows[] = {
    SSI_ANGLE("theta", "3/4", "the angle of spring k1 with the obstacle"),
    SSI_MU("1/2"),
    SSI_LOAD("1", "0"),
    {"f_nB", NULL, SSI_ANY, "load of the second particle, instead of f_n"},
    {"f_tB", NULL, SSI_ANY, "load of the second particle, instead of f_t"},
    {"k1", "2", SSI_POSITIVE, "stiffness of the first outer spring"},
    {"k2", "1", SSI_POSITIVE, "stiffness of the second, orthogonal to it"},
    {"k3", "1", SSI_NOT_LESS, "stiffness between neighbours"},
};

// [Agw20, Fig. 8]; particles 1 and 3 are the same, so each neighbour spring counts twice.
static ss_error build_periodic(ssi_draft *d) {
  products a;
  ssi_number K[16], load[4];
  ssi_number k1 = ssi_get(d, "k1"), k2 = ssi_get(d, "k2");
  ssi_number twice = ssi_mul(ssi_whole(2), ssi_get(d, "k3"));
  SS_TRY(get_products(d, &a));
  SS_TRY(ssi_get_load(d, &load[0], &load[1]));
  load[2] = or_given(d, "f_nB", load[0]);
  load[3] = or_given(d, "f_tB", load[1]);
  fill_zero(K, 16);
  K[0] = K[10] = ssi_add(ssi_mul(k1, a.s2), ssi_mul(k2, a.c2));
  K[1] = K[4] = K[11] = K[14] = ssi_mul(ssi_sub(k1, k2), a.sc);
  K[5] = K[15] = ssi_add(ssi_add(ssi_mul(k1, a.c2), ssi_mul(k2, a.s2)), twice);
  K[7] = K[13] = ssi_neg(twice);
  return put_stiffness(d, 2, K, load);
}

const ssi_model ssi_model_periodic = {
    .name = "periodic",
    .summary =
        "endless row of particles, two per period: unique for mu < (k2 s^2 + k1 c^2)/|k1-k2|/(sc)",
    .equation =
        "per particle K_nn = k1 s^2 + k2 c^2, K_nt = (k1-k2) s c, K_tt = k1 c^2 + k2 s^2 + 2 k3,\n"
        "their t coupled by -2 k3; load (f_n, f_t) on both",
    SSI_PARAMETERS(periodic_rows),
    .build = build_periodic,
};
