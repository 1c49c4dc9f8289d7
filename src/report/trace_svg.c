// report/trace_svg.c - a trace as a picture: panels over the parameter, one for each contact and component that is asked for, in the
// line styles of [004, Figs 4, 5], and one of the lengths of the steps.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "report/frame.h"
#include "stickslip/report.h"

enum { SHOWN_BY_ITSELF = 4, PANELS_MOST = 64 };

static const char *const style = ".line{fill:none;stroke-width:1.5;stroke-linejoin:round}\n"
                                 ".free{stroke:#009e73}.stick{stroke:#222;stroke-dasharray:7 4}"
                                 ".slip{stroke:#0072b2;stroke-dasharray:9 3 2 3}\n"
                                 ".steps{stroke:#777;stroke-width:1}\n"
                                 ".star{stroke:#d55e00;stroke-width:1.5}\n"
                                 ".ring{fill:#fff;stroke:#222;stroke-width:1.2}\n"
                                 ".fold{fill:#d55e00}\n";

typedef struct trace_panel {
  int contact, component;  // 0..3: u_N, u_T, r_N, r_T; -1: the steps
  char name[32];
  ssi_frame frame;
} trace_panel;

typedef struct trace_drawing {
  ssi_svg svg;
  const ss_trace *t;
  const ss_trace_caption *c;
  trace_panel panels[PANELS_MOST];
  int count, columns;
  double left, plot_w, plot_h, panel_w, panel_h, top;
  double *sorted;  // (all points)
} trace_drawing;

static const char *state_look(ss_cell_state s) {
  return s == SS_CELL_FREE ? "line free" : s == SS_CELL_STICK ? "line stick" : "line slip";
}

static double value_of(const trace_panel *p, const ss_trace_point *x) {
  if (p->component < 0) return x->step > 0 ? log10(x->step) : NAN;
  return (p->component < 2 ? x->u : x->r)[2 * p->contact + p->component % 2];
}

// ---- ranges ---------------------------------------------------------------------------------------

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// What branches that go to infinity add at the end would leave nothing to be seen of the rest: beyond four times the distance of most
// points from zero the picture ends.
static void choose_range(trace_drawing *d, trace_panel *p) {
  size_t count = 0;
  double low = INFINITY, high = -INFINITY;
  bool endless = false;
  for (int b = 0; b < d->t->branch_count; b++) {
    const ss_trace_branch *x = &d->t->branches[b];
    endless = endless || x->ends[0] == SS_END_INFINITY || x->ends[1] == SS_END_INFINITY;
    for (int k = 0; k < x->point_count; k++) {
      double y = value_of(p, &x->points[k]);
      if (isfinite(y)) d->sorted[count++] = fabs(y), low = fmin(low, y), high = fmax(high, y);
    }
  }
  if (count == 0) low = 0, high = 1;
  if (count && endless && p->component >= 0) {
    qsort(d->sorted, count, sizeof *d->sorted, by_size);
    double most = 4 * fmax(d->sorted[count * 3 / 5], 1e-300);
    low = fmax(low, -most), high = fmin(high, most);
  }
  double room = high > low ? 0.06 * (high - low) : fmax(fabs(high), 1) * 0.5;
  p->frame.y_from = low - room, p->frame.y_to = high + room;
  p->frame.x_from = d->t->from, p->frame.x_to = d->t->to;
}

// ---- marks ----------------------------------------------------------------------------------------

static bool place(const trace_panel *p, const ss_trace_point *x, double *px, double *py) {
  double y = value_of(p, x);
  *px = ssi_frame_x(&p->frame, x->parameter), *py = ssi_frame_y(&p->frame, y);
  return isfinite(y);
}

static void draw_star(ssi_svg *s, double x, double y) {
  for (int k = 0; k < 3; k++) {
    double angle = 3.14159265358979 * (k / 3.0 + 0.5), dx = 6 * cos(angle), dy = 6 * sin(angle);
    ssi_svg_line(s, "star", x - dx, y - dy, x + dx, y + dy);
  }
}

static void draw_circle(ssi_svg *s, const char *look, double radius, double x, double y) {
  ssi_svg_put(s, "<circle class=\"%s\" r=\"%f\" cx=\"%f\" cy=\"%f\"/>\n", look, radius, x, y);
}

static void draw_marks(trace_drawing *d, const trace_panel *p) {
  double x, y;
  for (int k = 0; k < d->t->branching_count; k++) {
    const ss_trace_branching *b = &d->t->branchings[k];
    if (place(p, &(ss_trace_point){.parameter = b->parameter, .u = b->u, .r = b->r}, &x, &y))
      draw_circle(&d->svg, "ring", 3, x, y);
  }
  for (int k = 0; k < d->t->fold_count; k++) {
    const ss_trace_fold *f = &d->t->folds[k];
    if (place(p, &d->t->branches[f->branch].points[f->point], &x, &y))
      draw_circle(&d->svg, "fold", 2.5, x, y);
  }
  for (int b = 0; b < d->t->branch_count; b++) {
    const ss_trace_branch *branch = &d->t->branches[b];
    if (branch->start >= 0 && place(p, &branch->points[branch->start], &x, &y))
      draw_star(&d->svg, x, y);
  }
}

// ---- curves ---------------------------------------------------------------------------------------

static void draw_branch(trace_drawing *d, const trace_panel *p, const ss_trace_branch *b) {
  ssi_svg *s = &d->svg;
  const char *open = NULL;
  for (int k = 0; k + 1 < b->point_count; k++) {
    double x0, y0, x1, y1;
    const ss_trace_point *at = &b->points[k];
    bool drawn = place(p, at, &x0, &y0) & place(p, at + 1, &x1, &y1);
    const char *look = p->component < 0 ? "line steps" : state_look(at->states[p->contact]);
    if (!drawn) look = NULL;
    if (look != open) {
      if (open) ssi_svg_raw(s, "\"/>\n");
      if (look) {
        ssi_svg_raw(s, "<path class=\"");
        ssi_svg_raw(s, look);
        ssi_svg_raw(s, "\" d=\"");
        ssi_svg_point(s, 'M', x0, y0);
      }
      open = look;
    }
    if (look) ssi_svg_point(s, 'L', x1, y1);
  }
  if (open) ssi_svg_raw(s, "\"/>\n");
}

static void draw_panel(trace_drawing *d, int index) {
  trace_panel *p = &d->panels[index];
  ssi_svg *s = &d->svg;
  ssi_frame *f = &p->frame;
  f->left = d->panel_w * (index % d->columns) + d->left;
  f->top = d->top + d->panel_h * (index / d->columns);
  f->right = f->left + d->plot_w, f->bottom = f->top + d->plot_h;
  f->x_name = d->c->parameter, f->y_name = p->name;
  ssi_frame_draw(s, f);
  char id[64];
  snprintf(id, sizeof id, "<clipPath id=\"p%d\">", index);
  ssi_svg_raw(s, id);
  ssi_svg_rect(s, "", f->left - 6, f->top - 6, d->plot_w + 12, d->plot_h + 12);  // room for marks
  snprintf(id, sizeof id, "</clipPath><g clip-path=\"url(#p%d)\">\n", index);
  ssi_svg_raw(s, id);
  for (int b = 0; b < d->t->branch_count; b++) draw_branch(d, p, &d->t->branches[b]);
  if (p->component >= 0) draw_marks(d, p);
  ssi_svg_raw(s, "</g>\n");
}

// ---- the picture ----------------------------------------------------------------------------------

static void draw_key(trace_drawing *d, double x, double y, const char *look, const char *text) {
  ssi_svg_line(&d->svg, look, x, y - 4, x + 36, y - 4);
  ssi_svg_text(&d->svg, "key", x + 43, y, text);
}

static void draw_legend(trace_drawing *d, double y) {
  double x = d->left;
  draw_key(d, x, y, "line free", "no contact");
  draw_key(d, x + 125, y, "line stick", "stick");
  draw_key(d, x + 210, y, "line slip", "slip");
  draw_star(&d->svg, x + 300, y - 4);
  ssi_svg_text(&d->svg, "key", x + 311, y, "start");
  draw_circle(&d->svg, "fold", 2.5, x + 359, y - 4);
  ssi_svg_text(&d->svg, "key", x + 367, y, "fold");
  draw_circle(&d->svg, "ring", 3, x + 410, y - 4);
  ssi_svg_text(&d->svg, "key", x + 419, y, "branching");
}

static void add_panel(trace_drawing *d, int contact, int component) {
  static const char *const names[] = {"u_N", "u_T", "r_N", "r_T"};
  if (d->count == PANELS_MOST) return;
  trace_panel *p = &d->panels[d->count++];
  *p = (trace_panel){.contact = contact, .component = component};
  if (component < 0)
    snprintf(p->name, sizeof p->name, "log10 of the step");
  else if (d->t->nc == 1)
    snprintf(p->name, sizeof p->name, "%s", names[component]);
  else
    snprintf(p->name, sizeof p->name, "%s%d", names[component], contact);
  choose_range(d, p);
}

static ss_error choose_panels(ss_context *ctx, trace_drawing *d) {
  unsigned components = d->c->components ? d->c->components : 2;
  int count = d->c->contacts               ? d->c->contact_count
              : d->t->nc < SHOWN_BY_ITSELF ? d->t->nc
                                           : SHOWN_BY_ITSELF;
  for (int k = 0; k < count; k++) {
    int contact = d->c->contacts ? d->c->contacts[k] : k;
    if (contact < 0 || contact >= d->t->nc)
      return ssi_fail(ctx, SS_ERR_ARGUMENT, "picture: contact %d, expected 0 .. %d", contact,
                      d->t->nc - 1);
    for (int c = 0; c < 4; c++)
      if (components >> c & 1) add_panel(d, contact, c);
  }
  if (d->c->steps) add_panel(d, 0, -1);
  return SS_OK;
}

static void draw(trace_drawing *d) {
  d->columns = d->count == 1 ? 1 : 2;
  d->left = 78, d->plot_w = 400, d->plot_h = 300;
  d->panel_w = d->left + d->plot_w + 22, d->panel_h = d->plot_h + 64;
  d->top = 44 + (d->c->title ? 20 : 0) + (d->c->subtitle ? 22 : 0);
  int rows = (d->count + d->columns - 1) / d->columns;
  double width = fmax(d->columns * d->panel_w, 560);
  ssi_frame_begin(&d->svg, width, d->top + rows * d->panel_h,
                  d->c->title ? d->c->title : "branches of solutions", style);
  draw_legend(d, ssi_frame_titles(&d->svg, d->left, width - 8, d->c->title, d->c->subtitle));
  for (int k = 0; k < d->count; k++) draw_panel(d, k);
  ssi_svg_raw(&d->svg, "</svg>\n");
}

ss_error ss_trace_svg(ss_context *ctx, const ss_trace *t, const ss_trace_caption *c, char **out) {
  if (!t || !c || !c->parameter || !out)
    return ssi_fail(ctx, SS_ERR_ARGUMENT,
                    "picture: trace, name of the parameter or result is NULL");
  *out = NULL;
  trace_drawing *d = ssi_alloc(ctx, 1, sizeof *d);
  size_t points = 1;
  for (int b = 0; b < t->branch_count; b++) points += (size_t)t->branches[b].point_count;
  double *sorted = ssi_alloc(ctx, points, sizeof *sorted);
  ss_error e = d && sorted ? SS_OK : ssi_fail(ctx, SS_ERR_MEMORY, "no memory for a picture");
  if (!e) {
    *d = (trace_drawing){.svg = {.ctx = ctx}, .t = t, .c = c, .sorted = sorted};
    e = choose_panels(ctx, d);
  }
  if (!e) {
    draw(d);
    e = ssi_svg_finish(&d->svg, "no memory for a picture", out);
  }
  ssi_release(ctx, sorted);
  ssi_release(ctx, d);
  return e;
}
