// Memory in chunks: what is taken is zero, aligned and apart; marks and resets give it back without asking.
#include "harness.h"

#include "base/arena.h"
#include "base/rng.h"
#include "counted_memory.h"

enum { TAKES = 300 };

static size_t size_of(int k) {  // mostly small, now and then larger than any chunk
  return k % 97 == 0 ? 200000 : (size_t)(k * 7919 % 1500);
}

static void take_all(ssi_arena *a, unsigned char **out) {
  for (int k = 0; k < TAKES; k++) out[k] = ssi_arena_take(a, size_of(k), 1);
}

static void pieces_are_zero_aligned_and_apart(void **state) {
  (void)state;
  ss_context ctx = {.alloc = take, .release = give};
  ssi_arena a = {.ctx = &ctx};
  unsigned char *piece[TAKES];
  for (int turn = 0; turn < 3; turn++) {
    take_all(&a, piece);
    for (int k = 0; k < TAKES; k++) {
      assert_int_equal((uintptr_t)piece[k] % 64, 0);
      for (size_t i = 0; i < size_of(k); i++) assert_int_equal(piece[k][i], 0);
      memset(piece[k], k & 255, size_of(k));
    }
    for (int k = 0; k < TAKES; k++)
      for (size_t i = 0; i < size_of(k); i++) assert_int_equal(piece[k][i], k & 255);
    ssi_arena_reset(&a);  // dirty memory comes back as zeros
  }
  ssi_arena_release(&a);
  assert_int_equal(live, 0);
}

static void the_same_again_takes_nothing(void **state) {
  (void)state;
  ss_context ctx = {.alloc = take, .release = give};
  ssi_arena a = {.ctx = &ctx};
  unsigned char *first[TAKES], *again[TAKES];
  taken = 0;
  take_all(&a, first);
#ifndef __SANITIZE_ADDRESS__
  assert_true(taken < TAKES / 4);
#endif
  int before = taken;
  for (int turn = 0; turn < 3; turn++) {
    ssi_arena_reset(&a);
    take_all(&a, again);
    assert_memory_equal(first, again, sizeof first);
  }
  assert_int_equal(taken, before);
  ssi_arena_release(&a);
  assert_int_equal(live, 0);
}

static void a_mark_brings_back_what_was_before_it(void **state) {
  (void)state;
  ss_context ctx = {.alloc = take, .release = give};
  ssi_rng g = {5};
  for (int turn = 0; turn < 200; turn++) {
    ssi_arena a = {.ctx = &ctx};
    int before = ssi_rng_below(&g, 40);
    for (int k = 0; k < before; k++) ssi_arena_take(&a, size_of(ssi_rng_below(&g, TAKES)), 1);
    int *kept = SSI_TAKE(&a, 3, int);
    kept[2] = 17;
    ssi_mark mark = ssi_arena_mark(&a);
    void *first = ssi_arena_take(&a, 100, 1);
    for (int k = 0; k < 20; k++) memset(ssi_arena_take(&a, 3000, 1), 255, 3000);
    ssi_arena_rewind(&a, mark);
    assert_int_equal(kept[2], 17);
    assert_ptr_equal(ssi_arena_take(&a, 100, 1), first);
    ssi_arena_release(&a);
    assert_int_equal(live, 0);
  }
}

static void failure_stays_until_it_is_as_new(void **state) {
  (void)state;
  ss_context ctx = {.alloc = take, .release = give};
  ssi_arena a = {.ctx = &ctx};
  assert_non_null(SSI_TAKE(&a, 10, double));
  assert_null(SSI_TAKE(&a, SIZE_MAX / 8, double));
  assert_null(SSI_TAKE(&a, 1, double));
  assert_true(a.failed);
  ssi_arena_reset(&a);
  fail_at = taken;
  assert_null(ssi_arena_take(&a, 1 << 20, 1));
  fail_at = -1;
  assert_true(a.failed);
  ssi_arena_release(&a);
  assert_false(a.failed);
  assert_int_equal(live, 0);
}

static void arrays_grow(void **state) {
  (void)state;
  ss_context ctx = {.alloc = take, .release = give};
  int *x = NULL, before = taken;
  size_t room = 0;
  for (size_t k = 0; k < 10000; k++) {
    assert_true(ssi_grow(&ctx, &x, &room, k + 1, k, sizeof *x));
    x[k] = (int)k;
  }
  for (int k = 0; k < 10000; k++) assert_int_equal(x[k], k);
  assert_true(taken - before < 40);
  assert_false(ssi_grow(&ctx, &x, &room, SIZE_MAX / 2, 0, sizeof *x));
  assert_int_equal(x[9999], 9999);
  ssi_release(&ctx, x);
  assert_int_equal(live, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pieces_are_zero_aligned_and_apart),
      cmocka_unit_test(the_same_again_takes_nothing),
      cmocka_unit_test(a_mark_brings_back_what_was_before_it),
      cmocka_unit_test(failure_stays_until_it_is_as_new),
      cmocka_unit_test(arrays_grow),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
