// crosscheck - solve, check, certify and enumerate against an exact brute force and against each
// other, on random plane problems of many kinds. See --help and docs/crosscheck.md.
#define _DEFAULT_SOURCE
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "compare.h"
#include "kinds.h"

typedef struct settings {
  int count, jobs, seconds, list;
  uint64_t seed;
  const char *only, *keep, *program;
  bool strict;
} settings;

static void usage(FILE *to) {
  fprintf(to,
          "crosscheck [options] [FILE...]: verdicts of all commands against an exact brute force\n"
          "FILEs are JSON problems, judged one by one instead of random ones.\n"
          "  --count N     problems of each kind (default 20)\n"
          "  --seed N      of the first problem; the next ones follow (default 1)\n"
          "  --kind NAMES  only these kinds, separated by commas\n"
          "  --jobs N      processes (default 1); the result is the same for any number\n"
          "  --keep DIR    write every problem with a finding to DIR/KIND-SEED.json, what was "
          "found beside it\n"
          "  --list N      print at most N findings of each kind (default 5)\n"
          "  --program P   run the program P instead of the code linked in\n"
          "  --seconds N   of processor time for one command (default 60)\n"
          "  --strict      what rests on less than the rounding of the data fails as well\n"
          "exit status: 0 no false claim, no contradiction; 1 some; 2 wrong usage\nkinds:\n");
  for (int k = 0; k < kind_count; k++) fprintf(to, "  %-16s %s\n", kinds[k].name, kinds[k].about);
}

static bool parse(int argc, char **argv, settings *o) {
  static const struct option options[] = {{"count", 1, 0, 'n'},
                                          {"seed", 1, 0, 's'},
                                          {"kind", 1, 0, 'k'},
                                          {"jobs", 1, 0, 'j'},
                                          {"keep", 1, 0, 'd'},
                                          {"list", 1, 0, 'l'},
                                          {"program", 1, 0, 'p'},
                                          {"seconds", 1, 0, 't'},
                                          {"strict", 0, 0, 'x'},
                                          {"help", 0, 0, 'h'},
                                          {0, 0, 0, 0}};
  *o = (settings){.count = 20, .jobs = 1, .seconds = 60, .list = 5, .seed = 1};
  for (int c; (c = getopt_long(argc, argv, "n:s:k:j:d:l:p:t:h", options, NULL)) != -1;) switch (c) {
    case 'n':
      o->count = atoi(optarg);
      break;
    case 's':
      o->seed = strtoull(optarg, NULL, 10);
      break;
    case 'k':
      o->only = optarg;
      break;
    case 'j':
      o->jobs = atoi(optarg);
      break;
    case 'd':
      o->keep = optarg;
      break;
    case 'l':
      o->list = atoi(optarg);
      break;
    case 'p':
      o->program = optarg;
      break;
    case 't':
      o->seconds = atoi(optarg);
      break;
    case 'x':
      o->strict = true;
      break;
    case 'h':
      usage(stdout);
      exit(0);
    default:
      return false;
    }
  return o->count > 0 && o->jobs > 0 && o->seconds > 0;
}

static bool chosen(const settings *o, const char *name) {
  size_t length = strlen(name);
  for (const char *at = o->only; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
    if (strncmp(at, name, length) == 0 && (at[length] == ',' || !at[length])) return true;
  return !o->only;
}

static void keep(const settings *o, const kind *k, uint64_t seed, const sample *s,
                 const verdicts *v) {
  char path[400];
  snprintf(path, sizeof path, "%s/%s-%llu.json", o->keep, k->name, (unsigned long long)seed);
  sample_write(s, path);
  snprintf(path, sizeof path, "%s/%s-%llu.txt", o->keep, k->name, (unsigned long long)seed);
  FILE *f = fopen(path, "w");
  if (!f) return;
  for (int i = 0; i < v->found && i < FINDINGS; i++)
    fprintf(f, "%s: %s\n", fault_names[v->finding[i].fault], v->finding[i].text);
  fclose(f);
}

// Every jobs-th problem of one kind.
static int work(const settings *o, const kind *k, int first, verdicts *all) {
  command_place place;
  if (!place_open(&place, o->program, o->seconds)) return 1;
  for (int i = first; i < o->count; i += o->jobs) {
    sample s;
    claims c;
    sample_make(k, o->seed + (uint64_t)i, &s);
    if (!run_all(&place, &s, &c)) return 1;
    compare(&s, &c, &all[i]);
    if (o->keep && all[i].found) keep(o, k, o->seed + (uint64_t)i, &s, &all[i]);
    sample_free(&s);
  }
  place_close(&place);
  return 0;
}

static bool work_in_parallel(const settings *o, const kind *k, verdicts *all) {
  bool ok = true;
  for (int j = 0; j < o->jobs; j++) {
    pid_t child = fork();
    if (child == 0) _exit(work(o, k, j, all));
    ok = ok && child > 0;
  }
  for (int status; wait(&status) > 0;) ok = ok && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  return ok;
}

// ---- the table -------------------------------------------------------------------------------

static void print_head(void) {
  printf(
      "| kind | problems | without solution | rounding decides | false | solve | check | certify | "
      "enumerate | rational | contradiction | broken | below rounding | within tolerance | open "
      "%%: solve | certify | "
      "enumerate | claims | excused %% |\n"
      "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
}

static bool is_failure(const settings *o, const verdicts *v) {
  return v->has[FAULT_FALSE] || v->has[FAULT_CONTRADICTION] || v->has[FAULT_BROKEN] ||
         (o->strict && v->has[FAULT_ROUNDING]);
}

static void print_row(const char *name, const verdicts *all, int count) {
  int has[FAULTS] = {0}, wrong[COMMANDS] = {0}, none = 0, fragile = 0, open[3] = {0};
  int claimed = 0, excused = 0;
  for (const verdicts *v = all; v < all + count; v++) {
    for (int f = 0; f < FAULTS; f++) has[f] += v->has[f];
    for (int w = 0; w < COMMANDS; w++) wrong[w] += v->wrong[w];
    none += !v->truth_exists;
    fragile += v->truth_fragile;
    claimed += v->claimed;
    excused += v->excused;
    open[0] += v->open_solve;
    open[1] += v->open_certify;
    open[2] += v->open_enumerate;
  }
  printf("| %s | %d | %d | %d | %d |", name, count, none, fragile, has[FAULT_FALSE]);
  for (int w = 0; w < COMMANDS; w++) printf(" %d |", wrong[w]);
  for (int f = FAULT_CONTRADICTION; f < FAULTS; f++) printf(" %d |", has[f]);
  for (int k = 0; k < 3; k++) printf(" %.2f |", 100.0 * open[k] / count);
  printf(" %d | %.2f |\n", claimed, claimed ? 100.0 * excused / claimed : 0);
  fflush(stdout);
}

static void print_findings(const char *label, const verdicts *v) {
  for (int f = 0; f < v->found && f < FINDINGS; f++)
    fprintf(stderr, "%s: %s: %s\n", label, fault_names[v->finding[f].fault], v->finding[f].text);
}

// How many failed; the first of them are listed.
static int report(const settings *o, const kind *k, const verdicts *all) {
  int bad = 0;
  print_row(k->name, all, o->count);
  for (int i = 0; i < o->count; i++) {
    char label[100];
    if (!is_failure(o, &all[i])) continue;
    snprintf(label, sizeof label, "--kind %s --seed %llu", k->name,
             (unsigned long long)(o->seed + (uint64_t)i));
    if (bad++ < o->list) print_findings(label, &all[i]);
  }
  return bad;
}

// ---- runs ------------------------------------------------------------------------------------

static int judge_files(const settings *o, char **files) {
  command_place place;
  int bad = 0;
  if (!place_open(&place, o->program, o->seconds)) return perror("crosscheck"), 2;
  for (; *files; files++) {
    sample s;
    claims c;
    verdicts v;
    if (!sample_read(*files, &s)) return place_close(&place), 2;
    if (!run_all(&place, &s, &c)) return perror("crosscheck"), 2;
    compare(&s, &c, &v);
    print_row(*files, &v, 1);
    print_findings(*files, &v);
    bad += is_failure(o, &v);
    sample_free(&s);
  }
  place_close(&place);
  return bad > 0;
}

static int judge_kinds(const settings *o) {
  int bad = 0, used = 0;
  size_t bytes = sizeof(verdicts) * (size_t)o->count;
  verdicts *all = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (all == MAP_FAILED) return perror("crosscheck"), 2;
  for (int k = 0; k < kind_count; k++) {
    if (!chosen(o, kinds[k].name)) continue;
    used++;
    memset(all, 0, bytes);
    if (!work_in_parallel(o, &kinds[k], all))
      return fprintf(stderr, "crosscheck: a worker failed\n"), 2;
    bad += report(o, &kinds[k], all);
  }
  munmap(all, bytes);
  if (!used) return fprintf(stderr, "crosscheck: no such kind: %s\n", o->only), 2;
  return bad > 0;
}

int main(int argc, char **argv) {
  settings o;
  if (!parse(argc, argv, &o)) return usage(stderr), 2;
  setenv("OPENBLAS_NUM_THREADS", "1", 1);
  if (o.keep) mkdir(o.keep, 0777);
  print_head();
  fflush(stdout);
  return optind < argc ? judge_files(&o, argv + optind) : judge_kinds(&o);
}
