// analysis/atlas_block.c, atlas_find_blocks.c, atlas_known.c: an atlas put together from its blocks is that of one run,
// to the last byte of its table and its picture, whoever found them and in which order; what they lack is found.
#define _POSIX_C_SOURCE 200809L
#include "harness.h"

#include <time.h>

#include "budget.h"
#include "stickslip/atlas_blocks.h"
#include "stickslip/models.h"
#include "stickslip/report.h"

// ---- planes ---------------------------------------------------------------------------------

typedef struct plane {
  const char *model, *x, *y;
  ss_model_setting fixed;
  ss_atlas_axis across, up;
  int refine;
} plane;

static const plane planes[] = {
    {"klarbring", "mu", "tan_alpha", {"f_n", 0, 1}, {0, 2, 24}, {-2, 2, 20}, 3},
    {"painleve",
     "mu",
     "u0",
     {"g", 0, -1},
     {0.1, 2, 17},
     {-1, 1, 9},
     2},  // no solution, infinitely many
    {"square", "mu", "push", {"g", 0, -1}, {0.1, 1, 8}, {-0.9, 0.9, 16}, 1},  // continua
};

static ss_error problem_at(void *user, ss_context *ctx, double x, double y, ss_problem **out) {
  const plane *p = user;
  ss_model_setting set[] = {p->fixed, {p->x, 0, x}, {p->y, 0, y}};
  return ss_model_build(ctx, p->model, set, 3, out);
}

static ss_atlas_options options_of(const plane *p) {
  ss_atlas_options o = ss_atlas_options_default();
  o.x = p->across, o.y = p->up, o.refine = p->refine;
  return o;
}

// ---- collecting -----------------------------------------------------------------------------

typedef struct collection {
  ss_context *ctx;
  ss_atlas_known *known;
  int blocks, most;  // most: stops after so many; 0: never
} collection;

static int collect(void *user, const ss_atlas_points *found) {
  collection *c = user;
  assert_true(found->count > 0 && found->kind_count > 0);
  if (c->known && ss_atlas_known_add(c->ctx, c->known, found)) return 1;
  return ++c->blocks == c->most;
}

// Blocks first, first + every, ... into the known points.
static bool find(const plane *p, const ss_atlas_options *o, int first, int every, collection *c) {
  int all = ss_atlas_block_count(o), count = 0, *blocks = calloc((size_t)all + 1, sizeof *blocks);
  for (int k = first; k < all; k += every) blocks[count++] = k;
  ss_atlas_block_list list = {.blocks = blocks, .count = count, .done = collect, .user = c};
  plane copy = p ? *p : planes[0];
  if (ss_atlas_find_blocks(c->ctx, o, p ? problem_at : NULL, &copy, &list))
    fail_msg("%s", c->ctx->message);
  free(blocks);
  return list.complete;
}

static void check_same(const ss_atlas *a, const ss_atlas *b) {
  ss_atlas_caption caption = {"title", NULL, "x", "y"};
  ss_context ctx = {0};
  char *one = NULL, *other = NULL;
  assert_int_equal(a->problems, b->problems);
  assert_int_equal(a->unsettled, b->unsettled);
  for (int picture = 0; picture < 2; picture++) {
    ss_error (*write)(ss_context *, const ss_atlas *, const ss_atlas_caption *, char **) =
        picture ? ss_atlas_svg : ss_atlas_csv;
    assert_int_equal(write(&ctx, a, &caption, &one), SS_OK);
    assert_int_equal(write(&ctx, b, &caption, &other), SS_OK);
    assert_string_equal(one, other);
    ss_text_destroy(&ctx, one), ss_text_destroy(&ctx, other);
  }
}

static void test_same(void **state) {
  (void)state;
  for (size_t k = 0; k < sizeof planes / sizeof *planes; k++) {
    ss_context ctx = {0};
    plane p = planes[k];
    ss_atlas_options o = options_of(&p);
    collection c = {.ctx = &ctx};
    ss_atlas *one, *all;
    assert_int_equal(ss_atlas_create(&ctx, &o, problem_at, &p, &one), SS_OK);
    assert_int_equal(ss_atlas_known_create(&ctx, &c.known), SS_OK);
    for (int shard = 2; shard >= 0; shard--) {
      o.threads = shard + 1;
      assert_true(find(&p, &o, shard, 3, &c));
    }
    assert_int_equal(c.blocks, ss_atlas_block_count(&o));
    o.known = c.known;
    assert_int_equal(ss_atlas_create(&ctx, &o, problem_at, &p, &all), SS_OK);
    check_same(one, all);
    assert_int_equal(one->known, 0);
    assert_int_equal(all->known, all->problems);  // nothing was left to find
    ss_atlas_destroy(one), ss_atlas_destroy(all);
    ss_atlas_known_destroy(c.known);
  }
}

// ---- what blocks cannot know ----------------------------------------------------------------

// A tongue that is thinner than a coarse cell, along a block's edge and across it: borders creep from block to block.
static ss_error judge(void *user, ss_context *ctx, double x, double y, ss_atlas_states *out) {
  static const ss_cell_state words[] = {SS_CELL_FREE, SS_CELL_STICK, SS_CELL_SLIP_PLUS};
  (void)ctx;
  ++*(_Atomic int *)user;
  double tongue = 8.02 + 0.3 * sin(1.7 * x), other = 16 + 0.04 * (y - 9);
  int kind = fabs(y - tongue) < 0.07 ? 1 : fabs(x - other) < 0.05 ? 2 : x + y > 20.3;
  *out = (ss_atlas_states){.nc = 1, .count = 1, .complete = true, .states = &words[kind]};
  return SS_OK;
}

static void test_creeping(void **state) {
  (void)state;
  _Atomic int judged = 0;
  ss_context ctx = {0};
  ss_atlas_options o = ss_atlas_options_default();
  o.x = (ss_atlas_axis){0, 24, 24}, o.y = (ss_atlas_axis){0, 20, 20}, o.refine = 4;
  o.judge = (ss_atlas_judge){.find = judge, .user = (void *)&judged};
  collection c = {.ctx = &ctx};
  ss_atlas *one, *all;
  assert_int_equal(ss_atlas_create(&ctx, &o, NULL, NULL, &one), SS_OK);
  assert_int_equal(judged, one->problems);
  assert_int_equal(ss_atlas_known_create(&ctx, &c.known), SS_OK);
  assert_true(find(NULL, &o, 0, 1, &c));
  judged = 0;
  o.known = c.known;
  assert_int_equal(ss_atlas_create(&ctx, &o, NULL, NULL, &all), SS_OK);
  check_same(one, all);
  assert_true(judged > 0 && judged < one->problems / 2);
  assert_int_equal(all->known + judged, all->problems);
  ss_atlas_destroy(one), ss_atlas_destroy(all);
  ss_atlas_known_destroy(c.known);
}

// ---- ends -----------------------------------------------------------------------------------

static void test_stopped(void **state) {
  (void)state;
  ss_context ctx = {0};
  ss_atlas_options o = options_of(&planes[0]);
  o.threads = 1;
  collection c = {.ctx = &ctx, .most = 2};
  assert_false(find(&planes[0], &o, 0, 1, &c));
  assert_int_equal(c.blocks, 2);
  c = (collection){.ctx = &ctx, .most = 1};
  assert_false(find(&planes[0], &o, 0, 9, &c));  // at the last block, too
  o.threads = 3;
  c = (collection){.ctx = &ctx, .most = 1};
  assert_false(find(&planes[0], &o, 0, 1, &c));
  assert_int_equal(c.blocks, 1);  // nor asked again by the other threads
  o.time_limit_s = 1e-9;
  c = (collection){.ctx = &ctx};
  assert_false(find(&planes[0], &o, 0, 1, &c));
  assert_int_equal(c.blocks, 0);
}

// Who waits for an end does not wait for a block of costly problems.
typedef struct costly {
  _Atomic int problems;
  double slow_from;  // x
} costly;

static ss_error judge_slowly(void *user, ss_context *ctx, double x, double y,
                             ss_atlas_states *out) {
  static const ss_cell_state word = SS_CELL_FREE;
  costly *c = user;
  (void)ctx, (void)y;
  c->problems += x > c->slow_from;
  if (x > c->slow_from) nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
  *out = (ss_atlas_states){.nc = 1, .count = 1, .complete = true, .states = &word};
  return SS_OK;
}

static int stop_after_one(void *user, const ss_atlas_progress *now) {
  assert_true(now->done >= 0 && now->done <= now->wanted);
  return ((costly *)user)->problems > 0;
}

// As much as half of a block: machines may be slow to wake a thread, and what was found before took 64 problems.
static void check_stops(int threads, double slow_from) {
  ss_context ctx = {0};
  costly c = {.slow_from = slow_from};
  ss_atlas_options o = ss_atlas_options_default();
  o.x = (ss_atlas_axis){0, 16, 16}, o.y = (ss_atlas_axis){0, 8, 8}, o.threads = threads;
  o.judge = (ss_atlas_judge){.find = judge_slowly, .user = &c};
  o.progress = stop_after_one, o.user = &c;
  collection found = {.ctx = &ctx};
  assert_false(find(NULL, &o, 0, 1, &found));
  if (c.problems > 32) fail_msg("%d threads: stopped after %d problems", threads, c.problems);
}

static void test_stopped_between_problems(void **state) {
  (void)state;
  check_stops(1, 0);
  check_stops(2, 0);
  check_stops(2, 9);  // one thread has nothing left to do while the other works
}

static ss_error costly_problem(void *user, ss_context *ctx, double x, double y, ss_problem **out) {
  ss_model_setting set[] = {{"n", 0, 20}, {"mu", 0, x}, {"shift", 0, y}};
  ((costly *)user)->problems++;
  return ss_model_build(ctx, "elastic-square", set, 3, out);
}

static void test_stopped_within_a_problem(void **state) {
  (void)state;
  int block = 0;
  costly c = {0};
  ss_atlas_options o = ss_atlas_options_default();
  o.x = (ss_atlas_axis){0.3, 0.4, 8}, o.y = (ss_atlas_axis){0.1, 0.2, 8}, o.threads = 1;
  o.progress = stop_after_one, o.user = &c;
  ss_atlas_block_list list = {.blocks = &block, .count = 1};
  assert_int_equal(ss_atlas_find_blocks(NULL, &o, costly_problem, &c, &list), SS_OK);
  assert_false(list.complete || list.late);
  assert_int_equal(c.problems, 1);  // which takes seconds if it is let
}

static void test_refused(void **state) {
  (void)state;
  ss_context ctx = {0};
  ss_atlas_options o = options_of(&planes[0]);
  plane p = planes[0];
  int number = 9;
  ss_atlas_block_list list = {.blocks = &number, .count = 1};
  assert_int_equal(ss_atlas_find_blocks(&ctx, &o, problem_at, &p, &list), SS_ERR_ARGUMENT);
  assert_string_equal(ctx.message, "atlas: block 9, expected 0 .. 8");
  p.fixed = (ss_model_setting){"g", 0, 1};  // no parameter of this model: said of the first block
  number = 0;
  assert_int_equal(ss_atlas_find_blocks(&ctx, &o, problem_at, &p, &list), SS_ERR_ARGUMENT);
  assert_non_null(strstr(ctx.message, "unknown parameter"));
  o.x.cells = 0;
  assert_int_equal(ss_atlas_block_count(&o), 0);
  assert_int_equal(ss_atlas_block_count(NULL), 0);
}

// Bytes of a kind: contacts, complete, solutions; of each cells, dimension, unbounded, states.
static void test_kinds(void **state) {
  (void)state;
  static const char *const good[] = {"000000010100000000", "0000000101000000010000000100"
                                                           "00"
                                                           "03"};
  static const char *const bad[] = {"",
                                    "0",
                                    "00000001010000000",
                                    "0000000101000000zz",
                                    "000000010200000000",    // complete is 2
                                    "00000001010000000000",  // more than there should be
                                    "0000000101000000010000000100"
                                    "00",  // without its state
                                    "0000000101000000010000000100"
                                    "00"
                                    "04",  // a state that is none
                                    "0000000101000000010000000000"
                                    "00",  // a solution without a cell
                                    "0000000101000000017fffffff00"
                                    "00"
                                    "00",  // cells that are not there
                                    "0000000001000000017fffffff01"
                                    "00",  // many cells of no contact
                                    "ff0000010100000000",
                                    "0000000101ff000000",
                                    "0000000101000000010000000100"
                                    "02"
                                    "00"};
  ss_context ctx = {0};
  ss_atlas_known *known;
  double x = 0.5, y = -0.5;
  int kind = 0;
  bool unsettled = false;
  ss_atlas_points p = {.count = 1, .x = &x, .y = &y, .kind = &kind, .unsettled = &unsettled};
  p.kind_count = 1;
  assert_int_equal(ss_atlas_known_create(&ctx, &known), SS_OK);
  for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
    p.kinds = &bad[k];
    if (ss_atlas_known_add(&ctx, known, &p) != SS_ERR_FORMAT) fail_msg("'%s' is taken", bad[k]);
  }
  for (size_t k = 0; k < sizeof good / sizeof *good; k++) {
    p.kinds = &good[k];
    if (ss_atlas_known_add(&ctx, known, &p)) fail_msg("'%s': %s", good[k], ctx.message);
  }
  kind = 1;
  assert_int_equal(ss_atlas_known_add(&ctx, known, &p), SS_ERR_FORMAT);
  ss_atlas_known_destroy(known);
}

// Every allocation fails once: an error, no leak (the sanitizer looks), no crash.
static budget memory;

static ss_error find_and_keep(ss_context *ctx, const ss_atlas_options *o) {
  plane p = planes[0];
  int block = 0;
  collection c = {.ctx = ctx};
  ss_atlas_block_list list = {.blocks = &block, .count = 1, .done = collect, .user = &c};
  ss_error e = ss_atlas_known_create(ctx, &c.known);
  if (!e) e = ss_atlas_find_blocks(ctx, o, problem_at, &p, &list);
  if (!e && !list.complete) e = SS_ERR_MEMORY;  // adding failed
  if (!e && c.blocks == 0) e = SS_ERR_MEMORY;
  ss_atlas_known_destroy(c.known);
  return e;
}

static void test_memory(void **state) {
  (void)state;
  ss_context ctx = on_budget(&memory);
  ss_atlas_options o = options_of(&planes[0]);
  o.x.cells = o.y.cells = 2, o.refine = 1, o.threads = 1;
  for (int most = 0;; most++) {
    memory.left = most;
    ss_error e = find_and_keep(&ctx, &o);
    memory.left = INT32_MAX;
    if (!e) {
      assert_true(most > 50);
      return;
    }
    assert_int_equal(e, SS_ERR_MEMORY);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_same),
      cmocka_unit_test(test_creeping),
      cmocka_unit_test(test_stopped),
      cmocka_unit_test(test_refused),
      cmocka_unit_test(test_kinds),
      cmocka_unit_test(test_memory),
      cmocka_unit_test(test_stopped_between_problems),
      cmocka_unit_test(test_stopped_within_a_problem),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
