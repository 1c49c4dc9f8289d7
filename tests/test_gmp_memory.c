// GMP without memory: the run ends, nothing is lost, and numbers of others are as they were.
#include "harness.h"

#ifdef SS_WITH_GMP

#include <gmp.h>
#include <pthread.h>

#include "base/gmp_memory.h"
#include "counted_memory.h"

typedef struct product {
  unsigned from, to;
  mpz_t value;
  size_t digits;
  bool clear;
} product;

static void multiply(void *argument) {
  product *p = argument;
  mpz_init_set_ui(p->value, 1);
  for (unsigned k = p->from; k <= p->to; k++) mpz_mul_ui(p->value, p->value, k);
  p->digits = mpz_sizeinbase(p->value, 10);
  if (p->clear) mpz_clear(p->value);
}

// 1000! has 2568 digits.
static void every_block_may_be_the_last(void **state) {
  (void)state;
  int failures = 0;
  for (bool done = false; !done; failures += !done) {
    ss_context ctx = {.alloc = take, .release = give};
    ssi_gmp_memory memory = {.ctx = &ctx};
    product p = {.from = 1, .to = 1000, .clear = failures % 2};
    taken = live = 0, fail_at = failures;
    done = ssi_gmp_run(&memory, multiply, &p);
    fail_at = -1;
    if (done) assert_int_equal(p.digits, 2568);
    if (done) assert_int_equal(live, p.clear ? 0 : 1);
    ssi_gmp_memory_release(&memory);
    assert_int_equal(live, 0);
  }
  assert_true(failures > 5);
}

// Outside of a run, and on other threads, GMP takes from where it took before.
static void *on_another_thread(void *argument) {
  multiply(argument);
  return NULL;
}

static void use_gmp_elsewhere(void *argument) {
  pthread_t thread;
  int before = taken;
  assert_int_equal(pthread_create(&thread, NULL, on_another_thread, argument), 0);
  assert_int_equal(pthread_join(thread, NULL), 0);
  assert_int_equal(taken, before);
}

static void others_see_no_difference(void **state) {
  (void)state;
  ss_context ctx = {.alloc = take, .release = give};
  ssi_gmp_memory memory = {.ctx = &ctx};
  product mine = {.from = 1, .to = 20}, other = {.from = 1, .to = 1000};
  multiply(&mine);  // before the hooks may be there
  taken = live = 0;
  assert_true(ssi_gmp_run(&memory, use_gmp_elsewhere, &other));
  assert_int_equal(other.digits, 2568);
  ssi_gmp_memory_release(&memory);
  mpz_mul_2exp(mine.value, mine.value, 5000);  // grows in its own memory
  mpz_mul(other.value, other.value, mine.value);
  mpz_clear(mine.value);
  mpz_clear(other.value);
  assert_int_equal(taken, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(others_see_no_difference),
      cmocka_unit_test(every_block_may_be_the_last),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

static void nothing(void **state) {
  (void)state;
  skip_because("this build has no GMP");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(nothing)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
