// Solution sets against the shared oracles B and E ([Agw20], [Jack]) and the grid of A ([AC11]), with the
// problems built from their formulas in exact fractions. Each is enumerated in rational and in
// double arithmetic.
//
// K u = f + r with u_n <= 0, r_n <= 0 is M = K, f = -f, w = 0, H = (-1 on the normal, +1 on the
// tangent).
#include "harness.h"

#include <jansson.h>

#include "dense.h"
#include "stickslip/enumerate.h"

enum { MOST = 6 };  // unknowns: three contacts

// ---- fractions ------------------------------------------------------------------------------

typedef struct fraction {
  long long p, q;
} fraction;

static long long gcd(long long a, long long b) {
  return b ? gcd(b, a % b) : llabs(a);
}

static fraction make(long long p, long long q) {
  long long g = gcd(p, q);
  if (q < 0) g = -g;
  return (fraction){p / g, q / g};
}

static fraction add(fraction a, fraction b) {
  return make(a.p * b.q + b.p * a.q, a.q * b.q);
}

static fraction mul(fraction a, fraction b) {
  return make(a.p * b.p, a.q * b.q);
}

static fraction neg(fraction a) {
  return make(-a.p, a.q);
}

static fraction parse(const json_t *value) {
  if (json_is_integer(value)) return make(json_integer_value(value), 1);
  const char *text = json_string_value(value);
  assert_non_null(text);
  char *slash;
  long long p = strtoll(text, &slash, 10), q = *slash ? strtoll(slash + 1, NULL, 10) : 1;
  return make(p, q);
}

static double real(const json_t *value) {
  if (json_is_real(value)) return json_real_value(value);
  fraction a = parse(value);
  return (double)a.p / (double)a.q;
}

// ---- problems -------------------------------------------------------------------------------

typedef struct written {  // a stiffness problem, in numbers and as written
  int n;                  // contacts
  ssi_arena arena;
  ss_problem p;
  ss_exact exact;
} written;

static const char *const *write_all(ssi_arena *arena, const fraction *x, int count, double *values,
                                    bool skip_zeros) {
  const char **texts = SSI_TAKE(arena, count, const char *);
  int used = 0;
  for (int k = 0; k < count; k++) {
    values[k] = (double)x[k].p / (double)x[k].q;
    if (skip_zeros && x[k].p == 0) continue;
    char *text = SSI_TAKE(arena, 48, char);
    snprintf(text, 48, "%lld/%lld", x[k].p, x[k].q);
    texts[used++] = text;
  }
  return texts;
}

static written stiffness(int n, const fraction *K, const fraction *f, fraction mu) {
  written w = {.n = n};
  int m = 2 * n;
  double *values = SSI_TAKE(&w.arena, m * m, double), *load = SSI_TAKE(&w.arena, m, double);
  double *H = SSI_TAKE(&w.arena, m * m, double), *zero = SSI_TAKE(&w.arena, m, double);
  double *mus = SSI_TAKE(&w.arena, n, double);
  fraction minus[MOST], all_mu[MOST];
  for (int k = 0; k < m; k++) {
    H[k * m + k] = k % 2 ? 1 : -1;
    minus[k] = neg(f[k]);
    all_mu[k / 2] = mu;
  }
  w.exact.M = write_all(&w.arena, K, m * m, values, true);
  w.exact.f = write_all(&w.arena, minus, m, load, false);
  w.exact.mu = write_all(&w.arena, all_mu, n, mus, false);
  w.p = global_problem(&w.arena, 2, n, m, values, load, H, zero, mus);
  return w;
}

static ss_solution_set *enumerate(const written *w, bool exact) {
  ss_enumerate_options o = ss_enumerate_options_default();
  if (exact) o.exact = &w->exact;
  o.recheck = 0;          // one arithmetic at a time
  static ss_context ctx;  // outlives the set
  ss_solution_set *set;
  if (ss_enumerate(&ctx, &w->p, &o, &set)) fail_msg("%s", ctx.message);
  assert_true(set->complete);
  assert_int_equal(set->exact, exact);
  if (exact) assert_true(set->rigorous);
  return set;
}

// sin, cos -> s c, 1 + s^2, 1 + c^2
static void alart_stiffness(fraction s, fraction c, fraction K[16]) {
  fraction one = make(1, 1), sc = mul(s, c), s2 = add(one, mul(s, s)), c2 = add(one, mul(c, c));
  for (int k = 0; k < 16; k++) K[k] = make(0, 1);
  K[0] = K[10] = c2, K[5] = K[15] = s2;
  K[1] = K[4] = neg(sc), K[11] = K[14] = sc;
  K[7] = K[13] = make(-1, 1);
}

static void alart3_stiffness(fraction s, fraction c, fraction K[36]) {
  fraction one = make(1, 1), sc = mul(s, c), s2 = add(one, mul(s, s)), c2 = add(one, mul(c, c));
  for (int k = 0; k < 36; k++) K[k] = make(0, 1);
  K[0] = K[28] = c2, K[14] = add(one, add(mul(c, c), mul(c, c)));
  K[7] = K[35] = s2, K[21] = add(s2, s2);
  K[1] = K[6] = neg(sc), K[29] = K[34] = sc;
  K[9] = K[19] = K[23] = K[33] = make(-1, 1);
}

static void klarbring_stiffness(fraction s, fraction c, fraction K[4]) {
  K[0] = add(make(1, 1), mul(c, c));
  K[1] = K[2] = mul(s, c);
  K[3] = mul(s, s);
}

// ---- what is expected -----------------------------------------------------------------------

// A point or segment of the oracle, in the paper's u (which determines r: K is regular).
typedef struct piece {
  double u[2][MOST];
  int ends;
  char states[MOST];  // f d + -; empty: not said
  int det_sign;       // 0: not said
} piece;

static void our_signs(double *x, int m) {
  for (int k = 0; k < m; k += 2) x[k] = x[k] == 0 ? 0 : -x[k];
}

static double far(const double *a, const double *b, int m) {
  double most = 0;
  for (int k = 0; k < m; k++) most = fmax(most, fabs(a[k] - b[k]));
  return most;
}

static bool touch(const piece *a, const piece *b, int m) {
  for (int i = 0; i < a->ends; i++)
    for (int j = 0; j < b->ends; j++)
      if (far(a->u[i], b->u[j], m) < 1e-12) return true;
  return false;
}

static int find_root(const int *parent, int i) {
  while (parent[i] != i) i = parent[i];
  return i;
}

static int count_components(const piece *all, int count, int m) {
  int parent[32], roots = 0;
  for (int a = 0; a < count; a++) parent[a] = a;
  for (int a = 0; a < count; a++)
    for (int b = 0; b < a; b++)
      if (touch(&all[a], &all[b], m)) parent[find_root(parent, a)] = find_root(parent, b);
  for (int a = 0; a < count; a++) roots += parent[a] == a;
  return roots;
}

static char letter(ss_cell_state s) {
  return "fd+-"[s];
}

static bool has_isolated(const ss_solution_set *set, const piece *p, int m) {
  for (int k = 0; k < set->count; k++) {
    const ss_component *c = &set->components[k];
    if (!c->isolated || far(c->u, p->u[0], m) > 1e-11) continue;
    for (int i = 0; p->states[0] && !c->tie && i < m / 2; i++)
      if (letter(c->states[i]) != p->states[i]) fail_msg("contact %d has another state", i);
    if (p->det_sign && !c->tie) assert_int_equal(c->index, p->det_sign);
    return true;
  }
  return false;
}

static bool is_vertex(const ss_cell *c, const double *u, int m) {
  for (int v = 0; v < c->vertex_count; v++)
    if (far(c->vertices[v].u, u, m) < 1e-11) return true;
  return false;
}

// A piece of a continuum: a segment is a cell with these two vertices, a point a vertex of some
// cell.
static bool has_piece(const ss_solution_set *set, const piece *p, int m) {
  for (int k = 0; k < set->count; k++)
    for (int c = 0; c < set->components[k].cell_count; c++) {
      const ss_cell *cell = &set->components[k].cells[c];
      if (p->ends == 2 && (cell->vertex_count != 2 || cell->ray_count)) continue;
      if (is_vertex(cell, p->u[0], m) && is_vertex(cell, p->u[p->ends - 1], m)) return true;
    }
  return false;
}

static void check_set(const ss_solution_set *set, const piece *all, int count, int m) {
  int segments = 0, cells = 0;
  for (int k = 0; k < count; k++) {
    segments += all[k].ends == 2;
    if (all[k].ends == 2 ? !has_piece(set, &all[k], m)
                         : !has_isolated(set, &all[k], m) && !has_piece(set, &all[k], m))
      fail_msg("piece %d is missing", k);
  }
  for (int k = 0; k < set->count; k++) cells += set->components[k].cell_count;
  assert_int_equal(cells, segments);
  assert_int_equal(set->count, count_components(all, count, m));
  if (!segments && set->degree) assert_int_equal(set->degree, SS_DEGREE_HOLDS);
}

static void check(written *w, const piece *all, int count) {
  for (int exact = 0; exact < 2; exact++) {
    ss_solution_set *set = enumerate(w, exact);
    check_set(set, all, count, 2 * w->n);
    ss_solution_set_destroy(set);
  }
  ssi_arena_release(&w->arena);
}

// ---- the files ------------------------------------------------------------------------------

static json_t *oracles;

static json_t *section(const char *name, const char *part) {
  need_shared("oracles/oracles.json");
  json_t *list = json_object_get(json_object_get(oracles, name), part);
  assert_true(json_array_size(list) > 0);
  return list;
}

static void read_fractions(const json_t *list, fraction *out) {
  for (size_t k = 0; k < json_array_size(list); k++) out[k] = parse(json_array_get(list, k));
}

static void read_reals(const json_t *list, double *out) {
  int m = (int)json_array_size(list);
  for (int k = 0; k < m; k++) out[k] = real(json_array_get(list, (size_t)k));
  our_signs(out, m);
}

// "s+ d", ["s+", "d"], "no contact", "slip u_tau<0" -> "+d", ...
static void read_states(const json_t *value, char *out) {
  char text[64] = "";
  for (size_t k = 0; json_is_array(value) && k < json_array_size(value); k++) {
    strcat(text, json_string_value(json_array_get(value, k)));
    strcat(text, " ");
  }
  if (json_is_string(value)) strcpy(text, json_string_value(value));
  int used = 0;
  if (strcmp(text, "no contact") == 0) out[used++] = 'f';
  if (strcmp(text, "stick") == 0) out[used++] = 'd';
  if (strncmp(text, "slip u_tau", 10) == 0) out[used++] = text[10] == '>' ? '+' : '-';
  for (char *word = used ? NULL : strtok(text, " "); word; word = strtok(NULL, " "))
    out[used++] = word[0] == 's' ? word[1] : word[0];
  out[used] = 0;
}

static piece read_piece(const json_t *value) {
  piece p = {.ends = 1};
  json_t *u = json_object_get(value, "u"), *end = json_object_get(value, "u_end");
  json_t *states = json_object_get(value, "state");
  if (!u) u = json_object_get(value, "x");
  if (!end) end = json_object_get(value, "y");
  if (!states) states = json_object_get(value, "states");
  read_reals(u, p.u[0]);
  if (end) read_reals(end, p.u[1]), p.ends = 2;
  if (states) read_states(states, p.states);
  p.det_sign = (int)json_integer_value(json_object_get(value, "det_sign"));
  return p;
}

static int read_pieces(const json_t *list, piece *all) {
  for (size_t k = 0; k < json_array_size(list); k++) all[k] = read_piece(json_array_get(list, k));
  return (int)json_array_size(list);
}

static void alart_samples(void **state) {
  (void)state;
  json_t *list = section("B_agwa", "alart_samples"), *sample;
  size_t k;
  json_array_foreach(list, k, sample) {
    fraction K[16], f[4];
    piece all[32];
    alart_stiffness(parse(json_object_get(sample, "sin")), parse(json_object_get(sample, "cos")),
                    K);
    read_fractions(json_object_get(sample, "f"), f);
    written w = stiffness(2, K, f, parse(json_object_get(sample, "mu")));
    int count = read_pieces(json_object_get(sample, "solutions"), all);
    assert_int_equal(count, json_integer_value(json_object_get(sample, "n")));
    check(&w, all, count);
  }
}

static void alart_degenerate(void **state) {
  (void)state;
  json_t *list = section("B_agwa", "alart_degenerate"), *sample;
  size_t k;
  json_array_foreach(list, k, sample) {
    fraction K[16], f[4];
    piece all[32];
    alart_stiffness(make(3, 5), make(4, 5), K);
    read_fractions(json_object_get(sample, "f"), f);
    written w = stiffness(2, K, f, parse(json_object_get(sample, "mu")));
    int count = read_pieces(json_object_get(sample, "sets"), all);
    check(&w, all, count);
  }
}

static void klarbring_samples(void **state) {
  (void)state;
  json_t *list = section("B_agwa", "klarbring_samples"), *sample;
  size_t k;
  json_array_foreach(list, k, sample) {
    fraction K[4], f[2];
    piece all[32];
    klarbring_stiffness(parse(json_object_get(sample, "sin")),
                        parse(json_object_get(sample, "cos")), K);
    read_fractions(json_object_get(sample, "f"), f);
    written w = stiffness(1, K, f, parse(json_object_get(sample, "mu")));
    int count = read_pieces(json_object_get(sample, "solutions"), all);
    check(&w, all, count);
  }
}

// Three solutions between mu_bij and mu_59: [Agw20, (59)] is not sufficient.
static void witnesses(void **state) {
  (void)state;
  json_t *list = section("B_agwa", "multiplicity_witnesses"), *sample;
  size_t k;
  json_array_foreach(list, k, sample) {
    fraction K[36], f[6];
    piece all[32];
    json_t *rows = json_object_get(sample, "K");
    int m = (int)json_array_size(json_object_get(sample, "f"));
    if (rows)
      for (int i = 0; i < m; i++) read_fractions(json_array_get(rows, (size_t)i), K + i * m);
    else
      alart3_stiffness(parse(json_object_get(sample, "sin")), parse(json_object_get(sample, "cos")),
                       K);
    read_fractions(json_object_get(sample, "f"), f);
    written w = stiffness(m / 2, K, f, parse(json_object_get(sample, "mu")));
    int count = read_pieces(json_object_get(sample, "solutions"), all);
    assert_int_equal(count, 3);
    check(&w, all, count);
  }
}

static void static_model(void **state) {
  (void)state;
  json_t *list = section("E_static_one_contact", "samples"), *sample;
  size_t k;
  json_array_foreach(list, k, sample) {
    fraction beta = parse(json_object_get(sample, "beta")), c = parse(json_object_get(sample, "c"));
    fraction K[4] = {beta, neg(c), neg(c), beta}, f[2];
    piece all[32];
    read_fractions(json_object_get(sample, "f"), f);
    written w = stiffness(1, K, f, parse(json_object_get(sample, "F")));
    int count = read_pieces(json_object_get(sample, "solutions"), all);
    check(&w, all, count);
  }
}

// The rod: 250 points of the grid, number of solutions or "inf".
static void rod_grid(void **state) {
  (void)state;
  json_t *grid = json_object_get(json_object_get(oracles, "A_painleve"), "grid"), *row;
  section("A_painleve", "cases");
  size_t k;
  json_array_foreach(json_object_get(grid, "rows"), k, row) {
    double x[5];
    fraction a[5];
    for (size_t j = 0; j < 5; j++)
      a[j] = parse(json_array_get(row, j)), x[j] = real(json_array_get(row, j));
    ssi_arena arena = {0};
    double one = 1, u0 = x[0], H[2] = {x[1], x[2]}, mu = x[3], f = -x[4] * x[1], w[2] = {0, u0};
    ss_problem p = global_problem(&arena, 2, 1, 1, &one, &f, H, w, &mu);
    double value;
    fraction load = neg(mul(a[4], a[1])), rows[2] = {a[1], a[2]};
    ss_exact exact = {.f = write_all(&arena, &load, 1, &value, false),
                      .H = write_all(&arena, rows, 2, H, false),
                      .mu = write_all(&arena, &a[3], 1, &value, false)};
    written all = {.n = 1, .p = p, .exact = exact};
    json_t *expected = json_array_get(row, 5);
    for (int mode = 0; mode < 2; mode++) {
      ss_solution_set *set = enumerate(&all, mode);
      bool continuum = false;
      for (int c = 0; c < set->count; c++) continuum |= !set->components[c].isolated;
      assert_int_equal(continuum, json_is_string(expected));
      if (!continuum) assert_int_equal(set->count, json_integer_value(expected));
      ss_solution_set_destroy(set);
    }
    ssi_arena_release(&arena);
  }
}

int main(void) {
  oracles = json_load_file(STICKSLIP_SHARED "/oracles/oracles.json", 0, NULL);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(alart_samples),     cmocka_unit_test(alart_degenerate),
      cmocka_unit_test(klarbring_samples), cmocka_unit_test(witnesses),
      cmocka_unit_test(static_model),      cmocka_unit_test(rod_grid),
  };
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  json_decref(oracles);
  return failed;
}
