// Which files to measure: those named, and in folders, all the way down, those whose ending is one of a
// problem format. Whether they hold a problem is found out by reading them.
#define _XOPEN_SOURCE 700
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/bench.h"
#include "cli/shard.h"

enum { DEPTH_MAX = 64 };

static bool ends_with(const char *text, const char *ending) {
  size_t n = strlen(text), k = strlen(ending);
  return n > k && strcmp(text + n - k, ending) == 0;
}

// Of a Matrix Market set only the file of its matrix stands for it.
static bool looks_like_a_problem(const char *name) {
  static const char *const endings[] = {".hdf5", ".h5", ".dat", ".json", ".M.mtx", ".W.mtx"};
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
    if (ends_with(name, endings[i])) return true;
  return false;
}

static int no_memory(cli_session *s) {
  return cli_fail(s, CLI_RESOURCES, "out of memory for the list of files");
}

static int add(cli_session *s, bench *b, const char *path, bool named) {
  int n = b->problem_count;
  if ((n & (n - 1)) == 0) {  // room is the next power of two
    size_t room = n ? 2 * (size_t)n : 1;
    bench_problem *grown = realloc(b->problems, room * sizeof *grown);
    if (!grown) return no_memory(s);
    b->problems = grown;
  }
  b->problems[n] = (bench_problem){.path = strdup(path), .named = named};
  if (!b->problems[n].path) return no_memory(s);
  b->problem_count++;
  return CLI_GO_ON;
}

static char *join(const char *folder, const char *name) {
  size_t n = strlen(folder), size = n + strlen(name) + 2;
  char *path = malloc(size);
  bool slash = n > 0 && folder[n - 1] == '/';
  if (path) snprintf(path, size, "%s%s%s", folder, slash ? "" : "/", name);
  return path;
}

static int search(cli_session *s, bench *b, const char *folder, int depth);

// The other files of a Matrix Market set are part of what is measured.
static void leave_out(bench *b, const char *path) {
  if (ends_with(path, ".mtx")) return;
  if (b->left_out++ && strcmp(b->left_out_first, path) <= 0) return;
  snprintf(b->left_out_first, sizeof b->left_out_first, "%s", path);
}

// What an earlier bench wrote into the folder is written again; a problem is not.
static int leave_out_results(cli_session *s, const char *path) {
  if (bench_holds_results(path)) return CLI_GO_ON;
  return cli_fail(s, CLI_USAGE, "%s: is the input file; choose another name", path);
}

// Links to folders are not followed: they may lead round in a circle.
static int look_at(cli_session *s, bench *b, const char *path, int depth) {
  struct stat st, link;
  if (lstat(path, &link) != 0 || stat(path, &st) != 0) return CLI_GO_ON;  // gone, or leads nowhere
  if (S_ISDIR(st.st_mode))
    return S_ISLNK(link.st_mode) || depth == DEPTH_MAX ? CLI_GO_ON : search(s, b, path, depth + 1);
  if (!S_ISREG(st.st_mode)) return CLI_GO_ON;
  if (!looks_like_a_problem(path)) {
    leave_out(b, path);
    return CLI_GO_ON;
  }
  for (int k = 0; k < s->outputs.count; k++)
    if (cli_same_file(path, s->outputs.paths[k])) return leave_out_results(s, path);
  return add(s, b, path, false);
}

static int search(cli_session *s, bench *b, const char *folder, int depth) {
  DIR *d = opendir(folder);
  if (!d) {
    if (depth == 0)
      return cli_fail(s, CLI_INPUT, "%s: cannot be read: %s", folder, strerror(errno));
    cli_note(s, "%s: skipped: %s", folder, strerror(errno));
    return CLI_GO_ON;
  }
  int status = CLI_GO_ON;
  for (struct dirent *e; status == CLI_GO_ON && (e = readdir(d));) {
    if (e->d_name[0] == '.') continue;
    char *path = join(folder, e->d_name);
    status = path ? look_at(s, b, path, depth) : no_memory(s);
    free(path);
  }
  closedir(d);
  return status;
}

static int by_path(const void *a, const void *b) {
  const bench_problem *x = a, *y = b;
  int order = strcmp(x->path, y->path);
  return order ? order : (int)y->named - (int)x->named;  // the one that was named comes first
}

static void sort_once_each(bench *b) {
  qsort(b->problems, (size_t)b->problem_count, sizeof *b->problems, by_path);
  int kept = 0;
  for (int i = 0; i < b->problem_count; i++) {
    if (kept && strcmp(b->problems[kept - 1].path, b->problems[i].path) == 0)
      free(b->problems[i].path);
    else
      b->problems[kept++] = b->problems[i];
  }
  b->problem_count = kept;
}

int bench_find_files(cli_session *s, bench *b, char *const *paths, int count) {
  int status = CLI_GO_ON;
  for (int i = 0; i < count && status == CLI_GO_ON; i++) {
    struct stat st;
    if (strcmp(paths[i], "-") == 0)
      return cli_fail(s, CLI_USAGE,
                      "bench reads each problem several times: found '-', expected "
                      "files or folders");
    bool folder = stat(paths[i], &st) == 0 && S_ISDIR(st.st_mode);
    status = folder ? search(s, b, paths[i], 0) : add(s, b, paths[i], true);
  }
  if (status == CLI_GO_ON && b->problem_count) sort_once_each(b);
  if (status == CLI_GO_ON && b->left_out)
    cli_note(s,
             "%d file%s left out, %s%s: the ending is not that of a problem (.json, .hdf5, .h5, "
             ".dat, .mtx)",
             b->left_out, b->left_out == 1 ? "" : "s", b->left_out_first,
             b->left_out == 1 ? "" : " the first");
  return status;
}

int bench_take_shard(cli_session *s, bench *b) {
  cli_shard ours;
  int status = cli_shard_parse(s, b->o.shard, &ours);
  if (status != CLI_GO_ON) return status;
  int kept = 0;
  for (int i = 0; i < b->problem_count; i++) {
    if (cli_shard_has(&ours, i))
      b->problems[kept++] = b->problems[i];
    else
      free(b->problems[i].path);
  }
  b->problem_count = kept;
  return CLI_GO_ON;
}
