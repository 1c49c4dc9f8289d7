// cli/diagnosis.c - see diagnosis.h.
#include "cli/diagnosis.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "cli/interrupt.h"
#include "cli/results.h"

static void say(cli_diagnosis *d, const char *format, ...) SS_PRINTF(2, 3);
static void say(cli_diagnosis *d, const char *format, ...) {
  if (d->hint_count == CLI_HINTS) return;
  va_list args;
  va_start(args, format);
  vsnprintf(d->hints[d->hint_count++], CLI_HINT_SIZE, format, args);
  va_end(args);
}

// "contacts 4, 17, 21", at most some of them.
static void name_contacts(const ss_diagnosis *d, char *out, size_t size) {
  enum { MOST = 8 };
  int used = snprintf(out, size, d->jamming_count == 1 ? "contact" : "contacts");
  for (int k = 0; k < d->jamming_count && k < MOST && used < (int)size; k++)
    used += snprintf(out + used, size - (size_t)used, "%s%d", k ? ", " : " ", d->jamming[k]);
  if (d->jamming_count > MOST && used < (int)size)
    snprintf(out + used, size - (size_t)used, " and %d more", d->jamming_count - MOST);
}

// ---- what was found ------------------------------------------------------------------------

// What the certificate adds to the verdict that was reached, by it or otherwise.
static void say_certificate(cli_diagnosis *out, const ss_diagnosis *d) {
  const ss_certificate *c = d->certificate;
  char who[160];
  name_contacts(d, who, sizeof who);
  bool own = c->verdict == d->existence;
  if (c->verdict == SS_EXISTS && own && c->reason == SS_REASON_SOLUTION)
    say(out, "a solution exists in which all contacts rest");
  else if (c->verdict == SS_EXISTS && own && isinf(c->margin))
    say(out, "criterion (A) holds whatever moves: a solution exists");
  else if (c->verdict == SS_EXISTS && own)
    say(out, "criterion (A) holds with margin %s%.3g: a solution exists",
        c->margin_exact ? "" : "at least ", fmax(c->margin, 0));
  else if (c->verdict == SS_NONE && own && c->lambda)
    say(out, "no velocity can separate %s: no solution exists", who);
  else if (c->verdict == SS_NONE && own)
    say(out, "%s: no solution exists", ss_existence_reason_text(c->reason));
  else if (c->criterion_A == SS_CRITERION_VIOLATED)
    say(out, "%s jam%s: criterion (A) is violated, margin %s%.3g%s", who,
        d->jamming_count == 1 ? "s" : "", c->margin_exact ? "" : "at most ", c->margin,
        d->existence == SS_UNDECIDED ? ", so a solution need not exist" : "");
  else if (c->verdict == SS_UNDECIDED && own)
    say(out, "%s", ss_existence_reason_text(c->reason));
}

static void say_settlement(cli_diagnosis *out, const ss_settlement *found) {
  if (found->proof == SS_PROOF_ALL_STATES)
    say(out, "every combination of contact states is excluded: no solution exists");
  else if (found->proof == SS_PROOF_SOLUTION)
    say(out, "a solution was found while looking for one, and proves that it exists");
  else if (found->existence == SS_NONE)
    say(out, "no combination of contact states is a solution: all were tried, none exists");
  else
    say(out, "stickslip enumerate finds %d solution%s", found->count, found->count == 1 ? "" : "s");
}

// ---- advice --------------------------------------------------------------------------------

static const char *next_step(const bool *suggests) {
  if (suggests[SS_SUGGEST_ITERATIONS]) return "allow more iterations with --max-iter";
  if (suggests[SS_SUGGEST_TIME]) return "allow more time with --time-limit";
  if (suggests[SS_SUGGEST_AGAIN]) return "it was interrupted: run it again to the end";
  if (suggests[SS_SUGGEST_SMALLER_TOL]) return "ask for a smaller --tol";
  return "the method could not improve its answer any more";
}

static void say_untried(cli_diagnosis *out, const ss_attempt *a) {
  char names[200] = "";
  for (int k = 0, used = 0; a->untried[k] && used < (int)sizeof names; k++)
    used +=
        snprintf(names + used, sizeof names - (size_t)used, "%s%s", k ? ", " : "", a->untried[k]);
  say(out, "not tried: --solver %s, a start with --guess, a larger --tol", names);
}

static void say_advice(cli_diagnosis *out, const ss_attempt *a, const bool *suggests) {
  say(out, "%s", next_step(suggests));
  if (suggests[SS_SUGGEST_AUTO])
    say(out, "try --solver auto, a start with --guess, or a larger --tol");
  else if (suggests[SS_SUGGEST_UNTRIED])
    say_untried(out, a);
  else
    say(out, "%stry a start with --guess, another --seed, or a larger --tol",
        a->untried ? "every method had its turn: " : "");
}

// ---- all of it -----------------------------------------------------------------------------

void cli_diagnose(cli_session *s, const ss_problem *p, const ss_exact *exact,
                  const ss_attempt *tried, double left_s, cli_diagnosis *out) {
  ss_diagnose_options o = {.exact = exact, .time_limit_s = left_s, .stop = cli_stop};
  *out = (cli_diagnosis){0};
  ss_error e = ss_diagnose(&s->ctx, p, tried, &o, &out->found);
  const ss_diagnosis *d = out->found;
  if (e == SS_ERR_MEMORY) s->out_of_memory = true;
  if (e || *d->failure)
    say(out, "whether a solution exists could not be certified (%s)",
        e ? ss_error_detail(&s->ctx, e) : d->failure);
  if (e) return;
  if (d->certificate) say_certificate(out, d);
  const ss_settlement *x = d->settlement;
  if (x && x->proof && x->existence == d->existence) say_settlement(out, x);
  if (d->existence != SS_NONE) say_advice(out, tried, d->suggests);
}

void cli_diagnosis_release(cli_diagnosis *d) {
  ss_diagnosis_destroy(d->found);
  *d = (cli_diagnosis){0};
}

// ---- reports -------------------------------------------------------------------------------

ss_existence cli_diagnosis_existence(const cli_diagnosis *d) {
  return d->found ? d->found->existence : SS_UNDECIDED;
}

static json_t *join_hints(const cli_diagnosis *d) {
  char all[CLI_HINTS * (CLI_HINT_SIZE + 2)] = "";
  for (int k = 0; k < d->hint_count; k++) {
    if (k) strcat(all, "; ");
    strcat(all, d->hints[k]);
  }
  return json_string(all);
}

json_t *cli_diagnosis_json(cli_session *s, const cli_diagnosis *d) {
  json_t *o = json_object(), *contacts = json_array();
  double margin = d->found ? d->found->margin : NAN;
  for (int k = 0; d->found && k < d->found->jamming_count; k++)
    cli_append(s, contacts, json_integer(d->found->jamming[k]));
  cli_put(s, o, "existence", json_string(ss_existence_name(cli_diagnosis_existence(d))));
  bool infinite = isinf(margin) && margin > 0;  // else not known
  cli_put(s, o, "margin", infinite ? json_string("inf") : cli_real(margin));
  cli_put(s, o, "jamming_contacts", contacts);
  cli_put(s, o, "hint", join_hints(d));
  return o;
}

void cli_diagnosis_print(FILE *to, const cli_diagnosis *d) {
  cli_line(to, "existence", "%s", ss_existence_name(cli_diagnosis_existence(d)));
  for (int k = 0; k < d->hint_count; k++) cli_line(to, k ? "" : "hint", "%s", d->hints[k]);
}

void cli_diagnose_step(cli_session *s, const ss_problem *p, const cli_unsolved_step *u,
                       double left_s, cli_diagnosis *d, char *text, size_t size) {
  *d = (cli_diagnosis){0};
  if (p) cli_diagnose(s, p, NULL, &u->tried, left_s > 0 ? fmin(left_s, 1) : 1, d);
  snprintf(text, size, "step %lld, t = %g, is not solved: error %.2g (%s); existence: %s%s%s",
           u->step, u->time, u->error, ss_status_name(u->tried.status),
           ss_existence_name(cli_diagnosis_existence(d)), d->hint_count ? ", " : "", d->hints[0]);
}

void cli_note_unsolved(cli_session *s, const ss_problem *p, const cli_unsolved_step *u,
                       double left_s) {
  cli_diagnosis d;
  char text[700];
  cli_diagnose_step(s, p, u, left_s, &d, text, sizeof text);
  cli_note(s, "%s", text);
  cli_diagnosis_release(&d);
}
