#include "cli/atlas_report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static json_t *states_json(cli_session *s, const ss_atlas *a, const ss_cell_state *states, int nc) {
  json_t *list = json_array();
  for (int i = 0; i < nc; i++) cli_append(s, list, json_string(ss_atlas_state_name(a, states[i])));
  return list;
}

static json_t *solution_json(cli_session *s, const ss_atlas *a, const ss_atlas_kind *k,
                             const ss_atlas_solution *x) {
  json_t *o = json_object();
  cli_put(s, o, "kind", json_string(x->isolated ? "isolated" : "continuum"));
  cli_put(s, o, "dimension", json_integer(x->dimension));
  if (x->isolated) {
    cli_put(s, o, "states", states_json(s, a, x->states, k->nc));
    return o;
  }
  json_t *cells = json_array();
  for (int c = 0; c < x->cell_count; c++)
    cli_append(s, cells, states_json(s, a, x->states + c * k->nc, k->nc));
  cli_put(s, o, "unbounded", json_boolean(x->unbounded));
  cli_put(s, o, "cells", cells);
  return o;
}

static json_t *kind_json(cli_session *s, const ss_atlas *a, const ss_atlas_kind *k) {
  json_t *o = json_object(), *list = json_array();
  cli_put(s, o, "label", json_string(k->label));
  cli_put(s, o, "count", json_integer(k->count));
  cli_put(s, o, "complete", json_boolean(k->complete));
  cli_put(s, o, "area", cli_real(k->area));
  cli_put(s, o, "regions", json_integer(k->regions));
  for (int i = 0; i < k->count; i++) cli_append(s, list, solution_json(s, a, k, &k->solutions[i]));
  cli_put(s, o, "solutions", list);
  return o;
}

// Closed polygons [[x, y], ...], the first the outer one or a hole: fill by the even-odd rule.
static json_t *outline_json(cli_session *s, const ss_atlas *a, const ss_atlas_region *r) {
  json_t *rings = json_array();
  for (int k = 0; k < r->ring_count; k++) {
    json_t *ring = json_array();
    for (int e = r->ring[k]; e < r->ring[k + 1]; e++) {
      bool forward = r->ring_arc[e] >= 0;
      const ss_atlas_arc *arc = &a->arcs[forward ? r->ring_arc[e] : -1 - r->ring_arc[e]];
      for (int i = 0; i + 1 < arc->count; i++)  // its last point is the next one's first
        cli_append(s, ring,
                   cli_doubles_json(arc->points + 2 * (forward ? i : arc->count - 1 - i), 2));
    }
    cli_append(s, rings, ring);
  }
  return rings;
}

static json_t *region_json(cli_session *s, const ss_atlas *a, const ss_atlas_region *r) {
  json_t *o = json_object();
  cli_put(s, o, "kind", json_string(a->kinds[r->kind].label));
  cli_put(s, o, "count", json_integer(a->kinds[r->kind].count));
  cli_put(s, o, "area", cli_real(r->area));
  cli_put(s, o, "x", cli_real(r->x));
  cli_put(s, o, "y", cli_real(r->y));
  cli_put(s, o, "outline", outline_json(s, a, r));
  return o;
}

static double finest(const ss_atlas *a, const ss_atlas_axis *axis) {
  return (axis->to - axis->from) / ldexp(axis->cells, a->refine);
}

static json_t *axis_json(cli_session *s, const ss_atlas *a, const ss_atlas_axis *axis,
                         const char *name) {
  json_t *o = json_object();
  cli_put(s, o, "name", cli_text(name));
  cli_put(s, o, "from", cli_real(axis->from));
  cli_put(s, o, "to", cli_real(axis->to));
  cli_put(s, o, "cells", json_integer(axis->cells));
  cli_put(s, o, "finest_cell", cli_real(finest(a, axis)));
  return o;
}

json_t *cli_atlas_asked_json(cli_session *s, const cli_atlas *c) {
  const ss_atlas *a = c->atlas;
  json_t *o = cli_object(s);
  cli_put(s, o, "model", cli_text(c->source));
  cli_put(s, o, "parameters", cli_settings_json(s, c->given));
  cli_put(s, o, "x", axis_json(s, a, &a->x, c->x_name));
  cli_put(s, o, "y", axis_json(s, a, &a->y, c->y_name));
  cli_put(s, o, "of", json_string(a->judged ? "statuses" : "solutions"));
  cli_put(s, o, "refine", json_integer(a->refine));
  return o;
}

json_t *cli_atlas_json(cli_session *s, const cli_atlas *c) {
  const ss_atlas *a = c->atlas;
  json_t *o = cli_atlas_asked_json(s, c), *kinds = json_array(), *regions = json_array();
  for (int k = 0; k < a->kind_count; k++) cli_append(s, kinds, kind_json(s, a, &a->kinds[k]));
  cli_put(s, o, "kinds", kinds);
  for (int k = 0; k < a->region_count; k++)
    cli_append(s, regions, region_json(s, a, &a->regions[k]));
  cli_put(s, o, "regions", regions);
  cli_put(s, o, "cells", json_integer(a->cell_count));
  cli_put(s, o, "problems", json_integer(a->problems));
  cli_put(s, o, "unsettled", json_integer(a->unsettled));
  cli_put(s, o, "complete", json_boolean(!a->late));
  cli_put(s, o, "stopped", cli_text(a->late ? "time_limit" : NULL));
  cli_put(s, o, "time_s", cli_real(c->before_s + a->time_s));
  cli_put(s, o, "outputs", cli_list_json(s, c->outputs));
  return o;
}

// ---- summary --------------------------------------------------------------------------------

static void print_solution(const ss_atlas *a, const ss_atlas_kind *k, const ss_atlas_solution *x) {
  printf(x->isolated ? "  (" : x->unbounded ? "  %dD ray set (" : "  %dD set (", x->dimension);
  for (int c = 0; c < x->cell_count; c++)
    for (int i = 0; i < k->nc; i++)
      printf("%s%s", i ? " " : c ? " | " : "", ss_atlas_state_name(a, x->states[c * k->nc + i]));
  printf(")");
}

void cli_atlas_summary(const cli_atlas *c) {
  const ss_atlas *a = c->atlas;
  cli_print(stdout, "%s over %s = %g .. %g and %s = %g .. %g\n", c->source, c->x_name, a->x.from,
            a->x.to, c->y_name, a->y.from, a->y.to);
  for (int k = 0; k < a->kind_count; k++) {
    const ss_atlas_kind *kind = &a->kinds[k];
    const char *word = a->judged ? (kind->count == 1 ? "status  " : "statuses")
                                 : (kind->count == 1 ? "solution " : "solutions");
    printf("  %-2s %3d %s %6.2f %%%s ", kind->label, kind->count, word, 100 * kind->area,
           kind->complete || (a->judged && kind->count) ? "" : " (at least)");
    for (int i = 0; i < kind->count; i++) print_solution(a, kind, &kind->solutions[i]);
    putchar('\n');
  }
  cli_line(stdout, "regions", "%d, borders to within %.3g in %s and %.3g in %s", a->region_count,
           finest(a, &a->x), c->x_name, finest(a, &a->y), c->y_name);
  cli_line(stdout, "problems", "%lld in %.2f s", (long long)a->problems, c->before_s + a->time_s);
  if (a->known) cli_line(stdout, "known", "%lld of them from the blocks", (long long)a->known);
  if (a->late) cli_line(stdout, "stopped", "at the time limit: borders are coarser than asked for");
  if (a->unsettled)
    cli_line(stdout, "unsettled", "the count rests on the tie tolerance at %lld points",
             (long long)a->unsettled);
}

// ---- files ----------------------------------------------------------------------------------

int cli_atlas_write(cli_session *s, const cli_atlas *a, const char *path) {
  ss_atlas_caption c = {a->title, *a->subtitle ? a->subtitle : NULL, a->x_name, a->y_name};
  char *text = NULL, ending = cli_picture_ending(path);
  if (ending == 'j') return cli_write_json(s, cli_atlas_json(s, a), path);
  ss_error e = ending == 's' ? ss_atlas_svg(&s->ctx, a->atlas, &c, &text)
                             : ss_atlas_csv(&s->ctx, a->atlas, &c, &text);
  return cli_write_text(s, path, text, e);
}
