// report/trajectory_svg.c - a mechanism's motion as a picture: one panel per pair of columns, the curve coloured by the
// modes of the contacts, a dot where they change.
//
// Colours are those of Okabe and Ito, told apart by colour-blind readers too. One contact has colours of its own, the
// same in every picture; modes of several contacts get theirs in the order in which they appear.
#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "report/frame.h"
#include "report/panels.h"
#include "report/svg.h"
#include "stickslip/report.h"

enum { KINDS = 12, COLOURS = 6, DOTS_MOST = 200, LINE = 18 };

static const char *const style =
    ".curve{fill:none;stroke-width:1.6;stroke-linejoin:round;stroke-linecap:round}\n"
    ".swatch{fill:none;stroke-width:3;stroke-linecap:round}\n"
    ".c0{stroke:#009e73}.c1{stroke:#222}.c2{stroke:#0072b2}.c3{stroke:#d55e00}.c4{stroke:#cc79a7}"
    ".c5{stroke:#e69f00}\n"
    ".f0{fill:#009e73}.f1{fill:#222}.f2{fill:#0072b2}.f3{fill:#d55e00}.f4{fill:#cc79a7}"
    ".f5{fill:#e69f00}\n"
    ".d1{stroke-dasharray:5 3}\n"
    ".dot{stroke:#fff;stroke-width:1}\n";

typedef struct trajectory_drawing {
  ssi_svg svg;
  const ss_trajectory *t;
  const ss_trajectory_caption *c;
  ssi_panels panels;
  int *kind;              // of each row: a place in `row_of`
  int64_t row_of[KINDS];  // the first row of that kind
  int kinds, changes;
  int columns;  // of panels
  double left, top, plot_w, plot_h, panel_w, panel_h, width, height;
} trajectory_drawing;

// ---- modes ----------------------------------------------------------------------------------------

static bool same_modes(const ss_trajectory *t, int64_t a, int64_t b) {
  for (int k = 0; k < t->columns; k++)
    if (t->column[k].kind == SS_COLUMN_MODE &&
        t->values[a * t->columns + k] != t->values[b * t->columns + k])
      return false;
  return true;
}

// Beyond KINDS they share the last.
static void sort_rows(trajectory_drawing *d) {
  for (int64_t i = 0; i < d->t->rows; i++) {
    int k = 0;
    while (k < d->kinds && !same_modes(d->t, d->row_of[k], i)) k++;
    if (k == d->kinds && k < KINDS) d->row_of[d->kinds++] = i;
    d->kind[i] = k < KINDS ? k : KINDS - 1;
    d->changes += i > 0 && d->kind[i] != d->kind[i - 1];
  }
}

// One contact: by its mode.
static int colour_of(const trajectory_drawing *d, int kind) {
  const ss_trajectory *t = d->t;
  if (t->m->nc != 1) return kind % COLOURS;
  return (int)t->values[d->row_of[kind] * t->columns + ss_trajectory_find(t, "mode")];
}

static void begin_path(trajectory_drawing *d, const char *first, int kind) {
  bool dashed = d->t->m->nc != 1 && kind >= COLOURS;
  ssi_svg_put(&d->svg, "<path class=\"%s c%d%s\" d=\"", first, colour_of(d, kind),
              dashed ? " d1" : "");
}

static void put_modes(trajectory_drawing *d, int kind) {
  const ss_trajectory *t = d->t;
  bool first = true;
  for (int k = 0; k < t->columns; k++) {
    if (t->column[k].kind != SS_COLUMN_MODE) continue;
    if (!first) ssi_svg_raw(&d->svg, ", ");
    first = false;
    ssi_svg_escaped(&d->svg,
                    ss_mode_name(t->m->dim, (ss_mode)t->values[d->row_of[kind] * t->columns + k]));
  }
}

// ---- a panel --------------------------------------------------------------------------------------

typedef struct svg_place {
  const ssi_panel *p;
  ssi_frame frame;
} svg_place;

static bool point_of(const trajectory_drawing *d, const svg_place *at, int64_t row, double *x,
                     double *y) {
  const double *values = d->t->values + row * d->t->columns;
  *x = at->p->x.sign * values[at->p->x.column], *y = at->p->y.sign * values[at->p->y.column];
  bool drawn = isfinite(*x) && isfinite(*y);
  *x = ssi_frame_x(&at->frame, *x), *y = ssi_frame_y(&at->frame, *y);
  return drawn;
}

// The way from row i to the next has the modes of row i; of schemes that step those of the next, whose step it is.
static int way_kind(const trajectory_drawing *d, int64_t i) {
  return d->kind[d->t->steps ? i + 1 : i];
}

static void draw_curve(trajectory_drawing *d, const svg_place *at) {
  ssi_svg *s = &d->svg;
  int open = -1;  // kind of the path begun
  for (int64_t i = 0; i + 1 < d->t->rows; i++) {
    double x0, y0, x1, y1;
    bool drawn = point_of(d, at, i, &x0, &y0) && point_of(d, at, i + 1, &x1, &y1);
    int kind = drawn ? way_kind(d, i) : -1;
    if (kind != open) {
      if (open >= 0) ssi_svg_raw(s, "\"/>\n");
      if (kind >= 0) {
        begin_path(d, "curve", kind);
        ssi_svg_point(s, 'M', x0, y0);
      }
      open = kind;
    }
    if (drawn) ssi_svg_point(s, 'L', x1, y1);
  }
  if (open >= 0) ssi_svg_raw(s, "\"/>\n");
}

static void draw_dots(trajectory_drawing *d, const svg_place *at) {
  for (int64_t i = 1; i < d->t->rows; i++) {
    double x, y;
    if (d->kind[i] == d->kind[i - 1] || !point_of(d, at, i, &x, &y)) continue;
    ssi_svg_put(&d->svg, "<circle class=\"dot f%d\" r=\"3\" cx=\"%f\" cy=\"%f\"/>\n",
                colour_of(d, d->kind[i]), x, y);
  }
}

static void draw_panel(trajectory_drawing *d, int index) {
  const ssi_panel *p = &d->panels.items[index];
  svg_place at = {.p = p,
                  .frame = {.x_from = p->x.from,
                            .x_to = p->x.to,
                            .y_from = p->y.from,
                            .y_to = p->y.to,
                            .x_name = p->x.name,
                            .y_name = p->y.name}};
  ssi_frame *f = &at.frame;
  f->left = d->panel_w * (index % d->columns) + d->left;
  f->top = d->top + d->panel_h * (index / d->columns);
  f->right = f->left + d->plot_w, f->bottom = f->top + d->plot_h;
  ssi_frame_draw(&d->svg, f);
  draw_curve(d, &at);
  if (d->changes <= DOTS_MOST) draw_dots(d, &at);
}

// ---- the picture ----------------------------------------------------------------------------------

static double key_width(const trajectory_drawing *d) {
  return (d->t->m->nc == 1 ? 34 : 44.0 * d->t->m->nc) + 44;
}

static int keys_per_line(const trajectory_drawing *d) {
  int most = (int)((d->width - d->left) / key_width(d));
  return most > 1 ? most : 1;
}

static void lay_out(trajectory_drawing *d) {
  d->columns = d->panels.count == 1 ? 1 : 2;
  d->left = 78, d->plot_w = 400, d->plot_h = 300;
  d->panel_w = d->left + d->plot_w + 22, d->panel_h = d->plot_h + 64;
  d->width = d->columns * d->panel_w;
  int rows = (d->panels.count + d->columns - 1) / d->columns;
  int keys = d->t->m->nc ? (d->kinds + keys_per_line(d) - 1) / keys_per_line(d) : 0;
  d->top = 26 + (d->c->title ? 20 : 0) + (d->c->subtitle ? 20 : 0) + LINE * keys;
  d->height = d->top + rows * d->panel_h;
}

// Samples of the curves, line by line.
static void draw_legend(trajectory_drawing *d, double top) {
  ssi_svg *s = &d->svg;
  for (int k = 0; k < d->kinds && d->t->m->nc; k++) {
    double x = d->left + key_width(d) * (k % keys_per_line(d));
    double y = top + LINE * (k / keys_per_line(d));
    begin_path(d, "swatch", k);
    ssi_svg_point(s, 'M', x, y - 4);
    ssi_svg_point(s, 'L', x + 22, y - 4);
    ssi_svg_raw(s, "\"/>");
    ssi_svg_text_begin(s, "key", x + 29, y);
    put_modes(d, k);
    ssi_svg_raw(s, "</text>\n");
  }
}

static void draw(trajectory_drawing *d) {
  ssi_svg *s = &d->svg;
  ssi_frame_begin(s, d->width, d->height, d->c->title ? d->c->title : "trajectory", style);
  double y = ssi_frame_titles(s, d->left, d->width - 8, d->c->title, d->c->subtitle);
  draw_legend(d, y);
  for (int k = 0; k < d->panels.count; k++) draw_panel(d, k);
  ssi_svg_raw(s, "</svg>\n");
}

ss_error ss_trajectory_svg(ss_context *ctx, const ss_trajectory *t, const ss_trajectory_caption *c,
                           char **out) {
  if (!t || !c || !out)
    return ssi_fail(ctx, SS_ERR_ARGUMENT, "picture: trajectory, caption or result is NULL");
  *out = NULL;
  ssi_arena arena = {.ctx = ctx};
  trajectory_drawing d = {.svg = {.ctx = ctx}, .t = t, .c = c};
  SS_TRY(ssi_panels_read(ctx, t, c->panels, &d.panels));
  d.kind = SSI_TAKE(&arena, t->rows + 1, int);
  d.svg.failed = !d.kind;
  if (d.kind) {
    sort_rows(&d);
    lay_out(&d);
    draw(&d);
  }
  ssi_arena_release(&arena);
  return ssi_svg_finish(&d.svg, "no memory for a picture", out);
}
