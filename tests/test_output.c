// io/output.c and io/input.c: a file appears complete or not at all, numbers keep their bits, and
// what cannot be read or written is said.
#define _GNU_SOURCE  // O_TMPFILE, syscall
#include "harness.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <float.h>
#include <locale.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/rng.h"
#include "io/reader.h"

// In the place of the C library's: a file system that knows no file without a name, where a test asks for one.
static bool all_files_have_names;

int open(const char *name, int flags, ...) {
  va_list list;
  va_start(list, flags);
  mode_t mode = flags & (O_CREAT | O_DIRECTORY) ? va_arg(list, mode_t) : 0;
  va_end(list);
  if (all_files_have_names && (flags & O_TMPFILE) == O_TMPFILE) return errno = EOPNOTSUPP, -1;
  return (int)syscall(SYS_openat, AT_FDCWD, name, flags, mode);
}

static char folder[] = "/tmp/stickslip-output-XXXXXX";
static char path[128];

static int set_up(void **state) {
  (void)state;
  if (!mkdtemp(folder)) return -1;
  snprintf(path, sizeof path, "%s/file.txt", folder);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  char command[128];
  snprintf(command, sizeof command, "rm -r %s", folder);
  return system(command);
}

static void put(const char *name, const char *text) {
  FILE *out = fopen(name, "w");
  assert_non_null(out);
  fputs(text, out);
  assert_int_equal(fclose(out), 0);
}

static void assert_content(const char *name, const char *expected) {
  char text[256];
  FILE *in = fopen(name, "r");
  assert_non_null(in);
  text[fread(text, 1, sizeof text - 1, in)] = 0;
  fclose(in);
  assert_string_equal(text, expected);
}

static int files_in_folder(void) {
  DIR *d = opendir(folder);
  assert_non_null(d);
  int count = 0;
  while (readdir(d)) count++;
  closedir(d);
  return count - 2;  // without . and ..
}

static void replaces_only_at_commit(void **state) {
  (void)state;
  put(path, "old");
  chmod(path, 0640);
  ssi_output *o;
  assert_int_equal(ssi_output_begin(NULL, path, &o), SS_OK);
  ssi_output_text(o, "new %d", 7);
  assert_content(path, "old");
  assert_int_equal(ssi_output_commit(NULL, o), SS_OK);
  assert_content(path, "new 7");
  struct stat st;
  assert_int_equal(stat(path, &st), 0);
  assert_int_equal(st.st_mode & 0777, 0640);
  assert_int_equal(ssi_output_begin(NULL, path, &o), SS_OK);
  ssi_output_text(o, "given up");
  ssi_output_abandon(o);
  assert_content(path, "new 7");
  assert_int_equal(files_in_folder(), 1);
  unlink(path);
}

static void new_file_obeys_umask(void **state) {
  (void)state;
  mode_t before = umask(027);
  ssi_output *o;
  assert_int_equal(ssi_output_begin(NULL, path, &o), SS_OK);
  assert_int_equal(ssi_output_commit(NULL, o), SS_OK);
  umask(before);
  struct stat st;
  assert_int_equal(stat(path, &st), 0);
  assert_int_equal(st.st_mode & 0777, 0640);
  unlink(path);
}

static void link_stays_a_link(void **state) {
  (void)state;
  char name[140];
  snprintf(name, sizeof name, "%s/link", folder);
  put(path, "old");
  assert_int_equal(symlink("file.txt", name), 0);
  ssi_output *o;
  assert_int_equal(ssi_output_begin(NULL, name, &o), SS_OK);
  ssi_output_text(o, "through");
  assert_int_equal(ssi_output_commit(NULL, o), SS_OK);
  assert_content(path, "through");
  struct stat st;
  assert_int_equal(lstat(name, &st), 0);
  assert_true(S_ISLNK(st.st_mode));
  unlink(name);
  unlink(path);
}

// A disk that fills up, by the limit on a file's size: write fails with EFBIG half-way.
static void full_disk_leaves_the_old_file(void **state) {
  (void)state;
  put(path, "old");
  struct rlimit before, small;
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
  small = (struct rlimit){.rlim_cur = 10000, .rlim_max = before.rlim_max};
  void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
  for (int lines = 100; lines <= 100000; lines *= 100) {  // failing in commit, failing long before
    ssi_output *o;
    ss_context ctx = {0};
    assert_int_equal(ssi_output_begin(&ctx, path, &o), SS_OK);
    setrlimit(RLIMIT_FSIZE, &small);
    for (int k = 0; k < lines; k++)
      ssi_output_text(o, "a line of text, %100d, that fills the disk\n", k);
    ss_error e = ssi_output_commit(&ctx, o);
    setrlimit(RLIMIT_FSIZE, &before);
    assert_int_equal(e, SS_ERR_WRITE);
    assert_non_null(strstr(ctx.message, path));
    assert_non_null(strstr(ctx.message, strerror(EFBIG)));
    assert_content(path, "old");
    assert_int_equal(files_in_folder(), 1);
  }
  signal(SIGXFSZ, handler);
  unlink(path);
}

// A process that is killed half-way leaves nothing, where the file system has files without names.
static void killed_leaves_nothing(void **state) {
  (void)state;
  put(path, "old");
  ssi_aside a;
  assert_int_equal(ssi_aside_begin(NULL, path, &a), SS_OK);
  bool nameless = a.nameless;
  ssi_aside_abandon(NULL, &a);
  if (!nameless) {
    print_message("no files without names here: not tested\n");
    return;
  }
  pid_t child = fork();
  if (child == 0) {
    ssi_output *o;
    ssi_output_begin(NULL, path, &o);
    for (int k = 0; k < 100000; k++) ssi_output_text(o, "%d\n", k);
    raise(SIGKILL);
  }
  int status = 0;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFSIGNALED(status));
  assert_content(path, "old");
  assert_int_equal(files_in_folder(), 1);
  unlink(path);
}

// /dev/stdout that stands for a file: written to, not replaced by another file.
static void standard_stream_by_name_is_not_replaced(void **state) {
  (void)state;
  int before = dup(STDERR_FILENO), fd = open(path, O_CREAT | O_RDWR, 0600);
  struct stat first, second;
  assert_int_equal(fstat(fd, &first), 0);
  dup2(fd, STDERR_FILENO);
  ssi_output *o;
  ss_error e = ssi_output_begin(NULL, "/dev/stderr", &o);
  if (!e) {
    ssi_output_text(o, "text");
    e = ssi_output_commit(NULL, o);
  }
  dup2(before, STDERR_FILENO);
  close(before);
  close(fd);
  assert_int_equal(e, SS_OK);
  assert_int_equal(stat(path, &second), 0);
  assert_int_equal(first.st_ino, second.st_ino);
  assert_content(path, "text");
  unlink(path);
}

static void device_is_written_to_and_stays(void **state) {
  (void)state;
  ssi_output *o;
  ss_context ctx = {0};
  assert_int_equal(ssi_output_begin(&ctx, "/dev/full", &o), SS_OK);
  ssi_output_text(o, "more than it takes");
  assert_int_equal(ssi_output_commit(&ctx, o), SS_ERR_WRITE);
  assert_non_null(strstr(ctx.message, strerror(ENOSPC)));
  assert_int_equal(ssi_output_begin(&ctx, "/dev/null", &o), SS_OK);
  assert_int_equal(ssi_output_commit(&ctx, o), SS_OK);
  struct stat st;
  assert_int_equal(stat("/dev/null", &st), 0);
  assert_true(S_ISCHR(st.st_mode));
  ssi_aside a;
  assert_int_equal(ssi_aside_begin(&ctx, "/dev/null", &a), SS_ERR_WRITE);
}

static void impossible_targets_are_said(void **state) {
  (void)state;
  ssi_output *o;
  ss_context ctx = {0};
  assert_int_equal(ssi_output_begin(&ctx, folder, &o), SS_ERR_WRITE);
  assert_non_null(strstr(ctx.message, "is a folder"));
  assert_null(o);
  char name[140];
  snprintf(name, sizeof name, "%s/no/such/file", folder);
  assert_int_equal(ssi_output_begin(&ctx, name, &o), SS_ERR_WRITE);
  assert_non_null(strstr(ctx.message, strerror(ENOENT)));
  assert_int_equal(files_in_folder(), 0);
}

static void numbers_keep_their_bits(void **state) {
  (void)state;
  double x[2006] = {0.0, -0.0, DBL_MAX, -DBL_MIN, DBL_TRUE_MIN, 0.3};
  ssi_rng g = {1};
  for (int k = 6; k < 2006; k++) {
    uint64_t bits = ssi_rng_next(&g);
    memcpy(&x[k], &bits, sizeof bits);
    if (!isfinite(x[k])) x[k] = ssi_rng_uniform(&g);
  }
  const char *comma = setlocale(LC_ALL, "de_DE.UTF-8");
  if (!comma) print_message("no locale with a decimal comma here\n");
  ssi_output *o;
  assert_int_equal(ssi_output_begin(NULL, path, &o), SS_OK);
  for (int k = 0; k < 2006; k++) {
    ssi_output_number(o, x[k]);
    ssi_output_text(o, "\n");
  }
  assert_int_equal(ssi_output_commit(NULL, o), SS_OK);
  setlocale(LC_ALL, "C");
  FILE *in = fopen(path, "r");
  assert_non_null(in);
  char line[64];
  for (int k = 0; k < 2006; k++) {
    assert_non_null(fgets(line, sizeof line, in));
    double read = strtod(line, NULL);
    assert_memory_equal(&read, &x[k], sizeof read);
    if (k == 1) assert_string_equal(line, "-0.0\n");
    if (k == 5) assert_string_equal(line, "0.3\n");
  }
  fclose(in);
  unlink(path);
}

// `path` through a pipe to standard input.
static ss_error read_by_pipe(ss_context *ctx, size_t most, ssi_arena *arena, ssi_source *in) {
  char command[160];
  snprintf(command, sizeof command, "cat %s", path);
  FILE *pipe = popen(command, "r");
  int standard = dup(STDIN_FILENO);
  dup2(fileno(pipe), STDIN_FILENO);
  ss_error e = ssi_input_read_within(ctx, "-", most, arena, in);
  dup2(standard, STDIN_FILENO);
  close(standard);
  pclose(pipe);
  return e;
}

static void reads_files_and_pipes(void **state) {
  (void)state;
  ssi_arena arena = {0};
  ssi_source in;
  put(path, "content");
  assert_int_equal(ssi_input_read(NULL, path, &arena, &in), SS_OK);
  assert_int_equal(in.size, 7);
  assert_string_equal(in.bytes, "content");
  assert_string_equal(in.name, path);
  put(path, "");
  assert_int_equal(ssi_input_read(NULL, path, &arena, &in), SS_OK);
  assert_int_equal(in.size, 0);
  assert_int_equal(in.bytes[0], 0);

  FILE *out = fopen(path, "w");  // longer than the first guess for a pipe
  assert_non_null(out);
  for (int k = 0; k < 100000; k++) fputs("abc", out);
  fclose(out);
  assert_int_equal(read_by_pipe(NULL, SIZE_MAX, &arena, &in), SS_OK);
  assert_int_equal(in.size, 300000);
  for (size_t k = 0; k < in.size; k++) assert_int_equal(in.bytes[k], "abc"[k % 3]);
  assert_int_equal(in.bytes[in.size], 0);
  ssi_arena_release(&arena);
  unlink(path);
}

// What has no end, or is larger than the machine, is refused and not kept in memory.
static void endless_is_refused(void **state) {
  (void)state;
  ssi_arena arena = {0};
  ssi_source in;
  ss_context ctx = {0};
  FILE *out = fopen(path, "w");
  assert_non_null(out);
  for (int k = 0; k < 300000; k++) fputc('x', out);
  fclose(out);
  assert_int_equal(read_by_pipe(&ctx, 300000, &arena, &in), SS_OK);
  assert_int_equal(in.size, 300000);
  assert_int_equal(read_by_pipe(&ctx, 299999, &arena, &in), SS_ERR_MEMORY);
  assert_non_null(strstr(ctx.message, "standard input: more than 299999 bytes came"));
  assert_int_equal(ssi_input_read_within(&ctx, path, 10, &arena, &in), SS_OK);  // no pipe
  if (access("/dev/zero", R_OK) == 0) {
    assert_int_equal(ssi_input_read(&ctx, "/dev/zero", &arena, &in), SS_ERR_READ);
    assert_string_equal(ctx.message,
                        "/dev/zero: is a device, and no end of it after 1048576 bytes; "
                        "expected a file or a pipe");
  }
  assert_int_equal(ssi_input_read(&ctx, "/dev/null", &arena, &in), SS_OK);
  assert_int_equal(in.size, 0);
  if (truncate(path, (off_t)1 << 42) == 0) {  // a hole of 4 TiB
    assert_int_equal(ssi_input_read(&ctx, path, &arena, &in), SS_ERR_MEMORY);
    assert_non_null(strstr(ctx.message, "no memory for 4398046511104 bytes"));
  }
  unlink(path);
  ssi_arena_release(&arena);
}

static void unreadable_is_said(void **state) {
  (void)state;
  ssi_arena arena = {0};
  ssi_source in;
  ss_context ctx = {0};
  assert_int_equal(ssi_input_read(&ctx, folder, &arena, &in), SS_ERR_READ);
  assert_non_null(strstr(ctx.message, "is a folder"));
  assert_int_equal(ssi_input_read(&ctx, path, &arena, &in), SS_ERR_READ);
  assert_non_null(strstr(ctx.message, strerror(ENOENT)));
  assert_non_null(strstr(ctx.message, path));
  put(path, "secret");
  chmod(path, 0);
  if (geteuid() == 0)
    print_message("root reads everything: permissions not tested\n");
  else
    assert_int_equal(ssi_input_read(&ctx, path, &arena, &in), SS_ERR_READ);
  unlink(path);
  ssi_arena_release(&arena);
}

// A handler that ends the process leaves nothing that is not finished, and everything that is.
static void unfinished_files_are_removed(void **state) {
  (void)state;
  ss_context ctx = {0};
  for (int k = 0; k < 2; k++) {
    all_files_have_names = k == 1;
    put(path, "old");
    int before = files_in_folder();
    ssi_output *o;
    assert_int_equal(ssi_output_begin(&ctx, path, &o), SS_OK);
    ssi_output_text(o, "new");
    assert_int_equal(files_in_folder(), before + k);
    ss_unfinished_remove();
    assert_int_equal(files_in_folder(), before);
    ssi_output_abandon(o);
    assert_int_equal(ssi_output_begin(&ctx, path, &o), SS_OK);
    ssi_output_text(o, "new");
    assert_int_equal(ssi_output_commit(&ctx, o), SS_OK);
    ss_unfinished_remove();
    assert_int_equal(files_in_folder(), before);
    assert_content(path, "new");
  }
  all_files_have_names = false;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(unfinished_files_are_removed),
      cmocka_unit_test(replaces_only_at_commit),
      cmocka_unit_test(new_file_obeys_umask),
      cmocka_unit_test(link_stays_a_link),
      cmocka_unit_test(full_disk_leaves_the_old_file),
      cmocka_unit_test(killed_leaves_nothing),
      cmocka_unit_test(standard_stream_by_name_is_not_replaced),
      cmocka_unit_test(device_is_written_to_and_stays),
      cmocka_unit_test(impossible_targets_are_said),
      cmocka_unit_test(numbers_keep_their_bits),
      cmocka_unit_test(reads_files_and_pipes),
      cmocka_unit_test(endless_is_refused),
      cmocka_unit_test(unreadable_is_said),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
