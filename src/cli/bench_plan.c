// What to measure: --solvers nsgs,nsgs:order=random --tol 1e-4,1e-8 as lists, each entry checked.
#define _POSIX_C_SOURCE 200809L
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "cli/bench.h"

bench_row *bench_row_at(const bench *b, int problem, int tol, int solver) {
  size_t at = ((size_t)problem * (size_t)b->tol_count + (size_t)tol) * (size_t)b->solver_count;
  return &b->rows[at + (size_t)solver];
}

int bench_row_count(const bench *b) {
  return b->problem_count * b->tol_count * b->solver_count;
}

int bench_rows_done(const bench *b) {
  int done = 0;
  for (int i = 0; i < bench_row_count(b); i++) done += b->rows[i].done;
  return done;
}

void bench_release(bench *b) {
  for (int i = 0; i < b->problem_count; i++) free(b->problems[i].path);
  free(b->problems);
  for (int k = 0; k < b->solver_count; k++) json_decref(b->solvers[k].read);
  free(b->solvers);
  free(b->rows);
  free(b->solver_text);
  free(b->by_hash);
  if (b->lines) fclose(b->lines);
  json_decref(b->other_rows);
  json_decref(b->other_solvers);
}

// ---- solvers --------------------------------------------------------------------------------

static int too_many_settings(cli_session *s, const char *label) {
  return cli_fail(s, CLI_USAGE, "--solvers: %s: more than %d options", label, CLI_SETTINGS_MAX);
}

// --METHOD.KEY VALUE holds for every entry of that method; what the entry itself says comes after
// it and wins.
static int common_settings(cli_session *s, const cli_args *a, const bench_solver *x,
                           cli_args *own) {
  *own = (cli_args){0};
  for (int i = 0; i < a->setting_count; i++) {
    if (strcmp(a->settings[i].method, x->method) != 0) continue;
    if (own->setting_count == CLI_SETTINGS_MAX) return too_many_settings(s, x->label);
    own->settings[own->setting_count++] = a->settings[i];
  }
  return CLI_GO_ON;
}

// METHOD[:KEY=VALUE]..., cut into pieces in place.
static int parse_solver(cli_session *s, char *entry, const cli_args *a, bench_solver *x) {
  cli_args own;
  if (!*entry)
    return cli_fail(s, CLI_USAGE,
                    "--solvers: found an empty entry, expected METHOD[:KEY=VALUE]...");
  if (strlen(entry) >= sizeof x->label)
    return cli_fail(s, CLI_USAGE, "--solvers: '%s' is longer than %d characters", entry,
                    BENCH_LABEL_SIZE - 1);
  strcpy(x->label, entry);
  char *rest = strchr(entry, ':');
  if (rest) *rest++ = '\0';
  x->method = entry;
  int status = cli_method_check(s, x->method);
  if (status == CLI_GO_ON) status = common_settings(s, a, x, &own);
  while (status == CLI_GO_ON && rest) {
    char *key = rest;
    rest = strchr(key, ':');
    if (rest) *rest++ = '\0';
    char *value = strchr(key, '=');
    if (!value)
      return cli_fail(s, CLI_USAGE, "--solvers: %s: found '%s', expected KEY=VALUE", x->label, key);
    if (own.setting_count == CLI_SETTINGS_MAX) return too_many_settings(s, x->label);
    *value = '\0';
    own.settings[own.setting_count++] = (cli_setting){x->method, key, value + 1};
  }
  if (status != CLI_GO_ON) return status;
  x->setting_count = own.setting_count;
  return cli_settings_check(s, x->method, &own, x->settings);
}

static int check_label(cli_session *s, const bench *b) {
  const char *now = b->solvers[b->solver_count].label;
  for (int i = 0; i < b->solver_count; i++)
    if (strcmp(b->solvers[i].label, now) == 0)
      return cli_fail(s, CLI_USAGE, "--solvers: '%s' is there twice", now);
  return CLI_GO_ON;
}

static int check_methods_are_used(cli_session *s, const bench *b, const cli_args *a) {
  for (int i = 0; i < a->setting_count; i++) {
    const cli_setting *x = &a->settings[i];
    bool used = false;
    for (int k = 0; k < b->solver_count; k++) used |= strcmp(b->solvers[k].method, x->method) == 0;
    int status = cli_method_check(s, x->method);
    if (status != CLI_GO_ON) return status;
    if (!used)
      return cli_fail(s, CLI_USAGE, "--%s.%s: %s is not among --solvers", x->method, x->key,
                      x->method);
  }
  return CLI_GO_ON;
}

// Without --solvers: every method of this build.
static char *all_methods(void) {
  size_t size = 1;
  for (int i = 0; ss_method_name(i); i++) size += strlen(ss_method_name(i)) + 1;
  char *text = calloc(size, 1);
  for (int i = 0; text && ss_method_name(i); i++) {
    if (i) strcat(text, ",");
    strcat(text, ss_method_name(i));
  }
  return text;
}

int bench_parse_solvers(cli_session *s, bench *b, const cli_args *a) {
  b->solvers = calloc(BENCH_SOLVERS_MAX, sizeof *b->solvers);
  b->solver_text = b->o.solvers ? strdup(b->o.solvers) : all_methods();
  if (!b->solvers || !b->solver_text) return cli_fail(s, CLI_RESOURCES, "out of memory");
  for (char *entry = b->solver_text, *next; entry; entry = next) {
    next = strchr(entry, ',');
    if (next) *next++ = '\0';
    if (b->solver_count == BENCH_SOLVERS_MAX)
      return cli_fail(s, CLI_USAGE, "--solvers: more than %d", BENCH_SOLVERS_MAX);
    int status = parse_solver(s, entry, a, &b->solvers[b->solver_count]);
    if (status == CLI_GO_ON) status = check_label(s, b);
    if (status != CLI_GO_ON) return status;
    b->solver_count++;
  }
  return check_methods_are_used(s, b, a);
}

// ---- tolerances -----------------------------------------------------------------------------

static int parse_tol(cli_session *s, bench *b, const char *text) {
  double x;
  char known[32];
  if (!cli_to_number(text, &x) || !(x >= DBL_MIN))
    return cli_fail(s, CLI_USAGE, "--tol: found '%s', expected numbers > 0, as 1e-4,1e-8", text);
  for (int i = 0; i < b->tol_count; i++)
    if (b->tols[i] == x)
      return cli_fail(s, CLI_USAGE, "--tol: %s is there twice", bench_tol_text(x, known));
  if (b->tol_count == BENCH_TOLS_MAX)
    return cli_fail(s, CLI_USAGE, "--tol: more than %d", BENCH_TOLS_MAX);
  b->tols[b->tol_count++] = x;
  return CLI_GO_ON;
}

// As few digits as give the same number, and an exponent without zeros in front: "1e-8", "2.5e-10".
const char *bench_tol_text(double tol, char out[32]) {
  for (int digits = 0; digits < 17; digits++) {
    snprintf(out, 32, "%.*e", digits, tol);
    if (strtod(out, NULL) == tol) break;
  }
  char *e = strchr(out, 'e') + 2, *digit = e;  // behind the sign
  while (*digit == '0' && digit[1]) digit++;
  memmove(e, digit, strlen(digit) + 1);
  return out;
}

int bench_parse_tols(cli_session *s, bench *b) {
  if (!b->o.tols) return b->tols[b->tol_count++] = ss_options_default().tol, CLI_GO_ON;
  char *text = strdup(b->o.tols);
  int status = text ? CLI_GO_ON : cli_fail(s, CLI_RESOURCES, "out of memory");
  for (char *entry = text, *next; entry && status == CLI_GO_ON; entry = next) {
    next = strchr(entry, ',');
    if (next) *next++ = '\0';
    status = parse_tol(s, b, entry);
  }
  free(text);
  return status;
}
