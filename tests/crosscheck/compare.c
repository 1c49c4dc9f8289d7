// crosscheck/compare.c - see compare.h.
#include "compare.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "radius.h"

const char *const fault_names[FAULTS] = {"false", "contradiction", "broken", "below rounding",
                                         "within tolerance"};

// The default tolerance of solve and check is 1e-8 in the measure `error`; judge_answer measures
// the same otherwise, within a factor far below 100. What is below one rounding of the terms that q
// is the sum of is as good as the data allows, above 1e4 it is not: between the two neither is
// asked for.
static bool is_bad(const judge_defect *d, const judge_truth *t) {
  for (int i = 0; i < d->count; i++) {
    const judge_miss *m = &d->each[i];
    if (!((t->exists ? m->relative : m->of_load) <= 1e-6 || m->of_part <= 1e4)) return true;
  }
  return false;
}
static bool is_good(const judge_defect *d) {
  for (int i = 0; i < d->count; i++)
    if (!(d->each[i].relative <= 1e-10 || d->each[i].roundings <= 1)) return false;
  return true;
}

// Joints that are redundant but for rounding leave u(r) to that rounding: v, with the multipliers of an answer, may
// satisfy every equation to the last digit, and the v that belongs to r exactly be another. So with joints an answer
// is off only where it is so of the numbers before rounding, too, and fine only where it is fine of both.
static bool is_off(const sample *s, const double *r, const judge_truth *t) {
  judge_defect given = judge_answer(&s->given, r);
  if (!is_bad(&given, t) || !s->joints || !s->has_intent) return is_bad(&given, t);
  judge_defect meant = judge_answer(&s->intent, r);
  return is_bad(&meant, t);
}
static bool is_fine(const sample *s, const double *r) {
  judge_defect given = judge_answer(&s->given, r);
  if (!is_good(&given) || !s->joints || !s->has_intent) return is_good(&given);
  judge_defect meant = judge_answer(&s->intent, r);
  return is_good(&meant);
}

__attribute__((format(printf, 3, 4))) static void find(verdicts *v, fault f, const char *format,
                                                       ...) {
  v->has[f] = true;
  if (f == FAULT_FALSE) v->wrong[v->now] = true;
  if (v->found < FINDINGS) {
    va_list args;
    va_start(args, format);
    vsnprintf(v->finding[v->found].text, FINDING_LENGTH, format, args);
    va_end(args);
    v->finding[v->found].fault = f;
  }
  v->found++;
}

typedef struct truths {
  judge_truth given;
  judge_truth intent;  // of what was meant, where that is something else; else the same
  bool boundary;       // certify says that criterion (A) holds without margin
} truths;

// ---- against the truth -----------------------------------------------------------------------

// A claim about existence: false, or true only of the rounded data, or neither. boundary: criterion (A) is said to hold
// without margin (everything external at rest, or moving as one), which rounding of the data may end. That excuses
// `exists` where rounding, as far as it is stated to reach, makes (A) hold.
static void judge_existence(verdicts *v, const char *who, said what, bool boundary, const sample *s,
                            const truths *t) {
  if (what != SAID_EXISTS && what != SAID_NONE) return;
  bool exists = what == SAID_EXISTS;
  const char *word = exists ? "exists" : "none";
  v->claimed++;
  if (exists == t->given.exists) {
    if (s->has_intent && exists != t->intent.exists)
      find(v, FAULT_ROUNDING, "%s says %s; before rounding: %d solutions", who, word,
           t->intent.components);
  } else if (boundary && exists && parts_within_radius(s)) {
    v->excused++;
    find(v, FAULT_ROUNDING, "%s says exists, on the boundary; true within rounding", who);
  } else {
    find(v, FAULT_FALSE, "%s says %s; true: %d solutions", who, word, t->given.components);
  }
}

static void judge_solve(verdicts *v, const sample *s, const solve_claim *c, const truths *all) {
  const judge_truth *t = &all->given;
  if (c->solved && !c->has_answer) find(v, FAULT_BROKEN, "solve says solved and writes no answer");
  if (c->solved && c->has_answer) {
    judge_defect d = judge_answer(&s->given, c->r);
    if (is_off(s, c->r, t))
      find(v, FAULT_FALSE, "solve says solved; its answer is off by %.1e",
           t->exists ? d.worst.relative : d.worst.of_load);
  }
  if (c->no_solution) judge_existence(v, "solve (no_solution)", SAID_NONE, false, s, all);
  judge_existence(v, "solve's diagnosis", c->existence, all->boundary, s, all);
}

static void judge_zero(verdicts *v, const sample *s, const check_claim *c, const judge_truth *t) {
  double r[KIND_ROWS] = {0};
  judge_defect d = judge_answer(&s->given, r);
  if (c->yes && is_off(s, r, t))
    find(v, FAULT_FALSE, "check says r = 0 is a solution; it is off by %.1e", d.worst.relative);
  if (!c->yes && is_fine(s, r))
    find(v, FAULT_FALSE, "check says r = 0 is no solution; off by %.1e, %.1g roundings",
         d.worst.relative, d.worst.roundings);
}

// Whether a statement of certify's about (A) or (A') holds.
typedef struct statement {
  const char *text;
  bool (*holds)(const certify_claim *c, const judge_truth *t, double unit);
} statement;

static bool criterion_holds(const certify_claim *c, const judge_truth *t, double unit) {
  (void)unit;
  if (strcmp(c->criterion, "robust") == 0) return t->margin_sign > 0;
  return strcmp(c->criterion, "violated") != 0 || t->margin_sign < 0;
}
static bool every_w_holds(const certify_claim *c, const judge_truth *t, double unit) {
  (void)unit;
  return c->for_every_w == NOT_SAID || (c->for_every_w == SAID_YES) == t->for_every_w;
}
static bool a_prime_holds(const certify_claim *c, const judge_truth *t, double unit) {
  (void)unit;
  return c->a_prime == NOT_SAID || (c->a_prime == SAID_YES) == t->a_prime;
}
static bool margin_holds(const certify_claim *c, const judge_truth *t, double unit) {
  if (!c->margin_exact || isnan(c->margin)) return true;
  if (isinf(t->margin) || isinf(c->margin)) return t->margin == c->margin;
  return fabs(c->margin - t->margin) <= 1e-6 * fmax(unit, fabs(t->margin));
}

// (A') follows from (A): said with (A) on the boundary it is excused where rounding makes it hold.
static bool parts_on_boundary(const sample *s, const certify_claim *c) {
  return strcmp(c->criterion, "boundary") == 0 && c->a_prime == SAID_YES &&
         parting_within_radius(s);
}

// In the local form these rest on --rank-tol by definition, and are not judged. Elsewhere: false
// where it holds neither of the data as given nor of what was meant, nor is excused.
static void judge_criteria(verdicts *v, const sample *s, const certify_claim *c, const truths *t) {
  static const statement all[] = {{"criterion (A)", criterion_holds},
                                  {"for_every_w", every_w_holds},
                                  {"(A')", a_prime_holds},
                                  {"the margin", margin_holds}};
  double unit = 0;
  for (int i = 0; i < 2 * s->n; i++) unit = fmax(unit, fabs(s->w[i]));
  for (int k = 0; k < s->joints; k++) unit = fmax(unit, fabs(s->b[k]));
  for (unsigned k = 0; k < sizeof all / sizeof *all && s->dofs; k++) {
    bool now = all[k].holds(c, &t->given, unit), meant = all[k].holds(c, &t->intent, unit);
    if (now && meant) continue;
    bool excused = all[k].holds == a_prime_holds && parts_on_boundary(s, c);
    find(v, now || meant || excused ? FAULT_ROUNDING : FAULT_FALSE,
         "certify on %s: %s, margin %.6g; true: margin %.6g, (A') %s", all[k].text, c->criterion,
         c->margin, t->given.margin, t->given.a_prime ? "holds" : "fails");
  }
}

// Its verdict `exists` may stand beside a count that is open.
static void judge_enumerate(verdicts *v, const char *who, const enumerate_claim *c,
                            const judge_truth *t, const judge_truth *intent) {
  if (c->exists && !t->exists)
    find(v, FAULT_FALSE, "%s says exists; true: no solution", who);
  else if (c->exists && !intent->exists)
    find(v, FAULT_ROUNDING, "%s says exists; before rounding: no solution", who);
  if (c->exists && !c->count) find(v, FAULT_CONTRADICTION, "%s says exists and lists nothing", who);
  if (!c->rigorous) return;
  if (c->count != t->components || c->isolated != t->isolated)
    find(v, FAULT_FALSE, "%s says %d (%d isolated), rigorous; true: %d (%d)", who, c->count,
         c->isolated, t->components, t->isolated);
  else if (c->count != intent->components || c->isolated != intent->isolated)
    find(v, FAULT_ROUNDING, "%s says %d (%d isolated), rigorous; before rounding: %d (%d)", who,
         c->count, c->isolated, intent->components, intent->isolated);
}

// ---- against each other ----------------------------------------------------------------------

typedef struct opinion {
  const char *who;
  bool exists, none;
  bool near;  // only within the tolerance
} opinion;

// There is no solution, and r is one within the tolerance, but not within the rounding of the data: twice 2^-51 of the
// terms t of docs/theory.md (8''), or, where these are not known here, three times those that are counted; or no data within
// the radius has a solution, since (A') fails for all of it. The rounding of a large r is no rounding of the data: it
// moves v, and conditions on u = H v + w that exclude each other do so for every v. So what is missed counts in full.
static bool is_near(const sample *s, const double *r, const judge_truth *t) {
  judge_defect full = judge_answer_in_full(&s->given, r), d = judge_answer(&s->given, r);
  if (t->exists || is_bad(&d, t)) return false;
  if (!is_bad(&full, t)) d = full;
  return d.worst.of_data > 2 || d.worst.of_part > 12 || (!t->a_prime && !parting_within_radius(s));
}

static void compare_pairs(verdicts *v, const sample *s, const claims *c, const judge_truth *t) {
  static const double zero[KIND_ROWS] = {0};
  const enumerate_claim *e = &c->enumerate;
  const opinion all[] = {
      {"solve", c->solve.solved, c->solve.no_solution, is_near(s, c->solve.r, t)},
      {"solve's diagnosis", c->solve.existence == SAID_EXISTS, c->solve.existence == SAID_NONE,
       false},
      {"a hint of solve", c->solve.hint_exists, c->solve.hint_not_there, false},
      {"check of r = 0", c->zero.yes, false, is_near(s, zero, t)},
      {"certify", c->certify.verdict == SAID_EXISTS, c->certify.verdict == SAID_NONE, false},
      {"enumerate", e->count > 0 && !e->undecided, e->count == 0 && e->complete && !e->undecided,
       false},
  };
  int count = sizeof all / sizeof *all;
  for (int a = 0; a < count; a++)
    for (int b = 0; b < count; b++)
      if (all[a].exists && all[b].none)
        find(v, all[a].near ? FAULT_TOLERANCE : FAULT_CONTRADICTION, "%s: a solution; %s: none",
             all[a].who, all[b].who);
}

static void compare_checks(verdicts *v, const claims *c) {
  if (c->solve.has_answer && c->answer.yes != c->solve.solved)
    find(v, FAULT_CONTRADICTION, "solve says %s, check of its answer %s",
         c->solve.solved ? "solved" : "not solved", c->answer.yes ? "solved" : "not solved");
  if (c->certify.run.status >= 0 && c->certificate.run.status >= 0 && !c->certificate.yes)
    find(v, FAULT_CONTRADICTION, "check does not accept the certificate of certify (%s, %s)",
         c->certify.verdict == SAID_EXISTS ? "exists"
         : c->certify.verdict == SAID_NONE ? "none"
                                           : "undecided",
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
      {"enumerate", &c->enumerate.run, c->enumerate.count > 0},
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

// Whether certify says of itself that existence rests on criterion (A) without margin: in so many words, or by a solution
// of some part beside others, of which criterion_A, that of the worst, says nothing.
static bool rests_on_boundary(const sample *s, const certify_claim *c) {
  if (strcmp(c->criterion, "boundary") == 0) return true;
  return strcmp(c->reason, "solution") == 0 && sample_parts(s) > 1;
}

void compare(const sample *s, const claims *c, verdicts *out) {
  truths t = {.given = judge(&s->given, JUDGE_FAST), .boundary = rests_on_boundary(s, &c->certify)};
  t.intent = s->has_intent ? judge(&s->intent, JUDGE_FAST) : t.given;
  memset(out, 0, sizeof *out);
  out->truth_exists = t.given.exists;
  out->truth_fragile =
      t.intent.components != t.given.components || t.intent.isolated != t.given.isolated;
  out->open_solve = !c->solve.solved && !c->solve.no_solution;
  out->open_certify = c->certify.verdict != SAID_EXISTS && c->certify.verdict != SAID_NONE;
  out->open_enumerate = !c->enumerate.rigorous;
  check_runs(out, c);
  out->now = BY_SOLVE;
  judge_solve(out, s, &c->solve, &t);
  out->now = BY_CHECK;
  judge_zero(out, s, &c->zero, &t.given);
  out->now = BY_CERTIFY;
  judge_existence(out, "certify", c->certify.verdict, t.boundary, s, &t);
  judge_criteria(out, s, &c->certify, &t);
  out->now = BY_ENUMERATE;
  judge_enumerate(out, "enumerate", &c->enumerate, &t.given, &t.intent);
  out->now = BY_RATIONAL;  // the doubles are exact because that was asked for
  judge_enumerate(out, "enumerate -a rational", &c->rational, &t.given, &t.given);
  compare_pairs(out, s, c, &t.given);
  compare_checks(out, c);
}
