// crosscheck/compare.c - see compare.h.
#include "compare.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *const fault_names[FAULTS] = {"false", "contradiction", "broken", "below rounding"};

// The default tolerance of solve and check is 1e-8 in the measure `error`. judge_defect is another measure of
// the same; the two agree within a factor that stays far below this one.
static const double TOLERANCE = 1e-8, MEASURES_APART = 100;

__attribute__((format(printf, 3, 4))) static void find(verdicts *v, fault f, const char *format, ...) {
  v->has[f] = true;
  if (v->found < FINDINGS) {
    va_list args;
    va_start(args, format);
    vsnprintf(v->finding[v->found].text, FINDING_LENGTH, format, args);
    va_end(args);
    v->finding[v->found].fault = f;
  }
  v->found++;
}

// ---- against the truth -----------------------------------------------------------------------

// A claim about existence: false, or true only of the rounded data, or neither.
static void judge_existence(verdicts *v, const char *who, said what, const judge_truth *given,
                            const judge_truth *intent) {
  if (what != SAID_EXISTS && what != SAID_NONE) return;
  bool exists = what == SAID_EXISTS;
  const char *word = exists ? "exists" : "none";
  if (exists != given->exists)
    find(v, FAULT_FALSE, "%s says %s; true: %d solutions", who, word, given->components);
  else if (intent && exists != intent->exists)
    find(v, FAULT_ROUNDING, "%s says %s; before rounding: %d solutions", who, word,
         intent->components);
}

static void judge_solve(verdicts *v, const sample *s, const solve_claim *c, const judge_truth *t,
                        const judge_truth *intent) {
  double defect = c->solved && c->has_answer ? judge_defect(&s->given, c->r) : 0;
  if (c->solved && !c->has_answer) find(v, FAULT_BROKEN, "solve says solved and writes no answer");
  if (!(defect <= MEASURES_APART * TOLERANCE))
    find(v, FAULT_FALSE, "solve says solved; its answer is off by %.1e", defect);
  if (c->no_solution) judge_existence(v, "solve (no_solution)", SAID_NONE, t, intent);
  judge_existence(v, "solve's diagnosis", c->existence, t, intent);
}

static void judge_zero(verdicts *v, const sample *s, const check_claim *c) {
  double r[KIND_ROWS] = {0}, defect = judge_defect(&s->given, r);
  if (c->yes && !(defect <= MEASURES_APART * TOLERANCE))
    find(v, FAULT_FALSE, "check says r = 0 is a solution; it is off by %.1e", defect);
  if (!c->yes && defect < TOLERANCE / MEASURES_APART)
    find(v, FAULT_FALSE, "check says r = 0 is no solution; it is off by only %.1e", defect);
}

// What is said of (A) and (A'). In the local form these rest on --rank-tol by definition: not judged.
static void judge_criteria(verdicts *v, const sample *s, const certify_claim *c, const judge_truth *t) {
  if (!s->dofs) return;
  double unit = 0;
  for (int i = 0; i < 2 * s->n; i++) unit = fmax(unit, fabs(s->w[i]));
  if (strcmp(c->criterion, "robust") == 0 && t->margin_sign <= 0)
    find(v, FAULT_FALSE, "certify says (A) is robust; true margin %.3g", t->margin);
  if (strcmp(c->criterion, "violated") == 0 && t->margin_sign >= 0)
    find(v, FAULT_FALSE, "certify says (A) is violated; true margin %.3g", t->margin);
  if (c->for_every_w != NOT_SAID && (c->for_every_w == SAID_YES) != t->for_every_w)
    find(v, FAULT_FALSE, "certify says for_every_w %s", c->for_every_w == SAID_YES ? "true" : "false");
  if (c->a_prime != NOT_SAID && (c->a_prime == SAID_YES) != t->a_prime)
    find(v, FAULT_FALSE, "certify says (A') %s", c->a_prime == SAID_YES ? "holds" : "fails");
  if (!c->margin_exact || isnan(c->margin)) return;
  bool same = isinf(t->margin) || isinf(c->margin)
                  ? t->margin == c->margin
                  : fabs(c->margin - t->margin) <= 1e-6 * fmax(unit, fabs(t->margin));
  if (!same) find(v, FAULT_FALSE, "certify's margin %.6g; true %.6g", c->margin, t->margin);
}

static void judge_enumerate(verdicts *v, const char *who, const enumerate_claim *c,
                            const judge_truth *t, const judge_truth *intent) {
  if (!c->rigorous) return;
  if (c->count != t->components || c->isolated != t->isolated)
    find(v, FAULT_FALSE, "%s says %d (%d isolated), rigorous; true: %d (%d)", who, c->count, c->isolated,
         t->components, t->isolated);
  else if (intent && (c->count != intent->components || c->isolated != intent->isolated))
    find(v, FAULT_ROUNDING, "%s says %d (%d isolated), rigorous; before rounding: %d (%d)", who, c->count,
         c->isolated, intent->components, intent->isolated);
}

// ---- against each other ----------------------------------------------------------------------

typedef struct opinion {
  const char *who;
  bool exists, none;
} opinion;

static void compare_pairs(verdicts *v, const claims *c) {
  const enumerate_claim *e = &c->enumerate;
  const opinion all[] = {
      {"solve", c->solve.solved, c->solve.no_solution},
      {"solve's diagnosis", c->solve.existence == SAID_EXISTS, c->solve.existence == SAID_NONE},
      {"a hint of solve", c->solve.hint_exists, c->solve.hint_not_there},
      {"check of r = 0", c->zero.yes, false},
      {"certify", c->certify.verdict == SAID_EXISTS, c->certify.verdict == SAID_NONE},
      {"enumerate", e->count > 0 && !e->undecided, e->count == 0 && e->complete && !e->undecided},
  };
  int count = sizeof all / sizeof *all;
  for (int a = 0; a < count; a++)
    for (int b = 0; b < count; b++)
      if (all[a].exists && all[b].none)
        find(v, FAULT_CONTRADICTION, "%s: a solution; %s: none", all[a].who, all[b].who);
}

static void compare_checks(verdicts *v, const claims *c) {
  if (c->solve.has_answer && c->answer.yes != c->solve.solved)
    find(v, FAULT_CONTRADICTION, "solve says %s, check of its answer %s",
         c->solve.solved ? "solved" : "not solved", c->answer.yes ? "solved" : "not solved");
  if (c->certify.run.status >= 0 && c->certificate.run.status >= 0 && !c->certificate.yes)
    find(v, FAULT_CONTRADICTION, "check does not accept the certificate of certify (%s, %s)",
         c->certify.verdict == SAID_EXISTS ? "exists" : c->certify.verdict == SAID_NONE ? "none" : "undecided",
         c->certify.reason);
}

static void check_runs(verdicts *v, const claims *c) {
  const struct {
    const char *who;
    const run_result *run;
    bool yes;
  } all[] = {
      {"solve", &c->solve.run, c->solve.solved},
      {"check of solve's answer", &c->answer.run, c->answer.yes},
      {"check of r = 0", &c->zero.run, c->zero.yes},
      {"certify", &c->certify.run, c->certify.verdict == SAID_EXISTS},
      {"check of the certificate", &c->certificate.run, c->certificate.yes},
      {"enumerate", &c->enumerate.run, c->enumerate.count > 0 && !c->enumerate.undecided},
      {"enumerate -a rational", &c->rational.run, c->rational.count > 0},
  };
  for (unsigned k = 0; k < sizeof all / sizeof *all; k++) {
    bool ran = all[k].run != &c->answer.run || c->solve.has_answer;
    if (all[k].run == &c->certificate.run && c->certify.run.status < 0) ran = false;
    if (ran && all[k].run->status < 0)
      find(v, FAULT_BROKEN, "%s failed (%.1f s)", all[k].who, all[k].run->cpu_s);
    else if (ran && (all[k].run->status == 0) != all[k].yes)
      find(v, FAULT_BROKEN, "%s ends with status %d, which is not what it says", all[k].who,
           all[k].run->status);
  }
}

void compare(const sample *s, const claims *c, verdicts *out) {
  judge_truth given = judge(&s->given, NULL), meant;
  const judge_truth *intent = NULL;
  memset(out, 0, sizeof *out);
  if (s->has_intent) meant = judge(&s->intent, NULL), intent = &meant;
  out->truth_exists = given.exists;
  out->truth_fragile = intent && (intent->components != given.components || intent->isolated != given.isolated);
  out->open_solve = !c->solve.solved && !c->solve.no_solution;
  out->open_certify = c->certify.verdict != SAID_EXISTS && c->certify.verdict != SAID_NONE;
  out->open_enumerate = !c->enumerate.rigorous;
  check_runs(out, c);
  judge_solve(out, s, &c->solve, &given, intent);
  judge_zero(out, s, &c->zero);
  judge_existence(out, "certify", c->certify.verdict, &given, intent);
  judge_criteria(out, s, &c->certify, &given);
  judge_enumerate(out, "enumerate", &c->enumerate, &given, intent);
  judge_enumerate(out, "enumerate -a rational", &c->rational, &given, NULL);  // doubles exact: as asked
  compare_pairs(out, c);
  compare_checks(out, c);
}
