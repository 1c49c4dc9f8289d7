// Readers that crash, hang, exit or lie in their child process: the parent gets an error or the right
// file, and nothing else happens to it.
#define _DEFAULT_SOURCE
#include "harness.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
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

// pause, but for those who may not ask for it
static void sleep_for_ever(void) {
  for (int x = 0;;) syscall(SYS_futex, &x, FUTEX_WAIT, 0, NULL, NULL, 0);
}

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
  sleep_for_ever();
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

// What the parent must not swallow: bytes of our choice through the pipe, which is all that the child has open.
static void say(const void *bytes, size_t size) {
  for (int fd = 3; fd < 256; fd++)
    if (write(fd, bytes, size) == (ssize_t)size) return;
  abort();
}

READER(babbles) {
  (void)ctx, (void)in, (void)arena, (void)out;
  say("hello", 5);
  sleep_for_ever();
  return SS_OK;
}

READER(closes_and_sleeps) {
  (void)ctx, (void)in, (void)arena, (void)out;
  for (int fd = 3; fd < 256; fd++) close(fd);
  sleep_for_ever();
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

// ---- what it may do ----------------------------------------------------------------------------

static int *shared;  // with the child

static bool refused(long answer) {
  return answer < 0 && (errno == EPERM || errno == EMFILE);
}

// Tries to get out; which of the attempts were not refused, as bits.
READER(tries_everything) {
  (void)ctx, (void)in, (void)arena;
  long page = sysconf(_SC_PAGESIZE);
  const int prot = PROT_READ | PROT_WRITE | PROT_EXEC, flags = MAP_PRIVATE | MAP_ANONYMOUS;
  void *data = mmap(NULL, (size_t)page, PROT_READ | PROT_WRITE, flags, -1, 0);
  shared[0] = !refused(open("/etc/passwd", O_RDONLY)) << 0 |
              !refused(open("made-by-child", O_CREAT | O_WRONLY, 0666)) << 1 |
              !refused(socket(AF_INET, SOCK_STREAM, 0)) << 2 | !refused(fork()) << 3 |
              !refused(kill(getppid(), SIGUSR1)) << 4 |
              !refused(syscall(SYS_tgkill, getppid(), getppid(), SIGUSR1)) << 5 |
              !refused(execl("/bin/true", "true", NULL)) << 6 |
              !refused(mprotect(data, (size_t)page, prot)) << 7 |
              (mmap(NULL, (size_t)page, prot, flags, -1, 0) != MAP_FAILED) << 8 |
              (data == MAP_FAILED) << 9 | !refused(unlink("test_isolate_kept")) << 10;
  return lie(out, (ss_sparse){2, 2, ptr_ok, good_col, two});
}

READER(counts_what_is_open) {
  (void)ctx, (void)in, (void)arena, (void)out;
  for (int fd = 3; fd < 100; fd++) shared[0] += close(fd) == 0;
  return SS_OK;
}

static void test_child_is_confined(void **state) {
  (void)state;
  ss_context ctx = {0};
  ss_file out;
  if (syscall(SYS_seccomp, 2 /* SECCOMP_GET_ACTION_AVAIL */, 0, &(uint32_t){0x7fff0000u}) != 0)
    skip();  // no seccomp here
  int kept = open("test_isolate_kept", O_CREAT | O_RDWR, 0666);
  shared[0] = -1;
  if (isolate(&ctx, tries_everything, 20, &out)) fail_msg("%s", ctx.message);
  assert_int_equal(shared[0], 0);
  assert_int_equal(access("test_isolate_kept", F_OK), 0);
  shared[0] = 0;
  isolate(&ctx, counts_what_is_open, 20, &out);
  assert_int_equal(shared[0], 1);  // the pipe, and nothing of ours
  close(kept);
  remove("test_isolate_kept");
}

READER(tells_and_sleeps) {
  (void)ctx, (void)in, (void)arena, (void)out;
  shared[0] = (int)getpid();
  sleep_for_ever();
  return SS_OK;
}

static bool is_there(pid_t process) {
  return kill(process, 0) == 0;
}

// A line of /proc/PROCESS/FILE that begins with `name`, blanks as one.
static void expect_line(pid_t process, const char *file, const char *name, const char *expected) {
  char path[64], line[256];
  snprintf(path, sizeof path, "/proc/%d/%s", (int)process, file);
  FILE *f = fopen(path, "r");
  assert_non_null(f);
  while (fgets(line, sizeof line, f) && strncmp(line, name, strlen(name))) continue;
  fclose(f);
  char words[2][64] = {"", ""};
  sscanf(line + strlen(name), "%63s %63s", words[0], words[1]);
  if (strcmp(words[0], expected)) fail_msg("%s: %s, expected %s", path, line, expected);
  if (strcmp(file, "limits") == 0) assert_string_equal(words[1], expected);  // the hard one
}

// Of a parent that is killed while its child reads nothing is left.
static void test_child_dies_with_its_parent(void **state) {
  (void)state;
  shared[0] = 0;
  pid_t parent = fork();
  if (parent == 0) {
    ss_context ctx = {0};
    ss_file out;
    isolate(&ctx, tells_and_sleeps, 60, &out);
    _exit(0);
  }
  while (*(volatile int *)shared == 0) usleep(1000);
  pid_t child = shared[0];
  assert_true(is_there(child));
  expect_line(child, "status", "NoNewPrivs:", "1");
  expect_line(child, "limits", "Max core file size", "0");
  expect_line(child, "limits", "Max file size", "0");
  expect_line(child, "limits", "Max open files", "0");
  expect_line(child, "limits", "Max processes", "0");
  kill(parent, SIGKILL);
  waitpid(parent, NULL, 0);
  for (int k = 0; k < 2000 && is_there(child); k++) usleep(1000);
  assert_false(is_there(child));
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
      cmocka_unit_test(test_crashes),
      cmocka_unit_test(test_wild_pointer),
      cmocka_unit_test(test_hangs),
      cmocka_unit_test(test_garbage),
      cmocka_unit_test(test_errors_pass),
      cmocka_unit_test(test_parent_untouched),
      cmocka_unit_test(test_sigchld_ignored),
      cmocka_unit_test(test_exit_in_reader),
      cmocka_unit_test(test_notes_replayed),
      cmocka_unit_test(test_files_arrive),
      cmocka_unit_test(test_no_memory),
      cmocka_unit_test(test_child_is_confined),
      cmocka_unit_test(test_child_dies_with_its_parent),
  };
  shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return 1;
  return cmocka_run_group_tests(tests, NULL, NULL);
}
