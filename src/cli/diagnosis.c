// cli/diagnosis.c - see diagnosis.h.
#include "cli/diagnosis.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli/interrupt.h"
#include "cli/results.h"
#include "cli/settle.h"

static void say(cli_diagnosis *d, const char *format, ...) SS_PRINTF(2, 3);
static void say(cli_diagnosis *d, const char *format, ...) {
  size_t used = strlen(d->hint);
  if (used > 0 && used + 2 < sizeof d->hint) memcpy(d->hint + used, "; ", 3), used += 2;
  va_list args;
  va_start(args, format);
  vsnprintf(d->hint + used, sizeof d->hint - used, format, args);
  va_end(args);
}

// "contacts 4, 17, 21", at most some of them.
static void name_contacts(const cli_diagnosis *d, char *out, size_t size) {
  enum { MOST = 8 };
  int used = snprintf(out, size, d->jamming_count == 1 ? "contact" : "contacts");
  for (int k = 0; k < d->jamming_count && k < MOST && used < (int)size; k++)
    used += snprintf(out + used, size - (size_t)used, "%s%d", k ? ", " : " ", d->jamming[k]);
  if (d->jamming_count > MOST && used < (int)size)
    snprintf(out + used, size - (size_t)used, " and %d more", d->jamming_count - MOST);
}

// ---- the certificate -----------------------------------------------------------------------

static int enough(void *user, int iteration, double low, double high) {
  (void)user, (void)iteration, (void)low, (void)high;
  return cli_interrupted();
}

static void copy_jamming(cli_diagnosis *d, const ss_certificate *c, int contacts) {
  d->jamming = calloc((size_t)contacts + 1, sizeof *d->jamming);
  for (int i = 0; d->jamming && c->lambda && i < contacts; i++)
    if (c->lambda[i] > 0) d->jamming[d->jamming_count++] = i;
  for (int k = 0; d->jamming && !c->lambda && k < c->jamming_count; k++)
    d->jamming[d->jamming_count++] = c->jamming[k];
}

// What the certificate adds to the verdict that was reached, by it or otherwise.
static void say_certificate(cli_diagnosis *d, const ss_certificate *c) {
  char who[160];
  name_contacts(d, who, sizeof who);
  bool own = c->verdict == d->existence;
  if (c->verdict == SS_EXISTS && own && isinf(c->margin))
    say(d, "criterion (A) holds whatever moves: a solution exists");
  else if (c->verdict == SS_EXISTS && own)
    say(d, "criterion (A) holds with margin %s%.3g: a solution exists",
        c->margin_exact ? "" : "at least ", fmax(c->margin, 0));
  else if (c->verdict == SS_NONE && own && c->lambda)
    say(d, "no velocity can separate %s: no solution exists", who);
  else if (c->verdict == SS_NONE && own)
    say(d, "%s: no solution exists", ss_existence_reason_text(c->reason));
  else if (c->criterion_A == SS_CRITERION_VIOLATED)
    say(d, "%s jam%s: criterion (A) is violated, margin %s%.3g%s", who,
        d->jamming_count == 1 ? "s" : "", c->margin_exact ? "" : "at most ", c->margin,
        d->existence == SS_UNDECIDED ? ", so a solution need not exist" : "");
  else if (c->verdict == SS_UNDECIDED)
    say(d, "%s", ss_existence_reason_text(c->reason));
}

static void say_settled(cli_diagnosis *d, const cli_settled *found) {
  if (found->by == CLI_SETTLED_ALL_STATES)
    say(d, "every combination of contact states is excluded: no solution exists");
  else if (found->by == CLI_SETTLED_SOLUTION)
    say(d, "a solution was found while looking for one, and proves that it exists");
  else if (found->by && found->existence == SS_NONE)
    say(d, "no combination of contact states is a solution: all were tried, none exists");
  else if (found->by)
    say(d, "stickslip enumerate finds %d solution%s", found->count, found->count == 1 ? "" : "s");
}

enum { EXACT_CONTACTS = 1000 };  // above, a bound of the margin that decides is enough

static ss_certificate *certify(cli_session *s, const ss_problem *p, double left_s,
                               cli_diagnosis *d) {
  ss_certify_options o = ss_certify_options_default();
  ss_certificate *c = NULL;
  ss_certificate_report report;
  o.progress = enough;
  o.time_limit_s = left_s;
  if (left_s > 0 || p->nc > EXACT_CONTACTS) o.margin = SS_MARGIN_BOUND;
  ss_error e = ss_certify(&s->ctx, p, &o, &c);
  if (!e) e = ss_certificate_check(&s->ctx, p, c, &report);
  if (!e && report.holds) return c;
  say(d, "whether a solution exists could not be certified (%s)",
      e ? ss_error_detail(&s->ctx, e) : report.failure);
  ss_certificate_destroy(c);
  return NULL;
}

// The verdict of both; where W is semi-definite only by courtesy, trying all states has the last word.
static void join(cli_diagnosis *d, const ss_certificate *c, const cli_settled *found,
                 int contacts) {
  if (c) d->existence = c->verdict;
  if (found->by) d->existence = found->existence;
  if (c && found->by && c->verdict != SS_UNDECIDED && c->verdict != found->existence && !c->blurred)
    d->existence = SS_UNDECIDED;  // the data holds both
  if (c) d->margin = c->margin;
  if (c && d->existence != SS_EXISTS) copy_jamming(d, c, contacts);
}

// ---- advice --------------------------------------------------------------------------------

static const char *next_step(ss_status status) {
  switch (status) {
  case SS_MAX_ITER:
    return "allow more iterations with --max-iter";
  case SS_TIME_LIMIT:
    return "allow more time with --time-limit";
  case SS_CANCELLED:
    return "it was interrupted: run it again to the end";
  case SS_STALLED:
    return "the method could not improve its answer any more";
  default:
    return "ask for a smaller --tol";
  }
}

void cli_diagnose(cli_session *s, const ss_file *file, const cli_attempt *a, cli_diagnosis *out) {
  *out = (cli_diagnosis){.existence = SS_UNDECIDED, .margin = NAN};
  double begin = cli_now_s();
  ss_certificate *c = NULL;
  cli_settled found = {.existence = SS_UNDECIDED};
  if (!cli_interrupted()) c = certify(s, &file->problem, a->left_s, out);
  double left = a->left_s > 0 ? fmax(a->left_s - (cli_now_s() - begin), 1e-3) : 0;
  bool ask = !c || c->verdict != SS_NONE;
  if (ask && !cli_interrupted()) cli_settle(s, file, cli_settle_seconds(left), false, &found);
  join(out, c, &found, file->problem.nc);
  if (c) say_certificate(out, c);
  if (found.by && found.existence == out->existence) say_settled(out, &found);
  out->r = found.r;
  found.r = NULL;
  cli_settled_release(&found);
  ss_certificate_destroy(c);
  if (out->existence == SS_NONE) return;
  say(out, "%s", next_step(a->status));
  if (strcmp(a->solver, "auto") != 0)
    say(out, "try --solver auto, a start with --guess, or a larger --tol");
  else if (a->untried && *a->untried)
    say(out, "not tried: --solver %s, a start with --guess, a larger --tol", a->untried);
  else
    say(out, "%stry a start with --guess, another --seed, or a larger --tol",
        a->untried ? "every method had its turn: " : "");
}

void cli_diagnosis_release(cli_diagnosis *d) {
  free(d->jamming);
  free(d->r);
  *d = (cli_diagnosis){0};
}

// ---- reports -------------------------------------------------------------------------------

json_t *cli_diagnosis_json(cli_session *s, const cli_diagnosis *d) {
  json_t *o = json_object(), *contacts = json_array();
  for (int k = 0; k < d->jamming_count; k++)
    if (json_array_append_new(contacts, json_integer(d->jamming[k]))) s->out_of_memory = true;
  cli_put(s, o, "existence", json_string(ss_existence_name(d->existence)));
  bool infinite = isinf(d->margin) && d->margin > 0;  // else not known
  cli_put(s, o, "margin", infinite ? json_string("inf") : cli_real(d->margin));
  cli_put(s, o, "jamming_contacts", contacts);
  cli_put(s, o, "hint", json_string(d->hint));
  return o;
}

void cli_diagnosis_print(FILE *to, const cli_diagnosis *d) {
  cli_line(to, "existence", "%s", ss_existence_name(d->existence));
  const char *label = "hint";
  for (const char *part = d->hint; part; label = "") {
    const char *end = strstr(part, "; ");
    cli_line(to, label, "%.*s", end ? (int)(end - part) : (int)strlen(part), part);
    part = end ? end + 2 : NULL;
  }
}
