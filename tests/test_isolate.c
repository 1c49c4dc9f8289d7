// Readers that crash, hang, exit or lie in their child process: the parent gets an error or the right
// file, and nothing else happens to it.
#define _DEFAULT_SOURCE
#include "harness.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/timer.h"
#include "budget.h"
#include "fclib_sample.h"
#include "io/isolate.h"

static const ssi_source none = {"name", "", 0};

static ss_error isolate(ss_context *ctx, ssi_reader reader, double seconds, ss_file *out) {
  ssi_arena arena = {.ctx = ctx};
  ss_error e = ssi_isolate(ctx, reader, "libhdf5", seconds, &none, &arena, out);
  ssi_arena_release(&arena);  // `out` is only looked at for its sizes
  return e;
}

static void expect_failure(ssi_reader reader, double seconds, ss_error code, const char *message) {
  ss_context ctx = {0};
  ss_file out;
  ss_error e = isolate(&ctx, reader, seconds, &out);
  if (e != code || strcmp(ctx.message, message))
    fail_msg("error %d, expected %d\n  found    %s\n  expected %s", (int)e, (int)code, ctx.message,
             message);
  assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);  // no child left behind
}

// ---- misbehaving readers -----------------------------------------------------------------------

#define READER(name)                                                                               \
  static ss_error name(ss_context *ctx, const ssi_source *in, ssi_arena *arena, ss_file *out)

READER(crashes) {
  (void)ctx, (void)in, (void)arena, (void)out;
  raise(SIGSEGV);
  return SS_OK;
}

READER(follows_wild_pointer) {
  (void)ctx, (void)arena, (void)out;
  return (ss_error) * (volatile int *)(uintptr_t)(64 + in->size);
}

READER(aborts) {
  (void)ctx, (void)in, (void)arena, (void)out;
  fprintf(stderr, "this must not be seen\n");
  abort();
}

READER(sleeps) {
  (void)ctx, (void)in, (void)arena, (void)out;
  while (pause() < 1) continue;
  return SS_OK;
}

READER(spins) {
  (void)ctx, (void)in, (void)arena, (void)out;
  for (volatile int k = 0; k < 1; k = -1) continue;
  return SS_OK;
}

READER(exits) {
  (void)ctx, (void)in, (void)arena, (void)out;
  exit(0);  // runs the exit handlers it has; ours must not be among those that do harm
}

READER(is_interrupted) {
  (void)ctx, (void)in, (void)arena, (void)out;
  raise(SIGINT);
  return SS_OK;
}

READER(is_killed) {
  (void)ctx, (void)in, (void)arena, (void)out;
  raise(SIGKILL);
  return SS_OK;
}

READER(fails) {
  (void)in, (void)arena, (void)out;
  return ssi_fail(ctx, SS_ERR_DATA, "place: %%s and a percent sign");
}

READER(fails_silently) {
  (void)ctx, (void)in, (void)arena, (void)out;
  return SS_ERR_READ;
}

// What the parent must not swallow: the pipe is found, and bytes of our choice sent through it.
// What came through exec from outside is no close-on-exec descriptor; the pipe is.
static int pipe_in_child(void) {
  for (int fd = 3; fd < 256; fd++) {
    int flags = fcntl(fd, F_GETFL), closing = fcntl(fd, F_GETFD);
    if (flags >= 0 && (flags & O_ACCMODE) == O_WRONLY && closing == FD_CLOEXEC) return fd;
  }
  abort();
}

static void say(const void *bytes, size_t size) {
  if (write(pipe_in_child(), bytes, size) < 0) abort();
}

READER(babbles) {
  (void)ctx, (void)in, (void)arena, (void)out;
  say("hello", 5);
  while (pause() < 1) continue;
  return SS_OK;
}

READER(closes_and_sleeps) {
  (void)ctx, (void)in, (void)arena, (void)out;
  close(pipe_in_child());
  while (pause() < 1) continue;
  return SS_OK;
}

READER(floods) {
  (void)in, (void)arena, (void)out;
  while (ctx) ssi_log(ctx, SS_LOG_DEBUG, "again");
  return SS_OK;
}

READER(sends_bad_error) {
  (void)ctx, (void)in, (void)arena, (void)out;
  say("E", 1);
  say(&(int){0}, sizeof(int));  // "no error" is no error code
  _exit(0);
}

READER(sends_long_note) {
  (void)ctx, (void)in, (void)arena, (void)out;
  say("L", 1);
  say((int[]){SS_LOG_WARN, 100000}, 2 * sizeof(int));
  _exit(0);
}

// The sender sends what it is given: a file that lies about itself.
static const int good_col[] = {0, 1}, bad_col[] = {0, 7}, falling_col[] = {1, 0};
static const double two[] = {1, 2, 3, 4};
static const int64_t ptr_ok[] = {0, 2, 2}, ptr_falls[] = {0, 3, 2}, ptr_starts[] = {1, 2, 2};

static ss_error lie(ss_file *out, ss_sparse W) {
  *out = (ss_file){.format = SS_FORMAT_FCLIB, .problem = {.dim = 2, .nc = 1, .mu = two, .q = two}};
  out->problem.W = W;
  return SS_OK;
}

READER(bad_columns) {
  (void)ctx, (void)in, (void)arena;
  return lie(out, (ss_sparse){2, 2, ptr_ok, bad_col, two});
}

READER(falling_columns) {
  (void)ctx, (void)in, (void)arena;
  return lie(out, (ss_sparse){2, 2, ptr_ok, falling_col, two});
}

READER(falling_pointers) {
  (void)ctx, (void)in, (void)arena;
  return lie(out, (ss_sparse){2, 2, ptr_falls, falling_col, two});
}

READER(late_pointers) {
  (void)ctx, (void)in, (void)arena;
  return lie(out, (ss_sparse){2, 2, ptr_starts, bad_col, two});
}

READER(wrong_size) {
  (void)ctx, (void)in, (void)arena;
  return lie(out, (ss_sparse){2, 3, ptr_ok, bad_col, two});
}

READER(dim_7) {
  (void)ctx, (void)in, (void)arena;
  lie(out, (ss_sparse){0});
  out->problem.dim = 7;
  return SS_OK;
}

READER(huge_promise) {  // sizes first, then nothing: no memory may be taken for what never comes
  (void)ctx, (void)in, (void)arena, (void)out;
  say("F", 1);
  int sizes[] = {SS_FORMAT_FCLIB, SS_REDUCED, 3, 600000000, 0, 0, 1};
  say(sizes, sizeof sizes);
  _exit(0);
}

static const char nothing[] = "name: libhdf5 failed without a result on this file; it is damaged";

static void test_crashes(void **state) {
  (void)state;
  expect_failure(crashes, 20, SS_ERR_FORMAT,
                 "name: libhdf5 crashed (signal 11) while reading this file; it is damaged");
  expect_failure(aborts, 20, SS_ERR_FORMAT,
                 "name: libhdf5 crashed (signal 6) while reading this file; it is damaged");
  expect_failure(is_interrupted, 20, SS_ERR_READ, "name: interrupted (signal 2) while reading");
  expect_failure(is_killed, 20, SS_ERR_MEMORY,
                 "name: killed while reading, likely for want of memory");
}

static void test_wild_pointer(void **state) {
  (void)state;
  ss_context ctx = {0};
  ss_file out;
  assert_int_equal(isolate(&ctx, follows_wild_pointer, 20, &out), SS_ERR_FORMAT);
}

static void test_hangs(void **state) {
  (void)state;
  double start = ssi_now_s();
  const char *late = "name: libhdf5 did not finish reading this file within 1 s; it is damaged";
  expect_failure(sleeps, 1, SS_ERR_FORMAT, late);
  expect_failure(spins, 1, SS_ERR_FORMAT, late);
  expect_failure(closes_and_sleeps, 1, SS_ERR_FORMAT, late);
  assert_true(ssi_now_s() - start < 30);
}

static void test_garbage(void **state) {
  (void)state;
  double start = ssi_now_s();
  static const ssi_reader all[] = {babbles,       floods,     sends_bad_error, sends_long_note,
                                   bad_columns,   dim_7,      falling_columns, falling_pointers,
                                   late_pointers, wrong_size, huge_promise};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
    ss_context ctx = {0};
    ss_file out;
    ss_error e = isolate(&ctx, all[k], 60, &out);
    if (e != SS_ERR_FORMAT || strcmp(ctx.message, nothing))
      fail_msg("reader %zu: error %d, %s", k, (int)e, ctx.message);
  }
  assert_true(ssi_now_s() - start < 30);  // nobody was waited for
}

static void test_errors_pass(void **state) {
  (void)state;
  expect_failure(fails, 20, SS_ERR_DATA, "place: %s and a percent sign");
  expect_failure(fails_silently, 20, SS_ERR_READ, "file cannot be opened or read");
}

// ---- nothing of the parent's is touched --------------------------------------------------------

static int handler_ran;
static const char trace[] = "test_isolate_trace";

static void at_exit(void) {
  FILE *f = fopen(trace, "a");
  if (f) fputs("exit handler ran\n", f), fclose(f);
}

static void on_crash(int signal_number) {
  (void)signal_number;
  handler_ran++;
  _exit(0);
}

READER(succeeds) {
  (void)ctx, (void)in, (void)arena;
  return lie(out, (ss_sparse){2, 2, ptr_ok, good_col, two});
}

// In a process of its own, whose exit handlers and buffers are not cmocka's.
static void test_parent_untouched(void **state) {
  (void)state;
  remove(trace);
  fflush(NULL);
  pid_t process = fork();
  if (process == 0) {
    atexit(at_exit);
    FILE *f = fopen(trace, "a");
    fputs("buffered\n", f);  // a child that flushed this would write it twice
    signal(SIGSEGV, on_crash);
    ss_context ctx = {0};
    ss_file out;
    bool ok = isolate(&ctx, crashes, 20, &out) == SS_ERR_FORMAT;
    ok = ok && strstr(ctx.message, "signal 11") && isolate(&ctx, succeeds, 20, &out) == SS_OK;
    ok = ok && isolate(&ctx, fails, 20, &out) == SS_ERR_DATA && !handler_ran;
    fclose(f);
    _exit(ok ? 0 : 1);
  }
  int status = -1;
  waitpid(process, &status, 0);
  assert_int_equal(status, 0);
  char text[64] = "";
  FILE *f = fopen(trace, "r");
  assert_non_null(f);
  assert_int_equal(fread(text, 1, sizeof text - 1, f), strlen("buffered\n"));
  fclose(f);
  assert_string_equal(text, "buffered\n");
  remove(trace);
}

// Callers that ignore SIGCHLD have no status to look at; the result counts.
static void test_sigchld_ignored(void **state) {
  (void)state;
  ss_context ctx = {0};
  ss_file out;
  signal(SIGCHLD, SIG_IGN);
  ss_error good = isolate(&ctx, succeeds, 20, &out), bad = isolate(&ctx, crashes, 20, &out);
  signal(SIGCHLD, SIG_DFL);
  assert_int_equal(good, SS_OK);
  assert_int_equal(bad, SS_ERR_FORMAT);
}

static void test_exit_in_reader(void **state) {
  (void)state;
  expect_failure(exits, 20, SS_ERR_FORMAT, nothing);
}

// ---- what is read arrives ----------------------------------------------------------------------

typedef struct notes {
  int count;
  char last[256];
} notes;

static void collect(void *user, ss_level level, const char *text) {
  notes *n = user;
  assert_int_equal(level, SS_LOG_WARN);
  n->count++;
  snprintf(n->last, sizeof n->last, "%s", text);
}

READER(says) {
  ssi_log(ctx, SS_LOG_WARN, "one");
  ssi_log(ctx, SS_LOG_WARN, "100%% of %s", in->name);
  return succeeds(ctx, in, arena, out);
}

static void test_notes_replayed(void **state) {
  (void)state;
  notes n = {0};
  ss_context ctx = {.log = collect, .user = &n};
  ss_file out;
  assert_int_equal(isolate(&ctx, says, 20, &out), SS_OK);
  assert_int_equal(n.count, 2);
  assert_string_equal(n.last, "100% of name");
}

static void test_files_arrive(void **state) {
  (void)state;
  const char *path = "test_isolate_scratch.hdf5";
  for (int k = 0; k < 24; k++) {
    ss_context ctx = {0};
    ssi_arena arena = {.ctx = &ctx};
    sample_shape s = {(ss_form)(k & 1), 2 + (k >> 1 & 1), k / 4, 6, k >> 2 & 1 ? 3 : 0, k % 3,
                      k % 5 != 0,       k % 2 == 0};
    if (k == 23) s.nc = 150;  // more than a pipe holds at once
    ss_file made = sample_file(&arena, (uint64_t)k, &s), direct, isolated;
    if (ssi_write_fclib(&ctx, path, &made, NULL)) fail_msg("%s", ctx.message);
    ssi_source in = sample_load(path, "name");
    if (ssi_read_fclib(&ctx, &in, &arena, &direct)) fail_msg("%s", ctx.message);
    if (ssi_read_fclib_isolated(&ctx, &in, &arena, &isolated)) fail_msg("%s", ctx.message);
    assert_true(same_file(&made, &direct));
    assert_true(same_file(&made, &isolated));
    ss_solution answer;
    if (made.solution.r) {
      if (ssi_read_fclib_solution_isolated(&ctx, &in, &made, &arena, &answer))
        fail_msg("%s", ctx.message);
      assert_true(same_solution(&made.solution, &answer, &made.problem));
    } else {
      assert_int_equal(ssi_read_fclib_solution_isolated(&ctx, &in, &made, &arena, &answer),
                       SS_ERR_FORMAT);
    }
    free((void *)(uintptr_t)in.bytes);
    ssi_arena_release(&arena);
  }
  remove(path);
}

// Every allocation of the parent fails once.
static budget memory;

static void test_no_memory(void **state) {
  (void)state;
  ss_error e = SS_ERR_MEMORY;
  int tries = 0;
  for (; e == SS_ERR_MEMORY && tries < 100; tries++) {
    ss_context poor = on_budget(&memory);
    ss_file out;
    memory.left = tries;
    e = isolate(&poor, succeeds, 20, &out);
  }
  assert_int_equal(e, SS_OK);
  assert_int_equal(tries, 6);  // mu, q, and three of W; the sixth try has them all
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_crashes),         cmocka_unit_test(test_wild_pointer),
      cmocka_unit_test(test_hangs),           cmocka_unit_test(test_garbage),
      cmocka_unit_test(test_errors_pass),     cmocka_unit_test(test_parent_untouched),
      cmocka_unit_test(test_sigchld_ignored), cmocka_unit_test(test_exit_in_reader),
      cmocka_unit_test(test_notes_replayed),  cmocka_unit_test(test_files_arrive),
      cmocka_unit_test(test_no_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
