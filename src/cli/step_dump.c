#define _POSIX_C_SOURCE 200809L  // PATH_MAX
#include "cli/step_dump.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/outputs.h"

// ---- what is asked for ------------------------------------------------------------------------

// N >= 1, and where it ends; 0: none.
static long long positive(const char *text, const char **end) {
  char *stop;
  errno = 0;
  long long n = isdigit((unsigned char)*text) ? strtoll(text, &stop, 10) : 0;
  if (n < 1 || errno) return 0;
  *end = stop;
  return n;
}

static int check_one(cli_session *s, cli_step_dump *d) {
  const char *end = "";
  d->at = positive(d->step, &end);
  if (!d->at || *end != ':' || !end[1])
    return cli_fail(s, CLI_USAGE, "simulate: --dump-step %s: expected N:FILE with N >= 1", d->step);
  d->file = end + 1;
  if (cli_format_by_ending(d->file) == SS_FORMAT_AUTO)
    return cli_fail(s, CLI_USAGE, "simulate: --dump-step %s: cannot write such a file", d->step);
  return cli_output(s, d->file, SS_FORMAT_AUTO);
}

static int make_folder(cli_session *s, const char *path) {
  if (!mkdir(path, 0777) || errno == EEXIST) return CLI_GO_ON;
  return cli_fail(s, CLI_RESOURCES, "%s: cannot make this folder: %s", path, strerror(errno));
}

// An earlier collection is never mixed with this one, nor replaced.
static int check_empty(cli_session *s, const char *folder) {
  DIR *list = opendir(folder);
  if (!list) return cli_fail(s, CLI_RESOURCES, "%s: cannot be read: %s", folder, strerror(errno));
  int status = CLI_GO_ON;
  for (struct dirent *e; status == CLI_GO_ON && (e = readdir(list));)
    if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
      status = cli_fail(s, CLI_RESOURCES,
                        "%s: is not empty (%s); --dump-every wants a folder of its own", folder,
                        e->d_name);
  closedir(list);
  return status;
}

// The scene's name without folders and ending, as a file name that needs no quotes.
static void name_after(const char *scene, char *prefix, size_t size) {
  const char *slash = strrchr(scene, '/'), *name = slash ? slash + 1 : scene;
  size_t n = 0;
  for (; name[n] && name[n] != '.' && n + 1 < size; n++)
    prefix[n] = isalnum((unsigned char)name[n]) || name[n] == '_' ? name[n] : '-';
  prefix[n] = '\0';
  if (!n || strcmp(prefix, "-") == 0) snprintf(prefix, size, "scene");
}

static int check_every(cli_session *s, cli_step_dump *d, const char *scene, bool resume) {
  const char *end = "";
  d->period = positive(d->every.first, &end);
  if (!d->period || (*end && *end != ':') || !*d->every.second)
    return cli_fail(s, CLI_USAGE, "simulate: --dump-every %s: expected N DIR with N >= 1",
                    d->every.first);
  d->folder = d->every.second;
  d->resumed = resume;
  name_after(scene, d->prefix, sizeof d->prefix);
  int status = make_folder(s, d->folder);
  return status == CLI_GO_ON && !resume ? check_empty(s, d->folder) : status;
}

int cli_dump_check(cli_session *s, cli_step_dump *d, const char *scene, bool resume) {
  int status = d->step ? check_one(s, d) : CLI_GO_ON;
  if (status == CLI_GO_ON && d->unsolved) status = make_folder(s, d->unsolved);
  if (status == CLI_GO_ON && d->every.first) status = check_every(s, d, scene, resume);
  return status;
}

// ---- a step -----------------------------------------------------------------------------------

typedef struct dumped {
  const ss_simulation *sim;
  const ss_scene *scene;
  long long step;
  const ss_step_info *info;
} dumped;

// The last problem, its guess (solve FILE --guess inside:1 runs it again) and its answer, where it is one.
static int write(cli_session *s, const dumped *x, const char *path, ss_file *what) {
  ss_solution guess, answer;
  const ss_problem *p = ss_simulation_problem(x->sim, &guess, &answer);
  if (!p) return CLI_GO_ON;
  what->problem = *p, what->guesses = &guess, what->guess_count = 1;
  if (!x->info->unsolved) what->solution = answer;
  ss_error e = ss_file_write(&s->ctx, path, SS_FORMAT_AUTO, what);
  return e ? cli_fail_library(s, path, e) : CLI_GO_ON;
}

static int write_plain(cli_session *s, const dumped *x, const char *path) {
  ss_file what = {0};
  return write(s, x, path, &what);
}

static int too_long(cli_session *s, const char *folder) {
  return cli_fail(s, CLI_RESOURCES, "%s: the name is too long", folder);
}

static int write_unsolved(cli_session *s, const cli_step_dump *d, const dumped *x) {
  char path[PATH_MAX];
  if (snprintf(path, sizeof path, "%s/step-%lld.hdf5", d->unsolved, x->step) >= PATH_MAX)
    return too_long(s, d->unsolved);
  return write_plain(s, x, path);
}

// What a resumed run had written before it was cut short is complete, and the same.
static int write_member(cli_session *s, cli_step_dump *d, const dumped *x) {
  char path[PATH_MAX], description[300];
  const ss_problem *p = ss_simulation_problem(x->sim, NULL, NULL);
  if (!p || !p->nc) return d->empty++, CLI_GO_ON;
  if (snprintf(path, sizeof path, "%s/%s-step-%06lld-contacts-%d.hdf5", d->folder, d->prefix,
               x->step, p->nc) >= PATH_MAX)
    return too_long(s, d->folder);
  d->written++;
  if (cli_exists(path)) {
    if (d->resumed) return CLI_GO_ON;
    return cli_fail(s, CLI_RESOURCES, "%s: is there already and is left as it is", path);
  }
  snprintf(description, sizeof description,
           "step %lld of %s, its end at t = %.12g, h = %.12g; %s with error %.3g", x->step,
           d->prefix, x->info->time, x->info->h, x->info->unsolved ? "not solved, ended" : "solved",
           x->info->error);
  ss_file what = {.title = x->scene->title ? x->scene->title : d->prefix,
                  .description = description};
  return write(s, x, path, &what);
}

int cli_dump_step(cli_session *s, cli_step_dump *d, const ss_simulation *sim, const ss_scene *scene,
                  long long step, const ss_step_info *info, const char *also) {
  dumped x = {sim, scene, step, info};
  int status = d->at == step ? write_plain(s, &x, d->file) : CLI_GO_ON;
  if (status == CLI_GO_ON && also) status = write_plain(s, &x, also);
  if (status == CLI_GO_ON && d->period && step % d->period == 0) status = write_member(s, d, &x);
  if (status == CLI_GO_ON && d->unsolved && info->unsolved) status = write_unsolved(s, d, &x);
  return status;
}

// ---- after ------------------------------------------------------------------------------------

void cli_dump_put(cli_session *s, const cli_step_dump *d, json_t *object) {
  if (!d->period) return;
  json_t *o = json_object();
  cli_put(s, o, "folder", cli_text(d->folder));
  cli_put(s, o, "every", json_integer(d->period));
  cli_put(s, o, "problems", json_integer(d->written));
  cli_put(s, o, "without_contacts", json_integer(d->empty));
  cli_put(s, object, "collection", o);
}

void cli_dump_print(FILE *to, const cli_step_dump *d) {
  if (!d->period) return;
  cli_line(to, "collection", "%lld problem%s in %s; stickslip bench %s compares solvers on them",
           d->written, d->written == 1 ? "" : "s", d->folder, d->folder);
  if (d->empty)
    cli_line(to, "", "%lld step%s without a contact left out", d->empty, d->empty == 1 ? "" : "s");
}
