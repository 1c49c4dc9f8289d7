// report/profile_svg.c - performance profiles [DM02] as a picture: one panel per set of results,
// rho_s(tau) as steps over log tau, each curve labelled at its right end with solved / problems.
//
// Colours are those of Okabe and Ito, told apart by colour-blind readers too, without the yellow that
// is too pale on white; from the eighth curve on they come again, dashed, then dotted. Labels are
// dark, beside a stroke in the curve's colour: coloured letters of that size are hard to read.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "report/profile.h"
#include "report/svg.h"

enum { COLOURS = 7, DASHES = 3, NAME_MOST = 36 };

static const char *const style =
    "<style>\n"
    "text{font-family:'Liberation Sans',Arial,Helvetica,sans-serif;fill:#222}\n"
    ".back{fill:#fff}\n"
    ".title{font-size:18px;font-weight:bold}\n"
    ".sub{font-size:12px;fill:#555}\n"
    ".panel{font-size:14px;font-weight:bold}\n"
    ".tick{font-size:11px;fill:#444}\n"
    ".mid{text-anchor:middle}\n"
    ".end{text-anchor:end}\n"
    ".name{font-size:12px}\n"
    ".count{fill:#666}\n"
    ".up{font-size:8px}\n"
    ".grid{stroke:#e3e3e3;stroke-width:1}\n"
    ".minor{stroke:#f1f1f1;stroke-width:1}\n"
    ".axis{stroke:#666;stroke-width:1}\n"
    ".curve{fill:none;stroke-width:2.2;stroke-linejoin:round}\n"
    ".lead{fill:none;stroke-width:1.2}\n"
    ".key{fill:none;stroke-width:3}\n"
    "g:hover>.curve{stroke-width:4}\n"
    ".c0{stroke:#0072b2}.c1{stroke:#d55e00}.c2{stroke:#009e73}.c3{stroke:#cc79a7}"
    ".c4{stroke:#e69f00}.c5{stroke:#56b4e9}.c6{stroke:#222}\n"
    ".d1{stroke-dasharray:7 4}.d2{stroke-dasharray:2 3}.lead{stroke-dasharray:none}\n"
    "</style>\n";

// Pixels. A panel is `left` + plot + `right` wide, with the curves' names in `right`.
typedef struct layout {
  int columns, rows;
  double left, plot_w, right, panel_w;
  double head, plot_h, panel_h;  // head: of the picture, above all panels
  double width, height;
  double tau_max;  // end of the axis of tau
} layout;

typedef struct curve {
  int solver, solved;
  double end_y;    // where it leaves the plot
  double label_y;  // where its label is, kept apart from the others
} curve;

typedef struct drawing {
  ssi_svg svg;
  const ss_profile *p;
  layout l;
  double *ratios;  // (most problems of any panel)
  curve *curves;   // (solver_count)
} drawing;

// ---- layout ---------------------------------------------------------------------------------

// 2, 5, 10, 20, 50, ...: the first that is at least x.
static double round_up(double x) {
  double decade = 1;
  for (; decade < 1e300; decade *= 10) {
    const double steps[] = {2, 5, 10};
    for (int k = 0; k < 3; k++)
      if (x <= steps[k] * decade) return steps[k] * decade;
  }
  return decade;
}

static double largest_ratio(drawing *d) {
  double most = 1;
  for (int i = 0; i < d->p->panel_count; i++)
    for (int s = 0; s < d->p->solver_count; s++) {
      int count = ssi_profile_ratios(d->p, &d->p->panels[i], s, d->ratios);
      if (count) most = fmax(most, d->ratios[count - 1]);
    }
  return most;
}

// A name that fits: its first characters and "..." where it is long; never half a UTF-8 character.
static void fit_name(const char *name, char *out) {
  size_t length = strlen(name);
  strncpy(out, name, NAME_MOST);
  out[NAME_MOST] = '\0';
  if (length <= NAME_MOST) return;
  size_t keep = NAME_MOST - 3;
  while (keep && ((unsigned char)name[keep] & 0xc0) == 0x80) keep--;
  strcpy(out + keep, "...");
}

static void lay_out(drawing *d) {
  enum { LABEL_PITCH = 18 };
  const ss_profile *p = d->p;
  layout *l = &d->l;
  double names = 0;
  for (int s = 0; s < p->solver_count; s++) {
    char name[NAME_MOST + 1];
    fit_name(p->solvers[s], name);
    names = fmax(names, ssi_svg_text_width(name, 12));
  }
  l->left = 66, l->plot_w = 400;
  l->right = 52 + names + ssi_svg_text_width("  000/000", 12);
  l->panel_w = l->left + l->plot_w + l->right;
  l->columns = p->panel_count > 1 && l->panel_w <= 760 ? 2 : 1;
  l->rows = (p->panel_count + l->columns - 1) / l->columns;
  l->head = (p->title ? 34 : 8) + (p->subtitle ? 20 : 0);
  l->plot_h = fmax(270, LABEL_PITCH * (p->solver_count - 1));
  l->panel_h = 40 + l->plot_h + 58;
  l->width = l->columns * l->panel_w;
  l->height = l->head + l->rows * l->panel_h;
  l->tau_max = round_up(largest_ratio(d));
}

// ---- axes -----------------------------------------------------------------------------------

static double x_at(const drawing *d, double left, double tau) {
  return left + d->l.plot_w * log(tau) / log(d->l.tau_max);
}

static double y_at(const drawing *d, double top, double fraction) {
  return top + d->l.plot_h * (1 - fraction);
}

// 1, 2, ... 1000, and 10^4 and so on with a raised exponent.
static void write_tau(drawing *d, double x, double y, double tau) {
  ssi_svg_text_begin(&d->svg, "tick mid", x, y);
  if (tau < 9999)
    ssi_svg_number(&d->svg, tau);
  else
    ssi_svg_put(&d->svg, "10<tspan class=\"up\" dy=\"-4\">%d</tspan>", (int)llround(log10(tau)));
  ssi_svg_raw(&d->svg, "</text>\n");
}

static void tau_tick(drawing *d, double left, double top, double tau, bool labelled) {
  if (tau > d->l.tau_max * (1 + 1e-9)) return;
  double x = x_at(d, left, tau), bottom = y_at(d, top, 0);
  ssi_svg_line(&d->svg, labelled ? "grid" : "minor", x, top, x, bottom);
  if (labelled) write_tau(d, x, bottom + 16, tau);
}

// Up to 2: fifths; up to two decades: 1, 2, 5, 10; beyond that: powers of ten, at most nine labels.
static void draw_tau_axis(drawing *d, double left, double top) {
  double decades = log10(d->l.tau_max);
  if (decades < 0.4) {
    for (int k = 5; k <= 10; k++) tau_tick(d, left, top, k / 5.0, true);
    return;
  }
  int every = (int)ceil(decades / 8);
  double decade = 1;
  for (int n = 0; decade <= d->l.tau_max * (1 + 1e-9); n++, decade *= 10) {
    tau_tick(d, left, top, decade, n % every == 0);
    bool fine = decades < 2.1;
    for (int k = 2; k <= 9 && decades < 5; k++)
      tau_tick(d, left, top, k * decade, fine && (k == 2 || k == 5));
  }
}

static void draw_fraction_axis(drawing *d, double left, double top) {
  for (int k = 0; k <= 5; k++) {
    double y = y_at(d, top, k / 5.0);
    ssi_svg_line(&d->svg, k ? "grid" : "axis", left, y, left + d->l.plot_w, y);
    ssi_svg_text_begin(&d->svg, "tick end", left - 8, y + 4);
    ssi_svg_put(&d->svg, "%d&#8201;%%</text>\n", 20 * k);  // thin space
  }
  ssi_svg_line(&d->svg, "axis", left, top, left, y_at(d, top, 0));
}

static void draw_axis_titles(drawing *d, double left, double top) {
  const char *cost = d->p->cost_name ? d->p->cost_name : "cost";
  double bottom = y_at(d, top, 0);
  ssi_svg_text_begin(&d->svg, "name mid", left + d->l.plot_w / 2, bottom + 37);
  ssi_svg_put(&d->svg, "&#964; = %s / smallest %s of any solver (log scale)</text>\n", cost, cost);
  ssi_svg_put(&d->svg, "<g transform=\"translate(%f,%f) rotate(-90)\">", left - 50,
              (top + bottom) / 2);
  ssi_svg_text_begin(&d->svg, "name mid", 0, 0);
  ssi_svg_raw(&d->svg, "problems solved within &#964;</text></g>\n");
}

// ---- curves ---------------------------------------------------------------------------------

static void begin_path(drawing *d, const char *kind, int solver) {
  ssi_svg_put(&d->svg, "<path class=\"%s c%d d%d\" d=\"", kind, solver % COLOURS,
              solver / COLOURS % DASHES);
}

// rho_s jumps by 1/problems at each ratio; those that are equal make one jump.
static void draw_steps(drawing *d, const ss_profile_panel *a, int solver, int solved, double left,
                       double top) {
  const double *r = d->ratios;
  int k = 0;
  while (k < solved && r[k] <= 1) k++;
  double y = y_at(d, top, (double)k / a->problems);
  begin_path(d, "curve", solver);
  ssi_svg_point(&d->svg, 'M', left, y);
  while (k < solved) {
    double x = x_at(d, left, r[k]), before = r[k];
    ssi_svg_point(&d->svg, 'L', x, y);
    while (k < solved && r[k] <= before) k++;
    y = y_at(d, top, (double)k / a->problems);
    ssi_svg_point(&d->svg, 'L', x, y);
  }
  ssi_svg_point(&d->svg, 'L', left + d->l.plot_w, y);
  ssi_svg_raw(&d->svg, "\"/>\n");
}

static void draw_curve(drawing *d, const ss_profile_panel *a, int solver, double left, double top) {
  curve *c = &d->curves[solver];
  int solved = ssi_profile_ratios(d->p, a, solver, d->ratios);
  *c = (curve){.solver = solver, .solved = solved};
  c->end_y = y_at(d, top, (double)solved / a->problems);
  ssi_svg_put(&d->svg, "<g><title>%s</title>\n", d->p->solvers[solver]);
  draw_steps(d, a, solver, solved, left, top);
  ssi_svg_raw(&d->svg, "</g>\n");
}

// ---- labels ---------------------------------------------------------------------------------

// From top to bottom as the curves end; those that end together in the order of the solvers.
static void sort_curves(curve *c, int count) {
  for (int i = 1; i < count; i++) {
    curve now = c[i];
    int k = i;
    for (; k > 0 && c[k - 1].end_y > now.end_y; k--) c[k] = c[k - 1];
    c[k] = now;
  }
}

// Moves labels down until none overlap, then up again from the bottom of the plot.
static void spread_labels(drawing *d, double top) {
  const double pitch = 17;
  int count = d->p->solver_count;
  curve *c = d->curves;
  for (int i = 0; i < count; i++)
    c[i].label_y = i ? fmax(c[i].end_y, c[i - 1].label_y + pitch) : c[i].end_y;
  double bottom = top + d->l.plot_h;
  for (int i = count - 1; i >= 0; i--) {
    c[i].label_y = fmin(c[i].label_y, bottom);
    bottom = c[i].label_y - pitch;
  }
}

static void draw_label(drawing *d, const ss_profile_panel *a, const curve *c, double right) {
  char name[NAME_MOST + 1];
  fit_name(d->p->solvers[c->solver], name);
  begin_path(d, "lead", c->solver);
  ssi_svg_point(&d->svg, 'M', right, c->end_y);
  ssi_svg_point(&d->svg, 'L', right + 14, c->label_y);
  ssi_svg_raw(&d->svg, "\"/>\n");
  begin_path(d, "key", c->solver);
  ssi_svg_point(&d->svg, 'M', right + 14, c->label_y);
  ssi_svg_point(&d->svg, 'L', right + 34, c->label_y);
  ssi_svg_raw(&d->svg, "\"/>\n");
  ssi_svg_text_begin(&d->svg, "name", right + 40, c->label_y + 4);
  ssi_svg_put(&d->svg, "%s<tspan class=\"count\" dx=\"7\">%d/%d</tspan></text>\n", name, c->solved,
              a->problems);
}

// ---- the picture ----------------------------------------------------------------------------

static void draw_panel(drawing *d, int index) {
  const ss_profile_panel *a = &d->p->panels[index];
  const layout *l = &d->l;
  double left = l->left + l->panel_w * (index % l->columns);
  double top = l->head + l->panel_h * (double)(index / l->columns) + 40;
  if (a->title) ssi_svg_text(&d->svg, "panel", left, top - 16, a->title);
  draw_tau_axis(d, left, top);
  draw_fraction_axis(d, left, top);
  draw_axis_titles(d, left, top);
  for (int s = d->p->solver_count - 1; s >= 0; s--)  // the first one on top
    draw_curve(d, a, s, left, top);
  sort_curves(d->curves, d->p->solver_count);
  spread_labels(d, top);
  for (int i = 0; i < d->p->solver_count; i++) draw_label(d, a, &d->curves[i], left + l->plot_w);
}

static void begin_picture(drawing *d) {
  ssi_svg *s = &d->svg;
  const ss_profile *p = d->p;
  ssi_svg_begin(s, d->l.width, d->l.height, p->title ? p->title : "performance profile", style);
  ssi_svg_rect(s, "back", 0, 0, d->l.width, d->l.height);
  if (p->title) ssi_svg_text(s, "title", d->l.left, 30, p->title);
  if (p->subtitle) ssi_svg_text(s, "sub", d->l.left, p->title ? 50 : 22, p->subtitle);
}

static void draw(drawing *d) {
  lay_out(d);
  begin_picture(d);
  for (int i = 0; i < d->p->panel_count; i++) draw_panel(d, i);
  ssi_svg_raw(&d->svg, "</svg>\n");
}

ss_error ss_profile_svg(ss_context *ctx, const ss_profile *p, char **out) {
  if (!out) return ssi_fail(ctx, SS_ERR_ARGUMENT, "ss_profile_svg: out is NULL");
  *out = NULL;
  SS_TRY(ssi_profile_check(ctx, p));
  int most = 0;
  for (int i = 0; i < p->panel_count; i++)
    if (p->panels[i].problems > most) most = p->panels[i].problems;
  ssi_arena arena = {.ctx = ctx};
  drawing d = {.svg = {.ctx = ctx}, .p = p};
  d.ratios = SSI_TAKE(&arena, most, double);
  d.curves = SSI_TAKE(&arena, p->solver_count, curve);
  d.svg.failed = arena.failed;
  if (!arena.failed) draw(&d);
  ssi_arena_release(&arena);
  return ssi_svg_finish(&d.svg, "profile: no memory for the picture", out);
}
