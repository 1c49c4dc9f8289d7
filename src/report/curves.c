// report/curves.c - curves over one axis, as a picture and as a table.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "report/frame.h"
#include "report/table.h"
#include "stickslip/report.h"

enum { COLOURS = 6, LOOKS = 3 };

static const char *const style = ".line{fill:none;stroke-width:1.7;stroke-linejoin:round}\n"
                                 ".c0{stroke:#0072b2}.c1{stroke:#d55e00}.c2{stroke:#009e73}.c3{"
                                 "stroke:#cc79a7}.c4{stroke:#e69f00}"
                                 ".c5{stroke:#222}\n"
                                 ".l1{stroke-dasharray:8 4}.l2{stroke-dasharray:2 3}\n";

static void put_look(ssi_svg *s, int curve) {
  char text[40];
  snprintf(text, sizeof text, "line c%d l%d", curve % COLOURS, curve / COLOURS % LOOKS);
  ssi_svg_raw(s, text);
}

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// All values, but for those far above most of them.
static void choose_range(const ss_curves *c, double *sorted, ssi_frame *f) {
  size_t count = 0;
  for (int k = 0; k < c->curve_count; k++)
    for (int i = 0; i < c->count; i++)
      if (isfinite(c->curves[k].y[i])) sorted[count++] = c->curves[k].y[i];
  qsort(sorted, count, sizeof *sorted, by_value);
  double low = count ? fmin(0, sorted[0]) : 0, high = count ? sorted[count - 1] : 1;
  double middle = count ? sorted[count / 2] : 1;
  if (!c->whole && middle > 0 && high > 8 * middle) high = 4 * middle;
  f->y_from = low, f->y_to = high > low ? high + 0.04 * (high - low) : low + 1;
  f->x_from = c->x[0], f->x_to = c->x[c->count - 1];
}

static void draw_curve(ssi_svg *s, const ss_curves *c, const ssi_frame *f, int curve) {
  const double *y = c->curves[curve].y;
  bool open = false;
  ssi_svg_raw(s, "<path class=\"");
  put_look(s, curve);
  ssi_svg_raw(s, "\" d=\"");
  for (int i = 0; i < c->count; i++) {
    if (isfinite(y[i]))
      ssi_svg_point(s, open ? 'L' : 'M', ssi_frame_x(f, c->x[i]), ssi_frame_y(f, y[i]));
    open = isfinite(y[i]);
  }
  ssi_svg_raw(s, "\"/>\n");
}

static void draw_legend(ssi_svg *s, const ss_curves *c, const ssi_frame *f) {
  for (int k = 0; k < c->curve_count; k++) {
    double y = f->top + 8 + 18 * k;
    ssi_svg_raw(s, "<path class=\"");
    put_look(s, k);
    ssi_svg_raw(s, "\" d=\"");
    ssi_svg_point(s, 'M', f->right + 14, y);
    ssi_svg_point(s, 'L', f->right + 44, y);
    ssi_svg_raw(s, "\"/>");
    ssi_svg_text(s, "key", f->right + 51, y + 4, c->curves[k].label);
  }
}

static ss_error check(ss_context *ctx, const ss_curves *c, char **out) {
  if (!c || !out || !c->x_name || !c->y_name || c->count < 2 || c->curve_count < 1)
    return ssi_fail(ctx, SS_ERR_ARGUMENT, "curves: two points, a curve and names of the axes");
  *out = NULL;
  return SS_OK;
}

ss_error ss_curves_svg(ss_context *ctx, const ss_curves *c, char **out) {
  SS_TRY(check(ctx, c, out));
  double *sorted = ssi_alloc(ctx, (size_t)c->count * (size_t)c->curve_count, sizeof *sorted);
  if (!sorted) return ssi_fail(ctx, SS_ERR_MEMORY, "no memory for a picture");
  ssi_svg s = {.ctx = ctx};
  ssi_frame f = {.left = 78, .right = 558, .x_name = c->x_name, .y_name = c->y_name};
  f.top = 24 + (c->title ? 20 : 0) + (c->subtitle ? 22 : 0), f.bottom = f.top + 340;
  double widest = 0;
  for (int k = 0; k < c->curve_count; k++)
    widest = fmax(widest, ssi_svg_text_width(c->curves[k].label, 12));
  choose_range(c, sorted, &f);
  ssi_release(ctx, sorted);
  double width = f.right + 65 + widest;
  ssi_frame_begin(&s, width, f.bottom + 64, c->title ? c->title : "curves", style);
  ssi_frame_titles(&s, f.left, width - 8, c->title, c->subtitle);
  ssi_frame_draw(&s, &f);
  ssi_svg_raw(&s, "<clipPath id=\"plot\">");
  ssi_svg_rect(&s, "", f.left, f.top, f.right - f.left, f.bottom - f.top);
  ssi_svg_raw(&s, "</clipPath><g clip-path=\"url(#plot)\">\n");
  for (int k = 0; k < c->curve_count; k++) draw_curve(&s, c, &f, k);
  ssi_svg_raw(&s, "</g>\n");
  draw_legend(&s, c, &f);
  ssi_svg_raw(&s, "</svg>\n");
  return ssi_svg_finish(&s, "no memory for curves", out);
}

ss_error ss_curves_csv(ss_context *ctx, const ss_curves *c, char **out) {
  SS_TRY(check(ctx, c, out));
  ssi_svg s = {.ctx = ctx};
  ssi_table_name(&s, c->x_name, "");
  for (int k = 0; k < c->curve_count; k++) ssi_table_name(&s, c->curves[k].label, "");
  s.length -= s.length > 0;  // the last comma
  ssi_svg_raw(&s, "\n");
  for (int i = 0; i < c->count; i++) {
    ssi_table_number(&s, c->x[i]);
    for (int k = 0; k < c->curve_count; k++) {
      double y = c->curves[k].y[i];
      ssi_svg_raw(&s, ",");
      if (isinf(y)) ssi_svg_raw(&s, "inf");
      if (isfinite(y)) ssi_table_number(&s, y);
    }
    ssi_svg_raw(&s, "\n");
  }
  return ssi_svg_finish(&s, "no memory for curves", out);
}
