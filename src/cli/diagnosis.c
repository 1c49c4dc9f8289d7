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

static void say_certificate(cli_diagnosis *d, const ss_certificate *c) {
  char who[160];
  name_contacts(d, who, sizeof who);
  if (c->verdict == SS_EXISTS && isinf(c->margin))
    say(d, "criterion (A) holds whatever moves: a solution exists");
  else if (c->verdict == SS_EXISTS)
    say(d, "criterion (A) holds with margin %s%.3g: a solution exists",
        c->margin_exact ? "" : "at least ", fmax(c->margin, 0));
  else if (c->verdict == SS_NONE && c->lambda)
    say(d, "no velocity can separate %s: no solution exists", who);
  else if (c->verdict == SS_NONE)
    say(d, "%s: no solution exists", ss_existence_reason_text(c->reason));
  else if (c->criterion_A == SS_CRITERION_VIOLATED)
    say(d, "%s jam%s: criterion (A) is violated, margin %s%.3g, so a solution need not exist", who,
        d->jamming_count == 1 ? "s" : "", c->margin_exact ? "" : "at most ", c->margin);
  else
    say(d, "%s", ss_existence_reason_text(c->reason));
}

enum { EXACT_CONTACTS = 1000 };  // above, a bound of the margin that decides is enough

static void certify(cli_session *s, const ss_problem *p, double left_s, cli_diagnosis *d) {
  ss_certify_options o = ss_certify_options_default();
  ss_certificate *c = NULL;
  ss_certificate_report report;
  o.progress = enough;
  o.time_limit_s = left_s;
  if (left_s > 0 || p->nc > EXACT_CONTACTS) o.margin = SS_MARGIN_BOUND;
  ss_error e = ss_certify(&s->ctx, p, &o, &c);
  if (!e) e = ss_certificate_check(&s->ctx, p, c, &report);
  if (e || !report.holds) {
    say(d, "whether a solution exists could not be certified (%s)",
        e ? ss_error_detail(&s->ctx, e) : report.failure);
  } else {
    d->existence = c->verdict;
    d->margin = c->margin;
    if (c->verdict != SS_EXISTS) copy_jamming(d, c, p->nc);
    say_certificate(d, c);
  }
  ss_certificate_destroy(c);
}

// ---- all solutions of a small 2D problem ------------------------------------------------------

static void settle(cli_session *s, const ss_file *file, double left_s, cli_diagnosis *d) {
  cli_settled found;
  cli_settle(s, file, cli_settle_seconds(left_s), &found);
  d->r = found.r;
  found.r = NULL;
  if (found.decided) d->existence = found.existence;
  if (found.decided && found.count == 0)
    say(d, "no combination of contact states is a solution: all were tried, none exists");
  else if (found.decided)
    say(d, "stickslip enumerate finds %d solution%s", found.count, found.count == 1 ? "" : "s");
  cli_settled_release(&found);
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
  if (!cli_interrupted()) certify(s, &file->problem, a->left_s, out);
  double left = a->left_s > 0 ? fmax(a->left_s - (cli_now_s() - begin), 1e-3) : 0;
  if (!cli_interrupted() && out->existence != SS_NONE) settle(s, file, left, out);
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
  cli_put(s, o, "margin", isinf(d->margin) ? json_string("inf") : cli_real(d->margin));
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
