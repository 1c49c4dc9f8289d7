// report/atlas_svg.c - the map of an atlas: regions filled by number of solutions, borders drawn once,
// each region labelled with its letter and, where there is room, with the pictures of its solutions.
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "report/atlas_draw.h"
#include "report/axes.h"

static const char *const style =
    "<style>\n"
    "text{font-family:'Liberation Sans',Arial,Helvetica,sans-serif;fill:#222}\n"
    ".back{fill:#fff}\n"
    ".title{font-size:20px;font-weight:bold}\n"
    ".subtitle{font-size:13px;fill:#555}\n"
    ".tick{font-size:12px;fill:#444}\n"
    ".name{font-size:15px;font-style:italic}\n"
    ".mid{text-anchor:middle}.end{text-anchor:end}\n"
    ".sub{font-size:75%}.upright{font-style:normal}\n"
    ".region{stroke:none;fill-rule:evenodd}\n"
    ".over{pointer-events:none}\n"
    ".border{fill:none;stroke:#333;stroke-width:1.4;stroke-linejoin:round;stroke-linecap:round;"
    "pointer-events:none}\n"
    ".frame{fill:none;stroke:#333;stroke-width:1.2}\n"
    ".axis{stroke:#333;stroke-width:1}\n"
    ".letter{font-size:15px;font-weight:bold}\n"
    ".on-map{font-weight:bold;pointer-events:none}\n"
    ".count{font-size:13px;font-weight:bold}\n"
    ".share{font-size:12px;fill:#666}\n"
    ".small{font-size:11px;fill:#333}\n"
    ".swatch{stroke:#333;stroke-width:.8}\n"
    ".box{fill:#fff;fill-opacity:.8;stroke:#999;stroke-width:.8;pointer-events:none}\n"
    ".wide{stroke:#16766b;stroke-dasharray:3 2;stroke-width:1.2}\n"
    ".part{stroke:#bbb;stroke-width:1}\n"
    ".rule{stroke:#ccc;stroke-width:1}\n"
    ".ground{fill:none;stroke:#888;stroke-width:1.2}\n"
    ".on{fill:#222}.off{fill:#fff;stroke:#222;stroke-width:1.3}\n"
    ".way{fill:none;stroke:#0b62a4;stroke-width:1.5;stroke-linejoin:round;stroke-linecap:round}\n"
    "g.area:hover>.region{filter:brightness(.93)}\n"
    "</style>\n";

// ---- places ---------------------------------------------------------------------------------

static double x_at(const ssi_atlas_drawing *d, double x) {
  return d->left + d->plot_w * ((x - d->a->x.from) / (d->a->x.to - d->a->x.from));
}

static double y_at(const ssi_atlas_drawing *d, double y) {
  return d->top + d->plot_h * (1 - (y - d->a->y.from) / (d->a->y.to - d->a->y.from));
}

static void lay_out(ssi_atlas_drawing *d) {
  d->left = 84, d->plot_w = d->plot_h = 620;
  d->top = 24 + (d->c->title ? 28 : 0) + (d->c->subtitle ? 20 : 0);
  d->legend_x = d->left + d->plot_w + 34;
  d->legend_w = 290;
  d->width = d->legend_x + d->legend_w + 24;
  double map = d->plot_h + 64, legend = ssi_atlas_legend_height(d) + 16;
  d->height = d->top + (map > legend ? map : legend);
}

// ---- axes -----------------------------------------------------------------------------------

static void draw_axes(ssi_atlas_drawing *d) {
  ssi_svg *s = &d->svg;
  double bottom = d->top + d->plot_h;
  ssi_marks m = ssi_marks_choose(d->a->x.from, d->a->x.to, 8);
  for (int64_t k = m.first; k <= m.last; k++) {
    double value = (double)k * m.step, x = x_at(d, value);
    ssi_svg_line(s, "axis", x, bottom, x, bottom + 6);
    ssi_svg_text_begin(s, "tick mid", x, bottom + 21);
    ssi_marks_number(s, &m, value);
    ssi_svg_raw(s, "</text>\n");
  }
  ssi_svg_text_begin(s, "name mid", d->left + d->plot_w / 2, bottom + 47);
  ssi_axis_title(s, d->c->x_name, m.power);
  ssi_svg_raw(s, "</text>");
  m = ssi_marks_choose(d->a->y.from, d->a->y.to, 8);
  for (int64_t k = m.first; k <= m.last; k++) {
    double value = (double)k * m.step, y = y_at(d, value);
    ssi_svg_line(s, "axis", d->left - 6, y, d->left, y);
    ssi_svg_text_begin(s, "tick end", d->left - 10, y + 4);
    ssi_marks_number(s, &m, value);
    ssi_svg_raw(s, "</text>\n");
  }
  ssi_svg_put(s, "\n<g transform=\"translate(%f,%f) rotate(-90)\">", d->left - 58,
              d->top + d->plot_h / 2);
  ssi_svg_text_begin(s, "name mid", 0, 0);
  ssi_axis_title(s, d->c->y_name, m.power);
  ssi_svg_raw(s, "</text></g>\n");
}

// ---- regions --------------------------------------------------------------------------------

static void put_arc(ssi_atlas_drawing *d, const ss_atlas_arc *arc, bool forward, bool begin) {
  for (int i = 0; i < arc->count; i++) {
    const double *p = arc->points + 2 * (forward ? i : arc->count - 1 - i);
    if (i == 0 && !begin) continue;  // where the last arc ended
    ssi_svg_point(&d->svg, i == 0 ? 'M' : 'L', x_at(d, p[0]), y_at(d, p[1]));
  }
}

static void put_outline(ssi_atlas_drawing *d, const ss_atlas_region *r) {
  for (int k = 0; k < r->ring_count; k++) {
    for (int e = r->ring[k]; e < r->ring[k + 1]; e++) {
      bool forward = r->ring_arc[e] >= 0;
      put_arc(d, &d->a->arcs[forward ? r->ring_arc[e] : -1 - r->ring_arc[e]], forward,
              e == r->ring[k]);
    }
    ssi_svg_raw(&d->svg, "Z");
  }
}

static void draw_region(ssi_atlas_drawing *d, const ss_atlas_region *r) {
  const ss_atlas_kind *k = &d->a->kinds[r->kind];
  const char *fills[] = {ssi_atlas_colour(d->a, r->kind), ssi_atlas_pattern(k)};
  ssi_svg *s = &d->svg;
  char text[40];
  ss_atlas_count_text(d->a, k, text);
  ssi_svg_put(s, "<g class=\"area\"><title>%s: %s", k->label, text);
  for (int i = 0; i < k->count && i < 12; i++) {
    ssi_svg_raw(s, i ? "; " : "\n");
    for (int c = 0; c < k->nc; c++)
      ssi_svg_put(s, "%s%s", c ? ", " : "", ss_atlas_state_name(d->a, k->solutions[i].states[c]));
  }
  ssi_svg_raw(s, "</title>");
  for (int layer = 0; layer < 2 && fills[layer]; layer++) {
    ssi_svg_put(s, "<path class=\"region%s\" fill=\"%s\" d=\"", layer ? " over" : "", fills[layer]);
    put_outline(d, r);
    ssi_svg_raw(s, "\"/>");
  }
  ssi_svg_raw(s, "</g>\n");
}

static void draw_borders(ssi_atlas_drawing *d) {
  ssi_svg_raw(&d->svg, "<path class=\"border\" d=\"");
  for (int k = 0; k < d->a->arc_count; k++)
    if (d->a->arcs[k].left >= 0 && d->a->arcs[k].right >= 0) put_arc(d, &d->a->arcs[k], true, true);
  ssi_svg_raw(&d->svg, "\"/>\n");
  ssi_svg_rect(&d->svg, "frame", d->left, d->top, d->plot_w, d->plot_h);
}

// The widest line of boxes that stays inside the circle of radius `room` together with its letter, or
// 0: `height` is that of letter and boxes.
static double box_width_inside(const ss_atlas_kind *k, double room, double letter, double *height) {
  for (int columns = 1; columns <= 3; columns++) {
    double width = 0;
    for (int i = 0; i < k->count; i++)
      width = fmax(width, columns * (ssi_atlas_box_width(k, &k->solutions[i]) + SSI_BOX_GAP));
    *height = letter + ssi_atlas_boxes(NULL, k, 0, 0, width, true) + 4;
    if (k->count && hypot(width / 2, *height / 2) <= room) return width;
  }
  return 0;
}

static void put_letter(ssi_svg *s, const char *label, double x, double y, double size) {
  ssi_svg_put(s, "<text class=\"on-map mid\" font-size=\"%f\" x=\"%f\" y=\"%f\">%s</text>\n", size,
              x, y, label);
}

static void draw_label(ssi_atlas_drawing *d, const ss_atlas_region *r) {
  const ss_atlas_kind *k = &d->a->kinds[r->kind];
  double room = r->room * d->plot_w, x = x_at(d, r->x), y = y_at(d, r->y), height;
  double size = fmin(26, fmax(11, room * 0.8));
  if (room < 6) return;  // too small for a letter; the legend and the tooltip have it
  double width = box_width_inside(k, room, size, &height);
  if (width == 0 && size > 16) {
    width = box_width_inside(k, room, 16, &height);  // a smaller letter leaves more room
    if (width > 0) size = 16;
  }
  if (width == 0) {
    put_letter(&d->svg, k->label, x, y + size * 0.36, size);
    return;
  }
  put_letter(&d->svg, k->label, x, y - height / 2 + size * 0.8, size);
  ssi_atlas_boxes(&d->svg, k, x - width / 2, y - height / 2 + size + 4, width, true);
}

// ---- the picture ----------------------------------------------------------------------------

static void begin_picture(ssi_atlas_drawing *d) {
  ssi_svg *s = &d->svg;
  ssi_svg_begin(s, d->width, d->height, d->c->title ? d->c->title : "atlas of solutions", style);
  ssi_atlas_define(s, d->a->judged);
  ssi_svg_rect(s, "back", 0, 0, d->width, d->height);
  double room = d->width - d->left - 24;
  if (d->c->title) ssi_svg_text_fitting(s, "title", 20, d->left, 34, room, d->c->title);
  if (d->c->subtitle)
    ssi_svg_text_fitting(s, "subtitle", 13, d->left, d->c->title ? 56 : 28, room, d->c->subtitle);
}

ss_error ss_atlas_svg(ss_context *ctx, const ss_atlas *a, const ss_atlas_caption *c, char **out) {
  if (!a || !c || !c->x_name || !c->y_name || !out)
    return ssi_fail(ctx, SS_ERR_ARGUMENT,
                    "atlas picture: atlas, names of the axes or result is NULL");
  *out = NULL;
  if (a->cancelled) return ssi_fail(ctx, SS_ERR_ARGUMENT, "atlas picture: the atlas was cancelled");
  ssi_atlas_drawing d = {.svg = {.ctx = ctx}, .a = a, .c = c};
  lay_out(&d);
  begin_picture(&d);
  for (int k = 0; k < a->region_count; k++) draw_region(&d, &a->regions[k]);
  draw_borders(&d);
  for (int k = 0; k < a->region_count; k++) draw_label(&d, &a->regions[k]);
  draw_axes(&d);
  ssi_atlas_legend(&d);
  ssi_svg_raw(&d.svg, "</svg>\n");
  return ssi_svg_finish(&d.svg, "no memory for the picture of an atlas", out);
}
