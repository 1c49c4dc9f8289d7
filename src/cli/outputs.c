// cli/outputs.c - see outputs.h.
#define _POSIX_C_SOURCE 200809L
#include "cli/outputs.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/args.h"

// ---- names --------------------------------------------------------------------------------------

bool cli_ends_with(const char *text, const char *ending) {
  size_t n = strlen(text), k = strlen(ending);
  return n >= k && strcmp(text + n - k, ending) == 0;
}

ss_format cli_format_by_ending(const char *path) {
  if (strcmp(path, "-") == 0 || cli_ends_with(path, ".json")) return SS_FORMAT_JSON;
  if (cli_ends_with(path, ".hdf5") || cli_ends_with(path, ".h5")) return SS_FORMAT_FCLIB;
  if (cli_ends_with(path, ".dat")) return SS_FORMAT_SICONOS;
  return cli_ends_with(path, ".mtx") ? SS_FORMAT_MTX : SS_FORMAT_AUTO;
}

bool cli_exists(const char *path) {
  struct stat st;
  return stat(path, &st) == 0;
}

bool cli_is_folder(const char *path) {
  struct stat st;
  return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static bool is_standard(const char *path) {
  return strcmp(path, "-") == 0;
}

static bool same(const struct stat *x, const struct stat *y) {
  return x->st_dev == y->st_dev && x->st_ino == y->st_ino;
}

bool cli_same_file(const char *a, const char *b) {
  struct stat x, y;
  if (is_standard(a) || is_standard(b)) return false;
  if (strcmp(a, b) == 0) return true;
  return stat(a, &x) == 0 && stat(b, &y) == 0 && same(&x, &y);
}

static const char *last_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

static void folder_of(const char *path, char out[PATH_MAX]) {
  int n = (int)(last_name(path) - path);
  snprintf(out, PATH_MAX, "%.*s", n ? n : 1, n ? path : ".");
}

// ---- sets of files ------------------------------------------------------------------------------

// The length of NAME in NAME.M.mtx, NAME.mtx and NAME: the files of one set share it.
static size_t set_name_length(const char *path) {
  size_t n = strlen(path);
  if (n < 4 || strcmp(path + n - 4, ".mtx") != 0) return n;
  n -= 4;
  for (size_t k = 1; k <= 2 && k + 1 < n; k++)
    if (path[n - k - 1] == '.') return n - k - 1;
  return n;
}

// The file of the set at `path` that says mu; of a folder the set that is written there.
static void mu_file(const char *path, char out[PATH_MAX]) {
  if (cli_is_folder(path))
    snprintf(out, PATH_MAX, "%s/problem.mu.mtx", path);
  else
    snprintf(out, PATH_MAX, "%.*s.mu.mtx", (int)set_name_length(path), path);
}

static bool is_inside(const char *file, const char *folder) {
  char parent[PATH_MAX];
  folder_of(file, parent);
  return cli_same_file(parent, folder);
}

// Reading a folder means the one set in it, whatever it is called.
static bool same_set(const char *in, const char *out) {
  char x[PATH_MAX], y[PATH_MAX];
  mu_file(in, x);
  mu_file(out, y);
  return cli_same_file(x, y) || (cli_is_folder(in) && cli_exists(y) && is_inside(y, in));
}

// ---- the rule -----------------------------------------------------------------------------------

static int remember(cli_session *s, cli_files *files, const char *path) {
  if (files->count == files->room) {
    int room = 2 * files->room + 8;
    const char **more = realloc(files->paths, (size_t)room * sizeof *more);
    if (!more) return cli_fail(s, CLI_RESOURCES, "out of memory for the names of files");
    files->paths = more;
    files->room = room;
  }
  files->paths[files->count++] = path;
  return CLI_GO_ON;
}

void cli_files_release(cli_files *files) {
  free(files->paths);
  *files = (cli_files){0};
}

// What is behind a name, or behind the stream that "-" stands for, where that is a file.
static bool look(const char *path, int stream, struct stat *st) {
  return is_standard(path) ? fstat(stream, st) == 0 && S_ISREG(st->st_mode) : stat(path, st) == 0;
}

static bool overwrites(const char *in, const char *out, ss_format format) {
  struct stat x, y;
  if (look(in, STDIN_FILENO, &x) && look(out, STDOUT_FILENO, &y) && same(&x, &y)) return true;
  return format == SS_FORMAT_MTX && !is_standard(in) && same_set(in, out);
}

// Two outputs in one place: the second would replace the first, which need not be there yet.
static bool one_place(const char *a, const char *b) {
  char x[PATH_MAX], y[PATH_MAX];
  if (is_standard(a) || is_standard(b)) return is_standard(a) && is_standard(b);
  if (cli_same_file(a, b)) return true;
  folder_of(a, x);
  folder_of(b, y);
  return strcmp(last_name(a), last_name(b)) == 0 && cli_same_file(x, y);
}

// Whatever they stand for at the moment.
static bool is_standard_stream(const char *path) {
  return strncmp(path, "/dev/std", 8) == 0 || strncmp(path, "/dev/fd/", 8) == 0;
}

// Why `path` cannot become an output file (no such folder, a folder itself, ...), or NULL.
static const char *trouble(const char *path) {
  struct stat st;
  bool exists = stat(path, &st) == 0;
  if (exists && S_ISDIR(st.st_mode)) return "it is a folder, expected a file name";
  // outputs are written aside and renamed: that would replace a device or a pipe
  if ((exists && !S_ISREG(st.st_mode)) || is_standard_stream(path))
    return "it is not a regular file ('-' is standard output)";
  if (exists && access(path, W_OK) != 0) return strerror(errno);
  char folder[PATH_MAX];
  if (strlen(path) >= sizeof folder) return strerror(ENAMETOOLONG);
  folder_of(path, folder);
  if (stat(folder, &st) != 0) return strerror(errno);
  if (!S_ISDIR(st.st_mode)) return strerror(ENOTDIR);
  return access(folder, W_OK) == 0 ? NULL : strerror(errno);
}

int cli_output_is_file(cli_session *s, const char *option, const char *path) {
  if (!path || strcmp(path, "-") != 0) return CLI_GO_ON;
  return cli_fail(s, CLI_USAGE, "%s: found '-', expected a file name (--json prints)", option);
}

static int refuse_input(cli_session *s, const char *output) {
  return cli_fail(s, CLI_USAGE, "%s: is the input file; choose another name",
                  cli_output_name(output));
}

int cli_input(cli_session *s, const char *path) {
  for (int k = 0; k < s->outputs.count; k++)
    if (overwrites(path, s->outputs.paths[k], SS_FORMAT_AUTO))
      return refuse_input(s, s->outputs.paths[k]);
  return remember(s, &s->inputs, path);
}

int cli_output(cli_session *s, const char *path, ss_format format) {
  if (format == SS_FORMAT_AUTO) format = cli_format_by_ending(path);
  for (int k = 0; k < s->inputs.count; k++)
    if (overwrites(s->inputs.paths[k], path, format)) return refuse_input(s, path);
  for (int k = 0; k < s->outputs.count; k++)
    if (one_place(s->outputs.paths[k], path))
      return cli_fail(s, CLI_USAGE, "%s: two outputs would be written there; choose another name",
                      cli_output_name(path));
  bool set_in_folder = format == SS_FORMAT_MTX && cli_is_folder(path);
  const char *why = is_standard(path) || set_in_folder ? NULL : trouble(path);
  if (why) return cli_fail(s, CLI_RESOURCES, "%s: cannot be written: %s", path, why);
  return remember(s, &s->outputs, path);
}

int cli_output_precious(cli_session *s, const char *path, bool overwrite) {
  struct stat st;
  if (overwrite || stat(path, &st) != 0 || st.st_size == 0) return CLI_GO_ON;
  return cli_fail(s, CLI_RESOURCES, "%s: is there already; --overwrite replaces it", path);
}
