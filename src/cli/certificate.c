#include "cli/certificate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LISTED = 20 };  // contacts that a summary names

int cli_existence_status(ss_existence e) {
  return e == SS_EXISTS ? CLI_DONE : CLI_NEGATIVE;
}

json_t *cli_tristate(ss_tristate t) {
  return t == SS_UNKNOWN ? json_null() : json_boolean(t == SS_YES);
}

// ---- JSON -----------------------------------------------------------------------------------

// x (count) where it is there, in world axes where the file has them: its first `rows` numbers.
static json_t *vector(cli_session *s, const ss_file *f, const double *x, int count, bool turned) {
  if (!x || !turned || !f->normals) return x ? cli_doubles_json(x, count) : json_array();
  double *copy = malloc(sizeof *copy * ((size_t)count + 1));
  if (!copy) {
    s->out_of_memory = true;
    return NULL;
  }
  memcpy(copy, x, sizeof *copy * (size_t)count);
  ss_file_to_world(f, copy);
  json_t *value = cli_doubles_json(copy, count);
  free(copy);
  return value;
}

static json_t *velocity(cli_session *s, const ss_file *f, const ss_certificate *c,
                        const double *v) {
  return vector(s, f, v, c->velocity_size, f->problem.form == SS_REDUCED);
}

static json_t *contact_numbers(cli_session *s, const int *contact, int count) {
  json_t *list = json_array();
  for (int k = 0; k < count; k++) cli_append(s, list, json_integer(contact[k]));
  return list;
}

// {contacts, impulse, work}; empty where `shown` is false
static json_t *mode(cli_session *s, const ss_file *f, const ss_certificate *c, bool shown) {
  const ss_problem *p = &f->problem;
  json_t *o = json_object();
  const double *r = shown ? c->impulse : NULL;
  cli_put(s, o, "contacts", contact_numbers(s, c->jamming, r ? c->jamming_count : 0));
  cli_put(s, o, "impulse", vector(s, f, r, p->dim * p->nc, true));
  if (p->nl) cli_put(s, o, "multipliers", vector(s, f, r ? c->impulse_l : NULL, p->nl, false));
  cli_put(s, o, "work", r ? cli_real(c->work) : json_null());
  return o;
}

static json_t *a_prime(cli_session *s, const ss_file *f, const ss_certificate *c) {
  const ss_problem *p = &f->problem;
  json_t *o = json_object();
  cli_put(s, o, "holds", cli_tristate(c->a_prime));
  cli_put(s, o, "lambda", vector(s, f, c->lambda, p->nc, false));
  if (p->nl) cli_put(s, o, "multipliers", vector(s, f, c->lambda_l, p->nl, false));
  cli_put(s, o, "velocity", velocity(s, f, c, c->parting));
  return o;
}

// M is singular: what the load does to motions that cost nothing.
static json_t *load(cli_session *s, const ss_file *f, const ss_load_evidence *e) {
  const ss_problem *p = &f->problem;
  json_t *o = json_object();
  const char *does = e->pressure || e->deformation ? "held" : e->motion ? "driven" : "open";
  cli_put(s, o, "state", json_string(does));
  cli_put(s, o, "definite_verdict", json_string(ss_existence_name(e->definite_verdict)));
  cli_put(s, o, "definite_reason", json_string(ss_existence_reason_name(e->definite_reason)));
  cli_put(s, o, "deformation", vector(s, f, e->deformation, p->ndof, false));
  cli_put(s, o, "pressure", vector(s, f, e->pressure, p->nc, false));
  if (p->nl) cli_put(s, o, "multipliers", vector(s, f, e->pressure_l, p->nl, false));
  cli_put(s, o, "motion", vector(s, f, e->motion, p->ndof, false));
  return o;
}

// A solution, and a direction in which W is negative, where they are the evidence.
static void put_others(cli_session *s, json_t *o, const ss_file *f, const ss_certificate *c) {
  const ss_problem *p = &f->problem;
  int m = p->dim * p->nc;
  if (c->solution) {
    json_t *x = json_object();
    cli_put(s, x, "r", vector(s, f, c->solution->r, m, true));
    if (c->solution->u) cli_put(s, x, "u", vector(s, f, c->solution->u, m, true));
    if (c->solution->v && p->form == SS_GLOBAL)
      cli_put(s, x, "v", vector(s, f, c->solution->v, p->ndof, false));
    if (c->solution->l) cli_put(s, x, "l", vector(s, f, c->solution->l, p->nl, false));
    cli_put(s, o, "solution", x);
  }
  if (c->load) cli_put(s, o, "load", load(s, f, c->load));
  if (!c->indefinite) return;
  json_t *x = json_object();
  cli_put(s, x, "z", velocity(s, f, c, c->indefinite));
  cli_put(s, x, "value", cli_real(c->indefinite_value));
  cli_put(s, o, "indefinite", x);
}

void cli_put_certificate(cli_session *s, json_t *o, const ss_file *f, const ss_certificate *c) {
  bool jams = c->impulse && c->criterion_A == SS_CRITERION_VIOLATED;
  json_t *residuals = json_object();
  cli_put(s, o, "verdict", json_string(ss_existence_name(c->verdict)));
  cli_put(s, o, "reason", json_string(ss_existence_reason_name(c->reason)));
  cli_put(s, o, "criterion_A", json_string(ss_criterion_state_name(c->criterion_A)));
  cli_put(s, o, "margin", cli_extended(c->margin));
  cli_put(s, o, "margin_exact", json_boolean(c->margin_exact));
  cli_put(s, o, "margin_bounds", cli_interval(s, c->margin_low, c->margin_high));
  cli_put(s, o, "attained", cli_tristate(c->attained));
  cli_put(s, o, "for_every_w", cli_tristate(c->for_every_w));
  cli_put(s, o, "a_prime", a_prime(s, f, c));
  cli_put(s, o, "path", json_string(c->path));
  cli_put(s, o, "iterations", json_integer(c->iterations));
  cli_put(s, o, "velocity", velocity(s, f, c, c->velocity));
  cli_put(s, o, "direction", velocity(s, f, c, c->direction));
  cli_put(s, o, "jamming", mode(s, f, c, jams));
  if (c->impulse && !jams) cli_put(s, o, "limiting", mode(s, f, c, true));
  put_others(s, o, f, c);
  cli_put(s, residuals, "primal", cli_real(c->residuals.primal));
  cli_put(s, residuals, "dual", cli_real(c->residuals.dual));
  cli_put(s, residuals, "cone", cli_real(c->residuals.cone));
  cli_put(s, residuals, "gap", cli_real(c->residuals.gap));
  cli_put(s, o, "residuals", residuals);
  cli_put(s, o, "tolerance", cli_real(c->tol));
  cli_put(s, o, "rank_tolerance", cli_real(c->rank_tol));
}

json_t *cli_assumptions(cli_session *s, const ss_assumptions *a) {
  json_t *o = json_object();
  cli_put(s, o, "4.1", cli_tristate(a->open));
  cli_put(s, o, "4.4", cli_tristate(a->kinematic));
  cli_put(s, o, "4.6", cli_tristate(a->closed));
  cli_put(s, o, "fixed_point", json_string(ss_fixed_point_name(a->fixed_point)));
  return o;
}

void cli_print_assumptions(FILE *to, const ss_assumptions *a) {
  static const char *const answers[] = {"no", "yes", "?"};
  static const char *const points[] = {
      "nothing is said of fixed points s = F(s)",
      "a fixed point s = F(s) exists; it solves the problem where C(s) is not empty",
      "a fixed point s = F(s) exists, and all of them solve the problem"};
  cli_line(to, "[ACLM11]", "(4.1) %s, (4.4) %s, (4.6) %s: %s", answers[a->open],
           answers[a->kinematic], answers[a->closed], points[a->fixed_point]);
}

json_t *cli_every_mu(cli_session *s, const ss_file *f, const ss_every_mu *e) {
  const ss_problem *p = &f->problem;
  json_t *o = json_object();
  bool reduced = p->form == SS_REDUCED;
  cli_put(s, o, "velocity", vector(s, f, e->velocity, e->velocity_size, reduced));
  json_t *directions = json_array();
  for (int k = 0; k < e->direction_count; k++)
    json_array_append_new(
        directions, vector(s, f, e->directions + k * e->velocity_size, e->velocity_size, reduced));
  cli_put(s, o, "directions", directions);
  cli_put(s, o, "impulse", vector(s, f, e->impulse, p->dim * p->nc, true));
  if (p->nl) cli_put(s, o, "multipliers", vector(s, f, e->impulse_l, p->nl, false));
  cli_put(s, o, "fails_from", cli_real(e->fails_from));
  return o;
}

json_t *cli_certificate_report(cli_session *s, const ss_certificate_report *r) {
  json_t *o = json_object();
  cli_put(s, o, "unit", cli_real(r->unit));
  if (r->has_velocity) {
    cli_put(s, o, "margin_low", cli_extended(r->margin_low));
    cli_put(s, o, "speed", cli_real(r->speed));
    cli_put(s, o, "doubt", cli_real(r->doubt));
    cli_put(s, o, "equality", cli_real(r->equality));
    cli_put(s, o, "worst_contact", json_integer(r->worst_contact));
  }
  if (r->has_direction) cli_put(s, o, "interior", cli_real(r->interior));
  if (r->has_jamming) {
    cli_put(s, o, "margin_high", cli_extended(r->margin_high));
    cli_put(s, o, "equilibrium", cli_real(r->equilibrium));
    cli_put(s, o, "outside", cli_real(r->outside));
    cli_put(s, o, "reach", cli_extended(r->reach));
  }
  if (r->has_parting) cli_put(s, o, "parting_low", cli_extended(r->parting_low));
  if (r->has_solution) cli_put(s, o, "solution_error", cli_real(r->solution_error));
  if (r->has_indefinite) cli_put(s, o, "indefinite", cli_real(r->indefinite));
  if (r->has_load && !isnan(r->load_power)) cli_put(s, o, "load_power", cli_real(r->load_power));
  if (r->has_load && !isnan(r->load_rest)) cli_put(s, o, "load_rest", cli_real(r->load_rest));
  if (r->has_lambda) {
    cli_put(s, o, "penetration", cli_real(r->penetration));
    cli_put(s, o, "lambda_equilibrium", cli_real(r->lambda_equilibrium));
    cli_put(s, o, "lambda_outside", cli_real(r->lambda_outside));
    cli_put(s, o, "lambda_reach", cli_extended(r->lambda_reach));
  }
  return o;
}

// ---- words ----------------------------------------------------------------------------------

static void print_contacts(FILE *to, const char *label, const int *contact, int count) {
  fprintf(to, "  %-12s", label);
  for (int k = 0; k < count && k < LISTED; k++) fprintf(to, "%s%d", k ? ", " : "", contact[k]);
  if (count > LISTED) fprintf(to, ", ... (%d in all)", count);
  fputc('\n', to);
}

static void print_margin(FILE *to, const ss_certificate *c) {
  const char *attained = c->attained == SS_YES  ? ", attained"
                         : c->attained == SS_NO ? ", only approached, not attained"
                                                : "";
  if (isinf(c->margin))
    cli_line(to, "margin", "%s", c->margin > 0 ? "infinite" : "not known");
  else if (c->margin_exact)
    cli_line(to, "margin", "%.10g%s", c->margin, attained);
  else
    cli_line(to, "margin", "%s %.6g",
             c->criterion_A == SS_CRITERION_VIOLATED ? "at most" : "at least", c->margin);
}

void cli_print_certificate(FILE *to, const ss_file *f, const ss_certificate *c,
                           const char *because) {
  cli_line_problem(to, &f->problem);
  cli_line(to, because, "%s", ss_existence_reason_text(c->reason));
  cli_line(to, "(A)", "%s", ss_criterion_state_name(c->criterion_A));
  print_margin(to, c);
  if (c->for_every_w != SS_UNKNOWN)
    cli_line(to, "every w", "%s",
             c->for_every_w == SS_YES ? "yes: whatever the external motion"
                                      : "no: it depends on the external motion");
  if (c->a_prime != SS_UNKNOWN && c->verdict != SS_EXISTS)
    cli_line(to, "(A')", "%s",
             c->a_prime == SS_YES ? "holds: penetration can be prevented"
                                  : "violated: penetration cannot be prevented");
  if (c->load)
    cli_line(to, "M", "singular: the load is %s",
             c->load->deformation ? "held without friction (Klarbring and Pang)"
             : c->load->motion    ? "driving a motion that costs nothing"
                                  : "held by friction, if at all");
  if (c->impulse && c->criterion_A == SS_CRITERION_VIOLATED) {
    print_contacts(to, "jamming", c->jamming, c->jamming_count);
    cli_line(to, "work", "%.6g per unit of normal impulse, against the imposed motion", c->work);
  }
  cli_line(to, "decided by", "%s, %.3g s", c->path, c->time_s);
  cli_line(to, "checked", "primal %.1e, dual %.1e, cone %.1e, gap %.1e", c->residuals.primal,
           c->residuals.dual, c->residuals.cone, c->residuals.gap);
}

void cli_print_certificate_report(FILE *to, const ss_certificate_report *r) {
  if (r->has_velocity)
    cli_line(to, "velocity", "margin %.6g at contact %d, speed %.3g |w|", r->margin_low,
             r->worst_contact, r->speed);
  if (r->has_direction)
    cli_line(to, "direction", "separates all contacts, margin %.3g", r->interior);
  if (r->has_jamming)
    cli_line(to, "impulses", "work %.6g, equilibrium %.1e, outside %.1e, reach %.1e |w|",
             r->margin_high, r->equilibrium, r->outside, r->reach);
  if (r->has_lambda)
    cli_line(to, "multipliers", "penetration %.6g, equilibrium %.1e, reach %.1e |w|",
             r->penetration, r->lambda_equilibrium, r->lambda_reach);
  if (r->has_solution) cli_line(to, "solution", "error %.3g", r->solution_error);
  if (r->has_load && !isnan(r->load_rest))
    cli_line(to, "load", "held: balanced to %.1e", r->load_rest);
  if (r->has_load && !isnan(r->load_power))
    cli_line(to, "load", "drives a loose motion: %.3g of the sum of |f_j d_j|", r->load_power);
  if (r->has_indefinite) cli_line(to, "indefinite", "z.W z = %.6g", r->indefinite);
}
