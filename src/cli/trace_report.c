#include "cli/trace_report.h"

#include <math.h>
#include <string.h>

// ---- JSON -----------------------------------------------------------------------------------

static json_t *states_json(cli_session *s, const ss_cell_state *states, int nc) {
  json_t *list = json_array();
  for (int i = 0; i < nc; i++) cli_append(s, list, json_string(ss_cell_state_name(states[i])));
  return list;
}

static void put_vectors(cli_session *s, json_t *o, const double *u, const double *r, int nc) {
  cli_put(s, o, "u", u ? cli_doubles_json(u, 2 * nc) : json_null());
  cli_put(s, o, "r", r ? cli_doubles_json(r, 2 * nc) : json_null());
}

static json_t *point_json(cli_session *s, const ss_trace_point *x, int nc) {
  json_t *o = json_object();
  cli_put(s, o, "parameter", cli_real(x->parameter));
  put_vectors(s, o, x->u, x->r, nc);
  cli_put(s, o, "states", states_json(s, x->states, nc));
  cli_put(s, o, "step", cli_real(x->step));
  cli_put(s, o, "error", cli_real(x->error));
  return o;
}

static json_t *end_json(cli_session *s, const ss_trace_branch *b, int k) {
  json_t *o = json_object();
  cli_put(s, o, "reason", json_string(ss_trace_end_name(b->ends[k])));
  cli_put(s, o, "parameter", cli_real(b->points[k ? b->point_count - 1 : 0].parameter));
  cli_put(s, o, "limit", cli_real(b->limit[k]));
  return o;
}

static json_t *branch_json(cli_session *s, const ss_trace *t, const ss_trace_branch *b) {
  json_t *o = json_object(), *points = json_array(), *ends = json_object();
  for (int k = 0; k < b->point_count; k++)
    cli_append(s, points, point_json(s, &b->points[k], t->nc));
  cli_put(s, o, "start", b->start >= 0 ? json_integer(b->start) : json_null());
  cli_put(s, ends, "reason", json_string(ss_trace_end_name(b->ends[1])));
  cli_put(s, ends, "first", end_json(s, b, 0));
  cli_put(s, ends, "last", end_json(s, b, 1));
  cli_put(s, o, "ends", ends);
  cli_put(s, o, "folds", json_integer(b->fold_count));
  cli_put(s, o, "changes", json_integer(b->change_count));
  cli_put(s, o, "points", points);
  return o;
}

static json_t *folds_json(cli_session *s, const ss_trace *t) {
  json_t *list = json_array();
  for (int k = 0; k < t->fold_count; k++) {
    const ss_trace_fold *f = &t->folds[k];
    json_t *o = json_object();
    cli_put(s, o, "parameter", cli_real(f->parameter));
    cli_put(s, o, "states", states_json(s, f->states, t->nc));
    cli_put(s, o, "after", states_json(s, f->after, t->nc));
    cli_put(s, o, "vertical", json_boolean(f->vertical));
    cli_put(s, o, "branch", json_integer(f->branch));
    cli_put(s, o, "point", json_integer(f->point));
    cli_append(s, list, o);
  }
  return list;
}

static json_t *changes_json(cli_session *s, const ss_trace *t) {
  json_t *list = json_array();
  for (int k = 0; k < t->change_count; k++) {
    const ss_trace_change *c = &t->changes[k];
    json_t *o = json_object();
    cli_put(s, o, "parameter", cli_real(c->parameter));
    cli_put(s, o, "from", states_json(s, c->from, t->nc));
    cli_put(s, o, "to", states_json(s, c->to, t->nc));
    cli_put(s, o, "branch", json_integer(c->branch));
    cli_put(s, o, "point", json_integer(c->point));
    cli_append(s, list, o);
  }
  return list;
}

static json_t *continua_json(cli_session *s, const ss_trace *t) {
  json_t *list = json_array();
  for (int k = 0; k < t->continuum_count; k++) {
    const ss_trace_continuum *c = &t->continua[k];
    json_t *o = json_object(), *ends = json_array();
    cli_put(s, o, "parameter", cli_real(c->parameter));
    cli_put(s, o, "dimension", json_integer(c->dimension));
    cli_put(s, o, "unbounded", json_boolean(c->unbounded));
    cli_put(s, o, "branch", c->branch >= 0 ? json_integer(c->branch) : json_null());
    cli_put(s, o, "states", states_json(s, c->states, t->nc));
    for (int e = 0; e < 2; e++) {
      if (!c->r[e]) continue;
      json_t *end = json_object();
      put_vectors(s, end, c->u[e], c->r[e], t->nc);
      cli_append(s, ends, end);
    }
    cli_put(s, o, "ends", ends);
    cli_append(s, list, o);
  }
  return list;
}

static json_t *branchings_json(cli_session *s, const ss_trace *t) {
  json_t *list = json_array();
  for (int k = 0; k < t->branching_count; k++) {
    const ss_trace_branching *b = &t->branchings[k];
    json_t *o = json_object();
    cli_put(s, o, "parameter", cli_real(b->parameter));
    put_vectors(s, o, b->u, b->r, t->nc);
    cli_put(s, o, "ways", json_integer(b->ways));
    cli_append(s, list, o);
  }
  return list;
}

json_t *cli_trace_json(cli_session *s, const cli_trace *c) {
  const ss_trace *t = c->trace;
  json_t *o = cli_object(s), *over = json_object(), *branches = json_array();
  cli_put(s, o, "file", cli_text(c->source));
  cli_put(s, o, "dim", json_integer(2));
  cli_put(s, o, "contacts", json_integer(t->nc));
  cli_put(s, over, "name", cli_text(c->over.name));
  cli_put(s, over, "from", cli_real(t->from));
  cli_put(s, over, "to", cli_real(t->to));
  cli_put(s, o, "over", over);
  cli_put(s, o, "parameters", cli_settings_json(s, c->given));
  for (int b = 0; b < t->branch_count; b++)
    cli_append(s, branches, branch_json(s, t, &t->branches[b]));
  cli_put(s, o, "branches", branches);
  cli_put(s, o, "folds", folds_json(s, t));
  cli_put(s, o, "changes", changes_json(s, t));
  cli_put(s, o, "continua", continua_json(s, t));
  cli_put(s, o, "branchings", branchings_json(s, t));
  cli_put(s, o, "samples", json_integer(t->samples));
  cli_put(s, o, "starts", json_integer(t->starts));
  cli_put(s, o, "complete", json_boolean(t->complete));
  cli_put(s, o, "stopped", cli_text(t->stopped));
  cli_put(s, o, "error_max", cli_real(t->error_max));
  cli_put(s, o, "problems", json_integer(t->problems));
  cli_put(s, o, "axes", json_string("contact"));
  cli_put(s, o, "time_s", cli_real(t->time_s));
  cli_put(s, o, "outputs", cli_list_json(s, c->outputs));
  return o;
}

// ---- summary --------------------------------------------------------------------------------

static void print_states(const ss_cell_state *states, int nc) {
  for (int i = 0; i < nc; i++) printf("%s%s", i ? " " : "", ss_cell_state_name(states[i]));
}

static void print_end(const ss_trace_branch *b, int k) {
  printf("%s", ss_trace_end_name(b->ends[k]));
  if (isfinite(b->limit[k])) printf(" towards %.12g", b->limit[k]);
}

static bool same(const ss_trace *t, const ss_trace_point *a, const ss_trace_point *b) {
  return memcmp(a->states, b->states, sizeof *a->states * (size_t)t->nc) == 0;
}

static void print_branch(const ss_trace *t, int index) {
  const ss_trace_branch *b = &t->branches[index];
  printf("  %-3d %d points; from ", index, b->point_count);
  print_end(b, 0);
  printf(" to ");
  print_end(b, 1);
  putchar('\n');
  for (int k = 0, from = 0; k < b->point_count; k++) {
    const ss_trace_point *x = &b->points[k];
    if (k + 1 < b->point_count && same(t, x, x + 1)) continue;
    printf("      %.12g .. %.12g  ", b->points[from].parameter, x->parameter);
    print_states(x->states, t->nc);
    putchar('\n');
    from = k + 1;
  }
}

static void print_continuum(const ss_trace *t, const ss_trace_continuum *c) {
  printf("  %s of dimension %d at %.12g: ", c->branch < 0 ? "set" : "vertical piece", c->dimension,
         c->parameter);
  print_states(c->states, t->nc);
  printf("%s\n", c->unbounded ? ", without bound" : "");
}

void cli_trace_summary(const cli_trace *c) {
  const ss_trace *t = c->trace;
  cli_print(stdout, "%s over %s = %g .. %g: %d branch%s\n", cli_display_name(c->source),
            c->over.name, t->from, t->to, t->branch_count, t->branch_count == 1 ? "" : "es");
  for (int b = 0; b < t->branch_count; b++) print_branch(t, b);
  for (int k = 0; k < t->fold_count; k++) {
    printf("  fold at %.12g: ", t->folds[k].parameter);
    print_states(t->folds[k].states, t->nc);
    printf(" | ");
    print_states(t->folds[k].after, t->nc);
    putchar('\n');
  }
  for (int k = 0; k < t->continuum_count; k++) print_continuum(t, &t->continua[k]);
  for (int k = 0; k < t->branching_count; k++)
    printf("  branching at %.12g: %d ways\n", t->branchings[k].parameter, t->branchings[k].ways);
  cli_line(stdout, "starts", "%d solutions at %d parameters", t->starts, t->samples);
  cli_line(stdout, "verified", "every point, largest error %.2g", t->error_max);
  if (t->stopped) cli_line(stdout, "stopped", "%s", t->stopped);
  if (!t->complete)
    cli_line(stdout, "complete",
             "no: an end above is no end of a branch, or a set was not followed");
  cli_line(stdout, "work", "%lld problems, %.3g s", (long long)t->problems, t->time_s);
}

// ---- files ----------------------------------------------------------------------------------

int cli_trace_write(cli_session *s, const cli_trace *c, const char *path) {
  char *text = NULL, ending = cli_picture_ending(path);
  if (ending == 'j') return cli_write_json(s, cli_trace_json(s, c), path);
  ss_error e = ending == 's' ? ss_trace_svg(&s->ctx, c->trace, &c->caption, &text)
                             : ss_trace_csv(&s->ctx, c->trace, &c->caption, &text);
  return cli_write_text(s, path, text, e);
}
