// cli/judge.c - see certificate.h.
#include "cli/certificate.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

#include "cli/interrupt.h"
#include "cli/results.h"

typedef struct judging {
  cli_session *s;
  const ss_file *file;
  const ss_certificate *c;
  const ss_certificate_said *said;
  double limit_s;
  ss_certificate_report *report;
} judging;

static void refuse(judging *j, const char *format, ...) SS_PRINTF(2, 3);
static void refuse(judging *j, const char *format, ...) {
  va_list list;
  va_start(list, format);
  vsnprintf(j->report->failure, sizeof j->report->failure, format, list);
  va_end(list);
  j->report->holds = false;
}

// ---- which problem ----------------------------------------------------------------------------

static void judge_size(judging *j, const char *key, int said, int is) {
  if (j->report->holds && said >= 0 && said != is)
    refuse(j, "%s: found %d, the problem has %d", key, said, is);
}

static void judge_sizes(judging *j) {
  const ss_problem *p = &j->file->problem;
  judge_size(j, "dim", j->said->dim, p->dim);
  judge_size(j, "contacts", j->said->contacts, p->nc);
  judge_size(j, "dofs", j->said->dofs, p->form == SS_GLOBAL ? p->ndof : -1);
  judge_size(j, "bilateral", j->said->bilateral, p->nl);
  if (j->report->holds && j->said->form >= 0 && j->said->form != (int)p->form)
    refuse(j, "form: found %s, the problem is %s", cli_form_name((ss_form)j->said->form),
           cli_form_name(p->form));
}

// ---- what is said of the evidence ---------------------------------------------------------------

static void judge_evidence(judging *j) {
  // a turn into the axes of the contacts rounds what cancels
  double blur = j->file->normals ? 1e-13 : 0;
  char failure[200];
  if (!j->report->holds) return;
  if (!ss_certificate_report_agrees(&j->said->check, j->report, blur, failure))
    refuse(j, "%s", failure);
  else if (j->said->jams == SS_YES && j->c->criterion_A != SS_CRITERION_VIOLATED)
    refuse(j, "jamming: criterion (A) is not violated, so these impulses jam nothing");
  else if (j->said->jams == SS_NO && j->c->criterion_A == SS_CRITERION_VIOLATED)
    refuse(j, "limiting: criterion (A) is violated, so these impulses jam");
}

// ---- all states ---------------------------------------------------------------------------------

// There is no evidence for what trying all states says: it is done again.
static ss_error judge_settled(judging *j) {
  const ss_certificate_said *said = j->said;
  if (!said->settled || !j->report->holds) return SS_OK;
  if (!said->by_enumeration && !said->by_all_states) {
    refuse(j, "reason: expected that of what settled it, \"enumeration\" or \"all_states\"");
    return SS_OK;
  }
  ss_settle_options o = {.exact = j->file->exact, .stop = cli_stop};
  ss_settlement *again;
  o.time_limit_s = cli_time_left(j->s, j->limit_s);
  ss_error e = ss_settle(&j->s->ctx, &j->file->problem, &o, &again);
  if (e) return e;
  ss_proof proof = said->by_enumeration ? SS_PROOF_ENUMERATION : SS_PROOF_ALL_STATES;
  const char *name = ss_proof_name(proof);
  if (again->proof != proof)
    refuse(j, "verdict: %s, done again, does not decide", name);
  else if (again->existence != said->verdict)
    refuse(j, "verdict: %s says %s, not %s", name, ss_existence_name(again->existence),
           ss_existence_name(said->verdict));
  else if (said->count >= 0 && said->count != again->count)
    refuse(j, "enumeration.count: found %d, there are %d", said->count, again->count);
  else if (said->exact != SS_UNKNOWN && (said->exact == SS_YES) != again->exact)
    refuse(j, "enumeration.exact: is not how it was decided");
  else if (said->cells >= 0 && (int64_t)said->cells != again->cells)
    refuse(j, "all_states.cells: found %d, there are %lld", said->cells, (long long)again->cells);
  else if (!isnan(said->reach) && !(said->reach <= again->reach * (1 + 1e-9)))
    refuse(j, "all_states.reach: found %g, proved is %g", said->reach, again->reach);
  ss_settlement_destroy(again);
  return SS_OK;
}

// ---- the range of mu ----------------------------------------------------------------------------

static int stop(void *user, int iteration, double low, double high) {
  (void)user, (void)iteration, (void)low, (void)high;
  return cli_interrupted();
}

// Criterion (A) at one common mu, certified anew and checked.
static ss_error criterion_at(judging *j, double mu, ss_criterion_state *out) {
  ss_problem p = j->file->problem;
  double *all = malloc(sizeof *all * ((size_t)p.nc + 1));
  ss_certify_options o = ss_certify_options_default();
  ss_certificate *c = NULL;
  ss_certificate_report report = {0};
  *out = SS_CRITERION_UNDECIDED;
  if (!all) return SS_ERR_MEMORY;
  for (int i = 0; i < p.nc; i++) all[i] = mu;
  p.mu = all;
  o.tol = j->c->tol, o.rank_tol = j->c->rank_tol, o.margin = SS_MARGIN_BOUND;
  o.progress = stop;
  o.time_limit_s = cli_time_left(j->s, j->limit_s);
  ss_error e = ss_certify(&j->s->ctx, &p, &o, &c);
  if (!e) e = ss_certificate_check(&j->s->ctx, &p, c, &report);
  if (!e && report.holds) *out = c->criterion_A;
  ss_certificate_destroy(c);
  free(all);
  return e;
}

static ss_error judge_mu(judging *j, const char *key, double mu, bool holds) {
  ss_criterion_state found;
  if (isnan(mu) || !j->report->holds) return SS_OK;
  if (holds && isinf(mu) && isinf(j->said->mu_to)) {
    if (j->said->every_mu.holds != SS_YES)
      refuse(j, "mu_range.holds_at: for_every_mu does not say so");
    return SS_OK;
  }
  if (!(mu >= j->said->mu_from && mu <= j->said->mu_to))
    return refuse(j, "mu_range.%s: found %g, expected one within from .. to", key, mu), SS_OK;
  ss_error e = criterion_at(j, mu, &found);
  bool shown = holds ? found == SS_CRITERION_ROBUST || found == SS_CRITERION_BOUNDARY
                     : found == SS_CRITERION_VIOLATED;
  if (!e && !shown)
    refuse(j, "mu_range.%s: criterion (A) is %s at %.12g", key, ss_criterion_state_name(found), mu);
  return e;
}

// They follow from the rest of the certificate.
static ss_error judge_assumptions(judging *j) {
  const ss_assumptions *said = &j->said->assumptions;
  ss_assumptions is;
  if (!j->said->assumed || !j->report->holds) return SS_OK;
  ss_error e = ss_certificate_assumptions(&j->s->ctx, &j->file->problem, j->c, &is);
  if (e) return e;
  if (said->open != is.open || said->kinematic != is.kinematic || said->closed != is.closed ||
      said->fixed_point != is.fixed_point)
    refuse(j, "assumptions: are not those that the certificate shows");
  return SS_OK;
}

// What there is is judged: evidence without the claim, for the other claim, or beside what is not known is refused.
static ss_error judge_every_mu(judging *j) {
  const ss_every_mu *e = &j->said->every_mu;
  bool proved = true;
  if (!j->report->holds) return SS_OK;
  bool yes = e->velocity || e->direction_count;
  bool no = e->impulse || e->impulse_l || !isnan(e->fails_from);
  if ((yes && e->holds != SS_YES) || (no && e->holds != SS_NO))
    return refuse(j, "every_mu: is evidence for what for_every_mu does not say"), SS_OK;
  if (e->holds == SS_UNKNOWN) return SS_OK;
  ss_error error = ss_every_mu_check(&j->s->ctx, &j->file->problem, e, &proved);
  if (!error && !proved) refuse(j, "for_every_mu: the evidence in every_mu does not prove it");
  return error;
}

static ss_error judge_mu_range(judging *j) {
  const ss_certificate_said *said = j->said;
  if (!said->mu_range || !j->report->holds) return SS_OK;
  if (!(said->mu_from >= 0 && said->mu_from <= said->mu_to))
    return refuse(j, "mu_range: expected 0 <= from <= to"), SS_OK;
  ss_error e = judge_mu(j, "holds_at", said->holds_at, true);
  return e ? e : judge_mu(j, "fails_at", said->fails_at, false);
}

ss_error cli_judge_certificate(cli_session *s, const ss_file *file, const ss_solution_file *given,
                               double limit_s, ss_certificate_report *report) {
  judging j = {s, file, given->certificate, given->said, limit_s, report};
  ss_error e = ss_certificate_check(&s->ctx, &file->problem, given->certificate, report);
  if (e) return e;
  judge_sizes(&j);
  judge_evidence(&j);
  e = judge_settled(&j);
  if (!e) e = judge_assumptions(&j);
  if (!e) e = judge_every_mu(&j);
  return e ? e : judge_mu_range(&j);
}
