// A solver that lives through a simulation: new numbers, new matrices, contacts that come and go. Every
// method must then answer with the same bits as a new solver, and take no memory that it had before.
#include "harness.h"

#include <limits.h>

#include "base/arena.h"
#include "base/pool.h"
#include "counted_memory.h"
#include "la/factor.h"
#include "random_problem.h"
#include "solvers/auto/plan.h"
#include "stickslip/stickslip.h"

enum { MOST = 400 };

// ---- the pool ------------------------------------------------------------------------------

static void pool_hands_out_what_it_was_given(void **state) {
  (void)state;
  ss_context outer = {.alloc = take, .release = give};
  taken = 0;
  ssi_pool *pool = ssi_pool_create(&outer);
  ss_context *ctx = ssi_pool_context(pool);
  void *a = ssi_alloc(ctx, 1000, 1);
  ssi_release(ctx, a);
  assert_int_equal(live, 1);  // only the pool itself: nothing is kept yet
  ssi_pool_keep(pool);
  for (size_t n = 1; n < 100000; n = n * 5 / 4 + 1) {  // every size, to its last byte
    char *x = ssi_alloc(ctx, n, 1);
    memset(x, 1, n);
    ssi_release(ctx, x);
  }
  int before = taken;
  void *held[20];
  for (int round = 0; round < 20; round++) {
    for (int k = 0; k < 20; k++) held[k] = ssi_alloc(ctx, (size_t)(1 + 37 * k), 1);
    for (int k = 0; k < 20; k++) ssi_release(ctx, held[(7 * k) % 20]);
    if (round == 0) before = taken;
  }
  for (int k = 19; k >= 0; k--) held[k] = ssi_alloc(ctx, (size_t)(1 + 30 * k), 1);  // smaller ones
  for (int k = 0; k < 20; k++) ssi_release(ctx, held[k]);
  assert_int_equal(taken, before);
  int kept = live;
  for (int k = 0; k <= 32; k++) {
    ssi_release(ctx, ssi_alloc(ctx, 1, 1));
    assert_int_equal(live, kept);
    ssi_pool_age(pool);
  }
  assert_int_equal(live, 2);  // the pool, and the one block in use all the time
  ssi_pool_destroy(pool);
  assert_int_equal(live, 0);
}

static void pool_gives_back_before_it_fails(void **state) {
  (void)state;
  ss_context outer = {.alloc = take, .release = give};
  ssi_pool *pool = ssi_pool_create(&outer);
  ss_context *ctx = ssi_pool_context(pool);
  ssi_pool_keep(pool);
  ssi_release(ctx, ssi_alloc(ctx, 100, 1));
  assert_int_equal(live, 2);
  fail_at = taken;
  void *large = ssi_alloc(ctx, 100000, 1);
  assert_non_null(large);
  assert_int_equal(live, 2);  // the small block went back
  fail_at = -1;
  assert_null(ssi_alloc(ctx, SIZE_MAX / 2, 1));
  ssi_release(ctx, large);
  strcpy(ctx->message, "said inside");
  assert_int_equal(ssi_pool_answer(pool, SS_ERR_DATA), SS_ERR_DATA);
  assert_string_equal(outer.message, "said inside");
  assert_int_equal(ssi_pool_answer(pool, SS_OK), SS_OK);
  ssi_pool_destroy(pool);
  assert_int_equal(live, 0);
}

// ---- the factor of M -----------------------------------------------------------------------

static double *scaled(ssi_arena *arena, const double *x, int64_t n, ssi_rng *g) {
  double *y = SSI_TAKE(arena, n, double);
  for (int64_t k = 0; k < n; k++) y[k] = x[k] * (1 + 0.1 * random_signed(g));
  return y;
}

// Other numbers in the pattern of M: with symmetric = false its upper triangle changes apart.
static ss_sparse other_mass(ssi_arena *arena, const ss_sparse *M, bool symmetric) {
  ss_sparse out = *M;
  double *x = SSI_TAKE(arena, ssi_sparse_entries(M), double);
  for (int i = 0; i < M->rows; i++)
    for (int64_t k = M->ptr[i]; k < M->ptr[i + 1]; k++) {
      int j = M->col[k];
      x[k] = M->x[k] * (1 + 0.01 * ((i + j) % 7));
      if (!symmetric && j > i) x[k] *= 1 + 1e-7;
    }
  out.x = x;
  return out;
}

static void renewed_factor_has_the_bits_of_a_new_one(void **state) {
  (void)state;
  static const int bodies[] = {12, 60};
  for (int k = 0; k < 4; k++) {
    ssi_arena arena = {0};
    random_shape shape = {
        .dim = 3, .contacts = 5, .bodies = bodies[k % 2], .body_dofs = 6, .coupled = k >= 2};
    ss_problem p = random_problem(&arena, shape, 9);
    int n = p.ndof;
    ssi_factor *f;
    assert_int_equal(ssi_factor_create(NULL, &p.M, &f), SS_OK);
    double *x = SSI_TAKE(&arena, n, double), *y = SSI_TAKE(&arena, n, double);
    static const bool symmetric[] = {true, false, false, true};  // to an LU and back
    for (int turn = 0; turn < 4; turn++) {
      ss_sparse M = other_mass(&arena, &p.M, symmetric[turn]);
      ssi_factor *fresh;
      assert_int_equal(ssi_factor_renew(NULL, f, &M), SS_OK);
      assert_int_equal(ssi_factor_create(NULL, &M, &fresh), SS_OK);
      assert_int_equal(ssi_factor_solve(f, p.f, x), SS_OK);
      assert_int_equal(ssi_factor_solve(fresh, p.f, y), SS_OK);
      assert_memory_equal(x, y, sizeof(double) * (size_t)n);
      assert_true(ssi_factor_weakest_pivot(f) == ssi_factor_weakest_pivot(fresh));
      ssi_factor_destroy(fresh);
    }
    ss_sparse bad = other_mass(&arena, &p.M, true);
    ((double *)(uintptr_t)bad.x)[0] = -1;
    assert_int_equal(ssi_factor_renew(NULL, f, &bad), SS_ERR_DATA);
    assert_int_equal(ssi_factor_renew(NULL, f, &p.M), SS_OK);  // and it is as before
    ssi_factor_destroy(f);
    ssi_arena_release(&arena);
  }
}

// ---- new numbers ---------------------------------------------------------------------------

static const random_shape shapes[] = {
    {.dim = 3, .contacts = 10, .bodies = 12, .body_dofs = 6, .mu = 0.3},
    {.dim = 2, .contacts = 10, .bodies = 12, .body_dofs = 3, .mu = 0.3},
    {.dim = 3, .contacts = 10, .bodies = 12, .body_dofs = 6, .coupled = true, .mu = 0.3},
    {.dim = 3, .contacts = 10, .bodies = 12, .body_dofs = 6, .bilateral = 4, .mu = 0.3},
    {.dim = 3, .contacts = 24, .bodies = 28, .body_dofs = 6, .mu = 0.3},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

// Everything changed by some percent: the pattern stays, M stays symmetric.
static ss_problem changed(ssi_arena *arena, const ss_problem *p, uint64_t seed) {
  ssi_rng g = {.state = seed};
  ss_problem out = *p;
  if (p->form == SS_GLOBAL) {
    out.M = other_mass(arena, &p->M, true);
    out.H.x = scaled(arena, p->H.x, ssi_sparse_entries(&p->H), &g);
    if (p->nl) out.G.x = scaled(arena, p->G.x, ssi_sparse_entries(&p->G), &g);
    out.f = scaled(arena, p->f, p->ndof, &g);
    out.w = scaled(arena, p->w, p->dim * p->nc, &g);
  } else {
    out.W = other_mass(arena, &p->W, true);
    out.q = scaled(arena, p->q, p->dim * p->nc, &g);
  }
  out.mu = scaled(arena, p->mu, p->nc, &g);
  return out;
}

static ss_options options_of(const char *method) {
  ss_options o = ss_options_default();
  o.method = method, o.tol = 1e-10;
  return o;
}

static void expect_fresh_bits(const ss_problem *p, const ss_options *o, ss_solver *s) {
  double r[MOST] = {0}, fresh[MOST] = {0};
  ss_info a, b;
  ss_solver *other;
  assert_true(p->dim * p->nc <= MOST);
  assert_int_equal(ss_solve(s, r, NULL, NULL, NULL, &a), SS_OK);
  assert_int_equal(ss_solver_create(NULL, p, o, &other), SS_OK);
  assert_int_equal(ss_solve(other, fresh, NULL, NULL, NULL, &b), SS_OK);
  ss_solver_destroy(other);
  if (b.status != SS_SOLVED) fail_msg("%s: %s", o->method, ss_status_name(b.status));
  assert_int_equal(a.status, b.status);
  assert_int_equal(a.iterations, b.iterations);
  assert_true(a.error == b.error && a.error_fclib == b.error_fclib);
  assert_memory_equal(r, fresh, sizeof(double) * (size_t)(p->dim * p->nc));
}

// Phases of auto that were entered, as bits: what it logs.
static uint32_t entered;

static void note_phase(void *user, ss_level level, const char *text) {
  (void)user, (void)level;
  for (ssi_phase p = 0; p < SSI_PHASES; p++) {
    char line[64];
    snprintf(line, sizeof line, "auto: phase=%s error=", ssi_phase_of(p)->name);
    if (strstr(text, line)) entered |= 1u << p;
  }
}

// auto makes the stages of its plan when a problem first needs them, which are worked out again in the update after
// that; nothing else may take memory late.
static void updated(const ss_problem *p, const char *method) {
  ssi_arena arena = {0};
  ss_context ctx = {.alloc = take, .release = give, .log = note_phase};
  ss_options o = options_of(method);
  ss_problem now = changed(&arena, p, 1);
  ss_solver *s;
  uint32_t seen = 0, fresh = 0;
  entered = 0;
  live = 0;
  assert_int_equal(ss_solver_create(&ctx, &now, &o, &s), SS_OK);
  for (int turn = 0; turn < 12; turn++) {
    ss_problem next = changed(&arena, p, 2 + (uint64_t)turn);
    if (turn % 2) {  // into the arrays that the solver knows
      ss_sparse *from = p->form == SS_GLOBAL ? &next.H : &next.W;
      ss_sparse *to = p->form == SS_GLOBAL ? &now.H : &now.W;
      memcpy((double *)(uintptr_t)to->x, from->x,
             sizeof(double) * (size_t)ssi_sparse_entries(from));
    } else {
      now = next;
    }
    int before = taken;
    assert_int_equal(ss_solver_update(s, &now), SS_OK);
    if (turn > 5 && taken != before && !fresh)
      fail_msg("%s takes %d blocks in update %d", method, taken - before, turn);
    expect_fresh_bits(&now, &o, s);
    fresh = entered & ~seen;
    seen |= fresh;
  }
  ss_solver_destroy(s);
  assert_int_equal(live, 0);
  ssi_arena_release(&arena);
}

static void new_numbers_give_the_bits_of_a_new_solver(void **state) {
  (void)state;
  for (int method = 0; ss_method_name(method); method++)
    for (int k = 0; k < SHAPES; k++) {
      ssi_arena arena = {0};
      ss_problem p = random_problem(&arena, shapes[k], 50 + (uint64_t)k), *reduced;
      updated(&p, ss_method_name(method));
      if (!p.nl) {
        assert_int_equal(ss_problem_reduce(NULL, &p, &reduced), SS_OK);
        updated(reduced, ss_method_name(method));
        ss_problem_destroy(reduced);
      }
      ssi_arena_release(&arena);
    }
}

// Large enough for UMFPACK, whose analysis looks at the numbers.
static void new_numbers_in_a_pile(void **state) {
  (void)state;
  static const char *const methods[] = {"nsgs", "newton", "admm", "auto"};
  for (int k = 0; k < 4; k++) {
    ss_pile_options pile = ss_pile_options_default();
    ss_problem *p;
    pile.contacts = 100, pile.mu = 0.2, pile.seed = 3;
    assert_int_equal(ss_generate_pile(NULL, &pile, &p), SS_OK);
    updated(p, methods[k]);
    ss_problem_destroy(p);
  }
}

// ---- new loads, and solves broken off ------------------------------------------------------

typedef struct watch {
  int stop;       // iteration at which to cancel
  uint64_t path;  // hash of all errors on the way: the best of them alone says little
} watch;

static int look(void *user, const ss_info *now) {
  watch *w = user;
  uint64_t bits;
  memcpy(&bits, &now->error, sizeof bits);
  w->path = (w->path ^ bits) * 1099511628211u;
  return now->iterations >= w->stop;
}

static uint64_t path_of(ss_solver *s, watch *w, double *r) {
  w->path = 0;
  assert_int_equal(ss_solve(s, r, NULL, NULL, NULL, NULL), SS_OK);
  return w->path;
}

static ss_problem with_other_loads(ssi_arena *arena, const ss_problem *p, uint64_t seed) {
  ssi_rng g = {.state = seed};
  ss_problem out = *p;
  out.f = scaled(arena, p->f, p->ndof, &g);
  out.mu = scaled(arena, p->mu, p->nc, &g);
  return out;
}

// Nothing gets to 1e-17, so that auto plays all its acts and interior points all their rounds. Broken off
// anywhere, with or without new loads afterwards, the next solve has the bits of a new solver.
static void a_solve_broken_off_leaves_nothing_behind(void **state) {
  (void)state;
  static const int stops[] = {100, 200, 230, 260, 300, 400, 450, 550, 1500, 2500};
  static const char *const methods[] = {"auto", "ipm", "newton"};
  for (int method = 0; method < 3; method++) {
    ssi_arena arena = {0};
    ss_pile_options pile = ss_pile_options_default();
    ss_problem *p;
    pile.contacts = 60, pile.mu = 0.4, pile.seed = 3;
    assert_int_equal(ss_generate_pile(NULL, &pile, &p), SS_OK);
    assert_true(p->ndof < p->dim * p->nc && p->dim * p->nc <= MOST);  // auto goes by bodies
    watch w = {.stop = INT_MAX};
    ss_options o = options_of(methods[method]);
    o.tol = 1e-17, o.max_iter = method ? 300 : 3000, o.progress = look, o.user = &w;
    ss_solver *s;
    assert_int_equal(ss_solver_create(NULL, p, &o, &s), SS_OK);
    for (size_t k = 0; k < sizeof stops / sizeof *stops; k++) {
      double r[MOST] = {0}, fresh[MOST] = {0}, warm[MOST] = {0};
      ss_solver *other;
      w.stop = method ? (int)k + 1 : stops[k];
      path_of(s, &w, warm);
      w.stop = INT_MAX;
      ss_problem next = k % 2 ? with_other_loads(&arena, p, k) : *p;
      assert_int_equal(ss_solver_update(s, &next), SS_OK);
      uint64_t path = path_of(s, &w, r);
      assert_int_equal(ss_solver_create(NULL, &next, &o, &other), SS_OK);
      assert_true(path == path_of(other, &w, fresh));
      ss_solver_destroy(other);
      assert_memory_equal(r, fresh, sizeof(double) * (size_t)(p->dim * p->nc));
    }
    ss_solver_destroy(s);
    ss_problem_destroy(p);
    ssi_arena_release(&arena);
  }
}

// ---- other problems ------------------------------------------------------------------------

enum { SCENES = SHAPES + 4 };

static void scenes(ssi_arena *arena, ss_problem *out) {
  for (int k = 0; k < SHAPES; k++) out[k] = random_problem(arena, shapes[k], 80 + (uint64_t)k);
  out[SHAPES] = (ss_problem){.dim = 3};
  random_shape few = shapes[0], many = shapes[0];
  few.contacts = 4, many.contacts = 14, many.bodies = 18;
  out[SHAPES + 1] = random_problem(arena, few, 90);
  out[SHAPES + 2] = random_problem(arena, many, 91);
  out[SHAPES + 3] = random_problem(arena, shapes[1], 92);
}

static void another_problem_gives_the_bits_of_a_new_solver(void **state) {
  (void)state;
  for (int method = 0; ss_method_name(method); method++) {
    ssi_arena arena = {0};
    ss_problem p[SCENES];
    scenes(&arena, p);
    ss_context ctx = {.alloc = take, .release = give};
    ss_options o = options_of(ss_method_name(method));
    ss_solver *s;
    live = 0;
    assert_int_equal(ss_solver_create(&ctx, &p[0], &o, &s), SS_OK);
    for (int turn = 0; turn < 3; turn++) {
      int before = taken;
      for (int k = 0; k < SCENES; k++) {
        assert_int_equal(ss_solver_retarget(s, &p[k]), SS_OK);
        expect_fresh_bits(&p[k], &o, s);
      }
      if (turn == 2 && taken != before)
        fail_msg("%s takes %d blocks that it had before", o.method, taken - before);
    }
    ss_solver_destroy(s);
    assert_int_equal(live, 0);
    ssi_arena_release(&arena);
  }
}

// Contacts of a pile vanish and come back, as in a simulation: a solver that has seen the largest
// problem takes nothing.
static ss_problem with_contacts(ssi_arena *arena, const ss_problem *p, int count) {
  ss_problem out = *p;
  double *w = SSI_TAKE(arena, p->dim * count, double);
  memcpy(w, p->w, sizeof(double) * (size_t)(p->dim * count));
  out.nc = count, out.H.rows = p->dim * count, out.w = w;
  return out;
}

static void contacts_come_and_go_without_new_memory(void **state) {
  (void)state;
  static const char *const methods[] = {"nsgs", "auto"};
  static const int less[] = {0, 31, 3, 64, 17, 90, 1, 45, 0};
  for (int k = 0; k < 2; k++)
    for (int dim = 2; dim <= 3; dim++) {
      ssi_arena arena = {0};
      ss_pile_options pile = ss_pile_options_default();
      pile.dim = dim, pile.contacts = 120, pile.mu = 0.3;
      ss_problem *p;
      assert_int_equal(ss_generate_pile(NULL, &pile, &p), SS_OK);
      ss_context ctx = {.alloc = take, .release = give};
      ss_options o = options_of(methods[k]);
      o.tol = 1e-6;
      ss_solver *s;
      assert_int_equal(ss_solver_create(&ctx, p, &o, &s), SS_OK);
      assert_int_equal(ss_solver_retarget(s, p), SS_OK);  // the same numbers: nothing to do
      ss_problem one_less = with_contacts(&arena, p, p->nc - 1);
      assert_int_equal(ss_solver_retarget(s, &one_less), SS_OK);
      assert_int_equal(ss_solver_retarget(s, p), SS_OK);
      int before = taken;
      for (size_t turn = 0; turn < sizeof less / sizeof *less; turn++) {
        ss_problem now = with_contacts(&arena, p, p->nc - less[turn]);
        assert_int_equal(ss_solver_retarget(s, &now), SS_OK);
        if (taken != before)
          fail_msg("%s: %d blocks for %d contacts of %d", methods[k], taken - before, now.nc,
                   p->nc);
        expect_fresh_bits(&now, &o, s);
        before = taken;  // auto may have made more stages
      }
      ss_solver_destroy(s);
      ss_problem_destroy(p);
      ssi_arena_release(&arena);
    }
}

static void warm_start_after_a_change(void **state) {
  (void)state;
  ss_pile_options pile = ss_pile_options_default();
  ss_problem *p;
  pile.contacts = 100, pile.mu = 0.3;
  assert_int_equal(ss_generate_pile(NULL, &pile, &p), SS_OK);
  ssi_arena arena = {0};
  ss_options o = options_of("nsgs");
  o.tol = 1e-6;
  ss_solver *s;
  double *r = SSI_TAKE(&arena, p->dim * p->nc, double);
  ss_info cold, warm, new_start;
  assert_int_equal(ss_solver_create(NULL, p, &o, &s), SS_OK);
  assert_int_equal(ss_solve(s, r, NULL, NULL, NULL, &cold), SS_OK);
  ss_problem next = *p;
  double *H = SSI_TAKE(&arena, ssi_sparse_entries(&p->H), double);
  for (int64_t k = 0; k < ssi_sparse_entries(&p->H); k++) H[k] = p->H.x[k] * 1.0001;
  next.H.x = H;
  assert_int_equal(ss_solver_retarget(s, &next), SS_OK);
  assert_int_equal(ss_solve(s, r, NULL, NULL, NULL, &warm), SS_OK);
  memset(r, 0, sizeof(double) * (size_t)(p->dim * p->nc));
  assert_int_equal(ss_solve(s, r, NULL, NULL, NULL, &new_start), SS_OK);
  assert_int_equal(warm.status, SS_SOLVED);
  assert_int_equal(new_start.status, SS_SOLVED);
  assert_true(2 * warm.iterations < new_start.iterations);
  ss_solver_destroy(s);
  ss_problem_destroy(p);
  ssi_arena_release(&arena);
}

// ---- failures ------------------------------------------------------------------------------

static void refused_changes_leave_the_solver_as_it_was(void **state) {
  (void)state;
  ssi_arena arena = {0};
  ss_problem p = random_problem(&arena, shapes[0], 50), other = p;
  ss_context ctx = {0};
  ss_options o = options_of("nsgs");
  ss_solver *s;
  assert_int_equal(ss_solver_create(&ctx, &p, &o, &s), SS_OK);
  other.nc--, other.H.rows -= 3;
  assert_int_equal(ss_solver_update(s, &other), SS_ERR_ARGUMENT);
  assert_non_null(strstr(ctx.message, "ss_solver_retarget"));
  expect_fresh_bits(&p, &o, s);
  double w[30];
  memcpy(w, p.w, sizeof w);
  w[17] = NAN;
  other = p;
  other.w = w;
  assert_int_equal(ss_solver_update(s, &other), SS_ERR_DATA);
  assert_int_equal(ss_solver_retarget(s, &other), SS_ERR_DATA);
  assert_non_null(strstr(ctx.message, "w"));
  assert_int_equal(ss_solver_retarget(s, NULL), SS_ERR_ARGUMENT);
  assert_int_equal(ss_solver_retarget(NULL, &p), SS_ERR_ARGUMENT);
  expect_fresh_bits(&p, &o, s);

  other = p;  // found out too late to go back
  other.M = other_mass(&arena, &p.M, true);
  ((double *)(uintptr_t)other.M.x)[0] = -1;
  double r[30] = {0};
  for (int turn = 0; turn < 2; turn++) {
    assert_int_equal(turn ? ss_solver_retarget(s, &other) : ss_solver_update(s, &other),
                     SS_ERR_DATA);
    assert_non_null(strstr(ctx.message, "positive definite"));
    assert_int_equal(ss_solve(s, r, NULL, NULL, NULL, NULL), SS_ERR_ARGUMENT);
    assert_int_equal(ss_solver_retarget(s, &p), SS_OK);
    expect_fresh_bits(&p, &o, s);
  }
  ss_solver_destroy(s);
  ssi_arena_release(&arena);
}

static void each_allocation_of_a_change_may_fail(void **state) {
  (void)state;
  for (int method = 0; ss_method_name(method); method++) {
    ssi_arena arena = {0};
    ss_problem p[SCENES];
    scenes(&arena, p);
    ss_options o = options_of(ss_method_name(method));
    for (int to = 1; to < SCENES; to++) {
      int failures = 0;
      for (int k = 0;; k++) {
        ss_context ctx = {.alloc = take, .release = give};
        ss_solver *s;
        live = 0;
        assert_int_equal(ss_solver_create(&ctx, &p[0], &o, &s), SS_OK);
        fail_at = taken + k, lasting = true;
        ss_error e = ss_solver_retarget(s, &p[to]);
        bool reached = taken > fail_at;
        fail_at = -1, lasting = false;
        if (e) {
          failures++;
          assert_int_equal(e, SS_ERR_MEMORY);
          double r[MOST] = {0};
          assert_int_equal(ss_solve(s, r, NULL, NULL, NULL, NULL), SS_ERR_ARGUMENT);
          assert_int_equal(ss_solver_retarget(s, &p[to]), SS_OK);
        }
        if (e || !reached) expect_fresh_bits(&p[to], &o, s);
        ss_solver_destroy(s);
        assert_int_equal(live, 0);
        if (!reached) break;
      }
      if (to == SHAPES + 2) assert_true(failures > 0);
    }
    ssi_arena_release(&arena);
  }
}

int main(int argc, char **argv) {  // which tests, as a pattern; none: all
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pool_hands_out_what_it_was_given),
      cmocka_unit_test(pool_gives_back_before_it_fails),
      cmocka_unit_test(renewed_factor_has_the_bits_of_a_new_one),
      cmocka_unit_test(new_numbers_give_the_bits_of_a_new_solver),
      cmocka_unit_test(new_numbers_in_a_pile),
      cmocka_unit_test(a_solve_broken_off_leaves_nothing_behind),
      cmocka_unit_test(another_problem_gives_the_bits_of_a_new_solver),
      cmocka_unit_test(contacts_come_and_go_without_new_memory),
      cmocka_unit_test(warm_start_after_a_change),
      cmocka_unit_test(refused_changes_leave_the_solver_as_it_was),
      cmocka_unit_test(each_allocation_of_a_change_may_fail),
  };
  if (argc > 1) cmocka_set_test_filter(argv[1]);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
