// report/atlas_legend.c - the kinds of an atlas: colour, letter, number of solutions, and the states of
// each as small pictures of a body (a dot) and the ground (a line).
//
// Colours tell the number of solutions: pale for one, yellow for three, orange for five, purple from
// nine on; kinds with equally many get neighbouring tints. No solution is hatched, a continuum dotted.
#include <stdio.h>

#include "report/atlas_draw.h"

enum { TINTS = 6, KINDS_MOST = 16 };  // kinds that the legend lists

static const char *const one[TINTS] = {"#e6eef6", "#dfeee2", "#ece7f4",
                                       "#f4eede", "#dcf0ef", "#f4e5e6"};
static const char *const two[TINTS] = {"#cbe6b9", "#b4d9a4", "#dfeec9",
                                       "#a5cf97", "#c3e0c6", "#9cc99a"};
static const char *const three[TINTS] = {"#fde59b", "#f9d266", "#fdefc4",
                                         "#f3c24a", "#f7dc86", "#ecb93f"};
static const char *const five[TINTS] = {"#f9bb82", "#f2a05e", "#fbd2ab",
                                        "#ea8f49", "#f5ae70", "#e5843c"};
static const char *const seven[TINTS] = {"#f09c92", "#e98178", "#f5b9b1",
                                         "#df6d67", "#ec8f86", "#d65f5c"};
static const char *const many[TINTS] = {"#cf9ad0", "#bb80c2", "#deb9de",
                                        "#a86cb4", "#c58cc9", "#9a5fa8"};
static const char *const spread[TINTS] = {"#bfe4df", "#a3d7d0", "#d7efec",
                                          "#8ecbc3", "#b1ddd7", "#7dc1b8"};

static bool has_continuum(const ss_atlas_kind *k) {
  for (int i = 0; i < k->count; i++)
    if (!k->solutions[i].isolated) return true;
  return false;
}

static const char *const *tints_of(const ss_atlas_kind *k) {
  if (has_continuum(k)) return spread;
  return k->count <= 1   ? one
         : k->count == 2 ? two
         : k->count <= 4 ? three
         : k->count <= 6 ? five
         : k->count <= 8 ? seven
                         : many;
}

const char *ssi_atlas_colour(const ss_atlas *a, int kind) {
  const char *const *tints = tints_of(&a->kinds[kind]);
  int before = 0;
  if (a->kinds[kind].count == 0) return "#fff";
  for (int k = 0; k < kind; k++) before += a->kinds[k].count > 0 && tints_of(&a->kinds[k]) == tints;
  return tints[before % TINTS];
}

const char *ssi_atlas_pattern(const ss_atlas_kind *k) {
  return k->count == 0 ? "url(#none)" : has_continuum(k) ? "url(#many)" : NULL;
}

// ---- pictures of states ---------------------------------------------------------------------

// Drawn around (0, 0), in a square of SSI_GLYPH.
void ssi_atlas_define(ssi_svg *s, bool judged) {
  ssi_svg_raw(s,
              "<defs>\n"
              "<pattern id=\"none\" width=\"9\" height=\"9\" patternUnits=\"userSpaceOnUse\" "
              "patternTransform=\"rotate(45)\"><line x1=\"0\" y1=\"0\" x2=\"0\" y2=\"9\" "
              "stroke=\"#d23b3b\" stroke-width=\"2\" stroke-opacity=\".45\"/></pattern>\n"
              "<pattern id=\"many\" width=\"8\" height=\"8\" patternUnits=\"userSpaceOnUse\">"
              "<circle cx=\"4\" cy=\"4\" r=\"1\" fill=\"#16766b\" fill-opacity=\".4\"/></pattern>\n"
              "<g id=\"s0\"><path class=\"ground\" d=\"M-6 6H6\"/>"
              "<circle class=\"off\" cx=\"0\" cy=\"-2.5\" r=\"3.2\"/></g>\n"
              "<g id=\"s1\"><path class=\"ground\" d=\"M-6 6H6\"/>"
              "<circle class=\"on\" cx=\"0\" cy=\"1.8\" r=\"3.7\"/></g>\n"
              "<g id=\"s2\"><path class=\"ground\" d=\"M-6 6H6\"/>");
  ssi_svg_raw(
      s, judged
             ? "<circle class=\"on\" cx=\"0\" cy=\"2.4\" r=\"3.1\"/>"
               "<path class=\"way\" d=\"M-5 -4H5M3 -6.4L5.4 -4L3 -1.6M-3 -6.4L-5.4 -4L-3 -1.6\"/>"
             : "<circle class=\"on\" cx=\"-3\" cy=\"2.4\" r=\"3.1\"/>"
               "<path class=\"way\" d=\"M-2 -4H5M2.2 -6.8L5.4 -4L2.2 -1.2\"/>");
  ssi_svg_raw(s, "</g>\n"
                 "<g id=\"s3\"><path class=\"ground\" d=\"M-6 6H6\"/>"
                 "<circle class=\"on\" cx=\"3\" cy=\"2.4\" r=\"3.1\"/>"
                 "<path class=\"way\" d=\"M2 -4H-5M-2.2 -6.8L-5.4 -4L-2.2 -1.2\"/></g>\n"
                 "</defs>\n");
}

static void put_state(ssi_svg *s, ss_cell_state state, double x, double y) {
  ssi_svg_put(s, "<use href=\"#s%d\" x=\"%f\" y=\"%f\"/>", (int)state, x, y);
}

// Of long rows and of continua with many cells only the beginning is drawn.
enum { CONTACTS_MOST = 12, CELLS_MOST = 3 };

static int drawn_contacts(const ss_atlas_kind *k) {
  return k->nc < CONTACTS_MOST ? k->nc : CONTACTS_MOST;
}

static int drawn_cells(const ss_atlas_solution *s) {
  return s->cell_count < CELLS_MOST ? s->cell_count : CELLS_MOST;
}

static const char *continuum_name(const ss_atlas_solution *s) {
  static char text[][16] = {"", "segment", "ray", "2D set", "2D cone", "3D set", "3D cone", "set"};
  if (s->isolated) return text[0];
  return text[s->dimension <= 3 ? 2 * s->dimension - 1 + (s->unbounded ? 1 : 0) : 7];
}

double ssi_atlas_box_width(const ss_atlas_kind *k, const ss_atlas_solution *s) {
  double glyphs = (drawn_contacts(k) * SSI_GLYPH + 6.0) * drawn_cells(s);
  if (k->nc > CONTACTS_MOST || s->cell_count > CELLS_MOST) glyphs += 12;
  if (!s->isolated) glyphs += ssi_svg_text_width(continuum_name(s), 11) + 6;
  return glyphs;
}

void ssi_atlas_box(ssi_svg *svg, const ss_atlas_kind *k, const ss_atlas_solution *s, double x,
                   double y) {
  double width = ssi_atlas_box_width(k, s), at = x + 3;
  ssi_svg_rect(svg, s->isolated ? "box" : "box wide", x, y, width, SSI_BOX_HEIGHT);
  for (int cell = 0; cell < drawn_cells(s); cell++) {
    if (cell) ssi_svg_line(svg, "part", at, y + 4, at, y + SSI_BOX_HEIGHT - 4);
    for (int i = 0; i < drawn_contacts(k); i++)
      put_state(svg, s->states[cell * k->nc + i], at + SSI_GLYPH * (i + 0.5), y + 10);
    at += drawn_contacts(k) * SSI_GLYPH + 6;
  }
  at -= 3;
  if (k->nc > CONTACTS_MOST || s->cell_count > CELLS_MOST) {
    ssi_svg_text(svg, "small", at, y + 14, "...");
    at += 12;
  }
  if (!s->isolated) ssi_svg_text(svg, "small", at, y + 14, continuum_name(s));
  ssi_svg_raw(svg, "\n");
}

// How many of the boxes from `first` on fit into one line, and how wide they are together.
static int fit_line(const ss_atlas_kind *k, int first, double width, double *used) {
  int count = 0;
  *used = 0;
  for (int i = first; i < k->count; i++, count++) {
    double more = ssi_atlas_box_width(k, &k->solutions[i]) + (count ? SSI_BOX_GAP : 0);
    if (count && *used + more > width) break;
    *used += more;
  }
  return count;
}

double ssi_atlas_boxes(ssi_svg *svg, const ss_atlas_kind *k, double x, double y, double width,
                       bool centred) {
  double top = y, used;
  for (int first = 0; first < k->count;) {
    int count = fit_line(k, first, width, &used);
    double at = centred ? x + (width - used) / 2 : x;
    for (int i = first; i < first + count; i++) {
      if (svg) ssi_atlas_box(svg, k, &k->solutions[i], at, top);
      at += ssi_atlas_box_width(k, &k->solutions[i]) + SSI_BOX_GAP;
    }
    first += count;
    top += SSI_BOX_HEIGHT + SSI_BOX_GAP;
  }
  return k->count ? top - y - SSI_BOX_GAP : 0;
}

// ---- the legend -----------------------------------------------------------------------------

static int listed(const ssi_atlas_drawing *d) {
  return d->a->kind_count < KINDS_MOST ? d->a->kind_count : KINDS_MOST;
}

static double entry_height(const ssi_atlas_drawing *d, int kind) {
  const ss_atlas_kind *k = &d->a->kinds[kind];
  double boxes = ssi_atlas_boxes(NULL, k, 0, 0, d->legend_w - 40, false);
  return (boxes > 0 ? 22 + boxes : 28) + 14;
}

static const char *const key[4] = {"no contact", "sticks",
                                   "slips, u&#8201;<tspan class=\"sub\" dy=\"3\">T"
                                   "</tspan><tspan dy=\"-3\"> &gt; 0</tspan>",
                                   "slips, u&#8201;<tspan class=\"sub\" dy=\"3\">T</tspan>"
                                   "<tspan dy=\"-3\"> &lt; 0</tspan>"};

double ssi_atlas_legend_height(const ssi_atlas_drawing *d) {
  double sum = 74;
  for (int k = 0; k < listed(d); k++) sum += entry_height(d, k);
  return sum + (listed(d) < d->a->kind_count ? 22 : 0);
}

static void draw_entry(ssi_atlas_drawing *d, int kind, double y) {
  const ss_atlas_kind *k = &d->a->kinds[kind];
  ssi_svg *s = &d->svg;
  char text[40];
  static const char swatch[] = " rx=\"4\" width=\"28\" height=\"28\"";
  const char *fills[] = {ssi_atlas_colour(d->a, kind), ssi_atlas_pattern(k)};
  ssi_svg_raw(s, "<g class=\"entry\">");
  for (int layer = 0; layer < 2 && fills[layer]; layer++) {
    ssi_svg_raw(s, layer ? "<rect" : "<rect class=\"swatch\"");
    ssi_svg_raw(s, swatch);
    ssi_svg_put(s, " fill=\"%s\" x=\"%f\" y=\"%f\"/>", fills[layer], d->legend_x, y);
  }
  ssi_svg_text(s, "letter mid", d->legend_x + 14, y + 19, k->label);
  ss_atlas_count_text(d->a, k, text);
  ssi_svg_text(s, "count", d->legend_x + 40, y + 13, text);
  snprintf(text, sizeof text, "%d.%d %%", (int)(1000 * k->area + 0.5) / 10,
           (int)(1000 * k->area + 0.5) % 10);
  ssi_svg_text(s, "share end", d->legend_x + d->legend_w, y + 13, text);
  ssi_atlas_boxes(s, k, d->legend_x + 40, y + 22, d->legend_w - 40, false);
  ssi_svg_raw(s, "</g>\n");
}

// What the pictures mean, in two columns.
static void draw_key(ssi_atlas_drawing *d, double y) {
  ssi_svg *s = &d->svg;
  ssi_svg_line(s, "rule", d->legend_x, y, d->legend_x + d->legend_w, y);
  for (int k = 0; k < (d->a->judged ? 3 : 4); k++) {
    double x = d->legend_x + 8 + (k % 2) * 130.0, row = y + 22 + (k / 2) * 24.0;
    put_state(s, (ss_cell_state)k, x, row - 4);
    ssi_svg_text_begin(s, "small", x + 14, row);
    ssi_svg_raw(s, d->a->judged && k == SS_CELL_SLIP_PLUS ? "slips" : key[k]);
    ssi_svg_raw(s, "</text>\n");
  }
}

void ssi_atlas_legend(ssi_atlas_drawing *d) {
  double y = d->top;
  for (int k = 0; k < listed(d); k++) {
    draw_entry(d, k, y);
    y += entry_height(d, k);
  }
  if (listed(d) < d->a->kind_count) {
    char text[60];
    snprintf(text, sizeof text, "and %d more kinds", d->a->kind_count - listed(d));
    ssi_svg_text(&d->svg, "share", d->legend_x + 40, y + 10, text);
    y += 22;
  }
  draw_key(d, y + 2);
}
