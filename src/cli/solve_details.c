// cli/solve_details.c - see solve_details.h.
#include "cli/solve_details.h"

// Half as many, twice as far apart.
static void thin_out(cli_course *h) {
  for (int k = 0; 2 * k < h->count; k++) {
    h->iteration[k] = h->iteration[2 * k];
    h->error[k] = h->error[2 * k];
    h->time_s[k] = h->time_s[2 * k];
  }
  h->count = (h->count + 1) / 2;
  h->skip = 2 * h->skip + 1;
}

void cli_course_note(cli_course *h, const ss_info *now) {
  bool first = h->count == 0, again = !first && now->iterations < h->iteration[h->count - 1];
  if (again) h->count = h->skip = 0;  // a fresh solver (--repeat)
  if (first || again) h->begin_s = cli_now_s();
  if (h->count == CLI_COURSE_MAX) thin_out(h);
  h->skipped = h->count == 0 || h->skipped >= h->skip ? 0 : h->skipped + 1;
  if (h->skipped == 0) {
    h->iteration[h->count] = now->iterations;
    h->error[h->count] = now->error;
    h->time_s[h->count++] = cli_now_s() - h->begin_s;
  }
}

static json_t *history_json(cli_session *s, const cli_course *h) {
  json_t *o = json_object(), *iteration = json_array(), *error = json_array(), *time = json_array();
  for (int k = 0; k < h->count; k++) {
    cli_append(s, iteration, json_integer(h->iteration[k]));
    cli_append(s, error, cli_real(h->error[k]));
    cli_append(s, time, cli_real(h->time_s[k]));
  }
  cli_put(s, o, "iteration", iteration);
  cli_put(s, o, "error", error);
  cli_put(s, o, "time_s", time);
  return o;
}

void cli_put_details(cli_session *s, json_t *object, const cli_course *h, const ss_problem *p,
                     const double *r, const double *u, const ss_contact_verdict *contacts) {
  json_t *states = json_array(), *errors = json_array();
  for (int i = 0; i < p->nc; i++) {
    cli_append(s, states, json_string(ss_state_name(contacts[i].state)));
    cli_append(s, errors, cli_real(contacts[i].error));
  }
  cli_put(s, object, "history", history_json(s, h));
  cli_put(s, object, "r", cli_doubles_json(r, p->dim * p->nc));
  cli_put(s, object, "u", cli_doubles_json(u, p->dim * p->nc));
  cli_put(s, object, "contact_states", states);
  cli_put(s, object, "contact_error", errors);
}
