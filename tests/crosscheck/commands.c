// crosscheck/commands.c - see commands.h.
#define _GNU_SOURCE  // memfd_create, wait4
#include "commands.h"

#include <fcntl.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

int stickslip_main(int argc, char **argv);  // main of src/cli/main.c

// ---- processes ----------------------------------------------------------------------------------

bool place_open(command_place *p, const char *program, int seconds) {
  // in memory where that is possible: the commands sync what they write, and wait for the disk
  const char *base = getenv("TMPDIR");
  if (!base) base = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
  snprintf(p->folder, sizeof p->folder, "%s/crosscheck.XXXXXX", base);
  p->program = program;
  p->seconds = seconds;
  p->output = memfd_create("crosscheck", 0);
  return p->output >= 0 && mkdtemp(p->folder) != NULL;
}

static void file_in(const command_place *p, const char *name, char *out, size_t size) {
  snprintf(out, size, "%s/%s", p->folder, name);
}

void place_close(command_place *p) {
  static const char *const names[] = {"problem.json", "answer.json", "zero.json",
                                      "certificate.json"};
  for (unsigned k = 0; k < sizeof names / sizeof *names; k++) {
    char path[256];
    file_in(p, names[k], path, sizeof path);
    unlink(path);
  }
  rmdir(p->folder);
  close(p->output);
}

static void be_the_command(const command_place *p, char **argv) {
  int argc = 0, nowhere = open("/dev/null", O_RDWR);
  while (argv[argc]) argc++;
  struct rlimit limit = {(rlim_t)p->seconds, (rlim_t)p->seconds + 1};
  setrlimit(RLIMIT_CPU, &limit);
  dup2(nowhere, STDIN_FILENO);
  dup2(p->output, STDOUT_FILENO);
  dup2(nowhere, STDERR_FILENO);
  if (p->program) {
    execv(p->program, argv);
    _exit(127);
  }
  int status = stickslip_main(argc, argv);
  fflush(stdout);
  _exit(status);
}

// What it printed, or NULL.
static json_t *printed(int fd) {
  struct stat about;
  if (fstat(fd, &about) || about.st_size == 0) return NULL;
  char *text = malloc((size_t)about.st_size);
  json_t *o = NULL;
  if (text && pread(fd, text, (size_t)about.st_size, 0) == about.st_size)
    o = json_loadb(text, (size_t)about.st_size, 0, NULL);
  free(text);
  return o;
}

static json_t *run(command_place *p, run_result *result, char **argv) {
  if (ftruncate(p->output, 0)) return NULL;
  lseek(p->output, 0, SEEK_SET);
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) be_the_command(p, argv);
  int status = 0;
  struct rusage used = {0};
  if (child < 0 || wait4(child, &status, 0, &used) != child) return result->status = -1, NULL;
  result->cpu_s = (double)used.ru_utime.tv_sec + 1e-6 * (double)used.ru_utime.tv_usec;
  result->status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  json_t *o = printed(p->output);
  if (!o || result->status > 1) result->status = -1;
  return o;
}

// ---- reading what they say ----------------------------------------------------------------------

static const char *text_of(const json_t *o, const char *key) {
  const char *s = json_string_value(json_object_get(o, key));
  return s ? s : "";
}

static bool is(const json_t *o, const char *key, const char *value) {
  return strcmp(text_of(o, key), value) == 0;
}

static said existence_of(const json_t *o, const char *key) {
  if (is(o, key, "exists")) return SAID_EXISTS;
  if (is(o, key, "none")) return SAID_NONE;
  return is(o, key, "undecided") ? SAID_UNDECIDED : SAID_NOTHING;
}

static tristate answer_of(const json_t *o, const char *key) {
  const json_t *x = json_object_get(o, key);
  return json_is_true(x) ? SAID_YES : json_is_false(x) ? SAID_NO : NOT_SAID;
}

// The parts of a hint, separated by "; ", that assert or deny a solution.
static void read_hint(const char *hint, solve_claim *c) {
  char part[1000];
  for (const char *at = hint; at && *at;) {
    const char *end = strstr(at, "; ");
    size_t length = end ? (size_t)(end - at) : strlen(at);
    snprintf(part, sizeof part, "%.*s", (int)length, at);
    bool open = strstr(part, "whether") || strstr(part, " if ") || strstr(part, "need not exist");
    if (strstr(part, "no solution exists") || strstr(part, "none exists"))
      c->hint_not_there = true;
    else if (!open && (strstr(part, "a solution exists") || strstr(part, "enumerate finds")))
      c->hint_exists = true;
    at = end ? end + 2 : NULL;
  }
}

static bool read_reactions(const char *path, int m, double *r) {
  json_t *o = json_load_file(path, 0, NULL);
  json_t *a = json_object_get(o, "r");
  bool ok = json_is_array(a) && (int)json_array_size(a) == m;
  for (int i = 0; i < m && ok; i++) r[i] = json_number_value(json_array_get(a, (size_t)i));
  json_decref(o);
  return ok;
}

// ---- the commands -------------------------------------------------------------------------------

#define ARGS(...)                                                                                  \
  (char *[]) {                                                                                     \
    (char *)"stickslip", __VA_ARGS__, (char *)"--json", (char *)"--quiet", NULL                    \
  }

static void run_solve(command_place *p, const sample *s, char *problem, solve_claim *c) {
  char path[256];
  file_in(p, "answer.json", path, sizeof path);
  unlink(path);
  json_t *o = run(p, &c->run, ARGS("solve", problem, "-o", path));
  const json_t *diagnosis = json_object_get(o, "diagnosis");
  c->solved = is(o, "status", "solved");
  c->no_solution = is(o, "status", "no_solution");
  c->existence = existence_of(diagnosis, "existence");
  read_hint(text_of(diagnosis, "hint"), c);
  c->has_answer = read_reactions(path, 2 * s->n, c->r);
  json_decref(o);
}

static void run_check(command_place *p, char *problem, char *what, check_claim *c) {
  json_t *o = run(p, &c->run, ARGS("check", problem, what));
  c->yes = is(o, "status", "solved") || is(o, "status", "holds");
  json_decref(o);
}

static void run_certify(command_place *p, char *problem, char *path, certify_claim *c) {
  unlink(path);
  json_t *o = run(p, &c->run, ARGS("certify", problem, "-o", path));
  const json_t *margin = json_object_get(o, "margin");
  c->verdict = existence_of(o, "verdict");
  snprintf(c->reason, sizeof c->reason, "%s", text_of(o, "reason"));
  snprintf(c->criterion, sizeof c->criterion, "%s", text_of(o, "criterion_A"));
  c->for_every_w = answer_of(o, "for_every_w");
  c->a_prime = answer_of(json_object_get(o, "a_prime"), "holds");
  c->margin_exact = answer_of(o, "margin_exact") == SAID_YES;
  c->margin = json_is_number(margin)   ? json_number_value(margin)
              : is(o, "margin", "inf") ? INFINITY
                                       : NAN;
  json_decref(o);
}

static void run_enumerate(command_place *p, char *problem, bool rational, enumerate_claim *c) {
  json_t *o = run(p, &c->run, ARGS("enumerate", problem, "-a", rational ? "rational" : "auto"));
  const json_t *solutions = json_object_get(o, "solutions");
  c->count = (int)json_integer_value(json_object_get(o, "count"));
  c->complete = answer_of(o, "complete") == SAID_YES;
  c->rigorous = answer_of(o, "rigorous") == SAID_YES;
  c->exists = is(o, "verdict", "exists");
  c->undecided =
      is(o, "verdict", "undecided") || is(o, "status", "undecided") || is(o, "reason", "data");
  for (size_t k = 0; k < json_array_size(solutions); k++)
    c->isolated += is(json_array_get(solutions, k), "kind", "isolated");
  json_decref(o);
}

static bool write_zero(const char *path, int m) {
  FILE *f = fopen(path, "w");
  if (!f) return false;
  fprintf(f, "{\"r\": [");
  for (int i = 0; i < m; i++) fprintf(f, "%s0", i ? ", " : "");
  fprintf(f, "]}\n");
  return fclose(f) == 0;
}

bool run_all(command_place *p, const sample *s, claims *out) {
  char problem[256], answer[256], zero[256], certificate[256];
  memset(out, 0, sizeof *out);
  file_in(p, "problem.json", problem, sizeof problem);
  file_in(p, "answer.json", answer, sizeof answer);
  file_in(p, "zero.json", zero, sizeof zero);
  file_in(p, "certificate.json", certificate, sizeof certificate);
  if (!sample_write(s, problem) || !write_zero(zero, 2 * s->n)) return false;
  run_solve(p, s, problem, &out->solve);
  if (out->solve.has_answer) run_check(p, problem, answer, &out->answer);
  run_check(p, problem, zero, &out->zero);
  run_certify(p, problem, certificate, &out->certify);
  if (out->certify.run.status >= 0) run_check(p, problem, certificate, &out->certificate);
  run_enumerate(p, problem, false, &out->enumerate);
  run_enumerate(p, problem, true, &out->rational);
  return true;
}
